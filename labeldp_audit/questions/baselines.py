"""What stands beside all mechanisms: no label published, which leaves the features alone, and labels without noise."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.finding import BASELINE, CLEAR, FEATURES, Bound, Finding
from ..core.settings import Settings

ALONE: Mapping[str, str] = {BASELINE: FEATURES}
WITHOUT_NOISE: Mapping[str, str] = {BASELINE: CLEAR}
METHOD = "labels without noise: by definition"


def by_definition(quantity: str, value: float, n: int, settings: Settings, tau: float | None = None) -> Finding:
    """What labels without noise come to on any table: no sample behind it, so no low and no high."""
    place = {} if tau is None else {"tau": tau}
    return Finding(quantity, Bound(value, None, None, n, METHOD), settings.confidence, at={**place, **WITHOUT_NOISE})
