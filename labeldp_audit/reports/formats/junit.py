"""The verdicts of a policy as JUnit XML: a test suite is a report, a test case a line of the policy.

The elements and attributes are those that Jenkins's schema (junit-10.xsd) has. There is no time: what is the same looks
the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from ...core.finding import Bound, Finding
from ...core.policy import Verdict
from ...core.report import TOOL, Report
from .. import answers
from . import ci_results
from .ci_results import Fault
from .spelling import exact, plain

VERDICTS = True
_NO_LIMIT = "none"


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    cases = list(_cases(report))
    counted = _counted(cases)
    skipped = {"skipped": str(sum("<skipped" in case for case in cases))}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield _open("testsuites", {"name": TOOL, **counted})
    yield "  " + _open("testsuite", {"name": f"{report.command}: {report.dataset.name}", **counted, **skipped})
    yield from _properties(report)
    yield from cases
    yield "  </testsuite>"
    yield "</testsuites>"


def _counted(cases: list[str]) -> dict[str, str]:
    failures = sum("<failure" in case for case in cases)
    return {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}


def _properties(report: Report) -> Iterator[str]:
    confidence = report.parameters.get("confidence")
    known = {
        "version": report.version,
        "dataset": f"sha256:{report.dataset.sha256}",
        "estimator": report.eta.estimator,
        **({"confidence": exact(confidence)} if isinstance(confidence, float) else {}),
        **({"outcome": str(report.judgement.outcome)} if report.judgement else {}),
        **{f"waiver {place}": said for place, said in enumerate(answers.waivers_in_lines(report), 1)},
    }
    yield "    <properties>"
    for name, value in known.items():
        yield f"      {_open('property', {'name': name, 'value': value}, closed=True)}"
    yield "    </properties>"


# ---- cases


def _cases(report: Report) -> Iterator[str]:
    """In the order of the policy."""
    found = report.judgement
    if found is None:
        return
    said = {id(fault.verdict): fault for fault in ci_results.all_of(report) if fault.verdict}
    for one in found.verdicts:
        yield _case(report, one.line, _ending(one, said.get(id(one))))
    for fault in map(ci_results.of_waiver, ci_results.run_out(found)):
        yield _case(report, fault.line, _failure("waiver", fault))


def _case(report: Report, name: str, ending: str) -> str:
    head = {"classname": f"{report.command} {report.dataset.name}", "name": name}
    if not ending:
        return f"    {_open('testcase', head, closed=True)}"
    return f"    {_open('testcase', head)}\n      {ending}\n    </testcase>"


def _ending(one: Verdict, fault: Fault | None) -> str:
    if fault is None:
        return ""
    if one.waiver is None:
        return _failure(str(one.outcome), fault)
    reason = f"accepted until {one.waiver.until.isoformat()}: {one.waiver.reason}"
    return _told("skipped", {"type": "waived", "message": reason}, fault)


def _failure(kind: str, fault: Fault) -> str:
    return _told("failure", {"type": kind, "message": fault.said}, fault)


def _told(tag: str, attributes: Mapping[str, str], fault: Fault) -> str:
    body = "\n".join(map(escape, map(plain, _details(fault))))
    return f"{_open(tag, attributes)}{body}</{tag}>"


def _details(fault: Fault) -> Iterator[str]:
    yield f"{fault.line}: {fault.said}"
    one = fault.verdict
    if one is None or one.worst is None:
        return
    if one.judged > 1:
        yield f"the line is about {one.judged} numbers, and {one.failing} of them do not pass; this one is the worst"
    yield _numbers(one.worst)
    yield from (f"assumes: {line}" for line in one.worst.bound.assumptions)


def _numbers(worst: Finding) -> str:
    bound = worst.bound
    named = f" of {worst.mechanism}" if worst.mechanism else ""
    values = ", ".join(f"{name} {_number(bound, name)}" for name in ("low", "estimate", "high"))
    return f"{worst.quantity}{named}: {values}, at confidence {exact(worst.confidence)} ({bound.method})"


def _number(bound: Bound, field: str) -> str:
    value = getattr(bound, field)
    return _NO_LIMIT if value is None else exact(value)


# ---- XML


def _open(tag: str, attributes: Mapping[str, str], closed: bool = False) -> str:
    """plain() leaves nothing that XML 1.0 forbids, and no line end that a reader would take for a space."""
    spelled = "".join(f" {name}={quoteattr(plain(value))}" for name, value in attributes.items())
    return f"<{tag}{spelled}{'/' if closed else ''}>"
