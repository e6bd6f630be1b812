"""What every command that reads a table begins with: the table, its neighbourhoods, eta."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from .. import engine, tables
from ..errors import DataError, SpecError
from ..estimators import ESTIMATORS
from ..estimators.knn import Neighbors
from ..model import Eta, Integers, Table
from ..randomness import for_audit
from . import copies, given, learnt, reporting, tries
from .settings import Settings

DEFAULT_QUERIES = 200_000
_MOST_COUNTS = 1 << 28  # kept while k is chosen, four bytes each


def read_and_estimate(
    data: str, settings: Settings, progress: engine.Progress, *, halves: bool = False, many: bool = False
) -> tuple[Table, Eta]:
    """halves: eta is also estimated without the labels of half of the rows. many: labels may have many classes."""
    if settings.eta and settings.eta_file is not None:
        raise SpecError("--eta and --eta-file exclude each other")
    options = _read_options(settings, many)
    if settings.eta:
        return given.from_columns(data, options, settings, progress)
    if settings.eta_file is not None:
        return given.from_file(data, options, settings, progress)
    [estimator] = ESTIMATORS.parse(settings.estimator)
    if not isinstance(estimator, Neighbors):  # it learns
        return learnt.estimated(data, options, estimator, settings, progress)
    return _from_neighbors(data, options, estimator, settings, progress, halves)


def _from_neighbors(
    data: str, options: tables.ReadOptions, estimator: Neighbors, settings: Settings, progress: engine.Progress,
    halves: bool,
) -> tuple[Table, Eta]:  # fmt: skip
    reporting.smoothness(settings)  # refused before the table is read
    table = tables.read(data, options, progress)
    reporting.mechanisms(settings, len(table.dataset.classes))  # refused before the search
    n = len(table.labels)
    queries, classes = queries_of(n, settings), len(table.dataset.classes)
    ks = _ks(n, settings, len(queries) * classes * (2 if halves else 1))
    reporting.check_smoothness(settings, ks[0], len(queries))
    from .. import neighbors

    grid = neighbors.count_grid(
        table.points, table.labels, classes, queries, ks=ks, recall=_recall(settings), seed=settings.seed,
        threads=settings.threads or engine.available_cores(), progress=progress,
        part=_halves(n, settings.seed) if halves else None,
    )  # fmt: skip
    said = (*table.warnings, *copies.warnings(table.dataset.classes, grid.repeats))
    return replace(table, warnings=said), estimator.chosen(grid, table.labels)


def _read_options(settings: Settings, many: bool) -> tables.ReadOptions:
    return tables.ReadOptions(
        label=settings.label, positive=settings.positive, exclude=settings.exclude, categorical=settings.categorical,
        drop_null_labels=settings.drop_null_labels, delimiter=settings.delimiter, many_classes=many,
    )  # fmt: skip


def default_k(n: int) -> int:
    """About sqrt(n): enough labels to say something, near enough to be about the same people."""
    return min(n - 1, max(30, min(tries.LARGEST, round(math.sqrt(n)))))


def _ks(n: int, settings: Settings, counts: int) -> tuple[int, ...]:
    """One where it is said, and where --smoothness makes limits wider with each neighbour: labels know nothing of that
    price, and one k alone costs no confidence. counts: how many are kept for each k."""
    if settings.k is not None:
        return (settings.k,)
    ks = tries.ks(n)
    alone = settings.smoothness is not None or len(ks) * counts > _MOST_COUNTS
    return (default_k(n),) if alone else ks


def _recall(settings: Settings) -> float:
    """A smoothness constant speaks of the nearest rows, so these must be found, not near ones."""
    return settings.recall if settings.smoothness is None else 1.0


def queries_of(n: int, settings: Settings) -> Integers:
    """The rows whose neighbours are counted: a uniform sample where not all; all rows are searched in any case."""
    wanted = DEFAULT_QUERIES if settings.queries is None else settings.queries or n
    if wanted >= n:
        return np.arange(n)
    return np.sort(for_audit(settings.seed, "queries").choice(n, wanted, replace=False, shuffle=False))


def _halves(n: int, seed: int) -> npt.NDArray[np.uint8]:
    """Which half each row is in: by lot, never by what it holds."""
    return for_audit(seed, "halves").integers(2, size=n, dtype=np.uint8)


def positive_index(table: Table) -> int:
    """The class whose probability is called eta where there are two."""
    if len(table.dataset.classes) != 2:
        raise DataError("not yet supported: more than two classes", hint="--positive VALUE audits one against the rest")
    return 1
