"""python -m benchmarks.truth: what the tool says of populations with known eta, beside the truth.

    python -m benchmarks.truth --draws 5                 # five populations of each kind, new ones each time
    python -m benchmarks.truth --draws 5 --seed 31415    # the same ones again
    python -m benchmarks.truth --kinds curved rare --seeds 1 2 --n 20000 --estimators knn --markdown

Each table is audited by the command line alone, in processes of their own. `!` marks what misses the aim; `~` what only
the chance of the sample excuses: its share of positives is not that of the population.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from . import child, table

KINDS = (
    "curved", "categorical", "levels", "give-away", "independent", "gaussians", "scales", "half-space", "rare",
    "repeated", "five",
)  # fmt: skip
ESTIMATORS = ("auto", "knn")
PI = 0.01
STEP = 0.02
TAUS = tuple(i / 50 for i in range(1001))  # 0 to 20 nats
FEW_TAUS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0)  # where limits of j are looked at,
WEAK = "rr:epsilon=1"  # of this release
RELEASES = {"rr:epsilon=0.5": "rr 0.5", "rr:epsilon=1": "rr 1", "rr:epsilon=3": "rr 3", "llp:k=8": "llp 8"}
AIMS = {"give-away": 0.05, "gaussians": 0.05, "independent": 0.01, "rare": 0.20}  # of W1
AIM, NEAR, CLOSE = 0.10, 0.05, 0.0005  # of W1 elsewhere; of advantages, relative and absolute
CHANCE = 3.0  # standard errors of the share of positives in the sample
SMALL = 0.001  # advantages below are compared absolutely
SHOULDER = 0.25  # nats beyond the one loss that there is, where labels do not depend on features
Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """The reports on one table, and what estimate-eta cost."""

    eta: Json
    j: Json | None  # of rr:pi=0.01, at TAUS
    few: Json | None  # of WEAK, at FEW_TAUS
    advantage: Json
    cost: child.Cost


def main() -> None:
    asked = arguments()
    seeds = asked.seeds or [asked.seed + i for i in range(asked.draws)]
    print(f"seeds {' '.join(map(str, seeds))}", file=sys.stderr, flush=True)
    compared = [
        announced(Compared.of(kind, seed, estimator, asked.n, truth, audited(file, estimator, not truth["j"])))
        for kind in asked.kinds
        for seed in seeds
        for file, truth in [known(kind, seed, asked.n)]
        for estimator in asked.estimators
    ]
    show = table.show if asked.markdown else plain
    show(title(asked, seeds), HEAD, [row(one) for one in compared])
    if len(seeds) > 1:
        show(SUMMARY, SUMMARY_HEAD, list(summary(compared)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.truth")
    parser.add_argument("--kinds", nargs="+", default=KINDS, choices=KINDS, metavar="KIND")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--seeds", nargs="+", type=int, metavar="SEED", help="of populations, instead of --draws")
    which.add_argument("--draws", type=int, help="so many populations of each kind, from --seed on")
    parser.add_argument("--seed", type=int, metavar="BASE", help="of the first draw; 1 without --draws, else by chance")
    parser.add_argument("--estimators", nargs="+", default=ESTIMATORS, metavar="NAME")
    parser.add_argument("--n", type=int, default=200_000)
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    if asked.seed is None:
        asked.seed = 1 if asked.draws is None else random.SystemRandom().randrange(10, 1_000_000)
    asked.draws = asked.draws or 1
    return asked


def title(asked: argparse.Namespace, seeds: Sequence[int]) -> str:
    again = "--seeds " + " ".join(map(str, seeds)) if asked.seeds else f"--draws {asked.draws} --seed {asked.seed}"
    return (
        f"{asked.n:,} rows, pi = {PI}, {again}; W1 in nats; advantages: truth, what the tool is off by (~: within "
        f"{CHANCE:g} standard errors of the class share); held: true values inside; width: of j of {WEAK}, mean "
        "over tau " + " ".join(f"{tau:g}" for tau in FEW_TAUS)
    )


# ---- the table, its truth, and what the tool says


def known(kind: str, seed: int, n: int) -> tuple[Path, Json]:
    """Kept for the next run, until a file that makes them changes."""
    root = Path(__file__).parent.parent
    makers = (root / "tests" / "known_truth.py", root / "benchmarks" / "known.py")
    sources = [*sorted((root / "tests").glob("*population*.py")), *makers]
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
        taus = ",".join(f"{tau:g}" for tau in FEW_TAUS)
        few = None if many_classes else question(file, folder, "estimate-j", "--mechanism", WEAK, "--tau", taus)
        return Answer(json.loads((folder / "first.json").read_text(encoding="utf-8")), j, few, gains, cost)


def question(file: Path, folder: Path, command: str, *options: str) -> Json:
    answer = folder / f"{command}.answer.json"
    known_eta = ("--eta-file", str(folder / "eta.parquet"), "--no-output", "--quiet", "-f", f"json={answer}")
    child.run("-m", "labeldp_audit", command, str(file), *known_eta, *options)
    found: Json = json.loads(answer.read_text(encoding="utf-8"))
    return found


# ---- the comparison


class Gain(NamedTuple):
    """An advantage: what the tool says, and what is true."""

    estimate: float | None
    truth: float


@dataclass(frozen=True)
class Compared:
    """What the tool says of one table beside the truth."""

    kind: str
    seed: int
    estimator: str
    traits: str
    cost: child.Cost
    log_loss: tuple[float, float, float]  # best, found, blind
    w1: float | None  # None, as all that is about losses, where there are more classes than two
    seen: float  # the largest tau that the tool says somebody is above
    false_alarm: bool
    gains: dict[str, Gain]
    chance: float  # the most that the sample's class shares explain of an advantage's error
    held: tuple[int, int]  # true values inside their limits, of all
    width: float | None  # of j of WEAK
    outside: int  # true values of that outside their limits

    @staticmethod
    def of(kind: str, seed: int, estimator: str, n: int, truth: Json, answer: Answer) -> Compared:
        curve, few = found_j(answer.j), found_j(answer.few)
        gains = in_order(answer.advantage["findings"], truth["advantages"])
        pairs = list(zip(curve, truth["j"], strict=True)) + [(gains[name], truth["advantages"][name]) for name in gains]
        w1, seen = of_curve(curve, truth["j"]) if curve else (None, 0.0)
        return Compared(
            kind, seed, estimator, truth["traits"], answer.cost,
            (truth["best"], answer.eta["eta"]["log_loss"], truth["blind"]),
            w1, seen, bool(curve) and kind == "independent" and seen > last(truth["j"]) + SHOULDER,
            {name: Gain(gains[name]["estimate"], truth["advantages"][name]) for name in gains},
            class_share_chance(truth["prior"], n),
            (sum(holds(finding, true) for finding, true in pairs), len(pairs)),
            statistics.fmean(map(width, few)) if few else None,
            sum(contradicts(finding, true) for finding, true in zip(few, truth["few"], strict=True)),
        )  # fmt: skip

    @property
    def bent(self) -> bool:
        """Whether its curve of losses misses the aim."""
        return self.w1 is not None and self.w1 > AIMS.get(self.kind, AIM)


def within(one: Compared, chance: float | None = None) -> bool:
    """Whether nothing misses the aim; chance: what is excused, the sample's own where it is None."""
    excused = one.chance if chance is None else chance
    return not (one.bent or one.false_alarm or any(misses(*gain, excused) for gain in one.gains.values()))


def found_j(report: Json | None) -> list[Json]:
    """Of the release."""
    found = report["findings"] if report else []
    return [finding for finding in found if finding["quantity"] == "j" and "baseline" not in finding["at"]]


def in_order(findings: list[Json], truth: dict[str, float]) -> dict[str, Json]:
    found = {finding["mechanism"]: finding for finding in findings if finding["quantity"] == "advantage"}
    return {name: found[name] for name in truth}


def of_curve(curve: list[Json], truth: Sequence[float]) -> tuple[float, float]:
    """W1, and the largest tau that the tool says somebody is above."""
    assert all(abs(finding["at"]["tau"] - tau) < 1e-9 for finding, tau in zip(curve, TAUS, strict=True))
    w1 = distance([finding["estimate"] for finding in curve], truth)
    return w1, max((finding["at"]["tau"] for finding in curve if finding["estimate"] > 0), default=0.0)


def last(truth: Sequence[float]) -> float:
    return max((tau for tau, share in zip(TAUS, truth, strict=True) if share > 0), default=0.0)


def distance(one: Sequence[float], other: Sequence[float], step: float = STEP) -> float:
    """The integral of |one - other| over tau, both curves asked at the same taus."""
    return step * sum(abs(a - b) for a, b in zip(one, other, strict=True))


def class_share_chance(prior: Sequence[float], n: int) -> float:
    """Three standard errors of the share of a class among n rows, the most variable one's. If all eta move the same way
    with it, an advantage of randomized response moves by no more, mostly by far less: `~` tells what this excuses."""
    return CHANCE * math.sqrt(max(p * (1 - p) for p in prior) / n)


def misses(estimate: float | None, truth: float, chance: float = 0.0) -> bool:
    return estimate is None or abs(estimate - truth) > max(NEAR * truth, CLOSE, chance)


def mark(estimate: float | None, truth: float, chance: float = 0.0) -> str:
    return "!" if misses(estimate, truth, chance) else "~" * misses(estimate, truth)


def holds(finding: Json, truth: float) -> bool:
    """Whether there are limits and they hold the truth."""
    return finding["low"] is not None and finding["high"] is not None and not contradicts(finding, truth)


def contradicts(finding: Json, truth: float, slack: float = 1e-12) -> bool:
    """Whether the truth is outside a limit. The last bit of a float is forgiven, the truth's own noise is not."""
    low, high = finding["low"], finding["high"]
    return bool((low is not None and truth < low - slack) or (high is not None and truth > high + slack))


def width(finding: Json) -> float:
    """Of the limits of a share; where there are none it may be any."""
    low, high = finding["low"], finding["high"]
    return float((1 if high is None else high) - (0 if low is None else low))


# ---- what is printed

HEAD = (
    "population", "estimator", "s", "MB", "best", "loss", "blind", "W1", "up to", *RELEASES.values(), "held", "width",
    "drawn",
)  # fmt: skip
SUMMARY = (
    f"Worst | median over draws: W1, then |error| of advantages, as a share where one is at least {SMALL}; seed: of "
    "the worst W1; outside: draws with a true j outside its limits; within: draws that miss no aim (and need no ~)"
)
SUMMARY_HEAD = ("kind", "estimator", "W1", "seed", *RELEASES.values(), "width", "outside", "within")


def announced(one: Compared) -> Compared:
    print(*row(one), sep="  ", file=sys.stderr, flush=True)  # the table comes at the end
    return one


def row(one: Compared) -> list[str]:
    inside, many = one.held
    return [
        f"{one.kind} {one.seed}", one.estimator, f"{one.cost.seconds:.1f}", f"{one.cost.megabytes:.0f}",
        *(f"{loss:.4f}" for loss in one.log_loss),
        "" if one.w1 is None else f"{one.w1:.4f}" + "!" * one.bent,
        "" if one.w1 is None else f"{one.seen:.2f}" + "!" * one.false_alarm,
        *(off(*one.gains[name], one.chance) if name in one.gains else "" for name in RELEASES),
        f"{inside}/{many}" + "!" * (inside < many),
        "" if one.width is None else f"{one.width:.3f}" + f" {one.outside} out!" * bool(one.outside),
        one.traits,
    ]  # fmt: skip


def off(estimate: float | None, truth: float, chance: float = 0.0) -> str:
    """The truth, and how far off the estimate is: absolutely, and as a share of it."""
    if estimate is None:
        return f"{truth:.5f} none!"
    error = estimate - truth
    share = f" {error / truth:+.1%}" if truth > 1e-6 else ""
    return f"{truth:.5f} {error:+.5f}{share}" + mark(estimate, truth, chance)


def summary(compared: Sequence[Compared]) -> Iterator[list[str]]:
    for kind, estimator in dict.fromkeys((one.kind, one.estimator) for one in compared):
        draws = [one for one in compared if (one.kind, one.estimator) == (kind, estimator)]
        outside = sum(bool(one.outside) for one in draws)
        yield [
            kind, estimator, *curves(draws), *(advantages(draws, name) for name in RELEASES),
            worst_and_median(one.width for one in draws if one.width is not None),
            f"{outside}/{len(draws)}" + "!" * bool(outside),
            f"{sum(map(within, draws))}/{len(draws)} ({sum(within(one, 0.0) for one in draws)})",
        ]  # fmt: skip


def curves(draws: Sequence[Compared]) -> tuple[str, str]:
    """W1, and the seed of the worst."""
    measured = [(one.w1, one.seed) for one in draws if one.w1 is not None]
    if not measured:
        return "", ""
    text = worst_and_median(w1 for w1, _ in measured)
    return text + "!" * any(one.bent for one in draws), str(max(measured)[1])


def advantages(draws: Sequence[Compared], release: str) -> str:
    """Errors of those that are not small as shares, and of small ones alone as they are."""
    gains = [one.gains[release] for one in draws if release in one.gains and one.gains[release].estimate is not None]
    shares = [abs(gain.estimate - gain.truth) / gain.truth for gain in gains if gain.truth >= SMALL]
    text = worst_and_median(shares, "{:.1%}") if shares else worst_and_median(abs(g.estimate - g.truth) for g in gains)
    marks = {mark(*one.gains[release], one.chance) for one in draws if release in one.gains}
    return text + ("!" if "!" in marks else "~" * ("~" in marks))


def worst_and_median(values: Iterable[float], form: str = "{:.4f}") -> str:
    kept = list(values)
    return " | ".join(form.format(value) for value in (max(kept), statistics.median(kept))) if kept else ""


def plain(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    width = [max(len(line[column]) for line in [head, *rows]) for column in range(len(head))]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(line, width, strict=True)) for line in [head, *rows]]
    print(f"\n{title}\n\n" + "\n".join(lines), flush=True)


if __name__ == "__main__":
    main()
