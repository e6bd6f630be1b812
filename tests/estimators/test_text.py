"""What learners see of free text: scores by fits without the row, and the words that say most."""

from dataclasses import replace

import numpy as np
import pytest
from lessons import lesson
from notes import notes_of
from scipy.special import expit

from labeldp_audit.core.table import Columns
from labeldp_audit.data.words import weigh_words
from labeldp_audit.estimators import text
from labeldp_audit.estimators.boosted import Boosted
from labeldp_audit.estimators.comparison import losses
from labeldp_audit.estimators.stack import Stack

ROWS = 600


def read(labels, notes, classes=2, threads=1, people=None, asked=True):
    """A lesson with a column of notes beside one of noise."""
    noise = np.random.default_rng(9).normal(size=(len(labels), 1))
    one = lesson(noise, labels, classes=classes, threads=threads)
    columns = Columns(one.columns.values, one.columns.categorical, ("noise",), words={"notes": weighed(notes)})
    others = np.arange(len(one.learn) + len(one.judge), len(labels)) if asked else one.asked
    return replace(one, columns=columns, people=people, asked=others)


def weighed(notes):
    return weigh_words(notes, np.arange(len(notes))).weights


@pytest.fixture
def labels():
    return np.random.default_rng(3).integers(0, 2, ROWS)


def lost(scores, labels, rows):
    """In nats; no score guesses with 0.69 lost."""
    eta = expit(scores[rows].astype(np.float64))
    return float(losses(np.stack([1 - eta, eta], axis=1), labels[rows]).mean())


def test_scores_tell_labels_that_words_tell(labels):
    one = read(labels, notes_of(labels))
    seen = one.readable()
    assert seen.columns.names == ("noise", "notes (words)") and seen.columns.values.flags.f_contiguous
    for rows in (one.learn, one.judge, one.asked):
        assert lost(seen.columns.values[:, 1], labels, rows) < 0.2
    assert one.readable() is seen and seen.readable() is seen, "made once"


def test_scores_of_rows_to_learn_from_do_not_know_their_labels(labels):
    """A fit with these rows would lose next to nothing among words that have nothing to do with labels."""
    rng = np.random.default_rng(4)
    notes = [" ".join(f"w{x}" for x in one) for one in rng.integers(0, 900, (ROWS, 12))]
    one = read(labels, notes)
    assert lost(one.readable().columns.values[:, 1], labels, one.learn) > 0.68
    with_own = text._fitted(one.columns.words["notes"], one, one.learn, 10.0)(one.learn)
    assert lost(with_own[:, 1], labels, one.learn) < 0.3, "and this test has teeth"


def test_scores_do_not_learn_a_person_by_heart():
    """Words of each person's own, and labels too: rows of others say nothing of them."""
    person = np.arange(ROWS) // 6
    labels = np.random.default_rng(5).integers(0, 2, 100)[person]
    notes = [f"of p{p} q{p} r{p}" for p in person]
    alone, known = (read(labels, notes, people=people) for people in (None, person))
    assert lost(alone.readable().columns.values[:, 1], labels, alone.learn) < 0.5
    assert lost(known.readable().columns.values[:, 1], labels, known.learn) > 0.65


def test_words_are_chosen_without_the_labels_of_other_rows(labels, monkeypatch):
    monkeypatch.setattr(text, "TELLING", 5)
    one = read(labels, notes_of(labels))
    changed = labels.copy()
    changed[one.asked] = 1 - changed[one.asked]
    seen, other = one.readable().columns, read(changed, notes_of(labels)).readable().columns
    assert np.array_equal(seen.values, other.values)
    assert (seen.telling != other.telling).nnz == 0
    told = ((seen.telling.toarray() > 0) == (labels == 1)[:, None]).all(axis=0)
    assert seen.telling.shape == (ROWS, 5) and told.sum() == 2


def test_trees_split_on_words_that_tell_only_together(monkeypatch):
    """Which word a label goes along with depends on a number, so no score of words alone tells it."""
    rng = np.random.default_rng(6)
    word, side = rng.integers(0, 2, 1500), rng.normal(size=1500)
    labels = (word == (side > 0)).astype(np.uint8)
    one = read(labels, notes_of(word))
    values = np.asfortranarray(side[:, None], np.float32)
    one = replace(one, columns=replace(one.columns, values=values))
    assert losses(one.scores(Boosted()).asked, labels[one.asked]).mean() < 0.4
    monkeypatch.setattr(text, "TELLING", 0)
    without = replace(one, _known={}).scores(Boosted()).asked
    assert losses(without, labels[one.asked]).mean() > 0.65, "and this test has teeth"


@pytest.mark.parametrize("learner", [Boosted(), Stack()], ids=lambda one: one.name)
def test_scores_are_the_same_on_any_number_of_threads(labels, learner):
    notes = notes_of(np.where(np.random.default_rng(2).random(ROWS) < 0.2, 1 - labels, labels))
    one, two = (read(labels, notes, threads=threads).scores(learner) for threads in (1, 2))
    assert one.asked.tobytes() == two.asked.tobytes()
    assert losses(one.asked, labels[-len(one.asked) :]).mean() < 0.6


def test_each_of_several_classes_has_a_score():
    labels = np.arange(ROWS) % 3
    notes = [f"{note} {('red', 'green', 'blue')[c]}" for note, c in zip(notes_of(labels * 0), labels, strict=True)]
    one = read(labels, notes, classes=4)  # of the last class there is no row
    scores = one.readable().columns.values[:, 1:]
    assert scores.shape == (ROWS, 4)
    assert (scores.argmax(axis=1) == labels).mean() > 0.97


def test_one_class_alone_has_no_scores():
    one = read(np.ones(ROWS, np.uint8), notes_of(np.arange(ROWS) % 2))
    values = one.readable().columns.values[:, 1]
    assert len(np.unique(values)) == 1


def test_rows_that_stand_for_many_count_as_many(labels):
    notes = [f"{note} {'often' if i % 20 == 0 else ''}" for i, note in enumerate(notes_of(labels * 0))]
    labels[::20] = 1
    one = read(labels, notes)
    once, often = (
        replace(one, repeats=repeats, _known={}).readable().columns.values[::20, 1].mean()
        for repeats in (None, np.where(np.arange(ROWS) % 20 == 0, 50, 1))
    )
    assert often > once + 1
