"""Audits by trees: what they find where distances see nothing, and that they claim no more than they may."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import of, only

JSON = ("-f", "json", "--no-output")
TREES = ("--estimator", "boosted")


@pytest.fixture(scope="module")
def hidden(tmp_path_factory):
    """A code that gives a fifth of the labels away, beside twelve columns of noise."""
    rng = np.random.default_rng(2)
    code = rng.integers(200, size=8000)
    eta = np.where(code >= 40, 0.3, np.where(code % 2 == 0, 0.003, 0.997))
    columns = {"code": np.char.add("c", code.astype(str)), "y": (rng.random(8000) < eta).astype(int)}
    columns |= {f"noise{i}": rng.normal(size=8000) for i in range(12)}
    path = tmp_path_factory.mktemp("hidden") / "t.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_trees_find_what_distances_hide(audit, hidden):
    asked = (hidden, "--mechanism", "rr:epsilon=1", "--tau", 3, *JSON)
    near, trees = audit("estimate-j", *asked).report, audit("estimate-j", *asked, *TREES).report
    assert of(near, "j", "rr:epsilon=1")["high"] < 0.05  # the truth is 0.2
    assert 0.1 < of(trees, "j", "rr:epsilon=1")["estimate"] < 0.25
    assert of(trees, "j", "rr:epsilon=1")["high"] >= 0.2
    assert trees["eta"]["log_loss"] < near["eta"]["log_loss"] - 0.05
    assert (trees["eta"]["estimator"], trees["eta"]["metric"]) == ("boosted", "score")


def test_what_they_certify_is_true_and_nearer(audit, hidden):
    true = 0.8 * (0.3 - 1 / (1 + np.e))
    asked = (hidden, "--mechanism", "rr:epsilon=1", *JSON)
    near, trees = audit("advantage", *asked).report, audit("advantage", *asked, *TREES).report
    assert true <= only(trees, "advantage")["high"] < only(near, "advantage")["high"]
    assert abs(only(trees, "advantage")["estimate"] - true) < abs(only(near, "advantage")["estimate"] - true)


@pytest.mark.parametrize("command", ["estimate-eta", "advantage"])  # which have all that threads do
def test_the_same_bytes_whatever_the_threads(audit, table, command):
    one, two = (audit(command, table, *TREES, *JSON, "--threads", threads) for threads in (1, 2))
    assert one.status == 0, one.err
    assert one.out == two.out


def test_one_fit_serves_every_command(audit, table):
    audit("estimate-eta", table, *TREES, "-o", "first")
    fitted = audit("advantage", table, *TREES, *JSON).report
    kept = audit("advantage", table, "--eta-file", "first/eta.parquet", *TREES, *JSON).report
    assert kept["findings"] == fitted["findings"]
    assert kept["eta"] == fitted["eta"]


def test_a_text_report_says_how_it_was_made(audit, table):
    assert "without having seen their labels" in " ".join(
        audit("nu-max", table, *TREES, "--no-output", "--verbose").out.split()
    )


def test_smoothness_is_about_something_else(refused, table):
    assert "--smoothness" in refused(table, *TREES, "--smoothness", "1,1", command="nu-max", status=2)


def test_folds_hold_only_so_many_neighbours(refused, table):
    assert "rows in each of 5 folds" in refused(table, *TREES, "--k", 300, command="nu-max", status=2)


@pytest.mark.parametrize("rows", [2, 3, 4, 11])
def test_hardly_any_rows(audit, tmp_path, rows):
    pq.write_table(pa.table({"x": np.arange(rows) * 1.5, "y": np.arange(rows) % 2}), tmp_path / "few.parquet")
    for command in ("estimate-eta", "nu-max", "estimate-j", "advantage"):
        ended = audit(command, tmp_path / "few.parquet", *TREES, *JSON)
        assert ended.status == 0, ended.err


def test_a_small_group_whose_features_give_the_label_away_is_not_averaged_away(audit, tmp_path):
    """Windows of rows with like scores are wider than the group; what the model says of its people stands."""
    rng = np.random.default_rng(4)
    given_away = rng.random(6000) < 0.03
    labels = np.where(given_away, 1, rng.random(6000) < 0.3).astype(int)
    table = pa.table({"unit": np.where(given_away, "oncology", "other"), "x": rng.normal(size=6000), "y": labels})
    pq.write_table(table, tmp_path / "t.parquet")
    arguments = ("--mechanism", "rr:epsilon=1", "--tau", "4", "--estimator", "crossed", "-f", "json", "--no-output")
    report = audit("estimate-j", tmp_path / "t.parquet", *arguments).report
    found, share = only(report, "j"), given_away.mean()
    assert share <= found["high"] and abs(found["estimate"] - share) < 0.005
    extremes = audit("nu-max", tmp_path / "t.parquet", "--estimator", "crossed", "-f", "json", "--no-output").report
    assert only(extremes, "eta_max")["high"] >= only(extremes, "eta_max")["estimate"] > 0.99
