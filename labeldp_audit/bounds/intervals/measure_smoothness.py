"""From neighbourhood averages to eta(x) itself, if the publisher vouches for a smoothness constant.

Assumption 6.5 of 000: |eta(x) - eta(x')| <= C mu(B)^beta, B the open ball round x that ends at x'. The open ball up to
the k-th neighbour holds fewer than k of the n rows, so its mass is below 2 k / n at all q queries at once with
probability 1 - miss if k >= 4 log(2 q / miss) (Chernoff; ERRATA A8: the printed condition forgets the q). Then the
average of eta over the neighbourhood is within C (2 k / n)^beta of eta(x). No data can check C (CERTIFICATES,
Proposition). Assumes that the neighbours are the true nearest ones.
"""

from __future__ import annotations

import math

from ...core.errors import AssumptionError


def widening(k: int, n: int, constant: float, beta: float) -> float:
    """C (2 k / n)^beta; n rows that could have been neighbours."""
    return float(constant * min(1.0, 2 * k / n) ** beta)


def required_k(queries: int, miss: float) -> int:
    return math.ceil(4 * math.log(2 * queries / miss))


def check(k: int, queries: int, miss: float) -> None:
    if k < required_k(queries, miss):
        raise AssumptionError(
            f"--smoothness needs k of at least {required_k(queries, miss)} for {queries} queries, not {k}",
            hint="raise --k, or ask for fewer --queries",
        )
