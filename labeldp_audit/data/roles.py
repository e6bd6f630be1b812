"""Which column is the label, which are left out, which are categories whatever their type."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from ..core.errors import DataError, SpecError
from . import ReadOptions
from .levels import is_category
from .numbers import is_number
from .quoting import listed, shown

LABELS = ("label", "y", "target", "class", "click", "clicked")
GLUE = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}  # what may part columns, and how it is typed


@dataclass(frozen=True)
class Roles:
    label: str
    features: tuple[str, ...]  # in the order of the file
    excluded: frozenset[str]
    categorical: frozenset[str]  # forced
    eta: tuple[str, ...] = ()  # instead of features, in the order that the user gave
    group: str | None = None  # whose row it is

    @property
    def read(self) -> tuple[str, ...]:
        return (*self.features, *self.eta, self.label)


def assign(names: Sequence[str], options: ReadOptions) -> Roles:
    if not names:
        raise DataError("the table has no columns")
    label = options.label
    named = {
        "--exclude": options.exclude,
        "--categorical": options.categorical,
        "--eta": options.eta,
        "--group": () if options.group is None else (options.group,),
    }
    for option, columns in {"--label": () if label is None else (label,), **named}.items():
        known(option, columns, names)
    chosen = label if label is not None else presumed_label(candidates(names, options), names)
    for option, columns in named.items():
        if chosen in columns:
            raise SpecError(f"column {shown(chosen)} is the label and also named by {option}")
    if options.eta or options.labels_only:
        return without_features(chosen, options)
    features = tuple(name for name in names if name not in (chosen, options.group, *options.exclude))
    if not features:
        raise DataError("no feature columns")
    excluded = frozenset(options.exclude)
    return Roles(chosen, features, excluded, frozenset(options.categorical) - excluded, group=options.group)


def without_features(label: str, options: ReadOptions) -> Roles:
    """What is excluded of the features, or a category, does not matter then: a configuration file may say it."""
    if options.eta and options.labels_only:
        raise SpecError("--eta and --eta-file exclude each other")
    for i, name in enumerate(options.eta):
        if name in options.eta[:i]:
            raise SpecError(f"--eta: column {shown(name)} is named twice")
        for option, columns in (("--exclude", options.exclude), ("--categorical", options.categorical)):
            if name in columns:
                raise SpecError(f"column {shown(name)} is named by --eta and also by {option}")
    return Roles(label, (), frozenset(options.exclude), frozenset(), options.eta, options.group)


def candidates(names: Sequence[str], options: ReadOptions) -> list[str]:
    """A probability may be called `click`; the only column that could be the label is not one."""
    left = [name for name in names if name not in options.exclude]
    others = [name for name in left if name not in options.eta]
    return others if any(map(may_be_label, others)) else left


def known(option: str, columns: Sequence[str], names: Sequence[str]) -> None:
    for column in columns:
        if column not in names:
            raise SpecError(f"{option}: no column {shown(column)}", hint=glued_hint(names) or known_hint(column, names))


def known_hint(column: str, names: Sequence[str]) -> str:
    close = difflib.get_close_matches(column, names, n=3, cutoff=0.75)
    return f"did you mean {' or '.join(map(shown, close))}?" if close else f"columns: {listed(names)}"


def presumed_label(candidates: Sequence[str], names: Sequence[str]) -> str:
    found = [*filter(may_be_label, candidates)]
    if len(found) != 1:
        what = f"{len(found)} columns could be the label: {listed(found)}" if found else "no label column"
        raise DataError(f"{what}; the columns are {listed(names)}", hint=glued_hint(names) or "--label COLUMN")
    return found[0]


def may_be_label(name: str) -> bool:
    return name.lower() in LABELS


def glued_hint(names: Sequence[str]) -> str:
    """Where a CSV file was cut at another sign than its own, one column has all names; nothing where it was not."""
    signs = [(names[0].count(sign), typed) for sign, typed in GLUE.items()] if len(names) == 1 else []
    times, typed = max(signs, default=(0, ""))
    return f"--delimiter {typed}, if this one column is several" if times else ""


def check_label(name: str, kind: pa.DataType) -> None:
    if not (pa.types.is_null(kind) or is_category(kind) or is_number(kind)):
        raise DataError(f"a label cannot be of type {kind}", f"column {shown(name)}")
