"""Which rows of two tables are the same in all columns but those that stand for labels."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError
from . import ReadOptions
from .read import how_text
from .scan import settled
from .sources.batches import about, rows_per_batch
from .sources.locate import locate

Hashes = npt.NDArray[np.uint64]
_NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_temporal)
_WHOLE = {32: pa.int32(), 64: pa.int64()}
_COARSE = 1 << 16
_MIXED = np.uint64(0x9E3779B97F4A7C15)


def hashes(source: object, leave_out: Collection[str], options: ReadOptions, rounded: bool = False) -> Hashes:
    """(n,) a number for each row that is the same where the cells of all other columns are. rounded: also where
    numbers with a fraction differ beyond their fifth digit or so, as they may in text and in columns."""
    parts = [np.empty(0, np.uint64)]
    with ExitStack() as until:
        found = locate(source, how_text(options), until)
        names = sorted(name for name in found.types if name not in leave_out)
        wanted = [*names] or [*found.types][:1]
        with about(found.name):
            for batch in settled(lambda: [*found.batches(wanted, rows_per_batch(len(wanted)))]):
                rows = np.zeros(batch.num_rows, np.uint64)
                for cells in batch.columns if names else ():
                    rows = (rows * _MIXED) ^ _of_cells(cells, rounded)
                parts.append(rows)
    return np.concatenate(parts)


def order(ours: Hashes, theirs: Hashes, name: str, in_place: bool = True) -> Integers:
    """Where each of our rows stands among theirs. in_place: whether rows that are alike may be taken to stand where
    they stood, if all others do."""
    if len(ours) != len(theirs):
        raise DataError(f"the release has {len(theirs):,} rows and the table {len(ours):,}", name)
    if in_place and np.array_equal(ours, theirs):
        return np.arange(len(ours))
    mine, other = np.argsort(ours, kind="stable"), np.argsort(theirs, kind="stable")
    if not np.array_equal(ours[mine], theirs[other]):
        raise DataError("the release is of another table: its other columns differ", name)
    if np.any(np.diff(ours[mine]) == 0):
        what = "the rows of the release are in another order, and other columns do not tell all rows apart"
        raise DataError(what, name, hint="a column that numbers rows, in both")
    found = np.empty(len(ours), np.int64)
    found[mine] = other
    return found


def _of_cells(cells: Any, rounded: bool = False) -> Hashes:
    from pandas.util import hash_array

    kind = cells.type
    if pa.types.is_dictionary(kind):
        cells, kind = cells.dictionary_decode(), kind.value_type
    missing = cells.is_null().to_numpy(zero_copy_only=False)
    if any(of(kind) for of in _NUMBERS):
        there, found = cells.drop_null(), np.zeros(len(cells), np.uint64)
        if len(there):
            values = there.view(_WHOLE[kind.bit_width]) if pa.types.is_temporal(kind) else there
            numbers = values.to_numpy(zero_copy_only=False)
            found[~missing] = hash_array(_rounded(numbers) if rounded and pa.types.is_floating(kind) else numbers)
        return found
    coded = _texts(cells).dictionary_encode()
    every = coded.dictionary.cast(pa.large_binary()).to_pylist()  # a damaged file may hold texts that are no UTF-8
    known = hash_array(np.array([*(one.decode(errors="backslashreplace") for one in every), ""], object))
    found = known[coded.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)]
    return np.where(missing, np.uint64(0), found)


def _rounded(numbers: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """To so many bits that hardly any number lies on an edge."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.rint(mantissa * _COARSE), exponent) + 0.0)  # no negative zero


def _texts(cells: Any) -> Any:
    """Cells of a kind that has no simple form, as Python writes them."""
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        return cells
    if pa.types.is_string_view(cells.type):
        return cells.cast(pa.large_string())
    return pa.array([None if one is None else repr(one) for one in cells.to_pylist()], pa.string())
