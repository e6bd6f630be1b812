"""A report read back is the report that was written, and nothing else is taken for one."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from labeldp_audit.core.errors import DataError
from labeldp_audit.core.report import Report
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import report_hash, stored

NAMES = ("tail_report", "worst_report", "eta_report", "gain_report", "given_report", "certified_tail", "certified_gain")


@pytest.fixture(params=NAMES)
def report(request: pytest.FixtureRequest) -> Report:
    return request.getfixturevalue(request.param)


def test_what_is_read_is_what_was_written(report: Report) -> None:
    text = formats.render("json", report)
    again = stored.read(text, "r.json", QUANTITIES)
    assert formats.render("json", again) == text
    for name in formats.names():
        assert formats.render(name, again) == formats.render(name, report)
    assert formats.picture(again) == formats.picture(report)


def test_spaces_and_the_order_of_keys_are_nobody_s_business(tail_report: Report) -> None:
    document = json.loads(formats.render("json", tail_report))
    assert stored.read(json.dumps(dict(reversed(document.items())), indent=8), "r.json", QUANTITIES).findings


def test_run_info_is_sealed_too(tail_report: Report) -> None:
    text = formats.render("json", tail_report, run_info={"user": "ann"})
    assert stored.read_with_run(text, "r.json", QUANTITIES)[1] == {"user": "ann"}
    assert stored.read_with_run(formats.render("json", tail_report), "r.json", QUANTITIES)[1] is None
    with pytest.raises(DataError, match="seal"):
        stored.read(text.replace("ann", "bob"), "r.json", QUANTITIES)


def changed(document: dict) -> None:
    document["findings"][0]["high"] = 0.001


def dropped(document: dict) -> None:
    del document["findings"][-1]


def unsealed(document: dict) -> None:
    changed(document)
    del document["seal"]


@pytest.mark.parametrize("edit", [changed, dropped, unsealed])
def test_a_report_that_somebody_edited_is_refused(tail_report: Report, edit: Callable[[dict], None]) -> None:
    document = json.loads(formats.render("json", tail_report))
    edit(document)
    with pytest.raises(DataError, match=r"seal does not fit: r\.json"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)


def future(document: dict) -> None:
    document["schema"] = "labeldp-audit/2"


def text_for_number(document: dict) -> None:
    document["findings"][0]["high"] = "much"


def lacking(document: dict) -> None:
    del document["dataset"]["sha256"]


def list_for_object(document: dict) -> None:
    document["eta"] = []


@pytest.mark.parametrize("edit", [text_for_number, lacking, list_for_object])
def test_a_sealed_report_of_the_wrong_shape_is_refused(tail_report: Report, edit: Callable[[dict], None]) -> None:
    document = json.loads(formats.render("json", tail_report))
    edit(document)
    document["seal"] = report_hash.hash_of(document)
    with pytest.raises(DataError, match=r"not a report of labeldp-audit: .*: r\.json"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("dataset", "classes"), []),
        (("dataset", "classes"), ["0"]),
        (("dataset", "classes"), ["1", "1"]),
        (("dataset", "classes"), ["0", "1", "2"]),
        (("dataset", "class_counts"), [1]),
        (("dataset", "class_counts"), [1, 2]),
        (("dataset", "class_counts"), []),
        (("dataset", "rows_used"), 0),
        (("dataset", "rows"), 1),
        (("dataset", "positive"), None),
        (("dataset", "positive"), "2"),
        (("dataset", "columns", 0, "name"), 5),
        (("dataset", "columns", 0, "missing"), None),
        (("dataset", "columns", 0, "levels"), "many"),
        (("eta", "queries"), 0),
        (("eta", "k"), -1),
        (("eta", "one_class"), 10**9),
        (("eta", "recall"), 1.5),
        (("eta", "recall_low"), "Infinity"),
        (("parameters", "confidence"), 99),
        (("parameters", "confidence"), "0.99"),
        (("parameters", "compared"), [[]]),
        (("parameters", "tune"), {"rr": 5}),
        (("parameters", "judged_alone"), ["x"]),
        (("findings", 0, "confidence"), 1.01),
        (("findings", 0, "confidence"), -0.5),
        (("findings", 0, "n"), -1),
        (("findings", 0, "estimate"), 10**400),
    ],
)
def test_a_sealed_report_whose_numbers_do_not_fit_is_refused(
    tail_report: Report, place: tuple[str | int, ...], value: object
) -> None:
    """Formats divide by these, count with them and take them for shares."""
    document = json.loads(formats.render("json", tail_report))
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    document["seal"] = report_hash.hash_of(document)
    with pytest.raises(DataError, match=r"not a report of labeldp-audit: .*: r\.json"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)


@pytest.mark.parametrize(("key", "value"), [("field", "n"), ("comparison", "=="), ("comparison", "")])
def test_verdicts_compare_what_lines_compare(joint_report: Report, key: str, value: str) -> None:
    document = json.loads(formats.render("json", joint_report))
    document["judgement"]["verdicts"][0][key] = value
    document["seal"] = report_hash.hash_of(document)
    with pytest.raises(DataError, match="compares nothing"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)


def test_a_report_of_a_later_version_is_refused_by_its_schema(tail_report: Report) -> None:
    document = json.loads(formats.render("json", tail_report))
    future(document)
    document["seal"] = report_hash.hash_of(document)
    with pytest.raises(DataError, match=r"schema labeldp-audit/2, and this version reads labeldp-audit/1"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)


def test_what_a_newer_version_adds_does_not_matter(tail_report: Report) -> None:
    document = json.loads(formats.render("json", tail_report))
    document["mood"] = "fine"
    document["dataset"]["columns"][0]["mood"] = document["findings"][0]["mood"] = "fine"
    document["seal"] = report_hash.hash_of(document)
    assert stored.read(json.dumps(document), "r.json", QUANTITIES).findings == tail_report.findings


TRUNCATED = "not a whole report"


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (lambda text: "", TRUNCATED),
        (lambda text: text[: len(text) // 2], TRUNCATED),
        (lambda text: text + "{}", TRUNCATED),
        (lambda text: text.replace("0.99", "NaN"), TRUNCATED),
        (lambda text: text.replace('"schema"', '"schema": 1, "schema"', 1), TRUNCATED),
        (lambda text: "[" * 100_000, TRUNCATED),
        (lambda text: "[]", "not a report"),
        (lambda text: "{}", "not a report"),
        (lambda text: '{"schema": "another/1"}', "not a report"),
    ],
)
def test_corrupt_reports_are_refused(tail_report: Report, spoilt: Callable[[str], str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        stored.read(spoilt(formats.render("json", tail_report)), "r.json", QUANTITIES)
