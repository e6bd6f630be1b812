"""How much a release and the features tell about people's labels, as log-odds."""

from __future__ import annotations

from .entry import MATHEMATICS, PITFALLS, TRAINING, Entry

_AVERAGES = (
    "low and high are about averages over rows with like scores (or neighbourhoods): people in them may differ. "
    "Only what is called certified holds whatever the population is."
)

ENTRIES = (
    Entry(
        "j", "Share of people above a loss",
        "share of people whose loss is above tau",
        "J(tau) = P(nu_bar(X) > tau)",
        f"{PITFALLS}, Definition 3 and Theorem 2; {TRAINING}, Theorem 6.6; {MATHEMATICS}: A4, A5",
        "A rule such as 'at most 5 % of people may lose more than 3 nats' looks at high, at tau = 3: a high of at most "
        "0.05 keeps it, as far as averages go. A high above it does not show that the rule is broken: few rows make it "
        f"large. A low above it does show that, as far as averages go. {_AVERAGES}",
        ("certified_j", "plug_in_j", "nu_bar", "tau", "mean_loss"),
    ),
    Entry(
        "plug_in_j", "Share of people above a loss, by raw counts",
        "share of people whose loss is above tau, by the labels around each as they are",
        "J(tau) with the label shares around each row in the place of eta",
        f"{MATHEMATICS}: CERTIFICATES d",
        "Noise in the counts is taken for knowledge, so the tail is too long on average. It is there to compare, in "
        "JSON and CSV only; judge by j.",
        ("j", "plug_in_utility"),
    ),
    Entry(
        "mean_loss", "Average loss",
        "average loss, in nats",
        "E nu_bar(X) = E (2 eta - 1)(logit eta - logit p) + h(pi)",
        f"{PITFALLS}, equation 2; {MATHEMATICS}: A6",
        "What features and release together tell about a label, averaged over people, label and noise. A small average "
        "can hide people with a large loss: look at j. It is infinite where features give some labels away for sure.",
        ("nu_bar", "j", "weighted_jeffreys", "certified_mean_loss"),
    ),
    Entry(
        "nu_max", "Largest loss of anybody",
        "largest loss of any person, in nats",
        "nu_max = epsilon + max(logit max eta - logit p, logit p - logit min eta)",
        f"{PITFALLS}, Theorem 1 and Table 2; {MATHEMATICS}: A9",
        "The largest change of an attacker's log-odds, whichever way the noise falls. Infinite where somebody's "
        "features give the label away: then no noise protects everybody. A low above your limit says that somebody "
        "is above it; high is finite only where many rows share the top score, or stand around with knn.",
        ("certified_nu_max", "eta_min", "eta_max", "log_ratio_min", "log_ratio_max", "epsilon"),
    ),
    Entry(
        "eta_min", "Least chance of a label",
        "least chance of the positive label, given the features",
        "min over people of eta(x) = P(Y = 1 | x)",
        f"{PITFALLS}, section 3",
        "0 means that some features rule the label out. The smaller it is beside the prior, the more those features "
        "tell. With more than two classes it is that of the class named under class.",
        ("eta", "eta_max", "log_ratio_min", "nu_max"),
    ),
    Entry(
        "eta_max", "Greatest chance of a label",
        "greatest chance of the positive label, given the features",
        "max over people of eta(x) = P(Y = 1 | x)",
        f"{PITFALLS}, section 3",
        "1 means that some features give the label away. The larger it is beside the prior, the more those features "
        "tell. With more than two classes it is that of the class named under class.",
        ("eta", "eta_min", "log_ratio_max", "nu_max"),
    ),
    Entry(
        "log_ratio_min", "Longest odds against the label",
        "log((1 - eta_min) / eta_min): the odds against a positive label where they are longest",
        "log((1 - min eta) / min eta) = -logit min eta",
        f"{PITFALLS}, Table 2; {MATHEMATICS}: A9",
        "Add logit p and epsilon for what this end contributes to nu_max. Infinite where eta_min is 0.",
        ("eta_min", "nu_max"),
    ),
    Entry(
        "log_ratio_max", "Longest odds on the label",
        "log(eta_max / (1 - eta_max)): the odds on a positive label where they are longest",
        "log(max eta / (1 - max eta)) = logit max eta",
        f"{PITFALLS}, Table 2; {MATHEMATICS}: A9",
        "Subtract logit p and add epsilon for what this end contributes to nu_max. Infinite where eta_max is 1.",
        ("eta_max", "nu_max"),
    ),
    Entry(
        "jeffreys", "How far features part the labels",
        "I = E (2 eta - 1) logit eta: how far the features part the labels",
        "I = E (2 eta - 1) logit eta",
        f"{PITFALLS}, section 4; {MATHEMATICS}: A10",
        "Half the Jeffreys divergence of the features of the two classes, if these are equally common, and only then. "
        "It does not depend on the noise. Where one class is rare, weighted_jeffreys is the number to compare.",
        ("weighted_jeffreys", "mean_loss"),
    ),
    Entry(
        "weighted_jeffreys", "How far features part the labels, weighted",
        "p KL(P1||P0) + (1 - p) KL(P0||P1): mean loss less what the noise adds",
        "I - h(p) = p KL(P1 || P0) + (1 - p) KL(P0 || P1) = E nu_bar - h(pi)",
        f"{MATHEMATICS}: A10",
        "What the features alone contribute to the average loss. Never negative, 0 where they tell nothing; coarser "
        "features can only lower it.",
        ("jeffreys", "mean_loss"),
    ),
)  # fmt: skip
