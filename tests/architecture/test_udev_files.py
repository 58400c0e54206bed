"""The files of `udev/` as text: their ids and names are those of the program, their numbers are where udev needs them.

What systemd makes of them: `tests/emulated/test_udev_rules.py`. Read next: `udev/README.md`.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path
from typing import Final

import pytest

from driver.cli.parser import build_parser
from protocol.constants import USB_PRODUCT, USB_VENDOR
from protocol.usb import PRODUCT, SERIAL

ROOT: Final = Path(__file__).resolve().parents[2]
UDEV: Final = ROOT / "udev"
README: Final = (UDEV / "README.md").read_text(encoding="utf-8")
RULES: Final = sorted(UDEV.glob("*.rules"))
KEY: Final = re.compile(r'(?P<key>[A-Z]+(?:\{\w+\})?) *(?P<operator>==|!=|\+=|=) *"(?P<value>[^"]*)"')
SERIAL_KNOWN_AT, SEAT_AT = 60, 73
"""Where udev's own rules tell the serial number, and where they act on the tag `uaccess`."""
EVERY_FILE_OF_RULES: Final = pytest.mark.parametrize("file", RULES, ids=[file.name for file in RULES])


def rules_of(file: Path) -> list[list[tuple[str, str, str]]]:
    """The rules of a file, each as its (key, operator, value)."""
    text = re.sub(r"^#.*\n", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    return [KEY.findall(line) for line in text.splitlines() if line.strip()]


@EVERY_FILE_OF_RULES
def test_every_rule_that_gives_something_asks_for_the_ids_and_the_name_of_the_program(file: Path) -> None:
    giving = [rule for rule in rules_of(file) if not {"GOTO", "LABEL"} & {key for key, _, _ in rule}]
    assert giving
    for rule in giving:
        asked = {(key.removeprefix("ATTRS").removeprefix("ATTR"), value) for key, _, value in rule if "ATTR" in key}
        assert asked == {
            ("{idVendor}", f"{USB_VENDOR:04x}"),
            ("{idProduct}", f"{USB_PRODUCT:04x}"),
            ("{product}", PRODUCT),
        }


@EVERY_FILE_OF_RULES
def test_no_rule_sets_a_name_or_opens_a_device_to_everybody(file: Path) -> None:
    for rule in rules_of(file):
        for key, operator, value in rule:
            assert key != "NAME"
            assert (key, operator) != ("SYMLINK", "=")
            assert key != "MODE" or value == "0660"


@EVERY_FILE_OF_RULES
def test_the_number_of_a_file_is_after_the_serial_number_and_before_the_seat(file: Path) -> None:
    assert SERIAL_KNOWN_AT < int(file.name[:2]) < SEAT_AT


def test_the_link_is_named_after_the_serial_number_which_needs_no_quoting() -> None:
    links = [value for file in RULES for rule in rules_of(file) for key, _, value in rule if key == "SYMLINK"]

    assert links == ["dealing-machine-$env{ID_SERIAL_SHORT}"]
    assert not [sign for sign in " /\\%$" if SERIAL.fullmatch(f"DM{sign}")]


def test_the_ids_are_marked_as_a_private_test_while_they_are_one() -> None:
    is_test = USB_VENDOR == 0x1209 and 0x0001 <= USB_PRODUCT <= 0x0010
    rules = (UDEV / "70-dealing-machine.rules").read_text(encoding="utf-8")

    assert ("PRIVATE TEST" in rules) == ("Private test" in README) == is_test


def test_what_the_service_runs_is_a_command_of_the_program() -> None:
    unit = (UDEV / "dealing-machine@.service").read_text(encoding="utf-8")
    (command,) = re.findall(r"^ExecStart=dealctl (.*)$", unit, re.MULTILINE)
    arguments = build_parser().parse_args(shlex.split(command.replace("%I", "ttyACM0")))

    assert (arguments.command, arguments.machine) == ("machines", "/dev/ttyACM0")


def test_the_readme_names_every_file_and_no_other() -> None:
    named = set(re.findall(r"^\| `([^`]+)` \|", README, re.MULTILINE))

    assert named == {path.name for path in UDEV.iterdir()} - {"README.md"}


def test_the_wheel_carries_every_file() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"] == {
        "udev": "share/dealing-machine/udev"
    }


def test_each_command_of_make_that_the_readme_names_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

    assert {"test", "emulated", "qemu"} == set(re.findall(r"`make ([a-z]+)`", README)) <= targets
