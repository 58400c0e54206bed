"""Every row of "what is found afterwards" as a whole job: what is asked then, and what each choice does to the cards.

The first program comes to grief as the row says; another one begins over the same journal. At the end a careful person
brings every board to its verdict, and the truth is compared.
Read next: PROTOCOL.md, section 10; `test_found_and_not_asked.py`; `tests/unit/test_reconcile.py` (all combinations).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest

from driver.findings import Choice, Situation, finding
from driver.happenings import Item
from driver.job_events import BoardJudged, BoardStarted, JobEnded
from driver.verdicts import Verdict
from firmware_sim.faults import FaultKind
from firmware_sim.memory import MemoryFate
from protocol.cards import PACK_SIZE
from protocol.codes import Key, Place, RequestType
from tests.faults.grief import (
    CARD,
    GO_ON,
    UNTIL_PAUSED,
    begin,
    come_to_be_asked_about_the_verdict,
    elsewhere,
    finish,
    kill_at,
    kill_in_mid_board,
    verdicts,
)
from tests.stateful.world import World
from tests.support.tables import page_table

ROWS: Final = page_table("Restart, reconnect, and what is found afterwards")
PAST_GATE: Final = 0.095
"""Seconds after a card began to move at which no sensor sees it."""
AGAIN: Final = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
CLEAR: Final = (Choice.CLEAR_AND_CLOSE, Choice.STOP)


def before_go(world: World) -> None:
    kill_at(world, RequestType.ARM)


def go_never_arrived(world: World) -> None:
    kill_at(world, RequestType.GO)


def go_arrived(world: World) -> None:
    kill_at(world, RequestType.GO, answer=True)
    world.endpoint.pass_time(UNTIL_PAUSED)


def come_to_be_emptied(world: World) -> list[Item]:
    """The last card falls while nobody listens; then a program that does not deal that board asks about it.

    What was left to deal before.
    """
    world.at_card(PACK_SIZE - 1, world.kill_program)
    world.start_board()
    world.run()
    world.endpoint.pass_time(UNTIL_PAUSED)
    left, world.left = world.left, world.left[1:]
    world.begin_program()
    world.run()
    assert world.asked is not None
    assert world.asked.choices == (Choice.STOP, Choice.CLEAR_AND_CLOSE)
    return left


def asked_to_empty(world: World) -> None:
    left = come_to_be_emptied(world)
    world.kill_program()
    world.left = left


def memory_lost_after_the_verdict(world: World) -> None:
    come_to_be_asked_about_the_verdict(world)
    world.kill_program()
    world.cut_power(MemoryFate.BLANK)
    world.endpoint.pass_time(UNTIL_PAUSED)


def stopped_past_the_gate(world: World) -> None:
    world.at_card(CARD, lambda: world.core.mechanism.press(Key.STOP), PAST_GATE)
    world.start_board()
    world.run()
    assert world.asked is not None
    assert world.asked.choices == AGAIN, "the program that lived on asks the same"
    world.end_program()


def card_may_be_put_back(world: World) -> None:
    """A card is stuck; the program ends, and the person has laid the card on top of the hopper."""
    world.mishap(FaultKind.JAM_PATH, CARD)
    world.start_board()
    world.run()
    world.end_program()
    mechanism = world.core.mechanism
    mechanism.put_card_back(mechanism.take_card(Place.PATH))


def two_cards_at_once(world: World) -> None:
    world.mishap(FaultKind.DOUBLE_FEED, CARD)
    world.start_board()
    world.run()
    world.end_program()


def board_swapped(world: World) -> None:
    kill_in_mid_board(world)
    world.core.mechanism.slot.insert_board(world.core.mechanism.slot.remove_board().number)


def used_without_us(world: World) -> None:
    kill_at(world, RequestType.ARM)

    def deal_another() -> None:
        world.start_board()
        world.run()
        world.obey()

    elsewhere(world, deal_another)


def memory_lost(world: World) -> None:
    kill_in_mid_board(world)
    world.cut_power(MemoryFate.BLANK)
    world.endpoint.pass_time(UNTIL_PAUSED)


def memory_lost_before(world: World) -> None:
    """It lost its memory and started once more, which it tells nobody."""
    memory_lost(world)
    world.cut_power(MemoryFate.KEPT)
    world.endpoint.pass_time(UNTIL_PAUSED)
    assert not world.core.memory_lost


def ended_elsewhere(world: World) -> None:
    kill_in_mid_board(world)

    def clear() -> None:
        assert world.asked is not None
        assert world.asked.choices == CLEAR
        world.obey()
        world.run()

    elsewhere(world, clear)


def foreign(world: World) -> None:
    kill_at(world, RequestType.ARM)

    def leave_open() -> None:
        world.at_card(CARD, world.kill_program)
        world.start_board()
        world.run()

    elsewhere(world, leave_open)
    world.endpoint.pass_time(UNTIL_PAUSED)


@dataclass(frozen=True, slots=True)
class Case:
    """How the row comes about, and what is asked then."""

    come: Callable[[World], None]
    choices: tuple[Choice, ...]


ASKED: Final = {
    "host crash after the intent, before GO": Case(before_go, (Choice.GO, Choice.STOP)),
    "host crash after GO was sent, GO never arrived": Case(go_never_arrived, (Choice.GO, Choice.STOP)),
    "host crash after GO was sent, GO arrived": Case(go_arrived, GO_ON),
    "host crash while somebody was asked to empty the finished board": Case(asked_to_empty, AGAIN),
    "the same, and the machine restarted or does not hold the run": Case(memory_lost_after_the_verdict, AGAIN),
    "STOP with a card moving": Case(stopped_past_the_gate, AGAIN),
    "STOP or a jam, and the card may be put back (section 5)": Case(card_may_be_put_back, GO_ON),
    "paused where it may not go on (section 5)": Case(two_cards_at_once, AGAIN),
    "board swapped while the cable was out": Case(board_swapped, AGAIN),
    "machine used without us": Case(used_without_us, AGAIN),
    "machine memory lost": Case(memory_lost, AGAIN),
    "the same, after GO was sent, and another restart since": Case(memory_lost_before, AGAIN),
    "the run ended while we were away": Case(ended_elsewhere, AGAIN),
    "a run that this journal does not know": Case(foreign, CLEAR),
}
"""The rows of which a person is asked by the next program."""
NOT_ASKED: Final = {
    "ARM, GO or their answer lost",
    "5 s without an answer",
    "cards still move, longer than any card may take",
    "host crash after card 52, before the verdict",
    "the same, and nothing senses where the board is",
    "host crash after the verdict, before CLOSE",
    "host crash while a person was asked about the verdict",
    "the same, and the machine can prove no board",
    "STOP crosses RUN(DONE)",
    "another machine on the port",
}
"""The rows acted out in `test_found_and_not_asked.py`."""
EACH_CHOICE: Final = [(row, choice) for row, case in ASKED.items() for choice in case.choices]


def test_every_row_of_the_page_is_acted_out() -> None:
    assert [row for row in ROWS.column("what happened") if row in ASKED] == list(ASKED)
    assert set(ROWS.column("what happened")) == set(ASKED) | NOT_ASKED


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["what happened"] in ASKED], ids=lambda row: str(row["what happened"])
)
def test_a_row_asks_what_the_finding_of_its_conclusion_offers(row: dict[str, str]) -> None:
    situation = Situation[row["conclusion"].partition(",")[0]]
    offered = GO_ON if "may be put back" in row["what happened"] else finding(situation, None).choices

    assert ASKED[row["what happened"]].choices == offered


@pytest.mark.parametrize(("row", "choice"), EACH_CHOICE, ids=[f"{row}-{choice.name}" for row, choice in EACH_CHOICE])
def test_what_was_found_is_asked_as_its_row_says_and_each_choice_is_acted_on(
    row: str, choice: Choice, world: World
) -> None:
    case = ASKED[row]
    case.come(world)
    assert begin(world) == case.choices
    motions, found = world.watch.motions, world.asked
    assert found is not None

    if choice is Choice.GO_ON and world.core.control.run is not None and world.core.control.fault is not None:
        world.decide(choice)  # the card lies on top of the hopper already
    else:
        world.obey(choice)
    world.run()

    match choice:
        case Choice.GO | Choice.GO_ON | Choice.DEAL_AGAIN:
            assert world.watch.motions == motions + 1
            (started,) = [event for event in world.told if isinstance(event, BoardStarted)]
            assert (started.board, bool(started.index)) == (1, choice is Choice.GO_ON and started.index > 0)
            assert [event.judgement.verdict for event in world.told if isinstance(event, BoardJudged)] == [Verdict.GOOD]
        case Choice.SKIP:
            assert world.watch.motions == motions
            assert world.core.control.run is None
            assert (world.between_boards, world.asked and world.asked.board) == (True, 2)
        case Choice.CLEAR_AND_CLOSE:
            assert world.watch.motions == motions
            assert world.core.control.run is None
            assert (world.between_boards, world.asked and world.asked.board) == (True, 1)
        case _:
            assert isinstance(world.told[-1], JobEnded)
            assert world.watch.motions == motions
            begin(world)
            assert world.asked is not None
            is_unstarted = Choice.GO in case.choices  # nothing is open then; the board is simply the first to be dealt
            assert world.asked.choices == ((Choice.GO, Choice.SKIP, Choice.STOP) if is_unstarted else case.choices)
    finish(world)


@pytest.mark.parametrize("answers", [True, False], ids=["leaves them in", "Ctrl-C"])
def test_a_finished_board_gets_its_verdict_where_the_person_answered_to_leave_its_cards_in(
    answers: bool, world: World
) -> None:
    left = come_to_be_emptied(world)
    if answers:
        world.decide(Choice.STOP)
    else:
        assert world.job is not None
        world.job.stop()
    world.run()
    assert world.is_over
    world.left = left
    asked = begin(world)
    assert verdicts(world) == ([(1, Verdict.GOOD)] if answers else [])
    assert answers or asked == AGAIN
    finish(world)
