"""When the tests of this folder run: those marked `emulated` in a process of their own (`python -m tests.emulated`),
those marked `qemu` in a kernel of their own (`python -m tests.emulated.qemu`).

Where a tool is missing they are skipped; with REQUIRE_EMULATION=1, as in CI, they fail. Read next: `sysfs_tree.py`.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import usb.backend.libusb1

from tests.emulated.forgotten import sockets_given_back
from tests.emulated.sysfs_tree import SysfsTree
from tests.emulated.udev_check import can_sandbox

PROGRAMS: Final = {"bwrap": "bubblewrap", "udevadm": "udev", "systemd-analyze": "systemd"}
"""What the tests call -> the Debian package that has it."""
INSTALL: Final = "apt-get install -y --no-install-recommends umockdev libusb-1.0-0 udev systemd bubblewrap"


def what_is_missing(backend: object) -> str:
    """Why the tests marked `emulated` cannot run here; "" when they can."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        return "devices are emulated on 64-bit Linux only"
    if "libumockdev-preload" not in Path("/proc/self/maps").read_text(encoding="utf-8"):
        return f"umockdev is not loaded: run `make emulated`; {INSTALL}"
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing:
        return f"missing: {', '.join(missing)}; {INSTALL}"
    if not can_sandbox():
        return "bubblewrap cannot make a sandbox here"
    if backend is None:
        return f"libusb is missing; {INSTALL}"
    return ""


@pytest.fixture(scope="session", autouse=True)
def missing(tree: SysfsTree) -> str:
    """Asked once: whether the tests can run. libusb begins here, so that no test seems to leave it behind."""
    return what_is_missing(usb.backend.libusb1.get_backend())


@pytest.fixture(autouse=True)
def can_run(request: pytest.FixtureRequest, missing: str) -> None:
    """Skips a test marked `emulated` where it cannot run, or fails it where it must."""
    if request.node.get_closest_marker("emulated") is None:
        return
    if missing and os.environ.get("REQUIRE_EMULATION") == "1":
        pytest.fail(f"REQUIRE_EMULATION=1, but {missing}", pytrace=False)
    if missing:
        pytest.skip(missing)


@pytest.fixture(autouse=True)
def forgotten_sockets() -> Iterator[None]:
    """What the preload library leaves open is not the tests' fault."""
    with sockets_given_back():
        yield


@pytest.fixture(scope="session")
def tree() -> Iterator[SysfsTree]:
    """The one folder of this process: libusb listens in it for devices from its first moment to the end.

    Its path is short, because those of sockets are limited, and open to all, because a refused user has to see it.
    """
    root = Path(tempfile.mkdtemp(prefix="dm-"))
    root.chmod(0o755)
    os.environ["UMOCKDEV_DIR"] = str(root)
    yield SysfsTree(root)
    shutil.rmtree(root)
