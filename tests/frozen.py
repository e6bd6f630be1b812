"""What the commands answer, kept, so that a change of form can be shown to change no number.

    python tests/frozen.py keep FOLDER      # of this code
    python tests/frozen.py compare FOLDER   # with this code; ends with 1 and names what differs

The tables: both of sample_data, four of worlds.py, and one of five
classes. test_frozen.py does the same to two small ones.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "sample_data"
WORLDS_KEPT = ("duplicates", "plateaus", "sheet", "rare")
ROWS = 2500
LINE = "advantage.high > 0.05"
CHANNEL = "channel:matrix=0.9 0.1/0.2 0.8"
EVERY_RELEASE = ("rr:epsilon=0.5|2", CHANNEL, "llp:k=4", "laplace-llp:k=4,epsilon=1")


class Run(NamedTuple):
    name: str
    words: tuple[str, ...]  # {table}, {column} and {folder} are filled in


def mechanisms(*specs: str) -> tuple[str, ...]:
    return tuple(word for spec in specs for word in ("--mechanism", spec))


FLIPS = mechanisms("rr:pi=0.1", CHANNEL)


def runs(estimators: tuple[str, ...] = ("auto", "boosted", "linear", "atoms", "knn")) -> list[Run]:
    """Of every table with two classes."""
    quick = ("--estimator", estimators[-1])
    return [
        *(Run(f"eta-{name}", ("estimate-eta", "{table}", "--estimator", name)) for name in estimators),
        Run("kept", ("estimate-eta", "{table}", *quick, "-o", "{folder}/kept")),
        Run("j", ("estimate-j", "{table}", *quick)),
        Run("j-taus", ("estimate-j", "{table}", *quick, *FLIPS[:2], "--tau", "0.5,1,2,6", "--alpha", "1,inf")),
        Run("j-smooth", ("estimate-j", "{table}", "--estimator", "knn", "--smoothness", "1,1", "--no-certify")),
        Run("nu", ("nu-max", "{table}", *quick, "--confidence", "0.8")),
        Run("gains", ("advantage", "{table}", *quick, *mechanisms(*EVERY_RELEASE))),
        Run("gains-balanced", ("advantage", "{table}", *quick, "--utility", "balanced", *FLIPS)),
        Run("gains-file", ("advantage", "{table}", "--eta-file", "{folder}/kept/eta.parquet")),
        Run("gains-copies", ("advantage", "{table}", *quick, "--repeats", "copies")),
        Run("gains-k", ("advantage", "{table}", "--estimator", "knn", "--k", "30", "--queries", "500", "--seed", "7")),
        Run("audit", ("audit", "{table}", *quick)),
        Run("audit-lines", ("audit", "{table}", *quick, *mechanisms("rr:epsilon=1"), "--fail-if", LINE)),
        Run("audit-explained", ("audit", "{table}", "--estimator", "linear", "--explain", *mechanisms("rr:epsilon=1"))),
        Run("check", ("check", "{table}", *quick, *mechanisms("rr:epsilon=1", "llp:k=8"), "--fail-if", LINE)),
        Run("tune-rr", ("tune", "{table}", *quick, "--fail-if", LINE)),
        Run("tune-bags", ("tune", "{table}", *quick, *mechanisms("llp"), "--fail-if", "advantage.high > 0.1")),
    ]  # fmt: skip


def many_classes() -> list[Run]:
    three = ("--estimator", "knn")
    return [
        Run("eta", ("estimate-eta", "{table}", "--estimator", "linear")),
        Run("eta-auto", ("estimate-eta", "{table}")),
        Run("gains", ("advantage", "{table}", *three)),
        Run("nu", ("nu-max", "{table}", *three)),
        Run("audit", ("audit", "{table}", *three, "--fail-if", LINE)),
        Run("check", ("check", "{table}", *three, *mechanisms("rr:epsilon=1"), "--fail-if", LINE)),
    ]


def with_column() -> list[Run]:
    """Of tables that have the true eta in a column, and several rows of each person."""
    return [
        Run("given", ("audit", "{table}", "--eta", "eta", "--exclude", "person", *mechanisms("rr:epsilon=1"))),
        Run("given-people", ("advantage", "{table}", "--eta", "eta", "--group", "person")),
        Run("people", ("estimate-j", "{table}", "--exclude", "eta", "--group", "person", "--estimator", "linear")),
        Run("people-knn", ("audit", "{table}", "--exclude", "eta", "--group", "person", "--estimator", "knn")),
    ]


# ---- tables


def world(name: str, folder: Path, rows: int = ROWS) -> Path:
    from worlds import WORLDS

    points, labels, eta = WORLDS[name].draw(rows, np.random.default_rng(1))
    columns = {f"x{i}": points[:, i] for i in range(points.shape[1])}
    file = folder / f"{name}.parquet"
    people = np.arange(rows) // 3
    pq.write_table(pa.table({**columns, "label": labels, "eta": eta, "person": people}), file)
    return file


def five(folder: Path, rows: int = ROWS) -> Path:
    from worlds import KINDS

    table, labels, _ = KINDS["five"](1).draw(rows, np.random.default_rng(1))
    file = folder / "five.parquet"
    pq.write_table(table.append_column("label", pa.array(labels)), file)
    return file


def everything(folder: Path) -> Iterator[tuple[str, Path, list[Run]]]:
    for sample in ("clinic.parquet", "clicks.csv"):
        yield sample.partition(".")[0], SAMPLES / sample, runs()
    for name in WORLDS_KEPT:
        without = [run._replace(words=(*run.words, "--exclude", "eta", "--exclude", "person")) for run in runs()]
        yield name, world(name, folder), [*without, *with_column()]
    yield "five", five(folder), many_classes()


# ---- answers


def answer(run: Run, table: Path, folder: Path) -> Any:
    """The report, or the error that came instead of one."""
    from labeldp_audit.cli import app

    words = [word.format(table=table, folder=folder) for word in run.words]
    place = [] if "-o" in words else ["--no-output"]
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = app.main([*words, "-f", "json", "--quiet", *place])
    out.seek(0)
    text = out.read().replace(str(folder), "FOLDER").replace(str(table.parent), "TABLES")
    return {"status": status, "report": json.loads(text) if text else err.getvalue()}


def answers(tables: Iterator[tuple[str, Path, list[Run]]], folder: Path) -> Iterator[tuple[str, Any]]:
    for title, table, asked in tables:
        for run in asked:
            yield f"{title}-{run.name}", answer(run, table, folder)


def differences(before: Any, now: Any, place: str = "", near: float = 0.0) -> Iterator[str]:
    """Each place where the two are not the same; numbers may differ by the share `near`."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted({*before, *now}):
            if key not in before or key not in now:
                yield f"{place}.{key}: only {'before' if key in before else 'now'}"
            else:
                yield from differences(before[key], now[key], f"{place}.{key}", near)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for i, (old, new) in enumerate(zip(before, now, strict=True)):
            yield from differences(old, new, f"{place}[{i}]", near)
    elif near and isinstance(before, float) and isinstance(now, float):
        if abs(before - now) > near * max(abs(before), abs(now), 1e-3):
            yield f"{place}: {before!r} became {now!r}"
    elif type(before) is not type(now) or before != now:
        yield f"{place}: {before!r} became {now!r}"[:400]


def main(what: str, where: str) -> int:
    kept, differing = Path(where), 0
    kept.mkdir(parents=True, exist_ok=True)
    os.environ["COLUMNS"] = "80"
    with tempfile.TemporaryDirectory() as name:
        for title, found in answers(everything(Path(name)), Path(name)):
            file = kept / f"{title}.json"
            if what == "keep":
                file.write_text(json.dumps(found, indent=1), encoding="utf-8")
                print(title, found["status"], flush=True)
                continue
            for difference in list(differences(json.loads(file.read_text(encoding="utf-8")), found))[:5]:
                differing += 1
                print(title, difference, flush=True)
    print(f"{differing} differences" if what == "compare" else f"kept in {kept}")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
