"""The flight recorder: the last frames both ways, without payloads, dumped once when something fails.

May import: `protocol.framing` and the standard library. Read next: `link.py`.
A line shows time, direction, kind, type, number and length: no payload and no checksum, since either would tell a hand
(invariant I7).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocol.framing import Frame

FRAMES_KEPT: Final = 400
LINE: Final = re.compile(r" *\d+\.\d{3} [<>] [A-Z_0-9]+ +type \d+ +number \d+ +\d+ bytes")
"""What a remembered frame looks like as a line, and nothing else does."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One frame as it is remembered; `time` in seconds of the link's clock, `outward` = host to machine."""

    time: float
    outward: bool
    kind: str
    type: int
    number: int
    length: int

    def __str__(self) -> str:
        arrow = ">" if self.outward else "<"
        return (
            f"{self.time:12.3f} {arrow} {self.kind:<9} type {self.type:<3} number {self.number:<10} {self.length} bytes"
        )


class Recorder:
    """Keeps the last `FRAMES_KEPT` frames; `listen` gets each line as it comes (for `dealctl trace`)."""

    def __init__(self, listen: Callable[[Recorded], None] | None = None) -> None:
        self._frames: deque[Recorded] = deque(maxlen=FRAMES_KEPT)
        self._listen = listen
        self._dumped = False

    def note(self, time: float, frame: Frame, *, outward: bool) -> None:
        """Remembers `frame` without its payload."""
        line = Recorded(time, outward, frame.kind.name, frame.type, frame.number, len(frame.payload))
        self._frames.append(line)
        if self._listen is not None:
            self._listen(line)

    def dump_once(self, path: Path) -> list[str]:
        """Writes the remembered lines to `path`, oldest first, and gives them; only once, and only if there are any.

        Raises OSError when the file cannot be written.
        """
        if self._dumped or not self._frames:
            return []
        self._dumped = True
        lines = [str(line) for line in self._frames]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return lines
