"""What is published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .arrays import Integers


@dataclass(frozen=True)
class Release:
    """What is published instead of the labels: one thing for each bag of records."""

    view: npt.NDArray[np.generic]  # (bags,)
    bag: Integers  # (n,) the bag of each record; a bag of its own where records are released one by one
