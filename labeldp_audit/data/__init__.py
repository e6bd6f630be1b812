"""A table goes in: scan it in batches, give each column a role, encode it. The only importer of pyarrow,
pandas and narwhals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.progress import Progress
from ..core.table import Table

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame

Predict = Callable[[Any], Any]
"""A frame of features -> (rows, classes) probabilities."""


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about the table; the rest is learnt from it."""

    label: str | None = None
    positive: str | None = None
    exclude: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    drop_null_labels: bool = False
    delimiter: str | None = None  # one character
    decimal: str = "."  # before the fraction of a number in a text file
    no_header: bool = False  # whether the first row of a CSV file is data
    few_rows: bool = False  # whether fewer rows than can show anything are wanted all the same
    eta: tuple[str, ...] = ()  # columns that hold the probabilities of the user's own model, beside the features
    featureless: bool = False  # accept a table without features
    labels_only: bool = False  # neither features nor probabilities
    group: str | None = None  # column that names whose row it is
    rarer: bool = False  # whether the rarer class is positive where nothing else decides it
    many_classes: bool = False  # whether more than two classes are wanted as they are
    repeats: str | None = None  # what rows that are equal in every column are: people or copies; None: not said
    records: bool = False  # whether copies are looked for
    seed: int = 0  # of lots


@dataclass(frozen=True)
class Instead:
    """A column that stands where the labels stood."""

    name: str
    values: npt.NDArray[Any]  # (n,) numbers, or codes of `texts`
    texts: tuple[str, ...] = ()

    def at(self, rows: Integers | slice) -> Instead:
        return replace(self, values=self.values[rows])


@dataclass(frozen=True)
class Rewrite:
    """What becomes of a table that is published."""

    columns: tuple[str, ...]  # that are published as they are
    replaced: Mapping[str, Sequence[Instead]]  # what stands instead of a column, such as the label
    rows_read: int  # of the table
    rows: Integers  # of the table, in the order of the release: the publisher's key to it
    stamps: Mapping[Path, object] | None = None  # of the files as they were when the labels were read


def read_table(source: object, options: ReadOptions, progress: Progress) -> Table:
    """The table at `source`: a file, a folder, a glob, `-` for CSV on standard input, or a frame in memory."""
    from . import read

    return read.read_table(source, options, progress)


def unchanged(*places: object) -> AbstractContextManager[None]:
    """Around what reads tables several times: a file that is written to meanwhile is refused."""
    from .sources import locate

    return locate.unchanged(*places)


def stamps(source: object) -> Mapping[Path, object]:
    """Of each file of a table: others after something was written to it."""
    from .sources import locate

    return locate.stamps(source)


def probabilities_of_rows(values: object, table: Table, source: object) -> Floats:
    """(n, C) for the rows of the table, from numbers for each row of its source that were computed elsewhere."""
    from .probabilities import of_rows
    from .sources.frame import in_order

    return of_rows(in_order(values, source, table.dataset), table)


def probabilities_of_model(
    source: object, features: Sequence[str] | None, classes: Sequence[object] | None, predict: Predict, table: Table,
    options: ReadOptions,
) -> Floats:  # fmt: skip
    """The same, from a fitted model of the user's: the columns that it reads, or None for all features, and its
    classes, or None for those of the table."""
    from .classes import spelled
    from .probabilities import of_classes, of_rows
    from .read import read_features

    said = predict(read_features(source, features, table.dataset, options))
    return of_rows(said if classes is None else of_classes(said, [*map(spelled, classes)], table.dataset), table)


def pandas_frame(columns: Mapping[str, Sequence[object] | npt.NDArray[Any]]) -> DataFrame:
    from pandas import DataFrame

    return DataFrame(dict(columns))


def read_estimates(path: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, object]]:
    """The file that estimate-eta wrote: its columns, int64 or float64, and what it says about itself."""
    from .eta_file import read_estimates as read_file

    return read_file(path)


def one_of_each_person(table: Table, seed: int) -> Integers | None:
    """The rows that judge, drawn by lot; None where each row is somebody's only one."""
    from . import repeats

    return repeats.one_of_each_person(table, seed)
