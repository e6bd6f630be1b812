"""What is said about a table that was read: columns that were dropped, or that may not be features."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pyarrow as pa

from .encode import Encoder
from .numbers import unit
from .quoting import argument, listed, shown
from .robust_scale import FAR
from .roles import Roles
from .scan import CategoryScan, NumberScan, Scan

IDENTIFIER_SHARE = 0.95
IDENTIFIER_ROWS = 50
MOSTLY_MISSING = 0.5

IDENTIFIERS = {"id", "uid", "uuid", "guid", "identifier"}
OWNERS = "user|customer|client|patient|person|member|account|device|session|order|item|record|row"  # userid, not paid
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # user, Id; ID, Number


def remarks(roles: Roles, scanned: Scan, encoders: Mapping[str, Encoder | None]) -> Iterator[str]:
    if scanned.label.missing:
        yield f"rows without a label, dropped: {scanned.label.missing:,}"
    constant = [name for name, one in encoders.items() if one is None]
    if constant:
        yield f"constant, so dropped: {listed(constant)}"
    used = [c for c in scanned.columns if c is not None and encoders[c.name] is not None]
    for column in used:
        yield from identifiers(column, scanned.used)
    odd = [c.name for c in used if isinstance(c, NumberScan) and c.moments.deviation > FAR * size_of_most(c)]
    if odd:
        yield (
            f"a few values thousands of times as far out as most, as codes for missing ones may be: {listed(odd)}; "
            "distances (knn) hardly see the others"
        )
    sparse = [c.name for c in used if c.missing > MOSTLY_MISSING * scanned.used]
    if sparse:
        yield f"mostly missing: {listed(sparse)}"


def size_of_most(column: NumberScan) -> float:
    return column.spread.middle(unit(column.type))[1]


def identifiers(column: NumberScan | CategoryScan, used: int) -> Iterator[str]:
    """Categories show themselves by their values; numbers all differ anyway, so their name has to do."""
    if isinstance(column, CategoryScan):
        if identifies(column, used):
            yield f"column {shown(column.name)} looks like an identifier; --exclude {argument(column.name)} if it is"
    elif is_whole(column.type) and names_identifier(column.name):
        named = f"column {shown(column.name)} is named like an identifier"
        yield f"{named} and read as a number; --exclude or --categorical"


def identifies(column: CategoryScan, used: int) -> bool:
    present = used - column.missing
    return present >= IDENTIFIER_ROWS and column.distinct >= IDENTIFIER_SHARE * present


def is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or (pa.types.is_decimal(kind) and kind.scale == 0))


def names_identifier(name: str) -> bool:
    """id, user_id, userId, PatientID, id_client, userid; not paid or covid."""
    words = [word.lower() for word in WORD.findall(name)]
    glued = bool(words) and re.fullmatch(f"({OWNERS})id", words[-1])
    return bool(glued or IDENTIFIERS & {*words[:1], *words[-1:]})
