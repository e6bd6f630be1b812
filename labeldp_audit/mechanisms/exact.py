"""Labels drawn with probabilities that are whole numbers over 2^64, from whole words of 64 bits; and geometric noise.

Floating-point noise has holes that tell what lies below it (Mironov 2012, doi:10.1145/2382196.2382264); comparing a
uniform word with a whole number has none, and the law that results can be published to the last digit. Probabilities
of geometric noise are irrational: a uniform number gets more bits until it is on one side of each.
"""

from __future__ import annotations

import bisect
import decimal
import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels
from ..core.randomness import Chance, Words, words

WHOLE = 1 << 64
_DIGITS = 60  # of decimals: the exponential of a float is irrational
_AT_ONCE = 1 << 20
_DIGIT = 64  # geometric numbers are drawn digit by digit, in this base
_NARROW = 16  # times epsilon: a geometric number passes it less than once in 10^6
_LOST = 25  # decimals that rounding may cost where epsilon is 10^-10

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
    other = 0 if epsilon == math.inf else math.ceil(Fraction(WHOLE) / (exp_down(Fraction(epsilon)) + classes - 1))
    own = WHOLE - (classes - 1) * other
    if own < other:  # no multiple of C is a power of 2: the words beyond the last one are drawn again
        own = other = WHOLE // classes
    return [[own if said == true else other for said in range(classes)] for true in range(classes)]


def exp_down(exponent: Fraction) -> Fraction:
    """e^exponent, never more than it, and as good as it in 50 digits; exponent >= 0."""
    if exponent == 0:
        return Fraction(1)
    with decimal.localcontext(prec=_DIGITS, rounding=decimal.ROUND_FLOOR, Emax=decimal.MAX_EMAX):
        grown = (decimal.Decimal(exponent.numerator) / decimal.Decimal(exponent.denominator)).exp()
        return max(
            Fraction(1), Fraction(grown - grown.scaleb(8 - _DIGITS))
        )  # `exp` rounds to the nearest, division loses up to 1e-57


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


def pick(row: Sequence[int], drawn: Words) -> Integers:
    """Which part of the row each word falls into, of a row that adds up to 2^64."""
    first, uppers = _limits(row)
    return np.asarray(first + np.searchsorted(uppers, drawn, side="left"))


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


# ---- geometric noise


def geometric_noise(epsilon: Fraction, count: int, rng: Chance) -> Integers:
    """(count,) whole numbers z, P(z) = (1 - r) / (1 + r) r^|z| with r = e^-epsilon, as the difference of two geometric
    ones, P(g) = (1 - r) r^g (Ghosh, Roughgarden and Sundararajan 2012, doi:10.1137/09076828X)."""
    return _geometric(epsilon, count, rng) - _geometric(epsilon, count, rng)


def geometric_at_most(noise: Floats, epsilon: float) -> Floats:
    """P(z <= noise): 1 - r^(z + 1) / (1 + r) from 0 on, r^-z / (1 + r) below."""
    whole = np.floor(np.asarray(noise, np.float64))
    if epsilon == math.inf:
        return np.asarray(whole >= 0, np.float64)
    beyond = np.exp(-epsilon * np.where(whole >= 0, whole + 1, -whole)) / (1 + math.exp(-epsilon))
    return np.asarray(np.where(whole >= 0, 1 - beyond, beyond))


def _geometric(epsilon: Fraction, count: int, rng: Chance) -> Integers:
    """Digits of a geometric number are independent: the last one is geometric up to _DIGIT - 1, and the number without
    it geometric with _DIGIT times epsilon. One that passes a limit is geometric beyond it."""
    if epsilon * _DIGIT < _NARROW:
        last = _inverted(lambda bits: _cumulated(epsilon, bits, whole=True), count, rng)
        return last + _DIGIT * _geometric(epsilon * _DIGIT, count, rng)
    found = _inverted(lambda bits: _cumulated(epsilon, bits, whole=False), count, rng)
    beyond = np.flatnonzero(found == _DIGIT)
    if len(beyond):
        found[beyond] += _geometric(epsilon, len(beyond), rng)
    return found


def _inverted(law: Callable[[int], Sequence[int]], count: int, rng: Chance) -> Integers:
    """(count,) how many of the cumulated probabilities a uniform number reaches. law(bits): their whole parts, in units
    of 2^-bits. A number has 64 bits, and more of them where these do not decide."""
    limits = np.array(law(64), np.uint64)
    found = np.empty(count, np.int64)
    for start in range(0, count, _AT_ONCE):
        here = found[start : start + _AT_ONCE]
        drawn = words(rng, len(here))
        here[:] = np.searchsorted(limits, drawn)
        edge = np.flatnonzero(limits[np.minimum(here, len(limits) - 1)] == drawn)
        for i in edge[here[edge] < len(limits)]:
            here[i] = _decided(law, int(drawn[i]), rng)
    return found


def _decided(law: Callable[[int], Sequence[int]], drawn: int, rng: Chance) -> int:
    bits = 64
    while drawn in (limits := law(bits)):
        drawn = (drawn << 64) + int(words(rng, 1)[0])
        bits += 64
    return bisect.bisect_left(limits, drawn)


@functools.lru_cache(maxsize=256)
def _cumulated(epsilon: Fraction, bits: int, *, whole: bool) -> Sequence[int]:
    """P(g <= j) of a geometric number, in units of 2^-bits and rounded down: for all j < _DIGIT; or, `whole`, of one
    that is known to be less than _DIGIT, for all j but the last."""
    digits = _DIGITS + bits // 3
    while True:
        with decimal.localcontext(prec=digits, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
            each = decimal.Decimal(-epsilon.numerator) / epsilon.denominator
            rest = [(each * j).exp() for j in range(1, _DIGIT + 1)]
            if whole:
                rest = [(one - rest[-1]) / (1 - rest[-1]) for one in rest[:-1]]
            least, most = (1 - decimal.Decimal(sign).scaleb(_LOST - digits) for sign in (1, -1))
            enough = [tuple(max(1, math.ceil(one * (1 << bits) * end)) for end in (least, most)) for one in rest]
        if all(low == high for low, high in enough):
            return tuple((1 << bits) - low for low, _ in enough)
        digits *= 2
