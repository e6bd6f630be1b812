"""Charts: marks stand where the numbers are, bands say no more than the numbers, and what is open looks open."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import joint
import pytest
from advantages import ADDED
from certified import bins, scored
from hypothesis import given
from hypothesis import strategies as st
from test_html_format import contrast, hostile

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import figures
from labeldp_audit.reports.figures import drawing, panels
from labeldp_audit.reports.figures.panels import Point

Ends = tuple[float | None, float | None, float | None]
Place = tuple[float, float]


def losses(mechanism: str, ends: dict[float, Ends], quantity: str = "j") -> tuple[Finding, ...]:
    return tuple(
        Finding(quantity, Bound(*known, 100, "m"), 0.99, mechanism, {"tau": tau}) for tau, known in ends.items()
    )


def chart(report: Report, key: str) -> figures.Chart:
    return next(one for one in figures.of(report) if one.key == key)


def root(drawn: figures.Chart) -> ElementTree.Element:
    return ElementTree.fromstring(drawn.svg())


def with_class(drawn: figures.Chart, name: str) -> list[ElementTree.Element]:
    """Not those of the legend."""
    found, legend = root(drawn), set[ElementTree.Element]()
    for group in found.iter("g"):
        legend.update(group.iter())
    return [one for one in found.iter() if name in (one.get("class") or "").split() and one not in legend]


def corners(path: ElementTree.Element) -> list[Place]:
    numbers = re.findall(r"(-?[\d.]+) (-?[\d.]+)", path.attrib["d"])
    return [(float(x), float(y)) for x, y in numbers]


def words(drawn: figures.Chart) -> list[str]:
    return [one.text or "" for one in root(drawn).iter("text")]


# ---- bands


FEW: dict[float, Ends] = {1.0: (0.6, 0.5, 0.8), 3.0: (0.3, 0.2, 0.4), 6.0: (0.05, 0.0, 0.1)}


def test_between_two_values_the_high_of_the_left_and_the_low_of_the_right_hold() -> None:
    points = [Point(tau, Bound(*known, 9, "m")) for tau, known in FEW.items()]
    falling = [(one.left, one.right, one.low, one.high) for one in panels.spans(points, falls=True)]
    assert falling == [(1.0, 3.0, 0.2, 0.8), (3.0, 6.0, 0.0, 0.4)]
    rising = [(one.low, one.high) for one in panels.spans(points[::-1], falls=False)]
    assert rising == [(0.0, 0.4), (0.2, 0.8)]


def test_the_band_that_is_drawn_is_that_one(tail_report: Report) -> None:
    drawn = chart(replace(tail_report, findings=losses("m", FEW)), "j")
    [band] = with_class(drawn, "band")
    x = [float(one.attrib["cx"]) for one in with_class(drawn, "dot")]
    full, none = (
        next(y for _, y in corners(one)) for one in (with_class(drawn, "grid")[-1], with_class(drawn, "axis")[0])
    )
    expected = [(x[0], 0.8), (x[1], 0.8), (x[1], 0.4), (x[2], 0.4), (x[2], 0.0), (x[1], 0.0), (x[1], 0.2), (x[0], 0.2)]
    found = [(at, (none - y) / (none - full)) for at, y in corners(band)]
    assert found == [(pytest.approx(at, abs=0.2), pytest.approx(share, abs=0.002)) for at, share in expected]
    heights = [(none - float(one.attrib["cy"])) / (none - full) for one in with_class(drawn, "dot")]
    assert heights == pytest.approx([0.6, 0.3, 0.05], abs=0.005)


@pytest.mark.parametrize("count", [30, 300, 3000])
def test_a_curve_within_its_limits_is_within_the_band(tail_report: Report, count: int) -> None:
    """Also where values of tau are nearer to each other than can be drawn."""
    chance = random.Random(count)
    shares = sorted((0.85 * chance.random() for _ in range(count)), reverse=True)
    ends: dict[float, Ends] = {
        place / 7: (share, max(0.0, share - 0.3 * chance.random()), min(0.89, share + 0.3 * chance.random()))
        for place, share in enumerate(shares)
    }
    drawn = chart(replace(tail_report, findings=losses("m", ends)), "j")
    [band], [line] = (list(map(corners, with_class(drawn, name))) for name in ("band", "line"))
    assert len(line) > 50
    for (left, y), (right, _) in pairwise(line):
        for (a, level), (b, _) in pairwise(band):
            if a < (left + right) / 2 < b:  # the upper edge
                assert level <= y + 0.2


def test_what_says_nothing_is_hatched_and_called_open(tail_report: Report) -> None:
    ends: dict[float, Ends] = {0.0: (0.6, 0.05, 0.95), 2.0: (0.5, 0.04, 0.93), 4.0: (0.3, 0.0, 0.5), 6.0: (0.1, 0, 0.2)}
    drawn = chart(replace(tail_report, findings=losses("m", ends)), "j")
    assert [one.get("fill") for one in root(drawn).iter("path") if one.get("fill")] == ["url(#open-j)"]
    assert "open" in words(drawn) and "open: no useful limit" in words(drawn)
    assert any("open" in one for one in words(drawn)) and len(with_class(drawn, "band")) == 1
    known = chart(replace(tail_report, findings=losses("m", FEW)), "j")
    assert "open" not in known.svg().replace("open-j", "")


@pytest.mark.parametrize(("low", "high", "share", "is_open"), [
    (None, 0.5, True, True), (0.1, None, True, True), (None, None, True, True), (0.1, math.inf, True, True),
    (0.05, 0.95, True, True), (0.05, 0.95, False, False), (0.1, 0.9, True, True), (0.1, 0.89, True, False),
    (0.11, 0.9, True, False),
])  # fmt: skip
def test_an_end_that_is_missing_or_says_nothing_is_open(
    low: float | None, high: float | None, share: bool, is_open: bool
) -> None:
    assert panels.is_open(low, high, share) == is_open


# ---- subjects


def test_losses_have_the_factor_on_odds_beside_them(tail_report: Report) -> None:
    drawn = chart(replace(tail_report, findings=losses("m", FEW)), "j")
    assert {"1", "3", "6", "×2.7", "×20", "×403"} <= set(words(drawn))
    assert drawn.alt == "Share of people: m above 3 nats 30.0 % [20.0, 40.0]."


def test_the_dot_is_at_epsilon_where_a_value_is_near(tail_report: Report) -> None:
    assert len(with_class(chart(tail_report, "j"), "promise")) == 4
    late = tuple(one for one in tail_report.findings if one.at.get("tau", 0) > 4.5)
    assert with_class(chart(replace(tail_report, findings=late), "j"), "promise") == []


def test_strengths_are_one_curve_and_few_mechanisms_rows(gain_report: Report) -> None:
    assert len(with_class(chart(gain_report, "advantage"), "line")) == 0
    members = [one for one in gain_report.findings if one.mechanism == "rr:epsilon=2"]
    family = [
        replace(one, mechanism=f"rr:epsilon={epsilon}", at={**one.at, "epsilon": epsilon, "pi": 0.1})
        for epsilon in (0.5, 1.0, 2.0, 4.0) for one in members
    ]  # fmt: skip
    drawn = chart(replace(gain_report, findings=tuple(family)), "advantage")
    assert len(with_class(drawn, "line")) == 1
    assert "0.5" in words(drawn) and "epsilon" in words(drawn)
    compared = replace(gain_report, findings=tuple(family), parameters={"compared": ["rr:epsilon=4.0"]})
    assert [len(with_class(chart(compared, "advantage"), name)) for name in ("dot", "ring")] == [3, 1]


def test_rows_are_where_their_numbers_are(gain_report: Report) -> None:
    drawn = chart(gain_report, "advantage")
    dots = [float(one.attrib["cx"]) for one in with_class(drawn, "dot")]
    estimates = [*(ends[0] or 0.0 for ends in ADDED.values()), 0.0842]  # the last without noise
    scale = (max(dots) - min(dots)) / (max(estimates) - min(estimates))
    assert dots == [pytest.approx(min(dots) + scale * (one - min(estimates)), abs=0.2) for one in estimates]
    assert "1.68 [0.42, 8.33]" in words(drawn)


def test_predictions_are_on_logit_axes(tail_report: Report) -> None:
    drawn = chart(scored(tail_report, reliability=bins(2)), "calibration")
    assert (len(with_class(drawn, "seen")), len(with_class(drawn, "misfit"))) == (9, 1)
    assert {"predicted", "observed", "10 %", "50 %"} <= set(words(drawn))
    axis = drawing.logit([0.001, 0.999], "")
    assert axis.at(0.5) == pytest.approx(0.5) and axis.at(0.01) + axis.at(0.99) == pytest.approx(1)
    assert (axis.at(0.0), axis.at(1.0)) == (0, 1)


# ---- all charts


def every(report: Report) -> Iterator[tuple[figures.Chart, str]]:
    for one in figures.of(report):
        yield one, one.svg()
        yield one, one.svg(standalone=True)


def test_the_same_report_makes_the_same_bytes(joint_report: Report) -> None:
    assert [text for _, text in every(joint_report)] == [text for _, text in every(joint_report)]
    keys = [one.key for one in figures.of(joint_report)]
    assert len(keys) == len(set(keys)) >= 4 and figures.of(joint_report)[0].level == "brief"


@pytest.mark.parametrize("name", ["joint_report", "tuned_report"])
def test_all_charts_as_they_are_drawn(
    request: pytest.FixtureRequest, golden: Callable[[str, str], None], name: str
) -> None:
    drawn = (f"{one.key}: {one.title}. {one.alt}\n{one.svg()}\n" for one in figures.of(request.getfixturevalue(name)))
    golden(f"{name.partition('_')[0]}.charts.txt", "".join(drawn))


def test_names_from_outside_are_words_and_nothing_else(joint_report: Report) -> None:
    for one, text in every(hostile(joint_report)):
        assert {child.tag.rpartition("}")[2] for child in ElementTree.fromstring(text).iter()} <= {
            "svg", "title", "style", "defs", "pattern", "path", "rect", "circle", "text", "g",
        }, one.key  # fmt: skip
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|<script|href|url\([^#]|@import", text)
        assert not any(key.startswith("on") for child in ElementTree.fromstring(text).iter() for key in child.attrib)
        assert len(text) < 150_000


def test_a_file_has_its_style_and_a_page_has_it_once(tail_report: Report) -> None:
    drawn = chart(tail_report, "j")
    assert figures.STYLE in drawn.svg(standalone=True) and "<style>" not in drawn.svg()
    assert "tail" not in drawn.alt and drawn.alt.endswith(".") and drawn.alt in drawn.svg().replace("&#x27;", "'")
    assert drawn.svg(standalone=True).count("xmlns") == 1 and "xmlns" not in drawn.svg()


def test_texts_and_marks_stand_out_and_are_large_enough_on_a_phone() -> None:
    for sheet in figures.STYLE.split("@media screen"):  # light and dark
        found = dict(re.findall(r"\.(paper|soft|c\d)\{(?:fill|color):(#\w{6})\}", sheet))
        names = ("soft", *(f"c{place}" for place in range(drawing.COLOURS)))
        assert min(contrast(found[name], found["paper"]) for name in names) >= 4.5
    [size] = re.findall(r"font:([\d.]+)px", figures.STYLE)
    assert float(size) * 342 / drawing.WIDTH >= 11
    patterns = re.findall(r"\.fig \.d(\d)\{stroke-dasharray:([\d ]+)\}", figures.STYLE)
    assert len({dash for _, dash in patterns}) == drawing.COLOURS - 1


@given(st.lists(st.floats(0, 200), min_size=1, max_size=9))
def test_names_at_the_ends_of_lines_are_apart(heights: list[float]) -> None:
    placed = sorted(drawing.apart(heights, 19, 0, 200))
    assert all(below - above >= 19 - 1e-6 for above, below in pairwise(placed))
    assert placed[0] >= -1e-6 and placed[-1] <= 200


@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=40), st.floats(100, 400))
def test_labels_of_ticks_are_apart(values: list[float], across: float) -> None:
    for axis in (drawing.logarithmic(values, ""), drawing.linear(values)):
        shown = list(axis.spaced(across))
        ends = [(across * axis.at(one.value), drawing.wide(one.label) / 2) for one in shown]
        assert shown and all(a + half + 7 <= b - other for (a, half), (b, other) in pairwise(ends))


def test_a_large_report_has_small_charts(certified_tail: Report) -> None:
    assert all(len(text) < 150_000 for _, text in every(joint.huge(certified_tail)))
