"""`labeldp-audit explain`: what is asked for, and what may have been meant."""

from __future__ import annotations

import json

import pytest

from labeldp_audit.audits.judging import with_theorem
from labeldp_audit.cli.explain import KNOWN
from labeldp_audit.policy.lines import parse
from labeldp_audit.questions.every import QUANTITIES
from labeldp_audit.questions.published_bounds import CEILINGS
from labeldp_audit.questions.theorems import THEOREMS

NAMED = sorted({name for one in QUANTITIES.values() for name in one.theorems} | {one.name for one in CEILINGS})


@pytest.mark.parametrize("name", KNOWN)
def test_each_entry_is_told(audit, name):
    ended = audit("explain", name)
    assert (ended.status, ended.err) == (0, "")
    entry, flat = KNOWN[name], " ".join(ended.out.split())
    for text in (
        name,
        entry.title,
        entry.meaning,
        entry.formula,
        entry.read,
        entry.source,
        *entry.related,
        entry.example,
    ):
        assert text in flat


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_lines_fit_and_all_names_are_listed(audit, monkeypatch, width):
    (audit.folder / "labeldp-audit.toml").write_text("[[[")  # which is no matter
    monkeypatch.setenv("COLUMNS", width)
    for name in ((), ("j",), ("certified_renyi",)):
        assert max(map(len, audit("explain", *name).out.splitlines())) <= (
            int(width) if not name else min(int(width), 100)
        )
    across = max(map(len, KNOWN))
    assert [line[:across].strip() for line in audit("explain").out.splitlines()] == list(KNOWN)


def test_for_programs(audit):
    assert json.loads(audit("explain", "j", "-f", "json").out)["formula"] == KNOWN["j"].formula
    assert [one["quantity"] for one in json.loads(audit("explain", "-f", "json").out)["entries"]] == list(KNOWN)


@pytest.mark.parametrize("written", ["nu-max", "NU_MAX", "nu_max(mechanism=rr:epsilon=1).high > 10", " nu_max.high "])
def test_it_may_be_written_as_in_a_policy(audit, written):
    assert audit("explain", written).out.startswith("nu_max: ")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("nu_mx", "nu_max"),
        ("certifed_j", "certified_j"),
        ("renyi", "certified_renyi"),
        ("\x1b[31mzzz\nqqq", "lists all"),
    ],
)
def test_near_misses(audit, wrong, meant):
    ended = audit("explain", wrong)
    assert (ended.status, ended.error) == (2, f"nothing is called {wrong!r}")
    assert meant in ended.err.splitlines()[1] and "\x1b" not in ended.err


@pytest.mark.parametrize("wrong", [("-f", "html"), ("-f", "json=x"), ("j", "k"), ("--label", "y")])
def test_what_is_not_understood_is_refused(audit, wrong):
    ended = audit("explain", *wrong)
    assert ended.status == 2 and ended.error


@pytest.mark.parametrize("name", NAMED)
def test_each_theorem_of_a_quantity_is_explained(audit, name):
    ended = audit("explain", name)
    told = ended.out.partition(": ")[0]
    assert (ended.status, told) == (0, next(one for one in THEOREMS if f"{name},".startswith(f"{one},")))
    assert ("Corrected: " in ended.out) == name.endswith(", corrected")


@pytest.mark.parametrize("theorem", THEOREMS.values(), ids=lambda one: one.name)
def test_the_example_of_a_theorem_is_about_it(theorem):
    line = with_theorem(parse(theorem.example.partition("'")[2].rstrip("'")))
    known = QUANTITIES[line.quantity]
    assert line.quantity in theorem.related
    assert line.at.get("bound", known.theorems[0]) in known.theorems


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("003 theorem 3.5", "003 Theorem 3.5"), ("003 Theorem 3.5, corrected", "003 Theorem 3.5"),
        ("Theorem 3.7", "003 Theorem 3.7"), ("theorem-3.7", "003 Theorem 3.7"),
        ("000 corollary 6.3", "000 Corollary 6.3"), ("Theorem 3.4, Bernstein", "003 Theorem 3.4"),
    ],
)  # fmt: skip
def test_a_theorem_needs_no_capitals_and_no_paper(audit, written, meant):
    assert audit("explain", written).out.startswith(f"{meant}: ")


def test_a_theorem_of_two_papers_is_not_guessed(audit):
    ended = audit("explain", "Theorem 2")
    assert (ended.status, ended.error) == (2, "more than one theorem is called 'Theorem 2'")
    assert "001 Theorem 2 or 002 Theorem 2" in ended.err


def test_a_theorem_is_explained_to_programs(audit):
    told = json.loads(audit("explain", "003 Theorem 3.5", "-f", "json").out)
    assert told["related"] == ["advantage_bound"]
    assert (
        "003 Theorem 3.5, corrected" in json.loads(audit("explain", told["related"][0], "-f", "json").out)["theorems"]
    )
