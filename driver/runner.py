"""Runs one job on one machine: hears the machine and the person, asks the scheduler, does what it says.

May import: everything of the driver but `machine` and the command line. Read next: `machine.py`, then `cli/`.
The generator `Job.events` owns the machine while it runs; decisions may come from any thread.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

from driver.connection import NumberedEvent
from driver.controls import Controls
from driver.current_run import CurrentRun
from driver.dealing import Dealing
from driver.errors import (
    ConnectionFailed,
    HandCountRefused,
    MachineFault,
    OtherMachine,
    StopNotConfirmed,
    TransportError,
)
from driver.findings import Choice, Situation
from driver.happenings import (
    AtTheMachine,
    Closed,
    CloseRun,
    Command,
    Decided,
    Done,
    EndJob,
    GoOn,
    Happening,
    Item,
    Judged,
    JudgeRun,
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
    VerdictWithdrawn,
)
from driver.job_result import BoardResult, JobResult
from driver.journal import Journal
from driver.recovery import Look, end_found, is_settled, look, look_at_rest
from driver.scheduler import Scheduler, Step
from driver.sentences import fault_sentence
from driver.verdicts import Judgement
from protocol.constants import FaultClass, FaultCode, Key, State
from protocol.errors import DealingMachineError
from protocol.messages import (
    BoardEvent,
    CardEvent,
    CoverEvent,
    FaultEvent,
    Going,
    HopperEvent,
    KeyEvent,
    Refused,
    RunEvent,
    StatusReport,
)

WAKE_EVERY: Final = 0.1
"""Seconds after which a waiting job looks for a person's decision."""
RECONNECT_EVERY: Final = 0.5
"""Seconds between tries to reach a machine that was lost."""
_PACK_NOT_WHOLE: Final = frozenset(
    {FaultCode.DUPLICATE_CARD, FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT, FaultCode.WRONG_BACK}
)
"""Faults that show at once that this pack is short, or that a card came twice."""
_CURABLE: Final = (FaultClass.INFO, FaultClass.OPERATOR)


class Job:
    """Deals `items` in their order. `events` runs it; the other methods are a person's decisions.

    `more_packs` says that other packs lie below the one being dealt, so that its end is not proven by an empty hopper.
    """

    def __init__(
        self,
        controls: Controls,
        journal: Journal,
        items: Sequence[Item],
        options: Options,
        *,
        deal_path: str,
        more_packs: bool = False,
    ) -> None:
        self._controls = controls
        self._journal = journal
        self._dealing = Dealing(controls, journal, deal_path=deal_path, more_packs=more_packs)
        self._scheduler = Scheduler(list(items), controls.identity, options)
        self._decisions: queue.SimpleQueue[Decided | str] = queue.SimpleQueue()
        self._outbox: deque[JobEvent] = deque()
        self._commands: deque[Command] = deque()
        self._found: Look | None = None
        self._old_events = 0
        self._stopping = False
        self._lost = False
        self._ended = False

    @property
    def result(self) -> JobResult:
        """The verdicts so far."""
        return self._dealing.result

    @property
    def step(self) -> Step:
        """Where the job is."""
        return self._scheduler.step

    @property
    def boards_left(self) -> int:
        """Boards without a verdict, the present one included."""
        return self._scheduler.left

    @property
    def silent_for(self) -> float:
        """Seconds since the machine was last heard; over STALE_AFTER its values are shown as old (I5)."""
        return self._controls.silent_for

    def go_on(self) -> None:
        """Start the board asked for, or let the paused one go on, whichever is waited for."""
        self.decide(Choice.GO)

    def deal_again(self) -> None:
        """The same hands once more: the person has emptied pockets, path and hopper, and the pack is in again."""
        self.decide(Choice.DEAL_AGAIN)

    def decide(self, choice: Choice, name: str = "", counts: Sequence[int] = (0, 0, 0, 0)) -> None:
        """A person's decision; from any thread. `name` and `counts` (N E S W) go with COUNT."""
        north, east, south, west = counts
        self._decisions.put(Decided(choice, name, (north, east, south, west)))

    def pause_after_board(self) -> None:
        """Ask before the next board."""
        self._scheduler.pause_wanted = True

    def stop(self) -> None:
        """Finish the card under way, then end the job; the board stays open in the machine."""
        self._decisions.put("after this card")

    def stop_now(self) -> None:
        """Motors off at once, then end the job."""
        self._decisions.put("now")

    def events(self) -> Iterator[JobEvent]:
        """Runs the job; gives what happens, and waits as long as a person needs. Ends with JobEnded.

        Raises MachineFault when a technician is needed, StopNotConfirmed, OtherMachine, CannotGoOn; a machine that is
        lost is reached again by itself.
        """
        recovered = False
        while True:
            while self._outbox:
                yield self._outbox.popleft()
            if self._ended:
                return
            try:
                if self._lost:
                    self._reconnect()
                elif not recovered:
                    self._recover()
                    recovered = True
                elif self._commands:
                    try:
                        self._carry_out(self._commands[0])
                    finally:
                        self._commands.popleft()
                else:
                    self._wait()
            except (OtherMachine, StopNotConfirmed):
                raise
            except (TransportError, ConnectionFailed) as failure:
                self._on_lost(failure)

    # Hearing the person

    def _wait(self) -> None:
        try:
            decision = self._decisions.get_nowait()
        except queue.Empty:
            self._listen()
            return
        if isinstance(decision, str):
            self._stop(now=decision == "now")
        elif self._found is not None:
            self._decide_found(decision.choice, self._found)
        else:
            self._happen(self._meant(decision))

    def _meant(self, decided: Decided) -> Decided:
        going_on = decided.choice is Choice.GO and self._scheduler.step is Step.ASK_PAUSED
        return Decided(Choice.GO_ON) if going_on else decided

    def _stop(self, *, now: bool) -> None:
        self._stopping = True
        if now:
            self._stop_motors()
        elif self._scheduler.step is Step.DEALING:
            self._controls.pause()
            return
        self._end(complete=False)

    def _stop_motors(self) -> None:
        try:
            self._controls.stop()
        except TransportError as error:
            raise StopNotConfirmed("The machine could not be told to stop.") from error

    def _end(self, *, complete: bool) -> None:
        self._ended = True
        self._outbox.append(JobEnded(complete=complete))

    # Hearing the machine

    def _listen(self) -> None:
        numbered = self._controls.next_event(WAKE_EVERY)
        if numbered is None:
            return
        run = self._dealing.run
        match getattr(numbered, "event", None):
            case None:
                if run is not None:
                    run.events_complete = False
                if not self._commands:
                    self._look()
            case CardEvent() as event:
                self._on_card(event)
            case RunEvent() as event if run is not None and event.run == run.record.run:
                self._on_run(event, run)
            case FaultEvent() as event:
                if run is not None:
                    run.faults.append(event.fault)
                if event.fault in _PACK_NOT_WHOLE:
                    self._tell_withdrawn(self._dealing.withdraw_previous())
            case KeyEvent() as event:
                self._on_key(event, is_old=isinstance(numbered, NumberedEvent) and numbered.number <= self._old_events)
            case BoardEvent() | CoverEvent() | HopperEvent() as event:
                self._happen(AtTheMachine(event))

    def _on_card(self, event: CardEvent) -> None:
        run = self._dealing.take_card(event)
        if run is not None:
            item, counts = run.item, run.pocket_counts
            self._outbox.append(CardDealt(board=item.board, copy=item.copy, index=sum(counts), counts=counts))

    def _on_run(self, event: RunEvent, run: CurrentRun) -> None:
        if self._commands or self._scheduler.step not in (Step.STARTING, Step.DEALING):
            return  # already known from STATUS
        if event.state == State.DONE:
            self._happen(Done())
        elif event.state == State.PAUSED:
            self._on_paused(self._controls.status(), run)

    def _on_paused(self, status: StatusReport, run: CurrentRun) -> None:
        run.was_in_doubt = run.was_in_doubt or status.doubt != 0
        self._old_events = status.last_event
        if self._stopping:
            self._end(complete=False)
        elif status.fault and status.fault_class not in _CURABLE:
            sentence = fault_sentence(status.fault)
            raise MachineFault(sentence.text, fault=status.fault, hint=sentence.hands)
        elif status.state == State.PAUSED:
            self._happen(Paused(status))

    def _on_key(self, event: KeyEvent, *, is_old: bool) -> None:
        self._outbox.append(KeyPressed(key=event.key.name))
        if event.key == Key.START and self._found is None and not is_old:  # an old one answers no prompt of now
            self._happen(self._meant(Decided(Choice.GO)))
        elif event.key == Key.PAUSE:
            self.pause_after_board()
        elif event.key == Key.STOP:
            self._happen(AtTheMachine(event))

    # Doing what the scheduler says

    def _happen(self, happening: Happening) -> None:
        self._commands.extend(self._scheduler.on(happening))

    def _carry_out(self, command: Command) -> None:
        if self._stopping and not isinstance(command, JudgeRun | CloseRun | EndJob):
            self._end(complete=False)  # the stop came with the last card: its board is finished, and no other begun
            return
        match command:
            case Tell(event):
                self._outbox.append(event)
            case StartRun(item, confirmed, clear):
                status = self._fresh_status()
                self._began(self._dealing.begin(item, confirmed, status, clear=clear), 0)
            case GoOn(put_back, confirmed):
                status = self._fresh_status()
                self._began(self._dealing.go_on(put_back, confirmed, status), status.index)
            case JudgeRun():
                self._fresh_status()
                judgement, withdrawn = self._dealing.judge()
                self._tell_withdrawn(withdrawn)
                self._judged(judgement)
            case Release(name, counts):
                self._release(name, counts)
            case CloseRun():
                self._dealing.close()
                self._happen(Closed())
            case EndJob(complete):
                self._end(complete=complete)

    def _fresh_status(self) -> StatusReport:
        """STATUS, and every event that it knows of taken: ARM names the newest one seen, a verdict weighs them all.

        It is part of a command, which stays in `_commands` meanwhile: no older news of the run begins another one.
        """
        status = self._controls.status()
        while self._controls.events_waiting:
            self._listen()
        return status

    def _began(self, answer: Going | Refused, index: int) -> None:
        if isinstance(answer, Refused):
            self._happen(WasRefused(answer))
            return
        self._started(index)

    def _started(self, index: int) -> None:
        self._happen(Started())
        item = self._dealing.need_run.item
        dealer, vulnerability = item.dealer.letter, item.vulnerability.text
        self._outbox.append(
            BoardStarted(board=item.board, copy=item.copy, dealer=dealer, vulnerability=vulnerability, index=index)
        )

    def _judged(self, judgement: Judgement) -> None:
        run = self._dealing.need_run
        self._outbox.append(BoardJudged(board=run.item.board, copy=run.item.copy, judgement=judgement))
        self._happen(Judged(judgement))

    def _release(self, name: str, counts: tuple[int, int, int, int]) -> None:
        try:
            judgement = self._dealing.release(name, counts)
        except HandCountRefused as error:
            self._happen(Unknown(str(error), error.hint))
        else:
            self._judged(judgement)

    def _tell_withdrawn(self, result: BoardResult | None) -> None:
        if result is not None:
            self._outbox.append(
                VerdictWithdrawn(board=result.number, copy=result.copy, reason="the next pack was not a whole pack")
            )

    # The machine was lost

    def _on_lost(self, failure: DealingMachineError) -> None:
        if self._lost:
            self._controls.clock.wait(RECONNECT_EVERY)
            return
        self._lost = True  # told before the first try to reach it again
        self._outbox.append(MachineLost(text=str(failure), hands=failure.hint))

    def _reconnect(self) -> None:
        if self._stopping or self._stop_wanted():
            self._end(complete=False)
            return
        restarted = self._controls.reconnect()
        self._old_events = self._controls.status().last_event
        self._lost = False
        self._outbox.append(MachineBack())
        self._happen(Reconnected(restarted))
        if self._dealing.run is not None:
            self._dealing.run.restarted |= restarted
        self._look()

    def _stop_wanted(self) -> bool:
        while not self._decisions.empty():
            decision = self._decisions.get_nowait()
            if isinstance(decision, str) or decision.choice is Choice.STOP:
                return True
        return False

    def _look(self) -> None:
        """What became of our run: asks the machine, concludes, and tells the scheduler."""
        run = self._dealing.run
        if run is None:
            self._not_started()
            return
        if self._scheduler.step is Step.CLOSING:
            self._commands.append(CloseRun())  # the one before was not answered
            return
        seen = look(self._controls, self._journal)
        found = seen.finding
        match found.situation:
            case Situation.FINISHED:
                self._happen(Done())
            case Situation.NOT_STARTED:
                self._not_started()
            case Situation.INTERRUPTED | Situation.IN_DOUBT | Situation.CANNOT_GO_ON | Situation.BOARD_MOVED:
                self._on_paused(seen.status, run)
            case Situation.MOVING if self._scheduler.step is Step.STARTING:
                self._started(seen.status.index)
            case Situation.MOVING | Situation.JUDGED:
                pass
            case _:
                self._happen(Unknown(" ".join((*found.certain, *found.uncertain)), found.instruction))

    def _not_started(self) -> None:
        if self._scheduler.step in (Step.STARTING, Step.DEALING):  # a lost mark makes a GO that was answered undone
            self._happen(NotStarted())

    # What was found when the job began

    def _recover(self) -> None:
        """Settles what machine and journal hold from before, asking a person where there is a choice."""
        seen = look_at_rest(self._controls, self._journal)
        record = seen.record
        if is_settled(seen):
            end_found(self._controls, self._journal, seen)
            self._commands.extend(self._scheduler.begin())
            return
        item = None if record is None else self._dealing.item_of(record, self._scheduler.items)
        if record is not None and item is not None and seen.status.run == record.run:
            self._dealing.adopt(record, item)
            self._scheduler.begin_with(item)
            finished = seen.finding.situation is Situation.FINISHED
            self._happen(Done() if finished else Paused(seen.status, found=True))
            return
        self._found = seen
        text = " ".join((seen.finding.situation.value, *seen.finding.certain, *seen.finding.uncertain))
        choices = (Choice.CLEAR_AND_CLOSE, Choice.STOP)
        self._outbox.append(NeedsOperator(text=text, hands=seen.finding.instruction, choices=choices))

    def _decide_found(self, choice: Choice, seen: Look) -> None:
        if choice is Choice.STOP:
            self._end(complete=False)
        elif choice in (Choice.CLEAR_AND_CLOSE, Choice.GO):
            self._found = None
            end_found(self._controls, self._journal, seen)
            self._commands.extend(self._scheduler.begin())
