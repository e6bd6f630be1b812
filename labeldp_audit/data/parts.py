"""Parts of cells, as categories beside the columns they are of: endings of numbers, pieces of texts.

Where most rows have a cell of their own, as identifiers, amounts and instants do, a model sees how large a number is
and no more; 32 bits do not even hold the last digits of long ones. Of such a text it sees nothing at all. A sex, a
department or a status may be just there: in the last digits, in the hour, in the letter in front. Cells that are there
more often are looked at one by one. And null beside NaN, or 0 beside -0, is two kinds of cells where a model sees one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from . import levels, numbers
from .scan import LARGEST, CategoryScan, NumberScan

OWN = 0.5  # of the rows, if all cells were different: then most rows have their own
FEWEST = 255  # different cells: no more of them are looked at one by one
MOST = 32  # columns that are made, for those first in the file
DECIMALS, MOSTLY = 4, 0.9  # places behind the point, at most, and of the values
PIECES, ENDING = 6, 2  # of a text, at most, and its last characters
HUNDRED = tuple(f"{ending:02d}" for ending in range(100))
WEEKDAYS = ("Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday")  # from the first of 1970
CLOCK = (  # seconds
    ("nanoseconds", 1e-9, HUNDRED), ("microseconds", 1e-6, HUNDRED), ("milliseconds", 1e-3, HUNDRED),
    ("second", 1, HUNDRED[:60]), ("minute", 60, HUNDRED[:60]), ("hour", 3600, HUNDRED[:24]),
    ("weekday", numbers.DAY, WEEKDAYS),
)  # fmt: skip


@dataclass(frozen=True)
class Cycle:
    """Levels that numbers run through again and again: `names` of x * scale // step modulo their number."""

    column: str  # of the numbers
    what: str
    names: tuple[str, ...]
    step: int = 1
    scale: float = 1.0

    def places(self, values: numbers.Values) -> npt.NDArray[np.float64]:
        """NaN where a number is too large to have an ending."""
        if values.dtype != np.float64:
            step, many = np.array([self.step, len(self.names)], values.dtype)
            return np.asarray(values // step % many, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.mod(np.rint(values * self.scale), len(self.names)))

    def levels(self, array: pa.Array) -> pa.Array:
        piece = numbers.cells(array)
        place = self.places(piece.values)
        gone = np.isnan(place) if piece.missing is None else np.isnan(place) | piece.missing
        indices = pa.array(np.where(gone, 0, place).astype(np.int32), mask=gone)
        return pa.DictionaryArray.from_arrays(indices, pa.array(self.names))


@dataclass(frozen=True)
class Piece:
    """One of the runs of letters or of digits that a text is made of."""

    column: str
    place: int

    @property
    def what(self) -> str:
        return f"part {self.place + 1}"

    def levels(self, array: pa.Array) -> pa.Array:
        """Missing where a text has no so many."""
        parted = compute.replace_substring_regex(as_text(array), r"(\pL)(\pN)", r"\1 \2")
        parted = compute.replace_substring_regex(parted, r"(\pN)(\pL)", r"\1 \2")
        runs = compute.split_pattern_regex(parted, r"[^\pL\pN]+", max_splits=self.place + 1)
        return compute.list_element(
            compute.list_slice(runs, self.place, self.place + 1, return_fixed_size_list=True), 0
        )


@dataclass(frozen=True)
class Shape:
    """Which signs a text is made of, whatever letters and digits they are."""

    column: str
    what: str = "shape"

    def levels(self, array: pa.Array) -> pa.Array:
        texts = as_text(array)
        for signs, one in ((r"\p{Lu}", "A"), (r"\pL", "a"), (r"\pN", "9")):
            texts = compute.replace_substring_regex(texts, signs, one)
        return texts


@dataclass(frozen=True)
class Ending:
    column: str
    what: str = "last characters"

    def levels(self, array: pa.Array) -> pa.Array:
        return compute.utf8_slice_codeunits(as_text(array), -ENDING)


@dataclass(frozen=True)
class Written:
    """In which of two ways what is the same as a number is written: null or NaN, 0 or -0."""

    column: str
    what: str = "as written"

    def levels(self, array: pa.Array) -> pa.Array:
        indices = pa.array(numbers.written(array).astype(np.int32))
        return pa.DictionaryArray.from_arrays(indices, pa.array(numbers.WRITTEN))


Part = Cycle | Piece | Shape | Ending | Written


def as_text(array: pa.Array) -> pa.Array:
    texts = (array.dictionary_decode() if pa.types.is_dictionary(array.type) else array).cast(pa.string())
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:  # other files than text tables may hold any bytes
        every = texts.cast(pa.binary()).to_pylist()
        return pa.array([None if one is None else one.decode("utf-8", "backslashreplace") for one in every])
    return texts


def named(scanned: Sequence[NumberScan | CategoryScan], rows: int) -> dict[str, Part]:
    """By the names of the columns that they are to be."""
    found: dict[str, Part] = {}
    taken = {one.name for one in scanned}
    twice: list[Part] = [Written(one.name) for one in scanned if isinstance(one, NumberScan) and one.written_twice]
    for part in (*twice, *islice((part for one in scanned if differs(one, rows) for part in of(one)), MOST)):
        name = f"{part.column} ({part.what})"
        while name in taken:
            name += "'"
        taken.add(name)
        found[name] = part
    return found


def differs(scan: NumberScan | CategoryScan, rows: int) -> bool:
    """Whether most rows have a cell of their own there."""
    distinct = scan.spread.distinct if isinstance(scan, NumberScan) else scan.distinct
    return distinct > max(FEWEST, OWN * (rows - scan.missing))


def of(scan: NumberScan | CategoryScan) -> Iterator[Part]:
    if isinstance(scan, NumberScan):
        values = scan.spread.values
        yield from (one for one in _cycles(scan) if len(np.unique(one.places(values))) > 1)
        return
    kind = getattr(scan.type, "value_type", scan.type)  # of a dictionary's values
    if levels.is_text(kind) or numbers.is_number(kind):
        yield Ending(scan.name)
        yield Shape(scan.name)
        yield from (Piece(scan.name, place) for place in range(PIECES))


def _cycles(scan: NumberScan) -> Iterator[Cycle]:
    per_second = numbers.unit(scan.type)
    if pa.types.is_temporal(scan.type):
        for what, seconds, names in CLOCK:
            if seconds * per_second > 0.5:  # an instant is stored no finer than in its units
                yield Cycle(scan.name, what, names, round(seconds * per_second))
    elif (decimals := places_behind_the_point(scan.spread.values, scan.type)) is not None:
        yield Cycle(scan.name, "last digits", HUNDRED, scale=10.0**decimals)


def places_behind_the_point(values: numbers.Values, kind: pa.DataType) -> int | None:
    """That nearly all values are written with; None where they have more than make an ending."""
    if values.dtype != np.float64:
        return 0
    stored = np.float64 if kind == pa.float64() or not pa.types.is_floating(kind) else np.float32
    for decimals in range(DECIMALS + 1):
        with np.errstate(over="ignore"):
            whole = np.rint(values * 10.0**decimals)
            same = (whole / 10.0**decimals).astype(stored) == values
        if np.mean(same & (np.abs(whole) < LARGEST)) >= MOSTLY:
            return decimals
    return None
