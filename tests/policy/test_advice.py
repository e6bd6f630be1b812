"""What is said of lines that may not mean what their author thinks, and of which nothing is said."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from policies import ONE, TODAY, finding, report

from labeldp_audit.core.finding import Finding
from labeldp_audit.policy import advice, judge
from labeldp_audit.reports.sentences import sentence

INF = math.inf
NU = (finding("certified_nu_max", 0.0, None, INF, ONE, epsilon=1.0), finding("nu_max", 0.0, INF, INF, ONE, epsilon=1.0))
J = tuple(finding("j", 0.01, 0.3, 0.4, "rr:epsilon=1", tau=tau) for tau in (3.0, 6.0))


def said(text: str, *findings: Finding, **more: object) -> str:
    """About that line of a policy, and that nothing about it changes the verdict."""
    line, about = judge.parse(text), report(*findings, **more)  # type: ignore[arg-type]
    judged = replace(about, judgement=judge.judge(judge.Policy((line,)), about, TODAY))
    return "; ".join(map(sentence, advice.for_lines([line], judged)))


# ---- per cent


@pytest.mark.parametrize(
    "line",
    ["advantage.high > 5", "advantage.high > 1", "advantage.high >= 1.5", "plug_in_utility.estimate > 5",
     "j.high > 1.0", "leave_one_out_utility.estimate > 5"],
)  # fmt: skip
def test_shares_are_not_written_in_per_cent(line: str) -> None:
    assert said(line) == f"{line!r} never fails: a share is never above 1, and 5 % is written 0.05"


@pytest.mark.parametrize(
    "line", ["advantage.high >= 1", "advantage.high > 0.999", "nu_max.high > 5", "eta_min.low < 1"]
)
def test_but_these_lines_may_fail(line: str) -> None:
    assert said(line) == ""


# ---- upside down


def test_a_line_says_what_must_not_go_out() -> None:
    advantage = finding("advantage", 0, 0.01, 0.02)
    for line in ("advantage.high < 0.05", "advantage.low <= 0.05"):
        assert said(line, advantage) == (
            f"{line!r} stops a release where the number is small: a line says what blocks it"
        )


@pytest.mark.parametrize("quantity", ["eta_min", "equivalent_k", "tuned"])
def test_of_some_numbers_less_is_worse(quantity: str) -> None:
    assert said(f"{quantity}.low < 3", finding(quantity, 0, 0.5, 1)) == ""


def test_of_what_is_not_there_nothing_is_said() -> None:
    assert said("made_up.high < 3", finding("j", 0, 0.5, 1)) == ""


# ---- limits that there are none of


@pytest.mark.parametrize("quantity", ["mean_loss", "jeffreys", "weighted_jeffreys", "certified_nu_max",
                                      "certified_mean_loss", "certified_renyi"])  # fmt: skip
def test_no_table_has_an_upper_limit(quantity: str) -> None:
    line = f"{quantity}.high > 10"
    assert said(line, finding(quantity, 0, 1, INF)) == (
        f"{line!r} can never pass: no table has an upper limit for it; gate on .low, or on advantage.high"
    )
    assert said(line, finding(quantity, 0, 1, 2)) == ""
    assert "can never pass" not in said(f"{quantity}.low > 10", finding(quantity, 0, 1, INF))


@pytest.mark.parametrize("quantity", ["certified_j", "certified_informed_utility", "certified_uninformed_utility"])
def test_a_share_of_all_is_no_limit_either(quantity: str) -> None:
    assert "can never pass" in said(f"{quantity}.high > 0.5", finding(quantity, 0, None, 1.0))
    assert "never fails" in said(f"{quantity}.high > 1", finding(quantity, 0, None, 1.0))


@pytest.mark.parametrize("quantity", ["nu_max", "j", "certified_advantage"])
def test_of_others_some_tables_have_one(quantity: str) -> None:
    assert said(f"{quantity}.high > 0.5", finding(quantity, 0, 1.0, 1.0), finding(quantity, 0, 1, INF)) == ""
