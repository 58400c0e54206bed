"""Rules of PROTOCOL.md acted out on the simulated machine, row by row: numbers, the token, confirmations.

Read next: `test_page_arm.py` (checks of ARM), `test_page_refusals.py`, `test_page_go_on.py`, `test_page_memory.py`,
`test_page_times.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest

from firmware_sim.faults import FaultKind, FaultPlan, MachineFault
from firmware_sim.packs import foreign_card
from firmware_sim.profile import BARE, FULL, P_ONLY, R_ONLY, Profile
from protocol.codes import (
    BoardSensing,
    Check,
    Confirmation,
    FaultCode,
    HopperSensing,
    Key,
    PocketSensing,
    Proof,
    Refusal,
    State,
    TokenEnd,
)
from protocol.constants import TOKEN_LIVES
from protocol.messages import (
    Answer,
    Armed,
    Clear,
    Cleared,
    Go,
    Going,
    Identify,
    Ledger,
    ReadEvents,
    ReadLedger,
    Refused,
    Status,
    StatusReport,
)
from tests.support.bare_host import CONFIRMED_ALL, RUN, BareHost, ready_host
from tests.support.tables import Row, page_table

# Numbers of requests

NUMBERS: Final = page_table("Requests and answers").rows


@pytest.mark.parametrize("row", NUMBERS, ids=lambda row: f"{row['number']}, {row['bytes']}")
def test_a_request_number_is_treated_as_its_row_says(row: Row) -> None:
    host = ready_host()
    host.number += 1
    last = host.number
    arm = host.wire(host.plan(), number=last, connection=host.connection)
    armed = host.answer_to_bytes(arm)
    assert isinstance(armed, Armed)
    match row["number"], row["bytes"]:
        case "last", "the same":
            assert "stored answer" in row["the machine"]
            for _ in range(5):
                assert host.answer_to_bytes(arm) == armed
        case "last", "other":
            assert row["the machine"].startswith("refuses NUMBER_REUSED, executes nothing")
            other = host.plan(run=RUN + 1)
            assert host.answer_to(other, number=last) == Refused(3, Refusal.NUMBER_REUSED)
            assert host.answer_to(Status(), number=last) == Refused(2, Refusal.NUMBER_REUSED)
            assert host.answer_to_bytes(arm) == armed
        case "last + 1", "any":
            assert row["the machine"].startswith("executes")
            assert isinstance(host.answer_to(Identify()), Answer)
            assert host.number == last + 1
        case "any other", "any":
            assert row["the machine"] == "drops and counts"
            before = host.status().out_of_turn
            others = (0, 1, last - 1, last, last + 3, 2**31, 2**32 - 1)
            for number in others:
                assert host.answer_to(host.plan(run=RUN + 1), number=number) is None
            assert host.status().out_of_turn == before + len(others)
        case _:
            pytest.fail(f"a row that nobody acts out: {row}")
    assert isinstance(host.answer_to(Go(armed.token)), Going), "nothing was executed that ends the token"


def test_requests_start_at_one_in_each_connection() -> None:
    host = ready_host()
    ack = host.hello()
    assert ack is not None
    host.connection = ack.connection
    for number in (0, 2, 3):
        answer = host.answer_to(Status(), number=number)
        assert answer is None or answer == Refused(2, Refusal.NO_CONNECTION, detail=ack.boot_id)
    assert isinstance(host.answer_to(Status(), number=1), StatusReport)


# The token

TOKEN: Final = {row["what happens"]: row for row in page_table("The token")}


def other_connection(host: BareHost) -> None:
    host.connect()


def restart(host: BareHost) -> None:
    host.machine.power_off()
    host.machine.power_on()
    host.take()
    host.connect()


def loose_card(place: str) -> Callable[[BareHost], None]:
    def put(host: BareHost) -> None:
        getattr(host.machine.mechanism.card_path, place).append(foreign_card())
        host.machine.mechanism.load_pack(())

    return put


def open_and_close_cover(host: BareHost) -> None:
    host.machine.mechanism.open_cover()
    host.machine.mechanism.close_cover()


def go_once(host: BareHost) -> None:
    assert isinstance(host.answer_to(Go(host.token)), Going)
    host.pause()


def questions(host: BareHost) -> None:
    """A HELLO, every question, and all frames that were ever sent."""
    host.hello()
    host.status()
    host.ask(Identify(), Answer)
    host.answer_to(ReadEvents(1))
    host.answer_to(ReadLedger(RUN, 0))
    host.send(host.wire(Status(), number=1, connection=host.connection))


TOKEN_CASES: Final[dict[str, tuple[Callable[[BareHost], object], ...]]] = {
    "GO with it": (go_once,),
    "TOKEN_LIVES passes": (lambda host: host.wait(TOKEN_LIVES / 1000),),
    "another ARM is answered with a token": (lambda host: host.armed(), lambda host: host.armed(run=RUN + 1)),
    "STOP, or the STOP key": (lambda host: host.stop(), lambda host: host.machine.mechanism.press(Key.STOP)),
    "board, cover, hopper, pockets, reader or path change": (
        lambda host: host.machine.mechanism.slot.remove_board(),
        lambda host: host.machine.mechanism.slot.insert_board(host.machine.mechanism.slot.remove_board()),
        lambda host: host.machine.mechanism.open_cover(),
        open_and_close_cover,
        lambda host: host.machine.mechanism.take_hopper(),
        lambda host: host.machine.mechanism.put_card_in_pocket(foreign_card(), 1),
        loose_card("reader"),
        loose_card("path"),
    ),
    "the connection ends": (other_connection,),
    "restart": (restart,),
    "a HELLO, a question, an old frame": (questions,),
    "an ARM that is refused": (lambda host: host.arm(board=2), lambda host: host.arm(destinations=bytes(13))),
}
"""How each row of the page comes about; *a fault* stands apart, because a machine at rest hardly has one."""

TOKEN_ROWS: Final = [(what, act) for what, acts in TOKEN_CASES.items() for act in acts]


@pytest.mark.parametrize(("what", "act"), TOKEN_ROWS, ids=[f"{what}-{at}" for at, (what, _) in enumerate(TOKEN_ROWS)])
def test_the_token_lives_and_dies_as_its_row_says(what: str, act: Callable[[BareHost], object]) -> None:
    host = ready_host()
    host.token = host.armed().token
    motions = len(host.machine.truth.motions)
    act(host)
    answer = host.answer_to(Go(host.token))
    row = TOKEN[what]
    if row["the token is then"] == "alive":
        assert isinstance(answer, Going), answer
        assert len(host.machine.truth.motions) == motions + 1
        return
    assert answer == Refused(4, Refusal.TOKEN_DEAD, why=TokenEnd[row["why in TOKEN_DEAD"]])
    host.wait(3)
    assert len(host.machine.truth.motions) == motions + (what == "GO with it")


def test_a_token_is_dead_after_a_fault() -> None:
    host = ready_host()
    token = host.armed().token
    host.machine.memory.fails = True
    assert not isinstance(host.answer_to(Go(token)), Going)
    assert host.machine.truth.motions == []
    answer = host.answer_to(Go(token))
    assert isinstance(answer, Refused)
    assert answer.reason is Refusal.TOKEN_DEAD
    assert TokenEnd(answer.why).name in (
        TOKEN["a fault"]["why in TOKEN_DEAD"],
        TOKEN["GO with it"]["why in TOKEN_DEAD"],
    )
    host.wait(3)
    assert host.machine.truth.motions == []


def test_every_row_of_the_token_table_is_acted_out() -> None:
    assert set(TOKEN_CASES) | {"a fault"} == set(TOKEN)


def test_a_token_is_never_zero_and_never_comes_twice_in_a_boot() -> None:
    host = ready_host()
    tokens = [host.armed().token for _ in range(500)]
    assert 0 not in tokens
    assert len(set(tokens)) == 500


# Confirmations

CONFIRMATIONS: Final = {row["name"]: row for row in page_table("Confirmations")}
PROFILES: Final = {
    "board is not NUMBER": ([R_ONLY, P_ONLY, BARE], [FULL]),
    "pockets is NO, or a sensor is out of order": ([R_ONLY, BARE], [FULL, P_ONLY]),
    "hopper is NO": ([BARE], [FULL, R_ONLY, P_ONLY]),
}
"""For each *counts where*: machines where it does, and machines where it does not."""
NEEDED: Final = {
    "BOARD_NUMBER": Check.BOARD_UNCONFIRMED,
    "POCKETS_EMPTY": Check.POCKETS_UNCONFIRMED,
    "HOPPER_LOADED": Check.HOPPER_UNCONFIRMED,
}


@pytest.mark.parametrize("name", NEEDED)
def test_a_confirmation_counts_only_where_its_row_says(name: str) -> None:
    counts, idle = PROFILES[CONFIRMATIONS[name]["counts where"]]
    for profile in (*counts, *idle):
        host = ready_host(profile)
        without = host.arm(confirmed=CONFIRMED_ALL & ~Confirmation[name])
        if profile in counts:
            assert without == Refused(3, Refusal.CHECK_FAILED, why=NEEDED[name])
        else:
            assert isinstance(without, Armed)
        assert isinstance(host.arm(), Armed)


def test_the_profiles_of_the_confirmations_are_what_the_page_calls_them() -> None:
    for profile in (FULL, R_ONLY, P_ONLY, BARE):
        assert (profile.board is BoardSensing.NUMBER) == (profile in PROFILES["board is not NUMBER"][1])
        assert (profile.pockets is PocketSensing.NO) == (
            profile in PROFILES["pockets is NO, or a sensor is out of order"][0]
        )
        assert (profile.hopper is HopperSensing.NO) == (profile in PROFILES["hopper is NO"][0])
    assert set(NEEDED) | {"SAME_BOARD_EMPTIED"} | {f"SENSOR_{pocket}_OUT" for pocket in "NESW"} == set(CONFIRMATIONS)


@pytest.mark.parametrize("pocket", range(4), ids=list("NESW"))
def test_a_sensor_that_is_called_out_of_order_makes_no_fault_by_its_silence_and_no_proof(pocket: int) -> None:
    name = f"SENSOR_{'NESW'[pocket]}_OUT"
    assert CONFIRMATIONS[name]["counts where"] == "pockets is SENSED"
    dead = FaultPlan((MachineFault(FaultKind.POCKET_DEAD, value=pocket),))
    for out in (Confirmation[name], Confirmation.SENSOR_N_OUT << (pocket + 1) % 4):
        host = ready_host(faults=dead)
        said = CONFIRMED_ALL | Confirmation(out)
        refused = host.arm(confirmed=said & ~Confirmation.POCKETS_EMPTY)
        assert refused == Refused(3, Refusal.CHECK_FAILED, why=Check.POCKETS_UNCONFIRMED)
        armed = host.arm(confirmed=said)
        assert isinstance(armed, Armed)
        host.ask(Go(armed.token), Going)
        report = host.run_until()
        if out != Confirmation[name]:
            assert report.fault is FaultCode.POCKET_SILENT, "of another pocket"
            continue
        assert report.state is State.DONE
        halves = [host.ask(ReadLedger(RUN, first), Ledger).records for first in (0, 26)]
        records = [record for half in halves for record in half]
        assert {record.pocket for record in records if Proof.SENSED not in record.proof} == {pocket}
        assert host.machine.truth.violations() == []


def test_a_sensor_that_is_called_out_of_order_still_refuses_a_full_pocket_and_another_pocket_is_still_wrong() -> None:
    said = CONFIRMED_ALL | Confirmation.SENSOR_N_OUT
    host = ready_host(faults=FaultPlan((MachineFault(FaultKind.POCKET_STUCK, value=0),)))
    assert host.arm(confirmed=said) == Refused(3, Refusal.POCKETS_NOT_EMPTY, why=1)
    host = ready_host(faults=FaultPlan((MachineFault(FaultKind.POCKETS_CROSSED, value=0, other=1),)))
    armed = host.arm(confirmed=said)
    assert isinstance(armed, Armed)
    host.ask(Go(armed.token), Going)
    assert host.run_until().fault is FaultCode.WRONG_POCKET


@pytest.mark.parametrize("profile", [FULL, R_ONLY, P_ONLY], ids=lambda profile: str(profile.model))
def test_a_board_that_was_emptied_in_its_slot_is_taken_again_only_when_a_person_says_so(profile: Profile) -> None:
    assert CONFIRMATIONS["SAME_BOARD_EMPTIED"]["counts where"] == "board is PRESENCE or NUMBER"
    host = ready_host(profile, packs=2)
    host.deal_whole(more_packs=True)
    host.close()
    emptied = CONFIRMED_ALL | Confirmation.SAME_BOARD_EMPTIED
    if profile.pockets is PocketSensing.SENSED:
        refused = host.arm(run=RUN + 1, confirmed=emptied)
        assert refused == Refused(3, Refusal.POCKETS_NOT_EMPTY, why=0b1111), "no confirmation lifts what is sensed"
    host.machine.mechanism.slot.empty_board()
    assert host.arm(run=RUN + 1) == Refused(3, Refusal.SAME_BOARD)
    assert isinstance(host.arm(run=RUN + 1, confirmed=emptied), Armed)


def test_a_fault_is_taken_back_by_its_event_number_and_nothing_moves() -> None:
    host = ready_host(faults=FaultPlan((MachineFault(FaultKind.NO_FEED, 4),)))
    host.go()
    report = host.run_until()
    motions = len(host.machine.truth.motions)
    assert host.ask(Clear(report.fault_event), Cleared) == Cleared(report.fault_event)
    host.wait(5)
    assert len(host.machine.truth.motions) == motions
    assert replace(host.status(), state=State.PAUSED).fault == 0
