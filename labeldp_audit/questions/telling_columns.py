"""Columns from which labels are guessed, by levels or steps of a number that were seen beside other labels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.randomness import for_audit
from ..core.table import Columns, Table

NEARLY = 0.1  # of the wrong guesses of the commonest class: a column that leaves no more gives labels away alone
VALUES = 512  # of a number that are looked at one by one; of more, as many steps
MOST_ROWS, MOST_NAMED = 200_000, 5


def telling(table: Table, seed: int) -> list[str]:
    """Name the columns that give labels away alone, or where none does those that tell most; the best come first."""
    if table.columns is None:
        features = [one.name for one in table.dataset.columns if one.role in ("number", "category", "eta")]
        return features[:MOST_NAMED]
    rows = for_audit(seed, "telling columns").permutation(len(table.labels))[:MOST_ROWS]
    learn, asked = np.array_split(rows, 2)
    wrong, blind = wrong_guesses(table.columns, table.labels, len(table.dataset.classes), learn, asked)
    least = NEARLY * blind
    best = sorted(range(len(wrong)), key=wrong.__getitem__)[:MOST_NAMED]
    alone = [place for place in best if wrong[place] <= least]
    return [table.columns.names[place] for place in alone or best]


def wrong_guesses(
    columns: Columns, labels: npt.NDArray[np.uint8], classes: int, learn: Integers, asked: Integers
) -> tuple[list[int], int]:
    """Count the wrong guesses from each column, and those of the commonest class."""
    every = (guesses(columns, labels, classes, place, learn, asked) for place in range(len(columns.names)))
    blind = labels[asked] != np.bincount(labels[learn]).argmax()
    return [int((one != labels[asked]).sum()) for one in every], int(blind.sum())


def guesses(
    columns: Columns, labels: npt.NDArray[np.uint8], classes: int, place: int, learn: Integers, asked: Integers
) -> Integers:
    """Guess the labels of the rows `asked` as the commonest class of those rows of `learn` whose cell is alike."""
    known_labels, values = labels[learn].astype(np.int64), columns.values[:, place]
    known, unknown = values[learn], values[asked]
    if not columns.categorical[place]:
        ends = _steps(known, known_labels, classes)
        known, unknown = (np.where(np.isnan(one), -1, np.searchsorted(ends[:-1], one)) for one in (known, unknown))
    levels, place_of = np.unique(known, return_inverse=True)
    counts = np.bincount(place_of * classes + known_labels, minlength=len(levels) * classes).reshape(-1, classes)
    at = np.minimum(np.searchsorted(levels, unknown), len(levels) - 1)
    return np.asarray(np.where(levels[at] == unknown, counts.argmax(axis=1)[at], counts.sum(axis=0).argmax()))


def _steps(values: npt.NDArray[np.float32], labels: Integers, classes: int) -> npt.NDArray[np.float32]:
    """Return the values between which numbers are alike: all of few, else quantiles of each class, for rare ones."""
    there = ~np.isnan(values)
    different = np.unique(values[there])
    if len(different) <= VALUES:
        return different
    share = np.linspace(0, 1, 1 + VALUES // classes)
    every = [values[there & (labels == one)] for one in range(classes)]
    return np.unique(
        np.concatenate([np.quantile(one, share, method="higher") for one in every if len(one)]).astype(np.float32)
    )
