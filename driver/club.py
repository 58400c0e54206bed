"""What a club said once and need not say again: its machines by name, who directs, and whether those who deal play.

May import: `driver.store.decisions`, `driver.plugged_in.candidates`. Read next: `cli/setup.py`, which asks;
`cli/choose.py` and `cli/names.py`, which use it. It stands in the log of decisions; what was said last counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from driver.plugged_in.candidates import Known
from driver.store.decisions import Decision, Decisions, Detail

_DIRECTOR: Final = "name"
_PLAYS: Final = "plays"


@dataclass(frozen=True, slots=True)
class Club:
    """What was said; None and "" where nobody said it. `machines`: the last one that was named comes first."""

    machines: tuple[Known, ...] = ()
    director: str = ""
    dealers_play: bool | None = None


def kept_club(decisions: Decisions) -> Club:
    """What the log holds."""
    machines: dict[str, Known] = {}
    director: str | None = None
    plays: bool | None = None
    for entry in decisions.newest_first():
        match entry.what:
            case Decision.MACHINE_NAMED:
                known = _known(entry.details)
                machines.setdefault(known.serial, known)
            case Decision.USUAL_DIRECTOR if director is None:
                director = _text(entry.details, _DIRECTOR)
            case Decision.DEALERS_PLAY if plays is None:
                plays = entry.details.get(_PLAYS) is True
    return Club(tuple(machines.values()), director or "", plays)


def keep_machine(decisions: Decisions, who: str, known: Known) -> None:
    """The machine is called so from now on, and found at that device."""
    numbers: dict[str, Detail] = {"vendor": known.vendor, "product": known.product}
    texts: dict[str, Detail] = {"usb_serial": known.usb_serial, "place": known.place}
    decisions.append(Decision.MACHINE_NAMED, who, serial=known.serial, name=known.name, **numbers, **texts)


def keep_director(decisions: Decisions, who: str, director: str) -> None:
    """Who directs as a rule; "" for nobody in particular."""
    decisions.append(Decision.USUAL_DIRECTOR, who, **{_DIRECTOR: director})


def keep_dealers_play(decisions: Decisions, who: str, *, plays: bool) -> None:
    """Whether those who deal also play."""
    decisions.append(Decision.DEALERS_PLAY, who, **{_PLAYS: plays})


def _known(details: Mapping[str, Detail]) -> Known:
    vendor, product = details.get("vendor"), details.get("product")
    return Known(
        _text(details, "serial"),
        _text(details, "name"),
        vendor if isinstance(vendor, int) else 0,
        product if isinstance(product, int) else 0,
        _text(details, "usb_serial"),
        _text(details, "place"),
    )


def _text(details: Mapping[str, Detail], name: str) -> str:
    value = details.get(name)
    return value if isinstance(value, str) else ""
