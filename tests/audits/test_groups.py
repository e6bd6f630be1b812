"""Who is at risk: planted groups and telling columns are found, and nothing about few people is said."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from notes import notes_of

import labeldp_audit as lda
from labeldp_audit.audits import groups
from labeldp_audit.audits.groups import Rule
from labeldp_audit.core.table import Columns, Reading

ROWS = 4000
AUDIT = {"estimator": "linear", "mechanisms": ["rr:epsilon=1"], "label": "y", "bags": 50}


def people(seed=0, n=ROWS):
    """Those over 60 of HR: 95 % of them positive, of all others 3 %; `rare` is a level that few have."""
    rng = np.random.default_rng(seed)
    age, job = rng.integers(18, 90, n), rng.choice(["sales", "hr", "it"], n, p=[0.4, 0.3, 0.3])
    job[: groups.FEWEST // 2] = "rare"
    eta = np.where((age > 60) & (job == "hr"), 0.95, 0.03)
    return pd.DataFrame({"age": age, "job": job, "noise": rng.normal(size=n), "y": (rng.random(n) < eta).astype(int)})


@pytest.fixture(scope="module")
def found():
    return lda.audit(people(), **AUDIT).findings


def of(findings, quantity):
    return [one for one in findings if one.quantity == quantity]


def columns_of(readings, *values, categorical=()):
    stacked = np.asfortranarray(np.column_stack(values).astype(np.float32))
    marks = np.isin(np.arange(len(values)), categorical)
    return Columns(stacked, marks, tuple(f"c{i}" for i in range(len(values))), tuple(readings))


def test_the_planted_group_is_named(found):
    [worst] = [one for one in of(found, "group_loss") if one.bound.low > 1.5]
    assert "job is hr" in worst.at["group"]
    assert "age above 6" in worst.at["group"]
    truth = (2 * 0.95 - 1) * (math.log(0.95 / 0.05) - math.log(0.16 / 0.84))
    assert worst.bound.low < truth


def test_groups_are_large_and_hold_everybody(found):
    shares = of(found, "group_share")
    assert all(one.bound.n >= groups.FEWEST for one in shares)
    assert sum(one.bound.estimate for one in shares) == pytest.approx(1)
    assert all(one.bound.low < one.bound.estimate < one.bound.high for one in shares)


def test_no_rare_level_is_named(found):
    assert not [one for one in found if "rare" in str(one.at.get("group"))]


def test_no_column_is_named_that_tells_only_something(found):
    assert not of(found, "column_guessed")


@pytest.mark.parametrize("share", [0.5, 0.03], ids=["even", "rare"])
def test_a_column_that_is_the_label_is_named(share):
    rng = np.random.default_rng(1)
    y = (rng.random(ROWS) < share).astype(int)
    table = pd.DataFrame(
        {"code": np.where(y, "d", "a"), "late": y * 5 + rng.normal(size=ROWS) / 9, "x": rng.random(ROWS)}
    )
    named = of(lda.audit(table.assign(y=y), **AUDIT).findings, "column_guessed")
    assert [one.at["column"] for one in named] == ["code", "late"]
    assert all(one.bound.low > 0.98 for one in named)


def test_a_column_of_notes_that_tell_the_label_is_named():
    rng = np.random.default_rng(4)
    y = (rng.random(ROWS) < 0.4).astype(int)
    table = pd.DataFrame({"notes": notes_of(y), "others": notes_of(y * 0, 1), "x": rng.random(ROWS), "y": y})
    found = lda.audit(table, **AUDIT).findings
    [named] = of(found, "column_guessed")
    assert named.at == {"column": "notes (words)"} and named.bound.low > 0.98
    j = next(one for one in of(found, "j") if one.at.get("tau") == 3 and one.mechanism is not None)
    assert j.bound.low > 0.7


def test_more_classes_have_guesses_and_no_losses():
    table = people()
    table["y"] = np.where(table.y == 1, "a", np.where(table.noise > 0, "b", "c"))
    found = lda.audit(table, **AUDIT).findings
    assert of(found, "group_guessed")
    assert not of(found, "group_loss")


@pytest.mark.parametrize(
    ("table", "options", "why"),
    [
        (people(n=200), {}, groups.FEW),
        (people()[["y"]].assign(p=0.2), {"eta": "p", "exclude": "p"}, groups.NO_COLUMNS),
    ],
    ids=["few", "given"],
)
def test_why_there_are_no_groups(table, options, why):
    options = AUDIT | options
    if "eta" in options:
        del options["estimator"]
    [none] = of(lda.audit(table, **options).findings, "group_share")
    assert (none.bound.estimate, none.bound.reason) == (None, why)


def test_rules_hold_for_the_people_they_name():
    """Missing cells are on the side that says so, and a whole border belongs to those up to it."""
    columns = columns_of([Reading(30, 2, whole=True)], [0, 0.5, np.nan, -1])
    up_to = Rule(0, 30)
    assert up_to.people(columns, np.arange(4)).tolist() == [True, False, False, True]
    assert groups.told((up_to,), columns) == "c0 up to 30"
    above = Rule(0, 30, holds=False)
    assert above.people(columns, np.arange(4)).tolist() == [False, True, True, False]
    assert groups.told((above,), columns) == "c0 above 30 or missing"


def test_rules_read_as_one_sentence():
    day = 86_400.0
    columns = columns_of(
        [Reading(whole=True), Reading(levels=("x", "y", None)), Reading(size=day, instant=True)],
        [1, 2], [0, 1], [0, 1], categorical=[1],
    )  # fmt: skip
    rules = Rule(0, 9), Rule(0, 3, holds=False), Rule(0, 5), Rule(1, levels=(0, 2)), Rule(1, levels=(1,), holds=False)
    expected = "c0 above 3 up to 5, c1 is x or missing and is not y, c2 above 2020-01-01"
    assert groups.told((*rules, Rule(2, 18_262 * day, holds=False)), columns) == expected


def test_borders_are_rounded():
    assert groups.rounded(np.array([1.23456, 7.6543]), Reading()) == pytest.approx([1.2, 7.7])
    assert groups.rounded(np.array([18.0, 18.2, 61.0]), Reading(whole=True)) == [18, 61]
    assert groups.rounded(np.array([30004.0, 30439, 30896]), Reading(whole=True)) == [30000, 30440, 30900]


def test_nothing_is_parted_where_nothing_is_told():
    rng = np.random.default_rng(2)
    columns = columns_of([Reading()] * 3, *rng.normal(size=(3, ROWS)))
    assert groups.grown(columns, np.arange(ROWS), rng.normal(size=ROWS)) == [()]


def test_instants_are_told_as_exactly_as_they_part_people():
    reading = Reading(size=86_400.0, instant=True)
    columns = columns_of([reading], [1, 2])
    assert groups.told((Rule(0, 86_400.0 * 18_262 + 43_200),), columns) == "c0 up to 2020-01-01 12:00:00"


def test_levels_that_could_be_taken_for_others_are_told_apart():
    long = "department of internal medicine, hospital "
    reading = Reading(levels=(f"{long}north", f"{long}east", "missing", None, "a or b", "a, b"))
    columns = columns_of([reading], [0, 1], categorical=[0])
    names = [groups.told((Rule(0, levels=(code,)),), columns) for code in range(6)]
    assert len(set(names)) == 6
    assert names[2:] == ["c0 is 'missing'", "c0 is missing", "c0 is 'a or b'", "c0 is 'a, b'"]


def test_numbers_that_float64_cannot_part_make_no_rules():
    """Of about 2^60 that differ by some hundreds."""
    rng = np.random.default_rng(3)
    columns = columns_of([Reading(2.0**60, 300.0, whole=True)], rng.normal(size=ROWS))
    assert groups.grown(columns, np.arange(ROWS), columns.values[:, 0].astype(float)) == [()]


def test_which_label_a_group_has(found):
    shares = {one.at["group"]: one.bound for one in of(found, "group_positive")}
    worst = max(of(found, "group_loss"), key=lambda one: one.bound.low)
    assert shares[worst.at["group"]].low > 0.8
