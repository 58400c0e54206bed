"""Every row of "what is found afterwards", and every combination of a smaller world, gives one situation and no more.

Read next: `driver/reconcile.py`, `driver/findings.py`, PROTOCOL.md, section 10.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from driver.findings import Choice, Finding, Situation
from driver.reconcile import EndState, Found, Intent, reconcile
from driver.verdicts import Verdict
from protocol.cards import PACK_SIZE, Seat
from protocol.codes import (
    BoardSensing,
    LedgerKind,
    NextStep,
    Obstacle,
    PackEnd,
    PauseReason,
    PocketSensing,
    Proof,
    Recognition,
    RecordState,
    Refusal,
    RequestType,
    RunFlag,
    Sensor,
    State,
)
from protocol.fields import Code, LedgerRecord
from protocol.messages import Refused, StatusReport
from tests.support.evidence import FULL, status
from tests.support.tables import page_table

OURS, OTHER = 0x51_0000_0007, 0x99_0000_0001
EDGES, ODOMETER, BOOT = 3, 5000, 41
ROWS = page_table("Restart, reconnect, and what is found afterwards")
POWER_CUTS = page_table("Restart, reconnect, and what is found afterwards / 2")

INTENT = Intent(
    run=OURS,
    plan_tag=bytes(8),
    board=9,
    copy="A",
    machine_serial="DM0042",
    boot_id=BOOT,
    odometer=ODOMETER,
    board_edges=EDGES,
    go_sent=True,
    verdict=None,
    closed=False,
)
DOUBTS = ("Whether ", "Where ", "Which ", "What ", "How ")
BEFORE_GO = replace(INTENT, go_sent=False)
JUDGED = replace(INTENT, verdict=Verdict.GOOD)


def dropped(count: int, doubt: int = 0) -> tuple[LedgerRecord, ...]:
    """A ledger of that many cards in pockets, and more in doubt."""
    record = LedgerRecord(0, 200, int(Seat.NORTH), Proof.LEFT_HOPPER, RecordState.DROPPED, 1)
    return (record,) * count + (replace(record, state=RecordState.DOUBT),) * doubt


def found(report: StatusReport, **changes: object) -> Found:
    """The machine of the intent, in its boot, with that status."""
    usual = Found("DM0042", BOOT, memory_lost=False, status=report, run_end=None, ledger=None, identity=FULL)
    return replace(usual, **changes)  # type: ignore[arg-type]


def idle(odometer: int = ODOMETER, **changes: object) -> Found:
    return found(status(board_edges=EDGES, odometer=odometer), **changes)


def paused(k: int, doubt: int = 0, reason: PauseReason = PauseReason.HOST_LOST, **changes: object) -> Found:
    may = NextStep.CLOSE if doubt else NextStep.CLOSE | NextStep.GO_ON
    report = status(
        run=OURS,
        state=State.PAUSED,
        reason=reason,
        index=k,
        doubt=doubt,
        odometer=ODOMETER + k + doubt,
        board_edges=EDGES,
        may=may,
        cannot_go_on=Obstacle.DOUBT if doubt else Obstacle.NONE,
        **changes,
    )
    return found(report, ledger=dropped(k, doubt))


def restarted(k: int, doubt: int = 0, **changes: object) -> Found:
    after = paused(k, doubt, PauseReason.RESTART, run_flags=RunFlag.RESTARTED, **changes)
    return replace(after, boot_id=BOOT + 1, status=replace(after.status, board_edges=0))


DONE = found(
    status(
        run=OURS,
        state=State.DONE,
        index=PACK_SIZE,
        pack_end=PackEnd.EMPTY,
        odometer=ODOMETER + PACK_SIZE,
        board_edges=EDGES,
        may=NextStep.CLOSE,
        sensors=Sensor.BOARD_PRESENT,
        board_number=9,
    ),
    ledger=dropped(PACK_SIZE),
)
DONE_AND_OUT = replace(DONE, status=replace(DONE.status, sensors=Sensor(0), board_number=0, board_edges=EDGES + 1))
UNSENSED = replace(FULL, board=BoardSensing.NONE)
"""A machine that does not sense its board."""
MOVING = found(status(run=OURS, state=State.MOVING, index=30, odometer=ODOMETER + 31, board_edges=EDGES))
FOREIGN = found(status(run=OTHER, state=State.PAUSED, index=30, odometer=ODOMETER + 30, may=NextStep.CLOSE))


def other_edges(machine: Found) -> Found:
    return replace(machine, status=replace(machine.status, board_edges=EDGES + 2))


def changed(machine: Found, **changes: object) -> Found:
    return replace(machine, status=replace(machine.status, **changes))  # type: ignore[arg-type]


def other_odometer(machine: Found) -> Found:
    return replace(machine, status=replace(machine.status, odometer=ODOMETER + 40))


NOT_GOOD = (replace(INTENT, verdict=Verdict.NOT_PROVEN), replace(INTENT, verdict=Verdict.DEAL_AGAIN))
NOT_AS_IT_ENDED = (
    replace(DONE, boot_id=BOOT + 1),
    changed(DONE, run_flags=RunFlag.RESTARTED),
    restarted(PACK_SIZE),
    paused(30),
    idle(),
    idle(memory_lost=True),
    idle(run_end=EndState(State.DONE, 52, 0)),
    other_odometer(idle()),
)


def blind(machine: Found) -> Found:
    """As a machine shows it that neither reads cards nor senses pockets."""
    return replace(machine, identity=replace(FULL, recognition=Recognition.NONE, pockets=PocketSensing.NO))


Case = tuple[Intent | None, Found]

CASES: dict[str, tuple[Case, ...]] = {
    "ARM, GO or their answer lost": ((INTENT, MOVING), (BEFORE_GO, idle())),
    "5 s without an answer": ((BEFORE_GO, idle()), (INTENT, MOVING), (INTENT, paused(30)), (INTENT, DONE)),
    "host crash after the intent, before GO": ((BEFORE_GO, idle()), (BEFORE_GO, idle(boot_id=BOOT + 1))),
    "host crash after GO was sent, GO never arrived": ((INTENT, idle()), (INTENT, idle(boot_id=BOOT + 1_000))),
    "host crash after GO was sent, GO arrived": tuple((INTENT, paused(k)) for k in range(PACK_SIZE)),
    "cards still move, longer than any card may take": ((INTENT, MOVING), (None, MOVING)),
    "host crash after card 52, before the verdict": (
        (INTENT, DONE),
        (INTENT, DONE_AND_OUT),
        (INTENT, changed(DONE, board_number=10, board_edges=EDGES + 2)),
        (INTENT, replace(DONE_AND_OUT, boot_id=BOOT + 1)),
        (INTENT, replace(DONE, ledger=None)),
    ),
    "the same, and nothing senses where the board is": (
        (INTENT, other_edges(DONE)),
        (INTENT, replace(DONE, boot_id=BOOT + 1)),
        (INTENT, replace(changed(DONE, sensors=Sensor(0), board_number=0), identity=UNSENSED)),
        (INTENT, changed(DONE, board_number=10)),
        (INTENT, changed(DONE, sensors=Sensor(0))),
    ),
    "host crash while somebody was asked to empty the finished board": (
        (replace(INTENT, may_be_emptied=True), DONE),
        (replace(INTENT, may_be_emptied=True), DONE_AND_OUT),
    ),
    "host crash after the verdict, before CLOSE": tuple(
        (intent, machine)
        for intent in (JUDGED, replace(INTENT, verdict=Verdict.COUNTED), *(replace(one, kept=True) for one in NOT_GOOD))
        for machine in (DONE, paused(30), idle(), idle(memory_lost=True))
    ),
    "host crash while a person was asked about the verdict": tuple(
        (intent, machine) for intent in NOT_GOOD for machine in (DONE, DONE_AND_OUT, replace(DONE, ledger=None))
    ),
    "the same, and the machine restarted or does not hold the run": (
        *((intent, machine) for intent in NOT_GOOD for machine in NOT_AS_IT_ENDED),
        (replace(NOT_GOOD[1], may_be_emptied=True), blind(idle())),
        (NOT_GOOD[1], blind(idle())),
    ),
    "the same, and the machine can prove no board": tuple((NOT_GOOD[0], blind(machine)) for machine in NOT_AS_IT_ENDED),
    "STOP crosses RUN(DONE)": ((INTENT, DONE),),
    "STOP with a card moving": tuple((INTENT, paused(k, 1, PauseReason.STOP)) for k in range(PACK_SIZE)),
    "STOP or a jam, and the card may be put back (section 5)": tuple(
        (INTENT, changed(paused(k, 1, reason), cannot_go_on=Obstacle.NONE, may=may))
        for k in range(PACK_SIZE)
        for reason, may in (
            (PauseReason.STOP, NextStep.CLOSE | NextStep.GO_ON),
            (PauseReason.FAULT, NextStep.CLOSE | NextStep.CLEAR),
        )
    ),
    "paused where it may not go on (section 5)": tuple(
        (INTENT, found(replace(paused(30).status, cannot_go_on=obstacle), ledger=dropped(30)))
        for obstacle in Obstacle
        if obstacle not in (Obstacle.NONE, Obstacle.BOARD)
    ),
    "board swapped while the cable was out": (
        *((INTENT, other_edges(paused(k))) for k in range(PACK_SIZE)),
        (INTENT, found(replace(paused(30).status, cannot_go_on=Obstacle.BOARD))),
        (INTENT, found(replace(restarted(30).status, board_edges=2), boot_id=BOOT + 1)),
    ),
    "another machine on the port": tuple(
        (INTENT, replace(machine, serial="DM0043")) for machine in (idle(), paused(30), DONE, MOVING, FOREIGN)
    ),
    "machine used without us": ((INTENT, other_odometer(idle())), (BEFORE_GO, other_odometer(idle()))),
    "machine memory lost": (
        (INTENT, idle(memory_lost=True)),
        (BEFORE_GO, idle(memory_lost=True)),
        (INTENT, other_odometer(idle(memory_lost=True, boot_id=77))),
    ),
    "the same, after GO was sent, and another restart since": (
        (INTENT, idle(boot_id=BOOT - 1)),
        (INTENT, idle(boot_id=BOOT + 1_001)),
        (replace(INTENT, odometer=0), idle(odometer=0, boot_id=0xD1CE0000)),
    ),
    "the run ended while we were away": (
        (INTENT, other_odometer(idle(run_end=EndState(State.PAUSED, 30, 0)))),
        (INTENT, other_odometer(idle(run_end=EndState(State.DONE, 52, 0)))),
        (INTENT, idle(run_end=EndState(State.PAUSED, 255, 255), memory_lost=False)),
    ),
    "a run that this journal does not know": (
        (None, FOREIGN),
        (INTENT, FOREIGN),
        (replace(INTENT, closed=True), FOREIGN),
        (None, paused(30)),
    ),
}
"""For each row ("what happened") what journal and machine may show."""

AGAIN = (Choice.DEAL_AGAIN, Choice.SKIP, Choice.STOP)
CHOICES = {
    "deal it · stop": (Choice.GO, Choice.STOP),
    "deal again · go on at k · stop": (Choice.DEAL_AGAIN, Choice.GO_ON, Choice.STOP),
    "deal again · put it back and go on at k · stop": (Choice.DEAL_AGAIN, Choice.GO_ON, Choice.STOP),
    "ask again · stop the motors": (Choice.ASK_AGAIN, Choice.STOP),
    "judged at once; nothing is asked where the board is sensed": (),
    'judged at once; then "is the board out?": still in · out · stop': (
        Choice.BOARD_STILL_IN,
        Choice.BOARD_IS_OUT,
        Choice.STOP,
    ),
    "the ledger decides, never the order of arrival": (),
    "closes by itself": (),
    "judged at once; then what is asked at the end of a board": (),
    "keep it · deal again · stop": (Choice.KEEP, Choice.DEAL_AGAIN, Choice.STOP),
    "deal again · leave it · stop": AGAIN,
    "check hopper and pockets, deal again · leave it · stop": AGAIN,
    "refused": (),
    "clear pockets, path and hopper, then close · stop": (Choice.CLEAR_AND_CLOSE, Choice.STOP),
}
STATE_DECIDES = {"goes on by itself", "see the state found"}
SILENT = {Situation.NOTHING_OPEN, Situation.JUDGED, Situation.OTHER_MACHINE}
"""Situations in which nothing is asked."""


def test_every_row_of_the_page_is_tested() -> None:
    assert list(CASES) == list(ROWS.column("what happened"))
    assert set(ROWS.column("choices, safest first")) == set(CHOICES) | STATE_DECIDES


@pytest.mark.parametrize("row", ROWS.rows, ids=lambda row: row["what happened"])
def test_what_is_found_afterwards_is_concluded_as_its_row_says(row: dict[str, str]) -> None:
    choices = row["choices, safest first"]
    for intent, machine in CASES[row["what happened"]]:
        result = reconcile(intent, machine)

        check(intent, machine, result)
        if choices not in STATE_DECIDES:
            assert result.situation.name == re.match("[A-Z_]+", row["conclusion"])[0]  # type: ignore[index]
            assert result.choices == CHOICES[choices]
            assert not result.board_is_out or machine.status.board_number != 9
        if "k exact" in row["conclusion"]:
            assert result.k == machine.status.index
            assert result.uncertain == ()


def test_an_answer_that_was_lost_never_leads_to_a_second_start_without_a_person() -> None:
    for intent, machine in (*CASES["ARM, GO or their answer lost"], *CASES["5 s without an answer"]):
        result = reconcile(intent, machine)
        if machine.status.run == OURS:
            assert Choice.GO not in result.choices
            assert result.situation is not Situation.NOT_STARTED


POWER_CUT_LEAVES = {
    "k not fed": (0, 0, Sensor(0), Situation.INTERRUPTED),
    "k − 1 in doubt": (-1, 1, Sensor(0), Situation.IN_DOUBT),
    "k in doubt": (0, 1, Sensor(0), Situation.IN_DOUBT),
    "sensor shows it": (0, 0, Sensor.PATH_CARD, Situation.INTERRUPTED),
    "k not fed, which is false": (0, 0, Sensor(0), Situation.INTERRUPTED),
    "k in its pocket": (1, 0, Sensor(0), Situation.INTERRUPTED),
}


@pytest.mark.parametrize("mark", ["last mark kept", "last mark lost"])
@pytest.mark.parametrize("row", POWER_CUTS.rows, ids=lambda row: row["moment"])
def test_a_power_cut_is_concluded_from_what_its_cell_leaves_and_never_claims_the_last_card(
    row: dict[str, str], mark: str
) -> None:
    moved, doubt, sensors, situation = POWER_CUT_LEAVES[row[mark]]
    for k in range(1, PACK_SIZE - 1):
        machine = restarted(k + moved, doubt, sensors=sensors)

        result = reconcile(INTENT, machine)

        assert result.situation is situation
        assert any("one card more" in sentence for sentence in result.uncertain)
        assert ("reader or path" in result.instruction) is bool(sensors)
        assert (Choice.GO_ON in result.choices) is (not doubt)
    assert {cell for other in POWER_CUTS for cell in (other["last mark kept"], other["last mark lost"])} == set(
        POWER_CUT_LEAVES
    )


def test_after_a_restart_without_a_mark_for_each_card_nothing_goes_on_and_nothing_is_called_unstarted() -> None:
    machine = replace(FULL, ledger=LedgerKind.RUN)
    assert reconcile(INTENT, idle(boot_id=BOOT + 1, identity=machine)).situation is Situation.UNKNOWN
    assert reconcile(BEFORE_GO, idle(boot_id=BOOT + 1, identity=machine)).situation is Situation.NOT_STARTED
    assert reconcile(INTENT, idle(identity=machine)).situation is Situation.NOT_STARTED
    lost = replace(restarted(30), identity=machine)
    assert reconcile(INTENT, lost).situation is Situation.CANNOT_GO_ON
    check(INTENT, lost, reconcile(INTENT, lost))
    unknown = replace(lost, status=replace(lost.status, index=255, doubt=255), ledger=None)
    assert reconcile(INTENT, unknown).situation is Situation.UNKNOWN


def test_a_board_whose_cards_this_program_saw_is_never_called_unstarted() -> None:
    assert reconcile(INTENT, idle()).situation is Situation.NOT_STARTED
    assert reconcile(replace(INTENT, cards_seen=True), idle()).situation is Situation.UNKNOWN


@pytest.mark.parametrize("obstacle", [*list(Obstacle)[1:], Code(99)], ids=lambda obstacle: obstacle.name)
def test_no_obstacle_of_the_machine_is_overruled(obstacle: Obstacle | Code) -> None:
    machine = paused(30)
    machine = replace(machine, status=replace(machine.status, cannot_go_on=obstacle))

    result = reconcile(INTENT, machine)

    assert result.choices == AGAIN
    expected = Situation.BOARD_MOVED if obstacle is Obstacle.BOARD else Situation.CANNOT_GO_ON
    assert result.situation is expected


def test_what_the_machine_and_the_journal_say_differently_is_never_resolved_in_favour_of_going_on() -> None:
    ledger_differs = replace(paused(30), ledger=dropped(29))
    assert reconcile(INTENT, ledger_differs).situation is Situation.IN_DOUBT
    assert reconcile(BEFORE_GO, paused(30)).situation is Situation.UNKNOWN
    assert reconcile(BEFORE_GO, DONE).situation is Situation.UNKNOWN
    short = replace(DONE, status=replace(DONE.status, index=51))
    assert reconcile(INTENT, short).situation is Situation.IN_DOUBT
    all_in = restarted(PACK_SIZE)
    assert reconcile(INTENT, all_in).situation is Situation.IN_DOUBT


def test_a_close_whose_mark_was_lost_is_only_repeated() -> None:
    closed = replace(JUDGED, closed=True)
    assert reconcile(closed, DONE).situation is Situation.JUDGED
    check(closed, DONE, reconcile(closed, DONE))
    assert reconcile(closed, idle()).situation is Situation.NOTHING_OPEN
    assert reconcile(closed, idle(serial="DM0043", memory_lost=True)).situation is Situation.NOTHING_OPEN
    assert reconcile(None, idle(memory_lost=True)).choices == ()


def test_the_end_state_is_read_from_the_refusal() -> None:
    def refused(why: int) -> Refused:
        return Refused(int(RequestType.READ_LEDGER), Refusal.RUN_KNOWN, why, index=30, doubt=1)

    assert EndState.from_refusal(refused(2)) == EndState(State.PAUSED, 30, 1)
    assert EndState.from_refusal(refused(9)) == EndState(Code(9), 30, 1)


def test_a_run_that_is_not_ours_hides_how_far_our_board_came_only_when_we_have_begun_one() -> None:
    ours = "How far the board came that this computer began."
    assert ours in reconcile(INTENT, FOREIGN).uncertain
    assert ours not in reconcile(None, FOREIGN).uncertain


def test_a_dealt_board_whose_record_is_short_or_unread_leaves_that_uncertain() -> None:
    def uncertain(ledger: tuple[LedgerRecord, ...] | None) -> str:
        return " ".join(reconcile(INTENT, replace(DONE, ledger=ledger)).uncertain)

    assert "could not be read" in uncertain(None)
    assert "does not show 52" in uncertain(dropped(51))
    whole = uncertain(dropped(PACK_SIZE))
    assert "could not be read" not in whole
    assert "does not show" not in whole


@pytest.mark.parametrize(
    ("sensed", "number", "boot", "edges", "where"),
    [
        (True, 9, BOOT, EDGES, "still lies"),
        (True, 0, BOOT, EDGES, "still lies"),
        (True, 8, BOOT, EDGES, "Which board"),
        (False, 0, BOOT, EDGES, "Which board"),
        (True, 9, BOOT, EDGES + 2, "Which board"),
        (True, 0, BOOT, EDGES + 2, "Which board"),
        (True, 9, BOOT + 1, EDGES, "Which board"),
        (True, 8, BOOT, EDGES + 2, "is out"),
        (True, 8, BOOT + 1, EDGES, "is out"),
        (False, 0, BOOT, EDGES + 1, "is out"),
        (False, 0, BOOT + 1, EDGES, "is out"),
    ],
)
def test_where_a_dealt_board_is_follows_from_sensor_number_and_edges_alone(
    sensed: bool, number: int, boot: int, edges: int, where: str
) -> None:
    sensors = Sensor.BOARD_PRESENT if sensed else Sensor(0)
    machine = replace(changed(DONE, sensors=sensors, board_number=number, board_edges=edges), boot_id=boot)

    result = reconcile(INTENT, machine)

    assert result.situation is Situation.FINISHED
    assert where in " ".join(result.uncertain if where == "Which board" else result.certain)
    assert bool(result.question) is (where == "Which board")
    assert result.board_is_out is (where == "is out")


def test_a_machine_that_does_not_sense_its_board_knows_nothing_of_where_it_is() -> None:
    result = reconcile(INTENT, replace(DONE, identity=UNSENSED))
    assert "Which board" in " ".join(result.uncertain)
    assert result.choices


def test_only_a_single_card_of_an_unfinished_run_without_a_restart_may_be_put_back() -> None:
    def choices(machine: Found) -> tuple[Choice, ...]:
        may_go_on = changed(machine, may=NextStep.CLOSE | NextStep.GO_ON, cannot_go_on=Obstacle.NONE)
        result = reconcile(INTENT, may_go_on)
        assert result.situation is Situation.IN_DOUBT
        return result.choices

    assert Choice.GO_ON in choices(paused(51, 1))
    for machine in (paused(30, 2), paused(PACK_SIZE, 1), restarted(30, 1), replace(paused(30, 1), ledger=dropped(29))):
        assert choices(machine) == AGAIN


def test_a_card_in_doubt_leaves_the_count_of_the_others_certain_unless_the_record_differs() -> None:
    assert "30 cards" in " ".join(reconcile(INTENT, paused(30, 1)).certain)
    assert reconcile(INTENT, replace(paused(30, 1), ledger=dropped(29))).certain == (
        "The machine's record and its count of cards do not agree.",
    )
    assert "1 card lies" in " ".join(reconcile(INTENT, paused(30, 1)).uncertain)
    assert "2 cards lie" in " ".join(reconcile(INTENT, paused(30, 2)).uncertain)


@pytest.mark.parametrize("machine", [replace(paused(30), boot_id=BOOT + 1), paused(30, run_flags=RunFlag.RESTARTED)])
def test_a_restart_is_known_by_the_boot_id_as_well_as_by_the_flag_of_the_run(machine: Found) -> None:
    result = reconcile(INTENT, changed(machine, board_edges=0 if machine.boot_id != BOOT else EDGES))
    assert result.situation is Situation.INTERRUPTED
    assert "restarted" in " ".join(result.uncertain)


def test_before_going_on_a_card_in_sight_is_laid_back_and_what_the_machine_reports_is_put_right() -> None:
    plain = reconcile(INTENT, paused(30))
    assert "reader or path" not in plain.instruction
    assert "reader or in the path" not in plain.text
    assert "Put right" not in plain.instruction
    for sensor in (Sensor.READER_CARD, Sensor.PATH_CARD):
        result = reconcile(INTENT, changed(paused(30), sensors=sensor | Sensor.BOARD_PRESENT))
        assert "reader or path" in result.steps[0]
        assert "reader or in the path" in " ".join(result.certain)
    fault = reconcile(INTENT, changed(paused(30), may=NextStep.CLOSE | NextStep.CLEAR))
    assert fault.situation is Situation.INTERRUPTED
    assert "Put right" in fault.steps[0]


def test_a_machine_that_names_no_obstacle_and_no_way_on_does_not_go_on() -> None:
    result = reconcile(INTENT, changed(paused(30), may=NextStep.CLOSE))
    assert (result.situation, result.choices) == (Situation.CANNOT_GO_ON, AGAIN)


def test_an_end_without_a_count_names_none() -> None:
    assert reconcile(INTENT, idle(run_end=EndState(State.PAUSED, 30, 0))).k == 30
    assert reconcile(INTENT, idle(run_end=EndState(State.PAUSED, 255, 255))).k is None


def test_board_and_copy_are_named_and_the_plan_tag_is_not() -> None:
    result = reconcile(INTENT, paused(30))
    assert result.question.startswith("Board 9, copy A was interrupted after 30 of 52 cards.")
    assert "plan_tag" not in repr(INTENT)
    assert reconcile(replace(INTENT, copy=""), other_edges(DONE)).question == "Is board 9 out of the machine?"


# Every combination


def intents() -> Iterator[Intent | None]:
    yield None
    for go_sent, verdict, closed in product((False, True), (None, *Verdict), (False, True)):
        yield replace(INTENT, go_sent=go_sent, verdict=verdict, closed=closed)
    yield replace(INTENT, verdict=Verdict.NOT_PROVEN, kept=True)


def machines_with_our_run() -> Iterator[Found]:
    reports = [
        status(
            run=OURS, state=state, index=index, doubt=doubt, board_edges=edges, cannot_go_on=obstacle, may=may,
            run_flags=flags, odometer=ODOMETER + 30,
        )
        for state, index, doubt, edges, obstacle, may, flags in product(
            (State.NONE, State.MOVING, State.PAUSED, State.DONE, Code(9)),
            (0, 30, 52, 255),
            (0, 1, 255),
            (0, EDGES, EDGES + 1),
            (Obstacle.NONE, Obstacle.DUPLICATE, Obstacle.BOARD),
            (NextStep.CLOSE | NextStep.GO_ON, NextStep.CLOSE),
            (RunFlag(0), RunFlag.RESTARTED),
        )
    ]  # fmt: skip
    for report, lost, boot in product(reports, (False, True), (BOOT, BOOT + 1)):
        for ledger in (None, dropped(30), dropped(52)):
            yield Found("DM0042", boot, lost, report, None, ledger, FULL)


def other_machines() -> Iterator[Found]:
    reports = [
        status(run=run, state=state, index=index, odometer=odometer, board_edges=edges, may=NextStep.GO_ON)
        for run, state, index, odometer, edges in product(
            (0, OURS, OTHER), State, (0, 52, 255), (ODOMETER - 1, ODOMETER, ODOMETER + 1), (EDGES, EDGES + 1)
        )
    ]
    ends = (None, EndState(State.DONE, 52, 0), EndState(State.PAUSED, 255, 255))
    for report, serial, lost, boot, end in product(
        reports, ("DM0042", "DM0043"), (False, True), (BOOT, BOOT + 1), ends
    ):
        for kind in (LedgerKind.CARD, LedgerKind.RUN, LedgerKind.NONE):
            yield Found(serial, boot, lost, report, end, None, replace(FULL, ledger=kind))


def check(intent: Intent | None, machine: Found, result: Finding) -> None:
    """What holds for every finding: nothing is certain, and no going on is offered, beyond what both sides show."""
    report = machine.status
    open_intent = None if intent is None or intent.closed else intent
    restart = intent is not None and (machine.boot_id != intent.boot_id or RunFlag.RESTARTED in report.run_flags)
    choices, situation = result.choices, result.situation

    assert len(choices) <= 3
    assert len(set(choices)) == len(choices)
    assert bool(result.question) is bool(choices)
    assert choices or situation in SILENT | {Situation.FINISHED}
    assert not (choices and situation in SILENT)
    assert Choice.STOP not in choices[:-1]
    assert not {Choice.GO_ON, Choice.BOARD_IS_OUT} & set(choices[:1])
    assert not set(result.certain) & set(result.uncertain)
    if Choice.GO_ON in choices:
        assert choices == (Choice.DEAL_AGAIN, Choice.GO_ON, Choice.STOP)
        assert open_intent is not None
        assert open_intent.go_sent
        assert open_intent.verdict is None
        assert machine.serial == open_intent.machine_serial
        assert not machine.memory_lost
        assert machine.run_end is None
        assert report.run == open_intent.run
        assert (report.state, report.cannot_go_on) == (State.PAUSED, Obstacle.NONE)
        assert not report.doubt or (report.doubt == 1 and not restart and situation is Situation.IN_DOUBT)
        assert report.may & (NextStep.GO_ON | NextStep.CLEAR)
        assert report.board_edges == (open_intent.board_edges if machine.boot_id == open_intent.boot_id else 0)
        assert result.k == report.index < PACK_SIZE
        ledger = machine.ledger or ()
        assert machine.ledger is None or [record.state for record in ledger].count(RecordState.DROPPED) == report.index
        assert not restart or (machine.identity.ledger is LedgerKind.CARD and result.uncertain)
    if situation is Situation.NOT_STARTED:
        assert open_intent is not None
        assert (report.run, report.state, report.odometer) == (0, State.NONE, open_intent.odometer)
        assert not machine.memory_lost
        assert machine.run_end is None
        assert not (open_intent.go_sent and restart) or machine.identity.ledger is LedgerKind.CARD
    if situation is Situation.FINISHED:
        assert (report.run, report.state, report.index, report.doubt) == (OURS, State.DONE, PACK_SIZE, 0)
        assert not machine.memory_lost
    if situation is Situation.JUDGED:
        assert intent is not None
        assert intent.closed or intent.is_settled
    if situation in (Situation.FINISHED, Situation.NOT_GOOD):
        assert open_intent is not None
        assert not open_intent.is_settled
        assert situation is Situation.FINISHED or open_intent.verdict is not None
    if Choice.KEEP in choices:
        assert open_intent is not None
        assert (situation, open_intent.verdict) == (Situation.NOT_GOOD, Verdict.NOT_PROVEN)
    if situation is Situation.ENDED:
        assert machine.run_end is not None
    assert (situation is Situation.OTHER_MACHINE) is (
        open_intent is not None and machine.serial != open_intent.machine_serial
    )
    if report.run and report.state is State.MOVING and situation is not Situation.OTHER_MACHINE:
        assert situation is Situation.MOVING
    if situation is Situation.MOVING or situation is Situation.FOREIGN_RUN:
        assert report.run
    assert result.certain or situation is Situation.IN_DOUBT
    if situation in {Situation.INTERRUPTED, Situation.CANNOT_GO_ON, Situation.BOARD_MOVED}:
        assert result.k == report.index
        assert not restart or situation is Situation.BOARD_MOVED or "restarted" in " ".join(result.uncertain)
    if situation is Situation.NOT_STARTED:
        assert result.k == 0
    if situation is Situation.ENDED and machine.run_end and machine.run_end.index <= PACK_SIZE:
        assert result.k == machine.run_end.index
    known = {None, 0} if situation is Situation.NOT_STARTED else {None, report.index}
    known |= {machine.run_end.index} if situation is Situation.ENDED and machine.run_end else set()
    assert result.k in known - {255}
    sure = {Situation.NOTHING_OPEN, Situation.NOT_STARTED, Situation.JUDGED, Situation.INTERRUPTED}
    assert result.uncertain or situation in sure | {Situation.CANNOT_GO_ON}
    assert "{" not in result.question + result.instruction
    for doubt in result.uncertain:
        assert doubt.startswith(DOUBTS), "it reads as a sentence behind its mark, and claims nothing"
        assert f"Not certain: {doubt[0].lower()}{doubt[1:]}" in result.text
        assert doubt not in result.text
        assert doubt.count(".") == 1
        assert ":" not in doubt


def test_every_combination_gives_one_situation_that_claims_no_more_than_both_sides_show() -> None:
    reached: Counter[Situation] = Counter()
    every_intent = list(intents())
    for machine in (*machines_with_our_run(), *other_machines()):
        for intent in every_intent:
            result = reconcile(intent, machine)
            check(intent, machine, result)
            reached[result.situation] += 1

    assert set(reached) == set(Situation)
