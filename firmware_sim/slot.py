"""Physical boards and the slot of the machine that holds one.

May import: `packs`, protocol and the standard library. Read next: `mechanism.py`.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.packs import SimCard
from protocol.cards import HAND_SIZE, Unproven

POCKETS = 4


class SimBoard:
    """One board of wood: its number and the cards in its pockets N E S W (as marked on the board)."""

    __slots__ = ("number", "pockets")

    def __init__(self, number: int) -> None:
        self.number = number
        self.pockets: list[list[SimCard]] = [[] for _ in range(POCKETS)]

    @classmethod
    def full(cls, number: int) -> SimBoard:
        """A board that nobody emptied: thirteen old cards in each pocket."""
        board = cls(number)
        for pocket in board.pockets:
            pocket.extend(SimCard(Unproven.FOREIGN, "old", serial=80) for _ in range(HAND_SIZE))
        return board

    def empty(self) -> None:
        """Takes all cards out."""
        for pocket in self.pockets:
            pocket.clear()

    def __repr__(self) -> str:
        return f"SimBoard(number={self.number}, cards={sum(map(len, self.pockets))})"


class BoardSlot:
    """The place for one board. `notice` is called after each change, as a sensor would.

    `board` is the board in the slot, `last` the one taken out last, `loose` the cards that fell into the pockets'
    places while no board was there, `turned` tells that the board lies the wrong way round.
    """

    def __init__(self, notice: Callable[[], None]) -> None:
        self.board: SimBoard | None = None
        self.last: SimBoard | None = None
        self.turned = False
        self.loose: list[list[SimCard]] = [[] for _ in range(POCKETS)]
        self.boards: list[SimBoard] = []
        """Every board that ever lay in the slot, oldest first, each once."""
        self._notice = notice

    def insert_board(
        self, board: int | SimBoard = 1, *, full: bool = False, turned: bool = False, same_as_before: bool = False
    ) -> SimBoard:
        """Puts a board in: a new one of that number, `board` itself, or the one taken out last.

        Raises ValueError when the slot is not free, or nothing was taken out before.
        """
        if self.board is not None:
            raise ValueError("A board lies in the slot already.")
        if same_as_before:
            if self.last is None:
                raise ValueError("No board was taken out before.")
            board = self.last
        elif isinstance(board, int):
            board = SimBoard.full(board) if full else SimBoard(board)
        if not any(board is known for known in self.boards):
            self.boards.append(board)
        self.board, self.turned = board, turned
        self._notice()
        return board

    def remove_board(self) -> SimBoard:
        """Takes the board out, with the cards in it. Raises ValueError when none is there."""
        if self.board is None:
            raise ValueError("No board lies in the slot.")
        self.last, self.board, self.turned = self.board, None, False
        self._notice()
        return self.last

    def empty_board(self) -> None:
        """Takes the cards out of the board in the slot; the board stays."""
        if self.board is not None:
            self.board.empty()
        self._notice()

    def empty_pockets(self) -> None:
        """Takes every card out of the pockets, board or not."""
        for place in self.loose:
            place.clear()
        self.empty_board()

    def cards_in(self, pocket: int) -> list[SimCard]:
        """The cards in pocket 0 … 3 as marked on the machine (the list itself)."""
        return self.loose[pocket] if self.board is None else self.board.pockets[self.board_pocket(pocket)]

    def board_pocket(self, pocket: int) -> int:
        """The board's own pocket that lies at pocket `pocket` of the machine."""
        return (pocket + 2) % POCKETS if self.turned else pocket

    def is_empty(self, pocket: int) -> bool:
        """True when nothing lies at that pocket of the machine."""
        return not self.loose[pocket] and (self.board is None or not self.cards_in(pocket))
