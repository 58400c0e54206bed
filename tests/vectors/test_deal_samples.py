"""The PBN files of other people's programs, read as an independent decoder read them.

The samples are third-party data and no part of this repository: the tests are skipped where they are absent.
Read next: `driver/deals/formats/pbn.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driver.deals.check import records_to_json
from driver.deals.loader import load_deals, load_sets, read_records
from driver.errors import BadDeal
from protocol.cards import PACK, Seat

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "deals"
NAMES = sorted(path.name for path in SAMPLES.glob("*.pbn"))
FIELDS = ("board", "dealer", "vul", "deal")

pytestmark = pytest.mark.skipif(not NAMES, reason="the sample deal files of ../shared are not here")


def expected(name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((SAMPLES / "expected" / f"{name}.json").read_text(encoding="utf-8"))
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_every_record_of_a_sample_is_read_as_expected_and_in_order(name: str) -> None:
    rows = json.loads(records_to_json(read_records(SAMPLES / name)))

    assert [[row[key] for key in FIELDS] for row in rows] == [[row[key] for key in FIELDS] for row in expected(name)]


@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_records_with_issues_have_issues(name: str) -> None:
    rows = json.loads(records_to_json(read_records(SAMPLES / name)))

    assert [bool(row["issues"]) for row in rows] == [bool(row["issues"]) for row in expected(name)]


@pytest.mark.parametrize("name", NAMES)
def test_every_whole_record_is_a_deal_of_52_cards_and_no_other_is(name: str) -> None:
    records = read_records(SAMPLES / name)

    for record, row in zip(records, expected(name), strict=True):
        assert (record.deal is not None) == (row["issues"] == [])
        if record.deal is not None:
            assert sorted(card for seat in Seat for card in record.deal.hand(seat)) == list(PACK)
            assert record.deal.hands_as_pbn() == row["deal"]


@pytest.mark.parametrize(
    ("name", "boards", "problems"),
    [
        ("acbl_club_bc597.pbn", "1-36", 0),
        ("bigdeal20_17-32.pbn", "17-32", 0),
        ("bridgecomposer525_nonstd_dealer.pbn", "1-5", 0),
        ("bridgecomposer557_latin1.pbn", "16-30", 0),
        ("deal319_pbn.pbn", "1-4", 0),
        ("kops_monika_cp1250.pbn", "1-27", 0),
        ("rpbridge_shared_deals.pbn", "7, 62", 0),
    ],
)
def test_a_sample_becomes_one_set_with_each_board_once(name: str, boards: str, problems: int) -> None:
    deals = load_deals(SAMPLES / name)

    assert deals.range_text == boards
    assert len(deals.problems) == problems


def test_joined_sessions_are_refused_until_one_is_chosen() -> None:
    path = SAMPLES / "bigdeal12_sessions_concat.pbn"

    with pytest.raises(BadDeal, match="set 1 with boards 1-99"):
        load_deals(path)
    assert [one.range_text for one in load_sets(path)] == ["1-99"] * 4
    assert load_deals(path, set_number=2).find(1) != load_deals(path, set_number=1).find(1)
