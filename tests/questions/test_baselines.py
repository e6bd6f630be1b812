"""Features alone and labels without noise, beside what definitions say of people whose eta is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from channels import spec_of
from simulated import given, report, scored
from test_channels import UNEVEN

from labeldp_audit.core.finding import CLEAR, FEATURES
from labeldp_audit.questions import advantage, tail, worst_case

TAUS = "-0.5,0.1,0.5,1,2,3,6"
RELEASES = ("rr:epsilon=0.5|2", spec_of(UNEVEN[1]))


@pytest.fixture(scope="module")
def people():
    """A table, the eta that it was drawn with, which is supplied, and the share of positives."""
    table, eta = given(*scored(2_000))
    return table, eta, eta.probability[:, 1], table.dataset.class_counts[1] / 2_000


def found(command, table, eta, *mechanisms, **options):
    made = report(command, table, eta, mechanism=mechanisms or RELEASES, **options)
    return {(one.quantity, one.mechanism or one.at.get("baseline"), one.at.get("tau")): one.bound
            for one in made.findings}  # fmt: skip


def test_features_alone_lose_what_the_definition_says(people):
    table, eta, chance, p = people
    losses = (2 * chance - 1) * (np.log(chance / (1 - chance)) - math.log(p / (1 - p)))
    shares = found(tail, table, eta, tau=TAUS)
    for tau in map(float, TAUS.split(",")):
        bound = shares["j", FEATURES, tau]
        assert bound.low <= bound.estimate <= bound.high
        assert bound.estimate == pytest.approx((losses > tau).mean())
    mean = shares["mean_loss", FEATURES, None]
    assert mean.low <= mean.estimate == pytest.approx(losses.mean()) and mean.high == math.inf
    worst = found(worst_case, table, eta)["nu_max", FEATURES, None]
    odds = np.abs(np.log(chance / (1 - chance)) - math.log(p / (1 - p)))
    assert worst.low <= worst.estimate <= worst.high and worst.estimate == pytest.approx(odds.max())


def test_without_noise_everybody_loses_infinitely_much(people):
    table, eta, *_ = people
    shares = found(tail, table, eta, tau=TAUS)
    for bound, value in (
        *((shares["j", CLEAR, float(tau)], 1.0) for tau in TAUS.split(",")),
        (shares["mean_loss", CLEAR, None], math.inf), (found(worst_case, table, eta)["nu_max", CLEAR, None], math.inf),
    ):  # fmt: skip
        assert (bound.low, bound.estimate, bound.high) == (None, value, None)


@pytest.mark.parametrize("utility", ["zero-one", "balanced"])
def test_without_noise_all_is_guessed_that_features_do_not_tell(people, utility):
    table, eta, chance, p = people
    known = found(advantage, table, eta, utility=utility, bags=10)
    pays = (1.0, 1.0) if utility == "zero-one" else (0.5 / (1 - p), 0.5 / p)
    right, added = known["informed_utility", FEATURES, None], known["advantage", CLEAR, None]
    assert right.estimate == pytest.approx(np.maximum((1 - chance) * pays[0], chance * pays[1]).mean())
    assert right == known["uninformed_utility", None, None]
    assert (added.low, added.estimate, added.high) == (1 - right.high, 1 - right.estimate, 1 - right.low)
    assert known["informed_utility", CLEAR, None].estimate == 1


@pytest.mark.parametrize("certify", [True, False])
def test_no_release_tells_less_than_features_or_more_than_labels(certify):
    """Where models are wrong as well."""
    table, eta = scored(900)
    known = found(advantage, table, eta, "rr:epsilon=0|1|inf", "llp:k=1|8", certify=certify, bags=30)
    for (quantity, mechanism, _), bound in known.items():
        if mechanism and ":" in mechanism and quantity in ("advantage", "informed_utility", "certified_advantage"):
            most = known[quantity, CLEAR, None]
            assert most.high is None or bound.high <= most.high + 1e-12
    assert known["advantage", "rr:epsilon=inf", None].estimate == pytest.approx(
        known["advantage", CLEAR, None].estimate
    )
    assert known["uninformed_utility", None, None] == known["informed_utility", FEATURES, None]


@pytest.mark.parametrize("supplied", [True, False])
def test_what_a_release_adds_to_shares_is_the_difference(supplied):
    table, eta = (given if supplied else lambda *both: both)(*scored(900))
    known = found(tail, table, eta, tau=TAUS, certify=False)
    added = {place: bound for place, bound in known.items() if place[0] == "j_added"}
    assert len(added) == 4 * 7
    for (_, mechanism, tau), bound in added.items():
        one, alone = known["j", mechanism, tau], known["j", FEATURES, tau]
        one = replace(one, low=1.0, high=1.0) if mechanism == CLEAR else one
        assert 0 <= bound.low <= bound.estimate <= bound.high <= 1
        assert bound.high == one.high - alone.low and bound.low == max(0.0, one.low - alone.high)
        assert bound.estimate == pytest.approx(max(0.0, one.estimate - alone.estimate))
    assert any(bound.estimate > 0.1 for bound in added.values())


def test_it_does_not_depend_on_the_mechanisms_that_are_asked_about(people):
    table, eta, *_ = people
    few, many = (found(tail, table, eta, *asked, tau=TAUS) for asked in (RELEASES[:1], RELEASES))
    assert len({place for place in few if place[1] == FEATURES}) == 8
    assert all(many[place] == bound for place, bound in few.items() if place[1] in (FEATURES, CLEAR))
