"""Every command of the README and of the pages runs, ends as it says, and prints what is quoted below it.
UPDATE_DOCS=1 quotes anew."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import os
import posixpath
import re
import runpy
import shlex
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from running import read_options

from labeldp_audit.audits import evidence
from labeldp_audit.cli import app, run_command
from labeldp_audit.core.errors import STOPS
from labeldp_audit.core.progress import Silent

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")))
SHOWN = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
RUN_ELSEWHERE = ("docs/extend.md", "docs/python.md")  # tests/test_extend.py and tests/test_python_docs.py
PICTURES = {"docs/clinic-j.svg": "estimate-j.svg", "docs/clinic-advantage.svg": "advantage.svg"}
TARGETS = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
SCHEMA = json.loads((ROOT / "docs" / "schema.json").read_text(encoding="utf-8"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
UPDATE = bool(os.environ.get("UPDATE_DOCS"))


# ---- what is typed


@dataclass(frozen=True)
class Typed:
    """One line of a shell: the words of its first command, where its input comes from, and how it ends."""

    words: tuple[str, ...]
    source: str
    status: int


def lines(block: str, program: str = "") -> list[Typed]:
    """Those that start with that program."""
    whole = (line.strip().removeprefix("$ ") for line in block.replace("\\\n", " ").splitlines())
    return [one for one in (_read(line) for line in whole if line.startswith(program)) if one.words]


def _read(line: str) -> Typed:
    """Up to a pipe or a redirection that no quotes hold."""
    lexer = shlex.shlex(line, posix=False, punctuation_chars="|<>;&")
    lexer.whitespace_split = True
    words = list(lexer)
    ends = [number for number, word in enumerate(words) if set(word) <= set("|<>;&")]
    end = min(ends, default=len(words))
    promised = re.search(r"  # ends with (\d+)$", line)
    source = words[end + 1] if words[end : end + 1] == ["<"] else ""
    return Typed(tuple(shlex.split(" ".join(words[:end]))), source, int(promised[1]) if promised else 0)


def typed(text: str, program: str) -> list[list[str]]:
    """The arguments of each line of a block of code that starts with that program."""
    found = [line.words for _, block in FENCE.findall(text) for line in lines(block, program)]
    return [list(words[1:]) for words in found if words[0] == program]


# ---- what comes of it


@pytest.fixture(scope="module")
def estimates() -> dict[object, Any]:
    """Each table is read, and models learn from it, once."""
    return {}


@pytest.fixture
def here(tmp_path, monkeypatch, estimates):
    """A clone in which a page may write; no number depends on the threads."""
    for name in ("examples", "sample_data"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABELDP_AUDIT_THREADS", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(run_command, "_hush_libraries", lambda: None)
    share_estimates(estimates, monkeypatch)
    before = {each: signal.getsignal(each) for each in STOPS}
    yield tmp_path
    for each, handler in before.items():
        signal.signal(each, handler)


_read_and_estimate = evidence.read_and_estimate


def share_estimates(estimates: dict[object, Any], monkeypatch) -> None:
    def once(data: Any, settings: Any, progress: object, **how: Any) -> Any:
        if not isinstance(data, str) or settings.eta or settings.eta_file is not None:
            return _read_and_estimate(data, settings, Silent(), **how)
        content = Path(data).read_bytes() if Path(data).is_file() else None
        same = replace(settings, mechanism=(), tau=None, policy=None, utility="zero-one", bags=None)
        key = (content, data, same, how.get("halves"))
        if content is None or key not in estimates:
            estimates[key] = _read_and_estimate(data, settings, Silent(), **how)
        return estimates[key]

    monkeypatch.setattr(evidence, "read_and_estimate", once)


def answer(line: Typed, monkeypatch, capfd) -> str:
    """What the command prints, once it has ended as the page says."""
    if line.source:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(line.source).read_bytes())))
    capfd.readouterr()
    status = app.main(list(line.words[1:]))
    printed = capfd.readouterr()
    assert status == line.status, f"{shlex.join(line.words)}\n{printed.err}"
    return printed.out


def quoted_anew(text: str, names: dict[str, Any], monkeypatch, capfd) -> Iterator[str]:
    """Run the page, and return it as it should be."""
    printed, at = "", 0
    for block in FENCE.finditer(text):
        language, body = block.groups()
        yield text[at : block.start(2)]
        at = block.end(2)
        if language == "text":
            yield body if _same(body, printed) else printed
            continue
        yield body
        if language == "sh":
            for line in lines(body):
                if line.words[0] == "labeldp-audit":
                    printed = answer(line, monkeypatch, capfd)
                else:
                    assert line.words[0] in ("make", "pip"), line
        elif language == "python":
            exec(compile(body, "page", "exec"), names)
        elif language == "toml" and (name := re.match(r"# (\S+\.toml)\n", body)):
            Path(name[1]).write_text(body, encoding="utf-8")
    yield text[at:]


def _same(kept: str, now: str) -> bool:
    """Machines add floats in different orders: words are the same, and numbers nearly."""
    number = re.compile(r"(?<![\w.])[\d,]*\.?\d+(?:e-?\d+)?")
    if " ".join(number.sub("#", kept).split()) != " ".join(number.sub("#", now).split()):
        return False
    before, after = ([float(one.replace(",", "")) for one in number.findall(text)] for text in (kept, now))
    return all(math.isclose(a, b, rel_tol=0.05, abs_tol=0.1) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("page", [page for page in PAGES if page not in RUN_ELSEWHERE and "```" in SHOWN[page]])
def test_a_page_runs_and_prints_what_it_quotes(page, here, monkeypatch, capfd):
    text = SHOWN[page]
    if "```text" not in text:  # no number is quoted
        monkeypatch.setenv("LABELDP_AUDIT_ESTIMATOR", "linear")
        monkeypatch.setenv("LABELDP_AUDIT_BAGS", "100")
    expected = "".join(quoted_anew(text, {}, monkeypatch, capfd))
    for report in (here / "labeldp-report").glob("*.json"):
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(report.read_text(encoding="utf-8")))
    if UPDATE:
        (ROOT / page).write_text(expected, encoding="utf-8")
    else:
        assert text == expected


def test_pictures_are_what_the_tool_draws(here, capfd):
    """Not to the last digit of a path."""
    for command in ("estimate-j", "advantage"):
        assert app.main([command, "sample_data/clinic.parquet", "-q"]) == 0
    for kept, drawn in PICTURES.items():
        now = (here / "labeldp-report" / drawn).read_text(encoding="utf-8")
        if UPDATE:
            (ROOT / kept).write_text(now, encoding="utf-8")
        else:
            assert _words_of(now) == _words_of((ROOT / kept).read_text(encoding="utf-8"))


def _words_of(picture: str) -> list[str]:
    return re.findall(r"<(?:text|title|desc)[^>]*>([^<]*)<", picture)


# ---- what there is to find


@pytest.mark.parametrize("page", PAGES)
def test_each_line_can_be_typed(page):
    for name, *arguments in typed(SHOWN[page], "labeldp-audit"):
        if not name.startswith("-") and page not in RUN_ELSEWHERE:
            asked = read_options(name, arguments).params
            assert asked.get("data") or name == "explain" or asked["show_config"], arguments
    assert {word for line in typed(SHOWN[page], "make") for word in line} <= set(TARGETS)


@pytest.mark.parametrize("command", app.commands().commands)
def test_the_readme_names_each_command_and_the_examples_of_its_help_can_be_typed(command):
    assert f"labeldp-audit {command}" in SHOWN["README.md"] and len(SHOWN["README.md"].splitlines()) <= 150
    examples = re.findall(r"^ *(labeldp-audit .*)", app.commands().commands[command].help, re.MULTILINE)
    assert len(examples) >= 2
    for example in examples:
        _, name, *arguments = _read(example).words
        asked = read_options(name, arguments).params
        assert name == command
        assert asked.get("data") or name == "explain"


@pytest.fixture(scope="module")
def site() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "build_pages.py"))


def test_links_lead_somewhere(site):
    made = {f"docs/{page}" for page in site["GENERATED"]}
    for page, text in SHOWN.items():
        for path in site["_linked"](page, text):
            assert (ROOT / path).exists() or path in made, f"{page}: {path}"
        for anchored in site["LINK"].finditer(text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), anchored[2]))
            if anchored[3] and path in SHOWN:
                heads = re.findall(r"^#+ (.*)", SHOWN[path], re.MULTILINE)
                assert anchored[3][1:] in {re.sub(r"[^\w -]", "", head).lower().replace(" ", "-") for head in heads}, (
                    f"{page}: {anchored[0]}"
                )


def test_the_site_lists_every_page():
    navigation = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE))
    assert {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")} <= navigation


def test_reference_pages_hold_every_declaration(site):
    made = {page: make() for page, make in site["GENERATED"].items()}
    for command in app.commands().commands.values():
        assert f"## {command.name}\n" in made["reference/commands.md"]
        assert all(
            f"`{name}`" in made["reference/commands.md"]
            for one in command.params
            if one.param_type_name == "option"
            for name in one.opts
        )
    for name in (*site["QUANTITIES"], *site["TERMS"]):
        assert f"### {name} {{ #{name} }}" in made["reference/quantities.md"]
    for theorem in site["THEOREMS"]:
        assert re.search(rf"### {re.escape(theorem)} {{ #[\w.-]+ }}\n", made["reference/quantities.md"])
    assert all(f"## {name}\n" in made["reference/mechanisms.md"] for name in site["MECHANISMS"].names())


def test_outside_files_move_with_their_links(site):
    text = "[a](../../examples/ci/README.md#x) [b](../../examples/ci) [c](policy.md) [d](../../README.md)"
    assert site["relinked"](text, "docs/how-to/ci.md") == (
        "[a](../source/examples/ci/README.md#x) b [c](policy.md) [d](../index.md)"
    )


def test_a_joint_confidence_is_said_with_its_conditions():
    section = SHOWN["docs/mathematics.md"].split("## How a report's confidence is shared out")[1].split("\n## ")[0]
    said = " ".join(section.split())
    conditions = (
        "independent draws from one population", "Each person judges with one row",
        "averages** over rows with like scores", "the level is shared between",
        "were not picked because of what earlier reports said",
    )  # fmt: skip
    exceptions = (
        "`equivalent_epsilon`",
        "`equivalent_k`",
        "`multiplicative_advantage`",
        "limits that take chance as normal",
        "columns",
    )
    assert [one for one in (*conditions, *exceptions) if one not in said] == []


# ---- and these tests have teeth


def test_what_is_typed_is_read():
    block = "```sh\n$ labeldp-audit estimate-j x.csv --lable y | head  # no such option\nmake coffee\n```\n"
    assert typed(block, "make") == [["coffee"]]
    assert typed(block, "labeldp-audit") == [["estimate-j", "x.csv", "--lable", "y"]]
    with pytest.raises(app.UsageError, match="--lable"):
        read_options("estimate-j", typed(block, "labeldp-audit")[0][1:])
    assert _read("labeldp-audit nu-max - < 'a b'").source == "'a b'"
    assert _read("labeldp-audit check x.csv  # ends with 4").status == 4


def test_a_wrong_status_and_a_wrong_screen_are_seen(here, monkeypatch, capfd):
    with pytest.raises(AssertionError, match="explain nu_max"):
        list(quoted_anew("```sh\nlabeldp-audit explain nu_max  # ends with 1\n```\n", {}, monkeypatch, capfd))
    page = "```sh\nlabeldp-audit explain nu_max\n```\n```text\nanything\n```\n"
    assert "Largest loss" in "".join(quoted_anew(page, {}, monkeypatch, capfd))
    assert _same("14 % 0-3.0", "14  %  0-3.1")
    assert not _same("14 %", "24 %")
    assert not _same("14 %", "14 nats")


@pytest.mark.parametrize(
    ("path", "value"),
    [(("schema",), "labeldp-audit/2"), (("findings", 0, "low"), "none"), (("dataset", "rows"), -1), (("eta",), None)],
)
def test_the_schema_refuses_what_is_no_report(path, value, here, capfd):
    with contextlib.suppress(FileNotFoundError):
        app.main(["nu-max", "examples/ci/safe.csv", "--label", "treated", "-q"])
    report = json.loads((here / "labeldp-report" / "nu-max.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(report)
    *above, last = path
    place = report
    for step in above:
        place = place[step]
    place[last] = value
    assert not validator.is_valid(report)


def test_the_pages_leave_a_report_of_every_command():
    """So that the schema is held against each."""
    words = itertools.chain.from_iterable(typed(text, "labeldp-audit") for text in SHOWN.values())
    assert {name for name, *_ in words} >= {*app.commands().commands} - {"report", "explain"}
