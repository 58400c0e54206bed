"""The public value: rules that can be read in one way only, values in one form only, the rest refused in plain words.

Read next: `driver/deals/public_value.py`.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driver.deals.public_value import (
    NO_RULE,
    PublicRule,
    ValueKind,
    canonical_value,
    check_has_come,
    check_is_ahead,
    closing_value_rule,
    lottery_rule,
    randomness_rule,
    text_rule,
)
from driver.errors import ConfigError

MONDAY = date(2026, 11, 30)
SATURDAY = date(2024, 10, 19)
LOTTERY = lottery_rule("Lotto 6/49", MONDAY)
SHARES = closing_value_rule("Dow Jones Industrial Average", MONDAY)
ROUND = randomness_rule("drand quicknet", 12_345)
TEXT = text_rule("First headline of the Herald of 2026-11-30")


def test_a_rule_names_its_source_and_its_day_in_full() -> None:
    assert LOTTERY.text == "Lotto 6/49, draw of 2026-11-30: the main numbers, ascending"
    assert SHARES.text == (
        "Dow Jones Industrial Average, closing value of 2026-11-30 or, without one, the last before it, two decimals"
    )
    assert ROUND.text == "drand quicknet, round 12345: randomness, 64 hexadecimal digits"


def test_a_saturday_has_no_closing_value() -> None:
    with pytest.raises(ConfigError, match="2024-10-19 is a Saturday") as caught:
        closing_value_rule("Dow Jones Industrial Average", SATURDAY)

    assert caught.value.hint == "Name a day from Monday to Friday."


@pytest.mark.parametrize(
    "text",
    ["DJI040725", "the draw of 3 July", "draw of 03/07/2026", "2026-02-30", "2026-11-29 or 2026-11-30", "", "  "],
)
def test_a_rule_whose_day_can_be_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="must name one day, written as in 2026-11-29"):
        text_rule(text)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "two\x00words", "x" * 1000])
def test_a_source_without_a_plain_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        lottery_rule(name, MONDAY)


@pytest.mark.parametrize("number", [0, -1])
def test_rounds_are_numbered_from_one(number: int) -> None:
    with pytest.raises(ConfigError, match="from 1 on"):
        randomness_rule("drand quicknet", number)


@pytest.mark.parametrize(
    ("rule", "typed", "canonical"),
    [
        (NO_RULE, "", ""),
        (NO_RULE, "  ", ""),
        (LOTTERY, "3 6 9 13 26 40", "3 6 9 13 26 40"),
        (LOTTERY, " 40, 26; 13 09  6 03\n", "3 6 9 13 26 40"),
        (SHARES, "43275.91", "43275.91"),
        (SHARES, " 0.07 ", "0.07"),
        (ROUND, "AB" * 32, "ab" * 32),
        (TEXT, "  A  cafe\u0301 \n opens ", "A caf\u00e9 opens"),
    ],
)
def test_a_value_has_one_form_however_it_is_typed(rule: PublicRule, typed: str, canonical: str) -> None:
    assert canonical_value(rule, typed) == canonical
    assert canonical_value(rule, canonical) == canonical


def test_who_types_a_value_for_a_set_that_has_none_is_told_that_it_needs_none() -> None:
    with pytest.raises(ConfigError) as caught:
        canonical_value(NO_RULE, "7")
    assert "It needs none" in caught.value.hint


@pytest.mark.parametrize(
    ("rule", "typed", "sentence"),
    [
        (NO_RULE, "7", "made without a public value"),
        (LOTTERY, "", "The public value is missing"),
        (LOTTERY, "3,6,9", "with a space between them"),
        (LOTTERY, "3 6 6", "each once"),
        (LOTTERY, "3.6 9", "with a space between them"),
        (LOTTERY, "-3 6", "with a space between them"),
        (LOTTERY, "٣ 6", "with a space between them"),
        (SHARES, "44901,92", "a point before two decimals"),
        (SHARES, "44.901,92", "a point before two decimals"),
        (SHARES, "44,901.92", "a point before two decimals"),
        (SHARES, "4490192", "a point before two decimals"),
        (SHARES, "44901.9", "a point before two decimals"),
        (SHARES, "044901.92", "a point before two decimals"),
        (ROUND, "ab" * 31, "64 characters"),
        (ROUND, "xy" * 32, "64 characters"),
        (TEXT, "a\x00b", "one line"),
        (TEXT, "x" * 201, "one line"),
    ],
)
def test_a_value_that_could_be_meant_in_two_ways_is_refused(rule: PublicRule, typed: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence) as caught:
        canonical_value(rule, typed)

    assert caught.value.key == "public value"
    assert caught.value.hint.startswith("Nothing was dealt.")


@pytest.mark.parametrize("rule", [lottery_rule("Lotto", date(2026, 12, 5)), text_rule("dice of 2026-12-05")], ids=str)
def test_a_value_is_promised_until_its_day_is_over_and_known_when_it_has_begun_somewhere(rule: PublicRule) -> None:
    for hours, ahead, come in ((-15, True, False), (-13, True, True), (35, True, True), (37, False, True)):
        now = datetime(2026, 12, 5, tzinfo=UTC) + timedelta(hours=hours)
        for check, right in ((check_is_ahead, ahead), (check_has_come, come)):
            with nullcontext() if right else pytest.raises(ConfigError, match=r"that day (is over|has not come)"):
                check(rule, now)


@pytest.mark.parametrize("rule", [NO_RULE, ROUND], ids=str)
def test_a_rule_without_a_day_has_none_to_wait_for(rule: PublicRule) -> None:
    for year in (1990, 2090):
        check_is_ahead(rule, datetime(year, 1, 1, tzinfo=UTC))
        check_has_come(rule, datetime(year, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(("kind", "text"), [(ValueKind.NONE, "x"), (ValueKind.TEXT, ""), (ValueKind.TEXT, "a\nb")])
def test_a_rule_and_its_text_belong_together(kind: ValueKind, text: str) -> None:
    with pytest.raises(ConfigError):
        PublicRule(kind, text)


@given(st.sampled_from([NO_RULE, LOTTERY, SHARES, ROUND, TEXT]), st.text(max_size=300))
def test_any_text_is_a_value_in_its_one_form_or_refused(rule: PublicRule, typed: str) -> None:
    try:
        value = canonical_value(rule, typed)
    except ConfigError:
        return
    assert canonical_value(rule, value) == value
