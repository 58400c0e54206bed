"""What `dealctl deal` is to deal, and what is asked before: files, stored sets, new ones, corrected files, new hands.

Read next: `driver/cli/wanted.py`; `tests/cli/test_used_deals.py` for the same on a terminal, with a machine.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from driver import dealt
from driver.cli import corrected as corrected_files
from driver.cli import deal_source, wanted, which_set
from driver.cli.new_hands import give
from driver.cli.parser import build_parser
from driver.cli.refusals import NobodyToAsk
from driver.cli.wanted import Wanted, named_file, settle
from driver.deals.fairness import secret_digest
from driver.deals.formats import pbn_export
from driver.deals.generator import Championship, make, new_secret
from driver.deals.model import BoardDeal, DealSet
from driver.deals.public_value import lottery_rule
from driver.errors import (
    BadDeal,
    ConfigError,
    JobError,
    NothingOpen,
    UnknownFormat,
    UsedDeal,
    WrongPassphrase,
    WrongState,
)
from driver.making import made_of, make_game
from driver.new_hands import NewHands, plan_new_hands
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.sealing import Passphrase
from driver.store.store import Store
from driver.store.stored import SetKind, SetState, StoredSet
from driver.verdicts import Verdict
from tests.support import law_desk
from tests.support.law_desk import kinds, last
from tests.support.store import Clock, begun, deal, deal_set, judged, opened

WORDS = "nine wet llamas"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of day that everything reads; a passphrase costs no time."""
    clock = Clock()
    for module in (corrected_files, wanted, dealt, which_set):
        monkeypatch.setattr(module, "utc_now", clock)
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    return clock


class Desk:
    """A store, a folder for deal files, and a person at the terminal once `sit_down` was called."""

    def __init__(self, folder: Path, store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.store = store
        self.clock = clock
        self._monkeypatch = monkeypatch

    def sit_down(self, *lines: str) -> list[str]:
        """A person types these lines; the list that is given grows by each question."""
        for module in (wanted, deal_source):
            self._monkeypatch.setattr(module, "somebody_there", lambda *, as_json: not as_json)
        return law_desk.sit_down(self._monkeypatch, *lines)

    def file(self, deals: DealSet, name: str = "tuesday.pbn") -> str:
        """A PBN file with that set."""
        path = self.folder / name
        path.write_bytes(pbn_export.write(deals))
        return str(path)

    def settle(self, *words: str) -> Wanted:
        """What `dealctl deal` with these words would deal."""
        args = build_parser().parse_args(["deal", *words])
        return settle(args, self.store, named_file(args))

    def deal(
        self, *words: str, only: int | None = None, simulated: bool = False, verdict: Verdict | None = Verdict.GOOD
    ) -> Wanted:
        """Settles, and deals the first so many boards; `verdict` None = the last of them is interrupted."""
        found = self.settle(*words)
        items = found.items
        records = dealt.DealtRecords(self.store, items, simulated=simulated)
        for place, item in enumerate(items[:only], start=1):
            run = begun(self.store, records, item, simulated=simulated)
            if verdict is not None or place < len(items[:only]):
                judged(self.store, records, run, verdict or Verdict.GOOD)
        return found


def copies_of(found: Wanted) -> list[str]:
    return [f"{item.board}{item.copy}" for item in found.items]


@pytest.fixture
def desk(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """A desk with an empty store."""
    with opened(tmp_path / "data", clock) as store:
        yield Desk(tmp_path, store, clock, monkeypatch)


def corrected(deals: DealSet, *numbers: int) -> DealSet:
    """The set with other hands for those boards."""
    return replace(
        deals,
        boards=tuple(
            replace(board, deal=deal(900 + board.number)) if board.number in numbers else board for board in deals
        ),
    )


def new_hands(store: Store, stored: StoredSet, board: int, *copies: str) -> None:
    """The director gives the board new hands."""
    plan = plan_new_hands(board, spares=4, given=which_set.given_in(store, stored), copies=copies)
    assert isinstance(plan, NewHands)
    give(store, stored, plan, "Dora", "seen")


# A file


def test_an_ordinary_file_is_asked_nothing_and_stored_once(desk: Desk) -> None:
    asked = desk.sit_down()
    path = desk.file(deal_set(range(1, 25)))
    first, second = desk.settle(path), desk.settle(path)
    assert first.boards == tuple(range(1, 25))
    assert first.deals.set_id == second.deals.set_id
    assert [stored.kind for stored in desk.store.sets.newest_first()] == [SetKind.IMPORTED]
    assert kinds(desk.store) == [Decision.SET_IMPORTED]
    assert asked == []


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--boards", "24-25"), NothingOpen),
        (("--new", "4"), ConfigError),
    ],
)
def test_what_cannot_be_dealt_is_said_before_anything_is_stored(
    desk: Desk, words: tuple[str, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        desk.settle(desk.file(deal_set(range(1, 25))), *words)
    assert desk.store.sets.newest_first() == []


@pytest.mark.parametrize("name", ["never-heard-of", "s99", "x" * 5000, "https://example.org/?lin=\0"])
def test_a_name_that_is_neither_a_file_nor_a_set_is_said_so(desk: Desk, name: str) -> None:
    with pytest.raises(UnknownFormat, match="no file and no set"):
        desk.settle(name)


def test_a_file_of_last_week_is_asked_about_once_and_enter_stops(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 25)))
    desk.deal(path)
    desk.clock.later(days=7)
    asked = desk.sit_down("")
    with pytest.raises(UsedDeal):
        desk.settle(path)
    assert len(asked) == 1
    assert last(desk.store, Decision.USED_DEAL_STOPPED).details["boards"] == "1-24"


def test_where_nobody_can_be_asked_a_used_deal_is_refused_unless_an_option_answers(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 25)))
    desk.deal(path)
    desk.clock.later(days=7)
    with pytest.raises(UsedDeal, match=r"All 24 boards were dealt on Tue 24 Nov from tuesday\.pbn") as error:
        desk.settle(path)
    assert "--used" in error.value.hint
    assert desk.settle(path, "--used", "replace", "--name", "Ann").boards == tuple(range(1, 25))
    assert last(desk.store, Decision.USED_DEAL_REPLACED).who == "Ann"


def test_the_same_hands_in_another_file_and_under_other_numbers_are_met_too(desk: Desk) -> None:
    deals = deal_set(range(1, 4))
    desk.deal(desk.file(deals))
    other = replace(deals, boards=tuple(replace(board, number=board.number + 10) for board in deals))
    with pytest.raises(UsedDeal):
        desk.settle(desk.file(other, "other.pbn"))


def test_what_a_simulated_machine_dealt_is_not_used(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 4)))
    desk.deal(path, simulated=True)
    assert desk.settle(path).boards == (1, 2, 3)


def test_of_a_set_partly_dealt_today_only_the_rest_can_be_chosen(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 9)))
    desk.deal(path, only=3)
    desk.clock.later(minutes=5)
    asked = desk.sit_down("4")
    assert copies_of(desk.settle(path)) == ["4", "5", "6", "7", "8"]
    assert len(asked) == 1


def test_of_copies_broken_off_in_the_second_only_the_rest_of_that_is_left(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 4)))
    desk.deal(path, "--copies", "A,B", only=4)
    asked = desk.sit_down("4")
    left = desk.settle(path, "--copies", "A,B")
    assert copies_of(left) == ["2B", "3B"]
    assert not left.emptied
    assert copies_of(desk.settle(path, "--copies", "A,B", "--used", "rest")) == ["2B", "3B"]
    assert len(asked) == 1


def test_boards_of_this_evening_are_replaced_or_one_more_copy_is_dealt(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 4)))
    desk.deal(path)
    asked = desk.sit_down("2", "3", "")
    replaced, copied = desk.settle(path), desk.settle(path)
    assert (copies_of(replaced), replaced.emptied) == (["1", "2", "3"], True)
    assert (copies_of(copied), copied.emptied) == (["1B", "2B", "3B"], False)
    with pytest.raises(UsedDeal, match="as you asked"):
        desk.settle(path)
    assert len(asked) == 3
    assert kinds(desk.store)[-3:] == [
        Decision.USED_DEAL_REPLACED,
        Decision.USED_DEAL_ANOTHER_COPY,
        Decision.USED_DEAL_STOPPED,
    ]


def test_one_more_copy_has_the_next_name_that_none_of_these_boards_has(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 4)))
    desk.deal(path, "--boards", "1", "--copies", "B")
    desk.deal(path, "--boards", "2-3")
    assert copies_of(desk.settle(path, "--boards", "2-3", "--used", "copy")) == ["2B", "3B"]
    assert copies_of(desk.settle(path, "--boards", "1", "--copies", "B", "--used", "copy")) == ["1C"]


def test_one_more_copy_holds_the_hands_that_the_board_has_now(desk: Desk) -> None:
    stored = make_game(desk.store, name="monday", now=desk.clock)
    new_hands(desk.store, stored, 2)
    desk.deal("monday", "--boards", "2")
    copied = desk.settle("monday", "--boards", "2", "--used", "copy")
    ((item,), (first,)) = copied.items, desk.settle("monday", "--boards", "2", "--used", "replace").items
    assert (item.copy, item.deal) == ("B", first.deal)
    assert item.deal != copied.deals.find(2).deal  # type: ignore[union-attr]


def test_a_copy_that_is_named_and_three_more_boards_are_no_question(desk: Desk) -> None:
    path = desk.file(deal_set(range(1, 37)))
    desk.deal(path, only=24)
    asked = desk.sit_down()
    assert copies_of(desk.settle("tuesday", "--boards", "17", "--copies", "B")) == ["17B"]
    assert copies_of(desk.settle(path, "--boards", "17", "--copies", "B")) == ["17B"]
    assert copies_of(desk.settle("tuesday", "--boards", "25-27")) == ["25", "26", "27"]
    assert copies_of(desk.settle(path, "--boards", "25-27")) == ["25", "26", "27"]
    assert asked == []


@pytest.mark.parametrize("verdict", [None, Verdict.NOT_PROVEN, Verdict.DEAL_AGAIN])
def test_an_interrupted_board_counts_as_not_dealt(desk: Desk, verdict: Verdict | None) -> None:
    path = desk.file(deal_set(range(1, 4)))
    desk.deal(path, "--boards", "1", verdict=verdict)
    asked = desk.sit_down()
    assert desk.settle(path).boards == (1, 2, 3)
    desk.deal(path, "--boards", "1-2", only=2, verdict=None)
    desk.sit_down("4")
    assert copies_of(desk.settle(path)) == ["2", "3"]
    assert asked == []


def test_a_lesson_is_dealt_as_often_as_one_likes(desk: Desk) -> None:
    deals = deal_set(range(1, 4))
    desk.store.sets.add_imported(deals, kind=SetKind.LESSON)
    path = desk.file(deals)
    for _ in range(2):
        assert desk.deal(path).boards == (1, 2, 3)
    assert desk.store.register.uses([board.deal for board in deals]) == [()] * 3


# A name


def test_a_folder_of_that_name_is_no_file(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.settle(desk.file(deal_set([1])))
    (desk.folder / "tuesday").mkdir()
    monkeypatch.chdir(desk.folder)
    assert desk.settle("tuesday").boards == (1,)


def test_a_name_of_every_week_means_the_set_that_was_dealt_today(desk: Desk) -> None:
    weeks = [deal_set(range(1, 5), seed=week) for week in (1, 2, 3)]
    sets = []
    for deals in weeks:
        sets.append(desk.deal(desk.file(deals), only=3).deals.set_id)
        desk.clock.later(days=7)
    assert [desk.store.sets.find(one).name for one in sets] == ["tuesday", "tuesday-2", "tuesday-3"]

    with pytest.raises(NobodyToAsk, match="3 sets are called tuesday") as error:
        desk.settle("tuesday", "--boards", "4")
    assert sets[0] in error.value.hint
    assert desk.settle(sets[0], "--boards", "4").deals.set_id == sets[0]
    assert desk.settle("tuesday-2", "--boards", "4").deals.set_id == sets[1]
    asked = desk.sit_down("", "3")
    assert [desk.settle("tuesday", "--boards", "4").deals.set_id for _ in range(2)] == [sets[2], sets[0]]
    assert len(asked) == 2

    desk.deal("tuesday-2", "--boards", "4")
    assert desk.settle("tuesday", "--boards", "4", "--copies", "B").deals.set_id == sets[1]


# A corrected file


def test_of_a_corrected_file_only_the_changed_board_is_dealt_and_the_old_copies_are_named(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals), "--copies", "A,B")
    desk.clock.later(minutes=5)
    asked = desk.sit_down("")
    found = desk.settle(desk.file(corrected(deals, 17), "corrected.pbn"))
    assert found.boards == (17,)
    assert len(asked) == 1
    shown = capsys.readouterr().out
    assert "35 of 36 boards equal the set tuesday dealt today; other hands: 17." in shown
    assert "Take out of play: 17A and 17B" in shown
    assert "Law 87" in shown
    entry = last(desk.store, Decision.COPY_CHANGED)
    assert (entry.details["boards"], entry.details["copies"]) == ("17", "17A 17B")


def test_a_correction_that_was_not_dealt_is_offered_again_until_it_is(desk: Desk) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals))
    path = desk.file(corrected(deals, 17), "corrected.pbn")
    asked = desk.sit_down("", "")
    assert desk.settle(path).boards == (17,)
    assert desk.deal(path).boards == (17,)
    assert len(asked) == 2
    with pytest.raises(UsedDeal):
        desk.settle(path)
    assert len(asked) == 3


def test_what_was_not_dealt_yet_comes_with_what_was_corrected(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals), only=20)
    desk.sit_down("")
    found = desk.settle(desk.file(corrected(deals, 30), "corrected.pbn"))
    assert found.boards == tuple(range(21, 37))
    assert "Take out of play" not in capsys.readouterr().out
    assert Decision.COPY_CHANGED not in kinds(desk.store)


def test_all_of_a_corrected_file_is_a_question_of_used_deals(desk: Desk) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals))
    asked = desk.sit_down("2", "")
    with pytest.raises(UsedDeal):
        desk.settle(desk.file(corrected(deals, 17), "corrected.pbn"))
    assert len(asked) == 2
    assert Decision.COPY_CHANGED not in kinds(desk.store)


def test_a_corrected_file_can_be_left_alone(desk: Desk) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals))
    desk.sit_down("3")
    with pytest.raises(BadDeal, match="as you asked"):
        desk.settle(desk.file(corrected(deals, 17), "corrected.pbn"))


def test_whoever_names_the_corrected_board_is_asked_nothing_and_told_the_same(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals))
    path = desk.file(corrected(deals, 17), "corrected.pbn")
    assert desk.settle(path, "--boards", "17", "--name", "Ann").boards == (17,)
    assert "Take out of play: 17, dealt today with the old hands of board 17." in capsys.readouterr().out
    assert last(desk.store, Decision.COPY_CHANGED).who == "Ann"
    desk.settle(path, "--boards", "17", "--json")
    assert json.loads(capsys.readouterr().out)["copies"] == ["17"]


@pytest.mark.parametrize("simulated", [True, False], ids=["on a simulated machine", "last week"])
def test_a_set_that_was_not_dealt_today_is_not_offered_as_a_corrected_one(desk: Desk, simulated: bool) -> None:
    deals = deal_set(range(1, 37))
    desk.deal(desk.file(deals), simulated=simulated)
    desk.clock.later(days=0 if simulated else 7)
    asked = desk.sit_down("")
    path = desk.file(corrected(deals, 17), "corrected.pbn")
    if simulated:
        assert desk.settle(path).boards == deals.numbers
        assert asked == []
    else:
        with pytest.raises(UsedDeal):
            desk.settle(path)
        assert len(asked) == 1


# A new set and its supplements


def test_new_boards_are_made_and_asked_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    asked = desk.sit_down()
    found = desk.deal("--new", "4")
    assert found.boards == (1, 2, 3, 4)
    assert found.deals.name in capsys.readouterr().out
    assert asked == []


def test_a_script_is_told_the_name_of_a_new_set(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    found = desk.settle("--new", "4", "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["event"], told["name"], told["id"]) == ("made", found.deals.name, found.deals.set_id)


def test_more_boards_and_another_copy_of_a_set_are_asked_nothing(desk: Desk) -> None:
    asked = desk.sit_down()
    name = desk.deal("--new", "4").deals.name
    assert desk.deal(name, "--boards", "5-6").boards == (5, 6)
    assert desk.deal(name, "--boards", "4", "--copies", "B").boards == (4,)
    assert asked == []
    desk.sit_down("")
    with pytest.raises(UsedDeal):
        desk.settle(name, "--boards", "4", "--copies", "B")


def test_beyond_board_36_the_set_goes_on_in_a_further_one(desk: Desk) -> None:
    found = desk.deal("--new", "38")
    assert found.boards == tuple(range(1, 39))
    first, further = reversed(desk.store.sets.newest_first())
    sets = {item.board: item.set_id for item in found.items}
    assert (sets[36], sets[37], sets[38]) == (first.id, further.id, further.id)
    assert desk.settle(first.name, "--boards", "36-40", "--used", "repair").deals.find(40) is not None
    assert desk.settle(first.name, "--boards", "80").deals.find(80) is not None
    assert len(desk.store.sets.newest_first()) == 3


def test_copies_and_interrupted_boards_of_a_further_set_are_those_of_the_first(desk: Desk) -> None:
    asked = desk.sit_down()
    name = desk.deal("--new", "37").deals.name
    assert desk.deal(name, "--boards", "37", "--copies", "B").boards == (37,)
    desk.deal(name, "--boards", "38", verdict=None)
    assert desk.settle(name, "--boards", "38").boards == (38,)
    assert asked == []


@pytest.mark.parametrize(("further", "board"), [(False, "361"), (True, "5")])
def test_boards_that_no_set_has_are_refused(desk: Desk, further: bool, board: str) -> None:
    desk.settle("--new", "38")
    supplement, first = desk.store.sets.newest_first()
    with pytest.raises(JobError):
        desk.settle((supplement if further else first).name, "--boards", board)


# New hands


def test_new_hands_for_one_copy_are_dealt_to_that_copy_alone(desk: Desk) -> None:
    stored = make_game(desk.store, now=desk.clock)
    made = made_of(desk.store, stored)
    new_hands(desk.store, stored, 17, "B")
    found = desk.settle(stored.name, "--boards", "17-18", "--copies", "A,B")
    hands = {(item.board, item.copy): item.deal for item in found.items}
    first = {board.number: board.deal for board in made.boards()}
    assert (hands[17, "A"], hands[17, "B"]) == (first[17], made.spares[0])
    assert hands[18, "A"] == hands[18, "B"] == first[18]


def test_new_hands_of_a_further_set_come_from_its_own_spare_deals(desk: Desk) -> None:
    desk.settle("--new", "38")
    further, first = desk.store.sets.newest_first()
    new_hands(desk.store, further, 37)
    (item,) = desk.settle(first.name, "--boards", "37").items
    assert item.deal == made_of(desk.store, further).spares[0]


def test_new_hands_were_never_dealt_and_are_asked_nothing(desk: Desk) -> None:
    name = desk.deal("--new", "4").deals.name
    new_hands(desk.store, desk.store.sets.find(name), 3)
    asked = desk.sit_down()
    assert desk.settle(name, "--boards", "3").boards == (3,)
    assert asked == []


# Sealed sets and championships


def sealed_game(store: Store) -> StoredSet:
    made = make()
    seal = Passphrase(WORDS)
    return store.sets.add_made("sealed", SetKind.GAME, made.secret, made.manifest.text, seal=seal).stored


def championship(store: Store, details: Championship | None = None, *steps: SetState) -> StoredSet:
    made = make(details or Championship(club="Club"))
    seal = Passphrase(WORDS)
    stored = store.sets.add_made("final", SetKind.CHAMPIONSHIP, made.secret, made.manifest.text, seal=seal).stored
    for step in steps:
        stored = store.sets.set_state(stored, step)
    return stored


@pytest.fixture
def words_file(tmp_path: Path) -> str:
    """A file with the passphrase."""
    path = tmp_path / "words.txt"
    path.write_text(f"{WORDS}\n", encoding="utf-8")
    return str(path)


def test_a_sealed_set_needs_the_file_with_its_passphrase_in_a_script(desk: Desk, words_file: str) -> None:
    stored = sealed_game(desk.store)
    with pytest.raises(WrongPassphrase) as error:
        desk.settle(stored.name)
    assert "--passphrase-file" in error.value.hint
    assert desk.settle(stored.name, "--boards", "1-3", "--passphrase-file", words_file).boards == (1, 2, 3)
    with pytest.raises(NothingOpen):
        desk.settle(stored.name, "--boards", "37", "--passphrase-file", words_file)


def test_a_draft_of_a_championship_cannot_be_dealt(desk: Desk, words_file: str) -> None:
    stored = championship(desk.store)
    with pytest.raises(WrongState) as error:
        desk.settle(stored.name, "--passphrase-file", words_file)
    assert "dealctl sets final --announce" in error.value.hint


def test_a_championship_is_dealt_once_more_only_in_the_name_of_a_director(desk: Desk, words_file: str) -> None:
    stored = championship(desk.store, None, SetState.COMMITTED)
    words = (stored.name, "--boards", "1-2", "--passphrase-file", words_file)
    desk.deal(*words)
    assert desk.store.sets.find(stored.id).state is SetState.SEALED
    with pytest.raises(UsedDeal):
        desk.settle(*words, "--used", "repair")
    assert desk.settle(*words, "--used", "repair", "--name", "Dora").boards == (1, 2)
    assert desk.settle(stored.name, "--boards", "3", "--passphrase-file", words_file).boards == (3,)


def test_after_the_play_no_further_board_of_a_championship_is_dealt(desk: Desk, words_file: str) -> None:
    stored = championship(desk.store, None, SetState.COMMITTED)
    words = (stored.name, "--passphrase-file", words_file, "--name", "Dora", "--used", "replay")
    desk.deal(*words, "--boards", "1-2")
    for step in (SetState.IN_PLAY, SetState.ENDED):
        desk.store.sets.set_state(desk.store.sets.find(stored.id), step)
    assert desk.settle(*words, "--boards", "1-2").boards == (1, 2)
    with pytest.raises(WrongState, match="no further board"):
        desk.settle(*words, "--boards", "2-3")


def test_a_set_of_two_persons_needs_the_second_secret(desk: Desk, words_file: str, tmp_path: Path) -> None:
    second = new_secret()
    details = Championship(second_sha256=secret_digest(second))
    stored = championship(desk.store, details, SetState.COMMITTED)
    words = (stored.name, "--boards", "1", "--passphrase-file", words_file)
    with pytest.raises(ConfigError) as error:
        desk.settle(*words)
    assert "--second" in error.value.hint
    path = tmp_path / "second.txt"
    path.write_text(second.hex(), encoding="ascii")
    assert desk.settle(*words, "--second", str(path)).boards == (1,)


def test_a_championship_waits_for_its_public_value(desk: Desk, words_file: str) -> None:
    rule = lottery_rule("Lotto", date(2026, 11, 23))
    stored = championship(desk.store, Championship(rule=rule), SetState.COMMITTED)
    words = (stored.name, "--boards", "1", "--passphrase-file", words_file)
    with pytest.raises(WrongState, match="public value"):
        desk.settle(*words)
    desk.store.sets.fix_public_value(stored, "1 2 3 4 5 6")
    assert desk.settle(*words).boards == (1,)


# What looks like a mistake


def test_that_somebody_confirmed_what_looks_like_a_mistake_is_written_down(desk: Desk) -> None:
    twice = replace(deal_set([1]), boards=(BoardDeal(1, deal(1)), BoardDeal(2, deal(1))))

    desk.settle(desk.file(twice), "--suspect-boards-too", "--name", "Ann")

    (entry,) = [one for one in desk.store.decisions.newest_first() if one.what is Decision.SUSPECT_CONFIRMED]
    assert (entry.who, entry.details["why"]) == ("Ann", ("Boards 1, 2 have the same hands.",))


# Orders


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ((), ["1A", "2A", "1B", "2B"]),
        (("--by-board",), ["1A", "1B", "2A", "2B"]),
        (("--descending",), ["2A", "1A", "2B", "1B"]),
        (("--by-board", "--descending"), ["2A", "2B", "1A", "1B"]),
    ],
)
def test_the_copies_come_box_by_box_or_board_by_board_up_or_down(
    desk: Desk, words: tuple[str, ...], names: list[str]
) -> None:
    path = desk.file(deal_set([1, 2]))
    assert copies_of(desk.settle(path, "--copies", "A,B", *words)) == names
