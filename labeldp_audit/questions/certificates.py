"""Lower limits of losses that assume nothing about eta, as findings. Two classes.

They rest on scores that saw no label of the part that their row is in, and on the labels of that part: wrong scores
cost sharpness, never validity. No data can give the other end (unknowable.py), so the trivial one stands there.
Labels may have chosen whose scores these are: then limits made from scores hold for those of every choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..bounds.certificates import (
    boxes,
    class_boxes,
    divergence_cells,
    feature_loss,
    guessed_cells,
    nubar_cells,
    score_trees,
    tail_cells,
)
from ..bounds.certificates.boxes import Box
from ..bounds.certificates.guessed_cells import Guessed
from ..bounds.intervals import clopper_pearson
from ..core.arrays import Floats
from ..core.budget import Budget
from ..core.errors import SpecError
from ..core.eta import Eta
from ..core.finding import Bound, Finding
from ..core.randomness import for_audit
from ..core.registry import number
from ..core.settings import Settings
from ..core.table import Table
from ..measures import worst_case
from . import guessing, releases
from .intervals import Prior
from .releases import Known

SHARE = 0.25  # of the probability that a report may miss, in every command
_BOX, _TAIL, _MEAN, _CLASSES, _GUESSED = 0.40, 0.20, 0.15, 0.20, 0.05  # of that share, where losses are certified

LIMIT = "a limit, not an estimate"
CELLS = "convexity over cells of scores, Clopper-Pearson on each"
PEOPLE = "for people at large, from whom rows are independent draws"
TAIL_METHOD = f"{CELLS} and on how many lose more, or wrong guesses, {PEOPLE}"
MEAN_METHOD = f"{CELLS}, Hoeffding's bound {PEOPLE}"
WORST_METHOD = f"Clopper-Pearson on each cell of scores, or wrong guesses: somebody has at least the mean, {PEOPLE}"
RENYI_METHOD = f"Clopper-Pearson on how many of each class fall into each cell of scores, {PEOPLE}"
MADE_WITHOUT = "the given probabilities were made without these labels, which does not take them to be right"
_SEPARATE = "scores do not depend on the features of the rows that they judge"
_BY_A_HAIR = f"{_SEPARATE}, or only slightly: numbers are scaled and levels counted over the whole table"
_NEARLY = {
    None: _SEPARATE,
    "score": _BY_A_HAIR,
    "l2": f"{_SEPARATE}: they do a little, as these tell how far away neighbours are looked for",
}
_INWARD = 1e-6  # of a row, so that rounding does not count one too many


def box_of(table: Table, eta: Eta, miss: float) -> Box:
    assert eta.unseen is not None and eta.part is not None
    trees = score_trees.grown(eta.unseen[:, 1], eta.part)
    return boxes.of_trees(trees, table.labels[eta.rows] == 1, miss / eta.choices)


def limit(low: float, high: float, method: str, eta: Eta, more: tuple[str, ...] = ()) -> Bound:
    """more: what is assumed beside independent rows."""
    given = (MADE_WITHOUT,) if eta.counts is None else ()
    return Bound(None, low, high, eta.queries, method, (*given, *more), LIMIT)


def orders(settings: Settings) -> tuple[float, ...]:
    """Orders of Renyi divergences, from --alpha."""
    found = {number(part, "--alpha") for part in settings.alpha.split(",")}
    if not all(order >= 1 for order in found):
        raise SpecError(f"--alpha wants numbers of at least 1, not {settings.alpha!r}")
    return tuple(sorted(found))


# ---- estimate-j


def of_losses(
    table: Table, eta: Eta, prior: Prior, known: Known, at: Floats, asked: int, settings: Settings, sure: Budget
) -> tuple[float, list[Finding]]:
    """What the mean loss through features alone is at least; and J at every tau of `at`, mean losses and divergences.

    asked: how often J may be asked, whatever the labels say. sure, here and below: of all certificates.
    """
    box = box_of(table, eta, sure.spend("cells", _BOX))
    least = nubar_cells.mean_loss_of_people(box, prior.low, prior.high, sure.spend("mean loss", _MEAN))
    guessed = guessing.guessed(table, eta, sure.spend("guesses", _GUESSED))
    of_releases = [limit(least + prior.least(noise.mean), math.inf, MEAN_METHOD, eta) for _, noise in known]
    return least, [
        *_tails(box, guessed, eta, prior, known, at, sure.spend("J", _TAIL) / asked, settings),
        *(
            releases.finding("certified_mean_loss", bound, settings, one)
            for (one, _), bound in zip(known, of_releases, strict=True)
        ),
        *_divergences(table, eta, sure.spend("classes", _CLASSES), settings),
    ]


def _tails(
    box: Box, guessed: Guessed, eta: Eta, prior: Prior, known: Known, at: Floats, miss_each: float, settings: Settings
) -> Iterator[Finding]:
    shares: dict[str, list[float]] = {}
    for tilt in {noise.tilt for _, noise in known} if len(at) else ():
        alike = [(one.spec, at - noise.loss) for one, noise in known if noise.tilt == tilt]
        asked, place = np.unique(np.concatenate([above for _, above in alike]), return_inverse=True)
        found = people_losing_more(box, guessed, asked, prior, miss_each, tilt)[place].reshape(-1, len(at))
        shares.update(zip((spec for spec, _ in alike), found.tolist(), strict=True))
    for one, _ in known:
        for tau, low in zip(at.tolist(), shares.get(one.spec, ()), strict=True):
            yield releases.finding("certified_j", limit(low, 1.0, TAIL_METHOD, eta), settings, one, {"tau": tau})


def people_losing_more(
    box: Box, guessed: Guessed, losses: Floats, prior: Prior, miss_each: float, tilt: float = 0.0
) -> Floats:
    """Lower limits of P(H(eta; p) > loss); losses (t,) increase, and the limits never do.

    How many of the n rows lose more is Bin(n, J), whatever their labels and scores; on the box no fewer than it counts
    over all parts, or than guesses do. That is sharper where rows are few, each part by itself where limits of cells
    are what is wide: half of the level for either. Where even the least possible loss is larger, everybody loses more.
    """
    share = np.maximum(
        tail_cells.share_losing_more(box, losses, prior.low, prior.high, tilt),
        guessed_cells.share_losing_more(guessed, losses, prior.low, prior.high, tilt),
    )
    count = np.clip(np.ceil(share * box.n - _INWARD), 0, box.n)
    together = clopper_pearson.lower(count, box.n, miss_each / 2)
    apart = tail_cells.people_losing_more(box, losses, prior.low, prior.high, miss_each / 2, tilt)
    z0, z1 = feature_loss.passed(losses, prior.low, prior.high, tilt)
    low = np.where(z0 > z1, 1.0, np.maximum(together, apart))
    low = np.where(low * box.n < 1, 0.0, low)  # less than one of the rows is nobody
    return np.asarray(np.maximum.accumulate(low[::-1])[::-1])


def _divergences(table: Table, eta: Eta, miss: float, settings: Settings) -> Iterator[Finding]:
    assert eta.unseen is not None and eta.part is not None
    folds = eta.part
    if eta.counts is None:  # given scores have one part, but the share of positives must come from other rows: halves
        folds = for_audit(settings.seed, "halves of given scores").permutation(np.arange(eta.queries) % 2)
    box = class_boxes.of_scores(eta.unseen[:, 1], table.labels[eta.rows] == 1, folds, miss / eta.choices)
    ways = {
        "positive from negative": divergence_cells.positive_from_negative,
        "negative from positive": divergence_cells.negative_from_positive,
    }
    for order in orders(settings):
        for of, way in ways.items():
            bound = limit(max(0.0, way(box, order)), math.inf, RENYI_METHOD, eta, (_NEARLY[eta.metric],))
            yield releases.finding("certified_renyi", bound, settings, at={"alpha": order, "of": of})


# ---- nu-max


def of_worst(table: Table, eta: Eta, prior: Prior, known: Known, settings: Settings, sure: Budget) -> Iterator[Finding]:
    box = box_of(table, eta, sure.spend("cells", 1 - _GUESSED))
    guessed = guessing.guessed(table, eta, sure.spend("guesses", _GUESSED))
    ends = prior.low, prior.high
    certain, either = nubar_cells.worst_losses(box, *ends), guessed_cells.worst_losses(guessed, *ends)
    for one, noise in known:
        low = max(*worst_case.of_ends(noise, *certain), min(worst_case.of_ends(noise, *either)))
        yield releases.finding("certified_nu_max", limit(low, math.inf, WORST_METHOD, eta), settings, one)
