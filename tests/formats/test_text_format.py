from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from labeldp_audit import formats
from labeldp_audit.model import Bound, Column, Finding, Report

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
REPORTS = pytest.mark.parametrize("which", ["tail_report", "worst_report", "eta_report"])


def widest(text: str) -> int:
    return max(cell_len(line) for line in text.splitlines())


@REPORTS
@pytest.mark.parametrize("width", [40, 41, 59, 72, 73, 80, 109, 110, 137, 200])
def test_no_line_is_wider_than_the_terminal(request: pytest.FixtureRequest, which: str, width: int) -> None:
    assert widest(formats.render("text", request.getfixturevalue(which), width=width)) <= width


@SHARED
@given(name=st.text(min_size=1, max_size=60), width=st.integers(40, 200))
def test_whatever_a_column_is_called(eta_report: Report, name: str, width: int) -> None:
    columns = (Column(name, "category", "string", 5, 3, 3), *eta_report.dataset.columns)
    dataset = replace(eta_report.dataset, name=name, label=name, classes=(name, "1"), columns=columns)
    text = formats.render("text", replace(eta_report, dataset=dataset, warnings=(name,)), width=width)
    assert widest(text) <= width
    assert all(character.isprintable() for character in text.replace("\n", ""))


@pytest.mark.parametrize("width", [40, 100])
def test_no_number_is_cut(tail_report: Report, worst_report: Report, width: int) -> None:
    for report in (tail_report, worst_report):
        assert "…" not in formats.render("text", report, width=width)


def test_names_are_not_markup_and_not_emoji_codes(eta_report: Report) -> None:
    columns = (Column("[bold]x[/bold]", "number", "int64"), Column(":smile:", "number", "int64"))
    text = formats.render("text", replace(eta_report, dataset=replace(eta_report.dataset, columns=columns)))
    assert "[bold]x[/bold]" in text
    assert ":smile:" in text


def test_the_first_line_says_what_is_not_proved(tail_report: Report) -> None:
    first = formats.render("text", tail_report).splitlines()[0]
    assert first == "Measured: how many people lose more privacy than tau. Not proved: that a release is safe."


def test_the_sentence_names_share_interval_and_factor(tail_report: Report) -> None:
    text = " ".join(formats.render("text", tail_report).split())
    assert "for 29.2 % of people [27.5 %, 31.2 %] the features and the released label together" in text
    assert "by more than a factor of 1.6, averaged over the noise: a loss above tau = 0.5 nats." in text


@pytest.mark.parametrize(
    ("quantity", "estimate", "sentence"),
    [
        ("nu_max", 4.0, "by a factor of 55: the largest loss is 4 nats."),
        ("nu_max", math.inf, "with rr:epsilon=1 is estimated as infinite; where the features tell all"),
        (
            "uninformed_utility",
            0.91,
            "guesses 91.0 % of the labels; always saying the commoner class is right for 88.0 %.",
        ),
        ("j", 0.25, "With rr:epsilon=1, for 25.0 % of people the features and the released label"),
    ],
)
def test_sentences_without_limits(eta_report: Report, quantity: str, estimate: float, sentence: str) -> None:
    finding = Finding(quantity, Bound(estimate, None, None, 9, "m"), 0.99, "rr:epsilon=1", {"tau": 2.0})
    text = " ".join(formats.render("text", replace(eta_report, findings=(finding,))).split())
    assert sentence in text


def test_each_assumption_once(tail_report: Report) -> None:
    text = " ".join(formats.render("text", tail_report).split())
    assert text.count("the rows are an independent sample of the population") == 1


def test_colour_only_where_it_is_asked_for(tail_report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
        monkeypatch.setenv(name, "1")
    without = formats.render("text", tail_report)
    monkeypatch.setenv("NO_COLOR", "1")
    colored = formats.render("text", tail_report, color=True)
    assert "\x1b[" not in without
    assert "\x1b[36m" in colored
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in bare.splitlines()] == without.splitlines()


def test_every_curve_carries_its_mark(tail_report: Report) -> None:
    drawn = [line for line in formats.render("text", tail_report).splitlines() if "│" in line or "┤" in line]
    body = "".join(re.split("[│┤]", line)[1] for line in drawn)
    assert all(body.count(mark) >= 2 for mark in "1234")


def test_a_wide_table_is_counted_and_not_listed(tail_report: Report) -> None:
    text = " ".join(formats.render("text", tail_report).split())
    assert "and 38 more" in text
    assert "marker_059" not in text
