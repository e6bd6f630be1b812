"""Findings of a report by what they are about: mechanism, place, role. No word is said here."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeVar

from ..core.finding import BASELINE, Bound, Finding, Knows
from ..core.finding import FEATURES as FEATURES_ALONE
from ..core.policy import COMPARISONS, Outcome, Verdict
from ..core.quantity import STAYS, Quantity
from ..core.report import COMPARED, Report

J, ADDED, WORST, FEATURES, INFORMED, TUNED = (
    "j", "advantage", "nu_max", "uninformed_utility", "informed_utility", "tuned",
)  # fmt: skip
CERTIFIED = "certified_"
PARAMETERS = ("epsilon", "pi", "lambda", "k")  # coordinates that only say again which mechanism it is
COLUMNS = ("column_log_loss", "column_j", "column_advantage")
MOVED, KNOWING, QUANTILE = "multiplicative_advantage", "advantage_knowing_others", "quantile"
SAME = {"equivalent_epsilon": "rr:epsilon=", "equivalent_k": "llp:k="}
GUESSED, GAINED, EXCESS, RECOVERED, SURE, ODDS_GAIN, BELIEFS = (
    "attack_utility", "attack_advantage", "attack_excess", "recovered", "confident_right", "log_odds_gain", "beliefs",
)  # fmt: skip
FOR_PROGRAMS = ("plug_in_j", BELIEFS)  # one for each tau, or each cell of a picture: in JSON and CSV alone
OPEN_LOW, OPEN_HIGH, DECIDED = 0.1, 0.9, 0.2  # a share between these is open; the width at which it would not be
REMEMBERED = 4  # a report, what is planned in it, and those that it is compared with
Made = TypeVar("Made")
_TAUS = (1.0, 3.0, 6.0)  # that tables show where no others were asked for


def once(made_of: Callable[[Report], Made]) -> Callable[[Report], Made]:
    """Remember what is made of the last few reports: every format asks for the same again, and reports are frozen."""
    known: tuple[tuple[Report, Made], ...] = ()

    @functools.wraps(made_of)
    def remembered(report: Report) -> Made:
        nonlocal known
        for one, made in known:
            if one is report:
                return made
        found = made_of(report)
        known = ((report, found), *known[: REMEMBERED - 1])
        return found

    return remembered


def verdicts(report: Report) -> tuple[Verdict, ...]:
    return report.judgement.verdicts if report.judgement else ()


@once
def compared(report: Report) -> frozenset[str]:
    """Mechanisms that stand beside those that are planned."""
    value = report.parameters.get(COMPARED, ())
    return frozenset(map(str, value)) if isinstance(value, list | tuple) else frozenset()


@once
def planned(report: Report) -> Report:
    """The report without them, or the whole where nothing else is in it."""
    known = compared(report)
    kept = tuple(one for one in report.findings if one.mechanism not in known)
    return replace(report, findings=kept) if any(one.mechanism for one in kept) else report


def mechanisms(report: Report, *quantities: str) -> tuple[str, ...]:
    """With an answer to one of the quantities (or to any), in the order of the report, planned ones first."""
    asked = (one for one in report.findings if one.mechanism and (not quantities or one.quantity in quantities))
    names = dict.fromkeys(one.mechanism or "" for one in asked if one.bound.estimate is not None)
    return tuple(sorted(names, key=lambda name: name in compared(report)))


def bound(report: Report, quantity: str, mechanism: str | None = None, tau: float | None = None) -> Bound | None:
    """None where there is no number at all."""
    for one in _numbers(report).get((quantity, mechanism), ()):
        at = one.place("tau")
        if tau is None or (at is not None and abs(at - tau) <= 1e-9):
            return one.bound
    return None


@once
def _numbers(report: Report) -> Mapping[tuple[str, str | None], Sequence[Finding]]:
    """Findings that have one, but for what stands beside all mechanisms."""
    found: dict[tuple[str, str | None], list[Finding]] = {}
    for one in report.findings:
        if BASELINE not in one.at and has_number(one.bound):
            found.setdefault((one.quantity, one.mechanism), []).append(one)
    return found


def baselines(report: Report, quantity: str, tau: float | None = None) -> Mapping[str, Bound]:
    """What the features alone tell and what no noise at all would, by the name that the finding gives it."""
    found: dict[str, Bound] = {}
    for one in report.findings:
        name = one.at.get(BASELINE) if one.mechanism is None else None
        if one.quantity == quantity and isinstance(name, str) and (tau is None or one.place("tau") == tau):
            found.setdefault(name, one.bound)
    return found


def attackers(report: Report) -> Mapping[str, Mapping[str, Finding]]:
    """What is known of each who was played; of quantiles of log odds the middle and the last before the most."""
    found: dict[str, dict[str, Finding]] = {}
    for one in report.findings:
        name = one.at.get("attacker")
        if isinstance(name, str) and one.quantity in (GUESSED, GAINED, EXCESS, RECOVERED, SURE, ODDS_GAIN):
            quantile = one.place("quantile")
            key = one.quantity if quantile is None else f"{one.quantity} {quantile:g}"
            found.setdefault(name, {})[key] = one
    return found


def knows_labels(one: Finding) -> bool:
    """Is it about an attacker who knows more than anybody has?"""
    return one.at.get("knows") == Knows.LABELS


def has_number(value: Bound) -> bool:
    return (value.estimate, value.low, value.high) != (None, None, None)


def is_open(value: Bound) -> bool:
    """Can the table not tell?"""
    low, high = value.low or 0.0, 1.0 if value.high is None else value.high
    return high >= OPEN_HIGH and low <= OPEN_LOW


def rows_to_decide(value: Bound, rows: int) -> int:
    """Widths go with 1 / sqrt(rows); to one digit."""
    width = (1.0 if value.high is None else value.high) - (value.low or 0.0)
    return int(float(f"{rows * (width / DECIDED) ** 2:.0e}"))


def every_tau(report: Report) -> list[float]:
    """At which shares of people are."""
    return sorted({tau for one in report.findings if one.quantity == J and (tau := one.place("tau")) is not None})


def taus(report: Report) -> tuple[float, ...]:
    """Up to three losses at which people are counted: those of the policy, then a few that were asked for, otherwise
    round ones."""
    known = every_tau(report)
    judged = (one.worst.place("tau") for one in verdicts(report) if one.worst is not None)
    asked = [tau for tau in judged if tau in known]
    few = known if len(known) <= len(_TAUS) else [tau for tau in _TAUS if any(abs(tau - one) < 1e-9 for one in known)]
    spread = [known[0], known[len(known) // 2], known[-1]] if known else []
    return tuple(sorted(list(dict.fromkeys([*asked, *(few or spread)]))[: len(_TAUS)]))


def epsilon(report: Report, mechanism: str) -> float:
    """That it promises; what promises none has an infinite one."""
    for one in report.findings:
        if one.mechanism == mechanism:
            promised = one.claim if one.bag is not None else one.place("epsilon")
            if promised is not None:
                return promised
    return math.inf


def strongest(report: Report, quantity: str) -> str | None:
    """The planned mechanism with the most noise: the best case of a report. Where some promise nothing, the one that
    adds least: by the estimate, then the upper limit, or the other way round where eta saw nothing."""

    def added(name: str) -> tuple[float, float]:
        known = bound(report, ADDED, name)
        high = math.inf if known is None or known.high is None else known.high
        estimate = 0.0 if known is None else known.estimate or 0.0
        return (estimate, high) if report.sees else (high, estimate)

    names = mechanisms(planned(report), quantity)
    if quantity == ADDED:
        return min(names, key=added, default=None)
    return min(names, key=lambda name: epsilon(report, name), default=None)


def tau_of_answer(report: Report, mechanism: str) -> float | None:
    """The policy's loss, otherwise the first of those shown that is at least what the mechanism promises."""
    asked = (one.worst.place("tau") for one in verdicts(report) if one.quantity == J and one.worst is not None)
    shown, promise = taus(report), epsilon(report, mechanism)
    above = (tau for tau in shown if tau >= promise - 1e-9)
    return next((tau for tau in asked if tau is not None), next(above, shown[-1] if shown else None))


def few(names: Sequence[str], picked: Iterable[str | None] = (), most: int = 6) -> tuple[str, ...]:
    """All of a few; of many the first, those picked, the last, and what lies between as far as there is room."""
    if len(names) <= most:
        return tuple(names)
    kept = dict.fromkeys([names[0], *(one for one in picked if one in names), names[-1]])
    for place in range(1, most):
        if len(kept) < most:
            kept[names[place * (len(names) - 1) // most]] = None
    return tuple(name for name in names if name in list(kept)[:most])


@once
def typed(report: Report) -> Mapping[str, str]:
    """Mechanisms that were typed by another parameter than the canonical one, and how: rr:pi=0.01."""
    specs = report.parameters.get("mechanism", ())
    listed = specs if isinstance(specs, list | tuple) else ()
    known = {one.mechanism: one for one in report.findings if one.mechanism}
    said = [one for spec in listed if isinstance(spec, str) for one in _expanded(spec)]
    left = [spec for spec in said if spec not in known]
    return {
        name: spec
        for name, one in known.items() if name not in said
        for spec in left[::-1] if _is_same(one, spec)
    }  # fmt: skip


def _expanded(spec: str) -> list[str]:
    """rr:pi=0.1|0.2 are two."""
    name, _, rest = spec.partition(":")
    fields = [[f"{key}={value}" for value in values.split("|")]
              for key, _, values in (one.partition("=") for one in rest.split(","))]  # fmt: skip
    return [f"{name}:{','.join(pairs)}" for pairs in product(*fields)]


def _is_same(one: Finding, spec: str) -> bool:
    name, _, rest = spec.partition(":")
    try:
        asked = {key: float(value) for key, _, value in (part.partition("=") for part in rest.split(","))}
    except ValueError:
        return False
    places = {key: one.place(key) for key in asked}
    return (one.mechanism or "").partition(":")[0] == name and all(
        at is not None and f"{at:.6g}" == f"{asked[key]:.6g}" for key, at in places.items()
    )


def quantity(report: Report, name: str) -> Quantity:
    """What is known of it; its name alone where this version does not have it."""
    return report.quantities.get(name) or Quantity(name, name, "", "", "", "")


def assumptions(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Each once, in the order in which they first appear."""
    return tuple(dict.fromkeys(line for one in findings for line in one.bound.assumptions))


# ---- what no noise helps against


def broken_by_features(report: Report) -> list[Verdict]:
    """Lines that keep the policy from holding and that the features alone break already, as far as estimates go."""
    return [one for one in verdicts(report) if one.counts and one.outcome is Outcome.FAIL and _by_features(one, report)]


def _by_features(one: Verdict, report: Report, field: str = "estimate") -> bool:
    if quantity(report, one.quantity).with_noise == STAYS:
        return True
    tau = None if one.worst is None else one.worst.place("tau")
    alone = baselines(report, one.quantity, tau).get(FEATURES_ALONE)
    if alone is None and field == "estimate":  # a certificate has the estimate of what it certifies
        alone = baselines(report, one.quantity.removeprefix(CERTIFIED), tau).get(FEATURES_ALONE)
    value = None if alone is None else getattr(alone, field)
    return value is not None and COMPARISONS[one.comparison](value, one.threshold)


def unshown_by_features(report: Report) -> list[Verdict]:
    """Lines that the limit for the features alone does not pass either: noise may not be enough."""
    known = (one for one in verdicts(report) if one.counts and one.outcome in (Outcome.FAIL, Outcome.INCONCLUSIVE))
    return [one for one in known if _by_features(one, report, one.field)]


def telling(report: Report) -> list[str]:
    """Columns that surely add to what is known, those that add most first, by what was asked of them."""
    known = [one for one in planned(report).findings if one.quantity in COLUMNS and (one.bound.low or 0.0) > 0]
    known.sort(key=lambda one: -(one.bound.estimate or 0.0))
    return list(dict.fromkeys(str(one.at.get("column")) for one in known))


# ---- who is at risk

GROUP_SHARE, GROUP_POSITIVE, GROUP_LOSS, GROUP_GUESSED, ALONE = (
    "group_share", "group_positive", "group_loss", "group_guessed", "column_guessed",
)  # fmt: skip


def groups(report: Report) -> list[tuple[str, dict[str, Bound]]]:
    """Numbers of each group, that with the largest loss first."""
    known: dict[str, dict[str, Bound]] = {}
    for one in report.findings:
        if one.quantity in (GROUP_SHARE, GROUP_POSITIVE, GROUP_LOSS, GROUP_GUESSED) and "group" in one.at:
            known.setdefault(str(one.at["group"]), {})[one.quantity] = one.bound
    return sorted(known.items(), key=lambda pair: -_loss(pair[1]))


def _loss(group: Mapping[str, Bound]) -> float:
    bounds = (group[name] for name in (GROUP_LOSS, GROUP_GUESSED) if name in group)
    ends = (end for bound in bounds for end in (bound.estimate, bound.low) if end is not None)
    return next(ends, -math.inf)


def telling_columns(report: Report) -> list[tuple[str, Bound]]:
    """Those that give labels away alone."""
    return [(str(one.at.get("column")), one.bound) for one in report.findings if one.quantity == ALONE]
