"""benchmarks/coverage.py counts what is false, and nothing else."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from worlds import KINDS

from benchmarks import coverage
from labeldp_audit.core.finding import Bound, Finding

EPSILON = 1.0
NOISE = EPSILON * math.tanh(EPSILON / 2)
ETA = np.array([0.1] * 600 + [0.9] * 400)
P = 0.42


@pytest.fixture(scope="module")
def truth():
    odds = np.log(ETA / (1 - ETA)) - math.log(P / (1 - P))
    losses = np.sort((2 * ETA - 1) * odds)
    return coverage.Truth(
        coverage.Mean(0.9, 0.001), {"rr:epsilon=1": coverage.Mean(0.05, 0.001)}, losses, float(np.abs(odds).max()),
        (odds, np.stack([ETA / P, (1 - ETA) / (1 - P)])), ETA,
    )  # fmt: skip


def said(quantity, low, high, **at):
    return Finding(quantity, Bound(None, low, high, 10, "by hand"), 0.99, "rr:epsilon=1", {"epsilon": EPSILON, **at})


SHARE = 0.4  # lose more than 2 nats and the noise: those of 0.9
MEAN = 0.6 * -0.8 * (math.log(1 / 9) - math.log(P / (1 - P))) + 0.4 * 0.8 * (math.log(9) - math.log(P / (1 - P)))
RENYI = math.log((0.06 / P) ** 2 / (0.54 / (1 - P)) + (0.36 / P) ** 2 / (0.04 / (1 - P)))
TRUE = {
    "j": (SHARE, {"tau": 1.95 + NOISE}), "j_added": (1 - SHARE, {"tau": 1.7}),
    "mean_loss": (MEAN + NOISE, {}), "advantage": (0.05, {}),
    "nu_max": (EPSILON + math.log(9) + math.log((1 - P) / P), {}), "uninformed_utility": (0.9, {}),
    "informed_utility": (0.95, {}), "renyi": (RENYI, {"alpha": 2.0, "of": "positive from negative"}),
    "eta_min": (0.1, {}), "eta_max": (0.9, {}), "log_ratio_min": (math.log(9), {}), "log_ratio_max": (math.log(9), {}),
    "jeffreys": (0.8 * math.log(9), {}), "weighted_jeffreys": (MEAN, {}),
}  # fmt: skip


def false(finding, truth):
    """Names of the ends that are false."""
    return [name for name, wrong in coverage.judged([finding], truth).false.items() if wrong]


@pytest.mark.parametrize("quantity", TRUE)
def test_limits_that_do_not_hold_are_counted_and_no_others(truth, quantity):
    value, at = TRUE[quantity]
    off = 0.5 if quantity in ("mean_loss", "renyi", "weighted_jeffreys") else 0.1
    for name in (quantity, f"certified_{quantity}"):
        outcome = coverage.judged([said(name, value - 1e-6, value + 1e-6, **at)], truth)
        assert outcome.false == {f"{name} low": False, f"{name} high": False}
        for ends, end in (((value + off, math.inf), "low"), ((0.0, value - off), "high")):
            assert false(said(name, *ends, **at), truth) == [f"{name} {end}"]


BESIDE = {  # without a release, and without noise
    "j": (SHARE, {"tau": 1.95, "baseline": "features"}), "mean_loss": (MEAN, {"baseline": "features"}),
    "nu_max": (math.log(9) + math.log((1 - P) / P), {"baseline": "features"}),
    "informed_utility": (0.9, {"baseline": "features"}), "advantage": (0.1, {"baseline": "no-noise"}),
    "j_added": (1 - SHARE, {"tau": 1.95, "baseline": "no-noise"}),
}  # fmt: skip


@pytest.mark.parametrize("quantity", BESIDE)
def test_what_stands_beside_all_mechanisms_has_a_truth_of_its_own(truth, quantity):
    value, at = BESIDE[quantity]
    for off, wrong in ((-1e-6, False), (0.5, True)):
        finding = Finding(quantity, Bound(None, value + off, None, 10, "by hand"), 0.99, None, at)
        assert coverage.judged([finding], truth).false == {f"{quantity}, {at['baseline']}, low": wrong}


def test_findings_are_judged_together_where_their_truth_is_known(truth):
    """Those without limits are passed over, and what a theorem allows may be more than the advantage but not less."""
    value, at = TRUE["j"]
    several = [said("j", 0.0, 1.0, **at), said("j", value + 0.1, 1.0, **at), said("j", 0.0, 1.0, **at)]
    assert coverage.judged(several, truth).false == {"j low": True, "j high": False}
    assert coverage.judged([said("j", None, None, tau=1.0)], truth) == ({}, frozenset())
    assert coverage.judged([said("j", None, 1.0, tau=1.0)], truth).false == {"j high": False}
    assert coverage.judged([said("of_another_day", 9.0, math.inf)], truth) == ({}, {"of_another_day"})
    assert not false(said("advantage_bound", 0.3, 0.4), truth)
    assert false(said("advantage_bound", 0.0, 0.04), truth) == ["advantage_bound high"]


# ---- counts, and how many the level allows


@pytest.mark.parametrize(("audits", "confidence"), [(400, 0.99), (400, 0.8), (60, 0.99), (1, 0.8)])
def test_more_than_allowed_are_seen_once_in_a_thousand_runs(audits, confidence):
    def more_than(most):
        miss = 1 - confidence
        return 1 - sum(math.comb(audits, k) * miss**k * confidence ** (audits - k) for k in range(most + 1))

    most = coverage.allowed(audits, confidence)
    assert more_than(most) <= 0.001
    assert most == 0 or more_than(most - 1) > 0.001
    assert coverage.Count(most, audits).text(confidence) == f"{most}/{audits} ({most})"
    assert coverage.Count(most + 1, audits).text(confidence).endswith("!")


def test_ends_are_counted_by_themselves_and_together():
    outcomes = [
        coverage.Outcome({"j low": True, "j high": True, "certified_j low": False}, frozenset()),
        coverage.Outcome({"j low": True, "j high": False}, frozenset()),
        coverage.Outcome({"certified_j low": True}, frozenset()),
    ]
    assert coverage.counts_of(outcomes) == {
        coverage.CERTIFIED: (1, 2), coverage.ESTIMATED: (2, 2),
        "certified_j low": (1, 2), "j high": (1, 2), "j low": (2, 2),
    }  # fmt: skip


# ---- whose rows they are


def rows(people, kind="scales", n=2000):
    return coverage.rows_of_people(KINDS[kind](2), n, people, np.random.default_rng(5))


def times(table, *columns):
    """How often each combination of values is there."""
    names = list(columns) or table.column_names
    return table.group_by(names).aggregate([([], "count_all")])["count_all"].to_numpy()


def test_everybody_has_one_row_or_copies_of_it_or_several():
    one, copies, both = (rows(people) for people in ("one", "copies", "both"))
    assert one.num_rows == 2000 == len(times(one)) and coverage.PERSON not in one.column_names
    assert 0.8 * 2000 < copies.num_rows < 1.2 * 2000
    assert set(times(copies)) == set(times(both)) == set(range(1, coverage.MOST_COPIES + 1))
    assert len(times(both, coverage.PERSON)) < len(times(both)) / 5


@pytest.mark.parametrize("kind", ["scales", "rare", "levels"])
def test_rows_of_a_person_share_a_label_and_nearly_everything_else(kind):
    table = rows("groups", kind)
    many = times(table, coverage.PERSON)
    assert 0.8 * 2000 < table.num_rows < 1.2 * 2000
    assert many.min() >= 1
    assert 10 < len(set(many)) <= many.max() <= coverage.MOST_ROWS
    for name in table.drop_columns([coverage.PERSON]).column_names:
        assert apart(table, name) < 10 * coverage.JITTER


def apart(table, name):
    """The greatest difference between cells of one person, in standard deviations; infinite where they are unlike."""
    told = table[name] if not pa.types.is_floating(table[name].type) else pc.is_null(table[name])
    people = table.select([coverage.PERSON]).append_column("told", told)
    if len(times(people)) > len(times(people, coverage.PERSON)):
        return math.inf
    if not pa.types.is_floating(table[name].type):
        return 0.0
    cells = table.group_by(coverage.PERSON).aggregate([(name, "min"), (name, "max")])
    return pc.max(pc.subtract(cells[f"{name}_max"], cells[f"{name}_min"])).as_py() / pc.stddev(table[name]).as_py()


def test_audits_are_told_whose_rows_they_are():
    job = coverage.Job("curved", 1, 100, "one", "auto", (0.8,), 3)
    assert job.options == {"estimator": "auto", "seed": 3}
    assert job._replace(people="groups").options == {**job.options, "group": "person"}
    assert job._replace(people="copies").options == {**job.options, "repeats": "copies"}
    assert job._replace(people="both").options == {**job.options, "group": "person", "repeats": "copies"}


def test_a_table_of_one_class_is_refused_and_counts_nowhere(monkeypatch, truth):
    monkeypatch.setitem(coverage._KNOWN, ("rare", 1), truth)
    job = coverage.Job("rare", 1, 20, "both", "auto", (0.8,), 3)
    assert coverage.audit(job) == [({}, frozenset())]
    assert coverage.counts_of(coverage.audit(job)) == {}
