"""What each mechanism adds: the tables of the report, for a terminal and for a page."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from advantages import AT, NO_BAG, REFUSED, SAME, added, findings, same
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from labeldp_audit.core.finding import Bound
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import facts, gains

RR, LLP = "rr:epsilon=0.5", "llp:k=64"
SHARED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, derandomize=True, max_examples=40
)


def flat(report: Report, name: str = "text", width: int = 120) -> str:
    return " ".join(formats.render(name, report, width=width).split())


def only(report: Report, *mechanisms: str) -> Report:
    return replace(report, findings=findings(*mechanisms))


def like(report: Report, mechanism: str, estimate: float | None) -> str:
    [gain] = gains.gains_of(replace(report, findings=(*added(mechanism), same(mechanism, estimate))))
    return gains.like(gain)


def test_a_row_a_mechanism_in_the_order_asked_for(gain_report: Report) -> None:
    asked = ("llp:k=64", "rr:epsilon=2", "llp:k=8")
    report = only(gain_report, *asked)
    assert tuple(gain.mechanism for gain in gains.gains_of(report)) == asked
    lines = formats.render("text", report, width=120).splitlines()
    start = next(place for place, line in enumerate(lines) if "protects like" in line)
    assert [line.split()[0] for line in lines[start + 2 : start + 5]] == list(asked)


def row(report: Report, start: str, width: int) -> list[str]:
    lines = formats.render("text", report, width=width).splitlines()
    return next(line for line in lines if line.startswith(start)).split()


def test_the_numbers_of_a_row(gain_report: Report) -> None:
    numbers = ["none", "0.07", "2.35", "0", "91.7"]
    assert row(gain_report, LLP, 80) == [LLP, *numbers, "rr:epsilon=0.485"]
    assert row(gain_report, LLP, 120) == [LLP, *numbers, "[89.0,", "100]", "rr:epsilon=0.485"]
    assert row(gain_report, RR, 80) == [RR, "0.5", "0.08", "2.68", "0", "91.7", "llp:k=60"]


@SHARED
@given(name=st.text(min_size=1, max_size=60), width=st.integers(40, 200))
def test_whatever_a_mechanism_is_called(gain_report: Report, name: str, width: int) -> None:
    renamed = tuple(replace(one, mechanism=name) if one.mechanism == LLP else one for one in gain_report.findings)
    text = formats.render("text", replace(gain_report, findings=renamed), width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert all(character.isprintable() for character in text.replace("\n", ""))


@pytest.mark.parametrize(
    ("mechanism", "estimate", "expected"),
    [
        (LLP, math.inf, "labels in the clear"),
        (LLP, 0.0, "adds nothing"),
        (LLP, 0.48471, "rr:epsilon=0.485"),
        (LLP, 3.0, "rr:epsilon=3"),
        (RR, None, "-"),
        (RR, 4000.0, "llp:k=4000"),
        (RR, 1.0, "llp:k=1"),
    ],
)
def test_equals_at_the_edges(gain_report: Report, mechanism: str, estimate: float | None, expected: str) -> None:
    assert like(gain_report, mechanism, estimate) == expected


def test_limits_of_equals_that_an_older_version_wrote_are_not_shown(gain_report: Report) -> None:
    old = replace(same(LLP, 1.5), bound=Bound(1.5, 1.4, 1.6, 9, "simulation"))
    report = replace(gain_report, findings=(*added(LLP), old))
    assert [gains.like(gain) for gain in gains.gains_of(report)] == ["rr:epsilon=1.5"]


def test_no_bag_that_protects_as_well_is_said_with_its_reason(gain_report: Report) -> None:
    report = replace(gain_report, findings=(*added(RR), same(RR, None)))
    assert facts.missing(report) == (f"equivalent_k {RR}: {NO_BAG}",)


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_numbers_are_not_repeated(gain_report: Report, name: str) -> None:
    assert [one.quantity for one in facts.valued(gain_report)] == [
        "uninformed_utility",
        "leave_one_out_utility",
        "plug_in_utility",
    ]
    text = flat(gain_report, name)
    assert "equivalent_" not in text
    assert "informed_utility at" not in text


def test_what_has_no_table_of_its_own_is_among_the_numbers(gain_report: Report) -> None:
    alone = [one for one in gain_report.findings if one.quantity in ("informed_utility", "equivalent_k")]
    assert facts.valued(replace(gain_report, findings=tuple(alone))) == tuple(alone)


def test_bounds_that_do_not_apply_are_one_line(gain_report: Report) -> None:
    [line] = facts.missing(gain_report)
    bags = ", ".join(name for name, at in AT.items() if "k" in at)
    assert line == f"advantage_bound (003 Theorem 3.4, Bernstein) {bags}: {REFUSED}"


def test_bounds_beside_what_was_computed(gain_report: Report) -> None:
    kinds = gains.by_kind(gains.gains_of(gain_report))
    assert list(kinds) == ["rr", "llp", "laplace-llp"]
    assert gains.ceilings(kinds["llp"]) == [
        ("the advantage itself", ["0.81 (11.0)", "0.07 (2.35)"]),
        ("unimodality, by the error", ["8.98 (10.8)", "8.98 (10.8)"]),
    ]
    assert [name for name, _ in gains.ceilings(kinds["laplace-llp"])] == [
        "the advantage itself",
        "002 Corollary 1",
        "002 Theorem 2, improved",
        "unimodality, by the error",
    ]


def test_a_mechanism_without_bounds_has_no_table_of_them(gain_report: Report) -> None:
    bare = tuple(one for one in gain_report.findings if one.quantity != "advantage_bound")
    assert "Beside the bounds" not in flat(replace(gain_report, findings=bare))
    assert "Beside the bounds" in flat(gain_report)


def test_a_bound_that_some_of_a_kind_lack_is_a_dash(gain_report: Report) -> None:
    some = tuple(
        one
        for one in gain_report.findings
        if (one.quantity, one.mechanism, one.at.get("bound")) != ("advantage_bound", RR, "002 Corollary 1")
    )
    rows = dict(gains.ceilings(gains.by_kind(gains.gains_of(replace(gain_report, findings=some)))["rr"]))
    assert rows["002 Corollary 1"] == ["-", "46.2 (55.5)"]


def test_an_advantage_without_limits(gain_report: Report) -> None:
    [told, gain] = added(RR)
    report = replace(gain_report, findings=(told, replace(gain, bound=Bound(0.01, None, None, 9, "m"))))
    [found] = gains.gains_of(report)
    assert gains.points(found.bound) == ("1.00", "-", "-")
    for width in (40, 60, 80, 120):
        assert "1.00" in flat(report, width=width)
    assert "adds an estimated 1.00 percentage points (no limits)" in flat(report)


def one_gain(report: Report, bound: Bound) -> Report:
    [told, gain] = added(RR)
    return replace(report, findings=(replace(told, bound=bound), replace(gain, bound=bound)))


@pytest.mark.parametrize("name", ["text", "markdown"])
def test_next_to_nothing_is_not_spelled_out(gain_report: Report, name: str) -> None:
    report = one_gain(gain_report, Bound(1e-281, 0.0, 3e-280, 9, "m", standard_error=1e-282))
    [found] = gains.gains_of(report)
    assert gains.points(found.bound) == ("<0.001", "0.001", "0")
    text = flat(report, name).replace("&lt;", "<")
    assert "adds an estimated <0.001 percentage points (at most 0.001)" in text
    assert "e-28" not in text + (formats.picture(report) or "")
    assert "&lt;0.001 [0, 0.001]" in (formats.picture(report) or "")


def test_bounds_that_say_nothing(gain_report: Report) -> None:
    assert gains.beside(Bound(1.3, 0.9, 1.5, 9, "m")) == "over 100"
    assert gains.beside(Bound(0.3, 0.2, 1.5, 9, "m")) == "30.0 (over 100)"
    assert gains.beside(Bound(1.0, 1.0, 1.0, 9, "m")) == "100 (100)"
    assert gains.beside(Bound(1.2, None, None, 9, "m")) == "over 100"
    assert gains.beside(Bound(0.5, None, None, 9, "m")) == "50.0"


def test_the_names_of_bounds_are_explained(gain_report: Report) -> None:
    wu, busa = '002 is Wu and others, "Does Label', '003 is Busa-Fekete and others, "A Unified'
    assert wu in flat(gain_report) and wu in flat(gain_report, "markdown")
    bags = tuple(
        replace(one, at={**one.at, "bound": "003 X"}) for one in findings(LLP) if one.bound.estimate is not None
    )
    counted = flat(replace(gain_report, findings=bags))
    assert busa in counted and wu not in counted
    none = tuple(one for one in gain_report.findings if one.quantity != "advantage_bound")
    assert "docs/mathematics.md" not in flat(replace(gain_report, findings=none))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_at_least_is_never_bare(gain_report: Report, given_report: Report, width: int) -> None:
    vouched = replace(gain_report, parameters={**gain_report.parameters, "smoothness": "2,1"})
    for report, condition in ((gain_report, "even"), (given_report, "right"), (vouched, "smooth")):
        assert gains.least_if(report) == f"if eta is {condition}"
        assert f"at least, if eta is {condition}" in flat(report, "markdown")
        head = formats.render("text", report, width=width).split("What each mechanism adds")[1].split("──")[0]
        assert "at least" in head and condition in head


def test_a_mechanism_that_could_not_be_judged_has_no_row(gain_report: Report) -> None:
    [_, gain] = added(LLP)
    missing = replace(gain, bound=Bound(None, None, None, 9, "not computed", (), "two classes only"))
    report = replace(gain_report, findings=(missing,))
    assert gains.gains_of(report) == ()
    assert facts.missing(report) == (f"advantage {LLP}: two classes only",)
    assert "For a manager" not in flat(report)


def test_strange_mechanisms_are_harmless(gain_report: Report) -> None:
    name = "x:<b>|\x1b[31m[bold]=1"
    report = replace(
        gain_report, findings=tuple(replace(one, mechanism=name) for one in (*added(RR), same(RR, SAME[RR])))
    )
    for width in (40, 80, 120):
        text = formats.render("text", report, width=width)
        assert all(character.isprintable() or character == "\n" for character in text)
    assert "[bold]" in flat(report)
    assert "&lt;b&gt;\\|" in flat(report, "markdown")
    assert "&lt;b&gt;|\\x1b[31m[bold]=1" in (formats.picture(report) or "")


def test_mechanisms_lists_only_what_the_first_table_does_not_say(gain_report: Report) -> None:
    assert [row.mechanism for row in facts.mechanisms(gain_report)] == [RR, "rr:epsilon=2"]
