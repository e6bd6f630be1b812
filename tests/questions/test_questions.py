"""Whatever the table: limits hold the estimate, levels add up, and reports claim no more than they may."""

from __future__ import annotations

import itertools
import math
from contextlib import ExitStack
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import COMMANDS, eta_of, findings, report, table_of

from labeldp_audit import neighbors
from labeldp_audit.audits import evidence  # fmt: skip
from labeldp_audit.bounds.intervals import dvoretzky_kiefer_wolfowitz, measure_smoothness
from labeldp_audit.core.errors import AssumptionError, SpecError
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings, smoothness
from labeldp_audit.estimators import supplied as given_eta
from labeldp_audit.measures import tail
from labeldp_audit.questions import (
    advantage,
    assumptions,
    certificates,
    certified_guesses,
    eta_range,
    guessing,
    intervals,
    neighborhoods,
    releases,
    worst_case,
)
from labeldp_audit.questions import tail as estimate_j

quick = settings(deadline=None, max_examples=30, derandomize=True)
HARD = ("rr:epsilon=0|1e-9|1|40|inf", "rr:pi=0.5|0.01", "rr:lambda=1e-300")
POINTS = ("leave_one_out_utility", "plug_in_utility", "plug_in_j")  # have no limits
TAUS = "-1,0,0.5,1,3,10,1000"
commands = pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)


def certificate(finding):
    return finding.quantity.startswith("certified_")


def by_definition(finding):
    """No sample is behind it, and so no limits."""
    return finding.bound.method == releases.BY_DEFINITION


@st.composite
def audits(draw):
    """Any counts: a single neighbour, none or all of them positive; a prior near 0 or 1."""
    n = draw(st.integers(2, 300))
    labels = np.arange(n) < draw(st.one_of(st.integers(1, n - 1), st.sampled_from([1, n - 1])))
    sizes = draw(st.lists(st.one_of(st.integers(1, n - 1), st.just(1)), min_size=1, max_size=min(n, 12)))
    positives = [draw(st.one_of(st.integers(0, k), st.sampled_from([0, k]))) for k in sizes]
    return table_of(labels), eta_of(positives, sizes, labels)


@commands
@quick
@given(audit=audits(), confidence=st.sampled_from([0.5, 0.99, 1 - 1e-9]))
def test_limits_hold_the_estimate(command, audit, confidence):
    for finding in findings(command, *audit, confidence=confidence, mechanism=HARD, tau=TAUS):
        low, estimate, high = finding.bound.low, finding.bound.estimate, finding.bound.high
        if estimate is None:
            assert certificate(finding)
            estimate = low
        assert finding.quantity in POINTS or by_definition(finding) or low <= estimate <= high, finding
        assert finding.confidence == confidence


@commands
@quick
@given(audit=audits(), smoothness=st.sampled_from(["0,1", "0.2,0.5", "100,1"]))
def test_smoothness_only_widens(command, audit, smoothness):
    with patch.object(measure_smoothness, "check"):
        wide = findings(command, *audit, smoothness=smoothness, tau=TAUS)
    for narrow, finding in zip(findings(command, *audit, tau=TAUS), wide, strict=True):
        if narrow.quantity in POINTS or by_definition(narrow):
            continue
        assert finding.bound.low <= narrow.bound.low
        assert finding.bound.high >= narrow.bound.high
        assert finding.bound.estimate == narrow.bound.estimate


@quick
@given(audit=audits())
def test_ranges_that_are_known_beforehand(audit):
    """A divergence is not negative, the loss of the mechanism alone is never undercut, nor the commoner class."""
    said = findings(estimate_j, *audit) + findings(worst_case, *audit) + findings(eta_range, *audit)
    for finding in itertools.filterfalse(lambda one: certificate(one) or by_definition(one), said):
        low, epsilon = finding.bound.low, finding.at.get("epsilon", 0.0)
        if finding.quantity in ("jeffreys", "weighted_jeffreys"):
            assert low >= 0
        if finding.quantity == "mean_loss":
            assert low >= epsilon * math.tanh(epsilon / 2) * (1 - 1e-12)
        if finding.quantity == "nu_max":
            assert low >= epsilon
        if finding.quantity == "uninformed_utility":
            assert low >= 0.5
            assert finding.bound.estimate >= max(audit[0].dataset.prior) - 1e-12
            assert finding.bound.high <= 1


@quick
@given(audit=audits(), mechanism=st.sampled_from(["rr:epsilon=0", "rr:epsilon=2", "rr:epsilon=inf"]))
def test_j_falls_with_tau(audit, mechanism):
    said = [one for one in findings(estimate_j, *audit, mechanism=(mechanism,)) if one.quantity == "j"]
    for end, about in itertools.product(("low", "estimate", "high"), (True, False)):
        curve = [getattr(one.bound, end) for one in said if (one.mechanism is None) == about and not by_definition(one)]
        assert curve and all(0 <= after <= before_it <= 1 for before_it, after in itertools.pairwise(curve))


def test_labels_in_the_clear_are_lost():
    labels = np.arange(100) < 30
    audit = table_of(labels), eta_of([10, 40], [60, 60], labels)
    said = findings(worst_case, *audit, mechanism=("rr:pi=0",)) + findings(estimate_j, *audit, mechanism=("rr:pi=0",))
    for finding in (one for one in said if one.mechanism):
        if finding.quantity in ("nu_max", "mean_loss"):
            assert (finding.bound.low, finding.bound.estimate, finding.bound.high) == (math.inf,) * 3
        if finding.quantity == "j":
            assert finding.bound.estimate == finding.bound.high == 1


def test_one_large_epsilon_is_finite():
    """Its flip probability is rounded to 0, its loss is not infinite."""
    labels = np.arange(100) < 30
    audit = table_of(labels), eta_of([10, 40], [60, 60], labels)
    [mean] = [
        one
        for one in findings(estimate_j, *audit, mechanism=("rr:epsilon=900",), tau="1")
        if one.quantity == "mean_loss" and one.mechanism
    ]
    assert 900 < mean.bound.estimate < 901


# ---- levels


class Spending:
    """The probabilities of missing that a command spends, as its bounds are told them."""

    def __init__(self):
        self.by_event = {}

    def note(self, event, miss):
        self.by_event[event] = self.by_event.get(event, 0.0) + miss

    def watch(self, stack, home, name, cost):
        """cost(arguments) -> (event, miss)."""
        original = getattr(home, name)

        def told(*given_arguments):
            self.note(*cost(*given_arguments))
            return original(*given_arguments)

        stack.enter_context(patch.object(home, name, told))

    @property
    def total(self):
        return sum(self.by_event.values())


def spent(command, *audit, **options):
    spending = Spending()

    def radii(miss):
        spending.by_event["radii"] = max(miss, spending.by_event.get("radii", 0.0))
        return 0.0

    payoffs_of = guessing.payoffs_of

    def payoffs(table, settings, miss):
        spending.by_event["payoffs"] = max(miss, spending.by_event.get("payoffs", 0.0))  # asked twice, one event
        return payoffs_of(table, settings, miss)

    with ExitStack() as stack:
        # Limits of neighbourhood averages have what they may miss for themselves.
        stack.enter_context(patch.object(neighborhoods, "with_limits", lambda findings, *_: findings))
        for name in ("for_extremes", "for_shares"):
            spending.watch(stack, intervals, name, lambda *given_arguments: ("eta", given_arguments[-2]))
        # which spends some of its own on intervals
        spending.watch(stack, guessing, "_most", lambda *given_arguments: ("eta", -given_arguments[-1] / 2))
        spending.watch(stack, guessing, "of_features", lambda *given_arguments: ("features", given_arguments[-1].miss))
        for home, name in ((certificates, "of_losses"), (certificates, "of_worst"), (certified_guesses, "doubt")):
            spending.watch(stack, home, name, lambda *given_arguments: ("certificates", given_arguments[-1].miss))
        stack.enter_context(patch.object(guessing, "payoffs_of", payoffs))
        spending.watch(stack, intervals, "of_prior", lambda table, miss: ("prior", miss))
        # one event, however often it is asked about
        stack.enter_context(patch.object(assumptions, "widening", lambda eta, settings, miss: radii(miss)))
        spending.watch(
            stack, tail, "share_above", lambda losses, tau, wrong, miss, of_people: ("j", 2 * len(tau) * miss)
        )
        means = "mean_lower", lambda terms, floor, wrong, miss: ("mean", miss / intervals.PARTS)
        spending.watch(stack, dvoretzky_kiefer_wolfowitz, *means)
        report(command, *audit, **options)
    return spending


@commands
@pytest.mark.parametrize("tau", [None, "1", "0:9:0.01"])
def test_levels_add_up_to_what_was_promised(command, tau):
    labels = np.arange(500) < 100
    audit = table_of(labels), eta_of([0, 10, 40, 60], [60] * 4, labels)
    spending = spent(command, *audit, confidence=0.9, tau=tau)
    assert spending.total <= 0.1 * (1 + 1e-9)
    if tau is not None or command is not estimate_j:
        assert spending.total == pytest.approx(0.1)  # and nothing is wasted
    assert {"eta", "radii", "certificates"} <= set(spending.by_event)


def test_levels_of_advantages_add_up_too():
    labels = np.arange(500) < 100
    audit = table_of(labels), eta_of([0, 10, 40, 60], [60] * 4, labels)
    asked = {"mechanism": ("rr:epsilon=1|2", "llp:k=2"), "confidence": 0.9, "bags": 10}
    with patch.object(advantage, "increase", wraps=advantage.increase) as gains:
        spending = spent(advantage, *audit, **asked)
    of_gains = sum(call.args[-2] for call in gains.call_args_list)
    assert spending.total + of_gains == pytest.approx(0.1)
    assert set(spending.by_event) == {"eta", "radii", "prior", "payoffs", "features", "certificates"}


def test_levels_do_not_depend_on_the_labels():
    """A curve that ends early is no reason to spend more on each of its points."""

    def levels(labels, positives):
        told = []
        original = tail.share_above
        with patch.object(tail, "share_above", lambda *given: (told.append(given[3]), original(*given))[1]):
            report(estimate_j, table_of(labels), eta_of(positives, [60] * 3, labels))
        return list(dict.fromkeys(told))

    short, long = levels(np.arange(300) < 150, [30, 30, 30]), levels(np.arange(300) < 2, [59, 1, 60])
    assert short == long
    # Of the features alone, of mechanisms, and of neighbourhood averages.
    assert len(short) == 3


# ---- what is claimed, and for what


@commands
def test_every_number_says_what_it_assumes(command):
    labels = np.arange(500) < 100
    audit = table_of(labels), eta_of([0, 30], [100, 100], labels)
    plain, vouched = (
        [
            one
            for one in findings(command, *audit, smoothness=smoothness)
            if not (certificate(one) or by_definition(one))
        ]
        for smoothness in (None, "0.5,1")
    )
    assert all(set(finding.bound.assumptions) >= {assumptions.ROWS, assumptions.AVERAGES} for finding in plain)
    for finding in vouched:
        assert assumptions.AVERAGES not in finding.bound.assumptions
        assert any("C = 0.5, beta = 1" in text for text in finding.bound.assumptions)


@commands
def test_smoothness_needs_enough_neighbours(command):
    labels = np.arange(500) < 100
    with pytest.raises(AssumptionError, match="--smoothness needs k of at least"):
        findings(command, table_of(labels), eta_of([3], [20], labels), smoothness="0.5,1")


def test_smoothness_widens_by_twice_the_share_of_the_others_that_are_neighbours():
    labels = np.arange(501) < 100
    eta = eta_of([30], [100], labels)
    assert assumptions.widening(eta, Settings(smoothness="0.5,1"), 0.1) == pytest.approx(0.5 * 2 * 100 / 500, rel=1e-12)
    assert assumptions.widening(eta, Settings(), 0.1) == 0


@pytest.mark.parametrize("text", ["1", "1,2,3", "x,1", "1,0", "1,1.1", "-1,1", "inf,1", "nan,1"])
def test_smoothness_that_cannot_be(text):
    with pytest.raises(SpecError, match="smoothness"):
        smoothness(Settings(smoothness=text))


@pytest.mark.parametrize(("smoothness", "recall"), [(None, 0.9), ("1,1", 1.0)])
def test_smoothness_speaks_of_the_nearest_so_they_are_searched_exactly(smoothness, recall):
    labels = np.arange(50) < 20
    table, asked = table_of(labels), {}

    def search(*given_arguments, **options):
        asked.update(options)
        raise InterruptedError

    with (
        patch.object(evidence, "read_table", return_value=table),
        patch.object(neighbors, "count_grid", search),
        pytest.raises(InterruptedError),
    ):
        evidence.read_and_estimate("", Settings(estimator="knn", recall=0.9, smoothness=smoothness, k=49), Silent())
    assert asked["recall"] == recall


def test_mechanisms_that_are_written_alike_are_one():
    asked = Settings(mechanism=("rr:epsilon=2|1", "rr:epsilon=1.00000001", "rr:pi=0.5", "rr:lambda=1"))
    assert [one.spec for one in releases.wanted(asked)] == ["rr:epsilon=2", "rr:epsilon=1", "rr:epsilon=0"]


def test_the_file_of_rows_numbers_rows_of_the_file():
    labels = np.arange(6) < 2
    eta = eta_of([1, 2], [4, 5], labels)
    columns = given_eta.to_rows(table_of(labels), eta)
    assert columns["row"].tolist() == [1, 2]
    assert columns["eta_1"].tolist() == [0.25, 0.4]
    assert columns["count_0"].tolist() == [3, 3]
    assert columns["k"].tolist() == [4, 5]
