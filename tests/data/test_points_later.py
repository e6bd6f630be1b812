"""Coordinates of categories that are made when somebody wants them are those that are made at once, to the last bit."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from labeldp_audit.core.table import Points

ROWS = 70_000  # more than one batch


def many_kinds():
    rng = np.random.default_rng(1)
    x = rng.normal(size=ROWS)
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(400, size=ROWS)]
    return {
        "two": np.where(x > 0, "a", "b"),
        "gaps": pa.array(np.where(x > 1, "z", "y"), mask=x < -1),
        "some": rng.integers(40, size=ROWS).astype(str),
        "many": pa.array(rng.integers(3000, size=ROWS).astype(str), mask=x > 2),
        "listed": pa.array(rng.integers(90, size=ROWS).astype(str)).dictionary_encode(),
        "x": x,
        "holes": pa.array(x, mask=x < 0),
        "days": pa.array(days),
        "few_days": pa.array([day.replace(day=1) for day in days]),
        "same": ["q"] * ROWS,
        "y": pa.array(rng.integers(2, size=ROWS), mask=x > 3),
    }


@pytest.fixture
def options():
    return {"columns": True, "categorical": ("days", "few_days"), "drop_null_labels": True}


def test_later_gives_the_same_points(read_columns, options):
    now = read_columns(many_kinds(), **options)
    later = read_columns(many_kinds(), points=Points.LATER, **options)
    assert later.points.shape[1] == 3, "of numbers alone"
    assert later.width == now.points.shape[1]
    assert later.with_points().points.tobytes() == now.points.tobytes()
    assert later.fingerprints.tobytes() == now.fingerprints.tobytes()
    assert later.dataset == now.dataset


def test_of_some_rows(read_columns, options):
    later, rows = read_columns(many_kinds(), points=Points.LATER, **options), np.array([3, 20, 69_000])
    assert later.at(rows).with_points().points.tobytes() == later.with_points().points[rows].tobytes()


def test_copies_left_out(read_columns):
    cells = {"c": ["a", "b", "c", "a", "b", "c"], "x": [1, 2, 3, 1, 2, 3], "y": [0, 1, 1, 0, 1, 1]}
    now, later = (
        read_columns(cells, columns=True, points=when, records=True, repeats="copies")
        for when in (Points.NOW, Points.LATER)
    )
    assert len(later.labels) == 3
    assert later.with_points().points.tobytes() == now.points.tobytes()


def test_never_makes_none_and_changes_nothing_else(read_columns, options):
    now, never = (read_columns(many_kinds(), points=when, **options) for when in (Points.NOW, Points.NEVER))
    assert never.points.shape == (len(now.labels), 0)
    assert never.axes == ()
    assert never.fingerprints.tobytes() == now.fingerprints.tobytes()
    assert never.columns.values.tobytes() == now.columns.values.tobytes()
    assert never.dataset == now.dataset
