"""How often is an audit by trees false? As test_advantage_coverage.py; the liar learns the labels it is judged by."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from simulated import findings, table_of
from test_advantage_coverage import SPECS, Truth, is_missed, limited
from test_coverage import islands, most_misses

from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.core.table import Columns
from labeldp_audit.estimators import crossfit
from labeldp_audit.estimators.boosted import Boosted
from labeldp_audit.estimators.contract import Task
from labeldp_audit.questions import advantage

ROWS, AUDITS, CONFIDENCE = 1500, 60, 0.8
COIN = islands("coin", (1.0,), (0.5,))
THREE = islands("three", (0.2, 0.5, 0.3), (0.02, 0.4, 0.9))


class Cheat(Boosted):
    """Learns by heart."""

    def fit(self, lesson):
        labels = lesson.labels
        sure = np.where(np.random.default_rng(lesson.seed).random(len(labels)) < 0.9, labels, 1 - labels)
        return lambda rows: np.where(sure[rows, None] == np.arange(2), 0.99, 0.01)


def misses(world, audits, estimator):
    rng, truth, found = np.random.default_rng(5), Truth(world, np.ones(2)), 0
    for _ in range(audits):
        points, labels, _ = world.draw(ROWS, rng)
        columns = Columns(np.asfortranarray(points), np.zeros(2, bool), ("a", "b"))
        table = replace(table_of(labels, points), columns=columns)
        eta, _ = estimator.estimate(Task(table, table, Settings(), Silent()))
        with patch.object(advantage, "_same", return_value=()):
            said = findings(advantage, table, eta, mechanism=SPECS, bags=40, confidence=CONFIDENCE)
        found += any(is_missed(one, truth) for one in said if limited(one))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("world", [COIN, THREE], ids=lambda world: world.name)
def test_reports_are_false_as_rarely_as_they_say(world):
    assert misses(world, AUDITS, Boosted()) <= most_misses(AUDITS, CONFIDENCE)


def test_one_audit_holds_the_truth():
    assert misses(THREE, 2, Boosted()) == 0


def test_and_that_test_has_teeth(monkeypatch):
    monkeypatch.setattr(crossfit, "_seen", lambda labels, *rows: labels)
    assert misses(COIN, 4, Cheat()) == 4
