"""eta that was estimated elsewhere: in columns of the table, or in what estimate-eta wrote."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.eta import Eta, KnnTrial, Tried
from ..core.finding import NEIGHBORHOODS
from ..core.from_json import Nouns, listed, members, text
from ..core.quoting import shown
from ..core.remark import MISCALIBRATED, ONE_EACH, Remark
from ..core.settings import KIND, Settings
from ..core.table import Column, Dataset, Table, Twins
from . import reliability, score_windows

_WORDS = {"label": "labels", "classes": "classes", "rows_used": "rows"}
_SEARCH = ("exclude", "categorical", "group", "repeats", "k", "estimator", "recall", "queries")  # what a search is told
_FACTS = (
    "k",
    "n",
    "estimator",
    "metric",
    "log_loss",
    "exact",
    "recall",
    "recall_low",
    "choices",
    "order_p",
    "knn",
)  # of eta
_MOST_PARTS, _MOST_CHOICES = 255, 1_000_000
_ROUNDED = 1e-6  # of probabilities
_UNRESOLVED = ("unresolved", "unresolved_high")
_SCORE, _LEARNED, _NEAR = "score", "learned", "l2"  # metrics; supplied probabilities have none
_SAME = 1e-6  # of log losses that are added up again

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
    knn: KnnTrial | None = None


_NOUNS = Nouns(
    (Column, KnnTrial, Tried, Twins),
    {
        "Remark": lambda one: Remark(text(one["code"]), **members(one["values"])),
        "tuple[str, ...] | str": lambda one: one if isinstance(one, str) else tuple(map(text, listed(one))),
    },
    optional={About: ("knn",)},
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
    """What a file says, if it is anything that `to_rows` and `about` write: a digest shows a damaged file, and anybody
    can make another."""
    try:
        told: About = _NOUNS.read(About, said)
        for fault in itertools.chain(_faults_of(told), _faults_of_rows(columns, told)):
            raise ValueError(fault)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        fault = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DataError(f"it is not as estimate-eta wrote it: {fault}", file, hint="run estimate-eta again") from None
    return told


def _faults_of(told: About) -> Iterator[str]:
    kinds = {one.name: one for one in fields(Settings)}
    for name, value in told.asked.items():
        if name not in _SEARCH:
            yield f"nothing is asked with {shown(name)}"
        elif value is not None:
            each = value if isinstance(value, list) else [value]
            for one in each:  # refuses what the option does not take
                kinds[name].metadata[KIND].take("all" if (name, one) == ("queries", 0) else one)
    if len(told.classes) < 2 or len({*told.classes}) < len(told.classes):
        yield "a label has two classes or more, and each once"
    if min(told.n, told.choices, told.rows_used) < 1 or (told.k is not None and told.k < 1) or told.seed < 0:
        yield "rows, neighbours and choices are counted from 1"
    if not all(0 <= one <= 1 for one in (told.recall, told.recall_low, told.order_p or 0)):
        yield "a recall and a p-value are shares"
    if not all(one >= 0 for one in (told.log_loss, *(one.log_loss for one in told.tried))):
        yield "a log loss is not below 0"
    if told.twins is not None and not 0 <= told.twins.differ <= told.twins.pairs <= told.rows_used // 2:
        yield "of pairs no more differ than there are, nor are there more than rows"
    yield from _faults_of_search(told)


def _faults_of_search(told: About) -> Iterator[str]:
    """How neighbours were looked for, and between what labels chose."""
    if told.metric not in (None, _NEAR, _LEARNED, _SCORE) or (told.metric is None) != (told.k is None):
        yield f"nothing is near by the metric {shown(str(told.metric))}"
    if (told.k is None) != bool(told.given):
        yield "probabilities are supplied, or estimated"
    if not len(told.tried) <= told.choices <= _MOST_CHOICES:
        yield "labels chose between no fewer ways than were tried, nor between millions"
    if told.recall_low > told.recall or (told.exact and told.recall_low < 1):
        yield "an exact search finds all"
    if (told.order_p is not None) != (told.metric == _SCORE and len(told.classes) == 2):
        yield "scores of two classes have an order, and nothing else"


def _faults_of_rows(columns: Mapping[str, npt.NDArray[Any]], told: About) -> Iterator[str]:
    """Of columns: which there are, of which kind, and what holds of them in every row."""

    def of(name: str) -> list[str]:
        return [f"{name}_{one}" for one in told.classes]

    counted, parted = of("count")[0] in columns, "part" in columns
    wanted = ["row", *of("eta")] + ([*of("count"), "k", "radius"] if counted else [])
    wanted += ["part", *of("unseen")] if parted and counted else []
    wanted += _UNRESOLVED if parted and _UNRESOLVED[0] in columns else []
    # Nothing is made of these, which follow from the counts.
    near = {one for name in NEIGHBORHOODS for one in (name, *of(name))}
    if {*columns} - near != {*wanted}:
        yield "its columns are others"
        return
    whole = {"row", "k", "part", *of("count")}
    if any((values.dtype.kind == "i") != (name in whole) for name, values in columns.items()):
        yield "counts are whole numbers, and probabilities are not"
        return
    row = columns["row"]
    if not len(row) or row[0] < 1 or np.any(np.diff(row) <= 0):
        yield "rows are counted from 1, and each stands there once"
    for name in ("eta", "unseen") if "part" in wanted else ("eta",):
        values = np.column_stack([columns[one] for one in of(name)])
        if not np.all((values >= 0) & (values <= 1)) or np.any(np.abs(values.sum(axis=1) - 1) > _ROUNDED):
            yield f"{name} is no distribution"
    if counted != (told.k is not None):
        yield "a k belongs to counts"
    if counted:
        counts, most = np.column_stack([columns[one] for one in of("count")]), told.n
        if (
            np.any((counts < 0) | (counts > most))
            or np.any(counts.sum(axis=1) != columns["k"])
            or columns["k"].min() < (told.k or 1)
        ):
            yield "the counts do not add up to k"
        if not np.all(columns["radius"] >= 0):
            yield "a radius is below 0"
    if told.metric in (_SCORE, _LEARNED) and "part" not in wanted:
        yield "scores come from parts"
    if "part" in wanted and (columns["part"].min() < 0 or columns["part"].max() > _MOST_PARTS):
        yield "a part is none"
    if _UNRESOLVED[0] in wanted and not all(np.all(columns[one] >= 0) for one in _UNRESOLVED):
        yield "a variance is below 0"


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
    def matrix(name: str) -> Any:
        names = [f"{name}_{of}" for of in table.dataset.classes]
        return np.column_stack([columns[one] for one in names]) if set(names) <= columns.keys() else None

    rows, counts, probability = places(columns, table, file), matrix("count"), matrix("eta")
    seen = counts is not None
    scored = seen and said.metric == _SCORE and len(said.classes) == 2
    open_ = seen and _UNRESOLVED[0] in columns
    return Eta(
        probability, counts, rows, radius=columns["radius"] if seen else None,
        part=columns["part"] if seen else np.zeros(len(rows), np.uint8),
        unseen=matrix("unseen") if seen else probability,
        unresolved=np.column_stack([columns[name] for name in _UNRESOLVED]) if open_ else None,
        tried=said.tried, asked={**said.asked, "eta": said.given},
        **{name: getattr(said, name) for name in _FACTS if name != "order_p"},
        # Whether scores put people in order is for the labels to say, and not for a file.
        order_p=score_windows.order(matrix("unseen"), table.labels[rows], columns["part"]) if scored else None,
    )  # fmt: skip


def places(columns: Mapping[str, npt.NDArray[Any]], table: Table, file: str) -> Integers:
    """Where the file's rows are in the table."""
    numbers = columns["row"] - 1
    there = table.numbers
    found = np.searchsorted(there, numbers)
    if np.any(there[np.minimum(found, len(there) - 1)] != numbers):
        raise DataError("it has rows that the table does not have", file, hint="run estimate-eta again")
    return found
