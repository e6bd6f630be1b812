"""The curves with their bands as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from ...core.report import Report
from . import axes, curve_names, curves, phrases, step_paths, steps, svg_style
from .axes import Frame
from .curves import Curve
from .spelling import confidence, high, low, plain, share, short

_LEFT, _TOP, _ACROSS, _DOWN = 68, 100, 580, 340
_LEGEND = _LEFT + _ACROSS + 32
_ENTRY, _NOTE = 72, 36
_GRID = 10  # of a pixel
_TITLE = "How many people lose more than τ of label privacy?"

_STYLE = (
    ".least{fill:none;stroke-width:1;stroke-opacity:.8}"
    ".certain{fill:none;stroke-width:1;stroke-dasharray:3 3}"
    ".direct{font-weight:600;font-size:12px;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
    ".line{fill:none;stroke-width:2.2;stroke-linejoin:round}"
)


def draw(report: Report) -> str | None:
    """The whole .svg, or None where no mechanism has a curve."""
    found = axes.drawable(curves.curves_of(report))
    return "\n".join(_parts(report, found)) + "\n" if found else None


def _parts(report: Report, found: Sequence[Curve]) -> Iterator[str]:
    frame = axes.frame(found)
    certain = {curve.mechanism: curve for curve in axes.drawable(curves.certified(report))}
    height = max(_TOP + _DOWN + 84, _TOP + 60 + len(found) * _ENTRY + (_NOTE if certain else 0))
    yield from svg_style.opening(_TITLE, svg_style.table(report.dataset), height, _STYLE)
    yield svg_style.text(24, 74, _ends(report, found), "small")
    yield from _horizontal(frame)
    yield from _vertical(frame)
    yield from (_band(curve, frame, place, len(found)) for place, curve in enumerate(found))
    yield from (_least(curve, frame, place) for place, curve in enumerate(found))
    yield from filter(None, (_certain(curve, frame, place, certain) for place, curve in enumerate(found)))
    yield from (_line(curve, frame, place) for place, curve in enumerate(found))
    yield from (_promise(curve, frame, place) for place, curve in enumerate(found))
    yield from _names(found, frame)
    yield from _legend(found)
    yield from _legend_of_certain(found, certain)
    yield "</svg>"


def _ends(report: Report, found: Sequence[Curve]) -> str:
    about = phrases.rests_on(report)
    rests = f" {about}" if about else ""
    return f"Thick: estimate. Thin: at least, shaded: cannot be ruled out, {confidence(found[0].confidence)}{rests}."


def _horizontal(frame: Frame) -> Iterator[str]:
    for mark in frame.shares(5):
        y = _y(frame, mark)
        style = "grid" if mark else "axis"
        yield f'<line class="{style}" x1="{_LEFT}" x2="{_LEFT + _ACROSS}" y1="{y}" y2="{y}"/>'
        yield svg_style.text(_LEFT - 10, y + 4, f"{short(100 * mark)} %", anchor="end")
    middle = _TOP + _DOWN / 2
    turned = f'text-anchor="middle" transform="rotate(-90 18 {middle})"'
    yield f'<text x="18" y="{middle}" {turned}>share of people, J(τ)</text>'


def _vertical(frame: Frame) -> Iterator[str]:
    """Below each tau the factor e^tau: what that loss does to an attacker's odds."""
    bottom = _TOP + _DOWN
    for mark in frame.taus(10):
        x = _x(frame, mark)
        yield f'<line class="axis" x1="{x}" x2="{x}" y1="{bottom}" y2="{bottom + 5}"/>'
        yield svg_style.text(x, bottom + 21, short(mark), anchor="middle")
        yield svg_style.text(x, bottom + 37, f"×{steps.factor(mark)}", "small", "middle")
    label = "privacy loss τ in nats; below it e^τ, the factor on an attacker's odds"
    yield svg_style.text(_LEFT + _ACROSS / 2, bottom + 66, label, anchor="middle")


def _band(curve: Curve, frame: Frame, place: int, bands: int) -> str:
    """The more bands lie over each other, the lighter each."""
    outline = [
        *_corners(curve, frame, step_paths.most(curve)),
        *reversed(_corners(curve, frame, step_paths.least(curve))),
    ]
    return f'<path fill="{svg_style.color(place)}" fill-opacity="{min(0.12, 0.28 / bands):.2g}" d="{_path(outline)}z"/>'


def _least(curve: Curve, frame: Frame, place: int) -> str:
    """The lower limits, which the band hides where bands lie over each other."""
    path = _path(_corners(curve, frame, step_paths.least(curve)))
    return f'<path class="least" stroke="{svg_style.color(place)}" d="{path}"/>'


def _certain(curve: Curve, frame: Frame, place: int, certain: Mapping[str, Curve]) -> str:
    """The shares that do not need eta."""
    known = certain.get(curve.mechanism)
    if known is None:
        return ""
    path = _path(_corners(known, frame, step_paths.least(known)))
    return f'<path class="certain" stroke="{svg_style.color(place)}" d="{path}"/>'


def _line(curve: Curve, frame: Frame, place: int) -> str:
    path = _path(_corners(curve, frame, step_paths.estimates(curve)))
    return f'<path class="line" stroke="{svg_style.color(place)}"{svg_style.dash(place)} d="{path}"/>'


def _promise(curve: Curve, frame: Frame, place: int) -> str:
    """A dot where the guarantee for the label alone ends."""
    promise = curve.promise()
    if promise is None:
        return ""
    x, y = _x(frame, promise[0]), _y(frame, promise[1].estimate or 0.0)
    return f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{svg_style.color(place)}" stroke="#fff" stroke-width="1.5"/>'


def _names(found: Sequence[Curve], frame: Frame) -> Iterator[str]:
    """Each curve's name beside it, where there is room; the legend has all of them."""
    names = [svg_style.cut(name, 20) for name in apart(found)]
    lines = [_corners(curve, frame, step_paths.estimates(curve)) for curve in found]
    places = curve_names.spots(
        names, [[(x / _GRID, y / _GRID) for x, y in line] for line in lines], _LEFT, _LEFT + _ACROSS
    )
    for place, spot in enumerate(places):
        if spot is not None:
            yield (
                f'<text class="direct" x="{spot[0]:g}" y="{spot[1]:g}" style="fill:{svg_style.color(place)}">'
                f"{escape(names[place])}</text>"
            )


def apart(found: Sequence[Curve]) -> list[str]:
    """What tells the mechanisms apart: their parameters, where all are of one kind."""
    names = [plain(curve.mechanism) for curve in found]
    kinds = {name.partition(":")[0] for name in names}
    return [name.partition(":")[2] or name for name in names] if len(kinds) == 1 else names


def _legend(found: Sequence[Curve]) -> Iterator[str]:
    for place, curve in enumerate(found):
        y = _TOP + 8 + place * _ENTRY
        yield f'<path class="line" stroke="{svg_style.color(place)}"{svg_style.dash(place)} d="M{_LEGEND} {y}h34"/>'
        yield svg_style.text(_LEGEND + 42, y + 4, svg_style.cut(plain(curve.mechanism) or "no mechanism", 23), "name")
        yield from (
            svg_style.text(_LEGEND + 42, y + 20 + 15 * row, line, "small") for row, line in enumerate(remarks(curve))
        )
    if any(curve.promise() for curve in found):
        y = _TOP + 8 + len(found) * _ENTRY
        yield f'<circle cx="{_LEGEND + 17}" cy="{y}" r="4.5" fill="#555"/>'
        yield svg_style.text(_LEGEND + 42, y + 4, "τ = ε, the most that the", "small")
        yield svg_style.text(_LEGEND + 42, y + 19, "noisy label alone tells", "small")


def _legend_of_certain(found: Sequence[Curve], certain: Mapping[str, Curve]) -> Iterator[str]:
    if certain:
        y = _TOP + 8 + len(found) * _ENTRY + _NOTE
        yield f'<path class="certain" stroke="#555" d="M{_LEGEND} {y}h34"/>'
        yield svg_style.text(_LEGEND + 42, y + 4, "certified: at least so many,", "small")
        yield svg_style.text(_LEGEND + 42, y + 19, "whatever the population", "small")


def remarks(curve: Curve) -> Iterator[str]:
    if curve.pi is not None:
        yield f"flips {share(curve.pi)} of labels"
    promise = curve.promise()
    if promise is not None:
        tau, bound = promise
        yield f"above τ = {short(tau)}: estimate {share(bound.estimate)}"
        if bound.low is not None and bound.high is not None:
            yield f"at least {low(bound, True)} %, at most {high(bound, True)} %"


def _corners(curve: Curve, frame: Frame, heights: Sequence[float]) -> list[step_paths.Corner]:
    """In tenths of a pixel."""
    return step_paths.corners(
        curve, heights, lambda tau: _GRID * _x(frame, tau), lambda height: _GRID * _y(frame, height), grain=_GRID
    )


def _path(corners: Iterable[step_paths.Corner]) -> str:
    return step_paths.path(corners, _GRID)


def _x(frame: Frame, tau: float) -> float:
    return round(_LEFT + _ACROSS * frame.across(tau), 2)


def _y(frame: Frame, height: float) -> float:
    return round(_TOP + _DOWN * (1 - frame.up(height)), 2)
