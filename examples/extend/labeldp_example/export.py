"""What a badge on a web page says: does the policy hold?"""

from __future__ import annotations

import json

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.report import Report


def of_report(report: Report) -> str:
    if report.judgement is None:
        raise SpecError("no policy was judged")
    message = str(report.judgement.outcome)
    return json.dumps({"schemaVersion": 1, "label": "label privacy", "message": message}) + "\n"
