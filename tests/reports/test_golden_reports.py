"""What readers see, kept as files. UPDATE_GOLDEN=1 writes them anew: look at the difference before it is committed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("width", [40, 60, 100, 160])
def test_text_of_curves(tail_report: Report, golden: Golden, width: int) -> None:
    golden(f"estimate-j.{width}.txt", formats.render("text", tail_report, width=width))


def test_text_of_the_worst_case(worst_report: Report, golden: Golden) -> None:
    golden("nu-max.100.txt", formats.render("text", worst_report))


def test_text_of_features_alone(eta_report: Report, golden: Golden) -> None:
    golden("estimate-eta.100.txt", formats.render("text", eta_report))


def test_markdown_of_curves(tail_report: Report, golden: Golden) -> None:
    golden("estimate-j.md", formats.render("markdown", tail_report))


@pytest.mark.parametrize("name", ["json", "csv", "markdown"])
def test_the_worst_case_for_programs_and_pages(worst_report: Report, golden: Golden, name: str) -> None:
    golden(f"nu-max.{name.replace('markdown', 'md')}", formats.render(name, worst_report))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_a_quantity_that_nobody_knows_yet(eta_report: Report, golden: Golden, name: str) -> None:
    golden(f"estimate-eta.{name}", formats.render(name, eta_report))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_text_of_advantages(gain_report: Report, golden: Golden, width: int) -> None:
    golden(f"advantage.{width}.txt", formats.render("text", gain_report, width=width))


@pytest.mark.parametrize("name", ["json", "csv", "markdown"])
def test_advantages_for_programs_and_pages(gain_report: Report, golden: Golden, name: str) -> None:
    golden(f"advantage.{name.replace('markdown', 'md')}", formats.render(name, gain_report))


def test_text_of_given_probabilities(given_report: Report, golden: Golden) -> None:
    golden("advantage-given.100.txt", formats.render("text", given_report))


@pytest.mark.parametrize("width", [40, 100])
def test_text_of_certificates(certified_tail: Report, certified_gain: Report, golden: Golden, width: int) -> None:
    golden(f"certified-j.{width}.txt", formats.render("text", certified_tail, width=width))
    golden(f"certified-advantage.{width}.txt", formats.render("text", certified_gain, width=width))


@pytest.mark.parametrize("name", ["json", "markdown"])
def test_certificates_for_programs_and_pages(certified_gain: Report, golden: Golden, name: str) -> None:
    golden(f"certified-advantage.{name.replace('markdown', 'md')}", formats.render(name, certified_gain))


def test_markdown_of_certified_curves(certified_tail: Report, golden: Golden) -> None:
    golden("certified-j.md", formats.render("markdown", certified_tail))
