"""A package of other people with one file of each kind works everywhere, installed as any package is.

What it brings stands in examples/extend; nothing in here or in the package knows of it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from running import Ended

ROOT = Path(__file__).parent.parent
LISTS = (
    "mechanisms/test_mechanism_list.py", "estimators/test_estimator_list.py", "reports/test_format_list.py",
    "reports/test_export_list.py", "data/test_source_list.py",
)  # fmt: skip
NAMES = ("unary", "piped", "badge", "jsonl", "centroids")
LINE = "uninformed_utility.low > 0.5"
MECHANISM = ("--mechanism", "unary:epsilon=1")
QUICK = ("--estimator", "centroids", "--no-output")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of installed packages, which has this one alone."""
    if importlib.util.find_spec("hatchling") is None or importlib.util.find_spec("pip") is None:
        pytest.skip("no hatchling or pip here")
    folder = tmp_path_factory.mktemp("site")
    source = shutil.copytree(ROOT / "examples" / "extend", tmp_path_factory.mktemp("source") / "extend")
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--target")
    subprocess.run([sys.executable, *pip, str(folder), str(source)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """In a kind of file that nobody else reads."""
    rng = np.random.default_rng(2)
    file = tmp_path_factory.mktemp("table") / "t.jsonl"
    x = rng.normal(size=600)
    labels = rng.random(600) < 1 / (1 + np.exp(-3 * x))
    rows = zip(x.tolist(), rng.choice(["a", "b"], 600).tolist(), map(int, labels), strict=True)
    file.write_text("".join(json.dumps(dict(zip(("x", "ward", "label"), row, strict=True))) + "\n" for row in rows))
    return file


def environment(site, **more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LABELDP_AUDIT_")}
    return kept | {"PYTHONPATH": f"{ROOT}{os.pathsep}{site}", "COLUMNS": "200"} | more


ANSWERS = """
import contextlib, io, json, os, sys
from labeldp_audit.cli import app
for line in sys.stdin:
    folder, words = json.loads(line)
    os.chdir(folder)
    said = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
        status = app.main(words)
    print(json.dumps([status, *(one.buffer.getvalue().decode() for one in said)]), flush=True)
"""


@contextlib.contextmanager
def program(site):
    """A process in which that is installed; run(folder, *words) runs one command after another in it."""
    command, pipes = [sys.executable, "-c", ANSWERS], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(site), text=True, **pipes) as process:

        def run(folder, *words: object) -> Ended:
            print(json.dumps([str(folder), [*map(str, words)]]), file=process.stdin, flush=True)
            ended = Ended(*json.loads(process.stdout.readline()))
            assert "Traceback" not in ended.err
            return ended

        yield run
        process.stdin.close()


@pytest.fixture(scope="module")
def installed(site):
    with program(site) as run:
        yield run


@pytest.fixture
def run(installed, tmp_path):
    return partial(installed, tmp_path)


@pytest.fixture(scope="module")
def stored(installed, table, tmp_path_factory):
    """The report of an audit."""
    folder = tmp_path_factory.mktemp("stored")
    asked = "--fail-if", LINE, "--tau", "1"
    ended = installed(folder, "audit", table, *QUICK[:2], *MECHANISM, *asked, "--bags", 200, "-o", folder)
    assert ended.status == 1, ended.err
    return folder / "audit.json", ended


def test_help_names_it_and_it_is_explained(run):
    shown = " ".join(re.sub("[│╭╮╰╯─]", " ", run("advantage", "--help").out).split())
    assert "unary:epsilon=1 (a bit for each class, each flipped by a coin)" in shown
    assert ", centroids." in shown and "github, piped." in shown
    assert ".jsonl" in run("--help").out
    assert run("explain", "unary").out.startswith("unary: A bit for each class")
    listed = [line.split()[0] for line in run("explain").out.splitlines()]
    assert {"unary", "nu_max", "rr"} <= set(listed)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("advantage t.csv --mechanism una", "unary:epsilon=1"),
        ("advantage t.csv --format pi", "piped"), ("advantage t.csv --estimator cen", "centroids"),
    ],
)  # fmt: skip
def test_it_is_completed(site, words, offered):
    asked = {"_LABELDP_AUDIT_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    of_shell = environment(site, **asked, _TYPER_COMPLETE_ARGS=f"labeldp-audit {words}")
    told = subprocess.run([sys.executable, "-m", "labeldp_audit"], env=of_shell, capture_output=True, check=True)
    assert [line.split("\t")[0] for line in told.stdout.decode().splitlines()] == [offered]


def test_audit_uses_its_table_estimator_and_mechanism(stored):
    file, _ = stored
    report = json.loads(file.read_text())
    assert report["dataset"]["name"] == "t.jsonl" and report["dataset"]["rows"] == 600
    assert report["eta"]["estimator"] == "centroids"
    gains = {one["mechanism"] for one in report["findings"] if one["quantity"] == "advantage"}
    assert "unary:epsilon=1" in gains and len(gains) > 10


def test_its_format_prints_a_report(run, stored, tmp_path):
    assert run("report", stored[0], "-f", f"piped={tmp_path / 'p'}").status == 0
    shown = (tmp_path / "p").read_text(encoding="utf-8")
    assert shown.startswith("quantity | mechanism | at | estimate | low | high | reason\n")
    assert "\nadvantage | unary:epsilon=1 | epsilon = 1.0 | " in shown


def test_it_is_exported(run, stored):
    said = {"schemaVersion": 1, "label": "label privacy", "message": "fail"}
    assert json.loads(run("report", stored[0], "--export", "badge").out) == said


def test_its_mechanism_is_compared_and_tuned(run, table):
    both = (*MECHANISM, "--mechanism", "rr:epsilon=1", "--bags", 200)
    gained = run("advantage", table, *QUICK, *both, "-f", "json").report
    found = {one["mechanism"]: one["estimate"] for one in gained["findings"] if one["quantity"] == "advantage"}
    assert 0 < found["unary:epsilon=1"] < found["rr:epsilon=1"]  # its bits tell less than one answer does
    tuned = run("tune", table, *QUICK, "--mechanism", "unary", "--fail-if", "advantage.estimate > 0.02", "-f", "json")
    assert tuned.status in (0, 1, 4)
    [best] = [one for one in tuned.report["findings"] if one["quantity"] == "tuned"]
    assert best["mechanism"].startswith("unary:epsilon=") and best["estimate"] > 0.01


def contracts(site, *words):
    """How many tests about each of its things pass, and how many fail."""
    chosen = " or ".join(name.replace(" ", " and ") for name in NAMES)
    command = [sys.executable, "-m", "pytest", "-rA", "-q", "-p", "no:cacheprovider", "--tb=no", "-k", chosen, *words]
    done = subprocess.run(command, cwd=ROOT, env=environment(site), capture_output=True, check=False, text=True)
    passed, failed = (
        [line for line in done.stdout.splitlines() if re.match(f"{outcome} ", line)]
        for outcome in ("PASSED", "(FAILED|ERROR)")
    )
    return {name: (sum(name in one for one in passed), sum(name in one for one in failed)) for name in NAMES}, done


def test_it_keeps_the_contracts_of_each_list(site):
    counted, done = contracts(site, *(f"tests/{name}" for name in LISTS))
    assert done.returncode == 0, done.stdout
    assert all(passed >= 2 and not failed for passed, failed in counted.values()), counted


BROKEN = {
    "mechanism.py": ("return self.epsilon\n", "return self.epsilon / 2\n"),  # claims less than it tells
    "estimator.py": ("return inside(odds / odds.sum(axis=1, keepdims=True))", "return odds"),
    "format.py": ("*map(_line, report.findings)", "*map(_line, report.findings[:1])"),
    "export.py": ("str(report.judgement.outcome)", "str(report.dataset.class_counts)"),  # tells of true labels
    "source.py": ("select(list(columns))", "select(sorted(columns))"),
}


def test_and_these_contracts_catch_what_breaks_them(site, tmp_path):
    broken = shutil.copytree(site, tmp_path / "site")
    for name, (good, bad) in BROKEN.items():
        changed(broken, name, good, bad)
    counted, _ = contracts(broken, *(f"tests/{name}" for name in LISTS))
    assert all(failed for _, failed in counted.values()), counted


def test_the_documentation_names_every_group_and_every_example():
    text = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    entries = tomllib.loads((ROOT / "examples/extend/pyproject.toml").read_text())["project"]["entry-points"]
    for group, things in entries.items():
        [place] = things.values()
        file = f"../examples/extend/{place.partition(':')[0].replace('.', '/')}.py"
        assert f"| `{group}` |" in text and f"]({file})" in text and (ROOT / "docs" / file).exists()
    assert {name for group in entries.values() for name in group} == set(NAMES)


# ---- a package that fails


@pytest.fixture
def failing(site, tmp_path):
    """failing({NAME: (GOOD, BAD), ...}) is `run` where those files of the package say BAD for GOOD."""
    with contextlib.ExitStack() as ended:

        def broken(files: dict[str, tuple[str, str]]):
            place = shutil.copytree(site, tmp_path / "broken")
            for name, (good, bad) in files.items():
                changed(place, name, good, bad)
            return partial(ended.enter_context(program(place)), tmp_path)

        yield broken


def changed(place: Path, name: str, good: str, bad: str) -> None:
    file = place / "labeldp_example" / name
    assert good in file.read_text()
    file.write_text(file.read_text().replace(good, bad))


FUTURE = "from __future__ import annotations\n"
UNLOADED = FUTURE, f"{FUTURE}import nowhere\n"
FAILS = "another package fails: NameError: labeldp_example"


UNLOADABLE = {"format.py": UNLOADED, "source.py": UNLOADED}
FAILING = {
    "format.py": ("*map(_line", "*map(nowhere"), "estimator.py": ("prior = shares", "prior = nowhere"),
    "mechanism.py": ("flips = math", "flips = nowhere"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("broken", "asked"),
    [
        (UNLOADABLE, {
            ("-f", "piped"): "the format 'piped' of another package cannot be loaded: ",
            (): "the source 'jsonl' of another package cannot be loaded: ",
        }),
        (FAILING, {
            ("--estimator", "knn", "-f", "piped"): f"{FAILS}.format: line ",
            ("--estimator", "knn", *MECHANISM): f"{FAILS}.mechanism: line ",
            ("--estimator", "centroids"): "",  # and no bug of ours
        }),
        ({"source.py": ("return Source(", "return nowhere(")}, {(): f"{FAILS}.source: line "}),
    ],
)  # fmt: skip
def test_what_fails_is_met_where_it_is_asked_for(failing, table, broken, asked):
    run = failing(broken)
    for words, why in asked.items():
        ended = run("advantage", table, "--no-output", "--bags", 200, *words)
        assert ended.status == 2
        assert ended.error.startswith(why) and "a bug" not in ended.error
