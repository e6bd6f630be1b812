"""Millions of labels a second that each mechanism releases on one core, with words of the operating system.

The release alone, in memory: no file, no clusters to be found, and what models take is not counted: here they look up
what they predict. Every record has a prior of its own; choosing classes or laws by it is counted.
"""

from __future__ import annotations

import math
import time

import numpy as np

from labeldp_audit.core.mechanism import Mechanism
from labeldp_audit.core.randomness import OperatingSystem, shuffled, words
from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.prior_response import said_within

from .table import show

ROWS, RUNS, CLUSTERS = 2_000_000, 5, 100
ALONE = ("geometric-llp:k=1,epsilon=1", "laplace-llp:k=1,epsilon=1")  # as much noise as there are labels


class Model:
    """Predicts what it is told to, and counts the time."""

    def __init__(self, predicted: np.ndarray) -> None:
        self.predicted, self.seconds = predicted, 0.0

    def __call__(self, rows: np.ndarray, soft: np.ndarray, others: np.ndarray) -> np.ndarray:
        started = time.process_time()
        found = self.predicted[others]
        self.seconds += time.process_time() - started
        return found


def main() -> None:
    specs = dict.fromkeys([*(kind.example for kind in MECHANISMS), *ALONE])
    system = OperatingSystem()
    rows = [
        ("words of 64 bits, in one go", *[_millions(lambda: words(system, ROWS))] * 2),
        ("an order", *[_millions(lambda: shuffled(system, ROWS))] * 2),
        ("prior-rr and lp-mst, classes chosen before", _within(2), _within(10)),
        *((spec, _rate(spec, 2), _rate(spec, 10)) for spec in specs),
    ]
    show(f"millions of labels a second, one core, best of {RUNS}", ("", "2 classes", "10 classes"), rows)


def _within(classes: int) -> str:
    """A label of the classes that may be said, all of them, so that each record needs a draw."""
    rng = np.random.default_rng(classes)
    labels = rng.integers(0, classes, ROWS).astype(np.uint8)
    kept = np.ones((ROWS, classes), np.bool_)
    return _millions(lambda: said_within(labels, kept, 1.0, OperatingSystem()))


def _rate(spec: str, classes: int) -> str:
    [mechanism] = MECHANISMS.parse(spec, classes)
    if mechanism.unfit(classes):
        return ""
    rng = np.random.default_rng(classes)
    labels, clusters = rng.integers(0, classes, ROWS).astype(np.uint8), rng.integers(0, CLUSTERS, ROWS)
    prior = rng.dirichlet(np.full(classes, 0.5), ROWS)
    model = Model(prior)
    return _millions(lambda: _released(mechanism, labels, Guide(classes, clusters, prior, model)), model)


def _released(mechanism: Mechanism, labels: np.ndarray, guide: Guide) -> None:
    mechanism.release(labels, guide, rng=OperatingSystem())


def _millions(work, model: Model | None = None) -> str:  # type: ignore[no-untyped-def]
    best = math.inf
    for _ in range(RUNS):
        started, learned = time.process_time(), model.seconds if model else 0.0
        work()
        took = time.process_time() - started
        best = min(best, took - (model.seconds - learned if model else 0.0))
    return f"{ROWS / best / 1e6:.0f}" if ROWS / best > 1e7 else f"{ROWS / best / 1e6:.1f}"


if __name__ == "__main__":
    main()
