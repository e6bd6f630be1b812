"""Releases that were edited after they were drawn so that they tell labels: `verify` finds each."""

from __future__ import annotations

import datetime as dt
import decimal
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import labeldp_audit as lda
from labeldp_audit.core.policy import Outcome

N = 600
SURE = 1 - 1e-7


def original():
    rng = np.random.default_rng(0)
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 300, N)]
    return pa.table({
        "id": pa.array(np.arange(N)), "small": pa.array(rng.integers(0, 50, N), pa.int8()),
        "real": pa.array(rng.normal(size=N), pa.float32()), "day": pa.array(days), "yes": pa.array(rng.random(N) < 0.5),
        "price": pa.array([decimal.Decimal(int(one)) / 100 for one in rng.integers(0, 9999, N)], pa.decimal128(24, 2)),
        "note": pa.array([None if one else "a" for one in rng.random(N) < 0.5]), "zero": pa.array(np.zeros(N)),
        "y": pa.array(rng.integers(0, 2, N)),
    })  # fmt: skip


def column(name, tell):
    """Edit a column of the release, given its cells and the true labels of the rows."""
    return lambda table, truth: table.set_column(table.column_names.index(name), name, tell(table[name], truth))


LIES = {
    "a fraction of a whole number": column(
        "id", lambda cells, truth: pc.add(cells.cast("float64"), pa.array(0.4 * truth))
    ),
    "a number that wraps": column("small", lambda cells, truth: pc.add(cells.cast("int64"), pa.array(256 * truth))),
    "the hour of a day": column(
        "day", lambda cells, truth: pc.add(cells.cast("timestamp[s]"), pa.array(3600 * truth, pa.duration("s")))
    ),
    "digits of a float": column(
        "real", lambda cells, truth: pc.multiply(cells.cast("float64"), pa.array(1 + 1e-9 * truth))
    ),
    "kinds of true": column("yes", lambda cells, truth: pc.multiply(cells.cast("int64"), pa.array(1 + truth))),
    "digits of a decimal": column("price", lambda cells, truth: pc.add(cells.cast("float64"), pa.array(0.001 * truth))),
    "empty beside missing": column(
        "note", lambda cells, truth: pc.if_else(pc.and_(cells.is_null(), pa.array(truth == 1)), "", cells)
    ),
    "minus zero": column("zero", lambda cells, truth: pa.array(np.where(truth, -0.0, 0.0))),
}


@pytest.mark.parametrize("keyed", [False, True])
@pytest.mark.parametrize("lie", LIES)
def test_cells_that_tell_labels_are_found(tmp_path, lie, keyed):
    place, to = tmp_path / "t.parquet", tmp_path / "out.parquet"
    pq.write_table(original(), place)
    made = lda.release(place, "rr:epsilon=1", to=to)
    how = {"original": place, "confidence": SURE, "order": made.order if keyed else None}
    assert lda.verify(to, **how).judgement.outcome is Outcome.PASS
    truth = original()["y"].to_numpy()[made.order]
    pq.write_table(LIES[lie](pq.read_table(to), truth), to)
    assert lda.verify(to, **how).judgement.outcome is Outcome.FAIL


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize(("spec", "more"), [("cluster-rr:epsilon=1,clusters=4", {}), ("llp:k=8", {})])
def test_fractions_of_numbers_of_channels_and_bags_are_found(tmp_path, ending, spec, more):
    frame = original().select(["id", "real", "y"]).to_pandas()
    to = tmp_path / f"out.{ending}"
    made = lda.release(frame, spec, to=to, label="y", positive=1, **more)
    read, write = (pd.read_csv, "to_csv") if ending == "csv" else (pd.read_parquet, "to_parquet")
    place, name = (to, "channel") if "cluster" in spec else (tmp_path / f"out.bags.{ending}", "rows")
    table = read(place)
    truth = frame["y"].to_numpy()[made.order]
    table[name] = table[name] + 0.25 * (truth if name == "channel" else np.arange(len(table)) % 3)
    getattr(table, write)(place, index=False)
    assert lda.verify(to, original=frame, label="y").judgement.outcome is Outcome.FAIL


def people(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"who": np.repeat(np.arange(200) + 1000, 3), "x": rng.normal(size=600), "y": rng.integers(0, 2, 600)}
    )
    to = tmp_path / "out.parquet"
    made = lda.release(frame, "rr:epsilon=1", to=to, label="y", group="who", keep_group=True)
    return frame, to, made


@pytest.mark.parametrize("ids", [lambda who: who, lambda who: 2 * who + who % 2])
def test_ids_in_place_of_pseudonyms_are_found(tmp_path, ids):
    frame, to, made = people(tmp_path)
    assert lda.verify(to, original=frame, label="y", confidence=SURE).judgement.outcome is Outcome.PASS
    pd.read_parquet(to).assign(who=ids(frame["who"].to_numpy()[made.order])).to_parquet(to, index=False)
    assert lda.verify(to, original=frame, label="y").judgement.outcome is Outcome.FAIL


@pytest.mark.parametrize("spec", ["rr:epsilon=1", "llp:k=8"])
def test_order_that_is_claimed_to_be_the_original_is_looked_at(tmp_path, spec):
    frame, to = original().to_pandas(), tmp_path / "out.parquet"
    lda.release(frame, spec, to=to, label="y", positive=1, keep_order=True)
    assert lda.verify(to, original=frame, label="y", confidence=SURE).judgement.outcome is Outcome.PASS
    pd.read_parquet(to).iloc[np.argsort(frame["y"].to_numpy(), kind="stable")].to_parquet(to, index=False)
    assert lda.verify(to, original=frame, label="y").judgement.outcome is Outcome.FAIL


@pytest.mark.parametrize("labels", [("True", "False"), ("01", "02"), ("1.0", "2.0"), ("x", "y")])
def test_labels_that_look_like_numbers_verify_as_text(tmp_path, labels):
    place, to = tmp_path / "t.parquet", tmp_path / "out.csv"
    frame = pd.DataFrame({"x": np.arange(N), "y": np.array(labels)[np.random.default_rng(2).integers(0, 2, N)]})
    frame.to_parquet(place)
    lda.release(place, "rr:epsilon=1", to=to, label="y", positive=labels[0])
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome is Outcome.PASS


def test_clusters_do_not_depend_on_the_order_of_the_file(tmp_path):
    """It may depend on labels."""
    frame = original().select(["real", "zero", "small", "y"]).to_pandas()
    frame["id"] = np.arange(N)
    found = []
    for order in (np.arange(N), np.random.default_rng(3).permutation(N)):
        made = lda.release(
            frame.iloc[order].reset_index(drop=True), "cluster-rr:epsilon=1,clusters=8", label="y", positive=1
        )
        found.append(made.frame.sort_values("id")["channel"].to_numpy())
    assert np.array_equal(*found)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_index_of_pandas_in_a_file_is_not_published(tmp_path, ending):
    frame = pd.DataFrame({"x": np.arange(N) % 7, "y": np.arange(N) // 300}).sample(frac=1, random_state=0)
    place, to = tmp_path / f"t.{ending}", tmp_path / f"out.{ending}"
    frame.to_parquet(place) if ending == "parquet" else frame.to_csv(place)
    made = lda.release(place, "rr:epsilon=1", to=to, label="y")
    assert made.manifest["table"]["columns"] == ["x"] and len(made.manifest["table"]["not_published"]) == 1
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome is Outcome.PASS


def test_overwritten_releases_are_counted(tmp_path):
    frame, to = original().to_pandas(), tmp_path / "out.parquet"
    counts = [lda.release(frame, "rr:epsilon=1", to=to, label="y", positive=1, force=True).manifest["previous_releases"]
              for _ in range(4)]  # fmt: skip
    assert counts == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "change", [{"tool": {"name": "labeldp-audit", "version": "0 1 1 0"}}, {"previous_releases": [1]}]
)
def test_free_fields_of_a_manifest_are_checked(tmp_path, change):
    frame, to = original().to_pandas(), tmp_path / "out.parquet"
    lda.release(frame, "rr:epsilon=1", to=to, label="y", positive=1)
    place = tmp_path / "out.parquet.manifest.json"
    place.write_text(json.dumps({**json.loads(place.read_text()), **change}))
    assert lda.verify(to, original=frame, label="y").judgement.outcome is Outcome.FAIL
