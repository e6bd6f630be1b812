"""The largest loss of a person: its upper limit exists only where no person can exceed the average of a window."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from simulated import findings, given, scored, searched, table_of, worst_case

import labeldp_audit as lda


def outer(table, eta, **settings):
    """Return the outer limits of eta and of the largest loss."""
    found = findings(worst_case, table, eta, **settings)
    place = {one.quantity: one.bound for one in found if one.at.get("baseline") != "no-noise"}
    return place["eta_min"].low, place["eta_max"].high, place["nu_max"].high


@pytest.mark.parametrize("queries", [1, 50])
def test_nu_max_is_open_where_rows_were_not_asked(queries):
    rng = np.random.default_rng(0)
    x = rng.integers(3, size=600)
    frame = pd.DataFrame({"x": x, "y": (rng.random(600) < 1 / (1 + np.exp(1 - 0.3 * x))).astype(int)})
    asked = {"label": "y", "estimator": "knn", "mechanisms": ["rr:epsilon=1"], "repeats": "people"}
    few, every = lda.nu_max(frame, queries=queries, **asked), lda.nu_max(frame, **asked)
    highs = [one.bound.high for one in few.findings if one.quantity == "nu_max" and one.bound.low is not None]
    assert highs and all(high == math.inf for high in highs)
    assert few.check(["nu_max.high > 20"]).outcome != "pass"
    assert next(one for one in few.findings if one.quantity == "eta_min").bound.low == 0
    assert next(one for one in every.findings if one.quantity == "nu_max").bound.high < math.inf


@pytest.mark.parametrize("seed", [3, 10, 12, 21, 24])
def test_nu_max_holds_where_labels_refute_scores(seed):
    """A line through |x| of heavy tails: labels refute its order."""
    rng = np.random.default_rng(seed)
    x = rng.standard_cauchy((1000, 3))
    eta = 1 / (1 + np.exp(-1.5 * np.log(np.abs(x[:, 0]))))
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(y=(rng.random(1000) < eta).astype(int))
    report = lda.nu_max(frame, label="y", estimator="linear", certify=False)
    high = {one.quantity: one.bound.high for one in report.findings if one.at.get("baseline") != "no-noise"}
    assert high["eta_max"] is None or high["eta_max"] >= eta.max()
    assert high["nu_max"] in (None, math.inf)


def test_extremes_are_open_where_order_is_refuted():
    table, eta = scored(2000)
    table = replace(table, fingerprints=np.unique(eta.probability[:, 1], return_inverse=True)[1].astype(np.uint64))
    assert all(map(math.isfinite, outer(table, replace(eta, order_p=1.0))))
    assert outer(table, replace(eta, order_p=0.0)) == (0, 1, math.inf)
    assert outer(*given(table, eta))[1] == eta.probability[:, 1].max()


def test_extremes_of_neighbors_are_limited_by_equal_rows_alone():
    rng = np.random.default_rng(0)
    x = rng.integers(8, size=(1000, 1)).astype(np.float32)
    labels = (rng.random(1000) < 0.1 + x[:, 0] / 10).astype(np.uint8)
    assert outer(table_of(labels, x), searched(x, labels, 60))[2] < math.inf
    x[0] += 0.5  # one row whose neighbours are other people
    assert outer(table_of(labels, x), searched(x, labels, 60)) == (0, 1, math.inf)
