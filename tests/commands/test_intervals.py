"""Limits of p."""

import math
from types import SimpleNamespace

import pytest

from labeldp_audit.commands import intervals


def prior(positives, rows, miss):
    dataset = SimpleNamespace(rows_used=rows, class_counts=(rows - positives, positives))
    return intervals.of_prior(SimpleNamespace(dataset=dataset), 1, miss)


@pytest.mark.parametrize(("positives", "rows"), [(1, 2), (1, 10**9), (10**9 - 1, 10**9), (5, 10)])
@pytest.mark.parametrize("miss", [0.5, 1e-3, 1e-12])
def test_a_class_that_was_seen_is_possible(positives, rows, miss):
    """Else logit p would be infinite, and every loss with it."""
    found = prior(positives, rows, miss)
    assert 0 < found.low <= found.p == positives / rows <= found.high < 1
    assert math.isfinite(math.log(found.high / (1 - found.high)))
