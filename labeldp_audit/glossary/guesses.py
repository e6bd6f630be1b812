"""How often labels are guessed right, and what a release adds to that."""

from __future__ import annotations

from .entry import MATHEMATICS, PREVENT, UNIFIED, Entry

_DEFINITION = f"{UNIFIED}, Definition 3.1"

ENTRIES = (
    Entry(
        "uninformed_utility", "Right guesses from the features alone",
        "share of labels guessed from the features alone",
        "E max_c u_c eta_c with u_c = 1 (zero-one); u_c = 1 / (C p_c) with --utility balanced",
        f"{_DEFINITION}; {PREVENT}, equation 8; {MATHEMATICS}: C2",
        "What the best attacker gets right before anything is released. low needs no assumption about eta: guesses "
        "were made without the labels that judged them. A large value is a risk that no mechanism can take away.",
        ("informed_utility", "advantage", "leave_one_out_utility", "plug_in_utility"),
    ),
    Entry(
        "leave_one_out_utility", "Right guesses, as tried",
        "the same, as tried on labels that guesses were made without",
        "mean over rows of u_y [y is the best guess by an estimate that has not seen y]",
        f"{MATHEMATICS}: CERTIFICATES d",
        "On average too low for the best possible guess. Far below plug_in_utility: much of what estimates claim to "
        "know is noise.",
        ("uninformed_utility", "plug_in_utility"),
    ),
    Entry(
        "plug_in_utility", "Right guesses, as claimed",
        "the same, as sure as guesses are of themselves",
        "mean over rows of max_c u_c eta_c, with the estimate in the place of eta",
        f"{MATHEMATICS}: CERTIFICATES d",
        "On average too high where eta comes from counts of neighbours: their noise is taken for knowledge.",
        ("uninformed_utility", "leave_one_out_utility"),
    ),
    Entry(
        "informed_utility", "Right guesses with the release",
        "share of labels guessed from the features and the release",
        "E max_c u_c P(c | x, release) = uninformed_utility + advantage",
        _DEFINITION,
        "What the best attacker gets right once the release is out, whatever the release contributed to that.",
        ("uninformed_utility", "advantage", "certified_informed_utility"),
    ),
    Entry(
        "advantage", "What the release adds to guesses",
        "what the release adds to the share of labels guessed",
        "E max_c u_c P(c | x, release) - E max_c u_c eta_c; for rr and two labels E (min(eta, 1 - eta) - pi)_+",
        f"{_DEFINITION} and Theorem 3.7; {MATHEMATICS}: B6",
        "0.02 means two labels more in a hundred. high needs no assumption about eta, so it is fit for a rule such as "
        "'a release may add at most 2 in 100'. low is about averages over rows with like scores. It says what the "
        "release adds, not how much is known already.",
        ("certified_advantage", "advantage_bound", "uninformed_utility", "equivalent_epsilon", "equivalent_k"),
    ),
    Entry(
        "advantage_bound", "What a theorem allows",
        "what a theorem says that the release can add at most",
        "by name: see at.bound; for example tanh(epsilon / 2) E [u of the label that the best guess misses]",
        f"{PREVENT}, Theorem 2 and Corollary 1; {UNIFIED}, Theorems 3.3 to 3.5, 6.3, 6.4; {MATHEMATICS}: B2 to C1",
        "An upper limit that holds for any population with those few numbers, so often far above advantage. Where the "
        "printed theorem is wrong or loose, its name says corrected or improved.",
        ("advantage", "epsilon"),
    ),
    Entry(
        "equivalent_epsilon", "Randomized response that adds as much",
        "epsilon of the randomized response that adds as much",
        "the epsilon with advantage(rr:epsilon) = advantage(this mechanism), under one estimated law of eta",
        "a comparison on this table, no theorem",
        "For choosing between noise and aggregation on this table. It is no guarantee: label proportions promise "
        "nothing, however small the number is. It has no limits: a rule needs a line on advantage.",
        ("advantage", "equivalent_k", "epsilon"),
    ),
    Entry(
        "equivalent_k", "Bags that add no more",
        "size of the smallest bags whose totals add no more",
        "min { k : advantage(llp:k) <= advantage(this mechanism) }, under one estimated law of eta",
        "a comparison on this table, no theorem",
        "For choosing between noise and aggregation on this table. It has no limits: a rule needs a line on advantage. "
        "No estimate means that no size up to the rows of the table, or 4096, would do.",
        ("advantage", "equivalent_epsilon", "llp"),
    ),
)  # fmt: skip
