"""The verdicts of a policy as SARIF 2.1.0, for code scanning: a rule for each quantity, a result for each fault.

A line that passes is no result: GitHub shows results of every kind as problems. It is counted in the properties of the
run instead, and all waivers stand there. A report without a judgement has rules and no results.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from ...core.policy import Judgement, Outcome, Verdict
from ...core.quoting import plain
from ...core.report import TOOL, Report
from .. import answers, basis, found, sentences
from . import ci_results
from .ci_results import Fault
from .json import strict, visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_SEMANTIC = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?")
_JUDGED = "A result says that a line of the policy about it does not pass, or is not shown to."
_WAIVERS = "A waiver whose last day is over fails a policy until it is removed or renewed."
Object = dict[str, object]
VERDICTS = True


def render(
    report: Report, *, run_info: Mapping[str, object] | None = None, location: str | None = None, **_: object
) -> str:
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, run_info, location)]}
    return visible(json.dumps(strict(log), indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _run(report: Report, run_info: Mapping[str, object] | None, location: str | None) -> Object:
    faults, (path, from_top) = ci_results.all_of(report), ci_results.place(report, location)
    address, rules = ci_results.uri(path), _rules(report, faults)
    places = {rule: number for number, rule in enumerate(rules)}
    semantic = {"semanticVersion": report.version} if _SEMANTIC.fullmatch(report.version) else {}
    said = [{"level": "warning", "message": _text(plain(warning))} for warning in sentences.warnings(report)]
    about: Object = {} if run_info is None else {"properties": {"run": run_info}}
    # The base is named only where it is known where the table is.
    file: Object = {"uri": address, **({"uriBaseId": "%SRCROOT%"} if from_top else {})}
    return {
        "tool": {"driver": {
            "name": TOOL, "version": plain(report.version), **semantic, "rules": list(rules.values()),
        }},
        # GitHub tells runs of one tool apart by this; what follows the last slash would be a single run's name.
        "automationDetails": {"id": f"{TOOL}/{ci_results.uri(report.command)}/{address}/"},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": said, **about}],
        "artifacts": [{
            "location": file, "roles": ["analysisTarget"], "hashes": {"sha-256": plain(report.dataset.sha256)},
        }],
        "results": [_result(one, places[one.rule], file) for one in faults],
        "properties": {"outcome": None} if report.judgement is None else _of_policy(report.judgement),
    }  # fmt: skip


def _of_policy(judged: Judgement) -> Object:
    """All waivers, those that do nothing here too."""
    passed = [plain(one.line) for one in judged.verdicts if one.outcome is Outcome.PASS]
    waivers = [
        {
            "quantity": plain(one.waiver.quantity), "dataset": plain(f"sha256:{one.waiver.dataset}"),
            "until": one.waiver.until.isoformat(), "state": answers.state(one, judged),
            "reason": plain(one.waiver.reason),
        }
        for one in judged.waivers
    ]  # fmt: skip
    return {"outcome": judged.outcome, "lines": len(judged.verdicts), "passed": passed, "waivers": waivers}


def _rules(report: Report, faults: Sequence[Fault]) -> dict[str, Object]:
    """Rules for what was found, what a line asks for and waivers that have run out, each once."""
    asked = () if report.judgement is None else report.judgement.verdicts
    rules: dict[str, Object] = {}
    for quantity in dict.fromkeys([*(one.quantity for one in report.findings), *(one.quantity for one in asked)]):
        assumed = found.assumptions(one for one in report.findings if one.quantity == quantity)
        more = (_JUDGED, basis.not_proved(report), *(f"It rests on this: {line}." for line in assumed))
        rules[quantity] = _described(quantity, found.quantity(report, quantity).meaning, " ".join(more))
    if any(one.rule == ci_results.WAIVER for one in faults):
        waiver = _described(ci_results.WAIVER, "risks that were accepted for a time", _WAIVERS)
        rules.setdefault(ci_results.WAIVER, waiver)
    return rules


def _described(rule: str, meaning: str, more: str) -> Object:
    short = f"{rule}: {meaning}" if meaning else rule
    return {
        "id": plain(rule),
        "shortDescription": _text(plain(short)),
        "fullDescription": _text(plain(f"{short}.")),
        "help": _text(plain(f"{short}. {more}")),
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["privacy"]},
    }


def _result(fault: Fault, rule: int, file: Object) -> Object:
    """A result about the whole table. A file without lines has a first one, which GitHub asks for.

    Fingerprints are the same as long as the policy asks the same, whatever the numbers are: which mechanism is the
    worst hangs on the numbers; the one that a line is about stands in the line. GitHub reads the second alone.
    """
    waiver = fault.verdict.waiver if fault.verdict else None
    accepted = {"kind": "external", "status": "accepted", "justification": plain(waiver.reason if waiver else "")}
    digest = hashlib.sha256(json.dumps([fault.rule, "".join(fault.line.split())]).encode()).hexdigest()
    return {
        "ruleId": plain(fault.rule),
        "ruleIndex": rule,
        "kind": "fail",
        "level": fault.level,
        # sarif-tools 3.0.5 cuts a message that begins with its rule to one character.
        "message": _text(f"Policy: {fault.message}"),
        "locations": [
            {"physicalLocation": {"artifactLocation": {**file, "index": 0}, "region": {"startLine": 1}}},
        ],
        "partialFingerprints": {"lineOfPolicy/v1": digest, "primaryLocationLineHash": f"{digest[:16]}:1"},
        "suppressions": [accepted] if waiver else [],  # an empty list says that it was looked and there are none
        "properties": {} if fault.verdict is None else _compared(fault.verdict),
    }


def _compared(one: Verdict) -> Object:
    """What was compared with what."""
    about: Object = {
        "outcome": one.outcome, "field": one.field, "comparison": one.comparison, "threshold": one.threshold,
        "judged": one.judged, "failing": one.failing,
    }  # fmt: skip
    if one.worst is None:
        return about
    worst, bound = one.worst, one.worst.bound
    return about | {
        "estimate": bound.estimate, "low": bound.low, "high": bound.high, "confidence": worst.confidence,
        "mechanism": worst.mechanism, "at": worst.at, "method": bound.method, "assumptions": bound.assumptions,
    }  # fmt: skip


def _text(text: str) -> Object:
    """Neither placeholders nor links (SARIF 3.11.5, 3.11.6): other people's words hold brackets."""
    doubled = text.replace("{", "{{").replace("}", "}}")
    return {"text": doubled.replace("[", "\\[").replace("]", "\\]")}
