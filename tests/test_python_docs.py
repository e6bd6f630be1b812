"""What is shown of the Python API runs, and every public name is explained."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

import labeldp_audit as lda
from labeldp_audit.audits import calls
from labeldp_audit.estimators import auto
from labeldp_audit.estimators.linear import Linear
from labeldp_audit.measures import advantage

ROOT = Path(__file__).parent.parent
DOCS = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPTIONS = {name: known.__optional_keys__ for name, (_, known) in calls.COMMANDS.items() if known}


def evaluated(source: str, names: dict[str, Any]) -> Any:
    """What a cell of a notebook shows: the value of its last line, where that is an expression."""
    *statements, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        statements.append(last)
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None


def shown(value: Any) -> str:
    """As a notebook would."""
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder like that of the project, in which examples may write; and quick, with one learner and few bags."""
    monkeypatch.setattr(auto, "among", lambda *table: (Linear(),))
    monkeypatch.setattr(advantage, "_CELLS", 1 << 12)
    monkeypatch.setattr(advantage, "_MOST_BAGS", 1)
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    (tmp_path / "examples").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_notebook_runs(elsewhere, monkeypatch, capsys):
    monkeypatch.chdir(elsewhere / "examples")
    notebook = json.loads((ROOT / "examples" / "notebook.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    values = [evaluated(cell, names) for cell in cells]
    assert all(shown(value) for value in values)
    assert isinstance(values[1], lda.Report)
    assert "lose more than" in shown(values[1])
    assert list(values[2]["tau"]) == 3 * [1, 2, 3] and {*values[2]["baseline"].dropna()} == {"features", "no-noise"}
    assert "rr:epsilon=" in capsys.readouterr().out
    assert list((elsewhere / "examples").iterdir()) == []


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", [README, DOCS], ids=["README.md", "python.md"])
def test_what_is_shown_runs(text, elsewhere):
    names: dict[str, Any] = {}
    assert blocks(text)
    for block in blocks(text):
        evaluated(block, names)
    assert (elsewhere / "report.html").exists()
    for line, said in re.findall(r"^(report\.\S.*?)  +# (fail|pass)$", text, re.MULTILINE):
        assert evaluated(line, names) == said


def test_the_docs_list_every_public_name():
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", DOCS, re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    options = {name for known in OPTIONS.values() for name in known}
    assert names == {*lda.__all__, *options}
    assert sorted(lda.__all__) == sorted(set(lda.__all__))
    for name in lda.__all__:
        assert getattr(lda, name).__doc__, name


def test_the_docs_say_of_which_functions_an_option_is():
    table = DOCS.split("| option | of |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", table, re.MULTILINE)
    assert len(rows) > 15
    for options, functions in rows:
        named = {name.replace("_", "-") for name in re.findall(r"`(\w+)`", functions)}
        wanted = named if functions.startswith("`") else {*OPTIONS} - named
        for option in re.findall(r"`(\w+)`", options):
            assert {name for name, known in OPTIONS.items() if option in known} == wanted, option


def test_the_docs_name_what_a_report_can_do():
    for kind in (lda.Report, lda.Findings, lda.Rows):
        for name in {one for one in vars(kind) if not one.startswith("_")} - {"rows", "count", "index"}:
            assert f"`{name}" in DOCS, name
    for kind in (lda.Bound, lda.Finding, lda.Judgement, lda.Outcome):
        assert f"`{kind.__name__}`" in DOCS


def test_and_those_tests_have_teeth():
    assert evaluated("x = 1\nx + 1", {}) == 2
    assert evaluated("x = 1", {}) is None
    with pytest.raises(ZeroDivisionError):
        evaluated("1 / 0", {})
    assert blocks("```python\na\n```\n```sh\nb\n```\n") == ["a\n"]
