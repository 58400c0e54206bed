"""The search for hands finds every notation wherever it stands, and nothing where there is none.

Read next: `tests/support/secrets_search.py`.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import pytest

from driver.cli.show import picture
from driver.deals.check import records_to_json
from driver.deals.formats.registry import READERS, WRITERS
from driver.deals.model import BoardDeal
from driver.deals.records import Writer
from protocol.cards import PACK, Seat
from tests.fuzz.corpus import TARGETS, Target
from tests.support.deal_sets import deal, deal_set
from tests.support.secrets_search import HandSearch, Haystack, notations, ranks_of_hands

ONE = deal(1)
SECRET = bytes(range(100, 132))
SEARCH = HandSearch({"board 1": ONE}, {"set": SECRET})
OTHER = HandSearch({"board 2": deal(2)})


@pytest.mark.parametrize("surroundings", [b"", b"x" * 4090, b"\x00\xff" * 3000, b"AKQ"])
def test_every_notation_is_found_wherever_it_stands(surroundings: bytes) -> None:
    for name, needle in (*notations(ONE), *ranks_of_hands(ONE)):
        raw = surroundings + needle + surroundings
        assert any(name in what for what in SEARCH.found(raw)), name
        assert OTHER.found(raw) == []


def test_the_cards_of_a_hand_are_found_in_any_dress() -> None:
    cards = ONE.hand(Seat.WEST)
    for text in (
        " ".join(map(str, cards)),
        ", ".join(f"{card.suit.letter}{'10' if card.rank == 'T' else card.rank}" for card in cards),
        json.dumps([str(card) for card in cards]),
        ONE.hands_as_pbn(Seat.SOUTH),
        ONE.hands_as_pbn().lower(),
        "\r\n".join(picture(BoardDeal(1, ONE))),
        "\x1b[1m" + " ".join(f"\x1b[31m{card.suit.letter}\x1b[0m{card.rank}" for card in cards),
    ):
        for raw in (text.encode(), text.encode("utf-16"), text):
            assert SEARCH.found(raw), text
            assert OTHER.found(raw) == []


@pytest.mark.parametrize("writer", WRITERS, ids=[writer.name for writer in WRITERS])
def test_every_file_that_can_be_written_shows_its_hands(writer: Writer) -> None:
    data = writer.write(deal_set([1]))

    assert SEARCH.found(data)
    assert OTHER.found(data) == []


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_every_file_that_can_be_read_shows_its_hands(target: Target) -> None:
    sample = target.samples[0]
    reader = next(reader for reader in READERS if reader.name == target.name)
    deals = {f"{record.line}": record.deal for record in reader.read(sample).records if record.deal is not None}

    assert HandSearch(deals).found(sample)
    assert HandSearch(deals).found(records_to_json(reader.read(sample).records))


def test_a_secret_is_found_raw_in_hex_and_in_base64() -> None:
    for text in (SECRET, SECRET.hex().upper().encode(), base64.b64encode(SECRET)):
        assert SEARCH.found(b"?" + text + b"?") == ["secret set"]


def test_what_shows_no_hand_is_not_found() -> None:
    text = f"{ONE!r} board 1 GOOD, 13 cards each; {[str(card) for card in PACK]} {bytes(range(52)).hex()}"

    assert SEARCH.found(text) == []


def test_a_haystack_keeps_what_files_and_command_lines_showed(tmp_path: Path) -> None:
    (tmp_path / "journal").write_bytes(b"x" * 5000 + bytes(ONE.owners))
    haystack = Haystack()
    haystack.add_files("while dealing", tmp_path)
    (tmp_path / "journal").unlink()
    (tmp_path / "mine").write_bytes(bytes(ONE.owners))
    haystack.add_files("later", tmp_path, leaving_out=[tmp_path / "mine"])

    assert haystack.searched(SEARCH) == ["while dealing: file journal: board 1: owners"]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="this system does not show command lines as files")
def test_the_words_of_a_process_are_seen_while_it_runs() -> None:
    haystack = Haystack()
    command = [sys.executable, "-c", "print(flush=True); input()", ONE.hands_as_pbn()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # only then it is the new program
        haystack.add_command_lines("running")
        process.communicate(b"\n")

    assert any("words of a process" in where for where in haystack.searched(SEARCH))
