"""Words that a person at the machine need not know, and words that blame: no help, prompt or sheet has them.

Read next: `tests/unit/test_cli_help.py`, `tests/support/catalogue_rules.py`.
"""

from __future__ import annotations

import re
from typing import Final

NOT_ON_THE_FIRST_LEVEL: Final = (
    *("arm", "token", "latch", "handshake", "frame", "boot", "ledger", "journal", "commit", "manifest", "beacon"),
    *("nonce", "hash", "void", "index", "database", "redeal", "exit code", "pty"),
)
BLAMES: Final = (
    *("you forgot", "your fault", "your mistake", "you should have", "careless", "invalid", "illegal", "abort"),
    *("error", "exception", "failed", "fatal", "timeout", "errno", "bad", "null"),
)
ADDRESS: Final = re.compile(r"\b(serial|tcp|usb):\S|/dev/|\bCOM\d", re.IGNORECASE)


def words_in(text: str, words: tuple[str, ...]) -> list[str]:
    """Which of the words stand in the text, also with an ending."""
    return [word for word in words if re.search(rf"\b{word}(s|es|ed|ing)?\b", text.lower())]
