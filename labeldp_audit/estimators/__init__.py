"""How eta is estimated. One file each, and its name in this list."""

from __future__ import annotations

from ..core.errors import SpecError
from ..core.registry import Registry
from .atoms import Atoms
from .auto import Auto
from .boosted import Boosted
from .contract import Estimator
from .crossed import Crossed
from .knn import Neighbors
from .linear import Linear
from .network import Network
from .scikit import Sklearn
from .stack import Stack

__all__ = [
    "ESTIMATORS", "Atoms", "Auto", "Boosted", "Crossed", "Estimator", "Linear", "Neighbors", "Network", "Sklearn",
    "Stack", "named",
]  # fmt: skip

ESTIMATORS: Registry[Estimator] = Registry(
    "estimator", (Auto, Atoms, Stack, Boosted, Network, Crossed, Linear, Neighbors, Sklearn)
)


def named(spec: object) -> Estimator:
    """The one of this spec; from Python it may be one already, or a classifier of scikit-learn."""
    if isinstance(spec, Estimator):
        return spec
    if not isinstance(spec, str):
        return Sklearn(spec)
    found = ESTIMATORS.parse(spec)
    if len(found) != 1:
        raise SpecError(f"estimator {spec!r}: one is asked for, and this names {len(found)}")
    return found[0]
