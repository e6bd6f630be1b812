"""How far the features of the positive and the negative people lie apart, in nats.

    I = E (2 eta - 1) logit eta                                      `jeffreys`, 001 section 4
    p KL(P1 || P0) + (1 - p) KL(P0 || P1) = I - h(p) = E feature_loss         `weighted_jeffreys`
    h(p) = (2 p - 1) logit p

ERRATA A10: I is half the Jeffreys divergence only at p = 1/2; it is the weighted one that coarser features can only
lower. P1, P0 are the laws of the features given the label.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from .loss import logit


def jeffreys_terms(eta: npt.ArrayLike) -> Floats:
    """(2 eta - 1) logit eta >= 0: convex, 0 at 1/2. At p it is h(p), the least that I can be."""
    eta = np.asarray(eta, np.float64)
    return (2 * eta - 1) * logit(eta)
