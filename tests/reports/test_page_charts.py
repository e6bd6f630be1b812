"""The charts of the page: marks are where the numbers are, and what is infinite or absent is drawn as that."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import joint
import pytest
from advantages import ADDED
from certified import bins, scored
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats.page import charts, curve_chart, point_chart, row_chart
from labeldp_audit.reports.formats.page.row_chart import Row

ENDS = st.none() | st.floats(allow_nan=False, min_value=-1e12, max_value=1e12) | st.sampled_from([math.inf, 0.0, 1.0])


def tree(drawn: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{drawn}</div>".replace("&nbsp;", " "))


def with_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in root.iter() if name in (one.get("class") or "").split()]


def per_cent(one: ElementTree.Element, name: str) -> float:
    return float(one.attrib[name].removesuffix("%"))


def corners(path: str) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for letter, rest in re.findall(r"([Mhvl])([^Mhvlz]*)", path):
        numbers = [float(one) for one in rest.split()]
        x, y = found[-1] if found else (0.0, 0.0)
        right, down = {"h": (numbers[0], 0.0), "v": (0.0, numbers[0])}.get(letter, (numbers[0], numbers[-1]))
        found.append((right, down) if letter == "M" else (x + right, y + down))
    return found


def test_a_curve_goes_through_its_shares(tail_report: Report) -> None:
    root = tree(curve_chart.charts(tail_report))
    lines = [one for one in with_class(root, "line") if len(corners(one.attrib["d"])) > 2]
    assert len(lines) == 4
    shares = [one for one in tail_report.findings if one.quantity == "j" and one.mechanism == "rr:epsilon=2"]
    drawn = corners(lines[2].attrib["d"])
    for one in shares[::7]:
        expected = (100 * (one.place("tau") or 0.0), 1000 * (1 - (one.bound.estimate or 0.0)))
        x, y = expected
        on_line = any(
            min(a[0], b[0]) - 6 <= x <= max(a[0], b[0]) + 6 and min(a[1], b[1]) - 2 <= y <= max(a[1], b[1]) + 2
            for a, b in pairwise(drawn)
        )
        assert on_line, one.at


def test_narrow_bands_lie_over_each_other_and_wide_ones_side_by_side(tail_report: Report) -> None:
    assert len(with_class(tree(curve_chart.charts(tail_report)), "plot")) == 1
    wide = tuple(
        replace(one, bound=replace(one.bound, low=0.0, high=1.0)) if one.quantity == "j" else one
        for one in tail_report.findings
    )
    assert len(with_class(tree(curve_chart.charts(replace(tail_report, findings=wide))), "plot")) == 4


def test_every_curve_has_its_band_and_what_is_certified(certified_tail: Report) -> None:
    root = tree(curve_chart.charts(certified_tail))
    assert len(with_class(root, "band")) == 4
    assert len([one for one in with_class(root, "certain") if "grey" not in (one.get("class") or "")]) == 4
    many = tree(curve_chart.charts(joint.huge(certified_tail)))
    assert len(with_class(many, "panels")[0]) == 20
    assert len(with_class(many, "band")) == 20


def test_an_advantage_is_where_its_number_is(gain_report: Report) -> None:
    root = tree(charts.advantages(gain_report))
    dots = [per_cent(one, "cx") for one in with_class(root, "dot") if one.get("cx", "").endswith("%")]
    assert dots == [pytest.approx(100 * ends[0] / 0.12, abs=0.01) for ends in ADDED.values() if ends[0] is not None]
    tops = [max(per_cent(one, "x2") for one in with_class(item, "reach")) for item in with_class(root, "row")]
    assert tops == [pytest.approx(100 * ends[2] / 0.12, abs=0.01) for ends in ADDED.values() if ends[2] is not None]
    assert [one.text for one in with_class(root, "kind")] == ["rr", "llp", "laplace-llp"]


def test_infinite_losses_are_arrows_and_certificates_wedges(joint_report: Report, worst_report: Report) -> None:
    root, bare = tree(charts.largest_losses(joint_report)), tree(charts.largest_losses(worst_report))
    rows = with_class(root, "row")
    assert len(rows) == 4
    assert all(len(with_class(row, "arrow")) == len(with_class(row, "wedge")) == 1 for row in rows)
    assert [len(with_class(row, "open")) for row in rows] == [1] * 4
    wedges = [one for row in rows for one in row.iter("svg") if with_class(one, "wedge") and one is not row]
    right = row_chart.scale([Row("", "", math.inf, 7.8173, math.inf)], 1.0).right
    assert [per_cent(one, "x") for one in wedges] == [pytest.approx(100 * low / right) for low in (3, 3.5, 4.5, 6.5)]
    assert not with_class(bare, "wedge")
    assert "certified: at least" not in "".join(bare.itertext())


def test_a_legend_names_what_is_drawn(joint_report: Report) -> None:
    without = [replace(one, bound=replace(one.bound, low=None, high=None)) for one in joint_report.findings]
    assert "at least to at most" in charts.columns(joint_report)
    assert "at least to at most" not in charts.columns(replace(joint_report, findings=tuple(without)))


def test_bars_of_columns_begin_at_nothing(joint_report: Report) -> None:
    root = tree(charts.columns(joint_report))
    first = root.findall("figure")[0]
    bars = with_class(first, "bar")
    zero = per_cent(bars[0], "x")
    left = [one for one in bars if per_cent(one, "x") < zero - 0.01]
    assert len(bars) == 12
    assert left and all(per_cent(one, "x") + per_cent(one, "width") == pytest.approx(zero, abs=0.02) for one in left)
    assert "The first 12 of 20; the others are in the tables." in "".join(root.itertext())


def test_groups_that_do_not_fit_are_rings(tail_report: Report) -> None:
    root = tree(point_chart.calibration(scored(tail_report, reliability=bins(3, 7))))
    dots = with_class(root, "dot")
    assert [place for place, one in enumerate(dots) if "open" in one.attrib["class"]] == [3, 7]
    assert per_cent(dots[0], "cx") == pytest.approx(5)
    assert per_cent(dots[0], "cy") == pytest.approx(95)
    assert per_cent(dots[3], "cy") == pytest.approx(100 - 17.5)


def test_classes_have_a_chart_each(tail_report: Report) -> None:
    report = scored(tail_report, reliability=(*bins(), *bins(of="b"), *bins(of="c")))
    assert len(with_class(tree(point_chart.calibration(report)), "plot")) == 3


def test_a_search_is_drawn_with_its_threshold_and_its_choice(tuned_report: Report) -> None:
    root = tree(point_chart.tuned(tuned_report))
    first, second = with_class(root, "plot")
    [limit], [chosen] = with_class(first, "limit"), with_class(first, "chosen")
    dots = [(per_cent(one, "cx"), per_cent(one, "cy")) for one in with_class(first, "dot")]
    assert len(dots) == 8
    assert per_cent(chosen, "x1") == pytest.approx(dots[4][0])
    assert dots[6][1] < per_cent(limit, "y1") < dots[5][1]  # estimates 0.057 and 0.037 beside 0.05
    assert min(per_cent(one, "y2") for one in with_class(second, "reach")) < 0  # out at the top
    assert point_chart.tuned(replace(tuned_report, judgement=None)) == ""


def test_an_axis_ends_at_a_round_mark_beyond_everything() -> None:
    found = row_chart.scale([Row("", "", 0.7, -0.13, 1.93)], 0.1)
    assert (found.left, found.right, found.step) == (-0.5, 2.0, 0.5)
    assert found.marks() == [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0]


@settings(deadline=None, derandomize=True, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ends=st.lists(st.tuples(ENDS, ENDS, ENDS), min_size=1, max_size=4))
def test_any_numbers_are_drawn(
    tail_report: Report, ends: list[tuple[float | None, float | None, float | None]]
) -> None:
    kinds = ("nu_max", "advantage", "column_log_loss", "column_j", "column_advantage", "certified_nu_max")
    findings = tuple(
        Finding(kind, Bound(*three, 9, "m"), 0.99, f"rr:epsilon={place}", {"column": "c", "tau": 1.0})
        for kind in kinds for place, three in enumerate(ends)
    )  # fmt: skip
    report = replace(tail_report, findings=findings)
    text = formats.render("html", report)
    assert not re.search(r'(?:c?[xyd][12]?|width|height)="[^"]*(?:nan|inf)', text)
    tree("".join(map(str, (charts.largest_losses(report), charts.advantages(report), charts.columns(report)))))
    assert formats.render("text", report) and formats.render("markdown", report)
