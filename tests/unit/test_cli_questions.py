"""Questions during a job: Enter means the safe choice, no other single key decides.

Read next: `driver/cli/questions.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.cli.questions import (
    END_OF_INPUT,
    LONGEST_LINE,
    Answer,
    Prompt,
    ask_line,
    ask_yes,
    check_needs_somebody,
    label,
)
from driver.cli.refusals import NobodyToAsk
from driver.findings import Choice, Situation, finding

CHOICES = (Choice.DEAL_AGAIN, Choice.COUNT, Choice.SKIP, Choice.STOP)


def typed(prompt: Prompt, text: str) -> list[Answer]:
    return [answer for key in text if (answer := prompt.press(key)) is not None]


def test_enter_alone_means_the_first_choice() -> None:
    assert typed(Prompt(CHOICES), "\n") == [Answer(Choice.DEAL_AGAIN)]


@pytest.mark.parametrize(
    ("key", "choice"),
    [("1", Choice.DEAL_AGAIN), ("3", Choice.SKIP), ("s", Choice.SKIP), ("S", Choice.SKIP), ("4", Choice.STOP)],
)
def test_a_number_and_enter_mean_that_choice(key: str, choice: Choice) -> None:
    assert typed(Prompt(CHOICES), f"{key}\r") == [Answer(choice)]


@given(st.characters(exclude_characters="\r\n" + END_OF_INPUT))
def test_no_single_key_but_enter_decides(key: str) -> None:
    assert Prompt(CHOICES).press(key) is None


@pytest.mark.parametrize("text", ["0\n", "5\n", "x\n", "12\n", "go\n"])
def test_what_is_no_choice_is_asked_again_with_a_remark(text: str) -> None:
    prompt = Prompt(CHOICES)
    assert typed(prompt, text) == []
    assert "1 to 4" in prompt.lines[0]
    assert prompt.typed == ""
    assert typed(prompt, "\n") == [Answer(Choice.DEAL_AGAIN)]


def test_a_wrong_key_can_be_rubbed_out() -> None:
    assert typed(Prompt(CHOICES), "4\x7f\x7f\x083\n") == [Answer(Choice.SKIP)]


def test_the_end_of_the_input_means_stop() -> None:
    assert typed(Prompt(CHOICES), END_OF_INPUT) == [Answer(Choice.STOP)]


def test_return_and_newline_together_are_one_enter() -> None:
    prompt = Prompt(CHOICES)
    assert typed(prompt, "9\r\n") == []
    assert "1 to 4" in prompt.lines[0]


def test_a_hand_count_asks_for_name_and_numbers() -> None:
    prompt = Prompt(CHOICES)
    assert typed(prompt, "2\n") == []
    assert "name" in prompt.lines[0]
    assert typed(prompt, "Ada L.\n") == []
    assert "North, East, South, West" in prompt.lines[0]
    assert typed(prompt, "13 13,13 13\n") == [Answer(Choice.COUNT, "Ada L.", (13, 13, 13, 13))]


@pytest.mark.parametrize("numbers", ["13 13 13", "13 13 13 x", "-1 13 13 13", "100 1 1 1"])
def test_a_hand_count_that_is_none_is_asked_again(numbers: str) -> None:
    prompt = Prompt(CHOICES)
    assert typed(prompt, f"2\nAda\n{numbers}\n") == []
    assert "Four numbers" in prompt.lines[0]


def test_enter_alone_leads_back_out_of_the_hand_count() -> None:
    prompt = Prompt(CHOICES)
    assert typed(prompt, "2\n\n\n") == [Answer(Choice.DEAL_AGAIN)]
    assert typed(Prompt(CHOICES), "2\nAda\n\n4\n") == [Answer(Choice.STOP)]


def test_counts_other_than_thirteen_are_passed_on_and_not_judged_here() -> None:
    assert typed(Prompt(CHOICES), "2\nAda\n12 14 13 13\n") == [Answer(Choice.COUNT, "Ada", (12, 14, 13, 13))]


def test_typing_never_grows_without_limit() -> None:
    prompt = Prompt(CHOICES)
    typed(prompt, "x" * 1000)
    assert len(prompt.typed) == LONGEST_LINE


def test_every_choice_is_on_a_line_of_its_own_and_the_first_is_marked() -> None:
    lines = Prompt(CHOICES).lines
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "4"]
    assert "(Enter)" in lines[0]
    assert not any("(Enter)" in line for line in lines[1:])


@pytest.mark.parametrize("situation", [each for each in Situation if finding(each, None).choices])
def test_what_was_found_is_asked_with_the_safest_choice_on_enter_and_can_always_be_left(situation: Situation) -> None:
    choices = finding(situation, None).choices
    assert typed(Prompt(choices), "\n") == [Answer(choices[0])]
    assert not {Choice.GO_ON, Choice.BOARD_IS_OUT} & {choices[0]}
    assert typed(Prompt(choices), END_OF_INPUT) == typed(Prompt(choices), f"{len(choices)}\n") == [Answer(Choice.STOP)]


@pytest.mark.parametrize("choice", list(Choice), ids=lambda choice: choice.name)
def test_every_choice_has_words_for_a_person(choice: Choice) -> None:
    assert label(choice).strip()
    assert "_" not in label(choice)


@pytest.mark.parametrize(
    ("line", "answer"), [("", False), ("n", False), ("y", True), ("YES", True), ("maybe", False), (None, False)]
)
def test_yes_must_be_typed(line: str | None, answer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def answered(question: str) -> str:
        if line is None:
            raise EOFError
        return line

    monkeypatch.setattr("builtins.input", answered)
    assert ask_yes("Deal?") is answer


def test_a_question_does_not_pass_terminal_commands_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answered(question: str) -> str:
        asked.append(question)
        return " a "

    monkeypatch.setattr("builtins.input", answered)
    assert ask_line("\x1b[2J?") == "a"
    assert "\x1b" not in asked[0]


def test_the_refusal_of_a_check_names_the_option() -> None:
    refusal = check_needs_somebody("the pack is in")
    assert isinstance(refusal, NobodyToAsk)
    assert "the pack is in" in str(refusal)
    assert "--ready" in refusal.hint


def test_s_leaves_the_board_where_that_is_offered_and_nowhere_else() -> None:
    prompt = Prompt((Choice.GO, Choice.SKIP, Choice.STOP))
    assert prompt.press("s") is None
    assert prompt.press("\n") == Answer(Choice.SKIP)
    other = Prompt((Choice.GO_ON, Choice.STOP))
    other.press("s")
    assert other.press("\n") is None
    assert "Type a number" in other.remark


def test_a_question_may_have_words_of_its_own() -> None:
    prompt = Prompt((Choice.CONTINUE, Choice.CONTINUE_EMPTIED), words=("continue on LEFT", "it is empty"))
    assert prompt.lines == ["1  continue on LEFT   (Enter)", "2  it is empty"]
