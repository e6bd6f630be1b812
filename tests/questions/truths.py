"""What is true of people whose eta is known, of whatever a report says."""

from __future__ import annotations

import math

import numpy as np
from channels import Atoms
from scipy.stats import binom
from worlds import logit

from labeldp_audit.core.eta import Law
from labeldp_audit.measures import advantage as measured
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.questions import published_bounds
from labeldp_audit.questions.guessing import Payoffs
from labeldp_audit.questions.quantities import ADVANTAGE

DUST = 1e-9


class Truth:
    def __init__(self, weight, eta, payoff=(1.0, 1.0)):
        self.weight, self.eta, self.payoff = np.asarray(weight), np.asarray(eta), np.array(payoff)
        self.p, self.law = float(self.weight @ self.eta), Law(self.weight, np.stack([1 - self.eta, self.eta], axis=1))
        self.before = measured.uninformed(self.law, self.payoff)
        self.odds, self.gains, self.released = logit(self.eta), {}, {}

    def under(self, spec):
        """Losses; of the features alone where there is no release."""
        if spec not in self.released:
            channel = [[0.5, 0.5]] * 2 if spec is None else MECHANISMS.parse(spec, 2)[0].channel(2).tolist()
            self.released[spec] = Atoms(self.weight, self.eta, channel)
        return self.released[spec]

    def gain(self, spec):
        if spec not in self.gains:
            [mechanism] = MECHANISMS.parse(spec)
            law = self.law
            if mechanism.bag > 1:  # of a fine grid, a part says about as much
                some = slice((step := max(1, len(self.weight) // 20)) // 2, None, step)
                law = Law(self.weight[some] / self.weight[some].sum(), self.law.eta[some])
            self.gains[spec] = measured.exact(mechanism, law, self.payoff).mean
        return self.gains[spec]

    def divergence(self, order, forward):
        """D_order(P || Q) for people with one label and with the other."""
        ones, zeros = self.weight * self.eta / self.p, self.weight * (1 - self.eta) / (1 - self.p)
        a, b = (ones, zeros) if forward else (zeros, ones)
        a, b = a[a > 0], b[a > 0]
        if np.any(b == 0):
            return math.inf
        ratio = np.log(a / b)
        if math.isinf(order):
            return float(ratio.max())
        return (
            float(a @ ratio)
            if order == 1
            else float(np.logaddexp.reduce(np.log(a) + (order - 1) * ratio)) / (order - 1)
        )

    def bound(self, name, spec):
        """What a theorem allows, or says exactly."""
        if name in ADVANTAGE.theorems:
            return self.gain(spec)
        facts = self.p, 1 - self.before, float(self.weight @ (self.eta * (1 - self.eta)))
        known = published_bounds.Known(*((one,) * 3 for one in facts), Payoffs(*[self.payoff] * 3), self.law)
        [ceiling] = [one for one in published_bounds.CEILINGS if one.name == name]
        return ceiling.value(known.estimate(MECHANISMS.parse(spec)[0]))

    def of(self, finding):
        name, spec, at = finding.quantity.removeprefix("certified_"), finding.mechanism, finding.at
        # Features alone add nothing, and labels in the clear all that is missed.
        added = {None: None, "features": 0.0, "no-noise": 1 - self.before}[at.get("baseline")]
        return {
            "eta_min": self.eta.min, "eta_max": self.eta.max,
            "log_ratio_min": lambda: -self.odds.min(), "log_ratio_max": self.odds.max,
            "jeffreys": lambda: float(self.weight @ ((2 * self.eta - 1) * self.odds)),
            "labels_given_away": lambda: float(
                self.weight @ np.maximum(self.eta / self.p, (1 - self.eta) / (1 - self.p)) / 2
            ),
            "weighted_jeffreys": lambda: self.under(None).mean,
            "j": lambda: self.under(spec).share_above(at["tau"]),
            "j_added": lambda: (
                (1.0 if at.get("baseline") == "no-noise" else self.under(spec).share_above(at["tau"]))
                - self.under(None).share_above(at["tau"])
            ),
            "nu_max": lambda: self.under(spec).worst, "mean_loss": lambda: self.under(spec).mean,
            "renyi": lambda: self.divergence(at["alpha"], at["of"] == "positive from negative"),
            "advantage_bound": lambda: self.bound(at["bound"], spec),
            "uninformed_utility": lambda: self.before,
            "advantage": lambda: self.gain(spec) if added is None else added,
            "advantage_knowing_others": lambda: self.gain(MECHANISMS.parse(spec)[0].alone.spec),
            "informed_utility": lambda: self.before + (self.gain(spec) if added is None else added),
        }[name]()  # fmt: skip


def is_missed(finding, truth):
    """What has no limits says nothing that could be false."""
    low, high = finding.bound.low, finding.bound.high
    return low is not None and not low - DUST <= truth.of(finding) <= high + DUST


def most_misses(audits, miss, chance=1e-6):
    """More than this many happen to an honest tool once in a million."""
    return binom.isf(chance, audits, miss)
