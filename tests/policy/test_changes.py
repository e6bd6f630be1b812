"""What changed between two reports: only what both reports' limits show, and nothing that is about something else."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace

import pytest
from policies import finding, report

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Way
from labeldp_audit.core.policy import Outcome, Policy
from labeldp_audit.policy import changes, judge
from labeldp_audit.policy.lines import parse
from labeldp_audit.questions.quantities import QUANTITIES

TODAY = datetime.date(2026, 1, 1)


def told(*findings, **more):
    return replace(report(*findings), quantities=QUANTITIES, **more)


def ways(old, new):
    compared = changes.between(told(old), told(new))
    return [one.way for one in compared.changes]


@pytest.mark.parametrize(
    ("quantity", "old", "new", "way"),
    [
        ("advantage", (0.1, 0.15, 0.2), (0.21, 0.25, 0.3), Way.WORSE),
        ("advantage", (0.1, 0.15, 0.2), (0.2, 0.25, 0.3), Way.OPEN),
        ("advantage", (0.1, 0.15, 0.2), (0.0, 0.05, 0.09), Way.BETTER),
        ("eta_min", (0.1, 0.15, 0.2), (0.0, 0.05, 0.09), Way.WORSE),
        ("mean_loss", (0.1, 0.5, math.inf), (0.6, 0.9, math.inf), Way.WORSE),
        ("mean_loss", (0.1, 0.5, math.inf), (0.4, 0.9, math.inf), Way.OPEN),
        ("mean_loss", (0.6, 0.9, math.inf), (0.1, 0.5, math.inf), Way.BETTER),
        ("advantage", (None, 0.1, None), (None, 0.9, None), Way.OPEN),
    ],
)
def test_only_limits_that_do_not_meet_show_a_change(quantity, old, new, way):
    assert ways(finding(quantity, *old), finding(quantity, *new)) == [way]


def test_along_a_falling_curve_neighbours_will_do():
    """More people lose 2 than lost 1, so more lose 1 as well; of 3 nothing is known. And the other way round."""
    old = told(*(finding("j", 0.1, 0.15, 0.2, tau=tau) for tau in (1.0, 3.0)))
    new = told(finding("j", 0.3, 0.4, 0.5, tau=2.0))
    assert [(one.old.at["tau"], one.way) for one in changes.between(old, new).changes] == [
        (1.0, Way.WORSE),
        (3.0, Way.OPEN),
    ]
    assert [one.way for one in changes.between(new, old).changes] == [Way.BETTER]
    fallen = told(finding("j", 0.0, 0.0, 0.05, tau=0.5))
    assert [one.way for one in changes.between(old, fallen).changes] == [Way.BETTER, Way.BETTER]


def test_what_one_report_has_alone_is_counted():
    compared = changes.between(told(finding("advantage", 0, 0, 1)), told(finding("nu_max", 0, 0, 1)))
    assert (compared.changes, compared.alone) == ((), {"advantage": 1, "nu_max": 1})


@pytest.mark.parametrize("what", ["label", "classes", "mechanism", "utility", "version"])
def test_other_things_are_not_compared(what):
    old = told(finding("advantage", 0, 0.1, 1))
    new = {
        "label": replace(old, dataset=replace(old.dataset, label="other")),
        "classes": replace(old, dataset=replace(old.dataset, classes=("x", "y"))),
        "mechanism": told(finding("advantage", 0, 0.1, 1, mechanism="rr:epsilon=9")),
        "utility": replace(old, parameters={"utility": "balanced"}),
        "version": replace(old, version="0.0.9"),
    }[what]
    with pytest.raises(SpecError):
        changes.between(old, new)
    with pytest.raises(SpecError):
        changes.between(new, old)


def judged(line, one):
    return judge.judge(Policy((parse(line),)), one, TODAY)


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ((0.3, 0.4, 0.5), (0.35, 0.45, 0.55), Outcome.PASS),  # as broken as before
        ((0.3, 0.4, 0.5), (0.51, 0.6, 0.7), Outcome.FAIL),  # worse
        ((0.0, 0.05, 0.09), (0.05, 0.2, 0.3), Outcome.FAIL),  # it held before
        ((0.0, 0.05, 0.2), (0.05, 0.2, 0.3), Outcome.FAIL),  # nobody knew before
        ((0.05, 0.2, 0.3), (0.0, 0.05, 0.2), Outcome.PASS),  # it was broken, and nobody knows now
        ((None, None, None), (0.3, 0.4, 0.5), Outcome.FAIL),  # it was not measured
    ],
)
def test_a_line_counts_where_it_got_worse(old, new, outcome):
    before, after = told(finding("advantage", *old)), told(finding("advantage", *new))
    line = "advantage.high > 0.1"
    found = changes.accepted(judged(line, after), judged(line, before), changes.between(before, after), TODAY)
    assert found.outcome is outcome


def test_without_a_policy_nothing_may_get_worse():
    before = told(finding("advantage", 0, 0.1, 0.2), finding("nu_max", 0, 1, 2))
    after = told(finding("advantage", 0.3, 0.4, 0.5), finding("nu_max", 0, 1, 2))
    found = changes.judgement(changes.between(before, after))
    assert [(one.quantity, one.outcome) for one in found.verdicts] == [
        ("advantage", Outcome.FAIL),
        ("nu_max", Outcome.PASS),
    ]
    assert changes.judgement(changes.between(before, before)).outcome is Outcome.PASS
