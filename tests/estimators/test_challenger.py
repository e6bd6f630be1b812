"""Boosted trees challenge the model that a user insists on, and limits that assume a beaten model are withheld."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import labeldp_audit as lda
from labeldp_audit.audits import judging
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.remark import BEATEN, UNBEATEN
from labeldp_audit.core.settings import Settings
from labeldp_audit.core.table import Columns, Dataset, Table
from labeldp_audit.estimators import ESTIMATORS, challenger, supplied
from labeldp_audit.estimators.contract import Task
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.reports import formats

N = 1500
OPTIONS = {"label": "y", "mechanisms": ["rr:epsilon=1"], "threads": 1, "repeats": "people"}


def crossing(x):
    return x[:, 0] * x[:, 1] > 0


def ring(x):
    return (x[:, :2] ** 2).sum(axis=1) > 1.39


def wave(x):
    return np.sin(5 * x[:, 0]) > 0


def parity(x):
    return (x[:, :2] > 0).sum(axis=1) % 2 == (x[:, 2] > 0)


def table(kind, seed=0, n=N):
    """Two kinds of people, eta .9 and .1, whom a line does not part, and eta."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    eta = np.where(kind(x), 0.9, 0.1)
    return pd.DataFrame(x, columns=list("abcd")).assign(y=(rng.random(n) < eta).astype(int)), eta


def codes(report):
    return {one.code for one in report.content.remarks}


def bounds(report, *, plain=True):
    return {one.quantity: one.bound for one in report.findings if bool(one.mechanism) == plain}


@pytest.mark.parametrize("kind", [crossing, ring, wave, parity])
def test_linear_has_no_limits_where_trees_see_more(kind):
    """The limits were false: half of these people lose more than 2 nats, and all more than 1.5."""
    frame, _ = table(kind)
    report = lda.estimate_j(frame, tau=1.5, estimator="linear", certify=False, **OPTIONS)
    j = bounds(report)["j"]
    assert (j.low, j.high) == (None, None)
    assert "boosted trees" in j.reason
    [verdict] = report.check(["j(tau=1.5).high > 0.5"]).verdicts
    assert verdict.outcome == "not measured"


@pytest.fixture(scope="module")
def audited():
    return lda.audit(table(crossing)[0], estimator="linear", bags=50, **OPTIONS)


def test_what_assumes_a_beaten_model_is_withheld(audited):
    """Nothing else is: certified lows, high of an advantage, lows of guesses that were tried."""
    for one in audited.findings:
        bound, known = one.bound, QUANTITIES[one.quantity]
        assert all(getattr(bound, end) is None for end in known.assumes_model)
    there = bounds(audited)
    assert there["advantage"].high is not None and there["advantage"].low is None
    assert there["certified_j"].low is not None and there["certified_advantage"].high is not None
    assert there["informed_utility"].low > 0 and there["informed_utility"].high is None
    assert there["mean_loss"].low is not None and there["mean_loss"].high is None
    with_model = {name for name, one in QUANTITIES.items() if one.assumes_model}
    assert {"j", "j_added", "eta_min", "eta_max", "nu_max", "mean_loss", "advantage"} <= with_model
    assert not any(name.startswith("certified") for name in with_model)


@pytest.mark.parametrize("name", formats.names())
def test_every_format_shows_withheld_limits(audited, name):
    lines = ["j(tau=2).high > 0.9", "advantage.low > 0.1", "advantage.high > 0.4"]
    judged = judging.judged(audited.content, judging.policy_of(lines))
    assert [one.outcome for one in judged.judgement.verdicts][:2] == ["not measured", "not measured"]
    assert formats.render(name, audited.content if not formats.of_verdicts(name) else judged)


def test_a_copy_of_the_label_beside_a_weak_model_is_seen():
    frame, eta = table(crossing)
    frame["model"], frame["copy"] = 0.5, frame["y"]
    seen = lda.estimate_j(frame, eta="model", tau=1.5, **OPTIONS)
    assert BEATEN in codes(seen)
    alone = ["copy", "model", *"abcd"]
    assert UNBEATEN in codes(lda.estimate_j(frame, eta="model", exclude=alone, tau=1.5, **OPTIONS))
    assert UNBEATEN in codes(lda.estimate_j(frame, eta=eta, exclude="copy", tau=1.5, **OPTIONS))


def test_hedged_probabilities_are_corrected_by_trees():
    """Each group of like estimates alone fits; all of them together do not, even where nothing else is published."""
    frame, eta = table(crossing)
    report = lda.estimate_j(frame, eta=np.clip(eta, 0.2, 0.8), exclude=[*"abcd"], tau=1.5, **OPTIONS)
    assert BEATEN in codes(report)
    j = bounds(report)["j"]
    assert (j.low, j.high) == (None, None)


def test_a_file_of_eta_is_challenged(audit):
    frame, _ = table(crossing)
    frame.to_csv("t.csv", index=False)
    asked = ("t.csv", "--label", "y", "--no-certify", "--estimator", "linear")
    audit("estimate-eta", *asked, "-o", "first")
    read = audit("estimate-j", *asked, "--eta-file", "first/eta.parquet", "--tau", 2, "-f", "json", "--no-output")
    assert [one["code"] for one in read.report["remarks"]].count(BEATEN) == 1
    assert all(one["high"] is None for one in read.report["findings"] if one["quantity"] == "j")


@pytest.mark.parametrize("name", ["auto", "boosted", "stack"])
def test_estimators_with_trees_are_not_fitted_twice(name, monkeypatch):
    monkeypatch.setattr(challenger, "challenge", None)
    frame, _ = table(crossing, n=300)
    assert not {BEATEN, UNBEATEN} & codes(lda.estimate_eta(frame, label="y", estimator=name, threads=1))


def test_trees_need_no_second_fit_only_where_they_took_part():
    _, eta = table(crossing, n=300)
    given = supplied.as_given(task(eta).table, np.column_stack([1 - eta, eta]))
    assert not challenger.has_trees(ESTIMATORS.parse("auto")[0], given)  # nothing was tried
    assert not challenger.has_trees(ESTIMATORS.parse("linear")[0], given)


# ---- the test itself


def task(eta, seed=1, judges=None):
    rng = np.random.default_rng(seed)
    n = len(eta)
    values = np.asfortranarray(np.column_stack([eta, rng.normal(size=n)]).astype(np.float32))
    labels = (rng.random(n) < eta).astype(np.uint8)
    counts = tuple(np.bincount(labels, minlength=2).tolist())
    about = Dataset("t", "", n, n, "y", "1", ("0", "1"), counts, ())
    known = Columns(values, np.zeros(2, bool), ("a", "b"))
    whole = Table(labels, about, columns=known,
                  fingerprints=np.arange(n, dtype=np.uint64), judges=judges)  # fmt: skip
    return Task(whole, whole if judges is None else whole.at(judges), Settings(threads=1), Silent())


def outcome(eta, said, **more):
    asked = task(eta, **more)
    return challenger.challenge(asked, supplied.as_given(asked.table, said))


def both(positive):
    return np.column_stack([1 - positive, positive])


def test_true_probabilities_are_not_refuted():
    rng = np.random.default_rng(0)
    for seed in range(10):
        eta = np.where(rng.random(400) < 0.5, 0.003, 0.05)
        assert outcome(eta, both(eta), seed=seed).code == UNBEATEN


def test_the_smallest_difference_shrinks_with_rows():
    rng = np.random.default_rng(0)
    eta = rng.choice([0.1, 0.9], 4000)
    few, many = (outcome(eta[:n], both(eta[:n])).values["smallest"] for n in (400, 4000))
    assert 0 < many < few


@pytest.mark.parametrize("said", [np.full(400, 0.5), np.full(400, np.nan)], ids=["blind", "not finite"])
def test_worse_probabilities_are_refuted(said):
    eta = np.random.default_rng(0).choice([0.1, 0.9], 400)
    asked = task(eta)
    given = supplied.as_given(asked.table, both(np.full(400, 0.5)))
    object.__setattr__(given, "probability", both(said))
    assert challenger.challenge(asked, given).code == BEATEN


def test_of_many_rows_a_part_is_compared(monkeypatch):
    monkeypatch.setattr(challenger, "MOST_ROWS", 500)
    eta = np.random.default_rng(0).choice([0.1, 0.9], 1200)
    judges = np.arange(0, 1200, 3)
    found = outcome(eta, both(np.full(400, 0.5)), judges=judges)
    assert (found.code, found.values["rows"]) == (BEATEN, 400)  # rows that judge first
    monkeypatch.setattr(challenger, "MOST_ROWS", 300)
    assert outcome(eta, both(eta[judges]), judges=judges).values["rows"] == 300
