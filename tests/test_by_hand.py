"""The whole tool against a script that anybody could write: standardise, sort distances, count, apply formulas."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import only

ROWS, K, EPSILON = 500, 40, 1.0
COLUMNS = ("row", "count_0", "count_1", "k", "radius", "eta_1")


@pytest.fixture(scope="module")
def world():
    """Numbers of very different sizes, of which some rows are copies with labels of their own."""
    rng = np.random.default_rng(11)
    numbers = rng.normal(size=(ROWS, 4)) * [1e-6, 1.0, 30.0, 1e9] + [0.0, 5.0, -100.0, 1e9]
    numbers[50:80] = numbers[0]
    numbers[80:90] = numbers[1]
    labels = (rng.random(ROWS) < 1 / (1 + np.exp(-(numbers[:, 1] - 5)))).astype(int)
    return numbers, labels


@pytest.fixture(scope="module")
def by_hand(world):
    numbers, labels = world
    points = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    distance = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    radius = np.sort(distance, axis=1)[:, K - 1]
    near = distance <= radius[:, None] + 1e-9  # all ties at the k-th distance
    return near @ (1 - labels), near @ labels, radius


@pytest.fixture
def file(world, tmp_path):
    numbers, labels = world
    columns = {name: numbers[:, i] for i, name in enumerate(("tiny", "plain", "wide", "huge"))}
    pq.write_table(pa.table(columns | {"y": labels}), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_counts_and_radii(audit, file, by_hand):
    assert audit("estimate-eta", file, "--k", K).status == 0
    rows = pq.read_table(audit.folder / "labeldp-report" / "eta.parquet")
    found = {name: rows[name].to_numpy() for name in COLUMNS}
    zeros, ones, radius = by_hand
    assert np.array_equal(found["count_0"], zeros)
    assert np.array_equal(found["count_1"], ones)
    assert found["k"].max() > K, "copies are ties"
    assert np.allclose(found["radius"], radius, atol=1e-5)
    assert np.allclose(found["eta_1"], ones / (zeros + ones))


@pytest.fixture
def loss_by_hand(world, by_hand):
    """(2 eta - 1)(logit eta - logit p) + epsilon tanh(epsilon / 2): 001, Definition 3."""
    zeros, ones, _ = by_hand
    eta, p = ones / (zeros + ones), world[1].mean()
    return (2 * eta - 1) * (np.log(eta / (1 - eta)) - math.log(p / (1 - p))) + EPSILON * math.tanh(EPSILON / 2)


OPTIONS = ("--k", K, "--mechanism", f"rr:epsilon={EPSILON}", "-f", "json", "--no-output")


def test_the_curve(audit, file, loss_by_hand):
    report = audit("estimate-j", file, *OPTIONS, "--tau", "0:3:0.05").report
    plain, found = (
        {
            one["at"]["tau"]: one["estimate"]
            for one in report["findings"]
            if one["quantity"] == quantity and one["mechanism"]
        }
        for quantity in ("plug_in_j", "j")
    )
    assert len(plain) == 61
    assert plain == {tau: float((loss_by_hand > tau).mean()) for tau in plain}
    assert len(set(plain.values())) > 20
    assert np.mean([abs(found[tau] - plain[tau]) for tau in plain]) < 0.05, "the chance in the counts is taken out"
    assert only(report, "mean_loss")["estimate"] < loss_by_hand.mean(), "which made people look more different"


def test_the_worst_case(audit, file, world, by_hand):
    """epsilon + max(logit M - logit p, logit p - logit m): 001, Theorem 1."""
    zeros, ones, _ = by_hand
    eta, p = ones / (zeros + ones), world[1].mean()
    prior = math.log(p / (1 - p))
    farthest = max(abs(math.log(end / (1 - end)) - prior) for end in (eta.min(), eta.max()))
    report = audit("nu-max", file, *OPTIONS).report
    assert only(report, "nu_max")["estimate"] == pytest.approx(EPSILON + farthest, rel=1e-12)
    assert only(report, "eta_min")["estimate"] == eta.min()


def test_the_best_guess(audit, file, by_hand):
    zeros, ones, _ = by_hand
    report = audit("estimate-eta", file, "--k", K, "-f", "json", "--no-output").report
    guessed = float((np.maximum(zeros, ones) / (zeros + ones)).mean())
    assert only(report, "plug_in_utility")["estimate"] == pytest.approx(guessed, rel=1e-12)
