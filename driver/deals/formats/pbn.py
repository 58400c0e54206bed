"""The reader of PBN, Portable Bridge Notation: bytes in, records out.

May import: `pbn_text.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `pbn_text.py` (characters to
tags), `driver/deals/sets.py` (records to sets).

Reads the import format of PBN 2.1 and what producers really write. Nothing in
the text of a tag is shown in a reason or note unless it is a board number or a sign that names no card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from driver.deals.formats.pbn_text import Kind, Token, decode_pbn, scan
from driver.deals.hands import Hand
from driver.deals.model import BadRecord, Vulnerability
from driver.deals.records import Confidence, Contents, Record, Remark, fill_fourth, judge
from driver.errors import BadSyntax
from protocol.cards import PACK, RANKS, Card, Seat, Suit

MOST_RECORDS: Final = 100_000
LONGEST_DEAL: Final = 1000
MOST_NOTES: Final = 20

_SURE: Final = re.compile(rb"\[\s*+Deal\b|^\s*+%\s*+PBN\b", re.IGNORECASE)
_PERHAPS: Final = re.compile(rb'\[\s*+(?:Board|Event|Dealer)\s*+"', re.IGNORECASE)

_KEPT: Final = frozenset({"board", "contract", "date", "deal", "dealer", "event", "vulnerable"})
_BEGINS_A_GAME: Final = frozenset({"board", "deal", "dealer", "event", "vulnerable"})
_NO_DEFAULT: Final = frozenset({"contract", "deal", "dealer", "vulnerable"})

_FIRST_SEAT: Final = re.compile(r"\s*+([NESW])\s*+:", re.IGNORECASE)
_SEATS: Final = {name: seat for seat in Seat for name in (seat.letter, seat.name)}
_VULNERABILITIES: Final = {
    **dict.fromkeys(("NONE", "LOVE", "-"), Vulnerability.NONE),
    **dict.fromkeys(("NS", "N-S", "N/S"), Vulnerability.NS),
    **dict.fromkeys(("EW", "E-W", "E/W"), Vulnerability.EW),
    **dict.fromkeys(("ALL", "BOTH"), Vulnerability.ALL),
}


def recognise(data: bytes) -> Confidence:
    """Whether the bytes are PBN, in any encoding and inside any other document."""
    plain = data.replace(b"\x00", b"")
    if _SURE.search(plain.lstrip(b"\xef\xbb\xbf\xff\xfe")):
        return Confidence.SURE
    return Confidence.PERHAPS if _PERHAPS.search(plain) else Confidence.NO


def read(data: bytes) -> Contents:
    """Every record of a PBN file in order: each game that has a Deal or a Contract tag.

    A game with a Contract and no Deal is the same deal at another table and comes as a blank record. Board numbers of
    games with neither are the strays. Raises BadSyntax for more than 100000 records.
    """
    records: list[Record] = []
    strays: list[BadRecord] = []
    notes: list[str] = []
    for game in _with_inheritance(_games(scan(decode_pbn(data)), notes)):
        if "deal" in game.tags or game.broken_deal or "contract" in game.tags:
            records.append(_record(game))
            if len(records) > MOST_RECORDS:
                raise BadSyntax(f"The file holds more than {MOST_RECORDS} records.", line=game.line)
        elif "board" in game.own and (board := _shown(_known(game.tags["board"]), 20)):
            strays.append(BadRecord(game.line, board, ("the file gives no hands for it",)))
            if len(strays) > MOST_RECORDS:
                raise BadSyntax(f"The file holds more than {MOST_RECORDS} board numbers without hands.", line=game.line)
    return Contents(tuple(records), tuple(strays), tuple(notes))


@dataclass(slots=True)
class _Game:
    """The tags of one game as written; `own` are those that stand in it, before the defaults of `##` are added."""

    line: int
    tags: dict[str, str] = field(default_factory=dict, repr=False)
    broken_deal: bool = False
    own: frozenset[str] = frozenset()

    @property
    def has_deal(self) -> bool:
        return self.broken_deal or "deal" in self.tags


def _games(tokens: Iterable[Token], notes: list[str]) -> Iterator[_Game]:
    """The games of a file: a blank line ends one, and so does a tag that only a new game can begin with."""
    game: _Game | None = None
    for token in tokens:
        if token.kind is Kind.BLANK_LINE:
            if game is not None:
                yield game
            game = None
        elif token.kind is Kind.BROKEN_TAG and token.name != "deal":
            continue
        elif token.kind in (Kind.TAG, Kind.BROKEN_TAG):
            if game is not None and _begins_next(game, token):
                yield game
                game = None
            game = game or _Game(token.line)
            if token.kind is Kind.TAG and token.name in _KEPT:
                game.tags.setdefault(token.name, token.value)
            elif token.name == "deal":
                game.broken_deal = True
        elif len(notes) < MOST_NOTES:
            notes.append(_note(token))
    if game is not None:
        yield game


def _begins_next(game: _Game, token: Token) -> bool:
    if not game.has_deal or token.name not in _BEGINS_A_GAME:
        return False
    if token.name == "deal":
        # A repeated tag is ignored by the standard; the same deal again under the same number is no new game.
        return "board" not in game.tags or game.tags.get("deal") != token.value
    return token.name in game.tags


def _note(token: Token) -> str:
    if token.kind is Kind.OPEN_COMMENT:
        return f"The comment that begins in line {token.line} has no end; it was read as if it were none."
    return f"The comment that begins in line {token.line} contains a Deal tag; it was left out."


def _with_inheritance(games: Iterable[_Game]) -> Iterator[_Game]:
    """The games with `#` (as in the game before) and `##text` (also for all games that follow) replaced by values."""
    defaults: dict[str, str] = {}
    before: Mapping[str, str] = {}
    for game in games:
        own = frozenset(game.tags)
        tags = {name: text for name, text in defaults.items() if name not in own}
        for name, text in game.tags.items():
            value = text
            if text.startswith("##"):
                value = text[2:]
                if name not in _NO_DEFAULT:
                    defaults[name] = value
            elif text == "#":
                value = before.get(name, "")
            tags[name] = value
        before = tags
        yield replace(game, tags=tags, own=own)


def _record(game: _Game) -> Record:
    dealer_text = _known(game.tags.get("dealer", ""))
    dealer = _SEATS.get(dealer_text.upper())
    vulnerability_text = _known(game.tags.get("vulnerable", ""))
    vulnerability = _VULNERABILITIES.get(vulnerability_text.upper())
    remarks = []
    if dealer_text and dealer is None:
        remarks.append(Remark.DEALER_UNKNOWN)
    if vulnerability_text and vulnerability is None:
        remarks.append(Remark.VULNERABILITY_UNKNOWN)

    record = Record(
        line=game.line,
        board=_shown(_known(game.tags.get("board", "")), 20),
        dealer=dealer,
        vulnerability=vulnerability,
        event=_shown(_known(game.tags.get("event", "")), 200),
        date=_shown(_known(game.tags.get("date", "")), 40),
    )
    text = game.tags.get("deal")
    if text is None and not game.broken_deal:
        return replace(record, blank=True, faults=("no Deal tag",), remarks=tuple(remarks))
    if text is None:
        return replace(record, faults=("the Deal tag breaks off",), remarks=tuple(remarks))
    if not _known(text):
        return replace(record, blank=True, faults=("the Deal tag is empty",), remarks=tuple(remarks))
    if len(text) > LONGEST_DEAL:
        return replace(record, faults=("the Deal tag is far too long",), remarks=tuple(remarks))

    if not _FIRST_SEAT.match(text):
        remarks.append(Remark.NO_FIRST_SEAT)
    try:
        hands = _hands(text)
    except _NotHandsError as fault:
        return replace(record, faults=(str(fault),), remarks=tuple(remarks))
    blank = all(hand == () for hand in hands)
    deal, faults = judge(hands)
    if blank:
        faults = ("the Deal tag holds no cards",)
    fill = fill_fourth(hands)
    return replace(record, hands=hands, deal=deal, faults=faults, blank=blank, fill=fill, remarks=tuple(remarks))


class _NotHandsError(Exception):
    """The text of a Deal tag is not four hands of four suits; the message is a reason of a BadRecord."""


def _hands(text: str) -> tuple[Hand, ...]:
    """The hands N E S W of a Deal tag; None for `-` and for those that are left out at the end.

    Raises _NotHandsError.
    """
    prefix = _FIRST_SEAT.match(text)
    first = _SEATS[prefix[1].upper()] if prefix else Seat.NORTH
    words = text[prefix.end() if prefix else 0 :].split()
    if len(words) > len(Seat):
        raise _NotHandsError(f"{len(words)} hands instead of four")
    hands: list[Hand] = [None] * len(Seat)
    for turn, word in enumerate(words):
        hands[(first + turn) % len(Seat)] = None if word == "-" else _hand(word.upper())
    return tuple(hands)


def _hand(word: str) -> tuple[Card, ...]:
    suits = word.split(".")
    if len(suits) != len(Suit):
        raise _NotHandsError(f"a hand with {len(suits)} suits instead of four")
    if all(ranks.startswith(suit.letter) for suit, ranks in zip(Suit, suits, strict=True)):
        suits = [ranks[1:] for ranks in suits]
    return tuple(
        _card(suit, rank)
        for suit, ranks in zip(Suit, suits, strict=True)
        if ranks != "-"
        for rank in ranks.replace("10", "T")
    )


def _card(suit: Suit, rank: str) -> Card:
    place = RANKS.find(rank)
    if place >= 0:
        return PACK[len(RANKS) * suit + place]
    if rank == "X":
        raise _NotHandsError("small cards are written as x")
    raise _NotHandsError(f'"{rank}" is not the rank of a card' if rank.isprintable() else "an unreadable rank")


def _known(text: str) -> str:
    """The text without blanks around it; "" for the question mark, with which PBN says "unknown"."""
    stripped = text.strip()
    return "" if stripped == "?" else stripped


def _shown(text: str, longest: int) -> str:
    """Text of a file that may go to a screen: one line, no control signs, not longer than `longest`."""
    return "".join(sign for sign in text[:longest] if sign.isprintable()).strip()
