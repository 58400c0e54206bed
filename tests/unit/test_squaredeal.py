"""SquareDeal: Big Deal's stream, a small tournament of our own, a great published one, and files that are malformed.

Read next: `driver/deals/squaredeal.py`.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from base64 import b64encode
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from driver.deals.model import BoardDeal, Deal, DealSet
from driver.deals.numbering import DEALS, deal_at
from driver.deals.squaredeal import Place, big_deal_numbers, verify_squaredeal
from driver.errors import BadSyntax, ConfigError
from protocol.cards import Card, Suit

ROOT = Path(__file__).resolve().parents[2]
TYPED = tomllib.loads((ROOT / "tests" / "data" / "deal_numbers.toml").read_text(encoding="utf-8"))
SHARED = ROOT.parent / "shared" / "data"
PUBLISHED = SHARED / "squaredeal" / "WBG2024.sqd"


def ripemd160(data: bytes) -> bytes:
    return hashlib.new("ripemd160", data).digest()


try:
    ripemd160(b"")
    HAS_RIPEMD160 = True
except ValueError:
    HAS_RIPEMD160 = False

needs_ripemd160 = pytest.mark.skipif(not HAS_RIPEMD160, reason="this Python has no RIPEMD-160")

KEYS = (
    b"1,1:abcdefghijKLMNOPQRST\r\n1,2:bcdefghijkLMNOPQRSTU\r\n1,3:cdefghijklMNOPQRSTUV\r\n2,1:defghijklmNOPQRSTUVW\r\n"
)
DESCRIPTION = (
    b"# Description file of tournament for program SquareDeal 2.7\n#\n"
    b"TN Club Championship\nDI Lotto of 2026-11-29\nDV 3 6 9\n"
    b"SN 3:1-2,3-4:RR#:Round Robin #/3\nSN 1:3:FIN:Final\n"
    b"KH " + hashlib.sha256(KEYS).hexdigest().encode() + b"\n"
)


def numbers_of(key: bytes, kind: bytes, size: int) -> list[int]:
    """The deal numbers of one session in the words of the published page, apart from the program's own."""
    seed = ripemd160(key[10:] + b64encode(b"3 6 9") + kind)
    found: list[int] = []
    counter = 0
    while len(found) < size:
        counter += 1
        number = int(ripemd160(counter.to_bytes(4, "little") + seed + ripemd160(key[:10])).hex()[:24], 16)
        if number < DEALS:
            found.append(number)
    return found


def played(boards: dict[int, int]) -> DealSet:
    return DealSet("played", None, tuple(BoardDeal(board, deal_at(number)) for board, number in boards.items()))


@needs_ripemd160
def test_the_stream_of_big_deal_gives_the_published_numbers() -> None:
    stream = TYPED["big_deal_stream"]
    numbers = big_deal_numbers(bytes.fromhex(stream["seed"]), ripemd160(stream["owner"].encode()))

    assert list(islice(numbers, len(stream["numbers"]))) == [int(number) for number in stream["numbers"]]


@needs_ripemd160
def test_every_board_of_every_session_is_made_again() -> None:
    report = verify_squaredeal(DESCRIPTION, KEYS)

    lines = [
        f"{phase},{session},{board},{number}\n"
        for (phase, session, boards), line in zip(
            [(1, 1, (1, 2)), (1, 2, (3, 4)), (1, 3, (1, 2)), (2, 1, (1, 2, 3))], KEYS.split(), strict=True
        )
        for board, number in zip(boards, numbers_of(line[4:], b"original", len(boards)), strict=True)
    ]
    assert (report.name, report.promise) == ("Club Championship", "Lotto of 2026-11-29")
    assert (report.keys_right, report.sessions, report.boards) == (True, 4, 9)
    assert report.digest == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert report.compared == ()
    assert report.is_right


@needs_ripemd160
def test_boards_that_were_played_are_found_with_their_places() -> None:
    second = numbers_of(b"bcdefghijkLMNOPQRSTU", b"original", 2)
    reserve = numbers_of(b"defghijklmNOPQRSTUVW", b"reserve", 3)
    sets = [played({3: second[0], 4: second[1]}), played({3: reserve[2]})]

    report = verify_squaredeal(DESCRIPTION, KEYS, sets)

    places = [[found.place for found in one] for one in report.compared]
    assert places == [[Place(1, 2, 3), Place(1, 2, 4)], [Place(2, 1, 3, reserve=True)]]
    assert report.is_right


@needs_ripemd160
def test_a_board_from_elsewhere_or_under_another_number_is_not_right() -> None:
    second = numbers_of(b"bcdefghijkLMNOPQRSTU", b"original", 2)

    elsewhere = verify_squaredeal(DESCRIPTION, KEYS, [played({3: second[0], 4: 4})])
    renumbered = verify_squaredeal(DESCRIPTION, KEYS, [played({5: second[0]})])

    assert [found.place for found in elsewhere.compared[0]] == [Place(1, 2, 3), None]
    assert renumbered.compared[0][0].place == Place(1, 2, 3)
    assert not elsewhere.is_right
    assert not renumbered.is_right


@needs_ripemd160
def test_keys_that_were_changed_after_the_announcement_are_told() -> None:
    report = verify_squaredeal(DESCRIPTION, KEYS.replace(b"abc", b"abd"))

    assert not report.keys_right
    assert not report.is_right


@needs_ripemd160
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_ends_of_lines_of_a_copy_do_not_matter(end: bytes) -> None:
    report = verify_squaredeal(
        DESCRIPTION.replace(b"\n", end), KEYS.replace(b"\r\n", end), [played({1: 1})] if end == b"\n" else []
    )

    assert report.keys_right


@needs_ripemd160
@pytest.mark.skipif(not PUBLISHED.is_file(), reason="the published tournament of ../shared is not here")
def test_a_published_championship_is_verified_in_full() -> None:
    text = (SHARED / "deals" / "wbg2024_fin1.pbn").read_text(encoding="ascii")
    games = re.findall(r'\[Board "(\d+)"\].*?\[Deal "N:([^"]+)"\]', text, re.DOTALL)
    final = DealSet("final", None, tuple(BoardDeal(int(board), from_pbn(deal)) for board, deal in games))

    report = verify_squaredeal(PUBLISHED.read_bytes(), PUBLISHED.with_suffix(".sqk").read_bytes(), [final])

    assert report.keys_right
    assert (report.sessions, report.boards) == (90, 1186)
    assert report.digest[:8] == "6b585651"
    assert report.digest[-6:] == "316d5f"
    assert [found.place for found in report.compared[0]] == [Place(7, 1, board) for board in range(1, 17)]
    assert report.is_right


def from_pbn(text: str) -> Deal:
    return Deal.from_hands(
        [
            [Card.of(suit, rank) for suit, ranks in zip(Suit, hand.split("."), strict=True) for rank in ranks]
            for hand in text.split()
        ]
    )


def line(text: bytes) -> int:
    return DESCRIPTION[: DESCRIPTION.index(text)].count(b"\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b"TN Club", b"XX Club", "begins with none of"),
        (b"SN 3:1-2,3-4", b"SN x:1-2,3-4", "number of sessions"),
        (b"SN 3:1-2,3-4", b"SN 0:1-2,3-4", "number of sessions"),
        (b"SN 3:1-2,3-4:RR#:Round Robin #/3", b"SN 3", "number of sessions"),
        (b"SN 3:1-2,3-4", b"SN 3:?", "written as 16 or as 17-32"),
        (b"SN 3:1-2,3-4", b"SN 3:", "written as 16 or as 17-32"),
        (b"SN 3:1-2,3-4", b"SN 3:1-2,4-3", "descend"),
        (b"SN 3:1-2,3-4", b"SN 9999:1", "more than 2000 sessions"),
        (b"SN 3:1-2,3-4", b"SN 1000:9999", "more than 2000 sessions or 50000 boards"),
        (b"DI Lotto", b"TN Lotto", "TN is there twice"),
        (b"KH ", b"KH 0", "64 hexadecimal digits"),
    ],
)
def test_a_malformed_description_is_refused_with_its_line(old: bytes, new: bytes, sentence: str) -> None:
    with pytest.raises(BadSyntax, match=sentence) as caught:
        verify_squaredeal(DESCRIPTION.replace(old, new), KEYS)

    assert caught.value.line == line(old)


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        (b"", "no digest of the keys"),
        (DESCRIPTION.replace(b"DV 3 6 9\n", b""), "The public value .* is not in the description yet"),
        (DESCRIPTION.replace(b"DV 3 6 9\n", b"DV\n"), "The public value .* is not in the description yet"),
        (DESCRIPTION[: DESCRIPTION.index(b"KH")], "no digest of the keys"),
        (DESCRIPTION + b"#" * 1_000_000, "too large"),
    ],
)
def test_a_description_that_is_not_whole_is_refused(description: bytes, sentence: str) -> None:
    with pytest.raises(BadSyntax, match=sentence):
        verify_squaredeal(description, KEYS)


@pytest.mark.parametrize(
    ("keys", "sentence", "at"),
    [
        (KEYS + b"nonsense\r\n", "phase, comma, session", 5),
        (KEYS + b"3,1:abcdefghijk\r\n", "not in the description", 5),
        (KEYS + b"1,1:abcdefghijk\r\n", "there twice", 5),
        (KEYS.replace(b"1,2:", b"1;2:"), "phase, comma, session", 2),
        (KEYS.replace(b"1,2:b", b"1,2:\xff"), "phase, comma, session", 2),
        (KEYS.replace(b"1,3:cdefghijklMNOPQRSTUV\r\n", b""), "Session 1,3 has no key", None),
        (b"", "Session 1,1 has no key", None),
        (b"1" * 1_000_001, "too large", None),
    ],
)
def test_malformed_keys_are_refused_with_their_line(keys: bytes, sentence: str, at: int | None) -> None:
    with pytest.raises(BadSyntax, match=sentence) as caught:
        verify_squaredeal(DESCRIPTION, keys)

    assert caught.value.line == at
    assert caught.value.hint.startswith("Nothing was checked.")


def test_a_computer_without_the_hash_is_told_so(mocker: MockerFixture) -> None:
    mocker.patch("hashlib.new", side_effect=ValueError("unsupported hash type ripemd160"))

    with pytest.raises(ConfigError, match="lacks RIPEMD-160"):
        verify_squaredeal(DESCRIPTION, KEYS)


@given(st.binary(max_size=200), st.binary(max_size=200), st.integers(0, len(DESCRIPTION)), st.integers(0, len(KEYS)))
def test_damaged_files_are_refused_or_verified_and_nothing_else(
    noise: bytes, more: bytes, place: int, other: int
) -> None:
    for description, keys in [
        (noise, more),
        (DESCRIPTION[:place] + noise + DESCRIPTION[place:], KEYS),
        (DESCRIPTION, KEYS[:other] + more + KEYS[other:]),
        (DESCRIPTION[:place], KEYS[:other]),
    ]:
        with suppress(BadSyntax, *(() if HAS_RIPEMD160 else (ConfigError,))):
            verify_squaredeal(description, keys)
