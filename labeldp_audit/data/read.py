"""The two passes over a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pyarrow as pa

from ..core.arrays import Integers
from ..core.errors import DataError, SpecError
from ..core.progress import Progress
from ..core.table import Dataset, Points, Table
from ..engines.machine import ENCODED, check_memory, give_back_memory
from . import ReadOptions, repeats, scan
from .classes import Classes, decide
from .describe import dataset
from .diagnostics import remarks
from .encode import Encoder, Standard, axes, coordinates_wanted, encode, encoder
from .feature_columns import Raw, memory_need
from .fingerprints import tell_apart
from .groups import read_groups
from .labels_pass import gather
from .probabilities import check_columns, distributions
from .quoting import shown
from .roles import Roles, assign, known
from .scan import CategoryScan, NumberScan, Scan
from .sources.batches import about, rows_per_batch
from .sources.content import Digest, unchanged
from .sources.contract import Source
from .sources.locate import locate

PROBABILITIES = "the probabilities need", "audit fewer rows"


def read_table(place: object, options: ReadOptions, progress: Progress) -> Table:
    with ExitStack() as until:
        source = locate(place, options.delimiter, as_text(options), until)
        with about(source.name), unchanged(source.contents()):
            roles = assign(source.names(), options)
            table = (two_passes if roles.features else one_pass)(source, roles, options, progress)
            settled = repeats.settled(table, source, roles, options, progress) if options.records else table
    pa.default_memory_pool().release_unused()  # what batches took is not kept from whoever learns
    give_back_memory()
    return settled


def read_features(place: object, wanted: Sequence[str] | None, data: Dataset, options: ReadOptions) -> Any:
    """A DataFrame for somebody else's model: these columns in this order, or all features in that of the table."""
    there = [column.name for column in data.columns]
    left_out = {name: "excluded column" for name in options.exclude} | {options.group: "group column"}
    for name in wanted or ():
        if kind := "label" if name == data.label else left_out.get(name):
            raise SpecError(f"the classifier reads the {kind} {shown(name)}")
    known("the classifier", wanted or (), there)
    no_features = {data.label, options.group, *options.exclude}
    names = [name for name in there if name not in no_features] if wanted is None else list(wanted)
    if not isinstance(place, str):
        from .sources.frame import columns_of

        return columns_of(place, names)
    with ExitStack() as until, about(data.name):
        source = locate(place, options.delimiter, as_text(options), until)
        batches = scan.settled(lambda: list(source.batches(names, rows_per_batch(len(names)))))
        return pa.Table.from_batches(batches).to_pandas()


def as_text(options: ReadOptions) -> frozenset[str]:
    """Columns that a text file must not turn into numbers."""
    named = *options.categorical, *options.eta, *options.exclude
    return frozenset(named if options.group is None else (*named, options.group))


def two_passes(source: Source, roles: Roles, options: ReadOptions, progress: Progress) -> Table:
    size = rows_per_batch(len(roles.read))
    with Digest(source.contents()) as digest:
        scanned = scan.scan(source, roles, options.positive, size, progress)
        sha256 = digest.result()
    classes = classes_of(scanned, roles, options)
    encoders = dict(zip(roles.features, map(encoder, scanned.columns), strict=True))
    wanted = not_constant(scanned, encoders) if options.columns else []
    width = coordinates_wanted(in_order(encoders), options.points)
    check_memory(scanned.used * width * 4 + memory_need(wanted, scanned.used), ENCODED)
    raw = Raw.of(wanted, scanned.used)
    encoded = encode(source, roles, scanned, classes, in_order(encoders), raw, options.points, size, progress)
    columns = raw.finished() if options.columns else None
    return Table(
        encoded.points,
        encoded.labels,
        dataset(source, roles, scanned, classes, encoders, sha256),
        tuple(remarks(roles, scanned, encoders)),
        encoded.row_numbers,
        fingerprints=encoded.fingerprints,
        told_apart=tell_apart(scanned.columns),
        columns=columns,
        groups=groups_of(source, roles, scanned.used, size, progress),
        axes=axes(in_order(encoders), raw) if options.points is Points.LATER else (),
    )


def one_pass(source: Source, roles: Roles, options: ReadOptions, progress: Progress) -> Table:
    """Labels, and probabilities where columns hold them: both are small and are kept as they come."""
    check_memory(probabilities_need(source.rows or 0, len(roles.eta)), PROBABILITIES)
    with Digest(source.contents()) as digest:
        seen = gather(source, roles, options.positive, rows_per_batch(len(roles.read)), progress)
        sha256 = digest.result()
    classes = classes_of(seen.scanned, roles, options)
    size = rows_per_batch(len(roles.read))
    check_columns(len(roles.eta), classes.names, classes.positive)
    check_memory(probabilities_need(seen.scanned.used, len(classes.names) if roles.eta else 0), PROBABILITIES)
    rows = seen.row_numbers()
    return Table(
        np.empty((seen.scanned.used, 0), np.float32),
        seen.labels(classes),
        dataset(source, roles, seen.scanned, classes, {}, sha256),
        tuple(remarks(roles, seen.scanned, {})),
        rows,
        distributions(seen.values(), rows) if roles.eta else None,
        groups=groups_of(source, roles, seen.scanned.used, size, progress),
    )


def groups_of(source: Source, roles: Roles, used: int, size: int, progress: Progress) -> Integers | None:
    return None if roles.group is None else read_groups(source, roles.label, roles.group, used, size, progress)


def classes_of(scanned: Scan, roles: Roles, options: ReadOptions) -> Classes:
    label = scanned.label
    label.check(scanned.label_type)
    check_labels(scanned, roles, options.drop_null_labels)
    return decide(label.counts, options.positive, roles.label, options.many_classes, label.rest)


def check_labels(scanned: Scan, roles: Roles, drop: bool) -> None:
    if scanned.label.missing and not drop:
        what = f"missing labels: {scanned.label.missing:,} of {scanned.rows:,}"
        raise DataError(what, f"column {shown(roles.label)}", hint="--drop-null-labels")
    if scanned.used < 2:
        raise DataError(f"too few rows: {scanned.used}")


def probabilities_need(rows: int, columns: int) -> int:
    """As they came and once more in one piece."""
    return 2 * rows * columns * 8


def not_constant(scanned: Scan, encoders: Mapping[str, Encoder | None]) -> list[NumberScan | CategoryScan]:
    return [one for one in scanned.columns if one is not None and encoders[one.name] is not None]


def in_order(encoders: dict[str, Encoder | None]) -> list[Encoder]:
    """Numbers first, so that what comes behind them cannot change how their distances are rounded."""
    kept = [one for one in encoders.values() if one is not None]
    if not kept:
        raise DataError("no feature columns: every one is constant")
    return [one for one in kept if isinstance(one, Standard)] + [one for one in kept if not isinstance(one, Standard)]
