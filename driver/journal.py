"""The journal: what this host intended and what came of it, in one append-only file, durable before each step.

May import: `errors`, `protocol` and the standard library. Read next: `runner.py`, which writes here before it sends.
It holds no card and no destination; the plan tag is keyed with a secret beside it that only this user may read, so the
tag of a known deal cannot be looked for (invariant I7). Each line ends with its checksum; a torn last line is what a
power cut leaves and is dropped, a damaged line before it raises JournalDamaged.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import os
import secrets
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from driver.errors import JournalBusy, JournalDamaged, JournalUnusable

FILE_NAME: Final = "journal.log"
KEY_NAME: Final = "plan.key"
LOCK_NAME: Final = "journal.lock"
KEY_SIZE: Final = 32
TAG_SIZE: Final = 8


@dataclass(frozen=True, slots=True)
class Intention:
    """What is written before ARM: which board is to be dealt where, and how the machine stood.

    `deal_set` (a stored set, "" for none) and `deal_board` say where the deal can be found again; `board` is the number
    that it is dealt as.
    """

    board: int
    copy: str
    serial: str
    boot_id: int
    odometer: int
    board_edges: int
    deal_set: str
    deal_board: int
    simulated: bool
    is_check: bool = False
    """A run that checked a pack or a board instead of dealing one."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run as the journal knows it; `verdict` is None until one was written.

    `open_end`: the verdict may still be withdrawn, because the pack was not seen to end.
    """

    run: int
    plan_tag: bytes
    intention: Intention
    go_sent: bool = False
    verdict: str | None = None
    by: str = ""
    faults: tuple[int, ...] = ()
    open_end: bool = False
    closed: bool = False


class Journal:
    """The journal in `folder`, created when absent. One program at a time; close it, or use it in `with`.

    Raises JournalDamaged when a line is not what was written, JournalBusy when another program holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._runs: dict[int, RunRecord] = {}
        self._id = 0
        self._file = self._lock = -1
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._key = _read_key(folder / KEY_NAME)
            self._lock = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
            _lock(self._lock, folder)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            self._load()
        except OSError as error:
            self.close()
            raise _unusable(folder, error) from error
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the file back. May be called twice."""
        for file in (self._file, self._lock):
            if file >= 0:
                os.close(file)
        self._file = self._lock = -1

    def plan_tag(self, board: int, routing: int, destinations: bytes) -> bytes:
        """Eight bytes that stand for a plan; equal for an equal plan, telling nothing without the key."""
        plan = board.to_bytes(2, "little") + bytes((routing,)) + destinations
        return hmac.new(self._key, plan, hashlib.sha256).digest()[:TAG_SIZE]

    def intend(self, intention: Intention, plan_tag: bytes, *, run: int | None = None) -> RunRecord:
        """Writes the intent to deal a board. Durable when it returns.

        The run id is new and never returns; or `run`, that of an intent which certainly moved no card.
        """
        if run is None:
            run = self._id << 32 | (len(self._runs) + 1)
        record = RunRecord(run, plan_tag, intention)
        fields = {name: getattr(intention, name) for name in Intention.__slots__}
        self._append({"what": "intent", "run": run, "tag": plan_tag.hex(), **fields})
        return record

    def note_go(self, run: int) -> None:
        """GO is about to be sent."""
        self._append({"what": "go", "run": run})

    def note_fault(self, run: int, fault: int) -> None:
        """The machine reported a fault during the run."""
        self._append({"what": "fault", "run": run, "fault": int(fault)})

    def note_verdict(self, run: int, verdict: str, by: str = "", *, open_end: bool = False) -> None:
        """The verdict of a run, or its change; `by` is the person who counted, if one did."""
        self._append({"what": "verdict", "run": run, "verdict": verdict, "by": by, "open_end": open_end})

    def note_closed(self, run: int) -> None:
        """The machine has ended the run, or never had it.

        After a verdict it is durable with the next entry only: without it, no open run says the same.
        """
        self._append({"what": "closed", "run": run}, durable=self._runs[run].verdict is None)

    def record(self, run: int) -> RunRecord | None:
        """What is known of a run id; None when this journal never gave it."""
        return self._runs.get(run)

    def open_run(self, serial: str) -> RunRecord | None:
        """The newest run on that machine that was not closed."""
        return next((run for run in self._newest_first() if run.intention.serial == serial and not run.closed), None)

    def last_of_board(self, board: int) -> RunRecord | None:
        """The newest run that was to deal this board number; checks do not count."""
        return next((run for run in self._dealt() if run.intention.board == board), None)

    def last_of_copy(self, board: int, copy: str) -> RunRecord | None:
        """The newest run that was to deal this copy of this board number."""
        wanted = (board, copy)
        return next((run for run in self._dealt() if (run.intention.board, run.intention.copy) == wanted), None)

    def open_end(self, serial: str) -> RunRecord | None:
        """The run on that machine that was judged last, if its verdict may still be withdrawn by the next pack."""
        judged = (run for run in self._dealt() if run.intention.serial == serial and run.verdict is not None)
        last = next(judged, None)
        return last if last is not None and last.open_end else None

    def _dealt(self) -> Iterator[RunRecord]:
        return (run for run in self._newest_first() if not run.intention.is_check)

    def _newest_first(self) -> Iterator[RunRecord]:
        return reversed(self._runs.values())

    def _append(self, entry: dict[str, Any], *, durable: bool = True) -> None:
        text = json.dumps(entry, ensure_ascii=True, separators=(",", ":"))
        line = f"{text}\t{zlib.crc32(text.encode()):08x}\n".encode()
        try:
            whole = os.write(self._file, line) == len(line)
        except OSError as error:
            raise _unusable(self._path.parent, error) from error
        if not whole:
            raise _unusable(self._path.parent, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
        if durable:
            os.fsync(self._file)
        self._apply(entry)

    def _load(self) -> None:
        raw = self._path.read_bytes()
        *lines, torn = raw.split(b"\n")
        if torn:
            os.ftruncate(self._file, len(raw) - len(torn))
        for number, line in enumerate(lines, start=1):
            text, _, check = line.rpartition(b"\t")
            try:
                if int(check, 16) != zlib.crc32(text):
                    raise ValueError("checksum")
                self._apply(json.loads(text))
            except (ValueError, KeyError, TypeError) as error:
                raise JournalDamaged(
                    f"Line {number} of the journal {self._path} is damaged.", path=self._path
                ) from error
        if not lines:
            self._append({"what": "journal", "id": secrets.randbits(31) + 1})

    def _apply(self, entry: dict[str, Any]) -> None:
        what = entry["what"]
        if what == "journal":
            self._id = entry["id"]
        elif what == "intent":
            intention = Intention(**{name: entry[name] for name in Intention.__slots__})
            self._runs[entry["run"]] = RunRecord(entry["run"], bytes.fromhex(entry["tag"]), intention)
        else:
            run = self._runs[entry["run"]]
            if what == "go":
                run = replace(run, go_sent=True)
            elif what == "fault":
                run = replace(run, faults=(*run.faults, entry["fault"]))
            elif what == "verdict":
                run = replace(run, verdict=entry["verdict"], by=entry["by"], open_end=entry["open_end"])
            elif what == "closed":
                run = replace(run, closed=True)
            self._runs[run.run] = run


def _unusable(folder: Path, error: OSError) -> JournalUnusable:
    return JournalUnusable(f"The folder {folder} cannot be written to: {error.strerror}.", path=folder)


def _read_key(path: Path) -> bytes:
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        key = path.read_bytes()
        if len(key) != KEY_SIZE:
            raise JournalDamaged(f"The key file {path} is damaged.", path=path) from None
        return key
    key = secrets.token_bytes(KEY_SIZE)
    os.write(file, key)
    os.fsync(file)
    os.close(file)
    return key


def _lock(file: int, folder: Path) -> None:
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JournalBusy(f"Another program of this kind is using {folder}.", path=folder) from error
