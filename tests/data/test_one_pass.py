"""A table whose features nobody needs: labels alone or with probabilities, in one pass over their columns."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeldp_audit.core.errors import DataError
from labeldp_audit.data.sources.contract import Source


def test_svmlight(read, tmp_path):
    (tmp_path / "t.svm").write_text("+1 1:2 2:0.75\n-1 1:3\n+1 2:1\n")
    table = read(tmp_path / "t.svm", eta=("f2",))
    assert table.given[:, 1].tolist() == [0.75, 0.0, 1.0]
    assert table.labels.tolist() == [1, 0, 1]


def test_a_label_whose_type_shows_late(small_blocks, read_text):
    """Whole numbers for several blocks, then not: the labels read so far are forgotten, not counted twice."""
    rows = 600
    table = read_text("p,y\n" + "0.5,0\n0.5,1\n" * (rows // 2) + "0.25,1.0\n1,-0.0\n", eta=("p",))
    assert table.dataset.classes == ("0", "1")
    assert table.dataset.class_counts == (rows // 2 + 1, rows // 2 + 1)
    assert table.labels[-3:].tolist() == [1, 1, 0]
    assert table.given[-2:, 1].tolist() == [0.25, 1.0]
    assert len(table.given) == rows + 2


@pytest.mark.parametrize("file", ["table.parquet", "table.csv"])
def test_labels_only(read_columns, read_text, file):
    if file == "table.csv":
        table = read_text("x,y\nfoo,b\nbar,a\n\n,c\n", labels_only=True, many_classes=True)
    else:
        table = read_columns({"x": [[1], None, []], "y": ["b", "a", "c"]}, labels_only=True, many_classes=True)
    assert (table.points.shape, table.given, table.labels.tolist()) == ((3, 0), None, [1, 0, 2])
    assert table.columns is None
    assert [column.role for column in table.dataset.columns] == ["excluded", "label"]
    assert table.dataset.name == file


def test_labels_only_needs_no_other_column(read_text):
    assert read_text("y\n0\n1\n", labels_only=True).labels.tolist() == [0, 1]


def test_labels_only_says_what_a_full_read_says(read_text):
    text = "x,y\n" + "".join(f"{i},{'bca'[i % 3] * (i % 7 > 0)}\n" for i in range(1000))
    options = {"many_classes": True, "drop_null_labels": True}
    full, short = (read_text(text, labels_only=only, **options) for only in (False, True))
    assert full.labels.tobytes() == short.labels.tobytes()
    assert full.row_numbers.tobytes() == short.row_numbers.tobytes()
    for name in ("sha256", "rows", "rows_used", "classes", "class_counts", "positive", "label"):
        assert getattr(full.dataset, name) == getattr(short.dataset, name)


@pytest.mark.parametrize("options", [{"eta": ("p",)}, {"labels_only": True}], ids=str)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("p,y\n", "the table has no rows: table.csv"),
        ("p,y\n0.5,1\n", "too few rows: 1: table.csv"),
        ("p,y\n0.5,1\n0.5,1\n", "the label has one class only, '1': table.csv: column 'y'"),
        ("p,y\n0.5,\n0.5,1\n", "missing labels: 1 of 2: table.csv: column 'y'"),
        (
            "p,y\n0.5,0\n0.5,1\n0.5,2\n",
            "not yet supported: more than two classes ('0', '1', '2'): table.csv: column 'y'",
        ),
        ("p,y\n0.5,0\n0.5\n", "a row with 1 instead of 2 fields: table.csv: row 2"),
    ],
)
def test_labels_are_judged_as_ever(read_text, refused, options, text, says):
    assert str(refused(read_text, text, **options)) == says


def test_no_other_column_is_touched_and_none_twice(read_columns, monkeypatch):
    asked, batches = [], Source.batches

    def watched(self, columns, size):
        asked.append(tuple(columns))
        return batches(self, columns, size)

    monkeypatch.setattr(Source, "batches", watched)
    cells = {"x": [1, 2, 3], "p": [0.5, 0.25, 1]}
    read_columns(cells, eta=("p",), exclude=("x", "p"), featureless=True)
    read_columns(cells, labels_only=True)
    read_columns(cells, exclude=("x",))
    assert asked == [("p", "y"), ("y",), ("p", "y"), ("p", "y")], "a feature takes two passes"


def test_a_folder_may_say_the_probability(read, tmp_path):
    for share in ("0.25", "1"):
        (tmp_path / f"p={share}").mkdir()
        pq.write_table(pa.table({"x": [1, 2], "y": [0, 1]}), tmp_path / f"p={share}" / "a.parquet")
    assert read(tmp_path, eta=("p",)).given[:, 1].tolist() == [0.25, 0.25, 1.0, 1.0]


def test_a_folder_whose_name_is_no_text_is_one_line(read, tmp_path):
    (tmp_path / "ward=").mkdir()
    pq.write_table(pa.table({"x": [1, 2], "y": [0, 1]}), tmp_path / "ward=" / "a.parquet")
    (tmp_path / "ward=").rename(os.fsdecode(os.fsencode(tmp_path) + b"/ward=\xff"))
    with pytest.raises(DataError, match="its folder is to be a column, and the name is not UTF-8"):
        read(tmp_path)
