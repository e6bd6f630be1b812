"""The commands, for both doors: what computes each report; and from arguments in Python to a report.

What can be refused is refused before the data are read.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core import settings as options
from ..core.errors import SpecError
from ..core.policy import Line, Policy
from ..core.progress import Progress
from ..core.report import MEASURED_BY, Report
from ..core.settings import Settings
from ..estimators import named, scikit, supplied
from ..estimators.contract import Estimator
from ..questions import releases
from . import attack, judging, run, tune, verify

CHECK = "check"
# What makes the report, and the options that the function of that name in Python takes, where there is one.
COMMANDS: Mapping[str, tuple[Any, type | None]] = {
    "estimate-eta": (run.estimate_eta, options.EtaOptions),
    "nu-max": (run.nu_max, options.WorstCaseOptions),
    "estimate-j": (run.estimate_j, options.TailOptions),
    "advantage": (run.gains, options.GainOptions),
    "audit": (run.audit, options.AuditOptions),
    CHECK: (run.check, None),
    "tune": (tune.tune, options.TuneOptions),
    "verify": (verify.verify, None),
    "attack": (attack.attack, options.AttackCall),
}
_MECHANISMS = {
    "advantage": options.COMPARED_MECHANISMS,
    "tune": options.OPEN_MECHANISM,
    "attack": (),
}  # where none are named


def check_names(command: str, settings: Settings) -> None:
    """Refuse an estimator and mechanisms that there are none of."""
    named(settings.estimator)
    if command != "tune":  # whose mechanisms have a parameter left open
        releases.wanted(settings, judging.MOST_CLASSES)


def found(command: str, data: object, settings: Settings, progress: Progress) -> tuple[Report, supplied.Rows | None]:
    """The report, and the rows of a command that has some."""
    made = COMMANDS[command][0](data, settings, progress)
    return made if isinstance(made, tuple) else (made, None)


def found_like(older: Report, data: object, settings: Settings, progress: Progress) -> Report:
    """Measure a table as an older report did its own: by the same command, or what a policy asked about."""
    name = str(older.parameters.get(MEASURED_BY, older.command))
    if name == CHECK:
        asked = dict.fromkeys((one.quantity, one.place("tau")) for one in older.findings)
        at: list[tuple[str, dict[str, float | str]]] = [(of, {} if tau is None else {"tau": tau}) for of, tau in asked]
        lines = tuple(Line(of, of, place, "high", ">", math.inf) for of, place in at)
        settings = replace(settings, policy=Policy(lines))
    if name not in COMMANDS or COMMANDS[name][0] in (tune.tune, verify.verify, attack.attack):
        raise SpecError(f"a report of {name} is no baseline of a table", hint="audit the older table")
    report = found(name, data, settings, progress)[0]
    return replace(report, command=CHECK, parameters={MEASURED_BY: name, **report.parameters})


# ---- from Python


def answer(
    command: str, data: object, given: Mapping[str, Any], progress: Progress
) -> tuple[Report, supplied.Rows | None]:
    options.check_names(given, COMMANDS[command][1].__optional_keys__)  # type: ignore[union-attr]
    policy = judging.policy_of(given.get("fail_if") or (), given.get("policy"))
    settings = replace(_of_objects({"mechanisms": _MECHANISMS.get(command), **given}), policy=policy)
    check_names(command, settings)
    if command == "tune":
        judging.wanted(policy)
    with warnings.catch_warnings():  # of libraries; ours are in the report
        warnings.simplefilter("ignore")
        report, rows = found(command, os.fspath(data) if isinstance(data, os.PathLike) else data, settings, progress)
    return judging.judged(report, settings.policy), rows


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
