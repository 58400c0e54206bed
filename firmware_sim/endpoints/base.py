"""The contract of every endpoint: what it drives, what drives it, and what a cut line raises.

May import: the standard library. Read next: `rig.py`, then `memory.py`, the simplest endpoint.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from firmware_sim.endpoints.rig import Rig


class EndpointCut(OSError):
    """The cable is out, or the endpoint is closed: nothing can be written or read until `reconnect`."""


class Device(Protocol):
    """What lies behind an endpoint: the simulated machine, or anything else that takes and gives bytes."""

    @property
    def now(self) -> float:
        """Seconds on the endpoint's clock."""

    def receive(self, data: bytes) -> None:
        """Bytes from the host arrive at `now`."""

    def advance_to(self, time: float) -> None:
        """Runs until `time` seconds (not before `now`)."""

    def take_output(self) -> list[tuple[float, bytes]]:
        """What was sent since the last call, oldest first: (time sent, one frame's wire bytes)."""

    def next_due(self) -> float | None:
        """When something happens next by itself; None = never."""


class Actor(Protocol):
    """Somebody beside the line who acts at times of the endpoint's clock, such as `person.Person`."""

    def next_act(self, now: float) -> float | None:
        """When the actor wants to be stepped next; None = when something else happens."""

    def step(self, now: float) -> None:
        """Looks at the machine and does what is due at `now`."""


class Endpoint(ABC):
    """One place where a host reaches a machine."""

    @property
    @abstractmethod
    def url(self) -> str:
        """What the host opens; it may change with `reconnect`."""

    @property
    @abstractmethod
    def is_cut(self) -> bool:
        """True while the cable is out."""

    @abstractmethod
    def at_machine(self) -> AbstractContextManager[Rig]:
        """The rig, up to this moment, for the calling thread alone; what is done to it takes effect at the end."""

    @abstractmethod
    def cut(self) -> None:
        """Pulls the cable: bytes under way are lost, the machine goes on alone."""

    @abstractmethod
    def reconnect(self) -> str:
        """Puts the cable back and gives the url to open now."""

    @abstractmethod
    def close(self) -> None:
        """Ends the endpoint; joins its thread and releases what it holds. A second call does nothing."""
