"""A CSV file without a header: its first row is refused as names of columns, and read as data with --no-header."""

from __future__ import annotations

import pandas as pd
import pytest

import labeldp_audit as lda

ADULT = "39, State-gov, <=50K\n50, Private, <=50K\n52, Private, >50K\n38, State-gov, >50K\n"
NUMBERS = "0.5,7,1\n1.5,7,0\n2.5,8,1\n"


@pytest.mark.parametrize(
    ("text", "label", "what"),
    [
        (ADULT, " <=50K", "the label ' <=50K' is also one of its values, as in a file without a header"),
        ("a,1\nb,1\nc,0\nd,1.0\n", "1", "the label '1' is also one of its values, as in a file without a header"),
        (NUMBERS, "1", "the first row holds numbers and no names of columns"),
        (NUMBERS, None, "the first row holds numbers and no names of columns"),
        ("3,3,1\n3,3,0\n", None, "the first row holds numbers and no names of columns"),
    ],
)
def test_first_row_of_cells_is_refused(read_text, text, label, what):
    with pytest.raises(lda.DataError) as refused:
        read_text(text, label=label, positive=None)
    assert str(refused.value) == f"{what}: table.csv"
    assert refused.value.hint.startswith("--no-header names the columns c1, c2, ...")


@pytest.mark.parametrize("text", ["a,b,b,0\nc,d,e,1\n", "a,,,0\nc,d,e,1\n"])
def test_hints_about_names_say_that_the_row_may_be_data(read_text, text):
    with pytest.raises(lda.DataError) as refused:
        read_text(text)
    assert "--no-header if" in refused.value.hint
    assert read_text(text, no_header=True, label="c4").dataset.rows == 2


@pytest.mark.parametrize("header", ["0,1,2", "y_1,1_2,2_2", "x,0.5,1.5k", "1990,1991,1992"])
def test_names_that_count_or_are_no_numbers_are_read(read_text, header):
    table = read_text(f"{header}\n5,6,7\n8,9,6\n", label=header.split(",")[2], positive="7")
    assert [one.name for one in table.dataset.columns] == header.split(",")


def test_no_header_reads_all_rows_and_names_columns(read_text):
    table = read_text(ADULT, label="c3", positive=" >50K", no_header=True)
    assert [one.name for one in table.dataset.columns] == ["c1", "c2", "c3"]
    assert table.dataset.rows == 4 and table.labels.tolist() == [0, 0, 1, 1]
    gone = read_text(ADULT + "1,2,\n", label="c3", positive=" >50K", no_header=True, drop_null_labels=True)
    assert gone.dataset.rows == 5 and gone.dataset.rows_used == 4


def test_no_header_counts_rows_from_the_first(read_text):
    with pytest.raises(lda.DataError, match=r"a row with 2 instead of 3 fields: table.csv: row 3$"):
        read_text("1,2,0\n3,4,1\n5,6\n", label="c3", no_header=True)
    with pytest.raises(lda.DataError, match=r"an infinite value: table.csv: column 'c1': row 2$"):
        read_text("1,2,0\ninf,4,1\n5,6,1\n", label="c3", no_header=True)


def test_no_header_is_one_option_of_every_command(audit, tmp_path):
    (audit.folder / "t.csv").write_text("".join(f"{i % 7},{i % 5},{int(i % 7 > 2)}\n" for i in range(400)))
    command = ("estimate-eta", "t.csv", "--label", "c3", "--no-output", "-f", "csv")
    assert audit(*command).status == 3
    typed = audit(*command, "--no-header")
    (audit.folder / "labeldp-audit.toml").write_text("no_header = true\n")
    assert typed.status == 0 and audit(*command).out == typed.out
    report = lda.estimate_eta("t.csv", label="c3", no_header=True, estimator="knn", threads=1)
    assert [one.name for one in report.content.dataset.columns] == ["c1", "c2", "c3"]
    assert report.content.parameters["no_header"] is True


@pytest.mark.parametrize("mechanism", ["rr:epsilon=1", "llp:k=4"])
def test_release_without_header_has_one_and_verifies(audit, mechanism):
    rows = [f"{i * 37 % 501}.5,text {i % 5},{'ab'[i % 7 > 2]}\n" for i in range(400)]
    (audit.folder / "t.csv").write_text("".join(rows))
    how = ("--label", "c3", "--positive", "a", "--no-header")
    assert audit("release", "t.csv", "--to", "q.csv", "--mechanism", mechanism, *how).status == 0
    released = pd.read_csv(audit.folder / "q.csv")
    assert len(released) == 400 and [*released.columns][:2] == ["c1", "c2"]
    assert audit("verify", "q.csv", "--original", "t.csv", "--no-header", "--no-output").status == 0
    assert audit("attack", "t.csv", "q.csv", "--no-header", "--no-output", "--attacker", "optimal").status == 0
