"""What fields of a mechanism may be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from labeldp_audit.core import parameters
from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.parameters import Parameter, parameter


@dataclass(frozen=True)
class Some:
    epsilon: float
    size: int = parameter(least=2, most=9, noise=1)
    words: str = ""
    classes: int = 2
    more: float = 0.5


def test_numbers_are_parameters_and_classes_are_not():
    found = parameters.parameters_of(Some)
    assert list(found) == ["epsilon", "size", "more"]
    assert found["epsilon"] == Parameter(least=0, noise=-1), "what everybody means by it"
    assert found["size"] == Parameter(2, 9, noise=1, whole=True)
    assert found["more"] == Parameter()
    assert parameters.parameters_of(object) == {}


def test_there_and_back():
    read = parameters.read(Some, {"size": "3", "epsilon": "0.1"}, 5, "some:size=2")
    assert read == {"epsilon": 0.1, "size": 3, "classes": 5}
    assert parameters.written(Some(**read)) == "epsilon=0.1,size=3,more=0.5"
    assert parameters.values(Some(**read)) == {"epsilon": 0.1, "size": 3.0, "more": 0.5}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "wants epsilon and size"),
        ({"size": "3"}, "wants epsilon"),
        ({"epsilon": "1", "classes": "3"}, "unknown parameter 'classes'"),
        ({"epsilon": "1", "size": "2.5"}, "size = 2.5 is not a whole number from 2 to 9"),
        ({"epsilon": "1", "size": "inf"}, "size = inf is not a whole number from 2 to 9"),
        ({"epsilon": "-1", "size": "2"}, "epsilon = -1 is not between 0 and inf"),
        ({"epsilon": "nan", "size": "2"}, "epsilon is not a number"),
    ],
)
def test_what_cannot_be(fields, said):
    with pytest.raises(SpecError, match=said):
        parameters.read(Some, fields, 2, "some:size=2")


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_an_end_may_be_too_little(value):
    one = Parameter(least=0, above=True)
    assert one.allows(5e-324) and one.allows(math.inf)
    with pytest.raises(SpecError, match="is not above 0"):
        one.checked("epsilon", value)


def test_the_end_with_the_least_noise():
    assert (Parameter(1, 9, noise=1).clearest, Parameter(1, 9, noise=-1).clearest) == (1, 9)
