"""Labels drawn with probabilities that are whole numbers over 2^64."""

from __future__ import annotations

import math
from decimal import MIN_EMIN, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2_contingency

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


# ---- geometric noise


def far_from_geometric(drawn, epsilon):
    """Chi-square less its expectation, in standard deviations; the law is cut where less than 20 are expected."""
    r, n = math.exp(-epsilon), len(drawn)
    most = int(math.log(n * (1 - r) / (1 + r) / 20) / epsilon)
    values = np.arange(-most, most + 1)
    inside = (1 - r) / (1 + r) * r ** np.abs(values)
    expected = n * np.array([*inside, 1 - inside.sum()])
    seen = np.append(np.bincount(drawn[np.abs(drawn) <= most] + most, minlength=len(values)), 0.0)
    seen[-1] = n - seen.sum()
    return (float(np.sum((seen - expected) ** 2 / expected)) - len(values)) / math.sqrt(2 * len(values))


@pytest.mark.parametrize("epsilon", [0.02, 0.2, 0.26, 1.0, 3.0])
def test_geometric_noise_has_its_law(epsilon):
    """Of two digits and more, of one, and beyond the largest digit."""
    drawn = exact.geometric_noise(Fraction(epsilon), 300_000, np.random.default_rng(3))
    assert abs(far_from_geometric(drawn, epsilon)) < 5
    wrong = exact.geometric_noise(Fraction(epsilon * 1.03), 300_000, np.random.default_rng(3))
    assert far_from_geometric(wrong, epsilon) > 5


@pytest.mark.parametrize("epsilon", [1e-9, 2.0**-30])
def test_wide_geometric_noise_has_its_spread(epsilon):
    drawn = exact.geometric_noise(Fraction(epsilon), 100_000, OperatingSystem()) * epsilon
    assert np.abs(drawn).mean() == pytest.approx(1, abs=5 / math.sqrt(100_000))
    assert np.mean(np.abs(drawn) > 3) == pytest.approx(math.exp(-3), abs=5 * math.sqrt(math.exp(-3) / 100_000))
    last = np.bincount(exact.geometric_noise(Fraction(epsilon), 64_000, np.random.default_rng(2)) % 64, minlength=64)
    assert np.sum((last - 1000) ** 2 / 1000) < 63 + 5 * math.sqrt(2 * 63)


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 1.0, 20.0, 700.0, 1e6, 1e300])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("bits", [64, 192])
def test_cumulated_probabilities_are_rounded_down(epsilon, bits, whole):
    """Against 1500 digits of e."""
    found = exact._cumulated(Fraction(epsilon), bits, whole=whole)
    assert len(found) == (63 if whole else 64) and list(found) == sorted(found)
    if epsilon > 100:
        assert set(found) == {2**bits - 1}
        return
    with localcontext(prec=1500, Emin=MIN_EMIN):
        r = (-Decimal(epsilon)).exp()
        scale = (1 - r**64) if whole else 1
        for j, one in enumerate(found):
            assert one == math.floor((1 - r ** (j + 1)) / scale * 2**bits)


class Script:
    """Says these words, each draw one more."""

    def __init__(self, *said):
        self.said = list(said)

    def integers(self, low, high, count, dtype):
        assert count == 1
        return np.array([self.said.pop(0)], np.uint64)


def test_a_word_on_a_limit_is_decided_by_more_words():
    """U below P(g <= j) says at most j; the limit itself is not a whole number of any bits."""
    one = Fraction(1)

    def law(bits):
        return exact._cumulated(one, bits, whole=False)

    short, long, longer = law(64)[5], law(128)[5], law(192)[5]
    rest, last = long - (short << 64), longer - (long << 64)
    assert exact._inverted(law, 1, Script(short - 1)) == 5 and exact._inverted(law, 1, Script(short + 1)) == 6
    assert exact._inverted(law, 1, Script(short, rest - 1)) == 5
    assert exact._inverted(law, 1, Script(short, rest + 1)) == 6
    assert exact._inverted(law, 1, Script(short, rest, last - 1)) == 5
    assert exact._inverted(law, 1, Script(short, rest, last + 1)) == 6
    assert exact._inverted(law, 1, Script(2**64 - 1, 0)) == 44  # P(g > 43) 2^64 is 1.4, P(g > 44) 2^64 is 0.5


def opendp_noise(epsilon, count):
    """By OpenDP, which is held against it and too slow to release with."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    return np.array((space >> dp.m.then_laplace(scale=1 / epsilon))([0] * count))


@pytest.mark.parametrize(("ours", "same"), [(Fraction(1, 2), True), (Fraction(3, 5), False)])
def test_geometric_noise_has_the_law_of_another_library(ours, same):
    """Theirs draws from the operating system: one run in a million may fail."""
    both = [exact.geometric_noise(ours, 40_000, np.random.default_rng(0)), opendp_noise(0.5, 40_000)]
    seen = np.array([np.bincount(np.clip(one, -12, 12) + 12, minlength=25) for one in both])
    assert bool(chi2_contingency(seen).pvalue > 1e-6) is same
