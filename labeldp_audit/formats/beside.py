"""Where the names of curves stand in a picture: beside their line, on no other line and on no other name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom

_HIGH, _WIDE = 16, 6.6  # of a line of text, of a character; a little more than fonts need
_AWAY = 7


def spots(names: Sequence[str], lines: Sequence[Sequence[Point]], left: float, right: float) -> list[Point | None]:
    """For each name where its text begins, None where there is no room between `left` and `right`."""
    taken: list[Box] = []
    found: list[Point | None] = []
    for place, name in enumerate(names):
        others = [line for index, line in enumerate(lines) if index != place]
        box = next(
            (
                box
                for box in _boxes(name, lines[place])
                if left <= box[0] and box[2] <= right and _is_free(box, taken, others)
            ),
            None,
        )
        taken += [box] if box else []
        found.append((round(box[0], 1), round(box[3] - 4, 1)) if box else None)
    return found


def _boxes(name: str, line: Sequence[Point]) -> Iterator[Box]:
    """Right, then left of each upright stretch of the line, from its middle height outward."""
    middle = (line[0][1] + line[-1][1]) / 2
    falls = [(a, b) for a, b in pairwise(line) if b[1] > a[1]]
    heights = sorted({(a[0], (a[1] + b[1]) / 2) for a, b in falls}, key=lambda point: (abs(point[1] - middle), point))
    width = _WIDE * len(name)
    starts = [(x + _AWAY, y) for x, y in heights] + [(x - _AWAY - width, y) for x, y in heights]
    for x, y in starts:
        yield x, y - _HIGH / 2, x + width, y + _HIGH / 2


def _is_free(box: Box, taken: Sequence[Box], lines: Sequence[Sequence[Point]]) -> bool:
    stretches = (_around(a, b) for line in lines for a, b in pairwise(line))
    return not any(_overlap(box, other) for other in (*taken, *stretches))


def _around(a: Point, b: Point) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])


def _overlap(one: Box, other: Box) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
