"""What every kind of table offers to the two passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from .content import FileContent, Hashed

# What pyarrow raises over bytes that it cannot read.
FAILURES = (pa.ArrowException, OSError, ValueError)


class Source(Protocol):
    """A table that can be read more than once."""

    @property
    def name(self) -> str: ...

    @property
    def rows(self) -> int | None:
        """None where only a full read tells."""

    def names(self) -> list[str]: ...

    def types(self) -> dict[str, pa.DataType | None]:
        """None for a column of a text file that has not been read."""

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        """All rows of these columns, `size` at a time."""

    def contents(self) -> Sequence[Hashed]:
        """What the digest is of."""


@dataclass(frozen=True)
class HowText:
    """How the user wants a file read that has no types of its own."""

    delimiter: str | None  # of cells
    as_text: frozenset[str]  # columns that must not become numbers


Opener = Callable[[FileContent, HowText], Source]
