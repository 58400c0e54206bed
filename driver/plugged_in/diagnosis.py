"""From the facts to the first thing that is wrong, from the cable up. Pure.

May import: `facts`, `candidates`, `driver.catalogue`, `driver.errors`. Read next: `catalogue.toml`, table `doctor`,
where each trouble has its sentence and its cure; `driver/cli/doctor.py`, which shows them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum, unique
from shlex import quote
from typing import Final

from driver.catalogue import Entry, Kind, entry
from driver.errors import MachineBusy, MachineNotFound, NotAMachine, OtherMachine, PermissionDenied, UsbSupportMissing
from driver.plugged_in.candidates import (
    Candidate,
    Likeness,
    Wanted,
    candidates,
    described,
    fitting,
    may_be_reached_without_port,
)
from driver.plugged_in.facts import LINK_NAME, Facts, KernelLine, Node
from driver.plugged_in.other_systems import NO_DRIVER
from driver.transport.url import is_address
from protocol.constants import USB_VENDOR
from protocol.errors import UnsupportedVersion

SHORT_LIFE: Final = 2.0
"""Seconds: a port that goes sooner was taken away, and is not a loose cable."""
_BEFORE_SEAT_RULES: Final = 73
_ATTACHED: Final = re.compile(r"now attached to ttyUSB\d+")
_MAY_BE_IT: Final = frozenset({USB_VENDOR, 0x0403, 0x067B, 0x10C4, 0x1A86})
"""Makers of devices whose missing driver may be why no machine is found: our own numbers, and chips of adapters."""
_WITHOUT_PORTS: Final = ("snap", "flatpak", "container")


@unique
class Step(IntEnum):
    """How far the way from the cable to the machine is clear."""

    SEEN = 1
    NODE = 2
    PERMISSION = 3
    HOLDER = 4
    ANSWER = 5
    VERSIONS = 6
    WELL = 7


@unique
class Trouble(Enum):
    """What can be wrong; the value is the step at which it shows, each name an entry of the catalogue."""

    NOTHING_SEEN = Step.SEEN, "nothing is seen"
    ONLY_OTHERS = Step.SEEN, "other USB devices only"
    NAMED_NOT_THERE = Step.SEEN, "the named machine is not there"
    BRLTTY = Step.SEEN, "brltty takes the port away"
    SNAP = Step.SEEN, "a snap sees no device"
    TEST_NUMBERS = Step.SEEN, "private test numbers"
    SAY_WHICH = Step.SEEN, "several fit"
    WHICH_ADAPTER = Step.SEEN, "adapters only"
    NO_DRIVER = Step.NODE, "no driver on Windows"
    NO_PORT = Step.NODE, "no driver made a port"
    FLATPAK = Step.NODE, "a flatpak keeps the device away"
    CONTAINER = Step.NODE, "a container keeps the device away"
    NODE_MISSING = Step.NODE, "the file of the port is missing"
    NO_LIBUSB = Step.NODE, "libusb is missing"
    NO_RULE = Step.PERMISSION, "no rule lets the user in"
    RULE_TOO_LATE = Step.PERMISSION, "the rule sorts too late"
    RULE_NOT_USED = Step.PERMISSION, "the rule came after the machine"
    NOT_IN_GROUP = Step.PERMISSION, "the user is not in the group of the port"
    GROUP_NOT_ACTIVE = Step.PERMISSION, "the group counts after the next login"
    OWNER_UNKNOWN = Step.PERMISSION, "the port belongs to nobody known"
    KEPT_AWAY = Step.PERMISSION, "the system refuses although the file lets the user in"
    MODEM_MANAGER = Step.HOLDER, "ModemManager holds the port"
    BRLTTY_HOLDS = Step.HOLDER, "brltty holds the port"
    HELD = Step.HOLDER, "another program holds the port"
    SILENT = Step.ANSWER, "nothing answers"
    NO_ANSWER = Step.ANSWER, "it cannot be opened, or does not keep the connection"
    MODEM_MANAGER_NEAR = Step.ANSWER, "something else talks while ModemManager runs"
    OTHER_MACHINE = Step.ANSWER, "another machine answers"
    WE_ARE_OLDER = Step.VERSIONS, "this program is the older side"
    IT_IS_OLDER = Step.VERSIONS, "the machine is the older side"
    RESTARTS = Step.WELL, "opening the port restarts the machine"
    NOTHING = Step.WELL, "all is well"

    @property
    def step(self) -> Step:
        """Where on the way it shows."""
        return self.value[0]


WELL: Final = frozenset({Trouble.RESTARTS, Trouble.NOTHING})
"""With these the machine can be used."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The first thing wrong, told: `entry` has its braces filled. `candidate` is the machine that it is about.

    `is_open_question`: nothing is wrong so far, and the machine must be opened to know more. `choices` are those among
    which a person has to say which one is meant.
    """

    trouble: Trouble
    entry: Entry
    candidate: Candidate | None = None
    is_open_question: bool = False
    choices: tuple[Candidate, ...] = ()


def diagnose(facts: Facts, wanted: Wanted | None = None) -> Diagnosis:
    """The first thing wrong with the machine that is wanted (default: the only one)."""
    wanted = wanted or Wanted()
    there = candidates(facts, wanted.known)
    found = fitting(there, wanted)
    candidate = found[0] if len(found) == 1 else None
    if candidate is None and not (wanted.name is not None and not found and is_address(wanted.name)):
        return _told(_not_found(facts, wanted, there, found), facts, found=found or there)
    trouble = None if candidate is None else _on_the_way(facts, candidate)
    if trouble is not None:
        return _told(trouble, facts, candidate)
    if facts.talk is None:
        return Diagnosis(Trouble.NOTHING, entry(Kind.DOCTOR, Trouble.NOTHING.name), candidate, is_open_question=True)
    return _told(_after_talk(facts), facts, candidate)


def _not_found(facts: Facts, wanted: Wanted, there: list[Candidate], found: list[Candidate]) -> Trouble:
    """Why not exactly one fits."""
    if found:
        return Trouble.SAY_WHICH
    if _taken_by_brltty(facts):
        return Trouble.BRLTTY
    if any(one.device.problem == NO_DRIVER and one.device.vendor in _MAY_BE_IT for one in facts.devices):
        return Trouble.NO_DRIVER
    if wanted.name is not None:
        return Trouble.NAMED_NOT_THERE
    if any(one.likeness is Likeness.TEST for one in there):
        return Trouble.TEST_NUMBERS
    if there:
        return Trouble.WHICH_ADAPTER
    if facts.sandbox == "snap" and not facts.devices:  # the others let a program see what they keep from it
        return Trouble.SNAP
    return Trouble.ONLY_OTHERS if facts.devices else Trouble.NOTHING_SEEN


def _on_the_way(facts: Facts, candidate: Candidate) -> Trouble | None:
    """What stands between this program and the machine, without opening it."""
    if candidate.device.problem == NO_DRIVER:
        return Trouble.NO_DRIVER
    if candidate.port is None:
        if not may_be_reached_without_port(candidate.device):
            return Trouble.NO_PORT
        if facts.libusb is False:
            return Trouble.NO_LIBUSB
    node = candidate.node
    if node is None:
        return None
    if not node.there:
        if not candidate.device.vendor:  # only a name that somebody typed
            return Trouble.BRLTTY if _taken_by_brltty(facts) else Trouble.NAMED_NOT_THERE
        return Trouble[facts.sandbox.upper()] if facts.sandbox in _WITHOUT_PORTS else Trouble.NODE_MISSING
    if not node.may_open:
        return _why_denied(facts, candidate, node)
    if node.holder is not None:
        names = {"ModemManager": Trouble.MODEM_MANAGER, "brltty": Trouble.BRLTTY_HOLDS}
        return names.get(node.holder.name, Trouble.HELD)
    return None


def _why_denied(facts: Facts, candidate: Candidate, node: Node) -> Trouble:
    if facts.sandbox in _WITHOUT_PORTS:
        return Trouble[facts.sandbox.upper()]
    if node.group in facts.user.written_groups and node.group not in facts.user.groups and node.group_may:
        return Trouble.GROUP_NOT_ACTIVE
    if candidate.likeness is not Likeness.ADAPTER:
        if not facts.rules:
            return Trouble.NO_RULE
        if all(_sorts_late(rule) for rule in facts.rules):
            return Trouble.RULE_TOO_LATE
        if not any(LINK_NAME in link for link in candidate.links):
            return Trouble.RULE_NOT_USED
    return Trouble.NOT_IN_GROUP if node.group_may and node.group not in ("", "root") else Trouble.OWNER_UNKNOWN


def _sorts_late(rule: str) -> bool:
    number = re.match(r"\d+", rule.rpartition("/")[2])
    return number is None or int(number[0]) >= _BEFORE_SEAT_RULES


def _taken_by_brltty(facts: Facts) -> bool:
    """The kernel says so of the adapter that came last, or that one went at once while brltty runs here."""
    came: KernelLine | None = None
    went: float | None = None
    claimed = False
    for line in facts.log:
        if _ATTACHED.search(line.text):
            came, went, claimed = line, None, False
        elif "disconnected from ttyUSB" in line.text:
            went = line.time
        claimed = claimed or ("brltty" in line.text and "claimed" in line.text)
    short = came is not None and went is not None and went - came.time < SHORT_LIFE
    return went is not None and (claimed or (short and "brltty" in facts.programs))


def _after_talk(facts: Facts) -> Trouble:
    """What the answer says, or the error that came instead of one."""
    talk = facts.talk
    assert talk is not None
    match talk.code:
        case "":
            return Trouble.RESTARTS if talk.restarted else Trouble.NOTHING
        case UnsupportedVersion.code:
            return Trouble.WE_ARE_OLDER if talk.update_side == "program" else Trouble.IT_IS_OLDER
        case NotAMachine.code:
            return Trouble.MODEM_MANAGER_NEAR if "ModemManager" in facts.programs else Trouble.SILENT
        case OtherMachine.code:
            return Trouble.OTHER_MACHINE
        case MachineBusy.code:
            return Trouble.HELD
        case MachineNotFound.code:
            return Trouble.NAMED_NOT_THERE
        case PermissionDenied.code:  # the file's own permissions let us in: somebody above the file does not
            return Trouble[facts.sandbox.upper()] if facts.sandbox in _WITHOUT_PORTS else Trouble.KEPT_AWAY
        case UsbSupportMissing.code:
            return Trouble.NO_DRIVER if facts.system == "win32" and facts.libusb else Trouble.NO_LIBUSB
        case _:
            return Trouble.NO_ANSWER


def _told(
    trouble: Trouble, facts: Facts, candidate: Candidate | None = None, found: Sequence[Candidate] = ()
) -> Diagnosis:
    """The trouble with the braces of its entry filled."""
    node, talk = None if candidate is None else candidate.node, facts.talk
    url = talk.url if talk is not None else "" if candidate is None else candidate.url
    told = entry(Kind.DOCTOR, trouble.name).filled(
        port=node.path if node is not None else url,
        path=quote(node.path if node is not None else url),
        address=quote(url),
        group="" if node is None else node.group,
        holder="another program" if node is None or node.holder is None else node.holder,
        machine="" if talk is None else f"{talk.model} {talk.serial}",
        found=", ".join(described(one, found) for one in found),
        first=quote(found[0].url) if found else "",
        install=INSTALL_LIBUSB.get(facts.distribution if facts.system == "linux" else facts.system, _ELSEWHERE),
    )
    asks_which = trouble in (Trouble.SAY_WHICH, Trouble.WHICH_ADAPTER)
    return Diagnosis(trouble, told, candidate, choices=tuple(found) if asks_which else ())


_ELSEWHERE: Final = "pipx install --force 'dealing-machine[usb]'"
INSTALL_LIBUSB: Final = {
    **dict.fromkeys(("debian", "ubuntu", "raspbian", "linuxmint", "pop"), "sudo apt install libusb-1.0-0"),
    **dict.fromkeys(("fedora", "rhel", "centos"), "sudo dnf install libusb1"),
    **dict.fromkeys(("arch", "manjaro"), "sudo pacman -S libusb"),
    **dict.fromkeys(("opensuse-leap", "opensuse-tumbleweed"), "sudo zypper install libusb-1_0-0"),
}
