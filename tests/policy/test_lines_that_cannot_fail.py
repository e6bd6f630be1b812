"""A line that even labels without noise pass stops nothing, so it is refused; what is left stops true labels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from policies import ONE, finding

import labeldp_audit as lda
from labeldp_audit.audits import judging
from labeldp_audit.core.finding import BASELINE
from labeldp_audit.core.policy import Outcome
from labeldp_audit.policy import judge
from labeldp_audit.policy.lines import parse
from labeldp_audit.questions.quantities import QUANTITIES

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
    try:
        assert in_the_clear.check([line]).outcome is not Outcome.PASS
    except lda.SpecError as error:
        assert "cannot fail" in error.what


def test_and_without_the_refusal_some_would(in_the_clear, monkeypatch):
    monkeypatch.setattr(judging, "check_can_fail", lambda *given: None)
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


def test_an_old_report_and_one_without_limits_are_judged():
    doubted = replace(MOST, bound=replace(MOST.bound, low=None, high=None, reason="rows repeat"))
    for findings in ([finding("advantage", 0, 0.01, 0.02, ONE)], [doubted]):
        judging.check_can_fail([parse("advantage.high > 0.05")], findings, balanced=False)


@pytest.mark.parametrize("command", ["check", "audit", "tune"])
def test_it_is_refused_in_a_line_and_a_hint(audit, command):
    people(0.03).to_csv(audit.folder / "t.csv", index=False)
    typed = ("t.csv", "--estimator", "linear", "--no-output", "--bags", "30", "--fail-if", "advantage.high > 0.05")
    ended = audit(command, *typed)
    assert ended.status == 2 and ended.out == ""
    what, hint = (line for line in ended.err.splitlines() if "error" in line or "hint" in line)
    most = float(re.search("is at most ([0-9.]+) with labels without noise", what)[1])
    assert "'advantage.high > 0.05' cannot fail: advantage" in what and 0.03 <= most <= 0.05
    assert float(re.search("such as ([0-9.]+)", hint)[1]) == pytest.approx(most / 2, rel=0.03)
    assert "--utility balanced" in hint
    assert audit(command, *typed, "--utility", "balanced").status != 2


@pytest.mark.parametrize("line", ["j(tau=1).high < 0", "j(tau=1).high < -1", "j(tau=1).low <= -0.5"])
def test_no_share_is_below_0(line):
    with pytest.raises(lda.SpecError, match="cannot fail: a share is never below 0"):
        judging.check(parse(line))
    judging.check(parse("j(tau=1).high <= 0"))
    judging.check(parse("advantage.low < 0"))


def test_whom_features_take_above_a_loss_no_release_can():
    found = lda.estimate_j(people(0.5), mechanisms="rr:epsilon=inf", estimator="linear", tau="-1,3")
    with pytest.raises(lda.SpecError, match=r"cannot fail: j_added is at most 0\.0[0-9]+ with labels without noise"):
        found.check(["j_added(tau=-1).high > 0.05"])
    assert found.check(["j_added(tau=3).high > 0.05"]).outcome is Outcome.FAIL


def test_a_mechanism_is_not_judged_by_what_stands_beside_all(in_the_clear):
    lines = {
        "j(tau=1).high > 0.99": 1,
        "j(tau=1, baseline=features).high > 0.999": 1,
        "nu_max(baseline=features).high > 0": 1,
    }
    for line, judged in lines.items():
        [verdict] = in_the_clear.check([line]).verdicts
        assert verdict.judged == judged and verdict.worst.at.get(BASELINE) == parse(line).at.get(BASELINE)
