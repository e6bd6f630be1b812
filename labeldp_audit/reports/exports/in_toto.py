"""A verdict as an in-toto Statement that is yet to be signed: the lines of the policy are its tests.

Statement: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md, predicate:
https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md. A line that the rows do not decide, or
that is waived, is among the warned tests. No number of the report is here, nor a digest of it: whoever knows all labels
but one could make both reports that there may be, and compare.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any

from ...core.errors import SpecError
from ...core.report import COMPARED, TOOL, VERIFY, Report
from ..formats import ci_results

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
_SHA256 = re.compile(r"[0-9a-f]{64}")


def of_report(report: Report) -> str:
    judged, data = report.judgement, report.dataset
    if judged is None or not judged.verdicts:
        raise SpecError("there is no verdict to attest: no policy was judged", hint="labeldp-audit check REPORT")
    if not _SHA256.fullmatch(data.sha256):
        raise SpecError("there is nothing to attest to: the report has no digest of its table", data.name)
    faults = ci_results.all_of(report)
    failed = [one.line for one in faults if one.level == "error"]
    warned = [one.line for one in faults if one.level != "error"]
    passed = [one.line for one in judged.verdicts if not one.counts and one.waiver is None]
    statement = {
        "_type": STATEMENT,
        "subject": [{"name": data.name, "digest": {"sha256": data.sha256}}],
        "predicateType": PREDICATE,
        "predicate": {
            "result": "FAILED" if failed else "WARNED" if warned else "PASSED",
            "configuration": [_policy(report, [one.line for one in judged.verdicts])],
            "passedTests": passed, "warnedTests": warned, "failedTests": failed,
        },
    }  # fmt: skip
    return json.dumps(statement, indent=1) + "\n"


def _policy(report: Report, lines: Sequence[str]) -> dict[str, Any]:
    """What the table was held against; the digest is that of its lines, each with a line end."""
    compared = report.parameters.get(COMPARED, ())
    specs = {one.mechanism: None for one in report.findings if one.mechanism and one.mechanism not in compared}  # type: ignore[operator]
    about: dict[str, Any] = {
        "tool": TOOL, "version": report.version, "command": report.command, "mechanisms": list(specs),
        "confidence": report.parameters.get("confidence"), "lines": list(lines),
    }  # fmt: skip
    if report.command == VERIFY:
        about["with_original"] = "original" in report.parameters
    text = "".join(f"{line}\n" for line in lines).encode(errors="backslashreplace")
    digest = {"sha256": hashlib.sha256(text).hexdigest()}
    return {"name": "policy", "digest": digest, "mediaType": "text/plain", "annotations": about}
