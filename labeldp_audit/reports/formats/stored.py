"""A report back from its JSON: whatever is not exactly what was written is refused, never read as something else."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NoReturn, TypeVar

from ...core.errors import DataError
from ...core.eta import Bin, EtaSummary, Tried
from ...core.finding import Bound, Finding
from ...core.policy import Judgement, Outcome, Verdict, Waived, Waiver
from ...core.quantity import Quantity
from ...core.remark import Remark
from ...core.report import SCHEMA, Report
from ...core.table import Column, Dataset
from . import consistency, report_hash

Read = TypeVar("Read")
Object = Mapping[str, Any]

AGAIN = "write it anew: labeldp-audit audit DATA"
_WORDS = {"Infinity": math.inf, "-Infinity": -math.inf}
_NAMES = ("binds", "bound", "class", "column", "of", "parameter", "scale")  # of `at` that are never numbers


def read(text: str, name: str, quantities: Mapping[str, Quantity]) -> Report:
    return read_with_run(text, name, quantities)[0]


def read_with_run(text: str, name: str, quantities: Mapping[str, Quantity]) -> tuple[Report, Object | None]:
    """And when and where it was made, where that was asked for. name: of the file, for the reader of an error;
    quantities: that reports may hold."""
    document = _parsed(text, name)
    _check_schema(document, name)
    if not _is_sealed(document):
        raise DataError("the report is not as labeldp-audit wrote it: its seal does not fit", name, hint=AGAIN)
    run = document.get("run")
    try:
        report = replace(_report(document), quantities=quantities)
        consistency.check(report)
        return report, run if isinstance(run, dict) else None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise DataError(f"not a report of labeldp-audit: {_fault(error)}", name, hint=AGAIN) from None


def _is_sealed(document: Object) -> bool:
    try:
        return document.get(report_hash.KEY) == report_hash.hash_of(document)
    except (ValueError, RecursionError):  # numbers beyond all bounds
        return False


def _parsed(text: str, name: str) -> dict[str, Any]:
    def constant(word: str) -> NoReturn:
        raise ValueError(f"{word} is not JSON")

    try:
        document = json.loads(text, parse_constant=constant, object_pairs_hook=_without_twice)
    except (ValueError, RecursionError) as error:
        raise DataError(f"not a whole report: {_fault(error)}", name, hint=AGAIN) from None
    if not isinstance(document, dict):
        raise DataError("not a report of labeldp-audit", name, hint=AGAIN)
    return document


def _without_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _fault(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def _check_schema(document: Object, name: str) -> None:
    schema = document.get("schema")
    if schema == SCHEMA:
        return
    family = SCHEMA.partition("/")[0]
    if isinstance(schema, str) and schema.startswith(f"{family}/"):
        what = f"the report has the schema {schema}, and this version reads {SCHEMA}"
        raise DataError(what, name, hint="use the version of labeldp-audit that wrote it, or a newer one")
    raise DataError("not a report of labeldp-audit", name, hint=AGAIN)


def _report(document: Object) -> Report:
    findings = tuple(_finding(one) for one in _list(document["findings"]))
    judged = document.get("judgement")
    return Report(
        command=_command(document["command"]), version=_text(document["tool"]["version"]),
        dataset=_dataset(document["dataset"]), eta=_eta(document["eta"]), parameters=_object(document["parameters"]),
        findings=findings, warnings=tuple(map(_text, _list(document["warnings"]))),
        remarks=tuple(map(_remark, _list(document.get("remarks", [])))),
        uncertifiable=_maybe(_text, document.get("uncertifiable")),
        judgement=None if judged is None else _judgement(judged, findings),
    )  # fmt: skip


def _remark(one: Object) -> Remark:
    return Remark(_text(one["code"]), _object(one["values"]))


def _command(value: Any) -> str:
    """A file may be named after it."""
    if not re.fullmatch("[a-z][a-z-]*", _text(value)):
        raise ValueError("no name of a command")
    return str(value)


def _dataset(data: Object) -> Dataset:
    return Dataset(
        name=_text(data["name"]), sha256=_text(data["sha256"]), rows=_whole(data["rows"]),
        rows_used=_whole(data["rows_used"]), label=_text(data["label"]), positive=_maybe(_text, data["positive"]),
        classes=tuple(map(_text, _list(data["classes"]))), class_counts=tuple(map(_whole, _list(data["class_counts"]))),
        columns=tuple(Column(**_of(Column, one)) for one in _list(data["columns"])),
    )  # fmt: skip


def _eta(eta: Object) -> EtaSummary:
    return EtaSummary(
        estimator=_text(eta["estimator"]), k=_maybe(_whole, eta["k"]), metric=_maybe(_text, eta["metric"]),
        n=_whole(eta["n"]), queries=_whole(eta["queries"]), exact=_truth(eta["exact"]), recall=_number(eta["recall"]),
        recall_low=_number(eta["recall_low"]), log_loss=_number(eta["log_loss"]), one_class=_whole(eta["one_class"]),
        order_p=_maybe(_number, eta.get("order_p")),
        tried=tuple(Tried(**{"k": None} | _of(Tried, one)) for one in _list(eta["tried"])),
        reliability=tuple(Bin(**_of(Bin, one)) for one in _list(eta["reliability"])),
    )  # fmt: skip


def _of(kind: type, values: Object) -> dict[str, Any]:
    """What that noun has of it; a newer version may have written more."""
    known: dict[str, str] = {field.name: field.type for field in fields(kind)}  # type: ignore[misc]
    return {key: _READERS[known[key]](value) for key, value in _object(values).items() if key in known}


def _finding(one: Object) -> Finding:
    bound = Bound(
        estimate=_maybe(_number, one["estimate"]), low=_maybe(_number, one["low"]), high=_maybe(_number, one["high"]),
        n=_whole(one["n"]), method=_text(one["method"]), assumptions=tuple(map(_text, _list(one["assumptions"]))),
        reason=_maybe(_text, one.get("reason")), standard_error=_maybe(_number, one.get("standard_error")),
    )  # fmt: skip
    return Finding(
        _text(one["quantity"]), bound, _number(one["confidence"]), _maybe(_text, one["mechanism"]), _at(one["at"]),
        _maybe(_number, one.get("claim")), _maybe(_whole, one.get("bag")),
    )  # fmt: skip


def _at(at: Object) -> dict[str, float | str]:
    return {
        key: value if isinstance(value, str) and (key in _NAMES or value not in _WORDS) else _number(value)
        for key, value in _object(at).items()
    }


def _judgement(judged: Object, findings: Sequence[Finding]) -> Judgement:
    verdicts = tuple(_verdict(one, findings) for one in _list(judged["verdicts"]))
    return Judgement(verdicts, tuple(map(_waived, _list(judged["waivers"]))))


def _verdict(one: Object, findings: Sequence[Finding]) -> Verdict:
    return Verdict(
        line=_text(one["line"]), outcome=Outcome(one["outcome"]), said=_text(one["said"]),
        quantity=_text(one["quantity"]), field=_text(one["field"]), comparison=_text(one["comparison"]),
        threshold=_number(one["threshold"]),
        worst=None if one["finding"] is None else findings[_place(one["finding"])], judged=_whole(one["judged"]),
        failing=_whole(one["failing"]), waiver=_maybe(_waiver, one["waived"]),
    )  # fmt: skip


def _waived(one: Object) -> Waived:
    return Waived(_waiver(one), _truth(one["about_this"]), _truth(one["expired"]), _truth(one["used"]))


def _waiver(one: Object) -> Waiver:
    until = datetime.date.fromisoformat(one["until"])
    return Waiver(_text(one["quantity"]), _text(one["dataset"]).removeprefix("sha256:"), until, _text(one["reason"]))


def _maybe(kind: Callable[[Any], Read], value: Any) -> Read | None:
    return None if value is None else kind(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else _refused(value, "a text")


def _truth(value: Any) -> bool:
    return value if isinstance(value, bool) else _refused(value, "true or false")


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else _refused(value, "a whole number")


def _place(value: Any) -> int:
    """In a list; Python would count what is below 0 from its end."""
    place = _whole(value)
    return place if place >= 0 else _refused(value, "a place in a list")


def _number(value: Any) -> float:
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        float(value)  # refuses what no number of a report can be
        return value
    return _refused(value, "a number")


# By how the fields of nouns are declared.
_READERS: Mapping[str, Callable[[Any], object]] = {
    "str": _text, "int": _whole, "float": _number, "int | None": lambda value: _maybe(_whole, value),
}  # fmt: skip


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else _refused(value, "a list")


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else _refused(value, "an object")


def _refused(value: object, wanted: str) -> NoReturn:
    raise TypeError(f"{type(value).__name__} instead of {wanted}")
