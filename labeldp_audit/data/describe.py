"""What a report may say about the table and its columns; remarks on those that were dropped or may be no features."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from ..core.remark import SPELLED_ALIKE, Remark
from ..core.table import Column, Dataset
from .classes import Classes, spelled_alike
from .encode import Encoder
from .levels import is_text
from .numbers import is_whole, unit
from .roles import Roles
from .scan import CategoryScan, NumberScan, Scan
from .sources.contract import Source

FAR = 1000.0  # deviations of all in one of most: then a few lie far out
IDENTIFIER_SHARE = 0.95
IDENTIFIER_ROWS = 50
MOSTLY_MISSING = 0.5
FEWEST_NUMBERS, ALL_DIFFER = 500, 0.85  # rows; how many values differ is known to some 6 %
FEWEST_CODES, MOST_CODES, REPEATED, SCATTERED = 3, 50, 10, 3
MOSTLY = 0.9
COMMAS = re.compile(rb"\s*[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+\s*")
POINTS = re.compile(rb"\s*[+-]?\d+(\.\d+)?\s*")
DAYS = re.compile(rb"\s*\d{1,2}[./]\d{1,2}[./](\d{4}|\d{2})(\s.*)?")

IDENTIFIERS = {"id", "uid", "uuid", "guid", "identifier"}
NUMBERED = {"nbr", "nr", "no", "num"}
OWNERS = "user|customer|client|patient|person|member|account|device|session|order|item|record|row"  # userid, not paid
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")  # user, Id; ID, Number

Encoders = Mapping[str, Encoder | None]


def dataset(source: Source, roles: Roles, scanned: Scan, classes: Classes, encoders: Encoders, sha256: str) -> Dataset:
    return Dataset(
        name=source.name,
        sha256=sha256,
        rows=scanned.rows,
        rows_used=scanned.label.used,
        label=roles.label,
        positive=classes.positive,
        classes=classes.names,
        class_counts=classes.counts,
        columns=columns(source, roles, scanned, encoders),
    )


def columns(source: Source, roles: Roles, scanned: Scan, encoders: Encoders) -> tuple[Column, ...]:
    """In the order of the file."""
    types, label = source.types, scanned.label
    known = {roles.label: Column(roles.label, "label", type_name(label.type), label.missing)}
    if roles.group is not None:
        known[roles.group] = Column(roles.group, "group", type_name(types[roles.group] or pa.string()))
    for name, column in zip(roles.features, scanned.columns, strict=True):
        known[name] = feature(name, column, encoders[name], label.used)
    for name in roles.eta:  # a probability spelled as text is read as a float64
        text = types[name] is None or is_text(types[name])
        known[name] = Column(name, "eta", str(pa.float64()) if text else type_name(types[name]))
    for name in types.keys() - known.keys():  # a text file's cells are only text as long as they are not read
        known[name] = Column(name, "excluded", "text" if types[name] is None else type_name(types[name]))
    return tuple(known[name] for name in types)


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


def remarks(scanned: Scan, encoders: Encoders, chosen: Collection[str] = (), grouped: bool = False) -> Iterator[Remark]:
    """What may make a limit false stands first. chosen: columns of which the user has said that they are categories;
    grouped: it is known whose row each is."""
    used_rows = scanned.label.used
    if scanned.label.missing:
        yield Remark("labels-missing", rows=scanned.label.missing)
    if alike := spelled_alike(scanned.label.counts):
        yield Remark(SPELLED_ALIKE, labels=alike)
    used = [c for c in scanned.columns if c is not None and encoders[c.name] is not None]
    measured = [c for c in used if isinstance(c, NumberScan)]
    texts = [c for c in used if isinstance(c, CategoryScan) and c.name not in chosen]
    yield from identifiers(used, used_rows, chosen, grouped)
    yield from misread(texts)
    if odd := [c.name for c in measured if c.moments.deviation > FAR * c.spread.middle(unit(c.type))[1]]:
        yield Remark("columns-with-values-far-out", columns=odd)
    yield from codes(measured)
    if sparse := [c.name for c in used if c.missing > MOSTLY_MISSING * used_rows]:
        yield Remark("columns-mostly-missing", columns=sparse)
    if constant := [name for name, one in encoders.items() if one is None]:
        yield Remark("columns-constant", columns=constant)


def identifiers(
    used: Sequence[NumberScan | CategoryScan], rows: int, chosen: Collection[str], grouped: bool
) -> Iterator[Remark]:
    """Categories show themselves by their values; numbers all differ anyway, so their name has to do. Rows of one
    person are no independent rows, so columns that may name people come first, those with most values before others."""
    named = {c.name for c in used if _is_named_like_one(c, rows) and c.name not in chosen}
    differing = {c.name for c in used if _differs(c, rows)}
    repeated = sorted((c for c in used if c.name in named - differing), key=lambda c: -_distinct(c))
    if repeated:
        every = [one.name for one in repeated]
        yield Remark("columns-named-like-identifiers" if grouped else "columns-that-may-name-people", columns=every)
    for column in used:
        if column.name not in differing:
            continue
        if isinstance(column, CategoryScan):
            yield Remark("text-looks-like-identifier", column=column.name)
        elif column.name in named:
            yield Remark("number-named-like-identifier", column=column.name)
        elif rows - column.missing >= FEWEST_NUMBERS:
            yield Remark("number-differs-in-each-row", column=column.name)


def _is_named_like_one(column: NumberScan | CategoryScan, rows: int) -> bool:
    """A few texts show nothing."""
    fit = rows - column.missing >= IDENTIFIER_ROWS if isinstance(column, CategoryScan) else is_whole(column.type)
    return fit and names_identifier(column.name)


def _distinct(column: NumberScan | CategoryScan) -> float:
    return column.distinct if isinstance(column, CategoryScan) else column.spread.distinct


def _differs(column: NumberScan | CategoryScan, rows: int) -> bool:
    """Has nearly every row a value of its own?"""
    present = rows - column.missing
    if isinstance(column, CategoryScan):
        return present >= IDENTIFIER_ROWS and column.distinct >= IDENTIFIER_SHARE * present
    return is_whole(column.type) and column.spread.distinct >= ALL_DIFFER * present


_WRITTEN = ((COMMAS, "text-of-decimal-commas"), (POINTS, "text-of-numbers"), (DAYS, "text-of-days"))


def misread(columns: Iterable[CategoryScan]) -> Iterator[Remark]:
    """Texts that are numbers or days elsewhere: a model sees little in them, and the risk looks smaller than it is."""
    columns = [c for c in columns if is_text(c.type) and c.first]
    for written, code in _WRITTEN:
        alike = (c for c in columns if sum(bool(written.fullmatch(one)) for one in c.first) >= MOSTLY * len(c.first))
        if names := [one.name for one in alike]:
            yield Remark(code, columns=names)


def codes(measured: list[NumberScan]) -> Iterator[Remark]:
    """Whole numbers of few values far from each other are names rather than amounts."""
    found = []
    for column in measured:
        distinct = column.spread.distinct
        few = FEWEST_CODES <= distinct <= min(MOST_CODES, column.moments.count / REPEATED) and is_whole(column.type)
        if few and column.moments.high - column.moments.low >= SCATTERED * distinct:
            found.append(column.name)
    if found:
        yield Remark("numbers-look-like-codes", columns=found)


def names_identifier(name: str) -> bool:
    """id, user_id, userId, PatientID, id_client, userid; not paid or covid."""
    words = [word.lower() for word in WORD.findall(name)]
    if words[1:] and words[-1] in NUMBERED:  # patient_nbr, not number_of_visits
        return True
    glued = bool(words) and re.fullmatch(f"({OWNERS})id", words[-1])
    return bool(glued or IDENTIFIERS & {*words[:1], *words[-1:]})
