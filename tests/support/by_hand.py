"""What a person does at the machine when a test plays the person: boards and packs in and out, cards put back.

Each act is one call within `Peer.at_machine`, so it works over every endpoint. For a person who acts alone see
`firmware_sim/person.py`. May import: firmware_sim, protocol. Read next: `peers.py`.
"""

from __future__ import annotations

from firmware_sim.packs import SimCard, shuffled_pack
from firmware_sim.slot import POCKETS
from protocol.codes import Place
from tests.support.peers import Peer


def put_in(peer: Peer, board: int, *, pack: int | None = None) -> None:
    """Takes the board out if there is one, and puts a pack and a new board of that number in."""
    with peer.at_machine():
        mechanism = peer.core.mechanism
        if mechanism.slot.board is not None:
            mechanism.slot.remove_board()
        mechanism.load_pack(shuffled_pack(board if pack is None else pack))
        mechanism.slot.insert_board(board)


def put_card_back(peer: Peer, place: Place) -> None:
    """Takes the card out of reader or path and lays it face down on top of the hopper."""
    with peer.at_machine():
        mechanism = peer.core.mechanism
        mechanism.put_card_back(mechanism.take_card(place))


def gather_all(peer: Peer) -> None:
    """Takes every card out of pockets, reader, path and hopper, and puts the pack into the hopper; the board stays."""
    with peer.at_machine():
        mechanism = peer.core.mechanism
        path = mechanism.card_path
        cards: list[SimCard] = [*path.reader, *path.path]
        path.reader.clear()
        path.path.clear()
        for pocket in range(POCKETS):
            cards += mechanism.slot.cards_in(pocket)
        mechanism.slot.empty_pockets()
        if mechanism.hopper:
            cards += mechanism.take_hopper()
        mechanism.load_pack([card.put_right() for card in cards])
