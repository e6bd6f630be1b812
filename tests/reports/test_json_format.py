from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

NUMBERS = st.none() | st.floats(allow_nan=False)
# Reports are made once and never changed, so examples may share them.
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def refuse(token: str) -> float:
    raise AssertionError(f"not JSON: {token}")


def parsed(report: Report, **more: Any) -> dict[str, Any]:
    return json.loads(formats.render("json", report, **more), parse_constant=refuse)


def number(value: float | str | None) -> float | None:
    return float(value) if isinstance(value, str) else value


@SHARED
@given(estimate=NUMBERS, low=NUMBERS, high=NUMBERS, tau=st.floats(allow_nan=False))
def test_every_float_comes_back_exactly(
    eta_report: Report, estimate: float | None, low: float | None, high: float | None, tau: float
) -> None:
    finding = Finding("j", Bound(estimate, low, high, 5, "m"), 0.99, "rr:epsilon=1", {"tau": tau})
    (found,) = parsed(replace(eta_report, findings=(finding,)))["findings"]
    assert [number(found[key]) for key in ("estimate", "low", "high")] == [estimate, low, high]
    assert number(found["at"]["tau"]) == tau


@SHARED
@given(text=st.text(st.characters(), max_size=20))
def test_every_name_comes_back_and_can_be_written(eta_report: Report, text: str) -> None:
    report = replace(eta_report, dataset=replace(eta_report.dataset, label=text), warnings=(text,))
    formats.render("json", report).encode("utf-8")
    # Python reads an escaped surrogate pair as the character that it is, which names from files cannot tell apart.
    expected = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert parsed(report)["warnings"] == [expected]
    assert parsed(report)["dataset"]["label"] == expected


def test_infinity_is_a_string_and_never_null(worst_report: Report) -> None:
    found = {finding["quantity"]: finding for finding in reversed(parsed(worst_report)["findings"])}
    assert found["nu_max"]["estimate"] == found["nu_max"]["high"] == "Infinity"
    assert found["log_ratio_min"]["high"] == "Infinity"


def test_minus_infinity_is_a_string(worst_report: Report) -> None:
    finding = Finding("j", Bound(0.5, -math.inf, 1.0, 5, "m"), 0.99)
    assert parsed(replace(worst_report, findings=(finding,)))["findings"][0]["low"] == "-Infinity"


def test_keys_are_in_the_documented_order(worst_report: Report) -> None:
    document = parsed(worst_report)
    assert [*document] == [
        "schema", "tool", "command", "dataset", "eta", "parameters", "findings", "warnings", "remarks",
        "seal",
    ]  # fmt: skip
    finding = ["quantity", "mechanism", "at", "estimate", "low", "high", "confidence", "n", "method", "assumptions"]
    assert all([*found] == finding for found in document["findings"])
    assert [*document["dataset"]][:6] == ["name", "sha256", "rows", "rows_used", "features", "label"]
    assert document["dataset"]["features"] == 8
    assert document["schema"] == "labeldp-audit/1"
    assert document["eta"]["queries"] == 19_981


def test_a_reason_only_where_there_is_one(tail_report: Report) -> None:
    reasons = [finding.get("reason") for finding in parsed(tail_report)["findings"] if "reason" in finding]
    assert reasons == ["some neighbourhoods hold one class only"]


def test_a_standard_error_only_where_there_was_a_simulation(gain_report: Report) -> None:
    errors = {
        found["mechanism"]: found["standard_error"]
        for found in parsed(gain_report)["findings"]
        if "standard_error" in found
    }
    assert errors == {"llp:k=64": 3.21e-6, "laplace-llp:k=8,epsilon=1": 1.94e-5}


def test_given_probabilities_have_no_neighbours(given_report: Report, gain_report: Report) -> None:
    given = parsed(given_report)["eta"]
    assert (given["estimator"], given["k"], given["metric"]) == ("given", None, None)
    assert parsed(gain_report)["eta"]["k"] == 141


def test_where_a_finding_is_may_be_a_word(gain_report: Report) -> None:
    found = [one["at"] for one in parsed(gain_report)["findings"] if one["quantity"] == "advantage_bound"]
    assert found[0] == {"bound": "002 Corollary 1", "epsilon": 0.5, "pi": 0.377541, "lambda": 0.755081}


def test_one_finding_a_line(tail_report: Report) -> None:
    lines = formats.render("json", tail_report).splitlines()
    found = [json.loads(line.strip().rstrip(",")) for line in lines if line.lstrip().startswith('{"quantity"')]
    assert found == parsed(tail_report)["findings"]


def test_run_information_only_where_it_is_asked_for(eta_report: Report) -> None:
    assert "run" not in parsed(eta_report)
    assert parsed(eta_report, run_info={"seconds": 1.5, "threads": 2})["run"] == {"seconds": 1.5, "threads": 2}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(0.1), 0.1),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.float32(0.5), 0.5),
        (-math.inf, "-Infinity"),
        ((1, 2), [1, 2]),
        ({"deep": {"deeper": math.inf}}, {"deep": {"deeper": "Infinity"}}),
        (None, None),
        (True, True),
    ],
)
def test_parameters_of_any_plain_kind(eta_report: Report, value: object, expected: object) -> None:
    found = parsed(replace(eta_report, parameters={"value": value}))["parameters"]["value"]
    assert found == expected
    assert type(found) is type(expected)


def test_what_has_no_json_is_refused(eta_report: Report) -> None:
    with pytest.raises(TypeError, match=r"a report cannot hold (Posix|Windows)Path"):
        formats.render("json", replace(eta_report, parameters={"file": Path("x")}))


def test_the_strict_parser_has_teeth() -> None:
    with pytest.raises(AssertionError, match="Infinity"):
        json.loads('{"estimate": Infinity}', parse_constant=refuse)
