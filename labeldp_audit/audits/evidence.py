"""What every command that reads a table begins with: the table, and eta."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..bounds.certificates import repeated_rows
from ..core.errors import AuditError, DataError, SpecError
from ..core.eta import Eta
from ..core.policy import Policy
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.released import Released
from ..core.remark import BEATEN, CHOSEN, DOUBTS, FITTED_BEFORE, LEFT_OUT, MODEL_DOUBTS, UNBEATEN, Remark
from ..core.settings import Settings, smoothness
from ..core.table import Table, Twins
from ..data import (
    ReadOptions,
    one_of_each_person,
    probabilities_of_model,
    probabilities_of_rows,
    read_estimates,
    read_table,
    stamps,
    unchanged,
)
from ..estimators import Auto, Neighbors, challenger, named, supplied
from ..estimators.contract import Task, answer
from ..estimators.knn_trial import with_knn
from ..questions import releases
from ..questions.contract import Evidence
from ..questions.every import QUANTITIES
from . import doubts, graphs, received
from .received import Copy
from .release import MANIFEST, beside, options_of


def gather(
    data: object, settings: Settings, progress: Progress, *, halves: bool = True, many: bool = False,
    together: Callable[[Table], Table] | None = None,
) -> Evidence:  # fmt: skip
    """What questions are put to; arguments as below."""
    table, eta = read_and_estimate(data, settings, progress, halves=halves, many=many, together=together)
    return Evidence(table, eta, releases.wanted(settings, len(table.dataset.classes)), progress)


def read_and_estimate(
    data: object, settings: Settings, progress: Progress, *, halves: bool = False, many: bool = False,
    together: Callable[[Table], Table] | None = None,
) -> tuple[Table, Eta]:  # fmt: skip
    """halves: eta is also estimated without the labels of half of the rows. many: labels may have many classes.
    together: says which rows models are never to learn from and guess apart."""
    if settings.eta and settings.eta_file is not None:
        raise SpecError("--eta and --eta-file exclude each other")
    if settings.graph is not None and (settings.eta or settings.eta_file is not None):
        raise SpecError("--graph and given probabilities exclude each other")
    if not settings.released_table and (manifest := manifest_of_release(data, settings)):
        what = f"the table is a release, so its labels say nothing about the true ones: {manifest}"
        hint = "audit the original table, or attack ORIGINAL RELEASE; --released-table audits this one all the same"
        raise DataError(what, hint=hint)
    options = _read_options(settings, many)
    if settings.eta or settings.eta_file is not None:
        read = _supplied if settings.eta else _from_file
        task, eta = read(data, replace(options, featureless=True), settings, progress)
        _check_policy(settings.policy, task.table)
        return _challenged(task, with_knn(task, eta))
    smoothness(settings)  # refused if it is not understood
    estimator = named(settings.estimator).suited(settings)
    if settings.graph is not None and estimator not in (Auto(), Neighbors()):
        raise SpecError(f"--graph and --estimator {estimator.name} exclude each other")
    whole = read_table(data, options, progress)
    if settings.graph is not None:
        graph = graphs.graph_of_table(settings.graph, whole, settings)
        chosen = (Remark(CHOSEN, recall=graph.recall),) if not graph.about and graph.recall < 1 else ()
        estimator, whole = Neighbors(graph=graph), replace(whole, remarks=(*whole.remarks, *chosen))
    whole = whole if together is None else together(whole)
    _check_policy(settings.policy, whole)
    releases.wanted(settings, len(whole.dataset.classes))  # refused before anything is searched or learnt
    table = doubts.judging_rows(whole)
    if halves and settings.certify and table.told_apart:
        table = replace(table, twins=_twins(table, settings.seed))
    task = Task(whole, table, settings, progress, halves)
    eta, said = answer(estimator, task)
    eta = with_knn(task, eta)
    task = replace(task, table=replace(table, remarks=(*table.remarks, *said)))
    if settings.smoothness is not None or challenger.has_trees(estimator, eta):
        return doubts.with_order(task.table, eta), eta
    return _challenged(task, eta)


def build_graph(data: object, settings: Settings, progress: Progress) -> graphs.NeighborGraph:
    """Build the k-NN graph of a table, as it is read for estimates."""
    return graphs.build(read_table(data, _read_options(settings, many=True), progress), settings, progress)


def _read_options(settings: Settings, many: bool) -> ReadOptions:
    return ReadOptions(
        label=settings.label, positive=settings.positive, exclude=settings.exclude, categorical=settings.categorical,
        drop_null_labels=settings.drop_null_labels, delimiter=settings.delimiter, decimal=settings.decimal,
        no_header=settings.no_header, few_rows=settings.few_rows, group=settings.group, many_classes=many,
        repeats=settings.repeats, records=True, seed=settings.seed, rarer=_is_two_sided(settings),
    )  # fmt: skip


def _challenged(task: Task, eta: Eta) -> tuple[Table, Eta]:
    """Return the table that judges with what the challenger shows, where there are limits to refute, and eta."""
    table = task.table
    if not any(one.code in DOUBTS for one in table.remarks):
        known = tuple(one for one in table.remarks if one.code not in (BEATEN, UNBEATEN))  # a file may say it, too
        table = replace(table, remarks=(*known, challenger.challenge(task, eta)))
    refuted = eta.counts is None and any(one.code in MODEL_DOUBTS for one in table.remarks)
    return doubts.with_order(table, eta), replace(eta, refuted=eta.refuted or refuted)


def manifest_of_release(data: object, settings: Settings) -> str | None:
    """Return what names `data` as a release: the manifest beside it, or one in its folder with the digest of these
    labels, as of a release that was renamed or copied; None where nothing does."""
    if isinstance(data, Released):
        return "its manifest"
    files = [file.resolve() for file in stamps(data)]
    if known := next((one for one in (beside(file)[0] for file in files) if one.exists()), None):
        return known.name
    options = options_of(settings)
    for place in sorted({one for file in files for one in file.parent.glob(f"*{MANIFEST}")}):
        with suppress(AuditError):  # of another table, or no manifest of ours
            release, manifest = place.with_name(place.name.removesuffix(MANIFEST)), received.read_manifest(place)
            found = received.read(Copy(release.name, data, str(beside(release)[1]), manifest), options)
            if found.sha256 == manifest["published"].get("sha256"):
                return place.name
    return None


def _is_two_sided(settings: Settings) -> bool:
    """Check whether all that is asked treats two classes alike, so that either may be the positive one."""
    lines = () if settings.policy is None else settings.policy.lines
    known = (QUANTITIES.get(line.quantity) for line in lines)
    return not settings.eta and not any(one is not None and one.one_sided for one in known)


def _check_policy(policy: Policy | None, table: Table) -> None:
    """A line on what two classes alone have would be met after the audit, as not measured."""
    classes = len(table.dataset.classes)
    for line in () if policy is None or classes == 2 else policy.lines:
        known = QUANTITIES.get(line.quantity)
        if known is not None and known.two_classes:
            what = f"{line.quantity} exists for a label of two classes only, and this one has {classes}"
            raise SpecError(what, line.text, hint="--positive VALUE audits one class against the rest")


def _twins(table: Table, seed: int) -> Twins:
    """By features and by lot alone: labels are looked at once the pairs are drawn."""
    assert table.fingerprints is not None
    pairs = repeated_rows.drawn(table.fingerprints, for_audit(seed, "pairs of equal rows"))
    return Twins(len(pairs.first), pairs.differ(table.labels))


# ---- eta that was estimated elsewhere


def _supplied(data: object, options: ReadOptions, settings: Settings, progress: Progress) -> tuple[Task, Eta]:
    """The publisher's own model, taken at its word: counts of nothing stand behind it. Columns of the table, an array,
    or a model that is asked now."""
    for name in ("smoothness", "k", "queries"):
        if getattr(settings, name) is not None:
            raise SpecError(f"--{name} is about neighbourhoods, and --eta does without")
    source = settings.eta
    if isinstance(source, tuple):
        whole = read_table(data, replace(options, eta=source), progress)
    else:
        with unchanged(data):
            whole = read_table(data, options, progress)
            if isinstance(source, supplied.Values):
                said = probabilities_of_rows(source.values, whole, data)
            else:
                said = probabilities_of_model(data, source.features, source.classes, source.predict, whole, options)
        if not isinstance(source, supplied.Values):
            known = Remark(FITTED_BEFORE, model=source.name)
            whole = replace(whole, remarks=(*whole.remarks, known))
        whole = replace(whole, given=said)
    table = doubts.judging_rows(whole)
    assert table.given is not None
    task = Task(whole, supplied.warned(table, settings), settings, progress)
    return task, supplied.as_given(table, table.given)


def _from_file(data: object, options: ReadOptions, settings: Settings, progress: Progress) -> tuple[Task, Eta]:
    """What estimate-eta wrote for this very table."""
    file = str(settings.eta_file)
    columns, facts = read_estimates(file)
    said = supplied.checked(columns, facts, file)
    supplied.check_asked(said, settings, file)
    asked: Mapping[str, Any] = said.asked
    codes = {one.code for one in said.remarks}
    copies = LEFT_OUT in codes
    exclude, categorical = (tuple(asked.get(name, ())) for name in ("exclude", "categorical"))
    options = replace(
        options, records=copies, group=asked.get("group"), seed=said.seed, exclude=exclude, categorical=categorical,
        repeats=asked.get("repeats"),
    )  # fmt: skip
    whole = read_table(data, options, progress)
    supplied.check_same(said, whole.dataset, file)
    # Estimators that read no columns cannot know which text they could not read.
    doubted = tuple(one for one in whole.remarks if one.code in DOUBTS and one.code not in codes)
    if not copies:
        whole = replace(whole, judges=one_of_each_person(whole, said.seed))
    table = doubts.judging_rows(whole)
    eta = supplied.eta_of_rows(columns, said, table, file)
    drawn = replace(settings, seed=said.seed, queries=asked.get("queries"))
    task = Task(whole, table, drawn, progress)
    table = replace(table, dataset=replace(table.dataset, columns=said.columns), remarks=(*doubted, *said.remarks))
    if settings.smoothness is not None and not eta.exact:
        raise SpecError("--smoothness needs an exact search", file, hint="estimate-eta --recall 1")
    return replace(task, table=replace(table, twins=said.twins, groups=None)), eta
