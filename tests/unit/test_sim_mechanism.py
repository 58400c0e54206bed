"""The physical side: packs, boards, hands, and the truth that nothing on the wire tells."""

from __future__ import annotations

from collections import Counter

import pytest

from firmware_sim.core import SimMachine
from firmware_sim.packs import (
    RED,
    SimCard,
    foreign_card,
    long_pack,
    ordered_pack,
    short_pack,
    shuffled_pack,
    swapped,
    with_stop_card,
)
from firmware_sim.profile import FULL, R_ONLY
from firmware_sim.slot import SimBoard
from firmware_sim.state import TRANSITIONS, Happening
from firmware_sim.truth import Drop, Feed, Motion, Truth
from protocol.cards import PACK_SIZE
from protocol.codes import Place, Refusal, Sensor, State
from tests.unit.sim_host import destinations_of, hands_of, sim_host


def codes(pack: tuple[SimCard, ...]) -> Counter[int]:
    return Counter(card.identity for card in pack)


def test_a_shuffled_pack_has_52_cards_and_its_seed_repeats_it() -> None:
    assert codes(shuffled_pack(1)) == codes(ordered_pack())
    assert shuffled_pack(1) == shuffled_pack(1) != shuffled_pack(2)
    assert len({card.serial for card in (*shuffled_pack(1, pack=1), *shuffled_pack(1, pack=2))}) == 2 * PACK_SIZE


@pytest.mark.parametrize("seed", range(20))
def test_a_short_pack_lacks_one_card_and_a_long_one_has_a_twin(seed: int) -> None:
    assert len(short_pack(seed)) == 51
    assert 17 not in codes(short_pack(seed, missing=17))
    assert len(long_pack(seed)) == 53
    assert codes(long_pack(seed, extra=17))[17] == 2
    assert codes(long_pack(seed)).most_common(1)[0][1] == 2


def test_packs_that_swapped_a_card_have_it_with_the_wrong_back() -> None:
    one, other = swapped(shuffled_pack(1), shuffled_pack(2, back=RED), 0, 51)
    assert one[0].back == RED
    assert other[51].back != RED
    assert len(one) == len(other) == PACK_SIZE


def test_no_card_tells_which_it_is() -> None:
    assert repr(SimCard(51, serial=7)) == "SimCard(serial=7)"


def test_a_pack_lies_with_its_first_card_on_top_and_another_may_go_below() -> None:
    mechanism = SimMachine().mechanism
    mechanism.load_pack(ordered_pack())
    mechanism.load_pack(ordered_pack(back=RED), below=True)
    mechanism.load_pack((foreign_card(),))
    assert len(mechanism.hopper) == 105
    assert mechanism.take_card(Place.HOPPER) == foreign_card()
    cards = mechanism.take_hopper()
    assert [card.identity for card in cards[:3]] == [0, 1, 2]
    assert cards[-1].back == RED
    assert mechanism.hopper == []


def test_a_board_keeps_its_cards_when_it_is_taken_out_and_put_back() -> None:
    host = sim_host()
    host.finish()
    slot = host.machine.mechanism.slot
    board = slot.remove_board()
    assert host.machine.truth.pockets_of(board) == host.machine.truth.pockets_of(1)
    assert host.status().sensors & 0xF00 == 0
    assert slot.insert_board(same_as_before=True) is board
    assert host.status().sensors & 0xF00 == 0xF00
    slot.empty_board()
    assert host.machine.truth.pockets_of(board) == ((), (), (), ())


def test_the_slot_takes_one_board_at_a_time() -> None:
    slot = SimMachine().mechanism.slot
    with pytest.raises(ValueError, match="No board"):
        slot.remove_board()
    with pytest.raises(ValueError, match="before"):
        slot.insert_board(same_as_before=True)
    slot.insert_board(3)
    with pytest.raises(ValueError, match="already"):
        slot.insert_board(4)


def test_a_turned_board_is_refused_where_it_is_sensed_and_else_gets_the_hands_of_the_seats_opposite() -> None:
    host = sim_host(FULL, board=None)
    host.machine.mechanism.slot.insert_board(1, turned=True)
    host.collect()
    assert host.status().sensors & Sensor.BOARD_TURNED
    assert host.refusal(host.arming()) == (Refusal.BOARD_TURNED, 0)
    host = sim_host(R_ONLY, board=None)
    host.machine.mechanism.slot.insert_board(1, turned=True)
    host.collect()
    assert not host.status().sensors & Sensor.BOARD_TURNED
    host.finish()
    north, east, south, west = hands_of(destinations_of())
    assert [set(hand) for hand in host.machine.truth.pockets_of(1)] == [south, west, north, east]


def test_a_full_board_shows_where_pockets_are_sensed_only() -> None:
    for profile, refused in ((FULL, True), (R_ONLY, False)):
        host = sim_host(profile, board=None)
        host.machine.mechanism.slot.insert_board(1, full=True)
        host.collect()
        if refused:
            assert host.refusal(host.arming()) == (Refusal.POCKETS_NOT_EMPTY, 15)
        else:
            assert host.armed()


def test_a_wrong_board_is_named() -> None:
    host = sim_host(board=9)
    answer = host.ask(host.arming())
    assert (answer.reason, answer.detail) == (Refusal.WRONG_BOARD, 9)  # type: ignore[attr-defined]


def test_a_person_moves_single_cards_and_takes_none_that_is_not_there() -> None:
    mechanism = SimMachine().mechanism
    mechanism.load_pack(ordered_pack()[:1])
    mechanism.put_card_in_pocket(mechanism.take_card(Place.HOPPER), 2)
    assert [card.identity for card in mechanism.slot.loose[2]] == [0]
    assert mechanism.sensed() & Sensor.POCKET_S
    mechanism.put_card_back(mechanism.take_card(Place.POCKET_2))
    with pytest.raises(LookupError, match="READER"):
        mechanism.take_card(Place.READER)
    with pytest.raises(LookupError, match="GATE_0"):
        mechanism.take_card(Place.GATE_0)


def test_cards_are_put_back_face_down_and_wiped_unless_nobody_cares() -> None:
    mechanism = SimMachine().mechanism
    mechanism.put_card_back(SimCard(1, face_up=True, blank=True))
    assert mechanism.hopper[-1] == SimCard(1)
    mechanism.put_card_back(SimCard(1, face_up=True), put_right=False)
    assert mechanism.hopper[-1].face_up


def test_a_stop_card_that_is_not_sensed_is_fed_as_a_foreign_card() -> None:
    host = sim_host(R_ONLY, pack=with_stop_card(ordered_pack()[:3]))
    host.finish()
    assert host.status().fault.name == "FOREIGN_CARD"


def test_the_truth_finds_a_board_by_its_number_and_the_last_one_of_that_number() -> None:
    machine = SimMachine()
    slot = machine.mechanism.slot
    slot.insert_board(5)
    slot.remove_board()
    last = slot.insert_board(SimBoard(5))
    last.pockets[1].append(SimCard(40))
    assert machine.truth.pockets_of(5) == ((), (40,), (), ())
    assert len(machine.truth.boards) == 2
    with pytest.raises(LookupError, match="board 6"):
        machine.truth.pockets_of(6)


def test_the_truth_tells_every_way_of_not_being_exactly_once() -> None:
    truth = Truth()
    card = SimCard(3)
    truth.motions += [Motion(0.0, 1, 5, 7), Motion(1.0, 1, 5, 7), Motion(2.0, 1, 0, 7), Motion(2.0, 2, 5, 7)]
    truth.all_feeds += [Feed(0.0, 7, 0, card)] * 53
    truth.all_drops += [Drop(0.0, 7, 4, card, 0, None)] * 2
    assert len(truth.violations()) == 4
    truth.refeeds.append((7, 0))
    assert len(truth.violations()) == 3
    assert not truth.feeds(8)
    assert not truth.drops(8)


def test_every_state_but_none_can_be_restarted_and_only_moving_can_be_paused() -> None:
    restarted = {state for state, happening in TRANSITIONS if happening is Happening.RESTART}
    assert restarted == {State.MOVING, State.PAUSED, State.DONE}
    paused = {state for (state, _), after in TRANSITIONS.items() if after is State.PAUSED}
    assert paused == {State.MOVING, State.PAUSED}
