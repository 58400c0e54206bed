"""What is published of a set, before play and after it, is read again as it was; a third party's check finds each slip.

Read next: `driver/opening.py`, `driver/start_sheet.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.fairness import Manifest, SpareUsed, secret_digest
from driver.deals.generator import MadeSet, remade
from driver.deals.model import DealSet
from driver.deals.public_value import text_rule
from driver.errors import BadSyntax, ConfigError, DealFileError, UnknownFormat
from driver.laws import NEWEST
from driver.new_hands import GivenSpare
from driver.opening import HandsChanged, Opening, check, parse_opening, read_text, second_secret, secret_in
from driver.start_sheet import commitment_in, description_in, start_sheet

SECRET = bytes(range(32))
SECOND = bytes(range(32, 64))
MANIFEST = Manifest(secret_digest(SECRET), "1-36", club="Klub Ö", event="Open {final}", session="2026-12-05")
MADE = remade(MANIFEST.text, SECRET)
OPENING = Opening(MANIFEST, SECRET, name="final", dealt=(1, 2, 3), new_hands=())


def played(made: MadeSet = MADE, spares: dict[int, int] | None = None, numbers: range = range(1, 7)) -> DealSet:
    """The boards as they were played; `spares` are those that were played with a spare deal's hands."""
    given = spares or {}
    boards = [
        replace(board, deal=made.spares[given[board.number] - 1]) if board.number in given else board
        for board in made.boards(numbers)
    ]
    return DealSet("records", None, tuple(boards))


def new_hands(*given: tuple[int, int, tuple[str, ...]]) -> tuple[HandsChanged, ...]:
    return tuple(HandsChanged(GivenSpare(board, spare, copies), "a card was seen") for board, spare, copies in given)


def test_an_opening_is_read_again_as_it_was_written() -> None:
    manifest = replace(MANIFEST, rule=text_rule("dice of 2026-12-05"), second_sha256=secret_digest(SECOND))
    opening = Opening(
        manifest, SECRET, "3 5", SECOND, "final", (1, 2), new_hands((7, 1, ()), (3, 2, ("A", "B")), (7, 3, ()))
    )

    assert parse_opening(opening.text) == opening
    assert opening.void == (7,)


def test_the_hands_that_were_promised_are_found_right_with_the_commitment_that_was_published() -> None:
    sheet = start_sheet(MANIFEST, name="final")
    checked = check(OPENING, [played()], commitment_in(sheet))

    assert checked.is_right
    assert (checked.commitment_right, checked.secret_right) == (True, True)
    assert checked.compared[0].equal == (1, 2, 3, 4, 5, 6)


def test_two_boards_that_changed_places_are_found() -> None:
    deals = played()
    one, other = deals.boards[:2]
    boards = (replace(one, deal=other.deal), replace(other, deal=one.deal), *deals.boards[2:])
    checked = check(OPENING, [replace(deals, boards=boards)])

    assert not checked.is_right
    assert checked.compared[0].differ == (1, 2)


def test_a_board_beyond_the_set_is_named() -> None:
    deals = played()
    checked = check(OPENING, [replace(deals, boards=(*deals.boards, replace(deals.boards[0], number=37)))])

    assert (checked.is_right, checked.compared[0].outside) == (False, (37,))


@pytest.mark.parametrize(
    ("given", "spares", "right"),
    [
        (new_hands((5, 1, ())), {5: 1}, True),
        (new_hands((5, 1, ())), {}, False),
        (new_hands((5, 1, ("B",))), {}, True),
        (new_hands((5, 1, ("B",))), {5: 1}, True),
        (new_hands((5, 1, ()), (5, 2, ())), {5: 2}, True),
        (new_hands((5, 1, ()), (5, 2, ())), {5: 1}, False),
        (new_hands((5, 1, ()), (5, 2, ("B",))), {5: 1}, True),
        (new_hands((5, 1, ())), {4: 1, 5: 1}, False),
        (new_hands((5, 1, ())), {4: 1}, False),
        ((), {5: 1}, False),
        (None, {5: 1}, True),
        (None, {}, True),
        (None, {4: 1, 5: 1}, False),
    ],
)
def test_a_board_may_have_exactly_the_spare_deals_that_the_opening_names(
    given: tuple[HandsChanged, ...] | None, spares: dict[int, int], right: bool
) -> None:
    checked = check(replace(OPENING, new_hands=given), [played(spares=spares)])

    assert checked.is_right is right
    if right and spares:
        assert checked.compared[0].spares == tuple(SpareUsed(*pair) for pair in spares.items())


def test_a_wrong_secret_a_wrong_commitment_and_no_records_are_not_right() -> None:
    wrong = check(replace(OPENING, secret=SECOND), [played()])
    other = check(OPENING, [played()], "0" * 64)
    nothing = check(OPENING, [])

    assert (wrong.secret_right, wrong.is_right) == (False, False)
    assert (other.commitment_right, other.is_right) == (False, False)
    assert (nothing.compared, nothing.is_right) == ((), False)


def test_a_public_value_that_was_not_promised_is_refused() -> None:
    with pytest.raises(ConfigError):
        check(replace(OPENING, public_value="3"), [played()])


def changed(name: str, value: object) -> str:
    values: dict[str, Any] = json.loads(OPENING.text)
    return json.dumps({**values, name: value})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        changed("v", "deal-opening-2"),
        changed("secret", "00"),
        changed("secret", None),
        changed("commitment", "0" * 64),
        changed("void", [4]),
        changed("dealt", [True]),
        changed("dealt", "1-3"),
        changed("manifest", "{}"),
        changed("second_secret", SECOND.hex()),
        changed("new_hands", [{"board": 5, "spare": 5, "copies": [], "reason": ""}]),
        changed("new_hands", [{"board": 0, "spare": 1, "copies": [], "reason": ""}]),
        changed("new_hands", [{"board": 5, "spare": 1}]),
        changed("new_hands", [7]),
    ],
)
def test_what_is_no_opening_is_refused_without_a_word_of_the_secret(text: str) -> None:
    with pytest.raises(BadSyntax) as caught:
        parse_opening(text)

    assert SECRET.hex() not in f"{caught.value}{caught.value.hint}{caught.value.details}"


@pytest.mark.parametrize("read", [parse_opening, description_in, commitment_in, secret_in])
@given(text=st.text() | st.text(alphabet='{}[]":,0123456789abcdef \n').filter(bool))
def test_any_text_gives_a_value_or_a_deal_file_error(read: Callable[[str], object], text: str) -> None:
    try:
        read(text)
    except DealFileError:
        return


def test_no_repr_of_an_opening_shows_a_secret() -> None:
    shown = repr(replace(OPENING, second=SECOND))

    assert SECRET.hex() not in shown
    assert repr(SECRET) not in shown
    assert repr(SECOND) not in shown


def test_the_sheet_tells_no_secret_and_gives_description_and_commitment_back() -> None:
    manifest = replace(MANIFEST, rule=text_rule("dice of 2026-12-05"))
    sheet = start_sheet(
        manifest, name="final", director="Ann {Lee}", instruction="by machine", thrown_away=2, date="2026-12-05"
    )

    assert description_in(sheet) == manifest
    assert commitment_in(sheet) == manifest.commitment.hex()
    assert SECRET.hex() not in sheet
    for text in ("Ann {Lee}", "by machine", "dice of 2026-12-05", "before this one: 2.", "Klub Ö", "1-36"):
        assert text in sheet


def test_beside_the_director_s_instruction_the_sheet_says_on_what_dealing_by_a_machine_rests() -> None:
    sheet = start_sheet(MANIFEST, name="final", director="Ann Lee", instruction="by machine")

    _, _, after = sheet.partition("Director: Ann Lee\nInstruction (Law 6E4): by machine\n")
    assert after.partition("Sets that were made")[0].split() == NEWEST.method_line.split()
    assert all(len(line) <= 120 for line in after.partition("Sets that were made")[0].splitlines())
    assert "Law" not in start_sheet(MANIFEST, name="final", director="Ann Lee"), "nothing rests on what nobody said"


def test_a_commitment_is_read_as_it_is_typed_and_two_are_none() -> None:
    digits = MANIFEST.commitment.hex()

    assert commitment_in(f"  {digits[:32].upper()} {digits[32:]}\n") == digits
    assert commitment_in(f"It was {digits}.") == digits
    for text in ("", digits[:-1], f"{digits} {'0' * 64}", MANIFEST.text):
        with pytest.raises(BadSyntax, match="64 digits"):
            commitment_in(text)


def test_a_secret_is_read_from_its_file_and_a_wrong_file_shows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "second.txt"
    path.write_text(SECOND.hex() + "\r\n", encoding="ascii")

    assert second_secret(path) == SECOND
    assert second_secret(None) == b""
    with pytest.raises(BadSyntax) as caught:
        secret_in(SECOND.hex()[:-1])
    assert SECOND.hex()[:8] not in str(caught.value)


def test_a_file_that_is_not_there_is_a_folder_or_is_no_text_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "long").write_bytes(bytes(1_000_001))
    for name in ("none", ".", "binary", "long"):
        with pytest.raises(UnknownFormat, match="cannot be read"):
            read_text(tmp_path / name)
