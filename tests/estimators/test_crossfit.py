"""Nobody learns from the rows of a fold that it scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from labeldp_audit.estimators import crossfit
from labeldp_audit.estimators.contract import Fitting
from labeldp_audit.model import Columns


class Remembers(Fitting):
    """Notes what it was shown."""

    name = "remembers"

    def __init__(self):
        self.lessons = []

    def fit(self, lesson):
        self.lessons.append(lesson)
        return lambda rows: np.full((len(rows), lesson.classes), 1 / lesson.classes)


def shown(n, folds, people=None, rows=None):
    learner = Remembers()
    columns = Columns(np.zeros((n, 1), np.float32, order="F"), np.zeros(1, bool), ("x",))
    rows = np.arange(n) if rows is None else rows
    found = crossfit.scores(
        (learner,), columns, np.zeros(n, np.uint8), 2, rows=rows, folds=folds,
        people=np.arange(len(rows)) if people is None else people, same=np.arange(n), seed=0, each=map, threads=1,
        note=lambda rows: None,
    )  # fmt: skip
    assert found["remembers"].shape == (len(rows), 2)
    return learner.lessons


@pytest.mark.parametrize("n", [2, 3, 11, 5000, 20_000])
def test_each_row_is_scored_once_and_never_by_whoever_learnt_from_it(n):
    lessons = shown(n, np.arange(n) % min(5, n))
    assert np.array_equal(np.sort(np.concatenate([one.asked for one in lessons])), np.arange(n))
    for one in lessons:
        parts = one.learn, one.judge, one.asked
        assert all(not np.intersect1d(a, b).size for a, b in itertools.combinations(parts, 2))
        assert sum(map(len, parts)) == n


def test_judges_are_a_tenth_or_a_quarter_of_few():
    assert len(shown(20_000, np.arange(20_000) % 5)[0].judge) == pytest.approx(1600, rel=0.1)
    assert len(shown(2000, np.arange(2000) % 5)[0].judge) == pytest.approx(400, rel=0.2)


@pytest.mark.parametrize("number", range(3, 20))
def test_of_few_people_with_many_rows_somebody_learns_and_somebody_judges(number):
    people = np.arange(6000) % number
    _, one = shown(6000, (people == 0).astype(np.int64), people)
    assert len(one.asked) == (people == 0).sum()
    assert len(one.learn)
    assert len(one.judge)


def test_who_is_alone_learns_or_judges():
    people = np.arange(600) % 2
    for one in shown(600, people, people):
        assert len(one.learn) + len(one.judge) == len(one.asked) == 300


def test_a_person_is_on_one_side_only():
    people = np.arange(6000) // 3
    for one in shown(6000, people % 5, people):
        learn, judge, asked = (set(people[rows]) for rows in (one.learn, one.judge, one.asked))
        assert not (learn & judge or learn & asked or judge & asked)


def test_only_the_rows_of_the_pool_are_used():
    rows = np.arange(0, 4000, 2)
    for one in shown(4000, np.arange(2000) % 5, rows=rows):
        assert not np.any(np.concatenate([one.learn, one.judge, one.asked]) % 2)


def test_chance_parts_rows_not_their_order():
    [first, *_] = shown(10_000, np.arange(10_000) % 5)
    assert abs(first.judge.mean() - 5000) < 400
