"""Every diagnosis of `dealctl doctor`, each from the facts of a computer as they would be recorded into a file.

Read next: `driver/plugged_in/diagnosis.py`, `tests/support/facts.py`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from driver.catalogue import Kind, entry
from driver.cli.main import main
from driver.errors import BadSyntax, ConfigError
from driver.plugged_in.candidates import Known, Wanted
from driver.plugged_in.diagnosis import INSTALL_LIBUSB, Step, Trouble, diagnose
from driver.plugged_in.facts import DeviceFacts, Facts, KernelLine, from_text, to_text
from driver.plugged_in.rules import RULES_FILE, rules_text
from driver.transport.holder import Holder
from driver.transport.sysfs import UsbDevice
from tests.cli.program import ROOT
from tests.support.facts import (
    BOTH,
    NOBODY,
    adapter_device,
    answers,
    computer,
    machine_device,
    node,
    port,
)

ACM0 = port("/dev/ttyACM0", machine_device())
ACM1 = port("/dev/ttyACM1", machine_device("DM0043", "1-3"))
USB0 = port("/dev/ttyUSB0", adapter_device())
BULK = machine_device(bulk_only=True)
TAKEN = (
    KernelLine(100.0, "usb 1-1: ch341-uart converter now attached to ttyUSB0"),
    KernelLine(100.4, "usb 1-1: usbfs: interface 0 claimed by ch341 while 'brltty' sets config #1"),
    KernelLine(100.5, "ch341-uart ttyUSB0: ch341-uart converter now disconnected from ttyUSB0"),
)
GONE = replace(port("/dev/ttyUSB0", UsbDevice(0, 0, "/dev/ttyUSB0")), node=node("/dev/ttyUSB0", there=False))
"""A port that is only named: it is not there."""
LATE = "/etc/udev/rules.d/99-dealing-machine.rules"


def denied(group: str = "dialout", *, links: bool = True) -> Facts:
    """A machine whose port this user may not open."""
    return computer(port("/dev/ttyACM0", machine_device(), links=links, may_open=False, group=group), user=NOBODY)


def denied_adapter(group: str = "dialout", **more: object) -> Facts:
    facts = computer(port("/dev/ttyUSB0", adapter_device(), may_open=False, group=group), rules=(), user=NOBODY)
    return replace(facts, **more)  # type: ignore[arg-type]


def held(name: str) -> Facts:
    return computer(port("/dev/ttyACM0", machine_device(), holder=Holder(name, 4711)))


def missing(sandbox: str) -> Facts:
    gone = replace(ACM0, node=replace(ACM0.node, there=False, may_open=False, group=""))
    return replace(computer(gone), sandbox=sandbox)


def bulk(**more: object) -> Facts:
    facts = computer(devices=(DeviceFacts(BULK, node(BULK.node, group="root")),))
    return replace(facts, **more)  # type: ignore[arg-type]


def talked(code: str = "", **more: object) -> Facts:
    return replace(computer(ACM0, talk=answers(code=code)), **more)  # type: ignore[arg-type]


CASES: dict[Trouble, list[tuple[Facts, str]]] = {
    Trouble.NOTHING_SEEN: [(computer(), ""), (computer(sandbox="container"), "")],
    Trouble.ONLY_OTHERS: [(computer(others=(UsbDevice(0x046D, 0xC52B, "1-5"),)), "")],
    Trouble.NAMED_NOT_THERE: [
        (computer(ACM0), "Max"),
        (computer(GONE), "/dev/ttyUSB0"),
        (computer(talk=answers("tcp:127.0.0.1:1", code="DM201")), "tcp:127.0.0.1:1"),
    ],
    Trouble.BRLTTY: [
        (computer(log=TAKEN), ""),
        (computer(log=(TAKEN[0], TAKEN[2]), programs=("brltty",)), ""),
        (computer(GONE, log=TAKEN), "/dev/ttyUSB0"),
    ],
    Trouble.SNAP: [
        (computer(sandbox="snap"), ""),
        (missing("snap"), ""),
        (replace(denied(), sandbox="snap"), ""),
        (talked("DM202", sandbox="snap"), ""),
    ],
    Trouble.FLATPAK: [(missing("flatpak"), ""), (replace(denied(), sandbox="flatpak"), "")],
    Trouble.CONTAINER: [
        (missing("container"), ""),
        (replace(denied(""), sandbox="container"), ""),
        (talked("DM202", sandbox="container"), ""),
    ],
    Trouble.TEST_NUMBERS: [(computer(ACM0), "without"), (computer(USB0, ACM0), "without")],
    Trouble.SAY_WHICH: [(computer(ACM0, ACM1), ""), (computer(ACM0, ACM1), "Card dealing")],
    Trouble.WHICH_ADAPTER: [(computer(USB0), "")],
    Trouble.NO_DRIVER: [
        (
            Facts("win32", devices=(DeviceFacts(replace(BULK, interfaces=(), problem="no driver")),), libusb=True),
            "",
        ),
        (Facts("win32", devices=(DeviceFacts(replace(adapter_device(), problem="no driver")),)), ""),
        (bulk(system="win32", talk=answers("usb:DM0042", code="DM205")), ""),
    ],
    Trouble.NO_PORT: [(computer(devices=(DeviceFacts(replace(machine_device(), interfaces=BOTH[:2])),)), "")],
    Trouble.NODE_MISSING: [(missing(""), "")],
    Trouble.NO_LIBUSB: [(bulk(libusb=False), ""), (bulk(talk=answers("usb:DM0042", code="DM205")), "")],
    Trouble.NO_RULE: [
        (replace(denied(), rules=()), ""),
        (bulk(rules=(), devices=(DeviceFacts(BULK, node(BULK.node, group="root", may_open=False)),)), ""),
        (computer(ACM0, rules=()), "usb:DM0042"),
    ],
    Trouble.RULE_TOO_LATE: [(replace(denied(), rules=(LATE,)), "")],
    Trouble.RULE_NOT_USED: [(denied(links=False), "")],
    Trouble.NOT_IN_GROUP: [
        (denied("dialout"), ""),
        (denied_adapter("dialout"), "ttyUSB0"),
        (denied_adapter("uucp", distribution="arch"), "ttyUSB0"),
        (denied_adapter("tty", distribution="gentoo"), "ttyUSB0"),
    ],
    Trouble.GROUP_NOT_ACTIVE: [
        (denied_adapter("uucp", user=replace(NOBODY, written_groups=("uucp",))), "ttyUSB0"),
        (replace(denied("dialout"), user=replace(NOBODY, written_groups=("dialout",)), rules=()), ""),
    ],
    Trouble.OWNER_UNKNOWN: [(denied_adapter(""), "ttyUSB0"), (denied_adapter("root"), "ttyUSB0")],
    Trouble.KEPT_AWAY: [(talked("DM202"), "")],
    Trouble.MODEM_MANAGER: [(held("ModemManager"), "")],
    Trouble.BRLTTY_HOLDS: [(held("brltty"), "")],
    Trouble.HELD: [(held("screen"), ""), (talked("DM203"), "")],
    Trouble.SILENT: [(talked("DM302"), "")],
    Trouble.NO_ANSWER: [(talked("DM301"), ""), (talked("DM204"), "")],
    Trouble.MODEM_MANAGER_NEAR: [(talked("DM302", programs=("ModemManager",)), "")],
    Trouble.OTHER_MACHINE: [(talked("DM306"), "")],
    Trouble.WE_ARE_OLDER: [(computer(ACM0, talk=answers(code="DM103", update_side="program")), "")],
    Trouble.IT_IS_OLDER: [(computer(ACM0, talk=answers(code="DM103", update_side="machine")), "")],
    Trouble.RESTARTS: [(computer(ACM0, talk=answers(restarted=True)), "")],
    Trouble.NOTHING: [(talked(), ""), (computer(talk=answers("tcp:127.0.0.1:7001")), "tcp:127.0.0.1:7001")],
}
"""For each trouble the computers that have it, and what --machine says ("without": not even the test numbers)."""
ALL = [
    pytest.param(trouble, facts, name, id=f"{trouble.name} {number}")
    for trouble, cases in CASES.items()
    for number, (facts, name) in enumerate(cases, start=1)
]


def test_every_trouble_has_a_computer_that_has_it() -> None:
    assert set(CASES) == set(Trouble)
    assert all(CASES.values())


@pytest.mark.parametrize(("trouble", "facts", "name"), ALL)
def test_the_first_thing_wrong_is_told_from_a_recorded_file(
    trouble: Trouble, facts: Facts, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "facts.json"
    file.write_text(to_text(facts), encoding="ascii")
    words = ["--machine", name] if name not in ("", "without") else []
    words += [] if name == "without" else ["--test-machine"]
    code = main(["doctor", "--facts", str(file), "--json", *words])
    as_json = json.loads(capsys.readouterr().out)
    main(["doctor", "--facts", str(file), *words])
    shown = capsys.readouterr().out

    assert as_json["code"] == trouble.name
    assert code == (0 if trouble in (Trouble.NOTHING, Trouble.RESTARTS) else 3)
    assert as_json["text"] in shown
    assert as_json["command"] in shown
    assert "{" not in shown
    assert shown.count(as_json["text"]) == 1


@pytest.mark.parametrize("trouble", Trouble, ids=lambda trouble: trouble.name)
def test_a_trouble_is_one_sentence_with_one_step_and_at_most_one_command(trouble: Trouble) -> None:
    told = entry(Kind.DOCTOR, trouble.name)

    assert told.sentence.count(". ") == 0
    assert len(told.steps) == 1
    assert "\n" not in told.command
    assert "666" not in told.command


def test_the_steps_come_in_the_order_from_the_cable_up() -> None:
    steps = [trouble.step for trouble in Trouble if trouble not in (Trouble.FLATPAK, Trouble.CONTAINER)]

    assert steps == sorted(steps)
    assert list(Step) == sorted(Step)


def test_the_first_thing_wrong_hides_what_comes_after_it() -> None:
    wrong = port("/dev/ttyACM0", machine_device(), may_open=False, holder=Holder("screen", 9))
    facts = computer(wrong, user=NOBODY, rules=(), talk=answers(code="DM302"), libusb=False)

    assert diagnose(facts, Wanted(test_machines=True)).trouble is Trouble.NO_RULE
    assert diagnose(replace(facts, ports=(), devices=())).trouble is Trouble.NOTHING_SEEN


def test_a_device_of_another_kind_without_a_driver_is_not_blamed() -> None:
    camera = replace(adapter_device(), vendor=0x046D, problem="no driver")

    assert diagnose(Facts("win32", devices=(DeviceFacts(camera),))).trouble is Trouble.ONLY_OTHERS


def test_with_nothing_wrong_on_the_way_the_machine_has_to_be_asked() -> None:
    found = diagnose(computer(ACM0), Wanted(test_machines=True))

    assert found.is_open_question
    assert found.candidate is not None
    assert found.candidate.url == "serial:/dev/ttyACM0"


@pytest.mark.parametrize(
    "facts", [facts for trouble, cases in CASES.items() if trouble.step < Step.ANSWER for facts, _ in cases]
)
def test_before_the_machine_is_asked_nothing_that_was_found_wrong_lets_it_be_opened(facts: Facts) -> None:
    facts = replace(facts, talk=None)

    if facts.ports and facts.ports[0].node.holder is not None:
        assert not diagnose(facts, Wanted(test_machines=True)).is_open_question


def test_the_rule_that_the_cure_installs_is_the_one_of_the_checkout_and_comes_early_enough(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--rules"]) == 0
    assert capsys.readouterr().out == (ROOT / "udev" / RULES_FILE).read_text(encoding="utf-8")
    for trouble in (Trouble.NO_RULE, Trouble.RULE_TOO_LATE):
        command = entry(Kind.DOCTOR, trouble.name).command
        assert command.startswith(f"dealctl doctor --rules | sudo tee /etc/udev/rules.d/{RULES_FILE} ")
    installed = replace(denied(), rules=(f"/etc/udev/rules.d/{RULES_FILE}",))
    assert diagnose(installed, Wanted(test_machines=True)).trouble is not Trouble.RULE_TOO_LATE


def test_without_the_rules_file_that_is_said(mocker: MockerFixture, tmp_path: Path) -> None:
    mocker.patch("driver.plugged_in.rules._CHECKOUT", tmp_path)
    mocker.patch("sysconfig.get_path", return_value=str(tmp_path))
    with pytest.raises(ConfigError, match="was not installed"):
        rules_text()


def test_a_command_names_the_machine_that_was_looked_at_so_that_a_shell_reads_it_as_one_word() -> None:
    path = "/dev/Süd Port"
    there = port(path, UsbDevice(0, 0, path), links=False)
    for facts in (
        computer(there, talk=answers(f"serial:{path}")),
        computer(there, talk=answers(f"serial:{path}", code="DM302")),
    ):
        assert f"--machine 'serial:{path}'" in diagnose(facts, Wanted(path)).entry.command
    denied_there = computer(port(path, UsbDevice(0, 0, path), links=False, may_open=False, group="root"), user=NOBODY)
    assert diagnose(denied_there, Wanted(path)).entry.command == f"ls -l '{path}'"


def test_the_group_is_that_of_the_port_and_none_is_invented() -> None:
    wanted = Wanted("ttyUSB0")
    commands = {
        group: diagnose(denied_adapter(group), wanted).entry.command for group in ("dialout", "uucp", "tty", "")
    }

    assert commands["uucp"] == "sudo usermod -aG uucp $USER"
    assert commands["tty"] == "sudo usermod -aG tty $USER"
    assert "usermod" not in commands[""]


def test_the_program_that_holds_the_port_is_named_with_its_number() -> None:
    assert "is held by screen (pid 4711)" in diagnose(held("screen"), Wanted(test_machines=True)).entry.sentence


@pytest.mark.parametrize(
    ("distribution", "word"), [("debian", "apt"), ("fedora", "dnf"), ("arch", "pacman"), ("?", "pipx")]
)
def test_what_is_missing_is_installed_with_the_program_of_the_distribution(distribution: str, word: str) -> None:
    command = diagnose(bulk(libusb=False, distribution=distribution), Wanted(test_machines=True)).entry.command

    assert word in command.split()
    assert INSTALL_LIBUSB


def test_a_port_that_lived_longer_was_unplugged_and_brltty_is_not_blamed() -> None:
    later = (TAKEN[0], replace(TAKEN[2], time=160.0))

    assert diagnose(computer(log=later, programs=("brltty",))).trouble is Trouble.NOTHING_SEEN
    assert diagnose(computer(log=(TAKEN[0], TAKEN[2]))).trouble is Trouble.NOTHING_SEEN


def test_what_brltty_did_to_an_adapter_before_says_nothing_of_the_one_that_came_last() -> None:
    again = KernelLine(900.0, "usb 1-1: ch341-uart converter now attached to ttyUSB0")
    gone = KernelLine(990.0, "ch341-uart ttyUSB0: ch341-uart converter now disconnected from ttyUSB0")

    assert diagnose(computer(log=(*TAKEN, again, gone))).trouble is Trouble.NOTHING_SEEN
    assert diagnose(computer(log=(*TAKEN, again))).trouble is Trouble.NOTHING_SEEN


def test_a_machine_that_has_a_name_here_is_called_by_it() -> None:
    known = Known("DM0042", "Max", 0x1A86, 0x7523, "", "1-1")
    found = diagnose(computer(USB0), Wanted(known=(known,)))

    assert found.is_open_question
    assert found.candidate is not None
    assert found.candidate.label == "Max"


@pytest.mark.parametrize(("trouble", "facts", "name"), ALL)
def test_a_dump_is_read_as_it_was_written(trouble: Trouble, facts: Facts, name: str) -> None:
    assert from_text(to_text(facts)) == facts


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value | {"version": 2},
        lambda value: value | {"system": 3},
        lambda value: value | {"hands": "AKQJ"},
        lambda value: value | {"ports": [{"node": None}]},
        lambda value: value | {"user": {"is_root": "yes"}},
        lambda value: {name: one for name, one in value.items() if name != "system"},
        lambda value: [value],
    ],
)
def test_anything_else_is_no_dump(change: object) -> None:
    assert callable(change)
    text = json.dumps(change(json.loads(to_text(computer(ACM0)))))

    with pytest.raises(BadSyntax, match="no facts"):
        from_text(text)


@given(st.text() | st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_no_text_breaks_the_reader_of_dumps(text: str) -> None:
    with pytest.raises(BadSyntax):
        from_text(text)
