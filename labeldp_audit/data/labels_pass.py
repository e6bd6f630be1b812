"""The only pass over a table whose features nobody needs: labels, and probabilities where columns hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Floats, Integers
from ..core.errors import DataError
from ..core.progress import Progress
from .classes import Classes
from .numbers import Mask
from .probabilities import Improper, check_type, read_column
from .quoting import shown
from .roles import Roles, check_label
from .scan import LabelScan, Scan, settled
from .sources.contract import Source

Codes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.uint16]
NOT_KEPT = 2**16 - 1


@dataclass
class Gathered:
    """What was read so far. Label i has the text that was the `_codes[i]`-th to appear, of those that are kept."""

    roles: Roles
    scanned: Scan
    _codes: list[Places] = field(default_factory=list)
    _used: list[Mask] = field(default_factory=list)
    _values: list[Floats] = field(default_factory=list)

    def labels(self, classes: Classes) -> Codes:
        index = np.zeros(NOT_KEPT + 1, np.uint8)
        kept = [classes.of(name) for name in self.scanned.label.counts]
        index[: len(kept)] = kept
        return index[np.concatenate(self._codes)]

    def row_numbers(self) -> Integers | None:
        """From 0; None where every row is used."""
        return np.flatnonzero(np.concatenate(self._used)) if self.scanned.label.missing else None

    def values(self) -> Floats:
        """(n, columns); only once, as the pieces are given up."""
        whole = np.concatenate(self._values)
        self._values.clear()
        return whole

    def add(self, batch: pa.RecordBatch, before: int) -> None:
        """`before`: rows of the file before this batch."""
        label = self.scanned.label
        code, names = label.count(batch.column(batch.num_columns - 1))
        used = code < len(names)
        appeared = {name: i for i, name in enumerate(label.counts)}
        self._codes.append(np.array([appeared.get(name, NOT_KEPT) for name in names], np.uint16)[code[used]])
        self._used.append(used)
        kept = batch if used.all() else batch.filter(pa.array(used))
        self._values.append(self._probabilities(kept, before + np.flatnonzero(used)))

    def _probabilities(self, batch: pa.RecordBatch, rows: Integers) -> Floats:
        values = np.empty((batch.num_rows, len(self.roles.eta)))
        for i, name in enumerate(self.roles.eta):
            try:
                values[:, i] = read_column(batch.column(i))
            except Improper as improper:
                place = f"row {int(rows[improper.row]) + 1}"
                raise DataError(improper.what, f"column {shown(name)}", place) from None
        return values


def gather(source: Source, roles: Roles, positive: str | None, size: int, progress: Progress) -> Gathered:
    return settled(lambda: _gather(source, roles, positive, size, progress))


def _gather(source: Source, roles: Roles, positive: str | None, size: int, progress: Progress) -> Gathered:
    progress.stage("scanning", source.rows, "rows")
    rows, label, label_type = 0, LabelScan(roles.label, positive), pa.null()
    seen = Gathered(roles, Scan(0, label, label_type, ()))
    for batch in source.batches(roles.read, size):
        if not rows:
            label_type = _checked_types(batch, roles)
        seen.add(batch, rows)
        rows += batch.num_rows
        progress.advance(batch.num_rows)
    if not rows:
        raise DataError("the table has no rows")
    seen.scanned = Scan(rows, label, label_type, ())
    return seen


def _checked_types(batch: pa.RecordBatch, roles: Roles) -> pa.DataType:
    """That of the label."""
    for i, name in enumerate(roles.eta):
        check_type(name, batch.column(i).type)
    kind = batch.column(len(roles.eta)).type
    check_label(roles.label, kind)
    return kind
