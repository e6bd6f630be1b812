"""A table goes in: scan it in batches, give each column a role, encode it. The only importer of pyarrow."""

from __future__ import annotations

from dataclasses import dataclass

from .. import engine, model


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
    many_classes: bool = False  # whether more than two classes are wanted as they are


def read(source: str, options: ReadOptions, progress: engine.Progress) -> model.Table:
    """The table at `source`: a file, a folder, a glob, or `-` for CSV on standard input."""
    from .passes import read_table

    return read_table(source, options, progress)
