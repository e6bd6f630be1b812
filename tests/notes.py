"""Tables of free text, as clinics write it, and what it says of the label."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

VOCABULARY = np.array(
    [f"{a}{b}" for a in ("card", "neph", "derm", "pulm", "hep") for b in ("itis", "oma", "al", "emia")]
)


def notes_of(labels: npt.NDArray[np.integer], seed: int = 0, words: int = 10) -> list[str]:
    """The diagnosis stands after so many words that say nothing."""
    rng = np.random.default_rng(seed)
    before, behind = (rng.choice(VOCABULARY, (len(labels), many)) for many in (words, 3))
    said = np.where(labels == 1, "T2DM", "none")
    return [f"{' '.join(one)} dx: {dx} {' '.join(more)}" for one, dx, more in zip(before, said, behind, strict=True)]


def unshared(rows: int, words: int = 8, seed: int = 0) -> list[str]:
    """Texts of which no two share a word."""
    rng = np.random.default_rng(seed)
    return [" ".join(f"{x:x}" for x in one) for one in rng.integers(1 << 40, 1 << 60, (rows, words))]
