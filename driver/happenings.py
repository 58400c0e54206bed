"""What can happen to a job, and what can be done about it: the inputs and outputs of the scheduler.

May import: `deals.model`, `job_events`, `queue`, `verdicts`, `protocol`. Read next: `scheduler.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from driver.deals.model import Deal, Vulnerability
from driver.findings import Choice
from driver.job_events import JobEvent, NeedsOperator
from driver.queue import CopyId
from driver.verdicts import Judgement
from protocol.cards import Seat
from protocol.codes import Confirmation
from protocol.messages import Event, Refused, StatusReport


@dataclass(frozen=True, slots=True)
class Item:
    """One board copy of a job: the deal, and the number and markings under which it is dealt.

    `set_id` is the stored set that the deal is of, as board `deal_board`; "" when it is of none. `place` is its place
    in the queue.
    """

    board: int
    copy: str
    deal: Deal
    dealer: Seat
    vulnerability: Vulnerability
    deal_board: int
    set_id: str = ""
    place: CopyId = CopyId(0, 0)  # noqa: RUF009 - it cannot be changed


@dataclass(frozen=True, slots=True)
class Options:
    """How a job runs; see `scheduler.py`. `ask_each` asks a person before every board.

    `emptied`: the first board may be the one that was dealt last and never taken out; the person who starts it has
    emptied it (deal again).
    """

    auto: bool = False
    ask_each: bool = False
    emptied: bool = False


# What happens


@dataclass(frozen=True, slots=True)
class Decided:
    """A person decided; `name` and `counts` (N E S W) go with COUNT."""

    choice: Choice
    name: str = ""
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class WasRefused:
    """ARM, GO, CLEAR or CLOSE was refused."""

    refused: Refused


@dataclass(frozen=True, slots=True)
class Started:
    """GO was accepted."""


@dataclass(frozen=True, slots=True)
class Paused:
    """The open run pauses; `status` was read after that."""

    status: StatusReport


@dataclass(frozen=True, slots=True)
class Found:
    """What journal and machine show after an interruption leaves a person a choice; `status` is the machine's."""

    question: NeedsOperator
    status: StatusReport


@dataclass(frozen=True, slots=True)
class Done:
    """The 52nd card is proven.

    For a board that was found so: `question` asks whether it is out of the machine, where nothing senses that;
    `is_out` = it is.
    """

    question: NeedsOperator | None = None
    is_out: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of the board."""

    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Closed:
    """The machine holds no open run of ours any more."""


@dataclass(frozen=True, slots=True)
class NotStarted:
    """After a lost answer it is certain that this run never moved a card."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """The outcome of the open run is not known; `text` and `hands` say what to look at."""

    text: str
    hands: str


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The same machine answers again; `restarted` = with another boot id."""

    restarted: bool


@dataclass(frozen=True, slots=True)
class AtTheMachine:
    """A person moved something (board, cover or hopper) or pressed STOP."""

    event: Event


@dataclass(frozen=True, slots=True)
class Taken:
    """`item` is this machine's now; the queue gave it to no other one."""

    item: Item


@dataclass(frozen=True, slots=True)
class NoMore:
    """No board waits for this machine. `busy` = another machine has one that may come back; `left` are the names of
    those that were left, to be offered here; `elsewhere` are names of boards of which cards lie in other machines, each
    with the serial number of its machine; `complete` = every board is dealt."""

    busy: bool = False
    left: tuple[str, ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class QueueChanged:
    """The board that was asked for is another machine's now, or one may have come for who had none."""


Happening = (
    Decided
    | Taken
    | NoMore
    | QueueChanged
    | WasRefused
    | Started
    | Paused
    | Found
    | Done
    | Judged
    | Closed
    | NotStarted
    | Unknown
    | Reconnected
    | AtTheMachine
)


# What is to be done


@dataclass(frozen=True, slots=True)
class TakeNext:
    """Take the next board from the queue; `number` is the one that lies in the slot, None where nobody reads it.

    `from_others`: also a board that another machine has asked for and not begun.
    """

    number: int | None = None
    from_others: bool = True


@dataclass(frozen=True, slots=True)
class Leave:
    """The present board is left, to be offered at the end."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The present board stays as it was dealt, though its verdict is no proof: it is not dealt again."""


@dataclass(frozen=True, slots=True)
class OfferLeft:
    """The boards that were left wait again."""


@dataclass(frozen=True, slots=True)
class OfferEmptied:
    """A person has taken all cards out of the boards that were found open elsewhere: they wait again."""


@dataclass(frozen=True, slots=True)
class LeaveOpen:
    """The boards that are open elsewhere stay so, with their cards in."""


QueueCommand = TakeNext | Leave | Keep | OfferLeft | OfferEmptied | LeaveOpen


@dataclass(frozen=True, slots=True)
class StartRun:
    """A new run of `item`: intent, ARM, GO. `confirmed` is what a person's decision confirms.

    `clear` = a person decided this very start, so a fault that is still latched is taken back first.
    """

    item: Item
    confirmed: Confirmation
    clear: bool = False


@dataclass(frozen=True, slots=True)
class GoOn:
    """Clear the fault if there is one, ARM at the machine's index, GO; `put_back`: the card is in the hopper."""

    put_back: bool
    confirmed: Confirmation


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """Read the ledger and judge."""


@dataclass(frozen=True, slots=True)
class Release:
    """Judge anew with a person's hand count."""

    name: str
    counts: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class CloseRun:
    """CLOSE."""


@dataclass(frozen=True, slots=True)
class LookAgain:
    """Ask the machine again what it holds."""


@dataclass(frozen=True, slots=True)
class Tell:
    """Give this to the caller."""

    event: JobEvent


@dataclass(frozen=True, slots=True)
class EndJob:
    """Nothing more is to be done. `complete` = every board is dealt, with a verdict that stands or one that this
    machine cannot better; `halt` = motors off first."""

    complete: bool
    halt: bool = False


Command = QueueCommand | StartRun | GoOn | JudgeRun | Release | CloseRun | LookAgain | Tell | EndJob


def stays(command: Command) -> bool:
    """Whether it is still to be done when the machine was lost before: all else follows anew from what is found on the
    new connection, or a person is asked."""
    return not isinstance(command, StartRun | GoOn | JudgeRun | Release | CloseRun)
