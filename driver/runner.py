"""Runs one job on one machine: hears the machine and the person, asks the scheduler, does what it says.

May import: everything of the driver but `job`, `machine` and the command line. Read next: `job.py`, `work.py`.
The generator `events` owns the machine while it runs; decisions come in through `decisions.py`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from driver import happenings
from driver import job_events as told
from driver.allowed import allowed_by, check_curable, meant_by
from driver.connection import NumberedEvent
from driver.controls import Controls
from driver.current_run import CurrentRun
from driver.dealing import Dealing
from driver.dealt import Records
from driver.decisions import Decisions, StopWish
from driver.errors import ConnectionFailed, HandCountRefused, OtherMachine, StopNotConfirmed, TransportError
from driver.findings import Choice, Situation
from driver.happenings import Command, Decided, Happening
from driver.job_events import JobEvent
from driver.journal import Journal
from driver.recovery import Look, end_found, look, note_left, question_about, recover
from driver.scheduler import Scheduler
from driver.steps import Step
from driver.verdicts import Judgement
from driver.verification import PACK_NOT_WHOLE
from driver.work import Work
from protocol.codes import Key, Refusal, Sensor, State
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
_ENDS_A_BOARD: Final = (happenings.JudgeRun, happenings.Keep, happenings.CloseRun, happenings.EndJob)


class Runner:
    """Runs one job; `scheduler` and `dealing` may be read at any time. `Job` is its caller's side.

    `more_packs` says that other packs lie below the one being dealt, so that its end is not proven by an empty hopper.
    """

    def __init__(
        self,
        controls: Controls,
        journal: Journal,
        work: Work,
        scheduler: Scheduler,
        decisions: Decisions,
        *,
        records: Records,
        more_packs: bool,
    ) -> None:
        self.scheduler = scheduler
        self.dealing = Dealing(controls, journal, decisions, records=records, more_packs=more_packs, tell=self._tell)
        self._controls = controls
        self._journal = journal
        self._work = work
        self._machine = controls.ack.serial
        self._decisions = decisions
        self._outbox: deque[JobEvent] = deque()
        self._commands: deque[Command] = deque()
        self._recovered = self._stopping = self._lost = self._ended = False
        self._found: Look | None = None
        self._old_events = 0
        self._known = self._heard = controls.last_event

    def events(self) -> Iterator[JobEvent]:
        """As `Job.events`."""
        while True:
            while self._outbox:
                yield self._outbox.popleft()
            if self._ended:
                return
            try:
                self._controls.check_awake()
                if self._lost:
                    self._reconnect()
                elif not self._recovered:
                    self._recover()
                    self._recovered = True
                elif self._commands:
                    try:
                        self._carry_out(self._commands[0])
                    finally:
                        self._commands.popleft()
                else:
                    self._wait()
            except (TransportError, ConnectionFailed) as failure:
                if isinstance(failure, OtherMachine | StopNotConfirmed):
                    raise
                self._on_lost(failure)

    # Hearing the person

    def _wait(self) -> None:
        """Takes the next news; what the machine has told first, since a decision was made with it in view."""
        if self._listen(0):
            return
        decision = self._decisions.take(self.scheduler.asked)
        if decision is None:
            if not self._listen(WAKE_EVERY) and self._work.may_differ(self._machine, self.scheduler.item):
                self._happen(happenings.QueueChanged())
        elif isinstance(decision, StopWish):
            self._stop(now=decision is StopWish.NOW)
        else:
            self._happen(self._meant(decision))

    def _meant(self, decided: Decided) -> Decided:
        step, asked = self.scheduler.step, self.scheduler.asked
        if asked is None or step not in (Step.ASK_PAUSED, Step.ASK_FOUND):
            return decided
        choice = meant_by(decided.choice, asked.choices, or_first=step is Step.ASK_FOUND)
        if choice is Choice.STOP and self._found is not None:
            note_left(self._journal, self._found)
        return replace(decided, choice=choice)

    def _stop(self, *, now: bool) -> None:
        self._stopping = True
        if now:
            self._controls.stop()
        elif self.scheduler.step is Step.DEALING and self._controls.pause():
            return
        if self.scheduler.step is Step.DEALING and self._controls.status().state == State.DONE:
            self._happen(happenings.Done())  # the stop crossed with the last card
        else:
            self._end(complete=False)

    def _tell(self, event: JobEvent | None) -> None:
        if event is not None:
            self._outbox.append(event)

    def _end(self, *, complete: bool) -> None:
        self._ended = True
        self._work.end(self._machine)
        self._tell(told.JobEnded(complete=complete))

    # Hearing the machine

    def _listen(self, timeout: float) -> bool:
        """Hears the next event, waiting up to `timeout` seconds; False when there was none."""
        numbered = self._controls.next_event(timeout)
        if numbered is None:
            return False
        self._heard = numbered.number if isinstance(numbered, NumberedEvent) else self._controls.last_event
        run = self.dealing.run
        match getattr(numbered, "event", None):
            case None:
                self.dealing.facts = None
                if run is not None:
                    run.events_complete = False
                if not self._commands:
                    self._look()
            case CardEvent() as event:
                self._tell(self.dealing.take_card(event))
            case RunEvent() as event if run is not None and event.run == run.record.run:
                self._on_run(event, run)
            case FaultEvent() as event:
                self.dealing.take_fault(event.fault)
                if event.fault in PACK_NOT_WHOLE:
                    self.dealing.withdraw_previous(PACK_NOT_WHOLE[event.fault])
            case KeyEvent() as event:
                self._on_key(event, is_old=isinstance(numbered, NumberedEvent) and numbered.number <= self._old_events)
            case BoardEvent() | CoverEvent() | HopperEvent() as event:
                if isinstance(event, BoardEvent):
                    self.dealing.take_edges(event)
                self._happen(happenings.AtTheMachine(event))
        return True

    def _on_run(self, event: RunEvent, run: CurrentRun) -> None:
        if self._commands or self.scheduler.step not in (Step.STARTING, Step.DEALING):
            return  # already known from STATUS
        if event.state == State.DONE:
            self._happen(happenings.Done())
        elif event.state == State.PAUSED:
            self._on_paused(self._controls.status(), run)

    def _on_paused(self, status: StatusReport, run: CurrentRun, seen: Look | None = None) -> None:
        run.was_in_doubt = run.was_in_doubt or status.doubt != 0
        if status.fault:
            self.dealing.take_fault(status.fault)
        self._old_events = status.last_event
        if self._stopping:
            self._end(complete=False)
            return
        check_curable(status)
        if seen is not None:
            self._ask_about(seen)
        elif status.state == State.PAUSED:
            self._happen(happenings.Paused(status))

    def _on_key(self, event: KeyEvent, *, is_old: bool) -> None:
        self._tell(told.KeyPressed(key=event.key.name))
        if event.key == Key.START and self.scheduler.start_key_counts and not is_old:  # an old one answers no prompt
            self._happen(self._meant(Decided(Choice.GO)))
        elif event.key == Key.PAUSE:
            self.scheduler.pause_wanted = True
        elif event.key == Key.STOP:
            self._happen(happenings.AtTheMachine(event))

    # Doing what the scheduler says

    def _happen(self, happening: Happening) -> None:
        self._queue(self.scheduler.on(happening))

    def _queue(self, commands: list[Command]) -> None:
        """Takes commands over; ARM will name the newest event that was known now, when they were decided."""
        self._commands.extend(commands)
        if any(isinstance(command, happenings.StartRun | happenings.GoOn) for command in commands):
            self._known = self._heard

    def _carry_out(self, command: Command) -> None:
        if self._stopping and not isinstance(command, _ENDS_A_BOARD):
            self._end(complete=False)  # the stop came with the last card: its board is finished, and no other begun
            return
        match command:
            case happenings.Tell(event):
                self._tell(event)
            case happenings.StartRun() | happenings.GoOn() if self._decisions.stop_wished:
                return
            case happenings.StartRun() if self.scheduler.step is not Step.STARTING:
                return  # it was decided twice, and the first of them began
            case happenings.StartRun(item) if not self._work.starts(self._machine, item):
                self._carry_out(happenings.TakeNext())
            case happenings.StartRun(item, confirmed, clear):
                status = self._status_before(clear=clear)
                self._began(self.dealing.begin(item, confirmed, status, self._known, clear=clear), 0)
            case happenings.GoOn(put_back, confirmed):
                status = self._fresh_status()
                self._began(self.dealing.go_on(put_back, confirmed, status, self._known), status.index)
            case happenings.JudgeRun():
                self._fresh_status()
                self._judged(self.dealing.judge())
            case happenings.Release(name, counts):
                self._release(name, counts)
            case happenings.CloseRun():
                self._close()
                self._fresh_status()
                self._happen(happenings.Closed())
            case happenings.LookAgain():
                self._recovered = False
            case happenings.EndJob(complete, halt):
                if halt:
                    self._controls.stop()
                self._end(complete=complete)
            case _:
                for found in self._work.follow(command, self._machine):
                    self._happen(found)

    def _close(self) -> None:
        """Ends the run, once: it is told as closed only when the machine was heard after that."""
        if self._found is not None:
            end_found(self._controls, self._journal, self._found)
            self._found = self.dealing.run = None
        elif self.dealing.run is not None:
            self.dealing.close()

    def _fresh_status(self) -> StatusReport:
        """STATUS and every event known by then; a board that came while its answer was under way is put into it.

        It is part of a command, which stays in `_commands` meanwhile: no older news of the run begins another one.
        """
        facts = None
        while facts is None:
            self.dealing.facts = self._controls.status()
            while self._controls.events_waiting:
                self._listen(WAKE_EVERY)
            facts = self.dealing.facts
        return facts

    def _status_before(self, *, clear: bool) -> StatusReport:
        """The facts for the intent of a run; asked anew when they are not known, or a fault is to be cleared."""
        while self._listen(0):
            pass
        return self._fresh_status() if self.dealing.facts is None or clear else self.dealing.facts

    def _began(self, answer: Going | Refused, index: int) -> None:
        if isinstance(answer, Going):
            self._started(index)
            return
        self._work.refused(self._machine)
        if answer.reason == Refusal.STALE:
            self._fresh_status()  # what it was about is heard before anything is decided anew
        self._happen(happenings.WasRefused(answer))

    def _started(self, index: int) -> None:
        self._found = self.dealing.facts = None
        self._happen(happenings.Started())
        self._tell(self.dealing.begun(index))

    def _judged(self, judgement: Judgement) -> None:
        run = self.dealing.need_run
        self._tell(told.BoardJudged(board=run.item.board, copy=run.item.copy, judgement=judgement))
        self._happen(happenings.Judged(judgement))

    def _release(self, name: str, counts: tuple[int, int, int, int]) -> None:
        try:
            judgement = self.dealing.release(name, counts)
        except HandCountRefused as error:
            self._happen(happenings.Unknown(str(error), error.hint))
        else:
            self._judged(judgement)

    # The machine was lost

    def _on_lost(self, failure: DealingMachineError) -> None:
        if self._lost:
            self._controls.clock.wait(RECONNECT_EVERY)
            return
        self._lost, self._commands = True, deque(filter(happenings.stays, self._commands))
        self._tell(told.MachineLost(text=str(failure), hands=failure.hint))

    def _reconnect(self) -> None:
        if self._stopping or self._decisions.take_stop():
            self._end(complete=False)
            return
        restarted = self._controls.reconnect()
        self._old_events = self._controls.status().last_event
        if restarted:
            self._heard = self._old_events
        self._lost, self.dealing.facts = False, None
        self._tell(told.MachineBack())
        self._happen(happenings.Reconnected(restarted))
        if self.dealing.run is not None:
            self.dealing.run.restarted |= restarted
        self._look()

    def _look(self) -> None:
        """What became of our run: asks the machine, concludes, and tells the scheduler."""
        run = self.dealing.run
        if self.scheduler.step is Step.CLOSING:
            self._commands.append(happenings.CloseRun())  # the one before was not answered
            return
        self._found = None
        if run is None:
            self._look_between_runs()
            return
        seen = look(self._controls, self._journal, cards_seen=bool(run.cards))
        match seen.finding.situation:
            case Situation.FINISHED:
                self._happen(happenings.Done())
            case Situation.NOT_STARTED:
                self._not_started()
            case Situation.INTERRUPTED | Situation.IN_DOUBT | Situation.CANNOT_GO_ON | Situation.BOARD_MOVED:
                is_pause = Choice.GO_ON in seen.finding.choices or not allowed_by(seen.status).may_go_on
                as_pause = is_pause and self.scheduler.step is not Step.ASK_FOUND
                self._on_paused(seen.status, run, None if as_pause else seen)
            case Situation.MOVING if self.scheduler.step is Step.STARTING:
                self._started(seen.status.index)
            case Situation.MOVING | Situation.JUDGED | Situation.NOT_GOOD:
                pass
            case _:
                self._ask_about(seen)

    def _look_between_runs(self) -> None:
        """Nothing of ours is open: a board may have been put in while its event was lost; ARM checks what it is."""
        if self.scheduler.step is Step.ASK_FOUND:
            self._recovered = False
            return
        status = self._controls.status()
        self._not_started()
        if Sensor.BOARD_PRESENT in status.sensors:
            self._happen(happenings.AtTheMachine(BoardEvent(True, status.board_number, status.board_edges)))

    def _not_started(self) -> None:
        if self.scheduler.step in (Step.STARTING, Step.DEALING):  # a lost mark makes a GO that was answered undone
            self._happen(happenings.NotStarted())

    def _recover(self) -> None:
        """Settles what machine and journal hold from before, asking a person where there is a choice."""
        self._found, commands = recover(self._controls, self._work, self.dealing, self.scheduler)
        self._work.has_told(self._machine)
        self._queue(commands)

    def _ask_about(self, seen: Look) -> None:
        """Asks about what became of the board under way."""
        question, self._found = question_about(seen, self.dealing.need_run.item), seen
        assert question is not None, "what is settled is not asked"
        self._happen(happenings.Found(question, seen.status))
