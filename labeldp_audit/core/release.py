"""What is published, for whom, and what a mechanism may look at beside the labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .arrays import Floats, Integers

NOTHING: Mapping[str, object] = {}
ANYBODY, PEER = "anybody", "peer"  # viewers


@dataclass(frozen=True)
class Guide:
    """What a mechanism may look at beside the labels. No record's own label is in what is used for it."""

    classes: int
    clusters: Integers | None = None  # (n,) 0, 1, ...: which records are alike, by features alone
    prior: Floats | None = None  # (n, C) how likely each class is, from what is public
    learn: Callable[[Integers, Floats, Integers], Floats] | None = None
    """(rows, soft labels (rows, C), others) -> (others, C): probabilities by a model that saw only these labels."""

    def at(self, rows: Integers) -> Guide:
        """The same for some of the records; a model is of all of them."""
        clusters = None if self.clusters is None else np.unique(self.clusters[rows], return_inverse=True)[1].reshape(-1)
        return replace(self, clusters=clusters, prior=None if self.prior is None else self.prior[rows], learn=None)


@dataclass(frozen=True)
class Guarantee:
    """What holds of a release, and by which theorem."""

    epsilon: float
    viewer: str = ANYBODY  # who reads the release
    delta: float = 0.0
    theorem: str = ""
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """What is published instead of the labels: one thing for each bag of records."""

    view: npt.NDArray[np.generic]  # (bags,), or (bags, C) where vectors are published
    bag: Integers  # (n,) the bag of each record; a bag of its own where records are released one by one
    group: Integers | None = None  # (n,) which of the channels replaced the label of each record
    channels: Floats | None = None  # (G, C, S) P(say s | y), known to every reader of the release
    facts: Mapping[str, object] = field(default_factory=lambda: NOTHING)  # public by-products, for the manifest


@dataclass(frozen=True)
class Outcomes:
    """What a release says of each record, as one of S outcomes, and by which law."""

    kind: Integers  # (n,)
    said: Integers  # (n,)
    law: Floats  # (G, C, S) P(said | kind, class); (G, 1, S) where the class is nothing to it
    stays: npt.NDArray[np.bool_] | None = None  # (C, S) which of them name the class; None: s == c
    drawn: bool = False  # records of a kind share out its outcomes, each order equally likely


@dataclass(frozen=True)
class Tails:
    """How likely each count that a release tells is to be at most, and at least, what it is."""

    at_most: Floats
    at_least: Floats
    independent: bool = True
