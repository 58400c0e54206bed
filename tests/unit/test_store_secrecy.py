"""No file of the store shows a hand in any notation, and nothing of the store says one aloud (invariant I7).

Read next: `driver/store/sealing.py`, `driver/store/content.py`.
"""

from __future__ import annotations

import base64
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.card_rows import card_rows
from driver.deals.model import BoardDeal, Deal, DealSet
from driver.deals.numbering import Order
from driver.journal import LOCK_NAME, Journal
from driver.plan import Plan
from driver.store import sealing
from driver.store.database import FILE_NAME, KEY_NAME
from driver.store.decisions import Decision
from driver.store.runs import Intention
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind
from driver.verdicts import Verdict
from protocol.cards import PACK, Seat
from protocol.codes import Proof, RecordState
from protocol.fields import LedgerRecord
from tests.support.deal_numbers import index_of
from tests.support.processes import ROOT, environment
from tests.support.store import NOON, deal, deal_set, opened

CLUB = deal_set(range(1, 25))
SEALED = deal_set(range(1, 9), seed=5, name="sealed")
LESSON = deal_set(range(1, 9), seed=6, name="lesson")
SECRETS = tuple(bytes((start + place) % 256 for place in range(32)) for start in (10, 90))
MADE = tuple(deal(seed) for seed in (9_001, 9_002))
"""Deals that a secret stands for, as the register is told of them."""

SHOWN_AT_LEAST = 12
"""Bytes of a notation that are searched for where it can be cut: more than chance gives."""


def notations(one: Deal) -> Iterator[tuple[str, bytes]]:
    """Ways to write the deal or one of its hands, each by name."""
    owners = bytes(one.owners)
    for first in Seat:
        yield f"PBN from {first.letter}", one.hands_as_pbn(first)[2:].encode()
    for seat in Seat:
        hand = one.hand(seat)
        suits = ["".join(card.rank for card in hand if card.suit == suit) for suit in range(4)]
        yield f"PBN hand {seat.letter}", ".".join(suits).encode()
        yield f"LIN hand {seat.letter}", "".join(f"{'SHDC'[suit]}{suits[suit][::-1]}" for suit in range(4)).encode()
        yield f"cards {seat.letter}", "".join(map(str, hand)).encode()
        yield f"spaced cards {seat.letter}", " ".join(map(str, hand)).encode()
        yield f"codes {seat.letter}", bytes(hand)
        yield f"numbers {seat.letter}", "".join(f"{card + 1:02}" for card in hand).encode()
        yield f"mask {seat.letter}", sum(1 << card for card in hand).to_bytes(7)
        yield f"mask {seat.letter}, turned", sum(1 << card for card in hand).to_bytes(7, "little")
    pairs = [(owners[at], owners[at + 1]) for at in range(0, 52, 2)]
    packed = bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in zip(*[iter(owners)] * 4, strict=True))
    yield "owners", owners
    yield "owners from 1", bytes(owner + 1 for owner in owners)
    yield "owners as figures", "".join(map(str, owners)).encode()
    yield "owners as figures from 1", "".join(str(owner + 1) for owner in owners).encode()
    yield "owners as letters", "".join("NESW"[owner] for owner in owners).encode()
    yield "owners as JSON", ",".join(map(str, owners)).encode()
    yield "letters of two cards", "".join(chr(ord("a") + 4 * a + b) for a, b in pairs).encode()
    yield "two bits a card", packed
    yield (
        "two bits a card, turned",
        bytes(a | b << 2 | c << 4 | d << 6 for a, b, c, d in zip(*[iter(owners)] * 4, strict=True)),
    )
    for order in Order:
        index = index_of(one, order)
        yield f"number by {order.name}", str(index).encode()
        yield f"number from 1 by {order.name}", str(index + 1).encode()
        yield f"hex number by {order.name}", f"{index:x}".encode()
        yield f"bytes of the number by {order.name}", index.to_bytes(math.ceil(index.bit_length() / 8))
    for name, raw in (("owners", owners), ("packed", packed)):
        yield f"hex of {name}", raw.hex().encode()
        yield f"base64 of {name}", base64.b64encode(raw)[: len(raw) // 3 * 4]
        yield f"base85 of {name}", base64.b85encode(raw)[: len(raw) // 4 * 5]


def found(raw: bytes, deals: dict[str, Deal]) -> list[str]:
    """Which notations of which deals stand in the bytes, in whatever case."""
    lower = raw.lower()
    return [
        f"{whose}: {name}"
        for whose, one in deals.items()
        for name, text in notations(one)
        if text in raw or (len(text) >= SHOWN_AT_LEAST and text.lower() in lower)
    ]


def all_deals() -> dict[str, Deal]:
    boards = {f"{deals.name} {board.number}": board.deal for deals in (CLUB, SEALED, LESSON) for board in deals}
    return boards | {f"made {number}": one for number, one in enumerate(MADE)}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below the folder, read by another program: what this one has open stays as it is."""
    script = (
        "import sys, pathlib, base64\n"
        "for path in pathlib.Path(sys.argv[1]).rglob('*'):\n"
        "    if path.is_file():\n"
        "        print(path.name, base64.b64encode(path.read_bytes()).decode())\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment()).stdout
    return {name: base64.b64decode(text) for name, _, text in (line.partition(" ") for line in output.splitlines())}


def deal_it(store: Store, set_id: str, board: BoardDeal) -> int:
    """The journal's entries of a machine that reads the cards of a board and drops each where it belongs; the run."""
    plan = Plan.by_identity(board.number, board.deal)
    records = [
        LedgerRecord(card, 99, board.deal.owner(card), Proof.READ, RecordState.DROPPED, 1) for card in reversed(PACK)
    ]
    told = Intention(board.number, "A", "DM0042", 1, 0, 0, set_id, board.number, simulated=False)
    with Journal(store) as journal:
        tag = journal.plan_tag(plan.board, plan.routing, plan.destinations())
        run = journal.intend(told, tag).run
        journal.note_go(run)
        journal.note_verdict(run, Verdict.GOOD.name, card_ms=100, evidence=card_rows(plan, records))
        journal.note_closed(run)
    return run


def fill(store: Store) -> None:
    """Everything that is stored in the course of some evenings."""
    words = Passphrase("four hands in a box")
    club = store.sets.add_imported(CLUB).stored
    store.sets.add_imported(SEALED)
    store.sets.add_imported(SEALED, seal=words)
    lesson = store.sets.add_imported(LESSON, kind=SetKind.LESSON).stored
    game = store.sets.add_made("game", SetKind.GAME, SECRETS[0], '{"v":1}').stored
    store.sets.add_made("final", SetKind.CHAMPIONSHIP, SECRETS[1], '{"v":1}', seal=words)
    for board in CLUB:
        run = deal_it(store, club.id, board)
        store.register.note(board.deal, club.id, board.number, "A", run, NOON)
        store.decisions.append(Decision.LOOKED_AT_HAND, "Ann", set=club.id, board=board.number)
    for run, one in enumerate(MADE, start=100):
        store.register.note(one, game.id, run, "A", run, NOON)
    store.sets.similar(CLUB)
    store.register.uses([board.deal for board in CLUB])
    store.sets.throw_away(lesson)


def test_the_search_finds_every_notation() -> None:
    one = deal(1)
    for name, text in notations(one):
        assert found(b"before " + text + b" after", {"one": one}), name
        assert len(text) >= 6


def test_no_file_shows_a_deal_or_a_secret_while_the_store_is_open_or_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with opened(tmp_path / "data") as store:
        fill(store)
        while_open = contents(tmp_path)
    afterwards = contents(tmp_path)

    assert {FILE_NAME, KEY_NAME, FILE_NAME + "-wal"} <= while_open.keys()
    assert set(afterwards) == {FILE_NAME, KEY_NAME, LOCK_NAME}
    for files in (while_open, afterwards):
        for name, raw in files.items():
            assert found(raw, all_deals()) == [], name
            for secret in SECRETS:
                assert secret not in raw
                assert secret.hex().encode() not in raw.lower()
                assert base64.b64encode(secret)[:40] not in raw
            assert b"four hands in a box" not in raw


def test_nothing_of_the_store_shows_a_hand_in_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    with opened(tmp_path) as store:
        fill(store)
        shown = [
            *map(repr, store.sets.newest_first()),
            *map(repr, store.register.uses([board.deal for board in CLUB])),
            *map(repr, store.decisions.newest_first()),
            *map(repr, store.copies.of_set("s1")),
            *map(repr, store.runs.begun()),
            *(repr(store.runs.evidence(one.run)) for one in store.runs.begun()),
            repr(store.sets.add_imported(CLUB)),
            repr(store),
            repr(store.sets),
        ]

    assert found("\n".join(shown).encode(), all_deals()) == []


def test_errors_about_content_show_none_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        too_large = DealSet("large", None, (BoardDeal(2**70, deal(1)),))
        with pytest.raises(ValueError, match="no room") as caught:
            store.sets.add_imported(too_large)

    assert found(f"{caught.value!r}".encode(), {"one": deal(1)}) == []


def test_help_of_the_program_imports_neither_ciphers_nor_folders() -> None:
    script = (
        "import sys, driver.store.store\n"
        "print([name for name in ('cryptography', 'platformdirs') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    output = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment()).stdout

    assert output.strip() == "[]"
