"""A card's face was seen: nothing, new hands, or the same hands and a note.

Read next: `driver/seen_card.py`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from driver.laws import EDITIONS, Edition, Stage
from driver.seen_card import QUESTION, BoardFacts, Outcome, Ruling, Sight, note_line, rule

NOTHING, NEW, SAME = Outcome.NOTHING, Outcome.NEW_HANDS, Outcome.SAME_HANDS

PLAYER = Sight(knows_hand=True, plays=True)
FRESH = BoardFacts(board=9, stage=Stage.DEALT, spare=True, copies_out=False)


def test_a_player_who_may_know_a_hand_gets_new_hands_where_nothing_stands_in_the_way() -> None:
    assert rule(PLAYER, FRESH) == Ruling(NEW, "6D1")
    assert rule(PLAYER, replace(FRESH, stage=Stage.DEALING)) == Ruling(NEW, "6D1")


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(replace(FRESH, spare=False), id="a set from a file, or no spare deal left"),
        pytest.param(replace(FRESH, copies_out=True), id="a copy is out"),
        pytest.param(replace(FRESH, stage=Stage.BEGUN_ELSEWHERE), id="begun at one table"),
        pytest.param(replace(FRESH, stage=Stage.BEGUN), id="in play"),
    ],
)
def test_otherwise_the_same_hands_stay_and_the_director_gets_a_note(facts: BoardFacts) -> None:
    assert rule(PLAYER, facts) == Ruling(SAME, "16D")


@pytest.mark.parametrize("sight", [Sight(False, True), Sight(True, False), Sight(False, False)], ids=str)
@pytest.mark.parametrize("stage", Stage)
def test_a_card_of_the_pack_and_a_person_who_does_not_play_change_nothing(sight: Sight, stage: Stage) -> None:
    assert rule(sight, replace(FRESH, stage=stage)) == Ruling(NOTHING)


@pytest.mark.parametrize("plays", [True, False], ids=["plays", "does not play"])
@pytest.mark.parametrize(
    ("knows_hand", "stage", "outcomes"),
    [
        pytest.param(False, Stage.DEALING, (NEW, NOTHING, NOTHING, NOTHING), id="face seen at card 40"),
        pytest.param(True, Stage.DEALING, (NEW, NEW, NEW, NEW), id="face seen at card 40, hand known"),
        pytest.param(True, Stage.DEALT, (SAME, NEW, NEW, NEW), id="found after the last card"),
        pytest.param(True, Stage.BEGUN, (SAME, SAME, SAME, SAME), id="found after the auction"),
    ],
)
def test_the_same_fault_under_each_edition(
    knows_hand: bool, stage: Stage, outcomes: tuple[Outcome, ...], plays: bool
) -> None:
    facts = replace(FRESH, stage=stage)
    found = tuple(rule(Sight(knows_hand, plays), facts, edition).outcome for edition in EDITIONS)
    assert found == (outcomes if plays else (NOTHING,) * 4)


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: str(edition.year))
def test_no_edition_gives_new_hands_to_a_board_that_cannot_have_them(edition: Edition) -> None:
    for knows, plays, stage, spare, out in product((False, True), (False, True), Stage, (False, True), (False, True)):
        if rule(Sight(knows, plays), BoardFacts(9, stage, spare, out), edition).outcome is NEW:
            assert spare
            assert not out


def test_the_question_and_the_note_are_for_people() -> None:
    assert QUESTION == "Do you know which hand a card went to, and do you play this board?"
    assert note_line(9, "Ann") == "9: Ann may know one card"
