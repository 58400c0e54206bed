"""The pictures of one job on several machines: one `JobView` for each, and which of them stands in front.

May import: `view`, `driver.job_events`. Pure. Read next: `console.py`, which shows the front one.
The machine whose question was asked first stays in front until it is answered, so that no answer goes astray.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from driver.cli.view import JobView
from driver.job_events import JobEvent

_NOT_KNOWN: Final = 0.1
"""Seconds for a card by which a machine gets its share of the boards before its time is known; never shown."""


class Views:
    """`views` by the names of their machines; "" where there is one machine, which needs no name."""

    def __init__(self, views: Mapping[str, JobView]) -> None:
        self._views = dict(views)
        for name, view in self._views.items():
            view.machine = name
        self._asking: list[JobView] = []
        self.front = next(iter(self._views.values()))

    def __iter__(self) -> Iterator[JobView]:
        return iter(self._views.values())

    def take(self, event: JobEvent, now: float, left: int) -> None:
        """Brings the pictures up to `event`, and its machine's to the front if no other one asks."""
        concerned = [self._views[event.machine]] if event.machine in self._views else list(self._views.values())
        for view in concerned:
            view.take(event, now, left)
        speeds = {name: 1 / (view.estimate.card or _NOT_KNOWN) for name, view in self._views.items()}
        for name, view in self._views.items():
            view.left, view.share = left, speeds[name] / sum(speeds.values())
        self._asking = [view for view in self._asking if view.prompt is not None]
        self._asking += [view for view in concerned if view.prompt is not None and view not in self._asking]
        self._choose(concerned[0])

    def answered(self) -> None:
        """The question in front was answered; the next one comes to the front."""
        self.front.prompt = None
        self._asking = [view for view in self._asking if view.prompt is not None]
        self._choose(self.front)

    def _choose(self, otherwise: JobView) -> None:
        self.front = self._asking[0] if self._asking else otherwise
        self.front.beside = tuple(
            f"{view.machine}: {view.state}" for view in self._views.values() if view is not self.front
        )
