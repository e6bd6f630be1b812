"""From counts to intervals of eta and p, and how a report's joint confidence is shared out among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bounds import clopper_pearson
from ..bounds.mistakes import Mistakes
from ..model import Eta, Floats, Table

PRIOR_SHARE = 0.05  # of the probability that a report may miss: p is the best known number of all
SMOOTH_SHARE = 0.05  # for the radii of the neighbourhoods, with --smoothness


@dataclass(frozen=True)
class Intervals:
    """Of the positive class: the estimate and the limits of eta at each query, and of p."""

    eta: Floats
    low: Floats
    high: Floats
    p: float
    p_low: float
    p_high: float
    wrong: int  # of the intervals of eta may be wrong


def of(table: Table, eta: Eta, positive: int, mistakes: Mistakes, widening: float, prior_miss: float) -> Intervals:
    counts = eta.counts[:, positive]
    low, high = clopper_pearson.limits_of_counts(counts, eta.counts.sum(axis=1), mistakes.miss_each / 2)
    people, positives = table.dataset.rows_used, table.dataset.class_counts[positive]
    return Intervals(
        eta=eta.probability[:, positive],
        low=np.maximum(0.0, low - widening),
        high=np.minimum(1.0, high + widening),
        p=positives / people,
        p_low=float(clopper_pearson.lower(positives, people, prior_miss / 2)),
        p_high=float(clopper_pearson.upper(positives, people, prior_miss / 2)),
        wrong=mistakes.allowed,
    )
