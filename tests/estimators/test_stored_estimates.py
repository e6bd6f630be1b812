"""What estimate-eta says of its rows is read as what it can have written, or refused; also where it was sealed anew."""

from __future__ import annotations

import copy
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import people

import labeldp_audit as lda
from labeldp_audit.core.errors import DataError
from labeldp_audit.core.remark import DOUBTS, ORDER_TELLS
from labeldp_audit.core.settings import Settings
from labeldp_audit.data import eta_file, read_estimates
from labeldp_audit.estimators import supplied


@pytest.fixture(scope="module", params=["knn", "linear"])
def written(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("eta") / "eta.parquet"
    report = lda.estimate_eta(people(400), estimator=request.param, threads=1)
    report.rows.save(place)
    return read_estimates(str(place))


def test_what_was_written_is_read(written):
    columns, said = written
    told = supplied.checked(columns, said, "e.parquet")
    assert (told.classes, told.seed, told.n) == (("0", "1"), 0, len(columns["row"]))


def _at(path, value):
    def change(said):
        inside = said
        for key in path[:-1]:
            inside = inside[key]
        if value is KeyError:
            del inside[path[-1]]
        else:
            inside[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        *(_at([name], KeyError) for name in ("classes", "remarks", "tried", "k", "asked", "log_loss", "seed", "twins")),
        *(_at([name], value) for name in ("n", "rows_used", "choices") for value in (0, -1, "1", 1.5, True, None)),
        *(_at(["classes"], value) for value in ([], ["0"], ["0", "0"], ["0", 1], "01", None, {"0": 1})),
        *(_at([name], value) for name in ("recall", "recall_low", "order_p") for value in (-0.1, 1.1, "x", [])),
        _at(["k"], 0), _at(["seed"], -1), _at(["log_loss"], -0.5), _at(["log_loss"], "much"),
        _at(["remarks"], [{"code": 1, "values": {}}]),
        _at(["remarks"], [{"code": "rows-repeat"}]), _at(["remarks"], {}),
        _at(["tried"], [{"name": "x"}]), _at(["tried"], [1]), _at(["columns"], [{"name": "x"}]), _at(["columns"], None),
        _at(["asked"], {"colour": "red"}), _at(["asked"], {"k": -1}), _at(["asked"], []),
        _at(["twins"], {"pairs": 1, "differ": 2}),
        *(_at(["metric"], value) for value in ("cosine", None)), _at(["recall_low"], 0.5), _at(["choices"], 0),
        _at(["choices"], 10**400),
        _at(["given"], ["x"]), _at(["twins"], {"pairs": 201, "differ": 0}), _at(["order_p"], KeyError),
        *(_at(["knn", name], value) for name in ("k", "rows") for value in (0, "1", None, KeyError)),
        *(_at(["knn", name], value) for name in ("recall", "log_loss") for value in (-0.1, "x", None, KeyError)),
        _at(["given"], [1]), _at(["label"], None), _at(["sha256"], 5), _at(["exact"], 1), _at(["metric"], 2),
    ],
)  # fmt: skip
def test_what_is_said_has_types_and_ranges(written, change):
    columns, said = written
    other = copy.deepcopy(json.loads(eta_file._json(said)))
    change(other)
    with pytest.raises(DataError, match="not as estimate-eta wrote it"):
        supplied.checked(columns, other, "e.parquet")


def _set(name, value, place=0):
    def change(columns):
        if value is KeyError:
            del columns[name]
        else:
            columns[name] = columns[name].copy()
            columns[name][place] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("row", 0), _set("row", 10**9), _set("row", KeyError), _set("eta_1", KeyError), _set("eta_1", 1.5),
        _set("eta_0", np.nan),
        _set("eta_0", -0.1), _set("count_1", -1), _set("count_0", KeyError),
        _set("k", 10**6), _set("k", 0), _set("radius", -1.0),
        _set("radius", np.nan), _set("part", -1), _set("part", 10**6), _set("unseen_1", 2.0),
        _set("unseen_0", KeyError),
        lambda columns: columns.update(more=columns["row"]), lambda columns: columns.update(k=columns["eta_1"]),
        lambda columns: columns.update({name: values[:0] for name, values in columns.items()}),
    ],
)  # fmt: skip
def test_columns_have_shapes_and_sums(written, change):
    columns, said = dict(written[0]), written[1]
    change(columns)
    with pytest.raises(DataError, match="not as estimate-eta wrote it"):
        supplied.checked(columns, said, "e.parquet")


def test_each_of_its_facts_is_a_field():
    """Those of eta, and of a search, are named once more in lists."""
    fields = set(supplied.About.__dataclass_fields__)
    assert set(supplied._FACTS) <= fields and set(supplied._SEARCH) <= set(Settings.__dataclass_fields__)


# ---- what lot and labels decide


def _all_in_one_part(columns, said):
    columns["part"] = np.zeros_like(columns["part"])


def _scores_tell_nothing(columns, said):
    columns["unseen_0"], columns["unseen_1"] = (np.full(len(columns["row"]), 0.5) for _ in range(2))


def _sealed(columns, said, place):
    said = json.loads(eta_file._json(said))
    about = eta_file.metadata(columns, said)
    pq.write_table(pa.table(columns).replace_schema_metadata(about), place)
    return place


def test_and_what_is_sealed_unchanged_is_taken(written, tmp_path):
    columns, said = written
    report = lda.nu_max(people(400), eta_file=_sealed(columns, said, tmp_path / "e.parquet"), few_rows=True)
    assert report.content.parameters["eta_file"] == "e.parquet"


def test_the_order_of_scores_is_for_the_labels_to_say(written, tmp_path):
    columns, said = ({**one} for one in copy.deepcopy(written))
    told = said["order_p"]
    if told is None:
        pytest.skip("neighbourhoods have no scores")
    said["order_p"] = 0.0
    report = lda.nu_max(people(400), eta_file=_sealed(columns, said, tmp_path / "e.parquet"), few_rows=True)
    assert report.content.eta.order_p == told > 0


def test_one_row_of_each_person_is_drawn_again(tmp_path):
    """A file of rows that somebody chose is refused, whatever it says of people."""
    table = people(400)
    table = table.append_column("who", pa.array(np.arange(400) // 2))
    lda.estimate_eta(table, group="who", threads=1, estimator="linear").rows.save(tmp_path / "e.parquet")
    columns, said = read_estimates(str(tmp_path / "e.parquet"))
    assert len(columns["row"]) == 200
    lda.nu_max(table, eta_file=tmp_path / "e.parquet", few_rows=True)
    columns["row"] = np.arange(2, 401, 2)
    with pytest.raises(DataError, match=r"rows that the table does not have|does not fit this table"):
        lda.nu_max(table, eta_file=_sealed(columns, said, tmp_path / "e.parquet"), few_rows=True)


def test_a_doubt_about_copies_cannot_be_left_out(tmp_path):
    table = pa.concat_tables([people(300)] * 2)
    lda.estimate_eta(table, threads=1, estimator="linear").rows.save(tmp_path / "e.parquet")
    columns, said = read_estimates(str(tmp_path / "e.parquet"))
    kept = [one for one in said["remarks"] if one["code"] not in DOUBTS]
    assert len(kept) < len(said["remarks"])
    lda.nu_max(table, eta_file=tmp_path / "e.parquet")
    with pytest.raises(DataError, match="leaves out why no limits hold"):
        lda.nu_max(table, eta_file=_sealed(columns, {**said, "remarks": kept}, tmp_path / "e.parquet"))


def test_an_order_that_tells_labels_is_seen_whatever_a_file_says_of_it(tmp_path):
    table = people(400).sort_by("label")
    lda.estimate_eta(table, threads=1, estimator="linear").rows.save(tmp_path / "e.parquet")
    columns, said = read_estimates(str(tmp_path / "e.parquet"))
    kept = [one for one in said["remarks"] if one["code"] != ORDER_TELLS]
    assert len(kept) == len(said["remarks"]) - 1
    for remarks in (said["remarks"], kept):
        sealed = _sealed(columns, {**said, "remarks": remarks}, tmp_path / "e.parquet")
        report = lda.nu_max(table, eta_file=sealed, few_rows=True).content
        assert [one.code for one in report.remarks].count(ORDER_TELLS) == 1
        assert all(one.bound.low is None and one.bound.high is None for one in report.findings)


def test_file_of_an_older_version_gets_its_trial_now(written, tmp_path):
    columns, said = ({**one} for one in copy.deepcopy(written))
    told = said.pop("knn")
    report = lda.nu_max(people(400), eta_file=_sealed(columns, said, tmp_path / "e.parquet"), few_rows=True)
    assert report.content.eta.knn.k == told["k"] and report.content.eta.knn.rows == 400
