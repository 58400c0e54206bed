"""BRI, DGE, DUP and DLM files with something nasty in them, read as the surest format: what becomes of each.

Also what holds for all formats by number at once: none takes another's files, reading is linear, no record shows cards.
Read next: `driver/deals/formats/registry.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.formats import ber, bhg, bri, dge, dlm, dup, kops
from driver.deals.formats.registry import READERS
from driver.deals.records import Confidence, Contents
from driver.errors import BadSyntax, DealFileError
from protocol.cards import Seat
from tests.support.deal_sets import deal, deal_set

THREE = deal_set((1, 2, 3))
BRI = bri.write(THREE)
DGE = dge.write(THREE)
DUP = dup.write(THREE)
DLM = dlm.write(THREE)
LINES = [BRI[place : place + 78] for place in (0, 128, 256)]
BREAKS_OFF = "the file breaks off inside the record"
CUT_AFTER_CARDS = "The last record breaks off after its cards; the deal is whole and was taken."


def owners_of(board: int) -> tuple[Seat, ...]:
    return deal(board).owners


def owner_bytes(board: int, turn: int) -> bytes:
    owners = owners_of(board)
    return bytes(
        sum((owners[13 * suit + rank] + turn) % 4 << (6 - 2 * suit) for suit in range(4)) for rank in range(13)
    )


def letters_of(board: int) -> bytes:
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    owners = owners_of(board)
    turns = [(board - 1 + turn) % 4 for turn in range(4)]
    return bytes(letters[card] for seat in turns for card in range(52) if owners[card] == seat)


FILES = {
    "BRI": BRI,
    "DGE": DGE,
    "DUP": DUP,
    "DLM": DLM,
    "RZD": b"\x03\x00" + b" " * 11 + b"".join(owner_bytes(board, 0) for board in (1, 2, 3)),
    "CDS": b"".join(bytes((board,)) + owner_bytes(board, 1) for board in (1, 2, 3)),
    "BER": b"".join(bytes(b"1234"[owner] for owner in owners_of(board)) for board in (1, 2, 3)),
    "BHG": b"\n" + b"".join(letters_of(board) + b"\n" for board in (1, 2, 3)),
}


def contents_of(data: bytes) -> Contents:
    """What the surest reader finds."""
    reader = max(READERS, key=lambda candidate: candidate.recognise(data))
    assert reader.recognise(data) is not Confidence.NO
    return reader.read(data)


def faults(contents: Contents) -> list[tuple[str, ...]]:
    return [record.faults for record in contents.records]


def deals_are_whole(contents: Contents) -> bool:
    return [record.deal for record in contents.records] == [deal(1), deal(2), deal(3)]


@pytest.mark.parametrize("data", [BRI[: 256 + 100], DGE[: 256 + 100], DUP[:-8]], ids=["BRI", "DGE", "DUP"])
def test_last_record_cut_after_the_cards_is_accepted_with_a_note(data: bytes) -> None:
    contents = contents_of(data)

    assert deals_are_whole(contents)
    assert contents.notes == (CUT_AFTER_CARDS,)


@pytest.mark.parametrize(
    ("data", "place"),
    [(BRI[: 256 + 40], 256), (DGE[: 256 + 40], 256), (DUP[: 312 + 40], 312)],
    ids=["BRI", "DGE", "DUP"],
)
def test_last_record_cut_inside_the_cards_is_dropped_and_reported(data: bytes, place: int) -> None:
    contents = contents_of(data)

    assert faults(contents) == [(), (), (BREAKS_OFF,)]
    assert contents.records[2].line == place


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_ctrl_z_at_the_end_is_dropped(data: bytes) -> None:
    contents = contents_of(data + b"\x1a")

    assert deals_are_whole(contents)
    assert [note for note in contents.notes if "board 1" not in note] == []


def test_bri_with_78_figures_a_line_is_accepted_and_named() -> None:
    contents = contents_of(b"\r\n".join(LINES) + b"\r\n")

    assert deals_are_whole(contents)
    assert "rare form of BRI with a line of 78 figures" in contents.notes[0]


def test_bri_without_padding_is_not_guessed() -> None:
    with pytest.raises(BadSyntax, match="another layout"):
        contents_of(b"".join(LINES))


def test_bri_with_card_53_is_rejected_with_its_number() -> None:
    assert faults(contents_of(b"53" + BRI[2:])) == [("number 53 is no card",), (), ()]


def test_bri_with_card_00_is_rejected_with_its_number() -> None:
    assert faults(contents_of(b"00" + BRI[2:])) == [("number 0 is no card",), (), ()]


def test_bri_with_a_card_twice_is_rejected_and_the_card_named() -> None:
    contents = contents_of(BRI[2:4] + BRI[2:])

    (fault,) = contents.records[0].faults
    assert fault.endswith(" twice")
    assert not any(seat.name.lower() in fault.lower() for seat in Seat)
    assert faults(contents)[1:] == [(), ()]


def test_dup_without_a_range_is_accepted_and_its_numbers_are_asked_for() -> None:
    blank = b"".join(DUP[place : place + 146] + b"\x00" * 10 for place in range(0, len(DUP), 156))
    contents = contents_of(blank)

    assert deals_are_whole(contents)
    assert contents.by_place


def test_dup_whose_two_forms_of_a_deal_differ_loses_that_board() -> None:
    other = dup.write(deal_set((7,)))
    contents = contents_of(DUP[:78] + other[78:146] + DUP[146:])

    assert faults(contents) == [("the file holds the deal twice, and the two do not agree",), (), ()]


def test_dup_with_blank_suit_signs_is_accepted() -> None:
    assert deals_are_whole(contents_of(DUP[:78] + b" " * 68 + DUP[146:]))


def test_dup_with_flags_in_lower_case_is_accepted() -> None:
    contents = contents_of(DUP.replace(b"YN1", b"yn1"))

    assert deals_are_whole(contents)
    assert not contents.by_place


@pytest.mark.parametrize(
    "data", [DLM.replace(b"[Document]", b"[DOCUMENT]"), b"\xef\xbb\xbf" + DLM], ids=["vendor", "byte order mark"]
)
def test_dlm_of_the_vendor_or_with_a_byte_order_mark_is_accepted(data: bytes) -> None:
    assert deals_are_whole(contents_of(data))


def test_dlm_with_a_wrong_check_figure_loses_that_board() -> None:
    at = DLM.index(b"Board 02=") + 9 + 26
    contents = contents_of(DLM[:at] + b"%03d" % (int(DLM[at : at + 3]) ^ 1) + DLM[at + 3 :])

    reason = "the check figure does not fit: somebody changed or mistyped the board"
    assert faults(contents) == [(), (reason,), ()]


def test_dlm_with_the_letter_q_loses_that_board() -> None:
    at = DLM.index(b"Board 02=") + 9

    assert faults(contents_of(DLM[:at] + b"q" + DLM[at + 1 :])) == [(), ('"q" is none of the letters a to p',), ()]


def test_dlm_in_capitals_is_accepted() -> None:
    assert deals_are_whole(contents_of(DLM.upper()))


def test_dlm_without_a_board_of_its_range_reports_it() -> None:
    contents = contents_of(DLM.replace(b"Board 02=", b"Board x2="))

    assert [(record.board, record.faults) for record in contents.records] == [
        ("1", ()),
        ("2", ("the file has no cards for it",)),
        ("3", ()),
    ]


def test_dlm_without_check_figures_is_accepted_with_a_warning() -> None:
    lines = DLM.decode().split("\r\n")
    bare = "\r\n".join(line[: len("Board 01=") + 26] if line.startswith("Board ") else line for line in lines)

    contents = contents_of(bare.encode())
    assert deals_are_whole(contents)
    assert contents.notes == ("Boards 1-3: without a check figure, so that nothing shows a mistyped board.",)


def test_dlm_with_14_and_12_cards_is_rejected() -> None:
    # North has all spades but one in the dummy deal; `b` in the first place makes it one less.
    letters = "baaaaabffffffkkkkkklpppppp"
    value = 1
    for letter in letters:
        value ^= ord(letter)
    data = (
        f"[Document]\nDuplicates=1\nStatus=Show\nFrom board=1\nTo board=1\nChecksum=0\nBoard 01={letters}{value:03d}\n"
    )

    contents = contents_of(data.encode())
    assert faults(contents) == [("North has 12 cards", "East has 14 cards")]


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_surely_of_its_own_format_and_of_no_other(name: str) -> None:
    found = {reader.name: reader.recognise(FILES[name]) for reader in READERS}

    assert found.pop(name) is Confidence.SURE
    assert set(found.values()) == {Confidence.NO}
    assert deals_are_whole(contents_of(FILES[name]))


@given(st.binary(max_size=1000) | st.text(max_size=500).map(str.encode))
def test_random_bytes_and_texts_are_of_no_format_by_number(data: bytes) -> None:
    assert {reader.recognise(data) for reader in READERS if reader.name in FILES} == {Confidence.NO}


@pytest.mark.parametrize("name", FILES)
def test_no_record_and_no_note_shows_a_hand(name: str) -> None:
    contents = contents_of(FILES[name])
    hands = [hand for seed in (1, 2, 3) for hand in deal(seed).hands_as_pbn()[2:].split()]

    assert not any(hand in repr(contents) for hand in hands)


def work_of(read: Callable[[bytes], Contents], data: bytes) -> int:
    """How many functions are called while `data` is read."""
    calls = 0

    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read(data)
    except DealFileError:
        pass
    finally:
        sys.setprofile(before)
    return calls


def many(name: str, times: int) -> bytes:
    """A file of the format that is `times` as long."""
    if name == "RZD":
        return (3 * times).to_bytes(2, "little") + FILES[name][2:13] + FILES[name][13:] * times
    if name == "BHG":
        return b"\n" + FILES[name][1:] * times
    return FILES[name] * times


@pytest.mark.parametrize("name", FILES)
def test_reading_twice_as_much_is_twice_the_work(name: str) -> None:
    reader = next(reader for reader in READERS if reader.name == name)
    once, twice = (work_of(reader.read, many(name, times)) for times in (20, 40))

    assert once < twice < 2.2 * once


@pytest.mark.parametrize(
    ("read", "piece"),
    [
        pytest.param(bri.read, b"0" * 128, id="BRI, zeros"),
        pytest.param(bri.read, b"9" * 78 + b"\n", id="BRI in lines"),
        pytest.param(dge.read, b"\x06" * 128, id="DGE, suit signs"),
        pytest.param(dup.read, b" " * 155 + b"Y", id="DUP, blanks"),
        pytest.param(dlm.read, b"[document]\nfrom board=1\nto board=2\n", id="DLM, many documents"),
        pytest.param(dlm.read, b"board 1=a\n", id="DLM, a board many times"),
        pytest.param(dlm.read, b"= [", id="DLM, one long line"),
        pytest.param(kops.read_cds, b"\xff" * 14, id="CDS"),
        pytest.param(ber.read, b"5" * 52, id="BER"),
        pytest.param(bhg.read, b"\n", id="BHG, empty lines"),
        pytest.param(bhg.read, b"x", id="BHG, one long line"),
    ],
)
def test_hostile_bytes_twice_as_long_are_at_most_twice_the_work(
    read: Callable[[bytes], Contents], piece: bytes
) -> None:
    once, twice = (work_of(read, piece * times) for times in (300, 600))

    assert twice < 2.2 * once + 20
