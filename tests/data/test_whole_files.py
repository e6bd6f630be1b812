"""A file is there as a whole or not at all."""

import os
import stat
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from labeldp_audit.core.errors import DataError
from labeldp_audit.data.write import rows_file, text_file, write_all

COLUMNS = {"row": np.arange(3), "eta": np.array([0.1, 0.5, 0.9], np.float32), "name": np.array(["a", "b", "ü"])}


def write_text(path, text="new"):
    write_all([text_file(path, text)])


def write_rows(path):
    write_all([rows_file(path, COLUMNS)])


WRITERS = pytest.mark.parametrize("write", [write_text, write_rows])


def names(folder):
    return [path.name for path in folder.iterdir()]


def test_text(tmp_path):
    write_text(tmp_path / "a.json", "grüße\n")
    write_text(tmp_path / "a.json", "again\r\n")
    assert (tmp_path / "a.json").read_bytes() == b"again\r\n"
    assert names(tmp_path) == ["a.json"]


def test_text_is_as_open_as_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a.json", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o640


def test_rows_are_their_owners_only_from_the_first_byte(tmp_path, monkeypatch):
    modes = []
    write_table = pq.write_table

    def watched(*arguments, **options):
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir())
        write_table(*arguments, **options)

    monkeypatch.setattr(pq, "write_table", watched)
    before = os.umask(0)
    try:
        write_rows(tmp_path / "rows.parquet")
    finally:
        os.umask(before)
    assert modes == [0o600]
    assert stat.S_IMODE((tmp_path / "rows.parquet").stat().st_mode) == 0o600
    table = pq.read_table(tmp_path / "rows.parquet")
    assert table.to_pydict() == {name: values.tolist() for name, values in COLUMNS.items()}


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()], ids=repr
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
@WRITERS
def test_failure_leaves_the_old_file_and_no_debris(tmp_path, monkeypatch, error, step, write):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fails(*_):
        raise error

    monkeypatch.setattr(os if step == "fsync" else Path, step, fails)
    with pytest.raises(DataError if isinstance(error, OSError) else type(error)) as caught:
        write(path)
    if isinstance(error, OSError):
        assert str(caught.value) == f"cannot write: {path}: No space left on device"
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@WRITERS
def test_a_full_device(write):
    with pytest.raises(DataError, match="No space left"):
        write(Path("/dev/full"))


def test_links_are_followed_and_devices_are_written(tmp_path):
    write_text(Path("/dev/null"), "x")
    assert not Path("/dev/null").is_file()
    (tmp_path / "real").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "real" / "a.json")
    write_text(tmp_path / "link.json", "x")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real" / "a.json").read_text() == "x"


def test_places_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "none" / "a.json", tmp_path / "file" / "a.json", tmp_path / ("x" * 300)):
        with pytest.raises(DataError, match="cannot write") as caught:
            write_text(path, "x")
        assert "\n" not in str(caught.value)
    assert names(tmp_path) == ["file"]


def test_all_or_none(tmp_path):
    """The last of three cannot be written."""
    (tmp_path / "old.json").write_text("old")
    folder = tmp_path / "new" / "folder"
    files = [text_file(tmp_path / "old.json", "new"), rows_file(folder / "rows.parquet", COLUMNS)]
    with pytest.raises(DataError, match="cannot write"):
        write_all([*files, text_file(tmp_path / "old.json" / "x", "x")], folder)
    assert names(tmp_path) == ["old.json"]
    assert (tmp_path / "old.json").read_text() == "old"
    write_all(files, folder)
    assert names(folder) == ["rows.parquet"]
    assert (tmp_path / "old.json").read_text() == "new"


def test_only_empty_folders_of_ours_are_taken_back(tmp_path):
    (tmp_path / "theirs").mkdir()
    with pytest.raises(DataError):
        write_all([text_file(tmp_path / "none" / "x", "x")], tmp_path / "theirs" / "ours")
    assert names(tmp_path) == ["theirs"]
    assert names(tmp_path / "theirs") == []
