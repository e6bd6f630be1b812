"""What each number and term of a report means, once: help, pages and `labeldp-audit explain` read this list."""

from __future__ import annotations

from collections.abc import Mapping

from . import certified, columns, guesses, letters, losses, releases, verdicts
from .entry import Entry

__all__ = ["ENDLESS", "ENTRIES", "LIMITLESS", "LOSSES_OF_FLIPS", "OF_TWO_CLASSES", "Entry"]

# What no table can have an upper limit of: one person who was not asked may lose any amount, and any share of people
# may be given away (docs/mathematics.md, Proposition).
ENDLESS = (
    "mean_loss", "jeffreys", "weighted_jeffreys", "certified_j", "certified_mean_loss", "certified_nu_max",
    "certified_renyi", "certified_informed_utility", "certified_uninformed_utility",
)  # fmt: skip
# What has an estimate alone: two estimates under one estimated law of eta are compared.
LIMITLESS = ("equivalent_epsilon", "equivalent_k")
# What randomized response alone has: labels that are flipped one by one.
LOSSES_OF_FLIPS = (
    "j", "plug_in_j", "mean_loss", "nu_max", "certified_j", "certified_mean_loss", "certified_nu_max", "column_j",
)  # fmt: skip
OF_TWO_CLASSES = (
    *LOSSES_OF_FLIPS, *LIMITLESS, "jeffreys", "weighted_jeffreys", "certified_renyi", "log_ratio_min", "log_ratio_max",
)  # fmt: skip

ENTRIES: Mapping[str, Entry] = {
    entry.quantity: entry
    for part in (losses, guesses, certified, columns, verdicts, letters, releases)
    for entry in part.ENTRIES
}
