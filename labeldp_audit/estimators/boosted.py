"""Gradient-boosted trees (LightGBM; Ke and others 2017).

Trees find the few columns that tell something among many that do not, which distances cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import DataError
from ..core.table import Columns
from .contract import Fitting, Lesson, Predictor, constant, inside

_ROUNDS, _FEWEST_ROUNDS = 1000, 100
_CELLS = 6e9  # rows times columns times rounds: about twenty seconds of one core
_FEWEST = 20  # rows to learn from
_STEP = 1 << 17  # rows predicted at a time
REPEATABLE = {"verbose": -1, "deterministic": True, "force_row_wise": True}


@dataclass(frozen=True)
class Boosted(Fitting):
    name: ClassVar[str] = "boosted"
    example: ClassVar[str] = "boosted"
    optional: ClassVar[bool] = True
    rate: ClassVar[float] = 0.04
    patience: ClassVar[int] = 40  # rounds that gain nothing

    def fit(self, lesson: Lesson) -> Predictor:
        if lesson.rows_learnt < _FEWEST or not len(lesson.judge):
            return constant(lesson)
        model = _fitted(lesson, self.rate, self.patience)

        def predict(rows: Integers) -> Floats:
            found = np.empty((len(rows), lesson.classes))
            for start in range(0, len(rows), _STEP):
                part = slice(start, start + _STEP)
                said = model.predict(_features(lesson.columns, rows[part]), num_threads=lesson.threads)
                # Of two classes LightGBM says how likely the second is.
                found[part] = said if said.ndim == 2 else np.column_stack([1 - said, said])
            return inside(found)

        return predict


@dataclass(frozen=True)
class Brisk(Boosted):
    """In larger steps, where many fits are compared with each other."""

    name: ClassVar[str] = "brisk"
    rate: ClassVar[float] = 0.1
    patience: ClassVar[int] = 15


def usefulness(lesson: Lesson) -> Floats:
    """(f,) by how much splits on each column lower the loss; 0 where trees never ask for it."""
    gain = _fitted(lesson.readable(), Brisk.rate, Brisk.patience).feature_importance(importance_type="gain")
    found, names = np.array(gain[: len(lesson.columns.names)], np.float64), lesson.columns.names
    # Which of several columns of text the words are of is not known.
    found[[names.index(name) for name in lesson.columns.words]] += gain[len(names) :].sum()
    return found


def _features(columns: Columns, rows: Integers) -> Any:
    """(rows, f), and behind them the words that say most; sparse where there are any."""
    from scipy import sparse

    values = columns.values[rows]
    if columns.telling is None:
        return values
    return sparse.hstack([sparse.csr_matrix(values), columns.telling[rows]], "csr")


def _fitted(lesson: Lesson, rate: float, patience: int) -> Any:
    """The same trees for any number of threads. LightGBM counts a row once, however many it stands for."""
    lightgbm, columns = library(), lesson.columns
    whole = float(lesson.counts(lesson.learn).sum())
    many, share = whole > 5000, len(lesson.learn) / whole
    options = {
        "objective": "binary", "learning_rate": rate,
        "num_leaves": 15 if many else 7, "min_data_in_leaf": max(1, round((50 if many else 10) * share)),
        "max_bin": 1023, "feature_fraction": 0.8, "cat_smooth": 20.0 * share,
        "min_data_per_group": max(1, round(50 * share)), "min_data_in_bin": 3 if share == 1 else 1,
        "seed": lesson.seed % (1 << 30), "num_threads": lesson.threads, **REPEATABLE,
    }  # fmt: skip
    if lesson.classes > 2:
        options |= {"objective": "multiclass", "num_class": lesson.classes}

    def dataset(rows: Integers, make: Callable[..., Any], **more: object) -> Any:
        labels, weight = lesson.labels[rows].astype(np.float32), lesson.counts(rows)
        return make(_features(columns, rows), labels, weight=weight, params=options, **more)

    categorical = np.flatnonzero(columns.categorical).tolist() or "auto"
    learn = dataset(lesson.learn, lightgbm.Dataset, categorical_feature=categorical)
    stop = lightgbm.early_stopping(patience, verbose=False)
    trees = 1 if lesson.classes == 2 else lesson.classes  # of a round
    words = 0 if columns.telling is None else columns.telling.nnz / len(columns.values)  # of a row
    cells = len(lesson.learn) * (columns.values.shape[1] + words) * trees
    rounds = int(np.clip(_CELLS / cells, _FEWEST_ROUNDS, _ROUNDS))
    judge = dataset(lesson.judge, learn.create_valid)
    return lightgbm.train(options, learn, rounds, valid_sets=[judge], callbacks=[stop])


def library() -> Any:
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: the system has no OpenMP library
        hint = "install libgomp1 (Debian) or libomp (macOS), or use --estimator knn"
        raise DataError(f"LightGBM cannot be loaded: {error}", hint=hint) from None
    return lightgbm
