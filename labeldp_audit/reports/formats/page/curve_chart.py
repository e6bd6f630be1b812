"""J(tau) with its band: a few mechanisms over each other, many side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ....core.report import Report
from .. import axes, curve_names, curves, phrases, step_paths, steps, svg
from ..axes import Frame
from ..curves import Curve
from ..spelling import confidence, count, plain, short
from ..svg_style import cut
from . import plot
from .markup import NOTHING, Html, joined, paragraphs, tag, text
from .plot import UNITS

TOGETHER, PANELS, FEW = 6, 24, 4  # curves in one chart; charts side by side; so few that each has more room
WIDE = 0.15  # of all people, on average over tau: bands of that width over each other show nothing
_TALL, _SMALL, _LARGER = 360, 170, 230  # pixels
_NOMINAL = 600  # pixels across: where names beside curves find room; on a phone they are in the legend alone
_GRAIN = 5  # of the units across
_LABEL = "privacy loss τ in nats; below it e^τ, the factor on an attacker's odds"
_TITLE = "Share of people who lose more than τ"


def charts(report: Report) -> Html:
    found = axes.drawable(curves.curves_of(report))
    if not found:
        return NOTHING
    certain = {curve.mechanism: curve for curve in axes.drawable(curves.certified(report))}
    apart = len(found) > TOGETHER or (len(found) > 1 and _mean_width(found) > WIDE)
    drawn = _side_by_side(found, certain) if apart else _together(found, certain)
    return joined([drawn, paragraphs(_caption(report, found), class_="note")])


def _mean_width(found: Sequence[Curve]) -> float:
    ends = [(step_paths.least(curve), step_paths.most(curve)) for curve in found]
    widths = [high - low for least, most in ends for low, high in zip(least, most, strict=True)]
    return sum(widths) / len(widths)


def _caption(report: Report, found: Sequence[Curve]) -> str:
    about, level = phrases.rests_on(report), confidence(found[0].confidence)
    certain = (
        "; thin dashed line: certified, at least so many whatever the population" if curves.certified(report) else ""
    )
    rests = f", {about}" if about else ""
    return (
        f"Line: estimate. Shaded: between at least and at most, {level} confidence{rests}{certain}. "
        "Dot: τ = ε, the most that the noisy label alone tells."
    )


# ---- one chart


def _together(found: Sequence[Curve], certain: Mapping[str, Curve]) -> Html:
    frame = axes.frame(found)
    drawn = plot.sheet(
        "j", _TITLE, _told(found), _TALL,
        *_grid(frame, 10), plot.inner(*_paths(found, frame, certain)), *_promises(found, frame), *_names(found, frame),
        *_marks(frame, 5, 10),
        plot.words(0, 0, "share of people, J(τ)", "label", dx=-44, dy=-12), class_="plot curves",
    )  # fmt: skip
    return tag("figure", drawn, tag("p", text(_LABEL), class_="label across"), _legend(found, certain))


def _told(found: Sequence[Curve]) -> str:
    """What the picture shows, for whoever does not see it."""
    said = (
        f"{plain(curve.mechanism) or 'no mechanism'}: {'; '.join(svg.remarks(curve)) or 'a curve'}" for curve in found
    )
    return "Falling curves. " + ". ".join(said)


def _paths(found: Sequence[Curve], frame: Frame, certain: Mapping[str, Curve]) -> Iterator[Html]:
    yield from (_band(curve, frame, place) for place, curve in enumerate(found))
    for place, curve in enumerate(found):
        if curve.mechanism in certain:
            yield _step(certain[curve.mechanism], step_paths.least(certain[curve.mechanism]), frame, "certain", place)
    for place, curve in enumerate(found):
        yield _step(curve, step_paths.estimates(curve), frame, "line", place, len(found) > 1)


def _band(curve: Curve, frame: Frame, place: int) -> Html:
    outline = step_paths.outline(curve, *_scales(frame), _GRAIN)
    return plot.path(step_paths.path(outline) + "z", "band", place)


def _step(curve: Curve, heights: Sequence[float], frame: Frame, class_: str, place: int, dashed: bool = False) -> Html:
    corners = step_paths.corners(curve, heights, *_scales(frame), _GRAIN)
    return plot.path(step_paths.path(corners), class_, place, dashed)


def _scales(frame: Frame) -> tuple[step_paths.Scale, step_paths.Scale]:
    return lambda tau: UNITS * frame.across(tau), lambda share: UNITS * (1 - frame.up(share))


def _promises(found: Sequence[Curve], frame: Frame) -> Iterator[Html]:
    for place, curve in enumerate(found):
        if promise := curve.promise():
            tau, bound = promise
            across, up = 100 * frame.across(tau), 100 * (1 - frame.up(bound.estimate or 0.0))
            yield plot.dot(across, up, f"dot {plot.color(place)}")


def _names(found: Sequence[Curve], frame: Frame) -> Iterator[Html]:
    """Where a page is wide: beside the curve, in the colour of text, which can be read."""
    if len(found) < 2:
        return
    names = [cut(name, 24) for name in svg.apart(found)]
    lines = [
        [
            (x * _NOMINAL / UNITS, y * _TALL / UNITS)
            for x, y in step_paths.corners(curve, step_paths.estimates(curve), *_scales(frame))
        ]
        for curve in found
    ]
    for name, spot in zip(names, curve_names.spots(names, lines, 0, _NOMINAL), strict=True):
        if spot is not None:
            yield plot.words(100 * spot[0] / _NOMINAL, 100 * spot[1] / _TALL, name, "direct")


def _grid(frame: Frame, most: int) -> Iterator[Html]:
    for mark in frame.shares(5):
        y = 100 * (1 - frame.up(mark))
        yield plot.line(0, y, 100, y, "grid" if mark else "axis")


def _marks(frame: Frame, shares: int, taus: int) -> Iterator[Html]:
    """Every second tau is left out on a phone."""
    for mark in frame.shares(shares):
        yield plot.words(0, 100 * (1 - frame.up(mark)), f"{short(100 * mark)} %", "end", dx=-8, dy=4)
    for place, mark in enumerate(frame.taus(taus)):
        x, minor = 100 * frame.across(mark), " minor" if place % 2 else ""
        yield plot.words(x, 100, short(mark), f"mid{minor}", dy=20)
        yield plot.words(x, 100, f"×{steps.factor(mark)}", f"mid soft{minor}", dy=37)


def _legend(found: Sequence[Curve], certain: Mapping[str, Curve]) -> Html:
    entries: list[tuple[Html, str, Sequence[str]]] = [
        (plot.stroke("line", place, len(found) > 1), plain(curve.mechanism) or "no mechanism", list(svg.remarks(curve)))
        for place, curve in enumerate(found)
    ]
    if certain:
        entries.append((plot.stroke("certain grey"), "certified", ["at least so many, whatever the population"]))
    return plot.legend(entries)


# ---- many


def _side_by_side(found: Sequence[Curve], certain: Mapping[str, Curve]) -> Html:
    frame, rest = axes.frame(found), len(found) - PANELS
    tall = _LARGER if len(found) <= FEW else _SMALL
    panels = (_panel(f"j{place}", curve, frame, certain, tall) for place, curve in enumerate(found[:PANELS]))
    more = f"{count(rest)} more mechanisms are in the table." if rest > 0 else ""
    return joined(
        [
            tag("div", *panels, class_="panels two" if len(found) <= FEW else "panels"),
            paragraphs(more, f"Across: {_LABEL}.", class_="note"),
        ]
    )


def _panel(key: str, curve: Curve, frame: Frame, certain: Mapping[str, Curve], tall: int) -> Html:
    known = {curve.mechanism: certain[curve.mechanism]} if curve.mechanism in certain else {}
    drawn = plot.sheet(
        key, _TITLE, _told([curve]), tall,
        *_grid(frame, 4), plot.inner(*_paths([curve], frame, known)), *_promises([curve], frame), *_marks(frame, 2, 4),
        class_="plot small",
    )  # fmt: skip
    remarks = joined(tag("small", text(one)) for one in svg.remarks(curve))
    return tag("figure", tag("figcaption", tag("b", text(curve.mechanism or "no mechanism")), remarks), drawn)
