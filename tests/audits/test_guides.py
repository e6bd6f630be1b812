"""What mechanisms look at beside labels is made without them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from labeldp_audit.audits import guides
from labeldp_audit.audits.release import options_of
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.data import read_table
from labeldp_audit.mechanisms import MECHANISMS


@pytest.mark.parametrize("spec", ["cluster-rr:epsilon=1,clusters=4", "lp-mst:epsilon=1,stages=2", "prior-rr:epsilon=1"])
def test_guide_is_the_same_with_another_label(spec):
    rng = np.random.default_rng(0)
    people = pd.DataFrame(
        {"x": rng.normal(size=300), "ward": rng.integers(5, size=300), "y": rng.integers(2, size=300)}
    )
    others = people.sample(frac=1, random_state=1).assign(x=lambda table: table.x + 0.1)
    [mechanism] = MECHANISMS.parse(spec)
    settings = Settings(label="y", positive="1", threads=1, prior_from=others if spec.startswith("prior") else None)

    def guide(table):
        options = options_of(settings)
        read = read_table(table, options, Silent())
        return guides.guide_for(mechanism, table, read, settings, options, Silent()).guide

    one, two = guide(people), guide(people.assign(y=people.y.where(people.index != 7, 1 - people.y)))
    for name in ("clusters", "prior"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    if one.learn is not None:
        rows, soft = np.arange(0, 200), np.eye(2)[rng.integers(2, size=200)]
        assert np.array_equal(*(each.learn(rows, soft, np.arange(200, 300)) for each in (one, two)))
