"""Label proportions, against sums over every way in which the labels of a bag can fall."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from bags_by_hand import BAGS, PAYOFFS, both, gain, joint, mean_gain
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.release import Release
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.bag_gain import gains
from labeldp_audit.mechanisms.label_proportions import LabelProportions, gain_of_alike

CASES = json.loads((Path(__file__).parent.parent / "oracle" / "cases.json").read_text(encoding="utf-8"))
ONE = np.ones(2)


def gain_of_bag(hit, payoff=(1.0, 1.0)):
    return LabelProportions(len(hit)).gain(both(hit)[None], np.array(payoff))[0]


ANSWERS = {
    "llp_advantage": lambda weights, eta, k: mean_gain(LabelProportions(k), weights, eta),
    "llp_product": lambda p, k: float(gain_of_bag(np.full(k, p)).mean()),
}


@pytest.mark.parametrize("case", [case for case in CASES if case["fn"] in ANSWERS], ids=lambda case: case["id"])
def test_case(case):
    assert ANSWERS[case["fn"]](*case["args"]) == pytest.approx(case["expected"], rel=1e-9, abs=0)


def test_each_answer_has_a_case():
    assert set(ANSWERS) <= {case["fn"] for case in CASES}


@pytest.mark.parametrize("payoff", PAYOFFS)
@pytest.mark.parametrize("hit", BAGS.values(), ids=BAGS.keys())
def test_gain_is_what_the_best_answers_are_worth(hit, payoff):
    assert gain_of_bag(hit, payoff) == pytest.approx(gain(hit, payoff), abs=2e-15 * max(payoff))


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0, 3), st.floats(0, 3))
def test_any_bag_and_any_payoff(hit, worth0, worth1):
    found = gain_of_bag(hit, (worth0, worth1))
    assert found == pytest.approx(gain(hit, (worth0, worth1)), abs=1e-14)
    assert np.all(found >= 0)


def theorem_34(p, k):
    """E (2 alpha - 1)_+ for p <= 1/2, alpha the share of positives (ERRATA B4); terms in logarithms."""
    terms = [
        math.lgamma(k + 1) - math.lgamma(s + 1) - math.lgamma(k - s + 1) + s * math.log(p) + (k - s) * math.log1p(-p)
        for s in range(k // 2 + 1, k + 1)
    ]
    return math.fsum((2 * s / k - 1) * math.exp(term) for s, term in enumerate(terms, k // 2 + 1))


@pytest.mark.parametrize("k", [2, 3, 20, 64, 511])
@pytest.mark.parametrize("p", [0.5, 0.49, 0.3, 0.01])
def test_records_that_are_all_alike(p, k):
    """Theorem 3.4, also where the gain is far below the rounding error of 1."""
    expected = theorem_34(p, k)
    for hit in (p, 1 - p):
        eta = np.stack([np.full((1, k), 1 - p), np.full((1, k), p)], axis=-1)
        found = LabelProportions(k).gain(eta if hit == p else eta[..., ::-1], ONE)
        assert found == pytest.approx(np.full((1, k), expected), rel=1e-9, abs=1e-270)


def test_the_largest_bag_of_halves():
    """|2 alpha - 1| / 2 in expectation: the central term of the binomial law, 003's example."""
    k = 4096
    central = math.exp(math.lgamma(k + 1) - 2 * math.lgamma(k / 2 + 1) - k * math.log(2))
    assert gain_of_bag(np.full(k, 0.5)) == pytest.approx(np.full(k, central / 2), rel=1e-9)


def test_a_bag_of_one_gives_its_label_away():
    hit = np.array([0.0, 0.1, 0.5, 0.7, 1.0])
    found = LabelProportions(1).gain(both(hit)[:, None], np.array([1.0, 2.0]))
    assert found[:, 0] == pytest.approx(np.minimum(1 - hit, 2 * hit), rel=1e-15)


def test_one_uncertain_record_among_certain_ones_is_given_away():
    assert gain_of_bag([0.0, 0.3, 1.0, 1.0]) == pytest.approx([0, 0.3, 0, 0], rel=1e-15)


def test_bags_do_not_know_of_each_other():
    eta = both(np.random.default_rng(3).random((5, 40)))
    together = LabelProportions(40).gain(eta, ONE)
    assert np.array_equal(together, np.concatenate([LabelProportions(40).gain(one[None], ONE) for one in eta]))


def loglik_of_bag(hit, count):
    return LabelProportions(len(hit)).loglik(Release(np.array([count]), np.zeros(len(hit), int)), both(hit))


@pytest.mark.parametrize("hit", BAGS.values(), ids=BAGS.keys())
def test_loglik_is_the_law_of_the_others(hit):
    """Also of counts that cannot be, and of records whose label is certain: then the others must explain the count."""
    k = len(hit)
    for i in range(k):
        others = joint(np.delete(hit, i))[0].sum(axis=0) if k > 1 else np.ones(1)
        padded = np.concatenate([np.zeros(3), others, np.zeros(4)])
        for count in range(-1, k + 2):
            with np.errstate(divide="ignore"):
                expected = np.log([padded[count + 3], padded[count + 2]])
            assert loglik_of_bag(hit, count)[i] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_count_that_the_reader_takes_for_impossible():
    """P(14 of 20) is 1e-162, of 40 others with eta = 1e-12; what one record then says is 14 / 20 against 6 / 20."""
    for p in (1e-12, 1e-30, 1e-290):
        found = loglik_of_bag(np.full(20, p), 14)
        log_others = [math.log(math.comb(19, s)) + s * math.log(p) for s in (14, 13)]
        assert found == pytest.approx(np.tile(log_others, (20, 1)), rel=1e-12)


def test_bags_in_any_order_and_of_any_size():
    rng = np.random.default_rng(8)
    bag = rng.integers(0, 7, 60)
    hit, view = rng.random(60), rng.integers(0, 8, 7)
    found = LabelProportions(8).loglik(Release(view, bag), both(hit))
    for b in range(7):
        assert np.array_equal(found[bag == b], loglik_of_bag(hit[bag == b], view[b]))


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 7, 8, 11, 100, 103])
def test_bags_have_k_records_or_a_few_more(n):
    labels = np.arange(n) % 2
    release = LabelProportions(4).release(labels, both(np.full(n, 0.5)), rng=np.random.default_rng(n))
    sizes = np.bincount(release.bag, minlength=len(release.view))
    assert len(sizes) == max(1, n // 4)
    assert sizes.max() - sizes.min() <= 1
    assert sizes.min() >= min(n, 4)
    assert np.array_equal(release.view, [labels[release.bag == b].sum() for b in range(len(sizes))])


def test_bags_are_random():
    eta = both(np.full(4000, 0.5))
    first, again = (
        LabelProportions(2).release(np.zeros(4000, int), eta, rng=np.random.default_rng(s)).bag for s in (1, 2)
    )
    assert np.mean(first[0::2] == first[1::2]) < 0.01
    assert np.mean(first == again) < 0.01


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("llp", "wants k"),
        ("llp:k=0", "k = 0 is not a whole number from 1 to 4096"),
        ("llp:k=4097", "k = 4097 is not a whole number"),
        ("llp:k=2.5", "k = 2.5 is not a whole number"),
        ("llp:k=inf", "k = inf is not a whole number"),
        ("llp:k=nan", "k is not a number"),
        ("llp:k=8,epsilon=1", "unknown parameter 'epsilon'"),
    ],
)
def test_specs_that_cannot_be(spec, message):
    with pytest.raises(SpecError) as error:
        MECHANISMS.parse(spec)
    assert message in str(error.value)


def test_what_it_says_of_itself():
    [mechanism] = MECHANISMS.parse("llp: k = 16")
    assert mechanism == LabelProportions(16)
    assert (mechanism.bag, mechanism.at(), mechanism.claim(2), mechanism.unfit(2)) == (16, {"k": 16.0}, None, "")
    assert "--positive" in mechanism.unfit(3)
    assert [one.k for one in MECHANISMS.parse("llp:k=2|64|512")] == [2, 64, 512]


@pytest.mark.parametrize("payoff", [(1.0, 1.0), (0.52, 16.7), (3.0, 0.6)])
@pytest.mark.parametrize("p", [0.0, 1e-9, 0.03, 0.3, 0.5, 0.7, 1.0])
@pytest.mark.parametrize("k", [1, 2, 7, 64, 512])
def test_the_closed_form_is_what_the_kernels_add_up(p, k, payoff):
    """Theorem 3.4. Below 1e-150 the kernels have few digits left, and the closed form has all."""
    closed = gain_of_alike(1 - p, p, k, np.array(payoff))
    kernels = gains(np.full((1, k), p), np.full((1, k), 1 - p), np.array(payoff), math.inf)
    assert kernels[0] == pytest.approx(np.full(k, closed), rel=1e-9, abs=1e-130)
