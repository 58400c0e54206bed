"""No command shows a hand unasked: on the screen, in a file that it keeps, in the words of a process (invariant I7).

One evening runs every command of the program, with a table that is held against the parser: a new command without a row
fails. Then all that came to light is searched for every deal of the evening in every notation. Where somebody asked for
hands they must be there, which shows that the search finds them, and the asking must be in the log of decisions.
Read next: `tests/support/secrets_search.py`, `tests/support/watched_commands.py`.
"""

from __future__ import annotations

import io
import sys
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from driver import journal
from driver.cli.parser import build_parser
from driver.cli.simulator import Simulator
from driver.clock import utc_now
from driver.deals.loader import load_deals
from driver.deals.model import Deal
from driver.deals.numbering import deal_at
from driver.making import deals_of, made_of
from driver.store import database as store
from driver.store.decisions import Decision
from driver.store.store import Store
from driver.store.stored import CONTENT_KINDS
from tests.cli.program import CLUB, Ran
from tests.support.secrets_search import HandSearch
from tests.support.watched_commands import WatchedCommands
from tests.unit.test_squaredeal import DESCRIPTION, HAS_RIPEMD160, KEYS, numbers_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are needed to type into"),
]

PASSPHRASE = "the heron stands in cold water"
BOARDS_DEALT = "1-2,3,2,1-2,1,1"
"""What the helper at the machine puts in, in the order of the rows that deal."""


@dataclass(frozen=True, slots=True)
class Row:
    """One command: its words, the exit code, and what is special about it.

    `{tuesday}` and the like are files of the evening, `{url}` a machine with a helper, `{checks}` one without.
    `shows`: hands are asked for and come, on the screen or in the file of that name; `logs`: how the asking is written
    down. `keys`: it runs in a terminal; what is waited for, and what is typed. `asks` are told to the machine first.
    """

    words: str
    code: int = 0
    shows: str = ""
    logs: Decision | None = None
    keys: tuple[tuple[str, str], ...] = ()
    asks: tuple[dict[str, object], ...] = ()


SCREEN = "the screen"
LOADED = ({"do": "insert_board", "number": 1}, {"do": "load_pack", "seed": 1})
ROWS = (
    Row("check {tuesday}"),
    Row("check {tuesday} --json", shows=SCREEN, logs=Decision.EXPORTED),
    Row("check {broken} -v", code=6),
    Row("convert {tuesday} {written}", shows="written", logs=Decision.EXPORTED),
    Row("machines --machine nowhere", code=3),
    Row("setup", code=2),
    Row("doctor --rules"),
    Row("completion bash"),
    Row("doctor --machine {url}"),
    Row("doctor --machine {url} --save {known}"),
    Row("doctor --facts {known} --json"),
    Row("deal {tuesday} --boards 1-2 --auto --machine {url}"),
    Row("deal {tuesday} --boards 3 --auto --json -v --machine {url}"),
    Row("carry-on --machine {url}", code=2),
    Row("again 2 --auto -v --machine {url}"),
    Row("deal --new 2 --auto --machine {url}"),
    Row("deal {tuesday} --boards 1-2 --auto --machine {url}", code=7),
    Row("deal {tuesday} --boards 1-2 --machine {url}", code=7, keys=(("Number:", "\n"),)),
    Row("deal tuesday --boards 1 --copies B --auto --json --machine {url}"),
    Row("deal {broken} --auto --machine {url}", code=6),
    Row("practise {tuesday} --boards 1 --speed 100"),
    Row("practise {tuesday} --boards 1 --speed 100 --fault jam-path@23 -v", code=5),
    Row("make --name monday --event Pairs"),
    Row("make --name closed --sealed --passphrase-file {words}"),
    Row("make --championship --name final --value-from {promise} --passphrase-file {words}"),
    Row("make --lesson {tuesday} --pick 3-4 --name slams --json"),
    Row("make --second-person {second}"),
    Row("sets"),
    Row("sets --json"),
    Row("sets monday --director Dora --instruction Shuffled"),
    Row("sets final --announce {sheet} --name Dora"),
    Row("sets final --public-value {value} --name Dora"),
    Row("deal final --boards 1 --auto --passphrase-file {words} --name Dora --machine {url}"),
    Row("sets final --play --name Dora"),
    Row("sets final --end --name Dora"),
    Row("sets final --open {opening} --passphrase-file {words} --name Dora", logs=Decision.OPENED),
    Row("sets final"),
    Row("sets slams --show-lesson 3", shows=SCREEN),
    Row("sets closed --throw-away --yes"),
    Row("convert monday {records} --name Ann", shows="records", logs=Decision.EXPORTED),
    Row("sets monday --open {monday} --name Ann", logs=Decision.OPENED),
    Row("verify-set {monday} {records}"),
    Row("verify-set {monday} {tuesday} --json", code=1),
    Row("verify-squaredeal {square} {keys}"),
    Row("verify-squaredeal {square} {keys} --against {tuesday}", code=1),
    Row("show 1 --set tuesday --name Dora", code=2),
    Row("show 1 --set tuesday --name Dora --now", shows=SCREEN, logs=Decision.LOOKED_AT_HAND),
    Row(
        "show 2 --set tuesday --name Dora",
        shows=SCREEN,
        logs=Decision.LOOKED_AT_HAND,
        keys=(("Press Enter", "\n"), ("2: what the machine dropped", "2"), ("Any key", "x")),
    ),
    Row("show 1 --set tuesday --name Dora --now --dropped", shows=SCREEN, logs=Decision.LOOKED_AT_HAND),
    Row("seen 1 --set tuesday", keys=(("[y/N]", "n\n"),)),
    Row("seen 1 --set tuesday", code=2),
    Row("new-hands 9 --set monday --name Dora --reason fouled"),
    Row("new-hands 9 --set tuesday --name Dora --reason fouled -v", code=2),
    Row("check-pack --ready --machine {checks}", asks=LOADED),
    Row(
        "check-board 1 --ready --file {tuesday} --machine {checks}",
        code=1,
        asks=({"do": "empty_pockets"}, {"do": "load_pack", "seed": 1}),
    ),
    Row(
        "doctor --self-test --ready --machine {checks}",
        asks=({"do": "empty_pockets"}, {"do": "load_pack", "seed": 1}),
    ),
    Row("check-pack --ready --machine {checks}", code=5),
    Row("sheet tuesday --out {control} --name Ann"),
    Row("sheet final --out {sealed}"),
    Row("sheet --faults --out {faults}"),
    Row("bundle {bundle} --machine {url}"),
    Row("history"),
    Row("history --json --set tuesday"),
    Row("queue add tuesday --boards 4 --copies B,C --by-board"),
    Row("queue"),
    Row("queue --json"),
    Row("queue run --auto --machine {url}", code=2),
    Row("hand-over tuesday {handed} --name Ann"),
    Row("deal tuesday --boards 2 --auto --machine {url}", code=1),
    Row("hand-over tuesday --take-back", keys=(("[y/N]", "y\n"),)),
    Row("hand-over monday {monday_handed}"),
    Row("take-over {monday_handed}", code=1),
    Row("backup {backup} --passphrase-file {words}"),
    Row("restore {backup} --passphrase-file {words}", code=1),
    Row("restore {backup} --force --passphrase-file {words}"),
    Row("trace --seconds 1 --machine {url}"),
    Row("simulate --endpoint nowhere", code=2),
    Row("", keys=(("Number:", "\n"),)),
)


@dataclass(slots=True)
class Evening:
    """What the rows printed and wrote, and every deal and secret that there was."""

    ran: dict[int, Ran] = field(default_factory=dict)
    logged: dict[int, list[Decision]] = field(default_factory=dict)
    written: dict[str, bytes] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    search: HandSearch = field(default_factory=lambda: HandSearch({}))


def files_of_people(folder: Path) -> dict[str, str]:
    """The deal files of the evening, and the places of those that commands will write."""
    text = CLUB.read_text(encoding="latin-1")
    head, *records = text.split("[Event ")
    four = head + "".join(f"[Event {record}" for record in records[:4])
    contents = {
        "tuesday": ("tuesday.pbn", four),
        "broken": ("broken.pbn", four.replace('[Deal "N:', '[Deal "N:A', 1)),
        "words": ("words.txt", f"{PASSPHRASE}\n"),
        "square": ("square.sqd", DESCRIPTION.decode()),
        "keys": ("square.sqk", KEYS.decode()),
    }
    for name, content in contents.values():
        (folder / name).write_bytes(content.encode("latin-1"))
    places = {name: name_of_file for name, (name_of_file, _) in contents.items()}
    places |= {"written": "copy.dlm", "records": "records.csv", "sheet": "sheet.txt", "second": "second.txt"}
    places |= {"opening": "final.json", "monday": "monday.json", "backup": "club.backup", "bundle": "bundle.zip"}
    places |= {"known": "facts.json", "control": "control.html", "sealed": "sealed.html", "faults": "faults.html"}
    places |= {"handed": "tuesday.handed", "monday_handed": "monday.handed"}
    return {name: str(folder / place) for name, place in places.items()}


def known_deals(data: Path, complete: set[str]) -> tuple[dict[str, Deal], dict[str, bytes]]:
    """Every deal of every stored set, its spare deals too, and the secrets that they come from.

    Sets whose deals are all known are noted as `complete` and not opened again: a passphrase takes its time.
    """
    deals: dict[str, Deal] = {}
    secrets: dict[str, bytes] = {"passphrase": PASSPHRASE.encode()}
    with Store(data, now=utc_now) as opened:
        for stored in opened.sets.newest_first():
            if stored.id in complete:
                continue
            passphrase = PASSPHRASE if stored.sealed else None
            if stored.kind not in CONTENT_KINDS:
                made = made_of(opened, stored, passphrase=passphrase)
                secrets[stored.name] = made.secret
                if not made.is_complete:
                    continue
                deals |= {f"{stored.name} spare {number}": deal for number, deal in enumerate(made.spares)}
            found = deals_of(opened, stored, passphrase=passphrase)
            deals |= {f"{stored.name} {board.number}": board.deal for board in found}
            complete.add(stored.id)
    return deals, secrets


def decisions(data: Path) -> list[Decision]:
    if not (data.is_dir() and any(data.iterdir())):
        return []
    with Store(data, now=utc_now) as opened:
        opened.decisions.verify()
        return [entry.what for entry in reversed(opened.decisions.newest_first())]


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """Every row of the table, in turn."""
    commands = WatchedCommands(tmp_path_factory.mktemp("evening"))
    places = files_of_people(commands.folder)
    found = Evening()
    deals = {f"club {board.number}": board.deal for board in load_deals(CLUB)}
    secrets: dict[str, bytes] = {}
    complete: set[str] = set()
    before: list[Decision] = []
    with ExitStack() as machines:
        helped = machines.enter_context(Simulator(["--person", "--boards", BOARDS_DEALT, "--speed", "100"]))
        alone = machines.enter_context(Simulator(["--speed", "100"]))
        places |= {"url": helped.url, "checks": alone.url, "promise": "round:dice:3", "value": "3" * 64}
        for number, row in enumerate(ROWS):
            for question in row.asks:
                alone.ask(question)
            words = (*(word.format(**places) for word in row.words.split()), "--data", str(commands.data))
            name = f"{number}: {row.words}"
            found.ran[number] = commands.type(name, words, row.keys) if row.keys else commands.run(name, *words)
            after = decisions(commands.data)
            found.logged[number], before = after[len(before) :], after
            if row.words.startswith(("make", "deal --new", "sets final --public")):
                more = known_deals(commands.data, complete)
                deals |= more[0]
                secrets |= more[1]
    for session, line in enumerate(KEYS.split() if HAS_RIPEMD160 else ()):
        deals |= {
            f"square {session} {place}": deal_at(each)
            for place, each in enumerate(numbers_of(line[4:], b"original", 3))
        }
    found.written = {name: Path(path).read_bytes() for name, path in places.items() if Path(path).is_file()}
    found.search = HandSearch(deals, secrets)
    found.hidden = commands.haystack.searched(found.search)
    found.files = commands.haystack.files
    return found


def name_of(row: Row) -> str:
    return f"{ROWS.index(row)}: {row.words}"


every_row = pytest.mark.parametrize("row", ROWS, ids=name_of)


def test_every_command_of_the_parser_has_a_row() -> None:
    actions = build_parser()._actions  # noqa: SLF001 - argparse has no other way to list commands
    commands = [name for action in actions if isinstance(action.choices, dict) for name in action.choices]

    assert {row.words.partition(" ")[0] for row in ROWS} == {*commands, ""}


@every_row
def test_the_command_does_what_it_was_called_for(row: Row, evening: Evening) -> None:
    ran = evening.ran[ROWS.index(row)]
    if row.words.startswith("verify-squaredeal") and not HAS_RIPEMD160:
        return

    assert ran.code == row.code, ran.all
    assert "Traceback" not in ran.all


@every_row
def test_its_screen_shows_a_hand_only_where_somebody_asked_for_it(row: Row, evening: Evening) -> None:
    number = ROWS.index(row)
    found = evening.search.found(evening.ran[number].all)

    assert bool(found) is (row.shows == SCREEN), found
    if row.shows and row.shows != SCREEN:
        assert evening.search.found(evening.written[row.shows])
    if row.logs is not None:
        assert row.logs in evening.logged[number]


def test_no_file_no_name_of_a_file_and_no_process_shows_a_hand_or_a_secret(evening: Evening) -> None:
    assert {store.FILE_NAME, f"{store.FILE_NAME}-wal", store.KEY_NAME} <= evening.files
    assert {journal.LOCK_NAME, "last-failure.txt"} <= evening.files
    assert evening.hidden == []


def test_no_sheet_and_nothing_in_the_bundle_shows_a_hand_a_secret_or_a_name(evening: Evening) -> None:
    with zipfile.ZipFile(io.BytesIO(evening.written["bundle"])) as bundle:
        inside = {name: bundle.read(name) for name in bundle.namelist()}
    assert {"runs.json", "counters.json", "machine.json", "last-frames.txt"} <= set(inside)
    assert b"HELLO" in inside["last-frames.txt"], "something of the failure before it is in"
    assert b"GOOD" in inside["runs.json"]
    for name in ("control", "sealed", "faults", "known"):
        inside[name] = evening.written[name]
    assert {name: evening.search.found(raw) for name, raw in inside.items()} == {name: [] for name in inside}
    for name in ("runs.json", "counters.json", "machine.json", "versions.json", "known"):
        for word in (b"Dora", b"Ann", b"monday", b"tuesday", PASSPHRASE.encode()):
            assert word not in inside[name]
