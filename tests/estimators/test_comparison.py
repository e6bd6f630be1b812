"""The best first, and by how much the others are behind."""

import numpy as np
import pytest

from labeldp_audit.estimators.comparison import losses, ranked, smoothed


def test_losses_are_of_the_labels():
    said = np.array([[0.25, 0.75], [0.5, 0.5]])
    assert losses(said, np.array([1, 0])) == pytest.approx([-np.log(0.75), np.log(2)])


def test_ranked():
    best, middle, last = ranked({
        ("b", None): np.array([1.0, 2.0, 3.0]),
        ("a", 7): np.array([1.5, 2.5, 3.5]),
        ("c", None): np.array([9.0, 9.0, 9.0]),
    })  # fmt: skip
    assert [(one.name, one.k) for one in (best, middle, last)] == [("b", None), ("a", 7), ("c", None)]
    assert (best.behind, best.behind_error) == (0.0, 0.0)
    assert (middle.behind, middle.behind_error) == (0.5, 0.0), "the same on every row, whatever the rows' own spread"
    assert middle.standard_error == pytest.approx(np.std([1, 2, 3]) / np.sqrt(3))
    assert last.behind == pytest.approx(7.0)


def test_no_label_is_a_surprise_without_end():
    assert smoothed(np.array([[4, 0], [0, 0]])).tolist() == [[0.9, 0.1], [0.5, 0.5]]
