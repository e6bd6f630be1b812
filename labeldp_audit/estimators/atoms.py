"""Where rows repeat: how often each label was seen at the very same features, shrunk towards what a model says.

    P(c | x) = (N_c(x) + m model_c(x)) / (N(x) + m)

A model shares what it learns among people with other features; many people with the same ones speak for themselves. How
many rows the model is worth, m, is what rows that neither has seen like best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from .comparison import losses
from .contract import Learner, Lesson, Scores, inside
from .stack import Stack

WORTH = tuple(2.0**power for power in range(-1, 15))
ENOUGH = 0.05  # of the rows share their features with others: below this, nothing is gained


@dataclass(frozen=True)
class Atoms(Learner):
    name: ClassVar[str] = "atoms"
    example: ClassVar[str] = "atoms"
    built_on: tuple[Learner, ...] = (Stack(),)

    def scores(self, lesson: Lesson) -> Scores:
        [model] = self.built_on
        if (place := lesson.same) is None:
            raise SpecError("atoms need to know which rows are the same")
        said, judge, places, classes = lesson.scores(model), lesson.judge, int(place.max()) + 1, lesson.classes

        def counted(rows: Integers) -> Floats:
            """(places, C) labels of these rows, by their features."""
            cell = place[rows].astype(np.int64) * classes + lesson.labels[rows]
            return np.bincount(cell, lesson.counts(rows), places * classes).reshape(places, classes).astype(np.float64)

        seen = counted(lesson.learn)[place[judge]]

        def loss(worth: float) -> float:
            return float(losses(_shrunk(seen, said.judge, worth), lesson.labels[judge]) @ lesson.counts(judge))

        worth = min(WORTH, key=loss)
        every = counted(np.concatenate([lesson.learn, judge]))[place[lesson.asked]]
        return Scores(_shrunk(seen, said.judge, worth), _shrunk(every, said.asked, worth))


def _shrunk(seen: Floats, model: Floats, worth: float) -> Floats:
    return inside((seen + worth * model) / (seen.sum(axis=1, keepdims=True) + worth))
