"""The tables of a report: rows are taken from its findings, and what it does not hold has no row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR

from ..core.finding import Bound, Finding
from ..core.policy import COMPARISONS, Outcome, Verdict
from ..core.quantity import NATS, PER_CENT, POINTS
from ..core.report import ALONE, TUNE, Report
from ..core.table import EXACT_LEVELS, Column
from . import found, words
from .blocks import Table
from .formats.rounds import round_step
from .formats.spelling import NOTHING, confidence, count, factor, measured, nats, percent, places, plain, short

_COMPARED, _CHOSEN, _SURE = " (compared)", " (chosen)", "certified, at least"
_MECHANISMS, _LINES, _NUMBERS, _COLUMNS, _TAUS, _TRIED, _GROUPS = 7, 8, 200, 120, 13, 7, 20  # rows shown at most
Row = tuple[str, Bound | None]
Kind = tuple[str, str | None, float | None]  # quantity, mechanism and loss of what a column adds

# ---- the one table of the screen


def main(report: Report) -> Table | None:
    """What its command was asked; otherwise the first that it has numbers for."""
    asked = _MAIN.get(report.command)
    if report.command == "check":
        asked = lines
    made = (one(report) for one in ([asked] if asked else []) + [shares, gains, losses, chances, lines])
    return next((one for one in made if one is not None), None)


def _names(report: Report, *quantities: str, whole: bool) -> tuple[tuple[str, ...], str]:
    """The few that matter, and how many more there are; or all of them."""
    every = found.mechanisms(report, *quantities)
    if whole:
        return every, ""
    picked = [found.strongest(report, one) for one in quantities]
    planned = found.mechanisms(found.planned(report), *quantities)
    shown = found.few(every, [*picked, *planned][: _MECHANISMS - 1], _MECHANISMS)
    rest = len(every) - len(shown)
    return shown, f"and {count(rest)} more mechanisms" if rest else ""


def _label(report: Report, name: str) -> str:
    return words.mechanism(report, name) + (_COMPARED if name in found.compared(report) else "")


def _rows(report: Report, names: Iterable[str], quantity: str, tau: float | None = None) -> list[Row]:
    """Features alone, mechanisms, no noise."""
    known = found.baselines(report, quantity, tau)
    before = [(words.baseline(name), one) for name, one in known.items() if words.baseline(name) != words.CLEAR]
    after = [(words.baseline(name), one) for name, one in known.items() if words.baseline(name) == words.CLEAR]
    middle: list[Row] = [(_label(report, name), found.bound(report, quantity, name, tau)) for name in names]
    return [*before, *middle, *after]


def _joined(columns: Sequence[Sequence[Row]], units: Sequence[str], factor: bool = False) -> list[list[str]]:
    """Columns with rows of the same names side by side, in the order in which names first appear."""
    there = list(dict.fromkeys(name for column in columns for name, _ in column))
    sure = [name for name in there if name.startswith(_SURE)]
    middle = [name for name in there if name not in (*_ENDS, *sure)]
    names = [name for name in (words.FEATURES, *middle, words.CLEAR, *sure) if name in there]
    known = [dict(column) for column in columns]
    cells = [
        words.cells([one.get(name) for name in names], unit, factor) for one, unit in zip(known, units, strict=True)
    ]
    return [[name, *(column[place] for column in cells)] for place, name in enumerate(names)]


_ENDS = (words.FEATURES, words.CLEAR)


def _exactly(value: float) -> Bound:
    return Bound(value, None, None, 0, "")


def _certain(report: Report, quantity: str, name: str | None, several: bool, tau: float | None = None) -> list[Row]:
    """The certified low of the mechanism that the answer is about."""
    bound = found.bound(report, found.CERTIFIED + quantity, name, tau)
    label = f"{_SURE} ({words.mechanism(report, name)})" if several and name else _SURE
    return [] if bound is None or bound.low is None else [(label, _exactly(_floor(bound.low)))]


def _floor(value: float) -> float:
    """Two digits, outward."""
    if not value or math.isinf(value):
        return value
    grain = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return round(math.floor(value / grain * (1 + 1e-12)) * grain, 12)


def shares(report: Report, whole: bool = False) -> Table | None:
    """Losses across, mechanisms down."""
    names, more = _names(report, found.J, whole=whole)
    taus, best = found.taus(report), found.strongest(report, found.J)
    if not names or not taus:
        return None
    columns = [
        [*_rows(report, names, found.J, tau), *_certain(report, found.J, best, len(names) > 1, tau)] for tau in taus
    ]
    header = ("people who lose more than", *(_loss(tau, place) for place, tau in enumerate(taus)))
    return Table(header, _joined(columns, [PER_CENT] * len(taus)), note=more)


def _loss(tau: float, place: int) -> str:
    return f"{nats(tau)} ({'odds ' if place == 0 else ''}x{factor(tau)})"


def losses(report: Report, whole: bool = False) -> Table | None:
    names, more = _names(report, found.WORST, whole=whole)
    if not names:
        return None
    rows = _rows(report, names, found.WORST)
    sure = {_label(report, name): found.bound(report, "certified_nu_max", name) for name in names}
    sides = [words.low(one, NATS) if (one := sure.get(label)) is not None else "" for label, _ in rows]
    cells = words.cells([one for _, one in rows], NATS, factor=True)
    body = [[label, *pair] for (label, _), pair in zip(rows, zip(cells, sides, strict=True), strict=True)]
    if not any(sides):
        body = [row[:2] for row in body]
    header = ("largest loss of a person", "nats (odds)", _SURE)[: len(body[0])]
    return Table(header, body, note=more)


def gains(report: Report, whole: bool = False) -> Table | None:
    names, more = _names(report, found.ADDED, whole=whole)
    if not names:
        return None
    best, several = found.strongest(report, found.ADDED), len(names) > 1
    columns = [
        [*_rows(report, names, one), *_certain(report, one, best, several)] for one in (found.ADDED, found.INFORMED)
    ]
    rows = _joined(columns, [POINTS, PER_CENT])
    like = {_label(report, name): _like(report, name) for name in names}
    alike = " (classes alike)" if report.parameters.get("utility") == "balanced" else ""
    header = ("what is released", "adds, points", f"guessed right{alike}", "adds as much as")
    if not any(like.values()):
        return Table(header[:3], rows, note=more)
    return Table(header, [[*row, like.get(row[0], "")] for row in rows], note=more, left=(0, 3))


def _like(report: Report, name: str) -> str:
    """The strength of randomized response, or the smallest bag, that adds as much on this table."""
    for quantity, spec in found.SAME.items():
        value = found.bound(report, quantity, name)
        if value is not None and value.estimate is not None:
            if not value.estimate or math.isinf(value.estimate):
                return "labels in the clear" if value.estimate else "nothing"
            whole = value.estimate == round(value.estimate)
            return f"{spec}{value.estimate:.0f}" if whole else f"{spec}{short(value.estimate, digits=2)}"
    return ""


def everything(report: Report) -> Table | None:
    """For `audit`: one row for each mechanism, one column for each question."""
    names, more = _names(report, found.J, found.ADDED, whole=False)
    best = found.strongest(report, found.J) or ""
    tau = found.tau_of_answer(report, best)
    if not found.mechanisms(report, found.J) or tau is None:
        return gains(report)
    columns = [
        [*_rows(report, names, quantity, at), *_certain(report, quantity, best, len(names) > 1, at)]
        for quantity, at in ((found.J, tau), (found.WORST, None), (found.ADDED, None))
    ]
    header = ("what is released", f"lose > {nats(tau)}", "largest loss, nats", "adds, points")
    return Table(header, _joined(columns, [PER_CENT, NATS, POINTS]), note=more)


def chances(report: Report) -> Table | None:
    """What the features alone tell."""
    asked = [
        one
        for one in report.findings
        if one.quantity in (found.FEATURES, "eta_min", "eta_max") and one.mechanism is None
    ]
    if not asked:
        return None
    names = {"eta_min": "least chance of", "eta_max": "greatest chance of", found.FEATURES: "labels guessed right"}
    labels = [
        f"{names[one.quantity]} {plain(str(one.at.get('class', report.dataset.positive or '')))}"
        if one.quantity != found.FEATURES else names[one.quantity] for one in asked
    ]  # fmt: skip
    kept = [label for label in found.few(labels, most=8)]
    rows = [
        row
        for row in _joined([[*zip(labels, (one.bound for one in asked), strict=True)]], [PER_CENT])
        if row[0] in kept
    ]
    sure = found.bound(report, "certified_uninformed_utility")
    if sure is not None and sure.low is not None:
        rows.append([f"{_SURE}: guessed right", f"{words.low(sure, PER_CENT)} %"])
    rest = len(labels) - len(kept)
    note = f"and {count(rest)} more" if rest else ""
    return Table(("from the features alone", "estimate, low-high"), rows, note=note)


# ---- the policy


def lines(report: Report, whole: bool = False) -> Table | None:
    """The worst first."""
    judged = report.judgement
    if judged is None or not judged.verdicts:
        return None
    order = list(Outcome)
    ranked = sorted(judged.verdicts, key=lambda one: (not one.counts, order.index(one.outcome)))
    rows, shown = [_line(one, report) for one in ranked], len(ranked) if whole else _LINES
    note = f"and {count(len(rows) - shown)} more lines" if len(rows) > shown else ""
    header = ("blocked if", "outcome", "measured", "estimate", "under")
    return Table(header, rows[:shown], note=note, left=(0, 1, 4))


def _line(one: Verdict, report: Report) -> list[str]:
    unit = found.quantity(report, one.quantity).written_in
    rounding = {"low": ROUND_FLOOR, "high": ROUND_CEILING}.get(one.field, "ROUND_HALF_EVEN")
    suffix = " %" if unit == PER_CENT else ""
    value = NOTHING if one.value is None else words.amount(one.value, unit, rounding) + suffix
    estimate = None if one.worst is None else one.worst.bound.estimate
    beside = NOTHING if estimate is None else words.amount(estimate, unit) + suffix
    about = words.mechanism(report, one.worst.mechanism) if one.worst is not None and one.worst.mechanism else ""
    return [one.line, _outcome(one), value, beside, one.said if one.outcome is Outcome.NOT_MEASURED else about]


def _outcome(one: Verdict) -> str:
    return f"{one.outcome}, waived until {one.waiver.until.isoformat()}" if one.waiver else str(one.outcome)


# ---- the search for the least noise


def tuning(report: Report, whole: bool = False) -> Table | None:
    """The noisiest strength, the chosen one, the next that breaks the policy, the clearest; of each what lines ask."""
    rows, asked, more = [], _asked(report)[: None if whole else 2], 0
    for search in (one for one in report.findings if one.quantity == found.TUNED):
        specs = _strengths(report, search)
        at = specs.index(search.mechanism) if search.mechanism in specs else -1
        beside = specs[at + 1 : at + 2] if at >= 0 else []
        shown = specs if whole else found.few(specs, [search.mechanism, *beside], most=5)
        more += len(specs) - len(shown)
        rows += [_strength(report, spec, spec == search.mechanism, asked) for spec in shown]
    if not rows or not asked:
        return None
    note = "Limits hold at all strengths at once." if whole else f"and {count(more)} more strengths" if more else ""
    header = ("what is released", *(one.line for one in asked))
    return Table(header, rows, note=note, left=tuple(range(len(header))))


def _asked(report: Report) -> list[Verdict]:
    """Lines of the policy that a number was found for, each once."""
    judged = report.judgement.verdicts if report.judgement else ()
    return list({one.line: one for one in judged if one.worst is not None}.values())


def _strengths(report: Report, search: Finding) -> list[str]:
    """From the most noise to the least, as they were tried."""
    known = report.parameters.get(TUNE)
    specs = known.get(search.at.get("scale"), ()) if isinstance(known, Mapping) else ()
    return [str(one) for one in specs]


def _strength(report: Report, spec: str, chosen: bool, asked: Sequence[Verdict]) -> list[str]:
    vetoes = report.parameters.get(ALONE)
    vetoed = vetoes if isinstance(vetoes, Mapping) else {}
    cells = [_tried(report, spec, one, spec in vetoed.get(one.line, ())) for one in asked]
    return [words.mechanism(report, spec) + (_CHOSEN if chosen else ""), *cells]


def _tried(report: Report, spec: str, line: Verdict, alone: bool) -> str:
    assert line.worst is not None
    of_features = line.worst.mechanism is None
    tau = line.worst.place("tau")
    bound = line.worst.bound if of_features else found.bound(report, line.quantity, spec, tau)
    value = None if bound is None else getattr(bound, line.field)
    if bound is None or value is None:
        return f"{NOTHING} {Outcome.NOT_MEASURED}"
    unit = found.quantity(report, line.quantity).written_in
    outcome = "breaks it" if _breaks(line, value) else "breaks it alone" if alone else "passes"
    if outcome == "passes" and line.is_lenient:  # a certificate has the estimate of what it certifies
        quantity = line.quantity.removeprefix(found.CERTIFIED)
        beside = bound if bound.estimate is not None else found.bound(report, quantity, spec, tau)
        outcome = Outcome.UNPROVEN if beside is not None and _breaks(line, beside.estimate) else outcome
    return f"{words.cells([bound], unit)[0]}  {outcome}"


def _breaks(line: Verdict, value: float | None) -> bool:
    return value is not None and COMPARISONS[line.comparison](value, line.threshold)


# ---- what is folded away


def curves(report: Report) -> Table | None:
    """Shares at round losses, all mechanisms."""
    names = found.mechanisms(report, found.J)
    taus = sorted({tau for one in report.findings if one.quantity == found.J and (tau := one.place("tau")) is not None})
    if not names or len(taus) <= 3:
        return None
    step = round_step((taus[-1] - taus[0]) / (_TAUS - 1))
    rounds = [tau for tau in taus if math.isclose(tau, round(tau / step) * step, abs_tol=1e-9)]
    shown = taus if len(taus) <= _TAUS else rounds if len(rounds) > 3 else taus[:: -(-len(taus) // _TAUS)]
    columns = [words.cells([found.bound(report, found.J, name, tau) for tau in shown], PER_CENT) for name in names]
    rows = [[short(tau), *(column[place] for column in columns)] for place, tau in enumerate(shown)]
    note = (
        f"Estimate, low-high. {count(len(taus))} losses are in JSON and CSV."
        if len(shown) < len(taus)
        else "Estimate, low-high."
    )
    return Table(("loss, nats", *(_label(report, name) for name in names)), rows, note=note)


def mechanisms(report: Report) -> Table | None:
    """In all their equivalent parameters."""
    first = {one.mechanism: one for one in reversed(report.findings) if one.mechanism and "epsilon" in one.at}
    rows = [
        [_label(report, name), *(short(one.place(key), digits=3) for key in ("epsilon", "pi", "lambda"))]
        for name in found.mechanisms(report) if (one := first.get(name)) is not None
    ]  # fmt: skip
    note = "pi: share of labels flipped; lambda: share drawn anew."
    return Table(("mechanism", "epsilon", "pi", "lambda"), rows, note=note) if rows else None


def theorems(report: Report) -> Table | None:
    """What theorems allow a release to add, beside what it adds."""
    known = [one for one in report.findings if one.quantity == "advantage_bound" and one.bound.high is not None]
    rows = [
        [_label(report, one.mechanism or ""), plain(str(one.at.get("bound", ""))), words.high(one.bound, POINTS)]
        for one in known
    ]
    note = (
        "002: Wu and others, Does Label Differential Privacy Prevent Label Inference Attacks? 003: Busa-Fekete and "
        "others, A Unified Analysis of Label Inference Attacks. More in docs/mathematics.md."
    )
    header = ("mechanism", "theorem", "adds at most, points")
    return Table(header, rows[:_NUMBERS], note=note, left=(0, 1)) if rows else None


def columns_add(report: Report) -> Table | None:
    """What changes where a column is left out, the largest change first."""
    known = [one for one in report.findings if one.quantity in found.COLUMNS and isinstance(one.at.get("column"), str)]
    best = {found.strongest(report, found.J), found.strongest(report, found.ADDED), None}
    about = [one for one in known if one.mechanism in best] or known
    kinds = dict.fromkeys((one.quantity, one.mechanism, one.place("tau")) for one in about)
    if not kinds:
        return None
    cells = {((one.quantity, one.mechanism, one.place("tau")), str(one.at["column"])): one.bound for one in known}
    ranked = sorted({str(one.at["column"]) for one in known}, key=lambda name: -_size(cells, next(iter(kinds)), name))
    shown = ranked[:_COLUMNS]
    filled = [
        words.cells([cells.get((kind, name)) for name in shown], found.quantity(report, kind[0]).written_in)
        for kind in kinds
    ]
    rows = [[name, *(column[place] for column in filled)] for place, name in enumerate(shown)]
    rest = f" {count(len(ranked) - _COLUMNS)} more are in JSON and CSV." if len(ranked) > _COLUMNS else ""
    note = (
        f"Estimate, low-high of what is lost without that one column.{rest} They do not add up: of columns that say "
        "the same, each can be left out at no gain."
    )
    return Table(("column", *(_kind(report, *kind) for kind in kinds)), rows, note=note)


def _size(cells: Mapping[tuple[Kind, str], Bound], kind: Kind, name: str) -> float:
    bound = cells.get((kind, name))
    return -math.inf if bound is None or bound.estimate is None else bound.estimate


def _kind(report: Report, quantity: str, mechanism: str | None, tau: float | None) -> str:
    known, under = found.quantity(report, quantity), f" under {words.mechanism(report, mechanism)}" if mechanism else ""
    at = "" if tau is None else f" at {nats(tau)}"
    return f"{known.title}{at}{under}, {known.written_in}"


def tried(report: Report) -> Table | None:
    """Estimators that were tried, the best first, and last what knowing no feature costs."""
    every = report.eta.tried
    if not every:
        return None
    best = next((one for one in every if one.behind == one.behind_error == 0), every[0])
    of_loss, of_more = places(one.standard_error for one in every), places(one.behind_error for one in every)
    rows = [
        [plain(one.name) + ("" if one.k is None else f", k = {count(one.k)}")
         + (" (used)" if (one.name, one.k) == (report.eta.estimator, one.k if one.k is None else report.eta.k) else ""),
         measured(one.log_loss, one.standard_error, of_loss),
         NOTHING if one is best else measured(one.behind, one.behind_error, of_more)]
        for one in every[:_TRIED]
    ]  # fmt: skip
    blind = report.dataset.blind_log_loss
    rows.append(["without features", f"{blind:.{of_loss}f}", f"{blind - best.log_loss:.{of_more}f}"])
    rest = f" {count(len(every) - _TRIED)} more are in JSON." if len(every) > _TRIED else ""
    note = f"Log loss on labels not seen: 0 is always sure and right. ±: one standard error.{rest}"
    return Table(("estimator", "log loss", f"more than {plain(best.name)}"), rows, note=note)


def calibration(report: Report) -> Table | None:
    """Predicted and observed shares among rows with like estimates."""
    every = report.eta.reliability
    shown = [one for one in every if len(every) <= _GROUPS or not one.fits][:_GROUPS]
    rows = [
        [plain(one.of), count(one.rows), f"{percent(one.said)} %", f"{percent(one.came)} %",
         f"{percent(one.low, ROUND_FLOOR)}-{percent(one.high, ROUND_CEILING)}", "yes" if one.fits else "no"]
        for one in shown
    ]  # fmt: skip
    header = ("label", "rows", "predicted", "observed", "low-high", "fits")
    note = "low and high of the observed share hold for all groups together at about 99 %."
    return Table(header, rows, note=note, left=(0, 5)) if rows else None


def numbers(report: Report) -> Table | None:
    """All findings that have a number, but for the points of curves and the columns."""
    left_out = (found.J, "certified_j", found.TUNED, "advantage_bound", *found.COLUMNS, *found.FOR_PROGRAMS)
    taus = (None, *found.taus(report))
    asked = (one for one in report.findings if one.quantity != "j_added" or one.place("tau") in taus)
    known = [one for one in asked if one.quantity not in left_out and found.has_number(one.bound)]
    rows = [_number(one, report) for one in known[:_NUMBERS]]
    levels = ", ".join(dict.fromkeys(confidence(one.confidence) for one in report.findings))
    rest = f" {count(len(known) - _NUMBERS)} more are in JSON and CSV." if len(known) > _NUMBERS else ""
    header = ("quantity", "mechanism", "estimate", "low", "high")
    return Table(header, rows, note=f"At {levels} joint confidence.{rest}", left=(0, 1)) if rows else None


def _number(one: Finding, report: Report) -> list[str]:
    unit, bound = found.quantity(report, one.quantity).written_in, one.bound
    sign = f" {unit}" if unit == PER_CENT else ""
    values = [words.amount(bound.estimate, unit, digits=4), words.amount(bound.low, unit, ROUND_FLOOR, 4)]
    values.append(words.amount(bound.high, unit, ROUND_CEILING, 4))
    if bound.high == math.inf != bound.low:
        values[-1] = "no limit"
    shown = [value + sign if value[-1:].isdigit() else value for value in values]
    return [words.named(one), _label(report, one.mechanism) if one.mechanism else "", *shown]


def schema(report: Report) -> Table | None:
    columns = report.dataset.columns
    rest = f"And {count(len(columns) - _COLUMNS)} more." if len(columns) > _COLUMNS else ""
    header = ("column", "role", "type", "missing", "levels")
    return Table(header, list(map(_column, columns[:_COLUMNS])), note=rest, left=(0, 1, 2)) if columns else None


def _column(one: Column) -> list[str]:
    about = "about " if (one.levels or 0) > EXACT_LEVELS else ""
    return [one.name, one.role, one.type, count(one.missing), "" if one.levels is None else about + count(one.levels)]


_MAIN: Mapping[str, Callable[[Report], Table | None]] = {
    "estimate-j": shares, "nu-max": losses, "advantage": gains, "estimate-eta": chances, "audit": everything,
    "tune": tuning,
}  # fmt: skip
