"""What a release does to the odds of true labels, and for who knows all other labels: of people whose eta is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from channels import spec_of
from simulated import given, report, scored
from test_channels import UNEVEN

from labeldp_audit.questions import advantage

NOISY = ("geometric-llp:k=4,epsilon=1", "laplace-llp:k=4,epsilon=1")
RELEASES = ("rr:epsilon=1", spec_of(UNEVEN[1]), "llp:k=4", *NOISY)
QUANTILES = (0.5, 0.9, 0.99)


@pytest.fixture(scope="module")
def answers():
    table, eta = given(*scored(2_000))
    made = report(advantage, table, eta, mechanism=RELEASES)
    found = {(one.quantity, one.mechanism, one.at.get("quantile")): one.bound for one in made.findings}
    return found, eta.probability[:, 1]


def test_nobody_is_moved_beyond_epsilon_and_more_quantiles_are_larger(answers):
    found, _ = answers
    for name in RELEASES:
        moved = [found["multiplicative_advantage", name, share] for share in QUANTILES]
        values = [one.estimate for one in moved]
        assert values == sorted(values) and all(one.low is one.high is None for one in moved)
        assert values[-1] <= 1 or name not in ("rr:epsilon=1", *NOISY)
        assert ("bags drawn" in moved[0].method) is ("llp" in name)


def test_randomized_response_moves_most_people_by_epsilon(answers):
    found, _ = answers
    assert [found["multiplicative_advantage", "rr:epsilon=1", share].estimate for share in QUANTILES] == [1, 1, 1]


def test_who_knows_all_other_labels_of_a_bag_learns_the_last_from_its_count(answers):
    found, chance = answers
    doubt = np.minimum(chance, 1 - chance)
    count = found["advantage_knowing_others", "llp:k=4", None]
    assert count.estimate == pytest.approx(doubt.mean()) and count.high >= count.estimate
    flips = np.maximum(doubt - 1 / (1 + math.e), 0).mean()
    whole = found["advantage_knowing_others", NOISY[0], None]
    assert whole.estimate == pytest.approx(flips) == found["advantage", "rr:epsilon=1", None].estimate


def test_who_knows_more_guesses_no_worse(answers):
    found, _ = answers
    for name in RELEASES:
        added, knowing = found["advantage", name, None], found["advantage_knowing_others", name, None]
        assert knowing.low <= knowing.estimate <= knowing.high
        assert knowing.estimate >= added.estimate and knowing.low == added.low
        assert (knowing == added) is ("llp" not in name)
