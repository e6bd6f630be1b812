"""Where chance comes from: audits can be repeated, releases cannot be predicted."""

from __future__ import annotations

import secrets

import numpy as np


def for_audit(seed: int, purpose: str) -> np.random.Generator:
    """One independent, repeatable stream for each purpose, so that a new draw in one place moves no other number."""
    return np.random.default_rng([seed, *purpose.encode()])


def for_release() -> np.random.Generator:
    """A stream seeded by the operating system; its seed is kept nowhere."""
    return np.random.default_rng(secrets.randbits(256))
