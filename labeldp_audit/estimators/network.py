"""Two small neural networks on top of a sum of curves, one for each number, and of coefficients of levels.

The sum is fitted first (linear.py, with bends of each number beside it) and stays; the networks learn what it leaves.
One shrinks its weights little and the other much: which of them to trust, and how far, is what the rows to judge say.
Rows to learn from get the sum by a fit without them, or it would look better to the networks than it is.

Ours, because on `levels` and `curved` of tests/worlds.py (20 000 rows, two draws each) scikit-learn's MLPClassifier is
2.0 to 2.9 times as far from the best log loss, and takes 7 times as long on `levels` (0.7 and 1.3 on `curved`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ..core.arrays import Floats, Integers
from .contract import Fitting, Lesson, Predictor, constant, inside
from .inputs import Codes, Values
from .linear import Design, Fit, Plain, Problem, Weights, loss, main_effects, parts_of, settled, softmax, some, with_one
from .perceptron import Descent, Perceptron, Size, begin

FEWEST = 50  # rows to learn from
BLOCK = 4096
JUDGEMENTS = 25
STRETCH = 8192  # rows that are learnt from at a time
DECAYS = (0.1, 1.0)  # of the two networks
RATE = 3e-3
WARMING = 0.05  # of the steps, while the rate rises
FOLDS = 4
CELLS = 12_000_000  # of the rows that the sum is fitted to
MOST_SUMMED = 60_000  # rows of them
MOST_LEARNT = 400_000  # rows
OFTEN = 20  # times that an epoch draws a row which stands for many
PATIENCE = 5  # judgements without anything gained
PARTS = [(one / 4, other / 4) for one in range(5) for other in range(5 - one)]  # how far each network may be trusted


@dataclass(frozen=True)
class Sight(Plain):
    """Numbers with their bends, made anew for every block: whole they would be a table many times as wide."""

    @property
    def steps(self) -> tuple[float, ...]:
        """Where a bend is."""
        return (-0.7, 0.7) if len(self.inputs.numbers) > 40 else (-1.3, -0.65, 0.0, 0.65, 1.3)

    @property
    def width(self) -> int:
        return self.inputs.width + len(self.inputs.numbers) * (1 + len(self.steps))

    def bent(self, dense: Values) -> Values:
        at = dense[:, self.inputs.main]
        square = (np.minimum(at * at, np.float32(9)) - np.float32(1)) * np.float32(0.7)
        bends = [np.tanh(np.float32(2) * (at - np.float32(step))) for step in self.steps]
        return np.concatenate([dense, square, *bends], axis=1)

    def addends(self, bent: Values) -> Values:
        """What the sum adds up. Halved bends are shrunk four times as much: where lines do, there are none."""
        found = with_one(bent)
        found[:, 1 + self.inputs.width :] *= np.float32(0.5)
        return found

    def dense(self, rows: Integers) -> Values:
        return self.addends(self.bent(self.inputs.dense(rows)))

    def wider(self, main: Fit) -> Fit:
        """The same scores, with coefficients of 0 for bends."""
        penalties, weights = main
        bends = np.zeros((self.width - self.inputs.width, weights.dense.shape[1]))
        return penalties, Weights(np.concatenate([weights.dense, bends]), weights.levels)


@dataclass(frozen=True)
class Rows:
    dense: Values
    codes: Codes
    offset: Values  # what the sum says
    labels: Integers
    count: Floats  # how many rows each stands for

    @classmethod
    def of(cls, sight: Sight, lesson: Lesson, rows: Integers) -> Rows:
        offset = np.zeros((len(rows), lesson.classes), np.float32)
        labels = lesson.labels[rows].astype(np.int64)
        return cls(sight.inputs.dense(rows), sight.codes(rows), offset, labels, lesson.counts(rows))

    def offset_by(self, total: Weights, sight: Sight, which: Integers) -> None:
        for part in parts_of(which, BLOCK):
            addends = sight.addends(sight.bent(self.dense[part]))
            self.offset[part] = total.logits(addends, self.codes[part])

    def said_by(self, net: Perceptron, sight: Sight) -> Floats:
        """(rows, classes) logits beside the offset."""
        parts = parts_of(np.arange(len(self.labels)), BLOCK)
        found = [net.logits(sight.bent(self.dense[part]), self.codes[part]) for part in parts]
        return np.concatenate(found).astype(np.float64)

    def lost(self, *said: Floats) -> float:
        return loss(sum(said, self.offset.astype(np.float64)), self.labels, self.count)[0]


Stretch = tuple[Integers, Floats, bool]
"""Rows of some steps, the rate of each, and whether it is time to judge."""


@dataclass(frozen=True)
class Course:
    """How long to learn: less often through more rows."""

    batch: int
    epochs: int

    @classmethod
    def of(cls, n: int) -> Course:
        batch = 128 if n < 20_000 else 256 if n < 60_000 else 512 if n < 400_000 else 1024
        return cls(min(batch, n), 24 if n < 20_000 else 14 if n < 60_000 else 9 if n < 400_000 else 7)

    def stretches(self, n: int, rng: np.random.Generator, odds: Floats | None = None) -> Iterator[Stretch]:
        """odds: by which rows are drawn, where they are not equal."""
        batches = n // self.batch
        steps = self.epochs * batches
        often, most = max(1, steps // JUDGEMENTS), max(1, STRETCH // self.batch)
        for epoch in range(self.epochs):
            order, done = rng.permutation(n) if odds is None else rng.choice(len(odds), n, p=odds), 0
            while done < batches:
                before = epoch * batches + done
                more = min(most, batches - done, often - before % often)
                rates = self.rates(np.arange(before + 1, before + more + 1) / steps)
                after = before + more
                yield order[done * self.batch : (done + more) * self.batch], rates, not after % often or after == steps
                done += more

    @staticmethod
    def rates(done: Floats) -> Floats:
        """Up in a line, and down along a cosine to 0; done: share of the steps."""
        down = (1 + np.cos(np.pi * (done - WARMING) / (1 - WARMING))) / 2
        return np.asarray(RATE * np.where(done < WARMING, done / WARMING, down))


class Network(Fitting):
    name = "network"
    example = "network"
    optional = True

    def fit(self, lesson: Lesson) -> Predictor:
        if lesson.rows_learnt < FEWEST:
            return constant(lesson)
        plain, main = main_effects(lesson)
        sight = Sight(plain.inputs)
        rows = some(lesson.learn, MOST_LEARNT, np.random.default_rng([lesson.seed, 5]))
        learn, judge = (Rows.of(sight, lesson, mine) for mine in (rows, lesson.judge))
        total = _summed(sight, lesson, rows, learn, judge, main)
        size = Size(sight.width, len(sight.sizes), sum(sight.sizes), lesson.classes)
        with ThreadPoolExecutor(max(1, min(lesson.threads, len(DECAYS)))) as pool:
            jobs = [pool.submit(_taught, sight, size, learn, judge, decay, lesson.seed) for decay in DECAYS]
            nets = [job.result() for job in jobs]
        trusted = list(zip(_parts(sight, nets, judge), nets, strict=True))

        def block(asked: Integers) -> Floats:
            numbers, codes = sight.bent(sight.inputs.dense(asked)), sight.codes(asked)
            logits = total.logits(sight.addends(numbers), codes)
            for part, net in trusted:
                if part:
                    logits += part * net.logits(numbers, codes)
            return inside(softmax(logits))

        return lambda asked: np.concatenate([block(part) for part in parts_of(asked, BLOCK)])


def _summed(sight: Sight, lesson: Lesson, rows: Integers, learn: Rows, judge: Rows, main: Fit) -> Weights:
    """The sum; fills the offsets."""
    rng, n = np.random.default_rng([lesson.seed, 2]), len(rows)
    some = rng.permutation(n)[: min(n, MOST_SUMMED, max(FEWEST, CELLS // (1 + sight.width + len(sight.sizes))))]
    penalties, total = settled(Design.of(sight, lesson, rows[some]), sight.wider(main))
    for one in (learn, judge):
        one.offset_by(total, sight, np.arange(len(one.labels)))
    fold = np.arange(n)[some] % FOLDS
    for f in range(FOLDS):
        without = Problem(Design.of(sight, lesson, rows[some[fold != f]])).solve(penalties, total)
        learn.offset_by(without, sight, some[fold == f])
    return total


def _taught(sight: Sight, size: Size, learn: Rows, judge: Rows, decay: float, seed: int) -> Perceptron:
    """The weights, averaged over the last steps, at the time when they judged best."""
    rng = np.random.default_rng([seed, round(1000 * decay)])
    many, odds = _drawn(learn)
    course, state, since = Course.of(many), Descent(size, begin(size, rng), decay), 0
    net = Perceptron(size, state.average)
    best = (judge.lost(judge.said_by(net, sight)), state.average.copy())
    for which, rates, judging in course.stretches(many, rng, odds):
        numbers = sight.bent(learn.dense[which])
        state.learn(numbers, learn.codes[which], learn.offset[which], learn.labels[which], course.batch, rates)
        if judging:
            since += 1
            if (lost := judge.lost(judge.said_by(net, sight))) < best[0]:
                best, since = (lost, state.average.copy()), 0
            if since == PATIENCE:
                break
    return Perceptron(size, best[1])


def _drawn(learn: Rows) -> tuple[int, Floats | None]:
    """Rows of an epoch, and by which odds each is drawn where they stand for many."""
    whole = float(learn.count.sum())
    if whole == len(learn.count):
        return len(learn.count), None
    return min(int(whole), OFTEN * len(learn.count)), learn.count / whole


def _parts(sight: Sight, nets: Sequence[Perceptron], judge: Rows) -> tuple[float, float]:
    """Among a few, how far each network is trusted to judge best; (0, 0) leaves the sum as it is."""
    one, other = (judge.said_by(net, sight) for net in nets)
    return min(PARTS, key=lambda parts: judge.lost(parts[0] * one, parts[1] * other))
