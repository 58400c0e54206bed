"""One machine as its user sees it: who it is, deal a set, check a pack, check a board, stop.

May import: `controls`, `runner`, `deals`, `journal`, `store`, `transport`. Read next: `runner.py`, then `cli/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, Self

from driver.championship import check_may_be_dealt
from driver.check_run import run_check
from driver.clock import Clock, SystemClock, utc_now
from driver.controls import Controls
from driver.data_folder import data_folder
from driver.deals.model import Deal, DealSet, standard_dealer, standard_vulnerability
from driver.dealt import DealtRecords, note_proven
from driver.errors import NothingOpen
from driver.evidence import Evidence, RunEnd
from driver.handed_over import check_here
from driver.happenings import Item, Options
from driver.held import check_nothing_held
from driver.job import Job
from driver.job_events import NeedsOperator
from driver.journal import Journal
from driver.pack_check import BoardReport, PackReport, board_report, pack_report
from driver.plan import Plan
from driver.queue import BoardCopy, JobOrder, Order, Stand
from driver.recorder import Recorder
from driver.recovery import Look, end_found, look_at_rest, note_asked, note_left
from driver.store.store import Store
from driver.transport.base import Transport
from driver.transport.reopen import Reopening
from driver.verdicts import Verdict
from driver.verification import judge
from driver.work import Work, carried_on, work_of
from protocol.codes import Feature
from protocol.messages import Identity, StatusReport, Stopped

_LAST: Final = 10
"""So many of a machine's last boards tell how fast it is."""


@dataclass(frozen=True, slots=True)
class MachineInfo:
    """Who a machine is, from the handshake."""

    serial: str
    model: str
    firmware: str
    identity: Identity

    @property
    def simulated(self) -> bool:
        """True for a machine that only pretends; its boards do not count as dealt."""
        return Feature.SIMULATED in self.identity.features


def items_for(
    deals: DealSet,
    boards: Iterable[int] | None = None,
    copies: Sequence[str] = ("",),
    as_board: int | None = None,
    other_hands: Mapping[str, DealSet] | None = None,
    *,
    order: Order = Order.BOX_BY_BOX,
    descending: bool = False,
    left_out: Collection[tuple[int, str]] = (),
) -> list[Item]:
    """The board copies of a job in their order. Parameters and errors as those of `Machine.start`."""
    ordered = order_for(deals, boards, copies, as_board, order=order, descending=descending, left_out=left_out)
    return [item_of(ordered, copy, deals, other_hands) for copy in ordered.board_copies()]


def order_for(
    deals: DealSet,
    boards: Iterable[int] | None = None,
    copies: Sequence[str] = ("",),
    as_board: int | None = None,
    *,
    order: Order = Order.BOX_BY_BOX,
    descending: bool = False,
    left_out: Collection[tuple[int, str]] = (),
) -> JobOrder:
    """The order of boards of a set. Raises NothingOpen for a board that the set does not have."""
    numbers = tuple(deals.numbers if boards is None else boards)
    missing = [number for number in numbers if deals.find(number) is None]
    if missing or not numbers:
        names = ", ".join(str(number) for number in missing)
        raise NothingOpen(
            f"The set has no board {names}." if missing else "There is no board to deal.",
            hint=f"It has the boards {deals.range_text}.",
        )
    return JobOrder(0, deals.set_id, numbers, tuple(copies), order, descending, as_board, frozenset(left_out))


def item_of(order: JobOrder, copy: BoardCopy, deals: DealSet, other_hands: Mapping[str, DealSet] | None = None) -> Item:
    """A board copy of the order with its hands.

    `other_hands` are the sets of copies that have others than `deals`. A board that is dealt under another number has
    the dealer and vulnerability of that number (Law 2). Raises NothingOpen for a board that is not in the set.
    """
    hands = (other_hands or {}).get(copy.copy, deals)
    board = hands.find(copy.deal_board)
    if board is None:
        raise NothingOpen(f"The set has no board {copy.deal_board}.", hint=f"It has the boards {hands.range_text}.")
    dealer, vulnerability = board.dealer_to_use, board.vulnerability_to_use
    if copy.board != copy.deal_board:
        dealer, vulnerability = standard_dealer(copy.board), standard_vulnerability(copy.board)
    set_id = board.set_id or hands.set_id
    return Item(copy.board, copy.copy, board.deal, dealer, vulnerability, board.number, set_id)


def work_for(
    journal: Journal,
    store: Store,
    deals: DealSet,
    ordered: JobOrder,
    other_hands: Mapping[str, DealSet] | None,
    machines: Sequence[MachineInfo],
) -> Work:
    """The work that deals this order on these machines; it joins the queue, released. Errors as in `Machine.start`."""
    if not deals.set_id:
        deals = replace(deals, set_id=store.sets.add_imported(deals).stored.id)
        ordered = replace(ordered, set_id=deals.set_id)
    hands = partial(item_of, deals=deals, other_hands=other_hands)
    items = [hands(ordered, copy) for copy in ordered.board_copies()]
    check_nothing_held(store, items, simulated=all(machine.simulated for machine in machines))
    for set_id in dict.fromkeys(item.set_id for item in items):
        stored = store.sets.find(set_id)
        check_here(store, stored)
        check_may_be_dealt(store, stored)
    return work_of(journal, ordered, hands, *(machine.serial for machine in machines))


def work_left(
    journal: Journal,
    store: Store,
    job: int,
    deals: DealSet,
    other_hands: Mapping[str, DealSet] | None,
    machines: Sequence[MachineInfo],
) -> Work:
    """The work that goes on with a job of the queue on these machines. Errors as in `Machine.carry_on`."""
    queued = journal.jobs.find(job)
    hands = partial(item_of, deals=deals, other_hands=other_hands)
    items = [hands(queued.order, copy) for copy in queued.copies if copy.stand is not Stand.DEALT]
    check_nothing_held(store, items, simulated=all(machine.simulated for machine in machines))
    for set_id in dict.fromkeys(item.set_id for item in items):
        check_may_be_dealt(store, store.sets.find(set_id))
    return carried_on(journal, job, hands, *(machine.serial for machine in machines))


class Machine:
    """A machine that answered HELLO. Use it in `with`, or close it."""

    def __init__(self, controls: Controls, journal: Journal, store: Store) -> None:
        self._controls = controls
        self._journal = journal
        self._store = store

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def info(self) -> MachineInfo:
        """Who it is."""
        identity = self._controls.identity
        return MachineInfo(self._controls.ack.serial, identity.model, identity.firmware, identity)

    @property
    def journal(self) -> Journal:
        """What this host wrote down."""
        return self._journal

    @property
    def store(self) -> Store:
        """The stored sets, and what was dealt of them."""
        return self._store

    @property
    def card_seconds(self) -> float:
        """The usual seconds from card to card: as its last boards were written down, else as it says; 0 = not known."""
        measured = [run.card_ms for run in self._journal.last_on(self.info.serial, _LAST) if run.card_ms]
        return (median(measured) if measured else self.info.identity.card_ms) / 1000

    @property
    def hand_seconds(self) -> float | None:
        """The usual seconds of hands from one board to the next, as measured before its last boards; None = never."""
        measured = [run.hand_ms for run in self._journal.last_on(self.info.serial, _LAST) if run.hand_ms is not None]
        return median(measured) / 1000 if measured else None

    def status(self) -> StatusReport:
        """How it stands now."""
        return self._controls.status()

    def look(self) -> Look:
        """What journal and machine show together, once no card is under way. Moves nothing. Raises OtherMachine."""
        return look_at_rest(self._controls, self._journal)

    def note_asked(self, seen: Look, question: NeedsOperator) -> None:
        """That question is about to be shown: as `recovery.note_asked`."""
        note_asked(self._journal, seen, question)

    def note_left(self, seen: Look) -> None:
        """A person has answered to leave what was found as it is."""
        note_left(self._journal, seen)

    def end_found(self, seen: Look) -> None:
        """Ends what was found, here and in the machine: it was settled, or a person cleared the cards away.

        Raises CannotGoOn when the machine does not end it.
        """
        end_found(self._controls, self._journal, seen)

    def start(
        self,
        deals: DealSet,
        boards: Iterable[int] | None = None,
        *,
        copies: Sequence[str] = ("",),
        as_board: int | None = None,
        order: Order = Order.BOX_BY_BOX,
        descending: bool = False,
        auto: bool = False,
        ask_each: bool = False,
        emptied: bool = False,
        more_packs: bool = False,
        other_hands: Mapping[str, DealSet] | None = None,
        left_out: Collection[tuple[int, str]] = (),
    ) -> Job:
        """A job that deals `boards` of the set (all of them when None). Nothing moves before `Job.events` runs.

        `order`, `descending` and `left_out` as in `JobOrder`; `as_board` deals the first board of the list as that
        number, the next as the following one; `other_hands` as in `item_of`. `auto`, `ask_each` and `emptied` as in
        `Options`; `more_packs`: another pack always lies below. A set that is not stored yet is stored now, so that its
        boards can be dealt again without the file. Raises NothingOpen for a board that the set does not have,
        WrongState for a championship set that may not be dealt yet or a set that was handed over, NotSaid for boards
        that may have been dealt after a backup which was put back.
        """
        ordered = order_for(deals, boards, copies, as_board, order=order, descending=descending, left_out=left_out)
        work = work_for(self._journal, self._store, deals, ordered, other_hands, [self.info])
        return self.job_of(work, Options(auto=auto, ask_each=ask_each, emptied=emptied), more_packs=more_packs)

    def job_of(self, work: Work, options: Options, *, more_packs: bool = False) -> Job:
        """A job that deals what `work` has for this machine; several machines may share it. Errors as in `start`."""
        records = DealtRecords(self._store, simulated=self.info.simulated)
        work.watch(records.include)
        return Job(self._controls, self._journal, work, options, records=records, more_packs=more_packs)

    def carry_on(
        self,
        job: int,
        deals: DealSet,
        *,
        other_hands: Mapping[str, DealSet] | None = None,
        auto: bool = False,
        ask_each: bool = False,
        more_packs: bool = False,
    ) -> Job:
        """Goes on with a job of the queue as it stands: its boards that are not dealt, in its order.

        `deals` are those of its set; the rest, and what is raised, as for `start`. Raises NothingOpen when there is no
        such job.
        """
        work = work_left(self._journal, self._store, job, deals, other_hands, [self.info])
        return self.job_of(work, Options(auto=auto, ask_each=ask_each), more_packs=more_packs)

    def check_pack(self, board: int = 1, *, emptied: bool = False) -> PackReport:
        """Feeds one pack in rotation into the board in the machine and reports which cards it holds. Moves cards.

        `emptied` = the board that was dealt last still lies in the machine and a person emptied it.
        """
        records, status = run_check(self._controls, self._journal, Plan.rotation(board), emptied=emptied)
        return pack_report(records, status.pack_end)

    def check_board(self, board: int, deal: Deal, *, emptied: bool = False) -> BoardReport:
        """Feeds a dealt board's cards, N then E S W, back into their own pockets and compares with `deal`, blind."""
        plan = Plan.by_thirteens(board, deal)
        records, status = run_check(self._controls, self._journal, plan, emptied=emptied)
        evidence = Evidence(self.info.identity, records, (), RunEnd.from_status(status), events_complete=False)
        return replace(board_report(deal, records), proven=judge(plan, evidence).verdict is Verdict.GOOD)

    def note_proven(self, board: int) -> bool:
        """The board that was dealt last under that number was fed back and proven: GOOD if it was NOT_PROVEN until now.

        False when its verdict was another one, which stays.
        """
        return note_proven(self._journal, self._store, board)

    def stop(self) -> Stopped:
        """Motors off at once. Raises StopNotConfirmed: then switch the machine off."""
        return self._controls.stop()

    def close(self) -> None:
        """Ends the connection and gives journal and store back."""
        self._controls.close()
        self._journal.close()
        self._store.close()


def open_machine(
    url: str | None = None,
    *,
    data: Path | None = None,
    baud: int | None = None,
    clock: Clock | None = None,
    recorder: Recorder | None = None,
    transport: Callable[[], Transport] | None = None,
    serial: str | None = None,
) -> Machine:
    """Opens the machine at `url` (None = the only one there is) and shakes hands; nothing moves.

    `data` is the folder of store and keys (default: `data_folder()`); `transport` replaces `url` by a function
    that opens a transport, and `clock` goes with it. `serial`: another machine is refused. Raises TransportError,
    ConnectionFailed, UnsupportedVersion.
    """
    if transport is None:
        transport = Reopening(_the_only_machine() if url is None else url, baud=baud)

    folder = data_folder() if data is None else data
    with ExitStack() as undo:
        store = undo.enter_context(Store(folder, now=utc_now))
        journal = undo.enter_context(Journal(store))
        controls = Controls(transport, clock or SystemClock(), recorder or Recorder(), baud, serial=serial)
        undo.callback(controls.close)
        controls.connect()
        undo.pop_all()
    return Machine(controls, journal, store)


def _the_only_machine() -> str:
    """The address of the only thing here that tells it is a machine. Raises MachineNotFound."""
    from driver.plugged_in.candidates import Wanted, choose
    from driver.plugged_in.gather import gather

    return choose(gather(brief=True), Wanted()).url
