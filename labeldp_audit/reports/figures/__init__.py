"""Charts of a report, in the order in which they are shown: made once for the page, the picture on disk and the API."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN

from ...core.eta import Bin
from ...core.finding import BASELINE, CLEAR, FEATURES, Bound, Finding
from ...core.registry import rounded
from ...core.report import COMPARED, TUNE, Report
from .. import words
from ..formats import spelling
from ..formats.spelling import percent, points, short
from ..found import BELIEFS, CERTIFIED, PARAMETERS, once, verdicts
from .drawing import COLOURS, STYLE, Axis, Tick, linear, logarithmic, logit
from .panels import Cells, Chart, Curves, Panel, Point, Row, Rows, Series, is_open

__all__ = ["STYLE", "Chart", "of"]

_TOGETHER, _ROWS, _BARS = 6, 12, 6  # curves, rows and columns of a chart
_FAMILY = 3  # strengths from which on a mechanism is a curve
_FALLS = {"epsilon": False, "tau": True, "pi": True, "k": True}  # along which of them a risk falls
_LONGEST = 60  # characters of a name
_POINTS = "percentage points"
_TENTH = 0.1  # of which beliefs are counted
_COLUMNS = {
    "column_advantage": "Advantage that goes without the column",
    "column_j": "Share of people above tau that goes without the column",
    "column_log_loss": "Surprise at labels that comes without the column",
}


@once
def of(report: Report) -> tuple[Chart, ...]:
    found = [
        chart for subject in (_beliefs, _tuned, _losses, _added, _worst, _columns, _fits) for chart in subject(report)
    ]
    return tuple(replace(one, level="normal" if place else "brief") for place, one in enumerate(found))


def _chart(
    report: Report, key: str, title: str, alt: str, panels: Sequence[Panel], level: float | None = None
) -> Chart:
    data = report.dataset
    rows = f"{spelling.count(data.rows_used)} rows{', supplied eta' * report.given}"
    about = f"{data.name}, label {data.label}, {rows}"
    return Chart(key, title, f"{alt}.", tuple(panels), about, "" if level is None else spelling.confidence(level))


# ---- what is read, and how numbers are spelled


def _estimated(report: Report, quantity: str) -> list[Finding]:
    """The features alone first."""
    known = (one for one in report.findings if one.quantity == quantity and one.bound.estimate is not None)
    return sorted(known, key=lambda one: one.at.get(BASELINE) != FEATURES)


def _planned(report: Report, one: Finding) -> bool:
    """Is it there for more than comparison? A search compares nothing."""
    compared = report.parameters.get(COMPARED)
    return not isinstance(compared, list) or TUNE in report.parameters or one.mechanism not in compared


def _named(one: Finding) -> str:
    beside = one.at.get(BASELINE)
    return spelling.cut(words.baseline(str(beside)) if beside else rounded(one.mechanism or words.FEATURES), _LONGEST)


def _x(one: Finding, axis: str) -> float:
    return one.place(axis) or 0.0


def _certified(report: Report, found: Sequence[Finding]) -> list[float | None]:
    """The certified low of each, at the same place."""
    known = _lows(report)
    return [known.get((CERTIFIED + one.quantity, one.mechanism, one.place("tau"))) for one in found]


@once
def _lows(report: Report) -> Mapping[tuple[str, str | None, float | None], float | None]:
    return {(one.quantity, one.mechanism, one.place("tau")): one.bound.low for one in report.findings}


def _series(report: Report, name: str, group: Sequence[Finding], axis: str) -> Series:
    known = tuple(Point(_x(one, axis), one.bound, _planned(report, one)) for one in group)
    lows = zip(group, _certified(report, group), strict=True)
    sure = tuple(Point(_x(one, axis), Bound(None, low, None, 0, "")) for one, low in lows if low is not None)
    return Series(name, known, _FALLS.get(axis), sure, group[0].place("epsilon") if axis == "tau" else None)


def _judged(report: Report, quantity: str) -> list[tuple[Finding, float]]:
    """What lines of the policy about it look at, and their thresholds."""
    return [(one.worst, one.threshold) for one in verdicts(report) if one.worst and one.quantity == quantity]


def _said(bound: Bound, say: Callable[..., str], unit: str = "", share: bool = True) -> str:
    """Estimate and limits; these are rounded outward."""
    estimate, low = f"{say(bound.estimate)}{unit}", say(bound.low, ROUND_FLOOR)
    if bound.low is None and bound.high is None and not share:
        return estimate
    if is_open(bound.low, bound.high, share):
        return f"{estimate}, open" if share or not bound.low else f"{estimate} [{low}, open]"
    return f"{estimate} [{low}, {say(bound.high, ROUND_CEILING)}]"


def _ends(found: Sequence[Finding]) -> list[float]:
    bounds = (one.bound for one in found)
    return [end for bound in bounds for end in (bound.low, bound.estimate, bound.high) if end is not None]


def _more(shown: int, every: int) -> str:
    return "" if shown == every else f" ({shown} of {every} mechanisms)"


def _in_points(share: float) -> str:
    return short(round(100 * share, 9))


def _per_cent(share: float) -> str:
    return f"{_in_points(share)} %"


def _three(value: float | None, rounding: str = ROUND_HALF_EVEN) -> str:
    return short(value, rounding, 3)


def _rows(report: Report, found: Sequence[Finding], say: Callable[..., str], share: bool = True) -> tuple[Row, ...]:
    return tuple(
        Row(_named(one), _said(one.bound, say, share=share), one.bound, low, _planned(report, one))
        for one, low in zip(found, _certified(report, found), strict=True)
    )


# ---- losses


def _losses(report: Report) -> Iterator[Chart]:
    found: dict[str, list[Finding]] = {}
    shares = _estimated(report, "j")
    averages = all(one.bound.low is None for one in shares if one.at.get(BASELINE) != CLEAR)
    for one in map(_around, shares) if averages else shares:
        if math.isfinite(_x(one, "tau")) and one.at.get(BASELINE) != CLEAR:  # which is 1 everywhere
            found.setdefault(_named(one), []).append(one)
    if not found:
        return
    shown = {name: sorted(found[name], key=lambda one: _x(one, "tau")) for name in _some(report, found)}
    every = [one for group in shown.values() for one in group]
    here = {name: _decisive(report, group) for name, group in shown.items()}
    told = {name: _said(one.bound, percent, " %") for name, one in here.items()}
    title = f"Share of people whose loss is above tau{_more(len(shown), len(found))}"
    title += ", limits of neighbourhood averages" if averages and every[0].bound.low is not None else ""
    said = "; ".join(f"{name} above {spelling.nats(_x(one, 'tau'))} {told[name]}" for name, one in here.items())
    ends, alt = _ends(every), f"Share of people: {said}"
    height = linear([0.0, 1.0] if max(ends) > 0.5 else ends, _per_cent, ticks=4 if len(shown) < 3 else 2)
    taus = sorted({_x(one, "tau") for one in every})
    if len(taus) == 1:
        panels: list[Panel] = [
            Rows(height, _rows(report, every, percent), True, f"Per cent above tau = {short(taus[0])}")
        ]
    else:
        tall, across = {1: 230, 2: 150}.get(len(shown), 105), _taus(taus)
        bare = replace(across, ticks=tuple(replace(tick, below="") for tick in across.ticks), label="")
        lines = tuple((one.place("tau"), threshold) for one, threshold in _judged(report, "j"))
        panels = [
            Curves(
                across if name == [*shown][-1] else bare, height, (_series(report, name, group, "tau"),), tall, True,
                name, f"above {short(_x(here[name], 'tau'))}: {told[name]}", lines,
            )
            for name, group in shown.items()
        ]  # fmt: skip
    yield _chart(report, "j", title, alt, panels, every[0].confidence)


def _around(one: Finding) -> Finding:
    """Return the finding with the limits of neighbourhood averages for limits."""
    bound = one.bound
    return replace(one, bound=replace(bound, low=bound.neighborhood_low, high=bound.neighborhood_high))


def _some(report: Report, found: dict[str, list[Finding]]) -> list[str]:
    """The planned ones where there are too many, and of these the first, the last and some between."""
    names = list(found)
    if len(names) > _TOGETHER:
        names = [name for name in names if _planned(report, found[name][0])] or names
    if len(names) <= _TOGETHER:
        return names
    return [names[place * (len(names) - 1) // (_TOGETHER - 1)] for place in range(_TOGETHER)]


def _taus(taus: Sequence[float]) -> Axis:
    """Ticks are what was asked for, where it is little."""
    marks = taus if len(taus) <= 8 else [tick.value for tick in linear(taus, ticks=6).ticks]
    ticks = (Tick(tau, short(tau), f"×{spelling.factor(tau)}") for tau in marks if taus[0] <= tau <= taus[-1])
    return Axis(taus[0], taus[-1], tuple(ticks), "loss tau in nats, and the factor on odds")


def _decisive(report: Report, group: Sequence[Finding]) -> Finding:
    """Where a policy looks; otherwise at epsilon, the most that the label alone tells; otherwise in the middle."""
    judged = next((one.place("tau") for one, _ in _judged(report, "j")), None)
    least = group[0].place("epsilon") if judged is None else judged
    later = (one for one in group if least is not None and _x(one, "tau") >= least - 1e-12)
    return next(later, group[len(group) // 2])


# ---- what a release adds


def _added(report: Report) -> Iterator[Chart]:
    every = list({_named(one): one for one in _estimated(report, "advantage")}.values())
    every.sort(key=lambda one: not _planned(report, one))
    left, panels, drawn = every, list[Panel](), 0
    for axis in ("epsilon", "k"):
        families: dict[str, list[Finding]] = {}
        for one in sorted(left, key=lambda one: _x(one, axis)):
            if 0 < _x(one, axis) < math.inf:
                families.setdefault(_family(one, axis), []).append(one)
        if max(map(len, families.values()), default=0) >= _FAMILY:
            panels.append(curves := _strengths(report, families, axis))
            drawn += sum(len(one.points) for one in curves.series)
            left = [one for one in left if not any(one in group for group in families.values())]
    if left:
        across = linear(_ends(left[:_ROWS]), _in_points, _POINTS, 5, 1e-5)
        panels.append(Rows(across, _rows(report, left[:_ROWS], points), True))
        drawn += len(left[:_ROWS])
    if panels:
        told = [one for one in every if _planned(report, one)] or every
        alt = "; ".join(f"{_named(one)} adds {_said(one.bound, points)} {_POINTS}" for one in told[:_TOGETHER])
        title = f"What a release adds to an attacker's best guess{_more(drawn, len(every))}"
        yield _chart(report, "advantage", title, alt, panels, every[0].confidence)


def _strengths(report: Report, families: Mapping[str, list[Finding]], axis: str) -> Curves:
    largest = sorted(families, key=lambda name: -len(families[name]))[:COLOURS]
    found = [one for name in largest for one in families[name]]
    series = tuple(_series(report, name, families[name], axis) for name in largest)
    across = logarithmic([_x(one, axis) for one in found], "k, people released together" if axis == "k" else axis)
    lines = tuple((None, threshold) for _, threshold in _judged(report, "advantage"))
    return Curves(across, linear(_ends(found), _in_points, _POINTS, least=1e-5), series, 200, True,
                  series[0].name if len(series) == 1 else "", thresholds=lines)  # fmt: skip


def _family(one: Finding, axis: str) -> str:
    """The mechanism without what the axis shows."""
    kind, _, fields = (one.mechanism or "").partition(":")
    shown = ("epsilon", "pi", "lambda") if axis == "epsilon" else (axis,)
    rest = [field for field in fields.split(",") if field and field.partition("=")[0] not in shown]
    return f"{kind}:{','.join(rest)}" if rest else kind


# ---- what an attack made of people


def _beliefs(report: Report) -> Iterator[Chart]:
    """Of the first attacker who is no baseline: prior across, posterior up."""
    every = [one for one in report.findings if one.quantity == BELIEFS and one.bound.estimate]
    first = next((one.at.get("attacker") for one in every), None)
    mine = [one for one in every if one.at.get("attacker") == first]
    if not mine:
        return
    cells = tuple((_x(one, "prior"), _x(one, "posterior"), one.bound.estimate or 0.0) for one in mine)
    shares = linear([0.0, 1.0], _per_cent, "chance of the true label, from the features", 5)
    up = replace(shares, label="and with the release")
    raised = sum(share for prior, later, share in cells if later > prior)
    alt = f"{_per_cent(round(raised, 4))} of people have a posterior at least a tenth above their prior"
    title = f"What attackers believe of the true label: {first}"
    yield _chart(report, "beliefs", title, alt, [Cells(shares, up, cells, _TENTH, 300)])


# ---- a search for the least noise


def _tuned(report: Report) -> Iterator[Chart]:
    """A panel for each line of the policy: its quantity against the strength of the noise."""
    asked = report.parameters.get(TUNE)
    judged = {one.line: (one.worst, one.threshold) for one in verdicts(report) if one.worst is not None}
    for number, search in enumerate(one for one in report.findings if one.quantity == "tuned"):
        axis, scale, chosen = str(search.at.get("parameter")), str(search.at.get("scale")), search.bound.estimate
        specs, panels = asked.get(scale, ()) if isinstance(asked, dict) else (), []
        for heading, (worst, threshold) in judged.items():
            alike = [one for one in _estimated(report, worst.quantity) if one.mechanism in specs and _x(one, axis) > 0
                     and _place(one) == _place(worst)]  # fmt: skip
            if len({one.place(axis) for one in alike}) > 1:
                tried = sorted(alike, key=lambda one: _x(one, axis))
                panels.append(_tried(report, tried, axis, heading, threshold, chosen))
        if panels:
            least = "Nothing that was tried" if chosen is None else f"{axis} = {short(chosen)}"
            title, alt = f"What each strength of {scale} lets through", f"{least} meets the policy with the least noise"
            yield _chart(report, f"tuned-{number}", title, alt, panels, search.confidence)


def _place(one: Finding) -> dict[str, float | str]:
    return {key: value for key, value in one.at.items() if key not in PARAMETERS}


def _tried(
    report: Report, tried: Sequence[Finding], axis: str, heading: str, threshold: float, chosen: float | None
) -> Curves:
    quantity = report.quantities.get(tried[0].quantity)
    share, added = quantity is not None and quantity.share, tried[0].quantity.endswith("advantage")
    say = _in_points if added else _per_cent if share else short
    up = linear([*_ends(tried), threshold], say, _POINTS if added else "", least=1e-5)
    across, said = logarithmic([_x(one, axis) for one in tried], axis), f"tuned: {short(chosen)}" if chosen else ""
    series = (_series(report, "", tried, axis),)
    return Curves(across, up, series, 200, share, heading, said, ((None, threshold),), chosen)


# ---- the rest


def _worst(report: Report) -> Iterator[Chart]:
    every = [one for one in report.findings if one.quantity == "nu_max" and _ends([one])]
    found = sorted(every, key=lambda one: (one.at.get(BASELINE) != FEATURES, not _planned(report, one)))[:_ROWS]
    if found:
        rows = _rows(report, found, _three, share=False)
        across = linear([*_ends(found), *(row.certified or 0.0 for row in rows)], ticks=6)
        ticks = tuple(replace(tick, below=f"×{spelling.factor(tick.value)}") for tick in across.ticks)
        panel = Rows(replace(across, ticks=ticks, label="nats, and the factor on odds"), rows, False)
        alt = "; ".join(f"{row.name}: {row.said} nats" for row in rows[:_TOGETHER])
        title = f"Largest loss of a person{_more(len(found), len(every))}"
        yield _chart(report, "nu_max", title, alt, [panel], found[0].confidence)


def _columns(report: Report) -> Iterator[Chart]:
    """Of each quantity that of the first mechanism and place."""
    panels, told = [], []
    for quantity, title in _COLUMNS.items():
        every = _estimated(report, quantity)
        first = [(one.mechanism, one.place("tau")) for one in every[:1]]
        mine = [one for one in every if (one.mechanism, one.place("tau")) in first]
        shown = sorted(mine, key=lambda one: -(one.bound.estimate or 0.0))[:_BARS]
        for mechanism, tau in first:
            in_nats = quantity == "column_log_loss"
            names = (spelling.cut(str(one.at.get("column")), _LONGEST) for one in shown)
            plain = _rows(report, shown, _three if in_nats else points, share=False)
            rows = tuple(replace(row, name=name) for row, name in zip(plain, names, strict=True))
            across = linear(_ends(shown), short if in_nats else _in_points, "nats" if in_nats else _POINTS, 5)
            place = None if tau is None else f"tau = {short(tau)}"
            heading = ", ".join(filter(None, [title, mechanism and rounded(mechanism), place]))
            panels.append(Rows(across, rows, False, heading, bars=True))
            told.append(f"{heading}: {', '.join(f'{row.name} {row.said}' for row in rows[:3])}")
    if panels:
        yield _chart(report, "columns", "What each column adds", told[0], panels)


def _fits(report: Report) -> Iterator[Chart]:
    """Of the class whose groups fit worst."""
    classes: dict[str, list[Bin]] = {}
    for one in report.reliability:
        classes.setdefault(one.of, []).append(one)
    if classes:
        of, bins = max(classes.items(), key=lambda pair: sum(not one.fits for one in pair[1]))
        name = spelling.cut(of, _LONGEST)
        across = logit([share for one in bins for share in (one.said, one.came)], "predicted")
        groups = [(one.fits, Point(one.said, Bound(one.came, one.low, one.high, one.rows, ""))) for one in bins]
        series = tuple(
            Series(mark, tuple(point for fits, point in groups if fits == (mark == "seen")), None, mark=mark)
            for mark in ("seen", "misfit")
        )
        panel = Curves(across, replace(across, label="observed"), series, 300, True, even=True)
        fitting = sum(one.fits for one in bins)
        alt = f"Label {name}: in {fitting} of {len(bins)} groups of rows the labels fit what was predicted"
        yield _chart(report, "calibration", f"Predicted and observed share of {name}", alt, [panel])
