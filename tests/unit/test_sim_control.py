"""The control channel: the truth, every act of a person, every fault, power, cable; and clear refusals.

Read next: `firmware_sim/commands.py`, `test_sim_endpoints.py`.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import pytest

from firmware_sim.arguments import CommandError, Json
from firmware_sim.commands import COMMANDS, MachineCommands
from firmware_sim.control import LONGEST_LINE, ControlServer, answer_line
from firmware_sim.core import SimMachine
from firmware_sim.endpoints.memory import MemoryEndpoint
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person import Act, Person
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from protocol.cards import PACK_SIZE
from protocol.codes import EventType, State

PATIENCE = 30.0


class Bench:
    """A machine with its commands, on a manual clock."""

    def __init__(self, *, boards: tuple[int, ...] = ()) -> None:
        self.machine = SimMachine(FULL, seed=1)
        self.person = Person(self.machine, PersonScript(boards)) if boards else None
        self.endpoint = MemoryEndpoint(self.machine, person=self.person)
        self.commands = MachineCommands(self.endpoint, self.machine, person=self.person, told="the case")

    def act(self, name: str, **arguments: Json) -> dict[str, Json]:
        return self.commands.run({"do": name, **arguments})

    def refused(self, name: str, **arguments: Json) -> str:
        with pytest.raises(CommandError) as error:
            self.act(name, **arguments)
        return str(error.value)


def test_every_command_is_listed_with_its_arguments() -> None:
    listed = Bench().act("help")["commands"]

    assert listed == {name: list(command.arguments) for name, command in COMMANDS.items()}


def test_a_person_s_acts_change_what_the_status_tells() -> None:
    bench = Bench()
    bench.act("load_pack", seed=3)
    bench.act("insert_board", number=7, turned=True)
    bench.act("open_cover")
    status = bench.act("status")

    assert (status["hopper"], status["board"], status["turned"], status["cover_open"]) == (PACK_SIZE, 7, True, True)
    assert (status["state"], status["index"], status["fault"]) == (State.NONE.name, None, None)
    assert (status["plan"], status["url"], status["person"]) == ("the case", "memory:", None)
    bench.act("close_cover")
    bench.act("remove_board")
    bench.act("insert_board", same=True)
    bench.act("empty_hopper")
    status = bench.act("status")
    assert (status["hopper"], status["board"], status["turned"], status["cover_open"]) == (0, 7, False, False)


@pytest.mark.parametrize(("kind", "cards"), [("short", 51), ("LONG", 53), ("stop-card", 53)])
def test_odd_packs_can_be_loaded(kind: str, cards: int) -> None:
    bench = Bench()
    bench.act("load_pack", kind=kind)
    bench.act("load_pack", below=True, back="red")

    assert bench.act("status")["hopper"] == cards + PACK_SIZE
    assert bench.machine.mechanism.hopper[0].back == "red"
    assert "two" in bench.refused("load_pack", kind="swapped")


def test_a_card_goes_from_place_to_place_by_hand_and_the_truth_names_it() -> None:
    bench = Bench()
    bench.act("load_pack")
    top = bench.machine.mechanism.hopper[-1].identity
    bench.act("insert_board", number=2)
    bench.act("take_card", place="hopper")
    assert bench.act("status")["in_hand"] == 1
    bench.act("put_card_in_pocket", pocket=2)

    assert bench.act("truth")["boards"] == [{"number": 2, "pockets": [[], [], [top], []]}]
    assert bench.act("truth", board=3)["boards"] == []
    bench.act("take_card", place="POCKET_2")
    bench.act("put_card_back", as_it_is=True)
    assert bench.act("status")["hopper"] == PACK_SIZE
    assert "no card in the hand" in bench.refused("put_card_back")
    assert "HOPPER" in bench.refused("take_card", place="moon")
    assert "not possible" in bench.refused("take_card", place="READER")
    bench.act("empty_pockets")


def test_the_truth_counts_feeds_and_motions_and_finds_violations() -> None:
    truth = Bench().act("truth")

    assert truth == {"boards": [], "feeds": 0, "drops": 0, "motions": [], "motors": [], "violations": []}


def test_keys_are_pressed() -> None:
    bench = Bench()
    bench.act("press", key="start")

    assert bench.machine.ring.newest_of([EventType.KEY])
    assert "START, PAUSE, STOP" in bench.refused("press", key="any")


def test_faults_are_added_and_repaired_at_run_time() -> None:
    bench = Bench()
    bench.act("fault", text="jam-path@3")

    mischief = bench.machine.mechanism.mischief
    assert len(mischief.state_key()[0]) == 1  # type: ignore[arg-type]
    bench.act("clear_faults")
    assert mischief.is_idle
    assert "earthquake" in bench.refused("fault", text="earthquake@1")


def test_the_power_goes_and_comes_back_with_what_became_of_the_memory() -> None:
    bench = Bench()
    boot = bench.machine.boot_id
    bench.act("power_off")
    assert bench.act("status")["powered"] is False
    bench.act("power_on", cause="brown-out")
    assert bench.machine.boot_id == boot + 1
    bench.act("power_off", memory="blank")
    bench.act("power_on")
    assert bench.machine.memory_lost


def test_cable_and_line_are_under_command() -> None:
    bench = Bench()
    bench.act("cut")
    assert bench.endpoint.is_cut
    assert bench.act("status")["url"] is None
    assert bench.act("reconnect") == {"url": "memory:"}
    bench.act("freeze", seconds=2)
    bench.endpoint.write(b"\0")
    assert bench.endpoint.rig.need_line().due() == 2.0
    bench.act("line", text="seed=3 drop=1")
    facts = bench.act("status")["line"]
    assert isinstance(facts, dict)
    assert facts["plan"] == "line seed=3 drop=1.0/1.0"
    assert "melt" in bench.refused("line", text="melt=1")


def test_a_planned_cut_cannot_be_undone_before_its_time() -> None:
    bench = Bench()
    bench.act("line", text="cut=0/5")
    bench.endpoint.pass_time(0.0)

    assert "still out" in bench.refused("reconnect")


def test_the_screen_asks_the_person_for_a_board() -> None:
    bench = Bench(boards=(1, 2))
    bench.endpoint.pass_time(1.0)
    bench.act("ask_person", board=2)
    bench.endpoint.pass_time(1.0)

    assert bench.act("status")["board"] == 2
    assert bench.act("status")["person"] == {"turn": 2, "finished": False}
    assert bench.person is not None
    assert bench.person.acts[-1][1] is Act.OBEY
    assert "no board 5" in bench.refused("ask_person", board=5)
    assert "Nobody" in Bench().refused("ask_person", board=1)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"what", "one line of JSON"),
        (b"\xff\xfe", "one line of JSON"),
        (b"[1]", "JSON object"),
        (b"{}", "No command is called None"),
        (b'{"do": "dance"}', "No command is called 'dance'"),
        (b'{"do": ["x"]}', "No command is called"),
        (b'{"do": "press"}', "'key' is missing"),
        (b'{"do": "press", "key": 3}', "'key' is a text"),
        (b'{"do": "press", "hand": "left"}', "'hand' is unknown; known here: key"),
        (b'{"do": "open_cover", "wide": true}', "known here: none"),
        (b'{"do": "insert_board", "number": true}', "'number' is a whole number"),
        (b'{"do": "insert_board", "full": 1}', "'full' is true or false"),
        (b'{"do": "put_card_in_pocket", "pocket": 4}', "0 to 3"),
        (b'{"do": "remove_board"}', "remove_board is not possible"),
        (b'{"do": "freeze", "seconds": "long"}', "'seconds' is a number"),
        (b'{"do": "freeze"}', "'seconds' is missing"),
    ],
)
def test_a_command_that_is_wrong_is_answered_with_a_sentence(line: bytes, sentence: str) -> None:
    answer = answer_line(Bench().commands, line)

    assert answer["ok"] is False
    assert sentence in str(answer["error"])


# The channel


@contextmanager
def client_of(url: str) -> Iterator[BinaryIO]:
    address, _, port = url.removeprefix("tcp:").rpartition(":")
    with (
        socket.create_connection((address, int(port)), timeout=PATIENCE) as connected,
        connected.makefile("rwb", buffering=0) as lines,
    ):
        yield lines  # type: ignore[misc]


def ask(lines: BinaryIO, command: dict[str, Json]) -> dict[str, Json]:
    lines.write(json.dumps(command).encode() + b"\n")
    answer = json.loads(lines.readline())
    assert isinstance(answer, dict)
    return answer


def test_commands_go_over_a_channel_of_their_own_while_the_machine_runs() -> None:
    machine = SimMachine(FULL)
    with TcpEndpoint(machine) as endpoint, ControlServer(MachineCommands(endpoint, machine)) as control:
        with client_of(control.url) as one, client_of(control.url) as other:
            assert control.url != endpoint.url
            assert ask(one, {"do": "insert_board", "number": 4}) == {"ok": True}
            assert ask(other, {"do": "status"})["board"] == 4
            assert ask(one, {"do": "cut"}) == {"ok": True}
            assert ask(other, {"do": "status"})["url"] is None
            assert ask(one, {"do": "reconnect"})["url"] == endpoint.url
            one.write(b'\n{"do": "help"}\n{"do": ')
            assert json.loads(one.readline())["ok"] is True
            one.write(b'"dance"}\n')
            assert json.loads(one.readline())["ok"] is False
        with client_of(control.url) as third:
            assert ask(third, {"do": "status"})["ok"] is True


def test_a_line_without_end_closes_its_connection_and_no_other() -> None:
    bench = Bench()
    with ControlServer(bench.commands) as control, client_of(control.url) as good, client_of(control.url) as bad:
        bad.write(b"x" * (LONGEST_LINE + 1))
        try:
            rest = bad.readline()
        except ConnectionResetError:
            rest = b""

        assert rest == b""
        assert ask(good, {"do": "help"})["ok"] is True


def test_the_channel_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    control = ControlServer(Bench().commands)
    control.close()
    control = ControlServer(Bench().commands)
    control.start()
    control.close()
    control.close()

    assert threading.active_count() == before
