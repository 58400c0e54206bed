"""Opening a machine and closing it: who it is, how it stands, nothing moves, nothing is left, any size of frame.

Read next: `conftest.py`, `test_dealing.py`.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from driver.deals.loader import load_deals
from driver.errors import OtherMachine
from driver.machine import Machine, MachineInfo
from driver.verdicts import Verdict
from firmware_sim.core import SimMachine
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from protocol.codec import decode, encode
from protocol.codes import Kind, State
from protocol.constants import MAX_PAYLOAD, MINOR
from protocol.framing import Frame, FrameDecoder, encode_frame
from protocol.messages import Answer, Identity, ReadEvents, Status, StatusReport
from tests.conftest import open_descriptors
from tests.contract.conftest import MakePeer, Opener
from tests.support.jobs import controls_of
from tests.support.peers import Peer, Setup, run_job, truth_equals
from tests.support.wire_host import WireHost

CLUB: Final = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
NEWER_MINOR: Final = MINOR + 7
UNKNOWN: Final = b"\x07new\xff"
NEVER_GROW: Final = (Kind.HELLO_ACK, Kind.STOPPED)
"""What a machine sends in the same layout in every version."""
BULK: tuple[int, ...] = (64, 128)
"""Sizes of bulk transfers at which a careless transport waits, drops or adds something."""


def info_and_status(machine: Machine) -> tuple[MachineInfo, StatusReport]:
    with machine:
        return machine.info, machine.status()


def test_a_machine_tells_who_it_is(opener: Opener) -> None:
    info, _ = info_and_status(opener())

    assert info.serial
    assert info.model
    assert info.firmware
    assert info.identity.frame_limit == 128
    assert info.identity.ring >= 32
    assert info.identity.card_limit_ms > info.identity.card_ms > 0


def test_a_machine_tells_how_it_stands_and_counts_on_between_two_questions(opener: Opener) -> None:
    with opener() as machine:
        first, second = machine.status(), machine.status()

    assert second.frames_in > first.frames_in
    assert second.odometer == first.odometer
    assert (second.run, second.state, second.index) == (first.run, first.state, first.index)
    assert second.uptime_ms >= first.uptime_ms


def test_opening_asking_and_closing_move_nothing(opener: Opener) -> None:
    _, before = info_and_status(opener())
    _, after = info_and_status(opener())

    assert after.odometer == before.odometer
    assert after.state is not State.MOVING


class NewerMachine(SimMachine):
    """A machine of a newer minor version: it says so, and whatever may grow has grown by bytes that nobody knows."""

    def _answer_for(self, frame: Frame) -> Answer:
        answer = super()._answer_for(frame)
        return replace(answer, minor=NEWER_MINOR) if isinstance(answer, Identity) else answer

    def send_wire(self, wire: bytes) -> None:
        (frame,) = FrameDecoder().feed(wire)
        if frame.kind not in NEVER_GROW and len(frame.payload) + len(UNKNOWN) <= MAX_PAYLOAD:
            wire = encode_frame(replace(frame, payload=frame.payload + UNKNOWN))
        super().send_wire(wire)


def test_a_machine_of_a_newer_minor_version_opens_and_deals(make_peer: MakePeer) -> None:
    deals = load_deals(CLUB)
    peer = make_peer(Setup(script=PersonScript(boards=(1,)), machine=NewerMachine))
    with peer.open() as machine:
        assert machine.info.identity.minor == NEWER_MINOR > MINOR
        job = machine.start(deals, [1], auto=True)
        run_job(job)

    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert truth_equals(peer, deals, [1])


def test_a_machine_opened_again_is_the_same_one(opener: Opener) -> None:
    first, _ = info_and_status(opener())
    second, _ = info_and_status(opener())

    assert second == first


def test_a_new_simulated_machine_is_at_rest_and_says_what_it_is(peer: Peer) -> None:
    info, status = info_and_status(peer.open())

    assert (info.serial, info.model, info.firmware, info.simulated) == (FULL.serial, FULL.model, FULL.firmware, True)
    assert (status.run, status.state, status.index, status.doubt, status.odometer) == (0, State.NONE, 0, 0, 0)
    assert peer.core.truth.motions == []


def test_closing_ends_the_thread_and_gives_back_every_descriptor(opener: Opener, endpoint: str) -> None:
    threads, descriptors = set(threading.enumerate()), open_descriptors()
    machine = opener()
    machine.status()
    machine.close()
    machine.close()

    assert set(threading.enumerate()) == threads
    left = set(open_descriptors()) - set(descriptors)
    assert len(left) <= (endpoint == "tcp"), "one end of the line may still be open in the simulated machine"


def test_fifty_times_opened_and_closed_leaves_nothing_and_still_works(peer: Peer) -> None:
    peer.open().close()
    threads, descriptors = threading.active_count(), len(open_descriptors())
    for _ in range(50):
        with peer.open() as machine:
            assert machine.info.serial == FULL.serial
    _, status = info_and_status(peer.open())

    assert status.state is State.NONE
    assert threading.active_count() == threads
    assert len(open_descriptors()) <= descriptors + 1
    assert peer.core.truth.motions == []


def test_frames_of_every_size_are_answered_however_they_meet_the_edges_of_a_transfer(peer: Peer) -> None:
    """Trailing bytes of a request are dropped, so STATUS may have any size; the answers are counted by number."""
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        host.connect()
        sizes = []
        for length in range(MAX_PAYLOAD + 1):
            host.number += 1
            plain = encode(Status(), connection=host.connection, number=host.number)
            data = encode_frame(replace(plain, payload=bytes((length + 1,)) * length))
            sizes.append(len(data))
            assert isinstance(decode(host.answer_to(data)), StatusReport), length
    finally:
        transport.close()

    for edge in BULK:
        assert {edge - 1, edge, edge + 1} <= set(sizes)
    assert max(sizes) == 131


@pytest.mark.parametrize("piece", [1, 63, 64, 65])
def test_a_frame_may_come_in_pieces_and_several_in_one_piece(peer: Peer, piece: int) -> None:
    transport = peer.transport()
    try:
        host = WireHost(transport, peer.clock())
        host.connect()
        plain = encode(Status(), connection=host.connection, number=2)
        data = encode_frame(replace(plain, payload=b"\x01" * MAX_PAYLOAD))
        for start in range(0, len(data), piece):
            host.send(data[start : start + piece])
        host.frame_where(partial(is_answer, 2))
        several = [host.wire(ReadEvents(1), number=number, connection=host.connection) for number in (3, 4, 5)]
        host.send(b"".join(several))
        for number in (3, 4, 5):
            host.frame_where(partial(is_answer, number))
    finally:
        transport.close()


def is_answer(number: int, frame: Frame) -> bool:
    return frame.kind is Kind.ANSWER and frame.number == number


def test_another_machine_on_the_port_is_refused_and_nothing_is_asked_of_it(peer: Peer) -> None:
    other = SimMachine(replace(FULL, serial="SIM-0002"))
    with controls_of(peer) as controls:
        with peer.endpoint.at_machine() as rig:
            other.advance_to(rig.now)
            rig.machine = other
        with pytest.raises(OtherMachine, match="SIM-0002, not SIM-0001") as caught:
            controls.reconnect()

    assert "first machine" in caught.value.hint
    assert other.truth.motions == []
    assert other.connection.current == 0
