"""What a user may set, after flags, environment and configuration file have been merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import SpecError
from .policy import Policy
from .registry import number

DEFAULT_MECHANISM = ("rr:epsilon=0.5|1|2|4",)


@dataclass(frozen=True)
class Settings:
    """The options that commands which read a table share. `None` means: decide from the table."""

    label: str | None = None
    positive: str | None = None
    exclude: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    drop_null_labels: bool = False
    delimiter: str | None = None
    group: str | None = None  # column that names whose row it is
    repeats: str | None = None  # what equal rows are: people or copies
    estimator: Any = "auto"  # a spec; from Python it may be the estimator itself
    eta: tuple[str, ...] = ()  # columns that hold it
    eta_file: str | None = None  # what estimate-eta wrote
    k: int | None = None
    queries: int | None = None  # 0: all rows; None: all up to 200 000 rows, above that 200 000
    recall: float = 0.95
    mechanism: tuple[str, ...] = DEFAULT_MECHANISM
    tau: str | None = None  # "1,2,6" or "0:10:0.1"
    smoothness: str | None = None  # "C,beta"
    certify: bool = True
    alpha: str = "1,2,4,8"  # orders of divergences
    utility: str = "zero-one"
    bags: int | None = None
    confidence: float = 0.99
    seed: int = 0
    threads: int | None = None
    policy: Policy | None = None  # that the report will be judged by
    explain: bool = False  # also what each column contributes


def smoothness(settings: Settings) -> tuple[float, float] | None:
    """The publisher's C and beta."""
    if settings.smoothness is None:
        return None
    parts = settings.smoothness.split(",")
    if len(parts) != 2:
        raise SpecError(f"--smoothness wants two numbers C,BETA, not {settings.smoothness!r}")
    constant, beta = number(parts[0], "C of --smoothness"), number(parts[1], "BETA of --smoothness")
    if not 0 <= constant < float("inf") or not 0 < beta <= 1:
        raise SpecError("--smoothness wants C of at least 0 and BETA above 0 and at most 1")
    return constant, beta
