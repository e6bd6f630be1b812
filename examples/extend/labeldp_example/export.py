"""What a badge on a web page says: does the policy hold? Of a release: what it spends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.quoting import plain
from labeldp_audit.core.report import Report


def of_report(report: Report) -> str:
    if report.judgement is None:
        raise SpecError("no policy was judged")
    return _badge(str(report.judgement.outcome))


def of_manifest(manifest: Mapping[str, Any], name: str) -> str:
    return _badge(plain(str(manifest["mechanism"])))


def _badge(message: str) -> str:
    return json.dumps({"schemaVersion": 1, "label": "label privacy", "message": message}) + "\n"
