"""Records that keep nothing, for jobs of single items that belong to no stored set.

May import: driver. Read next: `driver/dealt.py`.
"""

from __future__ import annotations

from driver.happenings import Item
from driver.verdicts import Verdict


class Unrecorded:
    """Nothing is written down beside the journal."""

    def begun(self, item: Item, run: int) -> None:
        """Keeps nothing."""

    def judged(self, verdict: Verdict) -> None:
        """Keeps nothing."""
