"""The named situations of the tests of both ends: `SITUATIONS`, by their names.

Read next: `base.py`.
"""

from tests.stateful.situations import frames, hands, outages
from tests.stateful.situations.base import SITUATIONS, go_on, may_go_on

__all__ = ["SITUATIONS", "frames", "go_on", "hands", "may_go_on", "outages"]
