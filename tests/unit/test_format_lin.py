"""LIN: files of Bridge Base and of dealing programs, matches with two rooms, addresses of a hand viewer; the writer.

Read next: `driver/deals/formats/lin.py`, `driver/deals/formats/lin_text.py`, `driver/deals/formats/lin_export.py`.
"""

from __future__ import annotations

import codecs
from urllib.parse import quote

import pytest
from hypothesis import given

from driver.deals.formats import lin, lin_export
from driver.deals.model import BoardDeal, Deal
from driver.deals.records import Confidence, Record, Remark
from driver.errors import BadSyntax, CannotBeWritten
from protocol.cards import Seat
from tests.unit.deal_texts import (
    EAST,
    HANDS,
    LIN_HANDS,
    LIN_OTHER,
    NORTH,
    OTHER,
    SOUTH,
    WEST,
    as_read,
    as_written,
    boards,
    lettered,
    set_of,
    shown,
)

THREE = LIN_HANDS.rpartition(",")[0]
SINGLE = f"pn|a,b,c,d|st||md|1{THREE},|rh||ah|Board 15|sv|n|mb|p|mb|1H|an|two suits|pg||pc|H4|pg||\n"


def records(text: str | bytes) -> tuple[Record, ...]:
    return lin.read(text.encode() if isinstance(text, str) else text).records


def one(text: str | bytes) -> Record:
    (record,) = records(text)
    return record


def sides(record: Record) -> str | None:
    return None if record.vulnerability is None else record.vulnerability.text


def of_deal(value: str) -> Record:
    """The record of a file with this `md` alone."""
    return one(f"md|{value}|")


def numbers(text: str) -> list[int | None]:
    return [record.number for record in records(text)]


def test_a_single_hand_gives_board_dealer_vulnerability_and_all_four_hands() -> None:
    record = one(SINGLE)

    assert (record.line, record.board, record.dealer, record.room, record.remarks) == (1, "15", Seat.SOUTH, "", ())
    assert sides(record) == "NS"
    assert (shown(record), record.faults) == (HANDS, ())
    assert record.hands is not None
    assert [len(hand or ()) for hand in record.hands] == [13] * 4


@pytest.mark.parametrize(
    ("digit", "dealer"), [("1", Seat.SOUTH), ("2", Seat.WEST), ("3", Seat.NORTH), ("4", Seat.EAST)]
)
def test_the_digit_is_the_dealer_and_never_the_first_hand(digit: str, dealer: Seat) -> None:
    record = of_deal(digit + LIN_HANDS)

    assert (record.dealer, shown(record), record.remarks) == (dealer, HANDS, ())


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        *(("o", "None"), ("0", "None"), ("-", "None"), ("n", "NS"), ("N", "NS"), ("e", "EW"), ("b", "All")),
        *((" b ", "All"), ("NS", "NS"), ("both", "All"), ("", None), ("x", None)),
    ],
)
def test_the_vulnerability_is_read_in_every_spelling(text: str, meaning: str | None) -> None:
    record = one(f"md|3{LIN_HANDS}|sv|{text}|")

    assert sides(record) == meaning
    assert record.remarks == ((Remark.VULNERABILITY_UNKNOWN,) if text == "x" else ())


def test_a_dealer_digit_above_four_is_none_and_noted() -> None:
    record = of_deal("7" + LIN_HANDS)

    assert (record.dealer, record.remarks, shown(record)) == (None, (Remark.DEALER_UNKNOWN,), HANDS)


@pytest.mark.parametrize(
    ("label", "board"),
    [
        *(("Board 7", "7"), ("Donne 7", "7"), ("Rozdanie 007 ", "007"), ("7", "7"), ("Board 7.", "7"), ("", "")),
        *(("Board 0", "0"), ("Board 7A", "Board 7A"), ("Match 3 Board 12", "12"), ("Board\n7", "7")),
        *(("7. El", "7"), ("第7副", "7"), ("Board 7 (final)", "7"), ("Match 3 Board 7A", "Match 3 Board 7A")),
        ("Board 12345678901234567890123", "45678901234567890123"),
    ],
)
def test_the_board_is_the_last_number_of_the_label_in_any_language(label: str, board: str) -> None:
    assert one(f"md|3{LIN_HANDS}|ah|{label}|").board == board


def test_a_label_that_is_no_board_number_gives_none() -> None:
    assert numbers(
        f"md|3{LIN_HANDS}|ah|Board 0|pg||md|3{LIN_OTHER}|ah|Final|pg||md|3{LIN_HANDS}|ah|Board 12345678901|"
    ) == [None, None, None]


def test_without_a_label_the_list_of_boards_counts_and_then_the_number_of_qx() -> None:
    deal, other = f"md|3{LIN_HANDS}|", f"md|3{LIN_OTHER}|"

    assert numbers(f"bn|33,34|pg||qx|o1|{deal}pg||qx|o2|{other}pg||qx|o3|{deal}") == [33, 34, 3]
    assert numbers(f"bn|33, 34|qx|o1|{deal}qx|c1|{deal}qx|o2|{other}qx|c2|{other}") == [33, 33, 34, 34]
    assert numbers(f"bn|5,6|qx|o1|{deal}qx|o1|{other}") == [5, 6]
    assert numbers(f"bn|5|qx|o1|{deal}bn|9|qx|o1|{other}") == [5, 9]
    assert numbers(f"bn|5|qx|o1|{deal}ah|Board 8|") == [8]
    assert numbers(f"bn|17,17,18,18|qx|o1|{deal}qx|c1|{deal}qx|o2|{other}qx|c2|{other}") == [17, 17, 18, 18]
    assert numbers(f"qx|o7|{deal}qx|9,BOARD 9|{other}qx|o011|{deal}") == [7, 9, 11]


def test_a_match_gives_both_rooms_with_its_name_and_its_lines() -> None:
    text = (
        "vg|Spring Cup,Final,I,1,2,A,0,B,0|\r\nrs|3NS=,2HW+1|\r\npn|a,b,c,d,e,f,g,h|pg||\r\n"
        f"qx|o1|st||md|3{LIN_HANDS}|sv|o|nt|x: http://x/handviewer.html?n=SA&e=SK good [Deal]\r\nmd is odd|pg||\r\n"
        f"qx|c1|md|3{LIN_HANDS}|sv|o|pg||\r\nqx|o2|md|4{LIN_OTHER}|sv|n|pg||\r\n"
    )

    found = records(text)

    assert [(record.room, record.number, record.line) for record in found] == [("o", 1, 4), ("c", 1, 6), ("o", 2, 7)]
    assert [shown(record) for record in found] == [HANDS, HANDS, OTHER]
    assert {record.event for record in found} == {"Spring Cup, Final"}


def test_boards_without_qx_begin_with_each_new_deal_wherever_the_label_stands() -> None:
    after = f"md|3{LIN_HANDS}|ah|Board 3|sv|e|pg||\nmd|4{LIN_OTHER}|ah|Board 4|sv|b|pg||\n"
    before = f"ah|Board 3|sv|e|md|3{LIN_HANDS}|pg||\nah|Board 4|sv|b|md|4{LIN_OTHER}|pg||\n"

    for text in (after, before, after.replace("md|", "pn|a,b,c,d|st||md|")):
        assert [(one.number, shown(one), one.line) for one in records(text)] == [(3, HANDS, 1), (4, OTHER, 2)]
        assert [sides(one) for one in records(text)] == ["EW", "All"]


def test_the_same_deal_again_is_a_repetition_unless_another_label_follows() -> None:
    deal = f"md|3{LIN_HANDS}|"

    assert numbers(f"qx|o1|{deal}ah|Board 33|{deal}pg||") == [33]
    assert numbers(f"{deal}ah|Board 1|{deal}ah|Board 2|") == [1, 2]
    assert [shown(one) for one in records(f"{deal}ah|Board 1|{deal}ah|Board 2|")] == [HANDS, HANDS]


def test_the_same_deal_again_without_qx_or_with_players_before_it_is_another_table() -> None:
    table = f"pn|a,b,c,d|st||md|3{LIN_HANDS}|rh||ah|Board 1|sv|o|mb|p|pg||"
    other = f"pn|a,b,c,d|st||md|4{LIN_OTHER}|rh||ah|Board 2|sv|n|mb|p|pg||"
    late = f"ah|Board 1|sv|o|md|3{LIN_HANDS}|pg||"

    assert numbers(table + table + other) == [1, 1, 2]
    assert numbers(f"qx|o1|{table}\n{table}\nqx|o2|{other}") == [1, 1, 2]
    assert numbers(f"md|3{LIN_HANDS}|ah|Board 1|" * 2) == [1, 1]
    assert numbers(late + late) == [1, 1]
    assert [sides(one) for one in records(late + late)] == ["None", "None"]


def test_another_deal_in_the_same_place_never_takes_the_counting_number_of_a_labelled_one() -> None:
    assert numbers(f"qx|o1|md|3{LIN_HANDS}|ah|Board 33|md|3{LIN_OTHER}|") == [33, None]
    assert numbers(f"qx|o1|md|3{LIN_HANDS}|md|3{LIN_OTHER}|") == [1, 1]


def test_a_numbered_board_without_hands_is_told() -> None:
    contents = lin.read(f"qx|o1|md|3{LIN_HANDS}|\nqx|o2|nt|not played|\nqx|Introduction|\nqx|3,PAGE|".encode())

    assert [record.board for record in contents.records] == ["1"]
    assert [(stray.line, stray.board) for stray in contents.strays] == [(2, "2")]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"qx|o1|md|3{LIN_HANDS}|ah|Board 5|", id="as it should be"),
        pytest.param(f"QX|o1|MD|3{LIN_HANDS}|AH|Board 5|", id="keys in capitals"),
        pytest.param(f" qx |o1|\n md |3{LIN_HANDS}|\tah |Board 5|", id="blanks around keys"),
        pytest.param(f"qx|o1|pg|\nmd|3{LIN_HANDS}|ah|Board 5|", id="a bar that was lost"),
        pytest.param(f"qx|o1|pg|||md|3{LIN_HANDS}|ah|Board 5|", id="a bar too many"),
        pytest.param(f"qx|o1|zz|1|7b|x|n#|y|md|3{LIN_HANDS}|ah|Board 5|", id="keys that nobody knows"),
        pytest.param(f"qx|o1|md|3{LIN_HANDS.replace(',', ',' + chr(10))}|ah|Board 5|", id="line ends in the value"),
        pytest.param(f"qx|o1|md|3{LIN_HANDS}|ah|Board 5", id="no bar at the end"),
        pytest.param(f"qx|o1|ah|Board 5|md|3{LIN_HANDS}", id="no bar after the deal"),
        pytest.param(f"an|qx|pc|md|ah|Board 5|md|3{LIN_HANDS}|", id="keys as values"),
        pytest.param(f"md|3{LIN_HANDS},,,|ah|Board 5|", id="commas at the end"),
        pytest.param(f"md|3{LIN_HANDS}|ah|Board 5|".replace("H74", "H 7 4"), id="blanks in a hand"),
        pytest.param(f"md|3{LIN_HANDS}|ah|Board 5|".replace("DTCQ983", "CQ983DT"), id="suits in another order"),
        pytest.param(f"md|3{LIN_HANDS}|ah|Board 5|\x1a\x00\x00", id="Ctrl-Z and NULs"),
        pytest.param(f"\ufeffmd|3{LIN_HANDS}|ah|Board 5|", id="a byte order mark"),
    ],
)
def test_fields_are_found_however_the_bars_stand(text: str) -> None:
    record = one(text)

    assert (record.number, shown(record)) == (5, HANDS)
    assert lin.recognise(text.encode()) is Confidence.SURE


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_names_in_any_encoding_never_cost_the_deal(encoding: str) -> None:
    data = f"vg|Coupe d’été,,|pn|Süd,West,Nord,Ost|md|3{LIN_HANDS}|".encode(encoding)

    assert lin.recognise(data) is Confidence.SURE
    assert (shown(one(data)), one(data).event) == (HANDS, "Coupe d’été")


def test_a_void_is_its_letter_alone_or_no_letter_or_a_dash() -> None:
    assert shown(of_deal("3" + LIN_OTHER)) == OTHER
    assert shown(of_deal("3" + ",".join("SHDC"[i] + "AKQJT98765432" for i in (2, 3, 0, 1)))) == OTHER
    assert shown(of_deal("3" + LIN_OTHER.replace("HD", "H-D"))) == OTHER


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param(LIN_HANDS.replace("CA65", "CK65"), "club king twice, club ace missing", id="a card twice"),
        pytest.param(THREE.replace("CA65", "CK65"), "club king twice", id="a card twice in three hands"),
        pytest.param(THREE.replace("CA65", "CA6"), "West has 12 cards", id="a card too few in three hands"),
        pytest.param(LIN_HANDS.replace("CA65", "CA6"), "club five missing", id="51 cards"),
        pytest.param(f",,{lettered(NORTH)},", "the hands of East, South and West are not given", id="one hand"),
        pytest.param(f"{lettered(SOUTH)},,{lettered(NORTH)}", "East and West are not given", id="two hands"),
        pytest.param(LIN_HANDS + ",SA", "5 hands instead of four", id="five hands"),
        pytest.param(LIN_HANDS.replace("CA65", "CAxx"), "small cards are written as x", id="small cards as x"),
        pytest.param(LIN_HANDS.replace("CA65", "CV65"), '"V" is not the rank of a card', id="a rank that is none"),
        pytest.param(LIN_HANDS.replace("CA65", "DA65"), "a hand that names a suit twice", id="a suit twice"),
        pytest.param("S" + "2" * 2000, "the deal is far too long", id="endless"),
        pytest.param("3", "there are no cards in it", id="a digit alone"),
        pytest.param("SHDC,SHDC,SHDC,", "there are no cards in it", id="letters alone"),
    ],
)
def test_what_is_no_deal_is_refused_with_the_reason(value: str, reason: str) -> None:
    record = of_deal(value)

    assert (record.deal, record.fill) == (None, None)
    assert reason in ", ".join(record.faults)
    assert "not given" not in ", ".join(record.faults) or "not given" in reason


def test_a_record_without_cards_is_blank() -> None:
    assert of_deal("").blank
    assert not of_deal(f"1{lettered(SOUTH)},,,").blank


HAND_VIEWER = "https://www.bridgebase.com/tools/handviewer.html?"
AS_PARTS = (
    f"n={lettered(NORTH).lower()}&e={lettered(EAST).lower()}&s={lettered(SOUTH)}&w={lettered(WEST)}&d=e&v=b&b=7&a=p1s"
)
AS_LIN = f"pn|a b,c & d,e,f|st||md|4{LIN_HANDS}|ah|Board 7|sv|b|mb|p|"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HAND_VIEWER + AS_PARTS, id="hands by seat"),
        pytest.param(HAND_VIEWER + AS_PARTS.replace("&", "&amp;"), id="as in a web page"),
        pytest.param(HAND_VIEWER + AS_PARTS.replace("=", "=%20").replace("T", "10"), id="percent signs and 10"),
        pytest.param(HAND_VIEWER + AS_PARTS.replace(f"&w={lettered(WEST)}", ""), id="three hands"),
        pytest.param(HAND_VIEWER + "lin=" + quote(AS_LIN), id="LIN, percent-encoded"),
        pytest.param(HAND_VIEWER + "bbo=y&lin=" + quote(AS_LIN) + "&p=1", id="LIN among other things"),
        pytest.param(HAND_VIEWER + "lin=" + AS_LIN, id="LIN, decoded by hand"),
        pytest.param(HAND_VIEWER + "lin=" + quote(quote(AS_LIN)), id="LIN, encoded twice"),
        pytest.param(f'<p>Home | News</p><a href="{HAND_VIEWER}lin={quote(AS_LIN)}">here</a>', id="in a web page"),
        pytest.param("https://x.org/show?lin=" + quote(AS_LIN), id="another page that takes LIN"),
    ],
)
def test_an_address_of_the_hand_viewer_is_read_in_every_form(text: str) -> None:
    record = one(text)

    assert (record.number, record.dealer, shown(record), record.remarks) == (7, Seat.EAST, HANDS, ())
    assert sides(record) == "All"
    assert lin.recognise(text.encode()) is not Confidence.NO


def test_several_addresses_are_several_boards_with_their_lines() -> None:
    second = f"lin={quote(f'md|3{LIN_OTHER}|ah|Board 8|')}"
    text = f"Board 7:\n{HAND_VIEWER}{AS_PARTS}\n\nand\n{HAND_VIEWER}{second} {HAND_VIEWER}myhand=M-1-2\n"

    assert [(one.number, one.line, shown(one)) for one in records(text)] == [(7, 2, HANDS), (8, 5, OTHER)]


def test_an_endless_address_and_endless_fields_are_bounded() -> None:
    endless = HAND_VIEWER + "lin=" + "%7C" * 2_000_000

    with pytest.raises(BadSyntax, match="1000000 things"):
        lin.read(b"vg|a|" * 1_000_001)
    assert len(records(f"{HAND_VIEWER}{AS_PARTS} {endless}\n{HAND_VIEWER}{AS_PARTS}")) == 2


@pytest.mark.parametrize(
    "data", [b"", b"|", b"a|b|c", b"|md", b'[Deal "N:', b"AKQJT98765432   | QJ53 ", codecs.BOM_UTF16_LE, b"command | x"]
)
def test_other_content_is_not_taken_for_lin(data: bytes) -> None:
    assert lin.recognise(data) is Confidence.NO


def test_content_that_may_be_lin_is_told_from_content_that_is() -> None:
    assert lin.recognise(b"pn|a,b,c,d|pg||") is Confidence.PERHAPS
    assert lin.recognise(SINGLE.encode()) is Confidence.SURE
    assert lin.recognise(SINGLE.encode("utf-16")) is Confidence.SURE


def test_no_repr_shows_a_hand() -> None:
    assert "K742" not in repr(lin.read(SINGLE.encode()))
    assert "Card(" not in repr(records(SINGLE.replace("CA65", "CK65")))


@given(boards())
def test_what_is_written_as_lin_is_read_again(members: tuple[BoardDeal, ...]) -> None:
    deals = set_of(*members)

    found = records(lin_export.write(deals))

    assert list(map(as_read, found)) == list(map(as_written, members))
    assert lin_export.losses(deals) == ()
    assert not any(record.faults or record.remarks for record in found)


def test_a_board_is_one_line_with_four_hands_and_names_for_programs_that_look_for_them() -> None:
    hands = one(f"md|3{LIN_HANDS}|").deal
    assert isinstance(hands, Deal)

    written = lin_export.write(set_of(BoardDeal(18, hands)))

    assert written.decode() == (f"qx|o18|pn|South,West,North,East|st||md|4{LIN_HANDS}|rh||ah|Board 18|sv|n|pg||\r\n")


def test_a_set_that_no_reader_would_take_is_not_written() -> None:
    hands = one(f"md|3{LIN_HANDS}|").deal
    assert isinstance(hands, Deal)

    with pytest.raises(CannotBeWritten, match="no board"):
        lin_export.write(set_of())
    with pytest.raises(CannotBeWritten, match="1000000"):
        lin_export.write(set_of(BoardDeal(1_000_000, hands)))
