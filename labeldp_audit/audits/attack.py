"""attack: attackers are played against one release of a table, and judged by the true labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..attacks import ATTACKS, Attack, Features, FeaturesAlone, Guesses, Seen
from ..attacks.contract import posterior
from ..core.arrays import Floats, Integers
from ..core.budget import PRIOR_SHARE
from ..core.errors import DataError, SpecError
from ..core.eta import Eta
from ..core.finding import Finding, Knows
from ..core.mechanism import Mechanism, Published
from ..core.progress import Progress
from ..core.randomness import for_audit
from ..core.release import Release
from ..core.remark import UNAUDITED, Remark
from ..core.report import ATTACKERS, RELEASE, Report
from ..core.settings import Settings
from ..core.table import Table
from ..data import publish, read_table, unchanged
from ..engines.machine import available_cores
from ..engines.threads import one_blas_thread
from ..estimators import ESTIMATORS, crossfit, matrix, selection, supplied
from ..estimators.boosted import Boosted
from ..estimators.contract import Learner
from ..measures import guess
from ..questions import attacked, guessing
from ..questions.attacked import Played, Trial
from ..questions.contract import Evidence, Question
from ..questions.guessing import Payoffs
from ..questions.quantities import ADVANTAGES, OF_ATTACKS
from . import received, reporting, run
from .evidence import gather
from .received import Received
from .release import FEWEST_UNIQUE, options_of, remarks_of_manifest

ORDER_HINT = "--order FILE, the key that `release --order FILE` writes, tells which row is which"
MOST_LEARNT = 200_000  # records that models of attackers learn from and are judged on
_FEWEST_BAGS = 50  # from which on folds are made of whole bags
_FEWEST_UNITS = 4  # from which on there are two folds
_PREDICTED = ("uninformed_utility", "informed_utility", "advantage")
_OF_ADVANTAGE = {one.name for one in ADVANTAGES.quantities}
Columns = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Target:
    """A table and its release, row by row."""

    table: Table  # all rows that have a label; no features
    received: Received
    release: Release  # in the order of these rows; of rows that are alike, any stands for any
    bags: bool
    known: npt.NDArray[np.bool_]  # (n,) which of these rows are surely known in the release: the others are not judged

    @property
    def together(self) -> Integers | None:
        """(n,) of records that readers weigh together."""
        return self.received.mechanism.joined(self.release)

    @property
    def numbers(self) -> Integers:
        """Of its rows in the file."""
        return self.table.numbers


@one_blas_thread()
def attack(data: object, settings: Settings, progress: Progress) -> tuple[Report, supplied.Rows]:
    """The report, and what attackers made of each record."""
    asked = _asked(settings)
    if isinstance(data, str) and data == "-":
        raise SpecError("the table is read several times, which standard input cannot be", hint="write it to a file")
    with unchanged(data, *received.files_of(settings.release)):
        return _attacked(asked, data, _of_manifest(data, settings), progress)


def _attacked(
    asked: list[Attack], data: object, settings: Settings, progress: Progress
) -> tuple[Report, supplied.Rows]:
    target = _matched(data, settings, progress)
    mechanism = target.received.mechanism
    own = settings.guess
    settings = replace(settings, mechanism=(mechanism,), exclude=(*settings.exclude, *([own] if own else [])))
    supplied_eta = bool(settings.eta) or settings.eta_file is not None
    if target.together is not None and settings.queries is None and not supplied_eta:
        settings = replace(settings, queries=0)  # who is not asked is a member of a bag or cluster all the same
    evidence = gather(data, settings, progress, many=True, together=_bags_together(target))
    place = np.searchsorted(target.numbers, evidence.table.numbers[evidence.eta.rows])
    evidence, believed = _judged_rows(replace(evidence, alone=True), target), replace(evidence.eta, rows=place)
    played, said, rows = _played(asked, target, evidence, believed, _guesses(data, target, settings), settings)
    question = Question(
        "attack", OF_ATTACKS, lambda classes: True,
        lambda evidence, settings, budget: attacked.answer(played, predicted(), evidence, settings, budget),
    )  # fmt: skip
    found: list[Finding] = []

    def predicted() -> Finding | None:
        """As the first question answered."""
        return next((one for one in found if one.quantity == "advantage" and one.mechanism is not None), None)

    for one in run.put(evidence, [ADVANTAGES, question], settings):
        if one.quantity not in _OF_ADVANTAGE or one.quantity in _PREDICTED:
            found.append(one)
    table = replace(
        evidence.table, remarks=(
            *evidence.table.remarks, *said, *_disagreement(found, bool(mechanism.judged_as)),
            *(one for one in remarks_of_manifest(target.received.manifest or {}) if one.code != UNAUDITED),
            *_unread(target, settings),
        ),
    )  # fmt: skip
    more = {RELEASE: target.received.name, ATTACKERS: [one.attack.name for one in played]}
    if settings.guess:
        more["guess"] = settings.guess
    report = reporting.build("attack", replace(evidence, table=table), settings, found, more)
    return report, supplied.Rows(rows, {})


def _unread(target: Target, settings: Settings) -> Iterator[Remark]:
    """Columns of the release that the attackers do not read."""
    published = (target.received.manifest or {}).get("table", {}).get("columns", ())
    if unread := [name for name in settings.exclude if name in published and name != settings.guess]:
        yield Remark("published-columns-unread", columns=unread)


def _asked(settings: Settings) -> list[Attack]:
    """Those named, beside the baseline; nothing where none are."""
    if settings.release is None:
        raise SpecError("which release?", "release", hint="the file that `release` wrote")
    if len(settings.mechanism) > 1:
        raise SpecError("a release has one mechanism", "mechanism")
    named = [one for name in settings.attacker for one in ATTACKS.parse(name)]
    return list({one.name: one for one in (FeaturesAlone(), *named)}.values()) if named else []


def _of_manifest(data: object, settings: Settings) -> Settings:
    """Which column the label is, what of it is positive, and whose row it is, where the manifest says so."""
    known = received.copy_of(settings.release, _spec(settings)).manifest
    if known is None:
        return settings
    label, people = known["label"], known.get("people", {})
    publish.check_label(data, label["column"], options_of(settings))
    named = people.get("column")
    group = settings.group or (None if named is None else str(named))
    hidden, unaudited = (known["table"].get(name) or () for name in ("not_published", "unaudited"))
    if known["published"].get("as") == Published.ALONE:  # all features are, and are known from elsewhere
        hidden = ()
    read = {group, *unaudited, *(settings.eta if isinstance(settings.eta, tuple) else ())}
    exclude = tuple(dict.fromkeys(name for name in (*settings.exclude, *map(str, hidden)) if name not in read))
    positive = settings.positive or label.get("positive")
    label_column = settings.label or str(label["column"])
    return replace(settings, label=label_column, positive=positive, group=group, exclude=exclude)


# ---- the release, row by row


def _matched(data: object, settings: Settings, progress: Progress) -> Target:
    options = options_of(settings)
    table = read_table(data, options, progress)
    dataset, spec = table.dataset, _spec(settings)
    copy = received.copy_of(settings.release, spec)
    got = received.read(copy, options, spec, dataset.classes, dataset.label)
    if got.mechanism.publishes is Published.LABELS and got.mechanism.needs and got.release.group is None:
        what = f"how {got.mechanism.name} drew each label is said in its manifest alone"
        raise DataError(what, got.name, hint="--mechanism says it of mechanisms that treat all rows alike, such as rr")
    if got.label != dataset.label or tuple(got.classes) != tuple(dataset.classes):
        both = (dataset.label, dataset.classes), (got.label, got.classes)
        ours, theirs = (f"{name} ({', '.join(known)})" for name, known in both)
        raise DataError(f"the release is of another label: {theirs}, and the table has {ours}", got.name)
    _check_manifest(got)
    n = len(table.labels)
    if len(got.release.bag) != n:
        raise DataError(f"the release has {len(got.release.bag):,} rows and the table {n:,}", got.name)
    if got.mechanism.publishes is Published.ALONE:  # any order is as good as another
        return Target(table, got, got.release, bags=False, known=np.ones(n, bool))
    people, how = (got.manifest or {}).get("people", {}), received.options_of_release(options, got.manifest)
    shared = {*publish.column_names(data, options)} & {*publish.column_names(copy.table, how)}
    shared -= {got.label, *got.columns, people.get("column")}
    found = received.match_rows(data, table, copy, shared, options, settings.order)[0]
    if found.strange:
        raise DataError("the release is of another table: its other columns differ", got.name)
    bags, place = got.mechanism.publishes is Published.BAGS, np.empty(n, np.int64)
    place[found.alike] = np.arange(n)
    known = np.ones(n, bool) if np.all(found.row >= 0) else found.alone[place]  # or rows that are alike have one label
    if not known.all() and bags:
        what = "not measured: several rows have the same features, and nothing says which of them is in which bag"
        raise DataError(what, got.name, hint=ORDER_HINT)
    if not known.all() and known.sum() < FEWEST_UNIQUE:
        raise _too_few(int(known.sum()), got)
    release = _in_order(got, place)
    if got.sizes is not None and not np.array_equal(np.bincount(release.bag, minlength=len(release.view)), got.sizes):
        raise DataError("bags do not have as many rows as their table says", got.name)
    return Target(table, got, release, bags, known)


def _check_manifest(got: Received) -> None:
    """Refuses one that names another mechanism than the rest of it describes: attackers believe the name."""
    if got.manifest is None:
        return
    told = received.told_of_mechanism(got.manifest, got.mechanism, received.learner_again(got))
    if wrong := received.contradicted(told):
        what = f"the manifest contradicts itself: what it says of {wrong[0]!r} does not fit {got.mechanism.spec}"
        raise DataError(what, got.name, hint="verify says more; --mechanism SPEC stands in for a manifest")


def _spec(settings: Settings) -> str | None:
    """What stands in for a manifest."""
    one: str | Mechanism | None = settings.mechanism[0] if settings.mechanism else None
    return one if isinstance(one, str) or one is None else one.spec


def _in_order(got: Received, order: Integers) -> Release:
    """Bags keep what is said of them; what is said of records follows them."""
    known = got.release
    group = None if known.group is None else known.group[order]
    if got.mechanism.publishes is Published.BAGS:
        return replace(known, bag=known.bag[order], group=group)
    return replace(known, view=known.view[order], bag=np.arange(len(order)), group=group)


def _judged_rows(evidence: Evidence, target: Target) -> Evidence:
    """Return the evidence about a table of those rows alone that are surely known in the release."""
    if target.known.all():
        return evidence
    table, eta = evidence.table, evidence.eta
    known = target.known[np.searchsorted(target.numbers, table.numbers)]
    rows, asked = np.flatnonzero(known), known[eta.rows]
    if asked.sum() < FEWEST_UNIQUE:
        raise _too_few(int(asked.sum()), target.received)
    remark = Remark("attack-of-unique-rows", rows=len(rows), of=len(known))
    table = replace(table, remarks=(*table.remarks, remark)).at(rows)
    eta = replace(eta.at(asked), rows=np.searchsorted(rows, eta.rows[asked]), n=len(rows))
    return replace(evidence, table=table, eta=eta)


def _too_few(known: int, got: Received) -> DataError:
    what = f"not measured: {known:,} rows can be told apart by their features, and {FEWEST_UNIQUE} are needed"
    return DataError(what, got.name, hint=ORDER_HINT)


def _bags_together(target: Target) -> Callable[[Table], Table]:
    """Folds are made of whole bags, so that no model that guesses a member of one has seen a label of it."""

    def together(whole: Table) -> Table:
        if not target.bags or whole.groups is not None or len(target.release.view) < _FEWEST_BAGS:
            return whole
        bag = target.release.bag[np.searchsorted(target.numbers, whole.numbers)]
        return replace(whole, groups=np.unique(bag, return_inverse=True)[1].reshape(-1))

    return together


def _guesses(data: object, target: Target, settings: Settings) -> Integers | None:
    """The user's own, by class; what names none of them is wrong."""
    if settings.guess is None:
        return None
    options = replace(options_of(settings), label=None, positive=None, group=None)
    codes, texts = publish.read_texts(data, settings.guess, options)
    classes = target.table.dataset.classes
    places = np.array([*(classes.index(text) if text in classes else -1 for text in texts), -1])
    found = places[codes][target.numbers]
    if np.all(found < 0):
        raise DataError(f"no guess is one of {', '.join(classes)}", f"column {settings.guess}")
    return np.asarray(found)


# ---- attackers are played


@dataclass(frozen=True)
class Ground:
    """Records that attackers see, and who of them is judged."""

    seen: Seen
    records: Integers  # rows of the table
    judged: Integers  # places among them
    part: Integers  # of those judged: guesses of a part are made without its labels
    fold: Integers  # the same for guesses from features alone, whose units are records
    unit: Integers | None  # (records,) of those that readers weigh together; None: each alone
    choices: int
    fixed: bool  # whether labels of a bag repel each other, given what is published
    assumptions: tuple[str, ...] = ()

    def play(self, attack: Attack, payoffs: Payoffs, baseline: Guesses | None) -> Played:
        made = attack.read(self.seen).at(self.judged)
        unit = None if self.unit is None else self.unit[self.judged]
        labels = self.seen.labels[self.judged]
        fixed = self.fixed and attack.knows is not Knows.LABELS
        trial = Trial(labels, self.part, unit, payoffs, self.choices, fixed, self.assumptions)
        if attack.knows is Knows.FEATURES:
            trial = Trial(labels, self.fold, None, payoffs, self.choices)
        return Played(attack, made, trial, made if baseline is None else baseline)

    def guessed_from_features(self) -> Guesses:
        return FeaturesAlone().read(self.seen).at(self.judged)


def _played(
    asked: Sequence[Attack], target: Target, evidence: Evidence, believed: Eta, own: Integers | None,
    settings: Settings,
) -> tuple[list[Played], list[Remark], Columns]:  # fmt: skip
    """Who was played, what has to be said about it, and what attackers made of each record. believed: of all records
    that were asked, also of those that are not judged; its rows are those of the target."""
    table, eta = evidence.table, evidence.eta
    payoffs = guessing.payoffs_of(table, settings, PRIOR_SHARE * (1 - settings.confidence) / 2)
    ground = _ground(target, table, eta, believed, payoffs, own, settings.group is None)
    everybody = len(ground.records)
    left = 0 if target.together is None else everybody - len(believed.rows)
    said = [Remark("members-not-guessed", rows=left, of=everybody)] if left else []
    if not target.received.mechanism.law_known:
        said.append(Remark("law-unknown", mechanism=target.received.mechanism.name))
    attacks, found = list(asked) or [kind() for kind in ATTACKS], list[Played]()
    taught = _taught(ground, table, eta, settings) if any(one.learns for one in attacks) else None
    evidence.progress.stage("playing attackers", len(attacks), "")
    rows: Columns = {"row": target.numbers[ground.records[ground.judged]] + 1}
    for one in attacks:
        there = taught if one.learns and taught is not None else ground
        if reason := one.unfit(there.seen):
            if asked:
                raise SpecError(f"{one.name} cannot be played: {reason}", "attacker")
            continue
        baseline = None if isinstance(one, FeaturesAlone) else there.guessed_from_features()
        found.append(there.play(one, payoffs, baseline))
        if len(there.records) < everybody:
            said.append(Remark("attacker-learnt-from-some", attacker=one.name, rows=len(there.records), of=everybody))
        else:
            rows |= _columns(found[-1], table.dataset.classes)
        evidence.progress.advance(1)
    return found, said, rows


def _columns(one: Played, classes: Sequence[str]) -> Columns:
    """What an attacker made of each record: his guess, and what he believed of the true label."""
    names = np.array([*classes, ""], object)
    found: Columns = {f"guess_{one.attack.name}": names[one.guesses.guess]}
    if one.guesses.belief is not None:
        labels = one.trial.labels
        found[f"posterior_{one.attack.name}"] = posterior(one.guesses.belief)[np.arange(len(labels)), labels]
    return found


def _ground(
    target: Target, table: Table, eta: Eta, believed: Eta, payoffs: Payoffs, own: Integers | None, alone: bool
) -> Ground:  # fmt: skip
    """Of bags and clusters all members, of records those that were asked. alone: whether each is somebody else's, whose
    label hangs on no other."""
    place, everyone = np.searchsorted(target.numbers, table.numbers[eta.rows]), believed.rows
    together, everybody = target.together, np.arange(len(target.table.labels))
    records, judged = (place, np.arange(len(place))) if together is None else (everybody, place)
    whole = np.tile(np.asarray(table.dataset.prior), (len(target.table.labels), 1))
    whole[everyone] = believed.probability if believed.unseen is None else believed.unseen
    whole = whole[records]
    part = np.zeros(len(judged), np.int64) if eta.part is None else eta.part.astype(np.int64)
    fold, paid = part, np.ones(whole.shape)
    if not payoffs.alike:  # shares of the classes come from what is believed of a part, too
        for one in np.unique(part):
            mine = judged[part == one]
            paid[mine] = guess.balanced(whole[mine].mean(axis=0).clip(1e-300).tolist())
    release, assumed = target.release, tuple[str, ...]()
    if together is None:
        group = None if release.group is None else release.group[place]
        release = replace(release, view=release.view[place], bag=np.arange(len(place)), group=group)
    elif _split(together[judged], part):
        part, assumed = np.zeros(len(judged), np.int64), (attacked.MATES,)
    mine = None if own is None else own[records]
    seen = Seen(target.received.mechanism, release, whole, paid, target.table.labels[records], supplied=mine)
    return Ground(
        seen, records, judged, part, fold, together, eta.choices, target.received.mechanism.repels and alone, assumed
    )


def _split(bag: Integers, part: Integers) -> bool:
    """Are members of one bag or cluster in different parts?"""
    first = np.full(int(bag.max()) + 1, -1)
    first[bag] = part
    return bool(np.any(first[bag] != part))


def _taught(ground: Ground, table: Table, eta: Eta, settings: Settings) -> Ground | None:
    """The same for attackers who learn: whole bags, folds of them, and no more than models can learn from in time."""
    units = len(ground.seen.release.view)
    if table.columns is None or len(ground.judged) < len(ground.records) or units < _FEWEST_UNITS:
        return None
    seen, rows = ground.seen, np.arange(len(ground.records))
    if len(rows) > MOST_LEARNT:
        bags = len(seen.release.view)
        drawn = for_audit(settings.seed, "attackers learn").random(bags) < MOST_LEARNT / len(rows)
        rows = np.flatnonzero(drawn[seen.release.bag])
        seen = seen.records(rows)
    fold = np.unique(_by_place(ground)[rows], return_inverse=True)[1].reshape(-1)
    if fold.max(initial=0) == 0:
        fold = selection.folds_of(np.unique(seen.release.bag, return_inverse=True)[1].reshape(-1), settings.seed)
    where = np.empty(len(ground.records), np.int64)
    where[ground.judged] = eta.rows
    features = _features(table, where[rows], seen.release.bag, fold, eta.estimator, settings)
    part = fold if ground.part.max(initial=0) == 0 else ground.part[np.argsort(ground.judged)][rows]
    unit = None if ground.unit is None else ground.unit[rows]
    return replace(ground, seen=replace(seen, features=features), records=ground.records[rows],
                   judged=np.arange(len(rows)), part=part, unit=unit)  # fmt: skip


def _by_place(ground: Ground) -> Integers:
    found = np.empty(len(ground.records), np.int64)
    found[ground.judged] = ground.part
    return found


def _features(
    table: Table, rows: Integers, bag: Integers, fold: Integers, estimator: str, settings: Settings
) -> Features:
    """rows: of the table."""
    columns = table.columns
    assert columns is not None
    learner = _learner(estimator)

    def learn(said: Integers, outputs: int) -> Floats:
        labels = np.zeros(len(table.labels), np.uint8)
        labels[rows] = said
        order = np.argsort(rows)
        people = np.unique(bag[order], return_inverse=True)[1].reshape(-1)
        assert table.fingerprints is not None
        found = crossfit.scores(
            (learner,), columns, labels, outputs, rows=rows[order], folds=fold[order], people=people,
            same=np.unique(table.fingerprints, return_inverse=True)[1].reshape(-1), seed=settings.seed,
            each=map, threads=settings.threads or available_cores(),
            note=lambda rows: None,
        )[learner.name]  # fmt: skip
        back = np.empty_like(found)
        back[order] = found
        return back

    return Features(lambda: matrix.of_rows(columns, rows, settings.seed), learn, fold)


def _learner(estimator: str) -> Learner:
    """Of the kind that told most of the true labels; of what learns nothing, trees."""
    if estimator in ESTIMATORS.names():  # a file of estimates may say anything else, and nothing of it is imported
        with suppress(SpecError):  # it may want more than its name
            [known] = ESTIMATORS.parse(estimator)
            if isinstance(known, Learner):
                return known
    return Boosted()


# ---- what comes of it


def _disagreement(found: Sequence[Finding], at_most: bool) -> Iterator[Remark]:
    """at_most: whether the prediction is that of the worst mechanism of that epsilon."""
    for one in found:
        if one.quantity == "attack_excess" and one.bound.low is not None and one.bound.low > 0:
            yield Remark("attack-gained-more")
        if one.quantity == "attack_excess" and one.bound.high is not None and one.bound.high < 0 and not at_most:
            yield Remark("attack-gained-less")
