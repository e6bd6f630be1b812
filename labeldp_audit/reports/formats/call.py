"""The call that gives this report again, as a shell takes it.

What a report does not hold cannot stand in it: where the table lies, what was between the cells of a CSV file, a file
of estimates.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...core.eta import EtaSummary
from ...core.report import COMPARED, MEASURED_BY, NUMBERS, OLDER, RELEASE, TOOL, TUNE, VERIFY, Report

QUERIES, FEWEST, LARGEST = 200_000, 30, 10_000  # defaults of --queries and --k
_FOLDS = 5
_JUDGING = ("audit", "check", "tune")  # commands that take a policy themselves
_WANTING = ("check", "tune")  # and want one
# Parameters that have another name on the command line, and those that no option sets.
SPELLED = {TUNE: "mechanism"}
_NO_OPTION = ("label", "positive", "confidence", "seed", "estimator", "k", "queries", COMPARED, MEASURED_BY, NUMBERS,
              OLDER, RELEASE, "judged_alone")  # fmt: skip  # the last is in reports of earlier versions
_STDIN = "stdin"  # what a table on standard input is called


def lines(report: Report) -> tuple[str, ...]:
    """One call, and where its report was judged afterwards a second one."""
    made, judged_later = str(report.parameters.get(MEASURED_BY, report.command)), MEASURED_BY in report.parameters
    bare = judged_later and made not in _WANTING  # of the policy it may have had nothing is known
    first = quoted(arguments(replace(report, command=made, judgement=None if bare else report.judgement)))
    if OLDER in report.parameters:
        return first, quoted([TOOL, "diff", "OLD.json", f"labeldp-report/{made}.json"])
    if report.judgement is None or (made in (*_JUDGING, VERIFY) and not judged_later):
        return (first,)
    return first, quoted([TOOL, "check", f"labeldp-report/{made}.json", *_policy(report)])


def unsaid(report: Report) -> str:
    """What the policy had that no call can hold."""
    waivers = report.judgement.waivers if report.judgement else ()
    return "The policy's waivers belong into a file, for --policy or [policy] of labeldp-audit.toml." if waivers else ""


def quoted(words: Sequence[str]) -> str:
    """As bash and zsh read them: line ends, escapes and marks that turn text round are written out."""
    return " ".join(
        shlex.quote(word) if word.isprintable() else "$'" + "".join(map(_spelled, word)) + "'" for word in words
    )


def _spelled(character: str) -> str:
    if character in "\\'":
        return "\\" + character
    if character.isprintable():
        return character
    raw = character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")
    return "".join(f"\\x{byte:02x}" for byte in raw)


def arguments(report: Report) -> list[str]:
    """What was typed, or would have had the same effect. A table whose name looks like an option is still a file."""
    data, known = report.dataset, report.parameters
    table = "-" if data.name == _STDIN else f"./{data.name}" if data.name.startswith("-") else data.name
    beside = [str(known[RELEASE])] if RELEASE in known else []
    found = [TOOL, report.command, table, *beside, *_said("label", data.label)]
    found += _said("positive", data.positive) if data.positive is not None else []
    asked = [(name, value) for name, value in known.items() if name not in _NO_OPTION and value is not None]
    asked += [(name, known[name]) for name in ("confidence", "seed") if name in known]
    for name, value in (*(_search(report.eta) if report.eta else ()), *asked):
        found += _said(SPELLED.get(name, name), value)
    return found + (_policy(report) if report.command in _JUDGING else [])


def _said(name: str, value: object) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if isinstance(value, bool):
        return [flag if value else f"--no-{flag.removeprefix('--')}"]
    if isinstance(value, list | tuple | Mapping):
        return [word for one in value for word in _said(name, one)]
    word = repr(value) if isinstance(value, float) else str(value)
    return [f"{flag}={word}"] if word.startswith("-") else [flag, word]


def _search(eta: EtaSummary) -> Iterator[tuple[str, object]]:
    """How eta was looked for, where that is not the default: several were tried."""
    if eta.given:
        return
    names = {one.name for one in eta.tried} or {eta.estimator}
    named = "" if len(names) > 1 else names.pop()
    if named:
        yield "estimator", named
    if not _usual_k(eta, named):
        yield "k", eta.k
    if eta.queries != min(eta.n, QUERIES):
        yield "queries", "all" if eta.queries == eta.n else eta.queries


def _usual_k(eta: EtaSummary, named: str) -> bool:
    """Would it come out without being asked for? Neighbours' by the labels, where several were tried."""
    if eta.metric != "score":
        return not named or len(eta.tried) > 1
    usual = max(FEWEST, min(LARGEST, round(math.sqrt(eta.n))))
    return eta.k == usual or (eta.n // _FOLDS - 1 <= usual and eta.k == max(1, eta.n // _FOLDS - 1))


def _policy(report: Report) -> list[str]:
    judged = report.judgement
    return [] if judged is None else [word for one in judged.verdicts for word in _said("fail_if", one.line)]
