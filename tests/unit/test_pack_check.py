"""Checking a pack names its cards; checking a board says yes or no for each pocket, and no more.

Read next: `driver/pack_check.py`.
"""

from __future__ import annotations

import re

import pytest

from driver.pack_check import BoardReport, board_report, pack_report
from driver.plan import Plan
from protocol.cards import PACK, PACK_SIZE, Card, Seat, Unproven
from protocol.codes import PackEnd, Proof, RecordState
from protocol.fields import Code, LedgerRecord
from tests.support.evidence import FULL, flawless, random_deal, shuffled, with_record

DEAL = random_deal(4)
BY_THIRTEENS = Plan.by_thirteens(9, DEAL)
HANDS = [card for seat in Seat for card in DEAL.hand(seat)]


def records_of(identities: list[int]) -> list[LedgerRecord]:
    """Records of a rotation in which these cards (or `Unproven` values) were fed."""
    proof = Proof.LEFT_HOPPER | Proof.READ | Proof.LEFT_PATH
    return [
        LedgerRecord(identity, 200, index % 4, proof, RecordState.DROPPED, 1)
        for index, identity in enumerate(identities)
    ]


def test_a_whole_pack_in_any_order_is_whole() -> None:
    for seed in range(20):
        report = pack_report(records_of([int(card) for card in shuffled(seed)]), PackEnd.EMPTY)
        assert report.is_whole
        assert report.sentences == ("All 52 cards are there, each once.",)


@pytest.mark.parametrize("card", PACK, ids=str)
def test_each_missing_doubled_or_unnamed_card_is_reported(card: Card) -> None:
    rest = [int(other) for other in PACK if other != card]
    twin = Card((card + 1) % PACK_SIZE)

    short = pack_report(records_of(rest))
    assert (short.missing, short.doubled, short.fed, short.is_whole) == ((card,), (), 51, False)
    doubled = pack_report(records_of([*rest, twin]))
    assert (doubled.missing, doubled.doubled, doubled.fed) == ((card,), (twin,), 52)
    for unproven, field in (
        (Unproven.UNREADABLE, "unreadable"),
        (Unproven.NONE, "unreadable"),
        (Unproven.FOREIGN, "foreign"),
        (Unproven.FACE_UP, "face_up"),
    ):
        report = pack_report(records_of([*rest, int(unproven)]))
        numbers = {name: getattr(report, name) for name in ("unreadable", "foreign", "face_up")}
        assert numbers == {name: int(name == field) for name in numbers}
        assert report.missing == (card,)
        assert not report.is_whole
        assert len(report.sentences) == 2


def test_the_sentences_name_the_cards() -> None:
    cards = [int(card) for card in PACK[2:]]
    report = pack_report(records_of([*cards, 5]), PackEnd.OVER)
    assert report.sentences == (
        "51 cards were fed, not 52.",
        "Not seen: spade ace and spade king.",
        "Seen more than once: spade nine.",
        "More cards were left in the hopper.",
    )


@pytest.mark.parametrize(
    ("pack_end", "over"),
    [(PackEnd.EMPTY, False), (PackEnd.OVER, True), (PackEnd.OPEN, True), (PackEnd.UNKNOWN, None), (Code(9), None)],
)
def test_a_pack_is_over_only_when_somebody_saw_cards_left(pack_end: PackEnd | Code, over: bool | None) -> None:
    report = pack_report(records_of([int(card) for card in PACK]), pack_end)
    assert report.over is over
    assert report.is_whole is not over or over is None


def test_a_name_without_the_proof_of_reading_is_no_name() -> None:
    records = records_of([int(card) for card in PACK])
    records[7] = LedgerRecord(7, 200, 3, Proof.LEFT_HOPPER, RecordState.DROPPED, 1)
    report = pack_report(records)
    assert (report.missing, report.unreadable) == ((Card(7),), 1)


def check(records: tuple[LedgerRecord, ...] | None) -> BoardReport:
    assert records is not None
    return board_report(DEAL, records)


RUN = flawless(BY_THIRTEENS, FULL, HANDS)


def test_a_board_that_holds_its_deal_matches_in_each_pocket() -> None:
    report = check(RUN.records)
    assert report.matches is True
    assert [(pocket.matches, pocket.count) for pocket in report.pockets] == [(True, 13)] * 4


def test_one_card_changed_at_any_index_is_seen_in_its_pocket_and_no_other() -> None:
    for index in range(PACK_SIZE):
        seat = Seat(index // 13)
        stranger = HANDS[(index + 13) % PACK_SIZE]
        for identity, expected in (
            (int(stranger), False),
            (int(HANDS[index // 13 * 13 + (index + 1) % 13]), False),
            (int(Unproven.FOREIGN), False),
            (int(Unproven.FACE_UP), False),
            (int(Unproven.UNREADABLE), None),
        ):
            report = check(with_record(RUN, index, identity=identity).records)
            assert [pocket.matches for pocket in report.pockets] == [
                expected if pocket.seat is seat else True for pocket in report.pockets
            ]
            assert report.matches is expected


def test_a_board_with_too_few_cards_does_not_match() -> None:
    assert RUN.records is not None
    assert [pocket.matches for pocket in check(RUN.records[:51]).pockets] == [True, True, True, False]
    doubt = with_record(RUN, 20, state=RecordState.DOUBT)
    assert [(pocket.matches, pocket.count) for pocket in check(doubt.records).pockets][1] == (None, 12)
    assert check(()).matches is False


def test_a_board_report_names_no_card() -> None:
    assert not re.search(r"spade|heart|diamond|club|Card", repr(check(RUN.records)))
