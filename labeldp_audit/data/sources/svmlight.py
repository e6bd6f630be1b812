"""svmlight/libsvm text: `label index:value ...` a row; columns that a row does not mention are 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...core.errors import DataError
from .batches import cut, rows_per_batch
from .content import Content
from .contract import FAILURES

LABEL = "label"
BLOCK = 1 << 22
LINES = 4096
WIDEST = 20_000  # columns: the rows become dense


@dataclass(frozen=True)
class Rows:
    """A few sparse rows: cell j of them is in row `row[j]`."""

    labels: npt.NDArray[np.float64]
    row: npt.NDArray[np.int64]
    index: npt.NDArray[np.int64]
    value: npt.NDArray[np.float64]


@dataclass(frozen=True)
class SvmSource:
    name: str
    content: Content
    first: int  # 1, or 0 where the file counts from 0
    last: int
    rows: int | None

    @classmethod
    def open(cls, name: str, content: Content) -> SvmSource:
        first, last, rows = 1, 0, 0
        for part in _parts(content):
            rows += len(part.labels)
            if len(part.index):
                first, last = min(first, int(part.index.min())), max(last, int(part.index.max()))
        if first < 0 or last > WIDEST:
            raise DataError(f"feature indices must be from 0 to {WIDEST}", name)
        return cls(name, content, first, last, rows)

    def names(self) -> list[str]:
        return [LABEL, *(f"f{index}" for index in range(self.first, self.last + 1))]

    def types(self) -> dict[str, pa.DataType | None]:
        return dict.fromkeys(self.names(), pa.float64())

    def contents(self) -> Sequence[Content]:
        return (self.content,)

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        return cut((self._dense(part, columns) for part in _parts(self.content, rows_per_batch(self.last))), size)

    def _dense(self, part: Rows, columns: Sequence[str]) -> pa.RecordBatch:
        cells = np.zeros((self.last + 1, len(part.labels)))
        cells[part.index, part.row] = part.value
        arrays = [pa.array(part.labels if name == LABEL else cells[int(name[1:])]) for name in columns]
        return pa.RecordBatch.from_arrays(arrays, list(columns))


def _parts(content: Content, rows: int = LINES) -> Iterator[Rows]:
    seen = 0
    for lines in _lines(content, min(rows, LINES)):
        kept = [line.split(b"#", 1)[0].replace(b":", b" : ").split() for line in lines]
        yield _parsed([tokens for tokens in kept if tokens], seen, content.name)
        seen += sum(map(bool, kept))


def _lines(content: Content, most: int) -> Iterator[list[bytes]]:
    held = b""
    try:
        stream = content.stream()
        while block := stream.read(BLOCK):
            lines = (held + block).split(b"\n")
            held = lines.pop()
            for start in range(0, len(lines), most):
                yield lines[start : start + most]
    except FAILURES:
        raise DataError("cannot be read", content.name) from None
    yield [held]


def _parsed(tokens: list[list[bytes]], seen: int, name: str) -> Rows:
    try:
        return _numbers(tokens)
    except (ValueError, OverflowError):
        for row, one in enumerate(tokens, start=seen + 1):
            _check(one, row, name)
        raise


def _check(tokens: list[bytes], row: int, name: str) -> None:
    try:
        _numbers([tokens])
    except (ValueError, OverflowError):
        raise DataError("not `label index:value ...`", name, f"row {row}") from None


def _numbers(tokens: list[list[bytes]]) -> Rows:
    tokens = [[one[0], *_without_query(one[1:])] for one in tokens]
    cells = [len(one) // 3 for one in tokens]
    flat = [token for one in tokens for token in one[1:]]
    if any(len(one) % 3 != 1 for one in tokens) or any(colon != b":" for colon in flat[1::3]):
        raise ValueError("a pair is incomplete")
    return Rows(
        np.array([float(one[0]) for one in tokens]),
        np.repeat(np.arange(len(tokens)), cells),
        np.array(list(map(int, flat[::3])), np.int64),
        np.array(list(map(float, flat[2::3])), np.float64),
    )


def _without_query(tokens: list[bytes]) -> list[bytes]:
    """SVMrank's `qid:3` says which rows belong together: not a feature."""
    return tokens[3:] if tokens[:1] == [b"qid"] else tokens
