"""What judging needs of the world: the stored report, what is planned, and today's date."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..core.errors import DataError, SpecError
from ..core.registry import rounded
from ..core.report import COMPARED, SCHEMA, Report
from ..questions.every import QUANTITIES
from .configuration import DEFAULT, PREFIX, Configuration

_PARTS = (".parquet", ".pq")
_ALIKE = "audit the table as it is to be released, and say in the configuration what that is"
# Options that a report names where they were set, and what they are otherwise.
_SAID: Mapping[str, object] = {"exclude": (), "categorical": (), "drop_null_labels": False, "utility": "zero-one"}
_OF_ROWS = ("group", "repeats", "eta")  # whose row each is, and where its probabilities come from
_OF_ETA_FILE = ("exclude", "categorical", *_OF_ROWS)  # settled when it was written, where no more is said


def is_report(data: str) -> bool:
    """A .json file, or an object on standard input, where a table has its columns."""
    if data != "-":
        return data.lower().endswith(".json")
    stream = getattr(sys.stdin, "buffer", None)
    return stream is not None and stream.peek(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def reports_in(data: str) -> list[str]:
    """Of a folder that holds reports where a table would have its parts."""
    folder = Path(data)
    with contextlib.suppress(OSError):  # reading the table will say what is wrong with its name
        if folder.is_dir() and not any(one.suffix.lower() in _PARTS for one in folder.rglob("*")):
            return [str(one) for one in sorted(folder.glob("*.json")) if one.is_file() and _begins_as_report(one)]
    return []


def _begins_as_report(file: Path) -> bool:
    with contextlib.suppress(OSError), file.open("rb") as stream:
        return f'"{SCHEMA.partition("/")[0]}/'.encode() in stream.read(100)
    return False


def read_report(data: str) -> tuple[Report, Mapping[str, object] | None]:
    """And when and where it was made, where it says so."""
    from ..reports.formats import stored as written

    name = "stdin" if data == "-" else data
    text = _text_of(data, name)
    gc.disable()  # looking for garbage among so many small objects takes a tenth of a verdict's time
    try:
        return written.read_with_run(text, name, QUANTITIES)
    finally:
        gc.freeze()
        gc.enable()


def _text_of(data: str, name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if data == "-" else Path(data).read_bytes()  # is_report looked at it
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError("no such file", data) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", data) from None
    except UnicodeDecodeError:
        raise DataError("not a report of labeldp-audit: no UTF-8", name) from None


def check_typed(asked: Configuration, measuring: Iterable[str]) -> None:
    """What was typed to change the numbers would silently change nothing."""
    for name in measuring:
        origin = asked.origins[name]
        if origin.startswith("--"):
            raise SpecError(f"a stored report is judged unchanged: {origin} changes nothing", hint="audit the table")


def check_planned(report: Report, asked: Configuration, file: str) -> None:
    """A configuration says what is to be released: a report about something else judges nothing of it."""
    origins = [asked.origins[name] for name in ("label", *_SAID, *_OF_ROWS, "mechanism")]
    # Something is planned in a file; a variable plans nothing but itself.
    planning = any(origin != DEFAULT and not origin.startswith(PREFIX) for origin in origins)
    for name, said in _made_with(report).items():
        plan, origin = asked[name], asked.origins[name]
        if (planning or origin != DEFAULT) and not _is_open(name, asked) and _plain(plan) != _plain(said):
            source = "the configuration" if origin == DEFAULT else origin
            what = f"the report has {name} {_words(said)}, and {source} plans {_words(plan)}"
            raise DataError(what, file, hint=_ALIKE)
    if asked.origins["mechanism"] != DEFAULT:
        _check_mechanisms(report, asked, file)


def _is_open(name: str, asked: Configuration) -> bool:
    """Unset, and for the table or the file of estimates to say."""
    settled = _OF_ETA_FILE if asked["eta_file"] is not None else ()
    return not asked[name] and name in ("label", "positive", *settled)


def _made_with(report: Report) -> dict[str, object]:
    """As far as it matters there: given probabilities need no features, and no row may have lacked a label."""
    made = {name: report.parameters.get(name, default) for name, default in _SAID.items()}
    made |= {"label": report.dataset.label, "positive": report.dataset.positive}
    made |= {"group": next(iter(_columns(report, "group")), None), "repeats": report.parameters.get("repeats")}
    made["eta"] = _columns(report, "eta") or report.parameters.get("eta", ())  # from Python it may be no column
    if report.given:
        made = {name: value for name, value in made.items() if name not in ("exclude", "categorical")}
    if report.dataset.rows == report.dataset.rows_used:
        del made["drop_null_labels"]
    if not any(one.quantity.endswith("advantage") for one in report.findings):
        del made["utility"]
    return made


def _columns(report: Report, role: str) -> tuple[str, ...]:
    return tuple(one.name for one in report.dataset.columns if one.role == role)


def _check_mechanisms(report: Report, asked: Configuration, file: str) -> None:
    from ..mechanisms import MECHANISMS

    compared = report.parameters.get(COMPARED, ())
    judged = {one.mechanism for one in report.findings if one.mechanism} - {*compared}  # type: ignore[misc]
    there = set(map(rounded, judged))
    for one in (one for spec in asked["mechanism"] for one in MECHANISMS.parse(spec, len(report.dataset.classes))):
        if there and rounded(one.spec) not in there:  # a report about the features alone judges none
            what = f"the report does not judge {rounded(one.spec)}, which {asked.origins['mechanism']} plans"
            raise DataError(what, file, hint=_ALIKE)


def _plain(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value


def _words(value: object) -> str:
    if value is None:
        return "none"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)
