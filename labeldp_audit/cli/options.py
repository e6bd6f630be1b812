"""Every option and argument, declared once, in the order in which help lists them.

The name of an option is the flag, the variable, the key in a configuration file and the field of Settings, which
says what kind of values it takes and what the default is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from inspect import Parameter
from typing import Any

import typer

from ..core.errors import SpecError
from ..core.settings import COMPARED_MECHANISMS, OPEN_MECHANISM, RENAMED, Settings
from ..core.values import Flag, Kind, OneOf, Text
from .configuration import KINDS, read_layers

TABLE, SEARCH, QUESTION, POLICY = "Table", "Neighbourhoods", "Question", "Policy"
OUTPUT, RUN = "Output", "Configuration"


# ---- what there is to choose from, looked up where help or completion shows it


def mechanisms() -> Iterator[tuple[str, str]]:
    from ..mechanisms import MECHANISMS

    for one in MECHANISMS:
        yield one.example, one.summary
        yield from ((f"{one.name}:{field}=", one.summary) for field in one.spellings)


def formats() -> tuple[str, ...]:
    from ..reports import formats

    return formats.names()


def exports() -> tuple[str, ...]:
    from ..reports.exports import EXPORTS

    return EXPORTS.names()


def estimators() -> tuple[str, ...]:
    from ..estimators import ESTIMATORS

    return ESTIMATORS.names()


def attackers() -> Iterator[tuple[str, str]]:
    from ..attacks import ATTACKS

    return ((one.name, one.summary) for one in ATTACKS)


def quantities() -> Iterator[tuple[str, str]]:
    from .explain import known

    return ((one.name, one.meaning) for one in known().values())


def choices() -> str:
    """The end of a command's help."""
    from ..mechanisms import MECHANISMS

    specs = "; ".join(f"{one.example} ({one.summary})" for one in MECHANISMS)
    return f"Mechanisms: {specs}.\n\nEstimators: {', '.join(estimators())}.\n\nFormats: {', '.join(formats())}."


# ---- arguments

_READ = "a file, a folder or quoted pattern of Parquet files, or - for CSV on standard input."


def _parameter(name: str, kind: Any, declared: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind, default=declared)


def _argument(name: str, metavar: str, help: str, **more: Any) -> Parameter:
    more |= {"metavar": metavar, "help": help, "show_default": False, "default_factory": lambda: None}
    return _parameter(name, str | None, typer.Argument(..., **more))


DATA = _argument("data", "DATA", f"Table to audit: {_READ}")
REPORT_OR_DATA = _argument("data", "DATA", f"Stored report (.json) that another command left, or a table: {_READ}")
RELEASE_FILE = _argument("data", "RELEASE", "File that `release` wrote, or that another tool did (--mechanism).")
OLDER_REPORT = _argument("older", "OLD", "Stored report (.json) of before.")
NEWER_REPORT = _argument("data", "NEW", "Stored report (.json) to compare with it.")
STORED_REPORT = _argument("data", "REPORT", "Stored report (.json) that another command left.")
PROTECTED_TABLE = _argument("release", "RELEASE", "Protected table that `release` made of it.")
QUANTITY = _argument(
    "quantity", "[QUANTITY]", "Name of a quantity, as in reports and policies, or of a term.", autocompletion=quantities
)

# ---- options


def _option(
    name: str, kind: Kind, panel: str, help: str, *flags: str, default: Any = None, shown: str = "", **more: Any
) -> Parameter:
    """shown: the default in words, where it does not speak for itself."""
    flag, several = isinstance(kind, Flag), isinstance(default, tuple)
    if not flag:
        more |= {"parser": _parser(kind), "metavar": kind.metavar}
        shown = shown or ("; ".join(default) if several else str(default))
    if isinstance(kind, OneOf):
        more["autocompletion"] = lambda: kind.known
    flags = flags or ((f"--{name.replace('_', '-')}",) if flag else ())
    more |= {"default_factory": lambda: default, "help": help, "show_default": shown or False}
    taken: Any = bool if flag else list[str] if several else str | None
    return _parameter(name, taken, typer.Option(..., *flags, rich_help_panel=panel, **more))


def _parser(kind: Kind) -> Callable[[Any], object]:
    def read(value: Any) -> object:
        try:
            return kind.parse(value) if isinstance(value, str) else kind.take(value)
        except SpecError as error:
            raise typer.BadParameter(error.what) from None

    return read


def _setting(name: str, panel: str, help: str, *flags: str, **more: Any) -> Parameter:
    return _option(name, KINDS[name], panel, help, *flags, **{"default": getattr(Settings, name), **more})


def _flag(name: str, panel: str, help: str, *flags: str, **more: Any) -> Parameter:
    return _option(name, Flag(), panel, help, *flags, default=False, **more)


def _mechanism(**more: Any) -> Parameter:
    what = "Release to judge, as name:field=value; | between values makes a family. Repeatable."
    return _setting("mechanism", QUESTION, **{"help": what, **more}, autocompletion=mechanisms)


# fmt: off
OPTIONS: Mapping[str, Parameter] = {one.name: one for one in (
    _setting("label", TABLE, "Column whose values are to be protected.",
        shown="the one column called label, y, target, class, click or clicked"),
    _setting("positive", TABLE, "Value of the label that counts as positive.",
        shown="the larger of two numbers; true, yes or 1; otherwise the rarer class where both are treated alike"),
    _setting("original", TABLE, "Table with the true labels that the release was made of: without it only file and "
        "manifest are held against each other.", shown="none"),
    _setting("exclude", TABLE, "Column that is not a feature. Repeatable.", shown="none"),
    _setting("categorical", TABLE, "Column of numbers that are only names. Repeatable.",
        shown="by the type in the file"),
    _setting("drop_null_labels", TABLE, "Leave out rows without a label instead of refusing the table."),
    _setting("delimiter", TABLE, "Between the cells of a CSV file, e.g. ';' or tab.", shown="a comma; a tab in .tsv"),
    _setting("decimal", TABLE, "Before the fraction of numbers in a CSV file."),
    _setting("no_header", TABLE, "Read the first row of a CSV file as data, and name its columns c1, c2, ..."),
    _setting("few_rows", TABLE, "Audit fewer than 200 rows, too, which hardly show anything."),
    _setting("released_table", TABLE, "Audit a table that is a release, whose labels are protected already."),
    _setting("group", TABLE, "Column that names whose row it is, where people have several: no feature, and no row is "
        "scored by a model that learnt from others of the same person.", shown="every row is somebody else's"),
    _setting("repeats", TABLE, "What rows are that are equal in every column, the label and excluded ones too: "
        "different people who look alike, or the same record twice, of which one row is kept.",
        shown="people, where coincidence explains them; otherwise no limit is given"),
    _setting("estimator", SEARCH, "How P(label | features) is estimated.", autocompletion=estimators, shown="auto: "
        "several are fitted, and labels they have not seen choose. sklearn:package.Class,parameter=value: any "
        "classifier of scikit-learn"),
    _setting("eta", SEARCH, "Column with the probability of the positive class by a model of your own, which has not "
        "seen these labels: used instead of an estimate. For more classes one column each, in their order. Repeatable.",
        shown="estimate it"),
    _setting("eta_file", SEARCH, "What estimate-eta wrote for this very table: nothing is searched.", shown="search"),
    _setting("graph", SEARCH, "k-NN graph of this table, by `graph` or another tool, whose neighbours are counted.",
        shown="none"),
    _setting("index", SEARCH, "Index of FAISS. exact compares all rows; ivf and hnsw find a share of the neighbours."),
    _setting("k", SEARCH, "Neighbours, or rows with like scores, that each interval rests on.",
        shown="about the square root of the rows; with knn the one of several that guesses labels best"),
    _setting("queries", SEARCH, "Rows that are asked, sampled uniformly; every row stays a possible neighbour.",
        shown="all rows up to 200 000, a sample of 200 000 above"),
    _setting("recall", SEARCH, "Share of the true nearest neighbours that must be found where the table is too large "
        "for all; 1 is exact."),
    _mechanism(),
    _setting("tau", QUESTION, "Losses in nats at which to ask: 1,2,6 or START:STOP:STEP.",
        shown="0 to where the curve ends, by 0.1"),
    _setting("utility", QUESTION, "What a right guess is worth: 1, or 1 / (C p) for a class of share p, so that rare "
        "classes count as much as common ones."),
    _setting("bags", QUESTION, "Bags to draw where their average has no closed form.",
        shown="until the standard error is below 2 % of the advantage, or 1e-5"),
    _setting("smoothness", QUESTION, "Assume that |eta(x) - eta(z)| is at most C P(nearer than z)^BETA. Adds C "
        "(2k/n)^BETA to each interval, which then speaks of people, not of neighbourhood averages.",
        shown="no assumption"),
    _setting("alpha", QUESTION, "Orders of the Renyi divergences that are certified, 1 to inf."),
    _setting("certify", QUESTION, "Also say what holds whatever the population is.", "--certify/--no-certify",
        shown="say it"),
    _setting("explain", QUESTION, "Also what each column contributes: models are fitted again without it, once for "
        "each column."),
    _setting("attacker", QUESTION, "Who is played, beside the one who ignores the release. Repeatable.",
        shown="all who can be", autocompletion=attackers),
    _setting("guess", QUESTION, "Column that holds guesses of your own, made without these labels.", shown="none"),
    _setting("confidence", QUESTION, "Confidence of all intervals of a report jointly."),
    _setting("seed", QUESTION, "Where sampling starts: same seed, same numbers."),
    _option("fail_if", Text("LINE"), POLICY, "What blocks a release, such as 'advantage.high > 0.05' or 'j(tau=6).low "
        "> 0.05'. Repeatable; stands in for the lines of the configuration.", default=(),
        shown="the policy of the configuration"),
    _option("policy", Text("FILE"), POLICY, "TOML file with fail_if = [...] and waivers, used beside --fail-if.",
        shown="the policy of the configuration"),
    _option("baseline", Text("OLD.json"), POLICY, "Stored report of the same table before: lines that it broke as "
        "well count only where the number got worse beyond the limits of both. Without a policy nothing may get worse.",
        shown="none"),
    _setting("cluster", QUESTION, "Column that says which records are alike, for mechanisms that look at clusters.",
        shown="k-means on the features"),
    _setting("prior", QUESTION, "Column with how likely the positive class is by what is public, such as a model that "
        "was fitted to other people, for mechanisms that look at a prior. For more classes one column each, in their "
        "order. It must not depend on these labels. Repeatable.", shown="none"),
    _setting("prior_from", QUESTION, "Table of other people with the same columns: a model of their labels makes the "
        "prior. Their labels are not protected. Rows that are in both tables are left out of it.", shown="none"),
    _option("to", Text("FILE"), OUTPUT, "File that gets the protected table (.parquet, .arrow, .csv, .tsv, "
        ".svm); its manifest and a table of bags stand beside it."),
    _setting("keep", OUTPUT, "Excluded column to publish without an audit. Repeatable.", shown="none"),
    _setting("keep_group", OUTPUT, "Publish random pseudonyms of the people of --group: a person spends epsilon for "
        "each row."),
    _flag("keep_order", OUTPUT, "Keep the order of the rows instead of shuffling them."),
    _setting("order", OUTPUT, "Key to the order of the rows, which only its owner may read: `release` writes it, "
        "`verify` and `attack` read it.", shown="none; rows are matched by their features"),
    _flag("force", OUTPUT, "Overwrite files, and release what is a release already."),
    _option("format", Text("FORMAT[=FILE]"), OUTPUT, "Form of the report, on standard output or in a file. Repeatable.",
        "--format", "-f", default=("text",), autocompletion=formats),
    _option("export", Text("EXPORT[=FILE]"), OUTPUT, "in-toto: the verdict as a statement to sign. Repeatable; shows "
        "no report.", default=(), shown="none", autocompletion=exports),
    _option("output", Text("DIR"), OUTPUT, "Folder that gets the report as .json, .md, .html and pictures; of audit in "
        "all formats.", "--output", "-o", default="labeldp-report"),
    _flag("no_output", OUTPUT, "Write no folder."),
    _option("per_row", Text("FILE"), OUTPUT, "Parquet file that gets a line for each record, with guesses and "
        "posteriors. Only you can read it.", shown="none"),
    _flag("with_run_info", OUTPUT, "Add when, where, by whom and with which versions it ran; left out otherwise, so "
        "that reports can be compared."),
    _flag("verbose", OUTPUT, "Show all of the report, not one screen of it.", "--verbose", "-v"),
    _flag("quiet", OUTPUT, "Say nothing on standard error but errors.", "--quiet", "-q"),
    _flag("insecure_for_testing", RUN, "Draw from --seed instead of the operating system: the same release each time, "
        "which protects nothing. The manifest says so."),
    _setting("threads", RUN, "Cores to use; changes the time and no number.", shown="all"),
    _flag("exit_zero", RUN, "End with 0 where a policy is violated or undecided."),
    _flag("debug", RUN, "Show where an error comes from."),
    _option("config", Text("FILE"), RUN, "Configuration to read.", envvar="LABELDP_AUDIT_CONFIG", show_envvar=False,
        is_eager=True, callback=read_layers, shown="labeldp-audit.toml or pyproject.toml, upwards from here"),
    _flag("no_config", RUN, "Read no configuration file.", envvar="LABELDP_AUDIT_NO_CONFIG", show_envvar=False,
        is_eager=True, callback=read_layers),
    _flag("show_config", RUN, "Print what is set and where it was set, and end."),
)}
COMPARED_MECHANISM = _mechanism(default=COMPARED_MECHANISMS)
TUNED_MECHANISM = _mechanism(
    help="Mechanism whose noise is chosen, with one parameter left open: rr, llp, laplace-llp:k=8 (over epsilon), "
    "laplace-llp:epsilon=1 (over k). Repeatable.", default=OPEN_MECHANISM)
RELEASE_MECHANISM = _mechanism(help="How labels are protected, as name:field=value.", default=())
CLAIMED_MECHANISM = _mechanism(
    help="What the release claims to be, as name:field=value, in place of a manifest.", default=(),
    shown="what the manifest says")
PLAYED_MECHANISM = _mechanism(
    help="How labels were protected, where no manifest stands beside the release.", default=(),
    shown="what the manifest says")
GRAPH_FILE = _option("to", Text("FILE"), OUTPUT, "Parquet file that gets the graph. Only you can read it.")
NEIGHBORS = _setting("k", SEARCH, "Neighbours of each row; ties at the same distance are added.", shown="100")
OVERWRITE = _flag("force", OUTPUT, "Let --export overwrite files.")
EXPLAINED_AS = _option(
    "format", OneOf(("text", "json")), OUTPUT, "Form of the answer.", "--format", "-f", default="text")
# fmt: on

# ---- what a command takes

OF_EVERY_RUN = {"format", "quiet", "debug", "config", "no_config", "show_config"}
OF_EVERY_REPORT = OF_EVERY_RUN | {"output", "no_output", "with_run_info", "verbose", "exit_zero"}


def as_in_python(options: type, beside: Collection[str] = OF_EVERY_REPORT) -> set[str]:
    """Names of what the function of that name in Python takes, and of what the command line needs beside."""
    known: Collection[str] = options.__optional_keys__  # type: ignore[attr-defined]
    return {name for name in OPTIONS if RENAMED.get(name, name) in known}.union(beside)


def parameters(names: Collection[str], *declared: Parameter) -> list[Parameter]:
    """DATA or the arguments that are declared, and options in their order, of which some are declared otherwise."""
    others = {one.name: one for one in declared}
    arguments = [one for one in declared if one.name not in OPTIONS] or [DATA]
    return [*arguments, *(others.get(name, one) for name, one in OPTIONS.items() if name in names)]
