"""Where a policy is written: on the command line, in a configuration, in a file of its own."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import configuration, policy
from .configuration import Chosen
from .errors import SpecError
from .model import Waiver
from .policy import Line, Policy

if TYPE_CHECKING:
    from .mechanisms.contract import Mechanism

MOST_CLASSES = 100  # of a label: a parameter may make sense for many, and for two it is looked at again
_KEYS, _WAIVER_KEYS = ("fail_if", "confidence", "waiver"), ("quantity", "dataset", "until", "reason")
_WAIVER = f"{configuration.POLICY}.waiver"
_HASH, _DAY = re.compile(r"sha256:([0-9a-f]{64})"), re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EXAMPLE = "for example --fail-if 'advantage.high > 0.05', or fail_if under [policy] in labeldp-audit.toml"


def policy_of(chosen: Mapping[str, Chosen], folder: Path | None) -> Policy | None:
    """Lines that were typed stand in for those of the configuration file, and beside those of --policy."""
    if "fail_if" not in chosen:
        return None
    typed, named = chosen["fail_if"], chosen["policy"].value
    lines = read(typed.value, typed.origin)
    kept = from_file(Path(str(named))) if named else _configured(chosen, folder, bool(lines))
    if named or not lines:
        lines = (*lines, *kept.lines)
    return replace(kept, lines=lines) if lines else None


def wanted(found: Policy | None) -> Policy:
    if found is None:
        raise SpecError("no policy: nothing says when a release must not go out", hint=_EXAMPLE)
    return found


def _configured(chosen: Mapping[str, Chosen], folder: Path | None, typed: bool) -> Policy:
    """A policy without lines is a mistake, unless lines were typed beside its waivers."""
    path = configuration.file_of(chosen, folder)
    found = configuration.section(path).get(configuration.POLICY) if path else None
    if found is None or path is None:
        return Policy(())
    kept = _from_table(found, path)
    return kept if typed else _with_lines(kept, path)


def _with_lines(found: Policy, path: Path) -> Policy:
    if not found.lines:
        raise SpecError("no fail_if in the policy: nothing would be judged", path, hint=_EXAMPLE)
    return found


def from_file(path: Path) -> Policy:
    """A file of its own, or a configuration that has one."""
    if path.name == configuration.SHARED_FILE:
        found = configuration.section(path).get(configuration.POLICY)
    else:
        document = configuration.toml(path, "--policy wants a TOML file with fail_if = [...]")
        found = document.get(configuration.POLICY, document)
    return _with_lines(Policy(()) if found is None else _from_table(found, path), path)


def unread(chosen: Mapping[str, Chosen], folder: Path | None) -> str:
    """A warning where --policy names a file that says more than its policy, of which nothing else is read."""
    named = chosen["policy"].value if "policy" in chosen else None
    if not named:
        return ""
    path, own = Path(str(named)), configuration.file_of(chosen, folder)
    if own is not None and own.resolve() == path.resolve():
        return ""
    section = configuration.section(path)
    more = configuration.options_in(section) if configuration.POLICY in section else []
    return f"{path} also says {', '.join(more)}: --policy reads the policy alone; --config reads all" if more else ""


def _from_table(table: object, path: Path) -> Policy:
    if not isinstance(table, dict):
        raise SpecError("not a table", path, f"[{configuration.POLICY}]")
    _check_keys(table, _KEYS, path, configuration.POLICY)
    waivers = table.get("waiver", [])
    if not isinstance(waivers, list):
        raise SpecError("not a list of tables", path, "[[policy.waiver]]")
    lines = read(table.get("fail_if", ()), f"{path}: fail_if")
    return Policy(lines, tuple(_waiver(one, path) for one in waivers), _confidence(table.get("confidence", 0.0), path))


def _confidence(value: object, path: Path) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1:
        return float(value)
    raise SpecError(f"not a share such as 0.99: {value!r}", path, "policy.confidence")


def _check_keys(table: Mapping[str, object], known: Sequence[str], path: Path, where: str) -> None:
    for key in table:
        if key not in known:
            hint = configuration.near(key, known) or f"known: {', '.join(known)}"
            raise SpecError("unknown key", path, f"{where}.{key}", hint=hint)


def read(texts: object, where: str) -> tuple[Line, ...]:
    if isinstance(texts, str) or not isinstance(texts, Iterable) or not all(isinstance(one, str) for one in texts):
        raise SpecError("not a list of texts", where)
    try:
        lines = tuple(policy.parse(one) for one in texts)
        for line in lines:
            _check_limits(line)
            canonical(line, MOST_CLASSES)  # what no label could have is met at once
            _check_flips(line)
        return lines
    except SpecError as error:
        raise SpecError(error.what, where, hint=error.hint) from None


def _check_limits(line: Line) -> None:
    """Nothing could ever be measured of what a line like that asks for."""
    from .glossary import LIMITLESS

    if line.quantity in LIMITLESS and line.field != "estimate":
        what = f"{line.quantity} has no limits, only an estimate, in {line.text!r}"
        raise SpecError(
            what, hint=f"use {line.quantity}.estimate, or a line on advantage such as 'advantage.high > 0.05'"
        )


def _check_flips(line: Line) -> None:
    """A line about a loss of releases that have none would be judged after an audit, and never be measured."""
    from .glossary import LOSSES_OF_FLIPS

    named = [name for name in line.at if name in ("mechanism", *policy.PARAMETERS)]
    if line.quantity not in LOSSES_OF_FLIPS or not named:
        return
    line = canonical(line, 2)
    if any(not _may_flip(name, line.at[name]) for name in named):
        what = f"{line.quantity} is defined for randomized response alone, in {line.text!r}"
        raise SpecError(what, hint="a line on advantage judges every mechanism")


def _may_flip(name: str, value: float | str) -> bool:
    """May a mechanism with that coordinate have a loss?"""
    from .mechanisms import MECHANISMS

    if name == "mechanism":
        return any(one.flips is not None for one in MECHANISMS.parse(str(value), 2))
    return any(name in one.at() and one.flips is not None for kind in MECHANISMS for one in _example(kind))


def _example(kind: type[Mechanism]) -> list[Mechanism]:
    """Of other people's, it may be none."""
    from .mechanisms import MECHANISMS

    with contextlib.suppress(SpecError):
        return MECHANISMS.parse(kind.example, 2)
    return []


def canonical(line: Line, classes: int) -> Line:
    """Mechanisms as reports of a label with so many classes write them: rr:lambda=0.2 is one with an epsilon."""
    if "mechanism" not in line.at:
        return line
    named = _spelled(line.at["mechanism"])
    try:
        found = _specs(named, classes)
    except SpecError as error:
        raise SpecError(f"{error.what}, in {line.text!r}", hint=_in_quotes(line, classes) or error.hint) from None
    if len(found) != 1:
        what = f"one mechanism is wanted, not {len(found)}: {named!r}, in {line.text!r}"
        raise SpecError(what, hint="write a line for each")
    return replace(line, at={**line.at, "mechanism": found[0]})


def _specs(named: str, classes: int) -> list[str]:
    from .mechanisms import MECHANISMS

    return [one.spec for one in MECHANISMS.parse(named, classes)]


def _in_quotes(line: Line, classes: int) -> str:
    """A comma ends a value, so what was meant for the mechanism may have become the next coordinates."""
    names = list(line.at)
    spec = _spelled(line.at["mechanism"])
    for name in names[names.index("mechanism") + 1 :]:
        spec += f",{name}={_spelled(line.at[name])}"
        with contextlib.suppress(SpecError):
            _specs(spec, classes)
            return f"put it in quotes: mechanism='{spec}' (a shell wants the whole line in double ones then)"
    return ""


def _spelled(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _waiver(table: object, path: Path) -> Waiver:
    where = "[[policy.waiver]]"
    if not isinstance(table, dict):
        raise SpecError("not a table", path, where)
    _check_keys(table, _WAIVER_KEYS, path, _WAIVER)
    missing = [key for key in _WAIVER_KEYS if not table.get(key)]
    if missing:
        raise SpecError(f"a waiver wants {', '.join(missing)}", path, where)
    dataset = _HASH.fullmatch(str(table["dataset"]))
    if dataset is None:
        hint = "sha256: and 64 hexadecimal digits, as in the report of that table"
        raise SpecError(f"not the hash of a table: {table['dataset']!r}", path, where, hint=hint)
    return Waiver(_quantity(table, path), dataset[1], _date(table["until"], path), _text(table, "reason", path))


def _quantity(table: Mapping[str, Any], path: Path) -> str:
    """A waiver of what nobody knows would never be used."""
    from .glossary import ENTRIES

    name = _text(table, "quantity", path)
    if name not in ENTRIES:
        hint = configuration.near(name, ENTRIES) or "`labeldp-audit explain` lists what there is"
        raise SpecError(f"unknown quantity {name!r}", path, f"{_WAIVER}.quantity", hint=hint)
    return name


def _text(table: Mapping[str, Any], key: str, path: Path) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip():
        raise SpecError(f"not a text: {value!r}", path, f"{_WAIVER}.{key}")
    return value.strip()


def _date(value: object, path: Path) -> datetime.date:
    """A day and nothing else: in which zone an hour is would have to be guessed."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value
    try:
        if isinstance(value, str) and _DAY.fullmatch(value):
            return datetime.date.fromisoformat(value)
    except ValueError:  # the 30th of February
        pass
    raise SpecError(f"not a date such as 2027-01-31: {str(value)!r}", path, f"{_WAIVER}.until")


def shown(found: Policy | None) -> str:
    """As the end of a configuration file."""
    if found is None:
        return ""
    lines = ["", f"[{configuration.POLICY}]"]
    lines += [f"confidence = {found.confidence}"] if found.confidence else []
    lines += ["fail_if = ["]
    lines += [f"  {configuration.quoted(line.text)}," for line in found.lines] + ["]"]
    for one in found.waivers:
        lines += [
            "", f"[[{configuration.POLICY}.waiver]]", f"quantity = {configuration.quoted(one.quantity)}",
            f'dataset = "sha256:{one.dataset}"', f"until = {one.until.isoformat()}",
            f"reason = {configuration.quoted(one.reason)}",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"
