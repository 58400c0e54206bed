"""A set goes from one computer to another: nothing of it is lost, and the two never deal the same copy.

Read next: `driver/hand_over.py`, `driver/handed_over.py`; `tests/cli/test_hand_over.py` for the commands with machines.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from driver import dealt as records
from driver import hand_over as handing
from driver import handed_over as rules
from driver.again import dealt_before, hands_now
from driver.cli.new_hands import give as write_down
from driver.deals.model import DealSet
from driver.dealt import DealtRecords
from driver.errors import StoreDamaged, WrongPassphrase, WrongState
from driver.hand_over import HandOver, TakenOver, hand_over, opened_file, take_back, take_over
from driver.handed_over import board_is_asked, check_here
from driver.journal import Journal, tag_of
from driver.machine import items_for
from driver.making import deals_of, make_game, make_sets, set_with_board
from driver.new_hands import AFTER, GivenSpare, NewHands, entry_details
from driver.plan import Plan
from driver.queue import JobOrder
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.entries import CardEvidence
from driver.store.runs import Intention
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind, SetState, StoredSet
from driver.verdicts import Verdict
from protocol.errors import DealingMachineError
from tests.cli.program import shown_hands
from tests.support.store import Clock, deal_set, opened
from tests.unit.test_backup import STRANGERS

WORDS = Passphrase("nine wet llamas")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (handing, rules, records):
        monkeypatch.setattr(module, "utc_now", clock)
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    return clock


@pytest.fixture
def old(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """The computer that hands over."""
    with opened(tmp_path / "old", clock) as store:
        yield store


@pytest.fixture
def new(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """The one that takes over."""
    with opened(tmp_path / "new", clock) as store:
        yield store


def deal(
    store: Store, deals: DealSet, board: int, copy: str = "", verdict: Verdict | None = Verdict.GOOD, serial: str = "M1"
) -> int:
    """A real machine deals that copy; the run."""
    (item,) = items_for(deals, [board], [copy])
    plan = Plan.by_identity(item.board, item.deal)
    told = Intention(item.board, copy, serial, 7, 100, 3, deals.set_id, item.deal_board, False)
    with Journal(store) as journal:
        run = journal.intend(told, journal.plan_tag(plan.board, plan.routing, plan.destinations())).run
        with journal.together():
            journal.note_go(run)
            DealtRecords(store, [item], simulated=False).begun(item, run)
        if verdict is not None:
            evidence = [CardEvidence(card, 3, 31, True) for card in range(52)]
            journal.note_verdict(run, verdict.name, open_end=True, card_ms=101, evidence=evidence)
            journal.note_closed(run)
    return run


def over(store: Store, name: str) -> bytes:
    files: list[bytes] = []
    with Journal(store) as journal:
        hand_over(store, journal, store.sets.find(name), "Ann", write=files.append)
    (data,) = files
    return data


def take(store: Store, data: bytes, passphrase: str | None = None) -> tuple[TakenOver, ...]:
    with Journal(store) as journal:
        return take_over(store, journal, opened_file(data), "Bob", passphrase=lambda one: passphrase)


def tuesday(store: Store) -> DealSet:
    stored = store.sets.add_imported(deal_set(range(1, 9), path="/home/ann/tuesday.pbn")).stored
    return deals_of(store, stored)


def test_set_progress_and_register_are_on_the_other_computer(old: Store, new: Store, clock: Clock) -> None:
    new.sets.add_imported(deal_set([1], seed=5, name="other"))
    deals = tuesday(old)
    deal(old, deals, 1)
    clock.later(minutes=1)
    deal(old, deals, 2, "B", Verdict.NOT_PROVEN)
    deal(old, deals, 3, verdict=None)
    clock.later(days=1)
    (taken,) = take(new, over(old, "tuesday"))

    assert (taken.is_new, taken.runs, taken.stored.id) == (True, 2, "s2")
    there = old.sets.find("tuesday")
    assert replace(taken.stored, id=there.id) == there
    assert deals_of(new, taken.stored).boards == deals.boards
    assert [replace(copy, set_id="s1") for copy in new.copies.of_set("s2")] == old.copies.of_set("s1")[:2]
    uses = new.register.uses([board.deal for board in deals])
    assert [replace(use, set_id="s1") for (use,) in uses[:3]] == [
        use for (use,) in old.register.uses([board.deal for board in deals])[:3]
    ]
    new.entries.check()
    new.decisions.verify()
    run = old.copies.of_set("s1")[0].run
    assert new.runs.evidence(run) == old.runs.evidence(run)
    assert new.runs.record(run).open_end  # type: ignore[union-attr]
    assert new.runs.open_run("M1") is None


def test_a_board_dealt_there_is_dealt_again_here_with_the_same_hands(old: Store, new: Store) -> None:
    deals = tuesday(old)
    deal(old, deals, 4, "B")
    take(new, over(old, "tuesday"))
    with Journal(new) as journal:
        before = dealt_before(journal, new, 4, opened=lambda stored: hands_now(new, stored))
    assert (before.copy, before.source.deal) == ("B", deals.find(4).deal)  # type: ignore[union-attr]


def test_what_was_handed_over_is_dealt_here_no_more_and_its_jobs_are_gone(old: Store, new: Store) -> None:
    deals = tuesday(old)
    other = deals_of(old, old.sets.add_imported(deal_set([1], seed=9, name="other")).stored)
    for one in (deals, other):
        old.jobs.add(JobOrder(0, one.set_id, (1,)))
    data = over(old, "tuesday")

    with pytest.raises(WrongState, match="handed over today at 12:00"):
        DealtRecords(old, items_for(deals, [1]), simulated=False)
    assert [job.order.set_id for job in old.jobs.queue().jobs] == [other.set_id]
    with pytest.raises(WrongState):
        over(old, "tuesday")
    (taken,) = take(new, data)
    check_here(new, taken.stored)


def test_a_file_that_cannot_be_written_leaves_set_and_queue_as_they_were(old: Store) -> None:
    deals = tuesday(old)
    old.jobs.add(JobOrder(0, deals.set_id, (1, 2), ("A", "B")))
    old.jobs.add(JobOrder(0, deals.set_id, (3,)))
    before, stored = old.jobs.queue(), old.sets.find("tuesday")

    def write(data: bytes) -> None:
        with pytest.raises(WrongState):
            check_here(old, stored)
        raise OSError("the stick is full")

    with Journal(old) as journal, pytest.raises(OSError, match="full"):
        hand_over(old, journal, stored, "Ann", write=write)
    assert old.jobs.queue() == before
    check_here(old, stored)


def test_what_comes_back_brings_what_was_dealt_elsewhere_and_can_be_dealt_here_again(
    old: Store, new: Store, clock: Clock
) -> None:
    deals = tuesday(old)
    deal(old, deals, 1)
    take(new, over(old, "tuesday"))
    there = deals_of(new, new.sets.find("tuesday"))
    deal(new, there, 2)
    with Journal(new) as journal:
        journal.note_verdict(new.copies.of_board(there.set_id, 1)[0].run, Verdict.NOT_PROVEN.name)
    clock.later(minutes=5)
    (back,) = take(old, over(new, "tuesday"))

    assert (back.is_new, back.runs, back.stored.id) == (False, 2, deals.set_id)
    verdicts = {copy.board: copy.verdict for copy in old.copies.of_set(deals.set_id)}
    assert verdicts == {1: Verdict.NOT_PROVEN, 2: Verdict.GOOD}
    old.entries.check()
    check_here(old, back.stored)
    with pytest.raises(WrongState):
        check_here(new, new.sets.find("tuesday"))


def test_a_file_is_taken_over_once_and_an_old_one_frees_nothing(old: Store, new: Store) -> None:
    tuesday(old)
    first = over(old, "tuesday")
    with pytest.raises(WrongState, match="does not come from there"):
        take(old, first)
    take(new, first)
    with pytest.raises(WrongState, match="already"):
        take(new, first)
    over(new, "tuesday")
    before = new.decisions.newest_first()
    with pytest.raises(WrongState):
        take(new, first)
    assert new.decisions.newest_first() == before


def test_a_file_that_was_never_used_is_taken_back(old: Store) -> None:
    stored = old.sets.find(tuesday(old).set_id)
    over(old, "tuesday")
    take_back(old, stored, "Ann")
    check_here(old, stored)
    with pytest.raises(WrongState, match="own"):
        take_back(old, stored, "Ann")


def test_the_same_file_on_both_computers_is_one_set_and_learns_what_was_dealt(old: Store, new: Store) -> None:
    deals, there = tuesday(old), tuesday(new)
    deal(old, deals, 1)
    deal(new, there, 2)
    (taken,) = take(new, over(old, "tuesday"))
    assert (taken.is_new, taken.stored.id) == (False, there.set_id)
    assert {copy.board for copy in new.copies.of_set(there.set_id)} == {1, 2}


def give(store: Store, stored: StoredSet, board: int, spare: int) -> None:
    write_down(store, stored, NewHands(GivenSpare(board, spare), "6D3", (), ()), "Dora", "seen")


@pytest.mark.parametrize("minutes", [-90.0, 0.0])
def test_which_hands_a_run_was_dealt_with_is_told_by_the_order_when_the_clock_was_set_back(
    minutes: float, old: Store, new: Store, clock: Clock
) -> None:
    monday = make_game(old, name="monday", now=clock)
    first = deals_of(old, monday)
    deal(old, first, 5)
    clock.later(minutes=minutes)
    give(old, monday, 5, 1)
    clock.later(minutes=minutes)
    deal(old, replace(hands_now(old, monday).of_copy(""), set_id=monday.id), 5, "B")
    (taken,) = take(new, over(old, "monday"))

    second = hands_now(new, taken.stored).of_copy("")
    for deals, copy in ((first, ""), (second, "B")):
        board = deals.find(5)
        assert board is not None
        plan = Plan.by_identity(5, board.deal)
        record = next(one for one in new.runs.begun() if one.intention.copy == copy)
        assert record.plan_tag == tag_of(new, plan)
        ((use,),) = new.register.uses([board.deal])
        assert use.copy == copy


def test_new_hands_of_an_older_program_that_wrote_down_no_run_are_told_by_their_time(
    old: Store, new: Store, clock: Clock
) -> None:
    monday = make_game(old, name="monday", now=clock)
    first = deals_of(old, monday)
    deal(old, first, 5)
    clock.later(minutes=1)
    details = entry_details(NewHands(GivenSpare(5, 1), "6D3", (), ()), monday.id, "seen", after=0)
    old.decisions.append(Decision.NEW_HANDS, "Dora", **{name: details[name] for name in details if name != AFTER})
    take(new, over(old, "monday"))
    ((use,),) = new.register.uses([first.find(5).deal])  # type: ignore[union-attr]
    assert use.copy == ""


def test_a_set_made_here_goes_with_its_supplements_and_new_hands(old: Store, new: Store, clock: Clock) -> None:
    new.sets.add_imported(deal_set([1], name="monday"))
    monday = make_game(old, name="monday", now=clock)
    further = set_with_board(old, monday, 40, now=clock)
    deals = deals_of(old, monday)
    deal(old, deals, 5)
    clock.later(minutes=1)
    give(old, monday, 5, 1)
    clock.later(minutes=1)
    now = hands_now(old, monday)
    deal(old, replace(now.of_copy(""), set_id=monday.id), 5)
    first, second = take(new, over(old, "monday"))

    assert (first.stored.name, second.stored.name) == ("monday-2", "monday-2-from-37")
    assert set_with_board(new, first.stored, 40, now=clock) == second.stored
    assert deals_of(new, second.stored).boards == deals_of(old, further).boards
    there = hands_now(new, first.stored)
    assert there.of_copy("").boards == now.of_copy("").boards
    both = [deals.find(5).deal, now.of_copy("").find(5).deal]  # type: ignore[union-attr]
    assert [len(uses) for uses in new.register.uses(both)] == [1, 1]
    for one in (monday, further):
        with pytest.raises(WrongState):
            check_here(old, one)


def test_a_sealed_set_stays_sealed_and_opens_there_with_the_same_words_or_code(old: Store, new: Store) -> None:
    added = old.sets.add_imported(deal_set(range(1, 9)), seal=WORDS)
    assert added.recovery_code is not None
    deals = deals_of(old, added.stored, passphrase=WORDS.text)
    deal(old, deals, 1)
    data = over(old, "tuesday")
    for typed in (None, "four dry llamas"):
        with pytest.raises(WrongPassphrase):
            take(new, data, typed)
    assert new.sets.newest_first() == []
    (taken,) = take(new, data, added.recovery_code)
    assert taken.stored.sealed
    for typed in (WORDS.text, added.recovery_code):
        assert deals_of(new, taken.stored, passphrase=typed).boards == deals.boards


def test_a_championship_comes_as_far_as_it_was(old: Store, new: Store) -> None:
    (added,) = make_sets(old, SetKind.CHAMPIONSHIP, name="final", seal=WORDS, now=Clock())
    old.sets.set_state(added.stored, SetState.COMMITTED)
    (taken,) = take(new, over(old, "final"), WORDS.text)
    there = old.sets.find("final")
    assert (taken.stored.state, taken.stored.published) == (SetState.COMMITTED, there.published)
    assert new.sets.manifest_of(taken.stored) == old.sets.manifest_of(there)
    deals = deals_of(new, taken.stored, passphrase=WORDS.text)
    deal(new, deals, 1)
    (back,) = take(old, over(new, "final"), WORDS.text)
    assert back.stored.state is SetState.DEALING


@pytest.mark.parametrize("data", STRANGERS.values(), ids=STRANGERS)
def test_what_is_no_hand_over_is_refused(data: bytes) -> None:
    with pytest.raises(StoreDamaged, match="no hand-over"):
        opened_file(data)


def test_a_damaged_file_is_refused_and_changes_nothing(old: Store, new: Store) -> None:
    deals = tuesday(old)
    deal(old, deals, 1)
    data, chance = over(old, "tuesday"), random.Random(4)
    for _ in range(60):
        broken = bytearray(data)
        broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        try:
            file = opened_file(bytes(broken))
        except StoreDamaged:
            continue
        assert file == opened_file(data)
    with pytest.raises(StoreDamaged):
        opened_file(data[: len(data) // 2])
    assert new.sets.newest_first() == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"content": b"\x00" * 31},
        {"content": b""},
        {"kind": SetKind.GAME},
        {"runs": "another board"},
    ],
    ids=str,
)
def test_content_that_cannot_be_right_changes_nothing(wrong: dict[str, object], old: Store, new: Store) -> None:
    deals = tuesday(old)
    deal(old, deals, 1)
    file = opened_file(over(old, "tuesday"))
    (one,) = file.sets
    changes = {"runs": (replace(one.runs[0], deal_board=77),)} if "runs" in wrong else wrong
    with Journal(new) as journal:
        before = new.decisions.newest_first()
        with pytest.raises(DealingMachineError):
            take_over(
                new,
                journal,
                replace(file, sets=(replace(one, **changes),)),
                "",
                passphrase=lambda _: None,
            )
        assert new.decisions.newest_first() == before
    assert new.sets.newest_first() == []
    assert new.runs.begun() == []


def test_after_taking_over_it_is_asked_once_which_board_lies_in_the_machine(old: Store, new: Store) -> None:
    tuesday(old)
    assert board_is_asked(old, ["s1"]) == ()
    (taken,) = take(new, over(old, "tuesday"))
    assert board_is_asked(new, [taken.stored.id, "s7"]) == (taken.stored.id,)
    new.decisions.append(Decision.BOARD_IN_MACHINE, "", set=taken.stored.id, board=0)
    assert board_is_asked(new, [taken.stored.id]) == ()


def test_neither_file_nor_values_show_a_hand(old: Store, clock: Clock) -> None:
    deals = tuesday(old)
    file = opened_file(data := over(old, "tuesday"))
    assert isinstance(file, HandOver)
    for text in (data.decode("latin-1"), repr(file), data.hex()):
        assert not shown_hands(text, deals)
        assert file.sets[0].content.hex() not in text
