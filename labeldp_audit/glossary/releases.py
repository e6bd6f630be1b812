"""The mechanisms."""

from __future__ import annotations

from .entry import MATHEMATICS, PITFALLS, UNIFIED, Entry

ENTRIES = (
    Entry(
        "rr", "Randomized response",
        "each label is published, or another one instead",
        "P(say s | y) = e^epsilon / (e^epsilon + C - 1) if s = y, else 1 / (e^epsilon + C - 1)",
        f"Warner 1965; {PITFALLS}",
        "Written rr:epsilon=1, rr:pi=0.01 (flip) or rr:lambda=0.02 (uniform replacement); reports give all three.",
        ("epsilon", "pi", "lambda", "equivalent_k"),
    ),
    Entry(
        "channel", "Any replacement one by one",
        "each label is replaced by a law of its own",
        "matrix[y][s] = P(say s | y), a row for each true class",
        f"{MATHEMATICS}: B6",
        "Written channel:matrix=0.9 0.1/0.2 0.8. Its epsilon is the log of the largest ratio within a column.",
        ("rr", "epsilon"),
    ),
    Entry(
        "llp", "Label proportions",
        "how many positives each random bag of k people has",
        "release = sum of the labels of a bag; P(Y_i = 1 | sum = s) = eta_i P(sum of the others = s - 1) / P(sum = s)",
        f"{UNIFIED}, section 3, Theorems 3.3 to 3.5; {MATHEMATICS}: B2 to B5",
        "Promises nothing: whoever knows the other labels of a bag learns the last, however large it is. Written "
        "llp:k=8.",
        ("laplace-llp", "equivalent_epsilon", "k"),
    ),
    Entry(
        "laplace-llp", "Label proportions with Laplace noise",
        "how many positives each random bag of k people has, with noise",
        "release = sum of the labels of a bag + Laplace noise of scale 1 / epsilon",
        f"{UNIFIED}, Theorems 6.3 and 6.4; {MATHEMATICS}: B1, B7",
        "Promises epsilon to each person. Written laplace-llp:k=8,epsilon=1.",
        ("llp", "epsilon", "equivalent_epsilon"),
    ),
)  # fmt: skip
