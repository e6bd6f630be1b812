"""A table that is sorted by label tells labels by the order of its rows, which is no feature: no limit holds then."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import labeldp_audit as lda
from labeldp_audit.audits import release
from labeldp_audit.audits.doubts import like_neighbors
from labeldp_audit.core.progress import Silent

N = 600
CODE, EARLY = "order-tells-labels", "order-may-tell-labels"


def table(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=N)
    return pd.DataFrame({"x": x, "z": rng.normal(size=N), "y": (rng.random(N) < 1 / (1 + np.exp(1 - x))).astype(int)})


def sorted_by_label():
    return table().sort_values("y", kind="stable")


def taking_turns():
    one = table()
    order = np.argsort(one.y.to_numpy(), kind="stable")
    few = int(one.y.sum())
    turns = np.stack([order[:few], order[N - few :]], axis=1).ravel()
    return one.iloc[turns]


def audited(frame, **given):
    return lda.advantage(frame, label="y", mechanisms=["rr:epsilon=1"], estimator="linear", **given)


def codes(report):
    return {one.code for one in report.content.remarks}


@pytest.mark.parametrize("frame", [sorted_by_label(), taking_turns()], ids=["sorted", "turns"])
def test_no_limit_holds_where_the_order_tells_labels(frame):
    report = audited(frame)
    assert CODE in codes(report)
    assert all(one.bound.low is None and one.bound.high is None for one in report.findings)
    [verdict] = report.check(["advantage.high > 0.9"]).verdicts
    assert verdict.outcome == "not measured"


def test_no_limit_holds_where_probabilities_were_supplied():
    frame = sorted_by_label().assign(eta=0.3)
    assert CODE in codes(lda.advantage(frame, label="y", mechanisms=["rr:epsilon=1"], eta=["eta"]))


def test_any_other_order_is_as_good_as_chance():
    """Also that of a feature, however much it says of the label."""
    by_feature = table().sort_values("x")
    for frame in (table(), by_feature):
        assert CODE not in codes(audited(frame))
    eta = np.repeat([[0.1, 0.9], [0.9, 0.1]], N // 2, axis=0)
    labels = (np.random.default_rng(1).random(N) < eta[:, 1]).astype(np.uint8)
    assert like_neighbors(eta, labels) is None
    assert like_neighbors(np.full((N, 2), 0.5), labels) > 0.5
    given_away = np.eye(2)[table().y] * 0.9999 + 0.00003
    for eta in (given_away, np.full((N, 2), [0.02, 0.98])):
        assert like_neighbors(eta, table().y.to_numpy().astype(np.uint8)) is None


@pytest.mark.parametrize(
    ("frame", "keep_order", "told"),
    [(sorted_by_label(), True, True), (sorted_by_label(), False, False), (table(), True, False)],
)
def test_release_of_a_sorted_table_in_its_order_warns(frame, keep_order, told):
    frame = frame.reset_index(drop=True)
    remarks = release.released(frame, "rr:epsilon=1", {"label": "y", "keep_order": keep_order}, None, Silent())[1]
    assert (EARLY in {one.code for one in remarks}) == told


def test_an_attack_without_limits_agrees_with_nothing(tmp_path):
    frame = sorted_by_label()
    frame.to_csv(tmp_path / "t.csv", index=False)
    lda.release(str(tmp_path / "t.csv"), "rr:epsilon=1", label="y", to=str(tmp_path / "r.csv"))
    said = str(lda.attack(str(tmp_path / "t.csv"), str(tmp_path / "r.csv"), label="y", estimator="linear"))
    assert "guesses" in said and "agrees" not in said and "- to -" not in said
