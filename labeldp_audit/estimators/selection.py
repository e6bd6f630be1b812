"""eta from models that learn: fitted fold by fold, and chosen by labels that none of them has seen."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import DataError
from ..core.eta import Eta, Tried
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..core.table import Table
from ..engines.machine import available_cores, give_back_memory
from ..engines.threads import in_threads
from . import crossfit, neighbourhoods, sampling, supervised_neighbourhoods
from .comparison import Way, losses, ranked, smoothed
from .contract import About, Estimator, Learner
from .score_windows import Pool, eta_of

MOST_ROWS = 2_000_000  # that are scored, but for those asked
GLIMPSE, BEGINNING = 10_000, 2000  # rows at which neighbourhoods are tried, and of a large table at first
PART, FIRST_GLIMPSE = 20_000, 1000  # rows among which they are tried first, and at how many of them
CLEARLY = 2.0  # standard errors

Told = tuple[Eta, tuple[str, ...]]  # and warnings


def of_table(
    whole: Table, table: Table, estimator: Estimator, settings: Settings, progress: Progress, halves: bool
) -> Told:  # fmt: skip
    """By what guesses labels best that it has not seen. whole: rows to learn from; table: those of them that judge."""
    assert whole.fingerprints is not None
    same, learnt = np.unique(whole.fingerprints, return_inverse=True)[1], pool_of(whole, settings)
    learners = estimator.learners(About(len(learnt.rows), len(table.dataset.classes), _repeating(same)))
    if not learners:
        return neighbourhoods.of_table(table, settings, progress, halves), ()
    judging = _judging(whole, learnt)
    pool = _pool_of_judges(whole, learnt, judging)
    if estimator.columns_weigh:
        supervised_neighbourhoods.check(table, pool, settings)
    scores, said = _scores(whole, learners, learnt, same, settings, progress), _about_rows(whole, learnt)
    del same
    give_back_memory()
    if whole.judges is not None:
        scores = {name: one[judging] for name, one in scores.items()}
    choices = crossfit.choices(learners, len(learnt.rows))
    if estimator.columns_weigh:
        [by] = scores.values()
        eta = supervised_neighbourhoods.eta_of(table, by, pool, estimator, settings, progress)
        return replace(eta, choices=eta.choices * choices), said
    labels = table.labels[pool.rows]
    lost: dict[Way, Floats] = {(name, None): losses(one, labels) for name, one in scores.items()}
    tried = ranked(lost)
    if estimator.looks_around:
        choices += 1
        if _worth_a_look(table, pool, lost[tried[0].name, None], settings, progress):
            beside = _beside(table, pool, tried[0], lost[tried[0].name, None], settings, progress)
            tried = tuple(sorted((*tried, beside), key=lambda one: one.behind))
            if beside.behind < -CLEARLY * beside.behind_error:
                return _nearby(table, tried, choices, settings, progress, halves)
    best = next(one for one in tried if one.k is None)
    of_best = scores[best.name]
    del scores, lost  # of millions of rows they are as large as the table
    eta = eta_of(table, of_best, pool, best, settings, progress)
    return replace(eta, tried=tried, choices=choices) if choices > 1 else eta, said


def pool_of(table: Table, settings: Settings) -> Pool:
    """All rows; where there are millions, a uniform sample and whoever is asked."""
    n = len(table.labels)
    rows = np.arange(n)
    if n > MOST_ROWS:
        some = for_audit(settings.seed, "learning").choice(n, MOST_ROWS, replace=False, shuffle=False)
        rows = np.union1d(some, _asked(table, settings))
    people = np.arange(len(rows)) if table.groups is None else np.unique(table.groups[rows], return_inverse=True)[1]
    return Pool(rows, folds_of(people, settings.seed), people)


def _asked(table: Table, settings: Settings) -> Integers:
    """Among the rows that judge."""
    if table.judges is None:
        return sampling.queries_of(len(table.labels), settings)
    return table.judges[sampling.queries_of(len(table.judges), settings)]


def _judging(whole: Table, pool: Pool) -> Integers:
    """Places in the pool."""
    if whole.judges is None:
        return np.arange(len(pool.rows))
    return np.flatnonzero(np.isin(pool.rows, whole.judges, assume_unique=True))


def _pool_of_judges(whole: Table, pool: Pool, judging: Integers) -> Pool:
    """Their places in the table of those that judge, each of them a person."""
    rows = pool.rows[judging] if whole.judges is None else np.searchsorted(whole.judges, pool.rows[judging])
    return Pool(rows, np.unique(pool.folds[judging], return_inverse=True)[1], np.arange(len(judging)))


def folds_of(people: Integers, seed: int) -> Integers:
    """By lot, never by what a row holds; everybody's rows together, and as many people in each as can be."""
    number = int(people.max()) + 1
    if number < 2:
        raise DataError("all rows are of one person", hint="--group COLUMN names whose row it is")
    folds = min(crossfit.FOLDS, number // 2) or 1
    return for_audit(seed, "folds").permutation(np.arange(number) % folds)[people]


def _repeating(same: Integers) -> float:
    """Share of the rows that are not alone with their features."""
    return float((np.bincount(same)[same] > 1).mean())


def _scores(
    table: Table, learners: tuple[Learner, ...], pool: Pool, same: Integers, settings: Settings,
    progress: Progress,
) -> dict[str, Floats]:  # fmt: skip
    assert table.columns is not None
    leaves = dict.fromkeys(leaf.name for learner in learners for leaf in learner.leaves())
    progress.stage(f"fitting {', '.join(leaves)}", float(len(pool.rows) * len(leaves)), "rows")
    threads = settings.threads or available_cores()
    return crossfit.scores(
        learners, table.columns, table.labels, len(table.dataset.classes), rows=pool.rows, folds=pool.folds,
        people=pool.people, same=same, seed=settings.seed, each=functools.partial(in_threads, threads=threads),
        threads=max(1, threads // (len(leaves) * crossfit.FOLDS)), note=progress.advance,
    )  # fmt: skip


def _worth_a_look(table: Table, pool: Pool, lost: Floats, settings: Settings, progress: Progress) -> bool:
    """Do neighbourhoods in a part of the table tell half as much as the best learner? lost (r,): by that learner."""
    if len(pool.rows) <= PART:
        return True
    place = for_audit(settings.seed, "part").permutation(len(pool.rows))[:PART]
    rows, few = pool.rows[place], place[:FIRST_GLIMPSE]
    part = table.at(rows)
    eta = neighbourhoods.glimpse(part, np.arange(len(few)), settings, progress)
    assert eta.counts is not None
    labels = table.labels[pool.rows]
    share = np.bincount(labels, minlength=len(table.dataset.classes)) / len(labels)
    blind = float(-np.log(share[labels[few]]).mean())
    found = blind - float(losses(smoothed(eta.counts), labels[few]).mean())
    return found > (blind - float(lost[few].mean())) / 2


def _beside(table: Table, pool: Pool, best: Tried, lost: Floats, settings: Settings, progress: Progress) -> Tried:
    """Neighbourhoods beside the best learner, at the same few rows. lost (r,): by that learner. The first rows say
    whether there is hope; labels choose between no more ways than without them."""
    places = for_audit(settings.seed, "glimpse").permutation(len(pool.rows))[:GLIMPSE]
    if len(pool.rows) > PART:
        begun = _beside_at(np.sort(places[:BEGINNING]), table, pool, best, lost, settings, progress)
        if begun.behind > 0:
            return begun
    return _beside_at(np.sort(places), table, pool, best, lost, settings, progress)


def _beside_at(
    place: Integers, table: Table, pool: Pool, best: Tried, lost: Floats, settings: Settings, progress: Progress
) -> Tried:  # fmt: skip
    eta = neighbourhoods.glimpse(table, pool.rows[place], settings, progress)
    assert eta.counts is not None
    behind = losses(smoothed(eta.counts), table.labels[pool.rows[place]]) - lost[place]
    mean, error = float(behind.mean()), float(behind.std() / np.sqrt(len(place)))
    own = float(np.hypot(best.standard_error, error))  # the best's loss at all rows, and what it is more at a few
    return Tried(eta.estimator, best.log_loss + mean, own, eta.k, mean, error)


def _nearby(
    table: Table, tried: tuple[Tried, ...], choices: int, settings: Settings, progress: Progress, halves: bool
) -> Told:  # fmt: skip
    """Whichever learner labels might have chosen has its share of the level; what is left is one for all k together."""
    eta = neighbourhoods.of_table(table, settings, progress, halves)
    return replace(eta, tried=tried, choices=eta.choices * choices), ()


def _about_rows(table: Table, pool: Pool) -> tuple[str, ...]:
    n, used = len(table.labels), len(pool.rows)
    return (f"{used:,} of {n:,} rows, drawn uniformly, were learnt from and scored",) if used < n else ()
