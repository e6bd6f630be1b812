"""eta that was estimated elsewhere: in columns of the table, or in what estimate-eta wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.eta import Eta, Tried
from ..core.remark import ONE_EACH, Remark
from ..core.settings import Settings
from ..core.table import Dataset, Table
from . import reliability

_WORDS = {"label": "labels", "classes": "classes", "rows_used": "rows"}
_SEARCH = ("exclude", "categorical", "group", "repeats", "k", "estimator", "recall", "queries")  # what a search is told
_FACTS = ("k", "n", "estimator", "metric", "log_loss", "exact", "recall", "recall_low", "choices", "order_p")  # of eta
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


def as_given(table: Table, probability: Floats, settings: Settings) -> Eta:
    n = len(table.labels)
    return Eta(
        probability=probability, counts=None, rows=np.arange(n), k=None, n=n, estimator="given",
        log_loss=reliability.log_loss(probability, table.labels), exact=True, recall=1.0, radius=None, metric=None,
        part=np.zeros(n, np.uint8), unseen=probability, refuted=_refuted(probability, table, settings),
    )  # fmt: skip


def _refuted(probability: Floats, table: Table, settings: Settings) -> bool:
    """Limits that take the probabilities at their word would be known not to hold."""
    miss = 1 - settings.confidence
    return any(reliability.faults(probability, table.labels, table.dataset.classes, miss))


def warned(table: Table, settings: Settings) -> Table:
    """What the labels say against the probabilities."""
    assert table.given is not None
    names = ", ".join(settings.eta) if isinstance(settings.eta, tuple) else settings.eta.name
    said = [
        Remark("labels-contradict-probabilities", source=names, **fault)
        for fault in reliability.faults(table.given, table.labels, table.dataset.classes, 1 - settings.confidence)
    ]
    return replace(table, remarks=(*table.remarks, *said))


# ---- what estimate-eta writes


def to_rows(table: Table, eta: Eta) -> Named:
    """Columns of the per-row file. Row 1 is the first row of data in the file."""

    def by_class(name: str, values: npt.NDArray[np.generic]) -> Named:
        return {f"{name}_{of}": values[:, c] for c, of in enumerate(table.dataset.classes)}

    numbers = eta.rows if table.row_numbers is None else table.row_numbers[eta.rows]
    columns = {"row": numbers + 1, **by_class("eta", eta.probability)}
    if eta.counts is None or eta.radius is None:
        return columns
    columns |= by_class("count", eta.counts) | {"k": eta.counts.sum(axis=1), "radius": eta.radius}
    if eta.part is not None and eta.unseen is not None:
        columns |= {"part": eta.part} | by_class("unseen", eta.unseen)
    if eta.unresolved is not None:
        columns |= {name: eta.unresolved[:, i] for i, name in enumerate(_UNRESOLVED)}
    return columns


def about(table: Table, eta: Eta, settings: Settings) -> dict[str, object]:
    """What a later command has to know of the rows: of which table they are, and how they were made."""
    data = table.dataset
    wanted = {name: _plain(getattr(settings, name)) for name in _SEARCH}
    asked = {name: value for name, value in wanted.items() if value != _plain(getattr(Settings(), name))}
    # All that have a label, and are no copies, whether or not they judge.
    rows = next((one.values["rows"] for one in table.remarks if one.code == ONE_EACH), data.rows_used)
    return {
        "sha256": data.sha256, "label": data.label, "classes": data.classes, "rows_used": rows,
        "columns": [asdict(column) for column in data.columns], "asked": asked, "given": _plain(settings.eta),
        "remarks": [asdict(one) for one in table.remarks],
        "seed": settings.seed, **{name: getattr(eta, name) for name in _FACTS},
        "tried": [asdict(one) for one in eta.tried], "twins": None if table.twins is None else asdict(table.twins),
    }  # fmt: skip


# ---- and reads


def check_asked(said: Mapping[str, Any], settings: Settings, file: str) -> None:
    """An option that the file was not made with would silently change nothing."""
    for name in _SEARCH:
        value, default = getattr(settings, name), getattr(Settings(), name)
        was = said["asked"].get(name, default)
        if value != default and _plain(value) != _plain(was):
            what = f"--{name} {_shown(_plain(value))} is not what the file was made with ({_shown(was)})"
            raise SpecError(what, file, hint="run estimate-eta again with it, or leave it out")


def check_same(said: Mapping[str, Any], dataset: Dataset, file: str) -> None:
    if said["sha256"] != dataset.sha256:
        what = "made for another table, or for this one before it changed"
        raise DataError(what, file, hint="run estimate-eta again")
    for name, word in _WORDS.items():
        value = getattr(dataset, name)
        if _plain(said[name]) != _plain(value):
            what = f"made with other {word}: {_shown(said[name])} instead of {_shown(value)}"
            raise DataError(what, file, hint="use the same --label, --positive and --drop-null-labels")


def _plain(value: object) -> object:
    """As a file holds it: an estimator by its name."""
    return list(value) if isinstance(value, tuple) else getattr(value, "name", value)


def _shown(value: object) -> str:
    if value in (None, (), []):
        return "the default"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def eta_of_rows(
    columns: Mapping[str, npt.NDArray[Any]], said: Mapping[str, Any], table: Table, settings: Settings
) -> Eta:
    def matrix(name: str) -> Any:
        names = [f"{name}_{of}" for of in table.dataset.classes]
        return np.column_stack([columns[one] for one in names]) if set(names) <= columns.keys() else None

    rows, counts, probability = places(columns, table), matrix("count"), matrix("eta")
    seen = counts is not None
    open_ = seen and _UNRESOLVED[0] in columns
    return Eta(
        probability, counts, rows, radius=columns["radius"] if seen else None,
        part=columns["part"] if seen else np.zeros(len(rows), np.uint8),
        unseen=matrix("unseen") if seen else probability,
        unresolved=np.column_stack([columns[name] for name in _UNRESOLVED]) if open_ else None,
        refuted=not seen and _refuted(probability, table, settings),
        tried=tuple(Tried(**one) for one in said["tried"]), asked=said["asked"] | {"eta": said["given"]},
        **{name: said[name] for name in _FACTS},
    )  # fmt: skip


def places(columns: Mapping[str, npt.NDArray[Any]], table: Table) -> Integers:
    """Where the file's rows are in the table."""
    numbers = columns["row"] - 1
    return numbers if table.row_numbers is None else np.searchsorted(table.row_numbers, numbers)
