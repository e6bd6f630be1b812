"""What attackers surely miss, whatever eta is, as findings: ceilings of an advantage, and what is left for any guess.

The best guess from the features misses no more than guesses were seen to miss (guessing.py), no more than cells of
scores say, and no more than twice the spread of eta. It misses something only where labels of rows with equal features
were seen to differ (repeated_rows.py). For more than two classes cells and spread are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..bounds.certificates import error_cells, repeated_rows
from ..bounds.published import advantage_ceilings
from ..core.budget import Budget
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.settings import Settings
from ..core.table import Table
from ..mechanisms.randomized_response import pi_from_epsilon
from . import certificates, releases
from .guessing import Features, Payoffs

# Of the share of certificates: cells, scores, from rows to people, pairs, and from pairs to people.
_BOX, _BRIER, _ERROR, _SPREAD, _TWINS, _TWINS_BEFORE, _TWINS_AFTER = 0.30, 0.10, 0.15, 0.15, 0.15, 0.05, 0.10

MISSED = f"labels that guesses and scores were made without, {certificates.PEOPLE}"
TWINS = f"pairs of rows with equal features, {certificates.PEOPLE}"
TRIED = f"an attack on each released label, tried on labels that it was made without, {certificates.PEOPLE}"


@dataclass(frozen=True)
class Same:
    """What rows with equal features tell."""

    share: float  # of the rows that are in a pair
    differ_low: float  # of the pairs whose labels differ
    rows: int
    classes: int

    def missed_low(self, miss: float) -> float:
        """Lower limit of what the best guess from the features misses.

        With more classes two labels differ only where one of them is not the best guess: m >= d / 2 (CERTIFICATES c4).
        """
        two = self.classes == 2
        missed = repeated_rows.error_of_pairs(self.differ_low) if two else self.differ_low / 2
        return repeated_rows.of_people(self.share * missed, 0.0, self.rows, miss)

    def advantage_low(self, pi: float, miss: float) -> float:
        """Lower limit of the advantage of randomized response between two classes that flips with probability pi."""
        missed = self.share * repeated_rows.error_of_pairs(self.differ_low, pi)
        return repeated_rows.of_people(missed, pi, self.rows, miss)


@dataclass(frozen=True)
class Doubt:
    """Limits that hold at once; payoff 1 for right guesses, but for `missed_high`."""

    missed_high: float  # what the best guess from the features misses
    spread_high: float = error_cells.MOST_SPREAD  # E eta (1 - eta)
    twins: Same | None = None


def doubt(
    table: Table, eta: Eta, features: Features, payoffs: Payoffs, settings: Settings, sure: Budget
) -> tuple[Doubt | None, Features]:
    """None where it is not asked for; and the features with the certified limit in place of their own. sure, here and
    below: of all certificates; beside what is paid for in `features` and `payoffs`."""
    if not settings.certify:
        return None, features
    known, right = _doubt(table, eta, features, payoffs, sure), features.right
    assert right.low is not None and right.estimate is not None
    low = max(right.low, min(1 - known.missed_high, right.estimate))
    return known, Features(replace(right, low=low), known.missed_high)


def _doubt(table: Table, eta: Eta, features: Features, payoffs: Payoffs, sure: Budget) -> Doubt:
    if not payoffs.alike:
        return Doubt(features.missed_high)
    data, twins, miss = table.dataset, None, sure.spend("pairs", _TWINS)
    if table.twins is not None:
        differ = repeated_rows.rarely_differ(table.twins.differ, table.twins.pairs, miss)
        twins = Same(2 * table.twins.pairs / data.rows_used, differ, data.rows_used, len(data.classes))
    if len(data.classes) > 2:
        return Doubt(features.missed_high, twins=twins)
    # [P] by what they are at most on average over the rows asked.
    assert eta.unseen is not None and eta.part is not None
    box = certificates.box_of(table, eta, sure.spend("cells", _BOX))
    squares = (eta.unseen[:, 1] - (table.labels[eta.rows] == 1)) ** 2
    brier = error_cells.spread_of_rows(squares, eta.part, sure.spend("scores", _BRIER) / eta.choices)
    of_error, of_spread = sure.spend("error", _ERROR), sure.spend("spread", _SPREAD)
    missed = error_cells.of_people(error_cells.error(box), error_cells.MOST_ERROR, eta.queries, of_error)
    rows = min(brier, error_cells.spread(box))
    spread = error_cells.of_people(rows, error_cells.MOST_SPREAD, eta.queries, of_spread)
    return Doubt(advantage_ceilings.error(min(missed, features.missed_high), spread), spread, twins)


def uninformed(known: Doubt | None, eta: Eta, payoffs: Payoffs, settings: Settings, sure: Budget) -> list[Finding]:
    """For payoff 1."""
    if known is None or not payoffs.alike:
        return []
    of_twins = sure.spend("people in pairs, before", _TWINS_BEFORE)
    missed = 0.0 if known.twins is None else known.twins.missed_low(of_twins)
    method = f"{MISSED}; upper limit by {TWINS}" if missed > 0 else MISSED
    bound = certificates.limit(1 - known.missed_high, 1 - missed, method, eta)
    return [releases.finding("certified_uninformed_utility", bound, settings)]


def added(mechanism: Mechanism, known: Doubt, high: float, eta: Eta, sure: Budget, sharing: int) -> Bound:
    """The advantage, at most `high`; at least something where randomized response hides what features do not tell.
    sharing: so many mechanisms share the level."""
    miss = sure.spend("people in pairs, after", _TWINS_AFTER, sharing)
    low, method = 0.0, f"total variation times what guesses miss: {MISSED}"
    noise = releases.noise_of(mechanism)
    same = None if noise is None else noise.randomized_response
    if known.twins is not None and known.twins.classes == 2 and same is not None:
        low = known.twins.advantage_low(pi_from_epsilon(same), miss)
        if low:
            method = f"{method}; lower limit by {TWINS}"
    return certificates.limit(low, high, method, eta)


def informed(known: Doubt, tried: float, eta: Eta) -> Bound:
    """What an attacker gets who was tried, and no less than from the features."""
    return certificates.limit(max(1 - known.missed_high, tried), 1.0, TRIED if tried else MISSED, eta)
