"""From a file to a deal set: the format by the content, one set or several, what is refused and in which words.

Read next: `driver/deals/loader.py`, `driver/deals/sets.py`.
"""

from __future__ import annotations

import os
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from driver.deals import loader
from driver.deals.loader import load_deals, load_sets, read_records
from driver.deals.model import Deal, standard_dealer, standard_vulnerability
from driver.errors import BadDeal, BadSyntax, DealFileError, UnknownFormat
from protocol.cards import Seat

CLUB = Path(__file__).parents[1] / "data" / "club36.pbn"


def deal(seed: int) -> Deal:
    """A deal that is the same for the same seed."""
    owners = [seat for seat in range(4) for _ in range(13)]
    random.Random(seed).shuffle(owners)
    return Deal(owners)


def game(board: object, seed: int) -> str:
    return f'[Board "{board}"]\n[Deal "{deal(seed).hands_as_pbn()}"]\n\n'


BROKEN = '[Board "{}"]\n[Deal "N:A"]\n\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tuesday.pbn"


def test_a_club_file_gives_36_boards_with_the_standard_dealers(file: Path) -> None:
    deals = load_deals(CLUB)

    assert deals.range_text == "1-36"
    assert deals.numbers == tuple(range(1, 37))
    assert (deals.name, deals.event, deals.date) == ("club36", "Tuesday Club Duplicate", "2026.03.10")
    assert (deals.problems, deals.notes) == ((), ())
    for board in deals:
        assert board.dealer is standard_dealer(board.number)
        assert board.vulnerability is standard_vulnerability(board.number)
    assert len({board.deal for board in deals}) == 36


def test_the_name_of_the_file_does_not_matter(tmp_path: Path) -> None:
    other = tmp_path / "hands.dup"
    other.write_bytes(CLUB.read_bytes())

    assert load_deals(other).boards == load_deals(CLUB).boards
    assert load_deals(str(other)).name == "hands"


def test_the_chat_of_a_match_may_speak_of_deals_in_brackets(file: Path) -> None:
    hands = "3SAKQJT98765432,HAKQJT98765432,DAKQJT98765432,"
    file.write_text(f"vg|Cup,Final,I,1,1,A,0,B,0|\nqx|o1|md|{hands}|sv|o|nt|x: [Deal 7] was [Deal] better|pg||\n")

    assert [record.number for record in read_records(file)] == [1]


def test_the_same_board_at_several_tables_is_one_board(file: Path) -> None:
    file.write_text(game(1, 1) + game(1, 1) + game(2, 2) + game(1, 1))

    deals = load_deals(file)

    assert deals.numbers == (1, 2)
    assert "Records that repeat a board with the same hands, and are left out: 2." in deals.notes
    assert len(read_records(file)) == 4


def test_a_number_with_two_different_deals_is_refused_with_both_lines(file: Path) -> None:
    file.write_text(game(1, 1) + game(2, 2) + game(3, 3) + game(2, 4))

    with pytest.raises(BadDeal, match=r"Board 2 .* different hands, at line 4 and line 10\.") as caught:
        load_deals(file)
    assert (caught.value.path, caught.value.line) == (str(file), 10)


def test_numbers_that_start_again_are_several_sets(file: Path) -> None:
    file.write_text("".join(game(number, session * 100 + number) for session in (1, 2, 3) for number in range(5, 9)))

    with pytest.raises(BadDeal, match=r"3 deal sets .* set 2 with boards 5-8 from line 13;") as caught:
        load_deals(file)
    assert "1 to 3" in caught.value.hint
    assert [one.name for one in load_sets(file)] == [f"tuesday (set {number})" for number in (1, 2, 3)]
    third = load_deals(file, set_number=3).find(5)
    assert third is not None
    assert third.deal == deal(305)


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_set_that_is_not_there_is_refused(file: Path, number: int) -> None:
    file.write_text(game(1, 1))

    with pytest.raises(BadDeal, match=f"no set {number}") as caught:
        load_deals(file, set_number=number)
    assert "one set only" in caught.value.hint


def test_a_damaged_first_board_does_not_mix_two_sessions(file: Path) -> None:
    file.write_text(BROKEN.format(1) + game(2, 2) + game(3, 3) + game(1, 11) + game(2, 12) + game(3, 13))

    first, second = load_sets(file)

    assert (first.numbers, second.numbers) == ((2, 3), (1, 2, 3))
    assert [bad.board for bad in first.problems] == ["1"]


def test_a_damaged_copy_of_a_board_does_not_split_a_session(file: Path) -> None:
    file.write_text(game(1, 1) + game(2, 2) + BROKEN.format(1) + game(2, 2))

    (only,) = load_sets(file)

    assert only.numbers == (1, 2)
    assert [bad.line for bad in only.problems] == [7]


def test_boards_that_are_wrong_are_listed_and_the_others_can_be_dealt(file: Path) -> None:
    doubled = deal(2).hands_as_pbn().split()
    doubled[1] = doubled[2]
    file.write_text(game(1, 1) + f'[Board "2"]\n[Deal "{" ".join(doubled)}"]\n\n' + game(3, 3))

    deals = load_deals(file)

    assert deals.numbers == (1, 3)
    (problem,) = deals.problems
    assert (problem.board, problem.line) == ("2", 4)
    assert "twice" in str(problem)


def test_a_file_without_any_board_that_can_be_dealt_is_refused(file: Path) -> None:
    file.write_text(BROKEN.format(4) + BROKEN.format(5))

    with pytest.raises(BadDeal, match=r"can be dealt \(2 records are wrong\)\. Board 4, line 1: "):
        load_deals(file)
    assert len(read_records(file)) == 2


def test_deals_without_any_number_need_the_number_of_the_first(file: Path) -> None:
    file.write_text("".join(f'[Deal "{deal(seed).hands_as_pbn()}"]\n\n' for seed in (1, 2, 3)))

    with pytest.raises(BadDeal, match="no board numbers") as caught:
        load_deals(file)
    assert "first_board" in caught.value.hint
    deals = load_deals(file, first_board=17)
    assert deals.numbers == (17, 18, 19)
    assert deals.notes == ("The file has no board numbers: its first board is number 17, as you said.",)


def test_an_overview_numbers_such_deals_by_their_place(file: Path) -> None:
    file.write_text("".join(f'[Deal "{deal(seed).hands_as_pbn()}"]\n\n' for seed in (1, 2, 3)))

    (deals,) = load_sets(file)

    assert deals.numbers == (1, 2, 3)
    assert "numbered 1, 2, 3" in deals.notes[0]


def test_a_deal_without_number_among_numbered_ones_is_a_problem(file: Path) -> None:
    file.write_text(game(1, 1) + f'[Deal "{deal(2).hands_as_pbn()}"]\n\n' + game(3, 3))

    deals = load_deals(file)

    assert deals.numbers == (1, 3)
    assert [str(bad) for bad in deals.problems] == [
        "The record without a board number, line 4: it has no board number, while others have one."
    ]


def test_board_tags_that_a_blank_line_cut_off_from_their_deals_do_not_number_them(file: Path) -> None:
    file.write_text(game(4, 1).replace("\n", "\n\n"))

    with pytest.raises(BadDeal, match="no board number"):
        load_deals(file)


@pytest.mark.parametrize("text", ["0", "1A", "B2", "3-4", "-1", "1.5", "٣", "9" * 5000])
def test_a_label_that_is_no_number_is_a_problem(file: Path, text: str) -> None:
    file.write_text(game(7, 1) + game(text, 2), encoding="utf-8")

    deals = load_deals(file)

    assert deals.numbers == (7,)
    assert "is not a board number" in str(deals.problems[0])


@pytest.mark.parametrize(("text", "number"), [("01", 1), ("999", 999), ("1000", 1000), ("12345", 12345)])
def test_any_positive_number_is_a_board(file: Path, text: str, number: int) -> None:
    file.write_text(game(text, 2))

    assert load_deals(file).numbers == (number,)


def test_the_order_of_the_file_is_kept(file: Path) -> None:
    file.write_text(game(3, 3) + game(1, 1) + game(2, 2))

    assert load_deals(file).numbers == (3, 1, 2)


def test_an_unusual_dealer_is_kept_and_noted(file: Path) -> None:
    file.write_text('[Dealer "W"]\n[Vulnerable "All"]\n' + game(1, 1) + game(2, 2))

    deals = load_deals(file)

    assert [board.dealer for board in deals] == [Seat.WEST, None]
    assert "Board 1: not the dealer and vulnerability that Law 2 gives; the file's are kept." in deals.notes


def test_a_second_table_with_another_dealer_is_noted_and_the_first_is_kept(file: Path) -> None:
    file.write_text(game(1, 1) + '[Dealer "N"]\n' + game(1, 1) + '[Dealer "S"]\n' + game(1, 1))

    deals = load_deals(file)

    assert [board.dealer for board in deals] == [Seat.NORTH]
    assert "Board 1: another dealer or vulnerability further on; the first is kept." in deals.notes


def test_a_board_number_without_hands_at_the_end_of_a_cut_file_is_reported(file: Path) -> None:
    file.write_text(game(1, 1) + '[Board "2"]\n[Dealer "E"]\n')

    deals = load_deals(file)

    assert [str(bad) for bad in deals.problems] == ["Board 2, line 4: the file gives no hands for it."]


def test_a_file_that_is_not_there_is_refused_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="no such file") as caught:
        load_deals(tmp_path / "none.pbn")
    assert caught.value.path == str(tmp_path / "none.pbn")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="folder"):
        load_deals(tmp_path)


def test_a_path_that_no_system_has_is_refused() -> None:
    with pytest.raises(UnknownFormat, match="cannot be read"):
        load_deals("a\x00b")


def test_a_file_that_may_not_be_read_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    file.write_text(game(1, 1))
    monkeypatch.setattr(loader, "open", refuse, raising=False)

    with pytest.raises(UnknownFormat, match="not allowed"):
        load_deals(file)


def test_a_file_that_is_far_too_large_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(game(1, 1))
    monkeypatch.setattr(loader, "LARGEST_FILE", 20)

    with pytest.raises(UnknownFormat, match="64 MiB"):
        load_deals(file)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\r\n \x00\x1a", "empty"),
        (b"%PDF-1.7 ...", "PDF"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "Word or Excel"),
        (b"<!DOCTYPE html><p>Results", "web page"),
        (b"Rar!\x1a\x07", "RAR"),
        (b"\x89PNG\r\n", "picture"),
        (b"\x00\x01\x00\x00Standard Jet DB\x00", "Bridgemate database"),
        (b"x" * 14_000, "no deal format"),
        (b"Dear all, the hands are attached.", "no deal format"),
    ],
)
def test_content_that_is_no_deal_file_is_named(file: Path, content: bytes, words: str) -> None:
    file.write_bytes(content)

    with pytest.raises(UnknownFormat, match=words) as caught:
        load_deals(file)
    assert caught.value.hint.startswith("Nothing was dealt.")


def test_a_file_that_is_still_being_written_is_refused(file: Path, mocker: MockerFixture) -> None:
    file.write_text(game(1, 1))
    there, fuller = (os.stat_result((0o100600, 1, 1, 1, 0, 0, size, 0, 0, 0)) for size in (100, 200))
    mocker.patch("driver.deals.loader.os", fstat=mocker.Mock(side_effect=[there, fuller]))

    with pytest.raises(UnknownFormat, match="changed while it was read") as caught:
        load_deals(file)
    assert "Wait" in caught.value.hint


def test_an_office_document_is_named(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "hands")

    with pytest.raises(UnknownFormat, match="Word document") as caught:
        load_deals(file)
    assert caught.value.path == str(file)


def test_pbn_without_a_deal_is_refused(file: Path) -> None:
    file.write_text('% PBN 2.1\n[Event "Tuesday"]\n')

    with pytest.raises(BadSyntax, match="PBN, but there is no deal") as caught:
        load_deals(file)
    assert caught.value.path == str(file)
    with pytest.raises(BadSyntax):
        read_records(file)


def test_text_pages_alone_are_no_deals(file: Path) -> None:
    file.write_text('[Board ""]\n[Deal ""]\n')

    with pytest.raises(BadSyntax, match="no deal with hands"):
        load_deals(file)
    assert len(read_records(file)) == 1


def test_more_records_than_any_job_needs_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driver.deals.formats.pbn.MOST_RECORDS", 3)
    file.write_text('[Deal ""]\n' * 4)

    with pytest.raises(BadSyntax, match="more than 3 records") as caught:
        load_deals(file)
    assert (caught.value.path, caught.value.line) == (str(file), 4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300) | st.text(alphabet='[]{};"%\\#\n AKQ2.-:NDealBord1', max_size=200).map(str.encode))
def test_any_bytes_are_a_deal_set_or_a_deal_file_error(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    try:
        assert load_deals(file).boards
    except DealFileError as refusal:
        path = refusal.path
    else:
        return
    assert path == str(file)
