"""What was audited and how, in lines; and a report's findings sorted by how they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..model import Column, Dataset, Eta, Finding, Report
from . import curves
from .curves import Curve
from .spelling import confidence, count, high, low, percent, plain, share, short

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


def sampled(eta: Eta) -> str:
    """Empty where every row was asked."""
    if eta.queries == eta.n:
        return ""
    return (
        f"Only {count(eta.queries)} of {count(eta.n)} rows, drawn at random, were asked for their neighbours; all rows "
        f"were searched."
    )


def estimated(report: Report) -> str:
    eta = report.eta
    if eta.k is None:
        return (
            f"{eta.estimator}: probabilities taken as they are; log loss {short(eta.log_loss)}, without features "
            f"{short(report.dataset.blind_log_loss)}."
        )
    asked = "every row" if eta.queries == eta.n else "each row asked"
    found = "all of them found" if eta.exact else f"{share(eta.recall)} of them found (measured)"
    blind = short(report.dataset.blind_log_loss)
    return (
        f"{eta.estimator}, metric {eta.metric}: the {count(eta.k)} nearest among {count(eta.n)} rows for {asked}, "
        f"{found}; log loss on unseen labels {short(eta.log_loss)}, without features {blind}."
    )


def level(report: Report) -> str:
    levels = dict.fromkeys(finding.confidence for finding in report.findings)
    return ", ".join(f"{confidence(level)} joint confidence" for level in levels)


def valued(report: Report) -> tuple[Finding, ...]:
    """Findings for the plain table: with a number, and on no curve."""
    return tuple(finding for finding in report.findings if not curves.on_curve(finding) and not _is_missing(finding))


def missing(report: Report) -> tuple[str, ...]:
    """What could not be computed, and why; one line for all the places where the reason is the same."""
    groups: dict[tuple[str, str, str], int] = {}
    for finding in report.findings:
        if _is_missing(finding):
            key = (finding.quantity, finding.mechanism or "", finding.bound.reason or "no reason is known")
            groups[key] = groups.get(key, 0) + 1
    return tuple(_absent(*key, times) for key, times in groups.items())


def _is_missing(finding: Finding) -> bool:
    bound = finding.bound
    return bound.estimate is None and bound.low is None and bound.high is None


def _absent(quantity: str, mechanism: str, reason: str, times: int) -> str:
    where = f" ({count(times)} values)" if times > 1 else ""
    return f"{' '.join(filter(None, (quantity, mechanism)))}{where}: {plain(reason)}"


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
    above = {curve.mechanism: _above(curve) for curve in curves.of(report)}
    found: dict[str, Noise] = {}
    for finding in report.findings:
        name, at = finding.mechanism, finding.at
        if name and name not in found and any(key in at for key in curves.PARAMETERS):
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


def place(finding: Finding) -> str:
    """Where it was asked, without the fields that only say again which mechanism it is."""
    shown = {key: value for key, value in finding.at.items() if key not in curves.PARAMETERS}
    return ", ".join(
        f"{key} = {plain(value) if isinstance(value, str) else short(value)}" for key, value in shown.items()
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
        remarks.append(f"{count(column.levels)} level{'' if column.levels == 1 else 's'}")
    if column.missing:
        remarks.append(f"{count(column.missing)} missing")
    return f"{plain(column.name)} ({', '.join(remarks)})"
