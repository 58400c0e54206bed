"""The scheduler's table as text, asked of the real scheduler: each state, each thing that can happen, what follows.

May import: driver, protocol. Read next: `driver/SCHEDULER.md`, which holds it.
`python -m tests.support.scheduler_table` prints it anew.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Final

from driver.findings import Choice, Situation
from driver.happenings import (
    AtTheMachine,
    Closed,
    Command,
    Decided,
    Done,
    EndJob,
    Happening,
    Judged,
    NoMore,
    NotStarted,
    Options,
    QueueChanged,
    Reconnected,
    Started,
    StartRun,
    Taken,
    TakeNext,
    Unknown,
)
from driver.scheduler import Scheduler
from protocol.codes import Check, Obstacle, PauseReason, Refusal
from protocol.messages import BoardEvent, CoverEvent, HopperEvent
from tests.support.evidence import FULL
from tests.support.play import (
    BEST_BUT_COUNT,
    BEST_HERE,
    BOARD_OUT,
    COUNTABLE,
    GOOD,
    ITEMS,
    NOT_PROVEN,
    STOP_KEY,
    asked,
    found,
    paused,
    refused,
)

THIS, OTHER, FOREIGN = ITEMS[0], ITEMS[1], 9
SAME_IN: Final = AtTheMachine(BoardEvent(True, THIS.board, 2))
OTHER_IN: Final = AtTheMachine(BoardEvent(True, OTHER.board, 2))

_ELSEWHERE: Final = (Choice.COUNT, Choice.WAIT, Choice.CONTINUE)
"""COUNT has a line of its own; the others are decided about a machine, and never reach its scheduler."""

HAPPENINGS: Final[dict[str, Happening]] = {
    **{f"a person: {choice.value}": Decided(choice) for choice in Choice if choice not in _ELSEWHERE},
    "a person: count by hand": Decided(Choice.COUNT, "Ann", (13, 13, 13, 13)),
    "the queue gives a board": Taken(OTHER),
    "the queue has nothing, another machine is busy": NoMore(busy=True),
    "the queue has nothing but boards that were left": NoMore(left=("1",)),
    "the queue has nothing but boards that are open elsewhere": NoMore(elsewhere=(("1", "M2"),)),
    "the queue has nothing": NoMore(complete=True),
    "the queue changed": QueueChanged(),
    "the board is taken out": BOARD_OUT,
    "a board is put in, of the number asked for": SAME_IN,
    "a board is put in, of another number": OTHER_IN,
    "the cover is closed": AtTheMachine(CoverEvent(False, 2)),
    "a pack is put in": AtTheMachine(HopperEvent(True)),
    "STOP is pressed": STOP_KEY,
    "the start is accepted": Started(),
    "the start is refused: it crossed with news": refused(Refusal.STALE, detail=70),
    "the start is refused: another board is needed": refused(Refusal.BOARD_TURNED),
    "the start is refused: another number lies there": refused(Refusal.WRONG_BOARD, detail=OTHER.board),
    "the start is refused: the cover is open": refused(Refusal.CHECK_FAILED, Check.COVER),
    "the start is refused: anything else": refused(Refusal.CHECK_FAILED, Check.PATH),
    "going on is refused for ever": refused(Refusal.CANNOT_GO_ON, Obstacle.BOARD),
    "the run pauses at a fault and may go on": paused(),
    "the run pauses and may not go on": paused(cannot_go_on=Obstacle.DOUBT),
    "the run pauses: the host was lost": paused(PauseReason.HOST_LOST),
    "an interruption is found": found(Situation.INTERRUPTED),
    "a run of somebody else is found": found(Situation.FOREIGN_RUN),
    "the 52nd card is proven": Done(),
    "the 52nd card was proven before, and nobody knows where the board is": Done(asked(Situation.FINISHED)),
    "the verdict stands": Judged(GOOD),
    "the verdict is no proof": Judged(NOT_PROVEN),
    "the verdict is no proof, and a count may release it": Judged(COUNTABLE),
    "the verdict is no proof, and this machine gives no better one": Judged(BEST_HERE),
    "the verdict is no proof, and nothing but a count makes it better": Judged(BEST_BUT_COUNT),
    "the run is closed": Closed(),
    "it is certain that no card moved": NotStarted(),
    "nobody knows what became of the run": Unknown("Nobody knows.", "Look."),
    "the machine answers again": Reconnected(restarted=False),
    "the machine answers again after a restart": Reconnected(restarted=True),
}
"""Everything that can happen, in examples of which each stands for its kind."""


def _after(*happenings: Happening, auto: bool = False) -> Callable[[], Scheduler]:
    def come() -> Scheduler:
        scheduler = Scheduler(FULL, Options(auto))
        scheduler.begin()
        for happening in happenings:
            scheduler.on(happening)
        return scheduler

    return come


_ASKED: Final = (Taken(THIS),)
_DEALS: Final = (*_ASKED, Decided(Choice.GO), Started())
_DEALT: Final = (*_DEALS, Done(), Judged(GOOD), Closed(), Taken(OTHER))

SITUATIONS: Final[dict[str, Callable[[], Scheduler]]] = {
    "TAKING, before the first board": _after(),
    "TAKING, before the first board, automatic": _after(auto=True),
    "TAKING, between boards": _after(*_DEALT[:-1]),
    "ASK_START": _after(*_ASKED),
    "STARTING, a person decided it": _after(*_ASKED, Decided(Choice.GO)),
    "STARTING, by itself": _after(*_DEALT, OTHER_IN, Taken(OTHER)),
    "STARTING, going on": _after(*_DEALS, paused(), Decided(Choice.GO_ON)),
    "WAITING": _after(*_DEALT),
    "DEALING": _after(*_DEALS),
    "DEALING, automatic": _after(*_DEALS, auto=True),
    "ASK_PAUSED, it may go on": _after(*_DEALS, paused()),
    "ASK_PAUSED, it may not go on": _after(*_DEALS, paused(cannot_go_on=Obstacle.DOUBT)),
    "ASK_FOUND, of this job": _after(*_ASKED, found(Situation.INTERRUPTED)),
    "ASK_FOUND, of somebody else": _after(found(Situation.FOREIGN_RUN)),
    "ASK_FOUND, cards move": _after(*_ASKED, found(Situation.MOVING)),
    "ASK_FOUND, where is the board": _after(*_ASKED, Done(asked(Situation.FINISHED)), Judged(GOOD)),
    "JUDGING": _after(*_DEALS, Done()),
    "ASK_VERDICT": _after(*_DEALS, Done(), Judged(NOT_PROVEN)),
    "ASK_VERDICT, a count may release it": _after(*_DEALS, Done(), Judged(COUNTABLE)),
    "ASK_VERDICT, nothing but a count makes it better": _after(*_DEALS, Done(), Judged(BEST_BUT_COUNT)),
    "CLOSING, dealt": _after(*_DEALS, Done(), Judged(GOOD)),
    "CLOSING, to be dealt again": _after(*_DEALS, paused(), Decided(Choice.DEAL_AGAIN)),
    "CLOSING, kept as it is": _after(*_DEALS, Done(), Judged(BEST_HERE)),
    "CLOSING, left": _after(*_DEALS, Done(), Judged(NOT_PROVEN), Decided(Choice.SKIP)),
    "CLOSING, then stop": _after(*_DEALS, Done(), Judged(NOT_PROVEN), Decided(Choice.STOP)),
    "CLOSING, somebody else's run": _after(found(Situation.FOREIGN_RUN), Decided(Choice.CLEAR_AND_CLOSE)),
    "IDLE": _after(*_DEALT[:-1], NoMore(busy=True)),
    "ASK_LEFT": _after(*_DEALT[:-1], NoMore(left=("3",))),
    "ASK_LEFT, open elsewhere": _after(*_DEALT[:-1], NoMore(elsewhere=(("3", "M2"),))),
    "ENDED": _after(*_ASKED, Decided(Choice.STOP)),
}
"""Each state, where it matters with how it was come to."""


def table() -> list[str]:
    """The lines of the table. What is not in it leaves the state as it is and brings no command."""
    lines = ["| state | what happens | commands | next state |", "|---|---|---|---|"]
    for name, come in SITUATIONS.items():
        follows: dict[tuple[str, str], list[str]] = {}
        for what, happening in HAPPENINGS.items():
            scheduler = copy.deepcopy(come())
            before = scheduler.step
            commands = scheduler.on(happening)
            if commands or scheduler.step is not before:
                told = ", ".join(_word(command) for command in commands) or "none"
                follows.setdefault((told, scheduler.step.name), []).append(what)
        lines += [f"| {name} | {'; '.join(whats)} | {told} | {step} |" for (told, step), whats in follows.items()]
    return lines


def _word(command: Command) -> str:
    match command:
        case StartRun(item):
            return f"StartRun ({'this board' if item == THIS else 'the next board'})"
        case EndJob(complete, halt):
            return "EndJob" + (", motors off" if halt else "") + (", complete" if complete else "")
        case TakeNext(None):
            return "TakeNext"
        case TakeNext():
            return "TakeNext (what lies in the slot)"
    return type(command).__name__


if __name__ == "__main__":
    print("\n".join(table()))
