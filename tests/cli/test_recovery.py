"""The first thing shown after an interruption is the recovery question, and what comes of each answer.

A first program ends in mid-board; another one begins at a terminal. Everything is compared with the
machine's truth. Read next: `driver/cli/recovery.py`; `tests/faults/test_found_afterwards.py` for all that can be found.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from driver.cli.simulator import Simulator
from driver.clock import utc_now
from driver.deals.loader import load_deals
from driver.deals.model import DealSet
from driver.findings import Choice
from driver.job_events import CardDealt, NeedsOperator
from driver.journal import Journal
from driver.machine import open_machine
from driver.making import deals_of
from driver.plan import Plan
from driver.store.database import FILE_NAME
from driver.store.runs import Intention
from driver.store.store import Store
from tests.cli.program import CLUB, Terminal, dealctl, shown_hands
from tests.support.peers import hands_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

PASSPHRASE: Final = "the heron stands in cold water"
STOP: Final = "3  Stop for tonight: nothing is lost, and this is asked again the next time."
GO_ON: Final = "2  Go on with card "
_CLEARED: Final = "All cards are out of pockets, path and hopper: board 1 is ended, to be done again another time."
CLEARED: Final = f"1  {_CLEARED}   (Enter)"
_CARRY_ON: Final = "Stop, to go on with board 1: nothing is lost. Type then: dealctl carry-on"
BESIDE: Final = "Board 1 has to be ended or gone on with before anything else is dealt.\r\n"


class Club:
    """A machine with somebody who puts boards 1 to 3 in, and a person at one terminal after another."""

    def __init__(self, machine: Simulator, data: Path) -> None:
        self.machine = machine
        self.place = ("--machine", machine.url, "--data", data)

    def terminal(self, *words: str | Path) -> Terminal:
        return Terminal(*words, *self.place, TERM="dumb")

    def truth(self) -> dict[str, Any]:
        return self.machine.ask({"do": "truth"})

    def interrupt(self, deals: DealSet, boards: Sequence[int] = (1, 2, 3)) -> int:
        """Board 1 is begun, and the program ends after half of it; so many cards are in."""
        url, data = self.place[1], self.place[3]
        with open_machine(str(url), data=Path(data)) as machine:
            job = machine.start(deals, boards, auto=True)
            for event in job.events():
                if isinstance(event, CardDealt) and event.index == 26:
                    job.stop()
        cards = int(self.truth()["drops"])
        assert 26 <= cards < 52
        return cards


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with Simulator(["--person", "--boards", "1-3", "--speed", "40"]) as machine:
        yield Club(machine, tmp_path / "data")


@pytest.fixture
def tuesday(tmp_path: Path) -> Path:
    """The first three boards of the club's file under a name of their own."""
    path = tmp_path / "tuesday.pbn"
    done = dealctl("convert", CLUB, path, "--boards", "1-3", "--data", tmp_path / "elsewhere")
    assert done.code == 0, done.all
    return path


def sealed_deals(data: Path) -> DealSet:
    """The boards 1 to 3 of the sealed set, as somebody who has its passphrase gets them."""
    with Store(data, now=utc_now) as store:
        return deals_of(store, store.sets.find("closed"), passphrase=PASSPHRASE)


def check_good(club: Club, shown: str, file: Path) -> None:
    assert "All 3 boards are GOOD." in shown
    deals, truth = load_deals(file), club.truth()
    dealt = {board["number"]: [sorted(pocket) for pocket in board["pockets"]] for board in truth["boards"]}
    for board in deals:
        assert dealt[board.number] == [sorted(hand) for hand in hands_of(board.deal)]
    assert truth["violations"] == []
    assert not shown_hands(shown, deals)


def test_the_program_alone_asks_before_its_menu_and_goes_on_with_the_same_boards(club: Club, tuesday: Path) -> None:
    cards = club.interrupt(load_deals(tuesday))
    with club.terminal() as second:
        second.wait_for(STOP)
        asked = second.shown
        second.type("2\n")
        assert second.wait() == 0, second.shown

    assert asked.startswith("Board 1 of tuesday was being dealt when the program ended, begun today at ")
    assert "Of what was to be dealt 0 of 3 are dealt; left: 1-3.\r\n" in asked
    assert f"The machine counts {cards} cards into the pockets.\r\n" in asked
    assert "1  Deal board 1 again, the same hands: it lies emptied in the machine" in asked
    assert f"{GO_ON}{cards + 1}: board 1 lies in the machine with its {cards} cards as they were.\r\n" in asked
    assert "Deal the boards of a file" not in second.shown
    assert f"goes on after card {cards}." in second.shown
    assert second.shown.count("3  stop") == 0, "asked once"
    check_good(club, second.shown, tuesday)


@pytest.mark.parametrize("words", ["carry-on", "deal {file} --boards 1-3", "deal"])
def test_every_way_to_go_on_asks_the_same_once_and_three_right_boards_come_of_it(
    club: Club, tuesday: Path, words: str
) -> None:
    cards = club.interrupt(load_deals(tuesday))
    tuesday_text = tuesday.read_bytes()
    tuesday.unlink()  # the answer comes before any file is read, and the set is here
    with club.terminal(*words.format(file=tuesday).split()) as second:
        second.wait_for(STOP)
        second.type("2\n")
        assert second.wait() == 0, second.shown

    assert f"goes on after card {cards}." in second.shown
    tuesday.write_bytes(tuesday_text)
    check_good(club, second.shown, tuesday)


def test_stop_for_tonight_leaves_everything_for_the_next_time(club: Club, tuesday: Path) -> None:
    cards = club.interrupt(load_deals(tuesday))
    for words in ("", "carry-on", f"deal {tuesday}", f"deal {CLUB}", "again 1", "again 2", "check-pack"):
        with club.terminal(*words.split()) as second:
            second.wait_for("Number: ")
            second.type("3\n" if STOP in second.shown else "2\n")
            assert second.wait() == 1, second.shown

        is_ours = words not in (f"deal {CLUB}", "again 2", "check-pack")
        assert second.shown.startswith("Board 1 of tuesday was being dealt"), words
        assert (STOP in second.shown, CLEARED in second.shown) == (is_ours, not is_ours), words
        assert club.truth()["drops"] == cards


def test_a_check_that_is_refused_because_of_the_open_board_does_not_hide_it(club: Club, tuesday: Path) -> None:
    cards = club.interrupt(load_deals(tuesday))
    refused = dealctl("check-pack", "--ready", *club.place)
    assert "Another board is not finished" in refused.all

    assert "To go on: dealctl carry-on" in dealctl("doctor", *club.place).out
    for words in ("", "check-pack"):
        with club.terminal(*words.split()) as second:
            second.wait_for("Number: ")
            assert second.shown.startswith("Board 1 of tuesday was being dealt"), words
            second.type("3\n" if STOP in second.shown else "2\n")
            assert second.wait() == 1, second.shown
    assert club.truth()["drops"] == cards


def test_another_file_is_dealt_only_after_the_open_board_is_cleared_away(club: Club, tuesday: Path) -> None:
    cards = club.interrupt(load_deals(tuesday))
    with club.terminal("deal", CLUB, "--boards", "2-3") as second:
        second.wait_for("Number: ")
        assert CLEARED in second.shown
        assert f"{BESIDE}{CLEARED}\r\n2  {_CARRY_ON}\r\n" in second.shown, "each way is named once, as a choice"
        assert second.shown.count("dealctl carry-on") == 1
        assert club.truth()["drops"] == cards
        club.machine.ask({"do": "empty_pockets"})
        second.type("\n")
        second.wait_for("Board 2 comes next.")
        second.type("3\n")
        assert second.wait() == 1, second.shown
    assert club.truth()["drops"] == cards

    with club.terminal() as third:
        third.wait_for("Number: ")
    assert third.shown.startswith("1  Deal the boards of a file"), "nothing is open any more"


def test_commands_that_deal_nothing_say_in_one_line_what_was_left_open_and_ask_nothing(
    club: Club, tuesday: Path, tmp_path: Path
) -> None:
    quiet = [dealctl(*words, *club.place) for words in (["doctor"], ["trace", "--seconds", "1"])]
    cards = club.interrupt(load_deals(tuesday))
    line = re.compile(
        r"^Board 1 of tuesday was being dealt when the program ended, begun today at \d\d:\d\d\. "
        r"To go on: dealctl carry-on\r?$",
        re.MULTILINE,
    )
    told = [dealctl(*words, *club.place) for words in (["doctor"], ["trace", "--seconds", "1"])]
    assert [ran.code for ran in (*quiet, *told)] == [0, 0, 0, 0], told[0].all
    assert [len(line.findall(ran.out)) for ran in (*quiet, *told)] == [0, 0, 1, 1]
    with club.terminal("setup") as terminal:
        terminal.wait_for("Practise now?")
        assert len(line.findall(terminal.shown)) == 1
    for words in (["doctor", "--json"], ["trace", "--seconds", "1", "--json"], ["doctor", "--rules"]):
        assert "carry-on" not in dealctl(*words, *club.place).all, "a program reads this"
    with Store(tmp_path / "data", now=utc_now) as store, Journal(store):
        assert "carry-on" not in dealctl("doctor", *club.place).all, "another window is dealing it"
    (tmp_path / "data" / FILE_NAME).write_bytes(b"no records")
    assert dealctl("doctor", *club.place).code == 0, "the records are not what it looks at"
    assert club.truth()["drops"] == cards


def test_a_sealed_set_tells_all_this_before_its_passphrase_and_stops_without_it(club: Club, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text(f"{PASSPHRASE}\n", encoding="utf-8")
    made = dealctl("make", "--name", "closed", "--sealed", "--passphrase-file", words, *club.place)
    assert made.code == 0, made.all
    cards = club.interrupt(sealed_deals(tmp_path / "data"))

    with club.terminal("carry-on") as second:
        second.wait_for(STOP)
        assert "Passphrase" not in second.shown
        assert f"The machine counts {cards} cards" in second.shown
        second.type("3\n")
        assert second.wait() == 1, second.shown
    assert "Passphrase" not in second.shown

    with club.terminal("carry-on") as third:
        third.wait_for(STOP)
        third.type("2\n")
        third.wait_for("Passphrase")
        assert club.truth()["drops"] == cards, "nothing moves before the deal is known"
        third.type(f"{PASSPHRASE}\n")
        third.wait_for(f"goes on after card {cards}.")
        third.wait_for("Board 1 is GOOD.")
        third.interrupt_until_it_ends()


def test_a_board_of_a_set_that_was_handed_over_can_only_be_cleared_away(
    club: Club, tuesday: Path, tmp_path: Path
) -> None:
    club.interrupt(load_deals(tuesday))
    data = club.place[3]
    done = dealctl("hand-over", "tuesday", tmp_path / "out.handover", "--name", "Ann", "--data", data)
    assert done.code == 0, done.all
    refused = dealctl("carry-on", "--auto", "--json", *club.place)
    assert "was handed over: it is dealt on the other computer." in refused.all
    assert refused.code != 0
    with club.terminal("carry-on") as terminal:
        terminal.wait_for("Number: ")
        assert "Set tuesday was handed over: it is dealt on the other computer." in terminal.shown
        assert "Board 1 has to be ended before anything else is dealt." in terminal.shown
        assert "1  All cards are out of pockets, path and hopper: nothing more is to be done for it" in terminal.shown
        assert "2  Stop for tonight" in terminal.shown
        assert "3  " not in terminal.shown
        terminal.type("1\n")
        assert terminal.wait() == 0, terminal.shown
    assert "Nothing is under way." in dealctl("carry-on", "--auto", *club.place).err


def test_with_nothing_under_way_carry_on_says_so(tmp_path: Path) -> None:
    with Terminal("carry-on", "--data", tmp_path) as terminal:
        assert terminal.wait() == 2, terminal.shown
    assert "Nothing is under way." in terminal.shown
    script = dealctl("carry-on", "--data", tmp_path)
    assert (script.code, "Nothing is under way." in script.err) == (2, True), script.all


def test_between_two_boards_carry_on_goes_on_with_the_next_one_and_names_it(club: Club, tuesday: Path) -> None:
    """The job as it was ordered: copies B, then C, of boards 3 and 1 of the set."""
    with open_machine(str(club.place[1]), data=Path(club.place[3])) as machine:
        job = machine.start(load_deals(tuesday), [1, 3], copies=("B", "C"))
        job.pause_after_board()
        for event in job.events():
            if isinstance(event, NeedsOperator) and event.choices:
                job.decide(Choice.GO if event.board == 1 else Choice.STOP)
    drops = club.truth()["drops"]
    with club.terminal("carry-on") as second:
        second.wait_for("1  start: board 3B and pack are in   (Enter)")
        assert "Of what was to be dealt 1 of 4 are dealt; left: copy B: 3, copy C: 1, 3.\r\n" in second.shown
        assert "Boards in this order: 3B, 1C, 3C (last: 3C)." in second.shown
        assert club.truth()["drops"] == drops
        second.type("3\n")
        assert second.wait() == 1, second.shown


def test_a_board_of_which_only_the_intent_was_written_was_about_to_be_dealt_and_begins_from_its_first_card(
    club: Club, tuesday: Path
) -> None:
    with Store(Path(club.place[3]), now=utc_now) as store, Journal(store) as journal:
        stored = store.sets.add_imported(load_deals(tuesday)).stored
        intention = Intention(1, "", "SIM-0001", 1, 0, 0, stored.id, 1, simulated=True)
        plan = Plan.by_identity(1, load_deals(tuesday).boards[0].deal)
        journal.intend(intention, journal.plan_tag(1, plan.routing, plan.destinations()))
    with club.terminal("carry-on") as second:
        second.wait_for("Board 1 comes next.")
        told = "Board 1 of tuesday was about to be dealt when the program ended.\r\n"
        assert second.shown.startswith(told), "no card of it was begun, so that no time is told"
        assert "Board 1 was not started: no card of it was dealt.\r\n" in second.shown
        assert club.truth()["drops"] == 0
        second.type("\n")
        second.wait_for("Board 1 is GOOD.")
        assert second.wait() == 0, second.shown


def test_without_its_machine_the_program_says_what_was_under_way_and_shows_the_menu(club: Club, tuesday: Path) -> None:
    club.interrupt(load_deals(tuesday))
    with Terminal("--machine", "tcp:127.0.0.1:1", *club.place[2:]) as second:
        second.wait_for("Number: ")
        second.type("\n")
        assert second.wait() == 0, second.shown
    assert second.shown.startswith("Board 1 of tuesday was being dealt")
    assert "Deal the boards of a file" in second.shown
