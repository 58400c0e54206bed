"""`dealctl machines`: what is plugged in that may be a machine, by all its names. Opens nothing.

May import: `driver.plugged_in`, `choose`. Read next: `choose.py`; `doctor.py`, which opens the one that is meant.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import Any, Final

from driver.cli.choose import gather_for, wanted_machine
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.errors import MachineNotFound
from driver.plugged_in.candidates import Candidate, Likeness, by_path, candidates, choose

_LIKENESS: Final = {
    Likeness.MACHINE: "a dealing machine, as it tells itself",
    Likeness.TEST: "a machine with the numbers for private tests",
    Likeness.ADAPTER: "a serial adapter; what it leads to, only its answer tells",
}


def run(args: Namespace) -> int:
    """Lists what is there; with --machine that one alone."""
    wanted = wanted_machine(args, args.machine)
    facts = gather_for(wanted)
    there = candidates(facts, wanted.known)
    if wanted.name is not None:
        there = [_named(choose(facts, wanted))]
    for candidate in there:
        if args.json:
            put_object(as_object(candidate), sys.stdout)
        else:
            for line in lines_of(candidate):
                put(line)
    if not there:
        raise MachineNotFound(
            "Nothing that may be a machine is plugged in.",
            hint="`dealctl doctor` says why. To try without a machine: dealctl practise FILE.",
        )
    if not args.json:
        put("To see whether one is a dealing machine and well: dealctl doctor --machine ADDRESS")
    return Exit.ALL_GOOD


def _named(candidate: Candidate) -> Candidate:
    """The same. Raises MachineNotFound when it is a name that somebody typed, and nothing is there."""
    if candidate.node is not None and not candidate.node.there and not candidate.device.vendor:
        raise MachineNotFound(f"There is no port {candidate.node.path}.")
    return candidate


def lines_of(candidate: Candidate) -> list[str]:
    """What a person is told of it; the first line begins with its address."""
    holder = None if candidate.node is None else candidate.node.holder
    what = _LIKENESS[candidate.likeness] if candidate.device.vendor else "what it leads to, only its answer tells"
    lines = [f"{candidate.url}   {candidate.label}: {what}."]
    lines += [f"    also {link}" for link in candidate.links]
    if not by_path(candidate) and candidate.device.location:
        lines.append(f"    plugged in at {candidate.device.location}")
    if holder is not None:
        lines.append(f"    held by {holder}")
    return lines


def as_object(candidate: Candidate) -> dict[str, Any]:
    """The same as JSON."""
    device = candidate.device
    return {
        "event": "port",
        "machine": candidate.url,
        "description": candidate.label,
        "likeness": candidate.likeness.name.lower(),
        "vendor": device.vendor,
        "product": device.product,
        "serial": device.serial,
        "place": device.location,
        "links": list(candidate.links),
        "name": None if candidate.known is None else candidate.known.name,
    }
