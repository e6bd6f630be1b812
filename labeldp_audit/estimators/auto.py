"""The best of what makes sense for the table, judged by labels that it has not seen.

Beside learners, neighbourhoods of features are tried: among some rows of a large table, then among more if that may
help. They are used if they are clearly better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.eta import Tried
from ..core.settings import Settings
from . import crossfit, selection
from .atoms import ENOUGH, Atoms
from .comparison import losses, ranked
from .contract import Estimator, Learner, Task, Told
from .knn import Neighbors
from .knn_trial import trial
from .stack import MEMBERS, Stack

MOST_SCORES = 50_000_000  # of each learner, eight bytes each
CLEARLY = 2.0  # standard errors
AGAIN = 5  # times the usual cost, where neighbours tell half as much as the best learner


@dataclass(frozen=True)
class Auto(Estimator):
    name: ClassVar[str] = "auto"
    example: ClassVar[str] = "auto"

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
        del lost
        best, choices = tried[0], crossfit.choices(learners, len(rows.scored.rows)) + 1
        knn, beside = trial(task, rows.judges.rows, scores[best.name])
        if knn.rows < len(table.labels) and beside.behind < (table.dataset.blind_log_loss - best.log_loss) / 2:
            _, beside = trial(task, rows.judges.rows, scores[best.name], AGAIN)
        tried = tuple(sorted((*tried, beside), key=lambda one: one.behind))
        if beside.behind < -CLEARLY * beside.behind_error:
            return _nearby(task, tried, choices)
        eta, remarks = selection.by_best(task, rows, learners, scores, tried, choices)
        return replace(eta, knn=knn), remarks


def among(rows: int, classes: int, repeating: float) -> tuple[Learner, ...]:
    """Which learners make sense; none where neighbours are to be counted. repeating: share of the rows that are not
    alone with their features."""
    if rows * classes > MOST_SCORES:
        return ()
    return (*MEMBERS, Stack(), *((Atoms(),) if repeating >= ENOUGH else ()))


def _nearby(task: Task, tried: tuple[Tried, ...], choices: int) -> Told:
    """Whichever learner labels might have chosen has its share of the level; what is left is one for all k together."""
    eta, remarks = Neighbors().estimate(task)
    return replace(eta, tried=tried, choices=eta.choices * choices), remarks
