"""What `release` wrote, `verify` accepts and `attack` reads: with every mechanism, parameters as people type them, text
and columns, with and without the key to the order, from the command line and from Python."""

import numpy as np
import pandas as pd
import pytest

import labeldp_audit as lda
from labeldp_audit.core.policy import Outcome

SURE = 1 - 1e-7  # these tests are not about noise
SPECS = [  # as typed, and the options of the release
    ("rr:epsilon=1", ()), ("rr:pi=0.1", ()), ("rr:pi=0.123", ()), ("rr:lambda=0.3", ()), ("rr:lambda=0.037", ()),
    ("dummy:lambda=0.2", ()), ("channel:matrix=0.9 0.1/0.3 0.7", ()), ("llp:k=8", ()),
    ("laplace-llp:k=8,epsilon=0.7", ()), ("geometric-llp:k=8,epsilon=1.1", ()),
    ("cluster-rr:epsilon=1.3,clusters=3", ()), ("p2p:alpha=0.123,clusters=3", ()),
    ("domain-rr:epsilon=1.3,clusters=3,share=0.15", ()), ("prior-rr:epsilon=1.3", ("--prior", "p")),
    ("model-rr:epsilon=1.3", ("--prior", "p")), ("lp-mst:epsilon=1.3,stages=2", ()), ("alibi:epsilon=1.3", ()),
    ("pate:epsilon=20,teachers=3,queries=20", ()),
]  # fmt: skip
LAW_UNKNOWN = "pate"  # so that `verify` decides nothing about its noise


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return a folder with one table as text and as columns; a third of the rows has a twin."""
    folder, rng = tmp_path_factory.mktemp("table"), np.random.default_rng(0)
    p = np.round(np.repeat(rng.beta(2, 2, 450), [1, 1, 2] * 150), 3)
    x = np.round(np.repeat(rng.normal(size=450), [1, 1, 2] * 150) + 4 * p, 6)
    frame = pd.DataFrame({"x": x, "p": p, "ward": np.where(p > 0.5, "b", "a"), "y": (rng.random(600) < p).astype(int)})
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet", index=False)
    return folder


@pytest.mark.parametrize("door", ["command", "python"])
@pytest.mark.parametrize(("spec", "more"), SPECS, ids=[spec for spec, _ in SPECS])
def test_release_verifies_and_can_be_attacked(audit, table, tmp_path, spec, more, door):
    """Text goes through the command line and columns through Python; every other release is the other kind of file."""
    kinds = ("csv", "parquet") if door == "command" else ("parquet", "csv")
    kind, other = kinds[0], kinds[SPECS.index((spec, more)) % 2]
    place, to, key = table / f"t.{kind}", tmp_path / f"out.{other}", tmp_path / "key.parquet"
    if door == "python":
        given = {name.removeprefix("--"): value for name, value in zip(more[::2], more[1::2], strict=True)}
        made = lda.release(place, spec, to=to, order=key, label="y", positive=1, **given)
        assert lda.verify(made, original=place, confidence=SURE).judgement.outcome is outcome_of(spec)
        verify = lambda **how: lda.verify(to, original=place, confidence=SURE, **how).judgement.outcome  # noqa: E731
        attack = lambda **how: lda.attack(place, to, eta="p", attacker=players(spec), threads=1, **how)  # noqa: E731
    else:
        typed = ("--label", "y", "--positive", "1", "--mechanism", spec, *more, "--order", key)
        assert audit("release", place, "--to", to, *typed).status == 0
        statuses = {0: Outcome.PASS, 1: Outcome.FAIL, 4: Outcome.INCONCLUSIVE}
        original = ("--original", place, "--confidence", str(SURE), "--no-output")
        verify = lambda order=None: statuses[audit("verify", to, *original, *named(order)).status]  # noqa: E731
        attack = lambda order=None: attacked(audit, place, to, *named(order))  # noqa: E731
    assert verify(order=key) is outcome_of(spec)
    attack(order=key)
    if "llp" in spec:  # nothing else says which of two rows that are alike is in which bag
        assert verify() is Outcome.INCONCLUSIVE
        with pytest.raises(lda.DataError, match="not measured"):
            attack()
    else:
        assert verify() is outcome_of(spec)
        attack()


def players(spec):
    return ["majority"] if spec.startswith(LAW_UNKNOWN) else ["optimal", "majority"]


def named(order):
    return () if order is None else ("--order", order)


def attacked(audit, place, to, *more):
    ended = audit("attack", place, to, "--eta", "p", "--attacker", "majority", "--no-output", *more)
    if ended.status == 3:
        raise lda.DataError(ended.error)
    assert ended.status == 0, ended.error


def outcome_of(spec):
    return Outcome.INCONCLUSIVE if spec.startswith(LAW_UNKNOWN) else Outcome.PASS
