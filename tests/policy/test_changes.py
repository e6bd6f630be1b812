"""What changed between two reports: only what both reports' limits show, and nothing that is about something else."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace

import pytest
from policies import FOUR, ONE, finding, report

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Way
from labeldp_audit.core.policy import Outcome, Policy
from labeldp_audit.core.table import Column
from labeldp_audit.policy import changes, judge
from labeldp_audit.policy.lines import parse
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.reports.sentences import warnings

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
        ("mean_loss", (0.1, 0.5, math.inf), (0.6, 0.9, math.inf), Way.CERTAIN),
        ("mean_loss", (0.4, math.inf, math.inf), (0.43, 0.9, math.inf), Way.OPEN),
        ("mean_loss", (0.6, 0.9, math.inf), (0.1, 0.5, math.inf), Way.OPEN),
        ("certified_nu_max", (2.8, None, math.inf), (6.1, None, math.inf), Way.CERTAIN),
        ("mean_loss", (None, 0.1, None), (0.6, 0.9, math.inf), Way.OPEN),
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


def test_what_one_report_has_alone_is_not_compared():
    assert changes.between(told(finding("advantage", 0, 0, 1)), told(finding("nu_max", 0, 0, 1))).changes == ()


@pytest.mark.parametrize("quantity", ["group_share", "group_positive"])
def test_what_describes_people_gets_neither_worse_nor_better(quantity):
    few, many = (finding(quantity, low, low + 0.05, low + 0.1, group="x") for low in (0.1, 0.6))
    assert ways(few, many) == ways(many, few) == [Way.OPEN]


def test_long_curves_are_compared_in_time():
    """Place by place it would take minutes."""
    curve = told(*(finding("j", 0.0, 0.1, 0.2, tau=place / 100) for place in range(20_000)))
    assert len(changes.between(curve, curve).changes) == 20_000


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


def beside(line, before, after):
    asked = parse(line)
    now, old = (judge.judge(Policy((asked,)), one, TODAY) for one in (after, before))
    return changes.accepted([asked], now, old, changes.between(before, after), TODAY)


@pytest.mark.parametrize(
    ("old", "new", "outcome"),
    [
        ((0.3, 0.4, 0.5), (0.35, 0.45, 0.55), Outcome.PASS),  # as broken as before
        ((0.3, 0.4, 0.5), (0.51, 0.6, 0.7), Outcome.FAIL),  # worse
        ((0.0, 0.05, 0.09), (0.05, 0.2, 0.3), Outcome.FAIL),  # it held before
        ((0.0, 0.05, 0.2), (0.05, 0.2, 0.3), Outcome.FAIL),  # open before
        ((0.05, 0.2, 0.3), (0.0, 0.05, 0.2), Outcome.PASS),  # broken before, and open now
        ((None, None, None), (0.3, 0.4, 0.5), Outcome.FAIL),  # not measured before
    ],
)
def test_a_line_counts_where_it_got_worse(old, new, outcome):
    before, after = told(finding("advantage", *old)), told(finding("advantage", *new))
    assert beside("advantage.high > 0.1", before, after).outcome is outcome


def test_a_certificate_that_rose_is_not_excused():
    line = "certified_nu_max.low > 2"
    before, little, much = (told(finding("certified_nu_max", low, None, math.inf)) for low in (2.8, 2.9, 6.1))
    assert beside(line, before, little).outcome is Outcome.PASS
    assert beside(line, before, much).outcome is Outcome.FAIL


def test_every_number_that_breaks_a_line_is_compared():
    """The worst is as before, and another newly breaks it; another place of the same curve does not matter."""
    known = finding("advantage", 0.28, 0.3, 0.32, mechanism=FOUR)
    before = told(known, finding("advantage", 0.0, 0.01, 0.02, mechanism=ONE))
    after = told(known, finding("advantage", 0.18, 0.2, 0.22, mechanism=ONE))
    assert beside("advantage.high > 0.05", before, after).outcome is Outcome.FAIL
    at_three = finding("j", 0.1, 0.2, 0.3, tau=3.0)
    before, after = (told(finding("j", *ends, tau=0.5), at_three) for ends in ((0.45, 0.5, 0.55), (0.65, 0.7, 0.75)))
    assert beside("j(tau=3).high > 0.1", before, after).outcome is Outcome.PASS


@pytest.mark.parametrize("quantity, key", [("column_guessed", "column"), ("group_guessed", "group")])
def test_a_group_or_column_that_was_not_there_is_not_excused(quantity, key):
    before, after = (told(finding(quantity, 0.92, 0.95, 1.0, **{key: name})) for name in ("a", "b"))
    assert beside(f"{quantity}.low > 0.9", before, after).outcome is Outcome.FAIL
    assert beside(f"{quantity}.low > 0.9", before, before).outcome is Outcome.PASS


def test_without_a_policy_nothing_may_get_worse():
    before = told(finding("advantage", 0, 0.1, 0.2), finding("nu_max", 0, 1, 2))
    after = told(finding("advantage", 0.3, 0.4, 0.5), finding("nu_max", 0, 1, 2))
    found = changes.judgement(changes.between(before, after))
    assert [(one.quantity, one.outcome) for one in found.verdicts] == [
        ("advantage", Outcome.FAIL),
        ("nu_max", Outcome.PASS),
    ]
    assert changes.judgement(changes.between(before, before)).outcome is Outcome.PASS


def test_without_a_policy_what_had_limits_must_have_some():
    before = told(finding("advantage", 0, 0.1, 0.2))
    for after in (told(finding("advantage", None, 0.1, None)), told(finding("nu_max", 0, 1, 2))):
        assert changes.judgement(changes.between(before, after)).verdicts[0].outcome is Outcome.NOT_MEASURED


def test_without_a_policy_one_more_telling_column_is_worse():
    first, more = (finding("column_guessed", 0.9, 0.95, 1.0, column=name) for name in ("a", "b"))
    assert changes.judgement(changes.between(told(first), told(first, more))).outcome is Outcome.FAIL
    assert changes.judgement(changes.between(told(first, more), told(first))).outcome is Outcome.PASS


def test_numbers_at_the_same_place_are_not_told_apart():
    one, other = finding("group_share", 0.1, 0.15, 0.2, group="x"), finding("group_share", 0.6, 0.7, 0.8, group="x")
    assert [one.way for one in changes.between(told(one, other), told(other, one)).changes] == [Way.OPEN]


def test_columns_that_are_new_or_gone_are_named():
    def with_columns(*names):
        made = told(finding("advantage", 0, 0.1, 1))
        return replace(
            made, dataset=replace(made.dataset, columns=tuple(Column(one, "number", "int64") for one in names))
        )

    shown = changes.report(changes.between(with_columns("a", "b"), with_columns("b", "c")))
    assert warnings(shown) == ("columns that are new: c", "columns that are gone: a")
