"""The page: what it is made of, and what nobody's column name can do to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from itertools import pairwise
from xml.etree import ElementTree

import joint
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joint import HOSTILE, REPORTS, SHARED
from judging import noticed

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column
from labeldp_audit.reports import formats

SHEET = resources.files("labeldp_audit.reports").joinpath("templates", "style.css").read_text()
TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "nav", "section", "div", "p", "h1", "h2", "h3",
    "ul", "ol", "li", "dl", "dt", "dd", "a", "b", "strong", "small", "code", "pre", "span", "figure", "figcaption",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "desc", "path", "line", "circle", "rect", "text",
    "details", "summary", "footer", "g", "defs", "pattern",
}  # fmt: skip
ATTRIBUTES = {
    "aria-hidden", "aria-label", "aria-labelledby", "charset", "class", "content", "cx", "cy", "d", "fill", "height",
    "href", "http-equiv", "id", "lang", "name", "patternUnits", "r", "role", "scope", "style", "tabindex",
    "text-anchor", "transform", "viewBox", "width", "x", "y",
}  # fmt: skip


class Page:
    """Tags nest, each attribute stands once and there are no comments: it would be XML if meta were closed."""

    def __init__(self, text: str) -> None:
        assert "<!--" not in text and "<?" not in text
        root = ElementTree.fromstring(re.sub(r"<meta[^>]*", r"\g<0>/", text).replace("&nbsp;", "&#160;"))
        self.tags = [(one.tag, one.attrib) for one in root.iter()]
        self.words = " ".join(" ".join(one.itertext()) for one in root.iter("body")).replace("\xa0", " ")
        self.titles = {tag: ["".join(one.itertext()) for one in root.iter(tag)] for tag in ("h1", "dt", "dd")}
        assert {tag for tag, _ in self.tags} <= TAGS and {key for _, one in self.tags for key in one} <= ATTRIBUTES


def page(report: Report) -> Page:
    return Page(formats.render("html", report))


def hostile(report: Report) -> Report:
    """Whatever comes from outside is as bad as can be."""
    columns = tuple(Column(name, name, name, 3, 7, 1) for name in HOSTILE)
    data = replace(
        report.dataset, name=HOSTILE[0], label=HOSTILE[1], positive=HOSTILE[2], classes=(HOSTILE[3], HOSTILE[2]),
        columns=columns,
    )  # fmt: skip
    findings = tuple(replace(one, mechanism=f"{HOSTILE[n % len(HOSTILE)]}:x") for n, one in enumerate(report.findings))
    bins = tuple(replace(one, of=HOSTILE[4]) for one in report.eta.reliability)
    eta = replace(report.eta, reliability=bins, tried=tuple(replace(one, name=HOSTILE[5]) for one in report.eta.tried))
    bad = Finding(HOSTILE[6], Bound(1.0, None, None, 9, HOSTILE[7], HOSTILE), 0.99, HOSTILE[8], {"bound": HOSTILE[9]})
    parameters = {**report.parameters, "exclude": list(HOSTILE), "tune": HOSTILE[1], "compared": [HOSTILE[0]]}
    made = replace(
        report,
        dataset=data,
        findings=(*findings, bad),
        eta=eta,
        remarks=tuple(map(noticed, HOSTILE)),
        parameters=parameters,
    )
    return joint.explained(replace(made, uncertifiable=HOSTILE[3], version=HOSTILE[0]), HOSTILE, HOSTILE[1])


@pytest.mark.parametrize("name", REPORTS)
def test_a_page(request: pytest.FixtureRequest, name: str) -> None:
    """Nothing is fetched, and nothing runs; keys are there once; headings are in order; it is short until somebody
    unfolds it."""
    text = formats.render("html", request.getfixturevalue(name))
    found = Page(text)
    assert not re.search(r"https?:|//[a-z]|xmlns|<script|javascript:|@import|url\([^#]|src=|\son\w+=|<link|<base", text)
    [told] = [one["content"] for _, one in found.tags if one.get("http-equiv")]
    assert told == "default-src 'none'; style-src 'unsafe-inline'"
    assert any(one.get("name") == "viewport" for _, one in found.tags)
    keys, links = ([one[kind] for _, one in found.tags if kind in one] for kind in ("id", "href"))
    assert len(keys) == len(set(keys)) and links and {f"#{key}" for key in keys} >= set(links)
    assert all(one.get("aria-label") for tag, one in found.tags if tag == "svg" and one.get("role") == "img")
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    shown = re.sub(r"<style>.*?</style>|<details>.*?</details>|<svg.*?</svg>", " ", text, flags=re.DOTALL)
    assert 60 < len(re.sub(r"<[^>]+>", " ", shown).split()) <= 1_500 and len(text.encode()) < 300_000
    assert not any("open" in one for tag, one in found.tags if tag == "details")


def test_the_largest_words_are_the_verdict_or_the_answer(joint_report: Report) -> None:
    [title] = page(joint_report).titles["h1"]
    assert title.startswith("FAIL: ")
    [title] = page(replace(joint_report, judgement=None)).titles["h1"]
    assert "lose more than" in title.replace("\xa0", " ") and "POLICY" not in title


def test_somebody_signs(joint_report: Report) -> None:
    assert page(joint_report).titles["dt"][-3:] == ["Date", "Author", "Sign-off"]
    run = {"started": "2026-11-19T16:00:00+00:00", "user": "<ana>"}
    found = Page(formats.render("html", joint_report, run_info=run))
    assert found.titles["dd"][-3:-1] == ["2026-11-19T16:00:00+00:00", "<ana>"]


def test_all_waivers_are_there(joint_report: Report) -> None:
    words = page(joint_report).words
    assert "Features are <public> & \\u202ethe board\\nagreed." in words
    for state in ("used", "not needed", "about another table (abababababab…)", "run out: this is a failure"):
        assert state in words


def test_nothing_of_a_hostile_report_becomes_markup(joint_report: Report) -> None:
    report = hostile(joint_report)
    text = formats.render("html", report)
    found = Page(text)
    assert not re.search(r"https?://|//[a-z]", text)
    assert all(character.isprintable() or character == "\n" for character in text) and text.encode()
    assert all(name in found.words for name in HOSTILE[:4])


@SHARED
@given(name=st.text(min_size=1, max_size=12))
def test_a_column_of_any_name(eta_report: Report, name: str) -> None:
    columns = (Column(name, "number", "int64"), Column("last", "label", "bool"))
    page(replace(eta_report, dataset=replace(eta_report.dataset, columns=columns)))


@pytest.mark.parametrize("change", [lambda report: report, hostile], ids=["plain", "hostile"])
def test_the_largest_report_is_small_enough(tail_report: Report, change: Callable[[Report], Report]) -> None:
    text = formats.render("html", change(joint.huge(tail_report)))
    assert 100_000 < len(text.encode()) < 400_000


def test_the_page_of_a_mechanism_with_hundreds_of_columns(tail_report: Report) -> None:
    columns = tuple(Column(f"c{number}", "number", "double") for number in range(700))
    text = formats.render("html", replace(tail_report, dataset=replace(tail_report.dataset, columns=columns)))
    assert "And 580 more." in text


# ---- colours


def schemes() -> Iterator[dict[str, str]]:
    """The variables of the style sheet: light, and dark over light."""
    light, dark = re.findall(r":root \{(.*?)\}", SHEET, re.DOTALL)
    first = dict(re.findall(r"--([\w-]+): (#\w{6})", light))
    yield first
    yield first | dict(re.findall(r"--([\w-]+): (#\w{6})", dark))


def luminance(color: str) -> float:
    """WCAG 2.1, relative luminance."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXTS = [("ink", "paper"), ("soft", "paper"), ("accent", "paper"), ("ink", "wash"), ("good", "good-wash"),
         ("bad", "bad-wash"), ("open", "open-wash")]  # fmt: skip


def test_texts_can_be_read() -> None:
    for colors in schemes():
        assert [pair for pair in TEXTS if contrast(colors[pair[0]], colors[pair[1]]) < 4.5] == []
    assert "@media screen and (prefers-color-scheme: dark)" in SHEET


def test_the_measure_of_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
