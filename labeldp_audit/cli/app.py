"""The door: the only file that prints and the only one that picks an exit code."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, NoReturn, TextIO

from ..core import registry
from ..core.errors import AuditError, DataError, SpecError

if TYPE_CHECKING:
    from pathlib import Path

    from ..core.report import Report
    from . import output
    from .configuration import Chosen
    from .grammar import Request
    from .options import Command

HOME = __file__.removesuffix("cli/app.py")  # of the package
FINE, VIOLATED, USAGE, DATA, INCONCLUSIVE, BUG, CLOSED = 0, 1, 2, 3, 4, 70, 141


class Stopped(BaseException):
    """Somebody wants us to stop. Not a KeyboardInterrupt: libraries swallow those."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The whole program; the exit status."""
    _open_the_closed()
    try:
        _listen()
        return _guarded(sys.argv[1:] if arguments is None else list(arguments))
    except (Stopped, KeyboardInterrupt) as stop:
        say("interrupted")
        return int(stop.args[0]) if stop.args else 128 + signal.SIGINT


def _guarded(arguments: Sequence[str]) -> int:
    try:
        return _run(arguments)
    except BrokenPipeError:
        _mute(sys.stdout)
        return CLOSED
    except Exception as error:
        if "--debug" in arguments or os.environ.get("LABELDP_AUDIT_DEBUG", "0") not in ("", "0", "false", "no", "off"):
            import traceback

            say("".join(traceback.format_exception(error)))
        return explained(error)


def explained(error: Exception) -> int:
    """One line, a hint where there is something to do, and the status."""
    match error:
        case AuditError():
            complain(str(error), error.hint)
            return DATA if isinstance(error, DataError) else USAGE
        case MemoryError():
            complain("not enough memory", "--exclude columns that are no features, or use a machine with more memory")
            return DATA
        case _ if stranger := registry.stranger_in(error):
            complain(f"another package fails: {stranger}", "its authors want to know; --debug shows more")
            return USAGE
        case _:
            complain(f"a bug of labeldp-audit: {_place(error)}", BUG_HINT)
            return BUG


BUG_HINT = "please report this line with `labeldp-audit --version --verbose`; --debug shows where it comes from"


def _place(error: Exception) -> str:
    """Kind and line of ours alone: a message may quote the data."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(HOME)] or frames
    return f"{type(error).__name__}: {ours[-1].filename.removeprefix(HOME)}: line {ours[-1].lineno}"


def _run(arguments: Sequence[str]) -> int:
    if shell := os.environ.get("_LABELDP_AUDIT_COMPLETE"):
        from . import completion

        show(completion.answer(shell, arguments))
        return FINE
    from . import grammar

    with _delivering():  # help is printed here
        request = grammar.parse(arguments)
    if request is None:
        return FINE
    if request.command is None:
        from . import about

        show(about.told(request.given))
        return FINE
    return _explain(request) if request.command.reads == "word" else _answer(request.command, request)


def _answer(command: Command, request: Request) -> int:
    from . import configuration, policy_options

    chosen, notes = configuration.gather(command.options, request.given, os.environ, configuration.here())
    _warn(notes, bool(chosen["quiet"].value))
    if chosen["show_config"].value:
        policy = policy_options.shown(policy_options.policy_of(chosen, configuration.here()))
        show(configuration.shown(chosen, command.options) + policy)
        return FINE
    if not request.data:  # Path('') would be the working folder
        raise SpecError("missing argument DATA", hint=f"`labeldp-audit {command.name} --help` shows examples")
    return _report(command, request.data, chosen)


def _explain(request: Request) -> int:
    from . import explain, progress

    assert request.command is not None
    option = next(one for one in request.command.options if one.name == "format")
    form = option.kind.parse(str(request.given["format"] or option.default))
    show(explain.run(request.data, str(form), progress.screen()[0]))
    return FINE


def _report(command: Command, data: str, chosen: Mapping[str, Chosen]) -> int:
    from ..audits import judging
    from . import configuration, output, policy_options, progress, run_command, versions

    quiet, started = bool(chosen["quiet"].value), time.time()
    asked = run_command.checked(command, data, chosen)
    _warn(filter(None, [policy_options.unread(chosen, configuration.here())]), quiet)
    _hush_libraries()
    made, rows, info = run_command.run(asked, quiet)
    report = judging.judged(made, asked.settings.policy)
    said = made.warnings if asked.stored else ()  # when that report was made
    _warn((one for one in report.warnings if one not in said), quiet or _is_read_here(asked.plan))
    info = versions.of_run(data, sys.argv[1:], started) if chosen["with_run_info"].value else info
    text = output.to_screen(asked.plan, report, *progress.screen(), info)
    written = output.to_files(asked.plan, report, rows, info)
    show(text)
    _warn(output.to_summary(asked.plan, report, os.environ.get("GITHUB_STEP_SUMMARY")), quiet=False)
    _sum_up(written, quiet)
    decides = "fail_if" in chosen and not chosen["exit_zero"].value
    return _status(report) if decides else FINE


def _status(report: Report) -> int:
    from ..core.policy import Outcome

    if report.judgement is None:
        return FINE
    return {Outcome.PASS: FINE, Outcome.INCONCLUSIVE: INCONCLUSIVE}.get(report.judgement.outcome, VIOLATED)


def _hush_libraries() -> None:
    """Their warnings are for us, not for users; `python -W` brings them back."""
    import warnings

    if not sys.warnoptions:
        warnings.simplefilter("ignore")


def _is_read_here(plan: output.Plan) -> bool:
    """Is there a terminal that shows a report for people, which has the warnings?"""
    shown = any(target.file is None and target.format == "text" for target in plan.targets)
    return shown and sys.stdout is not None and sys.stdout.isatty()


def _warn(warnings: Iterable[str], quiet: bool) -> None:
    for warning in warnings:
        if not quiet:
            say(f"warning: {' '.join(warning.split())}")


def _sum_up(written: Sequence[Path], quiet: bool) -> None:
    if written and not quiet:
        say(f"wrote {', '.join(str(file) for file in written)}")


def complain(what: str, hint: str = "") -> None:
    say(f"error: {what}")
    if hint:
        say(f"hint: {' '.join(hint.split())}")


def say(line: str) -> None:
    """To standard error; where that is closed there is nobody to tell."""
    try:
        if sys.stderr is not None:
            shown = line.replace("##[", "# #[")  # commands to a runner of GitHub, wherever they stand in a line
            print(f"labeldp-audit: {shown}", file=sys.stderr, flush=True)
    except OSError:
        _mute(sys.stderr)


def show(text: str) -> None:
    """To standard output."""
    if sys.stdout is None and text:
        raise BrokenPipeError
    with _delivering():
        left = memoryview(_encoded(text))
        while left:  # print would not notice a pipe that closes halfway, where PYTHONUNBUFFERED is set
            left = left[sys.stdout.buffer.write(left) :]


def _encoded(text: str) -> bytes:
    """UTF-8 for programs, as in files; what a terminal understands for people."""
    if sys.stdout is None or not sys.stdout.isatty():
        return text.encode(errors="backslashreplace")
    return text.encode(sys.stdout.encoding, "backslashreplace")


@contextlib.contextmanager
def _delivering() -> Iterator[None]:
    """What is printed inside has arrived when this is left."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _mute(sys.stdout)
        raise DataError(f"cannot write the report: {error.strerror}", "standard output") from None


def _mute(stream: TextIO | None) -> None:
    """Python flushes once more at the end and would complain about what it could not write."""
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_the_closed() -> None:
    """With `>&-` the next file that we open would become standard output."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)


def _listen() -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(each) is not signal.SIG_IGN:  # as under nohup
            signal.signal(each, _stop)
    sys.unraisablehook = _unraisable


def _stop(number: int, frame: FrameType | None) -> None:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, _leave)
    raise Stopped(128 + number)


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
