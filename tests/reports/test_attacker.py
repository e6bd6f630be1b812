"""What the report of advantages says in sentences, from the headline to the last line."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from advantages import added, features, finding, findings, same

from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.report import Report
from labeldp_audit.reports import formats
from labeldp_audit.reports.formats import attacker, headline, how_to_read, manager

RR, LLP, NOISY = "rr:epsilon=0.5", "llp:k=64", "laplace-llp:k=8,epsilon=1"


def only(report: Report, *mechanisms: str) -> Report:
    return replace(report, findings=findings(*mechanisms))


def with_same(report: Report, mechanism: str, estimate: float | None) -> Report:
    return replace(report, findings=(*added(mechanism), same(mechanism, estimate)))


def balanced(report: Report) -> Report:
    return replace(report, parameters={**report.parameters, "utility": "balanced"})


def blind(report: Report) -> Report:
    return replace(report, eta=replace(report.eta, log_loss=report.dataset.blind_log_loss))


def said(report: Report) -> str:
    return " ".join((*how_to_read.before_tables(report), *how_to_read.sentences(report)))


def test_the_headline_names_of_each_kind_what_adds_least(gain_report: Report) -> None:
    assert headline.in_short(gain_report) == (
        "In short: from the features alone an attacker guesses an estimated 91.6 % of the labels; of each kind the one "
        "that adds least: llp:k=64 adds an estimated 0.07 percentage points (at most 2.35), rr:epsilon=0.5 "
        'adds 0.08 (at most 2.68), laplace-llp:k=8,epsilon=1 adds 0.16 (at most 5.06). "At most" has 99 % confidence '
        "and assumes nothing about what the features tell."
    )


def test_the_headline_does_not_choose_where_there_is_no_choice(gain_report: Report) -> None:
    assert "; llp:k=64 adds an estimated 0.07" in headline.in_short(only(gain_report, LLP, RR))
    several = only(gain_report, LLP, "llp:k=8")
    assert "; what adds least: llp:k=64 adds an estimated 0.07" in headline.in_short(several)
    assert "llp:k=8" not in headline.in_short(several)


def test_no_lower_limit_is_in_the_headline(gain_report: Report, given_report: Report) -> None:
    """It holds if eta is even among neighbours, and is far above the truth where it is not."""
    for report in (gain_report, given_report):
        shown = headline.in_short(only(report, "rr:epsilon=2"))
        assert "adds an estimated 1.68 percentage points (at most 8.33)" in shown
        assert "at least" not in shown


def refused(mechanism: str, reason: str, quantity: str = "advantage", **at: float) -> Finding:
    return Finding(quantity, Bound(None, None, None, 9, "not computed", (), reason), 0.99, mechanism, at)


def test_what_was_not_judged_is_the_second_sentence(gain_report: Report, worst_report: Report) -> None:
    names = ("channel:a", "mine", "llp:k=9", "llp:k=10", "llp:k=11")
    reasons = ("no channel", "for two classes only", "too large", "too large", "too large")
    lacking = [refused(*pair) for pair in zip(names, reasons, strict=True)]
    shown = headline.in_short(replace(gain_report, findings=(*gain_report.findings, *lacking)))
    said_so = (
        "Not judged: channel:a (no channel); mine (for two classes only); llp:k=9, llp:k=10 and llp:k=11 (too large)."
    )
    assert f'(at most 5.06). {said_so} "At most" has' in shown
    assert "Not judged" not in headline.in_short(gain_report)
    worst = replace(worst_report, findings=(*worst_report.findings, refused("llp:k=8", "no loss", "nu_max")))
    assert "averages). Not judged: llp:k=8 (no loss). Estimate: infinite." in headline.in_short(worst)


def test_what_was_not_judged_is_said_once_and_where_nothing_else_is(tail_report: Report) -> None:
    many = [refused(f"llp:k={k}", "no loss", "j", tau=tau) for k in range(2, 9) for tau in (0.0, 1.0)]
    alone = headline.in_short(replace(tail_report, findings=tuple(many)))
    assert alone == "In short: not judged: llp:k=2, llp:k=3, llp:k=4 and 4 more (no loss)."
    beside = headline.in_short(replace(tail_report, findings=(*tail_report.findings, *many)))
    assert beside.count("Not judged") == beside.count("no loss") == 1
    partly = (*tail_report.findings, refused("rr:epsilon=0.5", "beyond all losses", "j", tau=99.0))
    assert "Not judged" not in headline.in_short(replace(tail_report, findings=partly))


def test_given_probabilities_are_not_neighbours(given_report: Report) -> None:
    text = formats.render("text", given_report)
    body = text[: text.index("\nColumns")]
    assert "neighbour" not in body
    assert "Probabilities given by column chance | <b>, taken as they are; log loss 0.2871" in body
    assert "has 99 % confidence if the given probabilities were made without these labels" in " ".join(body.split())
    assert "where eta is estimated, and 0 stands there" not in " ".join(body.split())


def test_given_probabilities_in_other_reports(tail_report: Report, worst_report: Report, given_report: Report) -> None:
    for report in (tail_report, worst_report):
        given = replace(report, eta=given_report.eta, dataset=given_report.dataset)
        for text in (headline.in_short(given), said(given), headline.in_short(blind(given))):
            assert "neighbour" not in text
            assert "  " not in text and not text.endswith(" ")
        assert "(99 % confidence, if the given probabilities are right)" in headline.in_short(given)
        assert "about neighbourhood averages" in headline.in_short(report)
    assert "supplied" in (formats.picture(replace(tail_report, eta=given_report.eta)) or "")
    assert "supplied" not in (formats.picture(tail_report) or "")


def test_balanced_classes_count_alike(gain_report: Report) -> None:
    report = balanced(gain_report)
    assert headline.in_short(report).startswith("In short: with classes counted alike, from the features alone")
    assert "always saying one class is right for 50.0 %" in said(report)
    assert "always saying the commoner class is right for 88.0 %" in said(gain_report)
    assert "Classes count alike: a right guess is worth" in said(report)
    assert "Classes count alike" not in said(gain_report)
    assert "already do, classes counted alike, about as many" in manager.sentence(report)


def test_the_bracket(gain_report: Report, given_report: Report) -> None:
    assert (
        "Guesses tried on labels that they were made without are right for 90.8 %; they think themselves right for "
        "91.6 %. On average over many tables the first is too low and the second too high, where eta is even among "
        "neighbours."
    ) in said(gain_report)
    assert (
        "guesses by the given probabilities are right for 90.8 %; the probabilities themselves promise 91.6 %. Both "
        "are the same on average if the probabilities are right."
    ) in said(given_report)
    assert "On average" not in said(given_report)
    assert "lies between" not in said(gain_report) + said(given_report)


@pytest.mark.parametrize("believed", [0.8, 0.9])
def test_a_bracket_may_be_turned_or_have_no_width(gain_report: Report, believed: float) -> None:
    ends = (finding("leave_one_out_utility", (0.9, None, None)), finding("plug_in_utility", (believed, None, None)))
    shown = said(replace(gain_report, findings=(*features()[:1], *ends, *added(RR))))
    assert f"are right for 90.0 %; they think themselves right for {100 * believed:.1f} %." in shown
    assert "wrong way round" not in shown


def test_the_bracket_without_a_release(gain_report: Report) -> None:
    alone = replace(gain_report, command="estimate-eta", findings=tuple(features()))
    assert how_to_read.before_tables(alone) == ()
    assert said(alone).count("they think themselves right") == 1
    assert said(gain_report).count("they think themselves right") == 1


def test_bags_without_noise_claim_nothing(gain_report: Report) -> None:
    assert "llp:k=8 and llp:k=64 claim no label differential privacy" in said(gain_report)
    assert "llp:k=64 claims no label differential privacy" in said(only(gain_report, LLP))
    assert "differential privacy" not in said(only(gain_report, RR, NOISY))
    strange = [replace(one, mechanism="mine", claim=None) for one in added(RR)]
    assert said(replace(gain_report, findings=tuple(strange))).count("mine claims no label differential privacy.") == 1
    both = replace(gain_report, findings=(*strange, *added(LLP)))
    assert "privacy. From totals without noise, whoever knows all other labels of a bag learns" in said(both)


def test_where_lower_limits_are_missing(gain_report: Report) -> None:
    assert "for bags no lower limit is known where eta is estimated" in said(gain_report)
    assert "for bags no lower limit" not in said(only(gain_report, RR))


def test_simulated_values_say_how_far_they_may_be_off(gain_report: Report, given_report: Report) -> None:
    start = (
        "Bags were drawn at random for llp:k=64 and laplace-llp:k=8,epsilon=1, which adds a standard error of at most "
        "0.002 percentage points to these estimates; that"
    )
    assert f"{start} eta is estimated adds more." in said(gain_report)
    assert f"{start} the table is a sample adds more." in said(given_report)
    assert "It is an estimate without limits, as eta is estimated." in said(gain_report)
    assert "It is an estimate without limits, as the table is a sample." in said(given_report)
    assert "drawn at random for" not in said(only(gain_report, RR))


def test_neighbours_that_see_nothing(gain_report: Report) -> None:
    assert 'only "at most" can be relied on' in headline.in_short(blind(gain_report))
    assert "The given" not in headline.in_short(blind(gain_report))
    assert "can be relied on" not in headline.in_short(gain_report)
    told = manager.sentence(blind(only(gain_report, RR, "rr:epsilon=2")))
    assert told.endswith('; only "at most" counts, as next to nothing was found that the features tell.')
    assert "about as many as" not in told


def test_what_sees_nothing_is_ranked_by_what_can_be_relied_on(gain_report: Report) -> None:
    """The one with the lower estimate has the higher upper limit."""
    first, second = added(RR)[1], added("rr:epsilon=2")[1]
    sure = replace(first, bound=replace(first.bound, estimate=0.02, high=0.03))
    vague = replace(second, bound=replace(second.bound, estimate=0.01, high=0.09))
    report = replace(gain_report, findings=(vague, sure))
    assert "what adds least: rr:epsilon=2 adds" in headline.in_short(report)
    assert "what adds least: rr:epsilon=0.5 adds" in headline.in_short(blind(report))
    assert ", labels of which 11.9 % are flipped at random tell least" in manager.sentence(report)
    assert ", labels of which 37.8 % are flipped at random tell least" in manager.sentence(blind(report))
    assert "; labels of which 11.9 % are flipped at random tell most" in manager.sentence(blind(report))


def test_a_manager_hears_whose_probabilities_they_are(given_report: Report, gain_report: Report) -> None:
    ending = "; all this if the probabilities that were given are right"
    assert ending in manager.sentence(given_report)
    assert ending in manager.sentence(blind(given_report))
    assert ending not in manager.sentence(gain_report)


def test_a_manager_hears_what_totals_do_not_promise(gain_report: Report) -> None:
    ending = "; totals promise nothing against whoever knows the other labels of a group."
    assert manager.sentence(gain_report).endswith(ending)
    assert manager.sentence(only(gain_report, LLP)).endswith(ending)
    assert manager.sentence(only(gain_report, "llp:k=8", NOISY)).endswith(ending)
    middle = replace(
        gain_report, findings=tuple(finding for name in (NOISY, RR, "rr:epsilon=2") for finding in added(name))
    )
    assert "promise" not in manager.sentence(middle)


def test_three_classes(eta_report: Report) -> None:
    names = ("high", "low", "rare\x1b|x")
    ends = [
        Finding(f"eta_{end}", Bound(value, value / 2, min(1.0, value + 0.25), 9, "m"), 0.99, at={"class": name})
        for name in names
        for end, value in (("min", 0.1), ("max", 0.7))
    ]
    dataset = replace(eta_report.dataset, classes=names, class_counts=(9_000, 7_000, 3_981), positive=None)
    utility = finding("uninformed_utility", (0.8, 0.7, 0.9))
    report = replace(eta_report, dataset=dataset, findings=(*ends, utility))
    assert (
        "Chances of each label given the features, as estimated: high from 0.1 to 0.7, shown: at most 0.35 for some "
        "people, at least 0.35 for some; low from"
    ) in said(report)
    assert "rare\\x1b|x from 0.1" in said(report)
    assert "always saying the commonest class is right for 45.0 %" in headline.in_short(report)
    text = formats.render("text", report, width=120)
    assert "eta_min at class = high" in text
    assert "least chance of that class, given the features" in text
    assert "positive" not in text


def test_many_classes_are_cut(eta_report: Report) -> None:
    ends = tuple(
        Finding(f"eta_{end}", Bound(0.5, 0.4, 0.6, 9, "m"), 0.99, at={"class": f"c{number}"})
        for number in range(20)
        for end in ("min", "max")
    )
    shown = said(replace(eta_report, findings=ends))
    assert "; and 14 more." in shown
    assert "c6" not in shown


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_report_ends_with_a_sentence_for_a_manager(gain_report: Report, width: int) -> None:
    text = formats.render("text", gain_report, width=width)
    last = " ".join(text.split("\n\n")[-1].split())
    assert last == f"For a manager: {manager.sentence(gain_report)}"


def test_a_section_for_a_manager_before_the_columns(gain_report: Report) -> None:
    text = formats.render("markdown", gain_report)
    titles = [line for line in text.splitlines() if line.startswith("## ")]
    assert titles[-2:] == ["## For a manager", "## Columns"]
    assert "Of the 5 ways to publish" in text


def test_what_a_manager_reads(gain_report: Report) -> None:
    assert manager.sentence(only(gain_report, LLP)) == (
        "publishing totals over random groups of 64 people lets an attacker guess an estimated 0.07 and at most 2.4 "
        "labels in 100 more than the features already do, about as many as with labels of which 38.1 % are flipped at "
        "random (randomized response at epsilon 0.48); totals promise nothing against whoever knows the other labels "
        "of a group."
    )
    assert manager.sentence(only(gain_report, RR)) == (
        "publishing labels of which 37.8 % are flipped at random lets an attacker guess an estimated 0.08 and at most "
        "2.7 labels in 100 more than the features already do, about as many as with totals over random groups of 60 "
        "people."
    )
    assert manager.sentence(gain_report).startswith(
        "of the 5 ways to publish that were looked at, totals over random groups of 64 people tell least: they let"
    )
    assert "; labels of which 11.9 % are flipped at random tell most: an estimated 1.7 and at most 8.4; totals" in (
        manager.sentence(gain_report)
    )


@pytest.mark.parametrize(
    ("mechanism", "estimate", "expected"),
    [
        (NOISY, math.inf, "about as many as with the labels as they are."),
        (NOISY, 0.0, "more than the features already do."),
        (RR, 1.0, "about as many as with the labels as they are."),
        (RR, None, "more than the features already do."),
    ],
)
def test_a_manager_at_the_edges(gain_report: Report, mechanism: str, estimate: float | None, expected: str) -> None:
    assert manager.sentence(with_same(gain_report, mechanism, estimate)).endswith(expected)


def test_mechanisms_that_nobody_described(gain_report: Report) -> None:
    one = [replace(finding, mechanism="mine:a=1") for finding in added(RR)]
    alone, beside = (replace(gain_report, findings=(*one, *more)) for more in ([], added("rr:epsilon=2")))
    assert manager.sentence(alone).startswith("publishing releases by mine:a=1 lets an attacker guess")
    assert ", releases by mine:a=1 tell least: they let an attacker guess" in manager.sentence(beside)
    worse = [replace(finding, mechanism="mine:a=9") for finding in added("rr:epsilon=2")]
    both = replace(gain_report, findings=(*one, *worse))
    assert "; releases by mine:a=9 tell most: an estimated" in manager.sentence(both)


def test_ways_that_tell_the_same(gain_report: Report) -> None:
    nothing = [replace(added(name)[1], bound=Bound(0.0, 0.0, 1e-9, 9, "m")) for name in (RR, "rr:epsilon=2", NOISY)]
    assert manager.sentence(replace(gain_report, findings=tuple(nothing))) == (
        "each of the 3 ways to publish that were looked at lets an attacker guess an estimated 0 and at most 0.001 "
        "labels in 100 more than the features already do."
    )


def test_labels_in_the_clear(gain_report: Report) -> None:
    at = {"epsilon": float("inf"), "pi": 0.0, "lambda": 0.0}
    report = replace(gain_report, findings=tuple(replace(one, mechanism="rr:epsilon=inf", at=at) for one in added(RR)))
    assert manager.sentence(report).startswith("publishing the labels as they are lets")


def test_sampled_rows_of_given_probabilities(given_report: Report) -> None:
    eta = given_report.eta
    few = replace(eta, queries=5)
    text = " ".join(formats.render("text", replace(given_report, eta=few)).split())
    assert "Only 5 of 19,981 rows, drawn at random, were looked at." in text


def test_names_in_a_list() -> None:
    assert attacker.listed(["a"]) == "a"
    assert attacker.listed(["a", "b"]) == "a and b"
    assert attacker.listed(["a", "b", "c"]) == "a, b and c"
