"""The largest loss of a person, where not everybody was asked."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import labeldp_audit as lda


@pytest.mark.parametrize("queries", [1, 50])
def test_who_was_not_asked_may_lose_any_amount(queries):
    rng = np.random.default_rng(0)
    x = rng.normal(size=600)
    frame = pd.DataFrame({"x": x, "y": (rng.random(600) < 1 / (1 + np.exp(1 - 0.3 * x))).astype(int)})
    asked = {"label": "y", "estimator": "knn", "mechanisms": ["rr:epsilon=1"]}
    few, every = lda.nu_max(frame, queries=queries, **asked), lda.nu_max(frame, **asked)
    highs = [one.bound.high for one in few.findings if one.quantity == "nu_max" and one.bound.low is not None]
    assert highs and all(high == math.inf for high in highs)
    assert few.check(["nu_max.high > 20"]).outcome != "pass"
    assert next(one for one in few.findings if one.quantity == "eta_min").bound.low == 0
    assert next(one for one in every.findings if one.quantity == "nu_max").bound.high < math.inf
