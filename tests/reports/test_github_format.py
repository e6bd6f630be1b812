"""Markdown; commands to a workflow, which end at the first character that is not escaped; and the page below a job."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joint import SHARED
from judging import LATER, hostile, judged, many, noticed
from markdown_it import MarkdownIt

from labeldp_audit.core.quoting import plain
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column
from labeldp_audit.reports import answers, formats
from labeldp_audit.reports.formats import github, markdown
from labeldp_audit.reports.formats.markdown import escaped

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


# ---- commands


@dataclass(frozen=True)
class Command:
    name: str
    parameters: dict[str, str]
    message: str


def read(line: str) -> Command:
    """As the runner of workflows does: parameters up to the next ::, apart at commas, a name and a value apart at =."""
    head, message = re.fullmatch(r"::(.*?)::(.*)", line).groups()  # type: ignore[union-attr]
    name, _, rest = head.partition(" ")
    pairs = [one.partition("=") for one in rest.split(",")]
    back = {key: undone(value, ("%0D", "%0A", "%3A", "%2C")) for key, _, value in pairs}
    return Command(name, back, undone(message, ("%0D", "%0A")))


def undone(text: str, escapes: tuple[str, ...]) -> str:
    for escape in escapes:
        text = text.replace(escape, urllib.parse.unquote(escape))
    return text.replace("%25", "%")


def commands(report: Report, **more: str) -> tuple[list[Command], str]:
    *lines, last = formats.render("github", report, **more).splitlines()  # type: ignore[arg-type]
    assert not last.startswith(":")
    kept = [line for line in lines if line.startswith("::")]
    assert lines == [*kept, *answers.waivers_in_lines(report)]
    return [read(line) for line in kept], last


def test_the_whole(worst_report: Report, golden: Callable[[str, str], None]) -> None:
    golden("nu-max.github.txt", formats.render("github", judged(worst_report)))


def test_without_a_judgement_there_is_nothing_to_annotate(worst_report: Report) -> None:
    assert commands(worst_report) == ([], "labeldp-audit: no policy was judged")


def test_the_file_is_where_the_caller_says(worst_report: Report) -> None:
    found, _ = commands(judged(worst_report), location="data/a, b: 5%.csv")
    assert found[0].parameters["file"] == "data/a, b: 5%.csv"


@pytest.mark.parametrize(("lines", "said"), [(9, None), (10, None), (11, 1), (1500, 1490)])
def test_ten_annotations_at_most(worst_report: Report, lines: int, said: int | None) -> None:
    found, last = commands(many(worst_report, lines))
    assert len(found) == min(lines, 10)
    more = re.findall(r"\(and ([\d,]+) more, which are in the report\)", "".join(one.message for one in found))
    assert more == ([] if said is None else [f"{said:,}"])
    if said:
        assert "more, which" in found[-1].message
    assert f"{lines:,} fail" in last


def test_what_is_left_out_is_never_worse_than_what_is_shown(worst_report: Report) -> None:
    waived = tuple(f"log_ratio_max.high > {place / 10}" for place in range(12))
    lines = (*waived, "eta_max.high > 0.99", "nu_max.high > 10")
    found, _ = commands(judged(worst_report, lines, (("log_ratio_max", LATER, "known"),)))
    assert [one.name for one in found] == ["error", "warning"] + ["notice"] * 8


TEXTS = st.text(st.sampled_from("ab%25:,\r\n0AD=;\u202e\ud800 "), max_size=12)


@settings(deadline=None, derandomize=True, max_examples=200)
@given(TEXTS, TEXTS)
def test_escaping_brings_every_text_back(name: str, message: str) -> None:
    line = f"::error title={github.parameter(name)}::{github.data(message)}"
    assert not {"\r", "\n"} & {*line}
    assert read(line) == Command("error", {"title": name}, message)


def test_nobody_s_words_give_commands(worst_report: Report) -> None:
    found, _ = commands(hostile(worst_report))
    assert [one.name for one in found] == ["error", "error", "error", "notice"]
    assert all([*one.parameters] == ["file", "title"] for one in found)


# ---- the page


def tables(page: str) -> list[tuple[int, int]]:
    """Rows and columns of each, as Markdown reads them."""
    found, rows, cells = [], 0, 0
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        rows += token.type == "tr_open"
        cells += token.type == "th_open"
        if token.type == "table_close":
            found.append((rows, cells))
            rows = cells = 0
    return found


def test_a_page_that_fits_is_the_markdown_report(worst_report: Report) -> None:
    page = markdown.render(worst_report)
    assert formats.summary(worst_report) == github.summary(worst_report, len(page.encode())) == page


@pytest.mark.parametrize("name", ["worst_report", "certified_gain"])
def test_a_page_is_cut_at_the_end_of_a_line(request: pytest.FixtureRequest, name: str) -> None:
    report: Report = request.getfixturevalue(name)
    page = markdown.render(report)
    for room in range(200, len(page.encode()), 197):
        cut = github.summary(report, room)
        assert len(cut.encode()) <= room
        kept, note = cut.rsplit("\n\n", 1)
        assert kept.count("<details>") == kept.count("</details>")
        shown = len(kept.splitlines())
        kept = kept if page.startswith(f"{kept}\n") else kept.removesuffix("\n\n</details>")
        assert page.startswith(f"{kept}\n")
        left = int(re.fullmatch(r"\*([\d,]+) lines of the report were left out here: .*\*\n", note)[1].replace(",", ""))  # type: ignore[index]
        assert left == len(page.splitlines()) - shown
        whole = tables(page)
        for place, (rows, columns) in enumerate(tables(cut)):  # a table has its columns still, and a row at least
            assert 1 < rows <= whole[place][0]
            assert columns == whole[place][1]
        assert not kept.splitlines()[-1].startswith("#") or len(kept.splitlines()) == 1


def test_no_more_is_cut_than_has_to_be(tail_report: Report) -> None:
    page = markdown.render(tail_report)
    cut = github.summary(tail_report, len(page.encode()) - 1)
    assert len(cut.encode()) > len(page.encode()) - 600


def test_a_page_longer_than_github_takes(tail_report: Report) -> None:
    long = replace(tail_report, remarks=tuple(noticed(f"warning {place}: \u00f6\u65e5") for place in range(60_000)))
    page = markdown.render(long)
    assert len(page.encode()) > 1_048_576
    cut = formats.summary(long)
    assert 1_048_576 - 1000 < len(cut.encode()) < 1_048_576
    assert len(formats.summary(long, taken=1_000_000).encode()) < 48_576


@pytest.mark.parametrize("room", [-5, 0, 10, 60])
def test_no_page_where_there_is_no_room(tail_report: Report, room: int) -> None:
    assert github.summary(tail_report, room) == ""


def test_a_page_of_other_people_s_words(worst_report: Report) -> None:
    page = formats.summary(hostile(worst_report))
    assert page.encode() and "<b>" not in page
