"""What was audited and how, in lines; and a report's findings sorted by how they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.eta import EtaSummary
from ...core.finding import Bound, Finding
from ...core.report import Report
from ...core.table import EXACT_LEVELS, Column, Dataset
from . import certificates, compared, contributions, curves, estimating, gains, tuning
from .curves import Curve
from .spelling import confidence, count, high, low, percent, plain, share, short

_NAMES = 6  # of columns in a sentence
_FOR_PROGRAMS = ("plug_in_j",)
# What a reader wants first.
_ROLES = ("label", "number", "category", "constant", "excluded")


def audited(dataset: Dataset) -> str:
    rows = count(dataset.rows_used)
    if dataset.rows_used != dataset.rows:
        rows += f" of {count(dataset.rows)}"
    classes = ", ".join(
        f"{plain(name)} {share(part)}" for name, part in zip(dataset.classes, dataset.prior, strict=True)
    )
    return (
        f"{plain(dataset.name)}: {rows} rows, {count(dataset.features)} features; label {plain(dataset.label)} "
        f"({classes}{f'; positive: {plain(dataset.positive)}' if dataset.positive else ''})."
    )


def sampled(eta: EtaSummary) -> str:
    """Empty where every row was asked."""
    if eta.queries == eta.n:
        return ""
    drawn = f"Only {count(eta.queries)} of {count(eta.n)} rows, drawn at random, were "
    if eta.metric in ("score", "learned"):
        return f"{drawn}looked at; models learnt from all rows."
    return drawn + ("looked at." if eta.k is None else "asked for their neighbours; all rows were searched.")


def estimated(report: Report) -> str:
    eta, blind = report.eta, short(report.dataset.blind_log_loss)
    if eta.k is None:
        return f"{_origin(report)}; log loss {short(eta.log_loss)}, without features {blind}."
    if eta.metric == "score":
        return estimating.made_of_scores(report)
    if eta.metric == "learned":
        return estimating.made_near_scores(report)
    asked = "every row" if eta.queries == eta.n else "each row asked"
    found = estimating.found(eta)
    return (
        f"{eta.estimator}, metric {eta.metric}: the {count(eta.k)} nearest among {count(eta.n)} rows for {asked}, "
        f"{found}; log loss on unseen labels {short(eta.log_loss)}, without features {blind}."
    )


def _origin(report: Report) -> str:
    """Probabilities that somebody gave, and in which columns."""
    if report.eta.estimator != "given":
        return f"{plain(report.eta.estimator)}: probabilities taken as they are"
    names = [plain(column.name) for column in report.dataset.columns if column.role == "eta"]
    if not names:
        return "Probabilities were given and are taken as they are"
    shown = ", ".join(names[:_NAMES]) + (f" and {count(len(names) - _NAMES)} more" if len(names) > _NAMES else "")
    return f"Probabilities given by column{'' if len(names) == 1 else 's'} {shown}, taken as they are"


def level(report: Report) -> str:
    levels = dict.fromkeys(one.confidence for one in report.findings)
    return ", ".join(f"{confidence(level)} joint confidence" for level in levels)


def for_people(report: Report) -> tuple[Finding, ...]:
    """Without those that only programs read, one for each tau: they are in json and csv."""
    return tuple(finding for finding in report.findings if finding.quantity not in _FOR_PROGRAMS)


def valued(report: Report) -> tuple[Finding, ...]:
    """Findings for the plain table: with a number, and in no other table."""
    tabled = gains.shown(gains.gains_of(report))
    return tuple(
        finding
        for finding in for_people(report)
        if not (
            curves.on_curve(finding)
            or certificates.is_one(finding)
            or contributions.is_one(finding)
            or tuning.is_one(finding)
            or _is_missing(finding)
            or gains.in_own_table(finding, tabled)
        )
    )


def missing(report: Report) -> tuple[str, ...]:
    """What could not be computed, numbers or the limits of one, and why; one line for all the places where the reason
    is the same."""
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in for_people(compared.planned(report)):
        if _is_missing(finding) or _lacks_limits(finding.bound):
            together = finding.quantity in gains.QUANTITIES
            what = f"limits of {finding.quantity}" if _lacks_limits(finding.bound) else finding.quantity
            key = what, "" if together else finding.mechanism or "", finding.bound.reason or _UNKNOWN
            groups.setdefault(key, []).append(finding)
    return tuple(_absent(what, members, reason) for (what, _, reason), members in groups.items())


_UNKNOWN = "no reason is known"


def _is_missing(finding: Finding) -> bool:
    bound = finding.bound
    return bound.estimate is None and bound.low is None and bound.high is None


def _lacks_limits(bound: Bound) -> bool:
    """An estimate that has none for a reason, and not by its nature."""
    return bound.estimate is not None and None in (bound.low, bound.high) and bound.reason is not None


def _absent(what: str, members: Sequence[Finding], reason: str) -> str:
    """Places of one mechanism are counted; mechanisms, and bounds by name, are listed."""
    bounds = dict.fromkeys(plain(str(one.at["bound"])) for one in members if "bound" in one.at)
    about = dict.fromkeys(plain(one.mechanism) for one in members if one.mechanism)
    named = [what, *([f"({'; '.join(bounds)})"] if bounds else []), ", ".join(about)]
    times = len(members) if len(about) <= 1 and not bounds else 1
    where = f" ({count(times)} values)" if times > 1 else ""
    return f"{' '.join(filter(None, named))}{where}: {plain(reason)}"


@dataclass(frozen=True)
class Noise:
    """A mechanism in all its equivalent parameters, and the share of people who lose more than it promises.

    `above` holds tau and, in per cent, lower limit, estimate and upper limit; it is empty where no tau is near epsilon.
    """

    mechanism: str
    epsilon: str
    pi: str
    resampled: str
    above: tuple[str, ...]


def mechanisms(report: Report) -> tuple[Noise, ...]:
    above = {curve.mechanism: _above(curve) for curve in curves.curves_of(report)}
    # The table of what mechanisms add has epsilon already.
    keys = curves.PARAMETERS[1:] if gains.gains_of(report) else curves.PARAMETERS
    found: dict[str, Noise] = {}
    for finding in report.findings:
        name, at = finding.mechanism, finding.at
        if name and name not in found and any(key in at for key in keys):
            pi, resampled = (short(finding.place(key), digits=3) for key in ("pi", "lambda"))
            found[name] = Noise(plain(name), short(finding.place("epsilon")), pi, resampled, above.get(name, ()))
    return tuple(found.values())


def _above(curve: Curve) -> tuple[str, ...]:
    promise = curve.promise()
    if promise is None:
        return ()
    tau, bound = promise
    return short(tau), low(bound, True), percent(bound.estimate), high(bound, True)


def thinned(found: Sequence[Curve], shown: int) -> str:
    """How the table of curves is to be read."""
    asked = curves.number_of_taus(found)
    cells = "estimate [at least, at most]"
    return (
        f"{cells}; {shown} of {count(asked)} values of tau, all of them are in json and csv" if shown < asked else cells
    )


def by_role(columns: Sequence[Column], most: int = 8) -> Iterator[tuple[str, str]]:
    """Role, and the columns that have it; the rest of a wide table as a count."""
    roles = dict.fromkeys((*_ROLES, *(column.role for column in columns)))
    for role in roles:
        members = [column for column in columns if column.role == role]
        if members:
            shown = [_described(column) for column in members[:most]]
            rest = len(members) - len(shown)
            yield role, ", ".join([*shown, f"and {count(rest)} more"] if rest else shown)


def _described(column: Column) -> str:
    remarks = [column.type]
    if column.levels is not None:
        remarks.append(f"{levels(column)} level{'' if column.levels == 1 else 's'}")
    if column.missing:
        remarks.append(f"{count(column.missing)} missing")
    return f"{plain(column.name)} ({', '.join(remarks)})"


def levels(column: Column) -> str:
    """Many are only estimated."""
    if column.levels is None:
        return ""
    return f"{'about ' if column.levels > EXACT_LEVELS else ''}{count(column.levels)}"
