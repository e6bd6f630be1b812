"""Scores of every row by models that saw no label of the row's fold.

Every learner fits every fold: so many independent jobs, each on its own share of the cores, for models are small and
cores that wait for each other are slow where others work on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..model import Columns, Floats, Integers
from .contract import Labels, Learner, Lesson
from .inputs import alone

FOLDS = 5
MOST_ROWS = 2_000_000  # that a fold learns from
_JUDGE = 0.1  # of what a fold learns from, to stop and to weigh by
_FEW, _MORE = 5000, 0.25  # of fewer rows, more

Job = tuple[Learner, int]  # and the fold that it scores
Each = Callable[[Callable[[Job], Job], Iterable[Job]], Iterable[Job]]
"""A map, in order; jobs may run side by side."""
Note = Callable[[float], None]  # so many rows were scored by one learner


def scores(
    learners: Sequence[Learner], columns: Columns, labels: Labels, classes: int, *, rows: Integers, folds: Integers,
    people: Integers, same: Integers, seed: int, each: Each, threads: int, note: Note,
) -> dict[str, Floats]:  # fmt: skip
    """(r, C) by the name of each learner, for r rows of the table.

    folds (r,) of these rows; people (r,): whose they are; same (n,): see Lesson; threads: of each job.
    """
    first = tuple({leaf.name: leaf for learner in learners for leaf in learner.leaves()}.values())
    number = int(folds.max()) + 1
    jobs = [(learner, fold) for fold in range(number) for learner in first]
    lessons = [
        Lesson(
            columns=columns, labels=labels, classes=classes, learn=learn, judge=judge, seed=seed * number + fold,
            threads=threads, asked=rows[folds == fold], same=same,
        )
        for fold in range(number)
        for learn, judge in [_parted(rows, folds != fold, people, np.random.default_rng([seed, fold]))]
    ]  # fmt: skip

    def work(job: Job) -> Job:
        learner, fold = job
        lessons[fold].scores(learner)
        return job

    with alone():  # for all: to let go of the limit and take it again between jobs may leave threads that compete
        for _, fold in each(work, jobs):
            note(len(lessons[fold].asked))
    return {learner.name: _of_folds(learner, lessons, folds) for learner in learners}


def _of_folds(learner: Learner, lessons: Sequence[Lesson], folds: Integers) -> Floats:
    found = np.empty((len(folds), lessons[0].classes))
    for fold, lesson in enumerate(lessons):
        found[folds == fold] = lesson.scores(learner).asked
    return found


def _parted(
    rows: Integers, kept: npt.NDArray[np.bool_], people: Integers, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Rows to learn from and rows to judge by, parted by lot, never by what they hold; everybody's rows together, and
    somebody's in either where there are two people."""
    share = _JUDGE if kept.sum() > _FEW else _MORE
    judging = rng.random(int(people.max()) + 1) < share
    judges = judging[people]
    if judges[kept].all() or not judges[kept].any():
        judges ^= people == _one_of(people[kept], rng)
    return _at_most(rows[kept & ~judges], rng), _at_most(rows[kept & judges], rng)


def _one_of(people: Integers, rng: np.random.Generator) -> int:
    """By lot; -1 where nobody else would be left."""
    there = np.unique(people)
    return int(rng.choice(there)) if len(there) > 1 else -1


def _at_most(rows: Integers, rng: np.random.Generator) -> Integers:
    return rows if len(rows) <= MOST_ROWS else np.sort(rng.choice(rows, MOST_ROWS, replace=False))
