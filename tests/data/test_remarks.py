"""What is said of columns: their types, and which may be no features."""

import decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from labeldp_audit.core.errors import SpecError
from labeldp_audit.data.describe import names_identifier, type_name
from labeldp_audit.reports.sentences import warnings as said_of

NUMBERS = [10, 20, 30, 40]
OWN = "column 'user_id' has a number of its own in nearly every row; --exclude user_id if it is an identifier"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (pa.dictionary(pa.int32(), pa.string()), "dictionary<string>"),
        (pa.dictionary(pa.int8(), pa.decimal128(5, 2), ordered=True), "dictionary<decimal128(5, 2)>"),
        (pa.timestamp("us", "UTC"), "timestamp[us, tz=UTC]"),
    ],
)
def test_types_are_said_shortly(kind, said):
    assert type_name(kind) == said


WORDS = "id ID user_id userId UserID user-id visit.id id_client IDNumber id2 userid PatientId uuid session_uuid"
OTHERS = "paid covid humid idea width Grid is_valid paidAt 日 7"


def test_names_of_identifiers_and_those_that_only_look_alike():
    assert [name for name in (*WORDS.split(), "customer identifier") if not names_identifier(name)] == []
    assert [name for name in (*OTHERS.split(), "") if names_identifier(name)] == []


@pytest.mark.parametrize(
    ("column", "options", "said"),
    [
        (NUMBERS, {}, (OWN,)),
        (pa.array(NUMBERS, pa.uint8()), {}, (OWN,)),
        (pa.array([1, None, 3, 4], pa.int32()), {}, (OWN,)),
        (pa.array(map(decimal.Decimal, NUMBERS), pa.decimal128(20, 0)), {}, (OWN,)),
        (NUMBERS, {"exclude": ("user_id",)}, ()),
        (NUMBERS, {"categorical": ("user_id",)}, ()),
        ([0.5, 1.5, 2.5, 3.5], {}, ()),
        (["a", "b", "a", "b"], {}, ()),
        ([7] * 4, {}, ("constant, so dropped: 'user_id'",)),
    ],
    ids=str,
)
def test_a_number_named_like_an_identifier(read_columns, column, options, said):
    assert said_of(read_columns({"user_id": column, "age": [1, 2, 3, 3]}, **options)) == said


@pytest.mark.parametrize(("rows", "different", "missing", "said"), [
    (50, 50, 0, True), (49, 49, 0, False), (100, 95, 0, True), (100, 94, 0, False), (100, 60, 40, True),
])  # fmt: skip
def test_a_category_that_hardly_repeats(read_columns, rows, different, missing, said):
    cells = [None] * missing + [f"u{i % different}" for i in range(rows - missing)]
    warnings = said_of(read_columns({"name": cells, "x": np.arange(rows)}))
    assert ("column 'name' looks like an identifier; --exclude name if it is" in warnings) is said


@pytest.mark.parametrize(
    ("missing", "said"), [(50, ()), (51, ("mostly missing and still a feature: 'x'; --exclude what is not published",))]
)
def test_columns_that_are_mostly_missing(read_columns, missing, said):
    cells = [None] * missing + [float(i) for i in range(100 - missing)]
    assert said_of(read_columns({"x": cells})) == said


def test_values_far_beyond_most(read_columns):
    x = np.random.default_rng(0).normal(size=500)
    cells = {"near": x, "far": np.where(np.arange(500) == 7, -1e9, x), "heavy": np.exp(2 * x)}
    [said] = said_of(read_columns(cells))
    assert said.startswith("a few values lie thousands of times as far out as most: 'far'; empty their cells if")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            ["1,5", "-0,25", "1.234,5", "7,0"],
            "numbers with decimal commas: 'c'; --decimal , reads them if all are",
        ),
        (["31.12.2026", "1/2/26", "03.04.2026 12:30", "1.1.2020"], "days: 'c'; write them as 2026-12-31"),
        (["a,b", "1,5,6", "12", "x"], ""),
        (["2026-12-31", "1.5", "1.2.3", "v"], ""),
        (["1.5", "2", "-3.25", "7"], "numbers: 'c'; make all cells numbers if they are amounts"),
    ],
)
def test_texts_that_are_numbers_or_days_elsewhere(read_columns, cells, said):
    warnings = said_of(read_columns({"c": cells * 5, "x": np.arange(20)}))
    assert [one for one in warnings if "text that looks" in one] == ([f"text that looks like {said}"] if said else [])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.arange(1000), "a number of its own in nearly every row; --exclude c if"),
        (np.arange(1000) % 700, ""),
        (np.arange(1000) / 2, ""),
        (
            np.array([10, 70, 200, 300])[np.arange(1000) % 4],
            "few whole numbers, far apart, read as amounts: 'c'; --categorical",
        ),
        (np.arange(1000) % 4, ""),
    ],
    ids=["own", "repeat", "measured", "codes", "counts"],
)
def test_whole_numbers_that_may_be_names(read_columns, values, said):
    warnings = said_of(read_columns({"c": values, "x": np.arange(1000) % 7}))
    assert all(said in one for one in warnings) and bool(warnings) == bool(said)


@pytest.mark.parametrize(
    ("labels", "alike"),
    [
        (["no", "yes", "Yes ", "YES"], "'YES', 'Yes ', 'yes'"),
        (["1", "0", "1.0", "x"], "'1', '1.0'"),
        (["café", "cafe\u0301", "tea", "tea"], "'cafe\u0301', 'café'"),
        (["no", "yes", "none", "no!"], ""),
        ([0, 1, 2, 1], ""),
    ],
)
@pytest.mark.parametrize("columns", [{"x": np.arange(20) % 7}, {}], ids=["features", "labels alone"])
def test_labels_that_differ_in_spelling_alone(read_columns, labels, alike, columns):
    options = {"many_classes": True, "labels_only": not columns}
    warnings = said_of(read_columns({**columns, "y": labels * 5}, **options))
    said = f"labels that differ in spelling alone count as different classes: {alike}; "
    assert [one for one in warnings if one.startswith(said)] == [one for one in warnings if "spelling" in one]
    assert any("spelling" in one for one in warnings) == bool(alike)


def test_decimal_commas_are_read_where_they_are_said_to_be(read_text):
    table = read_text("a;b;y\n1,5;1.234,5;0\n2;-7,25;1\n;1e3;1\n", delimiter=";", decimal=",")
    kinds = {one.name: one.type for one in table.dataset.columns}
    assert kinds["a"] == kinds["b"] == "double"
    points = read_text("a;b;y\n0.123;1,5;0\n0.5;2;1\n", delimiter=";", decimal=",")
    assert [one.type for one in points.dataset.columns if one.name == "a"] == ["string"]
    with pytest.raises(SpecError, match="both"):
        read_text("a,y\n1,0\n2,1\n", decimal=",")
    mixed = read_text("a;b;y\n1.5;x,5;0\n2,5;1,5;1\n3;2;1\n", delimiter=";", decimal=",")
    assert {one.name: one.type for one in mixed.dataset.columns if one.name in "ab"} == {"a": "string", "b": "string"}


def test_names_of_numbers_of_people():
    assert names_identifier("patient_nbr") and names_identifier("Customer No") and names_identifier("kunden-nr")
    assert not names_identifier("number_of_visits") and not names_identifier("no") and not names_identifier("casino")


def test_rows_of_one_person_are_thought_of(read_columns):
    warnings = said_of(read_columns({"patient_nbr": np.arange(600) // 3, "x": np.arange(600) % 7}))
    assert any("names people: 'patient_nbr'" in one for one in warnings)
    assert names_identifier("patient") and names_identifier("Customer") and not names_identifier("patients_seen")
    warnings = said_of(read_columns({"user_id": [f"u{i // 3}" for i in range(600)], "x": np.arange(600) % 7}))
    assert any("names people: 'user_id'" in one for one in warnings)


def test_columns_that_may_name_people_share_the_first_warning(read_columns):
    rows = np.arange(600)
    columns = {"same": [7] * 600, "ward_id": rows % 20, "visit_id": rows, "patient_nbr": rows // 3, "x": rows % 7}
    first, second, last = said_of(read_columns(columns))
    assert first.startswith("--group COLUMN if one of these names people: 'patient_nbr', 'ward_id', named")
    assert second.startswith("column 'visit_id' has a number of its own in nearly every row; --exclude visit_id if")
    assert last == "constant, so dropped: 'same'"
    [first, *_] = said_of(read_columns(columns, group="patient_nbr"))
    assert first.startswith("named like identifiers: 'ward_id'; --categorical those of codes")


@pytest.mark.parametrize(("values", "said"), [(16, False), (19, False), (20, True), (400, True)])
@pytest.mark.parametrize("name", ["education_num", "type_id"])
def test_remarks_take_few_values_for_no_identifier(read_columns, name, values, said):
    """Whatever the column is called: years of education are sixteen numbers."""
    warnings = said_of(read_columns({name: np.arange(1000) % values, "x": np.arange(1000) % 7}))
    assert any("names people" in one for one in warnings) is said


def test_remarks_take_one_value_in_a_hundred_rows_for_people(read_columns):
    for values, said in ((30, True), (29, False)):
        warnings = said_of(read_columns({"user_id": np.arange(3000) % values, "x": np.arange(3000) % 7}))
        assert any("names people" in one for one in warnings) is said


def test_remarks_find_an_identifier_whatever_its_name(read_columns):
    warnings = said_of(read_columns({"case": 1000 + np.arange(600), "x": np.arange(600) % 7}))
    assert any("'case' has a number of its own in nearly every row" in one for one in warnings)


def test_of_columns_that_are_said_to_be_categories_nothing_is_said(read_text):
    text = "user_id,y\n" + "".join(f"{i % 20},{i % 2}\n" for i in range(200))
    assert said_of(read_text(text, categorical=("user_id",))) == ()


def named(naming):
    """400 people with two rows each; labels hang on nothing but their names."""
    label = np.random.default_rng(3).random(400) < 0.2
    place = np.argsort(np.argsort(~label, kind="stable"))
    names = [naming(person, bool(label[person]), int(place[person])) for person in range(400)]
    rows = np.random.default_rng(4).permutation(np.repeat(np.arange(400), 2))
    return {"x": rows % 7, "who": pa.array([names[row] for row in rows]), "y": label[rows].astype(int)}


@pytest.mark.parametrize(
    ("naming", "right"),
    [
        (lambda person, label, place: f"{'T' if label else 'C'}{person}", 1.0),
        (lambda person, label, place: f"{person:04d}-{'case' if label else 'control'}", 1.0),
        (lambda person, label, place: 1000 + 2 * person + label, 1.0),  # odd and even
        (lambda person, label, place: 1000 + place, 0.9),  # those with the label came first
        (lambda person, label, place: f"p{person}", None),
        (lambda person, label, place: person, None),
    ],
)
def test_group_names_that_tell_labels_are_remarked(read_columns, naming, right):
    table = read_columns(named(naming), group="who")
    told = [one for one in table.remarks if one.code == "group-names-tell-labels"]
    assert len(told) == (right is not None)
    if right:
        assert told[0].values["column"] == "who" and told[0].values["right"] >= right
        assert told[0].values["chance"] == 0.5


def test_group_of_one_person_says_nothing_of_names(read_columns):
    table = read_columns({"x": np.arange(40) % 7, "who": ["T1"] * 40, "y": np.arange(40) % 2}, group="who")
    assert "group-names-tell-labels" not in {one.code for one in table.remarks}


def test_screen_says_that_the_group_column_tells_labels(audit):
    columns = named(lambda person, label, place: f"{'T' if label else 'C'}{person}")
    pq.write_table(pa.table(columns), audit.folder / "t.parquet")
    ended = audit("nu-max", "t.parquet", "--group", "who", "--no-output")
    assert "! what column 'who' calls people tells their labels: parts of it guess 100% right" in ended.out
