"""The reader of PBN, Portable Bridge Notation: bytes in, records out.

May import: `pbn_text.py`, `words.py`, `driver.deals`, `driver.errors`, `protocol.cards`. Read next: `pbn_text.py`
(characters to tags), `pbn_export.py` (the writer), `driver/deals/sets.py` (records to sets).

Reads the import format of PBN 2.1 and what producers really write. Nothing in the text of a tag is shown in a reason or
note unless it is a board number or a sign that names no card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from driver.deals.formats.pbn_text import Kind, Token, decode_pbn, scan
from driver.deals.formats.words import (
    LONGEST_DATE,
    LONGEST_DEAL,
    LONGEST_EVENT,
    MOST_RECORDS,
    SEATS,
    NotHandsError,
    board_as_written,
    dealer_of,
    dotted_hand,
    not_four,
    shown,
    vulnerability_of,
)
from driver.deals.hands import Hand
from driver.deals.model import BadRecord
from driver.deals.records import Confidence, Contents, Record, Remark, fill_fourth, judge
from driver.errors import BadSyntax
from protocol.cards import Seat

MOST_NOTES: Final = 20

_SURE: Final = re.compile(rb'\[\s*+Deal\s*+"|^\s*+%\s*+PBN\b', re.IGNORECASE)
_PERHAPS: Final = re.compile(rb'\[\s*+Deal\b|\[\s*+(?:Board|Event|Dealer)\s*+"', re.IGNORECASE)
"""The chat of a match in LIN says "[Deal 7]" as well."""

_KEPT: Final = frozenset({"board", "contract", "date", "deal", "dealer", "event", "vulnerable"})
_BEGINS_A_GAME: Final = frozenset({"board", "deal", "dealer", "event", "vulnerable"})
_NO_DEFAULT: Final = frozenset({"contract", "deal", "dealer", "vulnerable"})

_FIRST_SEAT: Final = re.compile(r"\s*+([NESW])\s*+:", re.IGNORECASE)


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
        elif "board" in game.own and (board := board_as_written(_known(game.tags["board"]))):
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
        own = game.tags
        if defaults or any(text.startswith("#") for text in own.values()):
            game.tags = {name: text for name, text in defaults.items() if name not in own}
            for name, text in own.items():
                value = text
                if text.startswith("##"):
                    value = text[2:]
                    if name not in _NO_DEFAULT:
                        defaults[name] = value
                elif text == "#":
                    value = before.get(name, "")
                game.tags[name] = value
        before = game.tags
        game.own = frozenset(own)
        yield game


def _record(game: _Game) -> Record:
    tags = game.tags
    remarks: list[Remark] = []
    hands: tuple[Hand, ...] | None = None
    deal = fill = None
    blank = False
    faults: tuple[str, ...]
    dealer = dealer_of(_known(tags.get("dealer", "")), remarks)
    vulnerability = vulnerability_of(_known(tags.get("vulnerable", "")), remarks)
    text = tags.get("deal")
    if text is None:
        blank, faults = not game.broken_deal, (("the Deal tag breaks off",) if game.broken_deal else ("no Deal tag",))
    elif not _known(text):
        blank, faults = True, ("the Deal tag is empty",)
    else:
        try:
            hands = deal_value(text, remarks)
        except NotHandsError as fault:
            faults = (str(fault),)
        else:
            deal, faults = judge(hands)
            blank = deal is None and all(hand == () for hand in hands)
            fill = None if deal is not None else fill_fourth(hands)
    return Record(
        line=game.line,
        board=board_as_written(_known(tags.get("board", ""))),
        dealer=dealer,
        vulnerability=vulnerability,
        hands=hands,
        faults=("the Deal tag holds no cards",) if blank and hands else faults,
        deal=deal,
        blank=blank,
        remarks=tuple(remarks),
        event=shown(_known(tags.get("event", "")), LONGEST_EVENT),
        date=shown(_known(tags.get("date", "")), LONGEST_DATE),
        fill=fill,
    )


def deal_value(text: str, remarks: list[Remark]) -> tuple[Hand, ...]:
    """The hands N E S W of the value of a Deal tag; None for `-` and for those that are left out at the end.

    Without a seat in front North is taken, and a remark says so. Raises NotHandsError.
    """
    if len(text) > LONGEST_DEAL:
        raise NotHandsError("the Deal tag is far too long")
    prefix = _FIRST_SEAT.match(text)
    if prefix is None:
        remarks.append(Remark.NO_FIRST_SEAT)
    first = SEATS[prefix[1].upper()] if prefix else Seat.NORTH
    words = text[prefix.end() if prefix else 0 :].split()
    if len(words) > len(Seat):
        raise NotHandsError(not_four(len(words), "hand"))
    hands: list[Hand] = [None] * len(Seat)
    for turn, word in enumerate(words, start=first):
        hands[turn % 4] = None if word == "-" else dotted_hand(word)
    return tuple(hands)


def _known(text: str) -> str:
    """The text without blanks around it; "" for the question mark, with which PBN says "unknown"."""
    stripped = text.strip()
    return "" if stripped == "?" else stripped
