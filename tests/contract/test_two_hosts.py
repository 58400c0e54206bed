"""Two hosts at one machine, over every endpoint: the newer connection ends the older one, cards stop.

Read next: `test_cable.py`; PROTOCOL.md, section 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from driver.deals.loader import load_deals
from driver.errors import MachineBusy
from driver.machine import open_machine
from protocol.codec import decode
from protocol.codes import PauseReason, Refusal, State, TokenEnd
from protocol.messages import Armed, Beat, CardEvent, Go, Going, Refused, RunEvent, Status, StatusReport
from tests.contract.conftest import MakePeer
from tests.support.by_hand import put_in
from tests.support.peers import Peer, Setup
from tests.support.plans import arm_for
from tests.support.wire_host import WireHost

DEALS = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
SLOW = 2.0
"""50 ms a card."""


@contextmanager
def two_hosts(peer: Peer) -> Iterator[tuple[WireHost, WireHost]]:
    """Two hosts on one line, the first of them connected; each hears what comes while it waits itself."""
    transport = peer.transport()
    try:
        first, second = (WireHost(transport, peer.clock(), nonce=nonce) for nonce in (0x1000, 0x7000))
        first.connect()
        yield first, second
    finally:
        transport.close()


def armed_by(host: WireHost) -> Armed:
    return host.ask(arm_for(DEALS, 1, last_event=host.ask(Status(), StatusReport).last_event), Armed)


def test_the_second_connection_ends_the_first(peer: Peer) -> None:
    with two_hosts(peer) as (first, second):
        second.connect()
        refused = decode(first.answer_to(first.request_wire(Status())))
        first.send(first.wire(Beat(), connection=first.connection))
        status = second.ask(Status(), StatusReport)

    assert isinstance(refused, Refused)
    assert (refused.reason, refused.detail) == (Refusal.NO_CONNECTION, peer.core.boot_id)
    assert second.connection != first.connection
    assert status.out_of_turn == 1


def test_a_hello_alone_disturbs_nothing(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    put_in(peer, 1)
    with two_hosts(peer) as (first, second):
        first.ask(Go(armed_by(first).token), Going)
        ack = second.hello()
        before = len(second.frames)
        second.event_where(lambda event: isinstance(event, CardEvent), after=before)
        status = first.ask(Status(), StatusReport)

    assert ack.connection != first.connection
    assert status.state is State.MOVING


def test_cards_stop_after_the_card_when_another_connection_takes_effect(make_peer: MakePeer) -> None:
    peer = make_peer(Setup(speed=SLOW))
    put_in(peer, 1)
    with two_hosts(peer) as (first, second):
        first.ask(Go(armed_by(first).token), Going)
        first.event_where(lambda event: isinstance(event, CardEvent))
        second.connect()
        paused = second.event_where(lambda event: isinstance(event, RunEvent) and event.state is State.PAUSED)
        status = second.ask(Status(), StatusReport)
        fed = len(peer.core.truth.feeds())
        second.frames_for(0.15)

    assert isinstance(paused, RunEvent)
    assert paused.reason is PauseReason.HOST_CHANGED
    assert (status.state, status.reason, status.doubt) == (State.PAUSED, PauseReason.HOST_CHANGED, 0)
    assert status.index == fed == len(peer.core.truth.feeds()) == len(peer.core.truth.drops())
    assert len(peer.core.truth.motions) == 1


def test_the_token_of_the_ended_connection_moves_nothing(peer: Peer) -> None:
    put_in(peer, 1)
    with two_hosts(peer) as (first, second):
        armed = armed_by(first)
        second.connect()
        of_the_first = decode(first.answer_to(first.request_wire(Go(armed.token))))
        of_the_second = second.ask(Go(armed.token), Refused)

    assert isinstance(of_the_first, Refused)
    assert of_the_first.reason is Refusal.NO_CONNECTION
    assert (of_the_second.reason, of_the_second.why) == (Refusal.TOKEN_DEAD, TokenEnd.NO_TOKEN)
    assert peer.core.truth.motions == []


def test_a_second_program_at_the_port_is_told_that_it_is_in_use(peer: Peer, endpoint: str, tmp_path: Path) -> None:
    if endpoint not in ("pty", "usb"):
        pytest.skip("only a port of this computer can be taken alone")
    other = partial(open_machine, transport=peer.transport, clock=peer.clock(), data=tmp_path / "another host")
    with peer.open() as machine:
        with pytest.raises(MachineBusy, match=r"Another program uses|is held by") as caught:
            other()
        assert machine.status().state is State.NONE

    assert "Close the other program" in caught.value.hint
    other().close()
