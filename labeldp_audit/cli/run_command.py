"""From what was typed to a report: what can be refused is refused before the data are read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module

from ..audits import judging
from ..core.errors import DataError, SpecError
from ..core.report import MEASURED_BY, Report
from ..core.settings import Settings
from . import configuration, output, policy_options, repository, stored_reports
from . import progress as watch
from .configuration import Chosen
from .options import QUESTION, SEARCH, TABLE, Command

MEASURING = (TABLE, SEARCH, QUESTION)  # panels of options that say how a report is made
JUDGING = ("check", "tune")  # commands that make no sense without a policy
Told = tuple[Report, output.Rows | None, output.Info]


@dataclass(frozen=True)
class Errand:
    command: Command
    data: str
    chosen: Mapping[str, Chosen]
    settings: Settings
    plan: output.Plan
    stored: bool  # is it a report that is there already?


def checked(command: Command, data: str, chosen: Mapping[str, Chosen]) -> Errand:
    stored = command.stored and stored_reports.is_report(data)
    if not stored and command.stored:
        _check_table(command, data)
    settings = _settings(command, chosen, stored)
    if stored:
        stored_reports.check_typed(chosen, (option.name for option in command.options if option.panel in MEASURING))
    return Errand(command, data, chosen, settings, _plan(command, data, chosen, settings, stored), stored)


def _check_table(command: Command, data: str) -> None:
    """Where a report could stand, too, a folder of reports is no table."""
    inside = stored_reports.reports_in(data)
    hint = f"labeldp-audit {command.name} {' or '.join(inside)}" if inside else ""
    if not command.tables:
        raise SpecError("not a stored report", data, hint=hint or "a .json file that another command left")
    if inside:
        raise DataError("a folder of reports, and no table", data, hint=hint)


def run(errand: Errand, quiet: bool) -> Told:
    """The report, the rows of a command that writes some, and when and where a stored one was made."""
    if errand.stored:
        return _stored(errand)
    return (*_computed(errand.command, errand.data, errand.settings, quiet), None)


def _settings(command: Command, chosen: Mapping[str, Chosen], stored: bool) -> Settings:
    """What can be refused before the data are read."""
    policy = policy_options.policy_of(chosen, configuration.here())
    settings = replace(configuration.settings(chosen), policy=policy)
    if command.name in JUDGING:
        policy_options.wanted(policy)
    if not stored:
        _parsed(settings, command.open_mechanisms)
    return settings


def _parsed(settings: Settings, open_mechanisms: bool) -> None:
    from ..estimators import named
    from ..questions import releases

    named(settings.estimator)
    if not open_mechanisms:
        releases.wanted(settings, judging.MOST_CLASSES)


def _plan(command: Command, data: str, chosen: Mapping[str, Chosen], settings: Settings, stored: bool) -> output.Plan:
    """Where the report goes; a stored one is there already and gets a folder only if one is asked for."""
    nowhere = chosen["no_output"].value or (stored and chosen["output"].origin == "default")
    forms, folder = chosen["format"].value, None if nowhere else str(chosen["output"].value)
    plan = output.plan(forms, folder, command.pages, None if stored else _location(data))  # type: ignore[arg-type]
    for source in filter(None, (data, settings.eta_file)):
        output.check(plan, command.files, source)
    return plan


def _location(data: str) -> str | None:
    """Nobody knows where the table of a stored report is, or what comes through a pipe."""
    return None if data == "-" else repository.place(data, os.environ.get("GITHUB_WORKSPACE"))


def _stored(errand: Errand) -> Told:
    """A report is shown as what it is; a checked one says so, and has to be about what the configuration plans."""
    report, info = stored_reports.read_report(errand.data)
    if errand.command.tables:
        stored_reports.check_planned(report, errand.chosen, errand.data)
        parameters = {MEASURED_BY: report.command, **report.parameters}
        report = replace(report, command=errand.command.name, parameters=parameters)
    output.check_names(errand.plan, report, errand.data)
    return report, None, info


def _computed(command: Command, data: str, settings: Settings, quiet: bool) -> tuple[Report, output.Rows | None]:
    """The report, and the rows of a command that writes some."""
    module, _, function = command.function.partition(".")
    answer = getattr(import_module(f"..audits.{module}", __package__), function)
    with watch.watched(quiet) as progress:
        result = answer(data, settings, progress)
    return result if isinstance(result, tuple) else (result, None)
