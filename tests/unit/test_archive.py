"""Deal files in ZIP archives: which are taken, which password, what is refused before it fills the memory.

Read next: `driver/deals/archive.py`.
"""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals import archive
from driver.deals.archive import HANDED_OVER, deal_files, is_archive, is_handed_over
from driver.deals.loader import load_deals, load_sets, open_deal_file, read_records
from driver.errors import ArchiveLocked, BadDeal, BadSyntax, DealFileError, UnknownFormat

CLUB = (Path(__file__).parents[1] / "data" / "club36.pbn").read_bytes()
OTHER = CLUB.replace(b'[Board "1"]', b'[Board "101"]')
LENGTHS = struct.Struct("<HH")


def zipped(*files: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as made:
        for name, data in files:
            made.writestr(name, data)
    return target.getvalue()


def locked(name: str, data: bytes, password: bytes) -> bytes:
    """An archive with one file that is locked as PKWARE's APPNOTE 6.1 has it, which the standard library only reads."""
    keys = [0x12345678, 0x23456789, 0x34567890]

    def crc(old: int, byte: int) -> int:
        # The library's function inverts before and after.
        return zlib.crc32(bytes([byte]), old ^ 0xFFFFFFFF) ^ 0xFFFFFFFF

    def turn(byte: int) -> None:
        keys[0] = crc(keys[0], byte)
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = crc(keys[2], keys[1] >> 24)

    def lock(plain: bytes) -> bytes:
        found = bytearray()
        for byte in plain:
            mask = (keys[2] | 2) & 0xFFFF
            found.append(byte ^ ((mask * (mask ^ 1)) >> 8) & 0xFF)
            turn(byte)
        return bytes(found)

    for byte in password:
        turn(byte)
    check = zlib.crc32(data) >> 24
    body = lock(bytes(11) + bytes([check]) + data)
    return with_body(name, data, body, flags=1)


def with_body(name: str, data: bytes, body: bytes, *, flags: int = 0, method: int = 0) -> bytes:
    """An archive whose one entry has these packed bytes, flags and method, whatever they are."""
    label = name.encode()
    facts = struct.pack("<HHHHIII", flags, method, 0, 0x21, zlib.crc32(data), len(body), len(data))
    local = b"PK\x03\x04" + struct.pack("<H", 20) + facts + LENGTHS.pack(len(label), 0) + label + body
    central = b"PK\x01\x02" + struct.pack("<HH", 20, 20) + facts + struct.pack("<HHHHHII", len(label), 0, 0, 0, 0, 0, 0)
    central += label
    return local + central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def is_deal_file(data: bytes) -> bool:
    return b"[Deal " in data


def names(data: bytes, password: str | None = None) -> list[str]:
    return [member.name for member in deal_files(data, is_deal_file, password)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tuesday.zip"


@pytest.mark.parametrize(
    "files", [["about.json"], ["about.json", "set", "tuesday.pbn"], ["about.json", "about.json"]], ids=str
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_only_an_archive_of_just_the_two_files_hands_a_set_over(files: list[str], file: Path) -> None:
    assert is_handed_over(zipped(*((name, b"{}") for name in HANDED_OVER)))
    others = zipped(*((name, CLUB if name.endswith(".pbn") else b"{}") for name in files))
    assert not is_handed_over(others)
    assert not is_handed_over(zipped(*((name, b"{}") for name in HANDED_OVER))[:-10])
    file.write_bytes(others)
    if "tuesday.pbn" in files:
        assert len(load_deals(file)) == 36
    else:
        with pytest.raises(UnknownFormat, match="no deal file in the ZIP archive"):
            load_deals(file)


def test_the_only_deal_file_is_taken_whatever_lies_beside_it(file: Path) -> None:
    file.write_bytes(
        zipped(
            ("readme.txt", b"Hands of Tuesday"),
            ("hands/tuesday.pbn", CLUB),
            ("__MACOSX/hands/._tuesday.pbn", CLUB),
            ("hands/.hidden.pbn", CLUB),
            ("empty.pbn", b""),
            ("folder/", b""),
        )
    )

    deals = load_deals(file)

    assert (deals.name, deals.range_text, deals.path) == ("tuesday", "1-36", str(file))
    assert len(read_records(file)) == 36
    assert is_archive(file.read_bytes())
    assert not is_archive(CLUB)


def test_one_of_several_deal_files_must_be_named(file: Path) -> None:
    file.write_bytes(zipped(("a/one.pbn", CLUB), ("b/two.pbn", OTHER)))

    with pytest.raises(BadDeal, match=r"2 deal files: a/one\.pbn, b/two\.pbn") as caught:
        load_deals(file)
    assert "--member" in caught.value.hint
    assert caught.value.path == str(file)
    for name in ("b/two.pbn", "two.pbn", "TWO.PBN"):
        assert load_deals(file, member=name).name == "two"
    assert [one.name for one in load_sets(file)] == ["one", "two"]


def test_a_person_is_asked_for_one_of_several(file: Path) -> None:
    file.write_bytes(zipped(("one.pbn", CLUB), ("two.pbn", OTHER)))
    asked: list[Sequence[str]] = []

    def choose(names: Sequence[str]) -> str:
        asked.append(names)
        return names[1]

    assert open_deal_file(file, ask_member=choose).member == "two.pbn"
    assert asked == [["one.pbn", "two.pbn"]]


@pytest.mark.parametrize("name", ["three.pbn", "same.pbn"])
def test_a_name_that_is_not_there_or_is_there_twice_is_refused(file: Path, name: str) -> None:
    file.write_bytes(zipped(("a/same.pbn", CLUB), ("b/same.pbn", OTHER)))

    with pytest.raises(BadDeal, match="deal file of that name") as caught:
        load_deals(file, member=name)
    assert "a/same.pbn" in caught.value.hint


def test_a_file_that_is_no_archive_has_no_members(file: Path) -> None:
    file.write_bytes(CLUB)

    with pytest.raises(BadDeal, match="no ZIP archive"):
        load_deals(file, member="one.pbn")


def test_nothing_is_written_where_a_name_leads_out(file: Path, tmp_path: Path) -> None:
    file.write_bytes(zipped(("../../out.pbn", CLUB), ("/etc/other.pbn", OTHER)))
    before = set(tmp_path.rglob("*"))

    assert load_deals(file, member="out.pbn").name == "out"
    assert set(tmp_path.rglob("*")) == before


def test_a_locked_archive_opens_with_its_password_alone(file: Path) -> None:
    file.write_bytes(locked("tuesday.pbn", CLUB, b"clubs"))

    with pytest.raises(ArchiveLocked, match="locked with a password") as caught:
        load_deals(file)
    assert "--password-file" in caught.value.hint
    for wrong in ("hearts", "", "ключ"):
        with pytest.raises(ArchiveLocked, match="does not open") as caught:
            load_deals(file, password=wrong)
        assert caught.value.path == str(file)
    assert load_deals(file, password="clubs").range_text == "1-36"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "cp850"])
def test_a_password_with_other_letters_is_tried_as_each_system_writes_it(encoding: str) -> None:
    data = locked("tuesday.pbn", CLUB, "Käfer".encode(encoding))

    assert names(data, "Käfer") == ["tuesday.pbn"]


def test_a_password_is_asked_for_a_few_times(file: Path) -> None:
    file.write_bytes(locked("tuesday.pbn", CLUB, b"clubs"))
    answers = ["hearts", "spades", "clubs"]
    told: list[str] = []

    def ask(why: ArchiveLocked) -> str:
        told.append(str(why))
        return answers[len(told) - 1]

    assert open_deal_file(file, ask_password=ask).format == "PBN"
    assert len(told) == 3
    answers[:] = ["no"] * 9
    told.clear()
    with pytest.raises(ArchiveLocked, match="does not open"):
        open_deal_file(file, ask_password=ask)
    assert len(told) == 3


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped(("readme.txt", b"no hands")), "no deal file in the ZIP"),
        (zipped(), "no deal file in the ZIP"),
        (zipped(("inner.zip", zipped(("tuesday.pbn", CLUB), method=zipfile.ZIP_STORED))), "no deal file in the ZIP"),
        (zipped(("xl/workbook.xml", b"x")), "Excel"),
        (zipped(("META-INF/manifest.xml", b"x")), "LibreOffice"),
        (with_body("tuesday.pbn", CLUB, CLUB, flags=1, method=99), r"newer way \(AES\)"),
        (zipped(("tuesday.pbn", CLUB), method=zipfile.ZIP_BZIP2), "packed in a way"),
        (zipped(("tuesday.pbn", CLUB), method=zipfile.ZIP_LZMA), "packed in a way"),
    ],
    ids=["no deals", "nothing", "nested", "excel", "libreoffice", "aes", "bzip2", "lzma"],
)
def test_an_archive_that_gives_no_deals_is_refused_in_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(UnknownFormat, match=words) as caught:
        names(data)
    assert caught.value.hint.startswith("Nothing was dealt.")


@pytest.mark.parametrize(
    "data",
    [
        zipped(("tuesday.pbn", CLUB))[:-300],
        b"PK\x03\x04",
        b"PK\x05\x06" + bytes(18) + b"x",
        with_body("tuesday.pbn", CLUB, b"\xff" * 99, method=8),
        with_body("tuesday.pbn", CLUB, CLUB[:-1] + b"?"),
        with_body("tuesday.pbn", CLUB, CLUB, flags=0x20),
        with_body("tuesday.pbn", CLUB, CLUB, flags=0x40),
    ],
    ids=["cut", "start only", "odd end", "no deflate", "changed", "patched", "strongly locked"],
)
def test_a_damaged_archive_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(DealFileError) as caught:
        names(data)
    assert isinstance(caught.value, BadSyntax | UnknownFormat)


def test_a_file_that_swells_too_much_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = zipped(("bomb.pbn", CLUB + bytes(4 * archive.HARMLESS)))
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_, **__: pytest.fail("unpacked"))

    with pytest.raises(UnknownFormat, match="far more than deal files need"):
        names(bomb)


def test_many_files_that_swell_a_little_are_refused_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST_UNPACKED", 3 * len(CLUB))

    assert len(names(zipped(*((f"{number}.pbn", CLUB) for number in range(3))))) == 3
    with pytest.raises(UnknownFormat, match="far more than deal files need"):
        names(zipped(*((f"{number}.pbn", CLUB) for number in range(4))))


def test_a_size_that_lies_does_not_unpack_more() -> None:
    packed = zlib.compressobj(wbits=-15)
    body = packed.compress(bytes(10 * archive.HARMLESS)) + packed.flush()

    with pytest.raises(DealFileError):
        names(with_body("tuesday.pbn", CLUB, body, method=8))


def test_an_archive_of_very_many_files_is_refused_before_it_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_ENTRIES", 3)

    with pytest.raises(UnknownFormat, match="more than 3 files"):
        names(zipped(*((f"{number}.pbn", CLUB) for number in range(4))))


@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_any_damage_gives_deal_files_or_a_deal_file_error(chance: random.Random, changes: int) -> None:
    data = bytearray(zipped(("a.pbn", CLUB[:700]), ("b/readme.txt", b"hello")))
    for _ in range(changes):
        data[chance.randrange(4, len(data))] = chance.randrange(256)
    if chance.random() < 0.3:
        del data[chance.randrange(len(data)) :]
    try:
        names(bytes(data))
    except DealFileError:
        return


@given(st.binary(max_size=200))
def test_any_bytes_behind_the_sign_of_an_archive_are_refused(rest: bytes) -> None:
    with pytest.raises(DealFileError):
        names(b"PK\x03\x04" + rest)
