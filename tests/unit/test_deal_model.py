"""What a deal is and is not: 52 different cards, 13 each, never shown by accident; board numbers and their cycle.

Read next: `driver/deals/model.py`, `driver/deals/hands.py`.
"""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.hands import card_name, find_faults
from driver.deals.model import (
    BadRecord,
    BoardDeal,
    Deal,
    DealSet,
    Vulnerability,
    range_text,
    standard_dealer,
    standard_vulnerability,
)
from driver.errors import BadDeal
from protocol.cards import PACK, Card, Seat, Suit

OWNERS = [card % 4 for card in range(52)]
ONE_SUIT_EACH = [PACK[13 * suit : 13 * suit + 13] for suit in range(4)]

owner_lists = st.permutations([seat for seat in range(4) for _ in range(13)])


def hands_of(owners: list[int]) -> list[list[Card]]:
    return [[card for card in PACK if owners[card] == seat] for seat in Seat]


def test_a_deal_knows_the_seat_of_each_card_and_the_cards_of_each_seat() -> None:
    deal = Deal.from_hands(ONE_SUIT_EACH)

    assert deal.owner(Card.of(Suit.SPADES, "2")) is Seat.NORTH
    assert deal.owner(Card.of(Suit.CLUBS, "A")) is Seat.WEST
    assert deal.hand(Seat.EAST) == tuple(PACK[13:26])
    assert deal.owners == tuple(Seat(card // 13) for card in range(52))


def test_a_hand_comes_in_the_order_of_the_card_codes_whatever_order_it_was_given_in() -> None:
    deal = Deal.from_hands([reversed(hand) for hand in ONE_SUIT_EACH])

    assert deal.hand(Seat.SOUTH) == tuple(PACK[26:39])


@given(owner_lists)
def test_owners_hands_and_back_are_the_same_deal(owners: list[int]) -> None:
    deal = Deal(owners)

    assert Deal.from_hands([deal.hand(seat) for seat in Seat]) == deal
    assert Deal(deal.owners) == deal
    assert hash(Deal(owners)) == hash(deal)
    assert [deal.owner(card) for card in PACK] == owners


def test_different_deals_are_not_equal() -> None:
    assert Deal(OWNERS) != Deal(OWNERS[::-1])


@pytest.mark.parametrize("owners", [[], OWNERS[:51], [*OWNERS, 0], [4, *OWNERS[1:]], [-1, *OWNERS[1:]]])
def test_owners_that_are_not_52_seats_are_refused(owners: list[int]) -> None:
    with pytest.raises(BadDeal):
        Deal(owners)


def test_fourteen_and_twelve_cards_are_refused_with_the_seats_named() -> None:
    with pytest.raises(BadDeal, match=r"^This is not a deal: North has 14 cards, East has 12 cards\.$"):
        Deal([0 if card == 1 else owner for card, owner in enumerate(OWNERS)])


def test_a_deal_with_the_same_card_twice_is_refused_with_the_card_named() -> None:
    hands = hands_of(OWNERS)
    hands[1][0] = Card.of(Suit.SPADES, "A")

    with pytest.raises(BadDeal, match=r"spade ace twice, spade king missing\.$"):
        Deal.from_hands(hands)


def test_a_deal_of_51_cards_is_refused_with_the_missing_card_named() -> None:
    hands = hands_of(OWNERS)
    hands[3].remove(Card.of(Suit.CLUBS, "2"))

    with pytest.raises(BadDeal, match="club two missing, the hands have 13, 13, 13 and 12 cards"):
        Deal.from_hands(hands)


def test_three_hands_are_not_a_deal() -> None:
    with pytest.raises(ValueError, match="four hands, not 3"):
        Deal.from_hands(ONE_SUIT_EACH[:3])


def test_no_reason_names_a_card_together_with_a_seat() -> None:
    hands = hands_of(OWNERS)
    hands[0].append(hands[1].pop())
    hands[2].append(hands[0][0])

    reasons = " ".join(find_faults([tuple(hand) for hand in hands]))

    assert "spade ace twice" in reasons
    assert not any(seat.name.capitalize() in reasons for seat in Seat)


def test_many_faults_are_counted_rather_than_listed() -> None:
    spades = tuple(PACK[:13])

    assert find_faults([spades, spades, spades, spades]) == (
        "spade ace four times",
        "spade king four times",
        "spade queen four times",
        "spade jack four times",
        "9 more cards too often",
        "39 cards missing",
    )


def test_unknown_hands_are_named_by_seat() -> None:
    known = tuple(PACK[:13])

    assert find_faults([known, None, None, None]) == ("the hands of East, South and West are not given",)
    assert find_faults([None, None, None, None]) == ("no hand is given",)
    assert find_faults([*map(tuple, ONE_SUIT_EACH[:3]), None]) == ("the hand of West is not given",)


def test_all_cards_have_different_names() -> None:
    assert card_name(PACK[0]) == "spade ace"
    assert card_name(PACK[51]) == "club two"
    assert len({card_name(card) for card in PACK}) == 52


def test_nothing_prints_a_hand_by_accident() -> None:
    deal = Deal.from_hands(ONE_SUIT_EACH)
    board = BoardDeal(1, deal)
    whole = DealSet("one", None, (board,))

    for shown in (repr(deal), str(deal), f"{deal}", repr(board), str(board), repr(whole), str(whole)):
        assert "hands not shown" in shown
        assert "AKQ" not in shown
        assert "Card(" not in shown
        assert "\\x" not in shown


def test_the_hands_are_written_only_when_asked_for() -> None:
    deal = Deal.from_hands(ONE_SUIT_EACH)

    assert deal.hands_as_pbn() == "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    assert deal.hands_as_pbn(Seat.WEST) == "W:...AKQJT98765432 AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432."


def test_a_deal_cannot_be_changed_but_copied() -> None:
    deal = Deal(OWNERS)

    with pytest.raises(AttributeError):
        deal._owners = b""  # type: ignore[misc]  # noqa: SLF001
    assert copy.deepcopy(deal) == deal
    assert pickle.loads(pickle.dumps(deal)) == deal


def test_the_dealer_goes_round_the_table() -> None:
    assert [standard_dealer(board).letter for board in range(1, 9)] == list("NESWNESW")
    assert standard_dealer(36) is Seat.WEST


def test_the_vulnerability_follows_the_cycle_of_sixteen() -> None:
    cycle = [
        *("None", "NS", "EW", "All"),
        *("NS", "EW", "All", "None"),
        *("EW", "All", "None", "NS"),
        *("All", "None", "NS", "EW"),
    ]

    assert [standard_vulnerability(board).text for board in range(1, 17)] == cycle
    assert [standard_vulnerability(board).text for board in range(17, 33)] == cycle


@pytest.mark.parametrize("number", [0, -1])
def test_there_is_no_board_below_one(number: int) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        standard_dealer(number)
    with pytest.raises(ValueError, match="1 or more"):
        standard_vulnerability(number)
    with pytest.raises(ValueError, match="1 or more"):
        BoardDeal(number, Deal(OWNERS))


def test_a_board_uses_what_the_file_says_and_else_the_standard() -> None:
    plain = BoardDeal(2, Deal(OWNERS))
    lesson = BoardDeal(2, Deal(OWNERS), Seat.SOUTH, Vulnerability.NONE)

    assert (plain.dealer_to_use, plain.vulnerability_to_use) == (Seat.EAST, Vulnerability.NS)
    assert (lesson.dealer_to_use, lesson.vulnerability_to_use) == (Seat.SOUTH, Vulnerability.NONE)
    assert plain.is_standard
    assert not lesson.is_standard


def test_a_set_finds_its_boards_by_number_and_keeps_their_order() -> None:
    boards = tuple(BoardDeal(number, Deal(OWNERS)) for number in (3, 1, 2, 9))
    whole = DealSet("tuesday", None, boards)

    assert whole.find(9) is boards[3]
    assert whole.find(4) is None
    assert whole.numbers == (3, 1, 2, 9)
    assert whole.range_text == "1-3, 9"
    assert list(whole) == list(boards)
    assert len(whole) == 4


def test_a_set_has_each_number_once() -> None:
    twice = (BoardDeal(7, Deal(OWNERS), line=3), BoardDeal(7, Deal(OWNERS[::-1]), line=8))

    with pytest.raises(BadDeal, match="Board 7 is in the set twice, at line 3 and at line 8"):
        DealSet("tuesday", None, twice)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([], "none"), ([5], "5"), ([1, 2], "1, 2"), (range(1, 37), "1-36"), ([9, 1, 2, 3, 11, 10, 7], "1-3, 7, 9-11")],
)
def test_board_numbers_are_put_into_few_words(numbers: list[int], text: str) -> None:
    assert range_text(numbers) == text


def test_a_bad_record_tells_its_place_and_its_reasons_in_one_sentence() -> None:
    assert str(BadRecord(33, "7", ("spade ace twice", "club two missing"))) == (
        "Board 7, line 33: spade ace twice, club two missing."
    )
    assert str(BadRecord(5, "", ("x",))) == "The record without a board number, line 5: x."
