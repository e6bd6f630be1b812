"""How the probability that anything in a report is missed is shared out, by name.

Shares never add up to more than there is, so all that a report says holds at once with its confidence (Boole's
inequality). A share that is not taken is not handed on: limits are then a little wider than they had to be.
"""

from __future__ import annotations

from collections.abc import Iterator

PRIOR_SHARE = 0.05  # of the probability that a report may miss: p is the best known number of all
RADII_SHARE = 0.05  # that neighbourhoods are no larger than --smoothness takes them to be
_ROUNDING = 1e-14  # a confidence is written in digits, so that sums of parts may be beyond the whole by a few bits


class Budget:
    """What may be missed in all, and who has taken how much of it."""

    def __init__(self, miss: float) -> None:
        self.miss = miss
        self._parts: dict[str, Budget] = {}

    @classmethod
    def of(cls, confidence: float) -> Budget:
        return cls(1 - confidence)

    @property
    def left(self) -> float:
        """What is not taken yet."""
        return max(0.0, self.miss - sum(one.miss for one in self._parts.values()))

    def part(self, name: str, share: float) -> Budget:
        """A share of the whole, as a budget of its own. Asking again by a name is asking about the same event, which
        costs nothing more."""
        return self._handed(name, share * self.miss)

    def spend(self, name: str, share: float, among: int = 1) -> float:
        """The same, as the probability that this may be missed with; of each, where so many share it."""
        self.part(name, share)
        return share * (self.miss / among)

    def equal_part(self, name: str, of: int) -> Budget:
        """One of so many equal parts, as large as that of a question that is told its confidence and nothing else."""
        return self._handed(name, 1 - (1 - self.miss / of))

    def _handed(self, name: str, miss: float) -> Budget:
        known = self._parts.get(name)
        if known is not None:
            if known.miss != miss:
                raise ValueError(f"{name} has a share of {known.miss:.6g} already, and asks for {miss:.6g}")
            return known
        if not 0 <= miss <= self.left + _ROUNDING:
            raise ValueError(f"{name} asks for {miss:.6g} of what may be missed, and {self.left:.6g} is left")
        self._parts[name] = Budget(miss)
        return self._parts[name]

    def spent(self, above: str = "") -> Iterator[tuple[str, float]]:
        """Names, as `tail / certificates / cells`, and what each may miss; of parts that were shared out, these."""
        for name, part in self._parts.items():
            place = f"{above} / {name}" if above else name
            yield from part.spent(place) if part._parts else ((place, part.miss),)

    def __str__(self) -> str:
        """Who may miss what, a line each, and what is left."""
        lines = [f"{miss:.3g}  {name}" for name, miss in self.spent()]
        return "\n".join([*lines, f"{self.miss - sum(miss for _, miss in self.spent()):.3g}  left"])
