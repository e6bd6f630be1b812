"""Labels drawn from what a model says: what is spent, and by which law they are drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from labeldp_audit.core.release import Guide
from labeldp_audit.mechanisms import ModelResponse, RandomizedResponse, exact
from labeldp_audit.mechanisms.cluster_response import parts_of, plan_of
from labeldp_audit.mechanisms.model_response import best_plan, changed, rounded
from labeldp_audit.mechanisms.prior_response import CELLS

MISS = 1e-4


def numerators_of(plan, parts):
    return [[one + plan.kept * (s == y) for s, one in enumerate(parts)] for y in range(len(parts))]


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.1, 1.0, 5.0, 30.0])
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_no_law_of_a_model_spends_more_than_was_asked(epsilon, classes):
    laws, _ = rounded(np.vstack([np.eye(classes), np.full((1, classes), 1 / classes)]))
    plan = best_plan(epsilon, laws, np.ones(len(laws)))
    spent = max(exact.epsilon_of(numerators_of(plan, parts)) for parts in parts_of(laws, plan))
    assert spent <= epsilon + math.ulp(epsilon)
    assert spent >= epsilon * (1 - 1e-3) - 1e-15
    assert spent == pytest.approx(math.log1p((1 - plan.resampled) / (plan.resampled * plan.floor)), rel=1e-3)


def test_and_one_that_is_not_clipped_would():
    """000, Mechanism 1, with the model's own law: what it takes for impossible gives the label away."""
    plan = best_plan(1.0, np.array([[0.5, 0.5]]), np.ones(1))
    assert exact.epsilon_of(numerators_of(plan, [plan.replaced, 0])) == math.inf


def drift(mechanism, n=60_000):
    """The smallest p-value of what is said, by the channels of model-rr of epsilon 1."""
    prior = np.array([[0.9, 0.1], [0.25, 0.75]])[np.arange(n) % 2]
    labels = np.arange(n) // 2 % 2
    guide = Guide(2, prior=prior)
    laws = ModelResponse(1.0).release(labels, guide, rng=np.random.default_rng(0)).channels
    release = mechanism.release(labels, guide, rng=np.random.default_rng(1))
    found = []
    for group, label in np.ndindex(2, 2):
        said = np.bincount(release.view[(release.group == group) & (labels == label)], minlength=2)
        found.append(chisquare(said, laws[group, label] * said.sum()).pvalue)
    return min(found)


def test_labels_are_drawn_by_the_channels_that_are_published():
    assert drift(ModelResponse(1.0)) > MISS
    assert drift(ModelResponse(1.1)) < MISS**2


def test_the_manifest_tells_the_channels():
    prior = np.random.default_rng(0).dirichlet(np.ones(4), 500)
    mechanism = ModelResponse(2.0)
    release = mechanism.release(np.zeros(500, np.int64), Guide(4, prior=prior), rng=np.random.default_rng(0))
    assert np.array_equal(mechanism.channels_told(mechanism.learner(release, 4)), release.channels)
    assert np.allclose(release.channels.sum(axis=2), 1)


def test_without_a_prior_it_is_randomized_response():
    release = ModelResponse(1.5).release(np.arange(3), Guide(3), rng=np.random.default_rng(0))
    assert release.channels[0] == pytest.approx(RandomizedResponse(1.5).channel(3), abs=1e-12)


def test_the_plan_has_the_least_noise_of_those_tried_and_a_sure_model_has_less_than_none():
    sure, blind = np.array([[0.97, 0.03], [0.03, 0.97]]), np.full((1, 2), 0.5)
    for laws in (sure, blind):
        weights = np.full(len(laws), 1 / len(laws))
        least = changed(best_plan(1.0, laws, np.ones(len(laws))), laws, weights)
        assert all(least <= changed(plan_of(1.0, 2, 0, floor), laws, weights) for floor in (0.5, 0.25, 0.125))
    assert changed(best_plan(1.0, sure, np.ones(2)), sure, np.full(2, 0.5)) < 0.1
    assert changed(best_plan(1.0, blind, np.ones(1)), blind, np.ones(1)) == pytest.approx(1 / (1 + math.e))


def test_laws_are_rounded_to_few():
    prior = np.random.default_rng(0).dirichlet(np.ones(2), 5000)
    laws, group = rounded(prior)
    assert len(laws) <= 33 and np.abs(laws[group] - prior).max() <= 1 / 32
    wide = np.random.default_rng(0).dirichlet(np.ones(40), 50)
    laws, group = rounded(wide)
    assert laws.shape == (50, 40) and len(group) == 50


def test_where_there_are_too_many_laws_the_grid_is_coarser():
    prior = np.random.default_rng(0).dirichlet(np.full(200, 0.0005), 3000)
    prior[0] = 1 / 200
    laws, group = rounded(prior)
    assert len(laws) * 200**2 <= CELLS and laws.sum(axis=1) == pytest.approx(np.ones(len(laws)))
    assert laws[group[0]] == pytest.approx(prior[0])
    assert np.mean(laws[group].argmax(axis=1) == prior.argmax(axis=1)) > 0.9
