"""From a secret to the deals: every published value, what a description may be, and what a third party finds.

Read next: `driver/deals/fairness.py`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.fairness import (
    Manifest,
    SpareUsed,
    candidate,
    combined,
    deal_of,
    parse_manifest,
    secret_digest,
    session_key,
    verify,
    with_cut,
)
from driver.deals.model import BoardDeal
from driver.deals.numbering import DEALS
from driver.deals.public_value import PublicRule, ValueKind
from driver.errors import BadSyntax, ConfigError
from tests.support.deal_numbers import index_of

ROOT = Path(__file__).resolve().parents[2]
TYPED = tomllib.loads((ROOT / "tests" / "data" / "made_set.toml").read_text(encoding="utf-8"))
PUBLISHED = ROOT.parent / "shared" / "data" / "vectors" / "scheme_vectors.json"

SECRET = bytes.fromhex(TYPED["secret"])
OTHER_SECRET = bytes(reversed(SECRET))
MANIFEST = parse_manifest(TYPED["description"])
KEY = bytes.fromhex(TYPED["key"])
VALUE = TYPED["public_value"]
PLAIN = Manifest(secret_sha256=secret_digest(SECRET), boards="1-36")


def boards(numbers: range, set_name: str = "original") -> list[BoardDeal]:
    return [BoardDeal(number, deal_of(KEY, set_name, number)) for number in numbers]


def test_the_description_is_read_and_written_byte_for_byte() -> None:
    expected = Manifest(
        secret_sha256=TYPED["secret_sha256"],
        boards="1-24",
        club="Testklub Ö",
        event="Club pairs",
        session="2026-11-30/1",
        sets=("original", "reserve-1"),
        rule=PublicRule(ValueKind.TEXT, "Lotto 6/49 draw of 2026-11-29, ascending, space separated"),
    )
    assert expected == MANIFEST
    assert MANIFEST.text == TYPED["description"]
    assert MANIFEST.numbers == range(1, 25)


def test_every_hash_on_the_way_is_the_published_one() -> None:
    assert secret_digest(SECRET) == TYPED["secret_sha256"]
    assert MANIFEST.commitment.hex() == TYPED["commitment"]
    assert session_key(MANIFEST, SECRET, VALUE) == KEY


@pytest.mark.parametrize("row", TYPED["board"], ids=lambda row: f"{row['set']}-{row['number']}")
def test_a_board_has_the_published_deal_after_so_many_attempts(row: dict[str, Any]) -> None:
    deal = deal_of(KEY, row["set"], row["number"])

    assert deal.hands_as_pbn() == row["deal"]
    assert index_of(deal) == int(row["index"]) == candidate(KEY, row["set"], row["number"], row["attempt"])
    assert all(candidate(KEY, row["set"], row["number"], earlier) >= DEALS for earlier in range(row["attempt"]))


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="the published values of ../shared are not here")
def test_all_published_boards_have_their_deals() -> None:
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    manifest = parse_manifest(json.dumps(published["manifest"]))
    key = session_key(manifest, bytes.fromhex(published["secret_hex"]), published["beacon_value"])

    assert manifest.text.encode().hex() == published["manifest_canonical_utf8_hex"]
    assert key.hex() == published["session_key"]
    assert len(published["boards"]) == 12
    for row in published["boards"]:
        deal = deal_of(key, row["set"], row["board"])
        assert deal.hands_as_pbn() == row["deal"]
        assert index_of(deal) == int(row["index"]) == candidate(key, row["set"], row["board"], row["attempt"])


def test_the_key_is_that_of_the_standard_worked_out_in_other_words() -> None:
    """RFC 5869, with the two blocks of the expansion written out, for a set without a public value."""
    salt = hashlib.sha256(b"bridge-beacon-v1\x00").digest()
    extracted = hmac.new(salt, SECRET, hashlib.sha256).digest()
    info = b"bridge-deal-v1\x00" + hashlib.sha256(b"bridge-manifest-v1\x00" + PLAIN.text.encode()).digest()
    first = hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()
    second = hmac.new(extracted, first + info + b"\x02", hashlib.sha256).digest()

    assert session_key(PLAIN, SECRET) == (first + second)[:32]


def test_two_secrets_and_a_cut_are_hashed_into_one() -> None:
    expected = hashlib.sha256(b"bridge-two-person-v1\x00" + SECRET + OTHER_SECRET).digest()
    cut = hashlib.sha256(b"bridge-players-cut-v1\x00" + "seven of clubs, Zoë".encode()).digest()

    assert combined(SECRET, OTHER_SECRET) == expected
    assert combined(OTHER_SECRET, SECRET) != expected
    assert with_cut(SECRET, "seven of clubs, Zoë") == combined(SECRET, cut)


def test_a_set_of_two_persons_needs_both_secrets_and_names_both_digests() -> None:
    shared = replace(PLAIN, second_sha256=secret_digest(OTHER_SECRET))

    assert parse_manifest(shared.text) == shared
    assert session_key(shared, SECRET, "", OTHER_SECRET) != session_key(PLAIN, SECRET)
    with pytest.raises(ValueError, match="second secret"):
        session_key(shared, SECRET)
    with pytest.raises(ValueError, match="second secret"):
        session_key(PLAIN, SECRET, "", OTHER_SECRET)


def test_every_part_of_the_description_and_the_value_changes_every_deal() -> None:
    keys = {
        session_key(manifest, SECRET, value)
        for manifest, value in [
            (MANIFEST, VALUE),
            (MANIFEST, "3 6 9 13 26 41"),
            (replace(MANIFEST, club="Another club"), VALUE),
            (replace(MANIFEST, event=""), VALUE),
            (replace(MANIFEST, session="2026-11-30/2"), VALUE),
            (replace(MANIFEST, boards="1-25"), VALUE),
            (replace(MANIFEST, sets=("original",)), VALUE),
            (replace(MANIFEST, rule=PublicRule(ValueKind.TEXT, "another day")), VALUE),
        ]
    }

    assert len(keys) == 8


def test_a_value_that_the_rule_does_not_promise_makes_no_deals() -> None:
    with pytest.raises(ConfigError, match="public value is missing"):
        session_key(MANIFEST, SECRET)
    with pytest.raises(ConfigError, match="without a public value"):
        session_key(PLAIN, SECRET, VALUE)


@pytest.mark.parametrize("secret", [b"", b"x" * 31, b"x" * 33])
def test_a_secret_has_32_bytes(secret: bytes) -> None:
    for use in (secret_digest, lambda it: session_key(PLAIN, it), lambda it: combined(SECRET, it)):
        with pytest.raises(ValueError, match="32 bytes"):
            use(secret)


@pytest.mark.parametrize(
    ("set_name", "board"),
    [("original", 0), ("original", -1), ("original", 2**32), ("reserve-0", 1), ("reserve-", 1), ("spare-1", 1)],
)
def test_there_are_no_other_sets_and_boards(set_name: str, board: int) -> None:
    with pytest.raises(ValueError, match="no such board or set"):
        deal_of(KEY, set_name, board)


@pytest.mark.parametrize(
    "change",
    [
        {"secret_sha256": "00"},
        {"secret_sha256": TYPED["secret_sha256"].upper()},
        {"second_sha256": "x" * 64},
        {"boards": "36"},
        {"boards": "0-3"},
        {"boards": "5-3"},
        {"boards": "1-1001"},
        {"sets": ()},
        {"sets": ("reserve-1",)},
        {"sets": ("original", "original")},
        {"sets": ("original", "reserve-0")},
        {"club": "two\nlines"},
        {"event": "x" * 201},
        {"session": "\ud800"},
    ],
)
def test_a_field_that_breaks_its_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"digest|boards|sets|text"):
        replace(PLAIN, **change)


def changed(**values: object) -> str:
    return json.dumps({**json.loads(TYPED["description"]), **values})


def test_spaces_and_the_order_of_the_parts_do_not_matter() -> None:
    parts = json.loads(TYPED["description"])

    assert parse_manifest(json.dumps(dict(reversed(parts.items())), indent=4)) == MANIFEST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        "{}",
        "no description",
        "[" * 10_000,
        "9" * 5_000,
        changed(v="deal-commit-2"),
        changed(order="pavlicek"),
        changed(stream="x"),
        changed(extra=""),
        changed(rule="x"),
        changed(second_sha256=""),
        changed(club=7),
        changed(boards=["1-24"]),
        changed(sets="original"),
        changed(sets=[7]),
        changed(sets=["other"]),
        changed(beacon="none"),
        changed(beacon={"kind": "text"}),
        changed(beacon={"kind": "stars", "rule": "x"}),
        changed(beacon={"kind": "text", "rule": ""}),
        changed(beacon={"kind": "text", "rule": "x", "more": 1}),
        changed(club="\ud800"),
        TYPED["description"][:-1] + ',"club":"twice"}',
        TYPED["description"][:-1],
        TYPED["description"] + " " * 20_000,
    ],
)
def test_what_is_not_a_whole_description_of_this_version_is_refused(text: str) -> None:
    with pytest.raises(BadSyntax, match=r"^This is not the description of a deal set: .*\.$"):
        parse_manifest(text)


@given(st.one_of(st.text(max_size=200), st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists)))
def test_any_other_text_is_refused_with_that_error_alone(thing: object) -> None:
    with pytest.raises(BadSyntax):
        parse_manifest(thing if isinstance(thing, str) else json.dumps(thing))


@given(
    st.dictionaries(
        st.sampled_from(sorted(json.loads(TYPED["description"]))),
        st.none() | st.text(max_size=5) | st.lists(st.text(max_size=3), max_size=2),
        min_size=1,
    )
)
def test_a_description_with_changed_parts_is_another_description_or_refused(values: dict[str, object]) -> None:
    try:
        manifest = parse_manifest(changed(**values))
    except BadSyntax:
        return
    assert json.loads(manifest.text) == json.loads(changed(**values))


def test_a_third_party_finds_that_all_boards_are_as_promised() -> None:
    found = verify(MANIFEST, SECRET, VALUE, boards(range(1, 25)), published=TYPED["commitment"].upper())

    assert found.is_right
    assert (found.commitment, found.commitment_right, found.secret_right) == (TYPED["commitment"], True, True)
    assert found.equal == tuple(range(1, 25))
    assert (found.spares, found.differ, found.outside) == ((), (), ())


def test_a_third_party_finds_new_hands_other_hands_and_boards_that_are_not_of_the_set() -> None:
    played = boards(range(1, 5))
    played[1] = BoardDeal(2, deal_of(KEY, "reserve-1", 4))
    played[2] = BoardDeal(3, played[3].deal)
    played.append(BoardDeal(25, deal_of(KEY, "original", 25)))

    found = verify(MANIFEST, SECRET, VALUE, played)

    assert (found.equal, found.spares) == ((1, 4), (SpareUsed(2, 4),))
    assert (found.differ, found.outside) == ((3,), (25,))
    assert found.commitment_right is None
    assert not found.is_right


def test_a_board_with_new_hands_from_the_spare_deals_is_right() -> None:
    assert verify(MANIFEST, SECRET, VALUE, [BoardDeal(9, deal_of(KEY, "reserve-1", 1))]).is_right


def test_a_whole_reserve_set_is_compared_by_its_name() -> None:
    found = verify(MANIFEST, SECRET, VALUE, boards(range(1, 25), "reserve-1"), set_name="reserve-1")

    assert found.equal == tuple(range(1, 25))


def test_another_secret_or_another_announcement_is_told_from_the_right_one() -> None:
    played = boards(range(1, 25))

    wrong_secret = verify(MANIFEST, OTHER_SECRET, VALUE, played)
    assert not wrong_secret.secret_right
    assert wrong_secret.differ == tuple(range(1, 25))
    assert not wrong_secret.is_right

    wrong_announcement = verify(MANIFEST, SECRET, VALUE, played, published="00" * 32)
    assert wrong_announcement.commitment_right is False
    assert wrong_announcement.equal == tuple(range(1, 25))
    assert not wrong_announcement.is_right


def test_a_second_person_s_secret_is_checked_as_well() -> None:
    shared = replace(PLAIN, second_sha256=secret_digest(OTHER_SECRET))
    key = session_key(shared, SECRET, "", OTHER_SECRET)
    played = [BoardDeal(number, deal_of(key, "original", number)) for number in (1, 2)]

    assert verify(shared, SECRET, "", played, second=OTHER_SECRET).is_right
    assert not verify(shared, SECRET, "", played, second=SECRET).secret_right


def test_nothing_compared_is_not_right() -> None:
    assert not verify(MANIFEST, SECRET, VALUE, []).is_right
