"""PropMatch (003, section 2): a logistic model whose mean in each bag is to be the published share.

It needs no true label. Bags are guessed fold by fold, by a model of the other folds' bags; then the count of a record's
own bag is weighed as the optimal attacker does, with the model in the place of eta. Of counts without noise the loss is
the cross-entropy of shares; of noisy ones the squared error, whose gradient noise does not bias (003, Theorem 6.1).
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.finding import Knows
from ..core.mechanism import Published
from .contract import Attack, Guesses, Seen, best, told

_PENALTY = 1.0  # on coefficients, which numbers of about one size have
_STEPS = 300
_LEAST = 1e-6


class PropMatch(Attack):
    name: ClassVar[str] = "propmatch"
    example: ClassVar[str] = "propmatch"
    summary: ClassVar[str] = "learns from shares of bags alone, without a true label: PropMatch of 003"
    knows: ClassVar[Knows] = Knows.BOTH
    learns: ClassVar[bool] = True

    def unfit(self, seen: Seen) -> str:
        if seen.mechanism.publishes is not Published.BAGS:
            return "no shares of bags are published"
        return "" if seen.features is not None else "there is too little to learn from"

    def read(self, seen: Seen) -> Guesses:
        assert seen.features is not None
        bag, counts = seen.release.bag, seen.release.view.astype(np.float64)
        claim = seen.mechanism.claim(seen.eta.shape[1])
        noisy = claim is not None and math.isfinite(claim)  # counts have an epsilon by their noise alone
        x, fold = seen.features.matrix(), seen.features.fold
        said = np.empty(len(bag))
        for one in np.unique(fold):
            learn, asked = fold != one, fold == one
            said[asked] = predicted(x[asked], matched(x[learn], bag[learn], counts, noisy))
        said = said.clip(_LEAST, 1 - _LEAST)
        return best(told(seen, np.column_stack([1 - said, said])), seen.payoff)


def predicted(x: Floats, weights: Floats) -> Floats:
    """(n,) share of positives among records like these; the last weight is the constant."""
    from scipy.special import expit

    return np.asarray(expit(x @ weights[:-1] + weights[-1]))


def matched(x: Floats, bag: Integers, counts: Floats, noisy: bool = False) -> Floats:
    """(d + 1,) weights with which the means of bags are nearest to the published shares.

    x (n, d); bag (n,); counts (bags,), of bags that may be empty here.
    """
    from scipy.optimize import minimize

    there, place = np.unique(bag, return_inverse=True)
    place, sizes = place.reshape(-1), np.bincount(bag)[there]
    share = counts[there] / sizes
    share = share if noisy else share.clip(0, 1)

    def loss(weights: Floats) -> tuple[float, Floats]:
        said = predicted(x, weights)
        mean = (np.bincount(place, said) / sizes).clip(_LEAST, 1 - _LEAST)
        if noisy:
            value, slope = sizes * (mean - share) ** 2, 2 * sizes * (mean - share)
        else:
            value = -sizes * (share * np.log(mean) + (1 - share) * np.log1p(-mean))
            slope = sizes * (mean - share) / (mean * (1 - mean))
        each = (slope / sizes)[place] * said * (1 - said)
        inner = weights[:-1]
        gradient = np.append(each @ x + _PENALTY * inner, each.sum())
        return float(value.sum() + _PENALTY / 2 * inner @ inner), gradient

    middle = float(np.average(share, weights=sizes).clip(0.01, 0.99))
    start = np.append(np.zeros(x.shape[1]), math.log(middle / (1 - middle)))
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}).x)
