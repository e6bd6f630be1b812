"""What the author of a policy may not have meant. It is said beside the verdicts and never changes them.

An adviser is a function of a line and a report, and its name in the mapping at the end is the code of its remark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from ..core.policy import Line
from ..core.quantity import Quantity
from ..core.remark import Remark
from ..core.report import Report
from . import judge


def for_lines(lines: Iterable[Line], report: Report) -> tuple[Remark, ...]:
    """About a judged report; each once."""
    told = (Remark(name, line=line.text) for line in lines for name, speaks in ADVISERS.items() if speaks(line, report))
    return tuple(dict.fromkeys(told))


def _known(line: Line, report: Report) -> Quantity:
    """What is known of the number that a line is about; nothing where this version does not have it."""
    return report.quantities.get(line.quantity) or Quantity(line.quantity, "", "", "", "", "")


def _never_fails(line: Line, report: Report) -> bool:
    """Reports for people have per cent, and a line that was typed in per cent is one that never fails."""
    beyond = line.threshold > 1 or (line.comparison == ">" and line.threshold == 1)
    return _known(line, report).share and line.upward and beyond


def _upside_down(line: Line, report: Report) -> bool:
    """A line that says what has to hold is the wrong way round."""
    return not (line.upward or _known(line, report).less_is_worse) and bool(judge.outcomes(line, report))


def _never_passes(line: Line, report: Report) -> bool:
    """Upper limits that no table could have."""
    if _known(line, report).has_upper or line.field != "high" or not line.upward:
        return False
    none = 1.0 if _known(line, report).share else math.inf
    return any(one.bound.high == none and line.holds(none) for _, one in judge.outcomes(line, report))


def _vacuous(line: Line, report: Report) -> bool:
    """Check whether even labels without noise pass the line."""
    return judge.cannot_fail(line, report.findings) is not None


ADVISERS: Mapping[str, Callable[[Line, Report], bool]] = {
    "never-fails": _never_fails, "vacuous": _vacuous, "upside-down": _upside_down, "never-passes": _never_passes,
}  # fmt: skip
