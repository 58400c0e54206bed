"""The control sheet that goes with a set, and the label of its box: what was dealt, by whom, and what is to be told.

May import: `page`, `driver.deals.model` and the standard library. Read next: `driver/cli/sheet.py`, which knows the
facts. Nothing here tells a hand: dealer and vulnerability stand on the board itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from driver.deals.model import range_text
from driver.paper.page import BOX, cell, facts, page, plain, table, tick_cell, to_tick

_HEADS: Final = ("Board", "Dealer", "Vulnerable", "Verdict", "Dealt", "Notes for the director", "Checked", "In box")
_AT_THE_END: Final = (
    "The number on each board is the one of its line.",
    "The last board was compared with the record of its deal by somebody who does not play it.",
    "No card is left in the machine, on the table or on the floor.",
    "The boxes are closed, and this sheet lies on top.",
)
_VERDICTS: Final = (
    "GOOD: each card was seen going to its pocket. COUNTED: 13 cards in each pocket, not all proven. "
    "NOT PROVEN and DEAL AGAIN: not for play as it is."
)


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One board copy: its markings, its verdict and when ("" as long as there is none), notes for the director."""

    board: int
    dealer: str
    vulnerable: str
    verdict: str = ""
    dealt: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetFacts:
    """What stands on a sheet; every text may be "", and is a line to write on then.

    `code` is short, random and the same on the sheet and on the box. `copies` are the lines of each copy by its name.
    `remark` is what must be said of the markings; `log` the end of the log of decisions when it was printed.
    """

    name: str
    code: str
    event: str
    date: str
    director: str
    instruction: str
    dealt_by: str
    machine: str
    printed: str
    copies: tuple[tuple[str, tuple[SheetLine, ...]], ...]
    remark: str = ""
    log: str = ""

    @property
    def title(self) -> str:
        """ "monday · K7QM"."""
        return f"{self.name} · {self.code}"


def control_sheet(sheet: SheetFacts) -> str:
    """The sheet, a part for each copy, and behind it a label for each box."""
    parts = [
        f"<h1>Set {plain(sheet.title)}</h1>",
        facts(("Event", sheet.event), ("Date", sheet.date), ("Director", sheet.director)),
        facts(("Dealt by", sheet.dealt_by), ("Machine", sheet.machine), ("Checked by", "")),
    ]
    if sheet.instruction:
        parts.append(f"<p>Instruction (Law 6E4): {plain(sheet.instruction)}</p>")
    for place, (copy, lines) in enumerate(sheet.copies):
        heading = f"<h2>{plain(_copy_text(copy))}Boards {plain(range_text([line.board for line in lines]))}</h2>"
        parts.append(heading if place == 0 else f'<div class="page">{heading}</div>')
        parts.append(table(_HEADS, [_row(line) for line in lines]))
    parts += [f'<p class="small">{plain(_VERDICTS)}</p>', "<section>", to_tick(_AT_THE_END), "</section>"]
    if sheet.remark:
        parts.append(f"<p>{plain(sheet.remark)}</p>")
    printed = f"Printed {sheet.printed}." + (f" Log of decisions up to here: {sheet.log}" if sheet.log else "")
    parts.append(f'<p class="small">{plain(printed)} This sheet tells no hand.</p>')
    parts.append(f'<div class="page">{"".join(_label(sheet, copy, lines) for copy, lines in sheet.copies)}</div>')
    return page(f"Set {sheet.title}", parts)


def _row(line: SheetLine) -> Sequence[str]:
    return (
        cell(str(line.board), "number"),
        cell(line.dealer),
        cell(line.vulnerable),
        cell(line.verdict),
        cell(line.dealt),
        cell(" · ".join(line.notes), "wide"),
        tick_cell(),
        tick_cell(),
    )


def _label(sheet: SheetFacts, copy: str, lines: Sequence[SheetLine]) -> str:
    event = ", ".join(text for text in (sheet.event, sheet.date) if text)
    return "\n".join(
        (
            '<div class="label">',
            f'<div class="name">{plain(sheet.name)}</div>',
            f"<p>{plain(event)}</p>" if event else "",
            f"<p>{plain(_copy_text(copy))}Boards {plain(range_text([line.board for line in lines]))}</p>",
            f'<div class="code">{plain(sheet.code)}</div>',
            f"<p>{BOX} complete &nbsp; {BOX} control sheet inside</p>",
            "</div>",
        )
    )


def _copy_text(copy: str) -> str:
    return f"Copy {copy}. " if copy else ""
