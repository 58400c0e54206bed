"""What every entry of the catalogue must be; each rule gives the sentences that say where it is broken.

The rules take the entries, so that a test can show that a broken catalogue is found.
May import: driver, protocol. Read next: `tests/unit/test_catalogue.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from driver.catalogue import Entry, Kind
from driver.findings import FINISHED_NOT_GOOD, MAY_BE_KEPT, MAY_BE_PUT_BACK, Choice, Situation
from driver.plugged_in.diagnosis import Trouble
from protocol.codes import Check, FaultClass, FaultCode, PauseReason, Refusal, State, TokenEnd
from protocol.errors import DealingMachineError
from tests.support.plain_words import ADDRESS, BLAMES, NOT_ON_THE_FIRST_LEVEL, words_in
from tests.support.tables import page_table

LONGEST_SENTENCE: Final = 12
MOST_STEPS: Final = 5
AFTER_ERRORS: Final = frozenset(
    {"try again", "choose another", "another machine", "ask for help", "deal again", "stop"}
)
_LIKE_ANOTHER: Final = "MEMORY"
"""The page gives it no row of its own: it goes as NO_FEED or as JAM."""
_TESTS: Final = Path(__file__).resolve().parents[1]
_TESTED_FOR_ALL: Final = ("test_catalogue.py", "test_cli_exit_codes.py")
"""Tests that build every error of the tree themselves: they show of none that it comes about."""


def codes_needed() -> Iterator[tuple[Kind, str]]:
    """Every thing that can happen and that a person may be told of, but for errors."""
    for fault in FaultCode:
        if fault is not FaultCode.NONE:
            yield Kind.STOP, fault.name
    for reason in PauseReason:
        if reason not in (PauseReason.NONE, PauseReason.FAULT):
            yield Kind.STOP, reason.name
    for refusal in Refusal:
        if refusal is not Refusal.CHECK_FAILED:
            yield Kind.REFUSAL, refusal.name
    yield from ((Kind.REFUSAL, f"{Refusal.CHECK_FAILED.name} {check.name}") for check in Check)
    told = (TokenEnd.EXPIRED, TokenEnd.STOPPED, TokenEnd.FAULT, TokenEnd.CHANGED)
    yield from ((Kind.REFUSAL, f"{Refusal.TOKEN_DEAD.name} {end.name}") for end in told)
    yield Kind.REFUSAL, f"{Refusal.NOT_NOW.name} {State.MOVING.name}"
    yield from ((Kind.FOUND, situation.name) for situation in Situation)
    yield from ((Kind.FOUND, code) for code in (MAY_BE_PUT_BACK, MAY_BE_KEPT, FINISHED_NOT_GOOD))
    yield from ((Kind.DOCTOR, trouble.name) for trouble in Trouble)
    yield from ((kind, "UNKNOWN") for kind in (Kind.STOP, Kind.REFUSAL))


def completeness(entries: Sequence[Entry], errors: Iterable[type[DealingMachineError]]) -> list[str]:
    """What can happen without an entry, entries of what cannot happen, and entries that are there twice."""
    needed = {*codes_needed(), *((Kind.ERROR, error.code) for error in errors), (Kind.ERROR, "DM900")}
    there = {(entry.kind, entry.code) for entry in entries if entry.kind is not Kind.NOTICE}
    places = [(entry.kind, entry.code, entry.goes_on if entry.kind is Kind.STOP else None) for entry in entries]
    return [
        *(f"{kind.value} {code} has no entry" for kind, code in sorted(needed - there, key=str)),
        *(f"{kind.value} {code} cannot happen" for kind, code in sorted(there - needed, key=str)),
        *(f"{place} is there twice" for place in sorted(set(places), key=str) if places.count(place) > 1),
    ]


def wording(entries: Iterable[Entry]) -> list[str]:
    """Sentences that are too long, too many steps, words that are not for everybody, words that blame."""
    found = []
    for entry in entries:
        name = f"{entry.kind.value} {entry.code}"
        texts = (entry.sentence, entry.means, entry.question, *entry.steps)
        if len(entry.sentence.split()) > LONGEST_SENTENCE:
            found.append(f"{name}: the sentence is too long")
        if not 1 <= len(entry.steps) <= MOST_STEPS:
            found.append(f"{name}: {len(entry.steps)} steps")
        if entry.kind is Kind.DOCTOR and len(entry.steps) != 1:
            found.append(f"{name}: not one step")
        if not entry.means:
            found.append(f"{name}: nothing is said of what it means")
        for text in texts:
            found += [f"{name}: {word!r}" for word in words_in(text, (*NOT_ON_THE_FIRST_LEVEL, *BLAMES))]
            if ADDRESS.search(text):
                found.append(f"{name}: the address of a port")
            if text and not text.endswith((".", "?", "}", ".zip")):
                found.append(f"{name}: {text!r} does not end like a sentence")
    return found


def decisions(entries: Iterable[Entry]) -> list[str]:
    """Defaults that are not the first of what may be chosen, and choices that nobody knows."""
    found = []
    for entry in entries:
        known = AFTER_ERRORS if entry.kind is Kind.ERROR else {choice.value for choice in Choice}
        name = f"{entry.kind.value} {entry.code}"
        found += [f"{name}: nobody can choose {word!r}" for word in entry.next if word not in known]
        if entry.default != (entry.next[0] if entry.next else ""):
            found.append(f"{name}: Enter alone is not the first choice")
        if bool(entry.question) is not bool(entry.next) and entry.kind is Kind.FOUND:
            found.append(f"{name}: a question and its choices belong together")
    return found


def go_on_rules(entries: Iterable[Entry]) -> list[str]:
    """Stops that say something else than the rows of the go-on table that they name, and rows that no stop names.

    Where the table lets a board go on, going on is what Enter means and no step empties the pockets; where it does
    not, going on is not offered and the board is dealt again.
    """
    rows = {
        f"{row['paused because']} / {row['card under way']} / {row['routing']}": row["go on"]
        for row in page_table("May a run go on at the same card?")
    }
    found, named = [], set()
    for entry in (entry for entry in entries if entry.kind is Kind.STOP):
        name = f"stop {entry.code} ({'goes on' if entry.goes_on else 'dealt again'})"
        if not entry.rows and entry.code != "UNKNOWN":
            found.append(f"{name}: names no row")
        for row in entry.rows:
            if row not in rows or (not row.startswith(f"{entry.code} /") and entry.code != _LIKE_ANOTHER):
                found.append(f"{name}: {row} is no row of it")
            elif entry.goes_on is not (rows[row] == "yes"):
                found.append(f"{name}: the page says {rows[row]!r} for {row}")
            named.add(row)
        empties = any("out of the pockets" in step for step in entry.steps)
        if entry.goes_on and (entry.default != Choice.GO_ON.value or empties):
            found.append(f"{name}: it restarts the board")
        if not entry.goes_on and entry.default != Choice.DEAL_AGAIN.value:
            found.append(f"{name}: it is not dealt again")
        if not entry.goes_on and entry.fault_class in (FaultClass.OPERATOR, FaultClass.INFO) and not empties:
            found.append(f"{name}: the pockets are not emptied")
    return [*found, *(f"no stop names the row {row}" for row in rows if row not in named)]


def classes(entries: Iterable[Entry]) -> list[str]:
    """Faults of another class than the page gives them."""
    page = {row["name"]: row["class"] for row in page_table("Faults")}
    page["UNKNOWN"] = FaultClass.FATAL.name
    return [
        f"stop {entry.code} is of the class {page[entry.code]}"
        for entry in entries
        if entry.kind is Kind.STOP and entry.code in page and page[entry.code] != entry.fault_class.name
    ]


def without_a_test(
    entries: Iterable[Entry], errors: Iterable[type[DealingMachineError]], named: Mapping[str, set[str]]
) -> list[str]:
    """Errors that come about in no test: none names the class or its code. `named` are the names that tests use."""
    names = {error.code: error.__name__ for error in errors}
    used = set().union(*named.values())
    return [
        f"error {entry.code} has no test"
        for entry in entries
        if entry.kind is Kind.ERROR and names.get(entry.code) not in used and f"({entry.code})" not in used
    ]


def names_in_tests() -> dict[str, set[str]]:
    """For each test file the names and attributes that its code uses, and the codes "(DM...)" in its texts."""
    found: dict[str, set[str]] = {}
    for path in _TESTS.rglob("test_*.py"):
        if path.name in _TESTED_FOR_ALL:
            continue
        used = found.setdefault(path.name, set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "(DM" in node.value:
                used.update(word for word in node.value.split() if word.startswith("(DM"))
    return found
