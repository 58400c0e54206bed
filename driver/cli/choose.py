"""Which machine is meant: an address, the name of a port, or the only one there is; and how it is opened.

May import: `driver.machine`, `driver.machines`, `driver.transport`. Read next: `deal.py`.
"""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

from driver.errors import ConfigError, MachineNotFound
from driver.machine import Machine, open_machine
from driver.machines import Machines, open_machines
from driver.recorder import Recorder
from driver.transport.discovery import Port, list_ports

_ADDRESS = re.compile(r"[a-z]+:.|/|COM\d+$|\\\\\.\\", re.IGNORECASE)
_NAMED = re.compile(r"(?P<name>[^=:/\\]{1,20})=(?P<address>.+)")


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
    """The machine that --machine (or the variable for it) names, else the only one; with the folder of --data.

    Raises ConfigError when several are named.
    """
    if len(args.machines) > 1:
        raise ConfigError("Several machines at once are for `dealctl deal` alone.", key="machine")
    url = None if args.machine is None else address_of(_named(args.machine)[1])
    return open_machine(url, data=args.data, recorder=recorder)


def open_several(args: Namespace, recorder: Recorder) -> Machines:
    """The machines that --machine names, each by its name or as NAME=ADDRESS."""
    ways = {name: address_of(address) for name, address in map(_named, args.machines)}
    if len(ways) < len(args.machines):
        raise ConfigError("Each machine needs a name of its own.", key="machine")
    return open_machines(ways, data=args.data, recorders=dict.fromkeys(ways, recorder))


def _named(text: str) -> tuple[str, str]:
    """The name by which prompts call a machine, and where it is: of "LEFT=COM3", or the same of "COM3"."""
    match = _NAMED.fullmatch(text)
    return (match["name"], match["address"]) if match else (text, text)
