"""What every kind of table offers to the two passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa

from .content import Content

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

    def contents(self) -> Sequence[Content]:
        """What the digest is of."""
