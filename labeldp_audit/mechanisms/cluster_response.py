"""Randomized response within clusters of records that are alike (004, Algorithm 1).

Each cluster c of n_c records publishes how common its classes are: counts with noise, clipped to [tau, 1] as shares and
renormalised to q(. | c). Then each label stays as it is with probability 1 - lambda and is else replaced by one that is
drawn from q(. | c).

A label that changes moves two counts of its cluster by 1 each, and the log ratio of what is said by
log(1 + (1 - lambda) / (lambda tau)), so that (ERRATA E1; 004, Theorem 1, prints 1 / sigma)

    epsilon = 2 / sigma + log(1 + (1 - lambda) / (lambda tau)).

The noise is exact: on counts, which are whole, the discrete Laplace law P(z) proportional to e^(-|z| / sigma) takes the
place of the Laplace law; and a label stays with probability L / 2^64 and becomes y with T_y / 2^64, where L and T_y are
whole numbers, T_y >= t, L + sum_y T_y = 2^64 and L / t <= e^(epsilon - 2 / sigma) - 1. So lambda is 1 - L / 2^64, tau
is t / (2^64 - L), and q is T / (2^64 - L).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels, Need
from ..core.parameters import parameter
from ..core.randomness import Chance, for_audit
from ..core.release import Guide, Release, Tails
from . import exact
from .guided import Guided
from .per_record import loglik_of

_TRIED = 256  # clusters that an expectation is taken over
_HISTOGRAM_SHARES = (
    Fraction(0),
    *(Fraction(2) ** -j for j in range(9, 0, -1)),
    Fraction(3, 4),
    Fraction(1),
)  # of epsilon
FLOORS = tuple(2.0 ** (-j / 4) for j in range(33))  # tau, in units of 1 / K
_APART = 1e-6  # of shares
_MOST = 40.0  # epsilon: beyond it a label is replaced less than once in 10^17


@dataclass(frozen=True)
class Plan:
    """How epsilon is spent: sigma is 1 / `each`, and `kept` and `least` are L and t."""

    each: Fraction
    kept: int
    least: int

    @property
    def replaced(self) -> int:
        return exact.WHOLE - self.kept

    @property
    def resampled(self) -> float:
        """lambda"""
        return self.replaced / exact.WHOLE

    @property
    def floor(self) -> float:
        """tau"""
        return self.least / self.replaced

    @property
    def of_labels(self) -> float:
        """The epsilon of what is said of a label by those who know the histograms."""
        return exact.log_up(1 + Fraction(self.kept, self.least))

    @property
    def of_histograms(self) -> Fraction:
        """A label moves two counts."""
        return 2 * self.each


@dataclass(frozen=True)
class ClusterResponse(Guided):
    name: ClassVar[str] = "cluster-rr"
    example: ClassVar[str] = "cluster-rr:epsilon=1,clusters=100"
    summary: ClassVar[str] = "a label is replaced by one drawn from its cluster of records with like features"
    theorem: ClassVar[str] = "2 / sigma + log(1 + (1 - lambda) / (lambda tau)) (004, Theorem 1, corrected)"
    needs: ClassVar[frozenset[Need]] = frozenset({Need.CLUSTERS})

    epsilon: float = parameter(least=0, most=_MOST, noise=-1, silent=0.0)
    clusters: int = parameter(least=1, most=100_000, default=100)

    def claim(self, classes: int) -> float:
        return self.epsilon

    def plan(self, classes: int, sizes: Integers) -> Plan:
        return best_plan(self.epsilon, classes, sizes)

    def release(self, labels: Labels, guide: Guide, *, rng: Chance) -> Release:
        cluster = np.zeros(len(labels), np.int64) if guide.clusters is None else guide.clusters
        sizes = np.bincount(cluster, minlength=1)
        plan = self.plan(guide.classes, sizes)
        counts = np.bincount(cluster * guide.classes + labels, minlength=len(sizes) * guide.classes)
        noisy = counts.reshape(-1, guide.classes).astype(np.int64)
        if plan.each:
            noisy += exact.geometric_noise(plan.each, noisy.size, rng).reshape(noisy.shape)
        else:
            noisy[:] = 0
        shares, kind = np.unique(noisy / np.maximum(sizes, 1)[:, None], axis=0, return_inverse=True)
        kind, parts = kind.reshape(-1), parts_of(shares, plan)
        view, channels = said_by(labels, kind[cluster], parts, plan, rng), channels_of(plan.kept, parts)[kind]
        facts = _facts(plan, noisy, [parts[one] for one in kind])
        return Release(view, np.arange(len(labels)), cluster, channels, facts)

    def learner(self, release: Release, classes: int) -> dict[str, object]:
        """Channels are left to `exact`: K numbers of a cluster say all K^2."""
        return dict(release.facts)

    def learner_again(self, release: Release, classes: int) -> dict[str, object]:
        """From the noisy counts: the laws follow from them by the plan."""
        noisy, sizes = counts_told(release, classes)
        plan = plan_told(self.epsilon, classes, release.facts)
        noisy = noisy if plan.each else np.zeros_like(noisy)
        return _facts(plan, noisy, parts_of(noisy / np.maximum(sizes, 1)[:, None], plan))

    def channels_told(self, learner: Mapping[str, Any]) -> Floats:
        told = learner["exact"]
        noisy, laws = (np.array(learner[name], np.float64) for name in ("noisy_counts", "q"))
        fit = noisy.shape == laws.shape == np.shape(told["replaced"]) and bool(np.all(np.isfinite(noisy)))
        if not fit or Fraction(told["inverse_sigma"]) < 0 or not 0 < float(learner["tau"]) <= 1:
            raise ValueError("no counts and laws of each channel")
        return channels_of(int(told["kept"]), [[int(one) for one in row] for row in told["replaced"]])

    def spent(self, channels: Floats, release: Release) -> list[float]:
        return [one + 2 * _each(release) for one in super().spent(channels, release)]

    def untrue(self, release: Release) -> npt.NDArray[np.bool_] | None:
        """Also those that labels were not drawn from the noisy counts by."""
        found = super().untrue(release)
        if found is None or release.group is None:
            return found
        noisy, told = np.array(release.facts["noisy_counts"], np.float64), np.array(release.facts["q"], np.float64)
        sizes = np.bincount(release.group, minlength=len(noisy))[: len(noisy)]
        floor = float(str(release.facts["tau"]))
        laws = renormalised(noisy / np.maximum(sizes, 1)[:, None], floor)
        drawn = _replaced(release)
        apart = np.maximum(np.abs(laws - drawn), np.abs(told - drawn)).max(axis=1) > _APART
        return np.asarray(found | apart)

    def tails(self, release: Release, labels: Labels) -> Tails | None:
        each = _each(release)
        if each == 0 or release.group is None:
            return None
        noisy = np.array(release.facts["noisy_counts"], np.float64)
        cells = np.bincount(release.group * noisy.shape[1] + labels, minlength=noisy.size).reshape(noisy.shape)
        noise = (noisy - cells).ravel()
        return Tails(exact.geometric_at_most(noise, each), exact.geometric_at_most(-noise, each))

    def joined(self, release: Release) -> Integers | None:
        return release.group if _each(release) else None

    def loglik(self, release: Release, eta: Floats) -> Floats:
        """By what is said of each label, and by the noisy counts of its cluster."""
        told = loglik_of(release)
        return told + _told_by_counts(release, posterior(eta, told)) if _each(release) else told


# ---- what a cluster tells


def _each(release: Release) -> float:
    exactly = release.facts["exact"]
    assert isinstance(exactly, Mapping)
    return float(Fraction(exactly["inverse_sigma"]))


def posterior(eta: Floats, told: Floats) -> Floats:
    """(n, K) what is believed of each label after what is said of it."""
    likely = eta * np.exp(told - told.max(axis=1, keepdims=True))
    total = likely.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, likely / np.where(total > 0, total, 1), eta))


def _replaced(release: Release) -> Floats:
    """(G, K) the law that labels of each channel are drawn from, to the last digit."""
    exactly = release.facts["exact"]
    assert isinstance(exactly, Mapping)
    whole = exact.WHOLE - int(exactly["kept"])
    return np.array([[int(one) / max(whole, 1) for one in row] for row in exactly["replaced"]])


def _told_by_counts(release: Release, believed: Floats) -> Floats:
    """(n, K) log P(noisy counts of the cluster | label), up to a term of each record. Of two classes both counts tell
    how many are positive. Of more, counts are weighed one by one, as if they were independent: for who knows all other
    labels they are."""
    from .bag_likelihood import log_likelihoods

    assert release.group is not None
    noisy, each = np.array(release.facts["noisy_counts"], np.float64), _each(release)
    order = np.argsort(release.group, kind="stable")
    starts = np.searchsorted(release.group[order], np.arange(len(noisy) + 1))

    def told(c: int, views: Floats) -> Floats:
        hit = believed[order, c]
        both = log_likelihoods(hit, believed[order].sum(axis=1) - hit, starts, views, each)
        return np.asarray(both[:, 1] - both[:, 0])

    found = np.zeros(believed.shape)
    if believed.shape[1] == 2:
        found[order, 1] = told(1, np.column_stack([noisy[:, 1], np.diff(starts) - noisy[:, 0]]))
        return found
    for c in range(believed.shape[1]):
        found[order, c] = told(c, noisy[:, [c]])
    return found


# ---- the law of a release


def renormalised(shares: Floats, floor: float) -> Floats:
    """(..., K) noisy shares -> a law with no share below the floor: 004, Algorithm 1, lines 5 to 19."""
    clipped = np.clip(shares, floor, 1.0)
    missing = 1 - clipped.sum(axis=-1, keepdims=True)
    room = np.where(missing < 0, clipped - floor, 1 - clipped)
    return np.asarray(clipped + missing * room / np.maximum(room.sum(axis=-1, keepdims=True), 1e-300))


def parts_of(shares: Floats, plan: Plan) -> list[list[int]]:
    """(G, K) T of each cluster, at least `plan.least` each, and `plan.replaced` together."""
    classes = shares.shape[1]
    spare = plan.replaced - classes * plan.least
    laws = renormalised(shares, plan.floor)
    above = np.maximum(0.0, laws - plan.floor)
    rows = []
    for row in above.tolist():
        ratios = [one.as_integer_ratio() for one in row] if any(row) else [(1, 1)] * classes
        common = max(below for _, below in ratios)  # all of them are powers of 2
        weights = [over * (common // below) for over, below in ratios]
        parts = [plan.least + spare * one // sum(weights) for one in weights]
        parts[parts.index(max(parts))] += plan.replaced - sum(parts)
        rows.append(parts)
    return rows


def channels_of(kept: int, parts: list[list[int]]) -> Floats:
    """(G, K, K) P(said | y) where labels are drawn by each row of parts."""
    resampled = np.array([[one / exact.WHOLE for one in row] for row in parts])
    return np.asarray(resampled[:, None] + kept / exact.WHOLE * np.eye(resampled.shape[1]))


def said_by(labels: Labels, kind: Integers, parts: list[list[int]], plan: Plan, rng: Chance) -> Integers:
    """A word below L keeps the label, and the rest of the words are shared out as T. kind (n,): whose parts."""
    found = exact.say([[plan.kept, *row] for row in parts], kind, rng)
    return np.asarray(np.where(found == 0, labels, found - 1))


def _facts(plan: Plan, noisy: Integers, parts: list[list[int]]) -> dict[str, object]:
    """What a learner needs. A loss is corrected by the inverse of the channel (1 - beta) I + beta q 1', which is
    (I - beta q 1') / (1 - beta) (ERRATA E3)."""
    replaced = plan.replaced
    return {
        "lambda": plan.resampled, "tau": plan.floor, "sigma": float(1 / plan.each) if plan.each else float("inf"),
        "epsilon_of_histograms": float(plan.of_histograms), "epsilon_of_labels": plan.of_labels,
        "noisy_counts": noisy.tolist(), "q": [[one / replaced for one in row] for row in parts],
        "exact": {
            "kept": str(plan.kept), "replaced": [[str(one) for one in row] for row in parts],
            "denominator": str(exact.WHOLE), "inverse_sigma": str(plan.each),
        },
        "modified_loss": "(loss(y) - beta sum_c q_c loss(c)) / (1 - beta), q of the row's cluster; unbiased only for "
        "beta = lambda, and beta = 0 is the plain loss",
    }  # fmt: skip


def modified_loss(law: Floats, beta: float) -> Floats:
    """(K, K) Q^-1 = (I - beta q 1') / (1 - beta) of Q = (1 - beta) I + beta q 1' (ERRATA E3): the column of what was
    said has the weights of the losses of all classes."""
    classes = len(law)
    return np.asarray((np.eye(classes) - beta * np.outer(law, np.ones(classes))) / (1 - beta))


# ---- how epsilon is spent


def plan_of(epsilon: float, classes: int, histograms: Fraction, floor: float) -> Plan:
    """histograms: their share of epsilon. With the rest, labels stay as they are as often as may be."""
    whole = Fraction(epsilon)
    each = whole * histograms / 2
    grown = exact.exp_down(whole - 2 * each) - 1
    parts = max(1 / Fraction(floor), Fraction(classes))  # 1 / tau
    least = min(math.ceil(exact.WHOLE / (parts + grown)), exact.WHOLE // classes)
    return Plan(each, max(0, min(int(grown * least), exact.WHOLE - math.ceil(parts * least))), least)


def counts_told(release: Release, classes: int) -> tuple[Integers, Integers]:
    """(G, C) noisy counts as a release tells them, and (G,) how many records each channel has."""
    noisy = np.array(release.facts["noisy_counts"])
    if release.group is None or noisy.dtype.kind != "i" or noisy.shape[1:] != (classes,):
        raise ValueError("no counts of each channel")
    return noisy, np.bincount(release.group, minlength=len(noisy))


def plan_told(
    epsilon: float, classes: int, facts: Mapping[str, Any], histograms: Sequence[Fraction] = _HISTOGRAM_SHARES
) -> Plan:
    """The one among those that spend epsilon with the numbers that a release tells."""
    told = facts["exact"]
    spent = [one for one in histograms if str(Fraction(epsilon) * one / 2) == told.get("inverse_sigma", "0")]
    for share in spent:
        for floor in FLOORS:
            plan = plan_of(epsilon, classes, share, floor / classes)
            if (str(plan.kept), plan.floor) == (told["kept"], facts["tau"]):
                return plan
    raise ValueError("no plan has these numbers")


def best_plan(epsilon: float, classes: int, sizes: Integers) -> Plan:
    """With the least expected share of released labels that differ from the true ones. Labels may not choose it, so the
    expectation is over clusters of these sizes whose class shares have Perks's law, Dirichlet(1 / K, ..., 1 / K): two
    records of one cluster agree in (1 + 1 / K) / 2 of all cases. The best of a fixed list of sigma and tau, over
    clusters from a fixed seed: the same wherever it is made."""
    best, least = plan_of(epsilon, classes, Fraction(0), 1 / classes), np.inf
    if epsilon == 0:
        return best
    kinds = _kinds_of(sizes)
    rng = for_audit(0, "clusters that plans are made for")
    shares = rng.dirichlet(np.full(classes, 1 / classes), _TRIED)
    chance = rng.random((2, _TRIED, classes))
    for histograms in _HISTOGRAM_SHARES:
        noise = _noise(chance, epsilon * float(histograms) / 2) if histograms else None
        for floor in FLOORS if histograms else FLOORS[:1]:
            plan = plan_of(epsilon, classes, histograms, floor / classes)
            differs = expected_noise(plan, shares, noise, kinds)
            if differs < least * (1 - 1e-9):
                best, least = plan, differs
    return best


def expected_noise(plan: Plan, shares: Floats, noise: Floats | None, kinds: list[tuple[float, float]]) -> float:
    """P(said != y): lambda (1 - sum_y p_y q_y), where p are the shares of a cluster."""
    same = 0.0
    for size, weight in kinds:
        law = renormalised(shares + (0.0 if noise is None else noise / size), plan.floor)
        same += weight * float((shares * law).sum(axis=1).mean())
    return plan.resampled * (1 - same)


def _kinds_of(sizes: Integers) -> list[tuple[float, float]]:
    """(size, share of the records) of clusters of about the same size, within a factor of 2."""
    some = sizes[sizes > 0]
    if not len(some):
        return [(1.0, 1.0)]
    power = np.log2(some).astype(int)
    return [
        (float(some[power == one].mean()), float(some[power == one].sum() / some.sum())) for one in np.unique(power)
    ]


def _noise(chance: Floats, each: float) -> Floats:
    """Discrete Laplace noise, as the difference of two geometric numbers: near enough to plan with."""
    drawn = np.floor(np.log1p(-chance) / -each)
    return np.asarray(drawn[0] - drawn[1])
