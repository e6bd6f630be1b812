"""Which column is the label, which are left out, which are categories whatever their type."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..core.errors import DataError, SpecError
from ..core.quoting import listed, shown
from . import ReadOptions
from .classes import are_mostly_numbers

LABELS = ("label", "y", "target", "class", "click", "clicked")
FRACTION = re.compile(r"\d[.,]\d{3}")
GLUE = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}  # what may part columns, and how it is typed


@dataclass(frozen=True)
class Roles:
    label: str
    features: tuple[str, ...]  # in the order of the file
    excluded: frozenset[str]
    categorical: frozenset[str]  # forced
    eta: tuple[str, ...] = ()  # in the order that the user gave; features too, unless they are excluded
    group: str | None = None  # whose row it is

    @property
    def read(self) -> tuple[str, ...]:
        return (*self.features, self.label)


def assign(names: Sequence[str], options: ReadOptions) -> Roles:
    if not names:
        raise DataError("the table has no columns")
    named = {
        "--exclude": options.exclude,
        "--categorical": options.categorical,
        "--eta": options.eta,
        "--group": () if options.group is None else (options.group,),
    }
    for option, columns in {"--label": () if options.label is None else (options.label,), **named}.items():
        known(option, columns, names)
    label = presumed_label(names, options) if options.label is None else options.label
    for option, columns in named.items():
        if label in columns:
            raise SpecError(f"column {shown(label)} is the label and also named by {option}")
    excluded = frozenset(options.exclude)
    _check_eta(options)
    if options.labels_only:  # a configuration file may name excluded columns and categories all the same
        return Roles(label, (), excluded, frozenset(), (), options.group)
    features = tuple(name for name in names if name not in (label, options.group, *options.exclude))
    if not features and not options.featureless:
        raise DataError("no feature columns")
    return Roles(label, features, excluded, frozenset(options.categorical) - excluded, options.eta, options.group)


def _check_eta(options: ReadOptions) -> None:
    if options.eta and options.labels_only:
        raise SpecError("--eta and --eta-file exclude each other")
    for i, name in enumerate(options.eta):
        if name in options.eta[:i]:
            raise SpecError(f"--eta: column {shown(name)} is named twice")
        if name in options.categorical:
            raise SpecError(f"column {shown(name)} is named by --eta and also by --categorical")


def known(option: str, columns: Sequence[str], names: Sequence[str]) -> None:
    """Refuses columns that are not among the names."""
    for column in columns:
        if column not in names:
            close = difflib.get_close_matches(column, names, n=3, cutoff=0.75)
            hint = f"did you mean {' or '.join(map(shown, close))}?" if close else _columns(names)
            raise SpecError(f"{option}: no column {shown(column)}", hint=glued_hint(names) or hint)


def presumed_label(names: Sequence[str], options: ReadOptions) -> str:
    """A probability may be called `click`; the only column that could be the label is not one."""
    found = [name for name in names if name.lower() in LABELS and name not in options.exclude]
    found = [name for name in found if name not in options.eta] or found
    if len(found) != 1:
        what = f"{len(found)} columns could be the label: {listed(found)}" if found else "no label column"
        raise DataError(f"{what}; {_columns(names)}", hint=glued_hint(names) or "--label COLUMN")
    return found[0]


def _columns(names: Sequence[str]) -> str:
    """Not where they may be somebody's cells, as in a table without a row of names."""
    if any(FRACTION.search(name) for name in names) or are_mostly_numbers(names):
        return "the first row looks like cells and no names of columns"
    return f"the columns are {listed(names, last=4)}"  # labels often stand last


def glued_hint(names: Sequence[str]) -> str:
    """Where a CSV file was cut at another sign than its own, one column has all names; nothing where it was not."""
    signs = [(names[0].count(sign), typed) for sign, typed in GLUE.items()] if len(names) == 1 else []
    times, typed = max(signs, default=(0, ""))
    return f"--delimiter {typed}, if this one column is several" if times else ""
