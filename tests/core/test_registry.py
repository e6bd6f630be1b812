"""Names to things and back, ours and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from labeldp_audit.core import registry
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.registry import Registry


@dataclass(frozen=True)
class Cake:
    name = "cake"
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
