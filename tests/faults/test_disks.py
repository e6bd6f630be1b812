"""Disks that are full or closed, folders that lead elsewhere meanwhile, and several runs into one folder."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import threading
from pathlib import Path

import pyarrow as pa
import pytest
from people import people, write_everywhere
from running import names

from labeldp_audit.cli import terminal
from labeldp_audit.core.errors import DataError
from labeldp_audit.core.progress import Silent
from labeldp_audit.data import write
from labeldp_audit.data.sources import locate
from labeldp_audit.data.sources.contract import HowText


class Then(Silent):
    """Does something as soon as the table is being read."""

    def __init__(self, act) -> None:
        self._act = act

    def stage(self, name: str, total: float | None, unit: str) -> None:
        act, self._act = self._act, lambda: None
        act()


@pytest.fixture
def meanwhile(monkeypatch):
    def do(act) -> None:
        monkeypatch.setattr(terminal, "watched", lambda quiet: contextlib.nullcontext(Then(act)))

    return do


@pytest.fixture
def mounted(tmp_path):
    """mount(options...) at a folder, where the system lets us."""
    places = []

    def mount(*options: str) -> Path:
        place = tmp_path / f"mounted{len(places)}"
        place.mkdir()
        if subprocess.run(["mount", *options, place], capture_output=True, check=False).returncode:
            pytest.skip("only root may mount")
        places.append(place)
        return place

    yield mount
    for place in reversed(places):
        subprocess.run(["umount", place], check=True)


# ---- no room, no permission


@pytest.mark.parametrize("size", ["16k", "64k", "96k"])
def test_a_full_disk(audit, table, mounted, size):
    disk = mounted("-t", "tmpfs", "-o", f"size={size}", "none")
    (disk / "theirs").write_text("kept")
    ended = audit("audit", table, "--bags", "30", "-o", disk / "out")
    assert (ended.status, ended.error.split(":")[0]) == (3, "cannot write")
    assert ended.error.endswith("No space left on device")
    assert names(disk) == ["theirs"]


def test_a_release_on_a_full_disk(audit, tables, mounted):
    disk = mounted("-t", "tmpfs", "-o", "size=16k", "none")
    ended = audit("release", tables / "t.csv", "--to", disk / "r.csv", "--mechanism", "rr:epsilon=1", "-q")
    assert (ended.status, ended.error.split(":")[0]) == (3, "cannot write")
    assert names(disk) == []


def test_a_folder_that_cannot_be_written(audit, table, tmp_path, mounted):
    (tmp_path / "closed").mkdir()
    closed = mounted("--bind", str(tmp_path / "closed"))
    subprocess.run(["mount", "-o", "remount,ro,bind", closed], check=True)
    reports = (("-o", closed), ("-o", closed / "new"), ("--no-output", "-f", f"json={closed}/r.json"))
    release = ("release", table, "--to", closed / "r.parquet", "--mechanism", "rr:epsilon=1")
    for words in (*(("nu-max", table, *one) for one in reports), release):
        ended = audit(*words)
        assert (ended.status, "cannot write there: Read-only file system" in ended.error) == (2, True)
    assert names(closed) == []


# ---- folders that become another


def test_a_folder_that_becomes_a_link(audit, table, meanwhile, tmp_path):
    (tmp_path / "theirs").mkdir()
    meanwhile(lambda: Path("out").symlink_to(tmp_path / "theirs"))
    ended = audit("nu-max", table, "-o", "out", "-q")
    assert (ended.status, ended.error) == (3, "it leads elsewhere than it did when this run began: out")
    assert names(tmp_path / "theirs") == []


@pytest.mark.parametrize("words", [("nu-max", "-o", "out"), ("nu-max", "--no-output", "-f", "json=out/r.json")])
def test_a_link_that_leads_elsewhere(audit, table, meanwhile, tmp_path, words):
    for one in ("ours", "theirs"):
        (tmp_path / one).mkdir()
    Path("out").symlink_to(tmp_path / "ours")

    def turned() -> None:
        Path("out").unlink()
        Path("out").symlink_to(tmp_path / "theirs")

    meanwhile(turned)
    command, *rest = words
    ended = audit(command, table, *rest, "-q")
    assert (ended.status, "leads elsewhere" in ended.error) == (3, True)
    assert names(tmp_path / "ours") == names(tmp_path / "theirs") == []


def test_a_release_whose_folder_becomes_a_link(audit, table, meanwhile, tmp_path):
    for one in ("ours", "theirs"):
        (tmp_path / one).mkdir()

    def turned() -> None:
        (tmp_path / "ours").rmdir()
        (tmp_path / "ours").symlink_to(tmp_path / "theirs")

    meanwhile(turned)
    ended = audit("release", table, "--to", tmp_path / "ours/r.parquet", "--mechanism", "rr:epsilon=1", "-q")
    assert (ended.status, "leads elsewhere" in ended.error) == (3, True)
    assert names(tmp_path / "theirs") == []


def test_a_link_that_leads_where_it_did_is_followed(audit, table, tmp_path):
    (tmp_path / "ours").mkdir()
    Path("out").symlink_to(tmp_path / "ours")
    assert audit("nu-max", table, "-o", "out", "-q").status == 0
    assert "nu-max.json" in names(tmp_path / "ours")


# ---- other runs


def test_a_file_that_another_run_wrote_meanwhile_is_not_released_over(audit, table, meanwhile):
    meanwhile(lambda: Path("r.parquet").write_text("theirs"))
    words = ("release", table, "--to", "r.parquet", "--mechanism", "rr:epsilon=1", "-q")
    ended = audit(*words)
    assert (ended.status, ended.error) == (3, "another run wrote a file of that name meanwhile: r.parquet")
    assert names(audit.folder) == ["r.parquet"]
    assert Path("r.parquet").read_text() == "theirs"
    assert audit(*words, "--force").status == 0


def test_what_a_killed_run_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    left, living, theirs = (
        tmp_path / f".{name}.part" for name in ("a.0123abcd.labeldp-audit", "b.4567cdef.labeldp-audit", "c")
    )
    for one in (left, living, theirs):
        one.write_text("half")
    with living.open("rb+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write.write_all([write.text_file(tmp_path / "new", "x")])
        assert names(tmp_path) == sorted([living.name, theirs.name, "new"])
    write.write_all([write.text_file(tmp_path / "new", "x")])
    assert names(tmp_path) == sorted([theirs.name, "new"])


def test_a_part_is_locked_until_it_has_its_name(tmp_path):
    """Another run into the folder, while this one writes its second file."""

    def other(file) -> None:
        write.write_all([write.text_file(tmp_path / "other", "x")])
        file.write(b"mine")

    write.write_all([write.text_file(tmp_path / "a", "x"), write.File(tmp_path / "b", 0o600, other)])
    assert names(tmp_path) == ["a", "b", "other"]


def test_whoever_holds_a_folder_is_waited_for_and_not_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "_PATIENCE", 0.05)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(DataError, match="another program holds a lock on the folder"):
        write.write_all([write.text_file(tmp_path / "new", "x")])
    os.close(descriptor)
    write.write_all([write.text_file(tmp_path / "new", "x")])
    assert names(tmp_path) == ["new"]


def test_runs_at_once_leave_the_files_of_one(tmp_path):
    """Many threads, each with a text of its own in every file."""

    def run(text: str) -> None:
        for _ in range(10):
            write.write_all([write.text_file(tmp_path / name, text) for name in "abc"])

    runs = [threading.Thread(target=run, args=(text,)) for text in "1234"]
    for one in runs:
        one.start()
    while any(one.is_alive() for one in runs):
        descriptor = os.open(tmp_path, os.O_RDONLY)  # as long as it is held, nobody renames
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        there = [(tmp_path / name).read_text() for name in "abc" if (tmp_path / name).exists()]
        os.close(descriptor)
        assert len(there) in (0, 3)
        assert len({*there}) <= 1
    assert names(tmp_path) == ["a", "b", "c"]


def test_a_picture_of_an_earlier_run_does_not_stay_beside_a_report_that_has_none(audit, table):
    (audit.folder / "labeldp-report").mkdir()
    for name in ("nu-max-advantage.svg", "theirs.svg"):
        (audit.folder / "labeldp-report" / name).write_text("old")
    assert audit("nu-max", table, "-q").status == 0
    assert "nu-max-advantage.svg" not in names(audit.folder / "labeldp-report")
    assert "theirs.svg" in names(audit.folder / "labeldp-report")


def test_a_name_of_many_bytes(tmp_path):
    name = "日" * 84
    write.write_all([write.text_file(tmp_path / name, "x")])
    assert names(tmp_path) == [name]


# ---- tables that others write to


@pytest.fixture
def own(tmp_path):
    """A table of this test alone."""
    folder = tmp_path / "own"
    folder.mkdir()
    write_everywhere(people(), folder)
    return folder


def test_a_change_that_hides_behind_an_old_date(audit, own, meanwhile):
    file = own / "t.csv"

    def hidden() -> None:
        before, data = file.stat(), bytearray(file.read_bytes())
        data[-2] ^= 1  # the last label, between 0 and 1
        with file.open("rb+") as opened:
            opened.write(data)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    meanwhile(hidden)
    ended = audit("nu-max", file, "--no-output", "-q")
    assert (ended.status, ended.error) == (3, "the table changed while it was read: t.csv")


def test_a_part_that_appears(audit, own, meanwhile):
    meanwhile(lambda: (own / "parts/c.parquet").write_bytes((own / "parts/a.parquet").read_bytes()))
    ended = audit("nu-max", own / "parts", "--no-output", "-q")
    assert (ended.status, ended.error) == (3, "the table changed while it was read: parts: c.parquet")


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.csv.gz", "t.tsv", "t.feather", "t.arrow", "parts/a.parquet"])
@pytest.mark.parametrize("share", [0, 0.5])
def test_a_table_that_is_cut_off(audit, own, meanwhile, name, share):
    file = own / name
    meanwhile(lambda: os.truncate(file, int(file.stat().st_size * share)))
    ended = audit("nu-max", own / "parts" if "/" in name else file, "--no-output", "-q")
    assert (ended.status, "the table changed while it was read: " in ended.error) == (3, True)


def test_an_arrow_file_that_is_cut_off_between_two_batches(tmp_path):
    """Were it mapped into memory, its pages would be gone with its end, and the process with them."""
    place, table = tmp_path / "t.arrow", people(50_000)
    with pa.OSFile(str(place), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    batches = locate.file(place, HowText(None, frozenset())).batches(["age", "label"], 1000)
    assert next(batches).num_rows == 1000
    os.truncate(place, 100_000)
    with pytest.raises(DataError, match="not a complete Arrow file"):
        list(batches)


def test_an_original_that_changes_while_a_release_is_verified(audit, own, monkeypatch):
    from labeldp_audit.audits import verify

    words = ("--mechanism", "rr:epsilon=1", "-q")
    assert audit("release", own / "t.csv", "--to", "r.csv", *words).status == 0
    real = verify._dataset

    def later(*given):
        (own / "t.csv").touch()
        return real(*given)

    monkeypatch.setattr(verify, "_dataset", later)
    ended = audit("verify", "r.csv", "--original", own / "t.csv", "--no-output", "-q")
    assert (ended.status, "the table changed while it was read" in ended.error) == (3, True)


@pytest.mark.parametrize("kind", ["t.csv", "t.csv.gz", "t.parquet", "t.arrow", "parts"])
def test_a_name_that_is_no_utf_8(audit, own, kind):
    place = os.fsdecode(os.fsencode(own) + b"/gr\xf6\xdfe")
    (own / kind).rename(Path(place + kind.removeprefix("t")))
    ended = audit("nu-max", place + kind.removeprefix("t"), "--no-output", "-q")
    assert (ended.status, ended.err) == (0, "")
