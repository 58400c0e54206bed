"""`dealctl bundle OUT.zip`: what a helper needs to know, in one file, without a hand, a name or a passphrase (I7).

May import: the driver and the rest of `driver.cli`. Read next: `driver/recorder.py`, `recording.py`.
What is taken is named field by field; nothing is copied whole but the last frames, which the recorder has written
without their content. Plan tags, evidence of single cards, and texts that people typed stay here.
"""

from __future__ import annotations

import io
import json
import platform
import sys
import zipfile
from argparse import Namespace
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from driver.catalogue import Kind, entry
from driver.cli.choose import open_chosen
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.new_file import ONLY_OURS, write_new
from driver.cli.recording import LAST_TRAFFIC
from driver.cli.version import PROGRAM, installed
from driver.cli.which_set import open_store
from driver.clock import utc_now
from driver.data_folder import data_folder
from driver.errors import JournalDamaged
from driver.history import fault_name
from driver.recorder import FRAMES_KEPT, LINE, Recorder
from driver.store.runs import RunRecord
from driver.store.store import Store
from protocol.errors import DealingMachineError
from protocol.messages import StatusReport

_NEEDS: Final = ("argcomplete", "construct", "cryptography", "platformdirs", "pyserial", "pyusb")
_COUNTERS: Final = (
    *("odometer", "board_edges", "cover_edges", "uptime_ms"),
    *("frames_in", "bad_in", "echoes", "out_of_turn", "frames_out", "dropped_out"),
)
_CAPABILITIES: Final = ("recognition", "ledger", "pockets", "board", "hopper", "features", "threshold", "card_ms")
_README: Final = """\
What is in here
  versions.json   this program, what it needs, the system
  machine.json    the machine that was plugged in, its counters, or why none answered
  counters.json   how much was dealt, with which verdicts and faults
  runs.json       every board that was begun: when, on which machine, how it ended; no deal, no name of a person
  last-frames.txt the last talk with the machine before the last failure, without its content
No hand, no card, no passphrase and no name is in any of these files.
"""
"""File names in the bundle are for whoever helps."""


def run(args: Namespace) -> int:
    """Writes the bundle, and says what is in it."""
    folder = data_folder() if args.data is None else args.data
    files = {
        "README.txt": _README,
        "versions.json": _as_text(versions()),
        "machine.json": _as_text(_machine(args)),
    }
    with open_store(args) as store:
        runs, damage = _runs(store)
        files["counters.json"] = _as_text(_counters(store, runs, damage))
        copies = _copies(runs)
        files["runs.json"] = _as_text([_run(record, copies) for record in runs])
    files["last-frames.txt"] = last_frames(folder)
    write_new(args.out, _zipped(files), ONLY_OURS)
    if args.json:
        put_object({"event": "bundle", "file": str(args.out), "files": sorted(files)}, sys.stdout)
    else:
        put(f"Written to {args.out}. No hand and no name is in it; send it to whoever helps you.")
    return Exit.ALL_GOOD


def versions() -> dict[str, Any]:
    """This program, what it needs, Python and the system; "" for what is not installed as a package."""
    return {
        "made": utc_now().isoformat(timespec="seconds"),
        PROGRAM: installed(PROGRAM),
        **{name: installed(name) for name in _NEEDS},
        "python": platform.python_version(),
        "system": platform.platform(),
    }


def last_frames(folder: Path) -> str:
    """The last talk before the last failure: those lines of its file that the recorder wrote, and no others."""
    try:
        lines = (folder / LAST_TRAFFIC).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return "No failure was kept.\n"
    return "".join(f"{line}\n" for line in lines[-FRAMES_KEPT:] if LINE.fullmatch(line))


def _machine(args: Namespace) -> dict[str, Any]:
    """The machine that is plugged in, if one answers; nothing moves by asking."""
    try:
        with open_chosen(args, Recorder()) as machine:
            info, status = machine.info, machine.status()
    except DealingMachineError as error:
        return {"answers": False, "code": error.code, "because": entry(Kind.ERROR, error.code).sentence}
    identity = {name: _plain(getattr(info.identity, name)) for name in _CAPABILITIES}
    return {
        "answers": True,
        "serial": info.serial,
        "model": info.model,
        "firmware": info.firmware,
        "identity": identity,
        "status": _status(status),
    }


def _status(status: StatusReport) -> dict[str, Any]:
    """State, fault and counters; how the pockets fill tells the deal of a sorted pack, and stays out."""
    names = {name: _plain(getattr(status, name)) for name in ("state", "reason", "fault", "fault_class", "sensors")}
    return {**names, **{name: int(getattr(status, name)) for name in _COUNTERS}}


def _plain(value: object) -> str | int:
    """The name of a code or of flags, else the number."""
    assert isinstance(value, int)
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else int(value)


def _runs(store: Store) -> tuple[list[RunRecord], str]:
    """Every run that was begun, oldest first, and what of them is damaged: then they are wanted all the more."""
    damage = ""
    try:
        store.entries.check()
    except JournalDamaged as error:
        damage = str(error)
    with suppress(JournalDamaged):
        return store.runs.begun(), damage
    return [], damage


def _copies(runs: list[RunRecord]) -> dict[str, str]:
    """What stands for the name of each copy: a letter for itself; a word may be a person's name, and has a number."""
    names = dict.fromkeys(record.intention.copy for record in runs)
    words = [name for name in names if len(name) > 1]
    return {name: name for name in names} | {name: f"copy {place}" for place, name in enumerate(words, 1)}


def _run(record: RunRecord, copies: dict[str, str]) -> dict[str, Any]:
    told = record.intention
    return {
        "run": record.run,
        "set": told.deal_set,
        "board": told.board,
        "set_board": told.deal_board,
        "copy": copies[told.copy],
        "serial": told.serial,
        "boot": told.boot_id,
        "odometer": told.odometer,
        "simulated": told.simulated,
        "check": told.is_check,
        "begun": None if record.begun is None else record.begun.isoformat(),
        "faults": [fault_name(fault) for fault in record.faults],
        "verdict": record.verdict,
        "judged": None if record.judged is None else record.judged.isoformat(),
        "card_ms": record.card_ms,
        "open_end": record.open_end,
        "closed": record.closed,
    }


def _counters(store: Store, runs: list[RunRecord], damage: str) -> dict[str, Any]:
    boards = [record for record in runs if not record.intention.is_check]
    return {
        "sets": dict(Counter(stored.kind.value for stored in store.sets.newest_first())),
        "boards_begun": len(boards),
        "verdicts": dict(Counter(record.verdict or "none" for record in boards)),
        "faults": dict(Counter(fault_name(fault) for record in runs for fault in record.faults)),
        "damage": damage,
    }


def _as_text(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _zipped(files: dict[str, str]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return raw.getvalue()
