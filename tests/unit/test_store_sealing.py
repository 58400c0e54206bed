"""Sealed bytes, passphrases and recovery codes: what opens, what does not, and what a person is told.

Read next: `driver/store/sealing.py`, `driver/store/recovery_code.py`.
"""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.errors import WrongPassphrase
from driver.store import sealing
from driver.store.recovery_code import ALPHABET, LENGTH, looks_like_code, new_recovery_code, read_recovery_code
from driver.store.sealing import Locks, NotOpened, Passphrase, new_locks, open_locks, seal, unseal

KEY = bytes(range(32))
KNOWN_CODE = "0000-0000-0000-0000-0000-0000-0100"
"""The number 0 has the checks 00, so this one is mistyped."""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes new locks cheap to open; the work stands in the lock."""
    monkeypatch.setattr(sealing, "SCRYPT_LOG2_N", 8)


@given(plain=st.binary(max_size=200), bound=st.binary(max_size=20))
def test_what_is_sealed_opens_to_the_same_and_looks_different_each_time(plain: bytes, bound: bytes) -> None:
    sealed = seal(plain, KEY, bound)

    assert unseal(sealed, KEY, bound) == plain
    assert len(sealed) == len(plain) + 29
    assert seal(plain, KEY, bound) != sealed


@given(place=st.integers(0, 49), change=st.integers(1, 255))
def test_sealed_bytes_with_any_change_do_not_open(place: int, change: int) -> None:
    sealed = bytearray(seal(bytes(21), KEY, b"set s1"))
    sealed[place] ^= change

    with pytest.raises(NotOpened):
        unseal(bytes(sealed), KEY, b"set s1")


@given(wrong=st.binary(max_size=60))
def test_bytes_that_were_never_sealed_do_not_open(wrong: bytes) -> None:
    with pytest.raises(NotOpened):
        unseal(wrong, KEY, b"")


def test_another_key_or_another_set_does_not_open() -> None:
    sealed = seal(b"36 boards", KEY, b"set s1")

    for key, bound in ((KEY[::-1], b"set s1"), (KEY, b"set s2"), (KEY, b"")):
        with pytest.raises(NotOpened):
            unseal(sealed, key, bound)


def test_passphrase_and_recovery_code_both_open_at_the_work_that_is_promised() -> None:
    made = new_locks(Passphrase("four hands in a box"))

    assert made.locks.passphrase[0] == 17
    assert open_locks(made.locks, "four hands in a box") == made.data_key
    assert open_locks(made.locks, made.recovery_code) == made.data_key


@pytest.mark.usefixtures("quick")
def test_a_recovery_code_opens_however_it_is_typed() -> None:
    made = new_locks(Passphrase("secret"))
    plain = made.recovery_code.replace("-", "")
    typed = [
        plain,
        plain.lower(),
        made.recovery_code.lower().replace("-", " "),
        f"  {made.recovery_code}\n",
        made.recovery_code.replace("-", " – "),
        plain.replace("0", "O").replace("1", "l"),
        plain.replace("0", "o").replace("1", "I").replace("V", "u"),
    ]

    assert {open_locks(made.locks, text) for text in typed} == {made.data_key}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("closed_with", "opened_with"),
    [
        ("Bjørnstjerne Ægir", "Bjørnstjerne Ægir"),
        ("Zoë", "Zoe\u0308"),
        ("A\u030angstro\u0308m", "Ångström"),
        ("  outside only  ", "outside only"),
        ("牌", "牌"),
        ("half a letter \udce9", "half a letter \udce9"),
    ],
)
def test_a_passphrase_opens_from_another_keyboard(closed_with: str, opened_with: str) -> None:
    made = new_locks(Passphrase(closed_with))

    assert open_locks(made.locks, opened_with) == made.data_key


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("wrong", ["secret", "Secret  word", "Secret word.", "SECRET WORD", "x" * 10_000])
def test_a_wrong_passphrase_is_told_with_the_other_way_in(wrong: str) -> None:
    made = new_locks(Passphrase("Secret word"))

    with pytest.raises(WrongPassphrase, match="does not open the set") as caught:
        open_locks(made.locks, wrong)
    assert caught.value.code == "DM513"
    assert "recovery code" in caught.value.hint
    assert wrong not in str(caught.value)


@pytest.mark.parametrize("nothing", ["", " ", "\n\t", "\u00a0"])
def test_an_empty_passphrase_is_refused(nothing: str) -> None:
    with pytest.raises(WrongPassphrase, match="cannot be empty"):
        Passphrase(nothing)
    with pytest.raises(WrongPassphrase, match="cannot be empty"):
        open_locks(Locks(b"", b""), nothing)


def test_a_passphrase_and_fresh_locks_show_nothing_of_themselves() -> None:
    assert "secret" not in repr(Passphrase("secret"))
    assert Passphrase("secret") == Passphrase(" secret ")


@pytest.mark.usefixtures("quick")
def test_a_mistyped_recovery_code_is_told_from_one_of_another_set() -> None:
    made, other = new_locks(Passphrase("one")), new_locks(Passphrase("two"))
    mistyped = made.recovery_code.translate(str.maketrans("0123456789", "1234567890"))

    with pytest.raises(WrongPassphrase, match="belongs to another set"):
        open_locks(made.locks, other.recovery_code)
    for text in (mistyped, mistyped[:-2], mistyped + "7"):
        if read_recovery_code(text) is None and looks_like_code(text):
            with pytest.raises(WrongPassphrase, match="typing mistake"):
                open_locks(made.locks, text)


@pytest.mark.usefixtures("quick")
def test_a_passphrase_that_looks_like_a_code_opens_too() -> None:
    for text in (KNOWN_CODE, new_recovery_code()[0]):
        made = new_locks(Passphrase(text))
        assert open_locks(made.locks, text) == made.data_key


@pytest.mark.usefixtures("quick")
def test_words_are_never_taken_for_a_code() -> None:
    made = new_locks(Passphrase("secret"))

    with pytest.raises(WrongPassphrase, match=r"^This passphrase does not open the set\.$"):
        open_locks(made.locks, "correct horse battery staples")


@pytest.mark.parametrize("work", [0, 7, 21, 63, 255])
def test_a_lock_that_would_take_all_memory_is_not_tried(work: int) -> None:
    with pytest.raises(WrongPassphrase):
        open_locks(Locks(bytes((work,)) + bytes(80), b""), "secret")


@given(lock=st.binary(max_size=100).filter(lambda raw: raw[:1] not in map(bytes, zip(range(8, 21)))))
def test_any_bytes_in_the_place_of_the_locks_open_nothing(lock: bytes) -> None:
    with pytest.raises(WrongPassphrase):
        open_locks(Locks(lock, lock), "secret")


def test_a_recovery_code_is_seven_groups_of_four_that_no_one_confuses() -> None:
    code, secret = new_recovery_code()
    groups = code.split("-")

    assert [len(group) for group in groups] == [4] * 7
    assert set("".join(groups)) <= set(ALPHABET)
    assert not set(ALPHABET) & set("ILOU")
    assert len(ALPHABET) == 32
    assert read_recovery_code(code) == secret
    assert len({new_recovery_code()[0] for _ in range(50)}) == 50


def test_no_wrong_character_and_no_two_that_changed_places_pass() -> None:
    code = new_recovery_code()[0].replace("-", "")
    for place, letter in itertools.product(range(LENGTH), ALPHABET):
        changed = code[:place] + letter + code[place + 1 :]
        assert changed == code or read_recovery_code(changed) is None
    for first, second in itertools.combinations(range(LENGTH), 2):
        letters = list(code)
        letters[first], letters[second] = letters[second], letters[first]
        changed = "".join(letters)
        assert changed == code or read_recovery_code(changed) is None


def test_a_code_typed_at_random_passes_once_in_a_thousand() -> None:
    dice = random.Random(7)
    texts = ("".join(dice.choices(ALPHABET, k=LENGTH)) for _ in range(20_000))

    assert sum(read_recovery_code(text) is not None for text in texts) < 60


@given(text=st.text(max_size=300))
def test_any_text_is_read_as_a_code_or_not_without_trouble(text: str) -> None:
    secret = read_recovery_code(text)

    assert secret is None or len(secret) == 17
    assert looks_like_code(text) in (True, False)
