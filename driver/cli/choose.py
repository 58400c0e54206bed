"""Which machine is meant: an address, a name, or the only one there is; and how it is opened.

May import: `driver.machine`, `machines`, `plugged_in`, `club`, `store` of the driver. Read next: `deal.py`.
Looking for it opens no port; then exactly one is opened.
"""

from __future__ import annotations

import re
from argparse import Namespace
from contextlib import ExitStack, suppress
from typing import TypeVar

from driver.cli.questions import somebody_there
from driver.cli.which_set import open_store
from driver.club import kept_club
from driver.data_folder import data_folder
from driver.errors import ConfigError, StoreUnusable
from driver.machine import Machine, open_machine
from driver.machines import Machines, open_machines
from driver.plugged_in.candidates import Known, Wanted, candidates, choose, fitting
from driver.plugged_in.facts import Facts
from driver.plugged_in.gather import gather
from driver.recorder import Recorder
from driver.store.database import FILE_NAME
from driver.transport.url import is_address, serial_path

Opened = TypeVar("Opened", bound=Machine | Machines)
_NAMED = re.compile(r"(?P<name>[^=:/\\]{1,20})=(?P<address>.+)")


def wanted_machine(args: Namespace, name: str | None) -> Wanted:
    """The machine of that name or address (None: the only one), with the machines that have a name here."""
    return Wanted(name, args.test_machine, known_machines(args))


def gather_for(wanted: Wanted, *, brief: bool = True) -> Facts:
    """The facts of this computer, with the ports in them that are named, or were once, and belong to no USB device."""
    return gather(wanted.name, [known.place for known in wanted.known if not known.vendor], brief=brief)


def known_machines(args: Namespace) -> tuple[Known, ...]:
    """The machines that have a name here. No store is made by asking."""
    folder = data_folder() if args.data is None else args.data
    if (folder / FILE_NAME).exists():
        with suppress(StoreUnusable), open_store(args) as store:  # whoever needs the store will hear of it
            return kept_club(store.decisions).machines
    return ()


def chosen(args: Namespace, name: str | None) -> tuple[str, Known | None]:
    """The address of the machine that is meant, and which one has to answer there. Raises MachineNotFound.

    An address that no device of this computer has is taken as it is.
    """
    wanted = wanted_machine(args, name)
    if name is not None and is_address(name):
        if not wanted.known or serial_path(name) is None:
            return name, None
        there = fitting(candidates(gather_for(wanted), wanted.known), wanted)
        return name, there[0].known if len(there) == 1 else None
    candidate = choose(gather_for(wanted), wanted)
    return candidate.url, candidate.known


def open_chosen(args: Namespace, recorder: Recorder) -> Machine:
    """The machine that --machine (or the variable for it) names, else the only one; with the folder of --data.

    Raises ConfigError when several are named.
    """
    if len(args.machines) > 1:
        raise ConfigError(
            "Several machines at once can deal, and do nothing else.", key="machine", hint="Nothing moved. Name one."
        )
    url, known = chosen(args, args.machine and _named(args.machine)[1])
    return open_machine(url, data=args.data, recorder=recorder, serial=None if known is None else known.serial)


def open_dealing(args: Namespace, recorder: Recorder) -> Machine | Machines:
    """What is to deal: as `open_chosen`, or the machines that --machine names, each by its name or as NAME=ADDRESS."""
    if len(args.machines) < 2:
        return open_chosen(args, recorder)
    found = {name: chosen(args, address) for name, address in map(_named, args.machines)}
    if len(found) < len(args.machines):
        raise ConfigError("Each machine needs a name of its own.", key="machine")
    return open_machines(
        {name: url for name, (url, _) in found.items()},
        data=args.data,
        recorders=dict.fromkeys(found, recorder),
        serials={name: known.serial for name, (_, known) in found.items() if known is not None},
        asks=somebody_there(as_json=args.json),
    )


def kept_open(opened: Opened, stack: ExitStack) -> Opened:
    """The same; `stack` closes it."""
    stack.enter_context(opened)
    return opened


def by_name(opened: Machine | Machines) -> dict[str, Machine]:
    """The machines by the names with which prompts call them; "" where there is one, which needs no name."""
    return opened.machines if isinstance(opened, Machines) else {"": opened}


def _named(text: str) -> tuple[str, str]:
    """The name by which prompts call a machine, and where it is: of "LEFT=COM3", or the same of "COM3"."""
    match = _NAMED.fullmatch(text)
    return (match["name"], match["address"]) if match else (text, text)
