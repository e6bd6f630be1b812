"""The report for programs: `"schema": "labeldp-audit/1"`, exact floats, one finding per line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from numbers import Integral, Real

from ...core.finding import NEIGHBORHOODS, Finding
from ...core.policy import Judgement, Waiver
from ...core.report import OLDER, SCHEMA, TOOL, Report
from .. import sentences
from . import report_hash
from .spelling import exact

_DATASET = "name sha256 rows rows_used features label positive classes class_counts prior"
_PLAIN = frozenset((str, int, bool, type(None)))


def render(report: Report, *, run_info: Mapping[str, object] | None = None, **_: object) -> str:
    document = strict(_document(report, run_info))
    assert isinstance(document, dict)
    text = "\n".join(_lines(document | {report_hash.KEY: report_hash.hash_of(document)})) + "\n"
    return visible(text)


def _document(report: Report, run_info: Mapping[str, object] | None) -> dict[str, object]:
    data, eta = report.dataset, report.eta
    document: dict[str, object] = {
        "schema": SCHEMA,
        "tool": {"name": TOOL, "version": report.version},
        "command": report.command,
        "dataset": {name: getattr(data, name) for name in _DATASET.split()}
        | {"columns": [asdict(one) for one in data.columns]},
        "eta": None
        if eta is None
        else asdict(eta)
        | {
            "tried": [_known(asdict(one)) for one in eta.tried],
            "reliability": [asdict(one) | {"fits": one.fits} for one in eta.reliability],
        },
        "parameters": report.parameters,
        "findings": [_finding(finding) for finding in report.findings],
        "warnings": sentences.warnings(report),
        "remarks": [asdict(one) for one in report.remarks],
    }
    if OLDER in report.parameters:
        document["changes"] = [
            {"way": one.way, "old": _finding(one.old), "new": _finding(one.new)} for one in report.changes
        ]
    document |= _known({"uncertifiable": report.uncertifiable})
    if report.judgement is not None:
        document["judgement"] = _judgement(report.judgement, report)
    return document if run_info is None else {**document, "run": run_info}


def _known(values: Mapping[str, object]) -> dict[str, object]:
    """What is nothing has no key."""
    return {name: value for name, value in values.items() if value is not None}


def _finding(finding: Finding) -> dict[str, object]:
    bound = finding.bound
    return {
        "quantity": finding.quantity, "mechanism": finding.mechanism, "at": finding.at, "estimate": bound.estimate,
        "low": bound.low, "high": bound.high, "confidence": finding.confidence, "n": bound.n, "method": bound.method,
        "assumptions": bound.assumptions,
        **({} if finding.bag is None else {"claim": finding.claim, "bag": finding.bag}),
        **_known({name: getattr(bound, name) for name in ("reason", "standard_error", *NEIGHBORHOODS)}),
    }  # fmt: skip


def _judgement(judged: Judgement, report: Report) -> dict[str, object]:
    """finding: place in the list of findings of the one that a verdict is about."""
    places = {id(finding): place for place, finding in enumerate(report.findings)}
    verdicts = [
        {
            "line": one.line, "outcome": one.outcome, "waived": None if one.waiver is None else _waiver(one.waiver),
            "said": one.said, "quantity": one.quantity, "field": one.field, "comparison": one.comparison,
            "threshold": one.threshold, "value": one.value, "finding": places.get(id(one.worst)),
            "judged": one.judged, "failing": one.failing,
        }
        for one in judged.verdicts
    ]  # fmt: skip
    waivers = [
        {**_waiver(one.waiver), "about_this": one.about_this, "expired": one.expired, "used": one.used}
        for one in judged.waivers
    ]
    return {"outcome": judged.outcome, "verdicts": verdicts, "waivers": waivers}


def _waiver(one: Waiver) -> dict[str, object]:
    told = asdict(one) | {"dataset": f"sha256:{one.dataset}", "until": one.until.isoformat()}
    return {name: value for name, value in told.items() if name != "baseline" or value}


def strict(value: object) -> object:
    """Only what JSON has: infinities become strings, numpy's numbers plain ones. NaN raises."""
    kind = type(value)
    if kind in _PLAIN or (kind is float and math.isfinite(value)):  # type: ignore[arg-type]  # nearly all there is
        return value
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, Mapping):
        return {str(key): strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [strict(item) for item in value]
    if isinstance(value, str | bool):  # an enumeration's, and numpy's
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        spelled = exact(float(value))
        return spelled if spelled.endswith("Infinity") else float(value)
    raise TypeError(f"a report cannot hold {type(value).__name__}")


def _lines(value: object, depth: int = 0) -> Iterator[str]:
    """The first two levels and lists of objects are spread out; everything deeper is one line."""
    pairs = _members(value, depth)
    if not pairs:
        yield _compact(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield opening
    for position, (key, item) in enumerate(pairs):
        *first, last = _lines(item, depth + 1)
        head, *rest = [*first, last + ("," if position + 1 < len(pairs) else "")]
        yield f"  {key}{head}"
        yield from (f"  {line}" for line in rest)
    yield closing


def _members(value: object, depth: int) -> list[tuple[str, object]]:
    if isinstance(value, dict) and depth < 2:
        return [(f"{_compact(key)}: ", item) for key, item in value.items()]
    if isinstance(value, list) and (any(isinstance(item, dict) for item in value) or depth == 1):
        return [("", item) for item in value]
    return []


_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def visible(text: str) -> str:
    """Lone surrogates have no UTF-8, and invisible characters should be seen. They occur inside strings only."""
    return re.sub(r"[^\n -~]", _visible, text)


def _visible(match: re.Match[str]) -> str:
    character = match.group()
    return character if character.isprintable() else json.dumps(character)[1:-1]
