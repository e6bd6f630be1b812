"""The theorems that quantities name: what each says, and how ERRATA corrects it. Loads no mathematics."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.quantity import MATHEMATICS, PITFALLS, PREVENT, TRAINING, UNIFIED, Term
from .quantities import QUANTITIES

_BY = {
    "000": TRAINING, "001": PITFALLS, "002": PREVENT, "003": UNIFIED,
    "best": "Kairouz, Oh and Viswanath 2015, arXiv:1311.0776",
    "unimodality": "Baillon, Cominetti and Vaisman 2016, doi:10.1017/S0963548315000127",
}  # fmt: skip
_ADDED, _RR, _LLP = 'advantage_bound(bound="{}").high > 0.05', "rr:epsilon=1", "llp:k=8"


def _theorem(
    name: str, meaning: str, formula: str, sections: str, read: str, line: str = _ADDED, of: str = _RR
) -> Term:
    """sections: of ERRATA; line: of a policy, with a gap for the name; of: a mechanism."""
    by = tuple(one.name for one in QUANTITIES.values() if any(f"{it},".startswith(f"{name},") for it in one.theorems))
    command = f"labeldp-audit check DATA --mechanism {of} --fail-if '{line.format(name)}'"
    return Term(name, _BY[name.partition(" ")[0]], meaning, formula, f"{MATHEMATICS}: {sections}", read, by, command)


THEOREMS: Mapping[str, Term] = {one.name: one for one in (
    _theorem("000 Corollary 6.3", "the average loss is no more than any epsilon of label Renyi differential privacy",
        "E D_alpha(P_y || P_(1-y)) >= E nu_bar(X), alpha > 1, P_y the law of features and release under label y",
        "A6, A10", "Holds as printed, with conditional features. What follows it on J by Markov does not (A6).",
        'mean_loss(bound="{}").low > 2'),
    _theorem("000 Theorem 6.6", "counting neighbourhoods that are surely above tau bounds J(tau) from below",
        "J(tau) >= Clopper-Pearson low of #{i : nu_bar > tau on the whole interval of eta(x_i)} among n", "A4",
        "Corrected: the printed slack is proven as if neighbourhoods shared no rows. A limit on the count does "
        "without, and loses no further delta.", 'j(tau=3, bound="{}").low > 0.05'),
    _theorem("001 Theorem 1", "the extremes of label shares in neighbourhoods are near the extremes of eta",
        "|max_i eta_hat(x_i) - sup eta| < sqrt(log(4n / delta) / 2k) + 2 C (2k / n)^beta, likewise the least", "A8, A9",
        "Corrected: k has to be at least 4 log(2n / delta), printed without the n (A8); log ratios in Table 2 are no "
        "limits (A9). Reports have Clopper-Pearson limits for the root, and C and beta only with --smoothness.",
        'nu_max(bound="{}").low > 8'),
    _theorem("001 Theorem 2", "counting neighbourhoods that may be above tau bounds J(tau) from above",
        "J(tau) <= Clopper-Pearson high of #{i : nu_bar > tau somewhere in the interval of eta(x_i)} among n", "A5, A7",
        "Corrected: as printed it is no upper limit. It shrinks where it must widen, subtracts a bias that must be "
        "added (A5), and its thresholds bound J in neither direction (A7).", 'j(tau=3, bound="{}").high > 0.05'),
    _theorem("002 Corollary 1", "epsilon bounds what a release adds, by the most that a guess can pay",
        "advantage <= (1 - 2 / (1 + e^epsilon)) sup u", "C1, C2", "Holds as printed, at least twice too large for two "
        "labels. u is up to 1 / (C min p) with --utility balanced.", 'advantage_bound(bound="{}").high > 0.5'),
    _theorem("002 Theorem 2", "epsilon bounds what a release adds, by the most that guesses pay on average",
        "advantage <= (1 - 2 / (1 + e^epsilon)) E sup u; improved: E [u of the label that the best guess misses]",
        "C1, C2", "Holds as printed. Its proof with the best guess from the features is the improved one.",
        'advantage_bound(bound="{}, improved").high > 0.05'),
    _theorem("best of all (epsilon, 0)", "no release of two labels adds more than randomized response of its epsilon",
        "advantage <= E (min(eta, 1 - eta) - 1 / (1 + e^epsilon))_+", "C1",
        "No bound by epsilon is less. It is in none of the papers 000 to 004."),
    _theorem("003 Theorem 3.3", "a release adds what guesses miss without it less what they miss with it",
        "advantage = E min(eta, 1 - eta) - E min(post, 1 - post)", "B6",
        "Holds as printed: it is the advantage itself. Reports name it for totals of bags.", of=_LLP),
    _theorem("003 Theorem 3.4", "totals of bags add less the larger the bags, where features tell nothing of labels",
        "square root: advantage <= sqrt(p (1 - p) / k); Bernstein: exp(-k (1/2 - p)^2 / (2p (1 - p) + |1 - 2p| / 3))",
        "B4", "Holds as printed. It is not computed unless eta is p for everybody.",
        'advantage_bound(bound="{}, square root").high > 0.2', _LLP),
    _theorem("003 Theorem 3.5", "totals of bags add less the larger the bags, whatever features tell",
        "advantage <= E (1 / 2n + sqrt((2t + 2) S)), n = k - 1, E = E eta (1 - eta), L = log 8n, t = L / 3 + "
        "sqrt(L^2 / 9 + 2 L n p (1 - p)), S = (1 - 2E)^n + pi / (8En)^(3/2) + pi / (2e E n^2)", "B2",
        "Corrected: printed without constants, and Lemma A.1, which has them, takes too narrow a window.", of=_LLP),
    _theorem("003 Theorem 3.7", "randomized response adds what guesses miss without it, beyond its own noise",
        "advantage = E (min(eta, 1 - eta) - pi)_+", "B6", "Holds as printed: for two labels it is the advantage."),
    _theorem("003 Theorem 6.4", "totals with Laplace noise add no more than their epsilon lets through",
        "advantage <= 2 (1 - e^(-epsilon)) E eta (1 - eta); sharp: 2 (1 - e^(-epsilon / 2)) E eta (1 - eta)", "B7",
        "Holds as printed, up to twice too large; the sharp one is not.", of="laplace-llp:k=8,epsilon=1"),
    _theorem("unimodality", "totals of bags add no more than the chance of their likeliest value",
        "advantage <= 2E min(1, e^(-nE / 2) + .663 / sqrt(nE)), n = k - 1, E = E eta (1 - eta); by the error: "
        "R E max_s P(s), R = E min(eta, 1 - eta)", "B5", "It is in none of the papers 000 to 004.", of=_LLP),
)}  # fmt: skip
