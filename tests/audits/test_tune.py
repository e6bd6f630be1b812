"""tune finds the least noise that passes, says what decides, and what no noise can mend."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import of, only

import labeldp_audit as lda
from labeldp_audit.audits import evidence, judging, run, strengths, tune
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.parameters import parameter
from labeldp_audit.core.policy import Judgement, Outcome, Verdict
from labeldp_audit.core.progress import Silent
from labeldp_audit.core.settings import Settings
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.mechanisms.per_record import PerRecord

JSON = ("-f", "json", "--no-output", "--quiet")


def typed(*lines):
    return [part for line in lines for part in ("--fail-if", line)]


def tuned(report):
    return only(report, "tuned")


@pytest.fixture(scope="module")
def mild(tmp_path_factory):
    """Features tell a little about everybody and give nobody away."""
    rng = np.random.default_rng(1)
    x = rng.random(4000)
    labels = (rng.random(4000) < 0.35 + 0.3 * x).astype(int)
    file = tmp_path_factory.mktemp("mild") / "t.parquet"
    pq.write_table(pa.table({"p": 0.35 + 0.3 * x, "y": labels}), file)
    return file


def test_the_chosen_one_passes_and_the_next_does_not(audit, mild):
    line = "advantage.high > 0.1"
    ended = audit("tune", mild, "--eta", "p", *typed(line), *JSON)
    found = tuned(ended.report)
    assert ended.status == 0 and found["low"] == found["estimate"] < found["high"] <= 1.01 * found["estimate"] + 1e-9
    assert found["at"]["binds"] == line and found["mechanism"] == f"rr:epsilon={found['estimate']:g}"
    assert of(ended.report, "advantage", found["mechanism"])["high"] <= 0.1
    assert of(ended.report, "advantage", f"rr:epsilon={found['high']:g}")["high"] > 0.1
    assert ended.report["judgement"]["outcome"] == "pass"
    # And so does check.
    more = typed("j(tau=1.5).high > 0.5", "nu_max.high > 3", "advantage.high > 0.2")
    chosen = tuned(audit("tune", mild, "--eta", "p", *more, *JSON).report)["mechanism"]
    assert audit("check", mild, "--eta", "p", "--mechanism", chosen, *more, *JSON).status == 0


@dataclass(frozen=True)
class Flipped(PerRecord):
    """Some other label with probability pi: the more classes, the more it tells."""

    name, example, summary = "flipped", "flipped:pi=0.1", ""

    pi: float = parameter(least=0, most=0.5, noise=1)

    def channel(self, classes):
        return np.where(np.eye(classes), 1 - self.pi, self.pi / (classes - 1))


def test_what_is_chosen_claims_what_it_does_for_so_many_classes(monkeypatch):
    monkeypatch.setitem(MECHANISMS._own, "flipped", lambda: Flipped)
    people = pd.DataFrame({"x": np.arange(600) % 7, "y": np.arange(600) % 5})
    found = lda.tune(people, label="y", mechanisms="flipped", estimator="linear", fail_if="advantage.high > 0.5")
    [chosen] = (one for one in found.content.findings if one.quantity == "tuned")
    pi = chosen.bound.estimate
    assert chosen.claim == pytest.approx(np.log((1 - pi) * 4 / pi))


@pytest.mark.parametrize("line", ["j(tau=1).low > 0.02", "certified_j(tau=1).low > 0.02", "advantage.low > 0.02"])
def test_what_check_would_find_harmful_is_not_chosen(audit, mild, line):
    chosen = tuned(audit("tune", mild, "--eta", "p", *typed(line), *JSON).report)
    assert chosen["at"]["binds"] == line
    for mechanism, status in ((chosen["mechanism"], 0), (f"rr:epsilon={chosen['high']:g}", 4)):
        assert audit("check", mild, "--eta", "p", "--mechanism", mechanism, *typed(line), *JSON).status == status


def drawn_policies(mechanism, number):
    """Policies of up to three lines that noise can be tuned by."""
    rng = np.random.default_rng([24, *mechanism.encode()])
    of_all = {"advantage.high": (0.02, 0.4), "advantage.estimate": (0.02, 0.3), "advantage.low": (0.02, 0.3),
              "informed_utility.high": (0.6, 1)}  # fmt: skip
    of_losses = {"j(tau={}).high": (0.02, 0.9), "j(tau={}).low": (0.02, 0.5), "certified_j(tau={}).low": (0.02, 0.5),
                 "j_added(tau={}).high": (0.1, 1), "mean_loss.estimate": (0.1, 3), "nu_max.high": (1, 4)}  # fmt: skip
    known = list((of_all | of_losses if mechanism.startswith("rr") else of_all).items())
    for _ in range(number):
        drawn = [known[place] for place in rng.choice(len(known), rng.integers(1, 4), replace=False)]
        yield [f"{name.format(rng.integers(1, 20) / 10)} > {rng.uniform(*ends):.3g}" for name, ends in drawn]


@pytest.mark.parametrize(
    ("mechanism", "number"),
    [("rr", 26), ("llp", 6), ("laplace-llp:k=4", 6), ("laplace-llp:epsilon=2", 6), ("dummy", 6)],
)
def test_tune_agrees_with_check(mild, mechanism, number):
    """What is chosen has the same verdicts and numbers when its spec is typed into `check`; the next does not pass."""
    base = Settings(label="y", eta=("p",), bags=30, threads=1, mechanism=(mechanism,))
    few = pq.read_table(mild).slice(0, 400)
    seen = evidence.read_and_estimate(few, base, Silent(), halves=True, many=True)

    def answered(command, lines, spec):
        settings = replace(base, policy=judging.policy_of(lines), mechanism=(spec,))
        with patch.object(evidence, "read_and_estimate", return_value=seen):
            return judging.judged(command("", settings, Silent()), settings.policy)

    chosen = 0
    for lines in drawn_policies(mechanism, number):
        report = answered(tune.tune, lines, mechanism)
        [found] = (one for one in report.findings if one.quantity == "tuned")
        open_one, scale = found.at["parameter"], strengths.scale_of(mechanism, rows=400)
        if found.mechanism is None:
            assert answered(run.check, lines, scale.mechanisms[0].spec).judgement.outcome is not Outcome.PASS
            continue
        chosen += 1
        checked = answered(run.check, lines, found.mechanism).judgement
        assert checked.outcome is Outcome.PASS
        assert [(one.said, one.value) for one in checked.verdicts] == [
            (one.said, one.value) for one in report.judgement.verdicts
        ]
        place = scale.values.index(found.at[open_one])
        if place + 1 < len(scale.values):
            following = scale.mechanisms[place + 1].spec
            assert answered(run.check, lines, following).judgement.outcome is not Outcome.PASS, lines
    assert chosen >= number / 2


def test_reasons_are_the_real_ones(audit, mild, tmp_path):
    report = audit("nu-max", mild, "--eta", "p", *JSON).report
    policy = tmp_path / "p.toml"
    policy.write_text(
        'fail_if = ["advantage.high > 0.2"]\n[[waiver]]\nquantity = "j"\nuntil = 2020-01-01\nreason = "r"\n'
        f'dataset = "sha256:{report["dataset"]["sha256"]}"\n'
    )
    noisiest = audit("tune", mild, "--eta", "p", *typed("mean_loss.estimate > 0.12"), *JSON)
    assert tuned(noisiest.report)["estimate"] is not None
    mean = of(noisiest.report, "mean_loss", "rr:epsilon=0.01")["estimate"]
    right = only(audit("advantage", mild, "--eta", "p", *JSON).report, "uninformed_utility")
    between = f"uninformed_utility.high > {(right['estimate'] + right['high']) / 2}"  # the estimate would pass
    features = ("uninformed_utility.estimate > 0.1", "uninformed_utility.high > 0.2")
    certified, instead = "certified_j(tau=1).low > 0.5", "features alone do not pass"
    for given, status, reason, binds in (
        (("--policy", policy), 1, "a waiver has run out", None),
        (("--no-certify", *typed(certified)), 1, f"not measured: {certified}", ...),
        *((typed("advantage.high > 0.1", one), 1, f"no amount of noise is enough, as the {instead}: {one}", one)
          for one in features),
        (typed(between), 4,
         f"no amount of noise is shown to be enough, as the limits for the {instead}: {between}", between),
        (typed(f"mean_loss.estimate >= {mean}"), 1,
         f"not even epsilon = 0.01, the most noise tried, passes: mean_loss.estimate >= {mean}", ...),
        (typed("advantage.high >= 0"), 1, "not even a release that tells nothing passes: advantage.high >= 0", ...),
    ):  # fmt: skip
        ended = audit("tune", mild, "--eta", "p", *given, *JSON)
        found = tuned(ended.report)
        assert (ended.status, found["estimate"], found["mechanism"], found["reason"]) == (status, None, None, reason)
        assert binds is ... or found["at"].get("binds") == binds


def test_a_checked_search_does_not_claim_another_policy(audit, mild, tmp_path):
    report = tmp_path / "tune.json"
    arguments = ("-f", f"json={report}", "--no-output", "--quiet")
    assert audit("tune", mild, "--eta", "p", *typed("advantage.high > 0.2"), *arguments).status == 0
    text = " ".join(audit("check", report, *typed("advantage.high > 0.0001")).out.split())
    assert (
        "met the policy that it was tuned by, which may be another one" in text and "that meets the policy" not in text
    )


@pytest.mark.parametrize(
    ("mechanism", "parameter"), [("llp", "k"), ("laplace-llp:k=4", "epsilon"), ("laplace-llp:epsilon=2", "k")]
)
def test_bags_and_noisy_bags(audit, mild, mechanism, parameter):
    line = "advantage.high > 0.05"
    ended = audit("tune", mild, "--eta", "p", "--mechanism", mechanism, "--bags", "30", *typed(line), *JSON)
    found = tuned(ended.report)
    assert ended.status == 0 and found["at"][parameter] == found["estimate"] and found["at"]["parameter"] == parameter
    assert found["mechanism"] in ended.report["parameters"]["tune"][mechanism]
    assert found["mechanism"] not in ended.report["parameters"]["compared"]
    assert of(ended.report, "advantage", found["mechanism"])["high"] <= 0.05
    added = [one for one in ended.report["findings"] if one["quantity"] == "advantage" and one["mechanism"]]
    others = {one["at"][parameter]: one["high"] for one in added}
    failing = found["high"] if parameter == "epsilon" else found["low"]
    assert others[failing] > 0.05
    by_noise = sorted(others.items(), reverse=parameter == "k")
    assert all(one <= two + 1e-12 for (_, one), (_, two) in itertools.pairwise(by_noise))


def test_a_policy_that_even_labels_in_the_clear_would_meet(audit, mild):
    line = "uninformed_utility.high > 1"
    ended = audit("tune", mild, "--eta", "p", "--mechanism", "llp", "--bags", "30", *typed(line), *JSON)
    found = tuned(ended.report)
    assert ended.status == 0 and found["at"]["k"] == 1 and "binds" not in found["at"]
    assert "the least noise tried, passes" in " ".join(ended.report["warnings"])


def test_several_mechanisms_at_once(audit, mild):
    arguments = ("--mechanism", "rr", "--mechanism", "laplace-llp:k=2", *typed("advantage.high > 0.1"))
    ended = audit("tune", mild, "--eta", "p", *arguments, *JSON)
    found = [one for one in ended.report["findings"] if one["quantity"] == "tuned"]
    assert [one["at"]["scale"] for one in found] == ["rr", "laplace-llp:k=2"] and ended.status == 0
    assert len(ended.report["judgement"]["verdicts"]) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("advantage(mechanism=rr:epsilon=1).high > 1", "leave out mechanism"),
        ("advantage(epsilon=1).high > 1", "leave out epsilon"),
        ("j.high > 1", "tune wants tau"),
        ("informed_utility.low < 0.5", "noise cannot be tuned"),
        ("equivalent_k.estimate > 3", "not what noise is tuned by"),
        ("equivalent_k.low > 3", "has no limits"),
        ("certified_informed_utility.low > 0.8", "may do worse with less noise"),
        ("nonsense.high > 3", "unknown quantity"),
    ],
)
def test_lines_that_noise_cannot_be_tuned_by(audit, line, said):
    ended = audit("tune", "nowhere.parquet", *typed(line))
    assert ended.status == 2 and said in ended.error


class Stairs:
    """Made-up findings: a number that grows along the scale; the policy fails above a threshold."""

    def __init__(self, scale, passing, shift=0):
        self.places = {one.spec: place for place, one in enumerate(scale.mechanisms)}
        self.passing, self.shift, self.asked = passing, shift, 0

    def look(self, mechanisms):
        self.asked += len(mechanisms)
        shift = self.shift if len(mechanisms) > 1 else 0
        return [Finding("made_up", Bound(float(self.places[one.spec] + shift), None, None, 1, ""), 0.99, one.spec)
                for one in mechanisms]  # fmt: skip

    def of(self, findings, mechanism):
        [one] = [one for one in findings if one.mechanism == mechanism.spec]
        fails = one.bound.estimate >= self.passing
        verdict = Verdict("made up", Outcome.FAIL if fails else Outcome.PASS, "", "made_up", "high", ">", 0.0)
        return Judgement((verdict,))


@pytest.mark.parametrize("spec", ["rr", "llp"])
def test_bracketing_finds_every_place_in_few_looks(spec):
    scale = strengths.scale_of(spec)
    for passing in (1, 2, 3, 50, 1000, 1799, 1800, len(scale.values) - 1, len(scale.values)):
        stairs = Stairs(scale, passing)
        answer = tune.Search(scale, stairs.of, stairs.look).answer()
        assert answer.place == passing - 1
        assert stairs.asked <= 60


@pytest.mark.parametrize("shift", [-3, 3])
def test_search_ends_where_each_strength_alone_says(shift):
    """Bags that are drawn for several strengths together may say something else of one than its own do."""
    scale = strengths.scale_of("rr")
    stairs = Stairs(scale, 50, shift)
    assert tune.Search(scale, stairs.of, stairs.look).answer().place == 49
