"""The findings as a table for spreadsheets and scripts: one row each, RFC 4180, exact floats.

Where a policy was judged, three columns more stand at the end, `line`, `outcome` and `until`, which are empty for
findings, and these rows below the findings. Whoever picks rows by `quantity` never meets them.

verdict   a line of the policy: `line`, `outcome`, in `reason` what was found, in `until` the last day of the waiver
          that covers it; mechanism, coordinates and numbers are those of the finding that it was judged by
waiver    a waiver of the policy: in `line` the quantity that it is about, in `outcome` what it does for this report, in
          `until` its last day, in `reason` why the risk is accepted
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from ...core.finding import Bound, Finding
from ...core.policy import Judgement, Waived
from ...core.report import Report
from .. import answers
from .spelling import exact, plain

VERDICT, WAIVER = "verdict", "waiver"
_BEFORE = ("quantity", "mechanism")
_AFTER = ("estimate", "low", "high", "confidence", "n", "method", "assumptions", "reason")
_JUDGED = ("line", "outcome", "until")
_NOTHING = Bound(None, None, None, 0, "")


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    places = sorted({key for finding in report.findings for key in finding.at})
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    found = report.judgement
    more, empty = ((), ()) if found is None else (_JUDGED, ("",) * len(_JUDGED))
    writer.writerow((*_BEFORE, *places, *_AFTER, *more))
    writer.writerows((*_row(finding, places), *empty) for finding in report.findings)
    writer.writerows(() if found is None else _judged(found, places))
    return out.getvalue()


def _row(finding: Finding, places: Sequence[str]) -> list[str]:
    bound = finding.bound
    return [
        plain(finding.quantity),
        plain(finding.mechanism or ""),
        *(_place(finding.at.get(place)) for place in places),
        *(_number(value) for value in (bound.estimate, bound.low, bound.high, finding.confidence)),
        str(bound.n),
        plain(bound.method),
        plain("; ".join(bound.assumptions)),
        plain(bound.reason or ""),
    ]


def _judged(found: Judgement, places: Sequence[str]) -> Iterator[list[str]]:
    for one in found.verdicts:
        until = one.waiver.until.isoformat() if one.waiver else ""
        yield [*_said(VERDICT, one.worst, one.said, places), plain(one.line), str(one.outcome), until]
    for waived in found.waivers:
        yield [*_said(WAIVER, None, waived.waiver.reason, places), *_waiver(waived, found)]


def _said(kind: str, worst: Finding | None, said: str, places: Sequence[str]) -> list[str]:
    """The cells of a finding, of which the last says something else; numbers stay numbers where there is none."""
    *cells, _ = _row(worst or Finding(kind, _NOTHING, 0.0), places)
    return [kind, *cells[1:], plain(said)]


def _waiver(one: Waived, found: Judgement) -> list[str]:
    return [plain(one.waiver.quantity), answers.state(one, found), one.waiver.until.isoformat()]


def _place(value: float | str | None) -> str:
    return plain(value) if isinstance(value, str) else _number(value)


def _number(value: float | None) -> str:
    return "" if value is None else exact(value)
