"""Several questions share one confidence, and each answers what it would answer alone, a little less surely."""

from __future__ import annotations

import math
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from simulated import searched, table_of, three_classes

from labeldp_audit.audits import evidence, judging, run, strengths, tune
from labeldp_audit.core import registry
from labeldp_audit.core.budget import Budget
from labeldp_audit.core.errors import SpecError
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
from labeldp_audit.reports.sentences import warnings

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


ASKED = {one.name for question in QUESTIONS for one in question.quantities}


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
    alone = by_place(QUESTIONS.get("tail").answer(asked(seen), SETTINGS, Budget.of(SETTINGS.confidence)))
    together = by_place(run.put(asked(seen), fitting(2), SETTINGS))
    known = [(one.bound, together[place].bound) for place, one in alone.items() if place[0] == "j" and one.mechanism]
    assert all(two.low <= one.low and two.high >= one.high and two.estimate == one.estimate for one, two in known)
    assert sum(two.high > one.high for one, two in known) > 20


def constant(name="made_up", share=0.1, answer=None):
    """A question that answers how much it may miss."""

    def told(evidence, settings, budget):
        return [Finding(name, Bound(budget.spend("all", 1.0), 0.0, 1.0, 1, ""), settings.confidence)]

    quantity = Quantity(name, "Made up", "a number", "x", "a test", "It says nothing.", ("j",))
    return Question(name, (quantity,), lambda classes: True, answer or told, share)


@pytest.fixture
def others(monkeypatch):
    """Questions of packages beside this one, as if they were installed."""

    def install(*questions):
        entries = {one.name: one for one in questions}

        class Entry:
            def __init__(self, name):
                self.name = name

            def load(self):
                if isinstance(entries[self.name], Exception):
                    raise entries[self.name]
                return entries[self.name]

        known = [Entry(name) for name in entries]
        monkeypatch.setattr(registry, "entry_points", lambda group: known if group.endswith(".questions") else [])

    return install


def spent(seen, asked_questions, reserve=run.RESERVE):
    found = run.put(asked(seen, at=np.array([1.0])), asked_questions, SETTINGS, reserve=reserve)
    return {one.quantity: one.bound.estimate for one in found if one.quantity.startswith("made_up")}


def test_a_new_question_takes_its_share_from_the_reserve_and_changes_no_other(seen, others):
    miss, first = 1 - SETTINGS.confidence, fitting(2)
    one, two = constant("made_up_1"), constant("made_up_2", share=0.5)
    others(one, two)
    assert fitting(2) == (*first, one, two)
    assert spent(seen, (*first, one)) == {"made_up_1": pytest.approx(0.1 * run.RESERVE * miss)}
    both = spent(seen, (*first, one, two))
    assert both["made_up_1"] == spent(seen, (*first, one))["made_up_1"]
    assert both["made_up_2"] == pytest.approx(0.5 * run.RESERVE * miss)
    alone, beside, beside_two = (
        by_place(run.put(asked(seen, at=np.array([1.0])), put, SETTINGS, reserve=run.RESERVE))
        for put in (first, (*first, one), (*first, one, two))
    )
    assert {place: one for place, one in beside_two.items() if place in beside} == beside
    [place] = [place for place in alone if place[0] == "uninformed_utility"]
    assert beside[place].bound.low < alone[place].bound.low  # where nobody wants it, there is no reserve
    assert alone == by_place(run.put(asked(seen, at=np.array([1.0])), first, SETTINGS))


def test_check_and_tune_share_equally_among_what_is_asked(seen, others):
    others(one := constant())
    miss = 1 - SETTINGS.confidence
    assert spent(seen, (*fitting(2, {"j"}), one), 0.0) == {"made_up": pytest.approx(miss / 2)}
    assert spent(seen, (one,), 0.0) == {"made_up": pytest.approx(miss)}


def unanswered(seen, question):
    [found] = run.put(asked(seen), (question,), SETTINGS, reserve=run.RESERVE)
    assert (found.bound.estimate, found.bound.low, found.bound.high) == (None, None, None)
    assert found.confidence == SETTINGS.confidence
    return found.bound.reason


def test_what_a_stranger_cannot_answer_is_said_with_the_reason(seen, others):
    def greedy(evidence, settings, budget):
        return [budget.spend("some", 0.7), budget.spend("more", 0.7)]

    def nothing(evidence, settings, budget):
        return [Finding("made_up", Bound(math.nan, None, None, 1, ""), settings.confidence)]

    def ours(evidence, settings, budget):
        return [Finding("advantage", Bound(0.0, 0.0, 0.0, 1, ""), settings.confidence)]

    def at(confidence):
        return lambda *given: [Finding("made_up", Bound(0.1, 0.0, 0.2, 1, ""), confidence)]

    for answer, said in (
        (greedy, "more asks for"), (nothing, "made_up is nan"),
        (at(1.0), f"made_up claims a confidence of 1.0, and the report has {SETTINGS.confidence}"),
        (at(SETTINGS.confidence + 1e-6), "claims a confidence"), (at(math.nan), "claims a confidence of nan"),
        (ours, "it answers advantage, which it does not declare"),
        (lambda *given: {}["x"], "KeyError"),
    ):  # fmt: skip
        others(question := constant(answer=answer))
        assert unanswered(seen, question).startswith("the question 'made_up' of another package fails: ")
        assert said in unanswered(seen, question)
    others(question := constant(share=1.0), constant("made_up_2", share=0.2))
    two = run.put(asked(seen), tuple(QUESTIONS.get(name) for name in QUESTIONS.of_others()), SETTINGS, reserve=0.2)
    assert [one.quantity for one in two if one.bound.reason and "is left" in one.bound.reason] == ["made_up_2"]


def test_a_stranger_may_claim_less_than_the_report(seen, others):
    def answer(evidence, settings, budget):
        return [
            Finding("made_up", Bound(0.1, 0.0, 0.2, 1, ""), one)
            for one in (0.9, SETTINGS.confidence, settings.confidence)
        ]

    others(question := constant(answer=answer))
    found = list(run.put(asked(seen), (question,), SETTINGS, reserve=run.RESERVE))
    assert [one.confidence for one in found] == [0.9, SETTINGS.confidence, SETTINGS.confidence]
    assert all(one.bound.reason is None for one in found)


def test_a_fault_of_ours_is_a_fault(seen, others):
    others()
    with pytest.raises(KeyError):
        list(run.put(asked(seen), (constant(answer=lambda *given: {}["x"]),), SETTINGS))


@pytest.mark.parametrize(
    ("question", "why"),
    [
        (constant("advantage"), ""),  # ours stays
        (constant("made_up_1", share=None), "its share of the reserve is not between 0 and 1"),
        (replace(constant("j"), name="other"), "a quantity is called j already"),
        (replace(constant("certified_eta_min"), name="other"), "would move a number that is not its own"),
        (replace(constant("made up"), name="other"), "is no name of a quantity"),
        (replace(constant(), quantities=()), "it has no quantity"),
    ],
)
def test_a_question_that_would_replace_ours_is_none(seen, others, question, why):
    others(question)
    if not why:
        assert QUESTIONS.get("advantage").answer is not question.answer and QUESTIONS.of_others() == ()
        return
    [said] = QUESTIONS.broken().values()
    assert said.startswith(f"the question {question.name!r} of another package cannot be loaded: ") and why in said
    assert said in warnings(report_of(run.audit, seen, SETTINGS))
    with pytest.raises(SpecError) as caught:
        judging.quantities_of(policy("nobody_knows.high > 1"))
    assert said in caught.value.hint


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
