"""The types of a text table's columns, learnt from all of its rows.

Each column starts with the narrowest type that its first rows fit and only ever widens:
whole numbers -> floats, dates -> timestamps, anything else -> text.
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import compute

# In number and date columns these mean "missing"; in a text column only an empty cell does.
MISSING = ("NA", "N/A", "#N/A", "NULL", "null", "None", "nan", "NaN", "NAN", "-nan", "n/a")

BOOLEANS = pa.array([None, "true", "false", "True", "False", "TRUE", "FALSE"])
TIME = pa.time64("us")
GLANCE = 64
UTC = "UTC"
CANDIDATES = (
    pa.int64(),
    pa.uint64(),
    pa.float64(),
    pa.bool_(),
    pa.date32(),
    pa.timestamp("us"),
    pa.timestamp("ns"),
    pa.timestamp("us", UTC),
    pa.timestamp("ns", UTC),
    TIME,
)
WIDER: dict[pa.DataType, tuple[pa.DataType, ...]] = {
    pa.int64(): (pa.uint64(), pa.float64()),
    pa.uint64(): (pa.float64(),),
    pa.date32(): (pa.timestamp("us"), pa.timestamp("ns")),
    pa.timestamp("us"): (pa.timestamp("ns"),),
    pa.timestamp("us", UTC): (pa.timestamp("ns", UTC),),
}


def narrowest(texts: pa.Array, known: pa.DataType | None) -> pa.Array:
    """The cells in the first type, `known` or wider, that they fit."""
    unknown = known is None or pa.types.is_null(known)
    for kind in (pa.null(), *CANDIDATES) if unknown else (known, *WIDER.get(known, ())):
        try:
            parsed(texts.slice(0, GLANCE), kind)  # a type that does not fit shows here already, and sooner
            return parsed(texts, kind)
        except pa.ArrowInvalid:
            continue
    return texts


def parsed(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Raises ArrowInvalid where a text does not fit. Most cells need no cleaning, so that comes second."""
    if pa.types.is_string(kind):
        return texts
    try:
        return cast(texts, kind)
    except pa.ArrowInvalid:
        return cast(cleaned(texts), kind)


def cleaned(texts: pa.Array) -> pa.Array:
    trimmed = compute.utf8_trim_whitespace(texts)
    missing = compute.is_in(trimmed, pa.array(("", *MISSING)))
    return compute.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def cast(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_null(kind):
        if texts.null_count < len(texts):
            raise pa.ArrowInvalid("not empty")
        return pa.nulls(len(texts))
    if pa.types.is_boolean(kind) and not compute.all(compute.is_in(texts, BOOLEANS)).as_py():
        raise pa.ArrowInvalid("neither true nor false")  # pyarrow would take 0 and 1 as well
    if kind == TIME:  # pyarrow parses times of day only behind a date
        texts = compute.binary_join_element_wise(pa.scalar("1970-01-01"), texts, pa.scalar(" "))
        return texts.cast(pa.timestamp("us")).cast(TIME)
    return texts.cast(kind)
