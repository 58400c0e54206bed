"""A job and a person at one terminal: events to the screen, keys to the job, until the job ends.

May import: the rest of `driver.cli` and the driver's events. Read next: `deal.py`, which opens the machine for it.
The job runs in the caller's thread. One joined thread of the console's own reads keys and lets the screen and the bell
follow the time; both threads paint under one lock, and only `Job`'s thread-safe decisions cross over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Final, Protocol, Self

from driver.cli.interrupts import Interrupts
from driver.cli.keyboard import Keyboard
from driver.cli.questions import Answer
from driver.cli.screen import Screen
from driver.cli.sound import Pattern, Sound
from driver.cli.views import Views
from driver.findings import Choice
from driver.job_events import (
    BoardJudged,
    JobEnded,
    JobEvent,
    MachineBack,
    MachineLost,
    NeedsOperator,
    Noticed,
    VerdictWithdrawn,
)

TICK: Final = 0.25
"""Seconds between two looks at clock and keyboard."""


class RunningJob(Protocol):
    """What the console needs of a job."""

    @property
    def boards_left(self) -> int: ...

    def silent_at(self, machine: str) -> float: ...

    def events(self) -> Iterator[JobEvent]: ...

    def decide(
        self, choice: Choice, name: str = "", counts: tuple[int, int, int, int] = (0, 0, 0, 0), *, machine: str = ""
    ) -> None: ...

    def pause_after_board(self) -> None: ...

    def stop(self) -> None: ...

    def stop_now(self) -> None: ...

    def stop_at(self, machine: str) -> None: ...


@dataclass(slots=True)
class Ending:
    """How a job ended: with all its boards, by Ctrl-C, for want of a person to ask, or while a machine was lost.

    `unconfirmed` = it was left before the machine had said that it stopped. `lost` are the names of the machines that
    were lost and did not come back. `noticed` is what is still to be done.
    """

    complete: bool = False
    interrupted: bool = False
    unconfirmed: bool = False
    unanswered: NeedsOperator | None = None
    lost: set[str] = field(default_factory=set)
    noticed: list[Noticed | VerdictWithdrawn] = field(default_factory=list)


UNREAD: Final = 0.7
"""Seconds for which a question that follows an answer at once takes no key, because nobody can have read it."""


class Console:
    """Joins `job`, `screen`, `keyboard` and `sound`; `views` are the pictures, one for each machine.

    `asks` = a person may be asked; where not, a machine ends its part when it was lost for `give_up` seconds.
    `on_answer` is told each answer of the person and the board that it is about. `answered` are questions that the
    person has answered before the job began, and the answers, by the machines' names: a machine that begins with just
    that one does not ask it again.
    """

    def __init__(
        self,
        job: RunningJob,
        views: Views,
        screen: Screen,
        keyboard: Keyboard,
        sound: Sound,
        *,
        asks: bool,
        give_up: float = float("inf"),
        on_answer: Callable[[Answer, int], None] | None = None,
        answered: Mapping[str, tuple[NeedsOperator, Choice]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._job = job
        self._views = views
        self._screen = screen
        self._keyboard = keyboard
        self._sound = sound
        self._asks = asks
        self._give_up = float("inf") if asks else give_up
        self._on_answer = on_answer
        self._answered = dict(answered or {})
        self._clock = clock
        self._lost_at: dict[str, float] = {}
        self._answered_at = self._asked_at = float("-inf")
        self._painting = threading.Lock()
        self._closing = False
        self._thread = threading.Thread(target=self._follow, name="console")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing = True
        self._keyboard.wake()
        self._thread.join()
        self._keyboard.close()
        self._screen.close(self._views.front)

    def run(self) -> Ending:
        """Runs the job to its end. Raises what the job raises, but for an interruption."""
        ending = Ending()
        with Interrupts(self._job, self._on_press) as interrupts:
            try:
                for event in self._job.events():
                    if self._is_answered(event):
                        continue
                    self._show(event)
                    self._note(event, ending)
            except KeyboardInterrupt:
                ending.interrupted = ending.unconfirmed = True
            ending.interrupted = ending.interrupted or interrupts.presses > 0
        return ending

    def _is_answered(self, event: JobEvent) -> bool:
        """Whether a machine begins with the question that was answered before; any other one is asked as ever."""
        if event.machine not in self._answered or not isinstance(event, NeedsOperator) or not event.choices:
            return False
        question, choice = self._answered.pop(event.machine)
        if replace(event, machine="") != question:
            return False
        if self._on_answer is not None:
            self._on_answer(Answer(choice), event.board)
        self._job.decide(choice, machine=event.machine)
        return True

    def _note(self, event: JobEvent, ending: Ending) -> None:
        match event:
            case NeedsOperator() if event.choices and not self._asks:
                ending.unanswered = event
                self._job.decide(Choice.STOP, machine=event.machine)
            case MachineLost():
                self._lost_at[event.machine] = self._clock()
                ending.lost.add(event.machine)
            case MachineBack():
                self._lost_at.pop(event.machine, None)
                ending.lost.discard(event.machine)
            case JobEnded(complete=complete):
                ending.complete = complete
            case Noticed() | VerdictWithdrawn():
                ending.noticed.append(event)

    def _show(self, event: JobEvent) -> None:
        with self._painting:
            self._views.take(event, self._clock(), self._job.boards_left)
            self._screen.show(event, self._views.front)
            match event:
                case NeedsOperator() if event.choices:
                    self._asked_at = self._clock()
                    self._sound.play(Pattern.NEEDS_YOU)
                case BoardJudged():
                    self._sound.play(Pattern.BOARD_DONE)
                case JobEnded(complete=True):
                    self._sound.play(Pattern.SET_DONE)

    def _on_press(self, presses: int) -> None:
        # Called in the middle of anything, by the signal: no lock may be taken here; the console's thread paints it.
        for view in self._views:
            view.stopping = presses

    def _follow(self) -> None:
        while not self._closing:
            keys = self._keyboard.read(TICK)
            with self._painting:
                for key in keys:
                    self._on_key(key)
                for view in self._views:
                    view.silent_for = self._job.silent_at(view.machine)
                self._screen.refresh(self._views.front)
                self._sound.tick()
            for machine, since in [*self._lost_at.items()]:
                if self._clock() - since > self._give_up:
                    self._lost_at.pop(machine, None)
                    self._job.stop_at(machine)

    def _is_too_soon(self) -> bool:
        """Whether this key may belong to the question before: a second Enter, pressed before the new one was read."""
        follows_at_once = self._asked_at - self._answered_at < UNREAD
        return follows_at_once and self._clock() - self._asked_at < UNREAD

    def _on_key(self, key: str) -> None:
        view = self._views.front
        prompt = view.prompt
        if prompt is None:
            if key in "pP":
                self._job.pause_after_board()
                for each in self._views:
                    each.pauses_after = True
            return
        if self._is_too_soon():
            return
        answer = prompt.press(key)
        if answer is not None:
            self._views.answered()
            self._answered_at = self._clock()
            if self._views.front.prompt is not None:
                self._asked_at = self._answered_at  # it waited behind the one that was answered
            if self._on_answer is not None:
                self._on_answer(answer, view.board)
            self._job.decide(answer.choice, answer.name, answer.counts, machine=view.machine)
