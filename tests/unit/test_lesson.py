"""Lessons: hands given in part, wishes in words, and that every completion is equally likely.

Read next: `driver/deals/lesson.py`, `driver/deals/wishes.py`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.lesson import fill, parse_given
from driver.deals.model import Deal
from driver.deals.wishes import Measure, Wish, parse_wishes
from driver.errors import BadDeal, BadSyntax, JobError
from protocol.cards import PACK, Card, Seat, Suit
from tests.statistics.battery import alarms, examine
from tests.statistics.p_values import chi_square

NOTHING = "N:- - - -"
WHOLE = "N:AT3.K8654.AT6.93 Q65.A9732.3.KJ42 J974.QJT.K752.A7 K82..QJ984.QT865"


def dealt(text: str, wishes: str = "", seed: int = 1) -> Deal:
    return fill(parse_given(text), random.Random(seed).randbytes, parse_wishes(wishes))


def suit(deal: Deal, seat: Seat, which: Suit) -> str:
    return "".join(card.rank for card in deal.hand(seat) if card.suit is which)


def test_hands_that_are_given_in_full_are_that_deal() -> None:
    assert dealt(WHOLE).hands_as_pbn() == WHOLE


def test_hands_may_be_typed_clockwise_from_any_seat_in_any_order_and_letters() -> None:
    deal = dealt("s:79j4.QJ10.K752.a7 - - -")

    assert deal.hands_as_pbn(Seat.SOUTH).split()[0] == "S:J974.QJT.K752.A7"


def test_one_hand_that_is_not_given_has_what_is_left() -> None:
    assert dealt(WHOLE.rsplit(" ", 1)[0] + " -").hands_as_pbn() == WHOLE


@pytest.mark.parametrize("seed", range(10))
def test_an_x_is_a_card_below_the_ten_and_a_suit_without_question_mark_is_complete(seed: int) -> None:
    deal = dealt("N:AKxx.Q?.?.? ?.xxx.?.? ?.?.Jx.? -", seed=seed)

    spades = suit(deal, Seat.NORTH, Suit.SPADES)
    assert spades[:2] == "AK"
    assert len(spades) == 4
    assert set(spades[2:]) < set("98765432")
    assert "Q" in suit(deal, Seat.NORTH, Suit.HEARTS)
    assert len(suit(deal, Seat.EAST, Suit.HEARTS)) == 3
    assert set(suit(deal, Seat.EAST, Suit.HEARTS)) < set("98765432")
    assert len(suit(deal, Seat.SOUTH, Suit.DIAMONDS)) == 2


def test_thirteen_small_words_of_a_hand_are_a_hand() -> None:
    deal = dealt("N:AKxx.xxx.xxx.xxx - - -")

    assert [len(suit(deal, Seat.NORTH, which)) for which in Suit] == [4, 3, 3, 3]


def completions(text: str) -> set[str]:
    """Every deal that has these hands (typed from North), counted out one free card at a time."""
    hands = [[""] * 4 if hand == "-" else hand.split(".") for hand in text[2:].split()]
    found = {card: seat for card in PACK for seat in Seat if card.rank in hands[seat][card.suit]}
    free = [card for card in PACK if card not in found]
    may_have = [[seat for seat in Seat if set("x?") & set(hands[seat][card.suit])] for card in free]
    whole = set()
    for owners in product(*may_have):
        given = found | dict(zip(free, owners, strict=True))
        held = [[card for card in PACK if given[card] == seat] for seat in Seat]
        if all(len(hand) == 13 for hand in held) and all(
            _is_as_typed(held[seat], which, hands[seat][which]) for seat in Seat for which in Suit
        ):
            whole.add(Deal.from_hands(held).hands_as_pbn())
    return whole


def _is_as_typed(hand: Sequence[Card], which: Suit, typed: str) -> bool:
    further = [card for card in hand if card.suit is which and card.rank not in typed]
    return "?" in typed or (len(further) == typed.count("x") and all(card.rank in "98765432" for card in further))


SHARED = (
    pytest.param("N:AKQJT98765.?.. ?.AKQJT987..? ..AKQJT98765432. ?.?..AKQJT98765?", 60, id="two pools"),
    pytest.param("N:AKQJT98765.?.. x.AKQJT98..? ..AKQJT98765432. ?.?..AKQJT98?", 360, id="an x"),
    pytest.param("N:AKQJT98765.?.?. ?.AKQJT98765..? ?..AKQJT98765.? ?.?.?.AKQJT98765", 400, id="three pools"),
    pytest.param("N:AKQJT98765432... .AKQJT98765xxx.. ..AKQJT987654.? ..?.AKQJT98765?", 3, id="few"),
)


@pytest.mark.parametrize(("text", "number"), SHARED)
def test_every_completion_comes_equally_often(text: str, number: int) -> None:
    whole = completions(text)
    hands, source = parse_given(text), random.Random(20_261_130).randbytes

    counts = Counter(fill(hands, source).hands_as_pbn() for _ in range(40 * number))

    assert len(whole) == number
    assert set(counts) == whole
    assert chi_square(sum((found - 40) ** 2 / 40 for found in counts.values()), number - 1) > 1e-4


def test_every_completion_that_is_as_wished_comes_equally_often() -> None:
    text = "N:AKQJT98765.?.. ?.AKQJT987..? ..AKQJT98765432. ?.?..AKQJT98765?"
    as_wished = {deal for deal in completions(text) if len(deal.split()[3].split(".")[0]) == 1}
    hands, source = parse_given(text), random.Random(7).randbytes

    counts = Counter(fill(hands, source, parse_wishes("W: 1 spade")).hands_as_pbn() for _ in range(40 * len(as_wished)))

    assert set(counts) == as_wished
    assert chi_square(sum((found - 40) ** 2 / 40 for found in counts.values()), len(as_wished) - 1) > 1e-4


def test_hands_of_which_nothing_is_given_are_fair_deals() -> None:
    hands, source = parse_given(NOTHING), random.Random(11).randbytes

    assert alarms(examine([bytes(fill(hands, source).owners) for _ in range(2_000)])) == []


@pytest.mark.parametrize(
    "text",
    [
        "N:AKQJT98765432.A?.. - - -",
        "N:AKx.xxx.xxx.xxx - - -",
        "N:AKxxx.xxx.xxx.xxx - - -",
        "N:xxxxxxxxx.?.?.? - - -",
        "N:xxxxx.?.?.? xxxx.?.?.? - -",
        "N:.?.?.? .?.?.? .?.?.? .?.?.?",
        "N:A?.?.?.? x.x.x.? x.x.x.? x.x.x.?",
        "N:... ... ... ...",
    ],
)
def test_hands_that_no_deal_has_are_refused(text: str) -> None:
    with pytest.raises(BadDeal, match="No deal of 52 cards, 13 each, has these hands"):
        dealt(text)


@pytest.mark.parametrize("text", ["N:A?.?.?.? A?.?.?.? - -", "N:AA?.?.?.? - - -"])
def test_a_card_that_is_given_twice_is_named_without_its_seats(text: str) -> None:
    with pytest.raises(BadDeal, match=r"^These hands are not of one pack: spade ace twice\.$"):
        parse_given(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "N:",
        "- - - -",
        "X:- - - -",
        "N:- - -",
        "N:- - - - -",
        "N:A.B.C.D - - -",
        "N:A.K.Q - - -",
        "N:A.K.Q.J.T - - -",
        "N:A??.?.?.? - - -",
        "N:?A.?.?.? - - -",
        "N:x?.?.?.? - - -",
        "N:1.?.?.? - - -",
        "N:" + "x" * 400 + " - - -",
    ],
)
def test_what_is_no_four_hands_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(BadSyntax) as caught:
        parse_given(text)

    assert "x is a card below the ten" in caught.value.hint
    assert not any(word in str(caught.value) for word in text.split() if len(word) > 3)


@given(st.text(alphabet="NESW:AKQJT98765432x?.- \n0", max_size=80))
def test_any_text_is_hands_or_refused(text: str) -> None:
    try:
        hands = parse_given(text)
    except (BadSyntax, BadDeal):
        return
    with suppress(BadDeal):
        fill(hands, random.Random(1).randbytes)


@given(st.text(max_size=60))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(BadSyntax):
        parse_given("?" + text)


def test_given_hands_show_no_card_by_accident() -> None:
    assert "SA" not in repr(parse_given("N:AK?.?.?.? - - -"))
    assert "cards" not in repr(parse_given("N:AK?.?.?.? - - -"))


@pytest.mark.parametrize(
    ("text", "wishes"),
    [
        ("", ()),
        (" ; ", ()),
        ("N: 15-17 hcp", (Wish((Seat.NORTH,), Measure.POINTS, 15, 17),)),
        ("north:12+ POINTS", (Wish((Seat.NORTH,), Measure.POINTS, 12, 37),)),
        ("S: 5+ hearts", (Wish((Seat.SOUTH,), Measure.HEARTS, 5, 13),)),
        ("S: 4 spades", (Wish((Seat.SOUTH,), Measure.SPADES, 4, 4),)),
        ("e:0-1 club", (Wish((Seat.EAST,), Measure.CLUBS, 0, 1),)),
        ("NS: 25+ hcp", (Wish((Seat.NORTH, Seat.SOUTH), Measure.POINTS, 25, 40),)),
        ("EW: 8+  diamonds", (Wish((Seat.EAST, Seat.WEST), Measure.DIAMONDS, 8, 13),)),
        (
            "W: balanced, 3 spades; N: 1 heart",
            (
                Wish((Seat.WEST,), Measure.SHORT_SUITS, 0, 1),
                Wish((Seat.WEST,), Measure.SPADES, 3, 3),
                Wish((Seat.NORTH,), Measure.HEARTS, 1, 1),
            ),
        ),
    ],
)
def test_wishes_are_read(text: str, wishes: tuple[Wish, ...]) -> None:
    assert parse_wishes(text) == wishes


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("15 hcp", 1),
        ("X: 15 hcp", 1),
        ("N 15 hcp", 1),
        ("N: 15 stars", 3),
        ("N: 15-17", 3),
        ("N:", 3),
        ("N: 15-17 hcp,", 14),
        ("N: 17-15 hcp", 3),
        ("N: 38 hcp", 3),
        ("N: 14+ spades", 3),
        ("N: 999 hcp", 3),
        ("N: 5+ hearts; S: much", 17),
        ("NS: balanced", 4),
        ("NS: 41 hcp", 4),
        ("N: ٣ hearts", 3),
        ("N: " + "1 heart, " * 60, 1),
        ("N: 1 club" + ";N:1 club" * 41, 1),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_with_its_column(text: str, column: int) -> None:
    with pytest.raises(BadSyntax) as caught:
        parse_wishes(text)

    assert caught.value.column == column
    assert "Wishes read like" in caught.value.hint


@given(st.text(alphabet="NESW:;,+- 0123456789hcpeartsdiamonlubd", max_size=60))
def test_any_text_is_wishes_or_refused(text: str) -> None:
    try:
        wishes = parse_wishes(text)
    except BadSyntax:
        return
    for wish in wishes:
        wish.fits(bytes(card % 4 for card in range(52)))


@pytest.mark.parametrize(
    ("wish", "fits"),
    [
        ("N: 11 hcp", True),
        ("N: 12+ hcp", False),
        ("E: 10 hcp, 5 hearts, 1 diamond", True),
        ("W: 0 hearts, 5 diamonds", True),
        ("W: 1+ hearts", False),
        ("NS: 22 hcp", True),
        ("EW: 4 spades", False),
        ("EW: 6 spades", True),
        ("N: balanced", True),
        ("S: balanced", True),
        ("E: balanced", False),
        ("W: balanced", False),
    ],
)
def test_a_wish_is_counted_in_the_hands(wish: str, fits: bool) -> None:
    owners = bytes(dealt(WHOLE).owners)

    assert all(one.fits(owners) for one in parse_wishes(wish)) is fits


@given(st.permutations([seat for seat in range(4) for _ in range(13)]))
def test_points_lengths_and_balance_are_those_of_the_cards(owners: list[int]) -> None:
    deal = Deal(owners)
    for seat in Seat:
        hand = deal.hand(seat)
        points = sum({"A": 4, "K": 3, "Q": 2, "J": 1}.get(card.rank, 0) for card in hand)
        lengths = [sum(card.suit is which for card in hand) for which in Suit]
        balanced = tuple(sorted(lengths, reverse=True)) in {(4, 3, 3, 3), (4, 4, 3, 2), (5, 3, 3, 2)}
        wishes = parse_wishes(f"{seat.letter}: {points} hcp, {lengths[0]} spades, {lengths[3]} clubs")
        assert all(wish.fits(bytes(owners)) for wish in wishes)
        assert parse_wishes(f"{seat.letter}: balanced")[0].fits(bytes(owners)) is balanced


def test_wishes_that_are_never_met_end_after_so_many_tries() -> None:
    hands = parse_given("N:AKQJT98765432... - - -")
    drawn = 0

    def source(size: int) -> bytes:
        nonlocal drawn
        drawn += 1
        return random.Random(drawn).randbytes(size)

    with pytest.raises(JobError, match="None of 50 deals was as wished") as caught:
        fill(hands, source, parse_wishes("S: 1+ spades"), tries=50)

    assert "Wish for less" in caught.value.hint
    assert drawn == 50


def test_equal_keys_of_a_shuffle_are_drawn_anew() -> None:
    answers = iter([bytes(8 * 26), random.Random(5).randbytes(8 * 26)])

    deal = fill(parse_given("N:AKQJT98765432... .AKQJT98765432.. - -"), lambda size: next(answers))

    assert next(answers, None) is None
    assert len(deal.hand(Seat.SOUTH)) == 13
