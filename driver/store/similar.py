"""Which stored set a corrected file belongs to: the one that has most of its boards.

May import: the standard library. Read next: `sets.py`, which asks; `content.py`, where the tags come from.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from typing import Final

_AT_ONCE: Final = 500
"""Tags in one question: SQLite takes 999 values at least."""


def most_alike(connection: sqlite3.Connection, tags: Mapping[int, bytes]) -> tuple[int, tuple[int, ...]] | None:
    """The number of the set with these board numbers and most of these tags, and the boards whose tag differs.

    `tags` gives the tag of each board number. More than half must be equal, else None; of equals, the newest.
    """
    equal = Counter[int]()
    numbers = list(tags)
    for at in range(0, len(numbers), _AT_ONCE):
        some = [tags[number] for number in numbers[at : at + _AT_ONCE]]
        marks = ",".join("?" * len(some))
        for set_number, board, tag in connection.execute(
            f"SELECT set_number, board, tag FROM set_boards WHERE tag IN ({marks})", some
        ):
            equal[set_number] += tags.get(board) == tag
    for set_number, count in sorted(equal.items(), key=lambda entry: (entry[1], entry[0]), reverse=True):
        if 2 * count <= len(tags):
            return None
        there = dict(connection.execute("SELECT board, tag FROM set_boards WHERE set_number = ?", (set_number,)))
        if there.keys() == tags.keys():
            return set_number, tuple(sorted(number for number in tags if there[number] != tags[number]))
    return None
