"""Estimates and their limits lie within what is certified."""

import math
from dataclasses import replace

import numpy as np
import pytest
from simulated import given, report, scored

from labeldp_audit.audits import doubts
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.questions import tail


def finding(quantity, low, estimate, high, tau=1.0, mechanism="rr:epsilon=1"):
    return Finding(quantity, Bound(estimate, low, high, 10, "by hand"), 0.99, mechanism, {"tau": tau, "epsilon": 1.0})


def ends(bound):
    return bound.low, bound.estimate, bound.high


@pytest.mark.parametrize(
    ("said", "certified", "left"),
    [
        ((0.1, 0.2, 0.3), (0.0, 1.0), (0.1, 0.2, 0.3)),
        ((0.1, 0.2, 0.3), (0.15, 1.0), (0.15, 0.2, 0.3)),
        ((0.1, 0.2, 0.3), (0.25, 1.0), (0.25, 0.25, 0.3)),
        ((0.1, 0.2, 0.3), (0.4, math.inf), (0.4, 0.4, math.inf)),
        ((0.1, 0.2, 0.3), (0.0, 0.15), (0.1, 0.15, 0.15)),
        ((0.5, 0.6, 0.7), (0.0, 0.15), (0.0, 0.15, 0.15)),
        ((0.1, 0.2, math.inf), (0.15, math.inf), (0.15, 0.2, math.inf)),
    ],
)
def test_what_is_certified_is_what_remains(said, certified, left):
    one, other = doubts.within_certificates(
        [finding("j", *said), finding("certified_j", certified[0], None, certified[1])]
    )
    assert ends(one.bound) == left
    assert (doubts.MOVED in one.bound.method) == (said != left)
    assert ends(other.bound) == (certified[0], None, certified[1])


def test_only_for_the_same_question():
    certified = finding("certified_j", 0.9, None, 1.0)
    others = (
        finding("j", 0.1, 0.2, 0.3, tau=2.0), finding("j", 0.1, 0.2, 0.3, mechanism="rr:epsilon=2"),
        finding("mean_loss", 0.1, 0.2, 0.3), finding("j", None, None, None), finding("plug_in_j", None, 0.2, None),
    )  # fmt: skip
    assert doubts.within_certificates((*others, certified)) == (*others, certified)


def test_a_model_that_sees_nothing_takes_nothing_back():
    """Given probabilities say that nobody can be told apart; the scores behind the certificates tell some people."""
    table, eta = given(*scored(3000))
    eta = replace(eta, probability=np.full_like(eta.probability, 0.5))
    found = {key(one): one.bound for one in report(tail, table, eta, tau="1:3:0.5").findings}
    raised = [
        bound for (quantity, *where), bound in found.items()
        if quantity == "j" and where[0] and bound.estimate == found["certified_j", *where].low > 0
    ]  # fmt: skip
    assert len(raised) > 3


def key(finding):
    return finding.quantity, finding.mechanism, finding.at.get("tau")
