"""`python -m firmware_sim`: a simulated dealing machine on a port of this computer, until nobody needs it any more.

May import: the other modules of this folder and the standard library. Read next: `scenario.py`, `control.py`.
The first line of output is one JSON object: {"url": …, "control": …, "seed": …}; after a planned cut another line tells
the new url. Ends with code 0 when its input closes (`--until-stdin-closes`), on SIGTERM and on SIGINT.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Final

from firmware_sim.commands import MachineCommands
from firmware_sim.control import ControlServer
from firmware_sim.endpoints.served import ServedEndpoint
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.line import LinePlan
from firmware_sim.memory import Memory
from firmware_sim.profile import PROFILES
from firmware_sim.scenario import Scenario, ScenarioError, profile_named

FAILED: Final = 1
USAGE: Final = 2
_HIGHEST_SEED: Final = 2**31


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the simulator; gives the exit code."""
    options = _parser().parse_args(arguments)
    try:
        endpoint_class = _endpoint_class(options.endpoint)
        scenario = _scenario(options)
        memory = None if options.memory is None else Memory(options.memory)
    except ValueError as error:
        print(f"firmware_sim: {error}", file=sys.stderr)
        return USAGE
    machine, line, person = scenario.build(memory)
    endpoint = endpoint_class(machine, line=line, baud=scenario.baud, person=person, on_url=_tell_url)
    commands = MachineCommands(endpoint, machine, person=person, told=scenario.describe())
    ending = _Ending(until_input_closes=options.until_stdin_closes)
    try:
        with endpoint, ControlServer(commands) as control:
            _tell({"url": endpoint.url, "control": control.url, "seed": scenario.seed})
            return ending.wait()
    finally:
        endpoint.close()
        ending.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m firmware_sim",
        description="A simulated dealing machine. Options win over what the scenario says.",
    )
    parser.add_argument("--endpoint", choices=("pty", "tcp"), default="pty" if os.name != "nt" else "tcp")
    parser.add_argument("--scenario", type=Path, metavar="FILE", help="a TOML file")
    parser.add_argument("--repeat", metavar="LINE", help='the case that a line tells, as "status" gives it as plan')
    parser.add_argument("--profile", choices=tuple(PROFILES), help="which machine")
    parser.add_argument("--serial", metavar="TEXT", help="its serial number; machines that deal together differ in it")
    parser.add_argument("--speed", type=float, metavar="X", help="mechanism and person, 1 = as in life")
    parser.add_argument("--baud", type=int, metavar="N", help="pace bytes as a serial line does")
    parser.add_argument("--boards", metavar="1-36", help="the boards that the person puts in, in order")
    parser.add_argument("--person", action="store_true", help="an operator stands there (implied by --boards)")
    parser.add_argument("--starts", action="store_true", help="the operator presses START too")
    parser.add_argument("--memory", type=Path, metavar="FILE", help="keeps the machine's memory there")
    parser.add_argument("--seed", type=int, metavar="N", help="of all dice; chosen when not given")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="TEXT",
        help='"jam-path@23", "line drop=0.1", "slip=wrong-board@2"',
    )
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when the input ends")
    return parser


def _endpoint_class(name: str) -> type[ServedEndpoint]:
    if name == "tcp":
        return TcpEndpoint
    try:
        from firmware_sim.endpoints.pty import PtyEndpoint
    except ImportError as error:
        raise ScenarioError("This system has no pseudo-terminals; use --endpoint tcp.") from error
    return PtyEndpoint


def _scenario(options: argparse.Namespace) -> Scenario:
    if options.repeat is not None:
        scenario = Scenario.repeat(options.repeat)
    else:
        scenario = Scenario() if options.scenario is None else Scenario.load(options.scenario)
    if options.profile is not None:
        serial = scenario.profile.serial
        scenario = replace(scenario, profile=replace(profile_named(options.profile), serial=serial))
    if options.serial is not None:
        scenario = scenario.with_serial(options.serial)
    if options.speed is not None:
        scenario = replace(scenario, speed=options.speed)
    if options.baud is not None:
        scenario = replace(scenario, baud=options.baud)
    if options.boards is not None:
        scenario = scenario.with_boards(options.boards)
    if options.person or options.starts:
        script = scenario.with_person()
        scenario = replace(scenario, script=replace(script, starts=script.starts or options.starts))
    if options.seed is not None or (options.scenario is None and options.repeat is None):
        seed = int.from_bytes(os.urandom(4), "little") % _HIGHEST_SEED if options.seed is None else options.seed
        scenario = scenario.with_seed(seed)
    for text in options.fault:
        scenario = scenario.with_fault(text)
    if scenario.line is None and scenario.baud is not None:
        scenario = replace(scenario, line=LinePlan(scenario.seed))
    return scenario


def _tell(facts: dict[str, object]) -> None:
    print(json.dumps(facts), flush=True)


def _tell_url(url: str) -> None:
    _tell({"url": url})


class _Ending:
    """Waits for a signal, for a thread that fails or, when wanted, for the end of the input; one socket tells all."""

    def __init__(self, *, until_input_closes: bool) -> None:
        self._waiting_end, self._telling_end = socket.socketpair()
        self._telling_end.setblocking(False)
        self._before = {number: signal.signal(number, self._signalled) for number in (signal.SIGTERM, signal.SIGINT)}
        self._wakeup_before = signal.set_wakeup_fd(self._telling_end.fileno(), warn_on_full_buffer=False)
        self._hook_before = threading.excepthook
        threading.excepthook = self._thread_failed
        self._code = 0
        if until_input_closes:
            threading.Thread(target=self._watch_input, name="simulator input", daemon=True).start()

    def wait(self) -> int:
        """Returns when it is time to end, with the exit code."""
        self._waiting_end.recv(1)
        return self._code

    def close(self) -> None:
        """Puts signals and hooks back as they were."""
        threading.excepthook = self._hook_before
        signal.set_wakeup_fd(self._wakeup_before)
        for number, before in self._before.items():
            signal.signal(number, before)
        self._waiting_end.close()
        self._telling_end.close()

    def _watch_input(self) -> None:
        while sys.stdin is not None and os.read(sys.stdin.fileno(), 4096):
            pass  # not through sys.stdin itself: a thread that waits in it would disturb the end of the program
        self._tell_main()

    def _thread_failed(self, failure: threading.ExceptHookArgs) -> None:
        self._hook_before(failure)
        self._code = FAILED
        self._tell_main()

    def _tell_main(self) -> None:
        try:
            self._telling_end.send(b"\0")
        except OSError:
            return  # it ended for another reason meanwhile

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        """The wake-up of the signal module says it all."""


if __name__ == "__main__":
    sys.exit(main())
