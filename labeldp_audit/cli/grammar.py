"""What may be typed: the lists of cli/options.py as a typer application."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer
import typer.core

from ..core.errors import SpecError, near
from ..core.registry import others
from ..core.values import Flag
from . import options
from .options import COMMANDS, Command, Option, every

PROGRAM = "labeldp-audit"
# Click's, by a way that holds for versions of typer that import click and for those that bring their own.
UsageError: Any = typer.BadParameter.__base__

SUMMARY = (
    "Measure how much a release of protected labels still tells about each person.\n\n"
    "A table goes in (.parquet, .csv, .csv.gz, .tsv, .arrow, .svm, a folder, or - for CSV on standard input); "
    "a report comes out on standard output.\n\n"
    "Start with: labeldp-audit estimate-j DATA\n\n"
    "Options of a command may also stand in labeldp-audit.toml or pyproject.toml, or in variables such as "
    "LABELDP_AUDIT_LABEL; what is typed wins."
)
STATUSES = (
    "Exit status: 0 it ran, and a policy holds; 1 the policy is violated; 2 usage or configuration; 3 the data cannot "
    "be audited; 4 inconclusive; 70 a bug; 130 interrupted; 141 nobody reads on; 143 terminated."
)


@dataclass(frozen=True)
class Request:
    """What was typed, unjudged: None where nothing was given."""

    command: Command | None  # None asks for something about the program itself
    data: str | None
    given: dict[str, Any]


def parse(arguments: Sequence[str]) -> Request | None:
    """None where help was shown."""
    command = typer.main.get_command(application())
    try:
        outcome = command.main(_completed(arguments), prog_name=PROGRAM, standalone_mode=False)
    except UsageError as error:
        raise as_spec_error(error, arguments) from None
    except SystemExit:  # how rich answers a closed pipe
        raise BrokenPipeError from None
    return outcome if isinstance(outcome, Request) else None


def _completed(arguments: Sequence[str]) -> list[str]:
    """A shell need not be named."""
    return [*arguments, ""] if arguments and arguments[-1] in SHELL_FLAGS else list(arguments)


SHELL_FLAGS = [option.flag for option in options.PROGRAM if option.kind.metavar == "[SHELL]"]


def application() -> typer.Typer:
    app = typer.Typer(
        cls=_Commands,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=_summary(), epilog=STATUSES)(_program())
    for command in COMMANDS:
        kind = _Command if command.reads == "word" else _Lazy
        app.command(command.name, cls=kind, help=_help(command), short_help=command.answers)(_reader(command))
    return app


def _summary() -> str:
    """With the kinds of files that packages of other people read."""
    kinds = "".join(f", .{ending}" for ending in others("sources"))
    return SUMMARY.replace(", a folder", f"{kinds}, a folder")


def _program() -> Callable[..., Request | None]:
    """What may be typed without a command."""

    def read(context: typer.Context, **given: Any) -> Request | None:
        return _alone(context.invoked_subcommand, {name: value for name, value in given.items() if value is not None})

    return _signed(read, [_context(), *(_parameter(one.name, _type(one), _declared(one)) for one in options.PROGRAM)])


def _alone(command: str | None, given: dict[str, Any]) -> Request | None:
    """One thing at a time."""
    asked = [name for name in given if name != "verbose"]
    if asked and (command or len(asked) > 1):
        raise SpecError(f"--{asked[0].replace('_', '-')} stands alone")
    if "verbose" in given and asked != ["version"]:
        raise SpecError("--verbose goes with --version")
    if not asked and command is None:
        raise SpecError("missing command", hint="`labeldp-audit --help` lists the commands")
    return Request(None, None, given) if asked else None


def _help(command: Command) -> str:
    examples = "\n".join(f"  {typed}\n      {purpose}" for typed, purpose in command.examples)
    return f"{command.help}\n\n\b\nExamples:\n{examples}"


def _reader(command: Command) -> Callable[..., Request]:
    """A function whose signature is the list of the command's options, as typer wants it."""

    def read(**given: Any) -> Request:
        return Request(command, given.pop("data"), given)

    metavar, purpose = ARGUMENTS[command.reads]
    parameters = [_parameter("data", str | None, typer.Argument(metavar=metavar, help=purpose, show_default=False))]
    parameters += [_parameter(option.name, _type(option), _declared(option)) for option in command.options]
    return _signed(read, parameters)


TABLE = "Table to audit: a file, a folder or quoted pattern of Parquet files, or - for CSV on standard input."
ARGUMENTS = {
    "table": ("DATA", TABLE),
    "table or report": ("DATA", f"Stored report (.json) that another command left, or a table. {TABLE}"),
    "report": ("REPORT", "Stored report (.json) that another command left."),
    "word": ("[QUANTITY]", "Name of a quantity, as in reports and policies, or of a term."),
}


def _signed(read: Callable[..., Any], parameters: Sequence[inspect.Parameter]) -> Callable[..., Any]:
    read.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    read.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return read


def _context() -> inspect.Parameter:
    return inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)


def _parameter(name: str, kind: Any, declared: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, declared])


def _type(option: Option) -> Any:
    if isinstance(option.kind, Flag):
        return bool | None
    return list[str] | None if option.many else str | None


def _declared(option: Option) -> Any:
    off = f"/--no-{option.flag.removeprefix('--')}" if option.default is True else ""
    names = [option.flag + off, *filter(None, [option.short])]
    return typer.Option(
        *names,
        help=f"{option.help} Default: {option.shown}." if option.shown else option.help,
        metavar=option.kind.metavar,
        show_default=False,
        rich_help_panel=option.panel,
    )


class _Command(typer.core.TyperCommand):
    def get_help_option(self, ctx: Any) -> Any:
        return _without_value(super().get_help_option(ctx))


class _Commands(typer.core.TyperGroup):
    def get_help_option(self, ctx: Any) -> Any:
        return _without_value(super().get_help_option(ctx))


def _without_value(option: Any) -> Any:
    """Of --help, which takes none: some versions of typer print its type."""
    if option is not None:
        option.metavar = ""
    return option


class _Lazy(_Command):
    """Looks mechanisms and formats up when help is shown, not whenever the tool starts."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for parameter in self.params:
            if parameter.name in KNOWN and isinstance(parameter, typer.core.TyperOption):
                parameter.help = f"{parameter.help} Known: {'; '.join(KNOWN[parameter.name]())}."
        super().format_help(ctx, formatter)


def _mechanisms() -> Iterable[str]:
    from ..mechanisms import MECHANISMS

    return [f"{mechanism.example} ({mechanism.summary})" for mechanism in MECHANISMS]


def _formats() -> Iterable[str]:
    from ..reports.formats import names

    return [", ".join(names())]


def _estimators() -> Iterable[str]:
    from ..estimators import ESTIMATORS

    return [", ".join(ESTIMATORS.names())]


KNOWN: dict[str | None, Callable[[], Iterable[str]]] = {
    "mechanism": _mechanisms,
    "format": _formats,
    "estimator": _estimators,
}


def as_spec_error(error: Any, arguments: Sequence[str]) -> SpecError:
    """One line in our words, what may have been meant, and where help is."""
    message, context = error.format_message(), error.ctx
    path = context.command_path if context else " ".join([PROGRAM, *_commands_in(arguments)])
    if type(error).__name__ == "NoSuchOption":
        what, hint = f"unknown option {error.option_name!r}", _option_hint(error.option_name, context)
    elif command := re.match("No such command '(.*?)'", message):
        what, hint = f"unknown command {command[1]!r}", near(command[1], (command.name for command in COMMANDS))
    elif message.startswith("Got unexpected extra argument"):
        what, hint = (
            _lowered(message),
            "one table at a time: name a folder, or quote a pattern such as 'data/*.parquet'",
        )
    else:
        what, hint = _lowered(message), ""
    return SpecError(what, hint=f"{hint} (`{path} --help`)" if hint else f"`{path} --help` lists what there is")


def _commands_in(arguments: Sequence[str]) -> list[str]:
    """The command's name, where the parser did not say in which it was."""
    return [name for name in arguments if name in {command.name for command in COMMANDS}][:1]


def _option_hint(wrong: str, context: Any) -> str:
    """Click knows the options of the command that it was reading; a group has hardly any."""
    if wrong in (option.flag for option in every().values()) and context and context.parent is None:
        return f"{wrong} goes after the command"
    return near(wrong, (name for parameter in context.command.params for name in parameter.opts) if context else ())


def _lowered(message: str) -> str:
    message = message.strip().rstrip(".")
    return message[:1].lower() + message[1:]
