"""Rows that are equal in every column: different people who look alike, or the same record twice?

Whoever counts copies as people takes chance for knowledge, so where coincidence does not explain equal rows, no limit
is given until somebody says what they are. Coincidence is refuted in three ways.

Odds (odds.py). Where people agree by chance too, rows that were drawn again agree more often than columns two by two.

Counts (multiples.py). Numbers of equal rows that independent draws do not give, in all columns or in all but one.

Company. Different people who agree in every column stand beside others who agree in all but one, and beside equal rows
with another label. Rows that were drawn again at random stand alone: hardly a row differs from them in one column
alone, though columns tell people apart, and their labels never differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.errors import DataError
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.remark import LEFT_OUT, ONE_EACH, REFUTED, UNANSWERED, Remark
from ..core.table import Table
from . import ReadOptions, scan
from .fingerprints import Words
from .multiples import Repeated, but_one, in_class, material, most_repeated, plausible
from .odds import drawn_again
from .records import Records, read_cells, read_records
from .roles import Roles
from .sources.batches import rows_per_batch
from .sources.contract import Source

CellsOf = Callable[[Integers], npt.NDArray[np.uint64]]
"""rows -> (rows, columns) words of all columns but the label."""

PEOPLE, COPIES = "people", "copies"  # what --repeats may say
SAMPLED, CELLS = 50_000, 4_000_000  # rows whose columns are left out one by one, at most, and cells of theirs
REPEATED, GENERAL = 2000, 10_000  # rows whose company is looked for, and among which
ALONE = 1.0  # rows in which one column differs, for each that is equal: fewer are no company
TELLING = 5.0  # of them are to be expected where columns are independent; where not, equal rows are no wonder
NAMES = 0.1  # of the rows have values of their own, where the only column there is tells people apart
GLUED = 0.1  # of the unequal labels to be expected beside equal features


def look(
    words: Words, features: Words, labels: npt.NDArray[np.integer], cells: CellsOf, rng: np.random.Generator
) -> Repeated | None:
    """The class whose rows are most clearly copies; None where coincidence explains them all.

    words (n,): the same where rows are; features (n,): the same where all but the label are.
    """
    number, size = np.unique(words, return_inverse=True, return_counts=True)[1:]
    found = []
    for label in range(int(labels.max()) + 1):
        mine = np.flatnonzero(labels == label)
        records = np.unique(number[mine])
        rows = len(mine) - len(records)
        if not material(rows, len(mine)):
            continue
        surely = not plausible(size[records])
        if surely or _alone(mine, size[number[mine]], features, labels, label, cells, rng):
            found.append(Repeated(label, rows, len(mine), surely))
    return max(found, key=lambda one: (one.surely, one.rows / one.of), default=None)


# ---- company


def _alone(
    mine: Integers, size: Integers, features: Words, labels: npt.NDArray[np.integer], label: int, cells: CellsOf,
    rng: np.random.Generator,
) -> bool:  # fmt: skip
    """Do rows of a class repeat where neither labels nor columns leave room for coincidence?

    mine (m,): the rows of the class; size (m,): how often each of them is there.
    """
    if not _glued(features, labels, label):
        return False
    repeated = _some(mine[size > 1], REPEATED, rng)
    general = _some(mine, GENERAL, rng)
    rows = np.union1d(repeated, general)
    found = cells(rows)
    if found.shape[1] < 2:
        return len(np.unique(features)) > NAMES * len(features)
    here, there = (found[np.searchsorted(rows, some)] for some in (repeated, general))
    equal = float((size[np.searchsorted(mine, repeated)] - 1).sum())
    near = _differ_in_one(here, there) * len(mine) / len(general)
    return near < ALONE * equal and _to_be_expected(there) > TELLING


def _some(rows: Integers, most: int, rng: np.random.Generator) -> Integers:
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _glued(features: Words, labels: npt.NDArray[np.integer], label: int) -> bool:
    """Whether labels beside equal features hardly ever differ from this one."""
    number = np.unique(features, return_inverse=True)[1]
    rows = np.bincount(number).astype(np.float64)
    alike = np.bincount(number, labels == label)
    share = float(np.mean(labels == label))
    other = (1 - share) / share  # rows of other labels to be expected for each of this one
    several = alike > 1
    expected = float((alike[several] * (alike[several] - 1)).sum()) * other
    seen = float((alike[several] * (rows - alike)[several]).sum())
    return seen <= GLUED * expected


def _differ_in_one(here: npt.NDArray[np.uint64], there: npt.NDArray[np.uint64]) -> float:
    """Pairs of a row here and one there that differ in a single column."""
    whole, other = here.sum(axis=1, dtype=np.uint64), there.sum(axis=1, dtype=np.uint64)
    equal = _matches(whole, other)
    return float(sum(_matches(whole - a, other - b) - equal for a, b in zip(here.T, there.T, strict=True)))


def _matches(here: Words, there: Words) -> int:
    values, count = np.unique(there, return_counts=True)
    place = np.minimum(np.searchsorted(values, here), len(values) - 1)
    return int(count[place][values[place] == here].sum())


def _to_be_expected(there: npt.NDArray[np.uint64]) -> float:
    """Rows that differ in one column for each equal one, were columns independent: the sum of 1 / c - 1 over columns
    in which two rows agree with probability c."""
    agree = [_agreeing(column) for column in there.T]
    return float(sum(1 / max(share, 1 / len(there) ** 2) - 1 for share in agree))


def _agreeing(column: Words) -> float:
    count = np.unique(column, return_counts=True)[1].astype(np.float64)
    n = len(column)
    return float((count * (count - 1)).sum() / max(1, n * (n - 1)))


# ---- whose rows are left, and which of them judge


def settled(
    table: Table, source: Source, roles: Roles, options: ReadOptions, progress: Progress
) -> Table:  # fmt: skip
    """The table without copies, where they are some, and with the rows that judge: one of each person."""
    size = rows_per_batch(len(source.names()))
    rows = _judges(table, options.seed)
    rows = np.arange(len(table.labels)) if rows is None else rows
    most = min(SAMPLED, CELLS // len(source.names()))
    sample = _some(rows, most, for_audit(options.seed, "rows whose columns are left out"))
    records = _read(source, roles, len(table.labels), sample, size, progress)
    found, words = _found(records, rows, table, source, roles, options, size)
    table = replace(table, remarks=(*table.remarks, *_doubts(found, table.dataset.classes, options.repeats)))
    if options.repeats == COPIES or (found is not None and options.repeats is None):
        table = _without_copies(table, records.whole if found is None else words, found)
    judges = _judges(table, options.seed)
    if judges is None:
        return table
    said = Remark(ONE_EACH, {"people": len(judges), "rows": len(table.labels)})
    return replace(table, judges=judges, remarks=(*table.remarks, said))


def _read(
    source: Source, roles: Roles, used: int, sample: Integers, size: int, progress: Progress
) -> Records:  # fmt: skip
    """Reads all columns; excluded ones are skipped where they cannot be read, as nobody asked for them."""
    names = tuple(source.names())

    def of(names: tuple[str, ...]) -> Records:
        """Columns that were no features are read for the first time, and may turn out to be wider than they began."""
        told = source, names, roles.label, roles.group, used, sample, size, progress
        return scan.settled(partial(read_records, *told))

    try:
        return of(names)
    except DataError:
        return of(tuple(name for name in names if name not in roles.excluded))


def _found(
    records: Records, rows: Integers, table: Table, source: Source, roles: Roles, options: ReadOptions, size: int
) -> tuple[Repeated | None, Words]:
    """What is clearest among `rows`, and the words by which rows are copies then."""
    found = look(
        records.words[rows], records.features[rows], table.labels[rows],
        lambda some: read_cells(source, roles.label, records.columns, rows[some], size),
        for_audit(options.seed, "company of equal rows"),
    )  # fmt: skip
    if found is not None and found.surely:
        return found, records.words
    sample = records.sample
    near = but_one(records.words[sample], records.cells, table.labels[sample])
    if near is None and found is None:
        lot = for_audit(options.seed, "rows drawn again")
        again = drawn_again(records.words[sample], records.cells, records.label[sample], lot)
        return most_repeated(records.words[rows], table.labels[rows]) if again else None, records.words
    if near is None:
        return found, records.words
    label, name = near[0], records.columns[near[1]]
    words = records.words - read_cells(source, roles.label, (name,), np.arange(len(table.labels)), size)[:, 0]
    without = in_class(words[rows], table.labels[rows], label, name)
    return (without, words) if material(without.rows, without.of) else (found, records.words)


def _doubts(found: Repeated | None, classes: tuple[str, ...], answer: str | None) -> Iterator[Remark]:
    if found is None or answer == COPIES or (answer == PEOPLE and not found.surely):
        return
    values: dict[str, str | int | float] = {"label": classes[found.label], "rows": found.rows, "of": found.of}
    yield Remark(UNANSWERED if answer is None else REFUTED, values | {"but": found.but or ""})


def _without_copies(table: Table, words: Words, found: Repeated | None) -> Table:
    """With one row of each record."""
    first = np.sort(np.unique(words, return_index=True)[1])
    if len(first) == len(words):
        return table
    but = (found and found.but) or ""
    said = Remark(LEFT_OUT, {"rows": len(words) - len(first), "of": len(words), "but": but})
    return replace(table.at(first), remarks=(*table.remarks, said))


def _judges(table: Table, seed: int) -> Integers | None:
    """One row of each person, by lot; None where each row is somebody's only one."""
    if table.groups is None:
        return None
    lot = for_audit(seed, "one row of each person").permutation(len(table.groups))
    return np.sort(lot[np.unique(table.groups[lot], return_index=True)[1]])
