"""The advantage under each mechanism: exact where that can be added up, otherwise over bags drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ..core.arrays import Floats
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.settings import Settings
from ..engines.machine import available_cores
from ..engines.threads import in_threads
from ..measures import advantage
from ..measures.advantage import Gain
from ..measures.eta_law.estimated import Belief

Gains = dict[str, Gain]  # by spec


def gains_of(
    mechanisms: Sequence[Mechanism], belief: Belief, payoff: Floats, settings: Settings, progress: Progress
) -> Gains:
    found: Gains = {}
    for one in mechanisms:
        exact = belief.gain(one, payoff)
        if exact is not None:
            found[one.spec] = exact
    left = [one for one in mechanisms if one.spec not in found]
    progress.stage("drawing bags", None, "blocks")
    for size in dict.fromkeys(one.bag for one in left):
        together = [one for one in left if one.bag == size]
        gains = simulated(together, belief, payoff, settings, progress)
        found |= {one.spec: gain for one, gain in zip(together, gains, strict=True)}
    return found


def simulated(
    together: Sequence[Mechanism], belief: Belief, payoff: Floats, settings: Settings, progress: Progress
) -> list[Gain]:
    """Mechanisms with bags of one size: the same seed gives all of them, in every command, the same bags."""
    size = together[0].bag

    def stream(block: int) -> np.random.Generator:
        return for_audit(settings.seed, f"bags of {size}, block {block}")

    def each(look: Callable[[int], Floats], blocks: Iterable[int]) -> Iterable[Floats]:
        for gain in in_threads(look, blocks, settings.threads or available_cores()):
            progress.advance(1)
            yield gain

    return advantage.simulated(together, belief.members, payoff, stream, settings.bags, each)
