"""The letters of reports and help."""

from __future__ import annotations

from .entry import MATHEMATICS, PITFALLS, TRAINING, UNIFIED, Entry

ENTRIES = (
    Entry(
        "eta", "What features tell",
        "how likely each label is, given the features alone",
        "eta(x) = P(Y = 1 | x), or P(Y = c | x) for each class",
        PITFALLS,
        "Nobody sees it; it is estimated, and everything but what is certified rests on how well. The log loss of the "
        "report says how much was found, never how much there is.",
        ("prior", "post", "eta_min", "eta_max"),
    ),
    Entry(
        "prior", "How common the label is",
        "share of people with the positive label",
        "p = P(Y = 1)",
        PITFALLS,
        "What anybody knows without features: losses are measured against it.",
        ("eta", "nu_bar"),
    ),
    Entry(
        "post", "What features and release tell",
        "how likely each label is, once the release is out",
        "post_c = eta_c P(release | c) / sum over c' of eta_c' P(release | c')",
        f"{UNIFIED}, section 3",
        "Bayes' rule: what an attacker who knows eta believes afterwards.",
        ("eta", "advantage"),
    ),
    Entry(
        "nu_bar", "Loss of a person",
        "how far features and release move an attacker's log-odds on the true label, on average",
        "nu_bar(x) = (2 eta - 1)(logit eta - logit p) + h(pi), h(pi) = (1 - 2 pi) log((1 - pi) / pi)",
        f"{PITFALLS}, Definition 3; {TRAINING}, Theorem 6.4; {MATHEMATICS}: A1",
        "Averaged over label and noise, in nats: a loss of 3 nats multiplies the odds by 20. The first part is what "
        "features tell, whatever the noise; h(pi) is what randomized response lets through. It is lowest between 1/2 "
        "and p, and can be negative there.",
        ("j", "mean_loss", "nu_max", "tau", "nat", "pi"),
    ),
    Entry(
        "tau", "Threshold of a loss",
        "a loss, in nats, that J asks about",
        "J(tau) = P(nu_bar(X) > tau); the odds change by a factor of e^tau",
        PITFALLS,
        "1 nat is a factor of 2.7, 2 of 7.4, 3 of 20, 5 of 148. h(pi) is what the release contributes by itself.",
        ("j", "nat", "nu_bar"),
    ),
    Entry(
        "epsilon", "Label differential privacy",
        "how much a mechanism promises that one label changes its output",
        "P(output | y) <= e^epsilon P(output | y'); randomized response: epsilon = log((C - 1)(1 - pi) / pi)",
        f"{PITFALLS}; {TRAINING}",
        "A promise about what the release adds, whatever the features tell: with features that give labels away, a "
        "tiny epsilon protects nobody. Smaller is safer.",
        ("pi", "lambda", "rr", "nu_max"),
    ),
    Entry(
        "pi", "Flip probability",
        "probability that the published label differs from the true one",
        "pi = (C - 1) / (e^epsilon + C - 1); two labels: 1 / (1 + e^epsilon); pi = lambda (C - 1) / C",
        f"{MATHEMATICS}: A11",
        "Not the probability of drawing the label anew, which is lambda and larger. rr:pi=0.01 is epsilon 4.595.",
        ("lambda", "epsilon", "rr"),
    ),
    Entry(
        "lambda", "Replacement probability",
        "probability that the label is drawn anew, uniformly, which may give the same label again",
        "lambda = C / (e^epsilon + C - 1) = pi C / (C - 1); epsilon = log(1 + C (1 - lambda) / lambda)",
        f"{TRAINING}, Mechanism 1; {MATHEMATICS}: A11",
        "For two labels twice pi. rr:lambda=0.01 is epsilon 5.293.",
        ("pi", "epsilon", "rr"),
    ),
    Entry(
        "k", "Rows or people together",
        "of llp: people in a bag; of an audit: rows with like scores, or neighbours, behind each interval",
        "llp:k=8, and --k",
        "docs/mathematics.md: CERTIFICATES f",
        "Larger bags add less to a guess. More rows behind an interval make it narrower, and about more people.",
        ("llp", "bag", "equivalent_k"),
    ),
    Entry(
        "nat", "Unit of losses",
        "the unit of losses: one nat multiplies or divides odds by e = 2.718",
        "odds after = odds before * e^loss; one nat is 1 / log 2 = 1.443 bits",
        "natural logarithms; nothing of this tool's own",
        "A loss of 3 nats multiplies the odds on the true label by 20. Of a label that 12 % of people have, an "
        "attacker knows no more at first than these 12 %, odds of 0.12 to 0.88. A loss of 3 nats turns 12 % into 73 %, "
        "one of 1 nat into 27 %, one of 5 nats into 95 %.",
        ("odds", "nu_bar", "tau"),
    ),
    Entry(
        "odds", "Odds",
        "how likely a label is, beside how likely it is not",
        "odds = q / (1 - q) for a chance of q; logit q = log odds; q = odds / (1 + odds)",
        "arithmetic; nothing of this tool's own",
        "A chance of 50 % is odds of 1, 12 % odds of 0.14, 90 % odds of 9. Whatever is learnt multiplies odds, so "
        "losses are counted in their logarithm: 3 nats turn 12 % into 73 %, and 73 % into 98 %.",
        ("nat", "prior", "nu_bar"),
    ),
    Entry(
        "attacker", "Attacker",
        "whoever knows people's features and sees the release, and wants their labels",
        "before: eta(x); after: post(x, release), by Bayes' rule",
        f"{UNIFIED}, section 3; {PITFALLS}",
        "The best one is meant: he knows how labels depend on features, the mechanism with all its parameters, and for "
        "bags the features of everybody in the bag, but nobody's label. Whoever knows other people's labels may learn "
        "more, from bags above all. He needs no access to your systems: what is published is enough.",
        ("eta", "post", "advantage", "bag"),
    ),
    Entry(
        "bag", "Bag",
        "people put together at random, whose labels are published as one total",
        "release = sum of the labels of k people drawn at random, as it is (llp) or with noise (laplace-llp)",
        f"{UNIFIED}, section 3; {MATHEMATICS}: B2 to B5",
        "The larger the bag, the less its total tells about one of its people, as long as the labels of the others are "
        "unknown. Everybody is in one bag; who is in which is published, and so are the features.",
        ("llp", "laplace-llp", "k", "equivalent_k"),
    ),
)  # fmt: skip
