"""What a job notices over several boards: slower feeding, cards misread, a pack that was not whole. Once each.

Read next: `driver/trends.py`, `driver/catalogue.toml` (the notices).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from driver.card_rows import usual_card_ms
from driver.job_events import Noticed, VerdictWithdrawn
from driver.trends import Trends
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.profile import FULL
from protocol.cards import PACK_SIZE
from protocol.codes import FaultCode, Feature, Proof
from protocol.messages import CardEvent
from tests.support.peers import Setup
from tests.support.sitting import Sitting, pack_for
from tests.support.visibility import DEALS


def cards(ms: int, count: int = PACK_SIZE, *, pause_at: int = -1) -> dict[int, CardEvent]:
    """The events of a board on which a card takes so long; after a pause the time since GO begins anew."""
    events, time = {}, 0
    for index in range(count):
        time = ms if index == pause_at else time + ms
        events[index] = CardEvent(index, 0, Proof(31), 1, index + 1, time)
    return events


def codes(trends: Trends, *boards: int) -> list[str]:
    found = [trends.board_dealt(usual_card_ms(cards(ms))) for ms in boards]
    return [entry.code for entry in found if entry is not None]


def test_three_boards_in_a_row_that_feed_more_slowly_ask_for_a_clean_roller_once() -> None:
    trends = Trends()
    assert codes(trends, 100, 101, 140, 141) == []
    assert codes(trends, 142) == ["FEEDS SLOWER"]
    assert codes(trends, 150, 150, 150, 150) == []


@pytest.mark.parametrize("boards", [(100, 140, 140, 100, 140, 140), (140, 140, 140, 140), (100, 120, 120, 120)])
def test_what_is_no_trend_is_not_told(boards: tuple[int, ...]) -> None:
    assert codes(Trends(), *boards) == []


def test_a_pause_and_a_board_of_few_events_are_no_slow_feeding() -> None:
    trends = Trends()
    assert trends.board_dealt(usual_card_ms(cards(100))) is None
    for _ in range(3):
        assert usual_card_ms(cards(100, pause_at=20)) == 100
        assert usual_card_ms(cards(900, 5)) is None
        assert trends.board_dealt(None) is None


def test_more_than_one_reading_error_in_a_hundred_boards_is_told_once() -> None:
    one, other = (FaultCode.UNREADABLE,), (FaultCode.DUPLICATE_CARD, FaultCode.JAM)
    trends = Trends()
    assert trends.misread([one, *[()] * 99, other]) is None, "the other was a hundred boards ago"
    assert trends.misread([(FaultCode.FACE_UP,), (FaultCode.JAM,), one]) is None
    found = trends.misread([one, *[()] * 98, other])
    assert found is not None
    assert found.code == "MISREADS"
    assert trends.misread([one, other]) is None


def test_misread_cards_on_two_boards_end_in_a_hint_for_the_service(tmp_path: Path) -> None:
    faults = [MachineFault(FaultKind.UNREADABLE, 5, run=run) for run in (1, 2)]
    with Sitting(tmp_path, DEALS, Setup(faults=FaultPlan(tuple(faults))), numbers=(1, 2, 3)) as sitting:
        sitting.run()
        noticed = [event for event in sitting.events if isinstance(event, Noticed)]
        assert [event.code for event in noticed] == ["MISREADS"]
        assert "dealctl bundle" in noticed[0].instruction
        sitting.check_good()


def test_a_pack_that_is_short_says_what_that_means_for_the_board_before_it(tmp_path: Path) -> None:
    profile = replace(FULL, features=FULL.features & ~(Feature.BACKS | Feature.STOP_CARD))
    short = pack_for(profile, 2, pack=2)[:-1]
    with Sitting(
        tmp_path, DEALS, Setup(profile=profile), load=[pack_for(profile), short], numbers=(1, 2), more_packs=True
    ) as sitting:
        sitting.run()
        (withdrawn,) = (event for event in sitting.events if isinstance(event, VerdictWithdrawn))
        assert withdrawn.board == 1
        assert withdrawn.reason == "The next pack of the load came out short."
        assert "not proven any more" in withdrawn.means
        assert any("dealctl check-board 1" in step for step in withdrawn.steps)
        assert any("dealctl again 1" in step for step in withdrawn.steps)
