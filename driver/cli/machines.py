"""`dealctl machines`: the ports where a machine may be, without opening them; with --machine, that machine itself.

May import: `driver.transport.discovery`, `choose`. Read next: `choose.py`.
"""

from __future__ import annotations

import sys
from argparse import Namespace

from driver.cli.choose import open_chosen
from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.json_lines import put_object
from driver.cli.recording import recorded
from driver.errors import MachineNotFound
from driver.recorder import Recorder
from driver.transport.discovery import list_ports


def run(args: Namespace) -> int:
    """Lists what is there."""
    if args.machine is not None:
        return _show_one(args)
    ports = list_ports()
    for port in ports:
        if args.json:
            put_object({"event": "port", "machine": port.url, "description": port.description}, sys.stdout)
        else:
            put(f"{port.url}   {port.description}")
    if not ports:
        raise MachineNotFound(
            "Nothing that may be a machine is plugged in.",
            hint="Plug it in and switch it on. To try without a machine: dealctl practise FILE.",
        )
    if not args.json:
        put("To see whether one is a dealing machine: dealctl machines --machine ADDRESS")
    return Exit.ALL_GOOD


def _show_one(args: Namespace) -> int:
    recorder = Recorder()
    with recorded(args, recorder), open_chosen(args, recorder) as machine:
        info = machine.info
        if args.json:
            put_object(
                {
                    "event": "machine",
                    "serial": info.serial,
                    "model": info.model,
                    "firmware": info.firmware,
                    "simulated": info.simulated,
                },
                sys.stdout,
            )
        else:
            put(f"{info.model}, number {info.serial}, program {info.firmware}: it answers.")
            if info.simulated:
                put("It is a simulated machine.")
    return Exit.ALL_GOOD
