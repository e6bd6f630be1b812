"""What is certified stands in the reports: with trivial other ends, without assumptions on eta, and sharp enough."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from simulated import ALL, eta_of, given, report, scored, table_of

from labeldp_audit.audits import evidence
from labeldp_audit.bounds.certificates import boxes, class_boxes, feature_loss, repeated_rows, unknowable
from labeldp_audit.bounds.certificates.guessed_cells import Guessed
from labeldp_audit.bounds.intervals import clopper_pearson, hoeffding
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.eta import Eta
from labeldp_audit.core.finding import BASELINE
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.core.table import Dataset, Table, Twins
from labeldp_audit.questions import advantage, certificates, certified_guesses, eta_range, intervals, tail, worst_case

commands = pytest.mark.parametrize("command", ALL, ids=lambda command: command.__name__)
MIXED = ("rr:epsilon=1|3", "llp:k=2", "laplace-llp:k=8,epsilon=1")
OF = {
    tail: {"certified_j", "certified_mean_loss", "certified_renyi"},
    worst_case: {"certified_nu_max"},
    eta_range: {"certified_uninformed_utility"},
    advantage: {"certified_uninformed_utility", "certified_advantage", "certified_informed_utility"},
}


def certified(command, table, eta, **settings):
    with patch.object(advantage, "_same", return_value=()):
        found = report(command, table, eta, **{"bags": 30, **settings})
    known = (one for one in found.findings if one.quantity.startswith("certified_"))
    return [one for one in known if BASELINE not in one.at]


def only(found, quantity):
    [one] = [one for one in found if one.quantity == quantity]
    return one.bound


# ---- what stands there


@commands
@pytest.mark.parametrize("n", [60, 3000])
def test_every_command_certifies(command, n):
    found = certified(command, *scored(n), mechanism=MIXED)
    assert {one.quantity for one in found} == OF[command]
    for one in found:
        assert one.bound.estimate is None
        assert one.bound.reason == certificates.LIMIT
        assert one.confidence == 0.99
        assert one.bound.n == n
        assert 0 <= one.bound.low <= one.bound.high
        if one.quantity != "certified_renyi":
            assert one.bound.assumptions == ()


def test_the_other_ends_are_trivial():
    ends = {
        one.quantity: one.bound.high
        for command in (tail, worst_case, advantage)
        for one in certified(command, *scored(3000))
    }
    assert ends.pop("certified_advantage") < 0.5
    infinite = {"certified_mean_loss", "certified_nu_max", "certified_renyi"}
    assert all(end == (math.inf if name in infinite else 1) for name, end in ends.items())


@commands
def test_nothing_is_certified_where_nobody_asks(command):
    table, eta = scored(600)
    with patch.object(advantage, "_same", return_value=()):
        said, unsaid = (report(command, table, eta, certify=certify, bags=30) for certify in (True, False))
    rest = [one.quantity for one in said.findings if not one.quantity.startswith("certified_")]
    assert [one.quantity for one in unsaid.findings] == rest
    if command is worst_case:  # shares of the level stay where nothing is certified
        assert [one for one in unsaid.findings if one.quantity == "eta_max"] == [
            one for one in said.findings if one.quantity == "eta_max"
        ]
    assert said.uncertifiable == unknowable.NOBODY_CAN_CERTIFY
    assert unsaid.uncertifiable is None
    assert unsaid.parameters["certify"] is False
    assert "certify" not in said.parameters


def test_certificates_stand_where_the_estimates_do():
    found = report(tail, *scored(3000), mechanism=("rr:epsilon=1|3", "llp:k=2"))
    places = [
        (one.mechanism, one.at) for one in found.findings if one.quantity == "j" and one.mechanism and "tau" in one.at
    ]
    assert [(one.mechanism, one.at) for one in found.findings if one.quantity == "certified_j"] == places
    assert len(places) > 40


# ---- how sharp they are


def test_limits_are_near_the_truth():
    """eta is 0.02, 0.4 or 0.95, a third of people each, and scores are right."""
    table, eta = scored(100_000)
    p = (0.02 + 0.4 + 0.95) / 3
    loss = np.array([(2 * z - 1) * math.log(z * (1 - p) / (1 - z) / p) for z in (0.02, 0.4, 0.95)])
    h = math.tanh(0.5)
    found = certified(tail, table, eta, mechanism=("rr:epsilon=1",), tau="1,3")
    assert 0.9 * (loss.mean() + h) < only(found, "certified_mean_loss").low < loss.mean() + h
    at = {one.at["tau"]: one.bound.low for one in found if one.quantity == "certified_j"}
    assert 0.5 < at[1.0] < 2 / 3  # the method itself loses a part, as eta may be 1 for some
    assert 0.1 < at[3.0] < 1 / 3
    worst = only(certified(worst_case, table, eta, mechanism=("rr:epsilon=1",)), "certified_nu_max").low
    truth = 1 + math.log(0.98 / 0.02) + math.log(p / (1 - p))
    assert truth - 0.4 < worst < truth
    error, h = (0.02 + 0.4 + 0.05) / 3, 1 / (1 + math.e)
    found = certified(advantage, table, eta, mechanism=("rr:epsilon=1",))
    assert error < 1 - only(found, "certified_uninformed_utility").low < error + 0.015
    assert error + (0.4 - h) / 3 > 1 - only(found, "certified_informed_utility").low > error - (0.4 - h) / 3
    assert (0.4 - h) / 3 < only(found, "certified_advantage").high < math.tanh(0.5) * (error + 0.015)


def test_shares_never_rise_with_tau():
    for seed in range(3):
        found = certified(tail, *scored(800, seed), mechanism=("rr:epsilon=0|0.5|inf",))
        for _, same in itertools.groupby(found, key=lambda one: (one.quantity, one.mechanism)):
            lows = [one.bound.low for one in same if one.quantity == "certified_j"]
            assert all(0 <= after <= one <= 1 for one, after in itertools.pairwise(lows))


def test_where_noise_alone_loses_more_everybody_does():
    found = certified(tail, *scored(200), mechanism=("rr:epsilon=20|inf",), tau="-5,1,10")
    assert {one.bound.low for one in found if one.quantity == "certified_j"} == {1.0}


@pytest.mark.parametrize(("other", "count", "rows", "share"), [(0.999999, 80, 80, 2), (0.4, 40, 40, 4)])
def test_people_are_counted_over_all_parts_and_in_each(other, count, rows, share):
    """All 40 rows of one part, and all or none of the other: by Clopper-Pearson, whichever says more."""
    box = boxes.of_cells(np.array([40, 40]), np.array([0.999999, other]), np.array([1.0, min(1.0, other + 0.1)]))
    prior = intervals.Prior(0.5, 0.5, 0.5)
    nothing = Guessed(np.array([80]), np.array([0.0]))
    [low] = certificates.people_losing_more(box, nothing, np.array([1.0]), prior, 0.01)
    assert low == pytest.approx(float(clopper_pearson.lower(count, rows, 0.01 / share)), rel=1e-9)


def test_guesses_count_where_cells_show_nothing():
    """40 of 80 rows: half of what is above z where guesses are right on average."""
    box = boxes.of_cells(np.array([80]), np.array([0.0]), np.array([1.0]))
    prior = intervals.Prior(0.5, 0.5, 0.5)
    z = float(feature_loss.passed(np.array([1.0]), 0.5, 0.5)[1][0])
    guessed = Guessed(np.array([80]), np.array([z + (1 - z) / 2]))
    [low] = certificates.people_losing_more(box, guessed, np.array([1.0]), prior, 0.01)
    assert low == pytest.approx(float(clopper_pearson.lower(40, 80, 0.005)), rel=1e-9)


@pytest.mark.parametrize("n", [600, 1000])
def test_labels_that_are_given_away_show_in_small_tables(n):
    """Scores that are right about everybody: cells of 60 rows are too few, guesses about all rows are not."""
    table = scored(n, law=(0.001, 0.999))
    assert only(certified(worst_case, *table, mechanism=("rr:epsilon=0.5",)), "certified_nu_max").low > 2
    assert only(certified(tail, *table, mechanism=("rr:epsilon=0.5",), tau="1"), "certified_j").low > 0.05


# ---- what is spent


def test_levels_of_a_share_add_up():
    losses = sum(getattr(certificates, name) for name in ("_BOX", "_TAIL", "_MEAN", "_CLASSES", "_GUESSED"))
    names = ("_BOX", "_BRIER", "_ERROR", "_SPREAD", "_TWINS", "_TWINS_BEFORE", "_TWINS_AFTER")
    assert losses == pytest.approx(1)
    assert sum(getattr(certified_guesses, name) for name in names) == pytest.approx(1)


@pytest.mark.parametrize("command", [tail, worst_case, advantage])
def test_where_labels_chose_limits_hold_for_every_choice(command):
    table, eta = scored(600)

    def levels(choices):
        with (
            patch.object(boxes, "of_trees", wraps=boxes.of_trees) as cells,
            patch.object(class_boxes, "of_scores", wraps=class_boxes.of_scores) as classes,
        ):
            certified(command, table, replace(eta, choices=choices), mechanism=("rr:epsilon=1",))
        return np.array([call.args[-1] for call in (*cells.call_args_list, *classes.call_args_list)])

    assert len(levels(1)) == (2 if command is tail else 1)
    assert levels(8) * 8 == pytest.approx(levels(1))


def test_the_ceiling_of_an_estimate_is_the_certified_one():
    for mechanism in ("rr:epsilon=1", "llp:k=8", "laplace-llp:k=8,epsilon=1", "channel:matrix=0.9 0.1/0.3 0.7"):
        found = report(advantage, *scored(600), mechanism=(mechanism,), bags=30).findings
        [estimated], [limit] = (
            [one.bound for one in found if one.quantity == name and one.mechanism]
            for name in ("advantage", "certified_advantage")
        )
        assert estimated.estimate <= estimated.high == limit.high


def test_bags_of_people_whose_eta_is_estimated_have_no_lower_limit_and_say_so():
    for whose, bare in ((lambda *seen: seen, True), (given, False)):
        found = report(advantage, *whose(*scored(600)), mechanism=("rr:epsilon=1", "llp:k=2"), bags=30).findings
        bounds = {one.mechanism: one.bound for one in found if one.quantity == "advantage" and one.mechanism}
        assert {spec for spec, one in bounds.items() if advantage.NO_LOWER in one.assumptions} == (
            {"llp:k=2"} if bare else set()
        )
        assert (bounds["llp:k=2"].low == 0) == bare


# ---- rows with equal features


def test_rows_with_equal_features_bound_what_can_be_known():
    """Half of the pairs differ: eta is 1/2 in all of them."""
    table, eta = scored(3000)
    table = replace(table, twins=Twins(1500, 750))
    found = certified(advantage, table, eta, mechanism=("rr:epsilon=1|3", "llp:k=2"))
    assert 0.55 < only(found, "certified_uninformed_utility").high < 0.8
    lows = {one.mechanism: one.bound.low for one in found if one.quantity == "certified_advantage"}
    assert lows["llp:k=2"] == 0 < lows["rr:epsilon=1"] < lows["rr:epsilon=3"] < 0.5 * math.tanh(1.5)


def test_with_more_classes_two_labels_differ_at_most_twice_as_often_as_the_best_guess_misses():
    same = certified_guesses.Same(share=1.0, differ_low=0.4, rows=1000, classes=3)
    assert same.missed_low(0.1) == pytest.approx(0.5 * hoeffding.share_lower(0.4, 1000, 0.1))


def test_pairs_are_made_of_rows_with_equal_points():
    points = np.repeat(np.arange(40, dtype=np.float32), 3)[:, None]
    labels = np.arange(120) % 3 == 0  # one in each three
    table = table_of(labels, points)
    with patch.object(evidence, "read_table", return_value=table):
        kept, _ = evidence.read_and_estimate("", Settings(estimator="knn", k=9), Silent(), halves=True)
        plain, _ = evidence.read_and_estimate("", Settings(estimator="knn", k=9, certify=False), Silent(), halves=True)
    assert kept.twins.pairs == 40
    assert 15 < kept.twins.differ < 37  # 2 in 3
    assert plain.twins is None
    with patch.object(evidence, "read_table", return_value=replace(table, told_apart=False)):
        blurred, _ = evidence.read_and_estimate("", Settings(estimator="knn", k=9), Silent(), halves=True)
    assert blurred.twins is None, "equal as read is not equal as it was"


def test_pairs_do_not_follow_labels():
    """The same pairs whatever the labels are."""
    points = np.zeros((50, 1), np.float32)
    drawn = []
    real = repeated_rows.drawn
    with patch.object(repeated_rows, "drawn", lambda *given: (drawn.append(real(*given)), drawn[-1])[1]):
        for labels in (np.arange(50) < 25, np.arange(50) % 2):
            evidence._twins(table_of(labels, points), 3)
    assert np.array_equal(drawn[0].first, drawn[1].first)
    assert np.array_equal(drawn[0].second, drawn[1].second)


# ---- edges


@commands
def test_given_probabilities_need_not_be_right(command):
    table, eta = given(*scored(600))
    found = certified(command, table, replace(eta, unseen=eta.unseen[::-1], probability=eta.probability[::-1]))
    assert {one.quantity for one in found} == OF[command]
    for one in found:
        first, *more = one.bound.assumptions
        assert first == certificates.MADE_WITHOUT
        assert len(more) == (one.quantity == "certified_renyi")


@commands
def test_scores_may_be_sure_and_a_part_may_have_one_class_only(command):
    table, eta = scored(400)
    sure = (eta.unseen[:, 1] > 0.3).astype(float)
    labels = ((eta.part == 0) & (table.labels == 1)).astype(np.uint8)
    counts = (400 - int(labels.sum()), int(labels.sum()))
    one_class = replace(table, labels=labels, dataset=replace(table.dataset, class_counts=counts))
    for seen in ((table, replace(eta, unseen=np.stack([1 - sure, sure], axis=1))), (one_class, eta)):
        found = certified(command, *seen)
        assert {one.quantity for one in found} == OF[command]
        assert all(one.bound.low <= one.bound.high for one in found)


@commands
@pytest.mark.parametrize("n", [2, 3, 5])
def test_hardly_any_rows(command, n):
    labels = np.arange(n) < 1
    found = certified(command, table_of(labels), eta_of([1], [1], labels), mechanism=("rr:epsilon=1",))
    assert {one.quantity for one in found} == OF[command]
    for one in found:
        if one.quantity == "certified_j":
            assert one.bound.low in (0.0, 1.0) or one.bound.low < 0.01
        if one.quantity == "certified_uninformed_utility":
            assert one.bound.low == 0.5


@pytest.mark.parametrize("utility", ["zero-one", "balanced"])
def test_more_classes(utility):
    rng = np.random.default_rng(4)
    truth = rng.dirichlet([0.3, 0.3, 0.3], 900)
    labels = (rng.random(900)[:, None] > truth.cumsum(axis=1)).sum(axis=1).astype(np.uint8)
    about = Dataset("m", "", 900, 900, "y", None, ("a", "b", "c"), tuple(np.bincount(labels).tolist()), ())
    table = Table(labels, about, twins=Twins(450, 200))
    counts = (50 * truth).round().astype(np.int64) + 1
    eta = Eta(
        truth, counts, np.arange(900), 50, 900, "m", 0.5, True, 1.0, np.zeros(900, np.float32), metric="l2",
        part=(np.arange(900) % 2).astype(np.uint8), unseen=truth,
    )  # fmt: skip
    found = certified(advantage, table, eta, mechanism=("rr:epsilon=1",), utility=utility)
    said = {one.quantity: one.bound for one in found}
    assert ("certified_uninformed_utility" in said) == (utility == "zero-one")
    assert 0 == said["certified_advantage"].low < said["certified_advantage"].high < 0.6
    assert said["certified_informed_utility"].low > 0.4
    if utility == "zero-one":
        best = truth.max(axis=1).mean()
        assert best - 0.15 < said["certified_uninformed_utility"].low < best
        assert best < said["certified_uninformed_utility"].high < 1


# ---- the options


@pytest.mark.parametrize(("text", "expected"), [("2", (2.0,)), ("8, 1,inf,8", (1.0, 8.0, math.inf)), ("1.5", (1.5,))])
def test_orders(text, expected):
    assert certificates.orders(Settings(alpha=text)) == expected


@pytest.mark.parametrize("text", ["0.5", "-inf", "nan", "", "1:3:1", "x"])
def test_orders_that_cannot_be(text):
    with pytest.raises(SpecError, match="--alpha"):
        certificates.orders(Settings(alpha=text))


def test_divergences_at_the_orders_asked_for():
    found = [one for one in certified(tail, *scored(3000), alpha="1,3,inf") if one.quantity == "certified_renyi"]
    assert [one.at["alpha"] for one in found] == [1, 1, 3, 3, math.inf, math.inf]
    assert {one.at["of"] for one in found} == {"positive from negative", "negative from positive"}
    one_way = [one.bound.low for one in found[::2]]
    assert 0.5 < one_way[0] < one_way[1] < one_way[2]  # divergences rise with their order


def test_the_file_may_say_so(audit, table):
    (audit.folder / "labeldp-audit.toml").write_text("certify = false\nalpha = [1, 2.5]\n")
    assert "uncertifiable" not in audit("estimate-j", table, "-f", "json", "--no-output").report
    report = audit("estimate-j", table, "-f", "json", "--no-output", "--certify").report
    orders = [one["at"]["alpha"] for one in report["findings"] if one["quantity"] == "certified_renyi"]
    assert orders == [1, 1, 2.5, 2.5]
