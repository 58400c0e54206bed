"""The questions that the Laws have, on a terminal: deals dealt before, and a board that is the director's to judge.

May import: `driver.used_deals`, `driver.laws`, `driver.store`, `names`, `questions`. Read next: `driver/used_deals.py`.
Enter alone is the safe answer. What is answered is written down with the name before anything is dealt.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from enum import Enum, unique
from typing import Final, TypeVar

from driver.cli.failures import put
from driver.cli.names import DIRECTOR, Names
from driver.cli.questions import ask_line, somebody_there
from driver.deals.model import range_text
from driver.errors import UsedDeal
from driver.laws import NEWEST, Topic
from driver.store.decisions import Decision, Decisions
from driver.used_deals import UsedAnswer, UsedQuestion, law_line

T = TypeVar("T")

_ENTRIES: Final = {
    UsedAnswer.STOP: Decision.USED_DEAL_STOPPED,
    UsedAnswer.REPLACE: Decision.USED_DEAL_REPLACED,
    UsedAnswer.ANOTHER_COPY: Decision.USED_DEAL_ANOTHER_COPY,
    UsedAnswer.SAME_SESSION: Decision.USED_DEAL_SAME_SESSION,
    UsedAnswer.SAME_EVENT: Decision.USED_DEAL_SAME_EVENT,
    UsedAnswer.REPLAY: Decision.USED_DEAL_REPLAY,
}
_OF_ITS_OWN_SET: Final = (UsedAnswer.REPLACE, UsedAnswer.ANOTHER_COPY)


@unique
class BoardChoice(Enum):
    """What can be done with a board that may need other hands. The first two can always be chosen."""

    SAME_HANDS = "Same hands, and a note for the director"
    SKIP = "Skip this board and leave it for the director"
    NEW_HANDS = "New hands for this board"


def ask_used(question: UsedQuestion, args: Namespace, names: Names, decisions: Decisions) -> UsedAnswer:
    """The answer to `question`, written down; never STOP. ONLY_NEW: deal what is in `question.fresh` alone.

    `args.used` is the answer of a script, one of SCRIPT_ANSWERS. A name is asked where the Laws want one: not for a
    copy or a repair of this evening's own set. Raises UsedDeal where nobody can be asked, when the
    person stops, and when a championship set gets no director's name.
    """
    if args.used is not None:
        answer = question.answer_of(args.used)
    elif somebody_there(as_json=args.json):
        for line in question.lines:
            put(line)
        answer = ask_choice([(question.text_of(choice), choice) for choice in question.choices])
    else:
        raise question.refusal()
    if answer is UsedAnswer.STOP:
        _note(question, answer, names.kept(), decisions)
        raise _stopped("Nothing was dealt, as you asked.", "Name the file that you want: dealctl deal FILE.")
    if answer is UsedAnswer.ONLY_NEW:
        return answer
    is_plain = answer in _OF_ITS_OWN_SET
    who = names.director() if question.strict else names.unasked() if is_plain else names.person()
    if question.strict and not who:
        raise _stopped(
            "Boards of a championship set are dealt once more only in the director's name.",
            "Nothing was dealt. Ask the director; in a script the name goes into --name.",
        )
    _note(question, answer, who, decisions)
    if (line := law_line(answer)) and not args.json:
        put(line)
    return answer


def ask_choice(choices: Sequence[tuple[str, T]], at: str = "") -> T:
    """One of several choices by its number, the first with Enter alone and at the end of the input.

    `at` stands before each line: of which machine it is asked.
    """
    for number, (text, _) in enumerate(choices, start=1):
        put(f"{at}{number}  {text}{'   (Enter)' if number == 1 else ''}")
    numbers = {str(number): choice for number, (_, choice) in enumerate(choices, start=1)}
    while typed := ask_line(f"{at}Number: "):
        if typed in numbers:
            return numbers[typed]
        put(f"{at}Type a number from 1 to {len(choices)}, then Enter.")
    return choices[0][1]


def ask_board_choice(choices: Sequence[BoardChoice]) -> BoardChoice:
    """One of `choices`, the first with Enter alone."""
    return ask_choice([(choice.value, choice) for choice in choices])


def _note(question: UsedQuestion, answer: UsedAnswer, who: str, decisions: Decisions) -> None:
    details: dict[str, str | bool] = {
        "boards": range_text(question.used),
        "set": question.set_id,
        "earlier": " ".join(question.earlier),
    }
    if question.strict and answer is not UsedAnswer.STOP:
        details[DIRECTOR] = True
    decisions.append(_ENTRIES[answer], who, **details)


def _stopped(sentence: str, hint: str) -> UsedDeal:
    return UsedDeal(sentence, law=NEWEST.law_number(Topic.OLD_DEAL), hint=hint)
