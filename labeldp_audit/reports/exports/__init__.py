"""A stored report in the form of another institution. An export is one file and its name here.

It has `of_report(report) -> str`, which raises SpecError where there is nothing true to say. Exports are meant to leave
the house: nothing in them may depend on a true label but verdicts, and the digest of a table that in_toto.py names.
Files of others add theirs by the entry point group `labeldp_audit.exports`.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Protocol

from ...core.registry import Named, lacking
from ...core.report import Report


class Export(Protocol):
    def of_report(self, report: Report) -> str: ...


_OURS = ("in-toto",)
EXPORTS: Named[Export] = Named(
    "export", {name: partial(import_module, f".{name.replace('-', '_')}", __package__) for name in _OURS},
    "exports", lambda name, thing: lacking(thing, "of_report"),
)  # fmt: skip
