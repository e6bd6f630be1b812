"""estimate-eta: what the features alone tell about each label."""

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
from .settings import Settings

NAME = "estimate-eta"


def run(
    data: str, settings: Settings, progress: engine.Progress
) -> tuple[Report, Mapping[str, npt.NDArray[np.generic]]]:
    """The report, and a row for each query."""
    table, eta = read_and_estimate(data, settings, progress)
    positive = positive_index(table)
    miss = 1 - settings.confidence
    box = intervals.of(table, eta, positive, simultaneous(eta.queries, 0.6 * miss), 0.0, intervals.PRIOR_SHARE * miss)
    findings = [
        *extremes.of_eta(box, eta, settings),
        Finding("uninformed_utility", _utility(table, eta, positive, 0.35 * miss, settings), settings.confidence),
    ]
    return reporting.build(NAME, table, eta, settings, findings), rows(table, eta)


def _utility(table: Table, eta: Eta, positive: int, miss: float, settings: Settings) -> Bound:
    """How often the best guess from the features is right; a third of `miss` for each of the three ways to err."""
    mistakes = tolerated(eta.queries, miss / 3)
    box = intervals.of(table, eta, positive, mistakes, 0.0, miss)  # p plays no part
    least, most = guess.certainty_range(box.low, box.high)
    low, high = hoeffding.mean_limits(least, most, 0.5, 1.0, mistakes.allowed, miss / 3)
    return Bound(
        float(np.mean(guess.certainty(eta.probability))), low, high, eta.queries, "clopper-pearson, hoeffding",
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
