"""What the README shows can be typed, and what there is to type is in the README."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from labeldp_audit.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def typed(text: str, program: str) -> list[list[str]]:
    """The arguments of each line of a code block that starts with that program."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    words = [_words(line.strip().removeprefix("$ ")) for line in lines if program in line]
    return [line[1:] for line in words if line[:1] == [program]]


def _words(line: str) -> list[str]:
    """Up to a comment, a pipe or a redirection that no quotes hold."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars="|<>;&")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [number for number, word in enumerate(words) if set(word) <= set("|<>;&")]
    return shlex.split(" ".join(words[: min(ends, default=len(words))]))


def test_there_is_something_to_check():
    assert typed(README, "labeldp-audit")
    assert typed(README, "make")


def test_each_line_of_the_readme_can_be_typed(monkeypatch):
    monkeypatch.chdir(ROOT)
    for name, *arguments in typed(README, "labeldp-audit"):
        if not name.startswith("-"):
            asked = app.parsed(name, arguments).params
            assert asked.get("data") or name == "explain" or asked["show_config"], arguments


def test_each_target_of_the_readme_exists():
    assert {word for line in typed(README, "make") for word in line} <= set(TARGETS)


@pytest.mark.parametrize("command", app.commands().commands)
def test_the_readme_names_each_command(command):
    assert f"`{command}" in README or f"labeldp-audit {command}" in README


@pytest.mark.parametrize("command", app.commands().commands)
def test_the_examples_of_the_help_can_be_typed(command):
    examples = re.findall(r"^ *(labeldp-audit .*)", app.commands().commands[command].help, re.MULTILINE)
    assert len(examples) >= 2
    for example in examples:
        _, name, *arguments = _words(example)
        asked = app.parsed(name, arguments).params
        assert name == command
        assert asked.get("data") or name == "explain"


def test_and_those_tests_have_teeth():
    block = "```sh\n$ labeldp-audit estimate-j x.csv --lable y | head  # no such option\nmake coffee\n```\n"
    assert typed(block, "make") == [["coffee"]]
    assert typed(block, "labeldp-audit") == [["estimate-j", "x.csv", "--lable", "y"]]
    with pytest.raises(app.UsageError, match="--lable"):
        app.parsed("estimate-j", typed(block, "labeldp-audit")[0][1:])


def test_a_joint_confidence_is_said_with_its_conditions():
    text = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    section = text.split("## How a report's confidence is shared out")[1].split("\n## ")[0]
    said = " ".join(section.split())
    conditions = (
        "independent draws from one population", "Each person judges with one row",
        "averages** over rows with like scores", "the level is shared between",
        "were not picked because of what earlier reports said",
    )  # fmt: skip
    exceptions = "`equivalent_epsilon`", "`equivalent_k`", "limits that take chance as normal", "columns"
    assert [one for one in (*conditions, *exceptions) if one not in said] == []
