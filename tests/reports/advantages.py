"""A made-up audit of what mechanisms add: the fields are as commands fill them, the numbers are round."""

from __future__ import annotations

from collections.abc import Iterator

from labeldp_audit.core.finding import Bound, Finding

ROWS, SURE = "rows are independent draws from one population", "upper limit without assumptions on eta"
REFUSED = "holds only where labels do not depend on the features, and here they do"
N, LEVEL = 19_981, 0.99

Ends = tuple[float | None, float | None, float | None]

AT: dict[str, dict[str, float | str]] = {
    "rr:epsilon=0.5": {"epsilon": 0.5, "pi": 0.377541, "lambda": 0.755081},
    "rr:epsilon=2": {"epsilon": 2.0, "pi": 0.119203, "lambda": 0.238406},
    "llp:k=8": {"k": 8.0},
    "llp:k=64": {"k": 64.0},
    "laplace-llp:k=8,epsilon=1": {"k": 8.0, "epsilon": 1.0},
}
CLAIMS = {"rr:epsilon=0.5": 0.5, "rr:epsilon=2": 2.0, "laplace-llp:k=8,epsilon=1": 1.0}
BAGS = {"llp:k=8": 8, "llp:k=64": 64, "laplace-llp:k=8,epsilon=1": 8}
ADDED: dict[str, tuple[float, float, float]] = {  # estimate, low, high
    "rr:epsilon=0.5": (0.0007828, 0.0, 0.02679),
    "rr:epsilon=2": (0.01685, 0.00421, 0.08328),
    "llp:k=8": (0.008057, 0.0, 0.1094),
    "llp:k=64": (0.0007308, 0.0, 0.02345),
    "laplace-llp:k=8,epsilon=1": (0.001573, 0.0, 0.05054),
}
ERRORS = {"llp:k=64": 3.21e-6, "laplace-llp:k=8,epsilon=1": 1.94e-5}
SAME = {
    "rr:epsilon=0.5": 60.0, "rr:epsilon=2": 5.0, "llp:k=8": 1.492, "llp:k=64": 0.4847,
    "laplace-llp:k=8,epsilon=1": 0.71981,
}  # fmt: skip
FEATURES: dict[str, Ends] = {
    "uninformed_utility": (0.9158, 0.8906, 0.9874), "leave_one_out_utility": (0.908, None, None),
    "plug_in_utility": (0.916, None, None),
}  # fmt: skip
PRIVATE: dict[str, float | None] = {"002 Corollary 1": 0.4621, "002 Theorem 2, improved": 0.03889}
COUNTED: dict[str, float | None] = {"003 Theorem 3.4, Bernstein": None, "unimodality, by the error": 0.0898}


def findings(*mechanisms: str) -> tuple[Finding, ...]:
    """In the order in which the command has them."""
    asked = mechanisms or tuple(AT)
    return (
        *(_one(name, ends) for name, ends in FEATURES.items()),
        *(one for name in asked for one in _added(name)),
        *(one for name in asked for one in _ceilings(name)),
        _one("informed_utility", FEATURES["uninformed_utility"], baseline="features"),
        _one("advantage", (0.0842, 0.0126, 0.1094), baseline="no-noise"),
        _one("informed_utility", (1.0, None, None), baseline="no-noise"),
        *(_same(name) for name in asked),
    )


def _one(quantity: str, ends: Ends, mechanism: str | None = None, **more: str) -> Finding:
    at = {**more, **(AT.get(mechanism or "", {}))}
    error = ERRORS.get(mechanism or "")
    bound = Bound(*ends, N, "deconvolution of counts", (ROWS, SURE), standard_error=error)
    claims = () if mechanism is None else (CLAIMS.get(mechanism), BAGS.get(mechanism, 1))
    return Finding(quantity, bound, LEVEL, mechanism, at, *claims)


def _added(mechanism: str) -> Iterator[Finding]:
    estimate, _, high = ADDED[mechanism]
    told = (0.9158 + estimate, 0.8906, min(1.0, 0.9874 + high))
    yield _one("informed_utility", told, mechanism)
    yield _one("advantage", ADDED[mechanism], mechanism)


def _ceilings(mechanism: str) -> Iterator[Finding]:
    known = {**(PRIVATE if "epsilon" in AT[mechanism] else {}), **(COUNTED if "k" in AT[mechanism] else {})}
    for name, value in known.items():
        bound = Bound(None, None, None, N, "not computed", (), REFUSED)
        if value is not None:
            bound = Bound(value, value / 2, value * 1.2, N, "bound at the estimated law of eta", (ROWS,))
        yield Finding("advantage_bound", bound, LEVEL, mechanism, {"bound": name, **AT[mechanism]})


def _same(mechanism: str) -> Finding:
    """An estimate without limits."""
    bound = Bound(SAME[mechanism], None, None, N, "deconvolution of counts", ("same law of eta on both sides",))
    return Finding(
        "equivalent_k" if "pi" in AT[mechanism] else "equivalent_epsilon", bound, LEVEL, mechanism, AT[mechanism]
    )
