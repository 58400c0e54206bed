"""`dealctl deal --packs 2`: two packs in the hopper, and what may be called GOOD then (PROTOCOL.md, section 9).

Somebody loads two packs with different backs and puts one more below whenever a pack is used up. Read next:
`driver/verification.py`, `driver/cli/loading_card.py`; `tests/faults/test_visibility.py` for each fault of such a load.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from driver.cli.exit_codes import Exit
from driver.cli.simulator import Simulator
from driver.deals.loader import load_deals
from tests.cli.program import CLUB, Ran, dealctl, shown_hands
from tests.support.peers import hands_of

OPEN_END = "The end of this pack shows only when the next pack of the load ends as it should."

Deal = Callable[..., tuple[Ran, dict[str, Any]]]


@pytest.fixture
def deal(tmp_path: Path) -> Deal:
    """Deals boards 1 to 3 with two packs in the hopper; what the command said, and the machine's truth."""
    scenario = tmp_path / "two.toml"
    scenario.write_text('packs = "two"\nboards = "1-3"\nseed = 1\nspeed = 200.0\n', encoding="ascii")

    def dealt(profile: str, *words: str, fault: str = "") -> tuple[Ran, dict[str, Any]]:
        faults = ["--fault", fault] if fault else []
        with Simulator(["--scenario", str(scenario), "--profile", profile, *faults]) as machine:
            place = ("--auto", "--machine", machine.url, "--data", tmp_path / "data")
            ran = dealctl("deal", CLUB, "--boards", "1-3", *place, *words)
            assert not shown_hands(ran.all, load_deals(CLUB))
            return ran, machine.ask({"do": "truth"})

    return dealt


def is_right(truth: dict[str, Any]) -> bool:
    """Whether each of the three boards truly holds its deal."""
    dealt = {board["number"]: [sorted(pocket) for pocket in board["pockets"]] for board in truth["boards"]}
    expected = {board.number: [sorted(hand) for hand in hands_of(board.deal)] for board in load_deals(CLUB).boards[:3]}
    return dealt == expected and truth["violations"] == []


def test_where_the_backs_are_seen_each_pack_ends_for_itself(deal: Deal) -> None:
    ran, truth = deal("full", "--packs", "2")
    assert ran.code == Exit.ALL_GOOD, ran.all
    assert "All 3 boards are GOOD." in ran.out
    assert "  2. Pack out of board 2, below it, number 2 from the top, face down, other back colour" in ran.out
    assert OPEN_END not in ran.out
    assert is_right(truth)


def test_where_nothing_separates_the_packs_good_is_said_with_what_it_rests_on(deal: Deal) -> None:
    ran, truth = deal("r-only", "--packs", "2")
    assert ran.code == Exit.ALL_GOOD, ran.all
    assert "All 3 boards are GOOD." in ran.out
    assert OPEN_END in ran.out
    assert is_right(truth)


def test_a_good_board_is_good_no_more_when_the_pack_below_it_is_not_whole(deal: Deal) -> None:
    ran, _ = deal("r-only", "--packs", "2", fault="pack=short@2")
    assert ran.code == Exit.MACHINE_FAULT, ran.all
    assert "Board 1 is GOOD. 2 boards left" in ran.out
    assert "Board 1 is not proven any more: A card came twice from the next pack of the load." in ran.out
    assert "\nboard 1 NOT PROVEN: A card came twice from the next pack of the load.\n" in ran.out
    assert "0 of 3 boards GOOD, 1 NOT PROVEN, 2 not dealt." in ran.out


def test_without_reading_the_boards_are_counted_and_what_two_packs_hide_is_said(deal: Deal) -> None:
    ran, truth = deal("p-only", "--packs", "2")
    assert ran.code == Exit.NOT_GOOD, ran.all
    assert "0 of 3 boards GOOD, 3 COUNTED." in ran.out
    for hidden in ("Two cards that leave as one are not seen", "A pack with a card too few is not seen", OPEN_END):
        assert hidden in ran.out
    assert is_right(truth)


def test_a_second_pack_that_nobody_announced_leaves_the_board_not_proven(deal: Deal) -> None:
    ran, _ = deal("full")
    assert ran.code == Exit.NOT_GOOD, ran.all
    assert "board 1 NOT PROVEN: Cards are left in the hopper, though no pack lies below." in ran.out
    assert "0 of 3 boards GOOD, 1 NOT PROVEN, 2 not dealt." in ran.out
