"""The doctor asks the one machine who it is, over every way, and knows one that begins anew when its port is opened.

For the sake of such a machine a line that carries anything is kept open.

Read next: `driver/plugged_in/talk.py`.
"""

from __future__ import annotations

import pytest

from driver.controls import Controls
from driver.errors import MachineRestarted
from driver.plugged_in.facts import Talk
from driver.plugged_in.talk import talk_to
from driver.recorder import Recorder
from driver.transport.base import Transport
from tests.contract.conftest import MakePeer
from tests.support.peers import Peer, Setup


def asked(peer: Peer, *, resets: bool = False, serial: str | None = None) -> Talk:
    """What the talk gives; `resets`: the machine is one that begins anew when its port is opened."""

    def opened() -> Transport:
        transport = peer.transport()
        if resets:
            with peer.at_machine():
                peer.core.power_off()
                peer.core.power_on()
        return transport

    return talk_to(peer.endpoint.url, opened, peer.clock(), Recorder(), serial=serial)


def test_a_machine_says_who_it_is_and_nothing_moves(make_peer: MakePeer) -> None:
    peer = make_peer(Setup())
    peer.clock().wait(0.3)
    before = peer.core.boot_id
    talk = asked(peer)

    assert (talk.code, talk.serial, talk.simulated, talk.restarted) == ("", "SIM-0001", True, False)
    assert peer.core.boot_id == before
    assert peer.core.truth.motions == []


def test_a_machine_that_begins_anew_when_its_port_is_opened_is_known(make_peer: MakePeer) -> None:
    peer = make_peer(Setup())
    peer.clock().wait(0.3)
    before = peer.core.boot_id
    talk = asked(peer, resets=True)

    assert peer.core.boot_id != before
    assert (talk.code, talk.restarted) == ("", True)
    assert peer.core.truth.motions == []


def test_another_machine_than_the_one_of_that_name_is_refused(make_peer: MakePeer) -> None:
    peer = make_peer(Setup())

    assert asked(peer, serial="DM0042").code == "DM306"
    assert asked(peer, serial="SIM-0001").code == ""
    assert peer.core.truth.motions == []


def test_a_machine_that_is_off_is_silent(make_peer: MakePeer) -> None:
    peer = make_peer(Setup())
    with peer.at_machine():
        peer.core.power_off()

    assert asked(peer).code == "DM302"


def test_the_line_is_not_closed_and_opened_again_while_it_carries_anything(make_peer: MakePeer) -> None:
    """A machine that was restarted, or that ended the connection, is greeted anew on the line that is open."""
    peer = make_peer(Setup())
    opened: list[Transport] = []

    def open_one() -> Transport:
        opened.append(peer.transport())
        return opened[-1]

    controls = Controls(open_one, peer.clock(), Recorder())
    try:
        controls.connect()
        for _ in range(3):
            with peer.at_machine():
                peer.core.power_off()
                peer.core.power_on()
            with pytest.raises(MachineRestarted):
                controls.status()
            assert controls.reconnect()
    finally:
        controls.close()

    assert len(opened) == 1
