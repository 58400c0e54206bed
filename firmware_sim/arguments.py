"""The arguments of a command of the control channel, checked one by one.

May import: the standard library. Read next: `commands.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias, TypeVar

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
E = TypeVar("E", bound=Enum)


class CommandError(Exception):
    """A command cannot be carried out; the text is a sentence for the person who sent it."""


class Arguments:
    """The arguments of one command, checked: `name` in the command's table, with the type that stands there."""

    def __init__(self, values: dict[str, Json], known: dict[str, type]) -> None:
        for name, value in values.items():
            if name not in known:
                told = ", ".join(known) or "none"
                raise CommandError(f"The argument {name!r} is unknown; known here: {told}.")
            wanted = known[name]
            accepted = (int, float) if wanted is float else wanted
            if not isinstance(value, accepted) or (isinstance(value, bool) and wanted is not bool):
                raise CommandError(f"The argument {name!r} is {_TYPE_NAMES[wanted]}.")
        self._values = values

    def has(self, name: str) -> bool:
        """True when the argument was given."""
        return name in self._values

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        value = self._values.get(name, default)
        if not isinstance(value, int):
            raise CommandError(f"The argument {name!r} is missing.")
        return value

    def number(self, name: str) -> float:
        """A number."""
        value = self._values.get(name)
        if not isinstance(value, int | float):
            raise CommandError(f"The argument {name!r} is missing.")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false; false when not given."""
        return bool(self._values.get(name, False))

    def text(self, name: str, default: str | None = None) -> str:
        """A text."""
        value = self._values.get(name, default)
        if not isinstance(value, str):
            raise CommandError(f"The argument {name!r} is missing.")
        return value

    def one_of(self, name: str, codes: type[E], default: E | None = None) -> E:
        """A member of `codes`, named in any case."""
        if default is not None and not self.has(name):
            return default
        text = self.text(name)
        for code in codes:
            if text.upper().replace("-", "_") == code.name:
                return code
        known = ", ".join(code.name for code in codes)
        raise CommandError(f"The argument {name!r} is one of {known}, not {text!r}.")


_TYPE_NAMES: Final[dict[type, str]] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
}
