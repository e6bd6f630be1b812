"""What a number of a report means, and how it behaves: declared once, beside the question that answers it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# Where quantities are explained.
PITFALLS = "On the Pitfalls of Label Differential Privacy (001)"
TRAINING = "Label Differential Privacy and Private Training Data Release (000)"
PREVENT = "Does Label Differential Privacy Prevent Label Inference Attacks? (002)"
UNIFIED = "A Unified Analysis of Label Inference Attacks (003)"
MATHEMATICS = "docs/mathematics.md"
BOUND = "bound"  # the coordinate that names a theorem
SMALL_GROUPS = (
    "Small groups hardly show, however large the table, as cells have at least 16 rows in each of five folds: where "
    "200 people lose 7 nats, some 3 are certified; a group of fewer than about 100 people hardly moves "
    "certified_nu_max, and one of fewer than about 300 people hardly counts in certified_j. A small table certifies "
    "little, whatever is true."
)

# In what numbers are written for people.
PER_CENT, POINTS, NATS = "%", "points", "nats"
# What more noise does to a number: it never makes it larger, changes nothing, or nothing that noise could be tuned by.
FALLS, STAYS, UNTUNED = "falls", "stays", "untuned"


@dataclass(frozen=True)
class Term:
    """A word of reports, and what it means."""

    name: str  # as reports and policies write it
    title: str
    meaning: str  # in one line, as reports show it
    formula: str
    source: str  # a paper, or a section of docs/mathematics.md
    read: str  # what to conclude, and what not to
    related: tuple[str, ...] = ()
    example: str = ""  # a command that shows it


@dataclass(frozen=True)
class Quantity(Term):
    """A number of reports."""

    share: bool = False  # between 0 and 1
    unit: str = ""  # for people; of shares per cent, where nothing else stands here
    less_is_worse: bool = False
    has_limits: bool = True  # or an estimate alone, as two are compared under one estimated law of eta
    # Without one where no table can have it: one person who was not asked may lose any amount, and any share of people
    # may be given away (docs/mathematics.md, Proposition).
    has_upper: bool = True
    two_classes: bool = False  # exists for labels of two classes alone
    theorems: tuple[str, ...] = ()  # that it computes, by paper and number, and how: corrected, improved, ...
    of_losses: bool = False  # of mechanisms whose privacy loss has a form
    axes: tuple[str, ...] = ()  # coordinates at which it stands, beside the parameters of a mechanism
    falls_along: str = ""  # one of these along which it never grows
    with_noise: str = FALLS
    one_sided: bool = False  # about the positive class alone: which of two it is changes the number
    describes: bool = False  # people, not a risk: neither more nor less of it is worse
    listed: bool = False  # only where it is bad: one more is worse
    since: str = "0.1.0"  # the version from which on it means what it means
    low_by_trial: bool = False  # its lower limit is what an attacker got who was tried
    theorem_ends: Mapping[str, str] = field(default_factory=dict)  # of theorems that bound one end alone
    assumes_model: tuple[str, ...] = ()  # ends that hold as far as the model sees what sets people apart

    def theorems_about(self, end: str) -> list[str]:
        """Return the theorems that bound this end, or say what the estimate is."""
        return [one for one in self.theorems if end in (self.theorem_ends.get(one, end), "estimate")]

    @property
    def written_in(self) -> str:
        return self.unit or (PER_CENT if self.share else "")


def find_theorems(asked: str, theorems: Iterable[str]) -> list[str]:
    """Return the theorems of that name: as it is or, where there are none, without ", corrected" and the like, without
    the paper, or without both. Capitals do not matter."""
    for left_out in ("", ",.*", r"^\d+ ", r"^\d+ |,.*"):
        if found := [one for one in theorems if re.sub(left_out, "", one).casefold() == asked.strip().casefold()]:
            return found
    return []
