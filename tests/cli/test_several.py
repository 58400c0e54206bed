"""`dealctl deal` on two machines at once: one job, prompts with the machine's name, copies compared at the end.

Read next: `driver/cli/deal.py`, `driver/several.py`, `tests/faults/test_several_machines.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from driver.cli.exit_codes import Exit
from driver.deals.loader import load_deals
from driver.job_events import CardDealt
from driver.machines import open_machines
from firmware_sim.endpoints.tcp import TcpEndpoint
from firmware_sim.person_script import PersonScript
from firmware_sim.profile import FULL
from tests.cli.program import CLUB, Terminal, dealctl
from tests.support.peers import Peer, Setup, served_peer, truth_equals

SPEED, SLOW = 100.0, 5.0


@contextmanager
def two_machines(tmp_path: Path, left: tuple[int, ...], right: tuple[int, ...]) -> Iterator[list[Peer]]:
    """Two simulated machines with number readers; who stands there puts in these boards, in this order."""
    with ExitStack() as undo:
        peers = []
        for name, boards in (("LEFT", left), ("RIGHT", right)):
            profile = replace(FULL, serial=f"SIM-{name}")
            setup = Setup(profile=profile, script=PersonScript(boards=boards), speed=SPEED)
            peers.append(served_peer(tmp_path, setup, TcpEndpoint))
            undo.callback(peers[-1].close)
        yield peers


def words(peers: list[Peer], *more: str, command: Sequence[str] = ("deal", str(CLUB))) -> list[str]:
    """The command line that deals on both."""
    left, right = (peer.endpoint.url for peer in peers)
    return [*command, "--machine", f"LEFT={left}", "--machine", f"RIGHT={right}", *more]


def test_two_machines_deal_one_file_and_every_line_says_which(tmp_path: Path) -> None:
    with two_machines(tmp_path, (1, 2), (3, 4)) as peers:
        ran = dealctl(*words(peers, "--boards", "1-4", "--auto", "--data", str(tmp_path / "data")))
    assert ran.code == Exit.ALL_GOOD, ran.all
    for name, board in (("LEFT", 1), ("LEFT", 2), ("RIGHT", 3), ("RIGHT", 4)):
        assert f"{name}: Dealing board {board}" in ran.out
        assert f"board {board} GOOD" in ran.out


def test_copies_are_compared_at_the_end(tmp_path: Path) -> None:
    with two_machines(tmp_path, (1, 2), (2, 1)) as peers:
        left, right = (peer.endpoint.url for peer in peers)
        ran = dealctl(
            "deal", CLUB, "--boards", "1-2", "--copies", "A,B", "--auto", "--data", tmp_path / "data",
            "--machine", f"LEFT={left}", "--machine", f"RIGHT={right}",
        )  # fmt: skip
        assert ran.code == Exit.ALL_GOOD, ran.all
        assert peers[0].pockets(1) == peers[1].pockets(1)
        assert peers[0].pockets(2) == peers[1].pockets(2)
    assert "Copies compared: the same hands in 2 boards." in ran.out


def test_two_machines_deal_one_queue_and_what_is_held_waits(tmp_path: Path) -> None:
    place = ("--data", str(tmp_path / "data"))
    for boards, released in (("1-2", "--released"), ("3-4", "--released"), ("5", "")):
        dealctl("queue", "add", CLUB, "--boards", boards, *filter(None, [released]), *place)
    with two_machines(tmp_path, (1, 3), (4, 2)) as peers:
        ran = dealctl(*words(peers, "--auto", *place, command=("queue", "run")))
        assert ran.code == Exit.ALL_GOOD, ran.all
        deals = load_deals(CLUB)
        assert all(truth_equals(peer, deals, boards) for peer, boards in zip(peers, ((1, 3), (4, 2)), strict=True))
    for name, board in (("LEFT", 1), ("LEFT", 3), ("RIGHT", 4), ("RIGHT", 2)):
        assert f"{name}: Dealing board {board}" in ran.out
    assert "All 4 boards are GOOD." in ran.out
    assert dealctl("queue", *place).out == "3  club36: board 5; 1 board of 1 to come; held\n"


def test_each_json_line_has_its_machine(tmp_path: Path) -> None:
    with two_machines(tmp_path, (1, 2), (3, 4)) as peers:
        ran = dealctl(*words(peers, "--boards", "1-4", "--auto", "--json", "--data", str(tmp_path / "data")))
    lines = [json.loads(line) for line in ran.out.splitlines()]
    begun = {(line["machine"], line["board"]) for line in lines if line["event"] == "board-started"}
    assert begun == {("LEFT", 1), ("LEFT", 2), ("RIGHT", 3), ("RIGHT", 4)}
    assert [line["event"] for line in lines if "machine" not in line] == ["job-ended", "result"]
    assert ran.code == Exit.ALL_GOOD


def test_a_person_answers_each_machine_s_question_under_its_name(tmp_path: Path) -> None:
    with two_machines(tmp_path, (1,), (2,)) as peers:
        asked = words(peers, "--boards", "1-2", "--plain", "--data", str(tmp_path / "data"))
        with Terminal(*asked) as terminal:
            terminal.wait_for(": 1  start")
            terminal.press_until("The set is done.")
            assert terminal.wait() == Exit.ALL_GOOD, terminal.shown
        for machine in ("LEFT", "RIGHT"):
            assert terminal.shown.count(f"{machine}: 1  start: board ") == 1, terminal.shown
            assert f"{machine}: Dealing board" in terminal.shown, terminal.shown


def interrupt(peers: list[Peer], data: Path, *names: str) -> list[int]:
    """Boards are begun at the machines of these names, and the program ends in mid-board; the cards of each machine."""
    for peer in peers:
        peer.set_speed(SLOW)
    ways = {name: peer.endpoint.url for name, peer in zip(("LEFT", "RIGHT"), peers, strict=True) if name in names}
    with open_machines(ways, data=data) as machines:
        jobs = machines.start(load_deals(CLUB), range(1, 5), auto=True)
        far: set[str] = set()
        for event in jobs.events():
            if isinstance(event, CardDealt) and event.index == 10:
                far.add(event.machine)
            if far == set(names):
                jobs.stop()
    for peer in peers:
        peer.set_speed(SPEED)
    return [cards(peer) for peer in peers]


def cards(peer: Peer) -> int:
    """How many cards it has dropped up to now."""
    with peer.at_machine():
        return sum(len(peer.core.truth.drops(motion.run)) for motion in peer.core.truth.motions)


def go_on_at(terminal: Terminal, name: str) -> None:
    """Waits for that machine's question, and answers that its board goes on at the same card."""
    terminal.wait_for(f"{name}: 2  Go on with card ")
    terminal.wait_for(f"{name}: Number: ")
    terminal.type("2\n")


@pytest.mark.parametrize("command", [("deal", str(CLUB), "--boards", "1-4"), ("carry-on",)], ids=["deal", "carry-on"])
def test_each_interrupted_board_is_asked_about_before_any_machine_begins(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with two_machines(tmp_path, (1, 3), (2, 4)) as peers:
        before = interrupt(peers, data, "LEFT", "RIGHT")
        more = ("--auto", "--plain", "--quiet", "--data", str(data))
        with Terminal(*words(peers, *more, command=command), columns=200) as terminal:
            for name in ("LEFT", "RIGHT"):
                terminal.wait_for(f"{name}: Number: ")
                assert [cards(peer) for peer in peers] == before, "nothing moves before both are answered"
                assert "Dealing" not in terminal.shown
                go_on_at(terminal, name)
            assert terminal.wait() == Exit.ALL_GOOD, terminal.shown
        deals = load_deals(CLUB)
        assert all(truth_equals(peer, deals, boards) for peer, boards in zip(peers, ((1, 3), (2, 4)), strict=True))
    shown = terminal.shown.splitlines()
    assert all(
        f"Board {board} of club36 was being dealt when the program ended" in " ".join(shown[:2]) for board in "12"
    )
    assert terminal.shown.count("Number: ") == 2, "no question is asked twice"
    assert terminal.shown.count("left: 1-4.") == 1
    assert "All 4 boards are GOOD." in terminal.shown


def test_a_board_that_one_machine_left_open_is_not_taken_by_the_other(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with two_machines(tmp_path, (1, 2), (3, 4)) as peers:
        (before, _) = interrupt(peers, data, "LEFT")
        assert before
        more = ("--auto", "--plain", "--quiet", "--data", str(data))
        with Terminal(*words(peers, *more, command=("carry-on",)), columns=200) as terminal:
            go_on_at(terminal, "LEFT")
            assert terminal.wait() == Exit.ALL_GOOD, terminal.shown
        deals = load_deals(CLUB)
        assert all(truth_equals(peer, deals, boards) for peer, boards in zip(peers, ((1, 2), (3, 4)), strict=True))
    assert "RIGHT: Number: " not in terminal.shown


def test_to_stop_at_one_machine_is_to_stop_for_tonight_and_all_is_asked_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with two_machines(tmp_path, (1, 3), (2, 4)) as peers:
        before = interrupt(peers, data, "LEFT", "RIGHT")
        asked = words(peers, "--plain", "--quiet", "--data", str(data), command=("queue", "run"))
        for _ in range(2):
            with Terminal(*asked, columns=200) as terminal:
                terminal.wait_for("LEFT: 3  Stop for tonight: nothing is lost, and this is asked again the next time.")
                terminal.wait_for("LEFT: Number: ")
                terminal.type("3\n")
                assert terminal.wait() == Exit.NOT_GOOD, terminal.shown
        assert [cards(peer) for peer in peers] == before


def alone(peer: Peer, data: Path, *command: str) -> Terminal:
    """The command at that machine alone, which begins by itself."""
    more = ("--auto", "--plain", "--quiet", "--machine", peer.endpoint.url, "--data", str(data))
    return Terminal(*command, *more, columns=200)


ELSEWHERE = "Cards of board 2 lie in another machine, SIM-RIGHT."


@pytest.mark.parametrize("command", [("carry-on",), ("queue", "run")], ids=["carry-on", "queue-run"])
def test_a_board_of_which_cards_lie_in_another_machine_is_left_for_that_machine(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with two_machines(tmp_path, (1, 3, 4), (2,)) as peers:
        left, right = peers
        interrupt(peers, data, "LEFT", "RIGHT")
        with alone(left, data, *command) as terminal:
            terminal.wait_for("Number: ")
            terminal.type("2\n")
            terminal.wait_for("2  all cards are out there: deal board 2 here")
            assert ELSEWHERE in terminal.shown
            assert "was left" not in terminal.shown
            terminal.press_until("board 4 GOOD")
            assert terminal.wait() == Exit.NOT_GOOD, terminal.shown
        with alone(right, data, "carry-on") as terminal:
            terminal.wait_for("Number: ")
            terminal.type("2\n")
            assert terminal.wait() == Exit.ALL_GOOD, terminal.shown
        deals = load_deals(CLUB)
        assert all(truth_equals(peer, deals, boards) for peer, boards in zip(peers, ((1, 3, 4), (2,)), strict=True))
    assert dealctl("history", "--data", data).out.count("board 2 of club36") == 1


def test_a_board_that_was_emptied_to_be_dealt_elsewhere_is_not_gone_on_with_where_it_lay(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with two_machines(tmp_path, (1, 3, 4, 2), (2,)) as peers:
        left, right = peers
        interrupt(peers, data, "LEFT", "RIGHT")
        with alone(left, data, "carry-on") as terminal:
            terminal.wait_for("Number: ")
            terminal.type("2\n")
            terminal.wait_for("2  all cards are out there: deal board 2 here")
            with right.at_machine():
                right.core.mechanism.slot.empty_pockets()
                right.core.mechanism.slot.remove_board()
            terminal.press_until("1  start: board 2 and pack are in", "2\n")
            terminal.press_until("The set is done.")
            assert terminal.wait() == Exit.ALL_GOOD, terminal.shown
        assert truth_equals(left, load_deals(CLUB), (1, 2, 3, 4))
        ran = dealctl("carry-on", "--auto", "--machine", right.endpoint.url, "--data", data)
    assert "Nothing is under way." in ran.err


@pytest.mark.parametrize("removed", [False, True], ids=["two jobs", "one job removed"])
def test_carry_on_goes_on_with_the_boards_of_several_jobs(removed: bool, tmp_path: Path) -> None:
    data = tmp_path / "data"
    for boards in ("1", "5-6"):
        dealctl("queue", "add", CLUB, "--boards", boards, "--released", "--data", data)
    with two_machines(tmp_path, (1,), (5, 6)) as peers:
        for peer in peers:
            peer.set_speed(SLOW)
        run = words(peers, "--auto", "--plain", "--quiet", "--data", str(data), command=("queue", "run"))
        with Terminal(*run) as terminal:
            terminal.wait_until(lambda: min(map(cards, peers)) > 5)
            terminal.interrupt_until_it_ends()
        for peer in peers:
            peer.set_speed(SPEED)
        if removed:
            dealctl("queue", "remove", "1", "--data", data)
        run = words(peers, "--auto", "--plain", "--quiet", "--data", str(data), command=("carry-on",))
        with Terminal(*run, columns=200) as terminal:
            for name in ("LEFT", "RIGHT"):
                go_on_at(terminal, name)
            assert terminal.wait() == Exit.ALL_GOOD, terminal.shown
        deals = load_deals(CLUB)
        assert all(truth_equals(peer, deals, boards) for peer, boards in zip(peers, ((1,), (5, 6)), strict=True))
    assert "Type then: dealctl carry-on" not in terminal.shown
    assert dealctl("queue", "--data", data).out.startswith("No job waits.")


def test_several_machines_are_for_dealing_alone_and_each_needs_a_name(tmp_path: Path) -> None:
    ran = dealctl("check-pack", "--ready", "--machine", "tcp:127.0.0.1:1", "--machine", "tcp:127.0.0.1:2")
    assert ran.code == Exit.USAGE
    assert "Several machines at once can deal, and do nothing else." in ran.err
    ran = dealctl(
        "deal", CLUB, "--auto", "--data", tmp_path, "--machine", "A=tcp:127.0.0.1:1", "--machine", "A=tcp:127.0.0.1:2"
    )
    assert ran.code == Exit.USAGE
    assert "name of its own" in ran.err
