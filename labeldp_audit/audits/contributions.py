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

from ..core.arrays import Floats, Integers
from ..core.budget import Budget
from ..core.errors import SpecError
from ..core.finding import Bound, Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress, Silent
from ..core.randomness import for_audit
from ..core.remark import Remark
from ..core.settings import Settings
from ..core.table import Columns, Table
from ..engines.machine import available_cores
from ..engines.threads import in_threads
from ..estimators import boosted, crossfit, score_windows, selection
from ..estimators.comparison import losses
from ..estimators.contract import Learner, Lesson
from ..measures import advantage, guess, loss
from ..measures.eta_law import estimated
from ..measures.eta_law.estimated import Belief
from ..measures.loss import Noise
from ..questions import advantage as advantage_question
from ..questions import advantage_gains, assumptions, guessing, releases
from ..questions.contract import Evidence, Question
from ..questions.quantities import OF_COLUMNS

MOST_ROWS, FEWEST_ROWS = 50_000, 5_000  # that are learnt from and scored; fewer of wide tables
MOST_CELLS = 1_500_000
FEWEST_TO_RANK = 100  # rows
MOST_COLUMNS = 64  # that are left out in turn: those that trees use most
FOLDS = 3  # there are many fits
LEARNT = 1 + FOLDS / (FOLDS - 1)  # times the variance of folds that would share nothing of what they learn from
FITS, FEWEST_LOTS, MOST_LOTS = 48, 4, 8  # lots of folds and trees: what is said is their mean, and they tell its chance
MOST_TAUS = 5  # at which each column is asked about, where they were typed
BEYOND = 0.0, 2.0  # the most that a release tells of a label, where no policy and no --tau asks
REFIT = (
    "what boosted trees find without the column, beside what they find with it; columns that say the same hide each "
    "other, and another model may miss a column more"
)
NORMAL = "means over rows, judged by their labels, and what refits change are taken as normal"
NO_LIMITS = "no interval: models say this of themselves, and their rows do not tell how wrong they are"
ALIKE = "no fit, with or without the column, differs in that number at any row: nothing tells how far chance goes"
METHOD = "boosted trees fitted with and without the column"


def question(settings: Settings) -> Question:
    """Refused where there are no columns."""
    if settings.eta or settings.eta_file is not None:
        raise SpecError("--explain fits models without a column, and needs the columns: leave out --eta and --eta-file")
    return Question("columns", OF_COLUMNS, lambda classes: True, _answer)


def _answer(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    """What each column contributes to what the policy asks about."""
    fit = [one for one in evidence.mechanisms if not advantage_question.unfit(one, evidence.table)]
    typed = [] if evidence.at is None else evidence.at.tolist()
    taus = evidence.more or (typed if 0 < len(typed) <= MOST_TAUS else ())
    return measured(evidence.table, fit, taus, settings, evidence.progress)


def measured(
    table: Table, asked: Sequence[Mechanism], taus: Sequence[float], settings: Settings, progress: Progress
) -> list[Finding]:
    """For features that are not constant, of a wide table those used most; asked: mechanisms that fit the table."""
    assert table.columns is not None
    refit = _Refit.of(table, settings, progress)
    columns = {place: table.columns.names[place] for place in refit.used()}
    lots = min(MOST_LOTS, max(FEWEST_LOTS, FITS // (1 + len(columns))))
    progress.stage("leaving columns out", float(lots * (1 + len(columns)) * len(refit.rows)), "rows")
    numbers = list(_numbers(table, asked, taus, refit.labels, settings))

    def values(left: Columns) -> list[list[_Value]]:
        """Each number's value in each lot of folds and trees."""
        models = [refit.model(left, lot) for lot in range(lots)]
        return [[one.of(model) for model in models] for one in numbers]

    whole, falls = values(table.columns), []
    for place in columns:
        pairs = zip(numbers, whole, values(_without(table.columns, place)), strict=True)
        falls.append([_Fall.between(one, other, number.sign, refit.people) for number, one, other in pairs])
    # Labels choose which columns of a wide table are left out: the level is shared among all that might have been.
    miss = (1 - settings.confidence) / max(1, len(numbers) * len(table.columns.names))
    usual, free = [_usual_chance(one) for one in zip(*falls, strict=True)], (1 + len(columns)) * (lots - 1) / 2
    return [
        _finding(one, name, fall, chance, free, miss, settings)
        for name, of_column in zip(columns.values(), falls, strict=True)
        for one, fall, chance in zip(numbers, of_column, usual, strict=True)
    ]


def remarks(table: Table) -> tuple[Remark, ...]:
    """Which columns were looked at, where a table has too many."""
    assert table.columns is not None
    width = len(table.columns.names)
    if width <= MOST_COLUMNS:
        return ()
    return (Remark("columns-looked-at", columns=MOST_COLUMNS, of=width),)


@dataclass(frozen=True)
class _Model:
    """Scores of the rows, and eta as labels make it of them."""

    scores: Floats
    eta: Floats


@dataclass(frozen=True)
class _Refit:
    table: Table
    labels: score_windows.Labels
    rows: Integers
    people: Integers
    settings: Settings
    progress: Progress

    @classmethod
    def of(cls, table: Table, settings: Settings, progress: Progress) -> _Refit:
        assert table.columns is not None
        pool, width = selection.pool_of(table, settings), max(1, len(table.columns.names))
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
            judge=self.rows[judge], seed=self.settings.seed, threads=self.settings.threads or available_cores(),
        )  # fmt: skip
        return sorted(np.argsort(-boosted.usefulness(lesson), kind="stable")[:MOST_COLUMNS].tolist())

    def model(self, columns: Columns, lot: int) -> _Model:
        """With the same folds in the same lot, whichever the columns."""
        if not columns.names:
            alone = np.tile(np.array(self.table.dataset.prior), (len(self.rows), 1))
            return _Model(alone, alone)
        settings, threads = self.settings, self.settings.threads or available_cores()
        learner: Learner = boosted.Brisk()
        people = int(self.people.max()) + 1
        lots = for_audit(settings.seed + lot, "folds").permutation(np.arange(people) % min(FOLDS, people))
        scores = crossfit.scores(
            (learner,), columns, self.table.labels, len(self.table.dataset.classes), rows=self.rows,
            folds=lots[self.people], people=self.people,
            same=np.arange(len(self.table.labels)), seed=settings.seed + lot,
            each=functools.partial(in_threads, threads=threads), threads=max(1, threads // FOLDS),
            note=self.progress.advance,
        )[learner.name]  # fmt: skip
        return _Model(scores, score_windows.calibrated(scores, self.labels, self.people, settings.seed))


def _without(columns: Columns, place: int) -> Columns:
    kept = [one for one in range(len(columns.names)) if one != place]
    names = tuple(columns.names[one] for one in kept)
    words = {name: weights for name, weights in columns.words.items() if name in names}
    return Columns(np.asfortranarray(columns.values[:, kept]), columns.categorical[kept], names, words=words)


# ---- what is compared


@dataclass(frozen=True)
class _Value:
    """A number of one model: for each row, or only its average and standard error."""

    mean: float
    rows: Floats | None = None
    judged: bool = False  # by labels; else a model says it of itself, and rows do not tell how wrong that is

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
    table: Table, asked: Sequence[Mechanism], taus: Sequence[float], labels: score_windows.Labels, settings: Settings
) -> Iterator[_Number]:
    """For two classes J as well."""
    yield _Number("column_log_loss", lambda model: _Value.of_rows(losses(model.scores, labels), judged=True), -1.0)
    if len(table.dataset.classes) == 2:
        for one in asked:
            noise = releases.noise_of(one)
            if noise is not None:
                for tau in taus or [noise.most + more for more in BEYOND if math.isfinite(noise.most)]:
                    share = functools.partial(_share, table.dataset.prior[1], noise, tau)
                    yield _Number("column_j", share, 1.0, one, {"tau": tau, **one.at()})
    payoff = guessing.payoffs_of(table, settings, 0.5).paid
    for one in asked:
        yield _Number("column_advantage", functools.partial(_gain, one, payoff, labels, settings), 1.0, one, one.at())


def _share(p: float, noise: Noise, tau: float, model: _Model) -> _Value:
    above = loss.feature_loss(model.eta[:, 1], p, noise.tilt) > tau - noise.loss
    return _Value.of_rows(above.astype(np.float64), judged=False)


def _gain(
    mechanism: Mechanism, payoff: Floats, labels: score_windows.Labels, settings: Settings, model: _Model
) -> _Value:
    """Judged by labels, as the model itself is; for bags, what the model says of itself."""
    channel = mechanism.channel(model.eta.shape[1])
    if channel is not None:
        before = guess.right(model.scores, labels, payoff)
        return _Value.of_rows(guess.right_after(model.scores, channel, labels, payoff) - before, judged=True)
    belief = Belief(estimated.observed(model.eta), "", advantage.from_rows(model.eta))
    gain = advantage_gains.gains_of([mechanism], belief, payoff, settings, Silent())[mechanism.spec]
    return _Value(gain.mean)


@dataclass(frozen=True)
class _Fall:
    """What is lost without a column, by each lot of folds and trees."""

    by_lot: tuple[float, ...]
    by_rows: float  # variance of the mean over rows, whose labels are drawn, and were learnt from (LEARNT)
    rows: int
    judged: bool

    @classmethod
    def between(cls, whole: Sequence[_Value], without: Sequence[_Value], sign: float, people: Integers) -> _Fall:
        """people (r,): whose each row is; rows of one person are not independent."""
        pairs = list(zip(whole, without, strict=True))
        differences = (sign * (one.mean - other.mean) for one, other in pairs)
        lots = tuple(one if abs(one) > 1e-12 else 0.0 for one in differences)  # rounding leaves dust of nothing
        apart = [one.rows - other.rows for one, other in pairs if one.rows is not None and other.rows is not None]
        if len(apart) < len(pairs):
            return cls(lots, 0.0, 0, whole[0].judged)
        rows = np.mean(apart, axis=0)
        sums = np.bincount(people, rows - rows.mean())
        return cls(lots, LEARNT * float((sums**2).sum()) / len(rows) ** 2, len(rows), whole[0].judged)

    @property
    def mean(self) -> float:
        return sum(self.by_lot) / len(self.by_lot)

    @property
    def by_lots(self) -> float:
        """Variance of the mean over lots."""
        return float(np.var(self.by_lot, ddof=1)) / len(self.by_lot)


def _usual_chance(falls: Sequence[_Fall]) -> float:
    """Variance of a mean over lots, for a column like most: few lots of one column say little. What its median is
    for normal differences, chi-squared's is too; columns that tell much may stand out."""
    from scipy.special import chdtri

    free, found = len(falls[0].by_lot) - 1, [fall.by_lots for fall in falls]
    return float(np.median(found)) * free / float(chdtri(free, 0.5)) or float(np.mean(found))


def _finding(
    number: _Number, name: str, fall: _Fall, usual: float, free: float, miss: float, settings: Settings
) -> Finding:
    """free: degrees of freedom behind the usual chance, halved as all columns share the fits with all of them."""
    said = (assumptions.ROWS, REFIT)
    if not fall.judged:
        bound = Bound(fall.mean, None, None, fall.rows, METHOD, (*said, NO_LIMITS))
    elif fall.by_rows + fall.by_lots + usual == 0:
        bound = Bound(None, None, None, fall.rows, METHOD, said, ALIKE)
    else:
        reach = _reach(fall.by_rows, usual, free, miss)
        if fall.by_lots > usual:
            reach = max(reach, _reach(fall.by_rows, fall.by_lots, len(fall.by_lot) - 1, miss))
        bound = Bound(fall.mean, fall.mean - reach, fall.mean + reach, fall.rows, METHOD, (*said, NORMAL))
    at: dict[str, float | str] = {"column": name, **number.at}
    spec = None if number.mechanism is None else number.mechanism.spec
    return Finding(number.quantity, bound, settings.confidence, spec, at)


def _reach(by_rows: float, by_lots: float, free: float, miss: float) -> float:
    """Student's quantile with Satterthwaite's degrees of freedom: the variance by lots is known from few of them."""
    from scipy.special import stdtrit

    total = by_rows + by_lots
    freedom = free * (total / by_lots) ** 2 if by_lots > 0 else math.inf
    return float(stdtrit(min(freedom, 1e9), 1 - miss / 2)) * math.sqrt(total)
