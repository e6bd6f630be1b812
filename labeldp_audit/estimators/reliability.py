"""Whether labels fit the probabilities that were given for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..bounds.intervals import clopper_pearson
from ..core.arrays import Floats
from ..core.eta import Bin
from ..core.remark import Value

_BINS = 20
_FEWEST = 50  # rows of a bin
ENOUGH = 10.0  # variance of the labels of a group: then a normal law is near enough


def log_loss(probability: Floats, labels: npt.NDArray[np.integer]) -> float:
    """Mean -log of the probability of the label; infinite where a label is called impossible."""
    with np.errstate(divide="ignore"):
        return float(-np.mean(np.log(probability[np.arange(len(labels)), labels])))


def faults(
    probability: Floats, labels: npt.NDArray[np.integer], classes: Sequence[str], miss: float
) -> Iterator[dict[str, Value]]:
    """Where the share of a class among rows of like probability cannot be what the probabilities say: once a class.

    Bins of equal size by probability alone, so given the features the count in each is a sum of independent trials.
    All of them fit with probability 1 - miss where the probabilities are right.
    """
    bins = max(1, min(_BINS, len(labels) // _FEWEST))
    each = miss / (2 * bins * len(classes))
    for c in range(len(classes) - 1 if len(classes) == 2 else 0, len(classes)):
        said, worst = probability[:, c], 1e-12
        where: dict[str, Value] = {}
        for part in np.array_split(np.argsort(said, kind="stable"), bins):
            mean, count = float(said[part].mean()), int((labels[part] == c).sum())
            low, high = _limits(count, len(part), each)
            if (gap := max(low - mean, mean - high)) > worst:
                first, last = said[part[[0, -1]]].tolist()
                where = {"rows": len(part), "first": first, "last": last, "mean": mean, "share": count / len(part)}
                worst = gap
        if where:
            yield {"label": classes[c], **where}


def _limits(count: int, rows: int, miss: float) -> tuple[float, float]:
    """Of the share that so many are of so many rows; either is false with probability at most -expm1(-miss)."""
    alike = -np.expm1(-miss)
    return float(clopper_pearson.lower(count, rows, alike)), float(clopper_pearson.upper(count, rows, alike))


def table(
    probability: Floats, labels: npt.NDArray[np.integer], classes: Sequence[str], bins: int, miss: float
) -> Iterator[Bin]:
    """Bins of the positive class, or of each where there are more: rows by rising estimates, equal ones together.

    The probabilities must not have seen the labels of their rows. Where they saw none of these labels, all limits hold
    with probability 1 - miss; where rows of a group shaped each other's estimates, with somewhat less.
    """
    asked = [1] if len(classes) == 2 else range(len(classes))
    for c in asked:
        said, order = probability[:, c], np.argsort(probability[:, c], kind="stable")
        cuts = np.unique(np.searchsorted(said[order], said[order][np.arange(1, bins) * len(order) // bins]))
        for part in filter(len, np.split(order, cuts)):
            came = int((labels[part] == c).sum())
            low, high = _limits(came, len(part), miss / (2 * bins * len(asked)))
            yield Bin(classes[c], len(part), float(said[part].mean()), came / len(part), low, high)


def wonder(chance: Floats, is_class: npt.NDArray[np.bool_], groups: int) -> float:
    """How often labels would stray as far from their chances in all groups together (Pearson's chi-square): many groups
    that are each a little off are off for sure. Groups of like chances, joined until normal limits hold."""
    from scipy.special import chdtrc

    order = np.argsort(chance, kind="stable")
    sums = np.cumsum([is_class[order] - chance[order], (chance * (1 - chance))[order]], axis=1)
    ends = sums[:, np.linspace(0, len(chance), groups + 1).astype(np.int64)[1:] - 1].T
    total, used, begin = 0.0, 0, np.zeros(2)
    for end in ends:
        strayed, variance = end - begin
        if variance >= ENOUGH:
            total, used, begin = total + strayed**2 / variance, used + 1, end
    return float(chdtrc(used, total)) if used else 1.0
