"""What guesses tell of losses, against every eta that they allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.bounds.certificates import feature_loss, guessed_cells
from labeldp_audit.bounds.certificates.guessed_cells import Guessed
from labeldp_audit.measures import loss

quick = settings(deadline=None, max_examples=200, derandomize=True)
chances = st.floats(1e-6, 1 - 1e-6) | st.sampled_from([0.0, 1.0])
LOSSES = np.linspace(-0.5, 6, 40)


@quick
@given(
    st.lists(st.lists(chances, min_size=1, max_size=6), min_size=1, max_size=3), st.floats(0.05, 0.95), st.floats(-5, 5)
)
def test_no_eta_loses_less(parts, p, tilt):
    """The limits are the very means, so whatever is said of such rows must be true of these."""
    eta = [np.array(part) for part in parts]
    sure = [np.maximum(part, 1 - part) for part in eta]
    guessed = Guessed(np.array([len(part) for part in eta]), np.array([part.mean() for part in sure]))
    losses = loss.feature_loss(np.concatenate(eta), p, tilt)
    true = (losses[:, None] > LOSSES - 1e-9).mean(axis=0)
    assert np.all(guessed_cells.share_losing_more(guessed, LOSSES, p, p, tilt) <= true + 1e-12)
    with np.errstate(divide="ignore"):
        far = feature_loss.logit(np.concatenate(eta)) - feature_loss.logit(p)
    for_positive, for_negative = guessed_cells.worst_losses(guessed, p, p)
    assert for_positive <= far.max() + 1e-9 or for_negative <= -far.min() + 1e-9


def test_it_is_as_sharp_as_can_be():
    """Half of the rows at 1, half where the loss is passed: no more can be said."""
    z = float(feature_loss.passed(np.array([1.0]), 0.5, 0.5)[1][0])
    guessed = Guessed(np.array([10]), np.array([(1 + z) / 2]))
    assert guessed_cells.share_losing_more(guessed, np.array([1.0]), 0.5, 0.5)[0] == pytest.approx(0.5)


@pytest.mark.parametrize("p", [(0.4, 0.6), (0.1, 0.2)])
def test_a_longer_range_of_p_says_less(p):
    guessed, middle = Guessed(np.array([5]), np.array([0.99])), sum(p) / 2
    wide, narrow = guessed_cells.worst_losses(guessed, *p), guessed_cells.worst_losses(guessed, middle, middle)
    assert wide[0] < narrow[0] and wide[1] < narrow[1]
    wide = guessed_cells.share_losing_more(guessed, LOSSES, *p)
    assert np.all(wide <= guessed_cells.share_losing_more(guessed, LOSSES, middle, middle) + 1e-12)


def test_where_nothing_is_guessed_nothing_is_said():
    nothing = Guessed(np.array([3, 4]), np.array([0.0, 0.0]))
    assert not guessed_cells.share_losing_more(nothing, np.array([0.5, 3.0]), 0.3, 0.3).any()
    assert max(guessed_cells.worst_losses(nothing, 0.3, 0.3)) == -np.inf
    assert guessed_cells.worst_losses(nothing, 0.0, 1.0) == (0, 0)
