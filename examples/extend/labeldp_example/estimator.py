"""Each class is a ball around the mean of its rows: linear discriminant analysis, columns taken as independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from labeldp_audit.core.arrays import Floats, Integers
from labeldp_audit.estimators.contract import Fitting, Lesson, Predictor, inside, shares


@dataclass(frozen=True)
class Centroids(Fitting):
    name: ClassVar[str] = "centroids"
    example: ClassVar[str] = "centroids"

    def fit(self, lesson: Lesson) -> Predictor:
        """Only `lesson.learn` and `lesson.judge` have labels; any row may be asked."""
        rows = np.concatenate([lesson.learn, lesson.judge])
        values = np.nan_to_num(lesson.columns.values[rows].astype(np.float64))
        labels, count = lesson.labels[rows], lesson.counts(rows)
        prior = shares(lesson)
        means = np.array([_mean(values[labels == c], count[labels == c]) for c in range(lesson.classes)])
        spread = _mean((values - means[labels]) ** 2, count) + 1e-3

        def predict(asked: Integers) -> Floats:
            there = np.nan_to_num(lesson.columns.values[asked].astype(np.float64))
            far = ((there[:, None] - means) ** 2 / spread).sum(axis=2)
            weight = np.log(prior) - far / 2
            odds = np.exp(weight - weight.max(axis=1, keepdims=True))
            return inside(odds / odds.sum(axis=1, keepdims=True))

        return predict


def _mean(values: Floats, count: Floats) -> Floats:
    return np.asarray((values * count[:, None]).sum(axis=0) / max(1.0, float(count.sum())))
