"""What was noticed, as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Value = str | int | float | tuple[str, ...]

# Codes that something depends on; all of them, with their sentences, are in reports/sentences.py.
UNANSWERED = (
    "rows-repeat"  # equal rows that coincidence does not explain, and that were not said to be people or copies
)
REFUTED = "rows-in-multiples"  # equal rows were said to be people, and their numbers say otherwise
LEFT_OUT = "copies-left-out"  # rows beyond the first of each record
ONE_EACH = "one-row-of-each-person"  # judges
SPELLED_ALIKE = "labels-spelled-alike"  # classes that may be one and the same
BEATEN = "trees-predict-better"  # than the model that the user insists on
UNBEATEN = "trees-predict-no-better"
UNLIKE = "neighbours-not-alike"  # fewer of them guess labels clearly better
MISCALIBRATED = "labels-contradict-probabilities"  # supplied ones
FITTED_BEFORE = "fitted-before"  # eta is that of a classifier fitted to unknown rows
ORDER_TELLS = "order-tells-labels"  # rows that follow one another have like labels, whatever their features are
PEOPLE_LINKED = "people-linked"  # a release says which rows are of one person
UNAUDITED = "columns-unaudited"  # are published all the same
ORDER_KEPT = "order-kept"  # that of the original, in a release
CHOSEN = "neighbours-chosen-elsewhere"  # by another tool, which left out some of the nearest
UNREADABLE = "text-unreadable"  # free text whose words hardly any rows share
_REPEATED = "rows repeat that may be no different people; --repeats copies leaves them out"
DOUBTS: Mapping[str, str] = {  # under which no limit holds, and the reason that findings and verdicts give
    UNANSWERED: _REPEATED,
    REFUTED: _REPEATED,
    ORDER_TELLS: "the order of the rows tells labels, as in a table that was sorted by them: shuffle it first",
    PEOPLE_LINKED: "the release says which rows are of one person, and limits are about single rows",
    FITTED_BEFORE: (
        "the classifier was fitted before and may know these labels; its probabilities as an array, "
        "eta=clf.predict_proba(X), say that it has not seen them"
    ),
    CHOSEN: "another tool chose neighbours that are not all of the nearest, and labels may have had a say",
    UNREADABLE: "a column of free text whose rows share no words, so that no model can read it; leave the column out",
    SPELLED_ALIKE: "labels that may mean the same are spelled in several ways; write each in one way",
}
RARER = "positive-is-rarer"  # neither the user nor the values say which class is positive
UNPUBLISHED = "columns-not-published"  # those that were excluded, and the one that names people
MODEL_DOUBTS: Mapping[str, str] = {  # under which no limit holds that assumes the model, and the reason
    UNLIKE: "the labels refute that so many neighbours are alike: leave out --k, and labels choose it",
    BEATEN: (
        "boosted trees with a logistic regression on the published columns predict the labels better than this model; "
        "audit with the default estimator"
    ),
    MISCALIBRATED: "the labels contradict the supplied probabilities",
}
FIRST = (*DOUBTS, *MODEL_DOUBTS, LEFT_OUT, ONE_EACH, UNPUBLISHED)  # what a reader has to know before all else
NO_ORIGINAL = "no-original"  # beside a release that is verified
JUDGED_BY_EPSILON = "judged-by-epsilon"  # as the worst mechanism of its epsilon
NOT_JUDGED = "not-judged"  # a mechanism that was asked for
IDENTIFIERS = (  # columns that may name people
    "columns-that-may-name-people", "columns-named-like-identifiers", "text-looks-like-identifier",
    "number-differs-in-each-row",
)  # fmt: skip
UNCODED = "uncoded"  # in an older report, as a text


@dataclass(frozen=True, init=False)
class Remark:
    """Something that was noticed, as a code that logic reads and values; only reports make a sentence of it.

    A code that they do not know, as of another package, has its sentence as the value `text`.
    """

    code: str
    values: Mapping[str, Value]

    def __init__(self, code: str, /, **values: Value | list[str]) -> None:
        """Lists are as good as tuples: files have them."""
        object.__setattr__(self, "code", code)
        kept = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        object.__setattr__(self, "values", kept)

    def __hash__(self) -> int:
        return hash((self.code, frozenset(self.values.items())))
