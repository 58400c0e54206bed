"""The catalogue is whole, plain, tested and at one with the page; and what it says is what a person is shown.

Read next: `driver/catalogue.toml`, `tests/support/catalogue_rules.py`, `tests/faults/test_machine_faults.py`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

import driver.cli.refusals  # noqa: F401 - its errors are of the tree
import protocol.codec  # noqa: F401
from driver.catalogue import ENTRIES, OBSTACLES, Entry, Kind, entry, stop_entry
from driver.cli.display import Style, render
from driver.cli.failures import show_error
from driver.cli.json_lines import as_object
from driver.cli.plain import Plain
from driver.cli.questions import label
from driver.cli.view import JobView
from driver.errors import StopNotConfirmed
from driver.findings import MAY_BE_PUT_BACK, Choice, Situation, choices_of, finding, put_back_or_again
from driver.sentences import fault_entry, refusal_entry
from protocol.codes import Check, FaultClass, FaultCode, Obstacle, PauseReason, Refusal, Sensor, State, TokenEnd
from protocol.errors import DealingMachineError
from protocol.fields import Code
from protocol.messages import Refused
from tests.cli.program import ROOT
from tests.support import catalogue_rules as rules
from tests.support.play import ITEMS, REFUSALS, Play, paused, refused

STOPS = [one for one in ENTRIES if one.kind is Kind.STOP]
TOLD = [one for one in STOPS if one.fault_class in (FaultClass.OPERATOR, FaultClass.INFO)]
"""Stops about which a person is asked; the others end the job."""


def family(kind: type[DealingMachineError]) -> Iterator[type[DealingMachineError]]:
    yield kind
    for child in kind.__subclasses__():
        if child.__module__.startswith(("driver.", "protocol.")):
            yield from family(child)


ERRORS = sorted(set(family(DealingMachineError)), key=lambda kind: kind.code)
NEVER_RAISED = {"DM000", "DM100"}
"""Roots of the tree, raised only as one of their children."""


def name_of(one: Entry) -> str:
    return f"{one.code} {'goes on' if one.goes_on else 'again'}" if one.kind is Kind.STOP else one.code


# The catalogue as it is


def test_every_thing_that_can_happen_has_its_entry_and_every_entry_can_happen() -> None:
    assert rules.completeness(ENTRIES, ERRORS) == []
    assert set(OBSTACLES) == {one.name for one in Obstacle if one is not Obstacle.NONE} | {"UNKNOWN"}


def test_the_texts_are_short_and_plain_and_blame_nobody() -> None:
    assert rules.wording(ENTRIES) == []


def test_what_enter_means_is_the_first_of_what_may_be_chosen() -> None:
    assert rules.decisions(ENTRIES) == []


def test_every_stop_says_what_the_rows_of_the_page_say_and_every_row_has_its_stop() -> None:
    assert rules.go_on_rules(ENTRIES) == []
    assert rules.classes(ENTRIES) == []


def test_every_error_comes_about_in_a_test() -> None:
    tested = [one for one in ENTRIES if one.code not in NEVER_RAISED]
    assert rules.without_a_test(tested, ERRORS, rules.names_in_tests()) == []


# A broken catalogue is found


def changed(of: str, **changes: object) -> list[Entry]:
    """The entries with every stop of that code changed."""
    return [
        replace(one, **changes) if (one.kind, one.code) == (Kind.STOP, of) else one  # type: ignore[arg-type]
        for one in ENTRIES
    ]


def test_a_fault_or_an_error_without_an_entry_is_found() -> None:
    assert rules.completeness([one for one in ENTRIES if one.code != "JAM"], ERRORS) == ["stop JAM has no entry"]
    assert rules.completeness([one for one in ENTRIES if one.code != "DM503"], ERRORS) == ["error DM503 has no entry"]
    assert rules.completeness(changed("JAM", code="JAMS"), ERRORS)[1] == "stop JAMS cannot happen"
    assert len(rules.completeness([*ENTRIES, STOPS[0]], ERRORS)) == 1


def test_an_error_without_a_test_is_found() -> None:
    used = {
        name: {word for word in words if word != "StopNotConfirmed"} for name, words in rules.names_in_tests().items()
    }
    tested = [one for one in ENTRIES if one.code not in NEVER_RAISED]
    assert rules.without_a_test(tested, ERRORS, used) == ["error DM307 has no test"]


@pytest.mark.parametrize(
    "changes",
    [
        {"sentence": "The ledger is torn."},
        {"means": "The deal is void."},
        {"steps": ("You forgot the board.",)},
        {"steps": ("Look at /dev/ttyACM0.",)},
        {"steps": ()},
        {"steps": ("Do it.",) * 6},
        {"sentence": " ".join(["word"] * 13) + "."},
        {"means": ""},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_a_text_that_is_not_plain_and_short_is_found(changes: dict[str, object]) -> None:
    assert rules.wording(changed("FACE_UP", **changes))


def test_a_fault_that_goes_on_and_restarts_a_board_is_found() -> None:
    again = stop_entry("DOUBLE_FEED", goes_on=False)
    assert rules.go_on_rules(changed("NO_FEED", next=again.next, default=again.default))
    assert rules.go_on_rules(changed("NO_FEED", steps=again.steps)) == ["stop NO_FEED (goes on): it restarts the board"]
    assert rules.go_on_rules(changed("NO_FEED", default="deal again"))
    assert rules.go_on_rules(changed("DUPLICATE_CARD", next=("go on", "stop"), default="go on"))
    assert rules.go_on_rules(changed("NO_FEED", rows=("DOUBLE_FEED / any / any",)))
    assert rules.decisions(changed("NO_FEED", default="stop"))
    assert rules.classes(changed("MEMORY", fault_class=FaultClass.OPERATOR))


# What is shown is what the entry says


def shown_for(play: Play) -> tuple[dict[str, object], list[str], str]:
    """The prompt as JSON, as the lines of a wide terminal, and line by line."""
    view = JobView(total=3)
    view.take(play.prompt, 0.0, 3)
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    plain.show(play.prompt, view)
    return as_object(play.prompt), render(view, 76, 30, Style(colour=False, unicode=False)), stream.getvalue()


def stopped(one: Entry) -> Play:
    """A board that stops so, and may go on or not as the entry says."""
    why = Obstacle.NONE if one.goes_on else Obstacle.DOUBT
    if one.code in PauseReason.__members__:
        happening = paused(PauseReason[one.code], cannot_go_on=why)
    else:
        happening = paused(fault=FaultCode[one.code], cannot_go_on=why)
    return Play().dealing().tell(happening)


@pytest.mark.parametrize("one", TOLD, ids=name_of)
def test_a_stop_is_told_on_the_terminal_and_in_json_as_its_entry_says(one: Entry) -> None:
    play = stopped(one)
    found, screen, plain = shown_for(play)
    assert (found["means"], found["steps"]) == (one.means, list(one.steps))
    assert (found["choices"], found["default"]) == (list(one.next), one.default)
    assert str(found["text"]).startswith(one.sentence)
    is_fault = one.code in FaultCode.__members__
    assert (found["code"], found["class"]) == ((one.code, one.fault_class.name) if is_fault else ("", ""))
    assert json.loads(json.dumps(found)) == found
    for number, step in enumerate(one.steps, start=1):
        line = f"{number}. {step}" if len(one.steps) > 1 else step
        assert line in plain
        assert line.split()[0] in " ".join(screen)
    joined = " ".join(line.strip() for line in screen)
    assert one.sentence in joined
    assert one.steps[-1] in joined
    assert play.scheduler.asked is not None
    assert play.scheduler.asked.choices == choices_of(one)


@pytest.mark.parametrize("one", TOLD, ids=name_of)
def test_a_stop_in_forty_by_twelve_keeps_the_first_step_and_every_choice(one: Entry) -> None:
    view = JobView(total=3)
    view.take(stopped(one).prompt, 0.0, 3)
    lines = render(view, 39, 11, Style(colour=False, unicode=False))
    joined = " ".join(lines)
    assert len(lines) <= 11
    assert " ".join(one.steps[0].split()[:3]) in joined
    for choice in choices_of(one):
        assert label(choice, "1") in joined
    if one.goes_on and len(one.steps) < 4:
        assert one.steps[-1] in joined


def test_a_fault_of_which_nobody_knows_is_the_gravest() -> None:
    assert fault_entry(Code(99)).fault_class is FaultClass.FATAL
    assert fault_entry(FaultCode.MEMORY).fault_class is FaultClass.SERVICE


def test_a_board_that_cannot_go_on_for_another_reason_is_emptied_all_the_same() -> None:
    found = stop_entry("NO_FEED", goes_on=False)
    assert found.sentence == stop_entry("NO_FEED", goes_on=True).sentence
    assert found.next == ("deal again", "leave this board", "stop")
    assert found.steps[0].startswith("Take all cards out of the pockets")
    prompt = Play().dealing().tell(paused(fault=FaultCode.NO_FEED, cannot_go_on=Obstacle.BOARD)).prompt
    assert prompt.text.endswith("This board cannot go on: the board left the machine.")


@pytest.mark.parametrize("sensor", [Sensor.READER_CARD, Sensor.PATH_CARD], ids=lambda sensor: str(sensor.name))
def test_a_card_in_sight_is_named_before_the_steps_of_the_pause(sensor: Sensor) -> None:
    prompt = Play().dealing().tell(paused(PauseReason.STOP, sensors=sensor)).prompt
    assert "take it out" in prompt.steps[0]
    assert prompt.steps[1:] == stop_entry("STOP", goes_on=True).steps


@pytest.mark.parametrize(("reason", "why"), REFUSALS, ids=lambda part: getattr(part, "name", str(part)))
def test_a_refusal_is_told_as_its_entry_says(reason: Refusal, why: int) -> None:
    play = Play().decide(Choice.GO).tell(refused(reason, why, 7))
    told = refusal_entry(Refused(3, reason, why, detail=7))
    found, _, _ = shown_for(play)
    assert (found["text"], found["means"], found["steps"]) == (told.sentence, told.means, list(told.steps))
    assert "{" not in told.sentence


def test_refusals_by_their_numbers_find_their_entry() -> None:
    def sentence(reason: Refusal | Code, why: int = 0, detail: int = 0) -> str:
        return refusal_entry(Refused(3, reason, why, detail=detail)).sentence

    assert sentence(Refusal.WRONG_BOARD, detail=8) == "This is board 8."
    assert sentence(Refusal.POCKETS_NOT_EMPTY, 0b1001) == "There are cards in pocket N and W."
    assert sentence(Refusal.POCKETS_NOT_EMPTY, 0) == "There are cards in pocket one of four."
    assert sentence(Refusal.CHECK_FAILED, Check.COVER) == "The cover is open."
    assert sentence(Refusal.CHECK_FAILED, 99) == entry(Kind.REFUSAL, "UNKNOWN").sentence
    assert sentence(Refusal.CANNOT_GO_ON, Obstacle.BOARD) == "This board cannot go on: the board left the machine."
    assert sentence(Refusal.CANNOT_GO_ON, 99) == "This board cannot go on: the machine says so."
    assert sentence(Refusal.TOKEN_DEAD, TokenEnd.EXPIRED) == "The machine waited too long for the start."
    assert sentence(Refusal.TOKEN_DEAD, TokenEnd.USED) == "The start was not valid any more."
    assert sentence(Refusal.NOT_NOW, State.MOVING) == "Cards are moving."
    assert sentence(Code(77)) == entry(Kind.REFUSAL, "UNKNOWN").sentence


@pytest.mark.parametrize("situation", Situation, ids=lambda situation: situation.value)
def test_what_was_found_is_told_as_its_entry_says(situation: Situation) -> None:
    told = entry(Kind.FOUND, situation.name).filled(board="board 1", k=7)
    found = finding(situation, ITEMS[0], k=7)
    assert found.text == told.sentence
    assert [choice.value for choice in found.choices] == list(told.next)
    assert found.question.lower() == told.question.lower()
    assert found.instruction.lower() == told.hands.lower()


def test_a_doubt_that_a_person_can_lift_has_an_entry_of_its_own() -> None:
    found = put_back_or_again(finding(Situation.IN_DOUBT, ITEMS[0], k=7), ITEMS[0])
    assert [choice.value for choice in found.choices] == list(entry(Kind.FOUND, MAY_BE_PUT_BACK).next)


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_without_words_of_its_own_has_the_hint_of_its_entry(kind: type[DealingMachineError]) -> None:
    error = kind.__new__(kind)
    DealingMachineError.__init__(error, "It happened.")
    assert error.hint == entry(Kind.ERROR, kind.code).hint


def test_every_notice_is_given_somewhere_in_the_driver_and_no_other_is() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "driver").rglob("*.py"))
    codes = [one.code for one in ENTRIES if one.kind is Kind.NOTICE]
    assert [code for code in codes if f'"{code}"' not in sources] == []
    assert set(re.findall(r'_once\("([A-Z ]+)"', sources)) <= set(codes)


def test_an_error_in_json_has_what_may_be_done_next(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(StopNotConfirmed("Stopped, but not confirmed."), as_json=True)
    told = entry(Kind.ERROR, "DM307")
    assert json.loads(capsys.readouterr().out) == {
        "event": "error", "code": "DM307", "class": "SERVICE", "text": "Stopped, but not confirmed.",
        "hint": told.hint, "next": ["try again", "ask for help"], "default": "try again",
    }  # fmt: skip
