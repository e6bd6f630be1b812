"""The table of what each release does to the odds of true labels."""

from __future__ import annotations

from simulated import given, report, scored

from labeldp_audit.questions import advantage, worst_case
from labeldp_audit.reports import document, tables
from labeldp_audit.reports.blocks import Level, Table


def test_each_mechanism_has_a_row():
    table, eta = given(*scored(400))
    made = report(advantage, table, eta, mechanism=("rr:epsilon=1", "llp:k=2"))
    found = tables.odds(made)
    assert found.header == ("the odds of the true label grow for", "1 in 2", "1 in 10", "1 in 100", "others known")
    (flips, *moved, added), (bags, *given_away, most) = found.rows
    assert (flips, moved) == ("rr:epsilon=1", ["1 (x2.7)"] * 3)
    assert (bags, given_away[1:]) == ("llp:k=2", ["infinite"] * 2)
    assert float(added.split()[0]) < float(most.split()[0])
    shown = [one for one in document.of(made) if isinstance(one, Table) and tuple(one.header) == found.header]
    assert [one.level for one in shown] == [Level.DETAIL]


def test_a_report_without_advantages_has_none():
    table, eta = given(*scored(400))
    assert tables.odds(report(worst_case, table, eta, mechanism=("rr:epsilon=1",))) is None
