"""The cable blips in mid-board and the machine comes back under another port name, with a stranger about.

Over real pseudo-terminals through `Reopening`; the list of ports is told what the system would say of each.
Read next: `driver/transport/reopen.py`, `test_plugged_in_again.py` (a thousand times, without a board under way).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest
from pytest_mock import MockerFixture

from driver.deals.loader import load_deals
from driver.job_events import CardDealt, JobEvent, MachineBack, MachineLost, NeedsOperator
from driver.machine import open_machine
from driver.transport.reopen import Reopening
from driver.transport.sysfs import UsbDevice, UsbPort
from driver.verdicts import Verdict
from firmware_sim.profile import FULL
from tests.conftest import open_descriptors
from tests.support.by_hand import gather_all, put_in
from tests.support.peers import REAL_SPEED, Peer, Setup, served_peer, truth_equals

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")

DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
AT_CARD: Final = 10
SLOW: Final = 5.0


@dataclass
class Desk:
    """Our machine and a stranger, and what the system says of their ports: a path for each USB serial number."""

    ours: Peer
    stranger: Peer
    stranger_says: str = "DM0043"

    def ports(self) -> list[UsbPort]:
        """What the system lists now."""
        told = [(peer, serial) for peer, serial in ((self.ours, "DM0042"), (self.stranger, self.stranger_says))]
        return [
            UsbPort(peer.endpoint.url.removeprefix("serial:"), UsbDevice(0x1209, 1, f"1-{place}", serial), 0, "")
            for place, (peer, serial) in enumerate(told)
            if not peer.endpoint.is_cut
        ]


@pytest.fixture
def desk(tmp_path: Path, mocker: MockerFixture) -> Iterator[Desk]:
    from firmware_sim.endpoints.pty import PtyEndpoint

    stranger = Setup(profile=replace(FULL, serial="SIM-0002"))
    desk = Desk(
        served_peer(tmp_path / "ours", Setup(speed=SLOW), PtyEndpoint),
        served_peer(tmp_path / "other", stranger, PtyEndpoint),
    )
    put_in(desk.ours, 1)
    mocker.patch("driver.transport.discovery.list_ports", side_effect=desk.ports)
    yield desk
    desk.ours.close()
    desk.stranger.close()


@pytest.mark.parametrize(
    "stranger_says", ["DM0043", "", "DM0042"], ids=["another number", "no number", "the same number"]
)
def test_the_same_machine_is_found_under_its_new_name_and_the_stranger_is_left_alone(
    desk: Desk, stranger_says: str, tmp_path: Path
) -> None:
    """A stranger that tells the number of ours makes it unclear which is ours: nobody is opened until it is gone."""
    desk.stranger_says = stranger_says
    before = desk.ours.endpoint.url
    open_then: list[int] = []
    seen: list[JobEvent] = []
    with open_machine(transport=Reopening(before), data=tmp_path / "data") as machine:
        job = machine.start(DEALS, [1])
        for event in job.events():
            seen.append(event)
            if isinstance(event, CardDealt) and event.index == AT_CARD and len(open_then) == 0:
                open_then.append(len(open_descriptors()))
                desk.ours.endpoint.cut()
            elif isinstance(event, MachineLost):
                if stranger_says == "DM0042":
                    desk.stranger.endpoint.cut()
                desk.ours.endpoint.reconnect()
            elif isinstance(event, NeedsOperator) and event.choices:
                if len(open_then) == 1 and any(isinstance(one, MachineBack) for one in seen):
                    open_then.append(len(open_descriptors()))
                    desk.ours.set_speed(REAL_SPEED)
                    gather_all(desk.ours)
                    job.deal_again()
                else:
                    job.go_on()

    assert desk.ours.endpoint.url != before
    assert [board.verdict for board in job.result.boards] == [Verdict.GOOD]
    assert truth_equals(desk.ours, DEALS, [1])
    assert open_then[0] == open_then[1] + (stranger_says == "DM0042") * 2, "the old port was closed"
    assert desk.stranger.core.truth.motions == []
    assert desk.stranger.core.connection.current == 0, "the stranger was never spoken to"
    assert len(desk.ours.core.truth.motions) == 2
