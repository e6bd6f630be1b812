"""What a mechanism may look at beside labels, made of what is public. No refusal depends on a true label: whoever saw
it would learn of that label."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import AssumptionError, DataError, SpecError
from ..core.mechanism import Mechanism, Need
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.release import Guide
from ..core.remark import IDENTIFIERS, Remark
from ..core.settings import Settings
from ..core.table import Table
from ..data import ReadOptions, publish, read_table, unchanged
from ..data.records import records
from ..data.roles import known
from ..engines.machine import ENCODED, available_cores, check_memory
from ..estimators.boosted import Brisk
from ..estimators.contract import Lesson
from ..estimators.linear import Linear
from ..estimators.stack import Stack
from ..neighbors.clusters import clusters

Learn = Callable[[Integers, Floats, Integers], Floats]  # as Guide says

LOT = 0  # of k-means and models, which is no secret
STACK = Stack((Linear(), Brisk()))
_FINER = 8  # parts of a cluster that features tell apart
_JUDGING = 5  # one row in so many tells a model when to stop
_FEWEST = 200  # other rows that make a prior
OTHERS = (
    "the prior is of a model of other rows, whose labels no epsilon here protects; nobody is in both tables: rows with "
    "the same features, or of the same person by --group, were left out of the model, and whoever stands in both with "
    "other features was not found"
)


@dataclass(frozen=True)
class Guidance:
    """What the mechanism gets, and parts of the clusters, by which the publisher learns how good they are."""

    guide: Guide
    cells: Integers | None = None
    told: Mapping[str, Any] = field(default_factory=dict)  # what the manifest tells of where it comes from
    remarks: tuple[Remark, ...] = ()


def guide_for(
    mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress
) -> Guidance:
    """Of what the mechanism needs, and nothing else."""
    classes = len(table.dataset.classes)
    if Need.CLUSTERS in mechanism.needs:
        return _clusters(mechanism, data, table, settings, options, progress)
    if Need.PRIOR in mechanism.needs:
        if settings.prior_from is not None:
            with unchanged(data, settings.prior_from):
                return _of_others(data, table, settings, options, progress)
        prior = _prior(mechanism, data, table, settings, options)
        return Guidance(Guide(classes, prior=prior), told={"prior": list(settings.prior)})
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
        alike = _of_column(settings.cluster, data, table, options)
        return Guidance(Guide(classes, clusters=alike), told={"cluster": settings.cluster})
    wanted = replace(options, labels_only=False, exclude=settings.exclude, categorical=settings.categorical)
    features = read_table(data, wanted, progress)
    order, back = _order_by_features(features)
    check_memory(4 * len(order) * features.width, ENCODED)
    points = features.points[order]
    progress.stage("clustering", None, "rows")
    number, threads = int(mechanism.at()["clusters"]), settings.threads or available_cores()
    alike, finer = (clusters(points, many, LOT, threads)[back] for many in (number, number * _FINER))
    cells = np.unique(alike * (int(finer.max()) + 1) + finer, return_inverse=True)[1].reshape(-1)
    return Guidance(Guide(classes, clusters=alike), cells, remarks=_of_identifiers(features))


def _order_by_features(features: Table) -> tuple[Integers, Integers]:
    """Return an order of the rows, and the place of each row in it, that do not depend on the order of the file: that
    may depend on labels, and so would clusters and models."""
    assert features.fingerprints is not None
    order = np.argsort(features.fingerprints, kind="stable")
    return order, np.argsort(order, kind="stable")


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
    return np.unique(codes[table.numbers], return_inverse=True)[1].reshape(-1)


def _prior(mechanism: Mechanism, data: object, table: Table, settings: Settings, options: ReadOptions) -> Floats:
    """(n, C). One that is certain of every row holds labels, whose ever: what it decides would give them away."""
    if not settings.prior:
        hint = "--prior COLUMN: how likely the positive class is; or --prior-from FILE: other rows with labels"
        raise SpecError(f"{mechanism.spec} needs a prior", hint=hint)
    if table.dataset.label in settings.prior:
        raise SpecError(f"column {table.dataset.label!r} is the label and also named by --prior")
    prior = publish.read_probabilities(data, settings.prior, "--prior", table, options)
    if np.all(prior.max(axis=1) == 1):
        raise AssumptionError(
            "the prior is certain of every row, as labels are",
            hint="a prior must not depend on the labels that it helps to protect",
        )
    return prior


def _of_others(data: object, table: Table, settings: Settings, options: ReadOptions, progress: Progress) -> Guidance:
    """By a model of other rows. Those that may be of the same people teach it nothing: their labels are protected."""
    if settings.prior:
        raise SpecError("--prior and --prior-from are two priors", hint="name one of them")
    theirs, dataset = settings.prior_from, table.dataset
    other = read_table(theirs, replace(options, label=dataset.label, drop_null_labels=True), progress)
    unknown = set(other.dataset.classes) - set(dataset.classes)
    if unknown:
        raise DataError(f"--prior-from has {len(unknown)} classes that the table does not have", other.dataset.name)
    names = [name for name in publish.column_names(data, options) if name not in (dataset.label, *settings.exclude)]
    categorical = tuple(name for name in settings.categorical if name in names)
    both, first = publish.read_both(theirs, data, names, dataset.label, replace(options, categorical=categorical))
    labelled = other.numbers
    alone = ~_copies(both, first, dataset.label, settings.group, options)[labelled]
    rows, labels = labelled[alone], other.labels[alone]
    if len(rows) < _FEWEST:
        what = f"--prior-from has {len(rows)} rows with a label that are not in the table, fewer than {_FEWEST}"
        raise AssumptionError(what, other.dataset.name, hint="rows of other people, with the same columns")
    mine = first + table.numbers
    read = replace(options, label=dataset.label, positive=None)
    model, remarks = _model(both, replace(settings, exclude=(), categorical=categorical), read, progress)
    progress.stage("learning", None, "rows")
    code = np.array([dataset.classes.index(name) for name in other.dataset.classes])
    lot = for_audit(LOT, "a model of other rows").permutation(len(rows))
    prior = model(rows[lot], code[labels[lot]], len(dataset.classes), mine)
    told = {"rows": len(rows), "left_out": len(labelled) - len(rows), "assumptions": [OTHERS]}
    return Guidance(Guide(len(dataset.classes), prior=prior), told={"prior_from": told}, remarks=remarks)


def _copies(both: object, first: int, label: str, group: str | None, options: ReadOptions) -> npt.NDArray[np.bool_]:
    """(first,) which of the first rows have the features, or are of a person, of one of the others."""
    names = {*publish.column_names(both, options)}
    parts = [names - {label, group}, *([] if group is None else [{group}])]
    every = [records(both, columns, options, rounded=True).hashes for columns in parts]
    found = [np.isin(one[:first], one[first:]) for one in every]
    return np.asarray(np.any(found, axis=0))


def _learner(
    data: object, classes: int, settings: Settings, options: ReadOptions, progress: Progress
) -> tuple[Learn, tuple[Remark, ...]]:
    """A model of the features that sees no label but those it is handed. A label for each row is drawn from its soft
    one; chance of the model is no secret, so it comes from a seed."""
    model, remarks = _model(data, settings, options, progress)

    def learn(rows: Integers, soft: Floats, others: Integers) -> Floats:
        progress.stage("learning", None, "rows")
        rng = for_audit(LOT, f"a model of {len(rows)} labels")
        drawn = np.sum(rng.random(len(rows))[:, None] * soft.sum(axis=1, keepdims=True) >= soft.cumsum(axis=1), axis=1)
        mixed = rng.permutation(len(rows))
        return model(rows[mixed], np.minimum(drawn, classes - 1)[mixed], classes, others)

    return learn, remarks


def _model(
    data: object, settings: Settings, options: ReadOptions, progress: Progress
) -> tuple[Callable[[Integers, Integers, int, Integers], Floats], tuple[Remark, ...]]:
    """(rows in a random order, their labels, classes, others) -> (others, C), and what was noticed of the features."""
    wanted = replace(options, labels_only=False, exclude=settings.exclude, categorical=settings.categorical)
    features = read_table(data, wanted, progress)
    assert features.columns is not None
    order, place = _order_by_features(features)
    columns, threads = features.columns.at(order), settings.threads or available_cores()

    def scores(rows: Integers, said: Integers, classes: int, others: Integers) -> Floats:
        labels, judges = np.zeros(len(columns.values), np.uint8), len(rows) // _JUDGING
        labels[place[rows]] = said
        learn, judge = np.sort(place[rows[judges:]]), np.sort(place[rows[:judges]])
        return Lesson(columns, labels, classes, learn, judge, LOT, threads, place[others]).scores(STACK).asked

    return scores, _of_identifiers(features)
