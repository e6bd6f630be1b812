"""The report for a terminal of any width. It has its warnings, as a saved or mailed one is all that somebody reads: the
door does not repeat them on a terminal that shows the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...core.finding import Finding
from ...core.report import Report
from . import (
    compared,
    contributions,
    curves,
    estimating,
    facts,
    headline,
    how_to_read,
    manager,
    phrases,
    terminal,
    text_certificates,
    text_gains,
    text_judged,
    verdict_tables,
)
from .curves import Curve
from .spelling import high, limits, low, percent, plain, short

_JUDGED = "check"
_COLORS = ("cyan", "yellow", "green", "magenta", "red", "blue")
_WIDEST = 120  # longer lines are hard to read
_NARROWEST = 56  # below this, there is no room for limits beside the mechanisms
_ABOVE = ("loss above", "at least", "estimate", "at most")
_CURVE = 22  # columns that a curve needs in the table of curves


def render(
    report: Report, *, width: int, color: bool, run_info: Mapping[str, object] | None, location: str | None = None
) -> str:
    shown, width = compared.labelled(report), min(width, _WIDEST)
    return _printed(_verdict(shown, width) if report.command == _JUDGED else _parts(shown, width), width, color)


def brief(report: Report, width: int = 100) -> str:
    """What a person reads first."""
    shown = compared.labelled(report)
    return _printed((*_first(shown, width), *terminal.listed("Warnings", tuple(map(plain, report.warnings)))), width)


def _printed(parts: Iterable[RenderableType], width: int, color: bool = False) -> str:
    out = StringIO()
    # The environment is left out: colour and width are decided by whoever calls.
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    for part in parts:
        console.print(part)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def _verdict(report: Report, width: int) -> Iterator[RenderableType]:
    """A gate is asked for a verdict; the numbers behind it are in the other formats."""
    yield Text(phrases.scope(report))
    yield from text_judged.parts(report, width)
    yield from ("", facts.audited(report.dataset), Text(facts.estimated(report), style="dim"))
    if left_out := [plain(one.name) for one in report.dataset.columns if one.role == "excluded"]:
        yield Text(f"Left out, as no features: {', '.join(left_out)}.")
    if sampled := facts.sampled(report.eta):
        yield Text(sampled)
    yield from terminal.listed("Warnings", tuple(map(plain, report.warnings)))
    yield from terminal.listed("The verdict assumes", verdict_tables.assumptions(report))


def _parts(report: Report, width: int) -> Iterator[RenderableType]:
    found = curves.curves_of(report)
    yield from _first(report, width)
    yield from terminal.paragraphs(how_to_read.before_tables(report))
    yield from text_gains.parts(report, width)
    yield from terminal.paragraphs(how_to_read.sentences(report))
    yield from _mechanisms(report, width)
    yield from _shares(found, report, width)
    yield from text_certificates.parts(report, width)
    yield from text_judged.table(
        contributions.TITLE, contributions.sentence(report), contributions.tables(report), width
    )
    yield from _numbers(report, width)
    yield from terminal.listed("Not computed", facts.missing(report))
    yield from _estimating(report, width)
    yield from _columns(report)
    yield from terminal.listed("Warnings", tuple(map(plain, report.warnings)))
    yield from terminal.listed("Assumes", phrases.assumptions(facts.for_people(report)))
    if said := manager.sentence(report):
        yield from ("", Text(f"{manager.TITLE}: {said}", style="bold"))


def _first(report: Report, width: int) -> Iterator[RenderableType]:
    yield Text(phrases.scope(report), style="bold")
    yield from map(Text, filter(None, (headline.in_short(report), "", facts.sampled(report.eta))))
    yield from text_judged.parts(report, width)
    yield from ("", facts.audited(report.dataset), Text(facts.estimated(report), style="dim"))


def _color(place: int) -> str:
    return _COLORS[place % len(_COLORS)]


def _mechanisms(report: Report, width: int) -> Iterator[RenderableType]:
    rows = facts.mechanisms(report)
    if not rows:
        return
    above = width >= _NARROWEST and any(row.above for row in rows)
    parameters = width >= terminal.NARROW or not above
    remark = "pi: a label is flipped; lambda: it is drawn anew"
    yield from terminal.heading("Mechanisms", f"{remark}; at epsilon: people who lose more, %" if above else remark)
    table = terminal.table()
    table.add_column("mechanism", overflow="fold")
    for title in (*(curves.PARAMETERS if parameters else ()), *(_ABOVE if above else ())):
        table.add_column(title, justify="right", overflow="fold")
    for row in rows:
        same = (row.epsilon, row.pi, row.resampled) if parameters else ()
        table.add_row(Text(row.mechanism), *same, *(row.above if above else ()))
    yield table


def _shares(found: Sequence[Curve], report: Report, width: int) -> Iterator[RenderableType]:
    """tau against mechanisms, as many side by side as there is room for."""
    if not found:
        return
    taus = curves.table_taus(found)
    yield from terminal.heading("Share of people whose loss is above tau, in per cent", facts.level(report))
    yield Text(facts.thinned(found, len(taus)), style="dim")
    beside = max(1, (width - 8) // _CURVE)
    for start in range(0, len(found), beside):
        if start:
            yield ""
        yield _share_table(found[start : start + beside], taus, start)


def _share_table(found: Sequence[Curve], taus: Sequence[float], start: int) -> Table:
    table = terminal.table()
    table.add_column("tau", justify="right", no_wrap=True)
    for place, curve in enumerate(found, start):
        table.add_column(Text(plain(curve.mechanism)), justify="right", style=_color(place), overflow="fold")
    cells = [_share_cells(curve, taus) for curve in found]
    for tau, row in zip(taus, zip(*cells, strict=True), strict=True):
        table.add_row(short(tau), *row)
    return table


def _share_cells(curve: Curve, taus: Sequence[float]) -> list[str]:
    """Estimates and limits, each aligned at its right end."""
    bounds = [curve.at(tau) for tau in taus]
    beside = ["" if bound is None else limits(bound, share=True) for bound in bounds]
    room = max(map(len, beside))
    return [
        "" if bound is None else f"{percent(bound.estimate)} {interval:>{room}}"
        for bound, interval in zip(bounds, beside, strict=True)
    ]


def _numbers(report: Report, width: int) -> Iterator[RenderableType]:
    findings = facts.valued(report)
    if not findings:
        return
    yield from terminal.heading("Numbers", facts.level(report))
    yield _narrow_table(findings) if width < terminal.NARROW else _wide_table(report, findings, width)


def _wide_table(report: Report, findings: Sequence[Finding], width: int) -> Table:
    table = terminal.table()
    for name in ("quantity", "mechanism"):
        table.add_column(name, overflow="fold")
    for name in ("estimate", "low", "high"):
        table.add_column(name, justify="right", no_wrap=True)
    if width >= 110:
        table.add_column("what it is", style="dim")
    for finding in findings:
        cells = [phrases.named(finding), plain(finding.mechanism or ""), *_values(finding)]
        table.add_row(*map(Text, cells), *([phrases.meaning(finding, report)] if width >= 110 else []))
    return table


def _narrow_table(findings: Sequence[Finding]) -> Table:
    table = terminal.table()
    table.add_column("quantity", overflow="fold")
    table.add_column("estimate", justify="right", overflow="fold")
    for finding in findings:
        estimate, least, most = _values(finding)
        interval = f"\n[{least}, {most}]" if limits(finding.bound) else ""
        name = "\n".join(filter(None, (phrases.named(finding), plain(finding.mechanism or ""))))
        table.add_row(Text(name), Text(estimate + interval))
    return table


def _values(finding: Finding) -> tuple[str, str, str]:
    bound = finding.bound
    return short(bound.estimate), low(bound), high(bound)


def _estimating(report: Report, width: int) -> Iterator[RenderableType]:
    tried, fit = estimating.tried(report), estimating.calibration(report)
    if tried or fit:
        yield from terminal.heading(estimating.TITLE)
    if tried:
        yield from terminal.grid(tried, width)
    yield from map(Text, filter(None, [fit]))


def _columns(report: Report) -> Iterator[RenderableType]:
    if not report.dataset.columns:
        return
    yield from terminal.heading("Columns", f"{len(report.dataset.columns):,}")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for role, members in facts.by_role(report.dataset.columns):
        grid.add_row(Text(role, style="dim"), Text(members))
    yield Padding(grid, (0, 0, 0, 2))
