"""What can go wrong, and whose turn it is.

    AuditError                  one clear line; never a traceback
    |-- DataError               the data cannot be audited (a file, a column, a row)
    |-- SpecError (ValueError)  what was asked for is not understood; lists what exists
    |-- AssumptionError         the theorem behind a number does not apply here

Anything else that reaches the door is a bug of ours, or a signal that stops the run.
"""

from __future__ import annotations

import difflib
import re
import signal
from collections.abc import Iterable, Mapping

from .quoting import plain

STOPS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
LONGEST_WHAT, LONGEST_PLACE = 1000, 300  # characters
_BREAK = re.compile(r"\s*[^\S ]\s*")
_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


class AuditError(Exception):
    """WHAT: FILE: COLUMN or ROW, and a hint where there is something to do."""

    def __init__(self, what: str, *where: object, hint: str = "") -> None:
        self.what = what
        self.where = tuple(str(place) for place in where if place is not None and place != "")
        self.hint = hint
        # One line, whatever a file name or a library's message holds; blanks stay, as the user may count characters.
        places = (plain(_BREAK.sub(" ", one), LONGEST_PLACE) for one in self.where)
        super().__init__(": ".join((plain(_BREAK.sub(" ", what), LONGEST_WHAT), *places)).strip())


class DataError(AuditError):
    """The table, a column or a row cannot be audited."""


class SpecError(AuditError, ValueError):
    """An option, a mechanism or a configuration key that does not exist or cannot hold."""

    @classmethod
    def unknown(cls, kind: str, name: str, known: Iterable[str]) -> SpecError:
        names = sorted(known)
        return cls(f"unknown {kind} {name!r}", hint=f"{near(name, names)} known: {', '.join(names)}".strip())


class AssumptionError(AuditError):
    """A bound was asked for outside the conditions of its theorem."""


def as_arguments(error: AuditError, renamed: Mapping[str, str]) -> AuditError:
    """The same for a call from Python: `--drop-null-labels` is `drop_null_labels`, and the hint is a note, which
    a traceback shows."""

    def told(text: str) -> str:
        return _FLAG.sub(lambda flag: renamed.get(name := flag[1].replace("-", "_"), name), text)

    again = type(error)(told(error.what), *(told(one) if _FLAG.match(one) else one for one in error.where))
    if error.hint:
        again.hint = told(error.hint)
        again.add_note(f"hint: {again.hint}")
    return again


def near(name: str, known: Iterable[str]) -> str:
    """A hint towards what may have been meant."""
    names = list(known)
    begun = [one for one in names if len(name) > 1 and one.startswith(name)]
    alike = [one for one in names if len(name) <= 3 * len(one)]  # of a longer one less than 0.6 is alike
    close = begun or (alike and difflib.get_close_matches(name, alike, n=3, cutoff=0.6))
    return f"did you mean {' or '.join(close)}?" if close else ""
