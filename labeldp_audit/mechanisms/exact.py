"""Labels drawn with probabilities that are whole numbers over 2^64, from whole words of 64 bits; and geometric noise.

Floating-point noise has holes that tell what lies below it (Mironov 2012, doi:10.1145/2382196.2382264); comparing a
uniform word with a whole number has none, and the law that results can be published to the last digit. Probabilities
of geometric noise are irrational: a uniform number has 16 bits, and gets more until it is on one side of each.
"""

from __future__ import annotations

import bisect
import decimal
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.mechanism import Labels
from ..core.randomness import Chance, Words, words

WHOLE = 1 << 64
_DIGITS = 60  # of decimals: the exponential of a float is irrational
_AT_ONCE = 1 << 16  # words, which stay in the cache
_FIRST = 16  # bits that most numbers are decided by
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


def say(numerators: Numerators, rows: Labels, rng: Chance) -> Integers:
    """(n,) what is said by these rows: s where cumulated numerators, up to s - 1 and up to s, enclose the word."""
    uppers, says = _places(numerators)
    last, width = uppers[:, -1], uppers.shape[1]
    said = np.empty(len(rows), np.int64)
    for start in range(0, len(rows), _AT_ONCE):
        row = rows[start : start + _AT_ONCE].astype(np.int64)
        drawn = words(rng, len(row))
        while last.min() < WHOLE - 1 and len(again := np.flatnonzero(drawn > last[row])):
            drawn[again] = words(rng, len(again))
        place, half = row * width, width // 2
        while half:  # how many uppers of the row are less than the word, by halving
            place += half * (drawn > uppers.ravel()[place + (half - 1)])
            half //= 2
        said[start : start + _AT_ONCE] = says.ravel()[place]
    return said


def _places(numerators: Numerators) -> tuple[Words, Integers]:
    """(G, 2^b) the largest word that says each output that is possible, or one before it; and which outputs these are.
    The last one fills the row."""
    possible = [[said for said, one in enumerate(row) if one] for row in numerators]
    width = 1 << (max(map(len, possible), default=1) - 1).bit_length()
    uppers, says = np.empty((len(possible), width), np.uint64), np.empty((len(possible), width), np.int64)
    for g, (row, outputs) in enumerate(zip(numerators, possible, strict=True)):
        upto = [one - 1 for one in itertools.accumulate(row[said] for said in outputs)]
        rest = width - len(outputs)
        uppers[g], says[g] = upto + upto[-1:] * rest, outputs + outputs[-1:] * rest
    return uppers, says


# ---- geometric noise


def geometric_noise(epsilon: Fraction, count: int, rng: Chance) -> Integers:
    """(count,) whole numbers z, P(z) = (1 - r) / (1 + r) r^|z| with r = e^-epsilon (Ghosh, Roughgarden and
    Sundararajan 2012, doi:10.1137/09076828X): with P(g) = (1 - r) r^g, g in 1 / (1 + r) of all cases, and else -1 - g,
    which is ~g."""
    return _geometric(epsilon, count, rng) ^ -noise_within(epsilon, 1, count, rng)


def noise_within(epsilon: Fraction, most: int, count: int, rng: Chance) -> Integers:
    """(count,) the same noise, cut off at 0 and at `most`, which is at most _DIGIT."""
    return _inverted(lambda bits: _cumulated(epsilon, bits, whole=False, both_sides=True)[:most], count, rng)


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
    of 2^-bits. Where 16 bits do not decide, a number gets 48 more, and then more words."""
    limits = law(_FIRST)
    reached = np.repeat(np.arange(len(limits) + 1), np.diff([0, *limits, 1 << _FIRST]))
    reached[list(limits)] = -1
    found = np.empty(count, np.int64)
    for start in range(0, count, _AT_ONCE):
        here = found[start : start + _AT_ONCE]
        drawn = words(rng, -(-len(here) // 4)).view(np.uint16)[: len(here)]
        here[:] = reached[drawn]
        open_ = np.flatnonzero(here < 0)
        if len(open_):
            here[open_] = _continued(law, drawn[open_], rng)
    return found


def _continued(law: Callable[[int], Sequence[int]], first: npt.NDArray[np.uint16], rng: Chance) -> Integers:
    drawn = (first.astype(np.uint64) << np.uint64(64 - _FIRST)) | (words(rng, len(first)) >> np.uint64(_FIRST))
    limits = np.array(law(64), np.uint64)
    found = np.searchsorted(limits, drawn)
    for i in np.flatnonzero(limits[np.minimum(found, len(limits) - 1)] == drawn):
        found[i] = _decided(law, int(drawn[i]), rng)
    return found


def _decided(law: Callable[[int], Sequence[int]], drawn: int, rng: Chance) -> int:
    bits = 64
    while drawn in (limits := law(bits)):
        drawn = (drawn << 64) + int(words(rng, 1)[0])
        bits += 64
    return bisect.bisect_left(limits, drawn)


@functools.lru_cache(maxsize=256)
def _cumulated(epsilon: Fraction, bits: int, *, whole: bool, both_sides: bool = False) -> Sequence[int]:
    """P(g <= j) of a geometric number, in units of 2^-bits and rounded down: for all j < _DIGIT; or, `whole`, of one
    that is known to be less than _DIGIT, for all j but the last; or P(z <= j) of noise on both sides of 0."""
    digits = _DIGITS + bits // 3
    while True:
        with decimal.localcontext(prec=digits, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
            each = decimal.Decimal(-epsilon.numerator) / epsilon.denominator
            rest = [(each * j).exp() for j in range(1, _DIGIT + 1)]
            if whole:
                rest = [(one - rest[-1]) / (1 - rest[-1]) for one in rest[:-1]]
            if both_sides:
                rest = [one / (1 + rest[0]) for one in rest]
            least, most = (1 - decimal.Decimal(sign).scaleb(_LOST - digits) for sign in (1, -1))
            enough = [tuple(max(1, math.ceil(one * (1 << bits) * end)) for end in (least, most)) for one in rest]
        if all(low == high for low, high in enough):
            return tuple((1 << bits) - low for low, _ in enough)
        digits *= 2
