"""Does what replaced the labels depend on a feature? How often each of a few levels stands beside each outcome."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Integers
from ..core.progress import Progress
from . import ReadOptions, levels, numbers
from .read import how_text
from .scan import settled
from .sources.batches import about, rows_per_batch
from .sources.contract import Source
from .sources.locate import locate

LEVELS = 24  # of a column that are told apart: the most frequent ones, or parts of a number's range
_REST, _MISSING = LEVELS, LEVELS + 1
GROUPS = LEVELS + 2
Tallies = Mapping[str, npt.NDArray[np.int64]]


def tallies(
    release: object, replaced: Collection[str], options: ReadOptions, outcome: Integers, outcomes: int,
    progress: Progress,
) -> Tallies:  # fmt: skip
    """(levels, outcomes) of each column but those that replaced the labels: how often each of its levels stands beside
    each outcome of a row of the release; outcome -1 counts nowhere."""
    with ExitStack() as until:
        found = locate(release, how_text(options), until)
        names = [name for name in found.types if name not in replaced]
        progress.stage("scanning", found.rows, "rows")
        with about(found.name):
            return settled(lambda: _tallies(found, names, outcome, outcomes, progress))


def _tallies(release: Source, names: list[str], outcome: Integers, outcomes: int, progress: Progress) -> Tallies:
    found = {name: np.zeros((GROUPS, outcomes), np.int64) for name in names}
    seen: dict[str, Levels] = {}
    start = 0
    for batch in release.batches(names, rows_per_batch(len(names))) if names else ():
        mine = outcome[start : start + batch.num_rows]
        start += batch.num_rows
        used = mine >= 0
        for name, cells in zip(names, batch.columns, strict=True):
            seen[name] = seen.get(name) or Levels.of(cells)
            code = seen[name].codes(cells) * outcomes + mine
            found[name] += np.bincount(code[used], minlength=found[name].size).reshape(found[name].shape)
        progress.advance(batch.num_rows)
    return found


@dataclass(frozen=True)
class Levels:
    """Which of a few levels a cell is in, learnt from the first cells; which they are does not depend on labels."""

    edges: npt.NDArray[np.generic] | None = None  # of numbers
    known: Mapping[bytes, int] | None = None  # of categories
    # Neither: whether a cell is there.

    @classmethod
    def of(cls, array: pa.Array) -> Levels:
        if numbers.is_number(array.type):
            piece = numbers.cells(array)
            values = piece.values if piece.missing is None else piece.values[~piece.missing]
            distinct = np.unique(values)
            if len(distinct) > LEVELS:
                places = np.arange(1, LEVELS) * len(values) // LEVELS
                distinct = np.unique(np.sort(values)[[0, *places]])
            return cls(edges=distinct[1:])
        if levels.is_category(array.type):
            coded = levels.codes(array)
            counts = np.bincount(coded.code, minlength=len(coded.levels) + 1)[:-1]
            first = np.argsort(-counts, kind="stable")[:LEVELS].tolist()
            return cls(known={coded.levels[one].as_py(): place for place, one in enumerate(first)})
        return cls()

    def codes(self, array: pa.Array) -> Integers:
        if self.edges is not None and numbers.is_number(array.type):
            piece = numbers.cells(array)
            found = np.searchsorted(self.edges, piece.values, side="right")
            return found if piece.missing is None else np.where(piece.missing, _MISSING, found)
        if self.known is not None and (levels.is_category(array.type) or numbers.is_number(array.type)):
            coded = levels.codes(array)
            places = [self.known.get(text, _REST) for text in coded.levels.to_pylist()]
            return np.array([*places, _MISSING])[coded.code]
        return np.where(array.is_null().to_numpy(zero_copy_only=False), _MISSING, 0)
