"""The endpoints that every contract test runs over, and the peers made on them.

A test that asks for `make_peer` or `peer` runs once over each endpoint; with `--machine URL` the tests that only read
(`opener`) run against that machine too. Ids tell the endpoint, names of tests and files never do, so that `-k` chooses.
Read next: `tests/support/peers.py`, `test_opening.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from driver.machine import Machine, open_machine
from firmware_sim.endpoints.tcp import TcpEndpoint
from tests.support.peers import Peer, Setup, memory_peer, served_peer, usb_peer

MakePeer = Callable[[Setup], Peer]
Opener = Callable[[], Machine]
ENDPOINTS: Final = ("memory", "pty", "tcp", "usb")
REAL_MACHINE: Final = "machine"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs each test over every endpoint; one that only reads also on the machine named with `--machine`."""
    if "endpoint" not in metafunc.fixturenames:
        return
    reads_only = "opener" in metafunc.fixturenames
    named = metafunc.config.getoption("--machine") is not None
    metafunc.parametrize("endpoint", [*ENDPOINTS, REAL_MACHINE] if reads_only and named else ENDPOINTS)


def peer_on(endpoint: str, data: Path, setup: Setup) -> Peer:
    """A peer on that endpoint; skips where this system has no such port."""
    match endpoint:
        case "memory":
            return memory_peer(data, setup)
        case "usb":
            return usb_peer(data, setup)
        case "tcp":
            return served_peer(data, setup, TcpEndpoint)
        case _:
            if os.name == "nt":
                pytest.skip("Windows has no pseudo-terminals")
            from firmware_sim.endpoints.pty import PtyEndpoint

            return served_peer(data, setup, PtyEndpoint)


@pytest.fixture
def make_peer(endpoint: str, tmp_path: Path) -> Iterator[MakePeer]:
    """Makes a simulated machine on the endpoint of this test; all are closed at its end and have kept I1."""
    made: list[Peer] = []

    def make(setup: Setup) -> Peer:
        made.append(peer_on(endpoint, tmp_path / f"host {len(made)}", setup))
        return made[-1]

    yield make
    for peer in made:
        peer.close()
    for peer in made:
        assert peer.core.truth.violations() == []


@pytest.fixture
def peer(make_peer: MakePeer) -> Peer:
    """A simulated machine that senses everything, with nobody beside it and nothing in it."""
    return make_peer(Setup())


@pytest.fixture
def opener(endpoint: str, tmp_path: Path, request: pytest.FixtureRequest) -> Opener:
    """Opens a machine of which the test only asks: the peer's, or the one named with `--machine`."""
    if endpoint == REAL_MACHINE:
        url = str(request.config.getoption("--machine"))
        return lambda: open_machine(url, data=tmp_path / "host")
    peer: Peer = request.getfixturevalue("peer")
    return peer.open
