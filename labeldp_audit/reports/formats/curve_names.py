"""Where the names of curves stand in a picture: beside their line, on no other line and on no other name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom

_HIGH, _WIDE = 16, 7.4  # of a line of text, of a character; a little more than fonts need
_AWAY = 7
_FOOT = 0.06  # of the height of a line


def spots(names: Sequence[str], lines: Sequence[Sequence[Point]], left: float, right: float) -> list[Point | None]:
    """For each name where its text begins, None where there is no room between `left` and `right`."""
    taken: list[Box] = []
    found: list[Point | None] = []
    for place, name in enumerate(names):
        box = next(
            (
                box
                for box in _boxes(name, lines[place])
                if left <= box[0] and box[2] <= right and _is_free(box, taken, lines)
            ),
            None,
        )
        taken += [box] if box else []
        found.append((round(box[0], 1), round(box[3] - 4, 1)) if box else None)
    return found


def _boxes(name: str, line: Sequence[Point]) -> Iterator[Box]:
    """Right, then left of each upright stretch of the line, from its middle height outward.

    Not at its foot, where curves run together and nobody could tell whose name it is.
    """
    (top, bottom), width, half = (line[0][1], line[-1][1]), _WIDE * len(name), _HIGH / 2
    middle, foot = (top + bottom) / 2, bottom - _FOOT * (bottom - top)
    falls = [(a, b) for a, b in pairwise(line) if a[1] < b[1] <= foot]
    falls.sort(key=lambda fall: abs(fall[0][1] + fall[1][1] - 2 * middle))
    # On the right the line goes on below the name, on the left it comes from above.
    right = [(a[0] + _AWAY, min((a[1] + b[1]) / 2, b[1] - half - 3)) for a, b in falls]
    left = [(a[0] - _AWAY - width, max((a[1] + b[1]) / 2, a[1] + half + 3)) for a, b in falls]
    for x, y in right + left:
        yield x, y - half, x + width, y + half


def _is_free(box: Box, taken: Sequence[Box], lines: Sequence[Sequence[Point]]) -> bool:
    stretches = (_around(a, b) for line in lines for a, b in pairwise(line))
    return not any(_overlap(box, other) for other in (*taken, *stretches))


def _around(a: Point, b: Point) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])


def _overlap(one: Box, other: Box) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
