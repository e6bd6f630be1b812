"""A line that even labels without noise pass is vacuous, and features that give labels away fail every policy."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from policies import ONE, TODAY, finding, judged, report

import labeldp_audit as lda
from labeldp_audit.audits import judging
from labeldp_audit.core.finding import BASELINE
from labeldp_audit.core.policy import Outcome
from labeldp_audit.core.progress import Silent
from labeldp_audit.data import ReadOptions, read_table
from labeldp_audit.policy import files, judge
from labeldp_audit.policy.lines import parse
from labeldp_audit.questions.quantities import QUANTITIES
from labeldp_audit.questions.telling_columns import telling

ROOT = Path(__file__).parent.parent.parent
TEXTS = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "labeldp_audit" / "cli").rglob("*.py"))
LINE = re.compile(r"[a-z_]+(?:\([^()]*\))?\.(?:low|estimate|high) *>=? *[0-9.]*[0-9]")
MOST = finding("advantage", 0.01, 0.02, 0.03, baseline="no-noise")


def examples() -> list[str]:
    """Lines that users are shown, about a release that hides nothing in the place of the mechanisms they name."""
    shown = (parse(text) for file in TEXTS for text in LINE.findall(file.read_text(encoding="utf-8")))
    about = (one for one in shown if one.quantity in QUANTITIES and BASELINE not in one.at)
    return sorted({re.sub(r", mechanism=[^)]*", "", one.text) for one in about})


def people(share: float, n: int = 2_000) -> pd.DataFrame:
    """Features tell a little."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=n)
    labels = np.argsort(np.argsort(x + 2 * rng.normal(size=n))) >= n - round(share * n)
    return pd.DataFrame({"x": x, "y": labels.astype(int)})


def test_users_are_shown_lines():
    assert {"advantage.high > 0.05", "certified_nu_max.low > 2"} <= {*examples()}


@pytest.fixture(scope="module", params=[0.5, 0.1, 0.03, 0.005], ids="{:.1%} positive".format)
def in_the_clear(request):
    return lda.audit(people(request.param), mechanisms="rr:epsilon=inf", estimator="linear", bags=30, tau="1,3,6")


@pytest.mark.parametrize("line", examples())
def test_no_line_that_users_are_shown_lets_true_labels_out(in_the_clear, line):
    assert in_the_clear.check([line]).outcome is not Outcome.PASS


def test_without_the_verdict_some_lines_would(in_the_clear, monkeypatch):
    monkeypatch.setattr(judge, "cannot_fail", lambda *given: None)
    passed = [line for line in examples() if in_the_clear.check([line]).outcome is Outcome.PASS]
    rare = min(in_the_clear.content.dataset.class_counts) < 100
    assert bool(passed) == rare


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("advantage.high > 0.03", True), ("advantage.high >= 0.03", False), ("advantage.high > 0.029", False),
        ("advantage.estimate > 0.025", True), ("advantage.estimate > 0.019", False),
        ("advantage.low > 0.025", False), ("advantage.low > 0.03", True), ("advantage.high < 0.5", False),
        ("advantage(mechanism=rr:epsilon=1).high > 0.05", True), ("advantage(baseline=no-noise).high > 0.05", False),
        ("nu_max.high > 1e9", False), ("uninformed_utility.high > 1", False),
    ],
)  # fmt: skip
def test_it_is_the_number_of_labels_without_noise_that_decides(line, refused):
    assert (judge.cannot_fail(parse(line), [MOST]) is not None) == refused


def test_old_report_and_one_without_limits_are_judged():
    doubted = replace(MOST, bound=replace(MOST.bound, low=None, high=None, reason="rows repeat"))
    for more in ([], [doubted]):
        [verdict] = judged(["advantage.high > 0.05"], finding("advantage", 0, 0.01, 0.02, ONE), *more).verdicts
        assert verdict.outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("estimate", "high", "outcome"), [(0.01, 0.02, "vacuous"), (0.01, 0.06, "inconclusive"), (0.06, 0.07, "fail")]
)
def test_vacuous_stands_where_a_line_would_pass(estimate, high, outcome):
    found = judged(["advantage.high > 0.05"], finding("advantage", 0, estimate, high, ONE), MOST)
    assert found.outcome == outcome
    assert (found.verdicts[0].said == "even labels without noise pass: at most 0.03") == (outcome == "vacuous")


@pytest.mark.parametrize("passes", [False, True])
@pytest.mark.parametrize(
    ("lines", "outcome", "accepted"),
    [
        (("advantage.high > 0.05",), "vacuous", "vacuous"),
        (("advantage.high > 0.05", "advantage.high > 0.04"), "vacuous", "vacuous"),
        (("advantage.high > 0.05", "advantage.high > 0.025"), "vacuous", "pass"),
        (("advantage.high > 0.05", "advantage.high > 0.005"), "fail", "fail"),
        (("advantage.high > 0.05", "nu_max.high > 1"), "fail", "fail"),
        (("advantage.high > 0.025",), "pass", "pass"),
    ],
)
def test_vacuous_is_accepted_beside_a_line_that_is_not(lines, outcome, accepted, passes):
    policy = judge.Policy(tuple(map(parse, lines)), vacuous_passes=passes)
    found = judge.judge(policy, report(finding("advantage", 0, 0.01, 0.02, ONE), MOST), TODAY)
    assert found.outcome == (accepted if passes else outcome)


def test_policy_file_says_what_becomes_of_vacuous_lines(tmp_path):
    known = files.Known(QUANTITIES, judging.check)
    for value, passes in (("pass", True), ("block", False)):
        (tmp_path / "p.toml").write_text(f"fail_if = ['advantage.high > 0.05']\non_vacuous = '{value}'\n")
        assert files.from_file(tmp_path / "p.toml", known).vacuous_passes is passes
    (tmp_path / "p.toml").write_text("fail_if = ['advantage.high > 0.05']\non_vacuous = 'yes'\n")
    with pytest.raises(lda.SpecError, match=r"not pass or block: 'yes': .*policy.on_vacuous"):
        files.from_file(tmp_path / "p.toml", known)


@pytest.mark.parametrize("command", ["check", "audit", "tune"])
def test_vacuous_line_ends_with_4_and_advice(audit, command):
    people(0.03).to_csv(audit.folder / "t.csv", index=False)
    line = "advantage.high > 0.05"
    typed = ("t.csv", "--estimator", "linear", "--no-output", "--bags", "30", "--fail-if", line, "-f", "text",
             "-f", "json=out.json")  # fmt: skip
    ended = audit(command, *typed)
    assert ended.status == 4
    kept = lda.read_report("out.json")
    [verdict] = kept.judgement.verdicts
    assert verdict.outcome is Outcome.VACUOUS and kept.judgement.outcome is Outcome.VACUOUS
    assert ended.out.startswith(f"VACUOUS: blocked by {line}: even labels without noise pass: at most 0.0")
    assert f"! {line!r} is vacuous: even labels without noise pass it" in ended.out
    assert "--utility balanced, which counts each class alike however rare" in ended.err
    if command != "tune":  # whose strengths are all shown for comparison, where none passes
        assert audit("check", "out.json", "--fail-if", line).status == 4
    audit(command, *typed, "--utility", "balanced")
    [verdict] = lda.read_report("out.json").judgement.verdicts
    assert verdict.outcome is not Outcome.VACUOUS


# ---- features that give the labels away


def leaking(n: int = 9_000, share: float = 0.5) -> pd.DataFrame:
    """A copy of the label in other words."""
    y = np.random.default_rng(3).random(n) < share
    return pd.DataFrame({"outcome": np.where(y, "ill", "well"), "y": y.astype(int)})


GIVEN = "labels_given_away.low > 0.99"


@pytest.fixture(scope="module")
def leak(tmp_path_factory):
    place = tmp_path_factory.mktemp("leak") / "t.csv"
    leaking().to_csv(place, index=False)
    return place


@pytest.mark.parametrize("command", ["check", "tune"])
def test_features_that_give_labels_away_fail_every_policy(audit, leak, command):
    ended = audit(command, leak, "--estimator", "linear", "--no-output", "--fail-if", "advantage.high > 0.05")
    assert ended.status == 1
    assert ended.out.startswith(f"FAIL: blocked by {GIVEN} (and 1 vacuous): labels given away by the features")
    assert "(outcome)" in " ".join(ended.out.split()) and "outcome first" in " ".join(ended.out.split())


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        (lambda u, v, x, y: {"x": x, "copy": y + 0.5, "name": np.where(y, "a", "b"), "y": y}, ["copy", "name"]),
        (lambda u, v, x, y: {"x": x, "nearly": np.where(np.abs(x) > 2.5, 1 - y, y), "y": y}, ["nearly"]),
        (lambda u, v, x, y: {"x": np.abs(x), "u": u, "v": v, "y": y}, ["u", "v", "x"]),  # together alone
    ],
)
def test_columns_that_tell_labels_are_named(columns, named):
    rng = np.random.default_rng(3)
    u, v = rng.integers(0, 2, (2, 4_000))
    frame = pd.DataFrame(columns(u, v, rng.normal(size=4_000), u & v))
    assert sorted(telling(read_table(frame, ReadOptions(), Silent()), 0)) == named


def test_waiver_accepts_features_that_give_labels_away(audit, leak, tmp_path):
    command = ("check", leak, "--estimator", "linear", "--no-output", "-f", "json=out.json", "--policy", "p.toml")
    lines = "fail_if = ['advantage.high > 0.05']\n"
    (audit.folder / "p.toml").write_text(lines)
    assert audit(*command).status == 1
    kept = lda.read_report("out.json")
    waived = (
        f"[[waiver]]\nquantity = 'labels_given_away'\ndataset = 'sha256:{kept.content.dataset.sha256}'\n"
        "until = 9999-01-01\nreason = 'the outcome is public'\n"
    )
    (audit.folder / "p.toml").write_text(lines + waived)
    assert audit(*command).status == 4  # the line of the policy shows nothing
    again = lda.read_report("out.json").judgement.verdicts
    assert [(one.line, one.waiver is not None) for one in again] == [("advantage.high > 0.05", False), (GIVEN, True)]


@pytest.mark.parametrize("utility", ["zero-one", "balanced"])
@pytest.mark.parametrize(("noise", "share"), [(0.02, 0.5), (0.0, 0.01)])
def test_labels_are_given_away_where_it_is_certain_alone(utility, noise, share):
    """Too many wrong guesses, or too few people of the rare class to tell."""
    frame = leaking(6_000, share)
    frame["outcome"] = np.where(np.random.default_rng(0).random(6_000) < noise, "?", frame["outcome"])
    found = lda.advantage(frame, mechanisms="rr:epsilon=1", estimator="linear", utility=utility).findings
    assert not [one for one in found if one.quantity == "labels_given_away"]


def test_labels_given_away_is_no_more_than_the_balanced_utility():
    """Of both utilities, of a table whose truth is known: 1 in 2000 of each class is guessed wrong."""
    frame = leaking(20_000)
    swap = np.random.default_rng(1).random(20_000) < 0.0005
    frame["y"] = np.where(swap, 1 - frame["y"], frame["y"])
    for utility in ("zero-one", "balanced"):
        found = lda.advantage(frame, mechanisms="rr:epsilon=1", estimator="linear", utility=utility).findings
        [given] = [one for one in found if one.quantity == "labels_given_away"]
        assert 0.99 < given.bound.low < 0.9995


@pytest.mark.parametrize("line", ["j(tau=1).high < 0", "j(tau=1).high < -1", "j(tau=1).low <= -0.5"])
def test_no_share_is_below_0(line):
    with pytest.raises(lda.SpecError, match="cannot fail: a share is never below 0"):
        judging.check(parse(line))
    judging.check(parse("j(tau=1).high <= 0"))
    judging.check(parse("advantage.low < 0"))


def test_whom_features_take_above_a_loss_no_release_can():
    found = lda.estimate_j(people(0.5), mechanisms="rr:epsilon=inf", estimator="linear", tau="-1,3")
    assert found.check(["j_added(tau=-1).high > 0.05"]).outcome is Outcome.VACUOUS
    assert found.check(["j_added(tau=3).high > 0.05"]).outcome is Outcome.FAIL


def test_a_mechanism_is_not_judged_by_what_stands_beside_all(in_the_clear):
    lines = {
        "j(tau=1).high > 0.99": 1,
        "j(tau=1, baseline=features).high > 0.999": 1,
        "nu_max(baseline=features).high > 0": 1,
    }
    for line, number in lines.items():
        [verdict] = in_the_clear.check([line]).verdicts
        assert verdict.judged == number and verdict.worst.at.get(BASELINE) == parse(line).at.get(BASELINE)
