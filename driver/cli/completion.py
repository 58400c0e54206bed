"""`dealctl completion SHELL`: the text that makes a shell complete commands and options with the TAB key.

May import: argcomplete, when it runs. Read next: `main.py`, which answers the shell's question.
"""

from __future__ import annotations

from argparse import Namespace

from driver.cli.exit_codes import Exit


def run(args: Namespace) -> int:
    """Prints the text for that shell."""
    from argcomplete.shell_integration import shellcode

    print(shellcode(["dealctl"], shell=args.shell), end="")
    return Exit.ALL_GOOD
