"""The nouns: what travels from a table to a report.

Letters used everywhere
    n  rows          q  queries (rows whose neighbours are counted)      d  encoded features
    C  classes       k  neighbours asked for                             i  a record      c  a class
    eta    (q, C)    P(Y = c | x), what the features alone tell           "before"
    post   (q, C)    the same after the release                           "after"
    p                P(Y = positive), the prior
    pi               probability that randomized response flips a label
    tau              a privacy loss, in nats
    epsilon, delta   privacy only;  confidence  statistics only

Everything here is frozen. Arrays are not copied: whoever receives one does not write to it.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SCHEMA = "labeldp-audit/1"
ROWS_AT_ONCE = 1 << 16  # that coordinates are made of
ORDER_DOUBT = 0.01  # p-value below which scores are not taken to put people in order
EXACT_LEVELS = 4096  # of a column are counted; more of them are estimated, within about 2 %
TOOL = "labeldp-audit"
# Parameters of a report that no option sets.
COMPARED = "compared"  # mechanisms that nobody plans to use, beside those that are judged
MEASURED_BY = "measured_by"  # of a stored report that was checked: the command that made it
ALONE = "judged_alone"  # lines, and mechanisms that a search found to break them by limits of their own alone
TUNE = "tune"  # mechanisms with one parameter left open, and the strengths of each that are shown


@dataclass(frozen=True)
class Column:
    """One column of the table and what became of it."""

    name: str
    role: str  # label, number, category, eta, excluded, constant
    type: str  # as the file's schema says, e.g. "int64", "string"
    missing: int = 0
    levels: int | None = None  # categories only; an estimate above EXACT_LEVELS
    width: int = 0  # encoded coordinates


@dataclass(frozen=True)
class Dataset:
    """What a report may say about the table: never a row of it."""

    name: str  # the file's name, never its path
    sha256: str
    rows: int
    rows_used: int  # fewer where null labels were dropped
    label: str
    positive: str | None  # None where there are more than two classes
    classes: tuple[str, ...]  # negative first for two classes; index c in every array
    class_counts: tuple[int, ...]
    columns: tuple[Column, ...]

    @property
    def prior(self) -> tuple[float, ...]:
        return tuple(count / self.rows_used for count in self.class_counts)

    @property
    def blind_log_loss(self) -> float:
        """Of whoever knows how common the classes are and nothing else."""
        return -sum(share * math.log(share) for share in self.prior if share)

    @property
    def features(self) -> int:
        return sum(column.role in ("number", "category") for column in self.columns)


@dataclass(frozen=True)
class Columns:
    """The features as they are, for whoever learns from them: those that are not constant, in the file's order."""

    values: npt.NDArray[np.float32]  # (n, f), Fortran order; numbers in units of most of them, NaN where missing
    categorical: npt.NDArray[np.bool_]  # (f,) codes 0, 1, ... by falling frequency; a missing cell is a level
    names: tuple[str, ...]

    def at(self, rows: Integers) -> Columns:
        return replace(self, values=np.asfortranarray(self.values[rows]))


class Axis(Protocol):
    """Where the levels of a category lie among the points."""

    @property
    def at(self) -> int:
        """Which of the columns."""

    @property
    def width(self) -> int: ...

    def coordinates(self, codes: Integers) -> npt.NDArray[np.float32]:
        """(rows, width) of these codes."""


# Remarks about the rows of a table.
UNANSWERED = "rows-repeat"  # equal rows that coincidence does not explain, and nobody said what they are
REFUTED = "rows-in-multiples"  # somebody said that equal rows are people, and their numbers say otherwise
LEFT_OUT = "copies-left-out"  # rows beyond the first of each record
ONE_EACH = "one-row-of-each-person"  # judges
DOUBTS = (UNANSWERED, REFUTED)  # under which no limit holds, and estimates are of rows that may not be people


@dataclass(frozen=True)
class Remark:
    """Something that was noticed, as a code that logic reads and values; only reports make a sentence of it."""

    code: str
    values: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Twins:
    """Disjoint pairs of rows with equal features, drawn by lot."""

    pairs: int
    differ: int  # of these have different labels


@dataclass(frozen=True)
class Table:
    """The encoded table."""

    points: npt.NDArray[np.float32]  # (n, d), C order; beside axes the coordinates of numbers alone
    labels: npt.NDArray[np.uint8]  # (n,), index into dataset.classes
    dataset: Dataset
    warnings: tuple[str, ...] = ()
    row_numbers: Integers | None = None  # of the used rows in the file, where null labels were dropped
    given: Floats | None = None  # (n, C) the probabilities that columns of the table hold; points are (n, 0) then
    columns: Columns | None = None  # where they were asked for
    fingerprints: npt.NDArray[np.uint64] | None = None  # (n,) the same where all features are, unscaled
    told_apart: bool = True  # different cells are different numbers, so fingerprints tell all rows apart that differ
    groups: Integers | None = None  # (n,) the same number for rows of one person, where a column names people
    twins: Twins | None = None  # where they were asked for
    remarks: tuple[Remark, ...] = ()
    judges: Integers | None = None  # rows whose labels may judge, one of each person; None: all of them
    axes: tuple[Axis, ...] = ()  # of categories whose coordinates are made once somebody wants them

    @property
    def width(self) -> int:
        """Of all points."""
        return int(self.points.shape[1]) + sum(axis.width for axis in self.axes)

    def with_points(self) -> Table:
        """With all coordinates: many times the memory of the columns they are made of."""
        if not self.axes:
            return self
        assert self.columns is not None
        points, start = np.empty((len(self.labels), self.width), np.float32), self.points.shape[1]
        points[:, :start] = self.points
        for axis in self.axes:
            codes = self.columns.values[:, axis.at].astype(np.int64)
            for first in range(0, len(codes), ROWS_AT_ONCE):
                part = slice(first, first + ROWS_AT_ONCE)
                points[part, start : start + axis.width] = axis.coordinates(codes[part])
            start += axis.width
        return replace(self, points=points, axes=())

    def at(self, rows: Integers) -> Table:
        """The same table with these rows alone, which rise; what is known of columns stays as it was."""
        counts = np.bincount(self.labels[rows], minlength=len(self.dataset.classes))
        file = rows if self.row_numbers is None else self.row_numbers[rows]
        return replace(
            self, points=self.points[rows], labels=self.labels[rows], row_numbers=file, given=_some(self.given, rows),
            dataset=replace(self.dataset, rows_used=len(rows), class_counts=tuple(counts.tolist())),
            columns=None if self.columns is None else self.columns.at(rows),
            fingerprints=_some(self.fingerprints, rows), judges=None,
            groups=None if self.groups is None else np.unique(self.groups[rows], return_inverse=True)[1],
        )  # fmt: skip


def _some(values: Any, rows: Integers) -> Any:
    return None if values is None else values[rows]


@dataclass(frozen=True)
class Neighborhoods:
    """Class counts among the k nearest other rows of each query, ties at the k-th distance included."""

    rows: Integers  # (q,) index of each query into the table
    counts: npt.NDArray[np.int64]  # (q, C); the query's own label is not counted
    radius: npt.NDArray[np.float32]  # (q,) distance of the k-th neighbour
    k: int  # asked for; counts.sum(axis=1) >= k
    n: int  # rows that were searched
    exact: bool
    recall: float  # share of the true k nearest that were found, measured; 1.0 where exact
    recall_low: float  # one-sided 99 % limit of it
    probes: int  # cells that were looked into
    part: npt.NDArray[np.uint8] | None = None  # (q,) in which part of the rows each query is, where they were parted
    other: npt.NDArray[np.int64] | None = None  # (q, C) among the neighbours, those of other parts than the query's


@dataclass(frozen=True)
class Tried:
    """One of several ways to estimate eta, and how well it guesses labels that it has not seen."""

    name: str
    log_loss: float
    standard_error: float
    k: int | None
    behind: float = 0.0  # its log loss less that of the best, on the same rows
    behind_error: float = 0.0  # standard error of that


@dataclass(frozen=True)
class Bin:
    """Rows with estimates alike: what was said of a class, and what came."""

    of: str  # the class
    rows: int
    said: float  # mean probability
    came: float  # share of the rows that have the label
    low: float
    high: float

    @property
    def fits(self) -> bool:
        return self.low <= self.said <= self.high


@dataclass(frozen=True)
class Eta:
    """P(Y = c | x) at each query, and what it was made from: every interval needs the counts.

    Where somebody gave the probabilities there are no counts, and no k or radius: they are taken at their word.
    """

    probability: Floats  # (q, C)
    counts: npt.NDArray[np.int64] | None  # (q, C)
    rows: Integers  # (q,)
    k: int | None
    n: int
    estimator: str
    log_loss: float  # of labels that the estimate has not seen
    exact: bool
    recall: float
    radius: npt.NDArray[np.float32] | None  # (q,)
    recall_low: float = 1.0  # one-sided 99 % limit of it
    metric: str | None = "l2"
    part: npt.NDArray[np.uint8] | None = None  # (q,) in which part of the rows each query is
    unseen: Floats | None = None  # (q, C) made without any label of the part that the query is in
    asked: Mapping[str, object] | None = None  # how it was made, where that was not now
    tried: tuple[Tried, ...] = ()  # this one and those that it was preferred to
    choices: int = 1  # alternatives between which labels chose: limits must hold for all of them
    order_p: float | None = None  # how well labels bear out that eta does not fall as scores rise; None: no scores
    unresolved: Floats | None = None  # (q, 2) variance of log-odds about those of the score: estimate, and at most

    @property
    def ordered(self) -> bool:
        """Do labels bear it out, whichever scores they chose?"""
        return self.order_p is not None and self.order_p * self.choices >= ORDER_DOUBT

    @property
    def queries(self) -> int:
        return len(self.probability)

    def sees(self, dataset: Dataset) -> bool:
        return sees(self.log_loss, dataset)


def sees(log_loss: float, dataset: Dataset) -> bool:
    """Does it guess labels better than the shares of the classes do? By 1 %, below which a difference is noise."""
    return log_loss < 0.99 * dataset.blind_log_loss


@dataclass(frozen=True)
class EtaSummary:
    """What a report says of eta: how it was made and how well it guesses, and no row of it."""

    estimator: str
    k: int | None
    metric: str | None
    n: int
    queries: int
    exact: bool
    recall: float
    recall_low: float
    log_loss: float
    one_class: int = 0  # queries whose neighbours all have the same label
    order_p: float | None = None  # as in Eta
    tried: tuple[Tried, ...] = ()
    reliability: tuple[Bin, ...] = ()

    @property
    def given(self) -> bool:
        """By somebody, and taken at their word."""
        return self.k is None

    def sees(self, dataset: Dataset) -> bool:
        return sees(self.log_loss, dataset)


@dataclass(frozen=True)
class Law:
    """The law of eta among people: all that the advantage of an attacker depends on."""

    weight: Floats  # (a,), sums to 1
    eta: Floats  # (a, C)

    def mean(self, values: Floats) -> float:
        """Of values (a,). Not as a product of vectors, whose last bit depends on how many threads there are."""
        return float((self.weight * values).sum())


@dataclass(frozen=True)
class Release:
    """What is published instead of the labels: one thing for each bag of records."""

    view: npt.NDArray[np.generic]  # (bags,)
    bag: Integers  # (n,) the bag of each record; a bag of its own where records are released one by one


@dataclass(frozen=True)
class Bound:
    """A number and what a sample entitles us to say about it."""

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    assumptions: tuple[str, ...] = ()
    reason: str | None = None  # why there is no estimate
    standard_error: float | None = None  # of the simulation behind the estimate, where there was one


@dataclass(frozen=True)
class Finding:
    """One answer of a report: a quantity, the mechanism it is about, where, and a bound at a confidence."""

    quantity: str
    bound: Bound
    confidence: float
    mechanism: str | None = None
    at: Mapping[str, float | str] = field(default_factory=dict)
    claim: float | None = None  # the epsilon of the label differential privacy that the mechanism claims
    bag: int | None = None  # records that it releases together, where that is said

    def place(self, key: str) -> float | None:
        """`at` that key, where a number stands there."""
        value = self.at.get(key)
        return None if isinstance(value, str) else value


class Outcome(StrEnum):
    """Of a line of a policy, the worst first."""

    FAIL = "fail"
    NOT_MEASURED = "not measured"
    INCONCLUSIVE = "inconclusive"  # the estimate passes, the limit does not
    PASS = "pass"


@dataclass(frozen=True)
class Waiver:
    """A risk that somebody accepts: lines about that quantity do not count for that table until then."""

    quantity: str
    dataset: str  # sha256 of the table
    until: datetime.date  # the last day
    reason: str


@dataclass(frozen=True)
class Waived:
    """A waiver of the policy, and what it does for this report."""

    waiver: Waiver
    about_this: bool  # table
    expired: bool
    used: bool = False  # by a line that would otherwise not pass


@dataclass(frozen=True)
class Verdict:
    """What became of one line of a policy; where it is about several findings, of the one that is worst."""

    line: str
    outcome: Outcome
    said: str  # in words, with the numbers
    quantity: str
    field: str  # low, estimate or high
    comparison: str  # >, >=, <, <=
    threshold: float
    worst: Finding | None = None  # None where nothing was measured
    judged: int = 0  # findings that the line is about
    failing: int = 0  # of these, those that do not pass
    waiver: Waiver | None = None  # that is why it does not count

    @property
    def value(self) -> float | None:
        """What was compared."""
        return None if self.worst is None else getattr(self.worst.bound, self.field)

    @property
    def counts(self) -> bool:
        """Does it keep the policy from holding?"""
        return self.outcome is not Outcome.PASS and self.waiver is None


@dataclass(frozen=True)
class Judgement:
    """Does the policy hold?"""

    verdicts: tuple[Verdict, ...]
    waivers: tuple[Waived, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Pass, inconclusive or fail; what was not measured and a waiver that has run out are failures."""
        if any(one.about_this and one.expired for one in self.waivers):
            return Outcome.FAIL
        left = {one.outcome for one in self.verdicts if one.counts}
        if left <= {Outcome.INCONCLUSIVE}:
            return Outcome.INCONCLUSIVE if left else Outcome.PASS
        return Outcome.FAIL


@dataclass(frozen=True)
class Report:
    command: str
    version: str
    dataset: Dataset
    eta: EtaSummary
    parameters: Mapping[str, object]  # confidence, seed and what else changes the numbers
    findings: tuple[Finding, ...]
    warnings: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()  # codes of what was noticed about the rows; warnings say it in words
    uncertifiable: str | None = None  # what nobody can certify, where something is certified
    judgement: Judgement | None = None  # where there is a policy
