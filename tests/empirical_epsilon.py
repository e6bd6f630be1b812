"""The epsilon that is seen: how often each outcome comes up on two inputs that differ in one label."""

from __future__ import annotations

import numpy as np

from labeldp_audit.bounds.intervals import clopper_pearson


def largest_ratio(outcomes, miss, delta=0.0):
    """The largest lower limit of log (P - delta) / Q of an outcome, both ways round: (2, runs) whole numbers, what came
    out of each run on either input. Too high with a probability of at most `miss`: each outcome has two limits of each
    input."""
    kinds = max(int(one.max()) for one in outcomes) + 1
    counts = np.array([np.bincount(one, minlength=kinds) for one in outcomes])
    runs = counts.sum(axis=1, keepdims=True)
    low, high = (limit(counts, runs, miss / (4 * kinds)) for limit in (clopper_pearson.lower, clopper_pearson.upper))
    with np.errstate(divide="ignore"):
        return float(np.log(np.maximum(low - delta, 0) / high[::-1]).max())
