"""Three boards dealt in one process, by the public API and on a clock of its own, for a test that records its disk.

`python -m tests.support.recorded_job DATA [SYNCHRONOUS]`: DATA/marks gets each ARM, GO and CLOSE before it is
sent, and each verdict when it is told. May import: driver, firmware_sim, protocol. Read next: `recorded_disk.py`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest import mock

from driver import load_deals
from driver.job_events import BoardJudged
from driver.store import database
from driver.store.database import SYNCHRONOUS
from firmware_sim.person_script import PersonScript
from protocol.codec import decode
from protocol.codes import Kind
from protocol.framing import FrameDecoder
from protocol.messages import Arm, Close, Go
from tests.support.memory import MemoryTransport
from tests.support.peers import Setup, memory_peer
from tests.support.recorded_disk import MARKS

CLUB = Path(__file__).resolve().parents[1] / "data" / "club36.pbn"
BOARDS = (1, 2, 3)


def main(data: Path, synchronous: str = SYNCHRONOUS) -> None:
    """Deals the boards; every one of them must become GOOD. `synchronous` is how a store waits for its disk."""
    data.mkdir()
    marks = os.open(data / MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    armed = 0
    plain_write = MemoryTransport.write

    def write(transport: MemoryTransport, sent: bytes) -> None:
        nonlocal armed
        for frame in FrameDecoder().feed(sent):
            message = decode(frame) if frame.kind is Kind.REQUEST else None
            if isinstance(message, Arm):
                armed = message.run
            if isinstance(message, Arm | Go | Close):
                os.write(marks, f"{type(message).__name__} {armed}\n".encode())
        plain_write(transport, sent)

    peer = memory_peer(data, Setup(script=PersonScript(boards=BOARDS)))
    with (
        mock.patch.object(MemoryTransport, "write", write),
        mock.patch.object(database, "SYNCHRONOUS", synchronous),
        peer.open() as machine,
    ):
        job = machine.start(load_deals(CLUB), BOARDS, auto=True)
        for event in job.events():
            if isinstance(event, BoardJudged):
                os.write(marks, f"{event.judgement.verdict.name} {armed}\n".encode())
    os.close(marks)
    assert [board.verdict.name for board in job.result.boards] == ["GOOD"] * len(BOARDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
