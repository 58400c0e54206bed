"""The files of `udev/` before systemd's own tools: what they give a machine, and that they give nothing to others.

Read next: `udev_check.py`, `udev/README.md`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import PRODUCT, UsbIdentity
from tests.emulated.descriptors import UsbDescription
from tests.emulated.udev_check import Told, ask_udev, in_sandbox

UDEV: Final = Path(__file__).resolve().parents[2] / "udev"
pytestmark = pytest.mark.emulated

RULES: Final = {"70-dealing-machine.rules": UDEV / "70-dealing-machine.rules"}
GROUP: Final = {"71-dealing-machine-group.rules": UDEV / "71-dealing-machine-group.rules"}
MACHINE: Final = UsbDescription.of(UsbIdentity("DM0042"))
LINK: Final = "/dev/dealing-machine-DM0042"
BOTH: Final = pytest.mark.parametrize("about_tty", [False, True], ids=["usb_device", "its tty"])


def has_nothing_of_ours(told: Told) -> bool:
    keys = ("ID_MM_DEVICE_IGNORE", "ID_MM_PORT_IGNORE", "MTP_NO_PROBE")
    wants = told.has("SYSTEMD_WANTS") or ""
    return (
        not any(map(told.has, keys))
        and "uaccess" not in told.tags()
        and "uaccess" not in told.run
        and "dealing-machine" not in wants
        and not any("dealing-machine" in link for link in told.links)
    )


@pytest.mark.parametrize("action", ["add", "change"])
def test_the_person_at_the_computer_may_open_the_usb_device_and_nobody_else_talks_to_it(action: str) -> None:
    told = ask_udev(RULES, MACHINE, about_tty=False, action=action)

    assert "uaccess" in told.run
    assert {"uaccess", "systemd"} <= told.tags()
    assert told.has("ID_MM_DEVICE_IGNORE") == "1"
    assert told.has("MTP_NO_PROBE") == "1"
    assert told.has("SYSTEMD_WANTS") == "dealing-machine.target"
    assert told.complaints == ()


@pytest.mark.parametrize("action", ["add", "change"])
def test_the_person_at_the_computer_may_open_its_tty_which_has_a_name_that_stays(action: str) -> None:
    told = ask_udev(RULES, MACHINE, about_tty=True, action=action)

    assert "uaccess" in told.run
    assert {"uaccess", "systemd"} <= told.tags()
    assert told.has("ID_MM_DEVICE_IGNORE") == told.has("ID_MM_PORT_IGNORE") == "1"
    assert told.has("SYSTEMD_WANTS") == "dealing-machine@ttyACM0.service"
    assert LINK in (told.has("DEVLINKS") or "").split()
    assert told.links[LINK] == "ttyACM0"
    assert told.complaints == ()


def test_the_names_of_the_system_are_there_beside_ours() -> None:
    told = ask_udev(RULES, MACHINE, about_tty=True)

    assert [link for link in told.links if link.startswith("/dev/serial/by-id/") and link.endswith("DM0042-if00")]
    assert [link for link in told.links if link.startswith("/dev/serial/by-path/")]


@BOTH
def test_a_stranger_with_other_ids_gets_nothing(about_tty: bool) -> None:
    stranger = MACHINE.with_ids(USB_VENDOR, USB_PRODUCT + 1)

    assert has_nothing_of_ours(ask_udev(RULES | GROUP, stranger, about_tty=about_tty))


@BOTH
def test_a_stranger_with_the_ids_that_everybody_uses_in_private_gets_nothing(about_tty: bool) -> None:
    names = {index: "Blinking light" if text == PRODUCT else text for index, text in MACHINE.strings.items()}
    stranger = UsbDescription(MACHINE.device, MACHINE.configuration, names)

    assert has_nothing_of_ours(ask_udev(RULES | GROUP, stranger, about_tty=about_tty))


@BOTH
def test_without_the_file_the_machine_gets_nothing(about_tty: bool) -> None:
    assert has_nothing_of_ours(ask_udev({}, MACHINE, about_tty=about_tty))


@BOTH
def test_a_machine_that_is_pulled_out_gets_nothing(about_tty: bool) -> None:
    assert has_nothing_of_ours(ask_udev(RULES | GROUP, MACHINE, about_tty=about_tty, action="remove"))


@BOTH
def test_under_a_later_number_the_tag_is_set_and_nobody_acts_on_it(about_tty: bool) -> None:
    """Why the run list is looked at and not the tag."""
    told = ask_udev({"90-dealing-machine.rules": UDEV / "70-dealing-machine.rules"}, MACHINE, about_tty=about_tty)

    assert "uaccess" in told.tags()
    assert "uaccess" not in told.run


def test_under_a_number_before_the_serial_number_is_known_there_is_no_link() -> None:
    told = ask_udev({"50-dealing-machine.rules": UDEV / "70-dealing-machine.rules"}, MACHINE, about_tty=True)

    assert LINK not in told.links


@pytest.mark.parametrize(
    ("right", "wrong"),
    [('ENV{MTP_NO_PROBE}="1"', 'ENV{MTP_NO_PROBE}?="1"'), ('TAG+="uaccess"', 'TAGG+="uaccess"')],
    ids=["operator", "key"],
)
def test_udev_complains_of_a_slip_in_the_file(right: str, wrong: str, tmp_path: Path) -> None:
    """So no complaint means that there is none."""
    slip = tmp_path / "70-dealing-machine.rules"
    slip.write_text((UDEV / slip.name).read_text(encoding="utf-8").replace(right, wrong, 1), encoding="utf-8")

    assert ask_udev({slip.name: slip}, MACHINE, about_tty=False).complaints


@BOTH
def test_the_group_variant_gives_the_device_to_its_group_and_takes_nothing_away(
    about_tty: bool, tmp_path: Path
) -> None:
    groups = tmp_path / "group"
    groups.write_text(f"{Path('/etc/group').read_text(encoding='utf-8')}dealing-machine:x:987:\n", encoding="utf-8")
    told = ask_udev(RULES | GROUP, MACHINE, about_tty=about_tty, files={"/etc/group": groups})

    (file,) = GROUP
    ours = [line.partition(file)[2].split(" ", 1)[1] for line in told.log.splitlines() if f"{file}:" in line]
    assert ours == ["GROUP 987", "MODE 0660"]
    assert "uaccess" in told.run
    assert told.complaints == ()


def test_udev_says_so_when_the_group_was_not_made_first() -> None:
    complaints = ask_udev(RULES | GROUP, MACHINE, about_tty=True).complaints

    assert complaints
    assert all("group" in line and "dealing-machine" in line for line in complaints)


def verify(unit: str, *, with_program: bool, tmp_path: Path) -> str:
    """What systemd finds in the unit; "" when nothing."""
    program = tmp_path / "dealctl"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    units = {
        f"/etc/systemd/system/{path.name}": path for path in UDEV.iterdir() if path.suffix in (".service", ".target")
    }
    done = in_sandbox(
        ["systemd-analyze", "verify", "--man=no", f"/etc/systemd/system/{unit}"],
        files=units | ({"/usr/local/bin/dealctl": program} if with_program else {}),
        folders=["/etc/systemd/system", "/usr/local/bin"],
    )
    assert bool(done.returncode) == bool(done.stderr), done.stderr
    return done.stderr


@pytest.mark.parametrize("unit", ["dealing-machine@.service", "dealing-machine.target"])
def test_systemd_finds_nothing_wrong_with_the_units(unit: str, tmp_path: Path) -> None:
    assert verify(unit, with_program=True, tmp_path=tmp_path) == ""


def test_systemd_says_so_when_the_program_is_not_installed_for_everybody(tmp_path: Path) -> None:
    assert "dealctl" in verify("dealing-machine@.service", with_program=False, tmp_path=tmp_path)
