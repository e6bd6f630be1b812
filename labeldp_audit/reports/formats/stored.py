"""A report back from its JSON: whatever is not exactly what was written is refused, never read as something else."""

from __future__ import annotations

import datetime
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from ...core.errors import DataError
from ...core.eta import Bin, EtaSummary, KnnTrial, Tried
from ...core.finding import NEIGHBORHOODS, Bound, Change, Finding, Way
from ...core.from_json import WORDS, Nouns, listed, members, number, refused, text, whole
from ...core.policy import COMPARISONS, FIELDS, Judgement, Outcome, Verdict, Waived, Waiver
from ...core.quantity import PER_CENT, Quantity
from ...core.remark import UNCODED, Remark
from ...core.report import COMPARED, SCHEMA, TUNE, VERIFY, Report
from ...core.table import Column, Dataset
from .. import sentences
from . import report_hash

_WITHOUT_ETA = (VERIFY, "check", "diff")  # and what was made of its reports
Object = Mapping[str, Any]

_MANIFEST = SCHEMA.partition("/")[0] + "/release/"
AGAIN = "write it anew: labeldp-audit audit DATA"
_NAMES = ("binds", "bound", "class", "column", "group", "of", "parameter", "scale")  # of `at` that are never numbers
_THRESHOLD = re.compile(r"(>=|<=|>|<)\s*([-+]?(?:inf|[\d.]+(?:e[-+]?\d+)?))\s*$", re.IGNORECASE)  # of a line
_ROUNDED = 1e-9  # of sums, and of thresholds as lines spell them
_LOSSES = {"log_loss", "blind", "less"}  # of remarks, which may be infinite


def read(text: str, name: str, quantities: Mapping[str, Quantity]) -> Report:
    return read_with_run(text, name, quantities)[0]


def read_with_run(text: str, name: str, quantities: Mapping[str, Quantity]) -> tuple[Report, Object | None]:
    """And when and where it was made, where that was asked for. name: of the file, for the reader of an error;
    quantities: that reports may hold."""
    document = _parsed(text, name)
    _check_schema(document.get("schema"), name)
    try:
        sealed = document.get(report_hash.KEY) == report_hash.hash_of(document)
    except (ValueError, RecursionError):  # numbers beyond all bounds
        sealed = False
    if not sealed:
        raise DataError("the report is not as labeldp-audit wrote it: its seal does not fit", name, hint=AGAIN)
    run = document.get("run")
    try:
        report = replace(_report(document), quantities=quantities)
        sentences.check(report.remarks)
        for fault in (*_faults_of_table(report.dataset), *_faults(report)):
            raise ValueError(fault)
        return report, run if isinstance(run, dict) else None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        fault = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError(f"not a report of labeldp-audit: {fault}", name, hint=AGAIN) from None


def _parsed(text: str, name: str) -> dict[str, Any]:
    def constant(word: str) -> NoReturn:
        raise ValueError(f"{word} is not JSON")

    def without_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise ValueError("a key is there twice")
        return found

    try:
        document = json.loads(text, parse_constant=constant, object_pairs_hook=without_twice)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not a whole report: {error}", name, hint=AGAIN) from None
    if not isinstance(document, dict):
        raise DataError("not a report of labeldp-audit", name, hint=AGAIN)
    return document


def _check_schema(schema: object, name: str) -> None:
    if schema == SCHEMA:
        return
    if isinstance(schema, str) and schema.startswith(_MANIFEST):
        raise DataError("the manifest of a release, not a report", name, hint="verify its release for a report")
    if isinstance(schema, str) and schema.startswith(SCHEMA.partition("/")[0] + "/"):
        what = f"the report has the schema {schema}, and this version reads {SCHEMA}"
        raise DataError(what, name, hint="use the version of labeldp-audit that wrote it, or a newer one")
    raise DataError("not a report of labeldp-audit", name, hint=AGAIN)


# ---- nouns


def _report(document: Object) -> Report:
    findings = tuple(map(_finding, listed(document["findings"])))
    if not re.fullmatch("[a-z][a-z-]*", text(document["command"])):  # a file may be named after it
        raise ValueError("no name of a command")
    judged = document.get("judgement")
    if judged is not None:
        verdicts = tuple(_verdict(one, findings) for one in listed(judged["verdicts"]))
        told = Outcome(judged["outcome"])
        judged = Judgement(
            verdicts, tuple(_NOUNS.read(Waived, one, waiver=_waiver(one)) for one in listed(judged["waivers"]))
        )
        if judged.outcome is not told:
            raise ValueError(f"its verdicts come to {judged.outcome}, and it says {told}")
    version = text(document["tool"]["version"])
    known: dict[str, object] = {
        "findings": findings,
        "judgement": judged,
        "remarks": _remarks(document),
        "quantities": {},
    }
    made: Report = _NOUNS.read(Report, document, version=version, **known)
    return made


def _remarks(document: Object) -> tuple[Remark, ...]:
    """One for each warning. A code that this version does not know has the sentence that stands in the file."""
    coded = [_remark(one) for one in listed(document.get("remarks", []))]
    said = [text(one) for one in listed(document["warnings"])]
    if len(coded) != len(said):  # of an older version, most of whose warnings have no code
        told = {sentences.sentence(one) for one in coded}
        return (*coded, *(Remark(UNCODED, text=one) for one in said if one not in told))
    return tuple(
        one if one.code in sentences.SENTENCES else Remark(one.code, **{**one.values, "text": words})
        for one, words in zip(coded, said, strict=True)
    )


def _remark(one: Object) -> Remark:
    values = members(one["values"])
    return Remark(text(one["code"]), **values | {name: number(values[name]) for name in _LOSSES & values.keys()})


def _finding(one: Any) -> Finding:
    found: Finding = _NOUNS.read(Finding, one, bound=_NOUNS.read(Bound, one))
    return found


def _at(at: Any) -> dict[str, float | str]:
    return {
        key: value if isinstance(value, str) and (key in _NAMES or value not in WORDS) else number(value)
        for key, value in members(at).items()
    }


def _verdict(one: Object, findings: tuple[Finding, ...]) -> Verdict:
    """Python would count a place below 0 from the end of the list."""
    place = None if one["finding"] is None else whole(one["finding"])
    if place is not None and place < 0:
        refused(place, "a place in a list")
    worst = None if place is None else findings[place]
    waiver = None if one["waived"] is None else _waiver(one["waived"])
    found: Verdict = _NOUNS.read(Verdict, one, worst=worst, waiver=waiver)
    if found.field in FIELDS and found.value != (None if one["value"] is None else number(one["value"])):
        raise ValueError(f"the verdict about {found.quantity} has another value than its finding")
    return found


def _waiver(one: Object) -> Waiver:
    until, dataset = datetime.date.fromisoformat(one["until"]), text(one["dataset"]).removeprefix("sha256:")
    found: Waiver = _NOUNS.read(Waiver, one, until=until, dataset=dataset)
    return found


_NOUNS: Nouns = Nouns(
    (Dataset, Column, EtaSummary, KnnTrial, Bin, Tried),
    {
        "Outcome": Outcome, "Mapping[str, float | str]": _at,
        "Change": lambda one: Change(_finding(one["old"]), _finding(one["new"]), Way(one["way"])),
    },
    optional={
        Report: ("uncertifiable", "changes"), EtaSummary: ("order_p", "knn"),
        Bound: ("reason", "standard_error", *NEIGHBORHOODS),
        Finding: ("claim", "bag"), Column: ("missing", "levels", "width"), Waiver: ("baseline",),
        Tried: ("k", "behind", "behind_error"),
    },
)  # fmt: skip


# ---- what holds of every report that an audit made


def _faults_of_table(data: Dataset) -> Iterator[str]:
    if len(set(data.classes)) < 2 or len(set(data.classes)) < len(data.classes):
        yield "a label has two classes or more, and each once"
    if len(data.class_counts) != len(data.classes) or min(data.class_counts) < 0:
        yield "each class has a count"
    if not 0 < data.rows_used <= data.rows or sum(data.class_counts) != data.rows_used:
        yield "the counts of the classes are not those of the rows"
    if (data.positive is None) != (len(data.classes) > 2) or data.positive not in (None, *data.classes):
        yield "the positive class is one of two"


def _faults(report: Report) -> Iterator[str]:
    eta, parameters = report.eta, report.parameters
    if eta is None:
        if report.command not in _WITHOUT_ETA:
            yield "how eta was estimated is missing"
    elif min(eta.queries, eta.n) < 1 or not 0 <= eta.one_class <= eta.queries or (eta.k is not None and eta.k < 1):
        yield "rows and neighbours are counted from 1"
    elif not 0 <= eta.recall_low <= 1 or not 0 <= eta.recall <= 1:
        yield "a recall is a share"
    elif not all(0 <= share <= 1 for one in eta.reliability for share in (one.said, one.came, one.low, one.high)):
        yield "of what is said and what comes there are shares"
    confidence = parameters.get("confidence", 0.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        yield "the confidence of the report is no share"
    if not all(isinstance(one, list) and all(isinstance(spec, str) for spec in one) for one in _specs(parameters)):
        yield "mechanisms stand in lists of texts"
    for found in report.findings:
        yield from _faults_of_finding(found, report.quantities.get(found.quantity))
    for verdict in report.judgement.verdicts if report.judgement else ():
        if verdict.field not in FIELDS or verdict.comparison not in COMPARISONS:
            yield f"the verdict about {verdict.quantity} compares nothing"
        elif not _follows(verdict):
            yield f"the verdict about {verdict.quantity} does not follow from what was found"


def _faults_of_finding(one: Finding, known: Quantity | None) -> Iterator[str]:
    bound = one.bound
    if not 0 <= one.confidence <= 1:
        yield f"the confidence of {one.quantity} is no share"
    if bound.n < 0 or (one.bag is not None and one.bag < 1):
        yield f"the counts of {one.quantity} are none"
    if not _rises(bound.low, bound.estimate, bound.high):
        yield f"{one.quantity} is not between its low and its high"
    if not _rises(*(near := (bound.neighborhood_low, bound.neighborhood_high))):
        yield f"the limits of neighbourhoods of {one.quantity} do not rise"
    share = known is not None and known.written_in == PER_CENT
    if share and not (_rises(0, bound.low, bound.estimate, bound.high, 1) and _rises(0, *near, 1)):
        yield f"{one.quantity} is no share"


def _rises(*ends: float | None) -> bool:
    known = [one for one in ends if one is not None]
    return all(one <= other or math.isclose(one, other, abs_tol=_ROUNDED) for one, other in itertools.pairwise(known))


def _follows(verdict: Verdict) -> bool:
    """Does what passes do so by the line that was typed? One without a finding passes where nothing could break it."""
    passes, worst, most = verdict.outcome is Outcome.PASS, verdict.worst, verdict.threshold
    if not 0 <= verdict.failing <= verdict.judged or (passes and verdict.failing):
        return False
    typed = _THRESHOLD.search(verdict.line)
    if typed is not None and (typed[1] != verdict.comparison or not _alike(float(typed[2]), most)):
        return False
    if worst is not None and worst.quantity != verdict.quantity:
        return False
    if not passes and verdict.outcome not in (Outcome.UNPROVEN, Outcome.VACUOUS):
        return True
    if worst is None:
        return math.isinf(most)
    value = verdict.value
    broken = COMPARISONS[verdict.comparison]
    return value is not None and (not broken(value, most) or _alike(value, most))


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_ROUNDED)


def _specs(parameters: Mapping[str, object]) -> Iterator[object]:
    """Lists of mechanisms that are read again."""
    yield parameters.get(COMPARED, [])
    by_name = parameters.get(TUNE, {})
    yield from by_name.values() if isinstance(by_name, Mapping) else [None]
