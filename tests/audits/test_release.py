"""The protected table: nothing else changes, and the manifest says no more than a reader may know."""

from __future__ import annotations

import gzip
import json
import math
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

import labeldp_audit as lda
from labeldp_audit.audits import received
from labeldp_audit.audits import release as releasing
from labeldp_audit.core.policy import Outcome
from labeldp_audit.data import ReadOptions

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
            ("tags", pa.list_(pa.int32())), ("ward", pa.dictionary(pa.int32(), pa.string())),
        ],
        metadata={"owner": "clinic"},
    )  # fmt: skip
    x = rng.normal(size=n)
    x[::7] = np.nan
    return pa.table(
        [
            np.arange(n), pa.array(x), pa.array((rng.random(n) < 0.3).astype(np.int8)), days,
            pa.array([[1, 2]] * n, pa.list_(pa.int32())),
            pa.array(["a", "b", None, "c"] * (n // 4)).dictionary_encode(),
        ],
        schema=schema,
    )  # fmt: skip


@pytest.fixture
def clinic(tmp_path):
    place = tmp_path / "clinic.parquet"
    pq.write_table(table(), place, compression="zstd", row_group_size=300)
    return place


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_every_other_column_stays_as_it_is(clinic, tmp_path, ending):
    lda.release(clinic, "rr:epsilon=1", to=tmp_path / f"out.{ending}")
    read = pq.read_table if ending == "parquet" else lambda place: pa.ipc.open_file(place).read_all()
    found = read(tmp_path / f"out.{ending}")
    original = pq.read_table(clinic)
    assert found.schema.equals(original.schema, check_metadata=True)
    for name in ("id", "when", "tags", "ward"):
        assert found[name].to_pylist() == original[name].to_pylist()
    assert np.array_equal(found["x"].to_numpy().view(np.int64), original["x"].to_numpy().view(np.int64))
    share = np.mean(found["y"].to_numpy() == original["y"].to_numpy())
    assert abs(share - 1 / (1 + math.exp(-1))) < 5 * 0.5 / math.sqrt(N)


def test_two_releases_differ_and_a_seed_is_for_tests(clinic, tmp_path):
    first, again = (lda.release(pq.read_table(clinic), "rr:epsilon=1").frame["y"] for _ in range(2))
    assert first != again


CSV = (
    b'\xef\xbb\xbfname,"y",note\r\n"a, b",1,"say ""hi""\r\nthere"\r\n\r\n 1.50 ,0,\r\n'
    + b"plain,1,x\r\n" * 300
    + b"last,0,y"
)


NUMBERS = ("int64", "float64")


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_bytes_of_other_cells_stay_as_they_are(tmp_path, ending):
    place, to = tmp_path / f"t.{ending}", tmp_path / f"out.{ending}"
    place.write_bytes(gzip.compress(CSV) if ending.endswith("gz") else CSV)
    lda.release(place, "rr:epsilon=60", to=to, label="y")
    found = gzip.decompress(to.read_bytes()) if ending.endswith("gz") else to.read_bytes()
    assert found == CSV


def test_a_frame_of_pandas_holds_every_class_that_was_released():
    letters = np.array(["a", "b", "c"])[np.arange(60) % 3]
    kinds = pd.DataFrame({"x": np.arange(60), "y": pd.Categorical(letters)})
    said = lda.release(kinds, "rr:epsilon=1", positive="b", label="y").frame["y"]
    assert set(said) == {"b", "rest"}
    truths = pd.DataFrame({"x": np.arange(60), "y": np.arange(60) % 2 == 0})
    said = lda.release(truths, "channel:matrix=0.5 0.3 0.2/0.2 0.3 0.5", label="y").frame["y"]
    assert set(said) == {"false", "true", "output 3"}


@pytest.mark.parametrize("shuffle", [False, True])
def test_views_of_texts_and_maps_are_released(tmp_path, shuffle):
    texts = pa.array(["no", "yes"] * 50, pa.string_view())
    maps = pa.array([[("a", 1.0)]] * 100, pa.map_(pa.string(), pa.float64()))
    place, to = tmp_path / "t.parquet", tmp_path / "out.arrow"
    pq.write_table(pa.table({"id": np.arange(100), "v": texts, "m": maps, "y": texts}), place)
    lda.release(place, "rr:epsilon=1", to=to, label="y", shuffle=shuffle)
    found = pa.ipc.open_file(to).read_all()
    assert (found["y"].type, found["v"].type) == (pa.string_view(), pa.string_view())
    assert found["v"].to_pylist() == [texts[one].as_py() for one in found["id"].to_pylist()]
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome == "pass"


def test_a_quotation_mark_inside_a_cell_is_refused(tmp_path):
    """Counted as the beginning of a quoted cell, it would leave the label where it is and replace what is before."""
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_text("a,b,y,c\n" + '5","a,b,c,d",1,6"\n1,2,0,3\n' * 50)
    with pytest.raises(lda.AuditError, match="cannot be told apart"):
        lda.release(place, "rr:epsilon=1", to=to, label="y")
    assert not to.exists()


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
    made = lda.release(place, "llp:k=8", to=to, delimiter=";")
    lines = to.read_bytes().splitlines()
    assert lines[0] == b"a;bag;b" and lines[1].startswith(b"1,5;") and lines[1].endswith(b";x")
    bags = pd.read_csv(tmp_path / "out.bags.csv", sep=";")
    assert bags["rows"].sum() == 400 and bags["positives"].sum() == 200 and len(bags) == 50
    assert made.manifest["guarantees"] == [] and made.bags["rows"].sum() == 400


@pytest.mark.parametrize("mechanism", ["llp:k=8", "laplace-llp:k=8,epsilon=1", "alibi:epsilon=1", "rr:epsilon=1"])
def test_a_european_file_is_released_as_one(tmp_path, mechanism):
    place, to, european = tmp_path / "t.csv", tmp_path / "out.csv", {"delimiter": ";", "decimal": ","}
    place.write_bytes(b"a;label;b\n" + b"1,5;no;x\n2,5;yes;y\n" * 400)
    lda.release(place, mechanism, to=to, **european)
    assert pd.read_csv(to, sep=";", decimal=",").filter(regex="^(a|bag|label_)").dtypes.map(str).isin(NUMBERS).all()
    found = lda.verify(to, original=place, **european)
    assert all(one.outcome in (lda.Outcome.PASS, lda.Outcome.INCONCLUSIVE) for one in found.judgement.verdicts)
    assert not [one for one in found.findings if one.quantity == "release_faults" and one.bound.estimate]


def test_rows_can_be_shuffled(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    lda.release(clinic, "rr:epsilon=60", to=to, shuffle=True)
    found, original = pq.read_table(to), pq.read_table(clinic)
    assert found["id"].to_pylist() != original["id"].to_pylist()
    assert found.sort_by("id").select(["id", "y", "when"]).equals(original.select(["id", "y", "when"]))


def test_rows_without_a_label_are_left_out(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"a,y\n" + b"1,0\n2,\n3,1\n" * 100)
    lda.release(place, "rr:epsilon=60", to=to, drop_null_labels=True)
    assert to.read_bytes() == b"a,y\n" + b"1,0\n3,1\n" * 100


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
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
    with pytest.raises(lda.SpecError, match="to a Parquet or an Arrow file"):
        lda.release(given, "rr:epsilon=1", label="y", to=tmp_path / "out.csv")


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
    frame.index = frame.index[::-1] * 3
    given = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[library]
    found = lda.release(given, "rr:epsilon=60", label="y").frame
    bags = lda.release(given, "llp:k=8", label="y").bags
    assert type(found) is type(bags) is type(given) and sum(bags["rows"].to_numpy()) == 400
    if library == "pandas":
        pd.testing.assert_frame_equal(found, frame)
    elif library == "polars":
        assert found["x"].equals(given["x"]) and found["y"].cast(pl.String).equals(given["y"].cast(pl.String))
    else:
        assert found["y"].to_pylist() == given["y"].to_pylist()


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
    assert again == manifest


def test_rows_of_one_person_are_counted(tmp_path):
    frame = pd.DataFrame({"who": [f"p{i % 90}" for i in range(300)], "x": range(300), "y": [0, 1] * 150})
    assert lda.release(frame, "rr:epsilon=1", group="who").manifest["people"] == {"column": "who", "most_rows": 4}


def test_files_get_the_mode_of_the_input(clinic, tmp_path):
    clinic.chmod(0o640)
    to = tmp_path / "out.parquet"
    lda.release(clinic, "llp:k=4", to=to)
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
    with pytest.raises(lda.SpecError, match="the table is parquet and the release would be csv"):
        lda.release(clinic, "rr:epsilon=1", to=tmp_path / "out.csv")
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


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "labeldp-audit/release/1"}', '{"schema": 3}', "\xff"])
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
        assert pd.crosstab(found["channel"], side).to_numpy().all() == 0 and len(set(found["channel"])) == 2
        assert np.mean(found["y"] != label) < 0.25  # randomized response would change 27 %
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
    made = lda.release(place, f"domain-rr:epsilon=1,clusters={classes}", to=to)
    found, told = pd.read_csv(to), made.manifest["learner"]
    assert np.mean(found["y"] == label) > 0.9 and [one["epsilon"] for one in made.manifest["guarantees"]] == [1.0]
    assert told["epsilon_of_histograms"] + told["epsilon_of_labels"] == pytest.approx(1.0)
    assert lda.verify(to, original=place, confidence=SURE).judgement.outcome is not Outcome.FAIL


def test_clusters_that_cannot_be(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    for column, message in (("y", "is the label"), ("warm", "no column")):
        with pytest.raises(lda.SpecError, match=message):
            lda.release(clinic, "cluster-rr:epsilon=1", to=to, cluster=column)
    with pytest.raises(lda.SpecError, match="holds a label in each row"):
        lda.release(tmp_path / "t.svm", "cluster-rr:epsilon=1", to=tmp_path / "out.svm")


def test_a_manifest_without_its_channels_is_refused(clinic, tmp_path):
    to = tmp_path / "out.parquet"
    lda.release(clinic, "cluster-rr:epsilon=1", to=to, cluster="ward")
    kept = tmp_path / "out.parquet.manifest.json"
    for spoilt in ({}, {"exact": {"kept": "1", "replaced": [["1", "2"]]}}, {"exact": {"kept": "x"}}):
        manifest = json.loads(kept.read_text())
        kept.write_text(json.dumps({**manifest, "learner": spoilt}))
        with pytest.raises(lda.DataError, match="channel"):
            received.read(str(to), ReadOptions())


def test_a_reader_has_the_parameters_to_the_last_digit(clinic, tmp_path):
    """A spec has six digits."""
    to = tmp_path / "out.parquet"
    lda.release(clinic, "rr:epsilon=0.12345678901234", to=to)
    assert received.read(str(to), ReadOptions()).mechanism.epsilon == 0.12345678901234
    assert lda.verify(to, original=clinic, confidence=SURE).judgement.outcome == lda.Outcome.PASS


# ---- what could tell the old order


def test_a_shuffled_release_of_pandas_has_a_new_index():
    frame = pd.DataFrame({"x": np.arange(300.0), "y": [0, 1, 1] * 100}, index=np.arange(300) * 7)
    found = lda.release(frame, "rr:epsilon=1", label="y", shuffle=True).frame
    assert found.index.tolist() == list(range(300)) and found["x"].tolist() != list(range(300))
    kept = lda.release(frame, "rr:epsilon=1", label="y").frame
    assert kept.index.tolist() == frame.index.tolist()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "memory", "pandas"])
def test_dictionaries_of_a_shuffled_release_do_not_tell_the_old_order(tmp_path, kind):
    """Their values stand in the order in which rows have them."""
    names = [f"n{i}" for i in range(200)]
    given = pa.table({"name": pa.array([*names[:-1], None]).dictionary_encode(), "y": ["no", "yes"] * 100})
    if kind in ("memory", "pandas"):
        given = given.to_pandas() if kind == "pandas" else given
        found = lda.release(given, "rr:epsilon=1", label="y", shuffle=True).frame
        found = pa.Table.from_pandas(found) if kind == "pandas" else found
    else:
        place, to = tmp_path / "t.parquet", tmp_path / f"out.{kind}"
        pq.write_table(given, place)
        lda.release(place, "rr:epsilon=1", label="y", to=to, shuffle=True)
        found = pq.read_table(to) if kind == "parquet" else pa.ipc.open_file(to).read_all()
        assert lda.verify(to, original=place, confidence=SURE).judgement.outcome == "pass"
    there = [one for one in found["name"].to_pylist() if one is not None]
    assert found["name"].combine_chunks().dictionary.to_pylist() == there
    assert sorted(there) == sorted(names[:-1]) and there != names[:-1]


def test_line_ends_of_a_shuffled_release_do_not_tell_who_was_first_or_last(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"y,x\r\n\r\n1,first\r\n" + b"0,a\r\n1,b\r\n" * 100 + b"\r\n\r\n1,last")
    lda.release(place, "rr:epsilon=1", to=to, label="y", shuffle=True)
    lines = to.read_bytes().split(b"\r\n")
    assert len(lines) == 205 and lines[:2] == [b"y,x", b""] and all(lines[2:-1]) and lines[-1] == b""


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
    made = lda.release(given, spec, label="y", shuffle=True)
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
