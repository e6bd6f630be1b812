"""estimate-eta: what the features alone tell about each label.

The probability that anything in the report is missed is shared out: p 5 %, the radii of the neighbourhoods 5 %, the
intervals of eta behind the extremes 60 %, those behind the utility 10 %, its mean 20 %.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from .. import engine
from ..bounds import hoeffding
from ..bounds.mistakes import simultaneous, tolerated
from ..measures import guess
from ..model import Bound, Eta, Finding, Report, Table
from . import extremes, intervals, reporting
from .before import positive_index, read_and_estimate
from .intervals import Intervals, Prior
from .settings import Settings

NAME = "estimate-eta"
EXTREMES_SHARE = 0.60
LIKELY_SHARE = 0.10
MEAN_SHARE = 0.20


def run(
    data: str, settings: Settings, progress: engine.Progress
) -> tuple[Report, Mapping[str, npt.NDArray[np.generic]]]:
    """The report, and a row for each query."""
    table, eta = read_and_estimate(data, settings, progress)
    positive = positive_index(table)
    miss = 1 - settings.confidence
    wide = reporting.widening(eta, settings, intervals.RADII_SHARE * miss)
    box = intervals.of_eta(eta, positive, simultaneous(eta.queries, EXTREMES_SHARE * miss), wide)
    prior = intervals.of_prior(table, positive, intervals.PRIOR_SHARE * miss)
    likely = intervals.of_eta(eta, positive, tolerated(eta.queries, LIKELY_SHARE * miss), wide)
    utility = utility_bound(likely, prior, MEAN_SHARE * miss, settings)
    findings = [
        *extremes.of_eta(box, eta, settings),
        Finding("uninformed_utility", utility, settings.confidence),
    ]
    return reporting.build(NAME, table, eta, settings, findings), rows(table, eta)


def utility_bound(box: Intervals, prior: Prior, miss: float, settings: Settings) -> Bound:
    """How often the best guess from the features is right: no less often than the commoner class is."""
    least, most = guess.certainty_range(box.low, box.high)
    low, high = hoeffding.mean_limits(least, most, 0.5, 1.0, box.wrong, miss / 2)
    guessed = float(np.mean(guess.certainty(np.stack([1 - box.eta, box.eta], axis=1))))
    estimate = max(guessed, prior.p, 1 - prior.p)
    return Bound(
        estimate, max(low, prior.low, 1 - prior.high), max(high, estimate), len(box.eta), "clopper-pearson, hoeffding",
        reporting.assumptions(settings),
    )  # fmt: skip


def rows(table: Table, eta: Eta) -> dict[str, npt.NDArray[np.generic]]:
    """Columns of the per-row file. Row 1 is the first row of data in the file."""
    numbers = eta.rows if table.row_numbers is None else table.row_numbers[eta.rows]
    columns: dict[str, npt.NDArray[np.generic]] = {"row": numbers + 1}
    for c, name in enumerate(table.dataset.classes):
        columns[f"eta_{name}"] = eta.probability[:, c]
    for c, name in enumerate(table.dataset.classes):
        columns[f"count_{name}"] = eta.counts[:, c]
    return columns | {"k": eta.counts.sum(axis=1), "radius": eta.radius}
