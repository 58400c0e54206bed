"""DLM: the range that is meant, letters and check figures, what is missing or changed; the writer.

Read next: `driver/deals/formats/dlm.py`.
"""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import dlm
from driver.deals.model import BoardDeal, DealSet
from driver.deals.records import Confidence, Contents, Record
from driver.errors import BadDeal, BadSyntax, CannotBeWritten
from protocol.cards import Seat
from tests.support.deal_sets import (
    DEAL_A,
    as_read,
    as_written,
    damaged,
    deal,
    deal_of,
    deal_set,
    read_or_refuse,
    rows_of_boards,
    shown,
)

LETTERS_A = "mjnjgijlljdefhmjaappcfkdmi"
QUOTED = "cgcajjjnakpkchipnjhmbmbpbh"
OTHER = "jlifaelnecgmoldfjmcflinlap"
FILLER = "aaaaaabffffffkkkkkklpppppp"
ALTERED = "the check figure does not fit: somebody changed or mistyped the board"


def head(first: int, last: int, **changes: str) -> str:
    """The head of a file, with a check figure that fits, unless changes are given (underlines stand for blanks)."""
    values = {
        "Headline": "Club",
        "Status": "Show",
        "Duplicates": "1",
        "From board": str(first),
        "To board": str(last),
        "Crypto key": "0",
        "Checksum": f"{1 ^ first ^ last ^ 1:03d}",
    }
    values.update({name.replace("_", " "): value for name, value in changes.items()})
    return "[Document]\n" + "".join(f"{name}={value}\n" for name, value in values.items())


def line(board: int, letters: str = FILLER, figure: str | None = None) -> str:
    """The line of a board, with the check figure of the page: number and letters by exclusive or."""
    if figure is None:
        value = board
        for letter in letters:
            value ^= ord(letter)
        figure = f"{value:03d}"
    return f"Board {board:02d}={letters}{figure}\n"


FILE = head(1, 2) + line(1, LETTERS_A) + line(2, QUOTED) + "".join(line(board) for board in range(3, 100))


def read(text: str) -> Contents:
    return dlm.read(text.encode())


def one(text: str) -> Record:
    (record,) = read(text).records
    return record


def test_the_worked_deal_is_read_from_its_letters_and_its_check_figure_is_10() -> None:
    record = one(head(1, 1) + f"Board 01={LETTERS_A}010\n")

    assert shown(record) == DEAL_A
    assert (record.board, record.line, record.by_offset) == ("1", 9, False)
    assert (record.dealer, record.vulnerability, record.event) == (None, None, "Club")


@pytest.mark.parametrize(("board", "value"), [(1, f"{OTHER}023"), (1, f"{QUOTED}022"), (99, f"{FILLER}109")])
def test_a_check_figure_fits_one_number_only(board: int, value: str) -> None:
    fitting = [number for number in range(1, 100) if not one(head(number, number) + f"Board {number}={value}\n").faults]

    assert fitting == [board]


def test_only_the_boards_of_the_range_are_read() -> None:
    contents = read(FILE)

    assert [record.board for record in contents.records] == ["1", "2"]
    assert (contents.notes, contents.strays, contents.by_place) == ((), (), False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(FILE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(FILE.replace("\n", "\r"), id="CR"),
        pytest.param(FILE.replace("[Document]", "[DOCUMENT]"), id="the vendor's capitals"),
        pytest.param(FILE.upper(), id="everything in capitals"),
        pytest.param(FILE.lower(), id="everything in lower case"),
        pytest.param(FILE.replace("=", " = ").replace("\n", "  \n  "), id="blanks around"),
        pytest.param(FILE.replace("Board 01", "Board 1"), id="a number without its zero"),
        pytest.param(FILE + "\x1a", id="Ctrl-Z at the end"),
        pytest.param("\n; a line\n" + FILE.replace("Status", "Dealing method=1\nnonsense\nStatus"), id="other lines"),
        pytest.param(FILE + "[STARTUP]\nFrom board=5\nBoard 01=x\nStatistics=1\n", id="other sections"),
        pytest.param(FILE + line(1, LETTERS_A), id="the same board again"),
        pytest.param("[Document]\n" + "\n".join(reversed(FILE.splitlines()[1:])), id="another order of lines"),
        pytest.param(FILE.replace("[Document]\n", ""), id="no section"),
    ],
)
def test_a_file_is_read_the_same_in_every_way_of_writing_it(text: str) -> None:
    contents = read(text)

    assert [record.board for record in contents.records] == ["1", "2"]
    assert shown(contents.records[0]) == DEAL_A
    assert [record.faults for record in contents.records] == [(), ()]
    assert contents.notes == ()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(codecs.BOM_UTF8 + FILE.encode(), id="UTF-8 with its mark"),
        pytest.param(FILE.encode("utf-16"), id="UTF-16"),
        pytest.param(FILE.replace("Club", "Liège").encode("cp1252"), id="CP1252"),
    ],
)
def test_every_encoding_is_read_and_recognised(data: bytes) -> None:
    assert dlm.recognise(data) is Confidence.SURE
    assert shown(dlm.read(data).records[0]) == DEAL_A


@pytest.mark.parametrize(
    ("letters", "figure", "faults"),
    [
        (LETTERS_A, "011", (ALTERED,)),
        (LETTERS_A, "0010", (ALTERED,)),
        ("a" + LETTERS_A[1:], "010", (ALTERED, "North has 14 cards", "West has 12 cards")),
        ("q" + LETTERS_A[1:], None, ('"q" is none of the letters a to p',)),
        ("é" + LETTERS_A[1:], "010", ('"é" is none of the letters a to p',)),
        ("\x07" + LETTERS_A[1:], "010", ("an unreadable letter",)),
        (LETTERS_A[1:], None, ("the line has 25 letters instead of 26",)),
        (LETTERS_A + "a", None, ("the line has 27 letters instead of 26",)),
        ("", "010", ("the line is not 26 letters and a check figure",)),
        (LETTERS_A[:5] + "0" + LETTERS_A[5:], "010", ("the line is not 26 letters and a check figure",)),
        ("a" + LETTERS_A[1:], None, ("North has 14 cards", "West has 12 cards")),
    ],
)
def test_a_board_that_is_no_deal_or_was_changed_is_wrong(
    letters: str, figure: str | None, faults: tuple[str, ...]
) -> None:
    contents = read(head(1, 2) + line(1, letters, figure) + line(2))

    assert contents.records[0].deal is None
    assert contents.records[0].faults == faults
    assert contents.records[1].faults == ()


@given(st.integers(0, 25), st.sampled_from("abcdefghijklmnop"))
def test_a_single_wrong_letter_is_always_caught(place: int, letter: str) -> None:
    mistyped = LETTERS_A[:place] + letter + LETTERS_A[place + 1 :]
    record = one(head(1, 1) + line(1, mistyped, "010"))

    assert (record.deal is None) == (mistyped != LETTERS_A)


def test_a_board_that_is_missing_inside_the_range_is_wrong_alone() -> None:
    contents = read("\n" + head(1, 3) + line(1, LETTERS_A) + line(3))

    assert [(record.board, record.faults) for record in contents.records] == [
        ("1", ()),
        ("2", ("the file has no cards for it",)),
        ("3", ()),
    ]
    assert contents.records[1].line == 2


def test_a_board_that_is_there_twice_with_different_cards_is_wrong() -> None:
    record = one(head(1, 1) + line(1, LETTERS_A) + line(1, QUOTED))

    assert (record.deal, record.faults) == (None, ("it is in the file twice with different cards",))


def test_boards_without_check_figures_are_read_with_one_note() -> None:
    contents = read(head(1, 3) + line(1, LETTERS_A, "") + line(2) + line(3, figure=""))

    assert [record.faults for record in contents.records] == [(), (), ()]
    assert contents.notes == ("Boards 1, 3: without a check figure, so that nothing shows a mistyped board.",)


@pytest.mark.parametrize(
    ("first", "last", "changes"),
    [
        pytest.param(1, 24, {"Checksum": "025"}, id="vendor, board 1 to 24"),
        pytest.param(1, 2, {"Checksum": "3"}, id="Big Deal 1.2, without leading zeros"),
        pytest.param(17, 32, {"Checksum": "48", "Duplicates": "0"}, id="Big Deal 2.0, no copies"),
        pytest.param(17, 32, {"Checksum": "49", "Duplicates": "0", "Status": "Sealed"}, id="sealed"),
        pytest.param(17, 32, {"Checksum": "17"}, id="the number of boards instead of the range"),
    ],
)
def test_the_check_figure_of_the_head_fits_as_each_program_writes_it(
    first: int, last: int, changes: dict[str, str]
) -> None:
    if changes.get("Status") == "Sealed":
        changes = {**changes, "Checksum": str(0 ^ first ^ last ^ 0)}
    boards = "".join(line(board) for board in range(1, 100))

    assert read(head(first, last, **changes) + boards).notes == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"Checksum": "1"}, "The check figure at the head of the file does not fit"),
        ({"Checksum": "x"}, "The check figure at the head of the file does not fit"),
        ({"Checksum": ""}, "The head of the file has no check figure."),
        ({"Duplicates": "3", "Checksum": "1"}, "The file asks for 3 copies of each board."),
    ],
)
def test_what_a_person_should_know_about_the_head_is_a_note(changes: dict[str, str], words: str) -> None:
    contents = read(head(1, 2, **changes) + line(1) + line(2))

    assert [record.faults for record in contents.records] == [(), ()]
    (note,) = contents.notes
    assert words in note


@pytest.mark.parametrize(
    ("first", "last"),
    [("", "3"), ("1", ""), ("x", "3"), ("0", "3"), ("3", "1"), ("1", "100"), ("1", "9999999"), ("-1", "3"), ("²", "3")],
)
def test_a_range_that_is_missing_or_impossible_is_refused(first: str, last: str) -> None:
    with pytest.raises(BadSyntax) as caught:
        read("\n" + head(1, 2, From_board=first, To_board=last) + line(1))
    assert caught.value.line == 2


@pytest.mark.parametrize("key", ["1", "4711", "secret", "-1"])
def test_deals_that_are_locked_with_a_key_are_refused_with_a_way_out(key: str) -> None:
    with pytest.raises(BadDeal, match="locked with a key") as caught:
        read(head(1, 1, Crypto_key=key) + line(1, LETTERS_A))
    assert "without a key" in (caught.value.hint or "")


@pytest.mark.parametrize("key", ["", "0", "000"])
def test_no_key_is_no_key(key: str) -> None:
    assert shown(one(head(1, 1, Crypto_key=key) + line(1, LETTERS_A))) == DEAL_A


def test_joined_files_give_the_boards_of_each() -> None:
    contents = read(head(1, 1) + line(1, LETTERS_A) + line(2) + head(17, 18, Headline="B") + line(17) + line(18))

    assert [(record.board, record.event) for record in contents.records] == [("1", "Club"), ("17", "B"), ("18", "B")]


def test_a_headline_is_one_short_line_without_control_signs() -> None:
    assert one(head(1, 1, Headline="\x1b[2J" + "x" * 5000) + line(1, LETTERS_A)).event == "[2J" + "x" * 196


@pytest.mark.parametrize(
    ("data", "confidence"),
    [
        pytest.param(FILE.encode(), Confidence.SURE, id="a file"),
        pytest.param(head(1, 2).encode(), Confidence.SURE, id="a head alone"),
        pytest.param(line(1).encode(), Confidence.PERHAPS, id="boards alone"),
        pytest.param(b"[Document]\nTitle=x\n", Confidence.NO, id="another document"),
        pytest.param(b"Board 1=see below\n", Confidence.NO, id="a text"),
        pytest.param(b'[Board "1"]\n[Deal "N:..."]\n', Confidence.NO, id="PBN"),
        pytest.param(b"", Confidence.NO, id="nothing"),
    ],
)
def test_dlm_is_recognised_by_its_content(data: bytes, confidence: Confidence) -> None:
    assert dlm.recognise(data) is confidence


def test_many_documents_and_lines_are_refused_and_notes_are_few() -> None:
    with pytest.raises(BadSyntax, match="more than 100000 records"):
        read("[document]\nfrom board=1\nto board=99\n" * 1100)
    with pytest.raises(BadSyntax, match="more than 1000000 lines"):
        read("=\n" * 1_000_001)
    many = "".join(head(1, 1, Duplicates=str(copies), Checksum=str(copies ^ 1)) for copies in range(2, 60))
    assert len(read(many).notes) == 20


@given(rows_of_boards(lowest=1, highest=99))
def test_what_is_written_as_dlm_is_read_again(deals: DealSet) -> None:
    contents = dlm.read(dlm.write(deals))

    assert as_read(contents) == as_written(deals)
    assert (contents.notes, contents.by_place) == ((), False)


def test_a_written_file_has_the_range_all_99_boards_and_check_figures_of_three_digits() -> None:
    deals = DealSet(name="x", path=None, boards=(BoardDeal(17, deal_of(DEAL_A)), BoardDeal(18, deal(1))), event="Cup é")
    data = dlm.write(deals)
    lines = data.decode("cp1252").split("\r\n")

    assert data.count(b"\n") == data.count(b"\r\n") == len(lines) - 1
    assert lines[:10] == [
        "[Document]",
        "Headline=Cup é",
        "Status=Show",
        "Duplicates=1",
        "From board=17",
        "To board=18",
        "Next board to duplimate=0",
        "PrintOuts=0",
        "Crypto key=0",
        "Checksum=003",
    ]
    assert f"Board 17={LETTERS_A}026" in lines
    assert f"Board 99={FILLER}109" in lines
    assert [text for text in lines if text.startswith("Board ")] == sorted(
        text for text in lines if text.startswith("Board ")
    )
    assert len([text for text in lines if text.startswith("Board ")]) == 99
    assert len([text for text in lines if text.startswith("Duplicates ")]) == 99


def test_the_event_of_a_set_is_the_headline() -> None:
    for event, read_back in [("Open Pairs", "Open Pairs"), ("Łódź\nBoard 01=x", "?ód?Board 01=x")]:
        assert dlm.read(dlm.write(deal_set((1,), event))).records[0].event == read_back


@pytest.mark.parametrize(
    ("boards", "words"),
    [
        ((), "no board to write"),
        ((1, 2, 4), "no gaps between its boards, and the set has 1, 2, 4 only"),
        (range(97, 102), r"^Boards 100, 101: DLM has numbers up to 99 only"),
    ],
)
def test_what_dlm_has_no_room_for_is_refused(boards: tuple[int, ...], words: str) -> None:
    with pytest.raises(CannotBeWritten, match=words):
        dlm.write(deal_set(boards))


def test_an_order_that_is_not_by_number_and_unusual_markings_are_named_as_lost() -> None:
    assert dlm.losses(deal_set((3, 1, 2)))[0].startswith("DLM has the boards in the order of their numbers")
    assert dlm.losses(deal_set(range(17, 33))) == ()
    odd = DealSet(name="x", path=None, boards=(BoardDeal(1, deal(1), Seat.WEST),))
    assert dlm.losses(odd)[0].startswith("Board 1: DLM has no place for dealer")


@given(st.binary(max_size=400) | damaged((head(1, 3) + line(1, LETTERS_A) + line(2, QUOTED) + line(3)).encode()))
def test_any_bytes_give_deals_or_reasons(data: bytes) -> None:
    dlm.recognise(data)
    read_or_refuse(dlm.read, data)
