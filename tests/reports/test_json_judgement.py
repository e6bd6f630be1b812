"""Verdicts in JSON: what they were about, what they said, and that nobody changed them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from judging import HOSTILE, LATER, LINES, hostile, judged

from labeldp_audit.core.errors import DataError
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Judgement, Outcome
from labeldp_audit.core.report import Report
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import report_hash, stored


def parsed(report: Report) -> dict[str, Any]:
    return json.loads(formats.render("json", report), parse_constant=lambda token: pytest.fail(f"bare {token}"))


def test_no_judgement_where_there_is_no_policy(worst_report: Report) -> None:
    assert "judgement" not in parsed(worst_report)


def test_the_judgement_says_all(worst_report: Report) -> None:
    document = parsed(judged(worst_report))
    assert [*document][-2:] == ["judgement", "seal"]
    said = document["judgement"]
    assert [*said] == ["outcome", "verdicts", "waivers"]
    assert [one["line"] for one in said["verdicts"]] == [*LINES]
    assert [one["outcome"] for one in said["verdicts"]] == [
        "pass", "fail", "inconclusive", "fail", "not measured", "inconclusive",
    ]  # fmt: skip
    assert said["outcome"] == "fail"
    assert said["waivers"] == [
        {
            "quantity": "log_ratio_max", "dataset": f"sha256:{worst_report.dataset.sha256}", "until": "2026-06-30",
            "reason": "features are published already", "about_this": True, "expired": False, "used": True,
        },
        {
            "quantity": "eta_min", "dataset": f"sha256:{worst_report.dataset.sha256}", "until": "2026-05-31",
            "reason": "was to be looked at in May", "about_this": True, "expired": True, "used": False,
        },
    ]  # fmt: skip


def test_a_verdict_says_what_it_compared(worst_report: Report) -> None:
    said = parsed(judged(worst_report))["judgement"]["verdicts"]
    assert {key: said[3][key] for key in ("quantity", "field", "comparison", "threshold", "value")} == {
        "quantity": "nu_max", "field": "high", "comparison": ">", "threshold": 10.0, "value": "Infinity",
    }  # fmt: skip
    assert (said[3]["judged"], said[3]["failing"], said[3]["waived"]) == (4, 4, None)
    assert said[5]["waived"]["reason"] == "features are published already"
    assert (said[4]["finding"], said[4]["value"], said[4]["judged"]) == (None, None, 0)


def test_a_verdict_points_at_the_finding_it_is_about(worst_report: Report) -> None:
    document = parsed(judged(worst_report))
    for one in document["judgement"]["verdicts"]:
        if one["finding"] is not None:
            found = document["findings"][one["finding"]]
            assert found["quantity"] == one["quantity"]
            assert found[one["field"]] == one["value"]


def test_at_the_right_one_of_two_that_are_equal(worst_report: Report) -> None:
    """Equal findings are told apart by where they are, so a reader who counts finds the same one."""
    twice = replace(worst_report, findings=(worst_report.findings[1], replace(worst_report.findings[1])))
    assert twice.findings[0] == twice.findings[1]
    assert parsed(judged(twice, ("eta_max.high > 0.99",), ()))["judgement"]["verdicts"][0]["finding"] == 0


def test_infinite_thresholds_and_values_are_words(worst_report: Report) -> None:
    said = parsed(judged(worst_report, ("nu_max.high >= inf", "nu_max.low <= -inf"), ()))["judgement"]["verdicts"]
    assert [one["threshold"] for one in said] == ["Infinity", "-Infinity"]
    assert said[0]["value"] == "Infinity"


@pytest.mark.parametrize("name", ["tail_report", "worst_report", "gain_report", "certified_tail"])
def test_what_is_read_back_is_the_same_judgement(request: pytest.FixtureRequest, name: str) -> None:
    lines = ("j(tau=6).high > 0.05", "nu_max.high > 10", "advantage.high > 0.02", "certified_j(tau=3).low > 0.01")
    report = judged(request.getfixturevalue(name), lines, (("j", LATER, "known"), ("advantage", LATER, "known")))
    text = formats.render("json", report)
    again = stored.read(text, "r.json", QUANTITIES)
    assert again.judgement == report.judgement
    assert formats.render("json", again) == text
    for form in formats.names():
        assert formats.render(form, again) == formats.render(form, report)


def test_other_people_s_words_come_back_too(worst_report: Report) -> None:
    report = replace(hostile(worst_report), command="nu-max")
    again = stored.read(formats.render("json", report), "r.json", QUANTITIES)
    assert again.judgement == report.judgement
    assert again.judgement is not None
    assert again.judgement.waivers[0].waiver.reason == HOSTILE


def resealed(document: dict[str, Any]) -> str:
    document["seal"] = report_hash.hash_of(document)
    return json.dumps(document)


def test_a_verdict_that_somebody_changed_is_refused(worst_report: Report) -> None:
    document = parsed(judged(worst_report))
    document["judgement"]["verdicts"][3]["outcome"] = "pass"
    with pytest.raises(DataError, match="seal does not fit"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)
    document = parsed(judged(worst_report))
    del document["judgement"]
    with pytest.raises(DataError, match="seal does not fit"):
        stored.read(json.dumps(document), "r.json", QUANTITIES)


SPOILT = {
    "outcome": "fine", "finding": 99, "threshold": "much", "judged": 1.5, "line": None, "waived": {"reason": "x"},
}  # fmt: skip


@pytest.mark.parametrize("key", [*SPOILT, "finding before the first"])
def test_a_sealed_verdict_of_the_wrong_shape_is_refused(worst_report: Report, key: str) -> None:
    document = parsed(judged(worst_report))
    name, value = (key, SPOILT[key]) if key in SPOILT else ("finding", -1)
    document["judgement"]["verdicts"][3][name] = value
    with pytest.raises(DataError, match="not a report of labeldp-audit"):
        stored.read(resealed(document), "r.json", QUANTITIES)


@pytest.mark.parametrize("until", ["tomorrow", "2026-02-30", 20260630, None])
def test_so_is_a_waiver_without_a_last_day(worst_report: Report, until: object) -> None:
    document = parsed(judged(worst_report))
    document["judgement"]["waivers"][0]["until"] = until
    with pytest.raises(DataError, match="not a report of labeldp-audit"):
        stored.read(resealed(document), "r.json", QUANTITIES)


def test_the_outcome_that_is_written_is_not_believed(worst_report: Report) -> None:
    """It follows from the verdicts, whatever a file says that somebody sealed anew."""
    document = parsed(judged(worst_report))
    document["judgement"]["outcome"] = "pass"
    again = stored.read(resealed(document), "r.json", QUANTITIES)
    assert again.judgement is not None
    assert again.judgement.outcome is Outcome.FAIL


def test_a_judgement_of_nothing(worst_report: Report) -> None:
    report = replace(worst_report, judgement=Judgement(()))
    assert parsed(report)["judgement"] == {"outcome": "pass", "verdicts": [], "waivers": []}
    assert stored.read(formats.render("json", report), "r.json", QUANTITIES).judgement == Judgement(())


def test_a_number_that_is_none_is_refused(worst_report: Report) -> None:
    broken = Finding("q", Bound(1.0, 0.5, float("nan"), 10, "m"), 0.99)
    with pytest.raises(ValueError, match="NaN"):
        formats.render("json", judged(replace(worst_report, findings=(broken,)), ("q.high > 1",), ()))
