"""JSON, an object a line. Read whole, as it is small."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import pyarrow as pa
import pyarrow.json

from labeldp_audit.data.sources.batches import all_different, cut, reading
from labeldp_audit.data.sources.content import FileContent
from labeldp_audit.data.sources.contract import HowText


@dataclass(frozen=True)
class JsonLines:
    content: FileContent
    how: HowText

    example: ClassVar[bytes] = b'{"age": 40, "ward": "north", "label": 1}\n{"age": 30, "ward": "south", "label": 0}\n'

    @property
    def name(self) -> str:
        return self.content.name

    @cached_property
    def _table(self) -> pa.Table:
        with reading(self.name, "not JSON lines"):
            table = pyarrow.json.read_json(self.content.stream())
        all_different(table.schema.names, self.name)
        kept = [pa.field(one.name, pa.string()) if one.name in self.how.as_text else one for one in table.schema]
        return table.cast(pa.schema(kept))

    @property
    def rows(self) -> int | None:
        return int(self._table.num_rows)

    def names(self) -> list[str]:
        return list(self.types())

    def types(self) -> dict[str, pa.DataType | None]:
        return {field.name: field.type for field in self._table.schema}

    def contents(self) -> Sequence[FileContent]:
        return (self.content,)

    def batches(self, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
        return cut(self._table.select(list(columns)).to_batches(), size)
