"""JUnit XML: no package ships a schema of it, so the rules of the one that Jenkins uses are written out here.

They are those of junit-10.xsd of its xUnit plugin: which elements may stand where, with which attributes, and which of
these have to be there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from judging import hostile, judged, many

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

Golden = Callable[[str, str], None]
EVERY = ("tail_report", "worst_report", "eta_report", "gain_report", "given_report", "certified_tail", "certified_gain")


@dataclass(frozen=True)
class Allowed:
    inside: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    text: bool = False


SCHEMA = {
    "testsuites": Allowed(("testsuite",), (), ("name", "time", "tests", "failures", "errors")),
    "testsuite": Allowed(
        ("testsuite", "properties", "testcase", "system-out", "system-err"),
        ("name", "tests", "failures", "errors"),
        ("group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"),
    ),
    "properties": Allowed(("property",)),
    "property": Allowed((), ("name", "value")),
    "testcase": Allowed(
        ("skipped", "error", "failure", "system-out", "system-err"), ("name",), ("time", "classname", "group")
    ),
    "failure": Allowed((), (), ("type", "message"), text=True),
    "skipped": Allowed((), (), ("type", "message"), text=True),
}


def faults(element: Element) -> list[str]:
    """What junit-10.xsd would refuse."""
    allowed = SCHEMA[element.tag]
    found = [f"no {name} at {element.tag}" for name in allowed.required if name not in element.attrib]
    found += [f"{name} at {element.tag}" for name in element.attrib if name not in allowed.required + allowed.optional]
    found += [f"{one.tag} in {element.tag}" for one in element if one.tag not in allowed.inside]
    loose = [element.text, *(one.tail for one in element)]
    found += [f"text in {element.tag}" for text in loose if text and text.strip() and not allowed.text]
    return found + [fault for one in element if one.tag in SCHEMA for fault in faults(one)]


def parsed(report: Report) -> Element:
    root = ElementTree.fromstring(formats.render("junit", report).encode())
    assert root.tag in ("testsuites", "testsuite")
    assert faults(root) == []
    return root


def cases(report: Report) -> dict[str, Element]:
    return {one.attrib["name"]: one for one in parsed(report).iter("testcase")}


def test_the_whole(worst_report: Report, golden: Golden) -> None:
    golden("nu-max.junit.xml", formats.render("junit", judged(worst_report)))


@pytest.mark.parametrize("name", EVERY)
def test_a_report_without_a_judgement_has_no_test(request: pytest.FixtureRequest, name: str) -> None:
    (suite,) = parsed(request.getfixturevalue(name))
    assert suite.attrib["tests"] == suite.attrib["failures"] == suite.attrib["skipped"] == "0"
    assert [one.tag for one in suite] == ["properties"]


@pytest.mark.parametrize(
    ("spoilt", "fault"),
    [
        ("<testsuites><testcase name='a'/></testsuites>", "testcase in testsuites"),
        ("<testsuites skipped='1'/>", "skipped at testsuites"),
        ("<testsuite name='a' tests='0' failures='0'/>", "no errors at testsuite"),
        ("<testsuite name='a' tests='0' failures='0' errors='0'>text</testsuite>", "text in testsuite"),
        ("<testcase name='a' status='run'/>", "status at testcase"),
    ],
)
def test_and_those_rules_have_teeth(spoilt: str, fault: str) -> None:
    assert fault in faults(ElementTree.fromstring(spoilt))


def test_a_case_is_a_line(worst_report: Report) -> None:
    found = cases(judged(worst_report))
    assert [*found] == [
        "nu_max(mechanism=rr:epsilon=4).high < 0", "nu_max(mechanism=rr:epsilon=0.5).low > 4", "eta_max.high > 0.99",
        "nu_max.high > 10", "renyi(order=2).high > 1", "log_ratio_max.high > 7", "waiver of eta_min",
    ]  # fmt: skip
    assert {one.attrib["classname"] for one in found.values()} == {"nu-max clinic.parquet"}
    ended = [(one.tag, one.attrib["type"]) for case in found.values() for one in case]
    assert ended == [
        ("failure", "fail"), ("failure", "inconclusive"), ("failure", "fail"), ("failure", "not measured"),
        ("skipped", "waived"), ("failure", "waiver"),
    ]  # fmt: skip


def test_a_failure_says_what_and_on_what_it_rests(worst_report: Report) -> None:
    (failure,) = cases(judged(worst_report))["nu_max.high > 10"]
    assert failure.attrib["message"] == "nu_max of rr:epsilon=0.5: high inf > 10, estimate inf"
    assert failure.text is not None
    assert "the line is about 4 numbers, and 4 of them do not pass" in failure.text
    assert "estimate Infinity, high Infinity, at confidence 0.99 (clopper-pearson)" in failure.text
    assert "assumes: the rows are an independent sample of the population" in failure.text


def test_a_waived_line_is_skipped_with_the_reason(worst_report: Report) -> None:
    (skipped,) = cases(judged(worst_report))["log_ratio_max.high > 7"]
    assert skipped.attrib["message"] == "accepted until 2026-06-30: features are published already"
    assert skipped.text is not None
    assert "high 7.535 > 7" in skipped.text


def test_the_counts_are_those_of_the_cases(worst_report: Report) -> None:
    for report in (judged(worst_report), hostile(worst_report), many(worst_report, 30)):
        root = parsed(report)
        (suite,) = root
        counted = {
            "tests": len([*root.iter("testcase")]), "failures": len([*root.iter("failure")]), "errors": 0,
        }  # fmt: skip
        for element in (root, suite):
            assert {name: int(element.attrib[name]) for name in counted} == counted
        assert int(suite.attrib["skipped"]) == len([*root.iter("skipped")])


def test_properties(worst_report: Report) -> None:
    found = {one.attrib["name"]: one.attrib["value"] for one in parsed(judged(worst_report)).iter("property")}
    assert found == {
        "version": "0.1.0", "dataset": f"sha256:{worst_report.dataset.sha256}", "estimator": "knn",
        "confidence": "0.99", "outcome": "fail",
        "waiver 1": "waiver of log_ratio_max until 2026-06-30 (used): features are published already",
        "waiver 2": "waiver of eta_min until 2026-05-31 (run out: this is a failure): was to be looked at in May",
    }  # fmt: skip


def test_words_come_back_as_they_are_told(worst_report: Report) -> None:
    """Escaped once, and nothing that XML forbids: controls and half characters are spelled out."""
    (suite,) = parsed(hostile(worst_report))
    assert suite.attrib["name"].startswith("<b>&\"'|`]]>{0}[a](1)\\x00\\x1b[31m\\r\\n::error::x%0A")
    assert suite.attrib["name"].endswith("\\u202e\\u2028\\ud800-\\udcff\\ufffe")


def test_no_time_anywhere(worst_report: Report) -> None:
    root = parsed(judged(worst_report))
    assert all({"time", "timestamp", "hostname"}.isdisjoint(one.attrib) for one in root.iter())
