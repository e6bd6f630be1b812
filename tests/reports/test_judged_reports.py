"""Verdicts, searches and columns, in words and in the tables of text and Markdown."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import joint
import pytest

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Judgement, Outcome, Waiver
from labeldp_audit.core.report import Report
from labeldp_audit.policy import judge as policies
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import compared, contributions, headline, plain_answers, tuning, verdict_tables
from labeldp_audit.reports.formats.grid import Grid

PEOPLE = pytest.mark.parametrize("name", ["text", "markdown"])


def test_a_policy_in_one_sentence(joint_report: Report) -> None:
    assert verdict_tables.sentence(joint_report) == (
        "Policy: FAIL (lines: 1 fail, 1 not measured, 1 inconclusive, 1 pass, 1 waived). A waiver that has run out is "
        "a failure: advantage (2020-01-01)."
    )
    assert verdict_tables.outcome(replace(joint_report, judgement=None)) == "NO POLICY"
    assert verdict_tables.sentence(replace(joint_report, judgement=None)) == ""


@PEOPLE
@pytest.mark.parametrize("width", [40, 72, 100])
def test_verdicts_stand_before_everything_but_the_headline(joint_report: Report, name: str, width: int) -> None:
    text = formats.render(name, joint_report, width=width)
    places = [text.index(part) for part in ("Measured:", "In short:", "Policy: FAIL", "20,000")]
    assert places == sorted(places)
    for part in ("nu", "2026-07-31", "run out"):
        assert part in text


@PEOPLE
def test_a_report_without_a_policy_says_nothing_of_one(tail_report: Report, name: str) -> None:
    text = formats.render(name, tail_report)
    assert not any(part in text for part in ("Policy", "least noise", "each column adds"))


@PEOPLE
@pytest.mark.parametrize("width", [40, 100])
def test_a_search_and_its_table(tuned_report: Report, name: str, width: int) -> None:
    text = " ".join(formats.render(name, tuned_report, width=width).replace("\\", "").split())
    assert "rr:epsilon=1.25 has the least noise with which rr meets the policy" in text
    assert "does not" in text


def test_cells_of_a_search_pass_as_the_policy_has_it(tuned_report: Report) -> None:
    [found] = tuning.tables(tuned_report)
    rows = {row[0]: row[2:] for row in found.rows}
    assert list(rows) == ["0.25", "0.5", "0.75", "1", "1.25", "1.5", "2", "4"]
    assert [cells[0].endswith("passes") for cells in rows.values()] == [True] * 5 + [False] * 3
    assert rows["4"][1] == "7 [5, no limit] does not"
    assert found.rows[4][1] == "rr:epsilon=1.25 (chosen)"


@pytest.mark.parametrize(
    ("comparison", "value", "passes"),
    [(">", 5.0, True), (">=", 5.0, False), ("<", 5.0, True), ("<=", 5.0, False), (">", 5.1, False), ("<", 5.1, True),
     ("<", 4.9, False), (">", float("inf"), False)],
)  # fmt: skip
def test_a_line_passes_where_it_does_not_hold(
    tuned_report: Report, comparison: str, value: float, passes: bool
) -> None:
    [search] = tuning.searches(tuned_report)
    line = replace(tuning.lines(tuned_report, search)[0], comparison=comparison, threshold=5.0, field="high")
    assert tuning.passes(line, Bound(1.0, 0.0, value, 9, "m")) is passes
    assert tuning.passes(line, Bound(1.0, 0.0, None, 9, "m")) is None


def test_no_noise_is_enough(tail_report: Report) -> None:
    report = joint.tuning(tail_report, met=False)
    assert tuning.sentence(report) == "No strength of rr meets the policy: at every epsilon j is above 0.05."
    assert "Not computed" in formats.render("text", report)


@PEOPLE
@pytest.mark.parametrize("width", [40, 100])
def test_columns_are_ranked_with_limits(joint_report: Report, name: str, width: int) -> None:
    text = formats.render(name, joint_report, width=width)
    part = text[text.index(contributions.TITLE) :]
    places = [part.index(column) for column in ("age", "visit", "marker")]
    assert places == sorted(places)
    assert "6.88" in part and "4.87" in part


def test_columns_in_a_sentence(joint_report: Report, tail_report: Report) -> None:
    said = contributions.sentence(joint_report)
    assert said == (
        "Leaving out a single column lowers the share of people who lose more than 3 nats, J(3) of rr:epsilon=1: age "
        "by 6.88 percentage points (at least 4.87), dose | mg by 4.84 (at least 2.83), <b>ward</b> by 3.38 (at least "
        "1.37); 1 more does less."
    )
    nothing = Finding("column_j", Bound(0.01, -0.01, 0.03, 9, "m"), 0.99, "rr:epsilon=1", {"column": "a", "tau": 3.0})
    report = replace(tail_report, findings=(nothing,))
    assert contributions.sentence(report).startswith("No single column is shown to add")
    assert contributions.sentence(tail_report) == ""


def test_a_column_called_infinity_and_one_without_a_number(tail_report: Report) -> None:
    missing = Bound(None, None, None, 9, "m", reason="too few rows")
    findings = tuple(
        Finding("column_log_loss", bound, 0.99, at={"column": name})
        for name, bound in (("none", missing), ("Infinity", Bound(0.1, 0.05, float("inf"), 9, "m")))
    )
    found = contributions.table(replace(tail_report, findings=findings))
    assert found is not None
    assert [list(row) for row in found.rows] == [["Infinity", "0.1 [0.05, inf]"], ["none", "-"]]


def test_comparisons_are_labelled_in_tables_and_left_out_of_sentences(joint_report: Report) -> None:
    text = formats.render("markdown", joint_report)
    assert "llp:k=64 (compared)" in text
    only = replace(joint_report, findings=tuple(one for one in joint_report.findings if one.quantity == "advantage"))
    assert "llp:k=64" not in headline.in_short(only)
    assert "llp:k=64" in headline.in_short(replace(only, parameters={}))
    alone = replace(only, findings=tuple(one for one in only.findings if one.mechanism == "llp:k=64"))
    assert "llp:k=64" in headline.in_short(compared.labelled(alone))


def outcome(report: Report, kind: Outcome) -> Report:
    [line] = [one for one in joint.verdicts(report) if one.quantity == "j"]
    return replace(report, judgement=Judgement((replace(line, outcome=kind),)))


@pytest.mark.parametrize(
    ("kind", "start"),
    [(Outcome.FAIL, "Do not release as planned"), (Outcome.NOT_MEASURED, "Do not release as planned"),
     (Outcome.INCONCLUSIVE, "Do not release yet"), (Outcome.PASS, "The policy holds")],
)  # fmt: skip
def test_what_to_do_follows_from_the_verdict(tail_report: Report, kind: Outcome, start: str) -> None:
    assert plain_answers.what_to_do(outcome(tail_report, kind))[0].startswith(start)


def test_a_pass_is_no_proof(tail_report: Report) -> None:
    assert "no proof" in plain_answers.what_to_do(outcome(tail_report, Outcome.PASS))[0]


def test_what_is_certified_comes_first(joint_report: Report, tail_report: Report) -> None:
    said = dict(plain_answers.paragraphs(joint_report))
    assert said[plain_answers.WHO][0].startswith(
        "Even with rr:epsilon=0.5, at least 22.3 % of people have a loss above 0.5"
    )
    assert "certified (99 % confidence, whatever the population)" in said[plain_answers.WHO][0]
    assert said[plain_answers.MUCH][0].startswith(
        "At least 1 % of people with rr:epsilon=0.5 lose more than 2.1 nats, which"
    )
    assert said[plain_answers.MUCH][1].startswith(
        "An estimated 4.54 % of people lose more than 3 nats, limits 3.89 to 5.32 %"
    )
    assert said[plain_answers.MUCH][2].startswith(
        "The largest loss with rr:epsilon=0.5, whichever way the noise falls, is at least 3 nats"
    )
    bare = dict(plain_answers.paragraphs(tail_report))
    assert bare[plain_answers.WHO][0].endswith("Of how many it is so, nothing is certified.")


def test_grids_are_split_into_what_has_room() -> None:
    grid = Grid(("a", "b", "1", "2", "3"), [["x", "y", "6", "7", "8"]], (1,), "note")
    assert [(part.header, part.rows, part.note) for part in grid.split(2)] == [
        (("a", "b", "1", "2"), [["x", "y", "6", "7"]], ""),
        (("a", "b", "3"), [["x", "y", "8"]], "note"),
    ]


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("made_up.high > 1", "does not cover what was not measured"),
        ("j(tau=3,mechanism=rr:epsilon=1).high > 2", "not needed"),
    ],
)
def test_a_waiver_is_not_called_needless_where_nothing_was_measured(
    joint_report: Report, line: str, state: str
) -> None:
    asked = policies.parse(line)
    accepted = Waiver(asked.quantity, joint_report.dataset.sha256, date(2030, 1, 1), "known")
    found = policies.judge(policies.Policy((asked,), (accepted,)), joint_report, date(2026, 6, 1))
    assert verdict_tables.state(found.waivers[0], found) == state
