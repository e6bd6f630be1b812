"""Columns that hold the probabilities of the user's own model: float64 as they are, never scaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.quoting import listed, shown
from ..core.table import Dataset, Table
from . import numbers
from .classes import may_be
from .levels import is_text
from .sources.delimited import cleaned

TOLERANCE = 1e-6  # of a row's sum: probabilities in float32 pass, rounded to four digits do not


def read_column(array: pa.Array, name: str, rows: Integers) -> Floats:
    """rows: their numbers in the file, from 0."""
    column, kind = f"column {shown(name)}", array.type
    if pa.types.is_dictionary(kind):
        array = array.dictionary_decode()
    types = pa.types
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_null, is_text)
    if not any(test(array.type) for test in tests):  # booleans are decisions; dates are nothing of the kind
        raise DataError(f"a column of type {kind} cannot hold probabilities", column, "row 1")
    if is_text(array.type):
        array = _from_text(array.cast(pa.string()), column, rows)
    piece = numbers.cells(array.cast(pa.float64()) if types.is_null(array.type) else array)
    if piece.missing is not None:
        raise DataError("a missing probability", column, f"row {rows[np.argmax(piece.missing)] + 1}")
    return checked(np.asarray(piece.values, np.float64), rows, column)


def checked(values: Floats, rows: Integers, *where: str) -> Floats:
    fits = (values >= 0) & (values <= 1)  # false for NaN
    if not fits.all():
        raise DataError("a probability must be from 0 to 1", *where, f"row {rows[np.argmin(fits)] + 1}")
    return values + 0.0  # -0 is 0


def _from_text(texts: pa.Array, column: str, rows: Integers) -> pa.Array:
    """By the rules of a column of numbers in a text table."""
    texts = cleaned(texts)
    try:
        return texts.cast(pa.float64())
    except pa.ArrowInvalid:
        if len(texts) > 1:  # the first half that does not fit
            half = len(texts) // 2
            _from_text(texts[:half], column, rows[:half])
            _from_text(texts[half:], column, rows[half:])
        raise DataError("not a number", column, f"row {rows[0] + 1}") from None


def check_columns(given: int, classes: Sequence[str], positive: str | None, option: str = "--eta") -> None:
    """One for the positive class of two, else one for each class. option: which named them."""
    if given in (0, len(classes)) or (given == 1 and len(classes) == 2):
        return
    needed = f"{len(classes)} columns are needed, the probabilities of {listed(classes)} in this order"
    if positive is not None:
        needed = f"one column is needed, the probability of {shown(positive)}, or two, those of {listed(classes)}"
    raise SpecError(f"{option}: {given} column{'s' * (given > 1)} for {len(classes)} classes", hint=needed)


def of_rows(values: Any, table: Table) -> Floats:
    """(n, C) for the rows of the table, from what was computed elsewhere for each row of the file, in its order."""
    data = table.dataset
    try:
        found = np.asarray(values)
        # Truth values are decisions, and a mask would be lost.
        truths = found.dtype == object and any(isinstance(one, bool | np.bool_ | str) for one in found.flat)
        if isinstance(values, np.ma.MaskedArray) or found.dtype.kind not in "iufO" or truths:
            raise TypeError
        found = found.astype(np.float64)
    except (TypeError, ValueError):
        raise SpecError("--eta is neither columns, nor numbers, nor a classifier of scikit-learn") from None
    if found.ndim not in (1, 2) or len(found) != data.rows:
        raise SpecError(f"--eta has the shape {found.shape}, and the table {data.rows:,} rows")
    rows = np.arange(len(found)) if table.row_numbers is None else table.row_numbers
    some = found[rows].reshape(len(rows), -1)
    check_columns(some.shape[1], data.classes, data.positive)
    return distributions(np.column_stack([checked(one, rows, data.name, "eta") for one in some.T]), rows)


def of_classes(said: Any, spelled: Sequence[str], dataset: Dataset) -> Floats:
    """(rows, 1) of the positive class, or (rows, C), from what a model says of classes in an order of its own."""
    wanted = dataset.classes if dataset.positive is None else (dataset.positive,)
    places = [next((place for place, name in enumerate(spelled) if may_be(name, one)), -1) for one in wanted]
    if -1 in places:
        what = f"the classifier knows no class {shown(wanted[places.index(-1)])}"
        raise SpecError(what, hint=f"its classes: {listed(spelled)}")
    return np.asarray(said)[:, places]


def distributions(values: Floats, rows: Integers | None) -> Floats:
    """(n, C) from the columns; `rows`: their numbers in the file, from 0, where these are not 0, 1, ..., n - 1."""
    if values.shape[1] == 1:
        return np.concatenate([1 - values, values], axis=1)
    total = values.sum(axis=1, keepdims=True)
    off = np.abs(total[:, 0] - 1) > TOLERANCE
    if off.any():
        first = int(np.argmax(off))
        row = first if rows is None else int(rows[first])
        raise DataError(f"the probabilities do not sum to 1 within {TOLERANCE:g}", f"row {row + 1}")
    np.divide(values, total, out=values)
    return values
