"""`dealctl sheet`: the blind control sheet with its box labels, and the sheet of faults, as pages to print.

Read next: `driver/cli/sheet.py`, `driver/paper/`.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from driver.catalogue import ENTRIES, Kind
from driver.cli.sheet import CODE_LENGTH, CODE_LETTERS
from driver.deals.loader import load_deals
from driver.journal import Journal
from driver.store import sealing
from driver.store.decisions import Decision
from driver.store.runs import Intention
from driver.store.sealing import Passphrase
from driver.verdicts import Verdict
from protocol.codes import FaultClass
from tests.cli.program import CLUB
from tests.support.plain_words import ADDRESS, NOT_ON_THE_FIRST_LEVEL, words_in
from tests.support.secrets_search import HandSearch
from tests.support.set_commands import WORDS, Commands
from tests.support.store import dealt, dealt_earlier

EMPTY = {"meta"}
"""Tags that nothing ends."""


@pytest.fixture
def dealctl(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)
    monkeypatch.chdir(tmp_path)
    return Commands(tmp_path, capsys)


class Page(HTMLParser):
    """A page as its rows of cells, its texts, and what it would load; fails where tags do not fit."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.loads: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in EMPTY:
            self._open.append(tag)
        self.loads += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "data", "action")]
        self.loads += [tag] if tag in ("script", "link", "iframe", "object", "img", "form", "base") else []
        self.loads += [f"{tag} {name}" for name, _ in attrs if name.startswith("on")]
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            assert "url(" not in data
            assert "@import" not in data
            return
        self.texts.append(data)
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        """All that is read on it."""
        return " ".join(" ".join(self.texts).split())


def tuesday(dealctl: Commands, *, seal: bool = False) -> str:
    """A set of the club's file, with board 1 dealt twice, board 2 once in two copies, board 3 begun, 4 simulated."""
    with dealctl.store() as store:
        deals = load_deals(CLUB)
        stored = store.sets.add_imported(deals, name="tuesday", seal=Passphrase(WORDS) if seal else None).stored
        rows = [
            (1, "", Verdict.NOT_PROVEN), (1, "", Verdict.GOOD), (2, "", Verdict.COUNTED), (2, "B", Verdict.GOOD),
            (3, "", None),
        ]  # fmt: skip
        for board, copy, verdict in rows:
            dealt(store, stored.id, board, copy, verdict=verdict)
        dealt(store, stored.id, 4, verdict=None, simulated=True)
        store.decisions.append(Decision.CARD_SEEN, "Ann", set=stored.id, board=9, note="9: Ann may know one card")
        store.decisions.append(
            Decision.INSTRUCTION, "Dora", set=stored.id, instruction="as <b>always</b>", director=True
        )
    return stored.id


def sheet(dealctl: Commands, *words: str) -> tuple[Page, str]:
    """The page that the command writes, and its text as it is in the file."""
    out = dealctl.folder / "out.html"
    dealctl.ok("sheet", *words, "--out", out, "--force")
    html = out.read_text(encoding="utf-8")
    return Page(html), html


def test_the_sheet_has_a_line_for_each_board_copy_with_its_verdict_and_the_notes(dealctl: Commands) -> None:
    tuesday(dealctl)
    page, _ = sheet(dealctl, "tuesday", "--name", "Bob")
    heads, *first = page.rows[:37]
    assert heads[:4] == ["Board", "Dealer", "Vulnerable", "Verdict"]
    assert [row[0] for row in first] == [str(number) for number in range(1, 37)]
    assert first[0][:4] == ["1", "North", "None", "GOOD"], "the last run of a board counts"
    assert [row[3] for row in first[1:5]] == ["COUNTED", "not finished", "", ""], "a simulated machine deals nothing"
    assert first[8][5] == "9: Ann may know one card"
    assert page.rows[37 + 2][:4] == ["2", "East", "NS", "GOOD"], "the copy B"
    assert "Copy B. Boards 1-36" in page.text
    for told in ("Director: Dora", "Dealt by: Bob", "as <b>always</b>", "This sheet tells no hand"):
        assert told in page.text


def test_the_sheet_names_the_machines_that_dealt_also_while_another_program_is_dealing(dealctl: Commands) -> None:
    set_id = tuesday(dealctl)
    with dealctl.store() as store, Journal(store) as journal:
        assert "Machine: DM0042 " in sheet(dealctl)[0].text
        told = Intention(5, "", "DM0043", 3, 1000, 2, set_id, 5, simulated=False)
        journal.note_go(journal.intend(told, bytes(8)).run)
        assert "Machine: DM0042, DM0043" in sheet(dealctl)[0].text


def test_the_sheet_shows_no_hand_and_loads_and_runs_nothing(dealctl: Commands) -> None:
    tuesday(dealctl)
    page, html = sheet(dealctl)
    assert page.loads == []
    assert "default-src 'none'" in html
    search = HandSearch({f"board {board.number}": board.deal for board in load_deals(CLUB)})
    assert search.found(html) == []


def test_sheet_and_label_bear_one_short_random_code_that_stays(dealctl: Commands) -> None:
    set_id = tuesday(dealctl)
    pages = [sheet(dealctl, "tuesday") for _ in range(2)]
    codes = {re.search(r"<h1>Set tuesday · (\w+)</h1>", html)[1] for _, html in pages}  # type: ignore[index]
    (code,) = codes
    assert len(code) == CODE_LENGTH
    assert set(code) <= set(CODE_LETTERS)
    assert pages[0][1].count(f'<div class="code">{code}</div>') == 2, "a label for each copy"
    with dealctl.store() as store:
        written = [entry for entry in store.decisions.newest_first() if entry.what is Decision.SHEET_CODE]
        assert [(entry.details["set"], entry.details["code"]) for entry in written] == [(set_id, code)]
        assert store.decisions.head().hex() in pages[1][1]
    dealctl.ok("make", "--name", "monday")
    assert code not in sheet(dealctl, "monday")[1]


def test_without_a_name_it_is_the_set_that_was_dealt_last(dealctl: Commands) -> None:
    assert dealctl("sheet").code == 2
    dealctl.ok("make", "--name", "monday")
    assert "Set monday" in sheet(dealctl)[0].text
    tuesday(dealctl)
    dealctl.ok("make", "--name", "wednesday")
    assert "Set tuesday" in sheet(dealctl)[0].text


def test_the_set_that_was_dealt_last_is_the_last_of_the_journal_when_the_clock_was_set_back(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "monday")
    with dealctl.store() as store:
        dealt(store, store.sets.find("monday").id, 1)
        dealt_earlier(store, days=-3)
    tuesday(dealctl)
    assert "Set tuesday" in sheet(dealctl)[0].text


def test_the_file_is_named_after_the_set_and_never_written_over_unasked(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "monday / pairs")
    assert dealctl.objects("sheet") == [{"event": "sheet", "of": "monday / pairs", "file": "monday-pairs-sheet.html"}]
    refused = dealctl("sheet")
    assert (refused.code, "there already" in refused.err) == (2, True)
    dealctl.ok("sheet", "--force")


def test_a_sealed_set_is_not_opened_for_its_sheet_unless_its_passphrase_is_given(dealctl: Commands) -> None:
    tuesday(dealctl, seal=True)
    assert "was not opened for this sheet" in sheet(dealctl)[0].text
    passphrase = dealctl.file("pass.txt", WORDS)
    assert "was not opened" not in sheet(dealctl, "--passphrase-file", str(passphrase))[0].text


def test_the_sheet_of_faults_has_every_entry_that_somebody_must_act_on(dealctl: Commands) -> None:
    page, _ = sheet(dealctl, "--faults")
    assert not (dealctl.data).exists(), "it needs no set"
    assert page.loads == []
    for entry in ENTRIES:
        is_there = all(step.split("{")[0] in page.text for step in entry.steps)
        assert is_there or entry.fault_class is FaultClass.INFO or entry.kind is Kind.DOCTOR, entry.code
        if entry.kind is Kind.STOP and entry.fault_class is not FaultClass.INFO:
            assert entry.sentence in page.text
    assert "{" not in page.text
    assert words_in(page.text, NOT_ON_THE_FIRST_LEVEL) == []
    assert not ADDRESS.search(page.text)


def test_a_board_that_was_dealt_by_somebodys_word_stands_so_on_the_sheet_after_a_restore(dealctl: Commands) -> None:
    set_id = tuesday(dealctl)
    with dealctl.store() as store, Journal(store) as journal:
        for board, was_dealt in ((5, True), (6, False), (7, False), (7, True), (1, False)):
            journal.note_said(set_id, board, "", dealt=was_dealt)
    page, _ = sheet(dealctl, "tuesday")

    verdicts = {row[0]: row[3] for row in reversed(page.rows) if len(row) > 3}
    assert [verdicts[board] for board in "1567"] == [
        "GOOD",
        *["dealt, by somebody's word", "", "dealt, by somebody's word"],
    ]


def test_the_further_boards_of_a_large_set_are_not_forgotten(dealctl: Commands) -> None:
    dealctl.ok("make", "--name", "big day", "--boards", "100")
    written, *further = dealctl.ok("sheet", "big day", "--out", dealctl.folder / "out.html").splitlines()
    assert written.startswith("Written to ")
    assert further == [
        "Boards 37-72 of it have a sheet of their own: dealctl sheet 'big day-from-37'",
        "Boards 73-108 of it have a sheet of their own: dealctl sheet 'big day-from-73'",
    ]
    page, _ = sheet(dealctl, "big day-from-37")
    assert [row[0] for row in page.rows[1:]] == [str(number) for number in range(37, 73)]


class Breaks(HTMLParser):
    """Where on a page a text stands in elements of which none lets a line break within a word."""

    def __init__(self, html: str, text: str) -> None:
        super().__init__()
        rules = re.findall(r"^([^{}@]+) \{[^}]*overflow-wrap: anywhere", html, re.MULTILINE)
        self.breaking = {selector.strip().split()[-1] for rule in rules for selector in rule.split(",")}
        self.text = text
        self.places = 0
        self.unbroken: list[str] = []
        self._open: list[tuple[str, set[str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kinds = (dict(attrs).get("class") or "").split()
        if tag not in EMPTY:
            self._open.append((tag, {tag, *(f".{kind}" for kind in kinds), *(f"{tag}.{kind}" for kind in kinds)}))

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if self.text in data and self._open[-1][0] != "title":
            self.places += 1
            if not any(selectors & self.breaking for _, selectors in self._open):
                self.unbroken.append(self._open[-1][0])


def test_a_long_name_runs_over_no_edge_of_the_paper(dealctl: Commands) -> None:
    word = "W" * 40
    dealctl.ok("make", "--name", word, "--event", word)
    dealctl.ok("sets", word, "--director", word, "--instruction", word)
    with dealctl.store() as store:
        store.decisions.append(Decision.CARD_SEEN, "Ann", set="s1", board=9, note=f"9: {word} may know one card")
    _, html = sheet(dealctl, word, "--name", word)
    found = Breaks(html, word)
    assert found.places == 8, "heading, event, director, name, instruction, note, label and its event"
    assert found.unbroken == []
