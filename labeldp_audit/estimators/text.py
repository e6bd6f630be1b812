"""Free text for learners: a score by all words of a column, and the words that say most about the labels.

The score is that of a logistic regression. Rows to learn from get it by fits without them, or it would look better to
the learners than it is on other rows. The words that say most are chosen among rows to learn from alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.table import Columns
from .contract import Lesson
from .linear import loss, some

FOLDS = 3
STRENGTHS = (1.0, 10.0)  # C of scikit-learn's LogisticRegression, between which the rows that judge choose
MOST_ROWS = 200_000  # that a regression is fitted to
MOST_WEIGHTS = 1 << 20  # words times classes
TELLING = 500  # words that trees split on
UNSEEN = -10.0  # the logit of a class that no row to learn from has


def with_words(lesson: Lesson) -> Lesson:
    """Return the lesson with numbers for free text: scores of each column, and the words that say most."""
    columns = lesson.columns
    most = MOST_WEIGHTS // (lesson.classes * len(columns.words))
    words = {name: weights[:, :most] for name, weights in columns.words.items()}
    scores = {f"{name} (words)": _scores(weights, lesson) for name, weights in words.items()}
    values = np.concatenate([columns.values, *scores.values()], axis=1, dtype=np.float32)
    names = tuple(name for name, each in scores.items() for _ in each.T)
    categorical = np.append(columns.categorical, np.zeros(len(names), bool))
    telling = _telling(list(words.values()), lesson)
    wider = Columns(np.asfortranarray(values), categorical, (*columns.names, *names), telling=telling)
    return replace(lesson, columns=wider)


def _scores(words: Any, lesson: Lesson) -> Floats:
    """Return the logits (n, C) of the classes, of two classes (n, 1) that of the second."""
    rng, learn = np.random.default_rng([lesson.seed, 7]), lesson.learn
    people = np.arange(len(learn)) if lesson.people is None else lesson.people[learn]
    part = (rng.permutation(int(people.max(initial=0)) + 1) % FOLDS)[people]
    fits = [_fitted(words, lesson, some(learn, MOST_ROWS, rng), strength) for strength in STRENGTHS]
    best = int(np.argmin([_loss(predict(lesson.judge), lesson) for predict in fits]))
    scores = fits[best](np.arange(words.shape[0]))
    for fold in range(FOLDS):
        rows, others = learn[part == fold], some(learn[part != fold], MOST_ROWS, rng)
        scores[rows] = _fitted(words, lesson, others, STRENGTHS[best])(rows)
    return scores[:, 1:] - scores[:, :1] if lesson.classes == 2 else scores


def _fitted(words: Any, lesson: Lesson, rows: Integers, strength: float) -> Callable[[Integers], Floats]:
    """Return what predicts logits (rows, C)."""
    from sklearn.linear_model import LogisticRegression

    labels = lesson.labels[rows]
    known = np.unique(labels)
    weights, constant = np.zeros((words.shape[1], lesson.classes), np.float32), np.full(lesson.classes, UNSEEN)
    constant[known] = 0
    if len(known) > 1:
        model = LogisticRegression(C=strength, tol=1e-3, max_iter=1000)
        model.fit(words[rows], labels, lesson.counts(rows))
        of = known[1:] if len(known) == 2 else known  # of two classes the second has a logit
        weights[:, of], constant[of] = model.coef_.T, model.intercept_
    return lambda asked: np.asarray(words[asked] @ weights + constant)


def _loss(logits: Floats, lesson: Lesson) -> float:
    return loss(logits, lesson.labels[lesson.judge].astype(np.int64), lesson.counts(lesson.judge))[0]


def _telling(words: list[Any], lesson: Lesson) -> Any:
    """Return the sparse weights (n, at most TELLING) of the words that go along with a class most clearly."""
    from scipy import sparse

    every, rows = sparse.hstack(words, "csr"), lesson.learn
    count, mine = lesson.counts(rows), every[rows]
    is_class = np.eye(lesson.classes, dtype=np.float32)[lesson.labels[rows]]
    share = np.average(is_class, axis=0, weights=count)
    # Under chance, the sum of x (y - p) is about N(0, p (1 - p) sum x^2).
    sums = mine.T @ ((is_class - share) * count[:, None])
    spread = (mine.multiply(mine).T @ count)[:, None] * share * (1 - share)
    clear = (sums**2 / np.maximum(spread, 1e-12)).max(axis=1)
    return every[:, np.sort(np.argsort(-clear, kind="stable")[:TELLING])]
