"""From arguments in Python to a report: what can be refused is refused before the data are read."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core import settings as options
from ..core.errors import SpecError
from ..core.progress import Progress
from ..core.report import Report
from ..core.settings import Settings
from ..estimators import named, scikit, supplied
from ..estimators.contract import Estimator
from ..questions import releases
from . import judging, run, tune

COMMANDS: Mapping[str, tuple[Any, type]] = {
    "estimate-eta": (run.estimate_eta, options.EtaOptions),
    "nu-max": (run.nu_max, options.WorstCaseOptions),
    "estimate-j": (run.estimate_j, options.TailOptions),
    "advantage": (run.gains, options.GainOptions),
    "audit": (run.audit, options.AuditOptions),
    "tune": (tune.tune, options.TuneOptions),
}
_MECHANISMS = {"advantage": options.COMPARED_MECHANISMS, "tune": options.OPEN_MECHANISM}  # where none are named


def answer(
    command: str, data: object, given: Mapping[str, Any], progress: Progress
) -> tuple[Report, supplied.Rows | None]:
    """The report, and the rows of a command that has some."""
    function, known = COMMANDS[command]
    options.check_names(given, known.__optional_keys__)  # type: ignore[attr-defined]
    settings = _settings(command, given)
    with warnings.catch_warnings():  # of libraries; ours are in the report
        warnings.simplefilter("ignore")
        found = function(os.fspath(data) if isinstance(data, os.PathLike) else data, settings, progress)
    report, rows = found if isinstance(found, tuple) else (found, None)
    return judging.judged(report, settings.policy), rows


def _settings(command: str, given: Mapping[str, Any]) -> Settings:
    policy = judging.policy_of(given.get("fail_if") or (), given.get("policy"))
    settings = replace(_of_objects({"mechanisms": _MECHANISMS.get(command), **given}), policy=policy)
    named(settings.estimator)
    if command == "tune":
        judging.wanted(policy)
    else:
        releases.wanted(settings, judging.MOST_CLASSES)
    return settings


def _of_objects(given: Mapping[str, Any]) -> Settings:
    """eta may be columns, as on the command line, numbers, a classifier that says what it is, or one that learns it."""
    eta, others = given.get("eta"), {name: value for name, value in given.items() if name != "eta"}
    if isinstance(eta, list | tuple) and not eta:
        raise SpecError("--eta is empty")
    if eta is None or isinstance(eta, str) or _are_names(eta):
        return options.from_python(given)
    source = scikit.handed_in(eta) if hasattr(eta, "predict_proba") else supplied.Values(eta)
    if not isinstance(source, Estimator):
        return replace(options.from_python(others), eta=source)
    if given.get("estimator") is not None:
        raise SpecError("--eta is a classifier that is not fitted, which makes it an estimator: leave out --estimator")
    return options.from_python({**others, "estimator": source})


def _are_names(eta: object) -> bool:
    return isinstance(eta, list | tuple) and all(isinstance(one, str) for one in eta)
