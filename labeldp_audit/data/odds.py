"""Do rows agree in every column more often than their columns, two by two, would make them?

Of E pairs of equal rows, N_j that differ in column j alone, and N_jk in exactly j and k, E N_jk / (N_j N_k) is about 1
where j and k vary independently given all others. Rows that were drawn several times add to E alone, so it is large for
every two columns, the label among them. Crowds in one place raise it too, where people are many; so it is asked of all
rows, and of those without records that are there often.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .fingerprints import Words

ROWS, COLUMNS = 20_000, 12  # that are looked at, at most: those columns that tell most
ENOUGH = 20.0  # ordered pairs of each sort
HIGH = 3.0  # in simulations people whose columns depend on each other came to 2.1 in the least of the three
CROWD = 20  # rows of a record


def drawn_again(words: Words, cells: npt.NDArray[np.uint64], label: Words, rng: np.random.Generator) -> bool:
    """words (m,): of whole rows; cells (m, columns), label (m,): what each column adds to them."""
    some = rng.permutation(len(words))[:ROWS]
    whole = words[some]
    telling = np.argsort([_pairs(column) for column in cells[some].T], kind="stable")[:COLUMNS]
    columns = np.column_stack([label[some], cells[np.ix_(some, telling)]])
    number, size = np.unique(whole, return_inverse=True, return_counts=True)[1:]
    often = size[number]
    parts = (often > 0, often <= CROWD, often <= 2 * np.median(often))
    return all(_least(whole[part], columns[part]) > HIGH for part in parts)


def _least(whole: Words, columns: npt.NDArray[np.uint64]) -> float:
    """Over pairs of columns; 0 where no two have pairs enough."""
    return min(_ratios(whole, columns), default=0.0)


def _ratios(whole: Words, columns: npt.NDArray[np.uint64]) -> Iterator[float]:
    equal = _pairs(whole)
    without = [whole - column for column in columns.T]
    one = [_pairs(words) - equal for words in without]
    for j, words in enumerate(without):
        for k in range(j):
            both = _pairs(words - columns[:, k]) - one[j] - one[k] - equal
            if min(one[j], one[k], both) >= ENOUGH:
                yield equal * both / (one[j] * one[k])


def _pairs(words: Words) -> float:
    """Ordered, of rows that are the same."""
    count = np.unique(words, return_counts=True)[1].astype(np.float64)
    return float((count * (count - 1)).sum())
