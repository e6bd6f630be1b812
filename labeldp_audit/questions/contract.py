"""What a question is, and what it is put to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..core.arrays import Floats
from ..core.errors import DataError
from ..core.eta import Eta
from ..core.finding import Finding
from ..core.mechanism import Mechanism
from ..core.progress import Progress
from ..core.quantity import Quantity
from ..core.settings import Settings
from ..core.table import Table


@dataclass(frozen=True)
class Evidence:
    """All that questions are put to: the rows that judge, eta, and what is asked about."""

    table: Table
    eta: Eta
    mechanisms: Sequence[Mechanism]
    progress: Progress
    at: Floats | None = None  # values of tau; None: the whole curve
    more: Sequence[float] = ()  # beside these
    compared: Sequence[Mechanism] = ()  # with the mechanisms, by what an attacker gains
    among: int | None = None  # so many mechanisms share the level, where labels choose which are looked at

    @property
    def classes(self) -> int:
        return len(self.table.dataset.classes)


@dataclass(frozen=True)
class Question:
    quantities: tuple[Quantity, ...]
    fits: Callable[[int], bool]  # a label of so many classes
    answer: Callable[[Evidence, Settings], Sequence[Finding]]


def positive_index(table: Table) -> int:
    """The class whose probability is called eta where there are two."""
    if len(table.dataset.classes) != 2:
        raise DataError("not yet supported: more than two classes", hint="--positive VALUE audits one against the rest")
    return 1
