"""Limits of neighbourhood averages on a population where those are known: rows of a cell have all others of it as
neighbours, so the average around a row is eta of its cell."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from simulated import table_of, three_classes

import labeldp_audit as lda
from labeldp_audit.audits import doubts
from labeldp_audit.bounds.intervals import clopper_pearson, hoeffding
from labeldp_audit.bounds.intervals.mistakes import Mistakes
from labeldp_audit.bounds.published import label_proportions
from labeldp_audit.core.eta import Neighborhoods
from labeldp_audit.core.finding import BASELINE, FEATURES, NEIGHBORHOODS, Bound, Finding
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.remark import BEATEN, SPELLED_ALIKE, Remark
from labeldp_audit.core.settings import Settings
from labeldp_audit.estimators import knn
from labeldp_audit.measures import loss, tail, worst_case
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.questions import intervals, neighborhoods
from labeldp_audit.questions.contract import Evidence
from labeldp_audit.reports import formats, found, words

ROWS, DELTA, DRAWS = 300, 0.2, 150
RR, LLP = (MECHANISMS.parse(spec)[0] for spec in ("rr:epsilon=1", "llp:k=8"))
THEOREM = label_proportions.lemma_a1
FINE = np.linspace(0.02, 0.9, 30)
COARSE = np.array([0.02, 0.6])
TAU = 1.0


def drawn(cells, rng, rows=ROWS):
    """A table of rows in equally likely cells, and the counts around each."""
    cell = rng.integers(len(cells), size=rows)
    labels = (rng.random(rows) < cells[cell]).astype(np.uint8)
    in_cell, positive = np.bincount(cell), np.bincount(cell, labels).astype(np.int64)
    k, of_one = in_cell[cell] - 1, positive[cell] - labels
    near = Neighborhoods(
        rows=np.arange(rows), counts=np.stack([k - of_one, of_one], axis=1), radius=np.zeros(rows, np.float32),
        k=max(1, int(k.min())), n=rows, exact=True, recall=1.0, recall_low=1.0, probes=1,
    )  # fmt: skip
    with np.errstate(invalid="ignore"):
        eta = knn.frequencies(near, labels)
    return Evidence(table_of(labels), eta, (RR, LLP), Silent(), at=np.array([TAU])), cell


def asked():
    empty = Bound(0.0, None, None, ROWS, "")
    return [
        Finding("eta_min", empty, 1), Finding("eta_max", empty, 1),
        Finding("nu_max", empty, 1, RR.spec), Finding("nu_max", empty, 1, at={BASELINE: FEATURES}),
        Finding("j", empty, 1, RR.spec, {"tau": TAU}), Finding("j", empty, 1, at={"tau": TAU, BASELINE: FEATURES}),
        Finding("advantage", empty, 1, RR.spec), Finding("advantage", empty, 1, LLP.spec),
        Finding("advantage_bound", empty, 1, LLP.spec, {"bound": "003 Theorem 3.5, corrected"}),
        Finding("advantage_bound", empty, 1, RR.spec, {"bound": "003 Theorem 3.7"}),
    ]  # fmt: skip


def truths(cells, there):
    """Of all that is asked, in its order; extremes are those of the rows that are there."""
    p, noise = float(cells.mean()), loss.Noise.of(RR.channel(2), RR.log_ratios())
    ends = worst_case.log_ratio_of_min(there.min()), worst_case.log_ratio_of_max(there.max())
    losses = loss.feature_loss(cells, p)
    gain = np.maximum(0, np.minimum(cells, 1 - cells) - 1 / (1 + math.e)).mean()
    return [
        there.min(), there.max(), worst_case.nu_max(*ends, p, noise), worst_case.nu_max(*ends, p, loss.NOTHING_SAID),
        np.mean(losses > TAU - noise.loss), np.mean(losses > TAU), gain, None,
        THEOREM(8, p, float((cells * (1 - cells)).mean())), gain,
    ]  # fmt: skip


def missed(cells, seed):
    """Is anything missed, of the limits of numbers or of rows?"""
    evidence, cell = drawn(cells, np.random.default_rng(seed))
    settings = Settings(confidence=1 - DELTA)
    found = neighborhoods.with_limits(asked(), evidence, settings)
    pairs = zip(found, truths(cells, cells[np.unique(cell)]), strict=True)
    numbers = [
        one.bound.neighborhood_low - 1e-12 <= truth <= one.bound.neighborhood_high + 1e-12
        for one, truth in pairs
        if truth is not None
    ]
    low, high = neighborhoods.columns_of(evidence, settings).values()
    return not (all(numbers) and np.all(low <= cells[cell]) and np.all(cells[cell] <= high))


def rate(cells):
    return np.mean([missed(cells, seed) for seed in range(DRAWS)])


@pytest.mark.parametrize("cells", [FINE, COARSE])
def test_neighborhood_limits_hold_all_together(cells):
    assert rate(cells) <= DELTA


def test_neighborhood_limits_of_each_row_alone_do_not_hold():
    with patch.object(neighborhoods, "simultaneous", lambda q, miss: Mistakes(0, miss)):
        assert rate(FINE) > 2 * DELTA


def test_neighborhood_limits_without_the_sample_do_not_hold():
    def share(count, n, miss):
        return np.asarray(count) / n

    with patch.object(tail, "clopper_pearson", SimpleNamespace(lower=share, upper=share)):
        assert rate(COARSE) > 2 * DELTA


@pytest.mark.parametrize("at", [None, np.array([1.0, 3.0])])
def test_levels_of_neighborhoods_add_up_whatever_is_asked(at):
    evidence, _ = drawn(COARSE, np.random.default_rng(0))
    evidence = replace(evidence, at=at, eta=replace(evidence.eta, choices=3))
    spent = []

    def watched(home, name, cost):
        original = getattr(home, name)

        def told(*given):
            spent.append(cost(*given))
            return original(*given)

        return patch.object(home, name, told)

    taus = [1.0, 3.0] if at is not None else np.arange(0, 20, 0.1).tolist()
    findings = [one for one in asked() if one.quantity != "j"]
    findings += [Finding("j", Bound(0.0, None, None, ROWS, ""), 1, RR.spec, {"tau": tau}) for tau in taus]
    with (
        watched(clopper_pearson, "limits_of_counts", lambda count, n, miss: 2 * 3 * ROWS * miss),
        watched(intervals, "of_prior", lambda table, miss: miss),
        watched(tail, "share_above", lambda losses, tau, wrong, miss: 2 * 3 * miss),
        watched(hoeffding, "mean_limits", lambda *given: 2 * 3 * given[-1]),
    ):
        list(neighborhoods.with_limits(findings, evidence, Settings(confidence=1 - DELTA)))
    assert DELTA / 2 < sum(spent) <= DELTA


def test_neighborhood_limits_of_rows_without_neighbours_are_0_and_1():
    evidence, _ = drawn(COARSE, np.random.default_rng(0))
    eta = evidence.eta
    eta.counts[0], eta.probability[0] = 0, 0.5
    low, high = neighborhoods.columns_of(evidence, Settings()).values()
    assert (low[0], high[0]) == (0, 1)
    found = {one.quantity: one.bound for one in neighborhoods.with_limits(asked(), evidence, Settings())}
    assert (found["eta_min"].neighborhood_low, found["eta_max"].neighborhood_high) == (0, 1)
    assert found["eta_min"].neighborhood_high < 0.1
    assert found["nu_max"].neighborhood_high == math.inf


def test_neighborhood_limits_of_three_classes_are_of_each():
    table, eta = three_classes()
    evidence = Evidence(table, eta, (RR,), Silent())
    empty = Bound(0.0, None, None, 400, "")
    quantities = [("eta_min", {"class": "b"}), ("eta_max", {"class": "b"}), ("advantage", {})]
    findings = [Finding(name, empty, 1, at=at) for name, at in quantities]
    least, most, gain = (one.bound for one in neighborhoods.with_limits(findings, evidence, Settings()))
    columns = neighborhoods.columns_of(evidence, Settings())
    assert list(columns) == [f"neighborhood_{end}_{name}" for end in ("low", "high") for name in "abc"]
    low, high = columns["neighborhood_low_b"], columns["neighborhood_high_b"]
    assert (least.neighborhood_low, least.neighborhood_high) == (low.min(), high.min())
    assert (most.neighborhood_low, most.neighborhood_high) == (low.max(), high.max())
    assert gain == empty


def test_neighborhood_limits_need_counts_of_neighbours_and_alike_payoffs():
    evidence, _ = drawn(COARSE, np.random.default_rng(0))
    for eta in (replace(evidence.eta, metric="score"), replace(evidence.eta, counts=None)):
        other = replace(evidence, eta=eta)
        assert list(neighborhoods.with_limits(asked(), other, Settings())) == asked()
        assert neighborhoods.columns_of(other, Settings()) == {}
    balanced = list(neighborhoods.with_limits(asked(), evidence, Settings(utility="balanced")))
    limited = {one.quantity for one in balanced if one.bound.neighborhood_low is not None}
    assert limited == {"eta_min", "eta_max", "nu_max", "j"}


def test_doubts_about_rows_withhold_neighborhood_limits():
    evidence, _ = drawn(COARSE, np.random.default_rng(0))
    known = list(neighborhoods.with_limits(asked(), evidence, Settings()))
    low, high = (replace(one, bound=replace(one.bound, low=0.0, high=1.0)) for one in (known[4], known[5]))
    of_model, of_rows = (replace(evidence.table, remarks=(Remark(code),)) for code in (BEATEN, SPELLED_ALIKE))
    for one in doubts.within([low, high], of_model):
        assert (one.bound.low, one.bound.high) == (None, None)
        assert one.bound.neighborhood_low is not None
    for one in doubts.within([low, high], of_rows):
        assert {getattr(one.bound, name) for name in ("low", "high", *NEIGHBORHOODS)} == {None}
        assert one.bound.reason.startswith("no limits")
    assert neighborhoods.columns_of(replace(evidence, table=of_rows), Settings()) == {}
    assert len(neighborhoods.columns_of(replace(evidence, table=of_model), Settings())) == 2


# ---- what users meet


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(2)
    x = rng.normal(size=1500)
    return pd.DataFrame({"x": x, "y": (rng.random(1500) < 1 / (1 + np.exp(1 - 2 * x))).astype(int)})


@pytest.fixture(scope="module")
def report(frame):
    return lda.audit(frame, label="y", positive=1, estimator="knn", k=1000, mechanisms="rr:epsilon=1", bags=100)


def test_large_k_gives_estimates_and_limits_of_neighborhoods(report):
    told = report.findings.to_frame()
    [nu] = told[(told.quantity == "nu_max") & (told.mechanism == "rr:epsilon=1")].to_dict("records")
    assert np.isnan(nu["low"]) and nu["estimate"] > 1
    assert 1 < nu["neighborhood_low"] < nu["neighborhood_high"]
    assert nu["reason"].startswith("no limits: the labels refute that so many neighbours are alike")
    assert any(one.startswith("1,000 neighbours are not people alike: 155 guess") for one in report.warnings)
    assert "neighbourhood averages" in str(report)
    assert "Averages over 1,000 neighbours: between" in str(report)


def test_graph_of_many_neighbors_is_compared_with_fewer(frame):
    given = {"label": "y", "positive": 1}
    graph = lda.graph(frame, label="y", k=1000)
    found = [
        next(one.bound for one in lda.nu_max(frame, **given, **how).findings if one.quantity == "eta_max")
        for how in ({"graph": graph}, {"estimator": "knn", "k": 1000})
    ]
    assert found[0] == found[1]
    assert found[0].low is None and found[0].neighborhood_low > 0.4


@pytest.mark.parametrize("width", [100, 80, 40, 20])
def test_screens_show_neighborhood_limits_whole(report, width):
    near = words.near(found.bound(report.content, "j", "rr:epsilon=1", 1.0))
    assert words.ends(near, "%") in " ".join(formats.screen(report.content, width=width).split())


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_pages_show_neighborhood_limits_of_each_loss(report, form):
    page = formats.render(form, report.content)
    assert page.count("neighbourhood averages") > 3
    near = words.near(found.bound(report.content, "j", "rr:epsilon=1", 1.2))
    assert words.ends(near, "%") in page


@pytest.mark.parametrize("line", ["nu_max.low > 9", "j(tau=3).high > 0.9"])
def test_no_line_is_judged_by_neighborhoods(report, line):
    judgement = report.check([line])
    [verdict] = judgement.verdicts
    assert verdict.outcome == "not measured"
    assert "so many neighbours are alike" in verdict.said


def test_neighborhood_limits_come_back_from_files(report, frame, tmp_path):
    (tmp_path / "report.json").write_text(report.to_json())
    again = lda.read_report(tmp_path / "report.json")
    assert again.findings == report.findings
    assert sum("neighborhood_low" in one for one in json.loads(report.to_json())["findings"]) > 10
    given = {"label": "y", "positive": 1}
    stored = lda.estimate_eta(frame, **given, estimator="knn", k=1000)
    columns = stored.rows.to_frame()
    assert np.all(columns.neighborhood_low <= columns.eta_1) and np.all(columns.eta_1 <= columns.neighborhood_high)
    file = stored.rows.save(tmp_path / "eta.parquet")
    read = lda.nu_max(frame, **given, eta_file=file, mechanisms="rr:epsilon=1")
    [now] = [one.bound for one in read.findings if one.quantity == "eta_max"]
    assert now.neighborhood_high == columns.neighborhood_high.max()
    assert now.high is None


def test_extremes_of_rows_that_were_not_asked_are_open(frame):
    asked = lda.nu_max(frame, estimator="knn", k=400, queries=50)
    ends = {one.quantity: one.bound for one in asked.findings if one.mechanism is None and BASELINE not in one.at}
    assert ends["eta_min"].neighborhood_low == 0 < ends["eta_min"].neighborhood_high
    assert ends["eta_max"].neighborhood_low < 1 == ends["eta_max"].neighborhood_high
    every = lda.nu_max(frame, estimator="knn", k=400)
    ends = {one.quantity: one.bound for one in every.findings if one.mechanism is None and BASELINE not in one.at}
    assert ends["eta_max"].neighborhood_high < 1
