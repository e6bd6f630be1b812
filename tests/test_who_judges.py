"""No limit is false, whichever estimator: of several rows of a person one judges, and copies judge nothing.

People are coins: features are noise, and eta is 1/2. Their rows carry one label each, so all rows together look as if
their features told it, or as if much were known of them.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeldp_audit.audits import doubts
from labeldp_audit.data import repeats
from labeldp_audit.estimators import ESTIMATORS

EPSILON, PEOPLE = 1.0, 80
SAID = (*sorted(kind.example for kind in ESTIMATORS), "--eta", "--eta-file")
TRUTH = {
    "eta_min": 0.5, "eta_max": 0.5, "nu_max": EPSILON, "mean_loss": math.tanh(EPSILON / 2) * EPSILON,
    "uninformed_utility": 0.5, "informed_utility": 1 / (1 + math.exp(-EPSILON)),
    "advantage": math.tanh(EPSILON / 2) / 2,
}  # fmt: skip
"""Of people, and of what is certified about them."""


def crowd(layout: str, way: str, seed: int) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """Rows of people and options that say what they are."""
    rng = np.random.default_rng(seed)
    grouped, copied = layout != "copies", layout != "groups"
    visits, times = (25, 2) if grouped and copied else (50, 1) if grouped else (1, 50)
    who = np.repeat(np.arange(PEOPLE), visits)
    columns = {"a": rng.normal(size=len(who)), "b": rng.normal(size=len(who)), "y": rng.integers(0, 2, PEOPLE)[who]}
    if grouped:
        columns["who"] = who
    if way == "--eta":  # wrong: what is certified holds all the same
        columns["given"] = rng.uniform(0.3, 0.7, len(who))
    rows = np.repeat(np.arange(len(who)), times)
    answers = (*(("--group", "who") if grouped else ()), *(("--repeats", "copies") if copied else ()))
    return {name: column[rows] for name, column in columns.items()}, answers


def findings(audit, folder, layout: str, way: str, seed: int, answer: bool = True):
    columns, told = crowd(layout, way, seed)
    pq.write_table(pa.table(columns), folder / "t.parquet")
    told = told if answer else ()
    if way == "--eta-file":
        assert audit("estimate-eta", folder / "t.parquet", *told, "--estimator", "boosted").status == 0
        told = ()
    stored = ("--eta-file", "labeldp-report/eta.parquet", "--estimator", "boosted")
    made = {"--eta": ("--eta", "given"), "--eta-file": stored}
    question = ("--mechanism", f"rr:epsilon={EPSILON}", "--tau", "0.3,0.6", "-f", "json", "--no-output")
    ended = audit("audit", folder / "t.parquet", *told, *made.get(way, ("--estimator", way)), *question)
    assert ended.status == 0, ended.err
    found = ended.report["findings"]
    return [one for one in found if way != "--eta" or one["quantity"].startswith("certified")]


def false_limits(found) -> list[str]:
    return [f"{one['quantity']} {one['low']} {one['high']}" for one in found if is_false(one)]


def is_false(one) -> bool:
    quantity = one["quantity"].removeprefix("certified_")
    truth = float(one["at"]["tau"] < TRUTH["mean_loss"]) if quantity == "j" else TRUTH.get(quantity)
    if truth is None or one["mechanism"] not in (None, f"rr:epsilon={EPSILON}"):
        return False
    low, high = (-math.inf if one["low"] is None else float(one["low"])), one["high"]
    return low > truth + 1e-9 or (math.inf if high is None else float(high)) < truth - 1e-9


@pytest.mark.parametrize("way", SAID)
def test_no_limit_is_false(audit, tmp_path, way):
    assert not false_limits(findings(audit, tmp_path, "both", way, seed=1))


@pytest.mark.parametrize("layout", ["copies", "groups"])
def test_nor_with_either_alone(audit, tmp_path, layout):
    for way in ("boosted", "knn"):
        assert not false_limits(findings(audit, tmp_path, layout, way, seed=2))


@pytest.mark.parametrize("way", ["boosted", "knn", "--eta", "--eta-file"])
def test_without_an_answer_there_is_no_limit(audit, tmp_path, way):
    found = findings(audit, tmp_path, "copies", way, seed=3, answer=False)
    assert all(one["low"] is None and one["high"] is None for one in found)


@pytest.mark.parametrize("layout", ["copies", "groups"])
@pytest.mark.parametrize("way", ["boosted", "knn", "--eta"])
def test_and_these_tests_have_teeth(audit, tmp_path, monkeypatch, layout, way):
    """A liar lets all rows judge, and does not look at their order, which shows it too."""
    monkeypatch.setattr(doubts, "like_neighbors", lambda eta, labels: None)
    monkeypatch.setattr(doubts, "judging_rows", lambda table: table)
    monkeypatch.setattr(repeats, "one_of_each_person", lambda table, seed: None)
    monkeypatch.setattr(repeats, "_without_copies", lambda table, words, found: table)
    assert any(false_limits(findings(audit, tmp_path, layout, way, seed)) for seed in (4, 5, 6))


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["copies", "groups", "both"])
@pytest.mark.parametrize("way", SAID)
def test_limits_are_false_as_rarely_as_they_say(audit, tmp_path, way, layout):
    """At 99 %: 2 of 20 audits would be false once in sixty."""
    assert sum(bool(false_limits(findings(audit, tmp_path, layout, way, seed))) for seed in range(10, 30)) <= 1
