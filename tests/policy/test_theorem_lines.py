"""Lines of a policy that name a theorem, and findings that equal the advantage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from policies import ONE, finding, report
from simulated import findings, scored, three_classes

from labeldp_audit.audits import doubts, judging
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.policy import Outcome, Policy
from labeldp_audit.policy.lines import parse
from labeldp_audit.questions import advantage
from labeldp_audit.questions.published_bounds import CEILINGS
from labeldp_audit.questions.quantities import ADVANTAGE, ADVANTAGE_BOUND

THEOREM, FORM = "003 Theorem 3.5", "003 Theorem 3.5, corrected"
MECHANISMS = ("rr:epsilon=1", "llp:k=4", "channel:matrix=0.9 0.1/0.2 0.8", "cluster-rr:epsilon=1")


def judged(*lines, found=()):
    policy = judging.policy_of(lines)
    return judging.judged(report(*found), policy).judgement.verdicts


@pytest.mark.parametrize(
    ("written", "at"),
    [
        (f"advantage_bound(bound='{THEOREM}').high > 1", {"bound": FORM}),
        ("advantage_bound(bound='theorem 3.5').high > 1", {"bound": FORM}),
        ("advantage_bound(bound='002 theorem 2').high > 1", {"bound": "002 Theorem 2"}),
        ("advantage_bound(bound='Theorem 2, improved').high > 1", {"bound": "002 Theorem 2, improved"}),
        ("advantage_bound(bound='003 Theorem 3.4').high > 1", {"bound": "003 Theorem 3.4"}),
        ("nu_max(bound='001 Theorem 1', mechanism=rr:epsilon=1).low > 8", {"mechanism": "rr:epsilon=1"}),
        ("j(tau=3, bound='Theorem 2').high > 1", {"tau": 3.0}),
        ("j(tau=3, bound='Theorem 1').high > 1", {"tau": 3.0, "bound": "Theorem 1"}),
        ("mean_loss(bound='000 Corollary 6.3').low > 1", {}),
    ],
)
def test_with_theorem_spells_it_as_findings_do(written, at):
    assert judging.with_theorem(parse(written)).at == at


def test_a_line_on_a_theorem_picks_its_finding():
    found = [finding("advantage_bound", 0, high, high, "llp:k=8", bound=name)
             for name, high in ((FORM, 0.2), ("unimodality", 0.04))]  # fmt: skip
    lines = [f"advantage_bound(bound='{name}').high > 0.05" for name in (THEOREM, "unimodality")]
    assert [one.outcome for one in judged(*lines, found=found)] == [Outcome.FAIL, Outcome.PASS]


def test_a_theorem_of_a_quantity_judges_all_of_it():
    found = [finding("nu_max", 3, 4, 9, ONE), finding("nu_max", 0, 99, 99, baseline="no-noise")]
    plain, named = judged("nu_max.low > 2", "nu_max(bound='001 Theorem 1').low > 2", found=found)
    assert replace(named, line=plain.line) == plain and plain.outcome is Outcome.FAIL


def test_a_theorem_hides_no_vacuous_line():
    found = [finding("advantage", 0, 0.01, 0.02, ONE), finding("advantage", 0.01, 0.02, 0.03, baseline="no-noise")]
    [one] = judged("advantage(bound='003 Theorem 3.7').high > 0.1", found=found)
    assert one.outcome is Outcome.VACUOUS


@pytest.mark.parametrize(
    ("quantity", "asked", "listed"),
    [
        ("nu_max", "003 Theorem 3.5", "001 Theorem 1, corrected"),
        ("advantage_bound", "003 Theorem 9", "; ".join(ADVANTAGE_BOUND.theorems)),
        ("advantage_bound", "003 Theorem 3.4", "003 Theorem 3.4, square root; 003 Theorem 3.4, Bernstein"),
    ],
)
def test_another_theorem_is_refused_before_an_audit_and_not_measured_in_a_report(quantity, asked, listed):
    line, said = (
        f"{quantity}(bound='{asked}').high > 1",
        f"{quantity}.high has no one theorem '{asked}'; it has: {listed}",
    )
    [one] = judged(line, found=[finding(quantity, 0, 0, 0, ONE, bound=FORM)])
    assert (one.outcome, one.said) == (Outcome.NOT_MEASURED, said)
    with pytest.raises(SpecError) as caught:
        judging.quantities_of(Policy((parse(line),)))
    assert caught.value.what == said


def test_a_line_on_a_theorem_is_met_before_the_audit_by_each_command(audit):
    line = "nu_max(bound='003 Theorem 9').low > 1"
    for command in ("check", "tune", "audit"):
        ended = audit(command, "nowhere.csv", "--fail-if", line)
        assert (ended.status, line in ended.error) == (2, True)


def test_a_baseline_excuses_a_line_on_a_theorem(audit, table):
    line = 'nu_max(bound="001 Theorem 1").low > 0.1'
    typed = ("--mechanism", "rr:epsilon=1", "--fail-if", line, "-f", "json", "--no-output")
    (audit.folder / "old.json").write_text(audit("check", table, *typed).out)
    ended = audit("check", table, *typed, "--baseline", "old.json")
    [one] = ended.report["judgement"]["verdicts"]
    assert (ended.status, one["line"], one["waived"]["baseline"]) == (0, line, True)


def test_tune_reads_a_theorem(audit, table):
    typed = ("--mechanism", "rr", "-f", "json", "--no-output")
    plain, named = (
        audit("tune", table, "--fail-if", f"advantage{at}.high > 0.1", *typed).report["findings"]
        for at in ("", "(bound='003 Theorem 3.7')")
    )
    chosen = [next(one for one in found if one["quantity"] == "tuned")["estimate"] for found in (plain, named)]
    assert chosen[0] == chosen[1] is not None


# ---- what stands at theorems


def test_quantities_name_all_bounds_that_are_computed():
    assert {one.name for one in CEILINGS} == {*ADVANTAGE_BOUND.theorems} - {*ADVANTAGE.theorems}


def exact(found):
    """Bounds of findings at exact theorems, and of the advantage beside them, by mechanism."""
    there = {one.mechanism: one.bound for one in found if one.quantity == "advantage"}
    named = {(one.mechanism, one.at["bound"]): one.bound for one in found if one.at.get("bound") in ADVANTAGE.theorems}
    return named, there


def test_exact_theorems_equal_the_advantage():
    named, there = exact(findings(advantage, *scored(2000), mechanism=MECHANISMS, bags=30))
    assert {*named} == {("rr:epsilon=1", "003 Theorem 3.7"), ("llp:k=4", "003 Theorem 3.3")}
    assert all(bound == there[mechanism] and bound.high > 0 for (mechanism, _), bound in named.items())


def test_exact_theorems_are_for_two_classes_that_count_alike():
    balanced = findings(advantage, *scored(2000), mechanism=("rr:epsilon=1",), utility="balanced")
    assert exact(balanced)[0] == exact(findings(advantage, *three_classes(), mechanism=("rr:epsilon=1",)))[0] == {}


def test_exact_theorems_are_certified_with_the_advantage():
    def said(quantity, low, estimate, **at):
        return Finding(quantity, Bound(estimate, low, 0.5, 9, "by hand"), 0.99, ONE, {"epsilon": 1.0, **at})

    added, other = (said("advantage_bound", 0.0, 0.1, bound=name) for name in ("003 Theorem 3.7", "002 Theorem 2"))
    found = doubts.within_certificates(
        [said("advantage", 0.0, 0.1), added, other, said("certified_advantage", 0.2, None)]
    )
    assert found[0].bound == found[1].bound and found[1].bound.low == 0.2
    assert found[2] == other
