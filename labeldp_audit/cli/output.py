"""Where a report goes: forms on standard output, forms in files, and the folder of the run."""

from __future__ import annotations

import contextlib
import glob
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..core.errors import DataError, SpecError
from ..core.report import Report
from ..data import write
from ..reports import formats

Info = Mapping[str, object] | None


class Rows(Protocol):
    """A row for each query, and what they are about."""

    @property
    def columns(self) -> Mapping[str, npt.NDArray[np.generic]]: ...

    @property
    def about(self) -> Mapping[str, object]: ...


SHOWN = "text"  # format of which standard output gets one screen
ROWS = "eta.parquet"  # of commands that write a row for each query
SUMMARISED = "github"  # format beside which the whole report is shown as a page
_APART = "\n\n"  # between what others wrote, which may end in the middle of a line, and ours
PAGE = 100  # columns of a report that no terminal shows


@dataclass(frozen=True)
class Target:
    """One `FORMAT[=FILE]`; without a file it is standard output."""

    format: str
    file: Path | None


@dataclass(frozen=True)
class Plan:
    targets: tuple[Target, ...]
    folder: Path | None
    pages: Mapping[str, str] = field(default_factory=dict)  # of the folder: ending and format
    location: str | None = None  # of the table from the top of its repository, with slashes


def plan(specs: Iterable[str], folder: str | None, pages: Mapping[str, str], location: str | None = None) -> Plan:
    targets = tuple(_target(spec) for spec in specs)
    return Plan(targets, Path(folder) if folder is not None else None, pages, location)


def _target(spec: str) -> Target:
    name, given, file = spec.partition("=")
    formats.FORMATS.get(name)  # a stranger's broken one is met now, and not after the audit
    if given and not file:
        raise SpecError("no file after the =", f"--format {spec}")
    return Target(name, None if file in ("", "-") else Path(file))


def check(plan: Plan, names: Mapping[str, str], sources: Mapping[str, str]) -> None:
    """Refuse a place that cannot be written before the long computation, and leave nothing there.

    names: of the files that the run may leave in its folder, and their formats; sources: what it reads, by what it is.
    """
    _check_apart(plan, names, sources)
    for file in (target.file for target in plan.targets if target.file):
        if file.is_dir():
            raise SpecError("is a folder, a file is needed", file)
        if not file.exists() or file.is_file():
            _probe(file.parent, file)
    if plan.folder is not None:
        _probe(_existing(plan.folder), plan.folder)


def _check_apart(plan: Plan, names: Mapping[str, str], sources: Mapping[str, str]) -> None:
    """Refuse to write a report over what is read, or over another report."""
    planned: dict[Path, _Planned] = {}
    for one in _files(plan, names):
        for what, source in sources.items():
            if _is_of(one.file, source):
                raise SpecError(f"the report would be written over {what}", one.file)
        other = planned.setdefault(_resolved(one.file), one)
        if other is not one and (one.typed or one.format != other.format):
            raise SpecError("two reports in one file", " and ".join(dict.fromkeys((other.shown, one.shown))))


def names_of(plan: Plan, command: str, rows: Iterable[str] = ()) -> dict[str, str]:
    """Files that a report of that command may leave in its folder, and their formats, where they have one."""
    pages = {f"{command}.{ending}": form for ending, form in plan.pages.items()}
    return pages | dict.fromkeys((f"{command}.svg", f"{command}-advantage.svg", *rows), "")


class _Planned(NamedTuple):
    file: Path
    format: str
    typed: bool
    shown: str


def _files(plan: Plan, names: Mapping[str, str]) -> Iterator[_Planned]:
    """All that may be written."""
    for target in plan.targets:
        if target.file:
            yield _Planned(target.file, target.format, True, str(target.file))
    if plan.folder is not None:
        for name, form in names.items():
            yield _Planned(plan.folder / name, form, False, f"{name} in the folder {plan.folder}")


def _resolved(file: Path) -> Path:
    """Where it ends up, through links."""
    with contextlib.suppress(OSError, RuntimeError, ValueError):  # no name that a file could have
        return file.resolve()
    return file


def _is_of(file: Path, data: str) -> bool:
    """The table itself, whatever it is called, or what the next run would take for one of its parts."""
    if data == "-":
        return False
    table = Path(data)
    try:
        if table.is_dir():
            return file.suffix == ".parquet" and table.resolve() in file.resolve().parents
        parts = [table] if table.exists() else map(Path, glob.iglob(data, recursive=True))  # noqa: PTH207 - absolute too
        return file.exists() and any(part.exists() and part.samefile(file) for part in parts)
    except OSError:  # no name that a file could have: whoever reads the table says so
        return False


def _existing(folder: Path) -> Path:
    """The nearest folder that is there already."""
    absolute = folder.absolute()
    return next(place for place in (absolute, *absolute.parents) if place.exists() or place.is_symlink())


def _probe(folder: Path, wanted: Path) -> None:
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise SpecError(f"cannot write there: {error.strerror}", wanted, hint="name another place") from None


def to_screen(plan: Plan, report: Report, width: int, color: bool, info: Info, verbose: bool = False) -> str:
    """What standard output gets: each form in the order in which it was asked for; of text one screen, or all."""
    shown = (target.format for target in plan.targets if target.file is None)
    return "".join(
        _closed(formats.screen(report, width=width, color=color, page=_where(plan, report)))
        if form == SHOWN and not verbose
        else _page(report, form, info, plan.location, width, color)
        for form in shown
    )


def _where(plan: Plan, report: Report) -> str:
    """The page, or a file with all of the report."""
    files = [str(target.file) for target in plan.targets if target.file]
    if plan.folder is not None:
        endings = sorted(plan.pages, key=lambda ending: ending != "html")
        files = [str(plan.folder / f"{report.command}.{ending}") for ending in endings[:1]] + files
    return files[0] if files else ""


def _closed(text: str) -> str:
    """Ends with a line end, and holds no half of a character, as a file's name may."""
    whole = text.encode(errors="backslashreplace").decode()
    return whole if whole.endswith("\n") else whole + "\n"


def to_files(plan: Plan, report: Report, rows: Rows | None, info: Info) -> Sequence[Path]:
    """Write what was planned, all or nothing; the files."""
    files = [
        write.text_file(target.file, _page(report, target.format, info, plan.location))
        for target in plan.targets
        if target.file
    ]
    if plan.folder is not None:
        files += _of_folder(plan, plan.folder, report, rows, info)
    write.write_all(files, plan.folder)
    return [file.path for file in files]


def to_summary(plan: Plan, report: Report, place: str | None) -> Sequence[str]:
    """Append the report to the page that GitHub shows below a job, where that format is among those asked for.

    place: the file that GITHUB_STEP_SUMMARY names. Steps may write to it more than once, and together not too much.
    Warnings: a verdict stands, whether or not that page can be written.
    """
    if place and any(target.format == SUMMARISED for target in plan.targets):
        try:
            _append(report, place)
        except DataError as error:
            return (f"the page below the job is missing: {error}",)
    return ()


def _append(report: Report, place: str) -> None:
    there = write.size(Path(place))
    page = formats.summary(report, there + len(_APART))
    if page:
        write.append(Path(place), _APART + page if there else page)


def _of_folder(plan: Plan, folder: Path, report: Report, rows: Rows | None, info: Info) -> Iterator[write.File]:
    for ending, form in plan.pages.items():
        yield write.text_file(folder / f"{report.command}.{ending}", _page(report, form, info, plan.location))
    for ending, picture in formats.pictures(report).items():
        yield write.text_file(folder / f"{report.command}{ending}", picture)
    if rows is not None:
        yield write.rows_file(folder / ROWS, rows.columns, rows.about)


def _page(report: Report, form: str, info: Info, location: str | None, width: int = PAGE, color: bool = False) -> str:
    return _closed(formats.render(form, report, width=width, color=color, run_info=info, location=location))
