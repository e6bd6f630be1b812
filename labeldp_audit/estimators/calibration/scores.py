"""From scores to probabilities: what share of the rows with a score like this has the label?

The simplest of three answers that labels do not speak against: the score itself; a straight line in its log-odds; and,
where they speak clearly, whatever rises with it (monotone.py). Finer answers fit better where a region stands out, and
elsewhere take chance for knowledge, most of all at the ends, where losses are decided. Each is fitted without the rows
that ask: people are parted by lot, and each part asks the others.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats, Integers
from . import monotone, reliability
from .known_scores import Known
from .log_odds import line, log_odds, logistic

PARTS = 20
CLEARLY = (0.0, 2.0)  # standard errors: a line's two numbers take little chance for knowledge
GROUPS, FEWEST, DOUBT = 20, 50, 0.01  # groups of at least so many rows; that chances are called unfit by chance
_SURE = 1e-6  # for log losses


def calibrated(score: Floats, is_class: npt.NDArray[np.bool_], people: Integers, rng: np.random.Generator) -> Floats:
    """(n,) scores inside (0, 1) and whether each row has the label: P(label | score), its person's labels unseen.

    people (n,): the same number, from 0, for rows of one person.
    """
    number, most = int(people.max()) + 1, int(np.bincount(people).max())
    parts = min(PARTS, number)
    part = rng.permutation(np.arange(number) % parts)[people]
    order = np.argsort(score, kind="stable")
    answers = np.tile(score, (3, 1))
    for each in range(parts):
        others, mine = order[part[order] != each], part == each
        if len(others):
            answers[:, mine] = _answers(score[others], is_class[others], score[mine], most)
    best: Floats = answers[0]
    for finer, errors in zip(answers[1:], CLEARLY, strict=True):
        if _clearly_better(finer, best, is_class, errors) or (not _fits(best, is_class) and _fits(finer, is_class)):
            best = finer
    return best


def _answers(in_order: Floats, is_class: npt.NDArray[np.bool_], asked: Floats, alike: int) -> Floats:
    """(3, asked), the simplest first."""
    known = Known.of(in_order, is_class)
    constant, slope = line(log_odds(known.score), known.rows, known.positives)
    straight = logistic(constant + slope * log_odds(known.score))
    place = known.nearest(asked)
    found = np.stack([
        asked, logistic(constant + slope * log_odds(asked)), monotone.rising(known, straight)[place],
    ])  # fmt: skip
    without, all_of = known.given_away(straight, alike)
    found[:, place < without] = 0.0
    found[:, place >= all_of] = 1.0
    return found


def _clearly_better(finer: Floats, plain: Floats, is_class: npt.NDArray[np.bool_], errors: float) -> bool:
    gain = _losses(plain, is_class) - _losses(finer, is_class)
    return bool(gain.mean() > errors * gain.std() / np.sqrt(len(gain)))


def _fits(chance: Floats, is_class: npt.NDArray[np.bool_]) -> bool:
    """In every group of rows with like chances, and in all groups together."""
    groups = max(1, min(GROUPS, len(chance) // FEWEST))
    both = np.column_stack([1 - chance, chance])
    table = reliability.table(both, is_class.astype(np.int64), ("0", "1"), groups, DOUBT / 2)
    return reliability.wonder(chance, is_class, groups) >= DOUBT / 2 and all(one.fits for one in table)


def _losses(chance: Floats, is_class: npt.NDArray[np.bool_]) -> Floats:
    kept = np.clip(chance, _SURE, 1 - _SURE)
    return np.asarray(-np.log(np.where(is_class, kept, 1 - kept)))
