"""Audits by what models learn: what they find where plain distances do not, and that they claim no more."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import of, only

import labeldp_audit as lda
from labeldp_audit.estimators import challenger, crossfit

JSON = ("-f", "json", "--no-output")
BOTH = ("-f", "text", "-f", "json=r.json", "--no-output", "-v")
RELEASE = ("--mechanism", "rr:epsilon=1")
TREES = ("--estimator", "boosted")


def written(path, labels, values, **more):
    columns = {f"x{i}": column for i, column in enumerate(values.T)} | more
    pq.write_table(pa.table(columns | {"y": labels}), path)
    return path


def of_rows(folder):
    return {name: np.array(column) for name, column in pq.read_table(folder / "eta.parquet").to_pydict().items()}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    rng = np.random.default_rng(2)
    x, code = rng.normal(size=(600, 3)), rng.integers(5, size=600)
    labels = (rng.random(600) < 1 / (1 + np.exp(-x[:, 0] - (code == 2)))).astype(int)
    return written(tmp_path_factory.mktemp("mixed") / "t.parquet", labels, x, code=np.char.add("c", code.astype(str)))


def test_the_same_bytes_whatever_the_threads(audit, mixed):
    one, two = (audit("advantage", mixed, *TREES, *JSON, "--threads", threads) for threads in (1, 2))
    assert one.status == 0, one.err
    assert one.out == two.out


def test_one_search_serves_every_command(audit, mixed):
    audit("estimate-eta", mixed, *TREES, "-o", "first")
    found = audit("advantage", mixed, *TREES, *JSON).report
    kept = audit("advantage", mixed, "--eta-file", "first/eta.parquet", *TREES, *JSON).report
    assert (kept["findings"], kept["eta"]) == (found["findings"], found["eta"])


def test_what_makes_no_sense_is_refused(refused, mixed):
    assert "--smoothness" in refused(mixed, *TREES, "--smoothness", "1,1", command="nu-max", status=2)
    assert "k = 120 needs more than 120 rows in each of 5 folds" in refused(mixed, *TREES, "--k", 120, status=2)


@pytest.mark.parametrize("rows", [2, 3, 4, 11, 30])
def test_hardly_any_rows(audit, tmp_path, rows):
    path = written(tmp_path / "few.parquet", np.arange(rows) % 2, np.arange(rows)[:, None] * 1.5)
    ended = audit("audit", path, *TREES, *RELEASE, *JSON)
    assert ended.status == 0, ended.err
    assert ended.report["eta"]["k"] < rows


def test_trees_find_what_distances_hide(audit, tmp_path):
    """A code that gives a fifth of the labels away, beside twelve columns of noise; what is certified is true."""
    rng = np.random.default_rng(2)
    code = rng.integers(200, size=8000)
    eta = np.where(code >= 40, 0.3, np.where(code % 2 == 0, 0.003, 0.997))
    words, labels = np.char.add("c", code.astype(str)), (rng.random(8000) < eta).astype(int)
    path = written(tmp_path / "t.parquet", labels, rng.normal(size=(8000, 12)), code=words)
    near, trees = (audit("estimate-j", path, *RELEASE, "--tau", 3, *JSON, *way).report for way in ((), TREES))
    assert of(near, "j", "rr:epsilon=1")["estimate"] < 0.05  # the truth is 0.2
    assert of(near, "j", "rr:epsilon=1")["high"] is None
    assert 0.1 < of(trees, "j", "rr:epsilon=1")["estimate"] < 0.25
    assert of(trees, "j", "rr:epsilon=1")["high"] >= 0.2
    assert trees["eta"]["log_loss"] < near["eta"]["log_loss"] - 0.05
    assert (trees["eta"]["estimator"], trees["eta"]["metric"]) == ("boosted", "score")
    true = 0.8 * (0.3 - 1 / (1 + np.e))
    far, close = (only(audit("advantage", path, *RELEASE, *JSON, *way).report, "advantage") for way in ((), TREES))
    assert true <= close["high"] < far["high"]
    assert abs(close["estimate"] - true) < abs(far["estimate"] - true)


def test_a_small_group_whose_features_give_the_label_away_is_not_averaged_away(audit, tmp_path):
    """Windows of rows with like scores are wider than the group; what the model says of its people stands."""
    rng = np.random.default_rng(4)
    given_away = rng.random(6000) < 0.03
    labels = np.where(given_away, 1, rng.random(6000) < 0.3).astype(int)
    units = np.where(given_away, "oncology", "other")
    path = written(tmp_path / "t.parquet", labels, rng.normal(size=(6000, 1)), unit=units)
    asked = (path, "--estimator", "crossed", *JSON)
    found, share = only(audit("estimate-j", *asked, *RELEASE, "--tau", "4").report, "j"), given_away.mean()
    assert share <= found["high"] and abs(found["estimate"] - share) < 0.005
    largest = only(audit("estimate-eta", *asked).report, "eta_max")
    assert largest["high"] >= largest["estimate"] > 0.99


@pytest.mark.parametrize("cheats", [False, True])
def test_coins_tell_nothing(audit, tmp_path, monkeypatch, cheats):
    """Scores that saw the labels of their own fold would guess them."""

    def cheat(learners, columns, labels, classes, **rest):
        sure = np.where(np.random.default_rng(0).random(len(labels)) < 0.8, labels, 1 - labels)
        return {"boosted": np.where(sure[:, None] == np.arange(2), 0.8, 0.2)}

    if cheats:
        monkeypatch.setattr(crossfit, "scores", cheat)
    rng = np.random.default_rng(3)
    path = written(tmp_path / "coins.parquet", rng.integers(2, size=3000), rng.normal(size=(3000, 8)))
    found = audit("estimate-j", path, *TREES, *RELEASE, *JSON).report
    if cheats:
        assert found["eta"]["log_loss"] < np.log(2) - 0.1
        return
    assert found["eta"]["log_loss"] == pytest.approx(np.log(2), abs=0.005)
    assert any("no better than the shares of the classes" in said for said in found["warnings"])
    assert only(found, "mean_loss")["low"] <= np.tanh(0.5)  # what the noise alone costs


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_j_holds_for_a_plane_that_no_model_finds_exactly(monkeypatch, seed):
    """Half the people have eta .9 and half .1, so all lose more than 2 nats; near the plane scores mix them."""
    monkeypatch.setattr(challenger, "has_trees", lambda *_: True)  # they see less here than a line
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1000, 60))
    labels = (rng.random(1000) < np.where(x.sum(axis=1) > 0, 0.9, 0.1)).astype(int)
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(60)]).assign(y=labels)
    asked = {"label": "y", "mechanisms": "rr:epsilon=1", "certify": False, "threads": 1}
    report = lda.estimate_j(frame, tau=[2, 2.5], estimator="linear", **asked)
    two, more = (one.bound for one in report.findings if one.quantity == "j" and one.mechanism)
    assert two.high > 0.9999
    assert more.low == 0  # nobody loses so much
