"""Gradient-boosted trees (LightGBM; Ke and others 2017), cross-fitted: no row's score saw a label of its own fold.

Trees find the few columns that tell something among many that do not, which distances cannot. Their scores are not yet
eta: what labels the rows with a score like this have is counted afterwards (neighbors/along.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..errors import DataError, SpecError
from ..model import Columns, Floats, Integers

FOLDS = 5
MOST_ROWS = 2_000_000  # that a fold learns from
_ROUNDS, _PATIENCE = 1000, 20
_HELD_OUT = 0.1  # of what a fold learns from, to know when to stop
_FEWEST = 20  # rows to learn from
_SURE = 1e-6  # no score is nearer to 0 or 1

Labels = npt.NDArray[np.uint8]
Note = Callable[[float], None]


@dataclass(frozen=True)
class Boosted:
    name: ClassVar[str] = "boosted"
    example: ClassVar[str] = "boosted"

    @classmethod
    def parse(cls, fields: Mapping[str, str]) -> Boosted:
        if fields:
            raise SpecError("boosted has no parameters of its own")
        return cls()

    def scores(
        self, columns: Columns, labels: Labels, classes: int, folds: Integers, seed: int, threads: int, note: Note
    ) -> Floats:
        """(n, C): P(class | columns) by a model that was fitted to the other folds; note(rows) after each."""
        found = np.empty((len(labels), classes))
        for fold in range(int(folds.max()) + 1):
            mine = folds == fold
            rng = np.random.default_rng([seed, fold])
            others = np.flatnonzero(~mine)
            if len(others) < _FEWEST:
                found[mine] = _shares(labels[others], classes)
            else:
                model = _fitted(columns, labels, classes, others, rng, threads)
                found[mine] = _predicted(model, columns.values[mine], classes, threads)
            note(float(mine.sum()))
        return found


def _shares(labels: Labels, classes: int) -> Floats:
    """Of the classes, where there is hardly anything to learn from."""
    counts = np.bincount(labels, minlength=classes) + 0.5
    return np.asarray(counts / counts.sum())


def _fitted(
    columns: Columns, labels: Labels, classes: int, rows: Integers, rng: np.random.Generator, threads: int
) -> Any:
    lightgbm = _library()
    rows = rng.permutation(rows)[:MOST_ROWS]
    cut = max(1, round(_HELD_OUT * len(rows)))
    categorical = np.flatnonzero(columns.categorical).tolist() or "auto"
    options = _options(len(rows), classes, int(rng.integers(1 << 30)), threads)
    learn = lightgbm.Dataset(
        columns.values[rows[cut:]], labels[rows[cut:]].astype(np.float32), categorical_feature=categorical,
        params=options,
    )  # fmt: skip
    judge = learn.create_valid(columns.values[rows[:cut]], labels[rows[:cut]].astype(np.float32), params=options)
    stop = lightgbm.early_stopping(_PATIENCE, verbose=False)
    return lightgbm.train(options, learn, _ROUNDS, valid_sets=[judge], callbacks=[stop])


def _options(rows: int, classes: int, seed: int, threads: int) -> dict[str, object]:
    """The same trees for any number of threads."""
    kind: dict[str, object] = {"objective": "binary"}
    if classes > 2:
        kind = {"objective": "multiclass", "num_class": classes}
    return kind | {
        "num_leaves": 31 if rows > 5000 else 7, "learning_rate": 0.08, "min_data_in_leaf": 50 if rows > 5000 else 10,
        "feature_fraction": 0.8, "cat_smooth": 20.0, "min_data_per_group": 50, "verbose": -1, "seed": seed,
        "deterministic": True, "force_row_wise": True, "num_threads": threads,
    }  # fmt: skip


def _predicted(model: Any, values: npt.NDArray[np.float32], classes: int, threads: int) -> Floats:
    said = np.asarray(model.predict(values, num_threads=threads), np.float64)
    both = said if classes > 2 else np.column_stack([1 - said, said])
    inside = np.clip(both, _SURE, 1 - _SURE)
    return np.asarray(inside / inside.sum(axis=1, keepdims=True))


def _library() -> Any:
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: the system has no OpenMP library
        hint = "install libgomp1 (Debian) or libomp (macOS), or use --estimator knn"
        raise DataError(f"LightGBM cannot be loaded: {error}", hint=hint) from None
    return lightgbm
