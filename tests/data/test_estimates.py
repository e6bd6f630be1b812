"""What estimate-eta wrote can be read again, to the last bit; anything else is refused in one line."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labeldp_audit.core.errors import DataError
from labeldp_audit.data import read_estimates
from labeldp_audit.data.write import rows_file, write_all

COLUMNS = {
    "row": np.arange(1, 5),
    "eta_no": np.array([0.1, 1 - 2**-53, 0.0, 5e-324]),
    "eta_yes": np.array([0.9, 2.0**-53, 1.0, 1.0]),
    "count_no": np.array([1, 7, 0, 0]),
    "radius": np.array([0.1, np.inf, 0, 3], np.float32),
}
ABOUT = {"sha256": "ab" * 32, "label": "ü\n\ud800", "classes": ["no", "yes"], "k": 30, "log_loss": 0.1, "other": None}
CHANGED = "it is not as estimate-eta wrote it: eta.parquet"


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "eta.parquet"
    write_all([rows_file(place, COLUMNS, ABOUT)])
    return place


def refused(path):
    with pytest.raises(DataError) as caught:
        read_estimates(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_there_and_back(path):
    columns, said = read_estimates(str(path))
    assert list(columns) == list(COLUMNS)
    assert said == ABOUT
    for name, values in COLUMNS.items():
        wide = np.int64 if values.dtype == np.int64 else np.float64
        assert columns[name].dtype == wide
        assert columns[name].tobytes() == values.astype(wide).tobytes()


def test_any_tool_may_read_it(path):
    assert pq.read_table(path).to_pydict() == {name: values.tolist() for name, values in COLUMNS.items()}
    document = pq.read_schema(path).metadata[b"labeldp-audit"]
    assert document.isascii()
    said = json.loads(document)
    assert len(said.pop("content_sha256")) == 64
    assert said == {**ABOUT, "schema": "labeldp-audit/eta/3"}


def test_whatever_is_said_comes_back_and_is_json(tmp_path):
    names = ["Infinity", '-Infinity"', 'a\\"Infinity', "Infinity\\"]
    about = {"loss": np.inf, "low": np.float64(-np.inf), "classes": names, "Infinity": [np.inf, "NaN"]}
    numpy = {"k": np.int64(3), "share": np.float64(0.1), "at": {"c": (1, np.True_), 2: "x"}}
    write_all([rows_file(tmp_path / "e", COLUMNS, about | numpy | {"schema": "mine"})])
    plain = {"k": 3, "share": 0.1, "at": {"c": [1, True], "2": "x"}}
    assert read_estimates(str(tmp_path / "e"))[1] == about | plain, "a schema of the caller does not win"

    def refuse(token):
        raise AssertionError(token)

    json.loads(pq.read_schema(tmp_path / "e").metadata[b"labeldp-audit"], parse_constant=refuse)


def test_nan_is_never_written(tmp_path):
    with pytest.raises(ValueError, match="NaN"):
        write_all([rows_file(tmp_path / "e", COLUMNS, {"loss": np.nan})])
    assert list(tmp_path.iterdir()) == []


def test_nothing_there(tmp_path):
    assert refused(tmp_path / "none.parquet") == "no such file: none.parquet"
    assert refused(tmp_path) == f"not a regular file: {tmp_path.name}"
    assert refused("/dev/null") == "not a regular file: null"
    assert refused("a\0b").startswith("cannot be read")
    assert refused("x" * 300).startswith("cannot be read")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "not a regular file: pipe"


@pytest.mark.parametrize("end", [0, 4, 0.5, -1, "csv"])
def test_no_whole_parquet_file(path, end):
    content = path.read_bytes()
    path.write_bytes(b"row,eta_0\n1,0.5\n" if end == "csv" else content[: end if end != 0.5 else len(content) // 2])
    assert refused(path).startswith("not a complete Parquet file: eta.parquet")


def written(path, table, said=None):
    pq.write_table(table if said is None else table.replace_schema_metadata({"labeldp-audit": said}), path)


def test_of_another_tool(path):
    table = pq.read_table(path)
    for metadata in ({"pandas": "{}"}, None):
        written(path, table.replace_schema_metadata(metadata))
        assert refused(path) == "it was not written by estimate-eta: eta.parquet"
    write_all([rows_file(path, COLUMNS)])
    assert refused(path) == "it was not written by estimate-eta: eta.parquet"


@pytest.mark.parametrize(
    "said", ["", "{", "[1]", '"labeldp-audit/eta/1"', "{}", '{"schema": 1}', b"\xff\xfe", "[" * 100_000], ids=range(8)
)
def test_said_badly(path, said):
    written(path, pq.read_table(path), said)
    assert refused(path) == CHANGED


@pytest.mark.parametrize(
    "change",
    [{"k": 31}, {"more": 1}, {"content_sha256": 0}, {"content_sha256": None}, {"log_loss": float("nan")}],
    ids=str,
)
def test_said_otherwise(path, change):
    table = pq.read_table(path)
    said = json.loads(table.schema.metadata[b"labeldp-audit"])
    written(path, table, json.dumps(said))
    assert read_estimates(str(path))[1] == ABOUT, "written by another tool, but the same"
    written(path, table, json.dumps(said | change))
    assert refused(path) == CHANGED
    written(path, table, json.dumps(said).replace("30", "1e999"))
    assert refused(path) == CHANGED


def test_of_another_version(path):
    written(path, pq.read_table(path), '{"schema": "labeldp-audit/eta/1"}')
    line = "its schema is 'labeldp-audit/eta/1', this version reads 'labeldp-audit/eta/3': eta.parquet"
    assert refused(path) == line


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.take([1, 0, 2, 3]),
        lambda table: table.slice(0, 3),
        lambda table: table.drop_columns("row"),
        lambda table: table.append_column("more", pa.array([1, 2, 3, 4])),
        lambda table: table.select(list(COLUMNS)[::-1]),
        lambda table: table.rename_columns(["row", "eta_yes", "eta_no", "count_no", "radius"]),
        lambda table: table.set_column(0, "row", pa.array([1, 2, 3, None])),
        lambda table: table.set_column(0, "row", pa.array([1.0, 2, 3, 4])),
        lambda table: table.set_column(0, "row", pa.array(["1", "2", "3", "4"])),
        lambda table: table.set_column(0, "row", pa.array([1, 2, 3, 2**64 - 1], pa.uint64())),
        lambda table: table.set_column(1, "eta_no", pa.array([0.1, np.nan, 0, 5e-324])),
        lambda table: table.set_column(1, "eta_no", pa.array([0.1, 1 - 2**-53, 0, 0])),
        lambda table: table.set_column(1, "eta_no", pa.array([0.1, 1 - 2**-53, -0.0, 5e-324])),
    ],
)
def test_columns_that_somebody_changed(path, change):
    table = pq.read_table(path)
    written(path, change(table), table.schema.metadata[b"labeldp-audit"])
    assert refused(path) == CHANGED


def test_how_it_is_packed_is_no_change(path):
    table = pq.read_table(path)
    wide = table.set_column(4, "radius", table["radius"].cast(pa.float64()))
    pq.write_table(wide, path, compression="gzip", row_group_size=1, use_dictionary=False)
    assert read_estimates(str(path))[1] == ABOUT


def test_duplicate_names(path):
    table = pa.Table.from_arrays([pa.array([1])] * 2, names=["row", "row"])
    written(path, table, '{"schema": "labeldp-audit/eta/3"}')
    assert refused(path) == "two columns have the same name: eta.parquet: column 'row'"


def test_no_row(path):
    write_all([rows_file(path, {name: values[:0] for name, values in COLUMNS.items()}, ABOUT)])
    assert [len(values) for values in read_estimates(str(path))[0].values()] == [0] * 5


@settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_a_flipped_bit_is_seen(path, data):
    """Or makes no difference, as in the parts of a footer that nobody reads."""
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    damaged = path.with_name("damaged.parquet")
    damaged.write_bytes(content)
    try:
        columns, said = read_estimates(str(damaged))
    except DataError as error:
        assert "\n" not in str(error)
    else:
        assert said == ABOUT
        assert list(columns) == list(COLUMNS)
        assert all(np.array_equal(columns[name], values) for name, values in COLUMNS.items())
