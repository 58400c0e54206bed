"""What is known after a crash, a lost link or a restart: the journal's intent against what the machine shows. Pure.

May import: `protocol`, `verdicts.py`, `findings.py`, `visibility.py`. Read next: `findings.py` (the situations, their
texts and their choices), `runner.py`, which asks a person. Rows: PROTOCOL.md, "Restart, reconnect, and what is found
afterwards".
Nothing here moves a card, and nothing is called certain that journal and machine do not both allow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from driver.findings import Choice, Finding, Situation, finding, finished, keep_or_again, put_back_or_again
from driver.verdicts import Verdict
from driver.visibility import Sight
from protocol.cards import PACK_SIZE
from protocol.codes import BoardSensing, LedgerKind, NextStep, Obstacle, RecordState, RunFlag, Sensor, State
from protocol.constants import UNKNOWN_COUNT
from protocol.fields import Code, LedgerRecord
from protocol.messages import Identity, Refused, StatusReport

__all__ = ["Choice", "EndState", "Finding", "Found", "Intent", "Situation", "reconcile"]


@dataclass(frozen=True, slots=True)
class Intent:
    """The newest run in the journal: what was to be dealt where, how the machine stood, and how far it came.

    `boot_id`, `odometer` and `board_edges` are the machine's when the run was armed first; `go_sent` was written before
    the first GO was sent; `verdict` is None until one was written; `closed` once the machine had ended the run.
    `cards_seen`: this very program saw cards of it fall; `kept`: the person kept the board, though it is not proven.
    """

    run: int
    plan_tag: bytes = field(repr=False)
    board: int
    copy: str
    machine_serial: str
    boot_id: int
    odometer: int
    board_edges: int
    go_sent: bool
    verdict: Verdict | None
    closed: bool
    cards_seen: bool = False
    may_be_emptied: bool = False
    kept: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to decide about its verdict: it stands, or the board was kept with it."""
        return self.kept or self.verdict in (Verdict.GOOD, Verdict.COUNTED)


_HOW_MANY: Final = "How many cards lie in the pockets."
_MOST_RESETS: Final = 1_000
"""From one program to the next. A boot id counts resets; one that is farther off was drawn for a memory that was lost
(PROTOCOL.md, section 2)."""


@dataclass(frozen=True, slots=True)
class EndState:
    """How the machine says that a run ended which it still remembers; 255 = it does not know."""

    state: State | Code
    index: int
    doubt: int

    @classmethod
    def from_refusal(cls, refused: Refused) -> EndState:
        """The end state that a refusal RUN_KNOWN carries."""
        known = {int(state): state for state in State}
        return cls(known.get(refused.why, Code(refused.why)), refused.index, refused.doubt)


@dataclass(frozen=True, slots=True)
class Found:
    """What a machine shows on a new connection: HELLO_ACK, IDENTITY, STATUS, and the answer to READ_LEDGER.

    `run_end` is the end state when the run of the intent was refused as RUN_KNOWN; `ledger` are the records of the open
    run from index 0, None when they could not be read.
    """

    serial: str
    boot_id: int
    memory_lost: bool
    status: StatusReport
    run_end: EndState | None
    ledger: tuple[LedgerRecord, ...] | None
    identity: Identity


def reconcile(intent: Intent | None, found: Found) -> Finding:
    """The one situation that journal and machine show together; `intent` is None when the journal knows no run.

    The machine's run is looked at first: while one is open, nothing else can be dealt.
    """
    if intent is None or intent.closed:
        return _without_intent(intent, found)
    if found.serial != intent.machine_serial:
        return finding(
            Situation.OTHER_MACHINE,
            intent,
            certain=("This is not the machine that the board was begun on.",),
            uncertain=("How far the board came on the other machine.",),
        )
    if found.status.run == intent.run:
        return _our_run_is_open(intent, found)
    if found.status.run:
        return _foreign_run(intent, found)
    return _no_run_is_open(intent, found)


def _without_intent(intent: Intent | None, found: Found) -> Finding:
    run = found.status.run
    if not run:
        return finding(Situation.NOTHING_OPEN, None, certain=("No board is open in the machine or in this computer.",))
    if intent is not None and run == intent.run and found.serial == intent.machine_serial:
        if found.status.state is State.MOVING:
            return _moving(intent)
        # The mark of CLOSE was the machine's last one before a power cut, and was lost.
        return finding(Situation.JUDGED, intent, certain=("This computer has ended this board.",))
    return _foreign_run(None, found)


def _foreign_run(intent: Intent | None, found: Found) -> Finding:
    if found.status.state is State.MOVING:
        return _moving(None)
    uncertain = ["Which cards lie in pockets, path and hopper."]
    if intent is not None:
        uncertain.append("How far the board came that this computer began.")
    certain = ("Cards were dealt in the machine of which this computer knows nothing.",)
    return finding(Situation.FOREIGN_RUN, None, certain=certain, uncertain=tuple(uncertain))


def _moving(intent: Intent | None) -> Finding:
    return finding(
        Situation.MOVING,
        intent,
        certain=("Cards are moving now.",),
        uncertain=(_HOW_MANY,),
    )


def _our_run_is_open(intent: Intent, found: Found) -> Finding:
    status = found.status
    if status.state is State.MOVING:
        return _moving(intent)
    if intent.verdict is not None:
        return _judged(intent, intent.verdict, found)
    if found.memory_lost or found.run_end is not None or not intent.go_sent:
        return _unknown(intent, "What this computer wrote down and what the machine says do not agree.")
    if UNKNOWN_COUNT in (status.index, status.doubt):
        return _unknown(intent, "The machine does not know how many cards are in the pockets.")
    if status.state is State.DONE:
        return _done(intent, found)
    if status.state is State.PAUSED:
        return _paused(intent, found)
    return _unknown(intent, "The machine is in a state that nobody knows here.")


def _judged(intent: Intent, verdict: Verdict, found: Found) -> Finding:
    """Closed by itself only where nothing is left to decide; else a person is asked, as at the end of the board.

    Where the machine still holds the run as it ended, the board is judged once more for that.
    """
    if intent.is_settled:
        return finding(Situation.JUDGED, intent, certain=("The verdict is written.",))
    is_as_it_ended = found.status.run == intent.run and found.status.state is State.DONE
    if is_as_it_ended and not found.memory_lost and not _restarted(intent, found):
        return _done(intent, found)
    not_good = finding(
        Situation.NOT_GOOD,
        intent,
        certain=(_was_found(verdict),),
        uncertain=("Whether its cards still lie in the pockets.",),
    )
    may_be_kept = verdict is Verdict.NOT_PROVEN and not intent.may_be_emptied
    return keep_or_again(not_good, intent) if may_be_kept and not Sight.of(found.identity).can_prove else not_good


def _was_found(verdict: Verdict) -> str:
    return f"The board was dealt and found {verdict.words}."


def _done(intent: Intent, found: Found) -> Finding:
    status = found.status
    if intent.may_be_emptied:
        return _in_doubt(intent, PACK_SIZE, "Whether they still lie there, for somebody was asked to take them out.")
    if status.index != PACK_SIZE or status.doubt:
        why = ("The machine calls the run done and does not count 52 proven cards.",)
        return _in_doubt(intent, None, _HOW_MANY, certain=why)
    certain = ["The machine counts 52 cards into the pockets."]
    uncertain = ["Whether each card lies where the deal gives it, for the verdict is still to be found."]
    if intent.verdict is not None:
        certain.append(_was_found(intent.verdict))
        uncertain = ["Whether each card lies where the deal gives it."]
    if found.ledger is None:
        uncertain.append("What the machine's record says, for it could not be read.")
    elif _dropped(found.ledger) != PACK_SIZE:
        uncertain.append("Whether all cards are in, for the machine's record does not show 52.")
    is_out = _board_is_out(intent, found)
    if is_out is None:
        uncertain.append("Which board lies in the machine now.")
    else:
        certain.append("The board is out of the machine." if is_out else "The board still lies in the machine.")
    return finished(
        intent,
        certain=tuple(certain),
        uncertain=tuple(uncertain),
        k=PACK_SIZE,
        board_is_out=is_out,
        is_judged=intent.verdict is not None,
    )


def _board_is_out(intent: Intent, found: Found) -> bool | None:
    """Whether the finished board left the machine; None when sensors do not tell, or tell two things.

    After a restart, and after an edge since the run began, a board that lies there may be another one.
    """
    status = found.status
    if found.identity.board not in (BoardSensing.PRESENCE, BoardSensing.NUMBER):
        return None
    same_boot, same_edges = found.boot_id == intent.boot_id, status.board_edges == intent.board_edges
    is_there = Sensor.BOARD_PRESENT in status.sensors
    is_another = status.board_number not in (0, intent.board)
    if same_boot and same_edges:
        return False if is_there and not is_another else None
    return True if not is_there or is_another else None


def _paused(intent: Intent, found: Found) -> Finding:
    status, k = found.status, found.status.index
    if _board_moved(intent, found):
        uncertain = ("Which board lies in the machine.", "Where the cards dealt so far lie.")
        certain = ("A board was taken out or put in since the run began.",)
        return finding(Situation.BOARD_MOVED, intent, certain=certain, uncertain=uncertain, k=k)
    if found.ledger is not None and _dropped(found.ledger) != k:
        certain = ("The machine's record and its count of cards do not agree.",)
        return _in_doubt(intent, None, _HOW_MANY, certain=certain)
    if status.doubt:
        in_doubt = _in_doubt(intent, k, _doubt_sentence(status.doubt), *_restart_doubts(intent, found))
        is_one = status.doubt == 1 and k < PACK_SIZE and not _restarted(intent, found)
        return put_back_or_again(in_doubt, intent) if is_one and _may_go_on(intent, found) else in_doubt
    if k >= PACK_SIZE:
        certain = ("The run did not come to its end.",)
        return _in_doubt(intent, k, "Whether all cards lie in their pockets.", certain=certain)
    if not _may_go_on(intent, found):
        certain = (f"The machine counts {k} cards into the pockets and does not let this run go on.",)
        return finding(Situation.CANNOT_GO_ON, intent, certain=certain, uncertain=_restart_doubts(intent, found), k=k)
    return _interrupted(intent, found)


def _interrupted(intent: Intent, found: Found) -> Finding:
    status, k = found.status, found.status.index
    uncertain = _restart_doubts(intent, found)
    if found.ledger is None:
        uncertain = (*uncertain, "What the machine's record says, for it could not be read.")
    certain = [f"The machine counts {k} cards into the pockets."]
    first = []
    if status.sensors & (Sensor.READER_CARD | Sensor.PATH_CARD):
        certain.append("A card lies in the reader or in the path.")
        first.append("To go on, take the card out of the reader or path and lay it back on top of the hopper.")
    if NextStep.CLEAR in status.may:
        first.append("Put right what the machine reports.")
    return finding(
        Situation.INTERRUPTED,
        intent,
        certain=tuple(certain),
        uncertain=uncertain,
        k=k,
        first=tuple(first),
    )


def _may_go_on(intent: Intent, found: Found) -> bool:
    status = found.status
    if _restarted(intent, found) and found.identity.ledger != LedgerKind.CARD:
        return False
    return status.cannot_go_on == Obstacle.NONE and bool(status.may & (NextStep.GO_ON | NextStep.CLEAR))


def _in_doubt(intent: Intent, k: int | None, *doubts: str, certain: tuple[str, ...] = ()) -> Finding:
    counted = () if k is None else (f"The machine counts {k} cards into the pockets.",)
    return finding(Situation.IN_DOUBT, intent, certain=(*counted, *certain), uncertain=doubts, k=k)


def _doubt_sentence(cards: int) -> str:
    return f"Where {cards} {'card lies that has' if cards == 1 else 'cards lie that have'} left the hopper."


def _no_run_is_open(intent: Intent, found: Found) -> Finding:
    if intent.verdict is not None:
        return _judged(intent, intent.verdict, found)
    if found.run_end is not None:
        end = found.run_end
        k = None if end.index == UNKNOWN_COUNT else end.index
        uncertain = ("Which cards lie in the pockets, for the machine keeps no record of an ended run.",)
        return finding(Situation.ENDED, intent, certain=("The machine has ended this run.",), uncertain=uncertain, k=k)
    if found.memory_lost:
        return _unknown(intent, "The machine lost its memory.")
    if found.status.odometer != intent.odometer:
        return _unknown(intent, "The machine fed cards since, and does not know this run.")
    if intent.go_sent and found.boot_id != intent.boot_id and found.identity.ledger != LedgerKind.CARD:
        # Without a mark for each card, a lost last mark may have been the one that the run had begun.
        return _unknown(intent, "The machine restarted and keeps no mark for each card.")
    if intent.go_sent and not 0 <= found.boot_id - intent.boot_id <= _MOST_RESETS:
        # It says so until it restarts once more.
        return _unknown(intent, "The machine lost its memory since.")
    if found.status.state is not State.NONE:
        return _unknown(intent, "The machine tells a state without a run.")
    if intent.cards_seen:  # it lost its memory twice, and nobody asked it in between
        return _unknown(intent, "The machine does not know this run, of which it told cards.")
    certain = ("No card of this board was dealt.",)
    return finding(Situation.NOT_STARTED, intent, certain=certain, k=0)


def _unknown(intent: Intent, why: str) -> Finding:
    uncertain = ("Whether cards of this board were dealt, and how many.",)
    return finding(Situation.UNKNOWN, intent, certain=(why,), uncertain=uncertain)


def _board_moved(intent: Intent, found: Found) -> bool:
    """By the machine's own word, or by the edge counter; that one counts from 0 again after a restart."""
    before = intent.board_edges if found.boot_id == intent.boot_id else 0
    return found.status.cannot_go_on == Obstacle.BOARD or found.status.board_edges != before


def _restarted(intent: Intent, found: Found) -> bool:
    return found.boot_id != intent.boot_id or RunFlag.RESTARTED in found.status.run_flags


def _restart_doubts(intent: Intent, found: Found) -> tuple[str, ...]:
    """After a restart the machine's last mark may be missing: the index is then too low by a card that fell."""
    if not _restarted(intent, found):
        return ()
    return ("Whether one card more lies in a pocket, for the machine restarted.",)


def _dropped(ledger: tuple[LedgerRecord, ...]) -> int:
    return sum(record.state is RecordState.DROPPED for record in ledger)
