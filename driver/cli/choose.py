"""Which machine is meant: an address, the name of a port, or the only one there is; and how it is opened.

May import: `driver.machine`, `driver.transport`. Read next: `deal.py`.
"""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from driver.errors import MachineNotFound
from driver.machine import Machine, open_machine
from driver.recorder import Recorder
from driver.transport.discovery import Port, list_ports

_ADDRESS = re.compile(r"[a-z]+:.|/|COM\d+$|\\\\\.\\", re.IGNORECASE)


def address_of(name: str) -> str:
    """The address that `name` means: itself, or the one port that has this name. Raises MachineNotFound."""
    if _ADDRESS.match(name):
        return name
    ports = list_ports()
    wanted = name.casefold()
    fitting = [port for port in ports if wanted in _names(port)] or [
        port for port in ports if wanted in port.description.casefold()
    ]
    if len(fitting) == 1:
        return fitting[0].url
    if fitting:
        raise MachineNotFound(
            f"Several machines fit the name {name!r}.", hint="`dealctl machines` lists them; name one by its address."
        )
    raise MachineNotFound(f"No machine called {name!r} is plugged in.")


def _names(port: Port) -> set[str]:
    path = port.url.partition(":")[2]
    return {path.casefold(), Path(path).name.casefold(), port.description.casefold()}


def open_chosen(args: Namespace, recorder: Recorder) -> Machine:
    """The machine that --machine (or the variable for it) names, else the only one; with the folder of --data."""
    url = None if args.machine is None else address_of(args.machine)
    return open_machine(url, data=args.data, recorder=recorder)
