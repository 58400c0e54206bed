"""What dealing leaves in the store: used deals of real machines alone, and the verdict of every copy.

Read next: `driver/dealt.py`; `test_journal.py`; `tests/contract/test_dealing.py` for the same in the middle of a job.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driver.cli.new_hands import give
from driver.clock import utc_now
from driver.deals.fairness import SPARES
from driver.deals.model import DealSet
from driver.dealt import COUNTS_VARIABLE, DealtRecords
from driver.errors import NothingOpen, StoreUnusable, WrongState
from driver.happenings import Item
from driver.machine import items_for
from driver.making import deals_of, make_game
from driver.new_hands import NewHands, plan_new_hands
from driver.store.store import Store
from driver.store.stored import SetKind
from driver.verdicts import Verdict
from firmware_sim.person_script import PersonScript
from tests.support.peers import Peer, Setup, memory_peer, run_job
from tests.support.store import Clock, begun, deal_set, judged, opened


def stored_items(store: Store, deals: DealSet, kind: SetKind = SetKind.IMPORTED, **more: object) -> list[Item]:
    """The boards of a set that is stored now."""
    set_id = store.sets.add_imported(deals, kind=kind).stored.id
    return [
        Item(
            item.board,
            item.copy,
            item.deal,
            item.dealer,
            item.vulnerability,
            item.deal_board,
            set_id,
        )
        for item in items_for(deals, **more)  # type: ignore[arg-type]
    ]


def test_a_real_machine_makes_a_deal_used_and_its_copy_is_kept_with_the_verdict(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]), copies=("B",), as_board=12)
        records = DealtRecords(store, [item], simulated=False)
        run = begun(store, records, item)
        ((use,),) = store.register.uses([item.deal])
        (copy,) = store.copies.of_set(item.set_id)
        assert (use.set_id, use.board, use.copy, use.run) == (item.set_id, 12, "B", run)
        assert (copy.board, copy.copy, copy.run, copy.verdict, copy.simulated) == (7, "B", run, None, False)

        judged(store, records, run, Verdict.GOOD)
        judged(store, records, run, Verdict.NOT_PROVEN)
        assert [copy.verdict for copy in store.copies.of_set(item.set_id)] == [Verdict.NOT_PROVEN]
        assert store.sets.find(item.set_id).state is None


def test_a_simulated_machine_uses_no_deal_and_its_copy_is_kept_as_simulated(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]))
        begun(store, DealtRecords(store, [item], simulated=True), item, simulated=True)
        assert store.register.uses([item.deal]) == [()]
        assert [copy.simulated for copy in store.copies.of_set(item.set_id)] == [True]


def test_in_a_rehearsal_a_simulated_machine_is_taken_for_a_real_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(COUNTS_VARIABLE, "1")
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]))
        begun(store, DealtRecords(store, [item], simulated=True), item, simulated=True)
        assert len(store.register.uses([item.deal])[0]) == 1
        assert [copy.simulated for copy in store.copies.of_set(item.set_id)] == [False]


def test_a_lesson_never_makes_a_deal_used(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]), SetKind.LESSON)
        records = DealtRecords(store, [item], simulated=False)
        judged(store, records, begun(store, records, item), Verdict.GOOD)
        assert store.register.uses([item.deal]) == [()]
        assert [copy.verdict for copy in store.copies.of_set(item.set_id)] == [Verdict.GOOD]


def test_the_same_run_may_begin_twice_and_uses_its_deal_once(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]))
        records = DealtRecords(store, [item], simulated=False)
        begun(store, records, item, run=begun(store, records, item))
        assert len(store.register.uses([item.deal])[0]) == len(store.copies.of_set(item.set_id)) == 1


def test_nothing_is_kept_of_a_beginning_that_cannot_be_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]))

        def full(*_: object) -> bool:
            raise StoreUnusable("The disk is full.")

        monkeypatch.setattr(store.register, "note", full)
        records = DealtRecords(store, [item], simulated=False)
        with pytest.raises(StoreUnusable):
            begun(store, records, item)
        assert store.copies.of_set(item.set_id) == []


def test_a_set_that_is_not_there_is_said_before_anything_begins(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]))
        store.sets.throw_away(store.sets.find(item.set_id))
        with pytest.raises(NothingOpen):
            DealtRecords(store, [item], simulated=False)


def test_a_run_that_has_a_verdict_does_not_begin_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        (item,) = stored_items(store, deal_set([7]))
        records = DealtRecords(store, [item], simulated=False)
        run = begun(store, records, item)
        judged(store, records, run, Verdict.GOOD)
        with pytest.raises(WrongState):
            begun(store, records, item, run=run)


@pytest.mark.parametrize(("copies", "is_for_it"), [((), True), (("B",), True), (("A",), False)])
def test_a_board_that_got_new_hands_in_the_middle_of_a_job_is_not_dealt_with_the_old_ones(
    tmp_path: Path, copies: tuple[str, ...], is_for_it: bool
) -> None:
    with opened(tmp_path) as store:
        stored = make_game(store, now=Clock())
        items = items_for(deals_of(store, stored), [7, 8], ("B",))
        records = DealtRecords(store, items, simulated=False)
        plan = plan_new_hands(7, spares=SPARES, given=(), copies=copies)
        assert isinstance(plan, NewHands)
        give(store, stored, plan, "Dora", "seen")
        begun(store, records, items[1])
        if is_for_it:
            with pytest.raises(WrongState, match="new hands"):
                begun(store, records, items[0])
        else:
            begun(store, records, items[0])
        assert [copy.board for copy in store.copies.of_set(stored.id)] == ([8] if is_for_it else [8, 7])


def crash(*_: object, **__: object) -> None:
    """The program ends here."""
    raise MemoryError


def kept(peer: Peer) -> list[tuple[int, Verdict | None]]:
    """The copies of the only set that is stored."""
    with Store(peer.data, now=utc_now) as store:
        (stored,) = store.sets.newest_first()
        return [(copy.board, copy.verdict) for copy in store.copies.of_set(stored.id)]


@pytest.mark.parametrize("at", ["records", "journal"])
def test_a_verdict_that_was_not_kept_whole_was_not_kept_and_the_board_is_judged_once_more(
    at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    peer = memory_peer(tmp_path, Setup(script=PersonScript(boards=(1,))))
    deals = deal_set([1])
    with peer.open() as machine:
        job = machine.start(deals, auto=True)
        with monkeypatch.context() as patched:
            if at == "records":
                patched.setattr(DealtRecords, "judged", crash)
            else:
                patched.setattr(machine.journal, "note_verdict", crash)
            with pytest.raises(MemoryError):
                run_job(job)
    assert kept(peer) == [(1, None)]

    with peer.open() as machine:
        run_job(machine.start(deals))
        record = machine.journal.last_of_board(1)
    assert kept(peer) == [(1, Verdict.GOOD)]
    assert record is not None
    assert record.verdict == Verdict.GOOD.name
    assert len(peer.core.truth.motions) == 1


def test_a_board_that_the_set_does_not_have_is_said_before_the_set_is_stored(tmp_path: Path) -> None:
    peer = memory_peer(tmp_path, Setup())
    with peer.open() as machine:
        with pytest.raises(NothingOpen):
            machine.start(deal_set([1]), [1, 2])
        assert machine.store.sets.newest_first() == []
