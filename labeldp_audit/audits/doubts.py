"""What limits rest on: the rows that judge, chosen before any label of theirs is looked at, and why there may be none.

A limit that is known not to hold does not exist: where it is open whether equal rows are people, or whether a model
knows the labels that judge it, every finding keeps its estimate, and gives the reason in place of limits.

What is certified holds for the estimate of the same thing too: no report says less, or more, than it can certify.
Estimates and their limits may be about averages, or rest on a model that was vouched for; certificates do not, and both
hold at once with the report's confidence. Where they contradict each other, what was assumed is refuted, and all that
remains is what is certified.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from ..core.errors import DataError
from ..core.eta import Eta
from ..core.finding import NEIGHBORHOODS, Bound, Finding
from ..core.remark import DOUBTS, MODEL_DOUBTS, ORDER_TELLS, Remark
from ..core.table import Table
from ..questions.every import CERTIFIED, QUANTITIES
from ..questions.quantities import ADVANTAGE

ALIKE, SURELY = 0.5, 6.0  # correlation of labels that follow one another, and its standard errors from 0
MOVED = "limits of certificates where they are narrower"


def judging_rows(table: Table) -> Table:
    """The rows that judge, one of each person, as a table of their own."""
    if table.judges is None:
        return table
    asked = table.at(table.judges)
    for name, count in zip(asked.dataset.classes, asked.dataset.class_counts, strict=True):
        if not count:
            what = f"too few people: of {len(table.judges):,} rows, one of each, none has the label {name}"
            raise DataError(what, table.dataset.name, hint="another --seed draws other rows of them")
    return asked


def with_order(table: Table, eta: Eta) -> Table:
    """The table with the remark that the order of its rows tells labels, where it does.

    A published table has an order, of which no feature says anything: of one that is sorted by label it tells all.
    """
    order = slice(None) if np.all(eta.rows[1:] > eta.rows[:-1]) else np.argsort(eta.rows)
    like = like_neighbors(eta.probability[order], table.labels[eta.rows[order]])
    if like is None:
        return table
    others = (one for one in table.remarks if one.code != ORDER_TELLS)  # as a file of estimates may say it, too
    return replace(table, remarks=(*others, Remark(ORDER_TELLS, like=like)))


def like_neighbors(eta: Floats, labels: npt.NDArray[np.uint8]) -> float | None:
    """Correlation of labels less eta in rows that follow one another, where it is large and no chance; labels that take
    turns tell as much. eta (n, C)."""
    products, total = np.zeros(len(labels) - 1), 0.0
    for code in range(eta.shape[1]):
        rest = (labels == code) - eta[:, code]
        rest -= rest.mean()  # of supplied probabilities that are too large for all, rows are not alike for that
        products += rest[1:] * rest[:-1]
        total += float(rest @ rest)
    like, error = abs(float(products.sum())), math.sqrt(float(products @ products))
    return like / total if like > max(ALIKE * total, SURELY * error) else None


def within(findings: Iterable[Finding], table: Table) -> list[Finding]:
    """The findings as far as they hold: without limits where these are in doubt."""
    codes = {one.code for one in table.remarks}
    why = next((reason for code, reason in DOUBTS.items() if code in codes), None)
    of_model = next((reason for code, reason in MODEL_DOUBTS.items() if code in codes), None)
    if why is not None:
        return [_without(one, ("low", "high", *NEIGHBORHOODS), why) for one in findings]
    if of_model is None:
        return list(findings)
    known = ((one, QUANTITIES.get(one.quantity)) for one in findings)
    return [one if about is None else _without(one, about.assumes_model, of_model) for one, about in known]


def _without(finding: Finding, ends: tuple[str, ...], why: str) -> Finding:
    """Return the finding without these ends."""
    gone: dict[str, Any] = {end: None for end in ends if getattr(finding.bound, end) is not None}
    return replace(finding, bound=replace(finding.bound, **gone, reason=f"no limits: {why}")) if gone else finding


def within_certificates(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each no lower and no higher than what is certified of the same thing."""
    said = tuple(findings)
    certified = {_place(one): one.bound for one in said if one.quantity.startswith(CERTIFIED)}
    return tuple(
        replace(one, bound=_between(one.bound, certified[place]))
        if (place := _place(one)) in certified and not one.quantity.startswith(CERTIFIED)
        else one
        for one in said
    )


def _place(finding: Finding) -> tuple[object, ...]:
    """A theorem that says what an advantage is stands where the advantage does."""
    at = {key: value for key, value in finding.at.items() if value not in ADVANTAGE.theorems}
    quantity = finding.quantity.removeprefix(CERTIFIED) if len(at) == len(finding.at) else ADVANTAGE.name
    return quantity, finding.mechanism, tuple(sorted(at.items()))


def _between(bound: Bound, certified: Bound) -> Bound:
    least, most = certified.low, certified.high
    if bound.estimate is None or bound.low is None or bound.high is None or least is None or most is None:
        return bound
    low, high = max(bound.low, least), min(bound.high, most)
    if low > high:
        low, high = least, most
    estimate = min(max(bound.estimate, low), high)
    if (low, estimate, high) == (bound.low, bound.estimate, bound.high):
        return bound
    said = tuple(dict.fromkeys((*bound.assumptions, *certified.assumptions)))
    return replace(bound, low=low, estimate=estimate, high=high, method=f"{bound.method}; {MOVED}", assumptions=said)
