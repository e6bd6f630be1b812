"""JSON, an object a line. Read whole, as it is small."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.json

from labeldp_audit.data.sources.batches import all_different, reading
from labeldp_audit.data.sources.content import FileContent
from labeldp_audit.data.sources.contract import HowText, Source


def json_lines(content: FileContent, how: HowText) -> Source:
    with reading(content.name, "not JSON lines"):
        read = pyarrow.json.read_json(content.stream())
    all_different(read.schema.names, content.name)
    kept = [pa.field(one.name, pa.string()) if one.name in how.as_text else one for one in read.schema]
    table = read.cast(pa.schema(kept))

    def pieces(columns: Sequence[str], size: int) -> list[pa.RecordBatch]:
        return table.select(list(columns)).to_batches()

    types = {field.name: field.type for field in table.schema}
    return Source(content.name, types, (content,), pieces, table.num_rows)


json_lines.example = b'{"age": 40, "ward": "north", "label": 1}\n{"age": 30, "ward": "south", "label": 0}\n'
