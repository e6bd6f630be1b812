"""What other institutions get: the schema of each, what is refused, and that no true label shows."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from judging import HOSTILE, LINES, hostile, judged
from ruamel.yaml import YAML

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Finding
from labeldp_audit.core.policy import Judgement, Outcome
from labeldp_audit.core.report import VERIFY, Report
from labeldp_audit.reports.exports import EXPORTS, in_toto, opendp_registry

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
    with pytest.raises(SpecError, match="tests nothing") as caught:
        in_toto.of_manifest(manifest(), "out.parquet")
    assert "labeldp-audit verify out.parquet" in caught.value.hint


# ---- OpenDP's registry: deployments-schema.yaml, without its descriptions


def some(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": [*required], "properties": properties}


TEXT = {"type": "string"}
CURATOR = {
    "type": "object", "required": ["data_curator_name", "data_curator_type"],
    "properties": {"data_curator_name": TEXT, "data_curator_type": {"enum": ["Government", "Industry", "Nonprofit"]}},
}  # fmt: skip
BASIC = ("name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region")
REGISTRY = some(
    ("url_slug", "deployment"), url_slug=TEXT, deployment=some(
        ("basic", "administrative"),
        basic=some(
            (*BASIC, "publication_date"), name=TEXT, description=TEXT, intended_use=TEXT, data_product_region=TEXT,
            data_curators={"type": "array", "items": CURATOR, "minItems": 1},
            data_product_type={"enum": ["Summary statistics", "Machine learning model", "Dataset", "Synthetic data",
                                        "Interactive API", "SQL queries"]},
            data_product_sector={"enum": ["Technology", "Healthcare", "Education", "Government", "Energy", "Finance"]},
            publication_date={"type": "string", "format": "date"},
        ),
        dp_variant=some(
            variant_name={"enum": ["Pure DP", "Approximate DP", "Zero-concentrated DP", "Renyi DP", "Custom"]},
            data_domain=TEXT, unprotected_quantities=TEXT,
        ),
        privacy_loss=some(
            privacy_unit=TEXT, privacy_unit_details=TEXT, number_of_privacy_units={"type": "integer"},
            privacy_parameters=some(
                epsilon={"type": "number"}, delta={"type": ["number", "string"]}, rho={"type": "number"}
            ), privacy_parameters_details={},
        ),
        deployment_model=some(
            model_name={"enum": ["Local", "Central", "Shuffle", "Federated", "Varies"]}, model_name_details=TEXT,
            trust_assumptions=TEXT, actors={}, release_type={"enum": ["One release", "Many releases"]},
            release_type_details=TEXT, data_source_type={"enum": ["Static", "Dynamic"]}, data_source_type_details=TEXT,
            access_type={"enum": ["Interactive", "Non-interactive"]}, access_type_details=TEXT,
        ),
        implementation=some(
            preprocessing_and_hyperparameter_tuning=TEXT, mechanisms=TEXT, composition=TEXT, post_processing=TEXT,
            justification=TEXT, utility={}, additional_information={},
        ),
        administrative=some(
            ("status", "registry_authors", "tier"), evidence_sources={"type": "object"},
            status={"enum": ["Converted", "Draft", "Pending", "Changes Required", "Approved",
                             "Approved (Update Requested)", "Approved (Pending)"]},
            registry_authors={"type": "array", "items": TEXT, "minItems": 1}, tier={"enum": [1, 2, 3]},
        ),
    ),
)  # fmt: skip
CHECKED = jsonschema.Draft202012Validator(REGISTRY, format_checker=jsonschema.FormatChecker())


def read(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def manifest(*guarantees: dict[str, Any], **other: Any) -> dict[str, Any]:
    known = {"epsilon": 1.5, "viewer": "anybody", "delta": 0.0, "theorem": "Theorem 1", "assumptions": ["one row"]}
    return {
        "mechanism": "rr:epsilon=1.5", "tool": {"name": "labeldp-audit", "version": "0.1.0"},
        "guarantees": [{**known, **one} for one in guarantees or ({},)],
        "label": {"column": "click", "classes": ["0", "1"], "positive": "1"},
        "published": {"as": "labels", "columns": ["click"], "values": ["0", "1"]}, "learner": {},
        "table": {"rows": 1200, "columns": ["age", "ward"]}, "randomness": "operating-system", **other,
    }  # fmt: skip


def record(**other: Any) -> Any:
    return read(opendp_registry.of_manifest(manifest(**other), "out.parquet"))


def only_rr(report: Report) -> Report:
    kept = [one for one in report.findings if one.mechanism in (None, "rr:epsilon=2")]
    return replace(report, findings=tuple(kept))


def check_draft(draft: Any) -> None:
    """The registry refuses what only the publisher can say, and nothing else."""
    refused = {error.json_path for error in CHECKED.iter_errors(draft)}
    basic = "$.deployment.basic"
    assert refused == {f"{basic}.data_curators[0].data_curator_type", f"{basic}.publication_date"}
    draft["deployment"]["basic"]["data_curators"][0]["data_curator_type"] = "Nonprofit"
    draft["deployment"]["basic"]["publication_date"] = "2026-06-01"
    CHECKED.validate(draft)


def test_a_release_is_a_draft_for_the_registry() -> None:
    draft = record()
    loss, variant = draft["deployment"]["privacy_loss"], draft["deployment"]["dp_variant"]
    assert loss["privacy_parameters"] == {"epsilon": 1.5} and loss["number_of_privacy_units"] == 1200
    assert variant["variant_name"] == "Pure DP" and "`age`, `ward`" in variant["unprotected_quantities"]
    assert "anybody (Theorem 1), assuming: one row." in loss["privacy_parameters_details"]
    check_draft(draft)


def test_an_audit_is_one_too_and_its_features_are_unprotected(gain_report: Report) -> None:
    draft = read(opendp_registry.of_report(only_rr(gain_report)))
    assert draft["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 2.0}
    told = draft["deployment"]["dp_variant"]["unprotected_quantities"]
    assert all(name in told for name in ("`age`", "`patient_id`", "`site`")) and "`relapse`" not in told
    assert "FILL IN" in draft["deployment"]["implementation"]["mechanisms"]
    check_draft(draft)


def test_a_delta_counts_and_what_peers_see_stands_beside_it() -> None:
    peers = ({"epsilon": 0.5, "delta": 1e-10}, {"epsilon": 4.0, "viewer": "peer"})
    text = opendp_registry.of_manifest(manifest(*peers), "out.parquet")
    loss = read(text)["deployment"]["privacy_loss"]
    assert "delta: 1.0e-10\n" in text and loss["privacy_parameters"] == {"epsilon": 0.5, "delta": 1e-10}
    assert "Epsilon 4.0 for peer" in loss["privacy_parameters_details"]
    assert read(text)["deployment"]["dp_variant"]["variant_name"] == "Approximate DP"
    check_draft(read(text))


def unprotected(**other: Any) -> str:
    told: str = record(**other)["deployment"]["dp_variant"]["unprotected_quantities"]
    return told


def test_what_else_is_published_is_unprotected() -> None:
    assert unprotected(table={"rows": 9, "columns": []}) == "The number of rows."  # labels alone
    clusters = {"as": "labels", "columns": ["click", "channel"], "values": ["0", "1"]}
    assert "law each label was drawn: `channel`." in unprotected(published=clusters)
    soft = {"as": "vectors", "columns": ["click_0", "click_1"], "values": ["0", "1"]}
    assert "click" not in unprotected(published=soft)
    assert "share a bag" in unprotected(published={"as": "bags", "columns": ["bag"], "values": []})


def test_people_with_several_rows_spend_more() -> None:
    told = record(people={"column": "who", "most_rows": 7})["deployment"]["privacy_loss"]["privacy_unit_details"]
    assert "up to 7 rows, and spends up to 7 times as much" in told


def test_a_wide_table_is_cut() -> None:
    assert "`x199` and 3 more." in unprotected(table={"rows": 9, "columns": [f"x{place}" for place in range(203)]})


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"guarantees": []}, "no epsilon holds"),
        ({"randomness": "seeded-for-testing"}, "drawn from a seed"),
        ({"table": {"rows": 9}}, "does not name the columns"),
        ({"table": {"rows": None, "columns": []}}, "not as `release` wrote it"),
        ({"guarantees": [{"epsilon": "much"}]}, "not as `release` wrote it"),
        ({"label": []}, "not as `release` wrote it"),
    ],
)
def test_a_manifest_that_is_no_deployment(other: dict[str, Any], said: str) -> None:
    with pytest.raises(SpecError, match=said):
        opendp_registry.of_manifest(manifest() | other, "out.parquet")


def test_a_report_that_is_no_deployment(gain_report: Report, worst_report: Report, eta_report: Report) -> None:
    bags = [one for one in gain_report.findings if one.mechanism in (None, "llp:k=8")]
    endless = [one if one.claim is None else replace(one, claim=math.inf) for one in only_rr(gain_report).findings]
    for report, said in (
        (replace(gain_report, findings=tuple(endless)), "no epsilon holds"),
        (gain_report, "about one mechanism, and the report judges rr:epsilon=0.5, "),
        (replace(gain_report, findings=tuple(bags)), "no epsilon holds"),
        (replace(worst_report, findings=worst_report.findings[:2]), "the report judges none"),
        (only_rr(worst_report), "does not tell epsilon and columns"),
        (replace(only_rr(gain_report), dataset=replace(eta_report.dataset, columns=())), "epsilon and columns"),
    ):
        with pytest.raises(SpecError, match=said):
            opendp_registry.of_report(report)


# ---- of every export


@pytest.fixture
def reports(gain_report: Report) -> list[Report]:
    report = judged(only_rr(gain_report), ("advantage.high > 1",), ())
    odd = replace(report.dataset, name=HOSTILE, label=HOSTILE, classes=(HOSTILE, "1"))
    return [report, replace(report, dataset=odd, version=HOSTILE, command=HOSTILE)]


@pytest.mark.parametrize("name", EXPORTS.names())
def test_other_peoples_words_stay_words_and_the_same_is_the_same(reports: list[Report], name: str) -> None:
    export = EXPORTS.get(name)
    for report in reports:
        text = export.of_report(report)
        assert text == export.of_report(report) and text.endswith("\n") and text.encode()
        assert all(character.isprintable() or character == "\n" for character in text)
        assert isinstance(read(text), dict)


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
