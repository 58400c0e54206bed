"""A set goes to another computer: set, progress and register in one file; and how that file is taken in there.

May import: `backup` (members of an archive), `deals`, `handed_over`, `journal`, `making`, `new_hands`, `plan`, `queue`,
`store`, `errors` and the standard library. Read next: `store/handed.py` (what is in it), `handed_over.py` (what holds
here then).
The file is a ZIP archive of two members: `about.json` with its number, time and key, and the content sealed with that
key. So no hand can be read or searched in it, as in the store, whose key lies beside it too; whoever has the file can
deal from it, as from a deal file. A set that a passphrase closes stays closed inside: it takes its passphrase to take
it over.
"""

from __future__ import annotations

import io
import json
import secrets
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final

from driver.backup import NOT_READ, read_member
from driver.clock import utc_now
from driver.deals.archive import HANDED_OVER
from driver.deals.fairness import parse_manifest
from driver.deals.generator import remade
from driver.deals.model import Deal
from driver.errors import StoreDamaged, WrongState
from driver.handed_over import HAND_OVER, check_here, last_move
from driver.journal import Journal
from driver.making import supplement_name, with_supplements
from driver.new_hands import AFTER, GivenSpare, spare_of
from driver.plan import Plan
from driver.queue import Queue
from driver.store.decisions import Decision, Entry
from driver.store.forms import as_text, as_time
from driver.store.handed import MARK, HandedSet, OpenedContent, opened_content
from driver.store.handed_form import read, written
from driver.store.keys import KEY_SIZE
from driver.store.sealing import NotOpened, seal, unseal
from driver.store.store import Store
from driver.store.stored import StoredSet
from protocol.errors import DealingMachineError

_ABOUT, _CONTENT = HANDED_OVER
_FORM: Final = 1
_LARGEST_ABOUT: Final = 10_000
_LARGEST_CONTENT: Final = 1 << 26
_BOUND: Final = b"dealing store v1: hand-over "


@dataclass(frozen=True, slots=True)
class HandOver:
    """What a file holds: `id` is its own number, `sets` the set and its supplements."""

    id: str
    time: datetime
    sets: tuple[HandedSet, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A hand-over that is in its file; `copies` board copies are dealt, and of `unfinished` boards nobody knows the
    end."""

    copies: int
    unfinished: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A set that is this computer's now; `is_new` = it was not here, `runs` = so many dealt boards came with it."""

    stored: StoredSet
    is_new: bool
    runs: int


def hand_over(
    store: Store, journal: Journal, stored: StoredSet, who: str, *, write: Callable[[bytes], None]
) -> Written:
    """From now on the set, with its supplements, is another computer's; `write` gets the bytes of its file.

    Held first, then written: at no moment may both computers deal it. When `write` raises, the set is this computer's
    again, as it was; else its jobs leave the queue. `journal` is asked for because nothing may be dealt meanwhile.
    Raises WrongState for a set that was handed over already.
    """
    number, now = secrets.token_hex(8), utc_now()
    with store.together():
        sets = with_supplements(store, stored)
        for one in sets:
            check_here(store, one)
        log = store.decisions.newest_first()
        handed = tuple(store.sets.to_hand_over(one, log) for one in sets)
        for one in sets:
            store.decisions.append(Decision.HANDED_OVER, who, set=one.id, **{HAND_OVER: number})
    try:
        write(_file(HandOver(number, now, handed)))
    except BaseException:
        take_back(store, stored, who)
        raise
    with store.together():
        ids = {one.id for one in sets}
        for order in [job.order for job in store.jobs.queue().jobs]:
            if order.set_id in ids:
                store.jobs.follow(partial(Queue.remove, job=order.id))
    unfinished = {
        copy.board
        for one in sets
        for copy in store.copies.of_set(one.id)
        if copy.verdict is None and not copy.simulated
        if (record := journal.record(copy.run)) is not None and not record.closed
    }
    copies = {(one.id, run.deal_board, run.copy) for one in handed for run in one.runs}
    return Written(len(copies), tuple(sorted(unfinished)))


def take_back(store: Store, stored: StoredSet, who: str) -> None:
    """The file was never taken over: the set is this computer's again. Raises WrongState when it is so already."""
    with store.together():
        for one in with_supplements(store, stored):
            move = last_move(store.decisions.newest_first(), one.id)
            if move is None or move.what is not Decision.HANDED_OVER:
                raise WrongState(f"Set {one.name} is this computer's own.", hint="Nothing was changed.")
            store.decisions.append(Decision.TAKEN_BACK, who, set=one.id)


def opened_file(data: bytes) -> HandOver:
    """What a file holds. Raises StoreDamaged for one that is no whole hand-over."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            about = json.loads(read_member(archive, _ABOUT, _LARGEST_ABOUT))
            sealed = read_member(archive, _CONTENT, _LARGEST_CONTENT)
        if about["form"] != _FORM:
            raise ValueError("another form")
        number, time = str(about["id"]), as_time(about["time"])
        packed = unseal(sealed, bytes.fromhex(about["key"]), _bound_to(number, about["time"]))
        unpacker = zlib.decompressobj()
        content = json.loads(unpacker.decompress(packed, _LARGEST_CONTENT))
        return HandOver(number, time, tuple(read(row) for row in content))
    except (*NOT_READ, NotOpened, DealingMachineError) as error:
        raise _no_hand_over() from error


def take_over(
    store: Store,
    journal: Journal,
    file: HandOver,
    who: str,
    *,
    passphrase: Callable[[HandedSet], str | None],
    second: bytes = b"",
) -> tuple[TakenOver, ...]:
    """The sets of the file are this computer's now, with all that was dealt of them.

    `passphrase` gives that of a closed set, `second` is the second person's secret. One that is here already learns
    what was dealt elsewhere. Raises WrongState when the set went on from here meanwhile, WrongPassphrase, StoreDamaged:
    nothing has changed then.
    """
    try:
        opened = [opened_content(one, passphrase(one) if one.locks is not None else None) for one in file.sets]
        with journal.together():
            taken: list[TakenOver] = []
            for one, content in zip(file.sets, opened, strict=True):
                taken.append(_take_in(store, journal, file, one, content, taken, who, second))
            return tuple(taken)
    except (NotOpened, ValueError, LookupError) as error:
        raise _no_hand_over() from error


def _take_in(
    store: Store,
    journal: Journal,
    file: HandOver,
    handed: HandedSet,
    content: OpenedContent,
    before: Sequence[TakenOver],
    who: str,
    second: bytes,
) -> TakenOver:
    is_made = content.boards is None
    numbers = parse_manifest(handed.manifest).numbers if is_made else [board.number for board in content.boards or ()]
    if not numbers:
        raise ValueError("a set has boards")
    name = supplement_name(before[0].stored.name, numbers[0]) if before else handed.name
    added = store.sets.adopt(handed, content, name, numbers)
    stored = added.stored
    log = store.decisions.newest_first()
    _check_may_come(file, handed, log, stored)
    known = {entry.details.get(MARK) or entry.chain.hex() for entry in log}
    for one in handed.decisions:
        if one.mark not in known:
            details = {**one.details, "set": stored.id, MARK: one.mark}
            store.decisions.append_of(one.time, one.what, one.who, details)
    store.decisions.append(Decision.TAKEN_OVER, who, set=stored.id, **{HAND_OVER: file.id})
    was_dealt = bool(handed.runs or handed.uses)
    runs = _take_runs(store, journal, handed, _Hands.of(handed, content, second), stored) if was_dealt else 0
    return TakenOver(stored, added.is_new, runs)


def _check_may_come(file: HandOver, handed: HandedSet, log: Sequence[Entry], stored: StoredSet) -> None:
    """Raises WrongState when the set is another computer's by now, and this file is not how it comes back."""
    move = last_move(log, stored.id)
    if move is None:
        return
    came_from = {one.details.get(HAND_OVER) for one in handed.decisions if one.what is Decision.TAKEN_OVER}
    if move.what is Decision.HANDED_OVER and move.details.get(HAND_OVER) not in came_from:
        raise WrongState(
            f"Set {stored.name} went from here to another computer, and this file does not come from there.",
            hint="Nothing was changed. Hand the set over on the computer that deals it, and take that file.",
        )
    if any(one.details.get(HAND_OVER) == file.id for one in log if one.what is Decision.TAKEN_OVER):
        raise WrongState(f"Set {stored.name} was taken over from this file already.", hint="Nothing was changed.")


@dataclass(frozen=True, slots=True, repr=False)
class _Hands:
    """The hands that each run of a set was dealt with; `order` is that of the runs in the journal.

    `given` are spare deals, oldest first, each with the run after which it was given and the time. The time counts only
    where that run is not known, as in an entry of an older program.
    """

    boards: dict[int, Deal]
    spares: Sequence[Deal]
    given: tuple[tuple[int, str, GivenSpare], ...]
    order: dict[int, int]

    @classmethod
    def of(cls, handed: HandedSet, content: OpenedContent, second: bytes) -> _Hands:
        """Raises JobError where a set made here needs its public value or the second secret for its hands."""
        boards, spares = content.boards, tuple[Deal, ...]()
        if boards is None:
            made = remade(handed.manifest, content.plain, handed.public_value, second)
            boards, spares = made.boards(), made.spares
        given = (
            (
                int(one.details.get(AFTER) or -1),  # type: ignore[arg-type]
                one.time,
                GivenSpare(one.details["board"], one.details["spare"], tuple(one.details["copies"].split())),  # type: ignore[arg-type,union-attr]
            )
            for one in handed.decisions
            if one.what is Decision.NEW_HANDS
        )
        order = {0: -1} | {run: place for place, run in enumerate(use.run for use in handed.uses)}
        return cls({board.number: board.deal for board in boards}, spares, tuple(given), order)

    def deal(self, board: int, copy: str, run: int, time: str) -> Deal:
        """What that copy of a board held when that run was begun."""
        given = []
        for after, since, one in self.given:
            known = after in self.order and run in self.order
            if self.order[after] < self.order[run] if known else since <= time:
                given.append(one)
        spare = spare_of(board, copy, given)
        return self.spares[spare - 1] if spare else self.boards[board]


def _take_runs(store: Store, journal: Journal, handed: HandedSet, hands: _Hands, stored: StoredSet) -> int:
    """Journal and register learn what was dealt elsewhere; how many runs were news."""
    news, boards = 0, {}
    for run in handed.runs:
        plan = Plan.by_identity(run.board, hands.deal(run.deal_board, run.copy, run.run, run.begun))
        news += journal.take_over(run, stored.id, journal.plan_tag(plan.board, plan.routing, plan.destinations()))
        boards[run.run] = run.deal_board
    for use in handed.uses:
        deal = hands.deal(boards.get(use.run, use.board), use.copy, use.run, use.time)
        store.register.note(deal, stored.id, use.board, use.copy, use.run, as_time(use.time))
    return news


def _file(file: HandOver) -> bytes:
    key, time = secrets.token_bytes(KEY_SIZE), as_text(file.time)
    packed = zlib.compress(json.dumps([written(one) for one in file.sets]).encode())
    about = {"form": _FORM, "id": file.id, "time": time, "key": key.hex()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(_ABOUT, json.dumps(about))
        archive.writestr(_CONTENT, seal(packed, key, _bound_to(file.id, time)))
    return made.getvalue()


def _bound_to(number: str, time: str) -> bytes:
    return _BOUND + f"{number} {time}".encode()


def _no_hand_over() -> StoreDamaged:
    return StoreDamaged(
        "This file is no hand-over of this program, or it is damaged.",
        hint="Nothing was changed. Copy it anew from the other computer: dealctl hand-over there wrote it.",
    )
