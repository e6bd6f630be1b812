"""python -m benchmarks.coverage: how often the limits of whole audits are false, on populations with known eta.

    python -m benchmarks.coverage --kinds curved rare --audits 100 --estimator boosted --confidence 0.99 0.8
    python -m benchmarks.coverage --people groups copies both     # one: every row somebody else, the default

Each audit draws a table of its own and fits everything anew. What is certified is about people at large. Limits of
estimates are about averages over rows with like scores: how often they hold for people as well is what this measures.
Each `low` and each `high` is counted by itself: `3/400 (11)` is false in 3 of the 400 audits that have it, where 11 are
what the level allows at one in a thousand; `!` where more are false.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from labeldp_audit.core.finding import BASELINE, CLEAR, FEATURES

from . import table
from .truth import KINDS, TAUS

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

Floats = npt.NDArray[np.float64]
MECHANISMS = ("rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=3")
BAG = "llp:k=8"
EVERY = 10  # of the taus of truth.py
NOISY = ("j", "j_added", "mean_loss", "nu_max")  # of losses, which depend on what the mechanism adds
GUESSES = ("uninformed_utility", "advantage", "informed_utility", "advantage_bound")
ALONE = ("eta_min", "eta_max", "log_ratio_min", "log_ratio_max", "jeffreys", "weighted_jeffreys")  # of features
MANY = 500_000  # people behind a truth
FORGIVEN = 3.0  # standard errors of a truth
PEOPLE = ("one", "groups", "copies", "both")  # rows of somebody else each; several of each person; copies; and both
MOST_ROWS, MOST_COPIES = 20, 5  # of a person, and of a row
JITTER = 1e-4  # standard deviations of a column, between rows of one person
PERSON = "person"
SURPRISE = 0.001  # how improbable more misses than allowed are
CERTIFIED, ESTIMATED = "anything certified", "any other limit"


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
    eta: Floats  # of the positive class

    @staticmethod
    def of(kind: str, seed: int) -> Truth:
        from known_truth import BAG as size
        from known_truth import counting_gains, flipping_gains, people
        from worlds import KINDS as populations

        eta = people(populations[kind](seed), many=MANY)
        gains = {one: Mean.of(flipping_gains(eta, float(one.partition("=")[2]))) for one in MECHANISMS}
        right = Mean.of(eta.max(axis=1))
        if eta.shape[1] > 2:
            return Truth(right, gains, np.empty(0), math.nan, (np.empty(0), np.empty(0)), np.empty(0))
        positive, p = eta[:, 1], float(eta[:, 1].mean())
        with np.errstate(divide="ignore"):
            odds = np.log(positive) - np.log1p(-positive) - math.log(p / (1 - p))
        gains[BAG] = Mean.of(counting_gains(positive, size))
        share = np.stack([positive / p, (1 - positive) / (1 - p)])
        return Truth(
            right, gains, np.sort((2 * positive - 1) * odds), float(np.abs(odds).max()), (odds, share), positive
        )

    def value(self, quantity: str, mechanism: str, at: dict[str, Any]) -> Mean | None:
        """None where it is not known here. A bound is set beside the advantage: what is above is not false."""
        if quantity in GUESSES:
            return self.of_guesses(quantity, mechanism, at.get(BASELINE))
        if quantity == "renyi":
            return self.divergence(at["alpha"], at["of"] == "positive from negative")
        if quantity in NOISY:
            epsilon = {FEATURES: 0.0, CLEAR: math.inf}[at[BASELINE]] if BASELINE in at else at["epsilon"]
            return self.of_noise(quantity, epsilon, at.get("tau", 0.0))
        return self.of_features(quantity) if quantity in ALONE and len(self.eta) else None

    def of_guesses(self, quantity: str, mechanism: str, baseline: str | None) -> Mean:
        if quantity == "advantage" and baseline:  # without noise: all that is not guessed yet
            return Mean(1 - self.right.value, self.right.error)
        if quantity == "uninformed_utility" or baseline:
            return self.right
        gain = self.gains[mechanism]
        return Mean(*map(sum, zip(self.right, gain, strict=True))) if quantity == "informed_utility" else gain

    def of_features(self, quantity: str) -> Mean:
        """Without a release; the ends are those of these people, and somebody else may be farther."""
        with np.errstate(divide="ignore"):
            odds = np.log(self.eta) - np.log1p(-self.eta)
        if quantity == "jeffreys":
            return Mean.of((2 * self.eta - 1) * odds)
        if quantity == "weighted_jeffreys":
            return Mean.of(self.losses)
        ends = {"eta_min": self.eta.min(), "eta_max": self.eta.max(), "log_ratio_min": -odds.min()}
        return Mean(float(ends.get(quantity, odds.max())), 0.0)

    def of_noise(self, quantity: str, epsilon: float, tau: float) -> Mean:
        """What randomized response adds to."""
        noise = epsilon * math.tanh(epsilon / 2)
        if quantity == "nu_max":
            return Mean(epsilon + self.worst, 0.0)
        if quantity == "mean_loss":
            mean = Mean.of(self.losses)
            return Mean(mean.value + noise, mean.error)
        share, alone = (self.above(tau - one) for one in (noise, 0.0))
        share -= alone if quantity == "j_added" else 0.0
        return Mean(share, math.sqrt(share * (1 - share) / len(self.losses)) + 1 / len(self.losses))

    def above(self, loss: float) -> float:
        return 1 - float(np.searchsorted(self.losses, loss, side="right")) / len(self.losses)

    def divergence(self, order: float, forward: bool) -> Mean:
        """Of the classes' features: log of E_first (first / second)^(order - 1) over order - 1, or E log at order 1."""
        odds, (ones, zeros) = self.ratios
        first, ratio = (ones, odds) if forward else (zeros, -odds)
        there = first > 0
        if order == 1:
            return Mean.of(np.where(there, first * np.where(there, ratio, 0), 0))
        mean = Mean.of(np.where(there, first * np.exp(np.where(there, (order - 1) * ratio, 0)), 0))
        return Mean(math.log(mean.value) / (order - 1), mean.error / mean.value / (order - 1))


class Job(NamedTuple):
    """One audit."""

    kind: str
    seed: int
    n: int
    people: str
    estimator: str
    confidences: tuple[float, ...]
    number: int

    @property
    def options(self) -> dict[str, Any]:
        """Those of the audit that depend on whose rows they are."""
        group = {"group": PERSON} if self.people in ("groups", "both") else {}
        repeats = {"repeats": "copies"} if self.people in ("copies", "both") else {}
        return {"estimator": self.estimator, "seed": self.number, **group, **repeats}


class Outcome(NamedTuple):
    """What one audit said that is known to be true or false."""

    false: dict[str, bool]  # of each end of each quantity: whether any is
    unknown: frozenset[str]  # quantities that have limits, but no truth here


def main() -> None:
    asked = arguments()
    with multiprocessing.get_context("spawn").Pool(asked.processes) as pool:
        for people in asked.people:
            # people of that kind look alike: to say that their rows are copies would be false
            kinds = [kind for kind in asked.kinds if kind != "repeated" or people not in ("copies", "both")]
            counts = {kind: counted(pool, asked, kind, people) for kind in kinds}
            for confidence in asked.confidence:
                show(asked, people, confidence, {kind: found[confidence] for kind, found in counts.items()})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    parser.add_argument("--people", nargs="+", default=PEOPLE[:1], choices=PEOPLE, metavar="WHOSE")
    parser.add_argument("--audits", type=int, default=400)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--estimator", default="auto")
    parser.add_argument("--confidence", nargs="+", type=float, default=[0.99])
    parser.add_argument("--processes", type=int, help="all cores without it")
    return parser.parse_args()


# ---- what is counted


class Count(NamedTuple):
    """Of one end of one quantity."""

    false: int
    audits: int  # that have it

    def text(self, confidence: float) -> str:
        most = allowed(self.audits, confidence)
        return f"{self.false}/{self.audits} ({most})" + "!" * (self.false > most)


def allowed(audits: int, confidence: float) -> int:
    """The most misses that a limit may have which is false with probability 1 - confidence: more are seen in one of a
    thousand such runs. Confidence is joint over a report, so this is allowed to all its limits together as well."""
    from scipy.stats import binom

    return int(binom.ppf(1 - SURPRISE, audits, 1 - confidence)) if audits else 0


def counted(pool: Any, asked: argparse.Namespace, kind: str, people: str) -> dict[float, dict[str, Count]]:
    """At each confidence; the audits share their estimates, which do not depend on it."""
    shared = (kind, asked.seed, asked.n, people, asked.estimator, tuple(asked.confidence))
    outcomes = list(pool.imap_unordered(audit, [Job(*shared, number) for number in range(asked.audits)]))
    counts = {
        confidence: counts_of([each[i] for each in outcomes]) for i, confidence in enumerate(asked.confidence)
    }  # fmt: skip
    unknown = sorted(frozenset().union(*(outcome.unknown for each in outcomes for outcome in each)))
    for confidence, count in counts.items():
        missed = [f"{name} {one.text(confidence)}" for name, one in count.items() if one.false]
        told = (kind, people, confidence, ", ".join(missed) or 0, f"not judged: {unknown}")
        print(*told, sep="  ", file=sys.stderr, flush=True)
    return counts


def counts_of(outcomes: Sequence[Outcome]) -> dict[str, Count]:
    """Of all that certificates say and of all other limits together, then of each by itself."""
    there = Counter(name for outcome in outcomes for name in together(outcome.false))
    false = Counter(name for outcome in outcomes for name, wrong in together(outcome.false).items() if wrong)
    return {
        name: Count(false[name], there[name])
        for name in sorted(there, key=lambda name: (" any" not in f" {name}", name))
    }


def together(false: dict[str, bool]) -> dict[str, bool]:
    whole: dict[str, bool] = {}
    for name, wrong in false.items():
        kind = CERTIFIED if name.startswith("certified_") else ESTIMATED
        whole[kind] = whole.get(kind, False) or wrong
    return whole | false


def show(asked: argparse.Namespace, people: str, confidence: float, counts: dict[str, dict[str, Count]]) -> None:
    title = (
        f"False of {asked.audits} audits of {asked.n:,} rows, {people}, {asked.estimator}, {confidence:.0%} promised; "
        f"in brackets the most that the level allows at {SURPRISE}"
    )
    names = dict.fromkeys(name for column in counts.values() for name in column)
    rows = [
        (name, *(column[name].text(confidence) if name in column else "" for column in counts.values()))
        for name in names
    ]
    table.show(title, ("limit", *counts), rows)


# ---- one audit

_KNOWN: dict[tuple[str, int], Truth] = {}


def audit(job: Job) -> list[Outcome]:
    """At each confidence."""
    truth = _KNOWN.get((job.kind, job.seed)) or _KNOWN.setdefault((job.kind, job.seed), Truth.of(job.kind, job.seed))
    two = bool(len(truth.losses))
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if drawn(job, file.name) < 2:
            return [Outcome({}, frozenset())] * len(job.confidences)  # a rare label: such a table is refused
        return [judged(each, truth) for each in findings(file.name, two, job.options, job.confidences)]


def drawn(job: Job, file: str) -> int:
    """Write a table; return how many classes it has."""
    import pyarrow.parquet as pq
    from worlds import KINDS as populations

    rng = np.random.default_rng((job.seed, job.n, job.number))
    rows = rows_of_people(populations[job.kind](job.seed), job.n, job.people, rng)
    pq.write_table(rows, file)
    return len(rows["label"].unique())


def rows_of_people(population: Any, n: int, people: str, rng: np.random.Generator) -> Any:
    """A table of about n rows.

    A person is one draw of the population and has one label, the hard case: the rows of a person say the same thing,
    and whoever counts them as evidence from several people is too sure. A person's rows are the same row with its
    numbers moved very little. Rows of features drawn anew would not do: the label is one of the person, so eta of a row
    would not be that of the population any more. Like this the law of eta over rows is that over people, which is the
    truth that limits are compared with: how many rows somebody has does not depend on who it is."""
    if people == "one":
        return labelled(*population.draw(n, rng)[:2])
    groups, copies = people in ("groups", "both"), people in ("copies", "both")
    each = (MOST_ROWS + 1) / 2 * groups + (not groups)
    written = (MOST_COPIES + 1) / 2 if copies else 1
    rows = labelled(*population.draw(max(1, round(n / each / written)), rng)[:2])
    if groups:
        rows = several_rows(rows, rng)
    if copies:
        rows = rows.take(repeated(rows.num_rows, MOST_COPIES, rng))
    return rows.take(rng.permutation(rows.num_rows))


def labelled(columns: Any, labels: npt.NDArray[np.int64]) -> Any:
    import pyarrow as pa

    return columns.append_column("label", pa.array(labels))


def repeated(many: int, most: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Each number below `many`, from once to `most` times."""
    return np.repeat(np.arange(many), rng.integers(1, most + 1, many))


def several_rows(people: Any, rng: np.random.Generator) -> Any:
    """Each person's row from once to MOST_ROWS times, with the person's name; numbers but counts are moved a little."""
    import pyarrow as pa

    who = repeated(people.num_rows, MOST_ROWS, rng)
    rows = people.take(who)
    for i, name in enumerate(rows.column_names):
        if pa.types.is_floating(rows.schema.types[i]):
            rows = rows.set_column(i, name, pa.array(moved(rows[name].to_numpy(), rng), from_pandas=True))
    names = rng.permutation(people.num_rows)  # in no order that tells anything
    return rows.append_column(PERSON, pa.array([f"p{one}" for one in names[who]]))


def moved(values: Floats, rng: np.random.Generator) -> Floats:
    """A missing cell, NaN, stays missing."""
    return values + JITTER * np.nanstd(values) * rng.normal(size=len(values))


def findings(
    file: str, two: bool, common: dict[str, Any], confidences: Iterable[float] = (0.99,)
) -> Iterator[Iterator[Any]]:
    """Of all commands, at each confidence, from one estimate."""
    from labeldp_audit.audits import evidence, run
    from labeldp_audit.core.progress import Silent
    from labeldp_audit.core.settings import Settings
    from labeldp_audit.questions import advantage

    taus = ",".join(f"{tau:g}" for tau in TAUS[::EVERY])
    asked: list[tuple[Any, dict[str, Any]]] = [(run.gains, {"mechanism": (*MECHANISMS, *((BAG,) if two else ()))})]
    if two:
        asked += [
            (run.estimate_j, {"mechanism": MECHANISMS[:1], "tau": taus}),
            (run.nu_max, {"mechanism": MECHANISMS[:1]}),
        ]
    known = evidence.read_and_estimate(file, Settings(**common, threads=1), Silent(), halves=True, many=True)

    def at(confidence: float) -> Iterator[Any]:
        for command, options in asked:
            settings = Settings(**common, **options, confidence=confidence, threads=1)
            with (
                patch.object(evidence, "read_and_estimate", return_value=known),
                patch.object(advantage, "_same", return_value=()),  # slow, and without limits to judge
            ):
                yield from command("", settings, Silent()).findings

    return map(at, confidences)


def judged(said: Iterable[Any], truth: Truth) -> Outcome:
    false: dict[str, bool] = {}
    unknown = set()
    for finding in said:
        for end, wrong in ends(finding, truth).items():
            alone = f", {finding.at[BASELINE]}," if BASELINE in finding.at else ""
            name = f"{finding.quantity}{alone} {end}"
            if wrong is None:
                unknown.add(finding.quantity)
            else:
                false[name] = false.get(name, False) or wrong
    return Outcome(false, frozenset(unknown))


def ends(finding: Any, truth: Truth) -> dict[str, bool | None]:
    """Of each end that there is whether it is false, None where nothing is known of the quantity."""
    true = truth.value(finding.quantity.removeprefix("certified_"), finding.mechanism, finding.at)
    there = {end: at for end, at in (("low", finding.bound.low), ("high", finding.bound.high)) if at is not None}
    if finding.quantity == "advantage_bound":
        there.pop("low", None)  # of the theorem's bound, not of what it bounds
    if true is None:
        return dict.fromkeys(there)
    slack = FORGIVEN * true.error + 1e-9
    return {end: at > true.value + slack if end == "low" else at < true.value - slack for end, at in there.items()}


if __name__ == "__main__":
    main()
