"""Every limit and time of PROTOCOL.md, in the order of that page.

May import: the standard library. Read next: `codes.py`. A test compares each name with its table.
"""

from __future__ import annotations

from typing import Final

USB_VENDOR: Final = 0x1209
USB_PRODUCT: Final = 0x0001
"""Private tests only, until a product id is assigned; the udev rules and the driver use these two and no others."""
USB_TEST_PRODUCTS: Final = range(0x0001, 0x0011)
"""Product ids of 1209 that anybody may use in private, and nobody on anything that is passed on."""

MAGIC: Final = b"DEAL"
MAJOR_OLDEST: Final = 1
MAJOR_NEWEST: Final = 1
MINOR: Final = 0

HEADER_SIZE: Final = 10
MAX_PAYLOAD: Final = 114
CRC_SIZE: Final = 4
MAX_FRAME: Final = HEADER_SIZE + MAX_PAYLOAD + CRC_SIZE
MAX_WIRE: Final = MAX_FRAME + 3

DEFAULT_BAUD: Final = 115_200
BITS_PER_BYTE: Final = 10
"""On a UART with 8N1: start bit, eight data bits, stop bit."""

RING_SIZE: Final = 32
RUNS_KEPT: Final = 8
LEDGER_RECORDS_MAX: Final = 26
EVENTS_MAX: Final = 7
EVENT_DATA_SIZE: Final = 14
UNKNOWN_COUNT: Final = 255
"""Index or doubt that the machine does not know (a restart with LEDGER=run)."""
NOT_PUT_BACK: Final = 255

# The table *Times*: milliseconds, as on that page.
ANSWER_WITHIN: Final = 100
RESEND_EVERY: Final = 300
GIVE_UP: Final = 5_000
HELLO_FOR: Final = 3_000
BEAT_EVERY: Final = 1_000
TICK_EVERY: Final = 1_000
QUIET_AFTER: Final = 10_000
HOST_LOST_AFTER: Final = 3_000
STALE_AFTER: Final = 2_000
LOST_AFTER: Final = 3_000
OWNER_GONE: Final = 10_000
TOKEN_LIVES: Final = 30_000
STOP_CONFIRM: Final = 5_000
CARD_LIMIT: Final = 2_000
