"""What mutations start from: tables of every kind, and all that the tool makes of them."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq

MARK = "Zq"  # how every cell of a text feature begins: none may stand in a report or a message
NUMBER = re.compile(r"-?\d+\.\d{12}")  # how cells of a number feature begin
ROWS = 240
WRITTEN = ("t.parquet", "t.arrow", "t.stream.arrow", "t.feather", "t.csv", "t.csv.gz", "t.tsv", "t.svm", "t.svm.gz")
MORE_SPECS = (
    "rr:pi=0.2",
    "rr:lambda=0.3",
    "rr:epsilon=0.5|2",
    "llp:k=4",
    "channel:matrix=0.7/0.3/0.2/0.8",
    "cluster-rr:epsilon=1,clusters=4",
)


def specs() -> tuple[str, ...]:
    """Each mechanism that there is, and more of some."""
    from labeldp_audit.mechanisms import MECHANISMS

    return (*(one.example for one in MECHANISMS), *MORE_SPECS)


@dataclass(frozen=True)
class Stock:
    """Names and bytes; `base` is the table, the same one in every file but .svm."""

    base: pa.Table
    tables: dict[str, bytes]
    reports: dict[str, dict[str, Any]]  # by command
    eta: bytes
    releases: dict[str, dict[str, bytes]]  # by mechanism: files, of which r.* is the release


def base_table(rows: int = ROWS, seed: int = 0) -> pa.Table:
    rng = Random(seed)
    number = [rng.gauss(0, 1) for _ in range(rows)]
    label = [int(rng.random() < 1 / (1 + 2.718281828 ** (-2 * one))) for one in number]
    return pa.table(
        {
            "number": number,
            "whole": [rng.randrange(6) for _ in range(rows)],
            "text": [f"{MARK}{rng.randrange(9)}x" for _ in range(rows)],
            "note": [f"{MARK}{i}n" for i in range(rows)],
            "guess": [round(1 / (1 + 2.718281828 ** (-one)), 6) for one in number],
            "person": [i // 2 for i in range(rows)],
            "y": label,
        }
    )


def written(table: pa.Table, name: str) -> bytes:
    """The table as a file of that name holds it; names and types that the kind cannot have raise an error of pyarrow."""
    sink = io.BytesIO()
    match name.split(".", 1)[1]:
        case "parquet":
            pq.write_table(table, sink, row_group_size=100)
        case "arrow":
            with pa.ipc.new_file(sink, table.schema) as file:
                file.write_table(table, 100)
        case "stream.arrow":
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table, 100)
        case "feather":
            pyarrow.feather.write_feather(table, sink, "lz4")
        case "tsv":
            pyarrow.csv.write_csv(table, sink, pyarrow.csv.WriteOptions(delimiter="\t"))
        case "csv" | "csv.gz":
            pyarrow.csv.write_csv(table, sink)
        case _:
            labels, cells = (
                table["y"].to_pylist(),
                zip(table["number"].to_pylist(), table["whole"].to_pylist(), strict=True),
            )
            lines = (f"{y} 1:{a!r} 3:{b}\n" for y, (a, b) in zip(labels, cells, strict=True))
            sink.write("".join(lines).encode())
    return gzip.compress(sink.getvalue(), mtime=0) if name.endswith(".gz") else sink.getvalue()


def run_quietly(*arguments: str) -> int:
    from labeldp_audit.cli import app

    with contextlib.redirect_stdout(_Text()), contextlib.redirect_stderr(_Text()):
        return app.main(list(arguments))


class _Text(io.TextIOWrapper):
    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8")


def made(folder: Path) -> Stock:
    """Runs every command once, which also loads and compiles all that a case may need."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        base = base_table()
        tables = {name: written(base, name) for name in WRITTEN}
        for name, data in tables.items():
            Path(name).write_bytes(data)
        shared = ("--exclude", "note", "--few-rows", "-q")
        reports = {}
        policy = ("--fail-if", "advantage.high > 0.4", "--fail-if", "j(tau=6).high > 0.5")
        for command, *more in (
            ("estimate-eta",), ("nu-max",), ("estimate-j",), ("advantage", "--mechanism", "rr:epsilon=1"), ("audit", *policy),
            ("tune", *policy),
        ):  # fmt: skip
            status = run_quietly(command, "t.parquet", *shared, *more, "-o", "out")
            assert status in (0, 1, 4), (command, status)
            reports[command] = json.loads(Path(f"out/{command}.json").read_text())
        eta = Path("out/eta.parquet").read_bytes()
        releases = {}
        for i, spec in enumerate(
            (
                "rr:epsilon=1",
                "llp:k=4",
                "geometric-llp:k=4,epsilon=1",
                "alibi:epsilon=2",
                "cluster-rr:epsilon=1,clusters=4",
            )
        ):
            before = {*os.listdir()}
            ending = ("csv", "parquet")[i % 2]
            status = run_quietly(
                "release", f"t.{ending}", "--to", f"r.{ending}", "--mechanism", spec, "--exclude", "note", "--label", "y", "-q",
                "--seed", "1", "--insecure-for-testing",
            )  # fmt: skip
            assert status == 0, (spec, status)
            new = sorted({*os.listdir()} - before)
            releases[spec] = {name: Path(name).read_bytes() for name in new}
            assert run_quietly("verify", f"r.{ending}", "--original", f"t.{ending}", "--no-output", "-q") in (0, 1, 4)
            assert run_quietly("attack", f"t.{ending}", f"r.{ending}", "--exclude", "note", "--no-output", "-q") == 0
            for name in new:
                Path(name).unlink()
        return Stock(base, tables, reports, eta, releases)
    finally:
        os.chdir(here)
