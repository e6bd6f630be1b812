"""How eta is estimated. One file each, and its name in this list."""

from __future__ import annotations

from ..core.registry import Registry
from .atoms import Atoms
from .auto import Auto
from .boosted import Boosted
from .contract import Estimator
from .crossed import Crossed
from .knn import Neighbors
from .linear import Linear
from .network import Network
from .stack import Stack
from .supervised import SupervisedNeighbors

ESTIMATORS: Registry[Estimator] = Registry(
    "estimator", (Auto, Atoms, Stack, Boosted, Network, Crossed, Linear, Neighbors, SupervisedNeighbors)
)
