"""The nasty cases that concern whole files: numbers, labels, order, encodings, damage, several sets; each with its end.

A row is a case, the bytes of a file, and what becomes of it: the boards, and words of a note, problem or refusal. The
cases within one record are those of the formats' own tests. Read next: `driver/deals/sets.py`, `loader.py` beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from driver.cli.main import main
from driver.deals.drafts import Draft, Entry
from driver.deals.loader import load_deals, load_sets
from driver.deals.model import Deal, Vulnerability
from driver.deals.records import Contents, Record
from driver.deals.sets import sets_from
from driver.errors import BadDeal, DealFileError
from protocol.cards import Seat
from tests.unit.test_deal_sets import deal


def game(board: object, seed: int, more: str = "") -> str:
    number = "" if board is None else f'[Board "{board}"]\n'
    return f'{more}{number}[Deal "{deal(seed).hands_as_pbn()}"]\n\n'


def unknown(board: int, seed: int, hands: int) -> str:
    words = deal(seed).hands_as_pbn().split()
    return f'[Board "{board}"]\n[Deal "{" ".join([*words[: 4 - hands], *["-"] * hands])}"]\n\n'


THREE = game(1, 1) + game(2, 2) + game(3, 3)
NAMES = '[Event "Club de bridge d’Évreux: François"]\n'
ROOMS = "".join(
    f"qx|{room}{number}|md|1{hands},|sv|o|pg||\n"
    for number, hands in (
        (1, "SAKQJT98765432,HAKQJT98765432,DAKQJT98765432"),
        (2, "HAKQJT98765432,SAKQJT98765432,CAKQJT98765432"),
    )
    for room in "oc"
)


@dataclass(frozen=True, slots=True)
class Row:
    """A case: its file, the boards of its only set, and words that must be told about it."""

    name: str
    data: bytes
    boards: str
    told: str = ""
    problems: int = 0


ROWS = [
    Row("UTF-8 with a mark", b"\xef\xbb\xbf" + THREE.encode(), "1-3"),
    Row("UTF-16 with a mark, low byte first", b"\xff\xfe" + THREE.encode("utf-16-le"), "1-3"),
    Row("UTF-16 with a mark, high byte first", b"\xfe\xff" + THREE.encode("utf-16-be"), "1-3"),
    Row("UTF-16 without a mark", THREE.encode("utf-16-le"), "1-3"),
    Row("CP1252 in a name", (NAMES + THREE).encode("cp1252"), "1-3"),
    Row("CP852 in a name", b'[Event "\x9c\xa2\x8f\x81"]\n' + THREE.encode(), "1-3"),
    Row("UTF-8 in a name", (NAMES + THREE).encode(), "1-3"),
    Row("CR alone ends lines", THREE.replace("\n", "\r").encode(), "1-3"),
    Row("mixed line ends", (game(1, 1).replace("\n", "\r\n") + game(2, 2) + game(3, 3)).encode(), "1-3"),
    Row("NULs at the end", THREE.encode() + bytes(700), "1-3"),
    Row("Ctrl-Z at the end", THREE.encode() + b"\x1a", "1-3"),
    Row("no blank line at the end", THREE.rstrip().encode(), "1-3"),
    Row("cut inside the last deal", THREE.encode()[:-40], "1, 2", "the Deal tag breaks off", 1),
    Row("boards out of order", (game(3, 3) + game(1, 1) + game(2, 2)).encode(), "1-3"),
    Row("board 0", (game(0, 1) + game(1, 2)).encode(), "1", '"0" is not a board number', 1),
    Row("board 999", game(999, 1).encode(), "999"),
    Row("board 1000", game(1000, 1).encode(), "1000"),
    Row("board 12345", game(12345, 1).encode(), "12345"),
    Row("a label among numbers", (THREE + game("1A", 4)).encode(), "1-3", '"1A" is not a board number', 1),
    Row("the same board at several tables", (THREE + THREE).encode(), "1-3", "are left out: 3"),
    Row("an unusual dealer on every board", (game(1, 1, '[Dealer "W"]\n') + game(2, 2)).encode(), "1, 2", "Law 2"),
    Row("no Dealer tag", THREE.encode(), "1-3"),
    Row("one hand unknown", (THREE + unknown(4, 4, 1)).encode(), "1-3", "the hand of West is not given", 1),
    Row("two hands unknown", (THREE + unknown(4, 4, 2)).encode(), "1-3", "the hands of South and West are not", 1),
    Row("no hands at all", (THREE + '[Board "4"]\n[Deal ""]\n').encode(), "1-3", "Records without hands, left out: 1"),
    Row("both rooms of a match", ROOMS.encode(), "1, 2", "are left out: 2"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_file_becomes_one_set(row: Row, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(row.data)

    deals = load_deals(path)

    assert deals.range_text == row.boards
    assert len(deals.problems) == row.problems
    told = "\n".join([*deals.notes, *map(str, deals.problems)])
    assert row.told in told
    assert row.told or told == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (THREE + game(1, 11) + game(2, 12), "holds 2 deal sets"),
        (THREE + game(2, 12), "Board 2 is in the file twice with different hands"),
        (game(None, 1) + game(None, 2), "no board numbers"),
        (game("1A", 1) + game("B2", 2) + game("3-4", 3), "no board numbers"),
        (game("", 1) + game("?", 2), "no board numbers"),
        ('[Board "1"]\n[Deal ""]\n', "no deal with hands"),
        (unknown(1, 1, 2), "no board that can be dealt"),
        ('[Board "1"]\n[Deal "... ... ... ..."]\n', "no deal with hands"),
    ],
    ids=[
        "sessions",
        "contradiction",
        "no numbers",
        "labels",
        "unknown numbers",
        "no deal",
        "two hands",
        "end position",
    ],
)
def test_the_file_is_refused_until_a_person_says_more_or_for_good(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text)

    with pytest.raises(DealFileError, match=words) as caught:
        load_deals(path)
    assert caught.value.path == str(path)
    assert caught.value.hint.startswith("Nothing was dealt.")


def test_the_order_of_the_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(game(3, 3) + game(1, 1) + game(2, 2))

    assert load_deals(path).numbers == (3, 1, 2)


def test_a_dealer_that_the_file_does_not_carry_is_computed_and_known_to_be(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(THREE)

    deals = load_deals(path)

    assert [board.dealer for board in deals] == [None] * 3
    assert [board.dealer_to_use for board in deals] == [Seat.NORTH, Seat.EAST, Seat.SOUTH]
    assert [board.vulnerability_to_use for board in deals][:2] == [Vulnerability.NONE, Vulnerability.NS]


def test_both_sessions_of_a_joined_file_can_be_chosen_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("% PBN 1.0\n" + THREE + "% PBN 1.0\n" + game(1, 11) + game(2, 12) + game(3, 13))

    assert [[board.deal for board in one] for one in load_sets(path)] == [
        [deal(1), deal(2), deal(3)],
        [deal(11), deal(12), deal(13)],
    ]


@pytest.mark.parametrize(
    ("number", "suffix", "fits"),
    [
        (99, ".dlm", True),
        (100, ".dlm", False),
        (999, ".dup", True),
        (1000, ".dup", False),
        (12345, ".pbn", True),
    ],
)
def test_a_high_number_is_written_where_the_format_has_room_alone(
    number: int, suffix: str, fits: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "file", tmp_path / f"out{suffix}"
    path.write_text(game(number, 1))

    code = main(["convert", str(path), str(out)])

    assert (code, out.exists()) == ((0, True) if fits else (6, False))
    assert str(number) in "".join(capsys.readouterr())
    assert not fits or load_deals(out).numbers == (number,)


def test_20_000_boards_are_read_and_become_one_set(tmp_path: Path) -> None:
    path = tmp_path / "file"
    hands = [deal(seed).hands_as_pbn() for seed in range(50)]
    path.write_text("".join(f'[Board "{number}"]\n[Deal "{hands[number % 50]}"]\n\n' for number in range(1, 20_001)))

    deals = load_deals(path)

    assert deals.range_text == "1-20000"
    assert len(deals.suspect) == 6


@pytest.mark.parametrize("shape", ["downwards", "zigzag", "alternating", "damaged"])
def test_the_work_grows_with_the_number_of_records_alone(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    work = 0
    add, same = Draft.add, Deal.__eq__

    def counted_add(draft: Draft, entry: Entry, path: str | None) -> None:
        nonlocal work
        work += 1
        add(draft, entry, path)

    def counted_same(one: Deal, other: object) -> bool:
        nonlocal work
        work += 1
        return same(one, other)

    monkeypatch.setattr(Draft, "add", counted_add)
    monkeypatch.setattr(Deal, "__eq__", counted_same)
    two = (deal(1), deal(2))

    def numbers(size: int) -> list[tuple[int, Deal | None]]:
        if shape == "downwards":
            return [(size - place, two[0]) for place in range(size)]
        if shape == "zigzag":
            return [(1 + place % 7 * (place % 3), two[place // 21 % 2]) for place in range(size)]
        if shape == "alternating":
            return [(1 + place % 2, two[place // 2 % 2]) for place in range(size)]
        return [(1 + place % 5, two[place % 2] if place % 3 else None) for place in range(size)]

    def measured(size: int) -> int:
        nonlocal work
        work = 0
        records = tuple(Record(1, str(number), deal=found) for number, found in numbers(size))
        try:
            sets_from(Contents(records), name="x")
        except BadDeal:
            return work + 1
        return work

    assert measured(4_000) <= 3 * measured(2_000)
    assert work <= 20 * 4_000
