"""Copies of rows are found out, people who look alike are not taken for copies, and limits do without either."""

from __future__ import annotations

import functools
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import only
from worlds import KINDS

from labeldp_audit.core.remark import LEFT_OUT, ONE_EACH, REFUTED, UNANSWERED
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
    found = coincidence.but_one(whole[most], words[most], labels[most])
    return None if found is None else found[1]


def drawn_again(cells, labels):
    """Whether rows agree more often than their columns would make them."""
    words, whole, labels = worded(cells, labels)
    return coincidence.drawn_again(whole, words, of_column(labels, 99), np.random.default_rng(0))


def worded(cells, labels):
    """Words of cells, and of whole rows."""
    words = np.stack([of_column(column, j) for j, column in enumerate(np.asarray(cells).T)], axis=1)
    return words, words.sum(axis=1, dtype=np.uint64) + of_column(labels, 99), np.asarray(labels)


def of_column(column, j):
    code = np.unique(column, return_inverse=True)[1].reshape(-1)
    return levels.mixed((code + 1).astype(np.uint64) * levels.GOLDEN + np.uint64(977 * j))


def numbers(n, rng, share=0.5):
    return rng.normal(size=(n, 3)), (rng.random(n) < share).astype(int)


def categories(n, rng, sizes, share=0.5):
    return np.stack([rng.integers(0, size, n) for size in sizes], axis=1), (rng.random(n) < share).astype(int)


def again(cells, labels, rows):
    return cells[rows], labels[rows]


@pytest.mark.parametrize("times", [2, 3, 40])
def test_a_table_written_several_times(times):
    people = numbers(200, np.random.default_rng(1))
    assert looked(*again(*people, np.repeat(np.arange(200), times))).surely


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
    [(kind, n) for kind in ("source", "ids", "noise", "three") for n in (200, 2000, 200_000)]
    + [("wave", 2000), ("wave", 40_000)],
)
def test_copies_that_differ_in_one_column(kind, n):
    rng = np.random.default_rng(13)
    cells, labels = numbers(n, rng)
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
    people = numbers(1000, np.random.default_rng(2))
    assert looked(*again(*people, np.r_[np.arange(1000), np.arange(250)])) is not None


@pytest.mark.parametrize("draw", [numbers, lambda n, rng: categories(n, rng, (40, 40))], ids=["numbers", "categories"])
def test_few_positives_drawn_up(draw):
    rng = np.random.default_rng(3)
    cells = draw(500, rng)[0]
    found = looked(*again(cells, np.r_[np.ones(15, int), np.zeros(485, int)], np.r_[15:500, rng.integers(0, 15, 500)]))
    assert (found.label, found.rows, found.of) == (1, 485, 500)


def test_a_single_column_of_numbers_drawn_up():
    rng = np.random.default_rng(3)
    labels = np.r_[np.ones(15, int), np.zeros(485, int)]
    assert looked(*again(rng.normal(size=(500, 1)), labels, np.r_[15:500, rng.integers(0, 15, 500)])) is not None


@pytest.mark.parametrize("sizes", [None, (40, 40), (10, 10, 10), (20, 20, 5), (4,) * 6], ids=str)
def test_rows_drawn_with_replacement(sizes):
    """Numbers of copies are like those of people here: what tells is that they stand alone."""
    rng = np.random.default_rng(4)
    cells, _ = numbers(500, rng) if sizes is None else categories(500, rng, sizes)
    labels = np.r_[np.ones(15, int), np.zeros(485, int)]
    found = looked(*again(cells, labels, rng.integers(0, 500, 1500)))
    assert found is not None
    assert not found.surely


def test_three_of_each_and_a_tenth_lost():
    """Two columns of 40 levels: many different people look alike as well."""
    rng = np.random.default_rng(5)
    rows = rng.choice(np.repeat(np.arange(3000), 3), 8100, replace=False)
    assert looked(*again(*categories(3000, rng, (40, 40)), rows)).surely


@pytest.mark.parametrize("n", [300, 3000, 20_000])
@pytest.mark.parametrize("sizes", [(40, 40), (4, 4), (2, 2, 2), (10,), (3, 5, 7, 2), (10, 10, 10)], ids=str)
def test_people_who_look_alike(n, sizes):
    """Whether labels are coins, rare, or told by a column."""
    rng = np.random.default_rng(6)
    cells, coins = categories(n, rng, sizes)
    told, seldom = cells[:, 0] > sizes[0] / 2, rng.random(n) < 0.002 + 0.05 * (cells[:, 0] == 0)
    for labels in (coins, told.astype(int), seldom.astype(int)):
        assert looked(cells, labels) is None
        assert looked_but_one(cells, labels) is None
        assert not drawn_again(cells, labels)


@functools.cache
def population(kind, seed):
    return KINDS[kind](seed)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("kind", ["categorical", "repeated", "give-away", "rare", "levels"])
@pytest.mark.parametrize("n", [2000, 20_000])
def test_populations(kind, seed, n):
    """Few distinct rows, each many times and with labels of its own, are people too."""
    table, labels, _ = population(kind, seed).draw(n, np.random.default_rng(seed))
    codes = [column.dictionary_encode().combine_chunks().indices.fill_null(-1).to_numpy() for column in table]
    cells = np.stack(codes, axis=1)
    assert looked(cells, labels) is None
    assert looked_but_one(cells, labels) is None
    assert not drawn_again(cells, labels)


@pytest.mark.parametrize("sizes", [(20, 20, 20), (6,) * 5, (50, 60), (40, 40)], ids=str)
def test_rows_drawn_with_replacement_where_people_coincide_too(sizes):
    rng = np.random.default_rng(16)
    people = categories(1000, rng, sizes)
    assert drawn_again(*again(*people, rng.integers(0, 1000, 3000)))
    assert not drawn_again(*categories(3000, rng, sizes))


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
    found = [
        name for name, cells, labels in crowds(n, np.random.default_rng(17)) if drawn_again(cells, labels.astype(int))
    ]
    assert found == []


def test_numbers_of_people_are_plausible():
    """However unequal their probabilities are; and no test of whether these numbers are is one that cannot fail."""
    rng = np.random.default_rng(7)
    for shares in (rng.dirichlet(np.full(500, 0.1)), rng.dirichlet(np.full(500, 10.0)), np.full(500, 1 / 500)):
        for n in (400, 2000, 20_000):
            people = rng.multinomial(n, shares)
            assert coincidence.plausible(people[people > 0])
    assert not coincidence.plausible(2 * people[people > 0])


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
    return [one["code"] for one in report["remarks"]]


def limits(report):
    return [one for one in report["findings"] if one["low"] is not None or one["high"] is not None]


GATE = ("--mechanism", "rr:epsilon=2", "--fail-if", "advantage.high > 0.1")


def test_no_limit_is_given_until_somebody_says(asked):
    status, report = asked(coins(200, 40), "check", *GATE)
    assert status == 1
    assert codes(report) == [UNANSWERED, LEFT_OUT]
    assert limits(report) == []
    assert {verdict["outcome"] for verdict in report["judgement"]["verdicts"]} == {"not measured"}
    assert all("--repeats" in one["reason"] for one in report["findings"] if one["quantity"] == "advantage")


def test_copies_are_left_out(asked):
    status, report = asked(coins(200, 40), "check", *GATE, "--repeats", "copies")
    assert status == 1
    assert codes(report) == [LEFT_OUT]
    assert report["dataset"]["rows_used"] == 200
    advantage = only(report, "advantage")
    assert advantage["high"] > 0.38 >= advantage["low"]


def test_who_says_people_is_refuted_by_their_numbers(asked):
    status, report = asked(coins(200, 40), "check", *GATE, "--repeats", "people")
    assert status == 1
    assert codes(report) == [REFUTED]
    assert limits(report) == []


def test_who_says_people_may_be_right(asked):
    """Of those who were drawn with replacement nobody can tell."""
    table = coins(500, 1)
    rows = np.random.default_rng(9).integers(0, 500, 1000)
    drawn = {name: column[rows] for name, column in table.items()}
    assert codes(asked(drawn, "nu-max")[1]) == [UNANSWERED, LEFT_OUT]
    assert codes(asked(drawn, "nu-max", "--repeats", "people")[1]) == []


def test_rows_drawn_again_are_asked_about(asked):
    rng = np.random.default_rng(18)
    rows = rng.integers(0, 1000, 3000)
    people = {name: rng.integers(0, 20, 1000)[rows] for name in "abc"} | {"y": rng.integers(0, 2, 1000)[rows]}
    assert codes(asked(people, "nu-max")[1]) == [UNANSWERED, LEFT_OUT]
    assert codes(asked(people, "nu-max", "--repeats", "people")[1]) == []


@pytest.mark.parametrize("kind", ["source", "ids", "noise", "wave"])
def test_copies_that_differ_in_one_column_are_left_out(asked, kind):
    times, last = told_apart(kind, 2000, np.random.default_rng(15))
    once = coins(2000, 1)
    table = {name: np.tile(column, times) for name, column in once.items()} | {"last": last}
    report = asked(table, "nu-max")[1]
    assert [(one["code"], one["values"]["but"]) for one in report["remarks"]] == [
        (UNANSWERED, "last"),
        (LEFT_OUT, "last"),
    ]
    assert report["dataset"]["rows_used"] == 2000
    assert limits(report) == []
    assert "in every column but last" in next(one["reason"] for one in report["findings"] if one["reason"])
    answered = asked(table, "nu-max", "--repeats", "copies")[1]
    assert (codes(answered), answered["dataset"]["rows_used"]) == ([LEFT_OUT], 2000)
    assert codes(asked(table, "nu-max", "--repeats", "people")[1]) == [REFUTED]


def test_a_number_of_the_row_does_not_hide_copies(asked):
    table = coins(200, 40) | {"id": np.arange(8000), "name": [f"n{i}" for i in range(8000)]}
    assert UNANSWERED in codes(asked(table, "nu-max", "--exclude", "id", "--exclude", "name")[1])
    assert UNANSWERED in codes(asked(table, "nu-max")[1])


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
    rows = np.repeat(np.arange(1000), 10)
    table = {
        "p": rng.uniform(0.3, 0.7, 1000)[rows],
        "x": rng.normal(size=1000)[rows],
        "y": rng.integers(0, 2, 1000)[rows],
    }
    report = asked(table, "audit", "--eta", "p", "--mechanism", "rr:epsilon=1")[1]
    assert UNANSWERED in codes(report)
    assert limits(report) == []


@pytest.mark.parametrize("answer", [(), ("--repeats", "copies")], ids=str)
def test_a_file_of_eta_says_the_same(audit, tmp_path, answer):
    """And by codes: no sentence of it decides anything."""
    pq.write_table(pa.table(coins(200, 3)), tmp_path / "t.parquet")
    assert audit("estimate-eta", tmp_path / "t.parquet", *answer).status == 0
    told = ("-f", "json", "--no-output", "--mechanism", "rr:epsilon=1")
    straight = audit("advantage", tmp_path / "t.parquet", *told, *answer).report
    stored = audit("advantage", tmp_path / "t.parquet", *told, "--eta-file", "labeldp-report/eta.parquet").report
    assert stored["findings"] == straight["findings"]
    assert stored["remarks"] == straight["remarks"]


def test_a_file_of_eta_is_about_the_rows_that_judge(audit, tmp_path):
    people = coins(300, 5) | {"who": np.repeat(np.arange(300), 5)}
    pq.write_table(pa.table(people), tmp_path / "t.parquet")
    assert audit("estimate-eta", tmp_path / "t.parquet", "--group", "who").status == 0
    rows = pq.read_table("labeldp-report/eta.parquet")["row"].to_numpy() - 1
    assert sorted(np.asarray(people["who"])[rows]) == list(range(300))
    told = ("-f", "json", "--no-output", "--mechanism", "rr:epsilon=1")
    straight = audit("advantage", tmp_path / "t.parquet", *told, "--group", "who").report
    stored = audit("advantage", tmp_path / "t.parquet", *told, "--eta-file", "labeldp-report/eta.parquet").report
    assert json.dumps(stored["findings"]) == json.dumps(straight["findings"])
    assert codes(stored) == [ONE_EACH]


@pytest.mark.parametrize("apart", [False, True])
def test_a_file_of_eta_with_people_and_copies(audit, tmp_path, apart):
    """The second time, too, neither whose row it is nor the column in which copies differ makes another person."""
    people = coins(400, 2) | {"who": np.repeat(np.arange(400), 2) // 3}
    columns = {name: np.tile(column, 2) for name, column in people.items()}
    columns |= {"who": np.r_[people["who"], people["who"] + 1000]} | ({"wave": np.repeat([0, 1], 800)} if apart else {})
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    made_with = "--group", "who", "--repeats", "copies"
    assert audit("estimate-eta", tmp_path / "t.parquet", *made_with).status == 0
    told = ("-f", "json", "--no-output", "--mechanism", "rr:epsilon=1")
    straight = audit("advantage", tmp_path / "t.parquet", *told, *made_with)
    stored = audit("advantage", tmp_path / "t.parquet", *told, "--eta-file", "labeldp-report/eta.parquet")
    assert (straight.status, stored.status) == (0, 0), stored.err
    assert stored.report["findings"] == straight.report["findings"]
    assert stored.report["remarks"] == straight.report["remarks"]
    assert codes(stored.report) == [LEFT_OUT, ONE_EACH]


@pytest.mark.parametrize("estimator", ["knn", "boosted", "supervised-knn"])
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


def test_a_line_on_an_estimate_does_not_pass_either(asked):
    """While rows are in doubt estimates are of rows that may not be people."""
    status, report = asked(
        coins(200, 40), "check", "--mechanism", "rr:epsilon=2", "--fail-if", "uninformed_utility.estimate > 1"
    )
    assert status == 1
    [verdict] = report["judgement"]["verdicts"]
    assert verdict["outcome"] == "not measured" and "--repeats" in verdict["said"]


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


def test_who_is_asked_may_be_of_one_class(asked, audit, tmp_path):
    people = {"x": np.arange(400) * 1.0, "who": np.arange(400) // 200, "y": [1] + [0] * 399}
    pq.write_table(pa.table(people), tmp_path / "t.parquet")
    ended = audit("nu-max", tmp_path / "t.parquet", "--group", "who", "--no-output")
    assert ended.status == 3
    assert "too few people" in ended.error


@pytest.mark.parametrize(
    ("column", "said"), [([None, *"abcde"] * 50, "name nobody: 50 of 300"), ([[1]] * 300, "type list")]
)
def test_who_must_be_named(audit, tmp_path, column, said):
    table = {"x": np.arange(300) * 1.5, "who": column, "y": np.arange(300) % 2}
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    ended = audit("nu-max", tmp_path / "t.parquet", "--group", "who", "--no-output")
    assert ended.status == 3
    assert said in ended.error


def test_an_excluded_column_that_cannot_be_read_is_no_reason_to_refuse(audit, tmp_path):
    lines = [f"{i * 1.5},caf\xe9 {i},{i % 2}" for i in range(300)]
    (tmp_path / "t.csv").write_bytes("\n".join(["x,w,y", *lines]).encode("latin1"))
    assert audit("nu-max", tmp_path / "t.csv", "--exclude", "w", "--no-output").status == 0
    assert audit("nu-max", tmp_path / "t.csv", "--no-output").status == 3


def test_columns_that_were_no_features_may_turn_out_wider(audit, tmp_path):
    """Whole numbers for two batches, and then a fraction."""
    cells = [*(str(i % 50) for i in range(140_000)), "0.5"]
    lines = [f"{cell},0.5,{i % 2}" for i, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["x,p,y", *lines]))
    assert audit("nu-max", tmp_path / "t.csv", "--eta", "p", "--no-output", "--repeats", "people").status == 0
