"""What people and programs see of us: standard output with the report and nothing else, standard error with the rest,
a bar on a terminal, and the exit status."""

from __future__ import annotations

import contextlib
import math
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ..core.errors import DataError
from ..core.progress import Progress, Silent
from ..core.quoting import plain

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn, TaskID

FINE, VIOLATED, USAGE, DATA, INCONCLUSIVE, BUG, CLOSED = 0, 1, 2, 3, 4, 70, 141
STATUSES = (
    "Exit status: 0 it ran, and a policy holds; 1 the policy is violated; 2 usage or configuration; 3 the data cannot "
    "be audited; 4 inconclusive, unproven or vacuous; 70 a bug; 129 hung up; 130 interrupted; 141 broken pipe; "
    "143 terminated."
)
LONGEST_LINE = 2000  # characters
PIPE = (100, 24)  # columns and lines where no terminal is


# ---- standard error


def complain(what: str, hint: str = "") -> None:
    say(f"error: {what}")
    if hint:
        say(f"hint: {' '.join(hint.split())}")


def warn(warnings: Iterable[str], quiet: bool) -> None:
    for warning in () if quiet else warnings:
        say(f"warning: {' '.join(warning.split())}")


def say(line: str) -> None:
    """To standard error; nothing where that is closed."""
    try:
        if sys.stderr is not None:
            shown = plain(line, LONGEST_LINE).replace(
                "##[", "# #["
            )  # commands to a runner of GitHub, wherever they stand in a line
            print(f"labeldp-audit: {shown}", file=sys.stderr, flush=True)
    except OSError:
        mute(sys.stderr)


# ---- standard output


def show(text: str) -> None:
    """UTF-8 for programs, as in files; what a terminal understands for people."""
    if sys.stdout is None:
        if text:
            raise BrokenPipeError
        return
    encoding = sys.stdout.encoding if sys.stdout.isatty() else "utf-8"
    with delivering():
        left = memoryview(text.encode(encoding, "backslashreplace"))
        while left:  # print would not notice a pipe that closes halfway, where PYTHONUNBUFFERED is set
            left = left[sys.stdout.buffer.write(left) :]


@contextlib.contextmanager
def delivering() -> Iterator[None]:
    """What is printed inside has arrived when this is left."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        mute(sys.stdout)
        raise DataError(f"cannot write the report: {error.strerror}", "standard output") from None


def mute(stream: TextIO | None) -> None:
    """Python flushes once more at the end and would complain about what it could not write."""
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_the_closed() -> None:
    """With `>&-` the next file that we open would become standard output."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)


def screen() -> tuple[int, bool]:
    """Width and colour of standard output, unless COLUMNS, NO_COLOR, FORCE_COLOR or TERM=dumb say otherwise."""
    width = shutil.get_terminal_size(PIPE).columns
    if os.environ.get("NO_COLOR"):
        return width, False
    if os.environ.get("FORCE_COLOR"):
        return width, True
    return width, os.environ.get("TERM") != "dumb" and sys.stdout is not None and sys.stdout.isatty()


# ---- how far the work has come


@contextlib.contextmanager
def watched(quiet: bool) -> Iterator[Progress]:
    """A bar where standard error is a terminal; it is gone when the work is done."""
    if quiet or sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    if not is_compiled(Path(__file__).parents[1]):
        say("the first run compiles, which takes some ten seconds")
    with Bars(*_columns(), console=Console(stderr=True), transient=True) as bars:
        yield Stages(bars)


def is_compiled(package: Path) -> bool:
    """Whether machine code is kept beside the package; where it cannot be kept there, nothing is known."""
    return not os.access(package, os.W_OK) or next(package.rglob("*.nbi"), None) is not None


class Stages:
    """One bar a stage. Threads may advance it: the bars hold a lock."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._now: TaskID | None = None

    def stage(self, name: str, total: float | None, unit: str) -> None:
        if self._now is not None:
            self._bars.stop_task(self._now)
            self._bars.update(self._now, visible=False)
        self._now = self._bars.add_task(name, total=total, unit=unit)

    def advance(self, amount: float) -> None:
        if self._now is not None:
            self._bars.advance(self._now, amount)


def _columns() -> tuple[ProgressColumn, ...]:
    from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units a second over the last while, or how many steps are done of a stage without a unit."""

        def render(self, task: Task) -> Text:
            return Text(_speed(task), style="progress.percentage")

    def _speed(task: Task) -> str:
        unit, speed = str(task.fields["unit"]), task.finished_speed or task.speed
        if not unit:
            return f"{task.completed:.0f} of {task.total:.0f}" if task.total else ""
        return "" if speed is None else rate(speed, unit)

    class Time(ProgressColumn):
        """How long it will take; where that is not known yet, how long it has taken."""

        def render(self, task: Task) -> Text:
            return Text(time_of(task.time_remaining, task.elapsed), style="progress.remaining")

    return (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), Rate(), Time())


def time_of(left: float | None, spent: float | None) -> str:
    return f"{_clock(left)} left" if left is not None else f"{_clock(spent or 0.0)} so far"


def _clock(seconds: float) -> str:
    whole = math.ceil(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def rate(speed: float, unit: str) -> str:
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if speed >= size:
            return f"{speed / size:.1f} {sign} {unit}/s"
    return f"{speed:.0f} {unit}/s"
