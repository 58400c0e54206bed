"""Scenarios: every key of the TOML, clear refusals, one line that tells the case, and the program that runs it.

Read next: `firmware_sim/scenario.py`, `test_sim_control.py`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from firmware_sim.faults import FaultKind, MachineFault, PowerCut
from firmware_sim.line import Cut, Direction, LineFault, OneShot, Shares
from firmware_sim.memory import MemoryFate
from firmware_sim.person_script import OddPack, PackKind, Packs, Slip, SlipKind
from firmware_sim.profile import P_ONLY
from firmware_sim.scenario import Scenario, ScenarioError
from protocol.codec import decode, encode
from protocol.framing import FrameDecoder, encode_frame
from protocol.messages import Hello, HelloAck

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
"""Seconds after which a test of the program gives up."""

EVERYTHING = """
profile = "p-only"
serial = "CLUB-7"
speed = 4
baud = 9600
boards = "1-4,9"
packs = "two"
odd_packs = ["short@2"]
starts = true
faults = ["jam-path@1/23", "power-cut@1234ms:torn:2s"]
line = "drop=0.1 flip=0.2/0.3 cut=3/1 rule=drop:to_host:3"
slips = ["wrong-board@5"]
seed = 11
"""


def test_every_key_of_a_scenario_is_taken_whatever_their_order() -> None:
    scenario = Scenario.parse(EVERYTHING)

    assert (scenario.seed, scenario.speed, scenario.baud) == (11, 4.0, 9600)
    assert scenario.profile.serial == "CLUB-7"
    assert scenario.profile.recognition is P_ONLY.recognition
    assert scenario.plan.faults == (MachineFault(FaultKind.JAM_PATH, 23, run=1),)
    assert scenario.plan.cuts == (PowerCut(1234, MemoryFate.TORN),)
    assert scenario.plan.seed == 11
    assert scenario.line is not None
    assert scenario.line.seed == 11
    assert scenario.line.to_machine == Shares(drop=0.1, flip=0.2)
    assert scenario.line.to_host == Shares(drop=0.1, flip=0.3)
    assert scenario.line.cuts == (Cut(3, 1),)
    assert scenario.line.rules == (OneShot(LineFault.DROP, Direction.TO_HOST, 3),)
    assert scenario.script is not None
    assert scenario.script.boards == (1, 2, 3, 4, 9)
    assert scenario.script.packs is Packs.TWO
    assert scenario.script.odd_packs == (OddPack(PackKind.SHORT, 2),)
    assert scenario.script.slips == (Slip(SlipKind.WRONG_BOARD, 5),)
    assert scenario.script.seed == 11
    assert scenario.script.starts


def test_an_empty_scenario_is_a_whole_machine_with_nobody_beside_it() -> None:
    scenario = Scenario.parse("")

    assert scenario == Scenario()
    machine, line, person = scenario.build()
    assert machine.speed == 1.0
    assert line is None
    assert person is None


def test_a_scenario_builds_machine_line_and_person() -> None:
    machine, line, person = Scenario.parse(EVERYTHING).build()

    assert machine.profile.serial == "CLUB-7"
    assert line is not None
    assert person is not None
    assert person.script.boards[-1] == 9


def test_one_line_tells_the_whole_case() -> None:
    told = Scenario.parse(EVERYTHING).describe()

    assert "\n" not in told
    assert Scenario.repeat(told) == Scenario.parse(EVERYTHING)
    assert Scenario.repeat(Scenario().describe()) == Scenario()
    for word in ("seed=11", "speed=4", "jam-path@1/23", "power-cut@", "drop=0.1/0.1", "boards=1-4,9", "wrong-board@5"):
        assert word in told


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour = 1", "the key 'colour' is unknown; known are seed"),
        ("profile = 'huge'", "profile: No profile is called 'huge'; there are full"),
        ("profile = ", "is no TOML"),
        ("seed = 'x'", "seed: This is a whole number"),
        ("seed = true", "seed: This is a whole number"),
        ("speed = 0", "speed: The speed of the mechanism is above 0"),
        ("speed = 'fast'", "speed: This is a number"),
        ("baud = -1", "baud: A line's baud rate is above 0"),
        ("boards = 36", "boards: This is a text"),
        ("boards = '9-1'", "boards: Boards go upward"),
        ("packs = 'three'", "packs: Packs are one of one, two"),
        ("odd_packs = ['torn@1']", "odd_packs: An odd pack reads"),
        ("starts = 1", "starts: This is true or false"),
        ("faults = 'jam-path@1'", "faults: This is a list of texts"),
        ("faults = ['earthquake@1']", "faults: .*earthquake"),
        ("faults = ['line drop=0.1']", "faults: .*own keys"),
        ("line = 'melt=1'", "line: No line fault is called 'melt'"),
        ("slips = ['dance@1']", "slips: A slip reads"),
        ("boards = '1-2'\nslips = ['same-board@3']", "slips: .*board 3 of 2"),
        ("serial = ''", "serial: A serial number is"),
    ],
)
def test_what_is_wrong_in_a_scenario_is_said_in_one_sentence_with_its_key(text: str, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=rf"^club\.toml.*{sentence}"):
        Scenario.parse(text, "club.toml")


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ("weather fine", "machine, line and person"),
        ("machine profile=huge", "huge"),
        ("machine earthquake@1", "earthquake"),
        ("line melt=1", "melt"),
        ("person boards=1 mood=bad", "mood"),
        ("person boards=", "Boards"),
    ],
)
def test_a_line_that_tells_no_case_is_refused_with_a_sentence(told: str, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        Scenario.repeat(told)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"absent\.toml"):
        Scenario.load(tmp_path / "absent.toml")


def test_faults_of_all_three_sides_come_as_texts() -> None:
    scenario = Scenario().with_seed(3).with_boards("1-9")
    for text in ("jam-path@4", "line drop=0.5", "slip=full-board@2", "pack=long@1"):
        scenario = scenario.with_fault(text)

    assert scenario.plan.describe() == "seed=3 jam-path@4"
    assert scenario.line is not None
    assert scenario.line.seed == 3
    assert scenario.script is not None
    assert scenario.script.slips == (Slip(SlipKind.FULL_BOARD, 2),)
    assert scenario.script.odd_packs == (OddPack(PackKind.LONG, 1),)


# The program


@contextmanager
def simulator(*options: str) -> Iterator[subprocess.Popen[bytes]]:
    """The program as another one starts it; killed at the end when it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "firmware_sim", *options],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def first_line(process: subprocess.Popen[bytes]) -> dict[str, object]:
    assert process.stdout is not None
    facts = json.loads(process.stdout.readline())
    assert isinstance(facts, dict)
    return facts


def hello_over(url: str) -> HelloAck:
    """What the machine at that tcp url answers to HELLO."""
    address, _, port = url.removeprefix("tcp:").rpartition(":")
    decoder = FrameDecoder()
    with socket.create_connection((address, int(port)), timeout=PATIENCE) as host:
        host.sendall(encode_frame(encode(Hello(7, 1, 1))))
        while True:
            data = host.recv(4096)
            assert data
            for frame in decoder.feed(data):
                message = decode(frame)
                if isinstance(message, HelloAck):
                    return message


def test_the_program_tells_its_urls_serves_and_ends_with_its_input() -> None:
    with simulator("--endpoint", "tcp", "--seed", "5", "--boards", "1-2", "--until-stdin-closes") as process:
        facts = first_line(process)

        assert set(facts) == {"url", "control", "seed"}
        assert facts["seed"] == 5
        assert hello_over(str(facts["url"])).serial == "SIM-0001"
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_program_ends_cleanly_on_a_signal(number: signal.Signals) -> None:
    with simulator("--endpoint", "pty") as process:
        facts = first_line(process)
        assert str(facts["url"]).startswith("serial:/dev/")
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)

        assert (process.returncode, err) == (0, b"")


def test_the_program_takes_a_scenario_and_options_win(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('seed = 4\nserial = "CLUB-7"\n', encoding="utf-8")
    with simulator("--endpoint", "tcp", "--scenario", str(path), "--until-stdin-closes") as process:
        facts = first_line(process)
        assert facts["seed"] == 4
        assert hello_over(str(facts["url"])).serial == "CLUB-7"
        process.communicate(timeout=PATIENCE)
    told = Scenario.load(path).describe()
    with simulator("--endpoint", "tcp", "--repeat", told, "--until-stdin-closes") as process:
        assert first_line(process)["seed"] == 4
        process.communicate(timeout=PATIENCE)
    with simulator("--endpoint", "tcp", "--scenario", str(path), "--seed", "6", "--until-stdin-closes") as process:
        assert first_line(process)["seed"] == 6
        process.communicate(timeout=PATIENCE)


def test_the_program_takes_a_serial_number_whatever_the_scenario_and_the_profile_say(tmp_path: Path) -> None:
    path = tmp_path / "club.toml"
    path.write_text('serial = "CLUB-7"\n', encoding="utf-8")
    options = ("--scenario", str(path), "--profile", "r-only", "--serial", "SIM-LEFT")
    with simulator("--endpoint", "tcp", *options, "--until-stdin-closes") as process:
        assert hello_over(str(first_line(process)["url"])).serial == "SIM-LEFT"
        process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize("serial", ["", "SIM LEFT", "SEVENTEEN-LETTERS", "Süd", "\x1b"])
def test_a_serial_number_that_the_protocol_has_no_room_for_is_refused(serial: str) -> None:
    with simulator("--endpoint", "tcp", f"--serial={serial}") as process:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (2, b"")
        assert err.decode().rstrip() == "firmware_sim: A serial number is 1 to 16 ASCII characters without blanks."


def test_the_program_tells_the_new_url_after_a_planned_cut() -> None:
    with simulator("--endpoint", "tcp", "--fault", "line cut=0.05/0.05", "--until-stdin-closes") as process:
        first = first_line(process)
        second = first_line(process)

        assert set(second) == {"url"}
        assert second["url"] != first["url"]
        assert hello_over(str(second["url"])).major == 1
        process.communicate(timeout=PATIENCE)


def test_the_program_keeps_its_memory_in_a_file(tmp_path: Path) -> None:
    boots = []
    for _ in range(2):
        with simulator("--endpoint", "tcp", "--memory", str(tmp_path / "memory"), "--until-stdin-closes") as process:
            boots.append(hello_over(str(first_line(process)["url"])).boot_id)
            process.communicate(timeout=PATIENCE)

    assert boots == [boots[0], boots[0] + 1]


@pytest.mark.parametrize(
    "options", [("--fault", "earthquake@3"), ("--boards", "9-1"), ("--speed", "0"), ("--scenario", "absent.toml")]
)
def test_wrong_options_end_the_program_with_a_sentence_and_no_traceback(options: tuple[str, str]) -> None:
    with simulator("--endpoint", "tcp", *options) as process:
        out, err = process.communicate(timeout=PATIENCE)

        assert process.returncode == 2
        assert out == b""
        assert err.startswith(b"firmware_sim: ")
        assert err.count(b"\n") == 1


WITHOUT_UNIX = """
import sys
for name in ("termios", "pty", "tty", "fcntl"):
    sys.modules[name] = None
from firmware_sim.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_where_no_pseudo_terminals_exist_the_program_says_so_and_serves_tcp() -> None:
    command = [sys.executable, "-c", WITHOUT_UNIX, "--until-stdin-closes", "--endpoint"]
    pty = subprocess.run([*command, "pty"], cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False)
    tcp = subprocess.run([*command, "tcp"], cwd=ROOT, input=b"", capture_output=True, timeout=PATIENCE, check=False)

    assert pty.returncode == 2
    assert b"--endpoint tcp" in pty.stderr
    assert (tcp.returncode, tcp.stderr) == (0, b"")
    assert json.loads(tcp.stdout)["url"].startswith("tcp:127.0.0.1:")


BROKEN_INSIDE = """
import sys
from firmware_sim.__main__ import main
from firmware_sim.core import SimMachine

def broken(self, time):
    raise RuntimeError("broken inside")

SimMachine.advance_to = broken
sys.exit(main(["--endpoint", "tcp"]))
"""


def test_a_simulator_that_breaks_inside_ends_and_does_not_hang() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BROKEN_INSIDE], cwd=ROOT, capture_output=True, timeout=PATIENCE, check=False
    )

    assert done.returncode == 1
    assert b"broken inside" in done.stderr
