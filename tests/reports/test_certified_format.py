"""Certificates in every format: in their own section, once, and first where they say something."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import pytest
from certified import HAIR, limit, of_gains, of_worst, with_certificates

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import certificates, curves, facts, headline, manager, phrases

TITLE = "Certified: holds whatever the population, with 99 % confidence"
PEOPLE = pytest.mark.parametrize("name", ["text", "markdown"])


def flat(report: Report, name: str = "text", width: int = 100) -> str:
    return " ".join(formats.render(name, report, width=width).replace("\\", "").split())


def raised(report: Report, quantity: str, low: float, high: float) -> Report:
    """With other limits for every certificate of that name."""
    findings = (
        replace(one, bound=replace(one.bound, low=low, high=high)) if one.quantity == quantity else one
        for one in report.findings
    )
    return replace(report, findings=tuple(findings))


@PEOPLE
def test_a_section_of_their_own(certified_tail: Report, certified_gain: Report, name: str) -> None:
    for report in (certified_tail, certified_gain):
        text = flat(report, name, 120)
        assert text.count(TITLE) == 1
        assert text.count("Needed is only that rows are independent draws from one population.") == 1
        assert "a limit, not an estimate" not in text
    assert TITLE not in flat(replace(certified_tail, findings=certified_tail.findings[:404]), name)


def test_neither_missing_nor_among_the_numbers(certified_tail: Report, certified_gain: Report) -> None:
    for report in (certified_tail, certified_gain):
        assert not [one for one in facts.valued(report) if one.quantity.startswith("certified")]
        assert not [line for line in facts.missing(report) if "certified" in line]
        assert "Not judged" not in headline.in_short(report)


def test_what_could_not_be_certified_is_missing(gain_report: Report) -> None:
    """Without any limit it is no certificate."""
    bound = Bound(None, None, None, 9, "not computed", (), "no rows are alike")
    report = replace(
        gain_report, findings=(*gain_report.findings, Finding("certified_advantage", bound, 0.99, "llp:k=8"))
    )
    assert certificates.certified_findings(report) == ()
    assert "certified_advantage llp:k=8: no rows are alike" in facts.missing(report)


def test_shares_begin_at_epsilon_and_end_where_nothing_is_certified(certified_tail: Report) -> None:
    found = curves.certified(certified_tail)
    grid = certificates.shares(found)
    assert grid.header == ("tau", "rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=2", "rr:epsilon=4")
    assert grid.rows[0] == ["its epsilon", "22.3", "16.3", "16.1", "25.9"]
    assert [row[0] for row in grid.rows[1:]] == ["0", "1", "2", "3", "4"]
    assert certificates.end_of_shares(found) == "From tau = 4.9 on no share above 0 is certified."
    shown = [float(row[4]) for row in grid.rows[1:]]
    assert all(one >= other for one, other in pairwise(shown))


@PEOPLE
def test_nothing_certified_is_said_and_no_table(certified_tail: Report, name: str) -> None:
    nothing = raised(certified_tail, "certified_j", 0.0, 1.0)
    text = flat(nothing, name)
    assert "Of no share of people is it certified that they lose more than any of the losses asked for." in text
    assert certificates.OF_SHARES not in text
    assert "certified: at least" not in text
    assert certificates.OF_SHARES in flat(certified_tail, name)


def test_limits_are_rounded_outward(certified_gain: Report) -> None:
    report = raised(certified_gain, "certified_advantage", 0.012399, 0.045611)
    (adds,) = [grid for grid in certificates.others(report) if grid.header[0] == "mechanism"]
    assert adds.rows[0] == ["rr:epsilon=0.5", "1.23", "4.57", "89.3"]


def test_limits_that_say_nothing_have_no_column(certified_gain: Report, certified_tail: Report) -> None:
    for report in (certified_gain, certified_tail):
        (*_, rest) = certificates.others(report, with_words=False)
        assert list(rest.header) == ["quantity", "mechanism", "at least"]
    twins = raised(certified_gain, "certified_uninformed_utility", 0.8906, 0.9951)
    (*_, rest) = certificates.others(twins)
    assert list(rest.header) == ["quantity", "mechanism", "at least", "at most", "what it is"]
    assert rest.rows[0][2:4] == ["0.8906", "0.9951"]


def test_divergences_are_orders_against_directions(certified_tail: Report) -> None:
    (grid,) = [grid for grid in certificates.others(certified_tail) if grid.header[0] == "order"]
    assert list(grid.header) == ["order", "positive from negative", "negative from positive"]
    assert [row[0] for row in grid.rows] == ["alpha = 1", "alpha = 2", "alpha = inf"]
    assert grid.rows[1][1:] == ["0.7322", "0.7322"]


def test_what_some_or_all_also_need(certified_tail: Report) -> None:
    assert certificates.also_needed(certified_tail) == (f"certified_renyi also needs: {HAIR}.",)
    only = tuple(one for one in certified_tail.findings if one.quantity == "certified_renyi")
    assert certificates.also_needed(replace(certified_tail, findings=only)) == (f"All of this also needs: {HAIR}.",)


@PEOPLE
def test_a_quantity_that_nobody_knows_is_still_there(eta_report: Report, name: str) -> None:
    report = replace(eta_report, findings=(*eta_report.findings, limit("later", 0.25, 7.5, "llp:k=8", order=2.0)))
    text = flat(report, name, 120)
    assert "certified_later at order = 2" in text
    assert "0.25" in text and "7.5" in text


def test_every_certificate_has_its_meaning(tail_report: Report) -> None:
    names = ["j", "mean_loss", "nu_max", "renyi", "uninformed_utility", "informed_utility", "advantage"]
    assert all(phrases.meaning(limit(name, 0.0, 1.0), tail_report) for name in names)
    assert phrases.meaning(Finding("plug_in_j", Bound(0.5, None, None, 9, "m"), 0.99), tail_report)


@PEOPLE
def test_what_nobody_can_certify_is_said_once(certified_tail: Report, tail_report: Report, name: str) -> None:
    assert flat(certified_tail, name).count("What nobody can certify: No table, however large,") == 1
    assert "What nobody can certify" not in flat(tail_report, name)


def test_what_nobody_can_certify_for_programs(certified_tail: Report, tail_report: Report) -> None:
    assert json.loads(formats.render("json", certified_tail))["uncertifiable"].startswith("No table")
    assert "uncertifiable" not in json.loads(formats.render("json", tail_report))


def test_the_headline_is_certified_where_that_says_something(certified_tail: Report) -> None:
    assert headline.in_short(certified_tail) == (
        "In short: with rr:epsilon=0.5, the strongest noise asked for, certified: at least 22.3 % of people lose more "
        "than 0.5 nats, its epsilon (99 % confidence, whatever the population). Estimate: 29.2 %, limits 27.5 to 31.2 "
        "% about averages over rows with like scores."
    )
    nothing = headline.in_short(raised(certified_tail, "certified_j", 0.0, 1.0))
    assert "certified" not in nothing
    assert "at least 27.5 % of people lose more than 0.5 nats" in nothing


def test_losses_below_epsilon_are_no_news(certified_tail: Report) -> None:
    early = tuple(one for one in certified_tail.findings if one.at.get("tau", math.inf) in (0, 0.1, 0.2, 0.3))
    assert early and "certified" not in headline.in_short(replace(certified_tail, findings=early))
    assert manager.sentence(replace(certified_tail, findings=early)) == ""


def test_a_wide_interval_beside_a_certificate(certified_tail: Report) -> None:
    wide = raised(certified_tail, "j", 0.02, 0.97)
    assert headline.in_short(wide).endswith("The interval is too wide to rely on the estimate of 29.2 %.")


def test_given_probabilities_must_not_have_seen_the_labels(certified_tail: Report, given_report: Report) -> None:
    given = replace(certified_tail, eta=given_report.eta, dataset=given_report.dataset)
    assert "(99 % confidence, if the given probabilities were made without these labels)" in headline.in_short(given)
    assert "whatever the population" not in headline.in_short(given)


@pytest.mark.parametrize(("beyond", "certain"), [(2.31, True), (0.0, False)])
def test_the_largest_loss(worst_report: Report, beyond: float, certain: bool) -> None:
    """epsilon itself is lost by somebody in every population: that is no news."""
    report = with_certificates(worst_report, lambda found: of_worst(found, beyond))
    shown = headline.in_short(report)
    expected = (
        "certified: somebody loses at least 2.81 nats, odds ×17 (99 % confidence, whatever the population). Estimate: "
        "infinite; no upper limit exists."
    )
    assert (expected in shown) == certain
    assert ("certified" in shown) == certain


@pytest.mark.parametrize(("least", "certain"), [(0.8906, True), (0.8799, False)])
def test_guesses_from_the_features(eta_report: Report, least: float, certain: bool) -> None:
    """To always say the commoner class is right for 88.0 %."""
    found = limit("uninformed_utility", least, 1.0)
    shown = headline.in_short(replace(eta_report, findings=(*eta_report.findings, found)))
    expected = "certified: from the features alone an attacker guesses at least 89.0 % of the labels (99 % confidence"
    assert (expected in shown) == certain
    assert ("certified" in shown) == certain


def test_what_is_surely_added(certified_gain: Report) -> None:
    assert '"At most" has 99 % confidence and assumes nothing' in headline.in_short(certified_gain)
    findings = tuple(one for one in certified_gain.findings if one.mechanism in (None, "rr:epsilon=2"))
    alone = replace(certified_gain, findings=findings)
    shown = headline.in_short(alone)
    assert "adds an estimated 1.68 percentage points (at least 0.21, at most 8.33)" in shown
    assert '"At least" and "at most" have 99 % confidence and assume nothing' in shown
    assert 'Estimates and "at least if eta is even" rest on eta as it was estimated' in flat(alone)
    assert "an estimated 1.7, at least 0.21 and at most 8.4 labels in 100 more" in manager.sentence(alone)


def test_a_manager_hears_of_losses_what_is_certain(certified_tail: Report, tail_report: Report) -> None:
    assert manager.sentence(certified_tail) == (
        "even with the strongest noise that was looked at, labels of which 37.8 % are flipped at random, together with "
        "the features, tell more about at least 22.3 % of people than they could tell about anybody on their own; this "
        "is certified (99 % confidence, whatever the population)."
    )
    assert manager.sentence(tail_report) == ""
    alone = tuple(one for one in certified_tail.findings if one.mechanism == "rr:epsilon=2")
    assert manager.sentence(replace(certified_tail, findings=alone)).startswith("labels of which 11.9 % are flipped")


def test_labels_in_the_clear_are_not_certified_to_keep_less(certified_tail: Report) -> None:
    at = {"epsilon": math.inf, "pi": 0.0, "lambda": 0.0}
    clear = tuple(
        replace(one, mechanism="rr:epsilon=inf", at={**one.at, **at})
        for one in certified_tail.findings
        if one.mechanism == "rr:epsilon=0.5"
    )
    report = replace(certified_tail, findings=clear)
    assert "certified: at least" not in headline.in_short(report)
    assert manager.sentence(report) == ""


def test_what_programs_read_is_not_for_people(tail_report: Report) -> None:
    raw = Bound(0.123456, None, None, 9, "m", ("only counted",))
    more = tuple(Finding("plug_in_j", raw, 0.99, "rr:epsilon=1", {"tau": float(tau)}) for tau in range(9))
    report = replace(tail_report, findings=(*tail_report.findings, *more))
    for name in ("text", "markdown"):
        assert formats.render(name, report) == formats.render(name, tail_report)
    for name in ("json", "csv"):
        assert formats.render(name, report).count("plug_in_j") == 9


@pytest.mark.parametrize("mechanism", ["laplace-llp:k=8,epsilon=1", "mine:" + "x" * 90])
@pytest.mark.parametrize("width", [40, 57, 72, 120])
def test_any_name_at_any_width(gain_report: Report, mechanism: str, width: int) -> None:
    report = with_certificates(gain_report, lambda _: of_gains({mechanism: (0.0123, 0.0456)}))
    text = formats.render("text", report, width=width)
    section = text[text.index("Certified:") : text.index("\nNumbers")]
    assert max(map(len, section.splitlines())) <= width
    assert all(number in section for number in ("1.23", "4.56", "89.3", "0.8906"))
