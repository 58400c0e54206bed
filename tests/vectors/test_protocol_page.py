"""Every table of PROTOCOL.md against the code: layouts, codes, limits, times, kinds, types; and who reads the others.

Read next: `tests/support/page_tables.py` (each table and the tests that read it), `tests/faults/test_page_rules.py`
(the rules of the page, acted out on the simulated machine).
"""

from __future__ import annotations

import ast
import inspect
import re
from enum import IntEnum, IntFlag
from typing import Any

import pytest
from construct import Bytes, Const, FormatField, Rebuild

from firmware_sim import recall
from firmware_sim.memory import MarkKind
from firmware_sim.state import TRANSITIONS, Happening
from protocol import codes, constants
from protocol.cards import Seat, Unproven
from protocol.fields import (
    RECORD_SIZE,
    CodeField,
    EventEntries,
    FlagField,
    FlagsField,
    LedgerRecord,
    LedgerRecords,
    TextField,
)
from protocol.framing import HEADER, MAX_RUN
from protocol.messages import MESSAGES, Answer, Event, Request
from tests.support.page_tables import CODES, READERS
from tests.support.tables import PAGE, page_table, page_tables, section
from tests.support.vectors import heading_of, vectors

ROOT = PAGE.parents[1]
TYPES_ON_WIRE = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
CAPABILITIES: dict[str, type[IntEnum]] = {
    "recognition": codes.Recognition,
    "ledger": codes.LedgerKind,
    "pockets": codes.PocketSensing,
    "board": codes.BoardSensing,
    "hopper": codes.HopperSensing,
}
LAYOUT_COLUMNS = ("offset", "size", "field", "type", "meaning")


LAYOUTS = {heading_of(cls): cls for cls in MESSAGES}
every_message = pytest.mark.parametrize("heading", LAYOUTS)


def type_of(field: Any) -> str:
    """The page's word for the type of a construct field."""
    if isinstance(field, FormatField | Rebuild):
        return TYPES_ON_WIRE[field.sizeof()]
    known: dict[type, str] = {
        Bytes: "bytes", Const: "bytes", LedgerRecords: "bytes", EventEntries: "bytes",
        CodeField: "code", FlagField: "flag", FlagsField: "flags", TextField: "text",
    }  # fmt: skip
    return known[type(field)]


# Layouts


@every_message
def test_a_layout_table_is_the_layout_of_its_message(heading: str) -> None:
    cls = LAYOUTS[heading]
    subcons = list(cls.layout.subcons)
    if not subcons:
        assert heading not in page_tables()
        assert "No payload." in section(heading)
        return
    table = page_table(heading)
    assert table.columns == LAYOUT_COLUMNS
    assert table.column("field") == tuple(sub.name for sub in subcons)
    offset = 0
    for row, sub in zip(table, subcons, strict=True):
        assert row["offset"] == str(offset)
        assert row["type"] == type_of(sub.subcon), row["field"]
        if isinstance(sub.subcon, LedgerRecords | EventEntries):
            assert row["size"] == f"{RECORD_SIZE if isinstance(sub.subcon, LedgerRecords) else 15}·count"
            assert sub is subcons[-1]
        else:
            assert row["size"] == str(sub.sizeof()), row["field"]
            offset += sub.sizeof()


@every_message
def test_a_code_or_flags_field_is_of_the_table_that_its_meaning_names(heading: str) -> None:
    if heading not in page_tables():
        return
    enums = {name.lower(): codes for name, codes in CODES.items()}
    for row, sub in zip(page_table(heading), LAYOUTS[heading].layout.subcons, strict=True):
        if row["type"] not in ("code", "flags"):
            continue
        used = sub.subcon.codes if row["type"] == "code" else sub.subcon.flags
        named = re.split(r"[,;(]| of a person", row["meaning"])[0].strip()
        if named == "capabilities":
            assert used is CAPABILITIES[row["field"]]
        elif named in enums:
            assert used is enums[named], (heading, row["field"])
        else:
            assert (heading, row["field"], used) in MEANINGS_WITHOUT_A_TABLE_NAME


MEANINGS_WITHOUT_A_TABLE_NAME = {
    ("STATUS_REPORT", "cannot_go_on", codes.Obstacle),
    ("GOING", "state", codes.State),
    ("PAUSING", "state", codes.State),
    ("CLOSED", "state", codes.State),
}


def test_the_header_table_is_the_header() -> None:
    offset = 0
    table = page_table("Header")
    for row, sub in zip(table, HEADER.subcons, strict=True):
        assert (row["offset"], row["size"], row["field"], row["type"]) == (
            str(offset), str(sub.sizeof()), sub.name, TYPES_ON_WIRE[sub.sizeof()],
        )  # fmt: skip
        offset += sub.sizeof()
    assert offset == constants.HEADER_SIZE


def test_the_ledger_record_table_is_the_record() -> None:
    table = page_table("Ledger record")
    assert table.column("offset") == ("0", "1", "2", "3")
    assert set(table.column("size")) == {"1"}
    assert set(table.column("type")) == {"u8"}
    assert [row["meaning"] for row in table][2:] == [
        "pocket in bits 0-1, proof in bits 2-7",
        "record state in bits 0-3, feeds of this index in bits 4-7",
    ]
    everything = LedgerRecord.from_bytes(bytes((17, 99, 0b01111110, 0b11110010)))
    assert (everything.identity, everything.confidence, everything.pocket) == (17, 99, 2)
    assert (int(everything.proof), int(everything.state), everything.attempts) == (0b11111, 2, 15)


def test_no_event_payload_is_longer_than_the_page_allows() -> None:
    assert "No event payload is longer than 14 bytes." in PAGE.read_text(encoding="utf-8")
    assert max(cls.layout.sizeof() for cls in MESSAGES if issubclass(cls, Event)) <= constants.EVENT_DATA_SIZE == 14


# Codes, bits, kinds, types


@pytest.mark.parametrize("heading", CODES)
def test_a_table_of_codes_is_the_enum_of_that_name(heading: str) -> None:
    table = page_table(heading)
    codes = CODES[heading]
    if issubclass(codes, IntFlag):
        assert table.columns[:2] == ("bit", "name")
        assert {row["name"]: 1 << int(row["bit"]) for row in table} == {bit.name: int(bit) for bit in codes}
    else:
        assert table.columns[:2] == ("code", "name")
        on_page = {row["name"]: int(row["code"]) for row in table}
        if "NONE" not in on_page and "NONE" in codes.__members__:
            on_page["NONE"] = 0
        assert on_page == {code.name: int(code) for code in codes}
    numbers = [int(row[table.columns[0]]) for row in table]
    assert numbers == sorted(numbers)


def test_the_capabilities_table_is_the_five_enums() -> None:
    on_page = [(row["field"], int(row["code"]), row["name"]) for row in page_table("Capabilities")]
    assert on_page == [(field, int(code), code.name) for field, codes in CAPABILITIES.items() for code in codes]


def test_the_limits_table_is_the_constants() -> None:
    assert {row["limit"]: int(row["bytes"]) for row in page_table("Line and frame")} == {
        "header": constants.HEADER_SIZE,
        "payload": constants.MAX_PAYLOAD,
        "crc": constants.CRC_SIZE,
        "frame": constants.MAX_FRAME,
        "wire": constants.MAX_WIRE,
    }
    assert f"A run longer than {MAX_RUN} bytes is not a frame" in section("Line and frame").replace("\n  ", " ")


def test_the_times_table_is_the_constants_in_milliseconds() -> None:
    table = page_table("Times")
    assert set(table.column("unit")) == {"ms"}
    assert set(table.column("who")) == {"host", "machine"}
    for row in table:
        assert getattr(constants, row["time"]) == int(row["value"]), row["time"]
    source = (ROOT / "protocol" / "constants.py").read_text(encoding="utf-8")
    times = source.split("# The table *Times*")[1].split("@unique")[0]
    assert tuple(re.findall(r"^([A-Z_]+): Final", times, re.MULTILINE)) == table.column("time")


def test_the_kinds_table_is_the_kinds_and_every_vector_keeps_its_header_rules() -> None:
    table = page_table("Kinds")
    assert {row["name"]: int(row["kind"], 16) for row in table} == {kind.name: int(kind) for kind in codes.Kind}
    rows = {row["name"]: row for row in table}
    for kind in codes.Kind:
        assert rows[kind.name]["direction"] == ("machine to host" if kind.from_machine else "host to machine")
    for vector in vectors():
        row = rows[vector.kind.name]
        if row["number in header"] == "0":
            assert vector.number == 0, vector.name
        if row["connection in header"] == "0":
            assert vector.connection == 0, vector.name
        elif row["connection in header"] == "its connection":
            assert vector.connection, vector.name


def test_the_types_table_is_the_types_of_requests_answers_and_events() -> None:
    table = page_table("Types")
    for column, root in (("request", Request), ("answer", Answer), ("event", Event)):
        on_page = {row[column]: int(row["type"]) for row in table if row[column] and "(reserved)" not in row[column]}
        assert on_page == {heading: int(cls.type) for heading, cls in LAYOUTS.items() if issubclass(cls, root)}
    reserved = {row["request"].split()[0] for row in table if "(reserved)" in row["request"]}
    assert reserved == {request.name for request in codes.RESERVED_REQUESTS}
    assert {request.name: int(request) for request in codes.RequestType} == {
        row["request"].split()[0]: int(row["type"]) for row in table if row["request"]
    }
    assert {event.name: int(event) for event in codes.EventType} == {
        row["event"]: int(row["type"]) for row in table if row["event"]
    }


# Words in the other columns


def test_each_fault_has_the_class_of_its_row_and_says_what_the_motors_do() -> None:
    table = page_table("Faults")
    assert {row["name"]: row["class"] for row in table} == {
        fault.name: fault_class.name for fault, fault_class in codes.FAULT_CLASS.items()
    }
    assert set(table.column("motors")) <= {"halt", "finish"}


def test_each_pack_end_is_proven_where_its_row_says_so() -> None:
    for row in page_table("Pack ends"):
        assert codes.PackEnd[row["name"]].proven == (row["proven"] == "yes"), row["name"]


def test_each_refusal_names_its_class_and_the_requests_that_it_answers() -> None:
    requests = {request.name for request in codes.RequestType}
    for row in page_table("Refusals"):
        assert row["class"] in ("wrong", "not now")
        assert row["by"] == "any" or set(row["by"].split(", ")) <= requests, row["name"]
        assert row["what the host does"]


def test_the_checks_of_arm_are_numbered_and_end_in_known_refusals() -> None:
    table = page_table("Checks of ARM")
    assert table.column("order") == tuple(str(number) for number in range(1, len(table) + 1))
    assert set(table.column("for")) <= {"both", "new", "on"}
    for row in table:
        assert row["refusal"] in codes.Refusal.__members__
    by_arm = {row["name"] for row in page_table("Refusals") if row["by"].startswith("ARM")}
    assert by_arm <= set(table.column("refusal"))


def test_the_token_table_uses_the_token_ends_and_all_of_them() -> None:
    table = page_table("The token")
    ends = {row["why in TOKEN_DEAD"] for row in table if row["the token is then"] != "alive"}
    assert ends == set(codes.TokenEnd.__members__)
    assert all(row["why in TOKEN_DEAD"] == "" for row in table if row["the token is then"] == "alive")


def test_the_go_on_table_uses_known_reasons_and_obstacles() -> None:
    causes = {*codes.PauseReason.__members__, *codes.FaultCode.__members__}
    for row in page_table("May a run go on at the same card?"):
        assert row["paused because"] in causes
        assert row["routing"] in ("any", "BY_IDENTITY", "BY_ORDER")
        assert (row["go on"], bool(row["obstacle"])) in (("yes", False), ("no", True))
        assert row["obstacle"] == "" or row["obstacle"] in codes.Obstacle.__members__


def test_the_go_on_table_speaks_of_every_pause_reason_and_every_fault_that_halts_a_run() -> None:
    causes = set(page_table("May a run go on at the same card?").column("paused because"))
    reasons = set(codes.PauseReason.__members__) - {"NONE", "FAULT"}
    faults = set(codes.FaultCode.__members__) - {"NONE", "MEMORY"}
    assert causes == reasons | faults


def test_the_drawing_of_states_shows_each_state_and_what_leads_from_one_to_another() -> None:
    (drawing,) = re.findall(r"^```\n(.*?)^```$", section("Runs"), re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"\b[A-Z]{3,}\b", drawing)) - {"CLOSE", "ARM"} == {state.name for state in codes.State}
    for words in ("GO", "pause", "fault", "52 proven", "restart", "CLOSE", "(after a new ARM)"):
        assert words in drawing, words


def test_the_memory_table_is_the_marks_in_their_order_and_each_holds_what_its_row_says() -> None:
    table = page_table("Memory")
    assert table.column("mark") == tuple(mark.name for mark in MarkKind)
    for row in table:
        assert set(row["holds"].split(", ")) == set(HELD[MarkKind[row["mark"]]]), row["mark"]
        source = inspect.getsource(getattr(recall, f"{row['mark'].lower()}_mark"))
        written = source.rpartition('"""')[2]
        for item, code in HELD[MarkKind[row["mark"]]].items():
            assert re.search(rf"\b{re.escape(code)}\b", written), f"{row['mark']} does not hold the {item}"


HELD = {
    MarkKind.BOOT: {"boot id": "boot_id", "odometer": "odometer"},
    MarkKind.STARTED: {
        "run": "run.id",
        "plan tag": "run.plan_tag",
        "board": "run.board",
        "routing": "run.routing",
        "anomaly mode": "run.on_anomaly",
        "more packs": "run.more_packs",
        "odometer": "odometer",
    },
    MarkKind.FEED: {"k": "index", "attempt": "attempt", "odometer": "odometer"},
    MarkKind.DROP: {"k": "index", "the ledger record": "record"},
    MarkKind.WHOLE: {"the whole ledger": "run.ledger.whole", "odometer": "odometer", "pack end": "run.pack_end"},
    MarkKind.PAUSED: {
        "index": "run.shown_index",
        "reason": "run.reason",
        "doubt": "doubt",
        "obstacle": "run.barred",
        "odometer": "odometer",
    },
    MarkKind.ENDED: {
        "run": "end.run",
        "end state": "end.state",
        "index": "end.index",
        "doubt": "end.doubt",
        "odometer": "odometer",
    },
}
"""What each mark holds, in the page's words and in those of `firmware_sim/recall.py`."""


def test_the_table_of_states_is_the_table_that_the_simulated_machine_lives_by() -> None:
    on_page = {}
    for row in page_table("Runs"):
        whole = row["what happens"] in HAPPENINGS
        for words in [row["what happens"]] if whole else row["what happens"].split(", "):
            on_page[codes.State[row["from"]], HAPPENINGS[words]] = codes.State[row["to"]]
    assert on_page == TRANSITIONS
    assert set(HAPPENINGS.values()) == set(Happening)


HAPPENINGS = {
    "GO": Happening.GO,
    "PAUSE": Happening.PAUSE,
    "no frame of the host": Happening.HOST_LOST,
    "another connection": Happening.HOST_CHANGED,
    "fault": Happening.FAULT,
    "STOP": Happening.STOP,
    "the 52nd card is proven, the whole ledger is durable": Happening.FINISHED,
    "restart": Happening.RESTART,
    "CLOSE": Happening.CLOSE,
}
"""The words of the table *Runs*."""


def test_pockets_are_the_seats_of_the_same_number() -> None:
    assert "Pockets 0…3 are N E S W" in section("Cards and pockets")
    assert [seat.letter for seat in Seat] == ["N", "E", "S", "W"]
    assert CODES["Cards and pockets"] is Unproven


# Every table has its reader


def test_every_table_of_the_page_is_claimed_by_a_test_and_every_claim_has_its_table() -> None:
    assert set(READERS) == set(page_tables())


@pytest.mark.parametrize("key", READERS)
def test_the_test_that_claims_a_table_exists_and_its_file_reads_the_page(key: str) -> None:
    assert READERS[key]
    for node in READERS[key]:
        file, _, function = node.partition("::")
        path = ROOT / file
        assert path.is_file(), f"{file}, which is to read the table {key!r}, does not exist"
        source = path.read_text(encoding="utf-8")
        functions = {part.name for part in ast.walk(ast.parse(source)) if isinstance(part, ast.FunctionDef)}
        assert function in functions, f"{node}, which is to read the table {key!r}, does not exist"
        assert "tests.support.tables" in source, f"{file} does not read the page"
