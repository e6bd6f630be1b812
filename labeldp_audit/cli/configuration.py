"""Flags beat LABELDP_AUDIT_* variables beat the configuration file beat the defaults.

Variables and the file are click's `default_map`: what they say is checked as if it had been typed.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import typer

from ..core.errors import SpecError, near
from ..core.settings import Settings
from ..policy.files import POLICY

PREFIX = "LABELDP_AUDIT_"
OWN_FILE = "labeldp-audit.toml"
SHARED_FILE = "pyproject.toml"
SECTION = "labeldp-audit"
DEFAULT = "default"
TYPED_ONLY = {"fail_if", "policy", "debug", "config", "no_config", "show_config"}  # in no file
SEPARATED_BY_SEMICOLONS = {"mechanism", "fail_if"}  # in a variable; others by commas
AS_TEXT = {"tau", "smoothness", "alpha"}  # a file may also give a number, or a list of them
# Of two options the one that was set in a higher layer counts; the other is as if nobody had set it.
RIVALS: tuple[tuple[str, str, object], ...] = (
    ("output", "no_output", False), ("eta", "eta_file", None), ("eta_file", "eta", ()),
)  # fmt: skip
EXCLUDING = ("output", "no_output"), ("config", "no_config")


@dataclass(frozen=True)
class Chosen:
    """A value and who chose it."""

    value: object
    origin: str


@dataclass
class Layers:
    """What stands below the command line."""

    file: Path | None = None
    values: dict[str, object] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # warnings


@dataclass(frozen=True)
class Configuration:
    """What each option of a command is set to."""

    chosen: Mapping[str, Chosen]
    file: Path | None
    keys: frozenset[str]  # that a file may have
    notes: tuple[str, ...]

    def __contains__(self, name: str) -> bool:
        return name in self.chosen

    def __getitem__(self, name: str) -> Any:
        return self.chosen[name].value

    def get(self, name: str) -> Any:
        """None where the command has no such option."""
        return self.chosen[name].value if name in self.chosen else None

    def origin(self, name: str) -> str:
        return self.chosen[name].origin

    def settings(self) -> Settings:
        return Settings(**{one.name: self[one.name] for one in fields(Settings) if one.name in self})


def of(context: typer.Context) -> Configuration:
    """All layers of a command whose options have been read."""
    layers: Layers = context.meta[PREFIX]
    chosen = {}
    for option in options_of(context.command):
        value, source = context.params[option.name], str(context.get_parameter_source(option.name))
        origin = layers.origins.get(option.name, DEFAULT) if source.endswith("DEFAULT_MAP") else DEFAULT
        origin = option.opts[0] if source.endswith("COMMANDLINE") else origin
        chosen[option.name] = Chosen(tuple(value) if isinstance(value, list) else value, origin)
    for one, other in EXCLUDING:
        if chosen[one].origin.startswith("--") and chosen[other].origin.startswith("--"):
            raise SpecError(f"--{one} and --{other.replace('_', '-')} exclude each other")
    for later, earlier, unset in RIVALS:
        if later in chosen and earlier in chosen and 0 < _rank(chosen[earlier]) < _rank(chosen[later]):
            chosen[earlier] = Chosen(unset, chosen[later].origin)
    notes = list(layers.notes)
    if layers.file and "mechanism" in chosen and "fail_if" not in chosen and POLICY in section(layers.file):
        notes.append(f"[policy] is not judged by this command: {layers.file}")
    return Configuration(chosen, layers.file, frozenset(every(context).keys() - TYPED_ONLY), tuple(notes))


def _rank(one: Chosen) -> int:
    """Of the layer that it comes from."""
    if one.origin.startswith("--"):
        return 3
    return 2 if one.origin.startswith(PREFIX) else int(one.origin != DEFAULT)


def options_of(command: Any) -> list[Any]:
    return [one for one in command.params if one.param_type_name == "option"]


def every(context: typer.Context) -> dict[str, Any]:
    """All options by name: a file may hold those of any command that reads one."""
    commands = context.find_root().command.commands.values()  # type: ignore[attr-defined]
    lists = [options_of(command) for command in commands]
    return {one.name: one for each in lists if any(one.name == "config" for one in each) for one in each}


def read_layers(context: typer.Context, param: typer.CallbackParam, value: Any) -> Any:
    """Called for --config and for --no-config, before other options: once both are known the layers can be read."""
    asked = context.meta.setdefault(f"{PREFIX}ASKED", {})
    asked[param.name] = value
    if len(asked) == 2 and not context.resilient_parsing:  # as completion parses
        context.meta[PREFIX] = layers = Layers()
        if not asked["no_config"]:
            layers.file = Path(asked["config"]) if asked["config"] else find(here())
        if layers.file:
            _read_file(context, layers, layers.file)
        _read_variables(context, layers)
        context.default_map = layers.values
    return value


def _read_variables(context: typer.Context, layers: Layers) -> None:
    """With a warning for each variable that means nothing to us."""
    known = {name: option for name, option in every(context).items() if name != "show_config"}
    for variable in sorted(name for name in os.environ if name.startswith(PREFIX)):
        name, text = variable.removeprefix(PREFIX).lower(), os.environ[variable]
        if name not in known:
            hint = near(name, known)
            layers.notes.append(f"{variable} is not an option and is not used" + (f" ({hint})" if hint else ""))
        elif text and not known[name].is_eager:  # those have been read
            separator = ";" if name in SEPARATED_BY_SEMICOLONS else ","
            parts = [part.strip() for part in text.split(separator) if part.strip()]
            layers.values[name], layers.origins[name] = parts if known[name].multiple else text, variable
            _checked(context, known[name], layers.values[name], variable)


def _read_file(context: typer.Context, layers: Layers, path: Path) -> None:
    known = {name: option for name, option in every(context).items() if name not in TYPED_ONLY}
    for key, value in section(path).items():
        name = key.replace("-", "_")
        if name == POLICY:
            continue
        if name not in known:
            hint = near(name, known) or f"known: {', '.join(sorted([*known, POLICY]))}"
            raise SpecError("unknown key", path, key, hint=hint)
        if name in layers.values:
            raise SpecError("given twice, with - and with _", path, key)
        layers.values[name], layers.origins[name] = _as_typed(known[name], value), str(path)
        read = _checked(context, known[name], layers.values[name], path, key)
        if not _same_type(layers.values[name], read):
            raise SpecError(f"wrong type: {value!r} instead of {read!r}", path, key)


def _as_typed(option: Any, value: object) -> object:
    if option.multiple:
        return value if isinstance(value, list) else [value]
    if option.name in AS_TEXT:
        return ",".join(map(str, value if isinstance(value, list) else [value]))
    return value


def _checked(context: typer.Context, option: Any, value: object, *where: object) -> object:
    """What the value is read as."""
    try:
        return option.process_value(context, value)
    except typer.BadParameter as error:
        raise SpecError(in_our_words(error), *where) from None


def in_our_words(error: Any) -> str:
    """What click says is wrong, as the beginning of one of our lines."""
    message = str(error.message).removeprefix("Value error, ").rstrip(".?")
    return message[:1].lower() + message[1:]


def _same_type(written: object, read: object) -> bool:
    """TOML has types: "1000" is not 1000. What a number may be called is the exception."""
    if isinstance(written, list) and isinstance(read, list | tuple):
        return all(map(_same_type, written, read))
    return type(written) is type(read) or (type(written), type(read)) == (int, float) or written == "all"


def here() -> Path | None:
    """The working folder, which may have been deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find(folder: Path | None) -> Path | None:
    """The first file upwards that speaks to us; a pyproject.toml without our section does not."""
    for place in (folder, *folder.parents) if folder else ():
        if (place / OWN_FILE).is_file():
            return place / OWN_FILE
        if (place / SHARED_FILE).is_file() and SECTION in _tools(place / SHARED_FILE):
            return place / SHARED_FILE
    return None


def section(path: Path) -> dict[str, object]:
    """Ours of a pyproject.toml, the whole of any other file."""
    table = _tools(path).get(SECTION, {}) if path.name == SHARED_FILE else toml(path)
    if not isinstance(table, dict):
        raise SpecError("not a table", path, f"[tool.{SECTION}]")
    return table


def toml(path: Path, hint: str = "--no-config reads none") -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin a file with a mark
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"not a TOML file: {error}", path, hint=hint) from None
    except OSError as error:
        raise SpecError(f"cannot read the configuration: {error.strerror}", path, hint=hint) from None


def _tools(path: Path) -> dict[str, object]:
    tools = toml(path).get("tool", {})
    return tools if isinstance(tools, dict) else {}


def shown(configuration: Configuration, command: Any) -> str:
    """The settings as a configuration file, with where each comes from."""
    lines = []
    for option in options_of(command):
        if option.name not in TYPED_ONLY:
            value, origin = configuration[option.name], configuration.origin(option.name)
            written = f"# {option.name}" if value is None else f"{option.name} = {_as_toml(option.name, value)}"
            words = f" ({option.show_default})" if value is None else ""
            lines.append(f"{written}  # {' '.join(origin.split())}{words}")
    return "\n".join(lines) + "\n"


def _as_toml(name: str, value: object) -> str:
    if name == "queries" and value == 0:
        return '"all"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(quoted(str(one)) for one in value)}]"
    return str(value) if isinstance(value, int | float) else quoted(str(value))


def quoted(text: str) -> str:
    """A basic string: JSON's escapes are TOML's."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
