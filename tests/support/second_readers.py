"""Other people's readers of deal files, each in a folder of its own beside this checkout's: endplay, and npm's `pbn`.

May import: the standard library. Read next: `tests/second/test_second_readers.py`, `tests/bench/deals.py`.

Neither is a dependency of this project. They are installed by name, in one version, into `build/second/`, when a
campaign or a bench asks for them; where that cannot be done, `NotHereError` says why. `ReaderFailedError` is another
matter: the reader is there and could not read our file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[2] / "build" / "second"
ENDPLAY: Final = "0.5.12"
NPM_PBN: Final = "1.6.1"
PATIENCE: Final = 300.0
"""Seconds that an installation or a run may take."""

_ENDPLAY_READS: Final = """
import json, sys
from endplay.parsers import lin, pbn
from endplay.types import Player
path, kind = sys.argv[1:]
with open(path, encoding="latin-1") as file:
    boards = {"PBN": pbn, "LIN": lin}[kind].load(file)
rows = [[board.board_num, board.deal.to_pbn(Player.north), board.dealer.abbr, board.vul.name] for board in boards]
print(json.dumps(rows))
"""
_ENDPLAY_IS_TIMED: Final = """
import sys, time
from endplay.parsers import pbn
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    with open(sys.argv[1], encoding="latin-1") as file:
        boards = pbn.load(file)
    print(len(boards), time.process_time() - start)
"""
_NPM_PBN_READS: Final = """
const fs = require('fs');
const pbn = require('pbn');
const [path, kind] = process.argv.slice(1);
const reader = {PBN: pbn, DUP: pbn.convertDUP, BRI: pbn.convertBRI, DGE: pbn.convertDGE}[kind]();
const games = [];
reader.on('data', (found) => {
  if (found.type === 'game') games.push({});
  else if (found.type === 'tag') games[games.length - 1][found.name] = found;
});
reader.on('end', () => console.log(JSON.stringify(games.map((tags) => [
  Number(tags.Board.value), tags.Deal.cards.map((card) => card.seat + card.suit + card.rank),
  tags.Dealer ? tags.Dealer.value : '', tags.Vulnerable ? tags.Vulnerable.value : '',
]))));
reader.on('error', (error) => { console.error(error); process.exit(1); });
fs.createReadStream(path).pipe(reader);
"""


class NotHereError(Exception):
    """The reader cannot be installed on this computer; the text says why."""


class ReaderFailedError(Exception):
    """A program ended with an error; the text is the end of what it said."""


@dataclass(frozen=True, slots=True)
class SecondBoard:
    """A board as the other reader found it: its cards as "NSA" (seat, suit, rank), markings as it names them."""

    number: int
    cards: frozenset[str]
    dealer: str
    vulnerable: str


def read_by_endplay(path: Path, kind: str) -> list[SecondBoard]:
    """The boards of a PBN or LIN file by endplay. Raises NotHereError, ReaderFailedError."""
    rows = json.loads(_run(endplay_python(), "-c", _ENDPLAY_READS, path, kind))
    return [SecondBoard(number, _cards(deal), dealer, vulnerable) for number, deal, dealer, vulnerable in rows]


def read_by_npm_pbn(path: Path, kind: str) -> list[SecondBoard]:
    """The boards of a PBN, DUP, BRI or DGE file by npm's `pbn`. Raises NotHereError, ReaderFailedError."""
    rows = json.loads(_run("node", "-e", _NPM_PBN_READS, "--", path, kind, cwd=npm_folder()))
    return [SecondBoard(number, frozenset(cards), dealer, vulnerable) for number, cards, dealer, vulnerable in rows]


def timed_by_endplay(path: Path, runs: int) -> list[tuple[int, float]]:
    """How many boards endplay read from a PBN file and in how many seconds of the processor, in each run.

    Raises NotHereError, ReaderFailedError.
    """
    lines = _run(endplay_python(), "-c", _ENDPLAY_IS_TIMED, path, str(runs)).splitlines()
    return [(int(boards), float(seconds)) for boards, seconds in (line.split() for line in lines)]


def endplay_python() -> Path:
    """A Python that has endplay, installed on first use. Raises NotHereError."""
    folder = FOLDER / f"endplay-{ENDPLAY}"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = folder / "done"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        _install(sys.executable, "-m", "venv", folder)
        _install(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", f"endplay=={ENDPLAY}")
        done.touch()
    return python


def npm_folder() -> Path:
    """A folder in whose `node_modules` `pbn` is, installed on first use; no script of a package runs. Raises
    NotHereError."""
    folder = FOLDER / f"pbn-{NPM_PBN}"
    done = folder / "done"
    if not done.exists():
        if shutil.which("node") is None:
            raise NotHereError("there is no node on this computer")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _install("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", f"pbn@{NPM_PBN}", cwd=folder)
        done.touch()
    return folder


def _cards(deal: str) -> frozenset[str]:
    hands = deal.removeprefix("N:").split(" ")
    return frozenset(
        seat + suit + rank
        for seat, hand in zip("NESW", hands, strict=True)
        for suit, ranks in zip("SHDC", hand.split("."), strict=True)
        for rank in ranks
    )


def _install(*command: str | Path, cwd: Path | None = None) -> None:
    try:
        _run(*command, cwd=cwd)
    except ReaderFailedError as error:
        raise NotHereError(f"it cannot be installed: {error}") from error


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    """What the command printed. Raises ReaderFailedError."""
    words = [shutil.which(command[0]) or str(command[0]), *map(str, command[1:])]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            cwd=cwd,
            env=kept,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ReaderFailedError(str(error)) from error
    if done.returncode:
        raise ReaderFailedError(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout
