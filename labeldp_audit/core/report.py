"""What an audit found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .eta import Bin, EtaSummary
from .finding import Change, Finding
from .policy import Judgement
from .quantity import Quantity
from .remark import Remark
from .table import Dataset

SCHEMA = "labeldp-audit/1"
TOOL = "labeldp-audit"
# Parameters of a report that no option sets.
COMPARED = "compared"  # mechanisms shown for comparison, beside those that are judged
MEASURED_BY = "measured_by"  # of a stored report that was checked: the command that made it
OLDER, NUMBERS = "older", "numbers"  # of a comparison: table and hash of the older report, and what both have
ETA_FILE = "eta_file"  # the name of the file that eta was read from, where it was not estimated now
VERIFY = "verify"  # the command whose verdict is its own, and no policy's
RELEASE, ATTACKERS = "release", "attacker"  # the release that attackers read, and who was played
TUNE = "tune"  # mechanisms with one parameter left open, and the strengths of each that are shown


@dataclass(frozen=True)
class Report:
    command: str
    version: str
    dataset: Dataset
    eta: EtaSummary | None  # None where nothing was asked of the features
    parameters: Mapping[str, object]  # confidence, seed and what else changes the numbers
    findings: tuple[Finding, ...]
    remarks: tuple[Remark, ...] = ()  # warnings, as codes
    uncertifiable: str | None = None  # what cannot be certified, where something is certified
    judgement: Judgement | None = None  # where there is a policy
    changes: tuple[Change, ...] = ()  # beyond the limits of this report and of an older one
    quantities: Mapping[str, Quantity] = field(default_factory=dict, repr=False, compare=False)  # what numbers mean

    @property
    def sees(self) -> bool:
        """Does eta guess labels better than the shares of the classes do?"""
        return self.eta is not None and self.eta.sees(self.dataset)

    @property
    def given(self) -> bool:
        """Were the probabilities supplied?"""
        return self.eta is not None and self.eta.given

    @property
    def reliability(self) -> tuple[Bin, ...]:
        return () if self.eta is None else self.eta.reliability
