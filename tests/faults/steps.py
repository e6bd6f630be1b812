"""A run that ends in each step of writing its files: `python steps.py FOLDER [liar]` says what did not hold.

The random moments of kills.py seldom meet the few microseconds in which files are renamed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kills import PART, files_in

from labeldp_audit.cli import app
from labeldp_audit.data import write

STEPS = (("open", os), ("fsync", os), ("unlink", Path), ("replace", Path), ("mkdir", Path), ("rmdir", Path))
NAMES = ("a.json", "b.md", "c.svg")
OLD = {name: b"old " + name.encode() for name in (*NAMES, "outdated.svg")}
NEW = {name: b"new " + name.encode() for name in NAMES}


def written(out: Path) -> None:
    files = [write.text_file(out / name, data.decode()) for name, data in NEW.items()]
    write.write_all(files, out, outdated=("outdated.svg", *NAMES))


def one_by_one(out: Path) -> None:
    """A liar: each file is whole, and those of two runs may stand side by side."""
    out.mkdir(exist_ok=True)
    for name, data in NEW.items():
        write.write_all([write.text_file(out / name, data.decode())])
    (out / "outdated.svg").unlink(missing_ok=True)


def stopped_at(number: int, sent: int, before: bool, out: Path, written: Callable[[Path], None]) -> int | None:
    """The status of a run that gets the signal before or after its step of that number; None where it has fewer."""
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return None if status == 7 else status
    count = 0
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

    def trapped(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            if count == number and before:
                os.kill(os.getpid(), sent)
            done = step(*given, **more)
            if count == number and not before:
                os.kill(os.getpid(), sent)
            return done

        return run

    for name, owner in STEPS:
        setattr(owner, name, trapped(getattr(owner, name)))

    def run(arguments: object) -> int:
        written(out)
        return 0 if count >= number else 7

    with contextlib.suppress(BaseException):
        app._run = run  # type: ignore[assignment]
        os._exit(app.main([]))
    os._exit(99)


def faults(status: int, sent: int, out: Path, old: dict[str, bytes]) -> list[str]:
    there = files_in(out) if out.exists() else {}
    left = [name for name in there if PART.fullmatch(name)]
    final = {name: data for name, data in there.items() if name not in left}
    killed = sent == signal.SIGKILL
    found = []
    if status != (-sent if killed else 128 + sent):
        found.append(f"status {status}")
    if left and not killed:
        found.append(f"left {left}")
    parts = [every for every in (old, NEW) if final.items() <= every.items()]
    if not parts or (not killed and final not in (old, NEW)):
        found.append(f"not of one run: {final}")
    if not old and not killed and not final and out.exists():
        found.append("an empty folder")
    return found


def play(folder: Path, written: Callable[[Path], None]) -> tuple[int, list[str]]:
    """How many runs there were, and what did not hold."""
    found: list[str] = []
    runs, nothing = 0, dict[str, bytes]()
    for old in (OLD, nothing):
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL):
            for before in (True, False):
                number, status = 0, 0
                while True:
                    number += 1
                    out = folder / f"{runs}"
                    if old:
                        out.mkdir()
                    for name, data in old.items():
                        (out / name).write_bytes(data)
                    status = stopped_at(number, sent, before, out, written)
                    if status is None:
                        break
                    runs += 1
                    where = f"{'before' if before else 'after'} step {number}, signal {sent}, {len(old)} old files"
                    found += [f"{where}: {one}" for one in faults(status, sent, out, old)]
                    written(out)
                    if files_in(out) != NEW:
                        found.append(f"{where}: the next run leaves {sorted(files_in(out))}")
                    shutil.rmtree(out)
                shutil.rmtree(out)
    return runs, found


if __name__ == "__main__":
    print(json.dumps(play(Path(sys.argv[1]), one_by_one if sys.argv[2:] == ["liar"] else written)))
