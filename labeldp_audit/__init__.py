"""Measures how much a release of protected labels still tells about each person.

    import labeldp_audit as lda
    report = lda.estimate_j(frame, label="y", mechanisms=["rr:epsilon=1"], tau=[1, 3])
    report.findings.to_frame()

`data` is a path or a table in memory: a DataFrame of pandas or polars, an Arrow table, anything narwhals takes. Options
have the names of the command line, and a function answers as the command of its name does: docs/python.md.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from .core import settings as _settings
from .core.errors import AssumptionError, AuditError, DataError, SpecError, as_arguments
from .core.finding import NEIGHBORHOODS, Bound, Finding
from .core.policy import Judgement, Outcome, Verdict
from .core.released import Released

if TYPE_CHECKING:
    from .audits.graphs import NeighborGraph
    from .core.mechanism import Mechanism
    from .core.progress import Progress
    from .core.report import Report as _Found
    from .data import DataFrame
    from .estimators.supplied import Rows as _Rows

__version__ = "0.1.0"
__all__ = [
    "AssumptionError", "AuditError", "Bound", "DataError", "Finding", "Findings", "Judgement", "Outcome",
    "Released", "Report", "Rows", "SpecError", "Verdict", "advantage", "attack", "audit", "estimate_eta", "estimate_j",
    "graph", "nu_max", "read_report", "release", "tune", "verify",
]  # fmt: skip


def estimate_j(data: object, **options: Unpack[_settings.TailOptions]) -> Report:
    """For what share of people is the privacy loss above tau?"""
    return _answered("estimate-j", data, options)


def nu_max(data: object, **options: Unpack[_settings.WorstCaseOptions]) -> Report:
    """What is the largest loss anybody can have?"""
    return _answered("nu-max", data, options)


def advantage(data: object, **options: Unpack[_settings.GainOptions]) -> Report:
    """How much better does an attacker guess once the release is out?"""
    return _answered("advantage", data, options)


def estimate_eta(data: object, **options: Unpack[_settings.EtaOptions]) -> Report:
    """What do the features alone tell about each label? The report's `rows` say it of each row."""
    return _answered("estimate-eta", data, options)


def graph(data: object, **options: Unpack[_settings.GraphOptions]) -> NeighborGraph:
    """Find the k nearest neighbours of each row with FAISS; `graph=` of the other functions takes the result."""
    from .audits import evidence

    _settings.check_names(options, _settings.GraphOptions.__optional_keys__)
    with _errors_name_arguments(), _watched(options.get("progress")) as progress:
        asked = _settings.from_python(options)
        return evidence.build_graph(os.fspath(data) if isinstance(data, os.PathLike) else data, asked, progress)


def audit(data: object, **options: Unpack[_settings.AuditOptions]) -> Report:
    """Every question that the table allows, at one joint confidence; judged where `fail_if` or `policy` says how."""
    return _answered("audit", data, options)


def tune(data: object, **options: Unpack[_settings.TuneOptions]) -> Report:
    """What is the least noise that meets a policy?"""
    return _answered("tune", data, options)


def release(data: object, mechanism: str | Mechanism, **options: Unpack[_settings.ReleaseOptions]) -> Released:
    """The same table with protected labels: of a frame, a frame of its library; with `to`, files."""
    from .audits import release as releasing
    from .reports import sentences

    with _errors_name_arguments(), _watched(options.get("progress")) as progress:
        to = None if options.get("to") is None else _place(options["to"])  # type: ignore[arg-type]
        made, remarks = releasing.released(data, mechanism, options, to, progress)
        return replace(made, warnings=tuple(map(sentences.sentence, remarks)))


def verify(release: str | os.PathLike[str] | Released | Any, **options: Unpack[_settings.VerifyOptions]) -> Report:
    """Is a release, a file or what `release` returned, what its manifest claims? `original` is the table that it was
    made of, a path or a frame; `mechanisms`, a spec, stands in for the manifest of a release that another tool made,
    which may be a frame."""
    from .audits import verify as verifying

    with _errors_name_arguments(), _watched(options.get("progress")) as progress:
        return Report(verifying.verified(release, options, progress))


def attack(
    data: object, release: str | os.PathLike[str] | Released | Any, **options: Unpack[_settings.AttackOptions]
) -> Report:
    """What do attackers get who are played against this very release, which is a file, what `release` returned, or a
    frame where `mechanisms` names a spec? The report's `rows` say it of each record."""
    return _answered("attack", data, {**options, "release": release})


def read_report(path: str | os.PathLike[str]) -> Report:
    """A report that was saved as JSON, or that a command left."""
    from .questions.every import QUANTITIES
    from .reports.formats import stored

    with _errors_name_arguments():
        place = _place(path)
        try:
            text = place.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", place) from None
        except UnicodeDecodeError:
            raise DataError("not a report of labeldp-audit: no UTF-8", place) from None
        return Report(stored.read(text, str(place), QUANTITIES))


def _place(path: str | os.PathLike[str]) -> Path:
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str) or "\0" in name:
        raise SpecError("not a path" if isinstance(name, str) else f"not a path: {type(path).__name__}")
    return Path(name)


def _answered(command: str, data: object, options: Mapping[str, Any]) -> Report:
    from .audits import calls

    with _errors_name_arguments(), _watched(options.get("progress")) as progress:
        content, rows = calls.answer(command, data, options, progress)
        return Report(content, None if rows is None else Rows(rows))


@contextmanager
def _watched(asked: bool | Progress | None) -> Iterator[Progress]:
    """Quiet, unless bars are asked for: then as on the command line, where standard error is a terminal."""
    if asked is True:
        from .cli.terminal import watched

        with watched(quiet=False) as progress:
            yield progress
    elif asked and not (hasattr(asked, "stage") and hasattr(asked, "advance")):
        raise SpecError("neither True nor an object with stage and advance", "progress")
    else:
        from .core.progress import Silent

        yield asked or Silent()


@contextmanager
def _errors_name_arguments() -> Iterator[None]:
    try:
        yield
    except AuditError as error:
        raise as_arguments(error, _settings.RENAMED).with_traceback(error.__traceback__) from None


@dataclass(frozen=True, repr=False)
class Report:
    """What was found. Printed it is its short text, and in a notebook its verdict and a chart."""

    content: _Found  # dataset, eta, parameters and all else that its JSON holds
    rows: Rows | None = field(default=None, compare=False)  # of estimate_eta

    @property
    def findings(self) -> Findings:
        return Findings(self.content.findings)

    @property
    def warnings(self) -> tuple[str, ...]:
        from .reports import sentences

        return sentences.warnings(self.content)

    @property
    def judgement(self) -> Judgement | None:
        """What the policy says that it was made with."""
        return self.content.judgement

    def check(
        self, policy: str | os.PathLike[str] | Iterable[str] | None = None, baseline: Report | None = None
    ) -> Judgement:
        """Judge it by a TOML file, or by lines in a list such as ["advantage.high > 0.05"]. Beside an older report only
        what got worse counts; without a policy nothing may."""
        from .audits import judging

        with _errors_name_arguments():
            is_file = isinstance(policy, str | os.PathLike)
            by = judging.policy_of(file=_place(policy)) if is_file else judging.policy_of(policy or ())  # type: ignore[arg-type]
            older = None if baseline is None else baseline.content
            by = judging.wanted(by) if older is None else by
            judged = judging.judged(replace(self.content, command="check"), by, older).judgement
        assert judged is not None
        return judged

    def diff(self, older: Report) -> Report:
        """What changed since an older report, beyond the limits of both."""
        from .audits import judging

        with _errors_name_arguments():
            return Report(judging.compared(older.content, self.content))

    def to_json(self) -> str:
        """The bytes that the command would have written."""
        return self._as("json")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """In the format that the ending names: json, html, md, csv, txt, sarif, xml (JUnit) or svg; whole or not."""
        from .data import write
        from .reports import formats

        with _errors_name_arguments():
            place = _place(path)
            ending = place.suffix.lower().removeprefix(".")
            text = formats.picture(self.content) if ending == "svg" else self._as(formats.of_ending(ending))
            if text is None:
                raise SpecError("the report has no picture", place)
            write.write_all([write.text_file(place, text)])
        return place

    def _as(self, name: str) -> str:
        from .reports import formats

        return formats.render(name, self.content)

    def __str__(self) -> str:
        from .reports import formats

        return formats.screen(self.content, rest="report.save(PATH)")

    def __repr__(self) -> str:
        content = self.content
        return f"<Report {content.command} of {content.dataset.name}: {len(content.findings):,} findings>"

    def _repr_html_(self) -> str:
        from .reports import formats

        return formats.excerpt(self.content)


class Findings(tuple[Finding, ...]):
    """The answers of a report, in its order."""

    __slots__ = ()

    def to_frame(self) -> DataFrame:
        """A DataFrame of pandas with the columns of the CSV file: a row for each finding, a column for each place."""
        from .data import pandas_frame

        places = sorted({place for one in self for place in one.at})
        after = ("estimate", "low", "high", *NEIGHBORHOODS, "confidence", "n", "method", "assumptions", "reason")
        said = [{**vars(one.bound), **vars(one), **dict.fromkeys(places), **one.at} for one in self]
        return pandas_frame({name: [one[name] for one in said] for name in ("quantity", "mechanism", *places, *after)})


@dataclass(frozen=True)
class Rows:
    """What estimate_eta says of each row."""

    content: _Rows

    def to_frame(self) -> DataFrame:
        """`row` counts from 1, as in the file; eta_CLASS is the probability of a class."""
        from .data import pandas_frame

        return pandas_frame(self.content.columns)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """A Parquet file that only its owner may read, for `eta_file` of the other functions."""
        from .data import write

        with _errors_name_arguments():
            place = _place(path)
            write.write_all([write.rows_file(place, self.content.columns, self.content.about)])
        return place
