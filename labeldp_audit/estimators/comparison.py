"""Which way of estimating eta guesses labels best that it has not seen, and by how much."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from ..core.eta import Eta, Tried

Way = tuple[str, int | None]
"""Its name, and its k where neighbours are counted."""


def smoothed(counts: npt.NDArray[np.integer]) -> Floats:
    """Half a count added to each class, so that no label is a surprise without end."""
    return np.asarray((counts + 0.5) / (counts.sum(axis=1, keepdims=True) + 0.5 * counts.shape[1]))


def predicted(eta: Eta) -> Floats:
    """Return the probabilities that judge an estimate, (q, C): smoothed shares where neighbours are counted."""
    return eta.probability if eta.counts is None or eta.metric == "score" else smoothed(eta.counts)


def losses(probability: Floats, labels: npt.NDArray[np.integer]) -> Floats:
    """-log of the probability of each label."""
    return np.asarray(-np.log(probability[np.arange(len(labels)), labels]))


def ranked(lost: Mapping[Way, Floats]) -> tuple[Tried, ...]:
    """The best first. Differences are of the same rows, so what makes all err alike is not in their error."""
    least = min(lost.values(), key=lambda one: float(one.mean()))
    found = [
        Tried(name, float(one.mean()), _error(one), k, float((one - least).mean()), _error(one - least))
        for (name, k), one in lost.items()
    ]
    return tuple(sorted(found, key=lambda tried: tried.log_loss))


def _error(terms: Floats) -> float:
    """Standard error of the mean."""
    return float(terms.std() / np.sqrt(len(terms)))
