"""Stored sets, new ones and deals dealt before: on a terminal and in scripts, with a simulated machine that counts.

Read next: `program.py`, `driver/cli/wanted.py`; `tests/unit/test_wanted.py` for every case without a machine.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from driver.again import hands_now
from driver.cli.simulator import Simulator
from driver.clock import utc_now
from driver.deals.loader import load_deals
from driver.deals.model import DealSet
from driver.store.decisions import Decision, Entry
from driver.store.store import Store
from protocol.cards import Seat
from tests.cli.program import CLUB, Ran, Terminal, dealctl, shown_hands
from tests.support.store import dealt_earlier

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

GOOD_LINE = re.compile(r"^board (\w+) GOOD\r?$", re.MULTILINE)
HAND = re.compile(r'^\[Deal "(.*)"\]', re.MULTILINE)
NAME = re.compile(r"^New set (\S+): boards", re.MULTILINE)
WORDS = "nine wet llamas"


class Room:
    """One computer with its data folder beside one simulated machine, whose person puts the boards in."""

    def __init__(self, data: Path, machine: Simulator) -> None:
        self.data = data
        self.machine = machine
        self._place = ("--machine", machine.url, "--data", data)

    def script(self, *words: str | Path) -> Ran:
        """A command where nobody can be asked."""
        return dealctl(*words, *self._place, DEALCTL_SIMULATED_COUNTS="1")

    def deal(self, *words: str | Path) -> Ran:
        """A script that deals, to the end."""
        ran = self.script("deal", *words, "--auto")
        assert ran.code == 0, ran.all
        return ran

    def terminal(self, *words: str | Path) -> Terminal:
        """A command with a person at the terminal."""
        return Terminal(*words, "--plain", "--quiet", *self._place, DEALCTL_SIMULATED_COUNTS="1")

    def store(self) -> Store:
        """What is stored."""
        return Store(self.data, now=utc_now)

    def entry(self, what: Decision) -> Entry:
        """The newest entry of that kind in the log of decisions."""
        with self.store() as store:
            return next(entry for entry in store.decisions.newest_first() if entry.what is what)

    def hands_of(self, name: str, copy: str = "") -> DealSet:
        """The set as that copy of it is now."""
        with self.store() as store:
            return hands_now(store, store.sets.find(name)).of_copy(copy)

    def pockets(self, board: int) -> list[Any]:
        """What truly lies in each copy of that board that was put in, in their order."""
        return [one["pockets"] for one in self.machine.ask({"do": "truth", "board": board})["boards"]]

    def turn_back(self, days: int) -> None:
        """All that was dealt was dealt so many days earlier."""
        with self.store() as store:
            dealt_earlier(store, days)


@pytest.fixture
def boards() -> str:
    """The boards that the person puts in, in this order."""
    return "1-4"


@pytest.fixture
def room(tmp_path: Path, boards: str) -> Iterator[Room]:
    """An empty data folder and a machine."""
    with Simulator(["--person", "--boards", boards, "--speed", "200"]) as machine:
        yield Room(tmp_path / "data", machine)


def lies(pockets: list[list[int]], deals: DealSet, number: int) -> bool:
    """Whether those pockets hold that board's hands."""
    board = deals.find(number)
    assert board is not None
    return [sorted(pocket) for pocket in pockets] == [[int(card) for card in board.deal.hand(seat)] for seat in Seat]


def one_enter(terminal: Terminal) -> None:
    """Presses the one Enter that is wanted, and sees the job end well."""
    terminal.wait_for("(Enter)")
    terminal.type("\n")
    assert terminal.wait() == 0, terminal.shown
    assert terminal.shown.count("(Enter)") == 1


def test_new_boards_are_one_command_and_one_enter_and_their_hands_are_nowhere(room: Room) -> None:
    with room.terminal("deal", "--new", "4") as terminal:
        one_enter(terminal)
    assert GOOD_LINE.findall(terminal.shown) == ["1", "2", "3", "4"]
    (name,) = NAME.findall(terminal.shown.replace("\r", ""))
    deals = room.hands_of(name)
    assert all(lies(room.pockets(number)[0], deals, number) for number in (1, 2, 3, 4))
    for file in room.data.iterdir():
        assert not shown_hands(file.read_bytes().decode("latin-1"), deals)
    assert not shown_hands(terminal.shown, deals)


def test_without_a_machine_no_new_set_is_left_behind(tmp_path: Path) -> None:
    ran = dealctl("deal", "--new", "4", "--auto", "--machine", "tcp:127.0.0.1:1", "--data", tmp_path)
    assert ran.code == 3, ran.all
    with Store(tmp_path, now=utc_now) as store:
        assert store.sets.newest_first() == []


@pytest.mark.parametrize("boards", ["36-38"])
def test_beyond_board_36_a_new_set_goes_on(room: Room) -> None:
    ran = room.deal("--new", "38", "--boards", "36-38")
    assert GOOD_LINE.findall(ran.out) == ["36", "37", "38"]
    (name,) = NAME.findall(ran.out)
    assert lies(room.pockets(37)[0], room.hands_of(f"{name}-from-37"), 37)


@pytest.mark.parametrize("boards", ["1-3,1,1"])
def test_more_boards_and_one_more_copy_are_one_enter_each_and_again_needs_no_question(room: Room) -> None:
    room.deal(CLUB, "--boards", "1")
    with room.terminal("deal", "club36", "--boards", "2-3") as more:
        one_enter(more)
    with room.terminal("deal", "club36", "--boards", "1", "--copies", "B") as copy:
        one_enter(copy)
    with room.terminal("again", "1") as again:
        one_enter(again)
    assert "Board 1B again, same hands, from the set club36." in again.shown
    assert (room.entry(Decision.DEALT_AGAIN).details["board"], room.entry(Decision.DEALT_AGAIN).details["copy"]) == (
        1,
        "B",
    )
    assert all(lies(pockets, load_deals(CLUB), 1) for pockets in room.pockets(1))


def test_a_file_of_last_week_is_asked_about_once_and_stops(room: Room) -> None:
    room.deal(CLUB, "--boards", "1-2")
    room.turn_back(days=7)
    words = ("deal", CLUB, "--boards", "1-2")
    refused = room.script(*words, "--auto")
    assert refused.code == 7, refused.all
    assert "--used replace, --used copy" in refused.err
    as_json = room.script(*words, "--auto", "--json")
    assert as_json.code == 7
    assert [json.loads(line)["event"] for line in as_json.out.splitlines()] == ["error"]

    with room.terminal(*words) as terminal:
        terminal.wait_for("1  Stop, wrong file   (Enter)")
        assert "All 2 boards were dealt on" in terminal.shown
        terminal.type("\n")
        assert terminal.wait() == 7, terminal.shown
    assert terminal.shown.count("(Enter)") == 1
    assert room.entry(Decision.USED_DEAL_STOPPED).details["boards"] == "1, 2"
    assert len(room.pockets(1)) == 1
    assert not shown_hands(refused.all + as_json.all + terminal.shown, load_deals(CLUB))


@pytest.mark.parametrize("boards", ["1-2,1-2"])
def test_a_used_set_is_dealt_when_an_option_says_that_it_is_meant(room: Room) -> None:
    room.deal(CLUB, "--boards", "1-2")
    room.turn_back(days=7)
    ran = room.deal(CLUB, "--boards", "1-2", "--used", "replace", "--name", "Ann")
    assert GOOD_LINE.findall(ran.out) == ["1", "2"]
    assert room.entry(Decision.USED_DEAL_REPLACED).who == "Ann"


def test_of_a_set_partly_dealt_today_the_rest_is_dealt(room: Room) -> None:
    room.deal(CLUB, "--boards", "1-2")
    with room.terminal("deal", CLUB, "--boards", "1-4") as terminal:
        terminal.wait_for("4  Deal only what was not dealt yet: boards 3 and 4")
        terminal.type("4\n")
        terminal.wait_for("Board 3 comes next.")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert GOOD_LINE.findall(terminal.shown) == ["3", "4"]


@pytest.mark.parametrize("boards", ["1-2,1-2,1-2"])
def test_boards_of_this_evening_are_replaced_or_copied_by_one_answer(room: Room) -> None:
    room.deal(CLUB, "--boards", "1-2")
    with room.terminal("deal", CLUB, "--boards", "1-2") as terminal:
        terminal.wait_for("1  Stop, nothing is dealt   (Enter)")
        terminal.wait_for("2  Replace: same hands, same boards. First take the old cards out of boards 1 and 2")
        terminal.wait_for("3  One more copy, B: same hands into other boards.")
        terminal.type("2\n")
        terminal.wait_for("Board 1 comes next.")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert GOOD_LINE.findall(terminal.shown) == ["1", "2"]
    copied = room.deal(CLUB, "--boards", "1-2", "--used", "copy")
    assert GOOD_LINE.findall(copied.out) == ["1B", "2B"]
    deals = load_deals(CLUB)
    assert all(lies(pockets, deals, number) for number in (1, 2) for pockets in room.pockets(number))
    with room.store() as store:
        entries = store.decisions.newest_first()
        uses = store.register.uses([deals.boards[0].deal])[0]
    assert [entry.what for entry in entries[:2]] == [Decision.USED_DEAL_ANOTHER_COPY, Decision.USED_DEAL_REPLACED]
    assert [use.copy for use in uses] == ["B", "", ""]


@pytest.mark.parametrize("boards", ["1-2,3-4,1-2"])
def test_pack_colours_are_named_once_and_remembered_when_somebody_says_so(room: Room) -> None:
    once = room.deal(CLUB, "--boards", "1-2", "--packs", "2", "--pack-colours", "red,blue")
    assert "face down, red: it becomes board 1." in once.out
    kept = room.deal(CLUB, "--boards", "3-4", "--packs", "2", "--pack-colours", "green,white", "--remember")
    assert "face down, white: it becomes board 4." in kept.out
    later = room.deal(CLUB, "--boards", "1-2", "--copies", "B", "--packs", "2")
    assert "face down, green: it becomes board 1B." in later.out
    assert room.entry(Decision.PACK_COLOURS).details == {"odd": "green", "even": "white"}


@pytest.mark.parametrize("boards", ["1-3,2"])
def test_of_a_corrected_file_the_changed_board_is_dealt(room: Room, tmp_path: Path) -> None:
    texts = CLUB.read_text(encoding="latin-1").split("[Event ")
    first = tmp_path / "tuesday.pbn"
    first.write_text("[Event ".join(texts[:4]), encoding="latin-1")
    deals = HAND.findall(CLUB.read_text(encoding="latin-1"))
    room.deal(first)
    second = tmp_path / "corrected.pbn"
    second.write_text(first.read_text(encoding="latin-1").replace(deals[1], deals[20]), encoding="latin-1")
    with room.terminal("deal", second, "--name", "Ann") as terminal:
        terminal.wait_for("1  Deal only board 2   (Enter)")
        terminal.type("\n")
        terminal.wait_for("Take out of play: 2, dealt today")
        terminal.wait_for("Board 2 comes next.")
        terminal.type("\n")
        assert terminal.wait() == 0, terminal.shown
    assert GOOD_LINE.findall(terminal.shown) == ["2"]
    assert lies(room.pockets(2)[1], load_deals(second), 2)
    entry = room.entry(Decision.COPY_CHANGED)
    assert (entry.who, entry.details["copies"]) == ("Ann", "2")


@pytest.mark.parametrize("boards", ["2,2"])
def test_new_hands_for_one_copy_are_dealt_to_that_copy(room: Room) -> None:
    made = room.script("make", "--name", "monday", "--boards", "4")
    assert made.code == 0, made.all
    given = room.script("new-hands", "2", "--copies", "B", "--name", "Dora", "--reason", "seen")
    assert given.code == 0, given.all
    room.deal("monday", "--boards", "2", "--copies", "A,B")
    for_a, for_b = room.pockets(2)
    old, new = room.hands_of("monday"), room.hands_of("monday", "B")
    assert old.find(2) != new.find(2)
    assert lies(for_a, old, 2)
    assert lies(for_b, new, 2)


@pytest.mark.parametrize("boards", ["1-2,1"])
def test_a_championship_is_announced_dealt_and_sealed_and_a_board_dealt_again(room: Room, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text(f"{WORDS}\n", encoding="utf-8")
    opened = ("--passphrase-file", words)
    made = room.script("make", "--championship", "--name", "final", "--boards", "2", *opened)
    assert made.code == 0, made.all
    deal = ("deal", "final", "--boards", "1-2", "--auto")
    draft = room.script(*deal, *opened)
    assert draft.code == 1
    assert "dealctl sets final --announce" in draft.err
    assert room.script("sets", "final", "--announce", tmp_path / "sheet.txt").code == 0
    closed = room.script(*deal)
    assert closed.code == 1
    assert "--passphrase-file" in closed.err
    assert room.script(*deal, *opened).code == 0
    assert json.loads(room.script("sets", "final", "--json").out)["state"] == "dealt"
    assert room.entry(Decision.DEALING_BEGUN).number < room.entry(Decision.SEALED).number

    again = room.script("again", "1", "--auto", *opened)
    assert again.code == 0, again.all
    first, second = room.pockets(1)
    assert [sorted(pocket) for pocket in first] == [sorted(pocket) for pocket in second]
    assert room.script(*deal, *opened, "--used", "repair").code == 7
    closed_again = room.script("again", "1", "--auto")
    assert closed_again.code == 1
    assert "--passphrase-file" in closed_again.err
