"""What can be asked of the real commands is heard."""

from __future__ import annotations

import pytest
from people import ROWS
from running import of, only

JSON = ("-f", "json", "--no-output")


@pytest.fixture
def found(audit, table):
    """The report of a command on the table."""

    def run(*options: object, command: str = "nu-max") -> dict:
        ended = audit(command, table, *JSON, *options)
        assert ended.status == 0, ended.err
        return ended.report

    return run


def taus(report: dict) -> list[float]:
    return sorted({one["at"]["tau"] for one in report["findings"] if one["quantity"] == "j"})


def of_mechanisms(report: dict) -> list[str]:
    return list(dict.fromkeys(one["mechanism"] for one in report["findings"] if one["mechanism"]))


@pytest.mark.parametrize(
    ("options", "parameters", "eta"),
    [
        ((), {}, {"queries": ROWS}),
        (("--k", 50), {}, {"k": 50}),
        (("--k", ROWS - 1), {}, {"k": ROWS - 1}),
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
    narrow, wide = (only(found("--confidence", level), "eta_max") for level in (0.9, 0.999))
    assert wide["low"] < narrow["low"] < narrow["estimate"] < narrow["high"] < wide["high"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("2", [2.0]),
        ("1,2.5,1e1", [1.0, 2.5, 10.0]),
        ("3,1,3", [1.0, 3.0]),
        ("0:1:0.25", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("-1:1:1", [-1.0, 0.0, 1.0]),
    ],
)
def test_taus(found, asked, expected):
    report = found("--tau", asked, command="estimate-j")
    assert taus(report) == expected
    assert report["parameters"]["tau"] == asked


@pytest.fixture
def j_at_one(found):
    """J at tau = 1, with neighbourhoods large enough to say something."""

    def run(*options: object) -> dict:
        report = found("--k", 250, "--mechanism", "rr:epsilon=1", *options, command="estimate-j")
        return of(report, "j", "rr:epsilon=1", tau=1)

    return run


def inside(narrow: dict, wide: dict) -> bool:
    within = wide["low"] <= narrow["low"] <= narrow["high"] <= wide["high"]
    return within and wide["high"] - wide["low"] > narrow["high"] - narrow["low"]


def test_fewer_taus_are_narrower(j_at_one):
    assert inside(j_at_one("--tau", "1"), j_at_one("--tau", "1:3:0.1"))


def test_smoothness_widens_and_says_so(j_at_one):
    plain, vouched = j_at_one("--tau", "1"), j_at_one("--tau", "1", "--smoothness", "0.2,1")
    assert vouched["estimate"] == plain["estimate"]
    assert inside(plain, vouched)
    assert "neighbourhood averages" in " ".join(plain["assumptions"])
    assert "measure smoothness with C = 0.2, beta = 1" in " ".join(vouched["assumptions"])
    assert "standardised by the means and deviations of these very rows" in " ".join(vouched["assumptions"])
    assert "standardised" not in " ".join(plain["assumptions"])
    assert "neighbourhood averages" not in " ".join(vouched["assumptions"])


@pytest.mark.parametrize(
    ("specs", "expected"),
    [
        ((), ["rr:epsilon=0.5", "rr:epsilon=1", "rr:epsilon=2", "rr:epsilon=4"]),
        (("rr:epsilon=1|3",), ["rr:epsilon=1", "rr:epsilon=3"]),
        (("rr:epsilon=3", "rr:epsilon=1", "rr:epsilon=3"), ["rr:epsilon=3", "rr:epsilon=1"]),
        (("rr:pi=0.25",), ["rr:epsilon=1.09861"]),
        (("rr:lambda=0.5",), ["rr:epsilon=1.09861"]),
    ],
    ids=str,
)
def test_mechanisms(found, specs, expected):
    report = found(*(part for spec in specs for part in ("--mechanism", spec)))
    assert of_mechanisms(report) == expected


def roles(report: dict) -> dict[str, str]:
    return {column["name"]: column["role"] for column in report["dataset"]["columns"]}


def test_columns_follow_the_options(found):
    report = found("--categorical", "age", "--exclude", "income", "--exclude", "since", "--label", "smoker")
    assert roles(report) == {
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


def test_one_class_against_the_rest(audit, tables, tmp_path):
    ended = audit("nu-max", tables / "t.csv", *JSON, "--label", "city", "--drop-null-labels", "--positive", "Ulm")
    assert ended.report["dataset"]["classes"] == ["rest", "Ulm"]


def test_another_delimiter(audit, tables, table):
    text = (tables / "t.tsv").read_text(encoding="utf-8").replace("\t", ";")
    (audit.folder / "t.csv").write_text(text, encoding="utf-8")
    ended = audit("nu-max", "t.csv", *JSON, "--delimiter", ";")
    assert ended.report["findings"] == audit("nu-max", table, *JSON).report["findings"]


def test_flags_beat_variables_beat_the_file_beat_the_defaults(audit, table, monkeypatch):
    def k_and_seed(*options: object) -> tuple[int, int, float]:
        report = audit("nu-max", table, *JSON, *options).report
        return report["eta"]["k"], report["parameters"]["seed"], report["parameters"]["confidence"]

    (audit.folder / "labeldp-audit.toml").write_text("k = 41\nseed = 1\nconfidence = 0.9\n")
    monkeypatch.setenv("LABELDP_AUDIT_K", "42")
    monkeypatch.setenv("LABELDP_AUDIT_SEED", "2")
    assert k_and_seed("--k", 43) == (43, 2, 0.9)
    assert k_and_seed("--no-config") == (42, 2, 0.99)
    monkeypatch.delenv("LABELDP_AUDIT_K")
    assert k_and_seed() == (41, 2, 0.9)
    monkeypatch.delenv("LABELDP_AUDIT_SEED")
    assert k_and_seed() == (41, 1, 0.9)


def test_a_file_configures_columns(audit, table):
    (audit.folder / "pyproject.toml").write_text('[tool.labeldp-audit]\nexclude = ["age"]\nmechanism = ["rr:pi=0.1"]\n')
    report = audit("nu-max", table, *JSON).report
    assert roles(report)["age"] == "excluded"
    assert of_mechanisms(report) == ["rr:epsilon=2.19722"]


def test_a_file_may_set_what_other_commands_ask_for(audit, table):
    plain = audit("nu-max", table, *JSON).out
    (audit.folder / "labeldp-audit.toml").write_text('tau = "1,2"\n')
    assert audit("nu-max", table, *JSON).out == plain
    assert audit("estimate-j", table, *JSON).report["parameters"]["tau"] == "1,2"


@pytest.mark.parametrize("command", ["estimate-eta", "nu-max"])
def test_every_command_takes_a_smoothness(found, command):
    plain = found("--k", 250, command=command)
    vouched = found("--k", 250, "--smoothness", "0.2,1", command=command)
    assert inside(only(plain, "eta_max"), only(vouched, "eta_max"))


@pytest.mark.parametrize(("asked", "read"), [("1", []), ("1,1", ["scanning", "encoding", "looking for copies"])])
def test_a_smoothness_is_refused_as_soon_as_can_be(audit, table, monkeypatch, asked, read):
    """Before the table is read, or at least before the search."""
    from contextlib import nullcontext

    from labeldp_audit.cli import terminal
    from labeldp_audit.core.progress import Silent

    seen: list[str] = []

    class Watching(Silent):
        def stage(self, name: str, total: float | None, unit: str) -> None:
            seen.append(name)

    monkeypatch.setattr(terminal, "watched", lambda quiet: nullcontext(Watching()))
    assert audit("nu-max", table, "--smoothness", asked, "--no-output").status == 2
    assert seen == read
