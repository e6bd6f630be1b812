"""The words of reports that are no quantities."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.finding import NEIGHBORHOODS
from ..core.quantity import MATHEMATICS, PITFALLS, TRAINING, UNIFIED, Term
from ..core.quantity import SMALL_GROUPS as _SMALL

_JOINTLY = "P(every low <= its number <= every high) >= confidence"
_EXCEPT = (
    "Exceptions: equivalent_epsilon, equivalent_k, multiplicative_advantage, log_odds_gain, beliefs, release_p and "
    "release_faults have no limits; those of columns, and "
    "low of advantages from bags that were drawn, take chance as normal; and the number of j and nu_max is that of "
    "averages over rows with like scores, not of people."
)

TERMS: Mapping[str, Term] = {one.name: one for one in (
    Term(
        "certified", "What is certified", "holds whatever the population is, if rows are independent draws",
        "labels judge scores that were made without them: Clopper-Pearson limits on cells of like scores",
        f"{MATHEMATICS}: CERTIFICATES 0, a to c4, and the Proposition",
        "Bad scores make these limits say less; none makes them wrong. They are wrong where rows are copies, where "
        f"several rows are one person's, or where the table is no fair draw. {_SMALL}",
        ("certified_j", "certified_nu_max", "certified_advantage", "confidence"),
    ),
    Term(
        "low", "Lower limit", "the number is at least this, with the confidence of the report",
        _JOINTLY,
        f"{MATHEMATICS}: how a report's confidence is shared out",
        "A line such as 'certified_nu_max.low > 10' fails only where harm is shown, so that it passes shows nothing, "
        f"least of all on a small table. Rounded outward wherever it is printed; JSON has all digits. {_EXCEPT}",
        ("estimate", "high", "confidence"),
    ),
    Term(
        "estimate", "Estimate", "the best single guess, without its error", "by the method that the finding names",
        "the finding's own method",
        "For orientation. A rule that looks at an estimate lets chance decide: look at low or high.",
        ("low", "high"),
    ),
    Term(
        "high", "Upper limit", "the number is at most this, with the confidence of the report",
        _JOINTLY,
        f"{MATHEMATICS}: how a report's confidence is shared out",
        "A line such as 'advantage.high > 0.02' passes only where safety is shown. high of advantage needs no "
        f"assumption about eta. {_EXCEPT}",
        ("estimate", "low", "confidence"),
    ),
    *(Term(
        name, f"{end} limit of neighbourhood averages",
        "of the same number with the average over each row's neighbours in the place of the person",
        "Clopper-Pearson limits of the mean of eta over the neighbours of n rows, each at level (1 - confidence) / 2n",
        f"{PITFALLS}, Theorem 1; {TRAINING}, Theorem 6.6; {MATHEMATICS}: A4, A5, A9",
        "Neighbours may differ, so this tells nothing of single people: no line of a policy can look at it. It holds "
        "where labels refute that so many neighbours are alike, and low and high are withheld.",
        ("low", "high", "eta", "confidence"),
    ) for name, end in zip(NEIGHBORHOODS, ("Lower", "Upper"), strict=True)),
    Term(
        "baseline", "What stands beside all mechanisms",
        "features: no label is published; no-noise: labels as they are",
        "at.baseline; j and nu_max without noise are 1 and infinite by definition, informed_utility is 1",
        f"{MATHEMATICS}: CERTIFICATES c; {PITFALLS}, Definition 3",
        "What a mechanism does lies between the two. A line of a policy is about mechanisms, unless it names the "
        "baseline: 'j(tau=3, baseline=features).low > 0.05'. One that even labels without noise pass is vacuous.",
        ("j", "j_added", "nu_max", "mean_loss", "informed_utility", "advantage"),
    ),
    Term(
        "confidence", "Confidence", "how surely all limits of a report hold together",
        f"{_JOINTLY}; 0.99 unless you ask otherwise",
        f"{MATHEMATICS}: how a report's confidence is shared out",
        "It covers one report. Choosing columns, k or an estimator by what earlier reports said makes it less. "
        f"{_EXCEPT}",
        ("low", "high"),
    ),
    Term(
        "inconclusive", "Inconclusive", "the estimate passes, the limit does not: the rows do not decide",
        "line(limit) holds and line(estimate) does not",
        "exit status 4 of labeldp-audit check",
        "More rows make limits narrower. Until then it is not shown that the policy holds. --exit-zero reports it "
        "without stopping a pipeline.",
        ("low", "high", "waiver"),
    ),
    Term(
        "unproven", "Unproven", "the lower limit passes, the estimate does not: only want of rows lets it pass",
        "line(low) does not hold and line(estimate) does; where there is no estimate, line(high) does",
        "exit status 4 of labeldp-audit check",
        "A lower limit of a small table says little: gate on .high or .estimate, or ask more rows. "
        "on_unproven = \"pass\" in the policy accepts it.",
        ("low", "estimate", "inconclusive"),
    ),
    Term(
        "vacuous", "Vacuous", "even labels without noise would pass the line: that it passes shows nothing",
        "line(no-noise high) does not hold",
        "exit status 4 of labeldp-audit check",
        "A rare label has a small advantage whatever is released. Ask with --utility balanced, which counts each class "
        "alike, or take a threshold below that of no noise. on_vacuous = \"pass\" in the policy accepts it beside a "
        "second line that is not vacuous.",
        ("inconclusive", "unproven", "baseline"),
    ),
    Term(
        "not_measured", "Not measured", "the report has no such number: the policy is not shown to hold",
        "no finding of that quantity at that place, or one without the limit asked for",
        "exit status 1 of labeldp-audit check",
        "Counts as a failure, and no waiver covers it: a risk can be accepted once it is known.",
        ("inconclusive", "waiver"),
    ),
    Term(
        "waiver", "Waiver", "a risk that is accepted: for one quantity, one table, until a day, for a reason",
        "[[policy.waiver]] with quantity, dataset (sha256 of the table), until and reason",
        "the policy file",
        "Lines about that quantity do not count for that very table until that day. One that has run out fails, so "
        "that it is not forgotten. A changed table has another sha256 and needs another waiver.",
        ("inconclusive", "not_measured"),
    ),
    Term(
        "eta", "What features tell", "how likely each label is, given the features alone",
        "eta(x) = P(Y = 1 | x), or P(Y = c | x) for each class",
        PITFALLS,
        "Not seen but estimated, and everything but what is certified rests on how well. The log loss of the "
        "report says how much was found, never how much there is.",
        ("prior", "post", "eta_min", "eta_max"),
    ),
    Term(
        "prior", "How common the label is", "share of people with the positive label", "p = P(Y = 1)",
        PITFALLS,
        "What anybody knows without features: losses are measured against it.",
        ("eta", "nu_bar"),
    ),
    Term(
        "post", "What features and release tell", "how likely each label is, once the release is out",
        "post_c = eta_c P(release | c) / sum over c' of eta_c' P(release | c')",
        f"{UNIFIED}, section 3",
        "Bayes' rule: what an attacker who knows eta believes afterwards.",
        ("eta", "advantage"),
    ),
    Term(
        "nu_bar", "Loss of a person",
        "how far features and release move an attacker's log-odds on the true label, on average",
        "nu_bar(x) = (2 eta - 1)(logit eta - logit p) + eta KL(Q1 || Q0) + (1 - eta) KL(Q0 || Q1), Qc the release of "
        "class c; for randomized response the last two are h(pi) = (1 - 2 pi) log((1 - pi) / pi)",
        f"{PITFALLS}, Definition 3; {TRAINING}, Theorem 6.4; {MATHEMATICS}: A1",
        "Averaged over label and noise, in nats: a loss of 3 nats multiplies the odds by 20. The first part is what "
        "features tell, whatever the noise; the others are what the release lets through. It is lowest between 1/2 "
        "and p, for randomized response, and can be negative there.",
        ("j", "mean_loss", "nu_max", "tau", "nat", "pi"),
    ),
    Term(
        "tau", "Threshold of a loss", "a loss, in nats, that J asks about",
        "J(tau) = P(nu_bar(X) > tau); the odds change by a factor of e^tau",
        PITFALLS,
        "1 nat is a factor of 2.7, 2 of 7.4, 3 of 20, 5 of 148. h(pi) is what the release contributes by itself.",
        ("j", "nat", "nu_bar"),
    ),
    Term(
        "epsilon", "Label differential privacy", "how much a mechanism promises that one label changes its output",
        "P(output | y) <= e^epsilon P(output | y'); randomized response: epsilon = log((C - 1)(1 - pi) / pi)",
        f"{PITFALLS}; {TRAINING}",
        "A promise about what the release adds, whatever the features tell: with features that give labels away, a "
        "tiny epsilon protects nobody. Smaller is safer.",
        ("pi", "lambda", "rr", "nu_max"),
    ),
    Term(
        "pi", "Flip probability", "probability that the published label differs from the true one",
        "pi = (C - 1) / (e^epsilon + C - 1); two labels: 1 / (1 + e^epsilon); pi = lambda (C - 1) / C",
        f"{MATHEMATICS}: A11",
        "Not the probability of drawing the label anew, which is lambda and larger. rr:pi=0.01 is epsilon 4.595.",
        ("lambda", "epsilon", "rr"),
    ),
    Term(
        "lambda", "Replacement probability",
        "probability that the label is drawn anew, uniformly, which may give the same label again",
        "lambda = C / (e^epsilon + C - 1) = pi C / (C - 1); epsilon = log(1 + C (1 - lambda) / lambda)",
        f"{TRAINING}, Mechanism 1; {MATHEMATICS}: A11",
        "For two labels twice pi. rr:lambda=0.01 is epsilon 5.293.",
        ("pi", "epsilon", "rr"),
    ),
    Term(
        "k", "Rows or people together",
        "of llp: people in a bag; of an audit: rows with like scores, or neighbours, behind each interval",
        "llp:k=8, and --k",
        "docs/mathematics.md: CERTIFICATES f",
        "Larger bags add less to a guess. More rows behind an interval make it narrower, and about more people.",
        ("llp", "bag", "equivalent_k"),
    ),
    Term(
        "nat", "Unit of losses", "the unit of losses: one nat multiplies or divides odds by e = 2.718",
        "odds after = odds before * e^loss; one nat is 1 / log 2 = 1.443 bits",
        "natural logarithms; nothing of this tool's own",
        "A loss of 3 nats multiplies the odds on the true label by 20. Of a label that 12 % of people have, an "
        "attacker knows no more at first than these 12 %, odds of 0.12 to 0.88. A loss of 3 nats turns 12 % into 73 %, "
        "one of 1 nat into 27 %, one of 5 nats into 95 %.",
        ("odds", "nu_bar", "tau"),
    ),
    Term(
        "odds", "Odds", "how likely a label is, beside how likely it is not",
        "odds = q / (1 - q) for a chance of q; logit q = log odds; q = odds / (1 + odds)",
        "arithmetic; nothing of this tool's own",
        "A chance of 50 % is odds of 1, 12 % odds of 0.14, 90 % odds of 9. Whatever is learnt multiplies odds, so "
        "losses are counted in their logarithm: 3 nats turn 12 % into 73 %, and 73 % into 98 %.",
        ("nat", "prior", "nu_bar"),
    ),
    Term(
        "attacker", "Attacker", "somebody who knows people's features, sees the release and wants their labels",
        "before: eta(x); after: post(x, release), by Bayes' rule",
        f"{UNIFIED}, section 3; {PITFALLS}",
        "The best one is meant: he knows how labels depend on features, the mechanism with all its parameters, and for "
        "bags the features of everybody in the bag, but no label. Knowing other people's labels may tell "
        "more, from bags above all. He needs no access to your systems: what is published is enough.",
        ("eta", "post", "advantage", "bag"),
    ),
    Term(
        "bag", "Bag", "people put together at random, whose labels are published as one total",
        "release = sum of the labels of k people drawn at random, as it is (llp) or with noise (laplace-llp)",
        f"{UNIFIED}, section 3; {MATHEMATICS}: B2 to B5",
        "The larger the bag, the less its total tells about one of its people, as long as the labels of the others are "
        "unknown. Everybody is in one bag; who is in which is published, and so are the features.",
        ("llp", "laplace-llp", "k", "equivalent_k"),
    ),
    Term(
        "rr", "Randomized response", "each label is published, or another one instead",
        "P(say s | y) = e^epsilon / (e^epsilon + C - 1) if s = y, else 1 / (e^epsilon + C - 1)",
        f"Warner 1965; {PITFALLS}",
        "Written rr:epsilon=1, rr:pi=0.01 (flip) or rr:lambda=0.02 (uniform replacement); reports give all three.",
        ("epsilon", "pi", "lambda", "equivalent_k"),
    ),
    Term(
        "channel", "Any replacement one by one", "each label is replaced by a law of its own",
        "matrix[y][s] = P(say s | y), a row for each true class",
        f"{MATHEMATICS}: B6",
        "Written channel:matrix=0.9 0.1/0.2 0.8. Its epsilon is the log of the largest ratio within a column.",
        ("rr", "epsilon"),
    ),
    Term(
        "llp", "Label proportions", "how many positives each random bag of k people has",
        "release = sum of the labels of a bag; P(Y_i = 1 | sum = s) = eta_i P(sum of the others = s - 1) / P(sum = s)",
        f"{UNIFIED}, section 3, Theorems 3.3 to 3.5; {MATHEMATICS}: B2 to B5",
        "Promises nothing: the other labels of a bag tell the last, however large it is. Written "
        "llp:k=8.",
        ("laplace-llp", "equivalent_epsilon", "k"),
    ),
    Term(
        "laplace-llp", "Label proportions with Laplace noise",
        "how many positives each random bag of k people has, with noise",
        "release = sum of the labels of a bag + Laplace noise of scale 1 / epsilon",
        f"{UNIFIED}, Theorems 6.3 and 6.4; {MATHEMATICS}: B1, B7",
        "Promises epsilon to each person. Written laplace-llp:k=8,epsilon=1. A release has the noise at multiples of a "
        "step of at most 2^-20 / epsilon, as that of floating point tells what lies below it.",
        ("llp", "geometric-llp", "epsilon", "equivalent_epsilon"),
    ),
    Term(
        "geometric-llp", "Label proportions with geometric noise",
        "how many positives each random bag of k people has, with noise of whole numbers",
        "release = sum of the labels of a bag + z, P(z) proportional to e^(-epsilon |z|) for whole z",
        "Ghosh, Roughgarden and Sundararajan 2012",
        "Promises epsilon to each person. What is published may be below 0, or above k. Bags of one are randomized "
        "response of the same epsilon. Written geometric-llp:k=8,epsilon=1.",
        ("llp", "laplace-llp", "epsilon", "equivalent_epsilon"),
    ),
    Term(
        "cluster-rr", "Randomized response by clusters",
        "a label stays, or one is drawn from what is common in its cluster of rows with like features",
        "epsilon = 2 / sigma + log(1 + (1 - lambda) / (lambda tau)): noise of scale sigma on counts of each cluster, "
        "shares of at least tau, labels replaced with probability lambda",
        f"Esfandiari et al. 2022, Algorithm 1; {MATHEMATICS}: E1, E3",
        "Written cluster-rr:epsilon=1,clusters=100; sigma, lambda and tau are chosen for the sizes of the clusters, so "
        "that the fewest labels are expected to differ. Good where rows of a cluster mostly share a label.",
        ("rr", "epsilon"),
    ),
    Term(
        "p2p", "Labels exchanged among peers", "a flipped label of a random person of the same cluster",
        "delta(epsilon) = max over all labels of sum_j [P(j) - e^epsilon P'(j)]_+, j positives published of a cluster",
        f"Esfandiari et al. 2022, Algorithm 2; {MATHEMATICS}: E4",
        "Written p2p:epsilon=2,clusters=100 or p2p:alpha=0.12; with theta=0.5 every other row publishes a label. "
        "Readers of the release have a smaller epsilon at the given delta, the more people a cluster has; a peer has "
        "that of the flips.",
        ("rr", "cluster-rr", "epsilon"),
    ),
    Term(
        "domain-rr", "Randomized response by a domain prior",
        "prior-rr within clusters, the prior by noisy counts of their classes",
        "epsilon = 2 / sigma of the counts + epsilon of prior-rr, discrete Laplace noise P(z) ~ e^(-|z| / sigma)",
        f"Ghazi et al. 2021, Algorithm 2; {MATHEMATICS}",
        "Written domain-rr:epsilon=1,clusters=20,share=0.1: the counts spend a tenth of epsilon, the labels the rest.",
        ("prior-rr", "cluster-rr", "epsilon"),
    ),
    Term(
        "prior-rr", "Randomized response by a prior", "a label is replaced by one of the classes that a prior takes "
        "for most likely",
        "randomized response among the k most likely classes, and a uniform one of them for other labels; k = argmax "
        "of e^epsilon / (e^epsilon + k - 1) sum of the k largest of the prior",
        f"Ghazi et al. 2021, Algorithm 2; {MATHEMATICS}",
        "Written prior-rr:epsilon=1, with release --prior COLUMN or --prior-from FILE. The prior must not depend on "
        "the labels. Where k is 1 the released label says nothing of the true one.",
        ("rr", "lp-mst", "model-rr", "epsilon"),
    ),
    Term(
        "lp-mst", "Labels released in stages", "the labels released in one stage teach the prior of the next",
        "prior-rr in each part of the rows, the prior by a model of the labels released before; the first part by rr",
        "Ghazi et al. 2021, LP-MST",
        "Written lp-mst:epsilon=1,stages=2. Each label is used in one stage, so all stages together spend epsilon.",
        ("prior-rr", "rr", "epsilon"),
    ),
    Term(
        "model-rr", "Randomized response by a model", "a label stays, or one is drawn from a prior",
        "epsilon = log(1 + (1 - lambda) / (lambda tau)): labels replaced with probability lambda, shares of at least "
        "tau",
        "Busa-Fekete et al. 2023, Mechanism 1",
        "Written model-rr:epsilon=1, with release --prior COLUMN. lambda and tau are chosen so that the fewest labels "
        "are expected to differ, if the prior is true.",
        ("rr", "prior-rr", "cluster-rr", "epsilon"),
    ),
    Term(
        "alibi", "Soft labels", "a number for each class: the posterior after Laplace noise on one-hot labels",
        "soft label of c proportional to e^(epsilon u_c / m), u_c: the noisy number of c in m-ths, cut to 0..m; noise "
        "P(z) proportional to e^(-epsilon |z| / (2 m))",
        f"Malek Esmaeili et al. 2021; {MATHEMATICS}",
        "Written alibi:epsilon=1. The soft labels are those of equally likely classes; with a prior, multiply and "
        "renormalise.",
        ("rr", "epsilon"),
    ),
    Term(
        "pate", "Teachers who vote", "soft labels by a model that learnt from noisy votes of models of disjoint parts",
        "noise P(z) proportional to e^(-epsilon |z| / (2 queries)) on each count of votes",
        f"Papernot et al. 2016; Wu et al. 2022, Appendix B; {MATHEMATICS}",
        "Written pate:epsilon=20,teachers=100,queries=200. The manifest also says the smaller epsilon that holds with "
        "a delta. How likely a release is for each label is not known, so no optimal attacker can be played.",
        ("alibi", "lp-mst", "epsilon"),
    ),
    Term(
        "dummy", "Labels alone", "labels by randomized response, in a random order and without any other column",
        "that of rr; neither the order nor the lack of features is counted",
        "Busa-Fekete et al. 2023, Mechanism 3",
        "Written dummy:epsilon=1 or dummy:pi=0.1. Tells how common classes are; audits judge it for a reader who knows "
        "whose each label is.",
        ("rr", "epsilon"),
    ),
)}  # fmt: skip
