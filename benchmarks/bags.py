"""Laws of all but one, for each member of a bag, against `fast-poibin` called once a member; and the gain of each bag.

Both run in this process on one core, alternating. `fast-poibin` has an FFT (its default) and a direct convolution
("dp"), which is the faster one for small bags; both are shown. It is called for some members of the first bags and
its time is scaled up to all members of a bag. Preparing its arguments is not counted.
"""

from __future__ import annotations

import math
import time
from importlib.metadata import version

import numpy as np

from labeldp_audit.mechanisms.bag_gain import gains
from labeldp_audit.mechanisms.poisson_binomial import leave_one_out

from .table import show

try:
    from fast_poibin import PoiBin
except ImportError:
    raise SystemExit("benchmarks.bags compares with fast-poibin: pip install --group bench, or `make bench`") from None

RUNS = 3
CASES = ((8, 100_000, 2000), (64, 10_000, 2000), (512, 1000, 2000), (4096, 20, 200))  # k, bags, calls of the rival
PAYOFF = np.ones(2)


def main() -> None:
    for call, work in (("laws of all but one", _laws), ("gain of each member", _gains)):
        rows = [_case(work, *case) for case in CASES]
        show(
            f"{call}, one core; microseconds a bag, best of {RUNS}; fast-poibin {version('fast-poibin')}, scaled up",
            ("k", "bags", "calls of fast-poibin", "its default", "its dp", "ours", "ratio", "ratio to dp"),
            rows,
        )
    show(
        "agreement of the laws",
        ("k", "largest difference to dp", "to the default"),
        map(_agreement, (8, 64, 512, 4096)),
    )


def _laws(hit: np.ndarray) -> None:
    for one in hit:
        leave_one_out(one, 1 - one)


def _gains(hit: np.ndarray) -> None:
    gains(hit, 1 - hit, PAYOFF, math.inf)


def _rival(bags: list[np.ndarray], mode: str) -> list[np.ndarray]:
    return [PoiBin(others, mode).pmf for others in bags]


def _others(hit: np.ndarray, calls: int) -> list[np.ndarray]:
    """The bag without its member i, for as many members as there are calls."""
    k = hit.shape[1]
    return [np.delete(hit[call // k], call % k) for call in range(calls)]


def _bags(k: int, bags: int) -> np.ndarray:
    """Many doubtful members and many nearly certain ones."""
    return np.random.default_rng(k).beta(0.5, 1.5, (bags, k))


def _case(work, k: int, bags: int, calls: int) -> tuple:  # type: ignore[no-untyped-def, type-arg]
    hit = _bags(k, bags)
    others = _others(hit, calls)
    work(hit[:1])  # compiles
    seconds: dict[str, list[float]] = {"ours": [], "mixed": [], "dp": []}
    for _ in range(RUNS):
        seconds["ours"].append(_timed(work, hit) / bags)
        for mode in ("mixed", "dp"):
            seconds[mode].append(_timed(_rival, others, mode) / calls * k)
    ours, default, direct = (min(seconds[name]) for name in ("ours", "mixed", "dp"))
    times = (f"{1e6 * each:.1f}" for each in (default, direct, ours))
    return (k, bags, calls, *times, f"{default / ours:.0f}", f"{direct / ours:.0f}")


def _timed(work, *arguments: object) -> float:  # type: ignore[no-untyped-def]
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def _agreement(k: int) -> tuple:  # type: ignore[type-arg]
    hit = _bags(k, 1)
    members = min(k, 200)
    ours = leave_one_out(hit[0], 1 - hit[0])[:members]
    others = _others(hit, members)
    return (k, *(f"{np.max(np.abs(np.array(_rival(others, mode)) - ours)):.0e}" for mode in ("dp", "mixed")))


if __name__ == "__main__":
    main()
