"""What machines are told of a judgement, whatever the format."""

from __future__ import annotations

import math
import urllib.parse
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import EARLIER, HOSTILE, LATER, hostile, judged

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Waived, Waiver
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import ci_results

EVERY_FORM = pytest.mark.parametrize("name", [name for name in formats.names() if formats.of_verdicts(name)])


def test_the_worst_comes_first(worst_report: Report) -> None:
    found = ci_results.all_of(judged(worst_report))
    assert [(one.rule, one.level) for one in found] == [
        ("nu_max", "error"), ("nu_max", "error"), ("renyi", "error"), ("waiver", "error"),
        ("eta_max", "warning"), ("log_ratio_max", "note"),
    ]  # fmt: skip


def test_what_is_accepted_comes_after_all_that_counts(worst_report: Report) -> None:
    lines = ("nu_max.high > 10", "eta_max.high > 0.99")
    found = ci_results.all_of(judged(worst_report, lines, (("nu_max", LATER, "known"),)))
    assert [(one.rule, one.level) for one in found] == [("eta_max", "warning"), ("nu_max", "note")]


@pytest.mark.parametrize("name", formats.names())
def test_waivers_of_other_tables_are_listed_and_no_fault(worst_report: Report, name: str) -> None:
    other = Waiver("nu_max", "0" * 64, EARLIER, "of last year")
    report = judged(worst_report, ("eta_max.high > 1",), ())
    assert report.judgement is not None
    beside = replace(report.judgement, waivers=(Waived(other, about_this=False, expired=True),))
    with_it, without = replace(report, judgement=beside), report
    assert ci_results.all_of(with_it) == ci_results.all_of(without) == []
    assert ci_results.sentence(with_it) == ci_results.sentence(without)
    assert "of last year" in " ".join(formats.render(name, with_it).split())


def test_every_fault_says_what_and_why(worst_report: Report) -> None:
    found = {one.title: one.message for one in ci_results.all_of(judged(worst_report))}
    assert found["renyi: not measured"] == "renyi(order=2).high > 1: the report has no renyi"
    assert found["nu_max: does not pass"].startswith("nu_max.high > 10: nu_max of rr:epsilon=0.5: high inf > 10")
    assert found["eta_max: inconclusive"].endswith("high 0.9961 > 0.99, but the estimate, 0.9645, would pass")
    assert found["log_ratio_max: waived"].endswith("accepted until 2026-06-30: features are published already")
    ran_out = "waiver of eta_min: ran out, 2026-05-31 was its last day: was to be looked at in May"
    assert found["waiver of eta_min: has run out"] == ran_out


def test_the_sentence_counts(worst_report: Report) -> None:
    said = ci_results.sentence(judged(worst_report))
    assert said == (
        "labeldp-audit: the policy does not hold for clinic.parquet: 2 fail, 1 not measured, 1 inconclusive, 1 pass, "
        "1 waived, 1 waiver run out"
    )
    one = ("eta_max.high > 0.99",)
    assert "policy is not shown to hold for clinic.parquet: 1 incon" in ci_results.sentence(
        judged(worst_report, one, ())
    )
    assert ci_results.sentence(judged(worst_report, ("eta_max.high > 1",), ())).endswith(
        "holds for clinic.parquet: 1 pass"
    )
    assert ci_results.sentence(worst_report) == "labeldp-audit: no policy was judged"


@pytest.mark.parametrize(
    ("location", "path", "from_top"),
    [
        (None, "clinic.parquet", False),
        ("data/clinic.parquet", "data/clinic.parquet", True),
        ("./data//a b.csv", "data/a b.csv", True),
        ("/srv/data/clinic.parquet", "clinic.parquet", False),
        ("C:/data/clinic.parquet", "clinic.parquet", False),
        ("\\\\server\\clinic.parquet", "clinic.parquet", False),
        ("../elsewhere/clinic.parquet", "clinic.parquet", False),
        ("", "clinic.parquet", False),
        (".", "clinic.parquet", False),
    ],
)
def test_a_place_is_never_absolute(eta_report: Report, location: str | None, path: str, from_top: bool) -> None:
    assert ci_results.place(eta_report, location) == (path, from_top)


def test_nor_is_a_name(eta_report: Report) -> None:
    spoilt = replace(eta_report, dataset=replace(eta_report.dataset, name="/home-of/ann/"))
    assert ci_results.place(spoilt, None) == ("table", False)


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
    assert ci_results.uri("tag:1 50%.csv") == "tag%3A1%2050%25.csv"


@EVERY_FORM
def test_nothing_of_other_people_s_words_is_more_than_words(worst_report: Report, name: str) -> None:
    text = formats.render(name, hostile(worst_report))
    assert all(character.isprintable() or character == "\n" for character in text)
    assert text.encode().decode() == text
    assert text.endswith("\n")


@EVERY_FORM
def test_twice_is_the_same(worst_report: Report, name: str) -> None:
    assert formats.render(name, judged(worst_report)) == formats.render(name, judged(worst_report))


@EVERY_FORM
def test_neither_width_nor_colour_matters(worst_report: Report, name: str) -> None:
    report = judged(worst_report)
    assert formats.render(name, report, width=20, color=True) == formats.render(name, report)


@EVERY_FORM
def test_what_is_not_a_number_does_not_pass(worst_report: Report, name: str) -> None:
    broken = Finding("q", Bound(1.0, 0.5, math.nan, 10, "m"), 0.99)
    report = judged(replace(worst_report, findings=(broken,)), ("q.high > 10",), ())
    assert report.judgement is not None
    assert report.judgement.outcome == "fail"
    with pytest.raises(ValueError, match="NaN"):
        formats.render("json", report)


@EVERY_FORM
def test_no_path_of_the_machine(worst_report: Report, name: str) -> None:
    place = "/srv/secret/clinic.parquet"
    assert "secret" not in formats.render(name, judged(worst_report), location=place)


def test_the_words_are_hostile_enough() -> None:
    assert not HOSTILE.isprintable()
    with pytest.raises(UnicodeEncodeError):
        HOSTILE.encode()
