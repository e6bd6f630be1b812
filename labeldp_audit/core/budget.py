"""How the probability that anything in a report is missed is shared out."""

from __future__ import annotations

PRIOR_SHARE = 0.05  # of the probability that a report may miss: p is the best known number of all
RADII_SHARE = 0.05  # that neighbourhoods are no larger than --smoothness takes them to be
