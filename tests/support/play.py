"""A scheduler alone, told one thing after the other: what its tests are made of.

May import: driver, protocol. Read next: `tests/unit/test_scheduler.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from driver.deals.model import standard_dealer, standard_vulnerability
from driver.findings import Choice, Situation, finding
from driver.happenings import (
    AtTheMachine,
    Closed,
    Command,
    Decided,
    Done,
    Found,
    GoOn,
    Happening,
    Item,
    Judged,
    Keep,
    Leave,
    NoMore,
    OfferLeft,
    Options,
    Paused,
    Started,
    StartRun,
    Taken,
    TakeNext,
    Tell,
    WasRefused,
)
from driver.job_events import NeedsOperator
from driver.scheduler import Scheduler
from driver.steps import Step
from driver.verdicts import Judgement, Reason, ReasonCode, Verdict, conclude
from protocol.codes import Check, FaultCode, Key, PauseReason, Refusal, State, TokenEnd
from protocol.messages import BoardEvent, Identity, KeyEvent, Refused
from tests.support.evidence import FULL, random_deal, status

ITEMS: Final = [
    Item(number, "", random_deal(number), standard_dealer(number), standard_vulnerability(number), number)
    for number in (1, 2, 3)
]
GOOD: Final = conclude(1, [], [13] * 4)
NOT_PROVEN: Final = conclude(1, [Reason(ReasonCode.IN_DOUBT, "A card is in doubt.")], [13, 13, 13, 12])
COUNTABLE: Final = conclude(1, [Reason(ReasonCode.POCKET_SILENT, "A pocket was silent.")], [13, 13, 13, 12])
BEST_HERE: Final = conclude(1, [Reason(ReasonCode.NO_LEDGER, "No record is kept.")], [None] * 4)
BEST_BUT_COUNT: Final = conclude(1, [Reason(ReasonCode.NOTHING_WATCHED, "Nothing is watched.")], [13] * 4)
COUNTED: Final = conclude(1, [Reason(ReasonCode.NO_RECOGNITION, "Cards are not read.")], [13] * 4)
BOARD_OUT: Final = AtTheMachine(BoardEvent(False, 0, 1))
BOARD_IN: Final = AtTheMachine(BoardEvent(True, 2, 2))
STOP_KEY: Final = AtTheMachine(KeyEvent(Key.STOP))


REFUSALS: Final = [
    *((reason, 0) for reason in Refusal if reason not in (Refusal.CHECK_FAILED, Refusal.TOKEN_DEAD)),
    *((Refusal.CHECK_FAILED, int(check)) for check in Check),
    *((Refusal.TOKEN_DEAD, int(end)) for end in TokenEnd),
]
"""Every refusal with each `why` that it can carry."""


def refused(reason: Refusal, why: int = 0, detail: int = 0) -> WasRefused:
    """ARM was refused."""
    return WasRefused(Refused(3, reason, why, detail=detail))


def paused(reason: PauseReason = PauseReason.FAULT, **changes: Any) -> Paused:
    """The open run pauses, by default at a jam that is not in sight any more."""
    fault = FaultCode.JAM if reason is PauseReason.FAULT else FaultCode.NONE
    report = status(run=1, state=State.PAUSED, reason=reason, fault=fault, index=7)
    return Paused(replace(report, **changes))


def asked(situation: Situation) -> NeedsOperator:
    """What a person is asked about board 1, found in that situation."""
    found = finding(situation, ITEMS[0], k=7)
    return NeedsOperator(board=1, text=found.question, steps=found.steps, choices=found.choices)


def found(situation: Situation, reason: PauseReason = PauseReason.HOST_LOST, **changes: Any) -> Found:
    """The board under way is found so."""
    return Found(asked(situation), paused(reason, **changes).status)


class Play:
    """A scheduler that is told one thing after the other, and a queue for it; `commands` are what the last one brought.

    `waiting` and `left` are the boards that the queue has, `taken` the one that the machine has.
    """

    def __init__(
        self, identity: Identity = FULL, *, auto: bool = False, ask_each: bool = False, boards: int = 3
    ) -> None:
        self.scheduler = Scheduler(identity, Options(auto, ask_each))
        self.waiting = list(ITEMS[:boards])
        self.left: list[Item] = []
        self.taken: Item | None = None
        self.commands = self._with_queue(self.scheduler.begin())

    def tell(self, *happenings: Happening) -> Play:
        """One after the other."""
        for happening in happenings:
            if isinstance(happening, Judged) and happening.judgement.verdict in (Verdict.GOOD, Verdict.COUNTED):
                self.taken = None
            self.commands = self._with_queue(self.scheduler.on(happening))
        return self

    def _with_queue(self, commands: list[Command]) -> list[Command]:
        """What is left of the commands when the queue has followed those that are for it."""
        others: list[Command] = []
        for command in commands:
            match command:
                case TakeNext(number):
                    others += self._with_queue(self.scheduler.on(self._next(number)))
                case Leave():
                    assert self.scheduler.item is not None
                    self.left.append(self.scheduler.item)
                    self.taken = None
                case Keep():
                    self.taken = None
                case OfferLeft():
                    self.waiting, self.left = self.left, []
                case _:
                    others.append(command)
        return others

    def _next(self, number: int | None) -> Taken | NoMore:
        fits = next((item for item in self.waiting if item.board == number), None)
        if fits is not None and self.taken is not None:
            self.waiting.insert(0, self.taken)
        if fits is not None or self.taken is None:
            self.taken = fits or next(iter(self.waiting), None)
        if self.taken is None:
            return NoMore(left=tuple(str(item.board) for item in self.left), complete=not self.left)
        self.waiting = [item for item in self.waiting if item != self.taken]
        return Taken(self.taken)

    def decide(self, *choices: Choice) -> Play:
        """A person decides."""
        return self.tell(*(Decided(choice) for choice in choices))

    def dealing(self) -> Play:
        """The first board is being dealt."""
        if self.step is Step.ASK_START:
            self.decide(Choice.GO)
        assert [type(command) for command in self.commands] == [StartRun]
        return self.tell(Started())

    def dealt(self, judgement: Judgement = GOOD) -> Play:
        """A board is dealt, judged, and its run closed."""
        return self.tell(Done(), Judged(judgement), Closed())

    @property
    def step(self) -> Step:
        """Where the job is."""
        return self.scheduler.step

    @property
    def prompt(self) -> NeedsOperator:
        """What the person is asked by the last command."""
        (command,) = self.commands
        assert isinstance(command, Tell)
        assert isinstance(command.event, NeedsOperator)
        return command.event

    @property
    def moves(self) -> bool:
        """Whether the last thing told makes cards move."""
        return any(isinstance(command, StartRun | GoOn) for command in self.commands)

    def starts(self, board: int) -> bool:
        """Whether the last thing told starts that board."""
        return [command.item.board for command in self.commands if isinstance(command, StartRun)] == [board]
