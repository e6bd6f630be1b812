"""eta that somebody has estimated already: in columns of the table, or in what estimate-eta wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import engine, tables
from ..errors import DataError, SpecError
from ..measures import calibration
from ..model import LEFT_OUT, ONE_EACH, Column, Dataset, Eta, Floats, Integers, Remark, Table, Tried, Twins
from . import evidence
from .settings import Settings

_WORDS = {"label": "labels", "classes": "classes", "rows_used": "rows"}
_SEARCH = ("exclude", "categorical", "group", "repeats", "k", "estimator", "recall", "queries")  # what a search is told

_UNRESOLVED = ("unresolved", "unresolved_high")


@dataclass(frozen=True)
class Rows:
    """What estimate-eta writes: a row for each query, and what they are about."""

    columns: Mapping[str, npt.NDArray[np.generic]]
    about: Mapping[str, object]


def from_columns(
    data: str, options: tables.ReadOptions, settings: Settings, progress: engine.Progress
) -> tuple[Table, Eta]:
    """The publisher's own model, taken at its word: counts of nothing stand behind it."""
    for name in ("smoothness", "k", "queries"):
        if getattr(settings, name) is not None:
            raise SpecError(f"--{name} is about neighbourhoods, and --eta does without")
    table = evidence.of(tables.read(data, replace(options, eta=settings.eta), progress))
    assert table.given is not None
    return warned(table, settings), _given(table, table.given)


def _given(table: Table, probability: Floats) -> Eta:
    n = len(table.labels)
    return Eta(
        probability=probability, counts=None, rows=np.arange(n), k=None, n=n, estimator="given",
        log_loss=calibration.log_loss(probability, table.labels), exact=True, recall=1.0, radius=None, metric=None,
        part=np.zeros(n, np.uint8), unseen=probability,
    )  # fmt: skip


def warned(table: Table, settings: Settings) -> Table:
    """What the labels say against the probabilities."""
    assert table.given is not None
    names = ", ".join(settings.eta)
    said = [
        f"the labels do not fit the probabilities in {names}: {fault}"
        for fault in calibration.faults(table.given, table.labels, table.dataset.classes, 1 - settings.confidence)
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
    asked = {name: value for name in _SEARCH if (value := getattr(settings, name)) != getattr(Settings(), name)}
    return {
        "sha256": data.sha256, "label": data.label, "classes": data.classes, "rows_used": _rows(table),
        "columns": [asdict(column) for column in data.columns], "asked": asked, "given": settings.eta,
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


def from_file(
    data: str, options: tables.ReadOptions, settings: Settings, progress: engine.Progress
) -> tuple[Table, Eta]:
    """What estimate-eta wrote for this very table."""
    file = str(settings.eta_file)
    columns, facts = tables.read_estimates(file)
    said: Mapping[str, Any] = facts
    _check_asked(said, settings, file)
    remarks = tuple(Remark(**one) for one in said["remarks"])
    codes = {one.code for one in remarks}
    again = replace(options, labels_only=True, records=False, group=None, seed=said["seed"])
    table = tables.read(data, _as_copies_were_sought(again, said["asked"]) if LEFT_OUT in codes else again, progress)
    table = replace(table, groups=None, judges=None)  # the file's rows say which of them judge
    _check_same(said, table.dataset, file)
    if ONE_EACH in codes:
        table = table.at(_places(columns, table))
    known = tuple(Column(**column) for column in said["columns"])
    dataset, warnings = replace(table.dataset, columns=known), tuple(said["warnings"])
    table = replace(table, remarks=remarks)
    eta = _read(columns, said, table)
    if settings.smoothness is not None and not eta.exact:
        raise SpecError("--smoothness needs an exact search", file, hint="estimate-eta --recall 1")
    twins = said.get("twins")
    return replace(table, dataset=dataset, warnings=warnings, twins=Twins(**twins) if twins else None), eta


def _as_copies_were_sought(options: tables.ReadOptions, asked: Mapping[str, Any]) -> tables.ReadOptions:
    """What a column is to be decides what is a copy of what."""
    exclude, categorical = (tuple(asked.get(name, ())) for name in ("exclude", "categorical"))
    options = replace(options, exclude=exclude, categorical=categorical, group=asked.get("group"))
    return replace(options, records=True, repeats=asked.get("repeats"))


def _check_asked(said: Mapping[str, Any], settings: Settings, file: str) -> None:
    """An option that the file was not made with would silently change nothing."""
    for name in _SEARCH:
        value, default = getattr(settings, name), getattr(Settings(), name)
        was = said["asked"].get(name, default)
        if value != default and _plain(value) != _plain(was):
            what = f"--{name} {_shown(value)} is not what the file was made with ({_shown(was)})"
            raise SpecError(what, file, hint="run estimate-eta again with it, or leave it out")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _shown(value: object) -> str:
    if value in (None, (), []):
        return "the default"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _check_same(said: Mapping[str, Any], dataset: Dataset, file: str) -> None:
    if said["sha256"] != dataset.sha256:
        raise DataError(
            "made for another table, or for this one before it changed", file, hint="run estimate-eta again"
        )
    for name, word in _WORDS.items():
        value = getattr(dataset, name)
        if _plain(said[name]) != _plain(value):
            what = f"made with other {word}: {_shown(said[name])} instead of {_shown(value)}"
            raise DataError(what, file, hint="use the same --label, --positive and --drop-null-labels")


def _read(columns: Mapping[str, npt.NDArray[Any]], said: Mapping[str, Any], table: Table) -> Eta:
    rows = _places(columns, table)
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


def _places(columns: Mapping[str, npt.NDArray[Any]], table: Table) -> Integers:
    """Of the rows of the file in the table."""
    numbers = columns["row"] - 1
    return numbers if table.row_numbers is None else np.searchsorted(table.row_numbers, numbers)


def _matrix(columns: Mapping[str, npt.NDArray[Any]], name: str, table: Table) -> npt.NDArray[Any] | None:
    names = [f"{name}_{of}" for of in table.dataset.classes]
    return np.column_stack([columns[one] for one in names]) if set(names) <= columns.keys() else None
