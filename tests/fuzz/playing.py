"""A case in a process of its own, and what has to hold however it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from fuzz.cases import Case
from fuzz.stock import MARK, NUMBER, base_table

STATUSES = (0, 1, 2, 3, 4)
SECONDS, MEGABYTES = 60, 250  # what a table of kilobytes may take beyond what is loaded already
LONGEST_MESSAGE, LONGEST_CELL = 2020, 10_000
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
NUMBERS = frozenset(match[0] for one in base_table()["number"].to_pylist() if (match := NUMBER.match(repr(one))))
PROTECTED = ("--to", "--per-row")  # options whose files hold rows


@dataclass(frozen=True)
class Played:
    status: int
    out: bytes
    err: bytes
    seconds: float
    megabytes: float  # more than the process that it was forked from
    files: dict[str, bytes]
    temporary: list[str]


def play(case: Case, keep: Path | None = None) -> Played:
    """Runs it in a fork, where all is loaded already."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-")) if keep is None else keep
    try:
        here, temporary = folder / "here", folder / "tmp"
        for one in (here, temporary):
            one.mkdir(parents=True)
        for name, data in case.files.items():
            place = Path(os.fsdecode(os.path.join(os.fsencode(here), name.encode(errors="surrogateescape"))))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        (folder / "stdin").write_bytes(case.stdin)
        began, before = time.monotonic(), _resident()
        child = os.fork()
        if child == 0:
            _run_and_exit(case, folder)
        status, spent = _waited(child)
        seconds = time.monotonic() - began
        files = {
            one.relative_to(here).as_posix(): one.read_bytes()
            for one in sorted(here.rglob("*")) if one.is_file() and not one.is_symlink()
        }  # fmt: skip
        left = [one.name for one in temporary.iterdir()]
        out, err = (folder / "stdout").read_bytes(), (folder / "stderr").read_bytes()
        return Played(status, out, err, seconds, spent - before, files, left)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


def _run_and_exit(case: Case, folder: Path) -> None:
    status = 99
    try:
        signal.alarm(SECONDS + 5)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_WRONLY), (2, "stderr", os.O_WRONLY)):
            os.dup2(os.open(folder / name, flags | os.O_CREAT), number)
        os.chdir(folder / "here")
        os.environ.update({"TMPDIR": str(folder / "tmp"), "HOME": str(folder), **case.environment})
        tempfile.tempdir = None
        import sys

        sys.stdin, sys.stdout, sys.stderr = (
            open(i, "rw"[i > 0], encoding="utf-8", errors="surrogateescape") for i in range(3)
        )
        sys.argv = ["labeldp-audit", *case.arguments]
        from labeldp_audit.cli import app

        status = app.main(list(case.arguments))
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 98
    except BaseException as error:
        os.write(2, f"Traceback at the door: {type(error).__name__}: {error}".encode(errors="replace"))
    finally:
        os._exit(status)


def _waited(child: int) -> tuple[int, float]:
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_maxrss / 1024


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# ---- what has to hold


def faults(case: Case, played: Played) -> Iterator[str]:
    out, err = played.out.decode(errors="replace"), played.err.decode(errors="replace")
    if played.status not in STATUSES:
        yield f"status {played.status}"
    if "Traceback" in out + err:
        yield "a traceback"
    if played.seconds > SECONDS:
        yield f"{played.seconds:.0f} seconds"
    sizes = sum(map(len, case.files.values())) + len(case.stdin)
    if played.megabytes > MEGABYTES + 100 * sizes / 2**20:
        yield f"{played.megabytes:.0f} MB"
    if played.temporary:
        yield f"temporary files: {played.temporary}"
    yield from _of_messages(played, err)
    yield from _of_files(case, played)
    pages = {"standard output": (_format_of_output(case), played.out)} if played.status in (0, 1, 4) else {}
    pages |= {name: (name.rsplit(".", 1)[-1], data) for name, data in _reports(case, played).items()}
    for name, (form, data) in pages.items():
        yield from (f"{name}: {what}" for what in _of_page(form, data))
    if not case.believable and played.status in (0, 1, 4):
        yield "what was changed and not sealed was believed"
    texts = {
        "standard error": err, "standard output": out,
        **{name: data.decode(errors="replace") for name, (_, data) in pages.items()},
    }  # fmt: skip
    for name, text in texts.items():
        yield from _controls(name, text, "\n\r")
        heads = {match[0] for one in case.told if (match := NUMBER.match(one))}
        numbers = {one for one in NUMBER.findall(text) if one in NUMBERS - heads}
        if numbers and not _is_named(case, numbers):
            yield f"{name}: cells of features: {sorted(numbers)[:3]}"
        marks = {
            found
            for found in re.findall(rf"{MARK}[0-9]+[xn]", text)
            if not any(found in one or one == MARK for one in case.told)
        }
        if marks and not _is_named(case, marks):
            yield f"{name}: cells of features: {sorted(marks)[:3]}"


def _is_named(case: Case, marks: set[str]) -> bool:
    """Labels and what was typed may be shown: where a column of text is the label, its cells are classes."""
    label = [
        case.environment.get("LABELDP_AUDIT_LABEL"),
        *(after for option, after in pairs(case) if option == "--label"),
    ]
    typed = " ".join((*case.arguments, *case.environment.values()))
    return any(one in ("text", "note", "number") for one in label) or all(one in typed for one in marks)


def pairs(case: Case) -> zip[tuple[str, str]]:
    """Each argument and the one behind it."""
    return zip(case.arguments, case.arguments[1:], strict=False)


def _of_messages(played: Played, err: str) -> Iterator[str]:
    lines = err.splitlines()
    if played.status in (2, 3):
        errors = [one for one in lines if one.startswith("labeldp-audit: error: ")]
        if len(errors) != 1:
            yield f"{len(errors)} lines of error"
        if played.out and played.status == 2:
            yield "an error beside a report"
    if any(not one.startswith("labeldp-audit: ") for one in lines):
        yield "a line of another program on standard error"
    if any(len(one) > LONGEST_MESSAGE for one in lines):
        yield f"a message of {max(map(len, lines)):,} characters"
    yield from _controls("standard error", err)


def _controls(name: str, text: str, allowed: str = "\n") -> Iterator[str]:
    odd = {one for one in COLOURS.sub("", text) if not one.isprintable() and one not in allowed}
    if odd:
        yield f"{name}: control characters: {sorted(odd)[:4]!r}"


def _of_files(case: Case, played: Played) -> Iterator[str]:
    for name, data in case.files.items():
        there = os.fsdecode(name.encode(errors="surrogateescape"))
        if played.files.get(there) != data and not _is_output(case, there):
            yield f"an input is not as it was: {name}"
    new = sorted(set(played.files) - {os.fsdecode(one.encode(errors="surrogateescape")) for one in case.files})
    if new and played.status in (2, 3):
        yield f"files beside an error: {new}"
    if any(one.endswith(".part") for one in new):
        yield f"half-written: {new}"


def _is_output(case: Case, name: str) -> bool:
    """Named as an output with --force, it may be overwritten."""
    return "--force" in case.arguments and name in case.arguments


def _reports(case: Case, played: Played) -> dict[str, bytes]:
    """Files that people or programs read, and that hold no rows."""
    with_rows = {case.arguments[i + 1] for i, one in enumerate(case.arguments[:-1]) if one in PROTECTED}
    endings = (".json", ".md", ".html", ".svg", ".csv", ".sarif", ".xml", ".txt")
    return {
        name: data for name, data in played.files.items()
        if name not in case.files and name.endswith(endings) and not any(name.startswith(one.split(".")[0]) for one in with_rows)
    }  # fmt: skip


def _format_of_output(case: Case) -> str:
    found = [case.arguments[i + 1] for i, one in enumerate(case.arguments[:-1]) if one in ("-f", "--format")]
    shown = [one for one in found if "=" not in one]
    if (
        "--export" in case.arguments
        or "--show-config" in case.arguments
        or "--help" in case.arguments
        or "-h" in case.arguments
    ):
        return "free"
    if (
        len(shown) > 1
        or (found and not shown)
        or any("FORMAT" in one or "CONFIG" in one or "EXPORT" in one for one in case.environment)
    ):
        return "free"
    configured = any(one.endswith(".toml") for one in case.files) and not found
    return "free" if configured else shown[0] if shown else "text"


def _of_page(form: str, data: bytes) -> Iterator[str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        yield "not UTF-8"
        return
    try:
        match form:
            case "json" | "sarif":
                json.loads(text, parse_constant=lambda word: 1 / 0)
                return
            case "csv":
                rows = list(csv.reader(io.StringIO(text)))
                if len({len(one) for one in rows}) > 1:
                    yield "rows of different lengths"
                cells = [cell for one in rows for cell in one]
                if any(len(one) > LONGEST_CELL for one in cells):
                    yield f"a cell of {max(map(len, cells)):,} characters"
                if any(one[:1] in ("=", "+", "-", "@") and not _is_number(one) for one in cells):
                    yield "a formula in a cell"
            case "junit" | "xml" | "svg":
                ElementTree.fromstring(text)
            case "html":
                page = _Page()
                page.feed(text)
                page.close()
                assert not page.open, page.open
    except Exception as error:
        yield f"no valid {form}: {type(error).__name__}: {error}"
    yield from _controls(form, text, "\n\r" if form in ("csv", "free") else "\n")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell == "-"
    return True


class _Page(HTMLParser):
    """Every element that begins has an end, and no script is a stranger's."""

    EMPTY = frozenset(
        ("meta", "link", "br", "hr", "img", "input", "col", "path", "rect", "line", "circle", "polyline", "wbr")
    )

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert not (value or "").strip().lower().startswith("javascript:")
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        assert "alert(1)" not in data or "script" not in self.open
