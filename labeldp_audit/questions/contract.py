"""What a question is, and what it is put to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ..core.quantity import Quantity

if TYPE_CHECKING:  # a question is declared wherever help is shown or a stored report is judged: it loads nothing heavy
    from ..core.arrays import Floats
    from ..core.budget import Budget
    from ..core.eta import Eta
    from ..core.finding import Finding
    from ..core.mechanism import Mechanism
    from ..core.progress import Progress
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
    alone: bool = False  # is each mechanism judged as if no other were asked about?

    @property
    def classes(self) -> int:
        return len(self.table.dataset.classes)


Answer = Callable[[Evidence, "Settings", "Budget"], "Sequence[Finding]"]


@dataclass(frozen=True)
class Question:
    """What is declared of a question, so that its numbers are explained, judged and printed."""

    name: str
    quantities: tuple[Quantity, ...]
    fits: Callable[[int], bool]  # a label of so many classes
    answer: Answer
    # Of the reserve of an audit. None: an equal part of all else.
    share: float | None = None


def two_classes(classes: int) -> bool:
    return classes == 2


def answered_by(module: str) -> Answer:
    """`answer` of a module beside this one, which is loaded when it is asked."""

    def answer(evidence: Evidence, settings: Settings, budget: Budget) -> Sequence[Finding]:
        found: Sequence[Finding] = import_module(f".{module}", __package__).answer(evidence, settings, budget)
        return found

    return answer
