"""What holds of every report that an audit made: whoever reads one back can rely on it."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Dataset, EtaSummary, Finding, Report


def check(report: Report) -> None:
    """A ValueError says what is wrong first."""
    for fault in _faults(report):
        raise ValueError(fault)


def _faults(report: Report) -> Iterator[str]:
    yield from _of_dataset(report.dataset)
    yield from _of_eta(report.eta)
    confidence = report.parameters.get("confidence", 0.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        yield "the confidence of the report is no share"
    yield from (fault for one in report.findings for fault in _of_finding(one))


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


def _of_finding(one: Finding) -> Iterator[str]:
    if not 0 <= one.confidence <= 1:
        yield f"the confidence of {one.quantity} is no share"
    if one.bound.n < 0 or (one.bag is not None and one.bag < 1):
        yield f"the counts of {one.quantity} are none"
