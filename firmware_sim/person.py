"""The simulated operator: loads packs, puts board after board in, puts faults right, and slips as the script says.

May import: `core`, `hands`, `person_script`, protocol and the standard library. Read next: `hands.py`, what is done;
`person_script.py`, the script. A state machine without a clock: `next_act` says when, `step` does what is due.
What the operator wants to do is decided anew from what is to be seen; it is done one reaction time after it was first
seen, and dropped when by then nothing asks for it any more.
"""

from __future__ import annotations

from enum import Enum, auto

from firmware_sim.core import SimMachine
from firmware_sim.hands import Hands
from firmware_sim.person_script import WITH_CARD, PersonScript, Slip, SlipKind
from firmware_sim.slot import SimBoard
from protocol.codes import FaultCode, Key, Obstacle, Place, Recognition, State

_WRONG_BY = 20
"""How far the number of a wrong board is from the right one."""
_JAM_SLIPS = (SlipKind.JAM_TO_POCKET, SlipKind.JAM_FORGOTTEN)
_BOARD_SLIPS = (SlipKind.SAME_BOARD, SlipKind.WRONG_BOARD, SlipKind.FULL_BOARD, SlipKind.TURNED_BOARD)


class Act(Enum):
    """One move of the hands."""

    LOAD = auto()
    PUT_IN = auto()
    TAKE_OUT = auto()
    GATHER = auto()
    """After a run that ended early: gather its cards, empty the board, put it in again."""
    OBEY = auto()
    """Put in the board that the screen asks for."""
    CURE = auto()
    TAKE_CARD = auto()
    """Take the card out of reader or path and put it back."""
    CLOSE_COVER = auto()
    PULL = auto()
    TWO_KEYS = auto()
    START = auto()
    START_TOO_EARLY = auto()
    LOOK_AGAIN = auto()
    """The board is not dealt: notice the slip and put it right."""


class Person:
    """The operator beside `machine`, who follows `script`. Times are on the mechanism's scale: divided by its speed."""

    def __init__(self, machine: SimMachine, script: PersonScript) -> None:
        self.script = script
        sorted_packs = machine.profile.recognition is Recognition.NONE
        self.hands = Hands(machine.mechanism, script, sorted_packs=sorted_packs)
        self.acts: list[tuple[float, Act]] = []
        """What was done and when, oldest first."""
        self._machine = machine
        self._turn = 0
        self._done: set[int] = set()
        self._boards: dict[int, SimBoard] = {}
        self._slips = list(script.slips)
        self._slip_in_slot: Slip | None = None
        self._last_state = State.NONE
        self._dealt = False
        self._broken_off = self._gathered = False
        self._cured_event = 0
        self._curable = False
        self._started = False
        self._asked: int | None = None
        self._wish: tuple[Act, int] | None = None
        self._due = 0.0
        self._awake = False

    @property
    def turn(self) -> int:
        """Which board of the script is in the slot or goes in next, from 0; the number of boards when all are dealt."""
        return self._turn

    @property
    def is_finished(self) -> bool:
        """True when every board of the script was dealt and the last one is out."""
        return len(self._done) == len(self.script.boards)

    def board_of(self, turn: int) -> SimBoard:
        """The physical board of that turn (from 0)."""
        if turn not in self._boards:
            self._boards[turn] = SimBoard(self.script.boards[turn])
        return self._boards[turn]

    def ask_for(self, number: int) -> None:
        """The screen asks for board `number`, emptied: the last one of that number that was in, else the next.

        Raises ValueError when the script has no such board.
        """
        turns = [turn for turn, board in enumerate(self.script.boards) if board == number]
        if not turns:
            raise ValueError(f"The person has no board {number}.")
        before = [turn for turn in turns if turn in self._boards]
        asked = before[-1] if before else turns[0]
        if not (self._gathered and asked == self._turn):  # else it lies there already, emptied
            self._asked = asked
            self._awake = False

    def next_act(self, now: float) -> float | None:
        """When to call `step` next, as far as nothing else happens; None = then only."""
        if not self._awake:
            return now
        return None if self._wish is None else self._due

    def step(self, now: float) -> None:
        """Sees what there is at `now`, and does what is due."""
        self._awake = True
        while True:
            wish = self._wishes()
            if wish != self._wish:
                self._wish = wish
                self._due = now if wish is None else now + self._takes(wish[0]) / self._machine.speed
            if wish is None or now < self._due:
                return
            self._wish = None
            self.acts.append((now, wish[0]))
            self._do(wish[0])

    def _takes(self, act: Act) -> float:
        """Seconds at speed 1 from seeing to having done."""
        if act is Act.LOOK_AGAIN:
            return self.script.patience
        return 0.0 if act in (Act.PULL, Act.TWO_KEYS) else self.script.reaction

    def _wishes(self) -> tuple[Act, int] | None:
        """What is wanted now, with a number that differs when it is wanted for another reason."""
        if not self._machine.powered:
            return None
        state = self._machine.control.state
        if state is not self._last_state:
            self._see_state(state)
        if state is State.MOVING:
            return self._while_moving() if self._slips else None
        if state is State.PAUSED:
            return self._while_paused()
        return None if state is State.DONE else self._between_runs()

    def _see_state(self, state: State) -> None:
        before, self._last_state = self._last_state, state
        if state is State.MOVING:
            self._dealt = self._broken_off = self._gathered = False
            self._slip_in_slot = None
        elif state is State.DONE:
            self._dealt = True
        elif state is State.NONE:
            self._broken_off = before is not State.DONE and not self._gathered
            self._started = False
        if state is State.PAUSED:
            self._started = False

    def _while_moving(self) -> tuple[Act, int] | None:
        run = self._machine.control.run
        for slip in self._slips:
            if slip.kind in WITH_CARD and slip.turn == self._turn + 1 and run is not None and run.index >= slip.card:
                return (Act.PULL if slip.kind is SlipKind.PULLED_EARLY else Act.TWO_KEYS), self._turn
        return None

    def _while_paused(self) -> tuple[Act, int] | None:
        fault = self._machine.control.fault
        if fault is not None:
            if fault.event != self._cured_event:
                early = self._has_slip((SlipKind.NOT_CLEARED,))
                return (Act.START_TOO_EARLY if early else Act.CURE), fault.event
        elif self._machine.mechanism.cover_open:
            return Act.CLOSE_COVER, 0
        elif not self.hands.path_is_clear():
            return Act.TAKE_CARD, 0
        if self._must_deal_again():
            return Act.GATHER, self._turn
        curable = fault is None or self._curable
        return (Act.START, 1) if curable and self.script.starts and not self._started else None

    def _must_deal_again(self) -> bool:
        """Whether the run can never go on: then all its cards come together before anybody asks for it."""
        run = self._machine.control.run
        return run is not None and run.barred is not Obstacle.NONE and not self._gathered

    def _between_runs(self) -> tuple[Act, int] | None:
        mechanism = self._machine.mechanism
        if mechanism.cover_open:
            return Act.CLOSE_COVER, 0
        if self._asked is not None:
            return Act.OBEY, self._asked
        if self._broken_off:
            return Act.GATHER, self._turn
        if self._dealt:
            return Act.TAKE_OUT, self._turn
        if self.is_finished:
            return None
        if self.hands.pack_is_due(len(self._done)):
            return Act.LOAD, self._turn
        if mechanism.slot.board is None:
            return Act.PUT_IN, self._turn
        if self._slip_in_slot is not None:
            return Act.LOOK_AGAIN, self._turn
        return (Act.START, 0) if self.script.starts and not self._started else None

    def _do(self, act: Act) -> None:
        hands, press = self.hands, self._machine.mechanism.press
        match act:
            case Act.LOAD:
                hands.load_pack()
            case Act.PUT_IN:
                self._put_in()
            case Act.TAKE_OUT:
                hands.take_board_out()
                self._dealt = False
                self._done.add(self._turn)
                turns = len(self.script.boards)
                self._turn = next((turn for turn in range(turns) if turn not in self._done), turns)
            case Act.GATHER | Act.OBEY:
                self._deal_again(self._turn if self._asked is None else self._asked)
                self._gathered = True
            case Act.CURE:
                self._cure()
            case Act.TAKE_CARD:
                self._take_card()
            case Act.CLOSE_COVER:
                hands.close_cover()
            case Act.PULL:
                self._slips.remove(self._slip((SlipKind.PULLED_EARLY,)))
                hands.take_board_out()
            case Act.TWO_KEYS:
                self._slips.remove(self._slip((SlipKind.TWO_KEYS,)))
                press(Key.START)
                press(Key.STOP)
            case Act.START | Act.START_TOO_EARLY:
                if act is Act.START_TOO_EARLY:
                    self._slips.remove(self._slip((SlipKind.NOT_CLEARED,)))
                self._started = act is Act.START
                press(Key.START)
            case Act.LOOK_AGAIN:
                self._slip_in_slot = None
                self._empty_and_put_in(self._turn)

    def _put_in(self) -> None:
        hands, board = self.hands, self.board_of(self._turn)
        if not self._has_slip(_BOARD_SLIPS):
            hands.put_board_in(board)
            return
        slip = self._slip_in_slot = self._slip(_BOARD_SLIPS)
        self._slips.remove(slip)
        match slip.kind:
            case SlipKind.SAME_BOARD:
                hands.put_board_in(self.board_of(self._turn - 1))
            case SlipKind.WRONG_BOARD:
                hands.put_board_in(SimBoard(board.number + _WRONG_BY))
            case SlipKind.FULL_BOARD:
                self._boards[self._turn] = SimBoard.full(board.number)
                hands.put_board_in(self._boards[self._turn])
            case _:
                hands.put_board_in(board, turned=True)

    def _empty_and_put_in(self, turn: int) -> None:
        board = self.board_of(turn)
        board.empty()
        self.hands.put_board_in(board)

    def _deal_again(self, turn: int) -> None:
        """The pack of that board comes together again, and the board goes back in, empty."""
        in_slot = self._machine.mechanism.slot.board
        self.hands.take_board_out()
        boards = [self.board_of(turn)]
        if in_slot is not None and in_slot is not boards[0] and self._broken_off:
            boards.append(in_slot)
        if self._asked is None or any(boards[0].pockets):
            self.hands.gather_pack(boards)
        self.hands.put_board_in(boards[0])
        self._turn = turn
        self._done.discard(turn)
        self._asked = None
        self._broken_off = self._dealt = False

    def _cure(self) -> None:
        fault = self._machine.control.fault
        assert fault is not None
        self._cured_event = fault.event
        self._started = False
        if fault.code is FaultCode.BOARD_OUT and self._machine.mechanism.slot.board is None:
            self.hands.put_board_in(self.board_of(self._turn))
        if fault.code in (FaultCode.JAM, FaultCode.COVER_OPEN):
            self.hands.close_cover()
            self._take_card()
            self._curable = True
        else:
            self._curable = self.hands.put_right(fault.code, Place(fault.place))

    def _take_card(self) -> None:
        if self.hands.path_is_clear() or not self._has_slip(_JAM_SLIPS):
            self.hands.put_path_back()
            return
        slip = self._slip(_JAM_SLIPS)
        self._slips.remove(slip)
        if slip.kind is SlipKind.JAM_TO_POCKET:
            self.hands.put_path_into_pocket()
        else:
            self.hands.put_path_on_table()

    def _has_slip(self, kinds: tuple[SlipKind, ...]) -> bool:
        return any(slip.kind in kinds and slip.turn == self._turn + 1 for slip in self._slips)

    def _slip(self, kinds: tuple[SlipKind, ...]) -> Slip:
        return next(slip for slip in self._slips if slip.kind in kinds and slip.turn == self._turn + 1)

    def __repr__(self) -> str:
        return f"Person(turn={self._turn})"
