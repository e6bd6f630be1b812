from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import curve_names, curves, steps

SVG = "{http://www.w3.org/2000/svg}"


def curve(mechanism: str, points: list[tuple[float, float]], spread: float = 0.02) -> list[Finding]:
    return [
        Finding(
            "j", Bound(share, max(0, share - spread), min(1, share + spread), 100, "m"), 0.95, mechanism, {"tau": tau}
        )
        for tau, share in points
    ]


def drawn(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(formats.picture(report) or "")


def corners(path: str) -> list[tuple[float, float]]:
    """The corners of a path of M, h, v and l."""
    found: list[tuple[float, float]] = []
    for letter, rest in re.findall(r"([Mhvl])([^Mhvlz]*)", path):
        numbers = [float(one) for one in rest.split()]
        x, y = found[-1] if found else (0.0, 0.0)
        right, down = {"h": (numbers[0], 0.0), "v": (0.0, numbers[0])}.get(letter, (numbers[0], numbers[-1]))
        found.append((right, down) if letter == "M" else (x + right, y + down))
    return found


def lines(root: ElementTree.Element) -> list[list[tuple[float, float]]]:
    paths = [path for path in root.iter(f"{SVG}path") if path.get("class") == "line"]
    return [corners(path.attrib["d"]) for path in paths if len(corners(path.attrib["d"])) > 2]


def test_a_step_is_held_until_the_next_tau(tail_report: Report) -> None:
    report = replace(tail_report, findings=tuple(curve("m", [(0, 1.0), (1, 0.5), (2, 0.0)])))
    (line,) = lines(drawn(report))
    left, right, top, bottom = line[0][0], line[-1][0], line[0][1], line[-1][1]
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    expected = [(left, top), (middle_x, top), (middle_x, middle_y), (right, middle_y), (right, bottom)]
    assert line == [pytest.approx(corner, abs=0.06) for corner in expected]


def test_limits_reach_as_far_as_a_falling_curve_allows() -> None:
    # Between two values of tau, J is at most what it is at the first and at least what it is at the second.
    assert steps.held([0.9, 0.5, 0.1]) == [0.9, 0.5, 0.1]
    assert steps.reached([0.8, 0.4, 0.05]) == [0.4, 0.05, 0.05]


def test_nothing_is_fetched_and_nothing_runs(tail_report: Report) -> None:
    text = formats.picture(tail_report) or ""
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|href|url\(|@import|\son\w+=|<image|<foreignObject", text)


def test_names_are_escaped(tail_report: Report) -> None:
    dataset = replace(tail_report.dataset, name='<script>"&\x00.csv', label="</text>\u202ex")
    texts = [element.text or "" for element in drawn(replace(tail_report, dataset=dataset)).iter(f"{SVG}text")]
    assert any(text.startswith('<script>"&\\x00.csv, label </text>\\u202ex, ') for text in texts)


def test_a_large_report_is_a_small_picture(tail_report: Report) -> None:
    points = [(number / 400, 1 / (1 + (number / 400) ** 2)) for number in range(4001)]
    many = [finding for place in range(8) for finding in curve(f"rr:epsilon={place}", points)]
    text = formats.picture(replace(tail_report, findings=tuple(many))) or ""
    assert len(text.encode()) < 150_000
    assert len(lines(ElementTree.fromstring(text))) == 8


def test_curves_are_told_apart_without_colour(tail_report: Report) -> None:
    paths = [path for path in drawn(tail_report).iter(f"{SVG}path") if path.get("class") == "line"]
    assert len({path.get("stroke-dasharray") for path in paths}) == 4
    assert len({path.get("stroke") for path in paths}) == 4


def test_what_is_shown_is_a_thin_line(tail_report: Report) -> None:
    report = replace(tail_report, findings=tuple(curve("m", [(0, 1.0), (1, 0.5), (2, 0.5)], spread=0.25)))
    (path,) = [path for path in drawn(report).iter(f"{SVG}path") if path.get("class") == "least"]
    (line,) = lines(drawn(report))
    bottom = 440  # of the plot, where nobody is
    quarter = bottom - (bottom - line[0][1]) / 4
    assert {y for _, y in corners(path.attrib["d"])} == {round(quarter, 1)}


def test_curves_are_named_where_they_are(tail_report: Report) -> None:
    texts = [text for text in drawn(tail_report).iter(f"{SVG}text") if text.get("class") == "direct"]
    assert {text.text for text in texts} <= {"epsilon=0.5", "epsilon=1", "epsilon=2", "epsilon=4"}
    assert len(texts) >= 2


def test_names_stand_on_no_line_and_on_no_other_name() -> None:
    stairs = [
        (float(x), float(y)) for step in range(10) for x, y in ((20 * step, 40 * step), (20 * step + 20, 40 * step))
    ]
    apart = [(x + 150, y) for x, y in stairs]
    first, second = curve_names.spots(["one", "two"], [stairs, apart], 0, 400)
    assert first is not None and second is not None
    assert first[0] < second[0]
    assert (
        curve_names.spots(["one", "two"], [stairs, stairs], 0, 400)[1]
        != curve_names.spots(["one"], [stairs], 0, 400)[0]
    )
    wall = [(x + 25, y) for x, y in stairs]
    (moved, _) = curve_names.spots(["one", "wall"], [stairs, wall], -100, 400)
    (alone,) = curve_names.spots(["one"], [stairs], -100, 400)
    assert moved is not None and alone is not None and moved[0] < alone[0]
    assert curve_names.spots(["a name of any length"], [stairs], 0, 100) == [None]


def test_the_dot_is_at_the_promise(tail_report: Report) -> None:
    found = curves.curves_of(tail_report)
    assert [curve.promise()[0] for curve in found if curve.promise()] == [0.5, 1.0, 2.0, 4.0]
    assert len([*drawn(tail_report).iter(f"{SVG}circle")]) == 5  # and the one of the legend


def test_no_dot_where_tau_says_nothing_about_the_promise(tail_report: Report) -> None:
    late = tuple(finding for finding in tail_report.findings if finding.at.get("tau", 0) > 4.5)
    assert [curve.promise() for curve in curves.curves_of(replace(tail_report, findings=late))] == [None] * 4
    assert not [*drawn(replace(tail_report, findings=late)).iter(f"{SVG}circle")]


def test_a_low_curve_gets_a_low_frame(tail_report: Report) -> None:
    report = replace(tail_report, findings=tuple(curve("m", [(6, 0.03), (7, 0.025), (8, 0.021)], spread=0.005)))
    texts = [element.text for element in drawn(report).iter(f"{SVG}text")]
    assert "4 %" in texts
    assert "100 %" not in texts
