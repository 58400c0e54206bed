"""Which board next, and what on each thing that happens: a pure state machine.

May import: `happenings`, `job_events`, `sentences`, `verdicts`; no transport, link or connection, no clock.
Happenings go in with `on`, commands come out; `runner.py` carries them out. Read next: `runner.py`.

A person's decision to start carries over to the following boards (`consent`) where the machine senses its board: each
starts when the last one was seen leaving and an empty one arriving. It ends at every fault, pause, reconnect and stop.
`auto` renews it after HOST_LOST, HOST_CHANGED and a reconnect, never after a fault, STOP or a restart (I4).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, unique
from typing import Final

from driver.allowed import Cure, allowed_by, cure_of, is_change_for_the_better
from driver.catalogue import Entry
from driver.findings import Choice, choices_of
from driver.happenings import (
    AtTheMachine,
    Closed,
    CloseRun,
    Command,
    Decided,
    Done,
    EndJob,
    Found,
    GoOn,
    Happening,
    Item,
    Judged,
    JudgeRun,
    LookAgain,
    NotStarted,
    Options,
    Paused,
    Reconnected,
    Release,
    Started,
    StartRun,
    Tell,
    Unknown,
    WasRefused,
)
from driver.job_events import NeedsOperator
from driver.sentences import EMPTY_ALL, refusal_entry
from driver.silent_pocket import SilentPocket
from driver.verdicts import Judgement, Verdict
from protocol.codes import BoardSensing, Confirmation, FaultCode, Key, Refusal
from protocol.messages import BoardEvent, Event, Identity, KeyEvent, Refused, StatusReport

_NOTHING: Final = Confirmation(0)


@unique
class Step(Enum):
    """Where the job is; the value is the state line's word."""

    ASK_START = "waits for you"
    STARTING = "starts"
    WAITING = "waits for a board"
    DEALING = "deals"
    ASK_PAUSED = "stopped, waits for you"
    ASK_FOUND = "found something, waits for you"
    JUDGING = "checks"
    ASK_VERDICT = "not proven, waits for you"
    CLOSING = "ends the board"
    ENDED = "done"


@unique
class _After(Enum):
    """What follows the end of a run."""

    NEXT = "next"
    AGAIN = "again"
    STOP = "stop"
    FIRST = "first"


@dataclass(slots=True)
class Scheduler:
    """One job on one machine. `step`, `item` and `asked` (the last question) may be read at any time."""

    items: list[Item]
    identity: Identity
    options: Options = field(default_factory=Options)
    step: Step = Step.ASK_START
    pause_wanted: bool = False
    _place: int = 0
    _consent: bool = False
    _after: _After = _After.NEXT
    _confirmed: Confirmation = _NOTHING
    _board_came: bool = False
    _chained: bool = False
    _put_back: bool = False
    _going_on: bool = False
    _by_itself: bool = False
    _decided: bool = False
    _untouched: bool = True
    asked: NeedsOperator | None = None
    _stale: int = 0
    _judged: set[int] = field(default_factory=set)
    _where_is_it: NeedsOperator | None = None
    _is_out: bool = False
    _judgement: Judgement | None = None
    _pockets: SilentPocket = field(default_factory=SilentPocket)

    @property
    def item(self) -> Item:
        """The board copy that is being dealt, or the next one."""
        return self.items[min(self._place, len(self.items) - 1)]

    @property
    def left(self) -> int:
        """Boards that have no verdict yet."""
        return len(self.items) - self._place

    def begin(self) -> list[Command]:
        """The first commands: ask for the first board, or start it when `auto` is set and the machine senses boards."""
        if self.options.auto and self._senses_board and self._untouched:
            self._consent = True
            return self._start(chained=True, confirmed=self._said_first)
        self._confirmed = self._said_first
        return self._ask_start()

    def begin_with(self, item: Item, done: Collection[Item]) -> None:
        """A run of `item` was begun earlier: it comes first, and those before it that are `done` are left out.

        So is `item` itself when it is `done`; where nothing is left then, all are to be dealt once more.
        """
        at = self.items.index(item)
        before = [one for one in self.items[:at] if one not in done]
        self.items = ([] if item in done else [item]) + before + self.items[at + 1 :] or self.items

    def on(self, happening: Happening) -> list[Command]:
        """What to do on `happening`, in order."""
        if self.step is Step.ENDED:
            return []
        match happening:
            case Decided():
                return self._on_decision(happening)
            case AtTheMachine(event):
                return self._on_change(event)
            case WasRefused(refused):
                return self._on_refusal(refused)
            case Started():
                self.step, self._board_came, self._going_on = Step.DEALING, False, False
                return []
            case Paused(status):
                return self._on_pause(status)
            case Found(question, status):
                return self._on_found(question, status)
            case Done(question, is_out):
                if self.step in (Step.ASK_VERDICT, Step.CLOSING, Step.ENDED) or self._judgement is not None:
                    return []  # judged already
                self.step, self._where_is_it, self._is_out = Step.JUDGING, question, is_out
                return [JudgeRun()]
            case Judged(judgement):
                self._judged.add(self._place)
                self._pockets.board_dealt()
                return self._on_judged(judgement)
            case Closed():
                return self._on_closed()
            case NotStarted():
                if self._consent and self.options.auto:  # a restart or a STOP ended it
                    return self._start(chained=True, confirmed=self._confirmed)
                return self._ask_start("The board was not started.")
            case Unknown(text, hands):
                self._consent = False
                self._after = _After.AGAIN
                return self._ask(Step.ASK_VERDICT, text, (hands,), self._pockets.verdict_choices(countable=False))
            case Reconnected(restarted):
                stands = self.options.auto and not restarted
                self._consent, self._decided = self._consent and stands, self._decided and stands
                self._untouched = self._untouched and not restarted
                if self.step is Step.WAITING and not self._consent:
                    return self._ask_start()
                return []

    @property
    def start_key_counts(self) -> bool:
        """Whether the START key may answer: not what was found, unless a start is what is asked there."""
        return self.step is not Step.ASK_FOUND or (self.asked is not None and Choice.GO in self.asked.choices)

    @property
    def _senses_board(self) -> bool:
        return self.identity.board in (BoardSensing.PRESENCE, BoardSensing.NUMBER)

    @property
    def _said_first(self) -> Confirmation:
        return Confirmation.SAME_BOARD_EMPTIED if self.options.emptied else _NOTHING

    def _start(self, *, chained: bool, confirmed: Confirmation = _NOTHING) -> list[Command]:
        self._confirmed = confirmed
        if chained and self.pause_wanted:
            self.pause_wanted = False
            return self._ask_start("Paused, as you asked.")
        self.step, self._chained = Step.STARTING, chained
        return [StartRun(self.item, self._pockets.said_at_start | confirmed, clear=not chained)]

    def _ask_start(self, before: str = "", *steps: str, means: str = "") -> list[Command]:
        self._consent = False
        return self._ask(
            Step.ASK_START,
            before or f"Board {self._name()} comes next.",
            steps or (f"Put the empty board {self._name()} and a pack into the machine.",),
            (Choice.GO, Choice.SKIP, Choice.STOP),
            means=means,
        )

    def _ask(
        self, step: Step, text: str, steps: tuple[str, ...], choices: tuple[Choice, ...] = (), **more: str
    ) -> list[Command]:
        self.step, item = step, self.item
        told = NeedsOperator(board=item.board, copy=item.copy, text=text, steps=steps, choices=choices, **more)
        self.asked = told
        return [Tell(told)]

    def _ask_paused(
        self, found: Entry, text: str, choices: tuple[Choice, ...], *, is_fault: bool = False
    ) -> list[Command]:
        self._consent = False
        fault = {"code": found.code, "fault_class": found.fault_class.name} if is_fault else {}
        return self._ask(Step.ASK_PAUSED, text, found.steps, choices, means=found.means, **fault)

    def _name(self) -> str:
        return f"{self.item.board}{self.item.copy}"

    def _on_decision(self, decided: Decided) -> list[Command]:
        choice = decided.choice
        if self.step in _ASKING and self.asked is not None and choice not in self.asked.choices:
            return [Tell(self.asked)]  # that was not offered
        if choice is Choice.STOP:
            return self._stop()
        match self.step, choice:
            case Step.ASK_START | Step.WAITING | Step.ASK_FOUND, Choice.GO:
                self._renew_consent()
                return self._start(chained=False, confirmed=self._confirmed)
            case Step.ASK_START | Step.WAITING, Choice.SKIP:
                return self._next()
            case Step.ASK_PAUSED | Step.ASK_FOUND, Choice.GO_ON:
                self.step, self._going_on, self._by_itself = Step.STARTING, True, False
                self._renew_consent()
                return [GoOn(self._put_back, self._pockets.said_going_on)]
            case Step.ASK_PAUSED | Step.ASK_FOUND | Step.ASK_VERDICT, Choice.DEAL_AGAIN | Choice.SENSOR_OUT:
                if choice is Choice.SENSOR_OUT:
                    self._pockets.take_out()
                self._renew_consent()
                self._decided = True
                return self._close(_After.AGAIN)
            case Step.ASK_PAUSED | Step.ASK_FOUND | Step.ASK_VERDICT, Choice.SKIP:
                return self._close(_After.NEXT)
            case Step.ASK_FOUND, Choice.CLEAR_AND_CLOSE:
                return self._close(_After.FIRST)
            case Step.ASK_FOUND, Choice.ASK_AGAIN:
                return [LookAgain()]
            case Step.ASK_FOUND, Choice.BOARD_STILL_IN | Choice.BOARD_IS_OUT if self._judgement is not None:
                self._is_out = choice is Choice.BOARD_IS_OUT
                return self._on_verdict(self._judgement)
            case Step.ASK_VERDICT, Choice.COUNT:
                self.step = Step.JUDGING
                return [Release(decided.name, decided.counts)]
        return []

    def _renew_consent(self) -> None:
        self._consent = self._senses_board and not self.options.ask_each

    def _stop(self) -> list[Command]:
        if self.step is Step.ASK_VERDICT or (self.step is Step.ASK_FOUND and self._judgement is not None):
            return self._close(_After.STOP)
        if self.step in (Step.ASK_START, Step.WAITING, Step.ASK_PAUSED, Step.ASK_FOUND):
            moves = self.asked is not None and Choice.ASK_AGAIN in self.asked.choices
            return self._end(complete=False, halt=moves and self.step is Step.ASK_FOUND)
        return []

    def _close(self, after: _After) -> list[Command]:
        self.step, self._after = Step.CLOSING, after
        return [CloseRun()]

    def _end(self, *, complete: bool, halt: bool = False) -> list[Command]:
        self.step = Step.ENDED
        return [EndJob(complete, halt)]

    def _on_change(self, event: Event) -> list[Command]:
        if isinstance(event, KeyEvent):
            return self._on_stop_key() if event.key == Key.STOP else []
        if isinstance(event, BoardEvent) and self.step in (Step.WAITING, Step.JUDGING, Step.CLOSING):
            self._board_came = event.present
        if self.step is Step.WAITING and self._consent and self._board_came and is_change_for_the_better(event):
            return self._start(chained=True)
        return []

    def _on_stop_key(self) -> list[Command]:
        self._consent = self._decided = self._untouched = False
        return self._ask_start("STOP was pressed at the machine.") if self.step is Step.WAITING else []

    def _on_refusal(self, refused: Refused) -> list[Command]:
        found = refusal_entry(refused)
        news = refused.reason == Refusal.STALE and refused.detail != self._stale
        if news:
            self._stale = refused.detail  # its event is taken before the next ARM
        if self._going_on:
            if news and self._by_itself:
                return self._go_on_by_itself()
            never = refused.reason == Refusal.CANNOT_GO_ON
            return self._ask_paused(found, found.sentence, choices_of(found) if never else _GO_ON)
        if self._chained and self._consent and self.step is Step.STARTING:
            if news:
                return self._start(chained=True, confirmed=self._confirmed)
            cure = cure_of(refused)
            if cure is not Cure.PERSON:
                self._board_came = cure is Cure.CHANGE
                return self._ask(Step.WAITING, found.sentence, found.steps, means=found.means)
        return self._ask_start(found.sentence, *found.steps, means=found.means)

    def _on_pause(self, status: StatusReport) -> list[Command]:
        allowed = allowed_by(status)
        self._put_back = allowed.put_back
        if self.options.auto and self._senses_board and allowed.by_itself:
            return self._go_on_by_itself()
        found = self._pockets.pause_entry(status, goes_on=allowed.may_go_on)
        because = "" if allowed.may_go_on else f" This board cannot go on: {allowed.because}."
        return self._ask_paused(
            found, f"{found.sentence}{because}", choices_of(found), is_fault=status.fault != FaultCode.NONE
        )

    def _on_found(self, question: NeedsOperator, status: StatusReport) -> list[Command]:
        """The automatic setting begins what was not started, and goes on where a pause would let it; else as asked."""
        by_itself = self.options.auto and self._senses_board
        allowed = allowed_by(status)
        self._put_back = allowed.put_back
        if by_itself and self._untouched and Choice.GO in question.choices:
            return self.begin()
        if by_itself and Choice.GO_ON in question.choices and allowed.by_itself:
            return self._go_on_by_itself()
        self._consent, self._confirmed = False, self._said_first
        return self._ask_found(question)

    def _ask_found(self, question: NeedsOperator) -> list[Command]:
        self.step, self.asked = Step.ASK_FOUND, question
        return [Tell(question)]

    def _go_on_by_itself(self) -> list[Command]:
        self.step, self._going_on, self._by_itself = Step.STARTING, True, True
        return [GoOn(put_back=False, confirmed=self._pockets.said_going_on)]

    def _on_judged(self, judgement: Judgement) -> list[Command]:
        self._judgement = judgement
        if self._where_is_it is None:
            return self._on_verdict(judgement)
        self._consent = False
        question, self._where_is_it = self._where_is_it, None
        return self._ask_found(question)

    def _on_verdict(self, judgement: Judgement) -> list[Command]:
        if judgement.verdict in (Verdict.GOOD, Verdict.COUNTED):
            return self._close(_After.NEXT)
        self._consent = False
        reasons = " ".join(reason.sentence for reason in judgement.reasons)
        choices = self._pockets.verdict_choices(countable=judgement.hand_count_may_release)
        fetch = (f"Fetch board {self._name()} and put it into the machine.",) if self._is_out else ()
        text = f"Board {self._name()} is not proven. {reasons}"
        return self._ask(Step.ASK_VERDICT, text, (*fetch, *EMPTY_ALL), choices)

    def _on_closed(self) -> list[Command]:
        out, self._going_on, self._judgement, self._is_out = self._is_out, False, None, False
        match self._after:
            case _After.AGAIN if self._decided:
                return self._start(chained=False, confirmed=Confirmation.SAME_BOARD_EMPTIED)
            case _After.AGAIN:  # a reconnect or a STOP came after the decision
                self._confirmed = Confirmation.SAME_BOARD_EMPTIED
                return self._ask_start(f"Board {self._name()} is to be dealt again.", *EMPTY_ALL)
            case _After.STOP:
                return self._end(complete=False)
            case _After.FIRST:
                return self._ask_start()
            case _:
                return self._next(f"Board {self._name()} is out." if out else f"Take board {self._name()} out.")

    def _next(self, before: str = "") -> list[Command]:
        take_out = before or f"Take board {self._name()} out."
        self._place += 1
        self._confirmed = _NOTHING
        if self._place >= len(self.items):
            return self._end(complete=len(self._judged) == len(self.items))
        if self.pause_wanted:
            self.pause_wanted = False
            return self._ask_start("Paused, as you asked.", take_out, f"Put board {self._name()} in.")
        if not self._consent:
            return self._ask_start("", take_out, f"Put the empty board {self._name()} and a pack in.")
        if self._board_came:
            return self._start(chained=True)
        return self._ask(Step.WAITING, take_out, (f"Put the empty board {self._name()} in.",))


_GO_ON: Final = (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP)
_ASKING: Final = (Step.ASK_START, Step.ASK_PAUSED, Step.ASK_FOUND, Step.ASK_VERDICT)
