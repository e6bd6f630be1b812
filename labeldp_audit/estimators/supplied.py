"""eta that was estimated elsewhere: in columns of the table, or in what estimate-eta wrote."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.eta import Eta, KnnTrial, Tried
from ..core.from_json import Nouns, listed, members, text
from ..core.quoting import shown
from ..core.remark import MISCALIBRATED, ONE_EACH, Remark
from ..core.settings import Settings
from ..core.table import Column, Dataset, Table, Twins
from . import reliability

_WORDS = {"label": "labels", "classes": "classes", "rows_used": "rows"}
_SEARCH = ("exclude", "categorical", "group", "repeats", "k", "estimator", "recall", "queries")  # what a search is told
_FACTS = (
    "k", "n", "estimator", "metric", "log_loss", "exact", "recall", "recall_low", "choices", "order_p", "knn",
)  # fmt: skip  # of eta
_UNRESOLVED = ("unresolved", "unresolved_high")

Named = dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class Values:
    """Probabilities from Python, of each row of the table in its order: of the positive class, or of all."""

    values: Any
    name: str = "array"  # as reports call it


@dataclass(frozen=True)
class Rows:
    """What estimate-eta writes: a row for each query, and what they are about."""

    columns: Mapping[str, npt.NDArray[np.generic]]
    about: Mapping[str, object]


def as_given(table: Table, probability: Floats) -> Eta:
    n = len(table.labels)
    return Eta(
        probability=probability, counts=None, rows=np.arange(n), k=None, n=n, estimator="given",
        log_loss=reliability.log_loss(probability, table.labels), exact=True, recall=1.0, radius=None, metric=None,
        part=np.zeros(n, np.uint8), unseen=probability,
    )  # fmt: skip


def warned(table: Table, settings: Settings) -> Table:
    """What the labels say against the probabilities."""
    assert table.given is not None
    names = ", ".join(settings.eta) if isinstance(settings.eta, tuple) else settings.eta.name
    said = [
        Remark(MISCALIBRATED, source=names, **fault)
        for fault in reliability.faults(table.given, table.labels, table.dataset.classes, 1 - settings.confidence)
    ]
    return replace(table, remarks=(*table.remarks, *said))


# ---- what estimate-eta writes


def to_rows(table: Table, eta: Eta) -> Named:
    """Columns of the per-row file. Row 1 is the first row of data in the file."""

    def by_class(name: str, values: npt.NDArray[np.generic]) -> Named:
        return {f"{name}_{of}": values[:, c] for c, of in enumerate(table.dataset.classes)}

    numbers = table.numbers[eta.rows]
    columns = {"row": numbers + 1, **by_class("eta", eta.probability)}
    if eta.counts is None or eta.radius is None:
        return columns
    columns |= by_class("count", eta.counts) | {"k": eta.counts.sum(axis=1), "radius": eta.radius}
    if eta.part is not None and eta.unseen is not None:
        columns |= {"part": eta.part} | by_class("unseen", eta.unseen)
    if eta.unresolved is not None:
        columns |= {name: eta.unresolved[:, i] for i, name in enumerate(_UNRESOLVED)}
    return columns


@dataclass(frozen=True)
class About:
    """What a later command has to know of the rows: of which table they are, and how they were made."""

    sha256: str
    label: str
    classes: tuple[str, ...]
    rows_used: int  # all that have a label, and are no copies, whether or not they judge
    columns: tuple[Column, ...]
    asked: Mapping[str, object]  # of what a search is told, where it was told otherwise than usual
    given: tuple[str, ...] | str  # columns with the probabilities, or what else they were given in
    remarks: tuple[Remark, ...]
    seed: int
    k: int | None
    n: int
    estimator: str
    metric: str | None
    log_loss: float
    exact: bool
    recall: float
    recall_low: float
    choices: int
    order_p: float | None
    tried: tuple[Tried, ...]
    twins: Twins | None
    knn: KnnTrial | None


_NOUNS = Nouns(
    (Column, KnnTrial, Tried, Twins),
    {
        "Remark": lambda one: Remark(text(one["code"]), **members(one["values"])),
        "tuple[str, ...] | str": lambda one: one if isinstance(one, str) else tuple(map(text, listed(one))),
    },
)


def about(table: Table, eta: Eta, settings: Settings) -> dict[str, object]:
    data, usual = table.dataset, Settings()
    wanted = {name: _plain(getattr(settings, name)) for name in _SEARCH}
    given = settings.eta if isinstance(settings.eta, tuple) else settings.eta.name
    rows: Any = next((one.values["rows"] for one in table.remarks if one.code == ONE_EACH), data.rows_used)
    told = About(
        data.sha256, data.label, data.classes, rows, data.columns, given=given, remarks=table.remarks,
        seed=settings.seed, twins=table.twins, tried=eta.tried,
        asked={name: value for name, value in wanted.items() if value != _plain(getattr(usual, name))},
        **{name: getattr(eta, name) for name in _FACTS},
    )  # fmt: skip
    return asdict(told)


# ---- and reads


def checked(columns: Mapping[str, npt.NDArray[Any]], said: Mapping[str, object], file: str) -> About:
    """Read what a file says of its columns, which have to be there; no value in them is computed again."""
    try:
        told: About = _NOUNS.read(About, said)
        for name, kind in _kinds(columns, told).items():
            if name not in columns or columns[name].dtype.kind != kind:
                raise ValueError(f"its column {shown(name)} is missing, or of another type")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        fault = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError(f"it is not as estimate-eta wrote it: {fault}", file, hint="run estimate-eta again") from None
    return told


def _kinds(columns: Collection[str], told: About) -> dict[str, str]:
    """Return the columns that `to_rows` writes, each with the kind of its NumPy type."""

    def by_class(name: str, kind: str) -> dict[str, str]:
        return {f"{name}_{one}": kind for one in told.classes}

    kinds = {"row": "i", **by_class("eta", "f")}
    if told.k is not None:
        kinds |= {"k": "i", "radius": "f", "part": "i", **by_class("count", "i"), **by_class("unseen", "f")}
        if _UNRESOLVED[0] in columns:
            kinds |= dict.fromkeys(_UNRESOLVED, "f")
    return kinds


def check_asked(said: About, settings: Settings, file: str) -> None:
    """An option that the file was not made with would silently change nothing."""
    for name in _SEARCH:
        value, default = getattr(settings, name), getattr(Settings(), name)
        was = said.asked.get(name, default)
        if value != default and _plain(value) != _plain(was):
            what = f"--{name} {_shown(_plain(value))} is not what the file was made with ({_shown(was)})"
            raise SpecError(what, file, hint="run estimate-eta again with it, or leave it out")


def check_same(said: About, dataset: Dataset, file: str) -> None:
    if said.sha256 != dataset.sha256:
        what = "made for another table, or for this one before it changed"
        raise DataError(what, file, hint="run estimate-eta again")
    for name, word in _WORDS.items():
        value = getattr(dataset, name)
        if getattr(said, name) != value:
            what = f"made with other {word}: {_shown(getattr(said, name))} instead of {_shown(value)}"
            raise DataError(what, file, hint="use the same --label, --positive and --drop-null-labels")


def _plain(value: object) -> object:
    """As a file holds it: an estimator by its name."""
    return list(value) if isinstance(value, tuple) else getattr(value, "name", value)


def _shown(value: object) -> str:
    if value in (None, (), []):
        return "the default"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def eta_of_rows(columns: Mapping[str, npt.NDArray[Any]], said: About, table: Table, file: str) -> Eta:
    def matrix(names: Sequence[str]) -> Any:
        return np.column_stack([columns[one] for one in names]) if names[0] in columns else None

    def by_class(name: str) -> Any:
        return matrix([f"{name}_{of}" for of in table.dataset.classes])

    rows, probability, seen = places(columns, table, file), by_class("eta"), said.k is not None
    return Eta(
        probability, by_class("count") if seen else None, rows, radius=columns["radius"] if seen else None,
        part=columns["part"] if seen else np.zeros(len(rows), np.uint8),
        unseen=by_class("unseen") if seen else probability, unresolved=matrix(_UNRESOLVED) if seen else None,
        tried=said.tried, asked={**said.asked, "eta": said.given}, **{name: getattr(said, name) for name in _FACTS},
    )  # fmt: skip


def places(columns: Mapping[str, npt.NDArray[Any]], table: Table, file: str) -> Integers:
    """Where the file's rows are in the table."""
    numbers = columns["row"] - 1
    there = table.numbers
    found = np.searchsorted(there, numbers)
    if np.any(there[np.minimum(found, len(there) - 1)] != numbers):
        raise DataError("it has rows that the table does not have", file, hint="run estimate-eta again")
    return found
