"""Deals dealt before: one question for the whole set with a safe default, or none.

Read next: `driver/used_deals.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.laws import EDITIONS
from driver.used_deals import (
    SCRIPT_ANSWERS,
    PlannedBoard,
    UsedAnswer,
    UsedQuestion,
    day_text,
    law_line,
    next_copies,
    used_question,
)

NOW = datetime(2026, 11, 30, 18, 30, tzinfo=UTC)
TUESDAY = datetime(2026, 11, 24, 19, 5, tzinfo=UTC)
FRIDAY = datetime(2026, 11, 20, 19, 5, tzinfo=UTC)
USUAL = (UsedAnswer.STOP, UsedAnswer.SAME_SESSION, UsedAnswer.SAME_EVENT, UsedAnswer.REPLAY)


@dataclass(frozen=True, slots=True)
class Used:
    """One earlier use of a deal."""

    board: int
    time: datetime = TUESDAY
    set_id: str = "s1"
    set_name: str = "tuesday"
    source: str = "tuesday.pbn"
    copy: str = ""
    turned: int = 0


def plan(numbers: Iterable[int], *uses: Used, copy: str = "") -> list[PlannedBoard]:
    """Boards to deal, each with the uses that have its number."""
    return [PlannedBoard(number, copy, tuple(use for use in uses if use.board == number)) for number in numbers]


def asked(planned: list[PlannedBoard], *, strict: bool = False) -> UsedQuestion:
    question = used_question(planned, NOW, strict=strict)
    assert question is not None
    return question


def test_boards_that_were_never_dealt_raise_no_question() -> None:
    assert used_question(plan(range(1, 25)), NOW) is None
    assert used_question([], NOW) is None


def test_all_boards_of_a_file_are_one_question_with_a_safe_default() -> None:
    question = asked(plan(range(1, 25), *(Used(number) for number in range(1, 25))))

    assert question.lines == ("All 24 boards were dealt on Tue 24 Nov from tuesday.pbn.",)
    assert question.choices == USUAL
    assert [question.text_of(choice) for choice in question.choices] == [
        "Stop, wrong file",
        "Same session again: repair, copy, postponed",
        "Another room, club or evening of the same event (Law 6D2: the director decides)",
        "Replay of past deals, or a lesson (Law 6D2: the director decides)",
    ]
    assert (question.used, question.fresh, question.earlier) == (tuple(range(1, 25)), (), ("s1",))


def test_boards_of_this_very_set_are_replaced_or_copied_or_nothing_is_dealt() -> None:
    met = [Used(number, NOW) for number in range(1, 25)]
    question = used_question(plan(range(1, 25), *met), NOW, set_id="s1", another=("B",))
    assert question is not None
    assert question.choices == (UsedAnswer.STOP, UsedAnswer.REPLACE, UsedAnswer.ANOTHER_COPY)
    assert question.another == ("B",)
    assert question.text_of(UsedAnswer.REPLACE).endswith("First take the old cards out of boards 1-24")


def test_of_this_very_set_on_another_day_the_director_may_have_a_say_too() -> None:
    question = used_question(plan([3], Used(3)), NOW, set_id="s1", another=("B",))
    assert question is not None
    own = (UsedAnswer.REPLACE, UsedAnswer.ANOTHER_COPY)
    assert question.choices == (UsedAnswer.STOP, *own, UsedAnswer.SAME_EVENT, UsedAnswer.REPLAY)
    assert question.text_of(UsedAnswer.STOP) == "Stop, wrong file"


def test_a_set_that_was_left_half_done_on_another_day_can_be_taken_up_too() -> None:
    question = used_question(plan([3, 4], Used(3)), NOW, set_id="s1", another=("B",))
    assert question is not None
    assert question.choices[-1] is UsedAnswer.ONLY_NEW
    assert question.fresh == ((4, ""),)


def test_a_copy_more_than_the_alphabet_has_is_not_offered() -> None:
    question = used_question(plan([3], Used(3, NOW)), NOW, set_id="s1")
    assert question is not None
    assert question.choices == (UsedAnswer.STOP, UsedAnswer.REPLACE)


@pytest.mark.parametrize(
    ("dealt", "count", "names"),
    [
        ([""], 1, ("B",)),
        (["A"], 1, ("B",)),
        (["A", "B"], 1, ("C",)),
        (["B"], 1, ("C",)),
        (["A", "C"], 2, ("D", "E")),
        (["red", "blue"], 1, ("C",)),
        (ascii_uppercase, 1, ()),
    ],
)
def test_one_more_copy_has_the_next_letter_that_nobody_dealt(
    dealt: Sequence[str], count: int, names: tuple[str, ...]
) -> None:
    assert next_copies(dealt, count) == names


def test_a_copy_named_this_evening_is_no_question_whoever_names_the_file() -> None:
    assert used_question(plan([17], Used(17, NOW), copy="B"), NOW, set_id="s1") is None


def test_what_is_left_of_a_job_of_two_copies_goes_by_copy() -> None:
    dealt = [Used(number, NOW, copy="A") for number in (1, 2, 3)]
    planned = [*plan([1, 2, 3], *dealt, copy="A"), *plan([1, 2, 3], *dealt, Used(1, NOW, copy="B"), copy="B")]
    question = used_question(planned, NOW, set_id="s1", another=("C", "D"))
    assert question is not None
    assert question.fresh == ((2, "B"), (3, "B"))
    assert question.choices[-1] is UsedAnswer.ONLY_NEW
    assert question.text_of(UsedAnswer.ONLY_NEW).endswith("not dealt yet: boards 2 and 3 of copy B")
    assert question.lines == ("All 3 boards were dealt today at 18:30 from tuesday.pbn.",)
    assert question.text_of(UsedAnswer.ANOTHER_COPY).startswith("One more copy of each, C and D: ")


@pytest.mark.parametrize(
    ("met", "words"),
    [
        ([3, 7], "Boards 3 and 7 were dealt"),
        ([3], "Board 3 was dealt"),
        ([3, 5, 7, 9], "Boards 3, 5, 7 and 9 were dealt"),
        ([1, 2, 3, 4], "Boards 1-4 were dealt"),
        ([1, 2, 3, 7, 9, 10], "Boards 1-3, 7, 9, 10 were dealt"),
    ],
)
def test_some_boards_are_named(met: list[int], words: str) -> None:
    question = asked(plan(range(1, 13), *map(Used, met)))
    assert question.lines == (f"{words} on Tue 24 Nov from tuesday.pbn.",)
    assert question.used == tuple(met)


def test_the_only_board_is_not_called_all_boards() -> None:
    assert asked(plan([3], Used(3))).lines == ("Board 3 was dealt on Tue 24 Nov from tuesday.pbn.",)


def test_a_set_made_here_is_named_by_its_name() -> None:
    assert asked(plan([3], Used(3, source=""))).lines == ("Board 3 was dealt on Tue 24 Nov from the set tuesday.",)


def test_several_earlier_sets_are_told_newest_first_and_the_rest_counted() -> None:
    uses = [
        Used(place, TUESDAY - timedelta(days=place), set_id=f"s{place}", source=f"{place}.pbn") for place in range(1, 6)
    ]
    lines = asked(plan(range(1, 9), *reversed(uses))).lines
    assert lines == (
        "Board 1 was dealt on Mon 23 Nov from 1.pbn.",
        "Board 2 was dealt on Sun 22 Nov from 2.pbn.",
        "Board 3 was dealt on Sat 21 Nov from 3.pbn.",
        "And in 2 earlier sets.",
    )
    assert len(asked(plan(range(1, 9), *uses[:4])).lines) == 4
    assert asked(plan(range(1, 9), *uses[:4])).lines[-1] == "And in 1 earlier set."


def test_a_deal_used_twice_is_told_twice() -> None:
    lines = asked(plan([3], Used(3), Used(3, FRIDAY, set_id="s0", source="friday.pbn"))).lines
    assert lines == (
        "Board 3 was dealt on Tue 24 Nov from tuesday.pbn.",
        "Board 3 was dealt on Fri 20 Nov from friday.pbn.",
    )


def test_a_deal_that_was_turned_by_a_seat_is_told_so_and_on_its_own() -> None:
    lines = asked(plan(range(1, 5), Used(1), Used(2, turned=1), Used(3, turned=3))).lines
    assert set(lines) == {
        "Board 1 was dealt on Tue 24 Nov from tuesday.pbn.",
        "Boards 2 and 3 were dealt on Tue 24 Nov from tuesday.pbn, turned round.",
    }


def test_another_number_than_then_is_told() -> None:
    one = [PlannedBoard(13, "", (Used(1),)), PlannedBoard(14, "")]
    assert asked(one).lines == ("Board 13 was dealt on Tue 24 Nov from tuesday.pbn, as board 1.",)
    two = [PlannedBoard(13, "", (Used(1),)), PlannedBoard(14, "", (Used(2),))]
    assert asked(two).lines == ("All 2 boards were dealt on Tue 24 Nov from tuesday.pbn, with other numbers.",)


def test_a_job_of_today_that_was_left_half_done_can_be_taken_up() -> None:
    met = [Used(number, NOW - timedelta(hours=1)) for number in range(1, 16)]
    question = asked(plan(range(1, 25), *met))

    assert question.lines == ("Boards 1-15 were dealt today at 17:30 from tuesday.pbn.",)
    assert question.choices == (*USUAL, UsedAnswer.ONLY_NEW)
    assert question.text_of(UsedAnswer.ONLY_NEW) == "Deal only what was not dealt yet: boards 16-24"
    assert question.fresh == tuple((number, "") for number in range(16, 25))


@pytest.mark.parametrize(
    "met",
    [
        pytest.param([Used(1), Used(2)], id="on another day"),
        pytest.param([Used(1, NOW), Used(2, NOW, set_id="s2")], id="from two sets"),
        pytest.param([Used(number, NOW) for number in range(1, 5)], id="all of them"),
    ],
)
def test_only_a_job_of_today_from_one_set_is_offered_to_be_taken_up(met: list[Used]) -> None:
    assert asked(plan(range(1, 5), *met)).choices == USUAL


def test_one_more_copy_of_a_stored_set_asked_for_by_name_is_no_question() -> None:
    wanted = plan([17], Used(17, copy="A"), copy="B")
    assert used_question(wanted, NOW, set_id="s1", named=True) is None
    # The same without a stored set, without naming the copies, or of another set, is one.
    assert used_question(wanted, NOW, named=True) is not None
    assert used_question(wanted, NOW, set_id="s1") is not None
    assert used_question(wanted, NOW, set_id="s2", named=True) is not None


def test_a_copy_that_was_dealt_already_is_a_question() -> None:
    wanted = plan([17], Used(17, copy="A"), Used(17, copy="B"), copy="B")
    assert used_question(wanted, NOW, set_id="s1", named=True) is not None


def test_among_several_copies_only_the_dealt_one_is_asked_about() -> None:
    first, second = plan([17, 18], Used(17, copy="A"), copy="A"), plan([17, 18], Used(17, copy="A"), copy="B")
    question = used_question([*first, *second], NOW, set_id="s1", named=True)
    assert question is not None
    assert (question.used, question.fresh) == ((17,), ((18, "A"), (17, "B"), (18, "B")))


@pytest.mark.parametrize("strict", [False, True])
def test_where_nobody_can_be_asked_the_error_has_the_law_and_the_option(strict: bool) -> None:
    error = asked(plan([3], Used(3)), strict=strict).refusal()

    assert error.law == "6D2"
    assert str(error) == (
        "Board 3 was dealt on Tue 24 Nov from tuesday.pbn. Law 6D2: the director decides about results on such hands."
    )
    assert "--used repair, --used same-event or --used replay" in error.hint
    assert ("--name" in error.hint) is strict


def test_every_answer_but_stop_has_a_word_for_scripts() -> None:
    assert set(SCRIPT_ANSWERS.values()) == set(UsedAnswer) - {UsedAnswer.STOP}


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: str(edition.year))
@pytest.mark.parametrize("answer", UsedAnswer)
def test_only_another_session_and_a_replay_are_the_directors(answer: UsedAnswer, edition: object) -> None:
    line = law_line(answer)
    assert bool(line) is (answer in (UsedAnswer.SAME_EVENT, UsedAnswer.REPLAY))
    assert "forbid" not in line


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (datetime(2026, 11, 30, 9, 4, tzinfo=UTC), "today at 09:04"),
        (datetime(2026, 11, 29, 9, 4, tzinfo=UTC), "on Sun 29 Nov"),
        (datetime(2025, 3, 1, 9, 4, tzinfo=UTC), "on Sat 1 Mar 2025"),
    ],
)
def test_a_day_is_told_as_people_say_it(time: datetime, words: str) -> None:
    assert day_text(time, NOW) == words


def test_days_are_those_of_the_place_where_it_is_read() -> None:
    there = timezone(timedelta(hours=-8))
    assert day_text(datetime(2026, 11, 24, 4, 0, tzinfo=UTC), NOW.astimezone(there)) == "on Mon 23 Nov"


uses = st.builds(
    Used,
    board=st.integers(1, 40),
    time=st.datetimes(datetime(2020, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    set_id=st.sampled_from(["s1", "s2", "s3", "s4", "s5"]),
    copy=st.sampled_from(["", "A", "B"]),
    turned=st.integers(0, 3),
)
boards = st.builds(
    PlannedBoard, st.integers(1, 40), st.sampled_from(["", "A", "B"]), st.lists(uses, max_size=3).map(tuple)
)


@given(st.lists(boards, max_size=12), st.booleans(), st.booleans())
def test_whatever_was_met_the_question_is_short_and_stop_comes_first(
    planned: list[PlannedBoard], named: bool, strict: bool
) -> None:
    question = used_question(planned, NOW, set_id="s1", named=named, strict=strict)
    if question is None:
        assert named or not any(one.uses for one in planned)
        return
    assert question.choices[0] is UsedAnswer.STOP
    assert 1 <= len(question.lines) <= 4
    assert set(question.used) | {board for board, _ in question.fresh} == {one.board for one in planned}
    assert all(line.endswith(".") for line in question.lines)
