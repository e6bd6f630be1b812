"""The optimal attacker: eta times the likelihood of the release.

For channels that is Bayes' rule (003, Theorem 3.7), for counts of bags A* with the Poisson-binomial law of the others'
labels (003, Theorem 6.3, where A* guesses 1 if P(count | 1) eta > P(count | 0) (1 - eta)).
"""

from __future__ import annotations

from typing import ClassVar

from ..core.finding import Knows
from .contract import Attack, Guesses, Seen, best, told


class Optimal(Attack):
    name: ClassVar[str] = "optimal"
    example: ClassVar[str] = "optimal"
    summary: ClassVar[str] = "weighs features and release by Bayes' rule: for bags A* of 003"
    knows: ClassVar[Knows] = Knows.BOTH
    updates: ClassVar[bool] = True

    def read(self, seen: Seen) -> Guesses:
        return best(told(seen, seen.eta), seen.payoff)
