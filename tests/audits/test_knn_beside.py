"""How k-NN does beside the estimator in use: in every report, and never at the price of a slow command."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from people import people
from simulated import table_of

import labeldp_audit as lda
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.core.table import Table
from labeldp_audit.estimators import knn_trial
from labeldp_audit.estimators.contract import Task
from labeldp_audit.reports import formats

LEARNERS = (
    "auto",
    "boosted",
    "crossed",
    "linear",
    "network",
    "stack",
    "sklearn:sklearn.naive_bayes.GaussianNB",
)
PEOPLE = people(400)
TOLD = pd.DataFrame({"x": np.arange(400) % 7, "y": np.arange(400) % 3 == 0, "p": 0.2 + (np.arange(400) % 3 == 0) / 2})


def first_line(report: lda.Report) -> str:
    """However it is wrapped."""
    return " ".join(str(report).split())


@pytest.mark.parametrize("estimator", LEARNERS)
def test_first_line_names_knn_beside_other_estimators(estimator):
    report = lda.estimate_eta(PEOPLE, estimator=estimator, threads=1)
    eta = report.content.eta
    assert (eta.knn.rows, eta.knn.recall) == (400, 1.0) and 1 <= eta.knn.k < 400
    assert f"(k-NN {eta.knn.log_loss:.3g}, no features " in first_line(report)


def test_knn_is_its_own_trial():
    report = lda.estimate_eta(PEOPLE, estimator="knn", threads=1)
    eta = report.content.eta
    assert (eta.knn.k, eta.knn.log_loss, eta.knn.rows) == (eta.k, eta.log_loss, eta.n)
    assert "k-NN" not in first_line(report)
    beside = lda.estimate_eta(PEOPLE, estimator="linear", threads=1).content.eta.knn
    assert (beside.k, beside.rows) == (eta.k, eta.n)
    assert beside.log_loss == pytest.approx(eta.log_loss)


def test_typed_k_is_kept():
    assert lda.estimate_eta(PEOPLE, estimator="stack", k=50, threads=1).content.eta.knn.k == 50


@pytest.mark.parametrize("supplied", [{"eta": "p"}, {"eta": np.full(400, 0.3)}])
def test_supplied_probabilities_have_knn_beside_them(supplied):
    assert lda.estimate_j(TOLD, label="y", **supplied).content.eta.knn.rows == 400


def test_no_features_have_no_knn():
    report = lda.estimate_j(TOLD[["y"]], label="y", eta=np.full(400, 0.3))
    assert report.content.eta.knn is None and "k-NN" not in first_line(report)


def test_eta_file_and_stored_report_keep_the_trial(tmp_path):
    written = lda.estimate_eta(PEOPLE, estimator="linear", threads=1)
    written.rows.save(tmp_path / "eta.parquet")
    told = written.content.eta.knn
    assert lda.nu_max(PEOPLE, eta_file=tmp_path / "eta.parquet").content.eta.knn == told
    assert formats.render("json", written.content).count(f'"knn": {{"k": {told.k}, "recall": 1.0, "log_loss": ') == 1


def trial_of(table: Table, share: float = 0.5, times: int = 1, **settings: object):
    rows = np.arange(len(table.labels))
    probability = np.tile([1 - share, share], (len(rows), 1))
    return knn_trial.trial(Task(table, table, Settings(**settings), Silent()), rows, probability, times)


@pytest.fixture(scope="module")
def large() -> Table:
    """One number that tells the label."""
    values = np.random.default_rng(1).random((110_000, 1), np.float32)
    return table_of(values[:, 0] > np.random.default_rng(2).random(110_000), values)


def test_at_most_so_many_rows_are_searched(large):
    searched = [trial_of(large, times=times)[0].rows for times in (1, 5)]
    assert searched == [100_000, 110_000]


def test_more_rows_are_searched_where_k_asks_for_them(large, monkeypatch):
    monkeypatch.setattr(knn_trial, "MOST_ROWS", 1000)
    found = trial_of(large, k=4000)[0]
    assert (found.k, found.rows) == (4000, 4001)


def test_wide_tables_are_searched_among_fewer_rows(large, monkeypatch):
    monkeypatch.setattr(knn_trial, "MOST_NUMBERS", 3 * 5000)
    assert trial_of(large)[0].rows == 5000


def test_threads_change_no_bit_of_the_trial(large):
    assert trial_of(large, threads=1) == trial_of(large, threads=2)


def test_trial_is_paired_with_the_estimator_at_the_rows_asked(large, monkeypatch):
    """At 100 rows k-NN is far off by chance, and what the truth gains there with it."""
    monkeypatch.setattr(knn_trial, "MOST_ASKED", 100)
    truth = large.columns.values[:, 0].astype(float)
    probability = np.column_stack([1 - truth, truth])
    task = Task(large, large, Settings(k=1000), Silent())
    found, beside = knn_trial.trial(task, np.arange(110_000), probability)
    assert found.log_loss == pytest.approx(0.5, abs=0.03)
    assert beside.behind == pytest.approx(0, abs=0.03) and beside.behind_error < 0.02


def test_auto_picks_neighbours_where_they_are_best():
    rng = np.random.default_rng(3)
    x, z = rng.random((2, 1500))
    board = (np.floor(6 * x) + np.floor(6 * z)) % 2
    table = pd.DataFrame({"x": x, "z": z, "y": rng.random(1500) < 0.1 + 0.8 * board})
    eta = lda.estimate_eta(table, threads=1).content.eta
    assert eta.estimator == eta.tried[0].name == "knn" and eta.knn.log_loss == eta.log_loss
