"""The second page of `show`: what the machine really dropped, out of records that name no card.

Read next: `driver/dropped.py`, `driver/cli/show.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from driver.cli.show import dropped_page, picture
from driver.deals.model import BoardDeal
from driver.dropped import Dropped, dropped
from driver.journal import Journal, tag_of
from driver.plan import Plan
from driver.store.entries import CardEvidence
from driver.store.runs import Intention
from driver.store.store import Store
from driver.verdicts import Verdict
from protocol.cards import PACK, PACK_SIZE
from protocol.codes import Proof, RecordState
from tests.support.store import deal_set, opened

FULL_PROOF = Proof.READ | Proof.LEFT_PATH | Proof.SENSED
BOARD = deal_set([7]).boards[0]


def cards(*planned: bool | None, dropped_to: int = PACK_SIZE) -> list[CardEvidence]:
    """The first cards as told, the rest as planned; from `dropped_to` on they are in doubt."""
    told = [*planned, *[True] * (PACK_SIZE - len(planned))]
    return [
        CardEvidence(place, RecordState.DROPPED, FULL_PROOF, as_planned)
        if place < dropped_to
        else CardEvidence(place, RecordState.DOUBT, Proof(0), None)
        for place, as_planned in enumerate(told)
    ]


def dealt(
    store: Store,
    evidence: Sequence[CardEvidence],
    verdict: Verdict | None,
    *,
    by_order: bool,
    as_board: int = 7,
    simulated: bool = False,
) -> str:
    stored = store.sets.add_imported(deal_set([7])).stored
    plan = (Plan.by_order if by_order else Plan.by_identity)(as_board, BOARD.deal)
    told = Intention(as_board, "", "DM0042", 1, 0, 0, stored.id, 7, simulated=simulated)
    with Journal(store) as journal:
        run = journal.intend(told, tag_of(store, plan)).run
        journal.note_go(run)
        if verdict is not None:
            journal.note_verdict(run, verdict.name, evidence=evidence)
    return stored.id


def page_of(folder: Path, evidence: Sequence[CardEvidence], verdict: Verdict | None, *, by_order: bool) -> list[str]:
    with opened(folder) as store:
        return dropped_page(BOARD, dropped(store, dealt(store, evidence, verdict, by_order=by_order), BOARD, ""))


@pytest.mark.parametrize("by_order", [False, True])
def test_where_every_card_went_as_planned_the_page_has_the_hands_that_lie_there(by_order: bool, tmp_path: Path) -> None:
    page = page_of(tmp_path, cards(), Verdict.GOOD, by_order=by_order)

    assert page[0].endswith(": GOOD.")
    assert page[1] == "52 cards dropped: 52 where the plan has them, 0 elsewhere, 0 not known."
    assert page[2] == "Of them read on its face: 52, seen leaving the path: 52, felt in its pocket: 52."
    assert page[5:] == picture(BOARD)


def test_a_board_that_is_not_proven_any_more_says_so_above_the_hands_of_its_record(tmp_path: Path) -> None:
    page = page_of(tmp_path, cards(), Verdict.NOT_PROVEN, by_order=False)

    assert page[3] == "By this record it would hold these hands; that is not proven:"


def test_of_a_sorted_pack_the_cards_that_lie_elsewhere_or_nowhere_known_are_named(tmp_path: Path) -> None:
    page = page_of(tmp_path, cards(True, False, None, dropped_to=50), Verdict.NOT_PROVEN, by_order=True)

    assert page[1] == "50 cards dropped: 48 where the plan has them, 1 elsewhere, 3 not known."
    assert [line.split(",")[0] for line in page[3:-1]] == [
        f"Elsewhere: {PACK[1]}",
        f"Not known: {PACK[2]}",
        f"Not known: {PACK[50]}",
        f"Not known: {PACK[51]}",
    ]
    assert page[-1] == "All others lie where the deal has them."


def test_of_a_shuffled_pack_nobody_can_say_which_cards_lie_elsewhere(tmp_path: Path) -> None:
    page = page_of(tmp_path, cards(False), Verdict.DEAL_AGAIN, by_order=False)

    assert page[1] == "52 cards dropped: 51 where the plan has them, 1 elsewhere, 0 not known."
    assert page[3:] == ["Which cards those are is not written down. Compare it: dealctl check-board 7"]


@pytest.mark.parametrize(
    ("verdict", "words"), [(None, "without a verdict"), (Verdict.NOT_PROVEN, Verdict.NOT_PROVEN.words)]
)
@pytest.mark.parametrize("by_order", [False, True])
def test_where_nothing_was_written_of_the_cards_the_page_does_not_say_that_none_fell(
    verdict: Verdict | None, words: str, by_order: bool, tmp_path: Path
) -> None:
    page = page_of(tmp_path, (), verdict, by_order=by_order)

    assert page[0].endswith(f": {words}.")
    assert page[1:] == [
        "Nothing is written down of its cards: what lies in it is not known. Compare it: dealctl check-board 7"
    ]


def test_where_no_card_is_known_to_lie_right_no_others_are_said_to(tmp_path: Path) -> None:
    page = page_of(tmp_path, cards(dropped_to=0), Verdict.NOT_PROVEN, by_order=True)

    assert page[1] == "0 cards dropped: 0 where the plan has them, 0 elsewhere, 52 not known."
    assert page[-1].startswith(f"Not known: {PACK[51]},")


def test_the_hands_of_a_counted_board_are_called_counted_and_not_proven(tmp_path: Path) -> None:
    page = page_of(tmp_path, cards(), Verdict.COUNTED, by_order=True)

    assert page[3] == "By this record it holds these hands; its cards are counted, and not all proven:"
    assert page[5:] == picture(BOARD)


def test_a_rehearsal_on_a_simulated_machine_does_not_stand_in_the_place_of_the_real_board(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        set_id = dealt(store, cards(), Verdict.GOOD, by_order=False)
        real = dropped(store, set_id, BOARD, "")
        dealt(store, (), None, by_order=False, simulated=True)
        assert dropped(store, set_id, BOARD, "") == real


def test_a_board_that_was_never_dealt_or_got_other_hands_since_shows_no_hands(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        set_id = dealt(store, cards(), Verdict.GOOD, by_order=False)
        assert dropped(store, set_id, BOARD, "B") is None
        other = BoardDeal(7, deal_set([8]).boards[0].deal)
        found = dropped(store, set_id, other, "")
    assert dropped_page(other, None) == ["Board 7 was not dealt here: what lies in it is not known."]
    assert found is not None
    assert not found.equals_deal
    assert dropped_page(other, found)[3:] == [
        "It was dealt with other hands than the board has now: which ones is not written down."
    ]


def test_a_board_dealt_under_another_number_is_known_by_it(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        set_id = dealt(store, cards(), Verdict.GOOD, by_order=False, as_board=19)
        found = dropped(store, set_id, BOARD, "")
    assert found is not None
    assert found.equals_deal


def test_what_was_found_names_no_card_in_its_repr(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        found = dropped(store, dealt(store, cards(False, None), Verdict.NOT_PROVEN, by_order=True), BOARD, "")
    assert isinstance(found, Dropped)
    assert repr(found) == repr(replace(found, astray=None, unsure=None))
