"""What each column contributes: the same model is fitted again without it, and what it then misses is the column's.

Leaving one column out says what it adds to all others. Columns that say the same hide each other: each of them is
hardly missed as long as the other is there. What labels judge has limits, for the rows and for how much a refit with
other folds changes; what models say of themselves has none.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .. import engine
from ..errors import SpecError
from ..estimators import boosted, crossfit
from ..estimators.comparison import losses
from ..estimators.contract import Learner, Lesson
from ..measures import advantage, guess, loss
from ..mechanisms.contract import Mechanism
from ..model import Bound, Columns, Finding, Floats, Integers, Table
from ..randomness import for_audit
from . import beliefs, gains, learnt, payoffs, reporting, scored
from .beliefs import Belief
from .settings import Settings

MOST_ROWS, FEWEST_ROWS = 50_000, 5_000  # that are learnt from and scored; fewer of wide tables
MOST_CELLS = 1_500_000
FEWEST_TO_RANK = 100  # rows
MOST_COLUMNS = 64  # that are left out in turn: those that trees use most
FOLDS = 3  # there are many fits
REFITS = 2  # with other folds, to see what chance does
BEYOND = 0.0, 2.0  # the epsilon of a mechanism, where no policy and no --tau asks
REFIT = (
    "what boosted trees find without the column, beside what they find with it; columns that say the same hide each "
    "other, and another model may miss a column more"
)
NORMAL = "means over rows, judged by their labels, and what refits change are taken as normal"
NO_LIMITS = "no interval: models say this of themselves, and their rows do not tell how wrong they are"
ALIKE = "no fit, with or without the column, differs in that number at any row: nothing tells how far chance goes"
METHOD = "boosted trees fitted with and without the column"
QUANTITIES = ("column_log_loss", "column_j", "column_advantage")


def check(settings: Settings) -> None:
    if settings.eta or settings.eta_file is not None:
        raise SpecError("--explain fits models without a column, and needs the columns: leave out --eta and --eta-file")


def of(
    table: Table, asked: Sequence[Mechanism], taus: Sequence[float], settings: Settings, progress: engine.Progress
) -> list[Finding]:
    """For features that are not constant, of a wide table those used most; asked: mechanisms that fit the table."""
    assert table.columns is not None
    refit = _Refit.of(table, settings, progress)
    columns = {place: table.columns.names[place] for place in refit.used()}
    refit.begin(1 + REFITS + len(columns))
    numbers = list(_numbers(table, asked, taus, refit.labels, settings))
    level = (1 - settings.confidence) / max(1, len(numbers) * len(columns))
    whole, *again = ([one.of(refit.model(table.columns, lot)) for one in numbers] for lot in range(1 + REFITS))
    chances = [_spread(first.mean, [other[place].mean for other in again]) for place, first in enumerate(whole)]
    found = []
    for place, name in columns.items():
        model = refit.model(_without(table.columns, place), 0)
        for number, first, chance in zip(numbers, whole, chances, strict=True):
            found.append(_finding(number, name, first, number.of(model), chance, level, settings))
    return found


def _spread(first: float, others: Sequence[float]) -> float:
    """Standard deviation of what one refit changes."""
    return math.sqrt(sum((other - first) ** 2 for other in others) / (2 * len(others)))


def warnings(table: Table) -> tuple[str, ...]:
    """Of a wide table."""
    assert table.columns is not None
    width = len(table.columns.names)
    if width <= MOST_COLUMNS:
        return ()
    return (f"what {MOST_COLUMNS} of {width:,} columns contribute was looked at: those that boosted trees use most",)


@dataclass(frozen=True)
class _Model:
    """Scores of the rows, and eta as labels make it of them."""

    scores: Floats
    eta: Floats


@dataclass(frozen=True)
class _Refit:
    table: Table
    labels: scored.Labels
    rows: Integers
    people: Integers
    settings: Settings
    progress: engine.Progress

    @classmethod
    def of(cls, table: Table, settings: Settings, progress: engine.Progress) -> _Refit:
        assert table.columns is not None
        pool, width = learnt.pool_of(table, None, settings), max(1, len(table.columns.names))
        most = max(FEWEST_ROWS, min(MOST_ROWS, MOST_CELLS // width))
        some = np.sort(for_audit(settings.seed, "explain").permutation(len(pool.rows))[:most])
        rows, people = pool.rows[some], np.unique(pool.people[some], return_inverse=True)[1]
        return cls(table, table.labels[rows], rows, people, settings, progress)

    def used(self) -> list[int]:
        """The columns that trees use most, in the order of the table."""
        columns = self.table.columns
        assert columns is not None
        if len(columns.names) <= MOST_COLUMNS or len(self.rows) < FEWEST_TO_RANK:
            return list(range(len(columns.names)))[:MOST_COLUMNS]
        judge = self.people % FOLDS == 0
        lesson = Lesson(
            columns, self.table.labels, len(self.table.dataset.classes), learn=self.rows[~judge],
            judge=self.rows[judge], seed=self.settings.seed, threads=self.settings.threads or engine.available_cores(),
        )  # fmt: skip
        return sorted(np.argsort(-boosted.usefulness(lesson), kind="stable")[:MOST_COLUMNS].tolist())

    def _folds(self, seed: int) -> Integers:
        people = int(self.people.max()) + 1
        return for_audit(seed, "folds").permutation(np.arange(people) % min(FOLDS, people))[self.people]

    def begin(self, fits: int) -> None:
        self.progress.stage("leaving columns out", float(fits * len(self.rows)), "rows")

    def model(self, columns: Columns, again: int) -> _Model:
        """again: folds and trees by another lot."""
        if not columns.names:
            alone = np.tile(np.array(self.table.dataset.prior), (len(self.rows), 1))
            return _Model(alone, alone)
        settings, threads = self.settings, self.settings.threads or engine.available_cores()
        learner: Learner = boosted.Boosted()
        scores = crossfit.scores(
            (learner,), columns, self.table.labels, len(self.table.dataset.classes), rows=self.rows,
            folds=self._folds(settings.seed + again), people=self.people,
            same=np.arange(len(self.table.labels)), seed=settings.seed + again,
            each=functools.partial(engine.run, threads=threads), threads=max(1, threads // FOLDS),
            note=self.progress.advance,
        )[learner.name]  # fmt: skip
        return _Model(scores, scored.calibrated(scores, self.labels, self.people, settings.seed))


def _without(columns: Columns, place: int) -> Columns:
    kept = [one for one in range(len(columns.names)) if one != place]
    names = tuple(columns.names[one] for one in kept)
    return Columns(np.asfortranarray(columns.values[:, kept]), columns.categorical[kept], names)


# ---- what is compared


@dataclass(frozen=True)
class _Value:
    """Of a model: of each row, or on average alone, with a standard error."""

    mean: float
    rows: Floats | None = None
    judged: bool = (
        False  # by labels: otherwise it is what a model says of itself, and rows do not tell how wrong that is
    )

    @classmethod
    def of_rows(cls, rows: Floats, judged: bool) -> _Value:
        return cls(float(rows.mean()), rows, judged)


@dataclass(frozen=True)
class _Number:
    quantity: str
    of: Callable[[_Model], _Value]
    sign: float = 1.0  # -1 where a smaller one tells more
    mechanism: Mechanism | None = None
    at: Mapping[str, float] = field(default_factory=dict)


def _numbers(
    table: Table, asked: Sequence[Mechanism], taus: Sequence[float], labels: scored.Labels, settings: Settings
) -> Iterator[_Number]:
    """For two classes J as well."""
    yield _Number("column_log_loss", lambda model: _Value.of_rows(losses(model.scores, labels), judged=True), -1.0)
    if len(table.dataset.classes) == 2:
        for one in asked:
            if one.flips is not None:
                h = loss.noise_loss(one.flips)
                for tau in taus or [one.flips + more for more in BEYOND if math.isfinite(one.flips)]:
                    share = functools.partial(_share, table.dataset.prior[1], tau - h)
                    yield _Number("column_j", share, 1.0, one, {"tau": tau, **one.at()})
    payoff = payoffs.of(table, settings, 0.5).paid
    for one in asked:
        yield _Number("column_advantage", functools.partial(_gain, one, payoff, labels, settings), 1.0, one, one.at())


def _share(p: float, above: float, model: _Model) -> _Value:
    return _Value.of_rows((loss.feature_loss(model.eta[:, 1], p) > above).astype(np.float64), judged=False)


def _gain(mechanism: Mechanism, payoff: Floats, labels: scored.Labels, settings: Settings, model: _Model) -> _Value:
    """Judged by labels, as the model itself is; for bags, what the model says of itself."""
    channel = mechanism.channel(model.eta.shape[1])
    if channel is not None:
        before = guess.right(model.scores, labels, payoff)
        return _Value.of_rows(guess.right_after(model.scores, channel, labels, payoff) - before, judged=True)
    belief = Belief(beliefs.observed(model.eta), "", advantage.from_rows(model.eta))
    gain = gains.of([mechanism], belief, payoff, settings, engine.Silent())[mechanism.spec]
    return _Value(gain.mean)


def _finding(
    number: _Number, name: str, whole: _Value, without: _Value, chance: float, miss: float, settings: Settings
) -> Finding:
    """chance: standard error of a refit."""
    n = 0 if whole.rows is None else len(whole.rows)
    estimate = number.sign * (whole.mean - without.mean)
    said = (reporting.ROWS, REFIT)
    error = math.hypot(_error(whole, without), math.sqrt(2) * chance) if whole.judged else 0.0
    if not whole.judged:
        bound = Bound(estimate, None, None, n, METHOD, (*said, NO_LIMITS))
    elif error == 0:
        bound = Bound(None, None, None, n, METHOD, said, ALIKE)
    else:
        reach = _quantile(1 - miss / 2) * error
        bound = Bound(estimate, estimate - reach, estimate + reach, n, METHOD, (*said, NORMAL))
    at: dict[str, float | str] = {"column": name, **number.at}
    mechanism = number.mechanism
    return Finding(number.quantity, bound, settings.confidence, mechanism.spec if mechanism else None, at)


def _error(whole: _Value, without: _Value) -> float:
    """Of the difference, at the same rows."""
    assert whole.rows is not None and without.rows is not None
    return float((whole.rows - without.rows).std() / math.sqrt(len(whole.rows)))


def _quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))
