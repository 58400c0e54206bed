"""The public value of a championship: the rule that is announced before it is known, and the one way to write it.

May import: `driver.errors` and the standard library. Read next: `fairness.py`, where the value goes into every deal.

A value that can be written in two ways makes two different sets of deals, and an announcement that can be read in two
ways lets an organiser choose between them. So a rule names its source and its day in full, each kind of value has one
canonical form, and what could be meant in two ways is refused.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum, unique
from typing import Final

from driver.errors import ConfigError

LONGEST_TEXT: Final = 200

_DAY: Final = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b", re.ASCII)
_NUMBER_GAP: Final = re.compile(r"[,;]?\s+")
_WHOLE_NUMBER: Final = re.compile(r"0*(\d{1,9})", re.ASCII)
_DECIMAL: Final = re.compile(r"(?:0|[1-9]\d{0,11})\.\d{2}", re.ASCII)
_FURTHEST_EAST: Final = timedelta(hours=14)
_FURTHEST_WEST: Final = timedelta(hours=-12)
_HEX_256: Final = re.compile(r"[0-9a-f]{64}")
_HINT: Final = "Nothing was dealt. Look the value up at the place that the announcement names, and type it once more."


@unique
class ValueKind(Enum):
    """What kind of value a rule promises; the value is the word in the description of a set."""

    NONE = "none"
    TEXT = "text"
    NUMBERS = "numbers"
    DECIMAL = "decimal"
    RANDOMNESS = "drand"


@dataclass(frozen=True, slots=True)
class PublicRule:
    """Where and when the public value comes from, and of what kind it is. `NO_RULE` is the rule of a set without one.

    The functions below make rules that can be read in one way only; a rule out of somebody else's description may have
    any text. Raises ConfigError for a text that is too long, has control characters, or is missing.
    """

    kind: ValueKind
    text: str

    def __post_init__(self) -> None:
        if (self.kind is ValueKind.NONE) != (self.text == ""):
            raise _refused("A public value needs a rule that says where it comes from.", self.text)
        if len(self.text) > LONGEST_TEXT or not self.text.isprintable():
            raise _refused(f"A rule is one line of at most {LONGEST_TEXT} letters.", self.text)


NO_RULE: Final = PublicRule(ValueKind.NONE, "")


def lottery_rule(name: str, day: date) -> PublicRule:
    """The main numbers of a lottery draw on that day."""
    return PublicRule(ValueKind.NUMBERS, f"{_named(name)}, draw of {day.isoformat()}: the main numbers, ascending")


def closing_value_rule(name: str, day: date) -> PublicRule:
    """The closing value of an index of shares. Raises ConfigError for a Saturday or Sunday, when nobody trades."""
    if day.isoweekday() > 5:
        raise _refused(
            f"{day.isoformat()} is a {day:%A}: there is no closing value that day.",
            day.isoformat(),
            hint="Name a day from Monday to Friday.",
        )
    text = f"{_named(name)}, closing value of {day.isoformat()} or, without one, the last before it, two decimals"
    return PublicRule(ValueKind.DECIMAL, text)


def randomness_rule(network: str, number: int) -> PublicRule:
    """The randomness that a public network signs in the round of that number (drand). Raises ConfigError below 1."""
    if number < 1:
        raise _refused("A round has a number from 1 on.", str(number))
    return PublicRule(ValueKind.RANDOMNESS, f"{_named(network)}, round {number}: randomness, 64 hexadecimal digits")


def text_rule(text: str) -> PublicRule:
    """Any other source in words. Raises ConfigError unless the text names exactly one day, as 2026-11-29."""
    days = _DAY.findall(text)
    if len(days) != 1 or not _is_day(days[0]):
        raise _refused(
            "The rule must name one day, written as in 2026-11-29.",
            text,
            hint="Day and month in figures alone can be read in two ways; put the year first.",
        )
    return PublicRule(ValueKind.TEXT, one_line(text))


def check_is_ahead(rule: PublicRule, now: datetime) -> None:
    """Raises ConfigError when the day of a rule is over wherever on earth: what is known already promises nothing."""
    day = _day_of(rule)
    if day is not None and day < (now + _FURTHEST_WEST).date():
        raise _refused(
            f"The public value is of {day.isoformat()}, and that day is over: whoever makes the set knows it.",
            day.isoformat(),
            hint="Nothing was changed. Make a set with a day that is still to come.",
        )


def check_has_come(rule: PublicRule, now: datetime) -> None:
    """Raises ConfigError when the day of a rule has not begun anywhere on earth: nobody can know the value."""
    day = _day_of(rule)
    if day is not None and day > (now + _FURTHEST_EAST).date():
        raise _refused(
            f"The public value is of {day.isoformat()}, and that day has not come.",
            day.isoformat(),
            hint="Nothing was changed. If it has come, set the date of this computer right; then type the value again.",
        )


def canonical_value(rule: PublicRule, text: str) -> str:
    """The public value as it goes into the deals. Raises ConfigError for what the rule does not promise, or when it
    could be meant in two ways.

    NONE: nothing. TEXT: composed letters (NFC), single spaces. NUMBERS: ascending, without leading zeros, one space
    between. DECIMAL: digits, a point, two digits. RANDOMNESS: 64 hexadecimal digits in small letters.
    """
    tidy = one_line(text)
    if rule.kind is ValueKind.NONE:
        if tidy:
            raise _refused(
                "This set was made without a public value.",
                tidy,
                hint="Nothing was dealt. It needs none: it can be dealt as it is.",
            )
        return ""
    if not tidy:
        raise _refused("The public value is missing.", "")
    if rule.kind is ValueKind.NUMBERS:
        return _ascending(tidy)
    if rule.kind is ValueKind.DECIMAL:
        if not _DECIMAL.fullmatch(tidy):
            raise _refused(
                "Write the value with a point before two decimals and nothing else between the digits, as 43275.91.",
                tidy,
            )
        return tidy
    if rule.kind is ValueKind.RANDOMNESS:
        if not _HEX_256.fullmatch(tidy.lower()):
            raise _refused("The randomness of a round has 64 characters, 0 to 9 and a to f.", tidy)
        return tidy.lower()
    return tidy


def _ascending(text: str) -> str:
    words = [_WHOLE_NUMBER.fullmatch(word) for word in _NUMBER_GAP.split(text)]
    numbers = sorted({int(word[1]) for word in words if word})
    if len(numbers) < len(words):
        raise _refused(
            "Write the numbers of the draw with a space between them, each once, as 3 6 9 13 26 40.",
            text,
        )
    return " ".join(map(str, numbers))


def one_line(text: str) -> str:
    """The text with composed letters (NFC) and single spaces. Raises ConfigError unless it is a line of at most 200."""
    tidy = " ".join(unicodedata.normalize("NFC", text[: 4 * LONGEST_TEXT]).split())
    if len(text) > 4 * LONGEST_TEXT or len(tidy) > LONGEST_TEXT or not tidy.isprintable():
        raise _refused(
            f"That is not one line of at most {LONGEST_TEXT} letters.",
            "",
            hint="Nothing was dealt. Type it on one line, and shorter.",
        )
    return tidy


def _named(name: str) -> str:
    tidy = one_line(name)
    if not tidy:
        raise _refused("The rule must name the source of the public value.", name)
    return tidy


def _day_of(rule: PublicRule) -> date | None:
    """The day that a rule names; None for one that names none, or several."""
    days = [text for text in _DAY.findall(rule.text) if _is_day(text)]
    return date.fromisoformat(days[0]) if len(days) == 1 else None


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _refused(sentence: str, value: str, *, hint: str = _HINT) -> ConfigError:
    return ConfigError(sentence, key="public value", value=value[:LONGEST_TEXT], hint=hint)
