"""What the reports of commands have in common: parameters, eta in short, and warnings, most of them about how far the
estimate of eta is to be trusted, as the labels it has not seen tell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from .. import __version__
from ..bounds.certificates import unknowable
from ..core.eta import Bin, Eta, EtaSummary
from ..core.finding import Finding
from ..core.report import Report
from ..core.settings import Settings
from ..core.table import Dataset
from ..estimators import reliability
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
    told, labels = doubts.within_certificates(doubts.within(findings, table)), table.labels[eta.rows]
    groups = max(1, min(_BINS, len(labels) // _FEWEST))
    classes = table.dataset.classes
    bins = tuple(reliability.table(eta.probability, labels, classes, groups, _DOUBT / eta.choices))
    said = (*map(doubts.sentence, table.remarks), *warnings(command, table.dataset, eta, bins), *table.warnings)
    return Report(
        command=command, version=__version__, dataset=table.dataset, eta=_summary(eta, bins),
        parameters={**_parameters(command, eta, settings), **more}, findings=told,
        warnings=tuple(dict.fromkeys((*said, *_unjudged(told)))),
        uncertifiable=uncertifiable(told), remarks=table.remarks, quantities=QUANTITIES,
    )  # fmt: skip


def uncertifiable(findings: Iterable[Finding]) -> str | None:
    """What cannot be certified, where something is certified."""
    certified = any(one.quantity.startswith(CERTIFIED) for one in findings)
    return unknowable.NOBODY_CAN_CERTIFY if certified else None


def _summary(eta: Eta, bins: tuple[Bin, ...]) -> EtaSummary:
    of_one_class = 0
    if eta.counts is not None:
        found = eta.counts.sum(axis=1)
        of_one_class = int(((eta.counts.max(axis=1) == found) & (found > 0)).sum())
    return EtaSummary(
        estimator=eta.estimator, k=eta.k, metric=eta.metric, n=eta.n, queries=eta.queries, exact=eta.exact,
        recall=eta.recall, recall_low=eta.recall_low, log_loss=eta.log_loss, one_class=of_one_class,
        tried=eta.tried, reliability=bins, order_p=eta.order_p,
    )  # fmt: skip


# ---- parameters

_OF_FEATURES = ("exclude", "categorical", "recall")  # which given probabilities do without
_SEARCHED = (*_OF_FEATURES, "group", "repeats")
_ASKED = (
    "delimiter",
    "decimal",
    "few_rows",
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
    return {"confidence": settings.confidence, "seed": settings.seed, **kept}


def plain(value: object) -> object:
    """As a report holds it: an object by its spec, or by its name."""
    if isinstance(value, tuple):
        return [getattr(one, "spec", one) for one in value]
    return getattr(value, "name", value)


# ---- warnings


def warnings(command: str, dataset: Dataset, eta: Eta, bins: tuple[Bin, ...]) -> Iterator[str]:
    if eta.queries < eta.n:
        yield f"{eta.queries:,} of {eta.n:,} rows, drawn uniformly, were asked; --queries all asks every row"
    if not eta.exact:
        recall = f"{eta.recall:.3f}, at least {math.floor(1000 * eta.recall_low) / 1000:.3f} (99 %)"
        yield f"neighbours were searched in the nearest cells alone (recall {recall}); --recall 1 searches everywhere"
    if command != "advantage" and eta.counts is not None:
        yield from _about_purity(eta, eta.counts.max(axis=1) == eta.counts.sum(axis=1))
    yield from _about_sight(command, dataset, eta)
    yield from _about_mixtures(eta)
    if eta.order_p is not None and not eta.ordered:
        yield (
            f"limits are wide, as labels contradict the order of the scores (p = {eta.order_p * eta.choices:.2g}): "
            f"another --estimator may put people in a better order"
        )
    off = [one for one in bins if not one.fits]
    # Counts of few neighbours are spread wider than eta, which is known and taken out of what is made from them.
    if off and eta.metric not in ("l2", "learned"):
        worst = max(off, key=lambda one: abs(one.said - one.came))
        yield (
            f"estimates do not fit the labels in {len(off)} of {len(bins)} groups of like estimates: where "
            f"{worst.said:.3g} was predicted for {worst.of} on average, {worst.came:.3g} was observed ({worst.low:.3g} "
            f"to {worst.high:.3g}, about {100 * (1 - _DOUBT):g} % for all groups); another --estimator may fit better"
        )


def _about_purity(eta: Eta, pure: np.ndarray) -> Iterator[str]:
    if eta.metric == "score":
        sure = int(np.sum(eta.probability.max(axis=1) == 1))
        if sure:
            yield (
                f"features give the label away in {sure:,} of {eta.queries:,} rows, where the loss is estimated as "
                f"infinite: drop or coarsen the columns that audit --explain names"
            )
    elif pure.any():
        yield (
            f"{int(pure.sum()):,} of {eta.queries:,} neighbourhoods of {eta.k:,} rows hold one class only, where the "
            f"loss is estimated as infinite: decide by the lower limits, or ask more neighbours with --k"
        )


def _about_mixtures(eta: Eta) -> Iterator[str]:
    """A mixture that is clearly better than the best of what it mixes: each of them sees what the others do not."""
    if not eta.tried or eta.tried[0].name not in _MIXTURES:
        return
    single = next((one for one in eta.tried if one.name not in _MIXTURES), None)
    if single is not None and single.behind >= max(3 * single.behind_error, 0.005 * eta.log_loss):
        yield (
            f"there may be more to know than this report says: {eta.tried[0].name} guesses unseen labels clearly "
            f"better than the best single model, {single.name} (log loss {eta.log_loss:.4f}, {single.behind:.4f} "
            f"less), so each misses something; a model of your own may find it (--eta COLUMN)"
        )


def _about_sight(command: str, dataset: Dataset, eta: Eta) -> Iterator[str]:
    """Neighbours that guess no better than the shares of the classes do see nothing, and show nothing to be absent."""
    if eta.sees(dataset):
        return
    guess = "labels no better than the shares of the classes do"
    losses = f"log loss {eta.log_loss:.4f}, without features {dataset.blind_log_loss:.4f}"
    if eta.counts is None:
        yield (
            f"the given probabilities guess {guess} ({losses}), so risk may be missed: audit without --eta and compare"
        )
    elif eta.metric == "score":
        yield (
            f"the model guesses {guess} ({losses}): the features tell next to nothing, or another --estimator or more "
            f"rows find what they tell"
        )
    else:
        worthless = "estimates mean little" if command == "advantage" else "upper limits mean nothing"
        yield (
            f"neighbours guess {guess} ({losses}): the features tell next to nothing, or distances hide it and "
            f"{worthless}; --estimator auto finds more, and so may fewer columns (--exclude)"
        )


def _unjudged(findings: Iterable[Finding]) -> Iterator[str]:
    """A mechanism that was asked for and not looked at must not pass unnoticed."""
    for one in findings:
        if one.quantity in ("advantage", "j", "nu_max") and one.bound.estimate is None and one.bound.reason:
            yield f"{one.mechanism} was not judged: {one.bound.reason}"
