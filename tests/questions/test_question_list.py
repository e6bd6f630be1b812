"""What every question of the list keeps to."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from simulated import searched, table_of, three_classes

from labeldp_audit.cli.explain import KNOWN
from labeldp_audit.core.budget import Budget
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.questions import releases, tail
from labeldp_audit.questions.contract import Evidence
from labeldp_audit.questions.every import QUANTITIES, QUESTIONS

SETTINGS = Settings(mechanism=("rr:epsilon=1", "llp:k=4"), confidence=0.95)
ASKED = [(question, classes) for question in QUESTIONS.values() for classes in (2, 3) if question.fits(classes)]
each = pytest.mark.parametrize("question", QUESTIONS.values(), ids=list(QUESTIONS))
answered = pytest.mark.parametrize(
    ("question", "classes"), ASKED, ids=[f"{question.name}-{classes}" for question, classes in ASKED]
)


def two_classes():
    rng = np.random.default_rng(3)
    points = rng.random((400, 1), np.float32)
    labels = (rng.random(400) < points[:, 0]).astype(np.uint8)
    return table_of(labels, points), searched(points, labels, 30)


@pytest.fixture(scope="module")
def evidence():
    made = {2: two_classes(), 3: three_classes()}
    mechanisms = {2: SETTINGS.mechanism, 3: SETTINGS.mechanism[:1]}
    wanted = {classes: releases.wanted(replace(SETTINGS, mechanism=specs), classes)
              for classes, specs in mechanisms.items()}  # fmt: skip
    return {classes: Evidence(*made[classes], wanted[classes], Silent(), at=np.array([1.0])) for classes in (2, 3)}


def asked(question, evidence, confidence=SETTINGS.confidence):
    budget = Budget.of(confidence)
    return list(question.answer(evidence, replace(SETTINGS, confidence=confidence), budget)), budget


@each
def test_what_is_declared_is_whole(question):
    assert question.share is None
    for one in question.quantities:
        assert QUANTITIES[one.name] is one
        for text in (one.name, one.title, one.meaning, one.formula, one.source, one.read):
            assert text.strip() == text != "" and "\n" not in text
        assert one.read.endswith(".") and not one.meaning.endswith(".")
        assert one.related and set(one.related) <= KNOWN.keys() - {one.name}
        assert all(axis.isidentifier() for axis in one.axes)
        assert one.falls_along in ("", *one.axes)


@answered
def test_it_answers_what_it_declares(question, classes, evidence):
    found, _ = asked(question, evidence[classes])
    declared = {one.name: one for one in question.quantities}
    parameters = {one.spec: one.at() for one in evidence[classes].mechanisms}
    assert found
    for one in found:
        known, bound = declared[one.quantity], one.bound
        assert set(one.at) <= {*known.axes, *parameters.get(one.mechanism, ())}
        assert one.confidence == SETTINGS.confidence
        ends = [end for end in (bound.low, bound.estimate, bound.high) if end is not None]
        assert ends == sorted(ends) and not any(map(math.isnan, ends))
        assert ends or bound.reason
        assert not known.share or all(0 <= end <= 1 for end in ends)
        assert known.has_limits or bound.low is bound.high is None
        for text in (bound.method, bound.reason or "", *bound.assumptions):
            assert isinstance(text, str) and text.isprintable()


@answered
def test_the_same_question_has_the_same_answer(question, classes, evidence):
    assert asked(question, evidence[classes])[0] == asked(question, evidence[classes])[0]


def by_place(found):
    return {(one.quantity, one.mechanism, *sorted(one.at.items(), key=str)): one.bound for one in found}


def widened(question, evidence):
    """How many limits are wider at more confidence; and none is narrower."""
    sure, surer = (by_place(asked(question, evidence, confidence)[0]) for confidence in (0.8, 0.9999))
    assert sure.keys() == surer.keys()
    pairs = [(sure[place], surer[place]) for place in sure if sure[place].low is not None]
    assert all(one.low >= other.low and one.high <= other.high for one, other in pairs)
    return sum(one.low > other.low or one.high < other.high for one, other in pairs)


@answered
def test_more_confidence_makes_limits_wider(question, classes, evidence):
    assert widened(question, evidence[classes])


def test_and_that_test_has_teeth(evidence):
    class Deaf:
        """Takes no notice of what it may miss."""

        def answer(self, evidence, settings, budget):
            return QUESTIONS["worst_case"].answer(evidence, SETTINGS, Budget.of(SETTINGS.confidence))

    assert widened(Deaf(), evidence[2]) == 0


@answered
def test_it_spends_what_it_has_by_name_and_no_more(question, classes, evidence):
    found, budget = asked(question, evidence[classes])
    spent = dict(budget.spent())
    assert sum(spent.values()) <= budget.miss * (1 + 1e-9)
    assert all(miss > 0 for miss in spent.values())
    assert spent or all(one.bound.low is one.bound.high is None for one in found)


def test_who_asks_for_too_much_is_refused(evidence, monkeypatch):
    """Shares of today leave nothing: half a per cent more of one is too much."""
    monkeypatch.setattr(tail, "ETA_SHARE", tail.ETA_SHARE + 0.005)
    with pytest.raises(ValueError, match="is left"):
        asked(QUESTIONS["tail"], evidence[2])
