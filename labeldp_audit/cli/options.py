"""Every option and every command, declared once: flags, variables, file keys, help and checks read these lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..core.settings import COMPARED_MECHANISMS, DEFAULT_MECHANISM, OPEN_MECHANISM, Settings
from ..core.values import Character, Flag, Kind, Numbers, OneOf, Share, Text, Whole, WholeOrAll

TABLE, SEARCH, QUESTION, POLICY = "Table", "Neighbourhoods", "Question", "Policy"
OUTPUT, RUN = "Output", "Configuration"


PAGES = {"json": "json", "md": "markdown"}
EVERY_PAGE = PAGES | {"html": "html", "txt": "text", "csv": "csv", "sarif": "sarif", "junit.xml": "junit"}


@dataclass(frozen=True)
class Option:
    """`name` is the field of Settings, the key of the file and, with dashes, the flag."""

    name: str
    kind: Kind
    panel: str
    help: str
    default: object = None
    shown: str = ""  # the default in words
    short: str = ""
    many: bool = False
    separator: str = ","  # between the values of a variable
    in_file: bool = True  # may stand in a configuration file

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")


@dataclass(frozen=True)
class Command:
    name: str
    function: str  # inside labeldp_audit.audits; loaded when it runs
    answers: str
    help: str
    examples: tuple[tuple[str, str], ...]  # what is typed, what for
    options: tuple[Option, ...]
    rows: tuple[str, ...] = ()  # the file with a row for each query
    pages: Mapping[str, str] = field(default_factory=lambda: PAGES)  # what its folder gets: ending and format
    stored: bool = False  # takes a stored report as well
    tables: bool = True  # takes a table
    open_mechanisms: bool = False  # of which one parameter is left open

    @property
    def reads(self) -> str:
        """What its argument names; a word where it judges nothing, and needs no configuration."""
        if self.tables:
            return "table or report" if self.stored else "table"
        return "report" if self.stored else "word"

    @property
    def files(self) -> tuple[str, ...]:
        """All that a run may leave in its folder."""
        pictures = f"{self.name}.svg", f"{self.name}-advantage.svg"
        return (*(f"{self.name}.{ending}" for ending in self.pages), *pictures, *self.rows)


SHARED = (
    Option("label", Text("COLUMN"), TABLE, "Column whose values are to be protected.",
           shown="the one column called label, y, target, class, click or clicked"),
    Option("positive", Text("VALUE"), TABLE, "Value of the label that counts as positive.",
           shown="the larger of two numbers; true, yes or 1"),
    Option("exclude", Text("COLUMN"), TABLE, "Column that is not a feature. Repeatable.", (), "none", many=True),
    Option("categorical", Text("COLUMN"), TABLE, "Column of numbers that are only names. Repeatable.", (),
           "by the type in the file", many=True),
    Option("drop_null_labels", Flag(), TABLE, "Leave out rows without a label instead of refusing the table.", False,
           "refuse"),
    Option("delimiter", Character("CHARACTER"), TABLE, "Between the cells of a CSV file, e.g. ';' or tab.",
           shown="a comma; a tab in .tsv"),
    Option("group", Text("COLUMN"), TABLE,
           "Column that names whose row it is, where people have several: no feature, and no row is scored by a model "
           "that learnt from others of the same person.", shown="every row is somebody else's"),
    Option("repeats", OneOf(("people", "copies")), TABLE,
           "What rows are that are equal in every column, the label and excluded ones too: different people who look "
           "alike, or the same record twice, of which one row is kept.",
           shown="people, where coincidence explains them; otherwise no limit is given"),
    Option("estimator", Text("NAME"), SEARCH, "How P(label | features) is estimated.", Settings.estimator,
           "auto: several are fitted, and labels they have not seen choose. sklearn:package.Class,parameter=value: any "
           "classifier of scikit-learn"),
    Option("eta", Text("COLUMN"), SEARCH,
           "Column with the probability of the positive class by a model of your own, which has not seen these labels: "
           "used instead of an estimate. For more classes one column each, in their order. Repeatable.",
           (), "estimate it", many=True),
    Option("k", Whole("NUMBER", 1), SEARCH, "Neighbours, or rows with like scores, that each interval rests on.",
           shown="about the square root of the rows; with knn the one of several that guesses labels best"),
    Option("queries", WholeOrAll("NUMBER|all"), SEARCH,
           "Rows that are asked, sampled uniformly; every row stays a possible neighbour.",
           shown="all rows up to 200 000, a sample of 200 000 above"),
    Option("recall", Share("SHARE", 0, False, True), SEARCH,
           "Share of the true nearest neighbours that must be found where the table is too large for all; 1 is exact.",
           Settings.recall, "0.95"),
    Option("mechanism", Text("SPEC"), QUESTION,
           "Release to judge, as name:field=value; | between values makes a family. Repeatable.",
           DEFAULT_MECHANISM, DEFAULT_MECHANISM[0], many=True, separator=";"),
    Option("certify", Flag(), QUESTION, "Also say what holds whatever the population is.", Settings.certify, "say it"),
    Option("confidence", Share("SHARE", 0.5, True, False), QUESTION, "Confidence of all intervals of a report jointly.",
           Settings.confidence, "0.99"),
    Option("seed", Whole("NUMBER", 0), QUESTION, "Where sampling starts: same seed, same numbers.", Settings.seed, "0"),
    Option("format", Text("FORMAT[=FILE]"), OUTPUT,
           "Form of the report, on standard output or in a file. Repeatable.", ("text",), "text", "-f", many=True),
    Option("output", Text("DIR"), OUTPUT,
           "Folder that gets the report as .json and .md with its pictures; of audit in all formats.", "labeldp-report",
           "labeldp-report/", "-o"),
    Option("no_output", Flag(), OUTPUT, "Write no folder.", False, "write it"),
    Option("with_run_info", Flag(), OUTPUT, "Add when, where, by whom and with which versions it ran.", False,
           "left out, so that reports can be compared"),
    Option("quiet", Flag(), OUTPUT, "Say nothing on standard error but errors.", False, "", "-q"),
    Option("threads", Whole("NUMBER", 1), RUN, "Cores to use; changes the time and no number.", shown="all"),
    Option("exit_zero", Flag(), RUN, "End with 0 where a policy is violated or undecided.", False),
    Option("debug", Flag(), RUN, "Show where an error comes from.", False, in_file=False),
    Option("config", Text("FILE"), RUN, "Configuration to read.",
           shown="labeldp-audit.toml or pyproject.toml, upwards from here", in_file=False),
    Option("no_config", Flag(), RUN, "Read no configuration file.", False, in_file=False),
    Option("show_config", Flag(), RUN, "Print what is set and where it was set, and end.", False, in_file=False),
)  # fmt: skip

TAU = Option("tau", Numbers("VALUES"), QUESTION, "Losses in nats at which to ask: 1,2,6 or START:STOP:STEP.",
             shown="0 to where the curve ends, by 0.1")  # fmt: skip
SMOOTHNESS = Option("smoothness", Numbers("C,BETA"), QUESTION,
                    "Assume that |eta(x) - eta(z)| is at most C P(nearer than z)^BETA. Adds C (2k/n)^BETA to each "
                    "interval, which then speaks of people, not of neighbourhood averages.",
                    shown="no assumption")  # fmt: skip

ALPHA = Option("alpha", Numbers("VALUES"), QUESTION, "Orders of the Renyi divergences that are certified, 1 to inf.",
               Settings.alpha, Settings.alpha)  # fmt: skip

ETA_FILE = Option("eta_file", Text("FILE"), SEARCH,
                  "What estimate-eta wrote for this very table: nothing is searched.", shown="search")  # fmt: skip
UTILITY = Option("utility", OneOf(("zero-one", "balanced")), QUESTION,
                 "What a right guess is worth: 1, or 1 / (C p) for a class of share p, so that rare classes count as "
                 "much as common ones.", Settings.utility, "zero-one")  # fmt: skip
EXPLAINED_AS = Option("format", OneOf(("text", "json")), OUTPUT, "Form of the answer.", "text", "text", "-f")
DEBUG = next(option for option in SHARED if option.name == "debug")
FAIL_IF = Option("fail_if", Text("LINE"), POLICY,
                 "When a release must not go out, such as 'advantage.high > 0.05' or 'j(tau=6).low > 0.05'. "
                 "Repeatable; stands in for the lines of the configuration.", (), "the policy of the configuration",
                 many=True, separator=";", in_file=False)  # fmt: skip
POLICY_FILE = Option("policy", Text("FILE"), POLICY,
                     "TOML file with fail_if = [...] and waivers, used beside --fail-if.",
                     shown="the policy of the configuration", in_file=False)  # fmt: skip
GATE = FAIL_IF, POLICY_FILE
EXPLAIN = Option("explain", Flag(), QUESTION,
                 "Also what each column contributes: models are fitted again without it, once for each column.",
                 False, "no")  # fmt: skip
OF_REPORT = tuple(option for option in SHARED if option.panel in (OUTPUT, RUN) and option.name != "threads")
TUNED = tuple(
    replace(
        option, default=OPEN_MECHANISM, shown=OPEN_MECHANISM[0],
        help="Mechanism whose noise is chosen, with one parameter left open: rr, llp, laplace-llp:k=8 (over epsilon), "
        "laplace-llp:epsilon=1 (over k). Repeatable.",
    ) if option.name == "mechanism" else option
    for option in SHARED
)  # fmt: skip
COMPARED = COMPARED_MECHANISMS
COMPARING = tuple(
    replace(option, default=COMPARED, shown="; ".join(COMPARED)) if option.name == "mechanism" else option
    for option in SHARED
)
BAGS = Option("bags", Whole("NUMBER", 30), QUESTION, "Bags to draw where their average has no closed form.",
              shown="until the standard error is below 2 % of the advantage, or 1e-5")  # fmt: skip

COMMANDS = (
    Command(
        "estimate-eta", "run.estimate_eta", "What the features alone tell about the label.",
        "Estimate for each row how likely each label is, given the features alone: what anybody can know before a "
        "release. Also writes DIR/eta.parquet, one line a row, which only you can read.",
        (("labeldp-audit estimate-eta clinic.parquet", "report, and one estimate a row in labeldp-report/eta.parquet"),
         ("labeldp-audit estimate-eta clinic.parquet --no-output -f json", "the report alone, for a program")),
        (*SHARED, UTILITY, SMOOTHNESS),
        rows=("eta.parquet",),
    ),
    Command(
        "nu-max", "run.nu_max", "The largest loss, over all neighbourhoods.",
        "Estimate the worst case: the largest change in log odds that a release can cause, whichever way the noise "
        "falls. The limits are about averages over neighbourhoods: a person who stands out in one may lose more.",
        (("labeldp-audit nu-max clicks.csv --label clicked", "name the label"),
         ("labeldp-audit nu-max clicks.csv -f markdown=worst.md -f text", "two forms at once")),
        (*SHARED, ETA_FILE, SMOOTHNESS),
    ),
    Command(
        "estimate-j", "run.estimate_j", "The share of people whose loss is above tau.",
        "Estimate J(tau): the share of people about whose label a release tells more than tau nats, for every tau "
        "and mechanism asked for, with an interval that covers all of them at once.",
        (("labeldp-audit estimate-j clinic.parquet", "no option is needed"),
         ("labeldp-audit estimate-j clinic.parquet --mechanism 'rr:pi=0.1|0.2'", "two releases"),
         ("labeldp-audit estimate-j clinic.parquet --tau 0.5,1,2 -o audit", "three losses, another folder"),
         ("labeldp-audit estimate-j - --delimiter ';' < clicks.csv", "a table on standard input")),
        (*SHARED, ETA_FILE, TAU, SMOOTHNESS, ALPHA),
    ),
    Command(
        "advantage", "run.gains", "How much better an attacker guesses once the release is out.",
        "Compare noise with aggregation: how many more labels the best attacker guesses right with the release than "
        "from the features alone, under each mechanism, beside the bounds that papers give, and which strength of one "
        "mechanism protects like which of another.",
        (("labeldp-audit advantage clinic.parquet", "three kinds of release"),
         ("labeldp-audit advantage clinic.parquet --mechanism 'rr:epsilon=0.5|1' --mechanism 'llp:k=8|64'",
          "noise or aggregation?"),
         ("labeldp-audit advantage clinic.parquet --eta-file labeldp-report/eta.parquet",
          "after estimate-eta, without another search"),
         ("labeldp-audit advantage clicks.csv --label clicked --utility balanced", "rare labels count as much")),
        (*COMPARING, ETA_FILE, UTILITY, BAGS, SMOOTHNESS),
    ),
    Command(
        "audit", "run.audit", "All of this at once, at one joint confidence.",
        "Ask every question that the table allows, at one joint confidence: losses, the worst case, and what an "
        "attacker gains, beside other mechanisms on a fixed scale. Leaves the report in all formats in DIR, among "
        "them a page for people, and judges a policy if there is one.",
        (("labeldp-audit audit clinic.parquet", "labeldp-report/audit.html is the page"),
         ("labeldp-audit audit clinic.parquet --mechanism rr:epsilon=2 --explain", "and which columns give it away"),
         ("labeldp-audit audit clinic.parquet --fail-if 'advantage.high > 0.05'", "with a verdict")),
        (*SHARED, ETA_FILE, TAU, SMOOTHNESS, ALPHA, UTILITY, BAGS, *GATE, EXPLAIN),
        pages=EVERY_PAGE,
    ),
    Command(
        "check", "run.check", "Does a policy hold? Ends with 1 if not.",
        "Judge a stored report by a policy, without the data; or audit a table first, no more than the policy asks "
        "about. A line that says when a release must not go out passes, fails, is inconclusive (the estimate passes, "
        "its limit does not: exit status 4), or was not measured, which fails.",
        (("labeldp-audit check labeldp-report/audit.json --fail-if 'advantage.high > 0.05'", "a stored report"),
         ("labeldp-audit check clinic.parquet --mechanism rr:epsilon=2 --fail-if 'advantage.high > 0.1'", "a table"),
         ("labeldp-audit check audit.json -f github -f sarif=audit.sarif", "in CI, policy from labeldp-audit.toml")),
        (*SHARED, ETA_FILE, TAU, SMOOTHNESS, ALPHA, UTILITY, BAGS, *GATE),
        stored=True,
    ),
    Command(
        "tune", "tune.tune", "The least noise that meets a policy.",
        "Choose the largest epsilon, or the smallest k, with which a policy holds, to 1 % of epsilon, and show what "
        "each strength of the noise costs. Says when no noise is enough, as the features give too much away, and which "
        "line of the policy decides.",
        (("labeldp-audit tune clinic.parquet --fail-if 'advantage.high > 0.05'", "randomized response"),
         ("labeldp-audit tune clinic.parquet --mechanism llp --fail-if 'advantage.high > 0.05'", "how large a bag?"),
         ("labeldp-audit tune clinic.parquet --mechanism laplace-llp:k=8 --policy strict.toml", "epsilon at k = 8")),
        (*TUNED, ETA_FILE, SMOOTHNESS, ALPHA, UTILITY, BAGS, *GATE),
        pages=PAGES | {"html": "html"},
        open_mechanisms=True,
    ),
    Command(
        "report", "", "A stored report in another format.",
        "Show a stored report, as text or in any other format; nothing is measured.",
        (("labeldp-audit report labeldp-report/audit.json -f html=audit.html", "a page"),
         ("labeldp-audit report labeldp-report/audit.json", "as text")),
        OF_REPORT,
        stored=True, tables=False,
    ),
    Command(
        "explain", "", "What a number of a report means.",
        "Say what a quantity or a term means, its formula, how to read it and where it comes from. Without a name, "
        "list all there are.",
        (("labeldp-audit explain", "all names, one line each"),
         ("labeldp-audit explain nu_max", "one of them"),
         ("labeldp-audit explain j -f json", "for a program")),
        (EXPLAINED_AS, DEBUG),
        tables=False,
    ),
)  # fmt: skip


def every() -> dict[str, Option]:
    """All options by name: a file may hold those of any command."""
    return {option.name: option for command in COMMANDS if command.reads != "word" for option in command.options}


# Of the program itself, without a command.
PROGRAM = (
    Option("version", Flag(), "Options", "Print the version and end."),
    Option("verbose", Flag(), "Options", "With --version: also what it is built on."),
    Option("man", Flag(), "Options", "Print the manual page and end: labeldp-audit --man | man -l -"),
    Option("install_completion", Text("[SHELL]"), "Options",
           "Let bash, zsh or fish complete what you type, from the next shell on.", shown="the shell you use"),
    Option("show_completion", Text("[SHELL]"), "Options", "Print what --install-completion would write.",
           shown="the shell you use"),
)  # fmt: skip
