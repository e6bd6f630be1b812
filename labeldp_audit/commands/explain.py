"""What a quantity or a term means, from the glossary. Reads no table."""

from __future__ import annotations

import difflib
import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from ..errors import SpecError
from ..glossary import ENTRIES, Entry

WIDEST = 100


def run(name: str | None, form: str, width: int) -> str:
    """One entry, or all of them by one line each."""
    if name is None:
        return _as_json({"entries": [asdict(one) for one in ENTRIES.values()]}) if form == "json" else _listed(width)
    entry = find(name)
    return _as_json(asdict(entry)) if form == "json" else told(entry, width)


def find(name: str) -> Entry:
    """Dashes and capitals do not matter, nor what a policy writes behind the name."""
    known = {_plain(quantity): entry for quantity, entry in ENTRIES.items()}
    asked = _plain(name)
    for tried in (asked, asked.partition("(")[0], asked.partition(".")[0]):
        if tried in known:
            return known[tried]
    close = [known[one].quantity for one in difflib.get_close_matches(asked, known, n=3, cutoff=0.5)]
    inside = [entry.quantity for one, entry in known.items() if len(asked) > 2 and asked in one][:3]
    likely = list(dict.fromkeys((*inside, *close)))[:3]
    hint = f"did you mean {' or '.join(likely)}?" if likely else "`labeldp-audit explain` lists all names"
    raise SpecError(f"nothing is called {name!r}", hint=hint)


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def told(entry: Entry, width: int) -> str:
    lines = [f"{entry.quantity}: {entry.title}", "", *textwrap.wrap(entry.meaning, min(width, WIDEST)), ""]
    parts = {"Formula": entry.formula, "Read it": entry.read, "Source": entry.source}
    if entry.related:
        parts["Related"] = ", ".join(entry.related)
    for head, text in parts.items():
        lines += _beside(head, text, min(width, WIDEST))
    return "\n".join(lines) + "\n"


def _beside(head: str, text: str, width: int) -> Iterator[str]:
    yield from textwrap.wrap(
        text, max(width, 40), initial_indent=f"{head:<9}", subsequent_indent=" " * 9, break_on_hyphens=False
    )


def _listed(width: int) -> str:
    across = max(map(len, ENTRIES)) + 2
    lines = (textwrap.shorten(one.meaning, max(width - across, 30), placeholder=" ...") for one in ENTRIES.values())
    return "".join(f"{name:<{across}}{line}\n" for name, line in zip(ENTRIES, lines, strict=True))


def _as_json(document: object) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
