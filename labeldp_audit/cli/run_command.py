"""From what was typed to a report: what can be refused is refused before the data are read."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING

from ..audits import judging
from ..core.errors import DataError, SpecError
from ..core.policy import Outcome
from ..core.report import MEASURED_BY, Report
from . import configuration, output, policy_options, repository, stored_reports, versions
from . import progress as watch
from .configuration import Configuration
from .options import QUESTION, SEARCH, TABLE
from .statuses import FINE, INCONCLUSIVE, VIOLATED
from .streams import say, show, warn

if TYPE_CHECKING:
    import typer

    from ..core.settings import Settings

MEASURING = (TABLE, SEARCH, QUESTION)  # panels of options that say how a report is made
PAGES = {"json": "json", "md": "markdown", "html": "html"}
EVERY_PAGE = PAGES | {"txt": "text", "csv": "csv", "sarif": "sarif", "junit.xml": "junit"}


@dataclass(frozen=True)
class Job:
    """What a command does beside reading its options."""

    function: str = ""  # inside labeldp_audit.audits, loaded when it runs; none takes stored reports alone
    rows: tuple[str, ...] = ()  # the file with a row for each query
    pages: Mapping[str, str] = field(default_factory=lambda: PAGES)  # what its folder gets: ending and format
    stored: bool = False  # takes a stored report as well
    open_mechanisms: bool = False  # of which one parameter is left open
    wants_policy: bool = False


@dataclass(frozen=True)
class Errand:
    """A command that has been checked."""

    name: str
    job: Job
    data: str
    asked: Configuration
    settings: Settings
    plan: output.Plan
    stored: bool  # is it a report that is there already?


def perform(context: typer.Context, job: Job) -> int:
    """The exit status of a command."""
    asked, data, started = configuration.of(context), context.params["data"], time.time()
    quiet = bool(asked["quiet"])
    warn(asked.notes, quiet)
    if asked["show_config"]:
        policy = policy_options.shown(policy_options.policy_of(asked))
        show(configuration.shown(asked, context.command) + policy)
        return FINE
    if not data:  # Path('') would be the working folder
        raise SpecError("missing argument DATA", hint=f"`{context.command_path} --help` shows examples")
    errand = _checked(context, job, data, asked)
    warn(filter(None, [policy_options.unread(asked)]), quiet)
    _hush_libraries()
    made, rows, info = _stored(errand) if errand.stored else (*_computed(errand, quiet), None)
    report = judging.judged(made, errand.settings.policy)
    said = made.warnings if errand.stored else ()  # when that report was made
    warn((one for one in report.warnings if one not in said), quiet or _is_read_here(errand.plan))
    info = versions.of_run(data, sys.argv[1:], started) if asked["with_run_info"] else info
    text = output.to_screen(errand.plan, report, *watch.screen(), info, bool(asked["verbose"]))
    written = output.to_files(errand.plan, report, rows, info)
    show(text)
    warn(output.to_summary(errand.plan, report, os.environ.get("GITHUB_STEP_SUMMARY")), quiet=False)
    if written and not quiet and not _is_read_here(errand.plan):
        say(f"wrote {', '.join(map(str, written))}")
    return _status(report) if "fail_if" in asked.values and not asked["exit_zero"] else FINE


def _status(report: Report) -> int:
    if report.judgement is None:
        return FINE
    open_ones = dict.fromkeys((Outcome.INCONCLUSIVE, Outcome.UNPROVEN), INCONCLUSIVE)
    return {Outcome.PASS: FINE, **open_ones}.get(report.judgement.outcome, VIOLATED)


def _hush_libraries() -> None:
    """Their warnings are for us, not for users; `python -W` brings them back."""
    import warnings

    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _is_read_here(plan: output.Plan) -> bool:
    """Is there a terminal that shows a report for people, which has the warnings and says where the page is?"""
    shown = any(target.file is None and target.format == "text" for target in plan.targets)
    return shown and sys.stdout is not None and sys.stdout.isatty()


# ---- checks


def _checked(context: typer.Context, job: Job, data: str, asked: Configuration) -> Errand:
    name = str(context.info_name)
    stored = job.stored and stored_reports.is_report(data)
    if stored:
        measuring = [one for one in context.command.params if getattr(one, "rich_help_panel", "") in MEASURING]
        stored_reports.check_typed(asked, (str(one.name) for one in measuring))
    elif job.stored:
        _check_table(name, job, data)
    policy = policy_options.policy_of(asked)
    if job.wants_policy:
        policy_options.wanted(policy)
    settings = replace(asked.settings(), policy=policy)
    if not stored:
        _check_specs(settings, job)
    return Errand(name, job, data, asked, settings, _plan(name, job, data, asked, stored), stored)


def _check_table(name: str, job: Job, data: str) -> None:
    """Where a report could stand, too, a folder of reports is no table."""
    inside = stored_reports.reports_in(data)
    hint = f"labeldp-audit {name} {' or '.join(inside)}" if inside else ""
    if not job.function:
        raise SpecError("not a stored report", data, hint=hint or "a .json file that another command left")
    if inside:
        raise DataError("a folder of reports, and no table", data, hint=hint)


def _check_specs(settings: Settings, job: Job) -> None:
    from ..estimators import named
    from ..questions import releases

    named(settings.estimator)
    if not job.open_mechanisms:
        releases.wanted(settings, judging.MOST_CLASSES)


def _plan(name: str, job: Job, data: str, asked: Configuration, stored: bool) -> output.Plan:
    """Where the report goes; a stored one is there already and gets a folder only if one is asked for."""
    nowhere = asked["no_output"] or (stored and asked.origins["output"] == configuration.DEFAULT)
    # Nobody knows where the table of a stored report is, or what comes through a pipe.
    unknown = stored or data == "-"
    location = None if unknown else repository.place(data, os.environ.get("GITHUB_WORKSPACE"))
    plan = output.plan(asked["format"], None if nowhere else asked["output"], job.pages, location)
    names = output.names_of(plan, name, job.rows) if job.function else {}  # a shown report keeps its own
    output.check(plan, names, _sources(data, asked))
    return plan


def _sources(data: str, asked: Configuration) -> dict[str, str]:
    """What a command reads, by what it is."""
    named = {
        "the table or among its parts": data, "the estimates of --eta-file": asked.values.get("eta_file"),
        "the configuration": asked.file, "the policy": asked.values.get("policy"),
    }  # fmt: skip
    return {what: str(file) for what, file in named.items() if file}


# ---- reports


def _stored(errand: Errand) -> tuple[Report, None, output.Info]:
    """A report is shown as what it is; a checked one says so, and has to be about what the configuration plans."""
    report, info = stored_reports.read_report(errand.data)
    if errand.job.function:
        stored_reports.check_planned(report, errand.asked, errand.data)
        parameters = {MEASURED_BY: report.command, **report.parameters}
        report = replace(report, command=errand.name, parameters=parameters)
    sources = _sources(errand.data, errand.asked)
    output.check(errand.plan, output.names_of(errand.plan, report.command), sources)
    return report, None, info


def _computed(errand: Errand, quiet: bool) -> tuple[Report, output.Rows | None]:
    """The report, and the rows of a command that writes some."""
    module, _, function = errand.job.function.partition(".")
    answer = getattr(import_module(f"..audits.{module}", __package__), function)
    with watch.watched(quiet) as progress:
        result = answer(errand.data, errand.settings, progress)
    return result if isinstance(result, tuple) else (result, None)
