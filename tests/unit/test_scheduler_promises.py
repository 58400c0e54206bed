"""The scheduler alone, told anything in any order: nothing moves without a decision (I1, I4), and nothing raises.

Read next: `driver/scheduler.py`, `test_scheduler.py`.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from driver.findings import Choice, Situation, finding
from driver.happenings import (
    AtTheMachine,
    Closed,
    CloseRun,
    Command,
    Decided,
    Done,
    Found,
    GoOn,
    Happening,
    Judged,
    JudgeRun,
    NoMore,
    NotStarted,
    Options,
    Paused,
    QueueChanged,
    Reconnected,
    Release,
    Started,
    StartRun,
    Taken,
    Tell,
    Unknown,
    WasRefused,
)
from driver.job_events import NeedsOperator
from driver.scheduler import Scheduler
from driver.steps import Step
from protocol.codes import (
    BoardSensing,
    FaultClass,
    FaultCode,
    Key,
    Obstacle,
    PauseReason,
    Place,
    RunFlag,
    Sensor,
    State,
)
from protocol.messages import BoardEvent, CoverEvent, HopperEvent, Identity, KeyEvent, StatusReport
from tests.support.evidence import BARE, FULL, status
from tests.support.play import (
    BEST_BUT_COUNT,
    BEST_HERE,
    COUNTABLE,
    COUNTED,
    GOOD,
    ITEMS,
    NOT_PROVEN,
    REFUSALS,
    Play,
    asked,
    refused,
)

# Anything in any order

CHANGES = st.one_of(
    st.builds(BoardEvent, st.booleans(), st.integers(0, 40), st.integers(0, 65_535)),
    st.builds(CoverEvent, st.booleans(), st.integers(0, 65_535)),
    st.builds(HopperEvent, st.booleans()),
    st.builds(KeyEvent, st.sampled_from(Key)),
).map(AtTheMachine)
STATUSES: st.SearchStrategy[StatusReport] = st.builds(
    lambda reason, fault, doubt, sensors, place, obstacle, flags: status(
        run=1,
        state=State.PAUSED,
        reason=reason,
        fault=fault,
        fault_class=FaultClass.OPERATOR,
        doubt=doubt,
        sensors=sensors,
        fault_place=place,
        cannot_go_on=obstacle,
        run_flags=flags,
    ),
    st.sampled_from(PauseReason),
    st.sampled_from(FaultCode),
    st.sampled_from((0, 0, 1, 255)),
    st.sampled_from((Sensor(0), Sensor(0), Sensor.READER_CARD, Sensor.PATH_CARD)),
    st.sampled_from(Place),
    st.sampled_from((Obstacle.NONE, *Obstacle)),
    st.sampled_from((RunFlag(0), RunFlag.RESTARTED)),
)
FOUND = [asked(situation) for situation in Situation if finding(situation, None).choices]
HAPPENINGS: st.SearchStrategy[Happening] = st.one_of(
    st.builds(Decided, st.sampled_from(Choice)),
    CHANGES,
    st.builds(lambda case, detail: refused(case[0], case[1], detail), st.sampled_from(REFUSALS), st.integers(0, 3)),
    st.just(Started()),
    st.builds(Paused, STATUSES),
    st.builds(Found, st.sampled_from(FOUND), STATUSES),
    st.just(Done()),
    st.builds(Done, st.just(asked(Situation.FINISHED)), st.booleans()),
    st.sampled_from((GOOD, COUNTED, NOT_PROVEN, COUNTABLE, BEST_HERE, BEST_BUT_COUNT)).map(Judged),
    st.just(Closed()),
    st.just(NotStarted()),
    st.just(Unknown("Nobody knows.", "Look into the pockets.")),
    st.builds(Reconnected, st.booleans()),
    st.sampled_from(ITEMS).map(Taken),
    st.builds(
        NoMore,
        busy=st.booleans(),
        left=st.sampled_from(((), ("1", "2"))),
        elsewhere=st.sampled_from(((), (("3", "M2"),))),
        complete=st.booleans(),
    ),
    st.just(QueueChanged()),
)
IDENTITIES = st.sampled_from((FULL, replace(FULL, board=BoardSensing.PRESENCE), BARE))


class Licence:
    """What may move cards, held beside the scheduler: kept apart from it."""

    def __init__(self, identity: Identity, auto: bool, ask_each: bool) -> None:
        self.senses = identity.board is not BoardSensing.NONE
        self.auto, self.ask_each = auto, ask_each
        self.consent = auto and self.senses
        self.again = False
        self.first = self.now = self.consent
        self.now_on = False

    def hear(self, happening: Happening) -> None:
        """`now`: the start of a board is licensed by this happening; `now_on`: going on is."""
        self.now = self.now_on = False
        match happening:
            case Decided(choice):
                self.now, self.now_on = choice is Choice.GO, choice is Choice.GO_ON
                self.again = choice is Choice.DEAL_AGAIN
                if choice in (Choice.GO, Choice.GO_ON, Choice.DEAL_AGAIN):
                    self.consent = self.consent or (self.senses and not self.ask_each)
            case Paused(report):
                host = report.reason in (PauseReason.HOST_LOST, PauseReason.HOST_CHANGED)
                self.now_on = self.auto and self.senses and host and report.cannot_go_on == Obstacle.NONE
                self.consent = self.consent and self.now_on
            case Found(question, report):
                host = report.reason in (PauseReason.HOST_LOST, PauseReason.HOST_CHANGED)
                self.now = self.first and Choice.GO in question.choices
                self.now_on = self.auto and self.senses and host and Choice.GO_ON in question.choices
                self.consent = self.now or (self.consent and self.now_on)
            case Reconnected(restarted):
                self.first = self.first and not restarted
                stands = self.auto and not restarted
                self.consent, self.again = self.consent and stands, self.again and stands
            case Unknown():
                self.consent = False
            case AtTheMachine(KeyEvent(Key.STOP)):
                self.consent = self.again = self.first = False
            case Closed():
                self.now, self.again = self.again or self.consent, False
            case AtTheMachine() | WasRefused() | NotStarted() | Taken():
                self.now = self.consent


@given(IDENTITIES, st.booleans(), st.booleans(), st.lists(HAPPENINGS, max_size=30))
def test_no_order_of_things_moves_a_card_without_a_decision(
    identity: Identity, auto: bool, ask_each: bool, happenings: list[Happening]
) -> None:
    licence = Licence(identity, auto, ask_each)
    scheduler = Scheduler(identity, Options(auto, ask_each))
    check(licence, scheduler, scheduler.begin())
    check(licence, scheduler, scheduler.on(Taken(ITEMS[0])))
    awaited: set[type[Command]] = set()
    for happening in happenings:
        if isinstance(happening, Closed) and CloseRun not in awaited:
            continue
        if isinstance(happening, Judged) and not awaited & {JudgeRun, Release}:
            continue
        licence.hear(happening)
        commands = scheduler.on(happening)
        check(licence, scheduler, commands)
        awaited |= {type(command) for command in commands}
        if isinstance(happening, Closed):
            awaited.discard(CloseRun)


def check(licence: Licence, scheduler: Scheduler, commands: list[Command]) -> None:
    for command in commands:
        if isinstance(command, StartRun):
            assert licence.now
            assert command.item in ITEMS
        if isinstance(command, GoOn):
            assert licence.now_on
        if isinstance(command, Tell) and scheduler.step not in (Step.WAITING, Step.IDLE):
            assert isinstance(command.event, NeedsOperator)
            assert command.event.choices, "whoever is asked has a choice"
            assert command.event.text


@given(IDENTITIES, st.booleans(), st.booleans(), st.lists(HAPPENINGS, max_size=40))
def test_no_order_of_things_raises_and_at_most_one_thing_moves_at_a_time(
    identity: Identity, auto: bool, ask_each: bool, happenings: list[Happening]
) -> None:
    play = Play(identity, auto=auto, ask_each=ask_each)
    for happening in happenings:
        play.tell(happening)
        assert sum(isinstance(command, StartRun | GoOn) for command in play.commands) <= 1
        assert play.scheduler.item is None or play.scheduler.item in ITEMS
