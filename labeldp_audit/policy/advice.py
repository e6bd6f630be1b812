"""What the author of a policy may not have meant. It is said beside the verdicts and never changes them.

An adviser is a function of a line and a report and its name in the list at the end, or an entry point in the group
`labeldp_audit.advice` of another package.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from ..core.errors import SpecError
from ..core.policy import Line
from ..core.quantity import Quantity
from ..core.registry import Named, there
from ..core.report import Report
from . import judge

Adviser = Callable[[Line, Report], str]  # one sentence, or nothing


def for_lines(lines: Iterable[Line], report: Report) -> tuple[str, ...]:
    """About a judged report; each once."""
    told = (_said(name, line, report) for line in lines for name in ADVISERS.names())
    return tuple(dict.fromkeys(filter(None, told)))


def _said(name: str, line: Line, report: Report) -> str:
    """A stranger's adviser that fails changes no verdict either."""
    try:
        return ADVISERS.get(name)(line, report)
    except SpecError as error:
        return error.what
    except Exception as error:
        if name not in ADVISERS.of_others():
            raise
        return f"the adviser {name!r} of another package fails: {error!r}"


def _known(line: Line, report: Report) -> Quantity:
    """What is known of the number that a line is about; nothing of a stranger's."""
    return report.quantities.get(line.quantity) or Quantity(line.quantity, "", "", "", "", "")


def _in_per_cent(line: Line, report: Report) -> str:
    """Reports for people have per cent, and a line that was typed in per cent is one that never fails."""
    beyond = line.threshold > 1 or (line.comparison == ">" and line.threshold == 1)
    if not (_known(line, report).share and line.upward and beyond):
        return ""
    return f"{line.text!r} never fails: a share is never above 1, and 5 % is written 0.05"


def _upside_down(line: Line, report: Report) -> str:
    """A line that says what has to hold is the wrong way round."""
    if line.upward or _known(line, report).less_is_worse or not judge.outcomes(line, report):
        return ""
    return f"{line.text!r} stops a release where the number is small: a line says what blocks it"


def _never_passes(line: Line, report: Report) -> str:
    """Upper limits that no table could have."""
    if _known(line, report).has_upper or line.field != "high" or not line.upward:
        return ""
    none = 1.0 if _known(line, report).share else math.inf
    if not any(one.bound.high == none and line.holds(none) for _, one in judge.outcomes(line, report)):
        return ""
    return f"{line.text!r} can never pass: no table has an upper limit for it; gate on .low, or on advantage.high"


_OURS = {
    "per cent": _in_per_cent, "upside down": _upside_down, "never passes": _never_passes,
}  # fmt: skip
ADVISERS: Named[Adviser] = Named(
    "adviser", there(_OURS), "advice",
    lambda name, thing: "" if callable(thing) else f"{thing!r} is no function",
)  # fmt: skip
