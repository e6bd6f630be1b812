"""The passes over a table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Floats
from ..core.errors import DataError, SpecError
from ..core.progress import Progress
from ..core.quoting import shown
from ..core.table import Dataset, Table
from ..engines.machine import ENCODED, check_memory, give_back_memory
from . import ReadOptions, repeats
from .classes import Classes, check_number, decide, labelled, may_be
from .describe import dataset, group_remarks, remarks
from .encode import Standard, axis, encode, encoder
from .feature_columns import CategoryColumn, Raw, memory_need
from .levels import is_category
from .numbers import is_number
from .probabilities import check_columns, distributions, read_column
from .roles import Roles, assign, known
from .scan import LabelScan, NumberScan, Scan, scan, settled
from .sources.batches import about, rows_per_batch
from .sources.content import digest_beside
from .sources.contract import HowText, Source
from .sources.locate import locate, unchanged

FEWEST = 200  # rows that are audited without asking
PROBABILITIES = "the probabilities need", "audit fewer rows"
NOT_KEPT = 2**16 - 1


def read_table(place: object, options: ReadOptions, progress: Progress) -> Table:
    with unchanged(place), ExitStack() as until:
        source = locate(place, how_text(options), until)
        with about(source.name):
            roles = assign(list(source.types), options)
            size = rows_per_batch(len(roles.read))
            table = one_pass(source, roles, options, size, progress) if roles.eta or not roles.features else None
            if roles.features:
                full = two_passes(source, roles, options, size, progress)
                table = full if table is None else replace(full, given=table.given)
            assert table is not None
            table = with_groups(table, source, roles, options, size, progress)
            if options.records:
                table = repeats.settled(table, source, roles, options, progress)
    pa.default_memory_pool().release_unused()  # what batches took is not kept from estimators that learn
    give_back_memory()
    return table


def how_text(options: ReadOptions) -> HowText:
    named = (*options.categorical, *options.eta, *options.exclude, *(() if options.group is None else (options.group,)))
    return HowText(options.delimiter, frozenset(named), options.decimal, not options.no_header)


def read_features(place: object, wanted: Sequence[str] | None, data: Dataset, options: ReadOptions) -> Any:
    """A DataFrame for the user's model: these columns in this order, or all features in that of the table."""
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
        source = locate(place, how_text(options), until)
        batches = settled(lambda: list(source.batches(names, rows_per_batch(len(names)))))
        return pa.Table.from_batches(batches).to_pandas()


def two_passes(source: Source, roles: Roles, options: ReadOptions, size: int, progress: Progress) -> Table:
    with digest_beside(source.contents) as sha256:
        scanned = settled(lambda: scan(source, roles, options.positive, size, progress))
        digest = sha256()
    classes = classes_of(scanned.label, options, source)
    encoders = dict(zip(roles.features, map(encoder, scanned.columns), strict=True))
    told = [one for one in encoders.values() if one is not None]
    if not told and not options.featureless:
        raise DataError("no feature columns: every one is constant")
    # Numbers first, so that what comes behind them cannot change how their distances are rounded.
    told.sort(key=lambda one: not isinstance(one, Standard))
    wanted = [one for one in scanned.columns if one is not None and encoders[one.name] is not None]
    used = scanned.label.used
    check_memory(memory_need(wanted, used), ENCODED)
    raw = Raw.of(wanted, used)
    labels, fingerprints, row_numbers = encode(source, roles, scanned, classes, told, raw, size, progress)
    columns, unread = raw.finished()
    return Table(
        labels,
        dataset(source, roles, scanned, classes, encoders, digest),
        (*unread, *classes.remarks, *remarks(scanned, encoders, roles.categorical, grouped=roles.group is not None)),
        row_numbers,
        fingerprints=fingerprints,
        told_apart=all(one.told_apart for one in scanned.columns if isinstance(one, NumberScan)),
        columns=columns,
        axes=tuple(axis(one, raw) for one in told),
    )


def one_pass(source: Source, roles: Roles, options: ReadOptions, size: int, progress: Progress) -> Table:
    """Labels, and probabilities where columns hold them: both are small and are kept as they come."""
    roles = replace(roles, features=())
    check_memory(probabilities_need(source.rows or 0, len(roles.eta)), PROBABILITIES)
    with digest_beside(source.contents) as sha256:
        label, codes, used, values = settled(lambda: gather(source, roles, options.positive, size, progress))
        digest = sha256()
    classes = classes_of(label, options, source)
    check_columns(len(roles.eta), classes.names, classes.positive)
    check_memory(probabilities_need(label.used, len(classes.names) if roles.eta else 0), PROBABILITIES)
    index = np.zeros(NOT_KEPT + 1, np.uint8)
    index[: len(label.counts)] = [classes.of(name) for name in label.counts]
    rows = np.flatnonzero(used) if label.missing else None
    return Table(
        index[codes],
        dataset(source, roles, Scan(label), classes, {}, digest),
        (*classes.remarks, *remarks(Scan(label), {})),
        rows,
        distributions(values, rows) if roles.eta else None,
    )


def gather(
    source: Source, roles: Roles, positive: str | None, size: int, progress: Progress
) -> tuple[LabelScan, npt.NDArray[np.uint16], npt.NDArray[np.bool_], Floats]:
    """Labels: i has the text that was the `code[i]`-th to appear, of those that are kept; which rows have one; and what
    columns hold, (n, columns)."""
    progress.stage("scanning", source.rows, "rows")
    label = LabelScan(roles.label, positive)
    codes, used, values = [], [], []
    for part in labelled(source.batches((*roles.eta, roles.label), size), progress, label.count):
        appeared = {name: i for i, name in enumerate(label.counts)}
        codes.append(np.array([appeared.get(name, NOT_KEPT) for name in part.names], np.uint16)[part.code])
        used.append(part.there)
        values.append(np.empty((len(part.code), len(roles.eta))))
        for i, name in enumerate(roles.eta):
            values[-1][:, i] = read_column(part.batch.column(i), name, part.rows)
    if not codes:
        raise DataError("the table has no rows")
    return label, np.concatenate(codes), np.concatenate(used), np.concatenate(values)


def with_groups(
    table: Table, source: Source, roles: Roles, options: ReadOptions, size: int, progress: Progress
) -> Table:
    """The table with the same number for rows of the same person. Rows that name nobody are refused."""
    if roles.group is None:
        return table
    used = len(table.labels)
    column, start, nobody = CategoryColumn(roles.group, np.empty(used, np.float32)), 0, 0
    progress.stage("reading groups", source.rows, "rows")
    for part in labelled(source.batches((roles.group, roles.label), size), progress):
        cells = part.batch.column(0)
        cells = cells.cast(pa.string()) if pa.types.is_null(cells.type) else cells
        if not (is_category(cells.type) or is_number(cells.type)):
            raise DataError(f"a column of type {cells.type} names nobody", f"column {shown(roles.group)}")
        nobody += cells.null_count
        column.add(cells, start)
        start += len(cells)
    if nobody:
        what, hint = (
            f"rows that name nobody: {nobody:,} of {used:,}",
            "give each of them a name, of its own if it is a person",
        )
        raise DataError(what, f"column {shown(roles.group)}", hint=hint)
    column.finish()
    person = column.values.astype(np.int64)
    told = group_remarks(roles.group, column.levels(), person, table.labels, len(table.dataset.classes), options.seed)
    groups = np.unique(person, return_inverse=True)[1].reshape(-1)
    return replace(table, groups=groups, remarks=(*table.remarks, *told))


def classes_of(label: LabelScan, options: ReadOptions, source: Source) -> Classes:
    if source.header and any(may_be(name, label.name) for name in label.counts):
        what = f"the label {shown(label.name)} is also one of its values, as in a file without a header"
        raise DataError(what, hint="--no-header names the columns c1, c2, ...; otherwise rename the label column")
    if label.positive is None:
        check_number(len(label.counts), label.type, label.name)
    if label.missing and not options.drop_null_labels:
        what = f"missing labels: {label.missing:,} of {label.used + label.missing:,}"
        raise DataError(what, f"column {shown(label.name)}", hint="--drop-null-labels")
    if label.used < 2:
        raise DataError(f"too few rows: {label.used}")
    if label.used < FEWEST and not options.few_rows:
        what = f"too few rows: {label.used}, and fewer than {FEWEST} hardly show anything"
        raise DataError(what, hint="--few-rows audits them all the same")
    return decide(label.counts, options.positive, label.name, options.many_classes, label.rest, options.rarer)


def probabilities_need(rows: int, columns: int) -> int:
    """As they came and once more in one piece."""
    return 2 * rows * columns * 8
