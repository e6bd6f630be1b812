"""The verdicts of a policy as commands to a GitHub workflow, and the page that it shows below a job.

    ::error file=clicks.parquet,title=nu_max%3A does not pass::nu_max.high > 10: ...

A step shows ten annotations and forgets the others without a word, so there are ten at most, the worst first. Waivers
stand below them in lines of the log, and the verdict is the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.quoting import plain
from ...core.report import Report
from .. import answers
from . import ci_results, markdown
from .ci_results import Fault
from .spelling import count

VERDICTS = True
MOST = 10
ROOM = 1024 * 1024 - 1  # bytes: GitHub drops a page that is longer than 1,048,576 as a whole
_CLOSED = "</details>"
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, *, location: str | None = None, **_: object) -> str:
    found, file = ci_results.all_of(report), ci_results.place(report, location)[0]
    left = len(found) - MOST
    lines = [_command(fault, file) for fault in found[:MOST]]
    if left > 0:
        lines[-1] += data(f" (and {count(left)} more, which are in the report)")
    text = "\n".join((*lines, *answers.waivers_in_lines(report), plain(ci_results.sentence(report)))) + "\n"
    return text.replace("##[", "# #[")  # commands of the runner's older form, which it looks for anywhere in a line


def _command(fault: Fault, file: str) -> str:
    about = f"file={parameter(plain(file))},title={parameter(plain(fault.title))}"
    return f"::{_COMMANDS[fault.level]} {about}::{data(fault.message)}"


def data(text: str) -> str:
    """The message of a command is one line."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def parameter(text: str) -> str:
    """Parameters end at a comma or a colon."""
    return data(text).replace(":", "%3A").replace(",", "%2C")


# ---- the page


def summary(report: Report, room: int = ROOM) -> str:
    """The report as Markdown in at most `room` bytes of UTF-8, cut at the end of a line."""
    page = markdown.render(report)
    if len(page.encode()) <= room:
        return page
    lines = page.splitlines()
    last = _cut_note(len(lines))  # no later one is longer
    kept = _fitting(lines, room - len(last.encode()) - len(_CLOSED) - 2)
    if sum(line.startswith("<details>") for line in kept) > kept.count(_CLOSED):
        kept += ["", _CLOSED]
    note = _cut_note(len(lines) - len(kept))
    return "\n".join((*kept, note)) if len(note.encode()) <= room else ""


def _cut_note(left: int) -> str:
    """Below a blank line, which ends a table."""
    return f"\n*{count(left)} lines of the report were left out here: GitHub shows no longer page.*\n"


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    kept = []
    for line in lines:
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    while kept and _hangs(kept, len(kept) - 1):
        kept.pop()
    return kept


def _hangs(lines: Sequence[str], last: int) -> bool:
    """A title with nothing below it, or a table without a row: its head alone is no table."""
    line = lines[last]
    if not line or line.startswith("#"):
        return last > 0
    first_of_table = not (last and lines[last - 1].startswith("|"))
    return line.startswith("|") and (first_of_table or set(line) <= set("| -:"))
