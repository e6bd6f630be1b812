"""What other institutions get: the schema of each, what is refused, and that no true label shows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from judging import HOSTILE, LINES, hostile, judged

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Finding
from labeldp_audit.core.policy import Judgement, Outcome
from labeldp_audit.core.report import VERIFY, Report
from labeldp_audit.reports.exports import EXPORTS, in_toto

# ---- in-toto: Statement v1 and the predicate test-result v0.1, as their specifications say


def described(*required: str) -> dict[str, Any]:
    """A ResourceDescriptor: one of uri, digest and content at least."""
    return {
        "type": "object", "required": list(required), "additionalProperties": False,
        "anyOf": [{"required": [one]} for one in ("uri", "digest", "content")],
        "properties": {
            **{one: {"type": "string"} for one in ("name", "uri", "content", "downloadLocation", "mediaType")},
            "digest": {
                "type": "object", "minProperties": 1, "additionalProperties": False,
                "properties": {"sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
            },
            "annotations": {"type": "object"},
        },
    }  # fmt: skip


NAMES = {"type": "array", "items": {"type": "string"}}
STATEMENT = {
    "type": "object", "additionalProperties": False, "required": ["_type", "subject", "predicateType", "predicate"],
    "properties": {
        "_type": {"const": "https://in-toto.io/Statement/v1"},
        "subject": {"type": "array", "minItems": 1, "items": described("digest")},
        "predicateType": {"const": "https://in-toto.io/attestation/test-result/v0.1"},
        "predicate": {
            "type": "object", "additionalProperties": False, "required": ["result", "configuration"],
            "properties": {
                "result": {"enum": ["PASSED", "WARNED", "FAILED"]},
                "configuration": {"type": "array", "items": described()},
                "url": {"type": "string"}, "passedTests": NAMES, "warnedTests": NAMES, "failedTests": NAMES,
            },
        },
    },
}  # fmt: skip


def statement(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(in_toto.of_report(report))
    jsonschema.validate(found, STATEMENT)
    return found


def test_lines_of_a_policy_are_tests_that_passed_were_warned_of_or_failed(worst_report: Report) -> None:
    found = statement(judged(worst_report))
    assert found["subject"] == [{"name": "clinic.parquet", "digest": {"sha256": "9f2c" * 16}}]
    tests = {name: set(found["predicate"][f"{name}Tests"]) for name in ("passed", "warned", "failed")}
    assert tests == {
        "passed": {LINES[0]}, "warned": {LINES[2], LINES[5]},  # inconclusive, and waived
        "failed": {LINES[1], LINES[3], LINES[4], "waiver of eta_min"},  # not measured too; and a waiver that ran out
    }  # fmt: skip
    assert found["predicate"]["result"] == "FAILED"
    assert found["predicate"]["configuration"][0]["annotations"]["lines"] == list(LINES)


@pytest.mark.parametrize(
    ("lines", "waivers", "result"),
    [(LINES[:1], (), "PASSED"), (LINES[:3:2], (), "WARNED"), (LINES[:2], (), "FAILED"), (LINES[4:5], (), "FAILED")],
)
def test_the_result_is_the_verdict(worst_report: Report, lines: Any, waivers: Any, result: str) -> None:
    report = judged(worst_report, lines, waivers)
    assert report.judgement is not None
    passes = report.judgement.outcome is Outcome.PASS
    assert statement(report)["predicate"]["result"] == result and passes == (result == "PASSED")


def test_what_is_waived_is_no_clean_pass(worst_report: Report) -> None:
    from judging import WAIVERS

    report = judged(worst_report, (LINES[0], LINES[5]), WAIVERS[:1])
    assert report.judgement is not None and report.judgement.outcome is Outcome.PASS
    assert statement(report)["predicate"]["result"] == "WARNED"


def test_one_who_signs_knows_what_was_asked_and_of_what(worst_report: Report) -> None:
    one, other = (statement(judged(worst_report, lines, ())) for lines in (LINES[:1], LINES[:2]))
    ours, theirs = (found["predicate"]["configuration"][0]["digest"] for found in (one, other))
    assert ours != theirs
    verified = replace(judged(worst_report, LINES[:1], ()), command=VERIFY)
    about = statement(verified)["predicate"]["configuration"][0]["annotations"]
    assert about["with_original"] is False and about["command"] == VERIFY


def test_nothing_is_attested_that_was_not_tested(worst_report: Report) -> None:
    unknown = replace(worst_report, dataset=replace(worst_report.dataset, sha256=""))
    for report, said in (
        (worst_report, "no policy was judged"),
        (replace(worst_report, judgement=Judgement(())), "no policy was judged"),
        (judged(unknown), "no digest"),
        (hostile(worst_report), "no digest"),
    ):
        with pytest.raises(SpecError, match=said):
            in_toto.of_report(report)


# ---- of every export


@pytest.fixture
def reports(gain_report: Report) -> list[Report]:
    report = judged(gain_report, ("advantage.high > 1",), ())
    odd = replace(report.dataset, name=HOSTILE, label=HOSTILE, classes=(HOSTILE, "1"))
    return [report, replace(report, dataset=odd, version=HOSTILE, command=HOSTILE)]


@pytest.mark.parametrize("name", EXPORTS.names())
def test_other_peoples_words_stay_words_and_the_same_is_the_same(reports: list[Report], name: str) -> None:
    export = EXPORTS.get(name)
    for report in reports:
        text = export.of_report(report)
        assert text == export.of_report(report) and text.endswith("\n") and text.encode()
        assert all(character.isprintable() or character == "\n" for character in text)
        assert isinstance(json.loads(text), dict)


@pytest.mark.parametrize("name", EXPORTS.names())
def test_no_number_that_depends_on_a_true_label(reports: list[Report], name: str) -> None:
    """Other labels, the same verdict: the same file."""

    def other(one: Finding) -> Finding:
        values = (value and value * 0.75 for value in (one.bound.estimate, one.bound.low, one.bound.high))
        return replace(one, bound=replace(one.bound, **dict(zip(("estimate", "low", "high"), values, strict=True))))

    report = reports[0]
    assert report.judgement is not None and report.eta is not None
    verdicts = tuple(replace(one, worst=one.worst and other(one.worst)) for one in report.judgement.verdicts)
    changed = replace(
        report, dataset=replace(report.dataset, class_counts=report.dataset.class_counts[::-1]),
        findings=tuple(map(other, report.findings)), eta=replace(report.eta, log_loss=0.1), remarks=(),
        judgement=replace(report.judgement, verdicts=verdicts),
    )  # fmt: skip
    assert changed != report and EXPORTS.get(name).of_report(changed) == EXPORTS.get(name).of_report(report)
