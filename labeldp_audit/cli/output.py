"""Where a report goes: forms on standard output, forms in files, and the folder of the run."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.errors import DataError, SpecError
from ..core.registry import Named
from ..core.report import Report
from ..data import write
from ..reports import formats

if TYPE_CHECKING:
    from ..estimators.supplied import Rows

Info = Mapping[str, object] | None
PAGES = {"json": "json", "md": "markdown", "html": "html"}  # of the folder: ending and format
EVERY_PAGE = PAGES | {"txt": "text", "csv": "csv", "sarif": "sarif", "junit.xml": "junit"}
SHOWN = "text"  # format of which standard output gets one screen
ROWS = "eta.parquet"  # of commands that write a row for each query
SUMMARISED = "github"  # format beside which the whole report is shown as a page
PAGE = 100  # columns of a report that no terminal shows
_APART = "\n\n"  # between what others wrote, which may end in the middle of a line, and ours
_TOP = ".git"  # at the top of a repository a folder, or a file where the rest of it is elsewhere


class Target(NamedTuple):
    """One `FORMAT[=FILE]`; without a file it is standard output."""

    format: str
    file: Path | None


@dataclass(frozen=True)
class Plan:
    targets: tuple[Target, ...]
    folder: Path | None
    pages: Mapping[str, str]  # of the folder: ending and format
    location: str | None  # of the table from the top of its repository, with slashes


def plan(specs: Iterable[str], folder: str | None, every_format: bool = False, location: str | None = None) -> Plan:
    pages = EVERY_PAGE if every_format else PAGES
    return Plan(
        tuple(target(one, "--format", formats.FORMATS) for one in specs),
        Path(folder) if folder is not None else None,
        pages,
        location,
    )


def target(spec: str, option: str, known: Named[Any]) -> Target:
    name, given, file = spec.partition("=")
    known.get(name)  # a stranger's broken one is met now, and not after the audit
    if given and not file:
        raise SpecError("no file after the =", f"{option} {spec}")
    return Target(name, None if file in ("", "-") else Path(file))


def shows_text(plan: Plan) -> bool:
    return Target(SHOWN, None) in plan.targets


def location(data: str, workspace: str | None = None) -> str | None:
    """From the top of the repository, with slashes; None where there is none, or the table is not in it.

    Programs that point to a file count from there. workspace: the folder that a runner checked out, which is the top
    wherever the table is below it.
    """
    path = Path(data)
    try:  # a link stays the file that it is in the repository, wherever it leads
        file = path.resolve() if path.name in ("", "..") else path.parent.resolve() / path.name
        tops = [Path(workspace).resolve()] if workspace and Path(workspace).is_absolute() else []
        tops = [one for one in tops if one in file.parents] or [one for one in file.parents if (one / _TOP).exists()]
    except (OSError, RuntimeError):  # a working folder that is gone, links that run in a circle, a closed folder
        return None
    return file.relative_to(tops[0]).as_posix() if tops else None


# ---- before the work


class _Planned(NamedTuple):
    file: Path
    format: str
    typed: bool
    shown: str


def names_of(plan: Plan, command: str, rows: bool = False) -> dict[str, str]:
    """Files that a report of that command may leave in its folder, and their formats, where they have one."""
    pages = {f"{command}.{ending}": form for ending, form in plan.pages.items()}
    return pages | dict.fromkeys((f"{command}.svg", f"{command}-advantage.svg", *([ROWS] if rows else [])), "")


def per_row(asked: Mapping[str, Any], rows: Rows | None) -> Sequence[write.File]:
    """The file that --per-row names."""
    place = asked.get("per_row")
    return [] if rows is None or not place else [write.rows_file(Path(place), rows.columns)]


def check(
    plan: Plan, names: Mapping[str, str], sources: Mapping[str, str], beside: str | None = None
) -> Mapping[Path, Path]:
    """Refuse a place that cannot be written before the long computation, and leave nothing there; and to write a
    report over what is read, or over another report. Returns where all of it leads.

    names: of the files that the run may leave in its folder, and their formats; sources: what it reads, by what it is;
    beside: another file that it writes.
    """
    files = [_Planned(file, form, True, str(file)) for form, file in plan.targets if file]
    files += [_Planned(Path(beside), "", True, beside)] if beside else []
    typed = [one.file for one in files]
    if plan.folder is not None:
        inside = ((name, form, f"{name} in the folder {plan.folder}") for name, form in names.items())
        files += [_Planned(plan.folder / name, form, False, shown) for name, form, shown in inside]
    planned: dict[Path, _Planned] = {}
    for one in files:
        for what, source in sources.items():
            if _is_of(one.file, source):
                raise SpecError(f"the report would be written over {what}", one.file)
        other = planned.setdefault(write.resolved(one.file), one)
        if other is not one and (one.typed or one.format != other.format):
            raise SpecError("two reports in one file", " and ".join(dict.fromkeys((other.shown, one.shown))))
    for file in typed:
        with write.writable(file):
            if file.is_dir():
                raise SpecError("is a folder, a file is needed", file)
            if not file.exists() or file.is_file():
                write.probe(file.parent)
    if plan.folder is not None:
        above = (plan.folder.absolute(), *plan.folder.absolute().parents)
        with write.writable(plan.folder):
            write.probe(next(place for place in above if place.exists() or place.is_symlink()))
    every = [one.file for one in files] + ([] if plan.folder is None else [plan.folder])
    return {file: write.resolved(file) for file in every}


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
    except OSError:  # no name that a file could have: reading the table will say so
        return False


# ---- after it


def to_screen(plan: Plan, report: Report, width: int, color: bool, info: Info, verbose: bool = False) -> str:
    """What standard output gets: each form in the order in which it was asked for; of text one screen, or all."""
    files = [str(target.file) for target in plan.targets if target.file]
    if plan.folder is not None:  # the page, or else a file with all of the report
        files = [str(plan.folder / f"{report.command}.html"), *files]
    text = ""
    for form in (target.format for target in plan.targets if target.file is None):
        if form == SHOWN and not verbose:
            text += _closed(formats.screen(report, width=width, color=color, page=files[0] if files else ""))
        else:
            text += _page(report, form, info, plan.location, width, color)
    return text


def _closed(text: str) -> str:
    """Ends with a line end, and holds no half of a character, as a file's name may."""
    whole = text.encode(errors="backslashreplace").decode()
    return whole if whole.endswith("\n") else whole + "\n"


def _page(report: Report, form: str, info: Info, location: str | None, width: int = PAGE, color: bool = False) -> str:
    return _closed(formats.render(form, report, width=width, color=color, run_info=info, location=location))


def to_files(
    plan: Plan,
    report: Report,
    rows: Rows | None,
    info: Info,
    beside: Sequence[write.File] = (),
    places: Mapping[Path, Path] | None = None,
) -> Sequence[Path]:
    """Write what was planned, all or nothing; the files."""
    pages = [(file, form) for form, file in plan.targets if file]
    inside: Iterator[write.File] = iter(())
    if plan.folder is not None:
        pages += [(plan.folder / f"{report.command}.{ending}", form) for ending, form in plan.pages.items()]
        inside = _beside_pages(plan.folder, report, rows)
    files = [write.text_file(file, _page(report, form, info, plan.location)) for file, form in pages]
    files += [*inside, *beside]
    outdated = names_of(plan, report.command, rows is not None)  # such as a picture that this report lacks
    write.write_all(files, plan.folder, places=places, outdated=outdated)
    return [file.path for file in files]


def _beside_pages(folder: Path, report: Report, rows: Rows | None) -> Iterator[write.File]:
    for ending, picture in formats.pictures(report).items():
        yield write.text_file(folder / f"{report.command}{ending}", picture)
    if rows is not None:
        yield write.rows_file(folder / ROWS, rows.columns, rows.about)


def to_summary(plan: Plan, report: Report, place: str | None) -> Sequence[str]:
    """Append the report to the page that GitHub shows below a job, where that format is among those asked for.

    place: the file that GITHUB_STEP_SUMMARY names. Steps may write to it more than once, and together not too much.
    Warnings: a verdict stands, whether or not that page can be written.
    """
    if place and any(target.format == SUMMARISED for target in plan.targets):
        try:
            there = write.size(Path(place))
            page = formats.summary(report, there + len(_APART))
            if page:
                write.append(Path(place), _APART + page if there else page)
        except DataError as error:
            return (f"the page below the job is missing: {error}",)
    return ()
