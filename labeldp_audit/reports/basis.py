"""What a report is about, what its numbers rest on, and what could not be computed."""

from __future__ import annotations

from ..core.eta import EtaSummary
from ..core.finding import Finding
from ..core.quoting import plain
from ..core.remark import RARER, UNBEATEN
from ..core.report import ETA_FILE, VERIFY, Report
from . import found, words
from .formats.spelling import confidence, count, cut, percent, share, short
from .sentences import sentence

_CHECKED = (
    "This report is about the noise alone: what features and release tell together, advantage and attack measure."
)
_MEASURED = (
    "This report measures what the features and the release tell together. It does not prove that a release is safe."
)
_NAMES = 6


def not_proved(report: Report) -> str:
    """What the report is not about."""
    return _CHECKED if report.command == VERIFY else _MEASURED


def subject(report: Report) -> str:
    """The table, its label, the model, and what knowing no feature would cost."""
    data, eta = report.dataset, report.eta
    rows = count(data.rows_used) + (f" of {count(data.rows)}" if data.rows != data.rows_used else "")
    place = 1 if len(data.classes) == 2 else max(range(len(data.prior)), key=data.prior.__getitem__)
    several = f"{count(len(data.classes))} classes, " if len(data.classes) != 2 else ""
    rarer = any(one.code == RARER for one in report.remarks)
    classes = f"{several}{_cut(data.classes[place], 12)} {percent(data.prior[place], digits=2)} %"
    classes = f"positive: {classes}, the rarer" if rarer else classes
    if eta is None:
        return f"{_cut(data.name, 32)}  {rows} rows  label {_cut(data.label, 20)} (as published: {classes})"
    asked = f", {count(eta.queries)} asked" if eta.queries < eta.n else ""
    loss, blind = short(eta.log_loss, digits=3), short(data.blind_log_loss, digits=3)
    name = "supplied probabilities" if eta.given and eta.estimator == "given" else eta.estimator
    beside = "" if eta.is_knn or eta.knn is None else f"k-NN {short(eta.knn.log_loss, digits=3)}, "
    return (
        f"{_cut(data.name, 32)}  {rows} rows{asked}  label {_cut(data.label, 20)} ({classes})  "
        f"{_cut(name, 24)}, log loss {loss} ({beside}no features {blind})"
    )


def _cut(text: str, most: int) -> str:
    return cut(plain(text), most)


def model(report: Report) -> str:
    """How what the features tell was estimated, in two sentences."""
    eta, blind = report.eta, short(report.dataset.blind_log_loss, digits=3)
    if eta is None:
        return ""
    loss = f"Log loss on labels not seen: {short(eta.log_loss, digits=3)}; of knowing no feature: {blind}."
    file = report.parameters.get(ETA_FILE)
    read = "" if file is None else f"Read from {_cut(str(file), 32)}, not estimated now. "
    return f"{read}{_made(report, eta)} {loss}"


def _made(report: Report, eta: EtaSummary) -> str:
    near, columns = count(eta.k or 0), report.dataset.columns
    if eta.given:
        names = [plain(one.name) for one in columns if one.role == "eta"]
        where = f" in {words.listed(names, _NAMES)}" if names else ""
        return f"Probabilities were supplied{where}; they are used unchanged."
    name = f"Model {plain(eta.estimator)}"
    found_all = "all were found" if eta.exact else f"{share(eta.recall)} of them were found (measured)"
    if eta.metric == "score":
        return f"{name} scores rows without having seen their labels; labels of other rows correct the scores."
    return f"{name}: class shares among the {near} nearest of {count(eta.n)} rows, metric {eta.metric}; {found_all}."


def sees(report: Report) -> str:
    if report.eta is None:
        return ""
    if report.sees:
        return "The log loss shows how much was found, never how much there is to find."
    return (
        "The model guesses labels no better than the class shares do: the features tell next to nothing, or the model "
        "misses what they tell. Only what is certified and the high of an advantage can be relied on."
    )


def challenged(report: Report) -> str:
    """Return what trees that were not better could have shown."""
    return next((words.started(sentence(one)) + "." for one in report.remarks if one.code == UNBEATEN), "")


def calibration(report: Report) -> str:
    """Do labels come as often as predicted?"""
    every, said = report.reliability, "Calibration: observed shares fit the predicted ones in"
    off = sorted((one for one in every if not one.fits), key=lambda one: -abs(one.said - one.came))
    if not off:
        return f"{said} all {count(len(every))} groups of like estimates." if every else ""
    worst = f"{share(off[0].said)} was predicted for {plain(off[0].of)} and {share(off[0].came)} observed"
    return f"{said} {count(len(every) - len(off))} of {count(len(every))} groups; not where {worst}."


def basis(report: Report) -> list[str]:
    """What low and high mean."""
    levels = words.listed([confidence(one) for one in dict.fromkeys(one.confidence for one in report.findings)])
    said = [f"Low and high hold together for the whole report with {levels} confidence."] if levels else []
    if any(one.quantity.startswith(found.CERTIFIED) for one in report.findings):
        said.append(
            "What is certified needs only that rows are independent draws; a bad model makes it say less, never wrong."
        )
    if any(one.quantity == found.ADDED and one.bound.high is not None for one in report.findings):
        said.append("The high of an advantage does not depend on the model either.")
    if report.eta is None:
        return said
    if report.given:
        said.append("All else holds if the supplied probabilities are right and were made without these labels.")
    elif any(one.bound.high is not None for one in report.findings):
        alike = "people with like scores" if report.eta.metric == "score" else "neighbours"
        said.append(f"All other ends are about averages over {alike}: single people may differ.")
    return said


def promises(report: Report) -> str:
    """Mechanisms that claim no label differential privacy, and why totals cannot."""
    totals = (one for one in report.findings if (one.bag or 1) > 1 and one.claim is None)
    bare = dict.fromkeys(words.mechanism(report, one.mechanism) for one in totals)
    if not bare:
        return ""
    return (
        f"{words.listed(list(bare))} {'claims' if len(bare) == 1 else 'claim'} no "
        "label differential privacy: an attacker with all other labels of a bag learns the last from its total."
    )


def simulated(report: Report) -> str:
    errors = [one.bound.standard_error for one in report.findings if one.bound.standard_error is not None]
    said = "Where bags were drawn at random, that adds a standard error of at most"
    return f"{said} {words.amount(max(errors), 'points')} points to an estimate." if errors else ""


def missing(report: Report) -> list[str]:
    """What has no number, or no limits for a reason and not by its nature; places with the same reason together."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in found.planned(report).findings:
        bound, numbered = one.bound, found.has_number(one.bound)
        limitless = bound.estimate is not None and None in (bound.low, bound.high) and bound.reason is not None
        if one.quantity not in found.FOR_PROGRAMS and (limitless or not numbered):
            what = f"limits of {one.quantity}" if numbered else one.quantity
            groups.setdefault((what, bound.reason or "no reason is known"), []).append(one)
    return [_absent(what, members, reason, report) for (what, reason), members in groups.items()]


def _absent(what: str, members: list[Finding], reason: str, report: Report) -> str:
    under = list(dict.fromkeys(words.mechanism(report, one.mechanism) for one in members if one.mechanism))
    bounds = dict.fromkeys(str(one.at["bound"]) for one in members if "bound" in one.at)
    named = " ".join(filter(None, [what, f"({'; '.join(bounds)})" if bounds else "", words.listed(under, _NAMES)]))
    return f"{named}: {reason}"


def assumed(report: Report) -> tuple[str, ...]:
    return found.assumptions(one for one in report.findings if one.quantity not in found.FOR_PROGRAMS)


def columns_sentence(report: Report) -> str:
    """The columns that surely add, by the first kind that speaks of what is planned."""
    findings = found.planned(report).findings
    known = [one for one in findings if one.quantity in found.COLUMNS and isinstance(one.at.get("column"), str)]
    for quantity, what in _LOWERS.items():
        unit = found.quantity(report, quantity).written_in
        sure = [one for one in known if one.quantity == quantity and (one.bound.low or 0.0) > 0]
        sure.sort(key=lambda one: -(one.bound.estimate or 0.0))
        said = [
            f"{plain(str(one.at['column']))} ({words.amount(one.bound.estimate, unit)} {unit}, "
            f"low {words.low(one.bound, unit)})"
            for one in sure
        ]
        if said:
            return f"Leaving out one column {what}: {words.listed(said)}. Think first about these."
    nothing = "No single column is shown to add to the risk: others may say the same, or it adds too little."
    return nothing if known else ""


_LOWERS = {
    "column_advantage": "lowers the advantage", "column_j": "lowers the share of people above a loss",
    "column_log_loss": "makes labels harder to guess",
}  # fmt: skip
