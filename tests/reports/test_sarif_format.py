"""SARIF 2.1.0: what the schema of the standard says, and what code scanning of GitHub asks for beside it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from judging import HOSTILE, hostile, judged
from sarif_schema import schema

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

Golden = Callable[[str, str], None]
EVERY = ("tail_report", "worst_report", "eta_report", "gain_report", "given_report", "certified_tail", "certified_gain")


def log(report: Report, **more: Any) -> dict[str, Any]:
    """Read strictly, and as the schema wants it."""

    def refuse(token: str) -> float:
        raise AssertionError(f"not JSON: {token}")

    read: dict[str, Any] = json.loads(formats.render("sarif", report, **more), parse_constant=refuse)
    jsonschema.Draft7Validator(schema()).validate(read)
    return read


def run(report: Report, **more: Any) -> dict[str, Any]:
    (only,) = log(report, **more)["runs"]
    return only


def results(report: Report, **more: Any) -> list[dict[str, Any]]:
    return run(report, **more)["results"]


def test_the_whole(worst_report: Report, golden: Golden) -> None:
    golden("nu-max.sarif", formats.render("sarif", judged(worst_report), location="data/clinic.parquet"))


@pytest.mark.parametrize("name", EVERY)
def test_a_report_without_a_judgement_has_rules_alone(request: pytest.FixtureRequest, name: str) -> None:
    report: Report = request.getfixturevalue(name)
    found = run(report)
    assert found["results"] == []
    assert [one["id"] for one in found["tool"]["driver"]["rules"]] == list(
        dict.fromkeys(one.quantity for one in report.findings)
    )
    assert found["invocations"][0]["executionSuccessful"] is True


def test_other_people_s_words_stay_words(worst_report: Report) -> None:
    """Neither placeholders (3.11.5) nor links (3.11.6): braces are doubled and brackets escaped."""
    found = run(hostile(worst_report))
    for one in found["results"]:
        said = one["message"]["text"]
        assert "{0}" not in said.replace("{{0}}", "")
        assert "[a](1)" not in said.replace("\\[a\\](1)", "")
    text = json.dumps(found["results"])
    assert "{{0}}" in text
    assert "\\\\[a\\\\](1)" in text


def test_the_schema_has_teeth(worst_report: Report) -> None:
    good = log(judged(worst_report))
    for spoil in (
        lambda bad: bad["runs"][0]["results"][0].pop("message"),
        lambda bad: bad["runs"][0]["results"][0].update(level="fatal"),
        lambda bad: bad["runs"][0]["results"][0].update(estimate=1),
        lambda bad: bad["runs"][0]["invocations"][0].pop("executionSuccessful"),
        lambda bad: bad.update(version="2.0.0"),
    ):
        bad = copy.deepcopy(good)
        spoil(bad)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft7Validator(schema()).validate(bad)


def test_levels_and_kinds(worst_report: Report) -> None:
    """A result of another kind than fail has no level (3.27.10), and GitHub takes every kind for a problem."""
    found = [(one["ruleId"], one["level"], one["kind"]) for one in results(judged(worst_report))]
    assert found == [
        ("nu_max", "error", "fail"), ("nu_max", "error", "fail"), ("renyi", "error", "fail"),
        ("waiver", "error", "fail"), ("eta_max", "warning", "fail"), ("log_ratio_max", "note", "fail"),
    ]  # fmt: skip


def test_lines_that_pass_are_counted_and_no_results(worst_report: Report) -> None:
    about = run(judged(worst_report))["properties"]
    about.pop("waivers")
    assert about == {"outcome": "fail", "lines": 6, "passed": ["nu_max(mechanism=rr:epsilon=4).high < 0"]}
    fine = run(judged(worst_report, ("eta_max.high > 1",), ()))
    assert (fine["results"], fine["properties"]["outcome"]) == ([], "pass")


def test_every_waiver_is_in_the_properties(worst_report: Report) -> None:
    found = run(judged(worst_report))["properties"]["waivers"]
    assert [(one["quantity"], one["state"]) for one in found] == [
        ("log_ratio_max", "used"), ("eta_min", "run out: this is a failure"),
    ]  # fmt: skip
    assert found[0] == {
        "quantity": "log_ratio_max", "dataset": f"sha256:{worst_report.dataset.sha256}", "until": "2026-06-30",
        "state": "used", "reason": "features are published already",
    }  # fmt: skip


def test_every_result_has_its_rule(worst_report: Report) -> None:
    found = run(judged(worst_report))
    rules = [one["id"] for one in found["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    assert {"renyi", "waiver"} <= set(rules)
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in found["results"])


def test_rules_say_what_they_mean(worst_report: Report) -> None:
    """GitHub asks for shortDescription, fullDescription and help, and cuts the first two at 1024 characters."""
    rules = {one["id"]: one for one in run(judged(worst_report))["tool"]["driver"]["rules"]}
    assert rules["nu_max"]["shortDescription"]["text"] == "nu_max: largest loss of any person, in nats"
    assert "the rows are an independent sample of the population" in rules["nu_max"]["help"]["text"]
    assert "It does not prove that a release is safe." in rules["nu_max"]["help"]["text"]
    for one in rules.values():
        assert 0 < len(one["shortDescription"]["text"]) <= 1024
        assert 0 < len(one["fullDescription"]["text"]) <= 1024


def test_the_place_is_the_whole_file(worst_report: Report) -> None:
    """A region of one line is what GitHub wants of a file that has none (region.startLine is required there)."""
    named = replace(worst_report, dataset=replace(worst_report.dataset, name="a b#1%.csv"))
    for one in results(judged(named)):
        (place,) = one["locations"]
        assert place == {"physicalLocation": {
            "artifactLocation": {"uri": "a%20b%231%25.csv", "index": 0}, "region": {"startLine": 1},
        }}  # fmt: skip


def test_or_where_the_caller_says_it_is(worst_report: Report) -> None:
    found = run(judged(worst_report), location="./data/of 2026/clinic.parquet")
    where = {"uri": "data/of%202026/clinic.parquet", "uriBaseId": "%SRCROOT%"}
    assert found["artifacts"][0]["location"] == where
    assert found["artifacts"][0]["hashes"] == {"sha-256": worst_report.dataset.sha256}
    assert found["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {**where, "index": 0}
    assert found["automationDetails"]["id"] == "labeldp-audit/nu-max/data/of%202026/clinic.parquet/"


def fingerprints(report: Report) -> list[dict[str, str]]:
    return [one["partialFingerprints"] for one in results(report)]


def test_fingerprints_do_not_hang_on_numbers(worst_report: Report) -> None:
    """Nor on which mechanism is the worst, which hangs on numbers; nor on blanks."""
    lines = ("nu_max.high > 3", "nu_max(mechanism=rr:epsilon=4).high > 3", "nu_max.high > 2", "j.high > 3")
    before = fingerprints(judged(worst_report, lines, ()))
    higher = [replace(one, bound=replace(one.bound, low=50.0, estimate=60.0)) for one in worst_report.findings]
    spaced = tuple(line.replace(">", " >  ") for line in lines)
    after = fingerprints(judged(replace(worst_report, findings=tuple(reversed(higher))), spaced, ()))
    assert after == before
    for key in ("lineOfPolicy/v1", "primaryLocationLineHash"):
        assert len({one[key] for one in before}) == len(lines)


def test_waived_results_are_suppressed_with_the_reason(worst_report: Report) -> None:
    """Where one result says whether it is suppressed, all have to (3.27.23)."""
    *others, waived = results(judged(worst_report))
    accepted = {"kind": "external", "status": "accepted", "justification": "features are published already"}
    assert waived["suppressions"] == [accepted]
    assert all(one["suppressions"] == [] for one in others)


def test_numbers_are_in_the_properties(worst_report: Report) -> None:
    worst = results(judged(worst_report))[1]["properties"]
    assert worst["estimate"] == worst["high"] == "Infinity"
    assert (worst["low"], worst["confidence"], worst["threshold"]) == (3.8173 + 0.5, 0.99, 10.0)
    assert worst["mechanism"] == "rr:epsilon=0.5"
    assert worst["at"]["epsilon"] == 0.5
    assert (worst["judged"], worst["failing"], worst["outcome"]) == (4, 4, "fail")


def test_what_was_not_measured_has_no_numbers(worst_report: Report) -> None:
    about = results(judged(worst_report))[2]["properties"]
    assert about["outcome"] == "not measured"
    assert "estimate" not in about


def test_warnings_are_notifications(worst_report: Report) -> None:
    said = run(worst_report)["invocations"][0]["toolExecutionNotifications"]
    assert said[0] == {"level": "warning", "message": {"text": "19 rows without a label were dropped"}}
    assert "\x1b" not in json.dumps(said)


def test_run_information_only_where_it_is_asked_for(worst_report: Report) -> None:
    assert "properties" not in run(worst_report)["invocations"][0]
    asked = run(worst_report, run_info={"seconds": 1.5})
    assert asked["invocations"][0]["properties"] == {"run": {"seconds": 1.5}}


@pytest.mark.parametrize(
    ("version", "semantic"), [("0.1.0", True), ("1.2.3-rc.1+b", True), ("0.1", False), (HOSTILE, False)]
)
def test_a_version_is_semantic_only_if_it_is(worst_report: Report, version: str, semantic: bool) -> None:
    driver = run(replace(worst_report, version=version))["tool"]["driver"]
    assert ("semanticVersion" in driver) == semantic
    assert driver["name"] == "labeldp-audit"
    assert "informationUri" not in driver
