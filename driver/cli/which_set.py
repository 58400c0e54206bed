"""Which stored set a board number means, its copies, its spare deals, and its hands for who may see them.

May import: `driver.store`, `driver.deals`, `driver.new_hands`, `questions`. Read next: `show.py`, `new_hands.py`.
"""

from __future__ import annotations

from argparse import Namespace
from getpass import getpass
from pathlib import Path
from typing import Final

from driver.again import HandsNow, hands_now
from driver.cli.new_passphrase import passphrase_in
from driver.cli.questions import somebody_there
from driver.clock import utc_now
from driver.data_folder import data_folder
from driver.deals.fairness import SPARES
from driver.deals.model import BoardDeal
from driver.errors import NothingOpen, WrongPassphrase
from driver.laws import Stage
from driver.new_hands import GivenSpare, given_spares
from driver.opening import second_secret
from driver.store.copies import DealtCopy
from driver.store.decisions import Decision, Entry
from driver.store.store import Store
from driver.store.stored import SetKind, SetState, StoredSet
from driver.verdicts import Verdict

_MADE_HERE: Final = (SetKind.GAME, SetKind.CHAMPIONSHIP)
_PLAYED: Final = (SetState.IN_PLAY, SetState.ENDED, SetState.OPENED)
_OVER: Final = (SetState.ENDED, SetState.OPENED)
_DONE: Final = (Verdict.GOOD, Verdict.COUNTED)


def data_of(args: Namespace) -> Path:
    """The folder of --data, else the usual one."""
    return data_folder() if args.data is None else Path(args.data)


def open_store(args: Namespace) -> Store:
    """The store in that folder."""
    return Store(data_of(args), now=utc_now)


def called(args: Namespace, text: str) -> StoredSet | None:
    """The stored set of that id or name; None when there is none."""
    with open_store(args) as store:
        try:
            return store.sets.find(text)
        except NothingOpen:
            return None


def set_of_board(store: Store, board: int, name: str | None = None) -> StoredSet:
    """The set called `name`; without one the set from which that board number was dealt last, else the newest set that
    has it. Raises NothingOpen when there is none."""
    if name is not None:
        return store.sets.find(name)
    having = [stored for stored in store.sets.newest_first() if has_board(stored, board)]
    if not having:
        raise NothingOpen(
            f"No set on this computer has a board {board}.",
            hint="`dealctl sets` lists the sets; a file becomes one when it is dealt.",
        )
    dealt = [(copies[-1].place, stored) for stored in having if (copies := real_copies(store, stored, board))]
    return max(dealt, key=lambda pair: pair[0])[1] if dealt else having[0]


def has_board(stored: StoredSet, board: int) -> bool:
    """Whether the set has a board of that number."""
    return board in stored.numbers


def real_copies(store: Store, stored: StoredSet, board: int) -> list[DealtCopy]:
    """The copies of a board that a real machine has begun to deal, oldest first."""
    return [copy for copy in store.copies.of_board(stored.id, board) if not copy.simulated]


def finished(copies: list[DealtCopy]) -> tuple[str, ...]:
    """The copies that were dealt to the end and may be in somebody's hands."""
    return tuple(dict.fromkeys(copy.copy for copy in copies if copy.verdict in _DONE))


def spares_of(stored: StoredSet) -> int:
    """How many spare deals a set has: only those made here have any."""
    return SPARES if stored.kind in _MADE_HERE else 0


def stage_of(stored: StoredSet, dealt: tuple[str, ...]) -> Stage:
    """How far a board has come, as far as the program knows; `dealt` are its finished copies."""
    if stored.state in _PLAYED:
        return Stage.BEGUN
    return Stage.DEALT if dealt else Stage.DEALING


def is_over(stored: StoredSet) -> bool:
    """Whether the play of a championship set has ended."""
    return stored.state in _OVER


def is_strict(stored: StoredSet) -> bool:
    """Whether only a director's name will do."""
    return stored.kind is SetKind.CHAMPIONSHIP


def given_in(store: Store, stored: StoredSet) -> tuple[GivenSpare, ...]:
    """The spare deals of the set that boards were given, oldest first."""
    return given_spares(store.decisions.newest_first(), stored.id)


def passphrase_for(stored: StoredSet, args: Namespace) -> str | None:
    """The passphrase of a sealed set: from the file of --passphrase-file, else asked; None for a set without one.

    Raises WrongPassphrase where nobody can be asked, or when that file cannot be read.
    """
    if not stored.sealed:
        return None
    if args.passphrase_file is not None:
        return passphrase_in(args.passphrase_file)
    if not somebody_there(as_json=args.json):
        raise WrongPassphrase(
            f"Set {stored.name} is sealed, and nobody is here to type its passphrase.",
            hint="Put the passphrase into a file and name that with --passphrase-file.",
        )
    return getpass(f"Passphrase (or recovery code) of {stored.name}: ")


def opened(store: Store, stored: StoredSet, args: Namespace) -> HandsNow:
    """The set with its hands, opened with what it needs: passphrase, second person's secret. Raises as `deals_of`."""
    return hands_now(store, stored, passphrase=passphrase_for(stored, args), second=second_secret(args.second))


def board_in_force(store: Store, stored: StoredSet, args: Namespace) -> BoardDeal:
    """The board of `args` with the hands that its copy has now. Raises NothingOpen when the set has no such board, and
    as `opened` does."""
    found = opened(store, stored, args).of_copy(args.copy).find(args.board) if has_board(stored, args.board) else None
    if found is None:
        raise NothingOpen(f"Set {stored.name} has no board {args.board}.", hint=f"It has boards {stored.board_range}.")
    return found


def notes_on(entries: list[Entry], set_id: str, board: int) -> list[str]:
    """The notes for the director on a board of a set, oldest first, from the log's entries, newest first."""
    kinds = (Decision.CARD_SEEN, Decision.LEFT_FOR_DIRECTOR)
    wanted = [one.details for one in entries if one.what in kinds and one.details.get("set") == set_id]
    notes = [details.get("note") for details in reversed(wanted) if details.get("board") == board]
    return [note for note in notes if isinstance(note, str) and note]
