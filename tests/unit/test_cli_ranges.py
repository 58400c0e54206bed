"""Board numbers and copies as typed.

Read next: `driver/cli/ranges.py`.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.cli.ranges import HIGHEST_BOARD, MOST_BOARDS, parse_board, parse_boards, parse_colours, parse_copies


@pytest.mark.parametrize(
    ("text", "boards"),
    [
        ("7", (7,)),
        ("1-4", (1, 2, 3, 4)),
        ("1-3,27", (1, 2, 3, 27)),
        ("27, 1 - 2", (27, 1, 2)),
        ("4-1", (4, 3, 2, 1)),
        ("007", (7,)),
    ],
)
def test_boards_are_read_in_the_order_typed(text: str, boards: tuple[int, ...]) -> None:
    assert parse_boards(text) == boards


@pytest.mark.parametrize(
    "text",
    ["", ",", "1,", "-", "1-", "-3", "1-2-3", "0", "0-3", "a", "1.5", "1;2", "+1", "1_0", "²", "65536", "9" * 5000],
)
def test_what_is_no_range_is_refused_with_a_short_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(Boards read like|A board number is)") as refused:
        parse_boards(text)
    assert len(str(refused.value)) < 120


def test_a_board_named_twice_is_refused_and_the_way_to_copies_is_named() -> None:
    with pytest.raises(ValueError, match=r"Board 3 is named twice.*--copies"):
        parse_boards("1-3,3")


@pytest.mark.parametrize("text", [f"1-{HIGHEST_BOARD}", ",".join(f"{n}-{n + 600}" for n in (1, 2000))])
def test_too_many_boards_are_refused_at_once(text: str) -> None:
    with pytest.raises(ValueError, match=f"More than {MOST_BOARDS} boards"):
        parse_boards(text)


@given(st.lists(st.integers(1, HIGHEST_BOARD), min_size=1, max_size=30, unique=True))
def test_any_list_of_different_boards_reads_back(numbers: list[int]) -> None:
    assert parse_boards(",".join(map(str, numbers))) == tuple(numbers)


@given(st.text(max_size=40))
def test_any_text_is_boards_or_refused_with_a_sentence(text: str) -> None:
    try:
        boards, refusal = parse_boards(text), "."
    except ValueError as error:
        boards, refusal = (0,), str(error)
    assert boards
    assert refusal.endswith(".")


def test_one_board_is_read() -> None:
    assert parse_board(" 17 ") == 17


@pytest.mark.parametrize(
    ("text", "copies"), [("A", ("A",)), ("A,B", ("A", "B")), ("red, blue", ("red", "blue")), ("T1,T2", ("T1", "T2"))]
)
def test_copies_are_read_in_order(text: str, copies: tuple[str, ...]) -> None:
    assert parse_copies(text) == copies


@pytest.mark.parametrize("text", ["", "A,", "A,A", "1", "a b", "\x1b[2J", "x" * 17, ",".join(map(chr, range(65, 123)))])
def test_what_is_no_copy_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_copies(text)


def test_pack_colours_are_two_different_words_or_none() -> None:
    assert parse_colours(" red, blue") == ("red", "blue")
    assert parse_colours("None") == ()


@pytest.mark.parametrize("text", ["", "red", "red,", "red,blue,green", "red,Red", "r2,b", "x" * 17 + ",y"])
def test_pack_colours_that_are_none_are_told_how_they_read(text: str) -> None:
    with pytest.raises(ValueError, match=r"red,blue"):
        parse_colours(text)
