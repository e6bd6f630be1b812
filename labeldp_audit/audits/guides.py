"""What a mechanism may look at beside labels, made of what is public."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import AssumptionError, SpecError
from ..core.mechanism import Mechanism, Need
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.release import Guide
from ..core.remark import IDENTIFIERS, Remark
from ..core.settings import Settings
from ..core.table import Points, Table
from ..data import ReadOptions, publish, read_table
from ..data.roles import known
from ..engines.machine import available_cores
from ..estimators.boosted import Brisk
from ..estimators.contract import Lesson
from ..estimators.linear import Linear
from ..estimators.stack import Stack
from ..neighbors.clusters import clusters

Learn = Callable[[Integers, Floats, Integers], Floats]  # as Guide says

LOT = 0  # of k-means and models, which is no secret
_FINER = 8  # parts of a cluster that features tell apart
_JUDGING = 5  # one row in so many tells a model when to stop


@dataclass(frozen=True)
class Guidance:
    """What the mechanism gets, and parts of the clusters, by which the publisher learns how good they are."""

    guide: Guide
    cells: Integers | None = None
    remarks: tuple[Remark, ...] = ()


def guide_for(
    mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress
) -> Guidance:
    """Of what the mechanism needs, and nothing else."""
    classes = len(table.dataset.classes)
    if Need.CLUSTERS in mechanism.needs:
        return _clusters(mechanism, data, table, settings, options, progress)
    if Need.PRIOR in mechanism.needs:
        return Guidance(Guide(classes, prior=_prior(mechanism, data, table, settings, options)))
    if Need.LEARN in mechanism.needs:
        learn, remarks = _learner(data, classes, settings, options, progress)
        return Guidance(Guide(classes, learn=learn), remarks=remarks)
    return Guidance(Guide(classes))


def _clusters(
    mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress
) -> Guidance:
    """By a column, or as many as the mechanism's `clusters` by k-means."""
    classes = len(table.dataset.classes)
    if settings.cluster is not None:
        return Guidance(Guide(classes, clusters=_of_column(settings.cluster, data, table, options)))
    wanted = replace(options, labels_only=False, exclude=settings.exclude, categorical=settings.categorical)
    features = read_table(data, wanted, progress)
    points = features.with_points().points
    progress.stage("clustering", None, "rows")
    number, threads = int(mechanism.at()["clusters"]), settings.threads or available_cores()
    alike, finer = (clusters(points, many, LOT, threads) for many in (number, number * _FINER))
    cells = np.unique(alike * (int(finer.max()) + 1) + finer, return_inverse=True)[1].reshape(-1)
    return Guidance(Guide(classes, clusters=alike), cells, _of_identifiers(features))


def _of_identifiers(features: Table) -> tuple[Remark, ...]:
    """Rows that are alike in all else differ in them, so clusters and models are worse for them."""
    found = [one.values for one in features.remarks if one.code in IDENTIFIERS]
    named = [name for one in found for name in (one["columns"] if "columns" in one else (one["column"],))]  # type: ignore[union-attr]
    return (Remark("identifiers-guide-release", columns=list(dict.fromkeys(map(str, named)))),) if named else ()


def _of_column(name: str, data: object, table: Table, options: ReadOptions) -> Integers:
    """Rows with the same cell; those whose cell is missing are alike."""
    known("--cluster", (name,), publish.column_names(data, options))
    if name == table.dataset.label:
        raise SpecError(f"column {name!r} is the label and also named by --cluster")
    codes = publish.read_texts(data, name, options)[0]
    mine = codes if table.row_numbers is None else codes[table.row_numbers]
    return np.unique(mine, return_inverse=True)[1].reshape(-1)


def _prior(mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions) -> Floats:
    """(n, C). One that names each true label was made of these labels: what it decides would give them away."""
    if not settings.prior:
        raise SpecError(f"{mechanism.spec} needs a prior", hint="--prior COLUMN: how likely the positive class is")
    if table.dataset.label in settings.prior:
        raise SpecError(f"column {table.dataset.label!r} is the label and also named by --prior")
    prior = publish.read_probabilities(data, settings.prior, "--prior", table, options)
    if np.all(np.argmax(prior, axis=1) == table.labels) and np.count_nonzero(table.dataset.class_counts) > 1:
        raise AssumptionError(
            "the most likely class of the prior is the true label of every row",
            hint="a prior must not depend on the labels that it helps to protect",
        )
    return prior


def _learner(
    data: object, classes: int, settings: Settings, options: ReadOptions, progress: Progress
) -> tuple[Learn, tuple[Remark, ...]]:
    """A model of the features that sees no label but those it is handed. A label for each row is drawn from its soft
    one; chance of the model is no secret, so it comes from a seed."""
    wanted = replace(
        options, labels_only=False, exclude=settings.exclude, categorical=settings.categorical, columns=True,
        points=Points.NEVER,
    )  # fmt: skip
    features = read_table(data, wanted, progress)
    columns = features.columns
    assert columns is not None
    threads = settings.threads or available_cores()

    def learn(rows: Integers, soft: Floats, others: Integers) -> Floats:
        progress.stage("learning", None, "rows")
        rng = for_audit(LOT, f"a model of {len(rows)} labels")
        labels = np.zeros(len(columns.values), np.uint8)
        drawn = np.sum(rng.random(len(rows))[:, None] * soft.sum(axis=1, keepdims=True) >= soft.cumsum(axis=1), axis=1)
        labels[rows] = np.minimum(drawn, classes - 1)
        mixed = rows[rng.permutation(len(rows))]
        judges = len(mixed) // _JUDGING
        lesson = Lesson(
            columns, labels, classes, np.sort(mixed[judges:]), np.sort(mixed[:judges]), LOT, threads, others
        )
        return lesson.scores(Stack((Linear(), Brisk()))).asked

    return learn, _of_identifiers(features)
