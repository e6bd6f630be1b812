"""What every mechanism of the list keeps to."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import numpy as np
import pytest

from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.randomized_response import RandomizedResponse

KINDS = list(MECHANISMS)
LEVELS = (0.0, 1e-9, 0.1, 1.0, 4.59511985, 30.0, 1000.0, math.inf)
CASES = [replace(MECHANISMS.parse(kind.example)[0], epsilon=epsilon) for kind in KINDS for epsilon in LEVELS]


def name_of(case):
    return case.spec


def channel_epsilon(mechanism, classes):
    """The largest log ratio of the probabilities of one output under two labels."""
    with np.errstate(divide="ignore"):
        logs = np.log(mechanism.channel(classes))
    return float((logs.max(axis=0) - logs.min(axis=0)).max())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_parses_to_itself(kind):
    [example] = MECHANISMS.parse(kind.example)
    assert type(example) is kind
    assert example.spec == kind.example
    assert kind.summary
    assert MECHANISMS.get(kind.name) is kind


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_a_spec_leads_back(mechanism):
    [again] = MECHANISMS.parse(mechanism.spec)
    assert again.spec == mechanism.spec
    assert again.epsilon == pytest.approx(mechanism.epsilon, rel=1e-5)


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_where_and_spec_agree(mechanism):
    where = mechanism.at()
    assert {field.name for field in fields(mechanism)} <= set(where)
    assert where["epsilon"] == pytest.approx(mechanism.epsilon, rel=1e-14)
    assert all(isinstance(value, float) and not math.isnan(value) for value in where.values())


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_rows_of_the_channel_are_laws(mechanism, classes):
    channel = mechanism.channel(classes)
    assert channel.shape == (classes, classes)
    assert np.all(channel >= 0)
    assert channel.sum(axis=1) == pytest.approx(np.ones(classes), rel=1e-12)


def keeps_its_promise(mechanism, classes):
    return channel_epsilon(mechanism, classes) == pytest.approx(mechanism.epsilon, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("mechanism", [case for case in CASES if not 700 < case.epsilon < math.inf], ids=name_of)
def test_its_epsilon_is_the_claimed_one(mechanism, classes):
    """Above 700 the smaller probability is 0 in double precision."""
    assert keeps_its_promise(mechanism, classes)


def test_and_that_test_has_teeth():
    @dataclass(frozen=True)
    class Liar(RandomizedResponse):
        def channel(self, classes):
            return RandomizedResponse(2 * self.epsilon).channel(classes)

    assert not keeps_its_promise(Liar(1.0), 2)


@pytest.mark.parametrize("mechanism", CASES, ids=name_of)
def test_nobody_changes_it(mechanism):
    with pytest.raises(FrozenInstanceError):
        mechanism.epsilon = 3.0
