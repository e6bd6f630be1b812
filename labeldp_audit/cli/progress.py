"""What a person at the terminal sees: how wide and colourful a report is, and how far the work has come."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..core.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn, TaskID


PIPE = (100, 24)  # columns and lines where no terminal is


def screen() -> tuple[int, bool]:
    """Width and colour of standard output, unless COLUMNS, NO_COLOR, FORCE_COLOR or TERM=dumb say otherwise."""
    width = shutil.get_terminal_size(PIPE).columns
    if os.environ.get("NO_COLOR"):
        return width, False
    if os.environ.get("FORCE_COLOR"):
        return width, True
    return width, os.environ.get("TERM") != "dumb" and sys.stdout is not None and sys.stdout.isatty()


@contextmanager
def watched(quiet: bool) -> Iterator[Progress]:
    """A bar where somebody looks at standard error; it is gone when the work is done."""
    if quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import Progress as Bars

    with Bars(*_columns(), console=Console(stderr=True), transient=True) as bars:
        yield Stages(bars)


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
    from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units a second over the last while."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else rate(speed, str(task.fields["unit"])), style="progress.percentage")

    return (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), Rate(), TimeRemainingColumn())


def rate(speed: float, unit: str) -> str:
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if speed >= size:
            return f"{speed / size:.1f} {sign} {unit}/s"
    return f"{speed:.0f} {unit}/s"
