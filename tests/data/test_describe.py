from __future__ import annotations

import pyarrow as pa
import pytest

from labeldp_audit.data.describe import type_name


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (pa.dictionary(pa.int32(), pa.string()), "dictionary<string>"),
        (pa.dictionary(pa.int8(), pa.decimal128(5, 2), ordered=True), "dictionary<decimal128(5, 2)>"),
        (pa.timestamp("us", "UTC"), "timestamp[us, tz=UTC]"),
        (pa.int64(), "int64"),
    ],
)
def test_types_are_said_shortly(kind, said):
    assert type_name(kind) == said
