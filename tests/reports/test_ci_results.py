"""What machines are told of a judgement, whatever the format."""

from __future__ import annotations

import math
import urllib.parse
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import EARLIER, LATER, hostile, judged

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Waived, Waiver
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import ci_results

EVERY_FORM = pytest.mark.parametrize("name", [name for name in formats.names() if formats.of_verdicts(name)])


def test_what_is_accepted_comes_after_all_that_counts(worst_report: Report) -> None:
    lines = ("nu_max.high > 10", "eta_max.high > 0.99")
    found = ci_results.all_of(judged(worst_report, lines, (("nu_max", LATER, "known"),)))
    assert [(one.rule, one.level) for one in found] == [("eta_max", "warning"), ("nu_max", "note")]


@pytest.mark.parametrize("name", formats.names())
def test_waivers_of_other_tables_are_listed_and_no_fault(worst_report: Report, name: str) -> None:
    other = Waiver("nu_max", "0" * 64, EARLIER, "of last year")
    report = judged(worst_report, ("eta_max.high > 1",), ())
    assert report.judgement is not None
    beside = replace(report, judgement=replace(report.judgement, waivers=(Waived(other, False, expired=True),)))
    assert ci_results.all_of(beside) == ci_results.all_of(report) == []
    assert ci_results.sentence(beside) == ci_results.sentence(report)
    assert "of last year" in " ".join(formats.render(name, beside).split())


@pytest.mark.parametrize(("line", "said"), [
    ("eta_max.high > 0.99", "is not shown to hold for clinic.parquet: 1 inconclusive, 0 pass"),
    ("eta_max.high > 1", "holds for clinic.parquet: 1 pass"),
])  # fmt: skip
def test_the_sentence_counts(worst_report: Report, line: str, said: str) -> None:
    """All outcomes at once are in nu-max.github.txt."""
    assert ci_results.sentence(judged(worst_report, (line,), ())) == f"labeldp-audit: the policy {said}"


@pytest.mark.parametrize(("location", "path", "from_top"), [
    (None, "clinic.parquet", False), ("data/clinic.parquet", "data/clinic.parquet", True),
    ("./data//a b.csv", "data/a b.csv", True), ("/srv/data/clinic.parquet", "clinic.parquet", False),
    ("C:/data/clinic.parquet", "clinic.parquet", False), ("\\\\server\\clinic.parquet", "clinic.parquet", False),
    ("../elsewhere/clinic.parquet", "clinic.parquet", False), ("", "clinic.parquet", False),
    (".", "clinic.parquet", False),
])  # fmt: skip
def test_a_place_is_never_absolute(eta_report: Report, location: str | None, path: str, from_top: bool) -> None:
    assert ci_results.place(eta_report, location) == (path, from_top)
    spoilt = replace(eta_report, dataset=replace(eta_report.dataset, name="/home-of/ann/"))
    assert ci_results.place(spoilt, location) == ((path, True) if from_top else ("table", False))


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.text(st.characters(), min_size=1, max_size=20))
def test_an_address_is_plain_ascii_and_brings_the_name_back(name: str) -> None:
    found = ci_results.uri(name)
    assert set(found) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/%")
    halves = any("\ud800" <= one <= "\udfff" and not "\udc80" <= one <= "\udcff" for one in name)
    kept = name.encode(errors="surrogatepass" if halves else "surrogateescape")
    assert urllib.parse.unquote_to_bytes(found) == kept


def test_bytes_of_a_file_name_stay_what_they_are() -> None:
    assert ci_results.uri("caf\udce9.csv") == "caf%E9.csv"


@EVERY_FORM
def test_nothing_of_other_people_s_words_is_more_than_words(worst_report: Report, name: str) -> None:
    text = formats.render(name, hostile(worst_report))
    assert all(character.isprintable() or character == "\n" for character in text)
    assert text.encode().decode() == text and text.endswith("\n")


@EVERY_FORM
def test_neither_width_nor_colour_nor_the_machine_matters(worst_report: Report, name: str) -> None:
    report, place = judged(worst_report), "/srv/secret/clinic.parquet"
    assert formats.render(name, report, width=20, color=True, location=place) == formats.render(name, report)


def test_what_is_not_a_number_does_not_pass(worst_report: Report) -> None:
    broken = Finding("q", Bound(1.0, 0.5, math.nan, 10, "m"), 0.99)
    report = judged(replace(worst_report, findings=(broken,)), ("q.high > 10",), ())
    assert report.judgement is not None and report.judgement.outcome == "fail"
