"""What holds of every report that an audit made: whoever reads one back can rely on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...core.eta import EtaSummary
from ...core.finding import Finding
from ...core.policy import COMPARISONS, FIELDS, Verdict
from ...core.report import ALONE, COMPARED, TUNE, Report
from ...core.table import Dataset


def check(report: Report) -> None:
    """A ValueError says what is wrong first."""
    for fault in _faults(report):
        raise ValueError(fault)


def _faults(report: Report) -> Iterator[str]:
    yield from _of_dataset(report.dataset)
    yield from _of_eta(report.eta)
    yield from _of_parameters(report.parameters)
    yield from (fault for one in report.findings for fault in _of_finding(one))
    yield from (fault for one in (report.judgement.verdicts if report.judgement else ()) for fault in _of_verdict(one))


def _of_parameters(parameters: Mapping[str, object]) -> Iterator[str]:
    """Those that are read again."""
    confidence = parameters.get("confidence", 0.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        yield "the confidence of the report is no share"
    lists = [parameters.get(COMPARED, [])]
    for name in (TUNE, ALONE):
        by_name = parameters.get(name, {})
        lists += by_name.values() if isinstance(by_name, Mapping) else [None]
    if not all(isinstance(one, list) and all(isinstance(spec, str) for spec in one) for one in lists):
        yield "mechanisms stand in lists of texts"


def _of_dataset(data: Dataset) -> Iterator[str]:
    if len(set(data.classes)) < 2 or len(set(data.classes)) < len(data.classes):
        yield "a label has two classes or more, and each once"
    if len(data.class_counts) != len(data.classes) or min(data.class_counts) < 0:
        yield "each class has a count"
    if not 0 < data.rows_used <= data.rows or sum(data.class_counts) != data.rows_used:
        yield "the counts of the classes are not those of the rows"
    if (data.positive is None) != (len(data.classes) > 2) or data.positive not in (None, *data.classes):
        yield "the positive class is one of two"


def _of_eta(eta: EtaSummary) -> Iterator[str]:
    if min(eta.queries, eta.n) < 1 or not 0 <= eta.one_class <= eta.queries or (eta.k is not None and eta.k < 1):
        yield "rows and neighbours are counted from 1"
    if not 0 <= eta.recall_low <= 1 or not 0 <= eta.recall <= 1:
        yield "a recall is a share"
    if not all(0 <= share <= 1 for one in eta.reliability for share in (one.said, one.came, one.low, one.high)):
        yield "of what is said and what comes there are shares"


def _of_verdict(one: Verdict) -> Iterator[str]:
    if one.field not in FIELDS or one.comparison not in COMPARISONS:
        yield f"the verdict about {one.quantity} compares nothing"


def _of_finding(one: Finding) -> Iterator[str]:
    if not 0 <= one.confidence <= 1:
        yield f"the confidence of {one.quantity} is no share"
    if one.bound.n < 0 or (one.bag is not None and one.bag < 1):
        yield f"the counts of {one.quantity} are none"
