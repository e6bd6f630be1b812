"""What may be missed is shared out by name, and never more than there is."""

from __future__ import annotations

import pytest

from labeldp_audit.core.budget import Budget


def test_shares_are_of_the_whole_and_what_nobody_takes_is_left():
    budget = Budget(0.01)
    assert budget.spend("p", 0.05) == 0.05 * 0.01
    sure = budget.part("certificates", 0.25)
    assert sure.spend("cells", 0.4) == 0.4 * (0.25 * 0.01)
    assert budget.left == pytest.approx(0.7 * 0.01)
    assert dict(budget.spent()) == pytest.approx({"p": 0.0005, "certificates / cells": 0.001})
    assert str(budget).splitlines() == ["0.0005  p", "0.001  certificates / cells", "0.0085  left"]


def test_the_same_name_is_the_same_event():
    budget = Budget(0.01)
    assert budget.spend("radii", 0.6) == budget.spend("radii", 0.6)
    assert budget.left == pytest.approx(0.004)
    with pytest.raises(ValueError, match=r"radii has a share of 0\.006 already, and asks for 0\.003"):
        budget.spend("radii", 0.3)


def test_no_more_is_spent_than_there_is():
    budget = Budget(0.01)
    budget.spend("eta", 0.7)
    with pytest.raises(ValueError, match=r"p asks for 0\.004 of what may be missed, and 0\.003 is left"):
        budget.spend("p", 0.4)
    with pytest.raises(ValueError, match="asks for"):
        Budget(0.01).spend("p", -0.1)
    budget.spend("p", 0.3)
    assert budget.left == pytest.approx(0, abs=1e-15)


def test_what_many_share_is_spent_once():
    budget = Budget(0.01)
    assert [budget.spend("pairs", 0.1, 4) for _ in range(4)] == [pytest.approx(0.00025)] * 4
    assert budget.left == pytest.approx(0.009)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99, 1 - 1e-9])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 7])
def test_equal_parts_are_those_of_who_is_told_a_confidence(confidence, number):
    budget = Budget.of(confidence)
    for each in range(number):
        part = budget.equal_part(str(each), number)
        assert part.miss == Budget.of(1 - (1 - confidence) / number).miss
    with pytest.raises(ValueError, match="is left"):
        budget.equal_part("one more", number)
