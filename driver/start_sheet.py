"""The sheet of a set made here, which is pinned up and sent to many people before play; and how it is read again.

May import: `driver.deals`, `laws.py`, `opening.py`, `driver.errors`. Read next: `opening.py` (what is published after
play).
"""

from __future__ import annotations

import re
from textwrap import wrap
from typing import Final

from driver.deals.fairness import SPARES, Manifest, parse_manifest
from driver.deals.public_value import NO_RULE
from driver.errors import BadSyntax
from driver.laws import NEWEST, Topic
from driver.opening import UNCHANGED

_WIDTH: Final = 115
_DIGITS: Final = re.compile(r"[0-9a-f]{64}")
_APART: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def start_sheet(
    manifest: Manifest, *, name: str, date: str = "", director: str = "", instruction: str = "", thrown_away: int = 0
) -> str:
    """The sheet that is pinned up and sent to many people before play. It tells no hand and no secret."""
    title = ", ".join(text for text in (manifest.club, manifest.event, manifest.session or date) if text)
    lines = [
        f"Deal set {name}{f': {title}' if title else ''}",
        f"Boards {manifest.boards} and {SPARES} spare deals.",
        *([f"Director: {director}"] if director else []),
        *(_method(instruction) if instruction else []),
        f"Sets that were made and thrown away undealt before this one: {thrown_away}.",
        "",
        "Commitment (all 64 digits count):",
        manifest.commitment.hex(),
        "",
        "It fixes this description, and the description fixes the secret from which every board comes:",
        manifest.text,
        "",
    ]
    if manifest.rule != NO_RULE:
        lines += ["No board is known to anybody before this public value is:", manifest.rule.text, ""]
    lines += [
        "After the session the secret is published. Then anybody can make all boards again and compare them with the",
        "hand records: dealctl verify-set OPENING RECORDS --announced THIS_SHEET",
        "",
    ]
    return "\n".join(lines)


def _method(instruction: str) -> list[str]:
    """The director's instruction, and on what dealing by a machine rests."""
    return [f"Instruction (Law {NEWEST.law_number(Topic.METHOD)}): {instruction}", *wrap(NEWEST.method_line, _WIDTH)]


def description_in(text: str) -> Manifest:
    """The description in a start sheet, or in a file of its own. Raises BadSyntax."""
    return parse_manifest(_description_line(text) or text.strip())


def commitment_in(text: str) -> str:
    """The commitment in a start sheet, in a file of its own, or typed: 64 digits, also with spaces between.

    Raises BadSyntax when there is none, or more than one.
    """
    whole = "".join(text.split()).lower()
    if _DIGITS.fullmatch(whole):
        return whole
    # The digests in the description are others.
    outside = text.replace(_description_line(text) or "\n", "\n").lower()
    found: set[str] = set(_APART.findall(outside))
    if len(found) != 1:
        raise BadSyntax("There is no commitment of 64 digits, or there are several.", hint=UNCHANGED)
    return found.pop()


def _description_line(text: str) -> str:
    """The line of a sheet that is its description, "" when none is."""
    lines = (line.strip() for line in text.splitlines())
    return next((line for line in lines if line.startswith("{") and line.endswith("}")), "")
