"""eta that somebody has estimated already: in columns of the table, or in what estimate-eta wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.eta import Eta, Tried
from ..core.remark import ONE_EACH
from ..core.settings import Settings
from ..core.table import Dataset, Table
from .calibration import reliability

_WORDS = {"label": "labels", "classes": "classes", "rows_used": "rows"}
_SEARCH = ("exclude", "categorical", "group", "repeats", "k", "estimator", "recall", "queries")  # what a search is told

_UNRESOLVED = ("unresolved", "unresolved_high")


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
        f"the labels do not fit the probabilities in {names}: {fault}"
        for fault in reliability.faults(table.given, table.labels, table.dataset.classes, 1 - settings.confidence)
    ]
    return replace(table, warnings=(*table.warnings, *said))


def to_rows(table: Table, eta: Eta) -> dict[str, npt.NDArray[np.generic]]:
    """Columns of the per-row file. Row 1 is the first row of data in the file."""
    numbers = eta.rows if table.row_numbers is None else table.row_numbers[eta.rows]
    columns: dict[str, npt.NDArray[np.generic]] = {"row": numbers + 1}
    columns |= _by_class("eta", table.dataset.classes, eta.probability)
    if eta.counts is None or eta.radius is None:
        return columns
    columns |= _by_class("count", table.dataset.classes, eta.counts)
    columns |= {"k": eta.counts.sum(axis=1), "radius": eta.radius}
    if eta.part is not None and eta.unseen is not None:
        columns |= {"part": eta.part} | _by_class("unseen", table.dataset.classes, eta.unseen)
    if eta.unresolved is not None:
        columns |= {name: eta.unresolved[:, i] for i, name in enumerate(_UNRESOLVED)}
    return columns


def _by_class(
    name: str, classes: tuple[str, ...], values: npt.NDArray[np.generic]
) -> dict[str, npt.NDArray[np.generic]]:
    return {f"{name}_{of}": values[:, c] for c, of in enumerate(classes)}


def about(table: Table, eta: Eta, settings: Settings) -> dict[str, object]:
    """What a later command has to know of the rows: of which table they are, and how they were made."""
    data = table.dataset
    wanted = {name: _plain(getattr(settings, name)) for name in _SEARCH}
    asked = {name: value for name, value in wanted.items() if value != _plain(getattr(Settings(), name))}
    return {
        "sha256": data.sha256, "label": data.label, "classes": data.classes, "rows_used": _rows(table),
        "columns": [asdict(column) for column in data.columns], "asked": asked, "given": _plain(settings.eta),
        "warnings": table.warnings, "remarks": [asdict(one) for one in table.remarks],
        "seed": settings.seed,
        "k": eta.k, "n": eta.n, "estimator": eta.estimator, "metric": eta.metric, "log_loss": eta.log_loss,
        "exact": eta.exact, "recall": eta.recall, "recall_low": eta.recall_low,
        "tried": [asdict(one) for one in eta.tried], "choices": eta.choices, "order_p": eta.order_p,
        "twins": None if table.twins is None else asdict(table.twins),
    }  # fmt: skip


def _rows(table: Table) -> object:
    """All that have a label, and are no copies, whether or not they judge."""
    each = next((one for one in table.remarks if one.code == ONE_EACH), None)
    return table.dataset.rows_used if each is None else each.values["rows"]


def check_asked(said: Mapping[str, Any], settings: Settings, file: str) -> None:
    """An option that the file was not made with would silently change nothing."""
    for name in _SEARCH:
        value, default = getattr(settings, name), getattr(Settings(), name)
        was = said["asked"].get(name, default)
        if value != default and _plain(value) != _plain(was):
            what = f"--{name} {_shown(_plain(value))} is not what the file was made with ({_shown(was)})"
            raise SpecError(what, file, hint="run estimate-eta again with it, or leave it out")


def _plain(value: object) -> object:
    """As a file holds it: an estimator by its name."""
    return list(value) if isinstance(value, tuple) else getattr(value, "name", value)


def _shown(value: object) -> str:
    if value in (None, (), []):
        return "the default"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def check_same(said: Mapping[str, Any], dataset: Dataset, file: str) -> None:
    if said["sha256"] != dataset.sha256:
        raise DataError(
            "made for another table, or for this one before it changed", file, hint="run estimate-eta again"
        )
    for name, word in _WORDS.items():
        value = getattr(dataset, name)
        if _plain(said[name]) != _plain(value):
            what = f"made with other {word}: {_shown(said[name])} instead of {_shown(value)}"
            raise DataError(what, file, hint="use the same --label, --positive and --drop-null-labels")


def eta_of_rows(columns: Mapping[str, npt.NDArray[Any]], said: Mapping[str, Any], table: Table) -> Eta:
    rows = places(columns, table)
    names = "k", "n", "estimator", "metric", "log_loss", "exact", "recall", "recall_low", "choices", "order_p"
    facts = {name: said[name] for name in names} | {"asked": said["asked"] | {"eta": said["given"]}}
    facts["tried"] = tuple(Tried(**one) for one in said["tried"])
    counts, unseen = _matrix(columns, "count", table), _matrix(columns, "unseen", table)
    probability = _matrix(columns, "eta", table)
    assert probability is not None
    if counts is None:
        return Eta(
            probability, None, rows, radius=None, part=np.zeros(len(rows), np.uint8), unseen=probability, **facts
        )
    return Eta(
        probability, counts, rows, radius=columns["radius"], part=columns["part"], unseen=unseen,
        unresolved=np.column_stack([columns[name] for name in _UNRESOLVED]) if _UNRESOLVED[0] in columns else None,
        **facts,
    )  # fmt: skip


def places(columns: Mapping[str, npt.NDArray[Any]], table: Table) -> Integers:
    """Where the file's rows are in the table."""
    numbers = columns["row"] - 1
    return numbers if table.row_numbers is None else np.searchsorted(table.row_numbers, numbers)


def _matrix(columns: Mapping[str, npt.NDArray[Any]], name: str, table: Table) -> npt.NDArray[Any] | None:
    names = [f"{name}_{of}" for of in table.dataset.classes]
    return np.column_stack([columns[one] for one in names]) if set(names) <= columns.keys() else None
