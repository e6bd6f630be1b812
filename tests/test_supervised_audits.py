"""Audits by neighbourhoods in a learned metric: what they find where plain distances do not, and are they honest?"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import only

from labeldp_audit import neighbors
from labeldp_audit.audits.doubts import MOVED
from labeldp_audit.estimators import selection, supervised

FORMAT = ("-f", "json")
JSON = (*FORMAT, "--no-output")
LEARNED = ("--estimator", "supervised-knn")
COMMANDS = ["estimate-eta", "nu-max", "estimate-j", "advantage"]


def written(path, labels, values, **more):
    columns = {f"x{i}": column for i, column in enumerate(values.T)} | more
    pq.write_table(pa.table(columns | {"y": labels}), path)
    return path


def of_rows(folder):
    return {name: np.array(column) for name, column in pq.read_table(folder / "eta.parquet").to_pydict().items()}


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """Five of thirty columns tell something."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2500, 30))
    eta = 1 / (1 + np.exp(-1.5 * (x[:, 3] + x[:, 8] - x[:, 13] + x[:, 18] - x[:, 23])))
    path = written(tmp_path_factory.mktemp("five") / "t.parquet", (rng.random(2500) < eta).astype(int), x)
    return path, eta


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    rng = np.random.default_rng(2)
    x, code = rng.normal(size=(600, 3)), rng.integers(5, size=600)
    labels = (rng.random(600) < 1 / (1 + np.exp(-x[:, 0] - (code == 2)))).astype(int)
    return written(tmp_path_factory.mktemp("mixed") / "t.parquet", labels, x, code=np.char.add("c", code.astype(str)))


def test_it_finds_what_plain_distances_do_not(audit, five):
    path, eta = five
    best = -(eta * np.log(eta) + (1 - eta) * np.log(1 - eta)).mean()
    near = audit("estimate-eta", path, *FORMAT, "-o", "near").report["eta"]
    learned = audit("estimate-eta", path, *LEARNED, *FORMAT, "-o", "learned").report["eta"]
    assert (learned["metric"], learned["estimator"][:14]) == ("learned", "supervised-knn")
    assert near["log_loss"] > best + 0.1
    assert learned["log_loss"] < best + 0.025
    off = [np.abs(of_rows(audit.folder / of)["eta_1"] - eta).mean() for of in ("near", "learned")]
    assert off[0] > 0.15
    assert off[1] < 0.05


def test_coins_tell_nothing(audit, tmp_path):
    """Were a label to make its own distances, its neighbours would guess it."""
    rng = np.random.default_rng(3)
    path = written(tmp_path / "coins.parquet", rng.integers(2, size=3000), rng.normal(size=(3000, 8)))
    found = audit("estimate-j", path, *LEARNED, "--mechanism", "rr:epsilon=1", *JSON).report
    assert found["eta"]["log_loss"] == pytest.approx(np.log(2), abs=0.005)
    assert any("no better than the shares of the classes" in said for said in found["warnings"])
    assert only(found, "mean_loss")["low"] <= np.tanh(0.5)  # what the noise alone costs


def test_and_that_test_has_teeth(audit, tmp_path, monkeypatch):
    """Scores that saw the labels of their own fold."""

    def cheat(table, learners, *rest):
        sure = np.where(np.random.default_rng(0).random(len(table.labels)) < 0.8, table.labels, 1 - table.labels)
        return {"stack": np.where(sure[:, None] == np.arange(2), 0.8, 0.2)}

    monkeypatch.setattr(selection, "_scores", cheat)
    rng = np.random.default_rng(3)
    path = written(tmp_path / "coins.parquet", rng.integers(2, size=3000), rng.normal(size=(3000, 8)))
    found = audit("estimate-j", path, *LEARNED, "--mechanism", "rr:epsilon=1", *JSON).report
    assert found["eta"]["log_loss"] < np.log(2) - 0.1


@pytest.mark.parametrize("command", ["estimate-eta", "advantage"])  # which have all that threads do
def test_the_same_bytes_whatever_the_threads(audit, mixed, command):
    one, two = (audit(command, mixed, *LEARNED, *JSON, "--threads", threads) for threads in (1, 2))
    assert one.status == 0, one.err
    assert one.out == two.out


def test_one_search_serves_every_command(audit, mixed):
    audit("estimate-eta", mixed, *LEARNED, "-o", "first")
    found = audit("advantage", mixed, *LEARNED, *JSON).report
    kept = audit("advantage", mixed, "--eta-file", "first/eta.parquet", *LEARNED, *JSON).report
    assert kept["findings"] == found["findings"]
    assert kept["eta"] == found["eta"]


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


def test_k_can_be_said_and_only_so_many_are_in_a_fold(audit, refused, mixed):
    eta = audit("nu-max", mixed, *LEARNED, "--k", 40, *JSON).report["eta"]
    assert {one["k"] for one in eta["tried"]} == {eta["k"]} == {40}
    assert "k = 120 needs more than 120 rows in each of 5 folds" in refused(mixed, *LEARNED, "--k", 120, status=2)


def test_rows_that_are_asked_are_counted_among_all(audit, mixed, monkeypatch):
    monkeypatch.setattr(supervised, "WEIGHTS", (0.5,))
    for name, more in (("every", ()), ("some", ("--queries", 60))):
        assert audit("estimate-eta", mixed, *LEARNED, "--k", 30, *more, "-o", name).status == 0
    every, some = (pq.read_table(audit.folder / name / "eta.parquet") for name in ("every", "some"))
    assert len(some) == 60
    assert every.take(np.array(some["row"]) - 1).equals(some)


def test_one_row_alone_can_be_asked(audit, mixed):
    assert audit("estimate-eta", mixed, *LEARNED, "--queries", 1, *JSON).report["eta"]["queries"] == 1


def test_a_search_that_finds_nearly_all_says_so(audit, tmp_path, monkeypatch):
    monkeypatch.setattr(neighbors, "_AFFORDABLE", 0.0)
    monkeypatch.setattr(selection, "_scores", lambda table, *rest: {"stack": scores})
    rng = np.random.default_rng(4)
    x = rng.normal(size=(30_000, 6)).cumsum(axis=1)
    eta = 1 / (1 + np.exp(-x[:, 5]))
    scores = np.stack([1 - eta, eta], axis=1)
    path = written(tmp_path / "t.parquet", (rng.random(30_000) < eta).astype(int), x)
    asked = (path, *LEARNED, "--recall", 0.8, "--queries", 500, "--k", 50)
    found = audit("estimate-eta", *asked, *JSON).report["eta"]
    assert not found["exact"]
    assert 0.8 <= found["recall"] < 1
    assert 0.6 < found["recall_low"] < found["recall"]
    assert "of them were found (measured)" in " ".join(audit("estimate-eta", *asked, "--no-output", "-v").out.split())


def test_more_classes(audit, tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(1500, 12))
    labels = (x[:, [2, 5, 7]] * 2 + rng.gumbel(size=(1500, 3))).argmax(axis=1)
    asked = (written(tmp_path / "t.parquet", labels, x), "--mechanism", "rr:epsilon=1", *JSON)
    near, learned = audit("advantage", *asked).report, audit("advantage", *asked, *LEARNED).report
    assert learned["eta"]["log_loss"] < near["eta"]["log_loss"] - 0.05
    assert only(learned, "advantage")["low"] <= only(learned, "advantage")["estimate"]
    assert learned["dataset"]["classes"] == ["0", "1", "2"]


@pytest.mark.parametrize("rows", [2, 3, 4, 11, 30])
def test_hardly_any_rows(audit, tmp_path, rows):
    path = written(tmp_path / "few.parquet", np.arange(rows) % 2, np.arange(rows)[:, None] * 1.5)
    for command in COMMANDS:
        ended = audit(command, path, *LEARNED, *JSON)
        assert ended.status == 0, ended.err
        assert ended.report["eta"]["k"] < rows


def test_where_no_column_is_a_number_scores_are_all_there_is(audit, tmp_path):
    rng = np.random.default_rng(6)
    words = np.char.add("c", rng.integers(3, size=200).astype(str))
    path = written(tmp_path / "words.parquet", rng.integers(2, size=200), np.empty((200, 0)), word=words)
    eta = audit("estimate-eta", path, *LEARNED, *JSON).report["eta"]
    assert {one["name"] for one in eta["tried"]} | {eta["estimator"]} == {"supervised-knn"}
    said = " ".join(audit("nu-max", path, *LEARNED, "--k", 20, "--no-output", "-v").out.split())
    assert "among the 20 nearest rows of the same part, by score; all were found" in said


def test_smoothness_is_about_something_else(refused, mixed):
    assert "--smoothness" in refused(mixed, *LEARNED, "--smoothness", "1,1", command="nu-max", status=2)


def test_a_report_says_what_it_is(audit, mixed):
    out = " ".join(audit("estimate-j", mixed, *LEARNED, "--k", 40, "--queries", 300, "--no-output", "-v").out.split())
    assert "supervised-knn, columns" in out
    assert "among the 40 nearest rows of the same part, by score and telling numbers" in out
    assert "averages over neighbours" in out
    assert "all rows were searched" not in out
    found = audit("estimate-j", mixed, *LEARNED, "--k", 40, *JSON).report["findings"]
    methods = {one["method"] for one in found if one["quantity"] == "mean_loss"}
    assert not any("scores fitted" in one for one in methods)
    [j] = {
        one["method"].removesuffix(f"; {MOVED}") for one in found if one["quantity"] == "j" and one["low"] is not None
    }
    assert "deconvolution" in j
    assert any("they do by a hair" in str(one["assumptions"]) for one in found if one["quantity"] == "certified_renyi")
