"""`labeldp-audit explain`: what is asked for, and what may have been meant."""

from __future__ import annotations

import json

import pytest

from labeldp_audit.cli.explain import KNOWN


@pytest.mark.parametrize("name", KNOWN)
def test_each_entry_is_told(audit, name):
    ended = audit("explain", name)
    assert (ended.status, ended.err) == (0, "")
    entry, flat = KNOWN[name], " ".join(ended.out.split())
    for text in (name, entry.title, entry.meaning, entry.formula, entry.read, entry.source, *entry.related):
        assert text in flat


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_lines_fit_and_all_names_are_listed(audit, monkeypatch, width):
    (audit.folder / "labeldp-audit.toml").write_text("[[[")  # which is no matter
    monkeypatch.setenv("COLUMNS", width)
    for name in ((), ("j",), ("certified_renyi",)):
        assert max(map(len, audit("explain", *name).out.splitlines())) <= (
            int(width) if not name else min(int(width), 100)
        )
    assert [line.split()[0] for line in audit("explain").out.splitlines()] == list(KNOWN)


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
