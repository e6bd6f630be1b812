"""The two passes, and what is said about the table afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

from .. import engine, model
from ..errors import DataError
from . import ReadOptions
from .batches import about, rows_per_batch
from .classes import decide
from .content import Digest, unchanged
from .describe import dataset
from .encode import Encoder, Standard, encode, encoder
from .locate import locate
from .roles import Roles, assign
from .scan import CategoryScan, Scan, scan
from .source import Source
from .wording import argument, listed, shown

IDENTIFIER_SHARE = 0.95
IDENTIFIER_ROWS = 50
MOSTLY_MISSING = 0.5


def read_table(place: str, options: ReadOptions, progress: engine.Progress) -> model.Table:
    with ExitStack() as until:
        source = locate(place, options.delimiter, frozenset(options.categorical), until)
        with about(source.name), unchanged(source.contents()):
            return two_passes(source, options, progress)


def two_passes(source: Source, options: ReadOptions, progress: engine.Progress) -> model.Table:
    roles = assign(source.names(), options.label, options.exclude, options.categorical)
    size = rows_per_batch(len(roles.read))
    with Digest(source.contents()) as digest:
        scanned = scan(source, roles, size, progress)
        sha256 = digest.result()
    check_labels(scanned, roles, options.drop_null_labels)
    classes = decide(scanned.label.counts, options.positive, roles.label)
    encoders = dict(zip(roles.features, map(encoder, scanned.columns), strict=True))
    check_memory(scanned.used * sum(one.width for one in in_order(encoders)) * 4)
    encoded = encode(source, roles, scanned, classes, in_order(encoders), size, progress)
    return model.Table(
        encoded.points,
        encoded.labels,
        dataset(source, roles, scanned, classes, encoders, sha256),
        tuple(warnings(roles, scanned, encoders)),
        encoded.row_numbers,
    )


def check_labels(scanned: Scan, roles: Roles, drop: bool) -> None:
    if scanned.label.missing and not drop:
        what = f"missing labels: {scanned.label.missing:,} of {scanned.rows:,}"
        raise DataError(what, f"column {shown(roles.label)}", hint="--drop-null-labels")
    if scanned.used < 2:
        raise DataError(f"too few rows: {scanned.used}")


def check_memory(needed: int) -> None:
    """Before the work, not after half of it."""
    there = installed_memory()
    if there is not None and needed > there:
        what = f"the encoded table needs {needed / 1e9:,.1f} GB of memory, this machine has {there / 1e9:,.1f} GB"
        raise DataError(what, hint="--exclude columns that are no features, or audit fewer rows")


def installed_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def in_order(encoders: dict[str, Encoder | None]) -> list[Encoder]:
    """Numbers first, so that what comes behind them cannot change how their distances are rounded."""
    kept = [one for one in encoders.values() if one is not None]
    if not kept:
        raise DataError("no feature columns: every one is constant")
    return [one for one in kept if isinstance(one, Standard)] + [one for one in kept if not isinstance(one, Standard)]


def warnings(roles: Roles, scanned: Scan, encoders: dict[str, Encoder | None]) -> Iterator[str]:
    if scanned.label.missing:
        yield f"rows without a label, dropped: {scanned.label.missing:,}"
    constant = [name for name, one in encoders.items() if one is None]
    if constant:
        yield f"constant, so dropped: {listed(constant)}"
    for name, column in zip(roles.features, scanned.columns, strict=True):
        if isinstance(column, CategoryScan) and identifies(column, scanned.used):
            yield f"column {shown(name)} looks like an identifier; --exclude {argument(name)} if it is"
    sparse = [c.name for c in scanned.columns if c is not None and c.missing > MOSTLY_MISSING * scanned.used]
    sparse = [name for name in sparse if encoders[name] is not None]
    if sparse:
        yield f"mostly missing: {listed(sparse)}"


def identifies(column: CategoryScan, used: int) -> bool:
    present = used - column.missing
    return present >= IDENTIFIER_ROWS and column.distinct >= IDENTIFIER_SHARE * present
