"""No bytes make a reader crash, hang or accept what is no deal; damage that a format can show is shown.

`make campaign` shoots at each reader for a minute, with other seeds each time. A failure names its seed, which gives
the same bytes again: `hostile(target, seed, longest)`. Read next: `wounds.py`, `judge.py`.
"""

from __future__ import annotations

import random
import re
import secrets
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count

import pytest

from driver.deals.formats.registry import READERS
from driver.deals.records import Confidence, Contents, Reader
from driver.errors import DealFileError
from tests.fuzz.corpus import ARCHIVE, TARGETS, Target
from tests.fuzz.judge import is_whole, judge, judge_archive
from tests.fuzz.wounds import changed_bytes, hostile
from tests.support.figures import Figures
from tests.unit.deal_texts import HANDS, OTHER

SHOTS = 2_000
"""At each reader in every run of the tests."""
LONGEST = 3_000
LONGEST_IN_A_CAMPAIGN = 65_536
SECONDS_IN_A_CAMPAIGN = 30
CHANGES = 3_000
ALL_READERS_EACH = 16

by_name = {reader.name: reader for reader in READERS}
every_target = pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])


def target_of(name: str) -> Target:
    return next(target for target in TARGETS if target.name == name)


def shoot(target: Target, seeds: Iterable[int], longest: int) -> tuple[int, int]:
    """How many inputs the reader got, and from how many it accepted at least one deal."""
    shots = accepted = 0
    for seed in seeds:
        data = hostile(target, seed, longest)
        try:
            if target is ARCHIVE:
                judge_archive(data)
            else:
                accepted += bool(judge(by_name[target.name], data, others=seed % ALL_READERS_EACH == 0))
        except Exception as error:
            raise AssertionError(f"{target.name}, seed {seed}, {len(data)} bytes") from error
        shots += 1
    return shots, accepted


def seeds_for(seconds: float, first: int) -> Iterable[int]:
    end = time.monotonic() + seconds
    for seed in count(first):
        if time.monotonic() >= end:
            return
        yield seed


def test_every_reader_is_a_target_and_reads_its_own_files() -> None:
    assert {target.name for target in TARGETS} == set(by_name)
    for target in TARGETS:
        reader = by_name[target.name]
        for sample in target.samples:
            assert reader.recognise(sample) is Confidence.SURE
            assert judge(reader, sample)
    for sample in ARCHIVE.samples:
        judge_archive(sample)


@every_target
def test_hostile_bytes_give_whole_deals_or_a_documented_error(target: Target) -> None:
    shots, accepted = shoot(target, range(SHOTS), LONGEST)

    # The shots go neither all wide nor all past the reader.
    assert SHOTS / 40 < accepted < shots - SHOTS / 40


def test_hostile_archives_give_deal_files_or_a_documented_error() -> None:
    shoot(ARCHIVE, range(SHOTS), LONGEST)


@pytest.mark.parametrize("sample", target_of("DUP").samples[:1], ids=["both forms"])
def test_a_changed_deal_in_dup_is_never_taken_for_the_deal_that_was_written(sample: bytes) -> None:
    reader = by_name["DUP"]
    refused = changed_to_another(reader, sample, random.Random(1))

    assert refused > CHANGES / 4


def test_a_changed_letter_or_number_in_dlm_is_never_taken_for_what_was_written() -> None:
    reader, (sample,) = by_name["DLM"], target_of("DLM").samples
    first = sample.index(b"Board 01=")
    written = boards_in(reader.read(sample))
    refused = 0
    for place in range(first, first + 4 * sample[first:].index(b"Board 02=")):
        for sign in b"abcdefghijklmnopqrstuvwxyz0123456789":
            wounded = sample[:place] + bytes((sign,)) + sample[place + 1 :]
            if (contents := read_unless_refused(reader, wounded)) is None:
                continue
            read = boards_in(contents)
            assert read <= written, (place, sign)
            refused += len(read) < len(written)

    assert refused > 100


def changed_to_another(reader: Reader, sample: bytes, chance: random.Random) -> int:
    """Changes a few bytes again and again; fails when another deal is accepted. How often one was refused."""
    written = {deal for _, deal in boards_in(reader.read(sample))}
    refused = 0
    for _ in range(CHANGES):
        wounded = changed_bytes(chance, sample)
        if (contents := read_unless_refused(reader, wounded)) is None:
            continue
        read = {deal for _, deal in boards_in(contents)}
        assert read <= written, wounded
        refused += len(read) < len(written)
    return refused


def boards_in(contents: Contents) -> set[tuple[int | None, str]]:
    return {(record.number, record.deal.hands_as_pbn()) for record in contents.records if record.deal is not None}


def read_unless_refused(reader: Reader, data: bytes) -> Contents | None:
    try:
        return reader.read(data)
    except DealFileError:
        return None


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (HANDS, True),
        (OTHER, True),
        (HANDS.replace("AT.QT6", "AJ.QT6"), False),
        (HANDS.replace("AT.QT6", "A.QT6"), False),
        (HANDS.replace("JT Q", "J QT"), False),
        (HANDS.replace("N:", "X:"), False),
        (HANDS.replace(".KQ432.A65", ".KQ432A65"), False),
        (HANDS.replace("AT.", "aT."), False),
        ("", False),
    ],
)
def test_the_judge_knows_a_whole_deal(text: str, whole: bool) -> None:
    assert is_whole(text) is whole


def crashing(data: bytes) -> Contents:
    raise ValueError(data[:1])


def without_reason(data: bytes) -> Contents:
    contents = by_name["PBN"].read(data)
    return Contents((*contents.records, contents.records[0].__class__(1)))


def gossiping(data: bytes) -> Contents:
    contents = by_name["PBN"].read(data)
    return Contents(contents.records, notes=(f"North has {HANDS[2:].split()[0]}.",))


@pytest.mark.parametrize("read", [crashing, without_reason, gossiping])
def test_the_judge_catches_a_reader_that_does_what_none_may_do(read: Callable[[bytes], Contents]) -> None:
    data = f'[Board "1"]\n[Deal "{HANDS}"]\n'.encode()
    judge(by_name["PBN"], data)

    with pytest.raises((AssertionError, ValueError)):
        judge(Reader("PBN", by_name["PBN"].recognise, read), data)


@pytest.mark.campaign
@pytest.mark.timeout(20 * SECONDS_IN_A_CAMPAIGN)
@pytest.mark.parametrize("target", [*TARGETS, ARCHIVE], ids=[target.name for target in (*TARGETS, ARCHIVE)])
def test_hostile_bytes_for_long_give_whole_deals_or_documented_errors(target: Target, figures: Figures) -> None:
    first = secrets.randbelow(2**48)
    shots, accepted = shoot(target, seeds_for(SECONDS_IN_A_CAMPAIGN, first), LONGEST_IN_A_CAMPAIGN)
    figures.tell(
        f"hostile inputs to the reader of {target.name}: no crash, no hang, no wrong deal",
        f"{shots:,}, whole deals from {accepted:,} of them",
        aim="one or more",
        met=shots > 0,
        seed=first,
    )


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["DUP", "DLM"])
def test_half_a_million_changes_never_make_a_deal_that_the_file_has_not(name: str, figures: Figures) -> None:
    """DLM: one byte at a time, for two that cancel each other in its check figure are no news to anybody."""
    reader, sample = by_name[name], target_of(name).samples[0]
    seed = secrets.randbelow(2**48)
    chance = random.Random(seed)
    # Every board that stands in the file: a changed byte of a DLM's range may bring in those that it fills up with.
    whole = re.sub(rb"(?<=To board=)\d+", b"99", sample)
    written = {deal for contents in (sample, whole) for _, deal in boards_in(reader.read(contents))}
    wound = changed_bytes if name == "DUP" else partial(changed_bytes, longest=1)
    changes = 500_000 // len(written)
    for _ in range(changes):
        wounded = wound(chance, sample)
        if (contents := read_unless_refused(reader, wounded)) is not None:
            assert {deal for _, deal in boards_in(contents)} <= written, (seed, wounded)
    figures.tell(
        f"changes of a {name} file, none of which made a deal that it has not", changes, aim="all", met=True, seed=seed
    )
