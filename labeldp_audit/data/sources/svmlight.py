"""svmlight/libsvm text: `label index:value ...` a row; columns that a row does not mention are 0."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa

from ...core.arrays import Floats, Integers
from ...core.errors import DataError
from .batches import rows_per_batch
from .content import Content
from .contract import FAILURES, HowText, Source

LABEL = "label"
BLOCK = 1 << 22
LINES = 4096
WIDEST = 20_000  # columns: the rows become dense


@dataclass(frozen=True)
class Rows:
    """A few sparse rows: cell j of them is in row `row[j]`."""

    labels: Floats
    row: Integers
    index: Integers
    value: Floats


def open_svm(content: Content, how: HowText) -> Source:
    """Columns count from 1, or from 0 where the file does."""
    first, last, rows = 1, 0, 0
    for part in _parts(content, LINES):
        rows += len(part.labels)
        if len(part.index):
            first, last = min(first, int(part.index.min())), max(last, int(part.index.max()))
    if first < 0 or last > WIDEST:
        raise DataError(f"feature indices must be from 0 to {WIDEST}", content.name)

    def pieces(columns: list[str], size: int) -> Iterator[pa.RecordBatch]:
        for part in _parts(content, min(LINES, rows_per_batch(last))):
            cells = np.zeros((last + 1, len(part.labels)))
            cells[part.index, part.row] = part.value
            arrays = [pa.array(part.labels if name == LABEL else cells[int(name[1:])]) for name in columns]
            yield pa.RecordBatch.from_arrays(arrays, columns)

    names = [LABEL, *(f"f{index}" for index in range(first, last + 1))]
    return Source(content.name, dict.fromkeys(names, pa.float64()), (content,), pieces, rows)


def _parts(content: Content, most: int) -> Iterator[Rows]:
    seen = 0
    try:
        stream = io.BufferedReader(content.stream(), BLOCK)
        while lines := list(islice(stream, most)):
            tokens = [found for line in lines if (found := line.split(b"#", 1)[0].replace(b":", b" : ").split())]
            yield _parsed(tokens, seen, content.name)
            seen += len(tokens)
    except FAILURES:
        raise DataError("cannot be read", content.name) from None


def _parsed(tokens: list[list[bytes]], seen: int, name: str) -> Rows:
    """seen: rows before these."""
    try:
        return _numbers(tokens)
    except (ValueError, OverflowError):
        for row, one in enumerate(tokens if len(tokens) > 1 else ()):
            _parsed([one], seen + row, name)
        raise DataError("not `label index:value ...`", name, f"row {seen + 1}") from None


def _numbers(tokens: list[list[bytes]]) -> Rows:
    # SVMrank's `qid:3` says which rows belong together: not a feature.
    tokens = [[one[0], *one[4:]] if one[1:2] == [b"qid"] else one for one in tokens]
    flat = [token for one in tokens for token in one[1:]]
    if any(len(one) % 3 != 1 for one in tokens) or any(colon != b":" for colon in flat[1::3]):
        raise ValueError("a pair is incomplete")
    return Rows(
        np.array([float(one[0]) for one in tokens]),
        np.repeat(np.arange(len(tokens)), [len(one) // 3 for one in tokens]),
        np.array(list(map(int, flat[::3])), np.int64),
        np.array(list(map(float, flat[2::3])), np.float64),
    )
