"""Records of two tables that are the same: 64 bits of the values of each, however a file spells them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from ..core.arrays import Integers
from . import ReadOptions, levels, numbers
from .levels import Words
from .publish import canonical
from .read import how_text
from .scan import settled
from .sources.batches import about, rows_per_batch
from .sources.locate import locate

_COARSE = 1 << 16  # of a number's mantissa, where texts and columns spell fractions to different digits
_EXACT = 2.0**53
Types = Mapping[str, pa.DataType]


class Records(NamedTuple):
    """Two that differ have the same hash with a probability of 2^-64."""

    hashes: Words  # (n,)
    columns: Mapping[str, int]  # sums of the hashes of their cells, which say what column differs
    types: Types


class Form(Enum):
    """As what cells are hashed."""

    VALUES = "values"  # whole numbers are the same in all types, and an empty text is a missing one
    RELEASE = "release"  # exactly what a release holds
    RELEASE_AS_TEXT = "release as text"  # the same, of a CSV file
    AS_RELEASED = "as released"  # what a release of these cells would hold
    AS_RELEASED_TEXT = "as released text"


_TEXT = (Form.RELEASE_AS_TEXT, Form.AS_RELEASED_TEXT)
_NUMBERS = (pa.types.is_integer, pa.types.is_floating)


def records(
    source: object, names: Collection[str], options: ReadOptions, form: Form = Form.VALUES,
    types: Types | None = None, rounded: bool = False,
) -> Records:  # fmt: skip
    """Hash these columns. types: of another table, in which values are read before they are hashed."""
    types = types or {}
    texts = tuple(name for name, kind in types.items() if levels.is_category(kind))
    texts = tuple(names) if form is Form.RELEASE_AS_TEXT else texts
    with ExitStack() as until:
        found = locate(source, how_text(replace(options, categorical=texts) if texts else options), until)
        wanted = [name for name in found.types if name in names]
        read = wanted or [*found.types][:1]  # which counts the rows
        parts, sums, kinds = [np.empty(0, np.uint64)], dict.fromkeys(wanted, 0), dict[str, pa.DataType]()
        with about(found.name):
            for batch in settled(lambda: [*found.batches(read, rows_per_batch(len(read)))]):
                rows = np.zeros(batch.num_rows, np.uint64)
                for name in wanted:
                    cells = batch.column(name)
                    kinds[name] = cells.type
                    words = _words(_in_type(cells, types.get(name)), form, rounded)
                    words = levels.mixed(words ^ levels.name_seed(name))
                    sums[name] = (sums[name] + int(words.sum(dtype=np.uint64))) % 2**64
                    rows += words
                parts.append(levels.mixed(rows))
    return Records(np.concatenate(parts), sums, kinds)


def _in_type(cells: pa.Array, kind: pa.DataType | None) -> pa.Array:
    if kind is not None and kind != cells.type and not levels.is_category(kind):
        with suppress(pa.ArrowException):  # what cannot be cast is another value
            return cells.cast(kind)
    return cells


def _words(cells: pa.Array, form: Form, rounded: bool) -> Words:
    """Return 64 bits of each cell, (n,)."""
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    cells = canonical(cells) if form in (Form.AS_RELEASED, Form.AS_RELEASED_TEXT) else cells
    cells = cells.cast(pa.string()) if form is Form.AS_RELEASED_TEXT and numbers.is_number(cells.type) else cells
    exact, kind = form is not Form.VALUES, cells.type
    if any(of(kind) for of in _NUMBERS) or (not exact and numbers.is_number(kind)):
        return _number_words(cells, exact, rounded)
    if not (levels.is_category(kind) or numbers.is_number(kind)):  # a nested column, as another tool may publish one
        cells = pa.array([None if one is None else repr(one) for one in cells.to_pylist()], pa.string())
    coded = levels.codes(cells)
    words = np.append(levels.hashed(coded.levels, "" if levels.is_category(kind) else str(kind)), levels.MISSING)
    if not exact or form in _TEXT:
        words[:-1][compute.binary_length(coded.levels).to_numpy() == 0] = levels.MISSING
    return np.asarray(words[coded.code])


def _number_words(cells: pa.Array, exact: bool, rounded: bool) -> Words:
    """exact: -0 is not 0, and NaN is not missing."""
    piece = numbers.cells(cells)
    values, whole = piece.values.astype(np.float64), piece.values.dtype != np.float64
    if exact and not whole:
        values = np.asarray(cells.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False))
        return np.where(cells.is_null().to_numpy(zero_copy_only=False), levels.MISSING, values.view(np.uint64))
    values = values + 0.0
    if rounded and not whole:
        mantissa, exponent = np.frexp(values)
        values = np.ldexp(np.rint(mantissa * _COARSE), exponent) + 0.0
    large = whole & (np.abs(values) >= _EXACT)
    words = np.where(large, levels.mixed(piece.values.view(np.uint64)), values.view(np.uint64))
    return words if piece.missing is None else np.where(piece.missing, levels.MISSING, words)


# ---- which is which


@dataclass(frozen=True)
class Match:
    """Which row of the original each row of the release is."""

    row: Integers  # (n,) of those that are published, or -1 where several are alike that have different labels
    alone: npt.NDArray[np.bool_]  # (n,) whether it is known which it is: no other row is like it, or the order is known
    alike: Integers  # (n,) as `row`, and of those that are alike any, each once
    group: Integers  # (n,) a number that rows that are alike share
    strange: int = 0  # rows of the release that are none of the original, and the other way round


def match(ours: Words, theirs: Words, labels: Integers, order: Integers | None = None) -> Match:
    """Match the records of a release, `theirs`, with those of its original. labels (n,) of the original tell which of
    the rows that are alike may stand for each other. order: the key to the order of the release, if it is known."""
    nowhere = np.full(len(theirs), -1)
    if order is not None:
        if len(ours) == len(theirs) == len(order) and np.array_equal(ours[order], theirs):
            return Match(order, np.ones(len(order), bool), order, np.arange(len(order)))
        fits = ours[order] == theirs if len(ours) == len(theirs) == len(order) else np.zeros(1, bool)
        return Match(nowhere, nowhere >= 0, nowhere, nowhere, max(int(np.sum(~fits)), abs(len(ours) - len(theirs))))
    by_hash, place = np.argsort(ours, kind="stable"), np.argsort(theirs, kind="stable")
    if len(ours) != len(theirs) or np.any(ours[by_hash] != theirs[place]):
        strange = max(1, int(np.sum(~np.isin(theirs, ours))), abs(len(ours) - len(theirs)))
        return Match(nowhere, nowhere >= 0, nowhere, nowhere, strange)
    starts = np.flatnonzero(np.diff(ours[by_hash], prepend=~ours[by_hash][:1]))
    many, sorted_labels = np.diff(np.append(starts, len(ours))), labels[by_hash]
    mixed = np.maximum.reduceat(sorted_labels, starts) != np.minimum.reduceat(sorted_labels, starts)
    alike, row, group = nowhere.copy(), nowhere.copy(), nowhere.copy()
    alone = np.zeros(len(theirs), bool)
    alike[place] = by_hash
    row[place] = np.where(np.repeat(mixed, many), -1, by_hash)
    alone[place] = np.repeat(many == 1, many)
    group[place] = np.repeat(np.arange(len(many)), many)
    return Match(row, alone, alike, group)
