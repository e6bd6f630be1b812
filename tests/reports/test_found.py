"""What formats ask again and again is found once."""

from __future__ import annotations

from dataclasses import replace

from labeldp_audit.reports import found


def test_each_report_is_looked_at_once_and_has_its_own_answer(tail_report):
    looked = []

    @found.once
    def command(report):
        looked.append(report)
        return report.command

    reports = [replace(tail_report, command=f"report {number}") for number in range(found.REMEMBERED + 1)]
    for _ in range(2):
        assert [command(one) for one in reports[1:]] == [one.command for one in reports[1:]]
    assert len(looked) == found.REMEMBERED
    assert [command(one) for one in reports] == [one.command for one in reports]
