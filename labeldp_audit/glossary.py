"""What each quantity is: its formula, where it comes from, how it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_PITFALLS = (
    "Busa-Fekete, Munoz Medina, Syed and Vassilvitskii, On the Pitfalls of Label Differential Privacy; corrected here"
)
_UNIFIED = "Busa-Fekete, Dick, Gentile, Munoz Medina and Swanberg, A Unified Analysis of Label Inference Attacks"


@dataclass(frozen=True)
class Entry:
    quantity: str
    title: str
    meaning: str
    formula: str
    source: str
    read: str


def _listed(*entries: Entry) -> Mapping[str, Entry]:
    return {one.quantity: one for one in entries}


ENTRIES: Mapping[str, Entry] = _listed(
    Entry("j", "Share of people above a loss", "The share of people whose privacy loss is above tau.",
          "J(tau) = P(nu_bar(X) > tau)", _PITFALLS,
          "A rule such as 'at most 5 % may lose more than 3 nats' is judged by the upper limit at tau = 3."),
    Entry("mean_loss", "Average loss", "The average over people of their privacy loss.", "E nu_bar(X)", _PITFALLS,
          "One person whose features give the label away makes it infinite."),
    Entry("nu_max", "Largest loss", "The largest loss anybody can have, whichever way the noise falls.",
          "epsilon + max(logit max eta - logit p, logit p - logit min eta)", _PITFALLS,
          "Infinite means that somebody's features seem to give the label away; no noise hides that."),
    Entry("uninformed_utility", "Guess from the features", "How often the best guess from the features alone is right.",
          "E max_c P(c | x)", _UNIFIED, "What an attacker gets right before anything is released."),
    Entry("informed_utility", "Guess with the release", "The same once the release is out.",
          "E max_c P(c | x, release)", _UNIFIED, "Compare it with the guess from the features."),
    Entry("advantage", "What the release adds", "How many more labels the best attacker guesses once it is out.",
          "E max_c P(c | x, release) - E max_c P(c | x)", _UNIFIED,
          "In percentage points: of 100 labels, so many more are guessed."),
    Entry("certified_j", "Certified share above a loss", "At least so many people lose more than tau.",
          "a lower limit of J(tau)", "convexity over cells of rows with like scores, Clopper-Pearson on each",
          "Holds whatever the population is; it may be far below the truth."),
)  # fmt: skip
