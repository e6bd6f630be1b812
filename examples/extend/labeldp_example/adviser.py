"""What the author of a policy may not have meant: an estimate passes or fails by chance."""

from __future__ import annotations

from labeldp_audit.core.policy import Line
from labeldp_audit.core.report import Report


def lets_chance_decide(line: Line, report: Report) -> str:
    """A sentence, or nothing."""
    known = report.quantities.get(line.quantity)
    if line.field != "estimate" or known is None or not known.has_limits:
        return ""
    end = "high" if line.upward else "low"
    return f"{line.text!r} lets chance decide: an estimate passes as often as not where it is close; gate on .{end}"
