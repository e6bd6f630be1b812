"""Are rows that are equal in every column different people who look alike, or the same record twice?

Coincidence is refuted in three ways.

Counts: numbers of equal rows that independent draws do not give, whatever people are like: tables written several
times. However people are distributed, a record of probability q is there about Poisson(n q) times. So if f_j records
are there j times, (j! E f_j)^2 <= (j - 1)! E f_{j-1} (j + 1)! E f_{j+1} (Cauchy-Schwarz over records): among f_{j-1},
f_j, f_{j+1} the middle cannot stand out. In a table written three times, or twice in a third of its rows, it does.
Whatever is read off each row by itself is an independent draw too, so it holds of rows without any one column: copies
that a `source`, a `wave` or a little noise tells apart are seen. And of a uniform sample of rows.

Company: different people who agree in every column stand beside others who agree in all but one, and beside equal
rows with another label. Rows that were drawn again at random stand alone: hardly a row differs from them in one
column alone, though columns tell people apart, and their labels never differ.

Odds: do rows agree in every column more often than their columns, two by two, would make them? Of E pairs of equal
rows, N_j that differ in column j alone, and N_jk in exactly j and k, E N_jk / (N_j N_k) is about 1 where j and k vary
independently given all others. Rows that were drawn several times add to E alone, so it is large for every two
columns, the label among them. Crowds in one place raise it too, where people are many; so it is asked of all rows,
and of those without records that are there often.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from .levels import Words

Labels = npt.NDArray[np.integer]
Cells = npt.NDArray[np.uint64]
"""(rows, columns) words: what each column adds to that of the row."""

FEWEST = 10  # rows beyond the first of each record, and
MATERIAL = 0.005  # as a share of their class: fewer change nothing
IMPLAUSIBLE = 40.0  # twice a difference in log-likelihood: one table in about a thousand million has more
LONGEST = 400  # counts of a record that are looked at
REPEATED, GENERAL = 2000, 10_000  # rows whose company is looked for, and among which
ALONE = 1.0  # rows in which one column differs, for each that is equal: fewer are no company
TELLING = 5.0  # of them are to be expected where columns are independent; where not, equal rows are no wonder
NAMES = 0.1  # of the rows have values of their own, where the only column there is tells people apart
GLUED = 0.1  # of the unequal labels to be expected beside equal features
ROWS, COLUMNS = 20_000, 12  # that odds look at, at most: those columns that tell most
ENOUGH = 20.0  # ordered pairs of each sort
HIGH = 3.0  # in simulations people whose columns depend on each other came to 2.1 in the least of the three
CROWD = 20  # rows of a record


@dataclass(frozen=True)
class Repeated:
    """How often rows repeat in one class of the label."""

    label: int
    rows: int  # beyond the first of each record
    of: int  # rows of the class
    surely: bool  # by counts that independent draws do not give, whatever people are like
    but: str | None = None  # the column in which they may differ

    @property
    def material(self) -> bool:
        return self.rows >= max(FEWEST, MATERIAL * self.of)


def in_class(words: Words, labels: Labels, label: int, surely: bool, but: str | None = None) -> Repeated:
    """words (n,): the same where rows are, but for one column."""
    mine = words[labels == label]
    return Repeated(label, len(mine) - len(np.unique(mine)), len(mine), surely, but)


def most_repeated(words: Words, labels: Labels) -> Repeated | None:
    """The class whose rows repeat most, people or not; None where none repeats enough to matter."""
    found = (in_class(words, labels, label, surely=False) for label in np.unique(labels).tolist())
    return max((one for one in found if one.material), key=lambda one: one.rows / one.of, default=None)


def look(
    words: Words, features: Words, labels: Labels, cells: Callable[[Integers], Cells], rng: np.random.Generator
) -> Repeated | None:
    """The class whose rows are most clearly copies, by counts or company; None where coincidence explains them all.

    words (n,): the same where rows are; features (n,): the same where all but the label are; cells: of some rows.
    """
    number, size = np.unique(words, return_inverse=True, return_counts=True)[1:]
    found = []
    for label in range(int(labels.max()) + 1):
        mine = np.flatnonzero(labels == label)
        records = np.unique(number[mine])
        surely = not plausible(size[records])
        one = Repeated(label, len(mine) - len(records), len(mine), surely)
        if one.material and (surely or _alone(mine, size[number[mine]], features, labels, label, cells, rng)):
            found.append(one)
    return max(found, key=lambda one: (one.surely, one.rows / one.of), default=None)


# ---- counts


def but_one(words: Words, cells: Cells, labels: Labels) -> tuple[int, int] | None:
    """The class, and the column without which its rows repeat most, where in numbers that no people come in."""
    found = []
    for label in np.unique(labels).tolist():
        mine = labels == label
        for j, column in enumerate(cells[mine].T):
            counts = np.unique(words[mine] - column, return_counts=True)[1]
            if len(column) - len(counts) >= FEWEST and not plausible(counts):
                found.append((1 - len(counts) / len(column), label, j))
    return max(found)[1:] if found else None


def plausible(counts: Integers) -> bool:
    """Whether different people can be there so often; counts (records,)."""
    often = np.bincount(np.minimum(counts, LONGEST + 2), minlength=LONGEST + 3)
    there = np.flatnonzero(often[: LONGEST + 1]).tolist()
    return all(excess(often[j - 1 : j + 2], j) < IMPLAUSIBLE for j in there if j >= 2)


def excess(often: Integers, j: int) -> float:
    """How much the middle of three neighbours stands out: twice the log-likelihood that it costs to take them for
    Poisson with any one rate, which is where the middle is largest; 0 where it does not stand out.

    often (3,): records that are there j - 1, j and j + 1 times.
    """
    below, at, above = often.astype(float).tolist()
    if at**2 * j <= below * above * (j + 1):
        return 0.0
    # The likeliest rate makes above - below what it is among the three, which is a quadratic equation.
    move = (above - below) / (below + at + above)
    a, c = (1 - move) / (j + 1), -(1 + move) * j
    rate = (move + np.sqrt(move**2 - 4 * a * c)) / (2 * a) if a > 0 else np.inf
    rate = float(np.clip(rate, 1e-9 * j, 1e9 * j))
    share = np.array([j / rate, 1.0, rate / (j + 1)])
    share /= share.sum()
    seen = np.array([below, at, above])
    some = seen > 0
    return float(2 * (seen[some] @ np.log(seen[some] / seen.sum() / share[some])))


# ---- company


def _alone(
    mine: Integers, size: Integers, features: Words, labels: Labels, label: int, cells: Callable[[Integers], Cells],
    rng: np.random.Generator,
) -> bool:  # fmt: skip
    """Do rows of a class repeat where neither labels nor columns leave room for coincidence?

    mine (m,): the rows of the class; size (m,): how often each of them is there.
    """
    if not _glued(features, labels == label):
        return False
    repeated, general = some_of(mine[size > 1], REPEATED, rng), some_of(mine, GENERAL, rng)
    rows = np.union1d(repeated, general)
    found = cells(rows)
    if found.shape[1] < 2:
        return len(np.unique(features)) > NAMES * len(features)
    here, there = (found[np.searchsorted(rows, some)] for some in (repeated, general))
    equal = float((size[np.searchsorted(mine, repeated)] - 1).sum())
    near = _differ_in_one(here, there) * len(mine) / len(general)
    # Were columns independent, there would be the sum of 1 / c - 1 of them for each equal row, over columns in which
    # two rows agree with probability c.
    n = len(there)
    agree = (max(_pairs(column) / max(1, n * (n - 1)), 1 / n**2) for column in there.T)
    return near < ALONE * equal and sum(1 / share - 1 for share in agree) > TELLING


def some_of(rows: Integers, most: int, rng: np.random.Generator) -> Integers:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _glued(features: Words, mine: npt.NDArray[np.bool_]) -> bool:
    """Whether labels beside equal features hardly ever differ from those of `mine`."""
    number = np.unique(features, return_inverse=True)[1]
    rows = np.bincount(number).astype(np.float64)
    alike = np.bincount(number, mine)
    share = float(np.mean(mine))
    other = (1 - share) / share  # rows of other labels to be expected for each of this one
    several = alike > 1
    expected = float((alike[several] * (alike[several] - 1)).sum()) * other
    seen = float((alike[several] * (rows - alike)[several]).sum())
    return seen <= GLUED * expected


def _differ_in_one(here: Cells, there: Cells) -> float:
    """Pairs of a row here and one there that differ in a single column."""

    def matches(here: Words, there: Words) -> int:
        values, count = np.unique(there, return_counts=True)
        place = np.minimum(np.searchsorted(values, here), len(values) - 1)
        return int(count[place][values[place] == here].sum())

    whole, other = here.sum(axis=1, dtype=np.uint64), there.sum(axis=1, dtype=np.uint64)
    equal = matches(whole, other)
    return float(sum(matches(whole - a, other - b) - equal for a, b in zip(here.T, there.T, strict=True)))


# ---- odds


def drawn_again(words: Words, cells: Cells, label: Words, rng: np.random.Generator) -> bool:
    """words (m,): of whole rows; label (m,): what the label adds to them."""
    some = rng.permutation(len(words))[:ROWS]
    whole = words[some]
    telling = np.argsort([_pairs(column) for column in cells[some].T], kind="stable")[:COLUMNS]
    columns = np.column_stack([label[some], cells[np.ix_(some, telling)]])
    number, size = np.unique(whole, return_inverse=True, return_counts=True)[1:]
    often = size[number]
    parts = (often > 0, often <= CROWD, often <= 2 * np.median(often))
    return all(_least_ratio(whole[part], columns[part]) > HIGH for part in parts)


def _least_ratio(whole: Words, columns: Cells) -> float:
    """Over pairs of columns; 0 where no two have pairs enough."""
    equal, found = _pairs(whole), []
    without = [whole - column for column in columns.T]
    one = [_pairs(words) - equal for words in without]
    for j, words in enumerate(without):
        for k in range(j):
            both = _pairs(words - columns[:, k]) - one[j] - one[k] - equal
            if min(one[j], one[k], both) >= ENOUGH:
                found.append(equal * both / (one[j] * one[k]))
    return min(found, default=0.0)


def _pairs(words: Words) -> float:
    """Ordered, of rows that are the same."""
    count = np.unique(words, return_counts=True)[1].astype(np.float64)
    return float((count * (count - 1)).sum())
