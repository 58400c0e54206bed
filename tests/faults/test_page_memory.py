"""Sections 2, 6 and 10 of PROTOCOL.md acted out: marks and when they are durable, restarts, lost memory, power cuts.

Read next: `tests/support/marks.py`, `test_page_go_on.py` (going on after a restart).
"""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from firmware_sim.memory import MarkKind, MemoryFate
from protocol.cards import PACK_SIZE
from protocol.codec import decode
from protocol.codes import PauseReason, Refusal, ResetCause, Routing, Sensor, State
from protocol.messages import (
    Armed,
    CardEvent,
    Closed,
    Going,
    Pause,
    Pausing,
    Refused,
    RunEvent,
)
from tests.support.bare_host import RUN, ready_host
from tests.support.marks import Moment, PowerGone, WatchedMemory
from tests.support.scenes import AT, IN_PATH, PAST_GATE, open_and_paused, pass_until, power_cycle, started
from tests.support.tables import Row, page_table

CUTS: Final = page_table("Restart, reconnect, and what is found afterwards / 2").rows

MARKS: Final = {row["mark"]: row for row in page_table("Memory")}


def test_each_mark_is_durable_when_its_row_says() -> None:
    """At each mark: what the machine had done by then, physically and on the wire."""
    memory = WatchedMemory()
    host = ready_host(memory=memory)
    machine = host.machine
    assert set(memory.written) == {MarkKind.BOOT}, MARKS["BOOT"]["when"]
    seen: list[MarkKind] = []

    def proven() -> int:
        return sum(isinstance(event, CardEvent) for _, event in host.events())

    def durable(kind: MarkKind) -> None:
        host.take()
        seen.append(kind)
        frames = [decode(frame) for frame in host.frames]
        feeds, drops = len(machine.truth.feeds()), len(machine.truth.all_drops)
        index = seen.count(MarkKind.FEED) - 1
        if kind is MarkKind.STARTED:
            goings = sum(isinstance(frame, Going) for frame in frames)
            assert goings == len(machine.truth.motions) == seen.count(kind) - 1, MARKS["STARTED"]["when"]
        elif kind is MarkKind.FEED:
            assert feeds == index, MARKS["FEED"]["when"]
        elif kind is MarkKind.DROP:
            assert (feeds, drops) == (index + 1, index + 1), MARKS["DROP"]["when"]
            assert proven() == index, "reported after it is durable"
        elif kind is MarkKind.WHOLE:
            assert drops == PACK_SIZE, MARKS["WHOLE"]["when"]
            done = [frame for frame in frames if isinstance(frame, RunEvent) and frame.state is State.DONE]
            assert not done, MARKS["WHOLE"]["when"]
        elif kind is MarkKind.PAUSED:
            paused = [frame for frame in frames if isinstance(frame, RunEvent) and frame.state is State.PAUSED]
            assert len(paused) == seen.count(MarkKind.PAUSED) - 1, "reported after it is durable"

    memory.seen = durable
    host.go()
    host.run_until(5)
    host.ask(Pause(), Pausing)
    report = host.run_until()
    host.go(first=report.index)
    host.deal_done()
    one_card, before = [MarkKind.FEED, MarkKind.DROP], report.index
    assert seen == [
        MarkKind.STARTED, *one_card * before, MarkKind.PAUSED,
        MarkKind.STARTED, *one_card * (PACK_SIZE - before), MarkKind.WHOLE,
    ]  # fmt: skip
    host.close()
    assert seen[-1] is MarkKind.ENDED, MARKS["ENDED"]["when"]
    assert set(MARKS) == {kind.name for kind in MarkKind}


def test_a_run_that_ended_leaves_no_card_in_memory_and_its_end_state_for_eight_runs() -> None:
    memory = WatchedMemory()
    host = ready_host(memory=memory, packs=2)
    host.deal_whole(more_packs=True)
    records = b"".join(record.to_bytes() for record in host.ledger().records)
    assert records[:8] in memory.log or records[4:8] in memory.log
    assert host.close() == Closed(RUN, State.DONE, PACK_SIZE, 0)
    marks = memory.marks()
    assert marks is not None
    assert MarkKind.ENDED in [mark.kind for mark in marks]
    for at in range(0, len(records), 4):
        assert records[at : at + 4] not in memory.log
    for number in range(8):
        assert host.arm(run=RUN) == Refused(3, Refusal.RUN_KNOWN, why=State.DONE, index=PACK_SIZE)
        slot = host.machine.mechanism.slot
        slot.remove_board()
        slot.insert_board(1)
        host.go(run=RUN + 1 + number, more_packs=True)
        host.stop()
        host.close(RUN + 1 + number)
    slot.remove_board()
    slot.insert_board(1)
    assert isinstance(host.arm(run=RUN), Armed), "only the last eight are kept"


def test_a_blank_or_torn_memory_is_memory_lost_with_another_boot_id_and_no_run() -> None:
    for fate in (MemoryFate.BLANK, MemoryFate.TORN):
        host = open_and_paused()
        machine = host.machine
        first = host.hello()
        assert first is not None
        machine.power_off(fate)
        machine.power_on()
        host.take()
        ack = host.hello()
        assert ack is not None
        assert ack.memory_lost
        assert ack.boot_id not in (first.boot_id, first.boot_id + 1)
        host.connection, host.number = ack.connection, 0
        assert host.status().state is State.NONE


@pytest.mark.parametrize("cause", ResetCause)
def test_the_boot_id_grows_by_one_at_every_reset_of_whatever_cause(cause: ResetCause) -> None:
    host = open_and_paused()
    for _ in range(3):
        before = host.machine.boot_id
        host.machine.power_off()
        host.machine.power_on(cause)
        ack = host.hello()
        assert ack is not None
        assert (ack.boot_id, ack.reset_cause, ack.memory_lost) == (before + 1, cause, False)
        assert ack.connection == ack.boot_id << 16 | 1


@pytest.mark.parametrize("fate", [MemoryFate.KEPT, MemoryFate.LAST_MARK_LOST])
def test_a_power_cut_right_after_a_reset_repeats_no_boot_id(fate: MemoryFate) -> None:
    host = ready_host()
    seen = [host.machine.boot_id]
    for _ in range(5):
        power_cycle(host, fate)
        seen.append(host.machine.boot_id)
    assert len(set(seen)) == len(seen)


# Power cuts


MOMENTS: Final[dict[str, Moment | float]] = {
    "before the FEED mark": Moment(MarkKind.FEED, AT + 1, written=False),
    "FEED written, motor off": Moment(MarkKind.FEED, AT + 1, written=True),
    "card in reader or path": IN_PATH,
    "past the gate, DROP not written": PAST_GATE,
    "DROP written": Moment(MarkKind.DROP, AT + 1, written=True),
}
"""When the power goes: at the writing of a mark (the how-manieth, before or after), or so long after the feed began."""

FOUND: Final[dict[str, dict[str, Any]]] = {
    "k not fed": {"index": AT, "doubt": 0},
    "k not fed, which is false": {"index": AT, "doubt": 0},
    "k − 1 in doubt": {"index": AT - 1, "doubt": 1},
    "k in doubt": {"index": AT, "doubt": 1},
    "sensor shows it": {"index": AT, "doubt": 0},
    "k in its pocket": {"index": AT + 1, "doubt": 0},
}
"""What a cell of the page means in STATUS after the restart."""


@pytest.mark.parametrize(
    ("row", "fate"),
    list(product(CUTS, ("last mark kept", "last mark lost"))),
    ids=[f"{row['moment']}-{fate}" for row, fate in product(CUTS, ("last mark kept", "last mark lost"))],
)
def test_a_power_cut_leaves_what_its_cell_says(row: Row, fate: str) -> None:
    moment = MOMENTS[row["moment"]]
    memory = WatchedMemory()
    host = started(Routing.BY_IDENTITY, memory=memory)
    if isinstance(moment, Moment):
        memory.cut_at = moment
        with pytest.raises(PowerGone):
            host.machine.advance_to(host.machine.now + 10)
        memory.cut_at = None
    else:
        pass_until(host, AT, moment)
    report = power_cycle(host, MemoryFate.KEPT if fate == "last mark kept" else MemoryFate.LAST_MARK_LOST)
    assert (report.state, report.reason) == (State.PAUSED, PauseReason.RESTART)
    cell = row[fate]
    assert {"index": report.index, "doubt": report.doubt} == FOUND[cell]
    seen = bool(report.sensors & (Sensor.READER_CARD | Sensor.PATH_CARD))
    assert seen == (cell == "sensor shows it")
    fed = {feed.index for feed in host.machine.truth.feeds()}
    if cell == "k not fed":
        assert AT not in fed
    if cell in ("k not fed, which is false", "sensor shows it", "k in its pocket"):
        assert AT in fed
