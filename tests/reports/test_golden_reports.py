"""What readers see, kept as files. UPDATE_GOLDEN=1 writes them anew: look at the difference before it is committed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats

Golden = Callable[[str, str], None]


SCENARIOS = (
    "tail", "worst", "eta", "gain", "given", "joint", "tuned",
)  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_screen(request: pytest.FixtureRequest, golden: Golden, name: str) -> None:
    golden(f"{name}.screen.txt", formats.screen(request.getfixturevalue(f"{name}_report")))


def test_all_of_a_text(certified_tail: Report, golden: Golden) -> None:
    golden("certified-j.txt", formats.render("text", certified_tail))


def test_markdown_of_everything(joint_report: Report, golden: Golden) -> None:
    golden("joint.md", formats.render("markdown", joint_report))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_the_worst_case_for_programs_and_pages(worst_report: Report, golden: Golden, name: str) -> None:
    golden(f"nu-max.{name}", formats.render(name, worst_report))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_a_quantity_that_nobody_knows_yet(eta_report: Report, golden: Golden, name: str) -> None:
    golden(f"estimate-eta.{name}", formats.render(name, eta_report))


@pytest.mark.parametrize("name", ["json", "csv"])
def test_advantages_for_programs_and_pages(gain_report: Report, golden: Golden, name: str) -> None:
    golden(f"advantage.{name}", formats.render(name, gain_report))


@pytest.mark.parametrize("name", ["json"])
def test_certificates_for_programs_and_pages(certified_gain: Report, golden: Golden, name: str) -> None:
    golden(f"certified-advantage.{name}", formats.render(name, certified_gain))
