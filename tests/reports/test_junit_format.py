"""JUnit XML: no package ships a schema of it, so the rules of the one that Jenkins uses are written out here.

They are those of junit-10.xsd of its xUnit plugin: which elements may stand where, with which attributes, and which of
these have to be there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from joint import REPORTS
from judging import hostile, judged, many

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats


class Allowed(NamedTuple):
    inside: str = ""
    required: str = ""
    optional: str = ""
    text: bool = False


SCHEMA = {
    "testsuites": Allowed("testsuite", "", "name time tests failures errors"),
    "testsuite": Allowed("testsuite properties testcase system-out system-err", "name tests failures errors",
                         "group time skipped timestamp hostname id package file log url"),
    "properties": Allowed("property"),
    "property": Allowed("", "name value"),
    "testcase": Allowed("skipped error failure system-out system-err", "name", "time classname group"),
    "failure": Allowed("", "", "type message", text=True),
    "skipped": Allowed("", "", "type message", text=True),
}  # fmt: skip


def faults(element: Element) -> list[str]:
    """What junit-10.xsd would refuse."""
    inside, required, optional, text = SCHEMA[element.tag]
    found = [f"no {name} at {element.tag}" for name in required.split() if name not in element.attrib]
    found += [f"{name} at {element.tag}" for name in element.attrib if name not in f"{required} {optional}".split()]
    found += [f"{one.tag} in {element.tag}" for one in element if one.tag not in inside.split()]
    loose = [element.text, *(one.tail for one in element)]
    found += [f"text in {element.tag}" for one in loose if one and one.strip() and not text]
    return found + [fault for one in element if one.tag in SCHEMA for fault in faults(one)]


@pytest.mark.parametrize(("spoilt", "fault"), [
    ("<testsuites><testcase name='a'/></testsuites>", "testcase in testsuites"),
    ("<testsuites skipped='1'/>", "skipped at testsuites"),
    ("<testsuite name='a' tests='0' failures='0'/>", "no errors at testsuite"),
    ("<testsuite name='a' tests='0' failures='0' errors='0'>text</testsuite>", "text in testsuite"),
])  # fmt: skip
def test_those_rules_have_teeth(spoilt: str, fault: str) -> None:
    assert fault in faults(ElementTree.fromstring(spoilt))


def parsed(report: Report) -> Element:
    root = ElementTree.fromstring(formats.render("junit", report).encode())
    assert root.tag == "testsuites" and faults(root) == []
    return root


def test_the_whole(worst_report: Report, golden: Callable[[str, str], None]) -> None:
    golden("nu-max.junit.xml", formats.render("junit", judged(worst_report)))


@pytest.mark.parametrize("name", REPORTS[:-2])
def test_a_report_without_a_judgement_has_no_test(request: pytest.FixtureRequest, name: str) -> None:
    (suite,) = parsed(request.getfixturevalue(name))
    assert suite.attrib["tests"] == suite.attrib["failures"] == suite.attrib["skipped"] == "0"
    assert [one.tag for one in suite] == ["properties"]


@pytest.mark.parametrize("change", [judged, hostile, lambda report: many(report, 30)])
def test_the_counts_are_those_of_the_cases(worst_report: Report, change: Callable[[Report], Report]) -> None:
    root = parsed(change(worst_report))
    (suite,) = root
    counted = {name: str(len([*root.iter(tag)])) for name, tag in (("tests", "testcase"), ("failures", "failure"))}
    assert counted.items() <= root.attrib.items() and counted.items() <= suite.attrib.items()
    assert int(suite.attrib["skipped"]) == len([*root.iter("skipped")])


def test_words_come_back_as_they_are_told(worst_report: Report) -> None:
    """Escaped once, and nothing that XML forbids: controls and half characters are spelled out."""
    (suite,) = parsed(hostile(worst_report))
    assert suite.attrib["name"].startswith("<b>&\"'|`]]>{0}[a](1)\\x00\\x1b[31m\\r\\n::error::x%0A")
    assert suite.attrib["name"].endswith("\\u202e\\u2028\\ud800-\\udcff\\ufffe")
