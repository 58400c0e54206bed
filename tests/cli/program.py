"""`dealctl` as a process of its own: plain, or in a terminal of any size; and all notations of a deal to search for.

Read next: `test_practise.py`.
"""

from __future__ import annotations

import base64
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from driver.deals.model import Deal, DealSet
from driver.plan import Plan
from protocol.cards import Seat, Suit

ROOT: Final = Path(__file__).resolve().parents[2]
CLUB: Final = ROOT / "tests" / "data" / "club36.pbn"
PATIENCE: Final = 60.0


def environment(**more: str) -> dict[str, str]:
    """The environment of a program that knows this checkout and no machine."""
    ours = ("DEALCTL_", "PYTEST", "COLUMNS", "LINES")  # a terminal tells its own size
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", "TERM": "xterm", **more}


@dataclass(frozen=True, slots=True)
class Ran:
    """What a finished program printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        """Both outputs."""
        return self.out + self.err


def dealctl(*words: str | Path, cwd: Path | None = None, text: str = "", **more: str) -> Ran:
    """Runs `dealctl` without a terminal; `text` is its input."""
    command = [sys.executable, "-m", "driver.cli.main", *map(str, words)]
    done = subprocess.run(
        command,
        input=text.encode(),
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        cwd=cwd or ROOT,
        env=environment(**more),
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class Terminal:
    """`dealctl` in a terminal of its own. Use it in `with`: the program ends with the block.

    `typed` False = its input is nothing, as in a script whose output somebody watches.
    """

    def __init__(self, *words: str | Path, rows: int = 24, columns: int = 80, typed: bool = True, **more: str) -> None:
        self.shown = ""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self._file, self._kept = ours, theirs
        self._program = subprocess.Popen(
            [sys.executable, "-m", "driver.cli.main", *map(str, words)],
            stdin=theirs if typed else subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env=environment(**more),
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._program.poll() is None:
            self._program.kill()
        self._program.wait()
        os.close(self._kept)
        os.close(self._file)

    def type(self, text: str) -> None:
        """Presses keys."""
        os.write(self._file, text.encode())

    def interrupt(self) -> None:
        """Ctrl-C, as the terminal would send it."""
        os.kill(self._program.pid, signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL: the program ends without another step."""
        self._program.kill()
        self._program.wait()

    def interrupt_until_it_ends(self, *, within: float = 3.0) -> int:
        """Ctrl-C, and again each half second like a person; fails when the program outlives `within` seconds.

        Once would do, were it not for a signal in the instant between a prompt and the wait for its answer.
        """
        end = time.monotonic() + within
        again = 0.0
        while self._program.poll() is None:
            now = time.monotonic()
            assert now < end, f"does not end:\n{self.shown}"
            if now >= again:
                self.interrupt()
                again = now + 0.5
            self._read(end)
        return self.wait()

    def wait_until(self, happened: Callable[[], bool], *, within: float = PATIENCE) -> None:
        """Reads until something has happened outside."""
        end = time.monotonic() + within
        while not happened():
            assert time.monotonic() < end, self.shown
            self._read(end)

    def wait_for(self, text: str, *, within: float = PATIENCE) -> None:
        """Reads until `text` was shown; fails with all that was."""
        end = time.monotonic() + within
        while text not in self.shown:
            assert time.monotonic() < end, f"never shown: {text!r} in\n{self.shown}"
            self._read(end)
            assert text in self.shown or self._program.poll() is None or self._more(), (
                f"ended without {text!r}:\n{self.shown}"
            )

    def press_until(self, text: str, keys: str = "\n", *, within: float = PATIENCE) -> None:
        """Enter or `keys`, again each second like a person, until `text` is shown: what comes too soon does not
        count."""
        end = time.monotonic() + within
        again = 0.0
        while text not in self.shown:
            now = time.monotonic()
            assert now < end, f"never shown: {text!r} in\n{self.shown}"
            if now >= again:
                self.type(keys)
                again = now + 1.0
            self._read(min(end, again))

    def wait(self, *, within: float = PATIENCE) -> int:
        """Reads to the end; the exit code."""
        end = time.monotonic() + within
        while self._program.poll() is None:
            assert time.monotonic() < end, f"does not end:\n{self.shown}"
            self._read(end)
        while self._more():
            self._read(end)
        return self._program.returncode

    @property
    def settings_now(self) -> list[object]:
        """The terminal's settings, to compare with `before`."""
        return list(termios.tcgetattr(self._kept))

    def _more(self) -> bool:
        return bool(select.select([self._file], [], [], 0)[0])

    def _read(self, end: float) -> None:
        if select.select([self._file], [], [], min(0.1, max(0.0, end - time.monotonic())))[0]:
            self.shown += os.read(self._file, 65536).decode(errors="replace")


def notations(deals: DealSet) -> dict[str, str]:
    """Texts that would show a hand of these deals, and what each is."""
    found: dict[str, str] = {}
    for board in deals:
        for seat in Seat:
            for text in _hand_texts(board.deal, seat):
                found[text] = f"board {board.number} {seat.letter}"
        plan = Plan.by_identity(board.number, board.deal).destinations()
        owners = "".join(seat.letter for seat in board.deal.owners)
        index = _index(board.deal)
        texts = (plan.hex(), plan.hex().upper(), base64.b64encode(plan).decode(), repr(plan)[2:-1], owners)
        for text in (*texts, owners.translate(str.maketrans("NESW", "0123")), str(index), f"{index:x}"):
            found[text] = f"board {board.number} plan"
    return found


def _hand_texts(deal: Deal, seat: Seat) -> Sequence[str]:
    cards = deal.hand(seat)
    suits = ["".join(card.rank for card in cards if card.suit is suit) for suit in Suit]
    lin = "".join(f"{suit.letter}{ranks[::-1]}" for suit, ranks in zip(Suit, suits, strict=True))
    codes = [int(card) for card in cards]
    return (
        ".".join(suits),
        lin,
        "".join(f"{suit.letter}{ranks}" for suit, ranks in zip(Suit, suits, strict=True)),
        " ".join(str(card) for card in cards),
        ", ".join(map(str, codes)),
        ",".join(map(str, codes)),
        " ".join(map(str, codes)),
        bytes(codes).hex(),
    )


def _index(deal: Deal) -> int:
    """The deal as one number: four bits' worth of seat for each card."""
    number = 0
    for owner in deal.owners:
        number = number * 4 + int(owner)
    return number


def shown_hands(text: str, deals: DealSet) -> list[str]:
    """What of the deals stands in `text`; empty when it is blind."""
    return [what for notation, what in notations(deals).items() if notation in text]
