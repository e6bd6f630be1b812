"""Each code has a sentence, and its values are what the sentence wants."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from string import Formatter

import pytest
from judging import noticed
from test_json_format import parsed, read, resealed

import labeldp_audit
from labeldp_audit.core import remark
from labeldp_audit.core.errors import DataError
from labeldp_audit.core.finding import Bound, Finding
from labeldp_audit.core.remark import NOT_JUDGED, UNANSWERED, UNCODED, Remark
from labeldp_audit.core.report import Report
from labeldp_audit.policy.advice import ADVISERS
from labeldp_audit.reports import sentences

FILES = sorted(Path(labeldp_audit.__file__).parent.rglob("*.py"))
CONSTANTS = {name: value for name, value in vars(remark).items() if isinstance(value, str) and name.isupper()}


def made(source: str) -> set[str]:
    """Codes that a file writes where it makes a remark."""
    codes = set()
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Remark":
            first = call.args[0]
            chosen = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
            codes |= {one.value for one in chosen if isinstance(one, ast.Constant)}
            codes |= {CONSTANTS[one.id] for one in chosen if getattr(one, "id", "") in CONSTANTS}
    return codes


def test_every_code_has_a_sentence():
    every = set().union(*(made(file.read_text(encoding="utf-8")) for file in FILES))
    assert every - sentences.SENTENCES.keys() == {UNCODED}


def test_every_sentence_is_of_a_code_that_something_makes():
    sources = "".join(file.read_text(encoding="utf-8") for file in FILES if file.name != "sentences.py")
    known = {*ADVISERS, *CONSTANTS.values()}
    assert [code for code in sentences.SENTENCES if f'"{code}"' not in sources and code not in known] == []


def test_and_these_tests_have_teeth():
    assert made('yield Remark("a" if x else "b", rows=1)\nRemark(NOT_JUDGED, n=2)') == {"a", "b", NOT_JUDGED}


@pytest.mark.parametrize("code", sentences.SENTENCES)
def test_a_sentence_is_one_line_whatever_it_is_about(code):
    values: dict[str, object] = {}
    for _, name, form, conversion in Formatter().parse(sentences.SENTENCES[code]):
        if name is not None:
            text = (not form and conversion is None) or form in ("shown", "argument", "every")
            values[name] = ["a", "b"] if form in ("listed", "few") else "c" if text or conversion else 1
    said = sentences.sentence(Remark(code, **values))  # type: ignore[arg-type]
    assert said.isprintable() and "{" not in said and said.strip() == said


def test_a_code_of_another_package_has_its_own_words():
    assert sentences.sentence(Remark("theirs", text="{as} it is")) == "{as} it is"
    assert sentences.sentence(Remark("theirs")) == "theirs"


EVERY = (
    Remark(UNANSWERED, label="1", rows=1_040, of=2_000, but="name"),
    Remark("columns-constant", columns=["a", "Infinity"]),
    Remark("model-sees-nothing", log_loss=float("inf"), blind=0.5), Remark("theirs", text="of another package"),
    Remark(NOT_JUDGED, mechanism="llp:k=8", reason="why"),
)  # fmt: skip


def again(report: Report, **changed: object) -> Report:
    return read(resealed(parsed(report) | changed))


def test_a_report_has_sentences_and_codes_in_the_same_order_and_they_come_back(eta_report: Report):
    report = replace(eta_report, remarks=EVERY)
    assert parsed(report)["warnings"] == [*map(sentences.sentence, EVERY)]
    assert [one["code"] for one in parsed(report)["remarks"]] == [one.code for one in EVERY]
    assert again(report).remarks == EVERY and parsed(again(report)) == parsed(report)


def test_reports_of_older_versions_keep_their_codes_and_their_sentences(eta_report: Report):
    report = replace(eta_report, remarks=EVERY[:1])
    old = again(report, warnings=[sentences.sentence(EVERY[0]), "what had no code"])
    assert old.remarks == (EVERY[0], noticed("what had no code"))
    other = again(report, warnings=["in other words", "and more"])
    assert other.remarks[0] == EVERY[0]  # a doubt is none the less one


def test_a_code_that_is_not_known_has_the_sentence_of_the_file(eta_report: Report):
    report = replace(eta_report, remarks=(Remark("of-next-year", n=3),))
    found = again(report, warnings=["what next year says"])
    assert sentences.warnings(found) == ("what next year says",) and found.remarks[0].values["n"] == 3


@pytest.mark.parametrize("values", [{}, {"columns": 1}, {"columns": "a", "of": "many"}, {"columns": 1, "of": [1]}])
def test_values_that_are_not_those_of_the_code_are_refused(eta_report: Report, values: dict[str, object]):
    report = replace(eta_report, remarks=(Remark("columns-looked-at", columns=3, of=9),))
    with pytest.raises(DataError, match="not a report"):
        again(report, remarks=[{"code": "columns-looked-at", "values": values}])


def test_mechanisms_that_were_not_judged_for_the_same_reason_share_a_line(eta_report: Report):
    specs, bound = ("llp:k=8", "llp:k=16"), Bound(None, None, None, 1, "not computed", (), "too large")
    report = replace(
        eta_report, findings=tuple(Finding("nu_max", bound, 0.99, spec) for spec in specs),
        remarks=tuple(Remark(NOT_JUDGED, mechanism=spec, reason="too large") for spec in specs),
    )  # fmt: skip
    said = sentences.for_people(report)
    assert [one for one in said if "judged" in one] == ["not judged: llp:k=8 and llp:k=16: too large"]
