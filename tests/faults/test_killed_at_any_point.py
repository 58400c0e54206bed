"""A real `dealctl` is killed with SIGKILL at writes of its journal, sends and receives: three right boards come of it.

The machine is another process to it: simulated in this one, behind a TCP port. A first `dealctl`, which nobody kills,
tells what points there are; each of the others dies at one. Then a person brings every board to its end with the public
API, over the folder as it was left. Read next: `tests/support/killed_dealctl.py`, `test_host_crashes.py`.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count, zip_longest
from pathlib import Path
from typing import Final

import pytest

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
from tests.cli.program import CLUB, environment, shown_hands
from tests.stateful.person_hands import PersonHands
from tests.stateful.watch import Watch
from tests.support.border import Passing
from tests.support.figures import Figures
from tests.support.peers import Peer, Setup, hands_of, served_peer
from tests.support.processes import PATIENCE, ROOT
from tests.support.store import journal_in

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no kill -9")

SEED: Final = 17
BOARDS: Final = (1, 2, 3)
SMALL, LARGE, AIM = 8, 72, 60
AT_ONCE: Final = 6
"""So many machines with their programs run beside each other: most of the time they wait."""
QUICK: Final = 50.0
LIKE_LIFE: Final = 1.01
"""Speeds of the mechanism. Only a slow board is interrupted: a machine deals on for three seconds without its host."""
CARD: Final = "CardEvent"
PART, OF_PART = 20, " of part "
"""So many cards that follow each other are taken as alike, and how they are called."""
CRITICAL: Final = ("COMMIT of go", "COMMIT of intent", "COMMIT of verdict", "Go", "Arm", CARD)
"""What is chosen first."""
NOT_COUNTED: Final = re.compile(r"Beat|Tick|part of a frame")
"""How often they come depends on how busy this computer is."""
TRIES: Final = 20
KINDS: Final = tuple(
    f"{passing.value}, {moment}"
    for passing, moment in (
        (Passing.WRITE, "before"), (Passing.WRITE, "after"), (Passing.SEND, "before"), (Passing.SEND, "after"),
        (Passing.RECEIVE, "after"),
    )
)  # fmt: skip


class Scene:
    """One machine, the program that dies at `point` ("" = none does), and the person who ends the evening."""

    def __init__(self, folder: Path, point: str) -> None:
        self.folder, self.point = folder, point
        self.data, self.told = folder / "data", folder / "points"
        self.deals: DealSet = load_deals(CLUB)

    def machine(self) -> Peer:
        """A machine with a person who puts pack and board in."""
        speed = LIKE_LIFE if CARD in self.point else QUICK
        script = PersonScript(boards=BOARDS, seed=SEED)
        return served_peer(self.folder, Setup(script=script, speed=speed, seed=SEED), TcpEndpoint)

    def run_dealctl(self, peer: Peer) -> subprocess.CompletedProcess[bytes]:
        """`dealctl deal`, until it dies or ends."""
        boards = f"{BOARDS[0]}-{BOARDS[-1]}"
        words = ("deal", CLUB, "--boards", boards, "--auto", "--machine", peer.endpoint.url, "--data", self.data)
        return subprocess.run(
            [sys.executable, "-m", "tests.support.killed_dealctl", self.told, self.point, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=ROOT,
            env=environment(),
            timeout=PATIENCE,
            check=False,
        )

    def points(self) -> list[str]:
        """All points that a program comes by that nobody kills."""
        peer = self.machine()
        try:
            done = self.run_dealctl(peer)
            assert done.returncode == 0, done.stderr.decode()
            self.check_truth(peer)
        finally:
            peer.close()
        return [point for point in self.told.read_text(encoding="utf-8").splitlines() if not NOT_COUNTED.search(point)]

    def play(self) -> bool:
        """The program dies at its point, and a person ends the evening; whether it died, and did not come through."""
        peer = self.machine()
        try:
            done = self.run_dealctl(peer)
            assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
            assert shown_hands((done.stdout + done.stderr).decode(), self.deals) == []
            assert isinstance(peer.endpoint, TcpEndpoint)
            with peer.endpoint.at_machine() as rig:
                rig.person = None
            peer.wait_for(lambda core: core.control.state is not State.MOVING)
            moved = len(peer.core.truth.motions)
            peer.set_speed(QUICK)
            self.finish(peer, moved)
            self.check_truth(peer)
        finally:
            peer.close()
        return done.returncode != 0

    def finish(self, peer: Peer, moved: int) -> None:
        """A person and the next program bring every board to its verdict; nothing moves before that person decides."""
        hands = PersonHands(peer.core.mechanism, Watch(auto=False), random.Random(SEED))
        for _ in range(TRIES):
            with open_machine(peer.endpoint.url, data=self.data) as machine:
                left = [board for board in BOARDS if not is_good(machine, board)]
                if not left:
                    return
                status = machine.status()
                assert status.doubt == 0, "I3: the crash of a host alone leaves no card in doubt"
                job = machine.start(self.deals, left)
                for event in job.events():
                    if isinstance(event, NeedsOperator):
                        with peer.at_machine():
                            assert moved < 0 or len(peer.core.truth.motions) == moved, "I4: it moved by itself"
                            obey(job, event, hands)
                        moved = -1
        raise AssertionError(f"{self.point}: the boards never come to an end")

    def check_truth(self, peer: Peer) -> None:
        """Three boards GOOD, each in its own board with its own deal; no motion without an intent and a GO on disk."""
        truth = peer.core.truth
        assert truth.violations() == []
        with peer.at_machine(), journal_in(self.data) as journal:
            held = []
            for board in BOARDS:
                record = journal.last_of_board(board)
                assert record is not None
                assert record.verdict == Verdict.GOOD.name, self.point
                (lies_in,) = {id(drop.board): drop.board for drop in truth.drops(record.run)}.values()
                assert lies_in is not None
                held.append(tuple(frozenset(hand) for hand in truth.pockets_of(lies_in)))
            assert held == [hands_of(board.deal) for board in self.deals.boards[: len(BOARDS)]], self.point
            assert len(set(held)) == len(BOARDS)
            for motion in truth.motions:
                begun = journal.record(motion.run)
                assert begun is not None
                assert begun.go_sent, self.point


def is_good(machine: Machine, board: int) -> bool:
    record = machine.journal.last_of_board(board)
    return record is not None and record.verdict == Verdict.GOOD.name


def obey(job: Job, asked: NeedsOperator, hands: PersonHands) -> None:
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
    elif not is_ready(hands, asked.board):  # what is ready is left alone: news of it would make the decision an old one
        if choice is Choice.GO:
            hands.put_board_in(asked.board)
        elif choice in (Choice.DEAL_AGAIN, Choice.CLEAR_AND_CLOSE):
            hands.gather(asked.board)
    job.decide(choice)


def is_ready(hands: PersonHands, number: int) -> bool:
    """Whether that board lies in the machine, empty, and a whole pack with it."""
    mechanism, board = hands.mechanism, hands.mechanism.slot.board
    is_clear = not mechanism.card_path.reader and not mechanism.card_path.path
    is_empty = board is not None and board.number == number and not any(board.pockets)
    return is_empty and is_clear and len(mechanism.hopper) == PACK_SIZE


def chosen_from(points: Sequence[str], number: int) -> list[str]:
    """So many points, as even as may be over the five kinds, and within each over all that passes."""
    chance, cards = random.Random(SEED), count()
    alike: dict[str, dict[str, list[str]]] = {kind: {} for kind in KINDS}
    for point in points:
        kind, _, name = point.rpartition(" #")[0].partition(": ")
        part = f"{OF_PART}{next(cards) // PART}" if name == CARD else ""
        alike[kind].setdefault(name + part, []).append(point)
    turns = []
    for names in alike.values():
        for turn in chance.sample(list(names.values()), len(names)):
            chance.shuffle(turn)
        first = sorted(names, key=lambda name: name.partition(OF_PART)[0] not in CRITICAL)
        turns.append([point for row in zip_longest(*(names[name] for name in first)) for point in row if point])
    return [point for row in zip_longest(*turns) for point in row if point][:number]


def killed(number: int, aim: int, folder: Path, figures: Figures) -> None:
    points = chosen_from(Scene(folder, "").points(), number)
    scenes = []
    for turn, point in enumerate(points):
        place = folder / f"scene{turn}"
        place.mkdir()
        scenes.append(Scene(place, point))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        died = list(pool.map(Scene.play, scenes))
    reached = [point for point, is_dead in zip(points, died, strict=True) if is_dead]
    figures.list("`dealctl` was killed at", reached)
    kinds = {point.partition(": ")[0] for point in reached}
    figures.tell(
        "points at which a real `dealctl` was killed, each with three right boards after it",
        f"{len(reached)} of {len(kinds)} kinds",
        aim=f"{aim} of {len(KINDS)} kinds",
        met=len(reached) >= aim and kinds == set(KINDS),
        seed=SEED,
    )


def test_a_dealctl_killed_at_some_points_leaves_three_right_boards(tmp_path: Path, figures: Figures) -> None:
    killed(SMALL, SMALL - 1, tmp_path, figures)


@pytest.mark.campaign
def test_a_dealctl_killed_at_sixty_points_and_more_leaves_three_right_boards(tmp_path: Path, figures: Figures) -> None:
    killed(LARGE, AIM, tmp_path, figures)
