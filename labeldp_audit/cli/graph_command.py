"""`graph`: a table becomes a file of nearest neighbours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import typer

from ..core.errors import SpecError
from ..core.settings import FeatureOptions
from ..engines import machine
from ..reports.formats.call import quoted
from . import configuration, output, terminal

_READ = FeatureOptions.__optional_keys__ | {"few_rows", "repeats"}  # how a table is read


def perform(context: typer.Context) -> int:
    asked = configuration.begin(context, data="argument DATA", to="--to FILE")
    if asked is None:
        return terminal.FINE
    data, quiet = context.params["data"], bool(asked["quiet"])
    machine.check_addresses()
    from ..audits import evidence
    from ..data import write

    to, settings, force = Path(asked["to"]), asked.settings(), bool(asked["force"])
    if to.suffix != ".parquet":
        raise SpecError("a graph is a Parquet file", to, hint="--to FILE.parquet")
    if to.exists() and not force:
        raise SpecError("there is a file of that name", to, hint="--force overwrites it")
    nothing = output.Plan((), None, {}, None)
    places = output.check(nothing, {}, {"the table or among its parts": data}, str(to))
    with terminal.watched(quiet) as progress:
        graph = evidence.build_graph(data, settings, progress)
        write.write_all([graph.file(to)], places=places, new=not force)
    facts = graph.facts()
    if asked["format"] == "json":
        terminal.show(json.dumps(facts, indent=1) + "\n")
    else:
        read = configuration.typed_options(asked, [name for name in asked.values if name in _READ])
        following = quoted(["labeldp-audit", "estimate-j", data, "--graph", str(to), *read])
        terminal.show(_text(facts, to) + f"next: {following}\n")
    if not quiet:
        terminal.say(f"wrote {to}")
    return terminal.FINE


def _text(facts: Mapping[str, object], to: Path) -> str:
    """Return what was built, how, and how many rows have fewer neighbours."""
    index = dict(facts["index"])  # type: ignore[call-overload]
    name = index.pop("class")
    parameters = ", ".join(f"{key} {value:,}" for key, value in index.items())
    each = f"up to {facts['most']:,}" if facts["shortfall"] else f"{facts['k']:,} to {facts['most']:,}"
    lines = [
        f"{to.name}  {facts['rows']:,} rows  {each} neighbours each, ties included",
        f"{name}{f' ({parameters})' if parameters else ''}: recall {facts['recall']:.3f}, at least "
        f"{facts['recall_low']:.3f} with 99 % confidence",
    ]
    if facts["shortfall"]:
        lines.append(f"{facts['shortfall']:,} rows have fewer than {facts['k']:,} neighbours")
    return "\n".join(lines) + "\n"
