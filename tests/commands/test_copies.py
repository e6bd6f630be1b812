"""Copies of rows are named, rows that merely look alike are not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from people import people


@pytest.fixture
def copies(audit, tmp_path):
    """What is said about copies in a table."""

    def run(table: pa.Table) -> list[str]:
        pq.write_table(table, tmp_path / "t.parquet")
        ended = audit("nu-max", tmp_path / "t.parquet", "-f", "json", "--no-output")
        return [warning for warning in ended.report["warnings"] if "times" in warning]

    return run


def written(table: pa.Table, times: int) -> pa.Table:
    return pa.concat_tables([table] * times)


def test_a_table_written_three_times(copies):
    (said,) = copies(written(people(200), 3))
    assert said.startswith("every row is there 3 times or a multiple of that: copies are not independent")


def test_the_order_does_not_matter(copies):
    table = written(people(200), 4)
    assert len(copies(table.take(np.random.default_rng(1).permutation(len(table))))) == 1


def test_positives_drawn_again_to_balance_a_table(copies):
    table = people(400)
    positives = table.filter(pc.equal(table["label"], 1))
    (said,) = copies(pa.concat_tables([table, written(positives, 4)]))
    assert said.startswith("every row with the label 1 is there 5 times")


def test_rows_that_look_alike(copies):
    """Two columns of few values: hardly any row is alone."""
    rng = np.random.default_rng(2)
    columns = {"a": rng.integers(0, 12, 4000), "b": rng.integers(0, 5, 4000), "y": rng.integers(0, 2, 4000)}
    assert copies(pa.table(columns)) == []


def test_too_few_different_rows_to_tell(copies):
    assert copies(pa.table({"a": [0, 1] * 60, "y": [0, 0, 1, 1] * 30})) == []


def test_all_rows_differ(copies):
    assert copies(people(300)) == []
