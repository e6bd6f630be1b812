"""Is a release what its manifest claims? Exact tests of what replaced the labels, at one joint confidence.

The labels and all other columns are taken as they are: what is tested is the noise alone, which a mechanism draws anew
for each record, whatever the features are and wherever the record stands. Every check has a tenth of what may be
missed, whether or not the others can be made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..bounds import departures
from ..bounds.intervals import clopper_pearson
from ..core.arrays import Floats, Integers
from ..core.budget import Budget
from ..core.finding import Bound, Finding
from ..core.policy import Outcome, Verdict
from ..core.randomness import for_audit
from ..core.release import Tails
from .quantities import FLIP_RATE, OBSERVED_EPSILON, RELEASE_FAULTS, RELEASE_P

LIMITS, CHANNEL, POSITION, ALONG, REPEATS, FEATURES, ORDER, NOISE, COMPOSITION, PLACES = (
    "limits", "channel", "position", "along", "repeats", "features", "order", "noise", "composition", "places",
)  # fmt: skip
SHARE = 0.1  # of what may be missed, for each of these ten
BLOCK = 64  # labels at places that are equal modulo this stand in one word of some library
_RUNS = 64  # parts of a file
_CELLS = 4096  # of a table of outcomes beyond which only flips are counted
_AT_ONCE = 1 << 20  # rows that are counted
_LAGGED = 1 << 22  # rows that are compared with later ones
_SPREAD = 40  # noise is counted up to there
INDEPENDENT = "noise is drawn anew for each record"

Pairs = list[tuple[Finding, Verdict | None]]


@dataclass(frozen=True)
class Trials:
    """Labels that were replaced one by one, in the order of the release. Rows with the same kind have the same law."""

    kind: Integers  # (n,)
    said: Integers  # (n,)
    low: Floats  # (K, S) P(say s | kind) is at least, and at most, so much
    high: Floats  # (K, S)
    classes: int  # kinds are (group, class), a class each; 0 where nobody knows the true labels
    row: Integers  # (n,) of the release, in the order in which labels were drawn; others are not looked at
    names: npt.NDArray[np.bool_] | None = None  # (classes, S) which outcomes name a class; None: s == c
    drawn: bool = False  # the outcomes of a group were shared out: counts are those of draws without putting back

    @property
    def stays(self) -> npt.NDArray[np.bool_]:
        """(K, S) what is said where the label stays as it is."""
        classes = max(self.classes, 1)
        names = np.eye(classes, self.low.shape[1], dtype=np.bool_) if self.names is None else self.names
        return np.tile(names, (len(self.low) // classes, 1))

    @property
    def kept(self) -> Floats:
        """(K,) P(the label stays as it is)."""
        return np.asarray((self.low * self.stays).sum(axis=1))

    @property
    def outcomes(self) -> int:
        return int(self.low.size)

    @property
    def outcome(self) -> Integers:
        """(n,) kind and what was said in one number."""
        return np.asarray(self.kind * self.low.shape[1] + self.said)

    def counts(self, group_of: Callable[[Integers], Integers], groups: int) -> Integers:
        """(groups, K, S): what was said in each group of rows."""
        found = np.zeros(groups * self.outcomes, np.int64)
        for start in range(0, len(self.row), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            cell = self.kind[part] * self.low.shape[1] + self.said[part]
            place = np.arange(part.start, part.start + len(cell))
            found += np.bincount(group_of(place) * self.outcomes + cell, minlength=len(found))
        return found.reshape(groups, *self.low.shape)


@dataclass(frozen=True)
class Tested:
    """One check, and how surprising its outcome is; or why it was not made."""

    check: str
    p: float | None
    n: int
    column: str = ""  # that shows it most
    reason: str | None = None


# ---- labels that were replaced one by one


def of_trials(trials: Trials) -> Iterator[Tested]:
    n = len(trials.said)
    if not n:
        yield from (Tested(one, None, 0, reason=ALIKE) for one in (CHANNEL, POSITION, ALONG, REPEATS))
        return
    yield Tested(CHANNEL, departure(trials.counts(np.zeros_like, 1), trials), n)
    yield Tested(POSITION, departure(trials.counts(lambda row: row % BLOCK, BLOCK), trials), n)
    runs = max(1, min(_RUNS, n // 16))
    yield Tested(ALONG, departure(trials.counts(lambda row: row * runs // n, runs), trials), n)
    if trials.drawn:
        return  # each outcome is used once
    if trials.classes:
        yield Tested(REPEATS, _repeats(trials), n)
    else:
        yield Tested(REPEATS, None, n, reason=UNSEEN)


ALIKE = "rows with equal features have different labels; --order FILE, the key to the order, tells them apart"
UNSEEN = "only beside the original can be seen which labels changed: --original DATA"
REPEATED = "several rows have the same features: --order FILE, the key to the order, tells which is which"


def of_features(trials: Trials, tallies: Mapping[str, Integers]) -> Tested:
    """tallies (levels, outcomes) of each column."""
    shape = trials.low.shape
    if not len(trials.said):
        return Tested(FEATURES, None, 0, reason=ALIKE)
    each = {name: departure(one.reshape(-1, *shape), trials) for name, one in tallies.items()}
    return _worst(FEATURES, each, len(trials.said))


def _worst(check: str, each: Mapping[str, float], n: int) -> Tested:
    if not each:  # there are no other columns
        return Tested(check, 1.0, n)
    name = min(each, key=lambda one: each[one])
    return Tested(check, min(1.0, each[name] * len(each)), n, column=name)


def departure(counts: Integers, trials: Trials) -> float:
    """p-value of counts (groups, K, S) of what was said in each group of rows: every cell, and how many labels changed
    in each group, all kinds together. All tests share the level.

    Counts of draws without putting back have the law of a sum of independent trials that are not alike (Vatutin and
    Mikhailov 1982, doi:10.1137/1127083), and so have sums of them over different shares, class by class."""
    n = counts.sum(axis=2)
    filled = max(1, int(np.sum(n > 0)))  # rows that are told apart, maybe none
    found = 1.0
    if counts.size <= _CELLS or len(counts) == 1:
        cells = departures.of_counts(counts, n[:, :, None], trials.low[None], trials.high[None], alike=_alike(trials))
        tests = filled * (1 if counts.shape[2] == 2 else counts.shape[2])
        found = min(found, 2 * float(cells.min(initial=1.0)) * tests)
    if trials.classes:
        apart = (len(n), -1, trials.classes if trials.drawn else 1)
        changed, total, expected = (
            one.reshape(apart).sum(axis=1)
            for one in (n - (counts * trials.stays).sum(axis=2), n, n * (1 - trials.kept))
        )
        mean = expected / np.maximum(total, 1)
        alike = np.ptp(trials.kept) < 1e-15 and not trials.drawn
        flips = departures.of_counts(changed, total, *_around(mean), alike=alike)
        found = min(found, 2 * float(flips.min(initial=1.0)) * max(1, int(np.sum(total > 0))))
    return min(1.0, found)


def _alike(trials: Trials) -> npt.NDArray[np.bool_]:
    """(1, K, S) whether all rows of a kind have one and the same probability."""
    return np.asarray(trials.low == trials.high)[None] & (not trials.drawn)


def _around(mean: Floats) -> tuple[Floats, Floats]:
    """Outward, as a mean of probabilities is rounded."""
    return mean * (1 - 1e-14), np.minimum(1.0, mean * (1 + 1e-14))


def _repeats(trials: Trials) -> float:
    """Do labels change together with others some rows later? Noise that is used twice does.

    Of disjoint pairs, those of which both labels or neither changed: independent trials.
    """
    n = min(len(trials.said), _LAGGED)
    changed, often = ~trials.stays[trials.kind[:n], trials.said[:n]], (1 - trials.kept)[trials.kind[:n]]
    alike = np.ptp(trials.kept) < 1e-15
    lags = sorted({base**power for base in (2, 10) for power in range(23) if base**power <= n // 2})
    found = [1.0]
    for lag in lags:
        first = np.flatnonzero(np.arange(n - lag) // lag % 2 == 0)
        a, b = often[first], often[first + lag]
        mean = float(np.mean(a * b + (1 - a) * (1 - b)))
        same = int(np.sum(changed[first] == changed[first + lag]))
        low, high = _around(np.array(mean))
        found.append(len(lags) * float(departures.of_counts(same, len(first), low, high, alike=alike)))
    return min(1.0, *found)


def of_order(row: Integers, n: int, *codes: Integers) -> Tested:
    """Rows that were shuffled: of how many parts of the original does each part of the release have its share? And do
    codes, such as true labels, hang on where in the release they stand?

    row: of the original, for the rows of the release that are known again; -1 for others, and for unknown codes.
    """
    parts = max(1, min(8, n // 50))
    known = row >= 0
    then, now = row[known] * parts // max(n, 1), np.flatnonzero(known) * parts // max(n, 1)
    cells = np.bincount(then * parts + now, minlength=parts * parts).reshape(parts, parts)
    p = departures.of_draws(cells, int(known.sum()), cells.sum(axis=1)[:, None], cells.sum(axis=0)[None])
    found = [float(p.min(initial=1.0)) * cells.size, *map(_by_place, codes)]
    return Tested(ORDER, min(1.0, len(found) * min(found)), int(known.sum()))


def _by_place(code: Integers) -> float:
    """Of disjoint pairs with two codes either comes first as often, by fair coins; and each part of the file, and the
    rows at each place of a block, draw their codes without putting back."""
    rows, row = len(code), np.flatnonzero(code >= 0)
    code, n = code[row], len(row)
    lags, found = [2**power for power in range(23) if 2**power <= n // 2], [1.0]
    for lag in lags:
        first = np.flatnonzero(np.arange(n - lag) // lag % 2 == 0)
        a, b = code[first], code[first + lag]
        found.append(len(lags) * float(departures.of_counts(np.sum(a < b), np.sum(a != b), 0.5, 0.5)))
    runs = max(1, min(_RUNS, n // 16))
    for group, groups in ((row * runs // max(rows, 1), runs), (row % BLOCK, BLOCK)):
        cells = np.zeros((groups, int(code.max(initial=0)) + 1), np.int64)
        np.add.at(cells, (group, code), 1)
        cells = cells[cells.any(axis=1)]
        p = departures.of_draws(cells, n, cells.sum(axis=0)[None], cells.sum(axis=1)[:, None])
        found.append(max(cells.size, 1) * float(p.min(initial=1.0)))
    return min(1.0, 3 * min(found))


def with_alike(tested: Tested, counts: Sequence[Tails]) -> Tested:
    """The same check, also of how many of the rows that are alike are published with each label: one count for each
    such group of rows, a sequence for each label."""
    found = [] if tested.p is None else [tested.p]
    found += [len(counts) * min(map(of_tails, counts))] if counts else []
    if not found:
        return tested
    return replace(tested, p=min(1.0, len(found) * min(found)), reason=None)


def limits_of_labels(trials: Trials, claim: float | None, spec: str, budget: Budget, classes: Sequence[str]) -> Pairs:
    """How often labels changed, of each class and of all, and the least epsilon that explains what was said."""
    counts = trials.counts(np.zeros_like, 1)[0]
    n, miss = counts.sum(axis=1), budget.part(LIMITS, SHARE).miss / 2
    kept = (counts * trials.stays).sum(axis=1)
    rates, each = [], miss / (2 * (len(classes) + 1))
    for c, name in enumerate((None, *classes)):
        mine = np.arange(len(n)) % len(classes) == c - 1 if name is not None else np.ones(len(n), bool)
        total, changed = int(n[mine].sum()), int((n - kept)[mine].sum())
        low, high = (float(end[0]) for end in clopper_pearson.limits_of_counts([changed], [max(total, 1)], each))
        bound = (
            Bound(changed / total, low, high, total, "clopper-pearson", (INDEPENDENT,))
            if total
            else _none("no such row")
        )
        rates.append(_finding(FLIP_RATE.name, bound, spec, **({} if name is None else {"class": name})))
    one = miss / (2 * counts.size)
    shape = counts.shape
    whole = np.broadcast_to(np.maximum(n, 1)[:, None], shape)
    lows, highs = clopper_pearson.lower(counts, whole, one), clopper_pearson.upper(counts, whole, one)
    pairs: Pairs = [(rate, None) for rate in rates]
    size = len(classes)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [
            np.log(a[g : g + size, None] / b[None, g : g + size]) for a, b in ((lows, highs), (counts / whole,) * 2)
            for g in range(0, len(n), size)
        ]  # fmt: skip
    half = len(ratios) // 2
    least, estimate = (
        max(float(np.nanmax(each, initial=0.0)) for each in part) for part in (ratios[:half], ratios[half:])
    )
    return [*pairs, _epsilon(least, estimate, int(n.sum()), claim, spec)]


def _epsilon(low: float, estimate: float, n: int, claim: float | None, spec: str) -> tuple[Finding, Verdict | None]:
    assumed = (INDEPENDENT, "the same law for all records with one label")
    one = _finding(OBSERVED_EPSILON.name, Bound(estimate, low, None, n, "clopper-pearson", assumed), spec)
    if claim is None or math.isinf(claim):
        return one, None
    line = f"{OBSERVED_EPSILON.name}.low > {claim:.15g}"
    outcome = Outcome.FAIL if low > claim * (1 + 1e-12) else Outcome.PASS
    return one, Verdict(line, outcome, line, one.quantity, "low", ">", claim, one, 1, int(outcome is Outcome.FAIL))


# ---- labels that were published in bags


@dataclass(frozen=True)
class Bagged:
    """Bags, in the order of their numbers."""

    bag: Integers  # (n,) of each row of the release
    size: Integers  # (bags,)
    published: Floats  # (bags,)
    positives: Integers | None = None  # (bags,) the true ones; None without the original


def of_bags(bags: Bagged, noise_at_most: Callable[[Floats], Floats] | None, unseen: str = UNSEEN) -> Iterator[Tested]:
    """noise_at_most: P(noise <= z), where there is noise; unseen: why the true labels are not known."""
    n, many = len(bags.bag), len(bags.size)
    row = np.arange(n)
    halves = (row * 2 // max(n, 1) == 0, row * 16 // max(n, 1) % 2 == 0, row % 2 == 0)
    places = [
        departures.of_bags(np.bincount(bags.bag[one], minlength=many), bags.size, n, int(one.sum())) for one in halves
    ]
    yield Tested(PLACES, min(1.0, len(places) * min(places)), n)
    if bags.positives is None:
        yield from (Tested(one, None, n, reason=unseen) for one in (COMPOSITION, *([NOISE] if noise_at_most else ())))
        return
    yield Tested(COMPOSITION, _composition(bags, bags.positives), n)
    if noise_at_most is not None:
        yield Tested(NOISE, _noise(bags.published - bags.positives, noise_at_most), many)


def _composition(bags: Bagged, positives: Integers) -> float:
    """Were bags drawn, and numbered, whatever labels are? Each by itself, and all with numbers of a part together."""
    n, marked, many = len(bags.bag), int(positives.sum()), len(bags.size)
    number, runs = np.arange(many), max(1, min(_RUNS, many // 16))
    found = [departures.of_bags(positives, bags.size, n, marked)]
    for group, groups in ((number * runs // max(many, 1), runs), (number % BLOCK, min(BLOCK, many))):
        hit, rows = (np.bincount(group, weights=one, minlength=groups) for one in (positives, bags.size))
        found.append(groups * float(departures.of_draws(hit, n, marked, rows).min(initial=1.0)))
    return min(1.0, len(found) * min(found))


def _noise(noise: Floats, at_most: Callable[[Floats], Floats]) -> float:
    """Its law; and whether it is as often at most 0 at each place and for each part of the bags."""
    zero = at_most(np.zeros(1))
    number = np.arange(len(noise))
    runs = max(1, min(_RUNS, len(noise) // 16))
    found = [departures.of_law(noise, at_most)[1]]
    for group, groups in ((number % BLOCK, BLOCK), (number * runs // max(len(noise), 1), runs)):
        n = np.bincount(group, minlength=groups)
        count = np.bincount(group[noise <= 0], minlength=groups)
        found.append(groups * float(departures.of_counts(count, n, zero, zero).min()))
    return min(1.0, len(found) * min(found))


def of_tails(tails: Tails) -> float:
    """Are counts too far off, one of them; or, of independent ones, too many or too few of them far, or on one side?
    Drawn within its two tails by lot, a count gives a uniform number, and so does how far that is from 1 / 2."""
    most, least = tails.at_most, tails.at_least
    found = [min(1.0, 2 * len(most) * float(np.minimum(most, least).min(initial=1.0)))]
    if tails.independent:
        lot = for_audit(0, "places within tails").random(len(most))
        place = (1 - least) + lot * np.maximum(0.0, most + least - 1)
        found += [departures.of_law(one, lambda z: np.clip(z, 0, 1))[1] for one in (place, np.abs(2 * place - 1))]
    return min(1.0, len(found) * min(found))


def off_grid(published: Floats, at_most: Callable[[Floats], Floats]) -> int:
    """Counts that no noise of this law leaves, which jumps at multiples of a step, as true counts are: further digits
    could tell what is below the noise."""
    places = -np.abs(published)  # where the law is known best; it is symmetric
    return int(np.sum(at_most(places) <= at_most(np.nextafter(places, -np.inf))))


def of_bag_features(bags: Bagged, tallies: Mapping[str, Integers]) -> Tested:
    """tallies (levels, bags and the rest) of each column."""
    n, each = len(bags.bag), {}
    for name, tally in tallies.items():
        filled = [one for one in tally if 0 < one.sum() < n]
        p = [departures.of_bags(one[:-1], bags.size[: tally.shape[1] - 1], n, int(one.sum())) for one in filled]
        each[name] = min(1.0, max(1, len(p)) * min(p, default=1.0))
    return _worst(FEATURES, each, n)


def limits_of_noise(bags: Bagged, claim: float | None, spec: str, budget: Budget) -> Pairs:
    """One label moves a count by 1: P(noise <= a) is at most e^epsilon P(noise <= a - 1), and so from above."""
    assert bags.positives is not None
    noise, m = bags.published - bags.positives, len(bags.size)
    at = np.arange(-_SPREAD, _SPREAD + 1)
    miss = budget.part(LIMITS, SHARE).miss / (4 * len(at))
    upto = np.searchsorted(np.sort(noise), at, side="right")
    beyond = np.searchsorted(np.sort(-noise), at, side="right")
    least, estimate = 0.0, 0.0
    for count in (upto, beyond):
        low, high = clopper_pearson.lower(count, m, miss), clopper_pearson.upper(count, m, miss)
        with np.errstate(divide="ignore", invalid="ignore"):
            least = max(least, float(np.nanmax(np.log(low[1:] / high[:-1]), initial=0.0)))
            seen = count[:-1] > 0
            estimate = max(estimate, float(np.log(count[1:][seen] / count[:-1][seen]).max(initial=0.0)))
    return [_epsilon(least, estimate, m, claim, spec)]


# ---- answers


def faults(check: str, count: int, n: int, spec: str, column: str = "") -> tuple[Finding, Verdict | None]:
    """What has to be as it is to the last bit, and how often it is not."""
    at = {"check": check, **({"column": column} if column else {})}
    one = _finding(RELEASE_FAULTS.name, Bound(float(count), None, None, n, "counted"), spec, **at)
    line = f"{RELEASE_FAULTS.name}(check={check}).estimate > 0"
    outcome = Outcome.FAIL if count else Outcome.PASS
    return one, Verdict(line, outcome, line, one.quantity, "estimate", ">", 0.0, one, 1, int(count > 0))


def judged(tested: Iterable[Tested], spec: str, budget: Budget, needed: bool = True) -> Pairs:
    """needed: whether a check that could not be made leaves the answer open."""
    found: Pairs = []
    for one in tested:
        miss = budget.spend(one.check, SHARE)
        threshold = min(miss, float(f"{miss:.12g}"))
        line = f"{RELEASE_P.name}(check={one.check}).estimate < {threshold:.15g}"
        at = {"check": one.check, **({"column": one.column} if one.column else {})}
        bound = Bound(one.p, None, None, one.n, "exact or conservative", (INDEPENDENT,), one.reason)
        finding = _finding(RELEASE_P.name, bound, spec, **at)
        outcome, said = Outcome.PASS, line
        if one.p is None:
            outcome, said = Outcome.INCONCLUSIVE, str(one.reason)
        elif one.p < threshold:
            outcome = Outcome.FAIL
        counts = int(outcome is not Outcome.PASS)
        verdict = Verdict(line, outcome, said, finding.quantity, "estimate", "<", threshold, finding, 1, counts)
        found.append((finding, verdict if one.p is not None or needed else None))
    return found


def _finding(quantity: str, bound: Bound, spec: str, **at: float | str) -> Finding:
    return Finding(quantity, bound, 0.0, spec, at)


def _none(reason: str) -> Bound:
    return Bound(None, None, None, 0, "not computed", (), reason)


def at_confidence(pairs: Pairs, confidence: float) -> tuple[tuple[Finding, ...], tuple[Verdict, ...]]:
    """What was found and what follows; all of it holds at once."""
    findings, verdicts = [], []
    for one, verdict in pairs:
        finding = replace(one, confidence=confidence)
        findings.append(finding)
        if verdict is not None:
            verdicts.append(replace(verdict, worst=finding))
    return tuple(findings), tuple(verdicts)
