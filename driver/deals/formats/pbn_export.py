"""The writer of PBN in its strict export form, which machines and programs of every maker read.

May import: `export.py`, `words.py`, `driver.deals`, `driver.errors`. Read next: `pbn.py` (the reader).

Source: PBN 2.1, export format: CRLF, no line longer than 255 signs, ISO 8859-1, the fifteen tags in their order, the
dealer's hand first. What the set does not know is "?"; hand record programs want these tags and no others.
"""

from __future__ import annotations

import unicodedata
from typing import Final

from driver.deals.formats.export import check_writable
from driver.deals.formats.words import LONGEST_DATE, LONGEST_EVENT
from driver.deals.model import BoardDeal, DealSet

LONGEST_LINE: Final = 255
"""Signs of a line with its CR and LF."""

_ROOM: Final = LONGEST_LINE - len('[Event ""]\r\n')
_HEADER: Final = "% PBN 2.1\r\n% EXPORT\r\n"
# Typographic quotes and dashes, and the letters of Europe that are no letter with an accent.
_SPELLED: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2013\u2014\u2212", "-"),
        **dict(zip("ŁłĐđŒœ€…", ("L", "l", "D", "d", "OE", "oe", "EUR", "..."), strict=True)),
    }
)


def losses(deals: DealSet) -> tuple[str, ...]:
    """A sentence if the name of the event or the date has to be written in other letters, or shorter."""
    texts = (("name of the event", deals.event, LONGEST_EVENT), ("date", deals.date, LONGEST_DATE))
    return tuple(
        f'PBN has no room for the {what} as it is: "{_written(text, longest)}" is written.'
        for what, text, longest in texts
        if _written(text, longest) != text
    )


def write(deals: DealSet) -> bytes:
    """The set as a PBN file. Raises CannotBeWritten for an empty set or a number above 999999."""
    check_writable(deals)
    event = _value(_written(deals.event, LONGEST_EVENT))
    date = _value(_written(deals.date, LONGEST_DATE))
    games = [_game(board, event, date) for board in deals]
    return (_HEADER + "\r\n".join(games)).encode("latin-1")


def _game(board: BoardDeal, event: str, date: str) -> str:
    return (
        f'[Event "{event}"]\r\n'
        '[Site "?"]\r\n'
        f'[Date "{date}"]\r\n'
        f'[Board "{board.number}"]\r\n'
        '[West "?"]\r\n'
        '[North "?"]\r\n'
        '[East "?"]\r\n'
        '[South "?"]\r\n'
        f'[Dealer "{board.dealer_to_use.letter}"]\r\n'
        f'[Vulnerable "{board.vulnerability_to_use.text}"]\r\n'
        f'[Deal "{board.deal.hands_as_pbn(board.dealer_to_use)}"]\r\n'
        '[Scoring "?"]\r\n'
        '[Declarer "?"]\r\n'
        '[Contract "?"]\r\n'
        '[Result "?"]\r\n'
    )


def _written(text: str, longest: int) -> str:
    """`text` as a reader of the file gets it back: in ISO 8859-1, without control signs, short enough for its line."""
    latin = _cut("".join(_latin(sign) for sign in text[:longest]), longest)
    try:
        latin.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return latin
    # These bytes would be read as UTF-8, that is as other signs, unless they are ASCII.
    return _cut("".join(sign if sign.isascii() else _ascii(sign) for sign in latin), longest)


def _cut(text: str, longest: int) -> str:
    text = text.strip()
    while len(text) > longest or len(_value(text)) > _ROOM:
        text = text[:-1].rstrip()
    return "" if text == "?" else text


def _latin(sign: str) -> str:
    """The sign in ISO 8859-1; a blank for a control sign."""
    if not sign.isprintable():
        return " "
    return sign if ord(sign) < 256 else _ascii(sign)


def _ascii(sign: str) -> str:
    """The sign in ASCII: without its accents, spelled out, or a question mark."""
    plain = unicodedata.normalize("NFKD", sign.translate(_SPELLED))
    plain = "".join(part for part in plain if not unicodedata.combining(part)).translate(_SPELLED)
    return plain if plain and plain.isascii() and plain.isprintable() else "?"


def _value(text: str) -> str:
    """The text between the quotes of a tag: "?" for nothing, `\\` before quotes and before itself.

    A blank before a `#` keeps readers from taking the value of another game instead.
    """
    if not text:
        return "?"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f" {escaped}" if escaped == "#" or escaped.startswith("##") else escaped
