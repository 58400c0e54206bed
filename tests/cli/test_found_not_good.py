"""A program is killed while it asks about a board that is not proven: the first question of the next one is about it.

Read next: `driver/cli/recovery.py`; `tests/faults/test_asked_about_the_verdict.py` for what comes of each answer.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest

from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person_script import OddPack, PackKind, PersonScript
from firmware_sim.profile import P_ONLY
from tests.cli.program import CLUB, Terminal
from tests.support.peers import Peer, Setup, served_peer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

AGAIN: Final = "1  deal board 1 again, emptied   (Enter)"


def motions(peer: Peer) -> int:
    with peer.at_machine():
        return len(peer.core.truth.motions)


def test_a_board_that_is_not_proven_is_never_called_settled_and_the_next_one_waits_for_it(tmp_path: Path) -> None:
    script = PersonScript(boards=(1, 1, 2, 3), odd_packs=(OddPack(PackKind.LONG, 1),))
    peer = served_peer(tmp_path, Setup(profile=P_ONLY, script=script, speed=60.0), TcpEndpoint)
    place: Final = ("--machine", peer.endpoint.url, "--data", tmp_path)
    with Terminal("deal", CLUB, "--boards", "1-3", "--auto", "--plain", "--quiet", *place, columns=160) as first:
        first.wait_for(AGAIN)
        first.kill()

    with Terminal("carry-on", "--plain", "--quiet", *place, columns=160) as second:
        second.wait_for("Number: ")
        assert second.shown.startswith("Board 1 of club36 was dealt before the program ended, begun today at ")
        assert "The board was dealt and found NOT PROVEN." in second.shown
        assert "nothing is left to do" not in second.shown
        assert "1  Decide what becomes of board 1 now: nothing moves by that.   (Enter)" in second.shown
        second.type("\n")
        second.wait_for(AGAIN)
        assert "Board 2 comes next" not in second.shown
    assert motions(peer) == 1
    peer.close()
