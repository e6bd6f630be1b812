"""Randomized response: three ways to write the same noise."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import SpecError
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.randomized_response import (
    RandomizedResponse,
    epsilon_from_lambda,
    epsilon_from_pi,
    lambda_from_epsilon,
    pi_from_epsilon,
    pi_from_lambda,
)

quick = settings(deadline=None, max_examples=200, derandomize=True)
epsilons = st.floats(0, 30)
classes = st.integers(2, 20)


@quick
@given(epsilons, classes)
def test_there_and_back(epsilon, c):
    """Near epsilon = 0 and for tiny probabilities alike."""
    assert epsilon_from_pi(pi_from_epsilon(epsilon, c), c) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
    assert epsilon_from_lambda(lambda_from_epsilon(epsilon, c), c) == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
    assert pi_from_lambda(lambda_from_epsilon(epsilon, c), c) == pytest.approx(pi_from_epsilon(epsilon, c), rel=1e-12)


def test_a_flip_is_not_a_resampling():
    """ERRATA A11: lambda = 0.01 is 5.29, not the 4.60 of a flip with 0.01."""
    assert epsilon_from_lambda(0.01) == pytest.approx(math.log(199), rel=1e-12)
    assert epsilon_from_pi(0.01) == pytest.approx(math.log(99), rel=1e-12)


@pytest.mark.parametrize("tiny", [1e-300, 5e-324])
def test_tiny_probabilities_have_a_finite_epsilon(tiny):
    assert epsilon_from_pi(tiny) == pytest.approx(-math.log(tiny), rel=1e-12)
    assert epsilon_from_lambda(tiny) == pytest.approx(math.log(2) - math.log(tiny), rel=1e-12)


def test_labels_in_the_clear():
    assert epsilon_from_pi(0) == epsilon_from_lambda(0) == math.inf
    assert pi_from_epsilon(math.inf) == lambda_from_epsilon(math.inf) == 0
    assert pi_from_epsilon(1e6) == lambda_from_epsilon(1e6) == 0


@pytest.mark.parametrize(
    ("spec", "epsilon"),
    [
        ("rr:epsilon=1.5", 1.5),
        ("rr:epsilon=0", 0.0),
        ("rr:epsilon=inf", math.inf),
        ("rr: pi = 0.01 ", math.log(99)),
        ("rr:pi=0", math.inf),
        ("rr:pi=0.5", 0.0),
        ("rr:lambda=0.02", math.log(99)),
        ("rr:lambda=1", 0.0),
    ],
)
def test_specs(spec, epsilon):
    [mechanism] = MECHANISMS.parse(spec)
    assert mechanism.epsilon == pytest.approx(epsilon, rel=1e-12)
    assert math.copysign(1, mechanism.epsilon) == 1


def test_families_keep_their_order():
    assert [one.epsilon for one in MECHANISMS.parse("rr:epsilon=2|0.5|1")] == [2, 0.5, 1]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("rr", "wants one of epsilon, pi and lambda"),
        ("rr:", "wants one of epsilon, pi and lambda"),
        ("rr:pi=0.1,epsilon=2", "wants one of epsilon, pi and lambda"),
        ("rr:sigma=1", "unknown parameter 'sigma'"),
        ("rr:epsilon=-1", "epsilon = -1 is not between 0 and inf"),
        ("rr:pi=0.6", "pi = 0.6 is not between 0 and 0.5"),
        ("rr:lambda=1.01", "lambda = 1.01 is not between 0 and 1"),
        ("rr:epsilon=nan", "epsilon is not a number: 'nan'"),
        ("rr:epsilon=one", "epsilon is not a number: 'one'"),
        ("rr:epsilon=1,epsilon=2", "'epsilon' is given twice"),
        ("rr:epsilon", "'epsilon' is not written field=value"),
        ("rr:epsilon=1|", "epsilon is not a number: ''"),
        ("laplace:epsilon=1", "unknown mechanism 'laplace'"),
    ],
)
def test_specs_that_cannot_be(spec, message):
    with pytest.raises(SpecError) as error:
        MECHANISMS.parse(spec)
    assert message in str(error.value)


def test_epsilon_is_never_negative():
    for epsilon in (-1e-9, math.nan):
        with pytest.raises(SpecError):
            RandomizedResponse(epsilon)


@quick
@given(epsilons)
def test_all_parameters_say_the_same(epsilon):
    same = RandomizedResponse(epsilon).at()
    for name, value in same.items():
        [again] = MECHANISMS.parse(f"rr:{name}={value!r}")
        assert again.epsilon == pytest.approx(epsilon, rel=1e-9, abs=1e-12)
