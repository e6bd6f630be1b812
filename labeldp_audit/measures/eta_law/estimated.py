"""What eta is taken to be where a number rests on more than one row: its law among people.

Counts of k labels are noisier than eta. Averages of functions that bend are therefore off in a known direction
(CERTIFICATES d); for two classes the noise is taken out by deconvolution, and what is left fitted to the rows' own
labels, which the counts do not hold. For more classes the estimate is halfway between what the counts say and what the
rows' own labels say of guesses from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats
from ...core.eta import Eta, Law
from ...core.mechanism import Mechanism
from ...core.table import Table
from .. import advantage, guess
from ..advantage import Gain, Members
from . import deconvolution, recalibration, unresolved


@dataclass(frozen=True)
class Belief:
    law: Law
    method: str
    members: Members  # of bags
    judged: tuple[Floats, npt.NDArray[np.integer]] | None = None  # estimates and the labels that judge them

    def uninformed(self, payoff: Floats) -> float:
        """Mean payoff of the best guess from the features."""
        certain = advantage.uninformed(self.law, payoff)
        return certain if self.judged is None else (certain + float(guess.right(*self.judged, payoff).mean())) / 2

    def missed(self, payoff: Floats) -> float:
        """Mean payoff that it misses."""
        doubt = self.law.mean((self.law.eta * payoff).sum(axis=1)) - advantage.uninformed(self.law, payoff)
        if self.judged is None:
            return doubt
        eta, labels = self.judged
        return (doubt + float((payoff[labels] - guess.right(eta, labels, payoff)).mean())) / 2

    def method_of(self, mechanism: Mechanism) -> str:
        if self.judged is not None and mechanism.channel(self.law.eta.shape[1]) is None:
            return "plug-in"
        return self.method

    def gain(self, mechanism: Mechanism, payoff: Floats) -> Gain | None:
        """What the release adds; None where only simulation tells."""
        channel = mechanism.channel(self.law.eta.shape[1])
        found = advantage.exact(mechanism, self.law, payoff)
        if self.judged is None or channel is None or found is None:
            return found
        eta, labels = self.judged
        tried = guess.right_after(eta, channel, labels, payoff) - guess.right(eta, labels, payoff)
        most = mechanism.total_variation(len(payoff)) * self.missed(payoff)
        return Gain(min(most, max(0.0, (found.mean + float(tried.mean())) / 2)))


def belief_of(table: Table, eta: Eta) -> Belief:
    if eta.counts is None:
        return Belief(observed(eta.probability), "given eta", advantage.from_rows(eta.probability))
    if eta.metric == "score":
        return _scored(eta)
    labels = table.labels[eta.rows]
    if eta.probability.shape[1] > 2:
        law = observed(eta.probability)
        method = "between plug-in and leave-one-out"
        return Belief(law, method, advantage.from_law(law), (eta.probability, labels))
    counts = eta.counts[:, 1], eta.counts.sum(axis=1)
    law = recalibration.recalibrated(deconvolution.law(*counts), *counts, labels, table.dataset.prior[1])
    return Belief(law, "deconvolution of counts, fitted to each row's own label", advantage.from_law(law))


def of_losses(eta: Eta) -> Belief:
    """For two classes, where the extremes matter most: nothing that pulls in what the counts call certain."""
    if eta.counts is None:
        return Belief(observed(eta.probability), "given eta", advantage.from_rows(eta.probability))
    if eta.metric == "score":
        return _scored(eta)
    law = deconvolution.law(eta.counts[:, 1], eta.counts.sum(axis=1))
    return Belief(law, "deconvolution of counts", advantage.from_law(law))


def _scored(eta: Eta) -> Belief:
    """Scores that were fitted to labels hold no chance of a count. They are averages over people of whom models know
    too little to tell them apart, as far as labels say so."""
    method, people = "scores fitted to the labels of other rows", eta.probability
    if eta.unresolved is not None and eta.unresolved[:, 0].any():
        apart = unresolved.people(people[:, 1], eta.unresolved[:, 0]).ravel()
        method, people = f"{method}, spread as rows of a level tell", np.column_stack([1 - apart, apart])
    return Belief(observed(people), method, advantage.from_rows(people))


def observed(probability: Floats) -> Law:
    """Each row as likely as the others; equal ones together."""
    if probability.shape[1] == 2:
        values, times = np.unique(probability[:, 1], return_counts=True)
        eta = np.column_stack([1 - values, values])
    else:
        eta, times = np.unique(probability, axis=0, return_counts=True)
    return Law(times / len(probability), eta)
