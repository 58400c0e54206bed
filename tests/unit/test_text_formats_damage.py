"""Damaged, cut and hostile text in every text format: only the documented errors, nothing wrong accepted, linear work.

Read next: `driver/deals/formats/registry.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from driver.deals.check import records_to_json
from driver.deals.formats import csv_text, gib, lin, one_line, pbn
from driver.deals.records import Confidence, Contents
from driver.errors import BadSyntax, DealFileError
from protocol.cards import PACK, RANKS, Seat
from tests.unit.deal_texts import EAST, HANDS, LIN_HANDS, LIN_OTHER, NORTH, OTHER, SOUTH, SUITS, WEST, shown, work_of

HANDS_IN_ORDER = (NORTH, EAST, SOUTH, WEST)


@dataclass(frozen=True)
class Text:
    """A format: its reader, a file of two boards, where in it the first deal stands, and pieces of hostile text."""

    recognise: Callable[[bytes], Confidence]
    read: Callable[[bytes], Contents]
    sample: str
    deal: str
    pieces: tuple[str, ...]


def csv_line(hands: tuple[str, ...], board: int, sides: str) -> str:
    return ",".join(f'"{text}"' for text in [*(s for hand in hands for s in hand.split(".")), str(board), sides]) + "\n"


BARRED = "|".join(hand.replace(".", " ") for hand in HANDS_IN_ORDER)
DEALER = " ".join(f"{seat} {hand}" for seat, hand in zip("nesw", HANDS_IN_ORDER, strict=True))
GIB = " ".join((WEST, NORTH, EAST, SOUTH))
TEXTS = {
    "PBN": Text(
        pbn.recognise,
        pbn.read,
        f'[Board "1"]\n[Deal "{HANDS}"]\n\n[Board "2"]\n[Deal "{OTHER}"]\n',
        HANDS,
        ("[", '[Deal "', '[Board "1"]', "{", "}", "\\", "<PBN>", "</PBN>", "%", ";", "[ ", "\n\n", '[Event "##'),
    ),
    "LIN": Text(
        lin.recognise,
        lin.read,
        f"qx|o1|pn|a,b,c,d|md|3{LIN_HANDS}|ah|Board 1|sv|o|pg||\nqx|o2|md|4{LIN_OTHER}|ah|Board 2|sv|n|pg||\n",
        LIN_HANDS,
        ("|", "md|", "qx|o1|", "\nmd", "bn|1,2|", "bn|", "ah|9|", "handviewer.html?", "?lin=", "&n=SA", "%7C", ","),
    ),
    "CSV": Text(
        csv_text.recognise,
        csv_text.read,
        csv_line(HANDS_IN_ORDER, 1, "N/-") + csv_line(SUITS, 2, "E/NS"),
        csv_line(HANDS_IN_ORDER, 1, "N/-").rpartition(',"1"')[0],
        (",", '"', '""', ";", "\n", "NorthSpades,", "Board,", "1,", "N/-"),
    ),
    "dealer": Text(
        one_line.recognise_lettered,
        one_line.read_lettered,
        f"{DEALER}\nn {SUITS[0]}\ne {SUITS[1]}\ns {SUITS[2]}\nw {SUITS[3]}\nTime needed 0.0 sec\n",
        DEALER,
        ("n ", "e", " ... ", ".", "\n", "w A.K.Q.J", ";"),
    ),
    "deal": Text(
        one_line.recognise_barred,
        one_line.read_barred,
        f"{BARRED}\n{'|'.join(hand.replace('.', ' ') for hand in SUITS)}\n",
        BARRED,
        ("|", " ", "   ", ".", "\n", "AKQJT98765432", "|8 0 0 3 0"),
    ),
    "GIB": Text(
        gib.recognise_gib,
        gib.read_gib,
        f"{GIB}:65658888888843433232\n{SUITS[3]} {SUITS[0]} {SUITS[1]} {SUITS[2]}:00001111222233334444\n",
        GIB,
        (":", ".", " ", "...", "\n", "0" * 20),
    ),
    "DDS": Text(
        gib.recognise_dds,
        gib.read_dds,
        f'NUMBER 2\nPBN 0 0 4 0 "{HANDS}"\nFUT 1 2\nPBN 1 2 4 0 "{OTHER}"\n',
        HANDS,
        ("PBN ", "0 ", '"', "\n", "N:", "- ", "99 "),
    ),
}
NAMES = st.sampled_from(sorted(TEXTS))
EVERY = pytest.mark.parametrize("name", sorted(TEXTS))


def whole(text: Text, data: bytes) -> Contents | None:
    """What is read, None after the documented error; each record is a whole deal or has its reasons."""
    text.recognise(data)
    try:
        contents = text.read(data)
    except DealFileError:
        return None
    for record in contents.records:
        assert (record.deal is None) == bool(record.faults)
        for deal in (record.deal, record.fill):
            assert deal is None or sorted(card for seat in Seat for card in deal.hand(seat)) == list(PACK)
    json.loads(records_to_json(contents.records))
    return contents


@EVERY
def test_the_sample_of_each_format_is_read_and_recognised_by_its_own_reader_alone(name: str) -> None:
    data = TEXTS[name].sample.encode()

    contents = whole(TEXTS[name], data)

    assert contents is not None
    assert [shown(record) for record in contents.records] == [HANDS, OTHER]
    assert [other for other, text in TEXTS.items() if text.recognise(data)] == [name]


@given(NAMES, st.data())
def test_one_rank_changed_makes_the_record_no_deal(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    start = text.sample.index(text.deal)
    places = [start + place for place, sign in enumerate(text.deal) if sign in RANKS]
    place = data.draw(st.sampled_from(places))
    rank = data.draw(st.sampled_from([rank for rank in RANKS if rank != text.sample[place]] + ["x", "?", ""]))

    contents = whole(text, (text.sample[:place] + rank + text.sample[place + 1 :]).encode())

    assert contents is not None
    assert [shown(record) for record in contents.records] == [None, OTHER]


@given(NAMES, st.integers(0, 400))
def test_a_cut_file_gives_the_whole_deals_before_the_cut_and_no_other(name: str, length: int) -> None:
    text = TEXTS[name]

    contents = whole(text, text.sample[:length].encode())

    assert contents is not None
    deals = [found for record in contents.records if (found := shown(record))]
    assert deals == [HANDS, OTHER][: len(deals)]


@given(NAMES, st.data())
def test_any_bytes_give_records_or_a_deal_file_error(name: str, data: st.DataObject) -> None:
    text = TEXTS[name]
    pieces = st.sampled_from([*text.pieces, text.sample, text.deal, "\x00", "\ufeff", "10", "K3.74.J8765.K742"])
    drawn = data.draw(
        st.binary(max_size=300)
        | st.text(max_size=200).map(lambda found: found.encode("utf-8", errors="replace"))
        | st.lists(pieces, max_size=30).map(lambda found: "".join(found).encode())
    )

    whole(text, drawn)


@given(NAMES, st.integers(0, 300), st.integers(0, 255))
@example("LIN", 0, 0x7C)
def test_one_byte_changed_anywhere_never_makes_another_deal(name: str, place: int, byte: int) -> None:
    text = TEXTS[name]
    changed = bytearray(text.sample.encode())
    changed[place % len(changed)] = byte

    contents = whole(text, bytes(changed))

    assert contents is not None
    assert {shown(record) for record in contents.records} <= {HANDS, OTHER, None, *turned(HANDS), *turned(OTHER)}


def turned(deal: str) -> set[str]:
    """The same four hands with another seat first: a letter before them may change into that of another seat."""
    hands = deal[2:].split()
    return {f"N:{' '.join(hands[turn:] + hands[:turn])}" for turn in range(4)}


@EVERY
def test_the_work_grows_with_the_size_alone_for_every_hostile_piece(name: str) -> None:
    text = TEXTS[name]
    for piece in (*text.pieces, text.sample, text.deal + "\n"):
        once, twice = (piece.encode() * times for times in (400, 800))

        assert work_of(partial(text.read, twice)) < 2.1 * work_of(partial(text.read, once)) + 100


@EVERY
def test_more_records_than_any_club_has_are_refused_before_they_fill_the_memory(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (pbn, lin, csv_text, one_line, gib):
        monkeypatch.setattr(module, "MOST_RECORDS", 3)

    with pytest.raises(BadSyntax, match="more than 3"):
        TEXTS[name].read(TEXTS[name].sample.encode() * 2)
