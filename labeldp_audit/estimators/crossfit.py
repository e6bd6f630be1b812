"""Scores of every row by models that saw no label of the row's fold.

Every learner fits every fold: so many independent jobs, each on its own share of the cores, for models are small and
cores that wait for each other are slow where others work on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ..model import Columns, Floats, Integers
from .contract import Labels, Learner, Lesson

FOLDS = 5
MOST_ROWS = 2_000_000  # that a fold learns from
_JUDGE = 0.1  # of what a fold learns from, to stop and to weigh by
_FEW, _MORE = 5000, 0.25  # of fewer rows, more

Job = tuple[Learner, int]  # and the fold that it scores
Each = Callable[[Callable[[Job], Job], Iterable[Job]], Iterable[Job]]
"""A map, in order; jobs may run side by side."""
Note = Callable[[float], None]  # so many rows were scored by one learner


def scores(
    learners: Sequence[Learner], columns: Columns, labels: Labels, classes: int, folds: Integers, seed: int, *,
    each: Each, threads: int, note: Note, same: Integers, people: Integers,
) -> dict[str, Floats]:  # fmt: skip
    """(n, C) by the name of each learner. threads: of each job; same: see Lesson; people (n,): whose row it is."""
    first = tuple({leaf.name: leaf for learner in learners for leaf in learner.leaves()}.values())
    number = int(folds.max()) + 1
    jobs = [(learner, fold) for fold in range(number) for learner in first]
    lessons = [
        Lesson(
            columns=columns, labels=labels, classes=classes, learn=learn, judge=judge, seed=seed * number + fold,
            threads=threads, asked=np.flatnonzero(folds == fold), same=same,
        )
        for fold in range(number)
        for learn, judge in [_parted(np.flatnonzero(folds != fold), people, np.random.default_rng([seed, fold]))]
    ]  # fmt: skip

    def work(job: Job) -> Job:
        learner, fold = job
        lessons[fold].scores(learner)
        return job

    for _, fold in each(work, jobs):
        note(len(lessons[fold].asked))
    return {learner.name: _of_folds(learner, lessons, len(labels), classes) for learner in learners}


def _of_folds(learner: Learner, lessons: Sequence[Lesson], n: int, classes: int) -> Floats:
    found = np.empty((n, classes))
    for lesson in lessons:
        found[lesson.asked] = lesson.scores(learner).asked
    return found


def _parted(rows: Integers, people: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Rows to learn from and rows to judge by, parted by lot, never by what they hold; everybody's rows together."""
    share = _JUDGE if len(rows) > _FEW else _MORE
    judges = rng.random(int(people.max()) + 1) < share
    learn, judge = (rows[mark] for mark in (~judges[people[rows]], judges[people[rows]]))
    if len(learn) > MOST_ROWS:
        learn = np.sort(rng.choice(learn, MOST_ROWS, replace=False))
    return learn, judge[:MOST_ROWS]
