"""The tables of a report: rows are taken from its findings, and what it does not hold has no row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR

from ..core.finding import Bound, Finding, Knows, Way
from ..core.policy import COMPARISONS, Outcome, Verdict
from ..core.quantity import NATS, PER_CENT, POINTS
from ..core.quoting import plain
from ..core.report import OLDER, TUNE, VERIFY, Report
from ..core.table import EXACT_LEVELS, Column
from . import answers, found, words
from .blocks import Table
from .formats.spelling import NOTHING, confidence, count, factor, nats, percent, places, round_step, short

_COMPARED, _CHOSEN, _SURE, _MORE = " (compared)", " (chosen)", "certified, at least", " or more"
# Rows shown at most.
_MECHANISMS, _JUDGED, _LINES, _NUMBERS, _COLUMNS, _TAUS, _TRIED, _GROUPS = 7, 5, 8, 200, 120, 13, 7, 20
_CHANGES, _AT_RISK, _VERIFIED = 12, 8, 14
Row = tuple[str, Bound | None]

# ---- the one table of the screen


@found.once
def main(report: Report) -> Table | None:
    """What its command was asked, of an audit the policy where there is one; otherwise the first that it has numbers
    for."""
    asked = lines if report.command == "audit" and report.judgement is not None else _MAIN.get(report.command)
    made = (one(report) for one in ([asked] if asked else []) + [shares, gains, losses, chances, lines])
    return next((one for one in made if one is not None), None)


def _names(report: Report, *quantities: str, whole: bool) -> tuple[tuple[str, ...], str]:
    """The few that matter, and how many more there are; or all of them."""
    every = found.mechanisms(report, *quantities)
    if whole:
        return every, ""
    picked = [found.strongest(report, one) for one in quantities]
    planned = found.mechanisms(found.planned(report), *quantities)
    shown = found.few(every, list(dict.fromkeys([*picked, *planned]))[:_MECHANISMS], _MECHANISMS)
    rest = len(every) - len(shown)
    return shown, _and_more(rest, "mechanism")


def _and_more(number: int, what: str) -> str:
    return f"and {count(number)} more {what}{'s' if number > 1 else ''}" if number > 0 else ""


def _label(report: Report, name: str) -> str:
    return words.mechanism(report, name) + (_COMPARED if name in found.compared(report) else "")


def _rows(report: Report, names: Iterable[str], quantity: str, tau: float | None = None) -> list[Row]:
    """Features alone, mechanisms, no noise."""
    known: list[Row] = [(words.baseline(name), one) for name, one in found.baselines(report, quantity, tau).items()]
    middle: list[Row] = [(_label(report, name), found.bound(report, quantity, name, tau)) for name in names]
    return [*(one for one in known if one[0] != words.CLEAR), *middle, *(one for one in known if one[0] == words.CLEAR)]


def _of(report: Report, name: str | None, names: Sequence[str]) -> str:
    return "" if len(names) < 2 or not name else f" ({words.mechanism(report, name)})"


def _joined(
    report: Report, names: Sequence[str], best: str | None, columns: Sequence[tuple[str, float | None, str]]
) -> list[list[str]]:
    """Columns of a quantity, a loss and a unit side by side: the features alone, mechanisms, no noise, and of the
    mechanism that the answer is about neighbourhood averages and the certified low, two digits of it and outward."""
    known = {name: [words.near(found.bound(report, what, name, tau)) for what, tau, _ in columns] for name in names}
    mean = best if any(known.get(best or "", ())) else next((name for name in names if any(known[name])), None)
    sure, near = (what + _of(report, name, names) for what, name in ((_SURE, best), (words.NEAR, mean)))
    made = []
    for place, (quantity, tau, unit) in enumerate(columns):
        rows, low = _rows(report, names, quantity, tau), found.bound(report, found.CERTIFIED + quantity, best, tau)
        if mean and (average := known[mean][place]) is not None:
            rows.append((near, average))
        if low is not None and low.low is not None:
            rows.append((sure, Bound(_floor(low.low), None, None, 0, "")))
        made.append((dict(rows), unit))
    there = dict.fromkeys(name for column, _ in made for name in column)
    ends = (words.CLEAR, near, sure)
    order = sorted(there, key=lambda name: (ends.index(name) + 1 if name in ends else 0, name != words.FEATURES))
    cells = [words.cells([column.get(name) for name in order], unit) for column, unit in made]
    return [[name, *(column[place] for column in cells)] for place, name in enumerate(order)]


def _floor(value: float) -> float:
    if not value or math.isinf(value):
        return value
    grain = 10.0 ** (math.floor(math.log10(abs(value))) - 1)
    return round(math.floor(value / grain * (1 + 1e-12)) * grain, 12)


def shares(report: Report) -> Table | None:
    """Losses across, mechanisms down."""
    names, more = _names(report, found.J, whole=False)
    taus, best = found.taus(report), found.strongest(report, found.J)
    if not names or not taus:
        return None
    header = [f"{nats(tau)} ({'' if place else 'odds '}x{factor(tau)})" for place, tau in enumerate(taus)]
    rows = _joined(report, names, best, [(found.J, tau, PER_CENT) for tau in taus])
    return Table(("people who lose more than", *header), rows, note=more)


def losses(report: Report, whole: bool = False) -> Table | None:
    names, more = _names(report, found.WORST, whole=whole)
    if not names:
        return None
    rows, best = _rows(report, names, found.WORST), found.strongest(report, found.WORST)
    if average := words.near(found.bound(report, found.WORST, best)):
        rows.append((words.NEAR + _of(report, best, names), average))
    sure = {_label(report, name): found.bound(report, found.CERTIFIED + found.WORST, name) for name in names}
    sides = [words.low(one, NATS) if (one := sure.get(label)) is not None else "" for label, _ in rows]
    cells = words.cells([one for _, one in rows], NATS, odds=True)
    wide = 3 if any(sides) else 2
    body = [[label, *pair][:wide] for (label, _), *pair in zip(rows, cells, sides, strict=True)]
    return Table(("largest loss of a person", "nats (odds)", _SURE)[:wide], body, note=more)


def gains(report: Report, whole: bool = False) -> Table | None:
    names, more = _names(report, found.ADDED, whole=whole)
    if not names:
        return None
    best = found.strongest(report, found.ADDED)
    rows = _joined(report, names, best, [(found.ADDED, None, POINTS), (found.INFORMED, None, PER_CENT)])
    like = {_label(report, name): _like(report, name) for name in names}
    alike = " (classes alike)" if report.parameters.get("utility") == "balanced" else ""
    header = ("what is released", "adds, points", f"guessed right{alike}", "adds as much as")
    if not any(like.values()):
        return Table(header[:3], rows, note=more)
    return Table(header, [[*row, like.get(row[0], "")] for row in rows], note=more, left=(0, 3))


def odds(report: Report) -> Table | None:
    """How far releases move the odds of true labels, for how many people; and what they add for who knows the most."""
    names = found.mechanisms(report, found.MOVED)
    if not names:
        return None
    told = [one for one in report.findings if one.quantity == found.MOVED]
    shares = sorted({at for one in told if (at := one.place(found.QUANTILE)) is not None})
    header = [f"1 in {1 / (1 - share):.0f}" for share in shares]
    rows = []
    for name in names:
        moved = {one.place(found.QUANTILE): one.bound for one in told if one.mechanism == name}
        rows.append([_label(report, name), *(words.cells([moved.get(share)], NATS, odds=True)[0] for share in shares)])
    most = words.cells([found.bound(report, found.KNOWING, name) for name in names], POINTS)
    body = [[*row, added] for row, added in zip(rows, most, strict=True)]
    note = "by at least so many nats, and so many times; points added for who knows all other labels"
    return Table(("the odds of the true label grow for", *header, "others known"), body, note=note)


def attacks(report: Report) -> Table | None:
    """Who was played, and what each got."""
    played = found.attackers(report)
    if not played:
        return None
    columns = [
        words.cells([None if key not in one else one[key].bound for one in played.values()], unit)
        for key, unit in ((found.GUESSED, PER_CENT), (found.GAINED, POINTS), (found.RECOVERED, PER_CENT))
    ]
    moved = [one.get(f"{found.ODDS_GAIN} 0.95") for one in played.values()]
    nats_of = [words.amount(None if one is None else one.bound.estimate, NATS) for one in moved]
    known = [str(one[found.GUESSED].at.get("knows", "")) if found.GUESSED in one else "" for one in played.values()]
    knows = ["both" if one == Knows.BOTH else one for one in known]
    alike = ", classes alike" if report.parameters.get("utility") == "balanced" else ""
    header = ("attacker", "knows", f"guessed right{alike}", "more, points", "recovered", "moved, nats")
    rows = [list(row) for row in zip(played, knows, *columns, nats_of, strict=True)]
    note = "Recovered: posterior above 0.99. Moved: log odds of the true label; 95 % of people move no further."
    return Table(header, rows, note=note, left=(0, 1))


def _like(report: Report, name: str) -> str:
    """The strength of randomized response, or the smallest bag, that adds as much on this table."""
    for quantity, spec in found.SAME.items():
        bound = found.bound(report, quantity, name)
        value = None if bound is None else bound.estimate
        if value is not None:
            if not value or math.isinf(value):
                return "labels in the clear" if value else "nothing"
            return spec + (f"{value:.0f}" if value == round(value) else short(value, digits=2))
    return ""


def everything(report: Report) -> Table | None:
    """One row for each mechanism, one column for each question."""
    names, more = _names(report, found.J, found.ADDED, whole=False)
    best = found.strongest(report, found.J) or ""
    tau = found.tau_of_answer(report, best)
    if not found.mechanisms(report, found.J) or tau is None:
        return gains(report)
    header = ("what is released", f"lose > {nats(tau)}", "largest loss, nats", "adds, points")
    columns = ((found.J, tau, PER_CENT), (found.WORST, None, NATS), (found.ADDED, None, POINTS))
    return Table(header, _joined(report, names, best, columns), note=more)


def chances(report: Report) -> Table | None:
    """What the features alone tell."""
    names = {"eta_min": "least chance of", "eta_max": "greatest chance of", found.FEATURES: "labels guessed right"}
    asked: dict[str, Bound] = {}
    for one in report.findings:
        if one.quantity in names and one.mechanism is None:
            of = "" if one.quantity == found.FEATURES else f" {one.at.get('class', report.dataset.positive or '')}"
            asked[names[one.quantity] + plain(of)] = one.bound
    if not asked:
        return None
    kept = found.few(list(asked), most=8)
    rest, sure = len(asked) - len(kept), found.bound(report, "certified_uninformed_utility")
    if sure is not None and sure.low is not None:
        asked[guessed := f"{_SURE}: guessed right"] = Bound(_floor(sure.low), None, None, 0, "")
        kept = (*kept, guessed)
    known = zip(asked, words.cells(list(asked.values()), PER_CENT), strict=True)
    rows = [[label, cell] for label, cell in known if label in kept]
    return Table(
        ("from the features alone", "estimate, low-high"), rows, note=f"and {count(rest)} more" if rest else ""
    )


# ---- the policy


def lines(report: Report, whole: bool = False) -> Table | None:
    """The worst first."""
    judged = report.judgement
    if judged is None or not judged.verdicts:
        return None
    rows = [_line(one, report) for one in answers.ranked(judged)]
    shown = len(rows) if whole else _LINES
    note = _and_more(len(rows) - shown, "line")
    header = ("blocked if", "outcome", "estimate", "low-high", "under")
    return Table(header, rows[:shown], note=note, left=(0, 1, 4))


def _line(one: Verdict, report: Report) -> list[str]:
    unit = found.quantity(report, one.quantity).written_in
    estimate, ends = (NOTHING, "") if one.worst is None else _measured(one.worst.bound, unit)
    about = words.mechanism(report, one.worst.mechanism) if one.worst is not None and one.worst.mechanism else ""
    outcome = str(one.outcome)
    if one.waiver is not None:
        until = f"waived until {one.waiver.until.isoformat()}"
        outcome = f"{outcome}, {'as before' if one.waiver.baseline else until}"
    return [one.line, outcome, estimate, ends, one.said if one.outcome is Outcome.NOT_MEASURED else about]


def _measured(bound: Bound, unit: str) -> tuple[str, str]:
    """The estimate and its ends: the unit stands beside the first of them that there is."""
    value, ends = bound.estimate, words.ends(bound, unit)
    if value is None:
        low, more, _ = ends.partition(" or more")
        return NOTHING, f"{low} {unit}{more}" if ends and unit else ends
    return words.amount(value, unit) + (f" {unit}" if unit and math.isfinite(value) else ""), ends


_CHECKS = {
    "rows": "the same records", "schema": "the same columns", "pseudonyms": "one pseudonym for each person",
    "classes": "the same classes", "values": "no labels but those of the manifest",
    "manifest": "the manifest says what the mechanism does", "manifest-rows": "the manifest counts the rows",
    "guarantees": "its epsilon is that of the mechanism", "randomness": "nobody can repeat the draw",
    "channels": "laws of labels that spend what is said", "bag-table": "nothing else in the table of bags",
    "bag-sizes": "bags of the stated size",
    "bag-counts": "the counts of the labels", "range": "values that such a release can have",
    "alike": "the same said of rows with the same features",
    "channel": "noise on each class", "position": "noise at every 64th row",
    "along": "noise along the file", "repeats": "no noise used twice", "features": "noise against each other column",
    "order": "rows in a random order", "noise": "the law of the noise", "composition": "labels at random in bags",
    "places": "rows at random in bags",
}  # fmt: skip


def checks(report: Report, whole: bool = False) -> Table | None:
    """What was checked of a release, what failed first."""
    judged = report.judgement
    if judged is None:
        return None
    rows = []
    for one in answers.ranked(judged):
        at = {} if one.worst is None else one.worst.at
        code = str(at.get("check", ""))
        column = f" (column {plain(str(at['column']))})" if "column" in at and one.counts else ""
        name = _CHECKS.get(code) or _limited(one, report)
        rows.append([name + column, str(one.outcome), _shown(one)])
    shown = len(rows) if whole else _VERIFIED
    rest = sum(row[1] == Outcome.PASS for row in rows[shown:])
    note = (
        f"and {count(len(rows) - shown)} more, {'all of which pass' if rest == len(rows) - shown else 'see the page'}"
    )
    header = ("check", "outcome", "what was seen")
    return Table(header, rows[:shown], note=note if len(rows) > shown else "", left=(0, 1, 2))


def _limited(one: Verdict, report: Report) -> str:
    """The quantity that has a limit."""
    title = found.quantity(report, one.worst.quantity).title if one.worst is not None else one.line
    return plain(title[:1].lower() + title[1:])


def _shown(one: Verdict) -> str:
    """A count of departures, a p-value, or a limit."""
    value = one.value
    if value is None:
        return plain(one.said)
    if one.comparison == "<":
        return f"p = {value:.2g}" if value < 1 else "nothing unusual"
    if one.field == "estimate":
        return f"{count(int(value))} wrong" if value else "nothing wrong"
    return f"{words.said(value, NATS, ROUND_FLOOR)}, claimed {short(one.threshold)}"


def changes(report: Report, whole: bool = False) -> Table | None:
    """The largest gap first, of what got worse and then of what got better; certified lows that rose only in whole."""
    if OLDER not in report.parameters:
        return None
    rows, known = [], [one for one in report.changes if whole or one.way is not Way.CERTAIN]
    for one in known if whole else known[:_CHANGES]:
        unit = found.quantity(report, one.new.quantity).written_in
        before, now = (words.cells([side.bound], unit)[0] for side in (one.old, one.new))
        rows.append([answers.about(one.old, report), before, now, str(one.way)])
    more = len(known) - len(rows)
    note = f"and {count(more)} more" if more else ""
    return Table(("what changed", "before", "now", "which is"), rows, note=note, left=(0, 3))


def groups(report: Report, whole: bool = False) -> Table | None:
    """Who is at risk, the largest loss first, or who is guessed best."""
    sure = found.groups(report)
    if not sure:
        return None
    label, prior = plain(report.dataset.positive or "")[:20], report.dataset.prior[-1]
    header = (
        "who is at risk by the features alone",
        "of people",
        f"label {label}",
        "mean loss, nats",
        _SURE,
        "guessed right",
    )
    rows = []
    for name, known in sure if whole else sure[:_AT_RISK]:
        counted = (found.GROUP_SHARE, found.GROUP_POSITIVE, found.GROUP_GUESSED)
        share, positive, right = (words.cells([known.get(one)], PER_CENT)[0] for one in counted)
        loss = known.get(found.GROUP_LOSS)
        mean = words.amount(None if loss is None else loss.estimate, NATS)
        rows.append([name, share, positive, mean, _certain(loss), right])
    if found.GROUP_POSITIVE not in sure[0][1]:  # of more than two classes
        return Table((header[0], header[1], header[-1]), [[row[0], row[1], row[-1]] for row in rows])
    return Table(header, rows, note=f"Among all people {words.said(prior, PER_CENT)} have the label {label}.")


def _certain(bound: Bound | None) -> str:
    """A limit below nothing says nothing."""
    return words.low(bound, NATS) if bound is not None and (bound.low or 0.0) > 0 else NOTHING


# ---- the search for the least noise


def tuning(report: Report, whole: bool = False) -> Table | None:
    """The noisiest strength, the chosen one, the next that breaks the policy, the clearest; of each what lines ask."""
    measured = {one.line: one for one in found.verdicts(report) if one.worst is not None}
    rows, more, asked = [], 0, list(measured.values())[: None if whole else 2]
    known = value if isinstance(value := report.parameters.get(TUNE), Mapping) else {}
    for search in (one for one in report.findings if one.quantity == found.TUNED):
        specs = [str(one) for one in known.get(search.at.get("scale"), ())]  # from the most noise to the least
        at = specs.index(search.mechanism) if search.mechanism in specs else -1
        beside = specs[at + 1 : at + 2] if at >= 0 else []
        shown = specs if whole else found.few(specs, [search.mechanism, *beside], most=5)
        more += len(specs) - len(shown)
        for spec in shown:
            cells = [_strength(report, spec, one) for one in asked]
            rows.append([words.mechanism(report, spec) + (_CHOSEN if spec == search.mechanism else ""), *cells])
    if not rows or not asked:
        return None
    note = "Limits of each strength are those of `check` with it alone." if whole else _and_more(more, "strength")
    header = ("what is released", *(one.line for one in asked))
    return Table(header, rows, note=note, left=tuple(range(len(header))))


def _strength(report: Report, spec: str, line: Verdict) -> str:
    assert line.worst is not None
    tau = line.worst.place("tau")
    bound = line.worst.bound if line.worst.mechanism is None else found.bound(report, line.quantity, spec, tau)
    value = None if bound is None else getattr(bound, line.field)
    if bound is None or value is None:
        return f"{NOTHING} {Outcome.NOT_MEASURED}"
    breaks = COMPARISONS[line.comparison]
    known = (
        bound.estimate if bound.estimate is not None else bound.low if line.comparison.startswith(">") else bound.high
    )
    failed = Outcome.FAIL if known is not None and breaks(known, line.threshold) else Outcome.INCONCLUSIVE
    outcome = failed if breaks(value, line.threshold) else Outcome.PASS
    if outcome is Outcome.PASS and line.is_lenient:  # a certificate has the estimate of what it certifies
        quantity = line.quantity.removeprefix(found.CERTIFIED)
        beside = bound if bound.estimate is not None else found.bound(report, quantity, spec, tau)
        other = bound.high if line.field == "low" else bound.low  # where there is no estimate
        known = other if beside is None or beside.estimate is None else beside.estimate
        outcome = Outcome.UNPROVEN if known is None or breaks(known, line.threshold) else outcome
    unit = found.quantity(report, line.quantity).written_in
    cell = words.cells([bound], unit)[0]
    if unit != PER_CENT:
        cell = cell.removesuffix(_MORE) + f" {unit}".rstrip() + (_MORE if cell.endswith(_MORE) else "")
    return f"{cell}  {outcome}"


# ---- what is folded away


def curves(report: Report) -> Table | None:
    """Shares at round losses, all mechanisms."""
    names, taus = found.mechanisms(report, found.J), found.every_tau(report)
    if not names or len(taus) <= 3:
        return None
    step = round_step((taus[-1] - taus[0]) / (_TAUS - 1))
    rounds = [tau for tau in taus if math.isclose(tau, round(tau / step) * step, abs_tol=1e-9)]
    shown = taus if len(taus) <= _TAUS else rounds if len(rounds) > 3 else taus[:: -(-len(taus) // _TAUS)]
    known = {_label(report, name): [found.bound(report, found.J, name, tau) for tau in shown] for name in names}
    near = {f"{label}, {words.NEAR}": [*map(words.near, bounds)] for label, bounds in known.items()}
    known |= {label: averages for label, averages in near.items() if any(averages)}
    columns = [words.cells(bounds, PER_CENT) for bounds in known.values()]
    rows = [[short(tau), *cells] for tau, *cells in zip(shown, *columns, strict=True)]
    more = f" {count(len(taus))} losses are in JSON and CSV." if len(shown) < len(taus) else ""
    return Table(("loss, nats", *known), rows, note=f"Estimate, low-high.{more}")


def mechanisms(report: Report) -> Table | None:
    """In all their equivalent parameters."""
    first = {one.mechanism: one for one in reversed(report.findings) if one.mechanism and "epsilon" in one.at}
    rows = [
        [_label(report, name), *(short(first[name].place(key), digits=3) for key in ("epsilon", "pi", "lambda"))]
        for name in found.mechanisms(report) if name in first
    ]  # fmt: skip
    note = "pi: share of labels flipped; lambda: share drawn anew."
    return Table(("mechanism", "epsilon", "pi", "lambda"), rows, note=note) if rows else None


def theorems(report: Report) -> Table | None:
    """What theorems allow a release to add, beside what it adds."""
    rows = [
        [_label(report, one.mechanism or ""), plain(str(one.at.get("bound", ""))), words.high(one.bound, POINTS)]
        for one in report.findings if one.quantity == "advantage_bound" and one.bound.high is not None
    ]  # fmt: skip
    note = "labeldp-audit explain 'NAME OF THEOREM' says what each states, in which paper, and what is corrected."
    header = ("mechanism", "theorem", "adds at most, points")
    return Table(header, rows[:_NUMBERS], note=note, left=(0, 1)) if rows else None


def columns_add(report: Report) -> Table | None:
    """What changes where a column is left out, the largest change first."""
    best = {found.strongest(report, found.J), found.strongest(report, found.ADDED), None}
    kinds: dict[tuple[str, str | None, float | None], dict[str, Bound]] = {}  # quantity, mechanism and loss
    for one in report.findings:
        if one.quantity in found.COLUMNS and isinstance(one.at.get("column"), str):
            kind = (one.quantity, one.mechanism, one.place("tau"))
            kinds.setdefault(kind, {})[str(one.at["column"])] = one.bound
    names = dict.fromkeys(name for known in kinds.values() for name in known)
    about = {kind: known for kind, known in kinds.items() if kind[1] in best} or kinds
    if not about:
        return None
    first = next(iter(about.values()))
    estimates = {name: bound.estimate for name, bound in first.items() if bound.estimate is not None}
    ranked = sorted(names, key=lambda name: -estimates.get(name, -math.inf))
    shown, header, filled = ranked[:_COLUMNS], ["column"], []
    for (quantity, mechanism, tau), known in about.items():
        under = f" under {words.mechanism(report, mechanism)}" if mechanism else ""
        meant, at = found.quantity(report, quantity), "" if tau is None else f" at {nats(tau)}"
        header.append(f"{meant.title}{at}{under}, {meant.written_in}")
        filled.append(words.cells([known.get(name) for name in shown], meant.written_in))
    note = (
        f"Estimate, low-high of what is lost without that one column.{_more_in(ranked, _COLUMNS)} They do not add up: "
        "of columns that say the same, each can be left out at no gain."
    )
    return Table(header, [[*row] for row in zip(shown, *filled, strict=True)], note=note)


def _more_in(known: Sequence[object], most: int, where: str = "JSON and CSV") -> str:
    return f" {count(len(known) - most)} more are in {where}." if len(known) > most else ""


def tried(report: Report) -> Table | None:
    """Estimators that were tried, the best first, and last what knowing no feature costs."""
    eta = report.eta
    every = () if eta is None else eta.tried
    if eta is None or not every:
        return None
    best = next((one for one in every if one.behind == one.behind_error == 0), every[0])
    of_loss, of_more = places(one.standard_error for one in every), places(one.behind_error for one in every)
    rows = [
        [plain(one.name) + ("" if one.k is None else f", k = {count(one.k)}")
         + (" (used)" if one.name == eta.estimator and one.k in (None, eta.k) else ""),
         f"{one.log_loss:.{of_loss}f} ± {one.standard_error:.{of_loss}f}",
         NOTHING if one is best else f"{one.behind:.{of_more}f} ± {one.behind_error:.{of_more}f}"]
        for one in every[:_TRIED]
    ]  # fmt: skip
    blind = report.dataset.blind_log_loss
    rows.append(["without features", f"{blind:.{of_loss}f}", f"{blind - best.log_loss:.{of_more}f}"])
    rest = _more_in(every, _TRIED, "JSON")
    note = f"Log loss on labels not seen: 0 is always sure and right. ±: one standard error.{rest}"
    return Table(("estimator", "log loss", f"more than {plain(best.name)}"), rows, note=note)


def calibration(report: Report) -> Table | None:
    """Predicted and observed shares among rows with like estimates."""
    every = report.reliability
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
    rows = [[*_number(one, report)] for one in known[:_NUMBERS]]
    levels = ", ".join(dict.fromkeys(confidence(one.confidence) for one in report.findings))
    header = ("quantity", "mechanism", "estimate", "low", "high", "unit", words.NEAR)
    width = len(header) if any(words.near(one.bound) for one in known) else len(header) - 1
    note, rows = f"At {levels} joint confidence.", [row[:width] for row in rows]
    return Table(header[:width], rows, note=note + _more_in(known, _NUMBERS), left=(0, 1, 5)) if rows else None


def _number(one: Finding, report: Report) -> Iterator[str]:
    unit, bound = found.quantity(report, one.quantity).written_in, one.bound
    yield words.named(one)
    yield _label(report, one.mechanism) if one.mechanism else ""
    for field in ("estimate", "low", "high"):
        value = words.amount(getattr(bound, field), unit, words.outward(field), 4)
        limitless = field == "high" and bound.high == math.inf != bound.low
        yield "no limit" if limitless else value
    yield unit
    yield "" if (average := words.near(bound)) is None else words.ends(average, unit)


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
    "tune": tuning, "check": lines, "diff": changes, VERIFY: checks, "attack": attacks,
}  # fmt: skip
