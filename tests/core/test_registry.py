"""Names to things and back, ours and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from labeldp_audit.core import registry
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.registry import Registry


@dataclass(frozen=True)
class Cake:
    name, example = "cake", "cake:size=1"
    fields: dict

    @classmethod
    def parse(cls, fields):
        if "salt" in fields:
            raise SpecError("no salt", hint="sugar")
        return cls(fields)


class Pie(Cake):
    name = "pie"


@dataclass(frozen=True)
class Entry:
    """What importlib.metadata tells of somebody's package."""

    name: str
    thing: object = None

    def load(self):
        return self.thing or Pie


CAKES = Registry("cake", (Cake,))


def test_values_in_a_row_are_a_family():
    found = [cake.fields for cake in CAKES.parse("cake: size = 1|2, top=a|b")]
    assert found == [{"size": size, "top": top} for size in "12" for top in "ab"]


def test_a_family_is_not_made_where_it_is_too_large():
    with pytest.raises(SpecError, match="a family of 1,120, more than 1,000") as caught:
        CAKES.parse(f"cake:size={'|'.join('1' * 80)},top={'|'.join('ab' * 7)}")
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("cake:size", "cake 'cake:size': 'size' is not written field=value"),
        ("cake:size=", "cake 'cake:size=': 'size=' is not written field=value"),
        ("cake:size=1,size=2", "cake 'cake:size=1,size=2': 'size' is given twice"),
        ("cake:salt=1", "cake 'cake:salt=1': no salt"),
        ("bread", "unknown cake 'bread'"),
    ],
)
def test_what_is_not_understood(spec, says):
    with pytest.raises(SpecError) as caught:
        CAKES.parse(spec)
    assert str(caught.value) == says


def test_other_packages_add_theirs_and_replace_none_of_ours(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", lambda group: [Entry("pie"), Entry("cake")] * (group == GROUP))
    assert CAKES.names() == ("cake", "pie")
    assert (CAKES.get("pie"), CAKES.get("cake")) == (Pie, Cake)
    assert Registry("tart", (Cake,)).names() == ("cake",)


GROUP = "labeldp_audit.cakes"


def test_who_is_broken_is_met_where_it_is_asked_for(monkeypatch):
    class Nameless:
        example, parse = "", None

    entries = [Entry("pie"), Entry("tart", Nameless), Entry("scone", 3), Entry("bun", Cake)]
    monkeypatch.setattr(registry, "entry_points", lambda group: entries)
    assert CAKES.names() == ("cake", "pie", "tart", "scone", "bun")
    assert list(CAKES) == [Cake, Pie]
    assert CAKES.of_others() == ("pie", "tart", "scone", "bun")
    for name, why in {
        "tart": f"{Nameless!r} has no name",
        "scone": "3 has no name and no example and no parse",
        "bun": "it calls itself 'cake'",
    }.items():
        with pytest.raises(SpecError) as caught:
            CAKES.parse(f"{name}:size=1")
        assert caught.value.what == f"the cake {name!r} of another package cannot be loaded: {why}"
