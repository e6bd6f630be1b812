"""J(tau) = P(nu_bar(X) > tau): for what share of people is the loss above tau? Strictly above, as in 001.

Limits, ERRATA A4 and A5 repaired: a point counts for the lower limit if its whole interval of losses lies above tau,
for the upper one if the interval reaches above tau. Up to `wrong` of the intervals may be wrong (mistakes.py).
The number of people among q independent ones whose true loss is above tau is Bin(q, J), hence Clopper-Pearson.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds.intervals import clopper_pearson
from ..core.arrays import Floats, Integers


@dataclass(frozen=True)
class Losses:
    """The losses of q queries and the ends of their intervals, each sorted by itself.

    What is unknown of all queries alike, such as p, may be parted: whatever it is, one row of low and of high holds.
    """

    estimate: Floats  # (q,)
    low: Floats  # (parts, q)
    high: Floats

    @classmethod
    def of(cls, estimate: Floats, low: Floats, high: Floats) -> Losses:
        return cls(np.sort(estimate), np.sort(np.atleast_2d(low)), np.sort(np.atleast_2d(high)))


def number_above(in_order: Floats, tau: Floats) -> Integers:
    return len(in_order) - np.searchsorted(in_order, tau, side="right")


def mass_above(value: Floats, weight: Floats, tau: Floats) -> Floats:
    """P(V > tau) at each tau, under a law of a few or many values. Weights sum to 1."""
    order = np.argsort(value)
    above = np.append(np.cumsum(weight[order][::-1])[::-1], 0.0)
    return np.asarray(above[np.searchsorted(value[order], tau, side="right")] / above[0])


def share_above(
    losses: Losses, tau: Floats, wrong: int, miss: float, of_people: tuple[Floats, Floats] | None = None
) -> tuple[Floats, Floats, Floats]:
    """J at each tau: estimate, low, high. Each limit at each tau misses with probability at most `miss`.

    of_people: where people differ from what these losses are of, what the shares above tau are at least and at most.
    """
    q = len(losses.estimate)
    surely = np.min([number_above(low, tau) for low in losses.low], axis=0)
    possibly = np.max([number_above(high, tau) for high in losses.high], axis=0)
    if of_people is not None:
        surely = np.minimum(surely, np.floor(of_people[0] * q).astype(np.int64))
        possibly = np.maximum(possibly, np.ceil(of_people[1] * q).astype(np.int64))
    surely, possibly = np.maximum(0, surely - wrong), np.minimum(q, possibly + wrong)
    estimate = number_above(losses.estimate, tau) / q
    return estimate, clopper_pearson.lower(surely, q, miss), clopper_pearson.upper(possibly, q, miss)
