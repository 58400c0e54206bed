"""Deals that were dealt before: from what the register says to one question for the whole set, or to none.

May import: `driver.laws`, `driver.errors`, `driver.deals.model` (texts of ranges). No I/O, no clock.
Read next: `cli/law_questions.py`, which asks; `driver/store/register.py`, which remembers.
Law 6D2 is about results: nobody is forbidden to deal. The question is there because the wrong file is the usual reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, unique
from string import ascii_uppercase
from typing import Final, Protocol

from driver.deals.hands import listed
from driver.deals.model import range_text
from driver.errors import UsedDeal
from driver.laws import NEWEST, Edition, Topic

SHOWN_EARLIER: Final = 3
"""So many earlier sets are told one by one; more would hide the question."""
_LISTED_BOARDS: Final = 4
_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class PastUse(Protocol):
    """One time that a deal was dealt by a real machine, as the register tells it."""

    @property
    def set_id(self) -> str:
        """The stored set it was dealt from, as "s12"."""
        ...

    @property
    def set_name(self) -> str:
        """The name of that set."""
        ...

    @property
    def source(self) -> str:
        """The name of the file that the set came from; "" for a set made here."""
        ...

    @property
    def board(self) -> int:
        """The board number that it was dealt as."""
        ...

    @property
    def copy(self) -> str:
        """The copy, "" for the only one."""
        ...

    @property
    def time(self) -> datetime:
        """When, with its zone."""
        ...

    @property
    def turned(self) -> int:
        """By how many seats (0 to 3) it was turned then against now."""
        ...


@dataclass(frozen=True, slots=True)
class PlannedBoard:
    """A board that is about to be dealt, and every earlier use of its deal."""

    board: int
    copy: str
    uses: tuple[PastUse, ...] = ()


@unique
class UsedAnswer(Enum):
    """What a person says about boards that were dealt before; the value is what is written down."""

    STOP = "stop"
    REPLACE = "replace"
    """The same hands once more into the same boards; what lies in them does not count any more."""
    ANOTHER_COPY = "another copy"
    """The same hands into other boards; those dealt before stay."""
    SAME_SESSION = "same session again"
    """As it was asked for: the deals were met in another set, and repair and copy are the same there."""
    SAME_EVENT = "another sitting of the same event"
    REPLAY = "replay or lesson"
    ONLY_NEW = "only the boards not dealt yet"

    @property
    def is_for_the_director(self) -> bool:
        """Whether the director decides about results on these hands (Law 6D2)."""
        return self in (UsedAnswer.SAME_EVENT, UsedAnswer.REPLAY)


SCRIPT_ANSWERS: Final = {
    "replace": UsedAnswer.REPLACE,
    "copy": UsedAnswer.ANOTHER_COPY,
    "rest": UsedAnswer.ONLY_NEW,
    "repair": UsedAnswer.SAME_SESSION,
    "same-event": UsedAnswer.SAME_EVENT,
    "replay": UsedAnswer.REPLAY,
}
"""The words of the option `--used`."""

_OTHERWISE: Final = {
    UsedAnswer.REPLACE: UsedAnswer.SAME_SESSION,
    UsedAnswer.ANOTHER_COPY: UsedAnswer.SAME_SESSION,
    UsedAnswer.SAME_SESSION: UsedAnswer.REPLACE,
}
"""What a script's word means where that answer is no choice of the question."""
_TEXTS: Final = {
    UsedAnswer.STOP: "Stop, wrong file",
    UsedAnswer.SAME_SESSION: "Same session again: repair, copy, postponed",
    UsedAnswer.SAME_EVENT: "Another room, club or evening of the same event",
    UsedAnswer.REPLAY: "Replay of past deals, or a lesson",
}


@dataclass(frozen=True, slots=True)
class UsedQuestion:
    """The one question about boards dealt before. `lines` say what was met, `choices` what may be answered.

    The first choice is the safe one. `used` are the boards dealt before, `fresh` the boards and copies that were not,
    each in their order; `earlier` the ids of the sets they were dealt from, `set_id` the set about to be dealt ("" =
    not stored), `another` the names that one more copy of each would have. `strict`: it is a championship set, and only
    a director's name will do.
    """

    lines: tuple[str, ...]
    choices: tuple[UsedAnswer, ...]
    used: tuple[int, ...]
    fresh: tuple[tuple[int, str], ...]
    earlier: tuple[str, ...]
    set_id: str
    another: tuple[str, ...]
    strict: bool

    def text_of(self, choice: UsedAnswer) -> str:
        """The words of a choice on a screen, with what follows from it."""
        if choice is UsedAnswer.ONLY_NEW:
            return f"Deal only what was not dealt yet: {_copies(self.fresh)}"
        if choice is UsedAnswer.REPLACE:
            return f"Replace: same hands, same boards. First take the old cards out of {_boards(self.used)}"
        if choice is UsedAnswer.ANOTHER_COPY:
            more = f"One more copy{'' if len(self.another) == 1 else ' of each'}, {listed(self.another)}"
            return f"{more}: same hands into other boards. What was dealt stays in its boards"
        if choice is UsedAnswer.STOP and not self._is_for_the_director:
            return "Stop, nothing is dealt"
        text = _TEXTS[choice]
        law = NEWEST.law_number(Topic.OLD_DEAL)
        return f"{text} (Law {law}: the director decides)" if choice.is_for_the_director else text

    def answer_of(self, word: str) -> UsedAnswer:
        """The answer that a script gives by a word of SCRIPT_ANSWERS. Raises UsedDeal where it answers nothing."""
        answer = SCRIPT_ANSWERS[word]
        if answer in self.choices or answer.is_for_the_director:
            return answer
        otherwise = _OTHERWISE.get(answer)
        if otherwise is None or otherwise not in self.choices:
            raise self.refusal()
        return otherwise

    def refusal(self) -> UsedDeal:
        """The error where nobody can be asked; its hint names the options that answer."""
        words = listed_or([f"--used {word}" for word, answer in SCRIPT_ANSWERS.items() if answer in self.choices])
        named = ", with the director's name in --name" if self.strict else ""
        law = NEWEST.law_number(Topic.OLD_DEAL)
        about = f" Law {law}: the director decides about results on such hands." if self._is_for_the_director else ""
        return UsedDeal(
            f"{self.lines[0]}{about}",
            law=law,
            hint=f"Nothing was dealt. If it is meant, say so: {words}{named}.",
        )

    @property
    def _is_for_the_director(self) -> bool:
        return any(choice.is_for_the_director for choice in self.choices)


def used_question(
    planned: Sequence[PlannedBoard],
    now: datetime,
    *,
    set_id: str = "",
    named: bool = False,
    another: Sequence[str] = (),
    strict: bool = False,
) -> UsedQuestion | None:
    """The question about `planned`, None when there is nothing to ask. `now` is the local time with its zone.

    `set_id` is the stored set they belong to, and `named` whether the person named that set and copies of it (not a
    file): then a copy that was not dealt from it yet is meant, as it is where all was dealt today. `another` and
    `strict` as in UsedQuestion.
    """
    met = [one for one in planned if one.uses and not _is_meant(one, set_id, now, named=named)]
    if not met:
        return None
    uses = [use for one in met for use in one.uses]
    used = tuple(dict.fromkeys(one.board for one in met))
    copies = {(one.board, one.copy) for one in met}
    fresh = tuple(dict.fromkeys((one.board, one.copy) for one in planned if (one.board, one.copy) not in copies))
    today, sets = all(_is_of_today(use, now) for use in uses), {use.set_id for use in uses}
    is_own = sets == {set_id} and all(any(use.copy == one.copy for use in one.uses) for one in met)
    choices: tuple[UsedAnswer, ...] = (UsedAnswer.STOP,)
    if not is_own:
        choices += (UsedAnswer.SAME_SESSION,)
    else:
        choices += (UsedAnswer.REPLACE, UsedAnswer.ANOTHER_COPY) if another else (UsedAnswer.REPLACE,)
    if not (is_own and today):
        choices += (UsedAnswer.SAME_EVENT, UsedAnswer.REPLAY)
    if fresh and len(sets) == 1 and (today or is_own):
        choices += (UsedAnswer.ONLY_NEW,)
    fresh_boards = {board for board, _ in fresh} - set(used)
    lines = _lines(met, now, everything=not fresh_boards)
    earlier = tuple(dict.fromkeys(use.set_id for use in uses))
    return UsedQuestion(lines, choices, used, fresh, earlier, set_id, tuple(another), strict)


def next_copies(dealt: Collection[str], count: int) -> tuple[str, ...]:
    """The names of so many further copies where `dealt` exist: after the only copy comes B; () when no letter is left.

    "" is the only copy, which is nobody's letter and counts as the first.
    """
    letters = [letter for letter in ascii_uppercase[max(1, len(dealt)) :] if letter not in dealt]
    return tuple(letters[:count]) if len(letters) >= count else ()


def law_line(answer: UsedAnswer, edition: Edition = NEWEST) -> str:
    """What to say after an answer that is the director's to judge; "" for the others."""
    if not answer.is_for_the_director:
        return ""
    return edition.old_deal_line


def listed_or(words: Sequence[str]) -> str:
    """Words as a person offers them: "a", "a or b", "a, b or c"."""
    return " or ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def day_text(time: datetime, now: datetime) -> str:
    """The day of `time` for a person who reads it at `now`: "today at 14:05", "on Tue 24 Nov", with the year if it is
    another one. Days are those of the zone of `now`; the words do not depend on the computer's language."""
    local = time.astimezone(now.tzinfo)
    if local.date() == now.date():
        return f"today at {local:%H:%M}"
    year = "" if local.year == now.year else f" {local.year}"
    return f"on {_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]}{year}"


def _is_meant(one: PlannedBoard, set_id: str, now: datetime, *, named: bool) -> bool:
    """Whether this set's board was dealt from this set already, but not this copy of it, and nobody can have mistaken
    the set: it was `named`, or it is the one of today."""
    ours = [use for use in one.uses if use.set_id == set_id]
    is_another_copy = bool(ours) and all(use.copy != one.copy for use in ours)
    return is_another_copy and (named or all(_is_of_today(use, now) for use in one.uses))


def _is_of_today(use: PastUse, now: datetime) -> bool:
    return use.time.astimezone(now.tzinfo).date() == now.date()


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The boards that were met in one set on one day."""

    boards: tuple[int, ...]
    use: PastUse
    turned: bool
    renumbered: bool


def _lines(met: Sequence[PlannedBoard], now: datetime, *, everything: bool) -> tuple[str, ...]:
    groups = _groups(met, now)
    lines = [_sentence(group, now, of=len({one.board for one in met}) if everything else 0) for group in groups]
    if len(groups) > SHOWN_EARLIER:
        more = len(groups) - SHOWN_EARLIER
        lines[SHOWN_EARLIER:] = [f"And in {more} earlier set{'s' if more > 1 else ''}."]
    return tuple(lines)


def _groups(met: Sequence[PlannedBoard], now: datetime) -> list[_Earlier]:
    """What was met, by set, day and whether it was turned; the newest first."""
    found: dict[tuple[str, object, bool], list[tuple[int, PastUse]]] = {}
    for one in met:
        for use in one.uses:
            day = use.time.astimezone(now.tzinfo).date()
            found.setdefault((use.set_id, day, use.turned != 0), []).append((one.board, use))
    groups = [
        _Earlier(
            boards=tuple(dict.fromkeys(board for board, _ in members)),
            use=max((use for _, use in members), key=lambda use: use.time),
            turned=turned,
            renumbered=any(use.board != board for board, use in members),
        )
        for (_, _, turned), members in found.items()
    ]
    return sorted(groups, key=lambda group: group.use.time, reverse=True)


def _sentence(group: _Earlier, now: datetime, *, of: int) -> str:
    """One sentence on one earlier set; `of` boards are all that are about to be dealt (0: there are others too)."""
    several = len(group.boards) > 1
    what = f"All {of} boards" if several and len(group.boards) == of else _boards(group.boards, capital=True)
    use = group.use
    come = f"from {use.source}" if use.source else f"from the set {use.set_name}"
    sentence = f"{what} {'were' if several else 'was'} dealt {day_text(use.time, now)} {come}"
    if group.renumbered:
        sentence += ", with other numbers" if several else f", as board {use.board}"
    if group.turned:
        sentence += ", turned round"
    return f"{sentence}."


def _copies(fresh: Sequence[tuple[int, str]]) -> str:
    """ "boards 16-24", or by copies: "boards 20-36 of copy B"."""
    copies: dict[str, list[int]] = {}
    for board, copy in fresh:
        copies.setdefault(copy, []).append(board)
    return listed([_boards(numbers) + (f" of copy {copy}" if copy else "") for copy, numbers in copies.items()])


def _boards(numbers: Iterable[int], *, capital: bool = False) -> str:
    """ "board 7", "boards 3 and 7", "boards 1-12"."""
    found = sorted(set(numbers))
    word = "Board" if capital else "board"
    if len(found) == 1:
        return f"{word} {found[0]}"
    if len(found) == 2 or (len(found) <= _LISTED_BOARDS and found[-1] - found[0] >= len(found)):
        return f"{word}s {listed([str(number) for number in found])}"
    return f"{word}s {range_text(found)}"
