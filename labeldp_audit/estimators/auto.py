"""The best of what makes sense for the table, judged by labels that it has not seen.

Beside learners, neighbourhoods of features are looked at: first at a few rows of a part of a large table, then at more,
and at all rows if they are clearly better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.eta import Tried
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Points
from . import crossfit, knn, selection
from .atoms import ENOUGH, Atoms
from .comparison import losses, ranked, smoothed
from .contract import Estimator, Learner, Task, Told
from .knn import Neighbors
from .score_windows import Pool
from .stack import MEMBERS, Stack

MOST_SCORES = 50_000_000  # of each learner, eight bytes each
GLIMPSE, BEGINNING = 10_000, 2000  # rows at which neighbourhoods are tried, and of a large table at first
PART, FIRST_GLIMPSE = 20_000, 1000  # rows among which they are tried first, and at how many of them
MOST_AT_FIRST = 300_000  # rows among which they are tried at BEGINNING
CLEARLY = 2.0  # standard errors


@dataclass(frozen=True)
class Auto(Estimator):
    name: ClassVar[str] = "auto"
    example: ClassVar[str] = "auto"
    points: ClassVar[Points] = Points.LATER

    def suited(self, settings: Settings) -> Estimator:
        """A smoothness constant speaks of neighbourhoods, so these are what makes sense beside it."""
        return self if settings.smoothness is None else Neighbors()

    def estimate(self, task: Task) -> Told:
        table, rows = task.table, selection.Rows.of(task)
        assert task.whole.fingerprints is not None
        times = np.unique(task.whole.fingerprints, return_counts=True)[1]
        repeating = float(times[times > 1].sum() / len(task.whole.labels))
        learners = among(len(rows.scored.rows), len(table.dataset.classes), repeating)
        if not learners:
            return Neighbors().estimate(task)
        scores, labels = selection.scored(task, rows, learners), table.labels[rows.judges.rows]
        lost = {name: losses(one, labels) for name, one in scores.items()}
        tried = ranked({(name, None): one for name, one in lost.items()})
        of_best, choices = lost[tried[0].name], crossfit.choices(learners, len(rows.scored.rows)) + 1
        del lost
        if _worth_a_look(task, rows.judges, of_best):
            beside = _beside(task, rows.judges, tried[0], of_best)
            tried = tuple(sorted((*tried, beside), key=lambda one: one.behind))
            if beside.behind < -CLEARLY * beside.behind_error:
                return _nearby(task, tried, choices)
        return selection.by_best(task, rows, learners, scores, tried, choices)


def among(rows: int, classes: int, repeating: float) -> tuple[Learner, ...]:
    """Which learners make sense; none where neighbours are to be counted. repeating: share of the rows that are not
    alone with their features."""
    if rows * classes > MOST_SCORES:
        return ()
    return (*MEMBERS, Stack(), *((Atoms(),) if repeating >= ENOUGH else ()))


def _worth_a_look(task: Task, pool: Pool, lost: Floats) -> bool:
    """Do neighbourhoods in a part of the table tell half as much as the best learner? lost (r,): by that learner."""
    if len(pool.rows) <= PART:
        return True
    table = task.table
    place = for_audit(task.settings.seed, "part").permutation(len(pool.rows))[:PART]
    rows, few = pool.rows[place], place[:FIRST_GLIMPSE]
    eta = knn.glimpse(table.at(rows), np.arange(len(few)), task.settings, task.progress)
    assert eta.counts is not None
    labels = table.labels[pool.rows]
    share = np.bincount(labels, minlength=len(table.dataset.classes)) / len(labels)
    blind = float(-np.log(share[labels[few]]).mean())
    found = blind - float(losses(smoothed(eta.counts), labels[few]).mean())
    return found > (blind - float(lost[few].mean())) / 2


def _beside(task: Task, pool: Pool, best: Tried, lost: Floats) -> Tried:
    """Neighbourhoods beside the best learner, at the same few rows. lost (r,): by that learner. The first rows say
    whether there is hope, in a very large table among a part of it, as points take much more memory than columns;
    labels choose between no more ways than without them."""
    places = for_audit(task.settings.seed, "glimpse").permutation(len(pool.rows))

    def at(place: Integers, among: Integers) -> Tried:
        """At some places of the pool, counting neighbours among some that hold these, or in the whole table."""
        table, rows = task.table, pool.rows[place]
        if len(among) < len(pool.rows):
            table, rows = table.at(pool.rows[among]), np.searchsorted(among, place)
        eta = knn.glimpse(table, rows, task.settings, task.progress)
        assert eta.counts is not None
        behind = losses(smoothed(eta.counts), task.table.labels[pool.rows[place]]) - lost[place]
        mean, error = float(behind.mean()), float(behind.std() / np.sqrt(len(place)))
        own = float(np.hypot(best.standard_error, error))  # the best's loss at all rows, and what it is more at a few
        return Tried(eta.estimator, best.log_loss + mean, own, eta.k, mean, error)

    if len(pool.rows) > PART:
        begun = at(np.sort(places[:BEGINNING]), np.sort(places[:MOST_AT_FIRST]))
        if begun.behind > (CLEARLY * begun.behind_error if len(pool.rows) > MOST_AT_FIRST else 0):
            return begun
    return at(np.sort(places[:GLIMPSE]), places)


def _nearby(task: Task, tried: tuple[Tried, ...], choices: int) -> Told:
    """Whichever learner labels might have chosen has its share of the level; what is left is one for all k together."""
    eta, remarks = Neighbors().estimate(task)
    return replace(eta, tried=tried, choices=eta.choices * choices), remarks
