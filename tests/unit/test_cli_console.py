"""A job and a person at one console, with a job made of events: answers, keys, bells, interruptions, scripts.

Read next: `driver/cli/console.py`, `driver/cli/interrupts.py`, `driver/cli/report.py`.
"""

from __future__ import annotations

import io
import queue
import signal
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.cli.console import Console, Ending
from driver.cli.exit_codes import Exit
from driver.cli.interrupts import Interrupts
from driver.cli.keyboard import NoKeyboard
from driver.cli.loading_card import loading_card, origins_of
from driver.cli.plain import Plain
from driver.cli.questions import Answer
from driver.cli.report import exit_code, report_lines, report_object
from driver.cli.sound import Pattern, Sound
from driver.cli.truth import differing_boards, truth_line
from driver.cli.view import JobView
from driver.cli.views import Views
from driver.deals.model import Deal, Vulnerability
from driver.findings import Choice
from driver.happenings import Item
from driver.job_events import BoardStarted, JobEnded, JobEvent, MachineLost, NeedsOperator
from driver.job_result import BoardResult
from driver.pack_colours import PackColours
from driver.verdicts import Judgement, Reason, ReasonCode, Verdict, conclude
from protocol.cards import Seat

PATIENCE = 10.0
ASK = NeedsOperator(board=1, text="Board 1 comes next.", steps=("Put it in.",), choices=(Choice.GO, Choice.STOP))
FAULT = NeedsOperator(board=1, text="A card is stuck.", steps=("Take it out.",), choices=(Choice.GO_ON,), code="JAM")
START = BoardStarted(board=1, dealer="N", vulnerability="None")


class Keys:
    """A keyboard on which the test types."""

    def __init__(self) -> None:
        self._typed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.closed = False

    def type(self, text: str) -> None:
        self._typed.put(text)

    def read(self, timeout: float) -> str:
        try:
            return self._typed.get(timeout=timeout)
        except queue.Empty:
            return ""

    def wake(self) -> None:
        self._typed.put("")

    def close(self) -> None:
        self.closed = True


class MadeUpJob:
    """A job whose events the test gives; a function in the list is called, and waits for what it needs."""

    def __init__(self, *events: JobEvent | Callable[[MadeUpJob], None]) -> None:
        self._events = events
        self._happened = threading.Condition()
        self.said: list[object] = []
        self.boards_left = 1

    def events(self) -> Iterator[JobEvent]:
        for event in self._events:
            if isinstance(event, JobEvent):
                yield event
            else:
                event(self)

    def wait_for(self, *said: object) -> None:
        with self._happened:
            assert self._happened.wait_for(lambda: set(said) <= set(self.said), PATIENCE), self.said

    def silent_at(self, machine: str) -> float:
        return 0.0

    def stop_at(self, machine: str) -> None:
        self.stop()

    def decide(
        self, choice: Choice, name: str = "", counts: tuple[int, int, int, int] = (0, 0, 0, 0), *, machine: str = ""
    ) -> None:
        self._say(Answer(choice, name, counts))

    def pause_after_board(self) -> None:
        self._say("pause")

    def stop(self) -> None:
        self._say("stop")

    def stop_now(self) -> None:
        self._say("stop now")

    def _say(self, what: object) -> None:
        # Also called as a signal's answer, in a thread that may be waiting above: the condition's lock is reentrant.
        with self._happened:
            self.said.append(what)
            self._happened.notify_all()


class Bells(io.StringIO):
    def isatty(self) -> bool:
        return True


def types(keys: Keys, text: str, *said: object) -> Callable[[MadeUpJob], None]:
    """Types, and waits until the job has heard what comes of it."""

    def act(job: MadeUpJob) -> None:
        keys.type(text)
        job.wait_for(*said)

    return act


def run(job: MadeUpJob, keys: Keys, *, asks: bool = True, give_up: float = 30.0) -> tuple[Ending, str]:
    shown = io.StringIO()
    sound = Sound(shown, lambda: 0.0, quiet=True)
    screen = Plain(shown, asks=asks)
    with Console(job, Views({"": JobView(1)}), screen, keys, sound, asks=asks, give_up=give_up) as console:
        ending = console.run()
    assert keys.closed
    return ending, shown.getvalue()


def test_enter_answers_the_question_of_the_job() -> None:
    keys = Keys()
    job = MadeUpJob(ASK, types(keys, "\n", Answer(Choice.GO)), START, JobEnded(complete=True))
    ending, shown = run(job, keys)
    assert ending == Ending(complete=True)
    assert "Board 1 comes next. Put it in." in shown


class WatchedKeys(Keys):
    """Tells when a key was dealt with: the console reads on."""

    def __init__(self) -> None:
        super().__init__()
        self.read_on = threading.Event()
        self._last = ""

    def read(self, timeout: float) -> str:
        if self._last:
            self.read_on.set()
        self._last = super().read(timeout)
        return self._last

    def press_enter(self) -> None:
        self.read_on.clear()
        self.type("\n")
        assert self.read_on.wait(PATIENCE)


def test_a_second_enter_at_once_does_not_answer_a_question_that_nobody_can_have_read() -> None:
    keys, moment = WatchedKeys(), [100.0]
    said: list[list[Choice]] = []

    def press(job: MadeUpJob) -> None:
        keys.press_enter()
        said.append([answer.choice for answer in job.said if isinstance(answer, Answer)])

    def let_time_pass(_: MadeUpJob) -> None:
        moment[0] += 1.0

    job = MadeUpJob(ASK, press, FAULT, press, let_time_pass, press, JobEnded(complete=True))
    shown = io.StringIO()
    sound = Sound(shown, lambda: 0.0, quiet=True)
    with Console(
        job, Views({"": JobView(1)}), Plain(shown, asks=True), keys, sound, asks=True, clock=lambda: moment[0]
    ) as console:
        console.run()

    assert said == [[Choice.GO], [Choice.GO], [Choice.GO, Choice.GO_ON]]


def test_keys_pressed_while_nothing_is_asked_answer_no_later_question() -> None:
    keys = Keys()
    job = MadeUpJob(
        START,
        types(keys, "\n\n1\np", "pause"),
        ASK,
        types(keys, "2\n", Answer(Choice.STOP)),
        JobEnded(complete=False),
    )
    run(job, keys)
    assert job.said == ["pause", Answer(Choice.STOP)]


def test_a_question_is_gone_when_somebody_presses_start_at_the_machine() -> None:
    keys = Keys()
    job = MadeUpJob(ASK, START, types(keys, "\np", "pause"), JobEnded(complete=True))
    run(job, keys)
    assert job.said == ["pause"]


def test_where_nobody_can_be_asked_a_question_stops_the_job() -> None:
    job = MadeUpJob(START, FAULT, JobEnded(complete=False))
    ending, _ = run(job, Keys(), asks=False)
    assert job.said == [Answer(Choice.STOP)]
    assert ending.unanswered == FAULT


def test_a_wait_for_something_at_the_machine_is_no_question() -> None:
    waiting = NeedsOperator(board=2, text="Take board 1 out.", steps=("Put board 2 in.",))
    ending, _ = run(MadeUpJob(waiting, JobEnded(complete=True)), Keys(), asks=False)
    assert ending == Ending(complete=True)


def test_where_nobody_is_a_lost_machine_is_given_up_after_a_while() -> None:
    lost = MachineLost(text="The cable came loose.", hands="Push it in.")
    job = MadeUpJob(lost, lambda job: job.wait_for("stop"), JobEnded(complete=False))
    ending, _ = run(job, Keys(), asks=False, give_up=0.0)
    assert ending.lost == {""}


@pytest.mark.parametrize(("presses", "said"), [(1, ["stop"]), (2, ["stop", "stop now"])])
def test_ctrl_c_stops_after_the_card_first_and_at_once_then(presses: int, said: list[str]) -> None:
    def press(job: MadeUpJob) -> None:
        for _ in range(presses):
            signal.raise_signal(signal.SIGINT)
        job.wait_for(*said)

    job = MadeUpJob(START, press, JobEnded(complete=False))
    ending, _ = run(job, Keys())
    assert job.said == said
    assert ending.interrupted


def test_a_third_ctrl_c_leaves_without_waiting_for_the_machine() -> None:
    def press(job: MadeUpJob) -> None:
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    ending, _ = run(MadeUpJob(START, press), Keys())
    assert ending.unconfirmed
    assert not ending.complete


def test_a_job_that_does_not_end_is_left_when_the_grace_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driver.cli.interrupts.GRACE", 0.05)
    forever = threading.Event()

    def press(job: MadeUpJob) -> None:
        signal.raise_signal(signal.SIGINT)
        assert not forever.wait(PATIENCE)

    ending, _ = run(MadeUpJob(START, press), Keys())
    assert ending.interrupted


def test_a_shut_down_counts_as_the_second_ctrl_c() -> None:
    def shut_down(job: MadeUpJob) -> None:
        signal.raise_signal(signal.SIGTERM)
        job.wait_for("stop now")

    job = MadeUpJob(START, shut_down)
    ending, _ = run(job, Keys())
    assert job.said == ["stop now"]
    assert ending.interrupted


def test_signals_are_as_before_afterwards() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Interrupts(MadeUpJob(), lambda presses: None):
        assert signal.getsignal(signal.SIGINT) != before[0]
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_an_error_of_the_job_comes_through_and_leaves_nothing_behind() -> None:
    def fail(job: MadeUpJob) -> None:
        raise ValueError("no words of this are shown")

    keys = Keys()
    with pytest.raises(ValueError, match="no words"):
        run(MadeUpJob(START, fail), keys)
    assert keys.closed


def test_an_answer_is_told_with_its_board() -> None:
    told: list[tuple[Answer, int]] = []
    keys = Keys()
    job = MadeUpJob(ASK, types(keys, "\n", Answer(Choice.GO)), JobEnded(complete=True))
    shown = io.StringIO()
    console = Console(
        job,
        Views({"": JobView(1)}),
        Plain(shown, asks=True),
        keys,
        Sound(shown, lambda: 0.0),
        asks=True,
        on_answer=lambda answer, board: told.append((answer, board)),
    )
    with console:
        console.run()
    assert told == [(Answer(Choice.GO), 1)]


def test_nobody_types_on_no_keyboard_and_it_can_be_woken() -> None:
    keyboard = NoKeyboard()
    keyboard.wake()
    assert keyboard.read(PATIENCE) == ""
    keyboard.close()


@pytest.mark.parametrize("pattern", list(Pattern), ids=lambda pattern: pattern.name)
def test_each_pattern_rings_as_often_as_it_says(pattern: Pattern) -> None:
    now = 0.0
    stream = Bells()
    sound = Sound(stream, lambda: now)
    sound.play(pattern)
    for step in range(30):
        now = step / 10
        sound.tick()
    assert stream.getvalue() == "\a" * len(pattern.value)


def test_the_three_patterns_differ_in_number() -> None:
    assert len({len(pattern.value) for pattern in Pattern}) == 3


def test_a_new_pattern_takes_the_place_of_the_old() -> None:
    stream = Bells()
    sound = Sound(stream, lambda: 0.0)
    sound.play(Pattern.NEEDS_YOU)
    sound.play(Pattern.BOARD_DONE)
    sound.tick()
    assert stream.getvalue() == "\a\a"


@pytest.mark.parametrize("stream", [Bells(), io.StringIO()], ids=["quiet", "no terminal"])
def test_nothing_rings_when_quiet_or_where_no_terminal_is(stream: io.StringIO) -> None:
    Sound(stream, lambda: 0.0, quiet=isinstance(stream, Bells)).play(Pattern.SET_DONE)
    assert stream.getvalue() == ""


# The report


def judgement(board: int, code: ReasonCode | None = None) -> Judgement:
    reasons = [] if code is None else [Reason(code, "Something was seen.")]
    return conclude(board, reasons, [13, 13, 13, 13], cannot_prove=("It cannot see this.",))


GOOD = BoardResult(1, "", judgement(1))
GOOD_A = BoardResult(2, "A", judgement(2))
WRONG = BoardResult(3, "", judgement(3, ReasonCode.WRONG_POCKET))
COUNTED = BoardResult(4, "", judgement(4, ReasonCode.NO_RECOGNITION))


def test_the_report_has_a_line_for_each_board_and_says_once_what_cannot_be_proven() -> None:
    assert report_lines([GOOD, GOOD_A, WRONG, COUNTED], 5) == [
        "board 1 GOOD",
        "board 2A GOOD",
        "board 3 DEAL AGAIN: Something was seen.",
        "board 4 COUNTED: Something was seen.",
        "What this machine cannot prove:",
        "  It cannot see this.",
        "2 of 5 boards GOOD, 1 COUNTED, 1 DEAL AGAIN, 1 not dealt.",
    ]


def test_the_report_as_json_has_the_same_boards() -> None:
    found = report_object([GOOD_A, WRONG], 2, Exit.NOT_GOOD)
    assert [board["verdict"] for board in found["boards"]] == ["GOOD", "DEAL_AGAIN"]
    assert found["boards"][0]["copy"] == "A"
    assert found["exit"] == 1


@pytest.mark.parametrize(
    ("boards", "wanted", "ending", "code"),
    [
        ([GOOD, GOOD_A], 2, Ending(complete=True), 0),
        ([GOOD], 2, Ending(), 1),
        ([GOOD, WRONG], 2, Ending(complete=True), 1),
        ([COUNTED], 1, Ending(complete=True), 1),
        ([], 1, Ending(unanswered=ASK), 2),
        ([GOOD], 2, Ending(unanswered=FAULT), 5),
        ([GOOD], 2, Ending(lost={""}), 4),
        ([GOOD, GOOD_A], 2, Ending(complete=True, lost={"LEFT"}), 0),
        ([GOOD], 2, Ending(interrupted=True, lost={""}), 130),
        ([GOOD], 1, Ending(complete=True, interrupted=True), 130),
    ],
)
def test_the_exit_code_is_that_of_the_final_state(
    boards: list[BoardResult], wanted: int, ending: Ending, code: int
) -> None:
    assert exit_code(boards, wanted, ending, accept_counted=False) == code


def test_counted_is_enough_only_when_it_is_said() -> None:
    assert exit_code([COUNTED], 1, Ending(complete=True), accept_counted=True) == Exit.ALL_GOOD
    assert exit_code([COUNTED, WRONG], 2, Ending(complete=True), accept_counted=True) == Exit.NOT_GOOD


def test_every_verdict_but_good_and_counted_is_never_enough() -> None:
    for verdict in set(Verdict) - {Verdict.GOOD, Verdict.COUNTED}:
        code = next(code for code in ReasonCode if code.best is verdict)
        result = BoardResult(1, "", judgement(1, code))
        assert exit_code([result], 1, Ending(complete=True), accept_counted=True) == Exit.NOT_GOOD


# Loading card and truth

DEAL = Deal([seat for seat in Seat for _ in range(13)])
RED_AND_BLUE = PackColours("red", "blue")


def item(number: int, copy: str = "") -> Item:
    return Item(number, copy, DEAL, Seat.NORTH, Vulnerability.NONE, number)


def items(*numbers: int) -> list[Item]:
    return [item(number) for number in numbers]


def test_the_loading_card_of_one_pack_at_a_time() -> None:
    lines = loading_card(items(1, 2, 3), 1, sorted_packs=False)
    assert lines[1] == "  1. Put the pack out of board 3, face down, into the hopper: it becomes board 1."
    assert "next pack" in lines[2]
    assert lines[3].strip() == "Each pack moves on: board 2 gets the pack out of board 1, and so on."


def test_the_loading_card_of_two_packs_names_their_order_and_alternating_backs() -> None:
    lines = loading_card(items(*range(1, 37)), 2, sorted_packs=False)
    assert lines[1] == "  1. Pack out of board 35, on top, face down, first back colour: it becomes board 1."
    assert lines[2] == (
        "  2. Pack out of board 36, below it, number 2 from the top, face down, other back colour: it becomes board 2."
    )
    assert "one more pack at the bottom; back colours take turns" in lines[3]
    assert "board 3 gets the pack out of board 1" in lines[4]


def test_red_packs_stay_in_odd_boards_and_blue_ones_in_even_boards() -> None:
    lines = loading_card(items(*range(1, 37)), 2, sorted_packs=False, colours=RED_AND_BLUE)
    assert lines[1] == "  1. Pack out of board 35, on top, face down, red: it becomes board 1."
    assert "Pack out of board 36" in lines[2]
    assert "blue: it becomes board 2" in lines[2]
    assert "take turns" not in lines[3]
    assert "board 3 gets the pack out of board 1" in lines[4]


def test_the_loading_card_of_a_few_boards_later_the_same_evening() -> None:
    lines = loading_card(items(25, 26, 27), 2, sorted_packs=False, colours=RED_AND_BLUE)
    assert "Pack out of board 27, on top, face down, red: it becomes board 25." in lines[1]
    assert "Pack out of board 26" in lines[2]
    assert "board 27 gets the pack out of board 25" in lines[4]
    one = loading_card(items(7), 2, sorted_packs=False, colours=RED_AND_BLUE)
    assert one == ["Loading card:", "  1. One whole pack, on top, face down, red: it becomes board 7."]
    assert "one whole pack (red)" in loading_card(items(7), 1, sorted_packs=False, colours=RED_AND_BLUE)[1]


def test_from_the_last_board_to_the_first_the_packs_move_on_the_other_way() -> None:
    lines = loading_card(items(*range(36, 0, -1)), 2, sorted_packs=False, colours=RED_AND_BLUE)
    assert "Pack out of board 2, on top, face down, blue: it becomes board 36." in lines[1]
    assert "board 34 gets the pack out of board 36" in lines[4]
    assert lines[-1] == "  Boards in this order: 36, 35, 34, 33, 32, 31, 30, 29 … (last: 1)."


def test_copies_board_by_board_would_put_two_packs_of_one_back_together_and_the_card_says_what_to_do() -> None:
    copies = [item(number, copy) for number in (1, 2) for copy in "AB"]
    lines = loading_card(copies, 2, sorted_packs=False, colours=RED_AND_BLUE)
    assert "  Boards 1A and 1B follow each other with the same back (red)." in lines
    assert any("when the hopper is empty" in line for line in lines)
    assert not any("same back" in line for line in loading_card(copies, 1, sorted_packs=False, colours=RED_AND_BLUE))
    assert not any("same back" in line for line in loading_card(copies, 2, sorted_packs=False))


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40))
def test_each_pack_moves_to_one_place_of_its_own_back_which_is_empty_by_then(backs: list[int]) -> None:
    origins = origins_of(backs)
    assert sorted(origins) == list(range(len(backs)))
    assert all(backs[place] == backs[origin] for place, origin in enumerate(origins))
    first = {back: backs.index(back) for back in backs}
    assert all(origin < place or place == first[backs[place]] for place, origin in enumerate(origins))


def test_a_machine_that_cannot_read_wants_sorted_packs() -> None:
    assert any("Sort each pack" in line for line in loading_card(items(1), 1, sorted_packs=True))


OTHER = Deal([*reversed([int(seat) for seat in Seat for _ in range(13)])])


def pockets(deal: Deal) -> list[list[int]]:
    return [[int(card) for card in reversed(deal.hand(seat))] for seat in Seat]


def test_the_truth_is_compared_pocket_by_pocket_whatever_the_order_of_falling() -> None:
    answer = {"boards": [{"number": 1, "pockets": pockets(DEAL)}, {"number": 2, "pockets": pockets(OTHER)}]}
    assert differing_boards(answer, [(1, DEAL), (2, OTHER)]) == []
    assert differing_boards(answer, [(1, OTHER), (2, OTHER), (3, DEAL)]) == [1, 3]


def test_of_a_number_put_in_twice_the_last_board_counts() -> None:
    answer = {"boards": [{"number": 1, "pockets": pockets(OTHER)}, {"number": 1, "pockets": pockets(DEAL)}]}
    assert differing_boards(answer, [(1, DEAL)]) == []


def test_the_truth_is_one_line() -> None:
    assert truth_line([], 36, 36) == "truth: all 36 boards equal the deals"
    assert truth_line([3, 7], 36, 36) == "truth: 2 boards of 36 differ from the deals: 3, 7"
    assert truth_line([], 0, 36) == "truth: no board was called good"
    assert truth_line([], 2, 36) == "truth: the 2 boards of 36 that were called good equal the deals"
