"""A job on the simulated machine with a person's hands beside it that obey its prompts: what was asked, and the end.

May import: driver, firmware_sim. Read next: `peers.py`, `tests/faults/test_machine_faults.py`.
The hands take a second of the simulated clock for each prompt; nothing here waits for real time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from driver.deals.model import Deal, DealSet
from driver.findings import Choice
from driver.job import Job
from driver.job_events import BoardJudged, JobEnded, JobEvent, NeedsOperator, VerdictWithdrawn
from driver.machine import Machine
from driver.verdicts import Judgement, Verdict
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.hands import Hands
from firmware_sim.packs import Pack, SimCard, ordered_pack, shuffled_pack
from firmware_sim.person import Person
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import Profile
from firmware_sim.slot import SimBoard
from protocol.codes import FaultCode, Obstacle, PauseReason, Place, Recognition, State
from tests.support.peers import Peer, Setup, hands_of, memory_peer

REACTION: Final = 1.0
"""Seconds that the hands take for each prompt."""
PROMPTS: Final = 20
"""More prompts than that in one sitting are a circle."""
_THEN: Final = (Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE, Choice.DEAL_THEM, Choice.STOP)


@dataclass(frozen=True, slots=True)
class Halt:
    """A prompt, and how the machine stood when it came; `fault` is NONE when none was latched."""

    prompt: NeedsOperator
    state: State
    reason: PauseReason
    fault: FaultCode
    index: int
    place: Place
    doubt: int
    obstacle: Obstacle

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What is offered, safest first."""
        return self.prompt.choices


def pack_for(profile: Profile, seed: int = 1, *, pack: int = 1) -> Pack:
    """A whole pack as that machine needs it: sorted where it deals by order, else shuffled."""
    return ordered_pack(pack=pack) if profile.recognition is Recognition.NONE else shuffled_pack(seed, pack=pack)


class Sitting:
    """One machine, one job, one person. `load` are the packs in the hopper from the top; `boards` lie ready in order.

    With an empty `load` the slot is empty too. The person wants to `go on` where that is offered, else deals the board
    again; `choose` says otherwise, and `cure` does something else with the hands before the decision (True = nothing
    else is done, nothing is decided). The decision comes `reaction` seconds after the prompt while the program
    listens. `meanwhile` is called after everything that happens, and at `alarm`. Use it in `with`.
    """

    def __init__(
        self,
        data: Path,
        deals: DealSet,
        setup: Setup | None = None,
        *,
        load: Sequence[Pack] | None = None,
        boards: Sequence[SimBoard] | None = None,
        numbers: Sequence[int] = (1,),
        more_packs: bool = False,
        wants: Choice = Choice.GO_ON,
        reaction: float = REACTION,
    ) -> None:
        setup = setup or Setup()
        self.deals = deals
        self.profile = setup.profile
        self.peer: Peer = memory_peer(data, setup)
        self.core = self.peer.core
        self.mechanism = self.core.mechanism
        self.hands = Hands(self.mechanism, PersonScript(boards=(1,)))
        self.boards = list(boards or [SimBoard(number) for number in numbers])
        self.numbers = tuple(numbers)
        self.wants = wants
        self.more_packs = more_packs
        self.reaction = reaction
        self.choose: Callable[[Halt], Choice | None] | None = None
        self.cure: Callable[[Halt], bool] | None = None
        self.meanwhile: Callable[[float], None] | None = None
        self.alarm: float | None = None
        self.events: list[JobEvent] = []
        self.halts: list[Halt] = []
        self.dealt_again = 0
        self._waiting = self.boards[1:]
        self._prompt: NeedsOperator | None = None
        self._due = 0.0
        for pack in load if load is not None else [pack_for(self.profile)]:
            self.mechanism.load_pack(pack, below=True)
        if load is None or load:
            self.mechanism.slot.insert_board(self.boards[0])
        assert isinstance(self.peer.endpoint, MemoryEndpoint)
        self.endpoint = self.peer.endpoint
        self.machine: Machine = self.peer.open()
        self.job: Job = self.new_job()
        self.endpoint.rig.person = self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.machine.close()
        self.peer.close()

    def new_job(self, *, auto: bool = False, ask_each: bool = False) -> Job:
        """A job for all boards; the next `run` runs it."""
        self.job = self.machine.start(
            self.deals, self.numbers, more_packs=self.more_packs, auto=auto, ask_each=ask_each
        )
        return self.job

    def another_program(self, *, auto: bool = False) -> Job:
        """The program is gone; another one begins over the same journal, with a job for all boards."""
        self.machine.close()
        self.machine = self.peer.open()
        return self.new_job(auto=auto)

    def run(self) -> Self:
        """Runs the job to its end; every prompt is answered."""
        for event in self.job.events():
            self.events.append(event)
            if isinstance(event, NeedsOperator):
                self._prompt, self._due = event, self.endpoint.now + self.reaction
                self.halts.append(self.look(event))
                assert len(self.halts) <= PROMPTS * len(self.numbers), [halt.prompt.text for halt in self.halts]
        return self

    # The person, as the endpoint steps it

    def next_act(self, now: float) -> float | None:
        """When the hands move next, or the `alarm` rings."""
        alarm = self.alarm if self.alarm is not None and self.alarm > now else None
        times = [time for time in (alarm, self._due if self._prompt is not None else None) if time is not None]
        return min(times, default=None)

    def step(self, now: float) -> None:
        """Does what the last prompt says, and decides, when it is time; `meanwhile` is called after everything."""
        if self.meanwhile is not None:
            self.meanwhile(now)
        if self._prompt is not None and now >= self._due:
            self._prompt = None
            self.answer(self.halts[-1])

    def wait_more(self, seconds: float) -> None:
        """The person thinks on about the last prompt for so long."""
        self._prompt, self._due = self.halts[-1].prompt, self.endpoint.now + seconds

    def answer(self, halt: Halt) -> None:
        """Does what the prompt says, and decides."""
        prompt = halt.prompt
        if self.cure is not None and self.cure(halt):
            return
        if not prompt.choices:
            self.next_board()
            return
        choice = None if self.choose is None else self.choose(halt)
        if choice is None:
            wants = Choice.DEAL_AGAIN if self._has_nothing_to_put_in(halt) else self.wants
            where = Choice.BOARD_STILL_IN if self.has_board_in(prompt.board) else Choice.BOARD_IS_OUT
            choice = next(wanted for wanted in (wants, Choice.GO, where, *_THEN) if wanted in prompt.choices)
        self.prepare(choice, halt)
        self.job.decide(choice)

    def has_board_in(self, number: int) -> bool:
        """Whether the board of that number lies in the machine, as the person sees."""
        board = self.mechanism.slot.board
        return board is not None and board.number == number

    def _has_nothing_to_put_in(self, halt: Halt) -> bool:
        ran_out = halt.fault in (FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT) or not self.mechanism.hopper
        return ran_out and not self.hands.table and self.hands.path_is_clear()

    def look(self, prompt: NeedsOperator) -> Halt:
        """How the machine stands now."""
        control = self.core.control
        run, fault = control.run, control.fault
        return Halt(
            prompt,
            control.state,
            run.reason if run is not None else PauseReason.NONE,
            fault.code if fault is not None else FaultCode.NONE,
            run.shown_index() if run is not None else 0,
            fault.place if fault is not None else Place.UNKNOWN,
            run.doubt(control.senses.sensors()) if run is not None else 0,
            control.obstacle(),
        )

    def prepare(self, choice: Choice, halt: Halt) -> None:
        """What the hands do before that decision is told to the program."""
        if choice is Choice.GO_ON:
            if halt.fault is FaultCode.NONE:
                self.hands.put_path_back()
            else:
                self.hands.put_right(halt.fault, halt.place)
            self.hands.close_cover()
        elif choice in (Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE):
            self.put_all_together()
        elif choice is Choice.GO:
            self.make_ready()

    def make_ready(self) -> None:
        """The board that the job wants next lies in the machine, right way round; cover closed, path clear."""
        self.hands.close_cover()
        slot, wanted = self.mechanism.slot, self.wanted_board()
        if slot.board is not wanted or slot.turned:
            self.hands.put_board_in(wanted)
        self.hands.put_path_on_table()
        if not self.mechanism.hopper:
            self.mechanism.load_pack(pack_for(self.profile))

    def wanted_board(self) -> SimBoard:
        """The physical board of the number that the last prompt names."""
        number = self.halts[-1].prompt.board
        return next((board for board in self.boards if board.number == number), self.boards[0])

    def put_all_together(self) -> None:
        """All cards out of pockets, path and hopper, a whole pack in, the board back in its slot, empty."""
        self.hands.close_cover()
        self.hands.take_path()
        self.mechanism.slot.empty_pockets()
        board = self.wanted_board()
        if self.mechanism.slot.board is not board:
            self.hands.put_board_in(board)
        board.empty()
        self.mechanism.take_hopper()
        self.dealt_again += 1
        self.mechanism.load_pack(pack_for(self.profile, 100 + self.dealt_again, pack=10 + self.dealt_again))

    def next_board(self) -> None:
        """The board in the machine comes out, the next one goes in."""
        if self._waiting:
            self.hands.put_board_in(self._waiting.pop(0))
        if not self.mechanism.hopper:
            self.mechanism.load_pack(pack_for(self.profile, 50))

    # What came of it

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts as they stand now, one for each board."""
        return [board.verdict for board in self.job.result.boards]

    @property
    def judged(self) -> list[Judgement]:
        """Every judgement in the order in which it was told."""
        return [event.judgement for event in self.events if isinstance(event, BoardJudged)]

    @property
    def withdrawn(self) -> list[int]:
        """Numbers of the boards whose verdict was withdrawn."""
        return [event.board for event in self.events if isinstance(event, VerdictWithdrawn)]

    @property
    def complete(self) -> bool:
        """Whether the job came to its end with a verdict for each board."""
        return isinstance(self.events[-1], JobEnded) and self.events[-1].complete

    def stops(self) -> list[Halt]:
        """The prompts while the run was paused."""
        return [halt for halt in self.halts if halt.state is State.PAUSED]

    def pockets(self, board: SimBoard) -> tuple[tuple[int, ...], ...]:
        """What truly lies in the pockets N E S W of that board, sorted, cards that lie twice twice."""
        return tuple(tuple(sorted(hand)) for hand in self.core.truth.pockets_of(board))

    def is_right(self, place: int = 0) -> bool:
        """Whether the board at that place of `boards` truly holds exactly the deal of its number in the job."""
        found = self.deals.find(self.numbers[place])
        assert found is not None
        return self.pockets(self.boards[place]) == sorted_hands(found.deal)

    def check_promises(self) -> None:
        """I1, and I2: nothing that is GOOD or COUNTED now is wrong."""
        assert self.core.truth.violations() == []
        for place, verdict in enumerate(self.verdicts):
            assert verdict not in (Verdict.GOOD, Verdict.COUNTED) or self.is_right(place), f"board {place + 1} is wrong"

    def check_good(self) -> None:
        """Every board has the best verdict that this machine gives, and the truth equals the deals."""
        best = Verdict.COUNTED if self.profile.recognition is Recognition.NONE else Verdict.GOOD
        assert self.verdicts == [best] * len(self.numbers)
        assert self.complete
        self.check_promises()


class PersonSitting(Sitting):
    """A sitting in which the simulated operator of `firmware_sim.person` does what the hands do, slips included.

    The decisions come from the screen as in `Sitting`; the operator obeys them.
    """

    def __init__(
        self, data: Path, deals: DealSet, script: PersonScript, setup: Setup | None = None, *, more_packs: bool = False
    ) -> None:
        super().__init__(data, deals, setup, load=[], numbers=script.boards, more_packs=more_packs, reaction=1.5)
        self.operator = Person(self.core, script)
        self.hands = self.operator.hands
        self.boards = [self.operator.board_of(turn) for turn in range(len(script.boards))]

    def next_act(self, now: float) -> float | None:
        times = [time for time in (super().next_act(now), self.operator.next_act(now)) if time is not None]
        return min(times, default=None)

    def step(self, now: float) -> None:
        self.operator.step(now)
        super().step(now)

    def prepare(self, choice: Choice, halt: Halt) -> None:
        if choice is Choice.DEAL_AGAIN and halt.state is State.DONE:
            self.operator.ask_for(halt.prompt.board)

    def next_board(self) -> None:
        """The operator sees by himself that the board is dealt."""

    def is_right(self, place: int = 0) -> bool:
        self.boards[place] = self.operator.board_of(place)
        return super().is_right(place)


def sorted_hands(deal: Deal) -> tuple[tuple[int, ...], ...]:
    """The card codes of the four hands N E S W, sorted."""
    return tuple(tuple(sorted(hand)) for hand in hands_of(deal))


def loose_card(code: int) -> SimCard:
    """A card of an earlier game."""
    return SimCard(code, "old", serial=70)
