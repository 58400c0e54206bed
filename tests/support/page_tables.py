"""Which tests read which table of PROTOCOL.md; `tests/vectors/test_protocol_page.py` holds both sides to it.

A new table needs a line here and the test that the line names.
May import: protocol and the standard library. Read next: `tables.py`, `tests/faults/test_page_rules.py`.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Final

from protocol import codes
from protocol.cards import Unproven

CODES: Final[dict[str, type[IntEnum] | type[IntFlag]]] = {
    "Reset causes": codes.ResetCause,
    "Features": codes.Feature,
    "Sensors": codes.Sensor,
    "Run flags": codes.RunFlag,
    "Next steps": codes.NextStep,
    "Routings": codes.Routing,
    "Anomaly modes": codes.AnomalyMode,
    "Confirmations": codes.Confirmation,
    "Record states": codes.RecordState,
    "Proofs": codes.Proof,
    "Refusals": codes.Refusal,
    "Fields of OUT_OF_RANGE": codes.RangeField,
    "Checks": codes.Check,
    "Token ends": codes.TokenEnd,
    "States": codes.State,
    "Pause reasons": codes.PauseReason,
    "Pack ends": codes.PackEnd,
    "Faults": codes.FaultCode,
    "Fault classes": codes.FaultClass,
    "Places": codes.Place,
    "Go-on obstacles": codes.Obstacle,
    "Keys": codes.Key,
    "Cards and pockets": Unproven,
}
"""Tables of codes or bits, and the enum that each one is."""

_PAGE: Final = "tests/vectors/test_protocol_page.py::"
_USB: Final = "tests/vectors/test_page_descriptors.py::"
_RULES: Final = "tests/faults/test_page_rules.py::"
_ARM: Final = "tests/faults/test_page_arm.py::"
_REFUSALS: Final = "tests/faults/test_page_refusals.py::"
_MEMORY: Final = "tests/faults/test_page_memory.py::"
_GO_ON: Final = "tests/faults/test_page_go_on.py::"
_CODES: Final = f"{_PAGE}test_a_table_of_codes_is_the_enum_of_that_name"
_LAYOUTS: Final = (
    f"{_PAGE}test_a_layout_table_is_the_layout_of_its_message",
    f"{_PAGE}test_a_code_or_flags_field_is_of_the_table_that_its_meaning_names",
)
_WITH_LAYOUT: Final = (
    "HELLO", "HELLO_ACK", "STOPPED", "TICK", "LOG",
    "IDENTITY", "STATUS_REPORT", "ARM", "ARMED", "GO", "GOING", "PAUSING", "CLEAR", "CLEARED", "CLOSE", "CLOSED",
    "READ_LEDGER", "LEDGER", "READ_EVENTS", "EVENTS", "REFUSED",
    "BOOT", "RUN", "CARD", "FAULT", "BOARD", "COVER", "HOPPER", "KEY",
)  # fmt: skip

READERS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(_WITH_LAYOUT, _LAYOUTS),
    **dict.fromkeys(CODES, (_CODES,)),
    "Header": (f"{_PAGE}test_the_header_table_is_the_header",),
    "Ledger record": (f"{_PAGE}test_the_ledger_record_table_is_the_record",),
    "Capabilities": (f"{_PAGE}test_the_capabilities_table_is_the_five_enums",),
    "Line and frame": (f"{_PAGE}test_the_limits_table_is_the_constants",),
    "Times": (
        f"{_PAGE}test_the_times_table_is_the_constants_in_milliseconds",
        "tests/faults/test_page_times.py::test_the_machine_keeps_the_time_of_its_row",
    ),
    "Kinds": (f"{_PAGE}test_the_kinds_table_is_the_kinds_and_every_vector_keeps_its_header_rules",),
    "Types": (f"{_PAGE}test_the_types_table_is_the_types_of_requests_answers_and_events",),
    "Faults": (_CODES, f"{_PAGE}test_each_fault_has_the_class_of_its_row_and_says_what_the_motors_do"),
    "Pack ends": (_CODES, f"{_PAGE}test_each_pack_end_is_proven_where_its_row_says_so"),
    "Refusals": (
        _CODES,
        f"{_PAGE}test_each_refusal_names_its_class_and_the_requests_that_it_answers",
        f"{_REFUSALS}test_every_refusal_of_the_page_is_given_as_its_row_says",
    ),
    "Checks of ARM": (
        f"{_PAGE}test_the_checks_of_arm_are_numbered_and_end_in_known_refusals",
        f"{_ARM}test_each_check_of_arm_refuses_as_its_row_says",
    ),
    "The token": (
        f"{_PAGE}test_the_token_table_uses_the_token_ends_and_all_of_them",
        f"{_RULES}test_the_token_lives_and_dies_as_its_row_says",
    ),
    "Confirmations": (_CODES, f"{_RULES}test_a_confirmation_counts_only_where_its_row_says"),
    "Fields of OUT_OF_RANGE": (_CODES, f"{_ARM}test_every_field_that_the_page_names_can_be_out_of_range"),
    "Requests and answers": (f"{_RULES}test_a_request_number_is_treated_as_its_row_says",),
    "Runs": (f"{_PAGE}test_the_table_of_states_is_the_table_that_the_simulated_machine_lives_by",),
    "May a run go on at the same card?": (
        f"{_PAGE}test_the_go_on_table_uses_known_reasons_and_obstacles",
        f"{_GO_ON}test_a_run_goes_on_or_not_as_its_row_says",
    ),
    "Memory": (
        f"{_MEMORY}test_each_mark_is_durable_when_its_row_says",
        f"{_PAGE}test_the_memory_table_is_the_marks_in_their_order_and_each_holds_what_its_row_says",
    ),
    "What GOOD can mean": (
        "tests/unit/test_verification.py::"
        "test_every_never_cell_of_the_visibility_table_is_told_with_the_verdict_and_no_other_cell_is",
        "tests/faults/test_visibility.py::test_a_cell_of_the_table_is_what_happens_at_that_card",
    ),
    "USB ids": (f"{_USB}test_the_ids_of_the_page_are_the_constants_and_stand_in_the_device_descriptor",),
    "USB strings": (f"{_USB}test_the_strings_of_the_page_are_those_that_the_machine_gives",),
    "USB interfaces": (f"{_USB}test_the_interfaces_and_endpoints_of_the_page_are_those_of_the_configuration",),
    "USB endpoints": (f"{_USB}test_the_interfaces_and_endpoints_of_the_page_are_those_of_the_configuration",),
    "USB requests": (f"{_USB}test_each_request_of_the_page_is_answered_with_the_bytes_of_the_page",),
    "Fault model": (
        "tests/campaign/test_ten_thousand_boards.py::test_the_page_tells_the_model_that_boards_are_dealt_under",
    ),
    "Restart, reconnect, and what is found afterwards": (
        "tests/unit/test_reconcile.py::test_every_row_of_the_page_is_tested",
    ),
    "Restart, reconnect, and what is found afterwards / 2": (f"{_MEMORY}test_a_power_cut_leaves_what_its_cell_says",),
}
"""For each table (`Table.key`) the tests that read it."""
