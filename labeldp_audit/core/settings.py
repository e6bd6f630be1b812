"""What a user may set: after flags, environment and configuration file have been merged, or as arguments in Python."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .errors import SpecError, near
from .policy import Policy
from .registry import number
from .values import Character, Flag, Kind, Numbers, OneOf, Share, Text, Whole, WholeOrAll, refusal

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .progress import Progress

DEFAULT_MECHANISM = ("rr:epsilon=0.5|1|2|4",)
COMPARED_MECHANISMS = "rr:epsilon=0.5|1|2", "llp:k=2|8|64|512", "laplace-llp:k=8,epsilon=1"  # by advantage
OPEN_MECHANISM = ("rr",)  # whose noise tune chooses
MOST_BAGS = 10_000_000  # ten times as many as are drawn where no number is given
INDEXES = ("exact", "ivf", "hnsw")  # of FAISS
KIND, _MANY = "kind", "many"


def _option(kind: Kind, default: Any = None, **about: bool) -> Any:
    return field(default=default, metadata={KIND: kind, **about})


def _options(kind: Kind, default: tuple[str, ...] = ()) -> Any:
    """Several values of that kind."""
    return _option(kind, default, many=True)


@dataclass(frozen=True)
class Settings:
    """The options that commands which read a table share. `None` means: decide from the table."""

    label: str | None = _option(Text("COLUMN"))
    positive: str | None = _option(Text("VALUE"))
    exclude: tuple[str, ...] = _options(Text("COLUMN"))
    categorical: tuple[str, ...] = _options(Text("COLUMN"))
    drop_null_labels: bool = _option(Flag(), False)
    delimiter: str | None = _option(Character("CHARACTER"))
    decimal: str = _option(OneOf((".", ",")), ".")
    no_header: bool = _option(Flag(), False)
    few_rows: bool = _option(Flag(), False)
    released_table: bool = _option(Flag(), False)
    group: str | None = _option(Text("COLUMN"))  # that names whose row it is
    repeats: str | None = _option(OneOf(("people", "copies")))  # what equal rows are
    estimator: Any = _option(Text("NAME"), "auto")  # noqa: RUF009 a spec; from Python it may be the estimator itself
    eta: Any = _options(Text("COLUMN"))  # noqa: RUF009 columns that hold it; from Python whatever says what it is
    eta_file: str | None = _option(Text("FILE"))  # what estimate-eta wrote
    graph: Any = _option(Text("FILE"))  # noqa: RUF009 a k-NN graph; from Python it may be in memory
    k: int | None = _option(Whole("NUMBER", 1))
    index: str = _option(OneOf(INDEXES), "exact")  # for a graph
    queries: int | None = _option(WholeOrAll("NUMBER|all"))  # 0: all rows; None: all up to 200 000, above that 200 000
    recall: float = _option(Share("SHARE", 0, False, True), 0.95)
    mechanism: tuple[str | Mechanism, ...] = _options(Text("SPEC"), DEFAULT_MECHANISM)
    original: Any = _option(Text("FILE"))  # noqa: RUF009 of a release; from Python it may be a frame
    tau: str | None = _option(Numbers("VALUES"))  # "1,2,6" or "0:10:0.1"
    smoothness: str | None = _option(Numbers("C,BETA"))
    certify: bool = _option(Flag(), True)
    alpha: str = _option(Numbers("VALUES"), "1,2,4,8")  # orders of divergences
    utility: str = _option(OneOf(("zero-one", "balanced")), "zero-one")
    bags: int | None = _option(Whole("NUMBER", 30, MOST_BAGS))
    confidence: float = _option(Share("SHARE", 0.5, True, False), 0.99)
    seed: int = _option(Whole("NUMBER", 0), 0)
    threads: int | None = _option(Whole("NUMBER", 1))
    policy: Policy | None = None  # that the report will be judged by
    explain: bool = _option(Flag(), False)  # also what each column contributes
    cluster: str | None = _option(Text("COLUMN"))  # which records a release takes for alike
    release: Any = _option(Text("RELEASE"))  # noqa: RUF009 that attackers read; from Python it may be in memory
    attacker: tuple[str, ...] = _options(Text("NAME"))  # who is played; all who can be, where none are named
    guess: str | None = _option(Text("COLUMN"))  # of the user's own guesses
    prior: tuple[str, ...] = _options(Text("COLUMN"))  # with a release's prior of each class
    keep: tuple[str, ...] = _options(Text("COLUMN"))  # excluded columns that are published all the same
    keep_group: bool = _option(Flag(), False)  # publish pseudonyms of people
    order: Any = _option(Text("FILE"))  # noqa: RUF009 the key to the order of a release; from Python it may be an array
    prior_from: Any = _option(Text("FILE"))  # noqa: RUF009 other rows, for a model; from Python it may be a frame


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


# ---- the same from Python

Columns = str | Iterable[str]
Values = str | float | Iterable[float]  # "1,2,6", 3 or [1, 3]
RENAMED = {"mechanism": "mechanisms"}  # what Python calls otherwise


class InputOptions(TypedDict, total=False):
    """How every function reads a table, under the names of the command line; docs/python.md explains."""

    label: str | None
    drop_null_labels: bool
    delimiter: str | None
    decimal: Literal[".", ","]
    no_header: bool
    progress: bool | Progress


class FeatureOptions(InputOptions, total=False):
    exclude: Columns
    categorical: Columns
    group: str | None


class SearchOptions(FeatureOptions, total=False):
    few_rows: bool
    repeats: Literal["people", "copies"] | None
    k: int | None
    recall: float
    seed: int
    threads: int | None


class GraphOptions(SearchOptions, total=False):
    """What `graph` takes."""

    index: Literal["exact", "ivf", "hnsw"]


class Options(SearchOptions, total=False):
    """What every function that estimates takes."""

    positive: str | float | None
    released_table: bool
    estimator: object  # a spec, an estimator or a classifier of scikit-learn
    eta: object  # columns, an array, or a classifier of scikit-learn
    graph: object  # a path, or what `graph` returned
    queries: int | Literal["all"] | None
    mechanisms: str | Mechanism | Iterable[str | Mechanism]
    certify: bool
    confidence: float


class EtaOptions(Options, total=False):
    utility: Literal["zero-one", "balanced"]
    smoothness: Values | None


class WorstCaseOptions(Options, total=False):
    eta_file: str | os.PathLike[str] | None
    smoothness: Values | None


class TailOptions(WorstCaseOptions, total=False):
    tau: Values | None
    alpha: Values


class GainOptions(WorstCaseOptions, total=False):
    utility: Literal["zero-one", "balanced"]
    bags: int | None


class TuneOptions(GainOptions, total=False):
    alpha: Values
    fail_if: str | Iterable[str]
    policy: str | os.PathLike[str] | None


class AuditOptions(TuneOptions, total=False):
    tau: Values | None
    explain: bool


class AttackOptions(Options, total=False):
    """What `attack` takes."""

    eta_file: str | os.PathLike[str] | None
    utility: Literal["zero-one", "balanced"]
    attacker: str | Iterable[str]
    guess: str | None
    order: object  # a path or an array


class AttackCall(AttackOptions, total=False):
    """And the release, which stands first."""

    release: object  # a path, or in memory


class ReleaseOptions(FeatureOptions, total=False):
    """What `release` takes."""

    positive: str | float | None
    cluster: str | None
    prior: Columns
    prior_from: object  # a path or a frame
    keep: Columns
    keep_group: bool
    keep_order: bool
    order: str | os.PathLike[str] | None
    to: str | os.PathLike[str] | None
    force: bool


class VerifyOptions(InputOptions, total=False):
    """What `verify` takes."""

    original: object  # a path or a frame
    order: object  # a path or an array
    mechanisms: str | Mechanism | None
    positive: str | float | None
    confidence: float


def check_names(given: Iterable[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            hint = RENAMED.get(name) or near(name, known)
            raise SpecError(f"unknown option {name!r}", hint=hint or f"known: {', '.join(sorted(known))}")


def from_python(given: Mapping[str, Any]) -> Settings:
    """Values as a configuration file would have them, and objects where the command line has names; None is what was
    not given. What is no field of the settings belongs to the caller."""
    found = {}
    for one in (one for one in fields(Settings) if KIND in one.metadata):
        name = RENAMED.get(one.name, one.name)
        value = given.get(name)
        if value is not None:
            try:
                found[one.name] = (_each if _MANY in one.metadata else _taken)(one.metadata[KIND], value, one.name)
            except SpecError as error:
                raise SpecError(error.what, name, hint=error.hint) from None
    return Settings(**found)


def _each(kind: Kind, value: Any, name: str) -> Any:
    if isinstance(value, str) or not isinstance(value, Iterable):
        value = [value]
    every = sorted(value) if isinstance(value, set | frozenset) else value
    return tuple(_taken(kind, one, name) for one in every)


def _taken(kind: Kind, value: Any, name: str) -> Any:
    value = value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value  # a number of numpy
    if name in ("estimator", "graph", "original", "release", "order", "prior_from") and not isinstance(
        value, str | os.PathLike
    ):
        return value
    if name == "mechanism" and not isinstance(value, str):
        from .mechanism import Mechanism

        if not isinstance(value, Mechanism):
            hint = "a spec such as 'rr:epsilon=1', or RandomizedResponse(1.0)"
            raise SpecError(refusal("a mechanism", value).what, hint=hint)
        return value
    if isinstance(kind, Text) and hasattr(value, "__fspath__"):
        value = os.fspath(value)
    if name == "positive" and isinstance(value, int | float):
        value = str(value).lower()
    if isinstance(kind, Numbers) and not isinstance(value, str) and isinstance(value, Iterable):
        value = [one.item() if hasattr(one, "item") else one for one in value]
    return kind.take(value)
