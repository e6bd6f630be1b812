"""Flags beat LABELDP_AUDIT_* variables beat the configuration file beat the defaults.

Variables and the file are click's `default_map`: what they say is checked as if it had been typed.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import typer

from ..core.errors import SpecError, near
from ..core.settings import KIND, Settings
from ..core.values import Flag, Kind, Text
from ..policy.files import POLICY

PREFIX = "LABELDP_AUDIT_"
OWN_FILE = "labeldp-audit.toml"
SHARED_FILE = "pyproject.toml"
SECTION = "labeldp-audit"
DEFAULT = "default"
TYPED_ONLY = {"fail_if", "policy", "debug", "config", "no_config", "show_config"}  # in no file
SEPARATED_BY_SEMICOLONS = {"mechanism", "fail_if"}  # in a variable; others by commas
KINDS: Mapping[str, Kind] = {one.name: one.metadata[KIND] for one in fields(Settings) if KIND in one.metadata}
# Of two options the one that was set in a higher layer counts; the other is as if nobody had set it.
RIVALS: tuple[tuple[str, str, object], ...] = (
    ("output", "no_output", False), ("eta", "eta_file", None), ("eta_file", "eta", ()),
)  # fmt: skip


@dataclass
class Configuration:
    """What options are set to, and by whom: a file, a variable, a flag, or DEFAULT."""

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    file: Path | None = None
    keys: Collection[str] = ()  # that a file may have
    notes: list[str] = field(default_factory=list)  # warnings

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def settings(self) -> Settings:
        return Settings(**{one.name: self[one.name] for one in fields(Settings) if one.name in self.values})


def of(context: typer.Context) -> Configuration:
    """All layers of a command whose options have been read."""
    below: Configuration = context.meta[PREFIX]
    found = Configuration(file=below.file, keys=below.keys, notes=[*below.notes])
    values, origins = found.values, found.origins
    for option in options_of(context.command):
        name, value = option.name, context.params[option.name]
        source = getattr(context.get_parameter_source(name), "name", "")
        values[name] = tuple(value) if isinstance(value, list) else value
        origins[name] = below.origins.get(name, DEFAULT) if source == "DEFAULT_MAP" else DEFAULT
        if source == "COMMANDLINE":
            origins[name] = option.opts[0]
    for name in ("output", "config"):
        if {origins[name], origins[f"no_{name}"]} == {f"--{name}", f"--no-{name}"}:
            raise SpecError(f"--{name} and --no-{name} exclude each other")
    for later, earlier, unset in RIVALS:
        if {later, earlier} <= values.keys() and 0 < _layer(origins[earlier]) < _layer(origins[later]):
            values[earlier], origins[earlier] = unset, origins[later]
    if below.file and "mechanism" in values and "fail_if" not in values and POLICY in section(below.file):
        found.notes.append(f"[policy] is not judged by this command: {below.file}")
    return found


def _layer(origin: str) -> int:
    """How far up it is."""
    if origin.startswith("--"):
        return 3
    return 2 if origin.startswith(PREFIX) else int(origin != DEFAULT)


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
        context.meta[PREFIX] = below = Configuration(keys=every(context).keys() - TYPED_ONLY)
        if not asked["no_config"]:
            below.file = Path(asked["config"]) if asked["config"] else find(here())
        if below.file:
            _read_file(context, below, below.file)
        _read_variables(context, below)
        context.default_map = below.values
    return value


def _read_variables(context: typer.Context, below: Configuration) -> None:
    """With a warning for each variable that means nothing to us."""
    known = {name: option for name, option in every(context).items() if name != "show_config"}
    for variable in sorted(name for name in os.environ if name.startswith(PREFIX)):
        name, text = variable.removeprefix(PREFIX).lower(), os.environ[variable]
        if name not in known:
            hint = near(name, known)
            below.notes.append(f"{variable} is not an option and is not used" + (f" ({hint})" if hint else ""))
        elif text and not known[name].is_eager:  # those have been read
            separator = ";" if name in SEPARATED_BY_SEMICOLONS else ","
            parts = [part.strip() for part in text.split(separator) if part.strip()]
            below.values[name], below.origins[name] = parts if known[name].multiple else text, variable
            _check(_kind(known[name]).parse, parts if known[name].multiple else [text], variable)


def _read_file(context: typer.Context, below: Configuration, path: Path) -> None:
    known = every(context)
    for key, value in section(path).items():
        name = key.replace("-", "_")
        if name == POLICY:
            continue
        if name not in below.keys:
            hint = near(name, below.keys) or f"known: {', '.join(sorted([*below.keys, POLICY]))}"
            raise SpecError("unknown key", path, key, hint=hint)
        if name in below.values:
            raise SpecError("given twice, with - and with _", path, key)
        one_or_more = value if isinstance(value, list) and known[name].multiple else [value]
        below.values[name], below.origins[name] = one_or_more if known[name].multiple else value, str(path)
        _check(_kind(known[name]).take, one_or_more, path, key)


def _kind(option: Any) -> Kind:
    return KINDS.get(option.name) or (Flag() if option.is_flag else Text("TEXT"))


def _check(read: Callable[[Any], object], values: list[Any], *where: object) -> None:
    try:
        for value in values:
            read(value)
    except SpecError as error:
        raise SpecError(error.what, *where, hint=error.hint) from None


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
            value, origin = configuration[option.name], configuration.origins[option.name]
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
