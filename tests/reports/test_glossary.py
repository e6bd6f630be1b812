"""What numbers mean is said once, of every number that the tool reports."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

from labeldp_audit.cli.explain import KNOWN
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.questions.quantities import QUANTITIES

ROOT = Path(__file__).parents[2]
CODE = "\n".join(
    file.read_text(encoding="utf-8")
    for room in ("questions", "audits")
    for file in (ROOT / "labeldp_audit" / room).glob("*.py")
)
PAGES = "\n".join(
    (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/explanation/features.md", "docs/explanation/certified.md")
)
NEW = {"tuned", "column_log_loss", "column_j", "column_advantage"}
TERMS = {"eta", "post", "prior", "nu_bar", "tau", "epsilon", "pi", "lambda", "certified", "inconclusive", "waiver",
         "nat", "odds", "attacker", "bag"}  # fmt: skip

entries = pytest.mark.parametrize("entry", KNOWN.values(), ids=lambda entry: entry.name)


def of_pages() -> set[str]:
    """Names in the tables about findings."""
    rows = re.findall(r"^\|.*", PAGES, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}


def of_code() -> set[str]:
    return set(re.findall(r'(?:Finding|finding)\(\s*"([a-z_]+)"', CODE))


def test_every_number_of_the_pages_and_of_the_code_is_explained():
    assert {"j", "nu_max", "certified_renyi", "equivalent_epsilon"} <= of_pages()
    assert {"j", "plug_in_j", "uninformed_utility", "certified_j"} <= of_code()
    assert of_pages() | of_code() | NEW | TERMS <= KNOWN.keys()


def test_every_mechanism_is_explained():
    assert set(MECHANISMS.names()) <= KNOWN.keys()


@entries
def test_an_entry_is_whole(entry):
    for text in (entry.name, entry.title, entry.meaning, entry.formula, entry.source, entry.read):
        assert " ".join(text.split()) == text != ""
    assert entry.read.endswith(".") and not entry.meaning.endswith(".")
    assert entry.related and set(entry.related) <= KNOWN.keys() - {entry.name}


def test_what_holds_jointly_names_its_exceptions():
    limitless = [one.name for one in QUANTITIES.values() if not one.has_limits]
    assert len(limitless) == 7
    for name in ("low", "high", "confidence"):
        said = KNOWN[name].read
        assert all(other in said for other in (*limitless, "columns", "averages"))


def test_certificates_say_whom_they_do_not_see(audit):
    """Of 3000 people, 200 whose ward gives a label of 12 % away: odds from 0.14 to 99, and what the noise adds."""
    said = "where 200 people lose 7 nats, some 3 are certified"
    assert all(said in KNOWN[name].read for name in ("certified", "certified_j", "certified_nu_max"))
    rng = np.random.default_rng(0)
    ward = ["away"] * 200 + ["other"] * 2800
    has = rng.random(3000) < np.repeat([0.99, 0.06], [200, 2800])
    rows = zip(ward, rng.normal(size=3000), has, strict=True)
    text = "ward,noise,label\n" + "".join(f"{one},{other:.3f},{label:d}\n" for one, other, label in rows)
    (audit.folder / "t.csv").write_text(text)
    typed = "t.csv --estimator linear --mechanism rr:epsilon=0.5 --no-output -f json"
    for command, quantity, low in (("nu-max", "certified_nu_max", 3), ("estimate-j --tau 1", "certified_j", 0)):
        [found] = [one["low"] for one in audit(*f"{command} {typed}".split()).report["findings"]
                   if one["quantity"] == quantity]  # fmt: skip
        assert found == pytest.approx(low, abs=0.5 if low else 0.1 * 200 / 3000)


@entries
def test_sources_are_there(entry):
    """Sections of the page on the mathematics, by the letters that it has."""
    page = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    _, _, cited = entry.source.partition("docs/mathematics.md: ")
    for name in re.findall(r"\b[A-D]\d+\b", cited):
        assert re.search(rf"\*\*[^*]*\b{name}\b", page), name
    assert "CERTIFICATES" not in cited or "## CERTIFICATES" in page


def test_the_numbers_that_entries_mention():
    assert f"{math.log(199):.3f}" in KNOWN["lambda"].read
    assert f"{math.log(99):.3f}" in KNOWN["pi"].read
    moved = (0.12, 3, "nat"), (0.12, 1, "nat"), (0.12, 5, "nat"), (0.12, 3, "odds"), (0.73, 3, "odds")
    for chance, nats, name in moved:
        assert f"into {100 * expit(logit(chance) + nats):.0f} %" in KNOWN[name].read
    assert f"{math.e:.3f}" in KNOWN["nat"].meaning and f"{1 / math.log(2):.3f}" in KNOWN["nat"].formula
    assert all(f"{math.exp(tau):.{places}f}" in KNOWN["tau"].read for tau, places in ((1, 1), (2, 1), (3, 0), (5, 0)))
