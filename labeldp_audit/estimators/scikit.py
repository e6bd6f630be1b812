"""Any classifier of scikit-learn, or one that behaves like it: `sklearn:package.Class,parameter=value`.

It is fitted fold by fold as all learners are, with a seed wherever it takes one. It gets numbers of about one size,
with the middle of the column in place of a missing cell and a column that tells where cells were missing, beside a
heavy-tailed number its normal score (inputs.py), and a column of 0 and 1 for each of the most frequent levels of a
category. Rows that stand for many are repeated, as not every classifier takes weights. Where rows that it was not
fitted to say so, a logistic curve corrects how sure it is of itself: forests and neighbours often say 0 and 1.

The name is imported, which runs the code of its package: it comes from the user, or from a configuration in or above
the working folder, never from a table or a stored report. Only a class that can be fitted is called: anything else, as
`subprocess.Popen`, would do with its parameters whatever a configuration says.
"""

from __future__ import annotations

import importlib
import inspect
import warnings
from ast import literal_eval
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import SpecError
from ..core.remark import Remark
from .comparison import losses
from .contract import Fitting, Lesson, Predictor, Scores, Task, Told, blamed, constant, inside, law
from .inputs import Inputs
from .linear import parts_of
from .stack import mixture

MOST_LEVELS = 100  # of a category that have a column
CELLS = 200_000_000  # of rows and columns of levels: fewer levels have one where these would be more
TOO_SURE = 4.0  # nats that a correction gains: by chance, one in fifty does, as half a chi-square of two


@dataclass(frozen=True)
class Sklearn(Fitting):
    name: ClassVar[str] = "sklearn"
    example: ClassVar[str] = "sklearn:sklearn.naive_bayes.GaussianNB"
    leading: ClassVar[str] = "class"
    classifier: Any  # copies of it are fitted, whether or not it is fitted itself

    def __post_init__(self) -> None:
        _check(self.classifier)
        object.__setattr__(self, "name", spec_of(self.classifier))  # what reports call it, and what leads back to it
        _check_fresh(self.classifier, self.name)

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Self:
        if cls.leading not in fields:
            raise SpecError("no classifier is named", hint=f"as in {cls.example}")
        path = fields[cls.leading]
        module, _, last = path.rpartition(".")
        try:
            kind = getattr(importlib.import_module(module), last)
        except Exception as error:
            hint = "as in sklearn.ensemble.HistGradientBoostingClassifier"
            raise SpecError(f"{path} cannot be imported: {error}", hint=hint) from None
        if not (isinstance(kind, type) and hasattr(kind, "fit")):
            raise SpecError(f"{last} is not a scikit-learn classifier")
        parameters: dict[str, Any] = {name: text for name, text in fields.items() if name != cls.leading}
        for name, text in parameters.items():  # a number, True, False, None, or a word
            with suppress(ValueError, SyntaxError):
                parameters[name] = literal_eval(text)
        try:
            return cls(kind(**parameters))
        except SpecError:
            raise
        except Exception as error:
            raise SpecError(f"{path} cannot be made: {error}") from None

    def estimate(self, task: Task) -> Told:
        """What the classifier warns of is said in the report, once of each kind."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            eta, said = super().estimate(task)
        kinds = sorted({one.category.__name__ for one in caught})
        return eta, (*said, *(Remark("classifier-warns", name=self.name, kind=kind) for kind in kinds))

    def scores(self, lesson: Lesson) -> Scores:
        raw, labels, counts = super().scores(lesson), lesson.labels[lesson.judge], lesson.counts(lesson.judge)
        milder = mixture([raw], lesson)
        gain = losses(raw.judge, labels) - losses(milder.judge, labels)
        return milder if gain @ counts > TOO_SURE else raw

    def fit(self, lesson: Lesson) -> Predictor:
        rows = np.repeat(lesson.learn, lesson.counts(lesson.learn).astype(np.int64))
        labels = lesson.labels[rows]
        known = np.unique(labels)  # as classifiers order them
        if len(known) < 2:
            return constant(lesson)
        inputs = Inputs.of(lesson)
        most = min(MOST_LEVELS, max(2, CELLS // (len(rows) * max(1, len(inputs.categories)))))
        with blamed(self.name), _on_threads(lesson.threads):
            model = _seeded(self.classifier, lesson.seed).fit(one_hot(inputs, rows, most), labels)

        def predict(asked: Integers) -> Floats:
            found = np.zeros((len(asked), lesson.classes))  # 0 of a class that the fold does not hold
            with blamed(self.name), _on_threads(lesson.threads):
                said = [
                    law(model.predict_proba(one_hot(inputs, part, most)), len(part), len(known))
                    for part in parts_of(asked)
                    if len(part)
                ]
            if said:
                found[:, known] = np.concatenate(said)
            return inside(found)

        return predict


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier whose probabilities are taken as they are."""

    classifier: Any

    @property
    def name(self) -> str:
        return spec_of(self.classifier)

    @property
    def features(self) -> list[str] | None:
        """The columns that it was fitted to, in their order, where it was told their names."""
        names = getattr(self.classifier, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    @property
    def classes(self) -> list[object] | None:
        """Of the columns of what it says; None where it names none, and they are those of the table."""
        with blamed(self.name):
            known = getattr(self.classifier, "classes_", None)
            return None if known is None else list(np.asarray(known).tolist())

    def predict(self, features: Any) -> Floats:
        rows, given = features.shape
        wanted, classes = getattr(self.classifier, "n_features_in_", given), self.classes
        if wanted != given:
            raise SpecError(f"the classifier {self.name!r} was fitted to {wanted} columns, and is given {given}")
        with blamed(self.name):
            said = self.classifier.predict_proba(features)
            law(said, rows, np.shape(said)[-1] if classes is None and np.ndim(said) else len(classes or ()))
            return np.asarray(said, np.float64)


def handed_in(classifier: Any) -> Sklearn | Fitted:
    """One that is fitted says what eta is; one that is not is an estimator."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    _check(classifier)
    try:
        check_is_fitted(classifier)
    except NotFittedError:
        return Sklearn(classifier)
    return Fitted(classifier)


def one_hot(inputs: Inputs, rows: Integers, most: int) -> npt.NDArray[np.float32]:
    """(rows, width): numbers, and a column for each of the first levels of a category, which are the most frequent."""
    codes, starts = inputs.codes(rows), np.cumsum([0, *inputs.levels])
    hot = [codes[:, [j]] - starts[j] == np.arange(min(most, size)) for j, size in enumerate(inputs.levels)]
    found = np.concatenate([inputs.dense(rows), *hot], axis=1, dtype=np.float32)
    return found if found.shape[1] else np.zeros((len(rows), 1), np.float32)


def _seeded(classifier: Any, seed: int) -> Any:
    """A copy that is not fitted, with this seed wherever chance has none."""
    from sklearn.base import clone

    copy = clone(classifier)
    chances = [name for name in copy.get_params() if name.split("__")[-1] == "random_state"]
    return copy.set_params(**{name: seed % (1 << 31) for name in chances if copy.get_params()[name] is None})


def spec_of(classifier: Any) -> str:
    """Its class, by the shortest path that leads to it, and the parameters that are simple and not the usual ones."""
    kind = type(classifier)
    module = kind.__module__
    with suppress(ImportError):  # of a class that was made up while the program ran
        paths = accumulate(module.split("."), "{}.{}".format)
        leads = (one for one in paths if getattr(importlib.import_module(one), kind.__name__, None) is kind)
        module = next(leads, module)
    usual = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
    own = [
        f"{name}={value}"
        for name, value in classifier.get_params(deep=False).items()
        if isinstance(value, str | int | float | None)
        and value not in (usual.get(name, value),)  # which takes NaN for NaN
        and not set(str(value)) & set(",|=")
    ]
    return ",".join([f"{Sklearn.name}:{module}.{kind.__name__}", *own])


def _check(classifier: Any) -> None:
    from sklearn.base import is_classifier

    what = classifier if isinstance(classifier, type) else type(classifier)
    try:
        known = not isinstance(classifier, type) and is_classifier(classifier)
    except Exception:  # of what is no estimator at all
        known = False
    if not known:
        raise SpecError(f"{what.__name__} is not a scikit-learn classifier")
    if not hasattr(classifier, "predict_proba"):
        hint = "wrap it in sklearn.calibration.CalibratedClassifierCV"
        raise SpecError(f"{what.__name__} gives no probabilities (predict_proba)", hint=hint)


def _check_fresh(classifier: Any, name: str) -> None:
    """A copy that is fitted fold by fold must not bring along what was fitted to labels of all folds."""
    from sklearn.base import clone

    with blamed(name):
        copy = clone(classifier)
    for path, part in _parts("", copy, set()):
        if _is_fitted(part):
            where = f"{type(part).__name__} in {path}" if path else "it"
            what = f"the classifier {name!r} cannot be fitted anew: {where} is fitted already and may know these labels"
            raise SpecError(what, hint="give it parts that are not fitted: all of it is fitted here, fold by fold")


def _parts(path: str, thing: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Every estimator in it, and it, with the names that lead there; what a function refers to is part of it."""
    if id(thing) in seen or isinstance(thing, type | str | bytes):
        return
    seen.add(id(thing))
    inner: dict[str, Any] = {}
    if isinstance(thing, Mapping):
        inner = {str(key): value for key, value in thing.items()}
    elif isinstance(thing, list | tuple | set | frozenset):
        inner = {str(place): value for place, value in enumerate(thing)}
    elif hasattr(thing, "fit"):
        inner = {**(thing.get_params(deep=False) if hasattr(thing, "get_params") else {}), **vars(thing)}
    elif isinstance(thing, partial):
        inner = {"func": thing.func, "args": thing.args, "keywords": thing.keywords}
    elif inspect.ismethod(thing):
        inner = {"method of": thing.__self__, "function": thing.__func__}
    elif inspect.isfunction(thing):
        known = inspect.getclosurevars(thing)
        inner = {**known.globals, **known.nonlocals}
    for name, value in inner.items():
        yield from _parts(f"{path}.{name}" if path else name, value, seen)
    if hasattr(thing, "fit"):
        yield path, thing


def _is_fitted(part: Any) -> bool:
    """Of one that consists of others, these are asked: a pipeline says what its last step says."""
    from sklearn.frozen import FrozenEstimator
    from sklearn.utils import get_tags
    from sklearn.utils.validation import check_is_fitted

    if isinstance(part, FrozenEstimator):
        return True
    learnt = any(name.endswith("_") and not name.startswith("__") for name in vars(part))
    if learnt or len(list(_parts("", part, set()))) > 1:
        return learnt
    try:
        check_is_fitted(part)
    except Exception:  # it is not, or only looks like an estimator
        return False
    return bool(get_tags(part).requires_fit)  # a stateless one says that it is fitted from the start


def _on_threads(threads: int) -> Any:
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=threads, user_api="openmp")
