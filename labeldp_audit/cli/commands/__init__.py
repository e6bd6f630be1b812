"""The commands, one file each."""

from __future__ import annotations

from collections.abc import Callable

from .advantage import advantage
from .audit import audit
from .check import check
from .estimate_eta import estimate_eta
from .estimate_j import estimate_j
from .explain import explain
from .nu_max import nu_max
from .report import report
from .tune import tune

# What each answers, in the order in which help lists them.
COMMANDS: tuple[tuple[Callable[..., int], str], ...] = (
    (estimate_eta, "What the features alone tell about the label."),
    (nu_max, "The largest loss, over all neighbourhoods."),
    (estimate_j, "The share of people whose loss is above tau."),
    (advantage, "How much better an attacker guesses once the release is out."),
    (audit, "All of this at once, at one joint confidence."),
    (check, "Does a policy hold? Ends with 1 if not."),
    (tune, "The least noise that meets a policy."),
    (report, "A stored report in another format."),
    (explain, "What a number of a report means."),
)
