"""What is known about this computer and what is plugged into it, frozen, so that each conclusion can be repeated.

May import: `driver.transport` (its records) and the standard library. Read next: `gather.py`, then `diagnosis.py`.
A dump of it can be given to whoever helps: it holds no hand, no name of a person or computer and no folder of a person;
of USB devices that cannot be the machine it keeps the numbers alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from driver.errors import BadSyntax
from driver.transport.holder import Holder
from driver.transport.sysfs import UsbDevice

VERSION: Final = 1
LINK_NAME: Final = "dealing-machine-"
"""How the name begins that the udev rules give to the machine's port."""
HOW_MADE: Final = "Make it with: dealctl doctor --save FILE"
LARGEST: Final = 1_000_000
"""Characters of a dump that are read."""


@dataclass(frozen=True, slots=True)
class Node:
    """A file that is opened to reach a device: who may, and who does. `group` is "" where the number has no name."""

    path: str
    there: bool
    may_open: bool
    group: str
    group_may: bool
    holder: Holder | None = None


@dataclass(frozen=True, slots=True)
class PortFacts:
    """A serial port of a USB device; `links` are the other names that the system has for it."""

    node: Node
    device: UsbDevice
    interface: int
    driver: str
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """A USB device, and the file of it where there is one."""

    device: UsbDevice
    node: Node | None = None


@dataclass(frozen=True, slots=True)
class UserFacts:
    """Who runs the program: groups as they count now, and as they are written down for the next time."""

    is_root: bool = False
    groups: tuple[str, ...] = ()
    written_groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KernelLine:
    """A line of the system's log about an adapter that came or went; seconds since the system started."""

    time: float
    text: str


@dataclass(frozen=True, slots=True)
class Talk:
    """What came of opening the machine at `url`: the code of an error, or who answered.

    `restarted`: the machine began anew because its port was opened. `update_side` is "program" or "machine", whichever
    is the older one, where the two do not agree on a version.
    """

    url: str
    code: str = ""
    serial: str = ""
    model: str = ""
    firmware: str = ""
    simulated: bool = False
    restarted: bool = False
    update_side: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that finding and diagnosis go by.

    `sandbox` is "snap", "flatpak", "container" or "": what keeps this program from the devices. `rules` are the rules
    files for the machine, `programs` those that run here and are known to take ports; `libusb` is None where it was
    not looked for; `named` is the address that was meant, "" for none.
    """

    system: str
    named: str = ""
    distribution: str = ""
    sandbox: str = ""
    user: UserFacts = UserFacts()
    ports: tuple[PortFacts, ...] = ()
    devices: tuple[DeviceFacts, ...] = ()
    rules: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    libusb: bool | None = None
    log: tuple[KernelLine, ...] = ()
    talk: Talk | None = None


def to_text(facts: Facts) -> str:
    """The dump: JSON with a line for each fact, so that a person can read it before it is sent."""
    return json.dumps({"version": VERSION, **asdict(facts)}, indent=1, ensure_ascii=True) + "\n"


def from_text(text: str) -> Facts:
    """The facts of a dump. Raises BadSyntax for anything else."""
    try:
        if len(text) > LARGEST:
            raise ValueError("too long")
        value = json.loads(text)
        if not isinstance(value, dict) or value.pop("version", None) != VERSION:
            raise ValueError("another version")
        facts = _read(Facts, value)
    except (ValueError, TypeError, KeyError, RecursionError):
        raise BadSyntax("This file holds no facts of a computer.", hint=HOW_MADE) from None
    assert isinstance(facts, Facts)
    return facts


def _read(kind: Any, value: object) -> Any:
    """`value` of a JSON text as the type `kind`; raises TypeError, ValueError or KeyError where it is none."""
    if get_origin(kind) is UnionType:
        if value is None and NoneType in get_args(kind):
            return None
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise TypeError("a list is needed")
        return tuple(_read(get_args(kind)[0], one) for one in value)
    if is_dataclass(kind):
        if not isinstance(value, dict) or set(value) - {field.name for field in fields(kind)}:
            raise TypeError("an object with known names is needed")
        hints = get_type_hints(kind)
        return kind(**{name: _read(hints[name], one) for name, one in value.items()})  # type: ignore[operator]
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise TypeError("a value of another kind")
    return value
