"""Pairs of things that happen within 50 ms, in both orders: few end states, and a way out of each by answering prompts.

`ENDS` is the table: no pair ends outside it, every row of it is reached, and from each end the same program, without a
restart, brings both boards to GOOD with the right cards in each pocket. Read next: `pairs.py`.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from driver.steps import Step
from protocol.codes import FaultCode, PauseReason, State
from tests.campaign.pairs import ENDED, MOMENT, MOMENTS, EndState, Pair, PairSitting, pairs
from tests.support.figures import Figures

ENDS: Final = {
    EndState(Step.WAITING.value, State.NONE): "the board is dealt; the next one starts when it is put in",
    EndState(Step.ASK_START.value, State.NONE): "the board is dealt; a person is asked before the next one",
    EndState(Step.ASK_PAUSED.value, State.PAUSED, PauseReason.FAULT, FaultCode.JAM): "asked what to do about the jam",
    EndState(Step.ASK_PAUSED.value, State.PAUSED, PauseReason.STOP): "asked what to do after STOP at the machine",
    EndState(Step.ASK_PAUSED.value, State.PAUSED, PauseReason.HOST_CHANGED): "asked what to do after the cable was out",
    EndState(ENDED, State.NONE): "stopped; no board is open",
    EndState(ENDED, State.PAUSED, PauseReason.PAUSE): "stopped after a card; the board is open",
    EndState(ENDED, State.PAUSED, PauseReason.STOP): "stopped at once; the board is open",
    EndState(
        ENDED, State.PAUSED, PauseReason.FAULT, FaultCode.JAM
    ): "stopped; the board is open, and the card is stuck",
    EndState(ENDED, State.PAUSED, PauseReason.HOST_LOST): "stopped without a cable; the board is open",
    EndState(ENDED, State.PAUSED, PauseReason.HOST_CHANGED): "stopped when the cable was back; the board is open",
}
"""Every state in which a pair may end, and what a person sees of it. A job that has ended is begun anew to go on."""


def end_of(pair: Pair, folder: Path) -> EndState:
    """Lets the pair happen; the state in which it ends. From there both boards are dealt to their end and are right."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as data,
        PairSitting(Path(data), pair.times(), pair.jams_at) as sitting,
    ):
        sitting.run_on()
        (state, fed), still = sitting.states
        assert still == (state, fed), f"{pair}: it went on by itself"
        sitting.finish()
        assert sitting.core.truth.violations() == [], pair
        assert sitting.is_right(0), pair
        assert sitting.is_right(1), pair
        return state


def check(found: list[Pair], folder: Path, figures: Figures) -> None:
    """All those pairs end within the table, and reach every row of it."""
    ends: Counter[EndState] = Counter()
    outside = []
    for pair in found:
        end = end_of(pair, folder)
        ends[end] += 1
        if end not in ENDS:
            outside.append(f"{pair}: {end}")
    figures.list("end states", [f"{ends[end]:6,}  {end}: {told}" for end, told in ENDS.items()])
    figures.tell(f"pairs that end outside the table, among {len(found):,}", outside or 0, aim="0", met=not outside)
    reached = sum(end in ends for end in ENDS)
    figures.tell("end states of the table that are reached", reached, aim=f"{len(ENDS)}", met=reached == len(ENDS))
    figures.tell("pairs with a way out by answering prompts", f"{len(found):,}", aim="all", met=True)


def test_pairs_25_ms_apart_end_where_the_table_says_and_have_a_way_out(quick_folder: Path, figures: Figures) -> None:
    check(pairs(0.025, (MOMENT,)), quick_folder, figures)


@pytest.mark.campaign
def test_pairs_5_ms_apart_end_where_the_table_says_and_have_a_way_out(quick_folder: Path, figures: Figures) -> None:
    check(pairs(0.005, MOMENTS), quick_folder, figures)
