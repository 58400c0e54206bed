"""The PBN reader: the import grammar of PBN 2.1, what producers really write, and what can go wrong in a file.

Read next: `driver/deals/formats/pbn.py`, `driver/deals/formats/pbn_text.py`.
"""

from __future__ import annotations

import codecs
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from driver.deals.check import records_to_json
from driver.deals.formats import pbn, pbn_text
from driver.deals.model import Deal, Vulnerability, standard_dealer, standard_vulnerability
from driver.deals.records import Confidence, Record, Remark
from driver.deals.sets import sets_from
from driver.errors import BadSyntax, DealFileError
from protocol.cards import Seat

NORTH = "K3.74.J8765.K742"
EAST = "J976.A8532.A9.JT"
SOUTH = "Q8542.KJ9.T.Q983"
WEST = "AT.QT6.KQ432.A65"
HANDS = f"N:{NORTH} {EAST} {SOUTH} {WEST}"
OTHER = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
GAME = f'[Board "1"]\n[Dealer "N"]\n[Vulnerable "None"]\n[Deal "{HANDS}"]\n'
SECOND = f'[Board "2"]\n[Dealer "E"]\n[Vulnerable "NS"]\n[Deal "{OTHER}"]\n'


def records(text: str | bytes) -> tuple[Record, ...]:
    return pbn.read(text.encode() if isinstance(text, str) else text).records


def one(text: str | bytes) -> Record:
    (record,) = records(text)
    return record


def of_deal(value: str) -> Record:
    """The record of a file with this Deal tag alone."""
    return one(f'[Deal "{value}"]\n')


def boards(text: str | bytes) -> list[str]:
    return [record.board for record in records(text)]


def shown(record: Record) -> str | None:
    return None if record.deal is None else record.deal.hands_as_pbn()


def test_a_plain_game_gives_board_dealer_vulnerability_and_hands() -> None:
    record = one(GAME)

    assert (record.line, record.number, record.dealer, record.vulnerability) == (1, 1, Seat.NORTH, Vulnerability.NONE)
    assert shown(record) == HANDS
    assert record.faults == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GAME.rstrip("\n"), id="no line end at the end"),
        pytest.param(GAME.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(GAME.replace("\n", "\r"), id="CR alone"),
        pytest.param(GAME.replace("\n", "\r\n", 1).replace("\n[Deal ", "\r[Deal "), id="mixed line ends"),
        pytest.param(GAME.replace('"]\n', '"] '), id="all tags on one line"),
        pytest.param(GAME.replace("]\n[", "]["), id="tags without anything between"),
        pytest.param(GAME.replace(' "', '\n"').replace('"]', '"\n]'), id="tags over several lines"),
        pytest.param(GAME.replace(' "', '"'), id="no blank before the value"),
        pytest.param(GAME.replace("[", "[ \t").replace(' "', '\t  "').replace('"]', '" ]'), id="blanks everywhere"),
        pytest.param("  " + GAME.replace("\n[", "\n\t["), id="indented tags"),
        pytest.param(GAME.upper(), id="upper case names"),
        pytest.param(GAME.lower(), id="everything in lower case"),
        pytest.param(GAME + "\x00" * 700, id="NULs at the end"),
        pytest.param(GAME + "\x1a", id="Ctrl-Z at the end"),
        pytest.param("\n \t\n" + GAME, id="blank lines first"),
        pytest.param(GAME.replace("\n", " ; note\n"), id="a comment after each tag"),
        pytest.param(GAME.replace("\n", "\n; [Board 9]\n"), id="comment lines between"),
        pytest.param(GAME.replace("\n", "\n% RBDATA 3,1,4 [Board 9]\n"), id="percent lines inside the game"),
        pytest.param(GAME.replace("\n", ' {x "y] [Board "9"]} {z}\n'), id="comments in braces on the line"),
        pytest.param(GAME.replace("\n", '\n{\n\n[Board "9"]\n\n%}\n'), id="comments with blank lines and tags"),
        pytest.param(GAME + '[Auction "N"]\n1D ^I Pass =1= $3\n*\n[Note "1:\\"] x\\\\"]\n', id="auction and notes"),
        pytest.param(GAME + '[Site "C:\\DEALS\\"]\n', id="a path that ends in a backslash"),
        pytest.param(GAME + '\nGenerated 4 hands\nTime needed 0.0 sec "]\n', id="statistics at the end"),
        pytest.param(GAME + '[Board "7"]'.replace("7", "1"), id="a repeated tag"),
        pytest.param(GAME + f'[Deal "{HANDS}"]\n', id="the same Deal tag again"),
        pytest.param('[Generator "x"]\n\n' + GAME, id="a lone tag before the first game"),
        pytest.param(f'[Event "{"x" * 3000}"]\n' + GAME, id="a very long line"),
        pytest.param("[Event]\n[Site No quotes]\n[\n" + GAME, id="broken tags without any meaning"),
        pytest.param("<html><p>Hands:\n<PBN>" + GAME + '</PBN>[Board "9"]</html>', id="inside a web page"),
        pytest.param("Dear all\n<pbn>\n" + GAME, id="inside a letter, without an end"),
        pytest.param("<html><pre>" + GAME.replace('"', "&quot;") + "</pre>", id="quotes as a web page writes them"),
        pytest.param(GAME.replace(' "', " “").replace('"]', "”]"), id="quotes as a text program writes them"),
        pytest.param(GAME.replace("\n", "\r\r\n"), id="line ends made twice"),
    ],
)
def test_a_game_is_read_the_same_in_every_way_that_the_import_format_allows(text: str) -> None:
    (record,) = [record for record in records(text) if not record.blank]

    assert (record.board, record.dealer, record.vulnerability) == ("1", Seat.NORTH, Vulnerability.NONE)
    assert shown(record) == HANDS


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(codecs.BOM_UTF8 + GAME.encode(), id="UTF-8 with its mark"),
        pytest.param(codecs.BOM_UTF16_LE + GAME.encode("utf-16-le"), id="UTF-16 little-endian"),
        pytest.param(codecs.BOM_UTF16_BE + GAME.encode("utf-16-be"), id="UTF-16 big-endian"),
        pytest.param(GAME.encode("utf-16-le"), id="UTF-16 little-endian without its mark"),
        pytest.param(GAME.encode("utf-16-be"), id="UTF-16 big-endian without its mark"),
        pytest.param(codecs.BOM_UTF16_LE + GAME.encode("utf-16-le") + b"x", id="UTF-16 cut inside a sign"),
        pytest.param(codecs.BOM_UTF32_LE + GAME.encode("utf-32-le"), id="UTF-32 little-endian"),
        pytest.param(codecs.BOM_UTF32_BE + GAME.encode("utf-32-be"), id="UTF-32 big-endian"),
    ],
)
def test_every_encoding_of_unicode_is_read_and_recognised(data: bytes) -> None:
    assert shown(one(data)) == HANDS
    assert pbn.recognise(data) is Confidence.SURE


@pytest.mark.parametrize(
    ("data", "event"),
    [
        pytest.param("Kraków".encode(), "Kraków", id="UTF-8"),
        pytest.param("Liège".encode("latin-1"), "Liège", id="Latin-1"),
        pytest.param("Café – 5 €".encode("cp1252"), "Café – 5 €", id="CP1252"),
        pytest.param(b"a\x81b", "ab", id="a byte that no code page has"),
        pytest.param(b"1\x002\x1b[2J", "1 2[2J", id="control signs"),
    ],
)
def test_a_name_in_any_encoding_never_costs_the_deal(data: bytes, event: str) -> None:
    record = one(b'[Event "' + data + b'"]\n' + GAME.encode())

    assert record.event == event
    assert shown(record) == HANDS


def test_the_declared_encoding_is_used_where_it_is_one_of_those_in_use() -> None:
    name = b'[Event "Chorz\xf3w \xb3"]\n' + GAME.encode()

    assert one(b"%Content-type: text/x-pbn; charset=windows-1250\n" + name).event == "Chorzów ł"
    assert one(b"%Content-type: text/x-pbn; charset=ISO-8859-1\n" + name).event == "Chorzów ³"
    for useless in (b"zlib", b"utf-7", b"no-such", b"idna"):
        assert one(b"%Content-type: text/x-pbn; charset=" + useless + b"\n" + name).event == "Chorzów ³"


def test_a_mark_in_the_middle_of_joined_files_does_no_harm() -> None:
    both = codecs.BOM_UTF8 + GAME.encode() + b"\n" + codecs.BOM_UTF8 + SECOND.encode()

    assert boards(both) == ["1", "2"]


@pytest.mark.parametrize("gap", ["\n", "\n\n\n", " \n", "\t \n", "% line\n\n% line\n", ""])
def test_games_are_parted_by_a_blank_line_or_by_the_next_board(gap: str) -> None:
    first, second = records(GAME + gap + SECOND)

    assert (first.board, second.board) == ("1", "2")
    assert (first.dealer, second.dealer) == (Seat.NORTH, Seat.EAST)
    assert (shown(first), shown(second)) == (HANDS, OTHER)


def test_a_line_with_a_comment_alone_is_no_blank_line() -> None:
    assert boards(GAME.replace("\n[Deal ", "\n ; x\n% y\n{ z }\n[Deal ")) == ["1"]


def test_deals_one_after_the_other_without_anything_between_are_games() -> None:
    assert [shown(record) for record in records(f'[Deal "{HANDS}"]\n[Deal "{OTHER}"]\n[Deal "{HANDS}"]')] == [
        HANDS,
        OTHER,
        HANDS,
    ]


def test_games_without_a_blank_line_keep_their_own_dealer_when_it_comes_before_the_board() -> None:
    text = f'[Dealer "S"]\n[Board "1"]\n[Deal "{HANDS}"]\n[Dealer "W"]\n[Board "2"]\n[Deal "{OTHER}"]\n'

    assert [(record.board, record.dealer) for record in records(text)] == [("1", Seat.SOUTH), ("2", Seat.WEST)]


def test_the_first_of_two_tags_of_a_game_counts() -> None:
    assert boards('[Board "5"]\n[Board "6"]\n' + GAME) == ["5"]


def test_each_record_tells_the_line_it_begins_in() -> None:
    text = f"% PBN 2.1\r\n\r\n{GAME}\n{{ one\ntwo }}\n\n; x\n{SECOND}"

    assert [record.line for record in records(text)] == [3, 12]
    assert [record.line for record in records(f"letter\n<PBN>\n\n{GAME}</PBN>\n\n<PBN>\n{SECOND}")] == [4, 11]


def test_many_blank_lines_and_comments_are_passed_over_and_endless_ones_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert one("% PBN 2.1\n" + "\n \t" * 1_000_000 + "\n" + GAME).line == 1_000_003
    monkeypatch.setattr(pbn_text, "_MOST_STEPS", 1000)
    assert shown(one("\n" * 5000 + GAME)) == HANDS
    assert shown(one("{" * 5000 + GAME)) == HANDS
    with pytest.raises(BadSyntax, match="more than 1000 lines, comments and tags"):
        pbn.read(b"{}" * 1001 + GAME.encode())


def test_an_open_brace_does_not_swallow_the_rest_of_the_file() -> None:
    contents = pbn.read((GAME + "{ not closed\n\n" + SECOND).encode())

    assert [record.board for record in contents.records] == ["1", "2"]
    assert contents.notes == ("The comment that begins in line 5 has no end; it was read as if it were none.",)


def test_a_deal_inside_a_comment_is_left_out_and_noted() -> None:
    contents = pbn.read((GAME + "{\n\n" + SECOND + "}\n").encode())

    assert [record.board for record in contents.records] == ["1"]
    assert contents.notes == ("The comment that begins in line 5 contains a Deal tag; it was left out.",)


def test_a_hash_takes_the_value_of_the_game_before() -> None:
    text = (
        f'[Event "Cup"]\n{GAME}\n[Event "#"]\n[Board "#"]\n[Deal "#"]\n\n[Event "#"]\n[Deal "{OTHER}"]\n[Board "#"]\n'
    )

    assert [(record.event, record.board) for record in records(text)] == [("Cup", "1"), ("Cup", "1"), ("Cup", "1")]
    assert [shown(record) for record in records(text)] == [HANDS, HANDS, OTHER]


def test_a_double_hash_holds_for_all_games_that_follow_until_it_is_changed() -> None:
    text = f'[Event "##Cup"]\n{GAME}\n{SECOND}\n[Event "Other"]\n{GAME}\n{SECOND}\n[Event "##"]\n{GAME}\n{SECOND}'

    assert [record.event for record in records(text)] == ["Cup", "Cup", "Other", "Cup", "", ""]


def test_a_hash_without_a_game_before_is_an_empty_value() -> None:
    record = one(f'[Event "#"]\n[Dealer "#"]\n[Deal "{HANDS}"]\n')

    assert (record.event, record.dealer) == ("", None)


def test_no_default_is_taken_for_dealer_vulnerability_or_deal() -> None:
    text = (
        f'[Dealer "##S"]\n[Vulnerable "##All"]\n[Deal "##{HANDS}"]\n\n[Deal "{OTHER}"]\n\n[Board "3"]\n[Contract ""]\n'
    )

    first, second, third = records(text)

    assert (first.dealer, first.vulnerability, shown(first)) == (Seat.SOUTH, Vulnerability.ALL, HANDS)
    assert (second.dealer, second.vulnerability) == (None, None)
    assert third.blank


@pytest.mark.parametrize("first", list(Seat))
def test_the_hands_begin_with_any_seat_and_go_clockwise(first: Seat) -> None:
    hands = [NORTH, EAST, SOUTH, WEST]

    record = of_deal(f"{first.letter}:{' '.join(hands[first:] + hands[:first])}")

    assert shown(record) == HANDS


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(f"N:{NORTH[:2][::-1]}{NORTH[2:]} {EAST} {SOUTH} {WEST}", id="ranks in any order"),
        pytest.param(HANDS.replace("T", "10"), id="10 for ten"),
        pytest.param(HANDS.lower(), id="lower case"),
        pytest.param(HANDS.replace(" ", "   "), id="several blanks between the hands"),
        pytest.param(HANDS.replace(" ", "\t"), id="tabs between the hands"),
        pytest.param(HANDS.replace(":", ": "), id="a blank after the colon"),
        pytest.param(HANDS.replace(":", " :"), id="a blank before the colon"),
        pytest.param(f"  {HANDS} ", id="blanks around the value"),
        pytest.param(
            "N:" + " ".join(f"S{s}.H{h}.D{d}.C{c}" for s, h, d, c in (x.split(".") for x in HANDS[2:].split())),
            id="a letter before each suit",
        ),
    ],
)
def test_hands_are_read_as_producers_write_them(value: str) -> None:
    assert shown(of_deal(value)) == HANDS


def test_a_dash_inside_a_hand_is_a_void() -> None:
    assert shown(of_deal(OTHER.replace("...", ".-.-.-", 1))) == OTHER


def test_without_a_first_seat_north_is_taken_and_noted() -> None:
    record = of_deal(HANDS.removeprefix("N:"))

    assert shown(record) == HANDS
    assert record.remarks == (Remark.NO_FIRST_SEAT,)


@pytest.mark.parametrize(
    ("text", "seat"),
    [("N", 0), ("e", 1), (" S ", 2), ("West", 3), ("NORTH", 0), ("", None), ("?", None), ("-", None), ("Black", None)],
)
def test_the_dealer_is_read_in_every_spelling(text: str, seat: int | None) -> None:
    assert one(f'[Dealer "{text}"]\n[Deal "{HANDS}"]\n').dealer == seat


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("None", "None"),
        ("none", "None"),
        ("None ", "None"),
        ("Love", "None"),
        ("-", "None"),
        ("NS", "NS"),
        ("n-s", "NS"),
        ("EW", "EW"),
        ("E-W", "EW"),
        ("All", "All"),
        ("BOTH", "All"),
        ("", None),
        ("?", None),
        ("Nil", None),
        ("Z", None),
    ],
)
def test_the_vulnerability_is_read_in_every_spelling(text: str, meaning: str | None) -> None:
    found = one(f'[Vulnerable "{text}"]\n[Deal "{HANDS}"]\n').vulnerability

    assert (None if found is None else found.text) == meaning


def test_a_dealer_or_vulnerability_that_is_not_known_is_noted() -> None:
    record = one(f'[Dealer "Black"]\n[Vulnerable "Nil"]\n[Deal "{HANDS}"]\n')

    assert record.remarks == (Remark.DEALER_UNKNOWN, Remark.VULNERABILITY_UNKNOWN)
    assert one(f'[Dealer "?"]\n[Vulnerable ""]\n[Deal "{HANDS}"]\n').remarks == ()


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        pytest.param(HANDS.replace("A65", "K65"), "club king twice, club ace missing", id="a card twice"),
        pytest.param(HANDS.replace("A65", "A6"), "club five missing, the hands have 13, 13, 13 and 12", id="51 cards"),
        pytest.param(
            HANDS.replace("A65", "A6").replace("K742", "K7542"), "North has 14 cards, West has 12 cards", id="14 and 12"
        ),
        pytest.param(f"N:{NORTH} {EAST} {SOUTH} -", "the hand of West is not given", id="three hands and a dash"),
        pytest.param(f"N:{NORTH} {EAST} {SOUTH}", "the hand of West is not given", id="three hands"),
        pytest.param(f"E:{EAST} - {WEST} -", "the hands of North and South are not given", id="two hands"),
        pytest.param("W:- - - -", "no hand is given", id="no hand"),
        pytest.param("N:... ... ... ...", "the Deal tag holds no cards", id="four empty hands"),
        pytest.param("", "the Deal tag is empty", id="empty"),
        pytest.param("?", "the Deal tag is empty", id="question mark"),
        pytest.param(HANDS + " " + WEST, "5 hands instead of four", id="five hands"),
        pytest.param(HANDS.replace("A65", "A65."), "a hand with 5 suits", id="a dot too many"),
        pytest.param(HANDS.replace("A65", "Axx"), "small cards are written as x", id="small cards as x"),
        pytest.param(HANDS.replace("A65", "V65"), '"V" is not the rank of a card', id="a rank that is none"),
        pytest.param(HANDS.replace("A65", "A165"), '"1" is not the rank of a card', id="a one without its nought"),
        pytest.param(HANDS.replace("A65", "SA65"), '"S" is not the rank of a card', id="one suit letter alone"),
        pytest.param(HANDS.replace("A65", "A6\x07"), "an unreadable rank", id="a control sign"),
        pytest.param("N:" + "2" * 2000, "the Deal tag is far too long", id="endless"),
        pytest.param("N:.6.AKQ987.A9732 A865.KQ5.T.QJT6 J97.J98742.3.K4 QT2.AT.J6542.85", "12, 12, 12", id="end game"),
    ],
)
def test_what_is_no_deal_is_refused_with_the_reason(value: str, reason: str) -> None:
    record = of_deal(value)

    assert record.deal is None
    assert reason in ", ".join(record.faults)


@pytest.mark.parametrize("cut", ["[Deal", '[Deal "', f'[Deal "{HANDS[:30]}', f'[Deal "{HANDS}"', f"[Deal {HANDS}]"])
def test_a_file_cut_inside_a_deal_gives_the_whole_games_and_reports_the_last(cut: str) -> None:
    first, last = records(f'{GAME}\n[Board "2"]\n{cut}')

    assert shown(first) == HANDS
    assert (last.board, last.deal, last.faults) == ("2", None, ("the Deal tag breaks off",))


def test_a_second_table_without_a_deal_is_a_blank_record() -> None:
    first, second = records(GAME + '\n[Contract "3NT"]\n')

    assert shown(first) == HANDS
    assert second.blank
    assert second.faults == ("no Deal tag",)


def test_a_board_number_without_deal_and_contract_is_no_record_but_is_told() -> None:
    contents = pbn.read((GAME + '\n[Board "2"]\n\n[Event "x"]\n').encode())

    assert [record.board for record in contents.records] == ["1"]
    assert [(stray.line, stray.board) for stray in contents.strays] == [(6, "2")]


@pytest.mark.parametrize("board", ["Q9765.K7632.9.Q5", "Q9765.K7632.9.Q5 4.Q", "12 -.akq", "SQ9765HK7632D9CQ5"])
def test_a_hand_in_the_place_of_a_board_number_is_neither_kept_nor_shown(board: str) -> None:
    without_deal = f'[Board "{board}"]\n[Contract "3NT"]\n'
    contents = pbn.read(f'[Board "{board}"]\n[Deal "{HANDS}"]\n\n{GAME}\n{without_deal}'.encode())
    assert contents.records[0].board == ""
    (deals,) = sets_from(contents, name="x")
    assert board not in f"{contents!r} {deals.problems} {deals.notes}"


@pytest.mark.parametrize("board", ["1A", "Match 3 Board 7A", "Open.2", "3.10", "AKQ"])
def test_a_name_of_a_board_that_is_no_number_is_kept_as_it_is_written(board: str) -> None:
    assert one(f'[Board "{board}"]\n[Deal "{HANDS}"]\n').board == board


@pytest.mark.parametrize("board", ["", "?", " "])
def test_an_unknown_board_number_is_none(board: str) -> None:
    record = one(f'[Board "{board}"]\n[Deal "{HANDS}"]\n')

    assert (record.board, record.number) == ("", None)


def test_the_listing_for_check_has_the_five_keys_and_null_for_what_the_file_does_not_carry() -> None:
    text = GAME + f'\n[Board "1A"]\n[Deal "{HANDS.replace("A65", "K65")}"]\n\n[Deal "W:{WEST} - - -"]\n\n[Deal ""]\n'

    assert json.loads(records_to_json(records(text))) == [
        {"board": 1, "dealer": "N", "vul": "None", "deal": HANDS, "issues": []},
        {
            "board": "1A",
            "dealer": None,
            "vul": None,
            "deal": HANDS.replace("A65", "K65"),
            "issues": ["club king twice", "club ace missing"],
        },
        {
            "board": None,
            "dealer": None,
            "vul": None,
            "deal": f"N:- - - {WEST}",
            "issues": ["the hands of North, East and South are not given"],
        },
        {"board": None, "dealer": None, "vul": None, "deal": None, "issues": ["the Deal tag is empty"]},
    ]


def test_nothing_but_the_listing_shows_a_hand() -> None:
    contents = pbn.read((GAME + "\n" + GAME.replace("A65", "K65")).encode())

    assert "K742" not in repr(contents)
    assert "Card(" not in repr(contents)
    assert "K742" in records_to_json(contents.records)


@pytest.mark.parametrize("data", [b"", b"\x00", b"mail [Deals] and so on", b"1\x06AK\x03", b"pn|a,b|md|1S,H,D|"])
def test_other_content_is_not_taken_for_pbn(data: bytes) -> None:
    assert pbn.recognise(data) is Confidence.NO


def test_content_that_may_be_pbn_is_told_from_content_that_is() -> None:
    assert pbn.recognise(b"% PBN 2.1\r\n") is Confidence.SURE
    assert pbn.recognise(b'junk [deal "N:') is Confidence.SURE
    assert pbn.recognise(b'[Event "Chess"]\n[White "A"]') is Confidence.PERHAPS
    assert pbn.recognise(b"[Deal N:A") is Confidence.PERHAPS


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=30).filter(
    lambda text: not text.startswith("#") and text != "?"
)


@given(
    st.lists(
        st.tuples(st.permutations([seat for seat in range(4) for _ in range(13)]), st.sampled_from(Seat)),
        min_size=1,
        max_size=4,
    ),
    NAMES,
    st.sampled_from(["\r\n", "\n", "\r"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_written_as_pbn_is_read_again(
    deals: list[tuple[list[int], Seat]], event: str, line_end: str, encoding: str
) -> None:
    quoted = event.replace("\\", "\\\\").replace('"', '\\"')
    games = [
        [
            f'[Event "{quoted}"]',
            f'[Board "{board}"]',
            f'[Dealer "{standard_dealer(board).letter}"]',
            f'[Vulnerable "{standard_vulnerability(board).text}"]',
            f'[Deal "{Deal(owners).hands_as_pbn(first)}"]',
            "",
        ]
        for board, (owners, first) in enumerate(deals, start=1)
    ]
    text = line_end.join(line for game in games for line in game)

    found = records(text.encode(encoding))

    assert [record.deal for record in found] == [Deal(owners) for owners, _ in deals]
    assert [record.number for record in found] == list(range(1, len(deals) + 1))
    for number, record in enumerate(found, start=1):
        assert (record.event, record.dealer, record.vulnerability, record.faults) == (
            event,
            standard_dealer(number),
            standard_vulnerability(number),
            (),
        )


PIECES = st.sampled_from(
    [
        *("[", "]", '"', "\\", "{", "}", ";", "%", "#", "##", "\n", "\r", " ", "\x00", "\ufeff"),
        *("Deal", "Board", "Contract", "<PBN>", "</PBN>", '[Deal "', '[Board "', '"]\n'),
        *(GAME, SECOND, HANDS, "N:", "- ", "...", "10"),
    ]
)


@given(st.binary(max_size=500) | st.lists(PIECES, max_size=30).map(lambda pieces: "".join(pieces).encode()))
@example(codecs.BOM_UTF16_LE)
@example(b'[Deal "' + b"\\" * 51)
@example(b"{" * 100 + b"[Deal" * 100)
def test_any_bytes_give_records_or_a_deal_file_error(data: bytes) -> None:
    pbn.recognise(data)
    try:
        contents = pbn.read(data)
    except DealFileError:
        return
    for record in contents.records:
        assert (record.deal is None) == bool(record.faults)
    json.loads(records_to_json(contents.records))
