"""Reads the tables of PROTOCOL.md (or of any Markdown page), so that tests can be made from their rows.

    for row in page_table("May a run go on at the same card?"):
        row["paused because"], row["go on"], ...

May import: the standard library. Read next: `page_tables.py`, where each table names the test that reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).resolve().parents[2] / "protocol" / "PROTOCOL.md"

Row = dict[str, str]
"""One row: column heading to cell, both as they stand on the page without spaces around."""

_HEADING: Final = re.compile(r"#+ (?:\d+\. )?(?P<heading>.+)")
_RULE: Final = re.compile(r"\|(\s*:?-+:?\s*\|)+")


@dataclass(frozen=True, slots=True)
class Table:
    """One table: the heading above it (without its number), which one below that heading it is (from 1), its rows."""

    heading: str
    place: int
    line: int
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def key(self) -> str:
        """The heading, and " / 2" for the second table below it."""
        return self.heading if self.place == 1 else f"{self.heading} / {self.place}"

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> tuple[str, ...]:
        """All cells of one column, from top to bottom."""
        return tuple(row[name] for row in self.rows)


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|"))


def tables_in(text: str) -> tuple[Table, ...]:
    """The tables of a Markdown text in their order; fenced blocks are left out. Raises ValueError on a ragged row."""
    found: list[Table] = []
    heading, fenced = "", False
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            continue
        elif match := _HEADING.fullmatch(line):
            heading = match["heading"]
        elif _RULE.fullmatch(line):
            columns = _cells(lines[number - 1])
            rows: list[Row] = []
            for below in lines[number + 1 :]:
                if not below.startswith("|"):
                    break
                cells = _cells(below)
                if len(cells) != len(columns):
                    raise ValueError(f"{heading}: {len(cells)} cells instead of {len(columns)}: {below}")
                rows.append(dict(zip(columns, cells, strict=True)))
            place = 1 + sum(table.heading == heading for table in found)
            found.append(Table(heading, place, number, columns, tuple(rows)))
    return tuple(found)


@cache
def page_tables() -> dict[str, Table]:
    """All tables of PROTOCOL.md by `Table.key`, in the order of the page."""
    tables = tables_in(PAGE.read_text(encoding="utf-8"))
    keyed = {table.key: table for table in tables}
    if len(keyed) != len(tables):
        raise ValueError("two headings of PROTOCOL.md are alike")
    return keyed


def page_table(key: str) -> Table:
    """The table of PROTOCOL.md below that heading (" / 2" for the second one)."""
    return page_tables()[key]


def section(heading: str) -> str:
    """The text of PROTOCOL.md below that heading (without its number) up to the next heading of any level."""
    inside, fenced, lines = False, False, []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        match = None if fenced else _HEADING.fullmatch(line)
        if match is not None:
            inside = match["heading"] == heading
        elif inside:
            lines.append(line)
    return "\n".join(lines)
