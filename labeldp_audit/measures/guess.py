"""How well the best guess from the features alone does: E max_c payoff_c P(Y = c | x) (003, Definition 3.1).

A right guess of class c is worth payoff_c: 1 for every class, or 1 / (C p_c), so that each class counts the same
however rare it is (002, equation 8).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats


def balanced(prior: Sequence[float]) -> Floats:
    """1 / (C p_c): always guessing one class gets 1 / C on average."""
    return np.asarray(1 / (len(prior) * np.asarray(prior)))


def worth(eta: Floats, payoff: Floats) -> Floats:
    """Expected payoff of the best guess at each query; eta (q, C)."""
    return np.asarray((eta * payoff).max(axis=1))


def worth_after(eta: Floats, channel: Floats, payoff: Floats) -> Floats:
    """The same once the label was released through channel (C, S)."""
    return np.asarray(sum(worth(eta * said, payoff) for said in channel.T))


def least_worth(payoff: Floats) -> float:
    """The smallest worth over all eta: where every guess is worth the same."""
    return float(1 / np.sum(1 / payoff))


def most_missed(payoff: Floats) -> float:
    """The largest [sum_c - max_c] payoff_c eta_c over all eta: where those classes that pay most are worth the same."""
    dearest = np.sort(payoff)[::-1]
    number = np.arange(1, len(payoff) + 1)
    return float(np.max((number - 1) / np.cumsum(1 / dearest)))


def right(eta: Floats, labels: npt.NDArray[np.integer], payoff: Floats) -> Floats:
    """(q,) payoff of the best guess under eta, judged by the label; ties share it evenly."""
    value = eta * payoff
    best = value == value.max(axis=1, keepdims=True)
    return np.asarray(payoff[labels] * best[np.arange(len(labels)), labels] / best.sum(axis=1))


def right_after(eta: Floats, channel: Floats, labels: npt.NDArray[np.integer], payoff: Floats) -> Floats:
    """(q,) the same once the label was released through channel (C, S): the mean over what may be said of it."""
    gained = np.zeros(len(labels))
    for said in channel.T:
        gained += said[labels] * right(eta * said, labels, payoff)
    return gained
