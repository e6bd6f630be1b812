"""Who is at risk, what gives labels away alone, and where no noise helps: in the first lines."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from policies import judged as policy

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Outcome
from labeldp_audit.core.report import Report
from labeldp_audit.reports import answers, formats, tables


def one(quantity: str, estimate: float, low: float, high: float = math.inf, **at: str) -> Finding:
    return Finding(quantity, Bound(estimate, low, high, 500, "m"), 0.99, at=at)


@pytest.fixture
def grouped(joint_report: Report) -> Report:
    found = [
        one("group_share", 0.1, 0.08, 0.12, group="job is hr"), one("group_loss", 2.5, 1.5, group="job is hr"),
        one("group_guessed", 0.9, 0.8, 1.0, group="job is hr"),
        one("group_share", 0.9, 0.88, 0.92, group="job is not hr"), one("group_loss", 0.2, -0.1, group="job is not hr"),
    ]  # fmt: skip
    return replace(joint_report, command="audit", judgement=None, findings=(*joint_report.findings, *found))


def test_the_group_of_which_most_is_certain_is_named(grouped: Report) -> None:
    said = formats.screen(grouped, width=100)
    assert "Most at risk by the features alone: job is hr (10 % of people)" in said
    assert "mean loss 2.5 nats (odds x12), at least 1.5" in said.replace("\n", " ")
    made = tables.groups(grouped)
    assert made is not None and [row[0] for row in made.rows] == ["job is hr", "job is not hr"]


def test_no_group_is_named_of_which_nothing_is_certain(grouped: Report) -> None:
    kept = [one for one in grouped.findings if one.at.get("group") != "job is hr"]
    assert "Most at risk" not in formats.screen(replace(grouped, findings=tuple(kept)), width=100)


def test_a_column_that_tells_the_label_comes_first(grouped: Report) -> None:
    told = replace(grouped, findings=(*grouped.findings, one("column_guessed", 0.99, 0.98, 1.0, column="outcome")))
    assert answers.brief(told)[0].startswith("The column outcome alone tells 99 % of labels (at least 98 %)")


def test_where_the_features_alone_break_a_line_no_noise_helps(tail_report: Report) -> None:
    failed = policy(["j(tau=1).high > 0.01"], *tail_report.findings)
    assert failed.outcome is Outcome.FAIL
    report = replace(tail_report, command="check", judgement=failed)
    assert "no noise on labels helps" in answers.settles(report)
    assert "no noise on labels helps" in "".join(
        formats.screen(report, width=100).splitlines(keepends=True)[:4]
    ).replace("\n", " ")
    mild = policy(["j(tau=6).high > 0.2"], *tail_report.findings)
    assert "no noise" not in answers.settles(replace(report, judgement=mild))
