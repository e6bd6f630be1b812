"""The commands: what each may be given, what help says of it, and what it does beside reading its options."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer
import typer.core

from ..core import registry
from ..core.errors import SpecError
from ..core.settings import (
    AttackOptions,
    AuditOptions,
    EtaOptions,
    GainOptions,
    GraphOptions,
    ReleaseOptions,
    TailOptions,
    TuneOptions,
    VerifyOptions,
    WorstCaseOptions,
)  # fmt: skip
from . import options as opt
from . import terminal

SUMMARY = (
    "Measure how much a release of protected labels still tells about each person.\n\n"
    "A table goes in (.parquet, .csv, .csv.gz, .tsv, .arrow, .svm, a folder, or - for CSV on standard input); "
    "a report comes out on standard output.\n\n"
    "Start with: labeldp-audit estimate-j DATA\n\n"
    "Options of a command may also stand in labeldp-audit.toml or pyproject.toml, or in variables such as "
    "LABELDP_AUDIT_LABEL; what is typed wins."
)


Run = Callable[[typer.Context], int]


class _Group(typer.core.TyperGroup):
    """Help names the kinds of files that packages of other people read."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        kinds = "".join(f", .{ending}" for ending in registry.others("sources"))
        self.help = SUMMARY.replace(", a folder", f"{kinds}, a folder")
        _leave_types_of_flags_out(self, ctx)
        with terminal.delivering():
            super().format_help(ctx, formatter)


class _Command(typer.core.TyperCommand):
    """Help ends with what there is to choose from, which is looked up then and not whenever the tool starts."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        if any(one.name == "mechanism" for one in self.params):
            self.epilog = opt.choices()
        _leave_types_of_flags_out(self, ctx)
        with terminal.delivering():
            super().format_help(ctx, formatter)


def _leave_types_of_flags_out(command: Any, context: Any) -> None:
    """Some versions of typer show --quiet as if it took a value."""
    for option in command.get_params(context):
        if getattr(option, "is_flag", False):
            option.metavar = ""


application = typer.Typer(
    cls=_Group,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def command(summary: str, names: Collection[str], *declared: Parameter) -> Callable[[Run], Run]:
    """Declare a command that takes the options of these names; declared: arguments beside DATA, and options that are
    others for this command."""

    def declare(run: Run) -> Run:
        @functools.wraps(run)
        def typed(context: typer.Context, **_: object) -> int:
            return run(context)  # which has the values

        context = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
        signature = Signature([context, *opt.parameters(names, *declared)])
        typed.__signature__ = signature  # type: ignore[attr-defined]
        application.command(cls=_Command, short_help=summary)(typed)
        return run

    return declare


def perform(context: typer.Context, **how: bool) -> int:
    from . import run_command  # which loads what help does not need

    return run_command.perform(context, run_command.Job(**how))


@application.callback(invoke_without_command=True, epilog=terminal.STATUSES)
def program(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and end.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="With --version: also what it is built on.")] = False,
) -> None:
    if version:
        from . import versions

        terminal.show(versions.told(verbose))
        raise typer.Exit
    if verbose:
        raise SpecError("--verbose goes with --version")
    if context.invoked_subcommand is None:
        raise SpecError("missing command", hint="`labeldp-audit --help` lists the commands")


# ---- in the order in which help lists them


@command("What the features alone tell about the label.", opt.as_in_python(EtaOptions))
def estimate_eta(context: typer.Context) -> int:
    """Estimate for each row how likely each label is, given the features alone: what anybody can know before a
    release. Also writes DIR/eta.parquet, one line a row, which only you can read.

    \b
    Examples:
      labeldp-audit estimate-eta clinic.parquet
          report, and one estimate a row in labeldp-report/eta.parquet
      labeldp-audit estimate-eta clinic.parquet --no-output -f json
          the report alone, for a program
    """
    return perform(context, rows=True)


@command(
    "The nearest neighbours of each row, for other commands.",
    opt.as_in_python(GraphOptions, opt.OF_EVERY_RUN | {"to", "force"}),
    opt.GRAPH_FILE, opt.NEIGHBORS, opt.EXPLAINED_AS,
)  # fmt: skip
def graph(context: typer.Context) -> int:
    """Build a k-NN graph with FAISS: for each row its k nearest other rows and their distances, in a Parquet file.
    --graph FILE of nu-max and other commands then counts labels among these neighbours.

    \b
    Examples:
      labeldp-audit graph clinic.parquet --to graph.parquet --k 100
          all rows are compared
      labeldp-audit graph clinic.parquet --to graph.parquet --k 100 --index ivf --recall .95
          faster for many rows
    """
    from . import graph_command

    return graph_command.perform(context)


@command("The largest loss, over all neighbourhoods.", opt.as_in_python(WorstCaseOptions))
def nu_max(context: typer.Context) -> int:
    """Estimate the worst case: the largest change in log odds that a release can cause, whichever way the noise
    falls. The limits are about averages over neighbourhoods: a person who stands out in one may lose more.

    \b
    Examples:
      labeldp-audit nu-max clicks.csv --label clicked  # name the label
      labeldp-audit nu-max clicks.csv -f markdown=worst.md -f text
          two forms at once
    """
    return perform(context)


@command("The share of people whose loss is above tau.", opt.as_in_python(TailOptions))
def estimate_j(context: typer.Context) -> int:
    """Estimate J(tau): the share of people about whose label a release tells more than tau nats, for every tau and
    mechanism asked for, with an interval that covers all of them at once.

    \b
    Examples:
      labeldp-audit estimate-j clinic.parquet  # no option is needed
      labeldp-audit estimate-j clinic.parquet --mechanism 'rr:pi=0.1|0.2'
          two releases
      labeldp-audit estimate-j clinic.parquet --tau 0.5,1,2 -o audit
          three losses, another folder
      labeldp-audit estimate-j - --delimiter ';' < clicks.csv
          a table on standard input
    """
    return perform(context)


@command(
    "How much better an attacker guesses once the release is out.",
    opt.as_in_python(GainOptions),
    opt.COMPARED_MECHANISM,
)
def advantage(context: typer.Context) -> int:
    """Compare noise with aggregation: how many more labels the best attacker guesses right with the release than
    from the features alone, under each mechanism, beside the bounds that papers give, and which strength of one
    mechanism protects like which of another.

    \b
    Examples:
      labeldp-audit advantage clinic.parquet  # three kinds of release
      labeldp-audit advantage clinic.parquet --mechanism 'rr:epsilon=0.5|1' --mechanism 'llp:k=8|64'
          noise or aggregation?
      labeldp-audit advantage clinic.parquet --eta-file labeldp-report/eta.parquet
          after estimate-eta, without another search
      labeldp-audit advantage clicks.csv --label clicked --utility balanced
          rare labels count as much
    """
    return perform(context)


@command("Every question at once, at one joint confidence.", opt.as_in_python(AuditOptions))
def audit(context: typer.Context) -> int:
    """Ask every question that the table allows, at one joint confidence: losses, the worst case, and what an
    attacker gains, beside other mechanisms on a fixed scale. Leaves the report in all formats in DIR, among them a
    page for people, and judges a policy if there is one.

    \b
    Examples:
      labeldp-audit audit clinic.parquet
          labeldp-report/audit.html is the page
      labeldp-audit audit clinic.parquet --mechanism rr:epsilon=2 --explain
          and which columns give it away
      labeldp-audit audit clinic.parquet --fail-if 'advantage.high > 0.05'
          with a verdict
    """
    return perform(context, every_format=True)


@command(
    "Does a policy hold? Ends with 1 if not.",
    opt.as_in_python(AuditOptions) - {"explain"} | {"baseline"},
    opt.REPORT_OR_DATA,
)
def check(context: typer.Context) -> int:
    """Judge a stored report by a policy, without the data; or audit a table first, no more than the policy asks
    about. A line that says what blocks a release passes, fails, is inconclusive (the estimate passes, its
    limit does not: exit status 4), is unproven (a lower limit passes for want of rows, the estimate does not:
    4 too), is vacuous (even labels without noise would pass: 4 too), or was not measured, which fails.

    \b
    Examples:
      labeldp-audit check labeldp-report/audit.json --fail-if 'advantage.high > 0.05'
          a stored report
      labeldp-audit check clinic.parquet --mechanism rr:epsilon=2 --fail-if 'advantage.high > 0.1'
          a table
      labeldp-audit check audit.json -f github -f sarif=audit.sarif
          in CI, policy from labeldp-audit.toml
      labeldp-audit check audit.json --baseline last-release.json
          only what got worse
    """
    return perform(context, reports=True, needs_policy=True)


@command("The least noise that meets a policy.", opt.as_in_python(TuneOptions), opt.TUNED_MECHANISM)
def tune(context: typer.Context) -> int:
    """Choose the largest epsilon, or the smallest k, with which a policy holds, to 1 % of epsilon, and show what
    each strength of the noise costs. Says when no noise is enough, as the features give too much away, and which
    line of the policy decides. `check` says the same of the strength that is chosen.

    \b
    Examples:
      labeldp-audit tune clinic.parquet --fail-if 'advantage.high > 0.05'
          randomized response
      labeldp-audit tune clinic.parquet --mechanism llp --fail-if 'advantage.high > 0.05'
          how large a bag?
      labeldp-audit tune clinic.parquet --mechanism laplace-llp:k=8 --policy strict.toml
          epsilon at k = 8
    """
    return perform(context, needs_policy=True)


@command(
    "The same table with protected labels, and its manifest.",
    opt.as_in_python(ReleaseOptions, opt.OF_EVERY_RUN | {"mechanism", "seed", "insecure_for_testing"}),
    opt.RELEASE_MECHANISM, opt.EXPLAINED_AS,
)  # fmt: skip
def release(context: typer.Context) -> int:
    """Write the audited columns with protected labels in the place of the true ones: values alone, in random order.
    Columns of --exclude and --group are left out. FILE.manifest.json says what a reader has to know: the mechanism, the
    epsilon it satisfies and for whom, and how to learn from such labels. Noise comes from the operating system.

    \b
    Examples:
      labeldp-audit release clinic.parquet --to protected.parquet --mechanism rr:epsilon=1
          randomized response
      labeldp-audit release clicks.csv --to bags.csv --mechanism llp:k=64 --label clicked
          a bag for each row, and bags.bags.csv with the counts
      labeldp-audit release clinic.parquet --to alike.parquet --mechanism cluster-rr:epsilon=0.5,clusters=50
          labels drawn from clusters of rows with like features
    """
    from . import release_command

    return release_command.perform(context)


@command(
    "Is a release what its manifest claims? Ends with 1 if not.",
    opt.as_in_python(VerifyOptions),
    opt.RELEASE_FILE,
    opt.CLAIMED_MECHANISM,
)
def verify(context: typer.Context) -> int:
    """Hold a release against its manifest and the original table: is every other cell the same, do labels change as
    often as they should, in every class, at every place of the file and beside every level of every feature, and do
    counts of bags have the noise that they should? All checks hold at one joint confidence.

    \b
    Examples:
      labeldp-audit verify protected.parquet --original clinic.parquet
          after labeldp-audit release
      labeldp-audit verify protected.parquet
          what file and manifest alone show
      labeldp-audit verify theirs.csv --original clinic.csv --mechanism rr:epsilon=1
          a release of another tool
    """
    return perform(context, verifies=True)


@command(
    "What attackers get out of a release: they are played.",
    opt.as_in_python(AttackOptions) - {"exit_zero"} | {"per_row"},
    opt.DATA, opt.PROTECTED_TABLE, opt.PLAYED_MECHANISM,
)  # fmt: skip
def attack(context: typer.Context) -> int:
    """Play attackers against a release and judge them by the true labels: the best one, who weighs features and
    release, ones who train a model on what was published, and one who knows all other labels. Says how many more
    labels each guesses than from the features alone, whose labels are recovered, and whether that is what
    `advantage` predicts.

    \b
    Examples:
      labeldp-audit attack clinic.parquet protected.parquet
          all attackers who can be played
      labeldp-audit attack clinic.parquet protected.parquet --attacker optimal --per-row guesses.parquet
          the best one alone, and what he made of each record
      labeldp-audit attack clicks.csv bags.csv --guess score --utility balanced
          and guesses of your own; rare labels count as much
    """
    return perform(context)


@command(
    "A stored report in another format.", opt.OF_EVERY_REPORT | {"export", "force"},
    opt.STORED_REPORT, opt.OVERWRITE,
)  # fmt: skip
def report(context: typer.Context) -> int:
    """Show a stored report, as text or in any other format; nothing is measured. With --export it becomes a statement
    to sign.

    \b
    Examples:
      labeldp-audit report labeldp-report/audit.json -f html=audit.html
          a page
      labeldp-audit report labeldp-report/audit.json  # as text
      labeldp-audit report labeldp-report/verify.json --export in-toto=verify.intoto.json
          a verdict to sign
    """
    if context.params["export"]:
        from . import export_command

        return export_command.perform(context)
    return perform(context, tables=False, reports=True)


@command(
    "What changed between two stored reports.", opt.OF_EVERY_REPORT - {"exit_zero"}, opt.OLDER_REPORT, opt.NEWER_REPORT
)
def diff(context: typer.Context) -> int:
    """Show which numbers changed between two reports beyond their limits: where limits meet, nothing is shown. Both
    have to be about the same label, classes and mechanisms. `check --baseline` turns it into a gate.

    \b
    Examples:
      labeldp-audit diff january.json february.json
          what got worse or better
      labeldp-audit diff january.json february.json -f json
          for a program
    """
    return perform(context, tables=False, reports=True, compares=True)


@command("What a number of a report means.", {"format", "debug"}, opt.QUANTITY, opt.EXPLAINED_AS)
def explain(context: typer.Context) -> int:
    """Say what a quantity or a term means, its formula, how to read it and where it comes from. Without a name,
    list all there are.

    \b
    Examples:
      labeldp-audit explain  # all names, one line each
      labeldp-audit explain nu_max  # one of them
      labeldp-audit explain j -f json  # for a program
    """
    from . import explain as glossary

    terminal.show(glossary.run(context.params["quantity"], context.params["format"], terminal.screen()[0]))
    return terminal.FINE
