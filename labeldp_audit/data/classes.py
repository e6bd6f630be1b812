"""The label column: which values it has, which of them is the positive class."""

from __future__ import annotations

import decimal
import itertools
import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError, SpecError
from ..core.progress import Progress
from ..core.quoting import listed, shown
from ..core.remark import RARER, Remark
from .levels import as_binary, is_category, without_nan
from .numbers import is_number

MOST_CLASSES, MOST_NUMBERS = 100, 20  # numbers and dates are measured, not told apart, where there are more
LONGEST = 100  # characters of a label
MOST_COUNTED = 1000  # labels: a message names no larger number
POSITIVE = ("true", "yes", "1")
REST, OTHERS = "rest", "others"  # what is not the positive class, where there are more than two


TextCodes = tuple[Integers, list[str]]


@dataclass(frozen=True)
class Classes:
    """The classes of a label, of two the negative first; `index` says which class a label's text belongs to."""

    names: tuple[str, ...]
    counts: tuple[int, ...]
    index: dict[str, int]
    positive: str | None  # None where there are more than two
    remarks: tuple[Remark, ...] = ()

    def of(self, name: str) -> int:
        """What was not kept is not the positive class."""
        return self.index[name] if self.positive is None else self.index.get(name, 0)


class Labelled(NamedTuple):
    """Rows of a batch that have a label."""

    batch: pa.RecordBatch
    code: Integers  # of each of these rows, among `names`
    names: list[str]
    there: npt.NDArray[np.bool_]  # which rows of the whole batch these are
    before: int  # rows of the file before the batch

    @property
    def rows(self) -> Integers:
        """Their numbers in the file, from 0."""
        return self.before + np.flatnonzero(self.there)


def labelled(
    batches: Iterable[pa.RecordBatch], progress: Progress, codes: Callable[[pa.Array], TextCodes] | None = None,
    label: int = -1,
) -> Iterator[Labelled]:  # fmt: skip
    """codes: what to make of labels, if not `text_codes`; label: which of the columns they are."""
    before = 0
    for batch in batches:
        code, names = (codes or text_codes)(batch.column(label))
        _check_lengths(code, names, batch.schema.field(label).name, before)
        there = code < len(names)
        kept = batch if there.all() else batch.filter(pa.array(there))
        yield Labelled(kept, code[there], names, there, before)
        before += batch.num_rows
        progress.advance(batch.num_rows)


def _check_lengths(code: Integers, names: list[str], label: str, before: int) -> None:
    """Refuse a label that holds other cells, as after a quotation mark that nothing closes, without quoting it."""
    for at, name in enumerate(names):
        lines = "\n" in name or "\r" in name
        if lines or len(name) > LONGEST:
            what = "a label with a line break" if lines else f"a label of {len(name):,} characters, {LONGEST} at most"
            row = before + int(np.argmax(code == at)) + 1
            hint = "in a CSV file, close the quotation mark that opens in this row"
            raise DataError(what, f"column {shown(label)}", f"row {row}", hint=hint)


def text_codes(array: pa.Array) -> TextCodes:
    """Row i has the class `texts[code[i]]`, or none where code[i] == len(texts)."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_floating(array.type):
        array = without_nan(array.cast(pa.float32()) if array.type == pa.float16() else array).cast(pa.float64())
    if is_category(array.type):
        array = as_binary(array)
    encoded = array.dictionary_encode()
    code = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    return code.astype(np.int64), texts(encoded.dictionary)


def check_number(found: int, kind: pa.DataType, label: str) -> None:
    """Refuses a label with more classes than can be told apart."""
    numeric = is_number(kind)
    most = MOST_NUMBERS if numeric else MOST_CLASSES
    if found <= most:
        return
    number = f"more than {MOST_COUNTED:,}" if found > MOST_COUNTED else f"{found:,}"
    of = f"{'dates' if pa.types.is_temporal(kind) else 'numbers'}: " if numeric else ""
    what = f"{number} different labels: too many classes ({of}{most} at most)"
    raise DataError(what, f"column {shown(label)}", hint=BINS if numeric else ONE_AGAINST_REST)


ONE_AGAINST_REST = "--positive VALUE audits one against the rest"
BINS = f"{ONE_AGAINST_REST}; or put the numbers into bins first"


def texts(distinct: pa.Array) -> list[str]:
    if pa.types.is_large_binary(distinct.type):
        return [value.decode("utf-8", "backslashreplace") for value in distinct.to_pylist()]
    if pa.types.is_timestamp(distinct.type):
        distinct = distinct.cast(pa.timestamp(distinct.type.unit))  # the zone's name is not needed to tell them apart
    if pa.types.is_temporal(distinct.type) and not pa.types.is_duration(distinct.type):
        distinct = distinct.cast(pa.string())
    return [spelled(value) for value in distinct.to_pylist()]


def spelled(value: object) -> str:
    """`true`, `1` for 1 and 1.0, `0.5`."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float | decimal.Decimal) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def decide(
    counts: dict[str, int], positive: str | None, label: str, many: bool = False, rest: int = 0, rarer: bool = False
) -> Classes:
    """Two classes, or the positive one against the rest, or all of them where `many` are wanted. rest: rows whose
    labels were not kept, and are not the positive one. rarer: of two classes take the rarer one where neither
    `positive` nor the values say which is positive."""
    if len(counts) < 2 and not rest:
        only = f"the label has one class only, {shown(next(iter(counts)))}" if counts else "the label has no values"
        raise DataError(only, f"column {shown(label)}")
    # Numbers by value, everything else by its text.
    known = sorted(counts, key=lambda name: (value if (value := as_number(name)) is not None else math.inf, name))
    if positive is None and len(known) > 2:
        if many:
            index = {name: c for c, name in enumerate(known)}
            return Classes(tuple(known), tuple(counts[name] for name in known), index, None)
        what = f"not yet supported: more than two classes ({listed(known)})"
        raise DataError(what, f"column {shown(label)}", hint="--positive VALUE audits one class against the rest")
    remarks: tuple[Remark, ...] = ()
    if positive is not None:
        chosen = named(known, positive, label, rest)
    elif (by_value := presumed(known)) is not None:
        chosen = by_value
    elif rarer:
        chosen = min(known, key=lambda name: (counts[name], name))
        remarks = (Remark(RARER, label=label, positive=chosen),)
    else:
        values = f"{shown(known[0])} or {shown(known[1])}"
        raise SpecError(f"which class of the label {shown(label)} is positive: {values}?", hint="--positive VALUE")
    others = [name for name in known if name != chosen]
    negative = others[0] if len(others) == 1 and not rest else REST if chosen != REST else OTHERS
    total = sum(counts[name] for name in others) + rest
    index = {name: int(name == chosen) for name in known}
    return Classes((negative, chosen), (total, counts[chosen]), index, chosen, remarks)


def as_number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def are_mostly_numbers(names: Sequence[str]) -> bool:
    """Check whether names are mostly numbers that do not count on by 1: cells of a row, and not 0, 1, 2 of pandas."""
    numbers = sorted(value for name in names if "_" not in name and (value := as_number(name)) is not None)
    counted = all(a.is_integer() and b == a + 1 for a, b in itertools.pairwise(numbers))
    return 2 * len(numbers) > len(names) and not counted


def named(known: list[str], positive: str, label: str, rest: int) -> str:
    truths = set(known) == {"false", "true"}
    found = [name for name in known if may_be(name, positive) or (truths and name == positive.lower())]
    if found:
        return positive if positive in found else found[0]
    what, more = f"no class {shown(positive)} in the label {shown(label)}", ", and others" if rest else ""
    raise SpecError(what, hint=f"its classes: {listed(known)}{more}")


def may_be(name: str, positive: str) -> bool:
    """The class that was asked for, as it is written or as a number."""
    value = as_number(positive)
    return name == positive or (value is not None and as_number(name) == value)


def spelled_alike(names: Iterable[str]) -> list[str]:
    """Those that are one number, or the same but for capitals, blanks around them and forms of a letter."""
    alike: dict[float | str, list[str]] = {}
    for name in names:
        value = as_number(name)
        alike.setdefault(unicodedata.normalize("NFKC", name).strip().casefold() if value is None else value, []).append(
            name
        )
    return [name for same in alike.values() if len(same) > 1 for name in sorted(same)]


def presumed(known: list[str]) -> str | None:
    """Return the class that is positive by its value, or None where values do not decide."""
    if all(as_number(name) is not None for name in known):
        return known[-1]
    found = [name for name in known if name.lower() in POSITIVE]
    return found[0] if len(found) == 1 else None
