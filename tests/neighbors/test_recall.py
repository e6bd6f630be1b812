"""What is said of the search: its recall, and a limit that holds where few queries miss nearly everything."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from labeldp_audit.core.progress import Silent
from labeldp_audit.neighbors import cells, recall

RARE, TIMES = 0.012, 600
CELLS = SimpleNamespace(count=20)


def drawn(rng, *_):
    """One query in eighty has its neighbours in the last cell, all others have them in the first."""
    lost = rng.random(recall.SAMPLE) < RARE
    share = np.where(lost[:, None], np.arange(1, 21) == 20, 1.0)
    return share.mean(axis=0)[None], share.std(axis=0)[None] / math.sqrt(len(share))


def misses(monkeypatch, wanted):
    """How often the lower limit lies above the truth."""
    rng = np.random.default_rng(4)
    monkeypatch.setattr(recall, "_recall_curves", lambda *_: drawn(rng))
    sample = SimpleNamespace(home=np.zeros(recall.SAMPLE))
    found = [recall.choose(CELLS, sample, sample, wanted) for _ in range(TIMES)]
    return sum(search.recall_low[0] > (1.0 if search.probes == CELLS.count else 1 - RARE) for search in found)


@pytest.mark.parametrize("wanted", [0.9, 0.985])
def test_the_limit_is_missed_no_more_often_than_promised(monkeypatch, wanted):
    assert misses(monkeypatch, wanted) <= binom.isf(1e-6, TIMES, 0.01)


def test_and_that_test_has_teeth(monkeypatch):
    """Standard errors know nothing of queries that the sample does not hold."""
    monkeypatch.setattr(
        recall.hoeffding, "share_lower", lambda mean, q, _: mean - 2.33 * math.sqrt(mean * (1 - mean) / q)
    )
    assert misses(monkeypatch, 0.9) > binom.isf(1e-6, TIMES, 0.01)


def test_all_cells_are_exact(monkeypatch):
    monkeypatch.setattr(recall, "_recall_curves", lambda *_: drawn(np.random.default_rng(1)))
    sample = SimpleNamespace(home=np.zeros(recall.SAMPLE))
    assert recall.choose(CELLS, sample, sample, 0.9999) == recall.Search(20, (1.0,), (1.0,))


def test_the_query_itself_is_not_a_neighbour_that_was_found(monkeypatch):
    """Two cells, a query in the first, all its neighbours in the second but one."""
    points = np.array([[0.0], [1.0], *([[40.0 + i] for i in range(9)])], np.float32)
    cell = np.array([0, 0, *[1] * 9], np.int32)
    monkeypatch.setattr(cells, "partition", lambda *_: (cell, np.array([[0.5], [44.0]], np.float32)))
    index = cells.build(points, np.zeros(11, int), 1, np.random.default_rng(0), 1, Silent())
    sample = recall.Sample(points[:1], cell[:1], np.array([[1.0, 40.0, 48.0]], np.float32))
    np.testing.assert_allclose(recall._recall_curves(index, sample)[0], [[1.0, 1.0], [0.5, 1.0], [0.1, 1.0]])
