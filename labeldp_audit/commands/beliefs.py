"""What eta is taken to be where a number rests on more than one row: its law among people.

Counts of k labels are noisier than eta. Averages of functions that bend are therefore off in a known direction
(CERTIFICATES d); for two classes the noise is taken out by deconvolution, and what is left fitted to the rows' own
labels, which the counts do not hold. For more classes each guess is judged by its row's own label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..measures import advantage, deconvolution, guess, recalibration
from ..measures.advantage import Gain
from ..mechanisms.contract import Mechanism
from ..model import Eta, Floats, Law, Table


@dataclass(frozen=True)
class Belief:
    law: Law
    method: str
    judged: tuple[Floats, npt.NDArray[np.integer]] | None = None  # estimates and the labels that judge them

    def uninformed(self, payoff: Floats) -> float:
        """Mean payoff of the best guess from the features."""
        if self.judged is None:
            return advantage.uninformed(self.law, payoff)
        return float(guess.worth(self.judged[0], payoff).mean() + guess.right(*self.judged, payoff).mean()) / 2

    def gain(self, mechanism: Mechanism, payoff: Floats) -> Gain | None:
        """What the release adds; None where only simulation tells."""
        channel = mechanism.channel(self.law.eta.shape[1])
        if self.judged is None or channel is None:
            return advantage.exact(mechanism, self.law, payoff)
        eta, labels = self.judged
        after, before = guess.right_after(eta, channel, labels, payoff), guess.right(eta, labels, payoff)
        return Gain(max(0.0, float(np.mean(after - before))))


def of(table: Table, eta: Eta) -> Belief:
    if eta.counts is None:
        return Belief(observed(eta.probability), "given eta")
    labels = table.labels[eta.rows]
    if eta.probability.shape[1] > 2:
        return Belief(observed(eta.probability), "leave-one-out", (eta.probability, labels))
    counts = eta.counts[:, 1], eta.counts.sum(axis=1)
    law = recalibration.recalibrated(deconvolution.law(*counts), *counts, labels)
    return Belief(law, "deconvolution of counts, fitted to each row's own label")


def observed(probability: Floats) -> Law:
    """Each row as likely as the others; equal ones together."""
    if probability.shape[1] == 2:
        values, times = np.unique(probability[:, 1], return_counts=True)
        eta = np.column_stack([1 - values, values])
    else:
        eta, times = np.unique(probability, axis=0, return_counts=True)
    return Law(times / len(probability), eta)
