"""The real door with commands behind it that do what DATA says: inside a test, or as a program of its own."""

from __future__ import annotations

import sys
import time
import types
import warnings
from pathlib import Path

import numpy as np

from labeldp_audit.core.errors import AssumptionError, DataError, SpecError
from labeldp_audit.core.eta import EtaSummary
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.remark import Remark
from labeldp_audit.core.report import Report
from labeldp_audit.core.table import Column, Dataset
from labeldp_audit.engines.threads import in_threads

FILE = Path(__file__)


def report(warned=()) -> Report:
    columns = (Column("y", "label", "int64"), Column("a", "number", "double", width=1))
    dataset = Dataset("fake.csv", "0" * 64, 10, 10, "y", "1", ("0", "1"), (5, 5), columns)
    eta = EtaSummary("knn", 10, "l2", 10, 10, True, 1.0, 1.0, 0.7)
    bound = Bound(0.5, 0.25, 0.75, 10, "clopper-pearson", ("rows are independent",))
    findings = tuple(Finding("j", bound, 0.99, "rr:epsilon=1", {"tau": tau, "epsilon": 1.0}) for tau in (0.0, 1.0))
    return Report("estimate-j", "0.1.0", dataset, eta, {"confidence": 0.99, "seed": 0}, findings, warned)


def work(progress):
    print("working", file=sys.stderr, flush=True)
    while True:
        progress.advance(1)
        time.sleep(0.01)


def work_in_threads(progress):
    print("working", file=sys.stderr, flush=True)
    for _ in in_threads(lambda block: time.sleep(0.05), iter(int, 1), 2):
        progress.advance(1)


def stubborn(progress):
    try:
        work(progress)
    finally:
        print("tidying", file=sys.stderr, flush=True)
        time.sleep(30)


RAISED = {
    "data": DataError("null labels", "x.csv", "y", hint="--drop-null-labels leaves them out"),
    "lines": DataError("bad\nname", "x\ny.csv"),
    "spec": SpecError("unknown thing"),
    "assumption": AssumptionError("not independent"),
    "bug": KeyError("secret cell"),
}
ENDLESS = {"work": work, "in_threads": work_in_threads, "stubborn": stubborn}


def found(command, data, settings, progress):
    """In place of audits.calls.found."""
    progress.stage("reading", 10, "rows")
    if data in RAISED:
        raise RAISED[data]
    if data == "memory":
        return np.zeros(1 << 50)
    if data == "noise":
        warnings.warn("numpy is unhappy", RuntimeWarning, stacklevel=1)
    if data in ENDLESS:
        ENDLESS[data](progress)
    progress.advance(10)
    rows = {"row": np.arange(3), "eta": np.array([0.1, 0.2, 0.3])}
    written = types.SimpleNamespace(columns=rows, about={"sha256": "0"}) if command == "estimate-eta" else None
    return report((Remark("text-looks-like-identifier", column="name"),) if data == "warn" else ()), written


if __name__ == "__main__":
    from labeldp_audit.__main__ import main

    quick = types.SimpleNamespace(found=found, check_names=lambda command, settings: None)
    sys.modules["labeldp_audit.audits.calls"] = quick  # type: ignore[assignment]
    sys.exit(main())
