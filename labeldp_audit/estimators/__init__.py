"""How eta is estimated. One file each, and its name in this list."""

from __future__ import annotations

from ..registry import Registry
from .boosted import Boosted
from .knn import Neighbors

ESTIMATORS: Registry[Neighbors | Boosted] = Registry("estimator", (Neighbors, Boosted))
