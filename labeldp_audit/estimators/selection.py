"""eta from models that learn: fitted fold by fold, and chosen by labels that none of them has seen."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import DataError
from ..core.eta import Tried
from ..core.randomness import for_audit
from ..core.remark import Remark
from ..core.settings import Settings
from ..core.table import Table
from ..engines.machine import available_cores, give_back_memory
from ..engines.threads import in_threads
from . import crossfit, score_windows
from .comparison import losses, ranked
from .contract import Learner, Task, Told
from .knn import queries_of
from .score_windows import Pool

MOST_ROWS = 2_000_000  # that are scored, but for those asked

Scores = dict[str, Floats]  # (r, C) of the rows that judge, by the name of a learner


@dataclass(frozen=True)
class Rows:
    """Who learns and is scored, and who of them judges."""

    scored: Pool
    judging: Integers  # places in it
    judges: Pool  # the same, of the table of rows that judge, each of them a person

    @classmethod
    def of(cls, task: Task) -> Rows:
        scored, judges = pool_of(task.whole, task.settings), task.whole.judges
        judging, mine = np.arange(len(scored.rows)), scored.rows
        if judges is not None:
            judging = np.flatnonzero(np.isin(scored.rows, judges, assume_unique=True))
            mine = np.searchsorted(judges, scored.rows[judging])
        folds = np.unique(scored.folds[judging], return_inverse=True)[1]
        return cls(scored, judging, Pool(mine, folds, np.arange(len(judging))))


def of_learners(task: Task, learners: tuple[Learner, ...]) -> Told:
    """By what guesses labels best that it has not seen."""
    rows = Rows.of(task)
    scores, labels = scored(task, rows, learners), task.table.labels[rows.judges.rows]
    tried = ranked({(name, None): losses(one, labels) for name, one in scores.items()})
    return by_best(task, rows, learners, scores, tried, crossfit.choices(learners, len(rows.scored.rows)))


def scored(task: Task, rows: Rows, learners: tuple[Learner, ...]) -> Scores:
    """By models that saw no label of a row's fold."""
    whole, pool = task.whole, rows.scored
    leaves = dict.fromkeys(leaf.name for learner in learners for leaf in learner.leaves())
    task.progress.stage(f"fitting {', '.join(leaves)}", float(len(pool.rows) * len(leaves)), "rows")
    scores = crossfit.scores(
        learners, **_lessons(task, rows, len(leaves) * crossfit.FOLDS), note=task.progress.advance
    )  # fmt: skip
    give_back_memory()
    return scores if whole.judges is None else {name: one[rows.judging] for name, one in scores.items()}


def _lessons(task: Task, rows: Rows, jobs: int) -> dict[str, Any]:
    """Return what every fit of these rows is told. jobs: fits that may run side by side."""
    whole, pool, threads = task.whole, rows.scored, task.settings.threads or available_cores()
    assert whole.columns is not None and whole.fingerprints is not None
    return {
        "columns": whole.columns, "labels": whole.labels, "classes": len(whole.dataset.classes), "rows": pool.rows,
        "folds": pool.folds, "people": pool.people, "same": np.unique(whole.fingerprints, return_inverse=True)[1],
        "seed": task.settings.seed, "each": functools.partial(in_threads, threads=threads),
        "threads": max(1, threads // jobs),
    }  # fmt: skip


def by_best(
    task: Task, rows: Rows, learners: tuple[Learner, ...], scores: Scores, tried: tuple[Tried, ...], choices: int
) -> Told:
    """What the best scores make of eta. Lets go of all others: of millions of rows they are as large as the table."""
    best = next(one for one in tried if one.k is None)
    of_best, idle = scores[best.name], {one.name for one in learners} - scores.keys()
    scores.clear()
    learner = next(one for one in learners if one.name == best.name).without(idle)
    apart = _apart(task, rows, learner) if of_best.shape[1] == 2 and rows.scored.folds.any() else None
    eta = score_windows.eta_of(task.table, of_best, rows.judges, best, task.settings, task.progress, apart)
    return replace(eta, tried=tried, choices=choices) if choices > 1 else eta, about_rows(task, rows)


def _apart(task: Task, rows: Rows, learner: Learner) -> Floats:
    """Return how far log-odds by models of disjoint halves of the people are apart, (r,); NaN but in the first fold."""
    scored = np.full(len(rows.scored.rows), np.nan)
    one, other = (np.log(said[:, 1] / said[:, 0]) for said in crossfit.disjoint(learner, **_lessons(task, rows, 2)))
    scored[rows.scored.folds == 0] = one - other
    return scored[rows.judging]


def about_rows(task: Task, rows: Rows) -> tuple[Remark, ...]:
    """Whether not all of them learn."""
    n, used = len(task.whole.labels), len(rows.scored.rows)
    return (Remark("rows-learnt", rows=used, of=n),) if used < n else ()


def pool_of(table: Table, settings: Settings) -> Pool:
    """All rows; where there are millions, a uniform sample and those asked among the rows that judge."""
    n, judges = len(table.labels), table.judges
    rows = np.arange(n)
    if n > MOST_ROWS:
        some = for_audit(settings.seed, "learning").choice(n, MOST_ROWS, replace=False, shuffle=False)
        asked = queries_of(n, settings) if judges is None else judges[queries_of(len(judges), settings)]
        rows = np.union1d(some, asked)
    people = np.arange(len(rows)) if table.groups is None else np.unique(table.groups[rows], return_inverse=True)[1]
    return Pool(rows, folds_of(people, settings.seed), people)


def folds_of(people: Integers, seed: int) -> Integers:
    """By lot, never by what a row holds; everybody's rows together, and as many people in each as can be."""
    number = int(people.max()) + 1
    if number < 2:
        raise DataError("all rows are of one person", hint="--group COLUMN names whose row it is")
    folds = min(crossfit.FOLDS, number // 2) or 1
    return for_audit(seed, "folds").permutation(np.arange(number) % folds)[people]
