"""How often somebody who is sure of a label is right: a number with limits, which policies may be about.

This file is read whenever help is shown or a stored report is judged. So it loads nothing heavy before it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from labeldp_audit.core.quantity import STAYS, Quantity
from labeldp_audit.questions.contract import Evidence, Question

if TYPE_CHECKING:
    from labeldp_audit.core.budget import Budget
    from labeldp_audit.core.finding import Finding
    from labeldp_audit.core.settings import Settings

SURE = (0.9, 0.99)
METHOD = "Clopper-Pearson on each part of the rows, scored by models of the others"

SURE_HITS = Quantity(
    "sure_hits", "Labels told by somebody who is sure",
    "share of people whose label is guessed right by a model that gives it at least that probability",
    "P(max_c q_c(X) >= sure and argmax_c q_c(X) = Y), q a model of other rows",
    "counted, and nothing else",
    "0.2 at sure = 0.9 means that features alone give away one label in five to whoever bets at odds of nine to one. "
    "It is about the models that were fitted: better ones may be sure of more.",
    ("uninformed_utility", "eta_max"),
    share=True, with_noise=STAYS, axes=("sure",),
)  # fmt: skip


def answer(evidence: Evidence, settings: Settings, budget: Budget) -> Sequence[Finding]:
    import numpy as np

    from labeldp_audit.bounds.intervals import clopper_pearson
    from labeldp_audit.core.finding import Bound, Finding

    eta = evidence.eta
    if eta.unseen is None or eta.part is None:
        nothing = Bound(
            None, None, None, eta.queries, METHOD, (), "no model was fitted without the labels of some rows"
        )
        return [Finding(SURE_HITS.name, nothing, settings.confidence, at={"sure": sure}) for sure in SURE]
    right = eta.unseen.argmax(axis=1) == evidence.table.labels[eta.rows]
    parts = [eta.part == part for part in np.unique(eta.part)]
    miss = budget.spend("hits in parts", 1.0) / (2 * len(parts) * len(SURE) * eta.choices)
    found = []
    for sure in SURE:
        hits = right & (eta.unseen.max(axis=1) >= sure)
        each = [(int(hits[part].sum()), int(part.sum())) for part in parts]
        low = sum(float(clopper_pearson.lower(hit, n, miss)) * n for hit, n in each) / eta.queries
        high = sum(float(clopper_pearson.upper(hit, n, miss)) * n for hit, n in each) / eta.queries
        bound = Bound(float(hits.mean()), low, high, eta.queries, METHOD, ("rows are independent draws",))
        found.append(Finding(SURE_HITS.name, bound, settings.confidence, at={"sure": sure}))
    return found


QUESTION = Question("sure_hits", (SURE_HITS,), lambda classes: True, answer)
