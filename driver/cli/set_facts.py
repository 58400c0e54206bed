"""What is told of a stored set: on a screen in lines, to a script as an object. Blind (I7).

May import: `driver.store`, `driver.deals`, `driver.handed_over`, `which_set`, `text`. Read next: `sets.py`.
"""

from __future__ import annotations

import shlex
from typing import Final

from driver.cli.text import clean
from driver.cli.which_set import finished, given_in, spares_of
from driver.clock import utc_now
from driver.deals.fairness import parse_manifest
from driver.deals.model import range_text
from driver.deals.public_value import NO_RULE
from driver.handed_over import handed_over
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetState, StoredSet
from driver.used_deals import day_text

_STATES: Final = {
    SetState.DRAFT: "draft",
    SetState.COMMITTED: "announced",
    SetState.VALUE_FIXED: "public value fixed",
    SetState.DEALING: "being dealt",
    SetState.SEALED: "dealt",
    SetState.IN_PLAY: "in play",
    SetState.ENDED: "ended",
    SetState.OPENED: "opened",
}
_NEXT: Final = {
    SetState.DRAFT: "sets {} --announce SHEET.txt",
    SetState.COMMITTED: "deal {}",
    SetState.VALUE_FIXED: "deal {}",
    SetState.DEALING: "deal {}",
    SetState.SEALED: "sets {} --play",
    SetState.IN_PLAY: "sets {} --end",
    SetState.ENDED: "sets {} --open OPENING.json",
}
_PUBLIC_VALUE: Final = "sets {} --public-value VALUE"


def row_of(store: Store, stored: StoredSet) -> tuple[str, ...]:
    """The columns of a set in a list: name, kind and state, boards, date, what was dealt, event."""
    state = "" if stored.state is None else f", {_STATES[stored.state]}"
    dealt = dealt_boards(store, stored)
    return (
        clean(stored.name),
        f"{stored.kind.value}{state}",
        f"boards {stored.board_range}",
        clean(stored.date) or stored.created.astimezone().date().isoformat(),
        (f"dealt {range_text(dealt)}" if dealt else "not dealt")
        + (", handed over" if handed_over(store, stored) is not None else ""),
        clean(stored.event),
    )


def dealt_boards(store: Store, stored: StoredSet) -> tuple[int, ...]:
    """The numbers of the boards of which a real machine dealt at least one copy to the end, ascending."""
    real = [copy for copy in store.copies.of_set(stored.id) if not copy.simulated]
    return tuple(sorted({copy.board for copy in real if finished([copy])}))


def lines_of(store: Store, stored: StoredSet) -> list[str]:
    """All that is known of one set, and for a championship what comes next."""
    made = stored.created.astimezone().date().isoformat()
    where = f" from {stored.source}" if stored.source else ""
    lines = [f"Set {stored.name} ({stored.id}): {stored.kind.value}{where}, here since {made}."]
    if title := ", ".join(text for text in (stored.event, stored.date) if text):
        lines.append(f"{title}.")
    given = given_in(store, stored)
    spares = spares_of(stored)
    lines.append(
        f"Boards {stored.board_range}"
        + (f" and {spares} spare deals, {len({one.spare for one in given})} of them used." if spares else ".")
    )
    lines.append(f"Dealt: {range_text(dealt_boards(store, stored))}.")
    if (move := handed_over(store, stored)) is not None:
        when = day_text(move.time, utc_now().astimezone())
        lines.append(f"Handed over {when}: this computer deals no board of it.")
    if given:
        lines.append(f"With new hands: {range_text(one.board for one in given)}.")
    if stored.sealed:
        lines.append("Sealed: it opens with its passphrase or its recovery code.")
    director, instruction = instruction_of(store, stored)
    if director or instruction:
        lines.append(f"Director: {director or 'not named'}. Instruction: {instruction or 'none written down'}.")
    if stored.thrown_away:
        lines.append(f"Made and thrown away before it: {stored.thrown_away}.")
    if stored.state is not None:
        lines.append(f"Stage: {_STATES[stored.state]}.")
        if (command := _next_command(store, stored)) is not None:
            lines.append(f"Next: dealctl {command.format(shlex.quote(stored.name))}")
    return lines


def _next_command(store: Store, stored: StoredSet) -> str | None:
    if stored.state is None:
        return None
    if stored.state is SetState.COMMITTED and parse_manifest(store.sets.manifest_of(stored)).rule != NO_RULE:
        return _PUBLIC_VALUE
    return _NEXT.get(stored.state)


def instruction_of(store: Store, stored: StoredSet) -> tuple[str, str]:
    """The director and the instruction that were written down last for a set, "" each when there are none."""
    for entry in store.decisions.newest_first():
        if entry.what is Decision.INSTRUCTION and entry.details.get("set") == stored.id:
            return entry.who, str(entry.details.get("instruction") or "")
    return "", ""


def object_of(store: Store, stored: StoredSet) -> dict[str, object]:
    """The same for a script."""
    director, instruction = instruction_of(store, stored)
    return {
        "event": "set",
        "id": stored.id,
        "name": stored.name,
        "kind": stored.kind.value,
        "boards": stored.board_range,
        "spares": spares_of(stored),
        "spares_used": len({one.spare for one in given_in(store, stored)}),
        "dealt": list(dealt_boards(store, stored)),
        "handed_over": handed_over(store, stored) is not None,
        "source": stored.source,
        "title": stored.event,
        "date": stored.date,
        "made": stored.created.isoformat(),
        "sealed": stored.sealed,
        "state": None if stored.state is None else _STATES[stored.state],
        "thrown_away": stored.thrown_away,
        "director": director,
        "instruction": instruction,
    }
