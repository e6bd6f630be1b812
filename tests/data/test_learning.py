"""Types of text columns, learnt from all of the rows."""

import pytest

from labeldp_audit.core.errors import DataError

BATCH = 1 << 16


def kind_of(table, name):
    return next(column.type for column in table.dataset.columns if column.name == name)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2", "3"], "int64"),
        (["1", "", "18446744073709551615"], "uint64"),
        (["-1", "2", "18446744073709551615"], "double"),
        (["1", "2.5", "1e3"], "double"),
        (["1", "NA", "nan"], "int64"),
        ([" 1", "2 ", "3"], "int64"),
        (["true", "False", ""], "bool"),
        (["1", "true", "0"], "string"),
        (["2024-01-01", "1970-01-01", ""], "date32[day]"),
        (["2024-01-01", "2024-01-01 10:00:00", ""], "timestamp[us]"),
        (["2024-01-01 10:00:00.123456789", "2024-01-01", ""], "timestamp[ns]"),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00+02:00", ""], "timestamp[us, tz=UTC]"),
        (["12:30:00", "12:30:01.5", ""], "time64[us]"),
        (["a", "1", ""], "string"),
        (["2024-01-01", "soon", ""], "string"),
        (["2024-01-01", "7", ""], "string"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
def test_csv_types_are_learnt_from_every_row(read_text, cells, kind, late):
    rows = [f"{cells[0]},{i % 2}" for i in range(BATCH if late else 1)] + [f"{cell},1" for cell in cells]
    table = read_text("x,y\n" + "\n".join(rows) + "\n", exclude=())
    assert kind_of(table, "x") == kind


def test_a_column_that_is_empty_for_long(read_text):
    table = read_text("x,z,y\n" + f",{1},0\n" * BATCH + "0.5,2,1\n1.5,3,0\n")
    assert kind_of(table, "x") == "double"
    assert table.dataset.columns[0].missing == BATCH
    assert table.points[-2:, 0].tolist() == [-1, 1]


def test_text_stays_as_it_is(read_text):
    table = read_text('x,y\nNA,0\n"a\nb",1\n a,0\n"",1\n')
    assert table.dataset.columns[0].levels == 4
    assert table.dataset.columns[0].missing == 1


def test_forced_categories_keep_their_zeros(read_text):
    text = "zip,y\n01234,0\n1234,1\n01234,0\n"
    assert read_text(text, categorical=("zip",)).dataset.columns[0].levels == 2
    with pytest.raises(DataError, match="constant"):
        read_text(text)
