"""LIN as text: characters to the fields that matter for a deal, from a file or from the addresses of a hand viewer.

May import: the standard library. Read next: `lin.py`, which makes boards and deals of these fields.

LIN has no published grammar; the rules are those that its files and readers share. A file is `key|value|` over and
over, where line ends mean nothing and a bar never stands inside a value. Each search goes forward only, so the time is
linear for any input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

KEPT: Final = frozenset({"ah", "bn", "md", "pn", "qx", "st", "sv", "vg"})
"""Label, list of boards, make deal, players' names, begin of a board, start, side vulnerable, title of a match."""

START: Final = ""
"""The key of the field that stands before the fields of each hand viewer's address."""

_KEY: Final = re.compile(r"[a-z][a-z#]|[0-9][a-z]")
_ANY_FIELD: Final = re.compile(r"(?:^|[|\s])[a-z]{2}\s*+\|", re.IGNORECASE)
_DEAL_FIELD: Final = re.compile(r"(?:^|[|\s])md\s*+\|", re.IGNORECASE)

_ADDRESS: Final = re.compile(r"(?:handviewer[\w.]{0,20}\?|[?&](?=lin=))([^\s\"'<>]*+)", re.IGNORECASE)
_UNCODED: Final = re.compile(r"[^\n\"<>]*+")
_LIN: Final = re.compile(r"(?:^|&)lin=", re.IGNORECASE)
_MOST_CODINGS: Final = 3
_LONGEST_ADDRESS: Final = 1_000_000
_DEALERS: Final = {"s": "1", "w": "2", "n": "3", "e": "4"}


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its key in lower case, its value as written, and the line of the file in which the key stands."""

    key: str
    value: str = field(repr=False)
    line: int


def scan(text: str) -> Iterator[Field]:
    """The fields of a LIN file, or of the hand viewer's addresses in any other text, with LF line ends."""
    address, any_field = _ADDRESS.search(text), _ANY_FIELD.search(text)
    if address is not None and (
        any_field is None or address.start() < any_field.start() or _DEAL_FIELD.search(text) is None
    ):
        return _of_addresses(text)
    # Otherwise an address stands in the chat of a match.
    return _of_file(text)


def _of_file(text: str) -> Iterator[Field]:
    line, counted = 1, 0
    key, position = "", 0
    while position < len(text):
        bar = text.find("|", position)
        end = len(text) if bar < 0 else bar
        token = text[position:end]
        # A line that begins with one of our keys is no value: the bar before it was lost. What is neither a value nor
        # a key is skipped, so that one bar too many costs nothing either.
        if not key or ("\n" in token and token.strip().lower() in KEPT):
            word = token.strip().lower()
            key = word if _KEY.fullmatch(word) else ""
            start = position + len(token) - len(token.lstrip())
        else:
            if key in KEPT:
                line, counted = line + text.count("\n", counted, start), start
                yield Field(key, token, line)
            key = ""
        position = end + 1


def _of_addresses(text: str) -> Iterator[Field]:
    line, counted, position = 1, 0, 0
    while address := _ADDRESS.search(text, position):
        line, counted = line + text.count("\n", counted, address.start()), address.start()
        query, position = address[1][:_LONGEST_ADDRESS], address.end()
        if "|" in query and (rest := _UNCODED.match(text, position)):
            # Somebody decoded the address already: blanks are a part of it.
            query, position = (query + rest[0])[:_LONGEST_ADDRESS], rest.end()
        yield Field(START, "", line)
        for key, value in _of_query(query):
            yield Field(key, value, line)


def _of_query(query: str) -> Iterator[tuple[str, str]]:
    """The fields of one address: of its `lin=`, or made of its `n=`, `e=`, `s=`, `w=`, `d=`, `v=` and `b=`."""
    query = query.replace("&amp;", "&")
    lin = _LIN.search(query)
    if lin is not None:
        value = query[lin.end() :]
        for _ in range(_MOST_CODINGS):
            # Links that lead through another site are encoded once more.
            if "|" not in value:
                value = unquote(value.partition("&")[0])
        for found in _of_file(value):
            yield found.key, found.value
        return
    values: dict[str, str] = {}
    for part in query.split("&"):
        name, _, value = part.partition("=")
        values.setdefault(name.lower(), unquote(value))
    if any(values.get(seat) for seat in "nesw"):
        dealer = _DEALERS.get(values.get("d", "").strip().lower(), "")
        yield "md", dealer + ",".join(values.get(seat, "") for seat in "swne")
        yield "ah", values.get("b", "")
        yield "sv", values.get("v", "")
