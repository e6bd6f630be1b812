"""Two small tables are answered as they were when frozen.json was written: `python tests/test_frozen.py` writes it.

A change that is meant to change numbers writes it anew. Numbers may differ in the sixth digit: sums of floats depend on
the machine, and a search for the best coefficients stops a little earlier or later.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import frozen
import pytest

FILE = Path(__file__).parent / "frozen.json"
ROWS, NEAR = 400, 1e-6
MOST_FINDINGS = 120  # of a report: a whole curve is one thing said often
SMALL = ("eta-knn", "eta-linear", "j-taus", "nu", "gains", "gains-balanced", "audit-lines", "check", "tune-rr", "given")


def asked(folder: Path) -> list[tuple[str, Path, list[frozen.Run]]]:
    without = ("--exclude", "eta", "--exclude", "person")
    two = [run._replace(words=(*run.words, *without)) for run in frozen.runs(("linear", "knn"))]
    two = [run for run in (*two, *frozen.with_column()) if run.name in SMALL]
    many = [run for run in frozen.many_classes() if run.name != "eta-auto"]
    return [
        ("duplicates", frozen.world("duplicates", folder, ROWS), two),
        ("five", frozen.five(folder, ROWS), many),
    ]


def short(found: Any) -> Any:
    """Numbers, warnings and codes; what is said of them is tested where it is written."""
    report = found["report"]
    if isinstance(report, str):
        return found
    findings = report["findings"]
    step = max(1, len(findings) // MOST_FINDINGS)
    kept = [
        [one[key] for key in ("quantity", "mechanism", "at", "estimate", "low", "high")] for one in findings[::step]
    ]
    rest = {key: report[key] for key in ("eta", "parameters", "warnings", "remarks")}
    verdicts = [one["outcome"] for one in (report.get("judgement") or {}).get("verdicts", ())]
    return {"status": found["status"], "findings": kept, "number": len(findings), "verdicts": verdicts, **rest}


@pytest.fixture(scope="module")
def kept():
    return json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    return {title: short(one) for title, one in frozen.answers(iter(asked(folder)), folder)}


def test_the_same_questions_are_asked(kept, found):
    assert list(found) == list(kept)


def test_answers_are_what_they_were(kept, found):
    assert list(frozen.differences(kept, found, near=NEAR)) == []


@pytest.mark.parametrize(("before", "now"), [(1.0, 1.0 + 1e-5), (1, 2), ("a", "b"), ([1], [1, 2]), ({"a": 1}, {})])
def test_a_change_is_seen(before, now):
    assert list(frozen.differences([before], [now], near=NEAR))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        each = {title: short(one) for title, one in frozen.answers(iter(asked(Path(name))), Path(name))}
    FILE.write_text(
        json.dumps(each, indent=None, separators=(",", ":")).replace('},"', '},\n"') + "\n", encoding="utf-8"
    )
    print(FILE, FILE.stat().st_size, [one["status"] for one in each.values()], file=sys.stderr)
