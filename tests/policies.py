"""Made-up reports to be judged: numbers that are easy to compare, and nothing of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from labeldp_audit.core.eta import EtaSummary
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Judgement, Verdict, Waiver
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Dataset
from labeldp_audit.policy import judge
from labeldp_audit.questions.quantities import QUANTITIES

SHA = "9f2c" * 16
TODAY = date(2026, 6, 1)
ONE, FOUR = "rr:epsilon=1", "rr:epsilon=4"


def bound(
    low: float | None, estimate: float | None, high: float | None, reason: str | None = None, n: int = 100
) -> Bound:
    return Bound(estimate, low, high, n, "clopper-pearson", ("rows are independent",), reason)


def finding(
    quantity: str, low: float | None, estimate: float | None, high: float | None, mechanism: str | None = None,
    **at: float | str,
) -> Finding:  # fmt: skip
    return Finding(quantity, bound(low, estimate, high), 0.99, mechanism, at)


def absent(quantity: str, mechanism: str | None = None, **at: float | str) -> Finding:
    return Finding(quantity, bound(None, None, None, "this loss is not defined for bags"), 0.99, mechanism, at)


def report(*findings: Finding, parameters: Mapping[str, object] | None = None) -> Report:
    dataset = Dataset("t.csv", SHA, 100, 100, "y", "1", ("0", "1"), (60, 40), ())
    eta = EtaSummary("knn", 10, "l2", 100, 100, True, 1.0, 1.0, 0.5)
    return Report(
        "audit", "0.1.0", dataset, eta, {"confidence": 0.99, **(parameters or {})}, findings, quantities=QUANTITIES
    )


def waiver(quantity: str = "nu_max", until: date = date(2026, 6, 30), dataset: str = SHA) -> Waiver:
    return Waiver(quantity, dataset, until, "features are published already")


def verdict(line: str, *findings: Finding, **more: object) -> Verdict:
    return judge.verdict(judge.parse(line), report(*findings, **more))  # type: ignore[arg-type]


def judged(lines: Iterable[str], *findings: Finding, waivers: Iterable[Waiver] = (), today: date = TODAY) -> Judgement:
    asked = judge.Policy(tuple(map(judge.parse, lines)), tuple(waivers))
    return judge.judge(asked, report(*findings), today)
