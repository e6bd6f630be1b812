"""From what was typed to a report: what can be refused is refused before the data are read."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..audits import judging
from ..core.errors import DataError, SpecError
from ..core.policy import UNDECIDED, Outcome
from ..core.report import MEASURED_BY, Report
from ..engines import machine
from ..reports import sentences
from . import configuration, output, stored_reports, terminal, versions
from .configuration import Configuration
from .options import QUESTION, SEARCH, TABLE

if TYPE_CHECKING:
    import typer

    from ..core.settings import Settings
    from ..estimators.supplied import Rows

MEASURING = (TABLE, SEARCH, QUESTION)  # panels of options that say how a report is made
STATUSES = {Outcome.PASS: terminal.FINE, **dict.fromkeys(UNDECIDED, terminal.INCONCLUSIVE)}


@dataclass(frozen=True)
class Job:
    """What a command does beside reading its options."""

    tables: bool = True  # takes tables
    reports: bool = False  # takes stored reports
    needs_policy: bool = False
    compares: bool = False  # two reports
    rows: bool = False  # writes a line for each row, too
    verifies: bool = False  # has a verdict of its own
    every_format: bool = False  # of the report into its folder


@dataclass(frozen=True)
class Errand:
    """A command that has been checked."""

    name: str
    job: Job
    data: str
    asked: Configuration
    settings: Settings
    plan: output.Plan
    sources: Mapping[str, str]  # what it reads, by what it is
    stored: bool  # is it a report that is there already?
    places: Mapping[Path, Path]  # where what it writes leads


def perform(context: typer.Context, job: Job) -> int:
    """The exit status of a command."""
    asked, data, started = configuration.of(context), context.params["data"], time.time()
    quiet = bool(asked["quiet"])
    terminal.warn(asked.notes, quiet)
    if asked["show_config"]:
        terminal.show(configuration.shown(asked, context.command) + configuration.shown_policy(asked))
        return terminal.FINE
    if job.compares and not (data and context.params["older"]):
        raise SpecError("two stored reports are needed", hint=f"`{context.command_path} --help` shows examples")
    if not data:  # Path('') would be the working folder
        raise SpecError("missing argument DATA", hint=f"`{context.command_path} --help` shows examples")
    errand = _checked(context, job, data, asked)
    plan = errand.plan
    terminal.warn(filter(None, [configuration.unread(asked)]), quiet)
    _hush_libraries()
    older = _older(context, asked)
    before = None if older is None else stored_reports.read_report(older)[0]
    made, rows, info = _stored(errand) if errand.stored else (*_computed(errand, before, quiet), None)
    if job.compares and before is not None:
        report = judging.compared(before, made)
    else:
        report = judging.judged(made, errand.settings.policy, before)
    said = made.remarks if errand.stored else ()  # when that report was made
    # A terminal that shows a report for people has the warnings, and where the page is, in that report.
    silent = quiet or (output.shows_text(plan) and sys.stdout is not None and sys.stdout.isatty())
    terminal.warn(sentences.warnings(report, said), silent)
    info = versions.of_run(data, sys.argv[1:], started) if asked["with_run_info"] else info
    text = output.to_screen(plan, report, *terminal.screen(), info, bool(asked["verbose"]))
    per_row = output.per_row(asked.values, rows)
    written = output.to_files(plan, report, rows if job.rows else None, info, per_row, errand.places)
    terminal.show(text)
    terminal.warn(output.to_summary(plan, report, os.environ.get("GITHUB_STEP_SUMMARY")), quiet=False)
    if written and not silent:
        terminal.say(f"wrote {', '.join(map(str, written))}")
    has_verdict = errand.job.verifies or "fail_if" in asked.values
    if report.judgement is None or not has_verdict or asked["exit_zero"]:
        return terminal.FINE
    return STATUSES.get(report.judgement.outcome, terminal.VIOLATED)


def _older(context: typer.Context, asked: Configuration) -> str | None:
    """The report to compare with."""
    return asked.values.get("baseline") or context.params.get("older")


def _hush_libraries() -> None:
    """Their warnings are for us, not for users; `python -W` brings them back."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")


# ---- checks


def _checked(context: typer.Context, job: Job, data: str, asked: Configuration) -> Errand:
    name = str(context.info_name)
    stored = job.reports and stored_reports.is_report(data)
    if stored:
        measuring = [one for one in context.command.params if getattr(one, "rich_help_panel", "") in MEASURING]
        stored_reports.check_typed(asked, (str(one.name) for one in measuring))
    elif job.reports:
        _check_table(name, job, data)
    policy = configuration.policy_of(asked)
    if job.needs_policy and not asked.values.get("baseline"):
        judging.wanted(policy, configuration.POLICY_EXAMPLE)
    settings = replace(asked.settings(), policy=policy)
    released = context.params.get("release")
    if "release" in context.params:
        if not released:
            raise SpecError("missing argument RELEASE", hint=f"`{context.command_path} --help` shows examples")
        settings = replace(settings, release=str(released))
    if not stored:
        machine.check_addresses()
        from ..audits import calls

        calls.check_names(name, settings)
    sources = {
        "the table or among its parts": data, "the estimates of --eta-file": asked.values.get("eta_file"),
        "the older report": _older(context, asked), "the original": asked.values.get("original"),
        "the configuration": asked.file, "the policy": asked.values.get("policy"),
        "the release": released, **_beside(released or (data if name == "verify" else None)),
    }  # fmt: skip
    read = {what: str(file) for what, file in sources.items() if file}
    # A stored report is there already, and gets a folder only if one is asked for; where its table is, is not known.
    nowhere = asked["no_output"] or (stored and asked.origins["output"] == configuration.DEFAULT)
    location = None if stored or data == "-" else output.location(data, os.environ.get("GITHUB_WORKSPACE"))
    plan = output.plan(asked["format"], None if nowhere else asked["output"], job.every_format, location)
    names = output.names_of(plan, name, job.rows) if job.tables else {}
    places = output.check(plan, names, read, asked.values.get("per_row"))
    return Errand(name, job, data, asked, settings, plan, read, stored, places)


def _beside(release: str | None) -> Mapping[str, str]:
    if not release or release == "-":
        return {}
    from ..audits.release import beside

    return dict(zip(("its manifest", "its table of bags"), map(str, beside(Path(release))), strict=True))


def _check_table(name: str, job: Job, data: str) -> None:
    """Where a report could stand, too, a folder of reports is no table."""
    inside = stored_reports.reports_in(data)
    hint = f"labeldp-audit {name} {' or '.join(inside)}" if inside else ""
    if not job.tables:
        raise SpecError("not a stored report", data, hint=hint or "a .json file that another command left")
    if inside:
        raise DataError("a folder of reports, and no table", data, hint=hint)


# ---- reports


def _stored(errand: Errand) -> tuple[Report, None, output.Info]:
    """A report is shown as what it is; a checked one says so, and has to be about what the configuration plans."""
    report, info = stored_reports.read_report(errand.data)
    if errand.job.tables:
        stored_reports.check_planned(report, errand.asked, errand.data)
        parameters = {MEASURED_BY: report.command, **report.parameters}
        report = replace(report, command=errand.name, parameters=parameters)
    command = errand.name if errand.job.compares else report.command
    output.check(errand.plan, output.names_of(errand.plan, command), errand.sources)
    return report, None, info


def _computed(errand: Errand, before: Report | None, quiet: bool) -> tuple[Report, Rows | None]:
    """before: the baseline, which says what is positive and what is measured where nothing else does."""
    from ..audits import calls

    settings = errand.settings
    if before is not None and settings.label in (None, before.dataset.label):
        settings = replace(settings, positive=settings.positive or before.dataset.positive)
    with terminal.watched(quiet) as progress:
        if before is not None and settings.policy is None:
            if errand.asked.origins["mechanism"] == configuration.DEFAULT and "mechanism" in before.parameters:
                settings = replace(settings, mechanism=tuple(before.parameters["mechanism"]))  # type: ignore[arg-type]
            return calls.found_like(before, errand.data, settings, progress), None
        return calls.found(errand.name, errand.data, settings, progress)
