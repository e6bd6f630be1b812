"""Standard output, which carries the report and nothing else, and standard error, which carries the rest."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

from ..core.errors import DataError


def complain(what: str, hint: str = "") -> None:
    say(f"error: {what}")
    if hint:
        say(f"hint: {' '.join(hint.split())}")


def warn(warnings: Iterable[str], quiet: bool) -> None:
    for warning in warnings:
        if not quiet:
            say(f"warning: {' '.join(warning.split())}")


def say(line: str) -> None:
    """To standard error; where that is closed there is nobody to tell."""
    try:
        if sys.stderr is not None:
            shown = line.replace("##[", "# #[")  # commands to a runner of GitHub, wherever they stand in a line
            print(f"labeldp-audit: {shown}", file=sys.stderr, flush=True)
    except OSError:
        mute(sys.stderr)


def show(text: str) -> None:
    """To standard output."""
    if sys.stdout is None and text:
        raise BrokenPipeError
    with delivering():
        left = memoryview(_encoded(text))
        while left:  # print would not notice a pipe that closes halfway, where PYTHONUNBUFFERED is set
            left = left[sys.stdout.buffer.write(left) :]


def _encoded(text: str) -> bytes:
    """UTF-8 for programs, as in files; what a terminal understands for people."""
    if sys.stdout is None or not sys.stdout.isatty():
        return text.encode(errors="backslashreplace")
    return text.encode(sys.stdout.encoding, "backslashreplace")


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
