"""New hands from the spare deals: each once, in order, for all copies or for named ones; who then holds which hands.

Read next: `driver/new_hands.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from driver.deals.model import BoardDeal, Deal, Vulnerability
from driver.laws import EDITIONS
from driver.new_hands import (
    INSTEAD,
    GivenSpare,
    NewHands,
    NoNewHands,
    groups_of,
    in_force,
    lines_before,
    plan_new_hands,
    spare_of,
)
from protocol.cards import Seat

OLDEST, NEWEST = EDITIONS[0], EDITIONS[-1]


def planned(board: int = 17, *, given: Sequence[GivenSpare] = (), dealt: str = "", copies: str = "") -> NewHands:
    plan = plan_new_hands(board, spares=4, given=given, dealt=tuple(dealt), copies=tuple(copies))
    assert isinstance(plan, NewHands)
    return plan


def deal(turn: int) -> Deal:
    """One of the deals with a suit in each hand, turned."""
    return Deal([(card // 13 + turn) % 4 for card in range(52)])


def test_the_first_board_that_needs_one_gets_the_first_spare_deal() -> None:
    plan = planned()
    assert plan == NewHands(GivenSpare(17, 1), law="6D3", recall=(), groups=())
    assert not plan.fouled


def test_a_spare_deal_is_given_once_and_they_go_in_order() -> None:
    given: list[GivenSpare] = []
    for place, board in enumerate((17, 3, 17, 20), start=1):
        plan = planned(board, given=given)
        assert plan.given.spare == place
        given.append(plan.given)
    assert plan_new_hands(5, spares=4, given=given) == NoNewHands("All 4 spare deals of the set are used.")


def test_a_set_from_a_file_has_none_and_what_can_be_done_instead_is_said() -> None:
    none = plan_new_hands(5, spares=0, given=())
    assert isinstance(none, NoNewHands)
    assert "made here" in none.reason
    assert [word in " ".join(INSTEAD) for word in ("same hands", "skip", "new set")] == [True] * 3


def test_copies_that_exist_come_back_when_all_get_new_hands() -> None:
    plan = planned(dealt="AB")
    assert plan.recall == ("A", "B")
    assert plan.groups == (("A", "B"),)
    assert not plan.fouled
    lines = lines_before(plan)
    assert lines[0] == "Bring back board 17, copies A and B: the hands in it change."
    assert lines[1].startswith("Law 6F: ")
    assert [line[:8] for line in lines[2:]] == ["Law 22B:", "Law 86A:"]


def test_the_only_board_comes_back_without_a_word_about_copies_by_name() -> None:
    plan = plan_new_hands(17, spares=4, given=(), dealt=("",))
    assert isinstance(plan, NewHands)
    assert lines_before(plan)[0] == "Bring back board 17: the hands in it change."


def test_a_first_copy_without_a_name_comes_back_beside_the_named_ones() -> None:
    plan = plan_new_hands(17, spares=4, given=(), dealt=("", "B", "C"))
    assert isinstance(plan, NewHands)
    line = lines_before(plan)[0]
    assert line == "Bring back board 17, the first copy, copy B and copy C: the hands in it change."


def test_named_copies_alone_get_new_hands_and_the_board_is_scored_by_groups() -> None:
    plan = planned(dealt="ABC", copies="B")
    assert (plan.law, plan.recall, plan.groups) == ("16D2", ("B",), (("A", "C"), ("B",)))
    assert plan.fouled
    assert "(copy A and copy C; copy B). Law 87: scored by groups." in lines_before(plan)[1]


def test_a_named_copy_that_was_not_dealt_yet_fouls_the_board_too() -> None:
    plan = planned(dealt="A", copies="B")
    assert (plan.recall, plan.groups) == ((), (("A",), ("B",)))
    assert plan.fouled


def test_nothing_is_fouled_when_no_other_copy_exists() -> None:
    assert not planned(copies="B").fouled
    assert not planned(dealt="B", copies="B").fouled


def test_new_hands_for_all_end_a_difference_between_copies() -> None:
    first = planned(dealt="AB", copies="B").given
    plan = planned(given=[first], dealt="AB")
    assert (plan.recall, plan.fouled) == (("A", "B"), False)


def test_an_edition_without_the_law_names_the_directors_general_power() -> None:
    plan = plan_new_hands(17, spares=4, given=(), dealt=("A", "B"), copies=("B",), edition=OLDEST)
    assert isinstance(plan, NewHands)
    assert plan.law == "6D3"
    assert [line for line in lines_before(plan, OLDEST) if "6F" in line or "22" in line or "86" in line] == []


def test_each_copy_holds_the_last_hands_that_it_was_given() -> None:
    given = [GivenSpare(17, 1, ("B",)), GivenSpare(3, 2), GivenSpare(17, 3, ("A",))]
    assert [spare_of(17, copy, given) for copy in "ABC"] == [3, 1, 0]
    assert [spare_of(3, copy, given) for copy in ("", "A")] == [2, 2]
    assert groups_of(17, "ABCD", given) == (("A",), ("B",), ("C", "D"))


def test_the_boards_in_force_keep_number_dealer_and_vulnerability() -> None:
    boards = [BoardDeal(number, deal(0), Seat.WEST, Vulnerability.EW) for number in (16, 17)]
    spares = [deal(1), deal(2)]
    given = [GivenSpare(17, 2, ("B",))]

    assert in_force(boards, spares, given) == tuple(boards)
    changed = in_force(boards, spares, given, "B")
    assert changed[0] == boards[0]
    assert (changed[1].number, changed[1].dealer, changed[1].vulnerability) == (17, Seat.WEST, Vulnerability.EW)
    assert changed[1].deal == spares[1]


@given(
    st.lists(st.tuples(st.integers(1, 3), st.lists(st.sampled_from("ABC"), unique=True, max_size=2)), max_size=8),
    st.integers(0, 5),
)
def test_whatever_is_asked_no_spare_is_given_twice_and_groups_hold_each_copy_once(
    wishes: list[tuple[int, list[str]]], spares: int
) -> None:
    done: list[GivenSpare] = []
    for board, copies in wishes:
        plan = plan_new_hands(board, spares=spares, given=done, dealt="ABC", copies=tuple(copies))
        if isinstance(plan, NoNewHands):
            assert len(done) == spares
            continue
        done.append(plan.given)
        assert sorted(copy for group in plan.groups for copy in group) == ["A", "B", "C"]
        assert set(plan.recall) == set(copies or "ABC")
    assert [one.spare for one in done] == list(range(1, len(done) + 1))


def test_no_text_shows_a_hand() -> None:
    shown = " ".join((*lines_before(planned(dealt="AB", copies="B")), *INSTEAD, repr(planned())))
    assert "AKQJ" not in shown
