"""A hook before commits: each changed table must have a stored report, and the policy must hold for it.

A report names its table by the SHA-256 of its bytes, so no table is parsed. Judging is the command `check`.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from ..core.errors import AuditError, DataError, PlanError, SpecError
from ..core.report import SCHEMA
from ..data import digests
from . import app, configuration, stored_reports
from .terminal import BUG, DATA, FINE, INCONCLUSIVE, USAGE, VIOLATED

WORST_FIRST = (BUG, USAGE, DATA, VIOLATED, INCONCLUSIVE, FINE)
SAYS_ALL = "audit"  # the command whose report a policy can ask everything
ENDS_AT_ONCE = 128  # from there on a signal ended it
REPORTS = "folder with reports (.json); whatever lies in it is no table"


class Stored(NamedTuple):
    file: Path
    command: str


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: the worst of all tables'."""
    try:
        asked = _asked(arguments)
        changed = list(tables(asked.files, asked.reports))
        known = reports(Path(asked.reports)) if changed else {}
        statuses: list[int] = []
        for table in changed:
            statuses.append(_judged(table, known, asked))
            if statuses[-1] >= ENDS_AT_ONCE:
                return statuses[-1]
        return min(statuses, key=WORST_FIRST.index, default=FINE)
    except (app.Stopped, KeyboardInterrupt):
        return 130
    except Exception as error:
        return app.explained(error)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SpecError(message, hint="`labeldp-audit-pre-commit --help` lists what there is")


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = _Parser("labeldp-audit-pre-commit", description="Judge the stored reports of tables by a policy.")
    parser.add_argument("--reports", metavar="FOLDER", default="labeldp-report", help=REPORTS)
    parser.add_argument("--policy", metavar="FILE", help="policy, unless labeldp-audit.toml has it")
    parser.add_argument("--fail-if", metavar="LINE", action="append", default=[], help="a line of a policy; repeatable")
    parser.add_argument("--exit-zero", action="store_true", help="do not stop a commit that violates the policy")
    parser.add_argument("files", metavar="TABLE", nargs="*")
    return parser.parse_args(arguments)


def tables(files: Iterable[str], reports: str) -> Iterator[Path]:
    """Those that are there, each once: a file that is gone cannot be published, and a report is no table.

    Below a folder that holds everything no table would be judged.
    """
    folder = _place(reports)
    if _place("").is_relative_to(folder):
        raise SpecError(f"--reports {reports!r} holds the tables too", hint="name a folder that holds reports alone")
    for file in dict.fromkeys(files):
        if os.path.lexists(file) and not _place(file).is_relative_to(folder):
            yield Path(file)


def _place(file: str) -> Path:
    return Path(os.path.abspath(file))  # noqa: PTH100 links are not followed


# ---- reports


def reports(folder: Path) -> Mapping[str, list[Stored]]:
    """By the digest of their table; everything below that is a report."""
    found: dict[str, list[Stored]] = {}
    for file in sorted(file for file in folder.rglob("*.json") if file.is_file()):
        # Whether it is a whole report is for `check` to say.
        with contextlib.suppress(OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            document = json.loads(file.read_bytes())
            if document["schema"].partition("/")[0] == SCHEMA.partition("/")[0]:
                one = Stored(file, str(document["command"]))
                found.setdefault(str(document["dataset"]["sha256"]), []).append(one)
    return found


def about(table: Path, known: Mapping[str, list[Stored]]) -> list[Stored]:
    """What there is on that very table; reports of whole audits alone, if there are any."""
    found = known.get(digest(table)) or next((known[one] for one in _folders(table) if one in known), [])
    return [one for one in found if one.command == SAYS_ALL] or found


def digest(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file) from None


def _folders(part: Path) -> Iterator[str]:
    """Digests of the folders that a Parquet file may be a part of, up to the working folder."""
    if part.suffix.lower() not in (".parquet", ".pq") or part.is_absolute() or ".." in part.parts:
        return
    for folder in list(part.parents)[:-1]:
        parts = [file for file in folder.rglob("*") if _is_part(file.relative_to(folder)) and file.is_file()]
        yield digests.of_parts((file.relative_to(folder).as_posix(), digest(file)) for file in parts)


def _is_part(file: Path) -> bool:
    """Hidden and _temporary ones are not data."""
    return file.suffix.lower() in (".parquet", ".pq") and all(name[0] not in "._" for name in file.parts)


# ---- judging


def _judged(table: Path, known: Mapping[str, list[Stored]], asked: argparse.Namespace) -> int:
    try:
        found = about(table, known)
        if not found:
            raise DataError(f"no report on this very table in {asked.reports}", table, hint=_hint(table, asked))
    except AuditError as error:
        return app.explained(error)
    # Without reports about other releases of the table, unless there are no others.
    planned = [one for one in found if _is_planned(one.file)] or found
    exits = ["--exit-zero"] if asked.exit_zero else []
    checking = ["check", "--no-output", *_policy(asked), *exits, "--"]
    statuses = [app.main([*checking, str(one.file)]) for one in planned]
    return max(statuses) if max(statuses) >= ENDS_AT_ONCE else min(statuses, key=WORST_FIRST.index)


def _hint(table: Path, asked: argparse.Namespace) -> str:
    """What makes the report, by the same policy, in a folder that no other table has."""
    inside = [part for part in table.with_suffix("").parts if part not in (table.anchor, "..")]
    folder = str(Path(asked.reports, *inside))
    return shlex.join(["labeldp-audit", "check", str(table), *_policy(asked), "--output", folder])


def _is_planned(file: Path) -> bool:
    """Whatever else is wrong with it, `check` says."""
    try:
        asked = configuration.of(app.parsed("check", []))
        stored_reports.check_planned(stored_reports.read_report(str(file))[0], asked, str(file))
    except PlanError:
        return False
    except AuditError:
        return True
    return True


def _policy(asked: argparse.Namespace) -> list[str]:
    named = [f"--policy={asked.policy}"] if asked.policy is not None else []
    return [*named, *(f"--fail-if={line}" for line in asked.fail_if)]
