"""The simple prediction attack (002, section 3): a model learns from the released labels, and what it says of a record
is the guess. Folds are guessed by models of the other folds, so that nobody's own released label is in the guess.

How likely what is said is, is turned into how likely classes are by the inverse of the channel.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.finding import Knows
from ..core.mechanism import Published
from ..core.randomness import for_audit
from .contract import Attack, Guesses, Seen, best

_LEAST = 1e-6
_TIES = 1e-9  # soft labels that differ, differ by more


class Prediction(Attack):
    name: ClassVar[str] = "prediction"
    example: ClassVar[str] = "prediction"
    summary: ClassVar[str] = "trains a model on the released labels and guesses what it predicts: 002, section 3"
    knows: ClassVar[Knows] = Knows.BOTH
    learns: ClassVar[bool] = True

    def unfit(self, seen: Seen) -> str:
        if seen.mechanism.publishes in (Published.BAGS, Published.ALONE):
            return "no labels are published beside features"
        return "" if seen.features is not None else "there is too little to learn from"

    def read(self, seen: Seen) -> Guesses:
        assert seen.features is not None
        release, classes = seen.release, seen.eta.shape[1]
        vectors = release.view.ndim == 2
        said: Integers = (_most(release.view) if vectors else release.view)[release.bag].astype(np.int64)
        channel = None if vectors else seen.mechanism.channel(classes)
        known = seen.features.learn(said, classes if vectors else seen.mechanism.outputs(classes))
        if channel is not None and channel.shape[1] < known.shape[1]:  # the last output is no label
            known = known[:, :-1] / known[:, :-1].sum(axis=1, keepdims=True)
        if release.channels is not None and release.group is not None:
            of_classes = np.empty((len(said), classes))
            for group, each in enumerate(release.channels):
                mine = release.group == group
                of_classes[mine] = inverted(known[mine], each)
        else:
            of_classes = known if channel is None else inverted(known, channel)
        return best(np.log(of_classes), seen.payoff)


def _most(soft: npt.NDArray[np.generic]) -> Integers:
    """(n,) the class that is most likely; by lot where several are, as is common where noise is cut off."""
    lot = for_audit(0, "soft labels that are alike").random(soft.shape)
    return np.asarray((soft.astype(np.float64) * (1 + _TIES * lot)).argmax(axis=1))


def inverted(said: Floats, channel: Floats) -> Floats:
    """(n, S) how likely each output is -> (n, C) how likely each class is, by least squares and within (0, 1). A
    channel that does not tell all classes apart has no inverse: outputs are taken for classes."""
    classes = len(channel)
    known = np.linalg.matrix_rank(channel) == classes
    found = (said @ np.linalg.pinv(channel) if known else said[:, :classes]).clip(_LEAST)
    return np.asarray(found / found.sum(axis=1, keepdims=True))
