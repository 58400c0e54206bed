"""What a board can be found to be, why, and what a hand count or the next pack may change about it.

May import: `protocol.cards`, `driver.errors`. Read next: `verification.py`, which finds the verdict.
The rules are PROTOCOL.md, "What GOOD can mean". No sentence here names a card, or a hand that a card is in (I7).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum, unique
from typing import Final

from driver.errors import HandCountRefused
from protocol.cards import HAND_SIZE, Seat


@unique
class Verdict(IntEnum):
    """What a board, or one pocket of it, was found to be; the greater the number, the worse."""

    GOOD = 1
    """Proven: the cards that the deal gives, and no other, as far as this machine can see."""
    COUNTED = 2
    """13 cards in each pocket by sensor or by a person's count; the cards are not all proven."""
    NOT_PROVEN = 3
    """Something is in doubt."""
    DEAL_AGAIN = 4
    """Shown wrong."""

    @property
    def words(self) -> str:
        """The verdict as a person reads it: "GOOD", "DEAL AGAIN"."""
        return self.name.replace("_", " ")

    def __str__(self) -> str:
        return self.name


@unique
class ReasonCode(Enum):
    """Why a verdict is not GOOD: the best verdict that the reason leaves, whether a hand count may settle it, and
    whether it is what the machine lacks, so that each board of this machine has it."""

    WRONG_POCKET = ("wrong pocket", Verdict.DEAL_AGAIN)
    OTHER_POCKET_SENSED = ("other pocket sensed", Verdict.DEAL_AGAIN)
    SAME_CARD_TWICE = ("same card twice", Verdict.DEAL_AGAIN)
    CARD_MISSING = ("card missing", Verdict.DEAL_AGAIN)
    FACE_UP = ("face up", Verdict.DEAL_AGAIN)
    FOREIGN_CARD = ("foreign card", Verdict.DEAL_AGAIN)
    DOUBLE_FEED = ("double feed", Verdict.DEAL_AGAIN)
    UNFINISHED = ("unfinished", Verdict.DEAL_AGAIN)
    FOUND_WRONG = ("found wrong before", Verdict.DEAL_AGAIN)

    NOT_OVER = ("not over", Verdict.NOT_PROVEN)
    NO_LEDGER = ("no ledger", Verdict.NOT_PROVEN, False, True)
    LEDGER_INCOMPLETE = ("ledger incomplete", Verdict.NOT_PROVEN)
    IN_DOUBT = ("in doubt", Verdict.NOT_PROVEN)
    UNREAD = ("unread", Verdict.NOT_PROVEN)
    WEAK_READING = ("weak reading", Verdict.NOT_PROVEN)
    CARD_IN_READER = ("card in reader", Verdict.NOT_PROVEN)
    FAULT_OPEN = ("fault open", Verdict.NOT_PROVEN)
    BOARD_OUT = ("board out", Verdict.NOT_PROVEN)
    PACK_END = ("pack end", Verdict.NOT_PROVEN)
    OFF_PLAN = ("off plan", Verdict.NOT_PROVEN)
    DISAGREEMENT = ("disagreement", Verdict.NOT_PROVEN)
    RESTARTED = ("restarted", Verdict.NOT_PROVEN)
    WITHDRAWN = ("withdrawn", Verdict.NOT_PROVEN)

    LAST_STEP_IN_DOUBT = ("last step in doubt", Verdict.NOT_PROVEN, True)
    NOT_SEEN_LEAVING = ("not seen leaving", Verdict.NOT_PROVEN, True)
    NOT_SENSED = ("not sensed", Verdict.NOT_PROVEN, True)
    NOTHING_WATCHED = ("nothing watched", Verdict.NOT_PROVEN, True, True)
    FILLED_UP = ("filled up", Verdict.NOT_PROVEN, True)
    CARD_IN_PATH = ("card in path", Verdict.NOT_PROVEN, True)
    JAM = ("jam", Verdict.NOT_PROVEN, True)
    POCKET_SILENT = ("pocket silent", Verdict.NOT_PROVEN, True)

    NO_RECOGNITION = ("no recognition", Verdict.COUNTED, False, True)
    HAND_COUNT = ("hand count", Verdict.COUNTED)

    def __init__(self, text: str, best: Verdict, countable: bool = False, of_machine: bool = False) -> None:
        self.text = text
        self.best: Final = best
        """The best verdict that is left."""
        self.countable: Final = countable
        """True when only a pocket sensor or the end of the path is in doubt, so that a hand count may settle it."""
        self.of_machine: Final = of_machine
        """True when it is no matter of this run: dealing again leaves it as it is."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason against GOOD: its code, one sentence for a person, and the pockets it concerns (none = all four)."""

    code: ReasonCode
    sentence: str
    pockets: tuple[Seat, ...] = ()

    def concerns(self, seat: Seat) -> bool:
        """Whether the reason touches the pocket of `seat`."""
        return not self.pockets or seat in self.pockets


@dataclass(frozen=True, slots=True)
class PocketVerdict:
    """One pocket: its verdict, how many cards are proven in it (None = nobody knows), and why it is not GOOD."""

    seat: Seat
    verdict: Verdict
    count: int | None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a board and on its four pockets (N E S W), with all that must be shown beside it.

    `cannot_prove` are sentences on what this machine cannot see; `open_pack_end` means that the verdict is withdrawn
    when the next pack of the load comes out short, over or double; `pack_not_whole` is the notice for this when this
    run's own pack did, else ""; `counted_by` names who counted by hand, else "".
    """

    board: int
    verdict: Verdict
    pockets: tuple[PocketVerdict, ...]
    reasons: tuple[Reason, ...] = ()
    cannot_prove: tuple[str, ...] = ()
    open_pack_end: bool = False
    hand_count_may_release: bool = False
    simulated: bool = False
    pack_not_whole: str = ""
    counted_by: str = ""

    @property
    def stands(self) -> bool:
        """Whether the board is dealt with this verdict."""
        return self.verdict in (Verdict.GOOD, Verdict.COUNTED)

    @property
    def is_best_here(self) -> bool:
        """Whether no run on this machine can bring more: only what the machine lacks speaks against GOOD."""
        return all(reason.code.of_machine for reason in self.reasons)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is left to decide: the verdict stands, or nobody and no other run could make it better."""
        return self.stands or (self.is_best_here and not self.hand_count_may_release)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of the verdicts; GOOD when there are none."""
    return max(verdicts, default=Verdict.GOOD)


def conclude(
    board: int,
    reasons: Sequence[Reason],
    counts: Sequence[int | None],
    *,
    cannot_prove: Sequence[str] = (),
    open_pack_end: bool = False,
    simulated: bool = False,
    pack_not_whole: str = "",
) -> Judgement:
    """The judgement that `reasons` leave; `counts` are the cards proven in the pockets N E S W."""
    verdict = worst(reason.code.best for reason in reasons)
    pockets = tuple(
        _pocket(seat, counts[seat], [reason for reason in reasons if reason.concerns(seat)]) for seat in Seat
    )
    in_doubt = [reason.code for reason in reasons if reason.code.best is Verdict.NOT_PROVEN]
    return Judgement(
        board,
        verdict,
        pockets,
        tuple(reasons),
        tuple(cannot_prove),
        open_pack_end=open_pack_end and verdict in (Verdict.GOOD, Verdict.COUNTED),
        hand_count_may_release=verdict is Verdict.NOT_PROVEN and all(code.countable for code in in_doubt),
        simulated=simulated,
        pack_not_whole=pack_not_whole,
    )


def release_by_hand_count(judgement: Judgement, name: str, counts: Sequence[int]) -> Judgement:
    """COUNTED, because the person `name` counted `counts` cards in the pockets N E S W.

    Raises HandCountRefused when no name is given, when the counts are not 13 each, or when more than a pocket sensor
    or the end of the path is in doubt: a count never settles a misread card or a duplicate.
    """
    name = " ".join(name.split())
    if not judgement.hand_count_may_release:
        raise HandCountRefused(_why_not_by_count(judgement), hint=_HINTS.get(judgement.verdict))
    if not name:
        raise HandCountRefused("A hand count needs the name of the person who counted.", hint="Give the name.")
    if tuple(counts) != (HAND_SIZE,) * len(Seat):
        raise HandCountRefused(f"Board {judgement.board} does not have 13 cards in each pocket.")
    said = Reason(ReasonCode.HAND_COUNT, f"Counted by hand: 13 cards in each pocket, says {name}.")
    pockets = tuple(
        replace(pocket, verdict=Verdict.COUNTED, count=HAND_SIZE, reasons=(*pocket.reasons, said))
        for pocket in judgement.pockets
    )
    return replace(
        judgement,
        verdict=Verdict.COUNTED,
        pockets=pockets,
        reasons=(*judgement.reasons, said),
        hand_count_may_release=False,
        counted_by=name,
    )


def withdraw(judgement: Judgement, why: str) -> Judgement:
    """The judgement after the next pack of that load came out short, over or double; `why` is a sentence that says so.

    A verdict with an open pack end becomes NOT_PROVEN; every other judgement is returned as it is.
    """
    return doubt(judgement, why) if judgement.open_pack_end else judgement


def doubt(judgement: Judgement, why: str) -> Judgement:
    """The judgement after something became known that leaves the board not proven; `why` is a sentence that says so."""
    return _with_reason(judgement, Reason(ReasonCode.WITHDRAWN, why))


def no_better_than(judgement: Judgement, written: Verdict) -> Judgement:
    """The judgement of a run that was judged once more: never better than the verdict `written` down for it."""
    if judgement.verdict >= written:
        return judgement
    code = ReasonCode.FOUND_WRONG if written is Verdict.DEAL_AGAIN else ReasonCode.WITHDRAWN
    return _with_reason(judgement, Reason(code, f"It was found {written.words} when it was dealt."))


def _with_reason(judgement: Judgement, reason: Reason) -> Judgement:
    counts = [pocket.count for pocket in judgement.pockets]
    reasons = (*judgement.reasons, reason)
    return conclude(
        judgement.board,
        reasons,
        counts,
        cannot_prove=judgement.cannot_prove,
        simulated=judgement.simulated,
        pack_not_whole=judgement.pack_not_whole,
    )


_HINTS: Final = {
    Verdict.GOOD: "Nothing is to be done.",
    Verdict.COUNTED: "Nothing is to be done.",
}


def _why_not_by_count(judgement: Judgement) -> str:
    if judgement.verdict in (Verdict.GOOD, Verdict.COUNTED):
        return f"Board {judgement.board} is {judgement.verdict.words} and needs no hand count."
    weighing = [
        reason for reason in judgement.reasons if not reason.code.countable and reason.code.best >= Verdict.NOT_PROVEN
    ]
    because = weighing[0].sentence if weighing else ""
    return f"A hand count does not settle board {judgement.board}. {because}".rstrip()


def _pocket(seat: Seat, count: int | None, reasons: Sequence[Reason]) -> PocketVerdict:
    return PocketVerdict(seat, worst(reason.code.best for reason in reasons), count, tuple(reasons))
