"""The twelve machines and hosts that are broken on purpose, and the tests that find each of them.

Read next: `plugin.py`, which puts one in place of the right one, and `test_each_is_caught.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from driver import runner, verification
from firmware_sim import core
from firmware_sim.core import SimMachine
from tests.mutants import wrong_hosts
from tests.support import wrong_machines as machines


@dataclass(frozen=True, slots=True)
class Broken:
    """One wrong machine or host: `install` puts it in place; each of the tests `caught_by` must then fail."""

    install: Callable[[], None]
    caught_by: tuple[str, ...]


def _machine(wrong: type[SimMachine]) -> Callable[[], None]:
    """Every module that is imported from now on finds the wrong machine where the right one was."""
    return partial(setattr, core, "SimMachine", wrong)


_PROMISE: Final = "tests/faults/test_one_promise.py"
_RULES: Final = "tests/faults/test_page_rules.py"
_CONNECTION: Final = "tests/faults/test_page_connection.py"
_MEMORY: Final = "tests/faults/test_page_memory.py"
_SIM_CONNECTION: Final = "tests/unit/test_sim_connection.py"
_SIM_RESTART: Final = "tests/unit/test_sim_restart.py"
_VERIFICATION: Final = "tests/unit/test_verification.py"

BROKEN: Final = {
    "executes duplicates": Broken(
        _machine(machines.ExecutesDuplicates),
        (
            f"{_PROMISE}::test_a_go_that_comes_twice_begins_motion_once",
            f"{_RULES}::test_a_request_number_is_treated_as_its_row_says[last, the same]",
            f"{_SIM_CONNECTION}::test_the_same_bytes_get_the_stored_answer_and_execute_nothing",
        ),
    ),
    "accepts old numbers": Broken(
        _machine(machines.AcceptsOldNumbers),
        (
            f"{_RULES}::test_a_request_number_is_treated_as_its_row_says[any other, any]",
            f"{_SIM_CONNECTION}::test_a_number_that_is_neither_the_last_nor_the_next_is_dropped_and_counted",
        ),
    ),
    "token survives an opened cover": Broken(
        _machine(machines.TokenSurvivesCover),
        (f"{_PROMISE}::test_a_token_is_dead_once_the_cover_was_opened_even_when_it_is_closed_again",),
    ),
    "motion without a new ARM": Broken(
        _machine(machines.MovesWithoutArm),
        (
            f"{_PROMISE}::test_nothing_moves_after_a_fault_was_cleared_until_a_new_arm_and_go",
            f"{_RULES}::test_a_fault_is_taken_back_by_its_event_number_and_nothing_moves",
        ),
    ),
    "ledger written before the card left": Broken(
        _machine(machines.LedgerBeforeCard),
        (
            f"{_PROMISE}::test_a_card_is_told_and_counted_only_when_it_is_in_its_pocket",
            f"{_CONNECTION}::test_a_card_that_had_passed_the_gate_when_stop_came_is_in_doubt",
            f"{_MEMORY}::test_a_power_cut_leaves_what_its_cell_says[past the gate, DROP not written-last mark kept]",
        ),
    ),
    "events restart silently": Broken(
        _machine(machines.EventsRestart),
        (
            f"{_PROMISE}::test_the_events_of_one_boot_are_numbered_on_from_run_to_run",
            "tests/unit/test_sim_runs.py::test_the_ring_keeps_the_last_events_and_says_which_is_the_oldest",
        ),
    ),
    "STOP ignored when busy": Broken(
        _machine(machines.IgnoresStopWhenBusy),
        (
            f"{_CONNECTION}::test_stop_works_at_any_moment_with_or_without_a_connection_and_is_confirmed_each_time",
            f"{_CONNECTION}::test_a_stop_whose_number_was_seen_before_stops_again",
        ),
    ),
    "STOPPED without its number": Broken(
        _machine(machines.StoppedWithoutNumber),
        (
            f"{_CONNECTION}::test_stop_works_at_any_moment_with_or_without_a_connection_and_is_confirmed_each_time",
            f"{_SIM_CONNECTION}::test_stop_is_answered_with_its_own_number_without_any_connection",
        ),
    ),
    "constant boot id": Broken(
        _machine(machines.ConstantBootId),
        (
            f"{_MEMORY}::test_the_boot_id_grows_by_one_at_every_reset_of_whatever_cause",
            f"{_MEMORY}::test_a_power_cut_right_after_a_reset_repeats_no_boot_id",
            f"{_SIM_RESTART}::test_a_lost_last_mark_never_repeats_a_boot_id",
        ),
    ),
    '"no run" after lost memory': Broken(
        _machine(machines.NoRunAfterLostMemory),
        (
            f"{_MEMORY}::test_a_blank_or_torn_memory_is_memory_lost_with_another_boot_id_and_no_run",
            f"{_SIM_RESTART}::test_torn_or_blank_memory_is_told_and_no_run_is_known",
        ),
    ),
    "host retries under a new run": Broken(
        partial(setattr, runner, "Dealing", wrong_hosts.RetriesUnderANewRun),
        tuple(
            "tests/faults/test_lost_answers.py::"
            f"test_a_run_keeps_its_id_when_the_link_is_given_up_before_its_answer_came[{lost}]"
            for lost in ("ARM-request", "ARM-answer", "GO-request")
        ),
    ),
    "host trusts counts without identities": Broken(
        partial(setattr, verification, "card_reasons", wrong_hosts.counts_alone),
        (
            f"{_VERIFICATION}::test_good_means_that_the_pockets_equal_the_deal_when_the_evidence_is_honest",
            f"{_VERIFICATION}::test_one_card_that_is_not_as_it_should_be_gives_the_verdict_of_the_rules_at_every_index"
            "[unreadable]",
            f"{_VERIFICATION}::test_two_readings_exchanged_within_a_pocket_do_not_matter_and_across_pockets_are_shown_wrong",
        ),
    ),
}
"""Each by its name in the list of what must be found. A test without parameters in brackets means all of them."""
