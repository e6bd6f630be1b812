"""The manual page: the lists of cli/options.py in man's macros.

A line that starts with a dot or a quote would be a request, a backslash an escape, and a bare - a hyphen that cannot be
copied and typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .. import __version__
from ..core.values import OneOf
from . import grammar
from .options import COMMANDS, PROGRAM, Command, Option

_SIGNS = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
STATUSES = {
    "0": "It ran; where there is a policy, it holds.",
    "1": "It ran; the policy is violated.",
    "2": "Usage or configuration.",
    "3": "The data cannot be audited: unreadable, no label, one class, too few rows, no room for the result.",
    "4": "It ran; inconclusive: an estimate would pass, its limit does not.",
    "70": "A bug of labeldp-audit.",
    "130, 143": "Interrupted, terminated.",
    "141": "Nobody reads on.",
}
FILES = {
    "labeldp-audit.toml": "Options and the policy; looked for upwards from the working folder.",
    "pyproject.toml": "The same in [tool.labeldp-audit].",
    "labeldp-report/": "Reports of the last run of each command: .json, .md and pictures; of audit in all formats.",
}
ENVIRONMENT = {
    "LABELDP_AUDIT_NAME": "Any option that may stand in a file, by its name in capitals, as LABELDP_AUDIT_LABEL.",
    "NO_COLOR, FORCE_COLOR, TERM": "Whether reports on standard output have colours.",
    "COLUMNS": "How wide reports on standard output are.",
    "NUMBA_CACHE_DIR": "Where compiled code is kept, if neither the installation nor the home folder can be written.",
}
SEE_ALSO = "man(1), bash(1), zsh(1), fish(1). `labeldp-audit explain` says what each number of a report means."


def page() -> str:
    """For `man -l -` and packagers."""
    return "\n".join([*_head(), *_commands(), *_options(), *_end()]) + "\n"


def escaped(text: str) -> str:
    """As it is, wherever it stands in a line."""
    written = "".join(map(_sign, " ".join(text.split())))
    return rf"\&{written}" if written.startswith(".") else written


def _sign(sign: str) -> str:
    return _SIGNS.get(sign, sign if sign.isascii() else f"\\[u{ord(sign):04X}]")


def _quoted(text: str) -> str:
    """One argument of a macro."""
    return '"' + escaped(text).replace('"', r"\(dq") + '"'


def _head() -> Iterator[str]:
    yield f'.TH LABELDP\\-AUDIT 1 "" {_quoted(f"{grammar.PROGRAM} {__version__}")} "User Commands"'
    yield from (".nh", ".ad l")  # what is typed must not be broken or stretched
    summary, *more = grammar.SUMMARY.split("\n\n")
    yield from _section("NAME", [escaped(f"{grammar.PROGRAM} - {_lowered(summary)}")])
    synopsis = [f".B {escaped(grammar.PROGRAM)}", r"\fICOMMAND\fR [\fIARGUMENT\fR] [\fIOPTION\fR]..."]
    own = [f".B {escaped(f'{grammar.PROGRAM} {one.flag}')}" for one in PROGRAM if one.name != "verbose"]
    yield from _section("SYNOPSIS", [*synopsis, *(line for one in own for line in (".br", one))])
    yield from _section("DESCRIPTION", _paragraphs([summary, *more]))


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:].rstrip(".")


def _commands() -> Iterator[str]:
    yield ".SH COMMANDS"
    for command in COMMANDS:
        argument = grammar.ARGUMENTS[command.reads][0]
        yield ".TP"
        yield rf"\fB{escaped(command.name)}\fR \fI{escaped(argument)}\fR"
        yield escaped(command.help)


def _options() -> Iterator[str]:
    yield ".SH OPTIONS"
    yield from _group("Without a command", [(one, ()) for one in PROGRAM])
    shared = {one.name: [command for command in COMMANDS if one in command.options] for one in _all()}
    for panel in dict.fromkeys(one.panel for one in _all()):
        yield from _group(panel, [(one, _only(shared[one.name])) for one in _all() if one.panel == panel])


def _all() -> Sequence[Option]:
    """Each option once, where its name, help and default are the same."""
    return list({(one.name, one.help, one.shown): one for command in COMMANDS for one in command.options}.values())


def _only(commands: Sequence[Command]) -> Sequence[str]:
    """Names, unless all commands that read a table have it."""
    tables = [command for command in COMMANDS if command.reads == "table"]
    return () if all(one in commands for one in tables) else [one.name for one in commands]


def _group(title: str, options: Iterable[tuple[Option, Sequence[str]]]) -> Iterator[str]:
    yield f".SS {_quoted(title)}"
    for one, commands in options:
        yield ".TP"
        yield _names(one)
        default = f" Default: {one.shown}." if one.shown else ""
        where = f" Of {', '.join(commands)}." if commands else ""
        yield escaped(one.help + default + where + _known(one))


def _known(option: Option) -> str:
    """What the help lists too."""
    if isinstance(option.kind, OneOf) or option.name not in grammar.KNOWN:
        return ""
    return f" Known: {'; '.join(grammar.KNOWN[option.name]())}."


def _names(option: Option) -> str:
    flag = f"{option.flag}, --no-{option.flag.removeprefix('--')}" if option.default is True else option.flag
    names = rf"\fB{escaped(', '.join(filter(None, [option.short, flag])))}\fR"
    return names + (rf" \fI{escaped(option.kind.metavar)}\fR" if option.kind.metavar else "")


def _end() -> Iterator[str]:
    yield from _section("EXIT STATUS", _pairs(STATUSES))
    yield from _section("FILES", _pairs(FILES))
    yield from _section("ENVIRONMENT", _pairs(ENVIRONMENT))
    yield ".SH EXAMPLES"
    for typed, purpose in (example for command in COMMANDS for example in command.examples):
        yield from (".TP", rf"\fB{escaped(typed)}\fR", escaped(purpose))
    yield from _section("SEE ALSO", [escaped(SEE_ALSO)])


def _section(name: str, lines: Iterable[str]) -> Iterator[str]:
    yield f".SH {_quoted(name)}"
    yield from lines


def _paragraphs(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield from [".PP"] * (number > 0)
        yield escaped(text)


def _pairs(pairs: dict[str, str]) -> Iterator[str]:
    for name, text in pairs.items():
        yield ".TP"
        yield rf"\fB{escaped(name)}\fR"
        yield escaped(text)
