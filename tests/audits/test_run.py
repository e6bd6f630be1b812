"""Several questions share one confidence, and each answers what it would answer alone, a little less surely."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from simulated import searched, table_of, three_classes

from labeldp_audit.audits import evidence, judging, run, strengths, tune
from labeldp_audit.core.budget import Budget
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Policy
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.quantity import Quantity
from labeldp_audit.core.settings import Settings
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.policy.judge import parse
from labeldp_audit.questions import releases
from labeldp_audit.questions.contract import Evidence, Question
from labeldp_audit.questions.every import QUESTIONS, fitting
from labeldp_audit.questions.quantities import QUANTITIES

SETTINGS = Settings(mechanism=("rr:epsilon=0.5|1|2",), bags=30)


@pytest.fixture(scope="module")
def seen():
    rng = np.random.default_rng(3)
    points = rng.random((900, 1), np.float32)
    labels = (rng.random(900) < points[:, 0]).astype(np.uint8)
    return table_of(labels, points), searched(points, labels, 40)


def asked(seen, **more):
    return Evidence(*seen, releases.wanted(SETTINGS), Silent(), **more)


def by_place(findings):
    return {(one.quantity, one.mechanism, *sorted(one.at.items())): one for one in findings}


ASKED = {one.name for question in QUESTIONS.values() for one in question.quantities}


def test_all_that_is_declared_is_answered(seen):
    whole = {one.quantity for one in run.put(asked(seen), fitting(2), SETTINGS)}
    assert {*ASKED} - whole <= {"certified_advantage", "equivalent_epsilon", "labels_given_away"}


def test_what_two_classes_alone_have_is_listed():
    """By the questions that are put, and by what is left out where there are more."""
    for classes in (2, 3):
        names = [one.name for question in fitting(classes) for one in question.quantities]
        assert len(names) == len(set(names)), "a quantity has two questions"
    of_more = {one.name for question in fitting(3) for one in question.quantities}
    of_more -= {"equivalent_epsilon", "equivalent_k"}  # of the question about advantages, which fits all
    two = {one.name for one in QUANTITIES.values() if one.two_classes}
    assert two == {*ASKED} - of_more | {"column_j", "group_loss", "group_positive"}


def test_findings_stand_at_coordinates_that_are_known(seen):
    spoken = tuple(one.example for one in MECHANISMS)
    mechanisms = releases.wanted(replace(SETTINGS, mechanism=spoken))
    put = Evidence(*seen, mechanisms, Silent(), at=np.array([1.0]))
    found = {key for one in run.put(put, fitting(2), SETTINGS) for key in one.at}
    elsewhere = {
        "class",
        "column",
        "group",
        "check",
        "attacker",
        "knows",
        "prior",
        "posterior",
    }  # of other commands, and of more classes
    assert found == {*judging.coordinates()} - {"mechanism", *elsewhere}


def test_the_joint_confidence_is_shared_out(seen):
    """Each question is put at a third of what may be missed, and all of them say what holds jointly."""
    put = fitting(2)
    together = by_place(run.put(asked(seen), put, SETTINGS))
    third = replace(SETTINGS, confidence=1 - (1 - SETTINGS.confidence) / 3)
    for question in put:
        for place, one in by_place(question.answer(asked(seen), third, Budget.of(third.confidence))).items():
            assert together[place].bound == one.bound
            jointly = SETTINGS.confidence if one.confidence == third.confidence else one.confidence
            assert together[place].confidence == jointly


def test_limits_are_wider_than_alone_and_estimates_the_same(seen):
    alone = by_place(QUESTIONS["tail"].answer(asked(seen), SETTINGS, Budget.of(SETTINGS.confidence)))
    together = by_place(run.put(asked(seen), fitting(2), SETTINGS))
    known = [(one.bound, together[place].bound) for place, one in alone.items() if place[0] == "j" and one.mechanism]
    assert all(two.low <= one.low and two.high >= one.high and two.estimate == one.estimate for one, two in known)
    assert sum(two.high > one.high for one, two in known) > 20


def constant(share=0.1):
    """A question that answers how much it may miss."""

    def told(evidence, settings, budget):
        return [Finding("made_up", Bound(budget.spend("all", 1.0), 0.0, 1.0, 1, ""), settings.confidence)]

    quantity = Quantity("made_up", "Made up", "a number", "x", "a test", "It says nothing.", ("j",))
    return Question("made_up", (quantity,), lambda classes: True, told, share)


def spent(seen, *questions):
    found = by_place(run.put(asked(seen, at=np.array([1.0])), questions, SETTINGS))
    return found["made_up", None].bound.estimate


def test_a_question_with_a_share_takes_it_from_the_reserve(seen):
    miss = 1 - SETTINGS.confidence
    for share in (0.1, 0.5):
        assert spent(seen, *fitting(2), constant(share)) == pytest.approx(share * run.RESERVE * miss)


def test_its_share_changes_no_other_answer(seen):
    first = fitting(2)
    alone, beside, beside_more = (
        by_place(run.put(asked(seen, at=np.array([1.0])), (*first, *more), SETTINGS))
        for more in ((), (constant(0.1),), (constant(0.5),))
    )
    for found in (beside, beside_more):
        del found["made_up", None]
    assert beside == beside_more
    [place] = [place for place in alone if place[0] == "uninformed_utility"]
    assert beside[place].bound.low < alone[place].bound.low  # without it, there is no reserve


def test_questions_without_a_share_have_equal_parts(seen):
    miss = 1 - SETTINGS.confidence
    assert spent(seen, *fitting(2, {"j"}), constant(None)) == pytest.approx(miss / 2)
    assert spent(seen, constant(None)) == pytest.approx(miss)


def test_only_the_questions_that_are_needed_are_put(seen):
    [tail] = fitting(2, {"mean_loss"})
    assert "j" in {one.name for one in tail.quantities}
    assert fitting(3, {"j"}) == ()
    found = {one.quantity for one in run.put(asked(seen, at=np.array([1.0])), [tail], SETTINGS)}
    assert "mean_loss" in found and "advantage" not in found


def test_mechanisms_that_are_judged_alone_share_no_level(seen):
    few, many = (
        by_place(run.put(asked(seen, at=np.array([1.0]), alone=alone), fitting(2, {"j"}), SETTINGS))
        for alone in (True, False)
    )
    place = next(place for place in few if place[0] == "j" and few[place].bound.low > 0)
    assert many[place].bound.low < few[place].bound.low
    assert many[place].bound.estimate == few[place].bound.estimate


def report_of(command, seen, settings):
    with patch.object(evidence, "read_and_estimate", return_value=seen):
        return command("", settings, Silent())


def policy(*lines):
    return Policy(tuple(map(parse, lines)))


def test_an_audit_has_the_values_of_tau_that_its_policy_asks_for(seen):
    report = report_of(run.audit, seen, replace(SETTINGS, policy=policy("j(tau=1.2345).high > 0.5")))
    taus = {one.at["tau"] for one in report.findings if one.quantity == "j"}
    assert 1.2345 in taus and len(taus) > 20


def test_compared_mechanisms_stand_beside_and_do_not_lose_any(seen):
    report = report_of(run.audit, seen, SETTINGS)
    compared = report.parameters["compared"]
    judged = {one.mechanism for one in report.findings if one.quantity == "nu_max" and one.mechanism}
    assert judged == {"rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=2"} and not judged & {*compared}
    assert {one.mechanism for one in report.findings if one.quantity == "advantage"} == {None, *judged, *compared}
    assert "llp:k=512" in compared and "not-judged" not in {one.code for one in report.remarks}


def test_a_small_table_is_compared_with_no_bag_larger_than_itself(seen):
    table, _ = seen
    few = replace(table, dataset=replace(table.dataset, rows_used=40))
    assert all(one.bag <= 40 for one in strengths.landscape(few, ()))


def test_check_asks_at_the_taus_of_the_policy_alone(seen):
    for lines, settings, taus in (
        (("j(tau=2).high > 1",), SETTINGS, {2.0}),
        (("j(tau=2).high > 1", "certified_j(tau=3).low > 1"), SETTINGS, {2.0, 3.0}),
        (("j(tau=2).high > 1",), replace(SETTINGS, tau="0.5,1"), {0.5, 1.0, 2.0}),
        (("mean_loss.low > 1",), SETTINGS, set()),
    ):
        report = report_of(run.check, seen, replace(settings, policy=policy(*lines)))
        assert {one.at["tau"] for one in report.findings if one.quantity == "j"} == taus
    report = report_of(run.check, seen, replace(SETTINGS, policy=policy("j.high > 0.9")))
    assert len({one.at["tau"] for one in report.findings if one.quantity == "j"}) > 20


def test_tune_takes_no_more_than_its_policy_needs(seen):
    settings = Settings(mechanism=("rr",), policy=policy("j(tau=3).high > 0.9"))
    report = report_of(tune.tune, seen, settings)
    assert {one.quantity for one in report.findings} >= {"tuned", "j"}
    assert "advantage" not in {one.quantity for one in report.findings}


def test_labels_of_three_classes_are_audited_by_what_makes_sense_for_them():
    report = report_of(run.audit, three_classes(), SETTINGS)
    found = {one.quantity for one in report.findings}
    assert {"eta_min", "eta_max", "advantage"} <= found and not {"j", "nu_max"} & found
