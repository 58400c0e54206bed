"""The deal files of other people's programs, read through `dealctl check --json` as an independent decoder read them.

The samples are third-party data and no part of this repository: the tests are skipped where they are absent.
Read next: `driver/deals/formats/registry.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driver.cli.exit_codes import Exit
from driver.cli.main import main
from driver.deals.loader import load_deals, load_sets, open_deal_file, read_records
from driver.errors import BadDeal
from protocol.cards import PACK, Seat

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "deals"
NAMES = sorted(path.name.removesuffix(".json") for path in (SAMPLES / "expected").glob("*.json"))
REFUSED = {"veugen_verifier_correct_20.pbn", "veugen_verifier_errors_10.pbn"}
"""The samples that are made of faults: end positions, missing hands, doubled cards."""

pytestmark = pytest.mark.skipif(not NAMES, reason="the sample deal files of ../shared are not here")


def expected(name: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads((SAMPLES / "expected" / f"{name}.json").read_text(encoding="utf-8"))
    return rows


def test_all_43_samples_are_there() -> None:
    assert len(NAMES) == 43
    assert [name for name in NAMES if not (SAMPLES / name).is_file()] == []


@pytest.mark.parametrize("name", NAMES)
def test_check_prints_every_record_of_a_sample_as_expected_and_in_order(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["check", str(SAMPLES / name), "--json"])

    rows, wanted = json.loads(capsys.readouterr().out), expected(name)
    # The reasons are worded otherwise; everything else is the same, key by key, for wrong records too.
    assert [row | {"issues": bool(row["issues"])} for row in rows] == [
        row | {"issues": bool(row["issues"])} for row in wanted
    ]
    assert code == (Exit.DEAL_FILE if name in REFUSED else Exit.ALL_GOOD)


@pytest.mark.parametrize("name", NAMES)
def test_every_whole_record_is_a_deal_of_52_cards_and_no_other_is(name: str) -> None:
    records = read_records(SAMPLES / name)

    for record, row in zip(records, expected(name), strict=True):
        assert (record.deal is not None) == (row["issues"] == [])
        if record.deal is not None:
            assert sorted(card for seat in Seat for card in record.deal.hand(seat)) == list(PACK)
            assert record.deal.hands_as_pbn() == row["deal"]


@pytest.mark.parametrize("name", NAMES)
def test_check_without_json_shows_no_hand_of_a_sample(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", str(SAMPLES / name)])

    shown = "".join(capsys.readouterr())
    hands = {hand for row in expected(name) if row["deal"] for hand in str(row["deal"]).removeprefix("N:").split()}
    assert [hand for hand in hands if len(hand) > 10 and hand in shown] == []


@pytest.mark.parametrize(
    ("name", "boards", "problems"),
    [
        ("acbl_club_bc597.pbn", "1-36", 0),
        ("bbo_acbl_club2026.lin", "1-12", 0),
        ("bbo_single_hand.lin", "15", 0),
        ("bbo_vugraph_spingold2007.lin", "1-16", 0),
        ("bigdeal20_17-32.dlm", "17-32", 0),
        ("bigdeal20_17-32.pbn", "17-32", 0),
        ("bigdeal20_1-36.cds", "1-36", 0),
        ("bigdeal20_1-36.csv", "1-36", 0),
        ("bigdeal20_1-36.dup", "1-36", 0),
        ("bridgecomposer525_nonstd_dealer.pbn", "1-5", 0),
        ("bridgecomposer557_latin1.pbn", "16-30", 0),
        ("bridgemate_HandRecord.bwscsv", "1-36", 0),
        ("kops_monika_cp1250.pbn", "1-27", 0),
        ("rpbridge_shared_deals.pbn", "7, 62", 0),
        ("tenace_latin_names.lin", "1", 0),
    ],
)
def test_a_sample_becomes_one_set_with_each_board_once(name: str, boards: str, problems: int) -> None:
    deals = load_deals(SAMPLES / name)

    assert deals.range_text == boards
    assert len(deals.problems) == problems
    assert deals.suspect == ()


@pytest.mark.parametrize(
    ("name", "boards"),
    [
        ("bigdeal12.ber", 2),
        ("bigdeal12.bhg", 2),
        ("bigdeal12.bri", 2),
        ("bigdeal12.dge", 2),
        ("bigdeal20_1-36.rzd", 36),
        ("dds_sol10.txt", 10),
        ("deal319_pbn.pbn", 4),
        ("dealer_oneline.txt", 4),
    ],
)
def test_a_sample_without_board_numbers_needs_to_be_told_where_they_begin(name: str, boards: int) -> None:
    with pytest.raises(BadDeal, match="no board numbers"):
        load_deals(SAMPLES / name)
    assert load_deals(SAMPLES / name, first_board=17).numbers == tuple(range(17, 17 + boards))


def test_several_formats_of_the_same_deals_give_the_same_set() -> None:
    for stem in ("bigdeal20_1-36", "bigdeal20_17-32", "bigdeal12"):
        deals = [
            [board.deal for board in load_sets(SAMPLES / name)[0]]
            for name in NAMES
            if name.startswith(f"{stem}.") and not name.endswith(".pbn")
        ]
        assert deals
        assert all(other == [board.deal for board in load_deals(SAMPLES / f"{stem}.pbn")] for other in deals)


def test_joined_sessions_are_refused_until_one_is_chosen() -> None:
    path = SAMPLES / "bigdeal12_sessions_concat.pbn"

    with pytest.raises(BadDeal, match="set 1 with boards 1-99"):
        load_deals(path)
    sets = load_sets(path)
    assert [one.range_text for one in sets] == ["1-99"] * 4
    assert load_deals(path, set_number=2).find(1) != load_deals(path, set_number=1).find(1)
    taken = [board.deal for one in sets for board in one]
    assert taken == [record.deal for record in read_records(path)]


@pytest.mark.parametrize("name", NAMES)
def test_the_format_of_a_sample_is_found_without_its_name(name: str, tmp_path: Path) -> None:
    nameless = tmp_path / "deals"
    nameless.write_bytes((SAMPLES / name).read_bytes())

    assert open_deal_file(nameless).contents == open_deal_file(SAMPLES / name).contents
