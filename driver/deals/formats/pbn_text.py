"""PBN as text: bytes to characters, characters to tags and blank lines, in one pass over the text.

May import: `driver.deals.encoding`, `driver.errors`. Read next: `pbn.py`, which makes games and deals of these tokens.

Sources: the PBN 2.1 standard (import format) and what producers write. Every
pattern below is possessive or anchored, and every search goes forward only, so the time is linear for any input.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from driver.deals.encoding import decode
from driver.errors import BadSyntax

_CHARSETS: Final = frozenset(
    {
        "cp1250",
        "cp1252",
        "cp852",
        "iso8859-1",
        "iso8859-15",
        "iso8859-2",
        "utf-8",
    }
)
_DECLARED: Final = re.compile(rb"^%\s*+Content-type:[^\r\n]*?charset=([\w-]{1,40})", re.IGNORECASE | re.MULTILINE)
_HEAD: Final = 4096

_OTHER_QUOTES: Final = re.compile(r"\[\s*+Deal\s*+(?:&quot;|&#34;|[“”„])", re.IGNORECASE)
_QUOTE: Final = re.compile("&quot;|&#34;|[“”„]")
_EMBEDDED: Final = re.compile(r"<PBN>(.*?)(?:</PBN>|\Z)", re.IGNORECASE | re.DOTALL)

_BLANK_LINES: Final = re.compile(r"(?:[ \t\v\f]*+\n)++(?:[ \t\v\f]*+\Z)?|[ \t\v\f]*+\Z")
_NEXT: Final = re.compile(r"[\[{;\n]")
_NEXT_BUT_COMMENTS: Final = re.compile(r"[\[;\n]")
_MOST_STEPS: Final = 10_000_000
"""More lines, comments and tags than the largest file has that is made of deals; they would only take time."""
_USUAL_TAG: Final = re.compile(r'\[(\w{1,80}+) "([^"\\\n]*+)"\](\n?)')
_NAME: Final = re.compile(r"\[\s*+(\w{1,80})\s*+")
_STRING: Final = re.compile(r'"((?:[^"\\\n]|\\.)*+)')
_END: Final = re.compile(r'"\s*+\]')
_ESCAPED: Final = re.compile(r'\\(["\\])')
_DEAL_IN_COMMENT: Final = re.compile(r'^[ \t]*+\[\s*+Deal\s*+"', re.IGNORECASE | re.MULTILINE)


@unique
class Kind(Enum):
    """What a token is: a whole tag, a tag that breaks off, an end of game, a deal inside a comment, an open comment."""

    TAG = "tag"
    BROKEN_TAG = "broken tag"
    BLANK_LINE = "blank line"
    DEAL_IN_COMMENT = "deal in a comment"
    OPEN_COMMENT = "comment without an end"


@dataclass(frozen=True, slots=True)
class Token:
    """One token and its line (from 1). `name` is a tag's name in lower case, `value` its text without the quotes."""

    kind: Kind
    line: int
    name: str = ""
    value: str = field(default="", repr=False)


def decode_pbn(data: bytes) -> str:
    """The characters of a PBN file of any encoding, with LF line ends; never fails, since deals are ASCII.

    The `%Content-type` line names the encoding where the bytes themselves do not. In another document only the parts
    between `<PBN>` and `</PBN>` stay, with empty lines before them so that line numbers hold. Quotes that a web page or
    a text program wrote in its own way become those of PBN.
    """
    text = decode(data, otherwise=_declared(data[:_HEAD]))
    if _OTHER_QUOTES.search(text):
        text = _QUOTE.sub('"', text)
    if text.lstrip()[:1] in ("%", "["):
        return text
    parts: list[str] = []
    position = 0
    for match in _EMBEDDED.finditer(text):
        between = text.count("\n", position, match.start(1))
        parts += ["\n" * max(between, 2 if parts else 0), match[1]]
        position = match.end(1)
    return "".join(parts) if parts else text


def _declared(head: bytes) -> str:
    """The encoding that the `%Content-type` line names, if it is one of those seen in PBN files; else CP1252."""
    match = _DECLARED.search(head)
    try:
        name = codecs.lookup(match[1].decode("ascii")).name if match else "cp1252"
    except (LookupError, UnicodeDecodeError):
        return "cp1252"
    return name if name in _CHARSETS else "cp1252"


def scan(text: str) -> Iterator[Token]:
    """The tokens of PBN text with LF line ends, in order. Auctions, play, tables and other free text give none.

    Raises BadSyntax for more than ten million lines, comments and tags.
    """
    position, line, counted = 0, 1, 0
    at_line_start, comments_end = True, True
    for _ in range(_MOST_STEPS):
        if position >= len(text):
            return
        if at_line_start:
            # Nearly all lines are such tags: one look at them instead of five.
            if tag := _USUAL_TAG.match(text, position):
                line, counted = line + text.count("\n", counted, position), position
                yield Token(Kind.TAG, line, tag[1].lower(), tag[2])
                at_line_start, position = bool(tag[3]), tag.end()
                continue
            if text[position] == "%":
                position = _line_end(text, position) + 1
                continue
            if blank := _BLANK_LINES.match(text, position):
                line, counted = line + text.count("\n", counted, position), position
                yield Token(Kind.BLANK_LINE, line)
                position = blank.end()
                continue
        found = (_NEXT if comments_end else _NEXT_BUT_COMMENTS).search(text, position)
        if found is None:
            return
        position = found.start()
        at_line_start = found[0] == "\n"
        if at_line_start:
            position += 1
        elif found[0] == ";":
            position = _line_end(text, position)
        else:
            line, counted = line + text.count("\n", counted, position), position
            if found[0] == "[":
                token, position = _tag(text, position, line)
                if token is not None:
                    yield token
                continue
            end = text.find("}", position)
            if end < 0:
                yield Token(Kind.OPEN_COMMENT, line)
                comments_end = False
                position += 1
                continue
            if _DEAL_IN_COMMENT.search(text, position + 1, end):
                yield Token(Kind.DEAL_IN_COMMENT, line)
            position = end + 1
    raise BadSyntax(f"The file has more than {_MOST_STEPS} lines, comments and tags.", line=line)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _tag(text: str, position: int, line: int) -> tuple[Token | None, int]:
    """The tag that begins at `position`, or the broken one, or none; and where to go on."""
    name = _NAME.match(text, position)
    if name is None:
        return None, position + 1
    string = _STRING.match(text, name.end())
    if string is None:
        return Token(Kind.BROKEN_TAG, line, name[1].lower()), position + 1
    end = _END.match(text, string.end())
    if end is not None:
        value = string[1]
        if "\\" in value:
            value = _ESCAPED.sub(r"\1", value)
        return Token(Kind.TAG, line, name[1].lower(), value), end.end()
    if text.startswith('"', string.end()):
        return Token(Kind.BROKEN_TAG, line, name[1].lower()), position + 1
    return _tag_with_backslashes(text, name, line)


def _tag_with_backslashes(text: str, name: re.Match[str], line: int) -> tuple[Token, int]:
    """A tag whose string never closed on its line: some producers write a backslash that escapes nothing.

    Then the last quote of the line closes it (`[Site "C:\\DEALS\\"]`). Reached at most once per line, because an
    earlier quote that begins a string would have closed this one.
    """
    stop = _line_end(text, name.end())
    quote = text.rfind('"', name.end() + 1, stop)
    end = _END.match(text, quote) if quote >= 0 else None
    if end is None:
        return Token(Kind.BROKEN_TAG, line, name[1].lower()), stop
    return Token(Kind.TAG, line, name[1].lower(), text[name.end() + 1 : quote]), end.end()
