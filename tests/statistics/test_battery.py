"""The project's own deals pass the battery, and every bad dealer of the field is caught by it.

All deals come from fixed secrets: a result is the same in every run. Read next: `battery.py`, `bad_dealers.py`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import islice

import pytest

from driver.deals.fairness import deal_of, session_key
from driver.deals.generator import make, remade
from protocol.cards import RANKS
from tests.statistics import bad_dealers
from tests.statistics.bad_dealers import TURN, Dealer, fair
from tests.statistics.battery import alarms, examine, fit
from tests.statistics.laws import voids
from tests.statistics.p_values import kolmogorov_smirnov

SECRET = bytes(range(32))
DESCRIPTION = (
    '{"beacon":{"kind":"none","rule":""},"boards":"1-36","club":"","event":"","order":"bigdeal","secret_sha256":'
    '"5ce734422173e42684db18e5cfacf6eec69cdd27bc0c9afb2b874ed1df15dc8f","session":"","sets":["original","reserve-1"],'
    '"stream":"hkdf+hmac-sha256/96","v":"deal-commit-1"}'
)
SEEDS = (1, 2, 3)

# How many deals each was published to need for an alarm, and how many it gets here, so that the alarm is no matter of
# luck: more where the published number stands near the limit.
CAUGHT = (
    pytest.param(bad_dealers.swaps_with_any_and_keeps_the_pack, "seat to seat, lag 1", 250, id="keeps the pack"),
    pytest.param(bad_dealers.swaps_with_any_from_a_sorted_pack, "card and seat", 500, id="swaps with any"),
    pytest.param(bad_dealers.shuffles_off_by_one, "card and seat", 4_000, id="off by one"),
    pytest.param(bad_dealers.number_without_nines, "number, last digit", 500, id="no nines"),
    pytest.param(bad_dealers.number_by_division, "number, spread", 500, id="division"),
    pytest.param(bad_dealers.number_from_a_fraction, "number, last digit", 250, id="fraction"),
    pytest.param(bad_dealers.any_seat_or_the_next_with_room, "voids", 250, id="next with room"),
    pytest.param(bad_dealers.no_suit_of_eight, "longest suit", 2_000, id="no suit of eight"),
    pytest.param(bad_dealers.four_riffles, "neighbours", 2_000, id="four riffles"),
    pytest.param(bad_dealers.an_old_board_turned, "repeats", 101, id="an old board"),
)


def from_pbn(text: str) -> bytes:
    """The owners of the deal in a PBN Deal tag that begins with North."""
    owners = bytearray(52)
    for seat, hand in enumerate(text.removeprefix("N:").split()):
        for suit, ranks in enumerate(hand.split(".")):
            for rank in ranks:
                owners[13 * suit + RANKS.index(rank)] = seat
    return bytes(owners)


def test_twenty_thousand_deals_of_a_fixed_secret_are_fair_as_they_are_written() -> None:
    made = remade(DESCRIPTION, SECRET)
    key = session_key(made.manifest, SECRET)

    deals = [from_pbn(deal_of(key, "original", board).hands_as_pbn()) for board in range(1, 20_001)]

    assert deals[:36] == [bytes(board.deal.owners) for board in made.boards()]
    findings = examine(deals)
    assert len(findings) == 26
    assert alarms(findings) == []


@pytest.mark.parametrize("size", [100, 250, 1_000, 4_000])
def test_few_fair_deals_are_no_alarm_either(size: int) -> None:
    for seed in range(4_000 // size):
        findings = examine(list(islice(fair(SECRET + bytes([size % 256, seed])), size)))
        assert alarms(findings) == []


@pytest.mark.parametrize(("dealer", "test", "deals"), CAUGHT)
def test_a_bad_dealer_is_caught(dealer: Dealer, test: str, deals: int) -> None:
    for seed in SEEDS:
        assert test in alarms(examine(list(islice(dealer(random.Random(seed)), deals)))), seed


def test_a_dealer_who_deals_again_until_somebody_can_open_is_caught() -> None:
    deals = list(islice(bad_dealers.somebody_can_open(random.Random(1)), 24_000))

    assert {name for name in alarms(examine(deals)) if not name.startswith("points")} == set()
    assert any(name.startswith("points") for name in alarms(examine(deals)))


def test_one_old_board_among_many_is_caught_turned_or_not() -> None:
    deals = list(islice(fair(SECRET), 500))

    assert alarms(examine(deals)) == []
    for turned in (deals[7], deals[7].translate(TURN), deals[7].translate(TURN).translate(TURN)):
        assert alarms(examine([*deals, turned])) == ["repeats"]


@pytest.mark.parametrize(
    ("dealer", "deals"),
    [
        pytest.param(bad_dealers.swaps_with_any_and_keeps_the_pack, 2_000, id="keeps the pack"),
        pytest.param(bad_dealers.four_riffles, 2_000, id="four riffles"),
    ],
)
def test_shapes_and_points_alone_would_miss_some_of_them(dealer: Dealer, deals: int) -> None:
    findings = examine(list(islice(dealer(random.Random(1)), deals)))

    missed = [finding for finding in findings if finding.name.startswith(("shapes", "points"))]
    assert alarms(missed) == []
    assert alarms(findings)


def test_counts_that_are_few_are_joined_before_they_are_compared() -> None:
    law = voids()

    assert fit({0: 9}, law) == 1
    assert fit({0: 8_162, 1: 1_640, 2: 186, 3: 11, 4: 1}, law) > 0.9
    assert fit({0: 10_000}, law) < 1e-6


@pytest.mark.campaign
@pytest.mark.timeout(3_600)
def test_the_chances_of_fair_deals_are_uniform_for_every_test() -> None:
    """Blocks of a new secret each; a block that looks strange once in a while is what uniform means."""
    blocks = 400
    chances: dict[str, list[float]] = defaultdict(list)
    for _ in range(blocks):
        made = make()
        findings = examine(list(islice(fair(session_key(made.manifest, made.secret)), 4_000)))
        assert alarms(findings) == []
        for finding in findings:
            chances[finding.name].append(finding.p)

    del chances["repeats"]
    assert len(chances) == 25
    for name, values in chances.items():
        assert kolmogorov_smirnov(values) > 1e-4 / 25, name
        passed = sum(value >= 0.01 for value in values) / blocks
        assert passed > 0.99 - 4 * (0.99 * 0.01 / blocks) ** 0.5, name
