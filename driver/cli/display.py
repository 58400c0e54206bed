"""The live display: a few lines repainted in place, readable from across the room, small enough for 40 by 12.

May import: `view`, `text`, `driver.job_events`. Read next: `console.py`. Rendering is a pure function, `render`.
Pocket totals are shown without cards, and not at all where their order would tell the deal (invariant I7).
"""

from __future__ import annotations

import shutil
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TextIO

from driver.cli.text import as_ascii, clean, seat_word, speaks_unicode, wants_colour, with_steps
from driver.cli.view import JobView, Mood
from driver.job_events import CardDealt, JobEvent
from protocol.cards import PACK_SIZE, Seat

SMALLEST: Final = (20, 6)
WIDEST: Final = 76
FASTEST: Final = 0.05
"""Seconds between two paintings while cards fall."""
_ROOMY: Final = 18
"""Lines of a terminal from which the state gets a band of three."""
_KEYS: Final = ("p: pause after this board · Ctrl-C: stop", "p: pause · Ctrl-C: stop")
_OTHER_KEYS: Final = "Ctrl-C: stop"


@dataclass(frozen=True, slots=True)
class Style:
    """What the terminal can show."""

    colour: bool = True
    unicode: bool = True


_SIGNS: Final = {
    Mood.MOVES: ("▶", ">"),
    Mood.WAITS: ("●", "o"),
    Mood.NEEDS_YOU: ("■", "!"),
    Mood.LOST: ("▲", "?"),
    Mood.DONE: ("✔", "*"),
}
_COLOURS: Final = {
    Mood.MOVES: "30;42",
    Mood.WAITS: "30;46",
    Mood.NEEDS_YOU: "30;43",
    Mood.LOST: "97;41",
    Mood.DONE: "97;44",
}


def render(view: JobView, width: int, height: int, style: Style) -> list[str]:
    """The lines of the display, at most `height`, none wider than `width` on the screen."""
    width, height = max(width, SMALLEST[0]), max(height, SMALLEST[1])
    band = _band(view, width, height, style)
    asked, typed = _question(view, width)
    board, bar, pockets, left, keys = (_cut(text, width) for text in _facts(view, width, style))
    beside = [_cut(text, width) for text in view.beside]
    notice = _cut(f"! {view.notice}", width) if view.notice else ""
    room = height - len(band)
    # The least needed first: what is not there when the terminal is too small.
    spare = [keys, bar, pockets, *beside, left, notice, board]
    shown = [line for line in spare if line]
    step = _steps(view, width, room)
    while shown and len(shown) + len(step) + len(asked) + len(typed) > room:
        shown.pop(0)
    step = _steps(view, width, max(1, room - len(asked) - len(typed) - len(shown)))
    body = [
        *step,
        *asked,
        *typed,
        *(line for line in (board, bar, pockets, *beside, left, notice, keys) if line and line in shown),
    ]
    return [*band, *(_plain(line, style) for line in body[:room])]


def _band(view: JobView, width: int, height: int, style: Style) -> list[str]:
    sign = _SIGNS[view.mood][0 if style.unicode else 1]
    state = "Stopping" if view.stopping and view.mood is not Mood.DONE else view.state
    state = f"{view.machine}: {state}" if view.machine else state
    if view.stale:
        state = f"Silent for {view.silent_for:.0f} s: old values"
    text = _plain(_cut(f" {sign} {state}", width), style).ljust(width)
    rows = [" " * width, text, " " * width] if height >= _ROOMY else [text]
    start = f"\x1b[1;{_COLOURS[view.mood]}m" if style.colour else "\x1b[1;7m"
    return [f"{start}{row}\x1b[0m" for row in rows]


def _question(view: JobView, width: int) -> tuple[list[str], list[str]]:
    prompt = view.prompt
    if prompt is None:
        return [], []
    lines = [line for text in view.question for line in _wrapped(text, width)]
    return lines, [_cut(f"> {prompt.typed}", width)]


def _steps(view: JobView, width: int, room: int) -> list[str]:
    """What happened, what it means and what to do: a line for each step if there is room, else one behind the other.

    Where that is too much, what it means is left out first, and the end is cut off last.
    """
    texts = with_steps(f"{view.step} {view.means}".rstrip(), view.steps)
    lines = [line for text in texts for line in _wrapped(text, width)]
    if len(lines) > room:
        lines = _wrapped(" ".join(texts), width)
    if len(lines) > room:
        lines = _wrapped(" ".join(with_steps(view.step, view.steps)), width)
    if len(lines) > room:
        lines[room - 1] = f"{lines[room - 1][: width - 2]} …"
    return lines[:room]


def _facts(view: JobView, width: int, style: Style) -> tuple[str, str, str, str, str]:
    wide = width >= 60
    board = ""
    if view.board:
        dealer, vulnerable = (seat_word(view.dealer), "vulnerable") if wide else (view.dealer, "vul")
        marks = f"dealer {dealer}   {vulnerable} {view.vulnerability}"
        board = f"Board {view.name}   {marks}" if view.dealer else f"Board {view.name}"
    pockets = "   ".join(f"{seat.letter} {_total(view, seat)}" for seat in Seat)
    counts = f"{pockets}   {view.index} of {PACK_SIZE}"
    left = f"{view.left} of {view.total} boards left · {view.machine_time}"
    if len(left) + len(view.hand_time) <= width:
        left += view.hand_time
    if view.last_verdict and wide:
        left = f"{left} · {view.last_verdict}"
    keys = _OTHER_KEYS if view.prompt is not None else _KEYS[0 if wide else 1]
    if view.pauses_after:
        keys = "Pauses after this board"
    if view.stopping:
        keys = "Stops after this card. Ctrl-C again: at once" if view.stopping == 1 else "Stopping at once"
    return board, _bar(view.index, width, style), counts, left, keys


def _total(view: JobView, seat: Seat) -> str:
    if view.by_order and view.index < PACK_SIZE:
        return " -"
    return f"{view.counts[seat]:>2}"


def _bar(index: int, width: int, style: Style) -> str:
    """52 steps, one sign each where there is room, else one sign for two."""
    full, half, empty = ("█", "▌", "░") if style.unicode else ("#", "-", ".")
    if width >= PACK_SIZE + 2:
        return f"[{full * index}{empty * (PACK_SIZE - index)}]"
    steps = PACK_SIZE // 2
    if width < steps + 2:
        return ""
    done = full * (index // 2) + half * (index % 2)
    return f"[{done}{empty * (steps - len(done))}]"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(clean(text), width) if text else []


def _cut(text: str, width: int) -> str:
    text = clean(text)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _plain(text: str, style: Style) -> str:
    return text if style.unicode else as_ascii(text)


class Display:
    """Paints `render` in place on `stream`. The cursor stays visible, for braille displays that follow it."""

    def __init__(self, stream: TextIO, style: Style | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._painted_at = float("-inf")
        self._style = style or Style(colour=wants_colour(), unicode=speaks_unicode(stream))
        self._painted: list[str] = []
        self._width = 0

    def show(self, event: JobEvent, view: JobView) -> None:
        """Paint the picture after `event`; cards that come faster than the eye wait for the next painting."""
        if isinstance(event, CardDealt) and self._clock() - self._painted_at < FASTEST:
            return
        self.refresh(view)

    def refresh(self, view: JobView) -> None:
        """Paint what has changed."""
        columns, rows = shutil.get_terminal_size((80, 24))
        # One column and one line stay free: writing into the last one makes some terminals scroll.
        lines = render(view, min(columns - 1, WIDEST), rows - 1, self._style)
        if lines == self._painted and columns == self._width:
            return
        self._painted_at = self._clock()
        up = f"\x1b[{len(self._painted)}A\r" if self._painted else ""
        before = self._painted if columns == self._width else []
        rows_text = (
            "\r\n" if place < len(before) and before[place] == line else f"{line}\x1b[K\r\n"
            for place, line in enumerate(lines)
        )
        self._stream.write(up + "".join(rows_text) + ("\x1b[J" if len(lines) < len(self._painted) else ""))
        self._stream.flush()
        self._painted, self._width = lines, columns

    def close(self, view: JobView) -> None:
        """Paint a last time; what is written next stands below."""
        self.refresh(view)
