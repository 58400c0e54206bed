"""The options of `machines`, `setup`, `doctor`, `trace`, `simulate` and `completion` as argparse knows them.

May import: `set_options` and the standard library. Read next: `parser.py`, which calls this; `doctor.py`, `setup.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from driver.cli.set_options import AddsCommands, Reader


def add_machine_commands(
    add: AddsCommands, typed: Callable[[Reader], Reader], whole: Callable[[int, int], Reader]
) -> None:
    """Adds the commands. `typed` makes an argparse type of a reader, `whole` reads a number of a range."""
    add("machines", "machines", "show which machines are plugged in", "It opens none of them.")
    add("setup", "setup", "set up this computer and its machine, in ten minutes", "It may be done again at any time.")
    doctor = add("doctor", "doctor", "find out why a machine is not found or does not answer", "It changes nothing.")
    doctor.add_argument("--save", metavar="OUT", type=Path, help="write what is known of this computer, for a helper")
    doctor.add_argument("--facts", metavar="FILE", type=Path, help="look at such a file instead of this computer")
    doctor.add_argument("--rules", action="store_true", help="print the rule that lets you use the machine on Linux")
    doctor.add_argument("--self-test", action="store_true", help="if all is well, feed a pack and read every card")
    doctor.add_argument("--ready", action="store_true", help="with --self-test: pack and board are in; ask nothing")
    trace = add("trace", "trace", "show the talk with a machine, without its content", "For builders of machines.")
    trace.add_argument("--seconds", metavar="S", type=typed(whole(1, 86400)), help="stop after so long")
    simulate = add(
        "simulate", "simulate", "start a simulated machine and show its address", "For builders of machines."
    )
    simulate.add_argument(
        "--serial", metavar="TEXT", help="its serial number: two machines that deal together need different ones"
    )
    simulate.add_argument("--boards", metavar="1-36", help="somebody stands there and puts these boards in, in order")
    completion = add(
        "completion",
        "completion",
        "print what makes a shell complete commands with TAB",
        "For the file that your shell reads when it starts.",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell; README.md says where it goes")
