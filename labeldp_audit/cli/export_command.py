"""`report --export`: a stored report in the form of another institution."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from ..core.errors import SpecError
from ..core.report import VERIFY
from ..data import write
from ..reports.exports import EXPORTS
from . import configuration, output, stored_reports, terminal

_OF_TABLE = (
    "the SHA-256 of a table with its true labels confirms guesses of them: keep that statement in the house, and "
    "publish one about what `verify` says of the release"
)


def perform(context: typer.Context) -> int:
    asked = configuration.begin(context, data="argument REPORT")
    if asked is None:
        return terminal.FINE
    source, quiet = context.params["data"], bool(asked["quiet"])
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
    if not stored_reports.is_report(source):
        raise SpecError("no stored report", source, hint="a .json file that another command left")
    report = stored_reports.read_report(source)[0]
    return [one.of_report(report) for one in wanted], "in-toto" in names and report.command != VERIFY


def _check_places(targets: Sequence[output.Target], source: str, force: bool) -> None:
    output.check(output.Plan(tuple(targets), None, {}, None), {}, {"what it is made of": source})
    for one in targets:
        if one.file is not None and one.file.is_file() and not force:
            raise SpecError("there is a file of that name already", one.file.name, hint="--force overwrites it")
