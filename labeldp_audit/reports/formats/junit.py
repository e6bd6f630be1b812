"""The verdicts of a policy as JUnit XML: a test suite is a report, a test case a line of the policy.

The elements and attributes are those that Jenkins's schema (junit-10.xsd) has. There is no time: what is the same looks
the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from ...core.quoting import plain
from ...core.report import TOOL, Report
from .. import answers
from . import ci_results
from .ci_results import Fault
from .spelling import exact

VERDICTS = True


def render(report: Report, **_: object) -> str:
    cases = list(_cases(report))
    failed, skipped = (sum(f"<{tag}" in case for case in cases) for tag in ("failure", "skipped"))
    counted = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    suite = {"name": f"{report.command}: {report.dataset.name}", **counted, "skipped": str(skipped)}
    lines = (
        '<?xml version="1.0" encoding="UTF-8"?>', _open("testsuites", {"name": TOOL, **counted}),
        f"  {_open('testsuite', suite)}", *_properties(report), *cases, "  </testsuite>", "</testsuites>",
    )  # fmt: skip
    return "\n".join(lines) + "\n"


def _properties(report: Report) -> Iterator[str]:
    confidence = report.parameters.get("confidence")
    known = {
        "version": report.version, "dataset": f"sha256:{report.dataset.sha256}",
        **({"estimator": report.eta.estimator} if report.eta else {}),
        **({"confidence": exact(confidence)} if isinstance(confidence, float) else {}),
        **({"outcome": str(report.judgement.outcome)} if report.judgement else {}),
        **{f"waiver {place}": said for place, said in enumerate(answers.waivers_in_lines(report), 1)},
    }  # fmt: skip
    yield "    <properties>"
    for name, value in known.items():
        yield f"      {_open('property', {'name': name, 'value': value}, closed=True)}"
    yield "    </properties>"


def _cases(report: Report) -> Iterator[str]:
    """In the order of the policy."""
    judged = report.judgement
    if judged is None:
        return
    faults = {id(fault.verdict): fault for fault in ci_results.all_of(report) if fault.verdict}
    classname = f"{report.command} {report.dataset.name}"
    for one in judged.verdicts:
        head, fault = {"classname": classname, "name": one.line}, faults.get(id(one))
        yield f"    {_open('testcase', head, closed=True)}" if fault is None else _case(head, str(one.outcome), fault)
    for fault in map(ci_results.of_waiver, answers.run_out(judged)):
        yield _case({"classname": classname, "name": fault.line}, "waiver", fault)


def _case(head: Mapping[str, str], kind: str, fault: Fault) -> str:
    waiver = fault.verdict.waiver if fault.verdict else None
    tag, said = "failure", {"type": kind, "message": fault.said}
    if waiver is not None:
        accepted = f"accepted until {waiver.until.isoformat()}: {waiver.reason}"
        tag, said = "skipped", {"type": "waived", "message": accepted}
    body = "\n".join(escape(plain(line)) for line in _details(fault))
    return f"    {_open('testcase', head)}\n      {_open(tag, said)}{body}</{tag}>\n    </testcase>"


def _details(fault: Fault) -> Iterator[str]:
    yield f"{fault.line}: {fault.said}"
    one = fault.verdict
    if one is None or one.worst is None:
        return
    if one.judged > 1:
        yield f"the line is about {one.judged} numbers, and {one.failing} of them do not pass; this one is the worst"
    worst, bound = one.worst, one.worst.bound
    named = f" of {worst.mechanism}" if worst.mechanism else ""
    ends = {"low": bound.low, "estimate": bound.estimate, "high": bound.high}
    values = ", ".join(f"{name} {'none' if value is None else exact(value)}" for name, value in ends.items())
    yield f"{worst.quantity}{named}: {values}, at confidence {exact(worst.confidence)} ({bound.method})"
    yield from (f"assumes: {line}" for line in bound.assumptions)


def _open(tag: str, attributes: Mapping[str, str], closed: bool = False) -> str:
    """plain() leaves nothing that XML 1.0 forbids, and no line end that a reader would take for a space."""
    spelled = "".join(f" {name}={quoteattr(plain(value))}" for name, value in attributes.items())
    return f"<{tag}{spelled}{'/' if closed else ''}>"
