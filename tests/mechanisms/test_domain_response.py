"""Randomized response by noisy counts of the very labels: that the counts are paid for, and what a manifest tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from labeldp_audit.bounds.intervals import clopper_pearson
from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import DomainResponse
from labeldp_audit.mechanisms.domain_response import prior_of
from labeldp_audit.mechanisms.prior_response import most_likely

MISS = 1e-6  # how often a test may fail by chance


@pytest.mark.parametrize("share", [0.0, 0.1, 1 / 3, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.3, 1.0, 40.0])
def test_counts_and_labels_spend_epsilon_and_no_more(epsilon, share):
    each, rest = DomainResponse(epsilon, share=share).split()
    assert rest >= 0 and Fraction(epsilon) - Fraction(np.spacing(epsilon)) <= 2 * each + Fraction(rest) <= epsilon


@pytest.mark.parametrize(("epsilon", "share"), [(1e-18, 1.0), (1.0, 1e-20), (5e-324, 1.0)])
def test_counts_whose_noise_is_larger_than_numbers_are_not_published(epsilon, share):
    release, *_ = released(DomainResponse(epsilon, share=share))
    assert not np.any(release.facts["noisy_counts"]) and release.facts["epsilon_of_labels"] == epsilon


def test_priors_are_shares_of_noisy_counts():
    noisy = np.array([[3, 1, -2], [-1, 0, -5], [0, 0, 7]])
    assert prior_of(noisy) == pytest.approx(np.array([[0.75, 0.25, 0], [1 / 3] * 3, [0, 0, 1]]))


@dataclass(frozen=True)
class ForgetsToPay(DomainResponse):
    """The labels have all of epsilon, and the counts their share on top."""

    def split(self):
        return super().split()[0], self.epsilon


def largest_ratio(mechanism, runs):
    """The largest lower limit of a log ratio of an outcome under two inputs that differ in one label: whether the noisy
    counts of two records are 1 and 1, and what is said of the first."""
    rng = np.random.default_rng(5)
    counts = []
    for labels in (np.array([0, 1]), np.array([1, 1])):
        release = mechanism.release(np.tile(labels, runs), Guide(2, clusters=np.arange(2 * runs) // 2), rng=rng)
        even = np.all(np.array(release.facts["noisy_counts"]) == 1, axis=1)
        counts.append(np.bincount(2 * even + release.view[::2], minlength=4))
    low, high = (limit(np.array(counts), runs, MISS / 8) for limit in (clopper_pearson.lower, clopper_pearson.upper))
    with np.errstate(divide="ignore"):
        return max(float(np.log(low[way] / high[1 - way]).max()) for way in range(2))


def test_who_forgets_to_pay_for_the_counts_is_caught():
    assert largest_ratio(ForgetsToPay(1.0, share=0.5), 100_000) > 1.0
    assert 0.3 < largest_ratio(DomainResponse(1.0, share=0.5), 50_000) <= 1.0


def released(mechanism, classes=3, rows=3000):
    rng = np.random.default_rng(2)
    cluster = np.arange(rows) % 3
    labels = np.where(rng.random(rows) < 0.2, rng.integers(0, classes, rows), cluster)
    return mechanism.release(labels, Guide(classes, clusters=cluster), rng=rng), labels, cluster


def test_labels_are_drawn_within_the_classes_that_are_common_in_their_cluster():
    mechanism = DomainResponse(1.0)
    release, labels, cluster = released(mechanism)
    kept = most_likely(prior_of(np.array(release.facts["noisy_counts"])), mechanism.split()[1])
    assert [np.flatnonzero(row).tolist() for row in kept] == release.facts["most_likely"] == [[0], [1], [2]]
    assert np.array_equal(release.view, cluster) and release.facts["constant"] == 1.0
    strong = DomainResponse(4.0)
    release, labels, cluster = released(strong)
    assert release.facts["constant"] == 0
    for one in range(3):
        for true in range(3):
            said = release.view[(cluster == one) & (labels == true)]
            seen = np.bincount(said, minlength=3) / len(said)
            assert np.abs(seen - release.channels[one, true]).max() < 5 * 0.5 / np.sqrt(len(said))


def test_the_manifest_tells_the_channels_and_one_that_lies_is_told():
    mechanism = DomainResponse(4.0)
    release, *_ = released(mechanism)
    told = mechanism.learner(release, 3)
    assert np.array_equal(mechanism.channels_told(told), release.channels) and not mechanism.untrue(release).any()
    lied = replace(release, facts={**release.facts, "noisy_counts": [[0, 0, 900]] * 3})
    assert mechanism.untrue(lied).any()
    more = replace(release, facts={**release.facts, "exact": {**release.facts["exact"], "inverse_sigma": "1"}})
    assert mechanism.untrue(more).all()
    with pytest.raises(ValueError, match="no counts"):
        mechanism.channels_told({**told, "noisy_counts": [[1, 2, 3]]})


def test_no_share_is_randomized_response_and_a_whole_one_says_the_most_common_class():
    nothing, *_ = released(DomainResponse(1.0, share=0.0))
    assert nothing.facts["most_likely"] == [[0, 1, 2]] * 3 and not np.any(nothing.facts["noisy_counts"])
    whole, _, cluster = released(DomainResponse(1.0, share=1.0))
    assert np.array_equal(whole.view, cluster) and whole.facts["epsilon_of_labels"] == 0
