"""A real kernel with the machine on its bus: usbfs, cdc_acm, udev and what the driver makes of them. In QEMU only.

Read next: `qemu.py`, which starts the kernel; `usbip.py`, the machine.
"""

from __future__ import annotations

import grp
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from serial.tools import list_ports

from driver.transport.sysfs import UsbDevice, usb_devices
from firmware_sim.endpoints.base import Device
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import UsbIdentity
from tests.emulated.bench import SLOW, PortBench, deal_a_board, deal_a_board_through_a_pulled_cable, wait_for
from tests.emulated.echo import Echo
from tests.emulated.usbip import UsbipEndpoint
from tests.support.peers import Peer, Setup, served_peer
from tests.support.usb_cases import EVERY_CASE, Case, check_permission_repaired, check_replug, check_silence

pytestmark = pytest.mark.qemu

ROOT: Final = Path(__file__).resolve().parents[2]
RULES: Final = Path("/run/udev/rules.d")
SERIAL: Final = "DM0042"
LINK: Final = Path(f"/dev/dealing-machine-{SERIAL}")
SET_LINE_CODING, SET_LINES, BOTH_LINES = 0x20, 0x22, 3
WAYS: Final = pytest.mark.parametrize("way", ["serial", "usb"], ids=["cdc_acm", "usbfs"])
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def udev(*words: str) -> str:
    return subprocess.run(["udevadm", *words], capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture
def rules() -> Iterator[None]:
    """The rules are installed."""
    there = RULES / "70-dealing-machine.rules"
    there.write_bytes((ROOT / "udev" / there.name).read_bytes())
    udev("control", "--reload")
    yield
    there.unlink()
    udev("control", "--reload")


@pytest.fixture
def plug() -> Iterator[Callable[[Device, str], UsbipEndpoint]]:
    """Plugs a device in and waits until udev is done with it; it is pulled out at the end."""
    plugged: list[UsbipEndpoint] = []

    def one(machine: Device, serial: str) -> UsbipEndpoint:
        endpoint = UsbipEndpoint(machine, identity=UsbIdentity(serial))
        endpoint.start()
        plugged.append(endpoint)
        wait_for_tty()
        return endpoint

    yield one
    for endpoint in plugged:
        endpoint.close()
        wait_for(lambda: not ttys())
        udev("settle")


def on_the_bus() -> UsbDevice:
    """The machine, as the kernel tells of it."""
    (device,) = (one for one in usb_devices() if one.vendor == USB_VENDOR)
    return device


@pytest.fixture
def bench(plug: Callable[[Device, str], UsbipEndpoint]) -> PortBench:
    return PortBench(plug(Echo(), SERIAL), lambda: Path(on_the_bus().node))


@pytest.fixture
def make_peer(tmp_path: Path) -> Iterator[Callable[[Setup], Peer]]:
    """Makes the simulated machine on the kernel's bus."""
    made: list[Peer] = []

    def make(setup: Setup) -> Peer:
        identity = UsbIdentity(setup.profile.serial)
        made.append(served_peer(tmp_path, setup, lambda *core, **more: UsbipEndpoint(*core, **more, identity=identity)))
        wait_for_tty()
        return made[-1]

    yield make
    for peer in made:
        peer.close()
        wait_for(lambda: not ttys())
        udev("settle")


def ttys() -> list[Path]:
    """The nodes of all CDC ports."""
    return sorted(Path("/dev").glob("ttyACM*"))


def wait_for_tty() -> None:
    wait_for(lambda: len(ttys()) == 1)
    udev("settle")


def properties(device: str) -> dict[str, str]:
    lines = udev("info", "--query=property", f"--path={device}").splitlines()
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def url_of(way: str, serial: str) -> str:
    return f"usb:{serial}" if way == "usb" else f"serial:/dev/dealing-machine-{serial}"


def test_udev_gives_the_tty_its_name_and_keys(rules: None, plug: Callable[[Device, str], UsbipEndpoint]) -> None:
    plug(Echo(), SERIAL)
    (tty,) = ttys()
    told = properties(f"/sys/class/tty/{tty.name}")
    (port,) = (port for port in list_ports.comports() if port.device == str(tty))

    assert LINK.resolve() == tty
    assert told["ID_MM_DEVICE_IGNORE"] == told["ID_MM_PORT_IGNORE"] == "1"
    assert {"uaccess", "systemd"} <= set(told["TAGS"].split(":"))
    assert told["SYSTEMD_WANTS"] == f"dealing-machine@{tty.name}.service"
    assert (port.vid, port.pid, port.serial_number) == (USB_VENDOR, USB_PRODUCT, SERIAL)
    assert [link for link in Path("/dev/serial/by-id").iterdir() if SERIAL in link.name]


def test_udev_gives_the_usb_device_its_keys(rules: None, plug: Callable[[Device, str], UsbipEndpoint]) -> None:
    plug(Echo(), SERIAL)
    told = properties(f"/sys/bus/usb/devices/{on_the_bus().location}")

    assert told["ID_MM_DEVICE_IGNORE"] == told["MTP_NO_PROBE"] == "1"
    assert {"uaccess", "systemd"} <= set(told["TAGS"].split(":"))
    assert told["SYSTEMD_WANTS"] == "dealing-machine.target"


def test_the_commands_of_the_readme_do_what_it_says(plug: Callable[[Device, str], UsbipEndpoint]) -> None:
    """Those of systemctl need systemd as the first process and are left out."""
    text = (ROOT / "udev" / "README.md").read_text(encoding="utf-8")
    install, test, group, units, remove = (
        "\n".join(line for line in block.splitlines() if "systemctl" not in line) for block in BLOCK.findall(text)
    )
    endpoint = plug(Echo(), SERIAL)
    before = owners()
    assert not LINK.exists()

    run(install)
    assert LINK.resolve() == ttys()[0]
    shown = run(test)
    assert LINK.name in shown
    assert "ID_MM_PORT_IGNORE=1" in shown
    assert "uaccess" in shown
    run(group)
    ours = grp.getgrnam("dealing-machine").gr_gid
    assert owners() == [(ours, 0o660)] * 2
    run(units)
    assert Path("/etc/systemd/system/dealing-machine@.service").is_file()
    run(remove)
    assert not LINK.exists()
    endpoint.cut()
    wait_for(lambda: not ttys())
    endpoint.reconnect()
    wait_for_tty()
    assert owners() == before
    assert not [
        path for folder in ("udev/rules.d", "systemd/system") for path in Path("/etc", folder).glob("*dealing*")
    ]


def owners() -> list[tuple[int, int]]:
    """Group and permissions of the machine's tty and of its usbfs node."""
    found = [node.stat() for node in (*ttys(), Path(on_the_bus().node))]
    return [(node.st_gid, node.st_mode & 0o777) for node in found]


def run(block: str) -> str:
    """What the commands print, for root, who needs no sudo; fails with it when one of them fails."""
    done = subprocess.run(
        ["sh", "-e", "-c", f'sudo() {{ "$@"; }}\n{block}'],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{block}\n{done.stdout}"
    return done.stdout


@EVERY_CASE
def test_every_failure_is_what_the_table_says(case: Case, bench: PortBench) -> None:
    case.check(bench)


def test_a_read_in_which_nothing_comes_is_no_failure(bench: PortBench) -> None:
    check_silence(bench)


def test_after_replugging_the_machine_is_opened_anew(bench: PortBench) -> None:
    check_replug(bench)


def test_who_was_refused_is_let_in_once_the_permission_is_right(bench: PortBench) -> None:
    check_permission_repaired(bench)


@WAYS
def test_a_whole_board_is_dealt(way: str, rules: None, make_peer: Callable[[Setup], Peer]) -> None:
    peer = make_peer(Setup())

    deal_a_board(peer, url_of(way, peer.core.profile.serial))


@WAYS
def test_a_board_is_dealt_to_its_end_through_a_pulled_cable(
    way: str, rules: None, make_peer: Callable[[Setup], Peer]
) -> None:
    peer = make_peer(Setup(speed=SLOW))

    deal_a_board_through_a_pulled_cable(peer, url_of(way, peer.core.profile.serial))


def test_the_kernel_tells_the_serial_port_its_speed_and_its_lines(
    rules: None, make_peer: Callable[[Setup], Peer]
) -> None:
    peer = make_peer(Setup())
    deal_a_board(peer, url_of("serial", peer.core.profile.serial))

    assert isinstance(peer.endpoint, UsbipEndpoint)
    told = peer.endpoint.line_requests
    assert (115_200).to_bytes(4, "little") in [data[:4] for request, _, data in told if request == SET_LINE_CODING]
    assert BOTH_LINES in [value for request, value, _ in told if request == SET_LINES]
