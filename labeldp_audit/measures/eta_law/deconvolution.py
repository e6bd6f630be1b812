"""The law of eta among people, from how many of each person's neighbours are positive.

The shares of positives among neighbours are spread wider than eta itself, by the noise of a binomial: guesses from them
look surer than they are (CERTIFICATES d). Here the noise is taken out: the law of eta under which the counts are most
likely, sum_i log E P(Bin(trials_i, eta) = successes_i) (Kiefer and Wolfowitz 1956, doi:10.1214/aoms/1177728066), on a
grid of eta.

Few trials leave open much of that law, and the most likely one is then a handful of atoms where chance put them. So the
answer is the nearest to a smooth law, the one that expectation-maximisation reaches soon from a flat start, whose
likelihood is within a factor e of the largest: nothing in the counts tells the two apart.

It is an estimate, never a limit. It takes the trials of a person as independent, each positive with the person's eta.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from ...core.eta import Law

PAIRS = 4000  # of different (successes, trials) that are told apart
STEPS = 50  # of expectation-maximisation
NEWTON = 60  # steps at most; about ten are needed
GAP = 0.01  # nats of log likelihood that may be missing to the largest
DOUBT = 1.0  # nats of log likelihood given up for smoothness
LEAST = 1e-9  # atoms with less weight are dropped
_FLOOR = 1e-30  # of a likelihood whose largest value is 1


def law(successes: npt.ArrayLike, trials: npt.ArrayLike) -> Law:
    """successes (q,), trials (q,): the law of the two-class eta (a, 2) behind them. Deterministic."""
    successes, trials = np.asarray(successes, np.int64), np.asarray(trials, np.int64)
    s, k, share = _pairs(successes, trials)
    q, angle = len(trials), _grid(float(np.median(trials)))
    likelihood = _likelihood(s, k, angle)
    smooth = _soon(likelihood, share)
    weight = _nearest(likelihood, share, _most_likely(likelihood, share, smooth, GAP / q), smooth, DOUBT / q)
    keep, eta = weight >= LEAST, np.sin(angle) ** 2
    # the cosines are the sines from the other end, where they are exactly 0
    return Law(weight[keep] / weight[keep].sum(), np.stack([eta[::-1], eta], axis=1)[keep])


def _pairs(successes: Integers, trials: Integers) -> tuple[Floats, Floats, Floats]:
    """The different pairs and the share of people behind each: at most PAIRS of them.

    Where there are more (ties make the trials vary), people are thinned: in the order of successes / trials, then of
    trials, every (q / PAIRS)-th stands for those around. Each keeps the trials it has; to add up the counts of several
    people would pass their differences off as certainty.
    """
    base = int(trials.max()) + 1
    pair, people = np.unique(trials * base + successes, return_counts=True)
    k, s = np.divmod(pair, base)
    if len(pair) > PAIRS:
        order = np.lexsort((k, s / np.maximum(k, 1)))
        spots = (np.arange(PAIRS) + 0.5) * (len(trials) / PAIRS)
        chosen, people = np.unique(np.searchsorted(np.cumsum(people[order]), spots), return_counts=True)
        k, s = k[order][chosen], s[order][chosen]
    return s.astype(np.float64), k.astype(np.float64), people / people.sum()


def _grid(trials: float) -> Floats:
    """eta = sin^2(angle) at even angles, both ends included: the share of positives has standard deviation
    1 / (2 sqrt trials) in the angle, wherever eta is. Four points to each, but 201 to 1501 in all."""
    deviations = int(np.clip(np.ceil(np.pi * np.sqrt(trials)), 50, 375))
    return np.linspace(0, np.pi / 2, 4 * deviations + 1)


def _likelihood(s: Floats, k: Floats, angle: Floats) -> Floats:
    """(pairs, points): P(Bin(k, eta) = s), divided by the largest of its row.

    More trials than the grid resolves count as many as it does, so that none falls between its points: the standard
    deviation is half the distance of points.
    The floor keeps every row possible everywhere and changes nothing: under the most likely law no row is less likely
    than the share of people behind it (the gradient at the peak of the row is at most 1).
    """
    fewer = np.minimum(1.0, 1 / (angle[1] ** 2 * np.maximum(k, 1)))
    s, k = s * fewer, k * fewer
    logs = np.full((len(s), len(angle)), -np.inf)
    inner = 2 * np.log(np.sin(angle[1:-1]))
    logs[:, 1:-1] = np.outer(s, inner) + np.outer(k - s, inner[::-1])
    logs[s == 0, 0] = logs[s == k, -1] = 0.0
    logs -= logs.max(axis=1, keepdims=True)
    likelihood: Floats = np.maximum(np.exp(logs, out=logs), _FLOOR, out=logs)
    return likelihood


def _soon(likelihood: Floats, share: Floats) -> Floats:
    """The weights that a few steps of expectation-maximisation reach from even ones: smooth."""
    weight: Floats = np.full(likelihood.shape[1], 1 / likelihood.shape[1])
    for _ in range(STEPS):
        weight = weight * (share / (likelihood @ weight) @ likelihood)
    return weight


def _most_likely(likelihood: Floats, share: Floats, start: Floats, gap: float) -> Floats:
    """The weights that maximise share @ log(likelihood @ weight), but for `gap`.

    The constrained Newton method (Wang 2007, doi:10.1111/j.1467-9868.2007.00583.x): the few atoms so far and the peaks
    of the gradient are weighed anew by a quadratic model. Ends where the gradient, whose largest value bounds what is
    missing to the maximum, is nowhere above `gap`. Starts with the `start` on every fourth point.
    """
    atoms = np.arange(0, likelihood.shape[1], 4)
    weight = np.add.reduceat(start, atoms)
    for _ in range(NEWTON):
        mixture = likelihood[:, atoms] @ weight
        gradient = share / mixture @ likelihood - 1
        if gradient.max() <= gap:
            break
        wider = np.union1d(atoms, _peaks(gradient))
        before = np.zeros(len(wider))
        before[np.searchsorted(wider, atoms)] = weight
        weight = _newton_step(likelihood[:, wider], share, mixture, before, gradient[wider])
        atoms, weight = wider[weight > 0], weight[weight > 0]
    full = np.zeros(likelihood.shape[1])
    full[atoms] = weight
    return full


def _peaks(gradient: Floats) -> Integers:
    """Where it is above 0 and no neighbour is higher."""
    walled = np.pad(gradient, 1, constant_values=-np.inf)
    return np.flatnonzero((gradient > 0) & (gradient >= walled[:-2]) & (gradient >= walled[2:]))


def _newton_step(likelihood: Floats, share: Floats, mixture: Floats, before: Floats, gradient: Floats) -> Floats:
    """Towards the best weights of the quadratic model, as far as the likelihood keeps its promise, at least by a third.

    No row may become less likely than half its share, unless it is already: far below, the model is no guide.
    """
    way = _model_weights(likelihood / mixture[:, None], share) - before
    least, promised = np.minimum(mixture, share) / 2, gradient @ way / 3
    for halvings in range(40):
        weight: Floats = before + way / 2**halvings
        after = likelihood @ weight
        if np.all(after >= least) and share @ np.log(after / mixture) >= np.log(weight.sum()) + promised / 2**halvings:
            break
    weight /= weight.sum()
    return weight


def _model_weights(ratio: Floats, share: Floats) -> Floats:
    """Weights w >= 0 that minimise share @ (ratio @ w - 2)^2 + (sum w)^2.

    log u is about 1/2 - (u - 2)^2 / 2 near u = 1, and share @ log u - (sum w)^2 / 2 is largest where sum w = 1.
    """
    from scipy.optimize import nnls

    root = np.sqrt(share)
    rows = np.vstack([root[:, None] * ratio, np.ones(ratio.shape[1])])
    basis, triangle = np.linalg.qr(rows)
    weight: Floats = nnls(triangle, basis[:-1].T @ (2 * root), maxiter=30 * len(triangle))[0]
    return weight


def _nearest(likelihood: Floats, share: Floats, weight: Floats, smooth: Floats, doubt: float) -> Floats:
    """From `weight` as far towards `smooth` as costs no more than `doubt` of log likelihood, by bisection."""
    mixture, other = likelihood @ weight, likelihood @ smooth
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        loss = -share @ np.log1p(middle * (other / mixture - 1))
        low, high = (middle, high) if loss <= doubt else (low, middle)
    return weight + low * (smooth - weight)
