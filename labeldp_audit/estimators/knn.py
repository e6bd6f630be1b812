"""eta(x) as the label frequencies among the nearest neighbours, the row itself left out (001, section 3).

It converges to eta slowly in many dimensions: a neighbourhood averages over people whose eta differ. Without
--k several are tried, by factors of about two, and the labels choose between them: too few neighbours know little, too
many are not alike, and where the least of both lies depends on the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import measure_smoothness
from ..core.arrays import Floats, Integers
from ..core.budget import RADII_SHARE
from ..core.errors import SpecError
from ..core.eta import Eta, Neighborhoods
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.remark import UNLIKE, Remark
from ..core.settings import INDEXES, Settings
from ..core.table import Table
from ..engines.machine import ENCODED, available_cores, check_memory
from .comparison import losses, ranked, smoothed
from .contract import Estimator, Labels, Task, Told

if TYPE_CHECKING:
    from ..neighbors import Graph, Grid

NAME = "knn"
DEFAULT_QUERIES = 200_000
LARGEST = 10_000
MOST_COUNTS = 1 << 28  # kept while k is chosen, four bytes each
_USUAL = 30  # fewer say little about anybody
_CLEARLY = 3.0  # standard errors by which fewer neighbours guess better


@dataclass(frozen=True)
class Neighbors(Estimator):
    name: ClassVar[str] = NAME
    example: ClassVar[str] = NAME
    advice: ClassVar[str] = "use --k, --recall and --queries"
    index: str | None = None  # of FAISS; None: the scan
    graph: Graph | None = field(default=None, compare=False)

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Neighbors:
        index = fields.get("index")
        if {*fields} - {"index"} or index not in (None, *INDEXES):
            raise SpecError(f"{cls.name} has one parameter: index={'|'.join(INDEXES)}", hint=cls.advice)
        return cls(index)

    def suited(self, settings: Settings) -> Estimator:
        return self

    def estimate(self, task: Task) -> Told:
        if self.graph is not None:
            return _in_graph(self.graph, task)
        table, settings = task.table, task.settings
        n, classes = len(table.labels), len(table.dataset.classes)
        queries = queries_of(n, settings)
        ks = ks_of(n, settings, len(queries) * classes * (2 if task.halves else 1))
        if settings.smoothness is not None:  # met before the search, which may be long
            measure_smoothness.check(ks[0], len(queries), RADII_SHARE * (1 - settings.confidence))
        halves = halves_of(n, settings) if task.halves else None
        beside = ks_beside(n, settings)
        grid = _counted(table, queries, (*beside, *ks), settings, task.progress, halves, self.index)
        eta, said = _eta_of_grid(grid, len(beside), table.labels)
        return eta if self.index is None else replace(eta, estimator=f"{NAME}:index={self.index}"), said


def glimpse(table: Table, rows: Integers, settings: Settings, progress: Progress) -> Eta:
    """At a few rows, to see whether neighbourhoods are worth it."""
    ks = ks_of(len(table.labels), settings, 0)
    return chosen(_counted(table, rows, ks, settings, progress, None), table.labels)


def _counted(
    table: Table, rows: Integers, ks: tuple[int, ...], settings: Settings, progress: Progress,
    part: npt.NDArray[np.uint8] | None, index: str | None = None,
) -> Grid:  # fmt: skip
    from .. import neighbors

    check_memory(4 * len(table.labels) * table.width, ENCODED)
    # A smoothness constant speaks of the nearest rows, so these must be found, not near ones.
    recall = settings.recall if settings.smoothness is None else 1.0
    count = neighbors.count_grid if index is None else partial(neighbors.count_with_index, index)
    return count(
        table.points, table.labels, len(table.dataset.classes), rows, ks=ks, recall=recall,
        seed=settings.seed, threads=settings.threads or available_cores(), progress=progress, part=part,
    )  # fmt: skip


def _in_graph(graph: Graph, task: Task) -> Told:
    """Count the labels of the rows that judge among the neighbours that the graph lists."""
    from .. import neighbors

    whole, table, settings = task.whole, task.table, task.settings
    n, k = len(table.labels), settings.k or graph.k
    if k > graph.k:
        what = f"the graph has {graph.k:,} neighbours of each row, and --k asks for {k:,}"
        raise SpecError(what, hint=f"labeldp-audit graph --k {k}")
    if settings.smoothness is not None:
        if graph.recall_low < 1 or whole.judges is not None:
            raise SpecError(
                "--smoothness needs the nearest rows", hint="a graph with --index exact and without --group"
            )
        measure_smoothness.check(k, n, RADII_SHARE * (1 - settings.confidence))
    judges = np.arange(n) if whole.judges is None else whole.judges
    part = halves_of(n, settings) if task.halves else None
    beside = ks_beside(n, replace(settings, k=k))
    grid = neighbors.count_in_graph(
        graph, table.labels, len(table.dataset.classes), judges, queries_of(n, settings), ks=(*beside, k), part=part
    )
    eta, said = _eta_of_grid(grid, len(beside), table.labels)
    assert eta.counts is not None
    if whole.judges is not None:  # so many neighbours judge, of a row in the middle
        eta = replace(eta, k=max(1, int(np.median(eta.counts.sum(axis=1)))))
    return eta, said


def _eta_of_grid(grid: Grid, beside: int, labels: Labels) -> Told:
    """Return eta by all k but the first `beside`, and whether labels refute that so many neighbours are alike."""
    said = check_alike(grid.at(0), grid.at(1), labels) if beside else ()
    return chosen(islice(grid, beside, None), labels), said


# ---- which rows are asked, and among how many neighbours


def queries_of(n: int, settings: Settings) -> Integers:
    """A uniform sample where not all; every row stays a possible neighbour in any case."""
    wanted = DEFAULT_QUERIES if settings.queries is None else settings.queries or n
    if wanted >= n:
        return np.arange(n)
    return np.sort(for_audit(settings.seed, "queries").choice(n, wanted, replace=False, shuffle=False))


def halves_of(n: int, settings: Settings) -> npt.NDArray[np.uint8]:
    return for_audit(settings.seed, "halves").integers(2, size=n, dtype=np.uint8)


def default_k(n: int) -> int:
    """About sqrt(n): enough labels to say something, near enough to be about the same people."""
    return min(n - 1, max(_USUAL, min(LARGEST, round(math.sqrt(n)))))


def ks(n: int) -> tuple[int, ...]:
    """Those that are tried: from about 30, or sqrt(n) where that is less, to about 4 sqrt(n)."""
    root = math.sqrt(n)
    least, most = min(n - 1, _USUAL, round(root)), min(n - 1, LARGEST, round(4 * root))
    steps = max(1, round(math.log2(most / least)))
    return tuple(np.unique(np.round(np.geomspace(least, most, steps + 1)).astype(int)).tolist())


def ks_of(n: int, settings: Settings, counts: int) -> tuple[int, ...]:
    """One where it is said, and where --smoothness makes limits wider with each neighbour: labels know nothing of that
    price, and one k alone costs no confidence. counts: how many are kept for each k."""
    if settings.k is not None:
        return (settings.k,)
    tried = ks(n)
    alone = settings.smoothness is not None or len(tried) * counts > MOST_COUNTS
    return (default_k(n),) if alone else tried


def ks_beside(n: int, settings: Settings) -> tuple[int, ...]:
    """The most that would be tried, where more are asked for: so many may be people of all kinds. What --smoothness
    vouches for covers that."""
    most = ks(n)[-1]
    return (most,) if settings.k is not None and settings.k > most and settings.smoothness is None else ()


def check_alike(fewer: Neighborhoods, more: Neighborhoods, labels: Labels) -> tuple[Remark, ...]:
    """Return a remark where smaller neighbourhoods tell people apart: limits of averages then say nothing of people."""
    own = labels[more.rows]
    of_more, of_fewer = (losses(smoothed(one.counts), own) for one in (more, fewer))
    behind = of_more - of_fewer
    if behind.mean() <= _CLEARLY * behind.std() / math.sqrt(len(behind)):
        return ()
    lost = {"log_loss": float(of_more.mean()), "less": float(behind.mean())}
    return (Remark(UNLIKE, k=more.k, fewer=fewer.k, **lost),)


# ---- from counts to eta; labels (n,) of the whole table: those of the queries judge, and no count holds them


def chosen(grid: Iterable[Neighborhoods], labels: Labels) -> Eta:
    """By the k that guesses the queries' own labels best. Grids are handed out one by one: only the best so far is
    kept."""
    lost: dict[int, Floats] = {}
    best: Neighborhoods | None = None
    for near in grid:
        lost[near.k] = losses(smoothed(near.counts), labels[near.rows])
        if best is None or lost[near.k].mean() < lost[best.k].mean():
            best = near
    assert best is not None
    eta = frequencies(best, labels)
    if len(lost) == 1:
        return eta
    return replace(eta, tried=ranked({(NAME, k): one for k, one in lost.items()}), choices=len(lost))


def frequencies(near: Neighborhoods, labels: Labels) -> Eta:
    """Frequencies of the classes among the neighbours of each query; among all rows where it has none."""
    found, shares = near.counts.sum(axis=1, keepdims=True), np.bincount(labels, minlength=near.counts.shape[1])
    return Eta(
        probability=np.where(found > 0, near.counts / np.maximum(found, 1), shares / len(labels)),
        counts=near.counts, rows=near.rows,
        k=near.k, n=near.n, estimator=NAME,
        log_loss=float(losses(smoothed(near.counts), labels[near.rows]).mean()),
        exact=near.exact, recall=near.recall, recall_low=near.recall_low,
        radius=near.radius, part=near.part, unseen=None if near.other is None else smoothed(near.other),
    )  # fmt: skip
