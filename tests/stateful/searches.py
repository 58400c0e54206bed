"""Runs the rules of a state machine: so many examples, each of so many steps.

May import: hypothesis. Read next: `both_ends.py` and `queue_rules.py`, whose rules these are.
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def run_machine(rules: type[RuleBasedStateMachine], examples: int, steps: int, drawn_from: int | None) -> None:
    """The examples that hypothesis draws from that seed; None = always the same few."""
    run_state_machine_as_test(
        rules if drawn_from is None else seed(drawn_from)(rules),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=drawn_from is None,
            database=None,
            deadline=None,
            print_blob=True,
            report_multiple_bugs=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        ),
    )
