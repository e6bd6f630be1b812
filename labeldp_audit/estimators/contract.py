"""What an estimator answers, and what one that learns offers beside it: to fit to some rows, and score others.

Folds are scored in turn by a model that saw no label of theirs: neither to fit it, nor to stop, weigh or choose it. So
the labels of a fold judge its scores without a doubt, and whatever is counted among them is honest.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import AuditError, SpecError
from ..core.eta import Eta
from ..core.progress import Progress
from ..core.registry import failure
from ..core.remark import Remark
from ..core.settings import Settings
from ..core.table import Columns, Table

Labels = npt.NDArray[np.uint8]
Predictor = Callable[[Integers], Floats]
"""rows of the table -> (rows, C) probabilities of the classes: inside (0, 1), each row adding up to 1."""

Made = TypeVar("Made")

SURE = 1e-6  # no score is nearer to 0 or 1
ROUNDED = 1e-4  # so far from 1 may rounding take what adds up to 1
_PACKAGE = __name__.partition(".")[0] + "."


@dataclass(frozen=True)
class Scores:
    """(rows, C) of the rows that judge and of the rows asked."""

    judge: Floats
    asked: Floats

    @classmethod
    def by(cls, predict: Predictor, lesson: Lesson) -> Scores:
        return cls(predict(lesson.judge), predict(lesson.asked))


@dataclass(frozen=True)
class Lesson:
    """What a model may learn from. It may look at the features of every row, and at no label but these rows'."""

    columns: Columns
    labels: Labels  # (n,) of the whole table
    classes: int
    learn: Integers  # rows to fit to
    judge: Integers  # rows to stop, weigh and choose by; none of `learn`
    seed: int
    threads: int  # changes the time and no bit of the scores
    asked: Integers = field(default_factory=lambda: np.empty(0, np.int64))  # rows to score
    same: Integers | None = None  # (n,) rows with the same features have the same number
    repeats: Integers | None = None  # (n,) how many rows each row to learn from or to judge stands for; one, if None
    people: Integers | None = None  # (n,) whose rows they are; if None, each row is another person's
    _known: dict[str, Any] = field(default_factory=dict, repr=False)
    _locks: dict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock), repr=False)

    def scores(self, learner: Learner) -> Scores:
        """Each learner learns once, however many build on it."""

        def checked() -> Scores:
            with nullcontext() if _ours(type(learner)) else blamed(learner.name):
                said, judge, asked = learner.scores(self.readable()), len(self.judge), len(self.asked)
                return Scores(law(said.judge, judge, self.classes), law(said.asked, asked, self.classes))

        return self.once(learner.name, checked)

    def readable(self) -> Lesson:
        """Return the same lesson with numbers where columns hold free text."""
        from . import text  # which knows lessons

        return self.once("words", lambda: text.with_words(self)) if self.columns.words else self

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What several learners begin with; the second waits for it."""
        with self._locks[name]:
            if name not in self._known:
                self._known[name] = make()
            found: Made = self._known[name]
            return found

    def counts(self, rows: Integers) -> Floats:
        return np.ones(len(rows)) if self.repeats is None else self.repeats[rows].astype(np.float64)

    @property
    def rows_learnt(self) -> float:
        """Return how many rows of the table there are to learn from: equal ones may be given once."""
        return float(self.counts(self.learn).sum())


@dataclass(frozen=True)
class Task:
    """A table whose eta is wanted."""

    whole: Table  # rows to learn from
    table: Table  # those of them that judge
    settings: Settings
    progress: Progress
    halves: bool = False  # are counts wanted too that saw no label of the half of the rows that the query is in?


Told = tuple[Eta, tuple[Remark, ...]]


class Estimator(ABC):
    name: ClassVar[str]
    example: ClassVar[str]
    advice: ClassVar[str] = ""  # for a user who asks for parameters

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Self:
        if fields:
            raise SpecError(f"{cls.name} has no parameters of its own", hint=cls.advice)
        return cls()

    def suited(self, settings: Settings) -> Estimator:
        """Itself, or the one that stands in for it under these options; a SpecError where they make no sense for it."""
        if settings.smoothness is not None:
            raise SpecError("--smoothness is about neighbourhoods of features: use --estimator knn")
        return self

    @abstractmethod
    def estimate(self, task: Task) -> Told: ...


class Learner(Estimator):
    built_on: tuple[Learner, ...] = ()  # learners whose scores it puts together
    optional: ClassVar[bool] = False  # is it left out of a mixture where that is as good? It costs more than others

    def leaves(self) -> tuple[Learner, ...]:
        """All that have to learn for it, none of which is built on others."""
        return tuple(leaf for one in self.built_on for leaf in one.leaves()) or (self,)

    def without(self, names: Collection[str]) -> Self:
        """The same, built on fewer."""
        if not self.built_on:
            return self
        kept = tuple(one.without(names) for one in self.built_on if one.name not in names)
        return replace(self, built_on=kept)  # type: ignore[type-var]

    def estimate(self, task: Task) -> Told:
        from . import selection  # which knows learners

        return selection.of_learners(task, (self,))

    @abstractmethod
    def scores(self, lesson: Lesson) -> Scores: ...


class Fitting(Learner):
    """One that is built on no other."""

    @abstractmethod
    def fit(self, lesson: Lesson) -> Predictor: ...

    def scores(self, lesson: Lesson) -> Scores:
        return Scores.by(self.fit(lesson), lesson)


def answer(estimator: Estimator, task: Task) -> Told:
    """What it estimates, looked at where another package did."""
    if _ours(type(estimator).estimate):
        return estimator.estimate(task)
    with blamed(estimator.name):
        eta, remarks = estimator.estimate(task)
        law(eta.probability, len(eta.rows), len(task.table.dataset.classes))
        if not all(isinstance(one, Remark) for one in remarks):
            raise Improper("what it says beside eta are no remarks")
        return eta, remarks


def _ours(thing: object) -> bool:
    return thing.__module__.startswith(_PACKAGE)


@contextmanager
def blamed(name: str) -> Iterator[None]:
    """What fails in code of other people is said in one line that names it, and quotes none of their messages, which
    may hold cells of the table."""
    try:
        yield
    except (AuditError, MemoryError):
        raise
    except Exception as error:
        why = str(error) if isinstance(error, Improper) else failure(error)
        raise SpecError(f"the estimator {name!r} fails: {why}") from error


class Improper(ValueError):
    """What is wrong with probabilities, in words of ours."""


def law(said: object, rows: int, classes: int) -> Floats:
    """(rows, classes) probabilities as they must be, or what is wrong with them."""
    try:
        found = np.asarray(said, np.float64)
    except (TypeError, ValueError):
        raise Improper("what it says are no probabilities") from None
    if found.shape != (rows, classes):
        raise Improper(f"probabilities of {rows} rows and {classes} classes have the shape {found.shape}")
    if not np.isfinite(found).all():
        raise Improper("a probability is not a number")
    if (found < 0).any() or np.abs(found.sum(axis=1) - 1).max(initial=0) > ROUNDED:
        raise Improper("probabilities of a row are negative or do not add up to 1")
    return found if (found > 0).all() else inside(found)


def inside(probability: Floats) -> Floats:
    """No class impossible, none certain."""
    kept = np.clip(probability, SURE, 1 - SURE)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def shares(lesson: Lesson) -> Floats:
    """(C,) of the classes, all that is known where there is hardly anything to learn from."""
    rows = np.concatenate([lesson.learn, lesson.judge])
    counts = np.bincount(lesson.labels[rows], lesson.counts(rows), lesson.classes) + 0.5
    return np.asarray(counts / counts.sum())


def constant(lesson: Lesson) -> Predictor:
    """The shares of the classes, whatever the features."""
    known = inside(shares(lesson)[None])
    return lambda rows: np.tile(known, (len(rows), 1))
