"""How far a stored set has come: the states of a championship, the public value, publishing, throwing away.

May import: `driver.errors`, `database`, `forms`, `stored` and the standard library. Read next: `sets.py`.
Rules: `fairness.md` 5.3 and, for throwing away, the third of the decisions on top of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from driver.errors import NothingOpen, WrongState
from driver.store.database import StoreConnection, reading, transaction
from driver.store.forms import Now, as_text, storable
from driver.store.stored import COLUMNS, SetKind, SetState, StoredSet, from_row, name_key, number_of

_STEPS: Final = {
    SetState.DRAFT: (SetState.COMMITTED,),
    # A public value is optional; whether the set has promised one stands in its public text.
    SetState.COMMITTED: (SetState.VALUE_FIXED, SetState.DEALING),
    SetState.VALUE_FIXED: (SetState.DEALING,),
    SetState.DEALING: (SetState.SEALED,),
    SetState.SEALED: (SetState.IN_PLAY,),
    SetState.IN_PLAY: (SetState.ENDED,),
    SetState.ENDED: (SetState.OPENED,),
    SetState.OPENED: (),
}
_WORDS: Final = {
    SetState.DRAFT: "a draft",
    SetState.COMMITTED: "sealed for the public",
    SetState.VALUE_FIXED: "given its public value",
    SetState.DEALING: "being dealt",
    SetState.SEALED: "dealt and sealed",
    SetState.IN_PLAY: "in play",
    SetState.ENDED: "played",
    SetState.OPENED: "opened",
}
_NUMBERED: Final = re.compile(r"-[0-9]+\Z")


class States:
    """What may change about a stored set after it was added. Each change reads the state anew, in one transaction."""

    def __init__(self, connection: StoreConnection, now: Now) -> None:
        self._connection = connection
        self._now = now

    def set_state(self, stored: StoredSet, state: SetState) -> StoredSet:
        """A championship goes one step forward; COMMITTED publishes it. The state it has already is no step.

        Raises WrongState for any other step (VALUE_FIXED comes from `fix_public_value`), NothingOpen when the set is
        gone.
        """
        with transaction(self._connection):
            now = self._again(stored)
            if now.state is state:
                return now
            if state is SetState.VALUE_FIXED:
                raise WrongState(f"Set {now.name} has no public value yet.", hint="Type the public value first.")
            self._step(now, state)
            if state is SetState.COMMITTED:
                self._publish(now)
            return self._again(stored)

    def fix_public_value(self, stored: StoredSet, value: str) -> StoredSet:
        """Writes the public value of a committed championship, once. The same value again changes nothing.

        Raises WrongState when the set is not committed or has another value, ValueError for one that is empty or
        could not be written as it is.
        """
        if not value or storable(value) != value:
            raise ValueError("a public value is a short text, and not empty")
        with transaction(self._connection):
            now = self._again(stored)
            if now.public_value == value:
                return now
            if now.public_value:
                raise WrongState(
                    f"The public value of set {now.name} is {now.public_value}, and is not changed any more.",
                    hint="Nothing was changed. If it was typed wrong, make and announce a new set before play.",
                )
            self._step(now, SetState.VALUE_FIXED)
            self._connection.execute(
                "UPDATE sets SET public_value = ?, public_value_fixed = ? WHERE number = ?",
                (value, as_text(self._now()), number_of(now.id)),
            )
            return self._again(stored)

    def note_published(self, stored: StoredSet) -> StoredSet:
        """The promise that binds a set made here was printed or sent: from now on it cannot be thrown away."""
        with transaction(self._connection):
            self._publish(self._again(stored))
            return self._again(stored)

    def throw_away(self, stored: StoredSet) -> None:
        """Gives a set up: its content is erased, its name is free again, and that it was there stays counted.

        Raises WrongState when a real machine has begun to deal a board of it or it was published, NothingOpen when it
        is gone already.
        """
        with transaction(self._connection):
            now = self._again(stored)
            number = number_of(now.id)
            if now.published is not None:
                raise WrongState(f"Set {now.name} was promised to others already, so it stays.")
            (dealt,) = self._connection.execute(
                "SELECT EXISTS (SELECT 1 FROM runs WHERE set_number = :number AND go IS NOT NULL AND NOT simulated) "
                "OR EXISTS (SELECT 1 FROM used_deals WHERE set_number = :number)",
                {"number": number},
            ).fetchone()
            if dealt:
                raise WrongState(f"A board of set {now.name} was dealt, so the set stays.")
            self._connection.execute(
                "UPDATE sets SET thrown = ?, sealed = NULL, passphrase_lock = NULL, recovery_lock = NULL "
                "WHERE number = ?",
                (as_text(self._now()), number),
            )
            self._connection.execute("DELETE FROM set_boards WHERE set_number = ?", (number,))
            self._connection.leaves_traces = True

    def _go_on_to(
        self, stored: StoredSet, state: SetState | None, value: str, fixed: str | None, published: str | None
    ) -> None:
        """The set has come so far on another computer; nothing goes back."""
        order, number = [None, *SetState], number_of(stored.id)
        if order.index(state) >= order.index(stored.state):
            self._connection.execute(
                "UPDATE sets SET state = ?, public_value = ?, public_value_fixed = ? WHERE number = ?",
                (None if state is None else state.value, value, fixed, number),
            )
        self._connection.execute(
            "UPDATE sets SET published = ? WHERE number = ? AND published IS NULL", (published, number)
        )

    def _step(self, now: StoredSet, state: SetState) -> None:
        if now.state is None:
            raise WrongState(f"Set {now.name} is no championship set, and goes no such steps.")
        if state not in _STEPS[now.state]:
            raise WrongState(f"Set {now.name} is {_WORDS[now.state]}, and cannot be {_WORDS[state]} from there.")
        self._connection.execute("UPDATE sets SET state = ? WHERE number = ?", (state.value, number_of(now.id)))

    def _publish(self, now: StoredSet) -> None:
        if now.kind not in (SetKind.GAME, SetKind.CHAMPIONSHIP):
            raise WrongState(f"Set {now.name} was not made here, and has nothing to promise.")
        self._connection.execute(
            "UPDATE sets SET published = ? WHERE number = ? AND published IS NULL",
            (as_text(self._now()), number_of(now.id)),
        )

    def _thrown_before(self, kind: SetKind, name: str, event: str) -> int:
        """How many sets of this kind were thrown away under this name (or one numbered after it), or for this event."""
        wanted = {name_key(name)}, {name_key(event)} - {""}
        rows = self._connection.execute(
            "SELECT name, event FROM sets WHERE thrown IS NOT NULL AND kind = ?", (kind.value,)
        ).fetchall()
        return sum(
            bool({name_key(other), name_key(_NUMBERED.sub("", other))} & wanted[0] or {name_key(of)} & wanted[1])
            for other, of in rows
        )

    def _again(self, stored: StoredSet) -> StoredSet:
        found = self._sets("number = ? AND thrown IS NULL", (number_of(stored.id),))
        if not found:
            raise self._gone(stored)
        return found[0]

    def _sets(self, condition: str, values: Sequence[object]) -> list[StoredSet]:
        """The sets for which a condition holds, the newest first."""
        with reading(self._connection):
            rows = self._connection.execute(
                f"SELECT {COLUMNS} FROM sets WHERE {condition} ORDER BY number DESC", tuple(values)
            ).fetchall()
        return [from_row(row, self._connection.path) for row in rows]

    def _row(self, stored: StoredSet, columns: str) -> tuple[Any, ...]:
        """Those columns of a set that was not thrown away."""
        with reading(self._connection):
            row: tuple[Any, ...] | None = self._connection.execute(
                f"SELECT {columns} FROM sets WHERE number = ? AND thrown IS NULL", (number_of(stored.id),)
            ).fetchone()
        if row is None:
            raise self._gone(stored)
        return row

    @staticmethod
    def _gone(stored: StoredSet) -> NothingOpen:
        return NothingOpen(f"Set {stored.name} was thrown away.", hint="`dealctl sets` lists the sets that are there.")
