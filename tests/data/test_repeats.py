"""Copies of rows are found out, people who look alike are not taken for copies, and limits do without either."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import only
from worlds import KINDS

from labeldp_audit.core.remark import FIRST, LEFT_OUT, MODEL_DOUBTS, ONE_EACH, REFUTED, UNANSWERED, UNPUBLISHED
from labeldp_audit.data import coincidence, levels, repeats


def looked(cells, labels):
    """What is noticed in these rows."""
    words, whole, labels = worded(cells, labels)
    rng = np.random.default_rng(0)
    return coincidence.look(whole, words.sum(axis=1, dtype=np.uint64), labels, lambda rows: words[rows], rng)


def looked_but_one(cells, labels):
    """The column without which rows come in numbers that no people come in."""
    words, whole, labels = worded(cells, labels)
    most = np.random.default_rng(0).permutation(len(labels))[: repeats.SAMPLED]
    return (coincidence.but_one(whole[most], words[most], labels[most]) or (None, None))[1]


def drawn_again(cells, labels):
    """Whether rows agree more often than their columns would make them."""
    words, whole, labels = worded(cells, labels)
    return coincidence.drawn_again(whole, words, of_column(labels, 99), np.random.default_rng(0))


def explained(cells, labels):
    """By coincidence."""
    return looked(cells, labels) is None and looked_but_one(cells, labels) is None and not drawn_again(cells, labels)


def worded(cells, labels):
    """Words of cells, and of whole rows."""
    words = np.stack([of_column(column, j) for j, column in enumerate(np.asarray(cells).T)], axis=1)
    return words, words.sum(axis=1, dtype=np.uint64) + of_column(labels, 99), np.asarray(labels)


def of_column(column, j):
    code = np.unique(column, return_inverse=True)[1].reshape(-1)
    return levels.mixed((code + 1).astype(np.uint64) * levels.GOLDEN + np.uint64(977 * j))


def people(n, rng, sizes=None):
    """Numbers, or categories of so many levels, and coins for labels."""
    levels = () if sizes is None else (rng.integers(0, size, n) for size in sizes)
    cells = rng.normal(size=(n, 3)) if sizes is None else np.stack([*levels], axis=1)
    return cells, rng.integers(0, 2, n)


def again(cells, labels, rows):
    return cells[rows], labels[rows]


RARE = np.r_[np.ones(15, int), np.zeros(485, int)]


@pytest.mark.parametrize("times", [2, 3, 40])
def test_a_table_written_several_times(times):
    assert looked(*again(*people(200, np.random.default_rng(1)), np.repeat(np.arange(200), times))).surely


def told_apart(kind, n, rng):
    """How often a table is written, and the column in which copies differ."""
    if kind == "noise":
        return 2, np.tile(rng.normal(size=n), 2) + 1e-6 * rng.normal(size=2 * n)
    if kind == "ids":
        return 2, np.r_[np.arange(n), np.roll(np.arange(n), 1)]
    times = {"source": 2, "three": 3, "wave": 5}[kind]
    return times, np.repeat(np.arange(times), n)


@pytest.mark.parametrize(
    ("kind", "n"),
    [(kind, n) for kind in ("source", "ids", "noise", "three") for n in (200, 2000)]
    + [("source", 200_000), ("wave", 2000), ("wave", 40_000)],
)
def test_copies_that_differ_in_one_column(kind, n):
    rng = np.random.default_rng(13)
    cells, labels = people(n, rng)
    times, last = told_apart(kind, n, rng)
    rows = np.tile(np.arange(n), times)
    table = np.column_stack([cells[rows], last]), labels[rows]
    assert looked(*table) is None
    assert looked_but_one(*table) == 3


@pytest.mark.parametrize("n", [200, 3000, 60_000])
def test_people_who_differ_in_one_column(n):
    """Shops with customers: whatever is left out, rows are drawn one by one."""
    rng = np.random.default_rng(14)
    shop = rng.integers(0, 1 + n // 10, n)
    cells = np.column_stack([rng.normal(size=(1 + n // 10, 3))[shop], rng.integers(0, 60, n)])
    assert looked_but_one(cells, (shop < n // 20).astype(int)) is None
    assert looked_but_one(np.column_stack([cells, rng.normal(size=n)]), rng.integers(0, 2, n)) is None


def test_part_of_a_table_written_twice():
    table = people(1000, np.random.default_rng(2))
    assert looked(*again(*table, np.r_[np.arange(1000), np.arange(250)])) is not None


@pytest.mark.parametrize("columns", [None, (40, 40), "one"], ids=str)
def test_few_positives_drawn_up(columns):
    rng = np.random.default_rng(3)
    cells = rng.normal(size=(500, 1)) if columns == "one" else people(500, rng, columns)[0]
    found = looked(*again(cells, RARE, np.r_[15:500, rng.integers(0, 15, 500)]))
    assert (found.label, found.rows, found.of) == (1, 485, 500)


@pytest.mark.parametrize("sizes", [None, (40, 40), (10, 10, 10), (20, 20, 5), (4,) * 6], ids=str)
def test_rows_drawn_with_replacement(sizes):
    """Numbers of copies are like those of people here: what tells is that they stand alone."""
    rng = np.random.default_rng(4)
    cells, _ = people(500, rng, sizes)
    found = looked(*again(cells, RARE, rng.integers(0, 500, 1500)))
    assert found is not None and not found.surely


def test_three_of_each_and_a_tenth_lost():
    """Two columns of 40 levels: many different people look alike as well."""
    rng = np.random.default_rng(5)
    rows = rng.choice(np.repeat(np.arange(3000), 3), 8100, replace=False)
    assert looked(*again(*people(3000, rng, (40, 40)), rows)).surely


@pytest.mark.parametrize("n", [300, 3000, 20_000])
@pytest.mark.parametrize("sizes", [(40, 40), (4, 4), (2, 2, 2), (10,), (3, 5, 7, 2), (10, 10, 10)], ids=str)
def test_people_who_look_alike(n, sizes):
    """Whether labels are coins, rare, or told by a column."""
    rng = np.random.default_rng(6)
    cells, coins = people(n, rng, sizes)
    told, seldom = cells[:, 0] > sizes[0] / 2, rng.random(n) < 0.002 + 0.05 * (cells[:, 0] == 0)
    for labels in (coins, told.astype(int), seldom.astype(int)):
        assert explained(cells, labels)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", ["categorical", "repeated", "give-away", "rare", "levels"])
@pytest.mark.parametrize("n", [2000, 20_000])
def test_populations(kind, seed, n):
    """Few distinct rows, each many times and with labels of its own, are people too."""
    table, labels, _ = KINDS[kind](seed).draw(n, np.random.default_rng(seed))
    codes = [column.dictionary_encode().combine_chunks().indices.fill_null(-1).to_numpy() for column in table]
    assert explained(np.stack(codes, axis=1), labels)


@pytest.mark.parametrize("sizes", [(20, 20, 20), (6,) * 5, (50, 60), (40, 40)], ids=str)
def test_rows_drawn_with_replacement_where_people_coincide_too(sizes):
    rng = np.random.default_rng(16)
    assert drawn_again(*again(*people(1000, rng, sizes), rng.integers(0, 1000, 3000)))
    assert not drawn_again(*people(3000, rng, sizes))


def crowds(n, rng):
    """Honest people who depend on each other, by name."""
    busy, some, level = rng.gamma(0.3, 1, n)[:, None], rng.random(n) < 0.5, rng.integers(0, 30, n)
    flags = rng.random((n, 60)) < 1 - np.exp(-0.2 * busy)
    few = rng.random((n, 6)) < 1 - np.exp(-0.5 * busy)
    coins = rng.random(n) < 0.3
    yield "60 flags", flags, coins
    yield "60 flags, told", flags, rng.random(n) < np.where(flags.any(axis=1), 0.4, 0.02)
    yield "6 flags, told", few, rng.random(n) < np.where(few.any(axis=1), 0.4, 0.02)
    for columns in (2, 3):
        yield f"{columns} skewed", rng.random((n, columns)) < 0.1, coins
    yield "of one kind", np.column_stack([level, level * 7 % 31, level + 100]), coins
    yield "half zero", np.where(some[:, None], rng.normal(size=(n, 10)), 0), coins
    yield "half zero, levels", np.where(some[:, None], rng.integers(0, 10, (n, 4)), 0), coins


@pytest.mark.parametrize("n", [1000, 5000, 20_000])
def test_crowds_are_not_drawn_again(n):
    for name, cells, labels in crowds(n, np.random.default_rng(17)):
        assert not drawn_again(cells, labels.astype(int)), name


def test_numbers_of_people_are_plausible():
    """However unequal their probabilities are; and no test of whether these numbers are is one that cannot fail."""
    rng = np.random.default_rng(7)
    for shares in (rng.dirichlet(np.full(500, 0.1)), rng.dirichlet(np.full(500, 10.0)), np.full(500, 1 / 500)):
        for n in (400, 2000, 20_000):
            there = rng.multinomial(n, shares)
            assert coincidence.plausible(there[there > 0])
    assert not coincidence.plausible(2 * there[there > 0])


@pytest.mark.parametrize("often", [399, 400, 401, 402])
def test_one_record_that_is_there_often_is_no_multiple(often):
    assert coincidence.plausible(np.array([often, 1]))


def test_excess_by_hand():
    """Nothing but pairs: the likeliest rate makes 1 and 3 as probable as can be and leaves sqrt(2 / 3) to either."""
    q = 1 / (1 + 2 * np.sqrt(2 / 3))
    assert coincidence.excess(np.array([0, 50, 0]), 2) == pytest.approx(100 * np.log(1 / q))
    assert coincidence.excess(np.array([100, 50, 20]), 2) == 0


# ---- what becomes of them


@pytest.fixture
def asked(audit, tmp_path):
    """The report of a command on a table, and its exit status."""

    def run(columns, command, *arguments):
        pq.write_table(pa.table(columns), tmp_path / "t.parquet")
        ended = audit(command, tmp_path / "t.parquet", "-f", "json", "--no-output", *arguments)
        return ended.status, ended.report

    return run


def coins(people, times, seed=8):
    """Noise, and each row several times."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(people), times)
    return {
        "a": rng.normal(size=people)[rows],
        "b": rng.normal(size=people)[rows],
        "y": rng.integers(0, 2, people)[rows],
    }


def codes(report):
    """About rows."""
    about_rows = {*FIRST} - {*MODEL_DOUBTS, UNPUBLISHED}
    return [one["code"] for one in report["remarks"] if one["code"] in about_rows]


def limits(report):
    return [one for one in report["findings"] if one["low"] is not None or one["high"] is not None]


GATE = ("--mechanism", "rr:epsilon=2", "--fail-if", "advantage.high > 0.1")


@pytest.mark.parametrize(
    ("answer", "said"), [((), [UNANSWERED, LEFT_OUT]), (("--repeats", "people"), [REFUTED])], ids=["none", "people"]
)
def test_no_limit_is_given_while_rows_are_in_doubt(asked, answer, said):
    """Nor does a line on an estimate pass. Who says people is refuted by their numbers."""
    status, report = asked(coins(200, 40), "check", *GATE, "--fail-if", "uninformed_utility.estimate > 1", *answer)
    assert status == 1
    assert codes(report) == said
    assert limits(report) == []
    for verdict in report["judgement"]["verdicts"]:
        assert verdict["outcome"] == "not measured" and "--repeats" in verdict["said"]
    assert all("--repeats" in one["reason"] for one in report["findings"] if one["quantity"] == "advantage")


def test_copies_are_left_out(asked):
    status, report = asked(coins(200, 40), "check", *GATE, "--repeats", "copies")
    assert status == 1
    assert codes(report) == [LEFT_OUT]
    assert report["dataset"]["rows_used"] == 200
    advantage = only(report, "advantage")
    assert advantage["high"] > 0.38 >= advantage["low"]


@pytest.mark.parametrize("levels", [None, 20])
def test_who_says_people_may_be_right(asked, levels):
    """Of those who were drawn with replacement nobody can tell; they are asked about."""
    rng = np.random.default_rng(18)
    rows = rng.integers(0, 1000, 3000)
    cells = rng.integers(0, 20, (3, 1000)) if levels else rng.normal(size=(3, 1000))
    table = dict(zip("abc", cells[:, rows], strict=True)) | {"y": rng.integers(0, 2, 1000)[rows]}
    assert codes(asked(table, "nu-max")[1]) == [UNANSWERED, LEFT_OUT]
    assert codes(asked(table, "nu-max", "--repeats", "people")[1]) == []


@pytest.mark.parametrize("kind", ["source", "ids", "noise", "wave"])
def test_copies_that_differ_in_one_column_are_left_out(asked, kind):
    times, last = told_apart(kind, 2000, np.random.default_rng(15))
    once = coins(2000, 1)
    table = {name: np.tile(column, times) for name, column in once.items()} | {"last": last}
    report = asked(table, "nu-max")[1]
    assert [(one["code"], one["values"]["but"]) for one in report["remarks"][:2]] == [
        (UNANSWERED, "last"),
        (LEFT_OUT, "last"),
    ]
    assert report["dataset"]["rows_used"] == 2000
    assert limits(report) == []
    assert "in every column but last" in report["warnings"][0]
    answered = asked(table, "nu-max", "--repeats", "copies")[1]
    assert (codes(answered), answered["dataset"]["rows_used"]) == ([LEFT_OUT], 2000)
    assert codes(asked(table, "nu-max", "--repeats", "people")[1]) == [REFUTED]


def test_a_number_of_the_row_does_not_hide_copies(asked):
    table = coins(200, 4) | {"id": np.arange(800), "name": [f"n{i}" for i in range(800)]}
    assert UNANSWERED in codes(asked(table, "nu-max", "--exclude", "id")[1])


def test_excluded_columns_tell_people_apart(asked):
    rng = np.random.default_rng(10)
    table = {"a": rng.integers(0, 3, 3000), "b": rng.normal(size=3000), "y": rng.integers(0, 2, 3000)}
    report = asked(table, "nu-max", "--exclude", "b", "--repeats", "copies")[1]
    assert report["dataset"]["rows_used"] == 3000


def test_columns_of_any_type_are_compared(asked):
    table = coins(100, 3) | {"lists": [[i // 3, 1] for i in range(300)]}
    report = asked(table, "nu-max", "--exclude", "lists", "--repeats", "copies")[1]
    assert report["dataset"]["rows_used"] == 100
    table |= {"lists": [[i, 1] for i in range(300)], "others": [[2, i] for i in range(300)]}
    without = "--exclude", "lists", "--exclude", "others", "--repeats", "copies"
    assert asked(table, "nu-max", *without)[1]["dataset"]["rows_used"] == 300


def test_given_probabilities_are_no_way_round(asked):
    rng = np.random.default_rng(11)
    table = coins(1000, 10) | {"p": np.repeat(rng.uniform(0.3, 0.7, 1000), 10)}
    report = asked(table, "audit", "--eta", "p", "--mechanism", "rr:epsilon=1")[1]
    assert UNANSWERED in codes(report)
    assert limits(report) == []


def with_people(apart):
    """Three of them with several rows each, all written twice: neither whose row it is, nor the column in which copies
    differ, makes another person."""
    table = coins(400, 2) | {"who": np.repeat(np.arange(400), 2) // 3}
    columns = {name: np.tile(column, 2) for name, column in table.items()}
    columns["who"] = np.r_[table["who"], table["who"] + 1000]
    return columns | ({"wave": np.repeat([0, 1], 800)} if apart else {})


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        (coins(200, 3), (), [UNANSWERED, LEFT_OUT]),
        (coins(200, 3), ("--repeats", "copies"), [LEFT_OUT]),
        (coins(300, 5) | {"who": np.repeat(np.arange(300), 5)}, ("--group", "who"), [ONE_EACH]),
        (with_people(False), ("--group", "who", "--repeats", "copies"), [LEFT_OUT, ONE_EACH]),
        (with_people(True), ("--group", "who", "--repeats", "copies"), [LEFT_OUT, ONE_EACH]),
    ],
    ids=["doubt", "copies", "people", "both", "both, apart"],
)
def test_a_file_of_eta_says_the_same(audit, tmp_path, columns, options, said):
    """It is about the rows that judge, and no sentence of it decides anything: codes do."""
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert audit("estimate-eta", tmp_path / "t.parquet", *options).status == 0
    told = ("-f", "json", "--no-output", "--mechanism", "rr:epsilon=1")
    straight = audit("advantage", tmp_path / "t.parquet", *told, *options).report
    stored = audit("advantage", tmp_path / "t.parquet", *told, "--eta-file", "labeldp-report/eta.parquet").report
    assert stored["findings"] == straight["findings"]
    assert stored["remarks"] == straight["remarks"]
    assert codes(stored) == said
    if said == [ONE_EACH]:
        rows = pq.read_table("labeldp-report/eta.parquet")["row"].to_numpy() - 1
        assert sorted(columns["who"][rows]) == list(range(300))


@pytest.mark.parametrize("estimator", ["knn", "boosted"])
def test_one_row_of_each_person_judges(asked, estimator):
    """One coin a person: fifty rows of sixty people say no more than sixty labels."""
    rng = np.random.default_rng(12)
    who = np.repeat(np.arange(60), 50)
    table = {"a": rng.normal(size=3000), "b": rng.normal(size=3000), "y": rng.integers(0, 2, 60)[who], "who": who}
    report = asked(table, "advantage", "--group", "who", "--estimator", estimator, "--mechanism", "rr:epsilon=1")[1]
    assert codes(report) == [ONE_EACH]
    assert report["dataset"]["rows_used"] == 60
    advantage = only(report, "advantage")
    assert advantage["n"] == 60
    assert advantage["high"] > 0.2310


NANOSECOND = 1_700_000_000_123_456_789


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1, 2], [2, 1], [1, 2], None, [], [None]]),
        pa.array([[[1], [2]], [[2], [1]], [[1], [2]], None, [], [[]]]),
        pa.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], None, [0.0, 0.0], [0.0, 1.0]], pa.list_(pa.float32(), 2)),
        pa.array([{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 1, "b": "x"}, None, {"a": 0}, {"b": "x"}]),
        pa.array([[("a", 1)], [("a", 2)], [("a", 1)], None, [], [("b", 1)]], pa.map_(pa.string(), pa.int64())),
        pa.array([[NANOSECOND], [1], [NANOSECOND], None, [], [2]], pa.list_(pa.timestamp("ns"))),
    ],
    ids=lambda column: str(column.type),
)
def test_nested_cells(column):
    words = repeats.column_words(column, "c").tolist()
    assert [words.index(word) for word in words] == [0, 1, 0, 3, 4, 5]
    sliced = repeats.column_words(column.slice(1, 3), "c").tolist()
    assert sliced == words[1:4]


@pytest.mark.parametrize(
    ("who", "labels", "said"),
    [
        ([None, *"abcde"] * 50, [0, 1] * 150, "name nobody: 50 of 300"),
        ([[1]] * 300, [0, 1] * 150, "type list"),
        ([0] * 150 + [1] * 150, [1] + [0] * 299, "too few people"),
    ],
    ids=["nobody", "lists", "of one class"],
)
def test_people_who_cannot_judge(audit, tmp_path, who, labels, said):
    pq.write_table(pa.table({"x": np.arange(300) * 1.5, "who": who, "y": labels}), tmp_path / "t.parquet")
    ended = audit("nu-max", tmp_path / "t.parquet", "--group", "who", "--no-output")
    assert ended.status == 3
    assert said in ended.error


def test_an_excluded_column_that_cannot_be_read_is_no_reason_to_refuse(read_text):
    lines = [f"{i * 1.5},caf\xe9 {i},{i % 2}" for i in range(300)]
    table = read_text("\n".join(["x,w,y", *lines]).encode("latin1"), exclude=("w",), records=True)
    assert table.remarks == ()


def test_columns_that_were_no_features_may_turn_out_wider(small_blocks, read_text):
    """Whole numbers for several blocks, and then a fraction."""
    cells = [*(str(i % 50) for i in range(1000)), "0.5"]
    lines = [f"{cell},0.5,{i % 2}" for i, cell in enumerate(cells)]
    table = read_text("\n".join(["x,p,y", *lines]), eta=("p",), records=True, repeats="people")
    assert table.dataset.rows == 1001
