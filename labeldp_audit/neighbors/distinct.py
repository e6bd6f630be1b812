"""Identical encoded rows become one weighted point: a table of a million rows may hold a thousand distinct ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.arrays import Integers
from ..core.compiled import compiled


@dataclass(frozen=True)
class Distinct:
    """m distinct points: the first row of each, the labels that stand at it, and the point of every row."""

    first_row: Integers  # (m,)
    point_of_row: npt.NDArray[np.int32]  # (n,)
    members: npt.NDArray[np.int32]  # (m, C)


def collapse(points: npt.NDArray[np.float32], labels: npt.NDArray[np.integer], classes: int) -> Distinct:
    """Rows are the same where every coordinate is the same number. Points are numbered by their first row."""
    n = len(points)
    for salt in range(64):
        hashes = _hash_rows(points, np.uint64(salt))
        order = np.argsort(hashes, kind="stable")
        starts = _run_starts(hashes, order)
        if len(starts) == n or _runs_are_equal(points, order, starts):
            break  # otherwise two different rows share a hash: salt and hash again
    else:
        raise RuntimeError("different rows share a hash whatever the salt")
    first = order[starts]
    number = np.empty(len(starts), np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(len(starts), dtype=np.int32)
    point_of_row = np.empty(n, np.int32)
    point_of_row[order] = np.repeat(number, np.diff(starts, append=n))
    members = np.zeros((len(starts), classes), np.int32)
    np.add.at(members, (point_of_row, labels), 1)
    return Distinct(np.sort(first), point_of_row, members)


def _run_starts(hashes: npt.NDArray[np.uint64], order: Integers) -> Integers:
    in_order = hashes[order]
    new = np.empty(len(order), np.bool_)
    new[:1] = True
    np.not_equal(in_order[1:], in_order[:-1], out=new[1:])
    return np.flatnonzero(new)


@compiled
def _hash_rows(points: npt.NDArray[np.float32], salt: np.uint64) -> npt.NDArray[np.uint64]:
    """64 bits of each row, by the finaliser of splitmix64 after each coordinate."""
    n, d = points.shape
    bits = points.view(np.uint32)
    hashes = np.empty(n, np.uint64)
    for i in range(n):
        h = salt
        for f in range(d):
            word = np.uint64(bits[i, f])
            if word == np.uint64(0x80000000):  # minus zero is zero
                word = np.uint64(0)
            h = (h ^ word) + np.uint64(0x9E3779B97F4A7C15)
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h = h ^ (h >> np.uint64(31))
        hashes[i] = h
    return hashes


@compiled
def _runs_are_equal(points: npt.NDArray[np.float32], order: Integers, starts: Integers) -> bool:
    """Do all rows of each run really equal its first?"""
    n, d = points.shape
    for run in range(len(starts)):
        first = order[starts[run]]
        end = starts[run + 1] if run + 1 < len(starts) else n
        for position in range(starts[run] + 1, end):
            row = order[position]
            for f in range(d):
                if points[row, f] != points[first, f]:
                    return False
    return True
