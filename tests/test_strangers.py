"""Mechanisms of other people's packages: what they need to bring, and what happens where they fail."""

from __future__ import annotations

import math
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from running import of
from scipy.stats import norm

from labeldp_audit.audits import strengths
from labeldp_audit.core import registry
from labeldp_audit.mechanisms import MECHANISMS
from labeldp_audit.reports.sentences import sentence

sys.path.insert(0, str(Path(__file__).parent / "mechanisms"))
import strangers

JSON = ("-f", "json", "--no-output")


@pytest.fixture
def others(monkeypatch):
    def install(**values):
        entries = [EntryPoint(name, value, "labeldp_audit.mechanisms") for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: entries if group.endswith("mechanisms") else [])

    return install


def test_a_channel_or_a_release_is_enough(audit, others):
    others(silent="strangers:Silent", blurred="strangers:Blurred")
    rng = np.random.default_rng(11)
    pq.write_table(pa.table({"model": np.full(4000, 0.5), "y": rng.integers(2, size=4000)}), audit.folder / "t.parquet")
    asked = ("--mechanism", "silent:share=0.5", "--mechanism", "blurred:sigma=1")
    ended = audit("advantage", "t.parquet", "--eta", "model", *asked, *JSON)
    assert ended.status == 0, ended.err
    found = {one["mechanism"]: one for one in ended.report["findings"] if one["quantity"] == "advantage"}
    assert found["silent:share=0.5"]["estimate"] == pytest.approx(0.25)
    blurred = found["blurred:sigma=1"]
    assert abs(blurred["estimate"] - (norm.cdf(0.5) - 0.5)) < 4 * blurred["standard_error"]
    assert (found["silent:share=0.5"]["claim"], blurred["claim"]) == ("Infinity", None)
    assert audit("advantage", "t.parquet", "--eta", "model", *asked, "--no-output").status == 0
    losses = audit("estimate-j", "t.parquet", "--eta", "model", *asked, *JSON).report["findings"]
    assert {one["low"] for one in losses if (one["quantity"], one["mechanism"]) == ("j", "silent:share=0.5")} == {1}
    assert [one["estimate"] for one in losses if one["mechanism"] == "blurred:sigma=1"] == [None]
    assert audit("estimate-j", "t.parquet", "--eta", "model", *asked[2:], *JSON).status == 2


def test_a_line_may_name_their_parameters(audit, others, table):
    asked = ("check", table, "--fail-if", "certified_informed_utility(sigma=1).low > 1", "--no-output")
    others(blurred="strangers:Blurred")
    assert audit(*asked, "--mechanism", "blurred:sigma=1").status == 0
    others()
    assert audit(*asked).error.startswith("unknown coordinate 'sigma'")


def test_a_field_is_all_that_a_parameter_needs(audit, others, table):
    """It is read, checked, printed, reported and chosen by tune."""
    others(blurred="strangers:Blurred")
    [one] = MECHANISMS.parse("blurred: sigma = 2.50")
    assert (one, one.spec, one.at()) == (strangers.Blurred(2.5), "blurred:sigma=2.5", {"sigma": 2.5})
    wrong = {"sigma=-1": "is not between 0 and inf", "sigma=a": "not a number", "": "wants sigma", "k=1": "unknown"}
    for spec, said in wrong.items():
        assert said in audit("advantage", table, "--mechanism", f"blurred:{spec}").error
    scale = strengths.scale_of("blurred")
    assert (scale.mechanisms[0].spec, scale.mechanisms[-1].spec) == ("blurred:sigma=20", "blurred:sigma=0.01")
    assert (scale.clearest, scale.silence, scale.unused) == (0, None, ())
    [unused] = strengths.scale_of("blurred:sigma=2").unused
    assert sentence(unused) == "blurred:sigma=2: tune looks for sigma itself, so sigma = 2 is left aside"


def test_numbers_do_not_depend_on_what_else_is_asked(audit, others, table):
    others(blurred="strangers:Blurred")
    alone = audit("advantage", table, "--mechanism", "blurred:sigma=1", *JSON).report
    among = audit("advantage", table, "--mechanism", "blurred:sigma=2|1", "--bags", 65536, *JSON).report
    again = audit("advantage", table, "--mechanism", "blurred:sigma=1", "--bags", 65536, *JSON).report
    few, one, two = (of(report, "advantage", "blurred:sigma=1")["estimate"] for report in (alone, among, again))
    assert one == two and few == pytest.approx(one, rel=0.1)


@pytest.mark.parametrize("name", ["nowhere:Thing", "math:nothing"])
def test_a_package_that_cannot_be_loaded_is_met_where_it_is_asked_for(audit, others, table, name):
    others(broken=name)
    assert audit("nu-max", table, *JSON).status == 0
    assert audit("nu-max", "--help").status == 0
    ended = audit("nu-max", table, "--mechanism", "broken:x=1", *JSON)
    assert ended.status == 2
    assert "the mechanism 'broken' of another package cannot be loaded" in ended.error


def test_a_package_that_fails_is_not_our_bug(audit, others, table):
    others(silent="strangers:Silent")
    ended = audit("advantage", table, "--mechanism", "silent:part=0.5", *JSON)
    assert ended.status == 2
    assert "its package fails: KeyError" in ended.error


def test_the_truth_about_what_they_do():
    assert strangers.Silent(0.5).claim(2) == math.inf
    assert strangers.Silent(0.25).total_variation(3) == pytest.approx(0.75)
