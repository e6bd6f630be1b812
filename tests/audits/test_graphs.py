"""A graph goes into a file and back, and into every command that estimates; that of another table is refused."""

from __future__ import annotations

import json
import stat

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.neighbors import NearestNeighbors

import labeldp_audit as lda

ROWS = 400


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 3)).round(2)
    y = (rng.random(ROWS) < 1 / (1 + np.exp(1 - 2 * x[:, 0]))).astype(int)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1] * 1000, "c": x[:, 2], "y": y})


@pytest.fixture(scope="module")
def place(tmp_path_factory, frame):
    folder = tmp_path_factory.mktemp("graph")
    frame.to_parquet(folder / "table.parquet")
    frame.to_csv(folder / "table.csv", index=False)
    lda.graph(folder / "table.parquet", k=30).save(folder / "graph.parquet")
    return folder


def numbers(report):
    return report.findings.to_frame()[["quantity", "mechanism", "estimate", "low", "high"]]


def test_graph_command_says_what_it_built(audit, place, tmp_path):
    said = audit("graph", place / "table.parquet", "--to", tmp_path / "g.parquet", "--k", 20, "--index", "ivf")
    assert said.status == 0
    assert (
        "400 rows  20 to 20 neighbours each" in said.out
        and "IndexIVFFlat (nlist 1, nprobe 1): recall 1.000" in said.out
    )
    assert f"next: labeldp-audit estimate-j {place / 'table.parquet'} --graph {tmp_path / 'g.parquet'}" in said.out
    assert stat.S_IMODE((tmp_path / "g.parquet").stat().st_mode) == 0o600
    said = audit("graph", place / "table.parquet", "--to", tmp_path / "l.parquet", "--label", "y", "--exclude", "b")
    assert said.out.endswith(f"--graph {tmp_path / 'l.parquet'} --label y --exclude b\n")
    said = audit("graph", place / "table.parquet", "--to", tmp_path / "h.parquet", "--k", 20, "-f", "json")
    facts = json.loads(said.out)
    assert (facts["rows"], facts["k"], facts["shortfall"], facts["recall"]) == (ROWS, 20, 0, 1.0)
    assert facts["index"] == {"class": "IndexFlatL2"} and len(facts["features_sha256"]) == 64


def test_graph_command_refuses_in_one_line(audit, place, tmp_path):
    for words, why in {
        ("--k", "400", "--to", tmp_path / "x.parquet"): "k = 400 needs more than 400 rows",
        ("--to", place / "graph.parquet"): "there is a file of that name",
        ("--to", place / "table.parquet", "--force"): "over the table",
        ("--to", tmp_path / "x.csv"): "a graph is a Parquet file",
        (): "missing --to FILE",
    }.items():
        said = audit("graph", place / "table.parquet", *words)
        assert said.status == 2 and why in said.error
    assert not (tmp_path / "x.parquet").exists()


def test_graph_file_is_what_python_returns(place, frame):
    graph, file = lda.graph(frame, k=30), pd.read_parquet(place / "graph.parquet")
    pd.testing.assert_frame_equal(graph.to_frame(), file)
    assert list(file.columns) == ["row", "neighbors", "distances"] and file.neighbors[0].dtype == np.int32
    assert file.distances[0].dtype == np.float32 and np.all(np.diff(graph.distances[0]) >= 0)
    counts = graph.class_counts(frame.y)
    assert counts[7].tolist() == np.bincount(frame.y[graph.neighbors[7]], minlength=2).tolist()
    matrix = graph.to_scipy()
    assert matrix.shape == (ROWS, ROWS) and matrix.nnz == counts.sum()


@pytest.mark.parametrize("command", [lda.estimate_eta, lda.nu_max, lda.estimate_j, lda.advantage, lda.audit])
def test_graph_gives_the_numbers_of_knn(place, frame, command):
    """The same counts as the scan, from the file and from memory, for another kind of file of the same features."""
    known = numbers(command(frame, estimator="knn", k=30))
    for data, graph in (
        (place / "table.parquet", place / "graph.parquet"),
        (place / "table.csv", str(place / "graph.parquet")),
        (frame, lda.graph(frame, k=30)),
    ):
        report = command(data, graph=graph)
        pd.testing.assert_frame_equal(numbers(report), known)
        assert (report.content.eta.k, report.content.eta.exact) == (30, True)


def test_fewer_neighbours_of_a_graph_are_counted(place, frame):
    fewer = lda.nu_max(frame, graph=place / "graph.parquet", k=9)
    pd.testing.assert_frame_equal(numbers(fewer), numbers(lda.nu_max(frame, estimator="knn", k=9)))


def test_labels_may_change_and_features_may_not(place, frame):
    lda.nu_max(frame.assign(y=1 - frame.y), graph=place / "graph.parquet")
    for other in (frame.assign(c=frame.c + 1e-3), frame.sample(frac=1, random_state=0), frame.iloc[1:]):
        with pytest.raises(lda.DataError, match=r"not the|another table"):
            lda.nu_max(other, graph=place / "graph.parquet")
    for other in ({"exclude": "c"}, {"categorical": "c"}):
        with pytest.raises(lda.DataError, match="another table, or of other features"):
            lda.nu_max(frame, graph=place / "graph.parquet", **other)


def test_small_whole_numbers_are_no_categories(frame):
    """Their fingerprints are alike, and their distances are not."""
    table = frame.assign(c=frame.index % 5)
    with pytest.raises(lda.DataError, match="another table, or of other features"):
        lda.nu_max(table, graph=lda.graph(table, k=5), categorical="c")


def test_graph_file_that_was_edited_is_refused(place, frame, tmp_path):
    """Neighbours of the same label, in a file that says that this tool found the nearest ones."""
    table = pq.read_table(place / "graph.parquet")
    same = [np.flatnonzero((frame.y == y) & (frame.index != i))[:30].astype(np.int32) for i, y in enumerate(frame.y)]
    edited = table.set_column(1, table.schema.field(1), pa.array(same, table.schema.field(1).type))
    pq.write_table(edited, tmp_path / "edited.parquet")
    with pytest.raises(lda.DataError, match="checksum mismatch"):
        lda.nu_max(frame, graph=tmp_path / "edited.parquet")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"estimator": "linear"}, "exclude each other"),
        ({"eta": "a"}, "exclude each other"),
        ({"k": 31}, "30 neighbours of each row, and k asks for 31"),
        ({"graph": 5}, "a graph is a path, or what `graph` returned, and no int"),
    ],
)
def test_options_that_a_graph_contradicts_are_refused(place, frame, options, why):
    with pytest.raises(lda.SpecError, match=why):
        lda.nu_max(frame, **{"graph": place / "graph.parquet", **options})


def test_index_of_faiss_counts_as_the_scan_does(frame):
    report = lda.estimate_j(frame, estimator="knn:index=exact", tau=1)
    pd.testing.assert_frame_equal(numbers(report), numbers(lda.estimate_j(frame, estimator="knn", tau=1)))
    assert report.content.eta.estimator == "knn:index=exact"
    for spec in ("knn:index=flat", "knn:k=3"):
        with pytest.raises(lda.SpecError, match=r"one parameter: index=exact\|ivf\|hnsw"):
            lda.nu_max(frame, estimator=spec)


def test_rows_of_a_person_and_null_labels_keep_their_numbers(frame, tmp_path):
    """Ids are rows of the file; rows without a label are none, and only one row of a person has a say."""
    table = frame.assign(y=frame.y.where(frame.index % 10 > 0), person=np.arange(ROWS) // 2)
    options = {"drop_null_labels": True, "group": "person"}
    graph = lda.graph(table, k=12, **options)
    assert graph.rows.tolist() == [row for row in range(ROWS) if row % 10]
    for row, near in zip(graph.rows, graph.neighbors, strict=True):
        assert np.all(near // 2 != row // 2) and np.all(near % 10 > 0)
    graph.save(tmp_path / "g.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "g.parquet"), graph.to_frame())
    for labels in (table.y, table.y.dropna()):
        counts = graph.class_counts(labels)
        assert counts[3].tolist() == np.bincount(table.y[graph.neighbors[3]].astype(int), minlength=2).tolist()
    with pytest.raises(lda.DataError, match="300 labels for a graph of 360 rows"):
        graph.class_counts(table.y[:300])
    report = lda.estimate_eta(table, graph=tmp_path / "g.parquet", **options)
    assert report.content.eta.queries == 200
    rows = report.rows.to_frame()
    assert rows.k.max() <= 12 and rows.k.min() < 12
    assert report.content.eta.k == np.median(rows.k), "of so many neighbours the labels count"
    with pytest.raises(lda.DataError, match="or people"):
        lda.estimate_eta(table, graph=graph, drop_null_labels=True, exclude="person")


# ---- graphs of other tools


def foreign(frame, folder, squared=False, k=20, **changed):
    x = frame[["a", "b", "c"]].to_numpy()
    distances, ids = NearestNeighbors(n_neighbors=k + 1).fit(x).kneighbors(x)
    columns = {"neighbors": list(ids), "distances": list(distances**2 if squared else distances)} | changed
    pd.DataFrame(columns).to_parquet(folder / "foreign.parquet")
    return folder / "foreign.parquet"


@pytest.mark.parametrize("squared", [False, True])
def test_foreign_graph_is_spot_checked_and_its_recall_measured(frame, tmp_path, squared):
    report = lda.nu_max(frame, graph=foreign(frame, tmp_path, squared))
    eta = report.content.eta
    assert (eta.k, eta.exact, eta.recall) == (20, False, 1.0) and eta.recall_low < 1


def test_foreign_graph_between_encoded_rows_is_taken(frame, tmp_path):
    graph = lda.graph(frame, k=15)
    graph.to_frame()[["neighbors", "distances"]].to_parquet(tmp_path / "bare.parquet")
    assert lda.nu_max(frame, graph=tmp_path / "bare.parquet").content.eta.recall == 1.0


def test_foreign_graph_with_gaps_and_without_order_is_taken(frame, tmp_path):
    ids = pd.read_parquet(foreign(frame, tmp_path)).neighbors
    holes = [np.where(np.arange(21) == 20, -1, one)[::-1] for one in ids]
    far = [one[::-1] for one in pd.read_parquet(foreign(frame, tmp_path)).distances]
    report = lda.nu_max(frame, graph=foreign(frame, tmp_path, neighbors=holes, distances=far))
    assert report.content.eta.k == 19


def test_graph_of_another_table_is_refused(frame, tmp_path):
    """Liars: shuffled rows, made-up distances, neighbours that are not near, ids beyond the table, and one id twice."""
    path = foreign(frame, tmp_path)
    with pytest.raises(lda.DataError, match="distances of 100 rows are not those of the table"):
        lda.nu_max(frame.sample(frac=1, random_state=1, ignore_index=True), graph=path)
    ids = pd.read_parquet(path).neighbors
    x = frame[["a", "b", "c"]].to_numpy()
    rng = np.random.default_rng(0)
    of_label = [
        rng.permutation(np.flatnonzero((frame.y == y) & (frame.index != i)))[:20] for i, y in enumerate(frame.y)
    ]
    far = [np.linalg.norm(x[near] - x[i], axis=1) for i, near in enumerate(of_label)]
    for changed, why in (
        ({"distances": [np.ones(21)] * ROWS}, "distances of 100 rows"),
        ({"neighbors": of_label, "distances": far}, "of the nearest neighbours, ties included, it lists 0"),
        ({"neighbors": [one + 390 for one in ids]}, "no row of the table"),
        ({"neighbors": [np.full(21, -1)] * ROWS}, "it lists no neighbours"),
        ({"neighbors": [one if i < 20 else np.full(21, -1) for i, one in enumerate(ids)]}, "it lists 0"),
        ({"neighbors": [np.full(21, (i + 1) % ROWS) for i in range(ROWS)]}, "lists a neighbor twice"),
    ):
        with pytest.raises(lda.DataError, match=why):
            lda.nu_max(frame, graph=foreign(frame, tmp_path, **changed))
    with pytest.raises(lda.DataError, match="its 400 rows are not the 399 of the table"):
        lda.nu_max(frame.iloc[:-1], graph=path)


def test_foreign_graph_that_leaves_neighbours_out_has_no_limits(frame, tmp_path):
    """Labels may have chosen which: here up to four of the other label are left out."""
    ids, far = (pd.read_parquet(foreign(frame, tmp_path, k=40))[name] for name in ("neighbors", "distances"))
    kept = [np.setdiff1d(np.arange(1, 41), np.flatnonzero(frame.y[near].to_numpy() != y)[:4])
            for near, y in zip(ids, frame.y, strict=True)]  # fmt: skip
    changed = {"neighbors": [a[b] for a, b in zip(ids, kept, strict=True)],
               "distances": [a[b] for a, b in zip(far, kept, strict=True)]}  # fmt: skip
    report = lda.estimate_j(frame, graph=foreign(frame, tmp_path, **changed), tau=1)
    assert any("labels may have had a say" in one for one in report.warnings)
    for one in report.findings:
        assert (one.bound.low, one.bound.high, one.bound.neighborhood_low) == (None, None, None)


def test_ties_that_a_foreign_graph_broke_by_position_are_refused(tmp_path):
    """Four distinct rows, each 100 times, sorted by label: neighbours by position would give every label away."""
    x = np.repeat(np.random.default_rng(9).normal(size=(4, 3)), 100, axis=0)
    frame = pd.DataFrame(x, columns=["a", "b", "c"]).assign(y=np.tile(np.repeat([0, 1], 50), 4), key=range(400))
    near = [np.arange(max(0, min(i - 10, 379)), max(0, min(i - 10, 379)) + 20) for i in range(400)]
    far = [np.linalg.norm(x[one] - x[i], axis=1) for i, one in enumerate(near)]
    with pytest.raises(lda.DataError, match="ties included"):
        lda.nu_max(frame, graph=foreign(frame, tmp_path, neighbors=near, distances=far), exclude="key")


def test_graph_file_that_is_none_is_refused(place, frame, tmp_path):
    (tmp_path / "text.parquet").write_text("no Parquet")
    for path, why in ((place / "table.parquet", "no column neighbors"), (tmp_path / "text.parquet", "text.parquet"),
                      (tmp_path / "none.parquet", "no such file")):  # fmt: skip
        with pytest.raises(lda.DataError, match=why):
            lda.nu_max(frame, graph=path)


def test_picture_draws_limits_of_averages_where_others_are_withheld(frame, tmp_path):
    report = lda.estimate_j(frame, estimator="knn", k=300, tau="0:4:1", mechanisms="rr:epsilon=1")
    assert all(one.bound.low is None for one in report.findings if one.quantity == "j")
    picture = report.save(tmp_path / "j.svg").read_text(encoding="utf-8")
    assert "limits of neighbourhood averages" in picture and 'class="band' in picture
