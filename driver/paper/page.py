"""One HTML page to print: no script, nothing from outside, black on white, A4 and Letter alike. Pure.

May import: the standard library. Read next: `control_sheet.py`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Final

BOX: Final = '<span class="box"></span>'
"""A box to tick."""

_STYLE: Final = """\
@page { margin: 12mm }
* { box-sizing: border-box }
body { font: 10.5pt/1.3 "Liberation Sans", Arial, sans-serif; color: #000; background: #fff; max-width: 186mm;
  margin: 0 auto }
h1, h2, p, .facts, td.wide { overflow-wrap: anywhere }
h1 { font-size: 17pt; margin: 0 0 2mm }
h2 { font-size: 12.5pt; margin: 4mm 0 1.5mm; break-after: avoid }
p { margin: 0 0 1.5mm }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt }
thead { display: table-header-group }
tr { break-inside: avoid }
th, td { border: 0.3mm solid #000; padding: 0.4mm 1.4mm; text-align: left; vertical-align: top }
th { background: #e8e8e8; print-color-adjust: exact }
td.number { font-weight: bold; text-align: right; white-space: nowrap }
td.tick { text-align: center; width: 14mm }
td.wide { width: 38% }
ol { margin: 0; padding-left: 5mm }
section { break-inside: avoid }
.page { break-before: page }
.facts { display: flex; flex-wrap: wrap; gap: 1mm 8mm; margin-bottom: 2mm }
.line { display: inline-block; border-bottom: 0.3mm solid #000; min-width: 42mm }
.box { display: inline-block; width: 3.6mm; height: 3.6mm; border: 0.4mm solid #000; vertical-align: -0.7mm }
.small { font-size: 8.5pt }
.label { border: 0.5mm solid #000; padding: 4mm; margin: 0 0 5mm; width: 96mm; break-inside: avoid }
.label .name { font-size: 18pt; font-weight: bold; overflow-wrap: anywhere }
.label .code { font-size: 16pt; font-family: "Liberation Mono", monospace; letter-spacing: 1mm }
@media screen { body { padding: 8mm } }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """The whole file; `parts` are pieces of HTML, `title` is plain text."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            f"<title>{plain(title)}</title>",
            f"<style>\n{_STYLE}</style>",
            "</head>",
            "<body>",
            *parts,
            "</body>",
            "</html>",
            "",
        )
    )


def plain(text: str) -> str:
    """Plain text as HTML; signs that nobody sees become blanks."""
    return html.escape("".join(sign if sign.isprintable() else " " for sign in text))


def fact(name: str, value: str = "") -> str:
    """ "Director: Ann", or a line to write on."""
    shown = plain(value) if value else '<span class="line">&nbsp;</span>'
    return f"<span>{plain(name)}: {shown}</span>"


def facts(*pairs: tuple[str, str]) -> str:
    """Several of them, beside each other as far as they fit."""
    return f'<div class="facts">{"".join(fact(name, value) for name, value in pairs)}</div>'


def to_tick(texts: Iterable[str]) -> str:
    """A box to tick before each text."""
    return "\n".join(f"<p>{BOX} {plain(text)}</p>" for text in texts)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose head is printed again on each page; `rows` are whole cells, as `cell` makes them."""
    head = "".join(f"<th>{plain(text)}</th>" for text in heads)
    body = "\n".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def cell(text: str = "", kind: str = "") -> str:
    """A cell of plain text; `kind` is one of the classes of the style."""
    return f"<td{_class(kind)}>{plain(text)}</td>"


def tick_cell() -> str:
    """A cell with a box to tick."""
    return f"<td{_class('tick')}>{BOX}</td>"


def steps_cell(steps: Sequence[str]) -> str:
    """A cell with numbered steps; a single one has no number."""
    if len(steps) == 1:
        return cell(steps[0], "wide")
    listed = "".join(f"<li>{plain(step)}</li>" for step in steps)
    return f"<td{_class('wide')}><ol>{listed}</ol></td>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
