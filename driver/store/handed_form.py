"""A handed set as JSON can hold it, and back: a stranger's file gives an error, never half a set.

May import: `handed` and what it holds, the standard library. Read next: `handed.py`, `driver/hand_over.py`.
"""

from __future__ import annotations

import json
from typing import Any

from driver.store.decisions import Decision
from driver.store.entries import What
from driver.store.forms import as_text, as_time
from driver.store.handed import CARRIED, HandedDecision, HandedEntry, HandedRun, HandedSet, HandedUse, card_of
from driver.store.sealing import Locks
from driver.store.stored import SetKind, SetState, number_of


def written(handed: HandedSet) -> dict[str, Any]:
    """The set as JSON can hold it."""
    return {
        "id": handed.id, "name": handed.name, "kind": handed.kind.value, "event": handed.event, "date": handed.date,
        "created": handed.created, "source": handed.source, "manifest": handed.manifest,
        "state": None if handed.state is None else handed.state.value, "public_value": handed.public_value,
        "public_value_fixed": handed.public_value_fixed, "published": handed.published,
        "thrown_away": handed.thrown_away, "content": handed.content.hex(),
        "locks": None if handed.locks is None else [handed.locks.passphrase.hex(), handed.locks.recovery.hex()],
        "runs": [
            [
                *(one.run, one.board, one.copy, one.serial, one.boot_id, one.odometer, one.board_edges),
                *(one.deal_board, one.begun, [_written_entry(entry) for entry in one.entries]),
            ]
            for one in handed.runs
        ],
        "uses": [[use.run, use.board, use.copy, use.time] for use in handed.uses],
        "decisions": [[one.mark, one.time, one.what.value, one.who, one.details] for one in handed.decisions],
    }  # fmt: skip


def _written_entry(entry: HandedEntry) -> list[Any]:
    cards = [[one.card, int(one.state), int(one.proof), one.as_planned] for one in entry.evidence]
    return [entry.what.value, entry.time, entry.value, entry.who, entry.open_end, entry.card_ms, cards]


def read(row: dict[str, Any]) -> HandedSet:
    """A set that was written. Raises ValueError, TypeError, LookupError for anything else."""
    locks = row["locks"]
    return HandedSet(
        id=f"s{number_of(row['id'])}",
        name=_text(row["name"]),
        kind=SetKind(row["kind"]),
        event=_text(row["event"]),
        date=_text(row["date"]),
        created=_time(row["created"]),
        source=_text(row["source"]),
        manifest=_text(row["manifest"]),
        state=None if row["state"] is None else SetState(row["state"]),
        public_value=_text(row["public_value"]),
        public_value_fixed=None if row["public_value_fixed"] is None else _time(row["public_value_fixed"]),
        published=None if row["published"] is None else _time(row["published"]),
        thrown_away=_number(row["thrown_away"]),
        content=bytes.fromhex(row["content"]),
        locks=None if locks is None else Locks(bytes.fromhex(locks[0]), bytes.fromhex(locks[1])),
        runs=tuple(_read_run(*one) for one in row["runs"]),
        uses=tuple(
            HandedUse(_number(run), _number(board), _text(copy), _time(time)) for run, board, copy, time in row["uses"]
        ),
        decisions=tuple(_read_decision(*one) for one in row["decisions"]),
    )


def _read_run(*row: Any) -> HandedRun:
    run, board, copy, serial, boot_id, odometer, edges, deal_board, begun, entries = row
    return HandedRun(
        run=_number(run),
        board=_number(board),
        copy=_text(copy),
        serial=_text(serial),
        boot_id=_number(boot_id),
        odometer=_number(odometer),
        board_edges=_number(edges),
        deal_board=_number(deal_board),
        begun=_time(begun),
        entries=tuple(_read_entry(*entry) for entry in entries),
    )


def _read_entry(what: Any, time: Any, value: Any, who: Any, open_end: Any, card_ms: Any, cards: Any) -> HandedEntry:
    evidence = tuple(
        card_of(_number(card), _number(state), _number(proof), planned) for card, state, proof, planned in cards
    )
    if What(what) not in CARRIED:
        raise ValueError("no entry that is handed over")
    return HandedEntry(
        What(what), _time(time), _text(value), _text(who), bool(open_end),
        None if card_ms is None else _number(card_ms), evidence,
    )  # fmt: skip


def _read_decision(mark: Any, time: Any, what: Any, who: Any, details: Any) -> HandedDecision:
    json.dumps(details)
    return HandedDecision(_text(mark), _time(time), Decision(what), _text(who), dict(details))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is needed")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise TypeError("a number is needed")
    return value


def _time(value: Any) -> str:
    return as_text(as_time(_text(value)))
