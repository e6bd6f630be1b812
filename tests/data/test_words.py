"""Free text becomes weights of words, whatever the order of rows and the kind of file."""

import numpy as np
import pyarrow as pa
import pytest
from notes import notes_of, unshared

from labeldp_audit.core.remark import UNREADABLE
from labeldp_audit.data import words
from labeldp_audit.reports.sentences import warnings as said_of

ROWS = 300
LABELS = np.arange(ROWS) % 2
NOTES = notes_of(LABELS)


@pytest.fixture
def weights(read_columns):
    def found(cells):
        columns = read_columns({"c": cells, "x": np.arange(len(cells)) % 7}).columns
        assert columns.names == ("c", "x"), "the text itself stays a category"
        return columns.words["c"].toarray() if "c" in columns.words else None

    return found


def test_words_have_weights_whose_squares_add_up_to_one(weights):
    found = weights(NOTES)
    assert found.dtype == np.float32 and np.allclose((found**2).sum(axis=1), 1, atol=1e-5)
    told = ((found > 0) == (LABELS == 1)[:, None]).all(axis=0)
    assert told.sum() == 2, "t2dm, and the pair of words dx t2dm"


def test_words_that_fewer_than_three_rows_hold_are_left_out(weights):
    once = [f"{note} word{i // 3} word{i // 2}b" for i, note in enumerate(NOTES)]
    more = (weights(once) > 0).sum(axis=0)
    assert more.min() == words.FEWEST


def test_words_do_not_depend_on_the_order_of_rows(weights):
    order = np.random.default_rng(1).permutation(ROWS)
    assert np.array_equal(weights([NOTES[i] for i in order]), weights(NOTES)[order])


@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string()), "csv"], ids=str)
def test_words_do_not_depend_on_the_kind_of_file(weights, read_text, kind):
    wanted = weights(NOTES)
    if kind == "csv":
        text = "c,x,y\n" + "".join(f'"{note}",{i % 7},{i % 2}\n' for i, note in enumerate(NOTES))
        assert np.array_equal(read_text(text).columns.words["c"].toarray(), wanted)
    else:
        assert np.array_equal(weights(pa.array(NOTES).cast(kind)), wanted)


def test_a_missing_text_has_no_words(weights):
    cells = [None if i % 3 == 0 else note for i, note in enumerate(NOTES)]
    assert ((weights(cells) > 0).any(axis=1) == (np.arange(ROWS) % 3 > 0)).all()


def test_texts_that_are_no_utf8_have_words(weights):
    every = [note.encode() + (b" \xff\xfe" if i % 2 else b" \xe9") for i, note in enumerate(NOTES)]
    ends = np.cumsum([0, *map(len, every)]).astype(np.int32)
    cells = pa.StringArray.from_buffers(len(every), pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(every)))
    assert weights(cells) is not None


def test_characters_are_words_where_no_blanks_part_them(weights):
    said = [("糖尿病" if y else "健康者") + f"患者{i:04d}号" for i, y in enumerate(LABELS)]
    told = ((weights(said) > 0) == (LABELS == 1)[:, None]).all(axis=0)
    assert told.sum() >= 3


@pytest.mark.parametrize(
    "cells",
    [
        [f"u{i}" for i in range(ROWS)], [f"a b {i % 64}" for i in range(ROWS)], np.arange(ROWS),
        [b"a b %d" % i for i in range(ROWS)], [f"campaign {i % 70}" for i in range(1400)],
    ],
    ids=["one word", "few levels", "numbers", "bytes", "known levels"],
)  # fmt: skip
def test_other_columns_have_no_words(read_columns, cells):
    assert not read_columns({"c": cells, "x": np.arange(len(cells))}).columns.words


def test_levels_of_few_rows_each_have_words(read_columns):
    cells = [f"campaign {i % 70}" for i in range(1399)]
    assert read_columns({"c": cells, "x": np.arange(1399)}).columns.words


def test_a_sex_behind_a_file_number_is_a_word(weights):
    found = weights([f"{i:08d}/{'FM'[i % 2]}" for i in range(ROWS)])
    assert sorted(found.argmax(axis=1)[:2].tolist()) == [0, 1]


@pytest.mark.parametrize(
    ("cells", "unreadable"),
    [
        (unshared(ROWS), True),
        ([f"note: {one}" for one in unshared(ROWS)], True),  # all rows share a word that tells none apart
        ([one if i % 30 else NOTES[i] for i, one in enumerate(unshared(ROWS))], True),
        ([one if i % 10 else NOTES[i] for i, one in enumerate(unshared(ROWS))], False),
        ([None if i % 2 else one for i, one in enumerate(unshared(ROWS))], True),
        (unshared(100) * 12, False),  # the same text in twelve rows
        (NOTES, False),
        ([f"{one.replace(' ', '-')}" for one in unshared(ROWS, 5)], False),  # an identifier, as UUIDs are
    ],
    ids=["no words shared", "first word", "few readable", "some readable", "half missing", "repeated", "notes", "uuid"],
)
def test_remarks_name_text_that_no_model_can_read(read_columns, cells, unreadable):
    rows = len(cells)
    table = read_columns({"c": cells, "x": np.arange(rows) % 7})
    found = [one.values for one in table.remarks if one.code == UNREADABLE]
    assert found == ([{"columns": ("c",)}] if unreadable else [])
    assert any("no model can read 'c'" in one for one in said_of(table)) is unreadable


def test_words_of_long_texts_are_not_shared_by_chance(read_columns, monkeypatch):
    """Hashes of words that no two rows share fall into the same buckets, if there are fewer of these."""
    monkeypatch.setattr(words, "BUCKETS", 1 << 9)
    table = read_columns({"c": unshared(600, 12), "x": np.arange(600) % 7})
    assert [one.code for one in table.remarks if one.code == UNREADABLE] == [UNREADABLE]


def test_remarks_do_not_take_notes_for_identifiers(read_columns):
    table = read_columns({"c": NOTES, "name": [f"u{i}" for i in range(ROWS)]})
    assert [one.values["column"] for one in table.remarks if "column" in one.values] == ["name"]
