"""Coverage-guided fuzzing of one parser with atheris: whatever it is given, it answers or refuses with one clear line.

make fuzz-guided FUZZ_SECONDS=1800                           # each parser for half an hour
cd tests && python -m fuzz.guided policy -max_total_time=60  # one of them, with options of libFuzzer
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}

import atheris
import pyarrow as pa

# Not what numba compiles, which cannot be instrumented.
LOOKED_INTO = [
    f"labeldp_audit.{room}"
    for room in ("core", "data", "policy", "reports", "cli", "mechanisms", "estimators.supplied")
]
with atheris.instrument_imports(include=LOOKED_INTO):
    from labeldp_audit.audits import judging
    from labeldp_audit.cli import configuration
    from labeldp_audit.core.errors import AuditError
    from labeldp_audit.core.progress import Silent
    from labeldp_audit.data import ReadOptions, eta_file, read
    from labeldp_audit.data.roles import assign
    from labeldp_audit.data.sources.delimited import open_csv
    from labeldp_audit.estimators import supplied
    from labeldp_audit.mechanisms import MECHANISMS
    from labeldp_audit.policy import files, lines
    from labeldp_audit.questions.every import QUANTITIES
    from labeldp_audit.reports.formats import render, stored

Parse = Callable[[bytes], object]
WORDS = (
    *QUANTITIES, *MECHANISMS.names(), "epsilon", "lambda", "mechanism", "fail_if", "waiver", "until", "sha256:", "Infinity", "1e999",
    "[policy]", "[[policy.waiver]]", ".high", ".low", ".estimate", "|", "\\u0000", "\\ud800", "true", "null", "2027-01-31",
)  # fmt: skip


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def policy_line(data: bytes) -> object:
    line = lines.parse(_text(data))
    judging.check(line)
    return line


def mechanism(data: bytes) -> object:
    found = [MECHANISMS.parse(_text(data), classes) for classes in (2, 3)]
    # What is printed is read again.
    return [MECHANISMS.parse(one.spec, classes) for classes, each in zip((2, 3), found, strict=True) for one in each]


@dataclass(frozen=True)
class Given:
    data: bytes
    name: str = "t.csv"

    def blocks(self) -> Iterator[bytes]:
        yield self.data

    def stamp(self) -> tuple[int, ...]:
        return ()

    def stream(self) -> pa.NativeFile:
        return pa.BufferReader(self.data)


def csv_table(data: bytes) -> object:
    options = ReadOptions(few_rows=True)
    source = open_csv(Given(data), read.how_text(options))
    roles = assign(list(source.types), options)
    return read.two_passes(source, roles, options, 1 << 10, Silent())


def eta(data: bytes) -> object:
    """What a file says of its columns, which are those of a good one."""
    columns, _ = GOOD_ETA
    return supplied.checked(columns, eta_file._document(data), "e.parquet")


def report(data: bytes) -> object:
    found = stored.read(_text(data), "r.json", QUANTITIES)
    return [render(form, found) for form in ("text", "json", "csv", "markdown", "junit", "sarif", "github")]


def configuration_file(data: bytes) -> object:
    PLACE.write_bytes(data)
    from running import read_options

    below = configuration.Configuration()
    with read_options("check", ["t.csv", "--config", str(PLACE)]) as context:
        below = configuration.of(context)
        terminal_text = configuration.shown(below, context.command) + configuration.shown_policy(below)
    return terminal_text, files.from_file(PLACE, files.Known(QUANTITIES, judging.check))


PARSERS: dict[str, Parse] = {
    "policy": policy_line, "mechanism": mechanism, "csv": csv_table, "eta": eta, "report": report, "configuration": configuration_file,
}  # fmt: skip
GOOD_ETA: tuple[Any, Any] = ({}, {})
PLACE = Path()


def seeds(parser: str, stock: Any, folder: Path) -> list[bytes]:
    import json

    from fuzz.cases import LINES, _toml
    from fuzz.stock import specs

    if parser == "eta":
        global GOOD_ETA
        (folder / "e.parquet").write_bytes(stock.eta)
        GOOD_ETA = eta_file.read_estimates(str(folder / "e.parquet"))
        import io

        import pyarrow.parquet as pq

        return [pq.read_schema(io.BytesIO(stock.eta)).metadata[eta_file.KEY]]
    document = {"label": "y", "exclude": ["note"], "mechanism": ["rr:epsilon=2"], "policy": {"fail_if": list(LINES)}}
    known: dict[str, list[bytes]] = {
        "policy": [one.encode() for one in LINES],
        "mechanism": [one.encode() for one in specs()],
        "csv": [stock.tables["t.csv"][:2000], b"a,y\n1,0\n2,1\n" * 3, b'"a","y"\r\nx,yes\r\n"b""c",no\r\n'],
        "report": [json.dumps(one).encode() for one in stock.reports.values()],
        "configuration": [_toml(document), b"[policy]\nfail_if = ['nu_max.high > 1']\nconfidence = 0.9\n"],
    }
    return known[parser]


def _stock() -> Any:
    """Made by another process, which is not instrumented."""
    made = subprocess.run(
        [sys.executable, "-c", "from fuzz import run; import pickle, sys; pickle.dump(run.prepared(), sys.stdout.buffer)"],
        cwd=Path(__file__).parent.parent, capture_output=True, check=True,
    )  # fmt: skip
    return pickle.loads(made.stdout)


def main() -> None:
    parser, *options = sys.argv[1:]
    folder = Path(tempfile.mkdtemp(prefix=f"guided-{parser}-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for i, seed in enumerate(seeds(parser, _stock(), folder)):
        (corpus / str(i)).write_bytes(seed)
    (folder / "words").write_text("".join(f'"{one.replace(chr(92), chr(92) * 2)}"\n' for one in WORDS))
    global PLACE
    PLACE = folder / "c.toml"
    parse = PARSERS[parser]

    def one(data: bytes) -> None:
        try:
            parse(data)
        except AuditError as error:
            assert str(error).isprintable(), repr(str(error))

    usual = [str(corpus), f"-dict={folder / 'words'}", f"-artifact_prefix={folder}/", "-max_len=20000", "-timeout=20"]
    atheris.Setup([sys.argv[0], *usual, *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
