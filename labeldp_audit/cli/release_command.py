"""`release`: what was typed becomes a protected table beside its manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from ..core.errors import SpecError
from . import configuration, terminal


def perform(context: typer.Context) -> int:
    asked, data = configuration.of(context), context.params["data"]
    terminal.warn(asked.notes, bool(asked["quiet"]))
    if asked["show_config"]:
        terminal.show(configuration.shown(asked, context.command))
        return terminal.FINE
    if not data or not asked["to"]:
        missing = "--to FILE" if data else "argument DATA"
        raise SpecError(f"missing {missing}", hint=f"`{context.command_path} --help` shows examples")
    insecure = bool(asked["insecure_for_testing"])
    if asked.origins["seed"] != configuration.DEFAULT and not insecure:
        hint = "a release that can be repeated protects nothing; --insecure-for-testing allows one"
        raise SpecError("--seed is not for releases", hint=hint)
    from ..audits import release
    from ..data import write

    settings, to = asked.settings(), Path(asked["to"])
    release.check_places(data, settings, to, bool(asked["force"]))
    with terminal.watched(bool(asked["quiet"])) as progress:
        made = release.prepare(data, settings, progress, shuffle=bool(asked["shuffle"]), insecure=insecure)
        files = release.files(made, data, settings, to, progress)
        write.write_all(files)
    whole = asked["format"] == "json"
    manifest = release.plain(made.manifest)
    terminal.show(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n" if whole else _text(manifest, data, to))
    if not asked["quiet"]:
        terminal.say(f"wrote {', '.join(str(one.path) for one in files)}")
    return terminal.FINE


def _text(manifest: Mapping[str, Any], data: str, to: Path) -> str:
    """What was released, what it spends, what it does not protect, and what to do next."""
    label, table = manifest["label"], manifest["table"]
    insecure = manifest["randomness"] != "operating-system"
    head = f"{to.name}  {table['rows']:,} rows  label {label['column']} ({', '.join(label['classes'])})"
    lines = [head, f"RELEASED by {manifest['mechanism']}: {spends(manifest['guarantees'])}."]
    if insecure:
        lines.append("! drawn from a seed, for testing: whoever knows the seed knows the labels")
    lines += ["", "The epsilon does not count what the features tell about labels; this does:"]
    lines.append(f"next: labeldp-audit verify {to} --original {data}   labeldp-audit attack {data} {to}")
    return "\n".join(lines) + "\n"


def spends(guarantees: list[dict[str, Any]]) -> str:
    """The guarantees, in a few words."""
    if not guarantees:
        return "it has no epsilon: no bound holds for whoever knows the other labels of a bag"
    return "; ".join(_spent(one) for one in guarantees)


def _spent(one: Mapping[str, Any]) -> str:
    delta = f", delta {one['delta']:.3g}" if one["delta"] else ""
    epsilon = one["epsilon"] if isinstance(one["epsilon"], str) else f"{one['epsilon']:.6g}"
    return f"epsilon {epsilon}{delta} for {one['viewer']} who reads it"
