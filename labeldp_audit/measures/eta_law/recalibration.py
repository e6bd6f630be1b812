"""What an average over neighbours says about the row in their middle, learnt from the rows' own labels.

Neighbourhoods do not weigh people evenly: a person near to many counts in many averages, and one who lies apart in
few, so averages may be too low or too high on the whole and shrunk towards each other. With z the (unknown) average
behind each count, the law of z known and the row's own label not among those counted,

    P(Y = 1 | z) = 1 / (1 + e^-(a + b logit z)),  b > 0

is fitted to the labels, with a = 0 and b = 1, averages that need no correction, believed beforehand: a and log b are
taken as normal with deviation 1/2, so that chance in few rows is not made into knowledge. Then a is moved until the
mean of these probabilities is the share of positives. Their law is the law of eta as far as z tells it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from ...core.eta import Law
from ..loss import logit

_STEEPEST = 6.0  # log b
_DOUBT = 0.5  # prior deviation of a and log b
_ENOUGH = 50_000  # rows


def recalibrated(law: Law, successes: Integers, trials: Integers, labels: npt.NDArray[np.integer], p: float) -> Law:
    """law of z from counts (successes of trials, each row's own label left out), labels (q,) 0 or 1; p their share
    among all rows, not only among these."""
    from scipy.optimize import brentq, minimize
    from scipy.special import expit, xlogy

    kept = _thinned(successes, trials, labels)
    posterior, ones, zeros = _grouped(law, successes[kept], trials[kept], labels[kept])
    nearest = 0.25 / float(np.median(trials))  # to 0 and 1: within a quarter of a count averages are not told apart
    odds = logit(np.clip(law.eta[:, 1], nearest, 1 - nearest))

    def surprise(fit: Floats) -> float:
        with np.errstate(under="ignore"):
            said = posterior @ expit(fit[0] + np.exp(min(fit[1], _STEEPEST)) * odds)
        said = np.clip(said, 1e-12, 1 - 1e-12)
        return float(fit @ fit / (2 * _DOUBT**2) - (xlogy(ones, said) + xlogy(zeros, 1 - said)).sum())

    found = minimize(surprise, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-6})
    slope = np.exp(min(found.x[1], _STEEPEST)) * odds
    reach = float(np.abs(slope).max()) + abs(float(logit(p))) + 1
    shift = brentq(lambda a: float(law.weight @ expit(a + slope)) - p, -reach, reach, xtol=1e-14)  # the mean is p
    eta = expit(shift + slope)
    return Law(law.weight, np.column_stack([1 - eta, eta]))


def _thinned(successes: Integers, trials: Integers, labels: npt.NDArray[np.integer]) -> Integers:
    """Rows enough for two numbers: every so-manieth in an order that the order of the table has no part in."""
    step = -(-len(labels) // _ENOUGH)
    if step == 1:
        return np.arange(len(labels))
    order = np.lexsort((labels, trials, successes / np.maximum(trials, 1)))
    return np.asarray(order[step // 2 :: step])


def _grouped(
    law: Law, successes: Integers, trials: Integers, labels: npt.NDArray[np.integer]
) -> tuple[Floats, Floats, Floats]:
    """For each different count P(z | count), and how many rows with it have each label."""
    from scipy.special import xlog1py, xlogy

    base = int(trials.max()) + 1
    distinct, place = np.unique(trials * base + successes, return_inverse=True)
    k, s = (part[:, None] for part in np.divmod(distinct, base))
    log = xlogy(s, law.eta[:, 1]) + xlog1py(k - s, -law.eta[:, 1])
    with np.errstate(under="ignore"):
        joint = np.exp(log - log.max(axis=1, keepdims=True)) * law.weight
    ones = np.bincount(place.ravel(), labels, len(distinct))
    zeros = np.bincount(place.ravel(), 1.0 - labels, len(distinct))
    return joint / joint.sum(axis=1, keepdims=True), np.asarray(ones, np.float64), np.asarray(zeros, np.float64)
