"""The four editions of the Laws, row by row of the table, and the same fault under each of them.

Read next: `driver/laws.py`.
"""

from __future__ import annotations

import pytest

from driver.laws import (
    EDITIONS,
    NEWEST,
    Copies,
    Edition,
    OldDeal,
    OrderOfDealing,
    OtherMethod,
    Remedy,
    SightThatCounts,
    Stage,
    Topic,
)

BY_YEAR = {edition.year: edition for edition in EDITIONS}
YEARS = (1987, 1997, 2007, 2017)

NO, NEW, LATE = Remedy.NONE, Remedy.NEW_HANDS, Remedy.DIRECTOR


def edition_of(year: int) -> Edition:
    return BY_YEAR[year]


def test_there_are_four_editions_and_the_newest_holds() -> None:
    assert tuple(BY_YEAR) == YEARS
    assert NEWEST is BY_YEAR[2017]


@pytest.mark.parametrize(
    ("year", "order"),
    [
        (1987, OrderOfDealing.ROTATION),
        (1997, OrderOfDealing.CLOCKWISE_ADVISED),
        (2007, OrderOfDealing.CLOCKWISE_ADVISED),
        (2017, OrderOfDealing.NO_TWO_TOGETHER),
    ],
)
def test_order_of_dealing(year: int, order: OrderOfDealing) -> None:
    assert edition_of(year).order is order
    assert order.value in edition_of(year).method_line


@pytest.mark.parametrize(
    ("year", "allowed"),
    [
        (1987, [Stage.DEALING]),
        (1997, [Stage.DEALING, Stage.DEALT, Stage.BEGUN_ELSEWHERE]),
        (2007, [Stage.DEALING, Stage.DEALT]),
        (2017, [Stage.DEALING, Stage.DEALT]),
    ],
)
def test_new_hands_after_an_exposed_deal_until_when(year: int, allowed: list[Stage]) -> None:
    remedies = {stage: edition_of(year).remedy(knows_hand=True, plays=True, stage=stage) for stage in Stage}
    assert [stage for stage, remedy in remedies.items() if remedy is NEW] == allowed
    assert {remedy for stage, remedy in remedies.items() if stage not in allowed} == {LATE}


@pytest.mark.parametrize(
    ("year", "sight", "any_card_counts"),
    [
        (1987, SightThatCounts.ANY_CARD, True),
        (1997, SightThatCounts.CARD_OF_ANOTHER, False),
        (2007, SightThatCounts.CARD_OF_ANOTHER, False),
        (2017, SightThatCounts.CARD_OF_ANOTHER, False),
    ],
)
def test_what_sight_counts(year: int, sight: SightThatCounts, any_card_counts: bool) -> None:
    edition = edition_of(year)
    assert edition.sight is sight
    assert edition.sight_counts(knows_hand=True, plays=True)
    assert edition.sight_counts(knows_hand=False, plays=True) is any_card_counts
    assert not edition.sight_counts(knows_hand=True, plays=False)


@pytest.mark.parametrize(
    ("year", "law", "contestants"), [(1987, "", ""), (1997, "", ""), (2007, "16C", "16C2"), (2017, "16D", "16D2")]
)
def test_later_sight_and_new_hands_for_some_contestants(year: int, law: str, contestants: str) -> None:
    assert edition_of(year).law_number(Topic.LATER_SIGHT) == law
    assert edition_of(year).law_number(Topic.CONTESTANTS) == contestants


@pytest.mark.parametrize(
    ("year", "old", "words"),
    [
        (1987, OldDeal.PLAYED, "played before."),
        (1997, OldDeal.PLAYED_ELSEWHERE, "played before in another session."),
        (2007, OldDeal.OF_ANOTHER_SESSION, "from another session, unless the event is a replay of past deals."),
        (2017, OldDeal.OF_ANOTHER_SESSION, "from another session, unless the event is a replay of past deals."),
    ],
)
def test_old_deals_are_a_matter_of_results_and_of_the_director(year: int, old: OldDeal, words: str) -> None:
    edition = edition_of(year)
    assert edition.old_deal is old
    assert edition.law_number(Topic.OLD_DEAL) == "6D2"
    assert edition.old_deal_line.startswith("Law 6D2: no result stands on hands ")
    assert words in edition.old_deal_line
    assert edition.old_deal_line.endswith("The director decides.")


@pytest.mark.parametrize(
    ("year", "passed_out", "known"), [(1987, "", ""), (1997, "22A", "86C"), (2007, "22A", "86C"), (2017, "22B", "86A")]
)
def test_reminders_before_the_director_orders_new_hands(year: int, passed_out: str, known: str) -> None:
    edition = edition_of(year)
    assert edition.law_number(Topic.DIRECTOR_WISH) == "6D3"
    assert (edition.law_number(Topic.PASSED_OUT), edition.law_number(Topic.RESULT_KNOWN)) == (passed_out, known)
    expected = [f"Law {number}:" for number in (passed_out, known) if number]
    assert [line.split(" ", 2)[0] + " " + line.split(" ", 2)[1] for line in edition.reminders] == expected


@pytest.mark.parametrize(
    ("year", "method", "law"),
    [
        (1987, OtherMethod.NOT_SAID, ""),
        (1997, OtherMethod.FREE, "6E4"),
        (2007, OtherMethod.AS_RANDOM, "6E4"),
        (2017, OtherMethod.AS_RANDOM, "6E4"),
    ],
)
def test_another_method_of_dealing(year: int, method: OtherMethod, law: str) -> None:
    edition = edition_of(year)
    assert edition.method is method
    assert edition.law_number(Topic.METHOD) == law
    assert ("6E4" in edition.method_line) is bool(law)
    assert ("as random as a shuffle" in edition.method_line) is (method is OtherMethod.AS_RANDOM)


@pytest.mark.parametrize(
    ("year", "copies", "law"),
    [(1987, Copies.NOT_SAID, ""), (1997, Copies.ALLOWED, "6F"), (2007, Copies.KEPT, "6F"), (2017, Copies.KEPT, "6F")],
)
def test_copies(year: int, copies: Copies, law: str) -> None:
    edition = edition_of(year)
    assert edition.copies is copies
    assert edition.law_number(Topic.COPIES) == law
    assert bool(edition.copies_line) is (copies is Copies.KEPT)


@pytest.mark.parametrize("year", YEARS)
def test_fouled_boards_are_law_87_in_every_edition(year: int) -> None:
    assert edition_of(year).law_number(Topic.FOULED) == "87"


FAULTS = {
    "a face seen at card 40, hand not known": (False, Stage.DEALING),
    "a face seen at card 40, hand known": (True, Stage.DEALING),
    "found after the last card": (True, Stage.DEALT),
    "found after the auction began at another table": (True, Stage.BEGUN_ELSEWHERE),
    "found after the auction": (True, Stage.BEGUN),
}


@pytest.mark.parametrize("plays", [True, False], ids=["playing operator", "operator who does not play"])
@pytest.mark.parametrize(
    ("fault", "remedies"),
    [
        ("a face seen at card 40, hand not known", (NEW, NO, NO, NO)),
        ("a face seen at card 40, hand known", (NEW, NEW, NEW, NEW)),
        ("found after the last card", (LATE, NEW, NEW, NEW)),
        ("found after the auction began at another table", (LATE, NEW, LATE, LATE)),
        ("found after the auction", (LATE, LATE, LATE, LATE)),
    ],
)
def test_the_same_fault_under_each_edition(fault: str, remedies: tuple[Remedy, ...], plays: bool) -> None:
    knows, stage = FAULTS[fault]
    found = tuple(edition.remedy(knows_hand=knows, plays=plays, stage=stage) for edition in EDITIONS)
    assert found == (remedies if plays else (NO,) * 4)


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: str(edition.year))
def test_no_line_says_that_a_law_forbids_dealing(edition: Edition) -> None:
    lines = (edition.old_deal_line, edition.method_line, edition.copies_line, *edition.reminders)
    assert not any(word in line for line in lines for word in ("forbid", "illegal", "not allowed", "must not"))
    assert "redeal" not in " ".join(lines).lower()
