"""What the reports of commands have in common: parameters, warnings, assumptions in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from .. import __version__
from ..bounds.certificates import unknowable
from ..core.eta import Bin, Eta, EtaSummary
from ..core.finding import Finding
from ..core.report import Report
from ..core.settings import Settings
from ..core.table import Table
from ..questions.every import QUANTITIES
from . import diagnostics, doubts, reconcile

NOTHING: Mapping[str, object] = {}


def build(
    command: str, table: Table, eta: Eta, settings: Settings, findings: Iterable[Finding],
    more: Mapping[str, object] = NOTHING,
) -> Report:  # fmt: skip
    """more: parameters that only this command has."""
    told, bins = reconcile.within_certificates(doubts.within(findings, table)), diagnostics.reliability(table, eta)
    warnings = (*_about_search(command, eta), *diagnostics.warnings(command, table, eta, bins), *_unjudged(told))
    return Report(
        command=command, version=__version__, dataset=table.dataset, eta=_summary(eta, bins),
        parameters={**_parameters(command, eta, settings), **more}, findings=told,
        warnings=tuple(dict.fromkeys((*map(doubts.sentence, table.remarks), *table.warnings, *warnings))),
        uncertifiable=uncertifiable(told), remarks=table.remarks, quantities=QUANTITIES,
    )  # fmt: skip


def uncertifiable(findings: Iterable[Finding]) -> str | None:
    """What nobody can certify, where something is certified."""
    certified = any(one.quantity.startswith("certified_") for one in findings)
    return unknowable.NOBODY_CAN_CERTIFY if certified else None


def _summary(eta: Eta, bins: tuple[Bin, ...]) -> EtaSummary:
    return EtaSummary(
        estimator=eta.estimator, k=eta.k, metric=eta.metric, n=eta.n, queries=eta.queries, exact=eta.exact,
        recall=eta.recall, recall_low=eta.recall_low, log_loss=eta.log_loss, one_class=_one_class(eta),
        tried=eta.tried, reliability=bins, order_p=eta.order_p,
    )  # fmt: skip


def _one_class(eta: Eta) -> int:
    if eta.counts is None:
        return 0
    found = eta.counts.sum(axis=1)
    return int(((eta.counts.max(axis=1) == found) & (found > 0)).sum())


def _parameters(command: str, eta: Eta, settings: Settings) -> dict[str, object]:
    """What changes the numbers, beside what the dataset and eta blocks say."""
    told = {name: getattr(settings, name) for name in (*_SEARCHED, *_ASKED)}
    if eta.asked is not None:  # by whoever wrote the file
        told |= {name: eta.asked.get(name, getattr(Settings(), name)) for name in (*_SEARCHED, "eta")}
    elif eta.counts is None:
        told |= {name: getattr(Settings(), name) for name in _OF_FEATURES}
    kept = {name: value for name, value in told.items() if plain(value) != plain(getattr(Settings(), name))}
    if command in _OWN_MECHANISMS:
        kept["mechanism"] = plain(settings.mechanism)
    elif command == "estimate-eta":
        kept.pop("mechanism", None)  # it asks about none
    return {"confidence": settings.confidence, "seed": settings.seed} | {n: plain(v) for n, v in kept.items()}


_OF_FEATURES = ("exclude", "categorical", "recall")  # which given probabilities do without
_SEARCHED = (*_OF_FEATURES, "group", "repeats")
_OWN_MECHANISMS = ("advantage",)  # its default is another
_ASKED = ("mechanism", "drop_null_labels", "eta", "tau", "smoothness", "certify", "alpha", "utility", "bags", "explain")


def plain(value: object) -> object:
    """As a report holds it: what somebody handed in by its spec, or by its name."""
    if isinstance(value, tuple):
        return [getattr(one, "spec", one) for one in value]
    return getattr(value, "name", value)


def _about_search(command: str, eta: Eta) -> list[str]:
    said = []
    if eta.queries < eta.n:
        drawn = f"{eta.queries:,} of {eta.n:,} rows, drawn uniformly, were asked"
        said.append(drawn if eta.metric in ("score", "learned") else f"{drawn} for their neighbours; all were searched")
    if not eta.exact:
        recall = f"{eta.recall:.3f}, at least {math.floor(1000 * eta.recall_low) / 1000:.3f} (99 %)"
        said.append(f"neighbours were searched in the nearest cells: measured recall {recall}")
    return said + ([] if command == "advantage" else _about_purity(eta))


def _about_purity(eta: Eta) -> list[str]:
    if eta.counts is None:
        return []
    if eta.metric == "score":
        sure = int(np.sum(eta.probability.max(axis=1) == 1))
        return (
            [
                f"{sure:,} of {eta.queries:,} rows are where features give the label away: eta is estimated as 0 or 1 "
                f"there and the loss as infinite"
            ]
            if sure
            else []
        )
    pure = int(np.sum(eta.counts.max(axis=1) == eta.counts.sum(axis=1)))
    if not pure:
        return []
    return [
        f"{pure:,} of {eta.queries:,} neighbourhoods hold one class only: eta is estimated as 0 or 1 there and the "
        f"loss as infinite; the lower limits say what {eta.k:,} neighbours can show"
    ]


def _unjudged(findings: Iterable[Finding]) -> list[str]:
    """A mechanism that was asked for and not looked at must not pass unnoticed."""
    return [
        f"{one.mechanism} was not judged: {one.bound.reason}"
        for one in findings
        if one.quantity in ("advantage", "j", "nu_max") and one.bound.estimate is None and one.bound.reason
    ]
