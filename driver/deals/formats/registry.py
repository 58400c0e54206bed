"""Every deal file format: who reads it and who writes it. A new format is one module and one line here.

May import: the formats. Read next: `driver/deals/records.py` (what a reader returns), `driver/deals/loader.py`.
"""

from __future__ import annotations

from typing import Final

from driver.deals.formats import pbn
from driver.deals.records import Reader

READERS: Final = (Reader("PBN", pbn.recognise, pbn.read),)
