"""Rows that were written more than once: limits that count copies as people are too narrow."""

from __future__ import annotations

from collections.abc import Sequence

_DEPENDENT = "copies are not independent, so limits are too narrow and nothing is certified"


def warnings(classes: Sequence[str], repeats: Sequence[int]) -> tuple[str, ...]:
    """repeats (C,): the rows of each class come in multiples of that number."""
    if min(repeats) > 1 and len(set(repeats)) == 1:
        return (_said("every row", repeats[0]),)
    return tuple(
        _said(f"every row with the label {name}", times)
        for name, times in zip(classes, repeats, strict=True)
        if times > 1
    )


def _said(which: str, times: int) -> str:
    return f"{which} is there {times} times or a multiple of that: {_DEPENDENT}"


def noticed(warnings: Sequence[str]) -> bool:
    return any(_DEPENDENT in one for one in warnings)
