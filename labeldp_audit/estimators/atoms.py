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
from . import contract
from .contract import Learner, Lesson, Scores
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
        said, judge, count = lesson.scores(model), lesson.labels[lesson.judge], lesson.counts(lesson.judge)
        fitted = _counted(lesson, lesson.learn)
        seen = fitted[_place(lesson)[lesson.judge]]

        def loss(worth: float) -> float:
            return float(-np.log(_shrunk(seen, said.judge, worth)[np.arange(len(judge)), judge]) @ count)

        worth = min(WORTH, key=loss)
        every = _counted(lesson, np.concatenate([lesson.learn, lesson.judge]))
        return Scores(_shrunk(seen, said.judge, worth), _shrunk(every[_place(lesson)[lesson.asked]], said.asked, worth))


def _place(lesson: Lesson) -> Integers:
    if lesson.same is None:
        raise SpecError("atoms need to know which rows are the same")
    return lesson.same


def _counted(lesson: Lesson, rows: Integers) -> Floats:
    """(places, C) labels of these rows, by their features."""
    place = _place(lesson)
    places = int(place.max()) + 1
    cell = place[rows].astype(np.int64) * lesson.classes + lesson.labels[rows]
    return np.asarray(
        np.bincount(cell, lesson.counts(rows), places * lesson.classes).reshape(places, lesson.classes), np.float64
    )


def _shrunk(seen: Floats, model: Floats, worth: float) -> Floats:
    return contract.inside((seen + worth * model) / (seen.sum(axis=1, keepdims=True) + worth))
