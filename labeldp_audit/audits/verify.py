"""verify: is a release what its manifest claims?"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..core import settings as settings_module
from ..core.arrays import Floats, Integers
from ..core.budget import Budget
from ..core.errors import SpecError
from ..core.mechanism import Mechanism, Published
from ..core.policy import Judgement
from ..core.progress import Progress
from ..core.release import Outcomes, Release, Tails
from ..core.remark import NO_ORIGINAL, Remark
from ..core.report import VERIFY, Report
from ..core.settings import Settings
from ..core.table import Dataset, Table
from ..data import ReadOptions, compare, publish, read_table, unchanged
from ..data.records import Match, records
from ..mechanisms.poisson_binomial import tails_of_count
from ..questions import verifying
from ..questions.every import QUANTITIES
from ..questions.verifying import Bagged, Pairs, Trials, faults
from . import received
from .guides import OTHERS
from .received import Copy, Received, Unclaimed
from .release import ALONE, KEYS, OPERATING_SYSTEM, people, plain, remarks_of_manifest

_ROUNDING = 1e-9  # of what a model says of two rows with the same features
_FEATURE_BAGS = 20_000  # bags whose features are looked at
_FEATURE_KINDS = 20_000  # and classes of channels or of clusters
_ALIKE = 10_000  # counts of labels of rows that are alike


@dataclass(frozen=True)
class Case:
    """A release, and what it is held against."""

    found: Received
    place: object  # of the release
    options: ReadOptions  # how it is read
    columns: tuple[str, ...]  # of the release, but those that replaced the labels
    table: Table | None
    match: Match | None = None  # None without the original, and of labels that are published alone

    @property
    def row(self) -> Integers | None:
        return None if self.match is None else self.match.row


def verified(data: object, given: Mapping[str, Any], progress: Progress) -> Report:
    """From Python."""
    settings_module.check_names(given, settings_module.VerifyOptions.__optional_keys__)
    return verify(data, settings_module.from_python({**given, "mechanisms": given.get("mechanisms") or ()}), progress)


def verify(data: object, settings: Settings, progress: Progress) -> Report:
    if isinstance(data, str) and data == "-":
        raise SpecError("a release is a file, with its manifest beside it")
    if isinstance(settings.original, str) and settings.original == "-":
        raise SpecError("the original is read several times, which standard input cannot be", hint="write it to a file")
    with unchanged(*received.files_of(data), settings.original):
        return _verified(data, settings, progress)


def _verified(data: object, settings: Settings, progress: Progress) -> Report:
    budget, pairs = Budget.of(settings.confidence), Pairs()
    progress.stage("reading", None, "rows")
    copy = received.copy_of(data, _the_spec(settings) if settings.mechanism else None)
    case, first = _case(copy, settings, progress)
    spec = case.found.mechanism.spec
    pairs += first
    pairs += _manifest(case, settings, spec)
    publishes = case.found.mechanism.publishes
    if not any(verdict is not None and verdict.counts for _, verdict in first):
        pairs += (_bags if publishes is Published.BAGS else _labels)(case, budget, progress)
    findings, verdicts = verifying.at_confidence(pairs, settings.confidence)
    return Report(
        command=VERIFY, version=__version__, dataset=_dataset(case, copy), eta=None,
        parameters=_parameters(case, settings), findings=findings,
        remarks=(*([Remark(NO_ORIGINAL)] if case.table is None else []), *remarks_of_manifest(copy.manifest or {})),
        judgement=Judgement(verdicts), quantities=QUANTITIES,
    )  # fmt: skip


# ---- what is read


def _case(copy: Copy, settings: Settings, progress: Progress) -> tuple[Case, Pairs]:
    """Read the release and its original, and match their rows."""
    options = ReadOptions(
        label=settings.label, positive=settings.positive, drop_null_labels=settings.drop_null_labels,
        delimiter=settings.delimiter, decimal=settings.decimal, no_header=settings.no_header, few_rows=True,
        labels_only=True, many_classes=True,
    )  # fmt: skip
    spec, manifest = _the_spec(settings) if settings.mechanism else None, copy.manifest
    original = _source(settings.original)
    names = () if original is None else publish.column_names(original, options)
    if manifest is not None:
        told = manifest["label"]
        if original is not None:
            publish.check_label(original, told["column"], options)
        group = manifest.get("people", {}).get("column")
        options = replace(
            options, label=settings.label or told["column"], positive=settings.positive or told.get("positive"),
            group=group if group in names else None,
        )  # fmt: skip
    table = None if original is None else read_table(original, options, progress)
    classes, label = ((), None) if table is None else (table.dataset.classes, table.dataset.label)
    how = received.options_of_release(options, manifest)
    try:
        found = received.read(copy, options, spec, tuple(classes), label)
    except Unclaimed:
        found = _hollow(copy, spec, manifest, tuple(classes), label)
        return Case(found, copy.table, how, (), None), [faults("values", 1, 0, found.mechanism.spec)]
    columns = tuple(name for name in publish.column_names(copy.table, how) if name not in found.columns)
    case, spec = Case(found, copy.table, how, columns, table), found.mechanism.spec
    if table is None:
        return case, [*_file(case)]
    if set(table.dataset.classes) != set(found.classes):
        return case, [faults("classes", 1, len(found.classes), spec)]
    n, rows = len(found.release.bag), len(table.labels)
    if found.mechanism.publishes is Published.ALONE:
        schema = faults("schema", len(columns), n, spec, next(iter(columns), ""))
        return case, [faults("rows", abs(rows - n), max(rows, n), spec), schema, *_file(case)]
    pseudonym = _pseudonym(manifest)
    beside = {*columns} - {pseudonym}
    wanted = {*names} - {label} if manifest is None else beside & {*names} - {label}
    wrong = sorted(wanted ^ beside)
    progress.stage("matching rows", None, "rows")
    match, edited = received.match_rows(original, table, copy, wanted & beside, options, settings.order)
    pairs = [
        faults("rows", match.strange, max(rows, n), spec, edited if match.strange and len(table.labels) == n else ""),
        faults("schema", len(wrong), n, spec, wrong[0] if wrong else ""),
    ]
    case = replace(case, match=match)
    if pseudonym is not None and table.groups is not None and not match.strange:
        pairs.append(faults("pseudonyms", _mixed_up(case, pseudonym, table.groups), n, spec))
    return case, [*pairs, *_file(case)]


def _pseudonym(manifest: Mapping[str, Any] | None) -> str | None:
    """Return the column of pseudonyms that a manifest tells of."""
    told = {} if manifest is None else manifest.get("people", {})
    return str(told.get("column")) if told.get("published") is True else None


def _mixed_up(case: Case, pseudonym: str, groups: Integers) -> int:
    """Count rows of people with several pseudonyms, or of pseudonyms with several people."""
    assert case.match is not None
    known = case.match.alone
    [number] = publish.read_numbers(case.place, [pseudonym], case.options)
    pairs = np.unique(np.stack([groups[case.match.row[known]], number[known]]), axis=1)
    others = len({*number.tolist()} ^ {*range(int(groups.max()) + 1)})  # numbers that say something beside who is who
    return others + int(sum(len(one) - len(np.unique(one)) for one in pairs))


def _the_spec(settings: Settings) -> str:
    if len(settings.mechanism) != 1:
        raise SpecError("a release has one mechanism", hint="--mechanism rr:epsilon=1")
    [one] = settings.mechanism
    return one if isinstance(one, str) else one.spec


def _source(original: Any) -> object:
    return os.fspath(original) if isinstance(original, os.PathLike) else original


def _hollow(
    place: Copy, spec: str | None, manifest: Mapping[str, Any] | None, classes: tuple[str, ...], label: str | None
) -> Received:
    """Of a file that holds something else than what is claimed: what is claimed."""
    if manifest is not None:
        classes, label = tuple(manifest["label"]["classes"]), str(manifest["label"]["column"])
    mechanism = received.parsed(str(spec), len(classes)) if manifest is None else received.claimed(manifest)
    columns = tuple(manifest["published"]["columns"]) if manifest is not None else (str(label),)
    nothing = Release(np.zeros(0, np.int64), np.zeros(0, np.int64))
    return Received(place.name, mechanism, classes, str(label), columns, nothing, manifest)


def _file(case: Case) -> Iterator[Any]:
    """What file and manifest say of the numbers of rows, and what the table of bags says of their sizes."""
    found, spec = case.found, case.found.mechanism.spec
    n = len(found.release.bag)
    if found.manifest is not None:
        yield faults("manifest-rows", int(found.manifest["table"].get("rows") != n), n, spec)
    if found.sizes is not None:
        there = np.bincount(found.release.bag, minlength=len(found.sizes))
        least = min(found.mechanism.bag, n)
        wrong = int(np.sum((there != found.sizes) | (there < least)))
        yield faults("bag-sizes", wrong, len(found.sizes), spec)
    if found.sizes is not None and found.manifest is not None:
        yield faults("bag-table", found.strange, len(found.sizes), spec)


# ---- the manifest


def _manifest(case: Case, settings: Settings, spec: str) -> Pairs:
    """What it says of the mechanism, computed again; and whether anybody could repeat the draw."""
    manifest, mechanism, classes = case.found.manifest, case.found.mechanism, len(case.found.classes)
    if manifest is None:
        return []
    release, said = case.found.release, manifest["guarantees"]
    known = (*mechanism.guarantees(classes), *mechanism.guarantees_of(release))
    insecure = manifest.get("randomness") != OPERATING_SYSTEM
    promised = [] if insecure else [{**asdict(one), "assumptions": [*one.assumptions, ALONE]} for one in known]
    untrue = mechanism.untrue(release)
    learner = received.learner_again(case.found)
    claims = {
        **received.told_of_mechanism(manifest, mechanism, learner),
        "published": (manifest["published"].get("as"), str(mechanism.publishes)),
        "positive": (manifest["label"].get("positive"), case.found.classes[1] if classes == 2 else None),
        "shuffled": (isinstance(manifest.get("shuffled"), bool), True),
        "sha256": (manifest["published"].get("sha256"), case.found.sha256),
    }
    claims |= _of_columns(case, manifest)
    told = {**KEYS, "learner": (*(learner or ()),)}
    strange = [
        key for part, keys in told.items() for key in (manifest.get(part, {}) if part else manifest) if key not in keys
    ]
    wrong = [*strange, *received.contradicted(claims)]
    return [
        faults("manifest", len(wrong), len(claims), spec, wrong[0] if wrong else ""),
        faults("guarantees", int(said != plain(promised)), max(1, len(promised)), spec),
        *([] if untrue is None else [faults("channels", int(np.sum(untrue)), len(untrue), spec)]),
        faults("randomness", int(insecure), 1, spec),
    ]


def _of_columns(case: Case, manifest: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return what the manifest says of columns and people, and beside it what is so."""
    told, pseudonym, table = manifest["table"], _pseudonym(manifest), case.table
    columns, unaudited, left_out = ({*told.get(name, ())} for name in ("columns", "unaudited", "not_published"))
    lists = [told.get(name, ()) for name in ("text", "unaudited", "not_published")]
    guide, linked = manifest.get("guide", {}), {pseudonym} - {None}
    others, before = guide.get("prior_from"), manifest.get("previous_releases", 0)
    claims: dict[str, tuple[Any, Any]] = {
        "columns": (sorted([*told.get("columns", ()), *linked]), sorted(case.columns)),
        "unaudited": (unaudited | {*told.get("text", ())} <= columns, True),
        "once": (all(len(one) == len({*one}) for one in lists), True),
        "tool": (manifest.get("tool", {}).get("name"), "labeldp-audit"),
        "version": (bool(re.fullmatch(r"[\w.+-]{1,40}", str(manifest.get("tool", {}).get("version")))), True),
        "guide": ({guide.get("cluster"), *guide.get("prior", ())} - {None} <= columns, True),
        "previous_releases": (type(before) is int and before >= 0, True),
    }
    if others is not None:  # counts of rows of another table
        counted = [type(others.get(name)) is int for name in ("rows", "left_out")]
        claims["prior_from"] = ([*counted, others.get("assumptions"), len(others)], [True, True, [OTHERS], 3])
    if table is None:
        return claims
    names = {column.name for column in table.dataset.columns}
    claims["not_published"] = (sorted(left_out), sorted(names - columns - linked - {table.dataset.label}))
    if (said := manifest.get("people")) is not None:
        insecure = manifest.get("randomness") != OPERATING_SYSTEM
        epsilon = None if insecure else case.found.mechanism.claim(len(case.found.classes))
        linked_rows = pseudonym is not None
        known = None if table.groups is None else people(said.get("column"), table.groups, epsilon, linked_rows)
        claims["people"] = (said, plain(known))
    return claims


# ---- labels


def _labels(case: Case, budget: Budget, progress: Progress) -> Pairs:
    found, spec = case.found, case.found.mechanism.spec
    pairs, impossible = list[Any](), found.mechanism.impossible(found.release)
    if impossible is not None:
        pairs.append(faults("range", impossible, len(found.release.bag), spec))
    if found.mechanism.predicts:
        pairs.append(faults("alike", _told_apart(case), len(found.release.bag), spec))
    truth = _truth_by_row(case)
    trials = _trials(case, truth)
    if trials is None:
        return pairs + verifying.judged([_not_known(verifying.CHANNEL, case)], spec, budget)
    channel, *others = verifying.of_trials(trials)
    tested = [channel if truth is None else verifying.with_alike(channel, _alike(case, truth)), *others]
    if found.mechanism.publishes is not Published.ALONE:
        tested.append(_features(case, trials, progress))
    tested += [*_order(case), *_counts(case, truth)]
    needed = case.table is not None and len(trials.said) > 0  # rows that repeat are tested by their counts
    pairs += verifying.judged(tested, spec, budget, needed=needed)
    labelled = _labelled(case, truth)
    if labelled is not None:
        pairs += verifying.limits_of_labels(
            labelled, found.mechanism.claim(labelled.classes), spec, budget, found.classes
        )
    return pairs


def _features(case: Case, trials: Trials, progress: Progress) -> verifying.Tested:
    """Of many channels or clusters, the first ones are looked at."""
    classes = max(trials.classes, 1)
    few = max(classes, min(len(trials.low), _FEATURE_KINDS) // classes * classes)
    some = replace(trials, low=trials.low[:few], high=trials.high[:few])
    outcome = np.full(len(case.found.release.bag), -1)
    outcome[trials.row] = np.where(trials.kind < few, trials.outcome, -1)
    found = compare.tallies(case.place, case.found.columns, case.options, outcome, some.outcomes, progress)
    return verifying.of_features(some, found)


def _order(case: Case) -> Iterator[verifying.Tested]:
    """Of rows that were shuffled, neither true labels nor published ones may hang on the place."""
    match, view = case.match, case.found.release.view
    shuffled = case.found.manifest is not None and case.found.manifest.get("shuffled") is True
    if match is None or case.table is None or not shuffled:
        return
    truth = np.where(match.row >= 0, _truth(case.table, case.found)[match.row], -1)
    labels = [view.astype(np.int64)] if case.found.mechanism.publishes is Published.LABELS else []
    yield verifying.of_order(np.where(match.alone, match.row, -1), len(match.row), truth, *labels)


def _alike(case: Case, truth: Integers) -> list[Tails]:
    """Of rows that are alike and have different labels: how many of a group are published with each label."""
    match, found = case.match, case.found
    told = None if match is None else found.mechanism.outcomes(found.release, len(found.classes), None)
    if match is None or told is None or told.drawn:
        return []
    mixed = np.flatnonzero(match.row < 0)
    first, group = np.unique(match.group[mixed], return_index=True, return_inverse=True)[1:]
    kind, many = told.kind[mixed], len(first)
    one_kind = np.bincount(group[kind != kind[first][group]], minlength=many) == 0  # who has which, nobody knows
    classes, outcomes = told.law.shape[1:]
    true, said = np.zeros((many, classes), np.int64), np.zeros((many, outcomes), np.int64)
    np.add.at(true, (group, truth[mixed]), 1)
    np.add.at(said, (group, told.said[mixed]), 1)
    looked = np.flatnonzero(one_kind)[: _ALIKE // outcomes]
    laws = told.law[kind[first]]
    tails = [
        [tails_of_count(said[g, s], true[g], laws[g, :, s]) for g in looked]
        for s in range(1 if outcomes == 2 else 0, outcomes) if len(looked)
    ]  # fmt: skip
    return [Tails(*np.array(one).T) for one in tails]


def _told_apart(case: Case) -> int:
    """Rows of which a model that sees features alone would say what it says of others, and the release does not."""
    alike, view = records(case.place, case.columns, case.options).hashes, case.found.release.view
    order = np.argsort(alike, kind="stable")
    starts = np.flatnonzero(np.diff(alike[order], prepend=~alike[order][:1]))
    apart = np.maximum.reduceat(view[order], starts) - np.minimum.reduceat(view[order], starts) > _ROUNDING
    return int(np.diff(np.append(starts, len(order)))[apart.any(axis=1)].sum())


def _counts(case: Case, truth: Integers | None) -> Iterator[verifying.Tested]:
    """That are told beside labels, or by them. Rows that are alike are in one cluster, whichever is which."""
    found = case.found
    many = len(found.release.bag)
    tails = found.mechanism.tails(found.release, np.zeros(many, np.int64) if truth is None else truth)
    if tails is None:
        return
    if truth is None:
        yield verifying.Tested(verifying.NOISE, None, many, reason=verifying.UNSEEN)
    else:
        yield verifying.Tested(verifying.NOISE, verifying.of_tails(tails), len(tails.at_most))


def _not_known(check: str, case: Case) -> verifying.Tested:
    return verifying.Tested(check, None, len(case.found.release.bag), reason="there is no known law to hold it against")


def _truth_by_row(case: Case) -> Integers | None:
    """(n,) true labels of the rows of the release; of rows that are alike those of any of them, each once."""
    if case.table is None:
        return None
    truth = _truth(case.table, case.found)
    return truth if case.match is None else truth[case.match.alike]


def _trials(case: Case, truth: Integers | None) -> Trials | None:
    """What was said of each record, if the law of that is known."""
    classes = len(case.found.classes)
    told = case.found.mechanism.outcomes(case.found.release, classes, truth)
    if told is None:
        return None
    if truth is None and not told.drawn:
        low, high = told.law.min(axis=1), told.law.max(axis=1)
        return Trials(told.kind, told.said, low, high, 0, np.arange(len(told.said)))
    return _of_known(case, told, np.zeros(len(told.said), np.int64) if truth is None else truth)


def _labelled(case: Case, truth: Integers | None) -> Trials | None:
    """The same by what is said of a record whatever its label is, where that is independent of others."""
    classes = len(case.found.classes)
    told = None if truth is None else case.found.mechanism.outcomes(case.found.release, classes, None)
    return None if told is None or truth is None or told.drawn else _of_known(case, told, truth)


def _of_known(case: Case, told: Outcomes, truth: Integers) -> Trials:
    """Without the original, records of a kind count as one class."""
    row = np.arange(len(truth))
    if case.row is not None:  # in the order in which labels were drawn, whatever the order of the release is
        row = np.argsort(case.row, kind="stable")
        row = row[case.row[row] >= 0]
    classes, law = told.law.shape[1], told.law.reshape(-1, told.law.shape[2])
    kind = (told.kind * classes + truth)[row]
    return Trials(kind, told.said[row], law, law, classes, row, told.stays, told.drawn)


def _truth(table: Table, found: Received) -> Integers:
    """(n,) true labels, as the manifest numbers its classes."""
    places = {name: code for code, name in enumerate(found.classes)}
    return np.array([places[name] for name in table.dataset.classes])[table.labels]


# ---- bags


def _bags(case: Case, budget: Budget, progress: Progress) -> Pairs:
    found, spec = case.found, case.found.mechanism.spec
    release, mechanism = found.release, found.mechanism
    size = np.bincount(release.bag, minlength=len(release.view))
    positives = None
    if case.table is not None and case.row is not None and np.all(case.row >= 0):
        positives = np.bincount(release.bag[_truth(case.table, found)[case.row] == 1], minlength=len(size))
    bags = Bagged(release.bag, size, release.view.astype(np.float64), positives)
    exact = mechanism.laplace == math.inf
    law = _law(mechanism)
    pairs: Pairs = []
    if exact:
        outside = (bags.published < 0) | (bags.published > size) | (bags.published != np.round(bags.published))
        pairs.append(faults("range", int(np.sum(outside)), len(size), spec))
        if positives is not None:
            pairs.append(faults("bag-counts", int(np.sum(bags.published != positives)), len(size), spec))
    elif law is not None and found.manifest is not None:
        pairs.append(faults("range", verifying.off_grid(bags.published, law), len(size), spec))
    unseen = verifying.UNSEEN if case.table is None else verifying.REPEATED
    tested = [*verifying.of_bags(bags, None if exact else law, unseen)]
    if not exact and law is None:
        tested.append(_not_known(verifying.NOISE, case))
    few = min(len(size), _FEATURE_BAGS)
    bag = np.minimum(release.bag, few)
    tallies = compare.tallies(case.place, found.columns, case.options, bag, few + 1, progress)
    tested.append(verifying.of_bag_features(bags, tallies))
    tested += _order(case)
    pairs += verifying.judged(tested, spec, budget, needed=case.table is not None)
    if positives is not None and not exact:
        pairs += verifying.limits_of_noise(bags, mechanism.claim(2), spec, budget)
    return pairs


def _law(mechanism: Mechanism) -> Callable[[Floats], Floats] | None:
    """P(noise <= z), where the mechanism says so."""
    if mechanism.noise_at_most(np.zeros(1)) is None:
        return None
    return lambda noise: np.asarray(mechanism.noise_at_most(noise), np.float64)


# ---- the report


def _dataset(case: Case, copy: Copy) -> Dataset:
    """Of the release: the counts of classes are what its reader can tell, so they say nothing new."""
    found, classes = case.found, case.found.classes
    n, view = len(found.release.bag), found.release.view
    match found.mechanism.publishes:
        case Published.LABELS | Published.ALONE:
            counts = np.bincount(view.astype(np.int64), minlength=len(classes))[: len(classes)].tolist()
        case Published.BAGS:
            positive = int(np.clip(round(float(view.astype(np.float64).sum())), 0, n))
            counts = [n - positive, positive]
        case _:
            upto = np.cumsum(view.sum(axis=0))  # soft labels are often shared by classes that are equally likely
            counts = np.diff(np.rint(upto / upto[-1] * n), prepend=0).astype(int).tolist() if n else []
    used = sum(counts)  # others publish no label
    return Dataset(
        name=found.name, sha256=publish.digest(copy.table, case.options),
        rows=max(n, 1), rows_used=max(used, 1), label=found.label,
        positive=classes[1] if len(classes) == 2 else None, classes=classes,
        class_counts=tuple(counts) if used else (1, *[0] * (len(classes) - 1)), columns=(),
    )  # fmt: skip


def _parameters(case: Case, settings: Settings) -> dict[str, object]:
    known: dict[str, object] = {"confidence": settings.confidence}
    if settings.mechanism:
        known["mechanism"] = [case.found.mechanism.spec]
    if settings.original is not None:
        original = settings.original
        known["original"] = Path(original).name if isinstance(original, str | os.PathLike) else "frame"
    if settings.drop_null_labels:
        known["drop_null_labels"] = True
    return known
