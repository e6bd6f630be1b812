"""The table of truths in the README is what the tool says today. UPDATE_README=1 writes it anew."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from labeldp_audit import engine
from labeldp_audit.commands import estimate_j
from labeldp_audit.commands.settings import Settings

ROOT = Path(__file__).parent.parent
MECHANISM, TAUS = "rr:epsilon=1", (0.5, 1, 2, 3, 5)


def rows() -> list[str]:
    truth = json.loads((ROOT / "sample_data" / "truth.json").read_text(encoding="utf-8"))
    lines = []
    for name, table in truth["tables"].items():
        report = estimate_j.run(str(ROOT / "sample_data" / name), Settings(), engine.Silent())
        said = {f.at["tau"]: f.bound for f in report.findings if f.quantity == "j" and f.mechanism == MECHANISM}
        true = dict(zip(truth["tau"], table["mechanisms"][MECHANISM]["j"], strict=True))
        for tau in TAUS:
            bound = said.get(tau, said[max(said)])  # beyond its end the curve stays where it is
            numbers = (true[tau], bound.estimate, bound.low, bound.high)
            cells = [name, MECHANISM, f"{tau:g}", *(f"{number:.3f}" for number in numbers)]
            assert bound.low <= true[tau] <= bound.high
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def test_the_truth_stands_in_the_readme():
    path = ROOT / "README.md"
    readme = path.read_text(encoding="utf-8")
    head, table, tail = re.split(r"(?<=\|---\|\n)((?:\|.*\n|TRUTH_ROWS\n)*)(?=<!-- /truth -->)", readme)
    expected = "\n".join(rows()) + "\n"
    if os.environ.get("UPDATE_README"):
        path.write_text(head + expected + tail, encoding="utf-8")
    else:
        assert table == expected
