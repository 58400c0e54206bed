"""The table *Checks of ARM* acted out on the simulated machine: each refusal, and the order of the checks.

The order is shown like this: for each check everything that later checks look at is broken as well, and still the
refusal is the earlier one. Read next: `test_page_rules.py`, `tests/support/bare_host.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import foreign_card
from firmware_sim.profile import BARE, FULL, P_ONLY, R_ONLY, Profile
from protocol.cards import PACK_SIZE
from protocol.codes import AnomalyMode, Check, Confirmation, EventType, Obstacle, RangeField, Refusal, Routing, State
from protocol.fields import Code
from protocol.messages import Answer, Refused
from tests.support.bare_host import CONFIRMED_ALL, RUN, BareHost, destinations, ready_host
from tests.support.tables import page_table

ROWS: Final = {int(row["order"]): row for row in page_table("Checks of ARM")}
NEW, ON = "new", "on"
STALE_EVENTS: Final = (EventType.FAULT, EventType.RUN, EventType.BOARD, EventType.COVER)


@dataclass(slots=True)
class World:
    """One machine with its host, and what the ARM to come says."""

    host: BareHost
    changes: dict[str, Any] = field(default_factory=dict)
    cut_short: bool = False

    def ask(self) -> Answer | None:
        """The answer to the ARM."""
        host = self.host
        host.number += 1
        arm = host.plan(**{"last_event": self.newest(), **self.changes})
        if not self.cut_short:
            return host.answer_to(arm, number=host.number)
        return host.answer_to_bytes(host.short_wire(arm, number=host.number, connection=host.connection))

    def newest(self) -> int:
        return self.host.newest_event()

    def unconfirm(self, bit: Confirmation) -> None:
        self.changes["confirmed"] = self.changes.get("confirmed", CONFIRMED_ALL) & ~bit


def short(world: World) -> None:
    world.cut_short = True


def all_to_north(world: World) -> None:
    world.changes["destinations"] = bytes(13)


def by_identity(world: World) -> None:
    world.changes["routing"] = Routing.BY_IDENTITY


def other_tag(world: World) -> None:
    world.changes["plan_tag"] = b"another!"


def no_event_seen(world: World) -> None:
    world.changes["last_event"] = 0


def other_index(world: World) -> None:
    world.changes["first"] = 5


def open_cover(world: World) -> None:
    world.host.machine.mechanism.open_cover()


def take_board_out(world: World) -> None:
    world.host.machine.mechanism.slot.remove_board()


def nothing(world: World) -> None:
    """The way here has broken it already."""


def board_two_wanted(world: World) -> None:
    world.changes["board"] = 2


def turn_board(world: World) -> None:
    slot = world.host.machine.mechanism.slot
    slot.insert_board(slot.remove_board(), turned=True)


def board_unconfirmed(world: World) -> None:
    world.unconfirm(Confirmation.BOARD_NUMBER)


def card_in_pocket_two(world: World) -> None:
    world.host.machine.mechanism.put_card_in_pocket(foreign_card(), 2)


def pockets_unconfirmed(world: World) -> None:
    world.unconfirm(Confirmation.POCKETS_EMPTY)


def card_in_path(world: World) -> None:
    mechanism = world.host.machine.mechanism
    mechanism.card_path.path.append(foreign_card())
    mechanism.load_pack(())


def empty_hopper(world: World) -> None:
    world.host.machine.mechanism.take_hopper()


def hopper_unconfirmed(world: World) -> None:
    world.unconfirm(Confirmation.HOPPER_LOADED)


BREAKERS: Final[dict[int, Callable[[World], None]]] = {
    1: short, 2: all_to_north, 3: by_identity, 4: nothing, 5: nothing, 6: nothing, 7: nothing, 8: other_tag,
    9: no_event_seen, 10: nothing, 11: other_index, 12: open_cover, 13: take_board_out, 14: nothing,
    15: board_two_wanted, 16: turn_board, 17: board_unconfirmed, 18: card_in_pocket_two, 19: pockets_unconfirmed,
    20: card_in_path, 21: empty_hopper, 22: hopper_unconfirmed,
}  # fmt: skip
"""What breaks each check."""

WHY: Final[dict[int, int]] = {
    2: RangeField.DESTINATIONS, 4: State.MOVING, 5: State.DONE, 6: State.PAUSED, 7: State.DONE, 10: Check.FAULT_LATCHED,
    11: Obstacle.INDEX, 12: Check.COVER, 13: Check.BOARD_MISSING, 17: Check.BOARD_UNCONFIRMED, 18: 0b0100,
    19: Check.POCKETS_UNCONFIRMED, 20: Check.PATH, 21: Check.HOPPER, 22: Check.HOPPER_UNCONFIRMED,
}  # fmt: skip
"""`why` of each refusal as these breakers bring it about; 0 for all others."""


# Ways to the machine that is asked


def idle(profile: Profile) -> World:
    return World(ready_host(profile))


def moving(profile: Profile) -> World:
    host = ready_host(profile)
    host.go()
    return World(host, {"run": RUN + 1})


def moving_and_asked_for_itself(profile: Profile) -> World:
    world = moving(profile)
    world.changes.clear()
    return world


def ended(profile: Profile) -> World:
    """The run was dealt whole and closed; its id comes again."""
    host = ready_host(profile, packs=2)
    host.deal_whole(more_packs=True)
    host.close()
    return World(host)


def ended_and_a_new_run_wanted(profile: Profile) -> World:
    world = ended(profile)
    world.changes["run"] = RUN + 1
    return world


def ended_while_another_is_open(profile: Profile) -> World:
    host = ready_host(profile)
    host.deal_until(2)
    host.pause()
    host.close()
    slot = host.machine.mechanism.slot
    slot.remove_board()
    slot.insert_board(1)
    host.deal_until(2, run=RUN + 1)
    host.pause()
    return World(host, {"run": RUN + 2})


def paused(profile: Profile) -> World:
    host = ready_host(profile)
    host.deal_until(3)
    host.pause()
    return World(host, {"first": host.status().index})


def done(profile: Profile) -> World:
    host = ready_host(profile, packs=2)
    host.deal_whole(more_packs=True)
    return World(host, {"first": 51, "more_packs": True})


def paused_by_a_latched_fault(profile: Profile) -> World:
    host = ready_host(profile, FaultPlan((MachineFault(FaultKind.NO_FEED, index=4),)))
    host.deal_until(PACK_SIZE)
    return World(host, {"first": host.status().index})


def closed_with_a_card_stuck(profile: Profile) -> World:
    """CLOSE does not clear a fault whose cause is still sensed."""
    host = ready_host(profile, FaultPlan((MachineFault(FaultKind.JAM_PATH, index=4),)))
    host.deal_until(PACK_SIZE)
    host.close()
    slot = host.machine.mechanism.slot
    slot.remove_board()
    slot.insert_board(1)
    return World(host, {"run": RUN + 1})


@dataclass(frozen=True, slots=True)
class Family:
    """Checks that can be broken together on one kind of machine; those in `tested` are expected one by one."""

    way: Callable[[Profile], World]
    profile: Profile
    kind: str
    tested: tuple[int, ...]
    broken_as_well: tuple[int, ...] = ()


FAMILIES: Final = (
    Family(idle, FULL, NEW, (1, 2, 9, 12, 15, 16, 18, 20, 21)),
    Family(idle, FULL, NEW, (1, 2, 9, 12, 13, 20, 21)),
    Family(idle, P_ONLY, NEW, (1, 2, 3, 9, 12, 13, 20, 21)),
    Family(idle, P_ONLY, NEW, (1, 2, 3, 9, 12, 17, 18, 20, 21)),
    Family(idle, R_ONLY, NEW, (1, 2, 9, 12, 17, 19, 20, 21)),
    Family(idle, BARE, NEW, (1, 2, 3, 17, 19, 20, 22)),
    Family(moving, FULL, NEW, (1, 2, 4), (9,)),
    Family(moving_and_asked_for_itself, FULL, ON, (1, 2, 4), (8, 9, 11)),
    Family(moving, P_ONLY, NEW, (1, 2, 3, 4), (9,)),
    Family(moving_and_asked_for_itself, P_ONLY, ON, (1, 2, 3, 4), (8, 9, 11)),
    Family(ended, FULL, NEW, (1, 2, 5), (9, 12, 14, 15, 18, 20, 21)),
    Family(ended_while_another_is_open, FULL, NEW, (1, 2, 6), (9, 12, 15, 18, 20, 21)),
    Family(ended_and_a_new_run_wanted, FULL, NEW, (1, 2, 9, 12, 14), (15, 18, 20, 21)),
    Family(ended_and_a_new_run_wanted, R_ONLY, NEW, (1, 2, 9, 12, 14), (17, 19, 20, 21)),
    Family(closed_with_a_card_stuck, FULL, NEW, (1, 2, 9, 10), (12, 13, 20, 21)),
    Family(done, FULL, ON, (1, 2, 7), (8, 9, 12, 13, 20, 21)),
    Family(paused, FULL, ON, (1, 2, 8, 9, 11, 12, 20, 21)),
    Family(paused, R_ONLY, ON, (1, 2, 8, 9, 11, 12, 17, 20, 21)),
    Family(paused, BARE, ON, (1, 2, 3, 8, 11, 17, 20, 22)),
    Family(paused_by_a_latched_fault, FULL, ON, (1, 2, 8, 9, 10), (11, 12, 20, 21)),
)
SHADOWED: Final = {(13, ON), (15, ON), (16, ON)}
"""Checks that an open run never comes to: a board that moved is an obstacle (11), another number a change (8)."""

CASES: Final = [(family, order) for family in FAMILIES for order in family.tested]


@pytest.mark.parametrize(
    ("family", "order"),
    CASES,
    ids=[f"{order}-{family.kind}-{family.way.__name__}-{family.profile.model.split()[-1]}" for family, order in CASES],
)
def test_each_check_of_arm_refuses_as_its_row_says(family: Family, order: int) -> None:
    """And before every later one: all of the family from `order` on is broken."""
    row = ROWS[order]
    assert row["for"] in ("both", family.kind)
    world = family.way(family.profile)
    events = world.newest()
    for later in sorted((*family.tested, *family.broken_as_well)):
        if later >= order:
            BREAKERS[later](world)
    answer = world.ask()
    assert isinstance(answer, Refused), answer
    assert answer.reason.name == row["refusal"]
    assert answer.why == WHY.get(order, 0)
    if answer.reason is Refusal.WRONG_BOARD:
        assert answer.detail == 1
    elif answer.reason is Refusal.STALE:
        assert answer.detail == world.host.last_event(*STALE_EVENTS) >= events > 0
    else:
        assert answer.detail == 0
    if answer.reason is Refusal.RUN_KNOWN:
        assert (answer.index, answer.doubt) == (PACK_SIZE, 0)
    else:
        assert (answer.index, answer.doubt) == (0, 0)


def test_every_check_of_the_page_is_acted_out_for_new_runs_and_for_those_that_go_on() -> None:
    acted = {(order, family.kind) for family, order in CASES}
    on_page = {(order, kind) for order, row in ROWS.items() for kind in (NEW, ON) if row["for"] in ("both", kind)}
    assert on_page - acted == SHADOWED
    assert acted <= on_page


@pytest.mark.parametrize("profile", [FULL, R_ONLY, P_ONLY, BARE], ids=lambda profile: str(profile.model))
def test_an_arm_that_breaks_no_check_gets_a_token_and_moves_nothing(profile: Profile) -> None:
    for way in (idle, paused):
        world = way(profile)
        motions = len(world.host.machine.truth.motions)
        answer = world.ask()
        assert not isinstance(answer, Refused), answer
        world.host.wait(20)
        assert len(world.host.machine.truth.motions) == motions


@pytest.mark.parametrize(
    ("changes", "field_named"),
    [
        ({"run": 0}, RangeField.RUN),
        ({"board": 0}, RangeField.BOARD),
        ({"routing": Code(0)}, RangeField.ROUTING),
        ({"routing": Code(3)}, RangeField.ROUTING),
        ({"on_anomaly": Code(0)}, RangeField.ON_ANOMALY),
        ({"on_anomaly": Code(3)}, RangeField.ON_ANOMALY),
        ({"on_anomaly": AnomalyMode.REPORT}, RangeField.ON_ANOMALY),
        ({"put_back": 52}, RangeField.PUT_BACK),
        ({"put_back": 254}, RangeField.PUT_BACK),
        ({"first": 52}, RangeField.FIRST),
        ({"first": 255}, RangeField.FIRST),
        ({"first": 1}, RangeField.FIRST),
        ({"destinations": destinations([0] * 14 + [1] * 12 + [2] * 13 + [3] * 13)}, RangeField.DESTINATIONS),
    ],
    ids=str,
)
def test_a_field_out_of_range_is_named(changes: dict[str, Any], field_named: RangeField) -> None:
    answer = ready_host().arm(**changes)
    assert answer == Refused(3, Refusal.OUT_OF_RANGE, why=field_named)


def test_every_field_that_the_page_names_can_be_out_of_range() -> None:
    assert set(page_table("Fields of OUT_OF_RANGE").column("name")) == set(RangeField.__members__)


def test_report_is_taken_by_order() -> None:
    ready_host().armed(routing=Routing.BY_ORDER, on_anomaly=AnomalyMode.REPORT)


@pytest.mark.parametrize(
    "changes",
    [
        {"plan_tag": b"another!"},
        {"board": 2},
        {"routing": Routing.BY_ORDER},
        {"routing": Routing.BY_ORDER, "on_anomaly": AnomalyMode.REPORT},
        {"more_packs": True},
        {"destinations": destinations([index // 13 for index in range(PACK_SIZE)])},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_whatever_of_the_plan_differs_when_a_run_is_to_go_on_the_run_is_changed(changes: dict[str, Any]) -> None:
    world = paused(FULL)
    world.changes |= changes
    assert world.ask() == Refused(3, Refusal.RUN_CHANGED)


@pytest.mark.parametrize("event", ["board", "cover", "run", "fault"])
def test_an_event_that_the_host_has_not_seen_makes_arm_stale_and_reading_it_is_enough(event: str) -> None:
    if event == "run":
        world = paused(FULL)
    elif event == "fault":
        world = paused_by_a_latched_fault(FULL)
    else:
        world = idle(FULL)
    mechanism = world.host.machine.mechanism
    if event == "board":
        mechanism.slot.insert_board(mechanism.slot.remove_board())
    if event == "cover":
        mechanism.open_cover()
        mechanism.close_cover()
    newest = world.host.last_event(*STALE_EVENTS)
    assert newest == world.newest()
    world.changes["last_event"] = newest - 1
    assert world.ask() == Refused(3, Refusal.STALE, detail=newest)
    world.changes["last_event"] = newest
    answer = world.ask()
    if event == "fault":
        assert answer == Refused(3, Refusal.CHECK_FAILED, why=Check.FAULT_LATCHED)
    else:
        assert not isinstance(answer, Refused)


def test_a_hopper_or_key_event_makes_nothing_stale() -> None:
    world = idle(FULL)
    seen = world.newest()
    mechanism = world.host.machine.mechanism
    mechanism.load_pack(tuple(mechanism.take_hopper()))
    assert world.newest() > seen
    world.changes["last_event"] = seen
    assert not isinstance(world.ask(), Refused)
