"""The curves with their bands as a self-contained .svg: no script, no font, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from ..model import Report
from . import axes, beside, curves, steps
from .axes import Frame
from .curves import Curve
from .spelling import confidence, count, high, low, plain, share, short

# Okabe and Ito's colours, told apart by people who see few colours; the dashes are for print in grey.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_DASHES = ("", "8 3", "2 3", "10 3 2 3", "14 4", "5 2 1 2 1 2")

_WIDTH, _LEFT, _TOP, _ACROSS, _DOWN = 960, 68, 84, 580, 340
_LEGEND = _LEFT + _ACROSS + 32
_ENTRY = 72
_TITLE = "How many people lose more than τ of label privacy?"

_STYLE = (
    "text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,'DejaVu Sans',sans-serif;fill:#333;font-size:13px}"
    ".title{font-size:19px;font-weight:600;fill:#111}.small{font-size:12px;fill:#666}.name{font-weight:600;fill:#111}"
    ".grid{stroke:#e4e4e4}.axis{stroke:#555}.least{fill:none;stroke-width:1;stroke-opacity:.8}"
    ".direct{font-weight:600;font-size:12px;paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}"
    ".line{fill:none;stroke-width:2.2;stroke-linejoin:round}"
)


def draw(report: Report) -> str | None:
    """The whole .svg, or None where no mechanism has a curve."""
    found = axes.drawable(curves.of(report))
    return "\n".join(_parts(report, found)) + "\n" if found else None


def _parts(report: Report, found: Sequence[Curve]) -> Iterator[str]:
    frame = axes.frame(found)
    height = max(_TOP + _DOWN + 84, _TOP + 60 + len(found) * _ENTRY)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title about">'
    )
    yield f'<title id="title">{escape(_TITLE)}</title>'
    yield f'<desc id="about">{escape(_about(report, found))}</desc>'
    yield f"<style>{_STYLE}</style>"
    yield f'<rect width="{_WIDTH}" height="{height}" rx="6" fill="#fff"/>'
    yield _text(24, 34, _TITLE, "title")
    yield _text(24, 56, _about(report, found), "small")
    yield from _horizontal(frame)
    yield from _vertical(frame)
    yield from (_band(curve, frame, place, len(found)) for place, curve in enumerate(found))
    yield from (_least(curve, frame, place) for place, curve in enumerate(found))
    yield from (_line(curve, frame, place) for place, curve in enumerate(found))
    yield from (_promise(curve, frame, place) for place, curve in enumerate(found))
    yield from _names(found, frame)
    yield from _legend(found)
    yield "</svg>"


def _about(report: Report, found: Sequence[Curve]) -> str:
    data = report.dataset
    name = _cut(plain(data.name), 40)
    averages = "" if report.parameters.get("smoothness") else " about neighbourhood averages"
    return (
        f"{name}, label {_cut(plain(data.label), 30)}, {count(data.rows_used)} rows. "
        f"Thick: estimate. Thin: at least, shaded: cannot be ruled out, {confidence(found[0].confidence)}{averages}."
    )


def _horizontal(frame: Frame) -> Iterator[str]:
    for mark in frame.shares(5):
        y = _y(frame, mark)
        style = "grid" if mark else "axis"
        yield f'<line class="{style}" x1="{_LEFT}" x2="{_LEFT + _ACROSS}" y1="{y}" y2="{y}"/>'
        yield _text(_LEFT - 10, y + 4, f"{short(100 * mark)} %", anchor="end")
    middle = _TOP + _DOWN / 2
    turned = f'text-anchor="middle" transform="rotate(-90 18 {middle})"'
    yield f'<text x="18" y="{middle}" {turned}>share of people, J(τ)</text>'


def _vertical(frame: Frame) -> Iterator[str]:
    """Below each tau the factor e^tau: what that loss does to an attacker's odds."""
    bottom = _TOP + _DOWN
    for mark in frame.taus(10):
        x = _x(frame, mark)
        yield f'<line class="axis" x1="{x}" x2="{x}" y1="{bottom}" y2="{bottom + 5}"/>'
        yield _text(x, bottom + 21, short(mark), anchor="middle")
        yield _text(x, bottom + 37, f"×{steps.factor(mark)}", "small", "middle")
    label = "privacy loss τ in nats; below it e^τ, the factor on an attacker's odds"
    yield _text(_LEFT + _ACROSS / 2, bottom + 66, label, anchor="middle")


def _band(curve: Curve, frame: Frame, place: int, bands: int) -> str:
    """The more bands lie over each other, the lighter each."""
    high = steps.held([1.0 if bound.high is None else bound.high for bound in curve.bounds])
    low = steps.reached([bound.low or 0.0 for bound in curve.bounds])
    outline = [*_corners(curve, frame, high), *reversed(_corners(curve, frame, low))]
    return f'<path fill="{_color(place)}" fill-opacity="{min(0.12, 0.28 / bands):.2g}" d="{_path(outline)}z"/>'


def _least(curve: Curve, frame: Frame, place: int) -> str:
    """The lower limits, which the band hides where bands lie over each other."""
    path = _path(_corners(curve, frame, steps.reached([bound.low or 0.0 for bound in curve.bounds])))
    return f'<path class="least" stroke="{_color(place)}" d="{path}"/>'


def _line(curve: Curve, frame: Frame, place: int) -> str:
    heights = steps.held([bound.estimate or 0.0 for bound in curve.bounds])
    path = _path(_corners(curve, frame, heights))
    return f'<path class="line" stroke="{_color(place)}"{_dash(place)} d="{path}"/>'


def _promise(curve: Curve, frame: Frame, place: int) -> str:
    """A dot where the guarantee for the label alone ends."""
    promise = curve.promise()
    if promise is None:
        return ""
    x, y = _x(frame, promise[0]), _y(frame, promise[1].estimate or 0.0)
    return f'<circle cx="{x:g}" cy="{y:g}" r="4.5" fill="{_color(place)}" stroke="#fff" stroke-width="1.5"/>'


def _names(found: Sequence[Curve], frame: Frame) -> Iterator[str]:
    """Each curve's name beside it, where there is room; the legend has all of them."""
    names = [_cut(name, 20) for name in _apart(found)]
    lines = [_corners(curve, frame, steps.held([bound.estimate or 0.0 for bound in curve.bounds])) for curve in found]
    places = beside.spots(names, [[(x / 10, y / 10) for x, y in line] for line in lines], _LEFT, _LEFT + _ACROSS)
    for place, spot in enumerate(places):
        if spot is not None:
            yield (
                f'<text class="direct" x="{spot[0]:g}" y="{spot[1]:g}" style="fill:{_color(place)}">'
                f"{escape(names[place])}</text>"
            )


def _apart(found: Sequence[Curve]) -> list[str]:
    """What tells the mechanisms apart: their parameters, where all are of one kind."""
    names = [plain(curve.mechanism) for curve in found]
    kinds = {name.partition(":")[0] for name in names}
    return [name.partition(":")[2] or name for name in names] if len(kinds) == 1 else names


def _legend(found: Sequence[Curve]) -> Iterator[str]:
    for place, curve in enumerate(found):
        y = _TOP + 8 + place * _ENTRY
        yield f'<path class="line" stroke="{_color(place)}"{_dash(place)} d="M{_LEGEND} {y}h34"/>'
        yield _text(_LEGEND + 42, y + 4, _cut(plain(curve.mechanism) or "no mechanism", 23), "name")
        yield from (_text(_LEGEND + 42, y + 20 + 15 * row, line, "small") for row, line in enumerate(_remarks(curve)))
    if any(curve.promise() for curve in found):
        y = _TOP + 8 + len(found) * _ENTRY
        yield f'<circle cx="{_LEGEND + 17}" cy="{y}" r="4.5" fill="#555"/>'
        yield _text(_LEGEND + 42, y + 4, "τ = ε, the most that the", "small")
        yield _text(_LEGEND + 42, y + 19, "noisy label alone tells", "small")


def _remarks(curve: Curve) -> Iterator[str]:
    if curve.pi is not None:
        yield f"flips {share(curve.pi)} of labels"
    promise = curve.promise()
    if promise is not None:
        tau, bound = promise
        yield f"above τ = {short(tau)}: estimate {share(bound.estimate)}"
        if bound.low is not None and bound.high is not None:
            yield f"at least {low(bound, True)} %, at most {high(bound, True)} %"


def _corners(curve: Curve, frame: Frame, heights: Sequence[float]) -> list[tuple[int, int]]:
    """Corners of a step curve in tenths of a pixel; heights[i] holds from tau i to the next."""
    taus = steps.thinned([_x(frame, tau) for tau in curve.taus], grain=1.0)
    found: list[tuple[int, int]] = []
    for index, following in zip(taus, [*taus[1:], taus[-1]], strict=True):
        y = round(10 * _y(frame, heights[index]))
        found += [(round(10 * _x(frame, curve.taus[index])), y), (round(10 * _x(frame, curve.taus[following])), y)]
    return found


def _path(corners: Iterable[tuple[int, int]]) -> str:
    first, *rest = corners
    pieces, (x, y) = [f"M{first[0] / 10:g} {first[1] / 10:g}"], first
    for to_x, to_y in rest:
        if (to_x, to_y) != (x, y):
            pieces.append(_move(to_x - x, to_y - y))
        x, y = to_x, to_y
    return "".join(pieces)


def _move(right: int, down: int) -> str:
    if right and down:
        return f"l{right / 10:g} {down / 10:g}"
    return f"h{right / 10:g}" if right else f"v{down / 10:g}"


def _x(frame: Frame, tau: float) -> float:
    return round(_LEFT + _ACROSS * frame.across(tau), 2)


def _y(frame: Frame, height: float) -> float:
    return round(_TOP + _DOWN * (1 - frame.up(height)), 2)


def _color(place: int) -> str:
    return _COLORS[place % len(_COLORS)]


def _dash(place: int) -> str:
    pattern = _DASHES[place % len(_DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def _text(x: float, y: float, words: str, style: str = "", anchor: str = "") -> str:
    attributes = (f' class="{style}"' if style else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(words)}</text>'


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
