"""Adds to the site what the repository says elsewhere: commands, quantities and mechanisms from their declarations,
and the files outside this folder that pages link to. mkdocs calls the functions that begin with on_."""

from __future__ import annotations

import inspect
import posixpath
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from labeldp_audit.cli import app
from labeldp_audit.cli.explain import TERMS, THEOREMS
from labeldp_audit.core.quantity import MATHEMATICS, Quantity, Term
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.questions.every import QUANTITIES

ROOT = Path(__file__).parent.parent
MIRROR = "source"  # where files from outside this folder stand in the site
LINK = re.compile(r"(?<!!)\[([^\]\n]*(?:\n[^\]\n]+)?)\]\((?!\w+:|#)([^)\s#]+)(#[^)\s]*)?\)")


# ---- reference pages


def commands() -> str:
    parts = ["# Commands", "`labeldp-audit COMMAND --help` prints the same.", *map(_command, app.commands().commands)]
    return "\n\n".join(parts) + "\n"


def _command(name: str) -> str:
    command = app.commands().commands[name]
    about, _, examples = command.help.partition("\b\n")
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    usage = " ".join(f"[{one.metavar or one.name.upper()}]" for one in arguments)
    rows = [_option(one) for one in command.params if one not in arguments]
    listed = inspect.cleandoc(examples.removeprefix("Examples:\n"))
    return (
        f"## {name}\n\n{_flowed(about)}\n\n```text\nlabeldp-audit {name} [OPTIONS] {usage}\n\n{listed}\n```\n\n"
        "| option | value | what it is | default |\n|---|---|---|---|\n" + "\n".join(rows)
    )


def _option(one: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
    default = one.show_default if isinstance(one.show_default, str) else ""
    return "| " + " | ".join((names, _cell(one.metavar or ""), _cell(one.help or ""), _cell(default))) + " |"


def quantities() -> str:
    intro = (
        "The numbers of reports, the words around them, and the theorems behind them. `labeldp-audit explain NAME` "
        "prints the same."
    )
    groups = (("Numbers", QUANTITIES), ("Words", TERMS), ("Theorems", THEOREMS))
    known = {**QUANTITIES, **TERMS, **THEOREMS}
    parts = ["# Quantities", intro]
    for title, entries in groups:
        parts += [f"## {title}", *(_entry(one, known) for one in entries.values())]
    return "\n\n".join(parts) + "\n"


def _entry(one: Term, known: Mapping[str, Term]) -> str:
    rows = {"formula": f"<code>{_cell(one.formula)}</code>", "read it": _cell(one.read), "source": _source(one.source)}
    if one.example:
        rows["example"] = f"<code>{_cell(one.example)}</code>"
    if isinstance(one, Quantity):
        rows["theorems"] = "; ".join(map(_cell, one.theorems))
        rows["a policy may use"] = ", ".join(f"`.{end}`" for end in _ends(one))
        rows["written at"] = ", ".join(f"`{axis}`" for axis in one.axes)
        rows["labels"] = "of two classes only" if one.two_classes else "of any number of classes"
    rows["related"] = ", ".join(f"[{name}](#{name})" for name in one.related if name in known)
    head, *lines = [f"| {name} | {said} |" for name, said in rows.items() if said]
    anchor = re.sub(r"[^\w.-]+", "-", one.name)
    title = f"### {one.name} {{ #{anchor} }}\n\n**{escape(one.title)}**: {escape(one.meaning)}."
    return "\n".join((title, "", head, "|---|---|", *lines))


def _ends(one: Quantity) -> Iterator[str]:
    yield "estimate"
    if one.has_limits:
        yield "low"
    if one.has_limits and one.has_upper:
        yield "high"


def _source(source: str) -> str:
    return _cell(source).replace(MATHEMATICS, "[the mathematics](../mathematics.md)")


def mechanisms() -> str:
    intro = (
        "How labels are protected before they are released, as `--mechanism` takes it. A value may be a family, "
        "`rr:epsilon=0.5|1|2`, and `--mechanism` may be repeated."
    )
    return "\n\n".join(["# Mechanisms", intro, *map(_mechanism, MECHANISMS.names())]) + "\n"


def _mechanism(name: str) -> str:
    kind = MECHANISMS.get(name)
    module = inspect.getmodule(kind)
    assert module is not None
    about = escape(inspect.cleandoc(module.__doc__ or ""))
    summary = escape(str(kind.summary))
    return f"## {name}\n\n{summary[:1].upper()}{summary[1:]}.\n\n`{kind.example}`\n\n<pre>{about}</pre>"


def _cell(text: str) -> str:
    return re.sub(r"([*_\[\]])", r"\\\1", escape(" ".join(text.split()), quote=False)).replace("|", "&#124;")


def _flowed(text: str) -> str:
    return escape(" ".join(text.split()), quote=False)


GENERATED = {
    "reference/commands.md": commands,
    "reference/quantities.md": quantities,
    "reference/mechanisms.md": mechanisms,
}


# ---- files outside this folder


def outside(pages: Mapping[str, str]) -> set[str]:
    """Return the files of the repository outside docs/ that pages, and pages they link to, link to. pages: text by
    path in the repository."""
    found: set[str] = set()
    waiting = dict(pages)
    while waiting:
        origin, text = waiting.popitem()
        for path in _linked(origin, text) - found:
            if _is_outside(path) and (ROOT / path).is_file():
                found.add(path)
                if path.endswith(".md"):
                    waiting[path] = (ROOT / path).read_text(encoding="utf-8")
    return found


def _linked(origin: str, text: str) -> set[str]:
    folder = posixpath.dirname(origin)
    return {posixpath.normpath(posixpath.join(folder, match[2])) for match in LINK.finditer(text)}


def _is_outside(path: str) -> bool:
    return not path.startswith("docs/") and path != "README.md"


def relinked(text: str, origin: str) -> str:
    """Return a page whose links go to where files stand in the site; folders have no page and lose their link."""
    here = posixpath.dirname(_in_site(origin))

    def one(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), match[2]))
        if (ROOT / path).is_dir():
            return match[1]
        return f"[{match[1]}]({posixpath.relpath(_in_site(path), here or '.')}{match[3] or ''})"

    return LINK.sub(one, text)


def _in_site(path: str) -> str:
    if path == "README.md":
        return "index.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{MIRROR}/{path}"


def _in_repository(uri: str) -> str:
    return uri.removeprefix(f"{MIRROR}/") if uri.startswith(f"{MIRROR}/") else f"docs/{uri}"


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    pages = {_in_repository(one.src_uri): one.content_string for one in files.documentation_pages()}
    for uri, made in GENERATED.items():
        files.append(File.generated(config, uri, content=made()))
    for path in sorted(outside(pages)):
        files.append(File.generated(config, _in_site(path), content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    uri = page.file.src_uri
    return markdown if uri in GENERATED else relinked(markdown, _in_repository(uri))
