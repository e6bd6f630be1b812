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
        return [warning for warning in ended.report["warnings"] if "copies" in warning]

    return run


def written(table: pa.Table, times: int) -> pa.Table:
    return pa.concat_tables([table] * times)


def test_a_table_written_three_times(copies):
    (said,) = copies(written(people(200), 3))
    assert said.startswith("every row is there 3 times or a multiple of that: copies are no people of their own")


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


def test_positives_drawn_again_at_random(copies):
    rng = np.random.default_rng(4)
    table = people(2000)
    positives = table.filter(pc.equal(table["label"], 1))
    many = pa.concat_tables([table, positives.take(rng.integers(len(positives), size=len(table) // 4))])
    (said,) = copies(many.take(rng.permutation(len(many))))
    assert "different rows with the label 1 are there more than once" in said


def test_a_few_copies_less(copies):
    table = written(people(300), 20)
    said = copies(table.slice(3))
    assert said
    assert all("they are copies" in one for one in said)


def test_who_wears_what_others_wear_may_have_their_label(copies):
    """Few values tell the label nearly always, but the rows of the rarer one are never all of a kind."""
    rng = np.random.default_rng(5)
    towns = rng.integers(0, 60, 6000)
    columns = {"town": towns, "label": (rng.random(6000) < np.where(towns < 20, 0.9, 0.05)).astype(int)}
    assert copies(pa.table(columns)) == []


@pytest.mark.parametrize("estimator", ["auto", "boosted"])
def test_no_model_and_no_neighbour_learns_from_copies(audit, tmp_path, estimator):
    """Coins, twelve times each: whoever sees a copy of a row knows its label."""
    rng = np.random.default_rng(6)
    coins = pa.table({"a": rng.normal(size=300), "b": rng.normal(size=300), "y": rng.integers(0, 2, 300)})
    pq.write_table(written(coins, 12).slice(2), tmp_path / "t.parquet")
    told = ("-f", "json", "--no-output", "--estimator", estimator)
    report = audit("advantage", tmp_path / "t.parquet", "--mechanism", "rr:epsilon=1", *told).report
    assert report["eta"]["log_loss"] > 0.65
    assert not [one for one in report["findings"] if one["quantity"].startswith("certified")]
    [right] = [one for one in report["findings"] if one["quantity"] == "uninformed_utility"]
    assert right["estimate"] < 0.6
