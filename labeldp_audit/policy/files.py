"""A policy as it is written: lines, waivers, and the confidence that it wants."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import SpecError, near
from ..core.policy import Line, Policy, Waiver
from .lines import parse

POLICY = "policy"  # of a configuration
_PASSING = ("on_unproven", "on_vacuous")
_KEYS, _WAIVER_KEYS = ("fail_if", "confidence", *_PASSING, "waiver"), ("quantity", "dataset", "until", "reason")
_WAIVER = f"{POLICY}.waiver"
_HASH, _DAY = re.compile(r"sha256:([0-9a-f]{64})"), re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True)
class Known:
    """What there is for lines and waivers to be about."""

    names: Collection[str]  # of quantities
    check: Callable[[Line], None]  # refuses a line that no report could answer


def from_table(table: object, path: Path, known: Known) -> Policy:
    if not isinstance(table, dict):
        raise SpecError("not a table", path, f"[{POLICY}]")
    _check_keys(table, _KEYS, path, POLICY)
    waivers = table.get("waiver", [])
    if not isinstance(waivers, list):
        raise SpecError("not a list of tables", path, "[[policy.waiver]]")
    lines = read(table.get("fail_if", ()), f"{path}: fail_if", known)
    passes = [table.get(key, "block") for key in _PASSING]
    for key, value in zip(_PASSING, passes, strict=True):
        if value not in ("pass", "block"):
            raise SpecError(f"not pass or block: {value!r}", path, f"policy.{key}")
    confidence = table.get("confidence", 0.0)
    if not isinstance(confidence, int | float) or isinstance(confidence, bool) or not 0 <= confidence < 1:
        raise SpecError(f"not a share such as 0.99: {confidence!r}", path, "policy.confidence")
    waived = tuple(_waiver(one, path, known) for one in waivers)
    return Policy(lines, waived, float(confidence), *(one == "pass" for one in passes))


def from_file(path: Path, known: Known) -> Policy:
    """A TOML file of its own, or a configuration that has a policy."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"not a TOML file: {error}", path) from None
    except OSError as error:
        raise SpecError(f"cannot read the policy: {error.strerror}", path, hint=_WANTED) from None
    shared = document.get("tool", {})
    if isinstance(shared, dict) and path.name == "pyproject.toml":
        document = shared.get("labeldp-audit", {})
    found = from_table(document.get(POLICY, document) if isinstance(document, dict) else document, path, known)
    if not found.lines:
        raise SpecError("no fail_if in the policy: nothing would be judged", path, hint=_WANTED)
    return found


def read(texts: object, where: str, known: Known) -> tuple[Line, ...]:
    every: list[Any] = list(texts) if isinstance(texts, Iterable) else [None]
    if isinstance(texts, str) or not all(isinstance(one, str) for one in every):
        raise SpecError("not a list of texts", where)
    try:
        lines = tuple(map(parse, every))
        for line in lines:
            known.check(line)
        return lines
    except SpecError as error:
        raise SpecError(error.what, where, hint=error.hint) from None


_WANTED = "a TOML file with fail_if = ['advantage.high > 0.05'] and waivers, or such lines in a list"


def _check_keys(table: Mapping[str, object], known: Sequence[str], path: Path, where: str) -> None:
    for key in table:
        if key not in known:
            hint = near(key, known) or f"known: {', '.join(known)}"
            raise SpecError("unknown key", path, f"{where}.{key}", hint=hint)


def _waiver(table: object, path: Path, known: Known) -> Waiver:
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
    quantity = _text(table, "quantity", path)
    if quantity not in known.names:  # it would never be used
        hint = near(quantity, known.names) or "`labeldp-audit explain` lists what there is"
        raise SpecError(f"unknown quantity {quantity!r}", path, f"{_WAIVER}.quantity", hint=hint)
    return Waiver(quantity, dataset[1], _date(table["until"], path), _text(table, "reason", path))


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
