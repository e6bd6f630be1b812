"""A report back from its JSON: checked for types and checksum. Whoever can write it can also write another checksum."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from ...core.errors import DataError
from ...core.eta import Bin, EtaSummary, KnnTrial, Tried
from ...core.finding import NEIGHBORHOODS, Bound, Change, Finding, Way
from ...core.from_json import WORDS, Nouns, listed, members, number, refused, text, whole
from ...core.policy import FIELDS, Judgement, Outcome, Verdict, Waived, Waiver
from ...core.quantity import Quantity
from ...core.remark import UNCODED, Remark
from ...core.report import SCHEMA, Report
from ...core.table import Column, Dataset
from .. import sentences
from . import report_hash

Object = Mapping[str, Any]

_MANIFEST = SCHEMA.partition("/")[0] + "/release/"
AGAIN = "write it anew: labeldp-audit audit DATA"
_NAMES = ("binds", "bound", "class", "column", "group", "of", "parameter", "scale")  # of `at` that are never numbers
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
