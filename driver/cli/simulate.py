"""`dealctl simulate`: a simulated machine that stays until Ctrl-C, for builders; its other options are passed through.

May import: `simulator`. Read next: `firmware_sim/__main__.py`, which knows the options.
"""

from __future__ import annotations

from argparse import Namespace

from driver.cli.exit_codes import Exit
from driver.cli.failures import put
from driver.cli.simulator import Simulator


def run(args: Namespace) -> int:
    """Starts it, prints where it is, waits."""
    named = {"--serial": args.serial, "--boards": args.boards}
    options = [f"{option}={value}" for option, value in named.items() if value is not None]
    with Simulator([*options, *(word for word in args.extra if word != "--")]) as simulator:
        if args.json:
            print(simulator.first_line, flush=True)
        else:
            put(f"A simulated machine is at {simulator.url} (back door: {simulator.control}, seed {simulator.seed}).")
            put(f"Deal on it from another window: dealctl deal FILE --machine {simulator.url}")
            put("It stays until you press Ctrl-C here.")
        try:
            code = simulator.wait()
        except KeyboardInterrupt:
            return Exit.ALL_GOOD
    return Exit.ALL_GOOD if code == 0 else Exit.NO_MACHINE
