"""Every complete deal of every PBN sample file is dealt on the simulated machine, found GOOD, and truly lies so.

The samples are third-party data and no part of this repository: the tests are skipped where they are absent.
Each record is an item of its own, so that files that number a board twice, or not at all, are dealt whole.
Read next: `test_deal_samples.py`, which reads the same files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from driver.deals.loader import read_records
from driver.deals.model import standard_dealer, standard_vulnerability
from driver.deals.records import Record
from driver.happenings import Item, Options
from driver.job import Job
from driver.job_events import JobEnded, JobEvent, NeedsOperator
from driver.verdicts import Verdict
from firmware_sim.person_script import PersonScript
from protocol.cards import PACK_SIZE
from tests.support.jobs import job_of
from tests.support.peers import Peer, Setup, hands_of, memory_peer

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "deals"
NAMES = sorted(path.name for path in SAMPLES.glob("*.pbn"))

pytestmark = pytest.mark.skipif(not NAMES, reason="the sample deal files of ../shared are not here")


def whole_records_expected(name: str) -> int:
    """How many records of that file an independent decoder found without fault."""
    rows = json.loads((SAMPLES / "expected" / f"{name}.json").read_text(encoding="utf-8"))
    return sum(not row["issues"] for row in rows)


def items_of(records: Sequence[Record]) -> list[Item]:
    """One item for each whole record: under its own number, or under its place where the file gives none."""
    whole = [(record, record.deal) for record in records if record.deal is not None]
    return [
        Item(number, str(place), deal, standard_dealer(number), standard_vulnerability(number), number)
        for place, (record, deal) in enumerate(whole, start=1)
        for number in (record.number or place,)
    ]


def lies_in_turn(peer: Peer, turn: int) -> tuple[frozenset[int], ...]:
    """What truly lies in the pockets of the physical board of that turn."""
    assert peer.person is not None
    board = peer.person.board_of(turn)
    return tuple(frozenset(hand) for hand in peer.core.truth.pockets_of(board))


def run_alone(job: Job) -> JobEvent:
    """Runs an automatic job; nobody is there to decide anything."""
    event = None
    for event in job.events():
        assert not (isinstance(event, NeedsOperator) and event.choices), event
    assert event is not None
    return event


@pytest.mark.parametrize("name", NAMES)
def test_every_complete_deal_of_a_sample_is_dealt_good_and_truly_lies_in_its_board(name: str, tmp_path: Path) -> None:
    items = items_of(read_records(SAMPLES / name))
    assert len(items) == whole_records_expected(name)
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=tuple(item.board for item in items))))
    with job_of(peer, items, Options(auto=True)) as job:
        end = run_alone(job)

    assert isinstance(end, JobEnded)
    assert end.complete
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD] * len(items)
    assert [lies_in_turn(peer, turn) for turn in range(len(items))] == [hands_of(item.deal) for item in items]
    assert len(peer.core.truth.feeds()) == len(items) * PACK_SIZE
    assert peer.core.truth.violations() == []
