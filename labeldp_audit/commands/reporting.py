"""What the reports of commands have in common: parameters, warnings, assumptions in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from .. import __version__
from ..bounds import measure_smoothness, unknowable
from ..errors import AssumptionError, SpecError
from ..mechanisms import MECHANISMS
from ..mechanisms.contract import Mechanism
from ..model import Bin, Bound, Eta, EtaSummary, Finding, Report, Table
from ..registry import number
from . import agreement, evidence, intervals, trust
from .settings import Settings

NOTHING: Mapping[str, object] = {}
ROWS = "rows are independent draws from one population"
AVERAGES = (
    "neighbourhood averages: the interval is about the mean of eta over the neighbours of each row; it covers eta(x) "
    "only if eta varies little among them, which no data can check, and people who stand out inside a neighbourhood "
    "may lose more"
)
ALIKE = (
    "averages over rows with like scores: the interval is about the mean of eta over the k rows of the same part with "
    "the nearest scores; it covers eta(x) only if eta varies little among them, which no data can check, and people "
    "who stand out from those with their score may lose more"
)
IN_ORDER = (
    "people with higher scores have on average no smaller eta, which labels do not speak against, and scores of all "
    "folds are comparable; people with like scores whose eta differ count as their average, spread as far as labels of "
    "rows of one level tell, which is an estimate; who stands out otherwise may lose more"
)
GIVEN = (
    "the given probabilities are right, which the labels can refute and never prove; the interval leaves open what "
    "the sample leaves open, not what the model may be wrong about"
)

# ERRATA A8
SCALED = (
    "distances are taken as given: columns were standardised by the means and deviations of these very rows, so the "
    "distance that the smoothness is about depends on the table, which the limits leave out of account"
)


def mechanisms(settings: Settings, classes: int = 2) -> tuple[Mechanism, ...]:
    """Each mechanism once, in the order in which they were asked for; what is written alike is one."""
    found: dict[str, Mechanism] = {}
    for spec in settings.mechanism:
        for one in MECHANISMS.parse(spec, classes):
            found.setdefault(one.spec, one)
    return tuple(found.values())


def absent(quantity: str, mechanism: Mechanism, reason: str, settings: Settings, n: int) -> Finding:
    """What cannot be computed, and why."""
    bound = Bound(None, None, None, n, "not computed", (), reason)
    return Finding(quantity, bound, settings.confidence, mechanism.spec, mechanism.at())


def by_loss(
    quantity: str, asked: Iterable[Mechanism], settings: Settings, n: int
) -> tuple[list[tuple[Mechanism, float]], list[Finding]]:
    """Mechanisms whose privacy loss has a form, with their epsilon, and a finding for each of the others."""
    known = [(one, one.flips) for one in asked if one.flips is not None]
    others = [one for one in asked if one.flips is None]
    reason = "this loss is defined for randomized response; `labeldp-audit advantage` compares all mechanisms"
    return known, [absent(quantity, one, reason, settings, n) for one in others]


def check_losses(asked: Sequence[Mechanism], *about: str) -> None:
    """Where no mechanism has a privacy loss, no search would find one. about: what needs one."""
    if asked and all(one.flips is None for one in asked):
        named = ", ".join(one.spec for one in asked)
        what = f"a privacy loss is defined for randomized response alone, and not for {named}"
        raise SpecError(what, *about, hint="`labeldp-audit advantage` compares all mechanisms")


def smoothness(settings: Settings) -> tuple[float, float] | None:
    """The publisher's C and beta."""
    if settings.smoothness is None:
        return None
    parts = settings.smoothness.split(",")
    if len(parts) != 2:
        raise SpecError(f"--smoothness wants two numbers C,BETA, not {settings.smoothness!r}")
    constant, beta = number(parts[0], "C of --smoothness"), number(parts[1], "BETA of --smoothness")
    if not 0 <= constant < float("inf") or not 0 < beta <= 1:
        raise SpecError("--smoothness wants C of at least 0 and BETA above 0 and at most 1")
    return constant, beta


def assumptions(eta: Eta, settings: Settings) -> tuple[str, ...]:
    if eta.counts is None:
        return ROWS, GIVEN
    vouched = smoothness(settings)
    if vouched is None:
        return ROWS, IN_ORDER if eta.ordered else ALIKE if eta.metric == "score" else AVERAGES
    constant, beta = vouched
    return ROWS, f"measure smoothness with C = {constant:g}, beta = {beta:g}, which no data can check", SCALED


def check_smoothness(settings: Settings, k: int, queries: int) -> None:
    """Known before the search, which may be long."""
    if smoothness(settings) is not None:
        measure_smoothness.check(k, queries, intervals.RADII_SHARE * (1 - settings.confidence))


def widening(eta: Eta, settings: Settings, miss: float) -> float:
    """How far eta(x) may lie from its neighbourhood's average, if the publisher vouches for it; 0 without."""
    vouched = smoothness(settings)
    if vouched is None:
        return 0.0
    if eta.k is None:
        raise AssumptionError("--smoothness is about neighbourhoods, and there are none behind these probabilities")
    measure_smoothness.check(eta.k, eta.queries, miss)
    return measure_smoothness.widening(eta.k, eta.n - 1, *vouched)


def build(
    command: str, table: Table, eta: Eta, settings: Settings, findings: Iterable[Finding],
    more: Mapping[str, object] = NOTHING,
) -> Report:  # fmt: skip
    """more: parameters that only this command has."""
    told, bins = agreement.of(evidence.within(findings, table)), trust.reliability(table, eta)
    warnings = (*_about_search(command, eta), *trust.warnings(command, table, eta, bins), *_unjudged(told))
    return Report(
        command=command, version=__version__, dataset=table.dataset, eta=_summary(eta, bins),
        parameters={**_parameters(command, eta, settings), **more}, findings=told,
        warnings=tuple(dict.fromkeys((*map(evidence.sentence, table.remarks), *table.warnings, *warnings))),
        uncertifiable=uncertifiable(told), remarks=table.remarks,
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
        told |= {name: getattr(Settings(), name) for name in _SEARCHED}
    kept = {name: value for name, value in told.items() if _plain(value) != _plain(getattr(Settings(), name))}
    if command in _OWN_MECHANISMS:
        kept["mechanism"] = _plain(settings.mechanism)
    elif command == "estimate-eta":
        kept.pop("mechanism", None)  # it asks about none
    return {"confidence": settings.confidence, "seed": settings.seed} | {n: _plain(v) for n, v in kept.items()}


_SEARCHED = ("exclude", "categorical", "group", "repeats", "recall")
_OWN_MECHANISMS = ("advantage",)  # its default is another
_ASKED = ("mechanism", "drop_null_labels", "eta", "tau", "smoothness", "certify", "alpha", "utility", "bags", "explain")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


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
