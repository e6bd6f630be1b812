"""python -m benchmarks.coverage: how often the limits of whole audits are false, on populations with known eta.

    python -m benchmarks.coverage --kinds curved rare --audits 100 --estimator boosted --confidence 0.8

Each audit draws a table of its own and fits everything anew. What is certified is about people at large. Limits of
estimates are about averages over rows with like scores: how often they hold for people as well is what this measures.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from . import table
from .truth import KINDS, TAUS

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

Floats = npt.NDArray[np.float64]
MECHANISMS = ("rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=3")
BAG = "llp:k=8"
EVERY = 10  # of the taus of truth.py
CERTIFIED = "certified"
ENDS = (
    "j low", "j high", "mean_loss low", "nu_max low", "nu_max high", "advantage low", "advantage high",
    "uninformed_utility low", "uninformed_utility high", "informed_utility low", "informed_utility high",
)  # fmt: skip
KNOWN = ("j", "mean_loss", "nu_max", "renyi", "advantage", "uninformed_utility", "informed_utility")
PEOPLE = 500_000
FORGIVEN = 3.0  # standard errors of a truth


class Mean(NamedTuple):
    value: float
    error: float  # standard, of the people drawn

    @staticmethod
    def of(values: Floats) -> Mean:
        return Mean(float(values.mean()), float(values.std() / math.sqrt(len(values))))


@dataclass(frozen=True)
class Truth:
    """Of very many people, none of them in any table; their own chance is forgiven."""

    right: Mean  # the best guess from the features
    gains: dict[str, Mean]  # of each mechanism
    losses: Floats  # without what noise adds, rising; empty where there are more classes than two
    worst: float  # log-odds away from the prior, of these people: somebody else may be farther
    ratios: tuple[Floats, Floats]  # of densities of features: of positives to negatives, and of either to all

    @staticmethod
    def of(kind: str, seed: int) -> Truth:
        from known_truth import BAG as size
        from known_truth import counting_gains, flipping_gains, people
        from worlds import KINDS as populations

        eta = people(populations[kind](seed), many=PEOPLE)
        gains = {one: Mean.of(flipping_gains(eta, float(one.partition("=")[2]))) for one in MECHANISMS}
        right = Mean.of(eta.max(axis=1))
        if eta.shape[1] > 2:
            return Truth(right, gains, np.empty(0), math.nan, (np.empty(0), np.empty(0)))
        positive, p = eta[:, 1], float(eta[:, 1].mean())
        with np.errstate(divide="ignore"):
            odds = np.log(positive) - np.log1p(-positive) - math.log(p / (1 - p))
        gains[BAG] = Mean.of(counting_gains(positive, size))
        share = np.stack([positive / p, (1 - positive) / (1 - p)])
        return Truth(right, gains, np.sort((2 * positive - 1) * odds), float(np.abs(odds).max()), (odds, share))

    def value(self, quantity: str, mechanism: str, at: dict[str, Any]) -> Mean | None:
        """None where it is not known here."""
        if quantity not in KNOWN:
            return None
        if quantity == "uninformed_utility":
            return self.right
        if quantity in ("advantage", "informed_utility"):
            gain = self.gains[mechanism]
            return gain if quantity == "advantage" else Mean(*map(sum, zip(self.right, gain, strict=True)))
        if quantity == "renyi":
            return self.divergence(at["alpha"], at["of"] == "positive from negative")
        return self.of_noise(quantity, at["epsilon"], at.get("tau", 0.0))

    def of_noise(self, quantity: str, epsilon: float, tau: float) -> Mean:
        """What randomized response adds to."""
        noise = epsilon * math.tanh(epsilon / 2)
        if quantity == "nu_max":
            return Mean(epsilon + self.worst, 0.0)
        if quantity == "mean_loss":
            mean = Mean.of(self.losses)
            return Mean(mean.value + noise, mean.error)
        share = 1 - float(np.searchsorted(self.losses, tau - noise, side="right")) / len(self.losses)
        return Mean(share, math.sqrt(share * (1 - share) / len(self.losses)) + 1 / len(self.losses))

    def divergence(self, order: float, forward: bool) -> Mean:
        """Of the classes' features: log of E_first (first / second)^(order - 1) over order - 1, or E log at order 1."""
        odds, (ones, zeros) = self.ratios
        first, ratio = (ones, odds) if forward else (zeros, -odds)
        there = first > 0
        if order == 1:
            return Mean.of(np.where(there, first * np.where(there, ratio, 0), 0))
        mean = Mean.of(np.where(there, first * np.exp(np.where(there, (order - 1) * ratio, 0)), 0))
        return Mean(math.log(mean.value) / (order - 1), mean.error / mean.value / (order - 1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    parser.add_argument("--audits", type=int, default=400)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--estimator", default="auto")
    parser.add_argument("--confidence", type=float, default=0.99)
    asked = parser.parse_args()
    rows = []
    with multiprocessing.get_context("spawn").Pool() as pool:
        for kind in asked.kinds:
            jobs = [(kind, asked.seed, asked.n, asked.estimator, asked.confidence, i) for i in range(asked.audits)]
            missed = Counter(name for names in pool.imap_unordered(audit, jobs) for name in names)
            rows.append((kind, missed[CERTIFIED], told(missed)))
            print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
    title = f"False of {asked.audits} audits of {asked.n:,} rows, {asked.estimator}, {asked.confidence:.0%} promised"
    table.show(title, ("population", CERTIFIED, f"of {len(ENDS)} limits of estimates"), rows)


def told(missed: Counter[str]) -> str:
    return ", ".join(f"{name} {missed[name]}" for name in ENDS if missed[name]) or "0"


_KNOWN: dict[tuple[str, int], Truth] = {}


def audit(job: tuple[str, int, int, str, float, int]) -> set[str]:
    """Names of the limits that were false, and CERTIFIED where anything certified was that is judged (KNOWN)."""
    kind, seed, n, estimator, confidence, number = job
    truth = _KNOWN.get((kind, seed)) or _KNOWN.setdefault((kind, seed), Truth.of(kind, seed))
    two = bool(len(truth.losses))
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn(kind, seed, n, number, file.name)
        found = list(findings(file.name, two, {"estimator": estimator, "confidence": confidence, "seed": number}))
    return {name for one in found for name in false_ends(one, truth)}


def drawn(kind: str, seed: int, n: int, number: int, file: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from worlds import KINDS as populations

    columns, labels, _ = populations[kind](seed).draw(n, np.random.default_rng((seed, n, number)))
    pq.write_table(columns.append_column("label", pa.array(labels)), file)


def findings(file: str, two: bool, common: dict[str, Any]) -> Iterator[Any]:
    """Of all commands, from one estimate."""
    from labeldp_audit import engine
    from labeldp_audit.commands import advantage, before, estimate_j, nu_max
    from labeldp_audit.commands.settings import Settings

    taus = ",".join(f"{tau:g}" for tau in TAUS[::EVERY])
    asked: list[tuple[Any, dict[str, Any]]] = [(advantage, {"mechanism": (*MECHANISMS, *((BAG,) if two else ()))})]
    if two:
        asked += [(estimate_j, {"mechanism": MECHANISMS[:1], "tau": taus}), (nu_max, {"mechanism": MECHANISMS[:1]})]
    known = before.read_and_estimate(file, Settings(**common, threads=1), engine.Silent(), halves=True, many=True)
    for command, options in asked:
        with (
            patch.object(command, "read_and_estimate", return_value=known),
            patch.object(advantage, "_same", return_value=()),  # slow, and without limits to judge
        ):
            yield from command.run("", Settings(**common, **options, threads=1), engine.Silent()).findings


def false_ends(finding: Any, truth: Truth) -> Iterator[str]:
    quantity = finding.quantity.removeprefix("certified_")
    true = truth.value(quantity, finding.mechanism, finding.at)
    if true is None or finding.bound.low is None:
        return
    slack = FORGIVEN * true.error + 1e-9
    ends = {"low": finding.bound.low > true.value + slack, "high": finding.bound.high < true.value - slack}
    if quantity == finding.quantity:
        yield from (f"{quantity} {end}" for end, false in ends.items() if false)
    elif any(ends.values()):
        yield CERTIFIED


if __name__ == "__main__":
    main()
