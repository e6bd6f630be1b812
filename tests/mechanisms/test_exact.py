"""Labels drawn with probabilities that are whole numbers over 2^64."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from labeldp_audit.core.randomness import OperatingSystem, shuffled, words
from labeldp_audit.mechanisms import Channel, RandomizedResponse, exact

EPSILONS = (0.0, 1e-9, 0.1, 0.5, 1.0, math.log(3), 4.0, 12.0, 40.0, 60.0, 1000.0, math.inf)


@pytest.mark.parametrize("classes", [2, 3, 10, 100])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_randomized_response_spends_no_more_than_was_asked_and_hardly_less(epsilon, classes):
    numerators = exact.of_randomized_response(epsilon, classes)
    assert all(2**64 - classes < sum(row) <= 2**64 and min(row) >= 0 for row in numerators)
    spent = exact.epsilon_of(numerators)
    assert spent <= epsilon
    assert spent >= min(epsilon, 35.0) * (1 - 1e-3) or spent == epsilon
    assert exact.probabilities(numerators) == pytest.approx(
        RandomizedResponse(epsilon, classes).channel(classes), abs=1e-15
    )


def test_one_less_would_spend_too_much():
    """The noise is the least that is allowed."""
    for epsilon in (0.1, 1.0, 3.0, 20.0):
        own, other = exact.of_randomized_response(epsilon, 2)[0]
        assert exact.log_up(Fraction(own + 1, other - 1)) > epsilon


def test_what_is_impossible_stays_so_and_what_is_possible_too():
    numerators = exact.of_channel(np.array([[1.0, 0.0, 0.0], [1e-30, 0.5, 0.5], [0.3, 0.3, 0.4]]))
    assert [sum(row) for row in numerators] == [2**64] * 3
    assert numerators[0] == [2**64, 0, 0] and numerators[1][0] == 1
    assert exact.epsilon_of(numerators) == math.inf


def test_the_epsilon_of_numerators_is_rounded_up():
    assert exact.epsilon_of([[2**63, 2**63]] * 2) == 0.0
    assert exact.epsilon_of([[3 * 2**62, 2**62], [2**62, 3 * 2**62]]) >= math.log(3)
    channel = Channel(((0.9, 0.1), (0.2, 0.8))).channel(2)
    assert exact.epsilon_of(exact.of_channel(channel)) == pytest.approx(math.log(8))


class Words:
    """Says these words, over and over."""

    def __init__(self, *said):
        self.said = np.array(said, np.uint64)

    def integers(self, low, high, count, dtype):
        return np.resize(self.said, count)


class Redrawn:
    """Says the last word, which is beyond thirds, and then the middle one."""

    def __init__(self):
        self.words = [2**64 - 1, 2**63]

    def integers(self, low, high, count, dtype):
        return np.full(count, self.words.pop(0), np.uint64)


def test_words_beyond_the_last_are_drawn_again():
    assert exact.say([[2**64 // 3] * 3] * 3, np.zeros(1, int), Redrawn()).tolist() == [1]


@pytest.mark.parametrize("row", [[3, 5], [0, 8], [8, 0], [2, 0, 6], [0, 0, 8], [8, 0, 0], [0, 3, 5], [1, 2, 5]])
def test_every_word_says_what_its_place_in_the_row_is(row):
    """In units of 2^61, at both ends of each part."""
    numerators = [[one << 61 for one in row]] * len(row)
    for said, count in enumerate(row):
        first = sum(row[:said]) << 61
        if count:
            drawn = Words(first, first + (count << 61) - 1)
            assert exact.say(numerators, np.zeros(2, int), drawn).tolist() == [said, said]


def test_labels_are_drawn_as_the_channel_says():
    channel = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])
    labels = np.repeat([0, 1, 2], 100_000)
    said = exact.say(exact.of_channel(channel), labels, np.random.default_rng(0))
    seen = np.array([np.bincount(said[labels == c], minlength=3) for c in range(3)]) / 100_000
    assert np.abs(seen - channel).max() < 5 * 0.5 / math.sqrt(100_000)


def test_the_operating_system_draws_words_and_orders():
    system = OperatingSystem()
    drawn = words(system, 100_000)
    assert len(np.unique(drawn)) > 99_990
    bits = np.unpackbits(drawn.view(np.uint8)).mean()
    assert abs(bits - 0.5) < 5 * 0.5 / math.sqrt(drawn.nbytes * 8)
    order = shuffled(system, 5000)
    assert sorted(order) == list(range(5000)) and not np.array_equal(order, shuffled(system, 5000))
    assert len(shuffled(system, 0)) == 0
