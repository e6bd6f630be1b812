"""Flags beat LABELDP_AUDIT_* variables beat the configuration file beat the defaults; and the policy in these layers.

Variables and the file are click's `default_map`: what they say is checked as if it had been typed.
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import typer

from ..core.errors import SpecError, near
from ..core.policy import Policy
from ..core.settings import KIND, Settings
from ..core.values import Flag, Kind, Text
from ..policy.files import POLICY
from . import terminal

PREFIX = "LABELDP_AUDIT_"
OWN_FILE = "labeldp-audit.toml"
SHARED_FILE = "pyproject.toml"
SECTION = "labeldp-audit"
DEFAULT = "default"
TYPED_ONLY = {  # in no file: one that lies in a folder neither overwrites what is there nor draws a release by a seed
    "fail_if", "policy", "debug", "config", "no_config", "show_config", "force", "insecure_for_testing",
}  # fmt: skip
SEPARATED_BY_SEMICOLONS = {"mechanism", "fail_if"}  # in a variable; others by commas
KINDS: Mapping[str, Kind] = {one.name: one.metadata[KIND] for one in fields(Settings) if KIND in one.metadata}
# Of two options the one that was set in a higher layer counts; the other is as if it were not set.
RIVALS: tuple[tuple[str, str, object], ...] = (
    ("output", "no_output", False), ("eta", "eta_file", None), ("eta_file", "eta", ()), ("graph", "eta", ()),
    ("graph", "eta_file", None), ("graph", "estimator", "auto"), ("eta", "graph", None), ("eta_file", "graph", None),
    ("estimator", "graph", None),
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
    found = replace(below, values={}, origins={}, notes=[*below.notes])
    values, origins = found.values, found.origins
    for option in options_of(context.command):
        name, value = option.name, context.params[option.name]
        source = getattr(context.get_parameter_source(name), "name", "")
        values[name] = tuple(value) if isinstance(value, list) else value
        origins[name] = below.origins.get(name, DEFAULT) if source == "DEFAULT_MAP" else DEFAULT
        if source == "COMMANDLINE":
            origins[name] = option.opts[0]
    for name in ("output", "config"):
        if {origins.get(name), origins.get(f"no_{name}")} == {f"--{name}", f"--no-{name}"}:
            raise SpecError(f"--{name} and --no-{name} exclude each other")
    for later, earlier, unset in RIVALS:
        if {later, earlier} <= values.keys() and 0 < _layer(origins[earlier]) < _layer(origins[later]):
            values[earlier], origins[earlier] = unset, origins[later]
    if below.file and "mechanism" in values and "fail_if" not in values and POLICY in section(below.file):
        found.notes.append(f"[policy] is not judged by this command: {below.file}")
    return found


def _layer(origin: str) -> int:
    """How far up it is: 0 for a default, 1 for a file, 2 for a variable, 3 for what was typed."""
    return 3 if origin.startswith("--") else 2 if origin.startswith(PREFIX) else int(origin != DEFAULT)


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
            below.file = Path(asked["config"]) if asked["config"] else find()
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


def find() -> Path | None:
    """The first file upwards that speaks to us; a pyproject.toml without our section does not, and a stranger's in a
    folder such as /tmp is refused."""
    found = _upwards()
    if found and _is_strangers(found):
        what = "a configuration that is not yours lies in a folder in which everybody may write"
        raise SpecError(what, found, hint="--config FILE reads it, --no-config reads none")
    return found


def _upwards() -> Path | None:
    try:
        here = Path.cwd()
    except OSError:  # it may have been deleted
        return None
    for place in (here, *here.parents):
        if (place / OWN_FILE).is_file():
            return place / OWN_FILE
        if (place / SHARED_FILE).is_file() and SECTION in _tools(place / SHARED_FILE):
            return place / SHARED_FILE
    return None


def _is_strangers(path: Path) -> bool:
    """Neither ours nor the administrator's, where anybody could have put it."""
    if not hasattr(os, "getuid"):  # folders of Windows have no such rights
        return False
    owners = {path.lstat().st_uid, path.stat().st_uid}
    return bool(path.parent.stat().st_mode & stat.S_IWOTH) and not owners <= {os.getuid(), 0}


def section(path: Path) -> dict[str, object]:
    """Ours of a pyproject.toml, the whole of any other file."""
    table = _tools(path).get(SECTION, {}) if path.name == SHARED_FILE else _toml(path)
    if not isinstance(table, dict):
        raise SpecError("not a table", path, f"[tool.{SECTION}]")
    return table


def _tools(path: Path) -> dict[str, object]:
    tools = _toml(path).get("tool", {})
    return tools if isinstance(tools, dict) else {}


def _toml(path: Path) -> dict[str, object]:
    hint = "--no-config reads none"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # some editors begin a file with a mark
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"not a TOML file: {error}", path, hint=hint) from None
    except OSError as error:
        raise SpecError(f"cannot read the configuration: {error.strerror}", path, hint=hint) from None


# ---- the policy


POLICY_EXAMPLE = "--fail-if 'advantage.high > 0.05', or fail_if under [policy] in labeldp-audit.toml"


def policy_of(asked: Configuration) -> Policy | None:
    """Lines that were typed stand in for those of the configuration file, and beside those of --policy."""
    if "fail_if" not in asked.values:
        return None
    from ..audits import judging
    from ..policy import files
    from ..questions.every import QUANTITIES

    known, named = files.Known(QUANTITIES, judging.check), asked["policy"]
    lines = files.read(asked["fail_if"], asked.origins["fail_if"], known)
    if named:
        kept = files.from_file(Path(named), known)
        return replace(kept, lines=(*lines, *kept.lines))
    table = section(asked.file).get(POLICY) if asked.file else None
    if asked.file is None or table is None:
        return Policy(lines) if lines else None
    kept = files.from_table(table, asked.file, known)
    if not kept.lines and not lines:
        what = "no fail_if in the policy: nothing would be judged"
        raise SpecError(what, asked.file, hint=f"for example {POLICY_EXAMPLE}")
    return replace(kept, lines=lines or kept.lines)


def unread(asked: Configuration) -> str:
    """A warning where --policy names a file that says more than its policy, of which nothing else is read."""
    named = asked.values.get("policy")
    if not named or (asked.file is not None and asked.file.resolve() == Path(named).resolve()):
        return ""
    says = section(Path(named))
    more = [key for key in says if key.replace("-", "_") in asked.keys] if POLICY in says else []
    return f"{named} also says {', '.join(more)}: --policy reads the policy alone; --config reads all" if more else ""


# ---- the settings and the policy as a configuration file, with where each comes from


def begin(context: typer.Context, **needed: str) -> Configuration | None:
    """Return what is set, or None after --show-config printed it. needed: how to write what must be given."""
    asked = of(context)
    terminal.warn(asked.notes, bool(asked["quiet"]))
    if asked["show_config"]:
        terminal.show(shown(asked, context.command))
        return None
    for name, typed_as in needed.items():
        if not context.params[name]:
            raise SpecError(f"missing {typed_as}", hint=f"`{context.command_path} --help` shows examples")
    return asked


def typed_options(asked: Configuration, names: Iterable[str]) -> list[str]:
    """Return those of these options that were typed, as a shell takes them."""
    found: list[str] = []
    for name in names:
        if asked.origins[name].startswith("--"):
            option, value = f"--{name.replace('_', '-')}", asked[name]
            for one in value if isinstance(value, list | tuple) else [value]:
                found += [option] if one is True else [option, str(one)]
    return found


def shown(configuration: Configuration, command: Any) -> str:
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
        return f"[{', '.join(_quoted(str(one)) for one in value)}]"
    return str(value) if isinstance(value, int | float) else _quoted(str(value))


def _quoted(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for what lies beyond 16 bits. What is invisible should be seen."""
    written = json.dumps(text, ensure_ascii=False)
    return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in written)


def shown_policy(asked: Configuration) -> str:
    found = policy_of(asked)
    if found is None:
        return ""
    lines = ["", f"[{POLICY}]"]
    lines += [f"confidence = {found.confidence}"] if found.confidence else []
    lines += ['on_unproven = "pass"'] if found.unproven_passes else []
    lines += ['on_vacuous = "pass"'] if found.vacuous_passes else []
    lines += ["fail_if = [", *(f"  {_quoted(line.text)}," for line in found.lines), "]"]
    for one in found.waivers:
        lines += [
            "", f"[[{POLICY}.waiver]]", f"quantity = {_quoted(one.quantity)}", f'dataset = "sha256:{one.dataset}"',
            f"until = {one.until.isoformat()}", f"reason = {_quoted(one.reason)}",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"
