"""Moments of a run on the simulated machine, to begin a test at: paused, a card in the path, past the gate, power cut.

May import: firmware_sim, protocol, `bare_host`. Read next: `tests/faults/test_page_go_on.py`.
"""

from __future__ import annotations

from typing import Final

from firmware_sim.faults import FaultPlan, MachineFault
from firmware_sim.memory import Memory, MemoryFate
from firmware_sim.packs import Pack, shuffled_pack
from firmware_sim.profile import FULL, Profile
from protocol.codes import Routing
from protocol.messages import StatusReport
from tests.support.bare_host import BareHost, ready_host

PACK: Final = shuffled_pack(7)
AT: Final = 4
"""The card at which things happen."""
SPIN_UP, CARD_TIME = 0.030, 0.100
"""Seconds from GO to the first feed, and from feed to feed."""
IN_PATH, PAST_GATE = 0.060, 0.095
"""Seconds after the motor began to feed a card."""


def started(
    routing: Routing,
    *faults: MachineFault,
    profile: Profile = FULL,
    pack: Pack = PACK,
    memory: Memory | None = None,
) -> BareHost:
    """A run that has just begun to move."""
    host = ready_host(profile, FaultPlan(faults), pack=pack, memory=memory)
    host.go(routing=routing)
    return host


def pass_until(host: BareHost, index: int, after_feed: float) -> None:
    """Time passes, from GO, until so many seconds after the feed of that index began."""
    host.machine.advance_to(host.machine.now + SPIN_UP + CARD_TIME * index + after_feed)
    host.take()
    assert host.status().index == index


def open_and_paused() -> BareHost:
    """A host whose run was paused after two or three cards; the machine senses everything and nothing is wrong."""
    host = ready_host()
    host.deal_until(2)
    host.pause()
    return host


def power_cycle(host: BareHost, fate: MemoryFate = MemoryFate.KEPT) -> StatusReport:
    """The power goes for a second; the host opens a new connection and asks for the status."""
    host.machine.power_off(fate)
    host.machine.advance_to(host.machine.now + 1)
    host.machine.power_on()
    host.take()
    return host.connect()
