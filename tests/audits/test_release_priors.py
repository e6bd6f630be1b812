"""Releases by a prior or a model: where the prior comes from, what is refused, and what a reader gets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labeldp_audit as lda
from labeldp_audit.audits import received
from labeldp_audit.data import ReadOptions
from labeldp_audit.mechanisms.prior_response import most_likely

N = 1200
READ = ReadOptions(few_rows=True)


def table(classes=2, rows=N):
    """A label that x tells but for one in twenty, with a prior that knows half of that of every other row."""
    rng = np.random.default_rng(0)
    side = rng.integers(0, classes, rows)
    label = np.where(rng.random(rows) < 0.05, rng.integers(0, classes, rows), side)
    knows = np.where(np.arange(rows) % 2, 0.5, 0.1)[:, None]
    shares = knows * np.eye(classes)[side] + (1 - knows) / classes
    more = {f"p{c}": shares[:, c] for c in range(classes)}
    return pd.DataFrame({"x": 5 * side + rng.normal(size=rows), "y": label, **more})


@pytest.mark.parametrize("name", ["prior-rr", "model-rr"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_labels_are_released_by_a_prior_and_read_again(tmp_path, name, classes, ending):
    frame, place, to = table(classes), tmp_path / f"t.{ending}", tmp_path / f"out.{ending}"
    frame.to_csv(place, index=False) if ending == "csv" else frame.to_parquet(place)
    columns = ["p1"] if classes == 2 else [f"p{c}" for c in range(classes)]
    made = lda.release(place, f"{name}:epsilon=1", to=to, prior=columns)
    found = pd.read_csv(to) if ending == "csv" else pd.read_parquet(to)
    back = received.read(str(to), READ)
    assert list(found) == ["x", "y", "channel", *frame.columns[2:]] and found["x"].equals(frame["x"])
    assert np.array_equal(back.release.group, found["channel"]) and np.array_equal(back.release.view, found["y"])
    assert len(back.release.channels) > classes
    randomized = np.e / (np.e + classes - 1)
    expected = back.release.channels[back.release.group, frame["y"], frame["y"]].mean()
    assert expected > randomized - 1e-12 and abs(np.mean(found["y"] == frame["y"]) - expected) < 2.5 / np.sqrt(N)
    assert np.all(np.isfinite(back.mechanism.loglik(back.release, np.full((N, classes), 1 / classes))))
    assert made.manifest["guarantees"][0]["epsilon"] == 1.0
    assert any("depends on no label" in one for one in made.manifest["guarantees"][0]["assumptions"])


def test_a_prior_goes_with_its_row_where_labels_are_missing():
    frame = table().astype({"y": "Int64"})
    frame.loc[::7, "y"] = pd.NA
    made = lda.release(frame, "prior-rr:epsilon=1", prior="p1", drop_null_labels=True)
    found, told = made.frame, made.manifest["learner"]["most_likely"]
    kept = most_likely(found[["p0", "p1"]].to_numpy(), 1.0)
    assert len(found) == frame["y"].notna().sum() and sorted(map(len, told)) == [1, 1, 2]
    assert [told[one] for one in found["channel"]] == [np.flatnonzero(row).tolist() for row in kept]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((), "needs a prior"), (("y",), "is the label"), (("warm",), "no column"),
        (("p0", "p1", "p1"), "3 columns for 2"), (("x",), "from 0 to 1"), (("p1", "x"), "from 0 to 1"),
        (("p1", "half"), "do not sum to 1"), (("word",), "numbers"), (("some",), "numbers"),
    ],
)  # fmt: skip
def test_priors_that_cannot_be(columns, message):
    frame = table().assign(half=0.1, word="a", some=pd.Series([0.5, None] * (N // 2)))
    with pytest.raises((lda.SpecError, lda.DataError), match=message):
        lda.release(frame, "prior-rr:epsilon=1", prior=columns)


@pytest.mark.parametrize("name", ["prior-rr", "model-rr"])
def test_a_prior_that_is_the_label_is_refused(name):
    """All of it would be said in the clear, whatever epsilon is."""
    frame = table()
    frame["peeked"] = 0.2 + 0.6 * frame["y"]
    with pytest.raises(lda.AssumptionError, match="the true label of every row"):
        lda.release(frame, f"{name}:epsilon=1", prior="peeked")


def test_a_model_of_released_labels_keeps_more_of_the_later_ones():
    frame = table(rows=6000)[["x", "y"]]
    kept = {
        stages: np.mean(lda.release(frame, f"lp-mst:epsilon=1,stages={stages}").frame["y"] == frame["y"])
        for stages in (1, 2)
    }
    assert kept[1] < 0.785 and kept[2] > 0.785  # 73 %, and half of them 95 %


def test_a_model_of_more_classes_and_a_row_with_its_channel(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    frame = table(3)[["x", "y"]]
    frame.to_csv(place, index=False)
    lda.release(place, "lp-mst:epsilon=1,stages=3", to=to)
    back = received.read(str(to), READ)
    kept = back.release.channels[back.release.group, np.arange(3)[:, None]].max(axis=0)
    assert np.mean(back.release.view == frame["y"]) > 0.6 and kept.shape == (N, 3)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_soft_labels_are_released_and_read_again(tmp_path, ending):
    frame, place, to = table(3)[["x", "y"]], tmp_path / f"t.{ending}", tmp_path / f"out.{ending}"
    frame.to_csv(place, index=False) if ending == "csv" else frame.to_parquet(place)
    made = lda.release(place, "alibi:epsilon=4", to=to)
    found = pd.read_csv(to) if ending == "csv" else pd.read_parquet(to)
    assert list(found) == ["x", "y_0", "y_1", "y_2"]
    soft = found[["y_0", "y_1", "y_2"]].to_numpy()
    assert soft.sum(axis=1) == pytest.approx(np.ones(N)) and np.mean(soft.argmax(axis=1) == frame["y"]) > 0.6
    back = received.read(str(to), READ)
    assert np.array_equal(back.release.view, soft) and np.exp(
        back.mechanism.loglik(back.release, soft)
    ) == pytest.approx(soft)
    assert made.manifest["published"]["as"] == "vectors" and made.manifest["learner"]["inverse_scale"] == "1/8"


# ---- labels alone


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet", "arrow"])
def test_labels_alone_are_all_there_is(tmp_path, ending):
    frame, place, to = table()[["x", "y"]], tmp_path / f"t.{ending}", tmp_path / f"out.{ending}"
    frame["y"] = np.where(np.arange(N) < N // 2, "ill", "well")
    delimiter = "\t" if ending == "tsv" else ","
    if ending == "parquet":
        frame.to_parquet(place)
    elif ending == "arrow":
        frame.to_feather(place, compression="uncompressed")
    else:
        frame.to_csv(place, index=False, sep=delimiter)
    made = lda.release(place, "dummy:epsilon=20", to=to, positive="ill")
    if ending in ("parquet", "arrow"):
        read = pq.read_table(to) if ending == "parquet" else pa.ipc.open_file(to).read_all()
        assert read.schema.names == ["y"] and not read.schema.metadata
        found = read["y"].to_pylist()
    else:
        table_read = pd.read_csv(to, sep=delimiter)
        assert list(table_read) == ["y"]
        found = table_read["y"].tolist()
    assert sorted(found) == sorted(frame["y"]) and abs(found[: N // 2].count("ill") - N // 4) < 100
    assert made.manifest["shuffled"] and made.manifest["published"]["as"] == "labels-alone"
    with pytest.raises(lda.DataError, match="nobody can tell which row"):
        received.read(str(to), READ)


@pytest.mark.parametrize("frames", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
def test_labels_alone_keep_no_trace_of_their_rows_in_memory(frames):
    """Not even an index, which would tell the order that they had."""
    frame = table()[["x", "y"]].assign(y=(np.arange(N) < N // 2).astype(int))
    made = lda.release(frames(frame), "dummy:epsilon=20").frame
    found = made if isinstance(made, pd.DataFrame) else made.to_pandas()
    assert list(found) == ["y"] and list(found.index) == list(range(N))
    assert found["y"].sum() == N // 2 and abs(found["y"][: N // 2].sum() - N // 4) < 100
