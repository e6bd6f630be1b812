"""What audits, searches and verdicts cost, beside what a user would do without them.

audit against its three questions one after the other; tune against bisection with `check`, a process a step; a verdict
about ten thousand findings against jq, which judges nothing and knows no seal.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from labeldp_audit.reports.formats import report_hash

from . import child
from .start import SAMPLE
from .table import show

CLICKS = SAMPLE.with_name("clicks.csv")
LINE = "advantage.high > 0.05"
FINDINGS = 10_000
TOOL = "-m", "labeldp_audit"
QUIET = "--no-output", "--quiet", "-f", "json"
CHOSEN = {"rr": "rr:epsilon=0.9", "llp": "llp:k=70", "laplace-llp:k=8": "laplace-llp:k=8,epsilon=1"}  # hold
STEPS = 12  # of a bisection between 0.01 and 20, to 1 % of epsilon: log2(log(2000) / log(1.01)) is 9.6; first both ends


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        _audits()
        _searches()
        _verdicts()


def _seconds(*arguments: str) -> float:
    return child.run(*TOOL, *arguments).seconds


def _audits() -> None:
    rows = []
    for table in map(str, (SAMPLE, CLICKS)):
        apart = sum(_seconds(command, table, *QUIET) for command in ("nu-max", "estimate-j", "advantage"))
        whole = _seconds("audit", table, "--quiet")
        explained = _seconds("audit", table, "--quiet", "--explain")
        name = Path(table).name
        rows += [
            (f"three commands, {name}", f"{apart:.1f}", "1.0"),
            (f"audit, all formats, {name}", f"{whole:.1f}", f"{apart / whole:.1f}"),
            (f"audit --explain, {name}", f"{explained:.1f}", f"{apart / explained:.1f}"),
        ]
    show("audit (bar: 30 seconds)", ("", "seconds", "times as fast"), rows)


def _searches() -> None:
    table = str(SAMPLE)
    child.run(*TOOL, "estimate-eta", table, "--quiet", "-f", "json")
    file = "--eta-file", "labeldp-report/eta.parquet"
    rows = []
    for mechanism, spec in CHOSEN.items():
        step = _seconds("check", table, *file, "--mechanism", spec, "--fail-if", LINE, *QUIET)
        found = _seconds("tune", table, *file, "--mechanism", mechanism, "--fail-if", LINE, *QUIET)
        rows.append((mechanism, f"{STEPS * step:.1f}", f"{found:.1f}", f"{STEPS * step / found:.1f}"))
    show("tune with --eta-file, clinic.parquet", ("", f"{STEPS} checks, seconds", "tune", "times as fast"), rows)


def _verdicts() -> None:
    report = Path("large.json")
    _enlarge(report)
    typed = "check", str(report), "--fail-if", "j(tau=50).high > 0.5"
    rows = [("check, text", f"{min(_timed(*typed) for _ in range(5)):.2f}")]
    rows.append(("check, json", f"{min(_timed(*typed, '-f', 'json') for _ in range(5)):.2f}"))
    if shutil.which("jq"):
        query = '[.findings[] | select(.quantity == "j" and .at.tau == 50) | .high] | max > 0.5'
        rows.append(("jq", f"{min(_ran('jq', query, str(report)) for _ in range(5)):.2f}"))
    show(f"a verdict about {FINDINGS:,} findings (bar: 0.5 seconds)", ("", "seconds"), rows)


def _enlarge(report: Path) -> None:
    child.run(*TOOL, "nu-max", str(SAMPLE), "--estimator", "knn", "--quiet", "--no-output", "-f", f"json={report}")
    document = json.loads(report.read_text())
    one = next(found for found in document["findings"] if found["quantity"] == "nu_max")
    document["findings"] += [
        one | {"quantity": "j", "at": {**one["at"], "tau": place / 100}, "high": 0.25, "low": 0.0, "estimate": 0.1}
        for place in range(FINDINGS)
    ]
    report.write_text(json.dumps(document | {report_hash.KEY: report_hash.hash_of(document)}))


def _timed(*arguments: str) -> float:
    return _ran(sys.executable, *TOOL, *arguments)


def _ran(*command: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
