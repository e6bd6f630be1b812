"""What every command that reads a table begins with: the table, and eta."""

from __future__ import annotations

from dataclasses import replace

from .. import engine, tables
from ..bounds import repeated_rows
from ..errors import DataError, SpecError
from ..estimators import ESTIMATORS
from ..estimators.contract import Estimator
from ..glossary import OF_TWO_CLASSES
from ..model import Eta, Table, Twins
from ..policy import Policy
from ..randomness import for_audit
from . import evidence, given, learnt, near, reporting
from .settings import Settings


def read_and_estimate(
    data: str, settings: Settings, progress: engine.Progress, *, halves: bool = False, many: bool = False
) -> tuple[Table, Eta]:
    """halves: eta is also estimated without the labels of half of the rows. many: labels may have many classes."""
    if settings.eta and settings.eta_file is not None:
        raise SpecError("--eta and --eta-file exclude each other")
    options = _read_options(settings, many)
    if settings.eta or settings.eta_file is not None:
        known = (given.from_columns if settings.eta else given.from_file)(data, options, settings, progress)
        _check_policy(settings.policy, known[0])
        return known
    estimator = _estimator(settings)
    wanted = replace(options, columns=estimator.learns or settings.explain, points=_points(estimator))
    whole = tables.read(data, wanted, progress)
    _check_policy(settings.policy, whole)
    reporting.mechanisms(settings, len(whole.dataset.classes))  # refused before anything is searched or learnt
    table = evidence.of(whole)
    if halves and settings.certify and table.told_apart:
        table = replace(table, twins=_twins(table, settings.seed))
    if estimator.learns:
        eta, said = learnt.of_table(whole, table, estimator, settings, progress, halves)
    else:
        eta, said = near.of_table(table, settings, progress, halves), ()
    return replace(table, warnings=(*table.warnings, *said)), eta


def _check_policy(policy: Policy | None, table: Table) -> None:
    """A line on what two classes alone have would be met after the audit, as not measured."""
    classes = len(table.dataset.classes)
    for line in () if policy is None or classes == 2 else policy.lines:
        if line.quantity in OF_TWO_CLASSES:
            what = f"{line.quantity} exists for a label of two classes only, and this one has {classes}"
            raise SpecError(what, line.text, hint="--positive VALUE audits one class against the rest")


def _twins(table: Table, seed: int) -> Twins:
    """By features and by lot alone: labels are looked at once the pairs are drawn."""
    assert table.fingerprints is not None
    pairs = repeated_rows.drawn(table.fingerprints, for_audit(seed, "pairs of equal rows"))
    return Twins(len(pairs.first), pairs.differ(table.labels))


def _estimator(settings: Settings) -> Estimator:
    """A smoothness constant speaks of neighbourhoods, so these are what makes sense beside it."""
    vouched = reporting.smoothness(settings) is not None
    [estimator] = ESTIMATORS.parse("knn" if vouched and settings.estimator == "auto" else settings.estimator)
    if vouched and estimator.learns:
        raise SpecError("--smoothness is about neighbourhoods of features: use --estimator knn")
    return estimator


def _points(estimator: Estimator) -> tables.Points:
    """Whoever learns needs them at a few rows at most, unless neighbourhoods turn out to be better."""
    if not estimator.learns:
        return tables.Points.NOW
    return tables.Points.LATER if estimator.looks_around else tables.Points.NEVER


def _read_options(settings: Settings, many: bool) -> tables.ReadOptions:
    return tables.ReadOptions(
        label=settings.label, positive=settings.positive, exclude=settings.exclude, categorical=settings.categorical,
        drop_null_labels=settings.drop_null_labels, delimiter=settings.delimiter, group=settings.group,
        many_classes=many, repeats=settings.repeats, records=True, seed=settings.seed,
    )  # fmt: skip


def positive_index(table: Table) -> int:
    """The class whose probability is called eta where there are two."""
    if len(table.dataset.classes) != 2:
        raise DataError("not yet supported: more than two classes", hint="--positive VALUE audits one against the rest")
    return 1
