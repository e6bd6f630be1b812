"""The file of estimate-eta is read as what it is, or refused in one line; its numbers are not computed again."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pyarrow as pa
import pytest
from people import people

import labeldp_audit as lda
from labeldp_audit.core.errors import DataError
from labeldp_audit.core.remark import DOUBTS, ORDER_TELLS
from labeldp_audit.core.settings import Settings
from labeldp_audit.data import read_estimates
from labeldp_audit.estimators import supplied


@pytest.fixture(scope="module", params=["knn", "linear", "given"])
def written(request, tmp_path_factory):
    place = tmp_path_factory.mktemp("eta") / "eta.parquet"
    table = people(400)
    way = {"eta": np.full(400, 0.5)} if request.param == "given" else {"estimator": request.param}
    lda.estimate_eta(table, **way, threads=1).rows.save(place)
    return read_estimates(str(place))


def test_what_was_written_is_read(written):
    columns, said = written
    told = supplied.checked(columns, said, "e.parquet")
    assert (told.classes, told.seed, told.n) == (("0", "1"), 0, len(columns["row"]))


@pytest.mark.parametrize("name", [one.name for one in fields(supplied.About)])
def test_checked_refuses_facts_that_are_missing(written, name):
    columns, said = written
    with pytest.raises(DataError, match=f"not as estimate-eta wrote it: '{name}' is missing"):
        supplied.checked(columns, {key: value for key, value in said.items() if key != name}, "e.parquet")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("classes", "01"), ("classes", ["0", 1]), ("n", "1"), ("n", 1.5), ("n", True), ("rows_used", None),
        ("recall", "x"), ("order_p", []), ("log_loss", "much"), ("log_loss", 10**400), ("remarks", {}),
        ("remarks", [{"code": "rows-repeat"}]), ("remarks", [{"code": 1, "values": {}}]), ("tried", [1]),
        ("tried", [{"name": "x"}]), ("columns", None), ("asked", []), ("given", [1]), ("label", None), ("sha256", 5),
        ("exact", 1), ("metric", 2), ("twins", {"pairs": 1}),
    ],
)  # fmt: skip
def test_checked_refuses_facts_of_another_type(written, name, value):
    columns, said = written
    with pytest.raises(DataError, match="not as estimate-eta wrote it"):
        supplied.checked(columns, {**said, name: value}, "e.parquet")


def test_checked_refuses_columns_missing_or_of_another_type(written):
    columns, said = written
    for name, values in columns.items():
        # Only some models write `unresolved`, and nothing reads the limits of neighbourhoods again.
        if name == "unresolved" or name.startswith("neighborhood_"):
            continue
        rest = {key: item for key, item in columns.items() if key != name}
        kind = np.float64 if values.dtype.kind == "i" else np.int64
        for other in (rest, {**rest, name: values.astype(kind)}):
            with pytest.raises(DataError, match="is missing, or of another type"):
                supplied.checked(other, said, "e.parquet")


def test_each_of_its_facts_is_a_field():
    """Those of eta, and of a search, are named once more in lists."""
    fields = set(supplied.About.__dataclass_fields__)
    assert set(supplied._FACTS) <= fields and set(supplied._SEARCH) <= set(Settings.__dataclass_fields__)


# ---- why no limits hold


def test_doubts_about_the_table_hold_though_the_file_lacks_them(tmp_path):
    table = pa.concat_tables([people(300)] * 2)
    rows = lda.estimate_eta(table, threads=1, estimator="linear").rows.content
    kept = [one for one in rows.about["remarks"] if one["code"] not in DOUBTS]
    assert len(kept) < len(rows.about["remarks"])
    lda.Rows(replace(rows, about={**rows.about, "remarks": kept})).save(tmp_path / "e.parquet")
    report = lda.nu_max(table, eta_file=tmp_path / "e.parquet").content
    assert all(one.bound.low is None and one.bound.high is None for one in report.findings)


def test_an_order_that_tells_labels_is_said_once(tmp_path):
    table = people(400).sort_by("label")
    lda.estimate_eta(table, threads=1, estimator="linear").rows.save(tmp_path / "e.parquet")
    report = lda.nu_max(table, eta_file=tmp_path / "e.parquet", few_rows=True).content
    assert [one.code for one in report.remarks].count(ORDER_TELLS) == 1
    assert all(one.bound.low is None and one.bound.high is None for one in report.findings)
