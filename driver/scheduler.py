"""What to do on each thing that happens at one machine: a pure state machine. Its table is SCHEDULER.md.

May import: `consent`, `happenings`, `job_events`, `left_inside`, `prompts`, `verdicts`; no link, no queue, no clock.
Happenings go in with `on`, commands come out; `runner.py` carries them out. It takes each board from outside
(TakeNext), so that the queue may change and machines may share it. Read next: `consent.py`, `prompts.py`, `runner.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from driver import happenings, prompts
from driver.allowed import Cure, allowed_by, cure_of, is_change_for_the_better
from driver.consent import Consent
from driver.findings import Choice, choices_of
from driver.happenings import Command, Happening, Item, Options
from driver.job_events import NeedsOperator
from driver.left_inside import After, LeftInside
from driver.sentences import refusal_entry
from driver.silent_pocket import SilentPocket
from driver.steps import ASKING, BETWEEN, Step
from driver.verdicts import Judgement
from protocol.codes import BoardSensing, Confirmation, FaultCode, Key, Refusal
from protocol.messages import BoardEvent, Event, Identity, KeyEvent, Refused, StatusReport

_NOTHING: Final = Confirmation(0)
_LEFT_AS_IT_IS: Final = (Step.ASK_START, Step.WAITING, Step.ASK_PAUSED, Step.ASK_FOUND, Step.ASK_VERDICT, Step.IDLE)
"""Where a stop leaves everything for the next time."""
_TOLD_AGAIN: Final = (Step.ASK_START, Step.WAITING, Step.ASK_LEFT, Step.IDLE)
"""What was asked between boards stands after a line that broke, of which something else was told meanwhile."""


@dataclass(slots=True)
class Scheduler:
    """One machine's part in a job. `step`, `item` (the present board) and `asked` (the last question) may be read."""

    identity: Identity
    options: Options = field(default_factory=Options)
    step: Step = Step.TAKING
    item: Item | None = None
    asked: NeedsOperator | None = None
    pause_wanted: bool = False
    _consent: Consent = field(init=False)
    _said_first: Confirmation = field(init=False)
    _after: After = After.NEXT
    _confirmed: Confirmation = _NOTHING
    _board_came: bool = False
    _number: int | None = None
    _take_out: tuple[str, ...] = ()
    _inside: LeftInside = field(default_factory=LeftInside)
    _chained: bool = False
    _put_back: bool = False
    _going_on: bool = False
    _by_itself: bool = False
    _is_first: bool = False
    _stale: int = 0
    _wrong_board: Refused | None = None
    _where_is_it: NeedsOperator | None = None
    _is_out: bool = False
    _judgement: Judgement | None = None
    _pockets: SilentPocket = field(default_factory=SilentPocket)

    def __post_init__(self) -> None:
        self._consent = Consent(self.identity, self.options)
        self._said_first = Confirmation.SAME_BOARD_EMPTIED if self.options.emptied else _NOTHING

    def begin(self, in_slot: int | None = None) -> list[Command]:
        """The first command: take a board; it is asked for, or started when `auto` is set and boards are sensed.

        `in_slot` is the number of the board that lies in the machine, None when nobody reads it.
        """
        self._confirmed, self._is_first, self._number = self._consent.said_first, True, in_slot
        return self._take()

    def on(self, happening: Happening) -> list[Command]:
        """What to do on `happening`, in order."""
        if self.step is Step.ENDED:
            return []
        match happening:
            case happenings.Decided():
                return self._on_decision(happening)
            case happenings.AtTheMachine(event):
                return self._on_change(event)
            case happenings.Taken(item):
                return self._on_taken(item)
            case happenings.NoMore():
                return self._on_no_more(happening)
            case happenings.QueueChanged():
                return self._on_queue_changed()
            case happenings.WasRefused(refused):
                return self._on_refusal(refused)
            case happenings.Started():
                self.step, self._board_came, self._number, self._going_on = Step.DEALING, False, None, False
                self._inside.item = None
                return []
            case happenings.Paused(status):
                return self._on_pause(status)
            case happenings.Found(question, status):
                return self._on_found(question, status)
            case happenings.Done(question, is_out):
                if self.step in (Step.ASK_VERDICT, Step.CLOSING) or self._judgement is not None:
                    return []  # judged already
                self.step, self._where_is_it, self._is_out = Step.JUDGING, question, is_out
                return [happenings.JudgeRun()]
            case happenings.Judged(judgement):
                self._pockets.board_dealt()
                return self._on_judged(judgement)
            case happenings.Closed():
                return self._on_closed()
            case happenings.NotStarted():
                if self._consent.carries_over and self.options.auto:  # a restart or a STOP ended it
                    return self._start(chained=True, confirmed=self._confirmed)
                return self._ask_start("The board was not started.")
            case happenings.Unknown(text, hands):
                self._consent.end()
                self._after = After.AGAIN
                choices = self._pockets.verdict_choices(countable=False)
                return self._ask(Step.ASK_VERDICT, prompts.asked(self.item, text, (hands,), choices))
            case happenings.Reconnected(restarted):
                self._consent.reconnect(restarted=restarted)
                if self.step is Step.WAITING and not self._consent.carries_over:
                    return self._ask_start()
                is_open = self.step in _TOLD_AGAIN or self._asks_verdict
                return [happenings.Tell(self.asked)] if is_open and self.asked is not None else []  # the answer is lost

    @property
    def start_key_counts(self) -> bool:
        """Whether the START key may answer: not what was found, unless a start is what is asked there."""
        return self.step is not Step.ASK_FOUND or (self.asked is not None and Choice.GO in self.asked.choices)

    @property
    def _asks_verdict(self) -> bool:
        return self.step is Step.ASK_VERDICT or (self.step is Step.ASK_FOUND and self._judgement is not None)

    # The next board: taken, asked for, started

    def _take(self, *, from_others: bool = True) -> list[Command]:
        self.step = Step.TAKING
        return [happenings.TakeNext(self._number, from_others)]

    def _next(self, *take_out: str) -> list[Command]:
        self._take_out, self._confirmed = (*self._inside.all_out, *take_out), _NOTHING
        return self._take()

    def _on_queue_changed(self) -> list[Command]:
        """No other machine's board is taken then: two with the same number in the slot would take it in turns."""
        if self.step in (Step.ASK_START, Step.WAITING):
            return self._take(from_others=False)
        return [happenings.TakeNext(self._number, from_others=False)] if self.step is Step.IDLE else []

    def _on_taken(self, item: Item) -> list[Command]:
        """A board was taken for the first start, after another one, or because it lies in the slot."""
        before, self.item = self.item, item
        if self.step is Step.ASK_START:
            return [] if item == before else self._ask(Step.ASK_START, self._inside.lies_there(item))
        if self.step is Step.WAITING:
            return self._start(chained=True) if self._consent.carries_over and self._board_came else []
        if self.step is Step.STARTING:  # it was refused for its number, or another machine has its board in the slot
            refused, self._wrong_board = self._wrong_board, None
            if refused is not None and item == before:
                return self._refuse(refused)
            begins = self._chained and self._consent.carries_over
            question = prompts.start(item) if refused is None else self._inside.lies_there(item)
            return self._start(chained=True) if begins else self._ask(Step.ASK_START, question)
        if self.step not in (Step.TAKING, Step.IDLE):
            return []
        is_first, self._is_first = self._is_first, False
        if is_first and self._consent.begins:
            self._consent.carries_over = True
            return self._start(chained=True, confirmed=self._confirmed)
        if is_first or not self._take_out or item == self._inside.item:
            return self._ask_start()
        if self.pause_wanted:
            self.pause_wanted = False
            return self._ask(Step.ASK_START, prompts.after_a_pause(item, self._take_out))
        if not self._consent.carries_over:
            return self._ask(Step.ASK_START, prompts.another(item, self._take_out))
        if self._board_came:
            return self._start(chained=True)
        return self._ask(Step.WAITING, prompts.waiting(item, self._take_out))

    def _on_no_more(self, found: happenings.NoMore) -> list[Command]:
        if self.step not in (Step.TAKING, Step.IDLE, Step.STARTING):
            return []  # the board that was asked for stays
        self.item = None
        if found.left:
            return self._ask(Step.ASK_LEFT, prompts.skipped(found.left, self._take_out))
        if found.elsewhere:
            return self._ask(Step.ASK_LEFT, prompts.open_elsewhere(found.elsewhere, self._take_out))
        if not found.busy:
            return self._end(complete=found.complete)
        return [] if self.step is Step.IDLE else self._ask(Step.IDLE, prompts.nothing_here(self._take_out))

    def _start(self, *, chained: bool, confirmed: Confirmation = _NOTHING) -> list[Command]:
        self._confirmed = confirmed
        if chained and self.pause_wanted:
            self.pause_wanted = False
            return self._ask_start(prompts.PAUSED)
        if self.item is None:  # what was found lay beside the job
            return self._take()
        self.step, self._chained = Step.STARTING, chained
        return [happenings.StartRun(self.item, self._pockets.said_at_start | confirmed, clear=not chained)]

    def _ask(self, step: Step, question: NeedsOperator) -> list[Command]:
        if step is Step.ASK_START:
            self._consent.end()
        self.step, self.asked = step, question
        return [happenings.Tell(question)]

    def _ask_start(self, before: str = "", *steps: str, means: str = "") -> list[Command]:
        if self.item is None:
            return self._take()
        if self.item == self._inside.item:
            self._confirmed = Confirmation.SAME_BOARD_EMPTIED
        return self._ask(Step.ASK_START, self._inside.start(self.item, before, steps, means))

    # A person

    def _on_decision(self, decided: happenings.Decided) -> list[Command]:
        choice = decided.choice
        if self.step in ASKING and self.asked is not None and choice not in self.asked.choices:
            return [happenings.Tell(self.asked)]  # that was not offered
        if choice is Choice.STOP:
            return self._stop()
        match self.step, choice:
            case Step.ASK_START | Step.WAITING | Step.ASK_FOUND, Choice.GO:
                self._consent.renew()
                return self._start(chained=False, confirmed=self._confirmed)
            case Step.ASK_START | Step.WAITING, Choice.SKIP:
                return [happenings.Leave(), *self._next(f"Take board {prompts.name_of(self.item)} out.")]
            case Step.ASK_PAUSED | Step.ASK_FOUND, Choice.GO_ON:
                self.step, self._going_on, self._by_itself = Step.STARTING, True, False
                self._consent.renew()
                return [happenings.GoOn(self._put_back, self._pockets.said_going_on)]
            case Step.ASK_PAUSED | Step.ASK_FOUND | Step.ASK_VERDICT, Choice.DEAL_AGAIN | Choice.SENSOR_OUT:
                if choice is Choice.SENSOR_OUT:
                    self._pockets.take_out()
                self._consent.deal_again()
                return self._close(After.AGAIN)
            case Step.ASK_PAUSED | Step.ASK_FOUND | Step.ASK_VERDICT, Choice.SKIP:
                return self._close(After.LEAVE)
            case Step.ASK_VERDICT | Step.ASK_FOUND, Choice.KEEP:
                return self._close(After.KEEP)
            case Step.ASK_FOUND, Choice.CLEAR_AND_CLOSE:
                return self._close(After.FIRST)
            case Step.ASK_FOUND, Choice.ASK_AGAIN:
                return [happenings.LookAgain()]
            case Step.ASK_FOUND, Choice.BOARD_STILL_IN | Choice.BOARD_IS_OUT if self._judgement is not None:
                self._is_out = choice is Choice.BOARD_IS_OUT
                return self._on_verdict(self._judgement)
            case Step.ASK_VERDICT, Choice.COUNT:
                self.step = Step.JUDGING
                return [happenings.Release(decided.name, decided.counts)]
            case Step.ASK_LEFT, Choice.DEAL_THEM:
                return [happenings.OfferLeft(), *self._next()]
            case Step.ASK_LEFT, Choice.CONTINUE_EMPTIED:
                return [happenings.OfferEmptied(), *self._next()]
            case Step.ASK_LEFT, Choice.LEAVE_THEM:
                is_open = self.asked is not None and Choice.CONTINUE_EMPTIED in self.asked.choices
                return [*([happenings.LeaveOpen()] if is_open else []), *self._end(complete=False)]
        return []

    def _stop(self) -> list[Command]:
        may_be_kept = self.asked is not None and Choice.KEEP in self.asked.choices
        stands = self._judgement is not None and self._judgement.stands
        if (self._asks_verdict and stands) or (self.step is Step.ASK_VERDICT and not may_be_kept):
            return self._close(After.STOP)
        if self.step in _LEFT_AS_IT_IS:
            moves = self.asked is not None and Choice.ASK_AGAIN in self.asked.choices
            return self._end(complete=False, halt=moves and self.step is Step.ASK_FOUND)
        return []

    def _close(self, after: After) -> list[Command]:
        self.step, self._after = Step.CLOSING, after
        # Kept first: whoever finds the run still open, or ended, knows that nothing is left to decide.
        return [*([happenings.Keep()] if after is After.KEEP else []), happenings.CloseRun()]

    def _end(self, *, complete: bool, halt: bool = False) -> list[Command]:
        self.step = Step.ENDED
        return [happenings.EndJob(complete, halt)]

    # The machine

    def _on_change(self, event: Event) -> list[Command]:
        if isinstance(event, KeyEvent):
            if event.key == Key.STOP:
                self._consent.stop()
            stops = event.key == Key.STOP and self.step is Step.WAITING
            return self._ask_start("STOP was pressed at the machine.") if stops else []
        if isinstance(event, BoardEvent) and self.step in BETWEEN:
            self._board_came = event.present
            reads = event.present and self.identity.board is BoardSensing.NUMBER
            self._number = event.number if reads and event.number else None
            if self.step in (Step.ASK_START, Step.IDLE) and self._number is not None:
                return [happenings.TakeNext(self._number)]
        better = self._board_came and is_change_for_the_better(event)
        if self.step is Step.WAITING and self._consent.carries_over and better:
            return [happenings.TakeNext(self._number)] if self._number is not None else self._start(chained=True)
        return []

    def _on_refusal(self, refused: Refused) -> list[Command]:
        if refused.reason == Refusal.WRONG_BOARD and refused.detail and self.step is Step.STARTING:
            self._wrong_board = refused
            return [happenings.TakeNext(refused.detail)]
        return self._refuse(refused)

    def _refuse(self, refused: Refused) -> list[Command]:
        left = self._inside.refused(self.item, refused)
        if left is not None:
            return self._ask(Step.ASK_START, left)
        found = refusal_entry(refused)
        news = refused.reason == Refusal.STALE and refused.detail != self._stale
        if news:
            self._stale = refused.detail  # its event is taken before the next ARM
        if self._going_on:
            if news and self._by_itself:
                return self._go_on_by_itself()
            self._consent.end()
            usual = (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP)
            choices = choices_of(found) if refused.reason == Refusal.CANNOT_GO_ON else usual
            return self._ask(Step.ASK_PAUSED, prompts.paused(self.item, found, choices))
        if self._chained and self._consent.carries_over and self.step is Step.STARTING:
            if news:
                return self._start(chained=True, confirmed=self._confirmed)
            cure = cure_of(refused)
            if cure is not Cure.PERSON:
                self._board_came = cure is Cure.CHANGE
                return self._ask(Step.WAITING, prompts.asked(self.item, found.sentence, found.steps, (), found.means))
        return self._ask_start(found.sentence, *found.steps, means=found.means)

    def _on_pause(self, status: StatusReport) -> list[Command]:
        allowed = allowed_by(status)
        self._put_back = allowed.put_back
        if self._consent.goes_on(allowed):
            return self._go_on_by_itself()
        self._consent.end()
        found = self._pockets.pause_entry(status, goes_on=allowed.may_go_on)
        why, is_fault = "" if allowed.may_go_on else allowed.because, status.fault != FaultCode.NONE
        question = prompts.paused(self.item, found, choices_of(found), because=why, is_fault=is_fault)
        return self._ask(Step.ASK_PAUSED, question)

    def _on_found(self, question: NeedsOperator, status: StatusReport) -> list[Command]:
        """The automatic setting begins what was not started, and goes on where a pause would let it; else as asked."""
        allowed = allowed_by(status)
        self._put_back = allowed.put_back
        if self._consent.begins and Choice.GO in question.choices:
            self._consent.carries_over = True
            return self._start(chained=True, confirmed=self._consent.said_first)
        if self._consent.goes_on(allowed) and Choice.GO_ON in question.choices:
            return self._go_on_by_itself()
        self._consent.end()
        self._confirmed = self._consent.said_first
        return self._ask(Step.ASK_FOUND, question)

    def _go_on_by_itself(self) -> list[Command]:
        self.step, self._going_on, self._by_itself = Step.STARTING, True, True
        return [happenings.GoOn(put_back=False, confirmed=self._pockets.said_going_on)]

    # The end of a board

    def _on_judged(self, judgement: Judgement) -> list[Command]:
        self._judgement = judgement
        if self._where_is_it is None:
            return self._on_verdict(judgement)
        self._consent.end()
        question, self._where_is_it = self._where_is_it, None
        return self._ask(Step.ASK_FOUND, question)

    def _on_verdict(self, judgement: Judgement) -> list[Command]:
        if judgement.is_settled:
            return self._close(After.NEXT if judgement.stands else After.KEEP)
        self._consent.end()
        is_best, countable = judgement.is_best_here, judgement.hand_count_may_release
        choices = self._pockets.verdict_choices(countable=countable, is_best=is_best)
        return self._ask(Step.ASK_VERDICT, prompts.not_proven(self.item, judgement, choices, is_out=self._is_out))

    def _on_closed(self) -> list[Command]:
        name = prompts.name_of(self.item)
        take_out = f"Board {name} is out." if self._is_out else f"Take board {name} out."
        self._going_on, self._judgement, self._is_out = False, None, False
        self._inside.ended(self.item, self._after)
        match self._after:
            case After.AGAIN if self._consent.again:
                return self._start(chained=False, confirmed=Confirmation.SAME_BOARD_EMPTIED)
            case After.AGAIN | After.FIRST:  # dealt again: a reconnect or a STOP came after the decision
                return self._ask_start()
            case After.STOP:
                return self._end(complete=False)
            case After.LEAVE:
                return [happenings.Leave(), *self._next(take_out)]
            case _:
                return self._next(take_out)
