"""`report --export`: a stored report, or the manifest of a release, in the form of another institution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from ..audits import received
from ..core.errors import SpecError
from ..core.released import MANIFEST
from ..core.report import VERIFY
from ..data import write
from ..reports.exports import EXPORTS
from . import configuration, output, stored_reports, terminal

_OF_TABLE = (
    "the SHA-256 of a table with its true labels confirms guesses of them: keep that statement in the house, and "
    "publish one about what `verify` says of the release"
)


def perform(context: typer.Context) -> int:
    asked, source = configuration.of(context), context.params["data"]
    quiet = bool(asked["quiet"])
    terminal.warn(asked.notes, quiet)
    if asked["show_config"]:
        terminal.show(configuration.shown(asked, context.command))
        return terminal.FINE
    if not source:
        raise SpecError("missing argument REPORT", hint=f"`{context.command_path} --help` shows examples")
    if asked.origins["format"].startswith("--"):
        raise SpecError("--export and --format exclude each other")
    targets = [output.target(one, "--export", EXPORTS) for one in asked["export"]]
    _check_places(targets, source, bool(asked["force"]))
    texts, of_table = _made(source, [target.format for target in targets])
    files = [
        write.text_file(target.file, text)
        for target, text in zip(targets, texts, strict=True)
        if target.file is not None
    ]
    write.write_all(files)
    terminal.show("".join(text for target, text in zip(targets, texts, strict=True) if target.file is None))
    if of_table:
        terminal.warn([_OF_TABLE], quiet)
    if files and not quiet:
        terminal.say(f"wrote {', '.join(str(one.path) for one in files)}")
    return terminal.FINE


def _made(source: str, names: Sequence[str]) -> tuple[list[str], bool]:
    """The exports, and whether one of them has the digest of a table with its true labels."""
    wanted = [EXPORTS.get(name) for name in names]
    if source.endswith(MANIFEST):
        manifest = received.read_manifest(Path(source))
        return [one.of_manifest(manifest, Path(source).name.removesuffix(MANIFEST)) for one in wanted], False
    if not stored_reports.is_report(source):
        raise SpecError("neither a stored report nor a manifest", source, hint="a .json file that another command left")
    report = stored_reports.read_report(source)[0]
    return [one.of_report(report) for one in wanted], "in-toto" in names and report.command != VERIFY


def _check_places(targets: Sequence[output.Target], source: str, force: bool) -> None:
    output.check(output.Plan(tuple(targets), None, {}, None), {}, {"what it is made of": source})
    for one in targets:
        if one.file is not None and one.file.is_file() and not force:
            raise SpecError("there is a file of that name already", one.file.name, hint="--force overwrites it")
