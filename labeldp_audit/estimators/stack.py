"""Several learners as one: a logistic regression on the logarithms of what they say (Wolpert 1992, stacking).

log P(c | x) = b_c + sum_m w_m log P_m(c | x) + constant. Weights are fitted to rows that no member was fitted to, and
pulled towards the plain average, which is what few such rows give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from .boosted import Boosted
from .contract import Learner, Lesson, Scores, inside
from .crossed import Crossed
from .linear import Linear
from .network import Network

MEMBERS: tuple[Learner, ...] = (Linear(), Boosted(), Network(), Crossed())
_PULL = 4.0  # 1 / variance of a weight about the average's: worth about as much as a few hundred rows


@dataclass(frozen=True)
class Stack(Learner):
    name: ClassVar[str] = "stack"
    example: ClassVar[str] = "stack"
    built_on: tuple[Learner, ...] = MEMBERS

    def scores(self, lesson: Lesson) -> Scores:
        return mixture([lesson.scores(member) for member in self.built_on], lesson)


def mixture(said: Sequence[Scores], lesson: Lesson) -> Scores:
    """Mixes what members said; of one alone, how sure it is of itself is corrected."""
    weight, bias = _fitted([one.judge for one in said], lesson.labels[lesson.judge], lesson.counts(lesson.judge))

    def mixed(each: list[Floats]) -> Floats:
        logit = sum((w * np.log(one) for w, one in zip(weight, each, strict=True)), np.zeros_like(each[0]))
        posterior, whole = _softmax(logit + bias)[:2]
        return inside(posterior / whole)

    return Scores(mixed([one.judge for one in said]), mixed([one.asked for one in said]))


def _softmax(logit: Floats) -> tuple[Floats, Floats, Floats]:
    """What the classes have shares of, its sum, and the logarithm of the former."""
    logit = logit - logit.max(axis=1, keepdims=True)
    posterior = np.exp(logit)
    return posterior, posterior.sum(axis=1, keepdims=True), logit


def _fitted(said: list[Floats], labels: npt.NDArray[np.integer], count: Floats) -> tuple[Floats, Floats]:
    """Weights (M,) and biases (C,) of the least log loss, by L-BFGS from the plain average."""
    from scipy.optimize import minimize

    logs = np.log(np.stack(said))  # (M, rows, C)
    members, _, classes = logs.shape
    is_label, even = np.eye(classes)[labels], np.full(members, 1 / members)

    def loss(theta: Floats) -> tuple[float, Floats]:
        weight, bias = theta[:members], theta[members:]
        posterior, whole, logit = _softmax(np.tensordot(weight, logs, 1) + bias)
        excess = (posterior / whole - is_label) * count[:, None]
        away = weight - even
        value = count @ (np.log(whole)[:, 0] - (logit * is_label).sum(axis=1)) + _PULL * (away @ away + bias @ bias) / 2
        slope = np.concatenate([np.tensordot(logs, excess, 2) + _PULL * away, excess.sum(axis=0) + _PULL * bias])
        return float(value), slope

    found = minimize(loss, np.concatenate([even, np.zeros(classes)]), jac=True, method="L-BFGS-B").x
    return found[:members], found[members:]
