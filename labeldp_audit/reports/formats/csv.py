"""The findings as a table for spreadsheets and scripts: one row each, RFC 4180, exact floats.

Where a policy was judged, three columns more stand at the end, `line`, `outcome` and `until`, which are empty for
findings, and these rows below the findings. A program that picks rows by `quantity` never meets them.
Names of columns that a spreadsheet would take for formulas begin with an apostrophe.

verdict   a line of the policy: `line`, `outcome`, in `reason` what was found, in `until` the last day of the waiver
          that covers it; mechanism, coordinates and numbers are those of the finding that it was judged by
waiver    a waiver of the policy: in `line` the quantity that it is about, in `outcome` what it does for this report, in
          `until` its last day, in `reason` why the risk is accepted
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from ...core.finding import NEIGHBORHOODS, Bound, Finding
from ...core.policy import Judgement
from ...core.quoting import plain
from ...core.report import Report
from .. import answers
from .spelling import exact

VERDICT, WAIVER = "verdict", "waiver"
_NUMBERS = ("estimate", "low", "high", *NEIGHBORHOODS)
_AFTER = (*_NUMBERS, "confidence", "n", "method", "assumptions", "reason")
_JUDGED = ("line", "outcome", "until")


def render(report: Report, **_: object) -> str:
    places, judged = sorted({key for finding in report.findings for key in finding.at}), report.judgement
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(("quantity", "mechanism", *map(_cell, places), *_AFTER, *(_JUDGED if judged else ())))
    empty = ("",) * len(_JUDGED) if judged else ()
    writer.writerows((*_row(finding, places), *empty) for finding in report.findings)
    writer.writerows(_judged(judged, places) if judged else ())
    return out.getvalue()


def _row(finding: Finding, places: Sequence[str]) -> list[str]:
    bound = finding.bound
    texts = (bound.method, "; ".join(bound.assumptions), bound.reason or "")
    numbers = (*(getattr(bound, name) for name in _NUMBERS), finding.confidence)
    return [
        plain(finding.quantity), plain(finding.mechanism or ""), *(_cell(finding.at.get(place)) for place in places),
        *map(_cell, numbers), str(bound.n), *map(plain, texts),
    ]  # fmt: skip


def _judged(judged: Judgement, places: Sequence[str]) -> Iterator[list[str]]:
    for one in judged.verdicts:
        until = one.waiver.until.isoformat() if one.waiver else ""
        yield [*_said(VERDICT, one.worst, one.said, places), plain(one.line), str(one.outcome), until]
    for waived in judged.waivers:
        about = waived.waiver
        said = [plain(about.quantity), answers.state(waived, judged), about.until.isoformat()]
        yield [*_said(WAIVER, None, about.reason, places), *said]


def _said(kind: str, worst: Finding | None, said: str, places: Sequence[str]) -> list[str]:
    """The cells of a finding, of which the last says something else; numbers stay numbers where there is none."""
    *cells, _ = _row(worst or Finding(kind, Bound(None, None, None, 0, ""), 0.0), places)
    return [kind, *cells[1:], plain(said)]


def _cell(value: float | str | None) -> str:
    if isinstance(value, str):  # a spreadsheet would take some names of columns for formulas
        text = plain(value)
        return f"'{text}" if text[:1] in "=+-@" and text else text
    return "" if value is None else exact(value)
