"""Every option and argument, declared once: commands take them as annotations of their parameters.

The name of the parameter is the flag, the variable, the key in a configuration file and the field of Settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import typer

from ..core.settings import DEFAULT_MECHANISM, Settings
from .configuration import read_layers

TABLE, SEARCH, QUESTION, POLICY = "Table", "Neighbourhoods", "Question", "Policy"
OUTPUT, RUN = "Output", "Configuration"
COMPARED = "rr:epsilon=0.5|1|2", "llp:k=2|8|64|512", "laplace-llp:k=8,epsilon=1"


# ---- values that click has no type for


def _not_empty(value: Any) -> Any:
    if value == "" or (isinstance(value, list | tuple) and "" in value):
        raise typer.BadParameter("an empty text")
    return value


def _share(expected: str, holds: Callable[[float], bool]) -> Callable[[float], float]:
    def checked(value: float) -> float:
        if not holds(value):
            raise typer.BadParameter(f"not {expected}: {value!r}")
        return value

    return checked


def _character(value: str | None) -> str | None:
    one = {"tab": "\t", "\\t": "\t"}.get(value or "", value)
    if one is not None and (len(one) != 1 or not one.isascii() or one in '\r\n"'):
        raise typer.BadParameter(f"not a single character, such as ';' or 'tab': {value!r}")
    return one


def _rows(value: str | None) -> int | None:
    """`all` is kept as 0."""
    if value is None or value.lower() == "all":
        return None if value is None else 0
    if not re.fullmatch("[0-9]{1,18}", value) or int(value) < 1:
        raise typer.BadParameter(f"not 'all' or a whole number of at least 1: {value!r}")
    return int(value)


def _numbers(param: typer.CallbackParam, value: str | None) -> str | None:
    """Numbers in a notation of their own, kept as they are written."""
    if value is not None and not re.fullmatch(r"[-+0-9.eE_infa,: ]+", value):
        raise typer.BadParameter(f"not numbers written {param.metavar}: {value!r}")
    return value


# ---- what there is to choose from, looked up where help or completion shows it


def mechanisms() -> Iterator[tuple[str, str]]:
    from ..mechanisms import MECHANISMS

    for one in MECHANISMS:
        yield one.example, one.summary
        yield from ((f"{one.name}:{field}=", one.summary) for field in one.spellings)


def formats() -> tuple[str, ...]:
    from ..reports.formats import names

    return names()


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
StoredReport = Annotated[str | None, _argument("REPORT", "Stored report (.json) that another command left.")]
Quantity = Annotated[
    str | None,
    _argument("[QUANTITY]", "Name of a quantity, as in reports and policies, or of a term.", autocompletion=quantities),
]

# ---- options


def _option(panel: str, help: str, *flags: str, default: object = None, shown: str = "", **more: Any) -> Any:
    """shown: the default in words."""
    more = {"callback": _not_empty, "default_factory": lambda: default} | more
    return typer.Option(*flags, help=help, show_default=shown or False, rich_help_panel=panel, **more)


def _flag(panel: str, name: str, help: str, *short: str, **more: Any) -> Any:
    return _option(panel, help, name, *short, default=False, **more)


# fmt: off
Label = Annotated[str | None, _option(
    TABLE, "Column whose values are to be protected.", metavar="COLUMN", shown="the one column called label, y, "
    "target, class, click or clicked")]
Positive = Annotated[str | None, _option(
    TABLE, "Value of the label that counts as positive.", metavar="VALUE",
    shown="the larger of two numbers; true, yes or 1")]
Exclude = Annotated[list[str], _option(
    TABLE, "Column that is not a feature. Repeatable.", metavar="COLUMN", default=(), shown="none")]
Categorical = Annotated[list[str], _option(
    TABLE, "Column of numbers that are only names. Repeatable.", metavar="COLUMN", default=(),
    shown="by the type in the file")]
DropNullLabels = Annotated[bool, _flag(
    TABLE, "--drop-null-labels", "Leave out rows without a label instead of refusing the table.")]
Delimiter = Annotated[str | None, _option(
    TABLE, "Between the cells of a CSV file, e.g. ';' or tab.", metavar="CHARACTER", callback=_character,
    shown="a comma; a tab in .tsv")]
Group = Annotated[str | None, _option(
    TABLE, "Column that names whose row it is, where people have several: no feature, and no row is scored by a model "
    "that learnt from others of the same person.", metavar="COLUMN", shown="every row is somebody else's")]
Repeats = Annotated[Literal["people", "copies"] | None, _option(
    TABLE, "What rows are that are equal in every column, the label and excluded ones too: different people who look "
    "alike, or the same record twice, of which one row is kept.", metavar="people|copies", shown="people, where "
    "coincidence explains them; otherwise no limit is given")]

Estimator = Annotated[str, _option(
    SEARCH, "How P(label | features) is estimated.", metavar="NAME", default=Settings.estimator,
    autocompletion=estimators, shown="auto: several are fitted, and labels they have not seen choose. "
    "sklearn:package.Class,parameter=value: any classifier of scikit-learn")]
EtaColumns = Annotated[list[str], _option(
    SEARCH, "Column with the probability of the positive class by a model of your own, which has not seen these "
    "labels: used instead of an estimate. For more classes one column each, in their order. Repeatable.",
    metavar="COLUMN", default=(), shown="estimate it")]
EtaFile = Annotated[str | None, _option(
    SEARCH, "What estimate-eta wrote for this very table: nothing is searched.", metavar="FILE", shown="search")]
K = Annotated[int | None, _option(
    SEARCH, "Neighbours, or rows with like scores, that each interval rests on.", metavar="NUMBER", min=1,
    shown="about the square root of the rows; with knn the one of several that guesses labels best")]
Queries = Annotated[str | None, _option(
    SEARCH, "Rows that are asked, sampled uniformly; every row stays a possible neighbour.", metavar="NUMBER|all",
    callback=_rows, shown="all rows up to 200 000, a sample of 200 000 above")]
Recall = Annotated[float, _option(
    SEARCH, "Share of the true nearest neighbours that must be found where the table is too large for all; 1 is exact.",
    metavar="SHARE", default=Settings.recall, shown="0.95",
    callback=_share("a number above 0 and at most 1", lambda share: 0 < share <= 1))]

Mechanism = Annotated[list[str], _option(
    QUESTION, "Release to judge, as name:field=value; | between values makes a family. Repeatable.", metavar="SPEC",
    default=DEFAULT_MECHANISM, shown=DEFAULT_MECHANISM[0], autocompletion=mechanisms)]
ComparedMechanism = Annotated[list[str], _option(
    QUESTION, "Release to judge, as name:field=value; | between values makes a family. Repeatable.", metavar="SPEC",
    default=COMPARED, shown="; ".join(COMPARED), autocompletion=mechanisms)]
TunedMechanism = Annotated[list[str], _option(
    QUESTION, "Mechanism whose noise is chosen, with one parameter left open: rr, llp, laplace-llp:k=8 (over epsilon), "
    "laplace-llp:epsilon=1 (over k). Repeatable.", metavar="SPEC", default=("rr",), shown="rr",
    autocompletion=mechanisms)]
Tau = Annotated[str | None, _option(
    QUESTION, "Losses in nats at which to ask: 1,2,6 or START:STOP:STEP.", metavar="VALUES", callback=_numbers,
    shown="0 to where the curve ends, by 0.1")]
Smoothness = Annotated[str | None, _option(
    QUESTION, "Assume that |eta(x) - eta(z)| is at most C P(nearer than z)^BETA. Adds C (2k/n)^BETA to each interval, "
    "which then speaks of people, not of neighbourhood averages.", metavar="C,BETA", callback=_numbers,
    shown="no assumption")]
Alpha = Annotated[str, _option(
    QUESTION, "Orders of the Renyi divergences that are certified, 1 to inf.", metavar="VALUES", callback=_numbers,
    default=Settings.alpha, shown=Settings.alpha)]
Utility = Annotated[Literal["zero-one", "balanced"], _option(
    QUESTION, "What a right guess is worth: 1, or 1 / (C p) for a class of share p, so that rare classes count as much "
    "as common ones.", metavar="zero-one|balanced", default=Settings.utility, shown=Settings.utility)]
Bags = Annotated[int | None, _option(
    QUESTION, "Bags to draw where their average has no closed form.", metavar="NUMBER", min=30,
    shown="until the standard error is below 2 % of the advantage, or 1e-5")]
Explain = Annotated[bool, _flag(
    QUESTION, "--explain", "Also what each column contributes: models are fitted again without it, once for each "
    "column.")]
Certify = Annotated[bool, _option(
    QUESTION, "Also say what holds whatever the population is.", "--certify/--no-certify", default=Settings.certify,
    shown="say it")]
Confidence = Annotated[float, _option(
    QUESTION, "Confidence of all intervals of a report jointly.", metavar="SHARE", default=Settings.confidence,
    shown="0.99", callback=_share("a number of at least 0.5 and below 1", lambda share: 0.5 <= share < 1))]
Seed = Annotated[int, _option(
    QUESTION, "Where sampling starts: same seed, same numbers.", metavar="NUMBER", min=0, default=Settings.seed,
    shown="0")]

FailIf = Annotated[list[str], _option(
    POLICY, "When a release must not go out, such as 'advantage.high > 0.05' or 'j(tau=6).low > 0.05'. Repeatable; "
    "stands in for the lines of the configuration.", metavar="LINE", default=(),
    shown="the policy of the configuration")]
PolicyFile = Annotated[str | None, _option(
    POLICY, "TOML file with fail_if = [...] and waivers, used beside --fail-if.", metavar="FILE",
    shown="the policy of the configuration")]

Format = Annotated[list[str], _option(
    OUTPUT, "Form of the report, on standard output or in a file. Repeatable.", "--format", "-f",
    metavar="FORMAT[=FILE]", default=("text",), shown="text", autocompletion=formats)]
ExplainedAs = Annotated[Literal["text", "json"], _option(
    OUTPUT, "Form of the answer.", "--format", "-f", metavar="text|json", default="text", shown="text")]
Output = Annotated[str, _option(
    OUTPUT, "Folder that gets the report as .json and .md with its pictures; of audit in all formats.", "--output",
    "-o", metavar="DIR", default="labeldp-report", shown="labeldp-report/")]
NoOutput = Annotated[bool, _flag(OUTPUT, "--no-output", "Write no folder.")]
WithRunInfo = Annotated[bool, _flag(
    OUTPUT, "--with-run-info", "Add when, where, by whom and with which versions it ran; left out otherwise, so that "
    "reports can be compared.")]
Quiet = Annotated[bool, _flag(OUTPUT, "--quiet", "Say nothing on standard error but errors.", "-q")]

Threads = Annotated[int | None, _option(
    RUN, "Cores to use; changes the time and no number.", metavar="NUMBER", min=1, shown="all")]
ExitZero = Annotated[bool, _flag(RUN, "--exit-zero", "End with 0 where a policy is violated or undecided.")]
Debug = Annotated[bool, _flag(RUN, "--debug", "Show where an error comes from.")]
Config = Annotated[str | None, _option(
    RUN, "Configuration to read.", metavar="FILE", envvar="LABELDP_AUDIT_CONFIG", show_envvar=False, is_eager=True,
    callback=read_layers, shown="labeldp-audit.toml or pyproject.toml, upwards from here")]
NoConfig = Annotated[bool, _flag(
    RUN, "--no-config", "Read no configuration file.", envvar="LABELDP_AUDIT_NO_CONFIG", show_envvar=False,
    is_eager=True, callback=read_layers)]
ShowConfig = Annotated[bool, _flag(RUN, "--show-config", "Print what is set and where it was set, and end.")]
# fmt: on
