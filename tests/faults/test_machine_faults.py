"""Every fault of the simulated machine ends in a named state, with the right question, and the person's answer in GOOD.

Read next: `firmware_sim/faults.py` (the kinds), `tests/support/sitting.py` (machine and person), `test_power_cuts.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from driver.catalogue import stop_entry
from driver.errors import MachineFault as FaultRaised
from driver.findings import Choice
from driver.sentences import EMPTY_ALL, fault_entry
from driver.verdicts import ReasonCode, Verdict
from firmware_sim.faults import LASTING, FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import Pack, with_stop_card
from firmware_sim.profile import FULL, P_ONLY, Profile
from protocol.cards import Card
from protocol.codes import FaultCode, Feature, LedgerKind, Obstacle, PackEnd, PauseReason, Place, State
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting, pack_for
from tests.support.visibility import DEALS, LAST, P_AND_R

pytestmark = pytest.mark.usefixtures("quick_disk")

PACK: Final = pack_for(FULL)
BELOW: Final = pack_for(FULL, 2, pack=2)
INDICES: Final = (0, 26, LAST)
RUN_LEDGER: Final = replace(FULL, ledger=LedgerKind.RUN)
CARD_NAMED: Final = re.compile(
    r"\b(?:[SHDC][AKQJT2-9]|(?:ace|king|queen|jack|ten|nine|eight|seven|six|five|four|three|two) of|"
    r"spades?|hearts?|diamonds?|clubs?)\b|[♠♥♦♣]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Ends:
    """How a fault at `index` ends: `plan(index)` is the fault, `at(index)` the card at which the machine stops.

    `fault` NONE = nothing stops. `place` None = a pocket. `go_on`: a person may go on at that card.
    """

    plan: Callable[[int], MachineFault]
    fault: FaultCode = FaultCode.NONE
    place: Place | None = Place.UNKNOWN
    go_on: bool = False
    at: Callable[[int], int] = lambda index: index
    needs_below: bool = False


def owner(index: int) -> int:
    """The pocket of the card of that index."""
    found = DEALS.find(1)
    assert found is not None
    return found.deal.owner(Card(PACK[index].identity))


def simple(kind: FaultKind, value: int = 0) -> Callable[[int], MachineFault]:
    return lambda index: MachineFault(kind, index, value=value)


def two_cards(kind: FaultKind) -> Callable[[int], MachineFault]:
    """The cards of that index and of the next one (of the first one after the last)."""
    return lambda index: MachineFault(kind, value=PACK[index].identity, other=PACK[(index + 1) % len(PACK)].identity)


def in_pocket(kind: FaultKind) -> Callable[[int], MachineFault]:
    return lambda index: MachineFault(kind, value=owner(index), other=(owner(index) + 1) % 4)


def first_into(*pockets_from: int) -> Callable[[int], int]:
    """The first card that goes into the pocket of the card of an index, or into one so many further."""
    return lambda index: next(
        at for at in range(len(PACK)) if owner(at) in {(owner(index) + more) % 4 for more in pockets_from}
    )


JAM, NEXT = FaultCode.JAM, FaultCode.DUPLICATE_CARD
ENDS: Final[dict[FaultKind, Ends]] = {
    FaultKind.JAM_READER: Ends(simple(FaultKind.JAM_READER), JAM, Place.READER, go_on=True),
    FaultKind.JAM_PATH: Ends(simple(FaultKind.JAM_PATH), JAM, Place.PATH, go_on=True),
    FaultKind.NO_FEED: Ends(simple(FaultKind.NO_FEED), FaultCode.NO_FEED, Place.HOPPER, go_on=True),
    FaultKind.DOUBLE_FEED: Ends(
        simple(FaultKind.DOUBLE_FEED), FaultCode.DOUBLE_FEED, Place.READER, needs_below=True
    ),
    FaultKind.MISREAD: Ends(
        lambda index: MachineFault(FaultKind.MISREAD, index, value=PACK[(index + 1) % len(PACK)].identity),
        NEXT, Place.READER, at=lambda index: min(index + 1, LAST),
    ),
    FaultKind.WORN: Ends(two_cards(FaultKind.WORN), NEXT, Place.READER, at=lambda index: min(index + 1, LAST)),
    FaultKind.SWAPPED: Ends(two_cards(FaultKind.SWAPPED)),
    FaultKind.UNREADABLE: Ends(simple(FaultKind.UNREADABLE), FaultCode.UNREADABLE, Place.READER, go_on=True),
    FaultKind.WEAK: Ends(simple(FaultKind.WEAK), FaultCode.UNREADABLE, Place.READER, go_on=True),
    FaultKind.FACE_UP: Ends(simple(FaultKind.FACE_UP), FaultCode.FACE_UP, Place.READER, go_on=True),
    FaultKind.FOREIGN: Ends(simple(FaultKind.FOREIGN), FaultCode.FOREIGN_CARD, Place.READER, go_on=True),
    FaultKind.WRONG_POCKET: Ends(
        lambda index: MachineFault(FaultKind.WRONG_POCKET, index, value=(owner(index) + 1) % 4),
        FaultCode.WRONG_POCKET, None,
    ),
    FaultKind.POCKET_DEAD: Ends(in_pocket(FaultKind.POCKET_DEAD), FaultCode.POCKET_SILENT, None, at=first_into(0)),
    FaultKind.POCKET_STUCK: Ends(in_pocket(FaultKind.POCKET_STUCK)),
    FaultKind.POCKETS_CROSSED: Ends(
        in_pocket(FaultKind.POCKETS_CROSSED), FaultCode.WRONG_POCKET, None, at=first_into(0, 1)
    ),
    FaultKind.COVER: Ends(simple(FaultKind.COVER, 60), FaultCode.COVER_OPEN, go_on=True),
    FaultKind.STALL: Ends(simple(FaultKind.STALL), FaultCode.NO_PROGRESS, Place.PATH),
    FaultKind.SLOW: Ends(simple(FaultKind.SLOW, 400), FaultCode.NO_FEED, Place.HOPPER, go_on=True),
    FaultKind.MEMORY: Ends(simple(FaultKind.MEMORY), FaultCode.MEMORY),
    FaultKind.HOSTILE_TEXT: Ends(simple(FaultKind.HOSTILE_TEXT)),
}  # fmt: skip
STOPPING: Final = [kind for kind, ends in ENDS.items() if ends.fault]
SERVICE: Final = (FaultKind.STALL, FaultKind.MEMORY)
LEDGERS: Final = pytest.mark.parametrize("profile", [FULL, RUN_LEDGER], ids=["LEDGER=card", "LEDGER=run"])


def sitting_with(
    data: Path, kind: FaultKind, index: int, profile: Profile = FULL, wants: Choice = Choice.GO_ON
) -> Sitting:
    """A sitting in which that fault is there until a technician repairs what stays."""
    ends = ENDS[kind]
    plan = FaultPlan((ends.plan(index),))
    load = [PACK, BELOW] if ends.needs_below else [PACK]
    sitting = Sitting(data, DEALS, Setup(profile=profile, faults=plan), load=load, more_packs=ends.needs_below)
    sitting.wants = wants

    def repair(halt: Halt) -> bool:
        if kind in LASTING and len(sitting.halts) > 1:
            sitting.mechanism.clear_faults()
        return False

    sitting.cure = repair
    return sitting


def test_every_kind_of_fault_has_its_end_here() -> None:
    assert set(ENDS) == set(FaultKind)


# Faults that stop the machine


@LEDGERS
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("kind", [kind for kind in STOPPING if kind not in SERVICE], ids=lambda kind: kind.value)
def test_a_fault_stops_the_machine_by_its_name_and_the_person_cures_it(
    kind: FaultKind, index: int, profile: Profile, tmp_path: Path
) -> None:
    ends = ENDS[kind]
    for wants in (Choice.GO_ON, Choice.DEAL_AGAIN) if ends.go_on else (Choice.DEAL_AGAIN,):
        with sitting_with(tmp_path / wants.name, kind, index, profile, wants) as sitting:
            sitting.run()
            (halt,) = sitting.stops()
            assert (halt.reason, halt.fault, halt.index) == (PauseReason.FAULT, ends.fault, ends.at(index))
            assert halt.place == ends.place if ends.place is not None else halt.place >= Place.POCKET_0
            check_question(halt, go_on=ends.go_on)
            assert len(sitting.judged) == 1, "a board that stopped had no verdict before"
            sitting.check_good()


def check_question(halt: Halt, *, go_on: bool) -> None:
    """The prompt says what happened and what to do, offers what is lawful, and names no card."""
    prompt = halt.prompt
    told = stop_entry(halt.fault.name, goes_on=go_on)
    assert (prompt.code, prompt.fault_class) == (halt.fault.name, told.fault_class.name)
    assert prompt.means == told.means
    assert prompt.steps[-len(told.steps) :] == told.steps
    if go_on:
        assert halt.obstacle is Obstacle.NONE
        assert prompt.text == told.sentence
        assert prompt.choices == (Choice.GO_ON, Choice.DEAL_AGAIN, Choice.STOP)
    else:
        assert prompt.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
        assert prompt.text.startswith(f"{told.sentence} This board cannot go on: ")
        assert prompt.steps[0].startswith(EMPTY_ALL[0].rstrip("."))
    assert CARD_NAMED.search(prompt.instruction) is None, prompt.instruction


@LEDGERS
@pytest.mark.parametrize("wants", [Choice.DEAL_AGAIN, Choice.GO_ON], ids=lambda wants: wants.value)
@pytest.mark.parametrize("off_and_on", [False, True], ids=["left on", "off and on"])
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("kind", SERVICE, ids=lambda kind: kind.value)
def test_a_fault_that_needs_a_technician_ends_the_job_and_the_next_job_finds_the_board(
    kind: FaultKind, index: int, profile: Profile, off_and_on: bool, wants: Choice, tmp_path: Path
) -> None:
    ends = ENDS[kind]
    with sitting_with(tmp_path, kind, index, profile, wants) as sitting:
        with pytest.raises(FaultRaised) as raised:
            sitting.run()
        assert raised.value.fault == ends.fault
        told = fault_entry(ends.fault)
        assert (str(raised.value), raised.value.hint) == (told.sentence, told.hint)
        control, motions = sitting.core.control, len(sitting.core.truth.motions)
        assert (control.state, control.fault is not None) == (State.PAUSED, True)
        assert sitting.verdicts == []
        if off_and_on:
            sitting.core.power_off()
            sitting.endpoint.pass_time(3)
            sitting.core.power_on()
        sitting.endpoint.pass_time(60)
        assert len(sitting.core.truth.motions) == motions, "nothing moves by itself"
        sitting.halts.clear()
        sitting.new_job()
        sitting.run()
        found = sitting.halts[0]
        assert found.state is State.PAUSED
        assert found.choices[0] is Choice.DEAL_AGAIN
        assert Choice.GO_ON not in found.choices or kind is FaultKind.MEMORY, "no card was under way there"
        sitting.check_good()


# Faults that stop nothing


@pytest.mark.parametrize("index", INDICES)
def test_two_cards_read_as_each_other_are_not_seen_and_that_is_told(index: int, tmp_path: Path) -> None:
    with sitting_with(tmp_path, FaultKind.SWAPPED, index) as sitting:
        sitting.run()
        assert sitting.stops() == []
        assert sitting.verdicts == [Verdict.GOOD]
        other = (index + 1) % len(PACK)
        assert sitting.is_right() == (owner(index) == owner(other))
        assert "Two cards that are read as each other look right to this machine." in sitting.judged[0].cannot_prove


@pytest.mark.parametrize("index", INDICES)
def test_a_pocket_that_always_says_full_is_refused_before_anything_moves(index: int, tmp_path: Path) -> None:
    with sitting_with(tmp_path, FaultKind.POCKET_STUCK, index) as sitting:
        sitting.run()
        refused = sitting.halts[1]
        assert refused.state is State.NONE
        assert refused.prompt.text == f"There are cards in pocket {'NESW'[owner(index)]}."
        assert refused.choices == (Choice.GO, Choice.SKIP, Choice.STOP)
        assert len(sitting.core.truth.motions) == 1
        sitting.check_good()


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize(
    ("kind", "value"), [(FaultKind.SLOW, 250), (FaultKind.WEAK, 2), (FaultKind.NO_FEED, 2)], ids=lambda part: str(part)
)
def test_what_the_machine_cures_itself_stops_nothing(kind: FaultKind, value: int, index: int, tmp_path: Path) -> None:
    plan = FaultPlan((MachineFault(kind, index, value=value),))
    with Sitting(tmp_path, DEALS, Setup(faults=plan)) as sitting:
        sitting.run()
        assert sitting.stops() == []
        sitting.check_good()


def test_a_hostile_name_and_log_change_nothing_and_are_shown_clean(tmp_path: Path) -> None:
    with sitting_with(tmp_path, FaultKind.HOSTILE_TEXT, 0) as sitting:
        sitting.run()
        info = sitting.machine.info
        assert (info.model + info.firmware).isprintable()
        sitting.check_good()


# The cover at every moment of a card


@LEDGERS
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("after", range(0, 100, 5))
def test_a_cover_opened_at_any_moment_leaves_no_doubt_that_a_person_could_not_see(
    after: int, index: int, profile: Profile, tmp_path: Path
) -> None:
    plan = FaultPlan((MachineFault(FaultKind.COVER, index, value=after),))
    with Sitting(tmp_path, DEALS, Setup(profile=profile, faults=plan)) as sitting:
        sitting.run()
        (halt,) = sitting.stops()
        past_the_gate = after > 90
        assert (halt.fault, halt.index, halt.doubt) == (FaultCode.COVER_OPEN, index, int(past_the_gate))
        check_question(halt, go_on=not past_the_gate)
        sitting.check_good()


# By order a card's place cannot be proven again


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize(
    ("kind", "value", "go_on"),
    [
        (FaultKind.JAM_READER, 0, False),
        (FaultKind.JAM_PATH, 0, False),
        (FaultKind.COVER, 60, False),
        (FaultKind.COVER, 10, True),
        (FaultKind.NO_FEED, 0, True),
    ],
    ids=lambda part: str(part),
)
def test_by_order_a_card_that_left_the_hopper_is_never_put_back(
    kind: FaultKind, value: int, go_on: bool, index: int, tmp_path: Path
) -> None:
    plan = FaultPlan((MachineFault(kind, index, value=value),))
    with Sitting(tmp_path, DEALS, Setup(profile=P_ONLY, faults=plan)) as sitting:
        sitting.run()
        (halt,) = sitting.stops()
        assert halt.index == index
        check_question(halt, go_on=go_on)
        sitting.check_good()


# Packs


def without(pack: Pack, index: int) -> Pack:
    return (*pack[:index], *pack[index + 1 :])


@pytest.mark.parametrize("index", INDICES)
def test_a_pack_with_a_card_too_few_stops_at_its_end_and_the_card_found_makes_it_whole(
    index: int, tmp_path: Path
) -> None:
    with Sitting(tmp_path, DEALS, load=[without(PACK, index)]) as sitting:
        sitting.hands.table.append(PACK[index])
        sitting.run()
        (halt,) = sitting.stops()
        assert (halt.fault, halt.index, halt.place) == (FaultCode.HOPPER_EMPTY, LAST, Place.HOPPER)
        check_question(halt, go_on=True)
        sitting.check_good()


@pytest.mark.parametrize("index", INDICES)
def test_a_stop_card_that_comes_early_asks_for_the_missing_card(index: int, tmp_path: Path) -> None:
    load = [with_stop_card(without(PACK, index)), BELOW]
    with Sitting(tmp_path, DEALS, load=load, more_packs=True) as sitting:
        sitting.hands.table.append(PACK[index])
        sitting.run()
        (halt,) = sitting.stops()
        assert (halt.fault, halt.index) == (FaultCode.PACK_SHORT, LAST)
        check_question(halt, go_on=True)
        assert sitting.judged[0].open_pack_end is False
        sitting.check_good()


@pytest.mark.parametrize("index", range(LAST))
def test_a_card_put_in_for_one_that_hides_behind_another_is_found_by_the_count(index: int, tmp_path: Path) -> None:
    """A machine without a thickness sensor: the spare card of another pack makes 52 readings of 53 cards."""
    plan = FaultPlan((MachineFault(FaultKind.DOUBLE_FEED, index),))
    with Sitting(tmp_path, DEALS, Setup(profile=P_AND_R, faults=plan)) as sitting:
        sitting.hands.table.append(PACK[index + 1])

        def choose(halt: Halt) -> Choice | None:
            if Choice.COUNT in halt.choices and len(sitting.halts) == 3:
                sitting.job.decide(Choice.COUNT, "Ann", [len(pocket) for pocket in sitting.boards[0].pockets])
                return Choice.COUNT
            return None

        def count(halt: Halt) -> bool:
            return choose(halt) is Choice.COUNT

        sitting.cure = count
        sitting.run()
        verdict = sitting.judged[0]
        assert verdict.verdict is Verdict.NOT_PROVEN
        assert ReasonCode.FILLED_UP in {reason.code for reason in verdict.reasons}
        assert "13 cards in each pocket" in sitting.halts[3].prompt.text
        assert Choice.COUNT not in sitting.halts[3].choices
        sitting.check_good()


def test_a_pack_filled_up_with_its_own_card_is_released_by_a_hand_count(tmp_path: Path) -> None:
    with Sitting(tmp_path, DEALS, Setup(profile=P_AND_R), load=[without(PACK, 5)]) as sitting:
        sitting.hands.table.append(PACK[5])

        def count(halt: Halt) -> bool:
            if Choice.COUNT not in halt.choices:
                return False
            sitting.job.decide(Choice.COUNT, "Ann", [len(pocket) for pocket in sitting.boards[0].pockets])
            return True

        sitting.cure = count
        sitting.run()
        assert [judgement.verdict for judgement in sitting.judged] == [Verdict.NOT_PROVEN, Verdict.COUNTED]
        assert sitting.judged[-1].counted_by == "Ann"
        sitting.check_promises()


def test_a_pack_with_a_card_too_many_is_never_good(tmp_path: Path) -> None:
    extra = replace(PACK[9], serial=199)
    for place in (0, 9, 26, 51, 52):
        load = (*PACK[:place], extra, *PACK[place:])
        with Sitting(tmp_path / str(place), DEALS, load=[load]) as sitting:
            sitting.run()
            seen = sitting.halts[1]
            if place == 52:
                assert sitting.judged[0].verdict is Verdict.NOT_PROVEN
                assert [reason.code for reason in sitting.judged[0].reasons] == [ReasonCode.PACK_END]
                assert sitting.judged[0].pack_not_whole
                assert seen.choices == (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
            else:
                assert (seen.fault, seen.index) == (FaultCode.DUPLICATE_CARD, max(place, 9 + (place <= 9)))
            sitting.check_good()


def test_every_fault_of_the_page_is_reached_in_one_of_these_files() -> None:
    here = {ends.fault for ends in ENDS.values()} - {FaultCode.NONE}
    packs = {FaultCode.HOPPER_EMPTY, FaultCode.PACK_SHORT}
    elsewhere = {FaultCode.BOARD_OUT, FaultCode.WRONG_BACK}
    """`test_person_faults.py` and `test_visibility.py`"""
    assert here | packs | elsewhere == set(FaultCode) - {FaultCode.NONE}
    assert PackEnd.OVER not in {end for end in PackEnd if end.proven}
    assert Feature.THICKNESS not in P_AND_R.features
