"""Reports on releases that tell more of the one class than of the other, beside what their definition says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from channels import Atoms, flipping, spec_of
from simulated import given, report, scored

from labeldp_audit.audits import contributions
from labeldp_audit.mechanisms import RandomizedResponse
from labeldp_audit.questions import advantage, intervals, releases, tail, worst_case

SYMMETRIC = ((0.85, 0.15), (0.15, 0.85))
UNEVEN = (
    ((0.9, 0.1), (0.2, 0.8)),
    ((0.98, 0.02), (0.5, 0.5)),
    ((0.3, 0.7), (0.1, 0.9)),
    ((0.5, 0.3, 0.15, 0.05), (0.05, 0.05, 0.1, 0.8)),
)
REVEALING = ((1.0, 0.0), (0.2, 0.8)), ((0.8, 0.2), (0.0, 1.0)), ((0.5, 0.0, 0.5), (0.0, 0.5, 0.5))
TAUS = np.round(np.linspace(-0.5, 6, 27), 6).tolist()
LAW = (0.02, 0.4, 0.95)
matrices = pytest.mark.parametrize("rows", UNEVEN, ids=spec_of)


def bounds(found, spec):
    places = ((one.quantity, *[one.at[key] for key in ("tau", "bound") if key in one.at]) for one in found)
    return {place: one.bound for place, one in zip(places, found, strict=True) if one.mechanism == spec}


def asked(command, table, rows, **settings):
    settings = {"tau": ",".join(map(str, TAUS))} | settings
    return bounds(report(command, *table, mechanism=(spec_of(rows),), **settings).findings, spec_of(rows))


def people(law, n=400):
    """As many of each eta, which is supplied, and what the share of positives of their table makes of them."""
    table, eta = given(*scored(n, law=law))
    return (table, eta), lambda rows: Atoms(
        np.full(n, 1 / n), eta.probability[:, 1], rows, table.dataset.class_counts[1] / n
    )


@pytest.mark.parametrize("command", [tail, worst_case, advantage], ids=lambda command: command.__name__)
@pytest.mark.parametrize("whose", [lambda *table: table, given], ids=["counted", "supplied"])
def test_randomized_response_is_its_channel(command, whose):
    """Estimates, limits and certificates to the last digit, where epsilon is computed to the same last digit."""
    table = whose(*scored(600))
    found = report(command, *table, mechanism=("rr:pi=0.15", spec_of(SYMMETRIC)), bags=30).findings
    one, other = (bounds(found, spec) for spec in (RandomizedResponse.parse({"pi": "0.15"}).spec, spec_of(SYMMETRIC)))
    assert len(one) > (100 if command is tail else 1)
    assert one == other


@matrices
def test_people_of_known_eta_lose_what_the_definition_says(rows):
    table, truth_of = people(LAW)
    truth, found = truth_of(rows), asked(tail, table, rows)
    for tau in TAUS:
        assert found["j", tau].estimate == pytest.approx(truth.share_above(tau))
    assert found["mean_loss",].estimate == pytest.approx(truth.mean, rel=1e-12)
    assert asked(worst_case, table, rows)["nu_max",].estimate == pytest.approx(truth.worst, rel=1e-12)


@matrices
def test_limits_hold_them_and_follow_tau(rows):
    """Their eta is known, so nothing but p and who was drawn can move a limit far."""
    table, truth_of = people(LAW, 3000)
    truth, found = truth_of(rows), asked(tail, table, rows)
    shares = [found["j", tau] for tau in TAUS]
    for tau, share in zip(TAUS, shares, strict=True):
        assert share.low <= truth.share_above(tau) <= share.high
        assert 0 < found["certified_j", tau].low <= truth.share_above(tau) or truth.share_above(tau) < 1
    assert all(one.low >= other.low and one.high >= other.high for one, other in itertools.pairwise(shares))
    assert any(share.low > 0.5 for share in shares) and any(share.high < 0.5 for share in shares)
    assert truth.mean - 0.3 < found["mean_loss",].low <= truth.mean
    assert truth.mean - 0.8 < found["certified_mean_loss",].low <= truth.mean
    worst = asked(worst_case, table, rows)
    assert truth.worst - 1 < worst["nu_max",].low <= truth.worst <= worst["nu_max",].high
    assert truth.worst - 1 < worst["certified_nu_max",].low <= truth.worst


@pytest.mark.parametrize("rows", UNEVEN[1::2], ids=spec_of)
def test_and_noise_that_is_alike_for_both_classes_is_caught(rows, monkeypatch):
    """The epsilon of the channel in the place of its rows, or its tilt turned round."""
    real, (table, truth_of) = releases.noise_of, people(LAW, 3000)
    truth = truth_of(rows)
    turned = lambda noise: type(noise)(noise.loss, -noise.tilt, noise.most_of_negative, noise.most_of_positive, 0.0)  # noqa: E731
    for lie in (lambda noise: flipping(noise.most), turned):
        monkeypatch.setattr(releases, "noise_of", lambda mechanism, lie=lie: lie(real(mechanism)))
        found = {**asked(tail, table, rows), **asked(worst_case, table, rows)}
        assert any(not found["j", tau].low <= truth.share_above(tau) <= found["j", tau].high for tau in TAUS)
        assert abs(found["mean_loss",].estimate - truth.mean) > 0.01
        assert found["nu_max",].estimate != pytest.approx(truth.worst, rel=0.02)


@pytest.mark.parametrize("rows", REVEALING, ids=spec_of)
def test_what_one_class_alone_can_say_loses_everything(rows):
    for table in (scored(600), people(LAW)[0]):
        found = {**asked(tail, table, rows), **asked(worst_case, table, rows)}
        assert all(found["j", tau].low > 0.9 and found["j", tau].high == 1 for tau in TAUS)
        assert all(found["certified_j", tau].low == 1 for tau in TAUS)
        for quantity in ("mean_loss", "nu_max"):
            assert found[quantity,].estimate == found[quantity,].low == found[f"certified_{quantity}",].low == math.inf


def test_a_curve_of_a_channel_ends_where_nobody_loses_more():
    table, truth_of = people(LAW)
    taus = [tau for name, *tau in asked(tail, table, UNEVEN[1], tau=None) if name == "j"]
    top = max(truth_of(UNEVEN[1]).losses)
    assert top <= max(taus)[0] <= top + 0.11


def test_the_least_over_p_is_at_one_of_its_ends():
    prior = intervals.Prior(0.3, 0.2, 0.4)
    for rows in UNEVEN:
        mean = Atoms([1.0], [0.3], rows).mean
        assert mean == pytest.approx(releases.noise_of(channel(rows)).mean(0.3))
        assert prior.least(releases.noise_of(channel(rows)).mean) < mean


def channel(rows):
    from labeldp_audit.mechanisms.channel import Channel

    return Channel(tuple(map(tuple, rows)))


def test_columns_contribute_to_the_same_loss():
    """J by definition, of rows whose eta a model tells."""
    eta = np.array(LAW)
    model = contributions._Model(np.empty(0), np.stack([1 - eta, eta], axis=1))
    truth = Atoms(np.full(3, 1 / 3), eta, UNEVEN[1], p=0.3)
    for tau in TAUS:
        found = contributions._share(0.3, releases.noise_of(channel(UNEVEN[1])), tau, model)
        assert found.mean == pytest.approx(truth.share_above(tau))
