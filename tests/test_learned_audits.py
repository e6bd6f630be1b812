"""Audits by what models learn: what they find where plain distances do not, and that they claim no more."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import of, only

import labeldp_audit as lda
from labeldp_audit import neighbors
from labeldp_audit.audits.doubts import MOVED
from labeldp_audit.estimators import challenger, crossfit, selection, supervised

JSON = ("-f", "json", "--no-output")
BOTH = ("-f", "text", "-f", "json=r.json", "--no-output", "-v")
RELEASE = ("--mechanism", "rr:epsilon=1")
TREES, LEARNED = (("--estimator", name) for name in ("boosted", "supervised-knn"))
each = pytest.mark.parametrize("way", [TREES, LEARNED], ids=lambda way: way[1])


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


# ---- both


@each
def test_the_same_bytes_whatever_the_threads(audit, mixed, way):
    one, two = (audit("advantage", mixed, *way, *JSON, "--threads", threads) for threads in (1, 2))
    assert one.status == 0, one.err
    assert one.out == two.out


@each
def test_one_search_serves_every_command(audit, mixed, way):
    audit("estimate-eta", mixed, *way, "-o", "first")
    found = audit("advantage", mixed, *way, *JSON).report
    kept = audit("advantage", mixed, "--eta-file", "first/eta.parquet", *way, *JSON).report
    assert (kept["findings"], kept["eta"]) == (found["findings"], found["eta"])


@each
def test_what_makes_no_sense_is_refused(refused, mixed, way):
    assert "--smoothness" in refused(mixed, *way, "--smoothness", "1,1", command="nu-max", status=2)
    assert "k = 120 needs more than 120 rows in each of 5 folds" in refused(mixed, *way, "--k", 120, status=2)


@each
@pytest.mark.parametrize("rows", [2, 3, 4, 11, 30])
def test_hardly_any_rows(audit, tmp_path, rows, way):
    path = written(tmp_path / "few.parquet", np.arange(rows) % 2, np.arange(rows)[:, None] * 1.5)
    ended = audit("audit", path, *way, *RELEASE, *JSON)
    assert ended.status == 0, ended.err
    assert ended.report["eta"]["k"] < rows


# ---- by trees


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


# ---- by neighbourhoods in a learned metric


def test_it_finds_what_plain_distances_do_not(audit, tmp_path):
    """Five of thirty columns tell something."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2500, 30))
    eta = 1 / (1 + np.exp(-1.5 * (x[:, 3] + x[:, 8] - x[:, 13] + x[:, 18] - x[:, 23])))
    path = written(tmp_path / "t.parquet", (rng.random(2500) < eta).astype(int), x)
    best = -(eta * np.log(eta) + (1 - eta) * np.log(1 - eta)).mean()
    near = audit("estimate-eta", path, "-f", "json", "-o", "near").report["eta"]
    learned = audit("estimate-eta", path, *LEARNED, "-f", "json", "-o", "learned").report["eta"]
    assert (learned["metric"], learned["estimator"][:14]) == ("learned", "supervised-knn")
    assert near["log_loss"] > best + 0.1
    assert learned["log_loss"] < best + 0.025
    off = [np.abs(of_rows(audit.folder / of)["eta_1"] - eta).mean() for of in ("near", "learned")]
    assert off[0] > 0.15
    assert off[1] < 0.05


@pytest.mark.parametrize("cheats", [False, True])
def test_coins_tell_nothing(audit, tmp_path, monkeypatch, cheats):
    """Were a label to make its own distances, its neighbours would guess it, as where scores saw their own fold."""

    def cheat(learners, columns, labels, classes, **rest):
        sure = np.where(np.random.default_rng(0).random(len(labels)) < 0.8, labels, 1 - labels)
        return {"stack": np.where(sure[:, None] == np.arange(2), 0.8, 0.2)}

    if cheats:
        monkeypatch.setattr(crossfit, "scores", cheat)
    rng = np.random.default_rng(3)
    path = written(tmp_path / "coins.parquet", rng.integers(2, size=3000), rng.normal(size=(3000, 8)))
    found = audit("estimate-j", path, *LEARNED, *RELEASE, *JSON).report
    if cheats:
        assert found["eta"]["log_loss"] < np.log(2) - 0.1
        return
    assert found["eta"]["log_loss"] == pytest.approx(np.log(2), abs=0.005)
    assert any("no better than the shares of the classes" in said for said in found["warnings"])
    assert only(found, "mean_loss")["low"] <= np.tanh(0.5)  # what the noise alone costs


def test_what_was_tried_is_told_and_counts_are_of_one_fold(audit, mixed):
    audit("estimate-eta", mixed, *LEARNED, "-o", "first")
    eta = json.loads((audit.folder / "first" / "estimate-eta.json").read_text())["eta"]
    tried = [(one["name"], one["k"]) for one in eta["tried"]]
    names = {f"supervised-knn, columns {weight}" for weight in ("0.25", "0.5", "1")}
    assert {name for name, _ in tried} == names
    assert len(tried) == len(set(tried)) == 3 * len({k for _, k in tried})
    assert (eta["estimator"], eta["k"]) == tried[0]
    rows = of_rows(audit.folder / "first")
    assert rows["k"].min() >= eta["k"]
    assert rows["k"].max() < 120  # rows of a fold
    assert np.bincount(rows["part"]).tolist() == [120] * 5


def test_rows_that_are_asked_are_counted_among_all(audit, mixed, monkeypatch):
    monkeypatch.setattr(supervised, "WEIGHTS", (0.5,))
    tables = []
    for number in (600, 60, 1):
        asked = ("--k", 30, "--queries", number, "-f", "json", "-o", number)
        eta = audit("estimate-eta", mixed, *LEARNED, *asked).report["eta"]
        assert ({one["k"] for one in eta["tried"]} | {eta["k"]}, eta["queries"]) == ({30}, number)
        tables.append(pq.read_table(audit.folder / str(number) / "eta.parquet"))
        assert tables[0].take(np.array(tables[-1]["row"]) - 1).equals(tables[-1])


def test_a_search_that_finds_nearly_all_says_so(audit, tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors, "_AFFORDABLE", 0.0)
    monkeypatch.setattr(selection, "scored", lambda *_: {"stack": scores})
    rng = np.random.default_rng(4)
    x = rng.normal(size=(30_000, 6)).cumsum(axis=1)
    eta = 1 / (1 + np.exp(-x[:, 5]))
    scores = np.stack([1 - eta, eta], axis=1)
    path = written(tmp_path / "t.parquet", (rng.random(30_000) < eta).astype(int), x)
    asked = (path, *LEARNED, "--recall", 0.8, "--queries", 500, "--k", 50)
    ended = audit("estimate-eta", *asked, *BOTH)
    found = json.loads((audit.folder / "r.json").read_text())["eta"]
    assert not found["exact"]
    assert 0.8 <= found["recall"] < 1
    assert 0.6 < found["recall_low"] < found["recall"]
    assert "of them were found (measured)" in " ".join(ended.out.split())


def test_more_classes(audit, tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1500, 12))
    labels = (x[:, [2, 5, 7]] * 2 + rng.gumbel(size=(1500, 3))).argmax(axis=1)
    asked = (written(tmp_path / "t.parquet", labels, x), *RELEASE, *JSON)
    near, learned = audit("advantage", *asked).report, audit("advantage", *asked, *LEARNED).report
    assert learned["eta"]["log_loss"] < near["eta"]["log_loss"] - 0.05
    assert only(learned, "advantage")["low"] <= only(learned, "advantage")["estimate"]


def test_where_no_column_is_a_number_scores_are_all_there_is(audit, tmp_path):
    rng = np.random.default_rng(6)
    words = np.char.add("c", rng.integers(3, size=200).astype(str))
    path = written(tmp_path / "words.parquet", rng.integers(2, size=200), np.empty((200, 0)), word=words)
    ended = audit("nu-max", path, *LEARNED, *BOTH)
    eta = json.loads((audit.folder / "r.json").read_text())["eta"]
    assert {one["name"] for one in eta["tried"]} | {eta["estimator"]} == {"supervised-knn"}
    assert "nearest rows of the same part, by score; all were found" in " ".join(ended.out.split())


def test_a_report_says_what_it_is(audit, mixed):
    asked = (mixed, *LEARNED, "--k", 40, "--queries", 300)
    out = " ".join(audit("estimate-j", *asked, *BOTH).out.split())
    assert "supervised-knn, columns" in out
    assert "among the 40 nearest rows of the same part, by score and telling numbers" in out
    assert "averages over neighbours" in out
    assert "all rows were searched" not in out
    found = json.loads((audit.folder / "r.json").read_text())["findings"]
    methods = {one["method"] for one in found if one["quantity"] == "mean_loss"}
    assert not any("scores fitted" in one for one in methods)
    [j] = {
        one["method"].removesuffix(f"; {MOVED}") for one in found if one["quantity"] == "j" and one["low"] is not None
    }
    assert "deconvolution" in j
    assert any("or only slightly" in str(one["assumptions"]) for one in found if one["quantity"] == "certified_renyi")
    trees = audit("nu-max", mixed, *TREES, "--no-output", "-v").out
    assert "without having seen their labels" in " ".join(trees.split())


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
