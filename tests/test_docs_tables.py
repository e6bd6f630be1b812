"""The tables of truths in the pages are what the tool says today. UPDATE_DOCS=1 writes them anew."""

from __future__ import annotations

import functools
import json
import math
import os
from dataclasses import replace
from pathlib import Path

import pytest

from labeldp_audit.audits import evidence, run
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import COMPARED_MECHANISMS, Settings

ROOT = Path(__file__).parent.parent
ACCURACY, COMPARED = (ROOT / "docs" / page for page in ("explanation/accuracy.md", "how-to/compare-releases.md"))
ALONE = Settings(threads=1)  # other tests run beside this one
_read_and_estimate = evidence.read_and_estimate
MECHANISM, TAUS = "rr:epsilon=1", (0.5, 1, 2, 3, 5)


@pytest.fixture(autouse=True)
def each_table_once(monkeypatch):
    monkeypatch.setattr(evidence, "read_and_estimate", lambda data, *given, **more: estimated(data))


@functools.cache
def estimated(data: str):
    return _read_and_estimate(data, ALONE, Silent(), halves=True)


def rows() -> list[str]:
    truth = json.loads((ROOT / "sample_data" / "truth.json").read_text(encoding="utf-8"))
    lines = []
    for name, table in truth["tables"].items():
        report = run.estimate_j(str(ROOT / "sample_data" / name), ALONE, Silent())
        said = {f.at["tau"]: f.bound for f in report.findings if f.quantity == "j" and f.mechanism == MECHANISM}
        true = dict(zip(truth["tau"], table["mechanisms"][MECHANISM]["j"], strict=True))
        for tau in TAUS:
            bound = said.get(tau, said[max(said)])  # beyond its end the curve stays where it is
            numbers = (true[tau], bound.estimate, bound.low, bound.high)
            cells = [name, MECHANISM, f"{tau:g}", *(f"{number:.3f}" for number in numbers)]
            assert bound.low <= true[tau] <= bound.high
            lines.append("| " + " | ".join(cells) + " |")
    return lines


def attackers() -> list[str]:
    """In labels of a hundred, the sample table of the clinic."""
    truth = json.loads((ROOT / "sample_data" / "truth.json").read_text(encoding="utf-8"))
    name, settings = "clinic.parquet", replace(ALONE, mechanism=COMPARED_MECHANISMS)
    report = run.gains(str(ROOT / "sample_data" / name), settings, Silent())
    by = {(one.quantity, one.mechanism): one for one in report.findings}
    asked = (one for one in report.findings if one.quantity == NAME and one.mechanism)
    return [_attacker(truth["tables"][name]["advantage"], one, by) for one in asked]


def test_sentences_say_what_the_tables_say():
    """Of the clinic: how much is guessed from the features alone, and bags beside noise."""
    page = " ".join(COMPARED.read_text(encoding="utf-8").split())
    truth = json.loads((ROOT / "sample_data" / "truth.json").read_text(encoding="utf-8"))["tables"]["clinic.parquet"]
    settings = replace(ALONE, mechanism=("llp:k=8|64",))
    findings = run.gains(str(ROOT / "sample_data" / "clinic.parquet"), settings, Silent()).findings
    by = {(one.quantity, one.mechanism): one.bound.estimate for one in findings}
    true, said = 100 * truth["uninformed_utility"], 100 * by["uninformed_utility", None]
    assert f"alone is right for {true:.1f} % of the labels (the tool says {said:.1f} %)" in page
    few, many = (by["equivalent_epsilon", f"llp:k={k}"] for k in (8, 64))
    assert f"Totals over 64 people add about as little as randomized response at epsilon {many:.1f}" in page
    assert f"totals over 8 as much as at epsilon {few:.1f}" in page


NAME = "advantage"


def _attacker(true, one, by) -> str:
    bound = one.bound
    assert bound.low <= true[one.mechanism] <= bound.high
    numbers = (
        true[one.mechanism],
        bound.estimate,
        math.floor(1e4 * bound.low) / 1e4,
        math.ceil(1e4 * bound.high) / 1e4,
    )
    bag, noise = by.get(("equivalent_k", one.mechanism)), by.get(("equivalent_epsilon", one.mechanism))
    like = f"llp:k={bag.bound.estimate:.0f}" if bag else f"rr:epsilon={noise.bound.estimate:.2g}"
    cells = [one.mechanism, f"{one.at.get('epsilon', 'none')}", *(f"{100 * number:.2f}" for number in numbers), like]
    return "| " + " | ".join(cells) + " |"


def _same(kept: str, now: str, limits: tuple[int, int], near: float) -> bool:
    """Machines add floats in different orders, a row falls on the other side of a cell, and a limit moves by that."""
    both = list(enumerate(zip(kept.split("|"), now.split("|"), strict=True)))
    return all(a == b or (place in limits and abs(float(a) - float(b)) <= near) for place, (a, b) in both)


@pytest.mark.parametrize(
    ("page", "mark", "lines", "limits", "near"),
    [(ACCURACY, "truth", rows, (6, 7), 0.02), (COMPARED, "advantage", attackers, (5, 6), 0.1)],
)
def test_the_truth_stands_beside_what_the_tool_says(page, mark, lines, limits, near):
    text = page.read_text(encoding="utf-8")
    begin, end = f"<!-- {mark}:", f"<!-- /{mark} -->"
    head, after = text.split(begin)
    inside, tail = after.split(end)
    kept = inside.splitlines()
    expected = [*kept[:3], *lines()]  # the comment's end, the head of the table, the line below it
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(head + begin + "\n".join(expected) + "\n" + end + tail, encoding="utf-8")
    else:
        assert [a for a, b in zip(kept, expected, strict=True) if a != b and not _same(a, b, limits, near)] == []
