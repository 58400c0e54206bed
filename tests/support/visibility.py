"""How each row of the table *What GOOD can mean* comes about on the simulated machine, at any card of the pack.

May import: driver, firmware_sim. Read next: `tests/faults/test_visibility.py`, which reads the cells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from driver.deals.loader import load_deals
from driver.findings import Choice
from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import RED, Pack, ordered_pack, shuffled_pack
from firmware_sim.profile import FULL, P_ONLY, R_ONLY, Profile
from firmware_sim.slot import SimBoard
from protocol.cards import PACK_SIZE, Card
from protocol.codes import BoardSensing, FaultCode, Feature, Recognition, State
from tests.support.peers import Setup
from tests.support.sitting import Halt, Sitting, loose_card

DEALS: Final = load_deals(Path(__file__).resolve().parents[1] / "data" / "club36.pbn")
P_AND_R: Final = replace(
    FULL, model="Simulated P+R", board=BoardSensing.PRESENCE, features=Feature.COVER | Feature.KEYS | Feature.SIMULATED
)
"""Pockets sensed and cards read, and nothing else that the table could mean: no backs, stop card, thickness, number."""
COLUMNS: Final = {"P+R": P_AND_R, "R only": R_ONLY, "P only": P_ONLY}
LAST: Final = PACK_SIZE - 1


@dataclass(frozen=True, slots=True)
class Case:
    """One fault on one machine. `seen_at` is the card at which a machine that can see it stops with `fault`."""

    profile: Profile
    load: tuple[Pack, ...]
    faults: tuple[MachineFault, ...] = ()
    boards: tuple[SimBoard, ...] = ()
    numbers: tuple[int, ...] = (1,)
    more_packs: bool = False
    seen_at: int = 0
    fault: FaultCode = FaultCode.NONE


@dataclass(frozen=True, slots=True)
class Scene:
    """How a row comes about: `build(profile, index)`, at the `indices` where it applies.

    With packs below, `luck(profile, index)` is the case in which the next pack begins with the very card that is
    missing, so that nothing is seen before that pack's end; `deep` the one with a third pack below.
    """

    build: Callable[[Profile, int], Case]
    indices: range = range(PACK_SIZE)
    luck: Callable[[Profile, int], Case] | None = None
    deep: Callable[[Profile, int], Case] | None = None


def deal(data: Path, case: Case) -> Sitting:
    """Deals the case's boards; the person ends the sitting where a run stops or a start is refused."""

    def choose(halt: Halt) -> Choice | None:
        asked = [each for each in sitting.halts if each.prompt.board == halt.prompt.board and each.choices]
        return Choice.STOP if halt.state is State.PAUSED or len(asked) > 1 else None

    plan = FaultPlan(case.faults)
    with Sitting(
        data,
        DEALS,
        Setup(profile=case.profile, faults=plan),
        load=case.load,
        boards=case.boards,
        numbers=case.numbers,
        more_packs=case.more_packs,
        reaction=0.2,
    ) as sitting:
        sitting.choose = choose
        return sitting.run()


def _reads(profile: Profile) -> bool:
    return profile.recognition is not Recognition.NONE


def _pack(profile: Profile, number: int = 1) -> Pack:
    return shuffled_pack(number, pack=number) if _reads(profile) else ordered_pack(pack=number)


def _owner(pack: Pack, index: int) -> int:
    found = DEALS.find(1)
    assert found is not None
    return found.deal.owner(Card(pack[index].identity))


def _beginning_with(pack: Pack, code: int) -> Pack:
    """The pack with that card on top."""
    top = [card for card in pack if card.identity == code]
    return (*top, *(card for card in pack if card.identity != code))


def _not_beginning_with(pack: Pack, code: int) -> Pack:
    return pack if pack[0].identity != code else (*pack[1:], pack[0])


def wrong_pocket(profile: Profile, index: int) -> Case:
    """The card falls into the pocket beside its own."""
    pack = _pack(profile)
    fault = MachineFault(FaultKind.WRONG_POCKET, index, value=(_owner(pack, index) + 1) % 4)
    return Case(profile, (pack,), (fault,), seen_at=index, fault=FaultCode.WRONG_POCKET)


def misread(profile: Profile, index: int) -> Case:
    """The card is read as one that comes later."""
    pack = _pack(profile)
    twin = index + 1 + 7 * index % (LAST - index)
    fault = MachineFault(FaultKind.MISREAD, index, value=pack[twin].identity)
    return Case(profile, (pack,), (fault,), seen_at=twin, fault=FaultCode.DUPLICATE_CARD)


def read_as_each_other(profile: Profile, index: int) -> Case:
    """The card and one that belongs into another pocket."""
    pack = _pack(profile)
    other = next(at for at in (*range(index, PACK_SIZE), *range(index)) if _owner(pack, at) != _owner(pack, index))
    fault = MachineFault(FaultKind.SWAPPED, value=pack[index].identity, other=pack[other].identity)
    return Case(profile, (pack,), (fault,))


def double_feed_alone(profile: Profile, index: int) -> Case:
    """The card takes the next one along, and no pack lies below."""
    fault = MachineFault(FaultKind.DOUBLE_FEED, index)
    return Case(profile, (_pack(profile),), (fault,), seen_at=LAST, fault=FaultCode.HOPPER_EMPTY)


def _double_feed(profile: Profile, index: int, packs: tuple[Pack, ...], seen: FaultCode) -> Case:
    fault = MachineFault(FaultKind.DOUBLE_FEED, index, run=1)
    return Case(profile, packs, (fault,), numbers=(1, 2), more_packs=True, seen_at=LAST, fault=seen)


def double_feed_above(profile: Profile, index: int) -> Case:
    """Another pack lies below, and its first card is none that could stand for the hidden one."""
    pack = _pack(profile)
    hidden = pack[min(index + 1, LAST)].identity
    below = _not_beginning_with(_pack(profile, 2), hidden)
    return _double_feed(profile, index, (pack, below), FaultCode.DUPLICATE_CARD)


def double_feed_with_luck(profile: Profile, index: int) -> Case:
    """The next pack's first card stands for the hidden one, or is the hidden one."""
    pack = _pack(profile)
    below = _pack(profile, 2)
    if index < LAST and _reads(profile):
        below = _beginning_with(below, pack[index + 1].identity)
    return _double_feed(profile, index, (pack, below), FaultCode.HOPPER_EMPTY)


def double_feed_deep(profile: Profile, index: int) -> Case:
    """Two more packs lie below."""
    packs = tuple(_pack(profile, number) for number in (1, 2, 3))
    return _double_feed(profile, index, packs, FaultCode.NONE)


def _short(pack: Pack, index: int) -> Pack:
    return (*pack[:index], *pack[index + 1 :])


def _one_too_few(profile: Profile, index: int, packs: tuple[Pack, ...], seen: FaultCode) -> Case:
    load = (_short(packs[0], index), *packs[1:])
    return Case(profile, load, numbers=(1, 2), more_packs=True, seen_at=LAST, fault=seen)


def short_above(profile: Profile, index: int) -> Case:
    """The first pack lacks the card of that place, and the next one does not begin with it."""
    pack = _pack(profile)
    below = _not_beginning_with(_pack(profile, 2), pack[index].identity)
    return _one_too_few(profile, index, (pack, below), FaultCode.DUPLICATE_CARD)


def short_with_luck(profile: Profile, index: int) -> Case:
    """The next pack begins with the card that is missing."""
    pack = _pack(profile)
    below = _beginning_with(_pack(profile, 2), pack[index].identity)
    return _one_too_few(profile, index, (pack, below), FaultCode.HOPPER_EMPTY)


def short_deep(profile: Profile, index: int) -> Case:
    """Two more packs lie below."""
    return _one_too_few(profile, index, tuple(_pack(profile, number) for number in (1, 2, 3)), FaultCode.NONE)


def long_above(profile: Profile, index: int) -> Case:
    """The first pack has one card twice, the second time as its last; its twin in the next run comes at that index.

    By order the card of that place comes twice in turn.
    """
    pack, below = _pack(profile), _pack(profile, 2)
    if not _reads(profile):
        load = ((*pack[: index + 1], replace(pack[index], serial=199), *pack[index + 1 :]), below, _pack(profile, 3))
        return Case(profile, load, numbers=(1, 2), more_packs=True)
    at = max(index, 1)
    extra = replace(below[at - 1], serial=199)
    return Case(
        profile, ((*pack, extra), below), numbers=(1, 2), more_packs=True, seen_at=at, fault=FaultCode.DUPLICATE_CARD
    )


def other_back(profile: Profile, index: int) -> Case:
    """The card of that place is the same card of a pack with other backs; the second card shows it of the first."""
    pack = _pack(profile)
    load = (*pack[:index], replace(pack[index], back=RED), *pack[index + 1 :])
    return Case(profile, (load,), seen_at=max(index, 1), fault=FaultCode.WRONG_BACK)


def old_card(profile: Profile, index: int) -> Case:
    """One card of an earlier game lies in the board: the one with that code."""
    board = SimBoard(1)
    board.pockets[index % 4].append(loose_card(index))
    return Case(profile, (_pack(profile),), boards=(board,))


def wrong_board(profile: Profile, index: int) -> Case:
    """Another board lies in the slot."""
    return Case(profile, (_pack(profile),), boards=(SimBoard(index + 2),))


SCENES: Final = {
    "card into a wrong pocket": Scene(wrong_pocket),
    "misread, true twin later": Scene(misread, range(LAST)),
    "two cards read as each other": Scene(read_as_each_other),
    "double feed, no pack below": Scene(double_feed_alone, range(LAST)),
    "double feed, pack below": Scene(double_feed_above, luck=double_feed_with_luck, deep=double_feed_deep),
    "51 cards, pack below": Scene(short_above, luck=short_with_luck, deep=short_deep),
    "53 cards, pack below": Scene(long_above),
    "same card of another pack, other back": Scene(other_back),
    "full or same board in the slot": Scene(old_card),
    "wrong or turned board, no number reader": Scene(wrong_board),
}
"""The rows of the table, by their first cells."""
