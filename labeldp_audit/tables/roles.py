"""Which column is the label, which are left out, which are categories whatever their type."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from ..errors import DataError, SpecError
from .levels import is_category
from .numbers import is_number
from .wording import argument, listed, shown

LABELS = ("label", "y", "target", "class", "click", "clicked")


@dataclass(frozen=True)
class Roles:
    label: str
    features: tuple[str, ...]  # in the order of the file
    excluded: frozenset[str]
    categorical: frozenset[str]  # forced

    @property
    def read(self) -> tuple[str, ...]:
        return (*self.features, self.label)


def assign(names: Sequence[str], label: str | None, exclude: Sequence[str], categorical: Sequence[str]) -> Roles:
    if not names:
        raise DataError("the table has no columns")
    for option, columns in (("--label", [label] if label is not None else []), ("--exclude", exclude)):
        known(option, columns, names)
    known("--categorical", categorical, names)
    chosen = label if label is not None else presumed_label([name for name in names if name not in exclude], names)
    for option, columns in (("--exclude", exclude), ("--categorical", categorical)):
        if chosen in columns:
            raise SpecError(f"column {shown(chosen)} is the label and also named by {option}")
    features = tuple(name for name in names if name != chosen and name not in exclude)
    if not features:
        raise DataError("no feature columns")
    return Roles(chosen, features, frozenset(exclude), frozenset(categorical) - frozenset(exclude))


def known(option: str, columns: Sequence[str], names: Sequence[str]) -> None:
    for column in columns:
        if column not in names:
            close = difflib.get_close_matches(column, names, n=3, cutoff=0.75)
            hint = f"did you mean {' or '.join(map(shown, close))}?" if close else f"columns: {listed(names)}"
            raise SpecError(f"{option}: no column {shown(column)}", hint=hint)


def presumed_label(candidates: Sequence[str], names: Sequence[str]) -> str:
    found = [name for name in candidates if name.lower() in LABELS]
    if len(found) != 1:
        what = f"{len(found)} columns could be the label: {listed(found)}" if found else "no label column"
        raise DataError(f"{what}; the columns are {listed(names)}", hint=label_hint(names))
    return found[0]


def label_hint(names: Sequence[str]) -> str:
    glued = len(names) == 1 and any(sign in names[0] for sign in ";\t|")
    return "--delimiter, as this looks like one column that is several" if glued else "--label COLUMN"


def check_label(name: str, kind: pa.DataType) -> None:
    if not (pa.types.is_null(kind) or is_category(kind) or is_number(kind)):
        raise DataError(f"a label cannot be of type {kind}", f"column {shown(name)}")


def kind_of(name: str, kind: pa.DataType, forced: bool) -> str:
    """`constant` is a column without any value; others may turn out to be."""
    if pa.types.is_null(kind):
        return "constant"
    if is_category(kind) or (forced and is_number(kind)):
        return "category"
    if is_number(kind):
        return "number"
    raise DataError(
        f"cannot audit a column of type {kind}", f"column {shown(name)}", hint=f"--exclude {argument(name)}"
    )
