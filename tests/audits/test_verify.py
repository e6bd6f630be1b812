"""A release beside its original: an honest one passes, and whatever was changed is found."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labeldp_audit as lda
from labeldp_audit.audits import received
from labeldp_audit.cli.app import main
from labeldp_audit.core.policy import Outcome
from labeldp_audit.data import ReadOptions
from labeldp_audit.mechanisms.alibi import soft

N = 4000


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x[::7] = np.nan
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), metadata={"what": "name"}), ("x", pa.float64()), ("y", pa.string()),
            ("when", pa.timestamp("us", "UTC")), ("ward", pa.dictionary(pa.int32(), pa.string())),
        ],
        metadata={"owner": "clinic"},
    )  # fmt: skip
    days = pa.array(rng.integers(0, 10**15, n)).cast(pa.timestamp("us", "UTC"))
    wards = pa.array(["a", "b", None, "c"] * (n // 4)).dictionary_encode()
    labels = pa.array(np.where(rng.random(n) < 0.3, "yes", "no"))
    return pa.table([np.arange(n), x, labels, days, wards], schema=schema)


@pytest.fixture
def clinic(tmp_path):
    place = tmp_path / "clinic.parquet"
    pq.write_table(table(), place, row_group_size=700)
    return place


def failing(report):
    return [one.worst.at.get("check", one.quantity) for one in report.judgement.verdicts if one.outcome is Outcome.FAIL]


def verify(to, **how):
    """Releases have noise of the operating system: at 0.99 one honest test in some hundreds would fail."""
    return lda.verify(to, confidence=1 - 1e-7, **how)


def released(clinic, tmp_path, spec="rr:epsilon=1", ending="parquet", **how):
    to = tmp_path / f"out.{ending}"
    lda.release(clinic, spec, to=to, force=True, **how)
    return to


@pytest.mark.parametrize(
    ("spec", "ending", "how"),
    [
        ("rr:epsilon=1", "parquet", {"keep_order": True}), ("rr:epsilon=1", "arrow", {}), ("rr:epsilon=1", "csv", {}),
        ("channel:matrix=0.9 0.1/0.3 0.7", "parquet", {}), ("llp:k=8", "parquet", {"keep_order": True}),
        ("geometric-llp:k=4,epsilon=1", "parquet", {}), ("laplace-llp:k=4,epsilon=1", "arrow", {}),
        ("llp:k=7", "csv", {}), ("alibi:epsilon=1", "parquet", {"keep_order": True}), ("alibi:epsilon=1", "arrow", {}),
        ("p2p:epsilon=1,clusters=100,delta=1e-06,theta=1", "parquet", {"cluster": "ward"}),
        ("p2p:epsilon=1,clusters=100,delta=1e-06,theta=0.5", "csv", {"cluster": "ward"}),
        ("dummy:epsilon=1", "parquet", {}),
    ],
)  # fmt: skip
def test_an_honest_release_passes(clinic, tmp_path, spec, ending, how):
    to = released(clinic, tmp_path, spec, ending, **how)
    beside = verify(to, original=clinic)
    assert (failing(beside), beside.judgement.outcome) == ([], Outcome.PASS)
    assert {one.mechanism for one in beside.findings} == {spec}
    alone = verify(to)
    assert alone.judgement.outcome is Outcome.PASS
    assert "only beside the original" in "".join(one.bound.reason or "" for one in alone.findings)
    assert json.loads(beside.to_json())["eta"] is None
    for form in ("json", "html", "md", "csv", "txt", "sarif", "xml"):
        beside.save(tmp_path / f"report.{form}")
    assert lda.read_report(tmp_path / "report.json").to_json() == beside.to_json()


@pytest.mark.parametrize("spec", ["rr:epsilon=1", "llp:k=4"])
def test_records_are_compared_by_their_values(tmp_path, spec):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    lines = [b'"a, b",%d,%d.0,"say ""hi""\r\nthere"\r\n' % (i % 2, i) for i in range(400)]
    place.write_bytes(b'name,"y",n,note\r\n' + b"".join(lines))
    lda.release(place, spec, to=to, label="y")
    assert failing(verify(to, original=place)) == []
    to.write_bytes(to.read_bytes().replace(b'"a, b"', b'"a,b"', 1))
    report = verify(to, original=place)
    assert failing(report) == ["rows"]
    assert [one.at["column"] for one in report.findings if one.bound.estimate and "column" in one.at] == ["name"]


def test_rows_without_a_label_were_left_out(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"a,y\n" + b"1,0\n2,\n3,1\n" * 200)
    lda.release(place, "rr:epsilon=1", to=to, drop_null_labels=True)
    assert failing(verify(to, original=place, drop_null_labels=True)) == []


def _other_cell(found):
    x = found["x"].to_numpy().copy()
    there = np.flatnonzero(~np.isnan(x))[0]  # a NaN has no next number
    x[there] = np.nextafter(x[there], 9)
    return found.set_column(1, found.schema.field("x"), pa.array(x))


CHANGES = {
    "rows": _other_cell,
    "manifest-rows": lambda found: found.slice(0, N - 1),
    "manifest": lambda found: found.append_column("true", found["y"]),
    "values": lambda found: found.set_column(2, "y", pa.array(["perhaps"] * N)),
}


@pytest.mark.parametrize("check", CHANGES)
def test_what_was_changed_is_found(clinic, tmp_path, check):
    to = released(clinic, tmp_path)
    pq.write_table(CHANGES[check](pq.read_table(to)), to)
    assert check in failing(verify(to, original=clinic))


def test_rows_that_are_all_alike_are_told_apart_by_the_key_alone(tmp_path):
    place, to, key = tmp_path / "t.csv", tmp_path / "out.csv", tmp_path / "key.parquet"
    place.write_bytes(b"a,y\n" + b"5,1\n5,0\n" * 200)
    for spec in ("rr:epsilon=1", "llp:k=4"):
        lda.release(place, spec, to=to, label="y", order=key, force=True)
        report = verify(to, original=place)
        assert report.judgement.outcome is (Outcome.INCONCLUSIVE if spec == "llp:k=4" else Outcome.PASS)
        assert any("--order FILE" in (one.bound.reason or "") for one in report.findings)
        assert verify(to, original=place, order=key).judgement.outcome is Outcome.PASS


def test_a_row_of_another_table_among_shuffled_ones_is_found(clinic, tmp_path):
    to = released(clinic, tmp_path)
    found = pq.read_table(to)
    pq.write_table(_other_cell(found), to)
    assert failing(verify(to, original=clinic)) == ["rows"]
    pq.write_table(found.sort_by("id"), to)  # the order of the original
    assert failing(verify(to, original=clinic)) == ["manifest", "order"]


def test_shuffled_rows_that_are_alike_are_left_out_where_their_labels_differ(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"a,y\n" + b"".join(b"%d,%d\n" % (i % 100, (i % 100 < 50) and i // 100 % 2) for i in range(2000)))
    lda.release(place, "rr:epsilon=1", to=to)
    report = verify(to, original=place)
    assert failing(report) == []
    assert [one.bound.n for one in report.findings if one.quantity == "flip_rate" and not one.at] == [1000]


def test_shuffled_rows_in_an_order_that_tells_labels_are_found(clinic, tmp_path):
    truth = np.array(pq.read_table(clinic)["y"].to_pylist())
    for spec in ("rr:epsilon=1", "llp:k=8"):
        to = released(clinic, tmp_path, spec)
        found = pq.read_table(to)
        true = truth[found["id"].to_numpy()]
        pq.write_table(found.take(pa.array(np.lexsort((true, np.arange(N) // 16)))), to)  # in each 16 the ill come last
        assert failing(verify(to, original=clinic)) == ["manifest", "order"]  # whose digest a liar computes again


def test_a_manifest_says_each_thing_once(clinic, tmp_path):
    to = released(clinic, tmp_path)
    place = tmp_path / "out.parquet.manifest.json"
    place.write_text('{"guarantees": [{"epsilon": 0.1}],' + place.read_text()[1:])
    with pytest.raises(lda.DataError, match="twice"):
        verify(to)


def test_rows_that_publish_nothing_are_none_that_are_positive(clinic, tmp_path):
    to = released(clinic, tmp_path, "p2p:epsilon=4,clusters=100,theta=0.5", cluster="ward")
    said = pq.read_table(to)["y"].to_pylist()
    assert verify(to).content.dataset.class_counts == (said.count("no"), said.count("yes"))


def test_rows_that_are_alike_are_not_published_in_the_clear(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    lines = [b"%d,%d\n" % (i // 4 % 500, i % 2) for i in range(4000)]
    lines += [b"%d,1\n" % i for i in range(1000, 1400)]  # others are told apart, with noise
    place.write_bytes(b"a,y\n" + b"".join(lines))
    lda.release(place, "rr:epsilon=1", to=to, label="y")
    assert failing(verify(to, original=place)) == []
    head, *rows = to.read_bytes().splitlines(keepends=True)
    noisy = [row for row in rows if int(row.split(b",")[0]) >= 1000]
    mixed = [*lines[:4000], *noisy]
    to.write_bytes(head + b"".join(mixed[one] for one in np.random.default_rng(0).permutation(len(mixed))))
    assert failing(verify(to, original=place)) == ["manifest", "channel"]


def test_a_release_in_which_no_row_is_told_apart_passes(tmp_path):
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    place.write_bytes(b"a,y\n" + b"1,0\n1,1\n2,0\n2,1\n" * 100)
    lda.release(place, "rr:epsilon=1", to=to)
    assert failing(verify(to, original=place)) == []


def _manifest(**changes):
    def change(found):
        for path, value in changes.items():
            *above, last = path.split("__")
            place = found
            for key in above:
                place = place[int(key)] if key.isdigit() else place[key]
            place[last] = value
        return found

    return change


@pytest.mark.parametrize(
    ("check", "change"),
    [
        ("guarantees", _manifest(guarantees__0__epsilon=0.5)),
        ("manifest", _manifest(label__positive="no")),
        ("manifest", _manifest(label__positive=None)),
        ("manifest", _manifest(shuffled="the first one is ill")),
        ("manifest", _manifest(people={"column": "nowhere", "most_rows": None})),
        ("manifest", _manifest(guide={"cluster": "y"})),
        (
            "manifest",
            _manifest(guide={"prior_from": {"rows": "the first one is ill", "left_out": 0, "assumptions": []}}),
        ),
        ("manifest", _manifest(previous_releases=[0, 1, 1])),
        ("manifest", _manifest(table__not_published=["the first one is ill"])),
        ("manifest", _manifest(table__unaudited=["y"])),
        ("guarantees", _manifest(guarantees=[])),
        ("manifest", _manifest(parameters__epsilon=0.5)),
        ("manifest", _manifest(learner__channel=[[0.5, 0.5], [0.5, 0.5]])),
        ("manifest", _manifest(table__columns=["x"])),
        ("manifest-rows", _manifest(table__rows=3)),
        ("randomness", _manifest(randomness="seeded-for-testing")),
        ("manifest", _manifest(seed=7)),
        ("channel", _manifest(mechanism="rr:epsilon=0.5")),
    ],
)
def test_a_manifest_that_says_something_else_is_found(clinic, tmp_path, check, change):
    to = released(clinic, tmp_path)
    place = tmp_path / "out.parquet.manifest.json"
    place.write_text(json.dumps(change(json.loads(place.read_text()))))
    assert check in failing(verify(to, original=clinic))


def _honest_clusters(tmp_path, spec):
    """Released by 50 clusters of 20, the manifest, and how it is told again."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"ward": np.arange(1000) % 50, "y": rng.integers(0, 2, 1000)})
    place, to = tmp_path / "t.csv", tmp_path / "out.csv"
    frame.to_csv(place, index=False)
    lda.release(place, spec, to=to, label="y", cluster="ward", keep_order=True)
    manifest = tmp_path / "out.csv.manifest.json"
    honest = json.loads(manifest.read_text())

    def told(**changes):
        manifest.write_text(json.dumps({**honest, "learner": {**honest["learner"], **changes}}))
        return verify(to, original=place)

    return frame, honest, manifest, told


def test_channels_that_spend_more_than_is_claimed_are_found(tmp_path):
    _, honest, _, told = _honest_clusters(tmp_path, "cluster-rr:epsilon=2,clusters=50")
    exact = honest["learner"]["exact"]
    assert told().judgement.outcome is Outcome.PASS
    more = int(exact["kept"]) + (1 << 60)
    rest = (1 << 64) - more
    half = [[str(rest // 2), str(rest - rest // 2)]] * 50
    assert "channels" in failing(told(exact={**exact, "kept": str(more), "replaced": half}))
    assert "channels" in failing(told(exact={**exact, "inverse_sigma": "1/100"}))
    skewed = [
        [str(int(one) + (int(other) >> 9)), str(int(other) - (int(other) >> 9))] for one, other in exact["replaced"]
    ]
    assert "channels" in failing(told(exact={**exact, "replaced": skewed}))


def test_counts_of_clusters_without_their_noise_are_found(tmp_path):
    """All of this epsilon is in the counts."""
    frame, honest, _, told = _honest_clusters(tmp_path, "cluster-rr:epsilon=0.5,clusters=50")
    assert honest["learner"]["epsilon_of_histograms"] == 0.5
    assert told().judgement.outcome is Outcome.PASS
    lda.release(tmp_path / "t.csv", "cluster-rr:epsilon=0.5,clusters=50", to=tmp_path / "shuffled.csv", label="y",
                cluster="ward")  # fmt: skip
    shuffled = verify(tmp_path / "shuffled.csv", original=tmp_path / "t.csv")  # rows of a ward are all alike
    assert failing(shuffled) == []
    groups = pd.read_csv(tmp_path / "out.csv")["channel"]
    counts = np.stack([np.bincount(groups[frame["y"] == c], minlength=50) for c in (0, 1)], axis=1)
    assert {"channels", "noise"} <= {*failing(told(noisy_counts=counts.tolist()))}


@pytest.mark.parametrize(
    "spec", ["p2p:epsilon=2,clusters=50", "cluster-rr:epsilon=2,clusters=50", "domain-rr:epsilon=2,clusters=50"]
)
def test_more_guarantees_than_hold_are_found(tmp_path, spec):
    _, honest, manifest, told = _honest_clusters(tmp_path, spec)
    assert failing(told()) == []
    lower = {**honest["guarantees"][-1], "epsilon": 0.01, "delta": 0.0}
    for said in ([*honest["guarantees"], lower], [*honest["guarantees"][:-1], lower]):
        manifest.write_text(json.dumps({**honest, "guarantees": said}))
        report = verify(tmp_path / "out.csv", original=tmp_path / "t.csv")
        assert failing(report) == ["guarantees"]


def _named(bags, number):
    """The bags of a table, numbered anew."""
    order = np.argsort(number)
    return pa.table(
        {"bag": np.arange(len(bags)), **{name: bags[name].to_numpy()[order] for name in ("rows", "positives")}}
    )


@pytest.mark.parametrize("spec", ["llp:k=8", "geometric-llp:k=8,epsilon=1", "laplace-llp:k=8,epsilon=1"])
def test_the_table_of_bags_tells_nothing_else(clinic, tmp_path, spec):
    to = released(clinic, tmp_path, spec)
    place, rows = tmp_path / "out.bags.parquet", pq.read_table(to)
    bags, bag = pq.read_table(place), rows["bag"].to_numpy()
    ill = table()["y"].to_pandas() == "yes"
    true = np.bincount(bag[ill[rows["id"].to_numpy()]], minlength=len(bags))
    finer = pa.array(bags["positives"].to_numpy() + true / 2**24)
    for change, check in (
        (bags.append_column("true", pa.array(true)), "bag-table"),
        (bags.take(np.argsort(true, kind="stable")), "bag-table"),
        (bags.set_column(2, "positives", finer), "range"),
    ):
        pq.write_table(change, place)
        assert check in failing(verify(to, original=clinic))
    number = np.argsort(np.argsort(true, kind="stable"))
    pq.write_table(_named(bags, number), place)
    pq.write_table(rows.set_column(2, rows.schema.field("bag"), pa.array(number[bag])), to)
    assert failing(verify(to, original=clinic)) == ["manifest", "composition"]


@pytest.mark.parametrize("part", ["", "tool", "label", "published", "learner", "table"])
def test_a_manifest_tells_nothing_else(clinic, tmp_path, part):
    to = released(clinic, tmp_path)
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    (manifest[part] if part else manifest)["true"] = [0, 1, 1]
    place.write_text(json.dumps(manifest))
    assert failing(verify(to, original=clinic)) == ["manifest"]


@pytest.mark.parametrize(
    "change", [{"values": ["yes", "no"]}, {"values": ["no", "yes", "yes"]}, {"columns": ["y", "x"]}]
)
def test_a_manifest_that_names_other_columns_or_values_is_refused(clinic, tmp_path, change):
    """A column of the table that counts as published would be compared with nothing."""
    to = released(clinic, tmp_path)
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    manifest["published"] |= change
    place.write_text(json.dumps(manifest))
    with pytest.raises(lda.AuditError, match="names other columns or values"):
        lda.verify(to, original=clinic)


def test_guarantees_of_that_very_release_are_computed_again(clinic, tmp_path):
    to = released(clinic, tmp_path, "p2p:epsilon=1,clusters=10", exclude=["when"])
    assert failing(verify(to, original=clinic)) == []
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    manifest["guarantees"][1]["epsilon"] /= 2
    place.write_text(json.dumps(manifest))
    assert failing(verify(to, original=clinic)) == ["guarantees"]


def test_counts_and_bags_that_are_not_true_are_found(clinic, tmp_path):
    to = released(clinic, tmp_path, "llp:k=8")
    place = tmp_path / "out.bags.parquet"
    bags = pq.read_table(place).to_pandas()
    for change, check in (
        ({"positives": np.where(bags.index == 3, (bags["positives"] + 1) % 9, bags["positives"])}, "bag-counts"),
        ({"positives": np.where(bags.index == 3, 9, bags["positives"])}, "range"),
        ({"rows": np.where(bags.index == 3, 9, bags["rows"])}, "bag-sizes"),
    ):
        changed = pa.Table.from_pandas(bags.assign(**change), preserve_index=False)
        pq.write_table(changed.replace_schema_metadata(None), place)
        assert check in failing(verify(to, original=clinic))


@pytest.mark.parametrize("spec", ["geometric-llp:k=4,epsilon=1", "laplace-llp:k=4,epsilon=1"])
def test_noise_of_another_law_is_found(tmp_path, spec):
    clinic = tmp_path / "clinic.parquet"
    pq.write_table(table(20_000), clinic)
    to = released(clinic, tmp_path, spec)
    place, manifest = tmp_path / "out.bags.parquet", tmp_path / "out.parquet.manifest.json"
    bags, told = pq.read_table(place), manifest.read_text()
    assert failing(verify(to, original=clinic)) == []
    rounded = pa.array(np.clip(np.round(bags["positives"].to_numpy()), 0, 4) + 0.0)
    pq.write_table(bags.set_column(2, "positives", rounded), place)
    assert "noise" in failing(verify(to, original=clinic))
    pq.write_table(bags, place)
    manifest.write_text(told.replace("epsilon=1", "epsilon=0.5"))
    assert {"noise", "observed_epsilon"} <= {*failing(verify(to, original=clinic))}


def _theirs(clinic, pi):
    """The labels as another tool publishes them; pi of each row."""
    frame = pd.read_parquet(clinic, columns=["id", "x", "y"])
    flips = np.random.default_rng(1).random(len(frame)) < pi(frame)
    return frame, frame.assign(y=np.where(flips, np.where(frame["y"] == "yes", "no", "yes"), frame["y"]))


PI = 1 / (1 + math.e)


@pytest.mark.parametrize(
    ("check", "pi"),
    [
        (None, lambda frame: PI),
        ("channel", lambda frame: np.where(frame["y"] == "yes", 0, PI)),
        ("position", lambda frame: np.where(frame["id"] % 64 == 9, 0, PI)),
        ("features", lambda frame: np.where(frame["x"] > 1, 0.05, PI)),
    ],
)
def test_releases_of_other_tools(tmp_path, check, pi):
    clinic, to = tmp_path / "clinic.parquet", tmp_path / "theirs.csv"
    pq.write_table(table(20_000), clinic)
    original, theirs = _theirs(clinic, pi)
    theirs.to_csv(to, index=False)
    report = verify(to, original=original, mechanisms="rr:epsilon=1", label="y")
    assert failing(report) == [] if check is None else check in failing(report)
    assert report.content.dataset.class_counts[1] == int((theirs["y"] == "yes").sum())


@pytest.mark.parametrize("key", [False, True])
def test_noise_drawn_again_is_found_in_a_shuffled_release(tmp_path, key):
    """Rows are tested in the order in which their labels were drawn."""
    place, to, order = tmp_path / "t.parquet", tmp_path / "out.parquet", tmp_path / "key.parquet"
    n, rng = 4000, np.random.default_rng(5)
    frame = pd.DataFrame({"x": rng.permutation(n), "y": rng.integers(0, 2, n)})
    frame.to_parquet(place)
    made = lda.release(place, "rr:epsilon=1", to=to, order=order)
    flips = np.tile(rng.random(1000) < PI, 4)
    said = (frame["y"].to_numpy() ^ flips)[made.order]
    pq.write_table(pq.read_table(to).set_column(1, "y", pa.array(said)), to)
    assert "repeats" in failing(lda.verify(to, original=place, order=order if key else None))


@pytest.mark.parametrize(
    "change", [_manifest(people=5), _manifest(people=["x"]), _manifest(guide={"cluster": ["x"]}),
               _manifest(guide={"prior": 5}), _manifest(table__columns="x"), _manifest(tool={"name": [0, 1]})],
)  # fmt: skip
def test_parts_of_a_manifest_of_another_kind_are_one_line(clinic, tmp_path, change):
    to = released(clinic, tmp_path)
    place = tmp_path / "out.parquet.manifest.json"
    place.write_text(json.dumps(change(json.loads(place.read_text()))))
    with pytest.raises(lda.DataError, match="not as `release` wrote it"):
        verify(to, original=clinic)


def test_a_release_that_nothing_is_known_of_is_refused(clinic, tmp_path):
    to = released(clinic, tmp_path)
    (tmp_path / "out.parquet.manifest.json").unlink()
    with pytest.raises(lda.DataError, match="without its manifest"):
        verify(to)
    with pytest.raises(lda.SpecError, match="one mechanism"):
        verify(to, original=clinic, mechanisms=["rr:epsilon=1", "rr:epsilon=2"])


def test_a_law_that_is_not_known_leaves_the_answer_open(clinic, tmp_path, monkeypatch):
    to = released(clinic, tmp_path, "geometric-llp:k=4,epsilon=1")
    kind = type(received.read(str(to), ReadOptions()).mechanism)
    monkeypatch.setattr(kind, "noise_at_most", lambda *_: None)
    report = verify(to, original=clinic)
    assert (failing(report), report.judgement.outcome) == ([], Outcome.INCONCLUSIVE)


def test_no_row_stands_in_a_report(clinic, tmp_path):
    marked = table().set_column(4, "ward", pa.array(["only-here-0815"] + ["b"] * (N - 1)))
    pq.write_table(marked, clinic)
    to = released(clinic, tmp_path)
    assert "only-here" not in verify(to, original=clinic).to_json()


def test_honest_small_releases_hardly_ever_alarm(tmp_path):
    """At 0.99: at most 1 % of them in the long run."""
    place = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.integers(0, 5, 300), "z": rng.normal(size=300), "y": rng.integers(0, 2, 300)})
    frame.to_csv(place, index=False)
    alarms, runs = 0, 40
    for run in range(runs):
        to = tmp_path / f"out{run % 2}.csv"
        lda.release(place, ("rr:epsilon=1", "llp:k=4")[run % 2], to=to, force=True)
        alarms += bool(failing(lda.verify(to, original=place)))
    assert alarms <= 3  # P(Binomial(40, 0.01) > 3) < 0.001


def test_the_status_is_the_verdict(clinic, tmp_path, capsys):
    to = tmp_path / "out.parquet"
    asked = ["verify", str(to), "--original", str(clinic), "--no-output", "-q"]
    main(["release", str(clinic), "--to", str(to), "--mechanism", "rr:epsilon=1", "-q"])
    assert main(asked) == 0
    main(["release", str(clinic), "--to", str(to), "--mechanism", "rr:epsilon=1", "-q", "--force",
          "--insecure-for-testing"])  # fmt: skip
    capsys.readouterr()
    assert main(asked) == 1
    assert "nobody can repeat the draw" in capsys.readouterr().out.split("pass")[0]
    assert main([*asked, "--exit-zero"]) == 0
    assert main(["verify", str(tmp_path / "none.parquet")]) == 3


# ---- mechanisms with laws of their own


@pytest.fixture
def clusters(tmp_path):
    """Three classes, three rows with each x, a prior, and a person for two rows."""
    rng, n = np.random.default_rng(2), 6000
    prior = rng.permuted(np.tile([0.75, 0.125, 0.125], (n, 1)), axis=1)
    frame = pd.DataFrame({"x": np.arange(n) // 3, "who": np.arange(n) // 2, "y": rng.integers(0, 3, n)})
    place = tmp_path / "t.parquet"
    frame.assign(ward=np.arange(n) % 20, **{f"p{c}": prior[:, c] for c in range(3)}).to_parquet(place, index=False)
    return place


def _asked(spec):
    if spec.startswith(("prior-rr", "model-rr")):
        return {"prior": ["p0", "p1", "p2"]}
    return {"cluster": "ward"} if "clusters" in spec else {}


GUIDED = [
    "cluster-rr:epsilon=2,clusters=20",
    "domain-rr:epsilon=2,clusters=20,share=0.2",
    "prior-rr:epsilon=1",
    "model-rr:epsilon=1",
    "lp-mst:epsilon=1,stages=2",
]
SOFT = ["alibi:epsilon=1", "dummy:epsilon=1", "pate:epsilon=20,teachers=3,queries=20"]
OPEN = "pate:epsilon=20,teachers=3,queries=20"


def _edited(value):
    """Something else of the same kind, in one place."""
    if isinstance(value, dict):
        name = next(iter(value))
        return {**value, name: _edited(value[name])}
    if isinstance(value, list):
        return [_edited(value[0]), *value[1:]] if value else [0]
    if isinstance(value, str):
        return str(int(value) - 1) if value.isdecimal() else value + "0"
    return value + 1 if isinstance(value, int) else value * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("spec", ["rr:epsilon=1", *GUIDED, *SOFT])
def test_whatever_a_manifest_tells_a_learner_is_computed_again(clusters, tmp_path, spec):
    to = released(clusters, tmp_path, spec, label="y", group="who", **_asked(spec))
    honest = verify(to, original=clusters)
    assert failing(honest) == []
    for report in (honest, verify(to)):
        assert report.judgement.outcome is (Outcome.INCONCLUSIVE if spec == OPEN else Outcome.PASS)
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    told, facts = manifest["learner"], []
    for name, value in told.items():
        if name == "noisy_counts" or (name == "most_likely" and spec.startswith("lp-mst")):
            continue  # which were drawn, or learnt from what was drawn: noise is tested, with the original
        facts += (
            [{name: {**value, part: _edited(value[part])}} for part in value if part != "denominator"]
            if (isinstance(value, dict))
            else [{name: _edited(value)}]
        )
    for change in [*facts, {"true": [0, 1, 1]}]:
        place.write_text(json.dumps({**manifest, "learner": {**told, **change}}))
        try:
            found = failing(verify(to))
        except lda.DataError as error:  # of laws that are none
            found = (
                ["manifest"]
                if "channels that the manifest tells" in str(error) or "does not tell" in str(error)
                else []
            )
        assert {"manifest", "channels"} & {*found}, change
    place.write_text(json.dumps({**manifest, "people": {**manifest["people"], "most_rows": 1}}))
    assert failing(verify(to, original=clusters)) == ["manifest"]


@pytest.mark.parametrize(
    ("spec", "how"),
    [("p2p:epsilon=2", {"cluster": "ward"}), ("geometric-llp:k=4,epsilon=1", {}), ("laplace-llp:k=4,epsilon=1", {})],
)
def test_and_so_it_is_of_two_classes(clinic, tmp_path, spec, how):
    to = released(clinic, tmp_path, spec, **how)
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    assert failing(verify(to, original=clinic)) == [] and manifest["learner"]
    for name, value in manifest["learner"].items():
        place.write_text(json.dumps({**manifest, "learner": {**manifest["learner"], name: _edited(value)}}))
        assert failing(verify(to, original=clinic)) == ["manifest"], name


def test_a_student_tells_rows_apart_by_features_alone(clusters, tmp_path):
    """No verdict on the noise is possible, but a copy of a row with another soft label comes from its own label."""
    pq.write_table(pq.read_table(clusters).select(["x", "y"]), clusters)
    to = released(clusters, tmp_path, OPEN, label="y")
    assert failing(verify(to)) == []
    found = pq.read_table(to)
    for step, check in ((0.05, "alike"), (-2.0, "range")):
        moved = found["y_0"].to_numpy() + step * (np.arange(6000) % 3 == 1)
        other = found["y_1"].to_numpy() - step * (np.arange(6000) % 3 == 1)
        pq.write_table(found.set_column(1, "y_0", pa.array(moved)).set_column(2, "y_1", pa.array(other)), to)
        assert check in failing(verify(to, original=clusters))


_in_a_ward = np.arange(6000) % 20 == 7


@pytest.mark.parametrize(
    ("spec", "change", "check"),
    [
        ("alibi:epsilon=1", lambda y, said: np.eye(3)[y] * 0.3 + 0.7 / 3, "range"),
        ("alibi:epsilon=1", lambda y, said: np.where((y == 1)[:, None], _certain(y), said), "channel"),
        ("alibi:epsilon=1", lambda y, said: np.where(_in_a_ward[:, None], _certain(y), said), "features"),
        ("dummy:epsilon=1", lambda y, said: said[np.argsort(np.argsort(y, kind="stable"))], "channel"),
        ("dummy:epsilon=1", lambda y, said: y, "channel"),
        ("dummy:epsilon=1", lambda y, said: np.sort(y), "along"),
    ],
)  # fmt: skip
def test_liars_in_files_are_caught(clusters, tmp_path, spec, change, check):
    to = released(clusters, tmp_path, spec, label="y", keep_order=True)
    y = pq.read_table(clusters)["y"].to_numpy()
    found = pq.read_table(to)
    names = [name for name in found.column_names if name.startswith("y")]
    said = np.stack([found[name].to_numpy() for name in names], axis=1)
    if len(names) == 1:
        said = np.sort(said[:, 0])
    told = change(y, said).reshape(6000, -1)
    for place, name in enumerate(names):
        found = found.set_column(found.column_names.index(name), name, pa.array(told[:, place]))
    pq.write_table(found, to)
    assert check in failing(verify(to, original=clusters))


def _certain(y):
    """As sure as a soft label can be."""
    return soft(16 * np.eye(3, dtype=int)[y].T, 1.0).T


def test_more_columns_beside_labels_alone_are_found(clusters, tmp_path):
    to = released(clusters, tmp_path, "dummy:epsilon=1", label="y")
    found = pq.read_table(to)
    for change, check in (
        (found.append_column("x", pq.read_table(clusters)["x"]), "schema"),
        (found.slice(0, 5999), "rows"),
    ):
        pq.write_table(change, to)
        assert check in failing(verify(to, original=clusters))


def test_soft_labels_that_are_equally_likely_are_shared_out(clusters, tmp_path):
    """A third of the rows has each class, and hardly any is by rounding a third of nobody."""
    to = released(clusters, tmp_path, "alibi:epsilon=0.01", label="y")
    counts = verify(to, original=clusters).content.dataset.class_counts
    assert sum(counts) == 6000 and all(abs(one - 2000) < 100 for one in counts)


@pytest.mark.parametrize(
    "change", [_manifest(label__positive={"a": 1}), _manifest(parameters__epsilon=10**400), _manifest(learner=[])]
)
def test_manifests_that_nobody_wrote_end_in_a_verdict_or_a_line(clinic, tmp_path, change):
    to = released(clinic, tmp_path)
    place = tmp_path / "out.parquet.manifest.json"
    place.write_text(json.dumps(change(json.loads(place.read_text()))))
    try:
        assert failing(verify(to, original=clinic)) == ["manifest"]
    except lda.DataError as error:
        assert "the manifest is not as `release` wrote it" in str(error)


@pytest.mark.parametrize(("part", "key"), [("published", "sha256"), ("table", "columns")])
def test_nothing_is_left_out_of_a_manifest(clinic, tmp_path, part, key):
    to = released(clinic, tmp_path, "rr:epsilon=1")
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    del manifest[part][key]
    place.write_text(json.dumps(manifest))
    assert failing(verify(to, original=clinic)) == ["manifest"]


def test_a_manifest_without_a_positive_class_is_no_reason_to_fail_otherwise(clinic, tmp_path):
    to = released(clinic, tmp_path, "rr:epsilon=1")
    place = tmp_path / "out.parquet.manifest.json"
    manifest = json.loads(place.read_text())
    del manifest["label"]["positive"]
    place.write_text(json.dumps(manifest))
    assert failing(verify(to)) == ["manifest"]
