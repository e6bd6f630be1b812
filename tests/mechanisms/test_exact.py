"""Labels drawn with probabilities that are whole numbers over 2^64."""

from __future__ import annotations

import itertools
import math
from decimal import MIN_EMIN, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

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


class Ends:
    """Says both ends of each part of each row in turn."""

    def __init__(self, numerators):
        upto = [list(itertools.accumulate(row)) for row in numerators]
        self.said = [
            (y, s, word)
            for y, row in enumerate(numerators)
            for s, one in enumerate(row)
            for word in (upto[y][s] - one, upto[y][s] - 1)
            if one
        ]

    def integers(self, low, high, count, dtype):
        return np.array([word for _, _, word in self.said][:count], np.uint64)


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5, 16, 17])
def test_each_label_is_looked_up_in_its_own_row(classes):
    """Rows of any whole numbers, some of them 0, which fill the words or not."""
    rng = np.random.default_rng(classes)
    for total in (2**64, 2**64 - 5):
        rows = []
        for _ in range(7):
            cuts = sorted(int(one) for one in rng.integers(0, 2**64 - 5, classes - 1, np.uint64))
            cuts = [0 if rng.random() < 0.2 else one for one in cuts]
            upto = [0, *sorted(cuts), total]
            rows.append([after - before for before, after in itertools.pairwise(upto)])
        ends = Ends(rows)
        labels = np.array([y for y, _, _ in ends.said])
        assert exact.say(rows, labels, ends).tolist() == [s for _, s, _ in ends.said]


def test_labels_of_one_byte_are_no_other_labels():
    labels = np.arange(200).repeat(500)
    rows = exact.of_randomized_response(6.0, 200)
    said = [exact.say(rows, labels.astype(kind), np.random.default_rng(0)) for kind in (np.uint8, np.int64)]
    assert np.array_equal(*said)
    assert abs(np.mean(said[0] == labels) - rows[0][0] / 2**64) < 5 * 0.5 / math.sqrt(len(labels))


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


class Few(OperatingSystem):
    """Words that differ in two bits alone: most are equal to others."""

    def words(self, count):
        return super().words(count) & np.uint64(3 << 62)


@pytest.mark.parametrize("system", [OperatingSystem(), Few()])
def test_each_order_is_equally_likely(system):
    """Also of numbers whose first bits are the same; by one run in a million not."""
    seen = np.zeros((5, 5))
    for _ in range(4000):
        seen[np.arange(5), shuffled(system, 5)] += 1
    assert np.sum((seen - 800) ** 2 / 800) < chi2.isf(1e-6, 16)
    orders = {tuple(shuffled(system, 4)) for _ in range(1000)}
    assert len(orders) == 24


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
@pytest.mark.parametrize("bits", [16, 64, 192])
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


@pytest.mark.parametrize("epsilon", [1e-9, 0.3, 1.0, 20.0])
@pytest.mark.parametrize("bits", [16, 64, 192])
def test_and_so_are_those_of_noise_on_both_sides(epsilon, bits):
    found = exact._cumulated(Fraction(epsilon), bits, whole=False, both_sides=True)
    with localcontext(prec=1500, Emin=MIN_EMIN):
        r = (-Decimal(epsilon)).exp()
        assert list(found) == [math.floor((1 - r ** (j + 1) / (1 + r)) * 2**bits) for j in range(64)]


@pytest.mark.parametrize("epsilon", [0.02, 0.3, 2.0])
def test_noise_that_is_cut_off_has_the_law_of_noise_that_is(epsilon):
    n, r = 300_000, math.exp(-epsilon)
    seen = np.bincount(exact.noise_within(Fraction(epsilon), 16, n, np.random.default_rng(5)), minlength=17)
    upto = np.array([*(1 - r ** np.arange(1, 17) / (1 + r)), 1.0])
    for wrong, law in ((False, np.diff(upto, prepend=0)), (True, np.diff(upto**1.1, prepend=0))):
        likely = n * law > 20
        distance = np.sum((seen - n * law)[likely] ** 2 / (n * law)[likely])
        assert (distance > likely.sum() + 5 * math.sqrt(2 * likely.sum())) is np.bool_(wrong)


class Firsts:
    """Says all parts of 16 bits, and then the same word over and over; how many words it said then."""

    def __init__(self, then):
        self.then, self.more = np.uint64(then), -1

    def integers(self, low, high, count, dtype):
        if self.more < 0:
            self.more = 0
            return np.arange(1 << 16, dtype=np.uint16).view(np.uint64)
        self.more += count
        return np.full(count, self.then)


@pytest.mark.parametrize("kind", [{"whole": True}, {"whole": False}, {"whole": False, "both_sides": True}])
@pytest.mark.parametrize("epsilon", [1e-9, 0.01, 0.3, 1.0, 9.0])
@pytest.mark.parametrize("then", [0, 12345678901234567890, 2**64 - 2**40])
def test_every_number_falls_where_its_64_bits_are(epsilon, kind, then):
    """For each of the first 16 bits; and only those next to a limit ask for more."""

    def law(bits):
        return exact._cumulated(Fraction(epsilon), bits, **kind)

    source = Firsts(then)
    found = exact._inverted(law, 1 << 16, source)
    numbers = (np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)) + np.uint64(then >> 16)
    limits = np.array(law(64), np.uint64)
    assert not np.isin(limits, numbers).any()
    assert np.array_equal(found, np.searchsorted(limits, numbers))
    assert source.more == len(set(law(16))) <= 64


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

    def found(number, *more):
        """Of a number of 64 bits, which are drawn as 16 and 48, and of words behind it."""
        return exact._inverted(law, 1, Script(number >> 48, number << 16 & 2**64 - 1, *more))

    short, long, longer = law(64)[5], law(128)[5], law(192)[5]
    rest, last = long - (short << 64), longer - (long << 64)
    assert found(short - 1) == 5 and found(short + 1) == 6
    assert found(short, rest - 1) == 5
    assert found(short, rest + 1) == 6
    assert found(short, rest, last - 1) == 5
    assert found(short, rest, last + 1) == 6
    assert found(2**64 - 1, 0) == 44  # P(g > 43) 2^64 is 1.4, P(g > 44) 2^64 is 0.5


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
