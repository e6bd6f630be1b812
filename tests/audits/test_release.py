"""The protected table: values alone, in one form, and a manifest that says no more than a reader may know."""

from __future__ import annotations

import io
import json
import math
import os
import pickle
import stat
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import labeldp_audit as lda
from labeldp_audit.audits import received
from labeldp_audit.audits import release as releasing
from labeldp_audit.core.policy import Outcome
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import from_python
from labeldp_audit.data import ReadOptions, publish

N = 1000
SURE = 1 - 1e-7  # these tests are not about noise


def table(n=N):
    """Columns of many kinds, and metadata."""
    rng = np.random.default_rng(0)
    days = pa.array(rng.integers(0, 10**15, n)).cast(pa.timestamp("us", "UTC"))
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False, metadata={"what": "name"}), ("x", pa.float64()),
            pa.field("y", pa.int8(), metadata={"secret": "yes"}), ("when", pa.timestamp("us", "UTC")),
            ("ward", pa.dictionary(pa.int32(), pa.string())),
        ],
        metadata={"owner": "clinic"},
    )  # fmt: skip
    x = rng.normal(size=n)
    x[::7] = np.nan
    return pa.table(
        [
            np.arange(n), pa.array(x), pa.array((rng.random(n) < 0.3).astype(np.int8)), days,
            pa.array(["a", "b", None, "c"] * (n // 4)).dictionary_encode(),
        ],
        schema=schema,
    )  # fmt: skip


@pytest.fixture
def clinic(tmp_path):
    place = tmp_path / "clinic.parquet"
    pq.write_table(table(), place, compression="zstd", row_group_size=300)
    return place


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_release_keeps_values_and_types_of_audited_columns(clinic, tmp_path, ending):
    made = lda.release(clinic, "rr:epsilon=1", to=tmp_path / f"out.{ending}", order=tmp_path / "key.parquet")
    found, original = read(tmp_path / f"out.{ending}"), pq.read_table(clinic).take(pa.array(made.order))
    assert found.column_names == original.column_names and found.schema.metadata is None
    for name in ("id", "x", "when", "ward"):
        kept = original[name].cast(pa.timestamp("us")) if name == "when" else original[name]
        values = [None if isinstance(one, float) and math.isnan(one) else one for one in kept.to_pylist()]
        there = found[name].cast(pa.timestamp("us")) if name == "when" else found[name]
        assert there.to_pylist() == values, name
        assert ending == "csv" or found.schema.field(name).type.equals(original.schema.field(name).type)
    share = np.mean(found["y"].to_numpy() == original["y"].to_numpy())
    assert abs(share - 1 / (1 + math.exp(-1))) < 5 * 0.5 / math.sqrt(N)


def read(place):
    if place.suffix == ".parquet":
        return pq.read_table(place)
    if place.suffix == ".arrow":
        with pa.ipc.open_file(place) as file:
            return file.read_all()
    return csv.read_csv(place, convert_options=csv.ConvertOptions(strings_can_be_null=True))


SPELLINGS = {  # of one table, in which the first row of a pair is positive
    "lines": (b"a,y\r\n", (b"%d,1\r\n", b"%d,0\n")), "zeros": (b"a,y\n", (b"%d.0,1\n", b"%d,0\n")),
    "quotes": (b"a,y\n", (b'"%d",1\n', b"%d,0\n")), "blank": (b"a,y\n", (b"%d,1\n\n", b"%d,0\n")),
}  # fmt: skip


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_release_of_text_has_one_spelling(tmp_path, spelling):
    head, rows = SPELLINGS[spelling]
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(head + b"".join(rows[i % 2] % i for i in range(400)))
    made = lda.release(place, "rr:epsilon=60", to=to)
    lines = to.read_bytes().split(b"\n")
    assert lines[0] == b'"a","y"' and lines[-1] == b"" and b"\r" not in to.read_bytes()
    assert lines[1:-1] == [b"%d,%d" % (row, 1 - row % 2) for row in made.order]


CARRIERS = ("index", "attrs", "metadata", "field", "categories", "zero", "nan", "exclude", "group")


def with_hidden_labels(carrier, y):
    """Return a frame in which something beside the audited values tells every label, and the options of its audit."""
    n = len(y)
    frame, more = pd.DataFrame({"x": np.arange(n) % 7 * 1.0, "kind": "a", "y": y}), {}
    if carrier == "index":
        frame.index = pd.Index(y * n + np.arange(n))
    elif carrier == "attrs":
        frame.attrs["truth"] = y.tolist()
    elif carrier in ("metadata", "field"):
        table = pa.Table.from_pandas(frame)
        told = {"truth": str(y.tolist())}
        field = table.schema.field("x").with_metadata(told)
        return (
            (table.replace_schema_metadata(told), more)
            if carrier == "metadata"
            else (table.set_column(0, field, table["x"]), more)
        )
    elif carrier == "categories":
        frame["kind"] = pd.Categorical(["a"] * n, categories=["a", *(f"{i}={one}" for i, one in enumerate(y))])
    elif carrier == "zero":
        frame["x"] = np.where(y == 1, -0.0, 0.0)
    elif carrier == "nan":
        other = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
        frame["x"] = np.where(y == 1, other, np.nan)
    else:
        frame["hint"], more = [f"T{i}" if one else f"C{i}" for i, one in enumerate(y)], {carrier: "hint"}
    return frame, more


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("ending", ["memory", "parquet", "arrow", "csv"])
def test_release_holds_nothing_that_tells_labels(tmp_path, carrier, ending):
    """Two tables that differ in their labels and in what tells them are released as the same file, but for labels."""
    y = np.random.default_rng(0).permutation([0, 1] * 300)
    found = []
    for labels in (y, 1 - y):
        frame, more = with_hidden_labels(carrier, labels)
        made = prepared(frame, tmp_path / f"out.{ending}", label="y", **more)
        found.append(made)
    assert found[0] == found[1]


def prepared(frame, to, **more):
    """What is published of a frame with the noise, the order and the labels held still."""
    settings = from_python({"mechanisms": "rr:epsilon=0", **more})
    made = releasing.prepare(frame, settings, Silent(), insecure=True)
    column = made.rewrite.replaced["y"][0]
    still = replace(column, values=np.zeros_like(column.values))
    plan = replace(made.rewrite, replaced={"y": [still]}, rows=np.sort(made.rewrite.rows)[::-1], stamps=None)
    if to.suffix == ".memory":
        return pickle.dumps(publish.in_frame(frame, ReadOptions(), plan, Silent()))
    file = io.BytesIO()
    publish.write(frame, ReadOptions(), plan, to, file, Silent())
    return file.getvalue()


def test_columns_that_no_audit_judged_are_not_published(tmp_path):
    frame = pd.DataFrame(
        {"x": range(400), "note": ["sick", "well"] * 200, "who": np.arange(400) // 2, "y": [0, 1] * 200}
    )
    made = lda.release(frame, "rr:epsilon=1", exclude="note", group="who")
    assert list(made.frame) == ["x", "y"]
    assert made.manifest["table"] == {
        "rows": 400,
        "columns": ["x"],
        "text": [],
        "unaudited": [],
        "not_published": ["note", "who"],
    }
    kept = lda.release(frame, "rr:epsilon=1", exclude="note", group="who", keep="note", keep_group=True)
    assert list(kept.frame) == ["x", "note", "who", "y"] and kept.manifest["table"]["unaudited"] == ["note"]
    assert sorted(set(kept.frame["who"])) == list(range(200))
    assert (kept.frame["who"].to_numpy() != np.arange(400)[kept.order] // 2).any()
    assert kept.frame.groupby("who")["x"].agg(lambda x: set(x // 2)).map(len).eq(1).all()
    assert any("without an audit" in one for one in kept.warnings) and any(
        "of one person" in one for one in kept.warnings
    )
    for spec, how, message in (
        ("rr:epsilon=1", {"keep": "x"}, "--keep is for columns"), ("rr:epsilon=1", {"keep_group": True}, "--group"),
        ("cluster-rr:epsilon=1,clusters=2", {"exclude": "note", "cluster": "note"}, "not published"),
    ):  # fmt: skip
        with pytest.raises(lda.SpecError, match=message.replace("--", "")):
            lda.release(frame, spec, label="y", **how)
    declared = lda.release(
        frame, "cluster-rr:epsilon=1,clusters=2", exclude="note", keep="note", cluster="note", label="y"
    )
    assert declared.manifest["guide"] == {"cluster": "note"}


def test_sorted_table_is_released_in_random_order():
    frame = pd.DataFrame({"x": np.arange(1000), "y": np.arange(1000) // 500})
    order = lda.release(frame, "rr:epsilon=1").order
    assert sorted(order) == list(range(1000)) and abs(np.corrcoef(order, np.arange(1000))[0, 1]) < 0.2


def test_nested_columns_are_refused():
    nested = pa.table({"x": range(300), "tags": [[1]] * 300, "y": [0, 1, 1] * 100})
    with pytest.raises(lda.DataError, match="cannot audit a column of type list"):
        lda.release(nested, "rr:epsilon=1")
    assert lda.release(nested, "rr:epsilon=1", exclude="tags").frame.column_names == ["x", "y"]


def test_order_is_kept_where_that_is_asked(clinic):
    made = lda.release(pq.read_table(clinic), "rr:epsilon=1", keep_order=True)
    assert made.frame["id"].to_pylist() == list(range(N)) and made.manifest["shuffled"] is False
    assert any("order of the original" in one for one in made.warnings)


def test_key_to_the_order_is_private_and_of_one_release(clinic, tmp_path):
    key, to, other = tmp_path / "key.parquet", tmp_path / "out.parquet", tmp_path / "other.parquet"
    made = lda.release(clinic, "rr:epsilon=1", to=to, order=key)
    lda.release(clinic, "rr:epsilon=1", to=other)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert np.array_equal(pq.read_table(key)["row"].to_numpy() - 1, made.order)
    assert np.array_equal(pq.read_table(to)["id"].to_numpy(), made.order)
    assert lda.verify(to, original=clinic, order=key, confidence=SURE).judgement.outcome == "pass"
    for wrong, message in (
        (key, "the key to another release"),
        (clinic, "not a key"),
        (tmp_path / "no", "no such file"),
    ):
        with pytest.raises(lda.DataError, match=message):
            lda.verify(other, original=clinic, order=wrong)
    with pytest.raises(lda.SpecError, match="of that name already"):
        lda.release(clinic, "rr:epsilon=1", to=tmp_path / "third.parquet", order=key)


@pytest.mark.parametrize("name", ["out.parquet", "out.parquet.manifest.json", "out.bags.parquet", "clinic.parquet"])
def test_key_never_takes_the_place_of_what_is_published(clinic, tmp_path, name):
    with pytest.raises(lda.SpecError, match=r"--order|order names|over the table"):
        lda.release(clinic, "llp:k=4", to=tmp_path / "out.parquet", order=tmp_path / name, force=True)
    with pytest.raises(lda.SpecError, match="release in a file"):
        lda.release(pq.read_table(clinic), "rr:epsilon=1", order=tmp_path / "key.parquet")
    with pytest.raises(lda.SpecError, match="no such folder"):
        lda.release(clinic, "rr:epsilon=1", to=tmp_path / "out.parquet", order=tmp_path / "no" / "key.parquet")
    assert [one.name for one in tmp_path.iterdir()] == [clinic.name]


def test_codes_stay_text(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_text("zip,id,y\n" + "".join(f"0{1200 + i % 9},00{i},{i % 2}\n" for i in range(300)))
    made = lda.release(place, "rr:epsilon=1", to=to, categorical="zip", exclude="id", keep="id")
    assert to.read_text().splitlines()[1].startswith(f'"0{1200 + made.order[0] % 9}","00{made.order[0]}",')
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome == "pass"


def test_columns_named_like_numbers_are_not_released_as_text(tmp_path):
    """A CSV file of them would be read as one without a header."""
    frame = pd.DataFrame({"400.5": range(300), "402": range(300), "y": [0, 1, 1] * 100})
    with pytest.raises(lda.DataError, match="without a header"):
        lda.release(frame, "rr:epsilon=1", to=tmp_path / "out.csv")
    lda.release(frame, "rr:epsilon=1", to=tmp_path / "out.parquet")


def test_releases_of_the_same_rows_are_counted(clinic, tmp_path):
    """A majority of many releases tells nearly all labels."""
    other = table().rename_columns(["id", "z", "y", "when", "ward"])
    for number in range(3):
        made = lda.release(clinic, "rr:epsilon=1", to=tmp_path / f"out{number}.parquet")
        assert made.manifest["previous_releases"] == number
        assert bool(number) == any("adds up" in one for one in made.warnings)
    assert lda.release(other, "rr:epsilon=1", to=tmp_path / "other.parquet").manifest["previous_releases"] == 0
    again = lda.release(clinic, "rr:epsilon=1", to=tmp_path / "out0.parquet", force=True)
    assert again.manifest["previous_releases"] == 4 - 1


def test_a_frame_of_pandas_holds_every_class_that_was_released():
    letters = np.array(["a", "b", "c"])[np.arange(60) % 3]
    kinds = pd.DataFrame({"x": np.arange(60), "y": pd.Categorical(letters)})
    said = lda.release(kinds, "rr:epsilon=1", positive="b", label="y").frame["y"]
    assert set(said) == {"b", "rest"}
    truths = pd.DataFrame({"x": np.arange(60), "y": np.arange(60) % 2 == 0})
    said = lda.release(truths, "channel:matrix=0.5 0.3 0.2/0.2 0.3 0.5", label="y").frame["y"]
    assert set(said) == {"false", "true", "output 3"}


def test_views_of_texts_are_released(tmp_path):
    texts = pa.array(["no", "yes"] * 50, pa.string_view())
    place, to = tmp_path / "t.parquet", tmp_path / "out.arrow"
    pq.write_table(pa.table({"id": np.arange(100), "v": texts, "y": texts}), place)
    lda.release(place, "rr:epsilon=1", to=to, label="y")
    found = read(to)
    assert found["v"].to_pylist() == [texts[one].as_py() for one in found["id"].to_pylist()]
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome == "pass"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_column_that_has_the_name_of_a_new_one_is_refused(tmp_path, ending):
    place = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"bag": np.arange(20), "y": np.arange(20) % 2})
    frame.to_csv(place, index=False) if ending == "csv" else frame.to_parquet(place)
    with pytest.raises(lda.AuditError, match="a column of that name already"):
        lda.release(place, "llp:k=2", to=tmp_path / f"out.{ending}", label="y")


def test_bags_stand_where_the_labels_stood(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"a;label;b\n" + b"1,5;0;x\n2,5;1;y\n" * 200)
    made = lda.release(place, "llp:k=8", to=to, delimiter=";", decimal=",")
    lines = to.read_bytes().splitlines()
    assert lines[0] == b'"a","bag","b"' and {line.split(b",")[0] for line in lines[1:]} == {b"1.5", b"2.5"}
    bags = pd.read_csv(tmp_path / "out.bags.csv")
    assert bags["rows"].sum() == 400 and bags["positives"].sum() == 200 and len(bags) == 50
    assert made.manifest["guarantees"] == [] and made.bags["rows"].sum() == 400


@pytest.mark.parametrize("mechanism", ["llp:k=8", "laplace-llp:k=8,epsilon=1", "alibi:epsilon=1", "rr:epsilon=1"])
def test_european_file_is_released_in_the_one_form(tmp_path, mechanism):
    place, to, european = tmp_path / "t.csv", tmp_path / "out.csv", {"delimiter": ";", "decimal": ","}
    place.write_bytes(b"a;label;b\n" + b"1,5;no;x\n2,5;yes;y\n" * 400)
    lda.release(place, mechanism, to=to, **european)
    assert pd.read_csv(to).filter(regex="^(a|bag|label_)").dtypes.map(str).isin(("int64", "float64")).all()
    found = lda.verify(to, original=place, **european)
    assert all(one.outcome in (lda.Outcome.PASS, lda.Outcome.INCONCLUSIVE) for one in found.judgement.verdicts)


def test_rows_without_a_label_are_left_out(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"a,y\n" + b"1,0\n2,\n3,1\n" * 100)
    lda.release(place, "rr:epsilon=60", to=to, drop_null_labels=True)
    assert sorted(to.read_bytes().split()) == sorted([b'"a","y"', *[b"1,0", b"3,1"] * 100])


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_a_frame_is_released_to_files(tmp_path, library, ending):
    rng = np.random.default_rng(1)
    when = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(400), "D")
    frame = pd.DataFrame({"x": rng.normal(size=400), "when": when, "y": pd.Categorical(rng.choice(["no", "yes"], 400))})
    frame.loc[3, "x"] = np.nan
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[library]
    to = tmp_path / f"out.{ending}"
    assert lda.release(given, "rr:epsilon=1", label="y", to=to).frame is None
    assert lda.verify(to, original=given, confidence=SURE).judgement.outcome == lda.Outcome.PASS
    frame.loc[5, "x"] += 1
    assert lda.verify(to, original=frame).judgement.outcome == lda.Outcome.FAIL


def test_what_a_file_released_is_verified_against_a_frame(tmp_path):
    frame, place, to = (
        pd.DataFrame({"x": range(400), "y": [0, 1] * 200}),
        tmp_path / "t.parquet",
        tmp_path / "r.parquet",
    )
    frame.to_parquet(place)
    lda.release(place, "rr:epsilon=1", to=to)
    for original in (frame, pl.from_pandas(frame), place):
        assert lda.verify(to, original=original, confidence=SURE).judgement.outcome == lda.Outcome.PASS
    other = frame.rename(columns={"x": "z"})
    assert lda.verify(to, original=other).judgement.outcome == lda.Outcome.FAIL


def test_no_error_shows_rows():
    frame = pd.DataFrame({"x": [731946] * 300, "y": [0, 1, 1] * 100})
    for call in (
        lambda: lda.attack(frame, frame),
        lambda: lda.audit(frame, label=frame["x"]),
        lambda: lda.audit(frame, confidence=frame),
        lambda: lda.verify(frame),
    ):
        with pytest.raises(lda.SpecError) as caught:
            call()
        assert "731946" not in str(caught.value) and len(str(caught.value)) < 100


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_frame_stays_one_of_its_library(library):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=400), "y": pd.Categorical(rng.choice(["no", "yes"], 400)), "z": "é"})
    frame["n"] = pd.array([2**60 + i if i % 9 else None for i in range(400)], "Int64")
    frame.index = frame.index[::-1] * 3
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[library]
    made = lda.release(given, "rr:epsilon=60", label="y")
    bags = lda.release(given, "llp:k=8", label="y").bags
    assert type(made.frame) is type(bags) is type(given) and sum(bags["rows"].to_numpy()) == 400
    if library == "pandas":
        pd.testing.assert_frame_equal(made.frame, frame.iloc[made.order].reset_index(drop=True))
    else:
        rows = given.take(made.order) if library == "arrow" else given[made.order]
        for name in ("x", "y", "z", "n"):
            left, right = ([str(one) for one in some[name].to_pylist()] if library == "arrow" else
                           [str(one) for one in some[name].to_list()] for some in (made.frame, rows))  # fmt: skip
            assert left == right, name


def test_the_manifest_says_what_a_reader_needs_and_nothing_of_the_labels(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    made = lda.release(clinic, "rr:epsilon=1", to=to)
    manifest = json.loads((tmp_path / "out.parquet.manifest.json").read_text())
    assert manifest == made.manifest
    assert manifest["guarantees"][0]["epsilon"] <= 1 and manifest["mechanism"] == "rr:epsilon=1"
    drawn = manifest["learner"]["exact"]
    rows = [[int(one) for one in row] for row in drawn["numerators"]]
    assert [sum(row) for row in rows] == [int(drawn["denominator"])] * 2
    assert np.array(manifest["learner"]["unbiased"]) @ manifest["learner"]["channel"] == pytest.approx(
        np.eye(2), abs=1e-12
    )
    # Other labels of the same rows: the same manifest.
    turned = table()
    turned = turned.set_column(2, turned.schema.field("y"), pa.array(np.roll(turned["y"].to_numpy(), 1)))
    pq.write_table(turned, clinic)
    again = lda.release(clinic, "rr:epsilon=1", to=to, force=True).manifest
    assert again["published"].pop("sha256") != manifest["published"].pop("sha256")  # of the drawn labels
    assert (again.pop("previous_releases"), manifest.pop("previous_releases")) == (1, 0)
    assert again == manifest


def test_rows_of_one_person_are_counted(tmp_path):
    frame = pd.DataFrame({"who": [f"p{i % 90}" for i in range(300)], "x": range(300), "y": [0, 1] * 150})
    assert lda.release(frame, "rr:epsilon=1", group="who").manifest["people"] == {
        "column": "who", "most_rows": 4, "published": False, "epsilon": 4.0,
    }  # fmt: skip


def test_files_get_the_mode_of_ordinary_files(clinic, tmp_path):
    """They are for publication."""
    clinic.chmod(0o600)
    before, to = os.umask(0o027), tmp_path / "out.parquet"
    try:
        lda.release(clinic, "llp:k=4", to=to)
    finally:
        os.umask(before)
    made = [to, tmp_path / "out.bags.parquet", tmp_path / "out.parquet.manifest.json"]
    assert [stat.S_IMODE(one.stat().st_mode) for one in made] == [0o640] * 3
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([clinic.name, *(one.name for one in made)])


def test_nothing_is_overwritten_and_no_release_is_released(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    lda.release(clinic, "rr:epsilon=1", to=to)
    with pytest.raises(lda.SpecError, match="there is a file of that name already"):
        lda.release(clinic, "rr:epsilon=1", to=to)
    with pytest.raises(lda.SpecError, match="over the table"):
        lda.release(clinic, "rr:epsilon=1", to=clinic, force=True)
    (tmp_path / "old.parquet.manifest.json").symlink_to(clinic)
    (tmp_path / "old.bags.parquet").hardlink_to(clinic)
    with pytest.raises(lda.SpecError, match="over the table"):
        lda.release(clinic, "rr:epsilon=1", to=tmp_path / "old.parquet", force=True)
    (tmp_path / "old.parquet.manifest.json").unlink()
    with pytest.raises(lda.SpecError, match="over the table"):
        lda.release(clinic, "llp:k=2", to=tmp_path / "old.parquet", force=True)
    with pytest.raises(lda.DataError, match="is a release already"):
        lda.release(to, "rr:epsilon=1", to=tmp_path / "twice.parquet")
    (tmp_path / "renamed.parquet").write_bytes(to.read_bytes())
    with pytest.raises(lda.DataError, match="is a release already"):
        lda.release(tmp_path / "renamed.parquet", "rr:epsilon=1", to=tmp_path / "twice.parquet")
    with pytest.raises(lda.SpecError, match="no such folder"):
        lda.release(clinic, "rr:epsilon=1", to=tmp_path / "nowhere" / "out.parquet")
    with pytest.raises(lda.SpecError, match="one mechanism, not 2"):
        lda.release(clinic, "rr:epsilon=1|2", to=tmp_path / "more.parquet")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder where nobody can make a file")
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_drawn(clinic, monkeypatch):
    monkeypatch.setattr(releasing, "prepare", None)
    with pytest.raises(lda.SpecError, match=r"cannot write there: .*: /proc/out\.parquet"):
        lda.release(clinic, "rr:epsilon=1", to="/proc/out.parquet")


def test_no_release_is_written_among_the_parts_of_the_table(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(table(), folder / "part-0.parquet")
    with pytest.raises(lda.SpecError, match="among its parts"):
        lda.release(folder, "rr:epsilon=1", to=folder / "out.parquet", label="y")
    with pytest.raises(lda.SpecError, match="among its parts"):
        lda.release(str(folder / "*.parquet"), "rr:epsilon=1", to=folder / "part-0.parquet", label="y", force=True)
    lda.release(folder, "rr:epsilon=1", to=tmp_path / "parts.parquet", label="y")


def test_a_table_that_changes_between_its_labels_and_its_rows_is_refused(clinic, tmp_path, monkeypatch):
    whole, to = pq.read_table(clinic), tmp_path / "out.parquet"

    def sorted_meanwhile(*given):
        pq.write_table(whole.sort_by("x"), clinic)
        return prepared(*given)

    prepared = releasing.files
    monkeypatch.setattr(releasing, "files", sorted_meanwhile)
    with pytest.raises(lda.DataError, match="changed while it was read"):
        lda.release(clinic, "rr:epsilon=1", to=to, label="y")
    assert not to.exists()


def test_no_table_of_bags_of_an_earlier_release_stays_beside_a_new_one(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    lda.release(clinic, "llp:k=4", to=to, label="y")
    with pytest.raises(lda.SpecError, match="table of bags of another release"):
        lda.release(clinic, "rr:epsilon=1", to=to, label="y", force=True)
    lda.release(clinic, "llp:k=8", to=to, label="y", force=True)


def test_what_was_released_is_read_again(clinic, tmp_path):
    for spec in ("rr:epsilon=1", "llp:k=8", "geometric-llp:k=8,epsilon=0.3", "laplace-llp:k=8,epsilon=0.3"):
        to = tmp_path / f"{spec[:2]}.parquet"
        lda.release(clinic, spec, to=to)
        found = received.read(str(to), ReadOptions(few_rows=True))
        assert found.mechanism.spec == spec and found.classes == ("0", "1") and len(found.release.bag) == N
        if found.sizes is not None:
            assert np.array_equal(np.bincount(found.release.bag), found.sizes)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_noisy_counts_stay_on_their_grid(tmp_path, ending):
    """As numbers and as text; whole ones are written as such."""
    frame = pd.DataFrame({"x": np.arange(N) % 7, "label": np.arange(N) % 2})
    place, to = tmp_path / f"table.{ending}", tmp_path / f"out.{ending}"
    frame.to_parquet(place) if ending == "parquet" else frame.to_csv(place, index=False)
    for spec, step in (("geometric-llp:k=8,epsilon=0.3", 1.0), ("laplace-llp:k=8,epsilon=0.3", 2.0**-19)):
        made = lda.release(place, spec, to=to, label="label", force=True)
        counts = received.read(str(to), ReadOptions(few_rows=True)).release.view
        assert np.array_equal(counts / step, np.round(counts / step)) and len(np.unique(counts)) > 5
        assert made.manifest["learner"]["noise"]["step"] == str(Fraction(step))
        assert made.manifest["learner"]["noise"]["epsilon"] == str(Fraction(0.3))
        assert made.manifest["guarantees"][0]["epsilon"] == 0.3
    assert np.any(counts != np.round(counts))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "labeldp-audit/release/2"}', '{"schema": 3}', "\xff"])
def test_a_manifest_that_is_none_is_refused(clinic, tmp_path, text):
    to = tmp_path / "out.parquet"
    lda.release(clinic, "rr:epsilon=1", to=to)
    (tmp_path / "out.parquet.manifest.json").write_text(text, encoding="latin1")
    with pytest.raises(lda.DataError, match="manifest"):
        received.read(str(to), ReadOptions())


# ---- by clusters


def test_labels_are_drawn_from_clusters_and_read_again(tmp_path):
    rng = np.random.default_rng(0)
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    side = rng.integers(0, 2, 2000)
    label = side ^ (rng.random(2000) < 0.05)
    pd.DataFrame({"x": 9 * side + rng.normal(size=2000), "ward": side, "y": label}).to_csv(place, index=False)
    for more in ({}, {"cluster": "ward"}):
        made = lda.release(place, "cluster-rr:epsilon=1,clusters=2", to=to, force=True, **more)
        found, back = pd.read_csv(to), received.read(str(to), ReadOptions(few_rows=True))
        assert pd.crosstab(found["channel"], side[made.order]).to_numpy().all() == 0 and len(set(found["channel"])) == 2
        assert np.mean(found["y"] != label[made.order]) < 0.25  # randomized response would change 27 %
        assert back.release.channels.shape == (2, 2, 2) and np.array_equal(back.release.group, found["channel"])
        told = made.manifest["learner"]
        assert told["epsilon_of_histograms"] + told["epsilon_of_labels"] == pytest.approx(1.0)
        assert np.all(np.isfinite(back.mechanism.loglik(back.release, np.full((2000, 2), 0.5))))
    exchanged = lda.release(place, "p2p:epsilon=1,clusters=2", to=to, force=True)
    assert [one["viewer"] for one in exchanged.manifest["guarantees"]] == ["anybody", "anybody", "peer", "peer"]
    assert received.read(str(to), ReadOptions(few_rows=True)).release.group is not None


def test_rows_that_publish_no_label_are_read_again_verified_and_attacked(tmp_path):
    place, to, rng = tmp_path / "t.csv", tmp_path / "out.csv", np.random.default_rng(0)
    side = rng.integers(0, 2, 1000)
    frame = pd.DataFrame({"x": 9 * side + rng.normal(size=1000), "y": side})
    frame.to_csv(place, index=False)
    lda.release(place, "p2p:epsilon=2,clusters=20,theta=0.4", to=to)
    found, back = pd.read_csv(to), received.read(str(to), ReadOptions(few_rows=True))
    assert set(found["y"]) == {"0", "1", "output 3"} and abs(np.mean(found["y"] != "output 3") - 0.4) < 0.1
    assert np.array_equal(back.release.view == 2, found["y"] == "output 3")
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome is not Outcome.FAIL
    report = lda.attack(place, to, certify=False)
    assert {one.at["attacker"] for one in report.findings if "attacker" in one.at} >= {"optimal", "prediction"}


@pytest.mark.parametrize("classes", [2, 3])
def test_labels_by_noisy_counts_of_clusters_are_read_again_and_verified(tmp_path, classes):
    place, to, rng = tmp_path / "t.csv", tmp_path / "out.csv", np.random.default_rng(0)
    side = rng.integers(0, classes, 2000)
    label = np.where(rng.random(2000) < 0.05, rng.integers(0, classes, 2000), side)
    pd.DataFrame({"x": 9 * side + rng.normal(size=2000), "y": label}).to_csv(place, index=False)
    made = lda.release(place, f"domain-rr:epsilon=1,clusters={3 * classes}", to=to)
    found, told = pd.read_csv(to), made.manifest["learner"]
    assert np.mean(found["y"] == label[made.order]) > 0.9 and [
        one["epsilon"] for one in made.manifest["guarantees"]
    ] == [1.0]
    assert told["epsilon_of_histograms"] + told["epsilon_of_labels"] == pytest.approx(1.0)
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome is not Outcome.FAIL


def test_clusters_that_cannot_be(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    for column, message in (("y", "is the label"), ("warm", "no column")):
        with pytest.raises(lda.SpecError, match=message):
            lda.release(clinic, "cluster-rr:epsilon=1", to=to, cluster=column)
    with pytest.raises(lda.SpecError, match="one label in each row"):
        lda.release(clinic, "cluster-rr:epsilon=1", to=tmp_path / "out.svm", cluster="ward")


def test_a_manifest_without_its_channels_is_refused(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    lda.release(clinic, "cluster-rr:epsilon=1", to=to, cluster="ward")
    kept = tmp_path / "out.parquet.manifest.json"
    for spoilt in ({}, {"exact": {"kept": "1", "replaced": [["1", "2"]]}}, {"exact": {"kept": "x"}}):
        manifest = json.loads(kept.read_text())
        kept.write_text(json.dumps({**manifest, "learner": spoilt}))
        with pytest.raises(lda.DataError, match="channel"):
            received.read(str(to), ReadOptions())


# ---- two releases into one place


def test_a_manifest_beside_the_table_of_another_release_is_found_out(clinic, tmp_path):
    """As two runs at once could leave them."""
    for spec in ("rr:epsilon=1", "llp:k=4", "geometric-llp:k=4,epsilon=1", "alibi:epsilon=1", "cluster-rr:epsilon=1"):
        to, mixed = tmp_path / "out.parquet", tmp_path / "out.parquet.manifest.json"
        more = {"cluster": "ward"} if spec.startswith("cluster") else {}
        kept = lda.release(clinic, spec, to=to, force=True, **more).manifest["published"]["sha256"]
        first = mixed.read_bytes()
        own = lda.verify(to, original=clinic)
        assert not [one for one in own.findings if one.at.get("check") == "manifest" and one.bound.estimate]
        assert lda.release(clinic, spec, to=to, force=True, **more).manifest["published"]["sha256"] != kept
        mixed.write_bytes(first)
        found = [one for one in lda.verify(to).findings if one.at.get("check") == "manifest" and one.bound.estimate]
        assert [one.at["column"] for one in found] == ["sha256"]
        for one in (to, mixed, tmp_path / "out.bags.parquet"):
            one.unlink(missing_ok=True)


# ---- in memory


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("spec", ["rr:epsilon=1", "llp:k=4", "cluster-rr:epsilon=1,clusters=3"])
def test_what_was_released_in_memory_is_verified_and_attacked_as_its_file_is(tmp_path, library, spec):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.normal(size=900), "who": [f"w{i % 3}" for i in range(900)]})
    frame["y"] = rng.random(900) < 1 / (1 + np.exp(-2 * frame["x"]))
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[library]
    made = lda.release(given, spec, label="y")
    assert made.path is None and made.warnings == ()
    assert (made.heterogeneity is not None) == ("cluster" in spec)
    if made.heterogeneity is not None:  # the manifest does not tell it
        assert 0 <= made.heterogeneity[0] <= made.heterogeneity[1] <= 2
        assert "heterogeneity" not in json.dumps(made.manifest)
    asked = {"attacker": ["optimal", "majority"], "estimator": "linear", "threads": 1}
    checked, played = lda.verify(made, original=given, confidence=1 - 1e-7), lda.attack(given, made, **asked)
    assert checked.judgement.outcome == lda.Outcome.PASS, str(checked)
    assert played.content.parameters["release"] == checked.content.dataset.name == "frame"
    to = tmp_path / "t.parquet"
    pq.write_table(arrow(made.frame), to)
    (tmp_path / "t.parquet.manifest.json").write_text(json.dumps(made.manifest))
    if made.bags is not None:
        pq.write_table(arrow(made.bags), tmp_path / "t.bags.parquet")
    assert lda.attack(given, to, **asked).findings == played.findings
    with pytest.raises(lda.DataError, match="another table"):
        lda.attack(frame.assign(x=1.0), made, **asked)


def arrow(frame):
    return pa.Table.from_pandas(frame) if isinstance(frame, pd.DataFrame) else pa.table(frame)


def test_a_liar_in_memory_is_found_out():
    frame = pd.DataFrame({"x": np.arange(1000.0), "y": [0, 1] * 500})
    made = lda.release(frame, "rr:epsilon=1", label="y")
    assert lda.verify(replace(made, frame=frame), original=frame).judgement.outcome == lda.Outcome.FAIL
    assert lda.verify(frame, original=frame, mechanisms="rr:epsilon=1", label="y").judgement.outcome == lda.Outcome.FAIL
    for nothing in (frame, None, 3, replace(made, manifest={})):
        with pytest.raises(lda.AuditError, match="manifest"):
            lda.verify(nothing, original=frame)


def test_a_release_that_went_to_a_file_is_read_there(clinic, tmp_path):
    made = lda.release(clinic, "rr:epsilon=1", to=tmp_path / "out.parquet")
    assert made.path == tmp_path / "out.parquet"
    assert lda.verify(made, original=clinic).to_json() == lda.verify(made.path, original=clinic).to_json()


# ---- columns that name people


@pytest.mark.parametrize("spec", ["cluster-rr:epsilon=1,clusters=3", "p2p:epsilon=1,clusters=3", "lp-mst:epsilon=1"])
def test_a_column_like_an_identifier_that_guides_a_release_is_named_once(spec):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"patient_id": rng.permutation(600), "x": rng.normal(size=600), "y": rng.permutation([0, 1] * 300)}
    )
    [said] = lda.release(frame, spec, label="y").warnings
    assert "patient_id" in said and "--exclude" in said and "x" not in said.split(": ")[1].split(";")[0]
    assert lda.release(frame, spec, label="y", exclude="patient_id").warnings == ()
    assert lda.release(frame, "rr:epsilon=1", label="y").warnings == ()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_of_clusters_are_not_written_in_the_type_of_the_label(library):
    """200 of them are more than a byte holds."""
    columns = {"x": np.arange(800) % 200, "y": np.arange(800, dtype=np.int8) % 2}
    found = lda.release(library(columns), "cluster-rr:epsilon=1", label="y", cluster="x").frame
    assert sorted(set(found["channel"].to_numpy().tolist())) == list(range(200))
