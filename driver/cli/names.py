"""Who decides: a name, asked once an evening. A free text, never refused, and kept with what was decided.

May import: `questions`, `text`, `driver.club`, `driver.store`. Read next: `law_questions.py`, `show.py`.
The name is not stored by itself: whoever decided something in the last hours is asked no more.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from driver.cli.failures import put
from driver.cli.questions import LONGEST_LINE, ask_line
from driver.cli.text import clean
from driver.club import kept_club
from driver.store.decisions import Decisions
from driver.store.forms import Now

AN_EVENING: Final = timedelta(hours=12)
DIRECTOR: Final = "director"
"""The detail of an entry in the log that says whether the name is a director's."""


class Names:
    """The names of this evening. `given` is the name of `--name`; `asks`: a person may be asked at this terminal."""

    def __init__(self, decisions: Decisions, now: Now, *, given: str | None, asks: bool) -> None:
        self._decisions = decisions
        self._now = now
        self._given = cleaned(given or "")
        self._asks = asks
        self._typed = {False: "", True: ""}
        """What was typed for a person and for a director in this run of the program."""

    def person(self) -> str:
        """Who sits here; "" when nobody says so."""
        return self._name("Your name (it is kept with this decision): ", director=False)

    def witness(self) -> str:
        """Who saw a card; asked each time, for it need not be who decided something this evening."""
        known = self.kept()
        if self._given or not self._asks or not known:
            return self.person()
        return cleaned(ask_line(f"Who saw it? (Enter: {known}) ")) or known

    def director(self) -> str:
        """The director's name; "" when nobody gives one. Enter alone means who directs as a rule, if that was said."""
        usual = kept_club(self._decisions).director
        question = f"Name of the director (Enter: {usual}): " if usual else "Name of the director: "
        return self._name(question, director=True, usual=usual)

    def unasked(self) -> str:
        """The name that was given, else one that decided something this evening; "" for none. Asks nobody."""
        return self._given or self.kept()

    def kept(self, *, director: bool = False) -> str:
        """The name that decided something this evening, "" for none; with `director`, only a director's."""
        now = self._now()
        for entry in self._decisions.newest_first():
            if not now - AN_EVENING <= entry.time <= now:
                break  # another evening's, or the clock was set back since: nobody knows how long ago that is
            if entry.who and (not director or entry.details.get(DIRECTOR) is True):
                return entry.who
        return ""

    def _name(self, question: str, *, director: bool, usual: str = "") -> str:
        if self._given or not self._asks:
            return self._given
        if name := self.kept(director=director):
            put(f"In the name of {name} (somebody else: start again with --name NAME).")
            return name
        self._typed[director] = self._typed[director] or cleaned(ask_line(question)) or usual
        return self._typed[director]


def cleaned(name: str) -> str:
    """A name as it is shown and kept: one line of printable signs, blanks once, of a bounded length."""
    return clean(" ".join(name.split()))[:LONGEST_LINE].strip()
