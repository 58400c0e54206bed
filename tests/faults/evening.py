"""Three boards dealt by `dealctl` as a process of its own, which comes to grief; and a person who ends the evening.

The machine is simulated in this process, behind a TCP port. The person uses the public API, over the folder as the
program left it. May import: driver, firmware_sim, protocol, tests. Read next: `test_killed_at_any_point.py`,
`test_failing_disk.py`.
"""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from driver import Choice, load_deals, open_machine
from driver.deals.model import DealSet
from driver.job import Job
from driver.job_events import NeedsOperator
from driver.machine import Machine
from driver.verdicts import Verdict
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person_script import PersonScript
from protocol.cards import PACK_SIZE
from protocol.codes import State
from tests.cli.program import CLUB, Ran, environment, shown_hands
from tests.stateful.person_hands import PersonHands
from tests.stateful.watch import Watch
from tests.support.peers import Peer, Setup, hands_of, served_peer
from tests.support.processes import ROOT
from tests.support.store import journal_in

SEED: Final = 17
BOARDS: Final = (1, 2, 3)
QUICK: Final = 50.0
LIKE_LIFE: Final = 1.01
"""Speeds of the mechanism. Only a slow board is interrupted: a machine deals on for three seconds without its host."""
AT_ONCE: Final = 6
"""So many evenings are worth running beside each other: most of the time they wait."""
_TRIES: Final = 20
_PATIENCE: Final = 90.0
"""Seconds after which a program is given up; three boards at the speed of life take seventeen."""
_STARTING: Final = threading.Lock()
"""Held while a program starts: until it runs, it has all that this process had open, the lock of a journal too."""


def _all_are_started() -> None:
    """A journal that was closed here can be opened again: no program that is just starting still has it."""
    with _STARTING:
        pass


class Evening:
    """One machine with its person, and a data folder in `folder`. `peer` is there within `with evening.begun()`."""

    peer: Peer

    def __init__(self, folder: Path, *, speed: float = QUICK) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.deals: DealSet = load_deals(CLUB)
        self._speed = speed

    @contextmanager
    def begun(self) -> Iterator[Peer]:
        """The machine stands there, and a person puts pack and board in."""
        self.folder.mkdir(exist_ok=True)
        script = PersonScript(boards=BOARDS, seed=SEED)
        self.peer = served_peer(self.folder, Setup(script=script, speed=self._speed, seed=SEED), TcpEndpoint)
        try:
            yield self.peer
        finally:
            self.peer.close()

    def deal(self, module: str = "driver.cli.main", *before: str | Path, **settings: str) -> Ran:
        """`dealctl deal`, until it dies or ends: that module, with what it wants before the words of `dealctl`."""
        boards = f"{BOARDS[0]}-{BOARDS[-1]}"
        words = ("deal", CLUB, "--boards", boards, "--auto", "--machine", self.peer.endpoint.url, "--data", self.data)
        with _STARTING:
            program = subprocess.Popen(
                [sys.executable, "-m", module, *before, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=ROOT,
                env=environment(**settings),
            )
        with program:
            try:
                out, errors = program.communicate(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                program.kill()
                raise
        ran = Ran(program.returncode, out.decode(), errors.decode())
        assert shown_hands(ran.all, self.deals) == []
        return ran

    def come_to_rest(self) -> None:
        """The person looks on until the cards lie still."""
        assert isinstance(self.peer.endpoint, TcpEndpoint)
        with self.peer.endpoint.at_machine() as rig:
            rig.person = None
        self.peer.wait_for(lambda core: core.control.state is not State.MOVING)

    def finish(self) -> None:
        """A person and the next program bring every board to its verdict; nothing moves before that person decides."""
        moved: int | None = len(self.peer.core.truth.motions)
        self.peer.set_speed(QUICK)
        hands = PersonHands(self.peer.core.mechanism, Watch(auto=False), random.Random(SEED))
        for _ in range(_TRIES):
            _all_are_started()
            with open_machine(self.peer.endpoint.url, data=self.data) as machine:
                left = [board for board in BOARDS if not _is_good(machine, board)]
                if not left:
                    return
                assert machine.status().doubt == 0, "I3: the crash of a host alone leaves no card in doubt"
                job = machine.start(self.deals, left)
                for event in job.events():
                    if isinstance(event, NeedsOperator):
                        with self.peer.at_machine():
                            motions = len(self.peer.core.truth.motions)
                            assert moved in (None, motions), "I4: it moved by itself"
                            _obey(job, event, hands)
                        moved = None
        raise AssertionError("the boards never come to an end")

    def check_intents(self) -> None:
        """For every motion, intent and GO are on the disk."""
        _all_are_started()
        with self.peer.at_machine(), journal_in(self.data) as journal:
            for motion in self.peer.core.truth.motions:
                begun = journal.record(motion.run)
                assert begun is not None, "cards moved, and nobody had written down that they would"
                assert begun.go_sent

    def check_three_right_boards(self) -> None:
        """Three boards GOOD, each in a board of its own with its own deal; no motion without intent and GO on disk."""
        self.check_intents()
        truth = self.peer.core.truth
        _all_are_started()
        with self.peer.at_machine(), journal_in(self.data) as journal:
            assert truth.violations() == []
            held = []
            for board in BOARDS:
                record = journal.last_of_board(board)
                assert record is not None
                assert record.verdict == Verdict.GOOD.name
                (lies_in,) = {id(drop.board): drop.board for drop in truth.drops(record.run)}.values()
                assert lies_in is not None
                assert lies_in.number == board
                held.append(tuple(frozenset(hand) for hand in truth.pockets_of(lies_in)))
        assert held == [hands_of(board.deal) for board in self.deals.boards[: len(BOARDS)]]
        assert len(set(held)) == len(BOARDS)


def _is_good(machine: Machine, board: int) -> bool:
    record = machine.journal.last_of_board(board)
    return record is not None and record.verdict == Verdict.GOOD.name


def _obey(job: Job, asked: NeedsOperator, hands: PersonHands) -> None:
    """Does with the hands what is asked, and decides for what ends the board soonest."""
    if not asked.choices:
        hands.put_board_in(asked.board)
        return
    board = hands.mechanism.slot.board
    is_in = board is not None and board.number == asked.board
    where = Choice.BOARD_STILL_IN if is_in else Choice.BOARD_IS_OUT
    wanted = (Choice.GO, Choice.GO_ON, where, Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE, Choice.ASK_AGAIN)
    choice = next(one for one in wanted if one in asked.choices)
    if choice is Choice.GO_ON:
        hands.put_right()
    elif not _is_ready(hands, asked.board):
        # What is ready is left alone: news of it would make the decision an old one.
        if choice is Choice.GO:
            hands.put_board_in(asked.board)
        elif choice in (Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE):
            hands.gather(asked.board)
    job.decide(choice)


def _is_ready(hands: PersonHands, number: int) -> bool:
    """Whether that board lies in the machine, empty, and a whole pack with it."""
    mechanism, board = hands.mechanism, hands.mechanism.slot.board
    is_clear = not mechanism.card_path.reader and not mechanism.card_path.path
    is_empty = board is not None and board.number == number and not any(board.pockets)
    return is_empty and is_clear and len(mechanism.hopper) == PACK_SIZE
