"""What may be typed next: the lists of cli/options.py, looked at from the last word.

A shell calls the program with VARIABLE set to its own name and with the words typed so far; each line of the answer is
a word, a tab and what it is for. A line that starts with a tab asks for names of files, behind the text that follows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..core.values import Flag, OneOf
from .options import COMMANDS, PROGRAM, Command, Option

VARIABLE = "_LABELDP_AUDIT_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
FILES = "\tfiles\t"


@dataclass(frozen=True)
class Next:
    word: str
    help: str = ""


def answer(shell: str, words: Sequence[str]) -> str:
    """words: all behind the program's name, the last as far as it is typed; bash gives its whole line and where it
    breaks words."""
    if shell == "bash":
        line, breaks = (*words, "", "")[:2]
        typed, open_quote = split(line)
        return _lines(_unbroken(candidates(typed[1:]), typed[-1] if typed else "", "" if open_quote else breaks))
    return _lines(candidates([_unquoted(word) for word in words]))


def candidates(words: Sequence[str]) -> list[Next]:
    """The last word is what is being typed."""
    *before, current = words or [""]
    command = next((one for word in before for one in COMMANDS if one.name == word), None)
    known = command.options if command else PROGRAM
    taking = _option(before[-1], known) if before else None
    if taking is not None and not isinstance(taking.kind, Flag):
        return _starting(current, _values(taking, current))
    if current.startswith("--") and "=" in current:
        return _behind_equals(current, known)
    if current.startswith("-"):
        return _starting(current, _flags(known, before))
    return _starting(current, _plain(command, before, current))


def _plain(command: Command | None, before: Sequence[str], current: str) -> Iterable[Next]:
    """A command, or what it is about."""
    if command is None:
        return [Next(one.name, one.answers) for one in COMMANDS]
    if _given(command, before):
        return _flags(command.options, before)
    if command.reads == "word":
        return _quantities()
    return [_files("")]


def _given(command: Command, before: Sequence[str]) -> bool:
    """Does a word that is neither an option nor its value follow the command?"""
    rest = list(before)[list(before).index(command.name) + 1 :]
    taken = {number + 1 for number, word in enumerate(rest) if _takes(_option(word, command.options))}
    return any(number not in taken and not word.startswith("-") for number, word in enumerate(rest))


def _takes(option: Option | None) -> bool:
    return option is not None and not isinstance(option.kind, Flag)


def _option(word: str, known: Iterable[Option]) -> Option | None:
    return next((one for one in known if word and word in (one.flag, one.short)), None)


def _flags(known: Iterable[Option], before: Sequence[str]) -> Iterator[Next]:
    """Those that are not there yet, or may be repeated."""
    for one in known:
        on = one.default is True
        flag = f"--no-{one.flag.removeprefix('--')}" if on else one.flag
        if one.many or not {flag, one.short} - {""} & set(before):
            yield Next(flag, f"Not: {_first(one.help)}" if on else _first(one.help))
    yield Next("--help", "Show this message and exit.")


def _first(text: str) -> str:
    """Its first sentence."""
    return re.split(r"(?<=[a-z0-9)])\.( (?=[A-Z])|$)", text)[0]


def _behind_equals(current: str, known: Iterable[Option]) -> list[Next]:
    flag, _, typed = current.partition("=")
    option = _option(flag, known)
    if option is None or not _takes(option):
        return []
    found = _starting(typed, _values(option, typed))
    return [
        _files(f"{flag}={one.help}") if one.word == FILES else Next(f"{flag}={one.word}", one.help) for one in found
    ]


def _values(option: Option, current: str) -> Iterable[Next]:
    if isinstance(option.kind, OneOf):
        return [Next(one) for one in option.kind.known]
    if option.name in VALUES:
        return VALUES[option.name](current)
    metavar = option.kind.metavar
    if metavar == "[SHELL]":
        return [Next(one) for one in SHELLS]
    return [_files("")] if metavar in ("FILE", "DIR", "FOLDER") else []


def _formats(current: str) -> Iterable[Next]:
    from ..reports import formats

    name, equals, _ = current.partition("=")
    return [_files(f"{name}=")] if equals else [Next(one) for one in formats.names()]


def _estimators(current: str) -> Iterable[Next]:
    from ..estimators import ESTIMATORS

    return [Next(one) for one in ESTIMATORS.names()]


def _mechanisms(current: str) -> Iterator[Next]:
    """A name, then one parameter after the other."""
    from ..mechanisms import MECHANISMS

    name, colon, typed = current.partition(":")
    if not colon:
        yield from (Next(f"{one.name}:", one.summary) for one in MECHANISMS)
    elif name in MECHANISMS.names():
        done = typed[: typed.rfind(",") + 1]
        yield from (Next(f"{name}:{done}{field}=") for field in _fields(name, done))


def _fields(name: str, done: str) -> Sequence[str]:
    """Those that its example has, or other ways to say the same, of which none is there yet."""
    from ..mechanisms import MECHANISMS

    mechanism = MECHANISMS.get(name)
    shown, typed = (
        [part.partition("=")[0] for part in text.split(",")] for text in (mechanism.example.partition(":")[2], done)
    )
    told = {mechanism.spellings.get(field, field) for field in typed}
    return [field for field in (*shown, *mechanism.spellings) if mechanism.spellings.get(field, field) not in told]


def _quantities() -> list[Next]:
    from .explain import known

    return [Next(one.name, one.meaning) for one in known().values()]


VALUES: dict[str, Callable[[str], Iterable[Next]]] = {
    "format": _formats,
    "estimator": _estimators,
    "mechanism": _mechanisms,
}


def _files(behind: str) -> Next:
    return Next(FILES, behind)


def _starting(current: str, found: Iterable[Next]) -> list[Next]:
    return [one for one in found if one.word == FILES or one.word.startswith(current)]


def _lines(found: Iterable[Next]) -> str:
    return "".join(
        f"{FILES}{one.help}\n" if one.word == FILES else f"{one.word}\t{' '.join(one.help.split())}\n" for one in found
    )


# ---- how shells hand words over


def split(line: str) -> tuple[list[str], bool]:
    """The words of a line that is being typed, the last one unfinished, and whether a quote is open."""
    for closing in ("", "'", '"'):
        lexer = shlex.shlex(line + closing, posix=True, punctuation_chars=False)
        lexer.whitespace_split, lexer.commenters = True, ""
        try:
            words = list(lexer)
        except ValueError:
            continue
        begun = line[-1:].isspace() and not closing
        return ([*words, ""] if begun or not words else words), bool(closing)
    return [""], False


def _unquoted(word: str) -> str:
    words, _ = split(word)
    return " ".join(words) if word.strip() else word


def _unbroken(found: Iterable[Next], current: str, breaks: str) -> Iterator[Next]:
    """bash replaces what stands behind the last of its word breaks, and the rest stays as it is typed."""
    kept = max((current.rfind(sign) for sign in breaks if sign in ":="), default=-1) + 1
    for one in found:
        if one.word == FILES:
            yield one  # bash completes names of files by itself
        else:
            yield Next(one.word[kept:], one.help)
