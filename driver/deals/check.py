"""What `dealctl check FILE --json` prints: every record of a file with its hands, for a person who asked for them.

May import: `records.py`, `hands.py` and the standard library. Read next: `loader.read_records`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from driver.deals.hands import hands_as_pbn
from driver.deals.records import Record


def records_to_json(records: Iterable[Record]) -> str:
    """A JSON array, one object per record in the order of the file. Shows the hands: print it only when asked (I7).

    `board` is a number, else the text as written, else null; `dealer` N E S W and `vul` None NS EW All, null when the
    file does not carry them; `deal` is "N:spades.hearts.diamonds.clubs …" in the order N E S W, `-` for a hand that is
    not given, null when it cannot be read; `room` "o" or "c" only where the file names one of two tables; `issues` are
    the reasons why it is no deal, empty for a legal one.
    """
    return json.dumps([_as_object(record) for record in records], indent=1)


def _as_object(record: Record) -> dict[str, object]:
    found: dict[str, object] = {
        "board": record.number or record.board or None,
        "dealer": None if record.dealer is None else record.dealer.letter,
        "vul": None if record.vulnerability is None else record.vulnerability.text,
        "deal": None if record.hands is None else hands_as_pbn(record.hands),
    }
    if record.room:
        found["room"] = record.room
    return found | {"issues": list(record.faults)}
