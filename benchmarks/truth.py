"""python -m benchmarks.truth: what the tool says of populations with known eta, beside the truth.

    python -m benchmarks.truth --kinds curved rare --seeds 1 2 --n 20000 --estimators knn --markdown

Each table is audited by the command line alone, in processes of their own. `!` marks what misses the aim.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import child, table

KINDS = (
    "curved", "categorical", "levels", "give-away", "independent", "gaussians", "scales", "rare", "repeated", "five",
)  # fmt: skip
ESTIMATORS = ("auto", "knn")
PI = 0.01
STEP = 0.02
TAUS = tuple(i / 50 for i in range(1001))  # 0 to 20 nats
RELEASES = {"rr:epsilon=0.5": "rr 0.5", "rr:epsilon=1": "rr 1", "rr:epsilon=3": "rr 3", "llp:k=8": "llp 8"}
AIMS = {"give-away": 0.05, "gaussians": 0.05, "independent": 0.01, "rare": 0.20}  # of W1
AIM, NEAR, CLOSE = 0.10, 0.05, 0.0005  # of W1 elsewhere; of advantages, relative and absolute
SHOULDER = 0.25  # nats beyond the one loss that there is, where labels do not depend on features
Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """The three reports on one table, and what estimate-eta cost."""

    eta: Json
    j: Json | None
    advantage: Json
    cost: child.Cost


def main() -> None:
    asked = arguments()
    rows = [
        row(kind, seed, estimator, truth, audited(file, estimator, many_classes=not truth["j"]))
        for kind in asked.kinds
        for seed in asked.seeds
        for file, truth in [known(kind, seed, asked.n)]
        for estimator in asked.estimators
    ]
    head = ("population", "estimator", "s", "MB", "best", "loss", "blind", "W1", "up to", *RELEASES.values(), "held")
    title = (
        f"{asked.n:,} rows, pi = {PI}; W1 in nats; advantages: truth, what the tool is off by; held: true values inside"
    )
    (table.show if asked.markdown else plain)(title, head, rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1], metavar="SEED")
    parser.add_argument("--estimators", nargs="+", default=ESTIMATORS, metavar="NAME")
    parser.add_argument("--n", type=int, default=200_000)
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


# ---- the table, its truth, and what the tool says


def known(kind: str, seed: int, n: int) -> tuple[Path, Json]:
    """Kept for the next run, until a file that makes them changes."""
    root = Path(__file__).parent.parent
    sources = [*sorted((root / "tests").glob("*population*.py")), root / "tests" / "known_truth.py"]
    version = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / "labeldp-audit-benchmarks" / version
    folder.mkdir(parents=True, exist_ok=True)
    file, truth = folder / f"{kind}-{seed}-{n}.parquet", folder / f"{kind}-{seed}-{n}.json"
    if not truth.exists():
        child.run("-m", "benchmarks.known", kind, str(seed), str(n), str(file), str(truth))
    return file, json.loads(truth.read_text(encoding="utf-8"))


def audited(file: Path, estimator: str, many_classes: bool) -> Answer:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = ("--estimator", estimator, "-o", str(folder), "-f", f"json={folder / 'first.json'}")
        cost = child.run("-m", "labeldp_audit", "estimate-eta", str(file), "--quiet", *made)
        releases = [release for release in RELEASES if not (many_classes and release.startswith("llp"))]
        gains = question(file, folder, "advantage", *(word for each in releases for word in ("--mechanism", each)))
        curve = ("--mechanism", f"rr:pi={PI}", "--tau", f"0:20:{STEP}")
        j = None if many_classes else question(file, folder, "estimate-j", *curve)
        return Answer(json.loads((folder / "first.json").read_text(encoding="utf-8")), j, gains, cost)


def question(file: Path, folder: Path, command: str, *options: str) -> Json:
    answer = folder / f"{command}.answer.json"
    known_eta = ("--eta-file", str(folder / "eta.parquet"), "--no-output", "--quiet", "-f", f"json={answer}")
    child.run("-m", "labeldp_audit", command, str(file), *known_eta, *options)
    found: Json = json.loads(answer.read_text(encoding="utf-8"))
    return found


# ---- the comparison


def row(kind: str, seed: int, estimator: str, truth: Json, answer: Answer) -> list[str]:
    curve = [finding for finding in answer.j["findings"] if finding["quantity"] == "j"] if answer.j else []
    gains = in_order(answer.advantage["findings"], truth["advantages"])
    pairs = list(zip(curve, truth["j"], strict=True)) + [(gains[name], truth["advantages"][name]) for name in gains]
    inside = sum(holds(finding, true) for finding, true in pairs)
    cells = [
        f"{kind} {seed}", estimator, f"{answer.cost.seconds:.1f}", f"{answer.cost.megabytes:.0f}",
        f"{truth['best']:.4f}", f"{answer.eta['eta']['log_loss']:.4f}", f"{truth['blind']:.4f}",
        *(of_curve(kind, curve, truth["j"]) if curve else ("", "")),
        *(off(gains[name]["estimate"], truth["advantages"][name]) if name in gains else "" for name in RELEASES),
        f"{inside}/{len(pairs)}" + "!" * (inside < len(pairs)),
    ]  # fmt: skip
    print(*cells, sep="  ", file=sys.stderr, flush=True)  # the table comes at the end
    return cells


def in_order(findings: list[Json], truth: dict[str, float]) -> dict[str, Json]:
    found = {finding["mechanism"]: finding for finding in findings if finding["quantity"] == "advantage"}
    return {name: found[name] for name in truth}


def of_curve(kind: str, curve: list[Json], truth: Sequence[float]) -> tuple[str, str]:
    """W1, and the largest tau that the tool says somebody is above."""
    assert all(abs(finding["at"]["tau"] - tau) < 1e-9 for finding, tau in zip(curve, TAUS, strict=True))
    w1 = distance([finding["estimate"] for finding in curve], truth)
    seen = max((finding["at"]["tau"] for finding in curve if finding["estimate"] > 0), default=0.0)
    alarm = kind == "independent" and seen > last(truth) + SHOULDER
    return f"{w1:.4f}" + "!" * (w1 > AIMS.get(kind, AIM)), f"{seen:.2f}" + "!" * alarm


def last(truth: Sequence[float]) -> float:
    return max((tau for tau, share in zip(TAUS, truth, strict=True) if share > 0), default=0.0)


def distance(one: Sequence[float], other: Sequence[float], step: float = STEP) -> float:
    """The integral of |one - other| over tau, both curves asked at the same taus."""
    return step * sum(abs(a - b) for a, b in zip(one, other, strict=True))


def off(estimate: float | None, truth: float) -> str:
    """The truth, and how far off the estimate is: absolutely, and as a share of it."""
    if estimate is None:
        return f"{truth:.5f} none!"
    error = estimate - truth
    share = f" {error / truth:+.1%}" if truth > 1e-6 else ""
    return f"{truth:.5f} {error:+.5f}{share}" + "!" * misses(estimate, truth)


def misses(estimate: float, truth: float) -> bool:
    return abs(estimate - truth) > max(NEAR * truth, CLOSE)


def holds(finding: Json, truth: float, slack: float = 1e-12) -> bool:
    """Whether the limits hold the truth. The last bit of a float is forgiven, the truth's own noise is not."""
    low, high = finding["low"], finding["high"]
    return low is not None and high is not None and bool(low - slack <= truth <= high + slack)


def plain(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    width = [max(len(line[column]) for line in [head, *rows]) for column in range(len(head))]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(line, width, strict=True)) for line in [head, *rows]]
    print(f"\n{title}\n\n" + "\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
