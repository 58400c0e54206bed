"""The table *Refusals* of PROTOCOL.md acted out on the simulated machine: each refusal, with its `why` and `detail`.

Read next: `test_page_arm.py` (the order of ARM's checks), `tests/support/bare_host.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest

from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import foreign_card
from firmware_sim.profile import FULL
from protocol.codes import (
    RESERVED_REQUESTS,
    Check,
    EventType,
    Kind,
    Obstacle,
    RangeField,
    Refusal,
    RequestType,
    State,
    TokenEnd,
)
from protocol.framing import Frame, encode_frame
from protocol.messages import (
    Answer,
    Clear,
    Close,
    Go,
    Going,
    Identify,
    ReadEvents,
    ReadLedger,
    Refused,
    Status,
)
from tests.support.bare_host import RUN, BareHost, ready_host
from tests.support.scenes import open_and_paused
from tests.support.tables import page_table

REFUSALS: Final = {row["name"]: row for row in page_table("Refusals")}
ENDED: Final = RUN + 9


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to one request that is to be refused, and what the page's words for `why` and `detail` are then."""

    answer: Answer | None
    why: int = 0
    detail: int = 0


def raw_request(host: BareHost, number_of_type: int) -> Answer | None:
    host.number += 1
    return host.answer_to_bytes(encode_frame(Frame(Kind.REQUEST, number_of_type, host.connection, host.number, b"")))


def no_connection() -> list[Asked]:
    host = ready_host()
    boot = host.hello()
    assert boot is not None
    known = host.connection
    answers = []
    for connection in (0, known + 77, known ^ 0x00010000):
        host.connection = connection
        answers += [host.answer_to(request, number=1) for request in (Status(), host.plan(), Go(1))]
    return [Asked(answer, detail=boot.boot_id) for answer in answers]


def number_reused() -> list[Asked]:
    host = ready_host()
    return [Asked(host.answer_to(Identify(), number=host.number))]


def unknown_type() -> list[Asked]:
    host = ready_host()
    known = {int(request) for request in RequestType}
    return [Asked(raw_request(host, number)) for number in range(256) if number not in known]


def bad_payload() -> list[Asked]:
    host = ready_host()
    asked = []
    for request in (host.plan(), Go(1), Clear(1), Close(1), ReadLedger(1, 0), ReadEvents(1)):
        host.number += 1
        asked.append(
            Asked(host.answer_to_bytes(host.short_wire(request, number=host.number, connection=host.connection)))
        )
    return asked


def out_of_range() -> list[Asked]:
    host = ready_host()
    host.deal_until(2)
    host.pause()
    return [
        Asked(host.arm(destinations=bytes(13)), why=RangeField.DESTINATIONS),
        Asked(host.answer_to(ReadLedger(RUN, 52)), why=RangeField.FIRST),
    ]


def not_now() -> list[Asked]:
    host = ready_host()
    token = host.armed().token
    host.ask(Go(token), Going)
    moving = [host.arm(), host.answer_to(Close(RUN)), host.answer_to(Clear(1)), host.answer_to(Go(token ^ 1))]
    host.deal_done()
    return [*(Asked(answer, why=State.MOVING) for answer in moving), Asked(host.arm(first=51), why=State.DONE)]


def stale() -> list[Asked]:
    host = ready_host(faults=FaultPlan((MachineFault(FaultKind.NO_FEED, 4),)))
    host.go()
    host.run_until()
    newest = host.last_event(EventType.FAULT, EventType.RUN)
    fault = host.last_event(EventType.FAULT)
    return [
        Asked(host.arm(first=4, last_event=1), detail=newest),
        Asked(host.answer_to(Clear(fault - 1)), detail=fault),
    ]


def run_open() -> list[Asked]:
    return [Asked(open_and_paused().arm(run=RUN + 1), why=State.PAUSED)]


def run_known() -> list[Asked]:
    host = open_and_paused()
    host.close()
    requests = (host.plan(), Close(RUN), ReadLedger(RUN, 0))
    return [Asked(host.answer_to(request), why=State.PAUSED) for request in requests]


def run_changed() -> list[Asked]:
    host = open_and_paused()
    return [Asked(host.arm(first=host.status().index, plan_tag=bytes(8)))]


def same_board() -> list[Asked]:
    host = open_and_paused()
    host.close()
    return [Asked(host.arm(run=RUN + 1))]


def pockets_not_empty() -> list[Asked]:
    host = ready_host()
    host.machine.mechanism.put_card_in_pocket(foreign_card(), 1)
    host.machine.mechanism.put_card_in_pocket(foreign_card(), 3)
    return [Asked(host.arm(), why=0b1010)]


def board_turned() -> list[Asked]:
    host = ready_host(board=None)
    host.machine.mechanism.slot.insert_board(1, turned=True)
    return [Asked(host.arm())]


def wrong_board() -> list[Asked]:
    host = ready_host(board=14)
    return [Asked(host.arm(board=13), detail=14)]


def token_dead() -> list[Asked]:
    host = ready_host()
    return [Asked(host.answer_to(Go(0)), why=TokenEnd.NO_TOKEN), Asked(host.answer_to(Go(77)), why=TokenEnd.NO_TOKEN)]


def check_failed() -> list[Asked]:
    host = ready_host()
    host.machine.mechanism.open_cover()
    asked = [Asked(host.arm(), why=Check.COVER)]
    host = ready_host(faults=FaultPlan((MachineFault(FaultKind.JAM_PATH, 4),)))
    host.go()
    report = host.run_until()
    return [*asked, Asked(host.answer_to(Clear(report.fault_event)), why=Check.PATH)]


def cannot_go_on() -> list[Asked]:
    host = open_and_paused()
    return [Asked(host.arm(first=host.status().index + 1), why=Obstacle.INDEX)]


def gone() -> list[Asked]:
    host = ready_host()
    events = [Asked(host.answer_to(ReadLedger(RUN, 0))), Asked(host.answer_to(Close(RUN)))]
    host.deal_whole()
    last = host.newest_event()
    return [*events, Asked(host.answer_to(ReadEvents(1)), detail=last - FULL.ring + 1)]


def not_supported() -> list[Asked]:
    host = ready_host()
    return [Asked(raw_request(host, request)) for request in RESERVED_REQUESTS]


SCENES: Final[dict[str, Callable[[], list[Asked]]]] = {
    scene.__name__.upper(): scene
    for scene in (
        no_connection, number_reused, unknown_type, bad_payload, out_of_range, not_now, stale, run_open, run_known,
        run_changed, same_board, pockets_not_empty, board_turned, wrong_board, token_dead, check_failed, cannot_go_on,
        gone, not_supported,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_every_refusal_of_the_page_is_given_as_its_row_says(name: str) -> None:
    row = REFUSALS[name]
    requests = set()
    for asked in SCENES[name]():
        answer = asked.answer
        assert isinstance(answer, Refused), answer
        assert answer.reason.name == name
        assert (answer.why, answer.detail) == (asked.why, asked.detail)
        if row["why"] == "0":
            assert answer.why == 0
        if row["detail"] == "0":
            assert answer.detail == 0
        if name != "RUN_KNOWN":
            assert (answer.index, answer.doubt) == (0, 0)
        requests.add(answer.request)
    by = {RequestType[request] for request in row["by"].split(", ")} if row["by"] != "any" else requests
    assert requests == {int(request) for request in by}


def test_a_go_that_comes_again_under_another_number_finds_its_token_used() -> None:
    host = ready_host()
    token = host.armed().token
    host.ask(Go(token), Going)
    assert host.answer_to(Go(token)) == Refused(4, Refusal.TOKEN_DEAD, why=TokenEnd.USED)
    assert len(host.machine.truth.motions) == 1
