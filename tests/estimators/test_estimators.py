"""eta from neighbourhoods: what every estimator of the list keeps to, and the k nearest neighbours."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.eta import Neighborhoods
from labeldp_audit.estimators import ESTIMATORS

KINDS = [kind for kind in ESTIMATORS if hasattr(kind, "estimate")]  # from neighbourhoods
counts_of = st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any), min_size=1, max_size=20)


def neighborhoods(counts):
    counts = np.array(counts, np.int64)
    q = len(counts)
    return Neighborhoods(
        rows=np.arange(q), counts=counts, radius=np.linspace(0, 1, q, dtype=np.float32),
        k=int(counts.sum(axis=1).min()), n=q, exact=False, recall=0.97, recall_low=0.96, probes=2,
    )  # fmt: skip


def estimate(kind, counts, labels):
    [one] = ESTIMATORS.parse(kind.example)
    return one.estimate(neighborhoods(counts), np.array(labels, np.uint8))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_parses(kind):
    [example] = ESTIMATORS.parse(kind.example)
    assert type(example) is kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@settings(deadline=None, derandomize=True)
@given(counts=counts_of)
def test_rows_are_laws_and_the_search_is_told(kind, counts):
    eta = estimate(kind, counts, [0] * len(counts))
    near = neighborhoods(counts)
    assert eta.probability.shape == near.counts.shape
    assert np.all(eta.probability >= 0)
    assert eta.probability.sum(axis=1) == pytest.approx(np.ones(len(counts)))
    assert eta.counts.tolist() == near.counts.tolist()
    assert (eta.estimator, eta.k, eta.n, eta.exact, eta.recall) == (kind.name, near.k, near.n, near.exact, near.recall)
    assert eta.radius.tolist() == near.radius.tolist()
    assert math.isfinite(eta.log_loss)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_labels_judge_and_do_not_teach(kind):
    """The row's own label changes what the estimate is worth, not the estimate."""
    counts = [[9, 1, 0], [1, 9, 0]]
    right, wrong = estimate(kind, counts, [0, 1]), estimate(kind, counts, [1, 0])
    assert right.probability.tolist() == wrong.probability.tolist()
    assert right.log_loss < wrong.log_loss


def test_frequencies_among_the_neighbours():
    eta = estimate(ESTIMATORS.get("knn"), [[3, 1, 0], [0, 0, 5]], [0, 0])
    assert eta.probability.tolist() == [[0.75, 0.25, 0], [0, 0, 1]]
    assert eta.log_loss == pytest.approx(-(math.log(3.5 / 5.5) + math.log(0.5 / 6.5)) / 2)


def test_knn_has_no_parameters():
    with pytest.raises(SpecError, match="no parameters"):
        ESTIMATORS.parse("knn:k=3")
    with pytest.raises(SpecError, match="unknown estimator"):
        ESTIMATORS.parse("forest")
