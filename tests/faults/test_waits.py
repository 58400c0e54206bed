"""No wait of the machine is without a limit, and no wait for a person has one: each row of the table *Times*.

Read next: PROTOCOL.md, "Times"; `test_page_times.py` (the machine's rows alone), `tests/support/sitting.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from driver.cli.view import STALE_AFTER as SHOWN_AS_OLD_AFTER
from driver.errors import AnswerTimeout, ConnectionFailed, MachineFault, NotAMachine, StopNotConfirmed
from driver.findings import Choice
from driver.job_events import CardDealt, JobEnded, MachineBack, MachineLost, NeedsOperator
from driver.link import Link
from driver.recorder import Recorder
from firmware_sim.faults import FaultKind, FaultPlan
from firmware_sim.faults import MachineFault as Planned
from firmware_sim.profile import BARE, FULL, P_ONLY, R_ONLY, Profile
from protocol.codec import decode
from protocol.codes import FaultCode, Key, Kind, PauseReason, State, TokenEnd
from protocol.framing import FrameDecoder
from protocol.messages import Arm, Go
from tests.faults.test_page_times import TIME_CASES
from tests.support.memory import ManualClock, MemoryTransport
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting, pack_for
from tests.support.tables import page_table
from tests.support.visibility import DEALS

pytestmark = pytest.mark.usefixtures("quick_disk")

TIMES: Final = {row["time"]: int(row["value"]) / 1000 for row in page_table("Times")}
WHO: Final = {row["time"]: row["who"] for row in page_table("Times")}
CARDS: Final = (0, 26, 51)
SLACK: Final = 0.2
"""Seconds for the card under way and the way back."""


class Watched(Sitting):
    """A sitting that notes when which frames leave the host, and can lose them."""

    def __init__(self, data: Path, setup: Setup | None = None, **options: float) -> None:
        self.sent: list[tuple[float, Kind, object]] = []
        self.lose: Callable[[Kind, object], bool] | None = None
        super().__init__(data, DEALS, setup, reaction=options.get("reaction", 1.0))
        write = self.endpoint.rig.from_host

        def watched(data: bytes) -> None:
            for frame in FrameDecoder().feed(data):
                message = decode(frame)
                self.sent.append((self.endpoint.now, frame.kind, message))
                if self.lose is not None and self.lose(frame.kind, message):
                    return
            write(data)

        self.endpoint.write = watched  # type: ignore[method-assign]

    def times_of(self, kind: Kind, message: type | None = None) -> list[float]:
        """When frames of that kind left."""
        return [at for at, sent, what in self.sent if sent is kind and (message is None or isinstance(what, message))]


# The machine: every wait has a limit

STUCK: Final = {
    FaultKind.JAM_READER: FaultCode.JAM,
    FaultKind.JAM_PATH: FaultCode.JAM,
    FaultKind.NO_FEED: FaultCode.NO_FEED,
    FaultKind.UNREADABLE: FaultCode.UNREADABLE,
    FaultKind.WRONG_POCKET: FaultCode.WRONG_POCKET,
}


@pytest.mark.parametrize("profile", [FULL, R_ONLY, P_ONLY, BARE], ids=lambda profile: str(profile.model))
@pytest.mark.parametrize("speed", [1.0, 0.2, 20.0])
@pytest.mark.parametrize("card", CARDS)
@pytest.mark.parametrize(
    "kind", [FaultKind.JAM_READER, FaultKind.JAM_PATH, FaultKind.NO_FEED], ids=lambda kind: kind.value
)
def test_a_card_that_does_not_move_is_a_fault_within_the_card_limit(
    kind: FaultKind, card: int, speed: float, profile: Profile, tmp_path: Path
) -> None:
    plan = FaultPlan((Planned(kind, card, value=99 if kind is FaultKind.NO_FEED else 0),))
    with Sitting(tmp_path, DEALS, Setup(profile=profile, faults=plan, speed=speed)) as sitting:
        sitting.choose = lambda halt: Choice.STOP if halt.state is State.PAUSED else None
        ended: list[float] = []

        def watch(now: float) -> None:
            if sitting.core.control.state is State.PAUSED and not ended:
                ended.append(now)

        sitting.meanwhile = watch
        sitting.run()
        drops = sitting.core.truth.drops()
        progress = drops[-1].time if drops else sitting.core.truth.motions[-1].time
        assert ended[0] - progress <= TIMES["CARD_LIMIT"] + SLACK
        assert sitting.stops()[0].fault in (STUCK[kind], FaultCode.NO_PROGRESS)
        assert not sitting.mechanism.card_path.motor, "the motors stand still"


@pytest.mark.parametrize("card", CARDS)
def test_a_machine_that_makes_no_progress_faults_by_itself_within_the_card_limit(card: int, tmp_path: Path) -> None:
    plan = FaultPlan((Planned(FaultKind.STALL, card),))
    with Sitting(tmp_path, DEALS, Setup(faults=plan)) as sitting:
        with pytest.raises(MachineFault) as raised:
            sitting.run()
        assert raised.value.fault == FaultCode.NO_PROGRESS
        dealt = [event for event in sitting.events if isinstance(event, CardDealt)]
        assert len(dealt) == card
        begun = sitting.core.truth.motions[0].time + 0.03 + 0.1 * card
        assert sitting.endpoint.now - begun <= TIMES["CARD_LIMIT"] + SLACK
        (interval,) = sitting.core.truth.motor_on
        assert interval[1] - begun <= TIMES["CARD_LIMIT"] + SLACK


@pytest.mark.parametrize("card", CARDS)
def test_cards_stop_when_the_host_is_gone_for_so_long_and_the_card_is_finished(card: int, tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS) as sitting:
        events = sitting.job.events()
        for event in events:
            sitting.events.append(event)
            if isinstance(event, NeedsOperator):
                sitting.job.go_on()
            if isinstance(event, CardDealt) and event.index == max(card, 1):
                break
        left = sitting.endpoint.now
        sitting.endpoint.pass_time(60)
        control = sitting.core.control
        assert control.state is (State.PAUSED if card < 26 else control.state)
        for begun, stopped in sitting.core.truth.motor_on:
            assert stopped - max(begun, left) <= TIMES["HOST_LOST_AFTER"] + SLACK
        if control.state is State.PAUSED:
            assert control.run is not None
            assert (control.run.reason, control.run.doubt(control.senses.sensors())) == (PauseReason.HOST_LOST, 0)


# Tokens


def test_a_token_that_was_not_used_dies_and_the_host_arms_again_silently(tmp_path: Path) -> None:
    """GO is on its way longer than the token lives; the person is not asked again."""
    with Watched(tmp_path) as sitting:
        expired: list[float] = []
        receive = sitting.core.receive

        def too_late(data: bytes) -> None:
            if not expired and any(isinstance(decode(frame), Go) for frame in FrameDecoder().feed(data)):
                expired.append(sitting.core.now)
                sitting.core.control.tokens.kill(TokenEnd.EXPIRED, sitting.core.now)
            receive(data)

        sitting.core.receive = too_late  # type: ignore[method-assign]
        sitting.run()
        assert expired
        assert len(sitting.times_of(Kind.REQUEST, Arm)) == 2
        assert len(sitting.times_of(Kind.REQUEST, Go)) == 2
        assert len(sitting.halts) == 1, "one question, one decision"
        assert len(sitting.core.truth.motions) == 1
        sitting.check_good()


# The host


def test_a_request_without_an_answer_is_sent_again_and_given_up(tmp_path: Path) -> None:
    with Watched(tmp_path) as sitting:
        sitting.lose = lambda kind, message: isinstance(message, Arm)
        sitting.choose = lambda halt: Choice.STOP if len(sitting.halts) > 1 else None
        sitting.run()
        arms = sitting.times_of(Kind.REQUEST, Arm)
        gaps = [later - earlier for earlier, later in pairwise(arms)]
        assert all(gap == pytest.approx(TIMES["RESEND_EVERY"]) for gap in gaps)
        assert arms[-1] - arms[0] < TIMES["GIVE_UP"]
        assert len(arms) == round(TIMES["GIVE_UP"] / TIMES["RESEND_EVERY"] + 0.5)
        lost = [event for event in sitting.events if isinstance(event, MachineLost | MachineBack)]
        assert [type(event) for event in lost] == [MachineLost, MachineBack]
        assert sitting.halts[-1].prompt.text == "The board was not started."
        assert sitting.core.truth.motions == []


def test_a_silent_machine_is_looked_for_again_and_again_until_somebody_stops_the_job(tmp_path: Path) -> None:
    with Watched(tmp_path) as sitting:
        tried: list[float] = []
        for event in sitting.job.events():
            sitting.events.append(event)
            if isinstance(event, NeedsOperator):
                sitting.core.power_off()
            if isinstance(event, MachineLost):
                tried.append(sitting.endpoint.now)
                sitting.alarm = sitting.endpoint.now + 3600
                sitting.meanwhile = lambda now: sitting.job.stop() if now >= tried[0] + 3600 else None
        assert isinstance(sitting.events[-1], JobEnded)
        assert tried[0] <= TIMES["LOST_AFTER"] + TIMES["TICK_EVERY"] + SLACK
        hellos = [at for at in sitting.times_of(Kind.HELLO) if at > tried[0]]
        assert len(hellos) > 3600 / (TIMES["HELLO_FOR"] + 1), "it is asked for the whole hour"
        assert max(later - earlier for earlier, later in pairwise(hellos)) < 2


def test_nothing_at_the_port_is_said_within_the_time_for_hello(tmp_path: Path) -> None:
    with Watched(tmp_path) as sitting:
        sitting.core.power_off()
        sitting.peer.data = tmp_path / "other"
        began = sitting.endpoint.now
        with pytest.raises(NotAMachine):
            sitting.peer.open()
        assert sitting.endpoint.now - began == pytest.approx(TIMES["HELLO_FOR"], abs=SLACK)


def test_stop_that_is_not_confirmed_says_so_within_its_time(tmp_path: Path) -> None:
    with Watched(tmp_path) as sitting:
        sitting.core.power_off()
        began = sitting.endpoint.now
        with pytest.raises(StopNotConfirmed):
            sitting.machine.stop()
        assert sitting.endpoint.now - began == pytest.approx(TIMES["STOP_CONFIRM"], abs=SLACK)
        stops = sitting.times_of(Kind.STOP)
        assert len(stops) == round(TIMES["STOP_CONFIRM"] / TIMES["RESEND_EVERY"] + 0.5)


def test_a_question_to_a_dead_machine_ends(tmp_path: Path) -> None:
    with Watched(tmp_path) as sitting:
        sitting.core.power_off()
        began = sitting.endpoint.now
        with pytest.raises(ConnectionFailed) as raised:
            sitting.machine.status()
        assert isinstance(raised.value, AnswerTimeout)
        assert not raised.value.outcome_known
        assert sitting.endpoint.now - began == pytest.approx(TIMES["GIVE_UP"], abs=SLACK)


def test_beats_come_every_second_while_cards_move_and_while_a_person_thinks(tmp_path: Path) -> None:
    with Watched(tmp_path, reaction=30.0) as sitting:
        sitting.run()
        beats = sitting.times_of(Kind.BEAT)
        gaps = [later - earlier for earlier, later in pairwise(beats)]
        assert max(gaps) <= TIMES["BEAT_EVERY"] + SLACK
        assert beats[-1] > 30


@pytest.mark.parametrize("cards_move", [True, False])
def test_a_program_that_takes_nothing_any_more_lets_the_beats_end_while_cards_move(
    cards_move: bool, tmp_path: Path
) -> None:
    with Watched(tmp_path) as sitting:
        link = Link(MemoryTransport(sitting.endpoint), ManualClock(sitting.endpoint), Recorder())
        began = sitting.endpoint.now
        link.cards_move = cards_move
        link.beat_for(7)
        while sitting.endpoint.now < began + 60:
            link.step(0.5)  # what the reader thread does for an owner that hangs
        beats = sitting.times_of(Kind.BEAT)
        last = beats[-1] - began
        assert last == pytest.approx(TIMES["OWNER_GONE"] if cards_move else 60, abs=TIMES["BEAT_EVERY"] + SLACK)


def test_values_are_shown_as_old_after_their_time_and_the_machine_as_lost_after_its(tmp_path: Path) -> None:
    assert TIMES["STALE_AFTER"] == SHOWN_AS_OLD_AFTER < TIMES["LOST_AFTER"]
    with Sitting(tmp_path, DEALS) as sitting:
        ages: dict[float, float] = {}

        def watch(now: float) -> None:
            if not sitting.core.powered:
                ages[now] = sitting.job.silent_for

        sitting.meanwhile = watch
        events = sitting.job.events()
        next(events)
        sitting.core.power_off()
        off = sitting.endpoint.now
        assert isinstance(next(events), MachineLost)
        assert sitting.endpoint.now - off == pytest.approx(TIMES["LOST_AFTER"], abs=TIMES["TICK_EVERY"])
        assert max(ages.values()) > TIMES["STALE_AFTER"]
        sitting.job.stop()
        assert isinstance(list(events)[-1], JobEnded)


# The person: no wait has a limit

THREE_HOURS: Final = 3 * 3600.0


@pytest.mark.parametrize("where", ["before the first board", "at a jam", "at a verdict", "between two boards"])
def test_a_person_may_take_three_hours(where: str, tmp_path: Path) -> None:
    plan = FaultPlan((Planned(FaultKind.JAM_PATH, 26),) if where == "at a jam" else ())
    numbers = (1, 2) if where == "between two boards" else (1,)
    pack = pack_for(FULL)
    load = [(*pack, replace(pack[0], serial=199))] if where == "at a verdict" else [pack]
    with Sitting(tmp_path, DEALS, Setup(faults=plan), numbers=numbers, load=load) as sitting:
        thinks = 1 if where == "before the first board" else 2
        slept: list[float] = []

        def sleep(halt: Halt) -> bool:
            if len(sitting.halts) == thinks and not slept:
                slept.append(sitting.endpoint.now)
                sitting.wait_more(THREE_HOURS)
                return True
            return False

        sitting.cure = sleep
        sitting.run()
        assert slept
        assert sitting.endpoint.now > THREE_HOURS
        assert not [event for event in sitting.events if isinstance(event, MachineLost)]
        asked = [halt.prompt for halt in sitting.halts]
        assert len(asked) == len(set(asked)), "nobody is asked the same again for waiting"
        sitting.check_good()


def test_who_waits_for_a_person_sends_nothing_that_moves(tmp_path: Path) -> None:
    with Watched(tmp_path, reaction=600.0) as sitting:
        sitting.run()
        assert len(sitting.times_of(Kind.REQUEST, Arm)) == 1, "ARM is sent after the decision, so that no token waits"
        assert sitting.times_of(Kind.REQUEST, Arm)[0] >= 600
        sitting.check_good()


def test_a_person_may_answer_with_the_key_after_an_hour(tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS, reaction=THREE_HOURS / 3) as sitting:

        def press(halt: Halt) -> bool:
            sitting.mechanism.press(Key.START)
            return True

        sitting.cure = press
        sitting.run()
        sitting.check_good()


# The table

HERE: Final[dict[str, Callable[..., None]]] = {
    "RESEND_EVERY": test_a_request_without_an_answer_is_sent_again_and_given_up,
    "GIVE_UP": test_a_request_without_an_answer_is_sent_again_and_given_up,
    "HELLO_FOR": test_nothing_at_the_port_is_said_within_the_time_for_hello,
    "BEAT_EVERY": test_beats_come_every_second_while_cards_move_and_while_a_person_thinks,
    "HOST_LOST_AFTER": test_cards_stop_when_the_host_is_gone_for_so_long_and_the_card_is_finished,
    "LOST_AFTER": test_values_are_shown_as_old_after_their_time_and_the_machine_as_lost_after_its,
    "STOP_CONFIRM": test_stop_that_is_not_confirmed_says_so_within_its_time,
    "CARD_LIMIT": test_a_card_that_does_not_move_is_a_fault_within_the_card_limit,
    "OWNER_GONE": test_a_program_that_takes_nothing_any_more_lets_the_beats_end_while_cards_move,
    "STALE_AFTER": test_values_are_shown_as_old_after_their_time_and_the_machine_as_lost_after_its,
}
"""The times that a test of this file shows, and that test."""


def test_every_time_of_the_table_is_kept_here_or_beside() -> None:
    assert set(HERE) | set(TIME_CASES) == set(TIMES)
    assert set(WHO.values()) == {"host", "machine"}, "no row is a limit for a person"


@pytest.mark.parametrize("time", HERE)
def test_the_test_that_claims_a_time_measures_by_its_row(time: str) -> None:
    claimed = HERE[time]
    assert claimed.__name__.startswith("test_")
    assert f'TIMES["{time}"]' in inspect.getsource(claimed)
