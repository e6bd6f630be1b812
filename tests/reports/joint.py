"""Made-up reports with everything at once: an audit of several questions, judged, tuned, and explained by column."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from dataclasses import replace

from certified import of_curves, of_gains, of_worst, scored, with_certificates
from hypothesis import HealthCheck, settings

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Judgement, Outcome, Verdict, Waived, Waiver
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column

# Reports are made once and never changed, so examples may share them.
SHARED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60, derandomize=True
)
REPORTS = (
    "tail_report", "worst_report", "eta_report", "gain_report", "given_report", "certified_tail", "certified_gain",
    "joint_report", "tuned_report",
)  # fmt: skip
REASON = "Features are <public> & \u202ethe board\nagreed."
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></title><h1>x",
    "http://evil.example/?a=1&b=2",
    "line\nend\x00\x1b[31m\x0b",
    "a\u202egnp.exe\u2066\ufeff",
    "lone \ud800 and \udcff",
    "-->]]><!--",
    "' onload='x",
    "m" * 5000,
)


def together(tail: Report, worst: Report, gain: Report) -> Report:
    """What `audit` writes: all questions, certificates, a comparison of estimators."""
    added = {"rr:epsilon=0.5": (0.0, 0.02679), "rr:epsilon=2": (0.00213, 0.08328), "llp:k=64": (0.0, 0.02345)}
    findings = (*tail.findings, *worst.findings, *gain.findings)
    certain = (*of_curves(tail.findings), *of_worst(worst.findings, 2.5), *of_gains(added))
    report = with_certificates(scored(replace(tail, command="audit", findings=findings)), lambda _: iter(certain))
    asked = ["rr:epsilon=0.5|1|2|4", "llp:k=8|64"]
    return replace(report, parameters={"confidence": 0.99, "seed": 0, "mechanism": asked, "compared": ["llp:k=64"]})


def judged(report: Report, *, today: datetime.date = datetime.date(2026, 7, 1)) -> Report:
    """One line of each outcome, and a waiver of each kind."""
    own = report.dataset.sha256
    used = Waiver("nu_max", own, today + datetime.timedelta(30), REASON)
    waivers = (
        Waived(used, True, False, True),
        Waived(Waiver("renyi", own, today + datetime.timedelta(9), "not needed"), True, False),
        Waived(Waiver("j", "ab" * 32, today, "another table"), False, False),
        Waived(Waiver("advantage", own, datetime.date(2020, 1, 1), "long ago"), True, True),
    )
    return replace(report, judgement=Judgement(tuple(verdicts(report, used)), waivers))


def verdicts(report: Report, waiver: Waiver | None = None) -> Iterator[Verdict]:
    for quantity, threshold, outcome in (
        ("j", 0.05, Outcome.FAIL), ("advantage", 0.02, Outcome.INCONCLUSIVE), ("mean_loss", 99.0, Outcome.PASS),
        ("nu_max", 10.0, Outcome.FAIL),
    ):  # fmt: skip
        worst = next((one for one in report.findings if one.quantity == quantity), None)
        field, failing = ("estimate", 0) if outcome is Outcome.PASS else ("high", 2)
        said = f"{quantity}: high of {worst.mechanism} beside {threshold}" if worst else "the report has none"
        yield Verdict(
            f"{quantity}.{field} > {threshold}", outcome if worst else Outcome.NOT_MEASURED, said, quantity, field, ">",
            threshold, worst, 4, failing, waiver if quantity == "nu_max" else None,
        )  # fmt: skip
    yield Verdict("renyi(alpha=2).high > 1", Outcome.NOT_MEASURED, "the report has no renyi", "renyi", "high", ">", 1.0)


def explained(report: Report, names: tuple[str, ...], mechanism: str = "rr:epsilon=1") -> Report:
    """What each column adds: some much, some nothing, some less than nothing."""
    return replace(report, findings=(*report.findings, *contributions(names, mechanism)))


def contributions(names: tuple[str, ...], mechanism: str) -> Iterator[Finding]:
    at = {"epsilon": 1.0, "pi": 0.268941, "lambda": 0.537883}
    for place, name in enumerate(names):
        size = 0.09 * math.exp(-place / 3) - 0.004
        yield Finding("column_log_loss", _around(size, 0.003), 0.99, None, {"column": name})
        yield Finding("column_j", _around(0.8 * size, 0.02), 0.99, mechanism, {"column": name, "tau": 3.0, **at})
        yield Finding("column_advantage", _around(size / 5, 0.001), 0.99, mechanism, {"column": name, **at})


def _around(value: float, away: float) -> Bound:
    return Bound(value, value - away, value + away, 19_981, "paired differences")


EPSILONS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 4.0)


def tuning(report: Report, *, met: bool = True) -> Report:
    """A search for the least noise of randomized response; losses at 4 are infinite."""
    findings = tuple(one for epsilon in EPSILONS for one in _at(epsilon))
    spec, at = "rr:epsilon=1.25", {"scale": "rr", "parameter": "epsilon", "epsilon": 1.25, "pi": 0.2227}
    bound = Bound(1.25, 1.25, 1.5, 19_981, "bisection")
    chosen = Finding("tuned", bound, 0.99, spec, at)
    if not met:
        nothing = Bound(None, None, None, 19_981, "bisection", reason="at every epsilon j is above 0.05")
        chosen = Finding("tuned", nothing, 0.99, None, {"scale": "rr", "parameter": "epsilon"})
    specs = [f"rr:epsilon={epsilon:g}" for epsilon in EPSILONS]
    others = [one for one in specs if one != spec]
    made = replace(
        report, command="tune", findings=(*findings, chosen),
        parameters={"confidence": 0.99, "seed": 0, "tune": {"rr": specs}, "compared": others},
    )  # fmt: skip
    mine = {one.quantity: one for one in findings if one.mechanism == spec}
    lines = (
        Verdict("j(tau=3).high > 0.05", Outcome.PASS, "j: high 0.0463", "j", "high", ">", 0.05, mine["j"], 1),
        Verdict("nu_max.high >= 8", Outcome.PASS, "nu_max: high 6.25", "nu_max", "high", ">=", 8.0, mine["nu_max"], 1),
    )
    return replace(made, judgement=Judgement(lines))


def _at(epsilon: float) -> Iterator[Finding]:
    name, pi = f"rr:epsilon={epsilon:g}", round(1 / (1 + math.exp(epsilon)), 6)
    at = {"epsilon": epsilon, "pi": pi, "lambda": 2 * pi}
    share = 0.02 * epsilon**1.5
    yield Finding("j", Bound(share, 0.6 * share, share + 0.0184, 19_981, "m"), 0.99, name, {"tau": 3.0, **at})
    top = math.inf if epsilon == 4 else epsilon + 5
    yield Finding("nu_max", Bound(epsilon + 3, epsilon + 1, top, 19_981, "m"), 0.99, name, at)


def huge(report: Report) -> Report:
    """The largest that is realistic: 20 mechanisms, 150 values of tau, 60 columns, everything asked."""
    taus, curve = tuple(number / 10 for number in range(150)), []
    for number in range(20):
        epsilon = 0.2 * (number + 1)
        at = {"epsilon": epsilon, "pi": 1 / (1 + math.exp(epsilon)), "lambda": 2 / (1 + math.exp(epsilon))}
        name = f"rr:epsilon={epsilon:.6g}"
        for tau in taus:
            share = math.exp(-max(0.0, tau - epsilon) / (2 + number / 7)) * (1 - 0.001 * tau)
            limits = max(0.0, share - 0.1 - tau / 700), min(1.0, share + 0.1 + tau / 900)
            curve.append(Finding("j", Bound(share, *limits, 9, "m"), 0.99, name, {"tau": tau, **at}))
        curve.append(Finding("nu_max", Bound(epsilon + 5, epsilon + 3, math.inf, 9, "m"), 0.99, name, at))
        curve.append(Finding("mean_loss", Bound(epsilon, epsilon / 2, math.inf, 9, "m"), 0.99, name, at))
        added = Bound(0.01 * epsilon, 0.0, 0.03 * epsilon, 9, "m")
        curve.append(Finding("advantage", added, 0.99, name, at, epsilon, 1))
        for other in ("002 Corollary 1", "002 Theorem 2, improved", "003 Theorem 3.4, Bernstein"):
            curve.append(Finding("advantage_bound", Bound(0.4, 0.2, 0.6, 9, "m"), 0.99, name, {"bound": other, **at}))
    columns = tuple(Column(f"column_{number:02d} with a longer name", "number", "double") for number in range(60))
    full = replace(report, command="audit", findings=tuple(curve), dataset=replace(report.dataset, columns=columns))
    certain = with_certificates(scored(full), of_curves)
    return judged(explained(certain, tuple(one.name for one in columns)))
