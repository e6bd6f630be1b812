"""Reports that were judged, with everything that is hard to print."""

from __future__ import annotations

import datetime
from dataclasses import replace

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Waiver
from labeldp_audit.core.remark import UNCODED, Remark
from labeldp_audit.core.report import Report
from labeldp_audit.policy import judge

TODAY = datetime.date(2026, 6, 1)
LATER, EARLIER = datetime.date(2026, 6, 30), datetime.date(2026, 5, 31)
# What other people's words may hold: markup of every format, controls, line ends, direction marks, half characters.
HOSTILE = "<b>&\"'|`]]>{0}[a](1)\x00\x1b[31m\r\n::error::x%0A,:\u202e\u2028\ud800-\udcff\ufffe"

LINES = (
    "nu_max(mechanism=rr:epsilon=4).high < 0",  # passes
    "nu_max(mechanism=rr:epsilon=0.5).low > 4",  # fails
    "eta_max.high > 0.99",  # inconclusive
    "nu_max.high > 10",  # fails
    "renyi(order=2).high > 1",  # not measured
    "log_ratio_max.high > 7",  # inconclusive, and accepted
)
WAIVERS = (
    ("log_ratio_max", LATER, "features are published already"),
    ("eta_min", EARLIER, "was to be looked at in May"),
)


def noticed(text: str) -> Remark:
    """As in a report of an older version."""
    return Remark(UNCODED, text=text)


def judged(
    report: Report, lines: tuple[str, ...] = LINES, waivers: tuple[tuple[str, datetime.date, str], ...] = WAIVERS
) -> Report:
    accepted = tuple(Waiver(quantity, report.dataset.sha256, *rest) for quantity, *rest in waivers)
    asked = judge.Policy(tuple(map(judge.parse, lines)), accepted)
    return replace(report, judgement=judge.judge(asked, report, TODAY))


def hostile(report: Report) -> Report:
    """Every name and word in it is somebody else's."""
    bound = Bound(None, 0.5, float("inf"), 10, HOSTILE, (HOSTILE,), HOSTILE)
    findings = (Finding("q", bound, 0.99, HOSTILE, {"class": HOSTILE}), replace(report.findings[0]))
    spoilt = replace(report.dataset, name=HOSTILE, sha256=HOSTILE, label=HOSTILE)
    words = HOSTILE.replace("'", "")
    lines = (f"q(class='{words}').high > 1", "q.high > 1", f"q(mechanism='{words}').low > 0")
    made = replace(
        report, dataset=spoilt, findings=findings, version=HOSTILE, command=HOSTILE, remarks=(noticed(HOSTILE),)
    )
    return judged(made, lines, (("eta_min", EARLIER, HOSTILE), ("q", LATER, HOSTILE)))


def many(report: Report, lines: int) -> Report:
    """So many lines that do not pass."""
    return judged(report, tuple(f"nu_max.high > {place}" for place in range(1, lines + 1)), ())
