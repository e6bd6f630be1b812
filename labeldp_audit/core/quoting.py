"""How names, lists and what strangers wrote appear in messages and reports, whatever they hold."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

LONGEST_NAME = 60
LONGEST_TEXT = 10_000
LONGEST_LIST = 12


def plain(text: str, most: int = LONGEST_TEXT) -> str:
    """Anybody's text as one line for any place: without control characters, escapes of a terminal, marks that turn the
    direction of text, or halves of characters; cut where it is long. Markup is for each place to mask."""
    if len(text) > most:
        text = f"{text[: most - 1]}…"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def shown(name: str, most: int = LONGEST_NAME) -> str:
    """A column's name in quotes; line breaks and invisible characters are escaped."""
    return repr(name if len(name) <= most else name[: most - 1] + "…")


def argument(name: str) -> str:
    """A column's name as it can be typed after an option."""
    return shlex.quote(name) if name.isprintable() and len(name) <= LONGEST_NAME else shown(name)


def listed(names: Iterable[str], last: int = 0) -> str:
    """Names in quotes; a wide table shows its first ones, and as many of its last, and says how many more there are."""
    every = list(map(shown, names))
    more, first = len(every) - LONGEST_LIST, LONGEST_LIST - last
    if more <= 0 or not last:
        return ", ".join(every[:LONGEST_LIST]) + (f" and {more:,} more" if more > 0 else "")
    return ", ".join([*every[:first], f"{more:,} more", *every[-last:]])
