"""What the features alone tell about each label, and what that was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import Floats, Integers
from .table import Dataset

ORDER_DOUBT = 0.01  # p-value below which scores are not taken to put people in order


@dataclass(frozen=True)
class Neighborhoods:
    """Class counts among the k nearest other rows of each query, ties at the k-th distance included."""

    rows: Integers  # (q,) index of each query into the table
    counts: npt.NDArray[np.int64]  # (q, C); the query's own label is not counted
    radius: npt.NDArray[np.float32]  # (q,) distance of the k-th neighbour
    k: int  # asked for; counts.sum(axis=1) >= k
    n: int  # rows that were searched
    exact: bool
    recall: float  # share of the true k nearest that were found, measured; 1.0 where exact
    recall_low: float  # one-sided 99 % limit of it
    probes: int  # cells that were looked into
    part: npt.NDArray[np.uint8] | None = None  # (q,) in which part of the rows each query is, where they were parted
    other: npt.NDArray[np.int64] | None = None  # (q, C) among the neighbours, those of other parts than the query's


@dataclass(frozen=True)
class Tried:
    """One of several ways to estimate eta, and how well it guesses labels that it has not seen."""

    name: str
    log_loss: float
    standard_error: float
    k: int | None = None
    behind: float = 0.0  # its log loss less that of the best, on the same rows
    behind_error: float = 0.0  # standard error of that


@dataclass(frozen=True)
class KnnTrial:
    """How well the nearest neighbours guess labels, beside the estimator in use or as that."""

    k: int
    recall: float
    log_loss: float
    rows: int  # that were searched


@dataclass(frozen=True)
class Bin:
    """Rows with estimates alike: what was said of a class, and what came."""

    of: str  # the class
    rows: int
    said: float  # mean probability
    came: float  # share of the rows that have the label
    low: float
    high: float

    @property
    def fits(self) -> bool:
        return self.low <= self.said <= self.high


@dataclass(frozen=True)
class Eta:
    """P(Y = c | x) at each query, and what it was made from: every interval needs the counts.

    Where probabilities were given there are no counts, and no k or radius: they are taken at their word.
    """

    probability: Floats  # (q, C)
    counts: npt.NDArray[np.int64] | None  # (q, C)
    rows: Integers  # (q,)
    k: int | None
    n: int
    estimator: str
    log_loss: float  # of labels that the estimate has not seen
    exact: bool
    recall: float
    radius: npt.NDArray[np.float32] | None  # (q,)
    recall_low: float = 1.0  # one-sided 99 % limit of it
    metric: str | None = "l2"
    part: npt.NDArray[np.uint8] | None = None  # (q,) in which part of the rows each query is
    unseen: Floats | None = None  # (q, C) made without any label of the part that the query is in
    asked: Mapping[str, object] | None = None  # how it was made, where that was not now
    tried: tuple[Tried, ...] = ()  # this one and those that it was preferred to
    choices: int = 1  # alternatives between which labels chose: limits must hold for all of them
    order_p: float | None = None  # how well labels bear out that eta does not fall as scores rise; None: no scores
    refuted: bool = False  # supplied, and labels contradict them or trees predict better
    unresolved: Floats | None = None  # (q, 2) variance of log-odds about those of the score: estimate, and at most
    knn: KnnTrial | None = None  # None where there are no features

    @property
    def ordered(self) -> bool:
        """Do labels bear it out, whichever scores they chose?"""
        return self.order_p is not None and self.order_p * self.choices >= ORDER_DOUBT

    @property
    def queries(self) -> int:
        return len(self.probability)

    def sees(self, dataset: Dataset) -> bool:
        return sees(self.log_loss, dataset)

    def at(self, some: npt.NDArray[np.bool_]) -> Eta:
        """Return the same about some of the queries; the log loss stays that of all."""
        rows: dict[str, Any] = {
            name: None if (values := getattr(self, name)) is None else values[some]
            for name in ("probability", "counts", "rows", "radius", "part", "unseen", "unresolved")
        }
        return replace(self, **rows)


def sees(log_loss: float, dataset: Dataset) -> bool:
    """Does it guess labels better than the shares of the classes do? By 1 %, below which a difference is noise."""
    return log_loss < 0.99 * dataset.blind_log_loss


@dataclass(frozen=True)
class EtaSummary:
    """What a report says of eta: how it was made and how well it guesses, and no row of it."""

    estimator: str
    k: int | None
    metric: str | None
    n: int
    queries: int
    exact: bool
    recall: float
    recall_low: float
    log_loss: float
    one_class: int = 0  # queries whose neighbours all have the same label
    order_p: float | None = None  # as in Eta
    tried: tuple[Tried, ...] = ()
    reliability: tuple[Bin, ...] = ()
    knn: KnnTrial | None = None

    @property
    def given(self) -> bool:
        """Given, and taken at its word."""
        return self.k is None

    @property
    def is_knn(self) -> bool:
        return self.metric == "l2" and not self.given

    def sees(self, dataset: Dataset) -> bool:
        return sees(self.log_loss, dataset)


@dataclass(frozen=True)
class Law:
    """The law of eta among people: all that the advantage of an attacker depends on."""

    weight: Floats  # (a,), sums to 1
    eta: Floats  # (a, C)

    def mean(self, values: Floats) -> float:
        """Mean of values (a,). Not as a product of vectors, whose last bit depends on how many threads there are."""
        return float((self.weight * values).sum())
