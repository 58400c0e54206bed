"""The key file of the store: made once, never replaced, missed when it is gone, private.

Read next: `driver/store/keys.py`.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from driver.errors import StoreDamaged, StoreUnusable
from driver.store.database import FILE_NAME, KEY_NAME
from driver.store.keys import KEY_SIZE, Keys, KeyUse, derived
from tests.support.store import opened


def test_a_new_store_gets_a_key_of_32_random_bytes_and_keeps_it(tmp_path: Path) -> None:
    keys = []
    for folder in (tmp_path / "a", tmp_path / "a", tmp_path / "b"):
        opened(folder).close()
        keys.append((folder / KEY_NAME).read_bytes())

    assert keys[0] == keys[1] != keys[2]
    assert [len(key) for key in keys] == [KEY_SIZE] * 3
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == [FILE_NAME, KEY_NAME]


def test_the_subkeys_of_one_key_have_nothing_in_common_and_depend_on_it() -> None:
    one, other = Keys(bytes(32)), Keys(b"\x01" + bytes(31))
    subkeys = [keys.subkey(use) for keys in (one, other) for use in KeyUse]

    assert len(set(subkeys)) == len(subkeys)
    assert all(len(subkey) == KEY_SIZE for subkey in subkeys)
    assert one.subkey(KeyUse.SETS) == Keys(bytes(32)).subkey(KeyUse.SETS)
    assert one.subkey(KeyUse.ID).startswith(one.key_id)


def test_keys_are_derived_as_rfc_5869_says() -> None:
    salt, info = bytes(range(0x0D)), bytes(range(0xF0, 0xFA))

    # Test case 1 of the RFC, its first 32 bytes.
    assert derived(b"\x0b" * 22, info, salt).hex() == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"


def test_keys_show_themselves_to_nobody() -> None:
    keys = Keys(bytes(range(32)))

    assert repr(keys) == "<Keys, not shown>"
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        Keys(bytes(31))


def test_a_key_that_is_missing_is_not_made_anew(tmp_path: Path) -> None:
    opened(tmp_path).close()
    (tmp_path / KEY_NAME).unlink()
    before = (tmp_path / FILE_NAME).read_bytes()

    with pytest.raises(StoreDamaged, match=r"store\.key is missing") as caught:
        opened(tmp_path)

    assert "dealctl restore" in caught.value.hint
    assert not (tmp_path / KEY_NAME).exists()
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize("wrong", [b"", b"short", bytes(32), bytes(33)])
def test_a_key_that_is_not_the_one_of_this_store_is_refused_and_kept(tmp_path: Path, wrong: bytes) -> None:
    opened(tmp_path).close()
    (tmp_path / KEY_NAME).write_bytes(wrong)

    with pytest.raises(StoreDamaged, match="damaged"):
        opened(tmp_path)
    assert (tmp_path / KEY_NAME).read_bytes() == wrong


def test_a_key_put_back_opens_the_store_again(tmp_path: Path) -> None:
    opened(tmp_path).close()
    key = (tmp_path / KEY_NAME).read_bytes()
    (tmp_path / KEY_NAME).unlink()
    with pytest.raises(StoreDamaged):
        opened(tmp_path)

    (tmp_path / KEY_NAME).write_bytes(key)
    opened(tmp_path).close()


def test_a_start_that_ended_before_the_key_was_in_its_place_is_made_good(tmp_path: Path, mocker: MockerFixture) -> None:
    cut = mocker.patch.object(Path, "replace", side_effect=KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        opened(tmp_path)
    assert not (tmp_path / KEY_NAME).exists()
    mocker.stop(cut)

    opened(tmp_path).close()
    assert len((tmp_path / KEY_NAME).read_bytes()) == KEY_SIZE
    assert sorted(path.name for path in tmp_path.iterdir()) == [FILE_NAME, KEY_NAME]


def test_a_start_that_ended_after_the_key_was_in_its_place_uses_that_key(tmp_path: Path) -> None:
    tmp_path.joinpath(KEY_NAME).write_bytes(bytes(range(32)))

    opened(tmp_path).close()

    assert tmp_path.joinpath(KEY_NAME).read_bytes() == bytes(range(32))


def test_a_disk_that_is_full_before_the_key_is_written_is_said(tmp_path: Path, mocker: MockerFixture) -> None:
    mocker.patch("os.write", side_effect=OSError(errno.ENOSPC, "No space left on device"))

    with pytest.raises(StoreUnusable, match="No space left"):
        opened(tmp_path)
    assert not (tmp_path / KEY_NAME).exists()
