"""The verdicts of a policy as SARIF 2.1.0, for code scanning: a rule for each quantity, a result for each fault.

A line that passes is no result: GitHub shows results of every kind as problems. It is counted in the properties of the
run instead, and all waivers stand there. A report without a judgement has rules and no results.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from ...core.finding import Bound, Finding
from ...core.policy import Judgement, Outcome, Verdict, Waived
from ...core.report import TOOL, Report
from .. import answers, found, remarks, words
from . import ci_results
from .ci_results import Fault
from .json import strict, visible
from .spelling import plain

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SEMANTIC = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?")
Object = dict[str, object]
VERDICTS = True


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, run_info, location)]}
    return visible(json.dumps(strict(log), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _run(report: Report, run_info: Mapping[str, object] | None, location: str | None) -> Object:
    found, path = ci_results.all_of(report), ci_results.uri(ci_results.place(report, location)[0])
    rules = _rules(report, found)
    places = {rule: number for number, rule in enumerate(rules)}
    return {
        "tool": {"driver": _driver(report, rules)},
        # GitHub tells runs of one tool apart by this; what follows the last slash would be a single run's name.
        "automationDetails": {"id": f"{TOOL}/{ci_results.uri(report.command)}/{path}/"},
        "invocations": [_invocation(report, run_info)],
        "artifacts": [_artifact(report, location)],
        "results": [_result(one, places[one.rule], report, location) for one in found],
        "properties": _of_policy(report),
    }


def _driver(report: Report, rules: Mapping[str, Object]) -> Object:
    semantic = {"semanticVersion": report.version} if _SEMANTIC.fullmatch(report.version) else {}
    return {"name": TOOL, "version": plain(report.version), **semantic, "rules": list(rules.values())}


def _invocation(report: Report, run_info: Mapping[str, object] | None) -> Object:
    said = [{"level": "warning", "message": _message(plain(warning))} for warning in report.warnings]
    about: Object = {} if run_info is None else {"properties": {"run": run_info}}
    return {"executionSuccessful": True, "toolExecutionNotifications": said, **about}


def _artifact(report: Report, location: str | None) -> Object:
    hashes = {"sha-256": plain(report.dataset.sha256)}
    return {"location": _place(report, location), "roles": ["analysisTarget"], "hashes": hashes}


def _place(report: Report, location: str | None) -> Object:
    """The base is named only where somebody said where the table is."""
    path, from_top = ci_results.place(report, location)
    return {"uri": ci_results.uri(path), **({"uriBaseId": "%SRCROOT%"} if from_top else {})}


def _of_policy(report: Report) -> Object:
    found = report.judgement
    if found is None:
        return {"outcome": None}
    passed = [plain(one.line) for one in found.verdicts if one.outcome is Outcome.PASS]
    waivers = [_waiver(one, found) for one in found.waivers]
    return {"outcome": found.outcome, "lines": len(found.verdicts), "passed": passed, "waivers": waivers}


def _waiver(one: Waived, found: Judgement) -> Object:
    """Those that do nothing here too."""
    waiver = one.waiver
    return {
        "quantity": plain(waiver.quantity), "dataset": plain(f"sha256:{waiver.dataset}"),
        "until": waiver.until.isoformat(), "state": answers.state(one, found), "reason": plain(waiver.reason),
    }  # fmt: skip


# ---- rules


def _rules(report: Report, found: Sequence[Fault]) -> dict[str, Object]:
    """Rules for what was found, what a line asks for and waivers that have run out, each once."""
    asked = () if report.judgement is None else report.judgement.verdicts
    quantities = dict.fromkeys([*(one.quantity for one in report.findings), *(one.quantity for one in asked)])
    rules = {quantity: _rule(quantity, report) for quantity in quantities}
    if any(one.rule == ci_results.WAIVER for one in found):
        rules.setdefault(
            ci_results.WAIVER, _described(ci_results.WAIVER, "risks that were accepted for a time", _WAIVERS)
        )
    return rules


_WAIVERS = "A waiver whose last day is over fails a policy until it is removed or renewed."
_JUDGED = "A result says that a line of the policy about it does not pass, or is not shown to."


def _rule(quantity: str, report: Report) -> Object:
    meaning = words.meaning(Finding(quantity, Bound(None, None, None, 0, ""), 0.0), report)
    findings = [one for one in report.findings if one.quantity == quantity]
    assumed = [f"It rests on this: {line}." for line in found.assumptions(findings)]
    return _described(quantity, meaning, " ".join((_JUDGED, remarks.NOT_PROVED, *assumed)))


def _described(rule: str, meaning: str, more: str) -> Object:
    short = f"{rule}: {meaning}" if meaning else rule
    return {
        "id": plain(rule),
        "shortDescription": {"text": _text(plain(short))},
        "fullDescription": {"text": _text(plain(f"{short}."))},
        "help": {"text": _text(plain(f"{short}. {more}"))},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["privacy"]},
    }


# ---- results


def _result(fault: Fault, rule: int, report: Report, location: str | None) -> Object:
    """A result about the whole table. A file without lines has a first one, which GitHub asks for."""
    physical = {"artifactLocation": {**_place(report, location), "index": 0}, "region": {"startLine": 1}}
    waiver = fault.verdict.waiver if fault.verdict else None
    accepted = [] if waiver is None else [_suppression(plain(waiver.reason))]
    return {
        "ruleId": plain(fault.rule),
        "ruleIndex": rule,
        "kind": "fail",
        "level": fault.level,
        "message": _message(fault.message),
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": _fingerprints(fault),
        "suppressions": accepted,  # an empty list says that it was looked and there are none
        "properties": {} if fault.verdict is None else _properties(fault.verdict),
    }


def _suppression(reason: str) -> Object:
    return {"kind": "external", "status": "accepted", "justification": reason}


def _fingerprints(fault: Fault) -> Object:
    """The same as long as the policy asks the same, whatever the numbers are. GitHub reads the second alone.

    Which mechanism is the worst hangs on the numbers; the one that a line is about stands in the line.
    """
    asked = json.dumps([fault.rule, "".join(fault.line.split())])
    digest = hashlib.sha256(asked.encode()).hexdigest()
    return {"lineOfPolicy/v1": digest, "primaryLocationLineHash": f"{digest[:16]}:1"}


def _properties(one: Verdict) -> Object:
    """What was compared with what."""
    about: Object = {} if one.worst is None else _measured(one.worst)
    return {
        "outcome": one.outcome, "field": one.field, "comparison": one.comparison, "threshold": one.threshold,
        "judged": one.judged, "failing": one.failing, **about,
    }  # fmt: skip


def _measured(worst: Finding) -> Object:
    bound = worst.bound
    return {
        "estimate": bound.estimate, "low": bound.low, "high": bound.high, "confidence": worst.confidence,
        "mechanism": worst.mechanism, "at": worst.at, "method": bound.method, "assumptions": bound.assumptions,
    }  # fmt: skip


def _message(text: str) -> Object:
    return {"text": _text(text)}


def _text(text: str) -> str:
    """Neither placeholders nor links (SARIF 3.11.5, 3.11.6): other people's words hold brackets."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return doubled.replace("[", "\\[").replace("]", "\\]")
