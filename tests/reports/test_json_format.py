"""The report for programs: what is written comes back exactly, and nothing else is taken for it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joint import REPORTS, SHARED
from judging import HOSTILE, LATER, hostile, judged, noticed

from labeldp_audit.core.errors import DataError
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Judgement
from labeldp_audit.core.report import Report
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import report_hash, stored

NUMBERS = st.none() | st.floats(allow_nan=False)


def parsed(report: Report, **more: Any) -> dict[str, Any]:
    text = formats.render("json", report, **more)
    return json.loads(text, parse_constant=lambda token: pytest.fail(f"not JSON: {token}"))


def read(document: dict[str, Any] | str) -> Report:
    text = document if isinstance(document, str) else json.dumps(document)
    return stored.read(text, "r.json", QUANTITIES)


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "seal": report_hash.hash_of(document)}


# ---- written


@SHARED
@given(estimate=NUMBERS, low=NUMBERS, high=NUMBERS, tau=st.floats(allow_nan=False))
def test_every_float_comes_back_exactly(
    eta_report: Report, estimate: float | None, low: float | None, high: float | None, tau: float
) -> None:
    rising = iter(sorted(one for one in (low, estimate, high) if one is not None))
    low, estimate, high = (None if one is None else next(rising) for one in (low, estimate, high))
    finding = Finding("nu_max", Bound(estimate, low, high, 5, "m"), 0.99, "rr:epsilon=1", {"tau": tau})
    report = replace(eta_report, findings=(finding,))
    (found,) = parsed(report)["findings"]
    numbers = [found[key] for key in ("estimate", "low", "high")] + [found["at"]["tau"]]
    assert [float(one) if isinstance(one, str) else one for one in numbers] == [estimate, low, high, tau]
    assert read(parsed(report)).findings == (finding,)


@SHARED
@given(text=st.text(st.characters(), max_size=20))
def test_every_name_comes_back_and_can_be_written(eta_report: Report, text: str) -> None:
    report = replace(eta_report, dataset=replace(eta_report.dataset, label=text), remarks=(noticed(text),))
    formats.render("json", report).encode("utf-8")
    # Python reads an escaped surrogate pair as the character that it is, which names from files cannot tell apart.
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert (parsed(report)["warnings"], parsed(report)["dataset"]["label"]) == ([expected], expected)


def test_one_finding_a_line(tail_report: Report) -> None:
    lines = formats.render("json", tail_report).splitlines()
    found = [json.loads(line.strip().rstrip(",")) for line in lines if line.lstrip().startswith('{"quantity"')]
    assert found == parsed(tail_report)["findings"]


def test_run_information_only_where_it_is_asked_for_and_sealed_too(eta_report: Report) -> None:
    text = formats.render("json", eta_report, run_info={"user": "ann", "threads": 2})
    assert stored.read_with_run(text, "r.json", QUANTITIES)[1] == {"user": "ann", "threads": 2}
    assert stored.read_with_run(formats.render("json", eta_report), "r.json", QUANTITIES)[1] is None
    with pytest.raises(DataError, match="seal"):
        read(text.replace("ann", "bob"))


@pytest.mark.parametrize(("value", "expected"), [
    (np.float64(0.1), 0.1), (np.int64(7), 7), (np.bool_(True), True), (np.float32(0.5), 0.5), (-math.inf, "-Infinity"),
    ((1, 2), [1, 2]), ({"deep": {"deeper": math.inf}}, {"deep": {"deeper": "Infinity"}}), (None, None), (True, True),
])  # fmt: skip
def test_parameters_of_any_plain_kind(eta_report: Report, value: object, expected: object) -> None:
    found = parsed(replace(eta_report, parameters={"value": value}))["parameters"]["value"]
    assert found == expected and type(found) is type(expected)


def test_what_has_no_json_is_refused(eta_report: Report) -> None:
    with pytest.raises(TypeError, match=r"a report cannot hold (Posix|Windows)Path"):
        formats.render("json", replace(eta_report, parameters={"file": Path("x")}))


def test_a_verdict_points_at_the_finding_it_is_about(worst_report: Report) -> None:
    """Equal findings are told apart by where they are, so a reader who counts finds the same one."""
    document = parsed(judged(worst_report))
    for one in document["judgement"]["verdicts"]:
        if one["finding"] is not None:
            found = document["findings"][one["finding"]]
            assert (found["quantity"], found[one["field"]]) == (one["quantity"], one["value"])
    twice = replace(worst_report, findings=(worst_report.findings[1], replace(worst_report.findings[1])))
    assert parsed(judged(twice, ("eta_max.high > 0.99",), ()))["judgement"]["verdicts"][0]["finding"] == 0


def test_the_judgement_says_all(worst_report: Report, golden: Callable[[str, str], None]) -> None:
    golden("nu-max-judged.json", formats.render("json", judged(worst_report)))


def test_infinite_thresholds_are_words(worst_report: Report) -> None:
    said = parsed(judged(worst_report, ("nu_max.high >= inf", "nu_max.low <= -inf"), ()))["judgement"]["verdicts"]
    assert [one["threshold"] for one in said] == ["Infinity", "-Infinity"]


# ---- read back


@pytest.mark.parametrize("policy", [False, True])
@pytest.mark.parametrize("name", REPORTS)
def test_what_is_read_is_what_was_written(request: pytest.FixtureRequest, name: str, policy: bool) -> None:
    report: Report = request.getfixturevalue(name)
    if policy:
        lines = ("j(tau=6).high > 0.05", "nu_max.high > 10", "advantage.high > 0.02", "certified_j(tau=3).low > 0.01")
        report = judged(report, lines, (("j", LATER, "known"), ("advantage", LATER, "known")))
    text = formats.render("json", report)
    again = read(text)
    assert again.judgement == report.judgement and again.findings == report.findings
    for form in formats.names():
        assert formats.render(form, again) == formats.render(form, report)
    assert formats.picture(again) == formats.picture(report)


def test_other_people_s_words_come_back_too(worst_report: Report) -> None:
    again = read(formats.render("json", replace(hostile(worst_report), command="nu-max")))
    assert again.judgement is not None and again.judgement == hostile(worst_report).judgement
    assert again.judgement.waivers[0].waiver.reason == HOSTILE


def test_spaces_the_order_of_keys_and_what_a_newer_version_adds_do_not_matter(tail_report: Report) -> None:
    document = parsed(tail_report)
    document["mood"] = document["dataset"]["columns"][0]["mood"] = document["findings"][0]["mood"] = "fine"
    document = dict(reversed(resealed(document).items()))
    assert read(json.dumps(document, indent=8)).findings == tail_report.findings


def test_the_outcome_that_is_written_is_not_believed(worst_report: Report) -> None:
    """It follows from the verdicts, whatever a file says that somebody sealed anew."""
    document = parsed(judged(worst_report))
    document["judgement"]["outcome"] = "pass"
    with pytest.raises(DataError, match="its verdicts come to fail, and it says pass"):
        read(resealed(document))


def test_a_judgement_of_nothing(worst_report: Report) -> None:
    report = replace(worst_report, judgement=Judgement(()))
    assert parsed(report)["judgement"] == {"outcome": "pass", "verdicts": [], "waivers": []}
    assert read(parsed(report)).judgement == Judgement(())


def put(document: dict[str, Any], *place: Any) -> None:
    """The last is the value, or ... for nothing at all."""
    *keys, last, value = place
    inner: Any = document
    for key in keys:
        inner = inner[key]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value


@pytest.mark.parametrize("edits", [
    [("findings", 0, "high", 0.001)], [("findings", -1, ...)], [("findings", 0, "high", 0.001), ("seal", ...)],
    [("judgement", "verdicts", 3, "outcome", "pass")], [("judgement", ...)],
])  # fmt: skip
def test_a_report_that_somebody_edited_is_refused(worst_report: Report, edits: list[tuple[Any, ...]]) -> None:
    document = parsed(judged(worst_report))
    for edit in edits:
        put(document, *edit)
    with pytest.raises(DataError, match=r"seal does not fit: r\.json"):
        read(document)


VERDICT = ("judgement", "verdicts", 3)
FITTING = {
    "another value than its finding": [(*VERDICT, "value", 0.5)],
    "name of a command": [("command", "../x"), ("command", "")],
    "is missing": [("dataset", "sha256", ...), ("eta", "tried", ...), ("findings", 0, "mechanism", ...),
                   ("judgement", "waivers", 0, "used", ...), (*VERDICT, "said", ...)],
    "instead of": [
        ("eta", []), ("findings", 0, "high", "much"), ("dataset", "columns", 0, "name", 5),
        ("dataset", "columns", 0, "missing", None), ("dataset", "columns", 0, "levels", "many"),
        ("findings", 0, "at", []), ("findings", 0, "at", {"tau": None}), ("warnings", "x"), ("eta", "exact", 1),
        ("eta", "n", True), ("eta", "log_loss", True), (*VERDICT, "threshold", "much"), (*VERDICT, "judged", 1.5),
        (*VERDICT, "line", None), (*VERDICT, "finding", -1), (*VERDICT, "finding", "1"),
    ],
    "": [
        ("findings", 0, "estimate", 10**400), (*VERDICT, "outcome", "fine"), (*VERDICT, "finding", 99),
        (*VERDICT, "waived", {"reason": "x"}),
        *((("judgement", "waivers", 0, "until", until)) for until in ("tomorrow", "2026-02-30", 20260630, None)),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("said", "edit"), [(said, edit) for said, edits in FITTING.items() for edit in edits], ids=str)
def test_a_sealed_report_that_does_not_fit_is_refused(worst_report: Report, said: str, edit: tuple[Any, ...]) -> None:
    """Every member is there and has its type; no number is computed again."""
    document = parsed(judged(worst_report))
    put(document, *edit)
    with pytest.raises(DataError, match=rf"not a report of labeldp-audit: .*{said}.*: r\.json"):
        read(resealed(document))


def test_a_report_of_a_later_version_is_refused_by_its_schema(tail_report: Report) -> None:
    document = {**parsed(tail_report), "schema": "labeldp-audit/2"}
    with pytest.raises(DataError, match=r"schema labeldp-audit/2, and this version reads labeldp-audit/1"):
        read(resealed(document))


def test_a_manifest_is_called_one(tail_report: Report) -> None:
    document = {**parsed(tail_report), "schema": "labeldp-audit/release/1"}
    with pytest.raises(DataError, match="the manifest of a release, not a report"):
        read(resealed(document))


SPOILT: dict[str, list[Callable[[str], str]]] = {
    "not a whole report": [
        lambda text: "", lambda text: text[: len(text) // 2], lambda text: text + "{}", lambda text: "[" * 100_000,
        lambda text: text.replace("0.99", "NaN"), lambda text: text.replace('"schema"', '"schema": 1, "schema"', 1),
    ],
    "not a report": [lambda text: "[]", lambda text: "{}", lambda text: '{"schema": "another/1"}'],
}  # fmt: skip


@pytest.mark.parametrize(("said", "spoilt"), [(said, spoil) for said, ways in SPOILT.items() for spoil in ways])
def test_corrupt_reports_are_refused(tail_report: Report, spoilt: Callable[[str], str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(spoilt(formats.render("json", tail_report)))
