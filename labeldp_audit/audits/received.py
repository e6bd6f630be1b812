"""A release as its reader has it: the file and its manifest, or what the reader knows instead of one."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..core.errors import DataError, SpecError
from ..core.mechanism import Mechanism, Published
from ..core.release import Release
from ..core.released import Released
from ..core.table import Table
from ..data import ReadOptions, publish
from ..data.order_file import read_order
from ..data.records import Form, Match, match, records
from ..mechanisms import MECHANISMS
from .release import (
    BAG,
    CHANNEL,
    MANIFEST,
    POSITIVES,
    ROWS,
    SCHEMA,
    beside,
    columns_of,
    digest,
    outputs,
    plain,
    values_of,
)

IN_MEMORY = "frame"  # as reports call what is no file

UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)  # what a manifest tells is not as it was


class Unclaimed(DataError):
    """What is published is nothing that such a release could hold."""


@dataclass(frozen=True)
class Copy:
    """A release where its reader has it: a file and what is beside it, or in memory."""

    name: str
    table: object  # a path or a frame
    bags: object  # the same, or None
    manifest: Mapping[str, Any] | None  # None where a spec stands in for it
    order: Integers | None = None  # as `release` returned it


def copy_of(release: object, spec: str | None = None) -> Copy:
    """spec: stands in for the manifest of a release that another tool made."""
    order = release.order if isinstance(release, Released) else None
    if isinstance(release, Released) and release.path is not None:
        release = release.path
    if isinstance(release, str | os.PathLike):
        file = Path(release)
        if not file.is_file():
            raise DataError("no such file", file.name)
        manifest = None if spec else manifest_of(file)
        if spec is None and manifest is None:
            hint = "--mechanism SPEC stands in for it where another tool made the release"
            raise DataError("a release without its manifest", file.name, hint=hint)
        return Copy(file.name, os.fspath(file), str(beside(file)[1]), manifest, order)
    if isinstance(release, Released):
        known = None if spec else _checked(release.manifest, IN_MEMORY)
        return Copy(IN_MEMORY, release.frame, release.bags, known, release.order)
    if spec is None:
        hint = "a file, what lda.release returned, or a frame with mechanisms=SPEC"
        raise SpecError("not a release, as it has no manifest", "release", hint=hint)
    return Copy(IN_MEMORY, release, None, None)


def files_of(release: object) -> tuple[Path, ...]:
    """All that may be read of a release in files."""
    place = release.path if isinstance(release, Released) else release
    return (Path(place), *beside(Path(place))) if isinstance(place, str | os.PathLike) else ()


@dataclass(frozen=True)
class Received:
    """What was published, and what is known of how."""

    name: str  # of the file
    mechanism: Mechanism
    classes: tuple[str, ...]
    label: str  # the column of the original
    columns: tuple[str, ...]  # that stand in its place
    release: Release
    manifest: Mapping[str, Any] | None  # None where a spec stands in for it
    sizes: Integers | None = None  # what the table of bags says about how many rows each has
    strange: int = 0  # columns and places of the table of bags that `release` does not write

    @property
    def sha256(self) -> str:
        """As the manifest of this very release has it."""
        known = self.release
        if self.mechanism.publishes is Published.BAGS:
            return digest([known.bag, known.view])
        columns = known.view.T if known.view.ndim == 2 else [known.view]
        return digest([*columns, *([] if known.group is None else [known.group])])


def read(
    release: object, options: ReadOptions, spec: str | None = None, classes: tuple[str, ...] = (),
    label: str | None = None,
) -> Received:  # fmt: skip
    """spec, classes and label: what stands in for a manifest, of a release that another tool made."""
    file = release if isinstance(release, Copy) else copy_of(release, spec)
    manifest = file.manifest
    if manifest is None:
        if spec is None or not classes or label is None:
            hint = "--mechanism SPEC and --original DATA stand in for a manifest"
            raise DataError("a release without its manifest", file.name, hint=hint)
        mechanism = parsed(spec, len(classes))
        columns = columns_of(mechanism, label, classes)[0]
        values = outputs(mechanism, classes)
    else:
        classes, label = tuple(manifest["label"]["classes"]), str(manifest["label"]["column"])
        mechanism = claimed(manifest)
        columns, values = tuple(manifest["published"]["columns"]), tuple(manifest["published"]["values"])
        if values != values_of(mechanism, classes) or columns not in columns_of(mechanism, label, classes):
            raise DataError("the manifest names other columns or values than its mechanism publishes", file.name)
    options = options_of_release(options, manifest)
    sizes, strange = None, 0
    match mechanism.publishes:
        case Published.BAGS:
            known, sizes, strange = _bags(file, columns[0], options)
        case Published.VECTORS:
            numbers = publish.read_numbers(file.table, columns, options)
            known = Release(np.stack(numbers, axis=1), np.arange(len(numbers[0])))
        case _:
            codes = _codes(file, columns[0], values, options)
            known = Release(codes, np.arange(len(codes)))
            if CHANNEL in columns[1:] and manifest is not None:
                known = _with_channels(file, mechanism, known, manifest["learner"], len(classes), options)
    return Received(file.name, mechanism, classes, label, columns, known, manifest, sizes, strange)


def options_of_release(options: ReadOptions, manifest: Mapping[str, Any] | None) -> ReadOptions:
    """Return how a release is read: text that `release` wrote has one form, others are written as their table is."""
    known = replace(options, label=None, positive=None, exclude=(), categorical=(), group=None)
    return known if manifest is None else replace(known, delimiter=None, decimal=".", no_header=False)


def manifest_of(file: Path) -> Mapping[str, Any] | None:
    """What stands beside a release; None where nothing does."""
    there = beside(file)[0]
    return read_manifest(there) if there.exists() else None


def read_manifest(there: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(there.read_bytes(), object_pairs_hook=_once)
    except OSError as error:
        raise DataError("cannot be read", there.name, error.strerror or "") from None
    except (ValueError, RecursionError):
        raise DataError("not a manifest of a release: no JSON, or a key stands there twice", there.name) from None
    return _checked(found, there.name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ in which of two they take."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError
    return dict(pairs)


def _checked(found: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise DataError("not a manifest of a release", name, hint=f"`release` writes one, NAME{MANIFEST}")
    if not _complete(found):
        raise DataError("the manifest is not as `release` wrote it", name)
    return found


def _complete(found: Mapping[str, Any]) -> bool:
    """Check that what is read of a manifest is there, and of its kind."""
    try:
        label, published, table = (found[name] for name in ("label", "published", "table"))
        tool, people, guide = (found.get(name, {}) for name in ("tool", "people", "guide"))
        lists = [label["classes"], published["columns"], published["values"], guide.get("prior", [])]
        lists += [table.get(name, []) for name in ("columns", "unaudited", "not_published")]
        texts = [found["mechanism"], label["column"], *(text for names in lists for text in names)]
        texts += [tool.get("name", ""), tool.get("version", ""), people.get("column", ""), guide.get("cluster", "")]
        parts = [label, published, table, tool, people, guide, found["learner"], guide.get("prior_from", {})]
    except (AttributeError, KeyError, TypeError):
        return False
    positive, classes = label.get("positive"), label["classes"]
    known = all(isinstance(one, list) for one in [*lists, found["guarantees"]]) and isinstance(positive, str | None)
    typed = all(isinstance(one, dict) for one in parts) and all(isinstance(one, str) for one in texts)
    return known and typed and len(set(classes)) == len(classes) >= 2 and bool(published["columns"])


def match_rows(
    data: object, table: Table, copy: Copy, columns: Collection[str], options: ReadOptions, order: object
) -> tuple[Match, str]:
    """Return which row of the table each row of a release is, and a column that is not as it was.

    columns: of both; order: the key to the order, if there is one. What `release` wrote has to be what it would write
    again, while another tool may write values in another form.
    """
    how, manifest = options_of_release(options, copy.manifest), copy.manifest
    options = replace(options, exclude=(), group=None)
    if manifest is None:
        ours = records(data, columns, options)
        theirs = records(copy.table, columns, how, types=ours.types)
    else:
        options = replace(options, categorical=tuple(manifest["table"].get("text", ())))
        text = isinstance(copy.table, str) and publish.kind_of(Path(copy.table)) == publish.CSV
        ours = records(data, columns, options, Form.AS_RELEASED_TEXT if text else Form.AS_RELEASED)
        theirs = records(copy.table, columns, how, Form.RELEASE_AS_TEXT if text else Form.RELEASE)
    mine, key = ours.hashes[table.numbers], order_of_release(copy, order, table)
    kept = manifest is not None and not manifest.get("shuffled")
    if key is None and (kept or (manifest is None and np.array_equal(mine, theirs.hashes))):
        key = np.arange(len(table.labels))
    edited = [name for name in ours.columns if ours.columns[name] != theirs.columns[name]]
    return match(mine, theirs.hashes, table.labels.astype(np.int64), key), next(iter(edited), "")


def order_of_release(copy: Copy, order: object, table: Table) -> Integers | None:
    """Return the row of the table that each row of the release is, by the publisher's key; None where there is none."""
    if order is None:
        order = copy.order
    if order is None:
        return None
    if isinstance(order, str | os.PathLike):
        published = {} if copy.manifest is None else copy.manifest["published"]
        order = read_order(order, published.get("sha256"))
    rows = np.asarray(order)
    found = np.searchsorted(table.numbers, rows)
    if not np.array_equal(np.sort(rows), table.numbers):
        raise DataError("the key to the order does not name each row of the table once", copy.name)
    return found


def learner_again(got: Received) -> Mapping[str, Any] | None:
    """What the manifest tells a learner, computed again; None where it does not tell enough."""
    try:
        return dict(plain(got.mechanism.learner_again(got.release, len(got.classes))))
    except UNFIT:
        return None


def told_of_mechanism(
    manifest: Mapping[str, Any], mechanism: Mechanism, learner: Mapping[str, Any] | None
) -> dict[str, tuple[Any, Any]]:
    """What the manifest says of the mechanism that it names, and beside it what is so."""
    return {
        "learner": (learner is not None, True),
        "mechanism": (manifest["mechanism"], mechanism.spec),
        "parameters": (manifest.get("parameters"), plain(mechanism.at())),
        **{name: (manifest["learner"].get(name), value) for name, value in (learner or {}).items()},
    }


def contradicted(told: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """The names of what is told otherwise than it is."""
    return [name for name, pair in told.items() if len({json.dumps(one, sort_keys=True) for one in pair}) > 1]


def claimed(manifest: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism that a manifest names."""
    return parsed(str(manifest["mechanism"]), len(manifest["label"]["classes"]))


def parsed(spec: str, classes: int) -> Mechanism:
    found = MECHANISMS.parse(spec, classes)
    if len(found) != 1:
        raise SpecError("a release has one mechanism", spec)
    if unfit := found[0].unfit(classes):
        raise SpecError(unfit, spec)
    return found[0]


def _codes(file: Copy, column: str, values: tuple[str, ...], options: ReadOptions) -> Integers:
    codes, texts = publish.read_texts(file.table, column, replace(options, categorical=(column,)))
    if not {*texts} <= {*values}:  # such as 1.0 of another tool
        codes, texts = publish.read_texts(file.table, column, options)
    if np.any(codes < 0):
        raise Unclaimed(f"released labels are missing: {int(np.sum(codes < 0)):,}", file.name)
    places = {name: code for code, name in enumerate(values)}
    unknown = [text for text in texts if text not in places]
    if unknown:
        raise Unclaimed(f"a released label that is none of {len(values)}", file.name)
    return np.array([places[text] for text in texts], np.int64)[codes]


def _with_channels(
    file: Copy, mechanism: Mechanism, release: Release, learner: Mapping[str, Any], classes: int, options: ReadOptions
) -> Release:
    """The same with the channel of each label, of those that the manifest tells."""
    [group] = _whole_numbers(file.table, [CHANNEL], options)
    try:
        channels = mechanism.channels_told(learner)
    except UNFIT as error:
        raise DataError("the manifest does not tell the channels of the labels", file.name) from error
    known = int(group.max(initial=-1)) + 1
    if channels is not None:
        laws = channels.ndim == 3 and channels.shape[1] == classes and bool(np.all(channels >= 0))
        if not laws or not np.allclose(channels.sum(axis=2), 1):
            raise DataError("the channels that the manifest tells are none", file.name)
        known = len(channels)
    if np.any(group < 0) or np.any(group >= known):
        raise DataError("a channel that the manifest does not know", file.name)
    return replace(release, group=group.astype(np.int64), channels=channels, facts=learner)


def _bags(file: Copy, column: str, options: ReadOptions) -> tuple[Release, Integers, int]:
    """Bags in the order of their numbers, the rows that each is said to have, and what else the table tells."""
    there = file.bags
    if there is None or (isinstance(there, str) and not Path(there).exists()):
        raise DataError("a release of bags without its table of bags", Path(str(there or file.name)).name)
    [bag] = _whole_numbers(file.table, [column], options)
    numbers, rows = _whole_numbers(there, (BAG, ROWS), options)
    [positives] = publish.read_numbers(there, (POSITIVES,), options)
    more = {*publish.column_names(there, options)} - {BAG, ROWS, POSITIVES}
    strange = len(more) + int(np.sum(numbers != np.arange(len(numbers))))
    order = np.argsort(numbers, kind="stable")
    numbers, positives = numbers[order], positives[order]
    place = np.searchsorted(numbers, bag)
    apart = bool(np.all(np.diff(numbers) > 0))
    if not apart or np.any(place >= len(numbers)) or np.any(numbers[np.minimum(place, len(numbers) - 1)] != bag):
        raise Unclaimed("the bags of the rows are not those of the table of bags", file.name)
    return Release(positives, place.astype(np.int64)), rows[order].astype(np.int64), strange


def _whole_numbers(source: object, names: Sequence[str], options: ReadOptions) -> list[Integers]:
    found = publish.read_numbers(source, names, options)
    if any(column.dtype.kind not in "iu" for column in found):
        raise Unclaimed(f"not whole numbers: {', '.join(names)}", Path(str(source)).name)
    return found


def one_hot(codes: Integers, classes: int) -> Floats:
    return np.eye(classes)[codes]
