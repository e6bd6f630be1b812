"""What a quantity, a term or a theorem means, from the glossary. Reads no table."""

from __future__ import annotations

import difflib
import inspect
import json
import textwrap
from collections.abc import Mapping

from ..core.errors import SpecError
from ..core.quantity import Term, find_theorems
from ..core.registry import others
from ..questions.every import QUANTITIES
from ..questions.theorems import THEOREMS
from ..reports.glossary import TERMS

WIDEST = 100
KNOWN: Mapping[str, Term] = {**QUANTITIES, **TERMS, **THEOREMS}


def run(name: str | None, form: str, width: int) -> str:
    """One entry, or all of them by one line each."""
    entry = None if name is None else find(name)
    if form == "json":
        entries = [*map(_document, [entry] if entry else known().values())]
        return json.dumps(entries[0] if entry else {"entries": entries}, indent=2, ensure_ascii=False) + "\n"
    return told(entry, min(width, WIDEST)) if entry else _listed(known(), width)


def known() -> Mapping[str, Term]:
    """And the mechanisms that packages of other people bring, which are loaded only if there are any."""
    return {**KNOWN, **{name: _of_mechanism(name) for name in others("mechanisms") if name not in KNOWN}}


def _of_mechanism(name: str) -> Term:
    from ..mechanisms import MECHANISMS

    try:
        kind = MECHANISMS.get(name)
    except SpecError as error:
        return Term(name, "Mechanism of another package", error.what, "", "", "")
    title = kind.summary[:1].upper() + kind.summary[1:]
    return Term(name, title, kind.summary, f"written {kind.example}", kind.__module__, inspect.getdoc(kind) or "")


def _document(term: Term) -> dict[str, object]:
    told = ("title", "meaning", "formula", "source", "read", "theorems", "related", "example")
    return {"quantity": term.name} | {name: getattr(term, name, ()) for name in told}


def find(name: str) -> Term:
    """Dashes and capitals do not matter, nor what a policy writes behind the name, nor the paper of a theorem where
    that leaves one."""
    every = {_plain(quantity): entry for quantity, entry in known().items()}
    asked = _plain(name)
    for tried in (asked, asked.partition("(")[0], asked.partition(".")[0]):
        if tried in every:
            return every[tried]
    theorems = find_theorems(asked.partition(",")[0].replace("_", " "), THEOREMS)
    if len(theorems) == 1:
        return THEOREMS[theorems[0]]
    close = [every[one].name for one in difflib.get_close_matches(asked, every, n=3, cutoff=0.5)]
    inside = [entry.name for one, entry in every.items() if len(asked) > 2 and asked in one][:3]
    likely = theorems or list(dict.fromkeys((*inside, *close)))[:3]
    hint = f"did you mean {' or '.join(likely)}?" if likely else "`labeldp-audit explain` lists all names"
    raise SpecError(f"{'more than one theorem' if theorems else 'nothing'} is called {name!r}", hint=hint)


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def told(entry: Term, width: int) -> str:
    lines = [f"{entry.name}: {entry.title}", "", *textwrap.wrap(entry.meaning, width), ""]
    parts = {"Formula": entry.formula, "Read it": entry.read, "Source": entry.source}
    parts["Theorems"] = "; ".join(getattr(entry, "theorems", ()))
    parts["Related"] = ", ".join(entry.related)
    beside = textwrap.TextWrapper(max(width, 40), subsequent_indent=" " * 9, break_on_hyphens=False)
    for head, text in parts.items():
        beside.initial_indent = f"{head:<9}"
        lines += beside.wrap(text) if text else ()
    lines += [f"Example  {entry.example}"] if entry.example else []  # in one piece, to be copied
    return "\n".join(lines) + "\n"


def _listed(every: Mapping[str, Term], width: int) -> str:
    across = max(map(len, every)) + 2
    lines = (textwrap.shorten(one.meaning, max(width - across, 30), placeholder=" ...") for one in every.values())
    return "".join(f"{name:<{across}}{line}\n" for name, line in zip(every, lines, strict=True))
