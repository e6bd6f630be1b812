"""How an attacker reads a release. One file each, and its name in this list; the baseline is the first."""

from __future__ import annotations

from ..core.registry import Registry
from .bounded import Bounded
from .contract import Attack, Features, Guesses, Seen
from .face_value import FaceValue
from .features import FeaturesAlone
from .knows_others import KnowsOthers
from .optimal import Optimal
from .prediction import Prediction
from .proportions import PropMatch
from .supplied import Supplied

__all__ = [
    "ATTACKS", "Attack", "Bounded", "FaceValue", "Features", "FeaturesAlone", "Guesses", "KnowsOthers", "Optimal",
    "Prediction", "PropMatch", "Seen", "Supplied",
]  # fmt: skip

ATTACKS: Registry[Attack] = Registry(
    "attacker", (FeaturesAlone, Optimal, Bounded, FaceValue, PropMatch, Prediction, Supplied, KnowsOthers)
)
