"""The picture of what mechanisms add."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from advantages import ADDED, added, findings

from labeldp_audit.core.finding import Bound
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

SVG = "{http://www.w3.org/2000/svg}"


def drawn(report: Report) -> ElementTree.Element:
    return ElementTree.fromstring(formats.picture(report) or "")


def scale(root: ElementTree.Element) -> tuple[float, float]:
    """Pixels at 0, and of a percentage point: from the marks below the axis."""
    lines = [line for line in root.iter(f"{SVG}line") if line.get("y1") == "84"]
    marks = [float(text.text or "") for text in root.iter(f"{SVG}text") if re.fullmatch(r"[\d.]+", text.text or "")]
    places = [float(line.attrib["x1"]) for line in lines]
    assert len(marks) == len(places) > 2
    return places[0], (places[-1] - places[0]) / (marks[-1] - marks[0])


def rows(root: ElementTree.Element) -> list[float]:
    circles = [circle for circle in root.iter(f"{SVG}circle") if circle.get("fill") != "#555"]
    return [float(circle.attrib["cx"]) for circle in circles]


def ends(root: ElementTree.Element) -> list[float]:
    paths = [path for path in root.iter(f"{SVG}path") if path.get("class") == "reach" and path.get("stroke") != "#555"]
    return [float(path.attrib["d"].split("H")[1]) for path in paths]


def test_dots_and_lines_are_where_the_numbers_are(gain_report: Report) -> None:
    root = drawn(gain_report)
    zero, point = scale(root)
    estimates, highs = zip(*((ends[0], ends[2]) for ends in ADDED.values()), strict=True)
    assert rows(root) == [pytest.approx(zero + 100 * value * point, abs=0.02) for value in estimates]
    assert ends(root) == [pytest.approx(zero + 100 * value * point, abs=0.02) for value in highs]


def test_a_moved_number_moves_its_dot(gain_report: Report) -> None:
    before = rows(drawn(gain_report))
    moved = tuple(
        replace(one, bound=replace(one.bound, estimate=0.02)) if one.mechanism == "llp:k=8" else one
        for one in gain_report.findings
    )
    after = rows(drawn(replace(gain_report, findings=moved)))
    assert [index for index, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [2]


def test_mechanisms_are_grouped_by_kind_and_named(gain_report: Report) -> None:
    mixed = replace(gain_report, findings=findings("llp:k=8", "rr:epsilon=2", "llp:k=64"))
    texts = [text.text for text in drawn(mixed).iter(f"{SVG}text")]
    assert [text for text in texts if text in ("llp", "rr")] == ["llp", "rr"]
    assert [text for text in texts if text and text.startswith(("k=", "epsilon="))] == ["k=8", "k=64", "epsilon=2"]
    assert "0.07, at most 2.35" in texts


def test_kinds_are_told_apart_without_colour(gain_report: Report) -> None:
    paths = [path for path in drawn(gain_report).iter(f"{SVG}path") if path.get("class") == "reach"]
    kinds = {(path.get("stroke"), path.get("stroke-dasharray")) for path in paths if path.get("stroke") != "#555"}
    assert len(kinds) == 3
    assert len({dash for _, dash in kinds}) == 3


def test_nothing_is_fetched_and_nothing_runs(gain_report: Report) -> None:
    text = formats.picture(gain_report) or ""
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|href|url\(|@import|\son\w+=|<image|<foreignObject", text)


def test_nothing_added_and_no_limits(gain_report: Report) -> None:
    [_, gain] = added("llp:k=8")
    for bound in (Bound(0.0, 0.0, 0.0, 9, "m"), Bound(0.0, None, None, 9, "m"), Bound(1e-12, 0.0, 1e-12, 9, "m")):
        root = drawn(replace(gain_report, findings=(replace(gain, bound=bound),)))
        assert len(rows(root)) == 1


def test_only_the_ends_of_lines_are_sure(gain_report: Report, given_report: Report) -> None:
    texts, given = ([text.text for text in drawn(report).iter(f"{SVG}text")] for report in (gain_report, given_report))
    assert "Ends: no more than this, 99 % confidence, whatever eta is." in texts
    assert "Ends: no more than this, 99 % confidence, if eta was made without these labels." in given
    assert "from what it is at least, if eta is even" in texts
    assert "from what it is at least, if eta is right" in given


def test_curves_come_first(tail_report: Report, gain_report: Report) -> None:
    both = replace(tail_report, findings=(*tail_report.findings, *gain_report.findings))
    assert formats.picture(both) == formats.picture(tail_report)
