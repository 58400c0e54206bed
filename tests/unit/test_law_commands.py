"""`new-hands` and `seen`: what is asked, what is written down, and which hands a board has afterwards.

Read next: `driver/cli/new_hands.py`, `driver/cli/seen.py`; `test_show.py` for a look at a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.cli import new_hands, seen
from driver.cli.exit_codes import exit_code_of
from driver.cli.refusals import NobodyToAsk
from driver.cli.which_set import board_in_force, given_in, notes_on, set_of_board
from driver.errors import AlteredDeal, NothingOpen, WrongState
from driver.new_hands import NewHands, plan_new_hands
from driver.seen_card import QUESTION
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import SetState
from tests.support.law_desk import (
    Clock,
    Types,
    arguments,
    championship_set,
    dealt,
    file_set,
    game_set,
    kinds,
    last,
    set_clock,
    sit_down,
)
from tests.support.store import dealt_earlier


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return set_clock(monkeypatch)


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store(tmp_path, now=clock) as store:
        yield store


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Types:
    return lambda *lines: sit_down(monkeypatch, *lines)


def test_the_director_gives_new_hands_to_a_board(
    store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    before = board_in_force(store, stored, arguments(tmp_path, 9, copy=""))
    asked = types("3", "Dora", "the board fell down")
    assert new_hands.run(arguments(tmp_path)) == 0

    assert asked == ["Number: ", "Name of the director: ", "Reason: "]
    written = last(store, Decision.NEW_HANDS)
    assert written.who == "Dora"
    assert {name: written.details[name] for name in ("board", "spare", "law", "reason", "director")} == {
        "board": 9,
        "spare": 1,
        "law": "6D3",
        "reason": "the board fell down",
        "director": True,
    }
    after = board_in_force(store, stored, arguments(tmp_path, 9, copy=""))
    assert after.deal != before.deal
    assert (after.dealer, after.vulnerability) == (before.dealer, before.vulnerability)
    assert board_in_force(store, stored, arguments(tmp_path, 10, copy="")).number == 10
    shown = capsys.readouterr().out
    assert "Law 22B" in shown
    assert "Law 86A" in shown
    assert shown.endswith("Board 9 has new hands now (Law 6D3). Deal it: dealctl deal monday --boards 9\n")


def test_every_copy_that_must_be_dealt_anew_is_in_a_command(
    store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    dealt(store, stored, 9, "", run=1)
    dealt(store, stored, 9, "B", run=2)
    types("3", "Dora", "coffee")
    new_hands.run(arguments(tmp_path))

    shown = capsys.readouterr().out
    assert "Bring back board 9, the first copy and copy B" in shown
    first, both = "dealctl deal monday --boards 9", "dealctl deal monday --boards 9 --copies B"
    assert shown.endswith(f"Deal it: {first}, then {both}\n")


def test_new_hands_for_a_named_copy_foul_the_board_and_that_is_written_down(
    store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    dealt(store, stored, 9, "A", run=1)
    dealt(store, stored, 9, "B", run=2)
    types("3", "Dora", "")
    new_hands.run(arguments(tmp_path, copies=("B",)))

    assert kinds(store) == [Decision.NEW_HANDS, Decision.COPY_CHANGED]
    assert last(store, Decision.COPY_CHANGED).details["groups"] == "A; B"
    assert board_in_force(store, stored, arguments(tmp_path, 9, copy="A")) != board_in_force(
        store, stored, arguments(tmp_path, 9, copy="B")
    )
    shown = capsys.readouterr().out
    assert "Law 87: scored by groups." in shown
    assert shown.endswith("Deal it: dealctl deal monday --boards 9 --copies B\n")


@pytest.mark.parametrize(("typed", "who"), [("Ann", "Ann"), ("", "Dora")], ids=["somebody else", "Enter"])
def test_a_card_is_not_noted_for_whoever_decided_something_before(
    typed: str, who: str, store: Store, types: Types, tmp_path: Path
) -> None:
    stored = game_set(store)
    dealt(store, stored, 9, "", run=1)
    store.decisions.append(Decision.LOOKED_AT_HAND, "Dora", set=stored.id, board=9, copy="", director=True)
    asked = types("y", typed)
    seen.run(arguments(tmp_path))

    assert asked[1] == "Who saw it? (Enter: Dora) "
    assert last(store, Decision.CARD_SEEN).details["note"] == f"9: {who} may know one card"


@pytest.mark.parametrize(
    ("typed", "note"),
    [
        (("", "Ann"), "9: Ann asks for new hands"),
        (("2", "Ann"), "9: skipped, for the director"),
        (("3", "", "Ann"), "9: Ann asks for new hands"),
    ],
    ids=["Enter", "skip", "no director"],
)
def test_without_a_director_the_hands_stay_and_a_note_is_kept(
    typed: tuple[str, ...], note: str, store: Store, types: Types, tmp_path: Path
) -> None:
    stored = game_set(store)
    types(*typed)
    assert new_hands.run(arguments(tmp_path)) == 0
    assert given_in(store, stored) == ()
    assert notes_on(store.decisions.newest_first(), stored.id, 9) == [note]
    assert notes_on(store.decisions.newest_first(), stored.id, 8) == []


def test_a_set_from_a_file_has_no_new_hands_and_what_can_be_done_is_offered(
    store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file_set(store)
    types("2", "Ann")
    new_hands.run(arguments(tmp_path))
    shown = capsys.readouterr().out
    assert "made here" in shown
    assert "dealctl deal --new" in shown
    assert "3  " not in shown

    args = arguments(tmp_path, name="Dora", reason="a reason")
    with pytest.raises(NothingOpen, match="no spare deals") as caught:
        new_hands.run(args)
    assert "same hands" in caught.value.hint


@pytest.mark.parametrize("more", [{}, {"name": "Dora"}, {"reason": "a reason"}], ids=str)
def test_a_script_needs_name_and_reason_for_new_hands(more: dict[str, object], store: Store, tmp_path: Path) -> None:
    game_set(store)
    with pytest.raises(AlteredDeal) as caught:
        new_hands.run(arguments(tmp_path, json=True, **more))
    assert (exit_code_of(caught.value), caught.value.law) == (7, "6D3")
    assert "--reason" in caught.value.hint
    assert kinds(store) == []


def test_a_script_with_name_and_reason_gets_new_hands(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    assert new_hands.run(arguments(tmp_path, json=True, name="Dora", reason="a reason")) == 0
    assert [one.board for one in given_in(store, stored)] == [9]
    assert '"spare": 1' in capsys.readouterr().out


def test_a_spare_deal_that_another_window_gave_away_meanwhile_is_not_given_twice(store: Store, tmp_path: Path) -> None:
    stored = game_set(store)
    plan = plan_new_hands(9, spares=4, given=())
    assert isinstance(plan, NewHands)
    new_hands.run(arguments(tmp_path, 10, json=True, name="Dora", reason="a reason"))
    with pytest.raises(WrongState, match="meanwhile"):
        new_hands.give(store, stored, plan, "Dora", "a reason")
    assert [(one.board, one.spare) for one in given_in(store, stored)] == [(10, 1)]


def test_a_set_whose_play_has_ended_keeps_its_hands(
    store: Store, tmp_path: Path, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    championship_set(store)
    types("3")
    monkeypatch.setattr(new_hands, "is_over", lambda _: True)
    with pytest.raises(WrongState, match="ended"):
        new_hands.run(arguments(tmp_path))


def test_a_board_that_the_set_does_not_have_is_told(store: Store, tmp_path: Path, types: Types) -> None:
    game_set(store)
    types("3")
    with pytest.raises(NothingOpen, match="no board 37"):
        new_hands.run(arguments(tmp_path, 37, set="monday"))
    with pytest.raises(NothingOpen, match="No set on this computer"):
        new_hands.run(arguments(tmp_path, 37))


def test_a_card_that_nobody_can_place_is_nothing(
    store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    asked = types("")
    assert seen.run(arguments(tmp_path)) == 0
    assert asked == [f"{QUESTION} [y/N] "]
    assert "nothing is to be done" in capsys.readouterr().out
    assert kinds(store) == [Decision.CARD_SEEN]
    assert notes_on(store.decisions.newest_first(), stored.id, 9) == []


def test_a_player_who_knows_a_card_gives_the_board_new_hands(
    store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    types("y", "Ann", "")
    seen.run(arguments(tmp_path))

    assert [(one.board, one.spare) for one in given_in(store, stored)] == [(9, 1)]
    written = last(store, Decision.NEW_HANDS)
    assert (written.who, written.details["law"], written.details["director"]) == ("Ann", "6D1", False)
    assert notes_on(store.decisions.newest_first(), stored.id, 9) == ["9: Ann may know one card"]
    assert "Noted for the director: 9: Ann may know one card (Law 6D1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("typed", "notes"),
    [
        ("2", ["9: Ann may know one card"]),
        ("3", ["9: Ann may know one card", "9: skipped, for the director"]),
    ],
)
def test_the_same_hands_or_a_skipped_board_can_always_be_chosen(
    typed: str, notes: list[str], store: Store, types: Types, tmp_path: Path
) -> None:
    stored = game_set(store)
    types("y", "Ann", typed)
    seen.run(arguments(tmp_path))
    assert given_in(store, stored) == ()
    assert notes_on(store.decisions.newest_first(), stored.id, 9) == notes


@pytest.mark.parametrize("case", ["a set from a file", "a copy is out", "all spare deals used", "in play", "no set"])
def test_otherwise_the_hands_stay_with_a_note_for_the_director(
    case: str, store: Store, types: Types, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if case == "a set from a file":
        file_set(store)
    elif case == "in play":
        stored = championship_set(store)
        for state in list(SetState)[1 : list(SetState).index(SetState.IN_PLAY) + 1]:
            if state is not SetState.VALUE_FIXED:
                store.sets.set_state(store.sets.find(stored.id), state)
    elif case != "no set":
        stored = game_set(store)
        if case == "a copy is out":
            dealt(store, stored, 9)
        else:
            for board in range(1, 5):
                new_hands.run(arguments(tmp_path, board, json=True, name="Dora", reason="a reason"))
    given = kinds(store).count(Decision.NEW_HANDS)
    asked = types("y", "Ann")
    assert seen.run(arguments(tmp_path)) == 0

    assert len(asked) <= 2
    assert kinds(store).count(Decision.NEW_HANDS) == given
    assert last(store, Decision.CARD_SEEN).details["law"] == "16D"
    assert "may know one card (Law 16D)" in capsys.readouterr().out


def test_a_simulated_machine_deals_no_copy_that_counts(store: Store, types: Types, tmp_path: Path) -> None:
    stored = game_set(store)
    dealt(store, stored, 9, simulated=True)
    types("y", "Ann", "")
    seen.run(arguments(tmp_path))
    assert len(given_in(store, stored)) == 1


def test_where_nobody_can_be_asked_nobody_saw_a_card(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NobodyToAsk):
        seen.run(arguments(tmp_path))


def test_the_set_that_was_dealt_last_is_meant_else_the_newest(store: Store) -> None:
    first, second = game_set(store, name="first"), game_set(store, name="second")
    assert set_of_board(store, 9) == second
    dealt(store, first, 9)
    assert set_of_board(store, 9) == first
    assert set_of_board(store, 10) == second
    assert set_of_board(store, 9, "second") == second


def test_the_set_that_was_dealt_last_is_the_last_of_the_journal_when_the_clock_was_set_back(store: Store) -> None:
    first, second = game_set(store, name="first"), game_set(store, name="second")
    dealt(store, second, 9, run=1)
    dealt_earlier(store, days=-3)
    dealt(store, first, 9, run=2)
    assert set_of_board(store, 9) == first
