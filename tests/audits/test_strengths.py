"""The scales that noise is chosen from."""

from __future__ import annotations

import numpy as np
import pytest

from labeldp_audit.audits import strengths
from labeldp_audit.core.errors import SpecError


def test_neighbouring_epsilons_are_at_most_a_hundredth_apart():
    values = np.array(strengths.digits())
    steps = values[1:] / values[:-1]
    assert values[0] == 0.01 and values[-1] == 20
    assert np.all(steps > 1) and steps.max() <= 1.01 + 1e-12
    assert all(len(f"{value:.3g}".replace(".", "").lstrip("0")) <= 3 for value in values)


@pytest.mark.parametrize(
    ("spec", "parameter", "noisiest", "weakest"),
    [
        ("rr", "epsilon", "rr:epsilon=0.01", "rr:epsilon=20"),
        ("rr:epsilon=2", "epsilon", "rr:epsilon=0.01", "rr:epsilon=20"),
        ("rr:pi=0.1", "epsilon", "rr:epsilon=0.01", "rr:epsilon=20"),
        ("llp", "k", "llp:k=500", "llp:k=1"),
        ("laplace-llp:k=8", "epsilon", "laplace-llp:k=8,epsilon=0.01", "laplace-llp:k=8,epsilon=20"),
        ("laplace-llp:epsilon=1", "k", "laplace-llp:k=500,epsilon=1", "laplace-llp:k=1,epsilon=1"),
    ],
)
def test_from_the_most_noise_to_the_least(spec, parameter, noisiest, weakest):
    scale = strengths.scale_of(spec, rows=500)
    assert scale.parameter == parameter
    assert (scale.mechanisms[0].spec, scale.mechanisms[-1].spec) == (noisiest, weakest)
    assert len({one.spec for one in scale.mechanisms}) == len(scale.values)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("laplace-llp", "one parameter is to be left open"),
        ("laplace-llp:k=8,epsilon=1", "one parameter is to be left open"),
        ("nonsense", "unknown mechanism"),
        ("channel:matrix=1 0/0 1", "has no noise to choose"),
        ("rr:k=1", "unknown parameter"),
        ("laplace-llp:k=much", "not a number"),
        ("laplace-llp:k=0", "not a whole number"),
        ("llp:k", "not written field=value"),
    ],
)
def test_what_has_no_scale(spec, said):
    with pytest.raises(SpecError, match=said):
        strengths.scale_of(spec)


def test_a_table_shows_round_values_and_both_ends():
    values = {spec: [one.values[place] for place in one.landmarks()] for spec in ("rr", "llp")
              for one in [strengths.scale_of(spec, rows=3000)]}  # fmt: skip
    assert values["rr"] == sorted(strengths.ROUND)
    assert values["llp"] == [3000, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]


@pytest.mark.parametrize("spec", ["rr", "llp"])
def test_between_two_places_lie_others_as_long_as_there_are_some(spec):
    scale = strengths.scale_of(spec, rows=3000)
    last = len(scale.values) - 1
    for first, end in ((0, last), (0, 1), (10, 12), (last - 2, last), (100, 900)):
        places = scale.between(first, end, 14)
        assert places[0] == first and places[-1] == end and places == sorted(set(places))
        assert len(places) > 2 or end - first == 1
