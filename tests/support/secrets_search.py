"""Searches outputs, files and command lines for hands, in every notation that this project or its field knows (I7).

May import: `driver.deals`, `driver.plan`, the standard library. Read next: `tests/cli/test_hands_stay_hidden.py`.

Two nets. The fine one has whole texts and bytes: lists of codes, numbers, owners, plans, hex, base64, the deal as one
number. The wide one looks at ranks alone, whatever stands between them, and so finds a hand in PBN, LIN, lists of
cards and pictures of a table. Texts are found in both cases, and with NUL between their letters (UTF-16).
"""

from __future__ import annotations

import base64
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from driver.deals.model import Deal
from driver.deals.numbering import Order
from driver.plan import Plan
from protocol.cards import Seat
from tests.support.deal_numbers import index_of

_BEGINNING: Final = 6
"""Bytes with which a notation is recognised before it is compared; none is shorter."""
_PIECE: Final = 4096
_LONGEST: Final = 700
"""Bytes of the longest notation, generously."""
_RANKS: Final = b"AKQJT98765432"
_NO_RANKS: Final = bytes(set(range(256)) - set(_RANKS))
_COLOURS: Final = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
"""What moves the cursor or colours the text of a terminal."""
_PROCESSES: Final = Path("/proc")


def notations(deal: Deal) -> Iterator[tuple[str, bytes]]:
    """Ways to write the deal, or one hand of it, that are searched for byte by byte; each by name."""
    for seat in Seat:
        yield from _of_hand(deal, seat)
    owners = bytes(deal.owners)
    yield "owners", owners
    yield "owners from 1", bytes(owner + 1 for owner in owners)
    figures = "".join(map(str, owners))
    yield "owners as figures", figures.encode()
    yield "owners as figures from 1", "".join(str(owner + 1) for owner in owners).encode()
    yield "owners as letters", "".join("NESW"[owner] for owner in owners).encode()
    for between in (",", ", ", " "):
        yield f"owners with {between!r} between", between.join(figures).encode()
    pairs = zip(owners[::2], owners[1::2], strict=True)
    yield "letters of two cards", "".join(chr(ord("a") + 4 * one + other) for one, other in pairs).encode()
    packed = {"owners": owners, "plan": Plan.by_identity(1, deal).destinations()}
    fours = list(zip(*[iter(owners)] * 4, strict=True))
    packed["two bits a card"] = bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in fours)
    packed["two bits a card, turned"] = bytes(a | b << 2 | c << 4 | d << 6 for a, b, c, d in fours)
    for turn in range(4):
        packed[f"two bits a rank, {turn} seats on"] = bytes(
            sum((owners[13 * suit + rank] + turn) % 4 << 6 - 2 * suit for suit in range(4)) for rank in range(13)
        )
    packed["text"] = deal.hands_as_pbn().encode()
    for order in Order:
        index = index_of(deal, order)
        for number in (index, index + 1):
            yield f"number by {order.name}", str(number).encode()
            yield f"hex number by {order.name}", f"{number:x}".encode()
        packed[f"number by {order.name}"] = index.to_bytes(math.ceil(index.bit_length() / 8), "big")
    for name, raw in packed.items():
        yield name, raw
        yield f"{name} as Python shows it", repr(raw)[2:-1].encode()
        yield f"hex of {name}", raw.hex().encode()
        yield f"spaced hex of {name}", raw.hex(" ").encode()
        yield f"base64 of {name}", base64.b64encode(raw)[: len(raw) // 3 * 4]
        yield f"base85 of {name}", base64.b85encode(raw)[: len(raw) // 4 * 5]


def _of_hand(deal: Deal, seat: Seat) -> Iterator[tuple[str, bytes]]:
    hand = deal.hand(seat)
    codes = [int(card) for card in hand]
    yield f"codes {seat.letter}", bytes(codes)
    yield f"hex of codes {seat.letter}", bytes(codes).hex().encode()
    yield f"spaced hex of codes {seat.letter}", bytes(codes).hex(" ").encode()
    yield f"base64 of codes {seat.letter}", base64.b64encode(bytes(codes))[:16]
    for between in (", ", ",", " "):
        yield f"codes {seat.letter} with {between!r} between", between.join(map(str, codes)).encode()
        yield (
            f"codes {seat.letter} from 1 with {between!r} between",
            between.join(str(code + 1) for code in codes).encode(),
        )
    yield f"numbers {seat.letter}", "".join(f"{code + 1:02}" for code in codes).encode()
    yield f"letters {seat.letter}", "".join(chr((65 if code < 26 else 71) + code) for code in codes).encode()
    mask = sum(1 << code for code in codes)
    yield f"mask {seat.letter}", mask.to_bytes(7, "big")
    yield f"mask {seat.letter}, turned", mask.to_bytes(7, "little")
    yield f"mask {seat.letter} as a number", str(mask).encode()
    yield f"mask {seat.letter} in hex", f"{mask:x}".encode()


def ranks_of_hands(deal: Deal) -> Iterator[tuple[str, bytes]]:
    """The ranks of each hand, suit by suit, high to low and low to high: what the wide net looks for."""
    for seat in Seat:
        suits = [[card.rank for card in deal.hand(seat) if card.suit == suit] for suit in range(4)]
        for order in (suits, suits[::-1]):
            yield f"cards of {seat.letter}", "".join("".join(suit) for suit in order).encode()
            yield f"cards of {seat.letter}, low first", "".join("".join(suit[::-1]) for suit in order).encode()


class HandSearch:
    """Knows some deals, by names of their boards, and some secrets, and finds each of them in bytes."""

    def __init__(self, deals: Mapping[str, Deal], secrets: Mapping[str, bytes] | None = None) -> None:
        self._exact: dict[bytes, list[tuple[bytes, str]]] = {}
        self._ranks: dict[bytes, list[tuple[bytes, str]]] = {}
        for board, deal in deals.items():
            for name, needle in notations(deal):
                _put(self._exact, needle, f"{board}: {name}")
            for name, needle in ranks_of_hands(deal):
                _put(self._ranks, needle, f"{board}: {name}")
        for name, secret in (secrets or {}).items():
            for needle in (secret, secret.hex().encode(), base64.b64encode(secret)[: len(secret) // 3 * 4]):
                _put(self._exact, needle, f"secret {name}")

    def found(self, raw: bytes | str) -> list[str]:
        """What of the deals and secrets stands in `raw`, each once; empty when it is blind."""
        data = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else raw
        shown: dict[str, None] = {}
        for start in range(0, max(1, len(data)), _PIECE):
            shown.update(dict.fromkeys(self.found_in_piece(data[start : start + _PIECE + _LONGEST])))
        return list(shown)

    def found_in_piece(self, piece: bytes) -> Iterator[str]:
        """The same for a piece of a few thousand bytes."""
        without_nul = piece.replace(b"\0", b"")
        for text in {piece, without_nul, piece.lower(), without_nul.lower()}:
            yield from _found(self._exact, text)
        plain = _COLOURS.sub(b"", without_nul)
        ten = plain.replace(b"10", b"T")
        for text in {plain, ten, plain.upper(), ten.upper()}:
            yield from _found(self._ranks, text.translate(None, _NO_RANKS))


def _put(needles: dict[bytes, list[tuple[bytes, str]]], needle: bytes, name: str) -> None:
    assert len(needle) >= _BEGINNING, name
    for one in {needle, needle.lower()}:
        needles.setdefault(one[:_BEGINNING], []).append((one, name))


def _found(needles: Mapping[bytes, list[tuple[bytes, str]]], text: bytes) -> Iterator[str]:
    for at in range(len(text) - _BEGINNING + 1):
        for needle, name in needles.get(text[at : at + _BEGINNING], ()):
            if text.startswith(needle, at):
                yield name


class Haystack:
    """Everything that came to light while programs ran, each piece once, with the first place it was seen in."""

    def __init__(self) -> None:
        self._pieces: dict[bytes, str] = {}
        self._files: dict[Path, tuple[int, int]] = {}

    def add(self, raw: bytes | str, where: str) -> None:
        """Bytes or a text, seen at `where`."""
        data = raw.encode("utf-8", "surrogateescape") if isinstance(raw, str) else raw
        for start in range(0, len(data), _PIECE):
            self._pieces.setdefault(data[start : start + _PIECE + _LONGEST], where)

    def add_files(self, where: str, *folders: Path, leaving_out: Iterable[Path] = ()) -> None:
        """Every file below the folders that has changed, and its name."""
        left_out = set(leaving_out)
        for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
            try:
                if path in left_out or not path.is_file():
                    continue
                state = path.stat()
                if self._files.get(path) == (state.st_mtime_ns, state.st_size):
                    continue
                self._files[path] = (state.st_mtime_ns, state.st_size)
                data = path.read_bytes()
            except OSError:
                continue  # It was there for a moment only.
            self.add(data, f"{where}: file {path.name}")
            self.add(str(path), f"{where}: name of a file")

    def add_command_lines(self, where: str) -> None:
        """The words of every process that this one started, where the system shows them."""
        for pid in descendants(os.getpid()):
            try:
                self.add((_PROCESSES / str(pid) / "cmdline").read_bytes(), f"{where}: words of a process")
            except OSError:
                continue  # It has ended.

    def searched(self, search: HandSearch) -> list[str]:
        """Where something was found, and what."""
        found = ((where, what) for piece, where in self._pieces.items() for what in search.found_in_piece(piece))
        return [f"{where}: {what}" for where, what in dict.fromkeys(found)]

    @property
    def files(self) -> set[str]:
        """The names of all files that were looked at."""
        return {path.name for path in self._files}


def descendants(process: int) -> list[int]:
    """The processes that it started, and theirs; empty where the system does not show them."""
    if not _PROCESSES.is_dir():
        return []
    children: dict[int, list[int]] = {}
    for name in os.listdir(_PROCESSES):  # asked many times a second: one short file of each process
        if name.isdigit():
            try:
                with open(f"{_PROCESSES}/{name}/stat", "rb") as file:
                    # Behind the name in brackets, which may hold anything, stand the state and the parent.
                    parent = int(file.read().rpartition(b")")[2].split(maxsplit=2)[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found = [process]
    for one in found:
        found += children.get(one, ())
    return found[1:]
