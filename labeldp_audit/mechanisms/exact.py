"""Labels drawn with probabilities that are whole numbers over 2^64, from whole words of 64 bits.

Floating-point noise has holes that tell what lies below it (Mironov 2012, doi:10.1145/2382196.2382264); comparing a
uniform word with a whole number has none, and the law that results can be published to the last digit.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels
from ..core.randomness import Chance, Words, words

WHOLE = 1 << 64
_DIGITS = 60  # of decimals: the exponential of a float is irrational
_AT_ONCE = 1 << 20

Numerators = Sequence[Sequence[int]]  # (C, S); each row adds up to 2^64, or to a little less


def of_channel(channel: Floats) -> Numerators:
    """The channel with probabilities in units of 2^-64: what is possible stays possible, what is not stays so."""
    rows = []
    for row in channel.tolist():
        total = sum(map(Fraction, row))
        counts = [math.ceil(Fraction(one) / total * WHOLE) for one in row]
        counts[counts.index(max(counts))] -= sum(counts) - WHOLE  # at most one for each output
        rows.append(counts)
    return rows


def of_randomized_response(epsilon: float, classes: int) -> Numerators:
    """The least noise of K-ary randomized response that spends no more than epsilon: every other label gets

    the least whole m with 2^64 - (C - 1) m <= e^epsilon m.
    """
    if epsilon == math.inf:
        other = 0
    else:
        with decimal.localcontext(prec=_DIGITS, rounding=decimal.ROUND_FLOOR, Emax=decimal.MAX_EMAX):
            grown = decimal.Decimal(epsilon).exp()
            grown -= grown.scaleb(5 - _DIGITS)  # `exp` rounds to the nearest: no more than e^epsilon
            other = math.ceil(Fraction(WHOLE) / (Fraction(grown) + classes - 1))
    own = WHOLE - (classes - 1) * other
    if own < other:  # no multiple of C is a power of 2: the words beyond the last one are drawn again
        own = other = WHOLE // classes
    return [[own if said == true else other for said in range(classes)] for true in range(classes)]


def epsilon_of(numerators: Numerators) -> float:
    """The largest log ratio of the probabilities of one output under two labels, rounded up."""
    worst = Fraction(1)
    for column in zip(*numerators, strict=True):
        if max(column) > 0:
            if min(column) == 0:
                return math.inf
            worst = max(worst, Fraction(max(column), min(column)))
    return log_up(worst)


def log_up(ratio: Fraction) -> float:
    """log of a fraction of at least 1; never below it, and 0 for 1."""
    if ratio == 1:
        return 0.0
    with decimal.localcontext(prec=_DIGITS):
        found = (decimal.Decimal(ratio.numerator) / decimal.Decimal(ratio.denominator)).ln()
        near = float(found)
        return near if decimal.Decimal(near) >= found else math.nextafter(near, math.inf)


def probabilities(numerators: Numerators) -> Floats:
    return np.array([[one / sum(row) for one in row] for row in numerators])


def say(numerators: Numerators, labels: Labels, rng: Chance) -> Integers:
    """(n,) what each label is replaced by: s where cumulated numerators, up to s - 1 and up to s, enclose the word."""
    said = np.empty(len(labels), np.int64)
    limits = [_limits(row) for row in numerators]
    for start in range(0, len(labels), _AT_ONCE):
        part = labels[start : start + _AT_ONCE]
        drawn = _below(sum(numerators[0]), len(part), rng)
        here = said[start : start + _AT_ONCE]
        for true, (first, uppers) in enumerate(limits):
            mine = part == true
            here[mine] = first + np.searchsorted(uppers, drawn[mine], side="left")
    return said


def _below(total: int, count: int, rng: Chance) -> Words:
    drawn = words(rng, count)
    while total < WHOLE and len(again := np.flatnonzero(drawn >= np.uint64(total))):
        drawn[again] = words(rng, len(again))
    return drawn


def _limits(row: Sequence[int]) -> tuple[int, Words]:
    """How many first outputs are never said, and for the others but the last the largest word that says it or one
    before it."""
    upto = np.cumsum(np.array(row, object))[:-1]
    first = int(np.sum(upto == 0))
    return first, np.array([int(one) - 1 for one in upto[first:]], np.uint64)
