"""Flags beat LABELDP_AUDIT_* variables beat the configuration file beat the defaults."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from ..core.errors import SpecError, near
from ..core.settings import Settings
from ..policy.files import POLICY
from .options import Option, every

PREFIX = "LABELDP_AUDIT_"
OWN_FILE = "labeldp-audit.toml"
SHARED_FILE = "pyproject.toml"
SECTION = "labeldp-audit"


@dataclass(frozen=True)
class Chosen:
    """A value and who chose it."""

    value: object
    origin: str


Layer = Mapping[str, Chosen]
NOTHING: Layer = {}


def gather(
    options: Iterable[Option], given: Mapping[str, object], environment: Mapping[str, str], folder: Path | None
) -> tuple[dict[str, Chosen], tuple[str, ...]]:
    """All layers as one, and what should be said about them."""
    variables, notes = from_environment(environment)
    flags = from_flags(given, options)
    path = file_of(merged(variables, flags), folder)
    file = from_file(path) if path else NOTHING
    names = {option.name for option in options}
    if path and POLICY in section(path) and "mechanism" in names and "fail_if" not in names:
        notes += (f"[policy] is not judged by this command: {path}",)
    every_layer = merged(defaults(options), file, variables, flags)
    return {option.name: every_layer[option.name] for option in options}, notes  # a file may set what others ask for


def file_of(asked: Mapping[str, Chosen], folder: Path | None) -> Path | None:
    """The configuration file, if there is one."""
    named, none = asked.get("config"), asked.get("no_config")
    if none and none.value:
        return None
    if named and named.value:
        return Path(str(named.value))
    return find(folder) if folder else None


def defaults(options: Iterable[Option]) -> Layer:
    return {option.name: Chosen(option.default, "default") for option in options}


def from_flags(given: Mapping[str, object], options: Iterable[Option]) -> Layer:
    """What stands on the command line; None was not given."""
    for one, other in (("output", "no_output"), ("config", "no_config")):
        if given.get(one) and given.get(other):
            raise SpecError(f"--{one} and --{other.replace('_', '-')} exclude each other")
    told = {option: given.get(option.name) for option in options}
    return {
        option.name: Chosen(_written(option, value, option.flag), option.flag)
        for option, value in told.items()
        if value is not None and value != []
    }


def from_environment(environment: Mapping[str, str]) -> tuple[Layer, tuple[str, ...]]:
    """The values, and a warning for each variable that means nothing to us."""
    known, layer, strange = {name: option for name, option in every().items() if name != "show_config"}, {}, []
    for variable in sorted(name for name in environment if name.startswith(PREFIX)):
        name = variable.removeprefix(PREFIX).lower()
        option = known.get(name)
        if option is None:
            hint = near(name, known)
            strange.append(f"{variable} is not an option and is not used" + (f" ({hint})" if hint else ""))
        elif text := environment[variable]:
            parts = [part.strip() for part in text.split(option.separator) if part.strip()]
            layer[option.name] = Chosen(_written(option, parts if option.many else text, variable), variable)
    return layer, tuple(strange)


def _written(option: Option, value: object, where: str) -> object:
    if isinstance(value, bool):
        return value
    try:
        if isinstance(value, list | tuple):
            return tuple(option.kind.parse(str(one)) for one in value)
        return option.kind.parse(str(value))
    except SpecError as error:
        raise SpecError(error.what, where, hint=error.hint) from None


def here() -> Path | None:
    """The working folder, which may have been deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def find(folder: Path) -> Path | None:
    """The first file upwards that speaks to us; a pyproject.toml without our section does not."""
    for place in (folder, *folder.parents):
        if (place / OWN_FILE).is_file():
            return place / OWN_FILE
        if (place / SHARED_FILE).is_file() and SECTION in _tools(place / SHARED_FILE):
            return place / SHARED_FILE
    return None


def from_file(path: Path) -> Layer:
    layer: dict[str, Chosen] = {}
    for key, value in section(path).items():
        option = _option(key, path)
        if option is not None:
            if option.name in layer:
                raise SpecError("given twice, with - and with _", path, key)
            layer[option.name] = Chosen(_taken(option, value, path, key), str(path))
    return layer


def section(path: Path) -> dict[str, object]:
    """Ours of a pyproject.toml, the whole of any other file."""
    table = _tools(path).get(SECTION, {}) if path.name == SHARED_FILE else toml(path)
    if not isinstance(table, dict):
        raise SpecError("not a table", path, f"[tool.{SECTION}]")
    return table


def options_in(section: Iterable[str]) -> list[str]:
    """Keys of a file that are options."""
    known = _in_file()
    return [key for key in section if key.replace("-", "_") in known]


def _in_file() -> dict[str, Option]:
    return {name: option for name, option in every().items() if option.in_file}


def _option(key: str, path: Path) -> Option | None:
    if key == POLICY:
        return None
    known = _in_file()
    name = key.replace("-", "_")
    if name not in known:
        raise SpecError(
            "unknown key", path, key, hint=near(name, known) or f"known: {', '.join(sorted([*known, POLICY]))}"
        )
    return known[name]


def _taken(option: Option, value: object, path: Path, key: str) -> object:
    try:
        if not option.many:
            return option.kind.take(value)
        return tuple(option.kind.take(one) for one in (value if isinstance(value, list) else [value]))
    except SpecError as error:
        raise SpecError(error.what, path, key, hint=error.hint) from None


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


def merged(*layers: Layer) -> dict[str, Chosen]:
    """Later layers beat earlier ones. A folder asked for later than --no-output is written; of --eta
    and --eta-file the one that was asked for later counts.
    """
    result: dict[str, Chosen] = {}
    for layer in layers:
        result.update(layer)
        if "output" in layer and "no_output" not in layer and "no_output" in result:
            result["no_output"] = Chosen(False, layer["output"].origin)
        for one, other in (("eta", "eta_file"), ("eta_file", "eta")):
            if one in layer and other not in layer and other in result:
                result[other] = Chosen(() if other == "eta" else None, layer[one].origin)
    return result


def settings(chosen: Mapping[str, Chosen]) -> Settings:
    return Settings(**{f.name: chosen[f.name].value for f in fields(Settings) if f.name in chosen})  # type: ignore[arg-type]


def shown(chosen: Mapping[str, Chosen], options: Iterable[Option]) -> str:
    """The settings as a configuration file, with where each comes from."""
    lines = []
    for option in options:
        if option.in_file:
            value, origin = chosen[option.name].value, chosen[option.name].origin
            written = "# " + option.name if value is None else f"{option.name} = {_as_toml(option, value)}"
            words = f" ({option.shown})" if value is None and option.shown else ""
            lines.append(f"{written}  # {' '.join(origin.split())}{words}")
    return "\n".join(lines) + "\n"


def _as_toml(option: Option, value: object) -> str:
    if option.name == "queries":
        return '"all"' if value == 0 else str(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(quoted(str(one)) for one in value)}]"
    return str(value) if isinstance(value, int | float) else quoted(str(value))


def quoted(text: str) -> str:
    """A basic string: JSON's escapes are TOML's."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
