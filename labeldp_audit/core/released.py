"""What `release` returns in Python, and `verify` and `attack` take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MANIFEST = ".manifest.json"  # ends the name of the file beside a release that describes it


@dataclass(frozen=True, repr=False)
class Released:
    """frame (or what is at path), manifest and bags may be published."""

    frame: Any  # the protected table, in the library of the original; None where it went to a file
    manifest: Mapping[str, Any]  # what a reader has to know
    bags: Any = None  # a DataFrame, where labels are published in bags
    path: Path | None = None  # of the file
    heterogeneity: tuple[float, float] | None = None
    """Low and high of how much labels depend on features inside clusters, of 2. It depends on labels: keep it."""
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Released by {self.manifest['mechanism']}: {self.manifest['table']['rows']:,} rows>"
