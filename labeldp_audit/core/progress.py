"""How far the work is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Told what is being done. The door shows it; everything else may ignore it."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        """A new stage begins: `total` units of work, or None where that is not known yet."""

    def advance(self, amount: float) -> None:
        """So much of the stage has been done."""


class Silent:
    """Progress that is not shown."""

    def stage(self, name: str, total: float | None, unit: str) -> None:
        pass

    def advance(self, amount: float) -> None:
        pass
