"""Classifiers of scikit-learn as estimators: named on the command line, or handed in."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lessons import both, drawn, excess, lesson, others
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, Normalizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.settings import Settings
from labeldp_audit.estimators import named, scikit
from labeldp_audit.estimators.inputs import Inputs
from labeldp_audit.estimators.scikit import Sklearn

JSON = ("-f", "json", "--no-output")
TREES = "sklearn:sklearn.ensemble.HistGradientBoostingClassifier"


def numbers(rows=3000, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    eta = both(2 * x[:, 0] - x[:, 1])
    return x, drawn(eta, rng), eta


def said(classifier, values, labels, categorical=(), classes=2, **more):
    one = lesson(values, labels, categorical, classes)
    return Sklearn(classifier).scores(replace(one, asked=others(one), **more)).asked


# ---- how it is named


@pytest.mark.parametrize(
    ("classifier", "name"),
    [
        (DecisionTreeClassifier(max_depth=3), "sklearn:sklearn.tree.DecisionTreeClassifier,max_depth=3"),
        (make_pipeline(GaussianNB()), "sklearn:sklearn.pipeline.Pipeline"),
        (RandomForestClassifier(class_weight={0: 1}), "sklearn:sklearn.ensemble.RandomForestClassifier"),
    ],
)
def test_an_object_is_called_what_would_lead_to_it(classifier, name):
    assert Sklearn(classifier).name == name
    assert "Pipeline" in name or named(name).name == name
    [one] = [named("sklearn:class=sklearn.tree.DecisionTreeClassifier,max_depth=3,criterion=entropy")]
    assert (one.classifier.max_depth, one.classifier.criterion) == (3, "entropy")


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("sklearn", "no classifier is named"),
        ("sklearn:max_depth=3", "no classifier is named"),
        ("sklearn:nowhere.Thing", "nowhere.Thing cannot be imported: No module named 'nowhere'"),
        ("sklearn:Forest", "Forest cannot be imported"),
        ("sklearn:sklearn.tree.DecisionTreeClassifier,depth=3", "cannot be made: .*depth"),
        ("sklearn:sklearn.linear_model.LinearRegression", "LinearRegression is not a scikit-learn classifier"),
        ("sklearn:sklearn.base.clone", "cannot be made|is not a scikit-learn classifier"),
        ("sklearn:collections.OrderedDict", "OrderedDict is not a scikit-learn classifier"),
        ("sklearn:sklearn.svm.LinearSVC", r"LinearSVC gives no probabilities \(predict_proba\)"),
    ],
)
def test_what_is_no_classifier_is_refused_in_one_line(spec, what):
    with pytest.raises(SpecError, match=what) as refused:
        named(spec)
    assert "\n" not in str(refused.value)
    with pytest.raises(SpecError, match="GaussianNB is not"):
        Sklearn(GaussianNB)


class NotFittable:
    made = 0

    def __init__(self, **parameters):
        NotFittable.made += 1


def launched(**parameters):
    NotFittable.made += 1


def test_what_cannot_be_fitted_is_never_called():
    """A configuration that somebody else wrote would otherwise run any program: `subprocess.Popen` takes a command."""
    for name in ("NotFittable", "launched"):
        with pytest.raises(SpecError, match=f"{name} is not a scikit-learn classifier"):
            named(f"sklearn:{__name__}.{name},args=1")
    assert NotFittable.made == 0


# ---- how it learns


def test_one_that_is_too_sure_is_taken_back_and_one_that_is_right_stays_as_it_is():
    """A grown tree says 0 or 1."""
    x, labels, eta = numbers()
    one = lesson(x, labels)
    tree, line = (Sklearn(kind).fit(one)(others(one)) for kind in (DecisionTreeClassifier(), LogisticRegression()))
    assert excess(eta[2400:], tree) > 1
    assert excess(eta[2400:], said(DecisionTreeClassifier(), x, labels)) < 0.3
    assert excess(eta[2400:], line) < 0.005
    assert np.array_equal(said(LogisticRegression(), x, labels), line)


def test_levels_have_a_column_each_the_frequent_ones_first():
    rng = np.random.default_rng(1)
    code = np.minimum(rng.geometric(0.1, 3000) - 1, 40)
    one = lesson(np.stack([code, np.zeros(3000)], axis=1), code % 2, (0,))
    found = scikit.one_hot(Inputs.of(one), np.arange(3000), 4)
    assert found.shape == (3000, 4 + 1)
    assert [found[code == level, -3:].mean(axis=0).tolist() for level in range(4)] == [
        [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0],
    ]  # fmt: skip


def test_chance_has_the_seed_of_the_audit_unless_it_has_one():
    x, labels, _ = numbers(400)
    forest = RandomForestClassifier(5)
    assert not np.array_equal(said(forest, x, labels, seed=1), said(forest, x, labels, seed=2))
    fixed = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0))
    assert np.array_equal(said(fixed, x, labels, seed=1), said(fixed, x, labels, seed=2))
    assert forest.random_state is None
    assert not hasattr(forest, "estimators_")


def fitted() -> KNeighborsClassifier:
    """The nearest neighbour of a row is that row: it knows every label."""
    x, labels, _ = numbers(400)
    return KNeighborsClassifier(1).fit(x, labels)


class Loads(LogisticRegression):
    """As one that reads a stored model whenever it is made."""

    def __init__(self):
        super().__init__()
        self.stored = fitted()


def call(features, model):
    return model.predict_proba(features)


FROZEN = FrozenEstimator
KNOWS = [
    (lambda: CalibratedClassifierCV(FROZEN(fitted())), "estimator.estimator"),
    (lambda: make_pipeline(StandardScaler(), FROZEN(fitted())), "steps.1.1.estimator"),
    (lambda: VotingClassifier([("a", FROZEN(fitted()))], voting="soft"), "estimators.0.1.estimator"),
    (lambda: FROZEN(fitted()), "estimator"),
    (lambda: make_pipeline(FunctionTransformer(fitted().predict_proba), GaussianNB()), "steps.0.1.func.method of"),
    (
        lambda: make_pipeline(FunctionTransformer(partial(call, model=fitted())), GaussianNB()),
        "steps.0.1.func.keywords.model",
    ),
    (Loads, "stored"),
]


@pytest.mark.parametrize(("make", "where"), KNOWS)
def test_one_with_a_part_that_is_fitted_has_seen_the_labels(make, where):
    what = f"KNeighborsClassifier in {where} is fitted already and may know these labels"
    with pytest.raises(SpecError, match=what) as refused:
        Sklearn(make())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "classifier",
    [
        make_pipeline(make_pipeline(FunctionTransformer(np.abs), Normalizer()), LogisticRegression()),
        make_pipeline(make_union(StandardScaler(), FunctionTransformer()), "passthrough", GaussianNB()),
        CalibratedClassifierCV(RandomForestClassifier(5)),
        VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="soft"),
    ],
)
def test_parts_that_learn_nothing_or_not_yet_are_taken(classifier):
    x, labels, eta = numbers(400)
    assert excess(eta[320:], said(classifier, x, labels)) < 0.3
    assert np.array_equal(
        said(clone(classifier).fit(x, labels), x, labels, seed=1), said(classifier, x, labels, seed=1)
    )


def test_rows_that_stand_for_many_count_so_often():
    x, labels, _ = numbers(400)
    times = np.random.default_rng(3).integers(1, 4, 400)
    one = lesson(x, labels)
    learn = np.repeat(one.learn, times[one.learn])
    whole = Sklearn(GaussianNB()).fit(replace(one, learn=learn))(others(one))
    assert np.array_equal(Sklearn(GaussianNB()).fit(replace(one, repeats=times))(others(one)), whole)


def test_a_class_that_the_fold_does_not_hold_is_unlikely():
    x, labels, _ = numbers(400)
    found = said(GaussianNB(), x, np.where(np.arange(400) < 10, labels, 2 * labels), classes=3)
    assert found.shape == (80, 3)
    one = lesson(x, np.zeros(400, int))
    assert Sklearn(GaussianNB()).fit(one)(others(one))[:, 0].min() > 0.99


class Fails(GaussianNB):
    def fit(self, X, y):
        raise RuntimeError("no memory\nleft")


class NotANumber(GaussianNB):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


class Warns(GaussianNB):
    def fit(self, X, y):
        warnings.warn("it does not converge", stacklevel=1)
        return super().fit(X, y)


@pytest.mark.parametrize(("kind", "what"), [(Fails, "RuntimeError"), (NotANumber, "not a number")])
def test_one_that_fails_is_named_in_one_line(kind, what):
    x, labels, _ = numbers(200)
    with pytest.raises(SpecError, match=f"the estimator 'sklearn:test_scikit.{kind.__name__}' fails: .*{what}"):
        said(kind(), x, labels)


# ---- in an audit


def test_an_audit_by_trees_of_scikit_learn(audit, tmp_path):
    rng = np.random.default_rng(4)
    x, code = rng.normal(size=(900, 2)), rng.integers(4, size=900)
    labels = drawn(both(x[:, 0] + (code == 2)), rng)
    x[rng.random(x.shape) < 0.1] = np.nan
    columns = {"a": x[:, 0], "b": x[:, 1], "ward": np.char.add("w", code.astype(str)), "y": labels}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    spec, runs = f"{TREES},max_iter=20", ("audit", tmp_path / "t.parquet", "--mechanism", "rr:epsilon=1", *JSON)
    one, two = (audit(*runs, "--estimator", spec, "--threads", threads) for threads in (1, 2))
    assert one.status == 0, one.err
    assert one.out == two.out
    assert one.report["eta"]["estimator"] == spec
    assert one.report["eta"]["log_loss"] < 0.66
    # What estimate-eta wrote is known by its name.
    asked = ("--estimator", Sklearn.example)
    assert audit("estimate-eta", tmp_path / "t.parquet", *asked, "-o", "first").status == 0
    file = (tmp_path / "t.parquet", "--eta-file", "first/eta.parquet")
    kept = audit("nu-max", *file, *asked, *JSON)
    assert kept.status == 0, kept.err
    assert "is not what the file was made with" in audit("nu-max", *file, "--estimator", TREES, *JSON).error


def test_warnings_of_a_classifier_are_in_the_report(table):
    from labeldp_audit.audits import run
    from labeldp_audit.core.progress import Silent
    from labeldp_audit.reports import sentences

    found = run.estimate_eta(str(table), Settings(estimator=Sklearn(Warns())), Silent())
    report = found[0] if isinstance(found, tuple) else found
    assert "sklearn:test_scikit.Warns warns while it is fitted: UserWarning" in sentences.warnings(report)
