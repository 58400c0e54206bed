"""The table *May a run go on at the same card?* of PROTOCOL.md, acted out on the simulated machine.

Each row that says yes is dealt to the end, and the truth is asked whether every card lies where the plan puts it.
Read next: `test_page_memory.py` (power cuts), `tests/support/bare_host.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import pytest

from firmware_sim.faults import FaultKind, MachineFault
from firmware_sim.packs import RED, SimCard, with_stop_card
from firmware_sim.profile import FULL, Profile
from protocol.cards import PACK_SIZE
from protocol.codes import (
    FaultCode,
    LedgerKind,
    NextStep,
    Obstacle,
    PauseReason,
    Place,
    Recognition,
    Refusal,
    Routing,
    Sensor,
    State,
)
from protocol.constants import NOT_PUT_BACK
from protocol.messages import Armed, Clear, Cleared, Go, Going, Refused
from tests.support.bare_host import ROTATION, BareHost
from tests.support.scenes import AT, IN_PATH, PACK, PAST_GATE, pass_until, power_cycle, started
from tests.support.tables import Row, page_table

ROWS: Final = page_table("May a run go on at the same card?").rows
READ_IN_HOPPER: Final = replace(FULL, recognition=Recognition.HOPPER)
RUN_LEDGER: Final = replace(FULL, ledger=LedgerKind.RUN)


@dataclass(slots=True)
class Case:
    """One way into a pause: the host, and the `put_back` of the ARM that is to go on."""

    host: BareHost
    put_back: int = NOT_PUT_BACK


def pocket_of(card: SimCard, index: int, routing: Routing) -> int:
    return ROTATION[card.identity if routing is Routing.BY_IDENTITY else index]


def cleared(host: BareHost) -> None:
    """The latched fault is taken back."""
    report = host.status()
    assert report.fault is not FaultCode.NONE
    host.ask(Clear(report.fault_event), Cleared)


def back_into_hopper(host: BareHost, place: Place) -> None:
    """A person takes the card out and puts it, right, on top of the hopper."""
    host.machine.mechanism.put_card_back(host.machine.mechanism.take_card(place))


# Nothing under way


def pause(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    pass_until(host, AT, IN_PATH)
    host.pause()
    yield Case(host)


def host_lost(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    pass_until(host, AT, IN_PATH)
    host.wait(5, beat=False)
    yield Case(host)


def host_changed(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    pass_until(host, AT, IN_PATH)
    host.connect()
    host.run_until()
    yield Case(host)


def no_feed(routing: Routing) -> Iterator[Case]:
    host = started(routing, MachineFault(FaultKind.NO_FEED, AT))
    host.run_until()
    cleared(host)
    yield Case(host)


def hopper_empty(routing: Routing) -> Iterator[Case]:
    host = started(routing, pack=PACK[:AT])
    host.run_until()
    host.machine.mechanism.load_pack(PACK[AT:])
    cleared(host)
    yield Case(host)


def pack_short(routing: Routing) -> Iterator[Case]:
    host = started(routing, pack=with_stop_card(PACK[:AT]))
    host.run_until()
    host.machine.mechanism.take_card(Place.HOPPER)
    host.machine.mechanism.load_pack(PACK[AT:])
    cleared(host)
    yield Case(host)


def wrong_back(routing: Routing) -> Iterator[Case]:
    host = started(routing, pack=(*PACK[:AT], replace(PACK[AT], back=RED), *PACK[AT + 1 :]))
    host.run_until()
    host.machine.mechanism.take_hopper()
    host.machine.mechanism.load_pack(PACK[AT:])
    cleared(host)
    yield Case(host)


def cover_open_with_nothing_under_way(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    host.machine.advance_to(host.machine.now + 0.010)
    host.machine.mechanism.open_cover()
    host.machine.mechanism.close_cover()
    host.run_until()
    cleared(host)
    yield Case(host)


def stop_with_nothing_under_way(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    host.machine.advance_to(host.machine.now + 0.010)
    host.stop()
    yield Case(host)


# A card that was refused


def refused_card(kind: FaultKind) -> Callable[[Routing], Iterator[Case]]:
    def cases(routing: Routing) -> Iterator[Case]:
        for profile, place in ((FULL, Place.READER), (READ_IN_HOPPER, Place.HOPPER)):
            host = started(routing, MachineFault(kind, AT), profile=profile)
            assert host.run_until().fault_place == place
            mechanism = host.machine.mechanism
            card = mechanism.take_card(place)
            if kind is not FaultKind.FOREIGN:
                mechanism.put_card_back(card)
            cleared(host)
            yield Case(host, AT if place is Place.READER else NOT_PUT_BACK)

    return cases


# A card under way


def jam(routing: Routing) -> BareHost:
    host = started(routing, MachineFault(FaultKind.JAM_PATH, AT))
    host.run_until()
    return host


def cover_open(routing: Routing) -> BareHost:
    host = started(routing)
    pass_until(host, AT, IN_PATH)
    host.machine.mechanism.open_cover()
    host.run_until()
    return host


def stop(routing: Routing) -> BareHost:
    host = started(routing)
    pass_until(host, AT, IN_PATH)
    host.stop()
    return host


def power_cut_with_card_in_path(routing: Routing, profile: Profile = FULL) -> BareHost:
    host = started(routing, profile=profile)
    pass_until(host, AT, IN_PATH)
    power_cycle(host)
    return host


def put_back(way: Callable[[Routing], BareHost]) -> Callable[[Routing], Iterator[Case]]:
    """The card is put back into the hopper and named."""

    def cases(routing: Routing) -> Iterator[Case]:
        host = way(routing)
        back_into_hopper(host, Place.PATH)
        host.machine.mechanism.close_cover()
        if host.status().fault is not FaultCode.NONE:
            cleared(host)
        yield Case(host, AT)

    return cases


def not_put_back(way: Callable[[Routing], BareHost]) -> Callable[[Routing], Iterator[Case]]:
    """The card is taken away; it is named and not there, or there and not named; or it still lies in the path."""

    def cases(routing: Routing) -> Iterator[Case]:
        for lies, named in ((False, False), (True, False), (True, True)):
            host = way(routing)
            if not lies:
                host.machine.mechanism.take_card(Place.PATH)
            host.machine.mechanism.close_cover()
            if host.status().fault is not FaultCode.NONE and not lies:
                cleared(host)
            elif host.status().fault is not FaultCode.NONE:
                continue  # Its cause is still sensed: the fault stays latched, and ARM ends before this table.
            yield Case(host, AT if named else NOT_PUT_BACK)

    return cases


def past_the_gate(way: str) -> Callable[[Routing], Iterator[Case]]:
    """A card that may have passed the gate cannot be put back, whatever the person says."""

    def cases(routing: Routing) -> Iterator[Case]:
        for named in (AT, NOT_PUT_BACK):
            host = started(routing)
            pass_until(host, AT, PAST_GATE)
            if way == "STOP":
                host.stop()
            elif way == "COVER_OPEN":
                host.machine.mechanism.open_cover()
                host.machine.mechanism.close_cover()
                host.run_until()
                cleared(host)
            else:
                power_cycle(host)
            yield Case(host, named)

    return cases


def no_progress(routing: Routing) -> Iterator[Case]:
    host = started(routing, MachineFault(FaultKind.STALL, AT))
    host.wait(4)
    host.machine.mechanism.take_card(Place.PATH)
    cleared(host)
    yield Case(host)


# Never again


def whatever_the_person_does(kind: FaultKind) -> Callable[[Routing], Iterator[Case]]:
    def cases(routing: Routing) -> Iterator[Case]:
        pocket = pocket_of(PACK[AT], AT, routing)
        value = {
            FaultKind.MISREAD: PACK[0].identity,
            FaultKind.WRONG_POCKET: (pocket + 1) % 4,
            FaultKind.POCKET_DEAD: 2,
        }
        fault = MachineFault(kind, 0 if kind is FaultKind.POCKET_DEAD else AT, value=value.get(kind, 0))
        for named in (True, False):
            host = started(routing, fault)
            report = host.run_until()
            mechanism = host.machine.mechanism
            for place, sensor in ((Place.READER, Sensor.READER_CARD), (Place.PATH, Sensor.PATH_CARD)):
                while host.status().sensors & sensor:
                    back_into_hopper(host, place)
            mechanism.clear_faults()
            cleared(host)
            yield Case(host, report.index if named else NOT_PUT_BACK)

    return cases


def board_out(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    pass_until(host, AT, 0.010)
    slot = host.machine.mechanism.slot
    slot.remove_board()
    host.run_until()
    slot.insert_board(same_as_before=True)
    for place, sensor in ((Place.READER, Sensor.READER_CARD), (Place.PATH, Sensor.PATH_CARD)):
        if host.status().sensors & sensor:
            back_into_hopper(host, place)
    cleared(host)
    yield Case(host, AT)


# Restart


def restart_with_nothing_under_way(routing: Routing) -> Iterator[Case]:
    host = started(routing)
    pass_until(host, AT, IN_PATH)
    host.pause()
    power_cycle(host)
    yield Case(host)


def restart_in_any_way(routing: Routing) -> Iterator[Case]:
    yield from restart_with_nothing_under_way(routing)
    yield from put_back(power_cut_with_card_in_path)(routing)
    yield from not_put_back(power_cut_with_card_in_path)(routing)


def restart_without_marks_for_each_card(routing: Routing) -> Iterator[Case]:
    host = power_cut_with_card_in_path(routing, RUN_LEDGER)
    back_into_hopper(host, Place.PATH)
    for named in (AT, NOT_PUT_BACK):
        yield Case(host, named)


def several(*ways: Callable[[Routing], Iterator[Case]]) -> Callable[[Routing], Iterator[Case]]:
    def cases(routing: Routing) -> Iterator[Case]:
        for way in ways:
            yield from way(routing)

    return cases


WAYS: Final[dict[tuple[str, str], Callable[[Routing], Iterator[Case]]]] = {
    ("PAUSE", "none"): pause,
    ("HOST_LOST", "none"): host_lost,
    ("HOST_CHANGED", "none"): host_changed,
    ("NO_FEED", "none"): no_feed,
    ("HOPPER_EMPTY", "none"): hopper_empty,
    ("PACK_SHORT", "none"): pack_short,
    ("WRONG_BACK", "none"): wrong_back,
    ("COVER_OPEN", "none"): cover_open_with_nothing_under_way,
    ("STOP", "none"): stop_with_nothing_under_way,
    ("FACE_UP", "in hopper or reader"): refused_card(FaultKind.FACE_UP),
    ("UNREADABLE", "in hopper or reader"): refused_card(FaultKind.UNREADABLE),
    ("FOREIGN_CARD", "in hopper or reader"): refused_card(FaultKind.FOREIGN),
    ("JAM", "put back"): put_back(jam),
    ("JAM", "not put back"): not_put_back(jam),
    ("COVER_OPEN", "put back"): put_back(cover_open),
    ("COVER_OPEN", "not put back"): several(not_put_back(cover_open), past_the_gate("COVER_OPEN")),
    ("STOP", "put back"): put_back(stop),
    ("STOP", "not put back"): several(not_put_back(stop), past_the_gate("STOP")),
    ("NO_PROGRESS", "not put back"): no_progress,
    ("DOUBLE_FEED", "any"): whatever_the_person_does(FaultKind.DOUBLE_FEED),
    ("DUPLICATE_CARD", "any"): whatever_the_person_does(FaultKind.MISREAD),
    ("WRONG_POCKET", "any"): whatever_the_person_does(FaultKind.WRONG_POCKET),
    ("POCKET_SILENT", "any"): whatever_the_person_does(FaultKind.POCKET_DEAD),
    ("BOARD_OUT", "any"): board_out,
    ("RESTART", "none"): restart_with_nothing_under_way,
    ("RESTART", "put back"): put_back(power_cut_with_card_in_path),
    ("RESTART", "not put back"): several(not_put_back(power_cut_with_card_in_path), past_the_gate("RESTART")),
    ("RESTART", "any"): restart_in_any_way,
    ("RESTART", "ledger is not CARD"): restart_without_marks_for_each_card,
}
"""How each row of the page comes about: cause and card under way."""

ROUTINGS: Final = {"any": (Routing.BY_IDENTITY, Routing.BY_ORDER), "BY_IDENTITY": (Routing.BY_IDENTITY,),
                   "BY_ORDER": (Routing.BY_ORDER,)}  # fmt: skip
CASES: Final = [(row, routing) for row in ROWS for routing in ROUTINGS[row["routing"]]]


@pytest.mark.parametrize(
    ("row", "routing"),
    CASES,
    ids=[f"{row['paused because']}-{row['card under way']}-{routing.name}" for row, routing in CASES],
)
def test_a_run_goes_on_or_not_as_its_row_says(row: Row, routing: Routing) -> None:
    cases = 0
    for case in WAYS[row["paused because"], row["card under way"]](routing):
        host = case.host
        report = host.status()
        assert report.state is State.PAUSED
        cause = row["paused because"]
        if cause in PauseReason.__members__:
            assert report.reason is PauseReason[cause]
        else:
            assert report.reason is PauseReason.FAULT
            assert FaultCode[cause] in [event.fault for _, event in host.events() if hasattr(event, "fault")]
        first = report.index if report.index < PACK_SIZE else AT
        answer = host.arm(routing=routing, first=first, put_back=case.put_back, last_event=host.newest_event())
        if row["go on"] == "no":
            assert answer == Refused(3, Refusal.CANNOT_GO_ON, why=Obstacle[row["obstacle"]]), (case.put_back, report)
            if row["card under way"] == "any" and cause != "RESTART":
                assert report.cannot_go_on is Obstacle[row["obstacle"]]
                assert not report.may & NextStep.GO_ON
        else:
            assert isinstance(answer, Armed), answer
            host.ask(Go(answer.token), Going)
            assert host.run_until().state is State.DONE
            truth = host.machine.truth
            assert truth.violations() == []
            dealt = {card: pocket for pocket, cards in enumerate(truth.pockets_of(1)) for card in cards}
            assert len(dealt) == PACK_SIZE
            if routing is Routing.BY_IDENTITY:
                assert all(pocket == ROTATION[card] for card, pocket in dealt.items())
        cases += 1
    assert cases


def test_every_row_of_the_page_has_its_way_and_every_way_its_row() -> None:
    assert set(WAYS) == {(row["paused because"], row["card under way"]) for row in ROWS}
