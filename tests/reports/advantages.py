"""A made-up audit of what mechanisms add: the fields are as commands fill them, the numbers are round."""

from __future__ import annotations

from labeldp_audit.core.finding import Bound, Finding

ROWS, SURE = "rows are independent draws from one population", "upper limit without assumptions on eta"
REFUSED = "holds only where labels do not depend on the features, and here they do"
NO_BAG = "no bag of up to 4,096 people protects as well"
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
ADDED: dict[str, Ends] = {  # estimate, low, high
    "rr:epsilon=0.5": (0.0007828, 0.0, 0.02679),
    "rr:epsilon=2": (0.01685, 0.00421, 0.08328),
    "llp:k=8": (0.008057, 0.0, 0.1094),
    "llp:k=64": (0.0007308, 0.0, 0.02345),
    "laplace-llp:k=8,epsilon=1": (0.001573, 0.0, 0.05054),
}
ERRORS = {"llp:k=64": 3.21e-6, "laplace-llp:k=8,epsilon=1": 1.94e-5}
SAME: dict[str, float | None] = {  # estimates without limits
    "rr:epsilon=0.5": 60.0, "rr:epsilon=2": 5.0, "llp:k=8": 1.492, "llp:k=64": 0.4847,
    "laplace-llp:k=8,epsilon=1": 0.71981,
}  # fmt: skip
PRIVATE = {"002 Corollary 1": 0.4621, "002 Theorem 2, improved": 0.03889}
COUNTED = {"003 Theorem 3.4, Bernstein": None, "unimodality, by the error": 0.0898}


def finding(
    quantity: str, ends: Ends, mechanism: str | None = None, error: float | None = None, **more: str
) -> Finding:
    at = {**more, **(AT.get(mechanism or "", {}))}
    bound = Bound(*ends, N, "deconvolution of counts", (ROWS, SURE), standard_error=error)
    if mechanism is None:
        return Finding(quantity, bound, LEVEL, at=at)
    return Finding(quantity, bound, LEVEL, mechanism, at, CLAIMS.get(mechanism), BAGS.get(mechanism, 1))


def added(mechanism: str) -> list[Finding]:
    estimate, low, high = ADDED[mechanism]
    assert estimate is not None and low is not None and high is not None
    told = (0.9158 + estimate, 0.8906, min(1.0, 0.9874 + high))
    error = ERRORS.get(mechanism)
    return [
        finding("informed_utility", told, mechanism, error),
        finding("advantage", (estimate, low, high), mechanism, error),
    ]


def ceilings(mechanism: str) -> list[Finding]:
    known: dict[str, float | None] = {}
    if "epsilon" in AT[mechanism]:
        known |= PRIVATE
    if "k" in AT[mechanism]:
        known |= COUNTED
    return [_ceiling(mechanism, name, value) for name, value in known.items()]


def _ceiling(mechanism: str, name: str, value: float | None) -> Finding:
    at: dict[str, float | str] = {"bound": name, **AT[mechanism]}
    if value is None:
        bound = Bound(None, None, None, N, "not computed", (), REFUSED)
    else:
        bound = Bound(value, value / 2, value * 1.2, N, "bound at the estimated law of eta", (ROWS,))
    return Finding("advantage_bound", bound, LEVEL, mechanism, at)


def same(mechanism: str, estimate: float | None) -> Finding:
    quantity = "equivalent_k" if "pi" in AT[mechanism] else "equivalent_epsilon"
    reason = NO_BAG if estimate is None else None
    bound = Bound(estimate, None, None, N, "deconvolution of counts", ("same law of eta on both sides",), reason)
    return Finding(quantity, bound, LEVEL, mechanism, AT[mechanism])


def features() -> list[Finding]:
    return [
        finding("uninformed_utility", (0.9158, 0.8906, 0.9874)),
        finding("leave_one_out_utility", (0.908, None, None)),
        finding("plug_in_utility", (0.916, None, None)),
    ]


def findings(*mechanisms: str) -> tuple[Finding, ...]:
    """In the order in which the command has them."""
    asked = mechanisms or tuple(AT)
    return (
        *features(),
        *(one for name in asked for one in added(name)),
        *(one for name in asked for one in ceilings(name)),
        finding("informed_utility", (0.9158, 0.8906, 0.9874), baseline="features"),
        finding("advantage", (0.0842, 0.0126, 0.1094), baseline="no-noise"),
        finding("informed_utility", (1.0, None, None), baseline="no-noise"),
        *(same(name, SAME[name]) for name in asked),
    )
