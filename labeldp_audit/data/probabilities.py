"""Columns that hold the probabilities of the user's own model: float64 as they are, never scaled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from . import numbers
from .classes import Classes
from .quoting import listed, shown
from .sources.column_types import cast, cleaned

TOLERANCE = 1e-6  # of a row's sum: probabilities in float32 pass, rounded to four digits do not


class Improper(Exception):
    """What is wrong with a cell, and the row of the batch that it is in."""

    def __init__(self, what: str, row: int) -> None:
        self.what = what
        self.row = row


def is_text(kind: pa.DataType | None) -> bool:
    types = pa.types
    views = hasattr(types, "is_string_view") and types.is_string_view(kind)
    return kind is not None and bool(types.is_string(kind) or types.is_large_string(kind) or views)


def check_type(name: str, kind: pa.DataType) -> None:
    """Booleans are decisions, not probabilities; dates are nothing of the kind."""
    held = kind.value_type if pa.types.is_dictionary(kind) else kind
    types = pa.types
    tests = (types.is_integer, types.is_floating, types.is_decimal, types.is_null, is_text)
    if not any(test(held) for test in tests):
        raise DataError(f"a column of type {kind} cannot hold probabilities", f"column {shown(name)}", "row 1")


def read_column(array: pa.Array) -> Floats:
    """Raises Improper at the first cell that is no probability."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_null(array.type):
        array = array.cast(pa.float64())
    piece = numbers.cells(from_text(array.cast(pa.string())) if is_text(array.type) else array)
    if piece.missing is not None:
        raise Improper("a missing probability", int(np.argmax(piece.missing)))
    return checked(np.asarray(piece.values, np.float64))


def checked(values: Floats) -> Floats:
    fits = (values >= 0) & (values <= 1)  # false for NaN
    if not fits.all():
        raise Improper("a probability must be from 0 to 1", int(np.argmin(fits)))
    return values + 0.0  # -0 is 0


def from_text(texts: pa.Array) -> pa.Array:
    """By the rules of a column of numbers in a text table."""
    texts = cleaned(texts)
    try:
        return cast(texts, pa.float64())
    except pa.ArrowInvalid:
        raise Improper("not a number", first_unfit(texts)) from None


def first_unfit(texts: pa.Array) -> int:
    """By halves: the rows before `low` fit, those before `high` do not."""
    low, high = 0, len(texts)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            cast(texts.slice(low, middle - low), pa.float64())
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return low


def check_columns(columns: Sequence[str], classes: Classes) -> None:
    """One for the positive class of two, else one for each class."""
    names, given = classes.names, len(columns)
    if given == 0 or given == len(names) or (given == 1 and len(names) == 2):
        return
    needed = f"{len(names)} columns are needed, the probabilities of {listed(names)} in this order"
    if classes.positive is not None:
        needed = f"one column is needed, the probability of {shown(classes.positive)}, or two, those of {listed(names)}"
    raise SpecError(f"--eta: {given} column{'s' * (given > 1)} for {len(names)} classes", hint=needed)


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
