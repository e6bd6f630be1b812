"""What a report may say about the table and its columns; remarks on those that were dropped or may be no features."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Integers
from ..core.randomness import for_audit
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
FEWEST_PEOPLE, SHARE_OF_PEOPLE = 20, 0.01  # values, and of the rows, that a column which names people has at least
FEWEST_NUMBERS, ALL_DIFFER = 500, 0.85  # rows; how many values differ is known to some 6 %
FEWEST_CODES, MOST_CODES, REPEATED, SCATTERED = 3, 50, 10, 3
MOSTLY = 0.9
COMMAS = re.compile(rb"\s*[+-]?(\d{1,3}(\.\d{3})+|\d+),\d+\s*")
POINTS = re.compile(rb"\s*[+-]?\d+(\.\d+)?\s*")
DAYS = re.compile(rb"\s*\d{1,2}[./]\d{1,2}[./](\d{4}|\d{2})(\s.*)?")

IDENTIFIERS = {"id", "uid", "uuid", "guid", "identifier"}
NUMBERED = {"nbr", "nr", "no", "num"}
OWNERS = "user|customer|client|patient|person|member|account|device|session|order|item|record|row"  # userid, not paid
PEOPLE = "user|customer|client|patient|person|member|employee|student|subject"
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
    """Yield remarks on columns whose values may identify rows or people: a name alone shows nothing, as that of
    `education_num`. Rows of one person are no independent rows, so columns that may name people come first, those with
    most values before others."""
    named = {c.name for c in used if _is_named_like_one(c, rows) and c.name not in chosen}
    differing = {c.name for c in used if _differs(c, rows)}
    many = (c for c in used if _distinct(c) >= max(FEWEST_PEOPLE, SHARE_OF_PEOPLE * (rows - c.missing)))
    repeated = sorted((c for c in many if c.name in named - differing), key=lambda c: -_distinct(c))
    if repeated:
        every = [one.name for one in repeated]
        yield Remark("columns-named-like-identifiers" if grouped else "columns-that-may-name-people", columns=every)
    for column in used:
        if column.name not in differing:
            continue
        if isinstance(column, CategoryScan):
            if not column.is_prose:
                yield Remark("text-looks-like-identifier", column=column.name)
        elif column.name in named or rows - column.missing >= FEWEST_NUMBERS:
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
    """id, user_id, userId, PatientID, id_client, userid, patient; not paid or covid."""
    words = [word.lower() for word in WORD.findall(name)]
    if words[1:] and words[-1] in NUMBERED:  # patient_nbr, not number_of_visits
        return True
    named = bool(words) and re.fullmatch(f"({OWNERS})id|{PEOPLE}", words[-1])
    return bool(named or IDENTIFIERS & {*words[:1], *words[-1:]})


# ---- what people are called

_PEOPLE, _BINS, _MISS = 20_000, 20, 0.001  # people that are looked at, parts of their order, and what a remark may miss


def group_remarks(
    name: str, texts: pa.Array, group: Integers, labels: npt.NDArray[np.uint8], classes: int, seed: int
) -> Iterator[Remark]:
    """Whether the names of people guess labels. group (n,): of each row, the place of its person's name among `texts`.

    Half of the people, one row of each, teach what a part of a name guesses, and the others judge it. Each class counts
    alike, so that parts that tell nothing guess one of so many right, and Hoeffding's bound says how far chance goes.
    """
    lot = for_audit(seed, "names of people").permutation(len(group))
    rows = lot[np.sort(np.unique(group[lot], return_index=True)[1])][:_PEOPLE]
    names = [text.decode("utf-8", "replace") for text in texts.take(pa.array(group[rows])).to_pylist()]
    keys = [*zip(*map(_parts, names), strict=True), _bins(names)]
    (learn, judge), label = np.array_split(np.arange(len(rows)), 2), labels[rows]
    judged = np.bincount(label[judge], minlength=classes)
    there = judged > 0
    if there.sum() < 2:
        return
    by_chance = 1 / int(there.sum())
    reach = by_chance * math.sqrt(math.log(len(keys) / _MISS) / 2 * float((1 / judged[there]).sum()))
    best = 0.0
    for key in keys:
        code = np.unique(np.array(key), return_inverse=True)[1]
        counts = np.zeros((code.max() + 1, classes))
        np.add.at(counts, (code[learn], label[learn]), 1)
        guess = (counts / np.maximum(1, counts.sum(axis=0))).argmax(axis=1)[code[judge]]
        right = np.bincount(label[judge], guess == label[judge], minlength=classes)
        best = max(best, float((right[there] / judged[there]).mean()))
    if best - reach > by_chance:
        yield Remark("group-names-tell-labels", column=name, right=best, chance=by_chance)


def _parts(name: str) -> list[str]:
    """Where a name may say more than whose row it is: both ends, its length, its words and numbers, and its form."""
    pieces = [*re.findall(r"[^\W\d_]+|\d+", name)[:4], *[""] * 4][:4]
    return [name[:1], name[:2], name[-1:], name[-2:], str(len(name)), re.sub(r"\d+", "0", name), *pieces]


def _bins(names: Sequence[str]) -> Integers:
    """Parts of about one size in their order, which is that of whole numbers where names are some."""
    order = sorted(range(len(names)), key=lambda place: (len(names[place]), names[place]))
    found = np.empty(len(names), np.int64)
    found[order] = np.arange(len(names)) * _BINS // len(names)
    return found
