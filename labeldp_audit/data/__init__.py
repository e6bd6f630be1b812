"""A table goes in: scan it in batches, give each column a role, encode it. The only importer of pyarrow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from ..core.progress import Progress
from ..core.table import Points, Table


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about the table; the rest is learnt from it."""

    label: str | None = None
    positive: str | None = None
    exclude: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    drop_null_labels: bool = False
    delimiter: str | None = None  # one character
    eta: tuple[str, ...] = ()  # columns that hold the probabilities of the user's own model; no feature is read then
    labels_only: bool = False  # neither features nor probabilities
    group: str | None = None  # column that names whose row it is
    many_classes: bool = False  # whether more than two classes are wanted as they are
    columns: bool = False  # whether features are wanted as they are too, for estimators that learn
    points: Points = Points.NOW  # if not, columns are wanted
    repeats: str | None = None  # what rows that are equal in every column are: people or copies; None: nobody said
    records: bool = False  # whether copies are looked for
    seed: int = 0  # of lots


def read_table(source: str, options: ReadOptions, progress: Progress) -> Table:
    """The table at `source`: a file, a folder, a glob, or `-` for CSV on standard input."""
    from . import read

    return read.read_table(source, options, progress)


def read_estimates(path: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, object]]:
    """The file that estimate-eta wrote: its columns, int64 or float64, and what it says about itself."""
    from .eta_file import read_estimates as read_file

    return read_file(path)
