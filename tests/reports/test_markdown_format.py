from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats.markdown import escaped
from labeldp_audit.reports.formats.spelling import plain

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100)
AWKWARD = "a|b <i>x</i> `code` *stress* _under_ [link](http://x.y) @team #12 ~~gone~~ \\ &amp; ![p](q) www.x.y"


def page(markdown: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


def cells(html: str) -> list[list[str]]:
    found = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [
        [unescape(re.sub("<!---->", "", cell)) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)] for row in found
    ]


@pytest.mark.parametrize("text", [AWKWARD, "[x]: y", "a|", "|", "\\", "\\|", "_", "https://a.b/c", "*", "<!--", "]"])
def test_words_stay_words(text: str) -> None:
    (row, *_) = cells(page(f"| {escaped(text)} |\n| --- |\n"))
    assert row == [text]


@SHARED
@given(name=st.text(st.characters(exclude_characters=" "), min_size=1, max_size=12))
def test_a_column_of_any_name_is_one_row(eta_report: Report, name: str) -> None:
    columns = (Column(name, "number", "int64"), Column("last", "label", "bool"))
    text = formats.render("markdown", replace(eta_report, dataset=replace(eta_report.dataset, columns=columns)))
    rows = [row for row in cells(page(text)) if len(row) == 6]
    assert [row[0] for row in rows] == ["column", plain(name), "last"]


def test_tables_are_thinned_and_complete(tail_report: Report) -> None:
    rows = cells(page(formats.render("markdown", tail_report)))
    taus = [row[0] for row in rows if len(row) == 5 and row[0].isdigit()]
    assert taus == [str(tau) for tau in range(11)]
    assert ["1", "14.7 [13.5, 16.1]", "23.0 [21.5, 24.8]", "100 [99.9, 100]", "100 [99.9, 100]"] in rows


def test_assumptions_are_numbered_once(worst_report: Report) -> None:
    html = page(formats.render("markdown", worst_report))
    assert html.count("the rows are an independent sample of the population") == 1
    assert [row[-1] for row in cells(html) if row[0] in ("eta_max", "log_ratio_max")] == ["1, 2", "1"]


def test_every_row_of_numbers_has_every_cell(tail_report: Report) -> None:
    bound = Bound(1.0, 0.5, 2.0, 9, "m")
    known = ("mean_loss", "jeffreys", "weighted_jeffreys", "log_ratio_min", "log_ratio_max", "nu_max", "eta_min")
    report = replace(tail_report, findings=tuple(Finding(quantity, bound, 0.99) for quantity in known))
    rows = {row[0]: row for row in cells(page(formats.render("markdown", report)))}
    assert {len(rows[quantity]) for quantity in known} == {7}
    assert rows["weighted_jeffreys"][5].startswith("p KL(P1||P0) + (1 - p) KL(P0||P1): ")


def test_a_wide_schema_is_cut(tail_report: Report) -> None:
    text = formats.render("markdown", tail_report)
    assert "And 31 more." in text
    assert "marker_040" not in text


def test_what_each_mechanism_adds_is_a_table(gain_report: Report) -> None:
    rows = cells(page(formats.render("markdown", gain_report)))
    assert ["llp:k=64", "none", "0.07", "2.35", "0", "91.7 [89.0, 100]", "rr:epsilon=0.485"] in rows
    assert ["llp", "k=8", "k=64"] in rows
    assert ["unimodality, by the error", "8.98 (10.8)", "8.98 (10.8)"] in rows
