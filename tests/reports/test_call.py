"""The call that a report says it came from."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest
from certified import MIXED, scored
from hypothesis import given, settings
from hypothesis import strategies as st
from joint import HOSTILE, SHARED
from running import read_options

from labeldp_audit.cli import app, configuration
from labeldp_audit.core.eta import Tried
from labeldp_audit.core.report import MEASURED_BY, Report
from labeldp_audit.estimators.knn import default_k
from labeldp_audit.reports.formats import call

BASH = shutil.which("bash")


@pytest.fixture(autouse=True)
def no_configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def parsed(report: Report) -> Any:
    program, command, *rest = call.arguments(report)
    assert program == "labeldp-audit"
    return read_options(command, rest)


def given_in(report: Report) -> dict[str, Any]:
    asked = configuration.of(parsed(report))
    return {name: asked[name] for name, origin in asked.origins.items() if origin.startswith("--")}


def test_the_parser_takes_it(certified_tail: Report) -> None:
    found = parsed(certified_tail)
    assert (found.info_name, found.params["data"]) == ("estimate-j", "clinic.parquet")
    assert given_in(certified_tail) == {
        "label": "relapse", "positive": "true", "mechanism": ("rr:epsilon=0.5|1|2|4",), "confidence": 0.99, "seed": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [name for name in app.commands().commands if name not in ("report", "explain", "diff", "release", "graph")],
)
def test_every_command_takes_what_its_reports_say(gain_report: Report, command: str) -> None:
    """All that audits/reporting.py writes, each away from its default."""
    told = {
        "confidence": 0.95, "seed": 7, "exclude": ("a", "-b"), "categorical": ("c",), "group": "g", "recall": 0.9,
        "mechanism": ("rr:epsilon=1",), "drop_null_labels": True, "certify": False, "smoothness": "1,0.5", "tau": "1,2",
        "alpha": "2", "utility": "balanced", "bags": 40,
    }  # fmt: skip
    known = {one.name for one in app.commands().commands[command].params}
    report = replace(gain_report, command=command, parameters={key: told[key] for key in told if key in known})
    report = replace(report, eta=None) if "estimator" not in known else report
    assert {name: value for name, value in given_in(report).items() if name in told} == report.parameters


def test_one_estimator_was_asked_for(tail_report: Report) -> None:
    alone = scored(tail_report, tried=())
    assert given_in(alone)["estimator"] == "boosted"
    near = tuple(Tried("knn", 0.3, 0.01, k) for k in (30, 60))
    chosen = replace(tail_report, eta=replace(tail_report.eta, tried=near, k=60))
    assert given_in(chosen)["estimator"] == "knn"
    assert "k" not in given_in(chosen)
    assert given_in(tail_report)["k"] == 141


@pytest.mark.parametrize("n", [200, 1_000, 19_981, 1_000_000, 200_000_000])
def test_the_usual_k_is_that_of_the_commands(tail_report: Report, n: int) -> None:
    report = scored(tail_report, MIXED)
    usual = replace(report, eta=replace(report.eta, n=n, queries=min(n, 200_000), k=default_k(n)))
    assert not {"--estimator", "--k", "--queries"} & set(call.arguments(usual))
    other = replace(usual, eta=replace(usual.eta, k=default_k(n) + 1))
    assert "--k" in call.arguments(other)


@pytest.mark.parametrize(
    ("n", "queries", "said"), [(1_000, 500, 500), (300_000, 300_000, 0), (300_000, 7, 7), (900, 900, None)]
)
def test_queries(tail_report: Report, n: int, queries: int, said: int | None) -> None:
    report = replace(tail_report, eta=replace(tail_report.eta, n=n, queries=queries))
    assert given_in(report).get("queries") == said


def test_given_probabilities_have_their_columns(given_report: Report) -> None:
    report = replace(given_report, parameters={**given_report.parameters, "eta": ["chance | <b>"]})
    found = given_in(report)
    assert found["eta"] == ("chance | <b>",)
    assert not {"estimator", "k", "queries"} & found.keys()


@pytest.mark.parametrize(("name", "typed"), [("stdin", "-"), ("-x.csv", "./-x.csv"), ("a b.csv", "a b.csv")])
def test_names_of_tables(tail_report: Report, name: str, typed: str) -> None:
    report = replace(tail_report, dataset=replace(tail_report.dataset, name=name))
    assert parsed(report).params["data"] == typed
    assert shlex.split(call.lines(report)[0])[2] == typed


def test_a_policy_is_part_of_an_audit_and_comes_after_other_commands(joint_report: Report) -> None:
    [audit] = call.lines(joint_report)
    assert "--fail-if 'j.high > 0.05'" in audit
    first, second = call.lines(replace(joint_report, command="estimate-j"))
    assert "--fail-if" not in first
    assert second.startswith("labeldp-audit check labeldp-report/estimate-j.json --fail-if 'j.high > 0.05'")


def test_an_audit_that_was_judged_later_is_made_first_and_judged_then(joint_report: Report) -> None:
    """By a policy that the audit may not have had; and waivers stand in no call."""
    checked = replace(joint_report, command="check", parameters={**joint_report.parameters, MEASURED_BY: "audit"})
    first, second = call.lines(checked)
    assert first.startswith("labeldp-audit audit ") and "--fail-if" not in first
    assert second.startswith("labeldp-audit check labeldp-report/audit.json --fail-if 'j.high > 0.05'")
    assert "belong into a file" in call.unsaid(checked)
    assert joint_report.judgement is not None
    without = replace(checked, judgement=replace(joint_report.judgement, waivers=()))
    assert call.unsaid(without) == ""


def read_back(line: str) -> list[bytes]:
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True)
    return done.stdout.split(b"\0")[:-1]


@pytest.mark.skipif(BASH is None, reason="no bash on PATH")
def test_a_shell_reads_hostile_names_as_they_are() -> None:
    names = [name.replace("\x00", "") for name in HOSTILE if "\ud800" not in name]
    names += ["it's", "$(touch x)", "`x`", "a\\b\n'c'", "\udcff", "*", "~", "!x"]
    line = call.quoted(names)
    assert all(character.isprintable() for character in line)
    assert read_back(line) == [name.encode("utf-8", "surrogateescape") for name in names]


@pytest.mark.skipif(BASH is None, reason="no bash on PATH")
@settings(SHARED, max_examples=25)
@given(
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=1, max_size=9)
)
def test_a_shell_reads_any_name_as_it_is(names: list[str]) -> None:
    assert read_back(call.quoted(names)) == [name.encode() for name in names]
