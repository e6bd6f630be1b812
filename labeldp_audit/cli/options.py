"""Every option and argument, declared once: commands take them as annotations of their parameters.

The name of the parameter is the flag, the variable, the key in a configuration file and the field of Settings, which
says what kind of values it takes and what the default is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from ..core.errors import SpecError
from ..core.settings import COMPARED_MECHANISMS, OPEN_MECHANISM, Settings
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


def estimators() -> tuple[str, ...]:
    from ..estimators import ESTIMATORS

    return ESTIMATORS.names()


def quantities() -> Iterator[tuple[str, str]]:
    from .explain import known

    return ((one.name, one.meaning) for one in known().values())


def choices() -> str:
    """The end of a command's help."""
    from ..mechanisms import MECHANISMS

    specs = "; ".join(f"{one.example} ({one.summary})" for one in MECHANISMS)
    return f"Mechanisms: {specs}.\n\nEstimators: {', '.join(estimators())}.\n\nFormats: {', '.join(formats())}."


# ---- arguments

Context = typer.Context
_READ = "a file, a folder or quoted pattern of Parquet files, or - for CSV on standard input."


def _argument(metavar: str, help: str, **more: Any) -> Any:
    return typer.Argument(metavar=metavar, help=help, show_default=False, default_factory=lambda: None, **more)


Data = Annotated[str | None, _argument("DATA", f"Table to audit: {_READ}")]
ReportOrData = Annotated[
    str | None, _argument("DATA", f"Stored report (.json) that another command left, or a table: {_READ}")
]
OlderReport = Annotated[str | None, _argument("OLD", "Stored report (.json) of before.")]
NewerReport = Annotated[str | None, _argument("NEW", "Stored report (.json) to compare with it.")]
StoredReport = Annotated[str | None, _argument("REPORT", "Stored report (.json) that another command left.")]
Quantity = Annotated[
    str | None,
    _argument("[QUANTITY]", "Name of a quantity, as in reports and policies, or of a term.", autocompletion=quantities),
]

# ---- options


def _option(kind: Kind, panel: str, help: str, *flags: str, default: Any = None, shown: str = "", **more: Any) -> Any:
    """shown: the default in words, where it does not speak for itself."""
    if not isinstance(kind, Flag):
        more |= {"parser": _parser(kind), "metavar": kind.metavar}
        shown = shown or ("; ".join(default) if isinstance(default, tuple) else str(default))
    if isinstance(kind, OneOf):
        more["autocompletion"] = lambda: kind.known
    more |= {"default_factory": lambda: default, "help": help, "show_default": shown or False}
    return typer.Option(*flags, rich_help_panel=panel, **more)


def _parser(kind: Kind) -> Callable[[Any], object]:
    def read(value: Any) -> object:
        try:
            return kind.parse(value) if isinstance(value, str) else kind.take(value)
        except SpecError as error:
            raise typer.BadParameter(error.what) from None

    return read


def _setting(name: str, panel: str, help: str, *flags: str, **more: Any) -> Any:
    return _option(KINDS[name], panel, help, *flags, **{"default": getattr(Settings, name), **more})


def _flag(panel: str, help: str, *flags: str, **more: Any) -> Any:
    return _option(Flag(), panel, help, *flags, default=False, **more)


# fmt: off
Label = Annotated[str | None, _setting(
    "label", TABLE, "Column whose values are to be protected.", shown="the one column called label, y, target, class, "
    "click or clicked")]
Positive = Annotated[str | None, _setting(
    "positive", TABLE, "Value of the label that counts as positive.",
    shown="the larger of two numbers; true, yes or 1")]
Exclude = Annotated[list[str], _setting("exclude", TABLE, "Column that is not a feature. Repeatable.", shown="none")]
Categorical = Annotated[list[str], _setting(
    "categorical", TABLE, "Column of numbers that are only names. Repeatable.", shown="by the type in the file")]
DropNullLabels = Annotated[bool, _setting(
    "drop_null_labels", TABLE, "Leave out rows without a label instead of refusing the table.", "--drop-null-labels")]
Delimiter = Annotated[str | None, _setting(
    "delimiter", TABLE, "Between the cells of a CSV file, e.g. ';' or tab.", shown="a comma; a tab in .tsv")]
Decimal = Annotated[str, _setting("decimal", TABLE, "Before the fraction of numbers in a CSV file.")]
FewRows = Annotated[bool, _setting(
    "few_rows", TABLE, "Audit fewer than 200 rows, too, which hardly show anything.", "--few-rows")]
Group = Annotated[str | None, _setting(
    "group", TABLE, "Column that names whose row it is, where people have several: no feature, and no row is scored by "
    "a model that learnt from others of the same person.", shown="every row is somebody else's")]
Repeats = Annotated[str | None, _setting(
    "repeats", TABLE, "What rows are that are equal in every column, the label and excluded ones too: different people "
    "who look alike, or the same record twice, of which one row is kept.", shown="people, where coincidence explains "
    "them; otherwise no limit is given")]

Estimator = Annotated[str, _setting(
    "estimator", SEARCH, "How P(label | features) is estimated.", autocompletion=estimators, shown="auto: several are "
    "fitted, and labels they have not seen choose. sklearn:package.Class,parameter=value: any classifier of "
    "scikit-learn")]
EtaColumns = Annotated[list[str], _setting(
    "eta", SEARCH, "Column with the probability of the positive class by a model of your own, which has not seen these "
    "labels: used instead of an estimate. For more classes one column each, in their order. Repeatable.",
    shown="estimate it")]
EtaFile = Annotated[str | None, _setting(
    "eta_file", SEARCH, "What estimate-eta wrote for this very table: nothing is searched.", shown="search")]
K = Annotated[int | None, _setting(
    "k", SEARCH, "Neighbours, or rows with like scores, that each interval rests on.", shown="about the square root of "
    "the rows; with knn the one of several that guesses labels best")]
Queries = Annotated[int | None, _setting(
    "queries", SEARCH, "Rows that are asked, sampled uniformly; every row stays a possible neighbour.",
    shown="all rows up to 200 000, a sample of 200 000 above")]
Recall = Annotated[float, _setting(
    "recall", SEARCH, "Share of the true nearest neighbours that must be found where the table is too large for all; 1 "
    "is exact.")]

Mechanism = Annotated[list[str], _setting(
    "mechanism", QUESTION, "Release to judge, as name:field=value; | between values makes a family. Repeatable.",
    autocompletion=mechanisms)]
ComparedMechanism = Annotated[list[str], _setting(
    "mechanism", QUESTION, "Release to judge, as name:field=value; | between values makes a family. Repeatable.",
    default=COMPARED_MECHANISMS, autocompletion=mechanisms)]
TunedMechanism = Annotated[list[str], _setting(
    "mechanism", QUESTION, "Mechanism whose noise is chosen, with one parameter left open: rr, llp, laplace-llp:k=8 "
    "(over epsilon), laplace-llp:epsilon=1 (over k). Repeatable.", default=OPEN_MECHANISM, autocompletion=mechanisms)]
ReleaseMechanism = Annotated[list[str], _setting(
    "mechanism", QUESTION, "How labels are protected, as name:field=value.", default=(), autocompletion=mechanisms)]
To = Annotated[str | None, _option(
    Text("FILE"), OUTPUT, "File that gets the protected table, of the same kind as the table; its manifest and a table "
    "of bags stand beside it.")]
Shuffle = Annotated[bool, _flag(OUTPUT, "Put the rows into a random order, too.", "--shuffle")]
Force = Annotated[bool, _flag(OUTPUT, "Overwrite files, and release what is a release already.", "--force")]
InsecureForTesting = Annotated[bool, _flag(
    RUN, "Draw from --seed instead of the operating system: the same release each time, which protects nothing. The "
    "manifest says so.", "--insecure-for-testing")]
Tau = Annotated[str | None, _setting(
    "tau", QUESTION, "Losses in nats at which to ask: 1,2,6 or START:STOP:STEP.",
    shown="0 to where the curve ends, by 0.1")]
Smoothness = Annotated[str | None, _setting(
    "smoothness", QUESTION, "Assume that |eta(x) - eta(z)| is at most C P(nearer than z)^BETA. Adds C (2k/n)^BETA to "
    "each interval, which then speaks of people, not of neighbourhood averages.", shown="no assumption")]
Alpha = Annotated[str, _setting("alpha", QUESTION, "Orders of the Renyi divergences that are certified, 1 to inf.")]
Utility = Annotated[str, _setting(
    "utility", QUESTION, "What a right guess is worth: 1, or 1 / (C p) for a class of share p, so that rare classes "
    "count as much as common ones.")]
Bags = Annotated[int | None, _setting(
    "bags", QUESTION, "Bags to draw where their average has no closed form.", shown="until the standard error is below "
    "2 % of the advantage, or 1e-5")]
Explain = Annotated[bool, _setting(
    "explain", QUESTION, "Also what each column contributes: models are fitted again without it, once for each column.",
    "--explain")]
Certify = Annotated[bool, _setting(
    "certify", QUESTION, "Also say what holds whatever the population is.", "--certify/--no-certify", shown="say it")]
Confidence = Annotated[float, _setting("confidence", QUESTION, "Confidence of all intervals of a report jointly.")]
Seed = Annotated[int, _setting("seed", QUESTION, "Where sampling starts: same seed, same numbers.")]

FailIf = Annotated[list[str], _option(
    Text("LINE"), POLICY, "What blocks a release, such as 'advantage.high > 0.05' or 'j(tau=6).low > 0.05'. "
    "Repeatable; stands in for the lines of the configuration.", default=(), shown="the policy of the configuration")]
PolicyFile = Annotated[str | None, _option(
    Text("FILE"), POLICY, "TOML file with fail_if = [...] and waivers, used beside --fail-if.",
    shown="the policy of the configuration")]
Baseline = Annotated[str | None, _option(
    Text("OLD.json"), POLICY, "Stored report of before: lines that it broke as well count only where the number got "
    "worse beyond the limits of both reports. Without a policy nothing may get worse.", shown="none")]

Format = Annotated[list[str], _option(
    Text("FORMAT[=FILE]"), OUTPUT, "Form of the report, on standard output or in a file. Repeatable.", "--format", "-f",
    default=("text",), autocompletion=formats)]
ExplainedAs = Annotated[str, _option(
    OneOf(("text", "json")), OUTPUT, "Form of the answer.", "--format", "-f", default="text")]
Output = Annotated[str, _option(
    Text("DIR"), OUTPUT, "Folder that gets the report as .json, .md, .html and pictures; of audit in all formats.",
    "--output", "-o", default="labeldp-report")]
NoOutput = Annotated[bool, _flag(OUTPUT, "Write no folder.", "--no-output")]
WithRunInfo = Annotated[bool, _flag(
    OUTPUT, "Add when, where, by whom and with which versions it ran; left out otherwise, so that reports can be "
    "compared.", "--with-run-info")]
Verbose = Annotated[bool, _flag(OUTPUT, "Show all of the report, not one screen of it.", "--verbose", "-v")]
Quiet = Annotated[bool, _flag(OUTPUT, "Say nothing on standard error but errors.", "--quiet", "-q")]

Threads = Annotated[int | None, _setting("threads", RUN, "Cores to use; changes the time and no number.", shown="all")]
ExitZero = Annotated[bool, _flag(RUN, "End with 0 where a policy is violated or undecided.", "--exit-zero")]
Debug = Annotated[bool, _flag(RUN, "Show where an error comes from.", "--debug")]
Config = Annotated[str | None, _option(
    Text("FILE"), RUN, "Configuration to read.", envvar="LABELDP_AUDIT_CONFIG", show_envvar=False, is_eager=True,
    callback=read_layers, shown="labeldp-audit.toml or pyproject.toml, upwards from here")]
NoConfig = Annotated[bool, _flag(
    RUN, "Read no configuration file.", "--no-config", envvar="LABELDP_AUDIT_NO_CONFIG", show_envvar=False,
    is_eager=True, callback=read_layers)]
ShowConfig = Annotated[bool, _flag(RUN, "Print what is set and where it was set, and end.", "--show-config")]
# fmt: on
