"""Randomized response with labels of a model (000, Mechanism 1): a label stays as it is with probability 1 - lambda,
and is else replaced by one drawn from q(. | x), what a model says of the features.

The model's law is clipped to [tau, 1] and renormalised, so that

    epsilon = log(1 + (1 - lambda) / (lambda tau)),

which lambda = 1 / (1 + tau (e^epsilon - 1)) spends. A small tau lets labels be drawn from where the model expects them,
but they are drawn more often: of a list of tau, the one with the least expected share of changed labels,
lambda (1 - sum_y p_y q_y) on average, if the prior p is true. No label is needed for it. The model's law is rounded to
multiples of 1 / 32, or coarser ones where these would make too many different channels to publish.

Noise is exact, as that of cluster-rr, whose draw it is: L, t and T are whole numbers over 2^64.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels, Need
from ..core.parameters import parameter
from ..core.randomness import Chance
from ..core.release import Guide, Release
from . import exact
from .cluster_response import FLOORS, Plan, channels_of, parts_of, plan_of, plan_told, renormalised, said_by
from .guided import Guided
from .prior_response import CELLS, MOST, distinct, uniform

_GRIDS = (32, 16, 8, 4, 2, 1)  # the first one with few enough laws to publish
_LAWS = 4096
_SOME = 1 << 16  # rows at a time


@dataclass(frozen=True)
class ModelResponse(Guided):
    name: ClassVar[str] = "model-rr"
    example: ClassVar[str] = "model-rr:epsilon=1"
    summary: ClassVar[str] = "a label is replaced by one drawn from a prior (--prior)"
    theorem: ClassVar[str] = "log(1 + (1 - lambda) / (lambda tau)), tau the least share of a class (000, Mechanism 1)"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.PRIOR})

    epsilon: float = parameter(least=0, most=MOST, noise=-1, silent=0.0)

    def claim(self, classes: int) -> float:
        return self.epsilon

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        prior = uniform(len(labels), guide.classes) if guide.prior is None else guide.prior
        laws, group = rounded(prior)
        plan = best_plan(self.epsilon, laws, np.bincount(group, minlength=len(laws)))
        parts = parts_of(laws, plan)
        view = said_by(labels, group, parts, plan, rng)
        return Release(view, np.arange(len(labels)), group, channels_of(plan.kept, parts), _facts(plan, parts))

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """Channels are left to `exact`: K numbers say all K^2."""
        return dict(release.facts)

    def learner_again(self, release: Release, classes: int) -> dict[str, object]:
        """From the whole numbers that each law is shared out in, which the plan bounds."""
        plan = plan_told(self.epsilon, classes, release.facts, (Fraction(0),))
        exactly: Any = release.facts["exact"]
        parts = [[int(one) for one in row] for row in exactly["replaced"]]
        if any(min(row) < plan.least or sum(row) != plan.replaced for row in parts):
            raise ValueError("laws that no plan makes")
        return _facts(plan, parts)

    def channels_told(self, learner: Mapping[str, Any]) -> Floats:
        told = learner["exact"]
        return channels_of(int(told["kept"]), [[int(one) for one in row] for row in told["replaced"]])


def _facts(plan: Plan, parts: list[list[int]]) -> dict[str, object]:
    return {
        "lambda": plan.resampled, "tau": plan.floor, "q": [[one / plan.replaced for one in row] for row in parts],
        "exact": {
            "kept": str(plan.kept), "replaced": [[str(one) for one in row] for row in parts],
            "denominator": str(exact.WHOLE),
        },
        "modified_loss": "(loss(y) - lambda sum_c q_c loss(c)) / (1 - lambda), q of the row's channel",
    }  # fmt: skip


def rounded(prior: Floats) -> tuple[Floats, Integers]:
    """(G, C) the laws that are different on a grid, at least one, and which of them is each record's."""
    most = min(_LAWS, CELLS // prior.shape[1] ** 2)
    for grid in _GRIDS:
        if grid > 1 and len(_on_grid(prior[:_SOME], grid)[1]) > most:  # so they are among all rows
            continue
        counts, first, group = _on_grid(prior, grid)
        if len(first) <= most:
            break
    found = counts[first].astype(np.float64) if len(first) else np.ones((1, prior.shape[1]))
    found[found.sum(axis=1) == 0] = 1.0  # many classes, none of them likely
    return found / found.sum(axis=1, keepdims=True), group


def _on_grid(prior: Floats, grid: int) -> tuple[npt.NDArray[np.uint8], Integers, Integers]:
    """(n, C) multiples, one record of each kind of them, and (n,) whose kind each is."""
    counts = np.empty(prior.shape, np.uint8)
    for start in range(0, len(prior), _SOME):
        counts[start : start + _SOME] = np.rint(prior[start : start + _SOME] * grid)
    return (counts, *distinct(counts))


def best_plan(epsilon: float, laws: Floats, rows: Integers) -> Plan:
    """With the least expected share of changed labels among so many rows of each law."""
    classes = laws.shape[1]
    weights = rows / max(1, rows.sum())
    plans = [plan_of(epsilon, classes, Fraction(0), floor / classes) for floor in FLOORS]
    return min(plans, key=lambda plan: changed(plan, laws, weights))


def changed(plan: Plan, laws: Floats, weights: Floats) -> float:
    """lambda (1 - sum_y p_y q_y)"""
    same = (laws * renormalised(laws, plan.floor)).sum(axis=1)
    return float(plan.resampled * (weights @ (1 - same)))
