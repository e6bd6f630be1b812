from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

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
    rows = [row for row in cells(page(text)) if len(row) == 5 and row[1] in ("role", "number", "label")]
    assert [row[0] for row in rows] == ["column", plain(name), "last"]


def test_details_are_folded_and_folds_are_closed(joint_report: Report) -> None:
    lines = formats.render("markdown", joint_report).splitlines()
    folds = [line for line in lines if "details>" in line]
    assert folds[::2] == ["<details><summary>Details</summary>"] * (len(folds) // 2)
    assert folds[1::2] == ["</details>"] * (len(folds) // 2) and folds
