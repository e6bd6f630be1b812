"""What every kind of table offers to the two passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from .batches import cut, reading
from .content import FileContent, Hashed

# What pyarrow raises over bytes that it cannot read.
FAILURES = (pa.ArrowException, OSError, ValueError)


@dataclass(frozen=True)
class Source:
    """A table that can be read more than once."""

    name: str
    types: Mapping[str, pa.DataType | None]  # by column; None for one of a text file that has not been read
    contents: Sequence[Hashed]  # what the digest is of
    pieces: Callable[[list[str], int], Iterable[pa.RecordBatch]]  # all rows of these columns, about so many at a time
    rows: int | None = None  # None where only a full read tells
    schema: pa.Schema | None = None  # as the file has it, with its metadata; None for text
    header: bool = False  # whether the first row of a text file names the columns

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        """All rows of these columns, in this order, `size` at a time."""
        with reading(self.name, "cannot be read as a table"):
            yield from cut(self.pieces(list(columns), size), size)


@dataclass(frozen=True)
class HowText:
    """How the user wants a file read that has no types of its own."""

    delimiter: str | None  # of cells
    as_text: frozenset[str]  # columns that must not become numbers
    decimal: str = "."  # before the fraction of a number
    header: bool = True  # whether the first row of a CSV file names the columns


Opener = Callable[[FileContent, HowText], Source]
