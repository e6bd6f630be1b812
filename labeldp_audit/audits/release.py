"""The protected table, and its manifest: what anybody may know about how it was made."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core import settings as settings_module
from ..core.arrays import Integers
from ..core.errors import DataError, SpecError
from ..core.mechanism import Mechanism, Published
from ..core.progress import Progress
from ..core.randomness import Chance, for_audit, for_release, shuffled
from ..core.release import Release
from ..core.released import Released
from ..core.remark import ORDER_KEPT, PEOPLE_LINKED, UNAUDITED, Remark
from ..core.settings import Settings
from ..core.table import Table
from ..data import Instead, ReadOptions, Rewrite, pandas_frame, publish, read_table, stamps, write
from ..data.order_file import order_file
from ..data.records import records
from ..data.roles import known
from ..measures.heterogeneity import limits
from ..questions import releases
from . import doubts, guides

SCHEMA = "labeldp-audit/release/2"
MANIFEST = ".manifest.json"
BAG, ROWS, POSITIVES, CHANNEL = "bag", "rows", "positives", "channel"  # columns
KEYS = {  # of a manifest, and of its parts: what else stood there could tell labels
    "": ("schema", "tool", "mechanism", "parameters", "guarantees", "label", "published", "learner", "table",
         "randomness", "shuffled", "people", "guide", "previous_releases"),
    "tool": ("name", "version"), "label": ("column", "classes", "positive"),
    "published": ("as", "columns", "values", "sha256"),
    "table": ("rows", "columns", "text", "unaudited", "not_published"),
    "people": ("column", "most_rows", "published", "epsilon"),
    "guide": ("cluster", "prior", "prior_from"),
}  # fmt: skip
FEWEST_UNIQUE = 200  # rows that no other is like: `attack` judges these where the key to the order is missing
MOST_LOOKED_AT = 1_000_000  # rows whose repeats are counted for a warning
OPERATING_SYSTEM, SEEDED = "operating-system", "seeded-for-testing"
ALONE = (
    "features, which classes there are, and who is in the table, are public; what is published about them elsewhere is "
    "not counted"
)


@dataclass(frozen=True)
class Publishing:
    """What is to be published in place of the labels, before it is written."""

    mechanism: Mechanism
    rewrite: Rewrite
    manifest: Mapping[str, Any]
    bags: Mapping[str, Any] | None  # columns of the table of bags, where bags are published
    heterogeneity: tuple[float, float] | None = None  # low and high of that of clusters; not for publication
    remarks: tuple[Remark, ...] = ()


def prepare(
    data: object, settings: Settings, progress: Progress, *, keep_order: bool = False, insecure: bool = False,
    folder: Path | None = None,
) -> Publishing:  # fmt: skip
    """Draw what is published. insecure: from the seed of the settings, for tests of pipelines; folder: that of the
    release, where others of the same rows may lie."""
    options = options_of(settings)
    before = stamps(data)
    table = read_table(data, options, progress)
    dataset = table.dataset
    index = [name for name in publish.index_names(data, options) if name != dataset.label]
    settings = replace(settings, exclude=tuple(dict.fromkeys((*settings.exclude, *index))))
    columns = _Columns.of(publish.column_names(data, options), dataset.label, settings)
    mechanism = the_one(settings, len(dataset.classes))
    if unfit := mechanism.unfit(len(dataset.classes)):
        raise SpecError(unfit, mechanism.spec)
    rng: Chance = for_audit(settings.seed, "release") if insecure else for_release()
    guidance = guides.guide_for(mechanism, data, table, settings, options, progress)
    progress.stage("drawing", None, "labels")
    release = mechanism.release(table.labels, guidance.guide, rng=rng)
    instead, bags = published(mechanism, release, table)
    new = [one.name for one in instead]
    if twice := [name for name in new if name in columns.published or new.count(name) > 1]:
        raise DataError("the table has a column of that name already", f"column {twice[0]!r}")
    alone = mechanism.publishes is Published.ALONE
    order = shuffled(rng, len(table.labels)) if alone or not keep_order else np.arange(len(table.labels))
    instead = [one.at(order) for one in instead]
    replaced = {dataset.label: instead}
    if settings.keep_group and table.groups is not None and not alone:
        pseudonym = shuffled(rng, int(table.groups.max()) + 1)[table.groups]
        replaced[str(settings.group)] = [Instead(str(settings.group), pseudonym[order])]
    manifest = _manifest(mechanism, release, table, instead)
    manifest["published"]["sha256"] = digest([*(one.values for one in instead), *([bags[POSITIVES]] if bags else ())])
    manifest["table"] |= columns.told(alone)
    manifest["randomness"] = SEEDED if insecure else OPERATING_SYSTEM
    if insecure:  # anybody who knows the seed knows the labels: nothing is guaranteed
        manifest["guarantees"] = []
    manifest["shuffled"] = alone or not keep_order
    if table.groups is not None:
        manifest["people"] = people(
            str(settings.group), table.groups, None if insecure else mechanism.claim(len(dataset.classes)),
            len(replaced) > 1,
        )  # fmt: skip
    if guidance.told:
        manifest["guide"] = guidance.told
    if folder is not None:
        manifest["previous_releases"] = previous_releases(folder, manifest)
    remarks = (*table.remarks, *guidance.remarks, *_remarks(table, manifest))
    without_key = folder is not None and settings.order is None and not (keep_order or alone)
    if without_key and (mechanism.publishes is Published.BAGS or len(order) <= MOST_LOOKED_AT):
        hashes = records(data, columns.published, replace(options, exclude=(), group=None)).hashes[table.numbers]
        unique = int(np.sum(np.unique(hashes, return_counts=True)[1] == 1))
        if unique < (len(order) if mechanism.publishes is Published.BAGS else min(FEWEST_UNIQUE, len(order))):
            remarks = (*remarks, Remark("key-needed"))
    phi = _heterogeneity(guidance, table, settings)
    rewrite = Rewrite(() if alone else columns.published, replaced, dataset.rows, table.numbers[order], before)
    return Publishing(mechanism, rewrite, manifest, bags, phi, remarks)


@dataclass(frozen=True)
class _Columns:
    """What becomes of the columns beside the label."""

    published: tuple[str, ...]
    unaudited: tuple[str, ...]  # of these, those that no audit judged
    left_out: tuple[str, ...]
    text: tuple[str, ...]  # of those published, that text tables hold as text whatever it looks like

    @classmethod
    def of(cls, names: Sequence[str], label: str, settings: Settings) -> _Columns:
        known("--exclude", settings.exclude, names)
        known("--keep", settings.keep, names)
        if judged := [name for name in settings.keep if name not in settings.exclude]:
            what = f"--keep is for columns that --exclude names, and {judged[0]!r} is none of them"
            raise SpecError(what, hint="audited columns are published without it")
        if settings.group in settings.keep:
            raise SpecError(f"column {settings.group!r} names people: --keep-group publishes pseudonyms of them")
        if settings.keep_group and settings.group is None:
            raise SpecError("--keep-group publishes pseudonyms of the people that --group COLUMN names")
        others = [name for name in names if name not in (label, settings.group)]
        left_out = [name for name in others if name in settings.exclude and name not in settings.keep]
        hidden = [settings.group] if settings.group is not None and not settings.keep_group else []
        found = cls(
            tuple(name for name in others if name not in left_out),
            tuple(name for name in others if name in settings.keep), (*left_out, *hidden),
            tuple(name for name in others if name in (*settings.keep, *settings.categorical) and name not in left_out),
        )  # fmt: skip
        read = {"--cluster": [settings.cluster] if settings.cluster else [], "--prior": list(settings.prior)}
        for option, columns in read.items():
            if hidden := [name for name in columns if name in found.left_out]:
                what = f"{option} reads column {hidden[0]!r}, which is not published: the release would tell of it"
                hint = f"--keep {hidden[0]} declares it public" if hidden[0] in settings.exclude else ""
                raise SpecError(what, hint=hint)
        return found

    def told(self, alone: bool) -> dict[str, list[str]]:
        """Return what a manifest says of them."""
        if alone:
            every = sorted((*self.published, *self.left_out))
            return {"columns": [], "text": [], "unaudited": [], "not_published": every}
        return {
            "columns": list(self.published), "text": list(self.text), "unaudited": list(self.unaudited),
            "not_published": list(self.left_out),
        }  # fmt: skip


def people(column: str, groups: Integers, epsilon: float | None, are_published: bool) -> dict[str, Any]:
    """Return what a manifest says of people with several rows: the most rows of one, and what that person spends."""
    most = int(np.bincount(groups).max())
    spent = None if epsilon is None else most * epsilon
    return {"column": column, "most_rows": most, "published": are_published, "epsilon": spent}


def previous_releases(folder: Path, manifest: Mapping[str, Any]) -> int:
    """Count the manifests in a folder that describe the same rows and columns."""
    found = before = 0
    for one in folder.glob(f"*{MANIFEST}"):
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            other = json.loads(one.read_bytes())
            same = (other["label"]["column"], other["table"]["rows"]) == (
                manifest["label"]["column"], manifest["table"]["rows"],
            )  # fmt: skip
            every = [
                {*each["table"]["columns"], *each["table"]["not_published"], each.get("people", {}).get("column")}
                - {None}
                for each in (other, manifest)
            ]
            if same and every[0] == every[1]:  # and what it replaced
                found, before = found + 1, max(before, 1 + int(other.get("previous_releases") or 0))
    return max(found, before)


def remarks_of_manifest(manifest: Mapping[str, Any]) -> Iterator[Remark]:
    """What a reader of the release has to know of it."""
    if unaudited := manifest.get("table", {}).get("unaudited"):
        yield Remark(UNAUDITED, columns=unaudited)
    people = manifest.get("people", {})
    if people.get("published"):
        yield Remark(PEOPLE_LINKED, most=people.get("most_rows", 1))
    if manifest.get("shuffled") is False:
        yield Remark(ORDER_KEPT)


def _remarks(table: Table, manifest: Mapping[str, Any]) -> Iterator[Remark]:
    yield from remarks_of_manifest(manifest)
    if not manifest["shuffled"]:
        yield from _of_order(table)
    if before := manifest.get("previous_releases"):
        yield Remark("released-before", releases=before)


def _of_order(table: Table) -> Iterator[Remark]:
    """What rows that stay in their order may tell of labels, as far as labels alone show it."""
    shares = np.array(table.dataset.class_counts) / len(table.labels)
    like = doubts.like_neighbors(np.broadcast_to(shares, (len(table.labels), len(shares))), table.labels)
    if like is not None:
        yield Remark("order-may-tell-labels", like=like)


def _heterogeneity(guidance: guides.Guidance, table: Table, settings: Settings) -> tuple[float, float] | None:
    """Low and high of that of the clusters; a report to the publisher, as it depends on labels."""
    alike, classes = guidance.guide.clusters, guidance.guide.classes
    if alike is None:
        return None
    rng = for_audit(settings.seed, "heterogeneity")
    return limits(table.labels, alike, guidance.cells, classes, 1 - settings.confidence, rng)


def released(
    data: object, mechanism: str | Mechanism, given: Mapping[str, Any], to: Path | None, progress: Progress
) -> tuple[Released, tuple[Remark, ...]]:
    """From Python: in memory, or in files; and what has to be said about it."""
    known = settings_module.ReleaseOptions.__optional_keys__
    settings_module.check_names(given, known)
    settings = settings_module.from_python({**given, "mechanisms": mechanism})
    source = os.fspath(data) if isinstance(data, os.PathLike) else data
    if to is None and settings.order is not None:
        raise SpecError("a key in a file belongs to a release in a file", "order", hint="the result has it as .order")
    if to is None and isinstance(source, str):
        raise SpecError("a file is released to a file", "to", hint="to='protected.parquet'")
    force = bool(given.get("force"))
    places = None if to is None else check_places(source, settings, to, force)
    folder = None if to is None else to.parent
    made = prepare(source, settings, progress, keep_order=bool(given.get("keep_order")), folder=folder)
    in_file = isinstance(source, str)
    bags = made.bags and (pandas_frame(made.bags) if in_file else publish.frame_like(source, made.bags))
    frame = None if to is not None else publish.in_frame(source, options_of(settings), made.rewrite, progress)
    if to is not None:
        write.write_all(files(made, source, settings, to, progress), places=places, new=not force)
    return Released(frame, plain(made.manifest), bags, to, made.heterogeneity, made.rewrite.rows), made.remarks


def beside(to: Path) -> tuple[Path, Path]:
    """The manifest of a release, and its table of bags where it has one."""
    packed = ".gz" if to.name.lower().endswith(".gz") else ""
    stem = to.with_name(to.name.removesuffix(to.suffix) if packed else to.name)
    return to.with_name(to.name + MANIFEST), stem.with_name(
        f"{stem.stem}.bags{stem.suffix}{to.suffix if packed else ''}"
    )


def check_places(data: object, settings: Settings, to: Path, force: bool) -> Mapping[Path, Path]:
    """Refuse what would overwrite something, or release what is a release already, before anything is drawn. Returns
    where the files lead."""
    if isinstance(data, str) and data == "-":
        raise SpecError("the table is read several times, which standard input cannot be", hint="write it to a file")
    mechanism = the_one(settings, 2)
    publish.kind_of(to)
    order = [] if settings.order is None else [Path(settings.order)]
    if len({write.resolved(one) for one in (to, *beside(to), *order)}) < 3 + len(order):
        raise SpecError("--order names the release or a file beside it", order[0].name)
    for source in (data, settings.prior_from):
        for one in (to, *beside(to), *order):
            if isinstance(source, str) and _is_or_holds(Path(source), one):
                raise SpecError("the release would be written over the table or among its parts", one.name)
    from .evidence import manifest_of_release

    if not force and (manifest := manifest_of_release(data, settings)):
        what = "the table is a release already, and a second one of the same labels would spend epsilon once more"
        raise DataError(what, manifest, hint="release the original table; --force releases this one")
    for one in (to, *beside(to), *order):
        if one.exists() and not force:
            raise SpecError("there is a file of that name already", one.name, hint="--force overwrites it")
    if mechanism.publishes is not Published.BAGS and beside(to)[1].exists():
        what = "the table of bags of another release stands where this one has none"
        raise SpecError(what, beside(to)[1].name, hint="remove it, or choose another name")
    if missing := [one.parent for one in (to, *order) if not one.parent.is_dir()]:
        raise SpecError("no such folder", missing[0])
    with write.writable(to):
        write.probe(write.resolved(to).parent)
    return {one: write.resolved(one) for one in (to, *beside(to), *order)}


def _is_or_holds(table: Path, written: Path) -> bool:
    if table.is_dir():
        return table.resolve() in written.resolve().parents
    parts = [table] if table.exists() else map(Path, glob.iglob(str(table), recursive=True))  # noqa: PTH207 absolute too
    return written.exists() and any(part.exists() and part.samefile(written) for part in parts)


def files(made: Publishing, data: object, settings: Settings, to: Path, progress: Progress) -> list[write.File]:
    """Return what is written, all or nothing: the release for everybody, the key to its order for its publisher."""
    manifest, bags = beside(to)
    options = options_of(settings)
    text = json.dumps(plain(made.manifest), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    found = [
        write.File(to, write.SHARED, lambda file: publish.write(data, options, made.rewrite, to, file, progress)),
        write.text_file(manifest, text),
    ]
    if (columns := made.bags) is not None:
        found.append(write.File(bags, write.SHARED, lambda file: publish.write_columns(columns, bags, file)))
    if settings.order is not None:
        found.append(order_file(Path(settings.order), made.rewrite.rows, made.manifest["published"]["sha256"]))
    return found


def options_of(settings: Settings) -> ReadOptions:
    """A release needs labels alone; what a mechanism learns from features, it reads itself."""
    return ReadOptions(
        label=settings.label, positive=settings.positive, drop_null_labels=settings.drop_null_labels,
        delimiter=settings.delimiter, decimal=settings.decimal, no_header=settings.no_header, few_rows=True,
        labels_only=True, group=settings.group, many_classes=True, exclude=settings.exclude,
        categorical=settings.categorical,
    )  # fmt: skip


def the_one(settings: Settings, classes: int) -> Mechanism:
    """A table is released by one mechanism."""
    found = releases.wanted(settings, classes)
    if not found:
        raise SpecError("which mechanism?", hint="--mechanism SPEC, such as rr:epsilon=1")
    if len(found) != 1:
        named = ", ".join(one.spec for one in found)
        raise SpecError(f"a release has one mechanism, not {len(found)}", named, hint="name one, such as rr:epsilon=1")
    return found[0]


def published(mechanism: Mechanism, release: Release, table: Table) -> tuple[list[Instead], Mapping[str, Any] | None]:
    """The columns that stand where the labels stood, and the table of bags."""
    label, classes = table.dataset.label, table.dataset.classes
    names = columns_of(mechanism, label, classes)[0]
    if mechanism.publishes is Published.BAGS:
        sizes = np.bincount(release.bag, minlength=len(release.view))
        return [Instead(BAG, release.bag)], {BAG: np.arange(len(release.view)), ROWS: sizes, POSITIVES: release.view}
    if mechanism.publishes is Published.VECTORS:
        return [Instead(name, release.view[:, c]) for c, name in enumerate(names)], None
    said = [Instead(label, release.view, values_of(mechanism, classes))]
    return said if release.group is None else [*said, Instead(CHANNEL, release.group)], None


def columns_of(mechanism: Mechanism, label: str, classes: Sequence[str]) -> list[tuple[str, ...]]:
    """The columns that may stand in place of the label."""
    match mechanism.publishes:
        case Published.BAGS:
            return [(BAG,)]
        case Published.VECTORS:
            return [tuple(f"{label}_{name}" for name in classes)]
        case _:
            beside = mechanism.judged_as and mechanism.publishes is Published.LABELS
            return [(label,), (label, CHANNEL)] if beside else [(label,)]


def values_of(mechanism: Mechanism, classes: Sequence[str]) -> tuple[str, ...]:
    """What may stand there, where those are texts."""
    return outputs(mechanism, classes) if mechanism.publishes in (Published.LABELS, Published.ALONE) else ()


def outputs(mechanism: Mechanism, classes: Sequence[str]) -> tuple[str, ...]:
    """What a released label may be: the classes, and what else is said."""
    return (*classes, *(f"output {s + 1}" for s in range(len(classes), mechanism.outputs(len(classes)))))


def _manifest(mechanism: Mechanism, release: Release, table: Table, instead: Sequence[Instead]) -> dict[str, Any]:
    """Nothing in it depends on a true label: neither counts of classes nor a hash of the input's cells."""
    from .. import __version__

    dataset, classes = table.dataset, len(table.dataset.classes)
    return {
        "schema": SCHEMA,
        "tool": {"name": "labeldp-audit", "version": __version__},
        "mechanism": mechanism.spec,
        "parameters": mechanism.at(),
        "guarantees": [
            {**asdict(one), "assumptions": [*one.assumptions, ALONE]}
            for one in (*mechanism.guarantees(classes), *mechanism.guarantees_of(release))
        ],
        "label": {"column": dataset.label, "classes": list(dataset.classes), "positive": dataset.positive},
        "published": {
            "as": str(mechanism.publishes),
            "columns": [one.name for one in instead],
            "values": list(instead[0].texts),
        },
        "learner": mechanism.learner(release, classes),
        "table": {"rows": len(table.labels)},
    }


def digest(columns: Iterable[npt.NDArray[Any]]) -> str:
    """SHA-256 of what is published, codes of texts and numbers, however a file spells them: it tells a manifest from
    that of another draw."""
    found = hashlib.sha256()
    for one in columns:
        found.update((np.asarray(one, "<f8") + 0.0).tobytes())  # -0 is 0
    return found.hexdigest()


def plain(value: Any) -> Any:
    """As JSON has it: infinities are words, arrays are lists, and NaN is a fault."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise ValueError("NaN says nothing")
        return "Infinity" if value > 0 else "-Infinity"
    return value
