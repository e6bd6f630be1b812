"""What every adviser of the list keeps to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from policies import FOUR, ONE, TODAY, absent, finding, report

from labeldp_audit.core.policy import COMPARISONS, FIELDS
from labeldp_audit.policy import advice, judge
from labeldp_audit.policy.advice import ADVISERS
from labeldp_audit.reports.sentences import sentence

each = pytest.mark.parametrize("name", ADVISERS)
QUANTITIES = ("j(tau=3)", "nu_max", "advantage", "certified_nu_max", "equivalent_k", "eta_min", "nobody_knows")
LINES = [
    f"{quantity}.{field} {comparison} {threshold}"
    for quantity in QUANTITIES for field in FIELDS for comparison in COMPARISONS for threshold in (0.05, 1, 5)
]  # fmt: skip
REPORTS = (
    report(),
    report(finding("j", 0.0, 0.2, 1.0, ONE, tau=3.0), finding("nu_max", 1.0, 5.0, float("inf"), FOUR)),
    report(
        finding("advantage", 0.0, 0.01, 0.02, ONE),
        absent("nu_max", FOUR),
        finding("equivalent_k", None, 3.0, None),
        finding("advantage", 0.01, 0.02, 0.03, baseline="no-noise"),
    ),
    report(finding("certified_nu_max", 0.0, None, float("inf"), ONE), finding("nobody_knows", 0.1, 2.0, 3.0)),
)


def said(name):
    """Of reports that are not judged, and of judged ones."""
    for text in LINES:
        line = judge.parse(text)
        for one in REPORTS:
            judged = replace(one, judgement=judge.judge(judge.Policy((line,)), one, TODAY))
            yield line, [noticed for report in (one, judged) for noticed in advice.for_lines([line], report)
                         if noticed.code == name]  # fmt: skip


@each
def test_it_says_one_sentence_or_nothing(name):
    spoke = 0
    for line, noticed in said(name):
        for text in map(sentence, noticed):
            assert text.isprintable() and text.strip() == text != name
            assert repr(line.text) in text
        spoke += bool(noticed)
    assert 0 < spoke < len(LINES) * len(REPORTS)  # who always speaks is not heard


@each
def test_it_does_so_again(name):
    assert list(said(name)) == list(said(name))
