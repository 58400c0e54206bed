"""What the machine's codes mean to the person beside it: one plain sentence, and what to do with the hands.

May import: `protocol` and the standard library. Read next: `scheduler.py`, which puts them into prompts.
No sentence names a card, blames a person, or says more than the machine knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.codes import Check, FaultCode, Obstacle, PauseReason, Refusal, Sensor, State, TokenEnd
from protocol.fields import Code
from protocol.messages import Refused, StatusReport


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text` says what happened, `hands` what to do."""

    text: str
    hands: str


FAULTS: Final = {
    FaultCode.NO_FEED: Sentence(
        "The roller turned and no card came.",
        "Press the pack down lightly, fan it once if it sticks, and put it back.",
    ),
    FaultCode.HOPPER_EMPTY: Sentence(
        "The pack ended before the board was full.",
        "Look on the table, the floor and in the box for the missing card and put it into the hopper.",
    ),
    FaultCode.JAM: Sentence(
        "A card is stuck.",
        "Open the cover, take the stuck card out, lay it face down on top of the hopper, close the cover.",
    ),
    FaultCode.DOUBLE_FEED: Sentence(
        "Two cards came at once.",
        "Take all cards out of the pockets and the path; the board is dealt again.",
    ),
    FaultCode.FACE_UP: Sentence(
        "A card lies face up.", "Take it, turn it face down, and lay it back on top of the hopper."
    ),
    FaultCode.UNREADABLE: Sentence(
        "A card could not be read.",
        "Take it, wipe it or turn it round, and lay it face down on top of the hopper; replace it if it is worn.",
    ),
    FaultCode.FOREIGN_CARD: Sentence(
        "A card does not belong to the pack.",
        "Take it out and lay the right card, if one is missing, face down on top of the hopper.",
    ),
    FaultCode.DUPLICATE_CARD: Sentence(
        "The same card was read twice, so one of two readings is wrong.",
        "Take all cards out of the pockets and the path; check the pack with `dealctl check-pack` if it happens again.",
    ),
    FaultCode.WRONG_POCKET: Sentence(
        "A card fell into another pocket than it should.",
        "Take all cards out of the pockets and the path; the board is dealt again.",
    ),
    FaultCode.POCKET_SILENT: Sentence(
        "A card was not seen falling into its pocket.",
        "Look whether a card hangs on the pocket's edge, and wipe the pocket's sensor.",
    ),
    FaultCode.COVER_OPEN: Sentence("The cover was opened while cards moved.", "Close the cover."),
    FaultCode.BOARD_OUT: Sentence(
        "The board was taken out while cards moved.",
        "Take all cards out of the board, the pockets and the path; the board is dealt again.",
    ),
    FaultCode.WRONG_BACK: Sentence(
        "The next card has another back, so this pack is short or another pack's card is in it.",
        "Look for the missing card of this pack and lay it face down on top of the hopper.",
    ),
    FaultCode.NO_PROGRESS: Sentence(
        "The machine made no progress.", "Switch it off and on; if it happens again, call for service."
    ),
    FaultCode.MEMORY: Sentence(
        "The machine could not write its own record.", "Switch it off and on; if it happens again, call for service."
    ),
    FaultCode.PACK_SHORT: Sentence(
        "The stop card came before the board was full.",
        "Look for the missing card of this pack and lay it face down on top of the hopper, above the stop card.",
    ),
}

CHECKS: Final = {
    Check.FAULT_LATCHED: Sentence("The machine still reports a fault.", "Put it right first."),
    Check.COVER: Sentence("The cover is open.", "Close the cover."),
    Check.BOARD_MISSING: Sentence("No board lies in the machine.", "Put the board in."),
    Check.BOARD_UNCONFIRMED: Sentence(
        "The machine cannot read board numbers.", "Look which board lies in the machine and say so."
    ),
    Check.POCKETS_UNCONFIRMED: Sentence(
        "The machine cannot see into the pockets.", "Look into the pockets and say that they are empty."
    ),
    Check.PATH: Sentence("A card lies in the machine's path.", "Open the cover and take it out."),
    Check.HOPPER: Sentence(
        "No pack is ready in the hopper.",
        "Put the pack into the hopper, face down; if a stop card lies on top, take it off.",
    ),
    Check.HOPPER_UNCONFIRMED: Sentence(
        "The machine cannot see into the hopper.", "Put the pack in and say that it is there."
    ),
}

OBSTACLES: Final = {
    Obstacle.DOUBT: "it is not certain where one card lies",
    Obstacle.DOUBLE_FEED: "two cards came at once",
    Obstacle.DUPLICATE: "one of two readings is wrong, and nobody knows which",
    Obstacle.POCKET: "a pocket disagrees with what was dealt",
    Obstacle.BOARD: "the board left the machine",
    Obstacle.RESTART: "the machine was switched off and kept no record of each card",
    Obstacle.BY_ORDER: "without reading cards the machine cannot find its place again",
    Obstacle.INDEX: "the machine counts other cards than this program",
}

PAUSES: Final = {
    PauseReason.PAUSE: Sentence("The machine pauses after the card.", "Nothing; go on when you like."),
    PauseReason.HOST_LOST: Sentence(
        "The cable was silent, so the machine stopped by itself.",
        "Look that the cable is firm, unless this program was just ended.",
    ),
    PauseReason.HOST_CHANGED: Sentence(
        "The program connected again, so the machine stopped.", "Look that all is well."
    ),
    PauseReason.STOP: Sentence(
        "The machine was stopped.", "If a card is stuck, take it out and lay it on top of the hopper."
    ),
    PauseReason.RESTART: Sentence(
        "The machine was switched off and on in mid-board.",
        "Look whether a card lies in the path; if so, take it out and lay it on top of the hopper.",
    ),
}

_UNKNOWN_FAULT: Final = Sentence(
    "The machine reports a fault that this program does not know.",
    "Switch the machine off and ask for a newer version of this program.",
)
_UNKNOWN_REFUSAL: Final = Sentence(
    "The machine refused, for a reason that this program does not know.", "Ask for a newer version of this program."
)
_CARD_NAMED: Final = (FaultCode.JAM, FaultCode.FACE_UP, FaultCode.UNREADABLE, FaultCode.FOREIGN_CARD)
"""Faults whose own sentence says what to do with the card in reader or path."""
EMPTY_ALL: Final = (
    "Take all cards out of the pockets, the path and the hopper, put the whole pack back into the hopper, "
    "and leave the empty board in."
)
_DEAL_AGAIN: Final = "Take all cards out of the pockets and the path; the board is dealt again."

_REFUSALS: Final = {
    Refusal.NO_CONNECTION: Sentence("The machine has ended the connection.", "Nothing; the program connects again."),
    Refusal.NUMBER_REUSED: Sentence("The machine got two requests under one number.", "Start this program again."),
    Refusal.UNKNOWN_TYPE: Sentence("The machine does not know this request.", "Ask for newer firmware."),
    Refusal.BAD_PAYLOAD: Sentence("The machine could not read the request.", "Ask for newer firmware."),
    Refusal.OUT_OF_RANGE: Sentence("The machine does not take this request.", "Note the code and ask for help."),
    Refusal.STALE: Sentence("Something happened at the machine meanwhile.", "Look at it and decide again."),
    Refusal.RUN_OPEN: Sentence("Another board is not finished in the machine.", "Finish or clear that board first."),
    Refusal.RUN_KNOWN: Sentence("The machine has already ended this board.", _DEAL_AGAIN),
    Refusal.RUN_CHANGED: Sentence("The machine holds another plan for this board.", _DEAL_AGAIN),
    Refusal.SAME_BOARD: Sentence("This is the board that was just dealt.", "Take it out and put the next board in."),
    Refusal.BOARD_TURNED: Sentence("The board lies the wrong way round.", "Take it out, turn it, put it in again."),
    Refusal.GONE: Sentence("The machine keeps no record of that.", "Nothing; the program asks in another way."),
    Refusal.NOT_SUPPORTED: Sentence("This machine cannot do that.", "Use another machine or another way of dealing."),
}

_TOKENS: Final = {
    TokenEnd.EXPIRED: "The machine waited too long for the start.",
    TokenEnd.STOPPED: "STOP was pressed at the machine.",
    TokenEnd.FAULT: "The machine reports a fault.",
    TokenEnd.CHANGED: "Something at the machine was moved just before the start.",
}


def fault_sentence(fault: FaultCode | Code) -> Sentence:
    """The sentence for a fault; an unknown one is treated as the gravest."""
    return FAULTS.get(fault, _UNKNOWN_FAULT) if isinstance(fault, FaultCode) else _UNKNOWN_FAULT


def pause_sentence(status: StatusReport) -> Sentence:
    """The sentence for a paused run; a card that the machine senses in reader or path is named, with what to do."""
    if isinstance(status.reason, PauseReason) and status.reason in PAUSES:
        sentence = PAUSES[status.reason]
    else:
        sentence = fault_sentence(status.fault)
    in_sight = (
        "reader" if Sensor.READER_CARD in status.sensors else "path" if Sensor.PATH_CARD in status.sensors else ""
    )
    if not in_sight or status.fault in _CARD_NAMED:
        return sentence
    take_it = f"A card lies in the {in_sight}: take it out and lay it face down on top of the hopper first."
    return Sentence(sentence.text, f"{take_it} {sentence.hands}")


def refusal_sentence(refused: Refused) -> Sentence:
    """The sentence for a refusal, from its reason, `why` and `detail`."""
    match refused.reason:
        case Refusal.CHECK_FAILED if refused.why in tuple(Check):
            return CHECKS[Check(refused.why)]
        case Refusal.CANNOT_GO_ON if refused.why in tuple(Obstacle) and refused.why:
            return Sentence(f"This board cannot go on: {OBSTACLES[Obstacle(refused.why)]}.", _DEAL_AGAIN)
        case Refusal.WRONG_BOARD:
            return Sentence(f"This is board {refused.detail}.", "Take it out and put the right board in.")
        case Refusal.POCKETS_NOT_EMPTY:
            return Sentence(
                f"There are cards in pocket {_pockets(refused.why)}.",
                "Take the board out and empty it, or put another in.",
            )
        case Refusal.TOKEN_DEAD:
            text = _TOKENS.get(refused.why, "The start was not valid any more.")  # type: ignore[call-overload]
            return Sentence(text, "Look at the machine and start again.")
        case Refusal.NOT_NOW:
            moving = refused.why == State.MOVING
            text = "Cards are moving." if moving else "The machine is not ready for that now."
            return Sentence(text, "Wait, or pause first." if moving else "Look at the machine and decide again.")
        case Refusal() if refused.reason in _REFUSALS:
            return _REFUSALS[refused.reason]
    return _UNKNOWN_REFUSAL


def _pockets(bits: int) -> str:
    return " and ".join(letter for place, letter in enumerate("NESW") if bits >> place & 1) or "one of four"
