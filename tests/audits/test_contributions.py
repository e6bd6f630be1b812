"""What a column contributes: found where it is planted, nothing where there is nothing, hidden where another says the
same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import only

from labeldp_audit.audits import contributions
from labeldp_audit.questions.quantities import OF_COLUMNS

JSON = ("-f", "json", "--no-output", "--quiet")
MODELS = ("--estimator", "boosted", "--mechanism", "rr:epsilon=1", "--explain")
LINE = ("--fail-if", "certified_j(tau=2).low > 2")
ROWS = 2000


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """strong and weak tell something, noise nothing, and one of twins is enough."""
    rng = np.random.default_rng(5)
    columns = {name: rng.normal(size=ROWS) for name in ("strong", "weak", "noise", "twin")}
    score = 2 * columns["strong"] + columns["weak"] + 1.5 * columns["twin"]
    columns["other_twin"] = columns["twin"]
    labels = (rng.random(ROWS) < 1 / (1 + np.exp(-score))).astype(int)
    file = tmp_path_factory.mktemp("planted") / "t.parquet"
    pq.write_table(pa.table(columns | {"y": labels}), file)
    return file


@pytest.fixture
def few_lots(monkeypatch):
    """No more fits than these tests need."""
    monkeypatch.setattr(contributions, "FITS", 1)


@pytest.fixture
def small(tmp_path):
    """A telling column and noise."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(400, 2))
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": x[:, 0], "b": x[:, 1], "y": (x[:, 0] > 0).astype(int)}), file)
    return file


@pytest.fixture
def report(audit, planted, made={}):  # noqa: B006 made once
    if planted not in made:
        made[planted] = audit("audit", planted, *MODELS, *LINE, "--threads", 2, *JSON).report
    return made[planted]


def column(report, quantity, name):
    [found] = [one for one in report["findings"] if one["quantity"] == quantity and one["at"]["column"] == name]
    return found


def test_columns_are_ranked_by_what_is_lost_without_them(report):
    lost = {name: column(report, "column_log_loss", name) for name in ("strong", "weak", "noise", "twin", "other_twin")}
    assert lost["strong"]["low"] > lost["weak"]["high"] > 0.01
    assert lost["weak"]["low"] > 0
    for name in ("noise", "twin", "other_twin"):
        assert abs(lost[name]["estimate"]) < 0.01 and lost[name]["low"] < 0 < lost[name]["high"]
    for one in lost.values():
        assert one["low"] <= one["estimate"] <= one["high"] and one["confidence"] == 0.99


def test_the_losses_of_the_policy_and_the_mechanisms_that_were_asked_for(report):
    found = [one for one in report["findings"] if one["quantity"] == "column_j"]
    assert {one["at"]["tau"] for one in found} == {2.0} and {one["mechanism"] for one in found} == {"rr:epsilon=1"}
    assert column(report, "column_j", "strong")["estimate"] > 0.02
    assert abs(column(report, "column_j", "noise")["estimate"]) < 0.02
    assert column(report, "column_advantage", "strong")["high"] < 0  # a release adds more where features tell less
    assert all(one["low"] is None and "models say this of themselves" in one["assumptions"][-1] for one in found)


def test_what_models_say_of_bags_has_no_limits(audit, small, few_lots):
    arguments = ("--estimator", "boosted", "--mechanism", "llp:k=4", "--explain", *JSON)
    found = column(audit("audit", small, *arguments).report, "column_advantage", "a")
    assert found["estimate"] < 0 and found["low"] is None and found["high"] is None


def test_the_same_seed_explains_the_same_whatever_the_threads(audit, small, few_lots):
    once, again, other = (audit("audit", small, *MODELS, "--threads", 1 + n, "--seed", n // 2, *JSON) for n in range(3))
    assert once.out == again.out
    assert column(once.report, "column_log_loss", "a") != column(other.report, "column_log_loss", "a")


def test_neighbours_can_be_explained_too(audit, small, few_lots):
    report = audit("audit", small, "--estimator", "knn", "--mechanism", "rr:epsilon=1", "--explain", *JSON).report
    assert report["eta"]["estimator"] == "knn"
    assert column(report, "column_log_loss", "a")["low"] > column(report, "column_log_loss", "b")["high"]


def test_models_of_others_cannot_be_fitted_again(audit, planted):
    ended = audit("audit", planted, "--eta", "weak", "--explain")
    assert ended.status == 2 and "leave out --eta" in ended.error


def test_without_asking_nothing_is_explained(audit, small):
    report = audit("audit", small, *MODELS[:-1], *JSON).report
    assert not any(one["quantity"] in {known.name for known in OF_COLUMNS} for one in report["findings"])
    assert only(report, "certified_uninformed_utility")


def test_of_wide_tables_the_columns_that_are_used_most(audit, tmp_path, monkeypatch, few_lots):
    monkeypatch.setattr("labeldp_audit.audits.contributions.MOST_COLUMNS", 3)
    rng = np.random.default_rng(8)
    x = rng.normal(size=(800, 12))
    labels = (rng.random(800) < 1 / (1 + np.exp(-2 * x[:, 4] - 2 * x[:, 7]))).astype(int)
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({f"x{place}": column for place, column in enumerate(x.T)} | {"y": labels}), file)
    report = audit("audit", file, *MODELS, *JSON).report
    found = [one["at"]["column"] for one in report["findings"] if one["quantity"] == "column_log_loss"]
    assert len(found) == 3 and {"x4", "x7"} <= {*found}
    assert "3 of 12 columns" in " ".join(report["warnings"])


@pytest.mark.parametrize("shown", [2, 5])
def test_the_level_is_shared_among_all_columns_that_might_be_shown(audit, tmp_path, monkeypatch, few_lots, shown):
    """Labels choose which of a wide table's columns are left out in turn."""
    misses, whole = [], contributions._finding

    def noted(number, name, fall, usual, free, miss, settings):
        misses.append((1 - settings.confidence) / miss)
        return whole(number, name, fall, usual, free, miss, settings)

    monkeypatch.setattr(contributions, "MOST_COLUMNS", shown)
    monkeypatch.setattr(contributions, "_finding", noted)
    x = np.random.default_rng(8).normal(size=(200, 5))
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({f"x{place}": one for place, one in enumerate(x.T)} | {"y": x[:, 4] > 0}), file)
    found = audit("audit", file, *MODELS, *JSON).report["findings"]
    numbers = sum(one["at"].get("column") == "x4" for one in found)
    assert len(misses) == shown * numbers
    assert misses == pytest.approx([5 * numbers] * len(misses))


def test_where_nothing_differs_nothing_is_claimed(audit, tmp_path, few_lots):
    """Trees that never split say 0 with and without a column, which shows nothing."""
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": np.arange(60) % 2, "b": np.arange(60) % 3, "y": np.arange(60) // 2 % 2}), file)
    line = ("--fail-if", "column_advantage.high > 0.5")
    ended = audit("audit", file, *MODELS, *line, *JSON)
    found = [one for one in ended.report["findings"] if one["quantity"] == "column_advantage"]
    assert all((one["low"] is None) == (one["estimate"] is None) for one in found)
    if any(one["high"] is None for one in found):
        assert ended.status == 1


def test_rows_of_one_person_are_not_independent():
    from labeldp_audit.audits.contributions import _Fall, _Value

    once = np.random.default_rng(4).normal(size=300)
    whole, without = _Value.of_rows(once, judged=True), _Value.of_rows(np.zeros(300), judged=True)
    each = _Fall.between([whole], [without], 1.0, np.arange(300))
    ten = np.repeat(once, 10)
    rows, nothing = _Value.of_rows(ten, judged=True), _Value.of_rows(0 * ten, judged=True)
    together = _Fall.between([rows], [nothing], 1.0, np.repeat(np.arange(300), 10))
    assert together.by_rows == pytest.approx(each.by_rows) and together.mean == pytest.approx(each.mean)


@pytest.mark.slow
def test_limits_hold_for_noise_and_for_what_refits_give():
    """40 tables with a column of pure noise: at 99 % hardly an interval excludes 0, and none misses the mean of all."""
    from dataclasses import replace
    from unittest.mock import patch

    from labeldp_audit.audits import contributions
    from labeldp_audit.core.progress import Silent
    from labeldp_audit.core.settings import Settings
    from labeldp_audit.data import ReadOptions, read_table
    from labeldp_audit.mechanisms.randomized_response import RandomizedResponse

    found = []
    for seed in range(40):
        rng = np.random.default_rng([9, seed])
        x = rng.normal(size=(2000, 3))
        labels = (rng.random(2000) < 1 / (1 + np.exp(-1.5 * x[:, 0] - 0.7 * x[:, 1]))).astype(int)
        text = "a,b,noise,y\n" + "".join(f"{a},{b},{c},{y}\n" for (a, b, c), y in zip(x, labels, strict=True))
        with patch("sys.stdin") as stdin:
            import io

            stdin.buffer = io.BytesIO(text.encode())
            table = read_table("-", ReadOptions(), Silent())
        settings = replace(Settings(), estimator="boosted", threads=2)
        found.append({
            (one.quantity, one.at["column"]): one.bound
            for one in contributions.measured(table, [RandomizedResponse(1.0)], [], settings, Silent())
        })  # fmt: skip
    limited = [place for place in found[0] if place[0] != "column_j"]  # models say J of themselves
    for place in limited:
        bounds = [one[place] for one in found]
        mean = float(np.mean([one.estimate for one in bounds]))
        assert sum(not one.low <= mean <= one.high for one in bounds) <= 1, place
        if place[1] == "noise":
            assert sum(one.low > 0 for one in bounds) == 0, place
    assert {name for _, name in limited} == {"a", "b", "noise"}


def test_the_chance_of_lots_is_that_of_most_columns_and_no_less_than_a_column_shows():
    from labeldp_audit.audits.contributions import _Fall, _usual_chance

    rng = np.random.default_rng(3)
    falls = [_Fall(tuple(rng.normal(size=2)), 0.0, 9, True) for _ in range(4000)]
    assert 0.45 < _usual_chance(falls) < 0.55  # variance 1, two lots
    wild = [_Fall((0.0, 100.0), 0.0, 9, True), *falls[:200]]
    assert _usual_chance(wild) < 0.8 and wild[0].by_lots == 2500
