"""The door: reads what was typed, and picks an exit code for whatever comes of it."""

from __future__ import annotations

import functools
import os
import re
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, NoReturn

import typer

from ..core import registry
from ..core.errors import STOPS, AuditError, DataError, SpecError
from ..engines import machine
from . import configuration, terminal
from .commands import application

HOME = __file__.removesuffix("cli/app.py")  # of the package
PROGRAM = "labeldp-audit"
COMPLETE = "_LABELDP_AUDIT_COMPLETE"  # the variable by which a shell asks typer what may be typed next
_COMPLETION = re.compile("(source|complete)_(bash|zsh|fish|powershell|pwsh)")
# Click's, by a way that holds for versions of typer that import click and for those that bring their own.
UsageError: Any = typer.BadParameter.__base__
BUG_HINT = "please report this line with `labeldp-audit --version --verbose`; --debug shows where it comes from"


class Stopped(BaseException):
    """The user wants it to stop. Not a KeyboardInterrupt: libraries swallow those."""


@functools.cache
def commands() -> Any:
    return typer.main.get_command(application)


# ---- the whole program


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    try:
        _listen()
        terminal.open_the_closed()
        status = _guarded(sys.argv[1:] if arguments is None else list(arguments))
        _at_once()  # Python still has to close what is open
        return status
    except (Stopped, KeyboardInterrupt) as stop:
        terminal.say("interrupted")
        return int(stop.args[0]) if stop.args else 128 + signal.SIGINT


def _guarded(arguments: Sequence[str]) -> int:
    try:
        return _run(arguments)
    except BrokenPipeError:
        terminal.mute(sys.stdout)
        return terminal.CLOSED
    except Exception as error:
        if _came:  # a library made it of a stop, as numpy does while it loads
            raise Stopped(_came[0]) from None
        if "--debug" in arguments or os.environ.get("LABELDP_AUDIT_DEBUG", "0") not in ("", "0", "false", "no", "off"):
            import traceback

            for line in "".join(traceback.format_exception(error)).splitlines():
                terminal.say(line)
        return explained(error)


def _run(arguments: Sequence[str]) -> int:
    asked = os.environ.get(COMPLETE, "")
    if _COMPLETION.fullmatch(asked) and (asked != "complete_bash" or "COMP_WORDS" in os.environ):
        os.environ["COLUMNS"] = "10000"  # fish would take each line of a long help for a word
        commands().main(arguments, prog_name=PROGRAM)
    try:
        with commands().make_context(PROGRAM, list(arguments)) as context:
            return int(context.command.invoke(context))
    except typer.Exit as end:  # help was shown, or the version, or typer knows no such shell
        with terminal.delivering():
            return terminal.USAGE if end.exit_code else terminal.FINE
    except UsageError as error:
        raise _as_spec_error(error) from None
    except SystemExit as end:  # typer installed completion; rich met a closed pipe
        if end.code:
            raise BrokenPipeError from None
        return terminal.FINE


def _as_spec_error(error: Any) -> SpecError:
    """One line, what may have been meant, and where help is."""
    what, _, meant = str(error.message).rstrip(".?").partition(". Did you mean ")
    what = what[:1].lower() + what[1:]
    meant = meant or " or ".join(getattr(error, "possibilities", None) or ())
    hint = f"did you mean {meant}?" if meant else ""
    wrong, context = getattr(error, "option_name", ""), error.ctx
    if what.startswith("got unexpected extra argument"):
        hint = "one table at a time: name a folder, or quote a pattern such as 'data/*.parquet'"
    elif context and context.parent is None and wrong.removeprefix("--") in configuration.every(context):
        hint = f"{wrong} goes after the command"
    help = f"`{context.command_path if context else PROGRAM} --help`"
    where = error.param.opts[0] if getattr(error, "param", None) else ""
    return SpecError(what, where, hint=f"{hint} ({help})" if hint else f"{help} lists what there is")


def explained(error: Exception) -> int:
    """One line, a hint where there is something to do, and the status."""
    error = _of_the_world(error) or error
    match error:
        case AuditError():
            terminal.complain(str(error), error.hint)
            return terminal.DATA if isinstance(error, DataError) else terminal.USAGE
        case MemoryError():
            terminal.complain(
                "not enough memory", "--exclude columns that are no features, or use a machine with more memory"
            )
            return terminal.DATA
        case _ if stranger := registry.stranger_in(error):
            terminal.complain(f"another package fails: {stranger}", "its authors want to know; --debug shows more")
            return terminal.USAGE
        case _:
            terminal.complain(f"a bug of labeldp-audit: {_place(error)}", BUG_HINT)
            return terminal.BUG


def _of_the_world(error: Exception) -> DataError | None:
    """What is no fault of ours, whoever met it first."""
    match error:
        case AuditError() | MemoryError():
            return None
        case UnicodeDecodeError():  # pyarrow looks at a text of Parquet when it is asked for
            hint = "write the table again with the program it is from"
            return DataError("a text of the table is not UTF-8", hint=hint)
        case OSError(strerror=str(fault), filename=str(file)):  # such as a name that is too long for a file
            return DataError(fault, file)
    try:
        machine.check_addresses()  # where they are few, libraries fail in ways of their own
    except DataError as scarce:
        return scarce
    return None


def _place(error: Exception) -> str:
    """Kind and line of ours alone: a message may quote the data."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(HOME)] or frames
    return f"{type(error).__name__}: {ours[-1].filename.removeprefix(HOME)}: line {ours[-1].lineno}"


# ---- signals


_came: list[int] = []  # signals


def _listen() -> None:
    _came.clear()
    for each in STOPS:
        if signal.getsignal(each) is not signal.SIG_IGN:  # as under nohup
            signal.signal(each, _stop)
    sys.unraisablehook = _unraisable


def _stop(number: int, frame: FrameType | None) -> None:
    _at_once()
    _came.append(128 + number)
    raise Stopped(128 + number)


def _at_once() -> None:
    for each in STOPS:
        if signal.getsignal(each) is _stop:
            signal.signal(each, _leave)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """Asked twice: at once, without a word, but give a terminal its cursor back, which the bar had hidden."""
    if os.isatty(2):
        os.write(2, b"\x1b[?25h")
    os._exit(128 + number)


def _unraisable(event: sys.UnraisableHookArgs) -> None:
    """A stop that came while an object was being deleted would be lost."""
    if isinstance(event.exc_value, Stopped):
        os._exit(int(event.exc_value.args[0]))
    sys.__unraisablehook__(event)
