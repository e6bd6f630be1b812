"""Scores of every row by models that saw no label of the row's fold.

Every learner fits every fold: so many independent jobs, each on its own share of the cores, for models are small and
cores that wait for each other are slow where others work on the same machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.table import Columns
from .comparison import losses
from .contract import Labels, Learner, Lesson
from .linear import some
from .stack import Stack

FOLDS = 5
HALVES = 16  # the lot that parts people in halves; lots of folds come before
MOST_ROWS = 2_000_000  # that a fold learns from
_JUDGE = 0.1  # of what a fold learns from, to stop and to weigh by
_FEW, _MORE = 5000, 0.25  # of fewer rows, more

COLLAPSED = 0.5  # of the rows, where at most so many are different, equal ones become one that counts for many
RACED = 5000  # rows from which on the first fold says who learns on the others
GAIN, CLEARLY = 0.0005, 2.0  # of the log loss, and standard errors: who gains less than either is of no use

Job = tuple[Learner, int]  # and the fold that it scores
Each = Callable[[Callable[[Job], Job], Iterable[Job]], Iterable[Job]]
"""A map, in order; jobs may run side by side."""
Note = Callable[[float], None]  # so many rows were scored by one learner


@dataclass(frozen=True)
class Fold:
    """Who scores which rows: those of the lesson, and rows equal to one of them."""

    lesson: Lesson
    place: Integers | slice  # where the scores of each row of the fold are

    def scores(self, learner: Learner) -> Floats:
        return np.asarray(self.lesson.scores(learner).asked[self.place])


def scores(
    learners: Sequence[Learner], columns: Columns, labels: Labels, classes: int, *, rows: Integers, folds: Integers,
    people: Integers, same: Integers, seed: int, each: Each, threads: int, note: Note,
) -> dict[str, Floats]:  # fmt: skip
    """(r, C) by the name of each learner, for r rows of the table. A learner that is of no use to the labels of the
    first fold scores no other one, and is not among them.

    folds (r,) of these rows; people (r,): whose they are; same (n,): see Lesson; threads: of each job.
    """
    number = int(folds.max()) + 1
    asked = [rows[folds == fold] for fold in range(number)]
    made = [
        _fold(columns, labels, classes, rows, folds != fold, asked[fold], people, same, (seed, fold), number, threads)
        for fold in range(number)
    ]
    first = tuple({leaf.name: leaf for learner in learners for leaf in learner.leaves()}.values())

    def work(job: Job) -> Job:
        learner, fold = job
        made[fold].lesson.scores(learner)
        return job

    def run(leaves: Sequence[Learner], folds: range) -> None:
        for _, fold in each(work, [(leaf, fold) for fold in folds for leaf in leaves]):
            note(len(asked[fold]))

    run(first, range(1))
    idle = useless(first, made[0], labels[asked[0]]) if number > 1 and len(rows) >= RACED else set[str]()
    note(float(len(idle) * (len(rows) - len(asked[0]))))
    run([leaf for leaf in first if leaf.name not in idle], range(1, number))
    kept = [learner for learner in learners if learner.name not in idle]
    found = {learner.name: np.empty((len(folds), classes)) for learner in kept}
    for learner in kept:
        for fold, one in enumerate(made):  # in the first, whose labels said who is idle, from everybody
            found[learner.name][folds == fold] = one.scores(learner.without(idle) if fold else learner)
    return found


def disjoint(
    learner: Learner, columns: Columns, labels: Labels, classes: int, *, rows: Integers, folds: Integers,
    people: Integers, same: Integers, seed: int, each: Callable[..., Iterable[Floats]], threads: int,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return scores of the rows of the first fold, (m, C) each, by two models that share no person they learnt from."""
    half = np.random.default_rng([seed, HALVES]).permutation(int(people.max()) + 1) % 2
    asked = rows[folds == 0]

    def scored(part: int) -> Floats:
        kept, lot = (folds > 0) & (half[people] == part), (seed, HALVES + part)
        made = _fold(columns, labels, classes, rows, kept, asked, people, same, lot, HALVES + 2, threads)
        return made.scores(learner)

    one, other = each(scored, (0, 1))
    return one, other


def _fold(
    columns: Columns, labels: Labels, classes: int, rows: Integers, kept: npt.NDArray[np.bool_], asked: Integers,
    people: Integers, same: Integers, lot: tuple[int, int], lots: int, threads: int,
) -> Fold:  # fmt: skip
    """kept (r,): of these rows, those to learn from."""
    learn, judge = _parted(rows, kept, people, np.random.default_rng(lot))
    whose = np.zeros(len(labels), np.int64)
    whose[rows] = people
    lesson = Lesson(
        columns=columns, labels=_seen(labels, learn, judge), classes=classes, learn=learn, judge=judge,
        seed=lot[0] * lots + lot[1], threads=threads, asked=asked, same=same, people=whose,
    )  # fmt: skip
    repeating = len(np.unique(same[rows])) <= COLLAPSED * len(rows)
    return collapsed(lesson) if repeating else Fold(lesson, slice(None))


def _seen(labels: Labels, *rows: Integers) -> Labels:
    """Those of these rows; a learner is shown no other, so that it cannot peek."""
    found = np.zeros_like(labels)
    for one in rows:
        found[one] = labels[one]
    return found


def useless(leaves: Sequence[Learner], fold: Fold, labels: Labels) -> set[str]:
    """Optional ones without which a mixture guesses the labels of this fold as well, in order; one is left."""
    with_all, kept = losses(fold.scores(Stack(built_on=tuple(leaves))), labels), list(leaves)
    for leaf in (one for one in leaves if one.optional):
        rest = tuple(one for one in kept if one is not leaf)
        if not rest:
            continue
        mixed = Stack(built_on=rest).scores(fold.lesson).asked[fold.place]
        gain = losses(np.asarray(mixed), labels) - with_all
        mean = float(gain.mean())
        if mean <= GAIN * float(with_all.mean()) or mean <= CLEARLY * float(gain.std()) / np.sqrt(len(gain)):
            kept = list(rest)
    return {leaf.name for leaf in leaves if leaf not in kept}


def choices(learners: Sequence[Learner], rows: int) -> int:
    """Between how many ways to score the rows labels choose. The model of the first fold that says who is idle learnt
    from the labels of the others; so each mixture that may be left is an alternative, fixed before labels were seen."""
    return sum(2 ** sum(leaf.optional for leaf in one.leaves()) if one.built_on and rows >= RACED else 1
               for one in learners)  # fmt: skip


def collapsed(lesson: Lesson) -> Fold:
    """The same lesson from different rows alone: each counts as often as it was there with its label."""
    assert lesson.same is not None
    repeats = np.zeros(len(lesson.labels), np.int64)
    key = lesson.same.astype(np.int64) * lesson.classes + lesson.labels

    def different(rows: Integers) -> Integers:
        """The first row of each kind, in order; fills in how many there are."""
        _, at, count = np.unique(key[rows], return_index=True, return_counts=True)
        repeats[rows[at]] = count
        return np.sort(rows[at])

    learn, judge = different(lesson.learn), different(lesson.judge)
    _, at, place = np.unique(lesson.same[lesson.asked], return_index=True, return_inverse=True)
    return Fold(replace(lesson, learn=learn, judge=judge, asked=lesson.asked[at], repeats=repeats), place)


def _parted(
    rows: Integers, kept: npt.NDArray[np.bool_], people: Integers, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Rows to learn from and rows to judge by, parted by lot, never by what they hold; everybody's rows together, and
    somebody's in either where there are two people."""
    share = _JUDGE if kept.sum() > _FEW else _MORE
    judging = rng.random(int(people.max()) + 1) < share
    judges = judging[people]
    if judges[kept].all() or not judges[kept].any():
        there = np.unique(people[kept])
        if len(there) > 1:  # otherwise no row would be left
            judges ^= people == rng.choice(there)
    return some(rows[kept & ~judges], MOST_ROWS, rng), some(rows[kept & judges], MOST_ROWS, rng)
