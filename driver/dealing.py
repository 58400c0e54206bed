"""One run after another on one machine: intent, ARM and GO, evidence, verdict, CLOSE.

May import: `card_rows`, `catalogue`, `controls`, `journal`, `store`, `plan`, `trends`, `verification`, `protocol`. Read
next: `runner.py`, which says when.
The journal is written before each step that it tells of (PROTOCOL.md, section 10). Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from driver.card_rows import card_rows, usual_card_ms
from driver.catalogue import Entry, Kind, entry
from driver.controls import Controls
from driver.current_run import CurrentRun
from driver.dealt import Records, is_rehearsal
from driver.decisions import Decisions
from driver.errors import CannotGoOn
from driver.happenings import Item
from driver.job_events import BoardStarted, CardDealt, JobEvent, Noticed, VerdictWithdrawn
from driver.job_result import JobResult
from driver.journal import Journal
from driver.plan import Plan
from driver.store.entries import CardEvidence
from driver.store.runs import Intention, RunRecord
from driver.trends import READINGS_OVER, Trends
from driver.verdicts import Judgement, Verdict, no_better_than, release_by_hand_count, withdraw
from driver.verification import judge
from protocol.codes import Confirmation, FaultCode, Feature, Recognition, Refusal
from protocol.constants import NOT_PUT_BACK
from protocol.fields import Code
from protocol.messages import Arm, BoardEvent, CardEvent, Closed, Going, Refused, StatusReport


class Dealing:
    """The runs of one job. `run` is the one under way, None between runs; `result` the verdicts so far.

    `facts` is the machine's STATUS while no run is open, None when something may have changed unseen. Only a run moves
    the odometer, and the edges of the board come with its events. ARM checks all the rest, and is stale when a newer
    event says otherwise: no question has to be waited for between a board's arrival and ARM.
    """

    def __init__(
        self,
        controls: Controls,
        journal: Journal,
        decisions: Decisions,
        *,
        records: Records,
        more_packs: bool,
        tell: Callable[[JobEvent], None],
    ) -> None:
        self.run: CurrentRun | None = None
        self.result = JobResult()
        self.facts: StatusReport | None = None
        self._controls = controls
        self.journal = journal
        self._records = records
        self._more_packs = more_packs
        self._decisions = decisions
        self._tell = tell
        self._trends = Trends()
        self._judged_at: float | None = None

    @property
    def need_run(self) -> CurrentRun:
        """The run under way, where there must be one."""
        assert self.run is not None, "the scheduler judges and closes only a run that was begun"
        return self.run

    def plan(self, item: Item) -> Plan:
        """How this machine deals `item`: by identity where it reads cards, else by the order of a sorted pack."""
        if self._controls.identity.recognition == Recognition.NONE:
            return Plan.by_order(item.board, item.deal, more_packs=self._more_packs)
        return Plan.by_identity(item.board, item.deal, more_packs=self._more_packs)

    def begin(
        self, item: Item, confirmed: Confirmation, status: StatusReport, known: int, *, clear: bool = False
    ) -> Going | Refused:
        """A run of `item`: the intent durable, then ARM and GO. An intent that moved no card keeps its run id.

        `known` is the newest event that was known when this was decided: what happened at the machine after it makes
        ARM stale. `clear`: a fault that is still latched is cleared first, because a person decided this very start.
        """
        refused = self._clear(status) if clear else None
        if refused is not None:
            return refused
        plan, identity, ack = self.plan(item), self._controls.identity, self._controls.ack
        intention = Intention(
            board=item.board,
            copy=item.copy,
            serial=ack.serial,
            boot_id=ack.boot_id,
            odometer=status.odometer,
            board_edges=status.board_edges,
            deal_set=item.set_id,
            deal_board=item.deal_board,
            simulated=is_rehearsal(simulated=Feature.SIMULATED in identity.features),
        )
        unused = self.run.record.run if self.run is not None and self.run.item == item else None
        copy = item.place if item.place.job else None
        record = self.journal.intend(intention, self._tag(plan), run=unused, copy=copy)
        run = self.run = CurrentRun(record, item, plan)
        return self._arm_and_go(run.arm(first=0, confirmed=confirmed, last_event=known))

    def go_on(self, put_back: bool, confirmed: Confirmation, status: StatusReport, known: int) -> Going | Refused:
        """Lets the paused run go on: CLEAR if a fault is latched, then ARM at the machine's index and GO.

        `known` as in `begin`.
        """
        refused = self._clear(status)
        if refused is not None:
            return refused
        arm = self.need_run.arm(
            first=status.index,
            confirmed=confirmed,
            last_event=known,
            put_back=status.index if put_back else NOT_PUT_BACK,
        )
        return self._arm_and_go(arm)

    def adopt(self, record: RunRecord, item: Item, status: StatusReport) -> None:
        """The machine holds this run from before, and stands as `status` says; its events are gone.

        The ledger will judge, with the faults that the journal knows and the one that is latched.
        """
        known = {int(code): code for code in FaultCode}
        faults = [known.get(number, Code(number)) for number in record.faults]
        inside = tuple(status.pocket_counts)
        plan = self.plan(item)
        self.run = CurrentRun(record, item, plan, found_in_pockets=inside, faults=faults, events_complete=False)
        if status.fault:
            self.take_fault(status.fault)

    def take_fault(self, fault: FaultCode | Code) -> None:
        """A fault of the run under way; it stays with the run, also when this program ends before the verdict."""
        if self.run is not None and fault not in self.run.faults:
            self.journal.note_fault(self.run.record.run, fault)
            self.run.faults.append(fault)

    def item_of(self, record: RunRecord, items: Iterable[Item]) -> Item | None:
        """The item that a run of the journal was dealing: same board, same copy, same plan tag."""
        told = record.intention
        for item in items:
            if (item.board, item.copy) == (told.board, told.copy) and self._tag(self.plan(item)) == record.plan_tag:
                return item
        return None

    def is_done(self, item: Item) -> bool:
        """Whether the journal holds a GOOD or COUNTED verdict of this board copy with this deal."""
        dealt = self.journal.last_of_copy(item.board, item.copy)
        proven = dealt is not None and dealt.verdict in (Verdict.GOOD.name, Verdict.COUNTED.name)
        return dealt is not None and proven and dealt.plan_tag == self._tag(self.plan(item))

    def judge(self) -> Judgement:
        """Reads the ledger of the finished run and judges; the verdict is in the journal when this returns.

        Tells first of the board before, if this pack withdraws its verdict, and of what shows over several boards.
        """
        run = self.need_run
        status = self._controls.status()
        answer = self._controls.ledger_or_refusal(run.record.run)
        records = None if isinstance(answer, Refused) else answer
        judgement = judge(run.plan, run.evidence(self._controls.identity, records, status))
        if run.record.verdict is not None:  # an earlier program asked, and has seen what this one has not
            judgement = no_better_than(judgement, Verdict[run.record.verdict])
        if judgement.pack_not_whole:
            self.withdraw_previous(judgement.pack_not_whole)
        self._notice(self._trends.board_dealt(usual_card_ms(run.cards)))
        last = self.journal.last_on(self._controls.ack.serial, READINGS_OVER)
        self._notice(self._trends.misread(record.faults for record in last))
        return self._judged(judgement, card_rows(run.plan, records))

    def release(self, name: str, counts: tuple[int, int, int, int]) -> Judgement:
        """The verdict with a person's hand count. Raises HandCountRefused."""
        run = self.need_run
        assert run.judgement is not None, "a hand count follows a verdict"
        return self._judged(release_by_hand_count(run.judgement, name, counts))

    def close(self) -> None:
        """CLOSE; the machine wipes its cards. Raises CannotGoOn when it does not end the run."""
        run = self.need_run
        answer = self._controls.close_run(run.record.run)
        if not isinstance(answer, Closed) and answer.reason not in (Refusal.RUN_KNOWN, Refusal.GONE):
            raise CannotGoOn("The machine does not end the board.", details=repr(answer))
        self.journal.note_closed(run.record.run)
        self.run = None

    def withdraw_previous(self, notice: str) -> None:
        """The pack after it came out short, over or double: the last verdict with an open pack end is not proven.

        `notice` is the code of the catalogue's notice that says so and what to do.
        That board may have been dealt by an earlier job, or by a program that crashed: the journal tells which it was.
        """
        dealt = self.journal.open_end(self._controls.ack.serial)
        if dealt is None:
            return
        with self.journal.together():
            self.journal.note_verdict(dealt.run, Verdict.NOT_PROVEN.name)
            self._records.judged(Verdict.NOT_PROVEN)
        board, copy = dealt.intention.board, dealt.intention.copy
        result = self.result.find(board, copy)
        told = entry(Kind.NOTICE, notice).filled(number=board)
        if result is not None:
            result.judgement = withdraw(result.judgement, told.sentence)
        self._tell(VerdictWithdrawn(board=board, copy=copy, reason=told.sentence, means=told.means, steps=told.steps))

    def begun(self, index: int) -> BoardStarted:
        """What to tell of the run under way when its cards begin to move at `index`."""
        item = self.need_run.item
        dealer, vulnerability = item.dealer.letter, item.vulnerability.text
        return BoardStarted(board=item.board, copy=item.copy, dealer=dealer, vulnerability=vulnerability, index=index)

    def take_card(self, event: CardEvent) -> CardDealt | None:
        """Keeps a card's event; what to tell of it, when it was news."""
        run = self.run
        if run is None or not run.take_card(event):
            return None
        return CardDealt(board=run.item.board, copy=run.item.copy, index=event.index + 1, counts=run.pocket_counts)

    def take_edges(self, event: BoardEvent) -> None:
        """Keeps the edges of a board's event with the facts."""
        if self.facts is not None:
            self.facts = replace(self.facts, board_edges=event.edges)

    def _notice(self, found: Entry | None) -> None:
        if found is not None:
            self._tell(Noticed(text=found.sentence, means=found.means, steps=found.steps, code=found.code))

    def _clear(self, status: StatusReport) -> Refused | None:
        return self._controls.clear(status.fault_event) if status.fault else None

    def _tag(self, plan: Plan) -> bytes:
        return self.journal.plan_tag(plan.board, plan.routing, plan.destinations())

    def _arm_and_go(self, arm: Arm) -> Going | Refused:
        run = self.need_run

        def before_go() -> bool:
            if self._decisions.stop_wished:
                return False
            with self.journal.together():
                self.journal.note_go(run.record.run, self._hand_ms())
                self._records.begun(run.item, run.record.run)
            run.go_sent()
            return True

        return self._controls.begin(arm, before_go)

    def _hand_ms(self) -> int | None:
        """How long hands were at work since the last verdict; None for the first board, and for cards that go on."""
        since, self._judged_at = self._judged_at, None
        return None if since is None else round(1000 * (self._controls.clock.monotonic() - since))

    def _judged(self, judgement: Judgement, evidence: Iterable[CardEvidence] = ()) -> Judgement:
        run = self.need_run
        run.judgement = judgement
        with self.journal.together():
            self.journal.note_verdict(
                run.record.run,
                judgement.verdict.name,
                judgement.counted_by,
                open_end=judgement.open_pack_end,
                card_ms=usual_card_ms(run.cards),
                evidence=evidence,
            )
            self._records.judged(judgement.verdict)
        self.result.put(run.item, judgement)
        self._judged_at = self._controls.clock.monotonic()
        return judgement
