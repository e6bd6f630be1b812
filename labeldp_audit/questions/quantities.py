"""Every number that a report may hold: what it means and how it behaves, declared once.

Help, `explain`, pages, policies, advice and `tune` read it here. No mathematics, and no library that takes long to
load: a stored report is judged in a few tenths of a second.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..core.finding import BASELINE
from ..core.quantity import MATHEMATICS, NATS, PITFALLS, POINTS, PREVENT, STAYS, TRAINING, UNIFIED, UNTUNED, Quantity
from ..core.quantity import SMALL_GROUPS as _SMALL
from .contract import Question, answered_by, two_classes

_AVERAGES = (
    "low and high are about averages over rows with like scores (or neighbourhoods): people in them may differ. "
    "Only what is called certified holds whatever the population is."
)
_DEFINITION = f"{UNIFIED}, Definition 3.1"
_ONE_SIDED = (
    "There is no upper limit, and no table can give one: features may give labels away in ways no sample shows."
)
_SOURCE = "boosted trees fitted with and without the column: a comparison on this table, no theorem"
_READ = (
    "Positive: the column adds to the risk. Columns that say the same hide each other: leaving one out changes nothing "
    "while the other is there, so contributions need not add up, and a small one does not show that a column is "
    "harmless. A column picked because of such a list makes the confidence of a later report less than it says."
)
_LOW, _HIGH, _BOTH = ("low",), ("high",), ("low", "high")

J = Quantity(
    "j", "Share of people above a loss",
    "share of people whose loss is above tau",
    "J(tau) = P(nu_bar(X) > tau)",
    f"{PITFALLS}, Definition 3; {MATHEMATICS}: A4, A5",
    "A rule such as 'at most 5 % of people may lose more than 3 nats' looks at high, at tau = 3: a high of at most "
    "0.05 keeps it, as far as averages go. A high above it does not show that the rule is broken: few rows make it "
    f"large. A low above it does show that, as far as averages go. {_AVERAGES}",
    ("j_added", "certified_j", "plug_in_j", "nu_bar", "tau", "baseline", "mean_loss"),
    share=True, of_losses=True, two_classes=True, axes=("tau", BASELINE), falls_along="tau", assumes_model=_BOTH,
    theorems=("000 Theorem 6.6, corrected", "001 Theorem 2, corrected"),
    theorem_ends={"000 Theorem 6.6, corrected": "low", "001 Theorem 2, corrected": "high"},
)  # fmt: skip
J_ADDED = Quantity(
    "j_added", "Share of people whom the release takes above a loss",
    "share of people whose loss is above tau with the release and not by the features alone",
    "j(tau) of the mechanism - j(tau, baseline=features)",
    f"{PITFALLS}, Definition 3; {MATHEMATICS}: A4, A5",
    "What publishing the labels does to people, apart from what their features give away already: 0.03 means three "
    "people in a hundred who lose more than tau and would not if no label were published. A small one is no comfort "
    f"where j is large. {_AVERAGES}",
    ("j", "baseline", "tau", "advantage"),
    share=True, of_losses=True, two_classes=True, axes=("tau", BASELINE), unit=POINTS, assumes_model=_BOTH,
)  # fmt: skip
PLUG_IN_J = Quantity(
    "plug_in_j", "Share of people above a loss, by raw counts",
    "share of people whose loss is above tau, by the labels around each as they are",
    "J(tau) with the label shares around each row in the place of eta",
    f"{MATHEMATICS}: CERTIFICATES d",
    "Noise in the counts is taken for knowledge, so the tail is too long on average. It is there to compare, in "
    "JSON and CSV only; judge by j.",
    ("j", "plug_in_utility"),
    share=True, of_losses=True, two_classes=True, axes=("tau",), falls_along="tau",
)  # fmt: skip
MEAN_LOSS = Quantity(
    "mean_loss", "Average loss",
    "average loss, in nats",
    "E nu_bar(X) = E (2 eta - 1)(logit eta - logit p) + p KL(Q1 || Q0) + (1 - p) KL(Q0 || Q1), Qc the release of "
    "class c; for randomized response the last two are h(pi)",
    f"{PITFALLS}, equation 2; {MATHEMATICS}: A6",
    "What features and release together tell about a label, averaged over people, label and noise. A small average "
    "can hide people with a large loss: look at j. It is infinite where features give some labels away for sure.",
    ("nu_bar", "j", "baseline", "weighted_jeffreys", "certified_mean_loss"),
    axes=(BASELINE,), has_upper=False, of_losses=True, two_classes=True, unit=NATS, assumes_model=_HIGH,
    theorems=("000 Corollary 6.3",),
)  # fmt: skip
JEFFREYS = Quantity(
    "jeffreys", "How far features part the labels",
    "I = E (2 eta - 1) logit eta: how far the features part the labels",
    "I = E (2 eta - 1) logit eta",
    f"{PITFALLS}, section 4; {MATHEMATICS}: A10",
    "Half the Jeffreys divergence of the features of the two classes, if these are equally common, and only then. "
    "It does not depend on the noise. Where one class is rare, weighted_jeffreys is the number to compare.",
    ("weighted_jeffreys", "mean_loss"),
    has_upper=False, two_classes=True, with_noise=STAYS, unit=NATS, assumes_model=_HIGH,
)  # fmt: skip
WEIGHTED_JEFFREYS = Quantity(
    "weighted_jeffreys", "How far features part the labels, weighted",
    "p KL(P1||P0) + (1 - p) KL(P0||P1): mean loss less what the noise adds",
    "I - h(p) = p KL(P1 || P0) + (1 - p) KL(P0 || P1) = E nu_bar - h(pi)",
    f"{MATHEMATICS}: A10",
    "What the features alone contribute to the average loss. Never negative, 0 where they tell nothing; coarser "
    "features can only lower it.",
    ("jeffreys", "mean_loss"),
    has_upper=False, two_classes=True, with_noise=STAYS, unit=NATS, assumes_model=_HIGH,
)  # fmt: skip
LOG_RATIO_MIN = Quantity(
    "log_ratio_min", "Longest odds against the label",
    "log((1 - eta_min) / eta_min): the odds against a positive label where they are longest",
    "log((1 - min eta) / min eta) = -logit min eta",
    f"{PITFALLS}, Table 2; {MATHEMATICS}: A9",
    "Add logit p and epsilon for what this end contributes to nu_max. Infinite where eta_min is 0.",
    ("eta_min", "nu_max"),
    two_classes=True, with_noise=STAYS, one_sided=True, unit=NATS, assumes_model=_BOTH,
)  # fmt: skip
LOG_RATIO_MAX = Quantity(
    "log_ratio_max", "Longest odds on the label",
    "log(eta_max / (1 - eta_max)): the odds on a positive label where they are longest",
    "log(max eta / (1 - max eta)) = logit max eta",
    f"{PITFALLS}, Table 2; {MATHEMATICS}: A9",
    "Subtract logit p and add epsilon for what this end contributes to nu_max. Infinite where eta_max is 1.",
    ("eta_max", "nu_max"),
    two_classes=True, with_noise=STAYS, one_sided=True, unit=NATS, assumes_model=_BOTH,
)  # fmt: skip
NU_MAX = Quantity(
    "nu_max", "Largest loss of anybody",
    "largest loss of any person, in nats",
    "nu_max = max(R1 + logit max eta - logit p, R0 + logit p - logit min eta), R1 and R0 the largest log ratios of "
    "the release for a positive and a negative label; for randomized response both are epsilon",
    f"{PITFALLS}, Table 2; {MATHEMATICS}: A9",
    "The largest change of an attacker's log-odds, whichever way the noise falls. Infinite where somebody's "
    "features give the label away: then no noise protects everybody. A low above your limit says that somebody "
    "is above it; high is finite only where nobody can stand out, as where all rows with the top score are equal.",
    ("certified_nu_max", "eta_min", "eta_max", "log_ratio_min", "log_ratio_max", "epsilon", "baseline"),
    axes=(BASELINE,), of_losses=True, two_classes=True, unit=NATS, assumes_model=_BOTH,
    theorems=("001 Theorem 1, corrected",),
)  # fmt: skip
ETA_MIN = Quantity(
    "eta_min", "Least chance of a label",
    "least chance of the positive label, given the features",
    "min over people of eta(x) = P(Y = 1 | x)",
    f"{PITFALLS}, section 3",
    "0 means that some features rule the label out. The smaller it is beside the prior, the more those features "
    "tell. With more than two classes it is that of the class named under class.",
    ("eta", "eta_max", "log_ratio_min", "nu_max"),
    share=True, less_is_worse=True, with_noise=STAYS, one_sided=True, axes=("class",), assumes_model=_BOTH,
    theorems=("001 Theorem 1, corrected",),
)  # fmt: skip
ETA_MAX = Quantity(
    "eta_max", "Greatest chance of a label",
    "greatest chance of the positive label, given the features",
    "max over people of eta(x) = P(Y = 1 | x)",
    f"{PITFALLS}, section 3",
    "1 means that some features give the label away. The larger it is beside the prior, the more those features "
    "tell. With more than two classes it is that of the class named under class.",
    ("eta", "eta_min", "log_ratio_max", "nu_max"),
    share=True, with_noise=STAYS, one_sided=True, axes=("class",), assumes_model=_BOTH,
    theorems=("001 Theorem 1, corrected",),
)  # fmt: skip
UNINFORMED_UTILITY = Quantity(
    "uninformed_utility", "Right guesses from the features alone",
    "share of labels guessed from the features alone",
    "E max_c u_c eta_c with u_c = 1 (zero-one); u_c = 1 / (C p_c) with --utility balanced",
    f"{_DEFINITION}; {PREVENT}, equation 8; {MATHEMATICS}: C2",
    "What the best attacker gets right before anything is released. low needs no assumption about eta: guesses "
    "were made without the labels that judged them. A large value is a risk that no mechanism can take away.",
    ("informed_utility", "advantage", "leave_one_out_utility", "plug_in_utility"),
    share=True, with_noise=STAYS, assumes_model=_HIGH,
)  # fmt: skip
LEAVE_ONE_OUT_UTILITY = Quantity(
    "leave_one_out_utility", "Right guesses, as tried",
    "share of labels guessed from the features alone, as tried on labels not seen",
    "mean over rows of u_y [y is the best guess by an estimate that has not seen y]",
    f"{MATHEMATICS}: CERTIFICATES d",
    "On average too low for the best possible guess. Far below plug_in_utility: much of what estimates claim to "
    "know is noise.",
    ("uninformed_utility", "plug_in_utility"),
    share=True, with_noise=STAYS,
)  # fmt: skip
PLUG_IN_UTILITY = Quantity(
    "plug_in_utility", "Right guesses, as claimed",
    "share of labels guessed from the features alone, as the guesses say themselves",
    "mean over rows of max_c u_c eta_c, with the estimate in the place of eta",
    f"{MATHEMATICS}: CERTIFICATES d",
    "On average too high where eta comes from counts of neighbours: their noise is taken for knowledge.",
    ("uninformed_utility", "leave_one_out_utility"),
    share=True, with_noise=STAYS,
)  # fmt: skip
INFORMED_UTILITY = Quantity(
    "informed_utility", "Right guesses with the release",
    "share of labels guessed from the features and the release",
    "E max_c u_c P(c | x, release) = uninformed_utility + advantage",
    _DEFINITION,
    "What the best attacker gets right once the release is out, whatever the release contributed to that.",
    ("uninformed_utility", "advantage", "baseline", "certified_informed_utility"),
    share=True, low_by_trial=True, axes=(BASELINE,), assumes_model=_HIGH,
)  # fmt: skip
ADVANTAGE = Quantity(
    "advantage", "What the release adds to guesses",
    "what the release adds to the share of labels guessed",
    "E max_c u_c P(c | x, release) - E max_c u_c eta_c; for rr and two labels E (min(eta, 1 - eta) - pi)_+",
    f"{_DEFINITION}; {MATHEMATICS}: B6",
    "0.02 means two labels more in a hundred. high needs no assumption about eta, so it is fit for a rule such as "
    "'a release may add at most 2 in 100'. low is about averages over rows with like scores. It says what the "
    "release adds, not how much is known already.",
    ("certified_advantage", "advantage_bound", "uninformed_utility", "equivalent_epsilon", "equivalent_k", "baseline"),
    share=True, axes=(BASELINE,), unit=POINTS, assumes_model=_LOW,
    theorems=("003 Theorem 3.3", "003 Theorem 3.7"),  # which say what it is, not how large at most
)  # fmt: skip
ADVANTAGE_BOUND = Quantity(
    "advantage_bound", "What a theorem allows",
    "what a theorem says that the release can add at most",
    "by name: see at.bound; for example tanh(epsilon / 2) E [u of the label that the best guess misses]",
    f"{PREVENT}; {UNIFIED}; {MATHEMATICS}: B2 to C1",
    "An upper limit that holds for any population with those few numbers, so often far above advantage. Where the "
    "printed theorem is wrong or loose, its name says corrected or improved. 003 Theorems 3.3 and 3.7 equal advantage.",
    ("advantage", "epsilon"),
    with_noise=UNTUNED, axes=("bound",), unit=POINTS, assumes_model=_LOW,
    theorems=(
        "002 Corollary 1", "002 Theorem 2", "002 Theorem 2, improved", "best of all (epsilon, 0)", *ADVANTAGE.theorems,
        "003 Theorem 3.4, square root", "003 Theorem 3.4, Bernstein", "003 Theorem 3.5, corrected", "unimodality",
        "unimodality, by the error", "003 Theorem 6.4", "003 Theorem 6.4, sharp",
    ),
)  # fmt: skip
MULTIPLICATIVE_ADVANTAGE = Quantity(
    "multiplicative_advantage", "How far the release moves the odds",
    "change of the log odds of the true label by the release, in nats",
    "quantile over people and releases of logit P(y | x, release) - logit P(y | x); for two labels "
    "log P(release | y) / P(release | other label), for bags of two Poisson-binomial probabilities",
    f"{PITFALLS}, section 3: its loss without what the features tell; {MATHEMATICS}: B8",
    "At quantile = 0.99, one person in a hundred has the odds of the true label multiplied by e to this, or more; at "
    "0.5 every second one. With an epsilon it is never above that. Infinite where the release gives labels away for "
    "sure, as the count of a bag does whose labels are all alike. It shows what happens to a few people, which an "
    "average such as advantage hides. It has no limits: a rule needs a line on advantage or nu_max.",
    ("advantage", "advantage_knowing_others", "nu_bar", "epsilon", "llp"),
    has_limits=False, with_noise=UNTUNED, axes=("quantile",), unit=NATS,
)  # fmt: skip
ADVANTAGE_KNOWING_OTHERS = Quantity(
    "advantage_knowing_others", "What the release adds for who knows all other labels",
    "what the release adds to the share of labels guessed by who knows all other labels",
    "E max_c u_c P(c | x, release, labels of all others) - E max_c u_c eta_c: the advantage with bags of one",
    f"{_DEFINITION}; {MATHEMATICS}: B8",
    "The same as advantage where each label is replaced on its own. The count of a bag without noise gives the last "
    "label away to who knows the others, whatever the size of the bag: then it is all that the features leave open. "
    "high needs no assumption about eta; low is that of advantage, as who knows more guesses no worse.",
    ("advantage", "attacker", "bag", "llp", "geometric-llp"),
    share=True, unit=POINTS, assumes_model=_LOW,
)  # fmt: skip
EQUIVALENT_EPSILON = Quantity(
    "equivalent_epsilon", "Randomized response that adds as much",
    "epsilon of the randomized response that adds as much",
    "the epsilon with advantage(rr:epsilon) = advantage(this mechanism), under one estimated law of eta",
    "a comparison on this table, no theorem",
    "For choosing between noise and aggregation on this table. It is no guarantee: label proportions promise "
    "nothing, however small the number is. It has no limits: a rule needs a line on advantage.",
    ("advantage", "equivalent_k", "epsilon"),
    has_limits=False, two_classes=True, with_noise=UNTUNED,
)  # fmt: skip
EQUIVALENT_K = Quantity(
    "equivalent_k", "Bags that add no more",
    "size of the smallest bags whose totals add no more",
    "min { k : advantage(llp:k) <= advantage(this mechanism) }, under one estimated law of eta",
    "a comparison on this table, no theorem",
    "For choosing between noise and aggregation on this table. It has no limits: a rule needs a line on advantage. "
    "No estimate means that no size up to the rows of the table, or 4096, would do.",
    ("advantage", "equivalent_epsilon", "llp"),
    has_limits=False, two_classes=True, less_is_worse=True, with_noise=UNTUNED,
)  # fmt: skip
CERTIFIED_J = Quantity(
    "certified_j", "Certified share of people above a loss",
    "share of people whose loss is certain to be above tau",
    "in a cell whose eta has mean e, at least (e - z1) / (1 - z1) have eta > z1, and at least (z0 - e) / z0 have "
    "eta < z0, with z0 < z1 where nu_bar = tau",
    f"{MATHEMATICS}: CERTIFICATES b, J from below",
    "low is the whole of it: at least so many people lose more than tau, at all tau at once. "
    f"{_SMALL} {_ONE_SIDED}",
    ("certified", "j", "tau"),
    share=True, has_upper=False, of_losses=True, two_classes=True, axes=("tau",), falls_along="tau",
)  # fmt: skip
CERTIFIED_MEAN_LOSS = Quantity(
    "certified_mean_loss", "Certified average loss",
    "average loss that is certain, in nats",
    "sum over cells of share times min { nu_bar(z) : z in the limits of the cell's mean eta } (convexity)",
    f"{MATHEMATICS}: CERTIFICATES a",
    f"The average over people is at least low. {_ONE_SIDED}",
    ("certified", "mean_loss"),
    has_upper=False, of_losses=True, two_classes=True, unit=NATS, theorems=("000 Corollary 6.3",),
)  # fmt: skip
CERTIFIED_NU_MAX = Quantity(
    "certified_nu_max", "Certified largest loss",
    "largest loss of a person that is certain, in nats",
    "R1 or R0 (for randomized response epsilon) + the largest, over cells, of |logit e - logit p| at the nearer ends "
    "of their limits, e the mean eta of a cell: somebody in it is at least as far out",
    f"{MATHEMATICS}: CERTIFICATES, Proposition",
    f"Somebody loses at least low. {_SMALL} {_ONE_SIDED}",
    ("certified", "nu_max"),
    has_upper=False, of_losses=True, two_classes=True, unit=NATS,
)  # fmt: skip
CERTIFIED_RENYI = Quantity(
    "certified_renyi", "Certified divergence of the features",
    "how far the features part people with the label from those without, in nats",
    "D_alpha(P1 || P0) = log E_P0 (P1 / P0)^alpha / (alpha - 1); alpha = 1 is the KL divergence; at.of says which "
    "way round",
    f"{TRAINING}, section 7; {MATHEMATICS}: CERTIFICATES a",
    "What features tell if they are released as they are. A theorem that adds noise of the labels to a divergence "
    f"needs an upper limit of it, and low is none. {_ONE_SIDED}",
    ("certified", "weighted_jeffreys"),
    has_upper=False, two_classes=True, with_noise=STAYS, axes=("alpha", "of"), unit=NATS,
)  # fmt: skip
LABELS_GIVEN_AWAY = Quantity(
    "labels_given_away", "Labels given away by the features",
    "share of labels that is certain to be guessed from the features alone, where each class counts alike",
    "1 - max_c 1 / (C p_c) (Clopper-Pearson upper limit on wrong guesses, made without the labels that judge them)",
    f"{MATHEMATICS}: CERTIFICATES c",
    "Only a table of which it is above 99 % has it, and fails every policy: no noise on labels protects them. Drop "
    "the columns that are named, which tell most alone; a waiver of this quantity accepts it.",
    ("certified_uninformed_utility", "column_guessed", "vacuous"),
    share=True, has_upper=False, with_noise=STAYS, axes=("column",), listed=True,
)  # fmt: skip
CERTIFIED_UNINFORMED_UTILITY = Quantity(
    "certified_uninformed_utility", "Certified right guesses from features",
    "share of labels that is certain to be guessed from the features alone",
    "1 - (Clopper-Pearson upper limit on wrong guesses, made without the labels that judge them)",
    f"{MATHEMATICS}: CERTIFICATES c, c4",
    "The best guess is right at least so often. high is below 1 only where rows with equal features have different "
    "labels.",
    ("certified", "uninformed_utility"),
    share=True, has_upper=False, with_noise=STAYS,
)  # fmt: skip
CERTIFIED_INFORMED_UTILITY = Quantity(
    "certified_informed_utility", "Certified right guesses with the release",
    "share of labels that is certain to be guessed with the release",
    "low: what an attacker got who was tried on labels not seen, or certified_uninformed_utility; high: 1",
    f"{MATHEMATICS}: CERTIFICATES c, c4",
    f"The best attacker is right at least so often once the release is out. {_ONE_SIDED}",
    ("certified", "informed_utility"),
    share=True, has_upper=False, low_by_trial=True, axes=(BASELINE,),
)  # fmt: skip
CERTIFIED_ADVANTAGE = Quantity(
    "certified_advantage", "What the release adds, certified",
    "what the release is certain to add, at least and at most, to the share of labels guessed",
    "high: the largest total variation between outputs, times the least of three upper limits of what the best "
    "guess misses: Clopper-Pearson on wrong guesses, E min(eta, 1 - eta) by limits of cells of scores, and twice "
    "the spread E eta (1 - eta); or a bound for totals made of these, if less. low: from pairs of rows with "
    "equal features, ((1 - sqrt(1 - 2 d)) / 2 - pi)_+ times their share, d how often their labels differ",
    f"{MATHEMATICS}: CERTIFICATES c, c4, B5; {UNIFIED}, Theorem 3.7",
    "No attacker gains more than high, so it can be gated on. low is above 0 only where rows repeat.",
    ("certified", "advantage", "advantage_bound"),
    share=True, axes=(BASELINE,), unit=POINTS,
)  # fmt: skip
COLUMN_LOG_LOSS = Quantity(
    "column_log_loss", "What a column tells about labels",
    "what the column adds to what features tell about labels, in nats a label",
    "log loss of labels not seen, without the column, less the same with it",
    _SOURCE,
    f"How much better labels are guessed thanks to the column. {_READ}",
    ("column_j", "column_advantage", "eta"),
    axes=("column",), unit=NATS,
)  # fmt: skip
COLUMN_J = Quantity(
    "column_j", "What a column adds to J",
    "what the column adds to the share of people whose loss is above tau",
    "J(tau) with the column, less J(tau) without it",
    _SOURCE,
    "0.03 means that, by these models, 3 people more in a hundred lose more than tau because the column is "
    f"published. It has no limits: models say it of themselves. {_READ}",
    ("j", "column_log_loss", "column_advantage"),
    share=True, of_losses=True, two_classes=True, axes=("column", "tau"), unit=POINTS,
)  # fmt: skip
COLUMN_ADVANTAGE = Quantity(
    "column_advantage", "What a column adds to the advantage",
    "what the column adds to the advantage of an attacker",
    "advantage with the column, less the advantage without it",
    _SOURCE,
    "It may be negative: features that already give labels away leave a release less to add. "
    f"Look at column_log_loss beside it. {_READ}",
    ("advantage", "column_log_loss", "column_j"),
    share=True, axes=("column",), unit=POINTS,
)  # fmt: skip
_GROUPS = "a tree of plain rules, grown on other people than those who judge; docs/mathematics.md: CERTIFICATES a"
_READ_GROUP = (
    "Groups are plain rules of at most three columns, each of at least 100 people who had no part in choosing it. A "
    "group may hold people who are at no risk, and people at risk are in no group that rules tell apart."
)
GROUP_SHARE = Quantity(
    "group_share", "Share of people in a group",
    "share of people in a group that differs in what features tell",
    "people of the group / people, among those who had no part in choosing it",
    _GROUPS,
    f"How many people a rule is about. {_READ_GROUP}",
    ("group_loss", "group_guessed"),
    share=True, with_noise=STAYS, axes=("group",), describes=True,
)  # fmt: skip
GROUP_LOSS = Quantity(
    "group_loss", "Average loss of a group, by features alone",
    "average loss of the people of a group by their features alone, in nats",
    "mean of (2 eta - 1)(logit eta - logit p) over the people of the group; low by convexity over cells of scores",
    _GROUPS,
    f"low is certified: it holds whatever the model is worth. A release adds its own loss to it. {_READ_GROUP}",
    ("group_share", "group_guessed", "mean_loss"),
    has_upper=False, of_losses=True, two_classes=True, with_noise=STAYS, axes=("group",), unit=NATS,
)  # fmt: skip
GROUP_POSITIVE = Quantity(
    "group_positive", "Share of a group with the positive label",
    "share of the people of a group who have the positive label",
    "people of the group with the label / people of the group, among those who had no part in choosing it",
    _GROUPS,
    f"Beside the share among all people it says which label the features give away there. {_READ_GROUP}",
    ("group_share", "group_loss"),
    share=True, two_classes=True, with_noise=STAYS, one_sided=True, axes=("group",), describes=True,
)  # fmt: skip
GROUP_GUESSED = Quantity(
    "group_guessed", "Right guesses in a group, from features alone",
    "share of the labels of a group that are guessed from features alone",
    "right guesses of a model / people of the group, none of whom it learnt from",
    _GROUPS,
    f"low is certified: somebody who has other rows guesses at least so many. {_READ_GROUP}",
    ("group_share", "group_loss", "uninformed_utility"),
    share=True, has_upper=False, with_noise=STAYS, axes=("group",),
)  # fmt: skip
COLUMN_GUESSED = Quantity(
    "column_guessed", "Right guesses from one column",
    "share of labels that one column alone tells",
    "right guesses from the column / people, where they miss at most a tenth of what the commonest label misses",
    "a comparison on this table, no theorem",
    "Such a column is mostly the label under another name, or was filled in after it was known. No noise on labels "
    "helps while it is published: leave it out. Only such columns are listed.",
    ("column_log_loss", "uninformed_utility"),
    share=True, has_upper=False, with_noise=STAYS, axes=("column",), listed=True,
)  # fmt: skip
TUNED = Quantity(
    "tuned", "Least noise that meets a policy",
    "the weakest release of its kind that meets the policy",
    "the last strength before the first that does not pass, of those looked at from the most noise to the least",
    f"{PITFALLS}, tuning the noise; a search on this table, no theorem",
    "The value of the parameter to use on this table. No value: no noise of that kind is shown to meet the "
    "policy, mostly as the features alone break it. check says the same of the strength that is chosen, with the "
    "same options; at.binds is the line of the policy that decides. low and high are this value and its "
    "neighbour with which the policy does not hold: no confidence limits.",
    ("epsilon", "k", "inconclusive"),
    less_is_worse=True,
)  # fmt: skip
RELEASE_P = Quantity(
    "release_p", "Chance of such a file if it is what it claims",
    "p-value of one check of a release: how often an honest file departs so far from what it claims",
    "tails of binomial and hypergeometric laws, and of Dvoretzky, Kiefer, Wolfowitz and Massart; never too small",
    f"{MATHEMATICS}: V: verifying a release",
    "Below a tenth of what the report may miss (0.001 at 0.99) the check fails. channel: noise on each class; "
    "position: places modulo 64; along: 64 parts of the file; repeats: noise used twice; features: levels of every "
    "other column; order: rows that were shuffled; noise: the law of noisy counts; composition and places: labels and "
    "rows in bags. A large one does not prove anything: in a small file only large departures show.",
    ("release_faults", "flip_rate", "observed_epsilon"),
    has_limits=False, less_is_worse=True, with_noise=STAYS, axes=("check", "column"),
)  # fmt: skip
RELEASE_FAULTS = Quantity(
    "release_faults", "What is not as it has to be",
    "cells, rows or statements of a release that are not what they have to be to the last bit",
    "a count; 0 in every honest release",
    f"{MATHEMATICS}: V: verifying a release",
    "One is enough: no chance is involved. A release drawn from a seed is one: whoever knows the seed knows all.",
    ("release_p",),
    has_limits=False, with_noise=STAYS, axes=("check", "column"),
)  # fmt: skip
FLIP_RATE = Quantity(
    "flip_rate", "Published labels that differ from the true ones",
    "share of published labels that are not the true one, of all rows or of those with one class",
    "rows whose label changed / rows",
    f"{MATHEMATICS}: V: verifying a release",
    "The noise that was really drawn, to be held against what the mechanism says: pi for randomized response.",
    ("pi", "release_p", "observed_epsilon"),
    share=True, describes=True, with_noise=STAYS, axes=("class",),
)  # fmt: skip
OBSERVED_EPSILON = Quantity(
    "observed_epsilon", "Epsilon that was observed, at least",
    "largest log ratio of how often one output came under two labels",
    "max over s, c, c' of log P(said s | c) / P(said s | c'); low by Clopper-Pearson limits of each",
    f"{MATHEMATICS}: V: verifying a release",
    "A low above the epsilon that is claimed shows that the release gives away more than it says. There is no upper "
    "limit: rare outputs and single records may be worse than any file shows.",
    ("epsilon", "flip_rate"),
    unit=NATS, has_upper=False, with_noise=STAYS,
)  # fmt: skip
_PLAYED = f"{PREVENT}, section 3; {UNIFIED}, sections 2 and 6; {MATHEMATICS}: CERTIFICATES c1, B1"
_LIMITS = (
    "Limits are for releases of other labels drawn by the same mechanism, with records for units. Where counts of bags "
    "are published, they are for this very release, over the labels that could lead to it; of an attacker who knows "
    "all other labels bags are units, and clusters where these are weighed together. Guesses of a fold were made "
    "without its labels."
)
ATTACK_UTILITY = Quantity(
    "attack_utility", "Right guesses of an attacker who was played",
    "share of the labels of this release that an attacker guessed",
    "mean of u(guess, label) over the records, u = 1, or 1 / (C p) for a class of share p",
    _PLAYED,
    f"estimate is what happened to this very release. {_LIMITS} low is also what the best attacker surely gets.",
    ("attack_advantage", "informed_utility", "recovered"),
    share=True, axes=("attacker", "knows"), low_by_trial=True,
)  # fmt: skip
ATTACK_ADVANTAGE = Quantity(
    "attack_advantage", "What the release gave an attacker who was played",
    "what an attacker guessed beyond the features alone",
    "attack_utility - attack_utility(attacker=features), on the same records",
    _PLAYED,
    "Below 0 where he did worse than somebody who ignores the release, who has a model of the true labels. "
    f"{_LIMITS} An attacker who knows all other labels knows more than anybody will.",
    ("attack_utility", "advantage", "attack_excess"),
    axes=("attacker", "knows"), unit=POINTS,
)  # fmt: skip
ATTACK_EXCESS = Quantity(
    "attack_excess", "Advantage that was played less the one predicted",
    "attack_advantage of the optimal attacker less the advantage that was predicted",
    "attack_advantage(attacker=optimal) - advantage",
    f"a comparison on this table; {MATHEMATICS}: CERTIFICATES c1, c2",
    "Where 0 is between low and high, release and prediction agree. A low above 0: the release gives away more than "
    "was predicted, so it is not what it says or eta is worse than thought. A high below 0: the attack found less. It "
    "is about other releases too, of which bags are units, so that few bags tell little.",
    ("attack_advantage", "advantage"),
    axes=("attacker",), unit=POINTS, with_noise=UNTUNED, assumes_model=_HIGH,
)  # fmt: skip
RECOVERED = Quantity(
    "recovered", "People whose label was recovered",
    "share of people whose true label has a posterior above 0.99",
    "share of records with P(label | features, release) > 0.99, label the true one",
    _PLAYED,
    "Beside that of the attacker called features it says what the release did: whose features tell the label anyway "
    f"is recovered without it. {_LIMITS}",
    ("confident_right", "attack_utility", "log_odds_gain"),
    share=True, axes=("attacker", "knows"),
)  # fmt: skip
CONFIDENT_RIGHT = Quantity(
    "confident_right", "Confident guesses that are right",
    "share of an attacker's guesses with a posterior above 0.99 that are right",
    "recovered / share of records with P(label | features, release) > 0.99 for any label",
    _PLAYED,
    "n is how many guesses are confident; without one there is no such share. A high below 0.99 shows that the "
    "attacker is surer than he may be: somebody who acts on his guesses wrongs people. Limits take it as given whom he "
    f"is confident about. {_LIMITS}",
    ("recovered", "attack_utility"),
    share=True, axes=("attacker", "knows"), describes=True, with_noise=UNTUNED,
)  # fmt: skip
LOG_ODDS_GAIN = Quantity(
    "log_odds_gain", "Change of log odds by the release",
    "how much the release moved the log odds of the true label, in nats: the multiplicative advantage",
    "quantile over people of logit P(label | features, release) - logit P(label | features), label the true one",
    f"the multiplicative advantage; {MATHEMATICS}: CERTIFICATES c1",
    "What happened to the people of this table: no limits. With an epsilon nobody is moved by more than that.",
    ("recovered", "nu_max", "epsilon"),
    has_limits=False, axes=("attacker", "knows", "quantile"), unit=NATS,
)  # fmt: skip
BELIEFS = Quantity(
    "beliefs", "People by prior and posterior",
    "share of people whose true label has this prior and this posterior",
    "share of records with prior and posterior in tenths that begin at at.prior and at.posterior; fewer than 5 are "
    "left out",
    "a count on this table, no theorem",
    "People above the diagonal are those whom the release gave away. It counts, and shows nobody by himself.",
    ("log_odds_gain", "recovered"),
    share=True, has_limits=False, axes=("attacker", "prior", "posterior"), describes=True,
)  # fmt: skip

# The questions that answer them.
WORST_CASE = Question(
    "worst_case", (ETA_MIN, ETA_MAX, LOG_RATIO_MIN, LOG_RATIO_MAX, NU_MAX, CERTIFIED_NU_MAX),
    two_classes, answered_by("worst_case"),
)  # fmt: skip
TAIL = Question(
    "tail",
    (J, J_ADDED, PLUG_IN_J, MEAN_LOSS, JEFFREYS, WEIGHTED_JEFFREYS, CERTIFIED_J, CERTIFIED_MEAN_LOSS, CERTIFIED_RENYI),
    two_classes, answered_by("tail"),
)  # fmt: skip
RANGE_OF_ETA = Question("eta_range", (ETA_MIN, ETA_MAX), lambda classes: classes > 2, answered_by("eta_range"))
ADVANTAGES = Question(
    "advantage",
    (UNINFORMED_UTILITY, LEAVE_ONE_OUT_UTILITY, PLUG_IN_UTILITY, INFORMED_UTILITY, ADVANTAGE, ADVANTAGE_BOUND,
     MULTIPLICATIVE_ADVANTAGE, ADVANTAGE_KNOWING_OTHERS, EQUIVALENT_EPSILON, EQUIVALENT_K, CERTIFIED_ADVANTAGE,
     CERTIFIED_UNINFORMED_UTILITY, CERTIFIED_INFORMED_UTILITY, LABELS_GIVEN_AWAY),
    lambda classes: True, answered_by("advantage"),
)  # fmt: skip

OF_COLUMNS = (COLUMN_LOG_LOSS, COLUMN_J, COLUMN_ADVANTAGE)
OF_GROUPS = (COLUMN_GUESSED, GROUP_LOSS, GROUP_SHARE, GROUP_POSITIVE, GROUP_GUESSED)  # which `audit` looks for
OF_ATTACKS = (  # which `attack` plays
    ATTACK_UTILITY, ATTACK_ADVANTAGE, ATTACK_EXCESS, RECOVERED, CONFIDENT_RIGHT, LOG_ODDS_GAIN, BELIEFS,
)  # fmt: skip
QUANTITIES: Mapping[str, Quantity] = {one.name: one for one in tuple(globals().values()) if isinstance(one, Quantity)}
