"""What limits assume, in words, and how far a publisher's smoothness widens them."""

from __future__ import annotations

from ..bounds.intervals import measure_smoothness
from ..core.errors import AssumptionError
from ..core.eta import Eta
from ..core.settings import Settings, smoothness

ROWS = "rows are independent draws from one population"
AVERAGES = (
    "neighbourhood averages: the interval is about the mean of eta over the neighbours of each row; it covers eta(x) "
    "only if eta varies little among them, which no data can check, and people who stand out inside a neighbourhood "
    "may lose more"
)
ALIKE = (
    "averages over rows with like scores: the interval is about the mean of eta over the k rows of the same part with "
    "the nearest scores; it covers eta(x) only if eta varies little among them, which no data can check, and people "
    "who stand out from those with their score may lose more"
)
IN_ORDER = (
    "people with higher scores have, on average, no smaller eta, which the labels do not contradict, and scores of all "
    "folds are comparable; people with like scores count as their average; where labels of rows of one level show that "
    "eta differs among them, limits hold for any people with that average and that variance, which is an estimate; "
    "people who stand out otherwise may lose more"
)
GIVEN = (
    "the given probabilities are right, which the labels can refute and never prove; the interval leaves open what "
    "the sample leaves open, not what the model may be wrong about"
)

# ERRATA A8
SCALED = (
    "distances are taken as given: columns were standardised by the means and deviations of these very rows, so the "
    "distance that the smoothness is about depends on the table, which the limits leave out of account"
)


def stated(eta: Eta, settings: Settings) -> tuple[str, ...]:
    if eta.counts is None:
        return ROWS, GIVEN
    vouched = smoothness(settings)
    if vouched is None:
        return ROWS, IN_ORDER if eta.ordered else ALIKE if eta.metric == "score" else AVERAGES
    constant, beta = vouched
    return ROWS, f"measure smoothness with C = {constant:g}, beta = {beta:g}, which no data can check", SCALED


def widening(eta: Eta, settings: Settings, miss: float) -> float:
    """How far eta(x) may lie from its neighbourhood's average, if the publisher vouches for it; 0 without."""
    vouched = smoothness(settings)
    if vouched is None:
        return 0.0
    if eta.k is None:
        raise AssumptionError("--smoothness is about neighbourhoods, and there are none behind these probabilities")
    measure_smoothness.check(eta.k, eta.queries, miss)
    return measure_smoothness.widening(eta.k, eta.n - 1, *vouched)
