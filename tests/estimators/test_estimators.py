"""What every estimator of the list and every learner keeps to, and that whoever does not is caught."""

from __future__ import annotations

import functools
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lessons import lesson, others
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import labeldp_audit as lda
from labeldp_audit.core import registry
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.eta import Eta
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.core.table import Columns, Dataset, Table
from labeldp_audit.data.encode import NumberAxis
from labeldp_audit.estimators import ESTIMATORS, named
from labeldp_audit.estimators.auto import Auto
from labeldp_audit.estimators.boosted import Brisk
from labeldp_audit.estimators.contract import Estimator, Fitting, Learner, Scores, Task, answer
from labeldp_audit.estimators.scikit import Sklearn

KINDS = tuple(ESTIMATORS)
LEARNERS = (
    *(named(kind.example) for kind in KINDS if issubclass(kind, Learner)), Brisk(),
    *map(Sklearn, (DecisionTreeClassifier(), KNeighborsClassifier(3), HistGradientBoostingClassifier(max_iter=5))),
)  # fmt: skip


def number_of(rows, width, classes, seed=0):
    """Numbers, of which the first tells something, and a label."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, width))
    place = values[:, 0] + rng.logistic(size=rows)
    return values, np.digitize(place, np.quantile(place, np.arange(1, classes) / classes))


def missing():
    """A fifth of the cells, and a column of one value and one of levels."""
    values, labels = number_of(200, 4, 2)
    values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    values[:, 2], values[:, 3] = 7, np.arange(200) % 7
    return values, labels, (3,), 2


TOYS = {
    "missing values": missing,
    "one column": lambda: (*number_of(200, 1, 2), (), 2),
    "three classes": lambda: (*number_of(200, 2, 3), (), 3),
    "sixty rows": lambda: (*number_of(60, 2, 2), (), 2),
}
by_name = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
on_toys = pytest.mark.parametrize("toy", TOYS)


# ---- estimators


def table_of(toy, flipped=()):
    values, labels, categorical, classes = TOYS[toy]()
    labels = np.where(np.isin(np.arange(len(labels)), flipped), (labels + 1) % classes, labels).astype(np.uint8)
    columns = Columns(np.asfortranarray(values, np.float32), np.isin(np.arange(values.shape[1]), categorical),
                      tuple(f"c{j}" for j in range(values.shape[1])))  # fmt: skip
    counts = tuple(np.bincount(labels, minlength=classes).tolist())
    names = tuple("abc"[:classes])
    dataset = Dataset("toy", "", len(labels), len(labels), "y", "b" if classes == 2 else None, names, counts, ())
    axes = tuple(NumberAxis(j, 0.0, 1.0, gaps=False) for j in range(values.shape[1]))
    same = np.arange(len(labels), dtype=np.uint64)
    return Table(labels, dataset, columns=columns, fingerprints=same, axes=axes)


def task_of(toy, flipped=(), **settings):
    table = table_of(toy, flipped)
    return Task(table, table, Settings(k=10, **{"threads": 1, **settings}), Silent(), halves=True)


@functools.cache
def estimated(kind, toy, flipped=(), **settings):
    return answer(named(kind.example), task_of(toy, flipped, **settings))[0]


@by_name
@on_toys
def test_rows_are_laws(kind, toy):
    eta, table = estimated(kind, toy), table_of(toy)
    for said in (eta.probability, eta.unseen):
        assert said.shape == (len(table.labels), len(table.dataset.classes))
        assert np.all((said >= 0) & (said <= 1))
        assert said.sum(axis=1) == pytest.approx(np.ones(len(said)))
    assert np.all(eta.counts.sum(axis=1) >= eta.k)
    assert np.isfinite(eta.log_loss)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not Auto], ids=lambda kind: kind.name)
@on_toys
def test_labels_of_its_own_part_move_no_score(kind, toy):
    """auto lets all labels choose whose scores it takes, which limits pay for: its learners are held to this."""
    eta = estimated(kind, toy)
    mine = eta.part == 1
    after = estimated(kind, toy, tuple(np.flatnonzero(mine)[:3].tolist()))
    assert np.array_equal(eta.part, after.part)
    assert np.array_equal(eta.unseen[mine], after.unseen[mine])
    assert not np.array_equal(eta.unseen[~mine], after.unseen[~mine])


@by_name
def test_the_same_seed_gives_the_same_numbers_whatever_the_threads(kind):
    toy = "missing values"
    for threads in (2, None):
        said = answer(named(kind.example), task_of(toy, threads=threads))[0]
        assert np.array_equal(said.probability, estimated(kind, toy).probability)
        assert np.array_equal(said.counts, estimated(kind, toy).counts)


def test_parameters_of_none_are_refused():
    with pytest.raises(SpecError, match="no parameters"):
        ESTIMATORS.parse("linear:k=3")
    with pytest.raises(SpecError, match="one parameter: index"):
        ESTIMATORS.parse("knn:k=3")
    with pytest.raises(SpecError, match="unknown estimator"):
        ESTIMATORS.parse("forest")
    with pytest.raises(SpecError, match="one is asked for, and this names 2"):
        named("sklearn:sklearn.tree.DecisionTreeClassifier,max_depth=2|3")


# ---- learners


def faults(learner, toy, threads) -> set[str]:
    """What it does that no learner may; threads: of the second time."""
    values, labels, categorical, classes = TOYS[toy]()
    one = lesson(values, labels, categorical, classes, cut=0.75)
    one = replace(one, asked=others(one), same=np.arange(len(labels)))
    unseen = np.where(np.isin(np.arange(len(labels)), one.asked), (labels + 1) % classes, labels).astype(np.uint8)
    said, again, without = (
        learner.scores(replace(one, _known={}, **other)) for other in ({}, {"threads": threads}, {"labels": unseen})
    )
    found = {
        "shape": any(a.shape != (len(b), classes) for a, b in ((said.judge, one.judge), (said.asked, one.asked))),
        "labels": not same(said, without),
        "again": not same(said, again),
    }
    found["law"] = not found["shape"] and not all(map(lawful, (said.judge, said.asked)))
    return {name for name, there in found.items() if there}


def same(one, other):
    pairs = ((one.judge, other.judge), (one.asked, other.asked))
    return all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


def lawful(said):
    return bool(np.all((said > 0) & (said < 1)) and np.allclose(said.sum(axis=1), 1, atol=1e-9))


@on_toys
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.name)
def test_learners_keep_to_the_contract(learner, toy):
    assert faults(learner, toy, threads=2) == set()


@pytest.mark.parametrize("name", ["linear", "crossed", "network", "boosted"])
@pytest.mark.parametrize("rows", [1, 3, 30, 64, 130])
@pytest.mark.parametrize("label", [0, None])
def test_hardly_any_rows_and_nobody_judges(name, rows, label):
    labels = np.arange(rows) % 3 if label is None else np.full(rows, label)
    values = np.stack([np.full(rows, np.nan), np.arange(rows) % 3, np.ones(rows)], axis=1)
    for cut in (0.9, 1.0):
        one = lesson(values, labels, (1,), 3, cut=cut)
        said = named(name).scores(replace(one, asked=np.arange(rows)))
        assert lawful(said.asked) and said.asked.shape == (rows, 3)
        assert named(name).scores(replace(one, _known={})).asked.shape == (0, 3)


class Rubbish(Fitting):
    """Says what it is told to."""

    example = "rubbish"

    def __init__(self, say, name="rubbish"):
        self.say, self.name = say, name

    def fit(self, lesson):
        return lambda rows: self.say(lesson, rows)


def half(lesson, rows):
    return np.full((len(rows), lesson.classes), 1 / lesson.classes)


def peeked(lesson, rows):
    return np.where(lesson.labels[rows][:, None] == np.arange(lesson.classes), 0.9, 0.1 / (lesson.classes - 1))


def by_chance(lesson, rows):
    return np.random.default_rng().dirichlet(np.ones(lesson.classes), len(rows))


LIARS = {
    "not a number": (lambda lesson, rows: np.where(rows[:, None] % 3, half(lesson, rows), np.nan), {"law"}),
    "rows that do not add up": (lambda lesson, rows: 1.01 * half(lesson, rows), {"law"}),
    "certain": (lambda lesson, rows: half(lesson, rows).round() * [1, *[0] * (lesson.classes - 1)], {"law"}),
    "a column of two classes": (lambda lesson, rows: half(lesson, rows)[:, 1], {"shape"}),
    "a row too few": (lambda lesson, rows: half(lesson, rows[1:]), {"shape"}),
    "a peeker": (peeked, {"labels"}),
    "by chance": (by_chance, {"again", "labels"}),
    "by threads": (lambda lesson, rows: half(lesson, rows) if lesson.threads == 1 else peeked(lesson, rows),
                   {"again"}),
}  # fmt: skip


@pytest.mark.parametrize("liar", LIARS)
@pytest.mark.parametrize("toy", ["one column", "three classes"])
def test_and_that_test_has_teeth(liar, toy):
    say, expected = LIARS[liar]
    assert faults(Rubbish(say), toy, threads=2) == expected
    assert faults(Rubbish(half), toy, threads=2) == set()


# ---- of other packages, when an audit runs


@pytest.mark.parametrize(
    ("say", "what"),
    [
        (LIARS["not a number"][0], "a probability is not a number"),
        (LIARS["rows that do not add up"][0], "do not add up to 1"),
        (lambda lesson, rows: half(lesson, rows) * [3, -1], "are negative"),
        (LIARS["a column of two classes"][0], r"have the shape \(\d+,\)"),
        (LIARS["a row too few"][0], "have the shape"),
        (lambda lesson, rows: None, "have the shape"),
        (lambda lesson, rows: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_a_stranger_gets_wrong_is_one_line_that_names_it(say, what):
    with pytest.raises(SpecError, match=what) as refused:
        answer(Rubbish(say, "stranger"), task_of("one column"))
    assert "the estimator 'stranger' fails" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_stranger_that_answers_is_believed():
    eta, _ = answer(Rubbish(half, "stranger"), task_of("one column"))
    assert (eta.estimator, eta.log_loss) == ("stranger", pytest.approx(np.log(2)))
    eta, _ = answer(Rubbish(peeked, "stranger"), task_of("one column"))
    assert eta.log_loss > np.log(2), "nobody is shown a label that it must not see: by guessing, it loses"
    eta, _ = answer(Rubbish(lambda lesson, rows: np.eye(2)[rows % 2], "stranger"), task_of("one column"))
    assert np.isfinite(eta.log_loss), "it may say that a class is impossible"


class Stump(Fitting):
    """Learns how often the second class comes on either side of the middle of the first column."""

    name = "stump"
    example = "stump"

    def fit(self, lesson):
        def side(rows):
            return (lesson.columns.values[rows, 0] > 0).astype(int)

        counts = np.ones((2, lesson.classes))
        np.add.at(counts, (side(lesson.learn), lesson.labels[lesson.learn]), lesson.counts(lesson.learn))
        return lambda rows: (counts / counts.sum(axis=1, keepdims=True))[side(rows)]


class Broken(Stump):
    name = "broken"

    def fit(self, lesson):
        return lambda rows: np.full((len(rows), lesson.classes), np.nan)


def test_a_package_brings_an_estimator(audit, monkeypatch):
    entries = [EntryPoint(name, f"{__name__}:{kind}", "labeldp_audit.estimators")
               for name, kind in {"stump": "Stump", "broken": "Broken", "lost": "Nothing"}.items()]  # fmt: skip
    monkeypatch.setattr(registry, "entry_points", lambda group: entries if group.endswith("estimators") else [])
    values, labels = number_of(600, 2, 2)
    pq.write_table(pa.table({"a": values[:, 0], "b": values[:, 1], "y": labels}), audit.folder / "t.parquet")
    asked = ("audit", "t.parquet", "--mechanism", "rr:epsilon=1", "-f", "json", "--no-output")
    ended = audit(*asked, "--estimator", "stump")
    assert ended.status == 0, ended.err
    assert ended.report["eta"]["estimator"] == "stump"
    assert ended.report["eta"]["log_loss"] < 0.67
    assert "stump" in audit("nu-max", "t.parquet", "--estimator", "forest").err
    for name, what in {"broken": "the estimator 'broken' fails: ", "lost": "cannot be loaded"}.items():
        ended = audit(*asked, "--estimator", name)
        assert (ended.status, what in ended.error) == (2, True)


class Whole(Estimator):
    """A stranger that does all by itself."""

    name = "whole"
    example = "whole"

    def __init__(self, probability):
        self.probability = probability

    def estimate(self, task):
        n = len(task.table.labels)
        said = np.tile(self.probability, (n, 1))
        rows, radius = np.arange(n), np.zeros(n, np.float32)
        return Eta(said, np.ones((n, 2), np.int64), rows, 2, n, self.name, 0.7, True, 1.0, radius), ()


class Twice(Learner):
    """Scores rows that nobody asked for."""

    name = "twice"

    def scores(self, lesson):
        return Scores(np.full((len(lesson.judge), 2), 0.5), np.full((2 * len(lesson.asked), 2), 0.5))


def test_a_whole_estimator_of_a_stranger_is_looked_at_too():
    assert answer(Whole([0.3, 0.7]), task_of("one column"))[0].estimator == "whole"
    for said in ([0.3, np.nan], [0.3, 0.6], [0.3, 0.3, 0.4]):
        with pytest.raises(SpecError, match="the estimator 'whole' fails"):
            answer(Whole(said), task_of("one column"))
    with pytest.raises(SpecError, match="the estimator 'twice' fails"):
        answer(Twice(), task_of("one column"))


def test_linear_learns_from_few_distinct_rows():
    """2 000 rows of 4 kinds: equal rows are given once, with their number."""
    rng = np.random.default_rng(0)
    label = rng.random(2000) < 0.3
    told = np.where(label ^ (rng.random(2000) < 0.2), "a", "b")
    shares = [(label[told == level].mean(), (told == level).mean()) for level in "ab"]
    least = -sum(weight * (p * np.log(p) + (1 - p) * np.log(1 - p)) for p, weight in shares)
    report = lda.estimate_eta(pa.table({"told": told, "y": label.astype(int)}), estimator="linear")
    assert report.content.eta.log_loss == pytest.approx(least, abs=0.005) and report.content.sees
