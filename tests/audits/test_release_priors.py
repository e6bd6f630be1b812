"""Releases by a prior or a model: where the prior comes from, what is refused, and what a reader gets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import labeldp_audit as lda
from labeldp_audit.audits import received
from labeldp_audit.core.policy import Outcome
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
    made = lda.release(place, f"{name}:epsilon=1", to=to, prior=columns, keep_order=True)
    found = csv.read_csv(to).to_pandas() if ending == "csv" else pd.read_parquet(to)
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
    made = lda.release(frame, "prior-rr:epsilon=1", prior="p1", drop_null_labels=True, keep_order=True)
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
@pytest.mark.parametrize("columns", [("p1",), ("half",), ("certain",)])
def test_whether_a_prior_is_refused_depends_on_no_label(name, columns):
    """What is refused where the prior names all true labels, and passes where one of them changes, tells that label."""
    frame = table().assign(half=0.5, certain=lambda it: (it["x"] > 2).astype(float))
    ended = set()
    for labels in (frame["y"], frame["p1"].ge(0.5), 1 - frame["certain"], frame["certain"], np.arange(N) % 2):
        try:
            lda.release(frame.assign(y=np.asarray(labels, int)), f"{name}:epsilon=1", prior=columns)
            ended.add("released")
        except lda.AssumptionError as error:
            ended.add(str(error))
    assert len(ended) == 1 and ("released" in ended) == (columns != ("certain",))


# ---- a model of other rows


def others(rows=1500, seed=1, classes=2):
    rng = np.random.default_rng(seed)
    side = rng.integers(0, classes, rows)
    label = np.where(rng.random(rows) < 0.05, rng.integers(0, classes, rows), side)
    kind = np.array(["low", "mid", "high"])[(rng.random(rows) * 3).astype(int)]
    return pd.DataFrame({"x": 5 * side + rng.normal(size=rows), "kind": kind, "y": label})


@pytest.mark.parametrize("name", ["prior-rr", "model-rr"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_of_other_rows_is_a_prior(tmp_path, name, classes):
    """Also where one table is text and the other is not, and one has more columns, or rows without a label."""
    frame, theirs = others(seed=0, classes=classes), others(classes=classes).assign(more=1)
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    frame.to_csv(place, index=False)
    theirs.loc[:99, "y"] = None
    made = lda.release(place, f"{name}:epsilon=1", to=to, prior_from=theirs, exclude="kind", keep_order=True)
    back = received.read(str(to), READ)
    expected = back.release.channels[back.release.group, frame["y"], frame["y"]].mean()
    assert expected > np.e / (np.e + classes - 1) + 0.02 and made.manifest["guarantees"][0]["epsilon"] == 1.0
    told = made.manifest["guide"]["prior_from"]
    assert told["rows"] + told["left_out"] == 1400 and told["left_out"] < 40  # numbers that are near by chance
    assert "no epsilon here protects" in told["assumptions"][0]
    assert lda.verify(to, original=place).judgement.outcome is not Outcome.FAIL


def prior_of(monkeypatch, frame, theirs, **options):
    """What the mechanism saw."""
    seen = []
    from labeldp_audit.mechanisms import PriorResponse

    real = PriorResponse.release

    def release(self, labels, guide, *, rng):
        seen.append(guide.prior)
        return real(self, labels, guide, rng=rng)

    monkeypatch.setattr(PriorResponse, "release", release)
    made = lda.release(frame, "prior-rr:epsilon=1", prior_from=theirs, **options)
    monkeypatch.undo()
    return seen[0], made.manifest["guide"]["prior_from"]


def test_the_labels_that_are_protected_do_not_touch_the_prior(monkeypatch, tmp_path):
    """Not even those of people who stand in the other table, too: by their cells, in text or not, or by their name."""
    frame = others(seed=0).assign(who=np.arange(1500))
    theirs = others().assign(who=np.arange(5000, 6500))
    both = pd.concat([theirs, frame[:300]])
    flipped = frame.assign(y=1 - frame["y"])
    both_flipped = pd.concat([theirs, flipped[:300]])
    first, told = prior_of(monkeypatch, frame, both)
    assert told["left_out"] == 300
    place = tmp_path / "theirs.csv"
    both_flipped.to_csv(place, index=False, float_format="%.9g")
    for released, learnt in ((flipped, both), (frame, both_flipped)):
        assert np.array_equal(prior_of(monkeypatch, released, learnt)[0], first)
    assert prior_of(monkeypatch, frame, place)[1]["left_out"] == 300
    moved = pd.concat([theirs, flipped[:300].assign(x=flipped["x"][:300] + 1)])
    by_name, told = prior_of(monkeypatch, frame, moved, group="who")
    assert 300 <= told["left_out"] < 320
    assert np.array_equal(by_name, prior_of(monkeypatch, flipped, moved, group="who")[0])
    assert not np.array_equal(prior_of(monkeypatch, frame, moved)[0], prior_of(monkeypatch, frame, theirs)[0])


def test_other_tables_that_make_no_prior():
    frame, theirs = others(seed=0), others()
    for wrong, message in (
        (frame, "0 rows with a label"), (pd.concat([frame, theirs[:50]]), "50 rows with a label"),
        (theirs.drop(columns="x"), "no column"), (theirs.drop(columns="y"), "no column"),
        (theirs.assign(y=theirs["y"] + 1), "classes that the table does not have"),
        (theirs.assign(x="warm"), "different kinds of cells"),
    ):  # fmt: skip
        with pytest.raises(lda.AuditError, match=message):
            lda.release(frame, "prior-rr:epsilon=1", prior_from=wrong)
    with pytest.raises(lda.SpecError, match="two priors"):
        lda.release(table(), "prior-rr:epsilon=1", prior_from=theirs, prior="p1")


def test_a_release_is_not_written_over_the_other_table(tmp_path):
    others().to_parquet(tmp_path / "theirs.parquet")
    others(seed=0).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(lda.SpecError, match="written over the table"):
        lda.release(
            tmp_path / "t.parquet", "prior-rr:epsilon=1", to=tmp_path / "theirs.parquet", force=True,
            prior_from=tmp_path / "theirs.parquet",
        )  # fmt: skip


def test_a_model_of_released_labels_keeps_more_of_the_later_ones():
    frame = table(rows=6000)[["x", "y"]]
    kept = {
        stages: np.mean(
            lda.release(frame, f"lp-mst:epsilon=1,stages={stages}", keep_order=True).frame["y"] == frame["y"]
        )
        for stages in (1, 2)
    }
    assert kept[1] < 0.785 and kept[2] > 0.785  # 73 %, and half of them 95 %


def test_a_model_of_more_classes_and_a_row_with_its_channel(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    frame = table(3)[["x", "y"]]
    frame.to_csv(place, index=False)
    lda.release(place, "lp-mst:epsilon=1,stages=3", to=to, keep_order=True)
    back = received.read(str(to), READ)
    kept = back.release.channels[back.release.group, np.arange(3)[:, None]].max(axis=0)
    assert np.mean(back.release.view == frame["y"]) > 0.6 and kept.shape == (N, 3)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_soft_labels_are_released_and_read_again(tmp_path, ending):
    frame, place, to = table(3)[["x", "y"]], tmp_path / f"t.{ending}", tmp_path / f"out.{ending}"
    frame.to_csv(place, index=False) if ending == "csv" else frame.to_parquet(place)
    made = lda.release(place, "alibi:epsilon=4", to=to, keep_order=True)
    found = csv.read_csv(to).to_pandas() if ending == "csv" else pd.read_parquet(to)
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
    assert received.read(str(to), READ).release.group is None


@pytest.mark.parametrize("frames", [pd.DataFrame, pl.DataFrame, pa.Table.from_pandas])
def test_labels_alone_keep_no_trace_of_their_rows_in_memory(frames):
    """Not even an index, which would tell the order that they had."""
    frame = table()[["x", "y"]].assign(y=(np.arange(N) < N // 2).astype(int))
    made = lda.release(frames(frame), "dummy:epsilon=20").frame
    found = made if isinstance(made, pd.DataFrame) else made.to_pandas()
    assert list(found) == ["y"] and list(found.index) == list(range(N))
    assert found["y"].sum() == N // 2 and abs(found["y"][: N // 2].sum() - N // 4) < 100
