from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import headline

SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
NAMES = ["tail_report", "worst_report", "eta_report", "gain_report", "given_report", "certified_tail", "certified_gain"]
REPORTS = pytest.mark.parametrize("which", NAMES)


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


@pytest.mark.parametrize("width", [40, 60, 80, 100])
@REPORTS
def test_no_number_is_cut(request: pytest.FixtureRequest, which: str, width: int) -> None:
    assert "…" not in formats.render("text", request.getfixturevalue(which), width=width)


def test_names_are_not_markup_and_not_emoji_codes(eta_report: Report) -> None:
    columns = (Column("[bold]x[/bold]", "number", "int64"), Column(":smile:", "number", "int64"))
    text = formats.render("text", replace(eta_report, dataset=replace(eta_report.dataset, columns=columns)))
    assert "[bold]x[/bold]" in text
    assert ":smile:" in text


def test_the_first_line_says_what_is_not_proved(tail_report: Report) -> None:
    first = formats.render("text", tail_report).splitlines()[0]
    assert first == "Measured: how many people lose more privacy than tau. Not proved: that a release is safe."


def test_one_glance_at_the_tail(tail_report: Report) -> None:
    text = " ".join(formats.render("text", tail_report).split())
    assert (
        "In short: with rr:epsilon=0.5, the strongest noise asked for, at least 27.5 % of people lose more than "
        "0.5 nats, its epsilon; up to 31.2 % cannot be ruled out (99 % confidence, about neighbourhood averages). "
        "Estimate: 29.2 %." in text
    )
    assert "(1 nat: ×2.7, 3: ×20, 6: ×403): at tau = 3 a label that 12.0 % of people have becomes 73.3 % likely" in text


def test_one_glance_is_about_people_where_smoothness_is_vouched_for(tail_report: Report) -> None:
    vouched = replace(tail_report, parameters={**tail_report.parameters, "smoothness": "2,1"})
    assert "cannot be ruled out (99 % confidence). Estimate" in " ".join(formats.render("text", vouched).split())


@pytest.mark.parametrize(
    ("quantity", "estimate", "sentence"),
    [
        ("nu_max", 4.0, "the largest loss of a person is estimated as 4 nats, odds ×55."),
        ("nu_max", math.inf, "In short: with rr:epsilon=1, the largest loss of a person is estimated as infinite."),
        (
            "uninformed_utility",
            0.91,
            "guesses an estimated 91.0 % of the labels; always saying the commoner class is right for 88.0 %.",
        ),
        ("j", 0.25, "with rr:epsilon=1, an estimated 25.0 % of people lose more than 2 nats."),
    ],
)
def test_sentences_without_limits(eta_report: Report, quantity: str, estimate: float, sentence: str) -> None:
    finding = Finding(quantity, Bound(estimate, None, None, 9, "m"), 0.99, "rr:epsilon=1", {"tau": 2.0})
    text = " ".join(formats.render("text", replace(eta_report, findings=(finding,))).split())
    assert sentence in text


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        ((0.66, 0.018, 0.96), "at least 1.80 % of people lose more than 0.5 nats, its epsilon; up to 96.0 % cannot be"),
        ((0.66, 0.018, 0.96), "The interval is too wide to rely on the estimate of 66.0 %."),
        ((0.66, 0.018, 0.96), "everything above them is what 141 neighbours a row cannot rule out"),
        ((0.22, 0.0, 0.96), "up to 96.0 % of people may lose more than 0.5 nats, its epsilon, though nobody is shown"),
    ],
)
def test_a_wide_interval_does_not_read_as_known(
    eta_report: Report, bound: tuple[float, float, float], sentence: str
) -> None:
    at = {"tau": 0.5, "epsilon": 0.5, "pi": 0.378}
    finding = Finding("j", Bound(*bound, 9, "m"), 0.99, "rr:epsilon=0.5", at)
    for name in ("text", "markdown"):
        assert sentence in " ".join(formats.render(name, replace(eta_report, findings=(finding,))).split())


def test_tau_beyond_epsilon_and_tau_below_it(eta_report: Report) -> None:
    def short(*taus: float) -> str:
        at = {"epsilon": 2.5, "pi": 0.076}
        bound = Bound(0.5, 0.4, 0.6, 9, "m")
        findings = tuple(Finding("j", bound, 0.99, "rr:epsilon=2.5", {"tau": tau, **at}) for tau in taus)
        return headline.in_short(replace(eta_report, findings=findings))

    assert "lose more than 6 nats (its epsilon is 2.5)" in short(1, 2, 6, 7)
    assert "lose more than 2 nats (its epsilon is 2.5)" in short(1, 2)


def test_the_first_lines_say_when_rows_were_sampled(tail_report: Report) -> None:
    few = replace(tail_report.eta, queries=5000)
    sentence = "Only 5,000 of 19,981 rows, drawn at random, were asked for their neighbours; all rows were searched."
    for name in ("text", "markdown"):
        assert sentence not in " ".join(formats.render(name, tail_report).split())
        text = " ".join(formats.render(name, replace(tail_report, eta=few)).split())
        assert text.index("In short:") < text.index(sentence) < text.index("clinic.parquet: ")


def test_why_an_average_is_infinite(tail_report: Report) -> None:
    text = " ".join(formats.render("text", tail_report).split())
    assert "No upper limit exists for the average loss" in text
    assert "Where an estimate is infinite, it is because 40 of 19,981 neighbourhoods hold one class only." in text


def test_labels_in_the_clear_are_not_blamed_on_neighbourhoods(eta_report: Report) -> None:
    at = {"epsilon": math.inf, "pi": 0.0, "lambda": 0.0}
    loss = Finding("mean_loss", Bound(math.inf, math.inf, math.inf, 9, "m"), 0.99, "rr:epsilon=inf", at)
    worst = Finding("nu_max", loss.bound, 0.99, "rr:epsilon=inf", at)
    text = " ".join(formats.render("text", replace(eta_report, findings=(loss, worst))).split())
    assert "one class only" not in text
    assert "no limit" not in text
    assert "In short: with rr:epsilon=inf, the largest loss of a person is infinite." in text


def test_a_few_values_of_tau_are_a_table_and_no_chart(tail_report: Report) -> None:
    few = tuple(finding for finding in tail_report.findings if finding.at.get("tau", 1) in (1, 2, 6))
    text = formats.render("text", replace(tail_report, findings=few))
    assert "┤" not in text
    assert "estimate [at least, at most]\n" in text
    assert "11 of 101 values of tau, all of them are in json and csv" in formats.render("text", tail_report)


@REPORTS
def test_a_saved_report_has_its_warnings(request: pytest.FixtureRequest, which: str) -> None:
    report = request.getfixturevalue(which)
    for name in ("text", "markdown", "json"):
        assert formats.render(name, report).count("19 rows without a label were dropped") == 1
        assert "Warnings" not in formats.render(name, replace(report, warnings=()))
    text = formats.render("text", report)
    assert text.index("\nWarnings\n") < text.index("\nAssumes\n")
    assert "column 'patient_id\\x1b[31m' looks" in text


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


def test_a_wide_table_is_counted_and_not_listed(tail_report: Report) -> None:
    text = " ".join(formats.render("text", tail_report).split())
    assert "and 38 more" in text
    assert "marker_059" not in text


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_many_levels_are_only_estimated(tail_report: Report, form: str) -> None:
    columns = tuple(Column(name, "category", "string", levels=number) for name, number in (("a", 4096), ("b", 5975)))
    report = replace(tail_report, dataset=replace(tail_report.dataset, columns=columns))
    shown = formats.render(form, report)
    assert "about 5,975" in shown and "4,096" in shown and "about 4,096" not in shown
