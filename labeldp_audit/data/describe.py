"""What a report may say about the table and its columns."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pyarrow as pa

from ..core.table import Column, Dataset
from .classes import Classes
from .encode import Encoder
from .probabilities import is_text
from .roles import Roles
from .scan import CategoryScan, NumberScan, Scan
from .sources.contract import Source

Encoders = Mapping[str, Encoder | None]


def dataset(source: Source, roles: Roles, scanned: Scan, classes: Classes, encoders: Encoders, sha256: str) -> Dataset:
    return Dataset(
        name=source.name,
        sha256=sha256,
        rows=scanned.rows,
        rows_used=scanned.used,
        label=roles.label,
        positive=classes.positive,
        classes=classes.names,
        class_counts=classes.counts,
        columns=columns(source, roles, scanned, encoders),
    )


def columns(source: Source, roles: Roles, scanned: Scan, encoders: Encoders) -> tuple[Column, ...]:
    """In the order of the file."""
    known = {
        name: feature(name, column, encoders[name], scanned.used)
        for name, column in zip(roles.features, scanned.columns, strict=True)
    }
    known[roles.label] = Column(roles.label, "label", type_name(scanned.label_type), scanned.label.missing)
    types = source.types()
    if roles.group is not None:
        known[roles.group] = Column(roles.group, "group", type_name(types[roles.group] or pa.string()))
    known |= {name: Column(name, "eta", read_as(types[name])) for name in roles.eta}
    return tuple(known.get(name) or excluded(name, types[name]) for name in source.names())


def excluded(name: str, kind: object) -> Column:
    """A text file's cells are only text as long as nobody reads them."""
    return Column(name, "excluded", "text" if kind is None else type_name(kind))


def read_as(kind: pa.DataType | None) -> str:
    """A probability spelled as text is read as a float64."""
    return str(pa.float64()) if is_text(kind) else type_name(kind)


def type_name(kind: object) -> str:
    """As the schema says, but for pyarrow's long way of writing dictionaries."""
    held = re.fullmatch(r"dictionary<values=(.*?), indices=.*>", str(kind))
    return f"dictionary<{held[1]}>" if held else str(kind)


def feature(name: str, column: NumberScan | CategoryScan | None, one: Encoder | None, used: int) -> Column:
    if column is None:
        return Column(name, "constant", "null", used)
    if one is None:
        return Column(name, "constant", type_name(column.type), column.missing)
    if isinstance(column, NumberScan):
        return Column(name, "number", type_name(column.type), column.missing, None, one.width)
    levels = column.distinct + (column.missing > 0)
    return Column(name, "category", type_name(column.type), column.missing, levels, one.width)
