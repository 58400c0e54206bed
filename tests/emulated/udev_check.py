"""What systemd's own tools make of the files in `udev/` for a machine that is not there; this computer stays as it is.

`udevadm test` sees the drawn device through umockdev's preload library, in a sandbox whose /dev and /run vanish.
May import: the standard library, `sysfs_tree`, `ioctl`. Read next: `test_udev_rules.py`.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.emulated.descriptors import UsbDescription
from tests.emulated.ioctl import IoctlServer, nobody
from tests.emulated.sysfs_tree import TTY_MAJOR, USB_MAJOR, Place, SysfsTree

PRELOAD: Final = "libumockdev-preload.so.0"
RULES: Final = "/run/udev/rules.d"
_RUN: Final = re.compile(r"run: '(.*)'|RUN\{[a-z]+\} : (.*)")
"""As systemd 252 and 254 print it, and as 257 does."""
_LINKS: Final = "== links =="
_TIMEOUT: Final = 30


@dataclass(frozen=True, slots=True)
class Told:
    """What udev would do with one device: its properties, what it would run, the links that it made in /dev."""

    properties: Mapping[str, str]
    run: tuple[str, ...]
    links: Mapping[str, str]
    complaints: tuple[str, ...]
    """Lines of udev about files of rules that are ours."""
    log: str

    def has(self, name: str) -> str | None:
        """The property of that name; None when the device has it not."""
        return self.properties.get(name)

    def tags(self, name: str = "TAGS") -> set[str]:
        """The tags of the device."""
        return set(self.properties.get(name, "").split(":")) - {""}


def in_sandbox(
    command: Sequence[str], *, files: Mapping[str, Path] | None = None, folders: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command with a /dev, a /run and the empty `folders` of its own; `files`: shown there -> what they are."""
    arguments = ["bwrap", "--bind", "/", "/", "--dev", "/dev", "--tmpfs", "/run"]
    for folder in folders:
        arguments += ["--tmpfs", folder]
    for inside, outside in (files or {}).items():
        arguments += ["--ro-bind", str(outside), inside]
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "UMOCKDEV_DIR")}
    settings = [f"{name}={value}" for name, value in variables.items()]
    return subprocess.run(
        [*arguments, "env", *settings, *command],
        env={**environment, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        check=False,
    )


def ask_udev(
    rules: Mapping[str, Path], usb: UsbDescription, *, about_tty: bool, action: str = "add",
    files: Mapping[str, Path] | None = None,
) -> Told:  # fmt: skip
    """What udev decides about the machine's USB device or its tty, with those files of rules (name there -> file)."""
    place = Place(5, tty="ttyACM0")
    with tempfile.TemporaryDirectory(prefix="dm-") as folder, ExitStack() as answering:
        tree = SysfsTree(Path(folder))
        tree.draw(usb, place)
        for node, major, minor in ((place.node, USB_MAJOR, place.minor), ("ttyACM0", TTY_MAJOR, 0)):
            tree.lay_node(node, None, major, minor)
            answering.enter_context(IoctlServer(tree.ioctl_socket(node), nobody))
        device = "/sys/class/tty/ttyACM0" if about_tty else f"/sys/{place.path}"
        script = (
            f'udevadm test -a "$1" "$2" && echo "{_LINKS}" && env -u LD_PRELOAD find /dev -type l -printf "%p %l\\n"'
        )
        done = in_sandbox(
            ["sh", "-c", script, "sh", action, device],
            files={**{f"{RULES}/{name}": path for name, path in rules.items()}, **(files or {})},
            LD_PRELOAD=PRELOAD,
            UMOCKDEV_DIR=folder,
        )
    if done.returncode:
        raise AssertionError(f"udevadm test ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return _read(done.stdout, done.stderr, rules)


def _read(output: str, log: str, rules: Mapping[str, Path]) -> Told:
    told, _, made = output.partition(_LINKS)
    lines = [line.strip() for line in told.splitlines()]
    run = [match for line in lines if (match := _RUN.fullmatch(line))]
    properties = (line.partition("=") for line in lines if re.match(r"[A-Z_]+=", line))
    links = (line.partition(" ") for line in made.strip().splitlines())
    ours = re.compile("|".join(f"{re.escape(name)}:[0-9]+ +[A-Z][a-z]" for name in rules) or "(?!)")
    return Told(
        {name: value for name, _, value in properties},
        tuple(match[1] or match[2] for match in run),
        {link: target for link, _, target in links},
        tuple(line for line in log.splitlines() if ours.search(line)),
        log,
    )


def can_sandbox() -> bool:
    """Whether bubblewrap works for this user on this computer."""
    return in_sandbox(["true"]).returncode == 0
