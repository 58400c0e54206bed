"""What is sealed of a set, as bytes, and the keyed tags by which equal content is known without opening it.

May import: `driver.deals.model`, `protocol.cards`, `keys`, `stored` and the standard library. Read next: `sets.py`.

A board is 31 bytes: number and line (8 each, most significant first), dealer, vulnerability (255 for none), and the
seats of the 52 cards in the order of their codes, two bits each. Tags count what is dealt: a dealer or vulnerability
that the file does not carry counts as the standard one, so the same boards from two formats are the same set.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final

from driver.deals.model import BoardDeal, Deal, Vulnerability
from driver.errors import BadDeal
from driver.store.keys import Keys, KeyUse
from driver.store.sealing import NotOpened
from driver.store.stored import SetKind
from protocol.cards import PACK_SIZE, Seat

BOARD_TAG_SIZE: Final = 16

_BOARD: Final = struct.Struct(">QQBB13s")
_ABSENT: Final = 255
_LARGEST: Final = 2**63 - 1
_VULNERABILITIES: Final = tuple(Vulnerability)
_CONTENT: Final = b"content of a set"
_ONE_BOARD: Final = b"one board"
_SECRET: Final = b"secret of a set"


def bound_to(set_id: str, kind: SetKind) -> bytes:
    """What sealed content is bound to: neither the set nor its kind can be exchanged under it."""
    return f"dealing store v1: set {set_id} {kind.value}".encode()


def packed_boards(boards: Iterable[BoardDeal]) -> bytes:
    """The boards one after the other, in their order. Raises ValueError for a number that the store has no room for."""
    return b"".join(
        _packed(
            board.number,
            board.line,
            _ABSENT if board.dealer is None else board.dealer,
            _ABSENT if board.vulnerability is None else _VULNERABILITIES.index(board.vulnerability),
            board.deal,
        )
        for board in boards
    )


def unpacked_boards(content: bytes) -> tuple[BoardDeal, ...]:
    """The boards that were packed. Raises NotOpened for bytes that are no boards."""
    try:
        return tuple(
            BoardDeal(
                number,
                Deal(_unpacked_owners(owners)),
                None if dealer == _ABSENT else Seat(dealer),
                None if vulnerability == _ABSENT else _VULNERABILITIES[vulnerability],
                line,
            )
            for number, line, dealer, vulnerability, owners in _BOARD.iter_unpack(content)
        )
    except (struct.error, ValueError, IndexError, BadDeal):
        raise NotOpened from None


def content_tag(keys: Keys, boards: Sequence[BoardDeal]) -> bytes:
    """32 bytes, the same for the same boards in whatever order."""
    described = sorted(_described(board) for board in boards)
    return keys.tag(KeyUse.SET_TAGS, _CONTENT, b"".join(described))


def secret_tag(keys: Keys, secret: bytes) -> bytes:
    """32 bytes, the same for the same secret."""
    return keys.tag(KeyUse.SET_TAGS, _SECRET, secret)


def board_tag(keys: Keys, board: BoardDeal) -> bytes:
    """16 bytes, the same for the same board."""
    return keys.tag(KeyUse.SET_TAGS, _ONE_BOARD, _described(board))[:BOARD_TAG_SIZE]


def _described(board: BoardDeal) -> bytes:
    vulnerability = _VULNERABILITIES.index(board.vulnerability_to_use)
    return _packed(board.number, 0, board.dealer_to_use, vulnerability, board.deal)


def _packed(number: int, line: int, dealer: int, vulnerability: int, deal: Deal) -> bytes:
    if max(number, line) > _LARGEST:
        raise ValueError("the store has no room for so large a board number or line")
    return _BOARD.pack(number, line, dealer, vulnerability, _packed_owners(deal))


def _packed_owners(deal: Deal) -> bytes:
    owners = bytes(deal.owners)
    return bytes(
        owners[at] << 6 | owners[at + 1] << 4 | owners[at + 2] << 2 | owners[at + 3] for at in range(0, PACK_SIZE, 4)
    )


def _unpacked_owners(packed: bytes) -> bytes:
    return bytes(four >> shift & 3 for four in packed for shift in (6, 4, 2, 0))
