"""What the reports of commands have in common: parameters, eta in short, and remarks, most of them about how far the
estimate of eta is to be trusted, as the labels it has not seen tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..bounds.certificates import unknowable
from ..core.eta import Bin, Eta, EtaSummary
from ..core.finding import Finding
from ..core.remark import FIRST, JUDGED_BY_EPSILON, NOT_JUDGED, UNPUBLISHED, Remark
from ..core.report import ETA_FILE, Report
from ..core.settings import Settings
from ..core.table import Dataset
from ..estimators import reliability
from ..questions import neighborhoods
from ..questions.contract import Evidence
from ..questions.every import CERTIFIED, QUANTITIES
from . import doubts

NOTHING: Mapping[str, object] = {}
_BINS, _DOUBT = 10, 0.01
_FEWEST = 50  # rows of a group
_MIXTURES = ("stack", "atoms")


def build(
    command: str, evidence: Evidence, settings: Settings, findings: Iterable[Finding],
    more: Mapping[str, object] = NOTHING,
) -> Report:  # fmt: skip
    """more: parameters that only this command has."""
    table, eta = evidence.table, evidence.eta
    limited = neighborhoods.with_limits(findings, evidence, settings)
    told, labels = tuple(doubts.within(doubts.within_certificates(limited), table)), table.labels[eta.rows]
    groups = max(1, min(_BINS, len(labels) // _FEWEST))
    classes = table.dataset.classes
    bins = tuple(reliability.table(eta.probability, labels, classes, groups, _DOUBT / eta.choices))
    noticed_of_table = (*table.remarks, *_unpublished(eta, settings))
    first, others = ([one for one in noticed_of_table if (one.code in FIRST) is known] for known in (True, False))
    stood_for = [one.spec for one in evidence.mechanisms if one.judged_as]
    stand_in = (Remark(JUDGED_BY_EPSILON, mechanisms=stood_for),) if stood_for else ()
    noticed = (*first, *remarks(command, table.dataset, eta, bins), *others, *_unjudged(told), *stand_in)
    return Report(
        command=command, version=__version__, dataset=table.dataset, eta=_summary(eta, bins),
        parameters={**_parameters(command, eta, settings), **more}, findings=told,
        remarks=tuple(dict.fromkeys(noticed)), uncertifiable=uncertifiable(told), quantities=QUANTITIES,
    )  # fmt: skip


def uncertifiable(findings: Iterable[Finding]) -> str | None:
    """What cannot be certified, where something is certified."""
    certified = any(one.quantity.startswith(CERTIFIED) for one in findings)
    return unknowable.NOBODY_CAN_CERTIFY if certified else None


def _summary(eta: Eta, bins: tuple[Bin, ...]) -> EtaSummary:
    of_one_class = 0 if eta.counts is None else int(_pure(eta.counts).sum())
    return EtaSummary(
        estimator=eta.estimator, k=eta.k, metric=eta.metric, n=eta.n, queries=eta.queries, exact=eta.exact,
        recall=eta.recall, recall_low=eta.recall_low, log_loss=eta.log_loss, one_class=of_one_class,
        tried=eta.tried, reliability=bins, order_p=eta.order_p, knn=eta.knn,
    )  # fmt: skip


# ---- parameters

_OF_FEATURES = ("exclude", "categorical", "recall")  # which given probabilities do without
_SEARCHED = (*_OF_FEATURES, "group", "repeats")
_ASKED = (
    "delimiter",
    "decimal",
    "no_header",
    "few_rows",
    "released_table",
    "mechanism",
    "drop_null_labels",
    "eta",
    "tau",
    "smoothness",
    "certify",
    "alpha",
    "utility",
    "bags",
    "explain",
)


def _parameters(command: str, eta: Eta, settings: Settings) -> dict[str, object]:
    """What changes the numbers, beside what the dataset and eta blocks say."""
    usual = Settings()
    told = {name: getattr(settings, name) for name in (*_SEARCHED, *_ASKED)}
    if eta.asked is not None:  # when the file was written
        told |= {name: eta.asked.get(name, getattr(usual, name)) for name in (*_SEARCHED, "eta")}
    elif eta.counts is None:
        told |= {name: getattr(usual, name) for name in _OF_FEATURES}
    kept = {name: plain(value) for name, value in told.items() if plain(value) != plain(getattr(usual, name))}
    if command == "advantage":  # its default is another
        kept["mechanism"] = plain(settings.mechanism)
    elif command == "estimate-eta":
        kept.pop("mechanism", None)  # it asks about none
    if settings.eta_file is not None:
        kept[ETA_FILE] = Path(settings.eta_file).name
    if settings.graph is not None:
        kept["graph"] = Path(settings.graph).name if isinstance(settings.graph, str) else "in memory"
    return {"confidence": settings.confidence, "seed": settings.seed, **kept}


def plain(value: object) -> object:
    """As a report holds it: an object by its spec, or by its name."""
    if isinstance(value, tuple):
        return [getattr(one, "spec", one) for one in value]
    return getattr(value, "name", value)


# ---- remarks


def _unpublished(eta: Eta, settings: Settings) -> Iterator[Remark]:
    """Yield the columns that no number is about, as a release must leave them out."""
    asked: Mapping[str, Any] = eta.asked or {}  # when a file of eta was written
    group = settings.group or asked.get("group")
    columns = [*(settings.exclude or asked.get("exclude", ())), *([] if group is None else [group])]
    if columns:
        yield Remark(UNPUBLISHED, columns=columns)


def remarks(command: str, dataset: Dataset, eta: Eta, bins: tuple[Bin, ...]) -> Iterator[Remark]:
    if eta.queries < eta.n:
        yield Remark("rows-asked", rows=eta.queries, of=eta.n)
    if not eta.exact:
        yield Remark("search-not-exact", recall=eta.recall, recall_low=eta.recall_low)
    if command != "advantage" and eta.counts is not None:
        yield from _about_purity(eta, _pure(eta.counts))
    if not eta.sees(dataset):
        yield Remark("model-sees-nothing", log_loss=eta.log_loss, blind=dataset.blind_log_loss)
    yield from _about_mixtures(eta)
    if eta.order_p is not None and not eta.ordered:
        yield Remark("scores-in-wrong-order", p=eta.order_p * eta.choices)
    off = [one for one in bins if not one.fits]
    # Counts of few neighbours are spread wider than eta, which is known and taken out of what is made from them.
    if off and eta.metric != "l2":
        worst = max(off, key=lambda one: abs(one.said - one.came))
        yield Remark(
            "shares-do-not-fit", groups=len(off), of=len(bins), label=worst.of, predicted=worst.said,
            observed=worst.came, low=worst.low, high=worst.high, confidence=1 - _DOUBT,
        )  # fmt: skip


def _pure(counts: np.ndarray) -> np.ndarray:
    """Return where all neighbours, and not none, have one label."""
    found = counts.sum(axis=1)
    return np.asarray((counts.max(axis=1) == found) & (found > 0))


def _about_purity(eta: Eta, pure: np.ndarray) -> Iterator[Remark]:
    if eta.metric == "score":
        if sure := int(np.sum(eta.probability.max(axis=1) == 1)):
            yield Remark("features-give-label-away", rows=sure, of=eta.queries)
    elif pure.any():
        yield Remark("neighbourhoods-of-one-class", rows=int(pure.sum()), of=eta.queries, k=eta.k or 0)


def _about_mixtures(eta: Eta) -> Iterator[Remark]:
    """A mixture that is clearly better than the best of what it mixes: each of them sees what the others do not."""
    if not eta.tried or eta.tried[0].name not in _MIXTURES:
        return
    single = next((one for one in eta.tried if one.name not in _MIXTURES), None)
    if single is not None and single.behind >= max(3 * single.behind_error, 0.005 * eta.log_loss):
        yield Remark(
            "more-to-know", best=eta.tried[0].name, single=single.name, log_loss=eta.log_loss, less=single.behind
        )


def _unjudged(findings: Iterable[Finding]) -> Iterator[Remark]:
    """A mechanism that was asked for and not looked at must not pass unnoticed."""
    for one in findings:
        if one.quantity in ("advantage", "j", "nu_max") and one.bound.estimate is None and one.bound.reason:
            yield Remark(NOT_JUDGED, mechanism=str(one.mechanism), reason=one.bound.reason)
