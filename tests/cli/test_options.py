"""What can be asked of the real commands is heard: options reach what they are about."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from people import ROWS
from running import of, only

from labeldp_audit.cli import terminal
from labeldp_audit.core.progress import Silent

JSON = ("-f", "json", "--no-output")


@pytest.fixture
def found(audit, table):
    """The report of a command on the table."""

    def run(*options: object, command: str = "nu-max") -> dict:
        ended = audit(command, table, *JSON, *options)
        assert ended.status == 0, ended.err
        return ended.report

    return run


@pytest.mark.parametrize(
    ("options", "parameters", "eta"),
    [
        ((), {}, {"queries": ROWS}),
        (("--k", 90), {}, {"k": 90}),
        (("--queries", 100), {}, {"queries": 100}),
        (("--queries", "all"), {}, {"queries": ROWS}),
        (("--queries", ROWS * 9), {}, {"queries": ROWS}),
        (("--recall", 1), {"recall": 1.0}, {"exact": True, "recall": 1.0}),
        (("--confidence", 0.9, "--seed", 7), {"confidence": 0.9, "seed": 7}, {}),
    ],
    ids=str,
)
def test_options_are_heard(found, options, parameters, eta):
    report = found(*options)
    assert report["parameters"] == {"confidence": 0.99, "seed": 0} | parameters
    assert report["eta"] == report["eta"] | eta
    assert {one["n"] for one in report["findings"]} == {report["eta"]["queries"]}


def test_a_sample_of_queries_follows_the_seed(found):
    one, same, other = (found("--queries", 60, "--seed", seed, command="estimate-j") for seed in (1, 1, 2))
    assert one == same
    assert one["findings"] != other["findings"]
    assert any("60 of 600 rows, drawn uniformly, were asked" in warning for warning in one["warnings"])


def test_more_confidence_is_wider(found):
    reports = (found("--confidence", level, command="advantage") for level in (0.9, 0.999))
    narrow, wide = (only(report, "uninformed_utility") for report in reports)
    assert wide["low"] < narrow["low"] < narrow["estimate"] < narrow["high"] < wide["high"]


def test_fewer_taus_are_narrower_and_smoothness_widens_and_says_so(found):
    def j_at_one(*options: object) -> dict:
        report = found("--k", 250, "--mechanism", "rr:epsilon=1", *options, command="estimate-j")
        return of(report, "j", "rr:epsilon=1", tau=1)

    def inside(narrow: dict, wide: dict) -> bool:
        within = wide["low"] <= narrow["low"] <= narrow["high"] <= wide["high"]
        return within and wide["high"] - wide["low"] > narrow["high"] - narrow["low"]

    plain, vouched = j_at_one("--tau", "1"), j_at_one("--tau", "1", "--smoothness", "0.2,1")
    assert vouched["estimate"] == plain["estimate"]
    assert inside(plain, vouched) and inside(plain, j_at_one("--tau", "1:3:0.1"))
    said, told = (" ".join(one["assumptions"]) for one in (plain, vouched))
    assert "neighbourhood averages" in said and "standardised" not in said
    assert "measure smoothness with C = 0.2, beta = 1" in told and "neighbourhood averages" not in told
    assert "standardised by the means and deviations of these very rows" in told


def test_mechanisms_are_answered_once_in_their_order(found):
    specs = ("rr:epsilon=3", "rr:pi=0.25", "rr:epsilon=1|3", "rr:lambda=0.5")
    report = found(*(part for spec in specs for part in ("--mechanism", spec)))
    answered = dict.fromkeys(one["mechanism"] for one in report["findings"] if one["mechanism"])
    assert list(answered) == ["rr:epsilon=3", "rr:epsilon=1.0986122886681096", "rr:epsilon=1"]


def test_columns_follow_the_options(found):
    report = found("--categorical", "age", "--exclude", "income", "--exclude", "since", "--label", "smoker")
    assert {column["name"]: column["role"] for column in report["dataset"]["columns"]} == {
        "age": "category", "income": "excluded", "smoker": "label", "city": "category", "since": "excluded",
        "label": "number",
    }  # fmt: skip
    assert report["dataset"]["positive"] == "true"
    assert report["parameters"]["exclude"] == ["income", "since"]
    assert report["parameters"]["categorical"] == ["age"]


def test_the_positive_class_turns_the_question_round(found):
    one, zero = found("--positive", "1"), found("--positive", "0")
    assert (zero["dataset"]["positive"], zero["dataset"]["classes"]) == ("0", ["1", "0"])
    assert only(zero, "eta_max")["estimate"] == pytest.approx(1 - only(one, "eta_min")["estimate"], abs=1e-12)
    assert only(zero, "eta_max")["low"] == pytest.approx(1 - only(one, "eta_min")["high"], abs=1e-12)


@pytest.mark.parametrize(("asked", "read"), [("1", []), ("1,1", ["scanning", "encoding", "looking for copies"])])
def test_a_smoothness_is_refused_as_soon_as_can_be(audit, table, monkeypatch, asked, read):
    """Before the table is read, or at least before the search."""
    seen: list[str] = []

    class Watching(Silent):
        def stage(self, name: str, total: float | None, unit: str) -> None:
            seen.append(name)

    monkeypatch.setattr(terminal, "watched", lambda quiet: nullcontext(Watching()))
    assert audit("nu-max", table, "--smoothness", asked, "--no-output").status == 2
    assert seen == read
