"""Nobody learns from the rows of a fold that it scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from lessons import both, drawn, lesson

from labeldp_audit.core.table import Columns
from labeldp_audit.estimators import auto, crossfit
from labeldp_audit.estimators.boosted import Boosted
from labeldp_audit.estimators.contract import Fitting, Lesson
from labeldp_audit.estimators.crossed import Crossed
from labeldp_audit.estimators.linear import Linear
from labeldp_audit.estimators.network import Network
from labeldp_audit.estimators.stack import Stack


def scored(learners, columns, labels, same=None, rows=None, folds=None, people=None, note=lambda rows: None):
    rows = np.arange(len(labels)) if rows is None else rows
    each = np.arange(len(rows))
    return crossfit.scores(
        learners, columns, labels, 2, rows=rows, folds=each % 5 if folds is None else folds,
        people=each if people is None else people, same=np.arange(len(labels)) if same is None else same,
        seed=0, each=map, threads=1, note=note,
    )  # fmt: skip


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
    found = scored((learner,), columns, np.zeros(n, np.uint8), rows=rows, folds=folds, people=people)
    assert found["remembers"].shape == (len(folds), 2)
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


def test_only_the_rows_of_the_pool_are_used_and_chance_parts_them():
    lessons = shown(8000, np.arange(4000) % 5, rows=np.arange(0, 8000, 2))
    for one in lessons:
        assert not np.any(np.concatenate([one.learn, one.judge, one.asked]) % 2)
    assert abs(lessons[0].judge.mean() - 4000) < 500


def table(n, seed=0):
    """Few different rows, each with an eta of its own."""
    rng = np.random.default_rng(seed)
    kinds = np.unique(rng.integers(0, 6, (90, 3)), axis=0)
    eta = rng.beta(1, 2, len(kinds))
    same = rng.integers(len(kinds), size=n)
    values = np.asfortranarray(kinds[same], np.float32)
    columns = Columns(values, np.array([True, False, True]), ("a", "b", "c"))
    return columns, (rng.random(n) < eta[same]).astype(np.uint8), same


@pytest.mark.parametrize(
    ("learner", "off"), [(Linear(), 2e-3), (Crossed(), 0.02), (Boosted(), 0.06), (Network(), 0.06)]
)
def test_equal_rows_that_became_one_teach_what_they_taught_one_by_one(learner, off, monkeypatch):
    one = table(6000)
    once = scored((learner,), *one)[learner.name]
    monkeypatch.setattr(crossfit, "COLLAPSED", 0.0)
    assert np.abs(once - scored((learner,), *one)[learner.name]).mean() < off


def test_a_row_counts_as_often_as_it_was_there_with_its_label():
    columns, labels, same = table(2000)
    rows = np.arange(2000)
    one = Lesson(columns, labels, 2, rows[:1200], rows[1200:1500], 0, 1, rows[1500:], same)
    fold = crossfit.collapsed(one)
    for mine, whole in ((fold.lesson.learn, one.learn), (fold.lesson.judge, one.judge)):
        assert np.isin(mine, whole).all()
        assert fold.lesson.counts(mine).sum() == len(whole)
        assert len(np.unique(2 * same[mine] + labels[mine])) == len(mine)
    assert np.array_equal(same[fold.lesson.asked][fold.place], same[one.asked])


class Knows(Fitting):
    """So much of what the first column tells."""

    optional = True

    def __init__(self, name, how_much):
        self.name, self.how_much = name, how_much

    def fit(self, lesson):
        return lambda rows: both(self.how_much * lesson.columns.values[rows, 0].astype(np.float64))


@pytest.mark.parametrize(("raced", "left"), [(5000, ["all", "stack"]), (20_000, ["nothing", "all", "stack"])])
def test_who_is_of_no_use_to_the_first_fold_scores_no_other_but_few_rows_decide_nothing(monkeypatch, raced, left):
    monkeypatch.setattr(crossfit, "RACED", raced)
    rng, noted = np.random.default_rng(0), []
    x = rng.normal(size=(10_000, 1))
    one = lesson(x, drawn(both(2 * x[:, 0]), rng))
    learners = Knows("nothing", 0.0), Knows("all", 2.0)
    found = scored((*learners, Stack(built_on=learners)), one.columns, one.labels, note=noted.append)
    assert sum(noted) == 20_000
    assert list(found) == left


def test_labels_of_a_fold_change_nothing_of_its_scores_but_who_drops_out(monkeypatch):
    columns, labels, same = table(6000, 1)
    learners = (Linear(), Boosted(), Stack(built_on=(Linear(), Boosted())))
    monkeypatch.setattr(crossfit, "useless", lambda *_: {"boosted"})
    first = scored(learners, columns, labels, same)
    assert list(first) == ["linear", "stack"]
    for fold in range(5):
        other, mine = labels.copy(), np.arange(6000) % 5 == fold
        other[mine] = 1 - labels[mine]
        second = scored(learners, columns, other, same)
        assert all(np.array_equal(first[name][mine], second[name][mine]) for name in first)


@pytest.mark.parametrize(("rows", "number"), [(crossfit.RACED, 4 + 4 + 4), (crossfit.RACED - 1, 4 + 1 + 1)])
def test_every_mixture_that_may_be_left_is_a_choice(rows, number):
    """With and without trees, with and without networks."""
    assert crossfit.choices(auto.among(rows, 2, 0.5), rows) == number
