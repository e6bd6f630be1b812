"""`parse` and `spec` are exact inverses, whatever a user types."""

import numpy as np
import pytest

from labeldp_audit.core.errors import SpecError
from labeldp_audit.core.parameters import Parameter, parameters_of
from labeldp_audit.core.registry import rounded
from labeldp_audit.mechanisms import MECHANISMS

DRAWS = 200
PROBABILITIES = {"pi": 0.5, "lambda": 1.0, "alpha": 0.5}  # spellings of epsilon, and the most that two classes allow


def typed_number(known: Parameter, rng: np.random.Generator) -> str:
    """Return a number as people type it, or with all digits of a double."""
    if known.whole:
        return str(rng.integers(max(1, known.least), min(known.most, 1000) + 1))
    value = rng.uniform(max(known.least, 1e-3), min(known.most, 20.0))
    return repr(value) if rng.random() < 0.5 else f"{value:.3f}"


def typed_fields(kind, spelling: str, classes: int, rng: np.random.Generator) -> dict[str, str]:
    if kind.name == "channel":
        rows = rng.dirichlet(np.ones(classes), classes)
        return {"matrix": "/".join(" ".join(map(repr, row.tolist())) for row in rows)}
    fields = {name: typed_number(known, rng) for name, known in parameters_of(kind).items()}
    if spelling in kind.spellings:
        del fields[kind.spellings[spelling]]
        fields[spelling] = typed_number(Parameter(least=0, most=PROBABILITIES[spelling]), rng)
    return fields


@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize(
    ("name", "spelling"),
    [(kind.name, spelling) for kind in MECHANISMS for spelling in ("", *kind.spellings)],
)
def test_spec_parses_to_the_same_mechanism(name, spelling, classes):
    rng, kind, parsed = np.random.default_rng(classes), MECHANISMS.get(name), 0
    for _ in range(DRAWS):
        fields = typed_fields(kind, spelling, classes, rng)
        try:
            mechanism = kind.parse(fields, classes)
        except SpecError:  # a combination that the mechanism refuses
            continue
        parsed += 1
        assert MECHANISMS.parse(mechanism.spec, classes) == [mechanism], fields
        assert mechanism.spec == MECHANISMS.parse(mechanism.spec, classes)[0].spec
    assert parsed > DRAWS / 2


def test_rounded_spec_keeps_six_digits_of_numbers_alone():
    assert rounded("rr:epsilon=2.1972245773362196") == "rr:epsilon=2.19722"
    assert rounded("rr:epsilon=1") == "rr:epsilon=1"
    assert rounded("channel:matrix=0.3333333333 0.6666666667/1 0") == "channel:matrix=0.333333 0.666667/1 0"
    assert rounded("lp-2st:epsilon=inf") == "lp-2st:epsilon=inf"
    assert rounded("p2p:epsilon=2,clusters=100,delta=1e-06,theta=1") == "p2p:epsilon=2,clusters=100,delta=1e-06,theta=1"
