"""Three sentences: which they are, and that each says how sure it is."""

from __future__ import annotations

import math
from dataclasses import replace

import joint
import pytest

from labeldp_audit.core.policy import Judgement, Outcome, Waived, Waiver
from labeldp_audit.core.report import MEASURED_BY, Report
from labeldp_audit.reports.formats import card, spelling
from labeldp_audit.reports.formats import verdict_tables as judged_by


def said(report: Report) -> dict[str, str]:
    return dict(card.sentences(report))


def judged(report: Report, *outcomes: Outcome) -> Report:
    """By one line of each outcome."""
    assert report.judgement is not None
    first = replace(report.judgement.verdicts[0], waiver=None)
    lines = tuple(replace(first, outcome=one, line=f"line {place}") for place, one in enumerate(outcomes))
    return replace(report, judgement=Judgement(lines))


def test_each_is_one_sentence(
    joint_report: Report, tail_report: Report, worst_report: Report, gain_report: Report, eta_report: Report
) -> None:
    for report in (joint_report, tail_report, worst_report, gain_report, eta_report):
        for sentence in said(report).values():
            assert sentence.endswith(".") and ". " not in sentence


def test_what_is_certified_comes_first(joint_report: Report) -> None:
    who, much = said(joint_report)[card.WHO], said(joint_report)[card.MUCH]
    assert who == (
        "For at least 22.3 % of people (99 % confidence, whatever the population; estimate 29.2 %), even labels of "
        "which 37.8 % are flipped at random and the features together multiply an attacker's odds on the truth, on "
        "average, by more than about 1.6, more than the noisy label alone could."
    )
    assert much.startswith("For somebody the odds change at least 20-fold (99 % confidence, whatever the population); ")
    assert "and at most 8.4 labels in 100 more than the 91.6 that the features alone allow, by rr:epsilon=2" in much


def test_averages_are_called_averages(tail_report: Report, worst_report: Report) -> None:
    who = said(tail_report)[card.WHO]
    assert who.startswith("For an estimated ") and "about neighbourhood averages" in who
    assert who.endswith("of how many, nothing is certified.")
    assert "about neighbourhood averages" in said(worst_report)[card.MUCH]


def test_without_questions_about_losses_it_is_about_guesses(gain_report: Report, eta_report: Report) -> None:
    assert "the features alone are enough to guess" in said(gain_report)[card.WHO]
    assert card.MUCH in said(gain_report) and card.MUCH not in said(eta_report)


def test_what_is_only_compared_says_nothing(joint_report: Report) -> None:
    assert "llp" not in " ".join(said(joint_report).values())


@pytest.mark.parametrize(
    ("outcomes", "start", "lines"),
    [
        ((Outcome.PASS,), "The policy holds, as far as averages over people who look alike go", "no proof"),
        ((Outcome.PASS, Outcome.INCONCLUSIVE), "Do not release yet", "(1 of 2 lines)"),
        ((Outcome.FAIL, Outcome.INCONCLUSIVE), "Do not release as planned: the policy does not", "(1 of 2 lines)"),
        ((Outcome.NOT_MEASURED,), "Do not release as planned: the policy asks for what was not", "(its only line)"),
    ],
)
def test_what_to_do_follows_the_verdict(
    joint_report: Report, outcomes: tuple[Outcome, ...], start: str, lines: str
) -> None:
    told = said(judged(joint_report, *outcomes))[card.DO]
    assert told.startswith(start) and lines in told


def test_a_waiver_that_has_run_out_and_no_policy(joint_report: Report) -> None:
    assert joint_report.judgement is not None
    day = joint_report.judgement.waivers[0].waiver.until
    late = Waived(Waiver("nu_max", joint_report.dataset.sha256, day, "so"), True, True)
    report = judged(joint_report, Outcome.PASS)
    assert report.judgement is not None
    run_out = replace(report, judgement=replace(report.judgement, waivers=(late,)))
    assert "a waiver that has run out is a failure" in said(run_out)[card.DO]
    assert "no policy was given" in said(replace(joint_report, judgement=None))[card.DO]


def test_a_search_says_what_it_found(tail_report: Report) -> None:
    assert "least noise" in said(joint.tuning(tail_report, met=True))[card.DO]


def test_a_search_judged_by_another_policy_is_told_by_that_policy(tail_report: Report) -> None:
    report = joint.tuning(tail_report, met=True)
    assert report.judgement is not None
    failing = tuple(replace(one, outcome=Outcome.FAIL) for one in report.judgement.verdicts)
    checked = replace(report, judgement=Judgement(failing), parameters={**report.parameters, MEASURED_BY: "tune"})
    assert said(checked)[card.DO].startswith("Do not release as planned: the policy does not hold")


def test_what_to_leave_out_is_named_and_noise_only_where_it_helps(joint_report: Report) -> None:
    assert joint_report.judgement is not None
    told = said(judged(joint_report, Outcome.FAIL))[card.DO]
    assert "add noise, if labeldp-audit tune finds enough, or leave out, or make coarser, what tells most (" in told
    gain = replace(joint_report.judgement.verdicts[0], quantity="advantage", outcome=Outcome.FAIL, waiver=None)
    only_gains = replace(joint_report, judgement=Judgement((gain,)))
    assert "; add noise, or leave out" in said(only_gains)[card.DO]
    [line] = judged(joint_report, Outcome.FAIL).judgement.verdicts  # type: ignore[union-attr]
    assert line.worst is not None
    of_features = replace(line, worst=replace(line.worst, mechanism=None))
    report = replace(joint_report, judgement=Judgement((of_features,)))
    assert "add noise" not in said(report)[card.DO]


def test_what_no_table_can_show_is_not_a_matter_of_rows(joint_report: Report) -> None:
    [line] = judged(joint_report, Outcome.INCONCLUSIVE).judgement.verdicts  # type: ignore[union-attr]
    assert line.worst is not None
    endless = replace(line.worst, quantity="mean_loss", bound=replace(line.worst.bound, high=math.inf))
    verdict = replace(line, quantity="mean_loss", field="high", worst=endless)
    told = said(replace(joint_report, judgement=Judgement((verdict,))))[card.DO]
    assert "no table can show it" in told and "more rows" not in told


def test_limits_are_rounded_to_the_safe_side() -> None:
    assert spelling.factor(math.log(19.96)) == "20" and spelling.factor(math.log(19.96), down=True) == "19"
    assert (
        spelling.factor(math.log(1239), down=True) == "1,230" and spelling.factor(math.log(247.9), down=True) == "247"
    )
    assert spelling.factor(20.0, down=True) == "4.8e8" and spelling.factor(math.inf, down=True) == spelling.factor(
        math.inf
    )


def test_the_upper_limit_of_an_advantage_rests_on_no_averages(joint_report: Report) -> None:
    assert joint_report.judgement is not None
    said_of = (
        "averages over rows with like scores: so",
        "upper limit without assumptions on eta: so",
        "lower limit: so",
    )
    line = replace(joint_report.judgement.verdicts[0], quantity="advantage", field="high", outcome=Outcome.PASS)
    assert line.worst is not None
    worst = replace(line.worst, quantity="advantage", bound=replace(line.worst.bound, assumptions=said_of))
    verdict = replace(line, worst=worst, waiver=None)
    assert judged_by.rests_on(verdict) == said_of[1:2]
    assert judged_by.rests_on(replace(verdict, field="low")) == said_of
    report = replace(joint_report, judgement=Judgement((verdict,)))
    assert said(report)[card.DO].startswith("The policy holds: ")


def test_an_estimate_is_no_lower_limit(worst_report: Report) -> None:
    bare = [replace(one, bound=replace(one.bound, low=None, high=None)) for one in worst_report.findings]
    much = said(replace(worst_report, findings=tuple(bare)))[card.MUCH]
    assert "at least" not in much and ("an estimated" in much or "give the label away" in much)
    assert "there are no limits" in much
