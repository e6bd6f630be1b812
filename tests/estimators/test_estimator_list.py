"""What every estimator of the list that learns keeps to, ours and those of packages that are installed beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lessons import lesson, others

from labeldp_audit.estimators import ESTIMATORS
from labeldp_audit.estimators.contract import Learner

KINDS = [kind for kind in ESTIMATORS if issubclass(kind, Learner)]
each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def made_up(classes):
    """A number that tells something, one that is missing in places, and a column of levels."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 3))
    place = values[:, 0] + rng.logistic(size=300)
    values[::5, 1], values[:, 2] = np.nan, np.arange(300) % 4
    labels = np.digitize(place, np.quantile(place, np.arange(1, classes) / classes))
    one = lesson(values, labels, (2,), classes)
    return replace(one, asked=others(one), same=np.arange(300))


def scores(kind, one):
    [learner] = ESTIMATORS.parse(kind.example)
    return learner.scores(replace(one, _known={}))


@each
@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_laws_that_tell_something(kind, classes):
    one = made_up(classes)
    said = scores(kind, one)
    for rows, score in ((one.judge, said.judge), (one.asked, said.asked)):
        assert score.shape == (len(rows), classes)
        assert np.all((score > 0) & (score < 1))
        assert score.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    right = said.asked[np.arange(len(one.asked)), one.labels[one.asked]]
    assert -np.log(right).mean() < 1.1 * np.log(classes)


@each
def test_nobody_looks_at_labels_of_rows_that_are_asked(kind):
    one = made_up(2)
    other = one.labels.copy()
    other[one.asked] = 1 - other[one.asked]
    assert np.array_equal(scores(kind, one).asked, scores(kind, replace(one, labels=other)).asked)
