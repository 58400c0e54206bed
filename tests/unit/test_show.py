"""A look at a hand: warned, named, written down before it is shown, and gone from the screen afterwards.

Read next: `driver/cli/show.py`; `tests/cli/test_show.py` for a terminal of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from driver.cli import show, which_set
from driver.cli.refusals import NobodyToAsk
from driver.cli.show import picture
from driver.deals.model import BoardDeal, Deal, Vulnerability
from driver.errors import NothingOpen, WrongPassphrase
from driver.store.decisions import Decision
from driver.store.store import Store
from protocol.cards import Seat
from tests.support.law_desk import (
    PASSPHRASE,
    Clock,
    Types,
    arguments,
    championship_set,
    file_set,
    game_set,
    kinds,
    last,
    set_clock,
    sit_down,
)

ONE_SUIT_EACH = Deal([card // 13 for card in range(52)])


class Keys:
    """A keyboard on which nobody types for a moment, and then somebody does."""

    def __init__(self, *keys: str) -> None:
        self._keys = iter(("", *keys))
        self.closed = False

    def read(self, timeout: float) -> str:
        key = next(self._keys)
        if key == "^C":
            raise KeyboardInterrupt
        return key

    def wake(self) -> None:
        """Nobody waits in another thread."""

    def close(self) -> None:
        self.closed = True


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


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Keys:
    keys = Keys("x")
    monkeypatch.setattr(show, "open_keyboard", lambda *, asks: keys)
    return keys


def test_the_picture_has_the_four_hands_as_at_a_table() -> None:
    assert picture(BoardDeal(17, ONE_SUIT_EACH, Seat.WEST, Vulnerability.EW)) == [
        "Board 17, dealer West, vulnerable EW",
        "",
        "                    North",
        "                    S AKQJT98765432",
        "                    H -",
        "                    D -",
        "                    C -",
        "West                                    East",
        "S -                                     S -",
        "H -                                     H AKQJT98765432",
        "D -                                     D -",
        "C AKQJT98765432                         C -",
        "                    South",
        "                    S -",
        "                    H -",
        "                    D AKQJT98765432",
        "                    C -",
    ]


def test_dealer_and_vulnerability_are_the_standard_ones_where_the_set_has_none() -> None:
    assert picture(BoardDeal(17, ONE_SUIT_EACH))[0] == "Board 17, dealer North, vulnerable None"


def test_a_look_is_warned_about_named_and_written_down_and_ends_with_any_key(
    store: Store, types: Types, keys: Keys, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored, asked = game_set(store), types("Dora", "")
    assert show.run(arguments(tmp_path, 17)) == 0

    assert [question.split(" ", 1)[0] for question in asked] == ["Your", "Press"]
    shown = capsys.readouterr().out
    assert shown.index("Do not look if you still have to play it.") < shown.index("Board 17, dealer North")
    assert keys.closed
    written = last(store, Decision.LOOKED_AT_HAND)
    assert (written.who, dict(written.details)) == ("Dora", {"set": stored.id, "board": 17, "copy": ""})


def test_a_key_leads_to_what_the_machine_dropped_and_that_look_is_written_down_too(
    store: Store, types: Types, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = game_set(store)
    types("Dora", "")
    boards = iter((Keys("2"), Keys("x")))
    monkeypatch.setattr(show, "open_keyboard", lambda *, asks: next(boards))
    show.run(arguments(tmp_path, 17))

    shown = capsys.readouterr().out
    assert shown.index("Board 17, dealer North") < shown.index("Board 17 was not dealt here")
    assert kinds(store) == [Decision.LOOKED_AT_HAND] * 2
    assert dict(last(store, Decision.LOOKED_AT_HAND).details) == {
        "set": stored.id, "board": 17, "copy": "", "page": 2,
    }  # fmt: skip


def test_the_second_page_alone_is_asked_for_and_written_down_like_the_first(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_set(store)
    with pytest.raises(NobodyToAsk):
        show.run(arguments(tmp_path, 17, dropped=True))
    assert kinds(store) == []
    show.run(arguments(tmp_path, 17, name="Dora", now=True, dropped=True))
    assert capsys.readouterr().out == "Board 17 was not dealt here: what lies in it is not known.\n"
    show.run(arguments(tmp_path, 17, name="Dora", now=True, dropped=True, json=True))
    assert json.loads(capsys.readouterr().out)["dropped"] is None
    assert last(store, Decision.LOOKED_AT_HAND).details["page"] == 2


def test_the_second_look_of_an_evening_asks_no_name(
    store: Store, types: Types, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_set(store)
    types("Dora", "")
    show.run(arguments(tmp_path, 17))
    asked = types("")
    monkeypatch.setattr(show, "open_keyboard", lambda *, asks: Keys("x"))
    show.run(arguments(tmp_path, 18))
    assert len(asked) == 1
    assert kinds(store) == [Decision.LOOKED_AT_HAND] * 2


def test_the_hands_stand_on_the_other_page_which_is_wiped_even_after_ctrl_c(
    store: Store,
    types: Types,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    game_set(store)
    monkeypatch.setattr(show, "can_repaint", lambda _: True)
    for ending in ("x", "^C"):
        keys = Keys(ending)
        monkeypatch.setattr(show, "open_keyboard", lambda *, asks, keys=keys: keys)
        types("Dora", "")
        if ending == "x":
            show.run(arguments(tmp_path, 17))
        else:
            with pytest.raises(KeyboardInterrupt):
                show.run(arguments(tmp_path, 17))
        shown = capsys.readouterr().out
        opened, closed = shown.index("\x1b[?1049h"), shown.index("\x1b[2J\x1b[H\x1b[?1049l")
        assert opened < shown.index("Board 17, dealer") < closed
        assert not any(word in shown[:opened] + shown[closed:] for word in ("North", "West", "East", "South"))
        assert keys.closed


def test_a_terminal_that_cannot_be_wiped_is_left_to_the_person(
    store: Store, types: Types, keys: Keys, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_set(store)
    types("Dora", "")
    show.run(arguments(tmp_path, 17))
    assert capsys.readouterr().out.endswith("Clear this window: the hands are still in it.\n")


def test_without_a_name_nothing_is_shown(
    store: Store, types: Types, keys: Keys, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_set(store)
    types("")
    with pytest.raises(NobodyToAsk, match="a name"):
        show.run(arguments(tmp_path, 17))
    assert "North" not in capsys.readouterr().out
    assert kinds(store) == []


@pytest.mark.parametrize("more", [{}, {"name": "Dora"}, {"now": True}], ids=str)
def test_a_script_needs_a_name_and_the_word_now(
    more: dict[str, object], store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_set(store)
    with pytest.raises(NobodyToAsk) as caught:
        show.run(arguments(tmp_path, 17, **more))
    assert "--name NAME --now" in caught.value.hint
    assert capsys.readouterr().out == ""
    assert kinds(store) == []


def test_a_script_gets_the_hands_once_and_the_look_is_written_down(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game_set(store)
    show.run(arguments(tmp_path, 17, name="Dora", now=True))
    assert capsys.readouterr().out.count("North") == 2
    show.run(arguments(tmp_path, 17, name="Dora", now=True, json=True))
    told = json.loads(capsys.readouterr().out)
    assert (told["event"], told["board"], told["dealer"], told["vulnerable"]) == ("hands", 17, "N", "None")
    assert told["deal"].startswith("N:")
    assert kinds(store) == [Decision.LOOKED_AT_HAND] * 2


def test_a_set_from_a_file_can_be_looked_at(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = file_set(store)
    show.run(arguments(tmp_path, 9, name="Dora", now=True, json=True))
    board = next(one for one in store.sets.boards_of(stored) if one.number == 9)
    assert json.loads(capsys.readouterr().out)["deal"] == board.deal.hands_as_pbn()


def test_a_board_that_is_not_there_is_told_before_anything_is_asked(store: Store, types: Types, tmp_path: Path) -> None:
    file_set(store)
    asked = types("Dora", "")
    with pytest.raises(NothingOpen, match="no board 17") as caught:
        show.run(arguments(tmp_path, 17, set="tuesday"))
    assert "8, 9" in caught.value.hint
    assert asked == []


def test_a_championship_set_needs_passphrase_and_director(
    store: Store, types: Types, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    championship_set(store)
    store.decisions.append(Decision.LOOKED_AT_HAND, "Ann")
    asked = types("", "")
    monkeypatch.setattr(which_set, "getpass", lambda _: PASSPHRASE)
    with pytest.raises(NobodyToAsk, match="director"):
        show.run(arguments(tmp_path, 17))
    assert asked == ["Name of the director: "]

    types("Dora", "")
    show.run(arguments(tmp_path, 17))
    written = last(store, Decision.LOOKED_AT_HAND)
    assert (written.who, written.details["director"]) == ("Dora", True)


def test_a_wrong_passphrase_shows_nothing_and_is_no_look(
    store: Store, types: Types, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    championship_set(store)
    asked = types("Dora", "")
    monkeypatch.setattr(which_set, "getpass", lambda _: "something else")
    with pytest.raises(WrongPassphrase):
        show.run(arguments(tmp_path, 17))
    assert (asked, kinds(store)) == ([], [])


def test_a_script_has_the_passphrase_in_a_file(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    championship_set(store)
    with pytest.raises(WrongPassphrase, match="nobody is here") as caught:
        show.run(arguments(tmp_path, 17, name="Dora", now=True))
    assert "--passphrase-file" in caught.value.hint
    secret = tmp_path / "passphrase.txt"
    with pytest.raises(WrongPassphrase, match="cannot be read"):
        show.run(arguments(tmp_path, 17, name="Dora", now=True, passphrase_file=secret))
    secret.write_text(PASSPHRASE + "\n", encoding="utf-8")
    show.run(arguments(tmp_path, 17, name="Dora", now=True, passphrase_file=secret))
    assert "North" in capsys.readouterr().out


def test_the_log_of_looks_holds_no_card(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game_set(store)
    show.run(arguments(tmp_path, 17, name="Dora", now=True, json=True))
    told = json.loads(capsys.readouterr().out)["deal"]
    for file in tmp_path.iterdir():
        data = file.read_bytes()
        assert not [hand for hand in told[2:].split() if hand.encode() in data]
