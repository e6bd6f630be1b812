"""Who is at risk: groups of people whose features give their labels away, and columns that do so alone.

People are parted by lot. From the first part a model learns what features tell, on the second a shallow tree of plain
rules is grown on what it says of them, and the third judges: neither model nor rules saw a label of it. So numbers of
the groups hold for people at large, whatever the model is worth. No group is smaller than a hundred people who judge,
no level of a category is named that fewer than a hundred people have, and borders of numbers are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..bounds.certificates import nubar_cells
from ..bounds.intervals import clopper_pearson
from ..core.arrays import Floats, Integers
from ..core.budget import Budget
from ..core.finding import Bound, Finding
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Columns, Reading, Table
from ..engines.machine import available_cores
from ..estimators import boosted
from ..estimators.contract import Lesson
from ..measures import loss
from ..questions import assumptions, intervals, telling_columns
from ..questions.contract import Evidence

FEWEST = 100  # people of a group who judge, and who have a level that is named
DEPTH = 3
LEARN, RULES = 0.35, 0.25  # of the people; the others judge
MOST_PEOPLE, MOST_CELLS = 200_000, 40_000_000
BORDERS = 32  # of a number between which the tree chooses
NAMED = 3  # levels in one rule
GAIN = 0.01  # of the variance of the loss: a split that explains less is none
LONGEST = 40  # characters of a level
DIGITS = 2  # of the range of a number, to which its borders are rounded
CELLS = 4  # of a group, by what the model says
FEWEST_WRONG = 10  # guesses of that, or nothing is said of columns
FEW = f"fewer than {FEWEST / (1 - LEARN - RULES):.0f} people"
NO_COLUMNS = "the table has no features"
SAID = "the estimate is what a model says of its own scores; low does not take it to be right"
METHOD = "people who were not seen when the group was chosen"

Mask = npt.NDArray[np.bool_]


def findings(evidence: Evidence, settings: Settings, budget: Budget) -> list[Finding]:
    table = evidence.table
    if table.columns is None or not table.columns.readings:
        return [_none("group_share", NO_COLUMNS, table, settings)]
    parts = _Parts.drawn(table, settings)
    if len(parts.judge) < FEWEST:
        return [_none("group_share", FEW, table, settings)]
    lesson = _lesson(parts, settings, evidence.classes)
    evidence.progress.stage("looking for groups", None, "rows")
    alone = list(_columns_alone(parts, lesson.readable().columns, settings, budget.spend("columns alone", 0.2)))
    prior = intervals.of_prior(table, budget.spend("p", 0.05)) if evidence.classes == 2 else None
    scores = _scores(parts, lesson)
    known = np.bincount(table.labels[np.concatenate([parts.learn, parts.rules])], minlength=evidence.classes) + 0.5
    rules = grown(parts.columns, parts.rules, _told(scores[parts.rules], (known / known.sum()).tolist()))
    miss = budget.spend("groups", 0.75, len(rules))
    found = [one for rule in rules for one in _of_group(rule, parts, scores, prior, settings, miss)]
    return [*alone, *found]


def _none(quantity: str, why: str, table: Table, settings: Settings) -> Finding:
    return Finding(quantity, Bound(None, None, None, len(table.labels), METHOD, (), why), settings.confidence)


@dataclass(frozen=True)
class _Parts:
    """Rows of three parts of people."""

    table: Table
    columns: Columns
    learn: Integers
    rules: Integers
    judge: Integers

    @classmethod
    def drawn(cls, table: Table, settings: Settings) -> _Parts:
        assert table.columns is not None
        people = len(table.labels)
        most = min(people, MOST_PEOPLE, max(1000, MOST_CELLS // max(1, len(table.columns.names))))
        some = for_audit(settings.seed, "groups").permutation(people)[:most]
        ends = round(LEARN * most), round((LEARN + RULES) * most)
        return cls(table, table.columns, *(np.sort(one) for one in np.split(some, ends)))


def _lesson(parts: _Parts, settings: Settings, classes: int) -> Lesson:
    """Return the lesson of a model that learns from the first part, stops by the second and scores the third."""
    threads = settings.threads or available_cores()
    return Lesson(
        parts.columns, parts.table.labels, classes, learn=parts.learn, judge=parts.rules, seed=settings.seed,
        threads=threads, asked=parts.judge,
    )  # fmt: skip


def _scores(parts: _Parts, lesson: Lesson) -> Floats:
    """Return the scores (n, C) of the second and the third part."""
    found = lesson.scores(boosted.Brisk())
    said = np.full((len(parts.table.labels), lesson.classes), np.nan)
    said[parts.rules], said[parts.judge] = found.judge, found.asked
    return said


def _told(eta: Floats, prior: Sequence[float]) -> Floats:
    """What features tell of a label, in nats: the loss for two classes, a divergence for more."""
    if len(prior) == 2:
        return loss.feature_loss(eta[:, 1], prior[1])
    return np.asarray((eta * np.log(eta / np.array(prior))).sum(axis=1))


# ---- rules


@dataclass(frozen=True)
class Rule:
    """A condition on one column, or its opposite."""

    place: int  # of the column
    most: float = math.nan  # of a number, in the file's own units
    levels: tuple[int, ...] = ()  # codes of a category
    holds: bool = True

    def people(self, columns: Columns, rows: Integers) -> Mask:
        values, reading = columns.values[rows, self.place], columns.readings[self.place]
        inside = (
            np.isin(values, self.levels) if self.levels else in_units(values, reading) <= _beyond(self.most, reading)
        )
        return inside if self.holds else ~inside


Group = tuple[Rule, ...]


def in_units(values: npt.NDArray[np.float32], reading: Reading) -> Floats:
    return reading.centre + reading.size * values.astype(np.float64)


def _beyond(border: float, reading: Reading) -> float:
    """Values are rounded to 24 bits of a number of about size 1."""
    return border + (0.5 if reading.whole else 1e-6 * reading.size)


def _level(code: int, reading: Reading) -> str:
    """In quotes where it could be taken for something else; with its place by frequency where it is cut."""
    name = reading.levels[code]
    if name is None:
        return "missing"
    if len(name) > LONGEST:
        return f"'{name[: LONGEST - 1]}…' (value {code + 1} by frequency)"
    return repr(name) if name == "missing" or set("',") & set(name) or " or " in name else name


def _border(value: float, reading: Reading) -> str:
    if reading.instant:
        instant = np.datetime64(round(value), "s")
        day = instant.astype("datetime64[D]")
        return str(day) if day == instant else str(instant).replace("T", " ")
    return f"{value:,.0f}" if reading.whole and abs(value) >= 1e4 else f"{value:.12g}"


def told(group: Group, columns: Columns) -> str:
    """In the order of the columns; of several borders of one the nearest."""
    places = sorted({rule.place for rule in group})
    return ", ".join(_condition(place, [rule for rule in group if rule.place == place], columns) for place in places)


def _condition(place: int, rules: Sequence[Rule], columns: Columns) -> str:
    name, reading = columns.names[place], columns.readings[place]
    if columns.categorical[place]:
        said = [(rule.holds, " or ".join(_level(one, reading) for one in rule.levels)) for rule in rules]
        return f"{name} " + " and ".join(f"is {levels}" if holds else f"is not {levels}" for holds, levels in said)
    above, most = [one.most for one in rules if not one.holds], [one.most for one in rules if one.holds]
    ends = [f"above {_border(max(above), reading)}"] if above else []
    ends += [f"up to {_border(min(most), reading)}"] if most else []
    missing = not most and bool(np.isnan(columns.values[:, place]).any())
    return " ".join([name, *ends, *(["or missing"] if missing else [])])


def grown(columns: Columns, rows: Integers, told: Floats) -> list[Group]:
    """Groups that part these rows; none where nothing is gained by it."""
    enough = math.ceil(FEWEST * RULES / (1 - LEARN - RULES) * 1.25)  # so that a hundred judge, with luck to spare
    least = GAIN * float(((told - told.mean()) ** 2).sum())
    found: list[Group] = []

    def part(group: Group, inside: Integers) -> None:
        best = _best(columns, rows[inside], told[inside], enough) if len(group) < DEPTH else None
        if best is None or best[0] <= least:
            found.append(group)
            return
        for holds in (True, False):
            rule = Rule(best[1].place, best[1].most, best[1].levels, holds)
            part((*group, rule), inside[rule.people(columns, rows[inside])])

    part((), np.arange(len(rows)))
    return found


def _best(columns: Columns, rows: Integers, told: Floats, enough: int) -> tuple[float, Rule] | None:
    """The rule that explains most of the squared deviations, if it leaves enough people on both sides."""
    best: tuple[float, Rule] | None = None
    total, n = float(told.sum()), len(rows)
    for place in range(len(columns.names)):
        for rule, count, sums in _candidates(columns, place, rows, told):
            if enough <= count <= n - enough:
                gain = sums**2 / count + (total - sums) ** 2 / (n - count) - total**2 / n
                if best is None or gain > best[0] * (1 + 1e-9):
                    best = gain, rule
    return best


def _candidates(columns: Columns, place: int, rows: Integers, told: Floats) -> Iterator[tuple[Rule, int, float]]:
    """Rules on one column, how many people they hold for, and the sum of what is told of these."""
    values, reading = columns.values[rows, place], columns.readings[place]
    if columns.categorical[place]:
        yield from _of_levels(place, values.astype(np.int64), reading, told)
        return
    inside = ~np.isnan(values)
    if not inside.any() or np.spacing(abs(reading.centre)) > 1e-3 * reading.size:  # float64 holds no such borders
        return
    real, weight = in_units(values[inside], reading), told[inside]
    borders = rounded(np.quantile(real, np.linspace(0, 1, BORDERS + 1)[1:-1]), reading)
    ends = [_beyond(one, reading) for one in borders]
    step = np.searchsorted(ends, real)  # the first border that is not below
    counts = np.cumsum(np.bincount(step, minlength=len(ends) + 1))
    sums = np.cumsum(np.bincount(step, weight, minlength=len(ends) + 1))
    yield from ((Rule(place, border), int(counts[i]), float(sums[i])) for i, border in enumerate(borders))


def _of_levels(place: int, codes: Integers, reading: Reading, told: Floats) -> Iterator[tuple[Rule, int, float]]:
    """One to three levels together, those of which most is told, or least; rare ones are never named."""
    known = len(reading.levels)
    kept = codes < known
    counts = np.bincount(codes[kept], minlength=known)
    sums = np.bincount(codes[kept], told[kept], minlength=known)
    often = np.flatnonzero(counts >= FEWEST)
    order = often[np.argsort(-sums[often] / counts[often], kind="stable")]
    for chosen in (order, order[::-1]):
        for many in range(1, min(NAMED, len(order)) + 1):
            some = np.sort(chosen[:many])
            yield Rule(place, levels=tuple(some.tolist())), int(counts[some].sum()), float(sums[some].sum())


def rounded(borders: Floats, reading: Reading) -> list[float]:
    """To few digits, rising: nobody's own value is told."""
    span = float(borders[-1] - borders[0])
    if reading.whole:
        step = max(1.0, _power(span, DIGITS))
    else:
        step = 86_400.0 if reading.instant and span > 10 * 86_400 else _power(span, DIGITS)
    found: list[float] = np.unique(np.round(borders / step) * step + 0.0 if step > 0 else borders).tolist()
    return found


def _power(span: float, digits: int) -> float:
    return 10.0 ** (math.floor(math.log10(span)) + 1 - digits) if span > 0 else 0.0


# ---- what is said of a group


def _of_group(
    group: Group, parts: _Parts, scores: Floats, prior: intervals.Prior | None, settings: Settings, miss: float
) -> Iterator[Finding]:
    if not group:
        return
    inside = np.all([rule.people(parts.columns, parts.judge) for rule in group], axis=0)
    mine, n = parts.judge[inside], len(parts.judge)
    if len(mine) < FEWEST:
        return
    at = {"group": told(group, parts.columns)}
    low, high = _limits(len(mine), n, miss / 4)
    yield _finding("group_share", len(mine) / n, low, high, at, len(mine), settings)
    labels = parts.table.labels[mine]
    right = int((scores[mine].argmax(axis=1) == labels).sum())
    least = float(clopper_pearson.lower(right, len(mine), miss / 8))
    if prior is not None:
        marked = int((labels == 1).sum())
        low, high = _limits(marked, len(mine), miss / 8)
        yield _finding("group_positive", marked / len(mine), low, high, at, len(mine), settings)
    yield _finding("group_guessed", right / len(mine), least, 1.0, at, len(mine), settings)
    if prior is not None:
        before = np.all([rule.people(parts.columns, parts.rules) for rule in group], axis=0)
        sure = _least_loss(scores[parts.rules[before], 1], scores[mine, 1], labels == 1, prior, miss / 2)
        mean = float(loss.feature_loss(scores[mine, 1], prior.p).mean())
        yield _finding("group_loss", max(mean, sure), sure, math.inf, at, len(mine), settings, SAID)


def _limits(count: int, n: int, miss: float) -> tuple[float, float]:
    return float(clopper_pearson.lower(count, n, miss / 2)), float(clopper_pearson.upper(count, n, miss / 2))


def _least_loss(before: Floats, scores: Floats, positive: Mask, prior: intervals.Prior, miss: float) -> float:
    """The better of two: all as one cell, or cells between quantiles of scores of people who do not judge."""
    ends = np.unique(np.quantile(before, np.linspace(0, 1, CELLS + 1)[1:-1]))
    found = []
    for inner in (ends[:0], ends):
        cell = np.searchsorted(inner, scores)
        rows, marked = (np.bincount(one, minlength=len(inner) + 1) for one in (cell, cell[positive]))
        found.append(nubar_cells.mean_loss_in_cells(rows, marked, prior.low, prior.high, miss / 2))
    return max(found)


def _finding(
    quantity: str, estimate: float, low: float, high: float, at: dict[str, str], n: int, settings: Settings, *more: str
) -> Finding:
    bound = Bound(estimate, float(low), float(high), n, METHOD, (assumptions.ROWS, *more))
    return Finding(quantity, bound, settings.confidence, at=at)


# ---- columns that give labels away alone


def _columns_alone(parts: _Parts, columns: Columns, settings: Settings, miss: float) -> Iterator[Finding]:
    """Those that leave hardly any wrong guess, as an outcome under another name does."""
    learn, n, classes = np.concatenate([parts.learn, parts.rules]), len(parts.judge), len(parts.table.dataset.classes)
    every, blind = telling_columns.wrong_guesses(columns, parts.table.labels, classes, learn, parts.judge)
    for name, wrong in zip(columns.names, every, strict=True):
        if blind >= FEWEST_WRONG and wrong <= telling_columns.NEARLY * blind:
            low = float(clopper_pearson.lower(n - wrong, n, miss / len(columns.names)))
            yield _finding("column_guessed", (n - wrong) / n, low, 1.0, {"column": name}, n, settings)
