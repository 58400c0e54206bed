"""Dealing over every endpoint: whole boards, lost frames, the same bytes twice, a pause, a fault, dealing again.

Read next: `test_stopping.py`, `test_cable.py`; `tests/faults/test_lossy_line.py` for a line that loses much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from driver.clock import utc_now
from driver.deals.loader import load_deals
from driver.dealt import COUNTS_VARIABLE
from driver.errors import StoreUnusable
from driver.findings import Choice
from driver.job import Job
from driver.job_events import BoardJudged, BoardStarted, CardDealt, JobEnded, JobEvent, NeedsOperator, VerdictWithdrawn
from driver.store.copies import DealtCopy
from driver.store.store import Store
from driver.verdicts import Verdict
from firmware_sim.faults import FaultPlan
from firmware_sim.line import Line
from firmware_sim.packs import short_pack, shuffled_pack
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from protocol.cards import PACK_SIZE
from protocol.codec import decode
from protocol.codes import EventType, Feature, Kind, PauseReason, Place, RequestType, State
from protocol.messages import Arm, Armed, Go, Going, Refused, RunEvent, Status, StatusReport
from tests.contract.conftest import MakePeer
from tests.support.by_hand import gather_all, put_card_back, put_in
from tests.support.peers import REAL_SPEED, Peer, Setup, run_job, truth_equals
from tests.support.plans import arm_for
from tests.support.wire_host import WireHost

DEALS = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
THREE = PersonScript(boards=(1, 2, 3))
SLOW = 5.0
"""A speed at which something can happen while a card is under way: 20 ms a card."""


def verdicts(job: Job) -> list[tuple[int, Verdict]]:
    return [(board.number, board.verdict) for board in job.result.boards]


def indices(events: list[JobEvent]) -> list[tuple[int, int]]:
    """Board and number of cards of each card that was told."""
    return [(event.board, event.index) for event in events if isinstance(event, CardDealt)]


def every_card(*boards: int) -> list[tuple[int, int]]:
    return [(board, index) for board in boards for index in range(1, PACK_SIZE + 1)]


def deal_board_one(peer: Peer, answer: Callable[[Job, JobEvent], None]) -> tuple[Job, list[JobEvent]]:
    """Deals board 1 of the club's set; `answer` decides each time that a person is asked."""
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        return job, run_job(job, answer)


def test_three_boards_are_dealt_good_and_truly_lie_in_their_boards(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(script=THREE))
    with peer.open() as machine:
        job = machine.start(DEALS, THREE.boards, auto=True)
        events = run_job(job)

    assert verdicts(job) == [(board, Verdict.GOOD) for board in THREE.boards]
    assert indices(events) == every_card(*THREE.boards)
    assert events[-1] == JobEnded(complete=True)
    assert truth_equals(peer, DEALS, THREE.boards)
    assert len(peer.core.truth.motions) == 3
    assert len(peer.core.truth.feeds()) == 3 * PACK_SIZE


def test_nothing_moves_before_a_person_decides_to_start(peer: Peer) -> None:
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        first = next(job.events())

        assert isinstance(first, NeedsOperator)
        assert Choice.GO in first.choices
        assert machine.status().state is State.NONE
    assert peer.core.truth.motions == []


@pytest.mark.parametrize(
    "rules",
    [
        "rule=drop:to_host:EVENT/3:1",
        "rule=drop:to_host:EVENT/3:17 rule=drop:to_host:EVENT/3:18 rule=drop:to_host:EVENT/3:19",
        "rule=drop:to_host:EVENT/3:52",
        "rule=drop:to_host:EVENT/2:1 rule=drop:to_host:EVENT/2:2",
        "rule=flip:to_host:EVENT/3:30 rule=duplicate:to_host:EVENT/3:31",
    ],
    ids=["first", "three-in-a-row", "last", "begin-and-end", "damaged-and-twice"],
)
def test_events_come_in_order_and_without_gaps_when_their_frames_are_lost(make_peer: MakePeer, rules: str) -> None:
    peer = make_peer(Setup(script=PersonScript(boards=(1,)), line=Line.parse(rules)))
    with peer.open() as machine:
        job = machine.start(DEALS, [1], auto=True)
        events = run_job(job)

    assert indices(events) == every_card(1)
    assert verdicts(job) == [(1, Verdict.GOOD)]
    assert truth_equals(peer, DEALS, [1])


def test_where_no_event_comes_and_the_ring_is_too_short_the_ledger_alone_judges(make_peer: MakePeer) -> None:
    rules = " ".join(f"rule=drop:to_host:EVENT:{nth}" for nth in range(1, 100))
    peer = make_peer(Setup(script=PersonScript(boards=(1,)), line=Line.parse(rules), speed=REAL_SPEED))
    with peer.open() as machine:
        job = machine.start(DEALS, [1], auto=True)
        events = run_job(job)

    assert len(indices(events)) < PACK_SIZE
    assert [event for event in events if isinstance(event, NeedsOperator) and event.choices] == []
    assert verdicts(job) == [(1, Verdict.GOOD)]
    assert truth_equals(peer, DEALS, [1])


@pytest.mark.parametrize("request_type", [RequestType.ARM, RequestType.GO, RequestType.CLOSE])
def test_a_lost_answer_is_asked_for_again_and_nothing_is_done_twice(
    make_peer: MakePeer, request_type: RequestType
) -> None:
    line = Line.parse(f"rule=drop:to_host:ANSWER/{int(request_type)}:1")
    peer = make_peer(Setup(script=PersonScript(boards=(1,)), line=line))
    with peer.open() as machine:
        job = machine.start(DEALS, [1], auto=True)
        events = run_job(job)

    assert verdicts(job) == [(1, Verdict.GOOD)]
    assert indices(events) == every_card(1)
    assert len(peer.core.truth.motions) == 1
    assert len(peer.core.truth.feeds()) == PACK_SIZE


@pytest.mark.parametrize("request_type", [RequestType.ARM, RequestType.GO, RequestType.CLOSE])
def test_a_lost_request_is_sent_again_and_done_once(make_peer: MakePeer, request_type: RequestType) -> None:
    line = Line.parse(f"rule=drop:to_machine:REQUEST/{int(request_type)}:1")
    peer = make_peer(Setup(script=PersonScript(boards=(1,)), line=line))
    with peer.open() as machine:
        job = machine.start(DEALS, [1], auto=True)
        run_job(job)

    assert verdicts(job) == [(1, Verdict.GOOD)]
    assert len(peer.core.truth.motions) == 1


def test_the_same_request_bytes_are_answered_twice_and_move_cards_once(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=REAL_SPEED))
    put_in(peer, 1)
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        host.connect()
        armed = host.ask(arm_for(DEALS, 1, last_event=host.ask(Status(), StatusReport).last_event), Armed)
        go = host.request_wire(Go(armed.token))
        before = len(host.frames)
        first, second = host.answer_to(go), host.answer_to(go)
        host.event_where(lambda event: isinstance(event, RunEvent) and event.state is State.DONE, after=before)
        third = host.answer_to(go)
    finally:
        transport.close()

    assert first == second == third
    assert isinstance(decode(first), Going)
    assert len(peer.core.truth.motions) == 1
    assert len(peer.core.truth.feeds()) == PACK_SIZE


def test_a_token_moves_cards_once_and_no_old_number_moves_any(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=REAL_SPEED))
    put_in(peer, 1)
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        host.connect()
        armed = host.ask(arm_for(DEALS, 1, last_event=host.ask(Status(), StatusReport).last_event), Armed)
        go = host.request_wire(Go(armed.token))
        before = len(host.frames)
        host.answer_to(go)
        host.event_where(lambda event: isinstance(event, RunEvent) and event.state is State.DONE, after=before)
        refused = host.ask(Go(armed.token), Refused)
        host.send(go)
        status = host.ask(Status(), StatusReport)
    finally:
        transport.close()

    assert refused.request == RequestType.GO
    assert status.out_of_turn == 1
    assert (status.state, status.index) == (State.DONE, PACK_SIZE)
    assert len(peer.core.truth.motions) == 1


def test_a_pause_finishes_the_card_and_the_board_goes_on_where_it_was(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        events = []
        for event in job.events():
            events.append(event)
            if isinstance(event, NeedsOperator):
                job.go_on()
            if isinstance(event, CardDealt) and event.index == 7:
                job.stop()
        paused = machine.status()

        assert (paused.state, paused.reason, paused.doubt) == (State.PAUSED, PauseReason.PAUSE, 0)
        assert events[-1] == JobEnded(complete=False)
        fed = len(peer.core.truth.feeds())
        assert 7 <= paused.index == fed == len(peer.core.truth.drops()) < PACK_SIZE

        peer.set_speed(REAL_SPEED)
        rest = machine.start(DEALS, [1])
        events = run_job(rest)

    (started,) = [event for event in events if isinstance(event, BoardStarted)]
    assert started.index == fed
    assert verdicts(rest) == [(1, Verdict.GOOD)]
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == 2


def test_a_jammed_card_put_back_goes_on_at_the_same_card(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(faults=FaultPlan.parse("jam-path@20")))
    put_in(peer, 1)
    asked: list[str] = []

    def answer(job: Job, event: JobEvent) -> None:
        assert isinstance(event, NeedsOperator)
        asked.append(event.code)
        if event.code == "JAM":
            put_card_back(peer, Place.PATH)
        job.go_on()

    job, events = deal_board_one(peer, answer)

    assert asked == ["", "JAM"]
    assert verdicts(job) == [(1, Verdict.GOOD)]
    assert indices(events) == every_card(1)
    assert truth_equals(peer, DEALS, [1])
    assert len(peer.core.truth.motions) == 2
    assert len(peer.core.truth.feeds()) == PACK_SIZE + 1


def test_going_on_without_clearing_the_jam_asks_again_and_moves_nothing(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(faults=FaultPlan.parse("jam-path@20")))
    put_in(peer, 1)
    motions: list[int] = []

    def answer(job: Job, event: JobEvent) -> None:
        motions.append(len(peer.core.truth.motions))
        job.decide(Choice.STOP) if len(motions) == 4 else job.go_on()

    job, events = deal_board_one(peer, answer)

    assert motions == [0, 1, 1, 1]
    assert events[-1] == JobEnded(complete=False)
    assert verdicts(job) == []


def test_a_board_is_dealt_again_with_the_same_hands_under_a_new_run(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(faults=FaultPlan.parse("double-feed@30")))
    put_in(peer, 1)
    asked: list[tuple[Choice, ...]] = []

    def answer(job: Job, event: JobEvent) -> None:
        assert isinstance(event, NeedsOperator)
        asked.append(event.choices)
        if event.code == "DOUBLE_FEED":
            gather_all(peer)
            job.deal_again()
        else:
            job.go_on()

    job, events = deal_board_one(peer, answer)

    assert len(asked) == 2
    assert Choice.GO_ON not in asked[1]
    assert verdicts(job) == [(1, Verdict.GOOD)]
    assert len([event for event in events if isinstance(event, BoardStarted)]) == 2
    assert [event.judgement.verdict for event in events if isinstance(event, BoardJudged)] == [Verdict.GOOD]
    assert truth_equals(peer, DEALS, [1])
    assert len({motion.run for motion in peer.core.truth.motions}) == 2


def test_a_run_event_tells_the_end_of_a_board_once(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=REAL_SPEED))
    put_in(peer, 1)
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        host.connect()
        arm: Arm = arm_for(DEALS, 1, last_event=host.ask(Status(), StatusReport).last_event)
        host.ask(Go(host.ask(arm, Armed).token), Going)
        host.event_where(lambda event: isinstance(event, RunEvent) and event.state is State.DONE)
        host.frames_for(0.05)
    finally:
        transport.close()

    runs = [frame for frame in host.frames if (frame.kind, frame.type) == (Kind.EVENT, EventType.RUN)]
    cards = [frame for frame in host.frames if (frame.kind, frame.type) == (Kind.EVENT, EventType.CARD)]
    numbers = [frame.number for frame in host.frames if frame.kind is Kind.EVENT]
    assert len(runs) == 2
    assert len(cards) == PACK_SIZE
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def used_boards(peer: Peer) -> list[int]:
    """The boards of the club's set whose deals the register has, once for each time."""
    with Store(peer.data, now=utc_now) as store:
        uses = store.register.uses([board.deal for board in DEALS])
    return [board.number for board, found in zip(DEALS, uses, strict=True) for _ in found]


def copies(peer: Peer) -> list[DealtCopy]:
    """The copies of the only set that the store has."""
    with Store(peer.data, now=utc_now) as store:
        (stored,) = store.sets.newest_first()
        return store.copies.of_set(stored.id)


@pytest.mark.parametrize("counts", [False, True], ids=["pretending", "counted"])
def test_the_records_hold_the_verdict_of_each_run_and_the_used_deals_of_machines_that_count(
    make_peer: MakePeer, counts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if counts:
        monkeypatch.setenv(COUNTS_VARIABLE, "1")
    peer = make_peer(Setup(faults=FaultPlan.parse("double-feed@30")))
    put_in(peer, 1)

    def answer(job: Job, event: JobEvent) -> None:
        assert isinstance(event, NeedsOperator)
        if event.code == "DOUBLE_FEED":
            gather_all(peer)
            job.deal_again()
        else:
            job.go_on()

    job, _ = deal_board_one(peer, answer)
    assert verdicts(job) == [(1, Verdict.GOOD)]
    kept = [(copy.board, copy.verdict, copy.simulated) for copy in copies(peer)]
    assert kept == [(1, None, not counts), (1, Verdict.GOOD, not counts)]
    assert used_boards(peer) == ([1, 1] if counts else [])


def test_a_store_that_cannot_be_written_keeps_every_card_where_it_is(peer: Peer) -> None:
    put_in(peer, 1)
    with peer.open() as machine:
        job = machine.start(DEALS, [1])
        connection = machine.store.copies._connection  # noqa: SLF001 - as a disk does that has become read-only
        connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreUnusable):
            run_job(job)
        assert copies(peer) == []
        assert machine.status().index == 0
    assert peer.core.truth.motions == []
    job, _ = deal_board_one(peer, lambda job, event: job.go_on())
    assert verdicts(job) == [(1, Verdict.GOOD)]


def test_a_verdict_that_is_withdrawn_is_withdrawn_from_the_records_too(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(profile=replace(FULL, features=FULL.features & ~(Feature.BACKS | Feature.STOP_CARD))))
    put_in(peer, 1)
    with peer.at_machine():
        peer.core.mechanism.load_pack(shuffled_pack(9), below=True)
    with peer.open() as machine:
        run_job(machine.start(DEALS, [1], auto=True, more_packs=True))
    assert [copy.verdict for copy in copies(peer)] == [Verdict.GOOD]
    with peer.at_machine():
        peer.core.mechanism.take_hopper()
        peer.core.mechanism.slot.remove_board()
        peer.core.mechanism.slot.insert_board(2)
        peer.core.mechanism.load_pack(short_pack(2))
    with peer.open() as machine:
        events = run_job(machine.start(DEALS, [2], auto=True), lambda job, _: job.decide(Choice.STOP))
    assert [event.board for event in events if isinstance(event, VerdictWithdrawn)] == [1]
    assert [copy.verdict for copy in copies(peer)] == [Verdict.NOT_PROVEN, None]


def test_a_crash_before_all_is_written_that_belongs_to_a_go_writes_nothing_of_it_and_moves_nothing(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(COUNTS_VARIABLE, "1")
    put_in(peer, 1)
    with peer.open() as machine:
        monkeypatch.setattr(machine.store.register, "note", lambda *_: (_ for _ in ()).throw(MemoryError()))
        with pytest.raises(MemoryError):
            run_job(machine.start(DEALS, [1]))
    assert peer.core.truth.motions == []
    assert copies(peer) == []
    deal_board_one(peer, lambda job, event: job.go_on())
    assert [copy.verdict for copy in copies(peer)] == [Verdict.GOOD]
    assert used_boards(peer) == [1]
