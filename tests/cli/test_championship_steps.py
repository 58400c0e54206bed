"""`dealctl sets` with a championship: announced, its public value fixed, played, ended and opened, in that order.

Read next: `driver/cli/sets.py`, `driver/cli/set_steps.py`, `driver/store/states.py`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from driver.cli import set_steps
from driver.deals.fairness import parse_manifest
from driver.errors import CannotBeWritten
from driver.opening import parse_opening
from driver.start_sheet import commitment_in, description_in
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.stored import SetState
from tests.support.set_commands import WORDS, Commands, dealt, entries, moved_to, on_day

DRAW = datetime(2026, 12, 5, 12, 0, tzinfo=UTC)

FORBIDDEN = re.compile(
    r"\b(commit(s|ted|ting)?|manifest|beacon|nonce|hash|void|index|database|ledger|journal|redeal)\b", re.IGNORECASE
)


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    on_day(monkeypatch, DRAW)
    return Commands(tmp_path, capsys)


@pytest.fixture
def championship(dealctl: Commands) -> Commands:
    """With a championship "final" of which nothing is published yet."""
    passphrase = dealctl.file("pass.txt", WORDS)
    words = ("--name", "final", "--event", "Open", "--value-from", "dice of 2026-12-05")
    dealctl.ok("make", "--championship", *words, "--passphrase-file", passphrase)
    return dealctl


def test_a_championship_goes_its_way_from_draft_to_opened(championship: Commands) -> None:
    sheet, opening = championship.folder / "sheet.txt", championship.folder / "opening.json"
    passphrase = ("--passphrase-file", championship.folder / "pass.txt")
    stages = [championship.ok("sets", "final")]
    championship.ok("sets", "final", "--director", "Ann Lee", "--instruction", "by machine, the day before")
    championship.ok("sets", "final", "--announce", sheet)
    stages.append(championship.ok("sets", "final"))
    assert "is 3 5." in championship.ok("sets", "final", "--public-value", "  3   5 ")
    stages.append(championship.ok("sets", "final"))
    moved_to(championship, "final", SetState.DEALING)
    dealt(championship, "final", 1, 2, 3)
    moved_to(championship, "final", SetState.SEALED)
    stages.append(championship.ok("sets", "final"))
    championship.ok("sets", "final", "--play")
    early = championship("sets", "final", "--open", opening, "--name", "Bob", *passphrase)
    championship.ok("sets", "final", "--end")
    stages.append(championship.ok("sets", "final"))
    championship.ok("sets", "final", "--open", opening, "--name", "Bob", *passphrase)
    found = parse_opening(opening.read_text(encoding="utf-8"))

    assert (early.code, "has not ended" in early.err) == (1, True)
    wanted = ["sets final --announce", "sets final --public-value", "deal final", "sets final --play", "--open"]
    for stage, command in zip(stages, wanted, strict=True):
        assert re.search(f"^Next: dealctl .*{command}", stage, re.MULTILINE)
    assert "Stage: opened." in championship.ok("sets", "final")
    assert (found.name, found.public_value, found.dealt, found.new_hands) == ("final", "3 5", (1, 2, 3), ())
    assert description_in(sheet.read_text(encoding="utf-8")) == found.manifest
    assert entries(championship) == [
        *(Decision.OPENED, Decision.ENDED, Decision.IN_PLAY, Decision.PUBLIC_VALUE_FIXED),
        *(Decision.COMMITTED, Decision.INSTRUCTION, Decision.SET_MADE),
    ]


def test_steps_out_of_their_order_are_refused_and_change_nothing(championship: Commands) -> None:
    before = championship.objects("sets")
    for words in (["--play"], ["--end"], ["--public-value", "3 5"], ["--open", str(championship.folder / "x.json")]):
        ran = championship("sets", "final", *words, "--name", "Bob")
        assert ran.code == 1, ran.all
        assert "(DM514)" in ran.err
    assert championship.objects("sets") == before
    assert not (championship.folder / "x.json").exists()
    assert entries(championship) == [Decision.SET_MADE]


def test_a_public_value_of_another_kind_than_promised_is_refused(championship: Commands) -> None:
    championship.ok("sets", "final", "--announce", championship.folder / "sheet.txt")

    assert championship("sets", "final", "--public-value", " ").code == 2
    championship.ok("sets", "final", "--public-value", "3 5")
    assert championship("sets", "final", "--public-value", "3 6").code == 1


def test_a_sheet_that_cannot_be_written_to_its_end_announces_nothing(
    championship: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise CannotBeWritten("The file cannot be written there.")

    monkeypatch.setattr(set_steps, "write_new", full)
    ran = championship("sets", "final", "--announce", championship.folder / "sheet.txt", "--name", "Bob")

    assert ran.code == 6
    assert championship.objects("sets")[0]["state"] == "draft"
    assert entries(championship) == [Decision.SET_MADE]


def test_a_public_value_stays_as_it_was_typed_and_the_refusal_says_so(championship: Commands) -> None:
    championship.ok("sets", "final", "--announce", championship.folder / "sheet.txt")
    championship.ok("sets", "final", "--public-value", "3 5")
    ran = championship("sets", "final", "--public-value", "3 6")

    assert ran.err.startswith("The public value of set final is 3 5, and is not changed any more.\n")


def test_a_public_value_is_typed_on_its_day_and_not_before(
    championship: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    championship.ok("sets", "final", "--announce", championship.folder / "sheet.txt")
    on_day(monkeypatch, DRAW - timedelta(days=2))
    early = championship("sets", "final", "--public-value", "3 5")

    assert (early.code, "that day has not come" in early.err) == (2, True)
    assert championship.objects("sets")[0]["state"] == "announced"
    on_day(monkeypatch, DRAW + timedelta(days=9))
    championship.ok("sets", "final", "--public-value", "3 5")


def test_a_set_whose_value_is_known_by_now_is_not_announced(
    championship: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_day(monkeypatch, DRAW + timedelta(days=2))
    late = championship("sets", "final", "--announce", championship.folder / "sheet.txt")

    assert (late.code, "that day is over" in late.err) == (2, True)
    assert not (championship.folder / "sheet.txt").exists()
    assert championship.objects("sets")[0]["state"] == "draft"


@pytest.mark.parametrize(("typed", "state"), [(True, "public value fixed"), (False, "announced")], ids=["yes", "no"])
def test_a_person_sees_the_public_value_once_more_before_it_holds(
    typed: bool, state: str, championship: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    championship.ok("sets", "final", "--announce", championship.folder / "sheet.txt", "--name", "Bob")
    asked: list[str] = []

    def answer(question: str) -> bool:
        asked.append(question)
        return typed

    monkeypatch.setattr(set_steps, "somebody_there", lambda *, as_json: not as_json)
    monkeypatch.setattr(set_steps, "ask_yes", answer)
    shown = championship.ok("sets", "final", "--public-value", "5  3", "--name", "Bob")

    assert asked == ["Is 5 3 right? It cannot be changed afterwards."]
    assert "It was announced as: dice of 2026-12-05" in shown
    assert championship.objects("sets")[0]["state"] == state


def test_the_sheet_has_all_64_digits_and_says_how_many_sets_were_thrown_away(championship: Commands) -> None:
    championship.ok("sets", "final", "--throw-away", "--yes")
    words = ("--event", "Open", "--passphrase-file", championship.folder / "pass.txt")
    championship.ok("make", "--championship", "--name", "other", *words)
    sheet = championship.folder / "sheet.txt"
    shown = championship.ok("sets", "other", "--announce", sheet)
    text = sheet.read_text(encoding="utf-8")
    with championship.store() as store:
        manifest = parse_manifest(store.sets.manifest_of(store.sets.find("other")))

    assert commitment_in(text) == manifest.commitment.hex()
    assert "before this one: 1." in text
    assert "sheet.txt is written" in shown
    assert sheet.stat().st_mode & 0o044


def test_a_file_that_is_there_is_not_written_over_and_the_set_stays_as_it_was(championship: Commands) -> None:
    sheet = championship.file("sheet.txt", "mine")

    assert championship("sets", "final", "--announce", sheet).code == 2
    assert championship("sets", "final", "--announce", championship.folder / "none" / "x.txt").code == 6
    assert sheet.read_text(encoding="utf-8") == "mine"
    assert championship.objects("sets")[0]["state"] == "draft"


def test_a_sheet_can_be_written_once_more(championship: Commands) -> None:
    texts = []
    for name in ("one.txt", "two.txt"):
        championship.ok("sets", "final", "--commit", championship.folder / name)
        texts.append((championship.folder / name).read_text(encoding="utf-8"))

    assert texts[0] == texts[1]
    assert entries(championship).count(Decision.COMMITTED) == 1
