"""The losses at which J is asked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from channels import flipping, of_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import SpecError
from labeldp_audit.measures import loss
from labeldp_audit.questions import taus

quick = settings(deadline=None, max_examples=200, derandomize=True)
epsilons = st.one_of(st.floats(0, 20), st.just(math.inf))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("6", [6]),
        ("2,1,2, 0.5", [0.5, 1, 2]),
        ("-1,0", [-1, 0]),
        ("0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("1:2:0.4", [1, 1.4, 1.8]),
        ("3:3:1", [3]),
        ("-0.2:0.2:0.2", [-0.2, 0, 0.2]),
    ],
)
def test_what_is_asked_for(text, values):
    assert taus.parse(text).tolist() == values


@pytest.mark.parametrize("text", ["0:10:0.1", "0:99:0.01", "-3:3:0.7"])
def test_a_grid_has_no_dust(text):
    assert max(len(repr(tau)) for tau in taus.parse(text).tolist()) <= 5
    assert taus.parse(text)[-1] == pytest.approx(float(text.split(":")[1]), abs=float(text.split(":")[2]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,,2", "--tau is not a number: ''"),
        ("1,inf", "--tau wants finite numbers, not '1,inf'"),
        ("0:inf:1", "--tau wants VALUES or START:STOP:STEP"),
        ("1:2", "--tau wants VALUES or START:STOP:STEP"),
        ("2:1:0.1", "START <= STOP and STEP > 0"),
        ("1:2:0", "START <= STOP and STEP > 0"),
        ("0:1:1e-9", "more than 100000 values"),
        ("0:1:1e-320", "more than 100000 values"),
    ],
)
def test_what_cannot_be_asked(text, message):
    with pytest.raises(SpecError) as error:
        taus.parse(text)
    assert message in str(error.value)


tables = st.integers(2, 400).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.integers(1, n - 1),
        st.lists(st.integers(1, n - 1).flatmap(lambda k: st.tuples(st.integers(0, k), st.just(k))), min_size=1),
    )
)


@quick
@given(
    tables, epsilons.map(flipping) | st.sampled_from([of_rows(((0.9, 0.1), (0.2, 0.8))), of_rows(((1, 0), (0.5, 0.5)))])
)
def test_the_longest_grid_holds_every_curve(table, noise):
    """So that the number of limits, and with it their level, does not depend on the labels."""
    n, positives, counts = table
    s, k = np.array(counts).T
    losses = loss.feature_loss(s / k, positives / n, noise.tilt)
    curve, longest = taus.curves([losses], [noise]), taus.at_most([noise], n)
    assert len(curve) <= len(longest)
    assert curve.tolist() == longest[: len(curve)].tolist()


@quick
@given(st.lists(st.floats(-2, 9), min_size=1), st.floats(0, 9))
def test_a_curve_ends_where_nobody_loses_more(losses, epsilon):
    noise = flipping(epsilon)
    curve, h = taus.curves([np.array([*losses, math.inf])], [noise]), noise.loss
    assert curve[0] == 0
    assert curve[-1] >= h + max(losses) or curve[-1] == pytest.approx(h + max(losses), abs=1e-9)
    assert curve[-1] <= max(0, h + max(losses)) + taus.STEP + 1e-9


def test_a_curve_without_end_stops_somewhere():
    assert taus.curves([np.array([1.0])], [flipping(math.inf)])[-1] == 10
    assert taus.curves([np.array([math.inf])], [flipping(2.0)])[-1] == pytest.approx(1.6)
    with pytest.raises(SpecError, match="more than 100000 values of tau"):
        taus.at_most([flipping(1e6)], 1000)


def test_all_curves_share_the_grid_of_the_longest():
    """One that stopped earlier would read as if nobody were left."""
    noise, losses = [flipping(epsilon) for epsilon in (0.5, 1, 4)], np.array([0.3, 2.0, math.inf])
    grid = taus.curves([losses] * 3, noise)
    assert grid[-1] >= noise[-1].loss + 2.0
    assert grid.tolist() == taus.curves([losses], noise[-1:]).tolist()
