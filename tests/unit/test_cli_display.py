"""The live display and the line-by-line one, as text for given events; small terminals, no colour, no Unicode.

Read next: `driver/cli/display.py`, `driver/cli/view.py`, `driver/cli/plain.py`.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest

from driver.cli.display import Display, Style, render
from driver.cli.json_lines import NAMES, JsonLines, as_object
from driver.cli.plain import Plain
from driver.cli.report import noticed_lines
from driver.cli.text import as_ascii, board_name, clean
from driver.cli.view import Estimate, JobView, Mood
from driver.cli.views import Views
from driver.findings import Choice
from driver.job_events import (
    BoardJudged,
    BoardStarted,
    CardDealt,
    JobEnded,
    JobEvent,
    KeyPressed,
    MachineBack,
    MachineLost,
    NeedsOperator,
    Noticed,
    VerdictWithdrawn,
)
from driver.verdicts import Judgement, Reason, ReasonCode, Verdict, conclude

PLAIN = Style(colour=False, unicode=False)
RICH = Style(colour=True, unicode=True)
COLOUR_OR_MOVE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
COLOURS = re.compile(r"\x1b\[[0-9;]*(3[0-7]|4[0-7]|9[0-7])m")


def good(board: int = 7) -> Judgement:
    return conclude(board, [], [13, 13, 13, 13])


def jammed(board: int = 7) -> Judgement:
    reason = Reason(ReasonCode.JAM, "A card was stuck on its way.")
    return conclude(board, [reason], [13, 13, 13, 12])


STARTED = BoardStarted(board=7, copy="A", dealer="S", vulnerability="All")
ASKED = NeedsOperator(
    board=7,
    copy="A",
    text="A card is stuck.",
    steps=("Open the cover, take it out, lay it face down on top of the hopper, close the cover.",),
    choices=(Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP),
    code="JAM",
)
WAITING = NeedsOperator(board=8, copy="A", text="Take board 7A out.", steps=("Put the empty board 8A in.",))
EVERY = (
    STARTED,
    CardDealt(board=7, copy="A", index=26, counts=(5, 7, 8, 6)),
    ASKED,
    BoardStarted(board=7, copy="A", dealer="S", vulnerability="All", index=26),
    MachineLost(board=0, text="The cable came loose.", hands="Push it in."),
    MachineBack(),
    KeyPressed(key="START"),
    CardDealt(board=7, copy="A", index=52, counts=(13, 13, 13, 13)),
    BoardJudged(board=7, copy="A", judgement=good()),
    WAITING,
    VerdictWithdrawn(board=7, copy="A", reason="the next pack was not a whole pack"),
    JobEnded(complete=True),
)


def view_after(*events: JobEvent, total: int = 36, left: int = 30, by_order: bool = False) -> JobView:
    view = JobView(total, by_order=by_order, estimate=Estimate(0.01))
    for number, event in enumerate(events):
        view.take(event, number * 0.1, left)
    return view


def shown(view: JobView, width: int = 76, height: int = 12, style: Style = PLAIN) -> list[str]:
    return [COLOUR_OR_MOVE.sub("", line).rstrip() for line in render(view, width, height, style)]


def test_a_board_in_progress_in_a_wide_terminal() -> None:
    view = view_after(STARTED, CardDealt(board=7, copy="A", index=31, counts=(8, 7, 9, 7)))
    assert shown(view) == [
        " > Dealing board 7A",
        "Nothing to do. Keep your hands off.",
        "Board 7A   dealer South   vulnerable All",
        "[" + "#" * 31 + "." * 21 + "]",
        "N  8   E  7   S  9   W  7   31 of 52",
        "30 of 36 boards left - under a minute, time by hand not known yet",
        "p: pause after this board - Ctrl-C: stop",
    ]


def test_a_board_in_progress_in_forty_by_twelve() -> None:
    view = view_after(STARTED, CardDealt(board=7, copy="A", index=31, counts=(8, 7, 9, 7)))
    view.estimate = Estimate(0.5)
    assert shown(view, 39, 11, Style(colour=True, unicode=True)) == [
        " ▶ Dealing board 7A",
        "Nothing to do. Keep your hands off.",
        "Board 7A   dealer S   vul All",
        "[███████████████▌░░░░░░░░░░]",
        "N  8   E  7   S  9   W  7   31 of 52",
        "30 of 36 boards left · about 13 min",
        "p: pause · Ctrl-C: stop",
    ]


def test_a_question_in_forty_by_twelve_keeps_instruction_choices_and_what_is_typed() -> None:
    view = view_after(STARTED, CardDealt(board=7, copy="A", index=23, counts=(5, 6, 6, 6)), ASKED)
    assert view.prompt is not None
    view.prompt.press("2")
    assert shown(view, 39, 11) == [
        " ! Your turn",
        "A card is stuck. Open the cover, take",
        "it out, lay it face down on top of the",
        "hopper, close the cover.",
        "1  go on: board 7A is in   (Enter)",
        "2  deal board 7A again, emptied",
        "3  stop",
        "> 2",
        "Board 7A   dealer S   vul All",
        "N  5   E  6   S  6   W  6   23 of 52",
        "30 of 36 boards left - under a minute",
    ]


@pytest.mark.parametrize(("width", "height"), [(20, 6), (39, 11), (40, 12), (53, 8), (54, 23), (76, 40), (1, 1)])
@pytest.mark.parametrize("count", range(1, len(EVERY) + 1))
def test_no_picture_is_larger_than_the_terminal(width: int, height: int, count: int) -> None:
    lines = render(view_after(*EVERY[:count]), width, height, RICH)
    assert len(lines) <= max(height, 6)
    assert all(len(COLOUR_OR_MOVE.sub("", line)) <= max(width, 20) for line in lines)


@pytest.mark.parametrize("count", range(1, len(EVERY) + 1))
def test_without_colour_there_is_none_and_without_unicode_all_is_ascii(count: int) -> None:
    text = "\n".join(render(view_after(*EVERY[:count]), 76, 23, PLAIN))
    assert not COLOURS.search(text)
    assert text.isascii()


def test_with_colour_each_mood_has_a_sign_of_its_own_besides() -> None:
    signs = set()
    for mood in Mood:
        view = view_after(STARTED)
        view.mood = mood
        signs.add(shown(view, style=RICH)[0].split()[0])
    assert len(signs) == len(Mood)


def test_the_state_is_six_words_at_most() -> None:
    for count in range(1, len(EVERY) + 1):
        assert len(view_after(*EVERY[:count]).state.split()) <= 6


def test_a_roomy_terminal_gets_a_large_band() -> None:
    assert [line.strip() for line in shown(view_after(STARTED), height=30)[:3]] == ["", "> Dealing board 7A", ""]


def test_pocket_totals_are_hidden_where_their_order_would_tell_the_deal() -> None:
    card = CardDealt(board=7, copy="A", index=31, counts=(8, 7, 9, 7))
    text = "\n".join(shown(view_after(STARTED, card, by_order=True)))
    assert "N  -   E  -   S  -   W  -   31 of 52" in text
    full = CardDealt(board=7, copy="A", index=52, counts=(13, 13, 13, 13))
    assert "N 13" in "\n".join(shown(view_after(STARTED, full, by_order=True)))


def test_what_was_noticed_stays_on_the_screen_and_is_told_with_its_steps_line_by_line() -> None:
    noticed = Noticed(text="Cards feed slowly.", means="Dust.", steps=("Clean it.", "Let it dry."), code="FEEDS SLOWER")
    withdrawn = VerdictWithdrawn(board=6, reason="The next pack came short.", means="So.", steps=("Look.", "Count."))
    view = view_after(STARTED, noticed, BoardJudged(board=7, copy="A", judgement=good()))
    assert "! Cards feed slowly." in shown(view, 60, 20)
    assert plain_text(noticed, withdrawn) == [
        "Cards feed slowly. Dust.",
        "1. Clean it.",
        "2. Let it dry.",
        "Board 6 is not proven any more: The next pack came short. So.",
        "1. Look.",
        "2. Count.",
    ]
    assert noticed_lines([noticed, withdrawn])[::3] == [
        "Cards feed slowly. Dust.",
        "Board 6: The next pack came short. So.",
    ]
    assert as_object(noticed)["steps"] == ["Clean it.", "Let it dry."]
    assert noticed.instruction == "Clean it. Let it dry."
    assert withdrawn.instruction == "So. Look. Count."


def test_old_values_are_shown_as_old() -> None:
    view = view_after(STARTED)
    view.silent_for = 2.6
    assert shown(view)[0] == " > Silent for 3 s: old values"
    view.silent_for = 1.0
    assert "Silent" not in shown(view)[0]


def test_old_values_are_shown_as_old_while_a_person_is_asked_too_and_the_question_stays() -> None:
    view = view_after(STARTED, ASKED)
    view.silent_for = 2.6
    assert shown(view)[0] == " ! Silent for 3 s: old values"
    assert "1  go on: board 7A is in   (Enter)" in shown(view)
    view.silent_for = 1.0
    assert shown(view)[0] == " ! Your turn"


def test_plain_mode_tells_a_silence_during_a_question_once() -> None:
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    view = view_after(STARTED, ASKED)
    plain.show(ASKED, view)
    view.silent_for = 2.6
    plain.refresh(view)
    view.silent_for = 2.9
    plain.refresh(view)
    assert stream.getvalue().count("The machine is silent for 3 seconds.") == 1


def test_plain_mode_names_the_machine_that_is_silent_each_by_itself() -> None:
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    left, right = (view_after(STARTED) for _ in range(2))
    left.machine, right.machine = "LEFT", "RIGHT"
    left.silent_for = right.silent_for = 2.6
    for view in (left, right, left, right):
        plain.refresh(view)
    assert stream.getvalue() == "LEFT is silent for 3 seconds.\nRIGHT is silent for 3 seconds.\n"
    left.silent_for = 0.0
    plain.refresh(left)
    left.silent_for = 2.1
    for view in (right, left):
        plain.refresh(view)
    assert stream.getvalue().endswith("RIGHT is silent for 3 seconds.\nLEFT is silent for 2 seconds.\n")


def test_a_machine_that_is_lost_is_not_told_of_as_silent_too_until_it_is_back() -> None:
    lost = MachineLost(text="The cable came loose.", hands="Push it in.")
    view = view_after(STARTED, lost, ASKED)
    view.silent_for = 2.6
    assert not view.stale
    assert shown(view)[0] == " ! Your turn"
    view.take(MachineBack(), 1.0, 30)
    assert view.stale


def test_what_was_asked_about_a_lost_machine_is_asked_no_more_when_it_is_back() -> None:
    lost = MachineLost(text="The cable came loose.", hands="Push it in.")
    view = view_after(STARTED, lost, ASKED, MachineBack())
    assert view.prompt is None
    assert shown(view)[0] != " ! Your turn"


def test_what_ctrl_c_did_is_shown() -> None:
    view = view_after(STARTED)
    view.stopping = 1
    assert shown(view)[0] == " > Stopping"
    assert "Stops after this card. Ctrl-C again: at once" in shown(view)


def test_texts_of_the_machine_cannot_steer_the_terminal() -> None:
    evil = NeedsOperator(board=1, text="\x1b[2J\x07evil", steps=("\r\nmore",), choices=(Choice.STOP,))
    assert "\x1b[2J" not in "".join(render(view_after(evil), 40, 12, PLAIN))
    stream = io.StringIO()
    Plain(stream, asks=True).show(evil, view_after(evil))
    assert "\x1b" not in stream.getvalue()
    assert "\x07" not in stream.getvalue()


def test_the_display_repaints_in_place_and_writes_only_what_changed() -> None:
    stream = io.StringIO()
    display = Display(stream, PLAIN, clock=lambda: 0.0)
    view = view_after(STARTED)
    display.refresh(view)
    first = stream.getvalue()
    display.refresh(view)
    assert stream.getvalue() == first
    view.take(CardDealt(board=7, copy="A", index=1, counts=(1, 0, 0, 0)), 1.0, 30)
    display.refresh(view)
    more = stream.getvalue()[len(first) :]
    assert more.startswith("\x1b[")
    assert "of 52" in more
    assert "dealer" not in more


def test_the_time_left_counts_machine_time_only() -> None:
    estimate = Estimate(0.1)
    estimate.start(0.0, 0)
    for index in range(1, 11):
        estimate.card_dealt(index * 0.2, index)
    assert estimate.card == pytest.approx(0.2)
    estimate.pause()
    estimate.start(1000.0, 10)
    estimate.card_dealt(1000.2, 11)
    assert estimate.card == pytest.approx(0.2)
    estimate.card_dealt(2000.0, 12)  # a hand was in between, and nobody said so
    assert estimate.card == pytest.approx(0.2)
    assert estimate.text(36, 12) == "about 6 min"
    assert estimate.text(1, 12) == "under a minute"
    assert estimate.text(0, 0) == "under a minute"


def test_the_time_of_hands_is_told_apart_by_the_usual_change_of_boards() -> None:
    estimate = Estimate(0.1, hands=120.0)
    for board, break_of in enumerate((30.0, 20.0, 600.0)):
        estimate.board_done(1000.0 * board)
        estimate.start(1000.0 * board + break_of, 0)
    assert estimate.by_hand(10) == ", about 5 min by hand", "a long break does not count"
    assert estimate.by_hand(0) == ""


def test_before_anything_is_measured_an_estimate_says_that_it_is_of_earlier_evenings_or_that_nobody_knows() -> None:
    assert Estimate(0.1, hands=30.0).by_hand(10) == ", about 5 min by hand as on earlier evenings"
    assert Estimate(0.1).by_hand(10) == ", time by hand not known yet"
    assert [Estimate(0.1).by_hand(changes) for changes in (0, -0.5)] == ["", ""]
    nothing = Estimate()
    assert nothing.text(36, 0) == "machine time not known yet"
    nothing.start(0.0, 0)
    nothing.card_dealt(0.5, 1)
    assert nothing.text(36, 0) == "about 16 min"


def test_no_time_of_hands_is_left_while_the_last_board_is_dealt() -> None:
    view = view_after(STARTED, left=1)
    assert view.hand_time == ""
    view.take(BoardJudged(board=7, copy="A", judgement=good()), 9.0, 3)
    assert view.hand_time == ", time by hand not known yet"


def test_a_machine_of_unknown_speed_gets_its_share_and_says_that_its_time_is_not_known() -> None:
    views = Views({"LEFT": JobView(36, estimate=Estimate(0.1)), "RIGHT": JobView(36)})
    views.take(replace(STARTED, machine="LEFT"), 0.0, 30)
    assert [(view.share, view.machine_time) for view in views] == [
        (0.5, "about 1 min"),
        (0.5, "machine time not known yet"),
    ]


def test_a_narrow_terminal_shows_the_time_of_hands_whole_or_not_at_all() -> None:
    view = view_after(STARTED, CardDealt(board=7, copy="A", index=31, counts=(8, 7, 9, 7)))
    view.estimate.hands = 30.0
    left = "30 of 36 boards left - under a minute"
    assert left in shown(view, 39, 11)
    assert f"{left}, about 14 min by hand as on earlier evenings" in shown(view, 90)


def test_machines_that_deal_together_share_what_is_left_by_their_speed() -> None:
    views = Views({"LEFT": JobView(36, estimate=Estimate(0.5)), "RIGHT": JobView(36, estimate=Estimate(1.0))})
    views.take(BoardStarted(machine="LEFT", board=1, dealer="N", vulnerability="None"), 0.0, 30)
    assert {view.machine: view.machine_time for view in views} == {"LEFT": "about 9 min", "RIGHT": "about 9 min"}


def test_the_question_that_was_asked_first_stays_in_front_and_the_others_are_told_beside_it() -> None:
    views = Views({name: JobView(3) for name in ("LEFT", "RIGHT")})
    for name in ("RIGHT", "LEFT"):
        views.take(replace(ASKED, machine=name), 0.0, 3)
    views.take(replace(STARTED, machine="LEFT"), 0.1, 3)
    assert views.front.machine == "RIGHT"
    assert views.front.beside == ("LEFT: Dealing board 7A",)
    lines = shown(views.front, height=20)
    assert any("RIGHT: Your turn" in line for line in lines)
    assert "RIGHT: 1  go on: board 7A is in   (Enter)" in lines
    assert "LEFT: Dealing board 7A" in lines
    views.answered()
    assert views.front.prompt is None


def plain_text(*events: JobEvent, asks: bool = True) -> list[str]:
    stream = io.StringIO()
    plain = Plain(stream, asks=asks)
    view = JobView(36, estimate=Estimate(0.01))
    for number, event in enumerate(events):
        view.take(event, number * 0.1, 30)
        plain.show(event, view)
    plain.close(view)
    return stream.getvalue().splitlines()


def test_every_event_is_a_line_or_two_in_plain_mode() -> None:
    assert plain_text(*EVERY) == [
        "Dealing board 7A, dealer South, vulnerable All.",
        "Board 7A: 26 of 52 cards.",
        "A card is stuck. Open the cover, take it out, lay it face down on top of the hopper, close the cover.",
        "1  go on: board 7A is in   (Enter)",
        "2  deal board 7A again, emptied",
        "3  stop",
        "Board 7A goes on after card 26.",
        "The cable came loose. Push it in.",
        "The machine answers again.",
        "START pressed at the machine.",
        "Board 7A is GOOD. 30 boards left, under a minute of machine time, time by hand not known yet.",
        "Take board 7A out. Put the empty board 8A in.",
        "Board 7A is not proven any more: the next pack was not a whole pack",
        "The set is done.",
    ]


def test_plain_mode_shows_no_choices_where_nobody_can_choose() -> None:
    assert not any("(Enter)" in line for line in plain_text(STARTED, ASKED, asks=False))


def test_plain_mode_echoes_what_is_typed_and_takes_it_back() -> None:
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    view = view_after(STARTED, ASKED)
    plain.show(ASKED, view)
    assert view.prompt is not None
    for key in "2\x7f3":
        view.prompt.press(key)
        plain.refresh(view)
    plain.close(view)
    assert stream.getvalue().endswith("2\b \b3\n")


CHOICES = ["RIGHT: 1  go on: board 7A is in   (Enter)", "RIGHT: 2  deal board 7A again, emptied", "RIGHT: 3  stop"]


def test_a_question_that_waits_is_told_once_in_plain_mode_whatever_the_other_machine_does() -> None:
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    views = Views({name: JobView(3) for name in ("LEFT", "RIGHT")})
    told = (STARTED, *all_cards(), BoardJudged(board=7, judgement=good()))
    others = [replace(event, machine="LEFT") for event in told]
    for number, event in enumerate((replace(ASKED, machine="RIGHT"), *others)):
        views.take(event, number * 0.1, 3)
        plain.show(event, views.front)
        plain.refresh(views.front)
    lines = stream.getvalue().splitlines()
    assert [lines.count(choice) for choice in CHOICES] == [1, 1, 1]
    assert lines[-1].startswith("LEFT: Board 7 is GOOD.")


def test_what_is_typed_meanwhile_stands_behind_what_the_other_machine_told() -> None:
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    view = view_after(STARTED, ASKED)
    plain.show(ASKED, view)
    assert view.prompt is not None
    view.prompt.press("2")
    plain.refresh(view)
    plain.show(replace(STARTED, machine="LEFT"), view)
    assert stream.getvalue().endswith("3  stop\n2\nLEFT: Dealing board 7A, dealer South, vulnerable All.\n2")


def test_a_question_is_told_again_in_plain_mode_after_each_answer_that_is_none() -> None:
    stream = io.StringIO()
    plain = Plain(stream, asks=True)
    view = view_after(STARTED, ASKED)
    plain.show(ASKED, view)
    assert view.prompt is not None
    for times, typed in enumerate("9?x", start=2):
        view.prompt.press(typed)
        plain.refresh(view)
        view.prompt.press("\r")
        plain.refresh(view)
        assert stream.getvalue().count("1  go on: board 7A is in   (Enter)\n") == times
        assert stream.getvalue().count("Type a number from 1 to 3, then Enter.\n") == times - 1


def test_the_same_question_put_anew_is_told_anew_in_plain_mode() -> None:
    assert plain_text(STARTED, ASKED, ASKED).count("1  go on: board 7A is in   (Enter)") == 2


def test_a_verdict_that_is_not_good_is_named() -> None:
    assert plain_text(BoardJudged(board=7, judgement=jammed()))[-1] == "Board 7 is NOT PROVEN."


def test_a_verdict_that_is_the_best_of_the_machine_is_told_as_such() -> None:
    reason = Reason(ReasonCode.NO_LEDGER, "This machine keeps no record of its own, so it can prove no board.")
    judged = BoardJudged(board=7, judgement=conclude(7, [reason], [None] * 4))
    assert plain_text(judged) == ["Board 7 is NOT PROVEN: this machine can prove no more."]
    assert shown(view_after(STARTED, judged))[0] == " o Board 7 is NOT PROVEN"


def all_cards() -> list[CardDealt]:
    counts = [0, 0, 0, 0]
    cards = []
    for index in range(52):
        counts[index * 7 % 4] += 1
        cards.append(CardDealt(board=7, copy="A", index=index + 1, counts=(*counts,)))  # type: ignore[arg-type]
    return cards


def test_nothing_that_may_be_kept_in_a_file_tells_how_the_pockets_fill() -> None:
    text = "\n".join(plain_text(STARTED, *all_cards()))
    assert not re.search(r"(North|East|South|West|[NESW]) +\d", text)
    for card in all_cards():
        assert set(as_object(card)) == {"event", "board", "copy", "index"}


def test_every_event_is_one_line_of_json() -> None:
    stream = io.StringIO()
    screen = JsonLines(stream)
    for count, event in enumerate(EVERY, start=1):
        screen.show(event, view_after(*EVERY[:count]))
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [each["event"] for each in found] == [NAMES[type(event)] for event in EVERY]
    assert found[2]["choices"] == ["go on", "deal again", "stop"]
    assert found[8]["verdict"] == "GOOD"


def test_every_kind_of_event_has_a_name_in_json() -> None:
    assert {kind.__name__ for kind in NAMES} == {
        kind.__name__ for kind in JobEvent.__subclasses__() if kind.__module__ == JobEvent.__module__
    }


def test_reasons_are_in_the_json_of_a_verdict() -> None:
    found = as_object(BoardJudged(board=7, judgement=jammed()))
    assert found["verdict"] == Verdict.NOT_PROVEN.name
    assert found["reasons"] == [{"code": "jam", "text": "A card was stuck on its way."}]


def test_names_of_boards() -> None:
    assert [board_name(7), board_name(7, "A"), board_name(7, "red")] == ["7", "7A", "7 red"]


def test_clean_text_has_nothing_that_a_terminal_obeys() -> None:
    assert clean("a\x1b[2J\x9b\x07\r\n\u202eb") == "a?[2J?????b"
    assert as_ascii("“a” – b… é") == '"a" - b... ?'
