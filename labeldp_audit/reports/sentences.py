"""The sentence of each code: what was noticed, for readers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from ..core.quoting import argument, listed, shown
from ..core.remark import (
    BEATEN,
    FITTED_BEFORE,
    LEFT_OUT,
    MISCALIBRATED,
    NO_ORIGINAL,
    NOT_JUDGED,
    ONE_EACH,
    ORDER_KEPT,
    ORDER_TELLS,
    PEOPLE_LINKED,
    RARER,
    REFUTED,
    SPELLED_ALIKE,
    UNANSWERED,
    UNAUDITED,
    UNBEATEN,
    UNLIKE,
    UNPUBLISHED,
    UNREADABLE,
    Remark,
)
from ..core.report import Report
from . import found, words
from .formats.spelling import count

FAULTS = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
_FEW_ROWS = 2_000
_SAID_ELSEWHERE = (NOT_JUDGED, UNBEATEN, "no-strength-passes", RARER)  # in the answer or on the first line


def warnings(report: Report, before: Iterable[Remark] = ()) -> tuple[str, ...]:
    """Return a sentence for each remark that warns, in their order. before: remarks to leave out."""
    return tuple(sentence(one) for one in report.remarks if one.code != UNBEATEN and one not in before)


def for_people(report: Report) -> list[str]:
    """The same, but mechanisms without an answer to a question about them stand first, and share a line where the
    reason is the same."""
    unjudged: dict[str, dict[str, None]] = {}
    for one in report.findings:
        asked = one.quantity in (found.J, found.WORST, found.ADDED) and one.mechanism is not None
        if asked and one.bound.estimate is None and one.bound.reason:
            unjudged.setdefault(one.bound.reason, {})[one.mechanism or ""] = None
    said = [f"not judged: {words.listed([*names], 2)}: {reason}" for reason, names in unjudged.items()]
    said += [sentence(one) for one in report.remarks if one.code not in _SAID_ELSEWHERE]
    rows = report.dataset.rows_used
    few = f"{count(rows)} rows are few: low and high lie far apart; more rows narrow them"
    return [*said, few] if rows < _FEW_ROWS else said


def sentence(remark: Remark) -> str:
    try:
        return _written(remark)
    except FAULTS:  # a file that says so was sealed by somebody else
        return f"{remark.code}, of which the values cannot be read"


def check(remarks: Iterable[Remark]) -> None:
    """One of `FAULTS` where values do not belong to their code."""
    for one in remarks:
        _written(one)


def _written(remark: Remark) -> str:
    return _WRITER.format(SENTENCES.get(remark.code, "{text}"), **{"text": remark.code, **remark.values})


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


class _Writer(Formatter):
    def format_field(self, value: Any, form: str) -> str:
        return _FORMS[form](value) if form in _FORMS else str(super().format_field(value, form))


_WRITER = _Writer()
_FORMS: Mapping[str, Callable[[Any], str]] = {
    "shown": shown, "argument": argument, "listed": listed,
    "few": _few,
    "few mechanisms": lambda names: _few(names) if len(names) == 1 else f"{len(names)} mechanisms ({_few(names)})",
    "every": lambda but: f"every column but {but}" if but else "every column",
    "least": lambda share: f"{math.floor(1000 * share) / 1000:.3f}",
    "percent": lambda share: f"{100 * share:g} %",
}  # fmt: skip

SENTENCES: Mapping[str, str] = {
    # ---- rows
    UNANSWERED: (
        "{rows:,} of {of:,} rows with the label {label} repeat others in {but:every}, more than coincidence explains: "
        "no limit is given until you say what they are, --repeats copies (the same record twice) or --repeats people "
        "(different people who look alike); estimates are of one row of each record"
    ),
    REFUTED: (
        "{rows:,} of {of:,} rows with the label {label} repeat others in {but:every}, in numbers that independent "
        "people do not come in, as if the table or a part of it was written several times: limits do not hold, "
        "whatever --repeats people says; a design that asks each point equally often looks so as well, and its rows "
        "are no independent draws: limits for people at large do not hold then either"
    ),
    ORDER_TELLS: (
        "the order of the rows tells labels, as in a table that was sorted by them: labels of rows that follow one "
        "another are as like, beyond their features, as correlation {like:.2f} makes them. Whoever reads a release in "
        "that order learns more than any number here says, so no limit is given: put the rows into a random order, "
        "and audit that table (`release` shuffles by itself)"
    ),
    "order-may-tell-labels": (
        "labels of rows that follow one another are alike, with correlation {like:.2f}, as in a table that was sorted "
        "by them: unless features say the same, the order of the rows tells labels whatever the noise is; without "
        "--keep-order they are shuffled"
    ),
    LEFT_OUT: "{rows:,} of {of:,} rows repeat others in {but:every} and were left out: one of each record was kept",
    FITTED_BEFORE: (
        "eta is what {model} says, which was fitted before, to unknown rows, and may know these labels: no "
        "limit is given; hand in its probabilities as an array (eta=clf.predict_proba(X)) to say that it has not seen "
        "them, or a classifier that is not fitted, which is fitted here and scores no row that it learnt from"
    ),
    ONE_EACH: (
        "{rows:,} rows belong to {people:,} people: every number is about one row of each, drawn by lot; models learn "
        "from all rows of other people"
    ),
    UNAUDITED: (
        "published without an audit, as --keep asks: {columns:listed}; what they tell about labels is in no number"
    ),
    PEOPLE_LINKED: (
        "the release says which rows are of one person, up to {most:,} of each: it spends that many times the epsilon "
        "of a row, and no limit about single rows is given"
    ),
    ORDER_KEPT: (
        "the rows of the release are in the order of the original: anybody who knows how that came about may learn "
        "labels from it, and no number here counts that; without --keep-order they are shuffled"
    ),
    "key-needed": (
        "rows have the same features, so only the key to the order says which is which: `attack`, and `verify` of "
        "bags, will need it; release with --order FILE to keep it"
    ),
    "published-columns-unread": (
        "the release publishes columns that these attackers do not read: {columns:listed}; a real attacker does"
    ),
    "released-before": (
        "releases of as many rows with the same columns in that folder: {releases:,}; if the rows are the same, what "
        "they tell adds up, as epsilons do; releases elsewhere cannot be seen"
    ),
    RARER: (
        "{positive:shown} is taken as the positive class of the label {label:shown}, as it is the rarer one; "
        "--positive names another"
    ),
    NO_ORIGINAL: (
        "without the original nothing shows how labels were changed: what holds is that file and manifest agree; "
        "--original DATA checks the noise"
    ),
    UNREADABLE: (
        "no model can read {columns:listed}: free text in which fewer than one row in twenty shares a word with ten "
        "others, so no limit is given; leave the column out of the release (--exclude)"
    ),
    "labels-missing": "rows without a label, dropped: {rows:,}",
    SPELLED_ALIKE: (
        "labels that differ in spelling alone count as different classes: {labels:listed}; write them in one way if "
        "they mean the same"
    ),
    "rows-asked": "{rows:,} of {of:,} rows, drawn uniformly, were asked; --queries all asks every row",
    "rows-learnt": "{rows:,} of {of:,} rows, drawn uniformly, were learnt from and scored",
    # ---- columns
    UNPUBLISHED: "not judged, so not to be published: {columns:few}",
    "columns-constant": "constant, so dropped: {columns:listed}",
    "columns-with-values-far-out": (
        "a few values lie thousands of times as far out as most: {columns:listed}; empty their cells if they are codes "
        "for missing values: distances (knn) hardly see the others"
    ),
    "columns-mostly-missing": ("mostly missing and still a feature: {columns:listed}; --exclude what is not published"),
    "columns-that-may-name-people": (
        "--group COLUMN if one of these names people: {columns:listed}, named like identifiers whose values repeat; "
        "--categorical those of codes, --exclude others"
    ),
    "group-names-tell-labels": (
        "what column {column:shown} calls people tells their labels: parts of it guess {right:.0%} right, each class "
        "counted alike, and chance {chance:.0%}; do not publish it"
    ),
    "columns-named-like-identifiers": (
        "named like identifiers: {columns:listed}; --categorical those of codes, --exclude those that name anything"
    ),
    "text-looks-like-identifier": (
        "column {column:shown} looks like an identifier; --exclude {column:argument} if it is"
    ),
    "number-differs-in-each-row": (
        "column {column:shown} has a number of its own in nearly every row; --exclude {column:argument} if it is an "
        "identifier"
    ),
    "identifiers-guide-release": (
        "look like identifiers, and are published: {columns:listed}; leave them out of the table if they name people. "
        "--exclude them, and what is released is not guided by them: they spoil clusters and models"
    ),
    "numbers-look-like-codes": (
        "few whole numbers, far apart, read as amounts: {columns:listed}; --categorical if they are codes"
    ),
    "text-of-decimal-commas": (
        "text that looks like numbers with decimal commas: {columns:listed}; --decimal , reads them if all are"
    ),
    "text-of-numbers": ("text that looks like numbers: {columns:listed}; make all cells numbers if they are amounts"),
    "text-of-days": "text that looks like days: {columns:listed}; write them as 2026-12-31",
    "columns-new": "columns that are new: {columns:few}",
    "columns-gone": "columns that are gone: {columns:few}",
    "columns-looked-at": (
        "what {columns} of {of:,} columns contribute was looked at: those that boosted trees use most"
    ),
    # ---- eta
    "search-not-exact": (
        "the search found {recall:.3f} of the nearest neighbours (at least {recall_low:least} (99 %)); an exact search "
        "(--recall 1, or --index exact for a graph) finds all"
    ),
    "neighbours-chosen-elsewhere": (
        "another tool chose the neighbours, {recall:.3f} of the nearest ones: labels may have had a say, so no "
        "limits are given; labeldp-audit graph chooses by features alone"
    ),
    "features-give-label-away": (
        "features give the label away in {rows:,} of {of:,} rows, where the loss is estimated as infinite: drop or "
        "coarsen the columns that audit --explain names"
    ),
    "neighbourhoods-of-one-class": (
        "{rows:,} of {of:,} neighbourhoods of {k:,} rows hold one class only, where the loss is estimated as "
        "infinite: decide by the lower limits, or ask more neighbours with --k"
    ),
    BEATEN: (
        "boosted trees with a logistic regression on all published columns predict {rows:,} labels better than this "
        "model, by log loss or Brier score (log loss {log_loss:.4f}, theirs {trees:.4f}): limits that assume the model "
        "are withheld; audit with the default estimator"
    ),
    UNBEATEN: (
        "boosted trees with a logistic regression on all published columns predict {rows:,} labels no better than this "
        "model; a difference of log losses below {smallest:.2g} could not have been seen, so this does not show that "
        "the model is right"
    ),
    "model-sees-nothing": (
        "the model guesses labels no better than the shares of the classes do (log loss {log_loss:.4f}, without "
        "features {blind:.4f}): the features tell next to nothing, or another --estimator or more rows find what they "
        "tell"
    ),
    "more-to-know": (
        "there may be more to know than this report says: {best} guesses unseen labels clearly better than the best "
        "single model, {single} (log loss {log_loss:.4f}, {less:.4f} less), so each misses something; a model of your "
        "own may find it (--eta COLUMN)"
    ),
    "scores-in-wrong-order": (
        "limits are wide, as labels contradict the order of the scores (p = {p:.2g}): another --estimator may put "
        "people in a better order"
    ),
    "shares-do-not-fit": (
        "estimates do not fit the labels in {groups} of {of} groups of like estimates: where {predicted:.3g} was "
        "predicted for {label} on average, {observed:.3g} was observed ({low:.3g} to {high:.3g}, about "
        "{confidence:percent} for all groups); another --estimator may fit better"
    ),
    UNLIKE: (
        "{k:,} neighbours are not people alike: {fewer:,} guess labels clearly better (log loss {log_loss:.4f}, "
        "{less:.4f} less), so limits for people are withheld and those of neighbourhood averages are not; leave out "
        "--k, and labels choose it"
    ),
    MISCALIBRATED: (
        "the labels do not fit the probabilities in {source}: among {rows:,} rows with probabilities {first:.3g} to "
        "{last:.3g} (mean {mean:.3g}) {share:.3g} have the label {label}"
    ),
    "classifier-warns": "{name} warns while it is fitted: {kind}",
    # ---- attackers
    "members-not-guessed": (
        "{rows:,} of {of:,} members of bags are not guessed: their labels are taken to be as common as all are"
    ),
    "attacker-learnt-from-some": (
        "{attacker} learnt from {rows:,} of {of:,} records, drawn uniformly, and is judged on these"
    ),
    "attack-of-unique-rows": (
        "limits are about the {rows:,} of {of:,} rows that no other row has the features of; --order FILE judges all"
    ),
    "law-unknown": (
        "how likely a release of {mechanism} is for each label is not known, so the optimal attacker is not played: "
        "what others found is no upper limit"
    ),
    "attack-gained-more": (
        "the attack gained more than was predicted, beyond the limits of both: the release is not what its manifest "
        "says, or the estimate of eta misses something; labeldp-audit verify looks at the release"
    ),
    "attack-gained-less": (
        "the attack gained less than was predicted, beyond the limits of both: the release may hide more than its "
        "manifest says, or the prediction spreads people wider than models tell them apart"
    ),
    # ---- mechanisms and policies
    NOT_JUDGED: "{mechanism} was not judged: {reason}",
    "judged-by-epsilon": (
        "judged by epsilon alone, as the worst mechanism of it, and may give away less: {mechanisms:few mechanisms}"
    ),
    "value-left-aside": "{spec}: tune looks for {parameter} itself, so {name} = {value} is left aside",
    "least-noise-passes": "{scale}: even {parameter} = {value:g}, the least noise tried, passes",
    "no-strength-passes": "{scale}: {reason}",
    "never-fails": "{line!r} never fails: a share is never above 1, and 5 % is written 0.05",
    "vacuous": (
        "{line!r} is vacuous: even labels without noise pass it; take a smaller threshold, or, for advantages, "
        "--utility balanced, which counts each class alike however rare"
    ),
    "upside-down": ("{line!r} stops a release where the number is small: a line says what blocks it"),
    "never-passes": ("{line!r} can never pass: no table has an upper limit for it; gate on .low, or on advantage.high"),
}
