"""Deals dealt before: the question on a terminal, the option of a script, and the name that goes with the answer.

Read next: `driver/cli/law_questions.py`, `driver/cli/names.py`; `test_law_commands.py` for the commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from driver.cli.exit_codes import exit_code_of
from driver.cli.law_questions import ask_choice, ask_used
from driver.cli.names import AN_EVENING, Names, cleaned
from driver.deals.generator import make
from driver.errors import UsedDeal
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.used_deals import PlannedBoard, UsedAnswer, UsedQuestion, used_question
from tests.support.law_desk import NOW, Clock, Types, arguments, game_set, kinds, last, set_clock, sit_down


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return set_clock(monkeypatch)


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store(tmp_path, now=clock) as store:
        yield store


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Types:
    return lambda *lines: sit_down(monkeypatch, *lines)


def question_of(store: Store, *, strict: bool = False, today: bool = False) -> UsedQuestion:
    stored = game_set(store)
    (board,) = make().boards([9])
    time = NOW if today else NOW - timedelta(days=6)
    store.register.note(board.deal, stored.id, 9, "", 1, time)
    (uses,) = store.register.uses([board.deal])
    question = used_question([PlannedBoard(9, "", uses), PlannedBoard(10, "")], NOW, set_id="s2", strict=strict)
    assert question is not None
    return question


def names_of(store: Store, clock: Clock, *, given: str | None = None, asks: bool = True) -> Names:
    return Names(store.decisions, clock, given=given, asks=asks)


@pytest.mark.parametrize("lines", [(), ("",), ("1",)], ids=["end of the input", "Enter alone", "1"])
def test_enter_alone_and_the_end_of_the_input_stop_and_deal_nothing(
    lines: tuple[str, ...], store: Store, clock: Clock, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question, asked = question_of(store), types(*lines)
    with pytest.raises(UsedDeal) as caught:
        ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions)

    assert asked == ["Number: "]
    shown = capsys.readouterr().out.splitlines()
    assert shown[:2] == ["Board 9 was dealt on Tue 24 Nov from the set monday.", "1  Stop, wrong file   (Enter)"]
    assert (exit_code_of(caught.value), caught.value.law) == (7, "6D2")
    assert kinds(store) == [Decision.USED_DEAL_STOPPED]


@pytest.mark.parametrize(
    ("typed", "answer", "entry", "law"),
    [
        ("2", UsedAnswer.SAME_SESSION, Decision.USED_DEAL_SAME_SESSION, False),
        ("3", UsedAnswer.SAME_EVENT, Decision.USED_DEAL_SAME_EVENT, True),
        ("4", UsedAnswer.REPLAY, Decision.USED_DEAL_REPLAY, True),
    ],
)
def test_an_answer_is_written_down_with_the_name(
    typed: str,
    answer: UsedAnswer,
    entry: Decision,
    law: bool,
    store: Store,
    clock: Clock,
    types: Types,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    question, asked = question_of(store), types(typed, "Ann")
    assert ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions) is answer

    assert len(asked) == 2
    written = last(store, entry)
    assert (written.who, dict(written.details)) == ("Ann", {"boards": "9", "set": "s2", "earlier": "s1"})
    assert ("Law 6D2: no result stands" in capsys.readouterr().out) is law


def test_a_wrong_number_is_asked_again(store: Store, clock: Clock, types: Types, tmp_path: Path) -> None:
    question, asked = question_of(store), types("5", "x", "2", "Ann")
    ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions)
    assert asked[:3] == ["Number: "] * 3


def test_only_the_boards_not_dealt_yet_need_no_name(store: Store, clock: Clock, types: Types, tmp_path: Path) -> None:
    question, asked = question_of(store, today=True), types("5")
    answer = ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions)
    assert (answer, question.fresh, len(asked)) == (UsedAnswer.ONLY_NEW, ((10, ""),), 1)
    assert kinds(store) == []


@pytest.mark.parametrize("word", ["replace", "copy", "repair", "same-event", "replay"])
def test_a_script_answers_with_an_option(word: str, store: Store, clock: Clock, tmp_path: Path) -> None:
    question = question_of(store)
    args = arguments(tmp_path, used=word, json=True)
    answer = ask_used(question, args, names_of(store, clock, given="Bob", asks=False), store.decisions)
    assert answer is not UsedAnswer.STOP
    assert store.decisions.newest_first()[0].who == "Bob"


def test_where_nobody_can_be_asked_it_is_refused_and_the_option_named(
    store: Store, clock: Clock, tmp_path: Path
) -> None:
    question = question_of(store)
    with pytest.raises(UsedDeal, match="6D2") as caught:
        ask_used(question, arguments(tmp_path), names_of(store, clock, asks=False), store.decisions)
    assert "--used repair" in caught.value.hint
    assert kinds(store) == []


def test_a_championship_set_takes_only_a_directors_name(
    store: Store, clock: Clock, types: Types, tmp_path: Path
) -> None:
    question = question_of(store, strict=True)
    # Somebody decided something this evening already, but not as the director.
    store.decisions.append(Decision.LOOKED_AT_HAND, "Ann")
    asked = types("2", "")
    with pytest.raises(UsedDeal, match="director"):
        ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions)
    assert asked[-1] == "Name of the director: "

    types("2", "Dora")
    ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions)
    written = last(store, Decision.USED_DEAL_SAME_SESSION)
    assert (written.who, written.details["director"]) == ("Dora", True)


def own_question(store: Store, *, today: bool) -> UsedQuestion:
    """Board 9 of a set was dealt from this very set."""
    stored = game_set(store)
    (board,) = make().boards([9])
    store.register.note(board.deal, stored.id, 9, "", 1, NOW if today else NOW - timedelta(days=6))
    (uses,) = store.register.uses([board.deal])
    question = used_question([PlannedBoard(9, "", uses)], NOW, set_id=stored.id, another=("B",))
    assert question is not None
    return question


@pytest.mark.parametrize(
    ("typed", "answer", "entry"),
    [
        ("2", UsedAnswer.REPLACE, Decision.USED_DEAL_REPLACED),
        ("3", UsedAnswer.ANOTHER_COPY, Decision.USED_DEAL_ANOTHER_COPY),
    ],
)
def test_boards_of_this_evening_are_one_question_of_three_choices_and_no_name(
    typed: str,
    answer: UsedAnswer,
    entry: Decision,
    store: Store,
    clock: Clock,
    types: Types,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    question, asked = own_question(store, today=True), types(typed)
    assert ask_used(question, arguments(tmp_path), names_of(store, clock), store.decisions) is answer
    assert asked == ["Number: "]
    assert capsys.readouterr().out.splitlines()[1:] == [
        "1  Stop, nothing is dealt   (Enter)",
        "2  Replace: same hands, same boards. First take the old cards out of board 9",
        "3  One more copy, B: same hands into other boards. What was dealt stays in its boards",
    ]
    assert dict(last(store, entry).details) == {"boards": "9", "set": "s1", "earlier": "s1"}


def test_a_script_is_refused_with_the_options_that_answer_and_with_no_others(store: Store) -> None:
    today = own_question(store, today=True)
    assert today.refusal().hint == "Nothing was dealt. If it is meant, say so: --used replace or --used copy."
    assert "Law" not in str(today.refusal())
    with pytest.raises(UsedDeal):
        today.answer_of("rest")
    assert [today.answer_of(word) for word in ("repair", "replay")] == [UsedAnswer.REPLACE, UsedAnswer.REPLAY]


# Names.


def test_a_name_is_asked_once_an_evening(store: Store, clock: Clock, types: Types) -> None:
    asked = types("  Ann \t Other  ")
    names = names_of(store, clock)
    assert [names.person(), names.person()] == ["Ann Other"] * 2
    store.decisions.append(Decision.LOOKED_AT_HAND, "Ann Other")

    clock.time += AN_EVENING
    assert names_of(store, clock).person() == "Ann Other"
    assert len(asked) == 1
    clock.time += timedelta(seconds=1)
    types("Bob")
    assert names_of(store, clock).person() == "Bob"


def test_a_name_is_asked_again_when_the_clock_was_set_back_since(store: Store, clock: Clock, types: Types) -> None:
    store.decisions.append(Decision.LOOKED_AT_HAND, "Ann")
    clock.time -= timedelta(days=2)
    types("Bob")
    assert names_of(store, clock).person() == "Bob"


def test_the_name_of_a_person_is_not_taken_for_the_directors(store: Store, clock: Clock, types: Types) -> None:
    types("Ann", "Dora")
    names = names_of(store, clock)
    assert (names.person(), names.director()) == ("Ann", "Dora")
    store.decisions.append(Decision.NEW_HANDS, "Dora", director=True)
    store.decisions.append(Decision.LOOKED_AT_HAND, "Ann")
    assert (names_of(store, clock).director(), names_of(store, clock).person()) == ("Dora", "Ann")


def test_a_name_that_is_given_is_taken_and_nobody_asked(store: Store, clock: Clock) -> None:
    names = names_of(store, clock, given="Bob")
    assert (names.person(), names.director()) == ("Bob", "Bob")
    assert names_of(store, clock, asks=False).person() == ""


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("Zoë Ångström", "Zoë Ångström"), ("a\x1b[2Jb", "a?[2Jb"), ("x" * 200, "x" * 60), ("名前", "名前"), (" ", "")],
)
def test_a_name_is_cleaned_and_never_refused(typed: str, kept: str) -> None:
    assert cleaned(typed) == kept


def test_the_number_of_choices_does_not_matter_and_the_first_is_on_enter(types: Types) -> None:
    types("")
    assert ask_choice([("only this", 1)]) == 1
