"""What the person's hands do: packs in, boards in and out, cards out of the path and back, all cards together again.

May import: firmware_sim, protocol. Read next: `world.py`.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from firmware_sim.mechanism import Mechanism
from firmware_sim.packs import shuffled_pack
from firmware_sim.slot import SimBoard
from protocol.cards import PACK_SIZE
from protocol.codes import Place
from tests.stateful.watch import Watch


class PersonHands:
    """A careful person's hands at one machine."""

    def __init__(self, mechanism: Mechanism, watch: Watch, chance: random.Random) -> None:
        self.mechanism = mechanism
        self.watch = watch
        self._chance = chance
        self._packs = 0

    def fresh_pack(self) -> None:
        """Takes out what lies in the hopper and puts one whole pack in."""
        self._packs += 1
        self.mechanism.take_hopper()
        self.mechanism.load_pack(shuffled_pack(self._chance.getrandbits(32), pack=self._packs))

    def clear_path(self) -> Sequence[Place]:
        """Takes all cards out of reader and path; the places where one lay."""
        path, found = self.mechanism.card_path, []
        for place, cards in ((Place.READER, path.reader), (Place.PATH, path.path)):
            while cards:
                found.append(place)
                self.mechanism.take_card(place)
        return found

    def put_board_in(self, number: int) -> None:
        """A pack into the hopper, then another empty board of that number into the slot."""
        slot = self.mechanism.slot
        self.mechanism.close_cover()
        self.clear_path()
        if slot.board is not None:
            slot.remove_board()
        slot.empty_pockets()
        self.fresh_pack()
        self.watch.board_put_in()
        slot.insert_board(SimBoard(number))

    def put_right(self) -> None:
        """Cover closed, and each card in reader or path back on top of the hopper."""
        mechanism = self.mechanism
        mechanism.close_cover()
        for place, cards in ((Place.READER, mechanism.card_path.reader), (Place.PATH, mechanism.card_path.path)):
            while cards:
                card = mechanism.take_card(place)
                if card.identity < PACK_SIZE:
                    mechanism.put_card_back(card)

    def gather(self, number: int) -> None:
        """All cards together again, the pack into the hopper, the empty board of that number in the slot."""
        slot = self.mechanism.slot
        self.mechanism.close_cover()
        self.clear_path()
        slot.empty_pockets()
        self.fresh_pack()
        if slot.board is None or (number and slot.board.number != number):
            if slot.board is not None:
                slot.remove_board()
            slot.insert_board(SimBoard(number or 1))
