"""How often a person is asked, on a terminal: once before the first card, and no more as long as all goes well.

Each test types one answer for each question that it grants. A program that asks once more waits for ever, and the test
fails; one that asks less leaves an answer unread. Read next: `program.py`, `driver/cli/console.py`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from driver.cli.simulator import Simulator
from driver.clock import utc_now
from driver.deals.loader import load_deals
from driver.dealt import COUNTS_VARIABLE
from driver.store.decisions import Decision
from driver.store.store import Store
from tests.cli.program import CLUB, Terminal, shown_hands
from tests.support.store import dealt

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into")

START = "and pack are in   (Enter)"
CLEARED = "1  go on: board 1 is in   (Enter)"
QUESTION = re.compile(r"\(Enter\)|\[y/N\]|Number: |Type a number|: $|\? $", re.MULTILINE)
"""What stands where somebody is asked."""
GOOD = re.compile(r"^board (\w+) GOOD\r?$", re.MULTILINE)


@pytest.fixture
def tuesday(tmp_path: Path) -> Path:
    """The club's file under a name of its own."""
    path = tmp_path / "tuesday.pbn"
    path.write_bytes(CLUB.read_bytes())
    return path


class Club:
    """A machine with somebody who puts in boards, a data folder, and a person at the terminal."""

    def __init__(self, machine: Simulator, data: Path) -> None:
        self.data = data
        self._machine = machine

    def deal(self, *words: str | Path, answers: tuple[tuple[str, str], ...] = ((START, "\n"),), code: int = 0) -> str:
        """What the command showed; it gets one answer after the other, each when its question stands there."""
        place = ("--machine", self._machine.url, "--data", self.data, "--plain", "--quiet")
        with Terminal(*words, *place, **{COUNTS_VARIABLE: "1"}) as terminal:  # type: ignore[arg-type]
            for question, answer in answers:
                terminal.wait_for(question)
                assert question != START or "Dealing board" not in terminal.shown
                terminal.type(answer)
            assert terminal.wait() == code, terminal.shown
        assert not shown_hands(terminal.shown, load_deals(CLUB))
        return terminal.shown


@pytest.fixture
def club(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Club]:
    """With the boards that the test names, put in one after the other."""
    boards, *more = request.param
    with Simulator(["--person", "--boards", boards, "--speed", "1000", *more]) as machine:
        yield Club(machine, tmp_path / "data")


def boards_put_in(*options: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("club", [options], indirect=True, ids=[options[0]])


@boards_put_in("1-36")
def test_a_downloaded_file_is_one_command_and_one_enter(club: Club, tuesday: Path) -> None:
    shown = club.deal("deal", tuesday)

    assert GOOD.findall(shown) == [str(number) for number in range(1, 37)]
    assert len(QUESTION.findall(shown)) == 1


@boards_put_in("1-24")
def test_new_boards_are_one_command_and_one_enter(club: Club) -> None:
    shown = club.deal("deal", "--new", "24")

    assert GOOD.findall(shown) == [str(number) for number in range(1, 25)]
    assert len(QUESTION.findall(shown)) == 1


@boards_put_in("1-3,2,2,25-27,17,17")
def test_later_the_same_evening_each_command_is_one_enter(club: Club, tuesday: Path) -> None:
    club.deal("deal", tuesday, "--boards", "1-3")
    again = club.deal("again", "2")
    copy = club.deal("deal", "tuesday", "--boards", "2", "--copies", "B")
    more = club.deal("deal", "tuesday", "--boards", "25-27")
    club.deal("deal", tuesday, "--boards", "17")
    once_more = club.deal("again", "17")

    assert GOOD.findall(again) == ["2"]
    assert GOOD.findall(copy) == ["2B"]
    assert GOOD.findall(more) == ["25", "26", "27"]
    assert GOOD.findall(once_more) == ["17"]
    assert [len(QUESTION.findall(shown)) for shown in (again, copy, more, once_more)] == [1, 1, 1, 1]


@boards_put_in("1-2,1-2,1")
def test_boards_dealt_already_this_evening_are_one_question_more(club: Club, tuesday: Path) -> None:
    club.deal("deal", tuesday, "--boards", "1-2")
    replaced = club.deal("deal", tuesday, "--boards", "1-2", answers=(("Number: ", "2\n"), (START, "\n")))
    copied = club.deal("deal", tuesday, "--boards", "1", answers=(("Number: ", "3\n"), (START, "\n")))
    stopped = club.deal("deal", tuesday, "--boards", "1", answers=(("Number: ", "\n"),), code=7)

    assert GOOD.findall(replaced) == ["1", "2"]
    assert GOOD.findall(copied) == ["1B"]
    assert "Dealing" not in stopped
    assert [shown.count("Number: ") for shown in (replaced, copied, stopped)] == [1, 1, 1]


@boards_put_in("1-3", "--speed", "5")
def test_what_is_left_of_a_job_is_gone_on_with_by_one_command_and_one_enter(club: Club, tuesday: Path) -> None:
    """So slow that no question follows the answer before it at once: then no key would count for a moment."""
    stop_after_1 = ((START, "\n"), ("board 2 and pack are in", "3\n"))
    club.deal("deal", tuesday, "--boards", "1-3", "--ask-each", answers=stop_after_1, code=1)
    shown = club.deal("carry-on")

    assert GOOD.findall(shown) == ["2", "3"]
    assert len(QUESTION.findall(shown)) == 1


@boards_put_in("1-2,25-27,1")
def test_a_new_set_goes_on_with_one_enter_for_each_command(club: Club) -> None:
    club.deal("deal", "--new", "2")
    with Store(club.data, now=utc_now) as store:
        (made,) = store.sets.newest_first()
    more = club.deal("deal", made.name, "--boards", "25-27")
    copy = club.deal("deal", made.name, "--boards", "1", "--copies", "B")

    assert GOOD.findall(more) == ["25", "26", "27"]
    assert GOOD.findall(copy) == ["1B"]
    assert [len(QUESTION.findall(shown)) for shown in (more, copy)] == [1, 1]


@boards_put_in("1", "--fault", "jam-path@23", "--speed", "3")
def test_a_jam_is_one_question_and_the_board_goes_on(club: Club, tuesday: Path) -> None:
    """So slow that the question does not follow the first answer at once: then no key would count for a moment."""
    shown = club.deal("deal", tuesday, "--boards", "1", answers=((START, "\n"), (CLEARED, "\n")))

    assert GOOD.findall(shown) == ["1"]
    assert len(QUESTION.findall(shown)) == 2


def dealt_a_week_ago(data: Path, file: Path) -> None:
    """Boards 1 and 2 of the file were dealt by a real machine."""
    then = utc_now() - timedelta(days=7)
    with Store(data, now=lambda: then) as store:
        stored = store.sets.add_imported(load_deals(file)).stored
        for board in load_deals(file).boards[:2]:
            run = dealt(store, stored.id, board.number)
            store.register.note(board.deal, stored.id, board.number, "", run, then)


def decisions(data: Path) -> list[Decision]:
    with Store(data, now=utc_now) as store:
        return [entry.what for entry in store.decisions.newest_first()]


@boards_put_in("1")
def test_a_file_dealt_last_week_is_one_question_and_enter_stops(club: Club, tuesday: Path) -> None:
    dealt_a_week_ago(club.data, tuesday)

    shown = club.deal("deal", tuesday, "--boards", "1-2", answers=(("Number: ", "\n"),), code=7)

    assert "1  Stop, wrong file   (Enter)" in shown
    assert "Machine:" not in shown
    assert "Dealing" not in shown
    assert decisions(club.data)[0] is Decision.USED_DEAL_STOPPED


@boards_put_in("1-2")
def test_a_file_dealt_last_week_that_is_meant_is_one_question_more(club: Club, tuesday: Path) -> None:
    dealt_a_week_ago(club.data, tuesday)

    shown = club.deal("deal", tuesday, "--boards", "1-2", "--name", "Ann", answers=(("Number: ", "4\n"), (START, "\n")))

    assert GOOD.findall(shown) == ["1", "2"]
    assert decisions(club.data)[0] is Decision.USED_DEAL_SAME_EVENT
