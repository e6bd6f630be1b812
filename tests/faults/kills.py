"""Runs that are stopped at random moments: `python kills.py COMMAND HOW_MANY SEED` says what did not hold.

Moments are uniform over the time on the processor that a whole run takes, which another program does not stretch. Most
runs are forks of this process, which has loaded all; each tenth is a new one, start-up included.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
PART = re.compile(r"\..+\.[0-9a-f]{8}\.labeldp-audit\.part", re.DOTALL)
AUDITED = ("--estimator", "knn", "--bags", "50", "--threads", "1", "--no-config", "-q", "-o", "out")
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "audit": ("audit", "in/t.parquet", "--mechanism", "rr:epsilon=1", "-f", "json=out/too.json", *AUDITED),
    "tune": ("tune", "in/t.parquet", "--fail-if", "advantage.high > 0.15", "--mechanism", "rr", *AUDITED),
    "release": (
        "release", "in/large.csv", "--to", "out/r.csv", "--mechanism", "llp:k=8", "--force", "-q",
        "--insecure-for-testing", "--no-config",
    ),
}  # fmt: skip
STARTING = 0.5  # seconds in which Python loads itself and the first of our files
Files = Mapping[str, bytes]


@dataclass
class Series:
    """One command, run again and again in one folder."""

    name: str
    folder: Path
    old: Files
    new: Files

    @classmethod
    def of(cls, name: str, folder: Path, rows: int, large: int) -> Series:
        for one in ("in", "out", "tmp"):
            (folder / one).mkdir(parents=True)
        write_tables(folder / "in", rows, large if name == "release" else 400)
        made = cls(name, folder, {}, {})
        for seed in ("1", "2"):
            status, _ = made.waited(made.forked(seed), None, 0)
            assert status == 0, (folder / "stderr").read_text()
            made.old, made.new = made.new, files_in(folder / "out")
        assert made.old.keys() == made.new.keys()
        assert all(made.old[one] != made.new[one] for one in made.old if one.endswith((".json", ".csv")))
        return made

    def arguments(self, seed: str) -> list[str]:
        return [*COMMANDS[self.name], "--seed", seed]

    def forked(self, seed: str) -> int:
        child = os.fork()
        if child == 0:
            run_and_exit(self.folder, self.arguments(seed))
        return child

    def started(self, seed: str) -> int:
        environment = os.environ | {"TMPDIR": str(self.folder / "tmp"), "HOME": str(self.folder)}
        with (self.folder / "stdout").open("wb") as out, (self.folder / "stderr").open("wb") as err:
            return subprocess.Popen(
                [sys.executable, "-m", "labeldp_audit", *self.arguments(seed)],
                cwd=self.folder, stdout=out, stderr=err, env=environment,
            ).pid  # fmt: skip

    def waited(self, child: int, moment: float | None, sent: int) -> tuple[int, float]:
        """Its status, and how long it was on the processor; it gets the signal once that is beyond the moment."""
        began = 0.0
        while True:
            with suppress(OSError, IndexError):
                began = int(Path(f"/proc/{child}/schedstat").read_text().split()[0]) / 1e9
            if moment is not None and began >= moment:
                os.kill(child, sent)
                moment = None
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status), began
            time.sleep(0.0005)

    def begin(self) -> None:
        """As an earlier run left it."""
        shutil.rmtree(self.folder / "out")
        (self.folder / "out").mkdir()
        for name, data in self.old.items():
            (self.folder / "out" / name).write_bytes(data)

    def faults(self, status: int, sent: int, early: bool) -> list[str]:
        """What does not hold after a run was stopped."""
        found = []
        there, err = files_in(self.folder / "out"), (self.folder / "stderr").read_text()
        left = [name for name in there if PART.fullmatch(name)]
        final = {name: data for name, data in there.items() if name not in left}
        killed = sent == signal.SIGKILL
        at_end = final == self.new  # all is done, and Python takes itself down
        if status not in {0, 128 + sent} | ({-sent} if killed or early or at_end else set()):
            found.append(f"status {status} after signal {sent}")
        if "Traceback" in err and not early:
            found.append(f"a traceback: {err[-300:]}")
        if status > 0 and err.splitlines() != ["labeldp-audit: interrupted"] and err and not early:
            found.append(f"said {err!r}")
        of_old, of_new = (
            all(every.get(name) == data for name, data in final.items()) for every in (self.old, self.new)
        )
        whole = len(final) == len(self.old)
        if not (of_old or of_new) or not (whole or killed):
            found.append(f"files of two runs, or not all of one: {sorted(final)}")
        if status == 0 and final != self.new:
            found.append("it ended well, and its files are not those of a whole run")
        if left and not killed:
            found.append(f"half-written after signal {sent}: {left}")
        for beside, expected in (("tmp", set()), ("in", {"t.parquet", "large.csv"}), (".", BESIDE)):
            more = {one.name for one in (self.folder / beside).iterdir()} - expected
            if more:
                found.append(f"left in {beside}: {sorted(more)}")
                for one in more:
                    (self.folder / beside / one).unlink()
        return found


BESIDE = {"in", "out", "tmp", "stdout", "stderr"}


def files_in(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def write_tables(folder: Path, rows: int, large: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(max(rows, large), 3)).round(4)
    y = (rng.random(len(x)) < 1 / (1 + np.exp(-2 * x[:, 0]))).astype(int)
    table = pa.table({f"x{i}": x[:, i] for i in range(3)} | {"y": y})
    pq.write_table(table.slice(0, rows), folder / "t.parquet")
    pc.write_csv(table.slice(0, large), folder / "large.csv")


def run_and_exit(folder: Path, arguments: list[str]) -> None:
    status = 99
    try:
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
        for number, name in ((1, "stdout"), (2, "stderr")):
            os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(folder)
        os.environ.update({"TMPDIR": str(folder / "tmp"), "HOME": str(folder)})
        tempfile.tempdir = None
        sys.argv = ["labeldp-audit", *arguments]
        from labeldp_audit.__main__ import main

        status = main()
    except BaseException as error:
        os.write(2, f"Traceback at the door: {type(error).__name__}: {error}".encode(errors="replace"))
    finally:
        os._exit(status)


def load(name: str, folder: Path) -> None:
    """All that the command needs, in this process."""
    from labeldp_audit.cli import app

    for one in ("in", "out"):
        (folder / one).mkdir(parents=True)
    write_tables(folder / "in", 400, 400)
    there = Path.cwd()
    os.chdir(folder)
    assert app.main([*COMMANDS[name], "--seed", "1"]) == 0
    os.chdir(there)


def play(name: str, count: int, seed: int) -> dict[str, object]:
    if "LABELDP_AUDIT_CONFIG" in os.environ:
        del os.environ["LABELDP_AUDIT_CONFIG"]
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    rng, faults, ends = random.Random(seed), [], Counter[str]()
    try:
        with (folder / "loading").open("w") as sys.stdout:
            load(name, folder / "load")
        sys.stdout = sys.__stdout__
        few = count < 10
        series = Series.of(name, folder / "series", *((400, 50_000) if few else (3000, 100_000)))
        lengths = {}
        for real, run in ((False, series.forked), (True, series.started)):
            if real and few:
                continue
            lengths[real] = float(np.median([series.waited(run("2"), None, 0)[1] for _ in range(1 if few else 3)]))
        for i in range(count):
            real = i % 10 == 9
            sent = SIGNALS[i % len(SIGNALS)]
            moment = rng.uniform(0, lengths[real])
            series.begin()
            for one in ("stdout", "stderr"):
                (series.folder / one).write_bytes(b"")
            child = series.started("2") if real else series.forked("2")
            status, _ = series.waited(child, moment, sent)
            early = moment < (STARTING if real else 0.01)
            faults += [f"{name} {i} at {moment:.3f} s: {one}" for one in series.faults(status, sent, early)]
            left = any(PART.fullmatch(one.name) for one in (series.folder / "out").iterdir())
            ends[f"{signal.Signals(sent).name} {status}{' with parts' if left else ''}"] += 1
            if left:  # the next run that writes there
                child = series.forked("2")
                if series.waited(child, None, 0)[0] != 0 or files_in(series.folder / "out") != series.new:
                    faults.append(f"{name} {i}: the next run does not tidy {sorted(files_in(series.folder / 'out'))}")
        return {"faults": faults, "ends": dict(sorted(ends.items())), "lengths": lengths}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    print(json.dumps(play(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])), indent=1))
